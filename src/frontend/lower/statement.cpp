// Lowers an entry function: blocks, control flow, jumps and returns.
#include "frontend/lower/lowering.h"

#include "frontend/lower/brace_lists.h"
#include "frontend/read/syntax_tree.h"

#include <clang/Lex/Lexer.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

constexpr std::size_t kDeepest = 1000;          // dispatchers inside one another
constexpr std::size_t kMostStatements = 400000; // of a kernel, expansions included

} // namespace

Lowering::Depth::Depth(Lowering &lowering, const clang::Stmt *at) : lowering(lowering) {
  if (++lowering.depth > kDeepest)
    lowering.giveUp(at, "its expressions and statements nest deeper than " + std::to_string(kDeepest));
}

void Lowering::run(const clang::FunctionDecl *function) {
  current = newBlock();
  InlineFrame frame;
  frame.function = function;
  frames.push_back(std::move(frame));
  if (shared.refusal)
    giveUp(shared.refusal->at, shared.refusal->why);
  refuseConditionals(function);
  readLists(function);
  bindParameters(function);
  const Mark begin = mark();
  lower(function->getBody());
  clobberExposed();
  shareCallersObjects(begin);
  noteEscapes();
  nameEventIds();
  frames.pop_back();
}

/// Text that is compiled under other macros is another program, which was not looked at.
void Lowering::refuseConditionals(const clang::FunctionDecl *function) {
  if (!inMainFile(function->getLocation()))
    return; // of a header (OwnHeaders::refusal)
  std::uint32_t first = lineOf(function->getBeginLoc()), last = lineOf(function->getEndLoc());
  auto inside = shared.conditionals.lower_bound(first);
  if (inside != shared.conditionals.end() && *inside <= last)
    giveUp(function->getBody(), "the preprocessor condition on line " + std::to_string(*inside) +
                                    " selects code that is not analysed; say with -D or -U what it asks for");
}

/// The lists of the statements of a body, the first time that it is expanded.
void Lowering::readLists(const clang::FunctionDecl *function) {
  if (listed.insert(function).second)
    addBraceLists(function, shared.ast, shared.file, kernel.lists);
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

Statement Lowering::statementAt(std::variant<Assign, ArrayStore, Instruction, Sync> action,
                                const clang::Stmt *at) const {
  Statement statement;
  statement.action = std::move(action);
  statement.range = rangeOf(at);
  statement.line = lineOf(at->getBeginLoc());
  statement.context = currentContext;
  statement.anchor = anchor;
  return statement;
}

void Lowering::emit(std::variant<Assign, ArrayStore, Instruction, Sync> action, const clang::Stmt *at) {
  if (++statementCount > kMostStatements)
    return giveUp(at, "it expands to more than " + std::to_string(kMostStatements) + " statements");
  kernel.blocks[current].statements.push_back(statementAt(std::move(action), at));
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

/// The value as it is now, whatever happens to the variables in it later.
ExpressionId Lowering::keptValue(ExpressionId value, const std::string &name, const clang::Stmt *at) {
  const Expression &expression = kernel.expressions[value];
  if (expression.kind == Expression::Kind::Constant || expression.type.bits == 0)
    return value;
  VariableId variable = newVariable(name, expression.type);
  assign(variable, value, at);
  return read(variable);
}

void Lowering::giveUp(clang::SourceLocation at, const std::string &reason) {
  if (!kernel.analysable)
    return;
  kernel.analysable = false;
  kernel.reason = "line " + std::to_string(lineOf(at)) + ": ";
  if (shared.headers.holds(at))
    kernel.reason += shared.headers.placeOf(at) + ": ";
  kernel.reason += reason;
}

std::uint32_t Lowering::offsetOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = shared.ast.getSourceManager();
  return sources.getFileOffset(sources.getExpansionLoc(location));
}

bool Lowering::inMainFile(clang::SourceLocation location) const {
  return ptosync::inMainFile(location, shared.ast.getSourceManager());
}

/// Of the main file or a header of its own.
bool Lowering::inOwnText(clang::SourceLocation location) const {
  return inMainFile(location) || shared.headers.holds(location);
}

/// Text of a header counts as where the main file calls it.
std::uint32_t Lowering::lineOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = shared.ast.getSourceManager();
  clang::SourceLocation expansion = sources.getExpansionLoc(location);
  if (!sources.isWrittenInMainFile(expansion))
    return headerCall && inMainFile(headerCall->getBeginLoc()) ? lineOf(headerCall->getBeginLoc()) : 0;
  return shared.source.position(sources.getFileOffset(expansion)).line;
}

/// kNone in a header that no text of the main file calls.
std::uint32_t Lowering::beginInText(clang::SourceLocation location) const {
  if (inMainFile(location))
    return offsetOf(location);
  return headerCall && inMainFile(headerCall->getBeginLoc()) ? offsetOf(headerCall->getBeginLoc()) : kNone;
}

SourceRange Lowering::rangeOf(const clang::Stmt *statement) const {
  const clang::SourceManager &sources = shared.ast.getSourceManager();
  clang::SourceLocation begin = sources.getExpansionLoc(statement->getBeginLoc());
  clang::SourceLocation end = sources.getExpansionLoc(statement->getEndLoc());
  if (!sources.isWrittenInMainFile(begin) || !sources.isWrittenInMainFile(end))
    return headerCall && headerCall != statement && inMainFile(headerCall->getBeginLoc()) &&
                   inMainFile(headerCall->getEndLoc())
               ? rangeOf(headerCall)
               : SourceRange{};
  std::uint32_t last = sources.getFileOffset(end);
  unsigned length = clang::Lexer::MeasureTokenLength(end, sources, shared.ast.getLangOpts());
  return {sources.getFileOffset(begin), last + length};
}

std::string Lowering::spelling(const clang::Stmt *statement) const {
  const clang::SourceManager &sources = shared.ast.getSourceManager();
  if (shared.headers.holds(statement->getBeginLoc()))
    return clang::Lexer::getSourceText(
               clang::CharSourceRange::getTokenRange(sources.getExpansionLoc(statement->getBeginLoc()),
                                                     sources.getExpansionLoc(statement->getEndLoc())),
               sources, shared.ast.getLangOpts())
        .str();
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
  Depth inside(*this, statement);
  if (!kernel.analysable)
    return;
  bool sole = std::exchange(soleBody, false);
  if (auto *expression = dyn_cast<clang::Expr>(statement)) {
    const clang::Stmt *around = std::exchange(fullStatement, expression);
    soleBody = sole;
    drop(expression);
    soleBody = false;
    fullStatement = around;
    return;
  }
  switch (readingOf(statement->getStmtClassName())) {
  case Reading::Lowered: return lowerKnown(statement, sole);
  case Reading::Clobbered: return clobber(statement);
  default:
    return giveUp(statement, std::string("it has a statement of kind ") + statement->getStmtClassName() +
                                 ", which the tool does not understand");
  }
}

void Lowering::lowerKnown(const clang::Stmt *statement, bool sole) {
  if (auto *compound = dyn_cast<clang::CompoundStmt>(statement))
    return lowerList(compound);
  if (auto *declaration = dyn_cast<clang::DeclStmt>(statement))
    return lowerDeclaration(declaration);
  if (auto *chosen = dyn_cast<clang::IfStmt>(statement))
    return lowerIf(chosen);
  if (auto *loop = dyn_cast<clang::ForStmt>(statement))
    return lowerFor(loop);
  if (auto *loop = dyn_cast<clang::CXXForRangeStmt>(statement))
    return lowerRangeFor(loop);
  if (auto *loop = dyn_cast<clang::WhileStmt>(statement))
    return lowerWhile(loop);
  if (auto *loop = dyn_cast<clang::DoStmt>(statement))
    return lowerDo(loop);
  if (auto *switched = dyn_cast<clang::SwitchStmt>(statement))
    return lowerSwitch(switched);
  if (auto *label = dyn_cast<clang::SwitchCase>(statement))
    return lowerLabel(label);
  if (auto *result = dyn_cast<clang::ReturnStmt>(statement))
    return lowerReturn(result);
  if (auto *label = dyn_cast<clang::LabelStmt>(statement)) {
    BlockId target = labelBlock(label->getDecl());
    jump(target);
    current = target;
    return lowerSoleBody(label->getSubStmt());
  }
  if (auto *go = dyn_cast<clang::GotoStmt>(statement)) {
    jump(labelBlock(go->getLabel()));
    current = newBlock(); // unreachable until a label starts
    return;
  }
  if (isa<clang::BreakStmt>(statement) || isa<clang::ContinueStmt>(statement)) {
    BlockId target = jumps.empty()                      ? kNone
                     : isa<clang::BreakStmt>(statement) ? jumps.back().breakTo
                                                        : jumps.back().continueTo;
    if (target == kNone)
      return giveUp(statement, "a `break` or `continue` stands outside of a loop");
    jump(target);
    current = newBlock();
    return;
  }
  if (auto *attributed = dyn_cast<clang::AttributedStmt>(statement))
    return lowerSoleBody(attributed->getSubStmt()); // without it, the attribute would be the next statement's
  (void)sole;
  // Assembly may hold any sync: with text in it, or an operand, or a label, it gives the kernel up. Without, it runs
  // nothing and keeps the compiler from moving code across; it counts as touching everything on every pipe all the
  // same.
  if (auto *assembly = dyn_cast<clang::GCCAsmStmt>(statement);
      assembly && assembly->getAsmString()->getString().empty() && assembly->getNumOutputs() == 0 &&
      assembly->getNumInputs() == 0 && assembly->getNumLabels() == 0)
    return unknownEffect("asm", assembly, {});
  if (!isa<clang::NullStmt>(statement))
    giveUp(statement, std::string("it has a statement of kind ") + statement->getStmtClassName() +
                          ", which the tool does not understand");
}

void Lowering::lowerList(const clang::CompoundStmt *list) {
  Anchor around = anchor;
  for (const clang::Stmt *child : list->body()) {
    bool place = !child->getBeginLoc().isMacroID() && inMainFile(child->getBeginLoc()) &&
                 !isa<clang::LabelStmt, clang::SwitchCase>(child);
    anchor = inMainFile(list->getLBracLoc())
                 ? Anchor{offsetOf(list->getLBracLoc()), place ? offsetOf(child->getBeginLoc()) : kNone}
                 : Anchor{};
    lower(child);
  }
  anchor = around;
}

void Lowering::lowerDeclaration(const clang::DeclStmt *statement) {
  for (const clang::Decl *declaration : statement->decls()) {
    if (auto *variable = dyn_cast<clang::VarDecl>(declaration)) {
      declareVariable(variable);
      continue;
    }
    bool nothingRuns = isa<clang::TypeDecl, clang::UsingDecl, clang::UsingDirectiveDecl, clang::UsingShadowDecl,
                           clang::StaticAssertDecl, clang::LabelDecl, clang::EmptyDecl, clang::FunctionDecl,
                           clang::NamespaceAliasDecl, clang::UsingEnumDecl, clang::EnumConstantDecl>(declaration);
    if (!nothingRuns)
      giveUp(statement, std::string("a declaration of kind ") + declaration->getDeclKindName() + " is not understood");
  }
}

void Lowering::lowerSoleBody(const clang::Stmt *body) {
  soleBody = body && !isa<clang::CompoundStmt>(body);
  lower(body);
  soleBody = false;
}

/// The init of a statement's head is no statement of its own: nothing there can be edited.
void Lowering::lowerInit(const clang::Stmt *init) {
  if (auto *expression = llvm::dyn_cast_or_null<clang::Expr>(init))
    drop(expression);
  else
    lower(init);
}

void Lowering::lowerIf(const clang::IfStmt *statement) {
  lowerInit(statement->getInit());
  if (const clang::VarDecl *variable = statement->getConditionVariable())
    declareVariable(variable);
  if (statement->isConsteval())
    return giveUp(statement, "if consteval is not understood");
  if (statement->isConstexpr() && !statement->getCond()->isValueDependent()) {
    bool holds = false;
    if (statement->getCond()->EvaluateAsBooleanCondition(holds, shared.ast))
      return lowerSoleBody(holds ? statement->getThen() : statement->getElse());
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

/// Gives up if a part of a loop's head, in a statement expression, leaves this loop or its iteration.
void Lowering::refuseJumps(const clang::Stmt *head) {
  std::vector<const clang::Stmt *> work = {head};
  while (!work.empty()) {
    const clang::Stmt *part = work.back();
    work.pop_back();
    if (!part)
      continue;
    if (isa<clang::BreakStmt, clang::ContinueStmt>(part))
      return giveUp(part, "a jump in the head of a loop is not followed");
    work.insert(work.end(), part->child_begin(), part->child_end());
  }
}

void Lowering::lowerLoopBody(const clang::Stmt *body, JumpTargets targets) {
  jumps.push_back(targets);
  lowerSoleBody(body);
  jumps.pop_back();
  jump(targets.continueTo);
}

void Lowering::lowerFor(const clang::ForStmt *statement) {
  for (const clang::Stmt *part :
       {static_cast<const clang::Stmt *>(statement->getConditionVariableDeclStmt()),
        static_cast<const clang::Stmt *>(statement->getCond()), static_cast<const clang::Stmt *>(statement->getInc())})
    refuseJumps(part);
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
    drop(statement->getInc());
  jump(header);
  current = exit;
}

/// Over an array whose elements are followed: a counter, and the loop variable means that element.
void Lowering::lowerRangeFor(const clang::CXXForRangeStmt *statement) {
  lowerInit(statement->getInit());
  auto *range = dyn_cast<clang::ConstantArrayType>(
      statement->getRangeInit()->getType().getNonReferenceType().getCanonicalType().getTypePtr());
  if (!range || !statement->getRangeInit()->isGLValue())
    return giveUp(statement, "a range that is no array is not followed");
  Place array = kept(place(statement->getRangeInit()), statement);
  VariableId counter = newVariable("element", kInt64);
  assign(counter, constant(0), statement);
  BlockId header = newBlock(), body = newBlock(), step = newBlock(), exit = newBlock();
  jump(header);
  current = header;
  std::int64_t count = static_cast<std::int64_t>(range->getSize().getLimitedValue(INT64_MAX));
  branch(kernel.expressions.binary(Operator::Less, read(counter), constant(count), kBoolean), body, exit, statement);
  current = body;
  const clang::VarDecl *variable = statement->getLoopVariable();
  // Clang spells the element `*__begin`; the place is the same.
  Place element = kept(elementOf(array, read(counter), range->getElementType()), statement);
  if (auto *begin = dyn_cast<clang::VarDecl>(statement->getBeginStmt()->getSingleDecl()))
    bindings[begin] = objectPlace(addObject({Object::Pointer{element}}));
  declareVariable(variable);
  lowerLoopBody(statement->getBody(), {exit, step});
  current = step;
  assign(counter, kernel.expressions.binary(Operator::Add, read(counter), constant(1), kInt64), statement);
  jump(header);
  current = exit;
}

void Lowering::lowerWhile(const clang::WhileStmt *statement) {
  refuseJumps(statement->getConditionVariableDeclStmt());
  refuseJumps(statement->getCond());
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
  refuseJumps(statement->getCond());
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
  if (const clang::VarDecl *variable = statement->getConditionVariable())
    declareVariable(variable);
  auto *body = dyn_cast<clang::CompoundStmt>(statement->getBody());
  if (!body)
    return giveUp(statement, "a `switch` has no braces around its body; write them");
  ExpressionId selector = scalar(statement->getCond());
  IntegerType type = kernel.expressions[selector].type;
  if (type.bits == 0)
    return giveUp(statement, "switch on a value whose type is not followed");
  BlockId exit = newBlock(), otherwise = exit;
  for (const clang::SwitchCase *label = statement->getSwitchCaseList(); label; label = label->getNextSwitchCase()) {
    caseBlocks[label] = newBlock();
    if (isa<clang::DefaultStmt>(label))
      otherwise = caseBlocks[label];
  }
  for (const auto *label = statement->getSwitchCaseList(); label; label = label->getNextSwitchCase()) {
    auto *value = dyn_cast<clang::CaseStmt>(label);
    if (!value)
      continue;
    if (value->getRHS())
      return giveUp(label, "case ranges are not understood");
    ExpressionId test = kernel.expressions.binary(
        Operator::Equal, selector, constant(integerBits(value->getLHS()->EvaluateKnownConstInt(shared.ast)), type),
        kBoolean);
    BlockId next = newBlock();
    branch(test, caseBlocks[label], next, label);
    current = next;
  }
  jump(otherwise);
  current = newBlock();
  jumps.push_back({exit, jumps.empty() ? kNone : jumps.back().continueTo});
  Anchor around = std::exchange(anchor, Anchor{}); // its labels part the list anywhere
  for (const clang::Stmt *child : body->body())
    lower(child);
  anchor = around;
  jumps.pop_back();
  jump(exit);
  current = exit;
}

/// A case label, wherever it stands inside its switch.
void Lowering::lowerLabel(const clang::SwitchCase *label) {
  const clang::Stmt *body = label;
  while (auto *next = dyn_cast<clang::SwitchCase>(body)) {
    auto target = caseBlocks.find(next);
    if (target == caseBlocks.end())
      return giveUp(label, "a `case` label stands outside the list of its `switch`, which is not followed");
    jump(target->second);
    current = target->second;
    body = next->getSubStmt();
  }
  lowerSoleBody(body);
}

void Lowering::lowerReturn(const clang::ReturnStmt *statement) {
  InlineFrame &frame = frames.back();
  if (const clang::Expr *value = statement->getRetValue()) {
    if (frame.function->getReturnType()->isReferenceType()) {
      Place result = kept(place(value), statement);
      if (frames.back().whichPlace != kNone)
        assign(frames.back().whichPlace, constant(static_cast<std::int64_t>(frames.back().resultPlaces.size())),
               statement);
      frames.back().resultPlaces.push_back(std::move(result));
    } else if (frame.resultObject != kNone) {
      initialise(frame.resultObject, value, statement);
    } else if (frame.result != kNone) {
      ExpressionId result = scalar(value);
      assign(frames.back().result, result, statement);
    } else {
      drop(value);
    }
  }
  if (frames.back().returnTo != kNone) {
    jump(frames.back().returnTo);
  } else {
    Terminator &terminator = kernel.blocks[current].terminator;
    terminator.kind = Terminator::Kind::Return;
    terminator.line = lineOf(statement->getBeginLoc());
    terminator.context = currentContext;
    terminator.anchor = anchor;
  }
  current = newBlock();
}

} // namespace ptosync
