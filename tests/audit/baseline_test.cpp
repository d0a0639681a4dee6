#include "audit/baseline.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

Finding finding(const std::string &rule, const std::string &fingerprint) {
  Finding finding;
  finding.rule = rule;
  finding.fingerprint = fingerprint;
  finding.message = "text of " + rule;
  return finding;
}

std::string problem(const std::string &text) {
  llvm::Expected<Baseline> baseline = parseBaseline(text, "b.json");
  return baseline ? "none" : llvm::toString(baseline.takeError());
}

} // namespace

TEST_CASE("baseline: what is written is read, and taken out") {
  Finding a = finding("missing-sync", "aa"), b = finding("double-set", "bb");
  std::string text = baselineText({{"k.cpp", &a}, {"j.cpp", &b}});
  CHECK(text == baselineText({{"j.cpp", &b}, {"k.cpp", &a}})); // in any order
  Baseline baseline = llvm::cantFail(parseBaseline(text, "b.json"));
  std::vector<Finding> findings = {a, b};
  std::set<BaselineEntry> matched;
  CHECK(applyBaseline(baseline, "k.cpp", findings, matched) == 1);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "double-set"); // known in another file only
  CHECK(matched == std::set<BaselineEntry>{{"k.cpp", "aa"}});
}

TEST_CASE("baseline: an empty one is one") {
  Baseline baseline = llvm::cantFail(parseBaseline(baselineText({}), "b.json"));
  CHECK(baseline.entries.empty());
}

TEST_CASE("baseline: messages name file, line and what was expected") {
  CHECK(problem("{").rfind("b.json", 0) == 0);
  CHECK(problem("{\"schema\": 1, \"findings\": []}").find("expected 2") != std::string::npos);
  CHECK(problem("{\"schema\": 2}").find("findings") != std::string::npos);
  CHECK(problem("{\"schema\": 2, \"findings\": [{\"file\": \"k.cpp\"}]}").find("fingerprint") != std::string::npos);
  CHECK(problem("{\"schema\": 2, \"finding\": []}").find("did you mean 'findings'") != std::string::npos);
}
