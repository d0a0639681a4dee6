// Folders that are no simulator run, and files that cannot be read: through the binary.
#include "profile/recorded_run.h"
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string profileError(const Workshop &workshop) {
  Run run = workshop.ptosync("timeline k.cpp --profile=run");
  CHECK(run.exitCode == 2);
  CHECK(run.out.empty());
  return run.err;
}

} // namespace

TEST_CASE("profile files: what a folder holds instead is said") {
  Workshop workshop;
  workshop.write("k.cpp", recordedKernel());
  std::filesystem::create_directories(workshop.path("run/x"));
  CHECK(contains(profileError(workshop), "run: has no profile in it; expected the folder of a simulator run"));
  workshop.write("run/x/PipeUtilization_20260101.csv", "a\n");
  CHECK(contains(profileError(workshop), "is of a run on a board, which has sums over whole pipes"));
  workshop.write("run/x/some_instr_exe_1.csv", "a\n");
  CHECK(contains(profileError(workshop), "it is not known of which core this is: expected core0.veccore0"));
  std::filesystem::remove(workshop.path("run/x/some_instr_exe_1.csv"));
  workshop.write("run/x/core0.veccore0.instr_log.dump.1", "a\n");
  CHECK(contains(profileError(workshop), "a log in several parts is not read"));
}

TEST_CASE("profile files: a file that is too large is refused without reading it") {
  Workshop workshop;
  workshop.write("k.cpp", recordedKernel());
  std::filesystem::create_directories(workshop.path("run"));
  workshop.write("run/trace.json", "[]");
  std::filesystem::resize_file(workshop.path("run/trace.json"), (std::uintmax_t(4) << 30) + 1); // takes no room
  CHECK(contains(profileError(workshop), "run/trace.json: is larger than 4 GiB"));
}

TEST_CASE("profile files: the later of two recordings is taken") {
  Workshop workshop;
  workshop.write("k.cpp", recordedKernel());
  std::filesystem::create_directories(workshop.path("run/core0.veccore0"));
  FullRun run(recordedKernel(), 12, costsOf());
  workshop.write("run/core0.veccore0/core0.veccore0_instr_exe_20260101000000001.csv", "broken\n");
  workshop.write("run/core0.veccore0/core0.veccore0_instr_exe_20260101000000002.csv", csvText(recordRun(*run.timing)));
  CHECK(workshop.ptosync("timeline k.cpp --profile=run").exitCode == 0);
}
