// Leaving out the iterations of a long loop: all that the other rooms of the replay may know of it.
//
//   corpus/swept_places: for (v12 = 0; v12 < 64; v12 += 1) TSTORE(row v12 of v2, v9);
//                        pipe_barrier(PIPE_MTE3);
//                        TSTORE(row 20 of v2, v9);
//
//   v12 = 0, 1, 2      are run: three equal periods of one iteration; each moved v12 by 1 and the row by 4096 bytes
//   v12 = 3            iteration 1 is gone through once more with v12 = 1 + p: the loop's test holds, there and behind
//   it, up
//                      to p = 61, and the row moves evenly; so 60 more iterations do what the last one did
//                      58 are left out, two are kept for the end: v12 becomes 61, Trace::skips notes it
//   v12 = 61, 62, 63   are run
//   then               rows 3 to 60 were swept unseen, and the store behind the loop writes row 20: skippedMeetOthers
//                      returns true, both versions are run in full, and the barrier is found to be needed
//
// Leaving out is right because (1) the periods that are left out are proved to issue what the last one issued, with
// every carried number moved evenly (repetition.h); (2) order depends on at most as many iterations as the deepest ring
// has entries, and so many were run and were equal, so the state of the pipes behind them is that of the periods that
// were run; (3) places in global memory that a skipped iteration sweeps over meet nothing that they were not compared
// with, and where they may, the run is made in full; (4) both versions skip the same iterations, or none.
//
// The interpreter tells a Skipper which loops it enters, visits and leaves, and what it issues. At a visit of a header
// the Skipper may answer "take so many iterations for done". It answers so only if three periods in a row were equal
// and the last one is proved to go on (repetition.h). Without a Skipper the interpreter runs every iteration: the rest
// of the replay neither needs nor sees anything of this folder. The places in global memory that a loop sweeps move on
// while iterations are left out. `skippedMeetOthers` says where that may matter; the answer to it is a run without
// skipping (verify.cpp). Not decided here: what a loop does beyond what memory contents the run has drawn. Tested by
// tests/replay/skip/skipping_test.cpp, tests/replay/skip/sweep_test.cpp and tests/replay/skip/agreement_test.cpp.
#pragma once

#include "replay/run/interpreter.h"

#include <memory>
#include <optional>

namespace ptosync::replay {

class ConflictRules;

/// Watches the loops of one run.
class Skipper {
public:
  /// Refers to all of them; `tape` is where the run is written down while `isWatching`.
  Skipper(Subject &subject, const RunRequest &request, Evaluator &values, Tape &tape);
  ~Skipper();

  void enterLoop(LoopId loop);
  void leaveLoop();
  /// Something observable happened, in every loop around.
  void note(std::uint64_t what);
  /// Returns true if some loop around may still come to repeat itself.
  bool isWatching() const;

  struct Answer {
    std::optional<Skip> skip;     // these iterations are taken for done, and the variables have been moved on
    std::optional<Ending> ending; // the run stops here
  };
  /// At the header of the innermost loop, visited `visits` times with this one; `trace` is what was issued so far.
  Answer visitHeader(std::uint64_t visits, const Trace &trace);

private:
  class Watch;
  std::unique_ptr<Watch> watch;
};

/// Returns false only if every access of global memory that was left out meets what those that were run have met as
/// well, or nothing. Over-approximates: what an inner loop swept counts as one range. Addresses that memory decides do
/// not move, as far as anybody knows: they stand for every address in every period, run or not.
bool skippedMeetOthers(const Subject &subject, const Trace &trace, const ConflictRules &rules);

} // namespace ptosync::replay
