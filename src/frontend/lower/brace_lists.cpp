#include "frontend/lower/brace_lists.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <optional>

namespace ptosync {

using clang::dyn_cast;

namespace {

/// The body as the file writes it: a template's, where the function is an instance of one.
const clang::CompoundStmt *writtenBody(const clang::FunctionDecl *function) {
  const clang::FunctionDecl *definition = nullptr;
  const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern();
  if (!pattern || !pattern->hasBody(definition))
    function->hasBody(definition);
  return definition ? llvm::dyn_cast_or_null<clang::CompoundStmt>(definition->getBody()) : nullptr;
}

/// Returns true for a statement whose own last token ends it: no `;` belongs to it behind that.
bool endsItself(const clang::Stmt *statement) {
  while (statement) {
    if (isa<clang::CompoundStmt, clang::NullStmt, clang::DeclStmt, clang::CXXTryStmt>(statement))
      return true;
    if (auto *branch = dyn_cast<clang::IfStmt>(statement))
      statement = branch->getElse() ? branch->getElse() : branch->getThen();
    else if (auto *loop = dyn_cast<clang::ForStmt>(statement))
      statement = loop->getBody();
    else if (auto *loop = dyn_cast<clang::WhileStmt>(statement))
      statement = loop->getBody();
    else if (auto *loop = dyn_cast<clang::CXXForRangeStmt>(statement))
      statement = loop->getBody();
    else if (auto *chosen = dyn_cast<clang::SwitchStmt>(statement))
      statement = chosen->getBody();
    else if (auto *label = dyn_cast<clang::LabelStmt>(statement))
      statement = label->getSubStmt();
    else if (auto *label = dyn_cast<clang::SwitchCase>(statement))
      statement = label->getSubStmt();
    else if (auto *attributed = dyn_cast<clang::AttributedStmt>(statement))
      statement = attributed->getSubStmt();
    else
      return false;
  }
  return false;
}

/// The word of a statement whose parts do not run one after the other; null for any other.
const char *notFollowedWord(const clang::Stmt *statement) {
  if (isa<clang::SwitchStmt>(statement))
    return "switch";
  if (isa<clang::CaseStmt>(statement))
    return "case";
  if (isa<clang::DefaultStmt>(statement))
    return "default";
  if (isa<clang::CXXTryStmt>(statement))
    return "try";
  return isa<clang::GotoStmt, clang::IndirectGotoStmt>(statement) ? "goto" : nullptr;
}

/// True if control may go from inside a statement past what stands behind it. `inLoop`: a break stays inside.
bool mayLeave(const clang::Stmt *statement, bool inLoop = false) {
  if (!statement || isa<clang::LambdaExpr>(statement))
    return false;
  if (isa<clang::ReturnStmt>(statement))
    return true;
  if (isa<clang::BreakStmt, clang::ContinueStmt>(statement))
    return !inLoop;
  const bool loops = isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement);
  return std::any_of(statement->child_begin(), statement->child_end(),
                     [&](const clang::Stmt *child) { return mayLeave(child, inLoop || loops); });
}

class ListReader {
public:
  ListReader(const clang::ASTContext &ast, const TokenStream &file, std::vector<BraceList> &lists)
      : sources(ast.getSourceManager()), language(ast.getLangOpts()), file(file), source(file.source()), lists(lists) {}

  void readBody(const clang::CompoundStmt *body) {
    if (!isWritten(body) || std::any_of(lists.begin(), lists.end(), [&](const BraceList &known) {
          return known.open == offsetOf(body->getLBracLoc());
        }))
      return;
    root = static_cast<ListId>(lists.size());
    addList(body, ListRole::Body, kNone, kNone);
  }

private:
  struct Span {
    std::uint32_t begin, end; // behind the last token
  };

  std::uint32_t offsetOf(clang::SourceLocation at) const { return sources.getFileOffset(sources.getExpansionLoc(at)); }

  /// Returns true if both braces are the main file's own.
  bool isWritten(const clang::CompoundStmt *list) const {
    auto isOwn = [&](clang::SourceLocation brace) {
      return brace.isValid() && !brace.isMacroID() && sources.isWrittenInMainFile(brace);
    };
    return isOwn(list->getLBracLoc()) && isOwn(list->getRBracLoc());
  }

  /// Of the text that a statement comes from; none if that is not the main file's.
  std::optional<Span> spanOf(const clang::Stmt *statement) const {
    if (statement->getBeginLoc().isInvalid() || statement->getEndLoc().isInvalid())
      return std::nullopt;
    const clang::SourceLocation begin = sources.getExpansionLoc(statement->getBeginLoc());
    const clang::SourceLocation end = sources.getExpansionRange(statement->getEndLoc()).getEnd();
    if (!sources.isWrittenInMainFile(begin) || !sources.isWrittenInMainFile(end))
      return std::nullopt;
    return Span{sources.getFileOffset(begin),
                sources.getFileOffset(end) + clang::Lexer::MeasureTokenLength(end, sources, language)};
  }

  void addList(const clang::CompoundStmt *list, ListRole role, ListId parent, std::uint32_t parentChild) {
    const auto id = static_cast<ListId>(lists.size());
    BraceList &added = lists.emplace_back();
    added.open = offsetOf(list->getLBracLoc());
    added.close = offsetOf(list->getRBracLoc());
    added.role = role;
    added.parent = parent;
    added.parentChild = parentChild;
    if (parent != kNone)
      lists[parent].children[parentChild].lists.push_back(id);
    bool macro = false; // the child so far ends in what a macro makes
    for (const clang::Stmt *statement : list->body())
      if (std::optional<Span> span = spanOf(statement)) {
        addChild(id, statement, *span, macro);
        macro = statement->getEndLoc().isMacroID() && statement->getBeginLoc().isMacroID();
        collect(statement, ListRole::Block, id, static_cast<std::uint32_t>(lists[id].children.size() - 1));
      }
  }

  /// `behindMacro`: what a macro makes stands in front, and a `;` that follows belongs to it.
  void addChild(ListId list, const clang::Stmt *statement, Span span, bool behindMacro) {
    std::vector<BraceList::Child> &children = lists[list].children;
    const std::uint32_t from = children.empty() ? lists[list].open + 1 : children.back().end;
    if (!endsItself(statement))
      span.end = behindSemicolon(span.end);
    const bool empty = isa<clang::NullStmt>(statement);
    if (!children.empty() && (span.begin < from || (empty && behindMacro))) { // one statement of the text
      children.back().end = std::max(children.back().end, span.end);
      children.back().leaves = children.back().leaves || mayLeave(statement);
      return;
    }
    BraceList::Child child{span.begin, span.end, span.begin, {}, empty, mayLeave(statement)};
    if (isa<clang::ReturnStmt>(statement))
      child.jump = Jump::Function;
    else if (isa<clang::BreakStmt, clang::ContinueStmt>(statement))
      child.jump = Jump::Loop;
    settleBegin(from, child);
    children.push_back(std::move(child));
  }

  /// The first token that begins at a byte or behind it.
  std::vector<SourceToken>::const_iterator tokenFrom(std::uint32_t at) const {
    return std::lower_bound(file.tokens().begin(), file.tokens().end(), at,
                            [](const SourceToken &token, std::uint32_t byte) { return token.begin < byte; });
  }

  /// Behind the `;` that comes next, or where nothing but that would be.
  std::uint32_t behindSemicolon(std::uint32_t at) const {
    auto next = tokenFrom(at);
    return next != file.tokens().end() && next->kind == clang::tok::semi ? next->end() : at;
  }

  /// Passes the directives in front of a child. Clang lets a statement begin in the pragma that is about it.
  void settleBegin(std::uint32_t from, BraceList::Child &child) const {
    const llvm::StringRef text(source.text());
    const llvm::StringRef between = text.slice(from, child.begin), own = text.substr(child.begin);
    if (!between.contains('#') && !between.contains("_Pragma") && !own.starts_with("#") && !own.starts_with("_Pragma"))
      return;
    enum class Line : std::uint8_t { Text, Hash, Directive, Operator } line = Line::Text;
    std::optional<std::uint32_t> pragmas; // where those directly in front of the next token begin
    std::uint32_t hash = 0, depth = 0;
    for (auto token = tokenFrom(from); token != file.tokens().end(); ++token) {
      if (line == Line::Hash && !token->startsLine) {
        if (token->text != "pragma")
          pragmas.reset();
        else if (!pragmas)
          pragmas = hash;
        line = Line::Directive;
      } else if (line == Line::Operator) { // `_Pragma("...")`
        depth += token->kind == clang::tok::l_paren;
        depth -= token->kind == clang::tok::r_paren && depth > 0;
        line = depth == 0 ? Line::Text : Line::Operator;
      } else if (token->kind == clang::tok::hash && token->startsLine) {
        hash = token->begin;
        line = Line::Hash;
      } else if (line != Line::Directive || token->startsLine) {
        line = Line::Text;
        if (token->begin <= child.begin && token->text == "_Pragma") {
          pragmas = pragmas.value_or(token->begin);
          line = Line::Operator;
        } else if (token->begin < child.begin) { // text that the preprocessor leaves out
          pragmas.reset();
        } else {
          child.begin = token->begin;
          child.front = pragmas.value_or(token->begin);
          return;
        }
      }
    }
  }

  /// The lists directly inside a statement of list `parent`; `role` is that of its own braces.
  void collect(const clang::Stmt *statement, ListRole role, ListId parent, std::uint32_t child) {
    if (!statement)
      return;
    if (auto *list = dyn_cast<clang::CompoundStmt>(statement)) {
      if (isWritten(list))
        addList(list, role, parent, child);
      return;
    }
    if (const char *word = notFollowedWord(statement)) {
      std::string &problem = lists[root].notFollowed;
      if (problem.empty() && !statement->getBeginLoc().isMacroID())
        problem = "line " + std::to_string(source.position(offsetOf(statement->getBeginLoc())).line) + ": '" + word +
                  "' is not followed";
      return;
    }
    if (auto *branch = dyn_cast<clang::IfStmt>(statement)) {
      collect(branch->getThen(), ListRole::Arm, parent, child);
      collect(branch->getElse(), ListRole::Arm, parent, child);
    } else if (auto *loop = dyn_cast<clang::ForStmt>(statement)) {
      collect(loop->getBody(), ListRole::Loop, parent, child);
    } else if (auto *loop = dyn_cast<clang::WhileStmt>(statement)) {
      collect(loop->getBody(), ListRole::Loop, parent, child);
    } else if (auto *loop = dyn_cast<clang::DoStmt>(statement)) {
      collect(loop->getBody(), ListRole::Loop, parent, child);
    } else if (auto *loop = dyn_cast<clang::CXXForRangeStmt>(statement)) {
      collect(loop->getBody(), ListRole::Loop, parent, child);
    } else if (auto *attributed = dyn_cast<clang::AttributedStmt>(statement)) {
      collect(attributed->getSubStmt(), role, parent, child);
    } else if (auto *label = dyn_cast<clang::LabelStmt>(statement)) {
      collect(label->getSubStmt(), role, parent, child);
    }
  }

  const clang::SourceManager &sources;
  const clang::LangOptions &language;
  const TokenStream &file;
  const SourceText &source;
  std::vector<BraceList> &lists;
  ListId root = 0;
};

} // namespace

void addBraceLists(const clang::FunctionDecl *function, const clang::ASTContext &ast, const TokenStream &file,
                   std::vector<BraceList> &lists) {
  if (const clang::CompoundStmt *body = writtenBody(function))
    ListReader(ast, file, lists).readBody(body);
}

} // namespace ptosync
