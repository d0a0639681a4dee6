#include "synthesis/candidate.h"

#include <algorithm>
#include <tuple>

namespace ptosync::synthesis {

constexpr double kWorthOne = 0.0005; // share of the time that each statement more has to gain
constexpr std::size_t kMostAddedForOneLess = 4;

bool isFaster(const Candidate &a, const Candidate &b) {
  return std::make_tuple(a.cycles, a.statements, a.edits) < std::make_tuple(b.cycles, b.statements, b.edits);
}

bool isShorter(const Candidate &a, const Candidate &b, double cycles) {
  const auto order = [&](const Candidate &one) {
    const double worth = isMuchFaster(one.cycles, cycles) ? one.cycles : cycles;
    return std::make_tuple(worth, one.statements, one.cycles, one.edits);
  };
  return order(a) < order(b);
}

bool isWorthwhile(const Candidate &candidate, const Candidate &base) {
  std::size_t more = std::max(candidate.statements, base.statements) - base.statements;
  if (candidate.cycles < base.cycles * (1 - std::max(kWorthwhile, static_cast<double>(more) * kWorthOne)))
    return true;
  // A kernel that is as fast is not turned upside down for a statement less.
  return candidate.cycles <= base.cycles && candidate.statements < base.statements &&
         candidate.result.added.size() <= kMostAddedForOneLess * (base.statements - candidate.statements);
}

} // namespace ptosync::synthesis
