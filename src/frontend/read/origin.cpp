#include "frontend/read/origin.h"

#include "frontend/read/syntax_tree.h"
#include "frontend/read/token_stream.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <set>

namespace ptosync {

namespace {

/// What the parser left where it could not make sense of the text.
class RecoveryFinder : public SyntaxWalker {
public:
  RecoveryFinder() : SyntaxWalker({}) {}

private:
  bool visit(clang::Stmt *statement) override { return !llvm::isa<clang::RecoveryExpr>(statement); }
  bool visit(clang::Decl *declaration) override { return !declaration->isInvalidDecl(); }
};

/// True for a file below a folder `pto` with the library's main header in it: a kernel's own may stand below one, too.
bool isBelowLibrary(llvm::StringRef spelled, clang::FileManager &files) {
  llvm::SmallString<128> path(spelled);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true); // "pto/../mine.hpp" is not below
  const llvm::StringRef name(path);
  for (std::size_t at = name.find("pto/"); at != llvm::StringRef::npos; at = name.find("pto/", at + 1))
    if ((at == 0 || name[at - 1] == '/') && files.getOptionalFileRef(name.take_front(at).str() + "pto/pto-inst.hpp"))
      return true;
  return false;
}

bool isOwnFile(clang::FileID file, const clang::SourceManager &sources) {
  if (file.isInvalid() || file == sources.getMainFileID() || !sources.getFileEntryRefForID(file))
    return false;
  clang::SourceLocation begin = sources.getLocForStartOfFile(file);
  return !sources.isInSystemHeader(begin) && !isLibraryLocation(begin, sources) &&
         !sources.getFilename(begin).starts_with("/ptosync-");
}

} // namespace

bool isLibraryLocation(clang::SourceLocation location, const clang::SourceManager &sources) {
  location = sources.getExpansionLoc(location);
  while (location.isValid() && !sources.isWrittenInMainFile(location)) {
    llvm::StringRef name = sources.getFilename(location);
    if (name.starts_with("/ptosync-prelude/") || isBelowLibrary(name, sources.getFileManager()))
      return true;
    location = sources.getExpansionLoc(sources.getIncludeLoc(sources.getFileID(location)));
  }
  return false;
}

bool isLibraryDeclaration(const clang::Decl *declaration, const clang::ASTContext &ast) {
  if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
    if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern())
      declaration = pattern;
  for (const clang::Decl *one : declaration->redecls())
    if (!isLibraryLocation(one->getLocation(), ast.getSourceManager()))
      return false;
  return true;
}

bool inOwnHeader(clang::SourceLocation location, const clang::SourceManager &sources) {
  return location.isValid() && isOwnFile(sources.getFileID(sources.getExpansionLoc(location)), sources);
}

OwnHeaders::OwnHeaders(const clang::ASTContext &ast, std::set<std::string> broken, KnownMacros macros,
                       const TokenStream &main)
    : ast(ast), broken(std::move(broken)), known(std::move(macros)) {
  const clang::SourceManager &sources = ast.getSourceManager();
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile())
      continue;
    clang::SourceLocation begin = clang::SourceLocation::getFromRawEncoding(entry.getOffset());
    if (begin.isValid() && holds(begin))
      headers[sources.getFilename(begin).str()] = sources.getFileID(begin);
  }
  ids.push_back(sources.getMainFileID());
  for (const auto &[name, file] : headers)
    ids.push_back(file);
  for (clang::FileID file : ids) {
    const llvm::StringRef text = sources.getBufferData(file);
    const llvm::StringRef name = sources.getFilename(sources.getLocForStartOfFile(file));
    if (file == ids.front() && text == main.source().text())
      texts.push_back(main); // scanned already, unless the parser got something in the place of launches
    else
      texts.emplace_back(SourceText(llvm::sys::path::filename(name).str(), text.str()));
    addRedefined(texts.back(), known.redefined);
  }
}

bool OwnHeaders::holds(clang::SourceLocation location) const {
  if (location.isInvalid())
    return false;
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::FileID file = sources.getFileID(sources.getExpansionLoc(location));
  auto [entry, isNew] = own.try_emplace(file, false);
  if (isNew)
    entry->second = isOwnFile(file, sources);
  return entry->second;
}

const std::vector<ForeignRegion> &OwnHeaders::regionsOf(clang::FileID file) const {
  auto [entry, isNew] = regions.try_emplace(file);
  if (isNew) {
    const auto scanned = llvm::find(ids, file); // not the first one of a header that is included several times
    entry->second = foreignRegions(
        scanned != ids.end() ? texts[static_cast<std::size_t>(scanned - ids.begin())]
                             : TokenStream(SourceText("header", ast.getSourceManager().getBufferData(file).str())),
        known);
  }
  return entry->second;
}

std::string OwnHeaders::refusal(const clang::FunctionDecl *definition) const {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation begin = sources.getExpansionLoc(definition->getBeginLoc());
  clang::SourceLocation end = sources.getExpansionLoc(definition->getEndLoc());
  clang::FileID file = sources.getFileID(begin);
  if (sources.getFileID(end) != file)
    return "its text stands in more than one file";
  if (broken.count(sources.getFilename(begin).str()))
    return "its header has errors";
  std::uint32_t first = sources.getSpellingLineNumber(begin), last = sources.getSpellingLineNumber(end);
  for (const ForeignRegion &region : regionsOf(file))
    if (region.first <= last && region.last >= first)
      return "the preprocessor condition on its line " + std::to_string(region.first) +
             " selects code that is not analysed";
  if (!RecoveryFinder().SyntaxWalker::walk(definition->getBody()))
    return "its header has errors";
  return {};
}

std::string OwnHeaders::placeOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation place = sources.getExpansionLoc(location);
  return llvm::sys::path::filename(sources.getFilename(place)).str() + ":" +
         std::to_string(sources.getSpellingLineNumber(place));
}

bool OwnHeaders::tellCoresApart() const {
  return llvm::any_of(headers, [&](const auto &file) {
    return tellsCoresApart(ast.getSourceManager().getBufferData(file.second), known.ofOneCore);
  });
}

/// Own headers stand one behind another, in the order of their names, behind the main file.
const std::map<std::string, std::uint32_t> &OwnHeaders::firstKeys() const {
  if (!keys.empty())
    return keys;
  const clang::SourceManager &sources = ast.getSourceManager();
  auto next = static_cast<std::uint32_t>(sources.getBufferData(sources.getMainFileID()).size()) + 1;
  for (const auto &[name, file] : headers) {
    keys[name] = next;
    next += static_cast<std::uint32_t>(sources.getBufferData(file).size()) + 1;
  }
  return keys;
}

std::uint32_t OwnHeaders::keyOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation place = sources.getExpansionLoc(location);
  auto first = firstKeys().find(sources.getFilename(place).str());
  return (first == keys.end() ? 0x80000000U : first->second) + sources.getFileOffset(place);
}

bool OwnHeaders::walk(SyntaxWalker &walker) const {
  for (clang::Decl *declaration : ast.getTranslationUnitDecl()->decls())
    if (holds(declaration->getLocation()) && !walker.walk(declaration))
      return false;
  return true;
}

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

/// Returns where the brace stands that closes the one at `open`, or `open` if no brace stands there; npos if none does.
std::size_t closingBrace(const TokenStream &file, std::uint32_t open) {
  const std::vector<SourceToken> &tokens = file.tokens();
  const auto at = llvm::lower_bound(tokens, open,
                                    [](const SourceToken &token, std::uint32_t place) { return token.begin < place; });
  if (at == tokens.end() || at->begin != open)
    return std::string::npos;
  if (at->kind != clang::tok::l_brace)
    return open;
  return at->partner == SourceToken::kNoPartner ? std::string::npos : tokens[at->partner].begin;
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

bool breakHostFunctions(clang::ASTContext &ast, const TokenStream &file, const std::vector<std::uint32_t> &errors) {
  HostBodyFinder finder(ast.getSourceManager());
  finder.walkMainFile(ast, SyntaxWalker::Written::Expanded);
  if (!finder.marked)
    return false;
  std::set<clang::FunctionDecl *> broken;
  for (std::uint32_t error : errors) {
    bool found = false;
    for (const HostBody &body : finder.bodies)
      if (body.begin <= error && error <= body.end && isHostFunction(body.function) &&
          (broken.count(body.function) || closingBrace(file, body.begin) == body.end)) {
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
