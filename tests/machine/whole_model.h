// A machine file out of the part of it that a test is about.
#pragma once

#include <nlohmann/json.hpp>

namespace ptosync::test {

/// Adds what every machine file has to have, where `sketch` does not say it: where each fact is from, the head.
inline nlohmann::json wholeModel(nlohmann::json sketch) {
  using Json = nlohmann::json;
  auto sourced = [](Json &fact) {
    fact.emplace("grade", "B");
    fact.emplace("evidence", "e");
  };
  sketch.emplace("schema", 1);
  sketch.emplace("arch", "a3");
  sketch.emplace("library", "l");
  sketch.emplace("pipes", Json{"PIPE_V"});
  sketch.emplace("spaces", Json::array({{{"name", "UB"}, {"bytes", 1024}, {"tiles", {"Vec"}}}}));
  sketch.emplace("barriers", Json::array({{{"section", "vec"}, {"pipes", {"PIPE_V"}}},
                                          {{"section", "cube"}, {"pipes", {"PIPE_M"}}}}));
  sketch.emplace("flags", Json{{"ids", 8}});
  sketch.emplace("rules", Json::array());
  sketch.emplace("instructions", Json::parse(R"({"X": {"forms": [{"operands": [], "pipes": []}]}})"));
  for (Json &space : sketch["spaces"]) {
    sourced(space);
    space.emplace("qualifier", "__ubuf__");
  }
  for (Json &barriers : sketch["barriers"])
    sourced(barriers);
  sourced(sketch["flags"]);
  sketch["flags"].emplace("outOfRange", "error");
  for (const char *fact : {"sharedBetweenCores", "largestTensor"})
    if (sketch.contains(fact))
      sourced(sketch[fact]);
  for (Json &instruction : sketch["instructions"]) {
    instruction.emplace("category", "tile");
    instruction.emplace("source", "s");
  }
  return sketch;
}

} // namespace ptosync::test
