// What holds for every finding: severities, order, fingerprints.
#include "audit/audited.h"

#include <catch2/catch.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::vector<std::string> fingerprints(const Audited &audited) {
  std::vector<std::string> list;
  for (const Finding &finding : audited.result.findings)
    list.push_back(finding.fingerprint);
  return list;
}

const std::string kFaulty = "  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n  TADDS(c, b, 1.0f);\n" + waitFlag(kLoadToVector);

} // namespace

TEST_CASE("audit: findings stand by position, and the same input gives the same") {
  Audited first(shortTiles(kFaulty)), second(shortTiles(kFaulty));
  REQUIRE(first.result.findings.size() == 3);
  CHECK(std::is_sorted(first.result.findings.begin(), first.result.findings.end(),
                       [](const Finding &a, const Finding &b) { return a.place < b.place; }));
  CHECK(first.all() == second.all());
  CHECK(fingerprints(first) == fingerprints(second));
}

TEST_CASE("audit: fingerprints stay while lines shift, and change with the statement") {
  Audited before(shortTiles(kFaulty)), shifted("\n// a line more\n\n" + shortTiles("\n" + kFaulty));
  CHECK(fingerprints(before) == fingerprints(shifted));
  Audited other(shortTiles("  TLOAD(a, g);\n  TADDS(d, a, 1.0f);\n"));
  std::vector<std::string> known = fingerprints(before);
  for (const std::string &fingerprint : fingerprints(other))
    CHECK(std::count(known.begin(), known.end(), fingerprint) == 0);
}

// What the assembler numbers anew on every run.
TEST_CASE("audit: fingerprints survive values that are numbered anew") {
  auto numbered = [](const std::string &load, const std::string &sum, const std::string &scale) {
    return vectorKernel(rowsAt(load, 4, "0") + rowsAt(sum, 4, "1024") + tensorAt("g", "in") + "  float " + scale +
                        " = 1.0f;\n  TLOAD(" + load + ", g);\n  TADDS(" + sum + ", " + load + ", " + scale +
                        ");\n  TADDS(" + load + ", " + sum + ", " + scale + ");\n");
  };
  Audited first(numbered("v12", "v13", "v14")), second(numbered("v7", "v105", "v6"));
  REQUIRE(first.result.findings.size() == 3);
  CHECK(fingerprints(first) == fingerprints(second));
  CHECK(fingerprints(first) != fingerprints(Audited(numbered("sum", "v13", "v14")))); // a name that means something
}

TEST_CASE("audit: equal statements have fingerprints of their own") {
  std::string pair = "  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n  pipe_barrier(PIPE_ALL);\n";
  Audited twice(shortTiles(pair + pair));
  std::set<std::string> distinct;
  for (const Finding &finding : twice.result.findings)
    distinct.insert(finding.fingerprint);
  CHECK(distinct.size() == twice.result.findings.size());
  CHECK(twice.count("missing-sync") == 2);
}

TEST_CASE("audit: severities come from the options, and demotion counts from there") {
  Module module = lift(shortTiles("  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n"));
  AuditOptions options;
  options.severity = [](std::string_view rule) { return rule == "missing-sync" ? Severity::Warning : Severity::Off; };
  AuditResult result = audit(module, machineOf("a3"), options);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].severity == Severity::Warning);
  options.severity = [](std::string_view) { return Severity::Off; };
  CHECK(audit(module, machineOf("a3"), options).findings.empty());
  options.severity = nullptr;
  options.lowest = Severity::Error;
  CHECK(audit(module, machineOf("a3"), options).findings.size() == 1);
}

TEST_CASE("audit: a kernel that cannot be analysed is named, the others are audited") {
  std::string bad = "extern \"C\" __global__ AICORE void bad(int32_t n) {\n  asm(\"nop\");\n}\n";
  Audited audited(shortTiles("  TLOAD(a, g);\n  TADDS(b, a, 1.0f);\n") + bad);
  CHECK(audited.severity("missing-sync") == "error");
  for (const SkippedInAudit &skipped : audited.result.skipped)
    CHECK(skipped.kernel == "bad");
}
