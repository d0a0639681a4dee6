// Is a sync needed? A run of the kernel in which an order is lost without it says yes. No is said only of kernels that
// have no inputs but what memory holds, and no branch, event id or choice that this decides: their one run is all runs;
// and of statements that no inputs lead to.
//
//   Module, questions --chosen runs, each traced once--> the same trace without the syncs of a question --judge-->
//     an order, a flag or the end is lost: Need, with the run, the pair and the bytes
//     nothing, although the two may meet: runs are sought in which they do (choose/aimed_runs.h)
//
//   12  TSTORE(out + n * 512, a)         asked: the barrier. Runs with n = 3, 0, 1, 2, 6 lose nothing, since the places
//   13  pipe_barrier(PIPE_MTE3)          are apart; whatever n is they may meet; n = 8 makes them meet, and the run
//   14  TSTORE(out + 4096, b)            with it says Needed, WAW on GM [4096, 4608)
//
// A kernel's syncs decide neither its way nor its instructions, so that the run without some of them is the run with
// these events left out. That is why one trace serves all questions of a kernel. An answer `Needed` relies on numbers
// as the run draws them alone (RunRequest::asDrawn, Meeting::Shown): both places are known and have a byte in common. A
// fence, a flag at fault, a hang and the kernel's end need no bytes. Contested readings of the machine decide nothing,
// and a contested rule that would order what is lost is named. What has no such run is told apart by the nearest that
// came of it; unless it is InNoRun it may be needed all the same. Of a tile whose valid region is not static all of its
// bytes count. Tested by tests/replay/needed_test.cpp.
#pragma once

#include "replay/judge/compare.h"
#include "replay/options.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync::replay {

struct NeedQuestion {
  std::set<SiteId> sites; // that go together
  /// Instructions that the syncs are thought to order, by their lines, the earlier one first: what to aim at.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs = {};
};

/// From the most that is known to the least.
enum class NeedAnswer : std::uint8_t {
  Needed,      // `finding` is lost without it
  MayMeet,     // `finding` would be, but no run was found in which the two are known to meet
  Contested,   // `finding` would be, in a contested reading of the machine alone
  NothingLost, // runs come by it, and lose nothing without it
  NotReached,  // no run comes by it
  InNoRun,     // all runs of its kernels are alike, and lose nothing without it; or no inputs lead to it
  NotAnalysed, // no kernel that can be analysed has it
};

/// "needed", "may-meet", "contested", "nothing-lost", "not-reached", "in-no-run", "not-analysed".
const char *needAnswerName(NeedAnswer answer);

struct Need {
  NeedAnswer answer = NeedAnswer::NotAnalysed;
  std::optional<Finding> finding; // Needed, MayMeet, Contested; lines are the module's
  std::string unless;             // Needed: a contested rule of the machine that would order the two all the same
  bool aimed = false;             // Needed: the run was sought for it
  bool cut = false;               // not Needed: a run that came by was stopped as too long
  bool nobodyComes = false;       // InNoRun: no inputs lead to it
};

/// Returns the answers in the order of the questions. Errors: an argument name that no kernel has.
llvm::Expected<std::vector<Need>> whatIsNeeded(const Module &module, const std::vector<NeedQuestion> &questions,
                                               const Machine &machine, const Options &options);

} // namespace ptosync::replay
