#include "frontend/guard/deep_stack.h"

#include <cstddef>

#include <pthread.h>
#include <sys/resource.h>

namespace ptosync {
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
