#include "fuzz/trace_simulator.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::fuzz;

namespace {

/// Three tiles side by side, a run of statements, and a loop variable that counts to n.
class Builder {
public:
  Builder() {
    kernel.variables = {{"n", "int32_t"}, {"c", "int32_t"}, {"i", "int32_t"}};
    kernel.limitVariable = 1;
    for (std::uint32_t number = 0; number < 3; ++number) {
      FuzzTile tile;
      tile.name = "t" + std::to_string(number);
      tile.rows = 4;
      tile.columns = 64;
      tile.validRows = Scalar::of(tile.rows);
      tile.validColumns = Scalar::of(tile.columns);
      kernel.tiles.push_back(tile);
      Statement declaration;
      declaration.kind = Statement::Kind::DeclareTile;
      declaration.tile = number;
      declaration.value = Scalar::of(number * 1024);
      add(declaration);
    }
  }

  Builder &get(Pipe pipe, std::int64_t id, std::int64_t mode = 0) {
    return addEnd(Statement::Kind::GetBuffer, pipe, id, mode);
  }
  Builder &release(Pipe pipe, std::int64_t id, std::int64_t mode = 0) {
    return addEnd(Statement::Kind::ReleaseBuffer, pipe, id, mode);
  }
  Builder &load(std::uint32_t tile) {
    Operand global;
    global.kind = Operand::Kind::Tensor;
    global.tensor = {0, 4, 64, 64, Scalar::of(0)};
    return instruction("TLOAD", {tileOperand(tile), global});
  }
  Builder &add(std::uint32_t target, std::uint32_t source) {
    Operand number;
    number.literal = "1.0f";
    return instruction("TADDS", {tileOperand(target), tileOperand(source), number});
  }
  /// What was added since the last call goes into a loop.
  Builder &loop() {
    Statement whole;
    whole.kind = Statement::Kind::Loop;
    whole.variable = 2;
    whole.lower = Scalar::of(0);
    whole.upper = Scalar::read(0);
    whole.body.assign(kernel.body.begin() + 3, kernel.body.end());
    kernel.body.erase(kernel.body.begin() + 3, kernel.body.end());
    return add(whole);
  }

  TraceSimulator run() {
    printKernel(kernel);
    Run three;
    three.length = 3;
    return TraceSimulator(kernel, LibraryTrust::Tile, three, Chip::A5);
  }
  std::size_t hazards() { return run().hazards(); }

private:
  static Operand tileOperand(std::uint32_t tile) {
    Operand operand;
    operand.kind = Operand::Kind::Tile;
    operand.tile = tile;
    return operand;
  }
  Builder &add(Statement statement) {
    kernel.body.push_back(std::move(statement));
    return *this;
  }
  Builder &instruction(const char *opcode, std::vector<Operand> operands) {
    Statement statement;
    statement.opcode = opcode;
    statement.operands = std::move(operands);
    return add(statement);
  }
  Builder &addEnd(Statement::Kind kind, Pipe pipe, std::int64_t id, std::int64_t mode) {
    Statement statement;
    statement.kind = kind;
    statement.source = pipe;
    statement.value = Scalar::of(id);
    statement.constant = mode;
    return add(statement);
  }

  FuzzKernel kernel;
};

constexpr Pipe kLoads = Pipe::MTE2, kVector = Pipe::V, kStores = Pipe::MTE3;

} // namespace

TEST_CASE("bracket simulator: a get waits for the earlier releases of its id by other pipes", "[fuzz]") {
  CHECK(Builder().load(0).add(1, 0).hazards() == 1);
  CHECK(Builder().get(kLoads, 3).load(0).release(kLoads, 3).get(kVector, 3).add(1, 0).release(kVector, 3).hazards() ==
        0);
  // Another id, the pipe that waits is another one, nobody waits.
  CHECK(Builder().get(kLoads, 3).load(0).release(kLoads, 3).get(kVector, 4).add(1, 0).release(kVector, 4).hazards() ==
        1);
  CHECK(Builder().get(kLoads, 3).load(0).release(kLoads, 3).get(kStores, 3).add(1, 0).release(kStores, 3).hazards() ==
        1);
  CHECK(Builder().get(kLoads, 3).load(0).release(kLoads, 3).add(1, 0).hazards() == 1);
}

TEST_CASE("bracket simulator: a release tells of what stands in front of it", "[fuzz]") {
  CHECK(Builder().get(kLoads, 3).release(kLoads, 3).load(0).get(kVector, 3).add(1, 0).release(kVector, 3).hazards() ==
        1);
  // What stands in front of the get as well.
  CHECK(Builder().load(0).get(kLoads, 3).release(kLoads, 3).get(kVector, 3).release(kVector, 3).add(1, 0).hazards() ==
        0);
  // And what its pipe knew: MTE2 tells MTE3 tells V.
  CHECK(Builder()
            .get(kLoads, 0)
            .load(0)
            .release(kLoads, 0)
            .get(kStores, 0)
            .release(kStores, 0)
            .get(kStores, 1)
            .release(kStores, 1)
            .get(kVector, 1)
            .add(1, 0)
            .release(kVector, 1)
            .hazards() == 0);
}

TEST_CASE("bracket simulator: a bracket is no barrier of its own pipe", "[fuzz]") {
  CHECK(Builder().get(kLoads, 3).load(0).release(kLoads, 3).get(kLoads, 3).load(0).release(kLoads, 3).hazards() == 1);
}

TEST_CASE("bracket simulator: an order is carried round a loop without a prime", "[fuzz]") {
  CHECK(Builder().load(0).add(1, 0).loop().hazards() > 0);
  // The loads of two iterations have the vector instruction between them.
  CHECK(Builder()
            .get(kLoads, 3)
            .load(0)
            .release(kLoads, 3)
            .get(kVector, 3)
            .add(1, 0)
            .release(kVector, 3)
            .loop()
            .hazards() == 0);
}

TEST_CASE("bracket simulator: what is not taken and given back in turn is a fault, and orders nothing for certain",
          "[fuzz]") {
  Builder nested;
  nested.get(kLoads, 3).get(kVector, 3).load(0).release(kLoads, 3).release(kVector, 3);
  CHECK(nested.run().bracketFaults().size() == 3);
  Builder other;
  other.get(kLoads, 3).load(0).release(kVector, 3);
  CHECK(other.run().bracketFaults().size() == 1);
  Builder open;
  open.get(kLoads, 3).load(0);
  CHECK(open.run().bracketFaults().size() == 1);
  Builder amiss;
  amiss.get(kLoads, 3).load(0).release(kLoads, 3).get(kVector, 3).add(1, 0).release(kVector, 3).release(kVector, 3);
  CHECK(amiss.hazards() == 1);
  Builder signal;
  signal.get(kLoads, 3, 1).load(0).release(kLoads, 3, 1).get(kVector, 3).add(1, 0).release(kVector, 3);
  CHECK(signal.run().bracketFaults().empty());
  CHECK(signal.hazards() == 1);
}
