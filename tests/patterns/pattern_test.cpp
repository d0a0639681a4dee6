#include "patterns/pattern.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

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

TEST_CASE("a case becomes a kernel file with its body on known lines", "[patterns]") {
  PatternCase patternCase;
  patternCase.kernel = {"first();", "second();"};
  std::string text = wrapCase(patternCase);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  CHECK(lines[0] == "#include \"pto/pto-inst.hpp\"");
  CHECK(lines[kCaseFirstLine - 2] ==
        "extern \"C\" __global__ AICORE void pattern_case(__gm__ float* v_in, __gm__ float* v_out, int32_t v_n) {");
  CHECK(lines[kCaseFirstLine - 1] == "  first();");
  CHECK(lines[kCaseFirstLine] == "  second();");
  CHECK(lines[kCaseFirstLine + 2] == "  return;");
  CHECK(lines[kCaseFirstLine + 3] == "}");
}
