// Byte accesses of instructions and whether two of them can meet.
//
// An access is a footprint at a symbolic base in one memory space. Two instances of accesses are
// compared at their iteration distance: atoms that have one value for both cancel, counters
// differ by the distance, tables are compared phase by phase, and what is left is bounded by
// ranges and by divisibility. `mayOverlap` false is exact: no byte is shared on any run. True
// means "could not be excluded".
// Tested by tests/ordering/access_test.cpp.
#pragma once

#include "machine/footprint.h"
#include "ordering/argument_relations.h"
#include "ordering/flow_graph.h"
#include "ordering/scalar_value.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ptosync {

/// How far apart, in iterations, an earlier instance is from the current one. All loops around
/// both that lie outside `loop` are in the same iteration; inside it nothing is known.
struct IterationDistance {
  LoopId loop = kNone;     // kNone: the same iteration of every loop around both
  std::uint32_t count = 0; // iterations of `loop` since; > 0 if loop is set
  bool atLeast = false;    // `count` or more
  bool sameIteration() const { return loop == kNone; }
};

struct Access {
  std::uint32_t space = 0;        // index into Machine::spaces
  ScalarValue base;               // byte address in the space
  std::optional<Footprint> bytes; // empty: anywhere in the space (GM: in the same argument)
  bool reads = false, writes = false;
  bool scratch = false;                     // a tmp operand or hidden memory
  bool hidden = false;                      // not named in the call
  std::optional<Footprint> certain;         // touched on every reading; empty: all of `bytes`
  std::int64_t certainOffset = 0;           // where `certain` begins, in bytes from the base
  bool doubtful = false;                    // on some reading nothing is touched
  bool widened = false;                     // more than the tile's valid region
  AccessOrder order = AccessOrder::Unknown; // in which the repeats go over the tile
  std::optional<Tile> tile;                 // for rules about exact accesses
  std::string name;                         // operand as spelled, for messages
};

struct OverlapOptions {
  std::optional<std::size_t> globalMemory; // index of GM; its arguments do not overlap...
  bool argumentsMayAlias = false;          // ...unless this is set, for all of them
  ArgumentRelations related;               // ...or these two may
};

/// Compares accesses of one kernel.
class AccessComparer {
public:
  AccessComparer(const ScalarAlgebra &scalars, const FlowGraph &graph, OverlapOptions options)
      : scalars(scalars), graph(graph), options(options) {}

  /// `earlierLoop` and `laterLoop` are the innermost loops around the two instructions.
  bool mayOverlap(const Access &earlier, LoopId earlierLoop, const Access &later, LoopId laterLoop,
                  IterationDistance distance) const;

  /// Returns true only if both certainly share a byte on every run that has the two instances. Under-approximate.
  bool mustOverlap(const Access &earlier, LoopId earlierLoop, const Access &later, LoopId laterLoop,
                   IterationDistance distance) const;

  /// The same where the later instance is in the first iteration of each loop around it that is not around the
  /// earlier one. Under-approximate.
  bool mustOverlapAtEntry(const Access &earlier, LoopId earlierLoop, Access later, LoopId laterLoop,
                          IterationDistance distance) const;

  /// Returns true only if both are certain to be the same bytes in the same shape.
  bool sameAccess(const Access &earlier, LoopId earlierLoop, const Access &later, LoopId laterLoop,
                  IterationDistance distance) const;

  /// "UB [98304, 98432)", "GM argument v1, unknown bytes".
  std::string describe(const Access &access, std::string_view spaceName) const;

  /// " (by the text it may be p)" where two accesses in different arguments may meet, as the text relates these.
  std::string describeRelation(const Access &earlier, const Access &later) const;

private:
  struct Gap; // later base minus earlier base
  Gap gapBetween(const Access &earlier, LoopId earlierLoop, const Access &later, LoopId laterLoop,
                 IterationDistance distance) const;
  Interval boundsIn(const Atom &atom, LoopId loop) const;
  bool sameInstance(const Atom &atom, LoopId earlierLoop, LoopId laterLoop, IterationDistance distance) const;

  const ScalarAlgebra &scalars;
  const FlowGraph &graph;
  OverlapOptions options;
};

} // namespace ptosync
