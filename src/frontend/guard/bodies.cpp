#include "frontend/guard/bodies.h"

#include "frontend/library/names.h"
#include "frontend/library/types.h"
#include "frontend/read/syntax_tree.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace ptosync {

using clang::dyn_cast;

bool isSyncName(llvm::StringRef name) {
  return name == "set_flag" || name == "wait_flag" || name == "pipe_barrier" || name == kGetBuffer ||
         name == kReleaseBuffer;
}

bool isSyncCall(const clang::Stmt *statement, const clang::ASTContext &ast) {
  auto *expression = dyn_cast<clang::Expr>(statement);
  auto *call = expression ? dyn_cast<clang::CallExpr>(expression->IgnoreParenImpCasts()->IgnoreImplicit()) : nullptr;
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return callee && callee->getDeclName().isIdentifier() && isSyncName(callee->getName()) &&
         isLibraryDeclaration(callee, ast);
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
class MentionFinder : public SyntaxWalker {
public:
  explicit MentionFinder(BodyGraph &graph)
      : SyntaxWalker({.instantiations = true, .implicitCode = true}), graph(graph),
        sources(graph.ast.getSourceManager()) {}

private:
  bool enter(clang::Decl *declaration) override {
    auto *function = dyn_cast<clang::FunctionDecl>(declaration);
    if (!function || function->isDependentContext())
      return walkInto(declaration);
    bool own = function->isThisDeclarationADefinition() && isOwn(function);
    const clang::FunctionDecl *outer = inside;
    if (own) {
      inside = function;
      graph.order.push_back(function);
    }
    bool result = walkInto(declaration);
    inside = outer;
    return result;
  }

  bool enter(clang::LambdaExpr *lambda) override {
    mention(lambda, lambda->getCallOperator());
    for (const clang::LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef)
        if (auto *variable = dyn_cast<clang::VarDecl>(capture.getCapturedVar()))
          graph.captured.insert(variable);
    for (clang::Expr *init : lambda->capture_inits())
      if (!walk(init))
        return false;
    if (auto *generic = lambda->getDependentCallOperator()) {
      for (clang::FunctionDecl *instance : generic->specializations())
        if (!walk(instance))
          return false;
      return true;
    }
    return walk(lambda->getCallOperator());
  }

  bool visit(clang::Decl *declaration) override {
    auto *variable = dyn_cast<clang::VarDecl>(declaration);
    if (!variable)
      return true;
    if (isa<clang::DecompositionDecl>(variable) && isFifo(variable->getType()))
      graph.fifoMembers = true;
    if (variable->getInit())
      mentionDestructor(variable->getInit(), variable->getType());
    if (auto *cleanup = variable->getAttr<clang::CleanupAttr>())
      mention(variable->getInit(), cleanup->getFunctionDecl());
    return true;
  }

  bool visit(clang::Stmt *statement) override {
    if (auto *reference = dyn_cast<clang::DeclRefExpr>(statement))
      noteUse(reference);
    else if (auto *value = dyn_cast<clang::StmtExpr>(statement))
      values.insert(value->getSubStmt());
    else if (auto *list = dyn_cast<clang::CompoundStmt>(statement))
      noteUnused(list);
    else if (auto *cast = dyn_cast<clang::ImplicitCastExpr>(statement))
      noteLoad(cast);
    else if (auto *member = dyn_cast<clang::MemberExpr>(statement)) {
      if (isFifo(member->getBase()->getType()))
        graph.fifoMembers = true;
      mention(member, dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl()));
    } else if (auto *operation = dyn_cast<clang::BinaryOperator>(statement))
      graph.fifoMembers |= operation->isPtrMemOp() && isFifo(operation->getLHS()->getType());
    else if (auto *construct = dyn_cast<clang::CXXConstructExpr>(statement)) {
      mention(construct, construct->getConstructor());
      mentionDestructor(construct, construct->getType());
    } else if (auto *bound = dyn_cast<clang::CXXBindTemporaryExpr>(statement))
      mention(bound, bound->getTemporary()->getDestructor());
    else if (auto *made = dyn_cast<clang::CXXNewExpr>(statement))
      mention(made, made->getOperatorNew());
    else if (auto *deleted = dyn_cast<clang::CXXDeleteExpr>(statement))
      mention(deleted, deleted->getOperatorDelete());
    else if (auto *overloads = dyn_cast<clang::OverloadExpr>(statement)) // in a template that nobody instantiates
      for (const clang::NamedDecl *one : overloads->decls())
        mention(overloads, dyn_cast<clang::FunctionDecl>(one->getUnderlyingDecl()));
    return true;
  }

  static bool isFifo(clang::QualType type) {
    type = type.getNonReferenceType();
    return objectKind(type->isPointerType() ? type->getPointeeType() : type) == ObjectKind::Fifo;
  }

  void noteUse(const clang::DeclRefExpr *reference) {
    if (auto *function = dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      mention(reference, function);
    if (auto *variable = dyn_cast<clang::VarDecl>(reference->getDecl()))
      ++graph.uses[variable].first;
  }

  /// The value of a name that is a whole statement goes nowhere: nobody can call it.
  void noteUnused(const clang::CompoundStmt *list) {
    for (const clang::Stmt *one : list->body())
      if (auto *expression = dyn_cast<clang::Expr>(one))
        if (auto *reference = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParens());
            reference && !(values.count(list) && list->body_back() == one))
          graph.unused.insert(reference);
  }

  /// The value of a variable, or of an element of an array, is read and nothing else.
  void noteLoad(const clang::ImplicitCastExpr *cast) {
    if (cast->getCastKind() != clang::CK_LValueToRValue)
      return;
    const clang::Expr *read = cast->getSubExpr()->IgnoreParens();
    if (auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(read))
      if (auto *decay = dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
          decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay)
        read = decay->getSubExpr()->IgnoreParens();
    if (auto *reference = dyn_cast<clang::DeclRefExpr>(read))
      if (auto *variable = dyn_cast<clang::VarDecl>(reference->getDecl()))
        ++graph.uses[variable].second;
  }

  bool isOwn(const clang::FunctionDecl *function) const {
    return inMainFile(function->getLocation(), sources) || graph.headers.holds(function->getLocation());
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
  std::set<const clang::CompoundStmt *> values; // of statement expressions: their last statement is what they give
};

BodyGraph::BodyGraph(clang::ASTContext &ast, const SourceText &source, const OwnHeaders &headers)
    : ast(ast), source(source), headers(headers) {
  MentionFinder finder(*this);
  headers.walk(finder);
  finder.walkMainFile(ast, SyntaxWalker::Written::Expanded);
}

bool BodyGraph::keepsItsValue(const clang::VarDecl *variable) const {
  if (variable->getType().isVolatileQualified())
    return false;
  if (variable->getType().isConstQualified())
    return true;
  if (!inMainFile(variable->getLocation(), ast.getSourceManager()) && !headers.holds(variable->getLocation()))
    return false; // nobody looked at its uses
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
  if (!inMainFile(function->getLocation(), sources))
    return {}; // nothing there is edited anyway
  clang::SourceRange range = function->getSourceRange();
  clang::SourceLocation begin = sources.getExpansionLoc(range.getBegin());
  clang::SourceLocation end = sources.getExpansionRange(range.getEnd()).getEnd();
  return {sources.getFileOffset(begin), sources.getFileOffset(end) + 1};
}

std::string BodyGraph::whereIs(const Mention &mention) const {
  clang::SourceLocation place = mention.at ? mention.at->getBeginLoc() : clang::SourceLocation();
  return headers.holds(place) ? headers.placeOf(place) : "line " + std::to_string(mention.at ? lineOf(place) : 0);
}

std::vector<UnreadBody> BodyGraph::unreadBodies(const std::set<const clang::Stmt *> &followed,
                                                const std::set<const clang::FunctionDecl *> &entries,
                                                const std::vector<GivenUp> &givenUp) const {
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
    for (const Mention &one : list->second) {
      bool launch = unused.count(one.at) && entries.count(one.function) && !lost.count(one.function);
      if (!followed.count(one.at) && !launch)
        add(one.function,
            whereIs(one) + " names " + one.function->getNameAsString() + " in a way that was not followed", 0);
    }
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
