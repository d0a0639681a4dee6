// Finds what lvalues designate, reads and writes places, and tells which tile, tensor or FIFO is at one.
#include "frontend/lower/lowering.h"

#include <clang/AST/RecordLayout.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

/// Bytes from one object of that type to the next in an array; 0: none are known.
std::int64_t strideOf(clang::QualType type, const clang::ASTContext &ast) {
  type = type.getNonReferenceType();
  const bool whole = !type->isIncompleteType() && !type->isDependentType() && !type->isFunctionType();
  return whole ? ast.getTypeSizeInChars(type).getQuantity() : 0;
}

/// The same of what an access touches; 0: unknown, or too many.
std::uint32_t sizeOf(clang::QualType type, const clang::ASTContext &ast) {
  const std::int64_t bytes = strideOf(type, ast);
  return bytes > 0 && bytes < INT32_MAX ? static_cast<std::uint32_t>(bytes) : 0;
}

} // namespace

Place Lowering::objectPlace(ObjectId object) const {
  if (auto *alias = std::get_if<Object::Alias>(&objects[object].value))
    return alias->place;
  Target target;
  target.kind = Target::Kind::Object;
  target.object = object;
  return {{{kNone, target}}};
}

Place Lowering::memoryPlace(ExpressionId address, std::uint32_t bytes) const {
  Target target;
  target.address = address;
  target.bytes = bytes;
  return {{{kNone, target}}};
}

std::optional<ObjectId> Lowering::soleObject(const Place &place) const {
  const Choice &first = place.choices.front();
  if (place.choices.size() != 1 || first.target.kind != Target::Kind::Object)
    return std::nullopt;
  return first.target.object;
}

/// The place with its guards, indices and addresses in variables: it means the same whenever it is used.
Place Lowering::kept(Place place, const clang::Stmt *at) {
  for (Choice &choice : place.choices) {
    for (ExpressionId *part : {&choice.guard, &choice.target.index, &choice.target.address})
      if (*part != kNone)
        *part = keptValue(*part, "place", at);
  }
  return place;
}

Place Lowering::place(const clang::Expr *expression) {
  if (!kernel.analysable)
    return unknownPlace();
  Depth inside(*this, expression);
  if (!kernel.analysable)
    return unknownPlace();
  if (readingOf(expression->getStmtClassName()) == Reading::Lowered)
    return knownPlace(expression);
  clobber(expression);
  exposeNamed(expression);
  return unknownPlace();
}

Place Lowering::knownPlace(const clang::Expr *expression) {
  if (auto *parens = dyn_cast<clang::ParenExpr>(expression))
    return place(parens->getSubExpr());
  if (auto *choice = dyn_cast<clang::GenericSelectionExpr>(expression))
    return place(choice->getResultExpr());
  if (auto *choice = dyn_cast<clang::ChooseExpr>(expression))
    return place(choice->getChosenSubExpr());
  if (auto *full = dyn_cast<clang::FullExpr>(expression))
    return place(full->getSubExpr());
  if (auto *pack = dyn_cast<clang::PackIndexingExpr>(expression))
    return place(pack->getSelectedExpr());
  if (auto *substituted = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return place(substituted->getReplacement());
  if (auto *defaulted = dyn_cast<clang::CXXDefaultArgExpr>(expression))
    return place(defaulted->getExpr());
  if (auto *defaulted = dyn_cast<clang::CXXDefaultInitExpr>(expression))
    return place(defaulted->getExpr());
  if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(expression))
    return temporary->getSubExpr()->isGLValue() ? place(temporary->getSubExpr()) : materialise(temporary->getSubExpr());
  if (auto *reference = dyn_cast<clang::DeclRefExpr>(expression))
    return declaredPlace(reference, reference->getDecl());
  if (auto *member = dyn_cast<clang::MemberExpr>(expression))
    return memberPlace(member);
  if (!expression->isGLValue())
    return materialise(expression);
  auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression);
  if (subscript && subscript->getBase()->getType()->isPointerType())
    return subscriptPlace(subscript);
  if (auto *cast = dyn_cast<clang::CastExpr>(expression))
    return castPlace(cast);
  if (auto *choice = dyn_cast<clang::ConditionalOperator>(expression))
    return chosenPlace(choice, [&](const clang::Expr *arm) { return operandPlace(arm); });
  if (auto *unary = dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->getOpcode() == clang::UO_Deref)
      return pointee(unary->getSubExpr());
    if (unary->isPrefix() && unary->isIncrementDecrementOp()) {
      Place where = unknownPlace();
      increment(unary, &where);
      return where;
    }
  }
  if (auto *binary = dyn_cast<clang::BinaryOperator>(expression)) {
    Place where = unknownPlace();
    if (binary->isAssignmentOp()) {
      assignment(binary, &where);
      return where;
    }
    if (binary->getOpcode() == clang::BO_Comma) {
      drop(binary->getLHS());
      return place(binary->getRHS());
    }
  }
  if (auto *called = dyn_cast<clang::CallExpr>(expression)) {
    returned.reset();
    if (auto *overloaded = dyn_cast<clang::CXXOperatorCallExpr>(called)) {
      Place where = unknownPlace();
      if (operatorCall(overloaded, &where))
        return where;
    }
    call(called);
    std::optional<Place> result = std::exchange(returned, std::nullopt);
    if (result)
      return *result;
    exposeNamed(called);
    return unknownPlace();
  }
  clobber(expression);
  exposeNamed(expression);
  return unknownPlace();
}

/// `base[index]`, or `index[base]`: what stands to the left is evaluated first.
Place Lowering::subscriptPlace(const clang::ArraySubscriptExpr *subscript) {
  const clang::Expr *base = subscript->getBase()->IgnoreParens(), *number = subscript->getIdx();
  if (auto *literal = dyn_cast<clang::IntegerLiteral>(number->IgnoreParenImpCasts());
      literal && literal->getValue() == 0)
    return pointee(base);
  const bool effects = number->HasSideEffects(shared.ast);
  if (subscript->getBase() != subscript->getLHS() && (effects || base->HasSideEffects(shared.ast))) {
    giveUp(subscript, "an index in front of its array that has effects is not followed; write the array first");
    return unknownPlace();
  }
  auto *decay = dyn_cast<clang::ImplicitCastExpr>(base);
  if (decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay) {
    Place array = operandPlace(decay->getSubExpr());
    if (effects || array.choices.size() > 1 || array.choices[0].target.kind == Target::Kind::Element)
      array = kept(array, subscript); // the index may change what decides
    return elementOf(array, scalar(number), subscript->getType());
  }
  ExpressionId pointer = scalar(base);
  Mark before = mark();
  ExpressionId index = scalar(number);
  pointer = settled(before, pointer, subscript);
  if (kernel.expressions[index].type.bits == 0)
    return unknownPlace();
  if (kernel.expressions[index].type != kInt64)
    index = kernel.expressions.cast(index, kInt64);
  ExpressionId offset = kernel.expressions.binary(Operator::Multiply, index,
                                                  constant(strideOf(subscript->getType(), shared.ast)), kInt64);
  return memoryPlace(
      kernel.expressions.binary(Operator::Add, pointer, kernel.expressions.cast(offset, kAddress), kAddress),
      sizeOf(subscript->getType(), shared.ast));
}

Place Lowering::declaredPlace(const clang::Expr *expression, const clang::ValueDecl *declaration) {
  if (!frames.empty())
    if (auto captured = frames.back().captures.find(declaration); captured != frames.back().captures.end())
      return captured->second;
  if (auto bound = bindings.find(declaration); bound != bindings.end())
    return bound->second;
  // A constant of the file keeps its value; other variables of the file are memory that anybody may write.
  bool constantObject = isa<clang::FunctionDecl>(declaration) || isa<clang::EnumConstantDecl>(declaration) ||
                        (!declaration->getType()->isReferenceType() && expression->getType().isConstant(shared.ast));
  return constantObject ? objectPlace(addObject({Object::Untracked{}})) : unknownPlace();
}

Place Lowering::memberPlace(const clang::MemberExpr *expression) {
  const clang::ValueDecl *member = expression->getMemberDecl();
  const clang::Expr *base = expression->getBase();
  auto *field = dyn_cast<clang::FieldDecl>(member);
  if (!field) { // a static member: its object is evaluated all the same
    if (!isa<clang::CXXThisExpr>(base->IgnoreParenImpCasts()))
      drop(base);
    return declaredPlace(expression, member);
  }
  return fieldOf(expression->isArrow() ? pointee(base) : operandPlace(base), field);
}

Place Lowering::fieldOf(const Place &record, const clang::FieldDecl *field) {
  Place result;
  for (const Choice &choice : record.choices) {
    Place found = unknownPlace();
    if (choice.target.kind == Target::Kind::Object) {
      const Object &object = objects[choice.target.object];
      if (auto *fields = std::get_if<Object::Record>(&object.value); fields && fields->fields.find(field) != kNone) {
        found = objectPlace(fields->fields.find(field));
      } else if (std::holds_alternative<Object::Array>(object.value) || // of event ids: its only member
                 (std::holds_alternative<Object::Untracked>(object.value) && !field->getType()->isReferenceType())) {
        found = objectPlace(choice.target.object);
      } else {
        expose(choice.target.object);
      }
    } else if (choice.target.kind == Target::Kind::Memory && !field->getType()->isReferenceType() &&
               !field->isBitField() && !field->getParent()->isInvalidDecl() && !field->getParent()->isDependentType()) {
      auto offset = static_cast<std::int64_t>(
          shared.ast.getASTRecordLayout(field->getParent()).getFieldOffset(field->getFieldIndex()) / 8);
      ExpressionId address = choice.target.address;
      if (offset != 0)
        address = kernel.expressions.binary(Operator::Add, address, constant(offset, kAddress), kAddress,
                                            Expression::Sense::Index);
      found = memoryPlace(address, sizeOf(field->getType(), shared.ast));
    } else if (choice.target.kind == Target::Kind::Memory) {
      found = memoryPlace(kernel.expressions.opaque(kAddress), 0);
    }
    for (const Choice &inner : guarded(choice.guard, found).choices)
      result.choices.push_back(inner);
  }
  return result;
}

/// The choices of `place` where `guard` holds; kNone: as they are.
Place Lowering::guarded(ExpressionId guard, const Place &place) {
  Place result = place;
  if (guard != kNone)
    for (Choice &choice : result.choices)
      choice.guard =
          choice.guard == kNone ? guard : kernel.expressions.binary(Operator::BitAnd, guard, choice.guard, kBoolean);
  return result;
}

Place Lowering::castPlace(const clang::CastExpr *expression) {
  const clang::Expr *inner = expression->getSubExpr();
  switch (expression->getCastKind()) {
  case clang::CK_NoOp:
  case clang::CK_LValueToRValue:
  case clang::CK_ConstructorConversion:
  case clang::CK_UserDefinedConversion: return operandPlace(inner);
  case clang::CK_DerivedToBase:
  case clang::CK_UncheckedDerivedToBase: return basePlace(operandPlace(inner), expression);
  case clang::CK_LValueBitCast: {
    Place found = place(inner);
    IntegerType from = typeOf(inner), to = typeOf(expression);
    if (soleKind<Object::Scalar>(found) && from.bits && from.bits == to.bits)
      return found;
    if (found.choices.size() == 1 && found.choices[0].target.kind == Target::Kind::Memory)
      return memoryPlace(found.choices[0].target.address, sizeOf(expression->getType(), shared.ast));
    expose(found);
    return unknownPlace();
  }
  default: {
    Place found = operandPlace(inner);
    expose(found);
    return unknownPlace();
  }
  }
}

Place Lowering::basePlace(Place derived, const clang::CastExpr *cast) {
  for (const clang::CXXBaseSpecifier *step : cast->path()) {
    const clang::CXXRecordDecl *base = step->getType()->getAsCXXRecordDecl();
    for (Choice &choice : derived.choices) {
      auto *record = choice.target.kind == Target::Kind::Object
                         ? std::get_if<Object::Record>(&objects[choice.target.object].value)
                         : nullptr;
      ObjectId found = record && base ? record->bases.find(base->getCanonicalDecl()) : kNone;
      if (found != kNone) {
        choice.target.object = found;
      } else if (choice.target.kind == Target::Kind::Object &&
                 !std::holds_alternative<Object::Record>(objects[choice.target.object].value)) {
        // A library object stays what it is in the eyes of its base; an untracked one stays untracked.
      } else {
        if (choice.target.kind == Target::Kind::Object)
          expose(choice.target.object);
        choice.target = unknownPlace().choices[0].target;
      }
    }
  }
  return derived;
}

/// What `*pointer` designates.
Place Lowering::pointee(const clang::Expr *pointer) {
  const clang::Expr *inner = pointer->IgnoreParens();
  while (auto *cast = dyn_cast<clang::CastExpr>(inner)) {
    if (cast->getCastKind() == clang::CK_NoOp) {
      inner = cast->getSubExpr()->IgnoreParens();
      continue;
    }
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay)
      return elementOf(operandPlace(cast->getSubExpr()), constant(0), pointer->getType()->getPointeeType());
    if (cast->getCastKind() == clang::CK_UncheckedDerivedToBase || cast->getCastKind() == clang::CK_DerivedToBase)
      return basePlace(pointee(cast->getSubExpr()), cast);
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      if (const clang::Expr *held = cast->getSubExpr()->IgnoreParens();
          isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr>(held) && !isRootedOutside(held))
        return pointeeOf(place(held), held);
    break;
  }
  if (isa<clang::CXXThisExpr>(inner)) {
    if (frames.back().self)
      return *frames.back().self;
    giveUp(inner, "it is not known which object `this` is");
    return unknownPlace();
  }
  if (auto *choice = dyn_cast<clang::ConditionalOperator>(inner); choice && leadsToObjects(choice))
    return chosenPlace(choice, [&](const clang::Expr *arm) { return pointee(arm); });
  if (auto *binary = dyn_cast<clang::BinaryOperator>(inner); binary && binary->getOpcode() == clang::BO_Comma) {
    discard(binary->getLHS());
    return pointee(binary->getRHS());
  }
  if (auto *address = dyn_cast<clang::UnaryOperator>(inner); address && address->getOpcode() == clang::UO_AddrOf)
    return operandPlace(address->getSubExpr());
  if (auto *called = dyn_cast<clang::CallExpr>(inner))
    if (const clang::FunctionDecl *callee = called->getDirectCallee();
        callee && callee->getBuiltinID() != 0 && callee->getName() == "__builtin_addressof")
      return operandPlace(called->getArg(0));
  std::uint32_t bytes = sizeOf(pointer->getType()->getPointeeType(), shared.ast);
  ExpressionId address = scalar(pointer);
  return memoryPlace(kernel.expressions[address].type.bits ? address : kernel.expressions.opaque(kAddress), bytes);
}

/// Returns true if the pointer is plainly the address of an object that is followed, or of one of several. What it
/// takes to find it changes nothing then.
bool Lowering::leadsToObjects(const clang::Expr *pointer) {
  pointer = pointer->IgnoreParens();
  while (auto *cast = dyn_cast<clang::CastExpr>(pointer)) {
    if (cast->getCastKind() != clang::CK_NoOp && cast->getCastKind() != clang::CK_LValueToRValue &&
        cast->getCastKind() != clang::CK_ArrayToPointerDecay)
      return false;
    pointer = cast->getSubExpr()->IgnoreParens();
  }
  if (auto *choice = dyn_cast<clang::ConditionalOperator>(pointer))
    return leadsToObjects(choice->getTrueExpr()) && leadsToObjects(choice->getFalseExpr());
  auto isObject = [&](const clang::DeclRefExpr *reference, bool holdsPointer) {
    return reference && !isRootedOutside(reference) &&
           llvm::all_of(declaredPlace(reference, reference->getDecl()).choices, [&](const Choice &choice) {
             return choice.target.kind == Target::Kind::Object &&
                    holdsPointer == std::holds_alternative<Object::Pointer>(objects[choice.target.object].value);
           });
  };
  auto *taken = dyn_cast<clang::UnaryOperator>(pointer);
  if (taken && taken->getOpcode() == clang::UO_AddrOf)
    pointer = taken->getSubExpr()->IgnoreParens();
  else if (!pointer->getType()->isArrayType())
    return isObject(dyn_cast<clang::DeclRefExpr>(pointer), true);
  if (pointer->HasSideEffects(shared.ast))
    return false;
  while (!isa<clang::DeclRefExpr>(pointer)) {
    auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(pointer);
    auto *decay = subscript ? dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens()) : nullptr;
    auto *member = dyn_cast<clang::MemberExpr>(pointer);
    if (decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay)
      pointer = decay->getSubExpr()->IgnoreParens();
    else if (member && !member->isArrow())
      pointer = member->getBase()->IgnoreParens();
    else
      return false;
  }
  return isObject(dyn_cast<clang::DeclRefExpr>(pointer), false);
}

/// What the pointer at a place leads to: of several pointers, or of one to several objects, the one that is meant.
Place Lowering::pointeeOf(const Place &holder, const clang::Expr *held) {
  bool followed = llvm::all_of(holder.choices, [&](const Choice &choice) {
    return choice.target.kind == Target::Kind::Object &&
           std::holds_alternative<Object::Pointer>(objects[choice.target.object].value);
  });
  if (!followed) {
    ExpressionId address = readPlace(holder, held);
    return memoryPlace(kernel.expressions[address].type.bits ? address : kernel.expressions.opaque(kAddress),
                       sizeOf(held->getType()->getPointeeType(), shared.ast));
  }
  Place result;
  for (const Choice &choice : holder.choices) {
    const Place place = std::get<Object::Pointer>(objects[choice.target.object].value).place;
    for (const Choice &inner : guarded(choice.guard, place).choices)
      result.choices.push_back(inner);
  }
  return result;
}

Place Lowering::elementOf(const Place &array, ExpressionId index, clang::QualType element) {
  std::uint32_t bytes = sizeOf(element, shared.ast);
  Place result;
  auto add = [&](ExpressionId outer, ExpressionId guard, Target target) {
    if (outer != kNone)
      guard = guard == kNone ? outer : kernel.expressions.binary(Operator::BitAnd, outer, guard, kBoolean);
    result.choices.push_back({guard, target});
  };
  for (const Choice &choice : array.choices) {
    Target unknown = unknownPlace().choices[0].target;
    const Expression &at = kernel.expressions[index];
    if (choice.target.kind == Target::Kind::Memory) {
      if (at.type.bits == 0) {
        add(choice.guard, kNone, unknown);
        continue;
      }
      ExpressionId wide = at.type == kInt64 ? index : kernel.expressions.cast(index, kInt64);
      ExpressionId offset =
          kernel.expressions.binary(Operator::Multiply, wide, constant(strideOf(element, shared.ast)), kInt64);
      unknown.address =
          kernel.expressions.binary(Operator::Add, choice.target.address, kernel.expressions.cast(offset, kAddress),
                                    kAddress, Expression::Sense::Index);
      unknown.bytes = bytes;
      add(choice.guard, kNone, unknown);
      continue;
    }
    if (choice.target.kind == Target::Kind::Element) {
      add(choice.guard, kNone, unknown);
      continue;
    }
    const Object &object = objects[choice.target.object];
    if (auto *scalars = std::get_if<Object::Array>(&object.value)) {
      Target target;
      target.kind = Target::Kind::Element;
      target.first = scalars->first;
      target.count = scalars->count;
      target.index = index;
      add(choice.guard, kNone, target);
    } else if (auto *elements = std::get_if<Object::Elements>(&object.value); elements && at.type.bits) {
      const std::vector<ObjectId> list = elements->list;
      bool fixed = at.kind == Expression::Kind::Constant;
      IntegerType type = at.type;
      std::int64_t number = at.constant;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (fixed && number != static_cast<std::int64_t>(i))
          continue;
        ExpressionId guard = kNone;
        if (!fixed && i + 1 < list.size())
          guard =
              kernel.expressions.binary(Operator::Equal, index, constant(static_cast<std::int64_t>(i), type), kBoolean);
        for (const Choice &inner : objectPlace(list[i]).choices)
          add(choice.guard, guard != kNone ? guard : inner.guard, inner.target);
      }
      if (fixed && (number < 0 || number >= static_cast<std::int64_t>(list.size())))
        add(choice.guard, kNone, unknown);
    } else if (std::holds_alternative<Object::Untracked>(object.value)) {
      add(choice.guard, kNone, choice.target);
    } else {
      expose(choice.target.object);
      add(choice.guard, kNone, unknown);
    }
  }
  return result;
}

/// `c ? a : b`; `ofArm` finds what an arm designates.
Place Lowering::chosenPlace(const clang::ConditionalOperator *choice,
                            llvm::function_ref<Place(const clang::Expr *)> ofArm) {
  ExpressionId whether = keptValue(condition(choice->getCond()), "chosen", choice);
  // What an arm loads or computes runs only if it is chosen; as a place it may be found in either case, unless it has
  // effects of its own.
  Mark before = mark();
  VariableId firstNew = static_cast<VariableId>(kernel.variables.size());
  Place whenTrue = ofArm(choice->getTrueExpr()), whenFalse = ofArm(choice->getFalseExpr());
  bool quiet = before.block == current;
  for (std::size_t i = before.index; quiet && i < kernel.blocks[current].statements.size(); ++i) {
    const auto &action = kernel.blocks[current].statements[i].action;
    auto *assigned = std::get_if<Assign>(&action);
    auto *loaded = std::get_if<Instruction>(&action);
    quiet = (assigned && assigned->variable >= firstNew) || (loaded && loaded->name == "scalar.load");
  }
  if (!quiet) {
    giveUp(choice, "the arms of a choice between objects do more than name them");
    return unknownPlace();
  }
  Place result = guarded(whether, whenTrue);
  for (const Choice &arm : whenFalse.choices)
    result.choices.push_back(arm);
  return result;
}

/// A new object that holds the value of a prvalue.
Place Lowering::materialise(const clang::Expr *value) {
  if (value->getType()->isVoidType()) {
    scalar(value);
    return unknownPlace();
  }
  auto *called = dyn_cast<clang::CallExpr>(unwrapObject(value));
  if (called && called->getType()->isRecordType() && !called->isGLValue()) { // of one, this is a copy
    call(called);
    if (std::optional<Place> result = std::exchange(returned, std::nullopt))
      return *result;
    return objectPlace(addObject({Object::Untracked{}}));
  }
  ObjectId object = newObject(value->getType(), spelling(value), lineOf(value->getBeginLoc()));
  initialise(object, value, value);
  return objectPlace(object);
}

/// An operand as a place, whatever its category.
Place Lowering::operandPlace(const clang::Expr *object) {
  return object->isGLValue() ? place(object) : materialise(object);
}

// Reading and writing places.

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

/// One of several objects is looked at here; an argument beside it may still move them.
void Lowering::refuseOthers(const Place &found, const clang::Expr *at) {
  if (othersAct && found.choices.size() > 1)
    giveUp(at,
           "one of several objects stands beside an argument that has effects, which is not followed; give it a name");
}

/// The tile at a place. Of several it is a tile of its own, at the address of the one that is meant. What is none of
/// this kernel's tiles lies anywhere in the memory that its type names.
TileId Lowering::tileAt(const Place &found, clang::QualType type, const clang::Expr *at) {
  if (auto *tile = soleKind<Object::TileObject>(found))
    return tile->tile;
  refuseOthers(found, at);
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
  refuseOthers(found, at);
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
