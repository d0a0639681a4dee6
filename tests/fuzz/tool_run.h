// One run of the library on a text, reduced to what the fuzzer compares.
#pragma once

#include "fuzz/edited_kernel.h"
#include "machine/trust.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ptosync::fuzz {

struct ToolRun {
  std::string error;                            // not empty: the text was not accepted, or not edited
  std::set<std::string> skipped;                // reasons for kernels that were not analysed
  LineEdits edits;                              // by line
  std::map<std::string, std::size_t> patterns;  // edits by the pattern that asked for them
  std::size_t flagsRemoved = 0;                 // set and wait statements
  std::map<std::uint32_t, std::string> kept;    // lines of kept barriers, with the reason's name
  std::map<std::string, std::size_t> keptFlags; // kept and not moved, by reason
  std::map<std::uint32_t, std::string> witness; // of kept barriers that have one
  std::set<std::string> unresolved;             // open conflicts, described without lines and distances
  std::set<std::string> tokenFaults;            // likewise
  std::string patched;                          // the text with the edits
  bool operator==(const ToolRun &) const = default;
};

ToolRun runTool(const std::string &text, Trust trust);

} // namespace ptosync::fuzz
