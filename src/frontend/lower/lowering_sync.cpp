// Calls that synchronise: barriers, flags, the end fence; the sites they are.
#include "frontend/lower/lowering.h"

#include <array>

namespace ptosync {

using clang::dyn_cast;

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
      giveUp(expression, "which pipes " + name.str() + " means is not known");
      return true;
    }
    ExpressionId event = scalar(expression->getArg(2));
    emitSync(expression, name == "set_flag" ? SyncKind::SetFlag : SyncKind::WaitFlag, *source, *destination, event);
    return true;
  }
  if (name == kSetAndWait)
    return setAndWaitCall(expression);
  if (isSyncName(name)) {
    giveUp(expression, name.str() + " with " + std::to_string(count) + " arguments");
    return true;
  }
  return name == kTailHelper && tailCall(expression, nullptr);
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

/// True if all the body does is choose by its own parameter between draining every pipe and less.
bool Lowering::isTailBody(const clang::FunctionDecl *definition) const {
  if (definition->getNumParams() > 1)
    return false;
  bool drains = false, plain = true;
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
      auto *pipe =
          called->getNumArgs() == 1 ? dyn_cast<clang::DeclRefExpr>(called->getArg(0)->IgnoreParenImpCasts()) : nullptr;
      drains |= plain && name == "pipe_barrier" && pipe && pipe->getDecl()->getNameAsString() == "PIPE_ALL";
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
  return plain && drains;
}

/// The emitted end fence, if its helper in this file really drains every pipe and does nothing else; otherwise it is
/// looked at like any helper.
bool Lowering::tailCall(const clang::CallExpr *expression, const clang::FunctionDecl *definition) {
  if (definition && !isTailBody(definition))
    return false;
  if (definition)
    followedMentions.insert(expression->getCallee()->IgnoreParenImpCasts());
  Pipe drained = Pipe::All;
  if (expression->getNumArgs() >= 1) {
    clang::Expr::EvalResult value;
    const clang::Expr *mode = expression->getArg(0);
    discard(mode);
    bool known = mode->EvaluateAsInt(value, shared.ast);
    if (!known || enumeratorName(mode->getType(), integerBits(value.Val.getInt())) != "kBarrierAll")
      drained = Pipe::MTE3;
  }
  emitSync(expression, SyncKind::Tail, drained, drained, kNone);
  return true;
}

void Lowering::emitSync(const clang::CallExpr *expression, SyncKind kind, Pipe source, Pipe destination,
                        ExpressionId event) {
  Sync sync;
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
  site.keepReason = "it stands in the header " + place;
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
  if (kind == SyncKind::Tail || insideTail)
    site.protection = Protection::Tail;
  else if (!whole)
    site.protection = Protection::NotOneStatement;
  return range.begin;
}

} // namespace ptosync
