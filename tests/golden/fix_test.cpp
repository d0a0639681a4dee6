// The broken kernels of broken: what `fix` makes of each, as text and as report, and that what it calls mended is.
// scripts/update-golden regenerates what is expected.
#include "report/answers.h"
#include "run/fix.h"
#include "support/applied_diff.h"
#include "synthesis/fixed.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace fs = std::filesystem;

namespace {

std::vector<std::string> brokenFolders() {
  std::vector<std::string> folders;
  for (const auto &entry : fs::directory_iterator(PTOSYNC_SOURCE_DIR "/tests/broken"))
    folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::size_t mendableFindings(const Module &module) {
  std::size_t count = 0;
  for (const Finding &finding : audit(module, machineOf("a3"), {}).findings)
    count += isMendable(finding.rule);
  return count;
}

} // namespace

TEST_CASE("fix: what becomes of each broken kernel") {
  std::size_t kernels = 0, whole = 0;
  for (const std::string &folder : brokenFolders()) {
    INFO(folder);
    ++kernels;
    std::string kernel = readText(folder + "/kernel.cpp");
    Module module = lift(kernel);
    FixResult result = fixed(module);
    CHECK((!result.defects.empty() || !result.missed.empty()));
    CHECK(result.text == applyDiff(kernel, readText(folder + "/expected.diff")));
    RunInput input{{SourceText("kernel.cpp", kernel)}, {}, {}};
    input.settings.commandLine.arch = "a3";
    const FixedFile file = llvm::cantFail(fixFile(input));
    CHECK(file.result.text == result.text);
    CHECK(fixText({&file.subject.modules.front(), &file.result, file.subject.arch.description(), file.anew,
                   file.notProved}) == readText(folder + "/expected.txt"));
    Module after = lift(result.text);
    std::size_t left = 0;
    for (const Defect &defect : result.defects)
      left += !defect.mended && isMendable(defect.finding.rule);
    CHECK(mendableFindings(after) == left);
    whole += result.left() == 0;
    // Once more changes nothing.
    CHECK(fixed(after).text == result.text);
  }
  CHECK(kernels >= 17);
  CHECK(whole >= 11);
}

TEST_CASE("fix: a kernel of the corpus without findings stays as it is, byte for byte") {
  for (const char *folder :
       {"flash_attention", "gemm_by_phase", "ping_pong_branch", "primes_and_drains", "helper_call"}) {
    INFO(folder);
    Module module = lift(readText(corpusPath(std::string(folder) + "/kernel.cpp")));
    FixResult result = fixed(module);
    CHECK(result.left() == 0);
    CHECK(result.changes.empty());
    CHECK(result.text == module.source.text());
  }
}
