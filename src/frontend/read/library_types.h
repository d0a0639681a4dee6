// The library's public types, enumerations and constants that a kernel may name beyond those every emitted
// kernel uses, as declarations of this project's own.
//
// They are data without effect, constructing or copying one reaches no pipe, unless the entry says that it acts. Each
// is declared only in a file that turns out to need it, so that a kernel may have a name of its own that the library
// also has. What is not in the table is invented (missing_names.h) and treated as code that may do anything.
// Enumerators are compared by name, so their values only follow the library where they are written out.
// Tested by tests/frontend/read/library_types_test.cpp.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ptosync {

/// A declaration in `pto::SCOPE` (empty: in pto itself).
struct LibraryType {
  std::string_view scope; // "", "comm", "comm::sdma"
  std::string_view name;
  std::string_view text;  // a complete declaration
  std::string_view needs; // names of the table that `text` uses, with their scope if it is another; blanks between
  bool acts = false;      // making one is an instruction of the type's name
};

/// The declaration of `scope::name`, or nullptr.
const LibraryType *libraryType(std::string_view scope, std::string_view name);

/// The table's declarations of these "scope::name" or "name", with what they need, in an order that compiles. Stands
/// inside namespace pto.
std::string libraryTypesText(const std::set<std::string> &names);

} // namespace ptosync
