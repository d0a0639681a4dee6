// Holds what the machine model says of one instruction: its forms, their operands, and what they touch.
//
// Plain data, read by machine_reader.cpp. Tested by tests/machine/machine_test.cpp.
#pragma once

#include "kernel/pipe.h"
#include "machine/rules.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

enum class OperandRole : std::uint8_t { Write, Read, ReadWrite, Scratch, Scalar, Config, Ignored, Fifo };

/// The bytes of a tile that an operand's accesses cover. It is `Valid` for all but the exceptions.
enum class AccessRegion : std::uint8_t {
  Valid,   // the valid region, row by row
  Run,     // that, or as many elements in one run from the tile's start
  Rows,    // the whole of each valid row
  Repeats, // each valid row, up to the end of its last 256-byte repeat
  Whole,   // the whole tile
  Padding, // the whole tile on one reading, what lies outside of the valid region on every reading
};

/// Names the operand by whose valid region the library goes over this one. The names are those of operands of the form;
/// an empty name means the operand's own region. The name of a tensor may stand in `lines` alone.
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

/// Says how far an access may go beyond the tile, in bytes from the tile's start. It is the largest of
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
  Address,      // a tile's: a pop, counted
  Tensor,       // a tensor's, in the producer's ring
  PoppedTensor, // a tensor's, and counted
  Unknown,      // a call that no form fits: any operand may have another address, and the FIFO another count
};

constexpr bool countsPop(Assigns assigns) { return assigns == Assigns::Address || assigns == Assigns::PoppedTensor; }

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

  /// Returns the smallest number of arguments. The largest is operands.size().
  std::size_t requiredOperands() const;
};

struct InstructionFacts {
  std::vector<InstructionForm> forms; // most specific first
  std::set<std::string> traits;       // what audits ask of it: "copies", "signals", "fifo-pop", ...
  std::set<std::string> templates;    // kinds of template constants, or single ones, that the forms account for
  bool is(const std::string &trait) const { return traits.count(trait) != 0; }
};

} // namespace ptosync
