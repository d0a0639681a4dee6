// `ptosync merge`: the documents of several runs, of shards say, as the one of a single run.
#include "base/messages.h"
#include "report/merge.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/raw_ostream.h>

#include <string>
#include <vector>

namespace ptosync {
namespace {

/// The form of a table; standard output gets that of the inputs.
TableForm mergedForm(const std::string &output) {
  const bool json = output.empty() || llvm::StringRef(output).ends_with(".sarif");
  return json ? TableForm::Json : tableFormOf(output);
}

/// The inputs of the command line and of the file of --files-from.
llvm::Expected<std::vector<std::string>> inputsOf(const ToolOptions &options) {
  std::vector<std::string> files = options.inputs;
  if (options.filesFrom.empty())
    return files;
  llvm::Expected<std::string> list = readFile(options.filesFrom, *options.reads, "a list of files");
  if (!list)
    return list.takeError();
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(*list).split(lines, '\n', -1, /*KeepEmpty=*/false);
  files.reserve(files.size() + lines.size());
  for (llvm::StringRef line : lines)
    if (!(line = line.rtrim('\r')).empty()) // some editors end a line with both
      files.push_back(line.str());
  if (files.empty())
    return llvm::createStringError(options.filesFrom + ": names no file; expected one a line");
  return files;
}

} // namespace

int runMerge(const ToolOptions &options) {
  llvm::Expected<std::vector<std::string>> files = inputsOf(options);
  if (!files)
    return fail(files.takeError(), kExitUsage);
  std::vector<NamedText> inputs;
  inputs.reserve(files->size());
  for (const std::string &file : *files) {
    llvm::Expected<std::string> text = readFile(file, *options.reads, kJsonFile, kLargestDocument);
    if (!text)
      return fail(text.takeError(), kExitUsage);
    inputs.push_back({file, std::move(*text)});
  }
  llvm::Expected<MergedDocument> merged = mergeDocuments(inputs, mergedForm(options.output));
  if (!merged)
    return fail(merged.takeError(), kExitUsage);
  if (merged->leftOut)
    llvm::errs() << "ptosync: code scanning does not take all results: the " << merged->leftOut
                 << " least grave ones are not in " << (options.output.empty() ? "the document" : options.output)
                 << "\n";
  if (options.output.empty()) {
    llvm::outs() << merged->text;
    return merged->exitCode;
  }
  if (llvm::Error error = writeFiles({{options.output, merged->text}}, *options.reads))
    return fail(std::move(error), kExitUsage);
  if (options.quiet)
    return merged->exitCode;
  for (const std::string &line : merged->lines)
    llvm::outs() << line << "\n";
  if (merged->lines.empty())
    llvm::outs() << options.output << ": " << countOf(merged->kernels, "kernel") << " of "
                 << countOf(inputs.size(), "document") << "\n";
  return merged->exitCode;
}

} // namespace ptosync
