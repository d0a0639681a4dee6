#include "frontend/lower/fifo_types.h"

#include "frontend/library/type_reader.h"
#include "frontend/read/parse.h"
#include "frontend/read/syntax_walker.h"

#include <clang/Lex/Lexer.h>

#include <map>

namespace ptosync {
namespace {

constexpr unsigned kLocalSlots = 4; // the template argument

class FifoTypeFinder : public SyntaxWalker {
public:
  FifoTypeFinder(const clang::ASTContext &ast, std::map<std::uint32_t, FifoTypeUse> &uses)
      : SyntaxWalker({}), ast(ast), sources(ast.getSourceManager()), uses(uses) {}

private:
  bool visit(clang::TypeLoc any) override {
    auto location = any.getAs<clang::TemplateSpecializationTypeLoc>();
    if (!location)
      return true;
    clang::QualType type = location.getType();
    if (objectKind(type) != ObjectKind::Fifo)
      return true;
    clang::SourceLocation begin = location.getTemplateNameLoc();
    if (!sources.isWrittenInMainFile(sources.getSpellingLoc(begin)))
      return true;
    FifoTypeUse use;
    use.type = readFifo(type);
    std::uint32_t offset = sources.getFileOffset(sources.getSpellingLoc(begin));
    use.line = sources.getSpellingLineNumber(begin);
    if (location.getNumArgs() > kLocalSlots)
      use.localSlots = literalRange(location.getArgLoc(kLocalSlots));
    uses.emplace(offset, use);
    return true;
  }

  std::optional<SourceRange> literalRange(const clang::TemplateArgumentLoc &argument) const {
    if (argument.getArgument().getKind() != clang::TemplateArgument::Expression)
      return std::nullopt;
    const clang::Expr *expression = argument.getSourceExpression()->IgnoreImplicit();
    clang::SourceLocation begin = expression->getBeginLoc();
    if (!llvm::isa<clang::IntegerLiteral>(expression) || begin.isMacroID() || !sources.isWrittenInMainFile(begin))
      return std::nullopt;
    std::uint32_t offset = sources.getFileOffset(begin);
    return SourceRange{offset, offset + clang::Lexer::MeasureTokenLength(begin, sources, ast.getLangOpts())};
  }

  const clang::ASTContext &ast;
  const clang::SourceManager &sources;
  std::map<std::uint32_t, FifoTypeUse> &uses;
};

} // namespace

llvm::Expected<std::vector<FifoTypeUse>> findFifoTypes(const SourceText &source, const FrontendOptions &options) {
  std::map<std::uint32_t, FifoTypeUse> uses; // by offset
  for (Section section : {Section::Cube, Section::Vec}) {
    llvm::Expected<ParsedSection> parsed = parseSection(source, section, options);
    if (!parsed)
      return parsed.takeError();
    clang::ASTContext &ast = parsed->unit->getASTContext();
    FifoTypeFinder finder(ast, uses);
    finder.walkMainFile(ast, SyntaxWalker::Written::Spelled);
  }
  std::vector<FifoTypeUse> list;
  for (const auto &[offset, use] : uses)
    list.push_back(use);
  return list;
}

} // namespace ptosync
