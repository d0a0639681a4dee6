#include "json/json_positions.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("members stand where their key does, elements where they begin", "[patterns]") {
  JsonPositions positions = JsonPositions::scan("{\n"                       // 1
                                                "  \"id\":\n"               // 2
                                                "     \"gu\",\n"            // 3
                                                "  \"match\": {\n"          // 4
                                                "    \"sequence\": [\n"     // 5
                                                "      {\"barrier\": 1},\n" // 6
                                                "      2, 3,\n"             // 7
                                                "      [\n"                 // 8
                                                "        true ] ] },\n"     // 9
                                                "  \"last\": null }\n");    // 10
  CHECK(positions.line("") == 1u);
  CHECK(positions.line("/id") == 2u);
  CHECK(positions.line("/match") == 4u);
  CHECK(positions.line("/match/sequence") == 5u);
  CHECK(positions.line("/match/sequence/0") == 6u);
  CHECK(positions.line("/match/sequence/0/barrier") == 6u);
  CHECK(positions.line("/match/sequence/2") == 7u);
  CHECK(positions.line("/match/sequence/3") == 8u);
  CHECK(positions.line("/match/sequence/3/0") == 9u);
  CHECK(positions.line("/last") == 10u);
  CHECK_FALSE(positions.line("/match/sequence/4"));
  CHECK_FALSE(positions.line("/nothing"));
  CHECK_FALSE(positions.duplicateKey());
}

TEST_CASE("punctuation inside strings is text", "[patterns]") {
  JsonPositions positions = JsonPositions::scan(R"({"a": "]},{\"\\", "b": ["x:\"y", 1],
"c": {}, "d": []})");
  CHECK(positions.line("/b") == 1u);
  CHECK(positions.line("/b/1") == 1u);
  CHECK(positions.line("/c") == 2u);
  CHECK(positions.line("/d") == 2u);
  CHECK_FALSE(positions.line("/d/0"));
}

TEST_CASE("keys are decoded and escaped as JSON pointers ask", "[patterns]") {
  JsonPositions positions = JsonPositions::scan("{\"a/b\": 1,\n\"m~n\": 2,\n\"\\u0041\\n\": 3,\n\"\": 4}");
  CHECK(positions.line("/a~1b") == 1u);
  CHECK(positions.line("/m~0n") == 2u);
  CHECK(positions.line("/A\n") == 3u);
  CHECK(positions.line("/") == 4u);
  CHECK(escapePointerToken("~/") == "~0~1");
}

TEST_CASE("a root that is no container stands on its line", "[patterns]") {
  CHECK(JsonPositions::scan("\r\n\n 12").line("") == 3u);
  CHECK(JsonPositions::scan("\n\"text\"").line("") == 2u);
  CHECK_FALSE(JsonPositions::scan(" ").line(""));
}

TEST_CASE("a key written twice is noticed, in its object only", "[patterns]") {
  JsonPositions positions = JsonPositions::scan("{\"a\": {\"x\": 1},\n\"b\": {\"x\": 2,\n\"x\": 3}}");
  CHECK(positions.duplicateKey() == std::optional<std::string>("/b/x"));
  CHECK(positions.line("/b/x") == 3u);
  CHECK_FALSE(JsonPositions::scan("[{\"x\": 1}, {\"x\": 2}]").duplicateKey());
}

TEST_CASE("what is no JSON ends the scan quietly", "[patterns]") {
  for (const char *text : {"", "}", "[1, 2", "{\"a\": [}", "\"open", "\"back\\", "{\"a\" 1}", "[,,,]", "{{", ":::"})
    CHECK_NOTHROW(JsonPositions::scan(text));
  CHECK(JsonPositions::scan("[1,\n2").line("/1") == 2u);
}

TEST_CASE("deep nesting costs no more than its length", "[patterns]") {
  JsonPositions positions = JsonPositions::scan(std::string(1000000, '['));
  std::string pointer;
  for (std::size_t depth = 1; depth < JsonPositions::kMaximumDepth; ++depth)
    pointer += "/0";
  CHECK(positions.line(pointer) == 1u);
  CHECK_FALSE(positions.line(pointer + "/0"));
}
