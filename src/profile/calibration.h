// Fits durations to a profile: only those parameters that the recording determines, by least squares.
#pragma once

#include "profile/profile_match.h"

#include <optional>
#include <string>
#include <vector>

namespace ptosync::timing {

// Solves a linear least-squares problem of a few unknowns, and says which of them the equations do not determine.
//
// Unknowns that only appear together in one sum, or not at all, are left out of the answer: of them there is nothing to
// say. Tested by tests/profile/calibration_test.cpp.

/// The equation: the sum of factors[i] * unknown[i] is `value`.
struct Equation {
  std::vector<double> factors; // one an unknown
  double value = 0;
  double weight = 1; // of the squared error; above 0
};

struct Unknown {
  double value = 0;
  double error = 0; // standard error, from how far the equations disagree
};

/// Returns one entry for each unknown; it is empty where the equations do not determine the unknown. `smallestVariance`
/// is the variance of a value by itself, from the rounding of a clock for example: no answer is called more certain
/// than that.
std::vector<std::optional<Unknown>> solveLeastSquares(const std::vector<Equation> &equations, std::size_t unknowns,
                                                      double smallestVariance = 0);

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

// Fits what it costs the scalar unit to hand out a sync and an instruction, from the times at which everything started
// in a profile.
//
// Nothing records it by itself. The engine is run with one pair of values after the other, with the durations that were
// measured, and the values are taken with which neighbouring calls of each pipe start as far apart as they did. A value
// stays as it was if other ones do as well: then the scalar unit was never what the pipes waited for. Tested by
// tests/profile/calibration_test.cpp.

struct IssueCore {
  Plan plan;
  std::vector<AlignedCall> calls; // by pipe, then by start
};

/// Gives the aligned calls of the plan the durations of the profile, and the throughputs that are known.
void takeMeasured(IssueCore &core);

/// Returns the entry "scalar unit" with the parameters "instruction" and "sync". Its residuals are those of the
/// distances between calls, in cycles for each call, relative to their mean.
FittedEntry fitIssue(const std::vector<IssueCore> &cores, const IssueCost &before);

} // namespace ptosync::timing
