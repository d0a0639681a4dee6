#include "run/opt.h"

#include "base/messages.h"
#include "frontend/frontend.h"
#include "frontend/guard/file_shape.h"
#include "frontend/read/conditions.h"
#include "frontend/read/prelude.h"
#include "kernel/kernel.h"
#include "ordering/kernel_analysis.h"
#include "patterns/version.h"
#include "replay/relayout.h"
#include "report/answers.h"
#include "report/report.h"
#include "rewrite/edit_fingerprint.h"
#include "rewrite/sync_edits.h"
#include "run/approved_edits.h"
#include "run/needed.h"
#include "run/timeline.h"
#include "synthesis/order_comparison.h"
#include "synthesis/synchronise.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <future>

namespace ptosync {

// Rewrites.

namespace {

/// The module with one decision made; fails if the text cannot say it or means anything else then.
llvm::Expected<Module> apply(const Module &module, FifoDecision &decision, const Machine &machine,
                             const RunChoices &choices) {
  if (!module.notEdited.empty())
    return settingError(module.source.name() + ":" + std::to_string(decision.line) + ": " +
                        fifoTypeText(decision.type) + " keeps its local slots: " + module.notEdited);
  FrontendOptions frontend = frontendOptions(machine, choices);
  llvm::Expected<std::vector<FifoTypeUse>> uses = findFifoTypes(module.source, frontend);
  if (!uses)
    return uses.takeError();
  std::vector<SlotSpelling> spellings;
  for (const FifoTypeUse &use : *uses)
    if (typeOf(use.type) == decision.type)
      spellings.push_back({use.localSlots.value_or(SourceRange{}), use.line});
  llvm::Expected<std::vector<Edit>> edits =
      slotEdits(module.source, spellings, decision.type.localSlots, decision.localSlots, decision.pattern);
  if (!edits)
    return settingError(llvm::toString(edits.takeError()));
  llvm::Expected<std::string> text = applyEdits(module.source, std::move(*edits));
  if (!text)
    return text.takeError();
  llvm::Expected<Module> after = liftModule(SourceText(module.source.name(), std::move(*text)), frontend);
  if (!after)
    return after.takeError();
  bool same = module.kernels.size() == after->kernels.size();
  for (std::size_t k = 0; same && k < module.kernels.size(); ++k) {
    const Kernel &was = module.kernels[k], &is = after->kernels[k];
    same = printKernel(was) == printKernel(is) && was.fifos.size() == is.fifos.size();
    for (std::size_t f = 0; same && f < was.fifos.size(); ++f) {
      FifoType expected = typeOf(was.fifos[f]);
      if (expected == decision.type)
        expected.localSlots = decision.localSlots;
      same = typeOf(is.fifos[f]) == expected;
    }
  }
  if (!same)
    return settingError(module.source.name() + ":" + std::to_string(decision.line) + ": " +
                        fifoTypeText(decision.type) +
                        " is not spelled out everywhere: it cannot be changed by its text alone");
  return after;
}

llvm::Error replayed(const Module &before, const Module &after, FifoDecision &decision, const Machine &machine,
                     const RunChoices &choices) {
  llvm::Expected<replay::Relayout> verdict = replay::verifyRelayout(before, after, machine, replayOptions(choices));
  if (!verdict)
    return verdict.takeError();
  if (verdict->findings.empty()) {
    if (decision.popsTiles)
      decision.evidence.push_back("replay: " + std::to_string(verdict->runs) + " runs, " +
                                  std::to_string(verdict->moved) + " of " + std::to_string(verdict->instructions) +
                                  " instructions touch the ring, all read what they would read if each entry had "
                                  "storage of its own, and in order");
    return llvm::Error::success();
  }
  std::string text;
  for (const replay::Finding &finding : verdict->findings)
    text += "\n  line " + std::to_string(finding.later.beforeLine) + ": " + finding.later.text + ": " + finding.text +
            " (" + finding.run + ")";
  return llvm::createStringError("internal error: the replay disagrees about " + fifoTypeText(decision.type) +
                                 " with " + std::to_string(decision.localSlots) + " local slots; nothing was written" +
                                 text);
}

/// Makes a decision, into `target`; without a count of the user's, what the text cannot say stays as it is.
llvm::Error make(const Module &before, FifoDecision &decision, const RewriteRequest &request, const Machine &machine,
                 const RunChoices &choices, std::optional<Module> &target) {
  llvm::Expected<Module> after = apply(before, decision, machine, choices);
  if (!after && !request.localSlots)
    return llvm::handleErrors(after.takeError(), [&](const SettingError &error) {
      decision.localSlots = decision.type.localSlots;
      decision.evidence.clear();
      decision.reason = error.message();
    });
  if (!after)
    return after.takeError();
  if (llvm::Error error = replayed(before, *after, decision, machine, choices))
    return error;
  target = std::move(*after);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<RewriteRequest> readRewrite(const std::string &text, const Catalogue &catalogue,
                                           const Machine &machine) {
  auto [name, value] = llvm::StringRef(text).split('=');
  const Pattern *pattern = catalogue.find(name.str());
  std::vector<std::string> known;
  for (const Pattern &one : catalogue.patterns())
    if (one.kind == PatternKind::Rewrite)
      known.push_back(one.id);
  if (!pattern || pattern->kind != PatternKind::Rewrite)
    return settingError("--rewrite=" + text + ": no rewrite '" + name.str() + "'" + suggestName(name.str(), known));
  if (!pattern->supports(machine.arch()))
    return settingError("--rewrite=" + text + ": is not for " + machine.arch() + " (" + pattern->docs + ")");
  RewriteRequest request{*pattern, std::nullopt};
  if (!llvm::StringRef(text).contains('=') || value == "auto")
    return request;
  std::int64_t count = 0;
  if (value.getAsInteger(10, count) || count < 1)
    return settingError("--rewrite=" + text + ": expected a number of at least 1, or auto");
  if (count < pattern->leastLocalSlots || count > pattern->mostLocalSlots)
    return settingError("--rewrite=" + text + ": " + pattern->id + " sets from " +
                        std::to_string(pattern->leastLocalSlots) + " to " + std::to_string(pattern->mostLocalSlots));
  request.localSlots = count;
  return request;
}

/// Settles one FIFO type after the other, each on the module as the earlier ones left it.
llvm::Expected<Rewritten> rewriteModule(const Module &module, const std::vector<RewriteRequest> &requests,
                                        const Machine &machine, const RunChoices &choices) {
  Rewritten result;
  for (const RewriteRequest &request : requests) {
    std::set<FifoType> settled;
    for (bool again = true; again;) {
      again = false;
      const Module &before = result.module ? *result.module : module;
      llvm::Expected<std::vector<FifoDecision>> decisions =
          decideFifoSlots(before, machine, request, choices.optimize.ordering);
      if (!decisions)
        return settingError(llvm::toString(decisions.takeError()));
      auto next = std::find_if(decisions->begin(), decisions->end(),
                               [&](const FifoDecision &decision) { return !settled.count(decision.type); });
      if (next == decisions->end())
        break;
      again = true;
      settled.insert(next->type);
      if (next->changed())
        if (llvm::Error error = make(before, *next, request, machine, choices, result.module))
          return std::move(error);
      FifoType now = next->type;
      now.localSlots = next->localSlots;
      settled.insert(now);
      result.decisions.push_back(std::move(*next));
    }
  }
  return result;
}

// Decisions.

llvm::Expected<synthesis::ResyncResult> placeSyncsAnew(const Module &module, const Machine &machine,
                                                       const Catalogue &catalogue, const timing::CostTable &costs,
                                                       const RunChoices &choices) {
  synthesis::ResyncOptions request;
  request.optimize = choices.optimize;
  request.replay = replayOptions(choices);
  request.timed = timingOptions(choices);
  request.effort = choices.effort;
  request.regionWork = choices.regionWork;
  request.reservedIds = choices.reservedIds;
  if (choices.bufferIds && machine.bufferIds() == 0)
    return settingError("--tokens=buffers: " + machine.arch() +
                        " has no buffer ids; --arch=a5 if the kernel is for that");
  request.bufferIds = choices.bufferIds;
  request.inputStands = !choices.fromNothing || choices.inputStands;
  const synthesis::Lift lift = lifterOf(module.source.name(), frontendOptions(machine, choices));
  if (choices.fromNothing)
    return synthesis::synchronise(module, machine, catalogue, costs, request, lift);
  return synthesis::resync(module, machine, catalogue, costs, request, lift);
}

// The replay of the patched text.

namespace {

llvm::Error noLongerParses(llvm::Error why) {
  return llvm::joinErrors(
      llvm::createStringError(
          "internal error: the patched kernel no longer parses; nothing was written. Please report it with the kernel"),
      std::move(why));
}

/// As it was lifted, if that section was; otherwise it is parsed, into `own`.
llvm::Expected<const FileShape *> shapeIn(const Module &module, Section section, const FrontendOptions &frontend,
                                          FileShape &own) {
  if (auto known = module.shapes.find(section); known != module.shapes.end())
    return &known->second;
  llvm::Expected<FileShape> shape = fileShape(module.source, section, frontend);
  if (!shape)
    return shape.takeError();
  own = std::move(*shape);
  return &own;
}

/// Whatever an edit of syncs does, the rest of the file governs what it governed: in every function, kernel or not, in
/// every template instance, in both core sections but those `untouched`, whose tokens are what they were.
llvm::Error checkShape(const Module &before, const Module &after, const std::set<Section> &untouched,
                       const FrontendOptions &frontend) {
  bool cube = tellsCoresApart(before.source.text(), macrosOfOneCore(frontend.builds)) ||
              before.shapes.count(Section::Cube); // read for it all the same: a header tells the cores apart
  for (Section section : {Section::Vec, Section::Cube}) {
    if ((section == Section::Cube && !cube) || untouched.count(section))
      continue;
    FileShape ownBefore, ownAfter;
    llvm::Expected<const FileShape *> was = shapeIn(before, section, frontend, ownBefore);
    if (!was) {
      llvm::consumeError(was.takeError()); // a section that was not asked for need not parse
      continue;
    }
    llvm::Expected<const FileShape *> is = shapeIn(after, section, frontend, ownAfter);
    if (!is)
      return noLongerParses(is.takeError());
    std::vector<std::string> differing = differingFunctions(**was, **is);
    if (!differing.empty())
      return llvm::createStringError("internal error: the edits change more of " + differing.front() +
                                     " than its syncs; nothing was written. Please report it with the kernel");
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<replay::Verdict> replayPatched(const Module &before, const std::string &patched,
                                              const std::set<Section> &sections, const std::set<std::uint32_t> &aims,
                                              const Machine &machine, const RunChoices &choices) {
  if (patched == before.source.text())
    return replay::Verdict();
  FrontendOptions frontend = frontendOptions(machine, choices);
  frontend.shapes = true;
  SourceText text(before.source.name(), patched);
  std::set<Section> read = sections, untouched; // read is also what is compared: both are parsed side by side
  for (const auto &[section, shape] : before.shapes)
    if (!sections.count(section) && !sections.count(Section::Both) && choices.includeDirectory.empty() &&
        sameInSection(before.source, text, section))
      untouched.insert(section);
    else
      read.insert(section);
  llvm::Expected<Module> after = liftModule(text, frontend, read);
  if (!after)
    return noLongerParses(after.takeError());
  if (llvm::Error error = checkShape(before, *after, untouched, frontend))
    return std::move(error);
  replay::Options options = replayOptions(choices);
  options.aims = aims;
  options.fences = options.fences && !choices.fromNothing; // those that are needed are seen to by openOrder
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, *after, machine, options, sections, replay::Unanalysable::Skip);
  if (verdict.errorIsA<replay::ArgumentError>()) // of the input too
    return verdict.takeError();
  if (!verdict)
    return llvm::joinErrors(llvm::createStringError("internal error: the patched kernel cannot be replayed; nothing "
                                                    "was written. Please report it with the kernel"),
                            verdict.takeError());
  return verdict;
}

std::set<std::uint32_t> editedLines(const Module &module, const OptimizeResult &result) {
  std::set<std::uint32_t> lines;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict != Verdict::Kept)
      lines.insert(module.sites[decision.site].line);
  return lines;
}

std::set<SiteId> editsNotReached(const Module &module, const OptimizeResult &result, const replay::Verdict &verdict) {
  std::set<SiteId> found;
  for (const Kernel &kernel : module.kernels) {
    if (!kernel.analysable)
      continue;
    auto reaches = [&](std::uint32_t line) {
      return std::any_of(verdict.coverage.begin(), verdict.coverage.end(), [&](const auto &covered) {
        return covered.kernel == kernel.name && covered.section == kernel.section && !covered.neverRun.count(line) &&
               !covered.dead.count(line);
      });
    };
    for (SiteId site : sitesOf(kernel))
      if (result.decisions[site].verdict != Verdict::Kept && !reaches(module.sites[site].line))
        found.insert(site);
  }
  return found;
}

namespace {

/// The command that asks the question again, run inside the folder of a reproducer.
std::string reproduceScript(const Subject &subject) {
  const RunChoices &choices = subject.choices;
  std::string command =
      "ptosync verify before.cpp after.cpp --arch=" + subject.arch.arch + optionsText(choices.optimize.ordering);
  if (choices.machineText)
    command += " --machine=machine.json";
  if (!choices.includeDirectory.empty())
    command += " --pto-include='" + choices.includeDirectory + "'";
  for (const std::string &folder : choices.includes)
    command += " -I '" + folder + "'";
  for (const Definition &definition : choices.defines)
    command += definition.value ? " -D '" + definition.name + "=" + *definition.value + "'" : " -U " + definition.name;
  return "#!/bin/sh\n# ptosync " + std::string(toolVersion()) +
         ": exit 1 while the engines disagree\ncd \"$(dirname \"$0\")\" && " + command + " --verbose\n";
}

} // namespace

Disagreement::Disagreement(const std::string &witness, Files reproducer) : files(std::move(reproducer)) {
  constexpr std::size_t kShownBytes = 4000;
  shown = witness.substr(0, kShownBytes);
  if (witness.size() > kShownBytes)
    shown += "...\n";
}

void Disagreement::log(llvm::raw_ostream &stream) const {
  stream << "internal error: the replay of the patched kernel disagrees with the optimiser; nothing was written\n"
            "Please report it with the folder below. Until then --max-removals leaves the edit out.\n"
         << shown;
}

llvm::Expected<std::set<SiteId>> checkByReplay(const Module &before, const std::string &patched,
                                               const OptimizeResult &result, const Subject &subject,
                                               const std::vector<synthesis::KernelResync> &placed) {
  llvm::Expected<replay::Verdict> verdict = replayPatched(
      before, patched, editedSections(result), editedLines(before, result), *subject.machine, subject.choices);
  if (!verdict)
    return verdict.takeError();
  // Where a kernel that came broken is placed from nothing, what its own flags happened to order is no order of it.
  // checkWhole asks for those that there have to be.
  if (subject.choices.fromNothing)
    std::erase_if(verdict->findings, [&](const replay::Finding &finding) {
      return finding.kind == replay::FindingKind::Order &&
             llvm::any_of(placed, [&](const synthesis::KernelResync &kernel) {
               return kernel.kernel == finding.kernel && kernel.section == finding.section && kernel.before == 0;
             });
    });
  if (verdict->agreed())
    return editsNotReached(before, result, *verdict);
  const std::string witness =
      verifyText({before.source.name(), before.source.name(), subject.machine->arch(), std::string(toolVersion()),
                  subject.choices.optimize.ordering.trust, &*verdict,
                  /*verbose=*/true, subject.arch.description()});
  Disagreement::Files files = {{"before.cpp", before.source.text()},
                               {"after.cpp", patched},
                               {"witness.txt", witness},
                               {"reproduce.sh", reproduceScript(subject)}};
  if (subject.choices.machineText)
    files.emplace_back("machine.json", subject.choices.machineText->text());
  return llvm::make_error<Disagreement>(witness, std::move(files));
}

// Times.

namespace {

using timing::KernelTiming;

/// The parts that one file's kernels are timed with.
struct TimedParts {
  const Module &module;
  const Module *after; // null: nothing was moved or added
  const Machine &machine;
  const replay::Options &replay;
  const timing::CostTable &costs;
  std::vector<bool> removed;     // by site
  std::optional<OldLines> lines; // of `after`, if there is one
};

/// The kernel as it is in the result; empty where its syncs stand where they stood.
std::optional<KernelTiming> timeAfter(const KernelTiming &timing, const TimedParts &parts) {
  const Kernel *after = parts.after ? kernelLike(*parts.after, timing.subject().kernel) : nullptr;
  if (!after || !after->analysable)
    return std::nullopt;
  return std::move(timing::timeCores({after}, parts.machine, parts.replay, parts.costs, timing.inputs()).front());
}

KernelCost costOf(const KernelTiming &timing, const std::optional<KernelTiming> &after, const TimedParts &parts) {
  KernelCost cost;
  cost.before = timing.estimate();
  cost.after = after ? after->estimate() : timing.estimate(parts.removed);
  cost.removed = timing.syncCosts([&](SiteId site) { return parts.removed[site]; });
  cost.kept = timing.syncCosts([&](SiteId site) { return !parts.removed[site]; }, parts.removed);
  return cost;
}

/// The same kernel in the result, as timeAfter; empty also where it is gone.
std::optional<timing::JoinedCores> joinAfter(const timing::JoinedCores &joined, const TimedParts &parts) {
  const Kernel *cube =
      parts.after ? kernelLike(*parts.after, joined.core(timing::kCubeCore).subject().kernel) : nullptr;
  const Kernel *vec = parts.after ? kernelLike(*parts.after, joined.core(timing::kVecCore).subject().kernel) : nullptr;
  if (!cube || !vec || !cube->analysable || !vec->analysable)
    return std::nullopt;
  return timing::JoinedCores({cube, vec}, joined.inputs(), parts.machine, parts.replay, parts.costs);
}

CoresCost coresCost(const timing::JoinedCores &joined, const std::optional<timing::JoinedCores> &after,
                    const TimedParts &parts) {
  CoresCost cost{joined.name(), joined.apart(), {}, {}};
  if (cost.apart.empty() && after)
    cost.apart = after->apart();
  if (!cost.apart.empty())
    return cost;
  for (std::size_t core : {timing::kCubeCore, timing::kVecCore})
    cost.functions.insert(joined.core(core).subject().kernel.name);
  cost.before = joined.estimate();
  cost.after = after ? after->estimate() : joined.estimate(parts.removed);
  return cost;
}

/// The runs before and after; those `ofResult`, another text, in the lines of the input.
DrawnKernel drawBoth(std::string name, const std::vector<TimedKernel> &before, const std::vector<TimedKernel> &after,
                     bool ofResult, const TimedParts &parts) {
  replay::ConflictRules rules(parts.machine, parts.replay);
  TimelineReport report{&parts.module, parts.machine.arch(), "", parts.costs.clockMHz(), &rules, {}, {}};
  DrawnKernel drawn{std::move(name), {}};
  for (const TimedKernel &core : before)
    drawn.runs.push_back(drawRun("before", report, core));
  if (ofResult)
    report.module = parts.after;
  for (const TimedKernel &core : after)
    drawn.runs.push_back(drawRun("after", report, core,
                                 [&](std::uint32_t line) { return ofResult ? parts.lines->before(line) : line; }));
  return drawn;
}

DrawnKernel drawCore(const KernelTiming &timing, const std::optional<KernelTiming> &after, const KernelCost &cost,
                     const TimedParts &parts) {
  const Kernel &kernel = timing.subject().kernel;
  TimedKernel before{&timing, cost.before, timing::makeTimeline(timing.plan(), {})};
  TimedKernel result = after ? TimedKernel{&*after, cost.after, timing::makeTimeline(after->plan(), {})}
                             : TimedKernel{&timing, cost.after, timing::makeTimeline(timing.plan(), parts.removed)};
  return drawBoth(kernel.name + " (" + std::string(sectionName(kernel.section)) + ")", {std::move(before)},
                  {std::move(result)}, after.has_value(), parts);
}

DrawnKernel drawCores(const timing::JoinedCores &joined, const std::optional<timing::JoinedCores> &after,
                      const TimedParts &parts) {
  DrawnKernel drawn =
      drawBoth(joined.name() + ", both cores together", timeTogether(joined),
               after ? timeTogether(*after) : timeTogether(joined, parts.removed), after.has_value(), parts);
  drawn.together = true;
  return drawn;
}

/// Notes whether the kernel lacks an order as it came, and as it is now.
void noteOpen(KernelCost &cost, const OptimizedFile &file) {
  auto isIt = [&](const auto &one) { return one.kernel == cost.before.kernel && one.section == cost.before.section; };
  const auto anew = std::find_if(file.resync.begin(), file.resync.end(), isIt);
  const bool synchronised = anew != file.resync.end() && anew->changed;
  cost.openBefore =
      file.subject.choices.fromNothing
          ? anew != file.resync.end() && anew->before == 0 && anew->limit > 0
          : std::any_of(file.result.unresolved.begin(), file.result.unresolved.end(),
                        [&](const UnresolvedPair &pair) { return isIt(pair) && pair.silencedBy.empty(); });
  cost.openAfter = cost.openBefore && !synchronised;
}

/// Times the input and the result. Errors as of timeModule, and that the text cannot be read.
llvm::Expected<Costs> estimateCosts(const OptimizedFile &file, Times times) {
  const Module &module = file.module();
  const OptimizeResult &result = file.result;
  const Machine &machine = *file.subject.machine;
  const RunChoices &choices = file.subject.choices;
  llvm::Expected<timing::CostTable> table = loadCosts(machine, choices);
  if (!table)
    return table.takeError();
  std::vector<bool> removed(module.sites.size(), false);
  bool moved = !result.added.empty();
  for (const SiteDecision &decision : result.decisions) {
    removed[decision.site] = decision.verdict == Verdict::Removed;
    moved |= decision.verdict == Verdict::Moved;
  }
  std::optional<Module> after;
  if (moved) {
    llvm::Expected<Module> lifted =
        liftModule(SourceText(module.source.name(), file.patched), frontendOptions(machine, choices));
    if (!lifted)
      return lifted.takeError();
    after = std::move(*lifted);
  }
  replay::Options replay = timingOptions(choices);
  llvm::Expected<std::vector<KernelTiming>> timings = timeModule(module, machine, replay, *table);
  if (!timings)
    return timings.takeError();
  TimedParts parts{module, after ? &*after : nullptr, machine, replay, *table, std::move(removed), std::nullopt};
  if (after)
    parts.lines.emplace(*after, &module);
  Costs costs;
  costs.report.clockMHz = table->clockMHz();
  costs.report.durations = table->overlaidBy();
  for (const KernelTiming &timing : *timings) {
    std::optional<KernelTiming> result = timeAfter(timing, parts);
    costs.report.kernels.push_back(costOf(timing, result, parts));
    noteOpen(costs.report.kernels.back(), file);
    if (times == Times::Drawn)
      costs.drawn.push_back(drawCore(timing, result, costs.report.kernels.back(), parts));
  }
  for (const timing::JoinedCores &joined : joinModule(module, *timings, machine, replay, *table)) {
    std::optional<timing::JoinedCores> result;
    if (joined.apart().empty())
      result = joinAfter(joined, parts);
    costs.report.cores.push_back(coresCost(joined, result, parts));
    if (times == Times::Drawn && costs.report.cores.back().apart.empty())
      costs.drawn.push_back(drawCores(joined, result, parts));
  }
  return costs;
}

// The page.

/// The lifted input and the patterns that take part.
struct Prepared {
  Subject subject;
  Catalogue syncs;
  std::vector<RewriteRequest> rewrites;
};

llvm::Expected<Prepared> prepare(const RunInput &input, const OptRequest &request) {
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::Read);
  if (!subject)
    return subject.takeError();
  if (llvm::Error error = checkReservedIds(*subject->machine, subject->choices))
    return std::move(error);
  llvm::Expected<Catalogue> catalogue = loadCatalogue(input.choices);
  if (!catalogue)
    return asSetting(catalogue.takeError());
  llvm::Expected<Catalogue> selected = catalogue->select(input.choices.patterns);
  if (!selected)
    return asSetting(selected.takeError());
  Prepared prepared{std::move(*subject), std::move(*selected), {}};
  for (const std::string &text : request.rewrites) {
    llvm::Expected<RewriteRequest> rewrite = readRewrite(text, *catalogue, *prepared.subject.machine);
    if (!rewrite)
      return rewrite.takeError();
    prepared.rewrites.push_back(std::move(*rewrite));
  }
  return prepared;
}

/// Fails if --lines names a line on which no sync begins.
llvm::Error checkLines(const Module &module, const std::set<std::uint32_t> &lines) {
  std::string wrong;
  for (std::uint32_t line : lines) {
    const bool holds =
        std::any_of(module.sites.begin(), module.sites.end(), [&](const SyncSite &site) { return site.line == line; });
    if (holds)
      continue;
    const bool behind = line > module.source.lineCount();
    wrong.append(wrong.empty() ? "" : "\n").append(module.source.name()).append(":").append(std::to_string(line));
    wrong.append(": --lines names this line, on which no sync begins");
    wrong.append(behind ? ": the file ends before it" : "; --dry-run --verbose lists the lines");
  }
  return wrong.empty() ? llvm::Error::success() : settingError(wrong);
}

/// Adds the edits of the text as it was before the tool edited it, if entries of the approval are not met otherwise.
void meetEarlierEdits(ApprovalOutcome &outcome, const OptimizedFile &file, const Catalogue &syncs,
                      const Approval &approval) {
  if (staleEntries(approval, outcome.met).empty())
    return;
  std::optional<std::string> text = textBeforeEdits(file.module());
  if (!text)
    return;
  const Machine &machine = *file.subject.machine;
  const RunChoices &choices = file.subject.choices;
  llvm::Expected<Module> before =
      liftModule(SourceText(file.module().source.name(), std::move(*text)), frontendOptions(machine, choices));
  if (!before) // somebody has changed the file since
    return llvm::consumeError(before.takeError());
  outcome.met.merge(editsMet(*before, approval, [&](const std::optional<std::set<SiteId>> &sites) {
    OptimizeOptions options = choices.optimize;
    options.sites = sites;
    return optimize(*before, machine, syncs, options);
  }));
}

/// Decides what becomes of the syncs, into `file`.
llvm::Error decideEdits(OptimizedFile &file, const Catalogue &syncs, const OptRequest &request) {
  const RunChoices &choices = file.subject.choices;
  if (request.resync) {
    llvm::Expected<timing::CostTable> costs = loadCosts(*file.subject.machine, choices);
    if (!costs)
      return costs.takeError();
    llvm::Expected<synthesis::ResyncResult> placed =
        placeSyncsAnew(file.module(), *file.subject.machine, syncs, *costs, choices);
    if (!placed)
      return placed.takeError();
    file.result = std::move(placed->decisions);
    file.resync = std::move(placed->kernels);
    return llvm::Error::success();
  }
  auto within = [&](const std::optional<std::set<SiteId>> &sites) {
    OptimizeOptions options = choices.optimize;
    options.sites = sites;
    return optimize(file.module(), *file.subject.machine, syncs, options);
  };
  if (!request.approval) {
    file.result = within(std::nullopt);
    return llvm::Error::success();
  }
  llvm::Expected<ApprovedEdits> approved = decideApproved(file.module(), *request.approval, within);
  if (!approved)
    return approved.takeError();
  file.result = std::move(approved->result);
  file.approval = std::move(approved->outcome);
  meetEarlierEdits(*file.approval, file, syncs, *request.approval);
  return llvm::Error::success();
}

/// Fails if the replay of the text misses an order in a kernel that is synchronised from nothing.
llvm::Error checkWhole(const OptimizedFile &file) {
  const RunChoices &choices = file.subject.choices;
  const Machine &machine = *file.subject.machine;
  llvm::Expected<Module> after =
      liftModule(SourceText(file.source().source.name(), file.patched), frontendOptions(machine, choices));
  if (!after)
    return noLongerParses(after.takeError());
  for (const synthesis::KernelResync *left : file.leftAsTheyCame())
    std::erase_if(after->kernels,
                  [&](const Kernel &kernel) { return kernel.name == left->kernel && kernel.section == left->section; });
  llvm::Expected<synthesis::WholeOrder> order =
      synthesis::lookAtOrder(*after, machine, choices.optimize.ordering, replayOptions(choices));
  if (!order)
    return order.takeError();
  if (order->missing.empty())
    return llvm::Error::success();
  std::string texts;
  for (const replay::Finding &finding : order->missing)
    texts += finding.text + "\n";
  return llvm::make_error<Disagreement>(
      texts, Disagreement::Files{{"before.cpp", file.source().source.text()}, {"after.cpp", file.patched}});
}

/// Replays the patched text and estimates the times of both, side by side.
llvm::Error replayAndTime(OptimizedFile &file, Times times) {
  auto replay = std::async(std::launch::async, [&] {
    return checkByReplay(file.module(), file.patched, file.result, file.subject, file.resync);
  });
  if (times != Times::LeftOut) {
    llvm::Expected<Costs> costs = estimateCosts(file, times);
    if (!costs) {
      llvm::consumeError(replay.get().takeError());
      return costs.takeError();
    }
    file.costs = std::move(*costs);
  }
  llvm::Expected<std::set<SiteId>> notReplayed = replay.get();
  if (!notReplayed)
    return notReplayed.takeError();
  file.notReplayed = std::move(*notReplayed);
  return llvm::Error::success();
}

} // namespace

static llvm::Expected<OptimizedFile> decideAndReplay(const RunInput &input, const OptRequest &request,
                                                     Progress &progress) {
  beginStage(progress, input, "reading");
  llvm::Expected<Prepared> prepared = prepare(input, request);
  if (!prepared)
    return prepared.takeError();
  OptimizedFile file{std::move(prepared->subject), {}, {}, {}, {}, {}, {}, {}, {}, {}};
  if (llvm::Error error = checkLines(file.source(), file.subject.choices.optimize.lines))
    return std::move(error);
  const bool brackets = llvm::any_of(file.source().sites, [](const SyncSite &site) { return isBuffer(site.kind); });
  if (!file.subject.choices.fromNothing) // where no pattern is asked
    for (const Pattern &pattern : prepared->syncs.patterns())
      if (brackets || !isOnBrackets(pattern.action)) // a file without brackets does not ask for those
        file.patternIds.push_back(pattern.id);

  beginStage(progress, input, request.resync ? "placing syncs anew" : "deciding");
  llvm::Expected<Rewritten> rewritten =
      rewriteModule(file.source(), prepared->rewrites, *file.subject.machine, file.subject.choices);
  if (!rewritten)
    return rewritten.takeError();
  file.rewritten = std::move(*rewritten);
  if (llvm::Error error = decideEdits(file, prepared->syncs, request))
    return std::move(error);
  llvm::Expected<std::string> patched = patchedText(file.module(), file.result);
  if (!patched)
    return patched.takeError();
  file.patched = std::move(*patched);

  beginStage(progress, input, "replaying");
  if (llvm::Error error = replayAndTime(file, request.times))
    return std::move(error);
  if (file.subject.choices.fromNothing)
    if (llvm::Error error = checkWhole(file))
      return std::move(error);
  if (request.needed) {
    beginStage(progress, input, "asking what is needed");
    llvm::Expected<NeededSyncs> needed =
        askNeeded(file.module(), file.result, file.patched, *file.subject.machine, file.subject.choices);
    if (!needed)
      return needed.takeError();
    file.needed = std::move(*needed);
  }
  return file;
}

std::vector<const synthesis::KernelResync *> OptimizedFile::leftAsTheyCame() const {
  std::vector<const synthesis::KernelResync *> left;
  for (const synthesis::KernelResync &kernel : resync)
    if (kernel.left)
      left.push_back(&kernel);
  return left;
}

llvm::Expected<OptimizedFile> optimizeFile(const RunInput &input, const OptRequest &request, Progress &progress) {
  return within(input, decideAndReplay(input, request, progress));
}

static llvm::Expected<std::string> printed(const RunInput &input, const OptRequest &request, const std::string &what) {
  input.choices.allowance.stage("reading");
  llvm::Expected<Prepared> prepared = prepare(input, request);
  if (!prepared)
    return prepared.takeError();
  const Module &module = prepared->subject.modules.front();
  const Machine &machine = *prepared->subject.machine;
  const OrderingOptions &ordering = prepared->subject.choices.optimize.ordering;
  if (what == "prelude") {
    FrontendOptions frontend = frontendOptions(machine, prepared->subject.choices);
    return preludeFor(module.source.text(), frontend.instructions, {}, libraryMacros(frontend.builds));
  }
  std::string text;
  for (const Kernel &kernel : module.kernels)
    if (what == "kernel")
      text += printKernel(kernel);
    else if (what == "chains")
      text += printChains(kernel, machine, ordering);
    else if (what == "flags")
      text += printFlags(kernel, machine, ordering, module.sites);
  return text;
}

llvm::Expected<std::string> printFile(const RunInput &input, const OptRequest &request, const std::string &what) {
  return within(input, printed(input, request, what));
}

ReportInput reportInput(const OptimizedFile &file, const OptRequest &request) {
  const Subject &subject = file.subject;
  ReportInput input;
  input.module = &file.module();
  input.result = &file.result;
  input.toolVersion = toolVersion();
  input.arch = subject.machine->arch();
  input.archChoice = subject.arch.description();
  input.library = subject.machine->library();
  input.trust = subject.choices.optimize.ordering.trust;
  input.libraryUse = describeLibraryUse(file.module(), subject, linesReliedOn(file.result));
  input.fromNothing = subject.choices.fromNothing;
  if (!input.fromNothing) // where no pattern is asked
    input.patterns = subject.choices.patterns;
  input.patternIds = file.patternIds;
  if (!request.rewrites.empty())
    input.rewrites = &file.rewritten.decisions;
  if (request.resync)
    input.resync = &file.resync;
  if (file.approval)
    input.approval = &*file.approval;
  if (file.costs)
    input.costs = &file.costs->report;
  input.notReplayed = file.notReplayed;
  if (file.needed)
    input.needed = &*file.needed;
  return input;
}

std::string reviewPage(const OptimizedFile &file, const OptRequest &request) {
  const ReportInput input = reportInput(file, request);
  HtmlInput page;
  page.source = &input.module->source;
  page.decisions = &input;
  page.approval = request.approval;
  page.verdict = verdictLine(input);
  page.estimate = estimateLines(file.costs->report);
  for (const std::string &line : input.libraryUse.assumed)
    page.estimate.push_back(assumedLine(line));
  if (file.needed)
    page.estimate.push_back(neededSummary(*file.needed));
  page.kernels = file.costs->drawn;
  for (const SiteDecision &decision : file.result.decisions)
    for (const Evidence &evidence : decision.evidence)
      if (const MachineRule *rule = evidence.rule.empty() ? nullptr : file.subject.machine->rule(evidence.rule))
        page.ruleGrades[rule->id] = rule->grade;
  return htmlReport(page);
}

} // namespace ptosync
