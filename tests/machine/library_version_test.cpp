#include "machine/library_version.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

const LibraryText kLibrary = {{"TADD", {"void TADD ( ) { TADD_IMPL ( ) ; } "}},
                              {"TADD_IMPL", {"void TADD_IMPL ( ) { repeat ( ) ; } "}},
                              {"repeat", {"void repeat ( ) { vadd ( ) ; } "}},
                              {"TSUB_IMPL", {"void TSUB_IMPL ( ) { vsub ( ) ; } "}}};
const std::vector<std::string> kNames = {"TADD", "TSUB", "GetValue"};

} // namespace

TEST_CASE("library version: what an instruction calls is part of its hash, what it does not call is not") {
  InstructionHashes before = instructionHashes(kLibrary, kNames);
  CHECK(before.size() == 2); // GetValue has no code
  LibraryText changed = kLibrary;
  changed["repeat"] = {"void repeat ( ) { vadd ( ) ; pipe_barrier ( PIPE_V ) ; } "};
  InstructionHashes after = instructionHashes(changed, kNames);
  CHECK(after["TADD"] != before["TADD"]);
  CHECK(after["TSUB"] == before["TSUB"]);
  changed.erase("TSUB_IMPL");
  std::map<std::string, LibraryMatch> matches = compareLibrary({before}, instructionHashes(changed, kNames));
  CHECK(matches.at("TADD") == LibraryMatch::Changed);
  CHECK(matches.at("TSUB") == LibraryMatch::Absent);
  CHECK(compareLibrary({before}, before).at("TADD") == LibraryMatch::Same);
}

TEST_CASE("library version: the same as any of several versions is the same") {
  InstructionHashes one{{"TADD", "1"}}, two{{"TADD", "2"}};
  CHECK(compareLibrary({one, two}, two).at("TADD") == LibraryMatch::Same);
  CHECK(compareLibrary({two, one}, two).at("TADD") == LibraryMatch::Same);
  CHECK(compareLibrary({one}, two).at("TADD") == LibraryMatch::Changed);
}

TEST_CASE("library version: which of several versions matched") {
  const std::string model = "pto-isa 1";
  std::vector<LibraryVersion> known = {{model, {model}, {{"a3", {{"TADD", "1"}, {"TSUB", "1"}}}}},
                                       {"pto-isa 2", {model}, {{"a3", {{"TADD", "2"}, {"TSUB", "2"}}}}},
                                       {"pto-isa 3", {"pto-isa 3"}, {{"a3", {{"TADD", "3"}, {"TSUB", "3"}}}}}};
  LibraryComparison newer = compareVersions(known, model, "a3", {{"TADD", "2"}, {"TSUB", "2"}});
  REQUIRE(newer.versions.size() == 2); // of the third the model's facts are not said to hold
  CHECK(newer.versions[0].same == 0);
  CHECK(newer.versions[1].same == 2);
  CHECK(newer.versions[1].of == 2);
  CHECK(describeVersions(newer.versions) == "pto-isa 2");
  LibraryComparison between = compareVersions(known, model, "a3", {{"TADD", "1"}, {"TSUB", "2"}});
  CHECK(between.matches.at("TADD") == LibraryMatch::Same);
  CHECK(between.matches.at("TSUB") == LibraryMatch::Same);
  CHECK(describeVersions(between.versions) == "pto-isa 1 (1 of 2), pto-isa 2 (1 of 2)");
  CHECK(compareVersions(known, model, "a3", {{"TADD", "3"}, {"TSUB", "1"}}).matches.at("TADD") ==
        LibraryMatch::Changed);
  CHECK(compareVersions(known, model, "a5", {{"TADD", "1"}}).versions.empty());
  CHECK(compareVersions(known, "pto-isa 4", "a3", {{"TADD", "1"}}).versions.empty());
  CHECK(describeVersions({}).empty());
}

TEST_CASE("library version: written and read back, and what is wrong is named") {
  LibraryVersion version{"pto-isa 1", {"pto-isa 1"}, {{"a3", {{"TADD", "00ff"}}}}};
  llvm::Expected<LibraryVersion> again = LibraryVersion::parse(version.json(), "v.json");
  REQUIRE(bool(again));
  CHECK(again->library == "pto-isa 1");
  CHECK(again->hashes == version.hashes);
  for (const auto &[text, problem] :
       {std::pair{"{}", "v.json: /library: expected the library's name and version"},
        std::pair{R"({"library": "x", "facts": []})", "v.json: /hashes: expected an object of architectures"},
        std::pair{R"({"library": "x", "facts": ["y", 1], "hashes": {}})",
                  "v.json: /facts/1: expected the name of a model's library"},
        std::pair{R"({"library": "x", "fact": [], "hashes": {}})",
                  "v.json: /fact: expected library, facts and hashes only"},
        std::pair{R"({"library": "x", "facts": [], "hashes": {"a3": {"T": 1}}})",
                  "v.json: /hashes/a3/T: expected a hash"}}) {
    llvm::Expected<LibraryVersion> bad = LibraryVersion::parse(text, "v.json");
    REQUIRE_FALSE(bool(bad));
    CHECK(llvm::toString(bad.takeError()) == problem);
  }
}

TEST_CASE("library version: each built-in model's library is known by its hashes") {
  llvm::Expected<std::vector<LibraryVersion>> versions = knownLibraryVersions();
  REQUIRE(bool(versions));
  REQUIRE(versions->size() >= 1);
  CHECK(versions->front().hashes.at("a3").count("TROWSUM") == 1);
  CHECK(versions->front().hashes.at("a5").count("TROWSUM") == 1);
}
