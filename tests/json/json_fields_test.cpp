#include "json/json_fields.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace ptosync;

namespace {

constexpr std::string_view kFields = "{\n"
                                     "  \"name\": \"TADD\",\n"
                                     "  \"count\": 3,\n"
                                     "  \"share\": 0.5,\n"
                                     "  \"sure\": true,\n"
                                     "  \"list\": [\"a\",\n"
                                     "           \"b\"],\n"
                                     "  \"inner\": {\"key\": null}\n"
                                     "}\n";

/// The problem after some reading of the fields; empty if there is none.
std::string after(const std::function<void(JsonFields &, const JsonFields::Json &)> &read) {
  JsonDocument document = llvm::cantFail(JsonDocument::parse(kFields, "f.json"));
  JsonFields fields(document);
  read(fields, document.json());
  CHECK(fields.failed() == !llvm::toString(fields.problem()).empty());
  return llvm::toString(fields.problem());
}

} // namespace

TEST_CASE("json fields: values of the kind that is asked for", "[json]") {
  CHECK(after([](JsonFields &fields, const JsonFields::Json &root) {
          CHECK(fields.text(root, "name", "") == "TADD");
          CHECK(fields.integer(root, "count", "") == 3);
          CHECK(fields.integer(root, "missing", "", 7) == 7);
          CHECK(fields.number(root, "share", "", 0) == 0.5);
          CHECK(fields.flag(root, "sure", ""));
          CHECK_FALSE(fields.flag(root, "missing", ""));
          CHECK(fields.strings(root["list"], "/list") == std::vector<std::string>{"a", "b"});
          CHECK(fields.strings(root["name"], "/name") == std::vector<std::string>{"TADD"});
          CHECK(fields.text(root, "missing", "", false).empty());
          CHECK(fields.array(root, "missing", "", false).empty());
          CHECK(fields.object(root, "inner", "").size() == 1);
          CHECK(fields.choice<int>(root, "name", "", 0, {{"TSUB", 1}, {"TADD", 2}}) == 2);
          CHECK(fields.choice<int>(root, "missing", "", 5, {{"TSUB", 1}}) == 5);
        }) == "");
}

TEST_CASE("json fields: the first problem stays, with line, pointer and what was expected", "[json]") {
  using Json = JsonFields::Json;
  CHECK(after([](JsonFields &f, const Json &root) { f.integer(root, "name", ""); }) ==
        "f.json:2: /name: expected a whole number");
  CHECK(after([](JsonFields &f, const Json &root) { f.integer(root, "share", "", 1); }) ==
        "f.json:4: /share: expected a whole number");
  CHECK(after([](JsonFields &f, const Json &root) { f.text(root, "count", "", false); }) ==
        "f.json:3: /count: expected a string");
  CHECK(after([](JsonFields &f, const Json &root) { f.flag(root, "count", ""); }) ==
        "f.json:3: /count: expected true or false");
  CHECK(after([](JsonFields &f, const Json &root) { f.number(root, "count", "", 4); }) ==
        "f.json:3: /count: expected a number above 0");
  CHECK(after([](JsonFields &f, const Json &root) { f.strings(root["count"], "/count"); }) ==
        "f.json:3: /count: expected a string or an array of strings");
  CHECK(after([](JsonFields &f, const Json &root) { f.member(root, "missing", ""); }) ==
        "f.json:1: /missing: expected this key to be present");
  CHECK(after([](JsonFields &f, const Json &root) { f.array(root, "inner", ""); }) ==
        "f.json:8: /inner: expected an array");
  CHECK(after([](JsonFields &f, const Json &root) { f.object(root, "list", "", false); }) ==
        "f.json:6: /list: expected an object");
  CHECK(after([](JsonFields &f, const Json &root) { f.member(root["list"], "key", "/list/1"); }) ==
        "f.json:7: /list/1: expected an object");
  CHECK(after([](JsonFields &f, const Json &root) {
          f.text(root, "count", "");
          f.text(root, "share", "");
        }) == "f.json:3: /count: expected a string");
}

TEST_CASE("json fields: a word that is none of those allowed", "[json]") {
  auto chosen = [](const std::vector<std::pair<const char *, int>> &names) {
    return after(
        [&](JsonFields &f, const JsonFields::Json &root) { CHECK(f.choice<int>(root, "name", "", 9, names) == 9); });
  };
  CHECK(chosen({{"TAD", 1}, {"TMUL", 2}}) ==
        "f.json:2: /name: expected one of \"TAD\", \"TMUL\", found \"TADD\"; did you mean \"TAD\"?");
  CHECK(chosen({{"barrier", 1}}) == "f.json:2: /name: expected \"barrier\", found \"TADD\"");
}
