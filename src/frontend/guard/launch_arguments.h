// Launches that pass one buffer for two arguments of a kernel.
//
//   k<<<1, nullptr, s>>>(a, a + 64, 1);           the first two arguments share `a`
//   float *b = a + 64;  k<<<1, nullptr, s>>>(a, b, 1);
//   void go(float *x, float *y) { k<<<1, nullptr, s>>>(x, y, 1); }     go(a, a + 64);
//   #define GO(x, y) k<<<1, nullptr, s>>>(x, y, 1)                     GO(a, a + 64);
//
// Clang may not be able to parse host code, so this reads tokens. An argument stands for the names that it is made of.
// Names are variables, members and elements by path (`ctx.in`, `bufs[0]`; `bufs[i]` is any of them). They are followed
// through casts, sums, initialisers and assignments, and through the parameters of functions, lambdas and macros to
// where those are called.
//
// Two arguments share a buffer if both contain one name, or one contains a part of a name of the other. They are apart
// only if everything that both are made of is seen: parameters, members of parameters that the file sets nowhere, and
// variables of the function that only assignments set. Any buffer may come from a function of the file, through an
// address, a reference or a capture, from a global variable, or from a member of one of its classes. A number does not
// count if its declaration says that it is one and nothing makes it an address. The result over-approximates for what
// is read: a name that is no pointer relates two arguments in vain.
//
// Other files are not seen. Two of their functions, or one function that is given something, are taken to return
// different buffers, unless one is given a variable's address; so are two parameters of a function that nobody in the
// file calls. Other ways to launch a kernel, such as a list of arguments built for a runtime, are not seen either. Code
// of the chip is not read here; it is expanded where it is called.
//
// Only src/frontend may include this header. Tested by tests/frontend/guard/launch_arguments_test.cpp.
#pragma once

#include "kernel/source.h"

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

class TokenStream;

/// Pairs of arguments by number, the lower one first.
using ArgumentPairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// Returns true if there may be a launch, after a quick look.
bool mayLaunch(llvm::StringRef text);

/// Returns the pairs that share a buffer, by the name of the kernel among `kernels` that code of the host launches or
/// calls. `chip`: the functions that are code of the chip.
std::map<std::string, ArgumentPairs> sharedArguments(const TokenStream &file, const std::set<std::string> &kernels,
                                                     const std::vector<SourceRange> &chip);

} // namespace ptosync
