// Two runs of two versions of a kernel with the same inputs: what order has the second one lost?
//
//   Trace, Trace --same instructions?--> Schedule, Schedule --> orders lost --rules--> findings
//
// The two traces must hold the same instructions with the same bytes, syncs aside. Then phases correspond one to one,
// and an order is lost where a phase knew more of a pipe to be complete in the first run than in the second
// (schedule.h). A lost order counts if the two phases conflict by the machine model (conflict.h), or if a fence is
// involved; so does work that was known to be complete when the kernel ended and is not any more. Flags and hangs:
// tokens.h. Orders are compared twice where waits for the scalar pipe occur: once as if they held back all later work,
// once as if not; the second version must lose nothing either way. It does not say what is wrong in both versions, and
// nothing about runs that were not made. Tested by tests/replay/judge/compare_test.cpp.
#pragma once

#include "replay/judge/conflict.h"
#include "replay/judge/tokens.h"
#include "replay/run/interpreter.h"

#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

enum class FindingKind : std::uint8_t {
  Streams,  // the instructions differ
  Order,    // a conflicting pair has lost its order
  End,      // work may still run when the kernel ends
  Token,    // a flag is not binary
  Deadlock, // the run does not end
};

/// "streams", "order", "end", "token", "deadlock".
const char *findingName(FindingKind kind);

/// An instruction in both files.
struct Place {
  std::string text;                            // "TADD(v1, v1, v2)"; empty: no instruction
  std::uint32_t beforeLine = 0, afterLine = 0; // 0: not there
  std::string pipe;
  std::string iteration;            // "iteration 2 of the loop at line 30"; of the first file
  std::uint32_t afterBegin = kNone; // byte of the second file; kNone: not there
  std::uint32_t instance = kNone;   // its number in the run; kNone: no instruction of both files
};

struct Finding {
  FindingKind kind = FindingKind::Order;
  std::string kernel;
  Section section = Section::Both;
  std::string run;                // the inputs
  std::string rule;               // Order: "RAW", ...; Token: "set-twice", ...
  Place earlier, later;           // Order, End, Streams
  std::string storage;            // Order: "UB [0, 512)"
  std::vector<std::string> order; // Order, End: the syncs of the first file that ordered them, first one first
  std::set<SiteId> syncs;         // Token, Deadlock: those of the second file that it is about
  // Order, End: only a contested reading of the machine has the order in the first file: a wait for the scalar pipe
  // that holds back all later work, or a bracket of which it is open what it orders.
  bool contested = false;
  std::string text; // one sentence: what goes wrong in the second file
};

struct Comparison {
  std::vector<Finding> findings; // one for each pair of statements
  std::uint64_t compared = 0;    // instructions
  bool cut = false;              // one of the runs did not come to its end
  bool differentSkips = false;   // nothing was compared: run again without skipping
};

/// One version's side of a comparison.
struct Side {
  const Subject &subject;
  const Trace &trace;
};

/// Returns where an instruction of both runs stands, without its pipe.
Place placeOf(const Side &before, const Side &after, std::uint32_t instance);

/// Compares two runs. Leaves Finding::kernel, section and run open. `most`: of the findings.
Comparison compareRuns(const Side &before, const Side &after, const ConflictRules &rules,
                       std::size_t most = Budget().findings);

} // namespace ptosync::replay
