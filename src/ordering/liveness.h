// Which flags are live where, and so which event ids are free.
//
// A flag is live from a set that may have filled it to the wait that empties it, in program order.
// Its id is free at a place if the flag is empty there on every path and the instruction there does
// not use it inside the library. Whether the *device* is past the wait is another question: a set that
// takes a free id must still be ordered behind the id's last wait.
// Tested by tests/ordering/liveness_test.cpp.
#pragma once

#include "ordering/sync_layout.h"
#include "ordering/token_states.h"

namespace ptosync {

class FlagLiveness {
public:
  FlagLiveness(const Program &program, const SyncLayout &layout, const TokenStates &tokens);

  /// The flags that may be set in front of an event, by index into Program::flags; ascending.
  const std::vector<std::uint32_t> &liveAt(EventKey place) const;
  /// The ids, of those the machine has, whose flag (source, destination, id) is free in front of an event.
  std::set<std::int64_t> freeIds(EventKey place, Pipe source, Pipe destination) const;
  /// The most flags of one pair of pipes that are set at once anywhere.
  std::size_t pressure(Pipe source, Pipe destination) const;

private:
  const Program &program;
  std::map<EventKey, std::vector<std::uint32_t>> live; // of reached events
};

} // namespace ptosync
