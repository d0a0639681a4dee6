// One run of Clang's parser over a text in memory, and the tree it leaves behind.
//
// Files are taken from memory first, then from disk. With `skipBodies`, bodies of functions outside the main file are
// not parsed: what the library does inside is the machine model's to know, and its bodies are most of its text.
// Extensions of the chip's compiler are read as plain C++ of the same length (plainText), in every file.
// Only src/frontend may include this header.
// Tested by tests/frontend/read/parse_test.cpp and library_headers_test.cpp.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// Keeps what the tree refers to alive.
class SyntaxUnit {
public:
  clang::ASTContext &getASTContext() { return *ast; }
  /// What conditions of the preprocessor leave out, with the lines of their directives.
  const std::vector<clang::SourceRange> &skippedText() const { return skipped; }

private:
  friend class UnitBuilder;
  std::unique_ptr<clang::CompilerInstance> compiler;
  std::shared_ptr<clang::Preprocessor> preprocessor;
  std::vector<clang::SourceRange> skipped;
  llvm::IntrusiveRefCntPtr<clang::ASTContext> ast; // goes first
};

struct UnitRequest {
  std::string text, name;
  std::vector<std::string> arguments;                     // of the compiler
  std::vector<std::pair<std::string, std::string>> files; // path -> text, in memory
  bool skipBodies = false;
};

/// nullptr only if there is no tree at all; errors go to `diagnostics`.
std::unique_ptr<SyntaxUnit> parseUnit(const UnitRequest &request, clang::DiagnosticConsumer &diagnostics);

/// `text` with what only the chip's compiler reads replaced by as many characters of C++: `[aicore]` by a macro, launch
/// and arguments of `kernel<float><<<blocks, nullptr, stream>>>(...)` by blanks, which leaves the kernel's name and so
/// its instance: what the host passes is no part of it.
std::string plainText(std::string text);

/// What `[aicore]` is replaced by.
inline constexpr const char *kAicoreMacro = "__aicor_";

} // namespace ptosync
