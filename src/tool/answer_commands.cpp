// `ptosync verify`, `compare`, `explain`, `model` and `patterns`: the answers of src/run/answers.h, printed.
#include "base/messages.h"
#include "run/answers.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/Format.h>
#include <llvm/Support/raw_ostream.h>

#include <optional>

namespace ptosync {
namespace {

AnswerForm formOf(bool json) { return json ? AnswerForm::Json : AnswerForm::Text; }

/// Prints the answer. `otherwise`: the exit code if not every kernel could be analysed.
int print(llvm::Expected<Answer> answer, int otherwise = kExitNotAnalysed) {
  if (!answer)
    return fail(answer.takeError());
  llvm::outs() << answer->text;
  return answer->analysed ? kExitDone : otherwise;
}

AnswerForm formOf(CompareFormat format) {
  switch (format) {
  case CompareFormat::Text: return AnswerForm::Text;
  case CompareFormat::Csv: return AnswerForm::Csv;
  case CompareFormat::Json: return AnswerForm::Json;
  }
  return AnswerForm::Text;
}

/// Prints all patterns, or those that may nominate on `arch`.
int listPatterns(const Catalogue &catalogue, const std::optional<std::string> &arch) {
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

int showPattern(const Catalogue &catalogue, const std::string &id) {
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

int testThePatterns(const ToolOptions &options) {
  llvm::Expected<RunChoices> choices = readChoices(options);
  if (!choices)
    return fail(choices.takeError());
  llvm::Expected<std::vector<CaseOutcome>> outcomes = testPatterns({{}, {}, std::move(*choices)});
  if (!outcomes)
    return fail(outcomes.takeError());
  std::size_t failed = 0;
  for (const CaseOutcome &outcome : *outcomes) {
    failed += !outcome.problem.empty();
    if (!outcome.problem.empty())
      llvm::outs() << outcome.place << ": case '" << outcome.name << "' " << outcome.problem << "\n";
    else if (options.verbose)
      llvm::outs() << "ok " << outcome.pattern << ": " << outcome.name << "\n";
  }
  llvm::outs() << outcomes->size() - failed << " passed, " << failed << " failed\n";
  return failed ? kExitFindings : kExitDone;
}

} // namespace

int runVerify(const ToolOptions &options) {
  if (options.several)
    return verifyFolders(options);
  Progress progress = progressOf("verify", false);
  llvm::Expected<RunInput> input = readInput(options, {options.input, options.verify.after});
  if (!input)
    return fail(input.takeError());
  llvm::Expected<VerifiedFiles> verified = verifyFiles(*input, formOf(options.verify.json), options.verbose, progress);
  progress.finish();
  if (!verified)
    return fail(verified.takeError());
  if (options.timings)
    llvm::errs() << llvm::format("parse %.1f ms, replay %.1f ms\n", progress.milliseconds(0), progress.milliseconds(1));
  llvm::outs() << verified->report;
  switch (verified->answer) {
  case replay::Answer::Agree: return kExitDone;
  case replay::Answer::Differ: return kExitFindings;
  case replay::Answer::Undecided: break;
  }
  return kExitUndecided;
}

int runCompare(const ToolOptions &options) {
  if (options.several)
    return compareFolders(options);
  const CompareCommandOptions &asked = options.compare;
  Progress progress = progressOf("compare", options.quiet);
  llvm::Expected<RunInput> input = readInput(options, {asked.a, asked.b});
  if (!input)
    return fail(input.takeError());
  if (llvm::Error error = checkTargets({asked.output, asked.html}, *options.reads))
    return fail(std::move(error), kExitUsage);
  llvm::Expected<ComparedFiles> compared =
      compareFiles(*input, {formOf(asked.format), options.verbose, !asked.html.empty(), asked.failOver}, progress);
  progress.finish();
  if (!compared)
    return fail(compared.takeError());
  std::vector<std::pair<std::string, std::string>> files;
  if (!asked.html.empty())
    files.emplace_back(asked.html, compared->page);
  if (!asked.output.empty())
    files.emplace_back(asked.output, compared->answer.text);
  if (llvm::Error error = writeFiles(files, *options.reads))
    return fail(std::move(error), kExitUsage);
  if (asked.output.empty() && !options.quiet)
    llvm::outs() << compared->answer.text;
  for (const std::string &entry : compared->overLimit)
    llvm::errs() << "ptosync: --fail-over: " << entry << "\n";
  if (!compared->answer.analysed)
    return kExitNotAnalysed;
  return compared->overLimit.empty() ? kExitDone : kExitFindings;
}

int runExplain(const ToolOptions &options) {
  const ExplainCommandOptions &asked = options.explain;
  llvm::Expected<RunInput> input = readInput(options, {asked.file});
  if (!input)
    return fail(input.takeError());
  return print(asked.memory ? explainMemory(*input, formOf(asked.json))
                            : explainFile(*input, {asked.line, asked.tile, formOf(asked.json)}));
}

int runModel(const ToolOptions &options) {
  if (!options.model.calls.empty()) {
    llvm::Expected<RunInput> input = readInput(options, {options.model.calls});
    return input ? print(explainCalls(*input, formOf(options.model.json))) : fail(input.takeError());
  }
  if (options.includeDirectory.empty())
    return usage("model: --check and --hashes need --pto-include=DIR, the library's include folder");
  if (options.model.check)
    return print(checkModels({{}, {options.given, options.environment, {}}, options}), kExitFindings);
  llvm::Expected<std::string> hashes = hashesOfLibrary(options.includeDirectory, options.model.hashes);
  if (!hashes)
    return fail(hashes.takeError());
  llvm::outs() << *hashes;
  return kExitDone;
}

int runPatterns(const ToolOptions &options) {
  if (options.command == Command::PatternsTest)
    return testThePatterns(options);
  llvm::Expected<RunChoices> choices = readChoices(options);
  if (!choices)
    return fail(choices.takeError());
  llvm::Expected<Catalogue> catalogue = loadCatalogue(*choices, PatternCases::Read);
  if (!catalogue)
    return fail(catalogue.takeError(), kExitUsage);
  return options.command == Command::PatternsList ? listPatterns(*catalogue, options.given.arch)
                                                  : showPattern(*catalogue, options.pattern);
}

} // namespace ptosync
