#include "frontend/read/syntax_tree.h"

#include "base/file_answers.h"
#include "base/read_files.h"
#include "frontend/read/origin.h"
#include "frontend/read/token_stream.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace ptosync {

bool inMainFile(clang::SourceLocation location, const clang::SourceManager &sources) {
  return location.isValid() && sources.isWrittenInMainFile(sources.getExpansionLoc(location));
}

class SyntaxWalker::Visitor : public clang::RecursiveASTVisitor<Visitor> {
  using Base = clang::RecursiveASTVisitor<Visitor>;

public:
  explicit Visitor(SyntaxWalker &walker) : walker(walker) {}
  bool shouldVisitTemplateInstantiations() const { return walker.reach.instantiations; }
  bool shouldVisitImplicitCode() const { return walker.reach.implicitCode; }

  bool VisitStmt(clang::Stmt *statement) { return walker.visit(statement); }
  bool VisitDecl(clang::Decl *declaration) { return walker.visit(declaration); }
  bool VisitTypeLoc(clang::TypeLoc location) { return walker.visit(location); }
  bool TraverseTypeLoc(clang::TypeLoc location) { return !walker.reach.types || Base::TraverseTypeLoc(location); }
  bool TraverseDecl(clang::Decl *declaration) { return !declaration || walker.enter(declaration); }
  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) { return walker.enter(lambda); }
  bool traverse(clang::Decl *declaration) { return Base::TraverseDecl(declaration); }
  bool traverse(clang::LambdaExpr *lambda) { return Base::TraverseLambdaExpr(lambda); }

private:
  SyntaxWalker &walker;
};

SyntaxWalker::~SyntaxWalker() = default;

bool SyntaxWalker::walk(clang::Decl *declaration) { return Visitor(*this).TraverseDecl(declaration); }

bool SyntaxWalker::walk(clang::Stmt *statement) { return Visitor(*this).TraverseStmt(statement); }

bool SyntaxWalker::walkInto(clang::Decl *declaration) { return Visitor(*this).traverse(declaration); }

bool SyntaxWalker::walkInto(clang::LambdaExpr *lambda) { return Visitor(*this).traverse(lambda); }

bool SyntaxWalker::walkMainFile(clang::ASTContext &ast, Written written) {
  const clang::SourceManager &sources = ast.getSourceManager();
  for (clang::Decl *declaration : ast.getTranslationUnitDecl()->decls()) {
    clang::SourceLocation at = declaration->getLocation();
    at = written == Written::Spelled    ? sources.getSpellingLoc(at)
         : written == Written::Expanded ? sources.getExpansionLoc(at)
                                        : sources.getFileLoc(at);
    if (sources.isWrittenInMainFile(at) && !walk(declaration))
      return false;
  }
  return true;
}

namespace {

/// Of the class itself, and of the class that it derives from.
bool isEventClass(llvm::StringRef name) { return name == "Event" || name == "EventBase"; }

bool isEventMember(const clang::FunctionDecl *function) {
  if (!function->getDeclName().isIdentifier()) // operators and constructors; conversions and destructors tell as much
    return true;
  static const llvm::StringSet<> kMembers = {"Wait", "WaitImpl", "Init", "InitImpl", "Record", "self"};
  return kMembers.contains(function->getName());
}

const clang::FunctionDecl *asFunction(const clang::Decl *declaration) {
  if (auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
    return pattern->getTemplatedDecl();
  return llvm::dyn_cast<clang::FunctionDecl>(declaration);
}

/// The call of `Wait` as it is written without arguments.
void instantiateWait(clang::Sema &sema, const clang::CXXRecordDecl *record) {
  for (clang::Decl *member : record->decls()) {
    auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    if (!pattern || !pattern->getDeclName().isIdentifier() || pattern->getName() != "Wait")
      continue;
    llvm::SmallVector<clang::TemplateArgument> arguments;
    for (clang::NamedDecl *parameter : *pattern->getTemplateParameters()) {
      auto *number = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(parameter);
      clang::Expr::EvalResult value;
      if (!number || !number->hasDefaultArgument() || number->getType()->isDependentType())
        return;
      const clang::Expr *given = number->getDefaultArgument().getArgument().getAsExpr();
      if (given->isValueDependent() || !given->EvaluateAsInt(value, sema.Context))
        return;
      llvm::APSInt bits =
          value.Val.getInt().extOrTrunc(static_cast<unsigned>(sema.Context.getIntWidth(number->getType())));
      bits.setIsSigned(number->getType()->isSignedIntegerOrEnumerationType());
      arguments.emplace_back(sema.Context, bits, number->getType().getUnqualifiedType());
    }
    auto *list = clang::TemplateArgumentList::CreateCopy(sema.Context, arguments);
    if (clang::FunctionDecl *wait = sema.InstantiateFunctionDeclaration(pattern, list, pattern->getLocation()))
      sema.InstantiateFunctionDefinition(pattern->getLocation(), wait, /*Recursive=*/true, /*DefinitionRequired=*/true);
  }
}

void instantiateWaits(clang::Sema &sema, clang::ClassTemplateDecl *events) {
  llvm::SmallVector<clang::ClassTemplateSpecializationDecl *> instances(events->specializations());
  for (clang::ClassTemplateSpecializationDecl *event : instances) {
    if (!event->hasDefinition() || event->isInvalidDecl() || event->isDependentContext())
      continue;
    instantiateWait(sema, event->getDefinition());
    for (const clang::CXXBaseSpecifier &base : event->getDefinition()->bases())
      if (const clang::CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl(); record && record->hasDefinition())
        instantiateWait(sema, record->getDefinition());
  }
}

/// Returns true for a member of the library's `Event` or its base that records or waits, and for what gives a barrier
/// its pipe.
bool isEventBody(const clang::Decl *declaration) {
  const clang::FunctionDecl *function = asFunction(declaration);
  if (!function)
    return false;
  auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(function->getDeclContext());
  if (record)
    return record->getDeclName().isIdentifier() && isEventClass(record->getName()) && isEventMember(function);
  bool barrier = function->getDeclName().isIdentifier() && function->getNumParams() == 0 &&
                 (function->getName() == "TSYNC" || function->getName() == "TSYNC_IMPL");
  return barrier;
}

/// Instantiates `Wait` of every instance of the library's `Event`, errors unheard: what has no body is not understood.
void instantiateEvents(clang::Sema &sema) {
  clang::ASTContext &ast = sema.Context;
  bool heard = sema.getDiagnostics().getSuppressAllDiagnostics();
  sema.getDiagnostics().setSuppressAllDiagnostics(true);
  for (clang::NamedDecl *space : ast.getTranslationUnitDecl()->lookup(&ast.Idents.get("pto")))
    if (auto *library = llvm::dyn_cast<clang::NamespaceDecl>(space))
      for (clang::NamedDecl *found : library->lookup(&ast.Idents.get("Event")))
        if (auto *events = llvm::dyn_cast<clang::ClassTemplateDecl>(found))
          instantiateWaits(sema, events);
  sema.getDiagnostics().setSuppressAllDiagnostics(heard);
}

/// A file whose text is not what the disk holds.
class ReplacedFile : public llvm::vfs::File {
public:
  ReplacedFile(llvm::vfs::Status status, std::unique_ptr<llvm::MemoryBuffer> text)
      : fileStatus(std::move(status)), text(std::move(text)) {}
  llvm::ErrorOr<llvm::vfs::Status> status() override { return fileStatus; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &, std::int64_t, bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(text->getBuffer(), text->getBufferIdentifier());
  }
  std::error_code close() override { return {}; }

private:
  llvm::vfs::Status fileStatus;
  std::unique_ptr<llvm::MemoryBuffer> text;
};

/// The driver asks which distribution it runs on, for a linker that is never started. What is read of a kernel depends
/// on nothing that the machine says of itself.
bool tellsDistribution(llvm::StringRef path) {
  constexpr llvm::StringLiteral kFiles[] = {"/etc/os-release",     "/usr/lib/os-release", "/etc/lsb-release",
                                            "/etc/redhat-release", "/etc/debian_version", "/etc/SuSE-release"};
  return llvm::is_contained(kFiles, path);
}

/// The disk, with every file read as plain C++. Notes what it is asked from `listen` on: what Clang's driver looks for
/// before, compilers and linkers, is nothing that a kernel's text depends on.
class PlainFiles : public llvm::vfs::ProxyFileSystem {
public:
  PlainFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk, ReadFiles *reads)
      : ProxyFileSystem(std::move(disk)), reads(reads) {}
  void listen() { answers = reads ? reads->answers.get() : nullptr; }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override {
    auto found = ProxyFileSystem::status(path);
    noteStatus(path, found);
    return found;
  }
  bool exists(const llvm::Twine &path) override {
    auto found = ProxyFileSystem::status(path);
    noteStatus(path, found);
    return bool(found);
  }
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &path, std::error_code &error) override {
    if (answers)
      answers->noteUnclear();
    return ProxyFileSystem::dir_begin(path, error);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override {
    if (tellsDistribution(path.str()))
      return std::make_error_code(std::errc::no_such_file_or_directory);
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file) {
      if (answers)
        answers->noteError(path.str(), file.getError());
      return file;
    }
    auto status = (*file)->status();
    noteStatus(path, status);
    if (reads && status)
      reads->note(status->getUniqueID(), path.str());
    auto buffer = (*file)->getBuffer(path);
    if (!status || !buffer) {
      if (answers && !(status && status->isDirectory()))
        answers->noteUnclear();
      return ProxyFileSystem::openFileForRead(path);
    }
    std::string text = (*buffer)->getBuffer().str();
    if (answers)
      answers->noteText(path.str(), status->getUniqueID(), text);
    if (text.find("[aicore]") != std::string::npos || text.find("<<<") != std::string::npos)
      text = plainText(TokenStream(SourceText(path.str(), std::move(text))));
    return std::make_unique<ReplacedFile>(*status, llvm::MemoryBuffer::getMemBufferCopy(text, path.str()));
  }

private:
  void noteStatus(const llvm::Twine &path, const llvm::ErrorOr<llvm::vfs::Status> &found) {
    if (!answers)
      return;
    if (!found)
      answers->noteError(path.str(), found.getError());
    else if (found->isDirectory() || found->isRegularFile())
      answers->noteThere(path.str(), found->isDirectory(), found->getUniqueID());
    else
      answers->noteUnclear();
  }

  ReadFiles *reads;
  FileAnswers *answers = nullptr;
};

class BodySkipper : public clang::SemaConsumer {
public:
  BodySkipper(const clang::SourceManager &sources, bool skipBodies) : sources(sources), skipBodies(skipBodies) {}
  void InitializeSema(clang::Sema &built) override { sema = &built; }
  void ForgetSema() override { sema = nullptr; }
  bool shouldSkipFunctionBody(clang::Decl *declaration) override {
    clang::SourceLocation at = declaration->getLocation();
    return !inMainFile(at, sources) && !inOwnHeader(at, sources) && !isEventBody(declaration);
  }
  void HandleTranslationUnit(clang::ASTContext &) override {
    if (sema && skipBodies)
      instantiateEvents(*sema);
  }

private:
  const clang::SourceManager &sources;
  const bool skipBodies;
  clang::Sema *sema = nullptr;
};

class SkipRecorder : public clang::PPCallbacks {
public:
  explicit SkipRecorder(std::vector<clang::SourceRange> &skipped) : skipped(skipped) {}
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override { skipped.push_back(range); }

private:
  std::vector<clang::SourceRange> &skipped;
};

class ParseAction : public clang::ASTFrontendAction {
public:
  explicit ParseAction(std::vector<clang::SourceRange> &skipped) : skipped(skipped) {}
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<SkipRecorder>(skipped));
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler, llvm::StringRef) override {
    return std::make_unique<BodySkipper>(compiler.getSourceManager(),
                                         bool(compiler.getFrontendOpts().SkipFunctionBodies));
  }
  void EndSourceFileAction() override {
    ast = &getCompilerInstance().getASTContext();
    preprocessor = getCompilerInstance().getPreprocessorPtr();
  }
  llvm::IntrusiveRefCntPtr<clang::ASTContext> ast;
  std::shared_ptr<clang::Preprocessor> preprocessor;

private:
  std::vector<clang::SourceRange> &skipped;
};

} // namespace

class UnitBuilder : public clang::tooling::ToolAction {
public:
  UnitBuilder(bool skipBodies, llvm::function_ref<void()> begin) : skipBodies(skipBodies), begin(begin) {}
  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation, clang::FileManager *files,
                     std::shared_ptr<clang::PCHContainerOperations> containers,
                     clang::DiagnosticConsumer *diagnostics) override {
    begin();
    invocation->getFrontendOpts().SkipFunctionBodies = skipBodies;
    auto made = std::make_unique<SyntaxUnit>();
    made->compiler = std::make_unique<clang::CompilerInstance>(std::move(containers));
    made->compiler->setInvocation(std::move(invocation));
    made->compiler->setFileManager(files);
    made->compiler->createDiagnostics(diagnostics, /*ShouldOwnClient=*/false);
    made->compiler->createSourceManager(*files);
    ParseAction action(made->skipped);
    bool good = made->compiler->ExecuteAction(action);
    made->ast = action.ast;
    made->preprocessor = action.preprocessor;
    if (made->ast)
      unit = std::move(made);
    return good;
  }
  std::unique_ptr<SyntaxUnit> unit;

private:
  bool skipBodies;
  llvm::function_ref<void()> begin; // of the parse itself
};

std::string clangName(const std::string &name) { return name.starts_with("-") ? "./" + name : name; }

std::unique_ptr<SyntaxUnit> parseUnit(const UnitRequest &request, clang::DiagnosticConsumer &diagnostics) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto disk = llvm::makeIntrusiveRefCnt<PlainFiles>(llvm::vfs::getRealFileSystem(), request.reads);
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk);
  all->pushOverlay(memory);
  auto files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), all);
  memory->addFile(request.name, 0, llvm::MemoryBuffer::getMemBufferCopy(request.text, request.name));
  for (const auto &[path, text] : request.files)
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  std::vector<std::string> command = {"ptosync"};
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  command.push_back(request.name);
  auto listen = [&] { disk->listen(); };
  UnitBuilder builder(request.skipBodies, listen);
  clang::tooling::ToolInvocation invocation(std::move(command), &builder, files.get(),
                                            std::make_shared<clang::PCHContainerOperations>());
  invocation.setDiagnosticConsumer(&diagnostics);
  invocation.run();
  return std::move(builder.unit);
}

namespace {

/// Returns true for the tokens of `<<<` or `>>>`, which the language has no token for.
bool isTriple(const std::vector<SourceToken> &words, std::size_t at, llvm::StringRef two) {
  return at + 1 < words.size() && words[at].text == two && words[at + 1].text == two.take_front(1) &&
         words[at].end() == words[at + 1].begin;
}

/// No configuration or argument of a launch goes past one.
bool endsStatement(const SourceToken &word) {
  return word.text == ";" || word.text == "{" || word.text == "}" || (word.startsLine && word.text == "#");
}

/// Behind the launch whose `<<<` is at `at`: the word behind its arguments' parenthesis; `at` if there is none.
std::size_t behindLaunch(const std::vector<SourceToken> &words, std::size_t at) {
  std::size_t next = at + 2;
  while (next < words.size() && !isTriple(words, next, ">>") && !endsStatement(words[next]))
    ++next;
  if (!isTriple(words, next, ">>") || next + 2 >= words.size() || words[next + 2].text != "(")
    return at;
  int depth = 0;
  for (next += 2; next < words.size() && !endsStatement(words[next]); ++next) {
    depth += words[next].text == "(" ? 1 : words[next].text == ")" ? -1 : 0;
    if (depth == 0)
      return next + 1;
  }
  return at;
}

} // namespace

std::string plainText(const TokenStream &file) {
  std::string text = file.source().text();
  constexpr std::string_view kMark = "[aicore]";
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at))
    text.replace(at, kMark.size(), kAicoreMacro);
  if (text.find("<<<") == std::string::npos)
    return text;
  const std::vector<SourceToken> &words = file.tokens();
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::size_t behind = isTriple(words, at, "<<") ? behindLaunch(words, at) : at;
    if (behind == at)
      continue;
    for (std::size_t i = words[at].begin; i < words[behind - 1].end(); ++i) {
      bool continued =
          text[i] == '\\' && text.find_first_not_of(" \t\r", i + 1) == text.find('\n', i); // a macro's line
      if (text[i] != '\n' && !continued)
        text[i] = ' ';
    }
    at = behind - 1;
  }
  return text;
}

} // namespace ptosync
