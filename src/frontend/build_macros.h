// The macros that a build sets before it reads a kernel, and what a condition of the preprocessor says under them.
//
//   the chip's compiler    __CCE_AICORE__, __NPU_ARCH__, __DAV_C220_VEC__, ...   the machine model (macros)
//   the library            PTO_NPU_ARCH_A2A3, ...                                the machine model
//   the kernel's build     -D NAME=VALUE                                         the user
//
// A text may be for several builds: an architecture has chips of several numbers, and where nobody has said which
// architecture a text is for, it may be for any. One of them is read. A condition is decided if every build gives it
// the same answer; a name that no build says anything of has no answer, so that a condition is open unless the rest of
// it decides (`0 && NAME`). Arithmetic is that of 64 bits; what is not understood is open. A macro that the text
// defines or takes back itself has a value that only the parser follows: the same one in every build, if the builds
// agree. Only src/frontend and what fills FrontendOptions may include this header. Tested by
// tests/frontend/build_macros_test.cpp.
#pragma once

#include "kernel/source.h"
#include "kernel/pipe.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

struct BuildMacro {
  std::string name;
  std::optional<std::string> value; // as written behind #define; nothing: the build certainly does not define it
  Section section = Section::Both;  // defined in code of this core alone
  bool byLibrary = false;           // by the library's main header, not by the compiler
};
using BuildMacros = std::vector<BuildMacro>;

/// What a build says of each macro it says something of; nothing as a value: it is not defined.
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

/// What the library's main header defines in the build that is read, the first.
std::vector<Definition> libraryMacros(const std::vector<BuildMacros> &builds);

std::set<std::string> macrosOfOneCore(const std::vector<BuildMacros> &builds);

/// For code of `section`; `apart`: of that core alone, so that the macros of the cores are answered.
KnownMacros knownMacros(const std::vector<BuildMacros> &builds, const std::vector<Definition> &defines, Section section,
                        bool apart);

/// Returns true if every build gives the same answer to what a directive asks, as written behind its word: "ifdef" and
/// "NAME", "elif" and an expression.
bool isDecided(std::string_view word, std::string_view asked, const KnownMacros &known);

/// Adds the macros that a text defines or takes back. A zero must stand behind the text.
void addRedefined(std::string_view text, RedefinedMacros &macros);

/// The names in `text` that the builds do not agree about, or say nothing of; in order.
std::vector<std::string> openNames(std::string_view text, const KnownMacros &known);

/// Returns true if some builds give the macro another value than others.
bool isUncertain(std::string_view name, const KnownMacros &known);

} // namespace ptosync
