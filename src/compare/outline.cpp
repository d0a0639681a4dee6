#include "compare/outline.h"

#include <algorithm>

namespace ptosync::compare {
namespace {

/// Blocks in reading order: of two ways, the one that stays in the loop, or the one taken when the condition holds,
/// comes first.
std::vector<BlockId> readingOrder(const Kernel &kernel, const replay::LoopNest &nest) {
  std::vector<BlockId> finished;
  std::vector<std::uint8_t> seen(kernel.blocks.size(), 0);
  struct Step {
    BlockId block;
    std::vector<BlockId> next; // the last one is followed first
  };
  auto open = [&](BlockId block) {
    seen[block] = 1;
    std::vector<BlockId> next = replay::successorsOf(kernel.blocks[block].terminator);
    replay::LoopId loop = nest.innermost(block);
    // What is followed last stands first in the reversed order.
    if (loop != kNone)
      std::stable_partition(next.begin(), next.end(), [&](BlockId to) { return nest.contains(loop, to); });
    return Step{block, std::move(next)};
  };
  std::vector<Step> stack;
  if (!kernel.blocks.empty())
    stack.push_back(open(0));
  while (!stack.empty()) {
    Step &step = stack.back();
    if (step.next.empty()) {
      finished.push_back(step.block);
      stack.pop_back();
      continue;
    }
    BlockId to = step.next.back();
    step.next.pop_back();
    if (!seen[to])
      stack.push_back(open(to));
  }
  std::reverse(finished.begin(), finished.end());
  return finished;
}

/// True where a block does more than go on behind the one in front of it.
std::vector<bool> boundaries(const Kernel &kernel, const std::vector<BlockId> &order) {
  std::vector<std::uint32_t> arrivals(kernel.blocks.size(), 0);
  std::vector<bool> begins(kernel.blocks.size(), false);
  for (BlockId block : order) {
    std::vector<BlockId> next = replay::successorsOf(kernel.blocks[block].terminator);
    for (BlockId to : next) {
      begins[to] = begins[to] || next.size() > 1 || ++arrivals[to] > 1;
    }
  }
  return begins;
}

class Outliner {
public:
  Outliner(const Kernel &kernel, const replay::LoopNest &nest, const Machine &machine)
      : kernel(kernel), nest(nest), machine(machine), entryOf(nest.loops().size(), kNone) {}

  Outline make() {
    std::vector<BlockId> order = readingOrder(kernel, nest);
    std::vector<bool> begins = boundaries(kernel, order);
    for (BlockId block : order) {
      replay::LoopId loop = nest.innermost(block);
      for (replay::LoopId around : nest.around(block))
        addLoop(around);
      if (begins[block])
        outline.items.push_back({Family::Boundary, "", nullptr, loop});
      for (const Statement &statement : kernel.blocks[block].statements)
        addStatement(statement, loop);
    }
    return std::move(outline);
  }

private:
  void addLoop(replay::LoopId loop) {
    if (entryOf[loop] != kNone)
      return;
    std::size_t entry = outline.loops.size();
    entryOf[loop] = static_cast<std::uint32_t>(entry);
    const replay::Loop &facts = nest.loops()[loop];
    (facts.parent == kNone ? outline.outermost : outline.loops[entryOf[facts.parent]].inner).push_back(entry);
    outline.loops.push_back({loop, facts.line, facts.depth, {}, {}});
  }

  void addStatement(const Statement &statement, replay::LoopId loop) {
    OutlineItem item{Family::Instruction, "", &statement, loop};
    if (const auto *sync = std::get_if<Sync>(&statement.action)) {
      item.family = Family::Sync;
      item.kind = syncKindText(*sync);
    } else if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
      item.family = familyOf(*instruction);
      item.kind = instruction->name;
      if (item.family == Family::Instruction)
        for (; loop != kNone; loop = nest.loops()[loop].parent)
          ++outline.loops[entryOf[loop]].contents[item.kind];
    } else {
      return;
    }
    outline.items.push_back(std::move(item));
  }

  Family familyOf(const Instruction &instruction) const {
    if (firstOf(instruction, Operand::Kind::Fifo))
      return Family::Fifo;
    const InstructionFacts *facts = machine.instruction(instruction.name);
    bool signals = facts && (facts->is("signals") || facts->is("signals-on-pipe") || facts->is("waits-for-signal"));
    return signals ? Family::CrossCore : Family::Instruction;
  }

  const Kernel &kernel;
  const replay::LoopNest &nest;
  const Machine &machine;
  Outline outline;
  std::vector<std::uint32_t> entryOf; // by loop of the nest, into outline.loops
};

} // namespace

const char *familyName(Family family) {
  switch (family) {
  case Family::Instruction: return "instruction";
  case Family::Sync: return "sync";
  case Family::CrossCore: return "cross-core";
  case Family::Fifo: return "fifo";
  case Family::Boundary: return "boundary";
  }
  return "?";
}

std::string syncKindText(const Sync &sync) {
  std::string source(pipeName(sync.source)), destination(pipeName(sync.destination));
  switch (sync.kind) {
  case SyncKind::Barrier: return "pipe_barrier(" + source + ")";
  case SyncKind::SetFlag: return "set_flag(" + source + ", " + destination + ")";
  case SyncKind::WaitFlag: return "wait_flag(" + source + ", " + destination + ")";
  case SyncKind::Tail: return "end fence";
  }
  return "?";
}

Outline outlineOf(const Kernel &kernel, const replay::LoopNest &nest, const Machine &machine) {
  return Outliner(kernel, nest, machine).make();
}

} // namespace ptosync::compare
