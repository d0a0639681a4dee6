// A walk over Clang's syntax tree, in the order of the text: what a search derives from.
//
// Clang's own visitor is a template of some thousand functions, compiled again for every search; this is one of them,
// and a search overrides what it looks at. It adds nothing to what that visitor walks into and leaves nothing out.
// Tested by tests/frontend/read/syntax_walker_test.cpp and by every test of a search.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/TypeLoc.h>

namespace ptosync {

/// True if the place is the main file's, text of macros by where they are used. False for no place at all.
bool inMainFile(clang::SourceLocation location, const clang::SourceManager &sources);

class SyntaxWalker {
public:
  virtual ~SyntaxWalker();

  /// False if the search stopped the walk.
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

} // namespace ptosync
