#include "synthesis/exact_optimum.h"

#include "synthesis/edited_kernel.h"
#include "synthesis/kernel_state.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"

#include "replay/verify.h"

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
                const std::string &slot, double known, std::size_t most)
      : module(module), machine(machine), endless(machine.withEndlessIds()), slot(slot), best(known), most(most),
        tree(llvm::cantFail(StatementTree::read(module.kernels[0]))) {
    propose();
    SyncPlan base;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      if (isEditable(module.sites[site]))
        base.removed[site];
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

  Shortest shortest(double cycles, std::size_t known) {
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < proposals.size(); ++i)
      if (trial->fits(i) && cyclesOf({i}) <= cycles)
        all.insert(i);
    best = cycles;
    fewest = known;
    if (settle(all))
      shorten({}, std::move(all));
    return {fewest, visited, visited < most};
  }

private:
  std::size_t statementsOf(const std::set<std::size_t> &chosen) const {
    std::size_t statements = 0;
    for (std::size_t i : chosen)
      statements += trial->candidates()[i].added.size();
    return statements;
  }

  /// What is right and has all of `taken`, without any of `left` that can go; all of `left` is right.
  void shorten(std::set<std::size_t> taken, std::set<std::size_t> left) {
    std::map<std::size_t, std::set<std::size_t>> without;
    for (std::size_t i : left) {
      if (taken.count(i) || visited >= most)
        continue;
      std::set<std::size_t> rest = left;
      rest.erase(i);
      ++visited;
      if (settle(rest) && std::includes(rest.begin(), rest.end(), taken.begin(), taken.end()))
        without.emplace(i, std::move(rest));
      else
        taken.insert(i);
    }
    if (visited >= most || statementsOf(taken) >= fewest || cyclesOf(taken) > best)
      return;
    std::erase_if(without, [&](const auto &entry) { return taken.count(entry.first) != 0; });
    if (without.empty()) {
      if (agrees(taken))
        fewest = statementsOf(taken);
      return;
    }
    auto &[dearest, rest] = *std::max_element(without.begin(), without.end(), [&](const auto &a, const auto &b) {
      return trial->candidates()[a.first].added.size() < trial->candidates()[b.first].added.size();
    });
    if (std::includes(rest.begin(), rest.end(), taken.begin(), taken.end()))
      shorten(taken, rest);
    taken.insert(dearest);
    shorten(std::move(taken), std::move(left));
  }

  /// The replay's word on what the analysis leaves to it: the kernel as it is has all order.
  bool agrees(const std::set<std::size_t> &chosen) const {
    return llvm::cantFail(replay::verify(module, trial->moduleWith(chosen), endless, {})).agreed();
  }

  void propose() {
    Program program = llvm::cantFail(buildProgram(module.kernels[0], machine, {}));
    std::set<PlacedInstruction> found;
    for (const Node &node : program.nodes)
      if (TreePath path = tree.pathOf(*node.statement); !path.empty() && !node.accesses.empty())
        found.insert({path.back(), node.pipe});
    std::vector<PlacedInstruction> instructions(found.begin(), found.end());
    for (const PlacedInstruction &later : instructions) {
      add(later.pipe, later.pipe, {{SyncKind::Barrier, inFront(later.place)}});
      for (const PlacedInstruction &earlier : instructions)
        if (earlier.pipe != later.pipe)
          addFlags(earlier, later);
    }
  }

  ListPlace inFront(ChildPlace place) const { return {place.list, place.child, false, 1}; }
  ListPlace behind(ChildPlace place) const { return {place.list, place.child, true, 0}; }
  ChildPlace around(ListId list) const { return {tree.lists()[list].parent, tree.lists()[list].parentChild}; }
  bool isLoop(ListId list) const { return tree.lists()[list].role == ListRole::Loop; }

  void add(Pipe source, Pipe destination, std::vector<NewSync> syncs) {
    Proposal proposal{source, destination, std::move(syncs), {}};
    auto same = [&](const Proposal &other) {
      return other.source == source && other.destination == destination && other.syncs == proposal.syncs;
    };
    if (std::any_of(proposals.begin(), proposals.end(), same))
      return;
    for (bool slotted : {false, true}) {
      bool inLoop = std::any_of(proposal.syncs.begin(), proposal.syncs.end(),
                                [&](const NewSync &sync) { return isLoop(sync.place.list); });
      if (slotted && (slot.empty() || proposal.isBarrier() || !inLoop))
        continue;
      if (slotted)
        changes.push_back(bySlot(proposal));
      else
        changes.emplace_back().added = additionsOf(proposal, idOf(proposals.size()), module.source, tree);
      proposals.push_back(proposal);
    }
  }

  /// The flag with an id for each slot: those in front of the loop and behind it once for each.
  SyncPlan bySlot(const Proposal &proposal) const {
    std::int64_t id = idOf(proposals.size());
    SyncPlan change;
    std::vector<AddedSync> whole = additionsOf(proposal, id, module.source, tree);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      bool computed = isLoop(proposal.syncs[i].place.list);
      for (std::int64_t of : computed ? std::vector<std::int64_t>{id} : std::vector<std::int64_t>{id, id + 1}) {
        std::string event = computed ? "(event_t) (" + std::to_string(id) + " + " + slot + ")" : eventName(of);
        whole[i].statement = statementText(whole[i].kind, proposal.source, proposal.destination, event);
        change.added.push_back(whole[i]);
      }
    }
    return change;
  }

  static std::int64_t idOf(std::size_t proposal) { return kFirstProposedId + 2 * static_cast<std::int64_t>(proposal); }

  void addFlags(const PlacedInstruction &earlier, const PlacedInstruction &later) {
    ChildPlace from = earlier.place, to = later.place;
    if (isLoop(from.list) && isLoop(to.list)) {
      ChildPlace loop = around(to.list);
      std::vector<ListPlace> sets = {{to.list, to.child, false, 2}}; // beside the wait
      if (from.child > to.child)
        sets.push_back(behind(from));
      for (const ListPlace &set : sets)
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
        auto faulty = [&](std::int64_t id) {
          return state.faults.count(Flag{proposals[i].source, proposals[i].destination, id}) != 0;
        };
        bool raced = state.reuses.count(Flag{proposals[i].source, proposals[i].destination, idOf(i)}) != 0;
        // One statement with two ids is one node to the analysis: what it says of such a flag's reuse is left to
        // agrees().
        bool computed = trial->candidates()[i].added.front().statement.find(slot) != std::string::npos ||
                        trial->candidates()[i].added.size() != proposals[i].syncs.size();
        return faulty(idOf(i)) || faulty(idOf(i) + 1) || (raced && (slot.empty() || !computed));
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
    // With all that is left it is right; what is left to gain without some of it is looked for below.
    if (double whole = cyclesOf(all); whole < best * kNoFaster && agrees(all))
      best = whole;
    if (settle(alone) && alone == taken) {
      double cycles = cyclesOf(taken);
      if (cycles >= best)
        return;
      if (agrees(taken)) {
        best = cycles;
        return;
      }
    }
    std::erase_if(open, [&](std::size_t i) { return !all.count(i); });
    if (open.empty())
      return;
    std::size_t dearest = *std::max_element(open.begin(), open.end(),
                                            [&](std::size_t a, std::size_t b) { return cycles[a] < cycles[b]; });
    open.erase(dearest);
    search(taken, open);
    std::set<std::size_t> with = taken;
    with.insert(dearest);
    search(with, open);
  }

  const Module &module;
  const Machine &machine;
  Machine endless;
  std::string slot;
  double best;
  std::size_t most, visited = 0, fewest = 0;
  StatementTree tree;
  std::vector<Proposal> proposals;
  std::vector<SyncPlan> changes;
  std::optional<TrialKernel> trial;
  std::optional<timing::KernelTiming> timing;
};

} // namespace

Optimum findOptimum(const Module &module, const Machine &machine, const timing::CostTable &costs, const Lift &lift,
                    const std::string &slot, double known, std::size_t most) {
  return OptimumSearch(module, machine, costs, lift, slot, known, most).run();
}

Shortest findShortest(const Module &module, const Machine &machine, const timing::CostTable &costs, const Lift &lift,
                      const std::string &slot, double cycles, std::size_t known, std::size_t most) {
  return OptimumSearch(module, machine, costs, lift, slot, cycles, most).shortest(cycles, known);
}

} // namespace ptosync::test
