// Objects copied, set to zero, and forgotten.
#include "frontend/lower/lowering.h"

#include "frontend/lower/lowering_classes.h"

namespace ptosync {

using clang::dyn_cast;

void Lowering::copyObject(ObjectId to, const Place &from, clang::QualType type, const clang::Stmt *at) {
  if (std::optional<ObjectId> object = soleObject(from))
    return copyObject(to, *object, at);
  const Object known = objects[to];
  if (auto *value = dyn_cast<clang::Expr>(at)) {
    if (auto *tile = std::get_if<Object::TileObject>(&known.value))
      return copyTile(tile->tile, tileAt(from, type, value), kNone, at);
    if (auto *tensor = std::get_if<Object::TensorObject>(&known.value))
      return copyTensor(tensor->tensor, tensorAt(from, type, value), kNone, at);
  }
  for (const Choice &choice : from.choices) {
    if (choice.target.kind == Target::Kind::Object)
      expose(choice.target.object); // its references live on in the copy
    else if (auto *value = dyn_cast<clang::Expr>(at); value && choice.target.kind == Target::Kind::Memory)
      readTarget(choice.target, value);
  }
  forget(to, at);
}

void Lowering::copyObject(ObjectId to, ObjectId from, const clang::Stmt *at) {
  const Object target = objects[to], source = objects[from];
  auto both = [&]<typename Kind>(const Kind *&left, const Kind *&right) {
    left = std::get_if<Kind>(&target.value);
    right = std::get_if<Kind>(&source.value);
    return left && right;
  };
  const Object::Scalar *scalarTo, *scalarFrom;
  const Object::Array *arrayTo, *arrayFrom;
  const Object::TileObject *tileTo, *tileFrom;
  const Object::TensorObject *tensorTo, *tensorFrom;
  const Object::Elements *listTo, *listFrom;
  const Object::Record *recordTo, *recordFrom;
  const Dimensions *dimensionsTo, *dimensionsFrom;
  if (both(scalarTo, scalarFrom))
    return assign(scalarTo->variable, read(scalarFrom->variable), at);
  if (both(arrayTo, arrayFrom) && arrayTo->count == arrayFrom->count) {
    for (std::uint32_t i = 0; i < arrayTo->count; ++i)
      assign(arrayTo->first + i, read(arrayFrom->first + i), at);
    return;
  }
  if (both(tileTo, tileFrom))
    return copyTile(tileTo->tile, tileFrom->tile, kNone, at);
  if (both(tensorTo, tensorFrom))
    return copyTensor(tensorTo->tensor, tensorFrom->tensor, kNone, at);
  if (both(dimensionsTo, dimensionsFrom)) {
    for (std::size_t i = 0; i < 5; ++i)
      if (dimensionsTo->variables[i] != kNone)
        assign(dimensionsTo->variables[i],
               dimensionsFrom->variables[i] != kNone ? read(dimensionsFrom->variables[i])
               : dimensionsFrom->entries[i] >= 0     ? constant(dimensionsFrom->entries[i])
                                                     : kernel.expressions.opaque(kInt64),
               at);
    return;
  }
  if (both(listTo, listFrom) && listTo->list.size() == listFrom->list.size()) {
    for (std::size_t i = 0; i < listTo->list.size(); ++i)
      copyObject(listTo->list[i], listFrom->list[i], at);
    return;
  }
  if (both(recordTo, recordFrom) && recordTo->fields.size() == recordFrom->fields.size()) {
    bool same = true;
    for (const auto &[field, part] : recordTo->fields)
      same &= recordFrom->fields.find(field) != kNone;
    for (const auto &[base, part] : recordTo->bases)
      same &= recordFrom->bases.find(base) != kNone;
    if (same) {
      for (const auto &[base, part] : recordTo->bases)
        copyObject(part, recordFrom->bases.find(base), at);
      for (const auto &[field, part] : recordTo->fields)
        copyObject(part, recordFrom->fields.find(field), at);
      return;
    }
  }
  // A member that is a reference means in the copy what it means in the original.
  if (std::holds_alternative<Object::Alias>(target.value))
    return bindReference(to, objectPlace(from), at);
  if (auto *pointer = std::get_if<Object::Pointer>(&source.value)) // the `this` of a closure
    return void(objects[to].value = *pointer);
  expose(from);
  forget(to, at);
}

/// All members zero; a tile has no address after it, a reference cannot be there.
void Lowering::zero(ObjectId object, const clang::Stmt *at) {
  for (VariableId variable : variablesOf(object))
    assign(variable,
           kernel.variables[variable].type.bits ? constant(0, kernel.variables[variable].type)
                                                : kernel.expressions.opaque({}),
           at);
}

/// Every variable that holds a part of the object's own state.
std::vector<VariableId> Lowering::variablesOf(ObjectId id) const {
  std::vector<VariableId> found;
  const Object &object = objects[id];
  auto add = [&](VariableId variable) {
    if (variable != kNone)
      found.push_back(variable);
  };
  auto addAll = [&](ObjectId part) {
    std::vector<VariableId> inner = variablesOf(part);
    found.insert(found.end(), inner.begin(), inner.end());
  };
  if (auto *scalarObject = std::get_if<Object::Scalar>(&object.value)) {
    add(scalarObject->variable);
  } else if (auto *array = std::get_if<Object::Array>(&object.value)) {
    for (std::uint32_t i = 0; i < array->count; ++i)
      add(array->first + i);
  } else if (auto *tileObject = std::get_if<Object::TileObject>(&object.value)) {
    const Tile &tile = kernel.tiles[tileObject->tile];
    add(tile.address);
    if (tile.staticValidRows < 0)
      add(tile.validRows);
    if (tile.staticValidCols < 0)
      add(tile.validCols);
  } else if (auto *tensorObject = std::get_if<Object::TensorObject>(&object.value)) {
    const Tensor &tensor = kernel.tensors[tensorObject->tensor];
    add(tensor.pointer);
    for (VariableId variable : tensor.shapeVariables)
      add(variable);
    for (VariableId variable : tensor.strideVariables)
      add(variable);
  } else if (auto *event = std::get_if<Object::Event>(&object.value)) {
    add(event->id);
  } else if (auto *fifoObject = std::get_if<Object::FifoObject>(&object.value)) {
    const Fifo &fifo = kernel.fifos[fifoObject->fifo];
    for (VariableId variable : {fifo.memory, fifo.cubeToVec, fifo.vecToCube, fifo.pops})
      add(variable);
  } else if (auto *dimensions = std::get_if<Dimensions>(&object.value)) {
    for (VariableId variable : dimensions->variables)
      add(variable);
  } else if (auto *record = std::get_if<Object::Record>(&object.value)) {
    for (const auto &[base, part] : record->bases)
      addAll(part);
    for (const auto &[field, part] : record->fields)
      addAll(part);
  } else if (auto *elements = std::get_if<Object::Elements>(&object.value)) {
    for (ObjectId part : elements->list)
      addAll(part);
  }
  return found;
}

void Lowering::forget(ObjectId object, const clang::Stmt *at) {
  for (VariableId variable : variablesOf(object))
    assign(variable, kernel.expressions.opaque(kernel.variables[variable].type), at);
}

} // namespace ptosync
