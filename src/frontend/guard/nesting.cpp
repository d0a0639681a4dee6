#include "frontend/guard/nesting.h"

#include "frontend/frontend.h"
#include "frontend/read/token_stream.h"

#include <pthread.h>
#include <sys/resource.h>

#include <cstddef>
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
  std::string add(const SourceToken &token) {
    Scope &scope = scopes.back();
    bool isElse = token.isIdentifier() && token.text == "else";
    if (afterStatement && !isElse)
      scope.elses = 0;
    afterStatement = false;
    if (isElse && ++scope.elses > kMostElses)
      return "more than " + std::to_string(kMostElses) + " `else` in a chain";
    switch (token.kind) {
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

llvm::Error checkNesting(const TokenStream &file) {
  NestingCheck check;
  for (const SourceToken &token : file.tokens()) {
    const std::string problem = check.add(token);
    if (problem.empty())
      continue;
    const LineColumn at = file.source().position(token.begin);
    return llvm::make_error<SourceError>(file.source().name() + ":" + std::to_string(at.line) + ":" +
                                         std::to_string(at.column) + ": error: " + problem +
                                         " nests deeper than this tool follows; split it\n");
  }
  return llvm::Error::success();
}

namespace {

// Address space, of which only what is touched becomes memory.
constexpr std::size_t kStackSizes[] = {std::size_t(1) << 30, std::size_t(1) << 28, std::size_t(1) << 26};

void *runWork(void *work) {
  (*static_cast<llvm::function_ref<void()> *>(work))();
  return nullptr;
}

bool runOnStack(std::size_t bytes, llvm::function_ref<void()> &work) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_t thread;
  bool started =
      pthread_attr_setstacksize(&attributes, bytes) == 0 && pthread_create(&thread, &attributes, runWork, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (started)
    pthread_join(thread, nullptr);
  return started;
}

/// Bytes that are left on the caller's stack; 0 if that cannot be told.
std::size_t stackLeft() {
  pthread_attr_t attributes;
  void *lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  bool known = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  const char here = 0;
  return known ? static_cast<std::size_t>(&here - static_cast<const char *>(lowest)) : 0;
}

} // namespace

void deepenThreads() {
  constexpr std::size_t kBytes = std::size_t(1) << 28;
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
    return; // a thread that cannot be started would end the run
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return;
  if (pthread_attr_setstacksize(&attributes, kBytes) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

void runOnDeepStack(llvm::function_ref<void()> work) {
  if (stackLeft() >= kStackSizes[0] / 4 * 3)
    return work();
  for (std::size_t bytes : kStackSizes)
    if (runOnStack(bytes, work))
      return;
  work();
}

} // namespace ptosync
