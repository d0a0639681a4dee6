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
  bool scratch = false;               // a tmp operand or hidden memory: nobody's data
};

struct EffectPhase {
  Pipe pipe = Pipe::S;
  bool barrier = false;               // a barrier of `pipe` inside the library
  bool observed = true;               // false: touches no memory but keeps its place (fences)
  std::vector<EffectAccess> accesses;
};

struct Effects {
  bool known = true;
  FenceKind fence = FenceKind::None;
  Assigns assigns = Assigns::Nothing;
  std::vector<EffectPhase> phases;
  std::vector<HiddenFlag> flags;
  const InstructionForm *form = nullptr; // null if unknown
};

/// The tile with whatever is known of its valid region at the call; by default what its type says.
using TileAtCall = std::function<Tile(const Tile &)>;

Effects effectsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine, Trust trust,
                  const TileAtCall &tileAtCall = {});

/// The form that fits the call; null if none does.
const InstructionForm *chooseForm(const Kernel &kernel, const Instruction &instruction, const Machine &machine,
                                  const TileAtCall &tileAtCall = {});

} // namespace ptosync
