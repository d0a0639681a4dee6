#include "frontend/bodies.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <cctype>

namespace ptosync {

using clang::dyn_cast;

namespace {

/// True if the location is in the built-in declarations, the compiler's among them, in a header of the library (a path with a
/// folder "pto"), or in
/// what such a header includes.
bool isLibraryLocation(clang::SourceLocation location, const clang::SourceManager &sources) {
  location = sources.getExpansionLoc(location);
  while (location.isValid() && !sources.isWrittenInMainFile(location)) {
    llvm::StringRef name = sources.getFilename(location);
    if (name.contains("/pto/") || name.starts_with("/ptosync-prelude/"))
      return true;
    location = sources.getExpansionLoc(sources.getIncludeLoc(sources.getFileID(location)));
  }
  return false;
}

} // namespace

bool isLibraryDeclaration(const clang::Decl *declaration, const clang::ASTContext &ast) {
  if (auto *function = dyn_cast<clang::FunctionDecl>(declaration))
    if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern())
      declaration = pattern;
  for (const clang::Decl *one : declaration->redecls())
    if (!isLibraryLocation(one->getLocation(), ast.getSourceManager()))
      return false;
  return true;
}

bool isPlainSubscript(const clang::CXXMethodDecl *method) {
  const clang::FunctionDecl *definition = nullptr;
  if (!method->hasBody(definition) || definition->getNumParams() != 1)
    return false;
  auto *body = dyn_cast<clang::CompoundStmt>(definition->getBody());
  auto *result = body && body->size() == 1 ? dyn_cast<clang::ReturnStmt>(body->body_front()) : nullptr;
  auto *subscript = result && result->getRetValue()
                        ? dyn_cast<clang::ArraySubscriptExpr>(result->getRetValue()->IgnoreParenImpCasts())
                        : nullptr;
  auto *member = subscript ? dyn_cast<clang::MemberExpr>(subscript->getBase()->IgnoreParenImpCasts()) : nullptr;
  auto *index = subscript ? dyn_cast<clang::DeclRefExpr>(subscript->getIdx()->IgnoreParenImpCasts()) : nullptr;
  return member && isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) && index &&
         index->getDecl() == definition->getParamDecl(0);
}

/// Collects the mentions of functions and the uses of variables.
class MentionFinder : public clang::RecursiveASTVisitor<MentionFinder> {
public:
  explicit MentionFinder(BodyGraph &graph) : graph(graph), sources(graph.ast.getSourceManager()) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool TraverseDecl(clang::Decl *declaration) {
    auto *function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (!function)
      return RecursiveASTVisitor::TraverseDecl(declaration);
    if (function->isDependentContext())
      return !isa<clang::FunctionDecl>(declaration) || RecursiveASTVisitor::TraverseDecl(declaration);
    bool own = function->isThisDeclarationADefinition() && isOwn(function);
    const clang::FunctionDecl *outer = inside;
    if (own) {
      inside = function;
      graph.order.push_back(function);
    }
    bool result = RecursiveASTVisitor::TraverseDecl(declaration);
    inside = outer;
    return result;
  }

  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) {
    mention(lambda, lambda->getCallOperator());
    for (const clang::LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef)
        if (auto *variable = dyn_cast<clang::VarDecl>(capture.getCapturedVar()))
          graph.captured.insert(variable);
    for (clang::Expr *init : lambda->capture_inits())
      if (!TraverseStmt(init))
        return false;
    if (auto *generic = lambda->getDependentCallOperator()) {
      for (clang::FunctionDecl *instance : generic->specializations())
        if (!TraverseDecl(instance))
          return false;
      return true;
    }
    return TraverseDecl(lambda->getCallOperator());
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *reference) {
    if (auto *function = dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      mention(reference, function);
    if (auto *variable = dyn_cast<clang::VarDecl>(reference->getDecl()))
      ++graph.uses[variable].first;
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *cast) {
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      if (auto *reference = dyn_cast<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
        if (auto *variable = dyn_cast<clang::VarDecl>(reference->getDecl()))
          ++graph.uses[variable].second;
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) {
    if (auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl()))
      mention(member, method);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construct) {
    mention(construct, construct->getConstructor());
    mentionDestructor(construct, construct->getType());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) {
    if (variable->getInit())
      mentionDestructor(variable->getInit(), variable->getType());
    if (auto *cleanup = variable->getAttr<clang::CleanupAttr>())
      mention(variable->getInit(), cleanup->getFunctionDecl());
    return true;
  }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr *bound) {
    mention(bound, bound->getTemporary()->getDestructor());
    return true;
  }
  bool VisitCXXNewExpr(clang::CXXNewExpr *e) {
    mention(e, e->getOperatorNew());
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *e) {
    mention(e, e->getOperatorDelete());
    return true;
  }
  bool VisitOverloadExpr(clang::OverloadExpr *overloads) { // in a template that nobody instantiates
    for (const clang::NamedDecl *one : overloads->decls())
      if (auto *function = dyn_cast<clang::FunctionDecl>(one->getUnderlyingDecl()))
        mention(overloads, function);
    return true;
  }

private:
  bool isOwn(const clang::FunctionDecl *function) const {
    return sources.isWrittenInMainFile(sources.getExpansionLoc(function->getLocation()));
  }
  void mention(const clang::Stmt *at, const clang::FunctionDecl *function) {
    const clang::FunctionDecl *definition = nullptr;
    if (function && function->hasBody(definition) && isOwn(definition))
      graph.mentions[inside].push_back({at, definition});
  }
  void mentionDestructor(const clang::Stmt *at, clang::QualType type) {
    const clang::CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (record && record->hasDefinition() && !record->hasTrivialDestructor())
      mention(at, record->getDestructor());
  }

  BodyGraph &graph;
  const clang::SourceManager &sources;
  const clang::FunctionDecl *inside = nullptr;
};

BodyGraph::BodyGraph(clang::ASTContext &ast, const SourceText &source) : ast(ast), source(source) {
  MentionFinder finder(*this);
  for (clang::Decl *declaration : ast.getTranslationUnitDecl()->decls())
    if (ast.getSourceManager().isWrittenInMainFile(ast.getSourceManager().getExpansionLoc(declaration->getLocation())))
      finder.TraverseDecl(declaration);
}

bool BodyGraph::keepsItsValue(const clang::VarDecl *variable) const {
  if (variable->getType().isVolatileQualified())
    return false;
  if (variable->getType().isConstQualified())
    return true;
  auto found = uses.find(variable);
  return !captured.count(variable) && (found == uses.end() || found->second.first == found->second.second);
}

std::uint32_t BodyGraph::lineOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation expansion = sources.getExpansionLoc(location);
  return expansion.isValid() && sources.isWrittenInMainFile(expansion)
             ? source.position(sources.getFileOffset(expansion)).line
             : 0;
}

SourceRange BodyGraph::rangeOf(const clang::FunctionDecl *function) const {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceRange range = function->getSourceRange();
  clang::SourceLocation begin = sources.getExpansionLoc(range.getBegin());
  clang::SourceLocation end = sources.getExpansionRange(range.getEnd()).getEnd();
  return {sources.getFileOffset(begin), sources.getFileOffset(end) + 1};
}

namespace {

/// Identifiers between `#if` on line `first` and its `#endif`, and in the macros of the file.
std::set<std::string> namesInConditional(const SourceText &source, std::uint32_t first) {
  std::set<std::string> names;
  auto collect = [&](std::string_view line) {
    for (std::size_t i = 0; i < line.size();) {
      if (!std::isalpha(static_cast<unsigned char>(line[i])) && line[i] != '_') {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
        ++end;
      names.emplace(line.substr(i, end - i));
      i = end;
    }
  };
  int level = 0;
  for (std::uint32_t number = first; number <= source.lineCount(); ++number) {
    llvm::StringRef line = llvm::StringRef(source.line(number)).trim();
    collect(source.line(number));
    if (!line.consume_front("#"))
      continue;
    line = line.ltrim();
    level += line.starts_with("if") ? 1 : line.starts_with("endif") ? -1 : 0;
    if (level <= 0)
      break;
  }
  for (std::uint32_t number = 1; number <= source.lineCount(); ++number) {
    llvm::StringRef line = llvm::StringRef(source.line(number)).trim();
    if (line.starts_with("#") && line.drop_front().ltrim().starts_with("define"))
      for (std::uint32_t part = number; part <= source.lineCount(); ++part) {
        collect(source.line(part));
        if (!llvm::StringRef(source.line(part)).rtrim().ends_with("\\"))
          break;
      }
  }
  return names;
}

} // namespace

std::vector<UnreadBody> BodyGraph::unreadBodies(const std::set<const clang::Stmt *> &followed,
                                                const std::set<const clang::FunctionDecl *> &entries,
                                                const std::vector<GivenUp> &givenUp,
                                                const std::set<std::uint32_t> &conditionals) const {
  std::vector<UnreadBody> result;
  std::set<std::pair<const clang::FunctionDecl *, std::uint32_t>> known;
  std::vector<std::pair<const clang::FunctionDecl *, UnreadBody>> work;
  auto add = [&](const clang::FunctionDecl *function, std::string reason, std::uint32_t owner) {
    if (known.insert({function, owner}).second)
      work.push_back({function, {rangeOf(function), std::move(reason), owner}});
  };
  std::map<const clang::FunctionDecl *, const GivenUp *> lost;
  for (const GivenUp &kernel : givenUp) {
    lost[kernel.kernel] = &kernel;
    add(kernel.kernel, kernel.reason, kernel.line);
  }
  std::vector<const clang::FunctionDecl *> holders = order;
  holders.push_back(nullptr);
  for (const clang::FunctionDecl *function : holders) {
    auto list = mentions.find(function);
    if (list == mentions.end() || (function && lost.count(function)))
      continue; // those of a lost kernel's own text come with it
    for (const Mention &one : list->second)
      if (!followed.count(one.at))
        add(one.function,
            "line " + std::to_string(one.at ? lineOf(one.at->getBeginLoc()) : 0) + " names " +
                one.function->getNameAsString() + " in a way that was not followed",
            0);
  }
  for (std::uint32_t line : conditionals) {
    std::set<std::string> names = namesInConditional(source, line);
    for (const clang::FunctionDecl *function : order)
      if (function->getDeclName().isIdentifier() ? names.count(function->getName().str()) != 0
                                                 : isa<clang::CXXMethodDecl>(function))
        if (!entries.count(function))
          add(function, "the preprocessor condition on line " + std::to_string(line) + " selects text that may run " +
                            function->getNameAsString(), 0);
  }
  while (!work.empty()) {
    auto [function, body] = std::move(work.back());
    work.pop_back();
    if (auto list = mentions.find(function); list != mentions.end())
      for (const Mention &one : list->second)
        add(one.function, body.reason, body.owner);
    result.push_back(std::move(body));
  }
  return result;
}

} // namespace ptosync
