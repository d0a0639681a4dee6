#include "machine/form_names.h"

#include <algorithm>

namespace ptosync {
namespace {

class NameCheck {
public:
  explicit NameCheck(const InstructionForm &form) : form(form) {}

  std::vector<StrangeName> run() {
    for (std::size_t i = 0; i < form.operands.size(); ++i)
      checkOperand(form.operands[i], "/operands/" + std::to_string(i));
    for (const auto &[key, wanted] : form.when)
      checkCondition(key, wanted);
    check("/product", {form.productRows, form.productCols});
    return std::move(found);
  }

private:
  void check(const std::string &at, const std::vector<std::string> &names) {
    for (const std::string &name : names)
      if (!name.empty() && std::none_of(form.operands.begin(), form.operands.end(),
                                        [&](const OperandFact &operand) { return operand.name == name; }))
        found.push_back({at, name});
  }

  void checkOperand(const OperandFact &operand, const std::string &at) {
    for (const RegionWalk &walk : operand.walks)
      check(at + "/walk", {walk.rows, walk.columns, walk.lines, walk.line});
    if (operand.window)
      check(at + "/window", {operand.window->of, operand.window->row, operand.window->column});
    check(at + "/element", {operand.element});
    for (const AccessReach &reach : operand.reaches)
      check(at + "/reach", {reach.rowsOf, reach.rowBytesOf, reach.elementsOf, reach.shapeOf});
  }

  void checkCondition(const std::string &key, const std::vector<std::string> &wanted) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos)
      return;
    check("/when/" + key, {key.substr(0, dot)});
    if (const std::string asks = key.substr(dot); asks == ".unlike" || asks == ".like" || asks == ".fits")
      check("/when/" + key, wanted);
  }

  const InstructionForm &form;
  std::vector<StrangeName> found;
};

} // namespace

std::vector<StrangeName> strangeNames(const InstructionForm &form) { return NameCheck(form).run(); }

} // namespace ptosync
