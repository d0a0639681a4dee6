#include "explain/call_effects.h"

#include "machine/footprint.h"
#include "ordering/kernel_analysis.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

using Phases = std::map<const Statement *, std::vector<CallPhase>>;

CallAccess accessOf(const Program &program, const Access &access) {
  CallAccess result;
  result.operand = access.name;
  result.space = program.machine->spaces()[access.space].name;
  result.bytes = access.bytes;
  result.reads = access.reads;
  result.writes = access.writes;
  result.scratch = access.scratch;
  result.hidden = access.hidden;
  const std::optional<ChainRule> &chain = program.machine->rules().chain;
  if (chain && access.tile && !access.scratch && !access.widened && contiguousValidRegion(*access.tile)) {
    LineShape shape = lineShape(*access.tile);
    result.readAfter = chainDistance(shape, AccessOrder::Sequential, access.order, chain->repeatBytes);
    result.readBy = chainDistance(shape, access.order, AccessOrder::Sequential, chain->repeatBytes);
  }
  if (access.base.isConstant())
    result.begin = access.base.constant;
  else if (std::optional<AtomId> root = program.scalars->algebra().pointerRoot(access.base)) {
    result.argument = program.scalars->algebra()[*root].key;
    if (access.base.terms.size() == 1 && access.base.modulus == 0)
      result.begin = access.base.constant;
  }
  return result;
}

/// Phases of every call of a program; copies of expanded loops repeat what their first block says.
Phases phasesOf(const Program &program) {
  Phases phases;
  for (BlockId block = 0; block < program.kernel->blocks.size(); ++block)
    for (const Event &event : program.steps[block]) {
      if (!event.statement || event.kind == Event::Kind::Inside ||
          !std::holds_alternative<Instruction>(event.statement->action))
        continue;
      CallPhase phase;
      if (event.kind == Event::Kind::Barrier) {
        phase.barrier = true;
        phase.pipe = event.source;
      } else {
        const Node &node = program.nodes[event.node];
        phase.pipe = node.pipe;
        for (const Access &access : node.accesses)
          phase.accesses.push_back(accessOf(program, access));
      }
      phases[event.statement].push_back(std::move(phase));
    }
  return phases;
}

KernelCalls callsOf(const Kernel &kernel, const Machine &machine, OrderingOptions options) {
  KernelCalls result;
  result.kernel = kernel.name;
  result.section = kernel.section;
  result.reason = kernel.reason;
  if (!kernel.analysable)
    return result;
  options.trust = Trust::Tile;
  llvm::Expected<Analysis> tile = Analysis::of(kernel, machine, options);
  options.trust = Trust::Library;
  llvm::Expected<Analysis> library = Analysis::of(kernel, machine, options);
  if (!tile || !library) {
    result.reason = llvm::toString(llvm::joinErrors(tile.takeError(), library.takeError()));
    return result;
  }
  Phases atTile = phasesOf(tile->program()), atLibrary = phasesOf(library->program());
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      const auto *instruction = std::get_if<Instruction>(&statement.action);
      if (!instruction)
        continue;
      Effects effects = effectsOf(kernel, *instruction, machine, Trust::Library);
      CallEffects call;
      call.kernel = kernel.name;
      call.line = statement.line;
      call.name = instruction->name;
      call.fence = effects.fence;
      call.flags = effects.flags;
      if (effects.form)
        call.form = static_cast<std::size_t>(effects.form - machine.instruction(call.name)->forms.data());
      for (const Operand &operand : instruction->operands)
        call.operands.push_back(operand.spelling);
      call.tile = std::move(atTile[&statement]);
      call.library = std::move(atLibrary[&statement]);
      auto barrier = [](const CallPhase &phase) { return phase.barrier; };
      call.inside =
          call.tile.size() != call.library.size() || std::any_of(call.library.begin(), call.library.end(), barrier);
      result.calls.push_back(std::move(call));
    }
  std::stable_sort(result.calls.begin(), result.calls.end(),
                   [](const CallEffects &a, const CallEffects &b) { return a.line < b.line; });
  return result;
}

} // namespace

std::vector<KernelCalls> callEffects(const Module &module, const Machine &machine, OrderingOptions options) {
  std::vector<KernelCalls> kernels;
  for (const Kernel &kernel : module.kernels)
    kernels.push_back(callsOf(kernel, machine, options));
  return kernels;
}

} // namespace ptosync
