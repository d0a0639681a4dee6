// Kernels for tests of scalar code, built without text: expressions converted as C++ converts them, statements in
// blocks as the frontend lowers them.
//
//   KernelMaker maker;
//   VariableId j = maker.variable("j", {8, false});
//   maker.assign(j, maker.constant(3, kInt32));
//   maker.loop([&] { return maker.binary(Operator::Less, maker.read(j), maker.constant(4, kInt32)); },
//              [&] { maker.touch(maker.read(j)); }, [&] { maker.assign(j, ...); });
//   Kernel kernel = maker.finish();
//
// A type may have any width: 3 bits wrap as 8 do, after a thirty-second of the values.
#pragma once

#include "kernel/kernel.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync::test {

class KernelMaker {
public:
  using Body = std::function<void()>;
  using Condition = std::function<ExpressionId()>;

  KernelMaker() {
    kernel.name = "k";
    newBlock();
  }

  VariableId variable(std::string name, IntegerType type) {
    kernel.variables.push_back({std::move(name), type});
    return static_cast<VariableId>(kernel.variables.size() - 1);
  }
  ExpressionId argument(std::string name, IntegerType type) {
    return kernel.expressions.parameter(arguments++, type, std::move(name));
  }
  ExpressionId constant(std::int64_t value, IntegerType type) { return kernel.expressions.constant(value, type); }
  ExpressionId read(VariableId variable) {
    return kernel.expressions.variable(variable, kernel.variables[variable].type);
  }
  ExpressionId cast(ExpressionId value, IntegerType type) {
    return typeOf(value) == type ? value : kernel.expressions.cast(value, type);
  }
  ExpressionId select(ExpressionId condition, ExpressionId whenTrue, ExpressionId whenFalse) {
    return kernel.expressions.select(cast(condition, kBoolean), whenTrue, cast(whenFalse, typeOf(whenTrue)));
  }
  IntegerType typeOf(ExpressionId id) const { return kernel.expressions[id].type; }

  /// With the integral promotions and the usual arithmetic conversions.
  ExpressionId binary(Operator op, ExpressionId a, ExpressionId b) {
    a = promoted(a);
    b = promoted(b);
    bool shift = op == Operator::ShiftLeft || op == Operator::ShiftRight;
    if (!shift && typeOf(a) != typeOf(b)) {
      IntegerType x = typeOf(a), y = typeOf(b);
      IntegerType common = x.bits > y.bits ? x : y.bits > x.bits ? y : IntegerType{x.bits, false};
      a = cast(a, common);
      b = cast(b, common);
    }
    return kernel.expressions.binary(op, a, b, isComparison(op) ? kBoolean : typeOf(a));
  }
  ExpressionId negated(ExpressionId condition) {
    return kernel.expressions.unary(Operator::LogicalNot, cast(condition, kBoolean), kBoolean);
  }
  /// What `++v` and `v--` make: counted in the variable's own type.
  ExpressionId moved(VariableId variable, std::int64_t by) {
    IntegerType type = kernel.variables[variable].type;
    return kernel.expressions.binary(by < 0 ? Operator::Subtract : Operator::Add, read(variable),
                                     constant(by < 0 ? -by : by, type), type);
  }

  void assign(VariableId variable, ExpressionId value) {
    Statement statement;
    statement.action = Assign{variable, cast(value, kernel.variables[variable].type)};
    add(std::move(statement));
  }
  /// An instruction on a tile at `place` * 1024, a number without sign.
  void touch(ExpressionId place) {
    Tile tile;
    tile.name = "t" + std::to_string(kernel.tiles.size());
    tile.location = "Vec";
    tile.element = "float";
    tile.elementBits = 32;
    tile.rows = 4;
    tile.cols = 64;
    tile.staticValidRows = 4;
    tile.staticValidCols = 64;
    tile.address = variable(tile.name + ".address", kAddress);
    assign(tile.address, binary(Operator::Multiply, cast(place, kAddress), constant(1024, kAddress)));
    auto number = static_cast<TileId>(kernel.tiles.size());
    kernel.tiles.push_back(std::move(tile));
    Instruction instruction;
    instruction.name = "TADDS";
    for (int i = 0; i < 2; ++i)
      instruction.operands.push_back({Operand::Kind::Tile, number, kNone, 0, kernel.tiles[number].name});
    instruction.operands.push_back({Operand::Kind::Scalar, kNone, constant(1, kInt32), 0, "1"});
    Statement statement;
    statement.action = std::move(instruction);
    add(std::move(statement));
  }

  /// A set of or a wait for the flag from MTE2 to V of this id.
  void flag(SyncKind kind, std::int64_t id) {
    Sync sync;
    sync.kind = kind;
    sync.source = Pipe::MTE2;
    sync.destination = Pipe::V;
    sync.event = constant(id, kInt32);
    sync.site = sites++;
    Statement statement;
    statement.action = sync;
    add(std::move(statement));
  }

  void branch(ExpressionId condition, const Body &whenTrue, const Body &whenFalse = [] {}) {
    BlockId from = current;
    BlockId first = newBlock();
    whenTrue();
    BlockId firstEnd = current;
    BlockId second = newBlock();
    whenFalse();
    BlockId secondEnd = current;
    BlockId join = newBlock();
    end(from, condition, first, second);
    jump(firstEnd, join);
    jump(secondEnd, join);
  }
  /// `for (; condition; step) body`; `breakOut` and `goOn` may be called in the body.
  void loop(const Condition &condition, const Body &body, const Body &step = [] {}) {
    BlockId before = current, header = newBlock();
    jump(before, header);
    ExpressionId test = condition();
    BlockId testEnd = current, inside = newBlock();
    open.push_back({});
    body();
    BlockId bodyEnd = current, last = newBlock();
    step();
    BlockId lastEnd = current, behind = newBlock();
    end(testEnd, test, inside, behind);
    jump(bodyEnd, last);
    jump(lastEnd, header);
    close(last, behind);
  }
  /// `do body while (condition)`; `oneBlock`: the test ends the loop's only block, as `goto` makes it.
  void doLoop(const Body &body, const Condition &condition, bool oneBlock = false) {
    BlockId before = current, header = newBlock();
    jump(before, header);
    open.push_back({});
    body();
    BlockId bodyEnd = current, test = oneBlock ? bodyEnd : newBlock();
    if (!oneBlock)
      jump(bodyEnd, test);
    ExpressionId again = condition();
    BlockId behind = newBlock();
    end(test, again, header, behind);
    close(test, behind);
  }
  /// `return;`
  void leaveKernel() {
    left.push_back(current);
    newBlock();
  }
  void breakOut() { leave(open.back().breaks); }
  void goOn() { leave(open.back().continues); }

  /// The kernel; the maker is used up.
  Kernel finish() { return std::move(kernel); }

private:
  struct Open {
    std::vector<BlockId> breaks, continues; // blocks that end with one
  };

  ExpressionId promoted(ExpressionId value) { return typeOf(value).bits < 32 ? cast(value, kInt32) : value; }
  void add(Statement statement) {
    statement.line = ++lines;
    kernel.blocks[current].statements.push_back(std::move(statement));
  }
  BlockId newBlock() {
    kernel.blocks.emplace_back();
    return current = static_cast<BlockId>(kernel.blocks.size() - 1);
  }
  void jump(BlockId from, BlockId to) {
    Terminator &end = kernel.blocks[from].terminator;
    if (end.kind != Terminator::Kind::Return || ended(from))
      return;
    end.kind = Terminator::Kind::Jump;
    end.whenTrue = to;
  }
  void end(BlockId from, ExpressionId condition, BlockId whenTrue, BlockId whenFalse) {
    Terminator &end = kernel.blocks[from].terminator;
    end.kind = Terminator::Kind::Branch;
    end.condition = cast(condition, kBoolean);
    end.whenTrue = whenTrue;
    end.whenFalse = whenFalse;
    end.line = ++lines;
  }
  /// What follows in the same list is not reached.
  void leave(std::vector<BlockId> &list) {
    list.push_back(current);
    left.push_back(current);
    newBlock();
  }
  bool ended(BlockId block) const { return std::find(left.begin(), left.end(), block) != left.end(); }
  void close(BlockId last, BlockId behind) {
    for (BlockId block : open.back().breaks)
      force(block, behind);
    for (BlockId block : open.back().continues)
      force(block, last);
    open.pop_back();
  }
  void force(BlockId from, BlockId to) {
    kernel.blocks[from].terminator.kind = Terminator::Kind::Jump;
    kernel.blocks[from].terminator.whenTrue = to;
  }

  Kernel kernel;
  std::vector<Open> open;
  std::vector<BlockId> left;
  BlockId current = 0;
  std::uint32_t arguments = 0, lines = 0, sites = 0;
};

} // namespace ptosync::test
