// A proof is never wrong: what it lets go, no run may object to, and no sync that the optimiser calls needed goes.
//
// Mutants of real text: each sync that `opt` leaves in a kernel is taken out by itself, a barrier alone, a flag as a
// whole web and one statement of it alone. Random kernels lose some of their syncs. Where a kernel is called proved,
// the replay is asked as well. Besides, what `opt` itself writes is proved: that is what the proof is for.
// `ptosync_tests "[proof-mutants]"` goes through all kernels that are there, and prints the figures.
#include "synthesis/proof.h"

#include "fuzz/kernel_generator.h"
#include "optimize/edit_kinds.h"
#include "replay/verify.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>

// The tests of one folder are one translation unit.
namespace ptosync::test::proof_mutants {
namespace {

struct ProofCounts {
  std::size_t asked = 0, proved = 0, refuted = 0;
};

bool isProved(const Module &before, const Module &after, const std::string &arch) {
  for (const Kernel &kernel : before.kernels)
    if (synthesis::reasonNotProved(kernel, *kernelLike(after, kernel), synthesis::Unfollowed::Alike, machineOf(arch),
                                   {}))
      return false;
  return true;
}

bool isRefuted(const Module &before, const Module &after, const std::string &arch) {
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, after, machineOf(arch), {}, {Section::Both}, replay::Unanalysable::Skip);
  return !llvm::cantFail(std::move(verdict)).agreed();
}

/// `after` has fewer syncs. Returns true if it is proved, which no run may object to.
bool ask(const Module &before, const Module &after, const std::string &arch, ProofCounts &counts) {
  const bool proved = isProved(before, after, arch), refuted = isRefuted(before, after, arch);
  ++counts.asked;
  counts.proved += proved;
  counts.refuted += refuted;
  CHECK_FALSE((proved && refuted));
  return proved;
}

/// What `opt` leaves of a kernel, with each of its syncs taken out in turn.
void askMutants(const std::string &path, ProofCounts &counts) {
  const std::string arch = archOf(path);
  const Module module = lift(patched(run(readText(path), {arch}, path)), arch, path);
  const std::vector<SiteDecision> decisions = optimize(module, machineOf(arch), defaultPatterns(), {}).decisions;
  std::set<std::set<SiteId>> mutants;
  for (const Kernel &kernel : module.kernels)
    if (kernel.analysable) {
      const Analysis analysis = llvm::cantFail(Analysis::of(kernel, machineOf(arch), {}));
      for (const Web &web : analysis.webs()) {
        mutants.insert(web.sites());
        mutants.insert({web.firstSite()});
      }
    }
  for (SiteId site = 0; site < module.sites.size(); ++site)
    if (module.sites[site].kind == SyncKind::Barrier)
      mutants.insert({site});
  for (const std::set<SiteId> &sites : mutants) {
    INFO(path << ":" << module.sites[*sites.begin()].line << " " << module.sites[*sites.begin()].text << ", "
              << sites.size() << " statements");
    const bool proved = ask(module, withoutSites(module, sites), arch, counts);
    const bool needed = std::any_of(sites.begin(), sites.end(), [&](SiteId site) {
      return decisions[site].verdict == ptosync::Verdict::Kept && decisions[site].reason == KeptReason::Hazard;
    });
    CHECK_FALSE((proved && needed));
  }
}

Module randomModule(std::uint64_t seed) {
  std::vector<fuzz::FuzzKernel> kernels = {fuzz::KernelGenerator(seed).generate()};
  return lift(fuzz::printKernels(kernels));
}

void askRandom(std::uint64_t first, std::uint64_t count, ProofCounts &counts) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Module before = randomModule(seed);
    fuzz::RandomSource random(fuzz::RandomSource::mix(seed));
    for (unsigned percent : {4, 15}) {
      INFO("seed " << seed << ", " << percent << " % of the syncs");
      std::set<SiteId> sites;
      for (const Kernel &kernel : before.kernels)
        for (SiteId site : sitesOf(kernel))
          if (before.sites[site].kind == SyncKind::Barrier && random.chance(percent))
            sites.insert(site);
      for (const Kernel &kernel : before.kernels) {
        const Analysis analysis = llvm::cantFail(Analysis::of(kernel, machineOf("a3"), {}));
        for (const Web &web : analysis.webs())
          if (random.chance(percent))
            sites.merge(web.sites());
      }
      if (!sites.empty())
        ask(before, withoutSites(before, sites), "a3", counts);
    }
  }
}

std::string summary(const ProofCounts &counts) {
  return std::to_string(counts.asked) + " mutants: " + std::to_string(counts.refuted) + " refuted, " +
         std::to_string(counts.proved) + " proved\n";
}

} // namespace

TEST_CASE("proof: no mutant of the corpus is proved that a run objects to") {
  ProofCounts counts;
  for (const std::string &folder : corpusFolders())
    if (std::filesystem::file_size(corpusPath(folder + "/kernel.cpp")) < 9000)
      askMutants(corpusPath(folder + "/kernel.cpp"), counts);
  INFO(summary(counts));
  CHECK(counts.asked >= 300);
  CHECK(counts.refuted * 10 >= counts.asked * 8);
}

TEST_CASE("proof: no random kernel without some of its syncs is proved that a run objects to") {
  ProofCounts counts;
  askRandom(1, 150, counts);
  INFO(summary(counts));
  CHECK(counts.proved >= 10);
  CHECK(counts.refuted >= 100);
}

TEST_CASE("proof: what opt makes of the corpus and of real kernels is proved", "[shared]") {
  std::vector<std::string> paths = sharedKernels();
  for (const std::string &folder : corpusFolders())
    paths.push_back(corpusPath(folder + "/kernel.cpp"));
  std::vector<std::string> notProved;
  for (const std::string &path : paths) {
    const std::string arch = archOf(path);
    const Outcome outcome = run(readText(path), {arch}, path);
    if (std::all_of(outcome.module.kernels.begin(), outcome.module.kernels.end(),
                    [](const Kernel &kernel) { return kernel.analysable; }) &&
        !isProved(outcome.module, lift(patched(outcome), arch, path), arch))
      notProved.push_back(path);
  }
  CHECK(notProved == std::vector<std::string>());
}

TEST_CASE("proof: no mutant of a real kernel is proved that a run objects to", "[.][proof-mutants]") {
  ProofCounts corpus, real, random;
  for (const std::string &folder : corpusFolders())
    askMutants(corpusPath(folder + "/kernel.cpp"), corpus);
  std::cout << "corpus: " << summary(corpus);
  for (const std::string &path : sharedKernels())
    askMutants(path, real);
  std::cout << "real kernels: " << summary(real);
  askRandom(1000, 2000, random);
  std::cout << "random kernels: " << summary(random);
}

} // namespace ptosync::test::proof_mutants
