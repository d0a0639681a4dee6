// Values of a lifted kernel's scalars, and its expressions evaluated: a number, unknown, or never given.
//
// Written for this test: it shares no arithmetic with src/kernel, src/ordering or src/replay. Everything is computed in
// 128 bits and then cut to the type that the expression says. What the reader does not follow, what C++ leaves
// undefined and what depends on either is unknown; a value that decides alone (0 & x, false && x) stays known. Tested
// by tests/differential/unit/lifted_value_test.cpp.
#pragma once

#include "differential/native_run.h"
#include "kernel/kernel.h"

#include <vector>

namespace ptosync::differential {

struct LiftedValue {
  enum class State : std::uint8_t { Unset, Unknown, Known };
  State state = State::Unset;
  std::int64_t bits = 0; // Known: sign- or zero-extended as its type says
  static LiftedValue unknown() { return {State::Unknown, 0}; }
  static LiftedValue known(std::int64_t bits) { return {State::Known, bits}; }
  bool isKnown() const { return state == State::Known; }
  bool operator==(const LiftedValue &) const = default;
};

/// `value` as an object of `type` holds it.
std::int64_t asType(IntegerType type, std::int64_t value);

/// What stays the same during a run.
struct LiftedSurroundings {
  const Kernel &kernel;
  const std::map<std::uint32_t, std::int64_t> &arguments; // missing: unknown
  const std::map<std::string, std::int64_t> &queries;
};

LiftedValue evaluate(const LiftedSurroundings &surroundings, const std::vector<LiftedValue> &variables,
                     ExpressionId id);

} // namespace ptosync::differential
