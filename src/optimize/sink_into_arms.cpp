#include "optimize/sink_into_arms.h"

#include "optimize/flag_webs.h"
#include "optimize/movable.h"
#include "optimize/statement_slots.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ptosync {
namespace {

/// One event of a wait, and the list of statements in which it now stands.
struct Stand {
  std::size_t kernel;
  EventKey key, place;
  StatementList list;
  bool reached = true; // false: this run of the wait never gets to this copy
};

/// One place of the wait in the text. A wait that was not sunk into arms before has one copy, itself.
struct Copy {
  std::uint32_t offset;
  bool arrived;              // it was moved here
  std::vector<Stand> stands; // one per run through it
  std::vector<Evidence> evidence;
};

/// An arm of a branch: its list of statements and the slots in it, by run; in the text they are the same.
struct Arm {
  std::vector<std::size_t> kernels;
  std::vector<StatementList> lists;
  std::vector<std::shared_ptr<const SlotList>> slots; // null: the run never takes this arm
  std::size_t count = 0;                              // of slots that may be used

  const SlotList *firstSlots() const {
    auto taken = std::find_if(slots.begin(), slots.end(), [](const auto &list) { return list != nullptr; });
    return taken == slots.end() ? nullptr : taken->get();
  }
};
constexpr std::size_t kArms = 2;

using Fork = std::vector<Arm>;           // each way through runs one of them
using Places = std::vector<std::size_t>; // a slot of each arm

} // namespace

class ArmSinker::Search {
public:
  Search(EditSession &session, const std::vector<Web> &webs)
      : session(session), webs(webs), directives(session.module().source) {}

  bool run() {
    bool any = false;
    for (const Web &web : webs)
      if (const Pattern *pattern = patternFor(session, PatternAction::SinkIntoArms, web))
        for (SiteId site : web.waits)
          if ((session.decisions().mayEdit() || session.decisions()[site].verdict == Verdict::Moved) &&
              session.decisions().lineChosen(site) && !session.site(site).soleBody && hasConstantId(session, site))
            any |= sink(site, web, *pattern);
    return any;
  }

private:
  bool sink(SiteId site, const Web &web, const Pattern &pattern) {
    if (!standing.count(site) && session.decisions()[site].movedTo.size() > 1)
      return false; // done in an earlier round
    open = session.openPairsOf(web);
    copies = standing.count(site) ? standing[site] : std::vector<Copy>{asItStands(site)};
    bool any = false;
    for (std::size_t i = 0; i < copies.size();)
      if (!settled.count({site, copies[i].offset}) && split(site, i, pattern))
        any = true; // the new copies take its place and are tried in turn
      else
        ++i;
    if (any)
      standing[site] = copies;
    return any;
  }

  Copy asItStands(SiteId site) const {
    const SiteDecision &decision = session.decisions()[site];
    bool moved = decision.verdict == Verdict::Moved;
    Copy copy{moved ? decision.movedTo.front().offset : session.site(site).range.begin, moved, {}, {}};
    for (std::size_t k : session.kernelsOf(site)) {
      const Analysis &kernel = session.kernel(k);
      for (EventKey key : kernel.pending().eventsOf(site))
        if (kernel.pending().reached(key.first)) {
          const Statement &statement = *kernel.program().steps[key.first][key.second].statement;
          EventKey place = kernel.pending().layout().placesOf(key).front();
          copy.stands.push_back({k, key, place, {place.first, statement.anchor.list, statement.context}});
        }
    }
    return copy;
  }

  /// Into the arms of the branch behind the copy; if nobody gains, into the arms of the branches that
  /// those begin with.
  bool split(SiteId site, std::size_t number, const Pattern &pattern) {
    std::optional<Fork> fork = forkOf(site, copies[number]);
    std::optional<EditSession::Refusal> refusal;
    if (fork)
      refusal = refusalOf(number, *fork, Places(fork->size(), 0));
    if (!fork || refusal) {
      if (!fork || isLasting(*refusal))
        settled.insert({site, copies[number].offset});
      return false;
    }
    for (; fork; fork = deepened(site, *fork))
      if (place(site, number, *fork, pattern))
        return true;
    return false;
  }

  bool place(SiteId site, std::size_t number, const Fork &fork, const Pattern &pattern) {
    Places at(fork.size(), 0);
    std::vector<Evidence> limits;
    for (std::size_t arm = 0; arm < fork.size(); ++arm) {
      std::size_t refused = fork[arm].count;
      for (std::size_t next = refused - 1; next != at[arm]; next = at[arm] + (refused - at[arm]) / 2) {
        Places trial = at;
        trial[arm] = next;
        (refusalOf(number, fork, trial) ? refused : at[arm]) = next;
        if (refused == fork[arm].count)
          break;
      }
      limits.push_back(limitOf(number, fork, at, arm, refused));
    }
    if (refusalOf(number, fork, at) || !session.startsEarlier()) {
      session.abandon();
      return false;
    }
    session.commit();
    settle(site, number, fork, at, limits, pattern);
    return true;
  }

  Evidence limitOf(std::size_t number, const Fork &fork, Places at, std::size_t arm, std::size_t refused) {
    std::optional<EditSession::Refusal> refusal;
    if (refused < fork[arm].count) {
      at[arm] = refused;
      refusal = refusalOf(number, fork, at);
    }
    return limitEvidence(session, refusal, "the first that needs it in its arm", "no place behind it in its arm");
  }

  /// With the copy's place taken by a slot of each arm.
  std::optional<EditSession::Refusal> refusalOf(std::size_t number, const Fork &fork, const Places &at) {
    std::map<std::size_t, SyncEdit> edits;
    for (std::size_t run = 0; run < copies[number].stands.size(); ++run) {
      const Stand &stand = copies[number].stands[run];
      std::vector<SyncPlace> &places = edits[stand.kernel].moves[stand.key];
      for (std::size_t other = 0; other < copies.size(); ++other)
        if (other != number && copies[other].stands[run].reached)
          places.push_back(copies[other].stands[run].place);
      for (std::size_t arm = 0; arm < fork.size(); ++arm)
        if (fork[arm].slots[run])
          places.push_back(fork[arm].slots[run]->slots[at[arm]].place);
    }
    return session.tryEdit(edits, open);
  }

  void settle(SiteId site, std::size_t number, const Fork &fork, const Places &at, const std::vector<Evidence> &limits,
              const Pattern &pattern) {
    Copy whole = std::move(copies[number]);
    copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(number));
    if (whole.arrived)
      session.decisions().leave(site, whole.offset);
    for (std::size_t arm = 0; arm < fork.size(); ++arm) {
      const Slot &first = fork[arm].firstSlots()->slots[at[arm]];
      Copy part{first.offset, true, {}, {limits[arm]}};
      for (std::size_t run = 0; run < whole.stands.size(); ++run) {
        StatementList list = fork[arm].lists[run];
        if (!fork[arm].slots[run]) {
          part.stands.push_back({whole.stands[run].kernel, whole.stands[run].key, {}, list, false});
          continue;
        }
        EventKey where = fork[arm].slots[run]->slots[at[arm]].place.at;
        list.step = where.first;
        part.stands.push_back({whole.stands[run].kernel, whole.stands[run].key, where, list});
      }
      session.decisions().arrive(site, first.offset, first.arrived);
      copies.insert(copies.begin() + static_cast<std::ptrdiff_t>(number + arm), std::move(part));
    }
    std::vector<Evidence> evidence;
    for (const Copy &copy : copies)
      evidence.insert(evidence.end(), copy.evidence.begin(), copy.evidence.end());
    session.decisions().move(site, pattern.id, std::move(evidence));
  }

  /// The arms of the branch in front of which the copy stands, if each has a place for one.
  std::optional<Fork> forkOf(SiteId site, const Copy &copy) const {
    Fork fork(kArms);
    for (const Stand &stand : copy.stands) {
      if (!stand.reached) {
        addNothing(fork, stand.kernel);
        continue;
      }
      std::shared_ptr<const SlotList> list = session.slots(stand.kernel).in(stand.list);
      std::size_t own = list->find(copy.offset, copy.arrived ? site : kNone);
      if (!addArms(fork, site, stand.kernel, stand.list, *list, own + 1))
        return std::nullopt;
    }
    if (!countUsable(fork, site))
      return std::nullopt;
    return fork;
  }

  /// With the arms of branches in place of the arms that begin with them; none if there is no such arm.
  std::optional<Fork> deepened(SiteId site, const Fork &fork) const {
    Fork deeper;
    for (const Arm &arm : fork) {
      Fork parts(kArms);
      bool splits = true;
      for (std::size_t run = 0; run < arm.lists.size() && splits; ++run)
        if (arm.slots[run])
          splits = addArms(parts, site, arm.kernels[run], arm.lists[run], *arm.slots[run], 0);
        else
          addNothing(parts, arm.kernels[run]);
      if (splits && countUsable(parts, site))
        deeper.insert(deeper.end(), parts.begin(), parts.end());
      else
        deeper.push_back(arm);
    }
    if (deeper.size() == fork.size())
      return std::nullopt;
    return deeper;
  }

  /// Adds a run to the two arms of the first branch that one of the slots from `first` on is in front of, if
  /// no instruction of the wait's pipe comes before it.
  bool addArms(Fork &fork, SiteId site, std::size_t k, StatementList list, const SlotList &around,
               std::size_t first) const {
    const Program &program = session.kernel(k).program();
    Pipe pipe = session.site(site).destination;
    for (std::size_t i = first; i < around.slots.size(); ++i) {
      const Slot &slot = around.slots[i];
      for (const Event *event : slot.passed)
        if (event->kind == Event::Kind::Access && program.nodes[event->node].pipe == pipe)
          return false;
      if (!slot.branches)
        continue;
      return addTaken(fork, k, list, slot.place.at.first);
    }
    return false;
  }

  /// The arms that can be taken from `step`: both, or the one that its phase decides.
  bool addTaken(Fork &fork, std::size_t k, StatementList list, StepId step) const {
    const Program &program = session.kernel(k).program();
    const Terminator &end = program.kernel->blocks[program.blockOf[step]].terminator;
    std::array<std::optional<StatementList>, kArms> inside;
    for (const Edge &edge : program.edges[step]) {
      std::size_t arm = program.blockOf[edge.to] == end.whenTrue ? 0 : 1;
      // One arm in several states: a place would have to be one in each of them.
      if (inside[arm] || program.blockOf[edge.to] != (arm == 0 ? end.whenTrue : end.whenFalse))
        return false;
      inside[arm] = armOf(program, list, edge.to);
      if (!inside[arm])
        return false;
    }
    for (std::size_t arm = 0; arm < kArms; ++arm) {
      fork[arm].kernels.push_back(k);
      fork[arm].lists.push_back(inside[arm].value_or(StatementList{}));
      fork[arm].slots.push_back(inside[arm] ? session.slots(k).in(*inside[arm]) : nullptr);
    }
    return !(inside[0] && inside[1]) || inside[0]->list != inside[1]->list;
  }

  static void addNothing(Fork &fork, std::size_t k) {
    for (Arm &arm : fork) {
      arm.kernels.push_back(k);
      arm.lists.push_back({});
      arm.slots.push_back(nullptr);
    }
  }

  /// The slots of each arm that every run has and that text can reach; false if an arm has none.
  bool countUsable(Fork &fork, SiteId site) const {
    std::uint32_t from = session.site(site).range.begin;
    for (Arm &arm : fork) {
      const SlotList *taken = arm.firstSlots();
      if (!taken)
        return false;
      const std::vector<Slot> &first = taken->slots;
      auto common = [&](const std::shared_ptr<const SlotList> &list) {
        if (!list)
          return true;
        const std::vector<Slot> &slots = list->slots;
        return arm.count < slots.size() && arm.count < first.size() &&
               slots[arm.count].offset == first[arm.count].offset &&
               slots[arm.count].arrived == first[arm.count].arrived;
      };
      while (!arm.slots.empty() && std::all_of(arm.slots.begin(), arm.slots.end(), common) &&
             !directives.between(from, first[arm.count].offset))
        ++arm.count;
      if (arm.count == 0)
        return false;
    }
    return true;
  }

  EditSession &session;
  const std::vector<Web> &webs;
  Directives directives;
  EditSession::OpenPairs open;                        // of the web under test
  std::vector<Copy> copies;                           // of the wait under test
  std::map<SiteId, std::vector<Copy>> standing;       // of those that were sunk into arms
  std::set<std::pair<SiteId, std::uint32_t>> settled; // copies that an order or the text keeps there for good
};

ArmSinker::ArmSinker(EditSession &session, const std::vector<Web> &webs)
    : search(std::make_unique<Search>(session, webs)) {}
ArmSinker::~ArmSinker() = default;

bool ArmSinker::run() { return search->run(); }

} // namespace ptosync
