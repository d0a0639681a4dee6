#include "audit/audited.h"
#include "audit/token_rules.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Lines of the waits held up by the first wait of the kernel.
std::vector<unsigned> blocked(const std::string &statements) {
  Analysed kernel(shortTiles(statements));
  for (const std::vector<Event> &events : kernel.program->steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Wait) {
        std::vector<unsigned> lines;
        for (const Statement *statement : blockedBehind(*kernel.program, *event.statement))
          lines.push_back(statement->line);
        return lines;
      }
  throw std::runtime_error("no wait");
}

} // namespace

TEST_CASE("blocked waits: a circle of two and of three pipes") {
  std::string two = waitFlag("PIPE_V, PIPE_MTE2") + setFlag("PIPE_MTE2, PIPE_V") + waitFlag("PIPE_MTE2, PIPE_V") +
                    setFlag("PIPE_V, PIPE_MTE2");
  CHECK(blocked(two).size() == 1);
  std::string three = waitFlag("PIPE_MTE3, PIPE_MTE2") + setFlag("PIPE_MTE2, PIPE_V") + waitFlag("PIPE_MTE2, PIPE_V") +
                      setFlag("PIPE_V, PIPE_MTE3") + waitFlag("PIPE_V, PIPE_MTE3") + setFlag("PIPE_MTE3, PIPE_MTE2");
  CHECK(blocked(three).size() == 2);
}

TEST_CASE("blocked waits: nothing is held up where some pipe gets to its set") {
  // The set stands in front of the second wait of its pipe.
  CHECK(blocked(waitFlag("PIPE_V, PIPE_MTE2") + setFlag("PIPE_MTE2, PIPE_V") + setFlag("PIPE_V, PIPE_MTE2") +
                waitFlag("PIPE_MTE2, PIPE_V"))
            .empty());
  // Another set feeds the second wait.
  CHECK(blocked("  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n" + waitFlag("PIPE_V, PIPE_MTE2") +
                "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n" + setFlag("PIPE_V, PIPE_MTE2"))
            .empty());
  // The set that is held up stands in one arm only.
  CHECK(blocked(waitFlag("PIPE_V, PIPE_MTE2") + "  if (n > 2) {\n" + setFlag("PIPE_MTE2, PIPE_V") + "  }\n" +
                setFlag("PIPE_V, PIPE_MTE2"))
            .empty());
}

namespace {

const std::pair<Pipe, Pipe> kLoads = {Pipe::MTE2, Pipe::V};

std::map<std::pair<Pipe, Pipe>, std::int64_t> uneven(const std::string &statements) {
  Analysed kernel(shortTiles(statements));
  return unevenPairs(*kernel.program);
}

const std::string kSet = setFlag(kLoadToVector), kWait = waitFlag(kLoadToVector);

} // namespace

TEST_CASE("pair balance: sets and waits of a pair come out even on every path") {
  CHECK(uneven(kSet + kWait).empty());
  CHECK(uneven(kSet + setFlag(kLoadToVector, "EVENT_ID1") + kWait).at(kLoads) == 1);
  CHECK(uneven(kSet + kWait + waitFlag(kLoadToVector, "EVENT_ID1")).at(kLoads) == -1);
  CHECK(uneven(kSet + "  if (n > 3) {\n" + kWait + "  } else {\n" + kWait + "  }\n").empty());
  CHECK(uneven(kSet + "  if (n > 3) {\n" + kSet + kWait + "  }\n").at(kLoads) == 1);
  CHECK(uneven(kSet + "  for (int32_t i = 0; i < n; ++i) {\n" + kWait + kSet + "  }\n").at(kLoads) == 1);
}

TEST_CASE("pair balance: nothing is said where paths differ") {
  CHECK(uneven("  if (n > 3) {\n" + kSet + "  }\n").empty());
  CHECK(uneven("  for (int32_t i = 0; i < n; ++i) {\n" + kSet + "  }\n").empty());
  CHECK(uneven("  if (n > 3) {\n" + kSet + "    return;\n  }\n").empty());
}

TEST_CASE("pair balance: a lane that an argument decides and that nobody drains is an error") {
  std::string lanes = "  event_t even = (event_t) (n % 2 == 0 ? 0 : 1), odd = (event_t) (n % 2 == 0 ? 1 : 0);\n";
  std::string sets = setFlag(kLoadToVector) + setFlag(kLoadToVector, "EVENT_ID1");
  std::string first = waitFlag(kLoadToVector, "even"), second = waitFlag(kLoadToVector, "odd");
  Audited drained(shortTiles(lanes + sets + first + second));
  CHECK(drained.count("undrained-flag") == 0);
  CHECK(drained.count("unprimed-wait") == 0);
  Audited left(shortTiles(lanes + sets + first));
  CHECK(left.only("undrained-flag").severity == Severity::Error);
  CHECK(left.only("undrained-flag").message.find("from PIPE_MTE2 to PIPE_V once more") != std::string::npos);
  Audited unfed(shortTiles(lanes + setFlag(kLoadToVector) + first + second));
  CHECK(unfed.severity("unprimed-wait") == "error");
}

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
