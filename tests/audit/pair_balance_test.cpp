#include "audit/pair_balance.h"

#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
