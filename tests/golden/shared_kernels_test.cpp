// Real kernels beside the repository, if they are there: the numbers that the project promises for them, and what
// must hold for every kernel.
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

using namespace ptosync;
using namespace ptosync::test;

namespace {

bool isFor(const std::string &path, const std::string &arch) { return path.find("/" + arch) != std::string::npos; }

/// The kernel's path; empty if it is not there.
std::string find(const std::string &name, const std::string &arch) {
  for (const std::string &path : sharedKernels())
    if (nameOf(path) == name && path.find("/" + arch + "/") != std::string::npos)
      return path;
  return "";
}

Outcome runFile(const std::string &path, Trust trust) {
  RunOptions options;
  options.arch = isFor(path, "a5") ? "a5" : "a3";
  options.optimize.ordering.trust = trust;
  return run(readText(path), options, path);
}

std::size_t count(const Outcome &outcome, Pipe pipe, Section section, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      outcome.result.decisions.begin(), outcome.result.decisions.end(), [&](const SiteDecision &decision) {
        const SyncSite &site = outcome.module.sites[decision.site];
        return site.kind == SyncKind::Barrier && site.source == pipe && decision.verdict == verdict &&
               std::count(decision.sections.begin(), decision.sections.end(), section);
      }));
}

std::size_t kept(const Outcome &outcome, Pipe pipe, Section section) {
  return count(outcome, pipe, section, Verdict::Kept);
}
std::size_t removed(const Outcome &outcome, Pipe pipe, Section section) {
  return count(outcome, pipe, section, Verdict::Removed);
}

std::size_t flagLines(const Outcome &outcome, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      outcome.result.decisions.begin(), outcome.result.decisions.end(), [&](const SiteDecision &decision) {
        SyncKind kind = outcome.module.sites[decision.site].kind;
        return (kind == SyncKind::SetFlag || kind == SyncKind::WaitFlag) && decision.verdict == verdict;
      }));
}

/// The flag statements with this reason.
std::size_t flagsKept(const Outcome &outcome, KeptReason reason) {
  return static_cast<std::size_t>(std::count_if(
      outcome.result.decisions.begin(), outcome.result.decisions.end(), [&](const SiteDecision &decision) {
        SyncKind kind = outcome.module.sites[decision.site].kind;
        return (kind == SyncKind::SetFlag || kind == SyncKind::WaitFlag) && decision.reason == reason;
      }));
}

/// The open conflicts without their lines, which a moved statement shifts.
std::multiset<std::string> openPairs(const Outcome &outcome) {
  std::multiset<std::string> pairs;
  for (const UnresolvedPair &pair : outcome.result.unresolved)
    pairs.insert(pair.kernel + " " + std::string(sectionName(pair.section)) + " " + hazardKindName(pair.conflict.kind) +
                 " " + pair.conflict.earlier.text + " -> " + pair.conflict.later.text + " on " + pair.conflict.storage +
                 (pair.conflict.loopCarried ? " carried" : ""));
  return pairs;
}

std::multiset<std::string> faults(const Outcome &outcome) {
  std::multiset<std::string> texts;
  for (const TokenFault &fault : outcome.result.tokenFaults)
    texts.insert(fault.kernel + " " + std::string(sectionName(fault.section)) + " " + fault.text);
  return texts;
}

bool includes(const std::multiset<std::string> &all, const std::multiset<std::string> &some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

} // namespace

TEST_CASE("shared kernels: flash attention", "[shared]") {
  for (const char *name : {"flash_attention_135_barriers.cpp", "flash_attention_87_barriers.cpp"}) {
    std::string path = find(name, "a3");
    if (path.empty())
      continue;
    INFO(name);
    Outcome tile = runFile(path, Trust::Tile), library = runFile(path, Trust::Library);
    CHECK(kept(tile, Pipe::V, Section::Vec) <= 63);
    CHECK(kept(library, Pipe::V, Section::Vec) <= 36);
    CHECK(kept(tile, Pipe::MTE3, Section::Vec) == 0);
    CHECK(removed(tile, Pipe::MTE3, Section::Vec) == 1);
    CHECK(tile.result.skipped.empty());
  }
}

TEST_CASE("shared kernels: the barrier in front of the final division goes, for both reasons", "[shared]") {
  std::string path = find("flash_attention_135_barriers.cpp", "a3");
  if (path.empty())
    return;
  for (Trust trust : {Trust::Tile, Trust::Library}) {
    Outcome outcome = runFile(path, trust);
    std::size_t divisions = 0;
    for (const SiteDecision &decision : outcome.result.decisions) {
      if (decision.pattern != "final-div")
        continue;
      ++divisions;
      INFO("line " << outcome.module.sites[decision.site].line << ", trust " << trustName(trust));
      CHECK(decision.verdict == Verdict::Removed);
      auto has = [&](Evidence::By by, bool relied) {
        return std::any_of(decision.evidence.begin(), decision.evidence.end(),
                           [&](const Evidence &evidence) { return evidence.by == by && evidence.relied == relied; });
      };
      CHECK(has(Evidence::By::Rule, trust == Trust::Tile));
      CHECK(has(Evidence::By::Library, trust == Trust::Library));
    }
    CHECK(divisions == 1);
  }
}

TEST_CASE("shared kernels: gemm", "[shared]") {
  std::string path = find("gemm_6144.cpp", "a3");
  if (path.empty())
    return;
  Outcome outcome = runFile(path, Trust::Tile);
  CHECK(removed(outcome, Pipe::MTE1, Section::Cube) == 1);
  CHECK(kept(outcome, Pipe::MTE1, Section::Cube) == 0);
  CHECK(removed(outcome, Pipe::FIX, Section::Cube) == 1);
  CHECK(removed(outcome, Pipe::M, Section::Cube) == 9); // accumulation on ten fractals and more, of 16-bit inputs
  CHECK(kept(outcome, Pipe::M, Section::Cube) == 0);
}

TEST_CASE("shared kernels: rms norm", "[shared]") {
  std::string path = find("rmsnorm.cpp", "a3");
  if (path.empty())
    return;
  CHECK(kept(runFile(path, Trust::Tile), Pipe::V, Section::Vec) <= 20);
  CHECK(kept(runFile(path, Trust::Library), Pipe::V, Section::Vec) <= 12);
}

TEST_CASE("shared kernels: flags that go", "[shared]") {
  struct Kernel {
    const char *name;
    std::size_t lines; // at least
  };
  for (const Kernel &kernel :
       {Kernel{"flash_attention_135_barriers.cpp", 6}, Kernel{"flash_attention_87_barriers.cpp", 6},
        Kernel{"redundant_pipe_pair.cpp", 12}, Kernel{"tri_inv_block2x2.cpp", 4}, Kernel{"ffn_full_tiled.cpp", 2}}) {
    std::string path = find(kernel.name, "a3");
    if (path.empty())
      continue;
    INFO(kernel.name);
    for (Trust trust : {Trust::Tile, Trust::Library})
      CHECK(flagLines(runFile(path, trust), Verdict::Removed) >= kernel.lines);
  }
}

TEST_CASE("shared kernels: flags that prime, carry and drain loops stay", "[shared]") {
  for (const char *name : {"control_flow_mixed_pipe.cpp", "v_mte2_eventid_overlap.cpp", "zero_trip_loop.cpp",
                           "loop_if_else_carried.cpp", "k_loop_l1_reuse.cpp"}) {
    std::string path = find(name, "a3");
    if (path.empty())
      continue;
    INFO(name);
    for (Trust trust : {Trust::Tile, Trust::Library})
      CHECK(flagLines(runFile(path, trust), Verdict::Removed) == 0);
  }
}

TEST_CASE("shared kernels: event ids chosen at run time", "[shared]") {
  if (std::string path = find("eventid_array_dyn_sync.cpp", "a3"); !path.empty()) {
    Outcome outcome = runFile(path, Trust::Tile);
    CHECK(outcome.result.tokenFaults.empty());
    CHECK(flagsKept(outcome, KeptReason::Unbalanced) == 0);
  }
  for (const auto &[name, arch] :
       {std::pair("eventid_array_no_cse.cpp", "a3"), std::pair("multi_tile_affine_disjoint_slots.cpp", "a3-newer"),
        std::pair("multi_tile_alias_slot_dyn_event_id.cpp", "a3-newer")}) {
    std::string path = find(name, arch);
    if (path.empty())
      continue;
    INFO(name);
    Outcome outcome = runFile(path, Trust::Tile);
    CHECK(flagsKept(outcome, KeptReason::Unbalanced) > 0);
    CHECK_FALSE(outcome.result.tokenFaults.empty());
  }
}

TEST_CASE("shared kernels: what holds for each of them", "[shared]") {
  for (const std::string &path : sharedKernels())
    for (Trust trust : {Trust::Tile, Trust::Library}) {
      Outcome outcome = runFile(path, trust);
      INFO(nameOf(path) << " " << trustName(trust));
      for (const SiteDecision &decision : outcome.result.decisions) {
        const SyncSite &site = outcome.module.sites[decision.site];
        INFO("line " << site.line << " " << site.text);
        if (site.protection != Protection::None) // keep comments, tails, flushes
          CHECK(decision.verdict == Verdict::Kept);
        if (decision.verdict == Verdict::Moved)
          CHECK(site.kind != SyncKind::Barrier);
        if (decision.verdict == Verdict::Kept) {
          CHECK(decision.reason != KeptReason::None);
        } else {
          CHECK_FALSE(decision.evidence.empty());
          CHECK_FALSE(decision.pattern.empty());
        }
        if (decision.reason == KeptReason::Unresolved)
          CHECK(decision.witness.has_value());
      }
      // Its own output is left as it is, and has no fault and no open pair that the input has not.
      RunOptions options;
      options.arch = isFor(path, "a5") ? "a5" : "a3";
      options.optimize.ordering.trust = trust;
      Outcome again = run(patched(outcome), options, path);
      for (const SiteDecision &decision : again.result.decisions) {
        INFO("again: line " << again.module.sites[decision.site].line);
        CHECK(decision.verdict == Verdict::Kept);
      }
      CHECK(again.result.skipped.size() == outcome.result.skipped.size());
      CHECK(includes(openPairs(outcome), openPairs(again)));
      CHECK(includes(faults(outcome), faults(again)));
    }
}
