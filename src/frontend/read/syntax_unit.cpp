#include "frontend/read/syntax_unit.h"

#include "frontend/read/event_bodies.h"
#include "frontend/read/own_headers.h"
#include "frontend/read/raw_tokens.h"
#include "frontend/read/syntax_walker.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/FileManager.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace ptosync {
namespace {

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

/// The disk, with every file read as plain C++.
class PlainFiles : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override {
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file)
      return file;
    auto status = (*file)->status();
    auto buffer = (*file)->getBuffer(path);
    if (!status || !buffer)
      return ProxyFileSystem::openFileForRead(path);
    std::string text = (*buffer)->getBuffer().str();
    if (text.find("[aicore]") != std::string::npos || text.find("<<<") != std::string::npos)
      text = plainText(std::move(text));
    return std::make_unique<ReplacedFile>(*status, llvm::MemoryBuffer::getMemBufferCopy(text, path.str()));
  }
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
  explicit UnitBuilder(bool skipBodies) : skipBodies(skipBodies) {}
  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation, clang::FileManager *files,
                     std::shared_ptr<clang::PCHContainerOperations> containers,
                     clang::DiagnosticConsumer *diagnostics) override {
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
};

std::unique_ptr<SyntaxUnit> parseUnit(const UnitRequest &request, clang::DiagnosticConsumer &diagnostics) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::makeIntrusiveRefCnt<PlainFiles>(llvm::vfs::getRealFileSystem()));
  all->pushOverlay(memory);
  auto files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), all);
  memory->addFile(request.name, 0, llvm::MemoryBuffer::getMemBufferCopy(request.text, request.name));
  for (const auto &[path, text] : request.files)
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  std::vector<std::string> command = {"ptosync"};
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  command.push_back(request.name);
  UnitBuilder builder(request.skipBodies);
  clang::tooling::ToolInvocation invocation(std::move(command), &builder, files.get(),
                                            std::make_shared<clang::PCHContainerOperations>());
  invocation.setDiagnosticConsumer(&diagnostics);
  invocation.run();
  return std::move(builder.unit);
}

namespace {

struct LaunchWord {
  std::uint32_t begin, end;
  llvm::StringRef text;
  bool startsLine;
};

/// True for the tokens of `<<<` or `>>>`, which the language has no token for.
bool isTriple(const std::vector<LaunchWord> &words, std::size_t at, llvm::StringRef two) {
  return at + 1 < words.size() && words[at].text == two && words[at + 1].text == two.take_front(1) &&
         words[at].end == words[at + 1].begin;
}

/// No configuration or argument of a launch goes past one.
bool endsStatement(const LaunchWord &word) {
  return word.text == ";" || word.text == "{" || word.text == "}" || (word.startsLine && word.text == "#");
}

/// Behind the launch whose `<<<` is at `at`: the word behind its arguments' parenthesis; `at` if there is none.
std::size_t behindLaunch(const std::vector<LaunchWord> &words, std::size_t at) {
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

std::string plainText(std::string text) {
  constexpr std::string_view kMark = "[aicore]";
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at))
    text.replace(at, kMark.size(), kAicoreMacro);
  if (text.find("<<<") == std::string::npos)
    return text;
  const std::string written = text;
  std::vector<LaunchWord> words;
  forEachRawToken(written, 0, Comments::Skipped,
                  [&](const clang::Token &token, std::uint32_t begin, std::uint32_t end) {
                    words.push_back({begin, end, llvm::StringRef(written).slice(begin, end), token.isAtStartOfLine()});
                    return true;
                  });
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::size_t behind = isTriple(words, at, "<<") ? behindLaunch(words, at) : at;
    if (behind == at)
      continue;
    for (std::size_t i = words[at].begin; i < words[behind - 1].end; ++i) {
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
