#include "json/json_document.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

JsonDocument parsed(std::string_view text) { return llvm::cantFail(JsonDocument::parse(text, "file.json")); }

template <typename T> std::string failure(llvm::Expected<T> result) {
  return result ? std::string("no error") : llvm::toString(result.takeError());
}

} // namespace

TEST_CASE("malformed JSON names its line and cause", "[patterns]") {
  std::string message = failure(JsonDocument::parse("{\n  \"a\": 1,\n  \"b\" 2\n}", "file.json"));
  CHECK(message.find("file.json:3: malformed JSON: ") == 0);
  CHECK(message.find("expected ':'") != std::string::npos);
  CHECK(message.find("json.exception") == std::string::npos);
  CHECK(failure(JsonDocument::parse("", "file.json")).find("file.json:1: malformed JSON: ") == 0);
  CHECK(failure(JsonDocument::parse("[1,\n2,\n", "file.json")).find("file.json:3: malformed JSON: ") == 0);
  CHECK(failure(JsonDocument::parse("{} // comment", "file.json")).find("file.json:1: malformed") == 0);
}

TEST_CASE("a key written twice is an error", "[patterns]") {
  CHECK(failure(JsonDocument::parse("{\"a\": 1,\n \"a\": 2}", "file.json")) ==
        "file.json:2: /a: the key is written twice");
}

TEST_CASE("values of the expected type are read", "[patterns]") {
  JsonDocument document = parsed(R"({"text": "t", "number": -3, "flag": true, "list": [1, 2]})");
  JsonNode root = document.root();
  CHECK(llvm::cantFail(root.at("text").string()) == "t");
  CHECK(llvm::cantFail(root.at("number").integer()) == -3);
  CHECK(llvm::cantFail(root.at("flag").boolean()));
  CHECK(llvm::cantFail(root.at("list").items()).size() == 2);
  CHECK(root.at("list").isArray());
  CHECK(root.has("text"));
  CHECK_FALSE(root.has("missing"));
}

TEST_CASE("a wrong type says what was expected and found", "[patterns]") {
  JsonDocument document = parsed("{\"n\": 1,\n\"f\": 1.5,\n\"s\": \"\",\n\"a\": [],\n\"z\": null,\n"
                                 "\"big\": 18446744073709551615, \"o\": {}}");
  JsonNode root = document.root();
  CHECK(failure(root.at("n").string()) == "file.json:1: /n: expected a string, found a number");
  CHECK(failure(root.at("f").integer()) == "file.json:2: /f: expected an integer, found a fraction");
  CHECK(failure(root.at("s").string()) == "file.json:3: /s: expected a string that is not empty");
  CHECK(failure(root.at("s").boolean()) == "file.json:3: /s: expected true or false, found a string");
  CHECK(failure(root.at("a").items()) == "file.json:4: /a: expected at least one element");
  CHECK(failure(root.at("a").string()) == "file.json:4: /a: expected a string, found an array");
  CHECK(failure(root.at("z").items()) == "file.json:5: /z: expected an array, found null");
  CHECK(failure(root.at("big").integer()) == "file.json:6: /big: expected an integer, found a number");
  CHECK(failure(root.at("n").member("x")) == "file.json:1: /n: expected an object, found a number");
  CHECK(failure(root.member("x")) == "file.json:1: missing key 'x'");
  CHECK(failure(root.at("o").member("x")) == "file.json:6: /o: missing key 'x'");
}

TEST_CASE("unknown keys propose the nearest known one", "[patterns]") {
  JsonDocument document = parsed("{\"id\": 1,\n\"tytle\": 2}");
  CHECK(llvm::toString(document.root().allowKeys({"id", "tytle"})) == "");
  CHECK(llvm::toString(document.root().allowKeys({"id", "title"})) ==
        "file.json:2: /tytle: unknown key 'tytle'; did you mean 'title'?");
  CHECK(llvm::toString(parsed("[]").root().allowKeys({"id"})) == "file.json:1: expected an object, found an array");
}

TEST_CASE("a built-in document without some of its members has all the others", "[json]") {
  constexpr std::string_view kText = R"({"id": "gu", "cases": [{"name": "a"}], "list": [1, 2]})";
  JsonDocument part = llvm::cantFail(JsonDocument::builtIn(kText, "gu.json", {"cases"}));
  CHECK(part.json() == nlohmann::json::parse(R"({"id": "gu", "list": [1, 2]})"));
  CHECK(llvm::cantFail(JsonDocument::builtIn(kText, "gu.json")).json() == nlohmann::json::parse(kText));
  CHECK(llvm::cantFail(JsonDocument::builtIn(kText, "gu.json", {"id", "cases", "list"})).json() ==
        nlohmann::json::object());
  CHECK(part.leftOut("cases") == R"([{"name": "a"}])");
  CHECK(part.leftOut("list").empty());
  CHECK(llvm::toString(part.error("/list", "wrong")) == "gu.json:1: /list: wrong");
}
