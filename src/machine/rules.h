// Holds the machine's ordering rules, resolved once: what each rule may do (`use`), and its parameters.
//
// The reader fills these from src/machine/*.json and refuses a rule whose parameters are missing or whose use makes no
// sense for it; everybody else asks here and never for a rule's id. A rule that the file does not have is empty.
// docs/machine.md lists the rules. Tested by tests/machine/rules_test.cpp.
#pragma once

#include "kernel/pipe.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

/// Says how sure the sources are: A several agree, B one is authoritative, C they contest it, D it is open.
enum class Grade : std::uint8_t { A, B, C, D };

/// Returns true for facts that may be held against a kernel. Contested and open ones never may.
inline bool established(Grade grade) { return grade <= Grade::B; }

enum class RuleUse : std::uint8_t {
  Justify,  // may justify taking a sync out
  Silence,  // silences findings, justifies nothing
  Conflict, // adds a conflict
};

/// A rule in the words of the file, for messages and documentation.
struct MachineRule {
  std::string id, title, evidence, grade;
  RuleUse use = RuleUse::Silence;
  std::map<std::string, std::string> text;     // string parameters
  std::map<std::string, std::int64_t> numbers; // numeric parameters
  std::map<std::string, std::vector<std::string>> lists;
};

/// The order in which the 256-byte repeats of an instruction go over one operand.
enum class AccessOrder : std::uint8_t {
  Unknown,
  Sequential,  // first byte to last
  Elementwise, // that, if all tiles of the call have one shape; otherwise that or Columns
  Rows,        // whole repeats of all rows, then their ends: sequential if a row is a whole number of repeats or one
  Columns,     // the first repeat of every row, then the second of every row; or sequential
  Reduce,      // the first two repeats of each row together, then the ends of rows, then the third; or sequential
};

/// The rule that all work of `pipe` is in order.
struct PipeOrderRule {
  RuleUse use = RuleUse::Silence;
  Pipe pipe = Pipe::S;
};

/// The rule that a byte is in order if it is read at least `minRepeats` repeats of `repeatBytes` bytes after it was
/// written.
struct ChainRule {
  RuleUse use = RuleUse::Silence;
  Pipe pipe = Pipe::V;
  std::int64_t minRepeats = 0, repeatBytes = 0;
};

/// The rule that accumulation into one accumulator is in order if the result has at least `minFractals` squares of
/// `fractalSide` and the inputs have one of the widths `inputBits`. Smaller results need a sync.
struct AccumulateFractalsRule {
  RuleUse use = RuleUse::Silence;
  Pipe pipe = Pipe::M;
  std::int64_t minFractals = 0, fractalSide = 0;
  std::set<std::int64_t> inputBits;
  Grade below = Grade::D; // how sure it is that results below the bound are not ordered
};

/// The rule for instructions that copy inside a memory, on the pipe that their forms name.
struct CopyRule {
  RuleUse use = RuleUse::Silence;
  std::set<std::string> instructions;
};

struct OrderingRules {
  std::optional<RuleUse> scalarOrder, scalarWaitDispatch, libraryScratch, argumentsDistinct, readReadConflict;
  std::optional<ChainRule> chain;
  std::optional<PipeOrderRule> vectorOrder, loadOrder, accumulateOrder;
  std::optional<AccumulateFractalsRule> accumulateFractals;
  std::optional<CopyRule> copies;

  bool scalarInOrder() const { return scalarOrder == RuleUse::Justify; }
  bool scratchInOrder() const { return libraryScratch == RuleUse::Justify; }
  bool argumentsApart() const { return argumentsDistinct == RuleUse::Justify; }
  bool readsConflict() const { return readReadConflict == RuleUse::Conflict; }
  /// Returns true if `instruction` is a copy that must count as an opaque fence.
  bool opaqueCopy(const std::string &instruction, bool strict) const {
    return copies && (strict || copies->use != RuleUse::Justify) && copies->instructions.count(instruction) != 0;
  }
};

} // namespace ptosync
