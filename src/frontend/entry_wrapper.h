// A function that unpacks a runtime's argument list and calls one kernel: what PyPTO writes behind a generated kernel.
//
//   extern "C" __aicore__ void kernel_entry(__gm__ int64_t *args) {
//     __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
//     __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
//     kern(x, static_cast<int64_t>(x_tensor->shapes[0]));
//   }
//
// Such a kernel is analysed from its own first statement, its pointers as arguments of a kernel. Expanded into the
// wrapper they would be numbers read from memory, which may be any place.
// Sound because a wrapper counts as one only if it does nothing else: scalar work on its own variables, no sync, no
// instruction, no loop, the call last. Every pointer it passes on comes from an entry of the list of its own, so that
// arguments which do not overlap stay apart; what it reads itself, it reads from the list, from what the entries point
// to, or from tensors that it does not pass on. Where arguments may overlap, there are no wrappers: they are expanded.
// A wrapper that falls short in anything is expanded like any caller. Only src/frontend may include this header.
// Tested by tests/frontend/entry_wrapper_test.cpp.
#pragma once

#include "frontend/bodies.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <functional>
#include <optional>

namespace ptosync {

struct Forwarding {
  const clang::FunctionDecl *kernel = nullptr; // the definition
  const clang::DeclRefExpr *mention = nullptr; // of the kernel, in the call
};

struct WrapperContext {
  const BodyGraph &bodies;
  /// True if a call of the function does nothing but give a number: it may read memory.
  std::function<bool(const clang::FunctionDecl *)> onlyReads;
  /// True if the function is defined in the file itself and may be a kernel.
  std::function<bool(const clang::FunctionDecl *)> mayBeKernel;
};

/// What `function` forwards to; nothing if it is no wrapper.
std::optional<Forwarding> forwardingOf(const clang::FunctionDecl *function, const WrapperContext &context);

} // namespace ptosync
