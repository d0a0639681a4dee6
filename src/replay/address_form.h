// Whose addresses are in a number of a run, and how often each.
//
// A run has a place for every argument, and so a number for p - q, although another caller would have other ones. The
// form of a number says what of it is such a place: the sum of so many addresses, or anything that was computed from
// some. A number of form { p once } is a place in what p points to; one without a form is the same for every caller who
// gives the same integers; any other one might be anything.
//
//   (uint64_t)q + 4 * n          { q once }
//   p - q                        { p once, q minus once }
//   (p - q) / 4 + (uint64_t)q    computed from p and q
//
// Tested by tests/replay/address_form_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ptosync::replay {

struct AddressForm {
  std::map<std::uint32_t, std::int64_t> sum; // by argument, never 0 times
  std::set<std::uint32_t> computed;          // arguments whose addresses are in it otherwise
  bool outside = false;                      // and addresses that no argument has
  bool relative = false;                     // `computed` from differences of addresses alone
  auto operator<=>(const AddressForm &) const = default;

  bool plain() const { return sum.empty() && computed.empty() && !outside; }
  /// The argument into whose memory the number leads; empty if it may be any place.
  std::optional<std::uint32_t> place() const;
  /// All arguments whose addresses are in it.
  std::set<std::uint32_t> arguments() const;
  bool isSum() const { return computed.empty() && !outside; }
  /// True if it says nothing of addresses but how they lie to each other.
  bool isRelative() const;
};

/// Of a place in what the argument points to.
AddressForm addressOf(std::uint32_t argument);
/// `a` plus so many times `b`, as registers of 64 bits count.
AddressForm sumOf(const AddressForm &a, std::int64_t times, const AddressForm &b);
/// Anything that is computed from both.
AddressForm computedFrom(const AddressForm &a, const AddressForm &b);

/// The forms of one run by number; 0 is that of a number without addresses.
class AddressForms {
public:
  AddressForms() { (*this)(AddressForm{}); }
  std::uint32_t operator()(const AddressForm &form);
  const AddressForm &operator[](std::uint32_t number) const { return *forms[number]; }

private:
  std::map<AddressForm, std::uint32_t> numbers;
  std::vector<const AddressForm *> forms;
};

} // namespace ptosync::replay
