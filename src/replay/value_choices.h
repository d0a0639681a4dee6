// Where arithmetic on what memory holds leaves one of a few values.
//
// Remainders and masks of few values, comparisons, and what is computed from one of them and known numbers. Empty
// where the values are too many or depend on two loaded numbers: then the value is of unknown origin, with
// bounds (range.h).
// Tested by tests/replay/value_choices_test.cpp.
#pragma once

#include "replay/value.h"

#include <optional>

namespace ptosync::replay {

/// Of a known value, or one of a few; empty for one of unknown origin.
std::optional<Choices> choicesOf(const Value &value);

/// 1 where the value is not 0, else 0.
Choices nonzero(const Value &value);

/// The residues of a number of unknown origin modulo `count`, as far as what is known of it tells them from those of
/// others. `bothSigns` as for `remainders`.
std::optional<Choices> residuesOf(const Value &value, std::int64_t count, bool bothSigns);

/// Of a binary operator on numbers of the type `operands`, of which one at least is not known.
std::optional<Choices> binaryChoices(Operator op, IntegerType operands, const Value &left, const Value &right);

} // namespace ptosync::replay
