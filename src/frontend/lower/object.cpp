// Makes what declarations declare: tiles, tensors, FIFOs, records, arrays and scalars.
#include "frontend/lower/lowering.h"

#include <clang/AST/Attr.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

constexpr std::uint64_t kMostScalars = 256;  // elements of an array of scalars
constexpr std::uint64_t kMostElements = 64;  // elements of an array of anything else
constexpr std::size_t kMostObjects = 200000; // of a kernel, all expansions together

const clang::CXXConstructExpr *construction(const clang::Expr *value) {
  return value ? dyn_cast<clang::CXXConstructExpr>(unwrapObject(value)) : nullptr;
}

/// Arguments as written: defaulted ones are left out.
std::vector<const clang::Expr *> writtenArguments(const clang::CXXConstructExpr *construct) {
  std::vector<const clang::Expr *> arguments;
  for (const clang::Expr *argument : construct->arguments())
    if (!llvm::isa<clang::CXXDefaultArgExpr>(argument))
      arguments.push_back(argument);
  return arguments;
}

} // namespace

const clang::Expr *unwrapObject(const clang::Expr *expression) {
  while (true) {
    const clang::Expr *inner = expression->IgnoreParens();
    if (auto *cast = dyn_cast<clang::ImplicitCastExpr>(inner)) {
      clang::CastKind kind = cast->getCastKind();
      bool toBase = kind == clang::CK_UncheckedDerivedToBase || kind == clang::CK_DerivedToBase;
      if (kind == clang::CK_NoOp || kind == clang::CK_LValueToRValue ||
          (toBase && objectKind(cast->getSubExpr()->getType()) != ObjectKind::None))
        inner = cast->getSubExpr();
    } else if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(inner)) {
      inner = temporary->getSubExpr();
    } else if (auto *full = dyn_cast<clang::FullExpr>(inner)) {
      inner = full->getSubExpr();
    } else if (auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(inner)) {
      inner = bound->getSubExpr();
    } else if (auto *substituted = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner)) {
      inner = substituted->getReplacement();
    } else if (auto *defaulted = dyn_cast<clang::CXXDefaultArgExpr>(inner)) {
      inner = defaulted->getExpr();
    } else if (auto *construct = dyn_cast<clang::CXXConstructExpr>(inner)) {
      if (construct->getNumArgs() == 1 && construct->getConstructor()->isCopyOrMoveConstructor() &&
          objectKind(construct->getType()) != ObjectKind::None)
        inner = construct->getArg(0);
    } else if (auto *written = dyn_cast<clang::ExplicitCastExpr>(inner)) {
      if (written->getType()->isRecordType() && written->getCastKind() != clang::CK_LValueBitCast)
        inner = written->getSubExpr();
    }
    if (inner == expression)
      return inner;
    expression = inner;
  }
}

ObjectId Lowering::addObject(Object object) {
  objects.push_back(std::move(object));
  return static_cast<ObjectId>(objects.size() - 1);
}

TileId Lowering::newTile(clang::QualType type, std::string name, std::uint32_t line) {
  Tile tile = readTile(type, shared.ast);
  tile.name = std::move(name);
  tile.line = line;
  tile.address = newVariable(tile.name + ".address", kAddress);
  tile.validRows = newVariable(tile.name + ".validRows", kInt64);
  tile.validCols = newVariable(tile.name + ".validCols", kInt64);
  kernel.tiles.push_back(std::move(tile));
  return static_cast<TileId>(kernel.tiles.size() - 1);
}

TensorId Lowering::newTensor(clang::QualType type, std::string name, std::uint32_t line) {
  Tensor tensor = readTensor(type, shared.ast);
  tensor.name = std::move(name);
  tensor.line = line;
  tensor.pointer = newVariable(tensor.name + ".pointer", kAddress);
  auto hold = [&](std::array<VariableId, 5> &variables, const std::array<std::int64_t, 5> &entries, const char *part) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i] == -1)
        variables[i] = newVariable(tensor.name + part + std::to_string(i), kInt64);
  };
  hold(tensor.shapeVariables, tensor.shape, ".shape");
  hold(tensor.strideVariables, tensor.stride, ".stride");
  kernel.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(kernel.tensors.size() - 1);
}

FifoId Lowering::newFifo(clang::QualType type, std::string name, std::uint32_t line) {
  Fifo fifo = readFifo(type);
  if (shared.bodies.namesFifoMembers())
    fifo.slotBytes = fifo.slots = fifo.localSlots = -1;
  fifo.name = std::move(name);
  fifo.line = line;
  fifo.memory = newVariable(fifo.name + ".memory", kAddress);
  fifo.cubeToVec = newVariable(fifo.name + ".cubeToVec", kInt64);
  fifo.vecToCube = newVariable(fifo.name + ".vecToCube", kInt64);
  fifo.pops = newVariable(fifo.name + ".pops", kInt64);
  kernel.fifos.push_back(std::move(fifo));
  return static_cast<FifoId>(kernel.fifos.size() - 1);
}

ObjectId Lowering::newObject(clang::QualType type, const std::string &name, std::uint32_t line) {
  if (objects.size() > kMostObjects) {
    giveUp(frames.back().function->getBody(),
           "it declares more than " + std::to_string(kMostObjects) + " objects, helper calls expanded");
    return addObject({Object::Untracked{}});
  }
  if (type->isReferenceType())
    return addObject({Object::Alias{unknownPlace()}});
  switch (objectKind(type)) {
  case ObjectKind::Tile: return addObject({Object::TileObject{newTile(type, name, line)}});
  case ObjectKind::Tensor: return addObject({Object::TensorObject{newTensor(type, name, line)}});
  case ObjectKind::Fifo: return addObject({Object::FifoObject{newFifo(type, name, line)}});
  case ObjectKind::Dimensions: {
    Dimensions dimensions;
    dimensions.entries = readDimensions(type);
    dimensions.variables.fill(kNone);
    for (std::size_t i = 0; i < dimensions.entries.size(); ++i)
      if (dimensions.entries[i] == -1)
        dimensions.variables[i] = newVariable("dimension", kInt64);
    return addObject({dimensions});
  }
  case ObjectKind::EventArray:
    if (std::uint32_t count = readEventArray(type); count > 0 && count <= kMostScalars) {
      VariableId first = static_cast<VariableId>(kernel.variables.size());
      IntegerType element = eventArrayElement(type, shared.ast);
      for (std::uint32_t i = 0; i < count; ++i)
        newVariable(name + "[" + std::to_string(i) + "]", element);
      return addObject({Object::Array{first, count}});
    }
    return addObject({Object::Untracked{}});
  case ObjectKind::Event: return newEvent(type, name, line);
  case ObjectKind::None: break;
  }
  if (auto *array = shared.ast.getAsConstantArrayType(type))
    return newArray(array, name, line);
  if (IntegerType scalarType = integerType(type, shared.ast); scalarType.bits)
    return addObject({Object::Scalar{newVariable(name, scalarType)}});
  if (const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl())
    return newRecord(record, name, line);
  refuseDestructor(type);
  return addObject({Object::Untracked{}});
}

/// Gives up where an object of that type, or of arrays of it, ends its life by code of the file.
void Lowering::refuseDestructor(clang::QualType type) {
  const clang::CXXRecordDecl *record = shared.ast.getBaseElementType(type)->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (record && inOwnText(record->getLocation()) && !record->hasTrivialDestructor())
    giveUp(frames.back().function->getBody(),
           "an object of " + record->getNameAsString() + " is destroyed by code of its own, which is not followed");
}

ObjectId Lowering::newArray(const clang::ConstantArrayType *type, const std::string &name, std::uint32_t line) {
  clang::QualType element = type->getElementType();
  std::uint64_t count = type->getSize().getLimitedValue();
  IntegerType scalarType = integerType(element, shared.ast);
  if (scalarType.bits) {
    if (count == 0 || count > kMostScalars)
      return addObject({Object::Untracked{}});
    VariableId first = static_cast<VariableId>(kernel.variables.size());
    for (std::uint64_t i = 0; i < count; ++i)
      newVariable(name + "[" + std::to_string(i) + "]", scalarType);
    return addObject({Object::Array{first, static_cast<std::uint32_t>(count)}});
  }
  if (count == 0 || count > kMostElements) {
    if (objectKind(shared.ast.getBaseElementType(element)) == ObjectKind::Event)
      giveUp(frames.back().function->getBody(),
             "it has an array of more than " + std::to_string(kMostElements) + " events, which is not followed");
    refuseDestructor(element);
    return addObject({Object::Untracked{}});
  }
  Object::Elements elements;
  for (std::uint64_t i = 0; i < count; ++i)
    elements.list.push_back(newObject(element, name + "[" + std::to_string(i) + "]", line));
  const std::vector<ObjectId> parts = elements.list;
  return containing(addObject({std::move(elements)}), parts);
}

/// The object that the parts make up.
ObjectId Lowering::containing(ObjectId whole, const std::vector<ObjectId> &parts) {
  for (ObjectId part : parts)
    objects[part].container = whole;
  return whole;
}

/// A class of the file, member by member. Unions, virtual classes and classes of headers are not followed.
ObjectId Lowering::newRecord(const clang::CXXRecordDecl *record, const std::string &name, std::uint32_t line) {
  record = record->getDefinition();
  bool followed = record && inOwnText(record->getLocation()) && !record->isUnion() && !record->isInvalidDecl() &&
                  !record->isPolymorphic() && record->getNumVBases() == 0;
  if (record)
    refuseDestructor(shared.ast.getRecordType(record));
  if (!followed)
    return addObject({Object::Untracked{}});
  Object::Record fields;
  std::vector<ObjectId> parts;
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl()) {
      parts.push_back(newObject(base.getType(), name, line));
      fields.bases.add(parent->getCanonicalDecl(), parts.back());
    }
  for (const clang::FieldDecl *field : record->fields()) {
    parts.push_back(field->isBitField() ? addObject({Object::Untracked{}})
                                        : newObject(field->getType(), name + "." + field->getNameAsString(), line));
    fields.fields.add(field, parts.back());
  }
  return containing(addObject({std::move(fields)}), parts);
}

/// The valid region comes from the constructor where the type leaves it open (-1); a copy also
/// takes the address, a fresh object has none.
void Lowering::assignTileFrom(TileId id, const clang::Expr *value) {
  if (std::optional<TileId> source = tileOf(value))
    return copyTile(id, *source, kNone, value);
  const Tile tile = kernel.tiles[id];
  std::vector<ExpressionId> entries;
  if (const clang::CXXConstructExpr *construct = construction(value))
    entries = scalars(writtenArguments(construct), construct);
  else
    discardUnread(value);
  for (ExpressionId &entry : entries) // it may be one that is set here
    entry = entries.size() > 1 ? keptValue(entry, "valid", value) : entry;
  std::size_t next = 0;
  auto take = [&] { return next < entries.size() ? entries[next++] : kernel.expressions.opaque(kInt64); };
  assign(tile.address, kernel.expressions.opaque(kAddress), value);
  if (tile.staticValidRows < 0)
    assign(tile.validRows, take(), value);
  if (tile.staticValidCols < 0)
    assign(tile.validCols, take(), value);
}

/// What a library object is made from, where that is not followed.
void Lowering::discardUnread(const clang::Expr *value) {
  const clang::Expr *inner = unwrapObject(value);
  if (auto *list = dyn_cast<clang::InitListExpr>(inner))
    for (const clang::Expr *part : list->inits())
      discard(part);
  else if (!isa<clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr>(inner))
    clobber(inner);
}

void Lowering::copyTile(TileId to, TileId source, ExpressionId guard, const clang::Stmt *at) {
  const Tile tile = kernel.tiles[to], from = kernel.tiles[source];
  assignIf(guard, tile.address, read(from.address), at);
  if (tile.staticValidRows < 0)
    assignIf(guard, tile.validRows, from.staticValidRows < 0 ? read(from.validRows) : constant(from.staticValidRows),
             at);
  if (tile.staticValidCols < 0)
    assignIf(guard, tile.validCols, from.staticValidCols < 0 ? read(from.validCols) : constant(from.staticValidCols),
             at);
}

Dimensions Lowering::dimensionsOf(const clang::Expr *value) {
  const clang::Expr *object = unwrapObject(value);
  if (const clang::Expr *written = value->IgnoreUnlessSpelledInSource();
      objectKind(written->getType()) == ObjectKind::None) {
    // A shape given as another class of the library: its run-time entries are not read.
    discard(written);
    Dimensions unknown;
    unknown.entries.fill(kUnknownExtent);
    unknown.variables.fill(kNone);
    return unknown;
  }
  if (object->isGLValue())
    return dimensionsAt(place(object), value);
  Dimensions dimensions;
  dimensions.entries = readDimensions(value->getType());
  dimensions.variables.fill(kNone);
  assignDimensionsFrom(dimensions, value);
  return dimensions;
}

/// The shape or stride at a place, its entries as they are now.
Dimensions Lowering::dimensionsAt(const Place &place, const clang::Expr *at) {
  if (auto *known = soleKind<Dimensions>(place))
    return *known;
  Dimensions chosen;
  chosen.entries = readDimensions(at->getType());
  chosen.variables.fill(kNone);
  const Place fixed = decided(place, at);
  for (std::size_t i = 0; i < chosen.entries.size(); ++i) {
    if (chosen.entries[i] != -1)
      continue;
    chosen.variables[i] = newVariable("dimension", kInt64);
    assign(chosen.variables[i],
           selected(fixed, kInt64,
                    [&](const Object &object) {
                      auto *dimensions = std::get_if<Dimensions>(&object.value);
                      return dimensions ? entryOf(*dimensions, i) : kNone;
                    }),
           at);
  }
  return chosen;
}

/// The constructor takes all five entries, or the run-time ones in order.
void Lowering::assignDimensionsFrom(Dimensions &dimensions, const clang::Expr *value) {
  const clang::CXXConstructExpr *construct = construction(value);
  std::vector<const clang::Expr *> arguments;
  std::optional<Dimensions> source;
  if (construct) {
    arguments = writtenArguments(construct);
  } else {
    source = dimensionsAt(operandPlace(unwrapObject(value)), value);
  }
  std::vector<ExpressionId> given = scalars(arguments, value);
  bool all = given.size() == dimensions.entries.size();
  std::size_t next = 0;
  for (std::size_t i = 0; i < dimensions.entries.size(); ++i) {
    if (dimensions.entries[i] != -1)
      continue;
    if (dimensions.variables[i] == kNone)
      dimensions.variables[i] = newVariable("dimension", kInt64);
    std::size_t from = all ? i : next++;
    ExpressionId entry = from < given.size() ? given[from] : kernel.expressions.opaque(kInt64);
    assign(dimensions.variables[i], source ? entryOf(*source, i) : entry, value);
  }
}

/// Gives the run-time entries of a tensor's shape or stride the values that they have in `from`. A tensor holds them
/// itself: what becomes of the object that they come from changes nothing.
void Lowering::copyDimensions(TensorId id, bool stride, const Dimensions &from, ExpressionId guard,
                              const clang::Stmt *at) {
  const std::array<VariableId, 5> held =
      stride ? kernel.tensors[id].strideVariables : kernel.tensors[id].shapeVariables;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i] != kNone)
      assignIf(guard, held[i], entryOf(from, i), at);
}

ExpressionId Lowering::entryOf(const Dimensions &dimensions, std::size_t i) {
  return dimensions.entries[i] >= 0         ? constant(dimensions.entries[i])
         : dimensions.variables[i] != kNone ? read(dimensions.variables[i])
                                            : kernel.expressions.opaque(kInt64);
}

void Lowering::copyTensor(TensorId to, TensorId source, ExpressionId guard, const clang::Stmt *at) {
  const Tensor from = kernel.tensors[source];
  copyDimensions(to, false, {from.shape, from.shapeVariables}, guard, at);
  copyDimensions(to, true, {from.stride, from.strideVariables}, guard, at);
  assignIf(guard, kernel.tensors[to].pointer, read(from.pointer), at);
}

/// The tensor is at `pointer` now, with unknown run-time entries.
void Lowering::placeTensor(TensorId id, ExpressionId pointer, const clang::Stmt *at) {
  Dimensions unknown;
  unknown.entries.fill(kUnknownExtent);
  unknown.variables.fill(kNone);
  copyDimensions(id, false, unknown, kNone, at);
  copyDimensions(id, true, unknown, kNone, at);
  assign(kernel.tensors[id].pointer, pointer, at);
}

void Lowering::assignTensorFrom(TensorId id, const clang::Expr *value) {
  const clang::CXXConstructExpr *construct = construction(value);
  if (!construct) {
    if (std::optional<TensorId> source = tensorOf(value))
      return copyTensor(id, *source, kNone, value);
    discardUnread(value);
    return placeTensor(id, kernel.expressions.opaque(kAddress), value);
  }
  std::vector<const clang::Expr *> arguments = writtenArguments(construct);
  if (arguments.size() == 1 && objectKind(unwrapObject(arguments[0])->getType()) == ObjectKind::Tensor) {
    // A tensor seen with another shape and stride: the same memory; run-time entries are not followed.
    std::optional<TensorId> viewed = tensorOf(arguments[0]);
    return placeTensor(id, viewed ? read(kernel.tensors[*viewed].pointer) : kernel.expressions.opaque(kAddress), value);
  }
  ExpressionId pointer = arguments.empty() ? kernel.expressions.opaque(kAddress) : scalar(arguments[0]);
  Mark before = mark();
  Dimensions given[2];
  for (Dimensions &dimensions : given) {
    dimensions.entries.fill(kUnknownExtent);
    dimensions.variables.fill(kNone);
  }
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (i < 3)
      given[i - 1] = dimensionsOf(arguments[i]);
    else
      discard(arguments[i]);
  copyDimensions(id, false, given[0], kNone, value);
  copyDimensions(id, true, given[1], kNone, value);
  assign(kernel.tensors[id].pointer, settled(before, pointer, value), value);
}

void Lowering::assignFifoFrom(FifoId id, const clang::Expr *value) {
  const Fifo fifo = kernel.fifos[id];
  const clang::CXXConstructExpr *construct = construction(value);
  assign(fifo.pops, construct ? constant(0) : kernel.expressions.opaque(kInt64), value);
  const VariableId targets[3] = {fifo.memory, fifo.cubeToVec, fifo.vecToCube};
  if (!construct) {
    std::optional<FifoId> source = fifoOf(value);
    const VariableId from[3] = {source ? kernel.fifos[*source].memory : kNone,
                                source ? kernel.fifos[*source].cubeToVec : kNone,
                                source ? kernel.fifos[*source].vecToCube : kNone};
    for (std::size_t i = 0; i < 3; ++i)
      assign(targets[i], source ? read(from[i]) : kernel.expressions.opaque(kernel.variables[targets[i]].type), value);
    return;
  }
  std::size_t next = 0;
  for (const clang::Expr *argument : writtenArguments(construct)) {
    // As written: the constructor's parameter is narrower, but a ring's offset lies within a core's memory.
    ExpressionId entry = scalar(argument->IgnoreImpCasts());
    if (next < 3)
      assign(targets[next], entry, value);
    ++next;
  }
}

void Lowering::declareVariable(const clang::VarDecl *declaration) {
  const clang::Expr *initializer = declaration->getInit();
  const clang::Stmt *at =
      initializer ? static_cast<const clang::Stmt *>(initializer) : frames.back().function->getBody();
  if (declaration->hasAttr<clang::CleanupAttr>())
    return giveUp(at, "a function runs when " + declaration->getNameAsString() + " goes out of scope");
  if (declaration->isStaticLocal() || declaration->hasExternalStorage() ||
      declaration->getTLSKind() != clang::VarDecl::TLS_None) {
    // It keeps its value from one launch to the next; a constant is looked up where it is used.
    bool constantValue = declaration->getType().isConstant(shared.ast) &&
                         (!initializer || initializer->isConstantInitializer(shared.ast, false));
    if (!constantValue && initializer && !initializer->isConstantInitializer(shared.ast, false)) {
      exposeNamed(initializer);
      clobber(initializer);
    }
    if (!constantValue)
      bindings[declaration] =
          declaration->getType()->isReferenceType() ? unknownPlace() : objectPlace(addObject({Object::Untracked{}}));
    return;
  }
  if (declaration->getType()->isReferenceType() && initializer) {
    bindings[declaration] = referencePlace(initializer);
  } else if (!declarePointer(declaration, initializer) && !declarePointers(declaration, initializer)) {
    ObjectId object =
        newObject(declaration->getType(), declaration->getNameAsString(), lineOf(declaration->getLocation()));
    bindings[declaration] = objectPlace(object);
    if (initializer)
      initialise(object, initializer, initializer);
  }
  if (auto *parts = dyn_cast<clang::DecompositionDecl>(declaration))
    declareBindings(parts);
}

void Lowering::declareBindings(const clang::DecompositionDecl *declaration) {
  for (const clang::BindingDecl *part : declaration->bindings()) {
    if (part->getHoldingVar())
      return giveUp(declaration->getInit(), "a structured binding that calls get<> is not followed");
    bindings[part] = part->getBinding() ? kept(place(part->getBinding()), declaration->getInit()) : unknownPlace();
  }
}

/// What a reference that is bound to `initializer` means for good.
Place Lowering::referencePlace(const clang::Expr *initializer) { return kept(operandPlace(initializer), initializer); }

/// A pointer that never changes stands for what it points to, so that its object need not be exposed.
bool Lowering::declarePointer(const clang::VarDecl *declaration, const clang::Expr *initializer) {
  if (!initializer || !declaration->getType()->isPointerType() || declaration->getType()->isFunctionPointerType() ||
      !shared.bodies.keepsItsValue(declaration))
    return false;
  Place target = pointee(initializer);
  bool objectsOnly = true;
  for (const Choice &choice : target.choices)
    objectsOnly &= choice.target.kind != Target::Kind::Memory;
  if (objectsOnly) {
    bindings[declaration] = objectPlace(addObject({Object::Pointer{kept(target, initializer)}}));
    return true;
  }
  // Memory: an ordinary pointer, whose value was computed just now.
  if (target.choices.size() != 1)
    expose(target);
  ObjectId object =
      newObject(declaration->getType(), declaration->getNameAsString(), lineOf(declaration->getLocation()));
  bindings[declaration] = objectPlace(object);
  ExpressionId address =
      target.choices.size() == 1 ? target.choices[0].target.address : kernel.expressions.opaque(kAddress);
  assign(std::get<Object::Scalar>(objects[object].value).variable, address, initializer);
  return true;
}

/// The same for an array of pointers, each to a plainly named object.
bool Lowering::declarePointers(const clang::VarDecl *declaration, const clang::Expr *initializer) {
  const clang::ConstantArrayType *array = shared.ast.getAsConstantArrayType(declaration->getType());
  auto *list = initializer ? dyn_cast<clang::InitListExpr>(initializer) : nullptr;
  if (!array || !list || !array->getElementType()->isPointerType() || list->getNumInits() > kMostElements ||
      array->getSize() != list->getNumInits() || !shared.bodies.keepsItsValue(declaration) ||
      !llvm::all_of(list->inits(), [&](const clang::Expr *pointer) { return leadsToObjects(pointer); }))
    return false;
  Object::Elements elements;
  for (const clang::Expr *pointer : list->inits())
    elements.list.push_back(addObject({Object::Pointer{kept(pointee(pointer), pointer)}}));
  const std::vector<ObjectId> parts = elements.list;
  bindings[declaration] = objectPlace(containing(addObject({std::move(elements)}), parts));
  return true;
}

void Lowering::bindParameters(const clang::FunctionDecl *function) {
  std::uint32_t number = 0;
  for (const clang::ParmVarDecl *parameter : function->parameters())
    bindEntryParameter(parameter, number++);
}

void Lowering::bindEntryParameter(const clang::ParmVarDecl *parameter, std::uint32_t number) {
  std::string name = parameter->getNameAsString();
  std::uint32_t line = lineOf(parameter->getLocation());
  const clang::Stmt *at = frames.back().function->getBody();
  ObjectKind kind = objectKind(parameter->getType());
  if (kind == ObjectKind::Tile || kind == ObjectKind::Tensor) {
    ObjectId object = kNone;
    if (kind == ObjectKind::Tile) {
      object = addObject({Object::TileObject{newTile(parameter->getType(), name, line)}});
    } else {
      // Somewhere inside its own argument: the parameter is the start of that memory.
      TensorId tensor = newTensor(parameter->getType(), name, line);
      object = addObject({Object::TensorObject{tensor}});
      ExpressionId inside =
          kernel.expressions.binary(Operator::Add, kernel.expressions.pointerParameter(number, name),
                                    kernel.expressions.opaque(kAddress), kAddress, Expression::Sense::Index);
      assign(kernel.tensors[tensor].pointer, inside, at);
    }
    bindings[parameter] = objectPlace(object);
    if (parameter->getType()->isReferenceType()) { // the caller's own, which others may know
      expose(object);
      fromCaller.push_back(
          {object, parameter->getType().getNonReferenceType().getCanonicalType().getUnqualifiedType()});
    }
    return;
  }
  IntegerType type = integerType(parameter->getType(), shared.ast);
  bool referenceToScalar = parameter->getType()->isReferenceType();
  if (kind != ObjectKind::None || type.bits == 0 || referenceToScalar) {
    // The caller's object: unknown, and others may know it too.
    bindings[parameter] =
        referenceToScalar && kind == ObjectKind::None ? unknownPlace() : objectPlace(addObject({Object::Untracked{}}));
    return;
  }
  VariableId variable = newVariable(name, type);
  bindings[parameter] = objectPlace(addObject({Object::Scalar{variable}}));
  assign(variable,
         parameter->getType()->isPointerType() ? kernel.expressions.pointerParameter(number, name)
                                               : kernel.expressions.parameter(number, type, name),
         at);
}

} // namespace ptosync
