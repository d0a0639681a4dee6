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

TEST_CASE("library version: written and read back, and what is wrong is named") {
  LibraryVersion version{"pto-isa 1", {"pto-isa 1"}, {{"a3", {{"TADD", "00ff"}}}}};
  llvm::Expected<LibraryVersion> again = LibraryVersion::parse(version.json(), "v.json");
  REQUIRE(bool(again));
  CHECK(again->library == "pto-isa 1");
  CHECK(again->hashes == version.hashes);
  for (const auto &[text, problem] : {std::pair{"{}", "v.json: /library: expected the library's name and version"},
                                      std::pair{R"({"library": "x", "facts": []})", "v.json: /hashes: expected an object of architectures"},
                                      std::pair{R"({"library": "x", "facts": [], "hashes": {"a3": {"T": 1}}})", "v.json: /hashes/a3/T: expected a hash"}}) {
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
