#include "rewrite/fifo_edits.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("slot edits: every spelling, told once a line") {
  SourceText source("k.cpp", "f<8> g<8>\nh<8>\n");
  std::vector<Edit> edits = llvm::cantFail(slotEdits(source, {{{2, 3}, 1}, {{7, 8}, 1}, {{12, 13}, 2}}, 8, 2, "fewer"));
  CHECK(llvm::cantFail(applyEdits(source, edits)) ==
        "f<2 /* ptosync: 2 local slots, were 8 [fewer] */> g<2>\nh<2 /* ptosync: 2 local slots, were 8 [fewer] */>\n");
}

TEST_CASE("slot edits: a count that is not spelled leaves everything alone") {
  SourceText source("k.cpp", "f<8>\ng<>\n");
  llvm::Expected<std::vector<Edit>> edits = slotEdits(source, {{{2, 3}, 1}, {{}, 2}}, 8, 2, "fewer");
  REQUIRE(!edits);
  CHECK(llvm::toString(edits.takeError()).find("k.cpp:2:") == 0);
}
