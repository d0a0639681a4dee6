// Finds the signs in a kernel file that show that it was not made for an architecture.
//
// Two kinds of sign: the file calls what the architecture does not have (the "absent" facts of its model), or a tile
// does not fit its memory while it fits the other's. Only established facts count, tiles only with a constant address
// and whole bytes, so that a file is never told from its architecture by a doubtful fact. A text that fits no
// architecture is wrong for another reason, which is for an audit to say. Absence of signs proves nothing.
// Tested by tests/machine/arch_signs_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"

#include <string>
#include <vector>

namespace ptosync {

struct ArchSign {
  std::uint32_t line = 0;
  std::string text; // "pipe_barrier(PIPE_V)", "tile v3 at [196608, 200704) of UB"
};

/// Returns the signs that `module` is not for `machine`, by line; `other` is the model of the other architecture.
std::vector<ArchSign> signsAgainst(const Module &module, const Machine &machine, const Machine &other);

/// Says how the architecture of a run was chosen.
struct ArchChoice {
  std::string arch;   // "a3", "a5"
  std::string source; // "command line", "comment", "environment", "configuration", "text" or "default"
  std::string detail; // "--arch", "line 3", ".../.ptosync.json", "line 8: pipe_barrier(PIPE_V)"

  /// Returns true if nobody has chosen and nothing in the text decides.
  bool isDefault() const { return source == "default"; }
  /// Returns "a3 (command line: --arch)".
  std::string description() const;
};

} // namespace ptosync
