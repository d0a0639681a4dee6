// The bodies of the library's `Event`: the few that are parsed although they stand in a header.
//
// Bodies of headers are skipped (syntax_unit.h), but what an event sets and waits for is told by the bodies of its
// class and of its base alone. Those are kept, and where an instance of the class exists its `Wait` is instantiated:
// the calls of it stand in bodies that were skipped. Only src/frontend may include this header. Tested by
// tests/frontend/library/event_types_test.cpp.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/Sema/Sema.h>

namespace ptosync {

/// True for a member of the library's `Event` or its base that records or waits, and for what gives a barrier its pipe.
bool isEventBody(const clang::Decl *declaration);

/// Instantiates `Wait` of every instance of the library's `Event`, errors unheard: what has no body is not understood.
void instantiateEvents(clang::Sema &sema);

} // namespace ptosync
