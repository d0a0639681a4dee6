// Conflicts between nodes, the machine rules that order them, and what must be ordered.
//
//   1  TLOAD(a, g)          MTE2   writes a
//   2  TADDS(b, a, 1)       V      conflict(1, 2): RAW on a; no rule: an obligation
//   3  TADDS(c, b, 1)       V      conflict(2, 3): RAW on b; none if b is long enough for the rule same-access-chain
//   4  unknown(v)                  an opaque call: fence obligations with 1, 2 and 3
//   5  set_flag(V, MTE2, 0)        flag reuse: behind each wait that may consume an earlier setting of that flag
//   6  return                      end: 1 to 4 must be over
//
// `conflict(earlier, later)` says whether two instances meet in memory with at least one write (or in another way the
// machine forbids), and `excuse` which machine rule orders the pair all the same. Contested rules are told apart: they
// silence, they never justify. Obligations is the one definition of what must be ordered, for everybody who asks
// whether an order may go. There are four kinds.
//
//   conflict    Two accesses meet in memory, or otherwise in a way the machine forbids, and no rule that may justify a
//               removal orders them.
//   fence       One of the two is an opaque call that holds the other (Program::fenceOrder). A call is a fence to its
//               own earlier iterations too, though not to itself: its accesses on several pipes are one call.
//   flag reuse  A set must come behind each wait that may consume an earlier setting of its flag. Sets and waits inside
//               library calls count; what one call does to the flags of another is the library's affair.
//   end         Where a kernel returns, everything: the next kernel on the core relies on what is over by then. What no
//               sync follows is left out of the list of what is open.
//
// Trials ask it about what only the edited kernel leaves running, Pending about all that is left running
// (`Pending::open`), and every user of that list gets all four kinds: pins, path checks, what is seen whole, versions
// of a kernel that are held against each other. A kind that is missing here is missing everywhere, and an instance that
// is listed is listed with its distance. Tested by tests/ordering/hazard_test.cpp.
#pragma once

#include "ordering/conflict.h"
#include "ordering/program.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// The pair of accesses that makes two nodes conflict.
struct ConflictPair {
  std::uint32_t bit = 0; // the earlier instance
  NodeId later = kNone;
  HazardKind kind = HazardKind::ReadAfterWrite;
  std::uint32_t earlierAccess = kNone, laterAccess = kNone; // kNone for fences
};

enum class Excuse : std::uint8_t { None, Justified, Silenced };

class HazardModel {
public:
  explicit HazardModel(const Program &program);

  /// Returns the first conflict between the instance `bit` and node `later`; nothing if there is none.
  /// Fences are not conflicts here.
  std::optional<ConflictPair> conflict(std::uint32_t bit, NodeId later) const;
  /// Returns all of them, by access of the earlier and then of the later one.
  std::vector<ConflictPair> conflicts(std::uint32_t bit, NodeId later) const;

  /// Returns true only if the two accesses of the pair certainly share a byte. Under-approximate.
  bool certainlyMeets(const ConflictPair &pair) const;
  /// The same where the later instance is in the first iteration of each loop that only it is in.
  bool certainlyMeetsAtEntry(const ConflictPair &pair) const;
  const AccessComparer &comparison() const { return comparer; }

  /// Says whether a machine rule orders every conflict of the pair; `rule` receives its id.
  Excuse excuse(std::uint32_t bit, NodeId later, std::string *rule = nullptr) const;

  /// Returns the bits of nodes whose accesses could meet those of `node` at any distance; a superset.
  const BitSet &candidates(NodeId node) const;
  /// Returns the bits of nodes whose accesses could meet those of some node on `pipe`.
  const BitSet &candidatesOn(Pipe pipe) const;
  /// Returns the bits of fences.
  const BitSet &fences() const { return fenceBits; }
  /// Returns the bits of nodes that run on `pipe`.
  const BitSet &column(Pipe pipe) const { return columns[index(pipe)]; }

  /// Returns the bits of the waits that may consume a flag, by index into Program::flags, those inside library calls
  /// included.
  const BitSet &waits(std::uint32_t flag) const { return waitBits[flag]; }
  /// Returns the bits of the waits of the kernel's own that may consume it.
  const BitSet &ownWaits(std::uint32_t flag) const { return ownWaitBits[flag]; }

  /// Returns the flags that a library call uses inside; null if there are none.
  const std::vector<std::uint32_t> *insideOf(const Statement *call) const {
    auto found = insideOfCall.find(call);
    return found == insideOfCall.end() ? nullptr : found->second;
  }
  /// Returns true if some library call of the kernel uses flags inside.
  bool anyInside() const { return !insideOfCall.empty(); }

  Conflict describe(const ConflictPair &pair) const;
  InstructionPlace place(NodeId node) const;
  /// Returns true if the library's own barrier inside `later` stands before the conflicting access, or
  /// one at the end of the earlier instruction after it. Independent of the trust level.
  bool libraryOrders(const ConflictPair &pair) const;

private:
  Excuse excuseByRules(std::uint32_t bit, NodeId later, std::string *rule) const;
  struct Region {
    const Access *access;
    BitSet readers, writers;
    std::vector<std::uint32_t> overlapping;
  };
  HazardModel(const HazardModel &) = delete; // candidatesOfNode points into it
  void findWaits();
  void buildRegions();
  bool meets(const Node &earlier, const Access &a, const Node &later, const Access &b,
             IterationDistance distance) const;
  template <typename Visit> void forEachConflict(std::uint32_t bit, NodeId later, Visit visit) const;
  /// Silenced: only the assembler's reading of the rule holds.
  Excuse chainRule(std::uint32_t bit, NodeId later) const;
  bool lateEnough(const Access &written, const Access &read) const;
  enum class Accumulation : std::uint8_t {
    None,
    Unsized, // how much is added up is not known, or the rule does not speak of these inputs
    Small,   // too little for the order to be there
    Large,
    OtherSize, // of two sizes that begin at one place: nothing says that the rules speak of it, nor that they do not
  };
  Accumulation accumulation(std::uint32_t bit, NodeId later) const;
  bool loadRule(std::uint32_t bit, NodeId later) const;

  const Program &program;
  AccessComparer comparer;
  std::optional<std::size_t> accumulator; // the L0C space
  std::array<BitSet, kPipeCount> columns;
  BitSet fenceBits;
  std::vector<BitSet> waitBits, ownWaitBits;
  std::map<const Statement *, const std::vector<std::uint32_t> *> insideOfCall;
  std::vector<Region> regions;
  std::vector<std::vector<std::uint32_t>> regionsOfNode;
  // Nodes that access the same have the same candidates.
  mutable std::map<std::vector<std::pair<std::uint32_t, bool>>, BitSet> candidateSets; // by region, and if reads matter
  mutable std::vector<const BitSet *> candidatesOfNode;                                // null: not known yet
  mutable std::array<std::optional<BitSet>, kPipeCount> candidatesOfPipe;
};

enum class ObligationKind : std::uint8_t { Conflict, Fence, FlagReuse, End };

/// Returns the kind of a pair as Obligations gives it. At the kernel's end the pair has no later node.
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

  /// Returns the row of a state (pending_state.h) that holds what may still be running when the event starts; nothing
  /// if nothing has to be over for it.
  std::optional<std::size_t> rowOf(const Event &event) const;
  /// Calls `visit(obligation)` for the instances of `running` that must be over when the event starts, until it returns
  /// false; returns false if it did. Fences come before conflicts.
  template <typename Visit> bool forEachAt(const Event &event, const BitSet &running, Visit visit) const;
  /// The same where the kernel ends.
  template <typename Visit> bool forEachAtEnd(const BitSet &running, Visit visit) const;

private:
  bool isFenceOrder(std::uint32_t bit, NodeId later) const;
  template <typename Visit> bool forEachFence(NodeId later, const BitSet &running, Visit visit) const;
  template <typename Visit> bool forEachConflict(NodeId later, const BitSet &running, Visit visit) const;
  template <typename Visit> bool forEachReuse(const Event &event, const BitSet &running, Visit visit) const;

  const Program &program;
  const HazardModel &model;
};

template <typename Visit> bool Obligations::forEachAt(const Event &event, const BitSet &running, Visit visit) const {
  switch (event.kind) {
  case Event::Kind::Access:
    return forEachFence(event.node, running, visit) && forEachConflict(event.node, running, visit);
  case Event::Kind::Set:
  case Event::Kind::Inside: return forEachReuse(event, running, visit);
  case Event::Kind::Barrier:
  case Event::Kind::Wait:
  case Event::Kind::Get:
  case Event::Kind::Release: return true;
  }
  return true;
}

template <typename Visit> bool Obligations::forEachAtEnd(const BitSet &running, Visit visit) const {
  return running.forEachShared(running, [&](std::uint32_t bit) {
    return visit(Obligation{{bit, kNone, HazardKind::Fence, kNone, kNone}, Excuse::None, {}});
  });
}

template <typename Visit> bool Obligations::forEachFence(NodeId later, const BitSet &running, Visit visit) const {
  const BitSet &earlier = program.nodes[later].fence ? running : model.fences();
  return running.forEachShared(earlier, [&](std::uint32_t bit) {
    return !isFenceOrder(bit, later) ||
           visit(Obligation{{bit, later, HazardKind::Fence, kNone, kNone}, Excuse::None, {}});
  });
}

template <typename Visit> bool Obligations::forEachConflict(NodeId later, const BitSet &running, Visit visit) const {
  return running.forEachShared(model.candidates(later), [&](std::uint32_t bit) {
    std::optional<ConflictPair> pair = model.conflict(bit, later);
    if (!pair)
      return true;
    Obligation obligation{*pair, Excuse::None, {}};
    obligation.silenced = model.excuse(bit, later, &obligation.rule);
    return obligation.silenced == Excuse::Justified || visit(obligation);
  });
}

template <typename Visit> bool Obligations::forEachReuse(const Event &event, const BitSet &running, Visit visit) const {
  const Node &node = program.nodes[event.node];
  if (!node.sets)
    return true;
  auto behind = [&](const BitSet &waits) {
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
