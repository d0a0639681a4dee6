// Finds the pairs of instructions that a kernel without its syncs must keep in order, and where in its lists of
// statements they stand.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/pending.h"

#include <llvm/Support/Error.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync::synthesis {

// Why no flag can be put into a file whose events get their ids from the run: the id that a new flag takes might be one
// of theirs (SyncSite::namedId).
// Tested by tests/synthesis/required_order_test.cpp.

/// The reason; empty if every flag of the file has an id of the text.
inline std::optional<std::string> idsOfTheRun(const Module &module) {
  auto found =
      std::find_if(module.sites.begin(), module.sites.end(), [](const SyncSite &site) { return site.namedId; });
  if (found == module.sites.end())
    return std::nullopt;
  return "the run gives out the id of the event on line " + std::to_string(found->line) +
         ", which a new flag might take as well";
}

// The lists of statements of one kernel as a tree: where in it a statement stands, and where a sync can be put.
//
//   Kernel::lists --bodies of helpers hung into their calls--> StatementTree
//   a statement --pathOf--> the children that it is part of, from the kernel's body inwards
//
// The body of a helper that the kernel calls once counts as a list inside the call; what a helper does that is called
// more often is all at the call. Nothing it says is relied on for soundness: a text with syncs put in is parsed and
// analysed like any other. Tested by tests/synthesis/required_order_test.cpp.

/// A child of a list.
struct ChildPlace {
  ListId list = kNone;
  std::uint32_t child = kNone;
  auto operator<=>(const ChildPlace &) const = default;
};

/// From the outermost list inwards.
using TreePath = std::vector<ChildPlace>;

class StatementTree {
public:
  /// The error says why no sync can be put into the kernel's text, and in which line.
  static llvm::Expected<StatementTree> read(const Kernel &kernel);

  /// The kernel's body is the first one. A parent has a smaller number than the lists inside it.
  const std::vector<BraceList> &lists() const { return all; }
  const BraceList::Child &child(ChildPlace place) const { return all[place.list].children[place.child]; }
  /// Empty where the statement is in no list.
  TreePath pathOf(const Statement &statement) const;
  /// Of the statement that a block ends with; empty where that is the body's end.
  TreePath pathOf(const Terminator &terminator) const;

private:
  llvm::Error addBody(const Kernel &kernel, ListId body, ChildPlace call);
  llvm::Error addHelper(const Kernel &kernel, std::uint32_t context, const std::map<std::uint32_t, ListId> &bodies);
  TreePath pathTo(Anchor anchor) const;
  TreePath pathToOffset(ListId list, std::uint32_t offset) const;
  TreePath pathOf(ChildPlace place) const;

  std::vector<BraceList> all;
  std::map<std::uint32_t, ListId> byOpen;  // offset of the brace
  std::map<std::uint32_t, TreePath> calls; // by context: of what has no lists of its own
  std::set<std::uint32_t> opened;          // contexts that have
};

/// The statements of a kernel's text one behind the other, whatever lines they stand on and however they are indented.
class StatementOrder {
public:
  /// The lists must outlive it.
  explicit StatementOrder(const std::vector<BraceList> &lists);

  /// Returns how many statements begin in front of a byte, and how many of those that hold lists end there.
  std::uint32_t before(std::uint32_t offset) const;
  /// Returns how many lists of one function are around a byte.
  std::uint32_t depthAt(std::uint32_t offset) const;

private:
  const std::vector<BraceList> &lists;
  std::vector<std::uint32_t> marks; // where one begins or ends, in order
};

// What must be over before what starts in a kernel, whatever its syncs are.
//
//   Kernel --without its syncs--> Program, Pending --open pairs--> RequiredPair
//
// All pairs that conflict in memory and that no machine rule of use orders, and orders relative to an opaque fence that
// the kernel's own syncs see to; pairs of the same two statements are one, told apart by the loop that carries them.
// Syncs that may not be edited stay. Exact as far as the analysis is; who wants to be sure analyses the kernel that
// results. Tested by tests/synthesis/required_order_test.cpp.

/// Why one statement must wait for another, in words: "the write of v3", "the read".
struct OrderReason {
  std::string earlier, later;
  std::uint32_t earlierLine = 0, laterLine = 0;
};

/// A variable that changes by the same amount each time round its loop.
struct LoopCounter {
  std::string name;
  std::int64_t step = 1;             // not 0; below 0 only where `start` is known
  std::optional<std::int64_t> start; // in the first iteration, not below 0; empty: not known
  std::optional<std::int64_t> trips; // exact; empty: not known
};

/// The most ids that one flag has.
inline constexpr std::uint32_t kMostSlots = 4;

struct RequiredPair {
  TreePath earlier, later;
  Pipe source = Pipe::S, destination = Pipe::S;
  bool carried = false; // round a loop that is around both; otherwise both are in the same iteration
  LoopId loop = kNone;  // the innermost around both
  // Carried: the fewest iterations of `loop` from the one to the other; of what comes round a loop outside of it, as
  // many as it has there, if a flag may have an id for each. 0: not known.
  std::uint32_t lag = 0;
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

/// With OrderingOptions::fromNothing orders relative to fences are those that are needed in any kernel.
llvm::Expected<RequiredOrder> requiredOrder(const Module &module, std::size_t kernel, const StatementTree &tree,
                                            const Machine &machine, const OrderingOptions &options);

/// The kernel without the syncs that may be edited.
Kernel stripped(const Kernel &kernel, const std::vector<SyncSite> &sites);

} // namespace ptosync::synthesis
