// What an edit is held against beyond the pending sets: pairs that are not seen ordered, and the kernel without syncs
// that were put in.
//
// The analysis may fail to see that a pair is ordered (an unknown address, a dynamic lane, a path that is impossible in
// truth) although the very sync under test orders it; taking the sync out would then add nothing to the list of open
// conflicts. So every open pair (a, b) pins each barrier and each web of flags that could lie between a's completion
// and b's start: by position, and by pipes, where a chain of flags may lead from a's pipe to the web and from the web
// to b's.
//
//   1  TLOAD(a, g)          MTE2
//      if (n > 3) {
//   2    set_flag(MTE2, V, 0)
//   3    wait_flag(MTE2, V, 0)
//      }
//   4  TADDS(c, a, 1)       V       (1, 4) is open, for the way past the branch: pinned are
//   5  set_flag(V, MTE3, 0)         the web {2, 3}: set behind 1, wait in front of 4, from MTE2 to V
//   6  wait_flag(V, MTE3, 0)        not the web {5, 6}: it starts behind 4
//
// For pinned pairs the edit is followed path by path (path_check.h); for the others nothing more is asked. The same
// holds for orders relative to opaque fences, for flags set again, and for the kernel's end, that hold on some paths
// only. A wait of the scalar unit may hold back everything it has not handed out yet, so as a link in such a chain it
// leads to every pipe. Over-approximate: lists too many pairs, never too few.
//
// A barrier of one pipe is pinned by pairs of that pipe alone: what it tells other pipes, a flag behind it tells
// anyway, since a set leaves out what is on its own pipe. PIPE_ALL is pinned by every pair, and by what is over at the
// kernel's end. The list holds at most Pending::kMostOpenConflicts conflicts. Beyond, `everything()` is true, the lists
// mean nothing, and EditSession refuses every edit of the kernel. Tested by tests/optimize/pins_test.cpp.
#pragma once

#include "ordering/flow_graph.h"
#include "ordering/kernel_analysis.h"
#include "ordering/pending.h"
#include "ordering/syncs.h"

#include <llvm/Support/Error.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace ptosync {

class Pins {
public:
  /// Finds the open pairs of the kernel as it came.
  Pins(const Program &program, const Pending &pending);

  /// Returns true if there are more open conflicts than the analysis lists: nothing may be concluded, `firstOpen` pins
  /// all.
  bool everything() const { return pending.tooManyOpen(); }
  const ConflictPair &firstOpen() const { return pairs.front(); }
  /// Returns the open pairs that a barrier may have a part in.
  std::vector<ConflictPair> ofBarrier(SiteId site) const;
  /// Returns how many pairs were looked at so far: what asking costs.
  std::uint64_t worked() const { return work; }
  /// Returns those that a web may have a part in.
  std::vector<ConflictPair> ofWeb(const Web &web) const;

private:
  struct Place {
    BlockId block;
    std::uint32_t event;
  };

  void findPlaces();
  void countSetters();
  bool forgetRemoved() const;
  void linkBrackets() const;
  void linkPipes() const;
  bool leads(Pipe from, Pipe to) const { return links[index(from)].contains(to); }
  const Reachability &reachOf(const ConflictPair &pair) const;
  static bool before(const Reachability &reach, Place from, Place to);
  bool concerns(const ConflictPair &pair, Pipe barrier, Place place) const;
  std::vector<Place> placesOf(const std::vector<SiteId> &sites) const;
  bool concernsWeb(const ConflictPair &pair, const Web &web, const std::vector<Place> &sets,
                   const std::vector<Place> &waits) const;
  bool isAbout(const ConflictPair &pair, const Web &web) const;
  void choosePairs();
  template <typename Test> std::vector<ConflictPair> pairsWhere(Test test) const;

  const Program &program;
  const Pending &pending;
  std::vector<ConflictPair> pairs; // the open ones; of those at the kernel's end the later one is kNone
  // Instances of the same two nodes that may be as far apart are of one kind: where they stand is the same for all.
  std::vector<ConflictPair> kinds; // one of each
  std::vector<std::size_t> kindOf; // by pair
  mutable std::uint64_t work = 0;
  std::set<BlockId> ends;                                       // that return where something may be running
  mutable std::array<PipeSet, kPipeCount> links;                // by pipe: where chains of the flags that are left lead
  mutable std::map<std::pair<Pipe, Pipe>, std::size_t> setters; // what sets a flag between these pipes, and is left
  mutable std::size_t removalsSeen = 0;
  std::map<SiteId, std::vector<Place>> places;
  mutable std::map<LoopId, std::shared_ptr<const Reachability>> within; // by the loop whose iteration is not left
};

/// The kernel that a longer one is held against: the same without some of its syncs, and what it leaves open. Syncs
/// that were put in may make an order hold that the kernel without them does not have. Nobody asked for it, so they may
/// go again; but where the kernel without them has it on some path, it must keep it there. Conflicts are none of this:
/// one that a sync orders is never opened again.
struct Reference {
  std::set<SiteId> absent;
  /// Statements of the longer kernel, and how they meet.
  std::set<std::tuple<const Statement *, const Statement *, HazardKind>> open;
  /// Returns true if nothing but flags set again is open of what a kernel in its place may leave open as well:
  /// conflicts that only a contested rule orders, orders relative to fences, and at the kernel's end.
  bool seenButReuses = false;

  bool seenWhole() const { return seenButReuses && open.empty(); }
};

llvm::Expected<Reference> referenceOf(const Kernel &kernel, std::set<SiteId> absent, const Machine &machine,
                                      const OrderingOptions &options);

/// Returns the open ones of a reference as pairs of the longer kernel's program, at every distance.
std::vector<ConflictPair> openPairs(const Reference &reference, const Program &program);

} // namespace ptosync
