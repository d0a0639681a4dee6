// Scalar values at every statement of a kernel: tile addresses, event ids, conditions.
//
//   Kernel + FlowGraph --forward dataflow--> ScalarValue of each expression where it is used
//
// Loop counters (one `v = v + c` per iteration) become Counter atoms; where control flow joins,
// different constants become a Choice, anything else an opaque atom of that join. Variables with
// one definition that dominates all uses are kept once; only the others flow from block to block.
// Sound: iterated to a fixpoint, joins only lose knowledge. Does not follow memory: what is unknown may be made from
// the addresses that the frontend says have escaped. What the text compares of addresses is collected
// (argument_relations.h). Tested by tests/ordering/scalar_analysis_test.cpp.
#pragma once

#include "base/allowance.h"
#include "base/shared_list.h"
#include "kernel/kernel.h"
#include "machine/effects.h"
#include "ordering/flow_graph.h"
#include "ordering/scalar_value.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// A statement, by block and position.
using StatementPlace = std::pair<BlockId, std::size_t>;

/// What a load finds in memory that its kernel does not write to (program.h): one state in one iteration of
/// `scope`.
struct MemoryState {
  std::string key;
  LoopId scope = kNone; // kNone: for the whole run
  bool operator==(const MemoryState &) const = default;
};

/// Iterations of a loop, where it counts with a constant step from a known start.
struct TripFacts {
  std::optional<bool> firstTripCertain; // false: never entered; empty: not decided
  std::optional<std::int64_t> trips;    // exact number of iterations
};

class ScalarAnalysis {
public:
  /// `assigns` tells which operands an instruction gives an address (FIFO pops).
  /// `steady` tells of loads that give one value wherever they stand; any other one gives a value of its own.
  /// No tensor is longer than `largestTensor` bytes. Past the allowance the values are none: base/allowance.h.
  ScalarAnalysis(const Kernel &kernel, const FlowGraph &graph, std::function<Assigns(const Instruction &)> assigns,
                 std::map<StatementPlace, MemoryState> steady = {}, std::int64_t largestTensor = INT64_MAX,
                 Allowance allowance = {});

  /// Calls `visit(block, index)` for every statement in reverse post-order, with the state in
  /// front of that statement (of a FIFO pop: behind its placing of the tile); then for the
  /// terminator with index == statements.size().
  /// Inside the visit, `value` evaluates expressions and variables there.
  void forEachStatement(const std::function<void(BlockId, std::size_t)> &visit);

  ScalarValue value(ExpressionId expression);
  ScalarValue variable(VariableId variable);
  ScalarAlgebra &algebra() { return scalars; }
  const ScalarAlgebra &algebra() const { return scalars; }
  const TripFacts &trips(LoopId loop) const { return tripFacts[loop]; }

private:
  const Allowance allowance;
  using Environment = SharedList<std::optional<ScalarValue>>; // of flowing variables
  struct Definition {
    BlockId block;
    std::size_t index;
    ExpressionId value;         // kNone: not an assignment of one expression
    std::int64_t increment = 0; // not 0: adds this to the variable
  };
  void collectDefinitions();
  void collectUse(ExpressionId expression, BlockId block, std::size_t index);
  void classifyVariables();
  void enterVariable(std::uint32_t flowing, BlockId block, const std::vector<BlockId> &done);
  void findInductions();
  std::optional<std::int64_t> inductionStep(VariableId variable, const Definition &definition);
  std::optional<std::int64_t> stepInLoop(VariableId variable, LoopId loop);
  ScalarValue slotAddress(const Fifo &fifo, std::int64_t slots, const Tile &tile, const ScalarValue &ring,
                          const std::string &place, LoopId scope);
  void solve();
  void enterBlock(BlockId block);
  void refineByCondition(BlockId block);
  ScalarValue join(std::uint32_t flowing, BlockId block, const std::vector<const ScalarValue *> &incoming, bool stale);
  bool changesIn(const ScalarValue &value, LoopId loop) const;
  std::optional<ScalarValue> inductionValue(VariableId variable, BlockId header, const ScalarValue &start);
  bool leavesByTest(LoopId loop) const;
  Interval boundOf(ExpressionId bound, LoopId loop, const ScalarValue &start, std::int64_t step);
  void execute(const Statement &statement, BlockId block, std::size_t index);
  std::optional<ScalarValue> loaded(const Instruction &load, BlockId block, std::size_t index);
  void define(VariableId variable, ScalarValue value);
  void defineResults(const Instruction &instruction, const std::optional<ScalarValue> &same, const std::string &place,
                     LoopId scope);
  void assignFifo(const Statement &statement, Assigns assigned, BlockId block, std::size_t index);
  void computeTrips();
  void countTrips(LoopId loop, Operator op, const ScalarValue &left, const ScalarValue &right);
  std::optional<std::int64_t> valueInTrip(const ScalarValue &value, LoopId loop, std::int64_t trip) const;
  ScalarValue evaluate(ExpressionId expression);
  ScalarValue converted(ScalarValue value, IntegerType type);
  std::string keyHere(const char *what, ExpressionId expression) const;
  ScalarValue binary(const Expression &e, LoopId scope);
  ScalarValue element(ExpressionId id, LoopId scope);
  ScalarValue parameter(const Expression &e);
  void assumeRelations();
  ScalarValue unknown(std::string key, LoopId scope, IntegerType type);
  ScalarValue unknownVariable(VariableId variable) const;

  const Kernel &kernel;
  const FlowGraph &graph;
  std::function<Assigns(const Instruction &)> assignsOf;
  std::map<StatementPlace, MemoryState> steadyLoads;
  ScalarAlgebra scalars;
  std::vector<std::vector<Definition>> definitions; // by variable
  std::vector<bool> useBeforeDefinition;            // by variable
  std::vector<std::uint32_t> flowIndex;             // by variable; kNone: settled once
  std::vector<VariableId> flowing;
  std::vector<std::optional<ScalarValue>> settled;                        // by variable
  std::vector<std::optional<std::pair<LoopId, std::int64_t>>> inductions; // by variable: loop, step
  std::vector<std::optional<ScalarValue>> starts;       // of those, by flowing variable, in front of their loop
  std::vector<std::vector<std::uint32_t>> inductionsOf; // by header: flowing variables, ascending
  std::vector<Environment> blockOut;
  std::vector<bool> blockDone;
  Environment environment;
  BlockId currentBlock = 0;
  std::size_t currentIndex = 0;
  int pass = 0;
  bool unsettled = false;     // flowing variables found no fixpoint in time
  ArgumentSet unfollowed = 0; // addresses that may be in whatever is unknown
  std::vector<TripFacts> tripFacts;
};

} // namespace ptosync
