// A lifted kernel: one program of one core section, as a control-flow graph of statements.
//
//   C++ function --frontend--> Kernel { tiles, tensors, fifos, variables, blocks }
//
// It is a faithful small program, not an analysis: helper calls are expanded at the call, tiles
// and tensors keep their addresses in ordinary scalar variables, and every engine that reasons
// about a kernel starts from here and shares nothing else. What the frontend could not express
// makes the kernel `analysable == false` with a reason; such a kernel is left untouched.
// Tested by tests/kernel/kernel_test.cpp and every frontend test.
#pragma once

#include "kernel/assumption.h"
#include "kernel/brace_list.h"
#include "kernel/expression.h"
#include "kernel/pipe.h"
#include "kernel/source.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace ptosync {

using TileId = std::uint32_t;
using TensorId = std::uint32_t;
using FifoId = std::uint32_t;
using BlockId = std::uint32_t;
using SiteId = std::uint32_t;

/// A scalar variable, or one element of a local array.
struct Variable {
  std::string name;
  IntegerType type;
};

enum class BlockLayout : std::uint8_t { RowMajor, ColMajor };
enum class InnerLayout : std::uint8_t { NoneBox, RowMajor, ColMajor };
enum class CompactMode : std::uint8_t { Null, Normal, RowPlusOne };

/// A tile variable. Its storage starts at the byte address held by variable `address`, an offset
/// in the memory of `location`; which bytes it covers is for the machine model to say.
struct Tile {
  std::string name;
  std::string location;          // "Vec", "Mat", "Left", "Right", "Acc", "Bias", "Scaling", ...
  std::string element;           // "float", "half", "int32_t", ...
  std::uint32_t elementBits = 0; // 4, 8, 16, 32 or 64; 0 unknown
  std::uint32_t rows = 0, cols = 0;
  BlockLayout blockLayout = BlockLayout::RowMajor;
  InnerLayout innerLayout = InnerLayout::NoneBox;
  std::uint32_t fractalBytes = 512;
  CompactMode compactMode = CompactMode::Null;
  bool padded = false; // writes may touch the padding of the valid region
  VariableId address = kNone;
  std::int64_t staticValidRows = -1, staticValidCols = -1; // -1: run-time, held by the variables
  VariableId validRows = kNone, validCols = kNone;
  std::uint32_t line = 0;
};

/// A GlobalTensor variable: five shape and stride entries in elements. An entry is static
/// (>= 0 in `shape`/`stride`) or -1, held by the variable of the same index, or unknown (kNone).
struct Tensor {
  std::string name;
  std::string element;
  std::uint32_t elementBits = 0;
  std::array<std::int64_t, 5> shape{}, stride{};
  std::array<VariableId, 5> shapeVariables{}, strideVariables{};
  VariableId pointer = kNone; // byte address of the first element
  std::uint32_t line = 0;
};

/// A TPipe object: a FIFO between the two cores.
struct Fifo {
  std::string name;
  std::string direction; // "DIR_C2V", "DIR_V2C", "DIR_BOTH"; empty if unknown
  std::int64_t flagBase = -1, slotBytes = -1, slots = -1, localSlots = -1; // -1 unknown
  VariableId memory = kNone;                                               // GM ring
  VariableId cubeToVec = kNone, vecToCube = kNone;                         // consumer ring offsets, bytes
  VariableId pops = kNone; // tiles popped so far; every pop that fills a tile adds one
  std::uint32_t line = 0;
};

/// An argument of an instruction.
struct Operand {
  enum class Kind : std::uint8_t { Tile, Tensor, Fifo, Scalar, Pointer, Unknown };
  Kind kind = Kind::Unknown;
  std::uint32_t index = kNone; // TileId, TensorId or FifoId
  ExpressionId value = kNone;  // Scalar, Pointer
  std::uint32_t bytes = 0;     // Pointer: bytes accessed at `value`
  std::string spelling;
};

struct Assign {
  VariableId variable;
  ExpressionId value;
};

/// Store to element `index` of the array [first, first + count).
struct ArrayStore {
  VariableId first;
  std::uint32_t count;
  ExpressionId index;
  ExpressionId value;
};

/// A constant among the template arguments that a call is written with.
struct TemplateConstant {
  std::string kind;  // name of its enumeration, "number" for integers and booleans, "?" if it is not known
  std::string value; // "AtomicType::AtomicAdd", "3"; empty if it is not known
  bool operator==(const TemplateConstant &) const = default;
};

/// A call of a PTO instruction, a scalar memory access ("scalar.load", "scalar.store"), or text that nothing is known
/// about: an opaque fence.
struct Instruction {
  std::string name;
  std::vector<Operand> operands;
  std::vector<std::string> templateArguments;      // as the file spells them
  std::vector<TemplateConstant> templateConstants; // those of them that are no types
  std::vector<VariableId> results;                 // scalar variables that get an unknown new value
  bool isVolatile = false; // a scalar access that is volatile in C++: others may touch the memory too
  /// False: the reader does not follow what the call does. It is an opaque fence, whatever the model says of its name.
  bool followed = true;
};

/// Returns the number of the first operand of that kind, a tile, a tensor or a FIFO: the object that the call is about.
std::optional<std::uint32_t> firstOf(const Instruction &instruction, Operand::Kind kind);

/// GetBuffer and ReleaseBuffer begin and end a bracket of a buffer id (`get_buf`, `rls_buf`).
enum class SyncKind : std::uint8_t { Barrier, SetFlag, WaitFlag, Tail, GetBuffer, ReleaseBuffer };

inline bool isFlag(SyncKind kind) { return kind == SyncKind::SetFlag || kind == SyncKind::WaitFlag; }
inline bool isBuffer(SyncKind kind) { return kind == SyncKind::GetBuffer || kind == SyncKind::ReleaseBuffer; }

/// How a bracket of a buffer id blocks: its last argument, 0 or 1.
enum class BufferMode : std::uint8_t { Blocking, NonBlocking, Unknown };

struct Sync {
  SyncKind kind = SyncKind::Barrier;
  Pipe source = Pipe::All;      // Barrier and buffer ids: the pipe
  Pipe destination = Pipe::All; // flags; of the others the same as `source`
  ExpressionId event = kNone;   // the event id of a flag, or the buffer id
  SiteId site = kNone;
  BufferMode mode = BufferMode::Blocking; // buffer ids
};

/// Chain of helper calls that a statement was expanded through; 0 is the kernel itself.
struct CallContext {
  std::uint32_t parent = 0;
  std::uint32_t callLine = 0;
  std::string callee;
  std::uint32_t callBegin = kNone; // offset of the call in the text; kNone: it stands in a header
};

/// Says where text can be put in front of a statement: its place in the list of statements of a `{ }`.
/// Everything of one child of the list (an `if` with its condition, a call with its arguments) has
/// the same anchor; what stands in a list further in has that list's.
struct Anchor {
  std::uint32_t list = kNone;  // offset of the brace; kNone: in no list (the body of a switch)
  std::uint32_t begin = kNone; // offset of the child; kNone: text in front would not run with it (a label)
  bool operator==(const Anchor &) const = default;
};

struct Statement {
  std::variant<Assign, ArrayStore, Instruction, Sync> action;
  SourceRange range;
  std::uint32_t line = 0;
  std::uint32_t context = 0; // index into Kernel::contexts
  Anchor anchor;
};

/// Calls `visit` with every value that the statement reads, as an operand, an event or an index. A place that its text
/// leaves out is not visited.
template <typename Visit> void forEachValue(const Statement &statement, const Visit &visit) {
  auto read = [&](ExpressionId value) {
    if (value != kNone)
      visit(value);
  };
  if (const auto *assign = std::get_if<Assign>(&statement.action)) {
    read(assign->value);
  } else if (const auto *store = std::get_if<ArrayStore>(&statement.action)) {
    read(store->index);
    read(store->value);
  } else if (const auto *sync = std::get_if<Sync>(&statement.action)) {
    read(sync->event);
  } else if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
    for (const Operand &operand : instruction->operands)
      read(operand.value);
  }
}

/// Calls `visit(variable, value)` for every variable that the statement may write. The value is kNone if no expression
/// is its value for certain: for the result of an instruction, and for each element of an array, of which a store
/// writes one. What an instruction does to the address of a tile or a tensor is not among them.
template <typename Visit> void forEachDefinition(const Statement &statement, const Visit &visit) {
  if (const auto *assign = std::get_if<Assign>(&statement.action)) {
    visit(assign->variable, assign->value);
  } else if (const auto *store = std::get_if<ArrayStore>(&statement.action)) {
    for (std::uint32_t element = 0; element < store->count; ++element)
      visit(store->first + element, ExpressionId{kNone});
  } else if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
    for (VariableId result : instruction->results)
      visit(result, ExpressionId{kNone});
  }
}

/// Calls `visit(variable, value, index)` for every variable that the statement may give a value of the text: each
/// element of an array that a store may write, by its index. The index is kNone of a variable. What an instruction
/// gives is no such value.
template <typename Visit> void forEachAssignment(const Statement &statement, const Visit &visit) {
  if (const auto *assign = std::get_if<Assign>(&statement.action)) {
    visit(assign->variable, assign->value, ExpressionId{kNone});
  } else if (const auto *store = std::get_if<ArrayStore>(&statement.action)) {
    for (std::uint32_t element = 0; element < store->count; ++element)
      visit(store->first + element, store->value, store->index);
  }
}

struct Terminator {
  enum class Kind : std::uint8_t { Jump, Branch, Return };
  Kind kind = Kind::Return;
  ExpressionId condition = kNone; // Branch
  BlockId whenTrue = kNone;       // Jump target or true successor
  BlockId whenFalse = kNone;
  std::uint32_t line = 0; // Branch: of its condition; Return: of the statement; 0: the kernel's body ends
  std::uint32_t context = 0;
  Anchor anchor;
};

struct Block {
  std::vector<Statement> statements;
  Terminator terminator;
};

struct Kernel {
  std::string name;
  Section section = Section::Both;
  std::uint32_t line = 0;
  bool analysable = true;
  std::string reason; // why not
  ExpressionArena expressions;
  std::vector<Variable> variables;
  std::vector<Tile> tiles;
  std::vector<Tensor> tensors;
  std::vector<Fifo> fifos;
  std::vector<CallContext> contexts = {CallContext{}};
  std::vector<BraceList> lists; // of the bodies that it runs through, each body's one after the other
  std::vector<Block> blocks;    // block 0 is the entry
  /// Pointer arguments whose addresses went where the text is not followed: whatever is unknown may be made from them.
  std::set<std::uint32_t> escaped;
  /// The text takes numbers that come from outside, or from memory, for addresses: an unknown number may be one.
  bool addressesInMemory = false;
  /// Pairs of arguments, the lower number first, of which the text itself says that they may meet: a launch passes one
  /// buffer for both, or both go into what is not followed together.
  std::set<std::pair<std::uint32_t, std::uint32_t>> related;
  /// What is taken for true of its arguments and of the core it runs on, those of a comment first.
  std::vector<Assumption> assumptions;
};

/// Says why a sync may never be edited, whatever the proof says.
enum class Protection : std::uint8_t {
  None,
  KeepComment,     // `// ptosync: keep(reason)`
  Tail,            // the kernel's end fence
  Flush,           // PIPE_ALL in front of dcci/dsb
  NotOneStatement, // spelled in a macro or as part of a larger statement
};

/// One sync statement of the file. Several kernels may run through it (both core sections, a
/// helper called from several places): an edit must be right for all of them.
struct SyncSite {
  SyncKind kind = SyncKind::Barrier;
  Pipe source = Pipe::All, destination = Pipe::All;
  std::string text;  // "pipe_barrier(PIPE_V)"
  SourceRange range; // with its semicolon
  std::uint32_t line = 0, column = 0;
  Protection protection = Protection::None;
  bool soleBody = false; // the body of an `if`, a loop or a label without braces
  bool namedId =
      false; // the run gives the flag its id: that in Sync::event is a name, and no new flag may go beside it
  std::string keepReason;
};

/// Returns false for the end fence, and for what something protects.
inline bool isEditable(const SyncSite &site) {
  return site.kind != SyncKind::Tail && site.protection == Protection::None;
}

struct UnknownCall {
  std::string name;
  std::vector<std::uint32_t> lines;
};

/// A function from outside the file that the file calls, whether or not the call was lowered. A barrier is spelled
/// with its pipe: "pipe_barrier(PIPE_V)".
struct CalledName {
  std::string name;
  Section section = Section::Both; // Both: in code of both cores
  std::uint32_t line = 0;          // of the first call
};

/// Returns the variable that keeps where an operand is: the address of a tile, the pointer of a tensor, the count of
/// pops of a FIFO. Returns kNone for any other operand.
inline VariableId placeVariable(const Kernel &kernel, const Operand &operand) {
  switch (operand.kind) {
  case Operand::Kind::Tile: return kernel.tiles[operand.index].address;
  case Operand::Kind::Tensor: return kernel.tensors[operand.index].pointer;
  case Operand::Kind::Fifo: return kernel.fifos[operand.index].pops;
  default: return kNone;
  }
}

/// One input file, lifted.
struct Module {
  SourceText source;
  std::vector<CalledName> calledNames;   // by name
  std::vector<Directive> directives;     // by position
  std::vector<Kernel> kernels;           // by section, then by position
  std::vector<SyncSite> sites;           // by position
  std::vector<UnknownCall> unknownCalls; // by name
  std::string notEdited;                 // why nothing of the text may be edited; empty if it may
  // The text without its syncs (frontend/guard/file_shape.h), by core section that was read; empty if not asked for.
  std::map<Section, std::map<std::string, std::string>> shapes;
};

/// Returns a kernel of a module; null if there is none. The same kernel in another version of the text has the same
/// name and section.
const Kernel *findKernel(const Module &module, const std::string &name, Section section);
const Kernel *kernelLike(const Module &module, const Kernel &like);

/// Returns the numbers of the kernel's arguments that are pointers and that its text uses.
std::set<std::uint32_t> pointerArguments(const Kernel &kernel);

/// The objects of a call that places some, each null if it names none: a pop from `fifo` gives `tile` a slot and
/// `tensor` an entry.
struct CallObjects {
  const Fifo *fifo = nullptr;
  const Tile *tile = nullptr;
  const Tensor *tensor = nullptr;
};
CallObjects objectsOf(const Kernel &kernel, const Instruction &instruction);

/// Returns the sync statements that a kernel runs through.
std::set<SiteId> sitesOf(const Kernel &kernel);

/// Returns the kernel as it is read where the statements of these sites are not in the text.
Kernel withoutSites(Kernel kernel, const std::set<SiteId> &sites);
/// Returns the file with all its kernels like that; its list of sites stays as it is.
Module withoutSites(Module module, const std::set<SiteId> &sites);

/// Returns the keep comments that hold no sync of the module.
std::vector<Directive> unusedKeeps(const Module &module);

/// Returns "line 40" or "line 40 (called from line 97)".
std::string describePlace(const Kernel &kernel, const Statement &statement);

// --- the text form of a lifted kernel, for `--print=kernel` and for failing tests ---

std::string printExpression(const Kernel &kernel, ExpressionId id);
/// Returns "TADD(v66, v66, v70)", as the source spells it.
std::string printInstruction(const Instruction &instruction);
std::string printStatement(const Kernel &kernel, const Statement &statement);
std::string printKernel(const Kernel &kernel);

} // namespace ptosync
