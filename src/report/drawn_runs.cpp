#include "report/drawn_runs.h"

#include "report/wording.h"

#include <cmath>
#include <set>

namespace ptosync {
namespace {

double tenths(double value) { return std::round(value * 10) / 10; }

} // namespace

DrawnRun drawRun(const std::string &label, const TimelineReport &report, const TimedKernel &kernel,
                 const std::function<std::uint32_t(std::uint32_t)> &shownLine) {
  std::string core = kernel.together ? std::string(sectionName(kernel.estimate.section)) + ", " : "";
  DrawnRun run{core + label, kernel.timeline.end, {}};
  for (const timing::TimelineSlice &slice : kernel.timeline.slices) {
    const Statement &statement = timing::statementOf(*kernel.timing, slice.operation);
    DrawnSlice drawn;
    drawn.kind = slice.kind;
    drawn.pipe = slice.pipe;
    drawn.start = slice.start;
    drawn.length = slice.end - slice.start;
    drawn.line = shownLine ? shownLine(statement.line) : statement.line;
    drawn.weight = slice.weight;
    if (slice.kind == timing::TimelineSlice::Kind::Stall) {
      drawn.text = heldBy(report, kernel, slice);
    } else {
      drawn.text = printable(report.module->source.slice(statement.range));
      drawn.bytes = timing::bytesOf(*kernel.timing, slice.operation, *report.rules);
    }
    run.slices.push_back(std::move(drawn));
  }
  return run;
}

nlohmann::ordered_json DrawnRuns::kernelJson(const DrawnKernel &kernel) {
  std::set<Pipe> pipes; // the same tracks for every run, so that they stand above each other
  for (const DrawnRun &run : kernel.runs)
    for (const DrawnSlice &slice : run.slices)
      pipes.insert(slice.pipe);
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const DrawnRun &run : kernel.runs) {
    nlohmann::ordered_json tracks = nlohmann::ordered_json::array();
    for (Pipe pipe : pipes) {
      nlohmann::ordered_json slices = nlohmann::ordered_json::array();
      for (const DrawnSlice &slice : run.slices)
        if (slice.pipe == pipe)
          slices.push_back({static_cast<int>(slice.kind), tenths(slice.start), tenths(slice.length),
                            textNumber(slice.text), slice.line, slice.bytes.empty() ? -1 : textNumber(slice.bytes),
                            tenths(slice.weight)});
      tracks.push_back({trackName(pipe), std::move(slices)});
    }
    runs.push_back({{"label", run.label}, {"end", tenths(run.end)}, {"tracks", std::move(tracks)}});
  }
  return {{"name", kernel.name}, {"runs", std::move(runs)}};
}

std::int64_t DrawnRuns::textNumber(const std::string &text) {
  auto [known, inserted] = numbers.try_emplace(text, static_cast<std::int64_t>(texts.size()));
  if (inserted)
    texts.push_back(text);
  return known->second;
}

} // namespace ptosync
