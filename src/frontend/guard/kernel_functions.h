// The functions of a file, who calls whom, and which of them are kernels.
//
//   __global__                      a kernel, whoever else calls it
//   marked as the chip's, uncalled  a kernel
//   called by a wrapper             a kernel; the wrapper is none (entry_wrapper.h)
//   everything else                 a helper: analysed where it is called
//
// With headers that give the marks another meaning, an uncalled function that issues work is a kernel. Methods and what
// the assembler writes into every file (`ptoas_...`) are none. Says nothing of what a kernel does: the lowering does
// that. Only src/frontend may include this header. Tested by tests/frontend/guard/kernel_functions_test.cpp.
#pragma once

#include "frontend/frontend.h"
#include "frontend/guard/bodies.h"
#include "frontend/read/own_headers.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

class KernelFunctions {
public:
  KernelFunctions(clang::ASTContext &ast, const SourceText &source, const OwnHeaders &headers,
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
  const SourceText &source;
  const OwnHeaders &headers;
  const FrontendOptions &options;
  std::vector<Function> definitions; // of the main file
  bool marked = false;               // some definition is marked as code of the chip
  std::set<Function> called;
  std::map<Function, std::set<std::string>> calls; // callees of the library
  std::map<Function, std::set<Function>> helpers;  // and of the file and its own headers
};

} // namespace ptosync
