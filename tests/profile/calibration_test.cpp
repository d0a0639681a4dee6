#include "profile/calibration.h"
#include "profile/recorded_run.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

using ptosync::timing::solveLeastSquares;

TEST_CASE("least squares: a line through points, with the error of each") {
  auto found = solveLeastSquares({{{1, 1}, 3, 1}, {{2, 1}, 5, 1}, {{5, 1}, 11, 1}}, 2);
  REQUIRE(found[0].has_value());
  CHECK(found[0]->value == Approx(2));
  CHECK(found[1]->value == Approx(1));
  CHECK(found[0]->error == Approx(0).margin(1e-9));
  auto ticks = solveLeastSquares({{{1, 1}, 3, 1}, {{2, 1}, 5, 1}, {{5, 1}, 11, 1}}, 2, 0.25);
  CHECK(ticks[0]->value == Approx(2));
  CHECK(ticks[0]->error > 0.1);
  auto noisy = solveLeastSquares({{{1, 1}, 3.2, 1}, {{2, 1}, 4.8, 1}, {{5, 1}, 11, 1}}, 2);
  CHECK(noisy[0]->value == Approx(2).margin(0.1));
  CHECK(noisy[0]->error > 0.01);
}

TEST_CASE("least squares: what only appears as a sum is not determined") {
  auto found = solveLeastSquares({{{64, 1}, 160, 1}, {{64, 1}, 160, 1}}, 2);
  CHECK_FALSE(found[0].has_value());
  CHECK_FALSE(found[1].has_value());
  // The third is known though the first two are not.
  auto partly = solveLeastSquares({{{1, 2, 0}, 10, 1}, {{2, 4, 1}, 25, 1}}, 3);
  CHECK_FALSE(partly[0].has_value());
  CHECK_FALSE(partly[1].has_value());
  REQUIRE(partly[2].has_value());
  CHECK(partly[2]->value == Approx(5));
}

TEST_CASE("least squares: unknowns of very different sizes, and none at all") {
  auto found =
      solveLeastSquares({{{4096, 1}, 4096 * 0.017 + 213.6, 1e-4}, {{16384, 1}, 16384 * 0.017 + 213.6, 1e-5}}, 2);
  REQUIRE(found[0].has_value());
  CHECK(found[0]->value == Approx(0.017));
  CHECK(found[1]->value == Approx(213.6));
  CHECK_FALSE(solveLeastSquares({}, 1)[0].has_value());
  CHECK_FALSE(solveLeastSquares({{{0}, 0, 1}}, 1)[0].has_value());
}

namespace {

timing::FittedEntry fittedIssue(const std::string &text, std::int64_t n, const timing::IssueCost &true_) {
  timing::CostTable costs =
      alteredCosts("{\"schema\":1,\"arch\":\"a3\",\"issue\":{\"sync\":" + std::to_string(true_.sync) +
                   ",\"instruction\":" + std::to_string(true_.instruction) + ",\"source\":\"t\",\"error\":\"t\"}}");
  FullRun recorded(text, n, costs), run(text, n, costsOf());
  timing::CoreProfile profile = profileOfRun(*recorded.timing);
  timing::IssueCore core{run.timing->plan(), timing::alignProfile(profile, *run.timing).calls};
  timing::takeMeasured(core);
  return timing::fitIssue({core}, costsOf().issue());
}

/// A barrier over everything brings the scalar unit to a halt: what it hands out behind it is waited for, the barrier
/// itself only behind another one.
std::string haltingKernel(const std::string &first, const std::string &second) {
  std::string body = tile("v1", "float", 1, 1024, 0) + tile("v2", "float", 1, 1024, 4096) + tensor("a", "in", "0") +
                     tensor("b", "out", "0") + "  for (int32_t i = 0; i < n; i++) {\n";
  for (const std::string &between : {first, second})
    body += "    TLOAD(v1, a);\n" + between + "    TEXP(v2, v1);\n" + between + "    TSTORE(b, v2);\n" + between;
  return vectorKernel(body + "  }\n");
}

const std::string kHalt = "    pipe_barrier(PIPE_ALL);\n";

} // namespace

TEST_CASE("issue fit: what a sync and an instruction cost shows where the pipes wait for the scalar unit") {
  timing::FittedEntry entry = fittedIssue(haltingKernel(kHalt, kHalt + kHalt + kHalt), 6, {4, 20});
  REQUIRE(entry.parameters.size() == 2);
  CHECK(entry.parameters[0].name == "instruction");
  CHECK(entry.parameters[1].name == "sync");
  CHECK(entry.parameters[0].fitted);
  CHECK(entry.parameters[1].fitted);
  CHECK(entry.parameters[0].after == Approx(4).margin(1));
  CHECK(entry.parameters[1].after == Approx(20).margin(2));
  CHECK(entry.residualBefore > 5 * entry.residualAfter);
}

TEST_CASE("issue fit: where one may stand for the other neither is known") {
  timing::FittedEntry entry = fittedIssue(haltingKernel(kHalt + kHalt, kHalt + kHalt), 6, {4, 20});
  for (const timing::FittedParameter &parameter : entry.parameters) {
    CHECK_FALSE(parameter.fitted);
    CHECK(parameter.after == parameter.before);
  }
}

TEST_CASE("issue fit: without syncs there is nothing to say of them") {
  std::string body = tile("v1", "float", 64, 64, 0) + tile("v2", "float", 64, 64, 32768) +
                     "  for (int32_t i = 0; i < n; i++) {\n    TEXP(v1, v1);\n    TEXP(v2, v2);\n  }\n";
  timing::FittedEntry entry = fittedIssue(vectorKernel(body), 6, {1, 1});
  CHECK_FALSE(entry.parameters[1].fitted);
  CHECK(entry.parameters[1].after == 1);
  CHECK(entry.reason.find("sync: other values fit as well") != std::string::npos);
}

using timing::FittedEntry;
using timing::FittedParameter;

namespace {

constexpr const char *kAltered =
    "{\"schema\":1,\"arch\":\"a3\",\"issue\":{\"sync\":12,\"instruction\":3,\"source\":\"t\",\"error\":\"t\"},"
    "\"paths\":[{\"from\":\"GM\",\"to\":\"UB\",\"bytesPerCycle\":90,\"latency\":300,\"source\":\"t\",\"error\":\"t\"},"
    "{\"from\":\"UB\",\"to\":\"GM\",\"bytesPerCycle\":40,\"latency\":150,\"source\":\"t\",\"error\":\"t\"}],"
    "\"vector\":[{\"names\":[\"TEXP\"],\"perRepeat\":3.5,\"latency\":44,\"source\":\"t\",\"error\":\"t\"},"
    "{\"names\":[\"TADD\"],\"perRepeat\":4,\"source\":\"t\",\"error\":\"t\"}]}";

struct Calibrated {
  explicit Calibrated(std::int64_t n, const std::string &text = recordedKernel())
      : recorded(text, n, alteredCosts(kAltered)), profile(profileOfRun(*recorded.timing)), run(text, n, costsOf()),
        calibration(timing::calibrate({{&profile, run.timing.get()}}, machineOf("a3"), costsOf())) {}

  const FittedEntry &entry(const std::string &name) const {
    for (const FittedEntry &each : calibration.entries)
      if (timing::entryName(each) == name)
        return each;
    throw std::runtime_error("no entry " + name);
  }
  const FittedParameter &parameter(const std::string &name, const std::string &of) const {
    for (const FittedParameter &each : entry(name).parameters)
      if (each.name == of)
        return each;
    throw std::runtime_error("no parameter " + of);
  }

  FullRun recorded;
  timing::CoreProfile profile;
  FullRun run;
  timing::Calibration calibration;
};

} // namespace

TEST_CASE("calibration: altered durations come back out of a profile made with them") {
  Calibrated of(8);
  CHECK(of.calibration.calls == 8 * 9);
  auto found = [&](const std::string &entry, const std::string &name, double wanted, double tolerance) {
    const FittedParameter &parameter = of.parameter(entry, name);
    CAPTURE(entry, name, parameter.after);
    CHECK(parameter.fitted);
    CHECK(parameter.after == Approx(wanted).epsilon(tolerance));
    CHECK(parameter.before != Approx(wanted).epsilon(tolerance));
  };
  found("GM -> UB", "bytesPerCycle", 90, 0.02);
  found("GM -> UB", "latency", 300, 0.02);
  found("UB -> GM", "bytesPerCycle", 40, 0.02);
  found("UB -> GM", "latency", 150, 0.02);
  found("TEXP", "perRepeat", 3.5, 0.02);
  found("TEXP", "latency", 44, 0.05);
  for (const char *entry : {"GM -> UB", "UB -> GM", "TEXP"}) {
    CAPTURE(entry);
    CHECK(of.entry(entry).residualAfter < 0.02);
    CHECK(of.entry(entry).residualBefore > of.entry(entry).residualAfter);
  }
}

TEST_CASE("calibration: what the profile does not determine stays, and is named") {
  Calibrated of(8);
  const FittedEntry &add = of.entry("TADD"); // one size, alone between two syncs
  for (const FittedParameter &parameter : add.parameters) {
    CHECK_FALSE(parameter.fitted);
    CHECK(parameter.after == parameter.before);
  }
  CHECK(add.reason == "perRepeat, latency: one size, never one right behind another: their sum is known alone, 88 "
                      "cycles");
  for (const FittedParameter &parameter : of.entry("scalar unit").parameters) // which is far ahead of the pipes
    CHECK_FALSE(parameter.fitted);
}

TEST_CASE("calibration: the file it writes is read as an overlay and makes the estimate agree") {
  Calibrated of(8);
  std::string text = timing::calibrationText(of.calibration, costsOf(), "a test");
  CHECK(text.find("\"source\": \"fitted to a test: 24 executions of 2 sizes\"") != std::string::npos);
  CHECK(text.find("bytesPerCycle +- ") != std::string::npos);
  CHECK(text.find("TADD") == std::string::npos);
  timing::CostTable fitted = alteredCosts(text);
  FullRun again(recordedKernel(), 8, fitted);
  double before = of.run.timing->estimate().cycles, recorded = of.profile.cycles;
  double after = again.timing->estimate().cycles;
  CHECK(std::abs(after - recorded) < 0.1 * std::abs(before - recorded));
  // Already there: nothing changes any more.
  timing::Calibration second = timing::calibrate({{&of.profile, again.timing.get()}}, machineOf("a3"), fitted);
  for (const FittedEntry &entry : second.entries)
    CHECK(entry.residualBefore <= entry.residualAfter + 0.005);
}

TEST_CASE("calibration: a formula that would be negative is not taken") {
  FullRun run(recordedKernel(), 4, costsOf());
  timing::CoreProfile profile = profileOfRun(*run.timing);
  for (timing::ProfileEvent &event : profile.events) // the larger loads take no longer than a few cycles
    if (profile.rows[event.row].name == "HW_TLOAD" && event.end - event.start > 400)
      event.end = event.start + 30;
  timing::Calibration calibration = timing::calibrate({{&profile, run.timing.get()}}, machineOf("a3"), costsOf());
  bool seen = false;
  for (const FittedEntry &entry : calibration.entries)
    if (timing::entryName(entry) == "GM -> UB") {
      seen = true;
      for (const FittedParameter &parameter : entry.parameters)
        CHECK_FALSE(parameter.fitted);
      CHECK(entry.reason == "all its numbers: the best fit is negative, so the formula is another one");
    }
  CHECK(seen);
}

TEST_CASE("calibration: numbers that fit already stay") {
  FullRun run(recordedKernel(), 4, costsOf());
  timing::CoreProfile profile = profileOfRun(*run.timing);
  timing::Calibration calibration = timing::calibrate({{&profile, run.timing.get()}}, machineOf("a3"), costsOf());
  CHECK_FALSE(calibration.anything());
  CHECK(calibration.entries.front().reason == "all its numbers: those of the table fit as well");
}

TEST_CASE("calibration: of every kernel of the corpus what is fitted is what was altered") {
  timing::CostTable altered = alteredCosts(
      "{\"schema\":1,\"arch\":\"a3\",\"matrix\":{\"fixed\":25,\"perTile\":3,\"source\":\"t\",\"error\":\"t\"},"
      "\"paths\":["
      "{\"from\":\"GM\",\"to\":\"UB\",\"bytesPerCycle\":90,\"latency\":300,\"source\":\"t\",\"error\":\"t\"},"
      "{\"from\":\"UB\",\"to\":\"GM\",\"bytesPerCycle\":40,\"latency\":150,\"source\":\"t\",\"error\":\"t\"},"
      "{\"from\":\"GM\",\"to\":\"L1\",\"bytesPerCycle\":50,\"latency\":200,\"source\":\"t\",\"error\":\"t\"},"
      "{\"from\":\"L1\",\"to\":\"L0A\",\"bytesPerCycle\":100,\"latency\":30,\"source\":\"t\",\"error\":\"t\"}],"
      "\"vector\":[{\"names\":[\"TEXP\",\"TADD\",\"TMUL\",\"TCVT\"],\"perRepeat\":3.5,\"latency\":44,\"source\":\"t\","
      "\"error\":\"t\"}]}");
  std::size_t fitted = 0;
  for (const std::string &folder : corpusFolders()) {
    Module module = lift(readText(corpusPath(folder + "/kernel.cpp")));
    replay::Options options;
    for (const Kernel &kernel : module.kernels) {
      if (!kernel.analysable)
        continue;
      replay::Inputs inputs = timing::timeCores({&kernel}, machineOf("a3"), options, costsOf()).front().inputs();
      auto run = [&](const timing::CostTable &costs) {
        return timing::KernelTiming(std::make_unique<replay::Subject>(kernel, machineOf("a3"), options), inputs,
                                    machineOf("a3"), options, costs, replay::Skipping::Forbidden);
      };
      timing::KernelTiming recorded = run(altered), estimated = run(costsOf());
      if (!recorded.works() || recorded.trace().ending != replay::Ending::Returned || recordRun(recorded).empty())
        continue;
      timing::CoreProfile profile = profileOfRun(recorded);
      for (const FittedEntry &entry : timing::calibrate({{&profile, &estimated}}, machineOf("a3"), costsOf()).entries) {
        CAPTURE(folder, kernel.name, timing::entryName(entry), entry.executions, entry.sizes);
        CHECK(entry.residualAfter <= entry.residualBefore + 1e-9);
        for (const FittedParameter &parameter : entry.parameters) {
          if (!parameter.fitted || entry.shape.group == timing::CostShape::Group::Other)
            continue;
          ++fitted;
          double wanted = 0;
          if (entry.shape.group == timing::CostShape::Group::Path) {
            const timing::PathCost &path = altered.path(entry.shape.from, entry.shape.to);
            wanted = parameter.name == "latency" ? path.latency : path.bytesPerCycle;
          } else if (entry.shape.group == timing::CostShape::Group::Matrix) {
            const timing::MatrixCost &matrix = altered.matrix();
            wanted = parameter.name == "fixed"     ? matrix.fixed
                     : parameter.name == "perTile" ? matrix.perTile
                                                   : matrix.perTileFloat;
          } else {
            const timing::VectorCost &vector = altered.vectorCost(entry.shape.name);
            wanted = parameter.name == "latency"  ? vector.latency
                     : parameter.name == "perRow" ? vector.perRow
                     : parameter.name == "fixed"  ? vector.fixed
                                                  : vector.perRepeat;
          }
          CAPTURE(parameter.name, parameter.before, parameter.error);
          CHECK(std::abs(parameter.after - wanted) <= std::max({4 * parameter.error, 0.05 * wanted, 1.0}));
        }
      }
    }
  }
  CHECK(fitted > 100);
}
