#include "profile/profile_alignment.h"

#include "profile/recorded_run.h"

using namespace ptosync;
using namespace ptosync::test;

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
