// Names that a parse did not find, and what each has to be for the file to be C++.
//
// A kernel may name types, templates, constants, members, enumerations and namespaces of a library that nothing here
// knows. Clang says which name it missed. The way the file spells it says what it is: `N v` is a type, `N<...>(...)` a
// function, `S::N` something in a scope. A wrong guess is an error of the next parse, never another reading: what is
// declared from here has no meaning of its own (prelude.h), and the instructions that it reaches are unknown. Only a
// name that is spelled as the library spells its own is taken to be the library's: `Wow x` is an unknown type, `wow x`
// an error.
//
// Tested by tests/frontend/read/missing_names_test.cpp and parse_test.cpp.
#pragma once

#include "frontend/read/prelude.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ptosync {

enum class MissingKind : std::uint8_t {
  Name,       // not declared, or not in its scope
  Type,       // the same, and Clang expected a type
  Member,     // of an object or a class
  MustBeType, // a template argument given as a value
  MustBeValue // a template argument given as a type
};

/// A text whose comments are blanked, since a name in them says nothing of what it is. In `compiled` what the
/// preprocessor left out is blanked as well, since a declaration there declares nothing.
struct MissingText {
  std::string_view all, compiled;
};

/// Notes the name at byte `offset`.
void noteMissingName(MissingText text, std::size_t offset, MissingKind kind, PreludeAdditions &missing);

} // namespace ptosync
