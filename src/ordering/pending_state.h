// One element of the ordering engine's lattice: what may still be running, at one place of the program.
//
//   row of pipe Q   instances (of all pipes) that may not have completed when Q starts something
//   row of flag f   instances that whoever waits for f will not know to be complete
//   row of pipe R's releases of buffer id k    instances that whoever waits for the last of them will not know complete
//   tokens          of the flags: empty, set, or not the same on all paths
//
// Bottom is "not reached". Join is the union of the rows, a back edge ages the instances by one iteration first, and
// `apply` is the transfer function of one event: an access adds its instance to every row, a barrier empties its own
// pipe's part, a set copies its pipe's row without that pipe, a wait intersects with the copy. All of them are
// monotone, and rows only grow in a join, so the fixpoint exists and is reached.
// A release copies like a set, and a get intersects with the copies of all other pipes; the copies are there on every
// path, so nothing is primed, drained or emptied:
//
//   1  TLOAD(a, g)         V {1}     MTE2's releases of 3 {1}
//   2  rls_buf(MTE2, 3)    V {1}                          {}     MTE2's row without MTE2's own work
//   3  TLOAD(b, g)         V {1, 3}                       {3}    started behind the release
//   4  get_buf(V, 3)       V {3}                          {3}    V knows 1; a later get of 3 would know as much
//
// Sound: a row holds at least what is running. A flag that is set on some paths only covers nothing.
// Rows share what they have in common with those that they were copied from (bit_set.h), and one that holds nothing
// takes no room: most flags are not set in most places.
// Tokens are not joined here: TokenStates has their own fixpoint, and its entries are put in.
// Tested by tests/ordering/pending_state_test.cpp.
#pragma once

#include "ordering/hazard.h"
#include "ordering/syncs.h"

namespace ptosync {

class PendingState {
public:
  /// Not reached.
  PendingState() = default;
  /// Reached, with nothing running and no flag set.
  explicit PendingState(const Program &program);

  bool reached() const { return !sets.empty(); }
  /// Returns the number of rows: kPipeCount pipes, one row per flag, one per Program::buffers; 0 if not reached.
  std::size_t rows() const { return sets.size(); }
  const BitSet &row(std::size_t number) const { return sets[number]; }
  BitSet &rowToChange(std::size_t number) { return sets[number]; }
  void clearRow(std::size_t number) { sets[number].clear(); }

  /// Joins what reaches a step by one more edge, which goes round `around` (kNone: round no loop). Returns true if this
  /// grew.
  bool join(const Program &program, const PendingState &source, LoopId around);
  void apply(const Program &program, const HazardModel &model, const Event &event);
  /// A flag that is not set has no waiter: what its row held would only hide what a later edit finds.
  void clearUnset(llvm::ArrayRef<Token> states);

  /// Prints one line for every row that holds something: "PIPE_V: TADD@12 TMUL@14-1", the line of an instance and how
  /// many iterations ago (`-2+`: or more); for debuggers and tests.
  std::string print(const Program &program) const;

  Tokens tokens;

private:
  void pend(const Node &node);
  void applySet(const HazardModel &model, const Event &event);
  void applyWait(const Program &program, const Event &event);
  void applyGet(const Program &program, const Event &event);
  void applyRelease(const Program &program, const HazardModel &model, const Event &event);
  void pendForReleases(std::uint32_t bit);

  std::vector<BitSet> sets; // by row
};

/// Each instance of `row` after going round `loop`.
void age(const Program &program, BitSet &row, LoopId loop);

} // namespace ptosync
