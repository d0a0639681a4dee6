#include "frontend/read/host_text.h"

#include "frontend/read/raw_tokens.h"
#include "frontend/read/syntax_walker.h"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>

#include <set>

namespace ptosync {
namespace {

struct HostBody {
  clang::FunctionDecl *function = nullptr;
  std::uint32_t begin = 0, end = 0; // of its braces
};

/// Functions of the main file that have a body, but for what stands inside of another.
class HostBodyFinder : public SyntaxWalker {
public:
  explicit HostBodyFinder(const clang::SourceManager &sources) : SyntaxWalker({}), sources(sources) {}

  std::vector<HostBody> bodies;
  bool marked = false;

private:
  bool enter(clang::Decl *declaration) override {
    auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (!function)
      return walkInto(declaration);
    marked |= isMarked(function);
    const clang::Stmt *body = function->isThisDeclarationADefinition() ? function->getBody() : nullptr;
    if (body && inMainFile(body->getBeginLoc(), sources))
      bodies.push_back({function, sources.getFileOffset(sources.getExpansionLoc(body->getBeginLoc())),
                        sources.getFileOffset(sources.getExpansionLoc(body->getEndLoc()))});
    return true;
  }

  const clang::SourceManager &sources;
};

/// Offset of the brace that closes the one at `open`; npos if none does.
std::size_t closingBrace(const std::string &text, std::size_t open) {
  std::size_t found = std::string::npos;
  int depth = 0;
  forEachRawToken(text, open, Comments::Skipped, [&](const clang::Token &token, std::uint32_t begin, std::uint32_t) {
    depth += token.is(clang::tok::l_brace) ? 1 : token.is(clang::tok::r_brace) ? -1 : 0;
    if (depth == 0)
      found = begin;
    return depth != 0;
  });
  return found;
}

bool isHostFunction(const clang::FunctionDecl *function) { return !isMarked(function) && !function->isConstexpr(); }

} // namespace

bool hasMark(const clang::FunctionDecl *function, llvm::StringRef mark) {
  for (const clang::FunctionDecl *declaration : function->redecls())
    for (const auto *attribute : declaration->specific_attrs<clang::AnnotateAttr>())
      if (attribute->getAnnotation() == mark)
        return true;
  return false;
}

bool isMarked(const clang::FunctionDecl *function) {
  return hasMark(function, "ptosync_global") || hasMark(function, "ptosync_aicore");
}

bool breakHostFunctions(clang::ASTContext &ast, const std::string &text, const std::vector<std::uint32_t> &errors) {
  HostBodyFinder finder(ast.getSourceManager());
  finder.walkMainFile(ast, SyntaxWalker::Written::Expanded);
  if (!finder.marked)
    return false;
  std::set<clang::FunctionDecl *> broken;
  for (std::uint32_t error : errors) {
    bool found = false;
    for (const HostBody &body : finder.bodies)
      if (body.begin <= error && error <= body.end && isHostFunction(body.function) &&
          (broken.count(body.function) || closingBrace(text, body.begin) == body.end)) {
        broken.insert(body.function);
        found = true;
        break;
      }
    if (!found)
      return false;
  }
  for (clang::FunctionDecl *function : broken)
    function->setInvalidDecl();
  return true;
}

bool isBrokenFunction(const clang::FunctionDecl *function) {
  const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern();
  return function->isInvalidDecl() || (pattern && pattern->isInvalidDecl());
}

} // namespace ptosync
