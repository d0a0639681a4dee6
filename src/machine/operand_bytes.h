// Computes the bytes of its operands that a call touches.
//
//   operand's role, region, walk, window, reach (data)  +  tiles as they are at the call  -->  footprints
//
// The library goes over most operands by the valid region of the result, over some by that of a source, and over a
// tile that is loaded or stored by the lines of the tensor: `walk` says whose region counts. What that region covers
// of the operand's own rows may end behind the tile, and then what lies there is touched. Over-approximate: a region
// that is only known at run time is as large as its tile's type allows, an index that is not known to lie inside its
// tile leads anywhere in the tile's memory.
// Does not know where the tile lies: that is the engines' business. Facts: docs/machine.md. Tested by
// tests/machine/operand_bytes_test.cpp.
#pragma once

#include "machine/call_state.h"
#include "machine/footprint.h"
#include "machine/instruction_facts.h"

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

  /// Returns the operand's tile as it is at the call; empty if the operand is no tile.
  std::optional<Tile> at(std::size_t operand) const;
  std::optional<Tile> named(const std::string &name) const;

  /// Returns `access` with the bytes of its operand that it touches and their order. There are several results if what
  /// is certain lies in several pieces.
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

} // namespace ptosync
