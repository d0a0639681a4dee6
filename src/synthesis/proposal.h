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

struct NewSync {
  SyncKind kind = SyncKind::Barrier;
  TextPlace place;
  auto operator<=>(const NewSync &) const = default;
};

struct Proposal {
  Pipe source = Pipe::All, destination = Pipe::All; // a barrier: its pipe, twice
  std::vector<NewSync> syncs;
  OrderReason reason;              // of the pair it was made for
  std::uint32_t handshake = kNone; // number of the pair of flags that it is half of
  bool isBarrier() const { return source == destination; }
};

} // namespace ptosync::synthesis
