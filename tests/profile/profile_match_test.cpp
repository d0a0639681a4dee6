#include "profile/profile_match.h"

#include "profile/recorded_run.h"

using namespace ptosync;
using namespace ptosync::test;
using timing::ProfileKind;

namespace {

timing::ProfileRow *rowNamed(timing::CoreProfile &profile, const std::string &name) {
  for (timing::ProfileRow &row : profile.rows)
    if (row.name == name)
      return &row;
  return nullptr;
}

} // namespace

TEST_CASE("profile match: a run fits its own profile, iterations counted or run") {
  FullRun recorded(recordedKernel(), 40, costsOf()), skipped(recordedKernel(), 40, costsOf(), true);
  REQUIRE(skipped.timing->plan().extrapolated);
  timing::CoreProfile profile = profileOfRun(*recorded.timing);
  CHECK(timing::syncDifferences(profile, *recorded.timing).empty());
  CHECK(timing::syncDifferences(profile, *skipped.timing).empty());
}

TEST_CASE("profile match: another trip count, another id, another pair differ") {
  FullRun recorded(recordedKernel(), 4, costsOf()), longer(recordedKernel(), 5, costsOf());
  timing::CoreProfile profile = profileOfRun(*recorded.timing);
  std::vector<timing::SyncDifference> differences = timing::syncDifferences(profile, *longer.timing);
  REQUIRE(differences.size() == 6);
  CHECK(timing::syncText(differences[0].sync) == "set_flag(PIPE_V, PIPE_MTE3, 0)");
  CHECK(differences[0].profile == 4);
  CHECK(differences[0].run == 5);
  timing::CoreProfile other = profile;
  for (timing::ProfileRow &row : other.rows)
    if (row.kind == ProfileKind::Set && row.source == Pipe::V)
      row.id = 3;
  CHECK(timing::syncDifferences(other, *recorded.timing).size() == 2);
  other = profile;
  for (timing::ProfileRow &row : other.rows)
    row.id.reset(); // as in a csv
  CHECK(timing::syncDifferences(other, *recorded.timing).empty());
  other.rows.push_back({ProfileKind::Set, Pipe::V, "VECTOR", "SET_FLAG", Pipe::V, Pipe::MTE2, 0, 1, 1});
  CHECK(timing::syncDifferences(other, *recorded.timing).size() == 1);
  other.rows.back().destination = Pipe::S; // the compiler's
  CHECK(timing::syncDifferences(other, *recorded.timing).empty());
}

TEST_CASE("profile match: a profile without flags is told from one that differs") {
  timing::CoreProfile profile;
  profile.rows.push_back({ProfileKind::Work, Pipe::V, "VECTOR", "HW", Pipe::S, Pipe::S, std::nullopt, 1, 10});
  CHECK(timing::hasNoFlags(profile));
  FullRun run(recordedKernel(), 2, costsOf());
  CHECK_FALSE(timing::syncDifferences(profile, *run.timing).empty());
}

TEST_CASE("profile match: the argument is found by the number of flags") {
  FullRun recorded(recordedKernel(), 37, costsOf());
  timing::CoreProfile profile = profileOfRun(*recorded.timing);
  Module module = lift(recordedKernel());
  std::optional<replay::Inputs> inputs =
      timing::findRun({{&module.kernels[0], &profile}}, machineOf("a3"), replay::Options{}, costsOf());
  REQUIRE(inputs.has_value());
  CHECK(inputs->arguments.at(2) == 37);
  rowNamed(profile, "SET_FLAG")->count += 1;
  CHECK_FALSE(timing::findRun({{&module.kernels[0], &profile}}, machineOf("a3"), replay::Options{}, costsOf()));
}

TEST_CASE("profile match: a profile out of the engine agrees with the estimate") {
  FullRun run(recordedKernel(), 6, costsOf());
  timing::CoreProfile profile = profileOfRun(*run.timing);
  timing::ProfileComparison comparison = timing::compareProfile(profile, *run.timing);
  CHECK(profile.cycles == Approx(comparison.estimateCycles).epsilon(0.01));
  REQUIRE(comparison.pipes.size() == 3);
  for (const timing::PipeComparison &pipe : comparison.pipes) {
    CAPTURE(pipeName(pipe.pipe));
    CHECK(pipe.work.profileCount == pipe.work.estimateCount);
    CHECK(pipe.work.profileCycles == Approx(pipe.work.estimateCycles).epsilon(0.02));
    CHECK(pipe.profileBusy == Approx(pipe.estimateBusy).epsilon(0.02));
    CHECK(pipe.estimateBusy < pipe.work.estimateCycles); // some overlap
  }
  bool waits = false;
  for (const timing::SyncComparisonRow &row : comparison.syncs) {
    CAPTURE(timing::syncText(row.sync));
    CHECK(row.figures.profileCount == row.figures.estimateCount);
    CHECK(row.costKnown);
    waits |= row.sync.kind == ProfileKind::Wait && row.figures.profileCycles > 500;
    if (row.figures.estimateCycles > 100)
      CHECK(row.figures.profileCycles == Approx(row.figures.estimateCycles).epsilon(0.05));
  }
  CHECK(waits);
}
