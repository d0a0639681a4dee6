// Launches that pass one buffer for two arguments of a kernel.
//
//   k<<<1, nullptr, s>>>(a, a + 64, 1);           the first two arguments share `a`
//   float *b = a + 64;  k<<<1, nullptr, s>>>(a, b, 1);
//   void go(float *x, float *y) { k<<<1, nullptr, s>>>(x, y, 1); }     go(a, a + 64);
//   #define GO(x, y) k<<<1, nullptr, s>>>(x, y, 1)                     GO(a, a + 64);
//
// Host code need not be what Clang can parse, so this reads tokens. An argument stands for the names that it is made
// of: variables, members and elements by path (`ctx.in`, `bufs[0]`; `bufs[i]` is any of them), through casts, sums,
// initialisers and assignments, through the parameters of functions, lambdas and macros to where those are called, and
// through what functions return, set in their arguments or leave in members and variables of the file. Two arguments
// share a buffer if one name, or one and a part of it, is in both. Numbers do not count where their declaration tells,
// unless they are made to addresses. Over-approximate for what it reads: a name that is no pointer relates two
// arguments in vain. Code of the chip is not read; it is expanded where it is called. What another file's function
// returns is taken for something new, unless it is given nothing; what is written through a union or copied as bytes,
// and what else may launch a kernel, such as a list of arguments built for a runtime, is not seen. Only src/frontend
// may include this header. Tested by tests/frontend/launch_arguments_test.cpp.
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

/// Pairs of arguments by number, the lower one first.
using ArgumentPairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// True if there may be a launch: a quick look.
bool mayLaunch(llvm::StringRef text);

/// By name of the function that is launched, or called by code of the host, among `kernels`. `chip`: the functions that
/// are code of the chip.
std::map<std::string, ArgumentPairs> sharedArguments(llvm::StringRef text, const std::set<std::string> &kernels,
                                                     const std::vector<SourceRange> &chip);

} // namespace ptosync
