// Integer and pointer expressions, memory accesses of the scalar unit, assignments.
#include "frontend/lowering.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

std::optional<Operator> binaryOperatorOf(clang::BinaryOperatorKind kind) {
  switch (kind) {
  case clang::BO_Add: case clang::BO_AddAssign: return Operator::Add;
  case clang::BO_Sub: case clang::BO_SubAssign: return Operator::Subtract;
  case clang::BO_Mul: case clang::BO_MulAssign: return Operator::Multiply;
  case clang::BO_Div: case clang::BO_DivAssign: return Operator::Divide;
  case clang::BO_Rem: case clang::BO_RemAssign: return Operator::Remainder;
  case clang::BO_Shl: case clang::BO_ShlAssign: return Operator::ShiftLeft;
  case clang::BO_Shr: case clang::BO_ShrAssign: return Operator::ShiftRight;
  case clang::BO_And: case clang::BO_AndAssign: case clang::BO_LAnd: return Operator::BitAnd;
  case clang::BO_Or: case clang::BO_OrAssign: case clang::BO_LOr: return Operator::BitOr;
  case clang::BO_Xor: case clang::BO_XorAssign: return Operator::BitXor;
  case clang::BO_EQ: return Operator::Equal;
  case clang::BO_NE: return Operator::NotEqual;
  case clang::BO_LT: return Operator::Less;
  case clang::BO_LE: return Operator::LessEqual;
  case clang::BO_GT: return Operator::Greater;
  case clang::BO_GE: return Operator::GreaterEqual;
  default: return std::nullopt;
  }
}

/// Looks for anything whose evaluation could matter beyond its value.
class EffectFinder : public clang::RecursiveASTVisitor<EffectFinder> {
public:
  bool found = false;
  bool VisitCallExpr(clang::CallExpr *) { return stop(); }
  bool VisitBinaryOperator(clang::BinaryOperator *e) { return e->isAssignmentOp() ? stop() : true; }
  bool VisitUnaryOperator(clang::UnaryOperator *e) {
    return e->isIncrementDecrementOp() || e->getOpcode() == clang::UO_Deref ? stop() : true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *) { return stop(); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *e) {
    // Copies too: what the copy constructor of an unread class does, nobody knows.
    bool read = objectKind(e->getType()) != ObjectKind::None || isPlainData(e->getType()) || isCallResult(e->getType());
    return read ? true : stop();
  }

private:
  bool stop() {
    found = true;
    return false;
  }
};

} // namespace

bool Lowering::mayHaveEffect(const clang::Stmt *expression) {
  EffectFinder finder;
  finder.TraverseStmt(const_cast<clang::Stmt *>(expression));
  return finder.found;
}

ExpressionId Lowering::opaqueExpression(const clang::Expr *expression) {
  IntegerType type = integerType(expression->getType(), shared.ast);
  clang::Expr::EvalResult value;
  if (type.bits && !expression->isValueDependent() && !expression->containsErrors() &&
      expression->EvaluateAsInt(value, shared.ast))
    return constant(value.Val.getInt().getExtValue(), type);
  if (mayHaveEffect(expression))
    opaqueFence("expression", expression);
  return kernel.expressions.opaque(type);
}

ExpressionId Lowering::condition(const clang::Expr *expression) {
  ExpressionId value = scalar(expression);
  IntegerType type = kernel.expressions[value].type;
  if (type == kBoolean || type.bits == 0)
    return value;
  return kernel.expressions.binary(Operator::NotEqual, value, constant(0, type), kBoolean);
}

ExpressionId Lowering::scalar(const clang::Expr *expression) {
  if (!kernel.analysable)
    return constant(0);
  expression = expression->IgnoreParens();
  IntegerType type = integerType(expression->getType(), shared.ast);
  if (auto *literal = dyn_cast<clang::IntegerLiteral>(expression))
    return constant(literal->getValue().getSExtValue(), type);
  if (auto *boolean = dyn_cast<clang::CXXBoolLiteralExpr>(expression))
    return constant(boolean->getValue(), kBoolean);
  if (isa<clang::CXXNullPtrLiteralExpr>(expression))
    return constant(0, kAddress);
  if (auto *full = dyn_cast<clang::FullExpr>(expression))
    return scalar(full->getSubExpr());
  if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(expression))
    return scalar(temporary->getSubExpr());
  if (auto *substituted = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return scalar(substituted->getReplacement());
  if (auto *defaulted = dyn_cast<clang::CXXDefaultArgExpr>(expression))
    return scalar(defaulted->getExpr());
  if (auto *reference = dyn_cast<clang::DeclRefExpr>(expression))
    return readReference(reference);
  if (auto *cast = dyn_cast<clang::CastExpr>(expression))
    return castExpression(cast);
  if (auto *unary = dyn_cast<clang::UnaryOperator>(expression))
    return unaryOperator(unary);
  if (auto *binary = dyn_cast<clang::BinaryOperator>(expression))
    return binaryOperator(binary);
  if (auto *choice = dyn_cast<clang::ConditionalOperator>(expression)) {
    if (mayHaveEffect(choice->getTrueExpr()) || mayHaveEffect(choice->getFalseExpr()))
      return conditional(choice, choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
    ExpressionId decided = condition(choice->getCond());
    ExpressionId whenTrue = scalar(choice->getTrueExpr());
    ExpressionId whenFalse = scalar(choice->getFalseExpr());
    return kernel.expressions.select(decided, whenTrue, whenFalse);
  }
  if (auto *called = dyn_cast<clang::CXXOperatorCallExpr>(expression)) {
    if (isMemoryPlace(called))
      return memoryLoad(called);
    if (called->isAssignmentOp() && called->getNumArgs() == 2) {
      // Objects: `v10 = Tile<...>(r, c)`.
      if (std::optional<TileId> tile = tileOf(called->getArg(0))) {
        assignTileFrom(*tile, called->getArg(1));
        return constant(0);
      }
      if (std::optional<TensorId> tensor = bindingOf(called->getArg(0)) ? tensorOf(called->getArg(0)) : std::nullopt) {
        assignTensorFrom(*tensor, called->getArg(1));
        return constant(0);
      }
      if (Binding *binding = bindingOf(called->getArg(0)))
        if (auto *dimensions = std::get_if<Dimensions>(binding)) {
          Dimensions updated = *dimensions;
          assignDimensionsFrom(updated, called->getArg(1));
          *bindingOf(called->getArg(0)) = updated;
          return constant(0);
        }
      if (std::optional<FifoId> fifo = fifoOf(called->getArg(0))) {
        assignFifoFrom(*fifo, called->getArg(1));
        return constant(0);
      }
    }
    ArrayBinding array;
    const clang::Expr *index = nullptr;
    if (arrayPlace(called, array, index))
      return kernel.expressions.arrayElement(array.first, array.count, scalar(index), type);
    return opaqueExpression(called);
  }
  if (auto *member = dyn_cast<clang::CXXMemberCallExpr>(expression))
    return memberCall(member);
  if (auto *called = dyn_cast<clang::CallExpr>(expression))
    return call(called);
  if (isa<clang::ArraySubscriptExpr>(expression)) {
    ArrayBinding array;
    const clang::Expr *index = nullptr;
    if (arrayPlace(expression, array, index))
      return kernel.expressions.arrayElement(array.first, array.count, scalar(index), type);
    if (isMemoryPlace(expression))
      return memoryLoad(expression);
  }
  return opaqueExpression(expression);
}

/// `c ? a : b`, `c && a` (no `whenFalse`) and `c || b` (no `whenTrue`) where an arm does more than
/// have a value: only the chosen arm runs.
ExpressionId Lowering::conditional(const clang::Expr *whole, const clang::Expr *decision, const clang::Expr *whenTrue,
                                   const clang::Expr *whenFalse) {
  IntegerType type = integerType(whole->getType(), shared.ast);
  VariableId result = type.bits ? newVariable("chosen", type) : kNone;
  ExpressionId decided = condition(decision);
  BlockId trueArm = newBlock(), falseArm = newBlock(), join = newBlock();
  branch(decided, trueArm, falseArm, whole);
  auto arm = [&](BlockId block, const clang::Expr *value, bool otherwise) {
    current = block;
    ExpressionId found = value ? (type == kBoolean ? condition(value) : scalar(value)) : constant(otherwise, kBoolean);
    if (result != kNone)
      assign(result, found, whole);
    jump(join);
  };
  arm(trueArm, whenTrue, true);
  arm(falseArm, whenFalse, false);
  current = join;
  return result != kNone ? read(result) : kernel.expressions.opaque(type);
}

ExpressionId Lowering::readReference(const clang::DeclRefExpr *expression) {
  IntegerType type = integerType(expression->getType(), shared.ast);
  if (auto *enumerator = dyn_cast<clang::EnumConstantDecl>(expression->getDecl()))
    return constant(enumerator->getInitVal().getExtValue(), type);
  if (Binding *binding = bindingOf(expression->getDecl())) {
    if (auto *variable = std::get_if<ScalarBinding>(binding))
      return read(variable->variable);
    return kernel.expressions.opaque(type);
  }
  return opaqueExpression(expression); // a constant of the file, or nothing we follow
}

ExpressionId Lowering::castExpression(const clang::CastExpr *expression) {
  IntegerType type = integerType(expression->getType(), shared.ast);
  const clang::Expr *inner = expression->getSubExpr();
  switch (expression->getCastKind()) {
  case clang::CK_LValueToRValue:
  case clang::CK_NoOp:
  case clang::CK_BitCast:
    return scalar(inner);
  case clang::CK_NullToPointer:
    return constant(0, kAddress);
  case clang::CK_IntegralCast:
  case clang::CK_PointerToIntegral:
  case clang::CK_IntegralToPointer: {
    ExpressionId value = scalar(inner);
    return kernel.expressions[value].type == type ? value : kernel.expressions.cast(value, type);
  }
  case clang::CK_IntegralToBoolean:
  case clang::CK_PointerToBoolean:
    return condition(inner);
  case clang::CK_ToVoid:
    scalar(inner);
    return constant(0);
  case clang::CK_ArrayToPointerDecay:
    if (Binding *binding = bindingOf(inner); binding && std::holds_alternative<ArrayBinding>(*binding))
      giveUp(expression, "the address of an array is taken");
    return opaqueExpression(expression);
  case clang::CK_UserDefinedConversion:
    scalar(inner);
    return kernel.expressions.opaque(type);
  default:
    if (mayHaveEffect(inner))
      scalar(inner);
    else if (type.bits)
      return opaqueExpression(expression);
    return kernel.expressions.opaque(type);
  }
}

ExpressionId Lowering::unaryOperator(const clang::UnaryOperator *expression) {
  IntegerType type = integerType(expression->getType(), shared.ast);
  switch (expression->getOpcode()) {
  case clang::UO_Plus:
    return scalar(expression->getSubExpr());
  case clang::UO_Minus:
    return type.bits ? kernel.expressions.unary(Operator::Negate, scalar(expression->getSubExpr()), type)
                     : opaqueExpression(expression);
  case clang::UO_Not:
    return kernel.expressions.unary(Operator::BitNot, scalar(expression->getSubExpr()), type);
  case clang::UO_LNot:
    return kernel.expressions.unary(Operator::LogicalNot, condition(expression->getSubExpr()), kBoolean);
  case clang::UO_PreInc:
  case clang::UO_PreDec:
  case clang::UO_PostInc:
  case clang::UO_PostDec:
    return increment(expression);
  case clang::UO_Deref:
    return memoryLoad(expression);
  case clang::UO_AddrOf:
    if (Binding *binding = bindingOf(expression->getSubExpr());
        binding && (std::holds_alternative<ScalarBinding>(*binding) || std::holds_alternative<ArrayBinding>(*binding)))
      giveUp(expression, "the address of a variable is taken");
    return opaqueExpression(expression);
  default:
    return opaqueExpression(expression);
  }
}

ExpressionId Lowering::increment(const clang::UnaryOperator *expression) {
  const clang::Expr *place = expression->getSubExpr();
  IntegerType type = integerType(place->getType(), shared.ast);
  ExpressionId before = scalar(place);
  std::int64_t step = 1;
  if (place->getType()->isPointerType())
    step = shared.ast.getTypeSizeInChars(place->getType()->getPointeeType()).getQuantity();
  Operator op = expression->isIncrementOp() ? Operator::Add : Operator::Subtract;
  ExpressionId after = kernel.expressions.binary(op, before, constant(step, type), type);
  if (expression->isPrefix())
    return stored(place, after, expression);
  VariableId old = newVariable("old", type);
  assign(old, before, expression);
  store(place, after, expression);
  return read(old);
}

ExpressionId Lowering::binaryOperator(const clang::BinaryOperator *expression) {
  if (expression->getOpcode() == clang::BO_Comma) {
    scalar(expression->getLHS());
    return scalar(expression->getRHS());
  }
  if (expression->isAssignmentOp())
    return assignment(expression);
  bool logical = expression->isLogicalOp();
  if (logical && mayHaveEffect(expression->getRHS())) {
    bool conjunction = expression->getOpcode() == clang::BO_LAnd;
    return conditional(expression, expression->getLHS(), conjunction ? expression->getRHS() : nullptr,
                       conjunction ? nullptr : expression->getRHS());
  }
  ExpressionId left = logical ? condition(expression->getLHS()) : scalar(expression->getLHS());
  ExpressionId right = logical ? condition(expression->getRHS()) : scalar(expression->getRHS());
  return arithmetic(expression, left, right);
}

ExpressionId Lowering::arithmetic(const clang::BinaryOperator *expression, ExpressionId left, ExpressionId right) {
  std::optional<Operator> op = binaryOperatorOf(expression->getOpcode());
  if (expression->getLHS()->getType()->isPointerType() || expression->getRHS()->getType()->isPointerType())
    if (op == Operator::Add || op == Operator::Subtract)
      return pointerArithmetic(expression, left, right);
  IntegerType type = integerType(expression->getType(), shared.ast);
  bool compares = expression->isComparisonOp() || expression->isLogicalOp();
  IntegerType leftType = kernel.expressions[left].type, rightType = kernel.expressions[right].type;
  if (!op || leftType.bits == 0 || rightType.bits == 0)
    return kernel.expressions.opaque(compares ? kBoolean : type);
  if (auto *compound = dyn_cast<clang::CompoundAssignOperator>(expression)) {
    IntegerType computation = integerType(compound->getComputationResultType(), shared.ast);
    if (computation.bits == 0)
      return kernel.expressions.opaque(type);
    if (leftType != computation)
      left = kernel.expressions.cast(left, computation);
    ExpressionId result = kernel.expressions.binary(*op, left, right, computation);
    return computation == type ? result : kernel.expressions.cast(result, type);
  }
  return kernel.expressions.binary(*op, left, right, compares ? kBoolean : type);
}

/// Pointers count bytes: the integer side is scaled by the pointee's size.
ExpressionId Lowering::pointerArithmetic(const clang::BinaryOperator *expression, ExpressionId left,
                                         ExpressionId right) {
  bool pointerLeft = expression->getLHS()->getType()->isPointerType();
  bool pointerRight = expression->getRHS()->getType()->isPointerType();
  clang::QualType pointee =
      (pointerLeft ? expression->getLHS() : expression->getRHS())->getType()->getPointeeType();
  IntegerType type = integerType(expression->getType(), shared.ast);
  if (pointerLeft && pointerRight)
    return kernel.expressions.opaque(type);
  std::int64_t size = pointee->isVoidType() || pointee->isIncompleteType()
                          ? 1
                          : shared.ast.getTypeSizeInChars(pointee).getQuantity();
  ExpressionId pointer = pointerLeft ? left : right, offset = pointerLeft ? right : left;
  if (kernel.expressions[offset].type.bits == 0)
    return kernel.expressions.opaque(type);
  if (kernel.expressions[offset].type != kInt64)
    offset = kernel.expressions.cast(offset, kInt64);
  if (size != 1)
    offset = kernel.expressions.binary(Operator::Multiply, offset, constant(size), kInt64);
  bool subtract = expression->getOpcode() == clang::BO_Sub || expression->getOpcode() == clang::BO_SubAssign;
  return kernel.expressions.binary(subtract ? Operator::Subtract : Operator::Add, pointer,
                                   kernel.expressions.cast(offset, kAddress), kAddress);
}

ExpressionId Lowering::assignment(const clang::BinaryOperator *expression) {
  const clang::Expr *place = expression->getLHS();
  ExpressionId value;
  if (expression->isCompoundAssignmentOp())
    value = arithmetic(expression, scalar(place), scalar(expression->getRHS()));
  else
    value = scalar(expression->getRHS());
  return stored(place, value, expression);
}

/// Stores, and the value of the assignment: what the place holds now, not `value` evaluated again.
ExpressionId Lowering::stored(const clang::Expr *place, ExpressionId value, const clang::Expr *whole) {
  Binding *binding = bindingOf(place);
  auto *variable = binding ? std::get_if<ScalarBinding>(binding) : nullptr;
  if (variable) {
    VariableId target = variable->variable;
    store(place, value, whole);
    return read(target);
  }
  if (fullStatement && unwrapObject(clang::cast<clang::Expr>(fullStatement)) == unwrapObject(whole)) {
    store(place, value, whole);
    return value; // nobody looks at it
  }
  VariableId kept = newVariable("assigned", kernel.expressions[value].type);
  assign(kept, value, whole);
  store(place, read(kept), whole);
  return read(kept);
}

void Lowering::store(const clang::Expr *place, ExpressionId value, const clang::Expr *whole) {
  place = place->IgnoreParens();
  ArrayBinding array;
  const clang::Expr *index = nullptr;
  if (arrayPlace(place, array, index)) {
    ExpressionId at = scalar(index);
    return emit(ArrayStore{array.first, array.count, at, value}, whole);
  }
  if (isMemoryPlace(place)) {
    Instruction instruction;
    instruction.name = "scalar.store";
    Operand operand;
    operand.kind = Operand::Kind::Pointer;
    operand.value = memoryAddress(place, operand.bytes);
    operand.spelling = spelling(place);
    instruction.operands.push_back(std::move(operand));
    return emit(std::move(instruction), whole);
  }
  if (Binding *binding = bindingOf(place)) {
    if (auto *variable = std::get_if<ScalarBinding>(binding))
      assign(variable->variable, value, whole);
    return; // an object that is not followed has no value to lose
  }
  opaqueFence("assignment", whole);
}

/// A place in a local array: `a[i]`, on a C array or an event id array.
bool Lowering::arrayPlace(const clang::Expr *expression, ArrayBinding &array, const clang::Expr *&index) {
  expression = expression->IgnoreParens();
  const clang::Expr *base = nullptr;
  if (auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
    base = subscript->getBase()->IgnoreParenImpCasts();
    index = subscript->getIdx();
    if (auto *member = dyn_cast<clang::MemberExpr>(base)) // v3.data[i]
      base = member->getBase();
  } else if (auto *called = dyn_cast<clang::CXXOperatorCallExpr>(expression);
             called && called->getOperator() == clang::OO_Subscript && called->getNumArgs() == 2) {
    base = called->getArg(0);
    index = called->getArg(1);
  } else {
    return false;
  }
  Binding *binding = bindingOf(base);
  auto *found = binding ? std::get_if<ArrayBinding>(binding) : nullptr;
  if (!found)
    return false;
  array = *found;
  return true;
}

/// `*p` and `p[i]` on a pointer: memory that the scalar unit reads or writes.
bool Lowering::isMemoryPlace(const clang::Expr *expression) {
  expression = expression->IgnoreParens();
  if (auto *deref = dyn_cast<clang::UnaryOperator>(expression))
    return deref->getOpcode() == clang::UO_Deref;
  if (auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression))
    return subscript->getBase()->IgnoreParenImpCasts()->getType()->isPointerType();
  return false;
}

ExpressionId Lowering::memoryAddress(const clang::Expr *place, std::uint32_t &bytes) {
  place = place->IgnoreParens();
  clang::QualType element = place->getType();
  bytes = element->isIncompleteType()
              ? 0
              : static_cast<std::uint32_t>(shared.ast.getTypeSizeInChars(element).getQuantity());
  if (auto *deref = dyn_cast<clang::UnaryOperator>(place))
    return scalar(deref->getSubExpr());
  auto *subscript = clang::cast<clang::ArraySubscriptExpr>(place);
  ExpressionId pointer = scalar(subscript->getBase());
  ExpressionId offset = scalar(subscript->getIdx());
  if (kernel.expressions[offset].type.bits == 0)
    return kernel.expressions.opaque(kAddress);
  if (kernel.expressions[offset].type != kInt64)
    offset = kernel.expressions.cast(offset, kInt64);
  offset = kernel.expressions.binary(Operator::Multiply, offset, constant(bytes), kInt64);
  return kernel.expressions.binary(Operator::Add, pointer, kernel.expressions.cast(offset, kAddress), kAddress);
}

ExpressionId Lowering::memoryLoad(const clang::Expr *place) {
  Instruction instruction;
  instruction.name = "scalar.load";
  Operand operand;
  operand.kind = Operand::Kind::Pointer;
  operand.value = memoryAddress(place, operand.bytes);
  operand.spelling = spelling(place);
  instruction.operands.push_back(std::move(operand));
  IntegerType type = integerType(place->getType(), shared.ast);
  VariableId result = newVariable("loaded", type);
  instruction.results.push_back(result);
  emit(std::move(instruction), place);
  return type.bits ? read(result) : kernel.expressions.opaque(type);
}

} // namespace ptosync
