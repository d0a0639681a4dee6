// Helpers for tests of the estimated times: kernels, lifted and run once.
#pragma once

#include "replay/replayed.h"
#include "timing/timeline.h"

#include <string>

namespace ptosync::test {

inline const timing::CostTable &costsOf(const std::string &arch = "a3") {
  static std::map<std::string, timing::CostTable> tables;
  if (!tables.count(arch))
    tables.emplace(arch, llvm::cantFail(timing::CostTable::builtIn(arch)));
  return tables.at(arch);
}

/// The kernels of a text that do some work, with the module that they refer to.
struct TimedModule {
  explicit TimedModule(const std::string &text, replay::Options options = {}, const std::string &arch = "a3")
      : module(lift(text, arch)), options(std::move(options)) {
    for (const Kernel &kernel : module.kernels)
      for (timing::KernelTiming &timing : timing::timeCores({&kernel}, machineOf(arch), this->options, costsOf(arch)))
        if (timing.works())
          kernels.push_back(std::move(timing));
  }
  TimedModule(const TimedModule &) = delete;

  Module module;
  replay::Options options;
  std::vector<timing::KernelTiming> kernels;
};

/// A tensor of 4096 bytes at `row` rows of `argument`, and its load or store.
inline std::string tensor(const std::string &name, const std::string &argument, const std::string &row) {
  std::string type = "GlobalTensor<float, pto::Shape<1, 1, 1, 1, 1024>, pto::Stride<1024, 1024, 1024, 1024, 1>>";
  return "  " + type + " " + name + " = " + type + "(" + argument + " + (" + row + ") * 1024);\n";
}

} // namespace ptosync::test
