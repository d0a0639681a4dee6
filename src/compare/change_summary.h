// What a maintainer asks first of two versions of a kernel file: orders lost, new PIPE_ALL barriers, event ids, time,
// instructions. One row of a table over many files, and the lines under it.
//
//   Comparison (compare.h), Verdict (replay/verify.h), both Modules --summarize--> ChangeSummary
//
// It counts what others have found: the comparison names the syncs that differ, the replay the orders that the second
// version has lost, the ordering engine the event ids that are in use at once. A number that nobody can give is absent,
// and `unknown` says why; where instructions differ, lost orders are not looked for behind the first that does.
// Tested by tests/compare/change_summary_test.cpp.
#pragma once

#include "compare/compare.h"
#include "machine/model_choices.h"
#include "ordering/program.h"
#include "replay/verify.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ptosync::compare {

struct ChangeSummary {
  std::optional<std::size_t> lost;       // orders that the second version has lost
  std::optional<std::size_t> faults;     // flags that it sets or awaits as they are not, and runs that hang
  std::string unknown;                   // why these are absent, or no proof where they are 0; empty: they are one
  std::vector<std::string> findings;     // a line each, those of other instructions too
  std::size_t barriersAll = 0;           // pipe_barrier(PIPE_ALL) that are new, or that something was widened to
  std::size_t gone = 0, added = 0;       // sync statements
  std::size_t moved = 0;                 // and those that differ otherwise
  std::optional<std::size_t> idsA, idsB; // event ids of one pair of pipes that are in use at once, the most of all
  Both cycles;                           // of all that was compared, both cores together where they meet
  std::size_t instructionsGone = 0, instructionsNew = 0; // statements
  bool otherInstructions = false;                        // the same kinds, but with other operands or in another order
  bool notCompared = false;                              // some kernel that both have could not be analysed
  bool onlyInOne = false;                                // some kernel function has no partner

  bool instructionsDiffer() const { return instructionsGone || instructionsNew || otherInstructions; }
  /// Returns true if something of this differs that is not a matter of what is known.
  bool differs() const;
};

/// `verdict`: of the same two modules, or the reason why there is none. `file`: what the second one is called.
ChangeSummary summarize(const Comparison &comparison, llvm::Expected<replay::Verdict> verdict, const Module &a,
                        const Module &b, const Machine &machine, const OrderingOptions &options);

/// Returns the most event ids of one pair of pipes that are set at once anywhere, of all kernels of the file; empty if
/// one of them cannot be analysed.
std::optional<std::size_t> idPressure(const Module &module, const Machine &machine, const OrderingOptions &options);

/// "2 gone, 1 new", "others"; empty: the instructions are the same.
std::string instructionText(const ChangeSummary &summary);

/// Returns one line with every number that differs, and a time that differs by half a percent: "1 order lost; 1 new
/// PIPE_ALL barrier; syncs: 1 moved or changed".
std::string changeLine(const ChangeSummary &summary);

} // namespace ptosync::compare
