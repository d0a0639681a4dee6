// How far apart two numbers are that memory decides, whatever it holds.
//
// A base stands for a loaded number, or for what was computed from some; sums and products with known factors say how
// often each is in them (terms.h). Arithmetic of fewer than 64 bits keeps that up to its wraps, if anything may wrap:
// then a number is also one of its own, and a few such roots are kept (value.h). Sound as far as two hashes of 64 bits
// differ. What two numbers have in common beyond that is not seen: x / 2 and x are unrelated.
// Tested by tests/replay/relation_test.cpp.
#pragma once

#include "replay/value.h"

namespace ptosync::replay {

/// True if nothing is known of it, not even that it is equal to itself.
inline bool isUnrelated(const Value &value) { return value.origin == Origin::Unknown && value.sums.empty(); }

/// The value is what `base` stands for, a number of its own between the value's bounds; 0: nothing is known of it but
/// those.
void relateToItself(Value &value, std::uint64_t base);

/// A value of unknown origin that may not fit in the type, converted to it.
void narrow(Value &value, IntegerType type);

/// Equal for values that are equal whatever memory holds. Of a value that is known or of unknown origin.
std::uint64_t keyOf(const Value &value);

/// The value as one of unknown origin with bounds, if it is one of a few; a known one with bounds.
Value described(Value value);

/// What is known of `condition` ? `whenTrue` : `whenFalse` whichever it is, with the bits that it has.
Value eitherOf(const Value &condition, const Value &whenTrue, const Value &whenFalse);

std::uint64_t drawnBase(std::uint64_t instance, std::uint64_t number);
std::uint64_t argumentBase(std::uint32_t number);
/// Of a number as one of those between its bounds.
std::uint64_t boundedBase(const Value &value);
/// Of a comparison that is true or false.
std::uint64_t comparedBase(Operator op, bool isSigned, std::uint64_t left, std::uint64_t right);

/// Sums, and products with a factor that does not come from memory, keep distances in 64 bits, and in fewer where the
/// bounds of the operands let nothing wrap, else up to the wraps; anything else is a base of its own, the same one
/// whenever it is computed from the same values. The operands are as `described` gives them; the result has its bounds.
void relateResult(Value &result, Operator op, IntegerType type, const Value &left, const Value &right);

} // namespace ptosync::replay
