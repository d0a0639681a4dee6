#include "fuzz/kernel_reducer.h"

#include <algorithm>

namespace ptosync::fuzz {
namespace {

using List = std::vector<Statement>;

class Reducer {
public:
  Reducer(FuzzKernel kernel, const StillFails &fails) : kernel(std::move(kernel)), fails(fails) {}

  FuzzKernel run() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t length = sizeOf(kernel); length > 0; length /= 2)
        again |= takeOut(length);
      again |= unwrap();
      again |= makePlain();
    }
    return std::move(kernel);
  }

private:
  /// `change` works on the list of the same number in a copy of the kernel; false: not applicable.
  template <typename Change> bool attempt(std::size_t number, Change change) {
    FuzzKernel smaller = kernel;
    std::vector<List *> lists = listsOf(smaller);
    if (!change(*lists[number]) || !fails(smaller))
      return false;
    kernel = std::move(smaller);
    return true;
  }

  bool takeOut(std::size_t length) {
    bool changed = false;
    for (std::size_t number = 0; number < listsOf(kernel).size(); ++number)
      for (std::size_t begin = 0;;) {
        std::vector<List *> lists = listsOf(kernel);
        if (number >= lists.size() || begin + length > lists[number]->size())
          break;
        bool cut = attempt(number, [&](List &list) {
          auto first = list.begin() + static_cast<std::ptrdiff_t>(begin);
          list.erase(first, first + static_cast<std::ptrdiff_t>(length));
          return true;
        });
        changed |= cut;
        if (!cut)
          begin += std::max<std::size_t>(1, length / 2);
      }
    return changed;
  }

  /// A body in place of the whole, or one arm.
  bool unwrap() {
    bool changed = false;
    for (bool otherwise : {false, true})
      for (std::size_t number = 0; number < listsOf(kernel).size(); ++number)
        for (std::size_t at = 0; at < listsOf(kernel)[number]->size(); ++at)
          changed |= attempt(number, [&](List &list) {
            List inside = otherwise ? list[at].otherwise : list[at].body;
            if (inside.empty())
              return false;
            auto whole = list.begin() + static_cast<std::ptrdiff_t>(at);
            list.insert(list.erase(whole), inside.begin(), inside.end());
            return true;
          });
    return changed;
  }

  bool makePlain() {
    bool changed = false;
    for (std::size_t number = 0; number < listsOf(kernel).size(); ++number)
      for (std::size_t at = 0; at < listsOf(kernel)[number]->size(); ++at) {
        changed |= attempt(number, [&](List &list) {
          bool address = list[at].kind == Statement::Kind::DeclareTile && !list[at].value.isConstant();
          if (address)
            list[at].value = Scalar::of(0);
          return address;
        });
        changed |= attempt(number, [&](List &list) {
          using Form = Statement::LoopForm;
          bool odd = list[at].kind == Statement::Kind::Loop && list[at].form != Form::For;
          if (odd)
            list[at].form = Form::For;
          return odd;
        });
        changed |= attempt(number, [&](List &list) {
          for (Operand &operand : list[at].operands)
            if (operand.kind == Operand::Kind::Tensor && !operand.tensor.offset.isConstant()) {
              operand.tensor.offset = Scalar::of(0);
              return true;
            }
          return false;
        });
      }
    return changed;
  }

  FuzzKernel kernel;
  const StillFails &fails;
};

} // namespace

std::size_t sizeOf(const FuzzKernel &kernel) {
  std::size_t size = 0;
  auto count = [&](const Statement &) { ++size; };
  forEachStatement(kernel.body, count);
  for (const Helper &helper : kernel.helpers)
    forEachStatement(helper.body, count);
  return size;
}

FuzzKernel reduceKernel(FuzzKernel kernel, const StillFails &fails) { return Reducer(std::move(kernel), fails).run(); }

} // namespace ptosync::fuzz
