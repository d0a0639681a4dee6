#include "tool/replay_check.h"

#include "frontend/conditionals.h"
#include "frontend/file_shape.h"
#include "frontend/section_tokens.h"
#include "patterns/version.h"
#include "replay/verify.h"
#include "report/verify_report.h"
#include "tool/files.h"
#include "tool/session.h"

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

llvm::Error noLongerParses(llvm::Error why) {
  return llvm::joinErrors(
      llvm::createStringError("internal error: the patched kernel no longer parses; nothing was written"),
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
  bool cube = tellsCoresApart(before.source.text(), !frontend.includeDirectory.empty()) ||
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
                                     " than its syncs; nothing was written");
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error checkByReplay(const Module &before, const std::string &patched, const std::set<Section> &sections,
                          const Machine &machine, const ToolOptions &options) {
  if (patched == before.source.text())
    return llvm::Error::success();
  FrontendOptions frontend = frontendOptions(machine, options);
  frontend.shapes = true;
  SourceText text(before.source.name(), patched);
  std::set<Section> read = sections, untouched; // read is also what is compared: both are parsed side by side
  for (const auto &[section, shape] : before.shapes)
    if (!sections.count(section) && !sections.count(Section::Both) && options.includeDirectory.empty() &&
        sameInSection(before.source, text, section))
      untouched.insert(section);
    else
      read.insert(section);
  llvm::Expected<Module> after = liftModule(text, frontend, read);
  if (!after)
    return noLongerParses(after.takeError());
  if (llvm::Error error = checkShape(before, *after, untouched, frontend))
    return error;
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, *after, machine, replayOptions(options), sections, replay::Unanalysable::Skip);
  if (!verdict)
    return llvm::joinErrors(
        llvm::createStringError("internal error: the patched kernel cannot be replayed; nothing was written"),
        verdict.takeError());
  if (verdict->agreed())
    return llvm::Error::success();
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
