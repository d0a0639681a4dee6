// The text of an instruction library, cut into what its headers define.
//
// Clang's lexer reads each header by itself; nothing is preprocessed or parsed, so a library needs neither the chip's
// compiler nor the headers it includes to be compared. Every function, class, variable, alias and macro at namespace
// scope becomes one text: its tokens with one blank between, without comments, behind the conditions (#if) it stands
// under. A conditional inside a body is part of the text, all its branches. Over-approximate where a name is concerned:
// a text is found under each name that it may define, and overloads and specialisations share one. Tested by
// tests/frontend/library/library_text_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ptosync {

/// Texts by the names they define.
using LibraryText = std::map<std::string, std::set<std::string>>;

/// Adds what `header` defines.
void addLibraryText(std::string_view header, LibraryText &text);

/// The headers of `directory` that an architecture's kernels use: pto/common and pto/npu/a2a3 or a5. An error if there
/// are none.
llvm::Expected<LibraryText> readLibraryText(const std::string &directory, std::string_view arch);

} // namespace ptosync
