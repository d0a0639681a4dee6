// What must be over before what starts in a kernel, whatever its syncs are.
//
//   Kernel --without its syncs--> Program, Pending --open pairs--> RequiredPair
//
// All pairs that conflict in memory and that no machine rule of use orders, and orders relative to an opaque fence that
// the kernel's own syncs see to; pairs of the same two statements are one, told apart by the loop that carries them.
// Syncs that may not be edited stay. Exact as far as the analysis is; who wants to be sure analyses the kernel that
// results. Tested by tests/synthesis/required_order_test.cpp.
#pragma once

#include "machine/machine.h"
#include "ordering/pending.h"
#include "synthesis/statement_tree.h"

#include <functional>
#include <optional>

namespace ptosync::synthesis {

/// Why one statement must wait for another, in words: "the write of v3", "the read".
struct OrderReason {
  std::string earlier, later;
  std::uint32_t earlierLine = 0, laterLine = 0;
};

/// A variable that grows by the same amount each time round its loop.
struct LoopCounter {
  std::string name;
  std::int64_t step = 1;             // above 0
  std::optional<std::int64_t> start; // in the first iteration, not below 0; empty: not known
  std::optional<std::int64_t> trips; // exact; empty: not known
};

struct RequiredPair {
  TreePath earlier, later;
  Pipe source = Pipe::S, destination = Pipe::S;
  bool carried = false;  // round a loop that is around both; otherwise both are in the same iteration
  LoopId loop = kNone;   // the innermost around both
  std::uint32_t lag = 0; // carried round `loop`: the fewest iterations from the one to the other; 0: not known
  std::vector<LoopId> earlierLoops, laterLoops; // around one of them alone, from the outermost inwards
  bool silenced = false;                        // a contested rule orders it
  OrderReason reason;
};

struct RequiredOrder {
  std::vector<RequiredPair> pairs;        // in the order of the later statement, then of the earlier one
  std::map<LoopId, LoopCounter> counters; // of loops that have one
  std::uint32_t unplaced = 0;             // pairs of statements that are in no list
  bool complete = true;                   // false: too many to list
};

/// Where a statement stands in the text that syncs are put into, and its line there.
struct StatementPlace {
  TreePath path;
  std::uint32_t line = 0;
};
using PlaceOf = std::function<StatementPlace(const Statement &)>;

OrderReason reasonOf(const Program &program, const ConflictPair &pair, const PlaceOf &placeOf);

/// These pairs of a program alone.
RequiredOrder orderAmong(const Program &program, const std::vector<Obligation> &pairs, const PlaceOf &placeOf);

llvm::Expected<RequiredOrder> requiredOrder(const Module &module, std::size_t kernel, const StatementTree &tree,
                                            const Machine &machine, const OrderingOptions &options);

/// The kernel without the syncs that may be edited.
Kernel stripped(const Kernel &kernel, const std::vector<SyncSite> &sites);

} // namespace ptosync::synthesis
