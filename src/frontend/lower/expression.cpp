// Lowers integer and pointer expressions, the scalar unit's memory accesses, assignments and conversions.
#include "frontend/lower/lowering.h"

#include <clang/Basic/Builtins.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

std::optional<Operator> binaryOperatorOf(clang::BinaryOperatorKind kind) {
  switch (kind) {
  case clang::BO_Add:
  case clang::BO_AddAssign: return Operator::Add;
  case clang::BO_Sub:
  case clang::BO_SubAssign: return Operator::Subtract;
  case clang::BO_Mul:
  case clang::BO_MulAssign: return Operator::Multiply;
  case clang::BO_Div:
  case clang::BO_DivAssign: return Operator::Divide;
  case clang::BO_Rem:
  case clang::BO_RemAssign: return Operator::Remainder;
  case clang::BO_Shl:
  case clang::BO_ShlAssign: return Operator::ShiftLeft;
  case clang::BO_Shr:
  case clang::BO_ShrAssign: return Operator::ShiftRight;
  case clang::BO_And:
  case clang::BO_AndAssign:
  case clang::BO_LAnd: return Operator::BitAnd;
  case clang::BO_Or:
  case clang::BO_OrAssign:
  case clang::BO_LOr: return Operator::BitOr;
  case clang::BO_Xor:
  case clang::BO_XorAssign: return Operator::BitXor;
  case clang::BO_EQ: return Operator::Equal;
  case clang::BO_NE: return Operator::NotEqual;
  case clang::BO_LT: return Operator::Less;
  case clang::BO_LE: return Operator::LessEqual;
  case clang::BO_GT: return Operator::Greater;
  case clang::BO_GE: return Operator::GreaterEqual;
  default: return std::nullopt;
  }
}

bool writesAny(const Statement &statement, const std::set<VariableId> &variables) {
  if (auto *assigned = std::get_if<Assign>(&statement.action))
    return variables.count(assigned->variable) != 0;
  if (auto *stored = std::get_if<ArrayStore>(&statement.action)) {
    auto first = variables.lower_bound(stored->first);
    return first != variables.end() && *first < stored->first + stored->count;
  }
  // An instruction may also write whatever is exposed by the end of the kernel.
  return std::holds_alternative<Instruction>(statement.action) &&
         std::get<Instruction>(statement.action).name != "scalar.load";
}

/// True if the value depends on where the expression stands: on the line of a call whose default argument it is, or on
/// whether the compiler evaluates what is around it. `seen` are the bodies and initialisers that were searched.
bool dependsOnContext(const clang::Stmt *part, std::set<const clang::Stmt *> &seen) {
  if (!part)
    return false;
  if (isa<clang::SourceLocExpr>(part))
    return true;
  const clang::Stmt *behind = nullptr; // what a name stands for
  if (auto *called = dyn_cast<clang::CallExpr>(part); called && called->getDirectCallee()) {
    if (called->getDirectCallee()->getBuiltinID() == clang::Builtin::BI__builtin_is_constant_evaluated)
      return true;
    behind = called->getDirectCallee()->getBody();
  } else if (auto *named = dyn_cast<clang::DeclRefExpr>(part)) {
    auto *variable = dyn_cast<clang::VarDecl>(named->getDecl());
    behind = variable ? variable->getAnyInitializer() : nullptr;
  }
  if (behind && seen.insert(behind).second && dependsOnContext(behind, seen))
    return true;
  return llvm::any_of(part->children(), [&](const clang::Stmt *child) { return dependsOnContext(child, seen); });
}

} // namespace

bool isRootedOutside(const clang::Expr *expression) {
  while (true) {
    expression = expression->IgnoreParenImpCasts();
    if (auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      expression = subscript->getBase();
      continue;
    }
    if (auto *member = dyn_cast<clang::MemberExpr>(expression)) {
      if (isa<clang::VarDecl>(member->getMemberDecl()))
        return true;
      if (member->isArrow())
        return false;
      expression = member->getBase();
      continue;
    }
    auto *reference = dyn_cast<clang::DeclRefExpr>(expression);
    auto *variable = reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    return variable && (variable->hasGlobalStorage() || variable->isStaticLocal());
  }
}

/// True if one side is a null pointer as the text has it, and the other a pointer.
static bool testsForNull(const clang::BinaryOperator *comparison) {
  auto null = [](const clang::Expr *side) {
    side = side->IgnoreParens();
    auto *cast = dyn_cast<clang::CastExpr>(side);
    return side->getType()->isNullPtrType() || (cast && cast->getCastKind() == clang::CK_NullToPointer);
  };
  const clang::Expr *left = comparison->getLHS(), *right = comparison->getRHS();
  return (null(left) && right->getType()->isPointerType()) || (null(right) && left->getType()->isPointerType());
}

/// A value that was computed at `before`, for use now: what was emitted since may have changed its variables.
ExpressionId Lowering::settled(Mark before, ExpressionId value, const clang::Stmt *at) {
  std::vector<Statement> &then = kernel.blocks[before.block].statements;
  IntegerType type = kernel.expressions[value].type;
  if ((before.block == current && before.index == then.size()) || type.bits == 0 || !kernel.analysable)
    return value;
  std::set<VariableId> variables;
  forEachVariable(kernel.expressions, value, [&](VariableId variable) { variables.insert(variable); });
  bool changed = before.block != current && !variables.empty();
  for (std::size_t i = before.index; !changed && i < then.size(); ++i)
    changed = writesAny(then[i], variables);
  if (!changed)
    return value;
  VariableId variable = newVariable("before", type);
  then.insert(then.begin() + static_cast<std::ptrdiff_t>(before.index), statementAt(Assign{variable, value}, at));
  return read(variable);
}

/// The values of several expressions, evaluated in order, for use after the last.
std::vector<ExpressionId> Lowering::scalars(llvm::ArrayRef<const clang::Expr *> list, const clang::Stmt *at) {
  std::vector<ExpressionId> values;
  std::vector<Mark> marks;
  for (const clang::Expr *expression : list) {
    values.push_back(scalar(expression));
    marks.push_back(mark());
  }
  for (std::size_t i = values.size(); i-- > 0;)
    values[i] = settled(marks[i], values[i], at);
  return values;
}

ExpressionId Lowering::condition(const clang::Expr *expression) {
  ExpressionId value = scalar(expression);
  IntegerType type = kernel.expressions[value].type;
  if (type == kBoolean)
    return value;
  if (type.bits == 0)
    return kernel.expressions.opaque(kBoolean);
  bool pointer = expression->getType()->isPointerType();
  return kernel.expressions.binary(Operator::NotEqual, value, constant(0, type), kBoolean,
                                   pointer ? Expression::Sense::NullTest : Expression::Sense::Plain);
}

std::optional<ExpressionId> Lowering::compileTimeValue(const clang::Expr *expression) {
  IntegerType type = typeOf(expression);
  clang::Expr::EvalResult value;
  std::set<const clang::Stmt *> seen;
  if (type.bits && !expression->isValueDependent() && !expression->containsErrors() &&
      !dependsOnContext(expression, seen) && expression->EvaluateAsInt(value, shared.ast))
    return constant(integerBits(value.Val.getInt()), type);
  return std::nullopt;
}

/// An expression whose value is not followed from here; kNone if it has none.
ExpressionId Lowering::discard(const clang::Expr *expression) {
  const clang::Expr *inner = expression->IgnoreParens();
  if (auto *full = dyn_cast<clang::FullExpr>(inner))
    return discard(full->getSubExpr());
  if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(inner))
    return discard(temporary->getSubExpr());
  if (auto *binary = dyn_cast<clang::BinaryOperator>(inner); binary && binary->getOpcode() == clang::BO_Comma) {
    drop(binary->getLHS());
    return discard(binary->getRHS());
  }
  if (isa<clang::CallExpr>(inner) || !inner->getType()->isRecordType() || inner->isGLValue())
    return scalar(inner);
  if (kernel.analysable)
    materialise(inner);
  return kNone;
}

/// An expression whose value nobody uses.
void Lowering::drop(const clang::Expr *expression) {
  const ExpressionId value = discard(expression);
  if (value != kNone)
    dropped.insert(value);
}

ExpressionId Lowering::scalar(const clang::Expr *expression) {
  if (!kernel.analysable)
    return constant(0);
  Depth inside(*this, expression);
  if (!kernel.analysable)
    return constant(0);
  switch (readingOf(expression->getStmtClassName())) {
  case Reading::Lowered: return knownScalar(expression);
  case Reading::Clobbered:
    if (std::optional<ExpressionId> value = compileTimeValue(expression))
      return *value;
    clobber(expression);
    return kernel.expressions.opaque(typeOf(expression));
  default: giveUp(expression, std::string(expression->getStmtClassName()) + " is not understood"); return constant(0);
  }
}

ExpressionId Lowering::knownScalar(const clang::Expr *expression) {
  IntegerType type = typeOf(expression);
  if (auto *parens = dyn_cast<clang::ParenExpr>(expression))
    return scalar(parens->getSubExpr());
  if (auto *choice = dyn_cast<clang::GenericSelectionExpr>(expression))
    return scalar(choice->getResultExpr());
  if (auto *choice = dyn_cast<clang::ChooseExpr>(expression))
    return scalar(choice->getChosenSubExpr());
  if (auto *literal = dyn_cast<clang::IntegerLiteral>(expression))
    return type.bits ? constant(literal->getValue().getSExtValue(), type) : kernel.expressions.opaque(type);
  if (auto *boolean = dyn_cast<clang::CXXBoolLiteralExpr>(expression))
    return constant(boolean->getValue(), kBoolean);
  if (isa<clang::CXXNullPtrLiteralExpr>(expression) || isa<clang::GNUNullExpr>(expression))
    return constant(0, type);
  if (isa<clang::FloatingLiteral>(expression) || isa<clang::StringLiteral>(expression))
    return kernel.expressions.opaque(type);
  if (auto *full = dyn_cast<clang::FullExpr>(expression))
    return scalar(full->getSubExpr());
  if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(expression))
    return scalar(temporary->getSubExpr());
  if (auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(expression))
    return scalar(bound->getSubExpr());
  if (auto *pack = dyn_cast<clang::PackIndexingExpr>(expression))
    return scalar(pack->getSelectedExpr());
  if (auto *substituted = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return scalar(substituted->getReplacement());
  if (auto *defaulted = dyn_cast<clang::CXXDefaultArgExpr>(expression))
    return scalar(defaulted->getExpr());
  if (auto *defaulted = dyn_cast<clang::CXXDefaultInitExpr>(expression))
    return scalar(defaulted->getExpr());
  // The compiler's names for what the functions of that name return.
  if (auto *named = dyn_cast<clang::DeclRefExpr>(expression))
    if (auto *variable = dyn_cast<clang::VarDecl>(named->getDecl());
        variable && variable->isFileVarDecl() && !variable->getAnyInitializer() &&
        variable->getDeclName().isIdentifier() && isLibrary(variable) &&
        (variable->getName() == "block_idx" || variable->getName() == "block_num"))
      return kernel.expressions.query("get_" + variable->getName().str(), typeOf(expression));
  if (auto *reference = dyn_cast<clang::DeclRefExpr>(expression))
    if (auto *enumerator = dyn_cast<clang::EnumConstantDecl>(reference->getDecl()))
      return type.bits ? constant(integerBits(enumerator->getInitVal()), type) : kernel.expressions.opaque(type);
  if (auto *cast = dyn_cast<clang::CastExpr>(expression))
    return castExpression(cast);
  if (auto *unary = dyn_cast<clang::UnaryOperator>(expression))
    return unaryOperator(unary);
  if (auto *binary = dyn_cast<clang::BinaryOperator>(expression))
    return binaryOperator(binary);
  if (auto *choice = dyn_cast<clang::ConditionalOperator>(expression))
    return conditional(choice, choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
  if (auto *called = dyn_cast<clang::CallExpr>(expression)) {
    ExpressionId value = call(called);
    std::optional<Place> result = std::exchange(returned, std::nullopt);
    return result && called->isGLValue() && !called->getType()->isRecordType() ? readPlace(*result, called) : value;
  }
  if (auto *list = dyn_cast<clang::InitListExpr>(expression);
      list && !type.bits && !list->getType()->isRecordType() && !list->getType()->isArrayType()) {
    for (const clang::Expr *part : list->inits())
      discard(part);
    return kernel.expressions.opaque(type);
  } else if (list && type.bits) {
    return list->getNumInits() == 1 ? scalar(list->getInit(0)) : constant(0, type);
  }
  if (isa<clang::ImplicitValueInitExpr>(expression) || isa<clang::CXXScalarValueInitExpr>(expression))
    return type.bits ? constant(0, type) : kernel.expressions.opaque(type);
  if (auto *block = dyn_cast<clang::StmtExpr>(expression))
    return statementExpression(block);
  if (isa<clang::UnaryExprOrTypeTraitExpr, clang::CharacterLiteral, clang::OffsetOfExpr, clang::SizeOfPackExpr,
          clang::TypeTraitExpr, clang::CXXNoexceptExpr>(expression)) {
    if (std::optional<ExpressionId> value = compileTimeValue(expression))
      return *value;
    clobber(expression);
    return kernel.expressions.opaque(type);
  }
  if (expression->getType()->isFunctionType() || isa<clang::CXXThisExpr>(expression)) {
    exposeNamed(expression);
    return kernel.expressions.opaque(type);
  }
  if (expression->isGLValue()) {
    if (isRootedOutside(expression))
      if (std::optional<ExpressionId> value = compileTimeValue(expression))
        return *value;
    return readPlace(place(expression), expression);
  }
  if (auto *member = dyn_cast<clang::MemberExpr>(expression)) // of a temporary
    return readPlace(memberPlace(member), member);
  if (isa<clang::DeclRefExpr>(expression)) // a value that is a template argument of class type
    return kernel.expressions.opaque(type);
  if (expression->getType()->isRecordType() || expression->getType()->isArrayType()) {
    materialise(expression);
    return kernel.expressions.opaque(type);
  }
  clobber(expression);
  exposeNamed(expression);
  return kernel.expressions.opaque(type);
}

/// `({ ...; value; })`: the statements here, the last one's value.
ExpressionId Lowering::statementExpression(const clang::StmtExpr *expression) {
  const clang::CompoundStmt *body = expression->getSubStmt();
  const clang::Stmt *around = std::exchange(fullStatement, nullptr);
  bool sole = std::exchange(soleBody, false);
  Anchor outer = std::exchange(anchor, Anchor{}); // nothing is moved into an expression, or out of it
  ExpressionId value = kernel.expressions.opaque(typeOf(expression));
  for (const clang::Stmt *child : body->body()) {
    auto *last = child == body->body_back() ? dyn_cast<clang::Expr>(child) : nullptr;
    if (last && !expression->getType()->isVoidType())
      value = scalar(last);
    else
      lower(child);
    anchor = Anchor{};
  }
  anchor = outer;
  soleBody = sole;
  fullStatement = around;
  return value;
}

/// `c ? a : b`, `c && a` (no `whenFalse`) and `c || b` (no `whenTrue`): an arm that does more than have a value runs
/// only if it is chosen.
ExpressionId Lowering::conditional(const clang::Expr *whole, const clang::Expr *decision, const clang::Expr *whenTrue,
                                   const clang::Expr *whenFalse) {
  IntegerType type = typeOf(whole);
  ExpressionId decided = condition(decision);
  BlockId before = current, trueArm = newBlock(), falseArm = newBlock();
  auto arm = [&](BlockId block, const clang::Expr *value, bool otherwise) {
    current = block;
    return value ? (type == kBoolean ? condition(value) : scalar(value)) : constant(otherwise, kBoolean);
  };
  ExpressionId first = arm(trueArm, whenTrue, true);
  BlockId trueEnd = current;
  ExpressionId second = arm(falseArm, whenFalse, false);
  BlockId falseEnd = current;
  bool plain = kernel.blocks.size() == falseArm + 1 && kernel.blocks[trueArm].statements.empty() &&
               kernel.blocks[falseArm].statements.empty();
  if (plain) {
    kernel.blocks.resize(trueArm);
    current = before;
    if (!whenFalse)
      return kernel.expressions.binary(Operator::BitAnd, decided, first, kBoolean);
    if (!whenTrue)
      return kernel.expressions.binary(Operator::BitOr, decided, second, kBoolean);
    return kernel.expressions.select(decided, first, second);
  }
  VariableId result = type.bits ? newVariable("chosen", type) : kNone;
  BlockId join = newBlock();
  current = before;
  branch(decided, trueArm, falseArm, whole);
  auto finish = [&](BlockId end, ExpressionId value) {
    current = end;
    if (result != kNone)
      assign(result, kernel.expressions[value].type.bits ? value : kernel.expressions.opaque(type), whole);
    jump(join);
  };
  finish(trueEnd, first);
  finish(falseEnd, second);
  current = join;
  return result != kNone ? read(result) : kernel.expressions.opaque(type);
}

ExpressionId Lowering::unaryOperator(const clang::UnaryOperator *expression) {
  IntegerType type = typeOf(expression);
  const clang::Expr *operand = expression->getSubExpr();
  auto computed = [&](Operator op) {
    ExpressionId value = scalar(operand);
    return type.bits && kernel.expressions[value].type.bits ? kernel.expressions.unary(op, value, type)
                                                            : kernel.expressions.opaque(type);
  };
  switch (expression->getOpcode()) {
  case clang::UO_Plus:
  case clang::UO_Extension: return scalar(operand);
  case clang::UO_Minus: return computed(Operator::Negate);
  case clang::UO_Not: return computed(Operator::BitNot);
  case clang::UO_LNot: return kernel.expressions.unary(Operator::LogicalNot, condition(operand), kBoolean);
  case clang::UO_PreInc:
  case clang::UO_PreDec:
  case clang::UO_PostInc:
  case clang::UO_PostDec: return increment(expression);
  case clang::UO_Deref: return readPlace(place(expression), expression);
  case clang::UO_AddrOf: {
    if (!operand->isGLValue() || operand->getType()->isFunctionType() || expression->getType()->isMemberPointerType()) {
      exposeNamed(operand);
      return kernel.expressions.opaque(type);
    }
    Place target = place(operand);
    if (target.choices.size() == 1 && target.choices[0].target.kind == Target::Kind::Memory)
      return target.choices[0].target.address;
    expose(target);
    return kernel.expressions.opaque(type);
  }
  default:
    clobber(expression);
    exposeNamed(expression);
    return kernel.expressions.opaque(type);
  }
}

ExpressionId Lowering::binaryOperator(const clang::BinaryOperator *expression) {
  if (expression->getOpcode() == clang::BO_Comma) {
    drop(expression->getLHS());
    return scalar(expression->getRHS());
  }
  if (expression->isAssignmentOp())
    return assignment(expression);
  if (expression->isLogicalOp()) {
    bool conjunction = expression->getOpcode() == clang::BO_LAnd;
    return conditional(expression, expression->getLHS(), conjunction ? expression->getRHS() : nullptr,
                       conjunction ? nullptr : expression->getRHS());
  }
  ExpressionId left = scalar(expression->getLHS());
  Mark between = mark();
  ExpressionId right = scalar(expression->getRHS());
  return arithmetic(expression, settled(between, left, expression), right);
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
  Expression::Sense sense =
      expression->isEqualityOp() && testsForNull(expression) ? Expression::Sense::NullTest : Expression::Sense::Plain;
  return kernel.expressions.binary(*op, left, right, compares ? kBoolean : type, sense);
}

/// Pointers count bytes: the integer side is scaled by the pointee's size.
ExpressionId Lowering::pointerArithmetic(const clang::BinaryOperator *expression, ExpressionId left,
                                         ExpressionId right) {
  bool pointerLeft = expression->getLHS()->getType()->isPointerType();
  bool pointerRight = expression->getRHS()->getType()->isPointerType();
  clang::QualType pointee = (pointerLeft ? expression->getLHS() : expression->getRHS())->getType()->getPointeeType();
  IntegerType type = integerType(expression->getType(), shared.ast);
  std::int64_t size =
      pointee->isVoidType() || pointee->isIncompleteType() ? 1 : shared.ast.getTypeSizeInChars(pointee).getQuantity();
  if (pointerLeft && pointerRight) {
    if (size < 1 || kernel.expressions[left].type.bits == 0 || kernel.expressions[right].type.bits == 0)
      return kernel.expressions.opaque(type);
    ExpressionId bytes =
        kernel.expressions.cast(kernel.expressions.binary(Operator::Subtract, left, right, kAddress), kInt64);
    return size == 1 ? bytes : kernel.expressions.binary(Operator::Divide, bytes, constant(size), kInt64);
  }
  ExpressionId pointer = pointerLeft ? left : right, offset = pointerLeft ? right : left;
  if (kernel.expressions[offset].type.bits == 0)
    return kernel.expressions.opaque(type);
  if (kernel.expressions[offset].type != kInt64)
    offset = kernel.expressions.cast(offset, kInt64);
  if (size != 1)
    offset = kernel.expressions.binary(Operator::Multiply, offset, constant(size), kInt64);
  bool subtract = expression->getOpcode() == clang::BO_Sub || expression->getOpcode() == clang::BO_SubAssign;
  return kernel.expressions.binary(subtract ? Operator::Subtract : Operator::Add, pointer,
                                   kernel.expressions.cast(offset, kAddress), kAddress, Expression::Sense::Index);
}

// Increments, assignments, and the value that one stores.

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
  if (written->refersToBitField()) { // which keeps some of the bits
    writePlace(target, value, written, whole);
    return kernel.expressions.opaque(typeOf(written));
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

// Conversions between integers, pointers and truth values.

ExpressionId Lowering::castExpression(const clang::CastExpr *expression) {
  IntegerType type = typeOf(expression);
  const clang::Expr *inner = expression->getSubExpr();
  switch (expression->getCastKind()) {
  case clang::CK_LValueToRValue:
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
