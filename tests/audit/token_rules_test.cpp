#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

using Findings = std::vector<std::string>;

/// Token findings as "severity rule", in order.
Findings tokens(const std::string &statements, const std::string &arch = "a3") {
  Findings list;
  for (const Finding &finding : Audited(shortTiles(statements), arch).result.findings)
    for (const char *rule : {"unprimed-wait", "undrained-flag", "double-set", "branch-imbalance", "cross-core-flag",
                             "deadlock", "id-clash"})
      if (finding.rule == rule)
        list.push_back(std::string(severityName(finding.severity)) + " " + finding.rule);
  return list;
}

const std::string kTokenSet = setFlag(kLoadToVector), kTokenWait = waitFlag(kLoadToVector);

std::string loop(const std::string &bound, const std::string &inside) {
  return "  for (int32_t i = 0; i < " + bound + "; ++i) {\n" + inside + "  }\n";
}
std::string when(const std::string &condition, const std::string &inside) {
  return "  if (" + condition + ") {\n" + inside + "  }\n";
}

} // namespace

TEST_CASE("token rules: balanced flags say nothing") {
  CHECK(tokens(kTokenSet + kTokenWait).empty());
  CHECK(tokens(loop("n", kTokenSet + kTokenWait)).empty());
  CHECK(tokens(kTokenSet + loop("n", kTokenWait + kTokenSet) + kTokenWait).empty()); // primed and drained
  CHECK(tokens(when("n > 3", kTokenSet) + when("n > 3", kTokenWait)).empty());
  CHECK(tokens(setFlag(kLoadToVector, "EVENT_ID1") + kTokenSet + kTokenWait + waitFlag(kLoadToVector, "EVENT_ID1"))
            .empty());
}

TEST_CASE("token rules: straight lines") {
  CHECK(tokens(kTokenWait) == Findings{"error unprimed-wait"});
  CHECK(tokens(kTokenSet) == Findings{"error undrained-flag"});
  CHECK(tokens(kTokenSet + kTokenSet + kTokenWait) == Findings{"error double-set"});
  CHECK(tokens(kTokenSet + kTokenWait + kTokenWait) == Findings{"error unprimed-wait"});
  // The pipe gets to its set: the wait ends, in another order than the text's.
  CHECK(tokens(kTokenWait + kTokenSet) == Findings{"warning unprimed-wait"});
}

TEST_CASE("token rules: loops") {
  CHECK(tokens(loop("n", kTokenWait + kTokenSet)) == Findings{"error unprimed-wait"});
  CHECK(tokens(kTokenSet + loop("n", kTokenSet + kTokenWait) + kTokenWait) == Findings{"error double-set"});
  CHECK(tokens(kTokenSet + loop("n", kTokenWait)) ==
        Findings{"error undrained-flag", "error unprimed-wait"}); // none, and two trips
  CHECK(tokens(loop("n", kTokenSet) + kTokenWait).size() == 2);
  CHECK(tokens(loop("1", kTokenSet) + kTokenWait).empty());
  CHECK(tokens(kTokenSet + loop("4", when("i == 0", kTokenWait))).empty());
  CHECK(tokens(kTokenSet + loop("4", when("i == 9", kTokenWait))) == Findings{"error undrained-flag"});
}

TEST_CASE("token rules: branches, and what they exclude") {
  CHECK(tokens(when("n > 3", kTokenSet) + kTokenWait) == Findings{"error branch-imbalance"});
  CHECK(tokens(kTokenSet + when("n > 3", kTokenWait)) == Findings{"error branch-imbalance"});
  // Two conditions on one argument are not compared: no error.
  for (const std::string &finding : tokens(when("n > 3", kTokenSet) + when("n > 2", kTokenWait)))
    CHECK(finding.rfind("warning ", 0) == 0);
  // A path of one decision is certain though the other condition is on the same argument.
  CHECK(tokens(kTokenSet + when("n > 3", kTokenWait) + when("n > 2", "  pipe_barrier(PIPE_V);\n")).size() == 1);
}

TEST_CASE("token rules: two loops with one bound are not played off against each other") {
  for (const std::string &finding : tokens(loop("n", kTokenSet) + loop("n", kTokenWait)))
    CHECK(finding != "error unprimed-wait"); // a set without its wait needs two different trip counts
}

TEST_CASE("token rules: lanes that step with the loop") {
  auto ring = [](const std::string &set, const std::string &wait) {
    return setFlag(kVectorToLoad, "EVENT_ID0") + setFlag(kVectorToLoad, "EVENT_ID1") +
           loop("n", waitFlag(kVectorToLoad, "(event_t) (" + wait + ")") +
                         setFlag(kVectorToLoad, "(event_t) (" + set + ")")) +
           waitFlag(kVectorToLoad, "EVENT_ID0") + waitFlag(kVectorToLoad, "EVENT_ID1");
  };
  CHECK(tokens(ring("i % 2", "i % 2")).empty());
  CHECK(tokens(ring("(i + 1) % 2", "i % 2")).front() == "error double-set");
  // Chosen by data: not followed.
  CHECK(tokens(ring("n > 3 ? 1 : 0", "n > 3 ? 1 : 0")).empty());
}

TEST_CASE("token rules: deadlock is a circle of waits, not a missing prime") {
  std::string circle = waitFlag(kVectorToLoad) + "  TLOAD(a, g);\n" + kTokenSet + kTokenWait +
                       "  TADDS(b, a, 1.0f);\n" + setFlag(kVectorToLoad);
  Findings findings = tokens(circle);
  REQUIRE_FALSE(findings.empty());
  CHECK(findings.front() == "error deadlock");
  CHECK(tokens(loop("n", circle)).front() == "error unprimed-wait");
}

TEST_CASE("token rules: a library call that uses the flag inside") {
  std::string words =
      tileIn("Vec", "w", "int32_t", "4, 64", "4, 64", "8192") + tileIn("Vec", "x", "int32_t", "4, 64", "4, 64", "9216");
  auto around = [&](const std::string &pipes, const std::string &id) {
    return words + setFlag(pipes, id) + "  TSHL(w, w, x);\n" + waitFlag(pipes, id);
  };
  CHECK(tokens(around("PIPE_V, PIPE_S", "EVENT_ID0")) == Findings{"error id-clash"});
  CHECK(tokens(around("PIPE_V, PIPE_S", "EVENT_ID1")).empty());
  CHECK(tokens(around("PIPE_V, PIPE_MTE3", "EVENT_ID0")).empty());
  CHECK(tokens(around("PIPE_V, PIPE_S", "EVENT_ID0"), "a5").empty()); // scalar work on a3 only
}

TEST_CASE("token rules: a flag between the cores is one finding, not two") {
  std::string text = shortTiles("#if defined(__DAV_CUBE__)\n" + setFlag("PIPE_MTE2, PIPE_MTE3") +
                                "#endif\n#if defined(__DAV_VEC__)\n" + waitFlag("PIPE_MTE2, PIPE_MTE3") + "#endif\n");
  Audited audited(text, "a3", Severity::Warning);
  REQUIRE(audited.result.findings.size() == 1);
  CHECK(audited.only("cross-core-flag").notes.size() == 1);
}
