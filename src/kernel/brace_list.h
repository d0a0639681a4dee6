// The lists of statements of a kernel's text, as the parser has them: where a statement can be put in.
//
//   { TLOAD(v1, g); if (n > 0) { TADD(v2, v1, v1); } }
//   list 0, Body: TLOAD, if      list 1, Arm, inside child 1 of list 0: TADD
//
// A place is in front of a child or behind it. Braces that a macro makes are no list, and what a macro makes of one
// statement of the text is one child. The statements that the preprocessor leaves out are not there, the branches that
// a template's instance drops are: the lists are those of the text. A body that holds a `switch`, a `goto` or a `try`
// says so, because its statements do not run one after the other.
// Plain data, filled by src/frontend. Tested by tests/frontend/lower/brace_lists_test.cpp.
#pragma once

#include "kernel/expression.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

using ListId = std::uint32_t;

enum class ListRole : std::uint8_t {
  Body,  // of a function
  Loop,  // of `for`, `while` or `do`
  Arm,   // of an `if` or `else`
  Block, // braces alone
};

enum class Jump : std::uint8_t {
  None,
  Loop,     // `break`, `continue`
  Function, // `return`
};

struct BraceList {
  struct Child {
    std::uint32_t begin = 0, end = 0; // bytes; the end is behind its `;` or `}`
    std::uint32_t front = 0;   // where a statement in front of it goes: in front of the pragmas that are about it
    std::vector<ListId> lists; // directly inside
    bool empty = false;        // a lone `;`
    bool leaves = false;       // what stands behind it may be skipped: a break, continue or return is in it
    Jump jump = Jump::None;    // what it is itself
  };

  std::uint32_t open = 0, close = 0; // offsets of `{` and `}`
  ListId parent = kNone;             // kNone: a body
  std::uint32_t parentChild = kNone; // in the parent's children
  ListRole role = ListRole::Body;
  std::vector<Child> children;
  std::string notFollowed; // a body: "line 12: 'switch' is not followed"; empty if its lists are all there is to it
};

} // namespace ptosync
