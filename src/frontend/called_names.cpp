#include "frontend/called_names.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace ptosync {
namespace {

class CallFinder : public clang::RecursiveASTVisitor<CallFinder> {
public:
  CallFinder(const clang::SourceManager &sources, const SourceText &source) : sources(sources), source(source) {}
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getDeclName().isIdentifier() || sources.isWrittenInMainFile(callee->getLocation()))
      return true;
    std::string name = callee->getName().str();
    if (name == "pipe_barrier" && call->getNumArgs() == 1)
      name += "(" + enumerator(call->getArg(0)) + ")";
    std::uint32_t line = source.position(sources.getFileOffset(sources.getFileLoc(call->getBeginLoc()))).line;
    auto [entry, inserted] = found.emplace(std::move(name), line);
    if (!inserted)
      entry->second = std::min(entry->second, line);
    return true;
  }

  std::map<std::string, std::uint32_t> found;

private:
  static std::string enumerator(const clang::Expr *argument) {
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(argument->IgnoreParenCasts());
    const auto *constant = reference ? llvm::dyn_cast<clang::EnumConstantDecl>(reference->getDecl()) : nullptr;
    return constant ? constant->getName().str() : "";
  }

  const clang::SourceManager &sources;
  const SourceText &source;
};

} // namespace

std::map<std::string, std::uint32_t> findCalledNames(clang::ASTContext &ast, const SourceText &source) {
  CallFinder finder(ast.getSourceManager(), source);
  for (clang::Decl *declaration : ast.getTranslationUnitDecl()->decls())
    if (ast.getSourceManager().isWrittenInMainFile(ast.getSourceManager().getFileLoc(declaration->getLocation())))
      finder.TraverseDecl(declaration);
  return std::move(finder.found);
}

} // namespace ptosync
