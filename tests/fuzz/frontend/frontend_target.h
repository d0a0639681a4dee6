// What a fuzzer feeds with text: the frontend, and on request all that `opt` or `audit` does with what it lifts.
//
// Any text at all has to be taken: an answer or an error, never a crash, a hang or a leak. What the lifted kernel
// holds is walked once, so that a dangling reference in it is seen.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptosync::fuzz {

enum class Depth {
  Lift,     // text -> kernel -> its printed form
  Optimise, // and the edits, the edited text lifted again, and the replay of the two
  Audit,    // and every rule, down to notes
};

/// "lift", "optimise" or "audit".
std::optional<Depth> parseDepth(std::string_view name);

/// True if the text is C++ that was lifted.
bool takeText(const std::string &text, Depth depth);

} // namespace ptosync::fuzz
