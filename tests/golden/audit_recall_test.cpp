// Recall of the audit: every sync of a kernel taken out by itself, and both engines asked. What the replay calls broken
// the audit must report, as an error or a warning that the kernel as it stands does not have.
//
// The replay compares two kernels and says what order is lost; the audit sees one and says what is wrong. So these are
// counted, and not asked for: orders relative to opaque calls, work still running at the kernel's end, and a flag set
// again too early, which only the comparison can tell from a kernel that never had them; and statements of flags of
// which the untouched kernel already has an error. In such a kernel what lies behind the faulty flag may be a note.
// Contested rules silence both engines.
//
// The corpus and the smaller of the kernels beside the repository are gone through on every run; all kernels take
// minutes: `ptosync_tests "[recall]"`. What is missed is printed: kernel, line, statement and the replay's finding.
#include "audit/audited.h"
#include "replay/verify.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>
#include <set>

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

struct Recall {
  std::size_t barriers = 0, flags = 0;             // taken out
  std::size_t brokenBarriers = 0, brokenFlags = 0; // of them, the replay objects
  std::size_t compared = 0;                        // objections that only a comparison can make
  std::size_t faulty = 0;                          // statements of flags that are faulty in the untouched kernel
  std::size_t errors = 0;                          // of those to be found, the audit reports an error
  std::vector<std::string> missed;
};

class Mutants {
public:
  explicit Mutants(const std::string &path) : path(path), arch(archOf(path)), module(lift(readText(path), arch, path)) {
    options.accumulateOrder = true; // contested: the audit is silent
    if (!faults(module).empty())
      for (const Kernel &kernel : module.kernels)
        findFaulty(kernel);
    before = faults(module);
  }

  void run(Recall &recall) const {
    for (SiteId site = 0; site < module.sites.size(); ++site)
      if (module.sites[site].kind != SyncKind::Tail)
        takeOut(site, recall);
  }

private:
  using Faults = std::multiset<std::pair<std::string, Severity>>; // rule and statements

  Faults faults(const Module &of) const {
    AuditOptions options;
    options.lowest = faultySites.empty() ? Severity::Warning : Severity::Note;
    Faults list;
    for (const Finding &finding : audit(of, machineOf(arch), options).findings) {
      std::string text = finding.rule + " " + finding.kernel;
      for (const std::string &part : finding.parts)
        text += " | " + part;
      for (const char *rule :
           {"missing-sync", "unprimed-wait", "undrained-flag", "double-set", "branch-imbalance", "cross-core-flag",
            "deadlock", "id-clash", "nested-bracket", "open-bracket", "unmatched-release", "bracket-no-barrier"})
        if (finding.rule == rule)
          list.insert({text, finding.severity});
    }
    return list;
  }

  /// Statements of flags of which the untouched kernel has an error.
  void findFaulty(const Kernel &kernel) {
    if (!kernel.analysable)
      return;
    Program program = llvm::cantFail(buildProgram(kernel, machineOf(arch), {}));
    Pending pending(program);
    std::set<std::uint32_t> flags;
    for (const TokenEvent &fault : pending.tokenFaults())
      flags.insert(fault.flag);
    for (const std::vector<Event> &events : program.steps)
      for (const Event &event : events)
        if (std::any_of(event.lanes.begin(), event.lanes.end(), [&](std::uint32_t lane) { return flags.count(lane); }))
          faultySites.insert(event.site);
  }

  /// True if it is wrong with the second kernel alone.
  static bool isFault(const replay::Finding &finding) {
    return finding.kind != replay::FindingKind::End && finding.rule != "fence" && finding.rule != "set-too-soon";
  }

  void takeOut(SiteId site, Recall &recall) const {
    const SyncSite &place = module.sites[site];
    bool barrier = place.kind == SyncKind::Barrier;
    ++(barrier ? recall.barriers : recall.flags);
    Module mutant = withoutSite(module, site);
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(module, mutant, machineOf(arch), options, {Section::Both}, replay::Unanalysable::Skip);
    if (!verdict)
      FAIL(path << ": " << llvm::toString(verdict.takeError()));
    if (verdict->agreed())
      return;
    auto fault = std::find_if(verdict->findings.begin(), verdict->findings.end(), isFault);
    if (fault == verdict->findings.end()) {
      ++recall.compared;
      return;
    }
    if (faultySites.count(site)) {
      ++recall.faulty;
      return;
    }
    ++(barrier ? recall.brokenBarriers : recall.brokenFlags);
    bool found = false, error = false;
    Faults after = faults(mutant);
    for (const auto &entry : after)
      if (after.count(entry) > before.count(entry)) {
        found = true;
        error = error || entry.second == Severity::Error;
      }
    recall.errors += error;
    if (!found)
      recall.missed.push_back(path + ":" + std::to_string(place.line) + ": " + place.text + ": " + describe(*fault));
  }

  static std::string describe(const replay::Finding &finding) {
    return std::string(replay::findingName(finding.kind)) + (finding.rule.empty() ? "" : " " + finding.rule) +
           " line " + std::to_string(finding.earlier.beforeLine) + " -> " + std::to_string(finding.later.beforeLine) +
           " " + finding.storage + ": " + finding.text;
  }

  std::string path, arch;
  Module module;
  replay::Options options;
  Faults before;
  std::set<SiteId> faultySites;
};

std::string summary(const Recall &recall) {
  std::string text = std::to_string(recall.brokenBarriers) + " of " + std::to_string(recall.barriers) +
                     " barriers and " + std::to_string(recall.brokenFlags) + " of " + std::to_string(recall.flags) +
                     " flag statements are needed by the replay; " + std::to_string(recall.errors) +
                     " of these are errors of the audit, " + std::to_string(recall.missed.size()) +
                     " are missed; not asked for: " + std::to_string(recall.compared) + " orders, " +
                     std::to_string(recall.faulty) + " statements of faulty flags\n";
  for (const std::string &line : recall.missed)
    text += "  " + line + "\n";
  return text;
}

} // namespace

namespace {

/// "folder/kernel.cpp:line" of what the audit misses.
std::set<std::string> placesOf(const Recall &recall) {
  std::set<std::string> places;
  for (const std::string &line : recall.missed) {
    std::string place = line.substr(0, line.find(": "));
    std::size_t folder = place.rfind('/', place.rfind('/') - 1);
    places.insert(place.substr(folder + 1));
  }
  return places;
}

/// The scratch of the first is touched on some reading only; the stores of the second meet for some numbers of its
/// arguments only; between the others' reads and writes something was pushed to another core and popped from one, which
/// may have waited.
std::set<std::string> doubtfulInSmallKernels() {
  const std::string pushed = "a3/v_mte2_eventid_overlap.cpp:";
  return {"a3/zero_trip_loop.cpp:226",
          "a5-newer/deepseekv4flashdsparka5_aiv_sh_w2_act.cpp:279",
          "a5-newer/deepseekv4flashdsparka5_aiv_sh_w2_act.cpp:358",
          pushed + "108",
          pushed + "123",
          pushed + "138"};
}

} // namespace

TEST_CASE("recall: what the replay calls broken in the corpus, the audit reports") {
  Recall recall;
  for (const std::string &folder : corpusFolders())
    Mutants(corpusPath(folder + "/kernel.cpp")).run(recall);
  INFO(summary(recall));
  // Broken on some reading of the sources only (scratch, or bytes beside the valid region, that one of them says is not
  // touched; a place that memory decides), or in some runs only that the audit cannot tell from impossible ones (a
  // counter that has wrapped is tested, a pointer may lead to several tiles, a call may do anything): no error, and
  // these alone.
  CHECK(placesOf(recall) == std::set<std::string>{"argument_places/kernel.cpp:44",
                                                  "beyond_the_region/kernel.cpp:106",
                                                  "beyond_the_region/kernel.cpp:110",
                                                  "clamped_place/kernel.cpp:45",
                                                  "counters_that_wrap/kernel.cpp:227",
                                                  "counters_that_wrap/kernel.cpp:249",
                                                  "counters_that_wrap/kernel.cpp:273",
                                                  "unknown_call/kernel.cpp:70",
                                                  "rebound_through_pointers/kernel.cpp:109",
                                                  "rebound_through_pointers/kernel.cpp:33",
                                                  "rebound_through_pointers/kernel.cpp:55",
                                                  "rebound_through_pointers/kernel.cpp:67",
                                                  "rebound_through_pointers/kernel.cpp:79",
                                                  "rebound_through_pointers/kernel.cpp:93",
                                                  "beyond_the_region/kernel.cpp:118",
                                                  "beyond_the_region/kernel.cpp:122",
                                                  "beyond_the_region/kernel.cpp:126",
                                                  "beyond_the_region/kernel.cpp:130",
                                                  "beyond_the_region/kernel.cpp:134",
                                                  "beyond_the_scratch/kernel.cpp:82",
                                                  "beyond_the_scratch/kernel.cpp:86",
                                                  "beyond_the_scratch/kernel.cpp:90",
                                                  "beyond_the_scratch/kernel.cpp:94",
                                                  "few_places/kernel.cpp:44",
                                                  "few_places/kernel.cpp:56",
                                                  "flash_attention/kernel.cpp:329",
                                                  "loaded_base/kernel.cpp:54",
                                                  "loop_carried/kernel.cpp:378",
                                                  "narrow_index/kernel.cpp:50",
                                                  "narrow_index/kernel.cpp:53",
                                                  "swept_places/kernel.cpp:41"});
  CHECK(recall.brokenBarriers > 70);
  CHECK(recall.brokenFlags > 300);
}

TEST_CASE("recall: what the replay calls broken in small real kernels, the audit reports", "[shared]") {
  constexpr std::uintmax_t kLargest = 20000; // bytes
  Recall recall;
  for (const std::string &path : sharedKernels())
    if (std::filesystem::file_size(path) <= kLargest)
      Mutants(path).run(recall);
  INFO(summary(recall));
  CHECK((sharedKernels().empty() || placesOf(recall) == doubtfulInSmallKernels()));
}

TEST_CASE("recall: what the replay calls broken in real kernels, the audit reports", "[.][recall]") {
  Recall recall;
  for (const std::string &path : sharedKernels()) {
    std::size_t missed = recall.missed.size();
    Mutants(path).run(recall);
    std::cout << path << ": " << recall.missed.size() - missed << " missed" << std::endl;
  }
  std::cout << summary(recall);
  std::set<std::string> doubtful = doubtfulInSmallKernels();
  const std::string sinkhorn = "a3-newer/deepseekv4decodea3_aiv_comb_sinkhorn.cpp:"; // scratch again
  for (const char *line : {"432", "439", "446", "511", "518", "525"})
    doubtful.insert(sinkhorn + line);
  // Scratch, and padding in place, which reads no more than what it pads.
  const std::string score = "a3-newer/deepseekv4decodea3_score.cpp:";
  for (const char *line : {"706", "753", "762", "848", "896", "905", "1054", "1101", "1110", "1310", "1319", "1443",
                           "1452", "1578", "1587"})
    doubtful.insert(score + line);
  // The stores meet for some numbers of the arguments only.
  const std::string rope = "a5-newer/deepseekv4decodea5_aiv_qproj_dequant_rms_nope_rope.cpp:";
  for (const char *line : {"671", "691", "1012", "1032"})
    doubtful.insert(rope + line);
  doubtful.insert({"a3/flash_attention_135_barriers.cpp:689", "a3/flash_attention_87_barriers.cpp:686"});
  CHECK((sharedKernels().empty() || placesOf(recall) == doubtful));
}
