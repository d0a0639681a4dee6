#include "patterns/pattern_action.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>

using namespace ptosync;

TEST_CASE("each action has one row, found by itself, and a name of its own", "[patterns]") {
  std::set<std::string> names;
  for (const ActionFacts &facts : patternActions()) {
    CHECK(&factsOf(facts.action) == &facts);
    CHECK(names.insert(facts.name).second);
    CHECK((facts.kind == PatternKind::Rewrite) == (facts.effect == ActionEffect::Rewrites));
  }
}

TEST_CASE("the published schema knows the same actions, rewrites apart", "[patterns]") {
  nlohmann::json schema = nlohmann::json::parse(test::readText(PTOSYNC_SOURCE_DIR "/patterns/schema.json"));
  std::set<std::string> all, rewrites;
  for (const ActionFacts &facts : patternActions()) {
    all.insert(facts.name);
    if (facts.kind == PatternKind::Rewrite)
      rewrites.insert(facts.name);
  }
  CHECK(schema["properties"]["action"]["enum"].get<std::set<std::string>>() == all);
  CHECK(schema["then"]["properties"]["action"]["enum"].get<std::set<std::string>>() == rewrites);
}
