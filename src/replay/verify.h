// Is the second version of a kernel file as well synchronised as the first?
//
//   Module, Module --match kernels--> Subjects --chosen runs--> Traces --compare--> Verdict
//
// The independent engine: it sees the lifted kernels and the machine model, and shares no analysis
// with the engine that decides removals. It judges concrete runs, so that it proves nothing about
// those it did not make: where inputs may lead a kernel another way than any run went, it has no answer
// (Answer::Undecided), and Verdict::coverage tells what it did not see. What the first version lacks is never asked of
// the second one.
// Tested by tests/replay/verify_test.cpp and tests/golden/replay_test.cpp.
#pragma once

#include "replay/compare.h"
#include "replay/coverage.h"
#include "replay/run_choice.h"

#include <llvm/Support/Error.h>

#include <set>
#include <vector>

namespace ptosync::replay {

enum class Answer : std::uint8_t {
  Agree,
  Differ,    // there are findings
  Undecided, // there are none, but not all that may happen was run, or no instruction was compared
};

struct Verdict {
  std::vector<Finding> findings;        // by kernel, then by run; one for each pair of statements
  std::vector<KernelCoverage> coverage; // of the first version
  std::vector<KernelCoverage> second;   // of kernels of the second version that have ways of their own
  /// No finding in any run that was made, whatever was not run.
  bool agreed() const { return findings.empty(); }
  Answer answer() const;
};

enum class Unanalysable : std::uint8_t {
  Refuse, // an error
  Skip,   // a kernel that cannot be analysed in either version is left out
};

/// Compares the kernels of `before` in `sections` (Both: each) with those of the same name and section in
/// `after`. Errors: a kernel that cannot be analysed, an argument name that no kernel has, no kernel at all.
llvm::Expected<Verdict> verify(const Module &before, const Module &after, const Machine &machine,
                               const Options &options, const std::set<Section> &sections = {Section::Both},
                               Unanalysable unanalysable = Unanalysable::Refuse);

} // namespace ptosync::replay
