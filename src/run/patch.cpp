#include "run/patch.h"

#include "optimize/wording.h"
#include "rewrite/sync_edits.h"
#include "run/opt.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

constexpr llvm::StringRef kBarrier = "pipe_barrier(PIPE_V);";

/// A kernel, what one run of the optimiser decided about it, and the text that follows.
struct Step {
  Module module;
  OptimizeResult result;
  std::string text;
};

bool isVectorBarrier(const SyncSite &site) { return site.kind == SyncKind::Barrier && site.source == Pipe::V; }

std::set<std::uint32_t> removedLines(const Step &step) {
  std::set<std::uint32_t> lines;
  for (const SiteDecision &decision : step.result.decisions)
    if (decision.verdict == Verdict::Removed)
      lines.insert(step.module.sites[decision.site].line);
  return lines;
}

/// Those of the lines that patterns have not cleared of vector barriers.
std::set<std::uint32_t> stillHeld(const Step &step, const std::set<std::uint32_t> &lines) {
  std::set<std::uint32_t> held = lines;
  for (std::uint32_t line : removedLines(step))
    held.erase(line);
  for (const SiteDecision &decision : step.result.decisions) {
    const SyncSite &site = step.module.sites[decision.site];
    if (isVectorBarrier(site) && decision.verdict != Verdict::Removed && lines.count(site.line))
      held.insert(site.line);
  }
  return held;
}

/// Barriers, not lines: two may share one.
std::size_t removedCount(const Step &step) {
  return static_cast<std::size_t>(
      std::count_if(step.result.decisions.begin(), step.result.decisions.end(),
                    [](const SiteDecision &decision) { return decision.verdict == Verdict::Removed; }));
}

/// Optimises with these patterns, on these lines only unless there are none, and replays the outcome.
llvm::Expected<Step> prove(Module module, const std::string &patterns, std::set<std::uint32_t> lines,
                           const Catalogue &catalogue, const Subject &subject) {
  llvm::Expected<Catalogue> selected = catalogue.select(patterns);
  if (!selected)
    return selected.takeError();
  Step step{std::move(module), {}, {}};
  OptimizeOptions run = subject.choices.optimize;
  run.lines = std::move(lines);
  step.result = optimize(step.module, *subject.machine, *selected, run);
  llvm::Expected<std::string> patched = patchedText(step.module, step.result);
  if (!patched)
    return patched.takeError();
  step.text = std::move(*patched);
  llvm::Expected<std::set<SiteId>> replayed = checkByReplay(step.module, step.text, step.result, subject);
  if (!replayed)
    return replayed.takeError();
  return step;
}

/// One message a line for each requested line that holds no vector barrier; empty if all do.
std::string wrongLines(const Module &module, const std::set<std::int64_t> &requested) {
  std::set<std::int64_t> barriers;
  for (const SyncSite &site : module.sites)
    if (isVectorBarrier(site))
      barriers.insert(site.line);
  // The last line end begins no line.
  std::int64_t count = module.source.lineCount();
  if (count && module.source.line(static_cast<std::uint32_t>(count)).empty())
    --count;
  std::string outside, others;
  for (std::int64_t line : requested) {
    if (line < 1 || line > count) {
      outside += (outside.empty() ? "" : ", ") + std::to_string(line);
      continue;
    }
    // A barrier that no kernel runs through in a form the analysis sees is a barrier all the same, and stays.
    llvm::StringRef text = llvm::StringRef(module.source.line(static_cast<std::uint32_t>(line))).trim();
    if (!barriers.count(line) && text != kBarrier)
      others += "line " + std::to_string(line) + " is not a PIPE_V barrier: '" + printable(text) + "'\n";
  }
  return (outside.empty() ? "" : "line numbers outside generated file: [" + outside + "]\n") + others;
}

std::string whyKept(const SiteDecision &decision) {
  if (!decision.witness)
    return decision.detail;
  return describeConflict(*decision.witness) + "; " + decision.detail;
}

/// Lists the barriers that the patterns matched and the proof refused: a count for each reason, then each with its
/// witness.
std::string skippedText(const Step &step) {
  std::map<std::string, std::size_t> counts;
  std::string lines;
  for (const SiteDecision &decision : step.result.decisions) {
    if (decision.verdict != Verdict::Kept || decision.pattern.empty())
      continue;
    ++counts[decision.pattern + ":" + keptReasonName(decision.reason)];
    lines += "  line " + std::to_string(step.module.sites[decision.site].line) + " [" + decision.pattern +
             "]: " + whyKept(decision) + "\n";
  }
  if (counts.empty())
    return {};
  std::string list;
  for (const auto &[reason, count] : counts)
    list += (list.empty() ? "" : ", ") + reason + "=" + std::to_string(count);
  return "Skipped PIPE_V barrier pattern candidates: " + list + "\n" + lines;
}

/// Kept on purpose, or not a statement that could be cut out; --unsafe does not change that.
bool isProtected(const SyncSite &site) { return site.protection != Protection::None; }

/// Takes out what the proof refused on the requested lines, and returns the warnings.
llvm::Expected<std::string> takeUnproved(Step &step, const std::set<std::uint32_t> &requested) {
  std::string warnings;
  std::size_t taken = 0;
  for (SiteDecision &decision : step.result.decisions) {
    const SyncSite &site = step.module.sites[decision.site];
    if (!isVectorBarrier(site) || !requested.count(site.line) || decision.verdict == Verdict::Removed ||
        isProtected(site))
      continue;
    warnings +=
        "WARNING: --unsafe: line " + std::to_string(site.line) + ": removed without proof: " + whyKept(decision) + "\n";
    decision.verdict = Verdict::Removed;
    decision.pattern = "UNPROVED";
    ++taken;
  }
  if (!taken)
    return "";
  llvm::Expected<std::string> text = patchedText(step.module, step.result);
  if (!text)
    return text.takeError();
  step.text = std::move(*text);
  return warnings + "WARNING: --unsafe: the kernel that is written is NOT proved right: " + countOf(taken, "barrier") +
         " went that may order something\n";
}

/// Names the requested lines that still hold a barrier.
std::string keptLinesText(const Step &step, const std::set<std::uint32_t> &open) {
  std::map<std::uint32_t, std::string> reasons;
  for (std::uint32_t line : open)
    reasons[line] = "not part of the code that was analysed";
  for (const SiteDecision &decision : step.result.decisions) {
    const SyncSite &site = step.module.sites[decision.site];
    if (isVectorBarrier(site) && open.count(site.line))
      reasons.erase(site.line);
  }
  for (const SiteDecision &decision : step.result.decisions) {
    const SyncSite &site = step.module.sites[decision.site];
    if (isVectorBarrier(site) && open.count(site.line) && decision.verdict != Verdict::Removed)
      reasons[site.line] = whyKept(decision);
  }
  if (reasons.empty())
    return {};
  std::string text = "Kept requested PIPE_V barriers: " + std::to_string(reasons.size()) + "\n";
  for (const auto &[line, reason] : reasons)
    text += "  line " + std::to_string(line) + ": " + reason + "\n";
  return text;
}

bool keepsHazards(const Step &step) {
  return std::any_of(step.result.decisions.begin(), step.result.decisions.end(), [](const SiteDecision &decision) {
    return decision.reason == KeptReason::Hazard && !decision.pattern.empty();
  });
}

std::string joined(const std::set<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ",") + name;
  return list;
}

/// The kernel as far as it is patched.
struct Outcome {
  PatchedFile file;
  std::set<std::uint32_t> touched; // lines that lost a barrier
  bool hazards = false;            // something asked for stays because it orders something

  void add(Step step) {
    file.removed += removedCount(step);
    touched.merge(removedLines(step));
    file.text = std::move(step.text);
  }
};

/// Goes on where the patterns ended: the requested lines that still hold a barrier. They keep their numbers, for a
/// removed statement leaves a comment.
llvm::Error takeLines(Outcome &outcome, const std::set<std::uint32_t> &open, bool unsafe, const Catalogue &catalogue,
                      const Subject &subject) {
  llvm::Expected<Module> module = liftModule(SourceText(subject.modules.front().source.name(), outcome.file.text),
                                             frontendOptions(*subject.machine, subject.choices));
  if (!module)
    return module.takeError();
  llvm::Expected<Step> step = prove(std::move(*module), "redundant-pipe-v", open, catalogue, subject);
  if (!step)
    return step.takeError();
  outcome.hazards = outcome.hazards || keepsHazards(*step);
  if (unsafe) {
    llvm::Expected<std::string> warnings = takeUnproved(*step, open);
    if (!warnings)
      return warnings.takeError();
    outcome.file.notes = std::move(*warnings);
  }
  outcome.file.notes += keptLinesText(*step, open);
  outcome.add(std::move(*step));
  return llvm::Error::success();
}

} // namespace

static llvm::Expected<PatchedFile> provedAndTaken(const RunInput &input, const PatchRequest &request) {
  llvm::Expected<Catalogue> catalogue = loadCatalogue(input.choices);
  if (!catalogue)
    return asSetting(catalogue.takeError());
  input.choices.allowance.stage("reading");
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::Read);
  if (!subject)
    return subject.takeError();
  input.choices.allowance.stage("deciding");
  const std::string ids = request.patterns.empty() ? "none" : joined(request.patterns);
  llvm::Expected<Step> first = prove(subject->modules.front(), ids, {}, *catalogue, *subject);
  if (!first)
    return first.takeError();
  Outcome outcome;
  outcome.file.wrongLines = wrongLines(first->module, request.lines);
  if (!outcome.file.wrongLines.empty())
    return outcome.file;
  const std::set<std::uint32_t> requested(request.lines.begin(), request.lines.end()),
      open = stillHeld(*first, requested);
  outcome.file.skipped = skippedText(*first);
  outcome.hazards = keepsHazards(*first);
  outcome.add(std::move(*first));
  outcome.file.byPattern = outcome.file.removed;
  if (!open.empty())
    if (llvm::Error error = takeLines(outcome, open, request.unsafe, *catalogue, *subject))
      return std::move(error);
  outcome.file.byLine = static_cast<std::size_t>(std::count_if(
      requested.begin(), requested.end(), [&](std::uint32_t line) { return outcome.touched.count(line) != 0; }));
  outcome.file.arch = subject->arch.description();
  outcome.file.library = subject->machine->library();
  outcome.file.libraryMayHelp = outcome.hazards && subject->choices.optimize.ordering.trust == Trust::Tile;
  return std::move(outcome.file);
}

llvm::Expected<PatchedFile> patchFile(const RunInput &input, const PatchRequest &request) {
  return within(input, provedAndTaken(input, request));
}

} // namespace ptosync
