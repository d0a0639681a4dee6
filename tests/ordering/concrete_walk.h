// One run of a kernel's control flow with concrete arguments, followed through the steps of its program.
//
// A value that no argument decides is 0 (concrete_run.h). The program must have a path of steps for the run: an edge
// that a run takes and the program has not is an order that the analysis does not see.
#pragma once

#include "ordering/concrete_run.h"
#include "ordering/program.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::test {

class ConcreteWalk {
public:
  ConcreteWalk(const Program &program, const std::map<std::string, std::int64_t> &arguments)
      : program(program), kernel(*program.kernel), scalars(kernel, byNumber(kernel, arguments)) {}

  /// Runs to the kernel's end or for `most` blocks; false if the program loses the run on the way.
  bool run(std::size_t most = 20000) {
    BlockId block = program.graph->order().front();
    at = {program.order.front()};
    for (std::size_t count = 0; count < most; ++count) {
      visited.push_back(block);
      for (const Statement &statement : kernel.blocks[block].statements)
        scalars.run(statement);
      const Terminator &end = kernel.blocks[block].terminator;
      if (end.kind == Terminator::Kind::Return)
        return true;
      BlockId next =
          end.kind == Terminator::Kind::Jump || scalars.value(end.condition) != 0 ? end.whenTrue : end.whenFalse;
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

  /// By parameter number; 0 where no name is given.
  static std::vector<std::int64_t> byNumber(const Kernel &kernel, const std::map<std::string, std::int64_t> &byName) {
    std::vector<std::int64_t> values;
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id) {
      const Expression &e = kernel.expressions[id];
      if (e.kind != Expression::Kind::Parameter)
        continue;
      const auto number = static_cast<std::size_t>(e.constant);
      values.resize(std::max(values.size(), number + 1), 0);
      if (auto given = byName.find(e.name); given != byName.end())
        values[number] = given->second;
    }
    return values;
  }

  const Program &program;
  const Kernel &kernel;
  ConcreteRun scalars;
  std::set<StepId> at;
  bool passedTest = false;
};

} // namespace ptosync::test
