// What the library's `Event<A, B>` objects do, read from the library's own definition.
//
//   e = TLOAD(...)      records: the set, if the two pipes differ
//   TADD(..., e)        waits for e first: the wait, or a barrier if the pipes are one
//   e.Wait(), TSYNC(e)  waits
//
// Nothing of this is known here but that names: which syncs a member runs is found by walking its body as it was
// instantiated, and that an instruction waits for its trailing events in front of everything else by its text. A body
// in which anything else stands (an event between two cores) is not understood, and the object is no event then. A
// flag's id is a member of the object: constant, given by the type or by a counter of the run. So it is one id from the
// object's making to its end, and which one is only known in the first case. Only src/frontend may include this header.
// Tested by tests/frontend/library/event_types_test.cpp.
#pragma once

#include "kernel/pipe.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <vector>

namespace ptosync {

/// One sync of a member's body. `id`: the member that holds the flag's id; null for a barrier.
struct EventAction {
  enum class Kind : std::uint8_t { Set, Wait, Barrier };
  Kind kind = Kind::Barrier;
  Pipe source = Pipe::All, destination = Pipe::All;
  const clang::FieldDecl *id = nullptr;
};
using EventActions = std::vector<EventAction>;

/// A pipe by its name, or by a value that only the name can have.
std::optional<Pipe> pipeOf(const clang::Expr *argument, const clang::ASTContext &ast);

/// The class of an event, if all that it does is understood; null for anything else.
const clang::CXXRecordDecl *eventClass(clang::QualType type);

/// What waiting for an event runs.
EventActions waitActions(const clang::CXXRecordDecl *event);
/// What a member, a constructor or a function without parameters runs, in order; nothing if its body is not understood.
std::optional<EventActions> actionsOf(const clang::FunctionDecl *function);
/// The flag's id if the type fixes it.
std::optional<std::int64_t> fixedEventId(const clang::CXXRecordDecl *event);

/// A function of the library that waits for the events it is given in front of everything else.
struct WaitingFunction {
  unsigned firstEvent = 0; // this argument and all behind it
  bool nothingElse = false;
};
/// Nothing if the function's text does not say so.
std::optional<WaitingFunction> waitingFunction(const clang::FunctionDecl *function);

} // namespace ptosync
