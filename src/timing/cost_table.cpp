#include "timing/cost_table.h"

#include "base/json.h"

#include <algorithm>
#include <array>
#include <cstdint>
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

namespace ptosync {

// JSON -> CostTable, with messages that name the place: a whole table, or a user's file over one.

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedTimingFiles();
} // namespace ptosync

namespace ptosync::timing {

/// The numbers of a table: cycles, bytes and MHz. With others the sums over a run might not fit 64 bits.
constexpr double kMostAmount = 1e6; // of cycles
constexpr double kLeastSpeed = 0.001, kMostSpeed = 1e15;
constexpr std::int64_t kMostCount = std::int64_t(1) << 20;

class CostTableReader {
public:
  /// `overlaid`: the machine of an overlay; null: the whole table is read.
  CostTableReader(JsonDocument &document, const Machine *overlaid) : document(document), machine(overlaid) {}

  llvm::Error read(CostTable &table) {
    JsonNode root = document.root();
    root.allowKeys({"schema", "arch", "clockMHz", "clockSource", "issue", "fifo", "paths", "otherPath", "matrix",
                    "vectorMoves", "scalar", "vector", "otherVector", "otherInstruction", "source"});
    root.at("schema").integer(1, 1);
    JsonNode arch = root.at("arch");
    if (std::string name = arch.text(); machine && name != table.archName)
      arch.fail("expected '" + table.archName + "', the architecture of the kernel, found '" + name + "'");
    else
      table.archName = name;
    table.clock = speed(root, "clockMHz", table.clock);
    root.find("clockSource").text();
    if (JsonNode issue = wanted(root, "issue")) {
      checkSource(issue, {"instruction", "sync", "scalar"});
      table.issueCost = {amount(issue, "instruction", table.issueCost.instruction),
                         amount(issue, "sync", table.issueCost.sync)};
    }
    if (JsonNode fifo = wanted(root, "fifo"))
      readFifo(fifo, table);
    readPaths(root, table);
    if (JsonNode matrix = wanted(root, "matrix"))
      readMatrix(matrix, table);
    if (JsonNode moves = wanted(root, "vectorMoves"))
      table.vectorMoves = instructions(moves);
    readVector(root, table);
    readScalar(root, table);
    return document.problem();
  }

private:
  /// A whole table has every key, an overlay those that it replaces.
  JsonNode wanted(const JsonNode &parent, llvm::StringRef key) const {
    return machine ? parent.find(key) : parent.at(key);
  }
  double speed(const JsonNode &parent, llvm::StringRef key, double otherwise) const {
    JsonNode value = wanted(parent, key);
    return value ? value.number(JsonNode::Bound::AtLeast, kLeastSpeed, kMostSpeed) : otherwise;
  }
  double amount(const JsonNode &parent, llvm::StringRef key, double otherwise, double least = 0) const {
    JsonNode value = wanted(parent, key);
    return value ? value.number(JsonNode::Bound::AtLeast, least, kMostAmount) : otherwise;
  }
  std::int64_t count(const JsonNode &parent, llvm::StringRef key, std::int64_t otherwise) const {
    return wanted(parent, key).integer(1, kMostCount, otherwise);
  }

  std::vector<std::string> instructions(const JsonNode &list) const {
    std::vector<std::string> names = list.texts();
    if (!machine)
      return names;
    const std::vector<std::string> all = machine->instructions().names();
    std::vector<llvm::StringRef> known = {"scalar.load", "scalar.store"};
    known.insert(known.end(), all.begin(), all.end());
    for (const JsonNode &name : list.items())
      name.word(known);
    return names;
  }

  std::string memory(const JsonNode &value) const {
    if (!machine)
      return value.text();
    std::vector<llvm::StringRef> known = {"GM"};
    for (const MemorySpace &space : machine->spaces())
      known.emplace_back(space.name);
    return value.word(known);
  }

  /// Every number says where it is from and how far it can be relied on.
  void checkSource(const JsonNode &value, std::vector<llvm::StringRef> keys) const {
    keys.insert(keys.end(), {"source", "error"});
    value.allowKeys(keys);
    value.at("source").text();
    value.at("error").text();
  }

  void readFifo(const JsonNode &value, CostTable &table) {
    checkSource(value, {"waitHolds", "tileFreedBy", "signal", "wholeRing", "ringParts"});
    const FifoCost &now = table.fifoCost;
    table.fifoCost = {wanted(value, "waitHolds").choice(now.holdsCore, {{"core", true}, {"pipe", false}}),
                      wanted(value, "tileFreedBy").choice(now.popFrees, {{"pop", true}, {"free", false}}),
                      amount(value, "signal", now.signal), count(value, "wholeRing", now.wholeRing),
                      count(value, "ringParts", now.ringParts)};
  }

  PathCost pathOf(const JsonNode &value, const PathCost &otherwise) const {
    checkSource(value, {"from", "to", "bytesPerCycle", "latency", "sourceShare"});
    JsonNode share = value.find("sourceShare");
    return {speed(value, "bytesPerCycle", otherwise.bytesPerCycle), amount(value, "latency", otherwise.latency),
            share ? share.number(JsonNode::Bound::AtLeast, 0, kMostAmount) : otherwise.sourceShare};
  }

  void readPaths(const JsonNode &root, CostTable &table) {
    if (JsonNode other = wanted(root, "otherPath"))
      table.otherPath = pathOf(other, table.otherPath);
    for (const JsonNode &path : wanted(root, "paths").items(0)) {
      std::string from = memory(path.at("from")), to = memory(path.at("to"));
      table.paths[{from, to}] = pathOf(path, machine ? table.path(from, to) : PathCost{});
    }
  }

  VectorCost vectorOf(const JsonNode &value, const VectorCost &otherwise) const {
    checkSource(value, {"names", "fixed", "perRow", "perRepeat", "latency"});
    return {amount(value, "fixed", otherwise.fixed), amount(value, "perRow", otherwise.perRow),
            amount(value, "perRepeat", otherwise.perRepeat), amount(value, "latency", otherwise.latency)};
  }

  void readVector(const JsonNode &root, CostTable &table) {
    if (JsonNode other = wanted(root, "otherVector"))
      table.otherVector = vectorOf(other, table.otherVector);
    for (const JsonNode &entry : wanted(root, "vector").items(0))
      for (const std::string &name : instructions(entry.at("names")))
        table.vector[name] = vectorOf(entry, machine ? table.vectorCost(name) : VectorCost{});
  }

  void readScalar(const JsonNode &root, CostTable &table) {
    for (const JsonNode &entry : wanted(root, "scalar").items(0)) {
      checkSource(entry, {"names", "cycles"});
      for (const std::string &name : instructions(entry.at("names")))
        table.scalar[name] = entry.at("cycles").number(JsonNode::Bound::AtLeast, 0, kMostAmount);
    }
    if (JsonNode other = wanted(root, "otherInstruction")) {
      checkSource(other, {"cycles"});
      table.otherInstruction = other.at("cycles").number(JsonNode::Bound::AtLeast, 0, kMostAmount);
    }
  }

  void readMatrix(const JsonNode &value, CostTable &table) {
    checkSource(value, {"fixed", "perTile", "perTileFloat", "tileRows", "tileCols", "tileBytes"});
    const MatrixCost &now = table.matrixCost;
    auto size = [&](llvm::StringRef key, std::int64_t otherwise) {
      return static_cast<std::int64_t>(amount(value, key, static_cast<double>(otherwise), 1));
    };
    table.matrixCost = {amount(value, "fixed", now.fixed),
                        amount(value, "perTile", now.perTile),
                        amount(value, "perTileFloat", now.perTileFloat),
                        size("tileRows", now.tileRows),
                        size("tileCols", now.tileCols),
                        size("tileBytes", now.tileBytes)};
  }

  JsonDocument &document;
  const Machine *machine;
};

llvm::Expected<CostTable> CostTable::parse(std::string_view json, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(json, name);
  if (!document)
    return document.takeError();
  CostTable table;
  if (llvm::Error error = CostTableReader(*document, nullptr).read(table))
    return std::move(error);
  return table;
}

llvm::Error CostTable::overlay(std::string_view json, std::string_view name, const Machine &machine) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(json, name);
  if (!document)
    return document.takeError();
  CostTable table = *this;
  if (llvm::Error error = CostTableReader(*document, &machine).read(table))
    return error;
  *this = std::move(table);
  overlayName = name;
  return llvm::Error::success();
}

llvm::Expected<CostTable> CostTable::builtIn(std::string_view arch) {
  std::string wanted = "cost_" + std::string(arch) + ".json";
  for (const auto &[file, text] : embeddedTimingFiles())
    if (file == wanted)
      return parse(text, file);
  return llvm::createStringError("no timing data for " + std::string(arch) + "; expected a3 or a5");
}

} // namespace ptosync::timing
