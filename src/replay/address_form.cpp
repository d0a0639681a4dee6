#include "replay/address_form.h"

#include "kernel/expression.h"

namespace ptosync::replay {

std::optional<std::uint32_t> AddressForm::place() const {
  return isSum() && sum.size() == 1 && sum.begin()->second == 1 ? std::optional(sum.begin()->first) : std::nullopt;
}

std::set<std::uint32_t> AddressForm::arguments() const {
  std::set<std::uint32_t> all = computed;
  for (const auto &[argument, times] : sum)
    all.insert(argument);
  return all;
}

bool AddressForm::isRelative() const {
  std::int64_t total = 0;
  for (const auto &[argument, times] : sum)
    total = wrappedSum(total, times);
  return total == 0 && !outside && (computed.empty() || relative);
}

AddressForm addressOf(std::uint32_t argument) {
  AddressForm form;
  form.sum[argument] = 1;
  return form;
}

AddressForm sumOf(const AddressForm &a, std::int64_t times, const AddressForm &b) {
  AddressForm result = a;
  for (const auto &[argument, own] : b.sum) {
    std::int64_t &total = result.sum[argument];
    total = wrappedSum(total, times, own);
    if (total == 0)
      result.sum.erase(argument);
  }
  if (times != 0) {
    const bool first = a.computed.empty() || a.relative, second = b.computed.empty() || b.relative;
    result.relative = first && second && !(a.computed.empty() && b.computed.empty());
    result.computed.insert(b.computed.begin(), b.computed.end());
    result.outside = result.outside || b.outside;
  }
  return result;
}

AddressForm computedFrom(const AddressForm &a, const AddressForm &b) {
  AddressForm result;
  result.computed = a.arguments();
  result.computed.merge(b.arguments());
  result.outside = a.outside || b.outside;
  result.relative = !result.computed.empty() && a.isRelative() && b.isRelative();
  return result;
}

std::uint32_t AddressForms::operator()(const AddressForm &form) {
  auto [known, inserted] = numbers.try_emplace(form, static_cast<std::uint32_t>(forms.size()));
  if (inserted)
    forms.push_back(&known->first);
  return known->second;
}

} // namespace ptosync::replay
