// JSON -> CostTable, with messages that name the place.
#include "timing/cost_table.h"

#include <nlohmann/json.hpp>

namespace ptosync {
const std::vector<std::pair<std::string_view, std::string_view>> &embeddedTimingFiles();
}

namespace ptosync::timing {
namespace {

using Json = nlohmann::json;

struct Refused {
  std::string place, expected;
};

/// A value of the document, with its JSON pointer.
class Node {
public:
  Node(const Json &json, std::string place) : json(json), place(std::move(place)) {}

  Node at(const char *key) const {
    auto found = json.is_object() ? json.find(key) : json.end();
    if (!json.is_object() || found == json.end())
      throw Refused{place + "/" + key, "is missing"};
    return {*found, place + "/" + key};
  }
  bool has(const char *key) const { return json.is_object() && json.contains(key); }
  /// At least `least`.
  double number(double least) const {
    if (!json.is_number() || json.get<double>() < least)
      throw Refused{place, least > 0 ? "expected a number above 0" : "expected a number of at least 0"};
    return json.get<double>();
  }
  std::string text() const {
    if (!json.is_string() || json.get<std::string>().empty())
      throw Refused{place, "expected text"};
    return json.get<std::string>();
  }
  std::vector<Node> list() const {
    if (!json.is_array())
      throw Refused{place, "expected a list"};
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json.size(); ++i)
      nodes.emplace_back(json[i], place + "/" + std::to_string(i));
    return nodes;
  }
  /// Every number says where it is from and how far it can be relied on.
  void checkSource() const {
    at("source").text();
    at("error").text();
  }

private:
  const Json &json;
  std::string place;
};

constexpr double kAboveZero = 1e-9;

PathCost pathOf(const Node &node) {
  node.checkSource();
  return {node.at("bytesPerCycle").number(kAboveZero), node.at("latency").number(0),
          node.has("sourceShare") ? node.at("sourceShare").number(0) : 0};
}

VectorCost vectorOf(const Node &node) {
  node.checkSource();
  return {node.at("fixed").number(0), node.at("perRow").number(0), node.at("perRepeat").number(0),
          node.at("latency").number(0)};
}

} // namespace

class CostTableReader {
public:
  static CostTable read(const Node &root) {
    CostTable table;
    if (root.at("schema").number(0) != 1)
      throw Refused{"/schema", "expected 1"};
    table.archName = root.at("arch").text();
    table.clock = root.at("clockMHz").number(kAboveZero);
    Node issue = root.at("issue");
    issue.checkSource();
    table.issueCost = {issue.at("instruction").number(0), issue.at("sync").number(0)};
    for (const Node &path : root.at("paths").list())
      table.paths[{path.at("from").text(), path.at("to").text()}] = pathOf(path);
    table.otherPath = pathOf(root.at("otherPath"));
    Node matrix = root.at("matrix");
    matrix.checkSource();
    auto size = [&](const char *key) { return static_cast<std::int64_t>(matrix.at(key).number(1)); };
    table.matrixCost = {matrix.at("fixed").number(0), matrix.at("perTile").number(0),
                        matrix.at("perTileFloat").number(0), size("tileRows"), size("tileCols"), size("tileBytes")};
    for (const Node &name : root.at("vectorMoves").list())
      table.vectorMoves.push_back(name.text());
    for (const Node &entry : root.at("vector").list())
      for (const Node &name : entry.at("names").list())
        table.vector[name.text()] = vectorOf(entry);
    table.otherVector = vectorOf(root.at("otherVector"));
    for (const Node &entry : root.at("scalar").list()) {
      entry.checkSource();
      for (const Node &name : entry.at("names").list())
        table.scalar[name.text()] = entry.at("cycles").number(0);
    }
    root.at("otherInstruction").checkSource();
    table.otherInstruction = root.at("otherInstruction").at("cycles").number(0);
    return table;
  }
};

llvm::Expected<CostTable> CostTable::parse(std::string_view json, std::string_view name) {
  Json document = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return llvm::createStringError(std::string(name) + ": not JSON");
  try {
    return CostTableReader::read(Node(document, ""));
  } catch (const Refused &refused) {
    return llvm::createStringError(std::string(name) + ": " + refused.place + ": " + refused.expected);
  }
}

llvm::Expected<CostTable> CostTable::builtIn(std::string_view arch) {
  std::string wanted = "cost_" + std::string(arch) + ".json";
  for (const auto &[file, text] : embeddedTimingFiles())
    if (file == wanted)
      return parse(text, file);
  return llvm::createStringError("no timing data for " + std::string(arch) + "; expected a3 or a5");
}

} // namespace ptosync::timing
