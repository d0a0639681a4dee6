#include "tool/disagreement.h"

#include "patterns/version.h"
#include "pipeline/replay_check.h"
#include "report/verify_report.h"
#include "rewrite/edited_kernel.h"
#include "tool/files.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace ptosync {
namespace {

constexpr std::size_t kShownBytes = 4000; // of the witnesses, in the message

/// The command that asks the question again, run inside the folder.
std::string reproduceScript(const ToolOptions &options) {
  std::string command =
      "ptosync verify before.cpp after.cpp --arch=" + options.arch + optionsText(options.optimize.ordering);
  if (!options.machineFile.empty())
    command += " --machine=machine.json";
  if (!options.includeDirectory.empty())
    command += " --pto-include='" + options.includeDirectory + "'";
  for (const std::string &folder : options.includes)
    command += " -I '" + folder + "'";
  for (const Definition &definition : options.defines)
    command += definition.value ? " -D '" + definition.name + "=" + *definition.value + "'" : " -U " + definition.name;
  return "#!/bin/sh\n# ptosync " + std::string(toolVersion()) +
         ": exit 1 while the engines disagree\ncd \"$(dirname \"$0\")\" && " + command + " --verbose\n";
}

/// Writes the reproducer; the name of its folder, or why there is none.
std::string keepReproducer(const Module &before, const std::string &patched, const std::string &witness,
                           const ToolOptions &options) {
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("ptosync-disagreement", folder))
    return "no reproducer could be kept: " + error.message();
  auto path = [&](const char *name) {
    llvm::SmallString<128> file = folder;
    llvm::sys::path::append(file, name);
    return file.str().str();
  };
  std::vector<std::pair<std::string, std::string>> files = {{path("before.cpp"), before.source.text()},
                                                            {path("after.cpp"), patched},
                                                            {path("witness.txt"), witness},
                                                            {path("reproduce.sh"), reproduceScript(options)}};
  if (!options.machineFile.empty()) {
    llvm::Expected<std::string> machine = readFile(options.machineFile);
    if (!machine)
      return "no reproducer could be kept: " + llvm::toString(machine.takeError());
    files.emplace_back(path("machine.json"), std::move(*machine));
  }
  if (llvm::Error error = writeFiles(files))
    return "no reproducer could be kept: " + llvm::toString(std::move(error));
  return "kept for a report: " + folder.str().str() + " (both kernels, witness.txt, reproduce.sh)";
}

} // namespace

llvm::Expected<std::set<SiteId>> checkByReplay(const Module &before, const std::string &patched,
                                               const OptimizeResult &result, const Machine &machine,
                                               const ToolOptions &options) {
  llvm::Expected<replay::Verdict> verdict =
      replayPatched(before, patched, editedSections(result), editedLines(before, result), machine, options);
  if (!verdict)
    return verdict.takeError();
  if (verdict->agreed())
    return editsNotReached(before, result, *verdict);
  VerifyReportInput report{before.source.name(),
                           before.source.name(),
                           machine.arch(),
                           std::string(toolVersion()),
                           options.optimize.ordering.trust,
                           &*verdict,
                           /*verbose=*/true,
                           options.archChoice.description()};
  std::string witness = verifyText(report);
  std::string shown = witness.substr(0, kShownBytes);
  if (witness.size() > kShownBytes)
    shown += "...\n";
  return llvm::createStringError("internal error: the replay of the patched kernel disagrees with the optimiser; "
                                 "nothing was written\n" +
                                 shown + keepReproducer(before, patched, witness, options));
}

} // namespace ptosync
