// The machine model: pipes, memories, rules and instructions of one architecture, as data.
//
// Read from src/machine/a3.json or a5.json (embedded in the binary) or from a file the user
// gives; checked against src/machine/schema.json first. Every fact carries an evidence grade:
// A several sources, B one authoritative source, C contested, D open. The model is conservative:
// where sources disagree it lists the union of what they say.
// Tested by tests/machine/machine_test.cpp.
#pragma once

#include "kernel/pipe.h"
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
};

enum class OperandRole : std::uint8_t { Write, Read, ReadWrite, Scratch, Scalar, Config, Ignored, Fifo };

/// Which bytes of a tile an operand's accesses cover. `Valid` for all but the exceptions.
enum class AccessRegion : std::uint8_t {
  Valid,   // the valid region, row by row
  Run,     // that, or as many elements in one run from the tile's start
  Rows,    // the whole of each valid row
  Repeats, // each valid row, up to the end of its last 256-byte repeat
  Whole,   // the whole tile
};

/// How far an access may go beyond the tile, in bytes from the tile's start: the largest of
///   (rows / rowsPer - 1) steps, and the bytes of one more: `bytes` plus `rowShare` of a row of `rowBytesOf`, in whole
///   `rowUnit`s;
///   as many elements as the tile `elementsOf` has, each as wide as the tile's own;
///   `shapeBytes` if `shapeOf` is statically one of `shapes`;
/// and `behind` bytes behind the tile. A step is `step` bytes, or a row of the tile itself if that is 0. Names are
/// those of operands of the form; empty: not given.
struct AccessReach {
  std::string rowsOf, rowBytesOf, elementsOf, shapeOf;
  std::int64_t rowsPer = 1, step = 0, bytes = 0, behind = 0, shapeBytes = 0;
  std::int64_t shareOf = 1, shareIn = 1, rowUnit = 1;        // rowShare: shareOf / shareIn
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes; // rows, columns
};

struct OperandFact {
  std::string name;
  OperandRole role = OperandRole::Ignored;
  bool optional = false;
  bool doubtful = false; // on some reading it is not touched at all
  AccessRegion region = AccessRegion::Valid;
  std::vector<AccessReach> reaches;         // the farthest counts
  AccessOrder order = AccessOrder::Unknown; // in which its repeats follow one another
};

/// Memory that a call touches without naming it: bytes [offset, offset + bytes) of `space`.
struct HiddenMemory {
  std::string name, space;
  std::uint64_t offset = 0, bytes = 0;
};

/// A part of a library call: an access on one pipe, or (`barrier`) a barrier of that pipe.
struct LibraryPhase {
  Pipe pipe = Pipe::S;
  bool barrier = false;
  std::vector<std::string> reads, writes; // names of operands or hidden memory
};

struct HiddenFlag {
  Pipe source, destination;
  unsigned id;
};

enum class FenceKind : std::uint8_t {
  None,
  Pipes,   // an opaque fence on its pipes and the scalar unit
  Acquire, // of its own pipes for what follows it; it waits for what precedes it only if that is a fence too
  Release, // the same for what precedes it; what follows waits for it only if it is a fence too
  All,     // an opaque fence on every pipe
};
enum class IdFolding : std::uint8_t {
  None,   // an id is what it is
  Folds,  // only the low bits count
  Either, // it is open which
};
enum class Assigns : std::uint8_t { Nothing, Address, Tensor };

/// One overload of an instruction.
struct InstructionForm {
  std::vector<OperandFact> operands;
  std::map<std::string, std::vector<std::string>> when; // all must hold; any value of each
  PipeSet pipes;
  std::vector<HiddenMemory> hidden;
  std::vector<LibraryPhase> library; // empty: not described
  std::string libraryUnless;         // name of the degenerate case in which `library` fails
  std::vector<HiddenFlag> flags;
  FenceKind fence = FenceKind::None;
  Assigns assigns = Assigns::Nothing;
  std::string productRows, productCols; // a matrix product: the operands whose rows and columns the result has

  /// Smallest number of arguments; the largest is operands.size().
  std::size_t requiredOperands() const;
};

struct InstructionFacts {
  std::vector<InstructionForm> forms; // most specific first
  std::set<std::string> traits;       // what audits ask of it: "copies", "signals", "fifo-pop", ...
  bool is(const std::string &trait) const { return traits.count(trait) != 0; }
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

class Machine {
public:
  /// `name` is used in messages. Errors name file, JSON pointer and what was expected.
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
  const std::map<std::string, InstructionFacts, std::less<>> &instructions() const { return instructionTable; }
  /// Null if the architecture has no such rule. For people; what a rule does is in rules().
  const MachineRule *rule(std::string_view id) const;
  const OrderingRules &rules() const { return orderingRules; }
  /// The ids that an event id may stand for: itself, or the low bits of it that the hardware keeps. Several: it is
  /// open which.
  std::vector<std::int64_t> eventIds(std::int64_t id) const;
  /// The pipes, from and to, of flags that instructions may set and wait for inside, by name.
  std::map<std::string, std::set<std::pair<Pipe, Pipe>>> insideFlags() const;
  /// The same machine without the phases inside the calls of these instructions: at library trust they are one access.
  Machine withoutPhases(const std::set<std::string> &instructions) const;
  /// The same machine with as many event ids as anyone likes: for kernels in the making.
  Machine withEndlessIds() const;
  /// How event ids that the architecture does not have are taken.
  IdFolding idFolding() const { return folding; }
  const std::vector<ReservedIds> &reservedBetweenCores() const { return reservedCoreIds; }
  /// True if some source allows a barrier that barrierLegal refuses.
  bool barrierContested(Section section, Pipe pipe) const;
  const std::vector<AbsentFact> &absent() const { return absentFacts; }
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
  std::map<std::string, InstructionFacts, std::less<>> instructionTable;
};

} // namespace ptosync
