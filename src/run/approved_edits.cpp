#include "run/approved_edits.h"

#include "report/report.h"

#include <llvm/ADT/STLExtras.h>

#include <map>
#include <set>
#include <utility>

namespace ptosync {
namespace {

/// An edit of some run.
struct SeenEdit {
  EditName name;
  std::set<SiteId> sites;
  std::map<SiteId, std::vector<Evidence>> evidence;
};

using EditsSeen = std::vector<SeenEdit>; // by number

EditsSeen editsIn(const Module &module, const OptimizeResult &result) {
  const std::map<std::uint32_t, EditName> names = nameEdits(module, result);
  EditsSeen list;
  list.reserve(names.size());
  for (const auto &[number, edit] : numberedEdits(module, result)) {
    list.push_back({names.at(number), {}, {}});
    for (const SiteDecision *decision : edit.decided) {
      list.back().sites.insert(decision->site);
      list.back().evidence[decision->site] = decision->evidence;
    }
  }
  return list;
}

bool contains(const EditsSeen &edits, const std::string &fingerprint) {
  return llvm::any_of(edits, [&](const SeenEdit &edit) { return edit.name.fingerprint == fingerprint; });
}

bool shareSite(const std::set<SiteId> &a, const std::set<SiteId> &b) {
  return llvm::any_of(a, [&](SiteId site) { return b.count(site) != 0; });
}

class Approver {
public:
  Approver(const Module &module, const Approval &approval, const DecideWithin &decide)
      : module(module), approval(approval), decide(decide) {
    outcome.appliesRest = approval.applyRest;
  }

  std::set<std::string> meet() {
    runWithin(std::nullopt);
    leaveOutRejected();
    if (!approval.applyRest)
      holdNew();
    return std::move(outcome.met);
  }

  llvm::Expected<ApprovedEdits> run() {
    runWithin(std::nullopt);
    leaveOutRejected();
    const OptimizeResult tried = result;
    if (!approval.applyRest)
      holdNew();
    else
      for (const SeenEdit &edit : edits)
        if (!approval.approves(edit.name.fingerprint))
          outcome.fresh.push_back(edit.name);
    for (const SeenEdit &edit : edits)
      if (!letsThrough(edit))
        return llvm::createStringError("internal error: the edit " + edit.name.fingerprint + " (" + edit.name.title +
                                       ") was made, which the approval leaves out; nothing was written. Please report "
                                       "it with the kernel and the approval");
    for (const SeenEdit &edit : wanted)
      if (!contains(edits, edit.name.fingerprint))
        outcome.blocked.push_back({edit.name, {}});
    outcome.applied = edits.size();
    // The trials go on from here, and this is what is made.
    ApprovedEdits made{result, {}};
    sayWhatIsLeftOut(tried, made.result);
    const EditsSeen last = edits;
    for (const SeenEdit &edit : leftOut)
      outcome.held.push_back({edit.name, edit.sites});
    for (ApprovalOutcome::Blocked &blocked : outcome.blocked)
      blocked.needs = neededFor(blocked.edit.fingerprint, last);
    made.outcome = std::move(outcome);
    return made;
  }

private:
  /// Decides within these statements, and notes the edits that are seen.
  void runWithin(const std::optional<std::set<SiteId>> &sites) {
    result = decide(sites);
    edits = editsIn(module, result);
    for (const SeenEdit &edit : edits)
      if (outcome.met.insert(edit.name.fingerprint);
          approval.approves(edit.name.fingerprint) && !contains(wanted, edit.name.fingerprint))
        wanted.push_back(edit);
  }

  void leaveOutRejected() {
    std::set<SiteId> allowed;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      allowed.insert(site);
    for (bool again = true; again;) {
      again = false;
      for (const SeenEdit &edit : edits)
        if (approval.rejects(edit.name.fingerprint)) {
          leftOut.push_back(edit);
          outcome.rejected.push_back(edit.name);
          for (SiteId site : edit.sites)
            again |= allowed.erase(site) != 0;
        }
      if (again)
        runWithin(allowed);
    }
  }

  void holdNew() {
    std::set<SiteId> allowed;
    for (const SeenEdit &edit : edits)
      if (approval.approves(edit.name.fingerprint)) {
        allowed.insert(edit.sites.begin(), edit.sites.end());
      } else {
        outcome.fresh.push_back(edit.name);
        leftOut.push_back(edit);
      }
    for (bool again = !outcome.fresh.empty(); again;) {
      again = false;
      runWithin(allowed);
      for (const SeenEdit &edit : edits)
        if (!letsThrough(edit)) // done otherwise than it was approved
          for (SiteId site : edit.sites)
            again |= allowed.erase(site) != 0;
    }
  }

  bool letsThrough(const SeenEdit &edit) const {
    return !approval.rejects(edit.name.fingerprint) && (approval.applyRest || approval.approves(edit.name.fingerprint));
  }

  /// Edits that were left out, of which one makes the approved one possible beside those of the result; all that may
  /// have a part in it if none does alone.
  std::vector<EditName> neededFor(const std::string &fingerprint, const EditsSeen &made) {
    const SeenEdit &blocked =
        *llvm::find_if(wanted, [&](const SeenEdit &edit) { return edit.name.fingerprint == fingerprint; });
    std::set<SiteId> allowed = blocked.sites;
    for (const SeenEdit &edit : made)
      allowed.insert(edit.sites.begin(), edit.sites.end());
    std::vector<EditName> all;
    for (const SeenEdit &edit : leftOut) {
      if (edit.name.kernel != blocked.name.kernel)
        continue;
      if (shareSite(edit.sites, blocked.sites))
        return {edit.name}; // they are about one statement
      all.push_back(edit.name);
    }
    for (const SeenEdit &edit : leftOut) {
      if (edit.name.kernel != blocked.name.kernel || ++trials > kMostApprovalTrials)
        continue;
      std::set<SiteId> with = allowed;
      with.insert(edit.sites.begin(), edit.sites.end());
      if (contains(editsIn(module, decide(with)), fingerprint))
        return {edit.name};
    }
    return all;
  }

  /// Says of each statement that an edit was kept from why it stays; of what would have stayed anyway, why it did where
  /// it was `tried`.
  void sayWhatIsLeftOut(const OptimizeResult &tried, OptimizeResult &made) const {
    for (SiteDecision &decision : made.decisions)
      if (const SiteDecision &before = tried.decisions[decision.site]; decision.verdict == Verdict::Kept &&
                                                                       decision.reason == KeptReason::NotApproved &&
                                                                       before.verdict == Verdict::Kept)
        decision = before;
    for (const SeenEdit &edit : leftOut)
      for (SiteId site : edit.sites) {
        SiteDecision &decision = made.decisions[site];
        if (decision.verdict != Verdict::Kept)
          continue;
        decision.reason = KeptReason::NotApproved;
        decision.witness.reset();
        decision.evidence = edit.evidence.at(site);
        decision.detail = approval.rejects(edit.name.fingerprint) ? "the approval rejects its edit"
                                                                  : "the approval does not name its edit";
      }
  }

  const Module &module;
  const Approval &approval;
  const DecideWithin &decide;
  OptimizeResult result; // of the last run
  EditsSeen edits;       // its edits
  EditsSeen wanted;      // approved ones of any run
  EditsSeen leftOut;     // rejected and held ones
  std::size_t trials = 0;
  ApprovalOutcome outcome;
};

} // namespace

llvm::Expected<ApprovedEdits> decideApproved(const Module &module, const Approval &approval,
                                             const DecideWithin &decide) {
  return Approver(module, approval, decide).run();
}

std::set<std::string> editsMet(const Module &module, const Approval &approval, const DecideWithin &decide) {
  return Approver(module, approval, decide).meet();
}

} // namespace ptosync
