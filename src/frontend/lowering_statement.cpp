#include "frontend/lowering.h"

namespace ptosync {

using clang::dyn_cast;

void Lowering::run(const clang::FunctionDecl *function) {
  current = newBlock();
  frames.push_back(InlineFrame{function, kNone, kNone, {}});
  refuseConditionals(function);
  bindParameters(function);
  lower(function->getBody());
  frames.pop_back();
}

/// Text that is compiled under other macros is another program, which was not looked at.
void Lowering::refuseConditionals(const clang::FunctionDecl *function) {
  std::uint32_t first = lineOf(function->getBeginLoc()), last = lineOf(function->getEndLoc());
  auto inside = shared.conditionals.lower_bound(first);
  if (inside != shared.conditionals.end() && *inside <= last)
    giveUp(function->getBody(), "the preprocessor condition on line " + std::to_string(*inside) +
                                    " selects code that is not analysed");
}

BlockId Lowering::newBlock() {
  kernel.blocks.emplace_back();
  return static_cast<BlockId>(kernel.blocks.size() - 1);
}

void Lowering::jump(BlockId target) {
  Terminator &terminator = kernel.blocks[current].terminator;
  terminator.kind = Terminator::Kind::Jump;
  terminator.whenTrue = target;
}

void Lowering::branch(ExpressionId condition, BlockId whenTrue, BlockId whenFalse, const clang::Stmt *at) {
  Terminator &terminator = kernel.blocks[current].terminator;
  terminator.kind = Terminator::Kind::Branch;
  terminator.condition = condition;
  terminator.whenTrue = whenTrue;
  terminator.whenFalse = whenFalse;
  terminator.line = lineOf(at->getBeginLoc());
  terminator.context = currentContext;
  terminator.anchor = anchor;
}

void Lowering::emit(std::variant<Assign, ArrayStore, Instruction, Sync> action, const clang::Stmt *at) {
  Statement statement;
  statement.action = std::move(action);
  statement.range = rangeOf(at);
  statement.line = lineOf(at->getBeginLoc());
  statement.context = currentContext;
  statement.anchor = anchor;
  kernel.blocks[current].statements.push_back(std::move(statement));
}

void Lowering::assign(VariableId variable, ExpressionId value, const clang::Stmt *at) {
  emit(Assign{variable, value}, at);
}

VariableId Lowering::newVariable(std::string name, IntegerType type) {
  kernel.variables.push_back({std::move(name), type});
  return static_cast<VariableId>(kernel.variables.size() - 1);
}

ExpressionId Lowering::read(VariableId variable) {
  return kernel.expressions.variable(variable, kernel.variables[variable].type);
}

ExpressionId Lowering::constant(std::int64_t value, IntegerType type) {
  return kernel.expressions.constant(value, type);
}

void Lowering::giveUp(const clang::Stmt *at, std::string reason) {
  if (!kernel.analysable)
    return;
  kernel.analysable = false;
  kernel.reason = "line " + std::to_string(lineOf(at->getBeginLoc())) + ": " + reason;
}

std::uint32_t Lowering::offsetOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = shared.ast.getSourceManager();
  return sources.getFileOffset(sources.getExpansionLoc(location));
}

std::uint32_t Lowering::lineOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = shared.ast.getSourceManager();
  clang::SourceLocation expansion = sources.getExpansionLoc(location);
  if (!sources.isWrittenInMainFile(expansion))
    return 0;
  return shared.source.position(sources.getFileOffset(expansion)).line;
}

SourceRange Lowering::rangeOf(const clang::Stmt *statement) const {
  const clang::SourceManager &sources = shared.ast.getSourceManager();
  clang::SourceLocation begin = sources.getExpansionLoc(statement->getBeginLoc());
  clang::SourceLocation end = sources.getExpansionLoc(statement->getEndLoc());
  if (!sources.isWrittenInMainFile(begin) || !sources.isWrittenInMainFile(end))
    return {};
  std::uint32_t last = sources.getFileOffset(end);
  unsigned length = clang::Lexer::MeasureTokenLength(end, sources, shared.ast.getLangOpts());
  return {sources.getFileOffset(begin), last + length};
}

std::string Lowering::spelling(const clang::Stmt *statement) const {
  SourceRange range = rangeOf(statement);
  return range.end > range.begin ? std::string(shared.source.slice(range)) : std::string();
}

BlockId Lowering::labelBlock(const clang::LabelDecl *label) {
  auto [entry, inserted] = frames.back().labels.try_emplace(label, kNone);
  if (inserted)
    entry->second = newBlock();
  return entry->second;
}

void Lowering::lower(const clang::Stmt *statement) {
  if (!statement || !kernel.analysable)
    return;
  bool sole = std::exchange(soleBody, false);
  if (auto *compound = dyn_cast<clang::CompoundStmt>(statement)) {
    lowerList(compound);
  } else if (auto *declaration = dyn_cast<clang::DeclStmt>(statement)) {
    lowerDeclaration(declaration);
  } else if (auto *expression = dyn_cast<clang::Expr>(statement)) {
    fullStatement = expression;
    soleBody = sole;
    scalar(expression);
    soleBody = false;
    fullStatement = nullptr;
  } else if (auto *chosen = dyn_cast<clang::IfStmt>(statement)) {
    lowerIf(chosen);
  } else if (auto *loop = dyn_cast<clang::ForStmt>(statement)) {
    lowerFor(loop);
  } else if (auto *whileLoop = dyn_cast<clang::WhileStmt>(statement)) {
    lowerWhile(whileLoop);
  } else if (auto *doLoop = dyn_cast<clang::DoStmt>(statement)) {
    lowerDo(doLoop);
  } else if (auto *switched = dyn_cast<clang::SwitchStmt>(statement)) {
    lowerSwitch(switched);
  } else if (auto *returned = dyn_cast<clang::ReturnStmt>(statement)) {
    lowerReturn(returned);
  } else if (auto *label = dyn_cast<clang::LabelStmt>(statement)) {
    BlockId target = labelBlock(label->getDecl());
    jump(target);
    current = target;
    lowerSoleBody(label->getSubStmt());
  } else if (auto *go = dyn_cast<clang::GotoStmt>(statement)) {
    jump(labelBlock(go->getLabel()));
    current = newBlock(); // unreachable until a label starts
  } else if (isa<clang::BreakStmt>(statement) || isa<clang::ContinueStmt>(statement)) {
    if (jumps.empty())
      return giveUp(statement, "break or continue outside a loop");
    jump(isa<clang::BreakStmt>(statement) ? jumps.back().breakTo : jumps.back().continueTo);
    current = newBlock();
  } else if (auto *attributed = dyn_cast<clang::AttributedStmt>(statement)) {
    soleBody = sole;
    lower(attributed->getSubStmt());
  } else if (auto *assembly = dyn_cast<clang::GCCAsmStmt>(statement); assembly && !assembly->isAsmGoto()) {
    // Instructions nobody has read; what they put out is unknown.
    opaqueFence("asm", assembly);
    for (unsigned i = 0; i < assembly->getNumOutputs(); ++i)
      store(assembly->getOutputExpr(i), kernel.expressions.opaque(integerType(assembly->getOutputExpr(i)->getType(), shared.ast)),
            assembly);
  } else if (!isa<clang::NullStmt>(statement)) {
    giveUp(statement, std::string("statement kind ") + statement->getStmtClassName() + " is not understood");
  }
}

void Lowering::lowerList(const clang::CompoundStmt *list) {
  Anchor around = anchor;
  for (const clang::Stmt *child : list->body()) {
    bool place = !child->getBeginLoc().isMacroID() && !isa<clang::LabelStmt, clang::SwitchCase>(child);
    anchor = {offsetOf(list->getLBracLoc()), place ? offsetOf(child->getBeginLoc()) : kNone};
    lower(child);
  }
  anchor = around;
}

void Lowering::lowerDeclaration(const clang::DeclStmt *statement) {
  for (const clang::Decl *declaration : statement->decls())
    if (auto *variable = dyn_cast<clang::VarDecl>(declaration))
      declareVariable(variable);
}

void Lowering::lowerSoleBody(const clang::Stmt *body) {
  soleBody = body && !isa<clang::CompoundStmt>(body);
  lower(body);
  soleBody = false;
}

/// The init of a statement's head is no statement of its own: nothing there can be edited.
void Lowering::lowerInit(const clang::Stmt *init) {
  if (auto *expression = llvm::dyn_cast_or_null<clang::Expr>(init))
    scalar(expression);
  else
    lower(init);
}

void Lowering::lowerIf(const clang::IfStmt *statement) {
  lowerInit(statement->getInit());
  if (const clang::VarDecl *variable = statement->getConditionVariable())
    declareVariable(variable);
  if (statement->isConstexpr() && !statement->getCond()->isValueDependent()) {
    bool holds = false;
    if (statement->getCond()->EvaluateAsBooleanCondition(holds, shared.ast))
      return lower(holds ? statement->getThen() : statement->getElse());
  }
  ExpressionId decided = condition(statement->getCond());
  BlockId whenTrue = newBlock(), whenFalse = newBlock();
  branch(decided, whenTrue, whenFalse, statement);
  current = whenTrue;
  lowerSoleBody(statement->getThen());
  BlockId join = newBlock();
  jump(join);
  current = whenFalse;
  lowerSoleBody(statement->getElse());
  jump(join);
  current = join;
}

void Lowering::lowerLoopBody(const clang::Stmt *body, JumpTargets targets) {
  jumps.push_back(targets);
  lowerSoleBody(body);
  jumps.pop_back();
  jump(targets.continueTo);
}

void Lowering::lowerFor(const clang::ForStmt *statement) {
  lowerInit(statement->getInit());
  BlockId header = newBlock(), body = newBlock(), step = newBlock(), exit = newBlock();
  jump(header);
  current = header;
  if (const clang::VarDecl *variable = statement->getConditionVariable())
    declareVariable(variable);
  if (statement->getCond())
    branch(condition(statement->getCond()), body, exit, statement);
  else
    jump(body);
  current = body;
  lowerLoopBody(statement->getBody(), {exit, step});
  current = step;
  if (statement->getInc())
    scalar(statement->getInc());
  jump(header);
  current = exit;
}

void Lowering::lowerWhile(const clang::WhileStmt *statement) {
  BlockId header = newBlock(), body = newBlock(), exit = newBlock();
  jump(header);
  current = header;
  if (const clang::VarDecl *variable = statement->getConditionVariable())
    declareVariable(variable);
  branch(condition(statement->getCond()), body, exit, statement);
  current = body;
  lowerLoopBody(statement->getBody(), {exit, header});
  current = exit;
}

void Lowering::lowerDo(const clang::DoStmt *statement) {
  BlockId body = newBlock(), test = newBlock(), exit = newBlock();
  jump(body);
  current = body;
  lowerLoopBody(statement->getBody(), {exit, test});
  current = test;
  branch(condition(statement->getCond()), body, exit, statement);
  current = exit;
}

/// A chain of comparisons, then the body with one block per case label: fall-through is kept.
void Lowering::lowerSwitch(const clang::SwitchStmt *statement) {
  lowerInit(statement->getInit());
  auto *body = dyn_cast<clang::CompoundStmt>(statement->getBody());
  if (!body)
    return giveUp(statement, "switch without a braced body");
  ExpressionId selector = scalar(statement->getCond());
  IntegerType type = kernel.expressions[selector].type;
  BlockId exit = newBlock(), otherwise = exit;
  std::map<const clang::SwitchCase *, BlockId> targets;
  for (const clang::SwitchCase *label = statement->getSwitchCaseList(); label; label = label->getNextSwitchCase()) {
    targets[label] = newBlock();
    if (isa<clang::DefaultStmt>(label))
      otherwise = targets[label];
  }
  for (const auto *label = statement->getSwitchCaseList(); label; label = label->getNextSwitchCase()) {
    auto *value = dyn_cast<clang::CaseStmt>(label);
    if (!value)
      continue;
    if (value->getRHS())
      return giveUp(label, "case ranges are not understood");
    ExpressionId test =
        kernel.expressions.binary(Operator::Equal, selector,
                                  constant(value->getLHS()->EvaluateKnownConstInt(shared.ast).getExtValue(), type),
                                  kBoolean);
    BlockId next = newBlock();
    branch(test, targets[label], next, label);
    current = next;
  }
  jump(otherwise);
  current = newBlock();
  jumps.push_back({exit, jumps.empty() ? kNone : jumps.back().continueTo});
  Anchor around = std::exchange(anchor, Anchor{}); // its labels part the list anywhere
  for (const clang::Stmt *child : body->body()) {
    bool labelled = isa<clang::SwitchCase>(child);
    while (auto *label = dyn_cast<clang::SwitchCase>(child)) {
      jump(targets[label]);
      current = targets[label];
      child = label->getSubStmt();
    }
    labelled ? lowerSoleBody(child) : lower(child);
  }
  anchor = around;
  jumps.pop_back();
  jump(exit);
  current = exit;
}

void Lowering::lowerReturn(const clang::ReturnStmt *statement) {
  if (const clang::Expr *value = statement->getRetValue()) {
    ExpressionId result = scalar(value);
    if (frames.back().result != kNone)
      assign(frames.back().result, result, statement);
  }
  if (frames.back().returnTo != kNone)
    jump(frames.back().returnTo);
  else
    kernel.blocks[current].terminator.kind = Terminator::Kind::Return;
  current = newBlock();
}

} // namespace ptosync
