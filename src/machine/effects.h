// Says what an instruction does: phases on pipes, with the operands that each one reads and writes.
//
// Lists the effects of the form of the machine model that fits a call (form_choice.h). With tile-level
// trust a call is one opaque access on each of its pipes; with library trust it is the phases
// inside the library template, barriers included, where the model describes them and the call
// is not the degenerate case they do not hold for. A call that fits no form is unknown: an
// opaque fence that reads and writes everything on every pipe.
// Tested by tests/machine/effects_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/call_state.h"
#include "machine/form_choice.h"
#include "machine/machine.h"
#include "machine/operand_bytes.h"
#include "machine/trust.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace ptosync {

/// What a matrix product adds into its accumulator. Sizes are in elements.
struct MatrixProduct {
  std::int64_t rows = 0, columns = 0, inputBits = 0;
  /// Returns of how many squares of `side` x `side` elements the result consists.
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
