#include "pipeline/replay_check.h"

#include "frontend/guard/file_shape.h"
#include "frontend/read/conditions.h"

#include <algorithm>

namespace ptosync {
namespace {

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
                                     " than its syncs; nothing was written");
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
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, *after, machine, options, sections, replay::Unanalysable::Skip);
  if (!verdict)
    return llvm::joinErrors(
        llvm::createStringError("internal error: the patched kernel cannot be replayed; nothing was written"),
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
  for (const SiteDecision &decision : result.decisions) {
    if (decision.verdict == Verdict::Kept)
      continue;
    const std::uint32_t line = module.sites[decision.site].line;
    for (const Kernel &kernel : module.kernels) {
      if (!kernel.analysable || !sitesOf(kernel).count(decision.site))
        continue;
      const bool reached = std::any_of(verdict.coverage.begin(), verdict.coverage.end(), [&](const auto &covered) {
        return covered.kernel == kernel.name && covered.section == kernel.section && !covered.neverRun.count(line) &&
               !covered.dead.count(line);
      });
      if (!reached)
        found.insert(decision.site);
    }
  }
  return found;
}

} // namespace ptosync
