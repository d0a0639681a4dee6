// ptosync_fuzz: looks for kernels that the library edits wrongly: an order or a flag's balance is lost.
//
//   ptosync_fuzz --seed S --count N [--trust tile|library] [--dump DIR] [--batch B]
//                [--missed-every K] [--most-violations M] [--ignore idempotence] [--print] [--show-missed]
//
// Exit 0: no violation; 1: at least one, each printed with its seed and its reduced kernel written
// to DIR; 2: wrong arguments. See README.md beside this file.
#include "fuzz/judge.h"
#include "fuzz/kernel_generator.h"
#include "fuzz/kernel_reducer.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace {

using namespace ptosync;
using namespace ptosync::fuzz;

struct Arguments {
  std::uint64_t seed = 1, count = 1000, missedEvery = 10, mostViolations = 20, batch = 50;
  Trust trust = Trust::Tile;
  std::string dump, ignored;
  bool print = false, showMissed = false, valid = true;
};

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--print" || name == "--show-missed") {
      (name == "--print" ? arguments.print : arguments.showMissed) = true;
      continue;
    }
    if (i + 1 == argc) {
      arguments.valid = false;
      break;
    }
    std::string value = argv[++i];
    if (name == "--seed")
      arguments.seed = std::stoull(value);
    else if (name == "--count")
      arguments.count = std::stoull(value);
    else if (name == "--batch")
      arguments.batch = std::max<std::uint64_t>(1, std::stoull(value));
    else if (name == "--missed-every")
      arguments.missedEvery = std::stoull(value);
    else if (name == "--most-violations")
      arguments.mostViolations = std::stoull(value);
    else if (name == "--trust" && (value == "tile" || value == "library"))
      arguments.trust = value == "library" ? Trust::Library : Trust::Tile;
    else if (name == "--ignore" && value == "idempotence")
      arguments.ignored = value;
    else if (name == "--dump")
      arguments.dump = value;
    else
      arguments.valid = false;
  }
  return arguments;
}

void dump(const Arguments &arguments, const std::string &check, FuzzKernel original, FuzzKernel reduced,
          const std::string &left) {
  std::filesystem::create_directories(arguments.dump);
  std::string stem = arguments.dump + "/seed-" + std::to_string(original.seed) + "-" + trustName(arguments.trust) +
                     "-" + check;
  std::string again = "// ptosync_fuzz --seed " + std::to_string(original.seed) + " --count 1 --trust " +
                      trustName(arguments.trust) + "\n";
  std::ofstream(stem + ".cpp") << printKernel(original) << again;
  std::vector<FuzzKernel> kernels = {reduced};
  std::string text = printKernels(kernels);
  std::ofstream(stem + "-reduced.cpp") << text << again << "// [" << check << "] " << left << "\n";
  BatchRun edited = runTool(text, kernels, arguments.trust, Repeat::No);
  if (!edited.patched.empty())
    std::ofstream(stem + "-reduced-after.cpp") << edited.patched;
}

void report(const Arguments &arguments, const Judge &judge, const FuzzKernel &kernel, const Violation &violation) {
  std::cout << "VIOLATION seed " << kernel.seed << " trust " << trustName(arguments.trust) << " [" << violation.check
            << "] " << violation.text << std::endl;
  FuzzKernel reduced = kernel;
  if (violation.check != "together")
    reduced = reduceKernel(kernel, [&](FuzzKernel &smaller) { return judge.examine(smaller).check == violation.check; });
  Violation left = judge.examine(reduced);
  std::cout << "  reduced from " << sizeOf(kernel) << " to " << sizeOf(reduced) << " statements: " << left.text
            << std::endl;
  if (!arguments.dump.empty())
    dump(arguments, violation.check, kernel, reduced, left.text);
}

void print(const Statistics &s) {
  auto percent = [](std::size_t part, std::size_t whole) {
    return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  std::cout << "replayed runs " << s.replayedRuns << ", instructions compared " << s.replayedInstructions
            << "\nkernels " << s.kernels << ", not analysed " << s.skipped << ", without open conflicts "
            << s.cleanKernels << "\nsimulated runs " << s.runs << ", instruction instances " << s.nodes
            << "\nbarriers " << s.barriers << ", removed " << s.removed << " (" << percent(s.removed, s.barriers)
            << "%)\nkept:";
  for (const auto &[reason, count] : s.kept)
    std::cout << " " << reason << " " << count;
  std::cout << "\nset and wait statements " << s.flags << ", removed " << s.flagsRemoved << " ("
            << percent(s.flagsRemoved, s.flags) << "%), moved " << s.flagsMoved << ", in " << s.flagKernels
            << " kernels\nkept:";
  for (const auto &[reason, count] : s.keptFlags)
    std::cout << " " << reason << " " << count;
  std::cout << "\nedits by pattern:";
  for (const auto &[pattern, count] : s.edits)
    std::cout << " " << pattern << " " << count << " in " << s.editedKernels.at(pattern);
  std::cout << "\nmissed, of " << s.sampledKept << " kept barriers looked at:";
  for (const auto &[reason, count] : s.missed)
    std::cout << " " << reason << " " << count;
  std::cout << "\n";
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments = parse(argc, argv);
  if (!arguments.valid) {
    std::cerr << "usage: ptosync_fuzz --seed S --count N [--trust tile|library] [--dump DIR] [--batch B]\n"
                 "                    [--missed-every K] [--most-violations M] [--ignore idempotence] [--print] [--show-missed]\n";
    return 2;
  }
  Judge judge(arguments.trust, arguments.ignored);
  Statistics statistics;
  std::uint64_t violations = 0;
  for (std::uint64_t begin = 0; begin < arguments.count && violations < arguments.mostViolations;
       begin += arguments.batch) {
    std::vector<FuzzKernel> kernels;
    for (std::uint64_t i = begin; i < std::min(begin + arguments.batch, arguments.count); ++i) {
      kernels.push_back(KernelGenerator(arguments.seed + i).generate());
      kernels.back().name += std::to_string(kernels.back().seed);
    }
    if (arguments.print)
      std::cout << printKernels(kernels);
    bool countMissed = arguments.missedEvery && begin / arguments.batch % arguments.missedEvery == 0;
    std::vector<Violation> found = judge.examine(kernels, &statistics, countMissed);
    for (std::size_t i = 0; i < kernels.size() && violations < arguments.mostViolations; ++i)
      if (found[i]) {
        ++violations;
        report(arguments, judge, kernels[i], found[i]);
      }
  }
  print(statistics);
  if (arguments.showMissed)
    for (const std::string &place : statistics.missedPlaces)
      std::cout << "missed: " << place << "\n";
  return violations ? 1 : 0;
}
