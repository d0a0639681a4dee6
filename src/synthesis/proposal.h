// A barrier or a flag that could be put into a kernel, and where.
//
// Plain data. Places are children of lists: in front of one or behind it. Of what stands at one place, lower ranks come
// first. Tested through tests/synthesis/proposals_test.cpp.
#pragma once

#include "synthesis/required_order.h"

#include <string>
#include <vector>

namespace ptosync::synthesis {

struct TextPlace {
  ListId list = kNone;
  std::uint32_t child = kNone;
  bool behind = false; // the child; otherwise in front of it
  std::uint8_t rank = 0;
  auto operator<=>(const TextPlace &) const = default;
};

/// Every rank of a place is below.
inline constexpr std::uint8_t kRanks = 8;

/// The most ids that one flag has.
inline constexpr std::uint32_t kMostSlots = 4;

struct NewSync {
  SyncKind kind = SyncKind::Barrier;
  TextPlace place;
  std::uint32_t slot = 0;   // of its flag's ids
  bool counted = false;     // that many behind the one of the iteration
  std::uint32_t reason = 0; // Proposal::reason, or from 1 on one of Proposal::others
  std::string guard = {};   // a condition that holds in one trip (trip_guard.h); empty: it always runs
  auto operator<=>(const NewSync &) const = default;
};

/// Flags of one list and pair of pipes, each kind judged apart.
enum class FlagShape : std::uint8_t {
  Other,    // none of these; barriers too
  Forward,  // set, then wait
  Fan,      // set, then a wait in each arm of a branch
  FromArm,  // in the producer's arm: wait at its end
  ToArm,    // in the consumer's arm: set at its begin
  Backward, // primed; wait, and set behind the producer for the next visit; drained
  Slots,    // set, then wait, on the id of the iteration
  Ring,     // wait, and set behind the producer for a visit several iterations later
  Pipeline, // set for several iterations later, then wait
  Lagging,  // wait, and set in front of the producer for the next visit
  InPlace,  // set, then wait, both in front of the consumer
  Peeled,   // Forward or Backward, with one of the two in a loop, in one trip of it
};

struct Proposal {
  Pipe source = Pipe::All, destination = Pipe::All; // a barrier: its pipe, twice
  std::vector<NewSync> syncs;
  OrderReason reason;              // of the pair it was made for
  std::uint32_t handshake = kNone; // number of the pair of flags that it is half of
  std::uint32_t slots = 1;         // ids that follow each other; up to kMostSlots
  std::string counter = {};        // several slots: the expression that grows by one with each iteration
  FlagShape shape = FlagShape::Other;
  std::uint32_t merges = 1;             // proposals that it takes the place of
  std::vector<OrderReason> others = {}; // of those
  const OrderReason &reasonOf(const NewSync &sync) const { return sync.reason == 0 ? reason : others[sync.reason - 1]; }
  bool isBarrier() const { return source == destination; }
};

} // namespace ptosync::synthesis
