// Arguments whose addresses leave what is followed and come back as numbers that nobody tells from others.
//
//   uint64_t a = (uint64_t)p;  memcpy(&n, &a, 8);      n is unknown, and is p's address
//   union { float *x; uint64_t n; } u;  u.x = p;       u.n is unknown, and is p's address
//   *w = (uint64_t)p;  ...  q[*w - (uint64_t)q]        what is loaded from memory may be p's address
//
// An engine that follows values takes an unknown number for an index into what it is added to. That holds for numbers
// from outside, such as a table of offsets. It does not hold for a number that was made from an address and came back.
// So a computed value counts as escaped if it went where nothing follows it: stored to memory, converted to something
// that is no integer, given to a call that is not known, or held by a variable whose address somebody has. Every
// unknown number may be made from escaped values (Kernel::escaped). A value that nobody uses, such as that of a
// statement, goes nowhere.
//
// The order of statements is ignored, so the result over-approximates. The engines say which addresses are in a number
// that *is* followed. Tested by tests/frontend/guard/escaped_addresses_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <set>
#include <string>

namespace ptosync {

/// Facts that the lowering knows and the kernel does not hold.
struct EscapeFacts {
  const std::set<std::string> &instructions; // known ones
  std::set<ExpressionId> dropped;            // values that nobody uses
  std::set<ExpressionId> lost;               // values that were stored where they are not followed
  std::set<VariableId> exposed;              // variables whose address somebody has
  std::set<ExpressionId> madePointers;       // integers that became pointers
  bool pointersRead = false;                 // a pointer was read from memory
};

/// Fills Kernel::escaped, addressesInMemory and related.
void findEscapedAddresses(Kernel &kernel, const EscapeFacts &facts);

} // namespace ptosync
