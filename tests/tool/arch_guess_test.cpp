// The architecture of real kernels: never guessed wrong, never held against the right one.
#include "frontend/frontend.h"
#include "machine/arch_signs.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>

using namespace ptosync;
using namespace ptosync::test;

namespace fs = std::filesystem;

TEST_CASE("arch guess: no sign against the architecture a kernel was emitted for") {
  std::size_t certain = 0, undecided = 0, unreadable = 0;
  for (const char *folder : {"/../shared/kernels", "/../shared/cases"}) {
    if (!fs::is_directory(PTOSYNC_SOURCE_DIR + std::string(folder))) {
      std::cout << "skipped: " << folder << " is not here\n";
      continue;
    }
    for (const auto &entry : fs::recursive_directory_iterator(PTOSYNC_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".cpp")
        continue;
      std::string path = entry.path().string();
      bool newer = path.find("/a5") != std::string::npos;
      const Machine &right = machineOf(newer ? "a5" : "a3"), &wrong = machineOf(newer ? "a3" : "a5");
      llvm::Expected<Module> module = liftModule(SourceText(path, readText(path)), frontendOptions(right));
      if (!module) {
        llvm::consumeError(module.takeError());
        ++unreadable;
        continue;
      }
      INFO(path);
      std::vector<ArchSign> against = signsAgainst(*module, right, wrong);
      CHECK((against.empty() ? "" : against.front().text) == "");
      ++(signsAgainst(*module, wrong, right).empty() ? undecided : certain);
    }
  }
  std::cout << "architecture certain for " << certain << " kernels, undecided for " << undecided << ", " << unreadable
            << " not parsed\n";
}
