// Which pointer arguments the text itself says may meet.
//
//   if (p == q)      p + 512 > q      p - q      (uint64_t)p < limit      k<<<1, nullptr, s>>>(a, a + 64)
//
// Two arguments are taken for two tensors that do not overlap. A text that compares their addresses, makes one number
// of both, or launches the kernel with one buffer for both, asks for the other case; so the pair is related and may
// meet. An address that is compared with a number may be told from it bit by bit, and the number be any address: it is
// related to all. To ask whether a pointer is null relates nothing. `p + i < p + n` compares two numbers: what both
// sides have in common is not compared. Comparisons are found by what their operands are made of (scalar_value.h), so
// that helpers, casts, variables, minimum and maximum are seen through. Over-approximate: unreachable code counts. What
// goes where the text is not followed, and launches, are the frontend's (Kernel::related). Tested by
// tests/ordering/argument_relations_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "ordering/scalar_analysis.h"
#include "ordering/scalar_value.h"

#include <array>
#include <bit>

namespace ptosync {

class ArgumentRelations {
public:
  /// Each one of `some` with each other one of `others`.
  void relate(ArgumentSet some, ArgumentSet others);
  bool related(std::uint32_t one, std::uint32_t other) const {
    return (with[std::countr_zero(argumentBit(one))] & argumentBit(other)) != 0;
  }
  bool any() const;

private:
  std::array<ArgumentSet, 64> with{}; // by bit
};

ArgumentRelations relationsOf(const Kernel &kernel, ScalarAnalysis &scalars);

} // namespace ptosync
