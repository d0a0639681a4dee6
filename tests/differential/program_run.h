// Many generated programs compared, a file of them at a time; what was found, counted by feature.
//
// Tested by the readers that are broken on purpose (broken_readers.h).
#pragma once

#include "differential/comparison.h"
#include "differential/program_generator.h"

#include <map>
#include <set>

namespace ptosync::differential {

struct ProgramRequest {
  std::uint64_t seed = 1, from = 0;
  std::size_t count = 100;
  std::size_t perFile = 50;
  std::set<std::string> only;    // features; empty: all
  std::set<std::string> without; // features that no program may have
};

struct FoundProgram {
  Program program;
  KernelComparison comparison;
};

struct FeatureTally {
  std::size_t programs = 0, different = 0, undecided = 0, givenUp = 0, unread = 0;
};

struct ProgramTally {
  FeatureTally all;
  std::map<std::string, FeatureTally> features;
  std::size_t runs = 0, brokenRuns = 0, events = 0, operands = 0, unknown = 0;
  std::vector<FoundProgram> different;
  std::vector<std::string> faults; // of the generator: not compiled, not lifted, a run that crashed
};

/// Programs [from, from + count) of the seed.
ProgramTally comparePrograms(const ProgramRequest &request, const ComparisonOptions &options);

void merge(ProgramTally &into, ProgramTally from);

/// One program alone.
KernelComparison compareProgram(const Program &program, const ComparisonOptions &options, std::string *fault = nullptr);

} // namespace ptosync::differential
