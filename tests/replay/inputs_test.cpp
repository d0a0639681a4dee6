#include "replay/inputs.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::replay;

TEST_CASE("replay: memory contents by seed") {
  MemoryContents contents;
  contents.pool = {4, 8};
  CHECK(contents.at(1) == 0);
  contents.seed = 1;
  CHECK(contents.at(1) == 1);
  contents.seed = 2;
  std::set<std::int64_t> drawn;
  for (std::uint64_t key = 0; key < 40; ++key)
    drawn.insert(contents.at(key));
  CHECK(drawn == std::set<std::int64_t>{4, 8});
  std::int64_t last = 4;
  for (contents.seed = MemoryContents::kLastMixed + 1; contents.seed <= MemoryContents::kLast; ++contents.seed) {
    CHECK(contents.at(1) == contents.at(2));
    CHECK(contents.at(1) > last);
    last = contents.at(1);
  }
}

TEST_CASE("replay: inputs are described by the names in the file") {
  Module module = test::lift(test::vectorKernel("  (void) n;\n"));
  Inputs inputs;
  CHECK(describe(inputs, module.kernels[0]) == "no arguments");
  inputs.arguments[2] = -3;
  inputs.queries["get_block_idx"] = 1;
  inputs.seed = 5;
  CHECK(describe(inputs, module.kernels[0]) == "n=-3, get_block_idx()=1, memory contents 5");
}
