// The single changes of a kernel's text that could have a part in making a flag binary.
//
//   statements of the flag + places (sync_places.h) --> insertions, removals, statements on another id
//
// Only proposed here; flag_repair.h tries them. Tested by tests/synthesis/fix_test.cpp and tests/golden/fix_test.cpp.
#pragma once

#include "synthesis/repair_context.h"
#include "synthesis/sync_places.h"

namespace ptosync::synthesis {

/// A statement that uses the flag.
struct FlagUse {
  SyncKind kind = SyncKind::SetFlag;
  SiteId site = kNone;
  std::uint32_t offset = 0;
  std::optional<TextPlace> place; // if it is one that can be replaced
  std::set<Flag> flags;           // that it may mean
};

/// What one of the changes is.
struct FlagChange {
  enum class Kind : std::uint8_t { Retarget, Remove, Insert, Fresh };
  Kind kind = Kind::Insert;
  SyncKind sync = SyncKind::SetFlag;
  std::uint32_t distance = 0; // statements to the nearest one of the flag
  std::uint32_t line = 0;
  ListId list = kNone;   // Insert: where
  std::set<Flag> others; // Retarget: the flag it becomes; Insert of a computed id: those that it may mean
};

class FlagChanges {
public:
  FlagChanges(const RepairContext &context, const SyncChange &base, const Flag &flag)
      : context(context), base(base), flag(flag), order(context.kernel().lists) {}

  /// What the kernel has of the flag, and which flags are faulty beside it.
  llvm::Error look();
  /// Everything but what proposeComputed() does.
  void propose();
  /// In the place of what was proposed: copies of statements whose event id is computed, as the other half of the flag.
  void proposeComputed();

  const std::vector<FlagUse> &uses() const { return used; }
  /// Some statement of the flag may mean others too.
  bool undecided() const { return computed; }
  /// A library call uses the flag inside.
  bool usedInside() const { return inside; }
  /// One for each change, in the same order.
  const std::vector<FlagChange> &kinds() const { return options; }
  const std::vector<SyncChange> &changes() const { return proposed; }

private:
  std::uint32_t distanceTo(std::uint32_t offset) const;
  void add(FlagChange option, SyncChange change);
  SyncChange inserted(SyncKind kind, const TextPlace &place, std::int64_t id) const;
  SyncChange replaced(const FlagUse &use, std::int64_t id) const;
  void addInsertions();
  void addRemovals();
  void addRetargets();
  void addFresh();

  const RepairContext &context;
  const SyncChange &base;
  Flag flag;
  StatementOrder order;
  std::optional<SyncPlaces> places;
  std::vector<FlagUse> used;
  std::set<std::uint32_t> offsets; // of them
  std::set<Flag> faulty;           // other flags between the same pipes
  bool computed = false, inside = false;
  std::vector<FlagChange> options;
  std::vector<SyncChange> proposed;
};

} // namespace ptosync::synthesis
