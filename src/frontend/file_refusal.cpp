#include "frontend/file_refusal.h"

#include "frontend/conditionals.h"
#include "frontend/syntax_walker.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/Path.h>

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

std::vector<clang::FileID> ownFiles(const clang::ASTContext &ast, const OwnHeaders &headers) {
  std::vector<clang::FileID> files = {ast.getSourceManager().getMainFileID()};
  for (const auto &[name, file] : headers.files())
    files.push_back(file);
  return files;
}

} // namespace

std::vector<SourceText> ownTexts(const clang::ASTContext &ast, const OwnHeaders &headers) {
  std::vector<SourceText> texts;
  for (clang::FileID file : ownFiles(ast, headers)) {
    const clang::SourceManager &sources = ast.getSourceManager();
    llvm::StringRef name = sources.getFilename(sources.getLocForStartOfFile(file));
    texts.emplace_back(llvm::sys::path::filename(name).str(), sources.getBufferData(file).str());
  }
  return texts;
}

std::optional<FileRefusal> fileRefusal(clang::ASTContext &ast, const OwnHeaders &headers,
                                       const SelectedText &selected) {
  for (const clang::Type *type : ast.getTypes())
    if (auto *array = llvm::dyn_cast<clang::VariableArrayType>(type); array && array->getSizeExpr())
      return FileRefusal{
          array->getSizeExpr()->getBeginLoc(),
          "the size of an array is computed when the kernel runs: what that runs is not followed; make it a "
          "constant"};
  const clang::SourceManager &sources = ast.getSourceManager();
  const std::vector<clang::FileID> files = ownFiles(ast, headers);
  for (clang::FileID file : files)
    if (std::uint32_t line = oddDirective(sources.getBufferData(file)))
      return FileRefusal{sources.translateLineCol(file, line, 1),
                         "a directive of the preprocessor is spelled in a way that is not followed; write it as `#if`, "
                         "in front of everything else on its line"};
  if (const std::optional<SelectedUse> &use = selected.use())
    return FileRefusal{sources.translateLineCol(files[use->file], use->line, 1), use->why};
  LinkFinder names;
  if (names.walkMainFile(ast, SyntaxWalker::Written::Expanded))
    headers.walk(names);
  return names.found;
}

} // namespace ptosync
