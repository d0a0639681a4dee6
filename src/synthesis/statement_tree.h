// The lists of statements of one function body, read from its text: where a sync can be put.
//
//   text of a body --scan--> lists, each with its children; a child holds the lists inside it
//
// A place for a sync is in front of a child or behind it. The scan knows statements, not expressions: it follows
// brackets, literals and comments. What it does not follow (a `switch`, a label) makes the body unreadable. Nothing it
// says is relied on for soundness: text with syncs put in is parsed and analysed like any other.
// Tested by tests/synthesis/statement_tree_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <llvm/Support/Error.h>

#include <map>
#include <string_view>
#include <vector>

namespace ptosync::synthesis {

using ListId = std::uint32_t;

enum class ListRole : std::uint8_t {
  Body,  // of the function
  Loop,  // of `for`, `while` or `do`
  Arm,   // of an `if` or `else`
  Block, // braces alone
};

struct Child {
  std::uint32_t begin = 0, end = 0; // bytes; the end is behind its `;` or `}`
  std::uint32_t front = 0;          // where a statement in front of it goes: in front of the pragmas that are about it
  std::vector<ListId> lists;        // directly inside
  bool directive = false;           // a line of the preprocessor
  bool empty = false;               // a lone `;`
};

struct StatementList {
  std::uint32_t open = 0, close = 0; // offsets of `{` and `}`
  ListId parent = kNone;
  std::uint32_t parentChild = kNone; // in the parent's children
  ListRole role = ListRole::Body;
  std::vector<Child> children;
};

/// A child of a list.
struct ChildPlace {
  ListId list = kNone;
  std::uint32_t child = kNone;
  auto operator<=>(const ChildPlace &) const = default;
};

/// From the outermost list inwards.
using TreePath = std::vector<ChildPlace>;

/// Where a comment that begins with `//`, or a directive, ends: at the end of its line, or of the last that a backslash
/// joins to it.
std::size_t endOfJoinedLine(std::string_view text, std::size_t begin);

class StatementTree {
public:
  /// `open`: the offset of the body's `{`. The error says what was not understood and in which line.
  static llvm::Expected<StatementTree> read(const SourceText &source, std::uint32_t open);
  /// The body of a function that a child calls, as a list inside that child.
  llvm::Error addBody(const SourceText &source, std::uint32_t open, ChildPlace call);

  const std::vector<StatementList> &lists() const { return all; }
  /// The list whose `{` is at an offset; kNone if there is none.
  ListId listAt(std::uint32_t open) const;
  /// The way to a child that begins at an offset; empty if there is none.
  TreePath pathTo(Anchor anchor) const;
  /// The innermost child under `list` that a line is part of, without bodies that were added; empty if there is none.
  TreePath pathToLine(const SourceText &source, ListId list, std::uint32_t line) const;
  /// Of the lists around a child, those that are bodies of loops.
  std::uint32_t loopsAround(ListId list) const;

private:
  class Reader;
  TreePath pathOf(ChildPlace place) const;
  std::vector<StatementList> all; // the body first
  std::map<std::uint32_t, ListId> byOpen;
};

} // namespace ptosync::synthesis
