// The forms of a comparison for programs.
#include "report/compare_report.h"

#include "report/json_parts.h"

#include <cmath>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;
using compare::Both;
using compare::KernelComparison;
using compare::KindCount;
using compare::LoopComparison;
using compare::SyncComparison;

double thousandths(double value) { return std::round(value * 1000) / 1000; }

Json bothJson(const Both &values) {
  Json ratio = nullptr;
  if (values.ratio())
    ratio = thousandths(*values.ratio());
  return {{"a", std::llround(values.a)}, {"b", std::llround(values.b)}, {"ratio", std::move(ratio)}};
}

Json overLimitJson(const Both &cycles, const Both &limit) {
  auto over = [](double time, double least) { return least > 0 ? thousandths(time / least) : 1.0; };
  return {{"a", over(cycles.a, limit.a)}, {"b", over(cycles.b, limit.b)}};
}

Json kindCountsJson(const std::vector<KindCount> &counts) {
  return arrayOf(counts, [](const KindCount &count) {
    return Json{{"family", familyName(count.family)},
                {"kind", count.kind},
                {"statements", bothJson(count.statements)},
                {"executed", bothJson(count.executed)}};
  });
}

template <typename T> Json valueOrNull(const std::optional<T> &value) { return value ? Json(*value) : Json(nullptr); }

Json comparedLoopJson(const LoopComparison &loop) {
  return {{"lineA", valueOrNull(loop.lineA)},
          {"lineB", valueOrNull(loop.lineB)},
          {"depth", loop.depth},
          {"iterations", bothJson(loop.iterations)},
          {"cycles", bothJson(loop.cycles)},
          {"limit", bothJson(loop.limit)},
          {"over", overLimitJson(loop.cycles, loop.limit)},
          {"syncs", bothJson(loop.syncs)},
          {"counts", kindCountsJson(loop.counts)}};
}

Json syncPlaceJson(const std::optional<compare::SyncPlace> &place) {
  if (!place)
    return nullptr;
  return {{"line", place->line},
          {"calledFrom", place->calledFrom},
          {"loopLine", place->loopLine ? Json(place->loopLine) : Json(nullptr)},
          {"executions", std::llround(place->executions)},
          {"cost", std::llround(place->cost)}};
}

Json comparedSyncJson(const SyncComparison &sync) {
  return {{"change", syncChangeName(sync.change)},
          {"kind", sync.kind},
          {"earlier", orNull(sync.earlier)},
          {"later", orNull(sync.later)},
          {"loopCarried", sync.carried},
          {"before", orNull(sync.before)},
          {"a", syncPlaceJson(sync.a)},
          {"b", syncPlaceJson(sync.b)}};
}

Json comparedKernelJson(const KernelComparison &kernel) {
  Json busy = Json::object();
  for (Pipe pipe : kPipes)
    busy[std::string(pipeName(pipe))] = bothJson(kernel.busy[index(pipe)]);
  return {{"kernelA", orNull(kernel.nameA)},
          {"kernelB", orNull(kernel.nameB)},
          {"section", sectionName(kernel.section)},
          {"lineA", kernel.nameA.empty() ? Json(nullptr) : Json(kernel.lineA)},
          {"lineB", kernel.nameB.empty() ? Json(nullptr) : Json(kernel.lineB)},
          {"compared", kernel.compared()},
          {"reason", orNull(kernel.notAnalysed)},
          {"same", kernel.same()},
          {"run", orNull(kernel.run)},
          {"runB", orNull(kernel.runB)},
          {"extrapolated", kernel.extrapolated},
          {"cut", kernel.cut},
          {"cycles", bothJson(kernel.cycles)},
          {"limit", bothJson(kernel.limit)},
          {"over", overLimitJson(kernel.cycles, kernel.limit)},
          {"busy", std::move(busy)},
          {"counts", kindCountsJson(kernel.counts)},
          {"outsideLoops", kindCountsJson(kernel.outside)},
          {"loops", arrayOf(kernel.loops, comparedLoopJson)},
          {"syncs", arrayOf(kernel.syncs, comparedSyncJson)}};
}

/// A field as RFC 4180 has it; a text that a spreadsheet would take for a formula cannot occur in a kernel's names.
std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

class CsvWriter {
public:
  std::string write(const CompareReport &report) {
    text = "kernel,section,loop,what,kind,a,b,ratio\n";
    for (const KernelComparison &kernel : report.comparison->kernels)
      addKernel(kernel);
    lead = ",,";
    row("", "cycles", "", report.comparison->cycles);
    row("", "limit", "", report.comparison->limit);
    return std::move(text);
  }

private:
  void row(const std::string &loop, const std::string &what, const std::string &kind, const Both &values) {
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%.0f,%.0f,", values.a, values.b);
    text += lead + csvField(loop) + "," + what + "," + csvField(kind) + "," + numbers;
    if (values.ratio()) {
      std::snprintf(numbers, sizeof numbers, "%.3f", *values.ratio());
      text += numbers;
    }
    text += "\n";
  }

  void addCounts(const std::string &loop, const std::vector<KindCount> &counts) {
    for (const KindCount &count : counts) {
      row(loop, std::string(familyName(count.family)) + " statements", count.kind, count.statements);
      row(loop, std::string(familyName(count.family)) + " executed", count.kind, count.executed);
    }
  }

  void addKernel(const KernelComparison &kernel) {
    lead = csvField(kernel.nameA.empty() ? kernel.nameB : kernel.nameA) + "," +
           std::string(sectionName(kernel.section)) + ",";
    if (!kernel.compared()) {
      row("", kernel.paired() ? "not compared" : "only in one file", "",
          {kernel.nameA.empty() ? 0.0 : 1.0, kernel.nameB.empty() ? 0.0 : 1.0});
      return;
    }
    row("", "cycles", "", kernel.cycles);
    row("", "limit", "", kernel.limit);
    for (Pipe pipe : kPipes)
      row("", "busy", std::string(pipeName(pipe)), kernel.busy[index(pipe)]);
    addCounts("", kernel.counts);
    for (const LoopComparison &loop : kernel.loops) {
      auto line = [](const std::optional<std::uint32_t> &value) { return value ? std::to_string(*value) : "-"; };
      std::string name = line(loop.lineA) + ">" + line(loop.lineB);
      row(name, "iterations", "", loop.iterations);
      row(name, "cycles", "", loop.cycles);
      row(name, "limit", "", loop.limit);
      addCounts(name, loop.counts);
    }
    addSyncs(kernel);
  }

  /// How many of each kind differ, and how: in A and in B.
  void addSyncs(const KernelComparison &kernel) {
    std::map<std::pair<compare::SyncChange, std::string>, Both> counts;
    for (const SyncComparison &sync : kernel.syncs) {
      Both &count = counts[{sync.change, sync.kind}];
      count.a += sync.a.has_value();
      count.b += sync.b.has_value();
    }
    for (const auto &[key, count] : counts)
      row("", std::string("syncs ") + syncChangeName(key.first), key.second, count);
  }

  std::string text, lead;
};

} // namespace

std::string compareCsv(const CompareReport &report) { return CsvWriter().write(report); }

Json compareJson(const CompareReport &report) {
  const compare::Comparison &comparison = *report.comparison;
  Json json = {{"schema", 1},
               {"tool", {{"name", "ptosync"}, {"version", report.toolVersion}}},
               {"a", report.fileA},
               {"b", report.fileB},
               {"arch", report.arch},
               {"archChoice", report.archChoice},
               {"unit", "cycles"},
               {"clockMHz", report.clockMHz},
               {"cycles", bothJson(comparison.cycles)},
               {"limit", bothJson(comparison.limit)},
               {"over", overLimitJson(comparison.cycles, comparison.limit)},
               {"failOver", report.failOver ? Json(*report.failOver) : Json(nullptr)},
               {"overLimit", overLimit(report)},
               {"kernels", arrayOf(comparison.kernels, comparedKernelJson)}};
  if (!report.durations.empty())
    json["durations"] = report.durations;
  return json;
}

std::string compareJsonText(const CompareReport &report) {
  return compareJson(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
