// Where in a kernel's text a missing set or wait could have stood.
//
//   lists of statements + what runs in each child --> places, those that order something at all
//
// A set orders what is in front of it on its pipe, so it is put behind what runs there; a wait in front of what runs on
// its pipe; both also in front of loops, behind them, and beside other statements of their flag. Nothing is put behind
// the kernel's end fence, or between a keep comment and the sync that it holds.
// Tested by tests/synthesis/sync_places_test.cpp.
#pragma once

#include "ordering/program.h"
#include "synthesis/proposal.h"
#include "synthesis/statement_tree.h"

namespace ptosync::synthesis {

class SyncPlaces {
public:
  SyncPlaces(const Kernel &kernel, const StatementTree &tree, const SourceText &source, const Program &program);

  /// For a set or a wait of a flag whose statements stand at `beside`, offsets in the text.
  std::vector<TextPlace> forFlag(SyncKind kind, Pipe pipe, const std::set<std::uint32_t> &beside) const;
  /// The statement at an offset, if it is a child of a list by itself.
  std::optional<TextPlace> inFrontOf(std::uint32_t offset) const;
  /// True if a name of an expression seems to be given a value between a place and child `use` of its list.
  bool definesBehind(const TextPlace &place, std::uint32_t use, std::string_view expression) const;
  /// The offset of a place in the text.
  std::uint32_t offsetOf(const TextPlace &place) const;
  std::uint32_t lineOf(const TextPlace &place) const;

private:
  bool holdsLoop(ListId list, std::uint32_t child) const;
  bool runsOn(ListId list, std::uint32_t child, Pipe pipe) const;
  bool holds(ListId list, std::uint32_t child, const std::set<std::uint32_t> &offsets) const;
  std::optional<TextPlace> inFront(ListId list, std::uint32_t child) const;
  std::optional<TextPlace> behind(ListId list, std::uint32_t child) const;
  std::optional<TextPlace> gap(ListId list, std::uint32_t child, SyncKind kind) const;

  const StatementTree &tree;
  const SourceText &source;
  std::map<ChildPlace, std::set<Pipe>> pipes; // of what runs in a child, at any depth
  std::map<ListId, std::uint32_t> ends;       // by list: the child that is the kernel's end fence
};

} // namespace ptosync::synthesis
