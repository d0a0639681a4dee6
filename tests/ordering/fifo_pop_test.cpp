// Where a popped tile lies: in the consumer's ring, never where the tile was assigned before.
#include "ordering/program.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <map>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Possible byte addresses of the popped tile, by line of the pop.
std::map<unsigned, std::vector<std::int64_t>> popAddresses(const std::string &body) {
  Module module = lift(vectorKernel(body));
  Program program = llvm::cantFail(buildProgram(module.kernels.at(0), machineOf("a3"), OrderingOptions{}));
  std::map<unsigned, std::vector<std::int64_t>> addresses;
  for (const Node &node : program.nodes)
    if (node.pipe == Pipe::MTE2 && !node.accesses.empty())
      if (const auto *instruction = std::get_if<Instruction>(&node.statement->action);
          instruction && instruction->name == "TPOP")
        addresses[node.statement->line] = program.scalars->algebra().possibleValues(node.accesses[0].base);
  return addresses;
}

std::string fifo(unsigned slotBytes) {
  return "  auto pipe = TPipe<0, Direction::DIR_C2V, " + std::to_string(slotBytes) + ", 8, 2, false>(in, 65536, 0);\n";
}

const char *kPop = "  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 8, 2, false>, decltype(v1), TileSplitAxis::TILE_NO_SPLIT>"
                   "(pipe, v1);\n";

} // namespace

TEST_CASE("pop number i fills slot i modulo the local slots") {
  // 16x64 float is 4096 bytes, a slot of its own.
  auto found = popAddresses(tile("v1", "float", 16, 64, 0) + fifo(4096) + kPop + kPop + kPop);
  REQUIRE(found.size() == 3);
  unsigned first = found.begin()->first;
  CHECK(found[first] == std::vector<std::int64_t>{65536});
  CHECK(found[first + 1] == std::vector<std::int64_t>{65536 + 4096});
  CHECK(found[first + 2] == std::vector<std::int64_t>{65536});
}

TEST_CASE("a tile smaller than its slot may lie at either version's slot distance") {
  std::string pop = "  TPOP<TPipe<0, Direction::DIR_C2V, 8192, 8, 2, false>, decltype(v1), "
                    "TileSplitAxis::TILE_NO_SPLIT>(pipe, v1);\n";
  auto found = popAddresses(tile("v1", "float", 16, 64, 0) + fifo(8192) + pop + pop);
  REQUIRE(found.size() == 2);
  unsigned first = found.begin()->first;
  CHECK(found[first] == std::vector<std::int64_t>{65536});
  CHECK(found[first + 1] == std::vector<std::int64_t>{65536 + 4096, 65536 + 8192});
}

TEST_CASE("pops in a loop step through the ring") {
  auto found = popAddresses(tile("v1", "float", 16, 64, 0) + fifo(4096) + "  for (int64_t i = 0; i < n; i += 1) {\n" +
                            kPop + "  }\n");
  REQUIRE(found.size() == 1);
  CHECK(found.begin()->second == std::vector<std::int64_t>{65536, 65536 + 4096});
}

TEST_CASE("a pop on some paths only leaves the slot open") {
  auto found = popAddresses(tile("v1", "float", 16, 64, 0) + fifo(4096) + "  if (n > 3) {\n" + kPop + "  }\n" + kPop);
  REQUIRE(found.size() == 2);
  CHECK(found.begin()->second == std::vector<std::int64_t>{65536});
  // After the join: slot 0 or slot 1.
  CHECK(found.rbegin()->second == std::vector<std::int64_t>{65536, 65536 + 4096});
}

TEST_CASE("a pop of a tensor is counted like any other") {
  std::string ofTensor =
      "  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, "
      "pto::Layout::ND> g(in);\n  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 8, 2, false>, decltype(g), "
      "TileSplitAxis::TILE_NO_SPLIT>(pipe, g);\n";
  auto found = popAddresses(tile("v1", "float", 16, 64, 0) + fifo(4096) + kPop + ofTensor + kPop);
  REQUIRE(found.size() == 2);
  CHECK(found.begin()->second == std::vector<std::int64_t>{65536});
  CHECK(found.rbegin()->second == std::vector<std::int64_t>{65536});
}

TEST_CASE("how many local slots there are is the library's affair if the type does not say") {
  std::string pipe = "  auto pipe = TPipe<0, Direction::DIR_C2V, 4096, 8>(in, 65536, 0);\n";
  std::string pop = "  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 8>, decltype(v1), TileSplitAxis::TILE_NO_SPLIT>"
                    "(pipe, v1);\n";
  auto found = popAddresses(tile("v1", "float", 16, 64, 0) + pipe + pop + pop);
  REQUIRE(found.size() == 2);
  for (const auto &[line, addresses] : found)
    CHECK(addresses.empty());
}

TEST_CASE("where members of a FIFO are named nothing is known of its slots") {
  for (const char *named : {"  pipe.cons.setTileId(0, 0);\n", "  auto *side = &pipe.cons;\n  side->setTileId(0, 0);\n",
                            "  auto *whole = &pipe;\n  whole->cons.setTileId(0, 0);\n"}) {
    INFO(named);
    auto found = popAddresses(tile("v1", "float", 16, 64, 0) + fifo(4096) + kPop + named + kPop);
    REQUIRE(found.size() == 2);
    for (const auto &[line, addresses] : found)
      CHECK(addresses.empty());
  }
}

TEST_CASE("behind a pop of no known form neither its tile nor the next slot is known") {
  std::string unknown = "  Event<Op::TLOAD, Op::TADD> e, f;\n"
                        "  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 8, 2, false>, decltype(v2), "
                        "TileSplitAxis::TILE_NO_SPLIT>(pipe, v2, e, f);\n";
  std::string tiles = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096);
  Module module = lift(vectorKernel(tiles + fifo(4096) + kPop + unknown + kPop + "  TEXP(v2, v2);\n"));
  Program program = llvm::cantFail(buildProgram(module.kernels.at(0), machineOf("a3"), OrderingOptions{}));
  std::vector<std::size_t> known;
  for (const Node &node : program.nodes)
    if (const auto *instruction = std::get_if<Instruction>(&node.statement->action);
        instruction && !node.accesses.empty() && node.pipe != Pipe::S && !node.unknown)
      known.push_back(program.scalars->algebra().possibleValues(node.accesses[0].base).size());
  CHECK(known == std::vector<std::size_t>{1, 0, 0});
}
