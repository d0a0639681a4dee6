// `ptosync verify`, `compare`, `explain`, `model`, `patterns` and `rule`: the answers of src/run/answers.h and
// src/run/rules.h, printed.
#include "run/answers.h"
#include "run/rules.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/raw_ostream.h>

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

int print(llvm::Expected<std::string> text) {
  if (!text)
    return fail(text.takeError());
  llvm::outs() << *text;
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
  if (!options.quiet)
    llvm::outs() << outcomes->size() - failed << " passed, " << failed << " failed\n";
  return failed ? kExitFindings : kExitDone;
}

} // namespace

int exitCodeOf(VerifyAnswer answer, const VerifyCommandOptions &options) {
  switch (answer) {
  case VerifyAnswer::Proved: return kExitDone;
  case VerifyAnswer::Refuted: return kExitFindings;
  case VerifyAnswer::NotRefuted: break;
  }
  return options.requireProof ? kExitFindings : kExitUndecided;
}

int runVerify(const ToolOptions &options) {
  if (options.several)
    return verifyFolders(options);
  Progress progress = progressOf("verify", options.quiet);
  llvm::Expected<RunInput> input = readInput(options, {options.input, options.verify.after});
  if (!input)
    return fail(input.takeError());
  llvm::Expected<VerifiedFiles> verified =
      verifyFiles(*input, {formOf(options.verify.json), options.verbose, options.quiet}, progress);
  progress.finish();
  if (!verified)
    return fail(verified.takeError());
  if (options.timings)
    llvm::errs() << timingsText(input->choices.allowance.taken());
  llvm::outs() << verified->report;
  return exitCodeOf(verified->answer, options.verify);
}

int runCompare(const ToolOptions &options) {
  if (options.several)
    return compareFolders(options);
  const CompareCommandOptions &asked = options.compare;
  Progress progress = progressOf("compare", options.quiet);
  llvm::Expected<RunInput> input = readInput(options, {asked.a, asked.b});
  if (!input)
    return fail(input.takeError());
  if (llvm::Error error = checkOutputs(options, {asked.output, asked.html}))
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
  if (asked.output.empty() && (!options.quiet || asked.format != CompareFormat::Text))
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
                            : explainFile(*input, {asked.line, asked.tile, formOf(asked.json), asked.needed}));
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

namespace {

int explainIn(const Catalogue &catalogue, const ToolOptions &options) {
  switch (options.command) {
  case Command::PatternsList: return print(listPatterns(catalogue, options.given.arch));
  case Command::PatternsShow: return print(explainPattern(options.topic, catalogue));
  case Command::RuleList: return print(listRules(catalogue));
  default: return print(explainRule(options.topic, catalogue));
  }
}

} // namespace

int runPatterns(const ToolOptions &options) {
  if (options.command == Command::PatternsTest)
    return testThePatterns(options);
  llvm::Expected<RunChoices> choices = readChoices(options);
  if (!choices)
    return fail(choices.takeError());
  llvm::Expected<Catalogue> catalogue = loadCatalogue(*choices, PatternCases::Read);
  return catalogue ? explainIn(*catalogue, options) : fail(catalogue.takeError(), kExitUsage);
}

} // namespace ptosync
