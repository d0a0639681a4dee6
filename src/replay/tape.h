// What a run drew and decided, in order: enough to go through it, or the last iterations of a loop, a second time.
//
// Plain data. Tested through tests/replay/repetition_proof_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace ptosync::replay {

struct TapeEntry {
  enum class Kind : std::uint8_t {
    Branch, // of block `what`, `value` is 1 if it was taken
    Draw,   // the bits that expression `what` drew, with the key `number`
    Result, // the bits that an instruction left in variable `what`, with the key `number`
    Skip,   // at a visit of loop `what`: `value` periods of `number` iterations each
    Moved,  // the bits of variable `what` behind such a skip
    Loosened, // the bits drawn for a number made from addresses, which no expression draws: nobody can go through it again
  };
  Kind kind = Kind::Branch;
  std::uint32_t what = 0;
  std::int64_t value = 0;
  std::uint64_t number = 0;
};

using Tape = std::vector<TapeEntry>;

} // namespace ptosync::replay
