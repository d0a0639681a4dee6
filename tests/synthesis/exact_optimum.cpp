#include "synthesis/exact_optimum.h"

#include "synthesis/kernel_state.h"
#include "synthesis/kernel_text.h"
#include "synthesis/sync_text.h"

#include <algorithm>

namespace ptosync::test {
namespace {

using namespace synthesis;

constexpr double kNoFaster = 0.999;

/// An instruction and the child of a list that it is.
struct PlacedInstruction {
  ChildPlace place;
  Pipe pipe = Pipe::S;
  auto operator<=>(const PlacedInstruction &) const = default;
};

class OptimumSearch {
public:
  OptimumSearch(const Module &module, const Machine &machine, const timing::CostTable &costs, const Lift &lift,
                double known, std::size_t most)
      : module(module), machine(machine), endless(machine.withEndlessIds()), best(known), most(most),
        text(llvm::cantFail(KernelText::read(module.kernels[0], module.source))) {
    propose();
    SyncChange base;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      if (module.sites[site].protection == Protection::None && module.sites[site].kind != SyncKind::Tail)
        base.removed.insert(site);
    trial.emplace(llvm::cantFail(TrialKernel::read(module, 0, std::move(base), std::move(changes), lift)));
    timing.emplace(std::move(timing::timeCores({&trial->whole()}, endless, {}, costs).front()));
  }

  Optimum run() {
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < proposals.size(); ++i)
      if (trial->fits(i))
        all.insert(i);
    search({}, all);
    return {best, all.size(), visited, visited < most};
  }

private:
  void propose() {
    Program program = llvm::cantFail(buildProgram(module.kernels[0], machine, {}));
    std::set<PlacedInstruction> found;
    for (const Node &node : program.nodes)
      if (TreePath path = text.pathOf(*node.statement); !path.empty() && !node.accesses.empty())
        found.insert({path.back(), node.pipe});
    std::vector<PlacedInstruction> instructions(found.begin(), found.end());
    for (const PlacedInstruction &later : instructions) {
      add(later.pipe, later.pipe, {{SyncKind::Barrier, inFront(later.place)}});
      for (const PlacedInstruction &earlier : instructions)
        if (earlier.pipe != later.pipe)
          addFlags(earlier, later);
    }
  }

  TextPlace inFront(ChildPlace place) const { return {place.list, place.child, false, 1}; }
  TextPlace behind(ChildPlace place) const { return {place.list, place.child, true, 0}; }
  ChildPlace around(ListId list) const {
    return {text.tree().lists()[list].parent, text.tree().lists()[list].parentChild};
  }
  bool isLoop(ListId list) const { return text.tree().lists()[list].role == ListRole::Loop; }

  void add(Pipe source, Pipe destination, std::vector<NewSync> syncs) {
    Proposal proposal{source, destination, std::move(syncs), {}};
    auto same = [&](const Proposal &other) {
      return other.source == source && other.destination == destination && other.syncs == proposal.syncs;
    };
    if (std::any_of(proposals.begin(), proposals.end(), same))
      return;
    SyncChange change;
    change.added = additionsOf(proposal, kFirstProposedId + static_cast<std::int64_t>(proposals.size()), module.source,
                               text.tree());
    changes.push_back(std::move(change));
    proposals.push_back(std::move(proposal));
  }

  void addFlags(const PlacedInstruction &earlier, const PlacedInstruction &later) {
    ChildPlace from = earlier.place, to = later.place;
    if (isLoop(from.list) && isLoop(to.list)) {
      ChildPlace loop = around(to.list);
      std::vector<TextPlace> sets = {{to.list, to.child, false, 2}}; // beside the wait
      if (from.child > to.child)
        sets.push_back(behind(from));
      for (const TextPlace &set : sets)
        add(earlier.pipe, later.pipe,
            {{SyncKind::SetFlag, {loop.list, loop.child, false, 4}},
             {SyncKind::WaitFlag, inFront(to)},
             {SyncKind::SetFlag, set},
             {SyncKind::WaitFlag, {loop.list, loop.child, true, 5}}});
    } else {
      if (isLoop(from.list))
        from = around(from.list);
      if (isLoop(to.list))
        to = around(to.list);
    }
    if (from.list == to.list && from.child < to.child)
      add(earlier.pipe, later.pipe, {{SyncKind::SetFlag, behind(from)}, {SyncKind::WaitFlag, inFront(to)}});
  }

  double cyclesOf(const std::set<std::size_t> &chosen) const {
    timing::EngineOptions engine;
    engine.ignored.assign(trial->module().sites.size(), false);
    for (SiteId site : trial->without(chosen))
      engine.ignored[site] = true;
    return timing::runEngine(timing->plan(), engine).cycles;
  }

  /// Takes out the flags that are not right even with all the others; true if then nothing is open.
  bool settle(std::set<std::size_t> &chosen) const {
    while (true) {
      Kernel kernel = trial->with(chosen);
      KernelState state = llvm::cantFail(analyseKernel(kernel, endless, {}));
      std::size_t before = chosen.size();
      std::erase_if(chosen, [&](std::size_t i) {
        Flag flag{proposals[i].source, proposals[i].destination, kFirstProposedId + static_cast<std::int64_t>(i)};
        return state.faults.count(flag) || state.reuses.count(flag);
      });
      if (chosen.size() == before)
        return state.open.empty();
    }
  }

  void search(const std::set<std::size_t> &taken, std::set<std::size_t> open) {
    if (visited >= most || ++visited >= most || cyclesOf(taken) >= best * kNoFaster)
      return;
    std::map<std::size_t, double> cycles;
    std::erase_if(open, [&](std::size_t i) {
      if (taken.count(i))
        return true;
      std::set<std::size_t> more = taken;
      more.insert(i);
      return (cycles[i] = cyclesOf(more)) >= best * kNoFaster;
    });
    std::set<std::size_t> all = taken, alone = taken;
    all.insert(open.begin(), open.end());
    if (!settle(all) || !std::includes(all.begin(), all.end(), taken.begin(), taken.end()))
      return;
    if (double whole = cyclesOf(all); whole < best * kNoFaster) {
      best = whole; // no subset of the rest is slower, but none is needed: what is left to gain is looked for below
    }
    if (settle(alone) && alone == taken) {
      best = std::min(best, cyclesOf(taken));
      return;
    }
    std::erase_if(open, [&](std::size_t i) { return !all.count(i); });
    if (open.empty())
      return;
    std::size_t dearest = *std::max_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
      return cycles[a] < cycles[b];
    });
    open.erase(dearest);
    search(taken, open);
    std::set<std::size_t> with = taken;
    with.insert(dearest);
    search(with, open);
  }

  const Module &module;
  const Machine &machine;
  Machine endless;
  double best;
  std::size_t most, visited = 0;
  KernelText text;
  std::vector<Proposal> proposals;
  std::vector<SyncChange> changes;
  std::optional<TrialKernel> trial;
  std::optional<timing::KernelTiming> timing;
};

} // namespace

Optimum findOptimum(const Module &module, const Machine &machine, const timing::CostTable &costs, const Lift &lift,
                    double known, std::size_t most) {
  return OptimumSearch(module, machine, costs, lift, known, most).run();
}

} // namespace ptosync::test
