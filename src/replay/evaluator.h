// Concrete evaluation of a kernel's scalar expressions, as C++ computes them.
//
// Arithmetic wraps in the width and signedness that the expression types say. Beside its bits a
// value carries where it comes from (value.h); what is undefined in C++ or not followed by the
// frontend is drawn from the memory contents of the run and of unknown origin. `c ? a : b` and an
// element of an array are one of their few values if all of them are known. Otherwise a choice of
// numbers is of unknown origin, and one of pointers or from an array is the one that the contents
// lead to, as a branch is.
// Tested by tests/replay/evaluator_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "replay/inputs.h"
#include "replay/value.h"

#include <optional>
#include <set>
#include <vector>

namespace ptosync::replay {

/// What the evaluation of one kernel needs to know beforehand.
struct ScalarFacts {
  ScalarFacts(const Kernel &kernel, const Machine &machine);
  std::set<std::uint32_t> pointerArguments; // numbers of the arguments used as addresses
  std::vector<Region> regions;              // of tile address variables, by variable
};

class Evaluator {
public:
  Evaluator(const Kernel &kernel, const ScalarFacts &facts, const Inputs &inputs, MemoryContents contents);

  Value evaluate(ExpressionId id);
  const Value &variable(VariableId id) const { return variables[id]; }
  /// Converts to the variable's type.
  void assign(VariableId id, Value value);
  /// A value that nothing is known about; the n-th since `startDraws` gets the n-th key.
  Value unknown(IntegerType type);
  /// Memory contents from here on depend on `key` alone. `instance` tells every execution of the run from every other
  /// one: equal contents are no reason to take two loads for one.
  void startDraws(std::uint64_t key, std::uint64_t instance);
  /// For trying things out: the draws go on after `setDraws` as they would have from `draws`.
  std::uint64_t draws() const { return drawCount; }
  void setDraws(std::uint64_t count) { drawCount = count; }
  /// The run goes on as this value says, and would do so otherwise with another one.
  void decide(const Value &value);
  /// What has been decided on since the beginning.
  const Decided &decided() const { return decisions; }
  /// True if memory contents had a part in it.
  bool memoryDecided() const { return byMemory; }
  /// Unchecked: to put back what `variable` gave.
  void restore(VariableId id, const Value &value) { variables[id] = value; }

private:
  Value binary(const Expression &e);
  Value convert(Value value, IntegerType type);
  Value cast(const Expression &e);
  Value unary(const Expression &e);
  Value select(const Expression &e);
  Range chosenRange(const Expression &e, const Range &either, const Range &whenTrue, const Range &whenFalse) const;
  bool isSame(ExpressionId one, ExpressionId other) const;
  Value element(const Expression &e);
  std::optional<Choices> elementChoices(const Expression &e, const Value &index) const;
  static Value settled(const Value &value, IntegerType type);
  Value fewOf(const Value &value);
  Value sampled(const Value &value, Choices choices);
  Value parameter(const Expression &e) const;
  Value query(const Expression &e) const;

  const Kernel &kernel;
  const ScalarFacts &facts;
  const Inputs &inputs;
  MemoryContents contents;
  std::vector<Value> variables;
  std::uint64_t drawKey = 0, drawInstance = 0, drawCount = 0;
  std::set<Choices> knownChoices; // values point to them
  Decided decisions;
  bool byMemory = false;
};

} // namespace ptosync::replay
