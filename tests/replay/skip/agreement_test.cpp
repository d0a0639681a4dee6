// What iterations are left out changes no verdict: pairs of kernels judged with and without skipping.
//
// The second kernel of a pair is the first one without some of its barriers, and without all flags between some pipes,
// so that there is something to find. Both judgements make the same runs; the one leaves out what is proved to repeat,
// and none is run in full because it is short, the other runs every iteration, up to its budget.
#include "replay/skip/skipping.h"

#include "fuzz/kernel_generator.h"
#include "replay/verify.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>

using namespace ptosync;
using namespace ptosync::test;
using ptosync::replay::Finding;
using ptosync::replay::FindingKind;
using ptosync::replay::KernelCoverage;
using ptosync::replay::LoopCoverage;
using ptosync::replay::Skipping;

namespace {

/// One in so many pairs is judged where every commit is tested; all where PTOSYNC_SOAK is set (scripts/test.sh --soak).
std::size_t oneIn() { return std::getenv("PTOSYNC_SOAK") ? 1 : 5; }
std::uint64_t randomPairs() { return 2000 / oneIn(); }

struct Judged {
  std::set<std::string> findings; // kernel, kind, and lines, or that there are some
  bool cut = false;               // a run was stopped as too long
  std::uint64_t skipped = 0;      // iterations
};

bool isOfFlags(const Finding &finding) {
  return finding.kind == FindingKind::Token || finding.kind == FindingKind::Deadlock;
}

/// Where sets and waits are out of step, which of them are at fault, and what is stuck behind them, is another matter
/// in each iteration; and of very many findings only the first ones are listed.
std::set<std::string> namesOf(const std::vector<Finding> &findings) {
  std::set<std::string> names;
  const bool some =
      std::any_of(findings.begin(), findings.end(), isOfFlags) || findings.size() >= replay::Budget().findings;
  for (const Finding &finding : findings)
    names.insert(some ? finding.kernel + " is at fault"
                      : finding.kernel + " " + findingName(finding.kind) + " " +
                            std::to_string(finding.earlier.beforeLine) + " > " +
                            std::to_string(finding.later.beforeLine) + finding.text);
  return names;
}

using Arguments = std::map<std::string, std::int64_t>;

Judged judged(const Module &before, const Module &after, const std::string &arch, const Arguments &arguments,
              Skipping skipping) {
  replay::Options options;
  options.arguments = arguments;
  options.skipping = skipping;
  options.budget.shortInstructions = 0; // or few runs were left that skip
  options.budget.instructions = 6000;   // some loops go on for long, and orders that are lost are looked at one by one
  Judged result;
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, after, machineOf(arch), options, {Section::Both}, replay::Unanalysable::Skip);
  if (!verdict) {
    result.findings.insert(llvm::toString(verdict.takeError()));
    return result;
  }
  result.findings = namesOf(verdict->findings);
  for (const KernelCoverage &kernel : verdict->coverage) {
    result.cut = result.cut || !kernel.cutAt.empty() || !kernel.endlessAt.empty();
    for (const LoopCoverage &loop : kernel.loops)
      result.skipped += loop.skipped;
  }
  return result;
}

/// Whether a sync is taken out: a barrier by its number, flags by their pipes.
using Drop = std::function<bool(const Sync &sync, std::size_t number)>;

Module without(Module module, const Drop &drop) {
  std::size_t number = 0;
  for (Kernel &kernel : module.kernels)
    for (Block &block : kernel.blocks)
      std::erase_if(block.statements, [&](const ptosync::Statement &statement) {
        const auto *sync = std::get_if<Sync>(&statement.action);
        return sync && drop(*sync, number++);
      });
  return module;
}

std::size_t pipesOf(const Sync &sync) { return index(sync.source) * 3 + index(sync.destination); }

bool isFlag(const Sync &sync) { return sync.kind == SyncKind::SetFlag || sync.kind == SyncKind::WaitFlag; }

struct Counts {
  std::size_t pairs = 0, skipping = 0, differing = 0, cut = 0;
};

void compareJudgements(const Module &before, const Module &after, const std::string &arch, Counts &counts,
                       const Arguments &arguments = {}) {
  const Judged partly = judged(before, after, arch, arguments, Skipping::Allowed);
  const Judged full = judged(before, after, arch, arguments, Skipping::Forbidden);
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
    compareJudgements(
        module,
        without(module, [&](const Sync &sync,
                            std::size_t number) { return (isFlag(sync) ? pipesOf(sync) : number) % 3 == third; }),
        arch, counts);
}

} // namespace

TEST_CASE("agreement: the corpus is judged alike whether iterations are left out or not") {
  Counts counts;
  for (const std::string &folder : corpusFolders())
    compareKernel(corpusPath(folder + "/kernel.cpp"), counts);
  for (const auto &entry : std::filesystem::directory_iterator(PTOSYNC_SOURCE_DIR "/tests/broken"))
    compareKernel(entry.path().string() + "/kernel.cpp", counts);
  CHECK(counts.skipping > 20);
  CHECK(counts.differing > 60);
}

TEST_CASE("agreement: so are real kernels", "[shared]") {
  Counts counts;
  const std::vector<std::string> kernels = sharedKernels();
  for (std::size_t i = 0; i < kernels.size(); i += oneIn())
    compareKernel(kernels[i], counts);
  CHECK(counts.pairs == 3 * ((kernels.size() + oneIn() - 1) / oneIn()));
}

TEST_CASE("agreement: so are random kernels") {
  constexpr std::uint64_t kTogether = 20; // kernels of one file
  Counts counts;
  for (std::uint64_t first = 1; first <= randomPairs(); first += kTogether) {
    std::vector<fuzz::FuzzKernel> kernels;
    std::string length;
    for (std::uint64_t seed = first; seed < first + kTogether; ++seed) {
      kernels.push_back(fuzz::KernelGenerator(seed).generate());
      kernels.back().name = "fuzzed" + std::to_string(seed);
      length = kernels.back().variables[kernels.back().lengthVariable].name; // the same in all of them
    }
    const Module all = lift(fuzz::printKernels(kernels));
    for (const Kernel &kernel : all.kernels) {
      INFO(kernel.name << " of the file of seed " << first);
      Module before = all;
      std::erase_if(before.kernels,
                    [&](const Kernel &other) { return other.name != kernel.name || other.section != kernel.section; });
      fuzz::RandomSource random(fuzz::RandomSource::mix(first) + kernel.line);
      const std::uint64_t pipes = random.next();
      const Module after = without(before, [&](const Sync &sync, std::size_t) {
        return isFlag(sync) ? (pipes >> pipesOf(sync)) % 16 == 0 : random.chance(20);
      });
      Arguments many; // trips, for every other kernel
      for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
        if (const Expression &e = kernel.expressions[id];
            kernel.line % 2 && e.kind == Expression::Kind::Parameter && e.name == length)
          many[length] = 40 + static_cast<std::int64_t>(first % 40);
      compareJudgements(before, after, "a3", counts, many);
    }
  }
  CHECK(counts.pairs >= randomPairs());
  CHECK(counts.skipping > randomPairs() / 10);
  CHECK(counts.differing > randomPairs() / 4);
}
