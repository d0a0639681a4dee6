// Lays out what each pipe does and waits for, and when: one recorded run of the engine, ready to be drawn.
//
//   Plan + Timing, or one core of a CoresRun --makeTimeline--> tracks of slices, arrows from set to wait
//
// Times are cycles of the run as it was simulated: iterations that were left out take no room, a slice says for how
// many executions it stands. Tested by tests/timing/timeline_test.cpp.
#pragma once

#include "timing/cores.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync::timing {

struct TimelineSlice {
  enum class Kind : std::uint8_t {
    Work,  // an instruction on its pipe
    Sync,  // a sync, on the scalar unit that hands it out
    Stall, // the pipe was free and the next instruction was not let go
  };
  Kind kind = Kind::Work;
  Pipe pipe = Pipe::S;
  double start = 0, end = 0;       // cycles
  double finish = 0;               // Work: the result was there; Sync: what it lets go may go
  double weight = 1;               // executions it stands for
  std::uint32_t operation = kNone; // in the plan; Stall: the one that waits
  Held held = Held::Nothing;       // Stall: by what
  std::uint32_t by = kNone;        // Stall: that sync or instruction, in the plan; Held::Core: what waits for the other
};

/// An arrow from a set to the wait that it lets go, drawn between the instructions around them.
struct TimelineArrow {
  std::uint32_t set = kNone, wait = kNone; // operations
  Pipe source = Pipe::S, destination = Pipe::S;
  double from = 0, to = 0; // within a slice of `source`, and of `destination`
};

struct Timeline {
  std::vector<TimelineSlice> slices; // by pipe, then by start; no two of a pipe overlap
  std::vector<TimelineArrow> arrows; // by operation of the wait
  double end = 0;                    // of the last slice
};

/// Makes the timeline of a run without the sites of `leftOut`; with `dataFlow`, without any sync.
Timeline makeTimeline(const Plan &plan, const Sites &leftOut, bool dataFlow = false);

/// Makes the timeline of one core of a run of both. The waits of the scalar unit for the other core are stalls on its
/// track.
Timeline makeTimeline(const Plan &plan, const CoresRun &run, std::size_t core);

/// Returns the bytes that an instruction writes and reads, as "UB [4096, 8192) <- UB [0, 4096)"; empty for a sync.
std::string bytesOf(const KernelTiming &timing, std::uint32_t operation, const replay::ConflictRules &rules);

} // namespace ptosync::timing
