// Lays out one run as a timeline and prints it: tracks of slices, arrows from set to wait, for viewers, pages and a
// terminal.
#pragma once

#include "kernel/kernel.h"
#include "timing/cores.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ptosync::timing {

// Lays out what each pipe does and waits for, and when: one recorded run of the engine, ready to be drawn.
//
//   Plan + Timing, or one core of a CoresRun --makeTimeline--> tracks of slices, arrows from set to wait
//
// Times are cycles of the run as it was simulated: iterations that were left out take no room, a slice says for how
// many executions it stands. Tested by tests/timing/timeline_test.cpp.

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

namespace ptosync {

// Timelines for viewers, for a terminal and for a page.
//
//   TimedKernel --timelineTrace--> trace JSON: Perfetto, chrome://tracing, the vendor's viewer
//               --timelineText---> each pipe's work and its longest waits
//               --drawRun--------> DrawnRun; DrawnKernel --DrawnRuns--> the JSON that report/html/timeline.js draws
//
// The trace follows the form of the vendor's simulator where that is known: "profilingType" in front of the first list,
// a core as process, a pipe as thread, times in microseconds. Stalls are slices named after the sync behind them.
// Arrows lead from the instruction in front of a set to the one behind its wait. Cores are simulated apart, each as if
// the other never made it wait; those that meet stand there a second time, in the run of both. Tested by
// tests/timing/timeline_test.cpp, tests/report/html_report_test.cpp and tests/compare/compare_html_test.cpp.

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
  std::vector<nlohmann::ordered_json> recorded = {}; // events of recorded runs, drawn below (profile/profile_report.h)
  std::vector<std::string> apart = {};               // lines about kernels whose cores are not timed together
};

std::string timelineTrace(const TimelineReport &report);

std::string timelineText(const TimelineReport &report);

/// Returns the name of a pipe in the vendor's traces, "VECTOR" for example.
std::string_view trackName(Pipe pipe);

/// Returns the name of a core in the vendor's traces, "core0.veccore0" for example.
std::string coreName(Section section);

/// Returns what held a stalled pipe: "pipe_barrier(PIPE_V), line 12", "result of TADD, line 9", "scalar unit", "waits
/// for the other core: FIFO v25, TPOP, line 62".
std::string heldBy(const TimelineReport &report, const TimedKernel &kernel, const timing::TimelineSlice &stall);

struct DrawnSlice {
  timing::TimelineSlice::Kind kind = timing::TimelineSlice::Kind::Work;
  timing::Held held = timing::Held::Nothing; // Stall: by what
  Pipe pipe = Pipe::S;
  double start = 0, length = 0; // cycles
  std::string text, bytes;      // bytes: may be empty
  std::uint32_t line = 0;       // of the file that the page shows
  double weight = 1;
};

/// An arrow from a set to the wait that it lets go.
struct DrawnArrow {
  Pipe source = Pipe::S, destination = Pipe::S;
  double from = 0, to = 0;         // cycles, within a slice of `source` and of `destination`
  std::uint32_t set = 0, wait = 0; // lines of the file that the page shows
};

/// One run of a kernel, labelled "before", "after" or "data-flow limit"; of both its cores together "cube, before".
struct DrawnRun {
  std::string label;
  double end = 0;
  std::vector<DrawnSlice> slices;      // by pipe, then by start
  std::vector<DrawnArrow> arrows = {}; // between pipes that have slices
};

struct DrawnKernel {
  std::string name;
  std::vector<DrawnRun> runs;
  bool together = false; // the runs are of both cores in one time
};

/// Draws a run. `shownLine` maps a line of the kernel to a line of the file that is shown; if it is empty they are the
/// same.
DrawnRun drawRun(const std::string &label, const TimelineReport &report, const TimedKernel &kernel,
                 const std::function<std::uint32_t(std::uint32_t)> &shownLine = {});

/// Collects drawn runs, and gives every text one number, since most texts stand on many slices. A run has a track for
/// each pipe on which something runs, and none for one that only waits.
class DrawnRuns {
public:
  nlohmann::ordered_json kernelJson(const DrawnKernel &kernel);
  /// Returns the texts of all kernels so far, by number.
  nlohmann::ordered_json takeTexts() { return std::move(texts); }

private:
  std::int64_t textNumber(const std::string &text);

  nlohmann::ordered_json texts = nlohmann::ordered_json::array();
  std::map<std::string, std::int64_t> numbers;
};

} // namespace ptosync
