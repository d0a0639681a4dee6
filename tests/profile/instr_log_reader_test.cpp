#include "profile/instr_log_reader.h"

#include "profile/recorded_run.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

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
