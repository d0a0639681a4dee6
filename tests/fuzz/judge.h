// Everything that is checked about one kernel, and the reducer that shrinks what fails.
#pragma once

#include "fuzz/fuzz_kernel.h"
#include "fuzz/tool_run.h"
#include "fuzz/trace_simulator.h"

#include <map>
#include <string>
#include <vector>

namespace ptosync::fuzz {

struct Statistics {
  std::size_t kernels = 0, skipped = 0, barriers = 0, removed = 0, nodes = 0, runs = 0, openPairs = 0, cleanKernels = 0;
  std::size_t sampledKept = 0;
  std::map<std::string, std::size_t> kept, missed; // by the tool's reason
  std::vector<std::string> missedPlaces;           // "seed 5 line 33: hazard, ..."
};

/// What is wrong with the tool's answer on one kernel.
struct Violation {
  std::string check; // "parse", "order", "idempotence", "determinism", "incremental"; empty: nothing
  std::string text;
  explicit operator bool() const { return !check.empty(); }
};

class Judge {
public:
  explicit Judge(Trust trust) : trust(trust) {}

  /// Runs the tool on the kernel and checks its answer; adds to `statistics` if it is given.
  Violation examine(FuzzKernel &kernel, Statistics *statistics, bool countMissed) const;
  /// Drops statements as long as the same check fails.
  FuzzKernel reduce(FuzzKernel kernel, const Violation &violation) const;

private:
  static std::vector<Run> runsOf(const FuzzKernel &kernel);
  Violation checkOrder(const std::vector<Run> &runs, const std::vector<TraceSimulator> &traces,
                       const ToolRun &tool) const;
  Violation checkAgain(const std::string &text, const ToolRun &tool) const;
  void count(const FuzzKernel &kernel, const std::vector<TraceSimulator> &traces, const ToolRun &tool,
             Statistics &statistics, bool countMissed) const;

  Trust trust;
};

} // namespace ptosync::fuzz
