// The fewest barriers and flags that order pairs which nothing orders.
//
//   open pairs --proposals--> what each orders alone --smallest cover--> barriers and flags, with event ids
//
// What the kernel has stays as it is. A barrier counts as one statement, a flag as two, one that goes round a loop as
// four; of covers of one size the fastest by the estimate is taken. Nothing said here is believed: fix.h reads the text
// that results. Tested by tests/synthesis/fix_test.cpp and tests/golden/fix_test.cpp.
#pragma once

#include "synthesis/fix.h"

namespace ptosync::synthesis {

/// A pair that stays as it is, and why: "nothing that can be put in is seen to order them".
struct StillOpen {
  OpenPair pair;
  std::string reason;
};

inline constexpr const char *kTooManyPlaces = "there are too many places for what is missing";

struct OrderRepair {
  std::vector<SyncPlan> changes; // one for each barrier and each flag
  std::vector<StillOpen> left;
};

/// For those of the open pairs that `wanted` asks for, by the numbers of their statements.
llvm::Expected<OrderRepair> repairOrder(const RepairContext &context, const SyncPlan &base,
                                        const std::set<OpenPair> &wanted);

} // namespace ptosync::synthesis
