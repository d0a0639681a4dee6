// Launches that pass one buffer for two arguments of a kernel.
//
//   k<<<1, nullptr, s>>>(a, a + 64, 1);           the first two arguments share `a`
//   float *b = a + 64;  k<<<1, nullptr, s>>>(a, b, 1);
//   void go(float *x, float *y) { k<<<1, nullptr, s>>>(x, y, 1); }     go(a, a + 64);
//   #define GO(x, y) k<<<1, nullptr, s>>>(x, y, 1)                     GO(a, a + 64);
//
// Host code need not be what Clang can parse, so this reads tokens. An argument stands for the names that it is made
// of: variables, members and elements by path (`ctx.in`, `bufs[0]`; `bufs[i]` is any of them), through casts, sums,
// initialisers and assignments, and through the parameters of functions, lambdas and macros to where those are called.
// Two arguments share a buffer if one name, or one and a part of it, is in both. They are apart only if all that both
// are made of is seen: parameters, members of parameters that the file sets nowhere, and variables of the function
// that nothing sets but assignments. What functions of the file return, what is set through an address, a reference or
// a capture, its global variables and members of its classes may be any buffer. Numbers do not count where their
// declaration tells, unless they are made to addresses. Over-approximate for what it reads: a name that is no pointer
// relates two arguments in vain.
// Not seen: what another file does, unless it is given a variable's address: two of its functions, or one that is given
// something, return different buffers, and so do two parameters of a function that no one in the file calls. Neither is
// what else may launch a kernel, such as a list of arguments built for a runtime. Code of the chip is not read; it is
// expanded where it is called. Only src/frontend may include this header. Tested by
// tests/frontend/guard/launch_arguments_test.cpp.
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

/// True if there may be a launch: a quick look.
bool mayLaunch(llvm::StringRef text);

/// By name of the function that is launched, or called by code of the host, among `kernels`. `chip`: the functions that
/// are code of the chip.
std::map<std::string, ArgumentPairs> sharedArguments(const TokenStream &file, const std::set<std::string> &kernels,
                                                     const std::vector<SourceRange> &chip);

} // namespace ptosync
