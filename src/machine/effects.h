// A call of an instruction: which form of the model fits it, which bytes it touches, what it does on which pipe.
//
//   Instruction, CallState --chooseForm--> InstructionForm --OperandBytes--> accesses --effectsOf--> Effects
//
// The form is the first one whose arguments fit and whose conditions all hold. A condition on something that is not
// known does not hold, so that the last form of an instruction is the union of the others. A call that is written with
// a template constant of a kind that the forms do not account for fits none of them.
//
// The library goes over most operands by the valid region of the result, over some by that of a source, and over a tile
// that is loaded or stored by the lines of the tensor: `walk` says whose region counts. That region may end behind the
// operand's own tile, and then what lies there is touched. Bytes are over-approximated: a region that is only known at
// run time is as large as its tile's type allows, and an index that is not known to lie inside its tile leads anywhere
// in the tile's memory. Where the tile lies is the engines' business.
//
// With tile-level trust a call is one opaque access on each of its pipes. With library trust it is the phases inside
// the library template, barriers included, where the model describes them and the call is not the degenerate case they
// do not hold for. A call that fits no form is unknown: an opaque fence that reads and writes everything on every pipe.
// Facts: docs/machine.md. Tested by tests/machine/effects_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/footprint.h"
#include "machine/machine.h"
#include "machine/model_choices.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptosync {

// --- what an engine knows where a call is issued; what it does not answer is not known ---

/// The inclusive bounds of an argument's value.
struct ArgumentRange {
  std::int64_t lowest = 0, highest = 0;
};

/// Returns the tile with whatever is known of its valid region at the call; by default what its type says.
using TileAtCall = std::function<Tile(const Tile &)>;

struct CallState {
  CallState() = default;
  CallState(TileAtCall tile, std::function<std::optional<ArgumentRange>(const Operand &)> range = {})
      : tileAtCall(std::move(tile)), rangeOf(std::move(range)) {}
  template <typename Callable, std::enable_if_t<std::is_invocable_r_v<Tile, Callable, const Tile &>, int> = 0>
  CallState(Callable tile) : tileAtCall(std::move(tile)) {}

  Tile tile(const Tile &declared) const { return tileAtCall ? tileAtCall(declared) : declared; }
  /// Returns nothing if the argument is no scalar or nothing is known of it.
  std::optional<ArgumentRange> range(const Operand &argument) const {
    return rangeOf ? rangeOf(argument) : std::nullopt;
  }

private:
  TileAtCall tileAtCall;
  std::function<std::optional<ArgumentRange>(const Operand &)> rangeOf;
};

// --- the form that fits ---

/// Returns null if no form fits, or the machine does not know the instruction.
const InstructionForm *chooseForm(const Kernel &kernel, const Instruction &instruction, const Machine &machine,
                                  const CallState &state = {});

/// Returns what a call does to the addresses of its operands.
Assigns assignsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine);

/// Returns how many slots of the consumer's ring a pop that places a tile goes round in; -1: not known.
std::int64_t slotsOf(const Fifo &fifo, Assigns assigns);

/// Returns the tile that an argument is, as it is at the call; nothing if the argument is no tile.
std::optional<Tile> tileOf(const Kernel &kernel, const Operand &argument, const CallState &state);

// --- the bytes of its operands ---

/// An operand or a piece of hidden memory that a phase touches.
struct EffectAccess {
  std::optional<std::size_t> operand; // index into Instruction::operands
  const HiddenMemory *hidden = nullptr;
  bool reads = false, writes = false;
  bool scratch = false; // a tmp operand or hidden memory: nobody's data
  // Of a tile operand:
  std::optional<Footprint> bytes;           // everything that may be touched, from the tile's start; empty: anything
  std::optional<Footprint> certain;         // what is touched on every reading; empty: perhaps nothing
  std::int64_t certainOffset = 0;           // where `certain` begins, in bytes from the tile's start
  bool widened = false;                     // `bytes` is more than the valid region: no rule about exact accesses holds
  AccessOrder order = AccessOrder::Unknown; // never Elementwise
  // Of a tensor operand: a line has at least so many elements, along dimension `lineDimension`. 0: as its shape says.
  std::int64_t leastLine = 0;
  std::size_t lineDimension = 4;
};

/// Returns the tensor with lines as long as the access asks for.
Tensor withLines(Tensor tensor, const EffectAccess &access);

/// The operands of one call, as they are when it is issued.
class OperandBytes {
public:
  OperandBytes(const Kernel &kernel, const Instruction &instruction, const InstructionForm &form,
               const CallState &state)
      : kernel(kernel), instruction(instruction), form(form), state(state) {}

  /// Returns nothing if the operand is no tile.
  std::optional<Tile> at(std::size_t operand) const;
  std::optional<Tile> named(const std::string &name) const;

  /// Returns `access` with the bytes of its operand that it touches, and in which order; several if what is certain
  /// lies in several pieces.
  std::vector<EffectAccess> placed(EffectAccess access) const;

private:
  /// One side of a region: the least and the most elements that there may be. A side that is not known has at least one
  /// element, for a region without any is more likely a value that was misread.
  struct Side {
    std::int64_t least = 1, most = 0;
    bool known() const { return least == most; }
  };
  struct Region {
    Side rows, cols;
    bool known() const { return rows.known() && cols.known(); }
  };
  std::optional<std::size_t> indexOf(const std::string &name) const;
  static Side sideOf(std::int64_t declared, std::int64_t room);
  Region regionOf(const Tile &tile) const;
  Region walked(const Tile &tile, const RegionWalk &walk) const;
  void takeSide(Side &side, const std::string &name, bool rows) const;
  Side linesOf(const Tile &tile, const std::string &tensor) const;
  void placeTile(EffectAccess &access, const Tile &tile, const OperandFact &fact) const;
  void placeTensor(EffectAccess &access, const OperandFact &fact) const;
  std::vector<EffectAccess> padding(EffectAccess access, const Tile &tile, const OperandFact &fact) const;
  bool oneShape() const;
  bool oneStride() const;
  bool alike(bool rowsToo) const;
  bool indexInside(const Tile &tile, const OperandFact &fact, bool &insideRegion) const;
  std::optional<ArgumentRange> rangeOf(const std::string &name) const;
  std::optional<Footprint> reached(const Tile &tile, const std::optional<Footprint> &bytes,
                                   const AccessReach &reach) const;

  const Kernel &kernel;
  const Instruction &instruction;
  const InstructionForm &form;
  const CallState &state;
};

// --- what it does ---

/// What a matrix product adds into its accumulator. Sizes are in elements.
struct MatrixProduct {
  std::int64_t rows = 0, columns = 0, inputBits = 0;
  /// Returns the number of squares of `side` x `side` elements that the result consists of.
  std::int64_t fractals(std::int64_t side) const { return ((rows + side - 1) / side) * ((columns + side - 1) / side); }
  bool operator==(const MatrixProduct &) const = default;
};

struct EffectPhase {
  Pipe pipe = Pipe::S;
  bool barrier = false; // a barrier of `pipe` inside the library
  bool observed = true; // false: touches no memory but keeps its place (fences)
  std::vector<EffectAccess> accesses;
};

struct Effects {
  bool known = true;
  FenceKind fence = FenceKind::None;
  std::set<std::size_t> publishes; // indices into Machine::spaces(): a call that may write there is a release
  Assigns assigns = Assigns::Nothing;
  std::vector<EffectPhase> phases;
  std::vector<HiddenFlag> flags;
  std::optional<MatrixProduct> product;  // empty: none, or its size is not known
  const InstructionForm *form = nullptr; // null if unknown
};

Effects effectsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine, Trust trust,
                  const CallState &state = {});

} // namespace ptosync
