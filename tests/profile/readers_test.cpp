#include "profile/readers.h"
#include "profile/recorded_run.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

using ptosync::timing::LineReader;

TEST_CASE("line reader: lines, with and without an end") {
  std::istringstream stream("one\r\n\nthree");
  LineReader lines(stream, "f");
  std::string_view line;
  REQUIRE(lines.next(line));
  CHECK(line == "one");
  REQUIRE(lines.next(line));
  CHECK(line.empty());
  CHECK(lines.complete());
  REQUIRE(lines.next(line));
  CHECK(line == "three");
  CHECK(lines.number() == 3);
  CHECK_FALSE(lines.complete());
  CHECK_FALSE(lines.next(line));
  CHECK_FALSE(lines.tooLong());
}

TEST_CASE("line reader: many more bytes than it holds") {
  std::string text;
  for (int i = 0; i < 50000; ++i)
    text += "line " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 90), 'x') + "\n";
  std::istringstream stream(text);
  LineReader lines(stream, "f");
  std::string_view line;
  int count = 0;
  while (lines.next(line)) {
    if (line != "line " + std::to_string(count) + std::string(static_cast<std::size_t>(count % 90), 'x'))
      break;
    ++count;
  }
  CHECK(count == 50000);
}

TEST_CASE("line reader: a line that does not end") {
  std::istringstream stream("short\n" + std::string(10 * LineReader::kLongestLine, 'x'));
  LineReader lines(stream, "f");
  std::string_view line;
  CHECK(lines.next(line));
  CHECK_FALSE(lines.next(line));
  CHECK(lines.tooLong());
  CHECK(lines.number() == 2);
  CHECK(llvm::toString(lines.error(LineReader::tooLongText())) == "f:2: expected lines of at most 65536 bytes");
}

namespace {

llvm::Expected<timing::CoreProfile> readCsv(const std::string &text) {
  std::istringstream stream(text);
  static const timing::ProfileNames names = llvm::cantFail(timing::ProfileNames::builtIn());
  return timing::readInstrExe(stream, "f.csv", "core0.veccore0", names);
}

std::string csvProblem(const std::string &text) {
  llvm::Expected<timing::CoreProfile> profile = readCsv(text);
  return profile ? "" : llvm::toString(profile.takeError());
}

const std::string kHead = "instr,addr,pipe,call_count,cycles,running_time(us),detail\n";

} // namespace

TEST_CASE("instr_exe: rows of one kind are added up, ids left out") {
  timing::CoreProfile profile =
      llvm::cantFail(readCsv("\xef\xbb\xbf" + kHead +
                             "HW_ADD,16,VECTOR,4,400,0.2,\"a, \"\"b\"\"\"\r\n"
                             "HW_ADD,20,VECTOR,1,50,0.1,\n"
                             "SET_FLAG,24,MTE2,4,8,0.1,\"PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:1,\"\n"
                             "SET_FLAG,28,MTE2,4,8,0.1,\"PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:0,\"\n"));
  REQUIRE(profile.rows.size() == 2);
  CHECK(profile.rows[0].name == "HW_ADD");
  CHECK(profile.rows[0].count == 5);
  CHECK(profile.rows[0].cycles == 450);
  CHECK(profile.rows[1].kind == timing::ProfileKind::Set);
  CHECK(profile.rows[1].count == 8);
  CHECK_FALSE(profile.rows[1].id.has_value());
  CHECK_FALSE(profile.timed());
  CHECK(profile.knowsCost(timing::ProfileKind::Barrier));
}

TEST_CASE("instr_exe: what is wrong is said with its line") {
  CHECK(csvProblem("") == "f.csv:1: expected the columns instr,addr,pipe,call_count,cycles,running_time(us),detail, "
                          "found nothing");
  CHECK(csvProblem("code,call_count,cycles\n").find("f.csv:1: expected a column 'instr'") == 0);
  CHECK(csvProblem(kHead + "HW_ADD,16,VECTOR,4\n") == "f.csv:2: expected 7 columns as in the first line, found 4");
  CHECK(csvProblem(kHead + "HW_ADD,16,VEC") ==
        "f.csv:2: expected 7 columns as in the first line, found 3: the file is cut short here; record it again");
  CHECK(csvProblem(kHead + "HW_ADD,16,VECTOR,4,9,0.1,\"a").find("a quote that is not closed") != std::string::npos);
  CHECK(csvProblem(kHead + "HW_ADD,16,VECTOR,four,9,0.1,\n").find("f.csv:2: expected numbers in 'call_count'") == 0);
  CHECK(csvProblem(kHead + "HW_ADD,16,VECTOR,-4,9,0.1,\n").find("f.csv:2: expected numbers in 'call_count'") == 0);
  CHECK(csvProblem(kHead + "WAIT_FLAG,16,VECTOR,4,9,0.1,\n").find("f.csv:2: expected PIPE:P, TRIGGER PIPE:Q") == 0);
}

TEST_CASE("instr_exe: whatever bytes, an answer or a message") {
  std::string text = kHead + "HW_ADD,16,VECTOR,4,400,0.2,\"a, b\"\n"
                             "SET_FLAG,24,MTE2,4,8,0.1,\"PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:1,\"\n";
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    refused += !csvProblem(test::mutatedText(text, seed)).empty();
  CHECK(refused > 500);
  CHECK(refused < 2000);
}

namespace {

llvm::Expected<timing::CoreProfile> readLogs(const std::string &starts, const std::string &ends) {
  std::istringstream first(starts), second(ends);
  static const timing::ProfileNames names = llvm::cantFail(timing::ProfileNames::builtIn());
  return timing::readInstrLogs(first, "s.dump", second, "e.dump", "core0.veccore0", names);
}

std::string logProblem(const std::string &starts, const std::string &ends) {
  llvm::Expected<timing::CoreProfile> profile = readLogs(starts, ends);
  return profile ? "" : llvm::toString(profile.takeError());
}

const std::vector<RecordedInstruction> kRecorded = {
    {"MTE2", "HW_LOAD", "x", 0x100, 10, 110},
    {"MTE2", "HW_LOAD", "x", 0x100, 60, 160}, // overlaps with the first
    {"VECTOR", "WAIT_FLAG", "PIPE:MTE2, TRIGGER PIPE:VEC, FLAG ID:0,", 0x104, 12, 160},
    {"VECTOR", "HW_ADD", "y", 0x108, 160, 200},
};

} // namespace

TEST_CASE("raw logs: starts and ends of a place belong together in order") {
  timing::CoreProfile profile = llvm::cantFail(readLogs(logText(kRecorded, false), logText(kRecorded, true)));
  REQUIRE(profile.rows.size() == 3);
  CHECK(profile.rows[0].name == "HW_LOAD");
  CHECK(profile.rows[0].count == 2);
  CHECK(profile.rows[0].cycles == 200);
  CHECK(profile.rows[2].kind == timing::ProfileKind::Wait);
  CHECK(profile.rows[2].cycles == 148);
  CHECK(profile.cycles == 190);
  CHECK(profile.busy[index(Pipe::MTE2)] == 150);
  CHECK(profile.busy[index(Pipe::V)] == 40);
  REQUIRE(profile.events.size() == 4);
  CHECK(profile.events[0].start == 0);
  CHECK(profile.events[1].end == 150);
}

TEST_CASE("raw logs: IDs, other lines and instructions in parts") {
  timing::CoreProfile profile = llvm::cantFail(readLogs("simulator ready\n"
                                                        "[info] [00000010] (PC: 0x40) VECTOR : (ID: 000002) HW_A d\n"
                                                        "[info] [00000011] (PC: 0x40) VECTOR : (ID: 000003) HW_A d\n"
                                                        "[info] [00000020] (PC: 0x44) MTE2 : HW_B\n",
                                                        "[info] [00000015] (PC: 0x40) VECTOR : (ID: 000003) HW_A d\n"
                                                        "[info] [00000018] (PC: 0x40) VECTOR : (ID: 000002) HW_A d\n"
                                                        "[info] [00000030] (PC: 0x44) MTE2 : HW_B\n"
                                                        "[info] [00000036] (PC: 0x44) MTE2 : HW_B\n"));
  REQUIRE(profile.events.size() == 3);
  CHECK(profile.events[0].end == 8);
  CHECK(profile.events[1].end == 5);
  CHECK(profile.events[2].end == 20);
}

TEST_CASE("raw logs: what is cut short names file, line and what was expected") {
  std::string starts = logText(kRecorded, false), ends = logText(kRecorded, true);
  auto firstLines = [](const std::string &text, int count) {
    std::size_t at = 0;
    for (int i = 0; i < count; ++i)
      at = text.find('\n', at) + 1;
    return text.substr(0, at);
  };
  CHECK(logProblem(starts, firstLines(ends, 3)) ==
        "e.dump:3: the log is cut short behind this line: expected the end of the instruction at PC 0x108, which "
        "started at tick 160; record it again");
  CHECK(logProblem(firstLines(starts, 3), ends)
            .find("e.dump:4: the instruction at PC 0x108 ends and has not started: "
                  "expected its start in the other log") == 0);
  std::string middle = starts.substr(0, starts.size() - 20);
  CHECK(logProblem(middle, ends).find("s.dump:4: expected [info] [TICK] (PC: 0xADDRESS) PIPE") == 0);
  CHECK(logProblem(middle, ends).find("the file is cut short here; record it again") != std::string::npos);
  CHECK(logProblem("", ends).find("s.dump:1: expected lines of the form [info] [TICK]") == 0);
  CHECK(logProblem(starts, "nothing\n").find("e.dump:1: expected lines of the form") == 0);
  CHECK(logProblem("[info] [x] (PC: 0x10) VECTOR : HW\n", ends).find("s.dump:1: expected [info] [TICK]") == 0);
  CHECK(logProblem("[info] [00000001] (PC: 0x10) VECTOR : SET_FLAG\n", ends).find("s.dump:1: expected PIPE:P") == 0);
}

TEST_CASE("raw logs: what the scalar unit starts may lack its end") {
  std::vector<RecordedInstruction> scalar = kRecorded;
  scalar.push_back({"SCALAR", "END", "", 0x200, 300, 300});
  CHECK(logProblem(logText(scalar, false), logText(kRecorded, true)) == "");
}

TEST_CASE("raw logs: an end in front of its start") {
  CHECK(logProblem("[info] [00000050] (PC: 0x40) VECTOR : HW_A\n[info] [00000010] (PC: 0x44) VECTOR : HW_A\n",
                   "[info] [00000060] (PC: 0x44) VECTOR : HW_A\n[info] [00000030] (PC: 0x40) VECTOR : HW_A\n") ==
        "e.dump:2: the instruction at PC 0x40 ends before it started at tick 50: expected lines in the order of their "
        "ticks");
}

TEST_CASE("raw logs: whatever bytes, an answer or a message") {
  std::string starts = logText(kRecorded, false), ends = logText(kRecorded, true);
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    refused +=
        !logProblem(seed % 2 ? mutatedText(starts, seed) : starts, seed % 2 ? ends : mutatedText(ends, seed)).empty();
  CHECK(refused > 500);
  CHECK(refused < 2000);
}

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
