// That a loop has come to repeat itself, and for how many periods it is proved to go on.
//
//   for (i = 0; i < 2000; ++i) TASSIGN(x, i == 40 ? 0 : 0x4000) ...      at the header, i = 3
//
//   History     fingerprints of iterations 0, 1, 2: equal; snapshots of i: 0, 1, 2, 3, each 1 more: a period of 1
//   Proof       iteration 1 once more, with i = 1 + p: i < 2000 holds up to p = 1998; i == 40 is false up to p = 38, so
//   the
//               course is cut to that; at its end i is 2 + p, as the next period begins
//   Proved      37 periods from i = 3 on; not the loop's own end, so something else happens at i = 40
//
// History keeps, for one activation of a loop, a fingerprint of what each iteration issued and a snapshot of the
// carried variables at each header visit. A period is accepted after three equal ones that go on for the deepest ring,
// and never before the loop ran longer than that. Then the last period but one is gone through once more, with the
// variables that the loop carries as moving numbers (moving_number.h): every branch must go the way it went, every
// address must be the same or move evenly, every event id and size must be the same, and at its end the carried
// variables must have moved on by as much as the period before. Then the last period is the one before it, moved on,
// and so are those to come. Where a comparison, a quotient or a conversion is even for some periods only, no more are
// proved. Loops inside that were not run in full are gone through as a whole, in the same way. What memory holds is
// taken to be drawn again as in the last period: that is the run's own choice. Not proved, and hence run: numbers that
// do not move evenly (products of two that move, bits of them), and addresses that a comparison of a moving number with
// what memory holds decides, for those stand for all that it may hold. Tested by tests/replay/skip/repetition_test.cpp
// and tests/replay/skip/skipping_test.cpp.
#pragma once

#include "replay/run/interpreter.h"
#include "replay/skip/moving_number.h"

#include <cstdint>
#include <vector>

namespace ptosync::replay {

class History {
public:
  /// Something was issued or decided in the present iteration.
  void note(std::uint64_t what) { current = mix(current, what); }
  /// A header visit: the iteration before it, if any, is complete. `tape`: where the run's tape then ends.
  void close(std::vector<Value> snapshot, std::size_t tape = 0);
  /// Returns the shortest period, longer than `shorter`, that the last iterations show `times` over, three at least,
  /// and for `ringDepth` iterations: what happens in every fourth one alone is no exception from what the others do. 0
  /// if there is none.
  std::uint64_t period(std::uint64_t ringDepth, std::uint64_t times = 3, std::uint64_t shorter = 0) const;
  /// Returns true if the last periods of this length, three or more, were equal and moved the variables equally.
  bool repeats(std::uint64_t period, std::uint64_t times = 3) const;
  /// No more periods from here on.
  void finish() { finished = true; }
  bool isFinished() const { return finished; }
  /// Returns the snapshot of the header visit `back` visits ago; 0: the present one.
  const std::vector<Value> &snapshot(std::size_t back) const { return snapshots[snapshots.size() - 1 - back]; }
  /// Returns where the tape ended at that visit.
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

struct Proved {
  std::uint64_t periods = 0;
  bool loopEnds = false; // it is the loop's own condition that allows no more
  bool even = true;      // false: something in the period does not move evenly; another period may
};

/// A loop that goes on for so many periods is taken to be endless.
inline constexpr std::uint64_t kEndlessPeriods = std::uint64_t{1} << 31;

/// The variables of a kernel as moving numbers; those that were not assigned are what they are in the run.
class MovingVariables {
public:
  MovingVariables(const Evaluator &values, std::size_t count) : values(&values), numbers(count), assigned(count, 0) {}
  void forget() { ++generation; }
  Moving get(VariableId variable) const;
  void set(VariableId variable, const Moving &number);

private:
  const Evaluator *values;
  std::vector<Moving> numbers;
  std::vector<std::uint32_t> assigned; // in which generation
  std::uint32_t generation = 1;
};

class RepetitionProof {
public:
  /// Proves what matters; the rest may do in other iterations what it likes.
  RepetitionProof(Subject &subject, Evaluator &values, const Tape &tape, Matters matters);

  /// From the present visit of the loop's header, whose history shows `period`.
  Proved prove(LoopId loop, const History &history, std::uint64_t period);

private:
  Subject &subject;
  Evaluator &values;
  const Tape &tape;
  Matters matters;
  MovingVariables variables;
};

} // namespace ptosync::replay
