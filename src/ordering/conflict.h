// Two instructions that meet in memory, as a reader finds them.
//
// Plain data that analyses fill and reports print.
#pragma once

#include "kernel/pipe.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

enum class HazardKind : std::uint8_t {
  ReadAfterWrite,
  WriteAfterRead,
  WriteAfterWrite,
  ReadAfterRead, // two pipes reading one L0C range
  Fence,         // order relative to an opaque fence
  FlagReuse,     // a flag set again before its wait is known to have consumed it
};

/// "RAW", "WAR", "WAW", "RAR", "fence" or "flag reuse".
const char *hazardKindName(HazardKind kind);

/// An instruction as a reader finds it.
struct InstructionPlace {
  std::string text; // "TADD(v66, v66, v70)"
  Pipe pipe = Pipe::S;
  std::uint32_t line = 0;
  std::vector<std::uint32_t> calledFrom; // lines of the helper calls around it, innermost first
};

/// Two instructions that touch the same bytes, the earlier of which must have completed before
/// the later starts.
struct Conflict {
  InstructionPlace earlier, later;
  HazardKind kind = HazardKind::ReadAfterWrite;
  std::string storage;      // "UB [98304, 98432)" or "GM argument v1, unknown bytes"
  bool loopCarried = false; // the earlier one runs in an earlier iteration
};

} // namespace ptosync
