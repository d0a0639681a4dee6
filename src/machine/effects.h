// Instruction -> what it does: phases on pipes with the operands each one reads and writes.
//
// Chooses the form of the machine model that fits a call and lists its effects. With tile-level
// trust a call is one opaque access on each of its pipes; with library trust it is the phases
// inside the library template, barriers included, where the model describes them and the call
// is not the degenerate case they do not hold for. A call that fits no form is unknown: an
// opaque fence that reads and writes everything on every pipe.
// Tested by tests/machine/effects_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/footprint.h"
#include "machine/machine.h"
#include "machine/trust.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// An operand or a piece of hidden memory that a phase touches.
struct EffectAccess {
  std::optional<std::size_t> operand; // index into Instruction::operands
  const HiddenMemory *hidden = nullptr;
  bool reads = false, writes = false;
  bool scratch = false; // a tmp operand or hidden memory: nobody's data
  // Of a tile operand:
  std::optional<Footprint> bytes;           // everything that may be touched, from the tile's start; empty: anything
  std::optional<Footprint> certain;         // what is touched on every reading; empty: perhaps nothing
  bool widened = false;                     // `bytes` is more than the valid region: no rule about exact accesses holds
  AccessOrder order = AccessOrder::Unknown; // never Elementwise
};

/// A matrix product: what it adds into its accumulator. Sizes are in elements.
struct MatrixProduct {
  std::int64_t rows = 0, columns = 0, inputBits = 0;
  /// Squares of `side` x `side` elements that the result consists of.
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
  Assigns assigns = Assigns::Nothing;
  std::vector<EffectPhase> phases;
  std::vector<HiddenFlag> flags;
  std::optional<MatrixProduct> product;  // empty: none, or its size is not known
  const InstructionForm *form = nullptr; // null if unknown
};

/// The tile with whatever is known of its valid region at the call; by default what its type says.
using TileAtCall = std::function<Tile(const Tile &)>;

Effects effectsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine, Trust trust,
                  const TileAtCall &tileAtCall = {});

/// The form that fits the call; null if none does.
const InstructionForm *chooseForm(const Kernel &kernel, const Instruction &instruction, const Machine &machine,
                                  const TileAtCall &tileAtCall = {});

/// What a call does to the addresses of its operands.
Assigns assignsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine);

} // namespace ptosync
