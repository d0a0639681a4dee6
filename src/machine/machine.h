// The machine model: pipes, memories, rules and instructions of one architecture, as data.
//
// Read from src/machine/a3.json or a5.json (embedded in the binary) or from a file the user
// gives. Every fact carries an evidence grade:
// A several sources, B one authoritative source, C contested, D open. The model is conservative:
// where sources disagree it lists the union of what they say.
// Tested by tests/machine/machine_test.cpp.
#pragma once

#include "machine/instruction_table.h"
#include "machine/rules.h"

#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

struct MemorySpace {
  std::string name;               // "UB", "L1", "GM", ...
  std::uint64_t bytes = 0;        // 0: unbounded
  std::vector<std::string> tiles; // tile locations that live here
  /// False only if no other core, of whichever kind, reads or writes it. True where the model says nothing.
  bool sharedBetweenCores = true;
};

enum class IdFolding : std::uint8_t {
  None,   // an id is what it is
  Folds,  // only the low bits count
  Either, // it is open which
};

/// What an architecture does not have, so that a text which uses it was not made for it. `calls` are spelled as in
/// CalledName: "TMATMUL_MX", "pipe_barrier(PIPE_V)".
struct AbsentFact {
  Section section = Section::Both; // Both: in either core
  std::vector<std::string> calls;
  Grade grade = Grade::D;
};

/// Ids of the flags between the cores that library calls use themselves: nobody else may use them beside such a call.
struct ReservedIds {
  std::vector<std::string> calls; // names of instructions, called with `arguments` of them
  std::size_t arguments = 0;
  std::vector<std::int64_t> ids;
  Grade grade = Grade::D;
};

/// A macro that the chip's compiler or the library defines, or certainly does not. An architecture may have chips of
/// several numbers: then there is a value for each of them, in the same order for every macro, and one for all
/// otherwise.
struct MacroFact {
  std::string name;
  std::vector<std::optional<std::string>> values; // never empty; nothing: not defined
  Section section = Section::Both;                // in code of this core alone
  bool byLibrary = false;
  Grade grade = Grade::D;
};

class Machine {
public:
  /// `name` is used in messages. Errors name file, line, JSON pointer and what was expected.
  static llvm::Expected<Machine> parse(std::string_view json, std::string_view name);
  /// The built-in model of "a3" or "a5".
  static llvm::Expected<Machine> builtIn(std::string_view arch);

  const std::string &arch() const { return archName; }
  const std::string &library() const { return libraryVersion; }
  unsigned flagIds() const { return flagIdCount; }
  const std::vector<MemorySpace> &spaces() const { return memorySpaces; }
  /// Index into spaces() of the memory that holds tiles of `location`; empty if none does.
  std::optional<std::size_t> spaceOfTile(std::string_view location) const;
  std::optional<std::size_t> spaceByName(std::string_view name) const;
  /// Null if the model does not know the instruction.
  const InstructionFacts *instruction(std::string_view name) const;
  const InstructionTable &instructions() const { return instructionTable; }
  /// Null if the architecture has no such rule. For people; what a rule does is in rules().
  const MachineRule *rule(std::string_view id) const;
  const OrderingRules &rules() const { return orderingRules; }
  /// The ids that an event id may stand for: itself, or the low bits of it that the hardware keeps. Several: it is
  /// open which.
  std::vector<std::int64_t> eventIds(std::int64_t id) const;
  /// The pipes, from and to, of flags that an instruction may set and wait for inside.
  std::set<std::pair<Pipe, Pipe>> insideFlags(std::string_view name) const;
  /// The same machine without the phases inside the calls of these instructions: at library trust they are one access.
  Machine withoutPhases(const std::set<std::string> &instructions) const;
  /// The same machine with as many event ids as anyone likes: for kernels in the making.
  Machine withEndlessIds() const;
  /// The same machine, in which several cores also reach what they reach in `other`, and tensors are no longer than in
  /// either: for a text that may be for either.
  Machine sharingAsIn(const Machine &other) const;
  /// How event ids that the architecture does not have are taken.
  IdFolding idFolding() const { return folding; }
  const std::vector<ReservedIds> &reservedBetweenCores() const { return reservedCoreIds; }
  /// True if some source allows a barrier that barrierLegal refuses.
  bool barrierContested(Section section, Pipe pipe) const;
  /// No tensor is longer, in bytes: it is what the largest device has of global memory. An address farther away from a
  /// pointer than that is no place of what the pointer points to.
  std::int64_t largestTensor() const { return largestTensorBytes; }
  const std::vector<AbsentFact> &absent() const { return absentFacts; }
  const std::vector<MacroFact> &macros() const { return macroFacts; }
  /// True if `pipe_barrier(pipe)` is legal in `section`.
  bool barrierLegal(Section section, Pipe pipe) const;
  /// How sure barrierLegal is of a section.
  Grade barrierGrade(Section section) const;
  /// True if the core of `section` has `pipe`, or if the model does not say.
  bool hasPipe(Section section, Pipe pipe) const;
  Grade pipeGrade(Section section) const;
  /// True if an event id above flagIds() is certainly wrong, false if it is doubtful only.
  bool idOutOfRangeIsError() const { return rangeIsError; }
  /// The same for a flag from a pipe to itself.
  bool selfPairIsError() const { return selfPairError; }

private:
  friend class MachineReader;
  std::string archName, libraryVersion;
  unsigned flagIdCount = 8;
  std::int64_t largestTensorBytes = std::int64_t{1} << 32; // where the model does not say
  std::vector<MemorySpace> memorySpaces;
  struct SectionPipes {
    std::vector<Pipe> pipes;
    std::vector<Pipe> contested; // not legal, but for some source
    Grade grade = Grade::D;
  };
  using PipesBySection = std::map<std::string, SectionPipes>;
  static bool allows(const PipesBySection &table, Section section, Pipe pipe);
  static Grade gradeOf(const PipesBySection &table, Section section);
  PipesBySection legalBarriers, corePipes;
  bool rangeIsError = false, selfPairError = false;
  IdFolding folding = IdFolding::None;
  std::vector<ReservedIds> reservedCoreIds;
  std::vector<MachineRule> ruleTable;
  OrderingRules orderingRules;
  std::vector<AbsentFact> absentFacts;
  std::vector<MacroFact> macroFacts;
  InstructionTable instructionTable;
};

} // namespace ptosync
