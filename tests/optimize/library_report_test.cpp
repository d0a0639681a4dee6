#include "optimize/library_report.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

LibraryUse changedLibrary() {
  LibraryUse use;
  use.library = "pto-isa 1";
  use.directory = "inc";
  use.standing = LibraryStanding::Differs;
  use.counted = {{"TROWMAX", {4, 9}, {9}}, {"TROWSUM", {12}, {}}};
  use.unproved = {{"TADD", {7}, false, false}, {"TROWMIN", {20, 21}, false, true}, {"TSORT", {30}, true, false}};
  return use;
}

} // namespace

TEST_CASE("library report: a call whose library text changed is named, with what it costs") {
  CHECK(libraryPart(changedLibrary()) ==
        "\nlibrary\n"
        "  inc differs from the one the facts were made from, pto-isa 1\n"
        "  the inside of these calls counts: TROWMAX 2x, relied on at line 9; TROWSUM 1x\n"
        "  TADD at line 7: another text than the one read\n"
        "  TROWMIN at lines 20 and 21: another text than the one read, so nothing inside it counts\n"
        "  TSORT at line 30: not in this library\n");
  nlohmann::ordered_json json = libraryUseJson(changedLibrary());
  CHECK(json["checked"] == "differs");
  CHECK(json["directory"] == "inc");
  CHECK(json["counted"][0].dump() == R"({"name":"TROWMAX","lines":[4,9],"reliedOn":[9]})");
  CHECK(json["unproved"][1].dump() == R"({"name":"TROWMIN","lines":[20,21],"text":"changed","insideLost":true})");
  CHECK(json["unproved"][2]["text"] == "absent");
}

TEST_CASE("library report: a library that was not compared, one that is the same, and nothing to say") {
  LibraryUse use;
  use.library = "pto-isa 1";
  CHECK(libraryPart(use).empty());
  CHECK(libraryUseJson(use).dump() ==
        R"({"checked":"not checked","directory":null,"sameAs":null,"counted":[],"unproved":[]})");
  use.counted = {{"TROWSUM", {12}, {}}};
  CHECK(libraryPart(use) == "\nlibrary\n"
                            "  library not checked: that the kernel is built with pto-isa 1 is taken for granted "
                            "(--pto-include=DIR compares)\n"
                            "  the inside of these calls counts: TROWSUM 1x\n");
  use.directory = "inc";
  use.standing = LibraryStanding::Same;
  use.sameAs = "pto-isa 1";
  CHECK(libraryLines(use).standing == "inc is the same as the one the facts were made from, pto-isa 1");
  use.sameAs = "pto-isa 2";
  CHECK(libraryLines(use).standing == "inc is the same as pto-isa 2, for which the facts made from pto-isa 1 hold");
  CHECK(libraryUseJson(use)["sameAs"] == "pto-isa 2");
}
