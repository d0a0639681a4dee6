// Declarations and assignments of tiles, tensors, FIFOs, arrays and scalars.
#include "frontend/lowering.h"

namespace ptosync {

using clang::dyn_cast;

namespace {

const clang::CXXConstructExpr *construction(const clang::Expr *value) {
  const auto *construct = value ? llvm::dyn_cast<clang::CXXConstructExpr>(unwrapObject(value)) : nullptr;
  return construct;
}

/// Arguments as written: defaulted ones are left out.
std::vector<const clang::Expr *> writtenArguments(const clang::CXXConstructExpr *construct) {
  std::vector<const clang::Expr *> arguments;
  for (const clang::Expr *argument : construct->arguments())
    if (!llvm::isa<clang::CXXDefaultArgExpr>(argument))
      arguments.push_back(argument);
  return arguments;
}

} // namespace

const clang::Expr *unwrapObject(const clang::Expr *expression) {
  while (true) {
    const clang::Expr *inner = expression->IgnoreParens();
    if (auto *cast = dyn_cast<clang::ImplicitCastExpr>(inner)) {
      clang::CastKind kind = cast->getCastKind();
      if (kind == clang::CK_NoOp || kind == clang::CK_LValueToRValue || kind == clang::CK_UncheckedDerivedToBase ||
          kind == clang::CK_DerivedToBase)
        inner = cast->getSubExpr();
    } else if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(inner)) {
      inner = temporary->getSubExpr();
    } else if (auto *full = dyn_cast<clang::FullExpr>(inner)) {
      inner = full->getSubExpr();
    } else if (auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(inner)) {
      inner = bound->getSubExpr();
    } else if (auto *construct = dyn_cast<clang::CXXConstructExpr>(inner)) {
      if (construct->getNumArgs() == 1 && construct->getConstructor()->isCopyOrMoveConstructor())
        inner = construct->getArg(0);
    } else if (auto *functional = dyn_cast<clang::ExplicitCastExpr>(inner)) {
      if (functional->getType()->isRecordType())
        inner = functional->getSubExpr();
    }
    if (inner == expression)
      return inner;
    expression = inner;
  }
}

Lowering::Binding *Lowering::bindingOf(const clang::ValueDecl *declaration) {
  auto entry = bindings.find(declaration);
  return entry == bindings.end() ? nullptr : &entry->second;
}

Lowering::Binding *Lowering::bindingOf(const clang::Expr *expression) {
  auto *reference = dyn_cast<clang::DeclRefExpr>(unwrapObject(expression));
  return reference ? bindingOf(reference->getDecl()) : nullptr;
}

std::optional<TileId> Lowering::tileOf(const clang::Expr *expression) {
  if (Binding *binding = bindingOf(expression))
    if (auto *tile = std::get_if<TileBinding>(binding))
      return tile->tile;
  if (auto *choice = dyn_cast<clang::ConditionalOperator>(unwrapObject(expression)))
    return selectTile(choice);
  return std::nullopt;
}

/// `c ? a : b` of two tiles: a tile of its own whose address is either.
std::optional<TileId> Lowering::selectTile(const clang::ConditionalOperator *choice) {
  if (objectKind(choice->getType()) != ObjectKind::Tile)
    return std::nullopt;
  ExpressionId decided = condition(choice->getCond());
  std::optional<TileId> whenTrue = tileOf(choice->getTrueExpr()), whenFalse = tileOf(choice->getFalseExpr());
  if (!whenTrue || !whenFalse)
    return std::nullopt;
  TileId chosen = newTile(choice->getType(), spelling(choice), lineOf(choice->getBeginLoc()));
  auto select = [&](VariableId a, VariableId b) { return kernel.expressions.select(decided, read(a), read(b)); };
  const Tile first = kernel.tiles[*whenTrue], second = kernel.tiles[*whenFalse];
  assign(kernel.tiles[chosen].address, select(first.address, second.address), choice);
  if (kernel.tiles[chosen].staticValidRows < 0)
    assign(kernel.tiles[chosen].validRows, select(first.validRows, second.validRows), choice);
  if (kernel.tiles[chosen].staticValidCols < 0)
    assign(kernel.tiles[chosen].validCols, select(first.validCols, second.validCols), choice);
  return chosen;
}

std::optional<TensorId> Lowering::tensorOf(const clang::Expr *expression) {
  if (Binding *binding = bindingOf(expression))
    if (auto *tensor = std::get_if<TensorBinding>(binding))
      return tensor->tensor;
  // A tensor built in the argument list.
  if (objectKind(expression->getType()) == ObjectKind::Tensor && construction(expression)) {
    TensorId tensor = newTensor(expression->getType(), spelling(expression), lineOf(expression->getBeginLoc()));
    assignTensorFrom(tensor, expression);
    return tensor;
  }
  return std::nullopt;
}

std::optional<FifoId> Lowering::fifoOf(const clang::Expr *expression) {
  if (Binding *binding = bindingOf(expression))
    if (auto *fifo = std::get_if<FifoBinding>(binding))
      return fifo->fifo;
  return std::nullopt;
}

TileId Lowering::newTile(clang::QualType type, std::string name, std::uint32_t line) {
  Tile tile = readTile(type, shared.ast);
  tile.name = std::move(name);
  tile.line = line;
  tile.address = newVariable(tile.name + ".address", kAddress);
  tile.validRows = newVariable(tile.name + ".validRows", kInt64);
  tile.validCols = newVariable(tile.name + ".validCols", kInt64);
  kernel.tiles.push_back(std::move(tile));
  return static_cast<TileId>(kernel.tiles.size() - 1);
}

TensorId Lowering::newTensor(clang::QualType type, std::string name, std::uint32_t line) {
  Tensor tensor = readTensor(type, shared.ast);
  tensor.name = std::move(name);
  tensor.line = line;
  tensor.pointer = newVariable(tensor.name + ".pointer", kAddress);
  kernel.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(kernel.tensors.size() - 1);
}

FifoId Lowering::newFifo(clang::QualType type, std::string name, std::uint32_t line) {
  Fifo fifo = readFifo(type);
  fifo.name = std::move(name);
  fifo.line = line;
  fifo.memory = newVariable(fifo.name + ".memory", kAddress);
  fifo.cubeToVec = newVariable(fifo.name + ".cubeToVec", kInt64);
  fifo.vecToCube = newVariable(fifo.name + ".vecToCube", kInt64);
  fifo.pops = newVariable(fifo.name + ".pops", kInt64);
  kernel.fifos.push_back(std::move(fifo));
  return static_cast<FifoId>(kernel.fifos.size() - 1);
}

/// The valid region comes from the constructor where the type leaves it open (-1); a copy also
/// takes the address, a fresh object has none.
void Lowering::assignTileFrom(TileId id, const clang::Expr *value) {
  const Tile tile = kernel.tiles[id];
  if (std::optional<TileId> source = tileOf(value)) {
    const Tile from = kernel.tiles[*source];
    assign(tile.address, read(from.address), value);
    if (tile.staticValidRows < 0)
      assign(tile.validRows, from.staticValidRows < 0 ? read(from.validRows) : constant(from.staticValidRows), value);
    if (tile.staticValidCols < 0)
      assign(tile.validCols, from.staticValidCols < 0 ? read(from.validCols) : constant(from.staticValidCols), value);
    return;
  }
  std::vector<ExpressionId> entries;
  if (const clang::CXXConstructExpr *construct = construction(value))
    for (const clang::Expr *argument : writtenArguments(construct))
      entries.push_back(scalar(argument));
  else
    opaqueExpression(value);
  std::size_t next = 0;
  auto take = [&] { return next < entries.size() ? entries[next++] : kernel.expressions.opaque(kInt64); };
  assign(tile.address, kernel.expressions.opaque(kAddress), value);
  if (tile.staticValidRows < 0)
    assign(tile.validRows, take(), value);
  if (tile.staticValidCols < 0)
    assign(tile.validCols, take(), value);
}

Lowering::Dimensions Lowering::dimensionsOf(const clang::Expr *value) {
  const clang::Expr *written = value->IgnoreUnlessSpelledInSource();
  if (objectKind(written->getType()) == ObjectKind::None) {
    // A shape given as another class of the library: its run-time entries are not read.
    if (mayHaveEffect(written))
      opaqueExpression(written);
    Dimensions unknown;
    unknown.entries.fill(kUnknownExtent);
    unknown.variables.fill(kNone);
    return unknown;
  }
  if (Binding *binding = bindingOf(value))
    if (auto *known = std::get_if<Dimensions>(binding))
      return *known;
  Dimensions dimensions;
  dimensions.entries = readDimensions(value->getType());
  dimensions.variables.fill(kNone);
  assignDimensionsFrom(dimensions, value);
  return dimensions;
}

/// The constructor takes all five entries, or the run-time ones in order.
void Lowering::assignDimensionsFrom(Dimensions &dimensions, const clang::Expr *value) {
  const clang::CXXConstructExpr *construct = construction(value);
  std::vector<const clang::Expr *> arguments;
  if (construct)
    arguments = writtenArguments(construct);
  else if (Binding *binding = bindingOf(value); binding && std::holds_alternative<Dimensions>(*binding)) {
    dimensions = std::get<Dimensions>(*binding);
    return;
  } else
    opaqueExpression(value);
  std::vector<ExpressionId> given;
  for (const clang::Expr *argument : arguments)
    given.push_back(scalar(argument));
  bool all = given.size() == dimensions.entries.size();
  std::size_t next = 0;
  for (std::size_t i = 0; i < dimensions.entries.size(); ++i) {
    if (dimensions.entries[i] != -1)
      continue;
    if (dimensions.variables[i] == kNone)
      dimensions.variables[i] = newVariable("dimension", kInt64);
    std::size_t from = all ? i : next++;
    assign(dimensions.variables[i], from < given.size() ? given[from] : kernel.expressions.opaque(kInt64), value);
  }
}

void Lowering::copyDimensions(Tensor &tensor, bool stride, const Dimensions &dimensions) {
  auto &entries = stride ? tensor.stride : tensor.shape;
  auto &variables = stride ? tensor.strideVariables : tensor.shapeVariables;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i] < 0)
      variables[i] = dimensions.variables[i];
}

void Lowering::assignTensorFrom(TensorId id, const clang::Expr *value) {
  if (std::optional<TensorId> source = bindingOf(value) ? tensorOf(value) : std::nullopt) {
    Tensor from = kernel.tensors[*source];
    Tensor &tensor = kernel.tensors[id];
    tensor.shapeVariables = from.shapeVariables;
    tensor.strideVariables = from.strideVariables;
    assign(tensor.pointer, read(from.pointer), value);
    return;
  }
  const clang::CXXConstructExpr *construct = construction(value);
  if (!construct) {
    opaqueExpression(value);
    assign(kernel.tensors[id].pointer, kernel.expressions.opaque(kAddress), value);
    return;
  }
  std::vector<const clang::Expr *> arguments = writtenArguments(construct);
  // A tensor seen with another shape and stride: the same memory; run-time entries are not followed.
  if (arguments.size() == 1)
    if (std::optional<TensorId> viewed = bindingOf(arguments[0]) ? tensorOf(arguments[0]) : std::nullopt)
      return assign(kernel.tensors[id].pointer, read(kernel.tensors[*viewed].pointer), value);
  ExpressionId pointer = arguments.empty() ? kernel.expressions.opaque(kAddress) : scalar(arguments[0]);
  for (std::size_t i = 1; i < arguments.size() && i < 3; ++i) {
    Dimensions dimensions = dimensionsOf(arguments[i]);
    copyDimensions(kernel.tensors[id], i == 2, dimensions);
  }
  assign(kernel.tensors[id].pointer, pointer, value);
}

void Lowering::assignFifoFrom(FifoId id, const clang::Expr *value) {
  const Fifo fifo = kernel.fifos[id];
  const clang::CXXConstructExpr *construct = construction(value);
  assign(fifo.pops, construct ? constant(0) : kernel.expressions.opaque(kInt64), value);
  if (!construct) {
    opaqueExpression(value);
    return;
  }
  const VariableId targets[3] = {fifo.memory, fifo.cubeToVec, fifo.vecToCube};
  std::size_t next = 0;
  for (const clang::Expr *argument : writtenArguments(construct)) {
    ExpressionId entry = scalar(argument);
    if (next < 3)
      assign(targets[next], entry, value);
    ++next;
  }
}

void Lowering::declareVariable(const clang::VarDecl *declaration) {
  const clang::Expr *initializer = declaration->getInit();
  if (declaration->getType()->isReferenceType() && initializer && bindReference(declaration, initializer))
    return;
  switch (objectKind(declaration->getType())) {
  case ObjectKind::Tile:
    return declareTile(declaration);
  case ObjectKind::Tensor:
    return declareTensor(declaration);
  case ObjectKind::Fifo:
    return declareFifo(declaration);
  case ObjectKind::EventArray:
    return declareArray(declaration, readEventArray(declaration->getType()), shared.ast.IntTy);
  case ObjectKind::Dimensions: {
    Dimensions dimensions;
    dimensions.entries = readDimensions(declaration->getType());
    dimensions.variables.fill(kNone);
    if (initializer)
      assignDimensionsFrom(dimensions, initializer);
    bindings[declaration] = dimensions;
    return;
  }
  case ObjectKind::None:
    break;
  }
  if (auto *array = shared.ast.getAsConstantArrayType(declaration->getType()))
    return declareArray(declaration, static_cast<std::uint32_t>(array->getSize().getZExtValue()),
                        array->getElementType());
  declareScalar(declaration);
}

/// An object of a class that is not read: making it is an instruction of the class's name, with the constructor's
/// arguments. That is what the machine model knows the library's own by; any other is an opaque fence.
bool Lowering::opaqueConstruction(const clang::VarDecl *declaration) {
  clang::QualType type = declaration->getType();
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || isPlainData(type) || isCallResult(type) || !record->getDeclName().isIdentifier())
    return false;
  std::string name = record->getName().str();
  bindings[declaration] = OpaqueBinding{};
  const clang::Expr *initializer = declaration->getInit();
  const clang::CXXConstructExpr *construct = construction(initializer);
  if (initializer && !construct)
    scalar(initializer);
  Instruction instruction;
  instruction.name = name;
  if (construct)
    for (const clang::Expr *argument : writtenArguments(construct))
      instruction.operands.push_back(operandOf(argument, instruction.results));
  if (!shared.instructions.count(name))
    shared.unknown[name].insert(lineOf(declaration->getLocation()));
  emit(std::move(instruction), initializer ? static_cast<const clang::Stmt *>(initializer) : frames.back().function->getBody());
  return true;
}

bool Lowering::bindReference(const clang::VarDecl *declaration, const clang::Expr *initializer) {
  Binding *target = bindingOf(initializer);
  if (!target)
    return false;
  bindings[declaration] = *target;
  return true;
}

void Lowering::declareScalar(const clang::VarDecl *declaration) {
  IntegerType type = integerType(declaration->getType(), shared.ast);
  const clang::Expr *initializer = declaration->getInit();
  if (declaration->getType()->isReferenceType() && initializer && initializer->IgnoreParenImpCasts()->isLValue())
    return giveUp(initializer, "a reference to part of an object is not followed");
  if (opaqueConstruction(declaration))
    return;
  if (declaration->getType()->isReferenceType() || declaration->getType()->isRecordType() || type.bits == 0) {
    // Not followed: but its initializer may call or load.
    if (initializer && mayHaveEffect(initializer))
      scalar(initializer);
    bindings[declaration] = OpaqueBinding{};
    return;
  }
  VariableId variable = newVariable(declaration->getNameAsString(), type);
  bindings[declaration] = ScalarBinding{variable};
  if (!initializer)
    return;
  ExpressionId value = scalar(initializer);
  assign(variable, value, initializer);
}

void Lowering::declareTile(const clang::VarDecl *declaration) {
  TileId tile = newTile(declaration->getType(), declaration->getNameAsString(), lineOf(declaration->getLocation()));
  bindings[declaration] = TileBinding{tile};
  const clang::Expr *initializer = declaration->getInit();
  const clang::CXXConstructExpr *construct = construction(initializer);
  if (construct && writtenArguments(construct).empty())
    return; // default construction: TASSIGN or TPOP places it
  if (initializer)
    assignTileFrom(tile, initializer);
}

void Lowering::declareTensor(const clang::VarDecl *declaration) {
  TensorId tensor =
      newTensor(declaration->getType(), declaration->getNameAsString(), lineOf(declaration->getLocation()));
  bindings[declaration] = TensorBinding{tensor};
  if (const clang::Expr *initializer = declaration->getInit())
    assignTensorFrom(tensor, initializer);
}

void Lowering::declareFifo(const clang::VarDecl *declaration) {
  FifoId fifo = newFifo(declaration->getType(), declaration->getNameAsString(), lineOf(declaration->getLocation()));
  bindings[declaration] = FifoBinding{fifo};
  if (const clang::Expr *initializer = declaration->getInit())
    assignFifoFrom(fifo, initializer);
}

void Lowering::declareArray(const clang::VarDecl *declaration, std::uint32_t count, clang::QualType element) {
  IntegerType type = integerType(element, shared.ast);
  constexpr std::uint32_t kMostElements = 256;
  if (count == 0 || count > kMostElements || type.bits == 0) {
    if (const clang::Expr *initializer = declaration->getInit(); initializer && mayHaveEffect(initializer))
      opaqueExpression(initializer);
    bindings[declaration] = OpaqueBinding{};
    return;
  }
  VariableId first = static_cast<VariableId>(kernel.variables.size());
  for (std::uint32_t i = 0; i < count; ++i)
    newVariable(declaration->getNameAsString() + "[" + std::to_string(i) + "]", type);
  bindings[declaration] = ArrayBinding{first, count};
  const clang::Expr *initializer = declaration->getInit();
  if (!initializer)
    return;
  auto *list = dyn_cast<clang::InitListExpr>(unwrapObject(initializer));
  if (list && list->getNumInits() == 1 && isa<clang::InitListExpr>(list->getInit(0)))
    list = dyn_cast<clang::InitListExpr>(list->getInit(0)); // the struct around the array
  for (std::uint32_t i = 0; i < count; ++i) {
    ExpressionId value = list && i < list->getNumInits() ? scalar(list->getInit(i)) : constant(0, type);
    assign(first + i, value, initializer);
  }
}

void Lowering::bindParameters(const clang::FunctionDecl *function) {
  std::uint32_t number = 0;
  for (const clang::ParmVarDecl *parameter : function->parameters())
    bindEntryParameter(parameter, number++);
}

void Lowering::bindEntryParameter(const clang::ParmVarDecl *parameter, std::uint32_t number) {
  std::string name = parameter->getNameAsString();
  std::uint32_t line = lineOf(parameter->getLocation());
  const clang::Stmt *at = frames.back().function->getBody();
  switch (objectKind(parameter->getType())) {
  case ObjectKind::Tile: {
    TileId tile = newTile(parameter->getType(), name, line);
    bindings[parameter] = TileBinding{tile};
    return;
  }
  case ObjectKind::Tensor: {
    // Somewhere inside its own argument: the parameter is the start of that memory.
    TensorId tensor = newTensor(parameter->getType(), name, line);
    bindings[parameter] = TensorBinding{tensor};
    ExpressionId inside = kernel.expressions.binary(Operator::Add, kernel.expressions.parameter(number, kAddress, name),
                                                    kernel.expressions.opaque(kAddress), kAddress);
    assign(kernel.tensors[tensor].pointer, inside, at);
    return;
  }
  case ObjectKind::None:
    break;
  default:
    bindings[parameter] = OpaqueBinding{};
    return;
  }
  IntegerType type = integerType(parameter->getType(), shared.ast);
  if (type.bits == 0) {
    bindings[parameter] = OpaqueBinding{};
    return;
  }
  VariableId variable = newVariable(name, type);
  bindings[parameter] = ScalarBinding{variable};
  assign(variable, kernel.expressions.parameter(number, type, name), at);
}

} // namespace ptosync
