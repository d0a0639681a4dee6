// Makes the timelines of a page: the runs of a kernel, as the JSON that html/timeline.js draws.
//
//   TimedKernel --drawRun--> DrawnRun; DrawnKernel --DrawnRuns--> {name, runs}, and the texts that they number
//
// Tested by tests/report/html_report_test.cpp and tests/report/compare_html_test.cpp.
#pragma once

#include "report/timeline_report.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ptosync {

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
