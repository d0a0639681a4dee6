// Both engines on the same question: may this one sync go? Each sync of a kernel is taken out by
// itself. Where the static engine allows it, the replay must have no objection; where the replay
// objects, the static engine must keep it. That the static engine keeps more is its caution: the
// replay sees single runs.
#include "replay/verify.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Module withoutSite(Module module, SiteId site) {
  for (Kernel &kernel : module.kernels)
    for (Block &block : kernel.blocks)
      std::erase_if(block.statements, [&](const Statement &statement) {
        const auto *sync = std::get_if<Sync>(&statement.action);
        return sync && sync->site == site;
      });
  return module;
}

struct Counts {
  std::size_t sites = 0, removable = 0, objected = 0, cautious = 0;
};

void mutate(const std::string &path, const std::string &arch, Trust trust, Counts &counts) {
  RunOptions options;
  options.arch = arch;
  options.patterns = "all";
  options.optimize.ordering.trust = trust;
  const std::string text = readText(path);
  const Module module = lift(text, arch, path);
  replay::Options replayOptions;
  replayOptions.trust = trust;
  for (SiteId site = 0; site < module.sites.size(); ++site) {
    const SyncSite &place = module.sites[site];
    if (place.kind != SyncKind::Barrier)
      continue;
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(module, withoutSite(module, site), machineOf(arch), replayOptions, {Section::Both},
                       replay::Unanalysable::Skip);
    if (!verdict)
      FAIL(path << ": " << llvm::toString(verdict.takeError()));
    options.optimize.lines = {place.line};
    OptimizeResult decided = optimize(module, machineOf(arch), llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("all")), options.optimize);
    const SiteDecision &decision = decided.decisions[site];
    ++counts.sites;
    counts.removable += decision.verdict == Verdict::Removed;
    counts.objected += !verdict->agreed();
    INFO(path << ":" << place.line << " " << place.text << " trust " << trustName(trust));
    if (decision.verdict == Verdict::Removed) {
      INFO((verdict->agreed() ? std::string() : verdict->findings.front().text + " in a run with " + verdict->findings.front().run));
      CHECK(verdict->agreed());
    }
    if (decision.verdict == Verdict::Kept && decision.reason == KeptReason::Hazard && verdict->agreed()) {
      ++counts.cautious;
      if (std::getenv("SHOW"))
        std::cerr << path << ":" << place.line << " " << trustName(trust) << " " << place.text << " " << decision.detail << " "
                  << (decision.witness ? decision.witness->storage + " " + decision.witness->earlier.text + " -> " + decision.witness->later.text + (decision.witness->loopCarried ? " carried" : ""): "") << "\n";
    }
  }
}

} // namespace

TEST_CASE("taking out one barrier: mutation", "[mutation]") {
  Counts counts;
  for (const std::string &folder : corpusFolders())
    for (Trust trust : {Trust::Tile, Trust::Library})
      mutate(corpusPath(folder + "/kernel.cpp"), folder.rfind("a5", 0) == 0 ? "a5" : "a3", trust, counts);
  std::cerr << counts.sites << " sites, " << counts.removable << " removable, " << counts.objected << " objected, " << counts.cautious << " cautious\n";
}
TEST_CASE("shared mutation", "[mutation]") {
  Counts counts;
  for (const std::string &path : sharedKernels())
    for (Trust trust : {Trust::Tile, Trust::Library})
      mutate(path, path.find("/a5") != std::string::npos ? "a5" : "a3", trust, counts);
  std::cerr << counts.sites << " sites, " << counts.removable << " removable, " << counts.objected << " objected, " << counts.cautious << " cautious\n";
}
