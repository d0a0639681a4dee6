#include "pipeline/rewrite_step.h"

#include "frontend/fifo_types.h"
#include "kernel/kernel.h"
#include "replay/relayout.h"
#include "rewrite/fifo_edits.h"
#include "base/messages.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <set>

namespace ptosync {

namespace {

llvm::Error refused(std::string text) { return llvm::make_error<RewriteRefused>(std::move(text)); }

/// The module with one decision made; fails if the text cannot say it or means anything else then.
llvm::Expected<Module> apply(const Module &module, FifoDecision &decision, const Machine &machine,
                             const RunChoices &choices) {
  if (!module.notEdited.empty())
    return refused(module.source.name() + ":" + std::to_string(decision.line) + ": " + fifoTypeText(decision.type) +
                   " stays as it is: " + module.notEdited);
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
    return refused(llvm::toString(edits.takeError()));
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
    return refused(module.source.name() + ":" + std::to_string(decision.line) + ": " + fifoTypeText(decision.type) +
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
    return llvm::handleErrors(after.takeError(), [&](const RewriteRefused &error) {
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
    return refused("--rewrite=" + text + ": no rewrite '" + name.str() + "'" + suggestName(name.str(), known));
  if (!pattern->supports(machine.arch()))
    return refused("--rewrite=" + text + ": is not for " + machine.arch() + " (" + pattern->docs + ")");
  RewriteRequest request{*pattern, std::nullopt};
  if (!llvm::StringRef(text).contains('=') || value == "auto")
    return request;
  std::int64_t count = 0;
  if (value.getAsInteger(10, count) || count < 1)
    return refused("--rewrite=" + text + ": expected a number of at least 1, or auto");
  if (count < pattern->leastLocalSlots || count > pattern->mostLocalSlots)
    return refused("--rewrite=" + text + ": " + pattern->id + " sets from " + std::to_string(pattern->leastLocalSlots) +
                   " to " + std::to_string(pattern->mostLocalSlots));
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
        return refused(llvm::toString(decisions.takeError()));
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

} // namespace ptosync
