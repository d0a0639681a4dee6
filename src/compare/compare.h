// Two versions of a kernel file laid beside each other: what each has of every kind, how long it takes, which syncs
// differ.
//
//   Module, Module --matchKernels--> pairs --one run each--> counts, estimates, loops, syncs
//
// Kernels are matched by name and core; those left over in their order, if they do much the same instructions. Both
// versions are timed in the same run where their parameters are alike. It judges nothing: whether the second one is
// still right is for replay/verify.h to say. Knows nothing of decisions. Tested by tests/compare/compare_test.cpp.
#pragma once

#include "compare/sync_match.h"
#include "timing/estimate.h"

#include <llvm/Support/Error.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace ptosync::compare {

/// One number of each version.
struct Both {
  double a = 0, b = 0;
  /// Empty where A has nothing: there is no ratio.
  std::optional<double> ratio() const { return a > 0 ? std::optional<double>(b / a) : std::nullopt; }
};

/// How much of one kind a loop or the whole kernel has.
struct KindCount {
  Family family = Family::Instruction;
  std::string kind;
  Both statements, executed; // of the timed run
  bool same() const { return statements.a == statements.b && std::abs(executed.a - executed.b) < 0.5; }
};

struct LoopComparison {
  std::optional<std::uint32_t> lineA, lineB; // empty: the version has no such loop
  std::uint32_t depth = 0;
  Both iterations, cycles, limit;
  Both syncs;                    // statements, inner loops included
  std::vector<KindCount> counts; // statements whose innermost loop it is
};

struct SyncPlace {
  std::uint32_t line = 0;
  std::vector<std::uint32_t> calledFrom; // lines of the calls around it, innermost first
  std::uint32_t loopLine = 0;            // of the innermost loop; 0: none
  double executions = 0;
  double cost = 0; // cycles the kernel would gain without it alone, data still in order
};

struct SyncComparison {
  SyncChange change = SyncChange::Same;
  std::string kind;           // "set_flag(PIPE_MTE2, PIPE_V)"
  std::string earlier, later; // kinds of the nearest two instructions that it orders; empty: none in this run
  bool carried = false;
  std::string before; // Changed: what it orders in A, "TLOAD -> TADD"
  std::optional<SyncPlace> a, b;
};

struct KernelComparison {
  std::string nameA, nameB; // one is empty: the kernel has no partner
  Section section = Section::Both;
  std::uint32_t lineA = 0, lineB = 0;
  std::string notAnalysed;                // why it cannot be compared; empty: it is
  std::string run;                        // "n=9", of A
  std::string runB;                       // where it is another one
  bool extrapolated = false, cut = false; // of either
  Both cycles, limit;
  std::array<Both, kPipeCount> busy{};
  std::vector<KindCount> counts;  // of the whole kernel, by family and name
  std::vector<KindCount> outside; // of those, outside all loops
  std::vector<LoopComparison> loops;
  std::vector<SyncComparison> syncs;
  bool paired() const { return !nameA.empty() && !nameB.empty(); }
  bool compared() const { return paired() && notAnalysed.empty(); }
  /// Neither version does anything but, perhaps, its end fence.
  bool idle() const;
  /// Same instructions, syncs and times.
  bool same() const;
  std::size_t count(SyncChange change) const;
};

struct Comparison {
  std::vector<KernelComparison> kernels; // in the order of A, then what B alone has
  /// The slower core of every kernel that was compared, added up.
  Both cycles, limit;
};

struct CompareOptions {
  replay::Options replay; // its arguments are by the names that A gives them
  /// Called with the runs of each pair of cores that is compared, and its place in Comparison::kernels.
  std::function<void(std::size_t kernel, const timing::KernelTiming &a, const timing::KernelTiming &b)> timed = {};
};

/// Errors: an argument that no kernel of A has, of class replay::ArgumentError; no kernel has a partner.
llvm::Expected<Comparison> compareModules(const Module &a, const Module &b, const Machine &machine,
                                          const timing::CostTable &costs, const CompareOptions &options);

} // namespace ptosync::compare
