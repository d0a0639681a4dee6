// Does the reader of the certificate checker (src/check) read a kernel as the compiler does?
//
//   kernel text --src/check, arguments as constants, every loop gone round--> calls and syncs --the native run's: the
//   same?
//
// The checker's walk is taken as it is, but for its loops, which are gone round one iteration at a time, and for its
// syncs and instructions, which are written down and do nothing. What the walk refuses is given up with its reason, and
// so is a run with a branch on what a load gave. Compared are order, name, line, address, valid region, shape and
// stride of every operand that the walk knows, pipes and ids; a tile without a known address is counted as unknown.
// Nothing of src/frontend is behind it. Tested by tests/differential/unit/checker_match_test.cpp.
#pragma once

#include "differential/native_run.h"

#include <map>
#include <string>

namespace ptosync::differential {

struct CheckerMatch {
  enum class Verdict : std::uint8_t { Same, Different, GivenUp };
  Verdict verdict = Verdict::Same;
  std::string reason;     // Different: both sides; GivenUp: the checker's
  std::uint32_t line = 0; // Different
  std::size_t events = 0, operands = 0, unknown = 0;
};

/// `machine`: "a3" or "a5". Without `lines` the text stands elsewhere than the one that was run.
CheckerMatch matchChecker(const std::string &text, const std::string &kernel, const std::string &core,
                          const std::string &machine, const NativeRun &run,
                          const std::map<std::string, std::int64_t> &queries, bool lines = true);

} // namespace ptosync::differential
