// Conflicts between nodes and the machine rules that order them.
//
// `conflict(earlier, later)` says whether two instances meet in memory with at least one write
// (or in another way the machine forbids), and `excuse` which machine rule orders the pair all
// the same. Contested rules are told apart: they silence, they never justify.
// Tested by tests/ordering/hazard_test.cpp.
#pragma once

#include "ordering/conflict.h"
#include "ordering/program.h"

#include <optional>
#include <string>

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

  /// The first conflict between the instance `bit` and node `later`; empty if there is none.
  /// Fences are not conflicts here.
  std::optional<ConflictPair> conflict(std::uint32_t bit, NodeId later) const;
  /// All of them, by access of the earlier and then of the later one.
  std::vector<ConflictPair> conflicts(std::uint32_t bit, NodeId later) const;

  /// True only if the two accesses of the pair certainly share a byte. Under-approximate.
  bool certainlyMeets(const ConflictPair &pair) const;
  /// The same where the later instance is in the first iteration of each loop that only it is in.
  bool certainlyMeetsAtEntry(const ConflictPair &pair) const;
  const AccessComparer &comparison() const { return comparer; }

  /// Whether a machine rule orders every conflict of the pair; `rule` receives its id.
  Excuse excuse(std::uint32_t bit, NodeId later, std::string *rule = nullptr) const;

  /// Bits of nodes whose accesses could meet those of `node` at any distance; a superset.
  const BitSet &candidates(NodeId node) const;
  /// Bits of fences.
  const BitSet &fences() const { return fenceBits; }
  /// Bits of nodes that run on `pipe`.
  const BitSet &column(Pipe pipe) const { return columns[index(pipe)]; }

  /// Bits of the waits that may consume a flag, by index into Program::flags, those inside library calls included.
  const BitSet &waits(std::uint32_t flag) const { return waitBits[flag]; }
  /// Bits of the waits of the kernel's own that may consume it.
  const BitSet &ownWaits(std::uint32_t flag) const { return ownWaitBits[flag]; }

  Conflict describe(const ConflictPair &pair) const;
  InstructionPlace place(NodeId node) const;
  /// True if the library's own barrier inside `later` stands before the conflicting access, or
  /// one at the end of the earlier instruction after it. Independent of the trust level.
  bool libraryOrders(const ConflictPair &pair) const;

private:
  struct Region {
    const Access *access;
    BitSet readers, writers;
    std::vector<std::uint32_t> overlapping;
  };
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
  };
  Accumulation accumulation(std::uint32_t bit, NodeId later) const;
  bool loadRule(std::uint32_t bit, NodeId later) const;

  const Program &program;
  AccessComparer comparer;
  std::optional<std::size_t> accumulator; // the L0C space
  std::array<BitSet, kPipeCount> columns;
  BitSet fenceBits;
  std::vector<BitSet> waitBits, ownWaitBits;
  std::vector<Region> regions;
  std::vector<std::vector<std::uint32_t>> regionsOfNode;
  mutable std::vector<std::optional<BitSet>> candidateSets;
};

} // namespace ptosync
