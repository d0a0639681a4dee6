#include "compare/loop_match.h"

#include <algorithm>
#include <cmath>

namespace ptosync::compare {
namespace {

class LoopMatcher {
public:
  LoopMatcher(const Outline &a, const Outline &b) : a(a), b(b) {}

  std::vector<LoopPair> match() {
    level(a.outermost, b.outermost);
    return std::move(pairs);
  }

private:
  using List = std::vector<std::size_t>;

  /// Loops beside each other. best[i][j]: the likeness that the loops from i and from j on can reach.
  void level(const List &left, const List &right) {
    std::vector<std::vector<double>> best(left.size() + 1, std::vector<double>(right.size() + 1, 0));
    for (std::size_t i = left.size(); i-- > 0;)
      for (std::size_t j = right.size(); j-- > 0;)
        best[i][j] = std::max({best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + alike(left[i], right[j])});
    std::size_t i = 0, j = 0;
    while (i < left.size() || j < right.size()) {
      double both = i < left.size() && j < right.size() ? alike(left[i], right[j]) : 0;
      if (both > 0 && best[i][j] <= best[i + 1][j + 1] + both) {
        pairs.push_back({left[i], right[j]});
        level(a.loops[left[i]].inner, b.loops[right[j]].inner);
        ++i, ++j;
      } else if (j == right.size() || (i < left.size() && best[i][j] <= best[i + 1][j])) {
        pairs.push_back({left[i], std::nullopt});
        level(a.loops[left[i++]].inner, {});
      } else {
        pairs.push_back({std::nullopt, right[j]});
        level({}, b.loops[right[j++]].inner);
      }
    }
  }

  /// 0 where they are different loops.
  double alike(std::size_t left, std::size_t right) const {
    double value = likeness(a.loops[left].contents, b.loops[right].contents);
    return value < kLeastLikeness ? 0 : value;
  }

  const Outline &a, &b;
  std::vector<LoopPair> pairs;
};

} // namespace

double likeness(const std::map<std::string, double> &a, const std::map<std::string, double> &b) {
  double product = 0, lengthA = 0, lengthB = 0;
  for (const auto &[kind, count] : a) {
    lengthA += count * count;
    if (auto other = b.find(kind); other != b.end())
      product += count * other->second;
  }
  for (const auto &[kind, count] : b)
    lengthB += count * count;
  if (a.empty() && b.empty())
    return 1;
  return lengthA > 0 && lengthB > 0 ? product / std::sqrt(lengthA * lengthB) : 0;
}

std::vector<LoopPair> matchLoops(const Outline &a, const Outline &b) { return LoopMatcher(a, b).match(); }

} // namespace ptosync::compare
