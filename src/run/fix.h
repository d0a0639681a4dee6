// The page of `fix`: the fewest insertions that make a broken kernel right.
//
//   text --lift--> Module --audit, insert, check from nothing (synthesis/fix.h)--> FixedFile
//
// Nothing is put in where only one architecture would have it so: where nobody has chosen the architecture and nothing
// in the text decides it, a barrier must be legal on both, and every finding must be one on both.
//
// Tested by tests/run/fix_test.cpp and tests/tool/fix_command_test.cpp; the insertions by tests/synthesis/.
#pragma once

#include "run/run.h"
#include "synthesis/fix.h"

#include <llvm/Support/Error.h>

#include <cstddef>
#include <optional>

namespace ptosync {

enum class Attribution : bool { Together, ByFinding };

/// Mends the findings of a module that are errors or warnings. The rest of the file is compared by shape if the module
/// has its shapes.
llvm::Expected<synthesis::FixResult> mendModule(const Module &module, const Machine &machine,
                                                const timing::CostTable &costs, const AuditOptions &audit,
                                                const RunChoices &choices, Attribution attribution);

/// Fails if something was put in that may be illegal on the other architecture, where nobody has chosen one.
llvm::Error checkArchDecided(const Subject &subject, const synthesis::FixResult &result);

struct FixedFile {
  Subject subject;
  synthesis::FixResult result;
  /// Where something is left: how many barriers and flags `sync` gives the file, verified. Empty: nothing is left, or
  /// `sync` leaves a kernel as it came.
  std::optional<std::size_t> anew;
  /// Why it is not proved that the text that results has every order that it needs, on every path: one clause; runs
  /// have tested it then. Empty: it is proved.
  std::string notProved;
};

/// Errors: a SettingError, among them that the architecture has to be chosen; that a kernel cannot be analysed, or runs
/// on buffer ids, which are left alone.
llvm::Expected<FixedFile> fixFile(const RunInput &input);

} // namespace ptosync
