#include "timing/timeline.h"

#include "base/messages.h"
#include "kernel/column_table.h"
#include "timing/cost_report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ptosync::timing {
namespace {

/// Shorter waits for the scalar unit are its pace, not a stall.
constexpr double kShortestIssueStall = 8;

class Drawer {
public:
  Drawer(const Plan &plan, Timing timing) : plan(plan), timing(std::move(timing)) { lastWork.fill(kNone); }

  /// `waits`: of the scalar unit, for the other core.
  Timeline draw(const std::vector<CoreWait> &waits = {}) {
    for (const CoreWait &wait : waits)
      timeline.slices.push_back({TimelineSlice::Kind::Stall, Pipe::S, wait.from, wait.to, wait.to, 1, wait.operation,
                                 Held::Core, wait.operation});
    for (std::uint32_t i = 0; i < plan.operations.size(); ++i) {
      const Operation &operation = plan.operations[i];
      if (operation.kind == Operation::Kind::Work || operation.kind == Operation::Kind::Fence)
        addWork(i);
      else if (timing.slices[i].end > 0) // it was not left out
        addSync(i);
    }
    std::stable_sort(timeline.slices.begin(), timeline.slices.end(), [](const auto &a, const auto &b) {
      return a.pipe != b.pipe ? a.pipe < b.pipe : a.start < b.start;
    });
    for (const TimelineSlice &slice : timeline.slices)
      timeline.end = std::max({timeline.end, slice.end, slice.finish});
    return std::move(timeline);
  }

private:
  struct Pending {
    std::uint32_t set = kNone, wait = kNone;
    Pipe source = Pipe::S;
    double from = 0;
  };

  void addWork(std::uint32_t number) {
    const Operation &operation = plan.operations[number];
    const Slice &slice = timing.slices[number];
    bool stalled = slice.held == Held::Issue ? slice.start - slice.ready >= kShortestIssueStall
                                             : slice.held != Held::Nothing && slice.start > slice.ready;
    if (stalled && operation.pipe != Pipe::S)
      timeline.slices.push_back({TimelineSlice::Kind::Stall, operation.pipe, slice.ready, slice.start, slice.start,
                                 operation.weight, number, slice.held, slice.by});
    if (slice.end > slice.start) {
      timeline.slices.push_back({TimelineSlice::Kind::Work, operation.pipe, slice.start, slice.end, slice.finish,
                                 operation.weight, number, slice.held, slice.by});
      lastWork[index(operation.pipe)] = number;
      land(operation.pipe, slice);
    }
  }

  /// The arrows whose waits let this instruction go.
  void land(Pipe pipe, const Slice &slice) {
    for (const Pending &pending : waiting[index(pipe)])
      timeline.arrows.push_back({pending.set, pending.wait, pending.source, pipe, pending.from,
                                 (slice.start + std::min(slice.end, slice.start + 1)) / 2});
    waiting[index(pipe)].clear();
  }

  void addSync(std::uint32_t number) {
    const Operation &operation = plan.operations[number];
    const Slice &slice = timing.slices[number];
    if (slice.end > slice.start)
      timeline.slices.push_back({TimelineSlice::Kind::Sync, Pipe::S, slice.start, slice.end, slice.finish,
                                 operation.weight, number, slice.held, slice.by});
    if (operation.kind == Operation::Kind::Set || operation.kind == Operation::Kind::Release) {
      std::uint32_t work = lastWork[index(operation.pipe)];
      if (work != kNone)
        sentFrom[number] =
            (std::max(timing.slices[work].start, timing.slices[work].end - 1) + timing.slices[work].end) / 2;
    } else if ((operation.kind == Operation::Kind::Wait || operation.kind == Operation::Kind::Get) &&
               slice.by != kNone) {
      auto sent = sentFrom.find(slice.by);
      if (sent != sentFrom.end())
        waiting[index(operation.pipe)].push_back(
            {slice.by, number,
             operation.kind == Operation::Kind::Get ? plan.operations[slice.by].pipe : operation.other, sent->second});
    }
  }

  const Plan &plan;
  Timing timing;
  Timeline timeline;
  std::array<std::uint32_t, kPipeCount> lastWork{};
  std::map<std::uint32_t, double> sentFrom; // by set: inside the instruction in front of it
  std::array<std::vector<Pending>, kPipeCount> waiting;
};

} // namespace

Timeline makeTimeline(const Plan &plan, const Sites &leftOut, bool dataFlow) {
  EngineOptions options;
  options.ignored = leftOut;
  options.dataFlow = dataFlow;
  options.record = true;
  return Drawer(plan, runEngine(plan, options)).draw();
}

Timeline makeTimeline(const Plan &plan, const CoresRun &run, std::size_t core) {
  std::vector<CoreWait> waits;
  for (const CoreWait &wait : run.waits)
    if (wait.core == core && wait.pipe == Pipe::S)
      waits.push_back(wait);
  return Drawer(plan, run.cores[core]).draw(waits);
}

std::string bytesOf(const KernelTiming &timing, std::uint32_t operation, const replay::ConflictRules &rules) {
  const replay::Event &event = timing.trace().events[timing.plan().operations[operation].event];
  if (event.kind != replay::Event::Kind::Instruction)
    return "";
  const replay::Work &work = timing.subject().works[timing.trace().instances[event.instance].work];
  std::string written, read;
  auto add = [](std::string &list, const std::string &bytes) {
    if (list.find(bytes) == std::string::npos)
      list += (list.empty() ? "" : ", ") + bytes;
  };
  for (const replay::Phase &phase : work.phases)
    for (const replay::Access &access : phase.accesses) {
      if (access.writes)
        add(written, rules.describe(access.bytes));
      if (access.reads)
        add(read, rules.describe(access.bytes));
    }
  return written + (read.empty() ? "" : " <- " + read);
}

} // namespace ptosync::timing

namespace ptosync {

// For viewers and a terminal.

namespace {

using Json = nlohmann::ordered_json;
using timing::TimelineSlice;

constexpr std::size_t kShownStalls = 10;

std::string sourceText(const TimelineReport &report, const Statement &statement) {
  return printable(report.module->source.slice(statement.range));
}

/// "TADD" of an instruction, "pipe_barrier(PIPE_V)" of a sync.
std::string nameOf(const TimelineReport &report, const TimedKernel &kernel, std::uint32_t operation) {
  const Statement &statement = timing::statementOf(*kernel.timing, operation);
  if (auto *instruction = std::get_if<Instruction>(&statement.action))
    return instruction->name;
  if (auto *sync = std::get_if<Sync>(&statement.action); sync && sync->site < report.module->sites.size())
    return printable(report.module->sites[sync->site].text);
  return sourceText(report, statement);
}

/// "FIFO v25".
std::string fifoName(const TimedKernel &kernel, std::uint32_t operation) {
  std::optional<FifoId> fifo =
      firstOf(std::get<Instruction>(timing::statementOf(*kernel.timing, operation).action), Operand::Kind::Fifo);
  return fifo ? "FIFO " + printable(kernel.timing->subject().kernel.fifos[*fifo].name) : "FIFO";
}

std::uint32_t lineOf(const TimedKernel &kernel, std::uint32_t operation) {
  return timing::statementOf(*kernel.timing, operation).line;
}

class TraceWriter {
public:
  explicit TraceWriter(const TimelineReport &report) : report(report) {}

  Json write() {
    for (const TimedKernel &kernel : report.kernels) {
      for (const TimelineSlice &slice : kernel.timeline.slices)
        addSlice(kernel, slice);
      for (const timing::TimelineArrow &arrow : kernel.timeline.arrows)
        addArrow(kernel, arrow);
    }
    for (const Json &event : report.recorded)
      events.push_back(event);
    return std::move(events);
  }

private:
  static double rounded(double microseconds) { return std::round(microseconds * 1e6) / 1e6; }
  double microseconds(double cycles) const { return rounded(cycles / report.clockMHz); }

  /// Kernels of one file and core stand one behind the other.
  std::string process(const TimedKernel &kernel) const {
    std::string name = coreName(kernel.estimate.section);
    auto same = std::count_if(report.kernels.begin(), report.kernels.end(), [&](const TimedKernel &other) {
      return other.estimate.section == kernel.estimate.section && other.together == kernel.together;
    });
    return (same > 1 ? name + " " + kernel.estimate.kernel : name) + (kernel.together ? ", both cores together" : "");
  }

  void addSlice(const TimedKernel &kernel, const TimelineSlice &slice) {
    bool stall = slice.kind == TimelineSlice::Kind::Stall;
    std::uint32_t line = lineOf(kernel, slice.operation);
    Json arguments = {{"code", report.module->source.name() + ":" + std::to_string(line)},
                      {"detail", sourceText(report, timing::statementOf(*kernel.timing, slice.operation))},
                      {"cycles", std::llround(slice.end - slice.start)}};
    if (slice.kind == TimelineSlice::Kind::Work) {
      arguments["bytes"] = timing::bytesOf(*kernel.timing, slice.operation, *report.rules);
      arguments["finished_after"] = std::llround(slice.finish - slice.start);
    }
    if (slice.weight != 1)
      arguments["stands_for"] = std::llround(slice.weight);
    events.push_back({{"name", stall ? heldBy(report, kernel, slice) : nameOf(report, kernel, slice.operation)},
                      {"cat", stall                                     ? "stall"
                              : slice.kind == TimelineSlice::Kind::Sync ? "sync"
                                                                        : "instruction"},
                      {"cname", stall                                     ? "terrible"
                                : slice.kind == TimelineSlice::Kind::Sync ? "grey"
                                                                          : "good"},
                      {"ph", "X"},
                      {"pid", process(kernel)},
                      {"tid", trackName(slice.pipe)},
                      {"ts", microseconds(slice.start)},
                      {"dur", rounded(microseconds(slice.end) - microseconds(slice.start))},
                      {"args", std::move(arguments)}});
  }

  void addArrow(const TimedKernel &kernel, const timing::TimelineArrow &arrow) {
    std::string category = std::string(trackName(arrow.source)) + "To" + std::string(trackName(arrow.destination));
    std::string name = nameOf(report, kernel, arrow.set) + ", line " + std::to_string(lineOf(kernel, arrow.set)) +
                       " -> line " + std::to_string(lineOf(kernel, arrow.wait));
    ++arrows;
    auto add = [&](const char *phase, Pipe pipe, double time) {
      Json event = {
          {"name", name},           {"cat", category},         {"ph", phase}, {"id", arrows}, {"pid", process(kernel)},
          {"tid", trackName(pipe)}, {"ts", microseconds(time)}};
      if (*phase == 'f')
        event["bp"] = "e";
      events.push_back(std::move(event));
    };
    add("s", arrow.source, arrow.from);
    add("f", arrow.destination, arrow.to);
  }

  const TimelineReport &report;
  Json events = Json::array();
  std::uint64_t arrows = 0;
};

std::string stallPart(const TimelineReport &report, const TimedKernel &kernel) {
  struct Sum {
    double cycles = 0, times = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const TimelineSlice &slice : kernel.timeline.slices)
    if (slice.kind == TimelineSlice::Kind::Stall) {
      Sum &sum = sums[{std::string(trackName(slice.pipe)), heldBy(report, kernel, slice)}];
      sum.cycles += (slice.end - slice.start) * slice.weight;
      sum.times += slice.weight;
    }
  using Row = std::pair<std::pair<std::string, std::string>, Sum>;
  std::vector<Row> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row &a, const Row &b) { return a.second.cycles > b.second.cycles; });
  if (rows.empty())
    return "";
  std::size_t shown = std::min(rows.size(), kShownStalls);
  using Align = ColumnTable::Align;
  ColumnTable table(4, {Align::Right, Align::Right, Align::Left, Align::Plain});
  table.add({"cycles", "times", "pipe", "held by"});
  for (std::size_t i = 0; i < shown; ++i)
    table.add({cyclesText(rows[i].second.cycles), std::to_string(std::llround(rows[i].second.times)),
               rows[i].first.first, rows[i].first.second});
  std::string text = "  longest stalls\n" + table.format();
  if (shown < rows.size())
    text += "    and " + std::to_string(rows.size() - shown) + " more\n";
  return text;
}

} // namespace

std::string_view trackName(Pipe pipe) {
  switch (pipe) {
  case Pipe::S: return "SCALAR";
  case Pipe::V: return "VECTOR";
  case Pipe::M: return "CUBE";
  case Pipe::MTE1: return "MTE1";
  case Pipe::MTE2: return "MTE2";
  case Pipe::MTE3: return "MTE3";
  case Pipe::FIX: return "FIXP";
  case Pipe::All: return "ALL";
  }
  return "?";
}

std::string coreName(Section section) {
  return section == Section::Cube ? "core0.cubecore0" : section == Section::Vec ? "core0.veccore0" : "core0";
}

std::string heldBy(const TimelineReport &report, const TimedKernel &kernel, const TimelineSlice &stall) {
  if (stall.held == timing::Held::Issue || stall.by == kNone)
    return "scalar unit";
  std::string name = nameOf(report, kernel, stall.by) + ", line " + std::to_string(lineOf(kernel, stall.by));
  if (stall.held == timing::Held::Core)
    return "waits for the other core: " + fifoName(kernel, stall.by) + ", " + name;
  return stall.held == timing::Held::Data ? "result of " + name : name;
}

/// Every list stands behind "profilingType": the vendor's viewer looks there.
std::string timelineTrace(const TimelineReport &report) {
  Json document = {{"schemaVersion", 2},
                   {"profilingType", "op"},
                   {"displayTimeUnit", "ns"},
                   {"otherData",
                    {{"tool", "ptosync " + report.toolVersion},
                     {"file", report.module->source.name()},
                     {"arch", report.arch},
                     {"note", "estimated, not measured"}}},
                   {"traceEvents", TraceWriter(report).write()}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string timelineText(const TimelineReport &report) {
  if (report.kernels.empty())
    return "no instructions in " + printable(report.module->source.name()) + "\n";
  std::string text;
  for (const TimedKernel &kernel : report.kernels) {
    const timing::KernelEstimate &estimate = kernel.estimate;
    std::string section =
        estimate.section == Section::Both ? "" : " (" + std::string(sectionName(estimate.section)) + ")";
    char over[32];
    std::snprintf(over, sizeof over, "%.2f", estimate.over());
    text += printable(estimate.kernel) + section + (kernel.together ? ", both cores together" : "") + ": estimated " +
            cyclesText(estimate.cycles) + " cycles, limit " + cyclesText(estimate.limit) + " (" + over +
            "), run with " + printable(estimate.run) +
            (estimate.extrapolated ? ", iterations that repeat counted and not run" : "") +
            (estimate.cut ? ", cut" : "") + "\n" + stallPart(report, kernel);
  }
  for (const std::string &line : report.apart)
    text += line + "\n";
  return text;
}

// For a page.

namespace {

double tenths(double value) { return std::round(value * 10) / 10; }

/// The colour of a slice, as timeline.js counts them: 0 work, 1 a sync, then the stalls by what holds the pipe.
int drawnKind(const DrawnSlice &slice) {
  if (slice.kind != timing::TimelineSlice::Kind::Stall)
    return slice.kind == timing::TimelineSlice::Kind::Work ? 0 : 1;
  switch (slice.held) {
  case timing::Held::Data: return 3;
  case timing::Held::Core: return 5;
  case timing::Held::Issue: return 4;
  case timing::Held::Sync:
  case timing::Held::Nothing: break;
  }
  return 2;
}

} // namespace

DrawnRun drawRun(const std::string &label, const TimelineReport &report, const TimedKernel &kernel,
                 const std::function<std::uint32_t(std::uint32_t)> &shownLine) {
  std::string core = kernel.together ? std::string(sectionName(kernel.estimate.section)) + ", " : "";
  DrawnRun run{core + label, kernel.timeline.end, {}};
  for (const timing::TimelineSlice &slice : kernel.timeline.slices) {
    const Statement &statement = timing::statementOf(*kernel.timing, slice.operation);
    DrawnSlice drawn;
    drawn.kind = slice.kind;
    drawn.held = slice.held;
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
  auto line = [&](std::uint32_t operation) {
    std::uint32_t own = timing::statementOf(*kernel.timing, operation).line;
    return shownLine ? shownLine(own) : own;
  };
  run.arrows.reserve(kernel.timeline.arrows.size());
  for (const timing::TimelineArrow &arrow : kernel.timeline.arrows)
    run.arrows.push_back({arrow.source, arrow.destination, arrow.from, arrow.to, line(arrow.set), line(arrow.wait)});
  return run;
}

nlohmann::ordered_json DrawnRuns::kernelJson(const DrawnKernel &kernel) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const DrawnRun &run : kernel.runs) {
    std::map<Pipe, nlohmann::ordered_json> byPipe;
    std::set<Pipe> used;
    for (const DrawnSlice &slice : run.slices)
      if (slice.kind != timing::TimelineSlice::Kind::Stall)
        used.insert(slice.pipe);
    for (const DrawnSlice &slice : run.slices)
      if (used.count(slice.pipe))
        byPipe[slice.pipe].push_back({drawnKind(slice), tenths(slice.start), tenths(slice.length),
                                      textNumber(slice.text), slice.line,
                                      slice.bytes.empty() ? -1 : textNumber(slice.bytes), tenths(slice.weight)});
    std::map<Pipe, std::size_t> trackOf;
    nlohmann::ordered_json tracks = nlohmann::ordered_json::array(), arrows = nlohmann::ordered_json::array();
    for (auto &[pipe, slices] : byPipe) {
      trackOf[pipe] = tracks.size();
      tracks.push_back({trackName(pipe), std::move(slices)});
    }
    for (const DrawnArrow &arrow : run.arrows)
      if (trackOf.count(arrow.source) && trackOf.count(arrow.destination))
        arrows.push_back({trackOf[arrow.source], tenths(arrow.from), trackOf[arrow.destination], tenths(arrow.to),
                          arrow.set, arrow.wait});
    runs.push_back(
        {{"label", run.label}, {"end", tenths(run.end)}, {"tracks", std::move(tracks)}, {"arrows", std::move(arrows)}});
  }
  return {{"name", kernel.name}, {"together", kernel.together}, {"runs", std::move(runs)}};
}

std::int64_t DrawnRuns::textNumber(const std::string &text) {
  auto [known, inserted] = numbers.try_emplace(text, static_cast<std::int64_t>(texts.size()));
  if (inserted)
    texts.push_back(text);
  return known->second;
}

} // namespace ptosync
