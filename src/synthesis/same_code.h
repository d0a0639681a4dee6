// Whether two versions of a kernel do the same work: the same statements with the same operands, but for the syncs.
//
//   before   TLOAD(a, g)   set  wait   TADDS(b, a, 1)
//   after    TLOAD(a, g)               TADDS(b, a, 1)     -->  the same
//   after    TLOAD(a, g)   set  wait   TADDS(c, a, 1)     -->  the code differs at line 3
//
// The lifted kernels are compared part by part: variables, tiles, tensors and FIFOs with all that is known of them,
// blocks and where they lead, statements, and the expressions that they read. Names do not count. Sound: two kernels
// that are called the same have statement for statement the same accesses and the same paths. Of a value that the
// reader does not follow nothing is known but its text, so that the caller says whether two at the same place are
// alike: they are if the files have one shape (frontend/guard/file_shape.h). What stands at another place in the list
// of variables or tiles differs, though it may mean the same. Tested by tests/synthesis/proof_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ptosync::synthesis {

/// Values that the reader does not follow, at the same place of both versions.
enum class Unfollowed : std::uint8_t {
  Alike,
  BySpelling, // where an operand is the same literal; different elsewhere
};

/// Returns where the second version first does something else: "the code differs at line 12 (line 10 before)". Empty:
/// nowhere.
std::optional<std::string> codeDifference(const Kernel &before, const Kernel &after, Unfollowed unfollowed);

/// The same, past branches that decide about nothing but syncs, which one version alone may have.
std::optional<std::string> workDifference(const Kernel &before, const Kernel &after, Unfollowed unfollowed);

} // namespace ptosync::synthesis
