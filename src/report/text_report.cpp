#include "report/text_report.h"

#include "kernel/column_table.h"
#include "optimize/json_parts.h"
#include "optimize/library_report.h"
#include "optimize/wording.h"
#include "report/decision_lists.h"
#include "timing/cost_report.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

namespace ptosync {
namespace {

constexpr std::size_t kShownCauses = 5;
constexpr std::size_t kShownExamples = 3;
constexpr std::size_t kShownLines = 4;

std::string tallyClause(const Tally &tally, std::string_view noun) {
  std::string clause = countOf(tally.found, noun);
  if (tally.found > 0)
    clause += ", " + std::to_string(tally.removed) + " removed, " +
              (tally.moved ? std::to_string(tally.moved) + " moved, " : "") + std::to_string(tally.kept()) + " kept";
  return clause;
}

std::string verdict(const ReportInput &input, const Counts &counts) {
  if (input.module->kernels.empty())
    return "no kernels found in " + printable(input.module->source.name());
  const std::vector<Kernel> &kernels = input.module->kernels;
  const bool none = std::none_of(kernels.begin(), kernels.end(), [](const Kernel &one) { return one.analysable; });
  std::string text = none ? "no kernel analysed" : tallyClause(counts.barriers, "barrier");
  // Flags are news only if some went, or if there is nothing else.
  if (counts.flags.removed + counts.flags.moved > 0 || (counts.barriers.found == 0 && counts.flags.found > 0))
    text += "; " + tallyClause(counts.flags, "flag statement");
  return text + " (trust: " + trustName(input.trust) + ", arch: " + printable(input.arch) + ")";
}

std::string contextLine(const ReportInput &input) {
  std::string text = "file " + printable(input.module->source.name());
  if (!input.patterns.empty())
    text += ", patterns " + printable(input.patterns);
  if (!input.library.empty())
    text += ", library " + printable(input.library);
  text += "\n";
  if (!input.archChoice.empty())
    text += "arch " + printable(input.archChoice) + "\n";
  return text;
}

std::string sectionTable(const Counts &counts) {
  if (counts.sections.empty())
    return "";
  using Align = ColumnTable::Align;
  ColumnTable table(2, {Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right});
  auto add = [&](std::string_view section, std::string_view sync, const Tally &tally) {
    table.add({std::string(section), std::string(sync), std::to_string(tally.found), std::to_string(tally.removed),
               std::to_string(tally.moved), std::to_string(tally.kept())});
  };
  table.add({"section", "sync", "found", "removed", "moved", "kept"});
  for (const auto &[row, section] : counts.sections) {
    for (const auto &[pipe, tally] : section.barriers)
      add(sectionRowName(row), pipeName(pipe), tally);
    if (section.flags.found > 0)
      add(sectionRowName(row), "flags", section.flags);
    if (section.tails.found > 0)
      add(sectionRowName(row), "end fence", section.tails);
  }
  return "\n" + table.format();
}

/// Of the edited statements, those for which only the proof speaks.
std::string replayPart(const ReportInput &input, const Counts &counts) {
  if (input.notReplayed.empty())
    return "";
  std::vector<std::uint32_t> lines;
  for (SiteId site : input.notReplayed)
    lines.push_back(input.module->sites[site].line);
  const std::uint32_t edited =
      counts.barriers.removed + counts.barriers.moved + counts.flags.removed + counts.flags.moved;
  return "\n" + std::to_string(lines.size()) + " of " + countOf(edited, "edited statement") +
         " proved, not replayed: no run reached " + describeLines(lines, kShownLines) + "\n";
}

std::string patternPart(const Counts &counts) {
  std::size_t width = 0;
  std::string silent;
  for (const PatternCount &pattern : counts.patterns) {
    if (pattern.sites.found > 0)
      width = std::max(width, pattern.id.size());
    else
      silent += (silent.empty() ? "" : ", ") + printable(pattern.id);
  }
  std::string text;
  for (const PatternCount &pattern : counts.patterns)
    if (pattern.sites.found > 0)
      text += "  " + pattern.id + std::string(width - pattern.id.size(), ' ') + "  " +
              std::to_string(pattern.sites.removed) + " removed" +
              (pattern.sites.moved ? ", " + std::to_string(pattern.sites.moved) + " moved" : "") + " of " +
              std::to_string(pattern.sites.found) + " matched\n";
  if (!silent.empty())
    text += "  no match: " + silent + "\n";
  return text.empty() ? "" : "\nby pattern\n" + text;
}

std::string causeLine(const GroupCause &cause) {
  std::string text = cause.text.empty() ? "at " : cause.text + ", at ";
  return "    " + std::to_string(cause.lines.size()) + "x " + text + describeLines(cause.lines, kShownLines) + "\n";
}

/// The first few causes of a group, and how many sites there are for others.
std::string causeLines(const std::vector<GroupCause> &causes) {
  std::string text;
  std::size_t shown = std::min(causes.size(), kShownCauses), hidden = 0;
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (i < shown)
      text += causeLine(causes[i]);
    else
      hidden += causes[i].lines.size();
  if (hidden > 0)
    text += "    " + std::to_string(hidden) + "x for " + countOf(causes.size() - shown, "other cause") + "\n";
  return text;
}

std::string editedPart(const ReportInput &input, Verdict verdict, const std::string &title) {
  std::string text;
  for (const EditedGroup &group : groupEdited(input, verdict))
    text += "  " + (group.why.empty() ? "without evidence" : group.why) + " (" + std::to_string(group.count) + ")\n" +
            causeLines(group.causes);
  return text.empty() ? "" : "\n" + title + "\n" + text;
}

std::string keptPart(const ReportInput &input) {
  std::string text;
  for (const KeptGroup &group : groupKept(input)) {
    text += "  " + std::string(keptReasonName(group.reason)) + " (" + std::to_string(group.count) +
            "): " + std::string(explainReason(group.reason)) + "\n" + causeLines(group.causes);
  }
  return text.empty() ? "" : "\nwhy the kept ones stay\n" + text;
}

/// `entries` under a title, only the first few unless `verbose`; nothing if there are none.
std::string examples(const std::string &title, const std::vector<std::string> &entries, bool verbose) {
  if (entries.empty())
    return "";
  std::string text = "\n" + title + "\n";
  std::size_t shown = verbose || entries.size() <= kShownExamples + 1 ? entries.size() : kShownExamples;
  for (std::size_t i = 0; i < shown; ++i)
    text += "  " + entries[i] + "\n";
  if (shown < entries.size())
    text += "  and " + std::to_string(entries.size() - shown) + " more\n";
  return text;
}

std::string troublePart(const ReportInput &input, bool verbose) {
  std::vector<std::string> skipped, unknown, faults, pairs;
  for (const SkippedKernel &kernel : input.result->skipped)
    skipped.push_back(describeKernel(kernel.kernel, kernel.section) + ", line " + std::to_string(kernel.line) + ": " +
                      printable(kernel.reason));
  for (const UnknownCall &call : input.module->unknownCalls)
    unknown.push_back(printable(call.name) + " at " + describeLines(call.lines, kShownLines));
  for (const TokenFault &fault : input.result->tokenFaults)
    faults.push_back(describeKernel(fault.kernel, fault.section) + ", line " + std::to_string(fault.line) + ": " +
                     printable(fault.text));
  for (const UnresolvedPair &pair : input.result->unresolved)
    pairs.push_back(describeKernel(pair.kernel, pair.section) + ": " + describeConflict(pair.conflict) +
                    (pair.silencedBy.empty() ? "" : " (silenced by rule " + printable(pair.silencedBy) + ")"));
  // Each skipped kernel and each unknown call is for the author to act on: never shortened.
  return examples(countOf(skipped.size(), "kernel") + " left untouched", skipped, true) +
         examples(countOf(unknown.size(), "unknown call") + ", taken to touch all memory on all pipes", unknown, true) +
         examples(countOf(faults.size(), "flag fault") + " in the input", faults, verbose) +
         examples(countOf(pairs.size(), "unresolved pair") +
                      " in the input, one instruction not seen ordered before the other",
                  pairs, verbose);
}

std::string rewritePart(const ReportInput &input) {
  if (!input.rewrites)
    return "";
  std::vector<std::string> entries;
  for (const FifoDecision &decision : *input.rewrites) {
    std::string place = "line " + std::to_string(decision.line) + ": " + fifoTypeText(decision.type);
    if (!decision.changed()) {
      entries.push_back(place + " kept: " + printable(decision.reason));
      continue;
    }
    entries.push_back(place + " now has " + countOf(static_cast<std::size_t>(decision.localSlots), "local slot") +
                      " [" + decision.pattern + "]");
    for (const std::string &evidence : decision.evidence)
      entries.push_back("  " + printable(evidence));
  }
  if (entries.empty())
    entries.push_back("no FIFO that the rewrite asks for");
  return examples("rewrites", entries, true);
}

/// What placing syncs anew came to, kernel by kernel; those of which nothing came by the reason.
std::string resyncPart(const ReportInput &input) {
  if (!input.resync)
    return "";
  std::vector<std::string> entries;
  std::map<std::string, std::vector<std::string>> unchanged; // by reason
  for (const synthesis::KernelResync &kernel : *input.resync) {
    std::string name = describeKernel(kernel.kernel, kernel.section) + ", line " + std::to_string(kernel.line);
    if (!kernel.changed) {
      unchanged[kernel.reason].push_back(name);
      continue;
    }
    std::size_t added = 0;
    for (const AddedSync &sync : input.result->added)
      added += sync.kernel == kernel.kernel && sync.section == kernel.section;
    entries.push_back(name + ": " + countOf(added, "sync") + " added, estimate " + cyclesText(kernel.before) + " -> " +
                      cyclesText(kernel.after) + " cycles (" + cyclesText(kernel.pruned) +
                      " by removal alone), limit " + cyclesText(kernel.limit));
  }
  for (const auto &[reason, names] : unchanged)
    entries.push_back(firstOf(names, kMostPlaces, "; ") + " not placed anew: " + printable(reason));
  std::vector<std::string> lines;
  for (const AddedSync &sync : input.result->added)
    lines.push_back(describeAdded(input.module->source, sync));
  return examples("placed anew", entries, true) + examples("added, by the input's lines", lines, true);
}

std::string nextPart(const ReportInput &input, const Counts &counts, const TextReportOptions &options) {
  auto kept = [&](KeptReason reason) {
    auto found = counts.kept.find(reason);
    return found == counts.kept.end() ? 0u : found->second;
  };
  std::vector<std::string> hints;
  if (!input.result->tokenFaults.empty())
    hints.push_back("mend the flag faults of the input first: such a kernel may hang");
  if (!options.verbose && !input.result->decisions.empty())
    hints.push_back("--verbose: each sync with its reason");
  if (kept(KeptReason::NotNominated) > 0)
    hints.push_back("--patterns=all: also try what no enabled pattern matches (" +
                    countOf(kept(KeptReason::NotNominated), "sync") + ")");
  if (input.trust == Trust::Tile && kept(KeptReason::Hazard) > 0)
    hints.push_back("--trust=library: count barriers inside library calls too, if the kernel is built with " +
                    (input.library.empty() ? "the library version you name" : "library " + printable(input.library)));
  if (kept(KeptReason::Limit) > 0)
    hints.push_back("without --max-removals and --lines: also decide what they leave out (" +
                    countOf(kept(KeptReason::Limit), "sync") + ")");
  if (!input.module->unknownCalls.empty())
    hints.push_back("describe the unknown calls in the machine model: they hold every sync around them in place");
  return examples("next", hints, true);
}

/// What became of the syncs, one verdict after the other, or one of them alone.
std::string verdictParts(const ReportInput &input, const std::optional<Verdict> &only) {
  std::string text;
  if (!only || *only == Verdict::Removed)
    text += editedPart(input, Verdict::Removed, "why the removed ones went");
  if (!only || *only == Verdict::Moved)
    text += editedPart(input, Verdict::Moved, "why the moved ones stand elsewhere");
  if (!only || *only == Verdict::Kept)
    text += keptPart(input);
  return text;
}

/// For a reviewer of one verdict: the verdict line, why, and with --verbose each site.
std::string restrictedReport(const ReportInput &input, const TextReportOptions &options) {
  std::string text = verdict(input, countSites(input)) + "\n" + contextLine(input);
  std::string parts = verdictParts(input, options.only);
  text += parts.empty() ? "\nno sync was " + std::string(verdictName(*options.only)) + "\n" : parts;
  std::string sites = options.verbose ? listSites(input, options.only) : "";
  text += sites.empty() ? "" : "\nevery one of them\n" + sites;
  return input.costs ? text + "\n" + coresLines(input.costs->cores) + costLine(*input.costs) + "\n" : text;
}

} // namespace

std::string verdictLine(const ReportInput &input) { return verdict(input, countSites(input)); }

std::string textReport(const ReportInput &input, const TextReportOptions &options) {
  if (options.only)
    return restrictedReport(input, options);
  Counts counts = countSites(input);
  std::string text = verdict(input, counts) + "\n";
  if (!input.module->kernels.empty())
    text += contextLine(input) + sectionTable(counts) + replayPart(input, counts) + patternPart(counts) +
            libraryPart(input.libraryUse) + verdictParts(input, std::nullopt);
  text += resyncPart(input) + rewritePart(input) + troublePart(input, options.verbose);
  std::string sites = options.verbose ? listSites(input) : "";
  if (!sites.empty())
    text += "\nevery sync\n" + sites;
  if (input.costs)
    text += costText(*input.module, *input.costs, options.verbose);
  text += nextPart(input, counts, options);
  return input.costs ? text + "\n" + coresLines(input.costs->cores) + costLine(*input.costs) + "\n" : text;
}

} // namespace ptosync
