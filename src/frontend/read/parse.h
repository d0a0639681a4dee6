// One Clang parse of a kernel file for one core section.
//
// The file is parsed from memory against the prelude, or against the user's real headers. Names that these lack are
// declared on the fly and the parse is repeated, so an unknown call never breaks it. A real C++ error is returned with
// Clang's own text.
//
// Only src/frontend may include this header: Clang lives here and nowhere else. Tested by
// tests/frontend/read/parse_test.cpp.
#pragma once

#include "frontend/frontend.h"
#include "frontend/read/syntax_tree.h"
#include "kernel/source.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <set>
#include <string>

namespace ptosync {

struct ParsedSection {
  std::unique_ptr<SyntaxUnit> unit;
  std::set<std::string> declaredOnTheFly; // functions the prelude had to invent
  std::set<std::string> skippedHeaders;   // with real headers: not found, read as empty
  bool ownHeaderMissing = false;          // one of them may be the kernel's own: nothing may be edited
  std::set<std::string> brokenHeaders;    // files other than the main one with errors that were let pass
  bool hostBroken = false;                // with real headers: bodies of host functions have errors (origin.h)
};

/// `section` selects the macro (`__DAV_CUBE__`, `__DAV_VEC__`) that is defined.
llvm::Expected<ParsedSection> parseSection(const TokenStream &file, Section section, const FrontendOptions &options);

} // namespace ptosync
