#include "machine/effects.h"

#include "machine/footprint.h"

#include <algorithm>

namespace ptosync {
namespace {

bool isFloating(const std::string &element) {
  return element == "float" || element == "half" || element == "bfloat16_t" || element == "double" ||
         element.rfind("float", 0) == 0 || element.rfind("hifloat", 0) == 0;
}

bool isInteger(const std::string &element) {
  return element.rfind("int", 0) == 0 || element.rfind("uint", 0) == 0 || element == "bool";
}

const char *layoutName(BlockLayout layout) { return layout == BlockLayout::RowMajor ? "RowMajor" : "ColMajor"; }

/// "single" for one valid element, "several" for more, empty if the region is run-time.
const char *regionSize(const Tile &tile) {
  if (tile.staticValidRows < 0 || tile.staticValidCols < 0)
    return "";
  return tile.staticValidRows * tile.staticValidCols == 1 ? "single" : "several";
}

/// The property of an operand a condition asks for; empty if the operand has no such property.
std::string operandProperty(const Kernel &kernel, const Operand &operand, std::string_view property,
                            const TileAtCall &tileAtCall) {
  if (property == "kind")
    switch (operand.kind) {
    case Operand::Kind::Tile: return "tile";
    case Operand::Kind::Tensor: return "tensor";
    case Operand::Kind::Fifo: return "pipe";
    case Operand::Kind::Scalar:
    case Operand::Kind::Pointer: return "scalar";
    case Operand::Kind::Unknown: return "";
    }
  if (operand.kind == Operand::Kind::Tile) {
    const Tile &tile = kernel.tiles[operand.index];
    if (property == "location")
      return tile.location;
    if (property == "type")
      return tile.element;
    if (property == "layout")
      return layoutName(tile.blockLayout);
    if (property == "region")
      return regionSize(tileAtCall ? tileAtCall(tile) : tile);
  }
  if (operand.kind == Operand::Kind::Tensor && property == "type")
    return kernel.tensors[operand.index].element;
  if (operand.kind == Operand::Kind::Fifo && property == "direction")
    return kernel.fifos[operand.index].direction;
  return {};
}

bool propertyMatches(const std::string &actual, const std::string &wanted) {
  if (wanted == "floating")
    return isFloating(actual);
  if (wanted == "integer")
    return isInteger(actual);
  return actual == wanted;
}

bool templateMatches(const Instruction &instruction, const std::string &wanted) {
  return std::any_of(instruction.templateArguments.begin(), instruction.templateArguments.end(),
                     [&](const std::string &argument) { return argument.find(wanted) != std::string::npos; });
}

bool conditionHolds(const Kernel &kernel, const Instruction &instruction, const InstructionForm &form,
                    const std::string &key, const std::vector<std::string> &wanted, const TileAtCall &tileAtCall) {
  auto any = [&](auto &&test) { return std::any_of(wanted.begin(), wanted.end(), test); };
  if (key == "template")
    return any([&](const std::string &value) { return templateMatches(instruction, value); });
  if (key == "section")
    return any([&](const std::string &value) { return value == sectionName(kernel.section); });
  std::size_t dot = key.find('.');
  if (dot == std::string::npos)
    return false;
  std::string operandName = key.substr(0, dot), property = key.substr(dot + 1);
  for (std::size_t i = 0; i < form.operands.size() && i < instruction.operands.size(); ++i)
    if (form.operands[i].name == operandName) {
      std::string actual = operandProperty(kernel, instruction.operands[i], property, tileAtCall);
      // What is not known matches nothing; the model's last form is the union of all.
      return !actual.empty() && any([&](const std::string &value) { return propertyMatches(actual, value); });
    }
  return false;
}

/// A role that needs an object must get one: a scalar in its place means another overload.
bool kindFits(const Operand &operand, OperandRole role) {
  bool object = operand.kind == Operand::Kind::Tile || operand.kind == Operand::Kind::Tensor ||
                operand.kind == Operand::Kind::Pointer || operand.kind == Operand::Kind::Unknown;
  switch (role) {
  case OperandRole::Write:
  case OperandRole::Read:
  case OperandRole::ReadWrite:
  case OperandRole::Scratch: return object;
  case OperandRole::Fifo: return operand.kind == Operand::Kind::Fifo || operand.kind == Operand::Kind::Unknown;
  case OperandRole::Scalar:
  case OperandRole::Config:
    return operand.kind != Operand::Kind::Tile && operand.kind != Operand::Kind::Tensor &&
           operand.kind != Operand::Kind::Fifo;
  case OperandRole::Ignored: return true;
  }
  return true;
}

bool formFits(const Kernel &kernel, const Instruction &instruction, const InstructionForm &form,
              const TileAtCall &tileAtCall) {
  std::size_t count = instruction.operands.size();
  if (count < form.requiredOperands() || count > form.operands.size())
    return false;
  for (std::size_t i = 0; i < count; ++i)
    if (!kindFits(instruction.operands[i], form.operands[i].role))
      return false;
  return std::all_of(form.when.begin(), form.when.end(), [&](const auto &condition) {
    return conditionHolds(kernel, instruction, form, condition.first, condition.second, tileAtCall);
  });
}

/// The tiles of one call, as they are when it is issued.
class TilesOfCall {
public:
  TilesOfCall(const Kernel &kernel, const Instruction &instruction, const InstructionForm &form,
              const TileAtCall &tileAtCall)
      : kernel(kernel), instruction(instruction), form(form), tileAtCall(tileAtCall) {}

  /// Empty if the operand is no tile.
  std::optional<Tile> at(std::size_t operand) const {
    if (operand >= instruction.operands.size() || instruction.operands[operand].kind != Operand::Kind::Tile)
      return std::nullopt;
    const Tile &tile = kernel.tiles[instruction.operands[operand].index];
    return tileAtCall ? tileAtCall(tile) : tile;
  }
  std::optional<Tile> named(const std::string &name) const {
    for (std::size_t i = 0; i < form.operands.size(); ++i)
      if (form.operands[i].name == name)
        return at(i);
    return std::nullopt;
  }

  /// Fills in which bytes of its tile `access` touches, and in which order.
  void place(EffectAccess &access) const {
    std::optional<Tile> tile = access.operand ? at(*access.operand) : std::nullopt;
    if (!tile)
      return;
    const OperandFact &fact = form.operands[*access.operand];
    std::optional<Footprint> valid = tileFootprint(*tile, access.scratch ? Extent::Whole : Extent::Valid);
    access.bytes = regionFootprint(*tile, access.scratch ? AccessRegion::Whole : fact.region);
    access.certain = access.scratch ? valid : certainFootprint(*tile, fact.region);
    for (const AccessReach &reach : fact.reaches)
      access.bytes = reached(*tile, access.bytes, reach);
    access.widened = access.bytes != valid;
    access.order = fact.order == AccessOrder::Elementwise
                       ? (oneShape() ? AccessOrder::Sequential : AccessOrder::Columns)
                       : fact.order;
    if (fact.doubtful)
      access.certain.reset();
  }

  std::optional<MatrixProduct> product() const {
    if (form.productRows.empty())
      return std::nullopt;
    std::optional<Tile> left = named(form.productRows), right = named(form.productCols);
    if (!left || !right || left->staticValidRows <= 0 || right->staticValidCols <= 0 ||
        left->elementBits != right->elementBits)
      return std::nullopt;
    return MatrixProduct{left->staticValidRows, right->staticValidCols, left->elementBits};
  }

private:
  /// True if all tiles of the call that hold data have the same rows and columns: then the library takes a valid region
  /// without gaps as one run, whether the types or only the values say that it has none.
  bool oneShape() const {
    const Tile *first = nullptr;
    for (std::size_t i = 0; i < form.operands.size() && i < instruction.operands.size(); ++i) {
      if (instruction.operands[i].kind != Operand::Kind::Tile || form.operands[i].role == OperandRole::Ignored)
        continue;
      const Tile *tile = &kernel.tiles[instruction.operands[i].index];
      if (!first)
        first = tile;
      if (tile->rows != first->rows || tile->cols != first->cols || tile->blockLayout != first->blockLayout)
        return false;
    }
    return first != nullptr;
  }

  /// Empty if a tile that decides is not known.
  std::optional<Footprint> reached(const Tile &tile, const std::optional<Footprint> &bytes,
                                   const AccessReach &reach) const {
    std::optional<Footprint> whole = tileFootprint(tile, Extent::Whole);
    if (!bytes || !whole)
      return std::nullopt;
    const std::int64_t size = bytesOfElement(tile), step = reach.step > 0 ? reach.step : std::int64_t{tile.cols} * size;
    std::int64_t end = bytes->extent();
    bool known = true;
    auto tileNamed = [&](const std::string &name) {
      std::optional<Tile> found = named(name);
      known = known && found && found->rows > 0 && found->cols > 0;
      return found.value_or(Tile{});
    };
    std::int64_t rows = 1, lastRow = reach.bytes;
    if (!reach.rowsOf.empty()) {
      Tile counted = tileNamed(reach.rowsOf);
      rows = counted.staticValidRows > 0 ? counted.staticValidRows : counted.rows;
      rows = (rows + reach.rowsPer - 1) / reach.rowsPer;
    }
    if (!reach.rowBytesOf.empty()) {
      Tile wide = tileNamed(reach.rowBytesOf);
      std::int64_t share = std::int64_t{wide.cols} * bytesOfElement(wide) * reach.shareOf / reach.shareIn;
      lastRow += (share + reach.rowUnit - 1) / reach.rowUnit * reach.rowUnit;
    }
    end = std::max(end, (std::max<std::int64_t>(rows, 1) - 1) * step + lastRow);
    if (!reach.elementsOf.empty()) {
      Tile sized = tileNamed(reach.elementsOf);
      end = std::max(end, std::int64_t{sized.rows} * sized.cols * size);
    }
    if (!reach.shapeOf.empty()) {
      Tile shaped = tileNamed(reach.shapeOf);
      for (const auto &[shapeRows, shapeCols] : reach.shapes)
        if (shaped.rows == shapeRows && shaped.cols == shapeCols && shaped.staticValidRows == shapeRows &&
            shaped.staticValidCols == shapeCols)
          end = std::max(end, reach.shapeBytes);
    }
    if (reach.behind > 0)
      end = std::max(end, whole->extent() + reach.behind);
    if (!known)
      return std::nullopt;
    return end > bytes->extent() ? Footprint{1, end, end} : *bytes;
  }

  const Kernel &kernel;
  const Instruction &instruction;
  const InstructionForm &form;
  const TileAtCall &tileAtCall;
};

/// All accesses of a call, by role.
std::vector<EffectAccess> allAccesses(const Instruction &instruction, const InstructionForm &form,
                                      const TilesOfCall &tiles) {
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
    tiles.place(access);
    accesses.push_back(access);
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
bool shortRowReduce(const TilesOfCall &tiles) {
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

bool libraryHolds(const InstructionForm &form, const TilesOfCall &tiles) {
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
                                       const TilesOfCall &tiles) {
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
      tiles.place(*access);
      phase.accesses.push_back(*access);
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

const InstructionForm *chooseForm(const Kernel &kernel, const Instruction &instruction, const Machine &machine,
                                  const TileAtCall &tileAtCall) {
  const InstructionFacts *facts = machine.instruction(instruction.name);
  if (!facts)
    return nullptr;
  for (const InstructionForm &form : facts->forms)
    if (formFits(kernel, instruction, form, tileAtCall))
      return &form;
  return nullptr;
}

Assigns assignsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine) {
  if (const InstructionForm *form = chooseForm(kernel, instruction, machine))
    return form->assigns;
  const InstructionFacts *facts = machine.instruction(instruction.name);
  const bool assigns = !facts || std::any_of(facts->forms.begin(), facts->forms.end(), [](const InstructionForm &form) {
    return form.assigns != Assigns::Nothing;
  });
  return assigns ? Assigns::Unknown : Assigns::Nothing;
}

Effects effectsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine, Trust trust,
                  const TileAtCall &tileAtCall) {
  Effects effects;
  effects.form = chooseForm(kernel, instruction, machine, tileAtCall);
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
  const TilesOfCall tiles(kernel, instruction, form, tileAtCall);
  effects.product = tiles.product();
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
