// `timeline --profile` and `--calibrate`, as a user calls them.
#include "profile/recorded_run.h"
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// A folder with a recorded run of k.cpp, 12 iterations.
struct RecordedWorkshop : Workshop {
  explicit RecordedWorkshop(std::int64_t n = 12, const timing::CostTable &costs = costsOf())
      : run(recordedKernel(), n, costs), lines(recordRun(*run.timing)) {
    write("k.cpp", recordedKernel());
    std::filesystem::create_directories(path("run/dump"));
    std::filesystem::create_directories(path("run/simulator/core0.veccore0"));
  }
  void writeLogs(const std::string &core = "core0.veccore0") const {
    write("run/dump/" + core + ".instr_popped_log.dump", logText(lines, false));
    write("run/dump/" + core + ".instr_log.dump", logText(lines, true));
  }
  void writeCsv() const {
    write("run/simulator/core0.veccore0/core0.veccore0_instr_exe_20260101120000123.csv", csvText(lines));
  }

  FullRun run;
  std::vector<RecordedInstruction> lines;
};

/// The built-in durations with other loads, and with these instructions beside.
timing::CostTable costsWithLoads(const std::string &vector = "") {
  return alteredCosts("{\"schema\":1,\"arch\":\"a3\",\"paths\":[{\"from\":\"GM\",\"to\":\"UB\",\"bytesPerCycle\":80,"
                      "\"latency\":260,\"source\":\"t\",\"error\":\"t\"}]" +
                      vector + "}");
}

} // namespace

TEST_CASE("profile: raw logs beside the estimate, the run found by the flags") {
  RecordedWorkshop workshop;
  workshop.writeLogs();
  Run run = workshop.ptosync("timeline k.cpp --profile=run");
  INFO(run.out << run.err);
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "run with n=12, found by the profile's flags"));
  CHECK(contains(run.out, "profile: core0.veccore0, raw logs run/dump/core0.veccore0.instr_popped_log.dump"));
  CHECK(contains(run.out, "HW_TEXP 36, HW_TADD 12 / TEXP 36, TADD 12"));
  CHECK(contains(run.out, "wait_flag(PIPE_MTE2, PIPE_V)"));
  Run given = workshop.ptosync("timeline k.cpp --profile=run --arg n=12");
  CHECK(contains(given.out, "run with n=12\n"));
}

TEST_CASE("profile: csv and trace.json say what they do not hold") {
  RecordedWorkshop workshop;
  workshop.writeCsv();
  Run csv = workshop.ptosync("timeline k.cpp --profile=run");
  CHECK(csv.exitCode == 0);
  CHECK(contains(csv.out, "an instr_exe csv has sums and no times"));
  CHECK(contains(csv.out, "no total in the profile"));
  RecordedWorkshop traced;
  traced.write("run/simulator/core0.veccore0/trace.json", traceText(traced.lines, ""));
  Run run = traced.ptosync("timeline k.cpp --profile=run/simulator");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "a trace.json holds of each barrier and set_flag its last cycle alone"));
  for (const std::string &line : linesOf(run.out))
    if (contains(line, "  set_flag(") || contains(line, "  pipe_barrier("))
      CHECK(contains(line, "  -  "));
  RecordedWorkshop joint;
  joint.write("run/simulator/trace.json", traceText(joint.lines, "core0.veccore0"));
  CHECK(joint.ptosync("timeline k.cpp --profile=run").exitCode == 0);
}

TEST_CASE("profile: of the trace of all cores one of each kind is read") {
  RecordedWorkshop workshop;
  std::string events;
  for (const char *core : {"core0.cubecore0", "core10.veccore0", "core2.veccore1"}) {
    std::string text = traceText(workshop.lines, core);
    std::size_t begin = text.find('[') + 1;
    events += (events.empty() ? "" : ",") + text.substr(begin, text.rfind(']') - begin);
  }
  workshop.write("run/simulator/trace.json", "{\"traceEvents\":[" + events + "]}");
  Run run = workshop.ptosync("timeline k.cpp --profile=run --trace=t.json");
  INFO(run.out << run.err);
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "profile: core2.veccore1, trace.json run/simulator/trace.json"));
  CHECK(contains(run.out, "other cores of its kind, with --profile-core: core10.veccore0"));
  std::map<std::string, std::size_t> drawn;
  nlohmann::json written = nlohmann::json::parse(workshop.read("t.json"))["traceEvents"];
  for (const nlohmann::json &event : written)
    ++drawn[event["pid"]];
  CHECK(drawn["profile core0.cubecore0"] == workshop.lines.size());
  CHECK(drawn["profile core2.veccore1"] == workshop.lines.size());
  CHECK(drawn.count("profile core10.veccore0") == 0);
}

TEST_CASE("profile: its executions are tracks of the trace") {
  RecordedWorkshop workshop;
  workshop.writeCsv();
  workshop.write("run/simulator/core0.veccore0/trace.json", traceText(workshop.lines, ""));
  Run run = workshop.ptosync("timeline k.cpp --profile=run --trace=t.json");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "instr_exe csv"));
  std::size_t drawn = 0, cut = 0;
  nlohmann::json events = nlohmann::json::parse(workshop.read("t.json"))["traceEvents"];
  for (const nlohmann::json &event : events)
    if (event["pid"] == "profile core0.veccore0") {
      ++drawn;
      cut += event["args"].contains("note");
    }
  CHECK(drawn == workshop.lines.size());
  CHECK(cut == 12 * 4 + 2);
}

TEST_CASE("profile: another kernel's is refused, and it is said what differs and what to do") {
  RecordedWorkshop workshop;
  workshop.writeLogs();
  workshop.write("other.cpp", sampleKernel());
  auto refused = [&](const std::string &arguments, const std::string &message) {
    std::string before = workshop.listing();
    Run run = workshop.ptosync("timeline " + arguments);
    CAPTURE(arguments, run.err);
    CHECK(run.exitCode == 2);
    CHECK(run.out.empty());
    CHECK(contains(run.err, message));
    CHECK(workshop.listing() == before);
  };
  refused("other.cpp --profile=run --trace=t.json", "core0.veccore0 is not of k");
  refused("other.cpp --profile=run", "              12           0  set_flag(PIPE_V, PIPE_MTE3, 0)");
  refused("k.cpp --profile=run --arg n=9", "              12           9  set_flag(PIPE_V, PIPE_MTE3, 0)");
  refused("k.cpp --profile=run --arg n=9", "give the recorded arguments with --arg NAME=VALUE (n)");
  refused("k.cpp --profile=run --profile-core=core0.veccore1", "no such core; did you mean 'core0.veccore0'?");
  refused("k.cpp --profile=none", "none: no such folder; expected the folder of a simulator run");
  refused("k.cpp --profile=k.cpp", "k.cpp: is no folder");
  refused("k.cpp --profile-core=core0.veccore0", "are for --profile=FOLDER");
}

TEST_CASE("profile: the core is chosen, the others are named") {
  RecordedWorkshop workshop;
  workshop.writeLogs("core10.veccore0");
  workshop.writeLogs("core2.veccore0");
  Run run = workshop.ptosync("timeline k.cpp --profile=run");
  CHECK(contains(run.out, "profile: core2.veccore0, raw logs"));
  CHECK(contains(run.out, "other cores of its kind, with --profile-core: core10.veccore0"));
  CHECK(contains(workshop.ptosync("timeline k.cpp --profile=run --profile-core=core10.veccore0").out,
                 "profile: core10.veccore0, raw logs"));
}

TEST_CASE("profile: what is cut short names file and line") {
  RecordedWorkshop workshop;
  workshop.writeLogs();
  std::string ends = workshop.read("run/dump/core0.veccore0.instr_log.dump");
  workshop.write("run/dump/core0.veccore0.instr_log.dump", ends.substr(0, ends.size() / 2));
  Run run = workshop.ptosync("timeline k.cpp --profile=run");
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, "run/dump/core0.veccore0.instr_log.dump:"));
  CHECK(contains(run.err, "the file is cut short here; record it again"));
  std::filesystem::remove(workshop.path("run/dump/core0.veccore0.instr_log.dump"));
  CHECK(contains(workshop.ptosync("timeline k.cpp --profile=run").err, "is one of two: expected"));
}

TEST_CASE("calibrate: what was altered in the recording comes back, and the estimate with it agrees") {
  RecordedWorkshop workshop(12, costsWithLoads(",\"vector\":[{\"names\":[\"TEXP\"],\"perRepeat\":5,\"latency\":40,"
                                               "\"source\":\"t\",\"error\":\"t\"}]"));
  workshop.writeLogs();
  Run fitted = workshop.ptosync("timeline k.cpp --profile=run --calibrate=f.json");
  INFO(fitted.out << fitted.err);
  REQUIRE(fitted.exitCode == 0);
  CHECK(contains(fitted.out, "calibration: 108 calls with their instructions, 0 of which it is not known"));
  CHECK(contains(fitted.out, "    stays: perRepeat, latency: one size"));
  nlohmann::json file = nlohmann::json::parse(workshop.read("f.json"));
  CHECK(file["paths"][0]["bytesPerCycle"].get<double>() == Approx(80).epsilon(0.02));
  CHECK(file["vector"][0]["perRepeat"].get<double>() == Approx(5).epsilon(0.02));
  CHECK(contains(file["source"].get<std::string>(), "core0.veccore0 of k with n=12"));
  Run with = workshop.ptosync("timeline k.cpp --profile=run --timing=f.json");
  CHECK(contains(with.out, "(1.00), run with n=12"));
  CHECK_FALSE(contains(workshop.ptosync("timeline k.cpp --profile=run").out, "(1.00), run with n=12"));
  for (const char *command : {"opt k.cpp --dry-run --cost", "compare k.cpp k.cpp", "timeline k.cpp"}) {
    CAPTURE(command);
    Run plain = workshop.ptosync(command), timed = workshop.ptosync(std::string(command) + " --timing=f.json");
    CHECK(timed.exitCode == plain.exitCode);
    CHECK(timed.out != plain.out);
    CHECK(contains(timed.out, "f.json"));
  }
}

TEST_CASE("calibrate: from a csv what its means determine") {
  RecordedWorkshop workshop(12, costsWithLoads());
  workshop.writeCsv();
  Run fitted = workshop.ptosync("timeline k.cpp --profile=run --calibrate=f.json");
  INFO(fitted.out << fitted.err);
  REQUIRE(fitted.exitCode == 0);
  nlohmann::json file = nlohmann::json::parse(workshop.read("f.json"));
  CHECK(file["paths"][0]["bytesPerCycle"].get<double>() == Approx(80).epsilon(0.02));
  CHECK(file["paths"][0]["latency"].get<double>() == Approx(260).epsilon(0.02));
  CHECK_FALSE(file.contains("issue"));
}

TEST_CASE("calibrate: not from a trace.json or without a profile; nothing is written over an input") {
  RecordedWorkshop workshop;
  workshop.write("run/simulator/core0.veccore0/trace.json", traceText(workshop.lines, ""));
  auto refused = [&](const std::string &arguments, const std::string &message) {
    Run run = workshop.ptosync(arguments);
    CAPTURE(arguments, run.err);
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, message));
    CHECK(workshop.listing() == "k.cpp run");
  };
  refused("timeline k.cpp --profile=run --calibrate=f.json", "--calibrate does not go by a trace.json");
  refused("timeline k.cpp --calibrate=f.json", "are for --profile=FOLDER");
  refused("timeline k.cpp --profile=run --calibrate=k.cpp", "is an input of this run");
  refused("timeline k.cpp --profile=run --calibrate=f.json --trace=f.json", "two outputs have the name f.json");
  refused("opt k.cpp --dry-run --timing=f.json", "--timing is for what is estimated");
  refused("timeline k.cpp --timing=none.json", "none.json");
  refused("timeline k.cpp --timing=k.cpp", "k.cpp:1: malformed JSON");
}
