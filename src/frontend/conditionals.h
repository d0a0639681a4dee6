// Conditions of the preprocessor on anything but what the build for a core sets: text under them is another program
// elsewhere.
// Tested by tests/frontend/conditionals_test.cpp.
#pragma once

#include "kernel/source.h"

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace ptosync {

/// What a condition may ask without being foreign.
struct KnownMacros {
  bool core = true;       // `__DAV_CUBE__` and `__DAV_VEC__`
  bool chip = false;      // what the compiler of a chip that is known sets
  bool simulator = false; // `__CPU_SIM`, which no chip's build has: a simulator's build has no pipes to order
};

/// True if the text names a macro that only one of the cores has; `chip`: the chip's older names of them count as well.
/// Then the cores run two programs.
bool tellsCoresApart(std::string_view text, bool chip);

/// True for a line `#if`, `#ifdef`, `#ifndef`, `#elif` that asks more.
bool isForeignCondition(std::string_view line, KnownMacros known);

/// True if some line defines what tells a simulator's build apart, or takes it back. A zero must stand behind the text.
bool decidesSimulator(llvm::StringRef text);

/// The first line with a directive that is spelled as no search by line finds it (`%:if`, a comment or the end of a
/// line inside it), or with what such a search takes for one; 0 if there is none. A zero must stand behind the text.
std::uint32_t oddDirective(llvm::StringRef text);

/// The lines of such conditions.
std::set<std::uint32_t> foreignConditionals(const SourceText &source, KnownMacros known);

/// From a foreign condition's line to that of its `#endif`, both counted. The guard around a header is none. Empty
/// if nothing is foreign; one region over the whole text if its conditions do not nest.
struct ForeignRegion {
  std::uint32_t first = 0, last = 0;
  bool contains(std::uint32_t line) const { return first <= line && line <= last; }
};
std::vector<ForeignRegion> foreignRegions(const SourceText &header, KnownMacros known);

} // namespace ptosync
