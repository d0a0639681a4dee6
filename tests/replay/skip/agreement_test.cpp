// What iterations are left out changes no verdict: pairs of kernels judged with and without skipping.
//
// The second kernel of a pair is the first one without some of its syncs, so that there is something to find. Both
// judgements make the same runs; the one leaves out what is proved to repeat, and none is run in full because it is
// short, the other runs every iteration, up to its budget.
#include "replay/skip/skipping.h"

#include "fuzz/kernel_generator.h"
#include "replay/verify.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

using namespace ptosync;
using namespace ptosync::test;
using ptosync::replay::Finding;
using ptosync::replay::FindingKind;
using ptosync::replay::KernelCoverage;
using ptosync::replay::LoopCoverage;
using ptosync::replay::Skipping;

namespace {

/// A fifth where every commit is tested; all of it where PTOSYNC_SOAK is set (scripts/test.sh --soak).
std::uint64_t randomPairs() { return std::getenv("PTOSYNC_SOAK") ? 2000 : 400; }

struct Judged {
  std::set<std::string> findings; // kernel, kind, and lines or text
  bool cut = false;               // a run was stopped as too long
  std::uint64_t skipped = 0;      // iterations
};

std::string nameOf(const Finding &finding) {
  const bool pair = finding.kind == FindingKind::Order || finding.kind == FindingKind::End;
  return finding.kernel + " (" + std::string(sectionName(finding.section)) + ") " + findingName(finding.kind) + " " +
         (pair ? std::to_string(finding.earlier.beforeLine) + " > " + std::to_string(finding.later.beforeLine)
               : finding.rule + " " + finding.text);
}

Judged judged(const Module &before, const Module &after, const std::string &arch, Skipping skipping) {
  replay::Options options;
  options.skipping = skipping;
  options.budget.shortInstructions = 0; // or few runs were left that skip
  options.budget.findings = 400;
  Judged result;
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, after, machineOf(arch), options, {Section::Both}, replay::Unanalysable::Skip);
  if (!verdict) {
    result.findings.insert(llvm::toString(verdict.takeError()));
    return result;
  }
  for (const Finding &finding : verdict->findings)
    result.findings.insert(nameOf(finding));
  for (const KernelCoverage &kernel : verdict->coverage) {
    result.cut = result.cut || !kernel.cutAt.empty() || !kernel.endlessAt.empty();
    for (const LoopCoverage &loop : kernel.loops)
      result.skipped += loop.skipped;
  }
  return result;
}

/// The module without every sync of which `drop` says so, by number.
template <typename Drop> Module without(Module module, Drop drop) {
  std::size_t number = 0;
  for (Kernel &kernel : module.kernels)
    for (Block &block : kernel.blocks)
      std::erase_if(block.statements, [&](const ptosync::Statement &statement) {
        return std::holds_alternative<Sync>(statement.action) && drop(number++);
      });
  return module;
}

struct Counts {
  std::size_t pairs = 0, skipping = 0, differing = 0, cut = 0;
};

void compareJudgements(const Module &before, const Module &after, const std::string &arch, Counts &counts) {
  const Judged partly = judged(before, after, arch, Skipping::Allowed);
  const Judged full = judged(before, after, arch, Skipping::Forbidden);
  CHECK(full.skipped == 0);
  ++counts.pairs;
  counts.skipping += partly.skipped != 0;
  counts.differing += !full.findings.empty();
  counts.cut += full.cut;
  // A run in full that was stopped has not come to what another one, which left out iterations, has seen behind them.
  if (!full.cut)
    CHECK(partly.findings == full.findings);
  else
    CHECK(std::includes(partly.findings.begin(), partly.findings.end(), full.findings.begin(), full.findings.end()));
}

void compareKernel(const std::string &path, Counts &counts) {
  INFO(path);
  const std::string arch = archOf(path);
  const Module module = lift(readText(path), arch, path);
  for (std::size_t third = 0; third < 3; ++third)
    compareJudgements(module, without(module, [&](std::size_t sync) { return sync % 3 == third; }), arch, counts);
}

} // namespace

TEST_CASE("agreement: the corpus is judged alike whether iterations are left out or not") {
  Counts counts;
  for (const std::string &folder : corpusFolders())
    compareKernel(corpusPath(folder + "/kernel.cpp"), counts);
  for (const auto &entry : std::filesystem::directory_iterator(PTOSYNC_SOURCE_DIR "/tests/broken"))
    compareKernel(entry.path().string() + "/kernel.cpp", counts);
  CHECK(counts.skipping > 60);
  CHECK(counts.differing > 100);
}

TEST_CASE("agreement: so are real kernels", "[shared]") {
  Counts counts;
  for (const std::string &path : sharedKernels())
    compareKernel(path, counts);
  CHECK(counts.pairs == 3 * sharedKernels().size());
}

TEST_CASE("agreement: so are random kernels") {
  constexpr std::uint64_t kTogether = 20; // kernels of one file
  Counts counts;
  for (std::uint64_t first = 1; first <= randomPairs(); first += kTogether) {
    std::vector<fuzz::FuzzKernel> kernels;
    for (std::uint64_t seed = first; seed < first + kTogether; ++seed) {
      kernels.push_back(fuzz::KernelGenerator(seed).generate());
      kernels.back().name = "fuzzed" + std::to_string(seed);
    }
    const Module all = lift(fuzz::printKernels(kernels));
    for (const Kernel &kernel : all.kernels) {
      INFO(kernel.name << " of the file of seed " << first);
      Module before = all;
      std::erase_if(before.kernels,
                    [&](const Kernel &other) { return other.name != kernel.name || other.section != kernel.section; });
      fuzz::RandomSource random(first);
      const Module after = without(before, [&](std::size_t) { return random.chance(25); });
      compareJudgements(before, after, "a3", counts);
    }
  }
  CHECK(counts.pairs >= randomPairs());
  CHECK(counts.skipping > randomPairs() / 10);
  CHECK(counts.differing > randomPairs() / 4);
}
