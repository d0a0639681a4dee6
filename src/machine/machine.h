// The machine model: pipes, memories, rules and instructions of one architecture, as data.
//
//   a3.json, a5.json or a user's file --machine_reader.cpp--> Machine { spaces, rules, instructions, ... }
//
// The two built-in files are embedded in the binary. Every fact carries an evidence grade: A several sources, B one
// authoritative source, C contested, D open. The model is conservative: where sources disagree it lists the union of
// what they say. Three parts: what the ordering rules say (OrderingRules), what is said of one instruction
// (InstructionFacts), and the whole (Machine). Everybody asks here, and nobody for a rule's or a file's spelling.
// docs/machine.md lists the facts. Tested by tests/machine/machine_test.cpp and machine_reader_test.cpp.
#pragma once

#include "kernel/assumption.h"
#include "kernel/pipe.h"

#include <llvm/Support/Error.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

// --- the ordering rules, resolved once: what a rule may do and its parameters; a rule that the file lacks is empty ---

/// Says how sure the sources are: A several agree, B one is authoritative, C they contest it, D it is open.
enum class Grade : std::uint8_t { A, B, C, D };

/// Returns true for facts that may be held against a kernel: contested ones never are.
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

// --- what the model says of one instruction: its forms, their operands, and what they touch ---

enum class OperandRole : std::uint8_t { Write, Read, ReadWrite, Scratch, Scalar, Config, Ignored, Fifo };

/// Says which bytes of a tile an operand's accesses cover. `Valid` for all but the exceptions.
enum class AccessRegion : std::uint8_t {
  Valid,   // the valid region, row by row
  Run,     // that, or as many elements in one run from the tile's start
  Rows,    // the whole of each valid row
  Repeats, // each valid row, up to the end of its last 256-byte repeat
  Whole,   // the whole tile
  Padding, // the whole tile on one reading, what lies outside of the valid region on every reading
};

/// Says by whose valid region the library goes over an operand. Names are those of operands of the form; empty: the
/// operand's own. A name may be that of a tensor for `lines` alone.
struct RegionWalk {
  std::string rows, columns;
  bool rowsAreColumns = false, columnsAreRows = false; // the other dimension of that operand counts
  std::string lines; // as many lines of the tile (rows of a row-major one) as the tensor has
  std::string line;  // of a tensor: a line as long as one of that tile
};

/// The part of a tile that starts at an index given to the call and is as large as the valid region of `of`.
struct AccessWindow {
  std::string of, row, column; // `row` and `column`: operands with the index, in elements
};

/// Says how far an access may go beyond the tile, in bytes from the tile's start: the largest of
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
  std::vector<RegionWalk> walks;            // what any of them covers; empty: the operand's own region
  std::optional<AccessWindow> window;       // with an index that may lie outside: anywhere in the tile's memory
  std::string element;                      // the operand that holds the index of the one element, likewise
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
enum class Assigns : std::uint8_t {
  Nothing,
  Address,      // a tile's: a pop, counted, into the FIFO's local slots
  RingSlot,     // the same into a ring that has all of the FIFO's slots: the producer writes there itself
  Tensor,       // a tensor's, in the producer's ring
  PoppedTensor, // a tensor's, and counted
  Unknown,      // a call that no form fits: any operand may have another address, and the FIFO another count
};

constexpr bool placesTile(Assigns assigns) { return assigns == Assigns::Address || assigns == Assigns::RingSlot; }
constexpr bool countsPop(Assigns assigns) { return placesTile(assigns) || assigns == Assigns::PoppedTensor; }

/// One overload of an instruction, or one case of it that its conditions tell apart.
struct InstructionForm {
  std::vector<OperandFact> operands;
  std::map<std::string, std::vector<std::string>> when; // all must hold; any value of each
  PipeSet pipes;
  std::vector<HiddenMemory> hidden;
  std::vector<LibraryPhase> library; // empty: not described
  std::string libraryUnless;         // name of the degenerate case in which `library` fails
  std::vector<HiddenFlag> flags;
  FenceKind fence = FenceKind::None;
  // Memories in which others may see at once what the call writes: a call that may write there is a release.
  std::vector<std::string> publishes;
  Assigns assigns = Assigns::Nothing;
  std::string productRows, productCols; // a matrix product: the operands whose rows and columns the result has

  /// Returns the smallest number of arguments; the largest is operands.size().
  std::size_t requiredOperands() const;
};

struct InstructionFacts {
  std::vector<InstructionForm> forms; // most specific first
  std::set<std::string> traits;       // what audits ask of it: "copies", "signals", "fifo-pop", ...
  std::set<std::string> templates;    // kinds of template constants, or single ones, that the forms account for
  bool is(const std::string &trait) const { return traits.count(trait) != 0; }
};

/// The instructions of a machine by name, each read from its text when it is first asked for.
///
/// A kernel calls some ten of the two hundred that an architecture has, and every run pays for what is read. Copies
/// share what was read, and several threads may ask. An instruction whose text cannot be read is one that the model
/// does not know, which is the cautious answer; tests read every built-in text.
class InstructionTable {
public:
  /// Returns nothing for an instruction that cannot be read.
  using Reader = std::optional<InstructionFacts> (*)(std::string_view name, std::string_view text);

  /// Puts an instruction in place of what was there.
  void set(std::string_view name, InstructionFacts facts);
  /// Does the same with a text that `reader` reads when somebody asks for it. The text must stay.
  void setText(std::string_view name, std::string_view text, Reader reader);

  /// Returns null if it is not known. Valid as long as any copy that shares it.
  const InstructionFacts *find(std::string_view name) const;
  bool contains(std::string_view name) const { return entries.count(name) != 0; }
  /// Returns false only if the text of an instruction that nobody has asked for yet does not have the word: a look that
  /// saves reading it.
  bool mayMention(std::string_view name, std::string_view word) const;
  std::size_t size() const { return entries.size(); }
  /// Returns the names in alphabetical order.
  std::vector<std::string> names() const;

private:
  class Entry {
  public:
    explicit Entry(InstructionFacts facts);
    Entry(std::string_view text, Reader reader) : text(text), reader(reader) {}
    const InstructionFacts *read(std::string_view name);
    bool mayMention(std::string_view word) const {
      return !reader || text.find(word) != std::string_view::npos; // it is read at once where there is no reader
    }

  private:
    std::string_view text;
    Reader reader = nullptr;
    std::mutex reading;
    std::atomic<bool> known{false};
    std::optional<InstructionFacts> facts;
  };
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries;
};

// --- the whole ---

struct MemorySpace {
  std::string name;               // "UB", "L1", "GM", ...
  std::uint64_t bytes = 0;        // 0: unbounded
  std::vector<std::string> tiles; // tile locations that live here
  /// False only if no other core, of whichever kind, reads or writes the memory. True where the model says nothing.
  bool sharedBetweenCores = true;
};

enum class IdFolding : std::uint8_t {
  None,   // an id is what it is
  Folds,  // only the low bits count
  Either, // it is open which
};

/// A fact about what an architecture does not have: a text which uses it was not made for it. `calls` are spelled as in
/// CalledName: "TMATMUL_MX", "pipe_barrier(PIPE_V)".
struct AbsentFact {
  Section section = Section::Both; // Both: in either core
  std::vector<std::string> calls;
  Grade grade = Grade::D;
};

/// Ids of the flags between the cores that library calls use themselves. A kernel with such a call must not use them.
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
  /// Returns the built-in model of "a3" or "a5".
  static llvm::Expected<Machine> builtIn(std::string_view arch);

  const std::string &arch() const { return archName; }
  const std::string &library() const { return libraryVersion; }
  unsigned flagIds() const { return flagIdCount; }
  /// Returns how many buffer ids a core has: one pool for all its pipes; 0 if the architecture has none.
  unsigned bufferIds() const { return bufferIdCount; }
  const std::vector<MemorySpace> &spaces() const { return memorySpaces; }
  /// Returns the index into spaces() of the memory that holds tiles of `location`; nothing if none does.
  std::optional<std::size_t> spaceOfTile(std::string_view location) const;
  std::optional<std::size_t> spaceByName(std::string_view name) const;
  /// Returns null if the model does not know the instruction.
  const InstructionFacts *instruction(std::string_view name) const;
  const InstructionTable &instructions() const { return instructionTable; }
  /// Returns null if the architecture has no such rule. For people; what a rule does is in rules().
  const MachineRule *rule(std::string_view id) const;

  /// Returns all rules as the file has them, in its order. For people.
  llvm::ArrayRef<MachineRule> ruleTexts() const { return ruleTable; }
  const OrderingRules &rules() const { return orderingRules; }
  /// Returns the ids that an event id may stand for: itself, or the low bits of it that the hardware keeps. Several: it
  /// is open which.
  std::vector<std::int64_t> eventIds(std::int64_t id) const;
  /// Returns the pipes, from and to, of flags that an instruction may set and wait for inside.
  std::set<std::pair<Pipe, Pipe>> insideFlags(std::string_view name) const;
  /// Returns the machine without the phases inside the calls of these instructions: at library trust they are one
  /// access.
  Machine withoutPhases(const std::set<std::string> &instructions) const;
  /// Returns the machine with as many event ids as anyone likes: for kernels in the making.
  Machine withEndlessIds() const;
  /// Returns the machine in which several cores also reach what they reach in `other`, and tensors are no longer than
  /// in either: for a text that may be for either.
  Machine sharingAsIn(const Machine &other) const;
  /// Says how event ids that the architecture does not have are taken.
  IdFolding idFolding() const { return folding; }
  const std::vector<ReservedIds> &reservedBetweenCores() const { return reservedCoreIds; }
  /// Returns true if some source allows a barrier that barrierLegal refuses.
  bool barrierContested(Section section, Pipe pipe) const;
  /// Returns the bytes of the longest tensor there may be: what the largest device has of global memory. An address
  /// farther from a pointer than that is no place of what the pointer points to.
  std::int64_t largestTensor() const { return largestTensorBytes; }
  /// Returns what holds of the core's own numbers (`get_block_idx()`) in every launch.
  const std::vector<Assumption> &assumptions() const { return knownNumbers; }
  const std::vector<AbsentFact> &absent() const { return absentFacts; }
  const std::vector<MacroFact> &macros() const { return macroFacts; }
  /// Returns true if `pipe_barrier(pipe)` is legal in `section`.
  bool barrierLegal(Section section, Pipe pipe) const;
  /// Says how sure barrierLegal is of a section.
  Grade barrierGrade(Section section) const;
  /// Returns true if the core of `section` has `pipe`, or if the model does not say.
  bool hasPipe(Section section, Pipe pipe) const;
  Grade pipeGrade(Section section) const;
  /// Returns true if an event id above flagIds() is certainly wrong, false if it is doubtful only.
  bool idOutOfRangeIsError() const { return rangeIsError; }
  /// Says the same for a flag from a pipe to itself.
  bool selfPairIsError() const { return selfPairError; }

private:
  friend class MachineReader;
  std::string archName, libraryVersion;
  unsigned flagIdCount = 8, bufferIdCount = 0;
  std::int64_t largestTensorBytes = std::int64_t{1} << 32; // where the model does not say
  std::vector<Assumption> knownNumbers;
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
