// JSON -> CostTable, with messages that name the place: a whole table, or a user's file over one.
#include "base/json.h"
#include "timing/cost_table.h"

#include <cstdint>

namespace ptosync {
const std::vector<std::pair<std::string_view, std::string_view>> &embeddedTimingFiles();
}

namespace ptosync::timing {

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
    table.clock = aboveZero(root, "clockMHz", table.clock);
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
  double aboveZero(const JsonNode &parent, llvm::StringRef key, double otherwise) const {
    JsonNode value = wanted(parent, key);
    return value ? value.number(JsonNode::Bound::Above, 0) : otherwise;
  }
  double amount(const JsonNode &parent, llvm::StringRef key, double otherwise, double least = 0) const {
    JsonNode value = wanted(parent, key);
    return value ? value.number(JsonNode::Bound::AtLeast, least) : otherwise;
  }
  std::int64_t count(const JsonNode &parent, llvm::StringRef key, std::int64_t otherwise) const {
    return wanted(parent, key).integer(1, INT64_MAX, otherwise);
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
    return {aboveZero(value, "bytesPerCycle", otherwise.bytesPerCycle), amount(value, "latency", otherwise.latency),
            share ? share.number(JsonNode::Bound::AtLeast, 0) : otherwise.sourceShare};
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
        table.scalar[name] = entry.at("cycles").number(JsonNode::Bound::AtLeast, 0);
    }
    if (JsonNode other = wanted(root, "otherInstruction")) {
      checkSource(other, {"cycles"});
      table.otherInstruction = other.at("cycles").number(JsonNode::Bound::AtLeast, 0);
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
