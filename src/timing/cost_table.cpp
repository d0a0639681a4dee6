#include "timing/cost_table.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ptosync::timing {
namespace {

using replay::Access;
using replay::Work;

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t bytesOf(const Access &access) { return access.bytes.footprint.rows * access.bytes.footprint.rowBytes; }

/// All that the call touches, from whichever of its pipes lists most.
const replay::Phase *fullestPhase(const Work &work) {
  const replay::Phase *fullest = nullptr;
  for (const replay::Phase &phase : work.phases)
    if (!phase.barrier && (!fullest || phase.accesses.size() > fullest->accesses.size()))
      fullest = &phase;
  return fullest;
}

bool touches(const replay::Phase &phase, const Machine &machine, std::string_view space) {
  std::optional<std::size_t> wanted = machine.spaceByName(space);
  return std::any_of(phase.accesses.begin(), phase.accesses.end(),
                     [&](const Access &access) { return wanted && access.bytes.space == wanted; });
}

/// The pipe that does the work of a call which may use several.
Pipe mainPipe(const Work &work, const Machine &machine) {
  const replay::Phase *full = fullestPhase(work);
  if (!full)
    return Pipe::S;
  PipeSet pipes;
  for (const replay::Phase &phase : work.phases)
    if (!phase.barrier)
      pipes.insert(phase.pipe);
  constexpr std::array<Pipe, 2> kWithAccumulator = {Pipe::M, Pipe::FIX};
  constexpr std::array<Pipe, 3> kWithL1 = {Pipe::MTE1, Pipe::MTE2, Pipe::MTE3};
  constexpr std::array<Pipe, 6> kOtherwise = {Pipe::V, Pipe::MTE2, Pipe::MTE3, Pipe::M, Pipe::FIX, Pipe::MTE1};
  std::vector<Pipe> preferred;
  auto prefer = [&](const auto &list) {
    for (Pipe pipe : list)
      preferred.push_back(pipe);
  };
  if (touches(*full, machine, "L0C"))
    prefer(kWithAccumulator);
  if (touches(*full, machine, "L1"))
    prefer(kWithL1);
  prefer(kOtherwise);
  for (Pipe pipe : preferred)
    if (pipes.contains(pipe))
      return pipe;
  return Pipe::S;
}

/// Rows and 256-byte repeats of the largest thing in UB that the call touches.
struct VectorShape {
  double rows = 1, repeats = 1;
};

constexpr std::int64_t kRepeatBytes = 256;

VectorShape shapeOf(std::int64_t rows, std::int64_t rowBytes, bool unbroken) {
  rows = std::max<std::int64_t>(rows, 1);
  std::int64_t repeats =
      unbroken ? ceilDivide(rows * rowBytes, kRepeatBytes) : rows * ceilDivide(rowBytes, kRepeatBytes);
  return {static_cast<double>(rows), static_cast<double>(std::max<std::int64_t>(repeats, 1))};
}

VectorShape vectorShape(const Work &work, const Kernel &kernel) {
  const Access *largest = nullptr;
  if (const replay::Phase *phase = fullestPhase(work))
    for (const Access &access : phase->accesses)
      if (!access.scratch && !access.bytes.whole && (!largest || bytesOf(access) > bytesOf(*largest)))
        largest = &access;
  if (largest && bytesOf(*largest) > 0) {
    std::int64_t rows = largest->validRows > 0 ? largest->validRows : largest->bytes.footprint.rows;
    return shapeOf(rows, ceilDivide(bytesOf(*largest), rows), largest->bytes.footprint.rows == 1);
  }
  VectorShape shape;
  for (const Operand &operand : work.instruction->operands) // an address is not known: the type tells the size
    if (operand.kind == Operand::Kind::Tile) {
      const Tile &tile = kernel.tiles[operand.index];
      VectorShape own = shapeOf(tile.rows, std::int64_t{tile.cols} * tile.elementBits / 8, false);
      if (own.repeats > shape.repeats)
        shape = own;
    }
  return shape;
}

} // namespace

const PathCost &CostTable::path(const std::string &from, const std::string &to) const {
  auto known = paths.find({from, to});
  return known == paths.end() ? otherPath : known->second;
}

const VectorCost &CostTable::vectorCost(const std::string &name) const {
  auto known = vector.find(name);
  return known == vector.end() ? otherVector : known->second;
}

/// The fewest bytes that both ends agree on, or what the path counts of the source's.
void CostTable::fillPath(CostShape &shape, const Work &work, const Machine &machine) const {
  const replay::Phase *phase = fullestPhase(work);
  shape.group = CostShape::Group::Path;
  shape.from = shape.to = "GM"; // a FIFO call does not name its ring
  std::int64_t bytes = 0, sourceBytes = 0;
  for (const Access &access : phase->accesses) {
    if (access.scratch)
      continue;
    if (access.bytes.space && access.reads) {
      shape.from = machine.spaces()[*access.bytes.space].name;
      sourceBytes = bytesOf(access);
    }
    if (access.bytes.space && access.writes)
      shape.to = machine.spaces()[*access.bytes.space].name;
    if (std::int64_t own = bytesOf(access); own > 0 && (bytes == 0 || own < bytes))
      bytes = own;
  }
  if (bytes == 0) {
    shape.group = CostShape::Group::Signal;
    return;
  }
  double share = path(shape.from, shape.to).sourceShare;
  shape.bytes = share > 0 && sourceBytes > 0 ? share * static_cast<double>(sourceBytes) : static_cast<double>(bytes);
}

void CostTable::fillTiles(CostShape &shape, const Work &work, const Kernel &kernel) const {
  std::int64_t m = 1, k = 1, n = 1, bits = 16;
  auto valid = [](std::int64_t known, std::uint32_t whole) { return known >= 0 ? known : std::int64_t{whole}; };
  for (const Operand &operand : work.instruction->operands) {
    if (operand.kind != Operand::Kind::Tile)
      continue;
    const Tile &tile = kernel.tiles[operand.index];
    if (tile.location == "Left") {
      m = valid(tile.staticValidRows, tile.rows);
      k = valid(tile.staticValidCols, tile.cols);
      bits = std::max<std::int64_t>(tile.elementBits, 4);
    } else if (tile.location == "Right") {
      n = valid(tile.staticValidCols, tile.cols);
    }
  }
  std::int64_t depth = std::max<std::int64_t>(matrixCost.tileBytes * 8 / bits, 1);
  shape.group = CostShape::Group::Matrix;
  shape.tiles = static_cast<double>(ceilDivide(m, matrixCost.tileRows) * ceilDivide(k, depth) *
                                    ceilDivide(n, matrixCost.tileCols));
  shape.wide = bits == 32;
}

CostShape CostTable::shapeOf(const Work &work, const Kernel &kernel, const Machine &machine) const {
  CostShape shape;
  shape.name = work.instruction->name;
  if (scalar.count(shape.name)) {
    shape.group = CostShape::Group::Scalar;
    return shape;
  }
  if (!work.known || work.phases.empty())
    return shape;
  shape.pipe = mainPipe(work, machine);
  bool movesInVector = std::find(vectorMoves.begin(), vectorMoves.end(), shape.name) != vectorMoves.end();
  if (shape.pipe == Pipe::M) {
    fillTiles(shape, work, kernel);
  } else if (shape.pipe == Pipe::V && !movesInVector) {
    VectorShape sizes = vectorShape(work, kernel);
    shape.group = CostShape::Group::Vector;
    shape.rows = sizes.rows;
    shape.repeats = sizes.repeats;
  } else if (shape.pipe != Pipe::S) {
    fillPath(shape, work, machine);
  }
  return shape;
}

Cost CostTable::costOf(const CostShape &shape) const {
  switch (shape.group) {
  case CostShape::Group::Scalar: return {Pipe::S, scalar.find(shape.name)->second, 0};
  case CostShape::Group::Signal: return {shape.pipe, 0, 0};
  case CostShape::Group::Matrix:
    return {shape.pipe, (shape.wide ? matrixCost.perTileFloat : matrixCost.perTile) * shape.tiles, matrixCost.fixed};
  case CostShape::Group::Path: {
    const PathCost &known = path(shape.from, shape.to);
    return {shape.pipe, shape.bytes / known.bytesPerCycle, known.latency};
  }
  case CostShape::Group::Vector: {
    const VectorCost &known = vectorCost(shape.name);
    return {shape.pipe, known.fixed + known.perRow * shape.rows + known.perRepeat * shape.repeats, known.latency};
  }
  case CostShape::Group::Other: break;
  }
  return {shape.pipe, otherInstruction, 0};
}

} // namespace ptosync::timing
