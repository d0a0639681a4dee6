#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace ptosync {

void runInParallel(std::size_t count, llvm::function_ref<void(std::size_t)> job, std::size_t most) {
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      job(i);
  };
  if (most == 0)
    most = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others; // joined when they go
  for (std::size_t i = 1; i < std::min(count, most); ++i)
    others.emplace_back(work);
  work();
}

} // namespace ptosync
