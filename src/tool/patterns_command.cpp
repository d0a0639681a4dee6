#include "tool/patterns_command.h"

#include "patterns/case_source.h"
#include "pipeline/rewrite_step.h"
#include "tool/session.h"
#include "base/messages.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <optional>

namespace ptosync {
namespace {

/// All of them, or those that may nominate on `arch`.
int list(const Catalogue &catalogue, const std::optional<std::string> &arch) {
  for (const Pattern &pattern : catalogue.patterns()) {
    if (arch && !pattern.supports(*arch))
      continue;
    llvm::outs() << llvm::left_justify(pattern.id, 22) << " " << llvm::left_justify(trustName(pattern.trust), 8) << " "
                 << pattern.title << (pattern.kind == PatternKind::Rewrite ? " (rewrite)" : "") << "\n";
  }
  return kExitDone;
}

/// "pipe: PIPE_V" or "flag: PIPE_MTE2 -> any".
std::string pipesOf(const Pattern &pattern) {
  if (pattern.kind == PatternKind::Rewrite)
    return "kind: rewrite   local slots: " + std::to_string(pattern.leastLocalSlots) + " to " +
           std::to_string(pattern.mostLocalSlots) + ", of FIFOs with at least " +
           std::to_string(pattern.fifo.leastLocalSlots);
  if (pattern.action == PatternAction::RemoveBarrier)
    return "pipe: " + std::string(pipeName(pattern.pipe));
  auto name = [](const std::optional<Pipe> &pipe) { return pipe ? std::string(pipeName(*pipe)) : "any"; };
  return "flag: " + name(pattern.source) + " -> " + name(pattern.destination);
}

int show(const Catalogue &catalogue, const std::string &id) {
  const Pattern *pattern = catalogue.find(id);
  if (!pattern) {
    std::vector<std::string> names;
    for (const Pattern &known : catalogue.patterns())
      names.push_back(known.id);
    llvm::errs() << "ptosync: no pattern '" << id << "'" << suggestName(id, names) << "\n";
    return kExitUsage;
  }
  llvm::outs() << pattern->id << ": " << pattern->title << "\n";
  for (const std::string &alias : pattern->aliases)
    llvm::outs() << "also called " << alias << "\n";
  std::string archs;
  for (const std::string &arch : pattern->arch)
    archs += (archs.empty() ? "" : " ") + arch;
  llvm::outs() << "arch: " << archs << "   trust: " << trustName(pattern->trust)
               << "   action: " << factsOf(pattern->action).name << "   " << pipesOf(*pattern)
               << "   docs: " << pattern->docs << "\n\n"
               << pattern->explanation << "\n";
  return kExitDone;
}

/// `alone` holds the pattern, unless it is a rewrite.
llvm::Expected<bool> fires(const Pattern &pattern, const PatternCase &patternCase, const Machine &machine,
                           const Catalogue &alone, const ToolOptions &options) {
  OptimizeOptions run;
  run.ordering.trust = pattern.trust;
  for (const std::string &option : patternCase.options)
    run.ordering.trust = option == "--trust=library" ? Trust::Library : Trust::Tile;
  llvm::Expected<Module> module = liftModule(SourceText(pattern.id + "/" + patternCase.name, wrapCase(patternCase)),
                                             frontendOptions(machine, options));
  if (!module)
    return module.takeError();
  if (pattern.kind == PatternKind::Rewrite) {
    RunChoices own = options;
    own.optimize = run;
    llvm::Expected<Rewritten> rewritten = rewriteModule(*module, {{pattern, std::nullopt}}, machine, own);
    if (!rewritten)
      return rewritten.takeError();
    return rewritten->module.has_value();
  }
  OptimizeResult result = optimize(*module, machine, alone, run);
  return std::any_of(result.decisions.begin(), result.decisions.end(), [&](const SiteDecision &decision) {
    return decision.verdict != Verdict::Kept && decision.pattern == pattern.id;
  });
}

/// Cases are written for one architecture: a3, where the pattern supports it.
std::string caseArch(const Pattern &pattern) { return pattern.supports("a3") ? "a3" : pattern.arch.front(); }

int test(const Catalogue &catalogue, const ToolOptions &options) {
  std::size_t passed = 0, failed = 0;
  for (const Pattern &pattern : catalogue.patterns()) {
    ToolOptions own = options;
    own.arch = caseArch(pattern);
    llvm::Expected<ProvedMachine> proved = loadMachine(own);
    if (!proved)
      return fail(proved.takeError(), kExitUsage);
    const Machine &machine = proved->machine;
    llvm::Expected<Catalogue> alone = catalogue.select(pattern.kind == PatternKind::Rewrite ? "none" : pattern.id);
    if (!alone)
      return fail(alone.takeError(), kExitUsage);
    for (const PatternCase &patternCase : pattern.cases) {
      llvm::Expected<bool> fired = fires(pattern, patternCase, machine, *alone, options);
      std::string problem;
      if (!fired)
        problem = "is not a kernel: " + llvm::toString(fired.takeError());
      else if (*fired && patternCase.expect == CaseExpectation::Silent)
        problem = "noisy: it must stay silent and edits the kernel";
      else if (!*fired && patternCase.expect == CaseExpectation::Fire)
        problem = "missing: it must edit the kernel and does not";
      problem.empty() ? ++passed : ++failed;
      if (!problem.empty())
        llvm::outs() << pattern.file << ":" << patternCase.line << ": case '" << patternCase.name << "' " << problem
                     << "\n";
      else if (options.verbose)
        llvm::outs() << "ok " << pattern.id << ": " << patternCase.name << "\n";
    }
  }
  llvm::outs() << passed << " passed, " << failed << " failed\n";
  return failed ? kExitFindings : kExitDone;
}

} // namespace

int runPatterns(const ToolOptions &options) {
  llvm::Expected<Catalogue> catalogue = loadCatalogue(options, PatternCases::Read);
  if (!catalogue)
    return fail(catalogue.takeError(), kExitUsage);
  if (options.command == Command::PatternsList)
    return list(*catalogue, options.given.arch);
  if (options.command == Command::PatternsShow)
    return show(*catalogue, options.pattern);
  return test(*catalogue, options);
}

} // namespace ptosync
