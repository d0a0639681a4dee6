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
// tests/timing/timeline_report_test.cpp, tests/report/html_report_test.cpp and tests/compare/compare_html_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "timing/timeline.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
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
  Pipe pipe = Pipe::S;
  double start = 0, length = 0; // cycles
  std::string text, bytes;      // bytes: may be empty
  std::uint32_t line = 0;       // of the file that the page shows
  double weight = 1;
};

/// One run of a kernel, labelled "before", "after" or "data-flow limit"; of both its cores together "cube, before".
struct DrawnRun {
  std::string label;
  double end = 0;
  std::vector<DrawnSlice> slices; // by pipe, then by start
};

struct DrawnKernel {
  std::string name;
  std::vector<DrawnRun> runs;
};

/// Draws a run. `shownLine` maps a line of the kernel to a line of the file that is shown; if it is empty they are the
/// same.
DrawnRun drawRun(const std::string &label, const TimelineReport &report, const TimedKernel &kernel,
                 const std::function<std::uint32_t(std::uint32_t)> &shownLine = {});

/// Collects drawn runs, and gives every text one number, since most texts stand on many slices.
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
