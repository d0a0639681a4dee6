#include "tool/patch_command.h"

#include "report/wording.h"
#include "rewrite/edited_kernel.h"
#include "tool/disagreement.h"
#include "tool/files.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

constexpr int kExitRefused = 1; // the script's code for what it cannot do
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
                           const Machine &machine, const Catalogue &catalogue, const ToolOptions &options) {
  llvm::Expected<Catalogue> selected = catalogue.select(patterns);
  if (!selected)
    return selected.takeError();
  Step step{std::move(module), {}, {}};
  OptimizeOptions run = options.optimize;
  run.lines = std::move(lines);
  step.result = optimize(step.module, machine, *selected, run);
  llvm::Expected<std::string> patched = patchedText(step.module, step.result);
  if (!patched)
    return patched.takeError();
  step.text = std::move(*patched);
  if (llvm::Expected<std::set<SiteId>> replayed = checkByReplay(step.module, step.text, step.result, machine, options);
      !replayed)
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

/// What the patterns matched and the proof refused: a count for each reason, then each with its witness.
void printSkipped(const Step &step) {
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
    return;
  std::string list;
  for (const auto &[reason, count] : counts)
    list += (list.empty() ? "" : ", ") + reason + "=" + std::to_string(count);
  llvm::errs() << "Skipped PIPE_V barrier pattern candidates: " << list << "\n" << lines;
}

/// Kept on purpose, or not a statement that could be cut out; --unsafe does not change that.
bool isProtected(const SyncSite &site) { return site.protection != Protection::None; }

/// Takes out what the proof refused on the requested lines, loudly.
llvm::Error takeUnproved(Step &step, const std::set<std::uint32_t> &requested) {
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
    return llvm::Error::success();
  llvm::Expected<std::string> text = patchedText(step.module, step.result);
  if (!text)
    return text.takeError();
  step.text = std::move(*text);
  llvm::errs() << warnings
               << "WARNING: --unsafe: the kernel that is written is NOT proved right: " << countOf(taken, "barrier")
               << " went that may order something\n";
  return llvm::Error::success();
}

/// Names the requested lines that still hold a barrier.
void printKeptLines(const Step &step, const std::set<std::uint32_t> &open) {
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
    return;
  llvm::errs() << "Kept requested PIPE_V barriers: " << reasons.size() << "\n";
  for (const auto &[line, reason] : reasons)
    llvm::errs() << "  line " << line << ": " << reason << "\n";
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

struct Request {
  std::set<std::string> patterns;
  std::set<std::int64_t> lines;
};

llvm::Expected<Request> readRequest(const PatchOptions &options) {
  llvm::Expected<std::set<std::string>> patterns = parsePatchPatterns(options.patterns);
  if (!patterns)
    return patterns.takeError();
  Request request{std::move(*patterns), {}};
  std::set<std::string> experimental = request.patterns;
  experimental.erase("gu");
  if (!experimental.empty())
    llvm::errs() << "warning: experimental PIPE_V barrier pattern(s) may affect benchmark timing or performance: "
                 << joined(experimental) << "\n";
  llvm::Expected<std::set<std::int64_t>> lines = parsePatchLines(options.lines);
  if (!lines)
    return lines.takeError();
  request.lines = std::move(*lines);
  return request;
}

/// The kernel as far as it is patched, and the numbers of the script's log line.
struct Outcome {
  std::string text;
  std::size_t removed = 0, byPattern = 0; // barriers
  std::set<std::uint32_t> touched;        // lines that lost one
  bool hazards = false;                   // something asked for stays because it orders something
};

/// Goes on where the patterns ended: the requested lines that still hold a barrier. They keep their numbers, for a
/// removed statement leaves a comment.
llvm::Error takeLines(Outcome &outcome, const std::set<std::uint32_t> &open, const Machine &machine,
                      const Catalogue &catalogue, const ToolOptions &options) {
  llvm::Expected<Module> module =
      liftModule(SourceText(options.input, outcome.text), frontendOptions(machine, options));
  if (!module)
    return module.takeError();
  llvm::Expected<Step> step = prove(std::move(*module), "redundant-pipe-v", open, machine, catalogue, options);
  if (!step)
    return step.takeError();
  outcome.hazards = outcome.hazards || keepsHazards(*step);
  if (options.patch.unsafe)
    if (llvm::Error error = takeUnproved(*step, open))
      return error;
  printKeptLines(*step, open);
  outcome.removed += removedCount(*step);
  outcome.touched.merge(removedLines(*step));
  outcome.text = std::move(step->text);
  return llvm::Error::success();
}

int patch(const Request &request, Subject subject, const Catalogue &catalogue) {
  const ToolOptions &options = subject.options;
  const Machine &machine = *subject.machine;
  std::string ids = request.patterns.empty() ? "none" : joined(request.patterns);
  llvm::Expected<Step> first = prove(std::move(subject.modules.front()), ids, {}, machine, catalogue, options);
  if (!first)
    return fail(first.takeError(), kExitNotAnalysed);
  if (std::string wrong = wrongLines(first->module, request.lines); !wrong.empty()) {
    llvm::errs() << wrong;
    return kExitUsage;
  }
  Outcome outcome;
  outcome.text = first->text;
  outcome.removed = outcome.byPattern = removedCount(*first);
  outcome.touched = removedLines(*first);
  outcome.hazards = keepsHazards(*first);
  std::set<std::uint32_t> requested(request.lines.begin(), request.lines.end()), open = stillHeld(*first, requested);
  if (!open.empty())
    if (llvm::Error error = takeLines(outcome, open, machine, catalogue, options))
      return fail(std::move(error), kExitNotAnalysed);
  auto byLine = std::count_if(requested.begin(), requested.end(),
                              [&](std::uint32_t line) { return outcome.touched.count(line) != 0; });
  if (llvm::Error error = writeFiles({{options.output, outcome.text}}))
    return fail(std::move(error), kExitRefused);
  if (!options.quiet)
    llvm::errs() << "Patched generated C++ -> " << options.output << " (removed " << outcome.removed
                 << " PIPE_V barriers; lines=" << byLine << ", patterns=" << outcome.byPattern << ")\n"
                 << "  arch " << printable(options.archChoice.description()) << "\n";
  printSkipped(*first);
  if (outcome.hazards && !options.quiet && options.optimize.ordering.trust == Trust::Tile)
    llvm::errs() << "  --trust=library or PTOSYNC_TRUST=library: count barriers inside library calls too, if the "
                    "kernel is built with library "
                 << machine.library() << "\n";
  return kExitDone;
}

} // namespace

int runPatch(const ToolOptions &options) {
  llvm::Expected<Request> request = readRequest(options.patch);
  if (!request)
    return fail(request.takeError(), kExitRefused);
  llvm::Expected<Catalogue> catalogue = loadCatalogue(options);
  if (!catalogue)
    return fail(catalogue.takeError(), kExitUsage);
  if (llvm::Expected<std::string> text = readFile(options.input); !text)
    return fail(text.takeError(), kExitRefused);
  llvm::Expected<Subject> subject = readSubject(options, {options.input});
  if (!subject)
    return failSubject(subject.takeError());
  return patch(*request, std::move(*subject), *catalogue);
}

} // namespace ptosync
