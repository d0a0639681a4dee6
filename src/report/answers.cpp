#include "report/answers.h"

#include "optimize/json_parts.h"
#include "optimize/library_use.h"
#include "optimize/wording.h"

#include <llvm/ADT/STLExtras.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

using synthesis::Defect;
using synthesis::FixResult;

std::string placeOf(const SourceText &source, const AddedSync &added) {
  std::string line = std::to_string(source.position(added.place.offset).line);
  switch (added.place.line) {
  case TextPlace::Line::InFront: return "in front of line " + line;
  case TextPlace::Line::Behind: return "behind line " + line;
  case TextPlace::Line::Shared: break;
  }
  return "on line " + line;
}

std::string addedText(const SourceText &source, const AddedSync &added) {
  std::string statement = added.statement.substr(0, added.statement.find_last_not_of(';') + 1);
  return "  " + placeOf(source, added) + ": put in " + printable(statement) + ": orders " + printable(added.earlier) +
         " (line " + std::to_string(added.earlierLine) + ") before " + printable(added.later) + " at line " +
         std::to_string(added.laterLine) + "\n";
}

std::string defectText(const std::string &file, const Defect &defect) {
  const FindingPlace &place = defect.finding.place;
  std::string text = printable(file);
  if (place.line)
    text += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  text += std::string(defect.mended ? ": mended: " : ": left: ") + printable(defect.finding.message) + " [" +
          defect.finding.rule + "]\n";
  if (!defect.mended)
    text += "  why: " + printable(defect.reason) + "\n";
  return text;
}

/// What no finding speaks of: the orders that one run of a kernel misses, and where that run comes from.
std::string missedText(const std::string &file, const std::vector<synthesis::MissedByRun> &missed, bool mended) {
  constexpr std::size_t kShown = 8; // of one run
  const char *verb = mended ? ": mended: " : ": left: ";
  std::map<std::pair<std::string, std::string>, std::vector<const synthesis::MissedByRun *>> runs;
  for (const synthesis::MissedByRun &one : missed)
    if (one.mended == mended)
      runs[{one.kernel, one.run}].push_back(&one);
  std::string text;
  for (const auto &[run, all] : runs) {
    for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i) {
      const synthesis::MissedByRun &one = *all[i];
      text += printable(file) + (one.laterLine ? ":" + std::to_string(one.laterLine) : "") + verb + printable(one.text);
      if (one.laterLine)
        text += ", line " + std::to_string(one.earlierLine) + " before line " + std::to_string(one.laterLine);
      if (!one.reason.empty())
        text += ": " + printable(one.reason);
      text += "\n";
    }
    if (all.size() > kShown)
      text += printable(file) + verb + std::to_string(all.size() - kShown) + " more in this run\n";
    text += "  why: the replay misses this in kernel " + printable(run.first) + ", run with " + printable(run.second) +
            "; the audit has no error and no warning of it\n";
  }
  return text;
}

} // namespace

std::string fixSummary(const FixResult &result) {
  std::size_t added = 0, removed = 0;
  for (const SyncPlan &change : result.changes) {
    added += change.added.size();
    removed += change.removed.size();
  }
  const std::size_t ofRuns = result.mendedOfRuns();
  std::size_t left = result.defects.size() - result.mended() + result.missed.size() - ofRuns;
  std::string text = result.defects.empty() ? "nothing to mend" : countOf(result.mended(), "finding") + " mended";
  if (ofRuns)
    text = (result.defects.empty() ? "" : countOf(result.mended(), "finding") + " and ") + countOf(ofRuns, "order") +
           " that a run misses mended";
  if (added)
    text += " by " + countOf(added, "statement") + " put in";
  if (removed)
    text += added ? " and " + std::to_string(removed) + " taken out"
                  : " by " + countOf(removed, "statement") + " taken out";
  if (left)
    text += "; " + std::to_string(left) + " left";
  return text;
}

std::string leftText(const FixReportInput &input) {
  const std::string &name = input.module->source.name();
  std::string text;
  for (const Defect &defect : input.result->defects)
    if (!defect.mended)
      text += defectText(name, defect);
  return text + missedText(name, input.result->missed, /*mended=*/false);
}

std::string fixText(const FixReportInput &input) {
  const SourceText &source = input.module->source;
  std::string text;
  for (const Defect &defect : input.result->defects)
    text += defectText(source.name(), defect);
  text += missedText(source.name(), input.result->missed, /*mended=*/true);
  for (const SyncPlan &change : input.result->changes) {
    for (const auto &[site, removal] : change.removed)
      text += "  line " + std::to_string(input.module->sites[site].line) + ": taken out " +
              printable(input.module->sites[site].text) + "\n";
    for (const AddedSync &added : change.added)
      text += addedText(source, added);
  }
  text += missedText(source.name(), input.result->missed, /*mended=*/false);
  for (const auto &[rule, count] : input.result->contested)
    text += printable(source.name()) + ": not judged: " + countOf(count, "order") + " that only the contested rule " +
            rule + " gives\n";
  for (const std::string &line : assumedOf(*input.module))
    text += printable(source.name()) + ": " + assumedLine(line) + "\n";
  if (input.anew)
    text += printable(source.name()) +
            ": `ptosync sync` places every barrier and flag of it anew, and what comes of it " +
            "is verified: " + countOf(*input.anew, "statement") + " where it came with " +
            std::to_string(input.module->sites.size()) + "\n";
  std::string proof;
  if (input.notProved && input.result->left() == 0)
    proof = input.notProved->empty() ? "; proved" : "; tested, not proved (" + printable(*input.notProved) + ")";
  return text + printable(source.name()) + ": " + fixSummary(*input.result) + proof + "; arch " +
         printable(input.archChoice) + "\n";
}

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
  case FindingKind::Order:
  case FindingKind::End: return "order lost: ";
  case FindingKind::Token: return "flag: ";
  case FindingKind::Deadlock: return "deadlock: ";
  }
  return "";
}

std::string findingText(const replay::Finding &finding, const std::string &file) {
  std::string text = findingLine(finding, file) + "\n    in " + describeKernel(finding.kernel, finding.section);
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

std::string loopText(const replay::LoopCoverage &loop) {
  std::string text = "    loop at line " + std::to_string(loop.line) + ": ran ";
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
    text += "; " + std::to_string(loop.skipped) + " iterations not run: taken to repeat those before them";
  return text + "\n";
}

bool isArgument(const std::string &input) { return input != "memory" && input.back() != ')'; }

const char *kindOf(const replay::UntakenWay &way) {
  switch (way.kind) {
  case replay::Way::Kind::Branch: return "branch";
  case replay::Way::Kind::Choice: return "choice";
  case replay::Way::Kind::Skipped: return "loop";
  case replay::Way::Kind::Number: return "number";
  }
  return "?";
}

std::string untakenWay(const replay::UntakenWay &way) {
  const std::string place = std::string(kindOf(way)) + " at line " + std::to_string(way.line);
  if (way.kind == replay::Way::Kind::Skipped)
    return place + " without an iteration";
  if (way.kind == replay::Way::Kind::Number)
    return place + " as " + std::to_string(way.number);
  return place + (way.whenTrue ? " where its condition holds" : " where its condition does not hold");
}

/// "    no run took: branch at line 6 where it holds; decided by n (try --arg n=...)".
std::string untakenText(const std::vector<replay::UntakenWay> &untaken) {
  std::vector<std::string> ways;
  std::set<std::string> inputs;
  for (const replay::UntakenWay &way : untaken) {
    ways.push_back(untakenWay(way));
    inputs.insert(way.inputs.begin(), way.inputs.end());
  }
  std::string decided, argument;
  for (const std::string &input : inputs) {
    decided += (decided.empty() ? "" : ", ") + printable(input);
    if (argument.empty() && isArgument(input))
      argument = printable(input);
  }
  return "    no run took: " + firstOf(ways, kMostLines, ", ") + (decided.empty() ? "" : "; decided by " + decided) +
         (argument.empty() ? "" : " (try --arg " + argument + "=...)") + "\n";
}

/// What no run has shown.
std::string gapsText(const KernelCoverage &coverage) {
  std::string text;
  if (!coverage.unfinished.empty())
    text += "    never run to its end: loop at " + lineList(coverage.unfinished) + "\n";
  if (!coverage.neverRun.empty())
    text += "    never run: " + lineList(coverage.neverRun) + " (try --arg)\n";
  if (!coverage.untaken.empty())
    text += untakenText(coverage.untaken);
  return text;
}

/// `proof`: of the kernel; null where it says nothing. What runs left out matters less where it is proved.
std::string coverageText(const KernelCoverage &coverage, const synthesis::KernelProof *proof, bool verbose) {
  const bool proved = proof && proof->reason.empty();
  std::string text = "  " + describeKernel(coverage.kernel, coverage.section) + ": " + (proved ? "proved; " : "") +
                     plural(coverage.runs, "run") + ", " + plural(coverage.instructions, "instruction") + " compared\n";
  if (proved && !verbose)
    return text;
  if (proof && !proved)
    text += "    no proof: " + printable(proof->reason) + "\n";
  for (const replay::LoopCoverage &loop : coverage.loops)
    if (verbose || loop.skipped)
      text += loopText(loop);
  if (!coverage.cutAt.empty())
    text += "    stopped as too long at " + lineList(coverage.cutAt) + ": compared up to there\n";
  if (!coverage.endlessAt.empty())
    text += "    stopped as endless at " + lineList(coverage.endlessAt) + ": compared up to where it repeats itself\n";
  return text + gapsText(coverage);
}

/// The first line up to its counts.
std::string answerText(const VerifyReportInput &input) {
  switch (answerOf(*input.verdict, input.proof)) {
  case VerifyAnswer::Proved: return "proved; ";
  case VerifyAnswer::Refuted: return "refuted: " + plural(input.verdict->findings.size(), "finding") + "; ";
  case VerifyAnswer::NotRefuted: break;
  }
  return "not refuted in ";
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

Json coverageJson(const KernelCoverage &coverage, const synthesis::FileProof *proofs) {
  const synthesis::KernelProof *proof = proofs ? proofs->of(coverage.kernel, coverage.section) : nullptr;
  Json loops = Json::array();
  for (const replay::LoopCoverage &loop : coverage.loops)
    loops.push_back({{"line", loop.line}, {"trips", loop.trips}, {"iterationsSkipped", loop.skipped}});
  Json untaken = Json::array();
  for (const replay::UntakenWay &way : coverage.untaken)
    untaken.push_back({{"line", way.line},
                       {"kind", kindOf(way)},
                       {"when", way.whenTrue},
                       {"number", way.kind == replay::Way::Kind::Number ? Json(way.number) : Json(nullptr)},
                       {"decidedBy", way.inputs}});
  return {{"kernel", coverage.kernel},
          {"section", sectionName(coverage.section)},
          {"proof", proof ? orNull(proof->reason) : Json("none was tried")},
          {"complete", coverage.complete()},
          {"runs", coverage.runs},
          {"instructions", coverage.instructions},
          {"loops", std::move(loops)},
          {"stoppedAtLines", coverage.cutAt},
          {"endlessAtLines", coverage.endlessAt},
          {"loopsNeverFinished", coverage.unfinished},
          {"linesNeverRun", coverage.neverRun},
          {"linesDead", coverage.dead},
          {"waysNeverTaken", std::move(untaken)},
          {"runsWithoutSkipping", coverage.withoutSkipping}};
}

} // namespace

std::string verifyFindings(const VerifyReportInput &input) {
  std::string text;
  for (const replay::Finding &finding : input.verdict->findings)
    text += findingText(finding, input.after);
  return text;
}

std::string findingLine(const replay::Finding &finding, const std::string &file) {
  std::uint32_t line = finding.later.afterLine ? finding.later.afterLine : finding.earlier.afterLine;
  return file + (line ? ":" + std::to_string(line) : "") + ": " + lead(finding.kind) + printable(finding.text);
}

VerifyAnswer answerOf(const replay::Verdict &verdict, const synthesis::FileProof *proof) {
  if (!verdict.agreed())
    return VerifyAnswer::Refuted;
  return proof && proof->proved() ? VerifyAnswer::Proved : VerifyAnswer::NotRefuted;
}

const char *answerName(VerifyAnswer answer) {
  switch (answer) {
  case VerifyAnswer::Proved: return "proved";
  case VerifyAnswer::NotRefuted: return "not-refuted";
  case VerifyAnswer::Refuted: break;
  }
  return "refuted";
}

nlohmann::ordered_json findingsJson(const replay::Verdict &verdict) { return arrayOf(verdict.findings, findingJson); }

std::string verifyText(const VerifyReportInput &input) {
  const replay::Verdict &verdict = *input.verdict;
  std::uint64_t runs = 0, instructions = 0;
  for (const KernelCoverage &coverage : verdict.coverage) {
    runs += coverage.runs;
    instructions += coverage.instructions;
  }
  std::string text = answerText(input) + plural(runs, "run") + " of " + plural(verdict.coverage.size(), "kernel") +
                     ", " + plural(instructions, "instruction") + " compared (trust: " + trustName(input.trust) +
                     ", arch: " + input.arch + ")\n";
  if (!input.archChoice.empty())
    text += "arch " + printable(input.archChoice) + "\n";
  text += verifyFindings(input);
  if (input.proof && input.proof->proved() && !verdict.agreed())
    text += "  the proof does not see this, so one of the two engines is wrong: please report it\n";
  for (const KernelCoverage &coverage : verdict.coverage) {
    const bool refuted = llvm::any_of(verdict.findings, [&](const replay::Finding &finding) {
      return finding.kernel == coverage.kernel && finding.section == coverage.section;
    });
    const bool tells = input.proof && !refuted;
    text += coverageText(coverage, tells ? input.proof->of(coverage.kernel, coverage.section) : nullptr, input.verbose);
  }
  for (const KernelCoverage &coverage : verdict.second)
    text += "  " + describeKernel(coverage.kernel, coverage.section) + " in " + printable(input.after) + ":\n" +
            gapsText(coverage);
  return text + libraryPart(input.libraryUse);
}

std::string verifyJson(const VerifyReportInput &input) {
  auto covered = [&](const KernelCoverage &coverage) { return coverageJson(coverage, input.proof); };
  Json findings = findingsJson(*input.verdict), coverage = arrayOf(input.verdict->coverage, covered),
       second = arrayOf(input.verdict->second, covered);
  Json document = {{"schema", 3},
                   {"tool", {{"name", "ptosync"}, {"version", input.toolVersion}}},
                   {"before", input.before},
                   {"after", input.after},
                   {"arch", input.arch},
                   {"archChoice", input.archChoice},
                   {"trust", trustName(input.trust)},
                   {"libraryUse", libraryUseJson(input.libraryUse)},
                   {"answer", answerName(answerOf(*input.verdict, input.proof))},
                   {"proof", input.proof ? orNull(input.proof->firstReason()) : Json("none was tried")},
                   {"findings", std::move(findings)},
                   {"coverage", std::move(coverage)},
                   {"coverageOfSecond", std::move(second)}};
  // Bytes of a kernel need not be UTF-8.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
