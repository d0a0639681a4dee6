// A random kernel as an explicit tree, and its spelling as emitted-style C++.
//
//   KernelGenerator --> FuzzKernel --printKernel--> text (for the tool)
//                                  --TraceSimulator--> runs (for the judge)
//
// The tree says what the text means without going through the tool's frontend, so that a frontend
// that misreads the text disagrees with the simulator. Printing notes the line of every statement:
// lines are how the tool's decisions are matched to the tree. Many kernels share a file, because most of the time of
// a small file goes into the declarations it is parsed against.
#pragma once

#include "kernel/pipe.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync::fuzz {

/// An integer expression. All values of a kernel are small, so no arithmetic wraps.
struct Scalar {
  enum class Kind {
    Constant,
    Variable,
    Add,
    Subtract,
    Multiply,
    Remainder,
    Divide,
    Equal,
    Less,
    Greater,
    And,
    Select,
    Element
  };
  Kind kind = Kind::Constant;
  std::int64_t constant = 0;
  std::uint32_t variable = 0; // Element: the array, indexed by the operand
  std::vector<Scalar> operands;

  static Scalar of(std::int64_t value) { return {Kind::Constant, value, 0, {}}; }
  static Scalar read(std::uint32_t variable) { return {Kind::Variable, 0, variable, {}}; }
  static Scalar make(Kind kind, std::vector<Scalar> operands) { return {kind, 0, 0, std::move(operands)}; }
  bool isConstant() const { return kind == Kind::Constant; }
};

struct ScalarVariable {
  std::string name;
  std::string type; // "int32_t", "int64_t", "size_t"
};

enum class Space { UnifiedBuffer, L1, Left, Right, Accumulator, Global };

/// A tile variable's type. A valid region of Scalars that are not constant is a run-time region.
struct FuzzTile {
  std::string name;
  Space space = Space::UnifiedBuffer;
  std::int64_t elementBytes = 4;
  std::int64_t rows = 1, columns = 1;
  bool columnMajor = false;
  bool runTimeRegion = false; // declared with -1, -1
  bool popped = false;        // a FIFO gives it its place
  Scalar validRows, validColumns;
};

/// A rectangle of a global tensor: `rows` runs of `columns` elements, `rowStride` elements apart.
struct FuzzTensor {
  std::uint32_t argument = 0;
  std::int64_t rows = 1, columns = 1, rowStride = 1;
  Scalar offset; // in elements
};

struct Operand {
  enum class Kind { Tile, Tensor, Literal };
  Kind kind = Kind::Literal;
  std::uint32_t tile = 0;
  FuzzTensor tensor;
  std::string literal;
};

struct Statement {
  enum class Kind {
    Instruction, // opcode(operands)
    UnknownCall, // an instruction no model knows
    Barrier,     // source; keep: with a keep comment, as for flags
    SetFlag,     // source, destination, value (the id)
    WaitFlag,
    GetBuffer, // source, value (the buffer id), constant (the mode)
    ReleaseBuffer,
    Loop,         // variable from lower to upper by step, body
    If,           // value, body, otherwise
    Call,         // helper, arguments
    DeclareTile,  // tile, value (the address, unless it has none: see FuzzTile)
    DeclareArray, // variable (the array of event ids)
    MoveTile,     // TASSIGN of a tile that is declared
    ReshapeTile,  // tile, source tile
    Assign,       // variable = value; declares it if `declares`
    LoadData,     // variable = data[value], through the scalar unit
    Break,
    Continue,
    Return,
    Switch,   // value, which is compared with `constant`: body; otherwise, or the body falls through: otherwise
    Verbatim, // opcode, as it is: declares what instructions name
    Nothing,  // what stood here is taken out
  };
  /// Forever: `while (true)`, left at the end of the body.
  enum class LoopForm { For, SizeFor, While, DoWhile, Goto, Forever };
  Kind kind = Kind::Instruction;
  std::string opcode;
  std::vector<Operand> operands;
  Pipe source = Pipe::All, destination = Pipe::All;
  bool keep = false, declares = false, arrived = false; // arrived: an edit put it here
  bool skips = false;                                   // If: spelled as a goto past the body
  bool falls = false;                                   // Switch: the body falls through
  std::int64_t constant = 0;
  std::uint32_t variable = 0, tile = 0, sourceTile = 0, helper = 0;
  LoopForm form = LoopForm::For;
  Scalar value, lower, upper;
  std::int64_t step = 1;
  std::vector<Scalar> arguments;
  std::vector<std::uint32_t> tileArguments;
  std::vector<Statement> body, otherwise;
  std::uint32_t line = 0;                      // filled by printKernel; names the statement from then on
  std::uint32_t bodyEnd = 0, otherwiseEnd = 0; // lines that close them, likewise
};

/// Returns true for the two ends of a bracket of a buffer id.
inline bool isBuffer(const Statement &statement) {
  return statement.kind == Statement::Kind::GetBuffer || statement.kind == Statement::Kind::ReleaseBuffer;
}
inline bool isFlag(const Statement &statement) {
  return statement.kind == Statement::Kind::SetFlag || statement.kind == Statement::Kind::WaitFlag;
}
/// Returns true for what the tool may take out or move.
inline bool isSync(const Statement &statement) {
  return statement.kind == Statement::Kind::Barrier || isFlag(statement) || isBuffer(statement);
}

/// A function that works on tiles that it is given, or declares at the addresses it is given.
struct Helper {
  std::string name;
  std::vector<std::uint32_t> parameters;                   // variables
  std::vector<std::uint32_t> tileParameters, tileExamples; // tiles; the examples are tiles of the kernel of that type
  std::vector<Statement> body;
};

/// The digits of FuzzKernel::rareVariable, and the ones that make a condition hold.
constexpr std::int64_t kRareModuli[] = {97, 89}, kRareDigits[] = {13, 7};

/// A FIFO that the kernel consumes from or produces for, by the tensor forms of the calls.
struct FuzzFifo {
  std::string object, tensor, type, tensorType; // spellings
  std::int64_t flagBase = 0;
  bool consumes = false;
};

struct FuzzKernel {
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint64_t seed = 0;
  std::string name = "fuzzed";
  std::uint32_t firstLine = 0, lastLine = 0; // of its functions, filled by printKernels
  bool cube = false, tensorLines = false;    // tensors are declared on lines of their own
  bool forOneCore = true;                    // false: the file does not tell the cores apart
  std::vector<ScalarVariable> variables;
  std::vector<FuzzTile> tiles;
  std::vector<Helper> helpers;
  std::vector<std::vector<std::int64_t>> arrays;       // of event ids
  bool longRuns = false;                               // branches take turns over more trips than other kernels run
  bool simulated = true;                               // false: holds calls that the simulator does not know
  bool tail = true;                                    // ends in a fence
  std::uint32_t lengthVariable = 0, limitVariable = 0; // the arguments n and c
  std::uint32_t pointerArguments = 3;                  // the last is only read by the scalar unit
  /// An argument on which conditions depend that hold for few of its values, or in one trip of a loop for few of them;
  /// kNone: there is none. Its digits decide: r % kRareModuli[0], r / kRareModuli[0] % kRareModuli[1].
  std::uint32_t rareVariable = kNone;
  std::vector<FuzzFifo> fifos;
  std::vector<Statement> body;
};

/// "Tile<TileType::Vec, float, ...>".
std::string tileTypeName(const FuzzTile &tile);

/// The C++ text of a file that holds the kernels; their names must differ. Fills Statement::line. A sync that
/// arrived in front of an instruction stands behind the tensors that are declared for it.
std::string printKernels(std::vector<FuzzKernel> &kernels);
/// A file of one kernel.
std::string printKernel(FuzzKernel &kernel);

/// All lists of a kernel that hold statements, outer ones before those inside them. Good until a list changes.
std::vector<std::vector<Statement> *> listsOf(FuzzKernel &kernel);

/// Calls `visit` for each statement of a list and, before the next, for those inside it.
template <typename List, typename Visit> void forEachStatement(List &list, Visit visit) {
  for (auto &statement : list) {
    visit(statement);
    forEachStatement(statement.body, visit);
    forEachStatement(statement.otherwise, visit);
  }
}

} // namespace ptosync::fuzz
