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

TEST_CASE("alignment: every call of a run out of the engine, with its own times") {
  FullRun run(recordedKernel(), 3, costsOf());
  timing::CoreProfile profile = profileOfRun(*run.timing);
  timing::Alignment alignment = timing::alignProfile(profile, *run.timing);
  CHECK(alignment.unmatched == 0);
  CHECK(alignment.disordered.empty());
  REQUIRE(alignment.calls.size() == 3 * 9);
  std::size_t distances = 0;
  for (const timing::AlignedCall &call : alignment.calls) {
    const timing::Operation &operation = run.timing->plan().operations[call.operation];
    CHECK(call.end - call.start == Approx(operation.throughput + operation.latency).margin(1));
    if (call.distance) {
      ++distances;
      CHECK(*call.distance == Approx(operation.throughput).margin(1));
    }
  }
  CHECK(distances == 3 * 5);
}

TEST_CASE("alignment: one call of several instructions, barriers inside calls, registers") {
  FullRun run(recordedKernel(), 1, costsOf());
  std::vector<RecordedInstruction> lines = recordRun(*run.timing), changed;
  for (RecordedInstruction line : lines) {
    if (line.name == "HW_TADD") { // in two halves, a barrier between them
      RecordedInstruction second = line;
      std::uint64_t middle = (line.start + line.end) / 2;
      line.end = second.start = middle;
      second.address = 0x900;
      changed.push_back(line);
      changed.push_back({"VECTOR", "BAR", "PIPE:VEC", 0x904, middle, middle});
      changed.push_back(second);
      continue;
    }
    if (line.name == "HW_TLOAD") { // behind which it is not known any more
      changed.push_back({"MTE2", "MOV_SPR_XN", "", line.address + 0x1000, line.start, line.start});
      changed.push_back({"MTE2", "HW_EXTRA", "", line.address + 0x2000, line.start, line.start + 1});
    }
    changed.push_back(line);
  }
  std::istringstream starts(logText(changed, false)), ends(logText(changed, true));
  timing::CoreProfile profile = llvm::cantFail(
      timing::readInstrLogs(starts, "s", ends, "e", "core0.veccore0", llvm::cantFail(timing::ProfileNames::builtIn())));
  timing::Alignment alignment = timing::alignProfile(profile, *run.timing);
  // Three loads with six instructions between two flags, and the vector calls that a barrier no longer parts.
  CHECK(alignment.unmatched == 3 + 4);
  CHECK(alignment.calls.size() == 2);
}

TEST_CASE("alignment: syncs in another order are not guessed at") {
  FullRun run(recordedKernel(), 2, costsOf());
  timing::CoreProfile profile = profileOfRun(*run.timing);
  for (timing::ProfileEvent &event : profile.events) // all of the stores' waits in front
    if (profile.rows[event.row].kind == timing::ProfileKind::Wait && profile.rows[event.row].destination == Pipe::MTE3)
      event.start = event.end = -1;
  std::stable_sort(profile.events.begin(), profile.events.end(),
                   [](const auto &a, const auto &b) { return a.start < b.start; });
  timing::Alignment alignment = timing::alignProfile(profile, *run.timing);
  CHECK(alignment.disordered == std::vector<Pipe>{Pipe::MTE3});
  CHECK(alignment.unmatched == 4);
}

TEST_CASE("alignment: every kernel of the corpus fits its own recording, call by call") {
  std::size_t calls = 0;
  for (const std::string &folder : corpusFolders()) {
    CAPTURE(folder);
    Module module = lift(readText(corpusPath(folder + "/kernel.cpp")));
    replay::Options options;
    for (const Kernel &kernel : module.kernels) {
      if (!kernel.analysable)
        continue;
      timing::KernelTiming chosen =
          std::move(timing::timeCores({&kernel}, machineOf("a3"), options, costsOf()).front());
      timing::KernelTiming whole(std::make_unique<replay::Subject>(kernel, machineOf("a3"), options), chosen.inputs(),
                                 machineOf("a3"), options, costsOf(), replay::Skipping::Forbidden);
      if (!whole.works() || whole.trace().ending != replay::Ending::Returned || recordRun(whole).empty())
        continue;
      timing::CoreProfile profile = profileOfRun(whole);
      CHECK(timing::syncDifferences(profile, chosen).empty());
      timing::Alignment alignment = timing::alignProfile(profile, whole);
      calls += alignment.calls.size();
      CAPTURE(kernel.name, alignment.disordered.size());
      CHECK(alignment.unmatched == 0);
      for (const timing::AlignedCall &call : alignment.calls) {
        const timing::Operation &operation = whole.plan().operations[call.operation];
        CHECK(call.end - call.start == Approx(operation.throughput + operation.latency).margin(1));
      }
    }
  }
  CHECK(calls > 1000);
}
