#include "machine/effects.h"

#include "machine/form_choice.h"

#include <algorithm>

namespace ptosync {
namespace {

/// All accesses of a call, by role.
std::vector<EffectAccess> allAccesses(const Instruction &instruction, const InstructionForm &form,
                                      const OperandBytes &tiles) {
  std::vector<EffectAccess> accesses;
  for (std::size_t i = 0; i < instruction.operands.size() && i < form.operands.size(); ++i) {
    EffectAccess access;
    access.operand = i;
    switch (form.operands[i].role) {
    case OperandRole::Write: access.writes = true; break;
    case OperandRole::Read: access.reads = true; break;
    case OperandRole::ReadWrite: access.reads = access.writes = true; break;
    case OperandRole::Scratch: access.reads = access.writes = access.scratch = true; break;
    default: continue;
    }
    for (EffectAccess &piece : tiles.placed(std::move(access)))
      accesses.push_back(std::move(piece));
  }
  for (const HiddenMemory &hidden : form.hidden) {
    EffectAccess access;
    access.hidden = &hidden;
    access.reads = access.writes = access.scratch = true;
    accesses.push_back(access);
  }
  return accesses;
}

/// The one early return of the row reductions, which touches nothing and skips their closing barrier: more than one
/// but fewer than two 256-byte repeats per row, and rows of the source or of the scratch under eight 32-byte blocks.
bool shortRowReduce(const OperandBytes &tiles) {
  constexpr std::int64_t kRepeat = 256;
  std::optional<Tile> source = tiles.at(1), scratch = tiles.at(2);
  auto plain = [](const std::optional<Tile> &tile) {
    return tile && tile->innerLayout == InnerLayout::NoneBox && tile->elementBits >= 8;
  };
  if (!plain(source) || source->blockLayout != BlockLayout::RowMajor || !plain(scratch))
    return true;
  auto rowBytes = [](const Tile &tile) { return std::int64_t{tile.cols} * tile.elementBits / 8; };
  bool shortStride = rowBytes(*source) < kRepeat || rowBytes(*scratch) < kRepeat;
  bool undecided = source->staticValidCols < 0;
  std::int64_t most = (undecided ? source->cols : source->staticValidCols) * std::int64_t{source->elementBits} / 8;
  bool betweenOneAndTwo = most > kRepeat && (undecided || most < 2 * kRepeat);
  return shortStride && betweenOneAndTwo;
}

std::optional<MatrixProduct> productOf(const InstructionForm &form, const OperandBytes &tiles) {
  if (form.productRows.empty())
    return std::nullopt;
  std::optional<Tile> left = tiles.named(form.productRows), right = tiles.named(form.productCols);
  if (!left || !right || left->staticValidRows <= 0 || right->staticValidCols <= 0 ||
      left->elementBits != right->elementBits)
    return std::nullopt;
  return MatrixProduct{left->staticValidRows, right->staticValidCols, left->elementBits};
}

bool libraryHolds(const InstructionForm &form, const OperandBytes &tiles) {
  if (form.library.empty())
    return false;
  if (form.libraryUnless.empty())
    return true;
  // An exception the tool does not know how to test is taken to apply.
  return form.libraryUnless == "short-row-reduce" && !shortRowReduce(tiles);
}

std::optional<EffectAccess> namedAccess(const Instruction &instruction, const InstructionForm &form,
                                        const std::string &name) {
  EffectAccess access;
  for (std::size_t i = 0; i < instruction.operands.size() && i < form.operands.size(); ++i)
    if (form.operands[i].name == name) {
      access.operand = i;
      access.scratch = form.operands[i].role == OperandRole::Scratch;
      return access;
    }
  for (const HiddenMemory &hidden : form.hidden)
    if (hidden.name == name) {
      access.hidden = &hidden;
      access.scratch = true;
      return access;
    }
  return std::nullopt;
}

std::vector<EffectPhase> libraryPhases(const Instruction &instruction, const InstructionForm &form,
                                       const OperandBytes &tiles) {
  std::vector<EffectPhase> phases;
  for (const LibraryPhase &described : form.library) {
    EffectPhase phase;
    phase.pipe = described.pipe;
    phase.barrier = described.barrier;
    auto add = [&](const std::string &name, bool write) {
      std::optional<EffectAccess> access = namedAccess(instruction, form, name);
      if (!access)
        return;
      for (EffectAccess &known : phase.accesses)
        if (known.operand == access->operand && known.hidden == access->hidden) {
          (write ? known.writes : known.reads) = true;
          return;
        }
      (write ? access->writes : access->reads) = true;
      for (EffectAccess &piece : tiles.placed(std::move(*access)))
        phase.accesses.push_back(std::move(piece));
    };
    for (const std::string &name : described.reads)
      add(name, false);
    for (const std::string &name : described.writes)
      add(name, true);
    phases.push_back(std::move(phase));
  }
  return phases;
}

} // namespace

Effects effectsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine, Trust trust,
                  const CallState &state) {
  Effects effects;
  effects.form = chooseForm(kernel, instruction, machine, state);
  if (!effects.form) {
    effects.known = false;
    effects.fence = FenceKind::All;
    for (Pipe pipe : kPipes)
      effects.phases.push_back({pipe, false, true, {}});
    return effects;
  }
  const InstructionForm &form = *effects.form;
  effects.fence = form.fence;
  effects.assigns = form.assigns;
  effects.flags = form.flags;
  for (const std::string &space : form.publishes)
    if (std::optional<std::size_t> known = machine.spaceByName(space))
      effects.publishes.insert(*known);
  const OperandBytes tiles(kernel, instruction, form, state);
  effects.product = productOf(form, tiles);
  if (trust == Trust::Library && form.fence == FenceKind::None && libraryHolds(form, tiles)) {
    effects.phases = libraryPhases(instruction, form, tiles);
    return effects;
  }
  PipeSet pipes = form.pipes;
  if (form.fence != FenceKind::None && form.fence != FenceKind::All)
    pipes.insert(Pipe::S); // the scalar unit waits or signals whatever the queue does
  if (form.fence == FenceKind::All)
    pipes = PipeSet::all();
  std::vector<EffectAccess> accesses = allAccesses(instruction, form, tiles);
  for (Pipe pipe : kPipes)
    if (pipes.contains(pipe))
      effects.phases.push_back(
          {pipe, false, form.pipes.contains(pipe),
           form.pipes.contains(pipe) || form.pipes.empty() ? accesses : std::vector<EffectAccess>{}});
  return effects;
}

} // namespace ptosync
