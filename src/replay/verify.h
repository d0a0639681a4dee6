// Is the second version of a kernel file as well synchronised as the first?
//
//   Module, Module --match kernels--> Subjects --choose--> Inputs --run--> Traces --judge--> Verdict
//
//   replay/choose    which inputs are run; proves nothing, and tells what it left
//   replay/run       executes a kernel's text step by step
//   replay/judge     compares two runs: orders, conflicts, flags, hangs
//   replay/number    what is known of numbers that memory decides; behind number/value.h
//   replay/skip      which iterations are left out; behind skip/skipping.h
//
// The independent engine: it sees the lifted kernels and the machine model, and shares no analysis with the engine that
// decides removals. A wrong answer can come from what runs and judges, which is kept plain, or from what is clever in
// `number` and `skip`, which stand behind one header each; Options::skipping turns the latter off.
// It judges concrete runs, so that it proves nothing about those it did not make: where inputs may lead a kernel
// another way than any run went, it has no answer (Answer::Undecided), and Verdict::coverage tells what it did not see.
// What the first version lacks is never asked of the second one. Tested by tests/replay/verify_test.cpp,
// tests/replay/skip/agreement_test.cpp and tests/golden/replay_test.cpp.
#pragma once

#include "replay/choose/run_choice.h"
#include "replay/judge/compare.h"
#include "replay/run/interpreter.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

struct LoopCoverage {
  std::uint32_t line = 0;
  std::set<std::uint64_t> trips; // iteration counts seen
  std::uint64_t skipped = 0;     // iterations taken for repetitions, over all runs
};

/// A way that no run took.
struct UntakenWay {
  std::uint32_t line = 0;
  Way::Kind kind = Way::Kind::Branch;
  bool whenTrue = false;           // of a branch or a choice: where its condition holds
  std::int64_t number = 0;         // that an event id or an index was not
  std::vector<std::string> inputs; // that it depends on: "n", "get_block_idx()", "memory"
  auto operator<=>(const UntakenWay &) const = default;
};

struct KernelCoverage {
  std::string kernel;
  Section section = Section::Both;
  std::uint64_t runs = 0;
  std::uint64_t instructions = 0; // compared, over all runs
  std::vector<LoopCoverage> loops;
  std::set<std::uint32_t> cutAt;      // lines where a run was stopped as too long: what came next was not compared
  std::set<std::uint32_t> unfinished; // lines of loops that every run was stopped in
  std::set<std::uint32_t> endlessAt;  // lines where one was stopped that repeats itself for ever
  std::set<std::uint32_t> neverRun;   // lines of instructions and syncs that no run reached
  std::set<std::uint32_t> dead;       // likewise, where no inputs lead to them
  std::vector<UntakenWay> untaken;    // that inputs may decide
  /// Returns true if every line that some run may reach, every way that inputs may decide, and every loop that was
  /// entered was run to its end.
  bool complete() const { return unfinished.empty() && neverRun.empty() && untaken.empty(); }
  std::uint64_t withoutSkipping = 0; // runs repeated in full: the files repeat differently, or what was skipped matters
};

class CoverageCollector {
public:
  explicit CoverageCollector(const Subject &subject) : subject(subject) {}
  void add(const Trace &trace);
  const Shown &seen() const { return shown; }
  /// Returns the ways that inputs decide and that no run has taken.
  std::set<Way> untaken() const;
  /// Returns them as text that another version of the kernel has as well, if it has the ways.
  std::multiset<std::string> untakenTexts() const;
  /// Returns everything but `runs`, `instructions` and `withoutSkipping`, which the caller counts. `open`: ways to be
  /// told of, where no run has taken them; `impossible`: those that none can take.
  KernelCoverage finish(const std::set<Way> &open = {}, const std::set<Way> &impossible = {}) const;

private:
  UntakenWay describe(const Way &way) const;

  const Subject &subject;
  Shown shown;
  std::map<LoopId, std::uint64_t> skipped; // iterations
  std::set<LoopId> entered, ended;
  std::set<std::uint32_t> cutAt, endlessAt;
};

enum class Answer : std::uint8_t {
  Agree,
  Differ,    // there are findings
  Undecided, // there are none, but not all that may happen was run, or no instruction was compared
};

struct Verdict {
  std::vector<Finding> findings;        // by kernel, then by run; one for each pair of statements
  std::vector<KernelCoverage> coverage; // of the first version
  std::vector<KernelCoverage> second;   // of kernels of the second version that have ways of their own
  /// Returns true if no run that was made has a finding, whatever was not run.
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
