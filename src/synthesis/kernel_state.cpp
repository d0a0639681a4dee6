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
  auto found = numbers.find(analysis.program().nodes[node].statement);
  return found == numbers.end() ? static_cast<std::size_t>(kNone) : found->second;
}

OpenPair KernelState::pairOf(const ConflictPair &pair) const {
  const Program &program = analysis.program();
  const NodeId earlier = program.nodeOfBit[pair.bit];
  return {numberOf(earlier), numberOf(pair.later), pair.kind, program.nodes[earlier].pipe,
          program.nodes[pair.later].pipe};
}

/// The flags that a set names, with what its copies for a loop's phases name.
static std::vector<std::uint32_t> flagsSetBy(const Program &program, NodeId set) {
  if (program.nodes[set].libraryFlag != kNone)
    return {program.nodes[set].libraryFlag};
  std::vector<std::uint32_t> flags;
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.node == set)
        flags.insert(flags.end(), event.lanes.begin(), event.lanes.end());
  return flags;
}

static void note(const OpenObligation &open, KernelState &state) {
  const Program &program = state.analysis.program();
  const NodeId earlier = program.nodeOfBit[open.pair.bit];
  switch (open.kind()) {
  case ObligationKind::Conflict:
    (open.silenced == Excuse::Silenced ? state.silenced : state.open).insert(state.pairOf(open.pair));
    return;
  case ObligationKind::Fence: state.fences.insert(state.pairOf(open.pair)); return;
  case ObligationKind::FlagReuse:
    for (std::uint32_t flag : flagsSetBy(program, open.pair.later)) {
      ++state.reuses[program.flags[flag]];
      state.reusePairs.insert({program.flags[flag], state.analysis.pending().siteOf(earlier),
                               state.analysis.pending().siteOf(open.pair.later)});
    }
    return;
  case ObligationKind::End:
    if (!program.nodes[earlier].isFlag())
      state.atEnd.insert(state.numberOf(earlier));
    return;
  }
}

llvm::Expected<KernelState> analyseKernel(const Kernel &kernel, const Machine &machine,
                                          const OrderingOptions &options) {
  llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options);
  if (!analysis)
    return analysis.takeError();
  KernelState state{std::move(*analysis), {}, {}, {}, {}, {}, {}, {}, {}};
  for (const Statement *statement : numberedStatements(kernel))
    state.numbers.emplace(statement, state.numbers.size());
  for (const OpenObligation &open : state.analysis.pending().open())
    note(open, state);
  for (const TokenEvent &fault : state.analysis.pending().tokenFaults())
    ++state.faults[state.analysis.program().flags[fault.flag]];
  if (options.allowance.exceeded()) // the fixpoint has not come to its end
    return llvm::createStringError(options.allowance.reason());
  return state;
}

} // namespace ptosync::synthesis
