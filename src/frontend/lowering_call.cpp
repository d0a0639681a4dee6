// Calls: syncs, address-only operations, helpers of the file, instructions, unknown calls.
#include "frontend/lowering.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

constexpr std::size_t kDeepestCall = 64;
constexpr llvm::StringLiteral kTailHelper = "ptoas_auto_sync_tail";

/// Values of the core that stay the same during a run.
bool isQuery(llvm::StringRef name) {
  return name == "get_block_idx" || name == "get_block_num" || name == "get_subblockid" ||
         name == "get_subblocknum" || name == "get_subblockdim" || name == "get_coreid";
}

std::string calleeName(const clang::CallExpr *expression) {
  if (const clang::FunctionDecl *callee = expression->getDirectCallee())
    if (callee->getDeclName().isIdentifier())
      return callee->getName().str();
  return {};
}

} // namespace

void Lowering::opaqueFence(const std::string &name, const clang::Stmt *at) {
  shared.unknown[name].insert(lineOf(at->getBeginLoc()));
  Instruction instruction;
  instruction.name = name;
  emit(std::move(instruction), at);
}

ExpressionId Lowering::call(const clang::CallExpr *expression) {
  std::string name = calleeName(expression);
  IntegerType type = integerType(expression->getType(), shared.ast);
  if (name.empty())
    return opaqueExpression(expression);
  if (isQuery(name))
    return kernel.expressions.query(name, type);
  if (addressCall(expression, name) || syncCall(expression, name))
    return constant(0);
  const clang::FunctionDecl *definition = nullptr;
  const clang::FunctionDecl *callee = expression->getDirectCallee();
  if (auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
      method && method->isStatic() && isPlainData(shared.ast.getRecordType(method->getParent()))) {
    // Makes plain data of its arguments.
    for (const clang::Expr *argument : expression->arguments())
      if (mayHaveEffect(argument))
        scalar(argument);
    return kernel.expressions.opaque(type);
  }
  if (callee->hasBody(definition) &&
      shared.ast.getSourceManager().isWrittenInMainFile(definition->getLocation()))
    return expandHelper(expression, definition);
  return instructionCall(expression, name);
}

/// Operations that only move addresses about; they reach no pipe.
bool Lowering::addressCall(const clang::CallExpr *expression, llvm::StringRef name) {
  unsigned count = expression->getNumArgs();
  if (name == "TASSIGN" && count == 2) {
    if (std::optional<TileId> tile = tileOf(expression->getArg(0))) {
      ExpressionId address = scalar(expression->getArg(1));
      if (kernel.expressions[address].type.bits == 0)
        address = kernel.expressions.opaque(kAddress);
      assign(kernel.tiles[*tile].address, address, expression);
      return true;
    }
    if (std::optional<TensorId> tensor = tensorOf(expression->getArg(0))) {
      assign(kernel.tensors[*tensor].pointer, scalar(expression->getArg(1)), expression);
      return true;
    }
    return false;
  }
  if (name == "TRESHAPE" && count == 2) {
    std::optional<TileId> view = tileOf(expression->getArg(0)), source = tileOf(expression->getArg(1));
    if (!view || !source)
      return false;
    assign(kernel.tiles[*view].address, read(kernel.tiles[*source].address), expression);
    return true;
  }
  if (name == "TSUBVIEW" && count == 4 && tileOf(expression->getArg(0)) && tileOf(expression->getArg(1))) {
    subview(expression);
    return true;
  }
  return false;
}

void Lowering::subview(const clang::CallExpr *expression) {
  const Tile view = kernel.tiles[*tileOf(expression->getArg(0))];
  const Tile parent = kernel.tiles[*tileOf(expression->getArg(1))];
  ExpressionId row = scalar(expression->getArg(2)), col = scalar(expression->getArg(3));
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

std::optional<Pipe> Lowering::pipeArgument(const clang::Expr *argument) {
  argument = argument->IgnoreParenImpCasts();
  if (auto *reference = dyn_cast<clang::DeclRefExpr>(argument))
    if (auto *enumerator = dyn_cast<clang::EnumConstantDecl>(reference->getDecl()))
      return parsePipe(enumerator->getName());
  clang::Expr::EvalResult value;
  if (!argument->isValueDependent() && argument->EvaluateAsInt(value, shared.ast))
    return parsePipe(enumeratorName(argument->getType(), value.Val.getInt().getExtValue()));
  return std::nullopt;
}

bool Lowering::syncCall(const clang::CallExpr *expression, llvm::StringRef name) {
  unsigned count = expression->getNumArgs();
  if (name == "pipe_barrier" && count == 1) {
    std::optional<Pipe> pipe = pipeArgument(expression->getArg(0));
    if (!pipe)
      return false;
    emitSync(expression, SyncKind::Barrier, *pipe, *pipe, kNone);
    return true;
  }
  if ((name == "set_flag" || name == "wait_flag") && count == 3) {
    std::optional<Pipe> source = pipeArgument(expression->getArg(0));
    std::optional<Pipe> destination = pipeArgument(expression->getArg(1));
    if (!source || !destination || *source == Pipe::All || *destination == Pipe::All)
      return false;
    ExpressionId event = scalar(expression->getArg(2));
    emitSync(expression, name == "set_flag" ? SyncKind::SetFlag : SyncKind::WaitFlag, *source, *destination, event);
    return true;
  }
  return name == kTailHelper && tailCall(expression);
}

/// The emitted end fence, if its helper in this file really drains every pipe; otherwise it is
/// looked at like any helper.
bool Lowering::tailCall(const clang::CallExpr *expression) {
  const clang::FunctionDecl *definition = nullptr;
  bool drains = false;
  if (expression->getDirectCallee()->hasBody(definition)) {
    std::vector<const clang::Stmt *> work = {definition->getBody()};
    while (!work.empty() && !drains) {
      const clang::Stmt *statement = work.back();
      work.pop_back();
      if (auto *inner = llvm::dyn_cast_or_null<clang::CallExpr>(statement))
        drains = calleeName(inner) == "pipe_barrier" && inner->getNumArgs() == 1 &&
                 pipeArgument(inner->getArg(0)) == Pipe::All;
      if (statement)
        work.insert(work.end(), statement->child_begin(), statement->child_end());
    }
    if (!drains)
      return false;
  }
  Pipe drained = Pipe::All;
  if (expression->getNumArgs() >= 1) {
    clang::Expr::EvalResult value;
    const clang::Expr *mode = expression->getArg(0);
    bool known = mode->EvaluateAsInt(value, shared.ast);
    if (!known || enumeratorName(mode->getType(), value.Val.getInt().getExtValue()) != "kBarrierAll")
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

/// The site's number is its file offset until the module renumbers all of them.
SiteId Lowering::siteOf(const clang::CallExpr *expression, SyncKind kind, Pipe source, Pipe destination) {
  SourceRange range = rangeOf(expression);
  auto [entry, inserted] = shared.sites.try_emplace(range.begin);
  SyncSite &site = entry->second;
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
               text[end] == ';' && !expression->getBeginLoc().isMacroID() && !expression->getEndLoc().isMacroID();
  site.range = {range.begin, whole ? end + 1 : range.end};
  if (kind == SyncKind::Tail)
    site.protection = Protection::Tail;
  else if (!whole)
    site.protection = Protection::NotOneStatement;
  return range.begin;
}

/// Members of Tile and GlobalTensor that kernels call; the rest is unknown.
ExpressionId Lowering::memberCall(const clang::CXXMemberCallExpr *expression) {
  IntegerType type = integerType(expression->getType(), shared.ast);
  const clang::CXXMethodDecl *method = expression->getMethodDecl();
  if (!method || !method->getDeclName().isIdentifier()) {
    // A conversion of an instruction's result: its value is unknown.
    scalar(expression->getImplicitObjectArgument());
    return kernel.expressions.opaque(type);
  }
  llvm::StringRef name = method->getName();
  const clang::Expr *object = expression->getImplicitObjectArgument();
  if (std::optional<TileId> tile = bindingOf(object) ? tileOf(object) : std::nullopt) {
    if (name == "data")
      return read(kernel.tiles[*tile].address);
    if (name == "SetValidShape" || name == "SetValidRow" || name == "SetValidCol") {
      const Tile &changed = kernel.tiles[*tile];
      bool rows = name != "SetValidCol", cols = name != "SetValidRow";
      if ((rows && changed.staticValidRows >= 0) || (cols && changed.staticValidCols >= 0)) {
        giveUp(expression, "the valid region of a tile is changed although its type fixes it");
        return constant(0);
      }
      VariableId rowVariable = changed.validRows, colVariable = changed.validCols;
      unsigned next = 0;
      if (rows && next < expression->getNumArgs())
        assign(rowVariable, scalar(expression->getArg(next++)), expression);
      if (cols && next < expression->getNumArgs())
        assign(colVariable, scalar(expression->getArg(next++)), expression);
      return constant(0);
    }
    if (name == "GetValidRow" || name == "GetValidCol") {
      const Tile &asked = kernel.tiles[*tile];
      bool row = name == "GetValidRow";
      std::int64_t known = row ? asked.staticValidRows : asked.staticValidCols;
      return known >= 0 ? constant(known, type) : kernel.expressions.cast(read(row ? asked.validRows : asked.validCols), type);
    }
  }
  if (std::optional<TensorId> tensor = bindingOf(object) ? tensorOf(object) : std::nullopt)
    if (name == "data")
      return read(kernel.tensors[*tensor].pointer);
  return instructionCall(expression, name.str());
}

Operand Lowering::operandOf(const clang::Expr *argument, std::vector<VariableId> &results) {
  Operand operand;
  operand.spelling = spelling(argument);
  const clang::Expr *object = unwrapObject(argument);
  if (auto *decay = dyn_cast<clang::ImplicitCastExpr>(object); decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay)
    object = unwrapObject(decay->getSubExpr());
  if (auto *address = dyn_cast<clang::UnaryOperator>(object); address && address->getOpcode() == clang::UO_AddrOf)
    object = unwrapObject(address->getSubExpr());
  if (std::optional<TileId> tile = tileOf(object)) {
    operand.kind = Operand::Kind::Tile;
    operand.index = *tile;
    return operand;
  }
  if (std::optional<TensorId> tensor = tensorOf(object)) {
    operand.kind = Operand::Kind::Tensor;
    operand.index = *tensor;
    return operand;
  }
  if (std::optional<FifoId> fifo = fifoOf(object)) {
    operand.kind = Operand::Kind::Fifo;
    operand.index = *fifo;
    return operand;
  }
  clang::QualType type = object->getType().getNonReferenceType();
  if (objectKind(type) != ObjectKind::None)
    return operand; // an object that is not followed: the instruction's effect is unknown
  if (type->isRecordType() && !isPlainData(type) && !isCallResult(type)) {
    if (mayHaveEffect(object))
      scalar(object);
    return operand;
  }
  if (Binding *binding = type->isArrayType() ? bindingOf(object) : nullptr)
    if (auto *array = std::get_if<ArrayBinding>(binding)) {
      // A local array: the call may write it.
      for (std::uint32_t i = 0; i < array->count; ++i)
        results.push_back(array->first + i);
      return operand;
    }
  if (object != unwrapObject(argument)) {
    // The address of a scalar: the call may write it.
    if (Binding *binding = bindingOf(object))
      if (auto *variable = std::get_if<ScalarBinding>(binding))
        results.push_back(variable->variable);
    operand.kind = Operand::Kind::Scalar;
    operand.value = kernel.expressions.opaque(kAddress);
    return operand;
  }
  bool pointer = argument->getType()->isPointerType();
  operand.kind = pointer ? Operand::Kind::Pointer : Operand::Kind::Scalar;
  operand.value = mayHaveEffect(argument) || integerType(argument->getType(), shared.ast).bits
                      ? scalar(argument)
                      : kernel.expressions.opaque({});
  return operand;
}

ExpressionId Lowering::instructionCall(const clang::CallExpr *expression, const std::string &name) {
  if (!shared.instructions.count(name))
    shared.unknown[name].insert(lineOf(expression->getBeginLoc()));
  Instruction instruction;
  instruction.name = name;
  if (auto *member = dyn_cast<clang::CXXMemberCallExpr>(expression))
    instruction.operands.push_back(operandOf(member->getImplicitObjectArgument(), instruction.results));
  for (const clang::Expr *argument : expression->arguments())
    if (!isa<clang::CXXDefaultArgExpr>(argument))
      instruction.operands.push_back(operandOf(argument, instruction.results));
  if (auto *reference = dyn_cast<clang::DeclRefExpr>(expression->getCallee()->IgnoreParenImpCasts()))
    for (const clang::TemplateArgumentLoc &argument : reference->template_arguments()) {
      const clang::TemplateArgument &value = argument.getArgument();
      instruction.templateArguments.push_back(
          value.getKind() == clang::TemplateArgument::Expression ? spelling(value.getAsExpr())
                                                                 : templateArgumentText(value, shared.ast));
    }
  emit(std::move(instruction), expression);
  return kernel.expressions.opaque(integerType(expression->getType(), shared.ast));
}

/// The body in place of the call, with fresh variables: every call is analysed for itself.
ExpressionId Lowering::expandHelper(const clang::CallExpr *expression, const clang::FunctionDecl *callee) {
  IntegerType type = integerType(expression->getType(), shared.ast);
  for (const InlineFrame &frame : frames)
    if (frame.function == callee) {
      giveUp(expression, "recursive call of " + callee->getNameAsString());
      return constant(0);
    }
  if (frames.size() >= kDeepestCall) {
    giveUp(expression, "calls nest deeper than " + std::to_string(kDeepestCall));
    return constant(0);
  }
  std::vector<std::pair<const clang::ValueDecl *, Binding>> bound;
  for (unsigned i = 0; i < callee->getNumParams() && i < expression->getNumArgs(); ++i) {
    const clang::ParmVarDecl *parameter = callee->getParamDecl(i);
    const clang::Expr *argument = expression->getArg(i);
    bool byReference = parameter->getType()->isReferenceType();
    Binding binding = OpaqueBinding{};
    Binding *source = bindingOf(argument);
    if (byReference && source) {
      binding = *source;
    } else if (objectKind(parameter->getType()) == ObjectKind::Tile) {
      TileId copy = newTile(parameter->getType(), parameter->getNameAsString(), lineOf(parameter->getLocation()));
      assignTileFrom(copy, argument);
      binding = TileBinding{copy};
    } else if (objectKind(parameter->getType()) == ObjectKind::Tensor) {
      TensorId copy = newTensor(parameter->getType(), parameter->getNameAsString(), lineOf(parameter->getLocation()));
      assignTensorFrom(copy, argument);
      binding = TensorBinding{copy};
    } else if (source && objectKind(parameter->getType()) != ObjectKind::None) {
      binding = *source;
    } else if (byReference && !parameter->getType().getNonReferenceType().isConstQualified() &&
               argument->IgnoreParenImpCasts()->isLValue()) {
      giveUp(argument, "a reference to part of an object is passed");
    } else if (IntegerType parameterType = integerType(parameter->getType(), shared.ast); parameterType.bits) {
      VariableId variable = newVariable(parameter->getNameAsString(), parameterType);
      assign(variable, scalar(argument), expression);
      binding = ScalarBinding{variable};
    } else if (mayHaveEffect(argument)) {
      scalar(argument);
    }
    bound.emplace_back(parameter, binding);
  }
  for (auto &[parameter, binding] : bound)
    bindings[parameter] = binding;
  InlineFrame frame{callee, newBlock(), type.bits ? newVariable(callee->getNameAsString() + ".result", type) : kNone, {}};
  VariableId result = frame.result;
  BlockId returnTo = frame.returnTo;
  kernel.contexts.push_back({currentContext, lineOf(expression->getBeginLoc()), callee->getNameAsString()});
  std::uint32_t callerContext = std::exchange(currentContext, static_cast<std::uint32_t>(kernel.contexts.size() - 1));
  const clang::Stmt *callerStatement = std::exchange(fullStatement, nullptr);
  bool callerSole = std::exchange(soleBody, false);
  std::vector<JumpTargets> callerJumps = std::exchange(jumps, {});
  frames.push_back(std::move(frame));
  refuseConditionals(callee);
  lower(callee->getBody());
  jump(returnTo);
  current = returnTo;
  frames.pop_back();
  jumps = std::move(callerJumps);
  soleBody = callerSole;
  fullStatement = callerStatement;
  currentContext = callerContext;
  return result != kNone ? read(result) : kernel.expressions.opaque(type);
}

} // namespace ptosync
