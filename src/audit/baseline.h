// Keeps the findings that were there before, in a file, so that kernels can be adopted with their debts.
//
//   findings --baselineText--> JSON --parseBaseline--> set of (file, fingerprint) --applyBaseline--> what is new
//
// Fingerprints hold no lines and no numbers of values (v12), so a baseline outlives edits elsewhere in the file and a
// new run of the assembler; a statement that changes is a new one. File names are relative to the baseline's own
// folder. Tested by tests/audit/baseline_test.cpp.
#pragma once

#include "audit/finding.h"

#include <llvm/Support/Error.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

/// The file as the baseline names it, and the fingerprint.
using BaselineEntry = std::pair<std::string, std::string>;

struct Baseline {
  std::set<BaselineEntry> entries;
};

/// A finding, with its file as the baseline names it.
struct BaselineFinding {
  std::string file;
  const Finding *finding;
};

/// Returns the text of a baseline. It is sorted: the same findings give the same bytes.
std::string baselineText(const std::vector<BaselineFinding> &findings);

/// Reads a baseline. Errors name file, line and what was expected.
llvm::Expected<Baseline> parseBaseline(std::string_view text, std::string_view name);

/// Takes out of `findings` those that the baseline holds for `file`, and adds them to `matched`. Returns how many it
/// took out.
std::size_t applyBaseline(const Baseline &baseline, const std::string &file, std::vector<Finding> &findings,
                          std::set<BaselineEntry> &matched);

} // namespace ptosync
