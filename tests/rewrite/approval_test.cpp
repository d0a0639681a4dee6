#include "rewrite/approval.h"

#include "report/schema_check.h"

using namespace ptosync;

namespace {

const std::string kOne = "0123456789abcdef", kOther = "fedcba9876543210";

std::string textOf(const std::string &approved, const std::string &rejected, const std::string &rest) {
  return "{\"version\": 1, \"approved\": [" + approved + "], \"rejected\": [" + rejected + "], \"rest\": \"" + rest +
         "\"}";
}

std::string entry(const std::string &fingerprint) {
  return "{\"fingerprint\": \"" + fingerprint + "\", \"kernel\": \"k\", \"edit\": \"removed\"}";
}

std::string problem(const std::string &text) {
  llvm::Expected<Approval> approval = parseApproval(text, "a.json");
  return approval ? "none" : llvm::toString(approval.takeError());
}

std::string violations(const std::string &text) {
  return test::schemaViolations(nlohmann::json::parse(text), "approval_schema.json");
}

} // namespace

TEST_CASE("approval: what is approved, rejected, and what becomes of the rest") {
  const std::string text = textOf(entry(kOne), entry(kOther), "hold");
  const Approval approval = llvm::cantFail(parseApproval(text, "a.json"));
  CHECK(approval.approves(kOne));
  CHECK_FALSE(approval.approves(kOther));
  CHECK(approval.rejects(kOther));
  CHECK_FALSE(approval.applyRest);
  CHECK(approval.approved[0].kernel == "k");
  CHECK(approval.approved[0].title == "removed");
  CHECK(llvm::cantFail(parseApproval(textOf("", entry(kOne), "apply"), "a.json")).applyRest);
  CHECK(violations(text) == "");
}

TEST_CASE("approval: what a person need not write") {
  const std::string text = "{\"version\": 1, \"approved\": [{\"fingerprint\": \"" + kOne + "\"}], \"rest\": \"hold\"}";
  CHECK(llvm::cantFail(parseApproval(text, "a.json")).approves(kOne));
  CHECK(violations(text) == "");
}

TEST_CASE("approval: mistakes are told with file and line; the schema refuses them as well") {
  auto wrong = [](const std::string &text, const std::string &message) {
    CAPTURE(text);
    CHECK(problem(text).rfind("a.json:", 0) == 0);
    CHECK(problem(text).find(message) != std::string::npos);
    CHECK(violations(text) != "");
  };
  wrong(textOf("{\"fingerprint\": \"0123\"}", "", "hold"), "'0123' is no fingerprint: expected 16 digits");
  wrong(textOf("{\"kernel\": \"k\"}", "", "hold"), "fingerprint");
  wrong(textOf("{\"fingerprint\": \"" + kOne + "\", \"line\": 3}", "", "hold"), "line");
  wrong(textOf("", "", "keep"), "hold");
  wrong("{\"version\": 2, \"approved\": [], \"rest\": \"hold\"}", "expected 1");
  wrong("{\"version\": 1, \"rest\": \"hold\"}", "approved");
  wrong("{\"version\": 1, \"approved\": []}", "rest");
  wrong("{\"version\": 1, \"approve\": [], \"approved\": [], \"rest\": \"hold\"}", "did you mean 'approved'");
  CHECK(problem(textOf(entry(kOne), entry(kOne), "hold")).find("stands in the file twice") != std::string::npos);
  CHECK(problem("{").rfind("a.json", 0) == 0);
}

TEST_CASE("approval: what is wrong is not echoed whole") {
  constexpr std::size_t kLong = 100000, kMostSaid = 500;
  const std::string much(kLong, 'x');
  for (const std::string &text : {textOf("{\"fingerprint\": \"" + much + "\"}", "", "hold"), textOf("", "", much),
                                  textOf("{\"" + much + "\": 1, \"fingerprint\": \"" + kOne + "\"}", "", "hold")}) {
    CHECK(problem(text).rfind("a.json:1: ", 0) == 0);
    CHECK(problem(text).find("xxx...") != std::string::npos);
    CHECK(problem(text).size() < kMostSaid);
  }
  const std::string entry = "{\"fingerprint\": \"" + kOne + "\", \"edit\": \"" + much + "\"}";
  CHECK(llvm::cantFail(parseApproval(textOf(entry, "", "hold"), "a.json")).approved[0].title.size() < kMostSaid);
}

TEST_CASE("approval: entries that no edit has are stale") {
  const Approval approval = llvm::cantFail(parseApproval(textOf(entry(kOne), entry(kOther), "hold"), "a.json"));
  CHECK(staleEntries(approval, {kOne, kOther}).empty());
  REQUIRE(staleEntries(approval, {kOne}).size() == 1);
  CHECK(staleEntries(approval, {kOne})[0].fingerprint == kOther);
  CHECK(staleEntries(approval, {}).size() == 2);
}
