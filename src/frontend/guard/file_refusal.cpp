#include "frontend/guard/file_refusal.h"

#include "frontend/read/conditionals.h"
#include "frontend/read/syntax_walker.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

namespace ptosync {
namespace {

/// Looks for what the linker or the loader calls by another name, or by itself.
class LinkFinder : public SyntaxWalker {
public:
  LinkFinder() : SyntaxWalker({.types = false}) {}
  std::optional<FileRefusal> found;

private:
  bool visit(clang::Decl *declaration) override {
    std::string why;
    if (llvm::isa<clang::FileScopeAsmDecl>(declaration))
      why = "what assembler text at file scope does is not followed";
    else if (auto *named = llvm::dyn_cast<clang::NamedDecl>(declaration)) {
      if (named->hasAttr<clang::AliasAttr>() || named->hasAttr<clang::AsmLabelAttr>() ||
          named->hasAttr<clang::IFuncAttr>() || named->hasAttr<clang::WeakRefAttr>())
        why = named->getNameAsString() + " has another name for the linker: what it stands for is not followed";
      else if (named->hasAttr<clang::ConstructorAttr>() || named->hasAttr<clang::DestructorAttr>())
        why = named->getNameAsString() + " runs by itself, before or behind the kernels: when is not followed";
    }
    if (!why.empty())
      found = FileRefusal{declaration->getLocation(), std::move(why)};
    return !found;
  }
};

} // namespace

std::optional<FileRefusal> fileRefusal(clang::ASTContext &ast, const OwnHeaders &headers) {
  for (const clang::Type *type : ast.getTypes())
    if (auto *array = llvm::dyn_cast<clang::VariableArrayType>(type); array && array->getSizeExpr())
      return FileRefusal{
          array->getSizeExpr()->getBeginLoc(),
          "the size of an array is computed when the kernel runs: what that runs is not followed; make it a "
          "constant"};
  const clang::SourceManager &sources = ast.getSourceManager();
  for (clang::FileID file : headers.filesOfKernel())
    if (std::uint32_t line = oddDirective(sources.getBufferData(file)))
      return FileRefusal{sources.translateLineCol(file, line, 1),
                         "a directive of the preprocessor is spelled in a way that is not followed; write it as `#if`, "
                         "in front of everything else on its line"};
  LinkFinder names;
  if (names.walkMainFile(ast, SyntaxWalker::Written::Expanded))
    headers.walk(names);
  return names.found;
}

} // namespace ptosync
