// How much may still be looked at in a search, and until when.
//
// Work is counted in words of pending sets and in operations of timed runs, which are the same on every machine: the same
// input comes to the same end. The time that a user gives comes on top; where it ends a search, the result depends on
// the machine. Whoever runs out keeps the best that was verified. Tested by tests/synthesis/work_limit_test.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace ptosync::synthesis {

class WorkLimit {
public:
  using Clock = std::chrono::steady_clock;

  explicit WorkLimit(std::uint64_t units, std::optional<Clock::time_point> until = std::nullopt)
      : left(units), until(until) {}

  /// Returns true if nothing more may be begun.
  bool exhausted() const { return left == 0 || late(); }
  void spend(std::uint64_t units) {
    left -= std::min(left, units);
    spentSoFar += units;
  }
  std::uint64_t spent() const { return spentSoFar; }
  /// Returns what each of several searches may spend that run beside each other; whoever shares spends what they did.
  WorkLimit share(std::size_t parts) const { return WorkLimit(left / std::max<std::size_t>(parts, 1), until); }
  /// Returns true if a search has to end that has come to cost so much and has not spent it yet.
  bool exceededBy(std::uint64_t units) const { return units >= left || late(); }

private:
  bool late() const { return until && Clock::now() >= *until; }

  std::uint64_t left, spentSoFar = 0;
  std::optional<Clock::time_point> until;
};

} // namespace ptosync::synthesis
