#include "report/verify_report.h"

#include "report/json_parts.h"
#include "report/library_report.h"
#include "report/wording.h"

#include <nlohmann/json.hpp>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;
using replay::FindingKind;
using replay::KernelCoverage;
using replay::Place;

constexpr std::size_t kMostLines = 8; // of one list of line numbers

std::string plural(std::uint64_t count, const std::string &word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string lineList(const std::set<std::uint32_t> &lines) {
  return describeLines({lines.begin(), lines.end()}, kMostLines);
}

/// "line 12 TADD(a, b, c) on PIPE_V, iteration 1 of the loop at line 9".
std::string describePlaceOf(const Place &place) {
  std::uint32_t line = place.afterLine ? place.afterLine : place.beforeLine;
  std::string text = "line " + std::to_string(line);
  if (place.beforeLine && place.afterLine && place.beforeLine != place.afterLine)
    text += " (" + std::to_string(place.beforeLine) + " before)";
  text += " " + printable(place.text);
  if (!place.pipe.empty())
    text += " on " + place.pipe;
  return text + (place.iteration.empty() ? "" : ", " + place.iteration);
}

const char *lead(FindingKind kind) {
  switch (kind) {
  case FindingKind::Streams: return "other instructions: ";
  case FindingKind::Order: return "order lost: ";
  case FindingKind::End: return "order lost: ";
  case FindingKind::Token: return "flag: ";
  case FindingKind::Deadlock: return "deadlock: ";
  }
  return "";
}

std::string findingText(const replay::Finding &finding, const std::string &file) {
  std::uint32_t line = finding.later.afterLine ? finding.later.afterLine : finding.earlier.afterLine;
  std::string text = file + (line ? ":" + std::to_string(line) : "") + ": " + lead(finding.kind) +
                     printable(finding.text) + "\n    in " + describeKernel(finding.kernel, finding.section);
  if (!finding.run.empty())
    text += ", run with " + finding.run;
  text += "\n";
  if (finding.kind == FindingKind::Order || finding.kind == FindingKind::End) {
    text +=
        "    " +
        (finding.rule.empty() ? "" : finding.rule + (finding.storage.empty() ? "" : " on " + finding.storage) + ": ") +
        describePlaceOf(finding.earlier) + "\n";
    if (!finding.later.text.empty())
      text += "      then " + describePlaceOf(finding.later) + "\n";
  }
  for (std::size_t i = 0; i < finding.order.size(); ++i)
    text += (i ? "      then " : "    ordered before by ") + printable(finding.order[i]) + "\n";
  return text;
}

std::string coverageText(const KernelCoverage &coverage, bool verbose) {
  std::string text = "  " + describeKernel(coverage.kernel, coverage.section) + ": " + plural(coverage.runs, "run") +
                     ", " + plural(coverage.instructions, "instruction") + " compared\n";
  for (const replay::LoopCoverage &loop : coverage.loops) {
    if (!verbose && !loop.skipped)
      continue;
    text += "    loop at line " + std::to_string(loop.line) + ": ran ";
    if (loop.trips.empty())
      text += "never";
    std::size_t shown = 0;
    for (std::uint64_t trips : loop.trips) {
      if (shown == kMostLines) {
        text += ", ...";
        break;
      }
      text += (shown++ ? ", " : "") + std::to_string(trips);
    }
    text += loop.trips.empty() ? "" : " times";
    if (loop.skipped)
      text += "; " + std::to_string(loop.skipped) + " iterations not run: they repeat those before them";
    text += "\n";
  }
  if (!coverage.cutAt.empty())
    text += "    stopped as too long at " + lineList(coverage.cutAt) + ": compared up to there\n";
  if (!coverage.neverRun.empty())
    text += "    never run: " + lineList(coverage.neverRun) + " (try --arg)\n";
  return text;
}

Json placeJson(const Place &place) {
  if (place.text.empty())
    return nullptr;
  return {{"text", place.text},
          {"lineBefore", place.beforeLine ? Json(place.beforeLine) : Json(nullptr)},
          {"lineAfter", place.afterLine ? Json(place.afterLine) : Json(nullptr)},
          {"pipe", orNull(place.pipe)},
          {"iteration", orNull(place.iteration)}};
}

Json findingJson(const replay::Finding &finding) {
  return {{"kind", replay::findingName(finding.kind)},
          {"rule", orNull(finding.rule)},
          {"text", finding.text},
          {"kernel", finding.kernel},
          {"section", sectionName(finding.section)},
          {"run", orNull(finding.run)},
          {"earlier", placeJson(finding.earlier)},
          {"later", placeJson(finding.later)},
          {"storage", orNull(finding.storage)},
          {"orderedBefore", finding.order}};
}

Json coverageJson(const KernelCoverage &coverage) {
  Json loops = Json::array();
  for (const replay::LoopCoverage &loop : coverage.loops)
    loops.push_back({{"line", loop.line}, {"trips", loop.trips}, {"iterationsSkipped", loop.skipped}});
  return {{"kernel", coverage.kernel},
          {"section", sectionName(coverage.section)},
          {"runs", coverage.runs},
          {"instructions", coverage.instructions},
          {"loops", std::move(loops)},
          {"stoppedAtLines", coverage.cutAt},
          {"linesNeverRun", coverage.neverRun},
          {"runsWithoutSkipping", coverage.withoutSkipping}};
}

} // namespace

std::string verifyText(const VerifyReportInput &input) {
  const replay::Verdict &verdict = *input.verdict;
  std::uint64_t runs = 0, instructions = 0;
  for (const KernelCoverage &coverage : verdict.coverage) {
    runs += coverage.runs;
    instructions += coverage.instructions;
  }
  std::string text = verdict.agreed() ? "agree" : plural(verdict.findings.size(), "finding");
  text += ": " + plural(runs, "run") + " of " + plural(verdict.coverage.size(), "kernel") + ", " +
          plural(instructions, "instruction") + " compared (trust: " + trustName(input.trust) +
          ", arch: " + input.arch + ")\n";
  if (!input.archChoice.empty())
    text += "arch " + printable(input.archChoice) + "\n";
  for (const replay::Finding &finding : verdict.findings)
    text += findingText(finding, input.after);
  for (const KernelCoverage &coverage : verdict.coverage)
    text += coverageText(coverage, input.verbose);
  return text + libraryPart(input.libraryUse);
}

std::string verifyJson(const VerifyReportInput &input) {
  Json findings = Json::array(), coverage = Json::array();
  for (const replay::Finding &finding : input.verdict->findings)
    findings.push_back(findingJson(finding));
  for (const KernelCoverage &kernel : input.verdict->coverage)
    coverage.push_back(coverageJson(kernel));
  Json document = {{"schema", 1},
                   {"tool", {{"name", "ptosync"}, {"version", input.toolVersion}}},
                   {"before", input.before},
                   {"after", input.after},
                   {"arch", input.arch},
                   {"archChoice", input.archChoice},
                   {"trust", trustName(input.trust)},
                   {"libraryUse", libraryUseJson(input.libraryUse)},
                   {"agree", input.verdict->agreed()},
                   {"findings", std::move(findings)},
                   {"coverage", std::move(coverage)}};
  // Bytes of a kernel need not be UTF-8.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
