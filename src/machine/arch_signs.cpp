#include "machine/arch_signs.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ptosync {
namespace {

/// Variables that are assigned once, to a constant.
class Constants {
public:
  explicit Constants(const Kernel &kernel) : kernel(kernel) {
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements)
        forEachDefinition(statement, [&](VariableId variable, ExpressionId value) {
          writes[variable] += value == kNone ? 2 : 1;
          values[variable] = value;
        });
  }

  std::optional<std::int64_t> of(VariableId variable, unsigned depth = 0) const {
    auto count = writes.find(variable);
    if (count == writes.end() || count->second != 1)
      return std::nullopt;
    return of(kernel.expressions[values.at(variable)], depth);
  }

private:
  std::optional<std::int64_t> of(const Expression &expression, unsigned depth) const {
    constexpr unsigned kDeepest = 32;
    if (depth > kDeepest)
      return std::nullopt;
    auto operand = [&](unsigned i) { return of(kernel.expressions[expression.operands[i]], depth + 1); };
    switch (expression.kind) {
    case Expression::Kind::Constant: return expression.constant;
    case Expression::Kind::Variable: return of(expression.variable, depth + 1);
    case Expression::Kind::Cast:
      if (std::optional<std::int64_t> value = expression.type.bits ? operand(0) : std::nullopt)
        return wrapTo(expression.type, *value);
      return std::nullopt;
    case Expression::Kind::Binary: {
      std::optional<std::int64_t> left = operand(0), right = operand(1);
      std::int64_t result = 0;
      IntegerType type = kernel.expressions[expression.operands[0]].type;
      if (left && right && applyOperator(expression.op, type, *left, *right, result))
        return result;
      return std::nullopt;
    }
    default: return std::nullopt;
    }
  }

  const Kernel &kernel;
  std::map<VariableId, unsigned> writes;
  std::map<VariableId, ExpressionId> values;
};

/// Empty if the machine has no memory for such tiles.
std::optional<MemorySpace> memoryOf(const Tile &tile, const Machine &machine) {
  if (std::optional<std::size_t> space = machine.spaceOfTile(tile.location))
    return machine.spaces()[*space];
  return std::nullopt;
}

bool fits(const std::optional<MemorySpace> &space, std::uint64_t end) {
  return space && (space->bytes == 0 || end <= space->bytes);
}

void tileSigns(const Kernel &kernel, const Machine &machine, const Machine &other, std::vector<ArchSign> &signs) {
  constexpr std::int64_t kBeyondAnyMemory = std::int64_t(1) << 40;
  Constants constants(kernel);
  for (const Tile &tile : kernel.tiles) {
    std::int64_t begin = constants.of(tile.address).value_or(0);
    if (tile.elementBits < 8 || begin < 0 || begin > kBeyondAnyMemory)
      continue; // 4-bit tiles are declared in two ways
    std::int64_t bytes = std::int64_t(tile.rows) * tile.cols * tile.elementBits / 8;
    auto end = static_cast<std::uint64_t>(begin + bytes);
    std::optional<MemorySpace> own = memoryOf(tile, machine), otherOwn = memoryOf(tile, other);
    if (fits(own, end) || !fits(otherOwn, end))
      continue;
    std::string sign = llvm::formatv("tile {0} at [{1}, {2}) of {3}", tile.name, begin, end, otherOwn->name);
    if (own)
      sign += llvm::formatv(", which has {0} bytes", own->bytes).str();
    signs.push_back({tile.line, std::move(sign)});
  }
}

} // namespace

std::vector<ArchSign> signsAgainst(const Module &module, const Machine &machine, const Machine &other) {
  std::vector<ArchSign> signs;
  for (const AbsentFact &fact : machine.absent()) {
    if (!established(fact.grade))
      continue;
    auto lacks = [&](const std::string &name) {
      return std::find(fact.calls.begin(), fact.calls.end(), name) != fact.calls.end();
    };
    for (const CalledName &called : module.calledNames)
      if (lacks(called.name) &&
          (fact.section == Section::Both || called.section == Section::Both || called.section == fact.section))
        signs.push_back({called.line, called.name});
    // The comment that took its place was written when the file had it.
    for (const Directive &directive : module.directives)
      if (directive.kind == Directive::Kind::Removed && lacks(directive.argument))
        signs.push_back({directive.line, directive.argument + ", removed there"});
  }
  for (const Kernel &kernel : module.kernels)
    if (kernel.analysable)
      tileSigns(kernel, machine, other, signs);
  std::sort(signs.begin(), signs.end(),
            [](const ArchSign &a, const ArchSign &b) { return std::tie(a.line, a.text) < std::tie(b.line, b.text); });
  return signs;
}

std::string ArchChoice::description() const {
  return arch + " (" + source + (detail.empty() ? "" : ": " + detail) + ")";
}

} // namespace ptosync
