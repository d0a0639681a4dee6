// Compares two versions of a kernel file: how many statements of each kind they have, how long they take, and which
// syncs differ.
#pragma once

#include "compare/sync_match.h"
#include "kernel/kernel.h"
#include "timing/cores.h"
#include "timing/estimate.h"

#include <llvm/Support/Error.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace ptosync::compare {

// Finds for each kernel of one file the same kernel in the other: by name and core, then by the order of what is left.
//
// What is left over is paired in its order, core by core, only if both do much the same kinds of instructions: an
// assembler may name kernels anew, but two files may also hold different kernels. Tested by
// tests/compare/compare_test.cpp.

struct KernelPair {
  const Kernel *a = nullptr, *b = nullptr; // one may be missing
};

/// Returns every kernel once: those of `a` in their order, each with its partner or alone, then those that `b` alone
/// has.
std::vector<KernelPair> matchKernels(const Module &a, const Module &b);

// Compares two versions of a kernel file: how many statements of each kind they have, how long they take, and which
// syncs differ.
//
//   Module, Module --matchKernels--> pairs --one run each--> counts, estimates, loops, syncs
//
// Kernels are matched by name and core, and those that are left over by their order, if they do much the same
// instructions. Both versions are timed in the same run where their parameters are alike. It judges nothing: whether
// the second one is still right is for replay/verify.h to say. Knows nothing of decisions. Tested by
// tests/compare/compare_test.cpp.

/// A number of version A and the same number of version B.
struct Both {
  double a = 0, b = 0;
  /// Returns B as a multiple of A; empty where A is 0.
  std::optional<double> ratio() const { return a > 0 ? std::optional<double>(b / a) : std::nullopt; }
};

/// How many statements of one kind a loop or the whole kernel has, and how often the timed run executes them.
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
  double cost = 0;          // cycles the kernel would gain without it alone, data still in order
  std::uint32_t offset = 0; // of its text, in bytes: the same for whoever runs through it
};

struct SyncComparison {
  MatchKind change = MatchKind::Same;
  std::string kind;           // "set_flag(PIPE_MTE2, PIPE_V)"
  std::string earlier, later; // kinds of the nearest two instructions that it orders; empty: none in this run
  bool carried = false;
  std::string before; // Changed: what it orders in A, "TLOAD -> TADD"; Widened, Narrowed: its kind in A
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
  /// Returns true if neither version does anything except, perhaps, its end fence.
  bool idle() const;
  /// Returns true if both versions have the same instructions, the same syncs and the same times.
  bool same() const;
  std::size_t count(MatchKind change) const;
};

/// Both cores of a kernel that meet, in one run of both.
struct CoresComparison {
  std::string name;  // in A
  std::string apart; // why they are not timed together, in the version that it names; empty: they are
  Both cycles, limit;
};

struct Comparison {
  std::vector<KernelComparison> kernels; // in the order of A, then what B alone has
  /// Cycles of the whole file: the sum over all compared kernels of the slower core's time.
  Both cycles, limit;
  std::vector<CoresComparison> cores; // kernels whose cores meet in A, and which B has
  /// The same sum with both cores together where they meet and are timed together.
  Both together, togetherLimit;
  bool anyTogether() const;
};

/// Returns the syncs that are not the same as statements of the text, as `opt` counts them: one that both cores run
/// through, or two calls, is there once.
std::vector<const SyncComparison *> changedStatements(const Comparison &comparison);

struct CompareOptions {
  replay::Options replay; // its arguments are by the names that A gives them
  /// Called for each pair of cores that is compared, with both runs and the pair's index in Comparison::kernels.
  std::function<void(std::size_t kernel, const timing::KernelTiming &a, const timing::KernelTiming &b)> timed = {};
  /// Called for each kernel whose two cores are timed together in both versions.
  std::function<void(const timing::JoinedCores &a, const timing::JoinedCores &b)> joined = {};
};

/// Compares two lifted files, A and B, each kernel of A with its partner in B. Fails with a replay::ArgumentError if an
/// argument is given that no kernel of A has, and with another error if no kernel has a partner.
llvm::Expected<Comparison> compareModules(const Module &a, const Module &b, const Machine &machine,
                                          const timing::CostTable &costs, const CompareOptions &options);

} // namespace ptosync::compare
