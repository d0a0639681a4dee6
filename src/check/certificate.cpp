#include "check/certificate.h"

#include <algorithm>

namespace ptosync::check {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// "0-3,7".
std::string rangesOf(const std::set<int> &numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    int first = *at, last = first;
    while (++at != numbers.end() && *at == last + 1)
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
  }
  return text;
}

std::set<int> numbersOf(const json &ranges, std::size_t below) {
  std::set<int> made;
  const std::string text = ranges.get<std::string>();
  for (std::size_t at = 0; at < text.size();) {
    auto digits = [&] {
      std::size_t used = 0;
      if (at >= text.size() || !std::isdigit(static_cast<unsigned char>(text[at])))
        throw Refused{"a list of numbers of the certificate: " + text};
      std::size_t value = std::stoul(text.substr(at, 7), &used);
      at += used;
      return value;
    };
    std::size_t first = digits(), last = first;
    if (at < text.size() && text[at] == '-')
      ++at, last = digits();
    if (last < first || last >= below || (at < text.size() && text[at++] != ','))
      throw Refused{"a list of numbers of the certificate: " + text};
    for (std::size_t i = first; i <= last; ++i)
      made.insert(static_cast<int>(i));
  }
  return made;
}

std::string rowsText(const Rows &rows, std::size_t used) {
  std::set<int> numbers;
  for (std::size_t i = 0; i < used; ++i)
    if (rows[i])
      numbers.insert(static_cast<int>(i));
  return rangesOf(numbers);
}

/// Rows beyond those that are used are as a new occurrence has them.
Rows rowsOf(const json &text, std::size_t used, bool beyond) {
  Rows rows;
  for (std::size_t i = used; i < kRows; ++i)
    rows[i] = beyond;
  for (int number : numbersOf(text, used))
    rows.set(static_cast<std::size_t>(number));
  return rows;
}

struct Writer {
  const Scene &scene;
  std::size_t rows;
  std::map<Instance, int> numbers = {};

  ordered_json orders(const Orders &orders) const {
    std::map<std::string, std::pair<ordered_json, std::set<int>>> groups;
    for (const auto &[instance, ways] : orders.running) {
      ordered_json list = ordered_json::array();
      for (const Way &way : ways) {
        // A wait that BEFORE does not have is known to rows that are not used either: "!" and the rows that do not.
        const bool beyond = way.known[kRows - 1];
        list.push_back(
            {rowsText(way.unknown, rows), (beyond ? "!" : "") + rowsText(beyond ? ~way.known : way.known, rows)});
      }
      auto &group = groups[list.dump()];
      group.first = list;
      group.second.insert(numbers.at(instance));
    }
    ordered_json made = {{"running", ordered_json::array()}};
    for (const auto &[text, group] : groups)
      made["running"].push_back({group.first, rangesOf(group.second)});
    if (!orders.tokens.empty())
      made["tokens"] = orders.tokens;
    if (!orders.held.empty())
      made["held"] = orders.held;
    return made;
  }
};

struct Reader {
  std::size_t rows;
  std::vector<int> nodeNumbers = {};
  std::vector<Instance> instances = {};

  Orders orders(const json &json) const {
    Orders made;
    for (const auto &group : json.at("running")) {
      Ways ways;
      for (const auto &entry : group.at(0)) {
        Way way{rowsOf(entry.at(0), rows, true), {}};
        const std::string known = entry.at(1);
        const bool beyond = known.rfind('!', 0) == 0;
        way.known = beyond ? ~rowsOf(known.substr(1), rows, false) : rowsOf(known, rows, false);
        ways.add(way);
      }
      for (int number : numbersOf(group.at(1), instances.size()))
        if (ways.size() == 0 || !made.running.emplace(instances[number], ways).second)
          throw Refused{"the certificate says nothing of an occurrence, or something twice"};
    }
    if (json.contains("tokens"))
      made.tokens = json.at("tokens").get<std::map<int, int>>();
    if (json.contains("held"))
      made.held = json.at("held").get<std::set<int>>();
    return made;
  }
};

} // namespace

int loopNumber(const std::string &at) { return 1 + static_cast<int>(std::stoul(hashOf(at).substr(0, 7), nullptr, 16)); }

void setDoubts(const std::string &doubts, Scene &scene) {
  scene.before = {true, true};
  scene.after = {false, false};
  if (doubts == "any")
    return;
  if (doubts.size() != 2 || doubts.find_first_not_of("01") != std::string::npos)
    throw Refused{"the certificate takes what is open in a way that there is not"};
  scene.before = scene.after = {doubts[0] == '1', doubts[1] == '1'};
}

ordered_json writeProof(const KernelProof &proof, const Scene &scene) {
  Writer writer{scene, scene.machine.pipes.size() + scene.rowOf.size()};
  std::set<Instance> used;
  std::map<int, std::string> loopNames;
  for (const LoopRecord &record : proof.loops) {
    loopNames[loopNumber(record.at)] = record.at;
    for (const auto &turn : record.turns)
      if (turn)
        for (const auto &[instance, ways] : turn->orders.running)
          used.insert(instance);
  }
  ordered_json loopTable = ordered_json::array(), nodes = ordered_json::array(), instances = ordered_json::array();
  std::map<std::vector<int>, int> nests; // loops around, to the number of the innermost
  auto nest = [&](const std::vector<int> &around) {
    int made = -1;
    for (std::size_t depth = 1; depth <= around.size(); ++depth) {
      auto [entry, fresh] = nests.try_emplace({around.begin(), around.begin() + depth}, loopTable.size());
      if (fresh)
        loopTable.push_back({loopNames.at(around[depth - 1]), made});
      made = entry->second;
    }
    return made;
  };
  std::map<int, int> nodeNumbers;
  for (const Instance &one : used)
    if (nodeNumbers.try_emplace(one.node, static_cast<int>(nodes.size())).second)
      nodes.push_back({scene.nodes[one.node].key, nest(scene.nodes[one.node].loops)});
  for (const Instance &one : used) {
    writer.numbers.emplace(one, static_cast<int>(instances.size()));
    const std::vector<int> &around = scene.nodes[one.node].loops;
    ordered_json entry = {nodeNumbers[one.node]};
    if (one.loop != 0)
      entry = {nodeNumbers[one.node], nest({around.begin(), std::find(around.begin(), around.end(), one.loop) + 1}),
               one.age};
    instances.push_back(entry);
  }
  ordered_json records = ordered_json::array(), rows = ordered_json::array();
  for (const LoopRecord &record : proof.loops) {
    ordered_json turns = ordered_json::array();
    for (const auto &turn : record.turns) {
      ordered_json made = turn ? writer.orders(turn->orders) : ordered_json(nullptr);
      if (turn && !turn->values.empty())
        made["values"] = turn->values;
      turns.push_back(made);
    }
    records.push_back({{"at", record.at},
                       {"first", record.first},
                       {"period", record.period},
                       {"counted", record.counted},
                       {"changes", record.changes},
                       {"turns", turns}});
  }
  std::map<int, std::array<int, 3>> byNumber;
  for (const auto &[of, number] : scene.rowOf)
    byNumber[number] = of;
  for (const auto &[number, of] : byNumber)
    rows.push_back({scene.machine.pipes[of[0]], of[1] < 0 ? "release" : scene.machine.pipes[of[1]], of[2]});
  return {{"kernel", proof.kernel}, {"core", proof.core},     {"doubts", proof.doubts}, {"claim", proof.claim},
          {"ages", scene.ages},     {"apart", scene.apart},   {"rows", rows},           {"nests", loopTable},
          {"nodes", nodes},         {"instances", instances}, {"loops", records}};
}

KernelProof readProof(const json &json, Scene &scene) {
  KernelProof proof;
  try {
    proof.kernel = json.at("kernel");
    proof.core = json.at("core");
    proof.doubts = json.at("doubts");
    setDoubts(proof.doubts, scene);
    proof.claim = json.value("claim", proof.claim);
    if (proof.claim != "kept" && proof.claim != "ordered")
      throw Refused{"the certificate claims what is not known: " + proof.claim};
    scene.absolute = proof.claim == "ordered";
    scene.ages = json.at("ages");
    scene.apart = json.at("apart").get<std::set<std::string>>();
    if (scene.ages < 1 || scene.ages > 16)
      throw Refused{"the certificate tells apart no or too many iterations"};
    for (const auto &row : json.at("rows")) {
      const bool release = row.at(1) == "release";
      const std::array<int, 3> of{scene.machine.pipe(row.at(0)), release ? -1 : scene.machine.pipe(row.at(1)),
                                  row.at(2)};
      const std::size_t before = scene.rowOf.size();
      if (of[0] < 0 || (!release && of[1] < 0) || (scene.row(of), scene.rowOf.size() == before))
        throw Refused{"the certificate names a flag that is not there, or one twice"};
    }
    Reader reader{scene.machine.pipes.size() + scene.rowOf.size()};
    std::vector<std::vector<int>> nests;
    for (const auto &entry : json.at("nests")) {
      int outer = entry.at(1);
      nests.push_back(outer < 0 ? std::vector<int>{} : nests.at(static_cast<std::size_t>(outer)));
      nests.back().push_back(loopNumber(entry.at(0)));
    }
    for (const auto &entry : json.at("nodes")) {
      Node node;
      node.key = entry.at(0);
      std::size_t begin = node.key.rfind('@'), end = node.key.find(':', begin);
      node.pipe = begin == std::string::npos ? -1 : scene.machine.pipe(node.key.substr(begin + 1, end - begin - 1));
      if (entry.at(1) >= 0)
        node.loops = nests.at(entry.at(1).get<std::size_t>());
      reader.nodeNumbers.push_back(static_cast<int>(scene.nodes.size()));
      if (node.pipe < 0 || !scene.nodeByKey.emplace(node.key, static_cast<int>(scene.nodes.size())).second)
        throw Refused{"the certificate names a node on no pipe, or one twice"};
      scene.nodes.push_back(node);
    }
    for (const auto &entry : json.at("instances")) {
      Instance one{reader.nodeNumbers.at(entry.at(0).get<std::size_t>()), 0, 0};
      if (entry.size() > 1) {
        one.loop = nests.at(entry.at(1).get<std::size_t>()).back();
        one.age = entry.at(2);
        const std::vector<int> &around = scene.nodes[one.node].loops;
        if (one.age < 1 || one.age > scene.ages || std::find(around.begin(), around.end(), one.loop) == around.end())
          throw Refused{"an occurrence of the certificate is in no loop, or out of it by no iterations"};
      }
      reader.instances.push_back(one);
    }
    for (const auto &entry : json.at("loops")) {
      LoopRecord record;
      record.at = entry.at("at");
      record.first = entry.at("first");
      record.period = entry.at("period");
      record.counted = entry.at("counted");
      record.changes = entry.at("changes").get<std::set<std::string>>();
      for (const auto &turn : entry.at("turns")) {
        record.turns.emplace_back();
        if (turn.is_null())
          continue;
        record.turns.back().emplace();
        record.turns.back()->orders = reader.orders(turn);
        if (turn.contains("values"))
          record.turns.back()->values = turn.at("values").get<std::map<std::string, std::int64_t>>();
      }
      proof.loops.push_back(record);
    }
  } catch (const nlohmann::json::exception &problem) {
    throw Refused{std::string("the certificate is not of its form: ") + problem.what()};
  } catch (const std::out_of_range &) {
    throw Refused{"the certificate names what it does not list"};
  }
  return proof;
}

} // namespace ptosync::check
