#include "frontend/guard/called_names.h"

#include "frontend/read/syntax_walker.h"

#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

#include <set>
#include <utility>

namespace ptosync {
namespace {

class CallFinder : public SyntaxWalker {
public:
  CallFinder(const clang::SourceManager &sources, const SourceText &source, const OwnHeaders &headers)
      : SyntaxWalker({.instantiations = true, .types = false}), sources(sources), source(source), headers(headers) {}

  std::map<std::string, std::uint32_t> found;

private:
  bool visit(clang::Stmt *statement) override {
    auto *call = llvm::dyn_cast<clang::CallExpr>(statement);
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return true;
    std::uint32_t line =
        outer ? outer : source.position(sources.getFileOffset(sources.getFileLoc(call->getBeginLoc()))).line;
    const clang::FunctionDecl *definition = nullptr;
    if (callee->hasBody(definition) && headers.holds(definition->getLocation())) {
      if (!entered.insert(definition).second)
        return true;
      std::uint32_t before = std::exchange(outer, line);
      bool result = walk(definition->getBody());
      outer = before;
      return result;
    }
    if (!callee->getDeclName().isIdentifier() || sources.isWrittenInMainFile(callee->getLocation()))
      return true;
    std::string name = callee->getName().str();
    if (name == "pipe_barrier" && call->getNumArgs() == 1)
      name += "(" + enumerator(call->getArg(0)) + ")";
    auto [entry, inserted] = found.emplace(std::move(name), line);
    if (!inserted)
      entry->second = std::min(entry->second, line);
    return true;
  }

  static std::string enumerator(const clang::Expr *argument) {
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(argument->IgnoreParenCasts());
    const auto *constant = reference ? llvm::dyn_cast<clang::EnumConstantDecl>(reference->getDecl()) : nullptr;
    return constant ? constant->getName().str() : "";
  }

  const clang::SourceManager &sources;
  const SourceText &source;
  const OwnHeaders &headers;
  std::uint32_t outer = 0; // line of the call that led into a header; 0: in the main file
  std::set<const clang::FunctionDecl *> entered;
};

} // namespace

std::map<std::string, std::uint32_t> findCalledNames(clang::ASTContext &ast, const SourceText &source,
                                                     const OwnHeaders &headers) {
  CallFinder finder(ast.getSourceManager(), source, headers);
  finder.walkMainFile(ast, SyntaxWalker::Written::File);
  return std::move(finder.found);
}

} // namespace ptosync
