// The lists of statements of one kernel as a tree: where in it a statement stands, and where a sync can be put.
//
//   Kernel::lists --bodies of helpers hung into their calls--> StatementTree
//   a statement --pathOf--> the children that it is part of, from the kernel's body inwards
//
// The body of a helper that the kernel calls once counts as a list inside the call; what a helper does that is called
// more often is all at the call. Nothing it says is relied on for soundness: a text with syncs put in is parsed and
// analysed like any other. Tested by tests/synthesis/statement_tree_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <llvm/Support/Error.h>

#include <map>
#include <set>
#include <vector>

namespace ptosync::synthesis {

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

} // namespace ptosync::synthesis
