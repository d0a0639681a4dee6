// Conversions between integers, pointers and truth values.
#include "frontend/lower/lowering.h"

#include "frontend/lower/lowering_classes.h"

namespace ptosync {

using clang::dyn_cast;

ExpressionId Lowering::castExpression(const clang::CastExpr *expression) {
  IntegerType type = typeOf(expression);
  const clang::Expr *inner = expression->getSubExpr();
  switch (expression->getCastKind()) {
  case clang::CK_LValueToRValue: return scalar(inner);
  case clang::CK_NoOp:
  case clang::CK_BitCast:
  case clang::CK_AddressSpaceConversion: return scalar(inner);
  case clang::CK_NullToPointer: discard(inner); return constant(0, kAddress);
  case clang::CK_IntegralCast:
  case clang::CK_PointerToIntegral: {
    ExpressionId value = scalar(inner);
    IntegerType from = kernel.expressions[value].type;
    if (from.bits == 0 || type.bits == 0)
      return kernel.expressions.opaque(type);
    return from == type ? value : kernel.expressions.cast(value, type);
  }
  case clang::CK_IntegralToPointer: return integerToPointer(scalar(inner));
  case clang::CK_IntegralToBoolean:
  case clang::CK_PointerToBoolean: return condition(inner);
  case clang::CK_ToVoid: drop(inner); return constant(0);
  case clang::CK_FunctionToPointerDecay:
  case clang::CK_BuiltinFnToFnPtr: discard(inner); return kernel.expressions.opaque(type);
  case clang::CK_ArrayToPointerDecay: {
    if (isa<clang::StringLiteral>(inner->IgnoreParens()) || isa<clang::PredefinedExpr>(inner->IgnoreParens()))
      return kernel.expressions.opaque(type);
    Place array = operandPlace(inner);
    if (array.choices.size() == 1 && array.choices[0].target.kind == Target::Kind::Memory)
      return array.choices[0].target.address;
    expose(array);
    return kernel.expressions.opaque(kAddress);
  }
  case clang::CK_UserDefinedConversion: return scalar(inner);
  case clang::CK_IntegralToFloating:
  case clang::CK_FloatingToIntegral:
  case clang::CK_FloatingToBoolean:
  case clang::CK_FloatingCast:
  case clang::CK_BooleanToSignedIntegral:
    if (std::optional<ExpressionId> value = compileTimeValue(expression))
      return *value;
    discard(inner);
    return kernel.expressions.opaque(type);
  default:
    if (expression->isGLValue())
      return readPlace(place(expression), expression);
    if (std::optional<ExpressionId> value = compileTimeValue(expression))
      return *value;
    exposeNamed(inner);
    discard(inner);
    return kernel.expressions.opaque(type);
  }
}

/// An integer that becomes an address is the same number. Which memory it leads to follows from what it was made of: an
/// argument's address and an offset, or anything else, which may be any address at all.
ExpressionId Lowering::integerToPointer(ExpressionId value) {
  IntegerType type = kernel.expressions[value].type;
  if (type.bits == 0)
    return kernel.expressions.opaque(kAddress);
  madePointers.insert(value);
  return type == kAddress ? value : kernel.expressions.cast(value, kAddress);
}

} // namespace ptosync
