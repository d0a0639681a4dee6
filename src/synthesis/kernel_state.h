// One version of a kernel, analysed from nothing: what is open in it, so that versions can be held against each other.
//
//   Kernel --Program, Pending--> pairs left open, by the numbers of their statements; faults of its flags
//
// Statements other than syncs have the same number in every version of a kernel that differs in its syncs alone, so
// pairs of two versions can be compared. Tested through tests/synthesis/verification_test.cpp and fix_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/kernel_analysis.h"

#include <llvm/Support/Error.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ptosync::synthesis {

/// Two statements by number, and how they meet on two pipes: a call that runs on several has a pair for each.
struct OpenPair {
  std::size_t earlier = 0, later = 0;
  HazardKind kind = HazardKind::ReadAfterWrite;
  Pipe source = Pipe::S, destination = Pipe::S;
  auto operator<=>(const OpenPair &) const = default;
};

struct KernelState {
  Analysis analysis;                  // the kernel must outlive it
  std::set<OpenPair> open;            // conflicts that nothing orders
  std::set<OpenPair> silenced;        // conflicts that only a contested rule orders
  std::set<OpenPair> fences;          // orders relative to opaque calls that do not hold on every path
  std::set<std::size_t> atEnd;        // statements that may still run where the kernel ends
  std::map<Flag, std::size_t> faults; // places where a flag is not binary
  std::map<Flag, std::size_t> reuses; // places where a flag may be set again before its wait
  /// Of those, the statements: the flag, the wait, the set that may come before it. kNone: a statement that is no site.
  std::set<std::tuple<Flag, SiteId, SiteId>> reusePairs;

  /// Of a pair of one of the sets above.
  OpenPair pairOf(const ConflictPair &pair) const;
  /// Of a node's statement; kNone for a sync.
  std::size_t numberOf(NodeId node) const;

  std::map<const Statement *, std::size_t> numbers;
};

/// The statements of a kernel that are no syncs, in order: their numbers are positions here.
std::vector<const Statement *> numberedStatements(const Kernel &kernel);

llvm::Expected<KernelState> analyseKernel(const Kernel &kernel, const Machine &machine, const OrderingOptions &options);

/// "flag (PIPE_MTE2, PIPE_V, 0)".
std::string flagName(const Flag &flag);

} // namespace ptosync::synthesis
