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

} // namespace ptosync
