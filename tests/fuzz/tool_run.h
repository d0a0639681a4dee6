// One run of the library on a text, reduced to what the fuzzer compares.
#pragma once

#include "machine/trust.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ptosync::fuzz {

struct ToolRun {
  std::string error;                        // not empty: the text was not accepted
  std::set<std::string> skipped;            // reasons for kernels that were not analysed
  std::set<std::uint32_t> removed;          // lines of removed barriers
  std::map<std::uint32_t, std::string> kept; // lines of kept barriers, with the reason's name
  std::map<std::uint32_t, std::string> witness; // of kept barriers that have one
  std::set<std::string> unresolved;         // open conflicts, described without distances
  std::string patched;                      // the text with the removed barriers blanked out
  bool operator==(const ToolRun &) const = default;
};

ToolRun runTool(const std::string &text, Trust trust);

} // namespace ptosync::fuzz
