// Concrete evaluation of a kernel's scalar expressions, as C++ computes them.
//
// Arithmetic wraps in the width and signedness that the expression types say. Beside its bits a
// value carries where it comes from (value.h); what is undefined in C++ or not followed by the
// frontend is drawn from the memory contents of the run and of unknown origin. `c ? a : b` and an
// element of an array are one of their few values if all of them are known. Otherwise a choice of
// numbers is of unknown origin, and one of pointers or from an array is the one that the contents
// lead to, as a branch is.
// Where the arguments lie is this run's choice: what is computed from their addresses, and is not a place in what one
// of them points to, is drawn like memory contents, and what two of them are compared by relates them
// (Decided::related). Tested by tests/replay/evaluator_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "replay/address_form.h"
#include "replay/inputs.h"
#include "replay/tape.h"
#include "replay/value.h"

#include <optional>
#include <set>
#include <vector>

namespace ptosync::replay {

/// What the evaluation of one kernel needs to know beforehand.
struct ScalarFacts {
  ScalarFacts(const Kernel &kernel, const Machine &machine);
  std::set<std::uint32_t> pointerArguments; // numbers of the arguments that are pointers
  std::vector<Region> regions;              // of tile address variables, by variable
  std::int64_t largestTensor = INT64_MAX;   // bytes
  AddressForm escaped;                      // addresses that whatever is unknown may be made from
};

class Evaluator {
public:
  Evaluator(const Kernel &kernel, const ScalarFacts &facts, const Inputs &inputs, MemoryContents contents);

  Value evaluate(ExpressionId id);
  /// Of an array: what an address decides may be any element.
  Value evaluateIndex(ExpressionId id);
  const Value &variable(VariableId id) const { return variables[id]; }
  /// Converts to the variable's type.
  void assign(VariableId id, Value value);
  /// A value that nothing is known about; the n-th since `startDraws` gets the n-th key.
  Value unknown(IntegerType type);
  /// The key of the last one in the memory contents.
  std::uint64_t lastKey() const { return lastDrawn; }
  /// Memory contents from here on depend on `key` alone. `instance` tells every execution of the run from every other
  /// one: equal contents are no reason to take two loads for one.
  void startDraws(std::uint64_t key, std::uint64_t instance);
  /// Draws of expressions are written there from now on; null: nowhere.
  void record(Tape *tape) { recorded = tape; }
  /// The run goes on as this value says, and would do so otherwise with another one.
  void decide(const Value &value);
  /// True if a signed sum, difference or product of 32 bits or more has overflowed: C++ says nothing of such a run.
  bool overflowed() const { return overflow; }
  /// Which arms of `a ? b : c` were taken, by expression: 1 the first, 2 the second; both where memory decides and the
  /// value stands for either.
  std::uint8_t armsOf(ExpressionId choice) const { return choice < arms.size() ? arms[choice] : 0; }
  /// What has been decided on since the beginning.
  const Decided &decided() const { return decisions; }
  /// True if memory contents had a part in it.
  bool memoryDecided() const { return byMemory; }
  /// Unchecked: to put back what `variable` gave.
  void restore(VariableId id, const Value &value) { variables[id] = value; }

private:
  Value drawn(ExpressionId id);
  Value binary(ExpressionId id, const Expression &e);
  Value arithmetic(ExpressionId id, const Expression &e, const Value &left, const Value &right);
  // evaluator_address.cpp
  Value addressed(ExpressionId id, const Expression &e, Value left, Value right);
  Value compareAddresses(ExpressionId id, const Expression &e, const Value &left, const Value &right);
  std::optional<AddressForm> linear(const Expression &e, const Value &left, const Value &right) const;
  Value loosened(const Value &value, IntegerType type);
  Value formed(Value value, const AddressForm &form);
  void relate(const std::set<std::uint32_t> &some, const std::set<std::uint32_t> &others);
  bool goesFar(const Value &value) const;
  bool goesFar(const Expression &e, const Value &result, const Value &left, const Value &right) const;
  Value convert(Value value, IntegerType type);
  Value cast(const Expression &e);
  Value unary(ExpressionId id, const Expression &e);
  Value select(ExpressionId id, const Expression &e);
  Range chosenRange(const Expression &e, const Range &either, const Range &whenTrue, const Range &whenFalse) const;
  bool isSame(ExpressionId one, ExpressionId other) const;
  Value element(ExpressionId id, const Expression &e);
  std::optional<Choices> elementChoices(const Expression &e, const Value &index) const;
  void noteOverflow(Operator op, IntegerType type, std::int64_t left, std::int64_t right);
  void noteArms(ExpressionId choice, std::uint8_t taken);
  static Value settled(const Value &value, IntegerType type);
  Value fewOf(const Value &value);
  Value sampled(const Value &value, Choices choices);
  Value parameter(const Expression &e);
  Value query(const Expression &e) const;

  const Kernel &kernel;
  const ScalarFacts &facts;
  const Inputs &inputs;
  MemoryContents contents;
  AddressForms forms;
  std::vector<Value> variables;
  std::uint64_t drawKey = 0, drawInstance = 0, drawCount = 0, lastDrawn = 0;
  std::set<Choices> knownChoices; // values point to them
  Decided decisions;
  bool byMemory = false, overflow = false;
  Tape *recorded = nullptr;
  std::vector<std::uint8_t> arms;
};

} // namespace ptosync::replay
