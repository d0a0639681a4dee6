// Readers that are wrong on purpose, to see that the differential test notices: each makes a lifted kernel what a
// reader with one mistake would have lifted.
//
// They change kernels after they were lifted, so the frontend itself has no switch for them.
// Tested by the test "differential broken readers", which fails if one of them is not found.
#pragma once

#include "differential/program_run.h"

#include <optional>

namespace ptosync::differential {

struct BrokenReader {
  std::string name;
  std::string mistake;
  void (*breakKernel)(Kernel &);
};

const std::vector<BrokenReader> &brokenReaders();

struct BrokenReaderResult {
  std::string name, mistake;
  std::optional<std::uint64_t> firstProgram; // that is read right and differs with the mistake; empty: never
  std::set<std::string> features;            // of that program
  std::string reason;
  std::size_t programs = 0, found = 0; // read right until the search ended, and how many of them differed
};

/// Goes through the programs of the request until every mistake was found.
std::vector<BrokenReaderResult> findBrokenReaders(const ProgramRequest &request, const ComparisonOptions &options);

} // namespace ptosync::differential
