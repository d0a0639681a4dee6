// Every sync of the corpus without which the kernel would be wrong, taken out: the audit must say so.
//
// A barrier counts as required if the ordering engine finds an unordered pair of accesses without it. Every set and
// every wait counts: one without the other is a token fault.
#include "audit/audited.h"

#include <catch2/catch.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Kinds of findings with how often, without places.
std::multiset<std::string> faults(const Audited &audited) {
  std::multiset<std::string> list;
  for (const Finding &finding : audited.result.findings)
    for (const char *rule : {"missing-sync", "unprimed-wait", "undrained-flag", "double-set", "branch-imbalance",
                             "cross-core-flag", "deadlock", "id-clash"})
      if (finding.rule == rule)
        list.insert(finding.rule + " " + finding.fingerprint);
  return list;
}

std::set<SiteId> requiredSites(const Audited &audited, const std::string &arch) {
  std::set<SiteId> required;
  for (const Kernel &kernel : audited.module.kernels) {
    if (!kernel.analysable)
      continue;
    Program program = llvm::cantFail(buildProgram(kernel, machineOf(arch), {}));
    Pending pending(program);
    std::set<std::uint32_t> faulty; // half of what is broken anyway may be missed
    for (const TokenEvent &fault : pending.tokenFaults())
      faulty.insert(fault.flag);
    for (const std::vector<Event> &events : program.steps)
      for (const Event &event : events) {
        if (event.site == kNone || pending.hasUnreached(event.site))
          continue;
        if (event.kind == Event::Kind::Set || event.kind == Event::Kind::Wait) {
          if (event.lanes.size() == 1 && !faulty.count(event.lanes[0]))
            required.insert(event.site);
          continue;
        }
        Pending::Trial trial = pending.tryRemoval({event.site});
        pending.abandon();
        // What a contested rule silences keeps a sync, and is no finding.
        bool memory = trial.witness && trial.witness->laterAccess != kNone && !trial.fence &&
                      pending.hazards().excuse(trial.witness->bit, trial.witness->later) == Excuse::None;
        if (!trial.allowed && memory)
          required.insert(event.site);
      }
  }
  return required;
}

std::string without(const Audited &audited, const SyncSite &site) {
  std::string text = audited.text;
  // Lines stay as they are.
  return text.replace(site.range.begin, site.range.end - site.range.begin, ";");
}

} // namespace

TEST_CASE("mutation: every required sync of the corpus is missed when it is gone") {
  std::size_t mutants = 0, errors = 0;
  for (const std::string &folder : corpusFolders()) {
    CAPTURE(folder);
    std::string arch = folder.rfind("a5_", 0) == 0 ? "a5" : "a3";
    Audited original(readText(corpusPath(folder + "/kernel.cpp")), arch);
    std::multiset<std::string> before = faults(original);
    for (SiteId site : requiredSites(original, arch)) {
      // Bytes beside the valid region and behind a scratch tile that not every reading touches.
      std::uint32_t line = original.module.sites[site].line;
      if (folder == "beyond_the_region" && (line == 126 || line == 134))
        continue;
      INFO("line " << original.module.sites[site].line << " " << original.module.sites[site].text);
      Audited mutant(without(original, original.module.sites[site]), arch);
      std::multiset<std::string> after = faults(mutant);
      bool found = std::any_of(after.begin(), after.end(),
                               [&](const std::string &fault) { return after.count(fault) > before.count(fault); });
      CHECK(found);
      ++mutants;
      errors += std::any_of(mutant.result.findings.begin(), mutant.result.findings.end(), [&](const Finding &finding) {
        return finding.severity == Severity::Error && !before.count(finding.rule + " " + finding.fingerprint);
      });
    }
  }
  CHECK(mutants > 300);
  INFO(errors << " of " << mutants << " mutants are errors");
  CHECK(errors * 10 >= mutants * 9); // the rest rests on something less than certain
}

TEST_CASE("mutation: the corpus itself has no finding above a note but those it is there to show") {
  for (const std::string &folder : corpusFolders()) {
    CAPTURE(folder);
    Audited original(readText(corpusPath(folder + "/kernel.cpp")), folder.rfind("a5_", 0) == 0 ? "a5" : "a3",
                     Severity::Error);
    if (folder == "a5_vector_order") // its vector barriers are what it is about: the architecture refuses them
      CHECK(original.count("illegal-pipe") == original.result.findings.size());
    else if (folder == "flag_arms" || folder == "lane_cover" || folder == "unbalanced_flags" ||
             folder == "flag_set_twice") // about faulty flags
      CHECK_FALSE(original.all().empty());
    else if (folder == "rescale_ring") // three of its rings are too short
      CHECK(original.count("ring-too-short") == original.result.findings.size());
    else if (folder == "fifo_local_slots") // a pop that nothing holds back
      CHECK(original.count("missing-sync") == original.result.findings.size());
    else if (folder == "counters_that_wrap") // that a counter has wrapped is not known for certain
      CHECK(original.count("missing-sync") == original.result.findings.size());
    else
      CHECK(original.all() == std::vector<std::string>{});
  }
}
