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
// Sound because a function counts as a wrapper only if it is what that runtime's generator writes, and nothing else:
// named `kernel_entry`, with `int64_t *` for its list; scalar work on its own variables, no sync, no instruction, no
// loop, no store, no macro, the call last. The kernel is static and named nowhere else in the file, in no text of
// another build either. A pointer that it passes on is the address in an entry of the list of its own, or in what that
// entry points to, plus numbers; so arguments which do not overlap stay apart. What it reads of tensors, it does not
// pass on. What it calls is the chip's or the runtime's own, declared by the tool or the library, and gives a number.
// Where arguments may overlap, there are no wrappers. What falls short in anything is expanded like any caller.
// Does not know wrappers of other runtimes. Only src/frontend may include this header.
// Tested by tests/frontend/guard/entry_wrapper_test.cpp.
#pragma once

#include "frontend/guard/bodies.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <functional>
#include <optional>

namespace ptosync {

struct Forwarding {
  const clang::FunctionDecl *kernel = nullptr; // the definition
  const clang::DeclRefExpr *mention = nullptr; // of the kernel, in the call
  bool hasSyncs = false;                       // no wrapper because of `set_flag`, `wait_flag`, `pipe_barrier` alone
};

struct WrapperContext {
  const BodyGraph &bodies;
  const SourceText &source;
  /// True if a call of the function does nothing but give a number: it may read memory.
  std::function<bool(const clang::FunctionDecl *)> onlyReads;
  /// True if the function is defined in the file itself and may be a kernel.
  std::function<bool(const clang::FunctionDecl *)> mayBeKernel;
};

/// What `function` forwards to, the syncs in it aside; nothing if it is no wrapper without them either.
std::optional<Forwarding> forwardingOf(const clang::FunctionDecl *function, const WrapperContext &context);

} // namespace ptosync
