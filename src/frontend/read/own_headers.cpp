#include "frontend/read/own_headers.h"

#include "frontend/guard/bodies.h"
#include "frontend/read/syntax_walker.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

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

bool isOwnFile(clang::FileID file, const clang::SourceManager &sources) {
  if (file.isInvalid() || file == sources.getMainFileID() || !sources.getFileEntryRefForID(file))
    return false;
  clang::SourceLocation begin = sources.getLocForStartOfFile(file);
  return !sources.isInSystemHeader(begin) && !isLibraryLocation(begin, sources) &&
         !sources.getFilename(begin).starts_with("/ptosync-");
}

} // namespace

bool inOwnHeader(clang::SourceLocation location, const clang::SourceManager &sources) {
  return location.isValid() && isOwnFile(sources.getFileID(sources.getExpansionLoc(location)), sources);
}

OwnHeaders::OwnHeaders(const clang::ASTContext &ast, std::set<std::string> broken, KnownMacros macros)
    : ast(ast), broken(std::move(broken)), known(std::move(macros)) {
  for (clang::FileID file : filesOfKernel())
    addRedefined(ast.getSourceManager().getBufferData(file), known.redefined);
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
  if (isNew)
    entry->second = foreignRegions(SourceText("header", ast.getSourceManager().getBufferData(file).str()), known);
  return entry->second;
}

std::string OwnHeaders::refusal(const clang::FunctionDecl *definition) const {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation begin = sources.getExpansionLoc(definition->getBeginLoc());
  clang::SourceLocation end = sources.getExpansionLoc(definition->getEndLoc());
  clang::FileID file = sources.getFileID(begin);
  if (sources.getFileID(end) != file)
    return "it stands in more than one file";
  if (broken.count(sources.getFilename(begin).str()))
    return "the header has errors";
  std::uint32_t first = sources.getSpellingLineNumber(begin), last = sources.getSpellingLineNumber(end);
  for (const ForeignRegion &region : regionsOf(file))
    if (region.first <= last && region.last >= first)
      return "the preprocessor condition on its line " + std::to_string(region.first) +
             " selects code that is not analysed";
  if (!RecoveryFinder().SyntaxWalker::walk(definition->getBody()))
    return "the header has errors";
  return {};
}

std::string OwnHeaders::placeOf(clang::SourceLocation location) const {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation place = sources.getExpansionLoc(location);
  return llvm::sys::path::filename(sources.getFilename(place)).str() + ":" +
         std::to_string(sources.getSpellingLineNumber(place));
}

std::map<std::string, clang::FileID> OwnHeaders::files() const {
  const clang::SourceManager &sources = ast.getSourceManager();
  std::map<std::string, clang::FileID> found;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile())
      continue;
    clang::SourceLocation begin = clang::SourceLocation::getFromRawEncoding(entry.getOffset());
    if (begin.isValid() && holds(begin))
      found[sources.getFilename(begin).str()] = sources.getFileID(begin);
  }
  return found;
}

std::vector<clang::FileID> OwnHeaders::filesOfKernel() const {
  std::vector<clang::FileID> all = {ast.getSourceManager().getMainFileID()};
  for (const auto &[name, file] : files())
    all.push_back(file);
  return all;
}

std::vector<SourceText> OwnHeaders::textsOfKernel() const {
  const clang::SourceManager &sources = ast.getSourceManager();
  std::vector<SourceText> texts;
  for (clang::FileID file : filesOfKernel()) {
    llvm::StringRef name = sources.getFilename(sources.getLocForStartOfFile(file));
    texts.emplace_back(llvm::sys::path::filename(name).str(), sources.getBufferData(file).str());
  }
  return texts;
}

bool OwnHeaders::tellCoresApart() const {
  return llvm::any_of(files(), [&](const auto &file) {
    return tellsCoresApart(ast.getSourceManager().getBufferData(file.second), known.ofOneCore);
  });
}

/// Own headers stand one behind another, in the order of their names, behind the main file.
const std::map<std::string, std::uint32_t> &OwnHeaders::firstKeys() const {
  if (!keys.empty())
    return keys;
  const clang::SourceManager &sources = ast.getSourceManager();
  auto next = static_cast<std::uint32_t>(sources.getBufferData(sources.getMainFileID()).size()) + 1;
  for (const auto &[name, file] : files()) {
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

} // namespace ptosync
