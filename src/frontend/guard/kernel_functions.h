// The functions of a file, who calls whom, and which of them are kernels.
//
//   __global__                      a kernel, whoever else calls it
//   marked as the chip's, uncalled  a kernel
//   called by a wrapper             a kernel; the wrapper is none
//   everything else                 a helper: analysed where it is called
//
// If headers give the marks another meaning, an uncalled function that issues work is a kernel. Methods are none, nor
// is what the assembler writes into every file (`ptoas_...`). The lowering says what a kernel does.
//
// A wrapper unpacks a runtime's argument list and calls one kernel. PyPTO writes one behind a generated kernel:
//
//   extern "C" __aicore__ void kernel_entry(__gm__ int64_t *args) {
//     __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
//     __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
//     kern(x, static_cast<int64_t>(x_tensor->shapes[0]));
//   }
//
// Such a kernel is analysed from its own first statement, and its pointers are arguments of a kernel. Expanded into the
// wrapper they would be numbers read from memory, which may be any place.
// This is sound because a function counts as a wrapper only if it is what that runtime's generator writes, and nothing
// else. It is named `kernel_entry` and takes the list as `int64_t *`. It does scalar work on its own variables: no
// sync, instruction, loop, store or macro, and the call comes last. The kernel is static and named nowhere else in the
// file, not even in text of another build. Each pointer that is passed on is the address in a list entry of its own, or
// in what that entry points to, plus numbers; so arguments that do not overlap stay apart. The wrapper passes on
// nothing that it reads from tensors. Every other function that it calls is the chip's or the runtime's own, declared
// by the tool or the library, and gives a number. Where arguments may overlap there are no wrappers. A function that
// falls short in anything is expanded like any caller. Wrappers of other runtimes are not known.
//
// findCalledNames tells which functions from outside the file it calls, in kernels that are given up as well, since it
// does not depend on the lowering. A function that the file defines itself is not the library's, whatever its name.
// Calls through pointers are not seen.
//
// Only src/frontend may include this header. Tested by tests/frontend/guard/kernel_functions_test.cpp.
#pragma once

#include "frontend/frontend.h"
#include "frontend/guard/bodies.h"
#include "frontend/read/origin.h"
#include "kernel/kernel.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

struct Forwarding {
  const clang::FunctionDecl *kernel = nullptr; // the definition
  const clang::DeclRefExpr *mention = nullptr; // of the kernel, in the call
  bool hasSyncs = false;                       // no wrapper because of `set_flag`, `wait_flag`, `pipe_barrier` alone
};

struct WrapperContext {
  const BodyGraph &bodies;
  const TokenStream &file;
  /// Returns true if a call of the function only gives a number; it may read memory.
  std::function<bool(const clang::FunctionDecl *)> onlyReads;
  /// Returns true if the function is defined in the file itself and may be a kernel.
  std::function<bool(const clang::FunctionDecl *)> mayBeKernel;
};

/// Returns what `function` forwards to, apart from the syncs in it; nothing if it is no wrapper without them either.
std::optional<Forwarding> forwardingOf(const clang::FunctionDecl *function, const WrapperContext &context);

/// Returns the line of the first call by name; barriers come with their pipe, as in CalledName. Calls in bodies of the
/// file's own headers count where the file calls those bodies.
std::map<std::string, std::uint32_t> findCalledNames(clang::ASTContext &ast, const SourceText &source,
                                                     const OwnHeaders &headers);

class KernelFunctions {
public:
  KernelFunctions(clang::ASTContext &ast, const TokenStream &file, const OwnHeaders &headers,
                  const FrontendOptions &options);

  struct Roles {
    std::vector<const clang::FunctionDecl *> kernels;  // in the order of the text
    std::set<const clang::FunctionDecl *> forwardedTo; // those of them that a wrapper alone calls
    std::set<const clang::FunctionDecl *> called;      // definitions of the main file that others call, wrappers aside
    std::set<const clang::FunctionDecl *> global;      // those that the host calls
    std::set<const clang::Stmt *> forwarded;           // where wrappers name their kernels
    /// Kernels that are wrappers but for the syncs in them: these must stay, or the text would have other kernels.
    std::set<const clang::FunctionDecl *> wrapperButForSyncs;
  };
  /// Definitions of the main file that are marked as code of the chip.
  std::vector<const clang::FunctionDecl *> codeOfChip() const;
  /// `invented`: functions that nobody declares.
  Roles roles(const BodyGraph &bodies, const std::set<std::string> &invented) const;

private:
  friend class FunctionFinder;
  using Function = const clang::FunctionDecl *;

  bool isKernel(Function function) const;
  bool issuesWork(Function function) const;
  bool onlyReads(Function function, const std::set<std::string> &invented) const;

  const clang::SourceManager &sources;
  const TokenStream &file;
  const OwnHeaders &headers;
  const FrontendOptions &options;
  std::vector<Function> definitions; // of the main file
  bool marked = false;               // some definition is marked as code of the chip
  std::set<Function> called;
  std::map<Function, std::set<std::string>> calls; // callees of the library
  std::map<Function, std::set<Function>> helpers;  // and of the file and its own headers
};

} // namespace ptosync
