// Prints the answers of `fix` and `verify`.
#pragma once

#include "kernel/kernel.h"
#include "optimize/library_use.h"
#include "replay/verify.h"
#include "synthesis/fix.h"
#include "synthesis/proof.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace ptosync {

// Prints what `ptosync fix` did, as text: each finding mended or left, each statement put in or taken out, a summary.
// Plain data in; tested by tests/report/answers_test.cpp.

struct FixReportInput {
  const Module *module = nullptr; // the input
  const synthesis::FixResult *result = nullptr;
  std::string archChoice;               // "a3 (command line: --arch)"
  std::optional<std::size_t> anew = {}; // statements that `sync` gives the file, if it is worth a mention
  /// Why the result is tested and not proved; empty: it is proved. Nothing: not asked.
  std::optional<std::string> notProved = {};
};

std::string fixText(const FixReportInput &input);

/// Returns what could not be mended, each with its reason.
std::string leftText(const FixReportInput &input);

/// Returns "7 findings mended by 3 statements put in and 1 taken out; 2 left".
std::string fixSummary(const synthesis::FixResult &result);

// Prints what `ptosync verify` found, as text for a person and as JSON for a program.
//
//   proved; 14 runs of 2 kernels, 9120 instructions compared (trust: tile, arch: a3)
//
// or "not refuted in 14 runs of ..", or "refuted: 2 findings; ..", each finding with its witness: the two instructions,
// the bytes, what ordered them before, the run; then why there is no proof, what the runs covered, and what no run has
// shown. The text changes from version to version, the JSON only with `schema`. Tested by
// tests/report/answers_test.cpp.

enum class VerifyAnswer : std::uint8_t {
  Proved,     // for every run there can be; no run that was made says otherwise
  NotRefuted, // no run that was made has a finding, and there is no proof
  Refuted,    // by a run
};

/// `proof`: null where none was tried.
VerifyAnswer answerOf(const replay::Verdict &verdict, const synthesis::FileProof *proof);
/// Returns "proved", "not-refuted" or "refuted".
const char *answerName(VerifyAnswer answer);

struct VerifyReportInput {
  std::string before, after; // file names
  std::string arch, toolVersion;
  Trust trust = Trust::Tile;
  const replay::Verdict *verdict = nullptr;
  bool verbose = false;                        // text: also list loops and trip counts
  std::string archChoice = {};                 // "a3 (command line: --arch)"
  LibraryUse libraryUse = {};                  // of the kernel after
  const synthesis::FileProof *proof = nullptr; // null: none was tried
};

/// Returns one line, without a newline: "after.cpp:418: order lost: TMAX(v92, v92, v89) on PIPE_V may still run when
/// ...". `file`: what the second version is called.
std::string findingLine(const replay::Finding &finding, const std::string &file);
/// Returns the findings as verifyJson has them, an array.
nlohmann::ordered_json findingsJson(const replay::Verdict &verdict);

/// Returns the text, which ends with a newline.
std::string verifyText(const VerifyReportInput &input);
/// Returns the findings alone; empty if there are none.
std::string verifyFindings(const VerifyReportInput &input);
/// Returns a JSON object and a newline.
std::string verifyJson(const VerifyReportInput &input);

} // namespace ptosync
