// The options of `ptosync patch-vec-barriers`: those of the text script whose place it takes.
//
// Where an option is absent its environment variable speaks, and where that is empty too, the default: no lines, the
// pattern `gu`. Names of patterns are the script's, with its aliases; others are refused as the script refuses them.
// Tested by tests/tool/patch_options_test.cpp.
#pragma once

#include "machine/trust.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace ptosync {

struct PatchOptions {
  std::string lines, patterns; // as given; `parsePatchLines` and `parsePatchPatterns` read them
  bool unsafe = false;         // also take requested lines that are not proved
};

/// llvm::cl definitions for the subcommand `patch-vec-barriers`.
class PatchDefinitions {
public:
  PatchDefinitions(llvm::cl::SubCommand &command, llvm::cl::OptionCategory &category);

  /// Options and environment, without checking the two lists.
  PatchOptions read() const;

private:
  llvm::cl::opt<std::string> lines, patterns;
  llvm::cl::opt<bool> unsafe;
};

/// Line numbers separated by commas; empty parts and white space are skipped. Numbers outside the file are not an
/// error here.
llvm::Expected<std::set<std::int64_t>> parsePatchLines(std::string_view text);

/// Ids without aliases; `none`, `off`, `disable` and `disabled` stand for nothing.
llvm::Expected<std::set<std::string>> parsePatchPatterns(std::string_view text);

} // namespace ptosync
