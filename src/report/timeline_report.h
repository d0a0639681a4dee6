// Writes timelines for viewers and for a terminal.
//
//   TimedKernel --timelineTrace--> trace JSON: Perfetto, chrome://tracing, the vendor's viewer
//               --timelineText---> what each pipe does and what it waits for longest
//
// The trace follows the form of the vendor's simulator where that is known: "profilingType" in front of the first list,
// a core as process, a pipe as thread, times in microseconds. Stalls are slices named after the sync behind them,
// arrows lead from the instruction in front of a set to the one behind its wait. Cores are simulated apart, each as if
// the other never made it wait; those that meet stand there a second time, in the run of both. Tested by
// tests/report/timeline_report_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "timing/profile.h"
#include "timing/timeline.h"

#include <string>
#include <vector>

namespace ptosync {

struct TimedKernel {
  const timing::KernelTiming *timing = nullptr; // never null when a report is made
  timing::KernelEstimate estimate;
  timing::Timeline timeline;
  bool together = false; // in a run of both cores
};

struct TimelineReport {
  const Module *module = nullptr; // never null when a report is made
  std::string arch, toolVersion;
  double clockMHz = 1;
  const replay::ConflictRules *rules = nullptr; // names bytes; never null when a report is made
  std::vector<TimedKernel> kernels;
  std::vector<const timing::CoreProfile *> profiles = {}; // drawn below as tracks of their own, if they have times
  std::vector<std::string> apart = {};                    // lines about kernels whose cores are not timed together
};

/// The most executions of a profile that are drawn, counted from its start.
inline constexpr std::size_t kMostDrawnEvents = 200'000;

std::string timelineTrace(const TimelineReport &report);

std::string timelineText(const TimelineReport &report);

/// Returns the name of a pipe in the vendor's traces, "VECTOR" for example.
std::string_view trackName(Pipe pipe);

/// Returns the name of a core in the vendor's traces, "core0.veccore0" for example.
std::string coreName(Section section);

/// Returns what held a stalled pipe: "pipe_barrier(PIPE_V), line 12", "result of TADD, line 9", "scalar unit", "waits
/// for the other core: FIFO v25, TPOP, line 62".
std::string heldBy(const TimelineReport &report, const TimedKernel &kernel, const timing::TimelineSlice &stall);

} // namespace ptosync
