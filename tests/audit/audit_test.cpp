#include "audit/audit.h"
#include "audit/audited.h"

#include <catch2/catch.hpp>
#include <set>

using namespace ptosync;
using namespace ptosync::test;

// What holds for every finding: severities, order, fingerprints.

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

namespace {

Finding findingAt(std::uint32_t line, Severity severity, const std::string &rule = "missing-sync") {
  Finding finding;
  finding.rule = rule;
  finding.place = {line, 3, line, 9};
  finding.severity = severity;
  finding.message = "what is wrong";
  finding.notes.push_back({{line - 1, 3, line - 1, 9}, "the earlier one"});
  return finding;
}

} // namespace

TEST_CASE("either architecture: what one alone has is a note that says so") {
  std::vector<Finding> findings = {findingAt(5, Severity::Error), findingAt(9, Severity::Error)};
  CHECK(demoteUnlessBoth(findings, {findingAt(9, Severity::Error)}, "a3", Severity::Note) == 1);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].severity == Severity::Note);
  CHECK(findings[0].message == "what is wrong (on a3 only: give --arch)");
  CHECK(findings[1].severity == Severity::Error);
  CHECK(findings[1].message == "what is wrong");
}

TEST_CASE("either architecture: the lower severity of both stands, and what is below the lowest goes") {
  std::vector<Finding> findings = {findingAt(5, Severity::Error)};
  CHECK(demoteUnlessBoth(findings, {findingAt(5, Severity::Warning)}, "a3", Severity::Warning) == 1);
  CHECK(findings[0].severity == Severity::Warning);
  CHECK(findings[0].message == "what is wrong (for certain on a3 only: give --arch)");
  CHECK(demoteUnlessBoth(findings, {}, "a3", Severity::Warning) == 1);
  CHECK(findings.empty());
  std::vector<Finding> note = {findingAt(5, Severity::Note)};
  CHECK(demoteUnlessBoth(note, {}, "a3", Severity::Note) == 0);
}

TEST_CASE("either architecture: one pair is one finding, however it meets") {
  std::vector<Finding> findings = {findingAt(5, Severity::Error)};
  CHECK(demoteUnlessBoth(findings, {findingAt(5, Severity::Error, "ring-too-short")}, "a3", Severity::Note) == 0);
  CHECK(demoteUnlessBoth(findings, {findingAt(5, Severity::Error, "double-set")}, "a3", Severity::Note) == 1);
  Finding other = findingAt(5, Severity::Error);
  other.notes.front().place.line = 2; // another earlier instruction
  CHECK_FALSE(hasLike({other}, findingAt(5, Severity::Error)));
}

namespace {

std::string bracketed(const std::string &pipe, const std::string &statement) {
  return "  get_buf(" + pipe + ", 3, 0);\n" + statement + "  rls_buf(" + pipe + ", 3, 0);\n";
}

} // namespace

TEST_CASE("buffer ids: what they order is no finding; what it is open whether they order is not either") {
  const std::string load = "  TLOAD(a, g);\n", add = "  TADDS(b, a, 1.0f);\n";
  Audited ids(shortTiles(bracketed("PIPE_MTE2", load) + bracketed("PIPE_V", add)), "a5");
  CHECK(ids.count("missing-sync") == 0);
  CHECK(ids.result.notJudged.empty());
  Audited open(
      shortTiles("  get_buf(PIPE_MTE2, 3, 1);\n" + load + "  rls_buf(PIPE_MTE2, 3, 1);\n" + bracketed("PIPE_V", add)),
      "a5");
  CHECK(open.count("missing-sync") == 0);
  REQUIRE(open.result.notJudged.size() == 1);
  CHECK(open.result.notJudged[0].kernel == "k");
  CHECK(open.result.notJudged[0].line == lineOf(open.text, "get_buf(PIPE_MTE2"));
  CHECK(open.result.notJudged[0].reason == "what the bracket on line " +
                                               std::to_string(lineOf(open.text, "get_buf(PIPE_MTE2")) +
                                               " orders is open (its mode is not 0): an order that it may keep is not "
                                               "called missing");
  Audited plain(shortTiles(load + add), "a5");
  CHECK(plain.severity("missing-sync") == "error");
  CHECK(plain.result.notJudged.empty());
}

TEST_CASE("buffer ids: flags are judged all the same") {
  std::string flag = setFlag(kLoadToVector);
  Audited ids(shortTiles(bracketed("PIPE_MTE2", "  TLOAD(a, g);\n") + flag + flag), "a5");
  CHECK(ids.count("double-set") == 1);
}

TEST_CASE("audit: calls between the cores are known, however they are spelled") {
  for (const std::string prefix : {"", "__builtin_cce_"})
    for (const std::string arch : {"a3", "a5"}) {
      INFO(prefix << " on " << arch);
      auto call = [&](const std::string &text) { return "  " + prefix + text + ";\n"; };
      std::string calls = call("ffts_cross_core_sync(PIPE_MTE2, message)") + call("wait_flag_dev(2)");
      if (arch == "a5")
        calls += call("wait_flag_dev(PIPE_S, 2)") + call("set_intra_block(PIPE_MTE2, 3)") +
                 call("wait_intra_block(PIPE_V, 3)");
      Audited audited(shortTiles("  TLOAD(a, g);\n  const int64_t id = 2;\n"
                                 "  uint16_t message = getFFTSMsg(FFTS_MODE_VAL, id);\n" +
                                 calls),
                      arch);
      CHECK(audited.count("unknown-call") == 0);
    }
}
