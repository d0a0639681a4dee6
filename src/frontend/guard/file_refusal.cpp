#include "frontend/guard/file_refusal.h"

#include "frontend/library/types.h"
#include "frontend/read/conditions.h"
#include "frontend/read/syntax_tree.h"
#include "frontend/read/token_stream.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>

#include <set>

namespace ptosync {

namespace {

constexpr llvm::StringLiteral kMarks[] = {"AICORE",   "__aicore__", "__global__", "__gm__", "__ubuf__",
                                          "__cbuf__", "__ca__",     "__cb__",     "__cc__"};
constexpr llvm::StringLiteral kMarkBodies[] = {"[", "]", "aicore", "inline", "__inline__"};
constexpr llvm::StringLiteral kNoText[] = {"if",       "ifdef", "ifndef", "elif",  "elifdef",
                                           "elifndef", "else",  "endif",  "error", "warning"};
constexpr llvm::StringLiteral kHeaders[] = {
    "<cstdint>", "<stdint.h>", "<cstddef>", "<stddef.h>",           "<cstdio>",
    "<stdio.h>", "<iostream>", "<string>",  "\"pto/pto-inst.hpp\"", "<pto/pto-inst.hpp>"};

/// A directive, or a word of what is none.
struct Piece {
  std::uint32_t line = 0;
  bool directive = false;
  std::vector<std::string> words; // "#", "define", ...
  bool spliced = false;           // a word of it stands on two lines
  bool numbered = false;          // a character of a name in it is spelled by its number, `\u00e9`
};

std::vector<Piece> piecesOf(const TokenStream &file) {
  std::vector<Piece> pieces;
  for (const SourceToken &token : file.tokens()) {
    if (token.startsLine || pieces.empty() || !pieces.back().directive)
      pieces.push_back({token.line, token.startsLine && token.kind == clang::tok::hash, {}});
    pieces.back().words.push_back(token.text.str());
    pieces.back().spliced |= token.parted;
    pieces.back().numbered |= token.isIdentifier() && token.text.contains('\\');
  }
  return pieces;
}

bool marksOnly(const Piece &directive) {
  if (directive.words.size() < 3 || !llvm::is_contained(kMarks, llvm::StringRef(directive.words[2])))
    return false;
  return std::all_of(directive.words.begin() + 3, directive.words.end(), [](const std::string &word) {
    return word == kAicoreMacro || llvm::is_contained(kMarkBodies, llvm::StringRef(word));
  });
}

bool isTheSameProgram(const Piece &piece) {
  const std::vector<std::string> &words = piece.words;
  if (!piece.directive || piece.spliced)
    return false;
  llvm::StringRef kind = words.size() > 1 ? llvm::StringRef(words[1]) : "";
  if (kind.empty() || llvm::is_contained(kNoText, kind))
    return true;
  if (kind == "define" || kind == "undef")
    return marksOnly(piece);
  if (kind == "pragma")
    return words.size() > 3 && (words[2] == "GCC" || words[2] == "clang") && words[3] == "diagnostic";
  if (kind != "include")
    return false;
  std::string header;
  for (std::size_t i = 2; i < words.size(); ++i)
    header += words[i];
  return llvm::is_contained(kHeaders, llvm::StringRef(header));
}

class KernelTexts {
public:
  KernelTexts(const std::vector<TokenStream> &files, std::vector<std::vector<ForeignRegion>> regions)
      : regions(std::move(regions)) {
    for (const TokenStream &file : files)
      pieces.push_back(piecesOf(file));
  }

  /// The first line of a file in such a region that is not the same program without it, and that region's.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> firstSelected(std::size_t file) const {
    for (const Piece &piece : pieces[file])
      for (const ForeignRegion &region : regions[file]) { // the inner ones come first
        if (!region.contains(piece.line))
          continue;
        if (isTheSameProgram(piece) || isUnusedDefault(file, region))
          break;
        return std::pair(piece.line, region.first);
      }
    return std::nullopt;
  }

private:
  /// `#ifndef NAME`, `#define NAME ...`, `#endif`, and no other use of the name.
  bool isUnusedDefault(std::size_t file, const ForeignRegion &region) const {
    std::vector<const Piece *> inside;
    for (const Piece &piece : pieces[file])
      if (region.contains(piece.line))
        inside.push_back(&piece);
    auto asks = [&](std::size_t at, llvm::StringRef kind) {
      return inside[at]->directive && inside[at]->words.size() > 2 && inside[at]->words[1] == kind;
    };
    if (inside.size() != 3 || !asks(0, "ifndef") || !asks(1, "define") || inside[0]->words[2] != inside[1]->words[2])
      return false;
    return !isUsedOutside(file, region, inside[0]->words[2]);
  }

  bool isUsedOutside(std::size_t own, const ForeignRegion &region, const std::string &name) const {
    for (std::size_t file = 0; file < pieces.size(); ++file)
      for (const Piece &piece : pieces[file]) {
        if (file == own && region.contains(piece.line))
          continue;
        // What is put together (`##`, `%:%:`) or spelled by numbers may be any word.
        auto mayBe = [&](const std::string &word) {
          return word == name || word == "##" || word == "\\" || (piece.directive && word == "%");
        };
        if (piece.spliced || piece.numbered || llvm::any_of(piece.words, mayBe))
          return true;
      }
    return false;
  }

  std::vector<std::vector<ForeignRegion>> regions; // by file
  std::vector<std::vector<Piece>> pieces;          // by file
};

/// A macro whose value is not certain, outside of a condition: what stands there is another text in another build.
std::optional<SelectedText> uncertainMention(const TokenStream &file, const std::string &prefix,
                                             const KnownMacros &known) {
  llvm::StringSet<> uncertain; // asked once for each name, not for each word of the text
  for (const MacroAnswers &answers : known.builds)
    for (const auto &[name, answer] : answers)
      if (isUncertain(name, known))
        uncertain.insert(name);
  bool inCondition = false;
  for (const SourceToken &token : file.tokens()) {
    if (token.startsLine) {
      llvm::StringRef line = llvm::StringRef(file.source().line(token.line)).ltrim();
      inCondition = line.consume_front("#") && (line.ltrim().starts_with("if") || line.ltrim().starts_with("el"));
    }
    if (!inCondition && uncertain.contains(token.text))
      return SelectedText{prefix + std::to_string(token.line), "", token.text.str(), true};
  }
  return std::nullopt;
}

std::string macroAskedFor(const TokenStream &file, std::uint32_t line, const KnownMacros &known) {
  llvm::StringRef asked = llvm::StringRef(file.source().line(line)).split("//").first.ltrim();
  asked.consume_front("#");
  asked = asked.ltrim().drop_while([](char c) { return c >= 'a' && c <= 'z'; });
  std::vector<std::string> open = openNames(asked, known);
  return open.empty() ? "" : open.front();
}

} // namespace

std::optional<SelectedText> selectedText(const std::vector<TokenStream> &files, KnownMacros known) {
  if (llvm::any_of(files, decidesSimulator))
    for (MacroAnswers &answers : known.builds)
      std::erase_if(answers, [](const auto &macro) { return macro.first.starts_with("__CPU_SIM"); });
  auto prefixOf = [&](std::size_t file) {
    return file == 0 ? std::string("line ") : files[file].source().name() + ":";
  };
  std::vector<std::vector<ForeignRegion>> regions;
  regions.reserve(files.size());
  for (const TokenStream &file : files)
    regions.push_back(foreignRegions(file, known));
  if (!llvm::all_of(regions, [](const auto &ofFile) { return ofFile.empty(); })) { // few files are cut into words
    const KernelTexts texts(files, std::move(regions));
    for (std::size_t file = 0; file < files.size(); ++file)
      if (auto found = texts.firstSelected(file)) {
        std::string macro = macroAskedFor(files[file], found->second, known);
        bool ofChip = isUncertain(macro, known);
        return SelectedText{prefixOf(file) + std::to_string(found->first),
                            prefixOf(file) + std::to_string(found->second), std::move(macro), ofChip};
      }
  }
  if (known.builds.size() > 1)
    for (std::size_t file = 0; file < files.size(); ++file)
      if (std::optional<SelectedText> found = uncertainMention(files[file], prefixOf(file), known))
        return found;
  return std::nullopt;
}

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
      why = "the file has assembler text outside of functions, and the tool does not follow what that does";
    else if (auto *named = llvm::dyn_cast<clang::NamedDecl>(declaration)) {
      if (named->hasAttr<clang::AliasAttr>() || named->hasAttr<clang::AsmLabelAttr>() ||
          named->hasAttr<clang::IFuncAttr>() || named->hasAttr<clang::WeakRefAttr>())
        why = named->getNameAsString() +
              " has another name for the linker, and the tool does not follow calls by that name";
      else if (named->hasAttr<clang::ConstructorAttr>() || named->hasAttr<clang::DestructorAttr>())
        why = named->getNameAsString() +
              " runs by itself before or after the kernels, and the tool does not follow when; take the attribute out";
      else if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(named);
               function && function->hasAttr<clang::WeakAttr>() && function->doesThisDeclarationHaveABody())
        why = named->getNameAsString() +
              " is weak, so the linker may put another body in its place; take the attribute out";
    }
    if (!why.empty())
      found = FileRefusal{declaration->getLocation(), std::move(why)};
    return !found;
  }
};

/// Returns true if the head of a template names something of its own arguments: whether that is there decides whether
/// the template is meant.
class HeadAsks : public SyntaxWalker {
public:
  explicit HeadAsks(const clang::Stmt *body) : SyntaxWalker({}), body(body) {}
  bool found = false;

private:
  bool visit(clang::Stmt *statement) override {
    found = found || llvm::isa<clang::DependentScopeDeclRefExpr, clang::CXXDependentScopeMemberExpr,
                               clang::UnresolvedLookupExpr, clang::UnresolvedMemberExpr>(statement);
    return !found && statement != body; // which comes last
  }
  bool visit(clang::TypeLoc type) override {
    found = found || type.getAs<clang::DependentNameTypeLoc>();
    return !found;
  }
  const clang::Stmt *body;
};

/// Looks for templates of the file of which Clang chooses one by what a name of the library is, or by whether it is
/// there, and for what the file asks of the library's classes. The built-in declarations lack names of the library, and
/// have others for types.
class ChoiceFinder : public SyntaxWalker {
public:
  ChoiceFinder() : SyntaxWalker({.instantiations = true}) {}
  std::optional<FileRefusal> found;

private:
  std::set<const clang::Stmt *> counts; // arguments of the compiler's own functions

  static bool isOverloaded(const clang::FunctionDecl *function) {
    const auto all = function->getDeclContext()->getRedeclContext()->lookup(function->getDeclName());
    return std::distance(all.begin(), all.end()) > 1;
  }

  static bool ofCallResult(llvm::ArrayRef<clang::TemplateArgument> arguments) {
    return llvm::any_of(arguments, [](const clang::TemplateArgument &argument) {
      return argument.getKind() == clang::TemplateArgument::Pack   ? ofCallResult(argument.getPackAsArray())
             : argument.getKind() == clang::TemplateArgument::Type ? isCallResult(argument.getAsType())
                                                                   : false;
    });
  }

  static bool asks(clang::Decl *declaration, const clang::Stmt *body) {
    HeadAsks head(body);
    head.walk(declaration);
    return head.found;
  }

  /// Whether one of several was chosen, or may be, for another reason than in the library's own build.
  static bool isChosen(clang::Decl *declaration) {
    if (auto *partial = llvm::dyn_cast<clang::ClassTemplatePartialSpecializationDecl>(declaration))
      return asks(partial, nullptr);
    if (auto *partial = llvm::dyn_cast<clang::VarTemplatePartialSpecializationDecl>(declaration))
      return asks(partial, nullptr);
    if (auto *made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration))
      return ofCallResult(made->getTemplateArgs().asArray());
    if (auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
      return isOverloaded(pattern->getTemplatedDecl()) && asks(pattern, pattern->getTemplatedDecl()->getBody());
    auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    const clang::TemplateArgumentList *arguments = function ? function->getTemplateSpecializationArgs() : nullptr;
    return arguments && ofCallResult(arguments->asArray()) && isOverloaded(function);
  }

  /// An object of the library's, or one that holds such an object.
  static bool ofLibrary(clang::QualType type) {
    const clang::Type *element = type.getNonReferenceType()->getBaseElementTypeUnsafe();
    if (objectKind(clang::QualType(element, 0)) != ObjectKind::None || isCallResult(clang::QualType(element, 0)))
      return true;
    const clang::CXXRecordDecl *record = element->getAsCXXRecordDecl();
    record = record ? record->getDefinition() : nullptr;
    return record && (llvm::any_of(record->bases(), [](const auto &base) { return ofLibrary(base.getType()); }) ||
                      llvm::any_of(record->fields(), [](const auto *field) { return ofLibrary(field->getType()); }));
  }

  static bool isMeasured(clang::Stmt *statement) {
    if (auto *size = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(statement))
      return ofLibrary(size->getTypeOfArgument());
    if (auto *offset = llvm::dyn_cast<clang::OffsetOfExpr>(statement))
      return ofLibrary(offset->getTypeSourceInfo()->getType());
    auto *trait = llvm::dyn_cast<clang::TypeTraitExpr>(statement);
    return trait && llvm::any_of(trait->getArgs(), [](const auto *of) { return ofLibrary(of->getType()); });
  }

  bool visit(clang::Stmt *statement) override {
    if (auto *called = llvm::dyn_cast<clang::CallExpr>(statement);
        called && called->getDirectCallee() && called->getDirectCallee()->getBuiltinID() != 0)
      for (clang::Expr *argument : called->arguments()) // `memset(&t, 0, sizeof t)`: how many bytes is not followed
        counts.insert(argument->IgnoreParenImpCasts());
    if (isMeasured(statement) && !counts.count(statement))
      found =
          FileRefusal{statement->getBeginLoc(),
                      "the size or a trait of a class of the library is asked for, and its built-in declaration has "
                      "another; give the library's headers (--pto-include)"};
    return !found;
  }

  bool visit(clang::Decl *declaration) override {
    if (isChosen(declaration))
      found = FileRefusal{declaration->getLocation(),
                          "which template is meant depends on a name of the library, and the built-in declarations do "
                          "not have all of them; give the library's headers (--pto-include)"};
    return !found;
  }
};

/// True if the built-in declarations stand for the library's.
bool hasBuiltInLibrary(clang::ASTContext &ast) {
  return !ast.getTranslationUnitDecl()->lookup(&ast.Idents.get("ptosync_any")).empty();
}

} // namespace

std::optional<FileRefusal> fileRefusal(clang::ASTContext &ast, const OwnHeaders &headers) {
  for (const clang::Type *type : ast.getTypes())
    if (auto *array = llvm::dyn_cast<clang::VariableArrayType>(type); array && array->getSizeExpr())
      return FileRefusal{
          array->getSizeExpr()->getBeginLoc(),
          "the size of an array is computed when the kernel runs: what that runs is not followed; make it a "
          "constant"};
  const clang::SourceManager &sources = ast.getSourceManager();
  for (std::size_t file = 0; file < headers.filesOfKernel().size(); ++file)
    if (std::uint32_t line = oddDirective(headers.textsOfKernel()[file]))
      return FileRefusal{sources.translateLineCol(headers.filesOfKernel()[file], line, 1),
                         "a directive of the preprocessor is spelled in a way that is not followed; write it as `#if`, "
                         "in front of everything else on its line"};
  LinkFinder names;
  if (names.walkMainFile(ast, SyntaxWalker::Written::Expanded))
    headers.walk(names);
  ChoiceFinder choices;
  if (!names.found && hasBuiltInLibrary(ast) && choices.walkMainFile(ast, SyntaxWalker::Written::Expanded))
    headers.walk(choices);
  return names.found ? names.found : choices.found;
}

} // namespace ptosync
