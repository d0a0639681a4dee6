#include "json/json_members.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync;

TEST_CASE("members of an object are pieces of its text", "[json]") {
  std::vector<JsonMember> members = membersOf(R"( { "a" : 1 ,
    "b": {"c": [1, {"d": "}"}], "e": ","} , "f":"x\"},{\\" ,"g": [] , "h": null } )");
  REQUIRE(members.size() == 5);
  CHECK(members[0].key == "a");
  CHECK(members[0].value == "1");
  CHECK(members[1].key == "b");
  CHECK(members[1].value == R"({"c": [1, {"d": "}"}], "e": ","})");
  CHECK(members[2].value == R"("x\"},{\\")");
  CHECK(members[3].value == "[]");
  CHECK(members[4].key == "h");
  CHECK(members[4].value == "null");
}

TEST_CASE("an object without members, and what is none", "[json]") {
  CHECK(membersOf("{}").empty());
  CHECK(membersOf(" { } ").empty());
  CHECK(membersOf("").empty());
  CHECK(membersOf("[1, 2]").empty());
  CHECK(membersOf("{\"a").empty());
  CHECK(membersOf("{\"a\"").empty());
  CHECK(membersOf("{\"a\":").empty());
}

TEST_CASE("the pieces say what the parser says", "[json]") {
  const char *text = R"({"x": {"y": [1, 2.5e3, true], "z": "\u007d"}, "": -1, "list": [[], {}, ""]})";
  nlohmann::json whole = nlohmann::json::parse(text);
  std::vector<JsonMember> members = membersOf(text);
  REQUIRE(members.size() == whole.size());
  for (const JsonMember &member : members)
    CHECK(nlohmann::json::parse(member.value) == whole[std::string(member.key)]);
}
