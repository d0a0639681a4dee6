// Recall of `verify`: every sync that `opt` leaves in a kernel because a conflict needs it is taken out by itself, a
// flag as a whole web, and the replay is asked whether the kernel without it is as good. It must object.
//
// What `opt` keeps with a hazard as its reason and the replay does not object to is one of two things: a run that was
// not made, or a conflict that no run has. The replay must not call either an agreement. The smaller of the kernels
// beside the repository are gone through on every run; all of them take minutes: `ptosync_tests "[verify-recall]"`
// prints the figures, and each sync that the replay does not object to. Skipped where the kernels are not there.
#include "optimize/edit_kinds.h"
#include "optimize/every_kernel.h"
#include "replay/verify.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>

using namespace ptosync;
using namespace ptosync::test;

namespace {

struct VerifyRecall {
  std::size_t kernels = 0, asked = 0, objected = 0;
  std::vector<std::string> undecided, agreed; // "kernel.cpp:12 pipe_barrier(PIPE_V): TADD(..) -> TMUL(..)"
};

class KeptSyncs {
public:
  explicit KeptSyncs(const std::string &path)
      : path(path), arch(archOf(path)), module(lift(patched(run(readText(path), {arch}, path)), arch, path)),
        patterns(llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("all"))),
        session(module, everyKernel(module), machineOf(arch), patterns, options),
        decisions(optimize(module, machineOf(arch), patterns, options).decisions) {}

  void askAll(VerifyRecall &recall) {
    ++recall.kernels;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      if (module.sites[site].kind == SyncKind::Barrier && isNeeded(site))
        takeOut({site}, recall);
    for (const Web &web : editableWebs(session)) {
      const std::set<SiteId> sites = web.sites();
      if (std::any_of(sites.begin(), sites.end(), [&](SiteId site) { return isNeeded(site); }))
        takeOut(sites, recall);
    }
  }

private:
  bool isNeeded(SiteId site) const { return decisions[site].reason == KeptReason::Hazard; }

  void takeOut(const std::set<SiteId> &sites, VerifyRecall &recall) {
    ++recall.asked;
    const Module without = withoutSites(module, sites);
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(module, without, machineOf(arch), {}, {Section::Both}, replay::Unanalysable::Skip);
    if (!verdict)
      FAIL(path << ": " << llvm::toString(verdict.takeError()));
    switch (verdict->answer()) {
    case replay::Answer::Differ: ++recall.objected; break;
    case replay::Answer::Undecided: recall.undecided.push_back(describe(*sites.begin())); break;
    case replay::Answer::Agree: recall.agreed.push_back(describe(*sites.begin())); break;
    }
  }

  std::string describe(SiteId site) const {
    const SyncSite &place = module.sites[site];
    std::string text = path + ":" + std::to_string(place.line) + " " + place.text;
    if (const std::optional<Conflict> &witness = decisions[site].witness)
      text += ": line " + std::to_string(witness->earlier.line) + " " + witness->earlier.text + " -> line " +
              std::to_string(witness->later.line) + " " + witness->later.text;
    return text;
  }

  std::string path, arch;
  Module module;
  Catalogue patterns;
  OptimizeOptions options;
  EditSession session;
  std::vector<SiteDecision> decisions;
};

std::string summary(const VerifyRecall &recall) {
  std::string text = std::to_string(recall.kernels) + " kernels, " + std::to_string(recall.asked) +
                     " needed syncs: " + std::to_string(recall.objected) + " objected to, " +
                     std::to_string(recall.undecided.size()) + " not decided, " + std::to_string(recall.agreed.size()) +
                     " agreed to\n";
  for (const std::string &place : recall.undecided)
    text += "  not decided: " + place + "\n";
  for (const std::string &place : recall.agreed)
    text += "  agreed: " + place + "\n";
  return text;
}

/// Emitted kernels beside the repository, as text.
std::vector<std::string> emittedKernels() {
  std::vector<std::string> kernels = sharedKernels();
  if (kernels.empty())
    return kernels;
  const std::filesystem::path shared = std::filesystem::path(PTOSYNC_SOURCE_DIR) / ".." / "shared";
  for (const char *folder : {"cases", "raw/emitted-a3", "raw/emitted-a5"}) {
    std::error_code none;
    std::vector<std::string> found;
    for (auto entry = std::filesystem::recursive_directory_iterator(shared / folder, none);
         entry != std::filesystem::recursive_directory_iterator(); ++entry)
      if (entry->path().extension() == ".cpp")
        found.push_back(entry->path());
    std::sort(found.begin(), found.end());
    kernels.insert(kernels.end(), found.begin(), found.end());
  }
  return kernels;
}

VerifyRecall recallOf(std::uintmax_t largest) {
  VerifyRecall recall;
  for (const std::string &path : emittedKernels()) {
    if (std::filesystem::file_size(path) > largest)
      continue;
    if (path.find("/refused/") != std::string::npos) // no C++, or nothing that can be analysed
      continue;
    const std::size_t asked = recall.asked, objected = recall.objected;
    KeptSyncs(path).askAll(recall);
    std::cout << path << ": " << recall.objected - objected << " of " << recall.asked - asked << " objected to\n";
  }
  std::cout << summary(recall);
  return recall;
}

} // namespace

TEST_CASE("recall: verify objects to needed syncs that are taken out of small real kernels", "[shared]") {
  if (sharedKernels().empty()) {
    WARN("skipped: there are no kernels beside the repository");
    return;
  }
  const VerifyRecall recall = recallOf(7000); // bytes
  // Two stores in the arms of a branch that goes one way in each run: the ordering analysis does not see it.
  REQUIRE(recall.agreed.size() == 1);
  CHECK(recall.agreed.front().find("/control_flow_mixed_pipe.cpp:55 ") != std::string::npos);
  CHECK(recall.objected >= 100);
}

TEST_CASE("recall: verify objects to each needed sync that is taken out of a real kernel", "[.][verify-recall]") {
  const VerifyRecall recall = recallOf(UINTMAX_MAX);
  CHECK(recall.objected * 1000 >= recall.asked * 995);
}
