// JSON -> CostTable, with messages that name the place: a whole table, or a user's file over one.
#include "timing/cost_table.h"
#include "json/json_fields.h"
#include "json/nearest_name.h"

#include <algorithm>
#include <optional>

namespace ptosync {
const std::vector<std::pair<std::string_view, std::string_view>> &embeddedTimingFiles();
}

namespace ptosync::timing {

class CostTableReader : JsonFields {
public:
  explicit CostTableReader(const JsonDocument &document) : JsonFields(document) {}

  /// `machine`: of an overlay; null: the whole table is read.
  llvm::Error read(const Json &root, CostTable &table, const Machine *overlaid) {
    machine = overlaid;
    knownKeys(root, "",
              {"schema", "arch", "clockMHz", "clockSource", "issue", "fifo", "paths", "otherPath", "matrix",
               "vectorMoves", "scalar", "vector", "otherVector", "otherInstruction", "source"});
    if (integer(root, "schema", "") != 1)
      fail("/schema", "1");
    std::string arch = word(root, "arch", "");
    if (machine && arch != table.archName)
      fail("/arch", "\"" + table.archName + "\", the architecture of the kernel, found \"" + arch + "\"");
    table.archName = arch;
    table.clock = amount(root, "clockMHz", "", kAboveZero, table.clock);
    if (wanted(root, "issue", "")) {
      const Json &issue = sourced(root, "issue", "", {"instruction", "sync", "scalar"});
      table.issueCost = {amount(issue, "instruction", "/issue", 0, table.issueCost.instruction),
                         amount(issue, "sync", "/issue", 0, table.issueCost.sync)};
    }
    if (wanted(root, "fifo", ""))
      readFifo(sourced(root, "fifo", "", {"waitHolds", "tileFreedBy", "signal", "wholeRing", "ringParts"}), table);
    readPaths(root, table);
    if (wanted(root, "matrix", ""))
      readMatrix(sourced(root, "matrix", "", {"fixed", "perTile", "perTileFloat", "tileRows", "tileCols", "tileBytes"}),
                 table);
    if (wanted(root, "vectorMoves", "")) {
      table.vectorMoves.clear();
      for (const std::string &name : namesOf(root, "vectorMoves", ""))
        table.vectorMoves.push_back(name);
    }
    readVector(root, table);
    readScalar(root, table);
    return problem();
  }

private:
  static constexpr double kAboveZero = 1e-9;

  /// A whole table has every key, an overlay those that it replaces.
  bool wanted(const Json &parent, const std::string &key, const std::string &at) {
    return !machine || !member(parent, key, at, false).is_null();
  }
  double amount(const Json &parent, const std::string &key, const std::string &at, double least, double otherwise) {
    return wanted(parent, key, at) ? number(parent, key, at, least) : otherwise;
  }

  void knownKeys(const Json &value, const std::string &at, const std::vector<std::string> &known) {
    if (value.is_object())
      for (const auto &[key, ignored] : value.items())
        if (std::find(known.begin(), known.end(), key) == known.end())
          failWord(at + "/" + key, key, known);
  }

  std::string word(const Json &parent, const std::string &key, const std::string &at) {
    std::string value = text(parent, key, at);
    if (value.empty())
      fail(at + "/" + key, "text");
    return value;
  }

  std::vector<std::string> namesOf(const Json &parent, const std::string &key, const std::string &at) {
    std::vector<std::string> names = strings(array(parent, key, at), at + "/" + key);
    if (machine) {
      std::vector<std::string> known = {"scalar.load", "scalar.store"};
      for (std::string &name : machine->instructions().names())
        known.push_back(std::move(name));
      for (std::size_t i = 0; i < names.size(); ++i)
        if (std::find(known.begin(), known.end(), names[i]) == known.end()) {
          std::optional<std::string> near = nearestName(names[i], known);
          fail(at + "/" + key + "/" + std::to_string(i), "an instruction of the machine model, found \"" + names[i] +
                                                             "\"" + (near ? "; did you mean \"" + *near + "\"?" : ""));
        }
    }
    return names;
  }

  std::string memory(const Json &parent, const std::string &key, const std::string &at) {
    std::string name = word(parent, key, at);
    if (machine) {
      std::vector<std::string> known = {"GM"};
      for (const MemorySpace &space : machine->spaces())
        known.push_back(space.name);
      if (std::find(known.begin(), known.end(), name) == known.end())
        failWord(at + "/" + key, name, known);
    }
    return name;
  }

  /// Every number says where it is from and how far it can be relied on.
  void checkSource(const Json &value, const std::string &at, std::vector<std::string> keys) {
    keys.insert(keys.end(), {"source", "error"});
    knownKeys(value, at, keys);
    word(value, "source", at);
    word(value, "error", at);
  }
  const Json &sourced(const Json &parent, const std::string &key, const std::string &at,
                      const std::vector<std::string> &keys) {
    const Json &value = object(parent, key, at);
    checkSource(value, at + "/" + key, keys);
    return value;
  }

  /// At least 1.
  std::int64_t count(const Json &parent, const std::string &key, const std::string &at, std::int64_t otherwise) {
    if (!wanted(parent, key, at))
      return otherwise;
    std::int64_t value = integer(parent, key, at);
    if (value < 1)
      fail(at + "/" + key, "a whole number of at least 1");
    return std::max<std::int64_t>(value, 1);
  }

  void readFifo(const Json &value, CostTable &table) {
    const std::string at = "/fifo";
    const FifoCost &now = table.fifoCost;
    auto either = [&](const char *key, bool otherwise, const char *yes, const char *no) {
      if (!wanted(value, key, at))
        return otherwise;
      member(value, key, at); // a whole table has it
      return choice<bool>(value, key, at, otherwise, {{yes, true}, {no, false}});
    };
    table.fifoCost = {either("waitHolds", now.holdsCore, "core", "pipe"),
                      either("tileFreedBy", now.popFrees, "pop", "free"), amount(value, "signal", at, 0, now.signal),
                      count(value, "wholeRing", at, now.wholeRing), count(value, "ringParts", at, now.ringParts)};
  }

  PathCost pathOf(const Json &value, const std::string &at, const PathCost &otherwise) {
    checkSource(value, at, {"from", "to", "bytesPerCycle", "latency", "sourceShare"});
    bool shared = !member(value, "sourceShare", at, false).is_null();
    return {amount(value, "bytesPerCycle", at, kAboveZero, otherwise.bytesPerCycle),
            amount(value, "latency", at, 0, otherwise.latency),
            shared ? number(value, "sourceShare", at, 0) : otherwise.sourceShare};
  }

  void readPaths(const Json &root, CostTable &table) {
    if (wanted(root, "otherPath", ""))
      table.otherPath = pathOf(object(root, "otherPath", ""), "/otherPath", table.otherPath);
    if (!wanted(root, "paths", ""))
      return;
    each(array(root, "paths", ""), "/paths", [&](const Json &path, const std::string &at) {
      std::string from = memory(path, "from", at), to = memory(path, "to", at);
      table.paths[{from, to}] = pathOf(path, at, machine ? table.path(from, to) : PathCost{});
    });
  }

  VectorCost vectorOf(const Json &value, const std::string &at, const VectorCost &otherwise) {
    checkSource(value, at, {"names", "fixed", "perRow", "perRepeat", "latency"});
    return {amount(value, "fixed", at, 0, otherwise.fixed), amount(value, "perRow", at, 0, otherwise.perRow),
            amount(value, "perRepeat", at, 0, otherwise.perRepeat), amount(value, "latency", at, 0, otherwise.latency)};
  }

  void readVector(const Json &root, CostTable &table) {
    if (wanted(root, "otherVector", ""))
      table.otherVector = vectorOf(object(root, "otherVector", ""), "/otherVector", table.otherVector);
    if (!wanted(root, "vector", ""))
      return;
    each(array(root, "vector", ""), "/vector", [&](const Json &entry, const std::string &at) {
      for (const std::string &name : namesOf(entry, "names", at))
        table.vector[name] = vectorOf(entry, at, machine ? table.vectorCost(name) : VectorCost{});
    });
  }

  void readScalar(const Json &root, CostTable &table) {
    if (wanted(root, "scalar", ""))
      each(array(root, "scalar", ""), "/scalar", [&](const Json &entry, const std::string &at) {
        checkSource(entry, at, {"names", "cycles"});
        for (const std::string &name : namesOf(entry, "names", at))
          table.scalar[name] = number(entry, "cycles", at, 0);
      });
    if (wanted(root, "otherInstruction", ""))
      table.otherInstruction =
          number(sourced(root, "otherInstruction", "", {"cycles"}), "cycles", "/otherInstruction", 0);
  }

  void readMatrix(const Json &value, CostTable &table) {
    const std::string at = "/matrix";
    const MatrixCost &now = table.matrixCost;
    auto size = [&](const char *key, std::int64_t otherwise) {
      return static_cast<std::int64_t>(amount(value, key, at, 1, static_cast<double>(otherwise)));
    };
    table.matrixCost = {amount(value, "fixed", at, 0, now.fixed),
                        amount(value, "perTile", at, 0, now.perTile),
                        amount(value, "perTileFloat", at, 0, now.perTileFloat),
                        size("tileRows", now.tileRows),
                        size("tileCols", now.tileCols),
                        size("tileBytes", now.tileBytes)};
  }

  const Machine *machine = nullptr;
};

llvm::Expected<CostTable> CostTable::parse(std::string_view json, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(json, name);
  if (!document)
    return document.takeError();
  CostTable table;
  if (llvm::Error error = CostTableReader(*document).read(document->json(), table, nullptr))
    return std::move(error);
  return table;
}

llvm::Error CostTable::overlay(std::string_view json, std::string_view name, const Machine &machine) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(json, name);
  if (!document)
    return document.takeError();
  CostTable table = *this;
  if (llvm::Error error = CostTableReader(*document).read(document->json(), table, &machine))
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
