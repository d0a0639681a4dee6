// One run of a kernel's control flow with concrete arguments, followed through the steps of its program.
//
// Expressions are computed as C++ does, from the lifted kernel, by no code of src/ordering. The program must have a
// path of steps for the run: an edge that a run takes and the program has not is an order that the analysis does not
// see.
#pragma once

#include "ordering/program.h"

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptosync::test {

class ConcreteWalk {
public:
  ConcreteWalk(const Program &program, std::map<std::string, std::int64_t> arguments)
      : program(program), kernel(*program.kernel), arguments(std::move(arguments)), values(kernel.variables.size(), 0) {
  }

  /// Runs to the kernel's end or for `most` blocks; false if the program loses the run on the way.
  bool run(std::size_t most = 20000) {
    BlockId block = program.graph->order().front();
    at = {program.order.front()};
    for (std::size_t count = 0; count < most; ++count) {
      visited.push_back(block);
      for (const Statement &statement : kernel.blocks[block].statements)
        if (const auto *assign = std::get_if<Assign>(&statement.action))
          values[assign->variable] = wrapTo(kernel.variables[assign->variable].type, value(assign->value));
      const Terminator &end = kernel.blocks[block].terminator;
      if (end.kind == Terminator::Kind::Return)
        return true;
      BlockId next = end.kind == Terminator::Kind::Jump || value(end.condition) != 0 ? end.whenTrue : end.whenFalse;
      mostSteps = std::max(mostSteps, at.size());
      if (!follow(next)) {
        lostAt = kernel.blocks[block].terminator.line;
        return false;
      }
      block = next;
    }
    return true;
  }

  std::uint32_t lostAt = 0;  // line of the branch at which the run was lost
  std::size_t mostSteps = 0; // steps that the run may have been in at once
  std::vector<BlockId> visited;

private:
  bool follow(BlockId next) {
    std::set<StepId> reached;
    for (StepId step : at)
      for (const Edge &edge : program.edges[step])
        if (program.blockOf[edge.to] == next)
          reached.insert(edge.to);
    // A loop whose first trip is certain is entered behind its test.
    const Terminator &test = kernel.blocks[next].terminator;
    bool behind =
        reached.empty() && !passedTest && program.steps[next].empty() && test.kind == Terminator::Kind::Branch;
    if (behind)
      for (StepId step : at)
        for (const Edge &edge : program.edges[step])
          behind = behind && program.blockOf[edge.to] == test.whenTrue;
    passedTest = behind;
    if (!behind)
      at = std::move(reached);
    return !at.empty();
  }

  std::int64_t value(ExpressionId id) const {
    const Expression &e = kernel.expressions[id];
    switch (e.kind) {
    case Expression::Kind::Constant: return e.constant;
    case Expression::Kind::Variable: return values[e.variable];
    case Expression::Kind::Cast: {
      std::int64_t inner = value(e.operands[0]);
      return e.type == kBoolean ? inner != 0 : wrapTo(e.type, inner);
    }
    case Expression::Kind::Unary: {
      std::int64_t inner = value(e.operands[0]);
      if (e.op == Operator::LogicalNot)
        return inner == 0;
      return wrapTo(e.type, e.op == Operator::Negate ? wrappedDifference(0, inner) : ~inner);
    }
    case Expression::Kind::Binary: {
      std::int64_t result = 0;
      if (!applyOperator(e.op, kernel.expressions[e.operands[0]].type, value(e.operands[0]), value(e.operands[1]),
                         result))
        throw std::runtime_error("undefined");
      return wrapTo(e.type, result);
    }
    case Expression::Kind::Select: return value(e.operands[value(e.operands[0]) ? 1 : 2]);
    case Expression::Kind::Parameter: {
      auto given = arguments.find(e.name);
      return given == arguments.end() ? 0 : wrapTo(e.type, given->second);
    }
    default: return 0;
    }
  }

  const Program &program;
  const Kernel &kernel;
  std::map<std::string, std::int64_t> arguments;
  std::vector<std::int64_t> values; // by variable
  std::set<StepId> at;
  bool passedTest = false;
};

} // namespace ptosync::test
