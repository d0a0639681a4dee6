#include "optimize/library_use.h"

#include "machine/effects.h"

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

} // namespace ptosync
