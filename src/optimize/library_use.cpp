#include "optimize/library_use.h"

#include "base/messages.h"
#include "machine/effects.h"
#include "optimize/json_parts.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

using LinesByName = std::map<std::string, std::set<std::uint32_t>>;

template <typename Visit> void forEachCall(const Module &module, Visit visit) {
  for (const Kernel &kernel : module.kernels)
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements)
        if (const auto *instruction = std::get_if<Instruction>(&statement.action))
          visit(kernel, statement, *instruction);
}

std::vector<LibraryUse::Calls> listed(const LinesByName &lines, const std::set<std::uint32_t> &reliedOn) {
  std::vector<LibraryUse::Calls> calls;
  for (const auto &[name, all] : lines) {
    LibraryUse::Calls one{name, {all.begin(), all.end()}, {}};
    std::copy_if(all.begin(), all.end(), std::back_inserter(one.reliedOn),
                 [&](std::uint32_t line) { return reliedOn.count(line) != 0; });
    calls.push_back(std::move(one));
  }
  return calls;
}

} // namespace

std::set<std::uint32_t> linesReliedOn(const OptimizeResult &result) {
  std::set<std::uint32_t> lines;
  for (const SiteDecision &decision : result.decisions)
    for (const Evidence &evidence : decision.evidence)
      if (evidence.by == Evidence::By::Library && evidence.relied)
        lines.insert(evidence.lines.begin(), evidence.lines.end());
  return lines;
}

std::vector<LibraryUse::Calls> countedCalls(const Module &module, const Machine &machine, Trust trust,
                                            const std::set<std::uint32_t> &reliedOn) {
  if (trust != Trust::Library)
    return {};
  LinesByName lines;
  forEachCall(module, [&](const Kernel &kernel, const Statement &statement, const Instruction &instruction) {
    Effects inside = effectsOf(kernel, instruction, machine, Trust::Library);
    if (inside.form && !inside.form->library.empty() && inside.phases.size() > 1)
      lines[instruction.name].insert(statement.line);
  });
  return listed(lines, reliedOn);
}

std::vector<LibraryUse::Calls> callsOf(const Module &module, const std::set<std::string> &names) {
  LinesByName lines;
  forEachCall(module, [&](const Kernel &, const Statement &statement, const Instruction &instruction) {
    if (names.count(instruction.name))
      lines[instruction.name].insert(statement.line);
  });
  return listed(lines, {});
}

namespace {

constexpr std::size_t kShownLibraryLines = 4;

/// "TROWMAX 2x, relied on at lines 12, 20; TROWSUM 1x".
std::string libraryCallList(const std::vector<LibraryUse::Calls> &calls) {
  std::string text;
  for (const LibraryUse::Calls &one : calls) {
    text += (text.empty() ? "" : "; ") + printable(one.name) + " " + std::to_string(one.lines.size()) + "x";
    if (!one.reliedOn.empty())
      text += ", relied on at " + describeLines(one.reliedOn, kShownLibraryLines);
  }
  return text;
}

std::string libraryStandingText(const LibraryUse &use) {
  const std::string library = printable(use.library), directory = printable(use.directory);
  switch (use.standing) {
  case LibraryStanding::NotChecked:
    return "library not checked: that the kernel is built with " + library +
           " is taken for granted (--pto-include=DIR compares)";
  case LibraryStanding::Same:
    if (!use.sameAs.empty() && use.sameAs != use.library)
      return directory + " is the same as " + printable(use.sameAs) + ", for which the facts made from " + library +
             " hold";
    return directory + " is the same as the one the facts were made from, " + library;
  case LibraryStanding::Differs: return directory + " differs from the one the facts were made from, " + library;
  }
  return "";
}

const char *libraryStandingName(LibraryStanding standing) {
  switch (standing) {
  case LibraryStanding::NotChecked: return "not checked";
  case LibraryStanding::Same: return "same";
  case LibraryStanding::Differs: return "differs";
  }
  return "";
}

} // namespace

LibraryLines libraryLines(const LibraryUse &use) {
  if (!use.worthSaying())
    return {};
  LibraryLines lines{libraryStandingText(use), {}};
  if (!use.counted.empty())
    lines.calls.push_back("the inside of these calls counts: " + libraryCallList(use.counted));
  for (const LibraryUse::Unproved &one : use.unproved)
    lines.calls.push_back(printable(one.name) + " at " + describeLines(one.lines, kShownLibraryLines) +
                          (one.absent ? ": not in this library" : ": another text than the one read") +
                          (one.insideLost ? ", so nothing inside it counts" : ""));
  return lines;
}

std::string libraryPart(const LibraryUse &use) {
  LibraryLines lines = libraryLines(use);
  std::string text;
  if (!lines.standing.empty())
    text = "\nlibrary\n  " + lines.standing + "\n";
  for (const std::string &line : lines.calls)
    text += "  " + line + "\n";
  if (!use.assumed.empty())
    text += "\nassumed, and not proved\n";
  for (const std::string &line : use.assumed)
    text += "  " + printable(line) + "\n";
  return text;
}

std::string assumedLine(const std::string &assumed) { return "assumed, and not proved: " + printable(assumed); }

std::vector<std::string> assumedOf(const Module &module) {
  std::vector<std::string> all;
  for (const Kernel &kernel : module.kernels)
    for (std::string &text : describe(kernel.assumptions))
      if (std::find(all.begin(), all.end(), text) == all.end())
        all.push_back(std::move(text));
  return all;
}

nlohmann::ordered_json libraryUseJson(const LibraryUse &use) {
  using Json = nlohmann::ordered_json;
  Json counted = Json::array(), unproved = Json::array();
  for (const LibraryUse::Calls &one : use.counted)
    counted.push_back({{"name", one.name}, {"lines", one.lines}, {"reliedOn", one.reliedOn}});
  for (const LibraryUse::Unproved &one : use.unproved)
    unproved.push_back({{"name", one.name},
                        {"lines", one.lines},
                        {"text", one.absent ? "absent" : "changed"},
                        {"insideLost", one.insideLost}});
  Json json = {{"checked", libraryStandingName(use.standing)},
               {"directory", orNull(use.directory)},
               {"sameAs", orNull(use.sameAs)},
               {"counted", std::move(counted)},
               {"unproved", std::move(unproved)}};
  if (!use.assumed.empty())
    json["assumed"] = use.assumed;
  return json;
}

} // namespace ptosync
