// One run of Clang's parser over a text in memory, the tree that it leaves, and a walk over that tree.
//
// Files are taken from memory first, then from disk. With `skipBodies`, the bodies of functions outside the main file
// are not parsed: the machine model says what the library does inside, and these bodies are most of its text. The few
// exceptions are the members of the library's `Event`: only their bodies tell what an event sets and waits for
// (event_types.h). Their text is kept, and `Wait` is instantiated wherever an instance of the class exists, because the
// calls of it may stand in bodies that were skipped. Extensions of the chip's compiler are replaced by plain C++ of the
// same length (plainText) in every file, so every offset stays valid.
//
// Clang's own visitor is a template of some thousand functions, compiled again for every search. SyntaxWalker is one
// instance of it; a search derives from it and overrides what it looks at. It walks into exactly what that visitor
// walks into.
//
// Only src/frontend may include this header. Tested by tests/frontend/read/syntax_tree_test.cpp, parse_test.cpp and
// library_headers_test.cpp, and tests/frontend/library/event_types_test.cpp for `Event`.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

class ReadFiles;
class TokenStream;

/// Returns true if the place is the main file's. Text of a macro belongs to where the macro is used. False for no
/// place.
bool inMainFile(clang::SourceLocation location, const clang::SourceManager &sources);

class SyntaxWalker {
public:
  virtual ~SyntaxWalker();

  /// Walks a tree; returns false if the search stopped the walk.
  bool walk(clang::Decl *declaration);
  bool walk(clang::Stmt *statement);
  /// Every declaration of the main file, as `written` finds its place.
  enum class Written { Spelled, Expanded, File };
  bool walkMainFile(clang::ASTContext &ast, Written written);

protected:
  struct Reach {
    bool instantiations = false; // of templates
    bool implicitCode = false;   // what the compiler adds
    bool types = true;           // as they are written, with the expressions in them: half of a walk's time
  };
  explicit SyntaxWalker(Reach reach) : reach(reach) {}

  /// Called for each node in front of its children; false stops the walk.
  virtual bool visit(clang::Stmt *) { return true; }
  virtual bool visit(clang::Decl *) { return true; }
  virtual bool visit(clang::TypeLoc) { return true; }

  /// Walks a declaration or a lambda with all that is in it. A search that overrides these may do something before and
  /// behind, or leave it out.
  virtual bool enter(clang::Decl *declaration) { return walkInto(declaration); }
  virtual bool enter(clang::LambdaExpr *lambda) { return walkInto(lambda); }
  bool walkInto(clang::Decl *declaration);
  bool walkInto(clang::LambdaExpr *lambda);

private:
  class Visitor;
  const Reach reach;
};

/// Keeps what the tree refers to alive.
class SyntaxUnit {
public:
  clang::ASTContext &getASTContext() { return *ast; }
  /// Returns the text that conditions of the preprocessor leave out, with the lines of their directives.
  const std::vector<clang::SourceRange> &skippedText() const { return skipped; }

private:
  friend class UnitBuilder;
  std::unique_ptr<clang::CompilerInstance> compiler;
  std::shared_ptr<clang::Preprocessor> preprocessor;
  std::vector<clang::SourceRange> skipped;
  llvm::IntrusiveRefCntPtr<clang::ASTContext> ast; // goes first
};

struct UnitRequest {
  std::string text, name;                                 // name: as clangName gives it
  std::vector<std::string> arguments;                     // of the compiler
  std::vector<std::pair<std::string, std::string>> files; // path -> text, in memory
  bool skipBodies = false;
  ReadFiles *reads = nullptr; // notes the files that are read from disk, if anybody asks
};

/// Returns the name by which Clang is given a file: one that begins with a dash would be an option.
std::string clangName(const std::string &name);

/// nullptr only if there is no tree at all; errors go to `diagnostics`.
std::unique_ptr<SyntaxUnit> parseUnit(const UnitRequest &request, clang::DiagnosticConsumer &diagnostics);

/// Returns the text with what only the chip's compiler reads replaced by as many characters of C++: `[aicore]` by a
/// macro, launch and arguments of `kernel<float><<<blocks, nullptr, stream>>>(...)` by blanks. That leaves the kernel's
/// name and so its instance: what the host passes is no part of it.
std::string plainText(const TokenStream &file);

/// The macro in the place of `[aicore]`.
inline constexpr const char *kAicoreMacro = "__aicor_";

} // namespace ptosync
