// Bodies of the file in place of their calls, with fresh objects: every call is analysed for itself.
#include "frontend/host_text.h"
#include "frontend/lowering.h"

namespace ptosync {

using clang::dyn_cast;

namespace {

constexpr std::size_t kDeepestCall = 64;
constexpr std::size_t kMostExpansions = 20000; // of a kernel

} // namespace

/// The definition, if it stands in this file or a header of its own that is read, and its text is that of a body.
const clang::FunctionDecl *Lowering::bodyOf(const clang::FunctionDecl *function) const {
  const clang::FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition) || !inOwnText(definition->getLocation()) || !definition->getBody() ||
      isBrokenFunction(definition))
    return nullptr;
  if (!inMainFile(definition->getLocation()) && !shared.headers.refusal(definition).empty())
    return nullptr;
  return definition;
}

bool Lowering::mayExpand(const clang::Stmt *at, const clang::FunctionDecl *body) {
  for (const InlineFrame &frame : frames)
    if (frame.function == body) {
      giveUp(at, "recursive call of " + body->getNameAsString());
      return false;
    }
  if (frames.size() >= kDeepestCall) {
    giveUp(at, "calls nest deeper than " + std::to_string(kDeepestCall));
    return false;
  }
  if (++expansions > kMostExpansions) {
    giveUp(at, "more than " + std::to_string(kMostExpansions) + " calls of helpers");
    return false;
  }
  if (body->isVariadic()) {
    giveUp(at, "a call of a function with C variadic arguments is not followed");
    return false;
  }
  return true;
}

/// Makes the parameters from the arguments, then gives them their names: an argument may call the same helper.
bool Lowering::bindArguments(const clang::FunctionDecl *body, llvm::ArrayRef<const clang::Expr *> arguments,
                             const clang::Stmt *at) {
  std::vector<std::pair<const clang::ValueDecl *, Place>> bound;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (i >= body->getNumParams()) {
      discard(arguments[i]);
      continue;
    }
    const clang::ParmVarDecl *parameter = body->getParamDecl(i);
    if (parameter->getType()->isReferenceType()) {
      bound.emplace_back(parameter, referencePlace(arguments[i]));
    } else if (parameter->getType()->isPointerType() && shared.bodies.keepsItsValue(parameter) &&
               declarePointer(parameter, arguments[i])) {
      bound.emplace_back(parameter, bindings[parameter]);
    } else {
      ObjectId object = newObject(parameter->getType(), parameter->getNameAsString(), lineOf(parameter->getLocation()));
      initialise(object, arguments[i], at);
      bound.emplace_back(parameter, objectPlace(object));
    }
  }
  for (auto &[parameter, place] : bound)
    bindings[parameter] = std::move(place);
  return kernel.analysable;
}

/// Inside a lambda a captured variable is the closure's member.
void Lowering::bindCaptures(InlineFrame &frame, const clang::CXXMethodDecl *method, const clang::Stmt *at) {
  llvm::DenseMap<const clang::ValueDecl *, clang::FieldDecl *> captures;
  clang::FieldDecl *self = nullptr;
  method->getParent()->getCaptureFields(captures, self);
  if (captures.empty() && !self) {
    frame.self.reset();
    return;
  }
  auto *closure = frame.self ? soleKind<Object::Record>(*frame.self) : nullptr;
  if (!closure)
    return giveUp(at, "which closure is called is not known");
  for (const auto &[variable, field] : captures) {
    ObjectId part = closure->fields.find(field);
    if (part == kNone)
      return giveUp(at, "a capture is not followed");
    frame.captures[variable] = objectPlace(part);
  }
  std::optional<Place> outer;
  if (self) {
    ObjectId part = closure->fields.find(self);
    if (auto *pointer = std::get_if<Object::Pointer>(&objects[part].value))
      outer = pointer->place;
    else
      outer = objectPlace(part); // [*this]
  }
  frame.self = outer;
}

void Lowering::runBody(InlineFrame frame, const clang::FunctionDecl *body, const clang::Stmt *at,
                       llvm::function_ref<void()> before) {
  frame.function = body;
  frame.returnTo = newBlock();
  BlockId returnTo = frame.returnTo;
  kernel.contexts.push_back(
      {currentContext, lineOf(at->getBeginLoc()), body->getNameAsString(), beginInText(at->getBeginLoc())});
  std::uint32_t callerContext = std::exchange(currentContext, static_cast<std::uint32_t>(kernel.contexts.size() - 1));
  const clang::Stmt *callerStatement = std::exchange(fullStatement, nullptr);
  bool callerSole = std::exchange(soleBody, false);
  std::vector<JumpTargets> callerJumps = std::exchange(jumps, {});
  std::map<const clang::SwitchCase *, BlockId> callerCases = std::exchange(caseBlocks, {});
  bool inHeader = !inMainFile(body->getLocation());
  const clang::Stmt *callerHeader = headerCall;
  if (!inHeader)
    headerCall = nullptr; // what a header calls back
  else if (!headerCall)
    headerCall = at;
  Anchor callerAnchor = anchor;
  if (inHeader)
    anchor = Anchor{};
  frames.push_back(std::move(frame));
  refuseConditionals(body);
  readLists(body);
  if (before)
    before();
  lower(body->getBody());
  jump(returnTo);
  current = returnTo;
  anchor = callerAnchor;
  headerCall = callerHeader;
  jumps = std::move(callerJumps);
  caseBlocks = std::move(callerCases);
  soleBody = callerSole;
  fullStatement = callerStatement;
  currentContext = callerContext;
  const InlineFrame done = std::move(frames.back());
  frames.pop_back();
  returned.reset();
  if (!done.resultPlaces.empty())
    returned = mergedResult(done);
  else if (done.resultObject != kNone)
    returned = objectPlace(done.resultObject);
}

/// What a returned reference means: the place of the return statement that ran.
Place Lowering::mergedResult(const InlineFrame &frame) {
  if (frame.resultPlaces.size() == 1)
    return frame.resultPlaces.front();
  Place merged;
  for (std::size_t i = 0; i < frame.resultPlaces.size(); ++i) {
    ExpressionId ran = kNone;
    if (i + 1 < frame.resultPlaces.size())
      ran = kernel.expressions.binary(Operator::Equal, read(frame.whichPlace), constant(static_cast<std::int64_t>(i)),
                                      kBoolean);
    for (Choice choice : frame.resultPlaces[i].choices) {
      if (ran != kNone)
        choice.guard =
            choice.guard == kNone ? ran : kernel.expressions.binary(Operator::BitAnd, ran, choice.guard, kBoolean);
      merged.choices.push_back(choice);
    }
  }
  return merged;
}

ExpressionId Lowering::expandHelper(const clang::CallExpr *expression, const clang::FunctionDecl *body,
                                    std::optional<Place> self, llvm::ArrayRef<const clang::Expr *> arguments) {
  IntegerType type = typeOf(expression);
  if (!mayExpand(expression, body))
    return constant(0);
  followedMentions.insert(expression->getCallee()->IgnoreParenImpCasts());
  if (!bindArguments(body, arguments, expression))
    return constant(0);
  InlineFrame frame;
  frame.self = std::move(self);
  auto *method = dyn_cast<clang::CXXMethodDecl>(body);
  if (method && method->getParent()->isLambda())
    bindCaptures(frame, method, expression);
  clang::QualType result = body->getReturnType();
  if (result->isReferenceType())
    frame.whichPlace = newVariable(body->getNameAsString() + ".return", kInt64);
  else if (result->isRecordType() || result->isArrayType())
    frame.resultObject = newObject(result, body->getNameAsString() + ".result", lineOf(expression->getBeginLoc()));
  else if (type.bits)
    frame.result = newVariable(body->getNameAsString() + ".result", type);
  VariableId value = frame.result;
  runBody(std::move(frame), body, expression, nullptr);
  return value != kNone ? read(value) : kernel.expressions.opaque(type);
}

} // namespace ptosync
