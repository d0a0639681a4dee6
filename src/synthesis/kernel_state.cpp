#include "synthesis/kernel_state.h"

namespace ptosync::synthesis {

std::string flagName(const Flag &flag) { return "flag " + flagText(flag); }

std::vector<const Statement *> numberedStatements(const Kernel &kernel) {
  std::vector<const Statement *> statements;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (!std::holds_alternative<Sync>(statement.action))
        statements.push_back(&statement);
  return statements;
}

std::size_t KernelState::numberOf(NodeId node) const {
  auto found = numbers.find(program->nodes[node].statement);
  return found == numbers.end() ? static_cast<std::size_t>(kNone) : found->second;
}

OpenPair KernelState::pairOf(const ConflictPair &pair) const {
  return {numberOf(program->nodeOfBit[pair.bit]), numberOf(pair.later), pair.kind};
}

llvm::Expected<KernelState> analyseKernel(const Kernel &kernel, const Machine &machine,
                                          const OrderingOptions &options) {
  llvm::Expected<Program> program = buildProgram(kernel, machine, options);
  if (!program)
    return program.takeError();
  KernelState state;
  state.program = std::make_unique<Program>(std::move(*program));
  state.pending = std::make_unique<Pending>(*state.program);
  for (const Statement *statement : numberedStatements(kernel))
    state.numbers.emplace(statement, state.numbers.size());
  for (const OpenConflict &open : state.pending->open())
    (open.silenced == Excuse::Silenced ? state.silenced : state.open).insert(state.pairOf(open.pair));
  for (const ConflictPair &pair : state.pending->openFenceOrders())
    state.fences.insert(state.pairOf(pair));
  for (const auto &[step, bit] : state.pending->openAtEnd())
    state.atEnd.insert(state.numberOf(state.program->nodeOfBit[bit]));
  for (const TokenEvent &fault : state.pending->tokenFaults())
    ++state.faults[state.program->flags[fault.flag]];
  for (const ConflictPair &pair : state.pending->openReuses())
    for (const auto &events : state.program->steps)
      for (const Event &event : events)
        if (event.node == pair.later)
          for (std::uint32_t lane : event.lanes)
            ++state.reuses[state.program->flags[lane]];
  return state;
}

} // namespace ptosync::synthesis
