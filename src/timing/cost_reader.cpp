// JSON -> CostTable, with messages that name the place.
#include "timing/cost_table.h"
#include "json/json_fields.h"

namespace ptosync {
const std::vector<std::pair<std::string_view, std::string_view>> &embeddedTimingFiles();
}

namespace ptosync::timing {

class CostTableReader : JsonFields {
public:
  using JsonFields::JsonFields;

  llvm::Expected<CostTable> read(const Json &root) {
    CostTable table;
    if (integer(root, "schema", "") != 1)
      fail("/schema", "1");
    table.archName = word(root, "arch", "");
    table.clock = number(root, "clockMHz", "", kAboveZero);
    const Json &issue = sourced(root, "issue", "");
    table.issueCost = {number(issue, "instruction", "/issue", 0), number(issue, "sync", "/issue", 0)};
    each(array(root, "paths", ""), "/paths", [&](const Json &path, const std::string &at) {
      table.paths[{word(path, "from", at), word(path, "to", at)}] = pathOf(path, at);
    });
    table.otherPath = pathOf(object(root, "otherPath", ""), "/otherPath");
    readMatrix(sourced(root, "matrix", ""), table);
    for (const std::string &name : namesOf(root, "vectorMoves", ""))
      table.vectorMoves.push_back(name);
    each(array(root, "vector", ""), "/vector", [&](const Json &entry, const std::string &at) {
      for (const std::string &name : namesOf(entry, "names", at))
        table.vector[name] = vectorOf(entry, at);
    });
    table.otherVector = vectorOf(object(root, "otherVector", ""), "/otherVector");
    each(array(root, "scalar", ""), "/scalar", [&](const Json &entry, const std::string &at) {
      checkSource(entry, at);
      for (const std::string &name : namesOf(entry, "names", at))
        table.scalar[name] = number(entry, "cycles", at, 0);
    });
    table.otherInstruction = number(sourced(root, "otherInstruction", ""), "cycles", "/otherInstruction", 0);
    if (llvm::Error error = problem())
      return std::move(error);
    return table;
  }

private:
  static constexpr double kAboveZero = 1e-9;

  std::string word(const Json &parent, const std::string &key, const std::string &at) {
    std::string value = text(parent, key, at);
    if (value.empty())
      fail(at + "/" + key, "text");
    return value;
  }

  std::vector<std::string> namesOf(const Json &parent, const std::string &key, const std::string &at) {
    return strings(array(parent, key, at), at + "/" + key);
  }

  /// Every number says where it is from and how far it can be relied on.
  void checkSource(const Json &value, const std::string &at) {
    word(value, "source", at);
    word(value, "error", at);
  }
  const Json &sourced(const Json &parent, const std::string &key, const std::string &at) {
    const Json &value = object(parent, key, at);
    checkSource(value, at + "/" + key);
    return value;
  }

  PathCost pathOf(const Json &value, const std::string &at) {
    checkSource(value, at);
    bool shared = !member(value, "sourceShare", at, false).is_null();
    return {number(value, "bytesPerCycle", at, kAboveZero), number(value, "latency", at, 0),
            shared ? number(value, "sourceShare", at, 0) : 0};
  }

  VectorCost vectorOf(const Json &value, const std::string &at) {
    checkSource(value, at);
    return {number(value, "fixed", at, 0), number(value, "perRow", at, 0), number(value, "perRepeat", at, 0),
            number(value, "latency", at, 0)};
  }

  void readMatrix(const Json &value, CostTable &table) {
    const std::string at = "/matrix";
    auto size = [&](const char *key) { return static_cast<std::int64_t>(number(value, key, at, 1)); };
    table.matrixCost = {number(value, "fixed", at, 0),
                        number(value, "perTile", at, 0),
                        number(value, "perTileFloat", at, 0),
                        size("tileRows"),
                        size("tileCols"),
                        size("tileBytes")};
  }
};

llvm::Expected<CostTable> CostTable::parse(std::string_view json, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(json, name);
  if (!document)
    return document.takeError();
  return CostTableReader(*document).read(document->json());
}

llvm::Expected<CostTable> CostTable::builtIn(std::string_view arch) {
  std::string wanted = "cost_" + std::string(arch) + ".json";
  for (const auto &[file, text] : embeddedTimingFiles())
    if (file == wanted)
      return parse(text, file);
  return llvm::createStringError("no timing data for " + std::string(arch) + "; expected a3 or a5");
}

} // namespace ptosync::timing
