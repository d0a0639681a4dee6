#include "frontend/guard/file_shape.h"

#include "frontend/guard/bodies.h"
#include "frontend/read/origin.h"
#include "frontend/read/parse.h"
#include "frontend/read/syntax_tree.h"
#include "frontend/read/token_stream.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/thread.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ptosync {

namespace {

struct TokenText {
  llvm::StringRef text;
  bool apart; // from what is in front of it: `#define F(x)` is not `#define F (x)`
  bool operator==(llvm::StringRef other) const { return text == other; }
  bool operator==(const TokenText &) const = default;
};

/// The tokens that count for a section, one after the other; nothing if that cannot be told.
class SectionTokens {
public:
  SectionTokens(const TokenStream &file, Section section)
      : file(file), foreign(section == Section::Cube ? "__DAV_VEC__" : "__DAV_CUBE__") {}

  std::optional<std::vector<TokenText>> read() {
    for (const SourceToken &token : file.tokens())
      if (!take(token))
        return std::nullopt;
    finishDirective();
    if (!certain || !skips.empty())
      return std::nullopt;
    return std::move(tokens);
  }

private:
  /// Returns false if it cannot be told.
  bool take(const SourceToken &token) {
    if (token.startsLine)
      finishDirective();
    if (token.startsLine && token.kind == clang::tok::hash) {
      inDirective = true;
      return certain;
    }
    if (token.text == "__LINE__" || token.text == "__COUNTER__" || token.parted)
      return certain = false;
    if (inDirective)
      directive.push_back({token.text, token.apart});
    else
      keep({token.text, token.apart || token.startsLine});
    return certain;
  }

  void keep(const TokenText &word) {
    if (!skipped())
      tokens.push_back(word);
  }

  bool skipped() const { return std::find(skips.begin(), skips.end(), true) != skips.end(); }

  void finishDirective() {
    if (!inDirective)
      return;
    inDirective = false;
    std::vector<TokenText> words = std::exchange(directive, {});
    llvm::StringRef name = words.empty() ? llvm::StringRef() : words.front().text;
    bool opens = name == "if" || name == "ifdef" || name == "ifndef";
    if ((name == "define" || name == "undef") && words.size() > 1 &&
        (words[1] == "__DAV_CUBE__" || words[1] == "__DAV_VEC__"))
      certain = false;
    if (opens)
      skips.push_back(false);
    else if (skips.empty() && (name == "else" || name == "elif" || name == "endif"))
      certain = false;
    else if (name == "else" || name == "elif" || name == "elifdef" || name == "elifndef")
      skips.back() = false; // may be the arm that is read
    else if (name == "endif")
      skips.pop_back();
    keep({"#", true});
    for (const TokenText &word : words)
      keep(word);
    if (opens) // the directive itself counts
      skips.back() = asksForForeign(words);
  }

  bool asksForForeign(const std::vector<TokenText> &words) const {
    if (words.front() == "ifdef")
      return words.size() == 2 && words[1] == foreign;
    if (!(words.front() == "if") || words.size() < 3 || !(words[1] == "defined"))
      return false;
    return (words.size() == 3 && words[2] == foreign) ||
           (words.size() == 5 && words[2] == "(" && words[3] == foreign && words[4] == ")");
  }

  const TokenStream &file;
  llvm::StringRef foreign;
  std::vector<TokenText> tokens;
  std::vector<bool> skips; // by open condition: the arm that the reader is in is not read for the section
  std::vector<TokenText> directive;
  bool inDirective = false, certain = true;
};

} // namespace

bool sameInSection(const SourceText &before, const SourceText &after, Section section) {
  const TokenStream first(before), second(after);
  std::optional<std::vector<TokenText>> was = SectionTokens(first, section).read();
  return was && was == SectionTokens(second, section).read();
}

using clang::dyn_cast;

namespace {

class ShapeWriter : public SyntaxWalker {
public:
  ShapeWriter(clang::ASTContext &ast, FileShape &shapes)
      : SyntaxWalker({.instantiations = true, .types = false}), ast(ast), shapes(shapes),
        policy(ast.getPrintingPolicy()) {
    // Where a lambda or an unnamed type stands changes with the lines in front of it.
    policy.AnonymousTagLocations = false;
  }

private:
  bool visit(clang::Decl *declaration) override {
    if (auto *variable = dyn_cast<clang::VarDecl>(declaration); variable && variable->isFileVarDecl())
      writeVariable(variable);
    auto *function = dyn_cast<clang::FunctionDecl>(declaration);
    if (!function || !function->isThisDeclarationADefinition() || !function->getBody())
      return true;
    std::string name;
    llvm::raw_string_ostream stream(name);
    function->getNameForDiagnostic(stream, policy, /*Qualified=*/true);
    stream << ' ' << function->getType().getAsString(policy);
    stream.flush();
    while (shapes.count(name))
      name += " again";
    startShape();
    if (auto *constructor = dyn_cast<clang::CXXConstructorDecl>(function))
      for (const clang::CXXCtorInitializer *initializer : constructor->inits())
        write(initializer->getInit());
    write(function->getBody());
    shapes[name] = text;
    return true;
  }

  void startShape() {
    text.clear();
    numbers.clear();
    bySpelling.clear();
  }

  /// Of a variable of the file: it may be a lambda.
  void writeVariable(const clang::VarDecl *variable) {
    if (!variable->getInit())
      return;
    startShape();
    write(variable->getInit());
    shapes["variable " + nameOf(variable)] = text;
  }

  /// A statement of its own: nothing if it is a sync or empty, or decides about such alone.
  void writeStatement(const clang::Stmt *statement) {
    if (statement && !isSyncsAlone(statement))
      write(statement);
  }

  bool isSyncsAlone(const clang::Stmt *statement) const {
    if (isa<clang::NullStmt>(statement) || isSyncCall(statement, ast))
      return true;
    const auto *branch = dyn_cast<clang::IfStmt>(statement);
    return branch && !branch->getInit() && !branch->hasVarStorage() && !branch->isConstexpr() &&
           isPlainTest(branch->getCond()) && isListOfSyncs(branch->getThen()) &&
           (!branch->getElse() || isListOfSyncs(branch->getElse()));
  }

  bool isListOfSyncs(const clang::Stmt *statement) const {
    const auto *list = dyn_cast<clang::CompoundStmt>(statement);
    return list && llvm::all_of(list->body(), [&](const clang::Stmt *child) { return isSyncsAlone(child); });
  }

  /// Comparisons of variables with numbers and of such comparisons: whether they are asked changes nothing.
  static bool isPlainTest(const clang::Expr *expression) {
    expression = expression->IgnoreParenImpCasts();
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression))
      return (binary->isComparisonOp() || binary->isLogicalOp()) && isPlainTest(binary->getLHS()) &&
             isPlainTest(binary->getRHS());
    if (isa<clang::IntegerLiteral>(expression))
      return true;
    const auto *reference = dyn_cast<clang::DeclRefExpr>(expression);
    const auto *variable = reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    return variable && variable->isLocalVarDeclOrParm() && variable->getType()->isIntegerType() &&
           !variable->getType().isVolatileQualified();
  }

  void write(const clang::Stmt *statement) {
    if (!statement) {
      text += '-';
      return;
    }
    text += '(';
    text += std::to_string(statement->getStmtClass());
    if (auto *expression = dyn_cast<clang::Expr>(statement))
      describe(expression);
    if (auto *declared = dyn_cast<clang::DeclStmt>(statement))
      for (const clang::Decl *one : declared->decls())
        writeDeclaration(one);
    if (auto *jump = dyn_cast<clang::GotoStmt>(statement))
      text += std::string(" ") + jump->getLabel()->getNameAsString();
    if (auto *assembly = dyn_cast<clang::GCCAsmStmt>(statement))
      writeBytes(assembly->getAsmString()->getBytes());
    if (auto *attributed = dyn_cast<clang::AttributedStmt>(statement))
      for (const clang::Attr *attribute : attributed->getAttrs())
        text += std::string(" ") + attribute->getSpelling();
    if (auto *label = dyn_cast<clang::LabelStmt>(statement))
      text += std::string(" ") + label->getName();
    if (auto *call = dyn_cast<clang::CallExpr>(statement))
      markLineNumbers(call);
    bool list = isa<clang::CompoundStmt, clang::SwitchCase, clang::LabelStmt, clang::AttributedStmt, clang::IfStmt,
                    clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement);
    for (const clang::Stmt *child : statement->children())
      list ? writeStatement(child) : write(child);
    text += ')';
  }

  void writeDeclaration(const clang::Decl *declaration) {
    if (auto *value = dyn_cast<clang::ValueDecl>(declaration)) {
      text += ' ' + value->getNameAsString();
      writeType(value->getType());
      if (auto *variable = dyn_cast<clang::VarDecl>(value); variable && variable->isStaticLocal())
        text += " static";
    } else if (auto *alias = dyn_cast<clang::TypedefNameDecl>(declaration)) {
      text += ' ' + alias->getNameAsString();
      writeType(alias->getUnderlyingType().getCanonicalType());
    } else if (auto *enumeration = dyn_cast<clang::EnumDecl>(declaration)) {
      for (const clang::EnumConstantDecl *one : enumeration->enumerators())
        text += ' ' + one->getNameAsString() + ' ' + llvm::toString(one->getInitVal(), 16);
    } else if (auto *record = dyn_cast<clang::RecordDecl>(declaration)) {
      for (const clang::FieldDecl *field : record->fields()) {
        text += ' ' + field->getNameAsString();
        writeType(field->getType());
        if (field->hasInClassInitializer())
          write(field->getInClassInitializer());
      }
    }
  }

  void writeBytes(llvm::StringRef bytes) { text += ' ' + std::to_string(bytes.size()) + ':' + bytes.str(); }

  /// What the preprocessor has made may hold the number of a line, whose digits do not count.
  void writeString(const clang::StringLiteral *string) {
    const clang::SourceManager &sources = ast.getSourceManager();
    std::string bytes = string->getBytes().str();
    for (unsigned i = 0; i < string->getNumConcatenated(); ++i)
      if (sources.isWrittenInScratchSpace(sources.getSpellingLoc(string->getStrTokenLoc(i)))) {
        llvm::erase_if(bytes, llvm::isDigit);
        break;
      }
    writeBytes(bytes);
  }

  /// With the arguments of a template.
  std::string nameOf(const clang::NamedDecl *declaration) const {
    std::string name;
    llvm::raw_string_ostream stream(name);
    declaration->getNameForDiagnostic(stream, policy, /*Qualified=*/true);
    return name;
  }

  void describe(const clang::Expr *expression) {
    writeType(expression->getType());
    if (auto *reference = dyn_cast<clang::DeclRefExpr>(expression))
      writeOnce(reference->getDecl(), names, [&] { return nameOf(reference->getDecl()); });
    else if (auto *member = dyn_cast<clang::MemberExpr>(expression))
      writeOnce(member->getMemberDecl(), names, [&] { return nameOf(member->getMemberDecl()); });
    else if (auto *string = dyn_cast<clang::StringLiteral>(expression))
      writeString(string);
    else if (auto *number = dyn_cast<clang::IntegerLiteral>(expression))
      text += lineNumbers.count(number) ? " __LINE__" : ' ' + llvm::toString(number->getValue(), 16, false);
    else if (auto *real = dyn_cast<clang::FloatingLiteral>(expression))
      text += ' ' + llvm::toString(real->getValue().bitcastToAPInt(), 16, false);
    else if (auto *character = dyn_cast<clang::CharacterLiteral>(expression))
      text += ' ' + std::to_string(character->getValue());
    else if (auto *boolean = dyn_cast<clang::CXXBoolLiteralExpr>(expression))
      text += boolean->getValue() ? " true" : " false";
    else if (auto *trait = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(expression))
      writeTrait(trait);
    else if (auto *binary = dyn_cast<clang::BinaryOperator>(expression))
      text += ' ' + binary->getOpcodeStr().str();
    else if (auto *unary = dyn_cast<clang::UnaryOperator>(expression))
      text += ' ' + clang::UnaryOperator::getOpcodeStr(unary->getOpcode()).str();
  }

  /// sizeof and its like.
  void writeTrait(const clang::UnaryExprOrTypeTraitExpr *trait) {
    text += ' ' + std::to_string(trait->getKind());
    writeType(trait->getTypeOfArgument());
  }

  /// What says to a function of the file's own, or of its headers, where it was called from; not to an instruction, and
  /// nothing is computed with it on the way.
  void markLineNumbers(const clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || isLibraryDeclaration(callee, ast))
      return;
    for (const clang::Expr *argument : call->arguments())
      if (auto *number = dyn_cast<clang::IntegerLiteral>(argument->IgnoreParenImpCasts());
          number && isLineNumber(number->getLocation()))
        lineNumbers.insert(number);
  }

  /// Where __LINE__ was written, as it is or in a macro: that is another number below each line that comes or goes.
  bool isLineNumber(clang::SourceLocation at) const {
    const clang::SourceManager &sources = ast.getSourceManager();
    llvm::SmallString<32> spelled;
    while (at.isMacroID()) {
      if (sources.isMacroArgExpansion(at)) {
        at = sources.getImmediateSpellingLoc(at);
        continue;
      }
      at = sources.getImmediateExpansionRange(at).getBegin();
      if (clang::Lexer::getSpelling(sources.getSpellingLoc(at), spelled, sources, ast.getLangOpts()) == "__LINE__")
        return true;
    }
    return false;
  }

  void writeType(clang::QualType type) {
    writeOnce(type.getAsOpaquePtr(), spellings, [&] { return type.getAsString(policy); });
  }

  /// Types of tiles are long, and every use of a tile has one: each is spelled out where the function has it first and
  /// is its number from there on. Numbers go by spelling, so that equal functions have equal texts.
  template <typename Spell>
  void writeOnce(const void *what, llvm::DenseMap<const void *, std::string> &known, Spell spell) {
    auto [number, fresh] = numbers.try_emplace(what, 0);
    const std::string *first = nullptr;
    if (fresh) {
      std::string &spelling = known[what];
      if (spelling.empty())
        spelling = spell();
      auto [entry, isFirst] = bySpelling.try_emplace(spelling, static_cast<unsigned>(bySpelling.size()));
      number->second = entry->second;
      first = isFirst ? &spelling : nullptr;
    }
    (text += " '") += std::to_string(number->second);
    if (first)
      text += '=' + std::to_string(first->size()) + ':' + *first;
  }

  clang::ASTContext &ast;
  FileShape &shapes;
  clang::PrintingPolicy policy;
  llvm::DenseSet<const clang::Expr *> lineNumbers;
  std::string text;
  llvm::DenseMap<const void *, std::string> spellings, names; // by type, by declaration
  llvm::DenseMap<const void *, unsigned> numbers;             // likewise, in this function
  llvm::StringMap<unsigned> bySpelling;
};

llvm::Expected<FileShape> shapeOnThisStack(const SourceText &source, Section section, const FrontendOptions &options) {
  const TokenStream file(source);
  llvm::Expected<ParsedSection> parsed = parseSection(file, section, options);
  if (!parsed)
    return parsed.takeError();
  return shapeOf(*parsed->unit, file);
}

/// The bodies of functions, by where they begin and end in the main file.
class BodyFinder : public SyntaxWalker {
public:
  BodyFinder(const clang::SourceManager &sources, std::map<std::uint32_t, std::uint32_t> &bodies)
      : SyntaxWalker({.types = false}), sources(sources), bodies(bodies) {}

private:
  bool visit(clang::Decl *declaration) override {
    auto *function = dyn_cast<clang::FunctionDecl>(declaration);
    const clang::Stmt *body = function && function->isThisDeclarationADefinition()
                                  ? dyn_cast_or_null<clang::CompoundStmt>(function->getBody())
                                  : nullptr;
    if (body)
      add(body);
    return true;
  }
  bool visit(clang::Stmt *statement) override {
    if (auto *lambda = dyn_cast<clang::LambdaExpr>(statement))
      add(lambda->getBody());
    return true;
  }

  void add(const clang::Stmt *body) {
    // A body that a macro spells stands where the macro does, which tells nothing of it.
    if (body->getBeginLoc().isMacroID() || body->getEndLoc().isMacroID() ||
        !sources.isWrittenInMainFile(body->getBeginLoc()) || !sources.isWrittenInMainFile(body->getEndLoc()))
      return;
    std::uint32_t &end = bodies[sources.getFileOffset(body->getBeginLoc())];
    end = std::max(end, sources.getFileOffset(body->getEndLoc()));
  }

  const clang::SourceManager &sources;
  std::map<std::uint32_t, std::uint32_t> &bodies;
};

std::string wordOf(const SourceToken &token) {
  return (token.startsLine && token.text == "#" ? '\n' : ' ') + token.text.str();
}

std::string textAroundBodies(SyntaxUnit &unit, const TokenStream &file) {
  clang::ASTContext &ast = unit.getASTContext();
  const clang::SourceManager &sources = ast.getSourceManager();
  std::map<std::uint32_t, std::uint32_t> bodies;
  BodyFinder finder(sources, bodies);
  finder.walkMainFile(ast, SyntaxWalker::Written::Expanded);
  for (const clang::SourceRange &skipped : unit.skippedText()) // of another build, or of the other core
    if (sources.isWrittenInMainFile(skipped.getBegin())) {
      std::uint32_t &end = bodies[sources.getFileOffset(skipped.getBegin())];
      end = std::max(end, sources.getFileOffset(skipped.getEnd()));
    }
  std::string text;
  std::uint32_t within = 0; // the end of the body
  for (const SourceToken &token : file.tokens()) {
    if (token.begin < within)
      continue;
    if (auto body = bodies.find(token.begin); body != bodies.end())
      within = body->second;
    text += wordOf(token);
  }
  // A header is read whole: no edit changes one.
  std::map<std::string, std::string> headers;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    const clang::SourceLocation begin = clang::SourceLocation::getFromRawEncoding(entry.getOffset());
    if (!entry.isFile() || !begin.isValid() || !inOwnHeader(begin, sources))
      continue;
    std::string &words = headers[sources.getFilename(begin).str()];
    if (!words.empty())
      continue;
    const TokenStream header(SourceText("", sources.getBufferData(sources.getFileID(begin)).str()));
    for (const SourceToken &token : header.tokens())
      words += wordOf(token);
  }
  for (const auto &[name, words] : headers)
    text += words;
  return text;
}

} // namespace

FileShape shapeOf(SyntaxUnit &unit, const TokenStream &file) {
  clang::ASTContext &ast = unit.getASTContext();
  FileShape shapes;
  ShapeWriter writer(ast, shapes);
  writer.walkMainFile(ast, SyntaxWalker::Written::Expanded);
  shapes[kAroundBodies] = textAroundBodies(unit, file);
  return shapes;
}

llvm::Expected<FileShape> fileShape(const SourceText &source, Section section, const FrontendOptions &options) {
  constexpr unsigned kStackBytes = 256u << 20; // as when the file was lifted
  std::optional<llvm::Expected<FileShape>> shape;
  llvm::thread worker(std::optional<unsigned>(kStackBytes),
                      [&] { shape.emplace(shapeOnThisStack(source, section, options)); });
  worker.join();
  return std::move(*shape);
}

std::vector<std::string> differingFunctions(const FileShape &before, const FileShape &after) {
  std::vector<std::string> names;
  for (const auto &[name, shape] : before)
    if (auto other = after.find(name); other == after.end() || other->second != shape)
      names.push_back(name);
  for (const auto &[name, shape] : after)
    if (!before.count(name))
      names.push_back(name);
  return names;
}

} // namespace ptosync
