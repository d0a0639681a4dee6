#include "fuzz/frontend/frontend_target.h"

#include "audit/audit.h"
#include "frontend/frontend.h"
#include "kernel/kernel.h"
#include "machine/machine.h"
#include "optimize/optimizer.h"
#include "replay/verify.h"
#include "rewrite/sync_edits.h"
#include "run/choices.h"

#include <cstdlib>
#include <iostream>
#include <map>

namespace ptosync::fuzz {
namespace {

const Machine &machine() {
  static const Machine model = llvm::cantFail(Machine::builtIn("a3"));
  return model;
}

const FrontendOptions &readingOptions() {
  static const FrontendOptions options = frontendOptions(machine());
  return options;
}

const Catalogue &catalogue() {
  static const Catalogue selected = llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("default"));
  return selected;
}

/// A fuzzer sees a wrong answer only if the process dies of it.
[[noreturn]] void wrong(const std::string &what) {
  std::cerr << "frontend target: " << what << std::endl;
  std::abort();
}

std::string edited(const Module &module, const OptimizeResult &result) {
  llvm::Expected<std::string> text = patchedText(module, result);
  if (!text)
    wrong("the edits do not apply: " + llvm::toString(text.takeError()));
  return std::move(*text);
}

void optimiseAndReplay(const Module &module) {
  std::string text = edited(module, optimize(module, machine(), catalogue(), {}));
  llvm::Expected<Module> after = liftModule(SourceText("after.cpp", text), readingOptions());
  if (!after)
    wrong("the edited text is not C++: " + llvm::toString(after.takeError()));
  replay::Options options;
  options.budget.instructions = 4000;
  options.budget.statements = 40000;
  options.budget.scoutStatements = 40000;
  options.budget.runs = 4;
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(module, *after, machine(), options, {Section::Both}, replay::Unanalysable::Skip);
  if (!verdict)
    wrong("the replay refuses: " + llvm::toString(verdict.takeError()));
  if (!verdict->agreed())
    wrong("the engines disagree: " + verdict->findings.front().text);
}

void auditAll(const Module &module) {
  AuditOptions options;
  options.lowest = Severity::Note;
  options.patterns = &catalogue();
  std::uint32_t lines = module.source.position(static_cast<std::uint32_t>(module.source.text().size())).line;
  for (const Finding &finding : audit(module, machine(), options).findings)
    if (finding.message.empty() || finding.severity == Severity::Off || finding.place.line > lines)
      wrong("a finding of " + finding.rule + " says nothing, or stands nowhere");
}

} // namespace

std::optional<Depth> parseDepth(std::string_view name) {
  if (name == "lift")
    return Depth::Lift;
  if (name == "optimise")
    return Depth::Optimise;
  return name == "audit" ? std::optional(Depth::Audit) : std::nullopt;
}

bool takeText(const std::string &text, Depth depth) {
  llvm::Expected<Module> module = liftModule(SourceText("kernel.cpp", text), readingOptions());
  if (!module) {
    if (llvm::toString(module.takeError()).empty())
      wrong("refused without a word");
    return false;
  }
  for (const Kernel &kernel : module->kernels)
    if (!kernel.analysable && kernel.reason.empty())
      wrong("a kernel is not analysable and nobody says why");
    else if (printKernel(kernel).empty())
      wrong("a kernel prints as nothing");
  for (const SyncSite &site : module->sites)
    if (module->source.slice(site.range).find(site.text.substr(0, site.text.find('('))) == std::string_view::npos &&
        site.protection != Protection::NotOneStatement)
      wrong("the range of '" + site.text + "' holds '" + std::string(module->source.slice(site.range)) + "'");
  if (depth == Depth::Optimise)
    optimiseAndReplay(*module);
  if (depth == Depth::Audit)
    auditAll(*module);
  return true;
}

} // namespace ptosync::fuzz
