// Whether runs need the syncs that a result leaves: each statement of the input is known again, whatever went, moved or
// came, and the lines are the input's. The corpus is decided to the share that the page of --needed names.
#include "run/needed.h"

#include "report/json_report.h"
#include "report/schema_check.h"
#include "run/opt.h"
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;
using replay::NeedAnswer;

namespace {

OptimizedFile optimizedNeeded(const std::string &text, bool resync = false, bool fromNothing = false,
                              const std::string &arch = "a3") {
  Progress progress;
  RunInput input{{SourceText("k.cpp", text)}, {}, {}};
  input.settings.commandLine.arch = arch;
  input.choices.fromNothing = fromNothing;
  OptRequest request;
  request.needed = true;
  request.resync = resync || fromNothing;
  return llvm::cantFail(optimizeFile(input, request, progress));
}

/// Every statement that stays has an answer of its own, about a statement that was found.
void everyOneIsAsked(const OptimizedFile &file) {
  REQUIRE(file.needed);
  std::size_t left = 0;
  for (const SiteDecision &decision : file.result.decisions)
    left += decision.verdict != Verdict::Removed;
  CHECK(file.needed->bySite.size() == left);
  CHECK(file.needed->added.size() == file.result.added.size());
  auto isFound = [](const NeededSync &sync) { return sync.reason.find("is not found") == std::string::npos; };
  for (const auto &[site, sync] : file.needed->bySite) {
    INFO(file.module().sites[site].line << " " << file.module().sites[site].text);
    CHECK(isFound(sync));
  }
  for (const NeededSync &sync : file.needed->added)
    CHECK(isFound(sync));
}

} // namespace

TEST_CASE("needed: of a kernel in which syncs went and a flag moved, in the input's lines") {
  const OptimizedFile file = optimizedNeeded(readText(corpusPath("flash_attention/kernel.cpp")));
  everyOneIsAsked(file);
  const NeededSyncs::Count count = file.needed->all();
  CHECK(count.needed == 104);
  CHECK(count.inNoRun == 1); // the end fence of the cube core, behind which nothing is left to wait for
  CHECK(count.undecided == 0);
  CHECK(file.needed->barriers(file.module(), file.result).undecided == 0);
  for (const auto &[site, sync] : file.needed->bySite)
    if (file.module().sites[site].line == 418) {
      CHECK(neededLine(sync).find("needed: RAW on UB [45312, 45376): line 417 TMAX(v92, v92, v89) on PIPE_V") == 0);
      CHECK(sync.need.finding->later.beforeLine == 419);
    }
}

TEST_CASE("needed: of syncs that were placed anew, and from nothing") {
  const std::string text = readText(corpusPath("resync_gemm/kernel.cpp"));
  const OptimizedFile anew = optimizedNeeded(text, /*resync=*/true);
  everyOneIsAsked(anew);
  CHECK_FALSE(anew.result.added.empty());
  CHECK(anew.needed->all().needed > 0);
  const OptimizedFile nothing = optimizedNeeded(text, false, /*fromNothing=*/true);
  everyOneIsAsked(nothing);
  CHECK_FALSE(nothing.result.added.empty());
  for (const OptimizedFile *file : {&anew, &nothing}) {
    OptRequest request;
    request.resync = true;
    const nlohmann::ordered_json report = jsonReport(reportInput(*file, request));
    CHECK(schemaViolations(report, "schema.json") == "");
    CHECK(report["resync"]["added"][0]["needed"].contains("answer"));
  }
}

TEST_CASE("needed: the report says it where it was asked, and nothing where it was not") {
  const OptimizedFile file = optimizedNeeded(sampleKernel());
  const nlohmann::ordered_json report = jsonReport(reportInput(file, {}));
  CHECK(schemaViolations(report, "schema.json") == "");
  CHECK(report["summary"].contains("needed"));
  const std::string text = textReport(reportInput(file, {}), {true, std::nullopt});
  CHECK_THAT(text,
             Catch::Contains("needed in some run") && Catch::Contains("    needed: RAW on UB [8192, 10240): line 9"));
  Progress progress;
  const OptimizedFile without =
      llvm::cantFail(optimizeFile({{SourceText("k.cpp", sampleKernel())}, {}, {}}, {}, progress));
  CHECK_FALSE(without.needed);
  CHECK_FALSE(jsonReport(reportInput(without, {}))["summary"].contains("needed"));
  CHECK(textReport(reportInput(without, {})).find("needed in some run") == std::string::npos);
}

TEST_CASE("needed: the page for reviewers has it among the evidence") {
  Progress progress;
  OptRequest request;
  request.times = Times::Drawn;
  request.needed = true;
  const OptimizedFile file =
      llvm::cantFail(optimizeFile({{SourceText("k.cpp", sampleKernel())}, {}, {}}, request, progress));
  const std::string page = reviewPage(file, request);
  CHECK_THAT(page, Catch::Contains("needed: RAW on UB [8192, 10240)") && Catch::Contains("needed in some run"));
}

TEST_CASE("needed: what is removed is asked about by nobody, and what is asked about alone comes with its web") {
  const OptimizedFile file = optimizedNeeded(sampleKernel());
  everyOneIsAsked(file);
  const NeededSyncs one = llvm::cantFail(askNeeded(file.module(), file.result, file.patched, *file.subject.machine,
                                                   file.subject.choices, std::set<SiteId>{0}));
  CHECK(one.bySite.size() <= 1);
  CHECK(one.added.empty());
}

TEST_CASE("needed: nearly every sync that stays in the corpus is decided") {
  NeededSyncs::Count all, barriers;
  for (const std::string &folder : corpusFolders()) {
    CAPTURE(folder);
    const std::string path = corpusPath(folder + "/kernel.cpp");
    Progress progress;
    OptRequest request;
    request.needed = true;
    const OptimizedFile file =
        llvm::cantFail(optimizeFile({{SourceText(path, readText(path))}, {}, {}}, request, progress));
    everyOneIsAsked(file);
    const NeededSyncs::Count one = file.needed->all(), ofBarriers = file.needed->barriers(file.module(), file.result);
    all.needed += one.needed;
    all.inNoRun += one.inNoRun;
    all.undecided += one.undecided;
    barriers.undecided += ofBarriers.undecided;
  }
  const std::size_t decided = all.needed + all.inNoRun;
  CHECK(decided > 1600);
  // Kernels that are broken on purpose, dead code, tiles behind pointers that are not followed.
  CHECK(all.undecided * 1000 <= 20 * decided);
  CHECK(barriers.undecided <= 6);
}
