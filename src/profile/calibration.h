// Fits durations to a profile: those parameters of the cost table that the profile determines, and no others.
//
//   aligned calls --by shape: median duration, shortest distance--> least squares for each entry --> Calibration
//   Calibration --calibrationText--> JSON that CostTable::overlay reads
//
// A call's duration is its throughput plus its latency; the distance to the next one, where they overlap, its
// throughput alone. An entry's parameters that the equations do not tell apart stay as they are, and so does an entry
// whose fit would be negative. What a sync costs the scalar unit shows in when everything else starts: one number for
// all syncs and one for all instructions, tried out with the engine, kept only if neighbouring ones are clearly worse.
// A parameter that is 0 in the table is taken for no part of the entry's formula, but for latencies of moves.
// Tested by tests/profile/calibration_test.cpp.
#pragma once

#include "profile/profile_alignment.h"

#include <string>
#include <vector>

namespace ptosync::timing {

struct FittedParameter {
  std::string name; // as in the table: "bytesPerCycle"
  double before = 0, after = 0;
  double error = 0; // standard error of `after`
  bool fitted = false;
};

/// One entry of the cost table with its fitted parameters.
struct FittedEntry {
  CostShape shape; // one of those it costs by
  double executions = 0;
  std::size_t sizes = 0;                        // different ones
  double residualBefore = 0, residualAfter = 0; // root mean square of the relative error of a duration
  std::vector<FittedParameter> parameters;
  std::string reason;  // why the rest stays; empty: nothing does
  bool fitted() const; // some parameter is
};

/// Returns the name of an entry: "GM -> UB", "TADD", "matrix" or "issue".
std::string entryName(const FittedEntry &entry);

struct Calibration {
  std::vector<FittedEntry> entries; // paths, matrix, vector, then the scalar unit
  double calls = 0, unmatched = 0;
  std::vector<Pipe> disordered; // nothing on them is matched
  bool anything() const;        // some entry is fitted
};

/// The run of one core, with every iteration, and the profile of that run. Both must outlive the calibration.
struct CalibrationCore {
  const CoreProfile *profile = nullptr;
  const KernelTiming *timing = nullptr;
};

Calibration calibrate(const std::vector<CalibrationCore> &cores, const Machine &machine, const CostTable &costs);

/// Returns the fitted parameters as JSON that CostTable::overlay reads. `source` says in words what they were fitted
/// to.
std::string calibrationText(const Calibration &calibration, const CostTable &costs, const std::string &source);

} // namespace ptosync::timing
