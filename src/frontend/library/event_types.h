// The syncs that the library's `Event<A, B>` objects run, read from the library's own definition.
//
//   e = TLOAD(...)      records: the set, if the two pipes differ
//   TADD(..., e)        waits for e first: the wait, or a barrier if the pipes are one
//   e.Wait(), TSYNC(e)  waits
//
// Only names are known beforehand. Which syncs a member runs is found by walking its body as it was instantiated. That
// an instruction waits for its trailing events before everything else is found in its text. A body in which anything
// else stands (an event between two cores) is not understood, and the object is no event then. A flag's id is a
// constant member of the object: the type gives it, or a counter of the run. So it is one id from the object's making
// to its end, and only the type's id is known.
//
// Only src/frontend may include this header. Tested by tests/frontend/library/event_types_test.cpp.
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

/// Returns the pipe that the argument names, or has the value of if only that name can have it.
std::optional<Pipe> pipeOf(const clang::Expr *argument, const clang::ASTContext &ast);

/// Returns the class of an event if all that it does is understood; null for anything else.
const clang::CXXRecordDecl *eventClass(clang::QualType type);

/// Returns the syncs that waiting for an event runs.
EventActions waitActions(const clang::CXXRecordDecl *event);
/// Returns the syncs that a member, a constructor or a function without parameters runs, in order; nothing if its body
/// is not understood.
std::optional<EventActions> actionsOf(const clang::FunctionDecl *function);
/// Returns the flag's id if the type fixes it.
std::optional<std::int64_t> fixedEventId(const clang::CXXRecordDecl *event);

/// A function of the library that waits for the events it is given in front of everything else.
struct WaitingFunction {
  unsigned firstEvent = 0; // this argument and all behind it
  bool nothingElse = false;
};
/// Returns nothing if the function's text does not say so.
std::optional<WaitingFunction> waitingFunction(const clang::FunctionDecl *function);

} // namespace ptosync
