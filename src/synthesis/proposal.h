// A barrier or a flag that could be put into a kernel, and where.
//
// Plain data. Places are children of lists: in front of one or behind it. Of what stands at one place, lower ranks come
// first. Tested through tests/synthesis/proposals_test.cpp.
#pragma once

#include "synthesis/required_order.h"

#include <vector>

namespace ptosync::synthesis {

struct TextPlace {
  ListId list = kNone;
  std::uint32_t child = kNone;
  bool behind = false; // the child; otherwise in front of it
  std::uint8_t rank = 0;
  auto operator<=>(const TextPlace &) const = default;
};

/// The most ids that one flag has.
inline constexpr std::uint32_t kMostSlots = 4;

struct NewSync {
  SyncKind kind = SyncKind::Barrier;
  TextPlace place;
  std::uint32_t slot = 0; // of its flag's ids
  bool counted = false;   // that many behind the one of the iteration
  auto operator<=>(const NewSync &) const = default;
};

struct Proposal {
  Pipe source = Pipe::All, destination = Pipe::All; // a barrier: its pipe, twice
  std::vector<NewSync> syncs;
  OrderReason reason;              // of the pair it was made for
  std::uint32_t handshake = kNone; // number of the pair of flags that it is half of
  std::uint32_t slots = 1;         // ids that follow each other; up to kMostSlots
  std::string counter = {};        // several slots: the expression that grows by one with each iteration
  bool isBarrier() const { return source == destination; }
};

} // namespace ptosync::synthesis
