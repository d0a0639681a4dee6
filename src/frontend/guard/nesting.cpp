#include "frontend/guard/nesting.h"

#include "frontend/frontend.h"
#include "frontend/read/raw_tokens.h"

#include <vector>

namespace ptosync {
namespace {

/// A `{ }`, or the file.
struct Scope {
  std::size_t parentheses = 0; // open ones
  std::size_t elses = 0;       // of the chain that may go on
};

class NestingCheck {
public:
  /// Empty, or what is too much at this token.
  std::string add(const clang::Token &token) {
    Scope &scope = scopes.back();
    bool isElse = token.is(clang::tok::raw_identifier) && token.getRawIdentifier() == "else";
    if (afterStatement && !isElse)
      scope.elses = 0;
    afterStatement = false;
    if (isElse && ++scope.elses > kMostElses)
      return "more than " + std::to_string(kMostElses) + " `else` in a chain";
    switch (token.getKind()) {
    case clang::tok::l_brace: scopes.push_back({}); return separate();
    case clang::tok::r_brace:
      if (scopes.size() > 1)
        scopes.pop_back();
      afterStatement = true;
      return separate();
    case clang::tok::l_paren: ++scope.parentheses; break;
    case clang::tok::r_paren: scope.parentheses -= scope.parentheses > 0; break;
    case clang::tok::semi:
      if (scope.parentheses == 0) {
        afterStatement = true;
        return separate();
      }
      break;
    case clang::tok::comma:
      tokens = 0;
      if (++commas > kMostCommas)
        return "more than " + std::to_string(kMostCommas) + " commas in a row";
      return {};
    default: break;
    }
    if (++tokens > kMostTokensOfStatement)
      return "a statement of more than " + std::to_string(kMostTokensOfStatement) + " tokens";
    return {};
  }

private:
  std::string separate() {
    tokens = commas = 0;
    return {};
  }

  std::vector<Scope> scopes = {{}};
  std::size_t tokens = 0, commas = 0; // since what separates statements
  bool afterStatement = false;
};

} // namespace

llvm::Error checkNesting(const SourceText &source) {
  NestingCheck check;
  std::string problem;
  forEachRawToken(source.text(), 0, Comments::Skipped,
                  [&](const clang::Token &token, std::uint32_t begin, std::uint32_t) {
                    problem = check.add(token);
                    if (problem.empty())
                      return true;
                    LineColumn at = source.position(begin);
                    problem = source.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                              ": error: " + problem + " nests deeper than this tool follows; split it\n";
                    return false;
                  });
  return problem.empty() ? llvm::Error::success() : llvm::make_error<SourceError>(problem);
}

} // namespace ptosync
