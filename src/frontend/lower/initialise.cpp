// Gives objects their first values: initialisers, constructors and closures. Copies, zeroes and forgets objects.
#include "frontend/lower/lowering.h"

namespace ptosync {

using clang::dyn_cast;

namespace {

/// The initialiser without what only wraps it.
const clang::Expr *bare(const clang::Expr *value) {
  while (true) {
    const clang::Expr *inner = value->IgnoreParens();
    if (auto *full = dyn_cast<clang::FullExpr>(inner))
      inner = full->getSubExpr();
    else if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr();
    else if (auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(inner))
      inner = bound->getSubExpr();
    else if (auto *defaulted = dyn_cast<clang::CXXDefaultArgExpr>(inner))
      inner = defaulted->getExpr();
    else if (auto *defaulted = dyn_cast<clang::CXXDefaultInitExpr>(inner))
      inner = defaulted->getExpr();
    else if (auto *substituted = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner))
      inner = substituted->getReplacement();
    else if (auto *cast = dyn_cast<clang::CastExpr>(inner);
             cast && (cast->getCastKind() == clang::CK_NoOp || cast->getCastKind() == clang::CK_ConstructorConversion ||
                      cast->getCastKind() == clang::CK_UserDefinedConversion))
      inner = cast->getSubExpr();
    if (inner == value)
      return inner;
    value = inner;
  }
}

constexpr const char *kElementCopy = "a copy of an array runs code of its elements, which is not followed";

/// True if the class has no code of the file that copies or moves it. A template of a constructor or an assignment may
/// be preferred to the implicit one.
bool hasNoCopyOfItsOwn(const clang::CXXRecordDecl *record) {
  auto copies = [](const clang::CXXMethodDecl *method) {
    auto *constructor = dyn_cast<clang::CXXConstructorDecl>(method);
    const bool copy = constructor ? constructor->isCopyOrMoveConstructor()
                                  : method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator();
    return copy && method->isUserProvided();
  };
  auto isTemplate = [](const clang::Decl *declaration) {
    auto *pattern = dyn_cast<clang::FunctionTemplateDecl>(declaration);
    return pattern && (isa<clang::CXXConstructorDecl>(pattern->getTemplatedDecl()) ||
                       pattern->getTemplatedDecl()->getOverloadedOperator() == clang::OO_Equal);
  };
  return llvm::none_of(record->methods(), copies) && llvm::none_of(record->decls(), isTemplate);
}

} // namespace

/// True if an implicit copy, move or assignment of the class copies value by value: no base or member has code of the
/// file that would run in its place.
bool Lowering::copiesPlainly(const clang::CXXRecordDecl *record) const {
  record = record ? record->getDefinition() : nullptr;
  if (!record || !inOwnText(record->getLocation()))
    return true;
  return llvm::all_of(record->bases(), [&](const auto &base) { return isCopiedPlainly(base.getType()); }) &&
         llvm::all_of(record->fields(), [&](const auto *field) { return isCopiedPlainly(field->getType()); });
}

/// The same of a base, a member or an element of that type, which may have code of its own for it.
bool Lowering::isCopiedPlainly(clang::QualType type) const {
  const clang::CXXRecordDecl *record = shared.ast.getBaseElementType(type)->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  return !record || !inOwnText(record->getLocation()) || (hasNoCopyOfItsOwn(record) && copiesPlainly(record));
}

std::string Lowering::copyReason(const clang::CXXRecordDecl *record) {
  return "a copy of " + record->getNameAsString() + " runs code of one of its members, which is not followed";
}

/// `Tile()`, `{}`: no argument is written.
bool Lowering::isDefaultConstruction(const clang::Expr *value) {
  const clang::Expr *inner = unwrapObject(value);
  if (auto *built = dyn_cast<clang::CXXConstructExpr>(inner))
    return llvm::all_of(built->arguments(), [](const auto *given) { return isa<clang::CXXDefaultArgExpr>(given); });
  auto *list = dyn_cast<clang::InitListExpr>(inner);
  return list && list->getNumInits() == 0;
}

void Lowering::initialise(ObjectId object, const clang::Expr *value, const clang::Stmt *at) {
  if (!kernel.analysable)
    return;
  Depth inside(*this, value);
  if (!kernel.analysable)
    return;
  const Object known = objects[object]; // a copy: the vector may grow
  if (std::holds_alternative<Object::Event>(known.value))
    return initialiseEvent(object, value, at);
  if (value->getType()->isRecordType() && !std::holds_alternative<Object::Alias>(known.value) &&
      initialiseByControl(object, value, at))
    return;
  if (auto *scalarObject = std::get_if<Object::Scalar>(&known.value)) {
    ExpressionId result = scalar(value);
    IntegerType type = kernel.variables[scalarObject->variable].type;
    if (kernel.expressions[result].type.bits == 0)
      result = kernel.expressions.opaque(type);
    return assign(scalarObject->variable, result, at);
  }
  if (auto *array = std::get_if<Object::Array>(&known.value))
    return initialiseArray(*array, value, at);
  if (auto *elements = std::get_if<Object::Elements>(&known.value))
    return initialiseElements(*elements, value, at);
  if (auto *tile = std::get_if<Object::TileObject>(&known.value)) {
    if (isDefaultConstruction(value))
      return; // TASSIGN or TPOP places it
    return assignTileFrom(tile->tile, value);
  }
  if (auto *tensor = std::get_if<Object::TensorObject>(&known.value))
    return assignTensorFrom(tensor->tensor, value);
  if (auto *fifo = std::get_if<Object::FifoObject>(&known.value))
    return assignFifoFrom(fifo->fifo, value);
  if (auto *dimensions = std::get_if<Dimensions>(&known.value)) {
    Dimensions filled = *dimensions;
    assignDimensionsFrom(filled, value);
    objects[object].value = filled;
    return;
  }
  if (std::holds_alternative<Object::Record>(known.value))
    return initialiseRecord(object, value, at);
  if (std::holds_alternative<Object::Alias>(known.value)) {
    return bindReference(object, referencePlace(value), at);
  }
  if (std::holds_alternative<Object::Pointer>(known.value)) {
    return bindPointer(object, kept(pointee(value), at), at);
  }
  initialiseUntracked(value);
}

/// Values of class type that control flow chooses or a call makes; false: another form.
bool Lowering::initialiseByControl(ObjectId object, const clang::Expr *value, const clang::Stmt *at) {
  const clang::Expr *inner = bare(value);
  if (inner->isGLValue())
    return false;
  if (auto *choice = dyn_cast<clang::ConditionalOperator>(inner)) {
    ExpressionId decided = condition(choice->getCond());
    BlockId whenTrue = newBlock(), whenFalse = newBlock(), join = newBlock();
    branch(decided, whenTrue, whenFalse, choice);
    current = whenTrue;
    initialise(object, choice->getTrueExpr(), at);
    jump(join);
    current = whenFalse;
    initialise(object, choice->getFalseExpr(), at);
    jump(join);
    current = join;
    return true;
  }
  if (auto *binary = dyn_cast<clang::BinaryOperator>(inner); binary && binary->getOpcode() == clang::BO_Comma) {
    drop(binary->getLHS());
    initialise(object, binary->getRHS(), at);
    return true;
  }
  if (auto *cast = dyn_cast<clang::CastExpr>(inner); cast && cast->getCastKind() == clang::CK_UserDefinedConversion) {
    initialise(object, cast->getSubExpr(), at);
    return true;
  }
  auto *called = dyn_cast<clang::CallExpr>(inner);
  bool other = readingOf(inner->getStmtClassName()) != Reading::Lowered || isa<clang::StmtExpr>(inner);
  if (!called && !other)
    return false;
  if (called) {
    call(called);
    if (std::optional<Place> result = std::exchange(returned, std::nullopt)) {
      copyObject(object, *result, inner->getType(), at);
      return true;
    }
    exposeNamed(called);
  } else {
    clobber(inner);
    exposeNamed(inner);
  }
  forget(object, at);
  return true;
}

/// What goes into an object that is not followed may come out again by reference or by address.
void Lowering::initialiseUntracked(const clang::Expr *value) {
  clang::QualType type = value->getType();
  if (type->isRecordType() || type->isArrayType() || isa<clang::InitListExpr>(bare(value)))
    exposeNamed(value);
  const clang::Expr *inner = bare(value);
  if (auto *list = dyn_cast<clang::InitListExpr>(inner)) {
    std::optional<Place> outer = frames.back().self;
    for (const clang::Expr *part : list->inits()) {
      if (isa<clang::CXXDefaultInitExpr>(part))
        frames.back().self = objectPlace(addObject({Object::Untracked{}}));
      initialiseUntracked(part);
      frames.back().self = outer;
    }
    return;
  }
  if (auto *construct = dyn_cast<clang::CXXConstructExpr>(inner)) {
    const clang::CXXConstructorDecl *constructor = construct->getConstructor();
    bool plain = constructor->isTrivial() || isLibrary(constructor) ||
                 (constructor->isDefaulted() && constructor->isCopyOrMoveConstructor() &&
                  copiesPlainly(constructor->getParent()));
    if (!plain)
      return giveUp(construct,
                    "the constructor of " + constructor->getParent()->getNameAsString() + " is not followed");
    bool acts = isLibrary(constructor) && !constructor->isTrivial() && !constructor->isCopyOrMoveConstructor() &&
                objectKind(inner->getType()) == ObjectKind::None && !isPlainData(inner->getType()) &&
                !isCallResult(inner->getType());
    if (acts)
      return libraryConstruction(construct);
    for (const clang::Expr *argument : construct->arguments())
      discard(argument);
    return;
  }
  if (isa<clang::ImplicitValueInitExpr>(inner) || isa<clang::LambdaExpr>(inner) || isa<clang::StringLiteral>(inner))
    return isa<clang::LambdaExpr>(inner) ? giveUp(inner, "a lambda is kept in an object that is not followed") : void();
  if (auto *loop = dyn_cast<clang::ArrayInitLoopExpr>(inner)) {
    if (!isCopiedPlainly(loop->getType()))
      return giveUp(loop, kElementCopy);
    discard(loop->getCommonExpr()->getSourceExpr());
    return;
  }
  if (inner->getType()->isRecordType() && inner->isGLValue()) {
    Place source = place(inner);
    for (const Choice &choice : source.choices)
      if (choice.target.kind == Target::Kind::Memory)
        readTarget(choice.target, inner);
    return;
  }
  if (inner->getType()->isRecordType() && !isa<clang::CallExpr>(inner))
    return clobber(inner); // a value of a class that comes from nothing known
  discard(inner);
}

void Lowering::initialiseArray(const Object::Array &array, const clang::Expr *value, const clang::Stmt *at) {
  const clang::Expr *inner = bare(unwrapObject(value));
  IntegerType type = kernel.variables[array.first].type;
  auto *list = dyn_cast<clang::InitListExpr>(inner);
  while (list && list->getNumInits() == 1 && !integerType(list->getInit(0)->getType(), shared.ast).bits) {
    const clang::Expr *only = bare(list->getInit(0)); // the struct around the array, or braces around a string
    if (auto *deeper = dyn_cast<clang::InitListExpr>(only)) {
      list = deeper;
    } else {
      inner = only;
      list = nullptr;
    }
  }
  if (auto *text = dyn_cast<clang::StringLiteral>(inner)) {
    for (std::uint32_t i = 0; i < array.count; ++i)
      assign(array.first + i, constant(wrapTo(type, i < text->getLength() ? text->getCodeUnit(i) : 0), type), at);
    return;
  }
  if (list) {
    for (std::uint32_t i = 0; i < array.count; ++i) {
      ExpressionId entry = i < list->getNumInits() ? scalar(list->getInit(i)) : constant(0, type);
      assign(array.first + i, kernel.expressions[entry].type.bits ? entry : kernel.expressions.opaque(type), at);
    }
    return;
  }
  if (isa<clang::ImplicitValueInitExpr>(inner) || isa<clang::CXXScalarValueInitExpr>(inner)) {
    for (std::uint32_t i = 0; i < array.count; ++i)
      assign(array.first + i, constant(0, type), at);
    return;
  }
  std::optional<Place> source;
  if (auto *loop = dyn_cast<clang::ArrayInitLoopExpr>(inner)) {
    source = place(loop->getCommonExpr()->getSourceExpr());
  } else if (auto *construct = dyn_cast<clang::CXXConstructExpr>(inner)) {
    if (construct->getNumArgs() == 1 && construct->getConstructor()->isCopyOrMoveConstructor()) {
      source = operandPlace(construct->getArg(0));
    } else if (construct->getNumArgs() == 0) {
      // `PTOAS_EventIdArray<2> ids;`: its member has an initialiser of zeros, or is left as it is.
      for (std::uint32_t i = 0; i < array.count; ++i)
        assign(array.first + i, constant(0, type), at);
      return;
    }
  } else if (inner->getType()->isRecordType() || inner->isGLValue()) {
    source = operandPlace(inner);
  }
  const Object::Array *from = source ? soleKind<Object::Array>(*source) : nullptr;
  if (!source)
    clobber(inner);
  else if (!from && source->choices[0].target.kind == Target::Kind::Memory)
    readTarget(source->choices[0].target, inner);
  VariableId first = from && from->count == array.count ? from->first : kNone;
  for (std::uint32_t i = 0; i < array.count; ++i)
    assign(array.first + i, first == kNone ? kernel.expressions.opaque(type) : read(first + i), at);
}

void Lowering::initialiseElements(const Object::Elements &elements, const clang::Expr *value, const clang::Stmt *at) {
  const clang::Expr *inner = bare(value);
  if (auto *list = dyn_cast<clang::InitListExpr>(inner)) {
    for (std::size_t i = 0; i < elements.list.size(); ++i) {
      const clang::Expr *part =
          i < list->getNumInits() ? list->getInit(static_cast<unsigned>(i)) : list->getArrayFiller();
      if (part)
        initialise(elements.list[i], part, at);
    }
    return;
  }
  if (auto *construct = dyn_cast<clang::CXXConstructExpr>(inner)) { // each element, by one constructor
    for (ObjectId element : elements.list)
      initialise(element, construct, at);
    return;
  }
  if (isa<clang::ImplicitValueInitExpr>(inner)) {
    for (ObjectId element : elements.list)
      zero(element, at);
    return;
  }
  if (auto *loop = dyn_cast<clang::ArrayInitLoopExpr>(inner)) {
    if (!isCopiedPlainly(loop->getType()))
      return giveUp(loop, kElementCopy);
    Place source = place(loop->getCommonExpr()->getSourceExpr());
    if (auto *from = soleKind<Object::Elements>(source); from && from->list.size() == elements.list.size()) {
      const std::vector<ObjectId> list = from->list;
      for (std::size_t i = 0; i < list.size(); ++i)
        copyObject(elements.list[i], list[i], at);
      return;
    }
  } else {
    clobber(inner);
  }
  for (ObjectId element : elements.list)
    forget(element, at);
}

void Lowering::initialiseFields(ObjectId object, const clang::InitListExpr *list, const clang::Stmt *at) {
  auto *record = list->getType()->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  const Object::Record fields = std::get<Object::Record>(objects[object].value);
  unsigned next = 0;
  auto take = [&]() -> const clang::Expr * { return next < list->getNumInits() ? list->getInit(next++) : nullptr; };
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::Expr *value = take())
      initialise(fields.bases.find(base.getType()->getAsCXXRecordDecl()->getCanonicalDecl()), value, at);
  for (const clang::FieldDecl *field : record->fields()) {
    if (field->isUnnamedBitField())
      continue;
    const clang::Expr *value = take();
    if (!value)
      continue;
    // The default of a member speaks of the object that is being made.
    std::optional<Place> outer = frames.back().self;
    if (isa<clang::CXXDefaultInitExpr>(value))
      frames.back().self = objectPlace(object);
    initialise(fields.fields.find(field), value, at);
    frames.back().self = outer;
  }
}

void Lowering::initialiseRecord(ObjectId object, const clang::Expr *value, const clang::Stmt *at) {
  const clang::Expr *inner = bare(value);
  if (readingOf(inner->getStmtClassName()) != Reading::Lowered) {
    clobber(inner);
    exposeNamed(inner);
    return forget(object, at);
  }
  if (auto *list = dyn_cast<clang::InitListExpr>(inner)) {
    if (list->isTransparent())
      return initialise(object, list->getInit(0), at);
    return initialiseFields(object, list, at);
  }
  if (auto *built = dyn_cast<clang::CXXConstructExpr>(inner))
    return construct(object, built, at);
  if (auto *lambda = dyn_cast<clang::LambdaExpr>(inner))
    return initialiseClosure(object, lambda);
  if (isa<clang::ImplicitValueInitExpr>(inner) || isa<clang::CXXScalarValueInitExpr>(inner))
    return zero(object, at);
  if (inner->isGLValue())
    return copyObject(object, place(inner), inner->getType(), at);
  clobber(inner);
  exposeNamed(inner);
  forget(object, at);
}

void Lowering::initialiseClosure(ObjectId object, const clang::LambdaExpr *lambda) {
  followedMentions.insert(lambda);
  llvm::DenseMap<const clang::ValueDecl *, clang::FieldDecl *> captures;
  clang::FieldDecl *self = nullptr;
  lambda->getLambdaClass()->getCaptureFields(captures, self);
  auto field = lambda->getLambdaClass()->field_begin();
  for (auto init = lambda->capture_init_begin(); init != lambda->capture_init_end(); ++init, ++field) {
    ObjectId part = std::get<Object::Record>(objects[object].value).fields.find(*field);
    if (*field == self && self->getType()->isPointerType()) { // [this]
      if (!frames.back().self)
        return giveUp(lambda, "a lambda captures an object that is not followed");
      bindPointer(part, *frames.back().self, lambda);
    } else if (*init) {
      initialise(part, *init, lambda);
    }
  }
}

/// A reference is bound once; one that is bound in several places of the text would mean another thing on each path.
void Lowering::bindReference(ObjectId object, const Place &target, const clang::Stmt *at) {
  auto &alias = std::get<Object::Alias>(objects[object].value);
  if (alias.bound)
    return giveUp(at, "a member that is a reference is bound in several places");
  alias = {target, true};
}

/// The same of the pointer that a closure keeps.
void Lowering::bindPointer(ObjectId object, Place target, const clang::Stmt *at) {
  if (std::holds_alternative<Object::Pointer>(objects[object].value))
    return giveUp(at, "the object that a lambda captures is bound in several places");
  objects[object].value = Object::Pointer{std::move(target)};
}

void Lowering::construct(ObjectId object, const clang::CXXConstructExpr *value, const clang::Stmt *at) {
  const clang::CXXConstructorDecl *constructor = value->getConstructor();
  if (constructor->isCopyOrMoveConstructor() && !constructor->isUserProvided() && value->getNumArgs() >= 1) {
    if (!copiesPlainly(constructor->getParent()))
      return giveUp(value, copyReason(constructor->getParent()));
    clang::QualType type = value->getArg(0)->getType();
    return copyObject(object, operandPlace(value->getArg(0)), type, at);
  }
  if (value->requiresZeroInitialization())
    zero(object, at);
  if (constructor->isTrivial())
    return;
  const clang::FunctionDecl *definition = bodyOf(constructor);
  auto *body = definition ? dyn_cast<clang::CXXConstructorDecl>(definition) : nullptr;
  if (!body)
    return giveUp(value,
                  "the constructor of " + constructor->getParent()->getNameAsString() + " has no body in this file");
  expandConstructor(object, value, body);
}

void Lowering::expandConstructor(ObjectId object, const clang::CXXConstructExpr *value,
                                 const clang::CXXConstructorDecl *body) {
  if (!mayExpand(value, body))
    return;
  followedMentions.insert(value);
  std::vector<const clang::Expr *> arguments(value->arguments().begin(), value->arguments().end());
  if (!bindArguments(body, arguments, value))
    return;
  InlineFrame frame;
  frame.self = objectPlace(object);
  runBody(std::move(frame), body, value, [&] {
    for (const clang::CXXCtorInitializer *part : body->inits()) {
      const Object::Record fields = std::get<Object::Record>(objects[object].value);
      if (part->isDelegatingInitializer()) {
        initialise(object, part->getInit(), part->getInit());
      } else if (part->isBaseInitializer()) {
        const clang::CXXRecordDecl *base = part->getBaseClass()->getAsCXXRecordDecl();
        initialise(fields.bases.find(base->getCanonicalDecl()), part->getInit(), part->getInit());
      } else if (part->isMemberInitializer()) {
        initialise(fields.fields.find(part->getMember()), part->getInit(), part->getInit());
      } else {
        giveUp(part->getInit(), "a member of an anonymous union is initialised");
      }
    }
  });
}

// Objects copied, set to zero, and forgotten.

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
    return bindPointer(to, Place(pointer->place), at);
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
