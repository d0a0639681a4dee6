// What must be ordered: the one definition, for everybody who asks whether an order may go.
//
//   an event, the instances that may still be running in front of it --> pairs (instance, event) that must be ordered
//
// There are four kinds of obligations.
//
//   conflict    Two accesses meet in memory, or otherwise in a way the machine forbids (hazard.h), and no rule that
//               may justify a removal orders them.
//   fence       One of the two is an opaque call that holds the other (Program::fenceOrder). A call is a fence to its
//               own earlier iterations too, though not to itself: its accesses on several pipes are one call.
//   flag reuse  A set must come behind each wait that may consume an earlier setting of its flag. Sets and waits inside
//               library calls count; what one call does to the flags of another is the library's affair.
//   end         Where a kernel returns, everything: the next kernel on the core relies on what is over by then. What no
//               sync follows is left out of the list of what is open.
//
// Trials ask it about what only the edited kernel leaves running (trial.cpp), Pending about all that is left running
// (`Pending::open`), and every user of that list gets all four kinds: pins, path checks, what is seen whole, versions
// of a kernel that are held against each other. A kind that is missing here is missing everywhere, and an instance that
// is listed is listed with its distance. Tested by tests/ordering/obligations_test.cpp.
#pragma once

#include "ordering/hazard.h"

#include <optional>
#include <string>

namespace ptosync {

enum class ObligationKind : std::uint8_t { Conflict, Fence, FlagReuse, End };

/// Of a pair as Obligations gives it. At the kernel's end the pair has no later node.
ObligationKind obligationKind(const ConflictPair &pair);

/// An instance that must be over when a node starts or when the kernel ends.
struct Obligation {
  ConflictPair pair;
  Excuse silenced = Excuse::None; // Silenced: by a contested rule; a rule that justifies leaves no obligation
  std::string rule;               // that silences it

  ObligationKind kind() const { return obligationKind(pair); }
};

class Obligations {
public:
  Obligations(const Program &program, const HazardModel &model) : program(program), model(model) {}

  /// The row of a state (pending_state.h) that holds what may still be running when the event starts; empty if nothing
  /// has to be over for it.
  std::optional<std::size_t> rowOf(const Event &event) const;
  /// Calls `visit(obligation)` for the instances of `running` that must be over when the event starts, until it returns
  /// false; false if it did. Fences come before conflicts.
  template <typename Visit> bool forEachAt(const Event &event, BitView running, Visit visit) const;
  /// The same where the kernel ends.
  template <typename Visit> bool forEachAtEnd(BitView running, Visit visit) const;

private:
  bool isFenceOrder(std::uint32_t bit, NodeId later) const;
  template <typename Visit> bool forEachFence(NodeId later, BitView running, Visit visit) const;
  template <typename Visit> bool forEachConflict(NodeId later, BitView running, Visit visit) const;
  template <typename Visit> bool forEachReuse(const Event &event, BitView running, Visit visit) const;

  const Program &program;
  const HazardModel &model;
};

template <typename Visit> bool Obligations::forEachAt(const Event &event, BitView running, Visit visit) const {
  switch (event.kind) {
  case Event::Kind::Access:
    return forEachFence(event.node, running, visit) && forEachConflict(event.node, running, visit);
  case Event::Kind::Set:
  case Event::Kind::Inside: return forEachReuse(event, running, visit);
  case Event::Kind::Barrier:
  case Event::Kind::Wait: return true;
  }
  return true;
}

template <typename Visit> bool Obligations::forEachAtEnd(BitView running, Visit visit) const {
  return running.forEachShared(running, [&](std::uint32_t bit) {
    return visit(Obligation{{bit, kNone, HazardKind::Fence, kNone, kNone}, Excuse::None, {}});
  });
}

template <typename Visit> bool Obligations::forEachFence(NodeId later, BitView running, Visit visit) const {
  BitView earlier = program.nodes[later].fence ? running : BitView(model.fences());
  return running.forEachShared(earlier, [&](std::uint32_t bit) {
    return !isFenceOrder(bit, later) ||
           visit(Obligation{{bit, later, HazardKind::Fence, kNone, kNone}, Excuse::None, {}});
  });
}

template <typename Visit> bool Obligations::forEachConflict(NodeId later, BitView running, Visit visit) const {
  return running.forEachShared(model.candidates(later), [&](std::uint32_t bit) {
    std::optional<ConflictPair> pair = model.conflict(bit, later);
    if (!pair)
      return true;
    Obligation obligation{*pair, Excuse::None, {}};
    obligation.silenced = model.excuse(bit, later, &obligation.rule);
    return obligation.silenced == Excuse::Justified || visit(obligation);
  });
}

template <typename Visit> bool Obligations::forEachReuse(const Event &event, BitView running, Visit visit) const {
  const Node &node = program.nodes[event.node];
  if (!node.sets)
    return true;
  auto behind = [&](BitView waits) {
    return running.forEachShared(waits, [&](std::uint32_t bit) {
      return visit(Obligation{{bit, event.node, HazardKind::FlagReuse, kNone, kNone}, Excuse::None, {}});
    });
  };
  if (node.libraryFlag != kNone)
    return behind(model.ownWaits(node.libraryFlag));
  for (std::uint32_t lane : event.lanes)
    if (!behind(model.waits(lane)))
      return false;
  return true;
}

} // namespace ptosync
