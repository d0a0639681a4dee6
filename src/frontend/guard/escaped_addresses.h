// Arguments whose addresses leave what is followed, and come back as numbers that nobody tells from others.
//
//   uint64_t a = (uint64_t)p;  memcpy(&n, &a, 8);      n is unknown, and is p's address
//   union { float *x; uint64_t n; } u;  u.x = p;       u.n is unknown, and is p's address
//   *w = (uint64_t)p;  ...  q[*w - (uint64_t)q]        what is loaded from memory may be p's address
//
// An engine that follows values takes an unknown number for an index into what it is added to. That holds for numbers
// that come from outside, such as a table of offsets, and not for these. So every value that was computed and then went
// where nothing follows it counts: stored to memory, converted to what is no integer, given to a call that is not
// known, or in a variable whose address somebody has. Whatever is unknown afterwards may be made from them
// (Kernel::escaped). Values that nobody uses, such as that of a statement, go nowhere.
// Found without regard to the order of statements: over-approximate. Which addresses are in a number that *is* followed
// is for the engines to say. Tested by tests/frontend/guard/escaped_addresses_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <set>
#include <string>

namespace ptosync {

/// What the lowering knows beyond the kernel.
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
