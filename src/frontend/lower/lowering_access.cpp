// How places are read and written, and which tile, tensor or FIFO is at one.
#include "frontend/lower/lowering.h"

namespace ptosync {

using clang::dyn_cast;

namespace {

/// Returns true if the expression may have another value each time it is evaluated.
bool hasOpaque(const ExpressionArena &expressions, ExpressionId id) {
  const Expression &expression = expressions[id];
  return expression.kind == Expression::Kind::Opaque || llvm::any_of(expression.operands, [&](ExpressionId operand) {
           return operand != kNone && hasOpaque(expressions, operand);
         });
}

} // namespace

/// The scalar unit's access of memory that is no object.
Instruction Lowering::scalarAccess(std::string name, const Target &target, const clang::Expr *written) const {
  Instruction instruction;
  instruction.name = std::move(name);
  instruction.isVolatile = written->IgnoreParenImpCasts()->getType().isVolatileQualified();
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
  const bool pointer = at->getType()->isPointerType();
  if (target.kind == Target::Kind::Object) {
    const Object &object = objects[target.object];
    if (auto *known = std::get_if<Object::Scalar>(&object.value))
      return as(read(known->variable));
    pointersRead |= pointer && std::holds_alternative<Object::Untracked>(object.value);
    if (std::holds_alternative<Object::Pointer>(object.value))
      expose(target.object); // a number now: whoever has it may use it
    return kernel.expressions.opaque(type);
  }
  pointersRead |= pointer;
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
    lost.insert(value);
    if (!std::holds_alternative<Object::Untracked>(objects[target.object].value))
      forget(target.object, at);
    return;
  }
  lost.insert(value);
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

/// The value that an object has at a place: of several, the one that is meant. `part` gives that of one object, kNone
/// if it is none that is followed.
ExpressionId Lowering::selected(const Place &place, IntegerType type,
                                llvm::function_ref<ExpressionId(const Object &)> part) {
  auto of = [&](const Target &target) {
    ExpressionId value = target.kind == Target::Kind::Object ? part(objects[target.object]) : kNone;
    return value != kNone ? value : kernel.expressions.opaque(type);
  };
  ExpressionId value = of(place.choices.back().target);
  for (std::size_t i = place.choices.size() - 1; i-- > 0;)
    value = kernel.expressions.select(place.choices[i].guard, of(place.choices[i].target), value);
  return value;
}

/// The place with what is unknown of it decided once, so that all parts of an object are read at one place.
Place Lowering::decided(Place place, const clang::Stmt *at) {
  for (Choice &choice : place.choices)
    if (choice.guard != kNone && hasOpaque(kernel.expressions, choice.guard))
      choice.guard = keptValue(choice.guard, "place", at);
  return place;
}

/// The tile at a place. Of several it is a tile of its own, at the address of the one that is meant. What is none of
/// this kernel's tiles lies anywhere in the memory that its type names.
TileId Lowering::tileAt(const Place &found, clang::QualType type, const clang::Expr *at) {
  if (auto *tile = soleKind<Object::TileObject>(found))
    return tile->tile;
  const Place place = decided(found, at);
  const TileId id = newTile(type, spelling(at), lineOf(at->getBeginLoc()));
  const Tile chosen = kernel.tiles[id];
  auto tileOf = [&](const Object &object) -> const Tile * {
    auto *tile = std::get_if<Object::TileObject>(&object.value);
    return tile ? &kernel.tiles[tile->tile] : nullptr;
  };
  auto select = [&](VariableId Tile::*part, std::int64_t Tile::*fixed) {
    IntegerType partType = kernel.variables[chosen.*part].type;
    assign(chosen.*part,
           selected(place, partType,
                    [&](const Object &object) {
                      const Tile *tile = tileOf(object);
                      return !tile ? kNone : fixed && tile->*fixed >= 0 ? constant(tile->*fixed) : read(tile->*part);
                    }),
           at);
  };
  select(&Tile::address, nullptr);
  if (chosen.staticValidRows < 0)
    select(&Tile::validRows, &Tile::staticValidRows);
  if (chosen.staticValidCols < 0)
    select(&Tile::validCols, &Tile::staticValidCols);
  return id;
}

/// The same for a tensor, which lies anywhere in global memory then.
TensorId Lowering::tensorAt(const Place &found, clang::QualType type, const clang::Expr *at) {
  if (auto *tensor = soleKind<Object::TensorObject>(found))
    return tensor->tensor;
  const Place place = decided(found, at);
  const TensorId id = newTensor(type, spelling(at), lineOf(at->getBeginLoc()));
  const Tensor chosen = kernel.tensors[id];
  auto select = [&](VariableId variable, llvm::function_ref<ExpressionId(const Tensor &)> part) {
    assign(variable,
           selected(place, kernel.variables[variable].type,
                    [&](const Object &object) {
                      auto *tensor = std::get_if<Object::TensorObject>(&object.value);
                      return tensor ? part(kernel.tensors[tensor->tensor]) : kNone;
                    }),
           at);
  };
  select(chosen.pointer, [&](const Tensor &tensor) { return read(tensor.pointer); });
  for (std::size_t i = 0; i < chosen.shape.size(); ++i) {
    if (chosen.shapeVariables[i] != kNone)
      select(chosen.shapeVariables[i],
             [&](const Tensor &tensor) { return entryOf({tensor.shape, tensor.shapeVariables}, i); });
    if (chosen.strideVariables[i] != kNone)
      select(chosen.strideVariables[i],
             [&](const Tensor &tensor) { return entryOf({tensor.stride, tensor.strideVariables}, i); });
  }
  return id;
}

/// The tile that an expression names; nothing if it makes one, or is none.
std::optional<TileId> Lowering::tileOf(const clang::Expr *expression) {
  const clang::Expr *object = unwrapObject(expression);
  if (objectKind(object->getType()) != ObjectKind::Tile || isa<clang::CXXConstructExpr, clang::InitListExpr>(object))
    return std::nullopt;
  return tileAt(operandPlace(object), object->getType(), object);
}

std::optional<TensorId> Lowering::tensorOf(const clang::Expr *expression) {
  const clang::Expr *object = unwrapObject(expression);
  if (objectKind(object->getType()) != ObjectKind::Tensor || isa<clang::InitListExpr>(object))
    return std::nullopt;
  return tensorAt(operandPlace(object), object->getType(), object);
}

std::optional<FifoId> Lowering::fifoOf(const clang::Expr *expression) {
  const clang::Expr *object = unwrapObject(expression);
  if (objectKind(object->getType()) != ObjectKind::Fifo)
    return std::nullopt;
  Place found = operandPlace(object);
  auto *fifo = soleKind<Object::FifoObject>(found);
  return fifo ? std::optional<FifoId>(fifo->fifo) : std::nullopt;
}

/// The one way in which a call changes objects of this kernel. `change` is called for each object that `place` may
/// mean, with the condition under which it is the one; it returns false if it cannot change that one. What is no object
/// of this kernel may be any whose address somebody knows, and all of those are changed (clobberExposed). What such a
/// call does besides, to memory, is the machine model's to say, as for any call.
void Lowering::changeObjects(const std::string &name, unsigned operands, const Place &place, const clang::Stmt *at,
                             llvm::function_ref<bool(const Object &, ExpressionId)> change) {
  bool lost = false;
  forEachChoice(place, [&](const Target &target, ExpressionId guard) {
    if (target.kind != Target::Kind::Object) {
      lost = true;
      return;
    }
    const Object meant = objects[target.object]; // a copy: the vector may grow
    if (std::holds_alternative<Object::Untracked>(meant.value) || change(meant, guard))
      return;
    forget(target.object, at);
    lost = true;
  });
  if (!lost)
    return;
  if (!shared.instructions.count(name))
    return unknownEffect(name, at, {});
  Instruction instruction;
  instruction.name = name;
  instruction.operands.resize(operands); // the first stays unknown
  for (unsigned i = 1; i < operands; ++i) {
    instruction.operands[i].kind = Operand::Kind::Scalar;
    instruction.operands[i].value = kernel.expressions.opaque(kInt64);
  }
  emit(std::move(instruction), at);
}

} // namespace ptosync
