// Conditions of the preprocessor that not every build answers in the same way: text under them is another program
// elsewhere.
// Tested by tests/frontend/read/conditionals_test.cpp.
#pragma once

#include "frontend/read/build_macros.h"
#include "kernel/source.h"

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace ptosync {

/// Returns true if the text names a macro that only one of the cores has. Then the cores run two programs.
bool tellsCoresApart(std::string_view text, const std::set<std::string> &macrosOfOneCore);

/// Returns true for a line `#if`, `#ifdef`, `#ifndef`, `#elif` that some builds may answer otherwise than others. A
/// line that goes on comes with those behind it.
bool isForeignCondition(std::string_view line, const KnownMacros &known);

/// True if some line defines what tells a simulator's build apart, or takes it back. A zero must stand behind the text.
bool decidesSimulator(llvm::StringRef text);

/// The first line with a directive that is spelled as no search by line finds it (`%:if`, a comment or the end of a
/// line inside it), or with what such a search takes for one; 0 if there is none. A zero must stand behind the text.
std::uint32_t oddDirective(llvm::StringRef text);

/// The lines of such conditions.
std::set<std::uint32_t> foreignConditionals(const SourceText &source, const KnownMacros &known);

/// From a foreign condition's line to that of its `#endif`, both counted. The guard around a header is none. Empty
/// if nothing is foreign; one region over the whole text if its conditions do not nest.
struct ForeignRegion {
  std::uint32_t first = 0, last = 0;
  bool contains(std::uint32_t line) const { return first <= line && line <= last; }
};
std::vector<ForeignRegion> foreignRegions(const SourceText &header, const KnownMacros &known);

} // namespace ptosync
