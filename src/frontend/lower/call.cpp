// Lowers calls: whose function it is; members, operators, and what places a tile. Bodies of the file are expanded in
// the place of their calls with fresh objects, so every call is analysed for itself.
#include "frontend/lower/lowering.h"

#include "frontend/read/origin.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/Builtins.h>
#include <clang/Lex/Lexer.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

/// Values of the core that stay the same during a run.
bool isQuery(llvm::StringRef name) {
  return name == "get_block_idx" || name == "get_block_num" || name == "get_subblockid" || name == "get_subblocknum" ||
         name == "get_subblockdim" || name == "get_coreid";
}

/// Calls of the library that give their first argument an address and do nothing else.
bool isAddressCall(llvm::StringRef name) {
  return name == "TASSIGN" || name == "TRESHAPE" || name == "TSUBVIEW" || name == "TGET_SCALE_ADDR";
}

/// An assignment by an operator of the file: its right side is evaluated before its left one.
bool isAssignment(const clang::Stmt *call) {
  auto *overloaded = dyn_cast<clang::CXXOperatorCallExpr>(call);
  return overloaded && overloaded->isAssignmentOp();
}

} // namespace

const clang::Expr *withoutBaseCasts(const clang::Expr *object) {
  object = object->IgnoreParens();
  while (auto *cast = dyn_cast<clang::ImplicitCastExpr>(object)) {
    if (cast->getCastKind() != clang::CK_UncheckedDerivedToBase && cast->getCastKind() != clang::CK_DerivedToBase &&
        cast->getCastKind() != clang::CK_NoOp)
      break;
    object = cast->getSubExpr()->IgnoreParens();
  }
  return object;
}

std::string nameOf(const clang::FunctionDecl *function) {
  return function && function->getDeclName().isIdentifier() ? function->getName().str() : std::string();
}

llvm::ArrayRef<clang::TemplateArgumentLoc> writtenTemplateArguments(const clang::CallExpr *expression) {
  auto *reference = dyn_cast<clang::DeclRefExpr>(expression->getCallee()->IgnoreParenImpCasts());
  return reference ? reference->template_arguments() : llvm::ArrayRef<clang::TemplateArgumentLoc>();
}

/// Declared by the library and by nobody else: the built-in declarations, or the headers that the user gave.
bool Lowering::isLibrary(const clang::Decl *declaration) const {
  return declaration && isLibraryDeclaration(declaration, shared.ast);
}

ExpressionId Lowering::call(const clang::CallExpr *expression) {
  returned.reset();
  if (auto *member = dyn_cast<clang::MemberExpr>(expression->getCallee()->IgnoreParenImpCasts());
      member && !isa<clang::CXXMemberCallExpr>(expression) && member->getBase()->HasSideEffects(shared.ast))
    drop(member->getBase()); // of a static function: its object is evaluated all the same
  const clang::FunctionDecl *callee = expression->getDirectCallee();
  if (!callee) {
    giveUp(expression, "a call through a pointer or of something that is no function is not followed");
    return constant(0);
  }
  if (auto *overloaded = dyn_cast<clang::CXXOperatorCallExpr>(expression)) {
    if (operatorCall(overloaded, nullptr))
      return constant(0);
  } else if (auto *member = dyn_cast<clang::CXXMemberCallExpr>(expression)) {
    if (std::optional<ExpressionId> value = memberCall(member))
      return *value;
  }
  const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
  if (const clang::FunctionDecl *body = bodyOf(callee)) {
    if (method && method->isVirtual()) {
      giveUp(expression, "a virtual call is not followed");
      return constant(0);
    }
    std::vector<const clang::Expr *> arguments(expression->arguments().begin(), expression->arguments().end());
    std::optional<Place> self;
    const clang::Expr *assigned = nullptr;
    if (auto *member = dyn_cast<clang::CXXMemberCallExpr>(expression)) {
      const clang::Expr *object = member->getImplicitObjectArgument();
      self = kept(object->getType()->isPointerType() ? pointee(object) : operandPlace(object), expression);
    } else if (method && method->isInstance() && isa<clang::CXXOperatorCallExpr>(expression)) {
      if (isAssignment(expression))
        assigned = arguments.front();
      else
        self = kept(operandPlace(arguments.front()), expression);
      arguments.erase(arguments.begin());
    } else if (method && isa<clang::CXXOperatorCallExpr>(expression)) { // a static operator
      discard(arguments.front());
      arguments.erase(arguments.begin());
    }
    if (nameOf(callee) == kTailHelper && tailCall(expression, body))
      return constant(0);
    return expandHelper(expression, body, self, arguments, assigned);
  }
  if (callee->getBuiltinID() != 0)
    return builtinCall(expression, callee);
  if (isLibrary(callee))
    return libraryCall(expression, callee);
  const clang::FunctionDecl *elsewhere = nullptr;
  std::string why = callee->hasBody(elsewhere) && shared.headers.holds(elsewhere->getLocation())
                        ? shared.headers.refusal(elsewhere)
                        : std::string();
  giveUp(expression,
         why.empty()
             ? "the body of " + callee->getNameAsString() +
                   " is not in this file, so it may run anything; put it into the file or into a header of the kernel"
             : "the body of " + callee->getNameAsString() + " in " + shared.headers.placeOf(elsewhere->getLocation()) +
                   " is not read: " + why);
  return constant(0);
}

ExpressionId Lowering::libraryCall(const clang::CallExpr *expression, const clang::FunctionDecl *callee) {
  std::string name = nameOf(callee);
  IntegerType type = typeOf(expression);
  if (name.empty()) { // an operator or a conversion of a library object
    for (const clang::Expr *argument : expression->arguments())
      discard(argument);
    unknownEffect("expression", expression, {});
    exposeNamed(expression);
    return kernel.expressions.opaque(type);
  }
  if (auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
      method && method->isStatic() && isPlainData(shared.ast.getRecordType(method->getParent()))) {
    // Makes plain data of its arguments.
    for (const clang::Expr *argument : expression->arguments())
      discard(argument);
    return kernel.expressions.opaque(type);
  }
  if (isQuery(name)) {
    for (const clang::Expr *argument : expression->arguments())
      drop(argument);
    return kernel.expressions.query(name, type);
  }
  if (addressCall(expression, name) || syncCall(expression, name) || barrierCall(expression))
    return constant(0);
  // A call of these that comes here has a form that is not followed.
  bool known = shared.instructions.count(name) && !isAddressCall(name) && !isSyncName(name);
  if (eventCall(expression, name, known))
    return kernel.expressions.opaque(type);
  return instructionCall(expression, name, known);
}

/// What the compiler knows by itself. The few that only compute or copy are followed.
ExpressionId Lowering::builtinCall(const clang::CallExpr *expression, const clang::FunctionDecl *callee) {
  std::string name = nameOf(callee);
  IntegerType type = typeOf(expression);
  if (name == "__builtin_expect" && expression->getNumArgs() >= 1) {
    ExpressionId value = scalar(expression->getArg(0));
    for (unsigned i = 1; i < expression->getNumArgs(); ++i)
      drop(expression->getArg(i));
    return value;
  }
  if (name == "__builtin_addressof") {
    Place target = operandPlace(expression->getArg(0));
    if (target.choices.size() == 1 && target.choices[0].target.kind == Target::Kind::Memory)
      return target.choices[0].target.address;
    expose(target);
    return kernel.expressions.opaque(type);
  }
  if (std::optional<ExpressionId> value = compileTimeValue(expression))
    return *value;
  if (callee->getBuiltinID() == clang::Builtin::BI__builtin_is_constant_evaluated)
    return kernel.expressions.opaque(type);
  static const std::set<std::string> kCopies = {"memcpy",           "memmove",          "memset",
                                                "memcmp",           "__builtin_memcpy", "__builtin_memmove",
                                                "__builtin_memset", "__builtin_memcmp"};
  bool pure = shared.ast.BuiltinInfo.isConst(callee->getBuiltinID());
  bool copies = kCopies.count(name) != 0;
  bool atomic = name.starts_with("__sync_") || name.starts_with("__atomic_");
  bool nothing = name == "__builtin_assume" || name == "__builtin_unreachable" || name == "__builtin_prefetch";
  if (!pure && !copies && !atomic && !nothing) {
    giveUp(expression, "it calls " + name + ", and the tool does not follow what that does");
    return constant(0);
  }
  for (const clang::Expr *argument : expression->arguments())
    discard(argument); // the addresses of objects: they are exposed by that
  if (copies || atomic)
    unknownEffect(name, expression, {});
  return kernel.expressions.opaque(type);
}

/// Operations that only move addresses about; they reach no pipe. False: another form, which is not followed.
bool Lowering::addressCall(const clang::CallExpr *expression, llvm::StringRef name) {
  if (!isAddressCall(name))
    return false;
  unsigned count = expression->getNumArgs();
  bool compileTime = name == "TASSIGN" && count == 1 && writtenTemplateArguments(expression).size() == 1;
  if (!compileTime && count != (name == "TSUBVIEW" ? 4U : 2U))
    return false;
  const clang::Expr *object = unwrapObject(expression->getArg(0));
  ObjectKind kind = objectKind(object->getType());
  if (kind != ObjectKind::Tile && (kind != ObjectKind::Tensor || name != "TASSIGN"))
    return false;
  // Of several objects, the one that is meant moves.
  const Place target = kept(operandPlace(object), expression);
  ExpressionId address = name == "TASSIGN" ? assignedAddress(expression) : viewedAddress(expression, name);
  if (kernel.expressions[address].type.bits == 0)
    address = kernel.expressions.opaque(kAddress);
  if (target.choices.size() > 1)
    address = keptValue(address, "place", expression);
  changeObjects(name.str(), count, target, expression, [&](const Object &meant, ExpressionId guard) {
    if (auto *tile = std::get_if<Object::TileObject>(&meant.value))
      assignIf(guard, kernel.tiles[tile->tile].address, address, expression);
    else if (auto *tensor = std::get_if<Object::TensorObject>(&meant.value))
      assignIf(guard, kernel.tensors[tensor->tensor].pointer, address, expression);
    else
      return false;
    return true;
  });
  return true;
}

/// `TASSIGN(object, address)`, `TASSIGN<address>(object)`.
ExpressionId Lowering::assignedAddress(const clang::CallExpr *expression) {
  if (expression->getNumArgs() == 2)
    return scalar(expression->getArg(1));
  const clang::TemplateArgument &written = writtenTemplateArguments(expression)[0].getArgument();
  if (written.getKind() == clang::TemplateArgument::Integral)
    return constant(integerBits(written.getAsIntegral()), kAddress);
  if (written.getKind() == clang::TemplateArgument::Expression)
    if (std::optional<ExpressionId> value = compileTimeValue(written.getAsExpr()))
      return kernel.expressions.cast(*value, kAddress);
  return kernel.expressions.opaque(kAddress);
}

/// Whether an argument of the call other than that one has effects.
bool Lowering::actsBeside(const clang::CallExpr *call, unsigned number) const {
  for (unsigned i = 0; i < call->getNumArgs(); ++i)
    if (i != number && call->getArg(i)->HasSideEffects(shared.ast))
      return true;
  return false;
}

/// Where a view of the second argument begins.
ExpressionId Lowering::viewedAddress(const clang::CallExpr *expression, llvm::StringRef name) {
  const bool outer = std::exchange(othersAct, actsBeside(expression, 1));
  std::optional<TileId> parent = tileOf(expression->getArg(1));
  othersAct = outer;
  if (!parent)
    discard(expression->getArg(1));
  if (parent && name == "TSUBVIEW")
    return subviewAddress(expression, *parent);
  for (unsigned i = 2; i < expression->getNumArgs(); ++i)
    discard(expression->getArg(i));
  return parent && name == "TRESHAPE" ? read(kernel.tiles[*parent].address) : kernel.expressions.opaque(kAddress);
}

ExpressionId Lowering::subviewAddress(const clang::CallExpr *expression, TileId parentId) {
  const Tile parent = kernel.tiles[parentId];
  std::vector<ExpressionId> corner = scalars({expression->getArg(2), expression->getArg(3)}, expression);
  ExpressionId row = corner[0], col = corner[1];
  bool plain = parent.innerLayout == InnerLayout::NoneBox && parent.elementBits >= 8 &&
               kernel.expressions[row].type.bits && kernel.expressions[col].type.bits;
  if (!plain)
    return kernel.expressions.opaque(kAddress);
  bool rowMajor = parent.blockLayout == BlockLayout::RowMajor;
  std::int64_t bytes = parent.elementBits / 8;
  auto scaled = [&](ExpressionId value, std::int64_t factor) {
    return kernel.expressions.binary(Operator::Multiply, kernel.expressions.cast(value, kAddress),
                                     constant(factor, kAddress), kAddress);
  };
  ExpressionId offset = kernel.expressions.binary(Operator::Add, scaled(row, bytes * (rowMajor ? parent.cols : 1)),
                                                  scaled(col, bytes * (rowMajor ? 1 : parent.rows)), kAddress);
  return kernel.expressions.binary(Operator::Add, read(parent.address), offset, kAddress);
}

void Lowering::setValidShape(const clang::CXXMemberCallExpr *expression, const Place &tile, llvm::StringRef name) {
  bool rows = name != "SetValidCol", cols = name != "SetValidRow";
  std::vector<const clang::Expr *> arguments(expression->arguments().begin(), expression->arguments().end());
  Place target = kept(tile, expression); // C++17: before the arguments
  std::vector<ExpressionId> entries = scalars(arguments, expression);
  if (target.choices.size() > 1 || entries.size() > 1) // an entry may be one that is set here
    for (ExpressionId &entry : entries)
      entry = keptValue(entry, "valid", expression);
  changeObjects(name.str(), 1 + expression->getNumArgs(), target, expression,
                [&](const Object &meant, ExpressionId guard) {
                  auto *object = std::get_if<Object::TileObject>(&meant.value);
                  if (!object)
                    return false;
                  const Tile changed = kernel.tiles[object->tile];
                  if ((rows && changed.staticValidRows >= 0) || (cols && changed.staticValidCols >= 0)) {
                    giveUp(expression, "the valid region of a tile is changed although its type fixes it");
                    return true;
                  }
                  std::size_t next = 0;
                  if (rows && next < entries.size())
                    assignIf(guard, changed.validRows, entries[next++], expression);
                  if (cols && next < entries.size())
                    assignIf(guard, changed.validCols, entries[next++], expression);
                  return true;
                });
}

/// Members of the library's Tile and GlobalTensor that kernels call; nothing if the member is the file's own.
std::optional<ExpressionId> Lowering::memberCall(const clang::CXXMemberCallExpr *expression) {
  IntegerType type = typeOf(expression);
  const clang::CXXMethodDecl *method = expression->getMethodDecl();
  if (!method || bodyOf(method))
    return std::nullopt;
  const clang::Expr *object = withoutBaseCasts(expression->getImplicitObjectArgument());
  if (!isLibrary(method))
    return std::nullopt;
  if (!method->getDeclName().isIdentifier() && !isa<clang::CXXConversionDecl>(method)) {
    giveUp(expression,
           "an operator of the library that is called by its name is not followed; write it as an operator");
    return constant(0);
  }
  if (!method->getDeclName().isIdentifier()) {
    // A conversion of an instruction's result: its value is unknown.
    discard(object);
    for (const clang::Expr *argument : expression->arguments())
      discard(argument);
    return kernel.expressions.opaque(type);
  }
  std::string name = method->getName().str();
  const clang::Expr *holder = unwrapObject(object);
  if (const clang::Expr *event = eventOf(object)) {
    eventMember(expression, event->getType()->isPointerType() ? pointee(event) : operandPlace(event));
    return constant(0);
  }
  bool arrow = holder->getType()->isPointerType();
  ObjectKind kind = objectKind(arrow ? holder->getType()->getPointeeType() : holder->getType());
  if (kind == ObjectKind::Tile) {
    bool sets = name == "SetValidShape" || name == "SetValidRow" || name == "SetValidCol";
    bool gets = name == "GetValidRow" || name == "GetValidCol" || name == "data";
    if (sets || gets) {
      Place found = arrow ? pointee(object) : operandPlace(object); // of a copy, where a cast makes one
      if (sets) {
        setValidShape(expression, found, name);
        return constant(0);
      }
      TileId tile = tileAt(found, arrow ? holder->getType()->getPointeeType() : holder->getType(), holder);
      if (name == "data")
        return read(kernel.tiles[tile].address);
      const Tile &asked = kernel.tiles[tile];
      bool row = name == "GetValidRow";
      std::int64_t known = row ? asked.staticValidRows : asked.staticValidCols;
      return known >= 0 ? constant(known, type)
                        : kernel.expressions.cast(read(row ? asked.validRows : asked.validCols), type);
    }
  }
  if (kind == ObjectKind::Tensor && name == "data") {
    Place found = arrow ? pointee(object) : operandPlace(object);
    TensorId tensor = tensorAt(found, arrow ? holder->getType()->getPointeeType() : holder->getType(), holder);
    return read(kernel.tensors[tensor].pointer);
  }
  return instructionCall(expression, name, shared.instructions.count(name) != 0);
}

/// Assignments of the library's objects, and elements of the event id arrays; false: an operator of the file's own.
bool Lowering::operatorCall(const clang::CXXOperatorCallExpr *expression, Place *where) {
  const clang::Expr *object = expression->getNumArgs() ? expression->getArg(0) : nullptr;
  auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(expression->getDirectCallee());
  if (!object || !method)
    return false;
  if (objectKind(unwrapObject(object)->getType()) == ObjectKind::Event)
    return eventAssignment(expression, where);
  ObjectKind kind = objectKind(object->getType());
  if (expression->getOperator() == clang::OO_Subscript && expression->getNumArgs() == 2 &&
      kind == ObjectKind::EventArray) {
    Place array = operandPlace(object);
    if (!soleKind<Object::Array>(array) || !isPlainSubscript(method))
      return false;
    Place element = elementOf(array, scalar(expression->getArg(1)), method->getReturnType().getNonReferenceType());
    followedMentions.insert(expression->getCallee()->IgnoreParenImpCasts());
    returned = element;
    if (where)
      *where = element;
    return true;
  }
  bool copies = method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator();
  if (!copies || method->isUserProvided() || expression->getNumArgs() != 2)
    return false;
  if (!copiesPlainly(method->getParent())) {
    giveUp(expression, copyReason(method->getParent()));
    return true;
  }
  const clang::Expr *value = expression->getArg(1);
  // C++17: the right side first. Where finding the left side does nothing, an object of the library takes its value in
  // place.
  bool inPlace =
      kind != ObjectKind::None && kind != ObjectKind::EventArray && isa<clang::DeclRefExpr>(object->IgnoreParens());
  std::optional<Place> source;
  if (!inPlace)
    source = operandPlace(value);
  Place target = kept(operandPlace(object), expression);
  if (where)
    *where = target;
  if (std::optional<ObjectId> meant = soleObject(target)) {
    if (std::holds_alternative<Object::Untracked>(objects[*meant].value)) {
      if (source)
        expose(*source);
      else
        discard(value);
    } else if (source)
      copyObject(*meant, *source, value->getType(), expression);
    else if (isDefaultConstruction(value))
      forget(*meant, expression);
    else
      initialise(*meant, value, value);
    return true;
  }
  if (!source)
    source = operandPlace(value);
  std::optional<TileId> tile;
  std::optional<TensorId> tensor;
  if (kind == ObjectKind::Tile)
    tile = tileAt(*source, value->getType(), value);
  else if (kind == ObjectKind::Tensor)
    tensor = tensorAt(*source, value->getType(), value);
  else
    expose(*source);
  changeObjects("assignment", 2, target, expression, [&](const Object &meant, ExpressionId guard) {
    auto *tileObject = std::get_if<Object::TileObject>(&meant.value);
    auto *tensorObject = std::get_if<Object::TensorObject>(&meant.value);
    if (tile && tileObject)
      copyTile(tileObject->tile, *tile, guard, expression);
    else if (tensor && tensorObject)
      copyTensor(tensorObject->tensor, *tensor, guard, expression);
    else
      return false;
    return true;
  });
  return true;
}

// Bodies of the file.

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
      giveUp(at, "it calls " + body->getNameAsString() + " recursively, which is not followed; write it as a loop");
      return false;
    }
  if (frames.size() >= kDeepestCall) {
    giveUp(at,
           "its calls nest deeper than " + std::to_string(kDeepestCall) + ", which is as far as the tool follows them");
    return false;
  }
  if (++expansions > kMostExpansions) {
    giveUp(at, "it expands to more than " + std::to_string(kMostExpansions) +
                   " calls of helpers, which is as far as the tool follows them");
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
                             const clang::Stmt *at, llvm::function_ref<void()> beforeNames) {
  std::vector<std::pair<const clang::ValueDecl *, Place>> bound;
  const unsigned count = static_cast<unsigned>(arguments.size());
  for (unsigned number = 0; number < count; ++number) {
    const unsigned i = isAssignment(at) ? count - 1 - number : number; // C++17: the right side of those first
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
  if (beforeNames)
    beforeNames();
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
    return giveUp(at, "it is not known which closure this calls");
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
  const bool callerActs = std::exchange(othersAct, false);
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
  othersAct = callerActs;
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
                                    std::optional<Place> self, llvm::ArrayRef<const clang::Expr *> arguments,
                                    const clang::Expr *assigned) {
  IntegerType type = typeOf(expression);
  if (!mayExpand(expression, body))
    return constant(0);
  followedMentions.insert(expression->getCallee()->IgnoreParenImpCasts());
  auto findAssigned = [&] {
    if (assigned)
      self = kept(operandPlace(assigned), expression);
  };
  if (!bindArguments(body, arguments, expression, findAssigned))
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
