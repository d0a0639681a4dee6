// Calls: whose function it is; members, operators, and what places a tile.
#include "frontend/lowering.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

/// Values of the core that stay the same during a run.
bool isQuery(llvm::StringRef name) {
  return name == "get_block_idx" || name == "get_block_num" || name == "get_subblockid" || name == "get_subblocknum" ||
         name == "get_subblockdim" || name == "get_coreid";
}

} // namespace

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
    if (auto *member = dyn_cast<clang::CXXMemberCallExpr>(expression)) {
      const clang::Expr *object = member->getImplicitObjectArgument();
      self = kept(object->getType()->isPointerType() ? pointee(object) : operandPlace(object), expression);
    } else if (method && method->isInstance() && isa<clang::CXXOperatorCallExpr>(expression)) {
      self = kept(operandPlace(arguments.front()), expression);
      arguments.erase(arguments.begin());
    } else if (method && isa<clang::CXXOperatorCallExpr>(expression)) { // a static operator
      discard(arguments.front());
      arguments.erase(arguments.begin());
    }
    if (nameOf(callee) == kTailHelper && tailCall(expression, body))
      return constant(0);
    return expandHelper(expression, body, self, arguments);
  }
  if (callee->getBuiltinID() != 0)
    return builtinCall(expression, callee);
  if (isLibrary(callee))
    return libraryCall(expression, callee);
  const clang::FunctionDecl *elsewhere = nullptr;
  std::string why = callee->hasBody(elsewhere) && shared.headers.holds(elsewhere->getLocation())
                        ? shared.headers.refusal(elsewhere)
                        : std::string();
  giveUp(expression, why.empty()
                         ? "the body of " + callee->getNameAsString() + " is not in this file: it may run anything"
                         : "the body of " + callee->getNameAsString() + " in " +
                               shared.headers.placeOf(elsewhere->getLocation()) + " is not read: " + why);
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
      discard(argument);
    return kernel.expressions.query(name, type);
  }
  if (addressCall(expression, name) || syncCall(expression, name) || barrierCall(expression))
    return constant(0);
  bool address = name == "TASSIGN" || name == "TRESHAPE" || name == "TSUBVIEW"; // a form that is not followed
  bool sync = name == "pipe_barrier" || name == "set_flag" || name == "wait_flag";
  bool known = shared.instructions.count(name) && !address && !sync;
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
      discard(expression->getArg(i));
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
  static const std::set<std::string> kCopies = {"memcpy",           "memmove",          "memset",
                                                "memcmp",           "__builtin_memcpy", "__builtin_memmove",
                                                "__builtin_memset", "__builtin_memcmp"};
  bool pure = shared.ast.BuiltinInfo.isConst(callee->getBuiltinID());
  bool copies = kCopies.count(name) != 0;
  bool atomic = name.starts_with("__sync_") || name.starts_with("__atomic_");
  bool nothing = name == "__builtin_assume" || name == "__builtin_unreachable" || name == "__builtin_prefetch";
  if (!pure && !copies && !atomic && !nothing) {
    giveUp(expression, "what " + name + " does is not followed");
    return constant(0);
  }
  for (const clang::Expr *argument : expression->arguments())
    discard(argument); // the addresses of objects: they are exposed by that
  if (copies || atomic)
    unknownEffect(name, expression, {});
  return kernel.expressions.opaque(type);
}

/// Operations that only move addresses about; they reach no pipe.
bool Lowering::addressCall(const clang::CallExpr *expression, llvm::StringRef name) {
  if (name != "TASSIGN" && name != "TRESHAPE" && name != "TSUBVIEW")
    return false;
  unsigned count = expression->getNumArgs();
  llvm::ArrayRef<clang::TemplateArgumentLoc> written = writtenTemplateArguments(expression);
  bool compileTime = name == "TASSIGN" && count == 1 && written.size() == 1;
  bool known = compileTime || (name == "TASSIGN" && count == 2) || (name == "TRESHAPE" && count == 2) ||
               (name == "TSUBVIEW" && count == 4);
  if (!known)
    return false;
  const clang::Expr *object = unwrapObject(expression->getArg(0));
  ObjectKind kind = objectKind(object->getType());
  if (kind != ObjectKind::Tile && (kind != ObjectKind::Tensor || name != "TASSIGN"))
    return false;
  Place target = kept(operandPlace(object), expression);
  // Of several objects, the one that is meant moves. What is not an object of this kernel is memory that may be one.
  auto place = [&](auto setTile, ExpressionId pointer) {
    bool lost = false;
    forEachChoice(target, [&](const Target &choice, ExpressionId guard) {
      const Object *meant = choice.kind == Target::Kind::Object ? &objects[choice.object] : nullptr;
      if (auto *tile = meant ? std::get_if<Object::TileObject>(&meant->value) : nullptr)
        setTile(tile->tile, guard);
      else if (auto *tensor = meant ? std::get_if<Object::TensorObject>(&meant->value) : nullptr)
        assignIf(guard, kernel.tensors[tensor->tensor].pointer, pointer, expression);
      else
        lost |= !meant || !std::holds_alternative<Object::Untracked>(meant->value);
    });
    if (lost)
      unknownEffect(name.str(), expression, {});
  };
  if (name == "TASSIGN") {
    ExpressionId address = kernel.expressions.opaque(kAddress);
    if (!compileTime) {
      address = scalar(expression->getArg(1));
    } else if (const clang::Expr *number = written[0].getArgument().getKind() == clang::TemplateArgument::Expression
                                               ? written[0].getArgument().getAsExpr()
                                               : nullptr) {
      if (std::optional<ExpressionId> value = compileTimeValue(number))
        address = kernel.expressions.cast(*value, kAddress);
    } else if (written[0].getArgument().getKind() == clang::TemplateArgument::Integral) {
      address = constant(written[0].getArgument().getAsIntegral().getExtValue(), kAddress);
    }
    if (kernel.expressions[address].type.bits == 0)
      address = kernel.expressions.opaque(kAddress);
    if (target.choices.size() > 1)
      address = keptValue(address, "place", expression);
    place([&](TileId tile, ExpressionId guard) { assignIf(guard, kernel.tiles[tile].address, address, expression); },
          address);
    return true;
  }
  std::optional<TileId> source = tileOf(expression->getArg(1));
  if (name == "TSUBVIEW" && source) {
    auto *view = soleKind<Object::TileObject>(target);
    if (!view)
      return false;
    subview(expression, view->tile, *source);
    return true;
  }
  if (name == "TSUBVIEW")
    return false;
  ExpressionId address = source ? read(kernel.tiles[*source].address) : kernel.expressions.opaque(kAddress);
  if (target.choices.size() > 1)
    address = keptValue(address, "place", expression);
  if (!source)
    discard(expression->getArg(1));
  place([&](TileId tile, ExpressionId guard) { assignIf(guard, kernel.tiles[tile].address, address, expression); },
        kernel.expressions.opaque(kAddress));
  return true;
}

void Lowering::subview(const clang::CallExpr *expression, TileId viewId, TileId parentId) {
  const Tile view = kernel.tiles[viewId], parent = kernel.tiles[parentId];
  std::vector<ExpressionId> corner = scalars({expression->getArg(2), expression->getArg(3)}, expression);
  ExpressionId row = corner[0], col = corner[1];
  bool plain = parent.innerLayout == InnerLayout::NoneBox && parent.elementBits >= 8 &&
               kernel.expressions[row].type.bits && kernel.expressions[col].type.bits;
  if (!plain)
    return assign(view.address, kernel.expressions.opaque(kAddress), expression);
  bool rowMajor = parent.blockLayout == BlockLayout::RowMajor;
  std::int64_t bytes = parent.elementBits / 8;
  auto scaled = [&](ExpressionId value, std::int64_t factor) {
    return kernel.expressions.binary(Operator::Multiply, kernel.expressions.cast(value, kAddress),
                                     constant(factor, kAddress), kAddress);
  };
  ExpressionId offset = kernel.expressions.binary(Operator::Add, scaled(row, bytes * (rowMajor ? parent.cols : 1)),
                                                  scaled(col, bytes * (rowMajor ? 1 : parent.rows)), kAddress);
  assign(view.address, kernel.expressions.binary(Operator::Add, read(parent.address), offset, kAddress), expression);
}

void Lowering::setValidShape(const clang::CXXMemberCallExpr *expression, const Place &tile, llvm::StringRef name) {
  bool rows = name != "SetValidCol", cols = name != "SetValidRow";
  std::vector<const clang::Expr *> arguments(expression->arguments().begin(), expression->arguments().end());
  std::vector<ExpressionId> entries = scalars(arguments, expression);
  Place target = kept(tile, expression);
  if (target.choices.size() > 1)
    for (ExpressionId &entry : entries)
      entry = keptValue(entry, "valid", expression);
  bool lost = false;
  forEachChoice(target, [&](const Target &choice, ExpressionId guard) {
    const Object *meant = choice.kind == Target::Kind::Object ? &objects[choice.object] : nullptr;
    auto *object = meant ? std::get_if<Object::TileObject>(&meant->value) : nullptr;
    if (!object) {
      lost |= !meant || !std::holds_alternative<Object::Untracked>(meant->value);
      return;
    }
    const Tile changed = kernel.tiles[object->tile];
    if ((rows && changed.staticValidRows >= 0) || (cols && changed.staticValidCols >= 0))
      return giveUp(expression, "the valid region of a tile is changed although its type fixes it");
    std::size_t next = 0;
    if (rows && next < entries.size())
      assignIf(guard, changed.validRows, entries[next++], expression);
    if (cols && next < entries.size())
      assignIf(guard, changed.validCols, entries[next++], expression);
  });
  if (lost)
    unknownEffect(name.str(), expression, {});
}

/// Members of the library's Tile and GlobalTensor that kernels call; nothing if the member is the file's own.
std::optional<ExpressionId> Lowering::memberCall(const clang::CXXMemberCallExpr *expression) {
  IntegerType type = typeOf(expression);
  const clang::CXXMethodDecl *method = expression->getMethodDecl();
  if (!method || bodyOf(method))
    return std::nullopt;
  const clang::Expr *object = expression->getImplicitObjectArgument();
  if (!isLibrary(method))
    return std::nullopt;
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
      Place found = arrow ? pointee(object) : operandPlace(holder);
      if (sets) {
        setValidShape(expression, found, name);
        return constant(0);
      }
      std::optional<TileId> tile = tileAt(found, holder);
      if (!tile)
        return kernel.expressions.opaque(type);
      if (name == "data")
        return read(kernel.tiles[*tile].address);
      const Tile &asked = kernel.tiles[*tile];
      bool row = name == "GetValidRow";
      std::int64_t known = row ? asked.staticValidRows : asked.staticValidCols;
      return known >= 0 ? constant(known, type)
                        : kernel.expressions.cast(read(row ? asked.validRows : asked.validCols), type);
    }
  }
  if (kind == ObjectKind::Tensor && name == "data") {
    Place found = arrow ? pointee(object) : operandPlace(holder);
    auto *tensor = soleKind<Object::TensorObject>(found);
    return tensor ? read(kernel.tensors[tensor->tensor].pointer) : kernel.expressions.opaque(type);
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
  const clang::Expr *value = expression->getArg(1);
  // C++17: the right side first.
  Place source = kind == ObjectKind::None || kind == ObjectKind::EventArray ? operandPlace(value) : Place{};
  Place target = kept(operandPlace(object), expression);
  if (where)
    *where = target;
  if (target.choices.size() == 1 && target.choices[0].target.kind == Target::Kind::Object) {
    ObjectId meant = target.choices[0].target.object;
    const Object known = objects[meant];
    if (std::holds_alternative<Object::Untracked>(known.value)) {
      source.choices.empty() ? discard(value) : expose(source);
    } else if (!source.choices.empty()) {
      copyObject(meant, source, value->getType(), expression);
    } else {
      if (std::holds_alternative<Dimensions>(known.value)) // a tensor that was made from them keeps what they were
        for (VariableId variable : variablesOf(meant))
          reassignedDimensions.insert(variable);
      initialise(meant, value, value);
    }
    return true;
  }
  std::optional<TileId> tile = kind == ObjectKind::Tile ? tileAt(materialise(value), value) : std::nullopt;
  if (kind != ObjectKind::Tile && source.choices.empty())
    discard(value);
  bool lost = false;
  forEachChoice(target, [&](const Target &choice, ExpressionId guard) {
    const Object *meant = choice.kind == Target::Kind::Object ? &objects[choice.object] : nullptr;
    auto *tileObject = meant ? std::get_if<Object::TileObject>(&meant->value) : nullptr;
    if (tile && tileObject)
      return copyTile(tileObject->tile, *tile, guard, expression);
    lost |= !meant;
    if (meant)
      forget(choice.object, expression);
  });
  if (!source.choices.empty())
    expose(source);
  if (lost)
    unknownEffect("assignment", expression, {});
  return true;
}

} // namespace ptosync
