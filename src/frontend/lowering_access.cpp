// How places are read and written, and which tile, tensor or FIFO is at one.
#include "frontend/lowering.h"

namespace ptosync {

using clang::dyn_cast;

/// The scalar unit's access of memory that is no object.
Instruction Lowering::scalarAccess(std::string name, const Target &target, const clang::Expr *written) const {
  Instruction instruction;
  instruction.name = std::move(name);
  Operand operand;
  operand.kind = Operand::Kind::Pointer;
  operand.value = target.address;
  operand.bytes = target.bytes;
  operand.spelling = spelling(written);
  instruction.operands.push_back(std::move(operand));
  return instruction;
}

ExpressionId Lowering::readTarget(const Target &target, const clang::Expr *at) {
  IntegerType type = typeOf(at);
  auto as = [&](ExpressionId value) {
    IntegerType has = kernel.expressions[value].type;
    return type.bits == 0 || has.bits == 0 ? kernel.expressions.opaque(type)
           : has == type                   ? value
                                           : kernel.expressions.cast(value, type);
  };
  if (target.kind == Target::Kind::Element)
    return as(
        kernel.expressions.arrayElement(target.first, target.count, target.index, kernel.variables[target.first].type));
  if (target.kind == Target::Kind::Object) {
    const Object &object = objects[target.object];
    if (auto *known = std::get_if<Object::Scalar>(&object.value))
      return as(read(known->variable));
    if (std::holds_alternative<Object::Pointer>(object.value))
      expose(target.object); // a number now: whoever has it may use it
    return kernel.expressions.opaque(type);
  }
  Instruction instruction = scalarAccess("scalar.load", target, at);
  VariableId result = newVariable("loaded", type);
  instruction.results.push_back(result);
  emit(std::move(instruction), at);
  return type.bits ? read(result) : kernel.expressions.opaque(type);
}

ExpressionId Lowering::readPlace(const Place &place, const clang::Expr *at) {
  ExpressionId value = readTarget(place.choices.back().target, at);
  for (std::size_t i = place.choices.size() - 1; i-- > 0;) {
    ExpressionId other = readTarget(place.choices[i].target, at);
    bool plain = kernel.expressions[other].type.bits && kernel.expressions[value].type.bits;
    value =
        plain ? kernel.expressions.select(place.choices[i].guard, other, value) : kernel.expressions.opaque(typeOf(at));
  }
  return value;
}

/// Calls `act` with each target and the condition under which it is the one; kNone: always.
void Lowering::forEachChoice(const Place &place, llvm::function_ref<void(const Target &, ExpressionId)> act) {
  ExpressionId none = kNone; // no choice before this one was taken
  for (const Choice &choice : place.choices) {
    ExpressionId guard = choice.guard;
    if (none != kNone)
      guard = guard == kNone ? none : kernel.expressions.binary(Operator::BitAnd, none, guard, kBoolean);
    act(choice.target, guard);
    if (choice.guard == kNone)
      return;
    ExpressionId denied = kernel.expressions.unary(Operator::LogicalNot, choice.guard, kBoolean);
    none = none == kNone ? denied : kernel.expressions.binary(Operator::BitAnd, none, denied, kBoolean);
  }
}

void Lowering::assignIf(ExpressionId guard, VariableId variable, ExpressionId value, const clang::Stmt *at) {
  IntegerType type = kernel.variables[variable].type, has = kernel.expressions[value].type;
  if (has.bits == 0)
    value = kernel.expressions.opaque(type);
  if (guard != kNone)
    value = kernel.expressions.select(guard, value, read(variable));
  assign(variable, value, at);
}

void Lowering::writeTarget(const Target &target, ExpressionId guard, ExpressionId value, const clang::Expr *written,
                           const clang::Stmt *at) {
  if (target.kind == Target::Kind::Element) {
    if (guard != kNone)
      value = kernel.expressions.select(guard, value,
                                        kernel.expressions.arrayElement(target.first, target.count, target.index,
                                                                        kernel.variables[target.first].type));
    return emit(ArrayStore{target.first, target.count, target.index, value}, at);
  }
  if (target.kind == Target::Kind::Object) {
    if (auto *known = std::get_if<Object::Scalar>(&objects[target.object].value)) {
      IntegerType type = kernel.variables[known->variable].type, has = kernel.expressions[value].type;
      if (has.bits && has != type && typeOf(written) != type)
        value = kernel.expressions.cast(value, type);
      if (guard == kNone)
        return assign(known->variable, value, at);
      return assignIf(guard, known->variable, value, at);
    }
    if (!std::holds_alternative<Object::Untracked>(objects[target.object].value))
      forget(target.object, at);
    return;
  }
  emit(scalarAccess("scalar.store", target, written), at);
}

void Lowering::writePlace(const Place &place, ExpressionId value, const clang::Expr *written, const clang::Stmt *at) {
  if (place.choices.size() > 1) {
    Place fixed = kept(place, at); // no store of one choice may change which the others are
    value = keptValue(value, "assigned", at);
    return forEachChoice(
        fixed, [&](const Target &target, ExpressionId guard) { writeTarget(target, guard, value, written, at); });
  }
  writeTarget(place.choices.front().target, kNone, value, written, at);
}

// Objects of the library.

/// The tile at a place; of several, a tile of its own at the address of either.
std::optional<TileId> Lowering::tileAt(const Place &place, const clang::Expr *at) {
  if (auto *tile = soleKind<Object::TileObject>(place))
    return tile->tile;
  if (place.choices.size() < 2)
    return std::nullopt;
  std::vector<TileId> tiles;
  for (const Choice &choice : place.choices) {
    auto *tile = choice.target.kind == Target::Kind::Object
                     ? std::get_if<Object::TileObject>(&objects[choice.target.object].value)
                     : nullptr;
    if (!tile)
      return std::nullopt;
    tiles.push_back(tile->tile);
  }
  TileId chosen = newTile(at->getType(), spelling(at), lineOf(at->getBeginLoc()));
  auto select = [&](VariableId Tile::*part) {
    ExpressionId value = read(kernel.tiles[tiles.back()].*part);
    for (std::size_t i = tiles.size() - 1; i-- > 0;)
      value = kernel.expressions.select(place.choices[i].guard, read(kernel.tiles[tiles[i]].*part), value);
    assign(kernel.tiles[chosen].*part, value, at);
  };
  select(&Tile::address);
  if (kernel.tiles[chosen].staticValidRows < 0)
    select(&Tile::validRows);
  if (kernel.tiles[chosen].staticValidCols < 0)
    select(&Tile::validCols);
  return chosen;
}

std::optional<TileId> Lowering::tileOf(const clang::Expr *expression) {
  const clang::Expr *object = unwrapObject(expression);
  if (objectKind(object->getType()) != ObjectKind::Tile || isa<clang::CXXConstructExpr>(object))
    return std::nullopt;
  return tileAt(operandPlace(object), object);
}

std::optional<TensorId> Lowering::tensorOf(const clang::Expr *expression) {
  const clang::Expr *object = unwrapObject(expression);
  if (objectKind(object->getType()) != ObjectKind::Tensor)
    return std::nullopt;
  Place found = operandPlace(object);
  auto *tensor = soleKind<Object::TensorObject>(found);
  return tensor ? std::optional<TensorId>(tensor->tensor) : std::nullopt;
}

std::optional<FifoId> Lowering::fifoOf(const clang::Expr *expression) {
  const clang::Expr *object = unwrapObject(expression);
  if (objectKind(object->getType()) != ObjectKind::Fifo)
    return std::nullopt;
  Place found = operandPlace(object);
  auto *fifo = soleKind<Object::FifoObject>(found);
  return fifo ? std::optional<FifoId>(fifo->fifo) : std::nullopt;
}

} // namespace ptosync
