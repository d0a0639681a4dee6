#include "explain/sync_effect.h"

#include "optimize/edit_session.h"
#include "optimize/pins.h"

#include <algorithm>
#include <tuple>

namespace ptosync {
namespace {

class EffectFinder {
public:
  EffectFinder(const AnalysedFile &file, std::size_t number, const std::set<SiteId> &sites)
      : kernel(file.kernels()[number]), sites(sites),
        edited(kernel.kernel(), file.machine, file.options.ordering, {sites, std::nullopt}), pending(edited.pending()) {
  }

  SyncEffect run() {
    effect.kernel = kernel.kernel().name;
    effect.section = kernel.kernel().section;
    effect.incomplete = kernel.pending().tooManyOpen() || pending.tooManyOpen();
    findNeeded();
    findOtherwise();
    findSuspected();
    return std::move(effect);
  }

private:
  using Statements = std::pair<const Statement *, const Statement *>;

  Statements statementsOf(const ConflictPair &pair) const {
    const Program &program = edited.program();
    return {program.nodes[program.nodeOfBit[pair.bit]].statement, program.nodes[pair.later].statement};
  }

  void findNeeded() {
    std::vector<OpenObligation> open = newlyOpen(kernel.pending(), pending);
    // One line for two statements: a conflict, and of these the plainest kind, the same iteration before a later one.
    auto rank = [&](const OpenObligation &one) {
      const bool conflict = one.kind() == ObligationKind::Conflict;
      return std::tuple(!conflict, one.kind() == ObligationKind::Fence,
                        conflict && !edited.program().distanceOf(one.pair.bit).sameIteration(),
                        conflict ? one.pair.kind : HazardKind{});
    };
    std::stable_sort(open.begin(), open.end(),
                     [&](const OpenObligation &a, const OpenObligation &b) { return rank(a) < rank(b); });
    for (const OpenObligation &one : open)
      if (one.kind() != ObligationKind::End && seen.insert(statementsOf(one.pair)).second)
        needed.push_back(one.pair);
    std::stable_sort(needed.begin(), needed.end(), [&](const ConflictPair &a, const ConflictPair &b) {
      const std::vector<NodeId> &nodeOf = edited.program().nodeOfBit;
      return std::pair(a.later, nodeOf[b.bit]) < std::pair(b.later, nodeOf[a.bit]); // the nearest earlier one first
    });
    for (const ConflictPair &pair : needed) {
      SyncEffect::Needed entry{pending.hazards().describe(pair), {}};
      if (pair.laterAccess != kNone && pending.hazards().excuse(pair.bit, pair.later, &entry.contested) == Excuse::None)
        entry.contested.clear();
      effect.needed.push_back(std::move(entry));
    }
  }

  void findOtherwise() {
    Pending::Faced faced;
    for (SiteId site : sites)
      for (const auto &[key, rows] : kernel.pending().facedBy(site)) {
        // Behind the sync, where the kernel without it goes on.
        EventKey place = edited.keyOf({key.first, key.second + 1});
        for (const auto &[row, bits] : rows) {
          auto [entry, inserted] = faced[{place.first, place.second - 1}].try_emplace(row, bits);
          if (!inserted)
            entry->second.unite(bits);
        }
      }
    for (Evidence &evidence : evidenceOf(edited.analysis(), faced))
      if (evidence.conflict && !isNeeded(*evidence.conflict))
        effect.otherwise.push_back(std::move(evidence));
  }

  bool isNeeded(const Conflict &conflict) const {
    return std::any_of(effect.needed.begin(), effect.needed.end(), [&](const SyncEffect::Needed &entry) {
      return entry.conflict.earlier.line == conflict.earlier.line && entry.conflict.later.line == conflict.later.line &&
             entry.conflict.earlier.calledFrom == conflict.earlier.calledFrom &&
             entry.conflict.later.calledFrom == conflict.later.calledFrom;
    });
  }

  void findSuspected() {
    Pins pins(kernel.program(), kernel.pending());
    std::vector<ConflictPair> pairs;
    if (sites.size() == 1)
      pairs = pins.ofBarrier(*sites.begin());
    for (const Web &web : kernel.webs())
      if (sites.count(web.firstSite()))
        for (const ConflictPair &pair : pins.ofWeb(web))
          pairs.push_back(pair);
    for (const ConflictPair &pair : pairs)
      if (pair.later != kNone && pair.kind != HazardKind::FlagReuse && pair.kind != HazardKind::Fence &&
          seen.insert(statementsOf(pair)).second)
        effect.suspected.push_back(kernel.hazards().describe(pair));
  }

  const Analysis &kernel;
  const std::set<SiteId> &sites;
  EditedProgram edited;
  const Pending &pending; // of the edited program
  std::set<Statements> seen;
  std::vector<ConflictPair> needed;
  SyncEffect effect;
};

} // namespace

SyncEffect syncEffect(const AnalysedFile &file, std::size_t kernel, const std::set<SiteId> &sites) {
  return EffectFinder(file, kernel, sites).run();
}

bool opensNothing(const AnalysedFile &file, std::size_t number, const SyncChange &change) {
  const Analysis &kernel = file.kernels()[number];
  EditedProgram edited(kernel.kernel(), file.machine, file.options.ordering, change);
  const Pending &pending = edited.pending();
  return !kernel.pending().tooManyOpen() && !pending.tooManyOpen() && newlyOpen(kernel.pending(), pending).empty();
}

} // namespace ptosync
