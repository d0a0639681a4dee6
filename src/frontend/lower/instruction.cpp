// Lowers calls of the library that are instructions, calls that synchronise with the sites that they are, and the syncs
// that objects of the library's Event run when they are recorded and waited for.
#include "frontend/lower/lowering.h"

#include "frontend/library/types.h"

#include <array>

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
  const bool outerActs = othersAct;
  auto add = [&](const clang::Expr *argument, bool beside) {
    othersAct = beside;
    instruction.operands.push_back(operandOf(argument, known, instruction.results));
    marks.push_back(mark());
    othersAct = outerActs;
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
      add(member->getImplicitObjectArgument(), actsBeside(expression, expression->getNumArgs()));
    }
  }
  unsigned operands = firstEvent.value_or(expression->getNumArgs());
  for (unsigned i = 0; i < operands; ++i)
    if (!isa<clang::CXXDefaultArgExpr>(expression->getArg(i)))
      add(expression->getArg(i), actsBeside(expression, i));
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

// Barriers, flags, the end fence, and the sites that they are.

bool Lowering::syncCall(const clang::CallExpr *expression, llvm::StringRef name) {
  unsigned count = expression->getNumArgs();
  if (name == "pipe_barrier" && count == 1) {
    if (std::optional<Pipe> pipe = pipeOf(expression->getArg(0), shared.ast)) {
      emitSync(expression, SyncKind::Barrier, *pipe, *pipe, kNone);
    } else {
      // It orders something; what, nobody knows here. Nothing is proved by it, and its text is not touched.
      discard(expression->getArg(0));
    }
    return true;
  }
  if ((name == "set_flag" || name == "wait_flag") && count == 3) {
    std::optional<Pipe> source = pipeOf(expression->getArg(0), shared.ast);
    std::optional<Pipe> destination = pipeOf(expression->getArg(1), shared.ast);
    if (!source || !destination || *source == Pipe::All || *destination == Pipe::All) {
      giveUp(expression, "it is not known which pipes " + name.str() + " names");
      return true;
    }
    ExpressionId event = scalar(expression->getArg(2));
    emitSync(expression, name == "set_flag" ? SyncKind::SetFlag : SyncKind::WaitFlag, *source, *destination, event);
    return true;
  }
  if (name == kGetBuffer || name == kReleaseBuffer)
    return bufferCall(expression, name == kGetBuffer ? SyncKind::GetBuffer : SyncKind::ReleaseBuffer);
  if (name == kSetAndWait)
    return setAndWaitCall(expression);
  if (isSyncName(name)) {
    giveUp(expression, name.str() + " with " + std::to_string(count) + " arguments");
    return true;
  }
  return name == kTailHelper && tailCall(expression, nullptr);
}

/// `get_buf(pipe, id, mode)` or `rls_buf(pipe, id, mode)`.
bool Lowering::bufferCall(const clang::CallExpr *expression, SyncKind kind) {
  const std::string name = nameOf(expression->getDirectCallee());
  if (expression->getNumArgs() != 3) {
    giveUp(expression, name + " with " + std::to_string(expression->getNumArgs()) + " arguments");
    return true;
  }
  std::optional<Pipe> pipe = pipeOf(expression->getArg(0), shared.ast);
  if (!pipe || *pipe == Pipe::All) {
    giveUp(expression, "it is not known which pipe " + name + " names");
    return true;
  }
  const ExpressionId id = scalar(expression->getArg(1));
  discard(expression->getArg(2));
  clang::Expr::EvalResult mode;
  BufferMode known = BufferMode::Unknown;
  if (expression->getArg(2)->EvaluateAsInt(mode, shared.ast))
    known = mode.Val.getInt() == 0 ? BufferMode::Blocking : BufferMode::NonBlocking;
  emitSync(expression, kind, *pipe, *pipe, id, known);
  return true;
}

/// The library's `PtoSetWaitFlag<SOURCE, DESTINATION>(set id = 0, wait id = 0)`: a set and a wait in one statement,
/// which is neither and so never edited. False: another function of this name, or pipes that are not known.
bool Lowering::setAndWaitCall(const clang::CallExpr *expression) {
  const clang::FunctionDecl *callee = expression->getDirectCallee();
  const clang::TemplateArgumentList *written = callee ? callee->getTemplateSpecializationArgs() : nullptr;
  if (!written || written->size() != 2 || expression->getNumArgs() > 2)
    return false;
  std::array<std::optional<Pipe>, 2> pipes;
  for (unsigned i = 0; i < 2; ++i) {
    const clang::TemplateArgument &argument = written->get(i);
    auto *type = argument.getKind() == clang::TemplateArgument::Integral
                     ? argument.getIntegralType()->getAs<clang::EnumType>()
                     : nullptr;
    if (type && isLibrary(type->getDecl()))
      pipes[i] = parsePipe(enumeratorName(argument.getIntegralType(), integerBits(argument.getAsIntegral())));
    if (!pipes[i] || *pipes[i] == Pipe::All)
      return false;
  }
  std::array<ExpressionId, 2> events = {constant(0), constant(0)};
  for (unsigned i = 0; i < expression->getNumArgs(); ++i)
    if (!isa<clang::CXXDefaultArgExpr>(expression->getArg(i)))
      events[i] = scalar(expression->getArg(i));
  emitSync(expression, SyncKind::SetFlag, *pipes[0], *pipes[1], events[0]);
  emitSync(expression, SyncKind::WaitFlag, *pipes[0], *pipes[1], events[1]); // the second kind at one site protects it
  return true;
}

namespace {

enum class Way : std::uint8_t { Falls, Breaks, Returns, Unknown };

/// Runs the body of an end fence (isTailBody) for one value of its parameter, and notes which syncs run.
struct TailRun {
  const clang::ASTContext &ast;
  const clang::ParmVarDecl *parameter;
  std::optional<std::int64_t> mode;
  std::vector<const clang::CallExpr *> &ran;

  Way run(const clang::Stmt *statement) {
    if (auto *called = dyn_cast<clang::CallExpr>(statement)) {
      ran.push_back(called);
      return Way::Falls;
    }
    if (auto *label = dyn_cast<clang::SwitchCase>(statement))
      return run(label->getSubStmt());
    if (auto *list = dyn_cast<clang::CompoundStmt>(statement))
      return runAll({list->body_begin(), list->body_end()});
    if (auto *choice = dyn_cast<clang::IfStmt>(statement)) {
      const std::optional<std::int64_t> holds = valueOf(choice->getCond());
      const clang::Stmt *arm = holds && *holds ? choice->getThen() : choice->getElse();
      return !holds ? Way::Unknown : arm ? run(arm) : Way::Falls;
    }
    if (auto *choice = dyn_cast<clang::SwitchStmt>(statement))
      return runSwitch(choice);
    return isa<clang::ReturnStmt>(statement)  ? Way::Returns
           : isa<clang::BreakStmt>(statement) ? Way::Breaks
           : isa<clang::NullStmt>(statement)  ? Way::Falls
                                              : Way::Unknown;
  }

private:
  Way runAll(llvm::ArrayRef<const clang::Stmt *> statements) {
    for (const clang::Stmt *statement : statements)
      if (Way way = run(statement); way != Way::Falls)
        return way;
    return Way::Falls;
  }

  /// Labels stand in front of statements of its body; a label further in would be passed over, so it is not known then.
  Way runSwitch(const clang::SwitchStmt *choice) {
    const std::optional<std::int64_t> chosen = valueOf(choice->getCond());
    auto *body = dyn_cast<clang::CompoundStmt>(choice->getBody());
    if (!chosen || !body)
      return Way::Unknown;
    std::size_t labels = 0, entry = body->size(), other = entry;
    for (std::size_t i = 0; i < body->size(); ++i)
      for (auto *label = dyn_cast<clang::SwitchCase>(body->body_begin()[i]); label;
           label = dyn_cast<clang::SwitchCase>(label->getSubStmt())) {
        ++labels;
        auto *of = dyn_cast<clang::CaseStmt>(label);
        if (!of)
          other = i;
        else if (of->getRHS() || !valueOf(of->getLHS()))
          return Way::Unknown; // a range
        else if (valueOf(of->getLHS()) == chosen)
          entry = i;
      }
    for (const clang::SwitchCase *label = choice->getSwitchCaseList(); label; label = label->getNextSwitchCase())
      --labels;
    if (labels != 0)
      return Way::Unknown;
    const std::size_t begin = entry < body->size() ? entry : other;
    const Way way = runAll({body->body_begin() + begin, body->body_end()});
    return way == Way::Breaks ? Way::Falls : way;
  }

  std::optional<std::int64_t> valueOf(const clang::Expr *expression) const {
    clang::Expr::EvalResult value;
    if (!expression->isValueDependent() && expression->EvaluateAsInt(value, ast))
      return integerBits(value.Val.getInt());
    const clang::Expr *inner = expression->IgnoreParens();
    if (auto *cast = dyn_cast<clang::CastExpr>(inner))
      return converted(cast);
    if (auto *reference = dyn_cast<clang::DeclRefExpr>(inner); reference && reference->getDecl() == parameter)
      return mode;
    auto *binary = dyn_cast<clang::BinaryOperator>(inner);
    if (!binary || !binary->isEqualityOp())
      return std::nullopt;
    const std::optional<std::int64_t> left = valueOf(binary->getLHS()), right = valueOf(binary->getRHS());
    if (!left || !right)
      return std::nullopt;
    return (*left == *right) == (binary->getOpcode() == clang::BO_EQ);
  }

  std::optional<std::int64_t> converted(const clang::CastExpr *cast) const {
    const std::optional<std::int64_t> value = valueOf(cast->getSubExpr());
    switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue:
    case clang::CK_NoOp: return value;
    case clang::CK_IntegralCast:
      return value ? std::optional(wrapTo(integerType(cast->getType(), ast), *value)) : std::nullopt;
    case clang::CK_IntegralToBoolean: return value ? std::optional<std::int64_t>(*value != 0) : std::nullopt;
    default: return std::nullopt;
    }
  }
};

} // namespace

/// True if all the body does is choose by its own parameter which syncs it runs.
bool Lowering::isTailBody(const clang::FunctionDecl *definition) const {
  if (definition->getNumParams() > 1)
    return false;
  bool plain = true;
  std::vector<const clang::Stmt *> work = {definition->getBody()};
  while (!work.empty() && plain) {
    const clang::Stmt *statement = work.back();
    work.pop_back();
    if (!statement)
      continue;
    if (auto *called = dyn_cast<clang::CallExpr>(statement)) {
      std::string name = nameOf(called->getDirectCallee());
      bool sync = name == "pipe_barrier" || name == "set_flag" || name == "wait_flag";
      plain = sync && isLibrary(called->getDirectCallee());
      continue;
    }
    if (auto *reference = dyn_cast<clang::DeclRefExpr>(statement))
      plain = isa<clang::EnumConstantDecl>(reference->getDecl()) ||
              (definition->getNumParams() == 1 && reference->getDecl() == definition->getParamDecl(0));
    else if (auto *binary = dyn_cast<clang::BinaryOperator>(statement))
      plain = binary->isComparisonOp();
    else
      plain = isa<clang::CompoundStmt, clang::SwitchStmt, clang::SwitchCase, clang::BreakStmt, clang::IfStmt,
                  clang::CastExpr, clang::ConstantExpr, clang::IntegerLiteral, clang::ReturnStmt, clang::NullStmt,
                  clang::ParenExpr>(statement);
    if (auto *returned = dyn_cast<clang::ReturnStmt>(statement))
      plain &= returned->getRetValue() == nullptr;
    work.insert(work.end(), statement->child_begin(), statement->child_end());
  }
  return plain;
}

/// The pipes that the end fence drains in this mode: every one, or PIPE_MTE3 by a flag to the scalar pipe. Nothing if
/// it is not plain to see which of its syncs run.
std::optional<Pipe> Lowering::drainedByTail(const clang::FunctionDecl *definition,
                                            std::optional<std::int64_t> mode) const {
  std::vector<const clang::CallExpr *> ran;
  const clang::ParmVarDecl *parameter = definition->getNumParams() ? definition->getParamDecl(0) : nullptr;
  const Way way = TailRun{shared.ast, parameter, mode, ran}.run(definition->getBody());
  if (way != Way::Falls && way != Way::Returns)
    return std::nullopt;
  auto pipe = [&](const clang::CallExpr *call, unsigned i) { return pipeOf(call->getArg(i), shared.ast); };
  for (const clang::CallExpr *call : ran)
    if (nameOf(call->getDirectCallee()) == "pipe_barrier" && call->getNumArgs() == 1 && pipe(call, 0) == Pipe::All)
      return Pipe::All;
  auto isFlag = [&](const clang::CallExpr *call, llvm::StringRef name) {
    return nameOf(call->getDirectCallee()) == name && call->getNumArgs() == 3 && pipe(call, 0) == Pipe::MTE3 &&
           pipe(call, 1) == Pipe::S;
  };
  const bool flag = ran.size() == 2 && isFlag(ran[0], "set_flag") && isFlag(ran[1], "wait_flag");
  return flag ? std::optional(Pipe::MTE3) : std::nullopt;
}

/// The emitted end fence, if its helper in this file really drains what its name says and does nothing else; otherwise
/// it is looked at like any helper.
bool Lowering::tailCall(const clang::CallExpr *expression, const clang::FunctionDecl *definition) {
  const clang::Expr *written = expression->getNumArgs() >= 1 ? expression->getArg(0) : nullptr;
  std::optional<std::int64_t> mode;
  if (clang::Expr::EvalResult value; written && written->EvaluateAsInt(value, shared.ast))
    mode = integerBits(value.Val.getInt());
  std::optional<Pipe> drained = Pipe::All;
  if (definition)
    drained = isTailBody(definition) ? drainedByTail(definition, mode) : std::nullopt;
  else if (written && (!mode || enumeratorName(written->getType(), *mode) != "kBarrierAll"))
    drained = Pipe::MTE3;
  if (!drained)
    return false;
  if (definition)
    followedMentions.insert(expression->getCallee()->IgnoreParenImpCasts());
  if (written)
    discard(written);
  emitSync(expression, SyncKind::Tail, *drained, *drained, kNone);
  return true;
}

void Lowering::emitSync(const clang::CallExpr *expression, SyncKind kind, Pipe source, Pipe destination,
                        ExpressionId event, BufferMode mode) {
  Sync sync;
  sync.mode = mode;
  sync.kind = kind;
  sync.source = source;
  sync.destination = destination;
  sync.event = event;
  sync.site = siteOf(expression, kind, source, destination);
  emit(sync, expression);
}

/// A sync in a header counts, and is not to be edited. It stands at the first call that runs it.
SiteId Lowering::headerSite(const clang::Stmt *at, const Sync &sync, const std::string &text) {
  for (const InlineFrame &frame : frames)
    if (isa<clang::CXXConstructorDecl>(frame.function))
      giveUp(at, "a constructor runs a sync: the declaration that runs it does not show it");
  SiteId key = shared.headers.keyOf(at->getBeginLoc());
  auto [entry, inserted] = shared.sites.try_emplace(key);
  SyncSite &site = entry->second;
  site.protection = Protection::NotOneStatement;
  if (!inserted)
    return key;
  std::string place = shared.headers.placeOf(at->getBeginLoc());
  site.kind = sync.kind;
  site.source = sync.source;
  site.destination = sync.destination;
  site.text = text + " in " + place;
  site.keepReason = "it stands in the header " + place + ", and headers are not edited";
  site.range = rangeOf(at);
  LineColumn first = shared.source.position(site.range.begin);
  site.line = first.line;
  site.column = first.column;
  return key;
}

/// The site's number is its file offset until the module renumbers all of them.
SiteId Lowering::siteOf(const clang::CallExpr *expression, SyncKind kind, Pipe source, Pipe destination) {
  if (!inMainFile(expression->getBeginLoc())) {
    Sync sync;
    sync.kind = kind;
    sync.source = source;
    sync.destination = destination;
    return headerSite(expression, sync, spelling(expression));
  }
  SourceRange range = rangeOf(expression);
  auto [entry, inserted] = shared.sites.try_emplace(range.begin);
  SyncSite &site = entry->second;
  bool insideTail = false;
  for (const InlineFrame &frame : frames) {
    insideTail |= nameOf(frame.function) == kTailHelper;
    if (isa<clang::CXXConstructorDecl>(frame.function))
      giveUp(expression, "a constructor runs a sync: the declaration that runs it does not show it");
  }
  if (!inserted) {
    // A template may mean another sync each time it is instantiated.
    if (site.kind != kind || site.source != source || site.destination != destination)
      site.protection = Protection::NotOneStatement;
    return range.begin;
  }
  site.kind = kind;
  site.source = source;
  site.destination = destination;
  site.text = std::string(shared.source.slice(range));
  LineColumn place = shared.source.position(range.begin);
  site.line = place.line;
  site.column = place.column;
  site.soleBody = soleBody;
  const std::string &text = shared.source.text();
  std::uint32_t end = range.end;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t'))
    ++end;
  const auto *statement = llvm::dyn_cast_or_null<clang::Expr>(fullStatement);
  bool whole = statement && unwrapObject(statement) == unwrapObject(expression) && end < text.size() &&
               text[end] == ';' && !expression->getBeginLoc().isMacroID() && !expression->getEndLoc().isMacroID() &&
               inMainFile(expression->getBeginLoc());
  site.range = {range.begin, whole ? end + 1 : range.end};
  if (kind == SyncKind::Tail || insideTail) {
    site.protection = Protection::Tail;
  } else if (!whole) {
    site.protection = Protection::NotOneStatement;
  } else if (llvm::any_of(expression->arguments(),
                          [&](const clang::Expr *argument) { return argument->HasSideEffects(shared.ast); })) {
    // Without it, or elsewhere, the kernel computes something else.
    site.protection = Protection::NotOneStatement;
    site.keepReason = "an argument of it may do more than give a number";
  }
  return range.begin;
}

// Objects of the library's Event.
//
// The id of an event's flag is a variable that gets its value where the object is made and never again. Where the type
// fixes the id it is that. Else a counter of the run gives it out, and nobody knows where the counter stands: the id is
// unknown, unless no other flag goes between the same pipes anywhere in the kernel, inside its instructions included.
// Then any number names it as well as any other, since there is nothing to take it for; it is called 0.
// A name is no id: nothing new may be set between those pipes, since it might take the id that the run gave
// (SyncSite::namedId).

namespace {

const char *syncText(SyncKind kind) {
  return kind == SyncKind::Barrier ? "pipe_barrier" : kind == SyncKind::SetFlag ? "set_flag" : "wait_flag";
}

/// The construction itself, without casts and temporaries around it.
const clang::CXXConstructExpr *makingOf(const clang::Expr *value) {
  while (true) {
    value = value->IgnoreParenCasts();
    if (auto *full = dyn_cast<clang::FullExpr>(value))
      value = full->getSubExpr();
    else if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(value))
      value = temporary->getSubExpr();
    else if (auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(value))
      value = bound->getSubExpr();
    else
      return dyn_cast<clang::CXXConstructExpr>(value);
  }
}

} // namespace

ObjectId Lowering::newEvent(clang::QualType type, const std::string &name, std::uint32_t line) {
  EventObject event;
  event.type = eventClass(type);
  event.name = name + " (line " + std::to_string(line) + ")";
  std::optional<std::int64_t> id = fixedEventId(event.type);
  event.fixed = id.has_value();
  event.id = newVariable(name + ".id", kInt32);
  for (const EventAction &action : waitActions(event.type))
    if (action.kind == EventAction::Kind::Wait)
      event.pipes = {action.source, action.destination};
  events.push_back(event);
  return addObject({Object::Event{event.id, static_cast<std::uint32_t>(events.size() - 1)}});
}

/// Made of nothing, or of what an instruction gives, which records it. A copy would be another object with the same id.
void Lowering::initialiseEvent(ObjectId object, const clang::Expr *value, const clang::Stmt *at) {
  const std::uint32_t number = std::get<Object::Event>(objects[object].value).number;
  const clang::CXXConstructExpr *made = makingOf(value);
  bool copied = made && made->getConstructor()->isCopyOrMoveConstructor();
  std::optional<EventActions> actions = made && !copied ? actionsOf(made->getConstructor()) : std::nullopt;
  if (made && !copied && !actions && made->getConstructor()->isDefaultConstructor() &&
      made->getConstructor()->isDefaulted())
    actions.emplace(); // the compiler's own, which runs nothing
  if (!actions)
    return giveUp(at, "how the event " + events[number].name + " is made is not followed");
  for (const clang::Expr *argument : made->arguments())
    discard(argument);
  std::optional<std::int64_t> id = fixedEventId(events[number].type);
  assign(events[number].id, id ? constant(*id, kInt32) : kernel.expressions.opaque(kInt32), at);
  runEvent(number, *actions, value);
}

void Lowering::runEvent(std::uint32_t number, const EventActions &actions, const clang::Stmt *at) {
  const EventObject event = events[number];
  for (const EventAction &action : actions) {
    Sync sync;
    sync.kind = action.kind == EventAction::Kind::Set    ? SyncKind::SetFlag
                : action.kind == EventAction::Kind::Wait ? SyncKind::WaitFlag
                                                         : SyncKind::Barrier;
    sync.source = action.source;
    sync.destination = action.destination;
    std::pair<Pipe, Pipe> pipes = {action.source, action.destination};
    if (sync.kind != SyncKind::Barrier) {
      if (!event.pipes || *event.pipes != pipes)
        return giveUp(at, "the event " + event.name + " sets another flag than it waits for");
      sync.event = read(event.id);
    }
    sync.site = eventSite(at, sync, "event " + event.name, sync.kind != SyncKind::Barrier && !event.fixed);
    emit(sync, at);
  }
}

std::optional<std::uint32_t> Lowering::eventAt(const Place &place, const clang::Stmt *at) {
  if (auto *event = soleKind<Object::Event>(place))
    return event->number;
  giveUp(at, "it is not known which event this is");
  return std::nullopt;
}

/// The event, or the pointer to one, that a member is called of: most members are those of what it derives from.
const clang::Expr *Lowering::eventOf(const clang::Expr *object) const {
  object = withoutBaseCasts(object);
  clang::QualType type = object->getType()->isPointerType() ? object->getType()->getPointeeType() : object->getType();
  return objectKind(type) == ObjectKind::Event ? object : nullptr;
}

/// `e.Wait()`, `e.Record()`: whatever the member's body runs.
void Lowering::eventMember(const clang::CXXMemberCallExpr *expression, const Place &event) {
  std::optional<EventActions> actions = actionsOf(expression->getMethodDecl());
  if (!actions || expression->getNumArgs() != 0)
    return giveUp(expression, "what " + nameOf(expression->getMethodDecl()) + " of an event does is not known");
  if (std::optional<std::uint32_t> number = eventAt(event, expression))
    runEvent(*number, *actions, expression);
  returned = event;
}

/// `e = TLOAD(...)`: the instruction, then the record.
bool Lowering::eventAssignment(const clang::CXXOperatorCallExpr *expression, Place *where) {
  const clang::FunctionDecl *callee = expression->getDirectCallee();
  std::optional<EventActions> actions =
      expression->getOperator() == clang::OO_Equal && expression->getNumArgs() == 2 ? actionsOf(callee) : std::nullopt;
  if (!actions) {
    giveUp(expression, "what is done with an event is not followed");
    return true;
  }
  discard(expression->getArg(1)); // C++17: the right side first
  Place event = kept(operandPlace(unwrapObject(expression->getArg(0))), expression);
  if (std::optional<std::uint32_t> number = eventAt(event, expression))
    runEvent(*number, *actions, expression);
  if (where)
    *where = event;
  returned = event;
  return true;
}

void Lowering::waitForEvent(const clang::Expr *argument) {
  const clang::Expr *object = unwrapObject(argument);
  Place event = operandPlace(object);
  if (std::optional<std::uint32_t> number = eventAt(event, argument))
    runEvent(*number, waitActions(events[*number].type), argument);
}

/// A function of the library that is given events: it waits for them, and is an instruction behind that if it is more.
/// False: none is given. What is given to a function that does not say what it does with it is followed no further.
bool Lowering::eventCall(const clang::CallExpr *expression, const std::string &name, bool known) {
  unsigned count = expression->getNumArgs(), first = count;
  auto isEvent = [&](unsigned i) {
    return objectKind(unwrapObject(expression->getArg(i))->getType()) == ObjectKind::Event;
  };
  while (first > 0 && isEvent(first - 1))
    --first;
  if (first == count)
    return false;
  std::optional<WaitingFunction> waiting = waitingFunction(expression->getDirectCallee());
  if (!waiting || waiting->firstEvent != first ||
      isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(expression)) {
    giveUp(expression, name + " does not say what it does with an event");
    return true;
  }
  if (!waiting->nothingElse) {
    instructionCall(expression, name, known, first);
    return true;
  }
  for (unsigned i = first; i < count; ++i)
    waitForEvent(expression->getArg(i));
  return true;
}

/// `TSYNC<Op::TADD>()`: a function of the library, without arguments, whose body is a barrier.
bool Lowering::barrierCall(const clang::CallExpr *expression) {
  const clang::FunctionDecl *callee = expression->getDirectCallee();
  if (expression->getNumArgs() != 0 || !callee->getTemplateSpecializationArgs() ||
      llvm::isa<clang::CXXMethodDecl>(callee))
    return false;
  std::optional<EventActions> actions = actionsOf(callee);
  if (!actions || actions->size() != 1 || actions->front().kind != EventAction::Kind::Barrier)
    return false;
  Sync sync;
  sync.source = sync.destination = actions->front().source;
  sync.site = eventSite(expression, sync, nameOf(callee), false);
  emit(sync, expression);
  return true;
}

/// Never edited: what stands in the text is an object, which the flag's other side needs too.
SiteId Lowering::eventSite(const clang::Stmt *at, const Sync &sync, const std::string &what, bool namedId) {
  for (const InlineFrame &frame : frames)
    if (llvm::isa<clang::CXXConstructorDecl>(frame.function))
      giveUp(at, "a constructor runs a sync: the declaration that runs it does not show it");
  if (!inMainFile(at->getBeginLoc())) {
    SiteId key = headerSite(at, sync, std::string(syncText(sync.kind)) + " of " + what);
    shared.sites[key].namedId |= namedId;
    return key;
  }
  SourceRange range = rangeOf(at);
  auto [entry, inserted] = shared.sites.try_emplace(range.begin);
  SyncSite &site = entry->second;
  site.protection = Protection::NotOneStatement;
  site.namedId |= namedId;
  if (!inserted)
    return range.begin;
  site.kind = sync.kind;
  site.source = sync.source;
  site.destination = sync.destination;
  site.text = std::string(syncText(sync.kind)) + " of " + what;
  site.keepReason = "the library's " + what + " stands for it, and that is not edited";
  LineColumn place = shared.source.position(range.begin);
  site.line = place.line;
  site.column = place.column;
  site.range = range;
  return range.begin;
}

/// An id that the run gives out has a name if its flag is the only one between its pipes, and is unknown else.
void Lowering::nameEventIds() {
  for (ObjectId object : exposed)
    if (auto *event = std::get_if<Object::Event>(&objects[object].value); event && kernel.analysable)
      giveUp(frames.back().function->getBody(),
             "the event " + events[event->number].name + " goes where it is not followed");
  std::map<std::pair<Pipe, Pipe>, std::set<VariableId>> flags; // of events; kNone: another
  for (const EventObject &event : events)
    if (event.pipes)
      flags[*event.pipes].insert(event.fixed ? kNone : event.id);
  if (flags.empty())
    return;
  auto other = [&](std::pair<Pipe, Pipe> pipes) {
    if (auto found = flags.find(pipes); found != flags.end())
      found->second.insert(kNone);
  };
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      if (auto *sync = std::get_if<Sync>(&statement.action); sync && sync->event != kNone) {
        const Expression &id = kernel.expressions[sync->event];
        bool ours = id.kind == Expression::Kind::Variable &&
                    llvm::any_of(events, [&](const EventObject &event) { return event.id == id.variable; });
        if (!ours)
          other({sync->source, sync->destination});
      }
      if (auto *instruction = std::get_if<Instruction>(&statement.action))
        if (shared.insideFlags)
          for (std::pair<Pipe, Pipe> pipes : shared.insideFlags(instruction->name))
            other(pipes);
    }
  std::set<VariableId> alone;
  for (const auto &[pipes, ids] : flags)
    if (ids.size() == 1 && *ids.begin() != kNone)
      alone.insert(*ids.begin());
  for (Block &block : kernel.blocks)
    for (Statement &statement : block.statements)
      if (auto *made = std::get_if<Assign>(&statement.action); made && alone.count(made->variable))
        made->value = constant(0, kInt32);
}

} // namespace ptosync
