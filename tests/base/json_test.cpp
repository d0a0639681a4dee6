#include "base/json.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace ptosync;

namespace {

JsonDocument parsed(std::string_view text) { return llvm::cantFail(JsonDocument::parse(text, "file.json")); }

std::string refusal(std::string_view text) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, "file.json");
  return document ? "no error" : llvm::toString(document.takeError());
}

/// The problem that some reading of a text notes; empty if there is none.
std::string after(std::string_view text, const std::function<void(const JsonNode &)> &read) {
  JsonDocument document = parsed(text);
  read(document.root());
  CHECK(document.failed() == !llvm::toString(document.problem()).empty());
  return llvm::toString(document.problem());
}

constexpr std::string_view kFields = "{\n"
                                     "  \"name\": \"TADD\",\n"
                                     "  \"count\": 3,\n"
                                     "  \"share\": 0.5,\n"
                                     "  \"sure\": true,\n"
                                     "  \"list\": [\"a\",\n"
                                     "           \"b\"],\n"
                                     "  \"inner\": {\"key\": null}\n"
                                     "}\n";

} // namespace

TEST_CASE("malformed JSON names its line and cause", "[base]") {
  std::string message = refusal("{\n  \"a\": 1,\n  \"b\" 2\n}");
  CHECK(message.find("file.json:3: malformed JSON: ") == 0);
  CHECK(message.find("expected ':'") != std::string::npos);
  CHECK(message.find("json.exception") == std::string::npos);
  CHECK(refusal("").find("file.json:1: malformed JSON: ") == 0);
  CHECK(refusal("[1,\n2,\n").find("file.json:3: malformed JSON: ") == 0);
  CHECK(refusal("{} // comment").find("file.json:1: malformed") == 0);
  for (const char *text : {"}", "[1, 2", "{\"a\": [}", "\"open", "\"back\\", "{\"a\" 1}", "[,,,]", "{{", ":::"})
    CHECK(refusal(text).find("file.json:1: malformed JSON: ") == 0);
  CHECK(refusal(std::string(100000, '[')).find("file.json:1: malformed JSON: ") == 0);
}

TEST_CASE("what JSON cannot hold is named", "[base]") {
  using namespace std::string_view_literals;
  CHECK(refusal("{}\n\0{}"sv) == "file.json:2: malformed JSON: it holds a NUL byte");
  CHECK(refusal("{\"a\": \"\0\"}"sv) == "file.json:1: malformed JSON: it holds a NUL byte");
  CHECK(refusal("{\n\"a\": 1e999}") == "file.json:2: number too large: 1e999");
}

TEST_CASE("a number that is no whole one says what to write", "[base]") {
  auto number = [](const std::string &text) {
    return after("{\"n\": " + text + "}", [](const JsonNode &root) { root.at("n").integer(); });
  };
  CHECK(number("1.0") == "file.json:1: /n: expected a whole number, found 1.0; write 1");
  CHECK(number("1.5") == "file.json:1: /n: expected a whole number, found a fraction");
  for (const char *large : {"9223372036854775808", "18446744073709551616", "-1e30"})
    CHECK(number(large) == "file.json:1: /n: expected a whole number, found a number beyond 64 bits");
  CHECK(number("-9223372036854775808").empty());
}

TEST_CASE("a key written twice is an error, in its object only", "[base]") {
  CHECK(refusal("{\"a\": 1,\n \"a\": 2}") == "file.json:2: /a: the key is written twice");
  CHECK(refusal("{\"a\": {\"x\": 1},\n\"b\": {\"x\": 2,\n\"x\": 3}}") == "file.json:3: /b/x: the key is written twice");
  CHECK(refusal("[{\"x\": 1}, {\"x\": 2}]") == "no error");
}

TEST_CASE("members stand where their key does, elements where they begin", "[base]") {
  JsonDocument document = parsed("{\n"                       // 1
                                 "  \"id\":\n"               // 2
                                 "     \"gu\",\n"            // 3
                                 "  \"match\": {\n"          // 4
                                 "    \"sequence\": [\n"     // 5
                                 "      {\"barrier\": 1},\n" // 6
                                 "      2, 3\n"              // 7
                                 "      ,\n"                 // 8
                                 "      [\n"                 // 9
                                 "        true ] ] },\n"     // 10
                                 "  \"last\": null }\n");    // 11
  JsonNode root = document.root(), sequence = root.at("match").at("sequence");
  CHECK(root.line() == 1);
  CHECK(root.at("id").line() == 2);
  CHECK(root.at("match").line() == 4);
  CHECK(sequence.line() == 5);
  std::vector<JsonNode> items = sequence.items();
  REQUIRE(items.size() == 4);
  CHECK(items[0].line() == 6);
  CHECK(items[0].at("barrier").line() == 6);
  CHECK(items[1].line() == 7);
  CHECK(items[2].line() == 7);
  CHECK(items[3].line() == 9);
  CHECK(items[3].items()[0].line() == 10);
  CHECK(root.at("last").line() == 11);
  CHECK(parsed("\r\n\n 12").root().line() == 3);
  CHECK(parsed("\n\"text\"").root().line() == 2);
}

TEST_CASE("punctuation inside strings is text, and keys are spelled as JSON pointers ask", "[base]") {
  CHECK(after("{\"a\": \"]},{\\\"\\\\\", \"b\": [\"x:\\\"y\", 1],\n\"c\": {}}",
              [](const JsonNode &root) { root.at("c").fail("wrong"); }) == "file.json:2: /c: wrong");
  constexpr std::string_view kKeys = "{\"a/b\": 1,\n\"m~n\": 2,\n\"\\u0041\": 3,\n\"\": 4}";
  auto at = [&](const char *key) { return after(kKeys, [&](const JsonNode &root) { root.at(key).fail("wrong"); }); };
  CHECK(at("a/b") == "file.json:1: /a~1b: wrong");
  CHECK(at("m~n") == "file.json:2: /m~0n: wrong");
  CHECK(at("A") == "file.json:3: /A: wrong");
  CHECK(at("") == "file.json:4: /: wrong");
}

TEST_CASE("deep nesting is read and named down to some level", "[base]") {
  const std::string deep = std::string(100000, '[') + "1" + std::string(100000, ']');
  CHECK(after(deep, [](const JsonNode &root) { root.items()[0].text(); }) ==
        "file.json:1: /0: expected a string, found an array");
}

TEST_CASE("values of the kind that is asked for", "[base]") {
  CHECK(after(kFields, [](const JsonNode &root) {
          CHECK(root.at("name").text() == "TADD");
          CHECK(root.at("count").integer() == 3);
          CHECK(root.at("count").integer(3, 3) == 3);
          CHECK(root.find("missing").integer(1, 9, 7) == 7);
          CHECK(root.at("share").number(JsonNode::Bound::AtLeast, 0) == 0.5);
          CHECK(root.at("sure").boolean());
          CHECK_FALSE(root.find("missing").boolean());
          CHECK(root.at("list").texts() == std::vector<std::string>{"a", "b"});
          CHECK(root.at("list").names("name", isIdentifier) == std::vector<std::string>{"a", "b"});
          CHECK(root.find("missing").text().empty());
          CHECK(root.find("missing").items().empty());
          CHECK(root.find("missing").find("further").members().empty());
          CHECK(root.at("inner").members().size() == 1);
          CHECK(root.at("inner").at("key").isNull());
          CHECK(root.at("name").choice(0, {{"TSUB", 1}, {"TADD", 2}}) == 2);
          CHECK(root.find("missing").choice(5, {{"TSUB", 1}}) == 5);
          CHECK(root.has("list"));
          CHECK_FALSE(root.has("missing"));
        }) == "");
  CHECK(after("{\"big\": 9007199254740993, \"less\": -9223372036854775808, \"empty\": \"\"}", [](const JsonNode &root) {
          CHECK(root.at("big").integer() == 9007199254740993);
          CHECK(root.at("less").integer() == INT64_MIN);
          CHECK(root.at("empty").anyText().empty());
        }) == "");
}

TEST_CASE("a wrong value says what was expected and found", "[base]") {
  auto wrong = [](const std::function<void(const JsonNode &)> &read) { return after(kFields, read); };
  CHECK(wrong([](const JsonNode &root) { root.at("count").text(); }) ==
        "file.json:3: /count: expected a string, found a number");
  CHECK(wrong([](const JsonNode &root) { root.at("name").integer(); }) ==
        "file.json:2: /name: expected a whole number, found a string");
  CHECK(wrong([](const JsonNode &root) { root.at("share").integer(); }) ==
        "file.json:4: /share: expected a whole number, found a fraction");
  CHECK(wrong([](const JsonNode &root) { root.at("count").integer(4); }) ==
        "file.json:3: /count: expected a whole number of at least 4, found 3");
  CHECK(wrong([](const JsonNode &root) { root.at("count").integer(0, 2); }) ==
        "file.json:3: /count: expected a whole number from 0 to 2, found 3");
  CHECK(wrong([](const JsonNode &root) { root.at("count").integer(1, 1); }) ==
        "file.json:3: /count: expected 1, found 3");
  CHECK(wrong([](const JsonNode &root) { root.at("share").number(JsonNode::Bound::AtLeast, 1); }) ==
        "file.json:4: /share: expected a number of at least 1, found 0.5");
  CHECK(wrong([](const JsonNode &root) { root.at("name").number(JsonNode::Bound::Above, 0); }) ==
        "file.json:2: /name: expected a number above 0, found a string");
  CHECK(wrong([](const JsonNode &root) { root.at("count").number(JsonNode::Bound::AtLeast, 0.5, 2); }) ==
        "file.json:3: /count: expected a number of at least 0.5 and at most 2, found 3");
  CHECK(wrong([](const JsonNode &root) { root.at("count").boolean(); }) ==
        "file.json:3: /count: expected true or false, found a number");
  CHECK(wrong([](const JsonNode &root) { root.at("inner").items(); }) ==
        "file.json:8: /inner: expected an array, found an object");
  CHECK(wrong([](const JsonNode &root) { root.at("list").items(3); }) ==
        "file.json:6: /list: expected an array of at least 3, found 2 elements");
  CHECK(wrong([](const JsonNode &root) { root.at("list").items(1, 1); }) ==
        "file.json:6: /list: expected an array of 1, found 2 elements");
  CHECK(wrong([](const JsonNode &root) { root.at("list").members(); }) ==
        "file.json:6: /list: expected an object, found an array");
  CHECK(wrong([](const JsonNode &root) { root.at("list").items()[1].find("key"); }) ==
        "file.json:7: /list/1: expected an object, found a string");
  CHECK(wrong([](const JsonNode &root) { root.at("missing"); }) == "file.json:1: missing key 'missing'");
  CHECK(wrong([](const JsonNode &root) { root.at("inner").at("x"); }) == "file.json:8: /inner: missing key 'x'");
  CHECK(wrong([](const JsonNode &root) { root.at("inner").at("key").items(); }) ==
        "file.json:8: /inner/key: expected an array, found null");
  CHECK(wrong([](const JsonNode &root) {
          root.at("list").names("single letter a", [](llvm::StringRef name) { return name == "a"; });
        }) == "file.json:7: /list/1: 'b' is no single letter a");
  CHECK(after("{\"s\": \"\",\n\"a\": [],\n\"twice\": [\"x\", \"x\"]}", [](const JsonNode &root) {
          root.at("s").text();
        }) == "file.json:1: /s: expected a string that is not empty");
  CHECK(after("[]", [](const JsonNode &root) { root.items(); }) == "file.json:1: expected at least one element");
  CHECK(after("[1, 1]", [](const JsonNode &root) { root.allowNoRepeats(); }) == "file.json:1: /1: is listed twice");
  CHECK(after("[\"x\",\n\"x\"]", [](const JsonNode &root) { root.names("name", isIdentifier); }) ==
        "file.json:2: /1: 'x' is listed twice");
  CHECK(after("18446744073709551615", [](const JsonNode &root) { root.integer(); }) ==
        "file.json:1: expected a whole number, found a number beyond 64 bits");
}

TEST_CASE("the first problem stays", "[base]") {
  CHECK(after(kFields, [](const JsonNode &root) {
          root.at("count").text();
          root.at("share").text();
          root.at("missing").at("further").integer();
        }) == "file.json:3: /count: expected a string, found a number");
}

TEST_CASE("unknown keys and words propose the nearest known one", "[base]") {
  constexpr std::string_view kText = "{\"id\": 1,\n\"tytle\": 2}";
  CHECK(after(kText, [](const JsonNode &root) { root.allowKeys({"id", "tytle"}); }) == "");
  CHECK(after(kText, [](const JsonNode &root) { root.allowKeys({"id", "title"}); }) ==
        "file.json:2: /tytle: unknown key 'tytle'; did you mean 'title'?");
  CHECK(after("[]", [](const JsonNode &root) { root.allowKeys({"id"}); }) ==
        "file.json:1: expected an object, found an array");
  auto chosen = [](std::vector<std::pair<llvm::StringRef, int>> names) {
    return after(kFields, [&](const JsonNode &root) { CHECK(root.at("name").choice(9, names) == 9); });
  };
  CHECK(chosen({{"TAD", 1}, {"TMUL", 2}}) ==
        "file.json:2: /name: unknown value 'TADD'; did you mean 'TAD'? (expected one of 'TAD', 'TMUL')");
  CHECK(chosen({{"barrier", 1}}) == "file.json:2: /name: unknown value 'TADD'; expected one of 'barrier'");
}
