#include "ordering/steady_loads.h"

#include "base/walk.h"
#include "ordering/program.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace ptosync {
namespace {

const char *const kLoad = "scalar.load";

class SteadyLoads {
public:
  explicit SteadyLoads(const Program &program)
      : program(program), kernel(*program.kernel), graph(*program.graph),
        comparer(
            program.scalars->algebra(), graph,
            {program.globalMemory, program.options.argumentsMayAlias || !program.machine->rules().argumentsApart()}) {}

  std::map<StatementPlace, MemoryState> run() {
    findLoads();
    if (loads.empty())
      return {};
    findWatchingLoops();
    numberStates();
    return std::move(states);
  }

private:
  const Instruction *instructionAt(BlockId block, std::size_t index) const {
    return std::get_if<Instruction>(&kernel.blocks[block].statements[index].action);
  }

  /// Finds the loads of arguments that nothing in the kernel may write to.
  void findLoads() {
    std::vector<const Access *> writes;
    for (const Node &node : program.nodes)
      for (const Access &access : node.accesses)
        if (access.writes && access.space == program.globalMemory)
          writes.push_back(&access);
    for (const Node &node : program.nodes) {
      const auto *instruction = std::get_if<Instruction>(&node.statement->action);
      if (!instruction || instruction->name != kLoad || instruction->isVolatile || instruction->results.size() != 1 ||
          node.accesses.size() != 1 || node.accesses.front().space != program.globalMemory)
        continue;
      const Access &read = node.accesses.front();
      if (std::none_of(writes.begin(), writes.end(), [&](const Access *write) { return mayMeet(*write, read); }))
        loads.insert(node.statement);
    }
  }

  /// Returns true if the two may be in one argument, wherever in it they are.
  bool mayMeet(Access write, Access read) const {
    write.bytes.reset();
    read.bytes.reset();
    return comparer.mayOverlap(write, kNone, read, kNone, {});
  }

  /// Finds the loops that wait for memory to change: they are left by what they load, and do no work.
  void findWatchingLoops() {
    watching.assign(graph.loops().size(), false);
    for (LoopId loop = 0; loop < graph.loops().size(); ++loop)
      watching[loop] = !works(loop) && isLeftByLoads(loop);
  }

  bool works(LoopId loop) const {
    for (BlockId block : graph.loops()[loop].blocks)
      for (const Statement &statement : kernel.blocks[block].statements) {
        const auto *instruction = std::get_if<Instruction>(&statement.action);
        if (instruction && instruction->name != kLoad && !dealsWithOthers(*instruction))
          return true;
      }
    return false;
  }

  /// Returns true if what a loop loads may be part of a condition in it.
  bool isLeftByLoads(LoopId loop) const {
    std::set<VariableId> asked; // what conditions in the loop are made of
    auto ask = [&](ExpressionId id) {
      std::size_t before = asked.size();
      if (id != kNone)
        forEachVariable(kernel.expressions, id, [&](VariableId variable) { asked.insert(variable); });
      return asked.size() > before;
    };
    for (BlockId block : graph.loops()[loop].blocks)
      ask(kernel.blocks[block].terminator.condition);
    for (bool more = true; more;) {
      more = false;
      for (BlockId block : graph.loops()[loop].blocks)
        for (const Statement &statement : kernel.blocks[block].statements) {
          if (const auto *assign = std::get_if<Assign>(&statement.action))
            more = (asked.count(assign->variable) && ask(assign->value)) || more;
          else if (const auto *store = std::get_if<ArrayStore>(&statement.action))
            more = ask(store->value) || more; // whichever element it is
          else if (const auto *load = std::get_if<Instruction>(&statement.action))
            for (VariableId result : load->results)
              if (asked.count(result))
                return true;
        }
    }
    return false;
  }

  bool isWatching(BlockId block) const {
    for (LoopId loop = graph.loopOf(block); loop != kNone; loop = graph.loops()[loop].parent)
      if (watching[loop])
        return true;
    return false;
  }

  bool dealsWithOthers(const Instruction &instruction) const {
    Effects effects = effectsOf(kernel, instruction, *program.machine, program.options.trust);
    return !effects.known || effects.fence != FenceKind::None || instruction.isVolatile;
  }

  MemoryState stateOf(const std::string &what, BlockId block) const { return {what, graph.loopOf(block)}; }

  /// The state in front of a block: the one that all paths bring, or one of its own.
  MemoryState entryOf(BlockId block) const {
    std::optional<MemoryState> state;
    for (BlockId before : graph.predecessors(block)) {
      auto left = leaving.find(before);
      if (left == leaving.end())
        continue; // not reached yet
      LoopId around = graph.backEdge(before, block);
      const MemoryState &coming = left->second;
      // What a loop's iteration left is not what the next one has, nor what is behind the loop.
      bool other = (around != kNone && coming.scope != kNone && graph.encloses(around, coming.scope)) ||
                   (coming.scope != kNone && !graph.loopContains(coming.scope, block)) || (state && *state != coming);
      if (other)
        return stateOf("join" + std::to_string(block), block);
      state = coming;
    }
    return state.value_or(MemoryState{"start", kNone});
  }

  void numberStates() {
    Worklist work(graph.order());
    work.add(graph.order().front());
    while (std::optional<BlockId> block = work.next()) {
      MemoryState state = joined.count(*block) ? stateOf("join" + std::to_string(*block), *block) : entryOf(*block);
      if (state.key == "join" + std::to_string(*block))
        joined.insert(*block); // once joined for good, so that this ends
      const std::vector<Statement> &statements = kernel.blocks[*block].statements;
      for (std::size_t i = 0; i < statements.size(); ++i) {
        const Instruction *instruction = instructionAt(*block, i);
        if (!instruction)
          continue;
        if (dealsWithOthers(*instruction) || (instruction->name == kLoad && isWatching(*block)))
          state = stateOf("at" + std::to_string(*block) + "." + std::to_string(i), *block);
        else if (loads.count(&statements[i]))
          states[{*block, i}] = state;
      }
      auto [left, inserted] = leaving.try_emplace(*block, state);
      if (!inserted && left->second == state)
        continue;
      left->second = state;
      for (BlockId next : graph.successors(*block))
        work.add(next);
    }
  }

  const Program &program;
  const Kernel &kernel;
  const FlowGraph &graph;
  AccessComparer comparer;
  std::set<const Statement *> loads; // of what nothing writes to
  std::vector<bool> watching;        // by loop
  std::map<BlockId, MemoryState> leaving;
  std::set<BlockId> joined;
  std::map<StatementPlace, MemoryState> states;
};

} // namespace

std::map<StatementPlace, MemoryState> steadyLoads(const Program &program) { return SteadyLoads(program).run(); }

} // namespace ptosync
