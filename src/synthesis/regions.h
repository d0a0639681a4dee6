// Cuts a kernel that is too long to be placed anew at once into regions, each a text of its own.
//
//   list of statements --about the same work in each--> Region --everything else blank--> text, read like any other
//
//   12  TLOAD(v1, g);                     12
//   13  for (..) { TADD(v2, v1, v1); }    13  for (..) {                  }       the loop is around the region
//   ..                                    ..
//   40    TMUL(v3, v2, v2);               40    TMUL(v3, v2, v2);                 the region, inside that loop
//
// Blanks take the place of what goes, byte for byte, so an offset or a line of the one text is that of the other. What
// stays of the rest: some work on either side of the region, round its loop too; the syncs whose flags reach in; the
// loops and branches around all that; and whatever gives a value to a name that is used in what stays. Syncs outside
// the region are not edited (SyncSite::keepReason says so), and neither are those inside whose flags reach out.
//
// Nothing that a region says of itself is relied on: what it leaves out may need an order that its syncs give, and a
// name may have another value without what is blank. A region is asked for proposals, no more; what they are good for
// is decided in the whole kernel (reduction.h), and verified there (verification.h). Does not part an instruction from
// another in the same statement. Tested by tests/synthesis/regions_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/program.h"
#include "synthesis/edited_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync::synthesis {

/// Children of one list that follow each other: from `first` to in front of `last`.
struct Region {
  ListId list = kNone;
  std::uint32_t first = 0, last = 0;
};

/// A kernel that is cut. Module and tree must outlive it.
class RegionCutter {
public:
  /// The error says why the kernel could not be analysed.
  static llvm::Expected<RegionCutter> of(const Module &module, std::size_t kernel, const StatementTree &tree,
                                         const Machine &machine, const OrderingOptions &options);

  /// Returns the regions of the kernel that have a sync, in the order of the text: none holds more than `most`
  /// instructions and syncs, unless one child of a list does that has no list inside. `shifted`: every list is cut half
  /// a region further on.
  std::vector<Region> regions(std::size_t most, bool shifted) const;

  /// Returns the text with all else blank. `margin`: so many instructions and syncs stay on either side.
  std::string textOf(const Region &region, std::size_t margin) const;

  /// Returns that text read, with what is not to be edited protected. The error says why it can't be read.
  llvm::Expected<Module> cutOut(const Region &region, std::size_t margin, const Lift &lift) const;

  /// Returns the site at a byte; kNone: there is none.
  SiteId siteAt(std::uint32_t offset) const;

private:
  RegionCutter(const Module &module, std::size_t kernel, const StatementTree &tree)
      : module(module), kernel(module.kernels[kernel]), tree(tree) {}
  void lookAt(const Statement &statement);
  std::size_t workIn(ChildPlace place) const;
  bool isInside(const Region &region, const TreePath &path) const;
  std::set<SiteId> editableIn(const Region &region) const;
  void split(ListId list, std::size_t most, bool shifted, std::vector<Region> &found) const;
  std::vector<ChildPlace> withMargin(const Region &region, std::size_t margin) const;

  const Module &module;
  const Kernel &kernel;
  const StatementTree &tree;
  std::map<ChildPlace, std::size_t> work;          // instructions and syncs in a child, at any depth
  std::set<ChildPlace> used;                       // children in which a statement of the kernel stands, at any depth
  std::map<SiteId, TreePath> pathOf;               // of the sites of this kernel
  std::map<SiteId, std::set<SiteId>> together;     // by site: those of its flag's webs
  std::map<ChildPlace, std::vector<ListId>> inner; // lists directly inside, those of helpers too
  std::map<std::string, std::set<ChildPlace>, std::less<>> definitions; // by name: where it is given a value
  friend class RegionText;
};

/// Returns the proposal with its places in `tree`, which has the same offsets as `from`. Empty: one is none of it.
std::optional<Proposal> movedTo(const StatementTree &tree, const Proposal &proposal, const StatementTree &from);

/// What a region would have in place of what it has: sites and places of the whole kernel.
struct RegionDraft {
  std::set<SiteId> gone;
  std::vector<Proposal> proposals;
  std::vector<std::size_t> parts = {}; // of several drafts that were joined, by proposal: which had it; kNone: several
};

/// Returns what several regions would have, with numbers of handshakes that no two of them share.
RegionDraft joined(const std::vector<RegionDraft> &drafts);

/// Puts flags that go round several loops in place of those between these pipes that go round one. Where a loop may
/// have no iteration, nothing orders the flag of the loop in front of it before that of the loop behind, so that each
/// would need an id of its own. Where no two of them can be one nothing changes.
void joinRings(RegionDraft &draft, const std::set<std::pair<Pipe, Pipe>> &between, const StatementTree &tree);

} // namespace ptosync::synthesis
