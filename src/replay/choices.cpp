#include "replay/choices.h"

#include "replay/inputs.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace ptosync::replay {
namespace {

constexpr std::size_t kMostPairs = 1 << 14; // of residues of two choices with one root

std::vector<std::int64_t> distinct(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// True if the residues of one are known where those of the other one are.
bool oneRoot(const Choices &a, const Choices &b) {
  return a.values.size() == 1 || b.values.size() == 1 || (a.root == b.root && a.root != 0);
}

} // namespace

std::optional<Choices> remainders(std::uint64_t root, std::int64_t offset, std::int64_t count, bool bothSigns) {
  if (count < 2 || static_cast<std::uint64_t>(count) * (bothSigns ? 2 : 1) > kMostChoices)
    return std::nullopt;
  Choices choices;
  // Which sign it has, another number at some distance may have or not: it is a root of its own.
  choices.root = bothSigns && root != 0
                     ? mix(mix(root, static_cast<std::uint64_t>(offset)), static_cast<std::uint64_t>(count))
                     : root;
  const std::int64_t shift = (offset % count + count) % count;
  for (std::int64_t sign = 0; sign < (bothSigns ? 2 : 1); ++sign)
    for (std::int64_t residue = 0; residue < count; ++residue) {
      const std::int64_t value = (residue + shift) % count;
      choices.values.push_back(sign == 0 || value == 0 ? value : value - count);
    }
  return choices;
}

Choices changed(const Choices &choices, const std::function<std::int64_t(std::int64_t)> &change) {
  Choices result = choices;
  for (std::int64_t &value : result.values)
    value = change(value);
  return result;
}

std::optional<Choices> joined(const Choices &a, const Choices &b,
                              const std::function<std::optional<std::int64_t>(std::int64_t, std::int64_t)> &join) {
  const std::size_t count = std::lcm(a.values.size(), b.values.size());
  if (!oneRoot(a, b) || count > kMostChoices)
    return std::nullopt;
  Choices result;
  result.root = a.values.size() == 1 ? b.root : a.root;
  for (std::size_t residue = 0; residue < count; ++residue) {
    std::optional<std::int64_t> value = join(a.values[residue % a.values.size()], b.values[residue % b.values.size()]);
    if (!value)
      return std::nullopt;
    result.values.push_back(*value);
  }
  return result;
}

std::optional<Choices> picked(const Choices &condition, const Choices &whenTrue, const Choices &whenFalse) {
  const std::size_t count =
      std::lcm(condition.values.size(), std::lcm(whenTrue.values.size(), whenFalse.values.size()));
  if (!oneRoot(condition, whenTrue) || !oneRoot(condition, whenFalse) || count > kMostChoices)
    return std::nullopt;
  Choices result;
  result.root = condition.root;
  for (std::size_t residue = 0; residue < count; ++residue) {
    const Choices &arm = condition.values[residue % condition.values.size()] != 0 ? whenTrue : whenFalse;
    result.values.push_back(arm.values[residue % arm.values.size()]);
  }
  return result;
}

bool anyPair(const Choices &a, const Choices &b, const std::function<bool(std::int64_t, std::int64_t)> &meet) {
  const std::size_t count = std::lcm(a.values.size(), b.values.size());
  if (oneRoot(a, b) && count <= kMostPairs) {
    for (std::size_t residue = 0; residue < count; ++residue)
      if (meet(a.values[residue % a.values.size()], b.values[residue % b.values.size()]))
        return true;
    return false;
  }
  const std::vector<std::int64_t> ofA = distinct(a.values), ofB = distinct(b.values);
  return std::any_of(ofA.begin(), ofA.end(), [&](std::int64_t first) {
    return std::any_of(ofB.begin(), ofB.end(), [&](std::int64_t second) { return meet(first, second); });
  });
}

} // namespace ptosync::replay
