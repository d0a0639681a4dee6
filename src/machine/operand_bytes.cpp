#include "machine/operand_bytes.h"

#include "machine/form_choice.h"

#include <algorithm>

namespace ptosync {
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

} // namespace ptosync
