// The tokens of a text as they are written, before macros, conditions and keywords mean anything.
//
// A string or a comment is never mistaken for code, which is what a search for a character gets wrong. Only
// src/frontend may include this header. Tested by tests/frontend/read/token_stream_test.cpp.
#pragma once

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Token.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <string>

namespace ptosync {

/// What the tokens are those of.
clang::LangOptions languageOfKernels();

enum class Comments : bool { Skipped, Visited };

/// Calls `visit` with each token from byte `from` of the text on, and the offsets where it begins and ends; false
/// stops. A zero must stand behind the text, as behind a std::string.
void forEachRawToken(llvm::StringRef text, std::size_t from, Comments comments,
                     llvm::function_ref<bool(const clang::Token &, std::uint32_t begin, std::uint32_t end)> visit);

/// The same for what the tokens are spelled as, comments left out.
void forEachRawWord(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef word)> visit);

/// The text with its comments blanked: as long, with the same lines.
std::string withoutComments(llvm::StringRef text);

} // namespace ptosync
