// The text of an instruction library, cut into what its headers define.
//
//   template <typename T> void f(T x) { return; } // one      "f": "template < typename T > void f ( T x ) { return ; }
//   "
//
// Each header is read as tokens by itself. Nothing is preprocessed or parsed, so two libraries can be compared without
// the chip's compiler and without the headers that they include. Every function, class, variable, alias and macro at
// namespace scope becomes one text: its tokens with one blank between them, without comments, behind the conditions
// (#if) that it stands under. A conditional inside a body is part of the text, with all its branches. Names are
// over-approximated: a text is found under each name that it may define, and overloads and specialisations share one.
//
// Tested by tests/frontend/library/library_text_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ptosync {

class ReadFiles;

/// Texts by the names they define.
using LibraryText = std::map<std::string, std::set<std::string>>;

/// Adds the definitions of a header.
void addLibraryText(std::string_view header, LibraryText &text);

/// Reads the headers of `directory` that an architecture's kernels use: pto/common and pto/npu/a2a3 or a5. Notes them
/// in `reads`, if there is one. Fails if there are none.
llvm::Expected<LibraryText> readLibraryText(const std::string &directory, std::string_view arch,
                                            ReadFiles *reads = nullptr);

} // namespace ptosync
