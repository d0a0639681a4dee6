// What the repairs of one kernel have in common. Plain data; tested through tests/synthesis/fix_test.cpp.
#pragma once

#include "synthesis/kernel_state.h"
#include "synthesis/proposal.h"
#include "synthesis/required_order.h"
#include "synthesis/statement_tree.h"
#include "synthesis/trial_kernel.h"

namespace ptosync::synthesis {

struct RepairContext {
  const Module &module; // the input
  std::size_t number;   // of the kernel
  const StatementTree &tree;
  const Machine &machine, &endless; // with the ids that there are, and with ids without end
  const OrderingOptions &ordering;
  const std::set<std::int64_t> &reservedIds;
  const Lift &lift;
  /// Estimated cycles of a version of the kernel.
  std::function<double(const Kernel &)> time;

  const Kernel &kernel() const { return module.kernels[number]; }
  /// The syncs of a proposal as additions to this kernel's text.
  std::vector<AddedSync> additions(const Proposal &proposal, std::int64_t id) const;
  /// Where the statements of another version of the kernel stand in the input.
  PlaceOf placesOf(const Kernel &version) const;
};

/// "from PIPE_MTE2 to PIPE_V".
std::string betweenPipes(Pipe source, Pipe destination);

} // namespace ptosync::synthesis
