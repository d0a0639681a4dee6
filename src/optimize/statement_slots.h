// Where in the text a sync could stand instead: the places in front of statements that run exactly
// when it does.
//
//   an event, its list of statements --walk along equivalent blocks--> slots in the order they run
//
// A slot is in front of a statement of the same `{ }` as the sync's own, in the same call: text put
// there runs once for each time the sync's statement runs, before or after it. Blocks in between (the
// arms of an `if`, whole loops) are passed as one. Syncs that moved have their slots where they now
// stand. Labels have no slot.
// The arm of a branch has a list of its own: its slots run when that arm is taken, and never else.
// Sound: a block is passed only to one that is dominated by it, in the same loops and on every way out.
// It does not judge what an order may become.
// Tested by tests/optimize/statement_slots_test.cpp.
#pragma once

#include "ordering/pending.h"

#include <llvm/ADT/SmallVector.h>

#include <compare>
#include <map>
#include <memory>
#include <optional>

namespace ptosync {

struct Slot {
  SyncPlace place;
  std::uint32_t offset = kNone; // in the text: begin of the statement behind it, of those that did not move
  SiteId arrived = kNone;       // a sync that moved there and stands behind the slot
  bool branches = false;        // behind it the step ends with a branch, which is no loop's test
  llvm::SmallVector<const Event *, 4> passed; // run between the slot before and this one
};

/// A list of statements, in one call, that runs through a step.
struct StatementList {
  StepId step;
  std::uint32_t list;    // like Anchor::list
  std::uint32_t context; // like Statement::context
  auto operator<=>(const StatementList &) const = default;
};

/// The slots of one list, in the order in which they run; of a long list those near an event.
class SlotList {
public:
  SlotList() = default;
  explicit SlotList(std::vector<Slot> slots, bool moreBefore = false, bool moreBehind = false);

  /// The number of a slot; that of all slots if there is none.
  std::size_t find(std::uint32_t offset, SiteId arrived) const;
  /// Returns true if it holds `reach` slots on both sides of that one, or all there are.
  bool reaches(std::size_t slot, std::size_t reach) const;

  std::vector<Slot> slots;

private:
  std::vector<std::size_t> byPlace; // numbers of slots, by Slot::offset and Slot::arrived
  bool moreBefore = false, moreBehind = false;
};

/// The slots of a kernel's lists of statements as its syncs now stand. What was looked up is kept until
/// the next edit.
class StatementSlots {
public:
  StatementSlots(const Program &program, const Pending &pending, const std::vector<SyncSite> &sites);

  /// Returns the slots of the list that an event's statement is in, its own included; `Slot::offset` of that is the
  /// begin of the statement. At least `reach` on both sides, or as many as there are. Empty if the statement is in no
  /// list or has moved.
  std::shared_ptr<const SlotList> around(EventKey event, std::size_t reach);
  /// Returns all slots of a list. They are the same for every step, list and call that a StatementList names.
  std::shared_ptr<const SlotList> in(StatementList list);
  /// To be called when an edit was committed.
  void forget() {
    known.clear();
    near.clear();
  }

private:
  class SlotReader;

  const Program &program;
  const Pending &pending;
  const std::vector<SyncSite> &sites;
  std::vector<std::vector<StepId>> predecessors;                        // by step, without going round a loop
  std::map<StatementList, std::shared_ptr<const SlotList>> known, near; // whole lists; the last part of each
};

/// The list of statements that runs when the branch at the end of `branching.step` goes to `target`, if
/// that is the only way there: an arm's. None if the target is not in a list of its own.
std::optional<StatementList> armOf(const Program &program, StatementList branching, StepId target);

} // namespace ptosync
