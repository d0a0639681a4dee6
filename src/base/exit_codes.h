// The exit codes of every command, and which of two is graver.
//
// Where a run deals with many kernels its code is the gravest of theirs, and where the documents of several runs are
// merged, the gravest of those runs. Tested by tests/base/shard_test.cpp.
#pragma once

#include <algorithm>
#include <iterator>

namespace ptosync {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotAnalysed = 3;
inline constexpr int kExitUndecided = 4;

/// Returns the graver of two: a setting is wrong, a kernel was not analysed, something is found, to change or left,
/// something is not decided, nothing is.
inline int graver(int a, int b) {
  constexpr int kByRank[] = {kExitDone, kExitUndecided, kExitFindings, kExitNotAnalysed, kExitUsage};
  auto rank = [&](int code) { return std::find(std::begin(kByRank), std::end(kByRank), code) - std::begin(kByRank); };
  return rank(b) > rank(a) ? b : a;
}

/// Returns the code of an audit.
constexpr int auditExitCode(bool notAnalysed, bool findings) {
  return notAnalysed ? kExitNotAnalysed : findings ? kExitFindings : kExitDone;
}

} // namespace ptosync
