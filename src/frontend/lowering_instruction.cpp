// Calls of the library that are instructions, and what they are given.
#include "frontend/lowering.h"

namespace ptosync {

using clang::dyn_cast;

Operand Lowering::operandOf(const clang::Expr *argument, bool known, std::vector<VariableId> &results) {
  Operand operand;
  operand.spelling = spelling(argument);
  const clang::Expr *object = unwrapObject(argument);
  if (auto *address = dyn_cast<clang::UnaryOperator>(object); address && address->getOpcode() == clang::UO_AddrOf)
    object = unwrapObject(address->getSubExpr());
  ObjectKind kind = objectKind(object->getType());
  bool byAddress = object != unwrapObject(argument);
  if (kind == ObjectKind::Tile || kind == ObjectKind::Tensor || kind == ObjectKind::Fifo) {
    Place found = operandPlace(object);
    bool sole = soleObject(found).has_value();
    if (!known || !sole)
      for (const Choice &choice : found.choices)
        if (choice.target.kind == Target::Kind::Object)
          for (VariableId variable : variablesOf(choice.target.object))
            if (!known || movesOperands)
              results.push_back(variable);
    if (kind == ObjectKind::Tile) {
      if (std::optional<TileId> tile = tileAt(found, object)) {
        operand.kind = Operand::Kind::Tile;
        operand.index = *tile;
      }
    } else if (auto *tensor = soleKind<Object::TensorObject>(found)) {
      operand.kind = Operand::Kind::Tensor;
      operand.index = tensor->tensor;
    } else if (auto *fifo = soleKind<Object::FifoObject>(found)) {
      operand.kind = Operand::Kind::Fifo;
      operand.index = fifo->fifo;
    }
    return operand; // an object that is not followed: the instruction's effect is unknown
  }
  if (kind != ObjectKind::None || object->getType()->isRecordType()) {
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
    if (kind == ObjectKind::None && (isPlainData(object->getType()) || isCallResult(object->getType()))) {
      operand.kind = Operand::Kind::Scalar; // a value and nothing else
      operand.value = kernel.expressions.opaque({});
    }
    return operand;
  }
  if (byAddress) {
    // The address of a scalar: the call may write it.
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
  bool outer = std::exchange(movesOperands, name == "TPOP" || name == "TALLOC");
  std::vector<Mark> marks;
  auto add = [&](const clang::Expr *argument) {
    instruction.operands.push_back(operandOf(argument, known, instruction.results));
    marks.push_back(mark());
  };
  if (auto *member = dyn_cast<clang::CXXMemberCallExpr>(expression))
    add(member->getImplicitObjectArgument());
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
  }
  emit(std::move(instruction), expression);
  return kernel.expressions.opaque(typeOf(expression));
}

} // namespace ptosync
