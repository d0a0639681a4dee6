// Increments, assignments, and the value that is stored by one.
#include "frontend/lower/lowering.h"

#include "frontend/lower/lowering_classes.h"

namespace ptosync {

using clang::dyn_cast;

ExpressionId Lowering::increment(const clang::UnaryOperator *expression, Place *where) {
  const clang::Expr *operand = expression->getSubExpr();
  IntegerType type = typeOf(operand);
  Place target = place(operand);
  if (where)
    target = kept(target, expression);
  ExpressionId before = readPlace(target, operand);
  ExpressionId after = kernel.expressions.opaque(type);
  if (type.bits && kernel.expressions[before].type.bits) {
    std::int64_t step = 1;
    if (operand->getType()->isPointerType()) {
      clang::QualType pointee = operand->getType()->getPointeeType();
      step = pointee->isVoidType() || pointee->isIncompleteType() || pointee->isFunctionType()
                 ? 1
                 : shared.ast.getTypeSizeInChars(pointee).getQuantity();
    }
    Operator op = expression->isIncrementOp() ? Operator::Add : Operator::Subtract;
    // Integers narrower than int are counted as int and stored as what they are.
    after = kernel.expressions.binary(op, before, constant(step, type), type,
                                      operand->getType()->isPointerType() ? Expression::Sense::Index
                                                                          : Expression::Sense::Plain);
  }
  if (where)
    *where = target;
  if (expression->isPrefix())
    return stored(target, after, operand, expression);
  if (!type.bits) {
    writePlace(target, after, operand, expression);
    return kernel.expressions.opaque(type);
  }
  VariableId old = newVariable("old", type);
  assign(old, before, expression);
  writePlace(target, after, operand, expression);
  return read(old);
}

/// C++17: the right side first, then the place, which is found once. `where` receives it.
ExpressionId Lowering::assignment(const clang::BinaryOperator *expression, Place *where) {
  const clang::Expr *written = expression->getLHS();
  ExpressionId value = scalar(expression->getRHS());
  Mark between = mark();
  Place target = place(written);
  if (where)
    target = kept(target, expression);
  value = settled(between, value, expression);
  if (expression->isCompoundAssignmentOp())
    value = arithmetic(expression, readPlace(target, written), value);
  if (where)
    *where = target;
  return stored(target, value, written, expression);
}

/// Stores, and the value of the assignment: what the place holds now, not `value` evaluated again.
ExpressionId Lowering::stored(const Place &target, ExpressionId value, const clang::Expr *written,
                              const clang::Expr *whole) {
  if (soleKind<Object::Scalar>(target)) {
    writePlace(target, value, written, whole);
    return readPlace(target, written);
  }
  bool unused = fullStatement && unwrapObject(clang::cast<clang::Expr>(fullStatement)) == unwrapObject(whole);
  if (unused || kernel.expressions[value].type.bits == 0) {
    writePlace(target, value, written, whole);
    return value;
  }
  ExpressionId result = keptValue(value, "assigned", whole);
  writePlace(target, result, written, whole);
  return result;
}

} // namespace ptosync
