#include "synthesis/order_repair.h"

#include "synthesis/event_ids.h"
#include "synthesis/proposals.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace ptosync::synthesis {
namespace {

constexpr std::size_t kMostTried = 96;      // proposals
constexpr std::size_t kMostRoundTrips = 64; // pairs of flags
constexpr std::size_t kMostCovers = 20000;  // steps of the search for the smallest

/// One proposal, or two that are half of one each, or that keep each other from being set too early.
struct Cover {
  std::set<std::size_t> members; // of the trial's candidates
  std::set<OpenPair> orders;
  std::size_t statements = 0;
  double cycles = 0;
};

class OrderRepairer {
public:
  OrderRepairer(const RepairContext &context, const SyncPlan &base, std::set<OpenPair> wanted)
      : context(context), base(base), wanted(std::move(wanted)) {}

  llvm::Expected<OrderRepair> run() {
    OrderRepair result;
    if (llvm::Error error = readOrder())
      return std::move(error);
    if (wanted.empty())
      return result;
    if (llvm::Error error = findCovers(places()))
      return std::move(error);
    if (const std::set<OpenPair> alone = uncovered(); !alone.empty()) // where no flag does it the pipes meet
      if (llvm::Error error = findCovers(meetingsFor(orderOf(alone), context.machine, context.kernel().section)))
        return std::move(error);
    for (const OpenPair &pair : uncovered())
      result.left.push_back({pair, whyNot()});
    for (const StillOpen &open : result.left)
      wanted.erase(open.pair);
    if (wanted.empty())
      return result;
    std::vector<std::size_t> chosen = smallest();
    dropNeedless(chosen);
    if (llvm::Error error = finish(chosen, result))
      return std::move(error);
    return result;
  }

private:
  /// What is open as it is; what is not is no longer wanted.
  llvm::Error readOrder() {
    llvm::Expected<TrialKernel> plain = TrialKernel::read(context.module, context.number, base, {}, context.lift);
    if (!plain)
      return plain.takeError();
    unmended = plain->with({});
    llvm::Expected<KernelState> read = analyseKernel(unmended, context.machine, context.ordering);
    if (!read)
      return read.takeError();
    state.emplace(std::move(*read));
    std::erase_if(wanted, [&](const OpenPair &pair) { return !state->open.count(pair); });
    return llvm::Error::success();
  }

  RequiredOrder orderOf(const std::set<OpenPair> &asked) const {
    std::vector<Obligation> pairs;
    for (const OpenObligation &open : state->analysis.pending().open(ObligationKind::Conflict))
      if (open.silenced != Excuse::Silenced && asked.count(state->pairOf(open.pair)))
        pairs.push_back(open);
    return orderAmong(state->analysis.program(), pairs, context.placesOf(unmended));
  }

  std::vector<Proposal> places() {
    const RequiredOrder order = orderOf(wanted);
    unplaced = order.unplaced != 0;
    for (const RequiredPair &pair : order.pairs)
      unplaced = unplaced || (pair.earlier == pair.later && !pair.carried);
    std::vector<Proposal> all = proposalsFor(order, context.tree);
    return all.size() > kMostTried ? proposalsFor(order, context.tree, Range::Plain) : all;
  }

  /// Reads the kernel with these too.
  llvm::Error offer(std::vector<Proposal> more) {
    for (Proposal &proposal : more)
      if (isLegal(proposal, context.machine, context.kernel().section))
        proposals.push_back(std::move(proposal));
    if (proposals.size() > kMostTried)
      return llvm::createStringError(kTooManyPlaces);
    std::vector<SyncPlan> candidates(proposals.size());
    for (std::size_t i = 0; i < proposals.size(); ++i)
      candidates[i].added = context.additions(proposals[i], proposedId(i));
    llvm::Expected<TrialKernel> read =
        TrialKernel::read(context.module, context.number, base, std::move(candidates), context.lift);
    if (!read)
      return read.takeError();
    trial.emplace(std::move(*read));
    return llvm::Error::success();
  }

  Flag flagOf(std::size_t proposal) const {
    return {proposals[proposal].source, proposals[proposal].destination, proposedId(proposal)};
  }

  /// What is open with these; empty if one of their flags is not right, or another one is worse than before.
  std::optional<std::set<OpenPair>> openWith(const std::set<std::size_t> &members, double *cycles = nullptr) const {
    Kernel kernel = trial->with(members);
    llvm::Expected<KernelState> state = analyseKernel(kernel, context.endless, context.ordering);
    if (!state) {
      llvm::consumeError(state.takeError());
      return std::nullopt;
    }
    for (std::size_t i : members)
      if (!trial->fits(i) ||
          (!proposals[i].isBarrier() && (state->faults.count(flagOf(i)) || state->reuses.count(flagOf(i)))))
        return std::nullopt;
    if (cycles)
      *cycles = state->faults.empty() ? context.time(kernel) : 0;
    return state->open;
  }

  /// By handshake, those without one alone.
  std::vector<std::set<std::size_t>> groups() const {
    std::map<std::uint32_t, std::set<std::size_t>> handshakes;
    std::vector<std::set<std::size_t>> result;
    for (std::size_t i = 0; i < proposals.size(); ++i)
      if (proposals[i].handshake == kNone)
        result.push_back({i});
      else
        handshakes[proposals[i].handshake].insert(i);
    for (auto &[number, members] : handshakes)
      result.push_back(std::move(members));
    return result;
  }

  /// False if one of their flags is not right with these alone.
  bool addCover(const std::set<std::size_t> &members) {
    Cover cover;
    std::optional<std::set<OpenPair>> open = openWith(members, &cover.cycles);
    if (!open)
      return false;
    for (const OpenPair &pair : wanted)
      if (!open->count(pair))
        cover.orders.insert(pair);
    for (std::size_t i : members)
      cover.statements += proposals[i].syncs.size();
    cover.members = members;
    if (!cover.orders.empty())
      covers.push_back(std::move(cover));
    return true;
  }

  std::set<OpenPair> uncovered() const {
    std::set<OpenPair> left = wanted;
    for (const Cover &cover : covers)
      for (const OpenPair &pair : cover.orders)
        left.erase(pair);
    return left;
  }

  /// What all that is proposed orders, with these. What was looked at before is again: in the longer text a comment may
  /// stand at another statement.
  llvm::Error findCovers(std::vector<Proposal> more) {
    if (llvm::Error error = offer(std::move(more)))
      return error;
    covers.clear();
    std::vector<std::size_t> wrongAlone;
    for (const std::set<std::size_t> &members : groups())
      if (!addCover(members) && members.size() == 1)
        wrongAlone.push_back(*members.begin());
    if (!uncovered().empty())
      addRoundTrips(wrongAlone);
    std::stable_sort(covers.begin(), covers.end(), [](const Cover &a, const Cover &b) {
      return std::tie(a.statements, a.cycles) < std::tie(b.statements, b.cycles);
    });
    return llvm::Error::success();
  }

  /// Two flags of which each says that the other one was waited for.
  void addRoundTrips(const std::vector<std::size_t> &flags) {
    std::size_t tried = 0;
    for (auto first = flags.begin(); first != flags.end(); ++first)
      for (auto second = first + 1; second != flags.end(); ++second)
        if (proposals[*first].source == proposals[*second].destination &&
            proposals[*first].destination == proposals[*second].source && ++tried <= kMostRoundTrips)
          addCover({*first, *second});
  }

  using Cost = std::pair<std::size_t, double>;

  void search(const std::set<OpenPair> &left, std::vector<std::size_t> &taken, Cost cost) {
    if (left.empty()) {
      if (found.empty() || cost < least) {
        found = taken;
        least = cost;
      }
      return;
    }
    if (++steps > kMostCovers || (!found.empty() && cost.first >= least.first))
      return;
    // The pair that the fewest order.
    const OpenPair *next = nullptr;
    std::size_t fewest = 0;
    for (const OpenPair &pair : left) {
      std::size_t count =
          std::count_if(covers.begin(), covers.end(), [&](const Cover &cover) { return cover.orders.count(pair); });
      if (!next || count < fewest) {
        next = &pair;
        fewest = count;
      }
    }
    for (std::size_t i = 0; i < covers.size(); ++i) {
      if (!covers[i].orders.count(*next))
        continue;
      std::set<OpenPair> rest;
      std::set_difference(left.begin(), left.end(), covers[i].orders.begin(), covers[i].orders.end(),
                          std::inserter(rest, rest.end()));
      taken.push_back(i);
      search(rest, taken, {cost.first + covers[i].statements, cost.second + covers[i].cycles});
      taken.pop_back();
    }
  }

  std::vector<std::size_t> smallest() {
    std::vector<std::size_t> taken;
    search(wanted, taken, {0, 0});
    return found;
  }

  std::set<std::size_t> membersOf(const std::vector<std::size_t> &chosen) const {
    std::set<std::size_t> members;
    for (std::size_t i : chosen)
      members.insert(covers[i].members.begin(), covers[i].members.end());
    return members;
  }

  bool ordersAll(const std::vector<std::size_t> &chosen) const {
    std::optional<std::set<OpenPair>> open = openWith(membersOf(chosen));
    return open && std::none_of(wanted.begin(), wanted.end(), [&](const OpenPair &pair) { return open->count(pair); });
  }

  /// What one of them orders another may order on the way.
  void dropNeedless(std::vector<std::size_t> &chosen) const {
    for (std::size_t i = chosen.size(); chosen.size() > 1 && i-- > 0;) {
      std::vector<std::size_t> less = chosen;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      if (ordersAll(less))
        chosen = std::move(less);
    }
  }

  llvm::Error finish(const std::vector<std::size_t> &chosen, OrderRepair &result) const {
    if (!ordersAll(chosen))
      return llvm::createStringError("what would order each of its pairs alone does not order them together");
    std::set<std::size_t> members = membersOf(chosen);
    std::vector<std::set<SiteId>> flags;
    for (std::size_t i : members)
      if (!proposals[i].isBarrier())
        flags.push_back(trial->sitesOf(i));
    Kernel kernel = trial->with(members);
    llvm::Expected<KernelState> state = analyseKernel(kernel, context.endless, context.ordering);
    if (!state)
      return state.takeError();
    IdAssignment ids = assignIds(state->analysis.program(), state->analysis.pending(), flags, context.machine.flagIds(),
                                 context.reservedIds);
    if (!ids.shortage.empty())
      return llvm::createStringError("no event id is free " +
                                     betweenPipes(ids.shortage.begin()->first, ids.shortage.begin()->second));
    std::map<std::size_t, std::int64_t> idOfMember;
    auto next = ids.ids.begin();
    for (std::size_t i : members)
      if (!proposals[i].isBarrier())
        idOfMember[i] = *next++;
    for (std::size_t cover : chosen) {
      SyncPlan change;
      for (std::size_t i : covers[cover].members) {
        std::int64_t id = proposals[i].isBarrier() ? -1 : idOfMember.at(i);
        for (AddedSync &sync : context.additions(proposals[i], id))
          change.added.push_back(std::move(sync));
      }
      result.changes.push_back(std::move(change));
    }
    return llvm::Error::success();
  }

  std::string whyNot() const {
    if (unplaced)
      return "no sync can be put between the two: they stand in a helper that is called several times, in a macro, or "
             "in no list of statements";
    if (proposals.empty())
      return "there is no barrier or flag that could order the two";
    return "nothing that can be put in is seen to order the two";
  }

  const RepairContext &context;
  const SyncPlan &base;
  std::set<OpenPair> wanted;
  Kernel unmended;
  std::optional<KernelState> state; // of `unmended`
  std::vector<Proposal> proposals;
  std::optional<TrialKernel> trial;
  std::vector<Cover> covers;
  std::vector<std::size_t> found; // the smallest cover so far
  Cost least{0, 0};
  std::size_t steps = 0;
  bool unplaced = false; // some pair has no place between its statements
};

} // namespace

llvm::Expected<OrderRepair> repairOrder(const RepairContext &context, const SyncPlan &base,
                                        const std::set<OpenPair> &wanted) {
  return OrderRepairer(context, base, wanted).run();
}

} // namespace ptosync::synthesis
