#include "audit/config.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

AuditConfig config(const std::string &text) { return llvm::cantFail(parseConfig(text, ".ptosync.json")); }
std::string configProblem(const std::string &text) {
  llvm::Expected<AuditConfig> read = parseConfig(text, ".ptosync.json");
  return read ? "none" : llvm::toString(read.takeError());
}
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("config: every key is read") {
  AuditConfig read = config(R"({"arch": "a5", "trust": "library", "severity": "note", "gm-may-alias": true,
    "include": ["include"], "define": ["WIDE", "N=4"], "undefine": ["__SIM__"], "strict-copies": true, "a5-vector-order": false, "m-accumulate-order": true, "chain": "assembler",
    "rules": {"gm-visibility": "off", "useless-sync": "error"}})");
  CHECK(read.arch == "a5");
  CHECK(read.trust == Trust::Library);
  CHECK(read.severity == Severity::Note);
  CHECK(read.gmMayAlias == true);
  CHECK(read.includes == std::vector<std::string>{"include"});
  CHECK(read.defines == std::vector<std::string>{"WIDE", "N=4"});
  CHECK(read.undefines == std::vector<std::string>{"__SIM__"});
  CHECK(read.strictCopies == true);
  CHECK(read.vectorOrder == false);
  CHECK(read.accumulateOrder == true);
  CHECK(read.assemblerChain == true);
  CHECK(severityOf(read, "gm-visibility") == Severity::Off);
  CHECK(severityOf(read, "useless-sync") == Severity::Error);
  CHECK(severityOf(read, "missing-sync") == Severity::Error);
}

TEST_CASE("config: mistakes are named with their place and the nearest name") {
  CHECK(contains(configProblem("{\n \"archs\": \"a3\"}"),
                 ".ptosync.json:2: /archs: unknown key 'archs'; did you mean 'arch'?"));
  CHECK(contains(configProblem(R"({"rules": {"missing-sink": "off"}})"), "did you mean 'missing-sync'?"));
  CHECK(contains(configProblem(R"({"rules": {"missing-sync": "loud"}})"),
                 "unknown value 'loud'; expected one of 'off', 'note', 'warning', 'error'"));
  CHECK(contains(configProblem(R"({"severity": "off"})"), "expected one of 'note', 'warning', 'error'"));
  CHECK(contains(configProblem(R"({"arch": "a4"})"), "did you mean 'a3'? (expected one of 'a3', 'a5')"));
  CHECK(contains(configProblem(R"({"chain": "long"})"), "expected one of 'distance', 'assembler'"));
  CHECK(contains(configProblem("[]"), "an object"));
}

TEST_CASE("config: rules of the command line") {
  auto setting = llvm::cantFail(parseRuleSetting("missing-sync=note"));
  CHECK(setting == std::make_pair(std::string("missing-sync"), Severity::Note));
  for (const char *bad : {"missing-sync", "missing=off", "missing-sync=loud"}) {
    llvm::Expected<std::pair<std::string, Severity>> wrong = parseRuleSetting(bad);
    CHECK(!static_cast<bool>(wrong));
    llvm::consumeError(wrong.takeError());
  }
}

TEST_CASE("config: the command line wins, rules are joined, and the whole is printed in the form it is read in") {
  AuditConfig file =
      config(R"({"arch": "a5", "severity": "note", "rules": {"gm-visibility": "off", "double-set": "note"}})");
  AuditConfig line;
  line.arch = "a3";
  line.rules["double-set"] = Severity::Warning;
  line.defines = {"WIDE=2"};
  AuditConfig both = merged(file, line);
  CHECK(both.arch == "a3");
  CHECK(both.severity == Severity::Note);
  CHECK(severityOf(both, "gm-visibility") == Severity::Off);
  CHECK(severityOf(both, "double-set") == Severity::Warning);
  CHECK(both.defines == std::vector<std::string>{"WIDE=2"});
  AuditConfig again = config(configText(both));
  CHECK(configText(again) == configText(both));
}

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
  Baseline written;
  replaceFindings(written, "k.cpp", {a});
  replaceFindings(written, "j.cpp", {b});
  std::string text = baselineText(written);
  Baseline baseline = llvm::cantFail(parseBaseline(text, "b.json"));
  CHECK(baseline.entries == written.entries);
  CHECK(baselineText(baseline) == text);
  std::vector<Finding> findings = {a, b};
  std::set<BaselineEntry> matched;
  CHECK(applyBaseline(baseline, "k.cpp", findings, matched) == 1);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "double-set"); // known in another file only
  CHECK(matched == std::set<BaselineEntry>{{"k.cpp", "aa"}});
}

TEST_CASE("baseline: findings of a file take the place of its own, and of no others") {
  Finding a = finding("missing-sync", "aa"), b = finding("double-set", "bb");
  Baseline baseline;
  replaceFindings(baseline, "k.cpp", {a});
  replaceFindings(baseline, "j.cpp", {a, b});
  replaceFindings(baseline, "k.cpp", {b});
  CHECK(baseline.entries.size() == 3);
  CHECK(baseline.entries.count({"k.cpp", "bb"}));
  CHECK_FALSE(baseline.entries.count({"k.cpp", "aa"}));
  replaceFindings(baseline, "j.cpp", {});
  CHECK(baseline.entries.size() == 1);
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
