#include "compare/compare_report.h"

#include "kernel/column_table.h"
#include "optimize/json_parts.h"
#include "optimize/library_use.h"
#include "optimize/wording.h"
#include "report/html_report.h"
#include "rewrite/sync_edits.h"
#include "rewrite/text_edit.h"
#include "timing/cost_report.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ptosync {

// Text.

namespace {

using compare::Both;
using compare::Family;
using compare::KernelComparison;
using compare::KindCount;
using compare::LoopComparison;
using compare::SyncComparison;

constexpr std::size_t kShownGroups = 12;
constexpr std::size_t kShownGroupLines = 6;

using ComparedAlign = ColumnTable::Align;

/// What is not the same, in the order in which it is listed.
constexpr compare::MatchKind kChanges[] = {
    compare::MatchKind::Gone,  compare::MatchKind::New,     compare::MatchKind::Widened, compare::MatchKind::Narrowed,
    compare::MatchKind::Moved, compare::MatchKind::Changed, compare::MatchKind::Copies};

std::string digits(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

/// "5 %", "2.5 %".
std::string percentText(double value) {
  std::string text = digits(value, 4);
  text.erase(text.find_last_not_of('0') + 1);
  return (text.back() == '.' ? text.substr(0, text.size() - 1) : text) + " %";
}

std::string wholeNumber(double value) { return digits(value, 0); }

/// "0.87"; "-" where A has none, or neither.
std::string ratioOfBoth(const Both &values) {
  std::optional<double> ratio = values.ratio();
  return ratio ? digits(*ratio, 2) : "-";
}

Both timesOverLimit(const Both &cycles, const Both &limit) {
  return {limit.a > 0 ? cycles.a / limit.a : 1, limit.b > 0 ? cycles.b / limit.b : 1};
}

std::string lineOrNone(const std::optional<std::uint32_t> &line) { return line ? std::to_string(*line) : "-"; }

std::string comparedLoopName(const LoopComparison &loop) {
  std::string text = "line " + lineOrNone(loop.lineA);
  if (loop.lineA != loop.lineB)
    text += " -> " + lineOrNone(loop.lineB);
  return text;
}

std::string comparedTimePart(const KernelComparison &kernel, bool verbose) {
  ColumnTable table(4, {ComparedAlign::Left, ComparedAlign::Right, ComparedAlign::Right, ComparedAlign::Right});
  table.add({"estimated cycles", "A", "B", "B/A"});
  auto add = [&](const std::string &name, const Both &values) {
    table.add({name, cyclesText(values.a), cyclesText(values.b), ratioOfBoth(values)});
  };
  add("time", kernel.cycles);
  add("data-flow limit", kernel.limit);
  Both over = timesOverLimit(kernel.cycles, kernel.limit);
  table.add({"time over the limit", digits(over.a, 2), digits(over.b, 2), ratioOfBoth(over)});
  for (Pipe pipe : kPipes) {
    const Both &busy = kernel.busy[index(pipe)];
    if (std::max(busy.a, busy.b) >= 0.5 || (verbose && busy.a + busy.b > 0))
      add(std::string(pipeName(pipe)) + " busy", busy);
  }
  return table.format();
}

std::string comparedLoopPart(const KernelComparison &kernel) {
  if (kernel.loops.empty())
    return "";
  ColumnTable table(4, {ComparedAlign::Left, ComparedAlign::Right, ComparedAlign::Right, ComparedAlign::Right,
                        ComparedAlign::Right, ComparedAlign::Right, ComparedAlign::Right});
  table.add({"loop", "iterations", "A", "B", "B/A", "over the limit", "syncs"});
  auto both = [](const Both &values, int places) {
    std::string a = digits(values.a, places), b = digits(values.b, places);
    return a == b ? a : a + " -> " + b;
  };
  for (const LoopComparison &loop : kernel.loops)
    table.add({std::string(std::size_t{2} * loop.depth, ' ') + comparedLoopName(loop), both(loop.iterations, 0),
               loop.lineA ? cyclesText(loop.cycles.a) : "-", loop.lineB ? cyclesText(loop.cycles.b) : "-",
               ratioOfBoth(loop.cycles), both(timesOverLimit(loop.cycles, loop.limit), 2), both(loop.syncs, 0)});
  return "\n" + table.format();
}

/// Rows of one kind: of the whole kernel, and of each loop where it differs, if there are any.
class KindCountTable {
public:
  KindCountTable(const KernelComparison &kernel, bool verbose) : kernel(kernel), verbose(verbose) {}

  std::string format() {
    table.add({"statements and how often they run", "A", "B", "B/A", "run in A", "in B", "B/A"});
    for (const KindCount &count : kernel.counts)
      addKind(count);
    std::string text = rows ? "\n" + table.format() : "\n";
    if (hidden)
      text += "    the same in both: " + countOf(hiddenStatements, "statement") + " of " + countOf(hidden, "kind") +
              (verbose ? "" : " (--verbose lists them)") + "\n";
    return text;
  }

private:
  static std::string familyMark(Family family) {
    return family == Family::Fifo ? " [FIFO]" : family == Family::CrossCore ? " [cross-core]" : "";
  }

  const KindCount *find(const std::vector<KindCount> &counts, const KindCount &wanted) const {
    for (const KindCount &count : counts)
      if (count.family == wanted.family && count.kind == wanted.kind)
        return &count;
    return nullptr;
  }

  void addKind(const KindCount &count) {
    std::vector<std::pair<std::string, const KindCount *>> places;
    auto consider = [&](const std::string &place, const KindCount *here) {
      if (here && (verbose || !here->same()))
        places.emplace_back(place, here);
    };
    consider("outside loops", find(kernel.outside, count));
    for (const LoopComparison &loop : kernel.loops)
      consider("loop " + comparedLoopName(loop), find(loop.counts, count));
    if (!verbose && count.same() && places.empty()) {
      ++hidden;
      hiddenStatements += static_cast<std::size_t>(count.statements.a);
      return;
    }
    addRow(printable(count.kind) + familyMark(count.family), count);
    if (!kernel.loops.empty())
      for (const auto &[place, here] : places)
        addRow("  " + place, *here);
  }

  void addRow(const std::string &name, const KindCount &count) {
    ++rows;
    table.add({name, wholeNumber(count.statements.a), wholeNumber(count.statements.b), ratioOfBoth(count.statements),
               wholeNumber(count.executed.a), wholeNumber(count.executed.b), ratioOfBoth(count.executed)});
  }

  const KernelComparison &kernel;
  bool verbose;
  std::size_t rows = 0, hidden = 0, hiddenStatements = 0;
  ColumnTable table{4,
                    {ComparedAlign::Left, ComparedAlign::Right, ComparedAlign::Right, ComparedAlign::Right,
                     ComparedAlign::Right, ComparedAlign::Right, ComparedAlign::Right}};
};

std::string changeTitle(compare::MatchKind change) {
  switch (change) {
  case compare::MatchKind::Gone: return "gone: A has it, nothing in B orders the same";
  case compare::MatchKind::New: return "new: nothing in A orders the same";
  case compare::MatchKind::Moved: return "moved: orders the same, from another place";
  case compare::MatchKind::Changed: return "changed: in the same place, or near it, but it orders something else";
  case compare::MatchKind::Copies: return "copies: one statement for several, they run as often";
  case compare::MatchKind::Widened: return "widened: every pipe waits where it was one sync";
  case compare::MatchKind::Narrowed: return "narrowed: one sync where every pipe waited";
  case compare::MatchKind::Same: return "the same in both";
  }
  return "?";
}

std::string groupPlaces(const SyncGroup &group, std::size_t most) {
  std::string a = group.linesA.empty() ? "" : describeLines(group.linesA, most);
  std::string b = group.linesB.empty() ? "" : describeLines(group.linesB, most);
  if (a.empty() || b.empty())
    return a + b;
  return a + " -> " + b;
}

std::string comparedSyncPart(const KernelComparison &kernel, bool verbose) {
  std::string text;
  std::vector<SyncGroup> groups = groupSyncs(kernel);
  for (compare::MatchKind change : kChanges) {
    std::size_t shown = 0, hidden = 0;
    for (const SyncGroup &group : groups) {
      if (group.change != change)
        continue;
      if (shown == 0)
        text += "\n    " + changeTitle(change) + "\n";
      if (!verbose && shown == kShownGroups) {
        hidden += std::max(group.linesA.size(), group.linesB.size());
        continue;
      }
      ++shown;
      std::size_t many = std::max(group.linesA.size(), group.linesB.size());
      text += "      " + std::to_string(many) + "x " + group.text + ", at " +
              groupPlaces(group, verbose ? ~std::size_t(0) - 1 : kShownGroupLines);
      if (group.cost >= 1)
        text +=
            "; without it" + std::string(many > 1 ? " alone, up to " : " ") + cyclesText(group.cost) + " cycles less";
      text += "\n";
    }
    if (hidden)
      text += "      and " + std::to_string(hidden) + " more (--verbose)\n";
  }
  return text;
}

std::string comparedRunPart(const KernelComparison &kernel) {
  std::string text = "    run with " + printable(kernel.run);
  if (!kernel.runB.empty())
    text += ", B with " + printable(kernel.runB) + " (their parameters differ)";
  if (kernel.extrapolated)
    text += ", iterations that repeat counted and not run";
  if (kernel.cut)
    text += ", cut";
  return text + "\n";
}

std::string syncCounts(const KernelComparison &kernel) {
  std::string text;
  for (compare::MatchKind change : kChanges)
    if (std::size_t count = kernel.count(change))
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + compare::matchKindName(change);
  return text.empty() ? "none differs" : text;
}

std::string comparedKernelPart(const CompareReport &report, const KernelComparison &kernel) {
  std::string text = "\n" + compareTitle(kernel);
  if (!kernel.paired())
    return text + ": only in " +
           (kernel.nameB.empty() ? "A, " + printable(report.fileA) : "B, " + printable(report.fileB)) + ":" +
           std::to_string(kernel.nameB.empty() ? kernel.lineA : kernel.lineB) + "\n";
  if (!kernel.notAnalysed.empty())
    return text + ": not compared: " + printable(kernel.notAnalysed) + "\n";
  if (kernel.idle() && kernel.same())
    return text + ": nothing to do in either\n";
  if (kernel.idle())
    return text + ": nothing to do in either; end fences " +
           std::to_string(kernel.syncs.size() - kernel.count(compare::MatchKind::New)) + " -> " +
           std::to_string(kernel.syncs.size() - kernel.count(compare::MatchKind::Gone)) + "\n";
  text += ", line " + std::to_string(kernel.lineA);
  if (kernel.lineA != kernel.lineB)
    text += " -> " + std::to_string(kernel.lineB);
  if (kernel.same() && !report.verbose)
    return text + ": no difference, " + cyclesText(kernel.cycles.a) + " cycles\n";
  return text + ", syncs: " + syncCounts(kernel) + "\n" + comparedRunPart(kernel) +
         comparedTimePart(kernel, report.verbose) + comparedLoopPart(kernel) +
         KindCountTable(kernel, report.verbose).format() + comparedSyncPart(kernel, report.verbose);
}

/// "61.1k -> 57.3k cycles (0.94), limit 52.6k -> 52.6k, over the limit 1.16 -> 1.09".
std::string comparedChange(const Both &cycles, const Both &limit) {
  Both over = timesOverLimit(cycles, limit);
  return cyclesText(cycles.a) + " -> " + cyclesText(cycles.b) + " cycles (" + ratioOfBoth(cycles) + "), limit " +
         cyclesText(limit.a) + " -> " + cyclesText(limit.b) + ", over the limit " + digits(over.a, 2) + " -> " +
         digits(over.b, 2);
}

/// A line for each kernel whose cores meet, unless it is the only one and timed together.
std::string comparedCoresPart(const compare::Comparison &comparison) {
  std::string text;
  if (comparison.cores.size() == 1 && comparison.anyTogether())
    return text; // the first line says it
  for (const compare::CoresComparison &kernel : comparison.cores)
    text += "both cores " +
            (kernel.apart.empty()
                 ? "together: " + printable(kernel.name) + " " + comparedChange(kernel.cycles, kernel.limit)
                 : "of " + apartLine(kernel.name, kernel.apart)) +
            "\n";
  return text;
}

bool nothingDiffers(const compare::Comparison &comparison) {
  return std::all_of(comparison.kernels.begin(), comparison.kernels.end(),
                     [](const KernelComparison &kernel) { return kernel.same(); });
}

} // namespace

std::vector<std::string> compareEstimate(const CompareReport &report) {
  const compare::Comparison &comparison = *report.comparison;
  const std::string alone = comparedChange(comparison.cycles, comparison.limit);
  std::vector<std::string> lines;
  if (comparison.anyTogether())
    lines = {"estimate: " + comparedChange(comparison.together, comparison.togetherLimit) + ", both cores together",
             "each core alone: " + alone};
  else
    lines = {"estimate: " + alone};
  if (!report.durations.empty())
    lines.front() += ", with " + printable(report.durations);
  return lines;
}

std::string syncTotals(const compare::Comparison &comparison) {
  std::set<std::uint32_t> syncs; // statements of A
  std::size_t compared = 0;
  for (const KernelComparison &kernel : comparison.kernels) {
    if (!kernel.compared())
      continue;
    ++compared;
    for (const SyncComparison &sync : kernel.syncs)
      if (sync.a)
        syncs.insert(sync.a->offset);
  }
  std::map<compare::MatchKind, std::size_t> changes;
  for (const SyncComparison *sync : compare::changedStatements(comparison))
    ++changes[sync->change];
  std::string list;
  for (compare::MatchKind change : kChanges)
    if (const std::size_t count = changes[change])
      list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + compare::matchKindName(change);
  return countOf(compared, "core") + " compared, " + countOf(syncs.size(), "sync") + ": " +
         (list.empty() ? "none differs" : list);
}

std::string compareTitle(const KernelComparison &kernel) {
  std::string text = describeKernel(kernel.nameA.empty() ? kernel.nameB : kernel.nameA, kernel.section);
  return kernel.paired() && kernel.nameA != kernel.nameB ? text + ", in B " + printable(kernel.nameB) : text;
}

std::vector<SyncGroup> groupSyncs(const KernelComparison &kernel) {
  std::map<std::pair<compare::MatchKind, std::string>, SyncGroup> groups;
  for (const SyncComparison &sync : kernel.syncs) {
    if (sync.change == compare::MatchKind::Same)
      continue;
    const bool otherKind = sync.change == compare::MatchKind::Widened || sync.change == compare::MatchKind::Narrowed;
    std::string text = (otherKind ? printable(sync.before) + " -> " : "") + printable(sync.kind) + ": ";
    if (sync.change == compare::MatchKind::Changed)
      text += (sync.before.empty() ? "orders no data" : printable(sync.before)) + ", now ";
    text += sync.earlier.empty() ? "orders no data" : printable(sync.earlier) + " -> " + printable(sync.later);
    if (sync.carried)
      text += ", carried round the loop";
    auto loop = [](const std::optional<compare::SyncPlace> &place) { return place ? place->loopLine : 0u; };
    std::uint32_t inA = loop(sync.a), inB = loop(sync.b);
    auto name = [](std::uint32_t line) { return line ? "the loop at line " + std::to_string(line) : "no loop"; };
    // A loop whose line differs may be the same one: both lines say it.
    if (sync.a && sync.b && inA != inB)
      text += ", from " + name(inA) + " to " + name(inB);
    else if (inA || inB)
      text += ", in " + name(inA ? inA : inB);
    SyncGroup &group = groups[{sync.change, text}];
    group.change = sync.change;
    group.text = text;
    if (sync.a)
      group.linesA.push_back(sync.a->line);
    if (sync.b)
      group.linesB.push_back(sync.b->line);
    group.cost = std::max(group.cost, sync.b ? sync.b->cost : sync.a->cost);
  }
  std::vector<SyncGroup> list;
  for (auto &[key, group] : groups) {
    std::sort(group.linesA.begin(), group.linesA.end());
    std::sort(group.linesB.begin(), group.linesB.end());
    list.push_back(std::move(group));
  }
  std::stable_sort(list.begin(), list.end(), [](const SyncGroup &x, const SyncGroup &y) {
    if (x.change != y.change)
      return x.change < y.change;
    if (std::round(x.cost) != std::round(y.cost))
      return x.cost > y.cost;
    return std::max(x.linesA.size(), x.linesB.size()) > std::max(y.linesA.size(), y.linesB.size());
  });
  return list;
}

std::string changesText(const CompareReport &report, const compare::ChangeSummary &summary) {
  std::string text = "  " + compare::changeLine(summary) + "\n";
  if (!summary.unknown.empty() && summary.differs())
    text += "  " + printable(summary.unknown) + "\n";
  for (std::size_t i = 0; i < summary.findings.size() && (report.verbose || i < kShownGroups); ++i)
    text += "  " + summary.findings[i] + "\n";
  if (!report.verbose && summary.findings.size() > kShownGroups)
    text += "  and " + std::to_string(summary.findings.size() - kShownGroups) + " more (--verbose)\n";
  for (const KernelComparison &kernel : report.comparison->kernels) {
    const std::string title = compareTitle(kernel);
    if (!kernel.paired())
      text += "  " + title + ": only in " + (kernel.nameB.empty() ? "A" : "B") + "\n";
    else if (!kernel.compared())
      text += "  " + title + ": not compared: " + printable(kernel.notAnalysed) + "\n";
    std::size_t number = 0;
    const std::vector<SyncGroup> groups = groupSyncs(kernel);
    for (compare::MatchKind change : kChanges)
      for (const SyncGroup &group : groups)
        if (group.change == change && (++number <= kShownGroups || report.verbose))
          text += "  " + title + ": " + matchKindName(change) + " " + group.text + ", at " +
                  groupPlaces(group, report.verbose ? ~std::size_t(0) - 1 : kShownGroupLines) + "\n";
    if (!report.verbose && number > kShownGroups)
      text += "  " + title + ": and " + std::to_string(number - kShownGroups) + " more (--verbose)\n";
  }
  return text;
}

std::vector<std::string> overLimit(const CompareReport &report) {
  std::vector<std::string> found;
  if (!report.failOver)
    return found;
  auto check = [&](const std::string &name, const Both &cycles) {
    if (cycles.b <= cycles.a * (1 + *report.failOver / 100) + 1e-6)
      return;
    found.push_back(name + ": " + cyclesText(cycles.a) + " -> " + cyclesText(cycles.b) + " cycles" +
                    (cycles.a > 0 ? ", " + digits((cycles.b / cycles.a - 1) * 100, 1) + " % more" : ""));
  };
  for (const KernelComparison &kernel : report.comparison->kernels) {
    if (kernel.compared() && kernel.idle())
      continue; // an end fence is a cycle at most
    if (kernel.compared())
      check(compareTitle(kernel), kernel.cycles);
    else if (!kernel.paired())
      found.push_back(compareTitle(kernel) + ": only in " + (kernel.nameB.empty() ? "A" : "B"));
    else
      found.push_back(compareTitle(kernel) + ": not compared");
  }
  if (found.empty())
    check("all kernels together", report.comparison->cycles);
  return found;
}

std::string compareText(const CompareReport &report) {
  const compare::Comparison &comparison = *report.comparison;
  std::string text = "A " + printable(report.fileA) + "\nB " + printable(report.fileB) + "\n";
  if (!report.archChoice.empty())
    text += "arch " + printable(report.archChoice) + "\n";
  for (const std::string &line : report.assumed)
    text += assumedLine(line) + "\n";
  text += nothingDiffers(comparison) ? "no difference\n" : "";
  for (const std::string &line : compareEstimate(report))
    text += line + "\n";
  text += syncTotals(comparison) + "\n";
  text += comparedCoresPart(comparison);
  for (const KernelComparison &kernel : comparison.kernels)
    text += comparedKernelPart(report, kernel);
  std::vector<std::string> over = overLimit(report);
  if (!over.empty())
    text += "\nover the limit of " + percentText(*report.failOver) + " more in B\n";
  for (const std::string &entry : over)
    text += "  " + entry + "\n";
  return text;
}

// CSV and JSON.

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
  return {{"change", matchKindName(sync.change)}, {"kind", sync.kind},           {"earlier", orNull(sync.earlier)},
          {"later", orNull(sync.later)},          {"loopCarried", sync.carried}, {"before", orNull(sync.before)},
          {"a", syncPlaceJson(sync.a)},           {"b", syncPlaceJson(sync.b)}};
}

Json comparedCoresJson(const compare::CoresComparison &kernel) {
  return {{"kernel", kernel.name},
          {"apart", orNull(kernel.apart)},
          {"cycles", bothJson(kernel.cycles)},
          {"limit", bothJson(kernel.limit)},
          {"over", overLimitJson(kernel.cycles, kernel.limit)}};
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
    std::map<std::pair<compare::MatchKind, std::string>, Both> counts;
    for (const SyncComparison &sync : kernel.syncs) {
      Both &count = counts[{sync.change, sync.kind}];
      count.a += sync.a.has_value();
      count.b += sync.b.has_value();
    }
    for (const auto &[key, count] : counts)
      row("", std::string("syncs ") + matchKindName(key.first), key.second, count);
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
  if (!comparison.cores.empty())
    json["bothCores"] = arrayOf(comparison.cores, comparedCoresJson);
  if (!report.durations.empty())
    json["durations"] = report.durations;
  if (!report.assumed.empty())
    json["assumed"] = report.assumed;
  return json;
}

Json changedSyncsJson(const compare::Comparison &comparison) {
  Json list = Json::array();
  for (const KernelComparison &kernel : comparison.kernels)
    for (const SyncComparison &sync : kernel.syncs) {
      if (sync.change == compare::MatchKind::Same)
        continue;
      Json entry = {{"kernel", kernel.nameA}, {"section", sectionName(kernel.section)}};
      entry.update(comparedSyncJson(sync));
      list.push_back(std::move(entry));
    }
  return list;
}

std::string compareJsonText(const CompareReport &report) {
  return compareJson(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The page.

namespace {

nlohmann::ordered_json sourceLines(const SourceText &source) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (std::uint32_t line = 1; line <= source.lineCount(); ++line)
    lines.push_back(std::string(source.line(line)));
  return lines;
}

/// The statement that a comment of `opt` stands for; else the line as it is.
std::string statementIn(llvm::StringRef line) {
  constexpr llvm::StringLiteral kMark = "/* ptosync:";
  for (std::size_t at = line.find(kMark); at != llvm::StringRef::npos; at = line.find(kMark, at + 1)) {
    const std::optional<EditComment> comment = readEditComment(line.drop_front(at + kMark.size()).split("*/").first);
    if (comment && !comment->statement.empty())
      return comment->statement;
  }
  return line.str();
}

/// What a line has in common with the same one of another version.
std::string lineShape(std::string_view line) {
  std::string shape;
  std::string statement = statementIn(line);
  if (std::size_t comment = statement.find("//"); comment != std::string::npos)
    if (statement.find_first_not_of(" \t") < comment)
      statement.resize(comment);
  for (char c : statement) {
    bool digit = c >= '0' && c <= '9';
    if (c == ' ' || c == '\t' || c == '\r' || c == ';' || (digit && !shape.empty() && shape.back() == '#'))
      continue;
    shape += digit ? '#' : c;
  }
  return shape;
}

} // namespace

std::vector<MatchedLines> matchedLines(const SourceText &a, const SourceText &b) {
  std::map<std::string, std::uint32_t> numbers;
  auto list = [&](const SourceText &source) {
    std::vector<std::uint32_t> tokens;
    tokens.reserve(source.lineCount());
    for (std::uint32_t line = 1; line <= source.lineCount(); ++line)
      tokens.push_back(
          numbers.try_emplace(lineShape(source.line(line)), static_cast<std::uint32_t>(numbers.size())).first->second);
    return tokens;
  };
  const std::vector<std::uint32_t> inA = list(a), inB = list(b);
  std::vector<MatchedLines> matched;
  forEachKept(matchLines(inA, inB), [&](std::size_t i, std::size_t j) {
    const auto lineA = static_cast<std::uint32_t>(i + 1), lineB = static_cast<std::uint32_t>(j + 1);
    if (!matched.empty() && matched.back().a + matched.back().count == lineA &&
        matched.back().b + matched.back().count == lineB)
      ++matched.back().count;
    else
      matched.push_back({lineA, lineB, 1});
  });
  return matched;
}

std::string compareHtml(const CompareReport &report, const SourceText &a, const SourceText &b,
                        const std::vector<DrawnKernel> &drawn) {
  DrawnRuns runs;
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const DrawnKernel &kernel : drawn)
    kernels.push_back(runs.kernelJson(kernel));
  nlohmann::ordered_json data = {{"comparison", compareJson(report)},
                                 {"estimate", compareEstimate(report)},
                                 {"verdict", syncTotals(*report.comparison)},
                                 {"titles", arrayOf(report.comparison->kernels, compareTitle)},
                                 {"linesA", sourceLines(a)},
                                 {"linesB", sourceLines(b)},
                                 {"matched", arrayOf(matchedLines(a, b),
                                                     [](const MatchedLines &lines) {
                                                       return nlohmann::ordered_json{lines.a, lines.b, lines.count};
                                                     })},
                                 {"kernels", std::move(kernels)},
                                 {"texts", runs.takeTexts()}};
  return htmlPage("compare", data);
}

} // namespace ptosync
