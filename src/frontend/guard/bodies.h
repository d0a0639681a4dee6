// The bodies of a file and who mentions them: which bodies text that was not read could run.
//
// A body may be edited only if every way to run it was read. The lowering tells which calls, constructions and closures
// it followed. Every other mention of a function (its address, a template argument, a call in a kernel that was given
// up, a call in a body that no kernel runs) protects the syncs of that function and of everything that it mentions in
// turn. Text that the preprocessor left out is the business of file_refusal.h. What is left of a launch,
// `kernel<float>` as a statement, runs nothing but the kernel from its first statement; if that was read, it protects
// nothing. The graph also tells which variables never change after their initialiser.
//
// Only src/frontend may include this header. Tested by tests/frontend/guard/bodies_test.cpp.
#pragma once

#include "frontend/read/origin.h"
#include "kernel/kernel.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

/// Returns true for `set_flag`, `wait_flag`, `pipe_barrier`, `get_buf` and `rls_buf`.
bool isSyncName(llvm::StringRef name);
/// Returns true for a call of the library's function of such a name, alone or as a statement of its own.
bool isSyncCall(const clang::Stmt *statement, const clang::ASTContext &ast);

/// Returns true for a subscript operator whose body is `return member[index];`.
bool isPlainSubscript(const clang::CXXMethodDecl *method);

/// A body whose syncs may not be touched.
struct UnreadBody {
  SourceRange range;
  std::string reason;      // "line 30 of kern2 may run step, and was not read"
  std::uint32_t owner = 0; // line of the kernel that was given up; 0: other text
  bool wasRead = false;    // it was, and may not be touched all the same
};

class BodyGraph {
public:
  BodyGraph(clang::ASTContext &ast, const SourceText &source, const OwnHeaders &headers);

  /// Returns true if nobody writes the variable after its initialiser: every use of it only reads its value.
  bool keepsItsValue(const clang::VarDecl *variable) const;

  /// Returns true if some text names a member of a FIFO: it may set what the FIFO counts, and where its slots are.
  bool namesFifoMembers() const { return fifoMembers; }

  struct GivenUp {
    const clang::FunctionDecl *kernel = nullptr;
    std::uint32_t line = 0; // of the kernel
    std::string reason;
  };

  /// Returns the bodies that unread text can reach. `followed`: mentions that kernels expanded; `entries`: functions
  /// that were lowered from their first statement.
  std::vector<UnreadBody> unreadBodies(const std::set<const clang::Stmt *> &followed,
                                       const std::set<const clang::FunctionDecl *> &entries,
                                       const std::vector<GivenUp> &givenUp) const;

  /// Returns the function's text; empty for a function that is not the main file's.
  SourceRange rangeOf(const clang::FunctionDecl *function) const;

private:
  struct Mention {
    const clang::Stmt *at = nullptr;
    const clang::FunctionDecl *function = nullptr; // the definition
  };
  friend class MentionFinder;
  std::string whereIs(const Mention &mention) const;
  std::uint32_t lineOf(clang::SourceLocation location) const;

  clang::ASTContext &ast;
  const SourceText &source;
  const OwnHeaders &headers;
  std::map<const clang::FunctionDecl *, std::vector<Mention>> mentions; // null: outside of every body
  std::vector<const clang::FunctionDecl *> order;                       // bodies, as met
  std::map<const clang::VarDecl *, std::pair<unsigned, unsigned>> uses; // all, and those that only read
  std::set<const clang::VarDecl *> captured;                            // by reference
  std::set<const clang::Stmt *> unused;                                 // mentions that are statements: launches
  bool fifoMembers = false;
};

} // namespace ptosync
