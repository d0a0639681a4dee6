// Which pairs that are not seen ordered a sync may have a part in.
//
// The analysis may fail to see that a pair is ordered (an unknown address, a dynamic lane, a path that
// is impossible in truth) although the very sync under test orders it; taking the sync out would then
// add nothing to the list of open conflicts. So every open pair (a, b) concerns each barrier and each
// web of flags that could lie between a's completion and b's start: by position, and by pipes, where
// a chain of flags may lead from a's pipe to the web and from the web to b's. The same holds for
// orders relative to opaque fences, for flags set again, and for the kernel's end, that hold on some
// paths only. Whether an edit really takes such an order away is for path_check.h.
// A wait of the scalar unit may hold back everything it has not handed out yet, so as a link in such a
// chain it leads to every pipe.
// Over-approximate: lists too many pairs, never too few. Tested by tests/optimize/pins_test.cpp.
#pragma once

#include "ordering/flow_graph.h"
#include "ordering/pending.h"
#include "ordering/syncs.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace ptosync {

class Pins {
public:
  /// Of the kernel as it came.
  Pins(const Program &program, const Pending &pending);

  /// More open conflicts than the analysis lists: nothing may be concluded, `firstOpen` pins all.
  bool everything() const { return pending.tooManyOpen(); }
  const ConflictPair &firstOpen() const { return pairs.front(); }
  /// The open pairs that a barrier may have a part in.
  std::vector<ConflictPair> ofBarrier(SiteId site) const;
  /// Pairs that were looked at so far: what asking costs.
  std::uint64_t worked() const { return work; }
  /// Those that a web may have a part in.
  std::vector<ConflictPair> ofWeb(const Web &web) const;

private:
  struct Place {
    BlockId block;
    std::uint32_t event;
  };

  void findPlaces();
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
  std::set<BlockId> ends;                        // that return where something may be running
  mutable std::array<PipeSet, kPipeCount> links; // by pipe: where chains of the flags that are left lead
  std::map<SiteId, std::vector<Place>> places;
  mutable std::map<LoopId, std::shared_ptr<const Reachability>> within; // by the loop whose iteration is not left
};

} // namespace ptosync
