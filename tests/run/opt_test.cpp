// The page of `opt`: the replay of its output, where the engines disagree, and the whole from text to text. They cannot
// be made to disagree from outside, so that check is called by itself.
#include "run/opt.h"

#include "rewrite/sync_edits.h"
#include "synthesis/synthesised.h"
#include "tool/process.h"

#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kAdditions = tile("v1", "float", 1, 64, 0) + "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n"
                                                               "  TADDS(v1, v1, 1.0f);\n";

std::string without(std::string text, const std::string &part) { return text.erase(text.find(part), part.size()); }

llvm::Expected<replay::Verdict> replayed(const std::string &patched) {
  return replayPatched(lift(vectorKernel(kAdditions)), patched, {Section::Both}, {}, machineOf("a3"), {});
}

std::string replayProblem(const std::string &patched) {
  llvm::Expected<replay::Verdict> verdict = replayed(patched);
  return verdict ? "" : llvm::toString(verdict.takeError());
}

/// As if all kernels had been edited.
const OptimizeResult kEdited = [] {
  OptimizeResult result;
  result.decisions.resize(1);
  result.decisions[0].site = 0;
  result.decisions[0].verdict = Verdict::Removed;
  result.decisions[0].sections = {Section::Both};
  return result;
}();

/// The sample kernel without the barrier that it needs.
std::string broken() {
  std::string text = sampleKernel();
  std::size_t at = text.find("pipe_barrier(PIPE_V);", text.find("TADDS(v2, v2, 1.0f)"));
  return text.erase(at, std::string("pipe_barrier(PIPE_V);").size());
}

Subject subjectOf(const RunChoices &choices = {}) {
  return {choices,
          {"a3", "default", "nothing in the text decides"},
          std::make_shared<const Machine>(machineOf("a3")),
          {},
          {}};
}

std::string problem(const std::string &patched) {
  llvm::Expected<std::set<SiteId>> replayed =
      checkByReplay(lift(sampleKernel(), "a3", "k.cpp"), patched, kEdited, subjectOf());
  return replayed ? "" : llvm::toString(replayed.takeError());
}

RunInput inputOf(const std::string &text) { return {{SourceText("k.cpp", text)}, {}, {}}; }

/// The instructions of the drawn runs whose line of the input does not hold them, of those before or after the edits.
std::set<std::string> misplaced(const OptimizedFile &file, const std::string &run) {
  std::set<std::string> found;
  for (const DrawnKernel &kernel : file.costs->drawn)
    for (const DrawnRun &drawn : kernel.runs)
      for (const DrawnSlice &slice : drawn.slices) {
        const std::string name = slice.text.substr(0, slice.text.find('('));
        if (contains(drawn.label, run) && slice.kind == timing::TimelineSlice::Kind::Work &&
            !contains(std::string(file.module().source.line(slice.line)), name))
          found.insert(std::to_string(slice.line) + ": " + slice.text);
      }
  return found;
}

} // namespace

TEST_CASE("opt: replay of a patched text: an order that is lost is found", "[run]") {
  std::string text = vectorKernel(kAdditions);
  CHECK(llvm::cantFail(replayed(text)).agreed());
  CHECK(llvm::cantFail(replayed(text + "\n")).agreed());
  replay::Verdict lost = llvm::cantFail(replayed(without(text, "pipe_barrier(PIPE_V);")));
  REQUIRE_FALSE(lost.agreed());
  CHECK(lost.findings.front().later.beforeLine == kBodyLine + 3);
}

TEST_CASE("opt: replay of a patched text: what is no edit of syncs is an internal error", "[run]") {
  std::string text = vectorKernel(kAdditions);
  CHECK(replayProblem(text + "}\n")
            .rfind("internal error: the patched kernel no longer parses; nothing was written", 0) == 0);
  CHECK(
      replayProblem(without(text, "  TADDS(v1, v1, 1.0f);\n")).rfind("internal error: the edits change more of k", 0) ==
      0);
}

TEST_CASE("opt: replay of a patched text: which edits no run reached", "[run]") {
  const std::string tiles = tile("v1", "float", 1, 64, 0) + tile("v2", "float", 1, 64, 4096);
  auto notReached = [&](const std::string &body) {
    const Outcome outcome = run(vectorKernel(tiles + body));
    const std::set<std::uint32_t> lines = editedLines(outcome.module, outcome.result);
    REQUIRE(lines.size() == 1);
    const replay::Verdict verdict =
        llvm::cantFail(replayPatched(outcome.module, patched(outcome), {Section::Both}, lines, machineOf("a3"), {}));
    CHECK(verdict.agreed());
    return editsNotReached(outcome.module, outcome.result, verdict).size();
  };
  const std::string needless = "TADDS(v1, v1, 1.0f);\n    pipe_barrier(PIPE_V);\n    TADDS(v2, v2, 1.0f);\n";
  CHECK(notReached("    " + needless) == 0);
  CHECK(notReached("  if (n == 70000) {\n    " + needless + "  }\n") == 0); // a run is aimed at it
  CHECK(notReached("  if (n * n + 1 == n) {\n    " + needless + "  }\n") == 1);
}

TEST_CASE("opt: agreement, and a file that is not changed, are no error", "[run]") {
  CHECK(problem(sampleKernel()) == "");
  CHECK(problem(sampleKernel() + "\n") == "");
}

TEST_CASE("opt: a disagreement is told, with all that is needed to see it again", "[run]") {
  RunChoices choices;
  choices.optimize.ordering.trust = Trust::Library;
  choices.optimize.ordering.argumentsMayAlias = true;
  llvm::Expected<std::set<SiteId>> replayed =
      checkByReplay(lift(sampleKernel(), "a3", "k.cpp"), broken(), kEdited, subjectOf(choices));
  REQUIRE(!replayed);
  REQUIRE(replayed.errorIsA<Disagreement>());
  Disagreement::Files files;
  std::string message;
  llvm::handleAllErrors(replayed.takeError(), [&](const Disagreement &error) {
    files = error.reproducer();
    message = error.message();
  });
  CHECK(message.rfind(
            "internal error: the replay of the patched kernel disagrees with the optimiser; nothing was written\n",
            0) == 0);
  CHECK(contains(message, "RAW on UB [8192, 10240)"));
  Workshop workshop;
  for (const auto &[name, text] : files)
    workshop.write(name, text);
  CHECK(workshop.read("before.cpp") == sampleKernel());
  CHECK(workshop.read("after.cpp") == broken());
  CHECK(contains(workshop.read("witness.txt"), "order lost"));
  Run again =
      workshop.shell("mkdir bin && ln -s '" PTOSYNC_BINARY "' bin/ptosync && PATH=\"$PWD/bin:$PATH\" sh reproduce.sh");
  CHECK(again.exitCode == 1);
  CHECK(contains(again.out, "trust: library"));
}

TEST_CASE("opt: a reproducer has the machine model that was given", "[run]") {
  RunChoices choices;
  choices.machineText = SourceText("m.json", "{}");
  llvm::Expected<std::set<SiteId>> replayed =
      checkByReplay(lift(sampleKernel(), "a3", "k.cpp"), broken(), kEdited, subjectOf(choices));
  REQUIRE(!replayed);
  llvm::handleAllErrors(replayed.takeError(), [&](const Disagreement &error) {
    REQUIRE(error.reproducer().size() == 5);
    CHECK(error.reproducer()[4] == std::pair<std::string, std::string>("machine.json", "{}"));
    CHECK(contains(error.reproducer()[3].second, " --machine=machine.json"));
  });
}

TEST_CASE("opt: a result that no longer parses is an internal error", "[run]") {
  std::string message = problem(sampleKernel() + "}\n");
  CHECK(message.rfind("internal error: the patched kernel no longer parses; nothing was written", 0) == 0);
}

TEST_CASE("opt: syncs are placed anew as the synthesis does with the same choices", "[run]") {
  Module module = lift(serialLoop());
  RunChoices choices;
  synthesis::ResyncResult own = llvm::cantFail(
                              placeSyncsAnew(module, machineOf("a3"), defaultPatterns(), costsOf("a3"), choices)),
                          direct = resynced(module);
  REQUIRE(own.kernels.size() == 1);
  CHECK(own.kernels[0].changed);
  CHECK(own.kernels[0].after == direct.kernels[0].after);
  CHECK(llvm::cantFail(patchedText(module, own.decisions)) == llvm::cantFail(patchedText(module, direct.decisions)));
  for (std::int64_t id = 0; id < 8; ++id)
    choices.reservedIds.insert(id);
  synthesis::ResyncResult none =
      llvm::cantFail(placeSyncsAnew(module, machineOf("a3"), defaultPatterns(), costsOf("a3"), choices));
  for (const AddedSync &added : none.decisions.added)
    CHECK(added.kind == SyncKind::Barrier);
}

TEST_CASE("opt: one page from the text to what is published", "[run]") {
  Progress progress;
  OptimizedFile file = llvm::cantFail(optimizeFile(inputOf(sampleKernel()), {}, progress));
  Outcome direct = run(sampleKernel());
  CHECK(file.patched == patched(direct));
  CHECK(file.patched != sampleKernel());
  CHECK(file.notReplayed.empty());
  CHECK_FALSE(file.costs);
  CHECK(file.resync.empty());
  ReportInput input = reportInput(file, {});
  CHECK(input.archChoice == file.subject.arch.description());
  CHECK(input.rewrites == nullptr);
  OptRequest drawn{{}, false, Times::Drawn};
  OptimizedFile timed = llvm::cantFail(optimizeFile(inputOf(sampleKernel()), drawn, progress));
  REQUIRE(timed.costs);
  CHECK_FALSE(timed.costs->drawn.empty());
  CHECK(contains(reviewPage(timed, drawn), "<html"));
  // Running on the output changes nothing.
  CHECK(llvm::cantFail(optimizeFile(inputOf(file.patched), {}, progress)).patched == file.patched);
}

TEST_CASE("opt: what is drawn of the result names the lines of the input", "[run]") {
  Progress progress;
  OptRequest request{{}, false, Times::Drawn};
  auto check = [&](const std::string &folder, const std::string &comment) {
    CAPTURE(folder, request.resync);
    const RunInput input = inputOf(readText(corpusPath(folder + "/kernel.cpp")));
    const OptimizedFile file = llvm::cantFail(optimizeFile(input, request, progress));
    REQUIRE(file.costs);
    CHECK(contains(file.patched, comment));
    CHECK(misplaced(file, "before") == std::set<std::string>());
    CHECK(misplaced(file, "after") == std::set<std::string>());
  };
  check("moved_flags", "ptosync: moved from");
  // An added sync is a line of its own, one with an `if` around it three.
  request.resync = true;
  for (const std::string folder : {"flash_attention", "resync_last_trip", "moved_flags"})
    check(folder, "ptosync: orders");
}

TEST_CASE("opt: a wrong request is a setting, a wrong kernel is not", "[run]") {
  Progress progress;
  auto classOf = [&](const RunInput &input, const OptRequest &request) {
    llvm::Expected<OptimizedFile> file = optimizeFile(input, request, progress);
    REQUIRE(!file);
    bool setting = file.errorIsA<SettingError>();
    llvm::consumeError(file.takeError());
    return setting;
  };
  RunInput input = inputOf(sampleKernel());
  CHECK(classOf(input, {{"fifo-local-slots=0"}, false, Times::LeftOut}));
  input.choices.patterns = "no-such-pattern";
  CHECK(classOf(input, {}));
  input = inputOf(sampleKernel());
  input.choices.durationsText = SourceText("t.json", "{");
  CHECK(classOf(input, {{}, false, Times::Estimated}));
  CHECK_FALSE(classOf(inputOf(sampleKernel() + "}"), {}));
}

TEST_CASE("opt: kernels are printed as they were read", "[run]") {
  const RunInput input = inputOf(sampleKernel());
  CHECK(contains(llvm::cantFail(printFile(input, {}, "kernel")), "kernel"));
  CHECK_FALSE(llvm::cantFail(printFile(input, {}, "chains")).empty());
  CHECK(contains(llvm::cantFail(printFile(input, {}, "prelude")), "TADDS"));
}
