#include "profile/trace_reader.h"

#include "profile/recorded_run.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

namespace {

llvm::Expected<timing::TraceContent> readTraceText(const std::string &text, const std::string &core = "",
                                                   const std::string &wanted = "core0.veccore0") {
  std::istringstream stream(text);
  static const timing::ProfileNames names = llvm::cantFail(timing::ProfileNames::builtIn());
  return timing::readTrace(stream, {"t.json", core, [&](const std::string &name) { return name == wanted; }, 1000},
                           names);
}

std::string traceProblem(const std::string &text, const std::string &core = "core0.veccore0") {
  llvm::Expected<timing::TraceContent> content = readTraceText(text, core);
  return content ? "" : llvm::toString(content.takeError());
}

const std::vector<RecordedInstruction> kTraced = {
    {"MTE2", "HW_LOAD", "x", 0x100, 10, 110},
    {"MTE2", "SET_FLAG", "PIPE:MTE2, TRIGGER PIPE:VEC, FLAG ID:0,", 0x102, 20, 110},
    {"VECTOR", "WAIT_FLAG", "PIPE:MTE2, TRIGGER PIPE:VEC, FLAG ID:0,", 0x104, 12, 110},
    {"VECTOR", "HW_ADD", "y", 0x108, 110, 200},
    {"VECTOR", "BAR", "PIPE:VEC", 0x10c, 120, 200},
};

} // namespace

TEST_CASE("trace.json: of all cores and of one, the same executions") {
  for (const std::string core : {"core0.veccore0", ""}) {
    CAPTURE(core);
    timing::TraceContent content =
        llvm::cantFail(readTraceText(traceText(kTraced, core, 1000), core.empty() ? "core0.veccore0" : ""));
    REQUIRE(content.cores.size() == 1);
    const timing::CoreProfile &profile = content.cores[0];
    CHECK(profile.core == "core0.veccore0");
    REQUIRE(profile.events.size() == 5);
    CHECK(profile.cycles == Approx(190));
    CHECK(profile.busy[index(Pipe::MTE2)] == Approx(100));
    for (const timing::ProfileRow &row : profile.rows) {
      bool clamped = row.kind == timing::ProfileKind::Set || row.kind == timing::ProfileKind::Barrier;
      CHECK(profile.knowsCost(row.kind) != clamped);
      if (row.kind == timing::ProfileKind::Wait)
        CHECK(row.cycles == Approx(98));
    }
  }
}

TEST_CASE("trace.json: cores that are not wanted are named and not read") {
  timing::TraceContent content = llvm::cantFail(readTraceText(traceText(kTraced, "core3.cubecore0", 1000)));
  CHECK(content.cores.empty());
  CHECK(content.seen == std::set<std::string>{"core3.cubecore0"});
}

TEST_CASE("trace.json: what is drawn in front of an instruction and what is no event is left out") {
  std::string text = "[{\"ph\":\"X\",\"name\":\"cache_time\",\"pid\":30,\"ts\":1,\"dur\":1},"
                     "{\"ph\":\"s\",\"name\":\"flow\",\"pid\":30,\"ts\":1,\"cat\":\"VECTORToMTE3\"},"
                     "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"VECTOR\"}},"
                     "{\"ph\":\"X\",\"name\":\"HW_ADD\",\"pid\":7,\"ts\":1,\"dur\":2,\"args\":{\"x\":{\"name\":1}}}]";
  timing::TraceContent content = llvm::cantFail(readTraceText(text, "core0.veccore0"));
  REQUIRE(content.cores.size() == 1);
  REQUIRE(content.cores[0].rows.size() == 1);
  CHECK(content.cores[0].rows[0].pipe == Pipe::V);
  CHECK(content.cores[0].cycles == Approx(2000));
}

TEST_CASE("trace.json: what is wrong is said") {
  std::string text = traceText(kTraced, "core0.veccore0");
  CHECK(traceProblem(text.substr(0, text.size() / 2)).find("t.json: cut short or no JSON: line 1, column ") == 0);
  CHECK(traceProblem("{}") == "t.json: expected a list \"traceEvents\"");
  CHECK(traceProblem("{\"otherData\":{\"tool\":\"ptosync 1\"},\"traceEvents\":[]}") ==
        "t.json: is an estimate that this tool wrote itself, no profile");
  CHECK(traceProblem("[{\"ph\":\"X\",\"name\":\"BAR\",\"pid\":30,\"ts\":1,\"dur\":1}]") ==
        "t.json: event 1: expected PIPE:P of a barrier, found \"\"");
  CHECK(traceProblem("[{\"ph\":\"X\",\"name\":\"A\",\"pid\":30,\"ts\":1,\"dur\":1}]", "") ==
        "t.json: event 1: expected a core such as core0.veccore0 as \"pid\", found \"30\"");
  // A number that no integer holds.
  CHECK(traceProblem("[{\"ph\":\"X\",\"name\":\"A\",\"pid\":1e300,\"ts\":1,\"dur\":1}]", "") ==
        "t.json: event 1: expected a core such as core0.veccore0 as \"pid\", found \"1e300\"");
  CHECK(traceProblem("[{\"ph\":\"X\",\"name\":\"A\",\"pid\":18446744073709551615,\"ts\":1,\"dur\":1}]", "") ==
        "t.json: event 1: expected a core such as core0.veccore0 as \"pid\", found \"18446744073709551615\"");
}

TEST_CASE("trace.json: whatever bytes, an answer or a message") {
  std::string text = traceText(kTraced, "core0.veccore0");
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    refused += !traceProblem(mutatedText(text, seed)).empty();
  CHECK(refused > 500);
  CHECK(refused < 2000);
  for (const char *other :
       {"", "1", "\"args\"", "[[]]", "[1,[2]]", "{\"args\":{\"detail\":\"x\"}}", "null", "[{\"args\":[]}]"})
    traceProblem(other);
  CHECK(traceProblem("[{\"ph\":\"X\",\"name\":\"A\",\"pid\":30,\"ts\":1e300,\"dur\":1}]") ==
        "t.json: event 1: expected times in microseconds, the end not in front of the begin");
}
