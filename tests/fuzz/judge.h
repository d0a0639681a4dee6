// Everything that is checked about a kernel.
#pragma once

#include "fuzz/fuzz_kernel.h"
#include "fuzz/tool_run.h"
#include "fuzz/trace_simulator.h"

#include <map>
#include <string>
#include <vector>

namespace ptosync::fuzz {

/// What became of the mutants of one kind (bracket_mutants.h).
struct MutantCounts {
  std::size_t made = 0, lost = 0,
              faulty = 0;                    // by the simulator: an order that matters; a bracket or flag that is amiss
  std::size_t found = 0;                     // of these, by the tool
  std::size_t toolAlone = 0, equivalent = 0; // of the others: the tool finds something; nobody does
};

struct Statistics {
  std::size_t kernels = 0, skipped = 0, barriers = 0, removed = 0, nodes = 0, runs = 0, openPairs = 0, cleanKernels = 0;
  std::size_t keptUnits = 0, removableUnits = 0; // of kernels looked at: precision.h
  std::size_t simulated = 0, fedLate = 0, replayedRuns = 0, replayedInstructions = 0;
  std::size_t buffers = 0, buffersRemoved = 0, buffersMoved = 0, bufferKernels = 0; // get and release statements
  std::size_t sampledKept = 0, flags = 0, flagsRemoved = 0, flagsMoved = 0, flagKernels = 0;
  std::map<std::string, std::size_t> kept, keptFlags, keptBuffers, missed; // by the tool's reason
  std::map<std::string, std::size_t> edits, editedKernels;                 // by pattern
  std::map<std::string, MutantCounts> mutants;                             // by kind
  std::vector<std::string> toolAlonePlaces;
  std::size_t broken = 0, mended = 0, added = 0;          // --fix: kernels, and statements that were put in
  std::size_t leftOpen = 0;                               // mended, but for orders that are no findings
  std::size_t resynced = 0, notWoven = 0;                 // kernels synchronised anew; judged by the replay alone
  std::map<std::string, std::size_t> notResynced;         // by reason
  std::vector<std::string> removablePlaces, missedPlaces; // "seed 5 line 33: hazard, ..."
};

/// What is wrong with the tool's answer on one kernel.
struct Violation {
  std::string check; // "parse", "text", "order", "replay", ...; empty: nothing
  std::string text;
  std::string after = {}; // the other version of the kernel, if a mutant is wrong
  explicit operator bool() const { return !check.empty(); }
};

class Judge {
public:
  /// `ignored`: a check that is not made.
  /// `twiceEvery`: of kernels that are synchronised anew, one in so many is again, by its seed. `strip`: they lose all
  /// their syncs first. `effort`: spent on each of them, as of the tool; `regionWork` as of ResyncOptions.
  Judge(Trust trust, std::string arch, std::string ignored, std::uint64_t twiceEvery, bool strip, unsigned effort,
        std::size_t regionWork)
      : trust(trust), arch(std::move(arch)), ignored(std::move(ignored)), twiceEvery(twiceEvery), strip(strip),
        effort(effort), regionWork(regionWork) {}

  /// Runs the tool on a file of these kernels and checks its answers, one for each; adds to `statistics` if it is
  /// given. What is wrong with the file as a whole is looked for in files of one kernel each.
  std::vector<Violation> examine(std::vector<FuzzKernel> &kernels, Statistics *statistics, bool countMissed,
                                 CountKept countKept) const;
  Violation examine(FuzzKernel &kernel) const;
  /// The same of `--resync`: every order that matters stays, no flag is wrong, the replay agrees, the estimate is not
  /// worse, a second run leaves the output alone. Prints tensors on lines of their own.
  Violation examineResynced(FuzzKernel &kernel, Statistics *statistics) const;
  /// The same of `fix`, on the kernel without one of its syncs or all: what it calls mended has every order of memory
  /// that the kernel has, and no flag is wrong. Orders relative to opaque calls, at the end, and between a wait and the
  /// next set are not asked for: that they were there is lost with the sync.
  Violation examineFixed(FuzzKernel &kernel, Statistics *statistics) const;

  /// Makes at most `most` mutants of each kernel (bracket_mutants.h), all of it if the simulator knows it, and asks
  /// whether the replay finds what the simulator finds: every order that is lost, every bracket that is amiss; and no
  /// bracket amiss that is not. One answer for each kernel.
  std::vector<Violation> examineMutants(const std::vector<FuzzKernel> &kernels, std::size_t most,
                                        Statistics *statistics) const;

private:
  struct MutantPair;
  Violation checkMutant(const MutantPair &pair, const VerifyRun &tool, Statistics *statistics) const;
  static std::vector<Run> runsOf(const FuzzKernel &kernel);
  LibraryTrust libraryTrust() const { return trust == Trust::Library ? LibraryTrust::Library : LibraryTrust::Tile; }
  Chip chip() const { return arch == "a5" ? Chip::A5 : Chip::A3; }
  TraceSimulator traceOf(const FuzzKernel &kernel, const Run &run) const {
    return TraceSimulator(kernel, libraryTrust(), run, chip());
  }
  std::vector<TraceSimulator> tracesOf(const FuzzKernel &kernel, const std::vector<Run> &runs) const;
  /// What is wrong with the file; `outputs` are the kernels that the decisions make.
  static Violation checkText(std::vector<FuzzKernel> outputs, const BatchRun &tool);
  Violation checkKernel(const FuzzKernel &kernel, const FuzzKernel &output, const BatchRun &tool, std::size_t index,
                        Statistics *statistics, bool countMissed) const;
  Violation checkRuns(const std::vector<Run> &runs, const std::vector<TraceSimulator> &traces, const FuzzKernel &output,
                      const LineEdits &edits) const;
  Violation checkAgain(const BatchRun &tool, std::size_t index) const;
  void count(const FuzzKernel &kernel, const std::vector<Run> &runs, const std::vector<TraceSimulator> &traces,
             const ToolRun &tool, Statistics &statistics, bool countMissed) const;

  Trust trust;
  std::string arch, ignored;
  std::uint64_t twiceEvery;
  bool strip;
  unsigned effort;
  std::size_t regionWork;
};

} // namespace ptosync::fuzz
