#include "machine/form_choice.h"

#include <algorithm>

namespace ptosync {
namespace {

bool isFloating(const std::string &element) {
  return element == "float" || element == "half" || element == "bfloat16_t" || element == "double" ||
         element.rfind("float", 0) == 0 || element.rfind("hifloat", 0) == 0;
}

bool isInteger(const std::string &element) {
  return element.rfind("int", 0) == 0 || element.rfind("uint", 0) == 0 || element == "bool";
}

bool propertyMatches(const std::string &actual, const std::string &wanted) {
  if (wanted == "floating")
    return isFloating(actual);
  if (wanted == "integer")
    return isInteger(actual);
  return actual == wanted;
}

const char *layoutName(BlockLayout layout) { return layout == BlockLayout::RowMajor ? "RowMajor" : "ColMajor"; }

bool isStatic(const Tile &tile) { return tile.staticValidRows >= 0 && tile.staticValidCols >= 0; }

/// "single" for one valid element, "several" for more, empty if the region is run-time.
const char *regionSize(const Tile &tile) {
  if (!isStatic(tile))
    return "";
  return tile.staticValidRows * tile.staticValidCols == 1 ? "single" : "several";
}

/// True if the valid regions are known to differ.
bool regionsDiffer(const Tile &a, const Tile &b) {
  auto differ = [](std::int64_t one, std::int64_t other) { return one >= 0 && other >= 0 && one != other; };
  return differ(a.staticValidRows, b.staticValidRows) || differ(a.staticValidCols, b.staticValidCols);
}

/// True if they are known to be the same.
bool regionsAlike(const Tile &a, const Tile &b) {
  return isStatic(a) && isStatic(b) && a.staticValidRows == b.staticValidRows && a.staticValidCols == b.staticValidCols;
}

/// True if all of the tensor is known to go into the valid region, row by row.
bool fitsInto(const Tensor &tensor, const Tile &tile) {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < tensor.shape.size(); ++d) {
    if (tensor.shape[d] <= 0 || rows > INT64_MAX / tensor.shape[d])
      return false;
    rows *= tensor.shape[d];
  }
  return tensor.shape.back() > 0 && rows <= tile.staticValidRows && tensor.shape.back() <= tile.staticValidCols;
}

/// The forms of an instruction against one call of it.
class CallFit {
public:
  CallFit(const Kernel &kernel, const Instruction &instruction, const CallState &state)
      : kernel(kernel), instruction(instruction), state(state) {}

  /// True if the forms account for every template constant of the call. One that is not known must not be what some
  /// form asks for.
  bool constantsFit(const InstructionFacts &facts) const {
    return std::all_of(
        instruction.templateConstants.begin(), instruction.templateConstants.end(),
        [&](const TemplateConstant &constant) {
          if (constant.value.empty())
            return facts.templates.count(constant.kind) != 0 && !decides(facts, constant.kind);
          return facts.templates.count(constant.kind) != 0 || facts.templates.count(constant.value) != 0;
        });
  }

  bool fits(const InstructionForm &form) const {
    std::size_t count = instruction.operands.size();
    if (count < form.requiredOperands() || count > form.operands.size())
      return false;
    for (std::size_t i = 0; i < count; ++i)
      if (!kindFits(instruction.operands[i], form.operands[i].role))
        return false;
    return std::all_of(form.when.begin(), form.when.end(),
                       [&](const auto &condition) { return holds(form, condition.first, condition.second); });
  }

private:
  /// True if a constant of that kind decides between forms.
  static bool decides(const InstructionFacts &facts, const std::string &kind) {
    return std::any_of(facts.forms.begin(), facts.forms.end(), [&](const InstructionForm &form) {
      auto wanted = form.when.find("template");
      return wanted != form.when.end() &&
             std::any_of(wanted->second.begin(), wanted->second.end(),
                         [&](const std::string &value) { return value.rfind(kind + "::", 0) == 0; });
    });
  }

  /// A role that needs an object must get one: a scalar in its place means another overload.
  static bool kindFits(const Operand &operand, OperandRole role) {
    bool object = operand.kind == Operand::Kind::Tile || operand.kind == Operand::Kind::Tensor ||
                  operand.kind == Operand::Kind::Pointer || operand.kind == Operand::Kind::Unknown;
    switch (role) {
    case OperandRole::Write:
    case OperandRole::Read:
    case OperandRole::ReadWrite:
    case OperandRole::Scratch: return object;
    case OperandRole::Fifo: return operand.kind == Operand::Kind::Fifo || operand.kind == Operand::Kind::Unknown;
    case OperandRole::Scalar: return operand.kind == Operand::Kind::Scalar || operand.kind == Operand::Kind::Pointer;
    case OperandRole::Config:
      return operand.kind != Operand::Kind::Tile && operand.kind != Operand::Kind::Tensor &&
             operand.kind != Operand::Kind::Fifo;
    case OperandRole::Ignored: return true;
    }
    return true;
  }

  /// Null if the form has no such operand or the call does not give it.
  const Operand *named(const InstructionForm &form, const std::string &name) const {
    for (std::size_t i = 0; i < form.operands.size() && i < instruction.operands.size(); ++i)
      if (form.operands[i].name == name)
        return &instruction.operands[i];
    return nullptr;
  }

  bool holds(const InstructionForm &form, const std::string &key, const std::vector<std::string> &wanted) const {
    auto any = [&](auto &&test) { return std::any_of(wanted.begin(), wanted.end(), test); };
    if (key == "template")
      return any([&](const std::string &value) { return templateMatches(value); });
    if (key == "section")
      return any([&](const std::string &value) { return value == sectionName(kernel.section); });
    std::size_t dot = key.find('.');
    const Operand *operand = dot == std::string::npos ? nullptr : named(form, key.substr(0, dot));
    if (!operand)
      return false;
    std::string property = key.substr(dot + 1);
    if (property == "unlike" || property == "like" || property == "fits")
      return any([&](const std::string &value) { return relates(*operand, property, named(form, value)); });
    std::string actual = propertyOf(*operand, property);
    // What is not known matches nothing; the model's last form is the union of all.
    return !actual.empty() && any([&](const std::string &value) { return propertyMatches(actual, value); });
  }

  /// `wanted` is an enumerator, or how it begins.
  bool templateMatches(const std::string &wanted) const {
    return std::any_of(instruction.templateConstants.begin(), instruction.templateConstants.end(),
                       [&](const TemplateConstant &constant) { return constant.value.rfind(wanted, 0) == 0; });
  }

  bool relates(const Operand &operand, const std::string &property, const Operand *other) const {
    std::optional<Tile> tile = other ? tileOf(kernel, *other, state) : std::nullopt;
    if (!tile)
      return false;
    if (property == "fits")
      return operand.kind == Operand::Kind::Tensor && fitsInto(kernel.tensors[operand.index], *tile);
    std::optional<Tile> own = tileOf(kernel, operand, state);
    return own && (property == "like" ? regionsAlike(*own, *tile) : regionsDiffer(*own, *tile));
  }

  /// The property of an operand that a condition asks for; empty if the operand has no such property.
  std::string propertyOf(const Operand &operand, std::string_view property) const {
    if (property == "kind")
      return kindOf(operand);
    if (std::optional<Tile> tile = tileOf(kernel, operand, state)) {
      if (property == "location")
        return tile->location;
      if (property == "type")
        return tile->element;
      if (property == "layout")
        return layoutName(tile->blockLayout);
      if (property == "region")
        return regionSize(*tile);
    }
    if (operand.kind == Operand::Kind::Tensor && property == "type")
      return kernel.tensors[operand.index].element;
    if (operand.kind == Operand::Kind::Fifo && property == "direction")
      return kernel.fifos[operand.index].direction;
    return {};
  }

  static std::string kindOf(const Operand &operand) {
    switch (operand.kind) {
    case Operand::Kind::Tile: return "tile";
    case Operand::Kind::Tensor: return "tensor";
    case Operand::Kind::Fifo: return "pipe";
    case Operand::Kind::Scalar:
    case Operand::Kind::Pointer: return "scalar";
    case Operand::Kind::Unknown: return "";
    }
    return {};
  }

  const Kernel &kernel;
  const Instruction &instruction;
  const CallState &state;
};

} // namespace

std::optional<Tile> tileOf(const Kernel &kernel, const Operand &argument, const CallState &state) {
  if (argument.kind != Operand::Kind::Tile)
    return std::nullopt;
  return state.tile(kernel.tiles[argument.index]);
}

const InstructionForm *chooseForm(const Kernel &kernel, const Instruction &instruction, const Machine &machine,
                                  const CallState &state) {
  const InstructionFacts *facts = machine.instruction(instruction.name);
  const CallFit call(kernel, instruction, state);
  if (!facts || !instruction.followed || !call.constantsFit(*facts))
    return nullptr;
  for (const InstructionForm &form : facts->forms)
    if (call.fits(form))
      return &form;
  return nullptr;
}

Assigns assignsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine) {
  if (const InstructionForm *form = chooseForm(kernel, instruction, machine))
    return form->assigns;
  const InstructionFacts *facts = machine.instruction(instruction.name);
  const bool assigns = !facts || !instruction.followed ||
                       std::any_of(facts->forms.begin(), facts->forms.end(),
                                   [](const InstructionForm &form) { return form.assigns != Assigns::Nothing; });
  return assigns ? Assigns::Unknown : Assigns::Nothing;
}

} // namespace ptosync
