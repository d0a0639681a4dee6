// Finds that a loop has come to repeat itself, and moves it on.
//
// History keeps, for one activation of a loop, a fingerprint of what each iteration issued and a
// snapshot of the carried variables at each header visit. A period is accepted after three equal
// ones that go on for the deepest ring, and never before the loop ran longer than that. How long it goes on like that is
// for repetition_proof.h.
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
  /// A header visit: the iteration before it, if any, is complete. `tape`: where the run's tape then ends.
  void close(std::vector<Value> snapshot, std::size_t tape = 0);
  /// The shortest period, longer than `shorter`, that the last iterations show `times` over, three at least, and for
  /// `ringDepth` iterations: what happens in every fourth one alone is no exception from what the others do. 0 if there
  /// is none.
  std::uint64_t period(std::uint64_t ringDepth, std::uint64_t times = 3, std::uint64_t shorter = 0) const;
  /// True if the last periods of this length, three or more, were equal and moved the variables equally.
  bool repeats(std::uint64_t period, std::uint64_t times = 3) const;
  /// No more periods from here on.
  void finish() { finished = true; }
  bool isFinished() const { return finished; }
  /// Snapshot of the header visit `back` visits ago; 0: the present one.
  const std::vector<Value> &snapshot(std::size_t back) const { return snapshots[snapshots.size() - 1 - back]; }
  /// Where the tape ended at that visit.
  std::size_t tapeAt(std::size_t back) const { return tapes[tapes.size() - 1 - back]; }

private:
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::vector<Value>> snapshots;
  std::vector<std::size_t> tapes; // by snapshot
  std::uint64_t current = 0;
  bool finished = false;
};

class Repetition {
public:
  Repetition(Subject &subject, Evaluator &values) : subject(subject), values(values) {}

  std::vector<Value> snapshot(LoopId loop);
  /// Moves the carried variables as `periods` periods would.
  void advance(LoopId loop, const History &history, std::uint64_t period, std::uint64_t periods);

private:
  Subject &subject;
  Evaluator &values;
};

} // namespace ptosync::replay
