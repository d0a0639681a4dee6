// The macros that a build sets before it reads a kernel, and which conditions of the preprocessor they decide.
//
//   the chip's compiler    __CCE_AICORE__, __NPU_ARCH__, __DAV_C220_VEC__, ...   the machine model (macros)
//   the library            PTO_NPU_ARCH_A2A3, ...                                the machine model
//   the kernel's build     -D NAME=VALUE                                         the user
//
// One text may be compiled by several builds: an architecture has chips of several numbers, and if nobody says which
// architecture the text is for, it may be for any. One build is read. Text under a condition that another build answers
// otherwise (a *foreign* condition) is another program there.
//
// A condition is decided if every build gives it the same answer. A name that no build mentions has no answer, so the
// condition stays open unless the rest of it decides (`0 && NAME`). Arithmetic has 64 bits. Whatever is not understood
// is open. If the text itself defines or undefines a macro, only the parser follows its value; it is still the same
// value in every build if the builds agree on what it was.
//
// Only src/frontend and what fills FrontendOptions may include this header. Tested by
// tests/frontend/read/conditions_test.cpp.
#pragma once

#include "kernel/pipe.h"
#include "kernel/source.h"

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

class TokenStream;

struct BuildMacro {
  std::string name;
  std::optional<std::string> value; // as written behind #define; nothing: the build certainly does not define it
  Section section = Section::Both;  // defined in code of this core alone
  bool byLibrary = false;           // by the library's main header, not by the compiler
};
using BuildMacros = std::vector<BuildMacro>;

/// The values of the macros that a build says something of; nothing as a value: the macro is not defined.
using MacroAnswers = std::map<std::string, std::optional<std::string>, std::less<>>;

/// The macros that a text defines or takes back. True: what it gives them has no names in it, so that it is one value
/// in every build.
using RedefinedMacros = std::map<std::string, bool, std::less<>>;

/// The macros that conditions may ask, in every build that a text may be for.
struct KnownMacros {
  std::vector<MacroAnswers> builds;
  std::set<std::string> ofOneCore; // names that only one of the cores has
  RedefinedMacros redefined;       // by the text
};

/// Returns the macros that the library's main header defines in the build that is read, the first.
std::vector<Definition> libraryMacros(const std::vector<BuildMacros> &builds);

std::set<std::string> macrosOfOneCore(const std::vector<BuildMacros> &builds);

/// For code of `section`; `apart`: of that core alone, so that the macros of the cores are answered.
KnownMacros knownMacros(const std::vector<BuildMacros> &builds, const std::vector<Definition> &defines, Section section,
                        bool apart);

/// Returns true if every build gives the same answer to what a directive asks, as written behind its word: "ifdef" and
/// "NAME", "elif" and an expression.
bool isDecided(std::string_view word, std::string_view asked, const KnownMacros &known);

/// Adds the macros that a file defines or takes back.
void addRedefined(const TokenStream &file, RedefinedMacros &macros);

/// The names in `text` that the builds do not agree about, or say nothing of; in order.
std::vector<std::string> openNames(std::string_view text, const KnownMacros &known);

/// Returns true if some builds give the macro another value than others.
bool isUncertain(std::string_view name, const KnownMacros &known);

/// Returns true if the text names a macro that only one of the cores has. Then the cores run two programs.
bool tellsCoresApart(std::string_view text, const std::set<std::string> &macrosOfOneCore);

/// Returns true for a line `#if`, `#ifdef`, `#ifndef`, `#elif` that some builds may answer otherwise than others. A
/// line that goes on comes with those behind it.
bool isForeignCondition(std::string_view line, const KnownMacros &known);

/// Returns true if some line defines what tells a simulator's build apart, or takes it back.
bool decidesSimulator(const TokenStream &file);

/// The first line with a directive that is spelled as no search by line finds it (`%:if`, a comment or the end of a
/// line inside it), or with what such a search takes for one; 0 if there is none.
std::uint32_t oddDirective(const TokenStream &file);

/// The lines of such conditions.
std::set<std::uint32_t> foreignConditionals(const SourceText &source, const KnownMacros &known);

/// From a foreign condition's line to that of its `#endif`, both counted. The guard around a header is none. Empty
/// if nothing is foreign; one region over the whole text if its conditions do not nest.
struct ForeignRegion {
  std::uint32_t first = 0, last = 0;
  bool contains(std::uint32_t line) const { return first <= line && line <= last; }
};
std::vector<ForeignRegion> foreignRegions(const TokenStream &file, const KnownMacros &known);

} // namespace ptosync
