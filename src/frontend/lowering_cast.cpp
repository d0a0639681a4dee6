// Conversions between integers, pointers and truth values.
#include "frontend/lowering.h"

#include "frontend/lowering_classes.h"

namespace ptosync {

using clang::dyn_cast;

namespace {

/// True if a pointer was made an integer somewhere in the expression.
bool comesFromPointer(const clang::Stmt *expression) {
  std::vector<const clang::Stmt *> work = {expression};
  while (!work.empty()) {
    const clang::Stmt *next = work.back();
    work.pop_back();
    if (!next)
      continue;
    if (auto *cast = dyn_cast<clang::CastExpr>(next); cast && cast->getCastKind() == clang::CK_PointerToIntegral)
      return true;
    work.insert(work.end(), next->child_begin(), next->child_end());
  }
  return false;
}

} // namespace

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
  case clang::CK_IntegralToPointer: return integerToPointer(scalar(inner), inner);
  case clang::CK_IntegralToBoolean:
  case clang::CK_PointerToBoolean: return condition(inner);
  case clang::CK_ToVoid: discard(inner); return constant(0);
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

/// An integer that becomes an address keeps its value if it was an address before, or is a constant: an integer
/// argument may be any address at all, also one inside what another argument points to.
ExpressionId Lowering::integerToPointer(ExpressionId value, const clang::Expr *from) {
  IntegerType type = kernel.expressions[value].type;
  bool fixed = kernel.expressions[value].kind == Expression::Kind::Constant ||
               (kernel.expressions[value].kind == Expression::Kind::Cast &&
                kernel.expressions[kernel.expressions[value].operands[0]].kind == Expression::Kind::Constant);
  const clang::Expr *inner = from->IgnoreParenImpCasts();
  if (auto *reference = dyn_cast<clang::DeclRefExpr>(inner))
    if (auto *variable = dyn_cast<clang::VarDecl>(reference->getDecl());
        variable && variable->getInit() && shared.bodies.keepsItsValue(variable))
      inner = variable->getInit();
  if (type.bits == 0 || (!fixed && !comesFromPointer(inner)))
    return kernel.expressions.opaque(kAddress);
  return type == kAddress ? value : kernel.expressions.cast(value, kAddress);
}

} // namespace ptosync
