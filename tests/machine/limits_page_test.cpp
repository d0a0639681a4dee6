// docs/limits.md repeats what the machine model says of its facts: the same, or the page is wrong.
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync::test;

namespace {

using Json = nlohmann::json;

std::string row(std::initializer_list<std::string> cells) {
  std::string text = "|";
  for (const std::string &cell : cells)
    text += " " + cell + " |";
  return text + "\n";
}

std::string pipesText(const Json &pipes) {
  std::string text;
  for (const Json &pipe : pipes)
    text += (text.empty() ? "" : " ") + pipe.get<std::string>().substr(std::string("PIPE_").size());
  return text;
}

std::string factRows(const std::string &arch, const Json &model) {
  std::string text;
  for (const Json &space : model.at("spaces")) {
    std::int64_t bytes = space.at("bytes");
    text += row({"memory " + space.at("name").get<std::string>(), arch, space.at("grade"),
                 bytes == 0 ? "no bound" : std::to_string(bytes) + " bytes", space.at("evidence")});
  }
  const Json &shared = model.at("sharedBetweenCores");
  std::string names;
  for (const Json &space : shared.at("spaces"))
    names += (names.empty() ? "" : " ") + space.get<std::string>();
  text += row({"memories that several cores reach", arch, shared.at("grade"), names, shared.at("evidence")});
  const Json &largest = model.at("largestTensor");
  text += row({"largest tensor", arch, largest.at("grade"),
               std::to_string(largest.at("bytes").get<std::int64_t>()) + " bytes", largest.at("evidence")});
  for (const char *key : {"barriers", "cores"})
    if (model.contains(key))
      for (const Json &entry : model.at(key))
        text += row({std::string(key == std::string("cores") ? "pipes" : key) + " of a " +
                         entry.at("section").get<std::string>() + " core",
                     arch, entry.at("grade"), pipesText(entry.at("pipes")), entry.at("evidence")});
  for (const Json &entry : model.at("absent")) {
    std::string lacks;
    for (const Json &pipe : entry.at("barriers"))
      lacks += (lacks.empty() ? "" : " ") + ("pipe_barrier(" + pipe.get<std::string>() + ")");
    for (const Json &call : entry.at("calls"))
      lacks += (lacks.empty() ? "" : " ") + call.get<std::string>();
    std::string section = entry.at("section");
    text += row({"absent" + (section == "both" ? "" : " from a " + section + " core"), arch, entry.at("grade"), lacks,
                 entry.at("evidence")});
  }
  if (model.contains("buffers"))
    text += row({"buffer ids of a core", arch, model.at("buffers").at("grade"),
                 std::to_string(model.at("buffers").at("ids").get<int>()), model.at("buffers").at("evidence")});
  const Json &flags = model.at("flags");
  return text +
         row({"event ids of a pair of pipes", arch, flags.at("grade"),
              std::to_string(flags.at("ids").get<int>()) + "; above: " + flags.at("outOfRange").get<std::string>(),
              flags.at("evidence")});
}

std::string expectedTables() {
  std::string rules = "| rule | arch | grade | use | title | evidence |\n|---|---|---|---|---|---|\n";
  std::string facts = "\n| fact | arch | grade | value | evidence |\n|---|---|---|---|---|\n";
  for (const std::string arch : {"a3", "a5"}) {
    Json model = Json::parse(readText(std::string(PTOSYNC_SOURCE_DIR) + "/src/machine/" + arch + ".json"));
    for (const Json &rule : model.at("rules"))
      rules += row({"`" + rule.at("id").get<std::string>() + "`", arch, rule.at("grade"), rule.at("use"),
                    rule.at("title"), rule.at("evidence")});
    facts += factRows(arch, model);
  }
  return rules + facts;
}

} // namespace

TEST_CASE("limits page: the evidence of every rule and fact is what the machine model says") {
  std::string page = readText(std::string(PTOSYNC_SOURCE_DIR) + "/docs/limits.md");
  std::string begin = "<!-- generated from src/machine: begin -->\n", end = "<!-- generated from src/machine: end -->";
  std::size_t from = page.find(begin), to = page.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  CHECK(page.substr(from + begin.size(), to - from - begin.size()) == expectedTables());
}
