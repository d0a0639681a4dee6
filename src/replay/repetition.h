// Finds that a loop has come to repeat itself, and how far it will go on doing so.
//
// History keeps, for one activation of a loop, a fingerprint of what each iteration issued and a
// snapshot of the carried variables at each header visit. A period is accepted after three equal
// ones that go on for the deepest ring, and never before the loop ran longer than that; its end is found by asking
// the loop's own condition. Only loops that are left from their header are looked at.
// Tested by tests/replay/repetition_test.cpp.
#pragma once

#include "replay/evaluator.h"
#include "replay/inputs.h"
#include "replay/loop_nest.h"

#include <cstdint>
#include <vector>

namespace ptosync::replay {

class Subject;

class History {
public:
  /// Something was issued or decided in the present iteration.
  void note(std::uint64_t what) { current = mix(current, what); }
  /// A header visit: the iteration before it, if any, is complete.
  void close(std::vector<Value> snapshot);
  /// The shortest period that the last iterations show `times` over, three at least, and for `ringDepth` iterations:
  /// what happens in every fourth one alone is no exception from what the others do. 0 if there is none.
  std::uint64_t period(std::uint64_t ringDepth, std::uint64_t times = 3) const;
  /// True if the last periods of this length, three or more, were equal and moved the variables equally.
  bool repeats(std::uint64_t period, std::uint64_t times = 3) const;
  /// No more periods from here on.
  void finish() { finished = true; }
  /// Snapshot of the header visit `back` visits ago; 0: the present one.
  const std::vector<Value> &snapshot(std::size_t back) const { return snapshots[snapshots.size() - 1 - back]; }

private:
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::vector<Value>> snapshots;
  std::uint64_t current = 0;
  bool finished = false;
};

class Repetition {
public:
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};

  Repetition(Subject &subject, Evaluator &values) : subject(subject), values(values) {}

  std::vector<Value> snapshot(LoopId loop);
  /// How many whole periods from now the loop's condition still holds at the header; 0 if that
  /// cannot be told, kEndless if it seems to hold for ever.
  std::uint64_t periodsAhead(LoopId loop, const History &history, std::uint64_t period);
  /// Moves the carried variables as `periods` periods would.
  void advance(LoopId loop, const History &history, std::uint64_t period, std::uint64_t periods);

private:
  bool staysAfter(LoopId loop, const History &history, std::uint64_t period, std::uint64_t periods);

  Subject &subject;
  Evaluator &values;
};

} // namespace ptosync::replay
