#include "frontend/read/syntax_walker.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace ptosync {

bool inMainFile(clang::SourceLocation location, const clang::SourceManager &sources) {
  return location.isValid() && sources.isWrittenInMainFile(sources.getExpansionLoc(location));
}

class SyntaxWalker::Visitor : public clang::RecursiveASTVisitor<Visitor> {
  using Base = clang::RecursiveASTVisitor<Visitor>;

public:
  explicit Visitor(SyntaxWalker &walker) : walker(walker) {}
  bool shouldVisitTemplateInstantiations() const { return walker.reach.instantiations; }
  bool shouldVisitImplicitCode() const { return walker.reach.implicitCode; }

  bool VisitStmt(clang::Stmt *statement) { return walker.visit(statement); }
  bool VisitDecl(clang::Decl *declaration) { return walker.visit(declaration); }
  bool VisitTypeLoc(clang::TypeLoc location) { return walker.visit(location); }
  bool TraverseTypeLoc(clang::TypeLoc location) { return !walker.reach.types || Base::TraverseTypeLoc(location); }
  bool TraverseDecl(clang::Decl *declaration) { return !declaration || walker.enter(declaration); }
  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) { return walker.enter(lambda); }
  bool traverse(clang::Decl *declaration) { return Base::TraverseDecl(declaration); }
  bool traverse(clang::LambdaExpr *lambda) { return Base::TraverseLambdaExpr(lambda); }

private:
  SyntaxWalker &walker;
};

SyntaxWalker::~SyntaxWalker() = default;

bool SyntaxWalker::walk(clang::Decl *declaration) { return Visitor(*this).TraverseDecl(declaration); }

bool SyntaxWalker::walk(clang::Stmt *statement) { return Visitor(*this).TraverseStmt(statement); }

bool SyntaxWalker::walkInto(clang::Decl *declaration) { return Visitor(*this).traverse(declaration); }

bool SyntaxWalker::walkInto(clang::LambdaExpr *lambda) { return Visitor(*this).traverse(lambda); }

bool SyntaxWalker::walkMainFile(clang::ASTContext &ast, Written written) {
  const clang::SourceManager &sources = ast.getSourceManager();
  for (clang::Decl *declaration : ast.getTranslationUnitDecl()->decls()) {
    clang::SourceLocation at = declaration->getLocation();
    at = written == Written::Spelled    ? sources.getSpellingLoc(at)
         : written == Written::Expanded ? sources.getExpansionLoc(at)
                                        : sources.getFileLoc(at);
    if (sources.isWrittenInMainFile(at) && !walk(declaration))
      return false;
  }
  return true;
}

} // namespace ptosync
