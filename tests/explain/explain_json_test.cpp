#include "explain/explain_sample.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("explain JSON: everything the text says, in full") {
  std::string text = explainJson(sampleExplanation());
  CHECK(text == explainJson(sampleExplanation()));
  nlohmann::json json = nlohmann::json::parse(text);
  CHECK(json.at("schema") == kExplainJsonSchema);
  CHECK(json.at("file") == "k.cpp");
  CHECK(json.at("line") == 12);
  CHECK(json.at("tile").is_null());
  CHECK(json.at("trust") == "tile");
  const nlohmann::json &sync = json.at("syncs")[0];
  CHECK(sync.at("answer") == "Needed: for a reason");
  CHECK(sync.at("verdict") == "kept");
  CHECK(sync.at("reason") == "hazard");
  CHECK(sync.at("pattern") == "gu");
  CHECK(sync.at("web").is_null());
  const nlohmann::json &effect = sync.at("effects")[0];
  CHECK(effect.at("needed")[0].at("earlier").at("line") == 10);
  CHECK(effect.at("needed")[0].at("earlier").at("calledFrom") == nlohmann::json::array({90}));
  CHECK(effect.at("needed")[1].at("contestedRule") == "m-accumulate-order");
  CHECK(effect.at("orderedOtherwise")[1].at("by") == "library");
  CHECK(effect.at("orderedOtherwise")[1].at("relied") == false);
  CHECK(effect.at("suspected").size() == 1);
  CHECK(sync.at("conditions")[0].at("kind") == "option");
  const nlohmann::json &instruction = json.at("instructions")[0];
  CHECK(instruction.at("pipes") == nlohmann::json::array({"PIPE_V"}));
  CHECK(instruction.at("accesses")[0].at("detail").is_null());
  CHECK(instruction.at("library")[1].at("barrier") == true);
  CHECK(instruction.at("producers")[0].at("orderedBy").at("by") == "barrier");
  CHECK(instruction.at("producers")[0].at("meets")[0].at("kinds") == nlohmann::json::array({"RAW", "WAR"}));
  CHECK(instruction.at("consumers").empty());
  const nlohmann::json &tile = json.at("tiles")[0];
  CHECK(tile.at("storage") == nlohmann::json::array({"UB [0, 128)"}));
  CHECK(tile.at("uses")[1].at("otherName") == true);
  CHECK(json.at("skipped")[0].at("kernel") == "other");
  CHECK(json.at("nearby").empty());
}

TEST_CASE("explain JSON: bytes that are no UTF-8 make no invalid text") {
  ExplainReport report = sampleExplanation();
  report.explanation.tiles[0].name = "\xff";
  CHECK_NOTHROW(nlohmann::json::parse(explainJson(report)));
}
