// Prints what `ptosync verify` found, as text for a person and as JSON for a program.
//
//   agree: 14 runs of 2 kernels, 9120 instructions compared (trust: tile, arch: a3)
//
// or "not decided", or a list of findings, each with its witness: the two instructions, the bytes, what ordered them
// before, the run; then what the runs covered, and what no run has shown. The text changes from version to version, the
// JSON only with `schema`. Tested by tests/report/verify_report_test.cpp.
#pragma once

#include "optimize/library_use.h"
#include "replay/verify.h"

#include <string>

namespace ptosync {

struct VerifyReportInput {
  std::string before, after; // file names
  std::string arch, toolVersion;
  Trust trust = Trust::Tile;
  const replay::Verdict *verdict = nullptr;
  bool verbose = false;        // text: also list loops and trip counts
  std::string archChoice = {}; // "a3 (command line: --arch)"
  LibraryUse libraryUse = {};  // of the kernel after
};

/// Returns the text, which ends with a newline.
std::string verifyText(const VerifyReportInput &input);
/// Returns a JSON object and a newline.
std::string verifyJson(const VerifyReportInput &input);

} // namespace ptosync
