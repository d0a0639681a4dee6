// The inputs of a run, and the evaluation of a kernel's scalar expressions with them.
//
//   corpus/computed_places: (uint64_t)q + 4 * n       bits as C++ computes them, form { q once }: a place in what q
//   points to
//                           p - q                     form { p once, q minus once }: no place
//                           (p - q) / 4 + (uint64_t)q computed from p and q: it may be any place
//
// Arithmetic wraps in the width and signedness that the expression types say. Beside its bits a value carries where it
// comes from (number/value.h). What is undefined in C++ or not followed by the frontend is drawn from the memory
// contents of the run and of unknown origin. `c ? a : b` and an element of an array are one of their few values if all
// of them are known. Otherwise a choice of numbers is of unknown origin, and one of pointers or from an array is the
// one that the contents lead to, as a branch is. Where the arguments lie is this run's choice: argument n points to
// address (n + 1) * 2^40, so that two never meet. The form of a number says whose addresses are in it, and how often
// each. A number of form { p once } is a place in what p points to; one without a form is the same for every caller who
// gives the same integers. Any other one might be anything: it is drawn like memory contents, and what two addresses
// are compared by relates them (Decided::related). Tested by tests/replay/run/evaluator_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "replay/number/value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync::replay {

/// Whose addresses are in a number, and how often each.
struct AddressForm {
  std::map<std::uint32_t, std::int64_t> sum; // by argument, never 0 times
  std::set<std::uint32_t> computed;          // arguments whose addresses are in it otherwise
  bool outside = false;                      // and addresses that no argument has
  bool relative = false;                     // `computed` from differences of addresses alone
  auto operator<=>(const AddressForm &) const = default;

  bool plain() const { return sum.empty() && computed.empty() && !outside; }
  /// Returns the argument into whose memory the number leads; empty if it may be any place.
  std::optional<std::uint32_t> place() const;
  /// Returns all arguments whose addresses are in it.
  std::set<std::uint32_t> arguments() const;
  bool isSum() const { return computed.empty() && !outside; }
  /// Returns true if it says nothing of addresses but how they lie to each other.
  bool isRelative() const;
};

/// Returns the form of a place in what the argument points to.
AddressForm addressOf(std::uint32_t argument);
/// Returns `a` plus so many times `b`, as registers of 64 bits count.
AddressForm sumOf(const AddressForm &a, std::int64_t times, const AddressForm &b);
/// Returns the form of anything that is computed from both.
AddressForm computedFrom(const AddressForm &a, const AddressForm &b);

/// The forms of one run by number; 0 is that of a number without addresses.
class AddressForms {
public:
  AddressForms() { (*this)(AddressForm{}); }
  std::uint32_t operator()(const AddressForm &form);
  const AddressForm &operator[](std::uint32_t number) const { return *forms[number]; }

private:
  std::map<AddressForm, std::uint32_t> numbers;
  std::vector<const AddressForm *> forms;
};

/// Everything that decides one run of a kernel. Pointer arguments are no inputs.
struct Inputs {
  std::map<std::uint32_t, std::int64_t> arguments; // integer arguments by number; absent: 1
  std::map<std::string, std::int64_t> queries;     // get_block_idx, ...; absent: one block of one
  // Of `arguments`, those that may be any number as far as places go: nothing else depends on them.
  std::set<std::uint32_t> open;
  std::uint64_t seed = 0; // of the values that memory holds
  // Those of them that were chosen one by one, by the key that they are drawn with.
  std::map<std::uint64_t, std::int64_t> loaded = {};
  // Pointer arguments that point to where another one does; the others point to memory of their own.
  std::map<std::uint32_t, std::uint32_t> sameBuffer = {};
  std::int64_t addressOf(std::uint32_t pointer) const;
  std::int64_t argument(std::uint32_t number) const;
  std::int64_t query(const std::string &name) const;
  bool operator==(const Inputs &) const = default;
};

/// Returns where a pointer argument points to that has memory of its own.
constexpr std::int64_t addressOfArgument(std::uint32_t number) { return (std::int64_t{number} + 1) << 40; }

/// Values that memory may hold, for branches that depend on it.
struct MemoryContents {
  std::uint64_t seed = 0;
  std::vector<std::int64_t> pool = {0, 1, 2, 3};
  const std::map<std::uint64_t, std::int64_t> *chosen = nullptr; // Inputs::loaded; null: none
  // What is drawn is what memory holds in this run, a known number like an argument; not any number.
  bool asDrawn = false;
  /// Returns what was chosen for `key`. Otherwise, seed 0: all zero; seed 1: all one; up to kLastMixed: picked from the
  /// pool by `key`; then all the same number, larger with each seed (lengths and counts that memory holds).
  std::int64_t at(std::uint64_t key) const;
  static constexpr std::uint64_t kLastMixed = 7, kLast = 35;
};

/// Returns "n=3, get_block_idx=0, memory 2"; names the arguments of `kernel`.
std::string describe(const Inputs &inputs, const Kernel &kernel);

/// What a run drew and decided, in order: enough to go through it, or the last iterations of a loop, a second time.
struct TapeEntry {
  enum class Kind : std::uint8_t {
    Branch,   // of block `what`, `value` is 1 if it was taken
    Draw,     // the bits that expression `what` drew, with the key `number`
    Result,   // the bits that an instruction left in variable `what`, with the key `number`
    Skip,     // at a visit of loop `what`: `value` periods of `number` iterations each
    Moved,    // the bits of variable `what` behind such a skip
    Loosened, // the bits drawn for a number made from addresses, which no expression draws: nobody can go through it
              // again
  };
  Kind kind = Kind::Branch;
  std::uint32_t what = 0;
  std::int64_t value = 0;
  std::uint64_t number = 0;
};

using Tape = std::vector<TapeEntry>;

/// Facts of one kernel that its evaluation needs beforehand.
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
  /// Evaluates the index of an array: what an address decides may be any element.
  Value evaluateIndex(ExpressionId id);
  const Value &variable(VariableId id) const { return variables[id]; }
  /// Returns true if what is drawn is known (MemoryContents::asDrawn).
  bool isAsDrawn() const { return contents.asDrawn; }
  /// Converts to the variable's type.
  void assign(VariableId id, Value value);
  /// Returns a value that nothing is known about; the n-th since `startDraws` gets the n-th key.
  Value unknown(IntegerType type);
  /// Returns the key of the last one in the memory contents.
  std::uint64_t lastKey() const { return lastDrawn; }
  /// Makes memory contents from here on depend on `key` alone. `instance` tells every execution of the run from every
  /// other one: equal contents are no reason to take two loads for one.
  void startDraws(std::uint64_t key, std::uint64_t instance);
  /// Writes draws of expressions there from now on; null: nowhere.
  void record(Tape *tape) { recorded = tape; }
  /// Notes that the run goes on as this value says, and would do so otherwise with another one.
  void decide(const Value &value);
  /// Returns true if a signed sum, difference or product of 32 bits or more has overflowed: C++ says nothing of such a
  /// run.
  bool overflowed() const { return overflow; }
  /// Returns which arms of `a ? b : c` were taken, by expression: 1 the first, 2 the second; both where memory decides
  /// and the value stands for either.
  std::uint8_t armsOf(ExpressionId choice) const { return choice < arms.size() ? arms[choice] : 0; }
  /// Returns which numbers below 64 an event id, an index or a comparison was, a bit for each, by expression; all of
  /// them where its value stands for any.
  std::uint64_t numbersOf(ExpressionId number) const { return number < numbers.size() ? numbers[number] : 0; }
  /// Notes that one was so.
  void noteNumber(ExpressionId number, const Value &value);
  /// Returns what has been decided on since the beginning.
  const Decided &decided() const { return decisions; }
  /// Returns true if memory contents had a part in it.
  bool memoryDecided() const { return byMemory; }

private:
  Value drawn(ExpressionId id);
  Value binary(ExpressionId id, const Expression &e);
  Value arithmetic(ExpressionId id, const Expression &e, const Value &left, const Value &right);
  // Arithmetic on addresses of arguments.
  Value addressed(ExpressionId id, const Expression &e, const Value &left, const Value &right);
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
  void noteAllNumbers(ExpressionId number);
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
  std::vector<std::uint8_t> arms;     // by expression
  std::vector<std::uint64_t> numbers; // likewise
};

} // namespace ptosync::replay
