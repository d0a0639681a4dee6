// Which classes of Clang's statements and expressions the lowering reads, and what becomes of the rest.
//
// The dispatchers of statements, values, places and initialisers ask this table first. A class that is not in it gives
// the kernel up, so that a construct of a newer Clang or of C++ that nobody thought of cannot be dropped: a handler is
// reached only through an entry. The test walks every class of the Clang in use and fails on one without a decision.
// Tested by tests/frontend/lower/lowering_classes_test.cpp.
#pragma once

#include <string_view>

namespace ptosync {

enum class Reading : unsigned char {
  Lowered,   // has a handler; what a handler does not follow is clobbered there
  Clobbered, // may change all that it names, and memory; what could run a sync in it gives the kernel up
  GivesUp,   // the kernel is left alone
  Absent,    // never in a body that is compiled: template patterns, other languages, types of syntax
  Undecided, // no entry
};

/// `className` as Clang's Stmt::getStmtClassName() gives it.
Reading readingOf(std::string_view className);

} // namespace ptosync
