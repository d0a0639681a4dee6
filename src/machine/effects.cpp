#include "machine/effects.h"

#include <llvm/ADT/STLExtras.h>

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

bool propertyMatches(const std::string &actual, const std::string &wanted) {
  if (wanted == "floating")
    return isFloating(actual);
  if (wanted == "integer")
    return isInteger(actual);
  return actual == wanted;
}

const char *layoutName(BlockLayout layout) { return layout == BlockLayout::RowMajor ? "RowMajor" : "ColMajor"; }

bool isStatic(const Tile &tile) { return tile.staticValidRows >= 0 && tile.staticValidCols >= 0; }

/// "single" for one valid element, "several" for more, empty if the region is run-time.
const char *regionSize(const Tile &tile) {
  if (!isStatic(tile))
    return "";
  return tile.staticValidRows * tile.staticValidCols == 1 ? "single" : "several";
}

/// True if the valid regions are known to differ.
bool regionsDiffer(const Tile &a, const Tile &b) {
  auto differ = [](std::int64_t one, std::int64_t other) { return one >= 0 && other >= 0 && one != other; };
  return differ(a.staticValidRows, b.staticValidRows) || differ(a.staticValidCols, b.staticValidCols);
}

/// True if they are known to be the same.
bool regionsAlike(const Tile &a, const Tile &b) {
  return isStatic(a) && isStatic(b) && a.staticValidRows == b.staticValidRows && a.staticValidCols == b.staticValidCols;
}

/// True if all of the tensor is known to go into the valid region, row by row.
bool fitsInto(const Tensor &tensor, const Tile &tile) {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < tensor.shape.size(); ++d) {
    if (tensor.shape[d] <= 0 || rows > INT64_MAX / tensor.shape[d])
      return false;
    rows *= tensor.shape[d];
  }
  return tensor.shape.back() > 0 && rows <= tile.staticValidRows && tensor.shape.back() <= tile.staticValidCols;
}

/// The forms of an instruction against one call of it.
class CallFit {
public:
  CallFit(const Kernel &kernel, const Instruction &instruction, const CallState &state)
      : kernel(kernel), instruction(instruction), state(state) {}

  /// True if the forms account for every template constant of the call. One that is not known must not be what some
  /// form asks for.
  bool constantsFit(const InstructionFacts &facts) const {
    return std::all_of(instruction.templateConstants.begin(), instruction.templateConstants.end(),
                       [&](const TemplateConstant &constant) {
                         if (constant.value.empty())
                           return facts.templates.count(constant.kind) != 0 && !decides(facts, constant.kind);
                         return facts.templates.count(constant.kind) != 0 || facts.templates.count(constant.value) != 0;
                       });
  }

  bool fits(const InstructionForm &form) const {
    std::size_t count = instruction.operands.size();
    if (count < form.requiredOperands() || count > form.operands.size())
      return false;
    for (std::size_t i = 0; i < count; ++i)
      if (!kindFits(instruction.operands[i], form.operands[i].role))
        return false;
    return std::all_of(form.when.begin(), form.when.end(),
                       [&](const auto &condition) { return holds(form, condition.first, condition.second); });
  }

private:
  /// True if a constant of that kind decides between forms.
  static bool decides(const InstructionFacts &facts, const std::string &kind) {
    return std::any_of(facts.forms.begin(), facts.forms.end(), [&](const InstructionForm &form) {
      auto wanted = form.when.find("template");
      return wanted != form.when.end() &&
             std::any_of(wanted->second.begin(), wanted->second.end(),
                         [&](const std::string &value) { return value.rfind(kind + "::", 0) == 0; });
    });
  }

  /// A role that needs an object must get one: a scalar in its place means another overload.
  static bool kindFits(const Operand &operand, OperandRole role) {
    bool object = operand.kind == Operand::Kind::Tile || operand.kind == Operand::Kind::Tensor ||
                  operand.kind == Operand::Kind::Pointer || operand.kind == Operand::Kind::Unknown;
    switch (role) {
    case OperandRole::Write:
    case OperandRole::Read:
    case OperandRole::ReadWrite:
    case OperandRole::Scratch: return object;
    case OperandRole::Fifo: return operand.kind == Operand::Kind::Fifo || operand.kind == Operand::Kind::Unknown;
    case OperandRole::Scalar: return operand.kind == Operand::Kind::Scalar || operand.kind == Operand::Kind::Pointer;
    case OperandRole::Config:
      return operand.kind != Operand::Kind::Tile && operand.kind != Operand::Kind::Tensor &&
             operand.kind != Operand::Kind::Fifo;
    case OperandRole::Ignored: return true;
    }
    return true;
  }

  /// Null if the form has no such operand or the call does not give it.
  const Operand *named(const InstructionForm &form, const std::string &name) const {
    for (std::size_t i = 0; i < form.operands.size() && i < instruction.operands.size(); ++i)
      if (form.operands[i].name == name)
        return &instruction.operands[i];
    return nullptr;
  }

  bool holds(const InstructionForm &form, const std::string &key, const std::vector<std::string> &wanted) const {
    auto any = [&](auto &&test) { return std::any_of(wanted.begin(), wanted.end(), test); };
    if (key == "template")
      return any([&](const std::string &value) { return templateMatches(value); });
    if (key == "section")
      return any([&](const std::string &value) { return value == sectionName(kernel.section); });
    std::size_t dot = key.find('.');
    const Operand *operand = dot == std::string::npos ? nullptr : named(form, key.substr(0, dot));
    if (!operand)
      return false;
    std::string property = key.substr(dot + 1);
    if (property == "unlike" || property == "like" || property == "fits")
      return any([&](const std::string &value) { return relates(*operand, property, named(form, value)); });
    std::string actual = propertyOf(*operand, property);
    // What is not known matches nothing; the model's last form is the union of all.
    return !actual.empty() && any([&](const std::string &value) { return propertyMatches(actual, value); });
  }

  /// `wanted` is an enumerator, or how it begins.
  bool templateMatches(const std::string &wanted) const {
    return std::any_of(instruction.templateConstants.begin(), instruction.templateConstants.end(),
                       [&](const TemplateConstant &constant) { return constant.value.rfind(wanted, 0) == 0; });
  }

  bool relates(const Operand &operand, const std::string &property, const Operand *other) const {
    std::optional<Tile> tile = other ? tileOf(kernel, *other, state) : std::nullopt;
    if (!tile)
      return false;
    if (property == "fits")
      return operand.kind == Operand::Kind::Tensor && fitsInto(kernel.tensors[operand.index], *tile);
    std::optional<Tile> own = tileOf(kernel, operand, state);
    return own && (property == "like" ? regionsAlike(*own, *tile) : regionsDiffer(*own, *tile));
  }

  /// The property of an operand that a condition asks for; empty if the operand has no such property.
  std::string propertyOf(const Operand &operand, std::string_view property) const {
    if (property == "kind")
      return kindOf(operand);
    if (std::optional<Tile> tile = tileOf(kernel, operand, state)) {
      if (property == "location")
        return tile->location;
      if (property == "type")
        return tile->element;
      if (property == "layout")
        return layoutName(tile->blockLayout);
      if (property == "region")
        return regionSize(*tile);
    }
    if (operand.kind == Operand::Kind::Tensor && property == "type")
      return kernel.tensors[operand.index].element;
    if (operand.kind == Operand::Kind::Fifo && property == "direction")
      return kernel.fifos[operand.index].direction;
    return {};
  }

  static std::string kindOf(const Operand &operand) {
    switch (operand.kind) {
    case Operand::Kind::Tile: return "tile";
    case Operand::Kind::Tensor: return "tensor";
    case Operand::Kind::Fifo: return "pipe";
    case Operand::Kind::Scalar:
    case Operand::Kind::Pointer: return "scalar";
    case Operand::Kind::Unknown: return "";
    }
    return {};
  }

  const Kernel &kernel;
  const Instruction &instruction;
  const CallState &state;
};

} // namespace

std::optional<Tile> tileOf(const Kernel &kernel, const Operand &argument, const CallState &state) {
  if (argument.kind != Operand::Kind::Tile)
    return std::nullopt;
  return state.tile(kernel.tiles[argument.index]);
}

const InstructionForm *chooseForm(const Kernel &kernel, const Instruction &instruction, const Machine &machine,
                                  const CallState &state) {
  const InstructionFacts *facts = machine.instruction(instruction.name);
  const CallFit call(kernel, instruction, state);
  if (!facts || !instruction.followed || !call.constantsFit(*facts))
    return nullptr;
  for (const InstructionForm &form : facts->forms)
    if (call.fits(form))
      return &form;
  return nullptr;
}

Assigns assignsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine) {
  if (const InstructionForm *form = chooseForm(kernel, instruction, machine))
    return form->assigns;
  const InstructionFacts *facts = machine.instruction(instruction.name);
  const bool assigns = !facts || !instruction.followed ||
                       std::any_of(facts->forms.begin(), facts->forms.end(),
                                   [](const InstructionForm &form) { return form.assigns != Assigns::Nothing; });
  return assigns ? Assigns::Unknown : Assigns::Nothing;
}

std::int64_t slotsOf(const Fifo &fifo, Assigns assigns) {
  return assigns == Assigns::RingSlot ? fifo.slots : fifo.localSlots;
}

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 32; // of a tile; more is a value that was misread

/// Everything up to the end of the farther one; the one that is there.
std::optional<Footprint> hullOf(const std::optional<Footprint> &a, const std::optional<Footprint> &b) {
  if (!a || !b)
    return std::nullopt;
  if (*a == *b)
    return a;
  std::int64_t end = std::max(a->extent(), b->extent());
  return Footprint::run(end);
}

/// Known and not empty: an empty region is more likely a value that was misread than no access.
bool isCount(std::int64_t entry) { return entry > 0 && entry <= kMostElements; }

} // namespace

Tensor withLines(Tensor tensor, const EffectAccess &access) {
  std::int64_t &line = tensor.shape[access.lineDimension];
  if (line >= 0)
    line = std::max(line, access.leastLine);
  return tensor;
}

std::optional<Tile> OperandBytes::at(std::size_t operand) const {
  if (operand >= instruction.operands.size())
    return std::nullopt;
  return tileOf(kernel, instruction.operands[operand], state);
}

std::optional<std::size_t> OperandBytes::indexOf(const std::string &name) const {
  for (std::size_t i = 0; i < form.operands.size() && i < instruction.operands.size(); ++i)
    if (form.operands[i].name == name)
      return i;
  return std::nullopt;
}

std::optional<Tile> OperandBytes::named(const std::string &name) const {
  std::optional<std::size_t> index = indexOf(name);
  return index ? at(*index) : std::nullopt;
}

std::optional<ArgumentRange> OperandBytes::rangeOf(const std::string &name) const {
  std::optional<std::size_t> index = indexOf(name);
  return index ? state.range(instruction.operands[*index]) : std::nullopt;
}

/// One that is declared to be so long, of a side of the tile that has room for so many.
OperandBytes::Side OperandBytes::sideOf(std::int64_t declared, std::int64_t room) {
  return isCount(declared) ? Side{declared, declared} : Side{1, room};
}

OperandBytes::Region OperandBytes::regionOf(const Tile &tile) const {
  return {sideOf(tile.staticValidRows, tile.rows), sideOf(tile.staticValidCols, tile.cols)};
}

/// `side` becomes as long as the rows (or columns) of the operand of that name.
void OperandBytes::takeSide(Side &side, const std::string &name, bool rows) const {
  if (name.empty() || !indexOf(name))
    return; // its own
  std::optional<Tile> tile = named(name);
  if (!tile || tile->rows == 0 || tile->cols == 0)
    side.least = 1;
  else
    side = rows ? regionOf(*tile).rows : regionOf(*tile).cols;
}

/// As many lines as the tensor has; not more than the tile has room for where that is not known.
OperandBytes::Side OperandBytes::linesOf(const Tile &tile, const std::string &name) const {
  const bool byRows = tile.blockLayout == BlockLayout::RowMajor;
  std::optional<std::size_t> index = indexOf(name);
  std::int64_t lines = 1;
  if (!index || instruction.operands[*index].kind != Operand::Kind::Tensor) {
    lines = -1;
  } else {
    const Tensor &tensor = kernel.tensors[instruction.operands[*index].index];
    for (std::size_t d = 0; d < tensor.shape.size(); ++d)
      if (d != (byRows ? 4u : 3u))
        lines = lines > 0 && isCount(tensor.shape[d]) ? lines * tensor.shape[d] : -1;
  }
  return sideOf(lines, byRows ? tile.rows : tile.cols);
}

OperandBytes::Region OperandBytes::walked(const Tile &tile, const RegionWalk &walk) const {
  Region region = regionOf(tile);
  takeSide(region.rows, walk.rows, !walk.rowsAreColumns);
  takeSide(region.cols, walk.columns, walk.columnsAreRows);
  if (!walk.lines.empty())
    (tile.blockLayout == BlockLayout::RowMajor ? region.rows : region.cols) = linesOf(tile, walk.lines);
  return region;
}

/// True if in all tiles of the call that hold data rows are equally long.
bool OperandBytes::oneStride() const { return alike(/*rowsToo=*/false); }

/// True if all tiles of the call that hold data have the same rows and columns: then the library takes a valid region
/// without gaps as one run, whether the types or only the values say that it has none.
bool OperandBytes::oneShape() const { return alike(/*rowsToo=*/true); }

bool OperandBytes::alike(bool rowsToo) const {
  const Tile *first = nullptr;
  for (std::size_t i = 0; i < form.operands.size() && i < instruction.operands.size(); ++i) {
    if (instruction.operands[i].kind != Operand::Kind::Tile || form.operands[i].role == OperandRole::Ignored)
      continue;
    const Tile *tile = &kernel.tiles[instruction.operands[i].index];
    if (!first)
      first = tile;
    if ((rowsToo && tile->rows != first->rows) || tile->cols != first->cols || tile->blockLayout != first->blockLayout)
      return false;
  }
  return first != nullptr;
}

/// True if an index that the call is given is known to lead to a place inside the tile; `insideRegion` if what is
/// touched there lies in the valid region.
bool OperandBytes::indexInside(const Tile &tile, const OperandFact &fact, bool &insideRegion) const {
  const Region valid = regionOf(tile);
  if (!fact.element.empty()) {
    std::optional<ArgumentRange> index = rangeOf(fact.element);
    if (!index || index->lowest < 0 || index->highest >= std::int64_t{tile.rows} * tile.cols)
      return false;
    insideRegion = valid.cols.least == tile.cols && tile.blockLayout == BlockLayout::RowMajor &&
                   tile.innerLayout == InnerLayout::NoneBox && index->highest < valid.rows.least * valid.cols.least;
    return true;
  }
  std::optional<ArgumentRange> row = rangeOf(fact.window->row), column = rangeOf(fact.window->column);
  std::optional<Tile> part = named(fact.window->of);
  if (!row || !column || !part || row->lowest < 0 || column->lowest < 0 || row->highest > kMostElements ||
      column->highest > kMostElements)
    return false;
  const Region size = regionOf(*part);
  const std::int64_t rows = row->highest + size.rows.most, cols = column->highest + size.cols.most;
  insideRegion = rows <= valid.rows.least && cols <= valid.cols.least;
  return rows <= tile.rows && cols <= tile.cols;
}

void OperandBytes::placeTile(EffectAccess &access, const Tile &tile, const OperandFact &fact) const {
  const std::optional<Footprint> valid = tileFootprint(tile, access.scratch ? Extent::Whole : Extent::Valid);
  const AccessRegion region = access.scratch ? AccessRegion::Whole : fact.region;
  // The tile's own region counts in any case: versions of the library differ, and some of them refuse what differs.
  access.bytes = regionFootprint(tile, region);
  access.certain = access.scratch ? valid : certainFootprint(tile, fact.region);
  bool oneRegion = true; // all of them are the tile's own
  Tile least = tile;     // what lies in all of them
  for (const RegionWalk &walk : fact.walks) {
    const Region over = walked(tile, walk);
    std::optional<Footprint> covered = walkedFootprint(tile, over.rows.most, over.cols.most, region);
    const bool first = &walk == &fact.walks.front();
    oneRegion = oneRegion && covered == valid;
    access.bytes = hullOf(access.bytes, covered);
    least.staticValidRows = first ? over.rows.least : std::min(least.staticValidRows, over.rows.least);
    least.staticValidCols = first ? over.cols.least : std::min(least.staticValidCols, over.cols.least);
  }
  if (!fact.walks.empty() && !access.scratch)
    access.certain = certainFootprint(least, fact.region);
  for (const AccessReach &reach : fact.reaches)
    access.bytes = reached(tile, access.bytes, reach);
  if (fact.window || !fact.element.empty()) {
    bool insideRegion = false;
    if (!indexInside(tile, fact, insideRegion))
      access.bytes.reset();
    else if (!insideRegion)
      access.bytes = hullOf(access.bytes, tileFootprint(tile, Extent::Whole));
  }
  // Where rows of one operand are as far apart as those of another one, what lies between its own rows is touched.
  if (access.bytes && access.bytes->rows > 1 && !oneStride())
    access.bytes = Footprint::run(access.bytes->extent());
  access.widened = access.bytes != valid || !oneRegion;
  access.order = fact.order == AccessOrder::Elementwise ? (oneShape() ? AccessOrder::Sequential : AccessOrder::Columns)
                                                        : fact.order;
  if (fact.doubtful || !access.bytes)
    access.certain.reset();
}

void OperandBytes::placeTensor(EffectAccess &access, const OperandFact &fact) const {
  for (const RegionWalk &walk : fact.walks)
    if (std::optional<Tile> tile = walk.line.empty() ? std::nullopt : named(walk.line)) {
      const bool rows = tile->blockLayout == BlockLayout::RowMajor;
      const std::int64_t line = rows ? tile->staticValidCols : tile->staticValidRows;
      access.lineDimension = rows ? 4 : 3;
      access.leastLine = isCount(line) ? line : 0;
    }
}

/// On one reading all of the tile, on the other what lies outside of the region: what both have in common is certain,
/// in one piece for the ends of the valid lines and one for the lines behind them.
std::vector<EffectAccess> OperandBytes::padding(EffectAccess access, const Tile &tile, const OperandFact &fact) const {
  const Region region = fact.walks.empty() ? regionOf(tile) : walked(tile, fact.walks.front());
  access.bytes = hullOf(tileFootprint(tile, Extent::Whole), access.bytes);
  access.widened = true;
  access.certain.reset();
  if (!region.known() || fact.doubtful)
    return {access};
  std::vector<EffectAccess> pieces;
  for (const PaddingPiece &piece : paddingOf(tile, region.rows.most, region.cols.most)) {
    pieces.push_back(access);
    pieces.back().certain = piece.bytes;
    pieces.back().certainOffset = piece.offset;
  }
  return pieces.empty() ? std::vector<EffectAccess>{access} : pieces;
}

std::vector<EffectAccess> OperandBytes::placed(EffectAccess access) const {
  if (!access.operand)
    return {access};
  const OperandFact &fact = form.operands[*access.operand];
  if (instruction.operands[*access.operand].kind == Operand::Kind::Tensor)
    placeTensor(access, fact);
  std::optional<Tile> tile = at(*access.operand);
  if (!tile)
    return {access};
  placeTile(access, *tile, fact);
  return fact.region == AccessRegion::Padding ? padding(access, *tile, fact) : std::vector<EffectAccess>{access};
}

/// Empty if a tile that decides is not known.
std::optional<Footprint> OperandBytes::reached(const Tile &tile, const std::optional<Footprint> &bytes,
                                               const AccessReach &reach) const {
  std::optional<Footprint> whole = tileFootprint(tile, Extent::Whole);
  if (!bytes || !whole)
    return std::nullopt;
  std::int64_t size = bytesOfElement(tile); // the library takes scratch for elements as wide as those of its data
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
    size = std::max(size, bytesOfElement(counted));
    rows = counted.staticValidRows > 0 ? counted.staticValidRows : counted.rows;
    rows = (rows + reach.rowsPer - 1) / reach.rowsPer;
  }
  if (!reach.rowBytesOf.empty()) {
    Tile wide = tileNamed(reach.rowBytesOf);
    std::int64_t share = std::int64_t{wide.cols} * bytesOfElement(wide) * reach.shareOf / reach.shareIn;
    lastRow += (share + reach.rowUnit - 1) / reach.rowUnit * reach.rowUnit;
  }
  const std::int64_t step = reach.step > 0 ? reach.step : std::int64_t{tile.cols} * size;
  end = std::max(end, (std::max<std::int64_t>(rows, 1) - 1) * step + lastRow);
  if (!reach.elementsOf.empty()) {
    Tile sized = tileNamed(reach.elementsOf);
    end = std::max(end, std::int64_t{sized.rows} * sized.cols * std::max(size, bytesOfElement(sized)));
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
  return end > bytes->extent() ? Footprint::run(end) : *bytes;
}

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
    llvm::append_range(accesses, tiles.placed(access));
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
      llvm::append_range(phase.accesses, tiles.placed(*access));
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
