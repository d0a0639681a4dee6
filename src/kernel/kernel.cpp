#include "kernel/kernel.h"

namespace ptosync {

std::string describePlace(const Kernel &kernel, const Statement &statement) {
  std::string text = "line " + std::to_string(statement.line);
  for (std::uint32_t context = statement.context; context != 0; context = kernel.contexts[context].parent)
    text += " (called from line " + std::to_string(kernel.contexts[context].callLine) + ")";
  return text;
}

const Kernel *findKernel(const Module &module, const std::string &name, Section section) {
  for (const Kernel &kernel : module.kernels)
    if (kernel.name == name && kernel.section == section)
      return &kernel;
  return nullptr;
}

const Kernel *kernelLike(const Module &module, const Kernel &like) {
  return findKernel(module, like.name, like.section);
}

std::optional<std::uint32_t> firstOf(const Instruction &instruction, Operand::Kind kind) {
  for (const Operand &operand : instruction.operands)
    if (operand.kind == kind)
      return operand.index;
  return std::nullopt;
}

CallObjects objectsOf(const Kernel &kernel, const Instruction &instruction) {
  CallObjects objects;
  if (std::optional<FifoId> fifo = firstOf(instruction, Operand::Kind::Fifo))
    objects.fifo = &kernel.fifos[*fifo];
  if (std::optional<TileId> tile = firstOf(instruction, Operand::Kind::Tile))
    objects.tile = &kernel.tiles[*tile];
  if (std::optional<TensorId> tensor = firstOf(instruction, Operand::Kind::Tensor))
    objects.tensor = &kernel.tensors[*tensor];
  return objects;
}

std::set<std::uint32_t> pointerArguments(const Kernel &kernel) {
  std::set<std::uint32_t> numbers;
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
    if (const Expression &e = kernel.expressions[id]; e.sense == Expression::Sense::Pointer)
      numbers.insert(static_cast<std::uint32_t>(e.constant));
  return numbers;
}

std::set<SiteId> sitesOf(const Kernel &kernel) {
  std::set<SiteId> sites;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *sync = std::get_if<Sync>(&statement.action))
        sites.insert(sync->site);
  return sites;
}

Kernel withoutSites(Kernel kernel, const std::set<SiteId> &sites) {
  for (Block &block : kernel.blocks)
    std::erase_if(block.statements, [&](const Statement &statement) {
      const auto *sync = std::get_if<Sync>(&statement.action);
      return sync && sites.count(sync->site);
    });
  return kernel;
}

Module withoutSites(Module module, const std::set<SiteId> &sites) {
  for (Kernel &kernel : module.kernels)
    kernel = withoutSites(std::move(kernel), sites);
  return module;
}

std::vector<Directive> unusedKeeps(const Module &module) {
  std::vector<Directive> unused;
  for (const Directive &directive : module.directives) {
    if (directive.kind != Directive::Kind::Keep)
      continue;
    bool used = false;
    for (const SyncSite &site : module.sites)
      used = used || keepOf({directive}, site.line, module.source.position(site.range.end).line);
    if (!used)
      unused.push_back(directive);
  }
  return unused;
}

namespace {

std::string typeName(IntegerType type) {
  if (type.bits == 0)
    return "opaque";
  if (type.bits == 1)
    return "bool";
  return (type.isSigned ? "i" : "u") + std::to_string(type.bits);
}

std::string variableName(const Kernel &kernel, VariableId id) {
  return id < kernel.variables.size() ? kernel.variables[id].name : "?";
}

std::string printSync(const Kernel &kernel, const Sync &sync) {
  std::string pipe(pipeName(sync.source));
  switch (sync.kind) {
  case SyncKind::Barrier: return "barrier " + pipe;
  case SyncKind::Tail: return "tail " + pipe;
  case SyncKind::GetBuffer:
  case SyncKind::ReleaseBuffer: {
    const char *mode = sync.mode == BufferMode::Blocking      ? ""
                       : sync.mode == BufferMode::NonBlocking ? " mode 1"
                                                              : " mode ?";
    return std::string(sync.kind == SyncKind::GetBuffer ? "get " : "release ") + pipe + " buffer " +
           printExpression(kernel, sync.event) + mode;
  }
  case SyncKind::SetFlag:
  case SyncKind::WaitFlag: break;
  }
  return std::string(sync.kind == SyncKind::SetFlag ? "set " : "wait ") + pipe + " -> " +
         std::string(pipeName(sync.destination)) + " id " + printExpression(kernel, sync.event);
}

} // namespace

std::string printExpression(const Kernel &kernel, ExpressionId id) {
  if (id == kNone)
    return "?";
  const Expression &e = kernel.expressions[id];
  auto operand = [&](int i) { return printExpression(kernel, e.operands[i]); };
  switch (e.kind) {
  case Expression::Kind::Constant: return std::to_string(e.constant);
  case Expression::Kind::Variable: return variableName(kernel, e.variable);
  case Expression::Kind::Unary: return std::string(operatorSpelling(e.op)) + operand(0);
  case Expression::Kind::Binary: return "(" + operand(0) + " " + operatorSpelling(e.op) + " " + operand(1) + ")";
  case Expression::Kind::Cast: return typeName(e.type) + "(" + operand(0) + ")";
  case Expression::Kind::Select: return "(" + operand(0) + " ? " + operand(1) + " : " + operand(2) + ")";
  case Expression::Kind::ArrayElement: return variableName(kernel, e.variable) + "..[" + operand(0) + "]";
  case Expression::Kind::Parameter:
  case Expression::Kind::Query: return e.name;
  case Expression::Kind::Opaque: return "opaque";
  }
  return "?";
}

std::string printInstruction(const Instruction &instruction) {
  std::string text = instruction.name + "(";
  for (std::size_t i = 0; i < instruction.operands.size(); ++i)
    text += (i ? ", " : "") + instruction.operands[i].spelling;
  return text + ")";
}

std::string printStatement(const Kernel &kernel, const Statement &statement) {
  if (auto *assign = std::get_if<Assign>(&statement.action))
    return variableName(kernel, assign->variable) + " = " + printExpression(kernel, assign->value);
  if (auto *store = std::get_if<ArrayStore>(&statement.action))
    return variableName(kernel, store->first) + "..[" + printExpression(kernel, store->index) +
           "] = " + printExpression(kernel, store->value);
  if (auto *instruction = std::get_if<Instruction>(&statement.action))
    return printInstruction(*instruction);
  return printSync(kernel, std::get<Sync>(statement.action));
}

std::string printKernel(const Kernel &kernel) {
  std::string text = "kernel " + kernel.name + " (" + std::string(sectionName(kernel.section)) + ")\n";
  if (!kernel.analysable)
    return text + "  not analysable: " + kernel.reason + "\n";
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i) {
    const Block &block = kernel.blocks[i];
    text += "block " + std::to_string(i) + ":\n";
    for (const Statement &statement : block.statements)
      text += "  " + std::to_string(statement.line) + ": " + printStatement(kernel, statement) + "\n";
    const Terminator &end = block.terminator;
    if (end.kind == Terminator::Kind::Return)
      text += "  return\n";
    else if (end.kind == Terminator::Kind::Jump)
      text += "  jump " + std::to_string(end.whenTrue) + "\n";
    else
      text += "  if " + printExpression(kernel, end.condition) + " then " + std::to_string(end.whenTrue) + " else " +
              std::to_string(end.whenFalse) + "\n";
  }
  return text;
}

} // namespace ptosync
