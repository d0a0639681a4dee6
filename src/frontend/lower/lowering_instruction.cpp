// Calls of the library that are instructions, and what they are given.
#include "frontend/library/template_constants.h"
#include "frontend/lower/lowering.h"

namespace ptosync {

using clang::dyn_cast;

namespace {

bool isFollowed(ObjectKind kind) {
  return kind == ObjectKind::Tile || kind == ObjectKind::Tensor || kind == ObjectKind::Fifo;
}

} // namespace

/// A library object in an operand. What is none that is followed is a tile or tensor anywhere in its memory.
Operand Lowering::objectOperand(const Place &found, clang::QualType type, const clang::Expr *at, bool known,
                                std::vector<VariableId> &results) {
  Operand operand;
  const ObjectKind kind = objectKind(type);
  if (!known)
    expose(found); // it may keep the reference
  bool lost = false;
  for (const Choice &choice : found.choices) {
    bool tracked = choice.target.kind == Target::Kind::Object;
    lost |= !tracked;
    if (tracked && (!known || (movesOperands && found.choices.size() > 1))) // of one it is known where it goes
      for (VariableId variable : variablesOf(choice.target.object))
        results.push_back(variable);
  }
  if (movesOperands && lost)
    return operand; // any object whose address somebody knows has another place now
  if (kind == ObjectKind::Tile) {
    operand.kind = Operand::Kind::Tile;
    operand.index = tileAt(found, type, at);
  } else if (kind == ObjectKind::Tensor) {
    operand.kind = Operand::Kind::Tensor;
    operand.index = tensorAt(found, type, at);
  } else if (auto *fifo = soleKind<Object::FifoObject>(found)) {
    operand.kind = Operand::Kind::Fifo;
    operand.index = fifo->fifo;
  }
  return operand;
}

/// An object of another class: whatever is a part of it may be changed, and it may be kept.
Operand Lowering::recordOperand(const clang::Expr *object, std::vector<VariableId> &results) {
  Operand operand;
  // Handed over by value here, and perhaps by reference in the library.
  auto *copy = dyn_cast<clang::CXXConstructExpr>(object);
  if (copy && copy->getNumArgs() >= 1 && copy->getConstructor()->isCopyOrMoveConstructor()) {
    if (copy->getConstructor()->isUserProvided())
      discard(object);
    object = unwrapObject(copy->getArg(0));
  }
  if (object->isGLValue()) {
    Place found = place(object);
    for (const Choice &choice : found.choices) {
      if (choice.target.kind == Target::Kind::Object)
        for (VariableId variable : variablesOf(choice.target.object))
          results.push_back(variable);
      else if (choice.target.kind == Target::Kind::Memory)
        readTarget(choice.target, object);
    }
    expose(found);
  } else {
    discard(object);
  }
  if (objectKind(object->getType()) == ObjectKind::None &&
      (isPlainData(object->getType()) || isCallResult(object->getType()))) {
    operand.kind = Operand::Kind::Scalar; // a value and nothing else
    operand.value = kernel.expressions.opaque({});
  }
  return operand;
}

/// The address of a scalar: the call may write it.
Operand Lowering::addressOperand(const clang::Expr *object, std::vector<VariableId> &results) {
  Operand operand;
  Place found = object->isGLValue() ? place(object) : unknownPlace();
  for (const Choice &choice : found.choices)
    if (choice.target.kind == Target::Kind::Object)
      for (VariableId variable : variablesOf(choice.target.object))
        results.push_back(variable);
  if (found.choices.size() == 1 && found.choices[0].target.kind == Target::Kind::Memory) {
    operand.kind = Operand::Kind::Pointer;
    operand.value = found.choices[0].target.address;
    return operand;
  }
  expose(found);
  operand.kind = Operand::Kind::Scalar;
  operand.value = kernel.expressions.opaque(kAddress);
  return operand;
}

Operand Lowering::operandOf(const clang::Expr *argument, bool known, std::vector<VariableId> &results) {
  const clang::Expr *object = unwrapObject(argument);
  if (auto *address = dyn_cast<clang::UnaryOperator>(object); address && address->getOpcode() == clang::UO_AddrOf)
    object = unwrapObject(address->getSubExpr());
  ObjectKind kind = objectKind(object->getType());
  bool byAddress = object != unwrapObject(argument);
  Operand operand;
  if (isFollowed(kind))
    operand = objectOperand(operandPlace(object), object->getType(), object, known, results);
  else if (kind != ObjectKind::None || object->getType()->isRecordType())
    operand = recordOperand(object, results);
  else if (byAddress)
    operand = addressOperand(object, results);
  else
    operand = scalarOperand(argument, known, results);
  operand.spelling = spelling(argument);
  return operand;
}

Operand Lowering::scalarOperand(const clang::Expr *argument, bool known, std::vector<VariableId> &results) {
  Operand operand;
  const clang::Expr *object = unwrapObject(argument);
  bool pointer = argument->getType()->isPointerType() || argument->getType()->isArrayType();
  operand.kind = pointer ? Operand::Kind::Pointer : Operand::Kind::Scalar;
  operand.value = scalar(argument);
  // Something unknown may take a variable by reference, whatever its declaration here says.
  if (!known && object->isGLValue() && !object->getType().isConstQualified() && !object->getType()->isFunctionType() &&
      isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr>(object)) {
    Place found = place(object);
    for (const Choice &choice : found.choices) {
      if (choice.target.kind == Target::Kind::Object)
        for (VariableId variable : variablesOf(choice.target.object))
          results.push_back(variable);
      for (std::uint32_t i = 0; choice.target.kind == Target::Kind::Element && i < choice.target.count; ++i)
        results.push_back(choice.target.first + i);
    }
  }
  return operand;
}

/// Making an object of a class of the library that does something is an instruction of the class's name, with the
/// constructor's arguments. That is what the machine model knows it by; what it does not know is an opaque fence.
void Lowering::libraryConstruction(const clang::CXXConstructExpr *construct) {
  std::string name = construct->getConstructor()->getParent()->getNameAsString();
  bool known = shared.instructions.count(name) != 0;
  if (!known)
    shared.unknown[name].insert(lineOf(construct->getBeginLoc()));
  Instruction instruction;
  instruction.name = name;
  instruction.followed = known;
  std::vector<Mark> marks;
  for (const clang::Expr *argument : construct->arguments()) {
    if (isa<clang::CXXDefaultArgExpr>(argument))
      continue;
    instruction.operands.push_back(operandOf(argument, known, instruction.results));
    marks.push_back(mark());
  }
  for (std::size_t i = marks.size(); i-- > 0;)
    if (ExpressionId &value = instruction.operands[i].value; value != kNone)
      value = settled(marks[i], value, construct);
  emit(std::move(instruction), construct);
}

/// Arguments from `firstEvent` on are events that are waited for in front of it.
ExpressionId Lowering::instructionCall(const clang::CallExpr *expression, const std::string &name, bool known,
                                       std::optional<unsigned> firstEvent) {
  if (!known)
    shared.unknown[name].insert(lineOf(expression->getBeginLoc()));
  Instruction instruction;
  instruction.name = name;
  instruction.followed = known;
  bool outer = std::exchange(movesOperands, known && shared.placing.count(name) != 0);
  std::vector<Mark> marks;
  auto add = [&](const clang::Expr *argument) {
    instruction.operands.push_back(operandOf(argument, known, instruction.results));
    marks.push_back(mark());
  };
  if (auto *member = dyn_cast<clang::CXXMemberCallExpr>(expression)) {
    const clang::Expr *object = withoutBaseCasts(member->getImplicitObjectArgument());
    clang::QualType pointed =
        object->getType()->isPointerType() ? object->getType()->getPointeeType() : clang::QualType();
    if (!pointed.isNull() && isFollowed(objectKind(pointed))) {
      instruction.operands.push_back(objectOperand(pointee(object), pointed, object, known, instruction.results));
      instruction.operands.back().spelling = spelling(object);
      marks.push_back(mark());
    } else {
      add(member->getImplicitObjectArgument());
    }
  }
  unsigned operands = firstEvent.value_or(expression->getNumArgs());
  for (unsigned i = 0; i < operands; ++i)
    if (!isa<clang::CXXDefaultArgExpr>(expression->getArg(i)))
      add(expression->getArg(i));
  for (std::size_t i = marks.size(); i-- > 0;)
    if (ExpressionId &value = instruction.operands[i].value; value != kNone)
      value = settled(marks[i], value, expression);
  movesOperands = outer;
  for (unsigned i = operands; i < expression->getNumArgs(); ++i)
    waitForEvent(expression->getArg(i));
  for (const clang::TemplateArgumentLoc &argument : writtenTemplateArguments(expression)) {
    const clang::TemplateArgument &value = argument.getArgument();
    instruction.templateArguments.push_back(value.getKind() == clang::TemplateArgument::Expression
                                                ? spelling(value.getAsExpr())
                                                : templateArgumentText(value, shared.ast));
    if (std::optional<TemplateConstant> constant = templateConstant(value, shared.ast))
      instruction.templateConstants.push_back(std::move(*constant));
  }
  emit(std::move(instruction), expression);
  return kernel.expressions.opaque(typeOf(expression));
}

} // namespace ptosync
