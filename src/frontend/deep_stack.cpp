#include "frontend/deep_stack.h"

#include <cstddef>

#include <pthread.h>

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
  bool started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                 pthread_create(&thread, &attributes, runWork, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (started)
    pthread_join(thread, nullptr);
  return started;
}

} // namespace

void runOnDeepStack(llvm::function_ref<void()> work) {
  for (std::size_t bytes : kStackSizes)
    if (runOnStack(bytes, work))
      return;
  work();
}

} // namespace ptosync
