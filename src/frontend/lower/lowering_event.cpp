// Objects of the library's Event: the syncs that they run when they are recorded and waited for.
//
// The id of an event's flag is a variable that gets its value where the object is made and never again. Where the type
// fixes the id it is that. Else a counter of the run gives it out, and nobody knows where the counter stands: the id is
// unknown, unless no other flag goes between the same pipes anywhere in the kernel, inside its instructions included.
// Then any number names it as well as any other, since there is nothing to take it for; it is called 0.
// A name is no id: nothing new may be set between those pipes, since it might take the id that the run gave
// (SyncSite::namedId).
#include "frontend/lower/lowering.h"

namespace ptosync {

using clang::dyn_cast;

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
  giveUp(at, "which event is meant is not known");
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
  site.keepReason = what + " of the library stands for it";
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
