// ptosync_fuzz: looks for kernels that the library edits wrongly: an order or a flag's balance is lost.
//
//   ptosync_fuzz --seed S --count N [--trust tile|library] [--dump DIR] [--missed-every K]
//                [--most-violations M] [--ignore idempotence] [--print] [--show-missed]
//
// Exit 0: no violation; 1: at least one, each printed with its seed and its reduced kernel written
// to DIR; 2: wrong arguments. See README.md beside this file.
#include "fuzz/judge.h"
#include "fuzz/kernel_generator.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace {

using namespace ptosync;
using namespace ptosync::fuzz;

struct Arguments {
  std::uint64_t seed = 1, count = 1000, missedEvery = 10, mostViolations = 20;
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

void report(const Arguments &arguments, const Judge &judge, const FuzzKernel &kernel, const Violation &violation) {
  std::cout << "VIOLATION seed " << kernel.seed << " trust " << trustName(arguments.trust) << " [" << violation.check
            << "] " << violation.text << std::endl;
  FuzzKernel original = kernel, reduced = violation.check == "parse" ? kernel : judge.reduce(kernel, violation);
  Violation left = judge.examine(reduced, nullptr, false);
  std::cout << "  reduced: " << left.text << std::endl;
  if (arguments.dump.empty())
    return;
  std::filesystem::create_directories(arguments.dump);
  std::string stem = arguments.dump + "/seed-" + std::to_string(kernel.seed) + "-" + trustName(arguments.trust) + "-" +
                     violation.check;
  std::ofstream(stem + ".cpp") << printKernel(original);
  std::ofstream(stem + "-reduced.cpp") << printKernel(reduced) << "// " << left.text << "\n";
}

void print(const Statistics &s) {
  auto percent = [](std::size_t part, std::size_t whole) {
    return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  std::cout << "kernels " << s.kernels << ", not analysed " << s.skipped << ", without open conflicts "
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
    std::cerr << "usage: ptosync_fuzz --seed S --count N [--trust tile|library] [--dump DIR] [--missed-every K]\n"
                 "                    [--most-violations M] [--ignore idempotence] [--print] [--show-missed]\n";
    return 2;
  }
  Judge judge(arguments.trust, arguments.ignored);
  Statistics statistics;
  std::uint64_t violations = 0;
  for (std::uint64_t i = 0; i < arguments.count && violations < arguments.mostViolations; ++i) {
    FuzzKernel kernel = KernelGenerator(arguments.seed + i).generate();
    if (arguments.print)
      std::cout << printKernel(kernel);
    bool countMissed = arguments.missedEvery && i % arguments.missedEvery == 0;
    Violation violation = judge.examine(kernel, &statistics, countMissed);
    if (!violation)
      continue;
    ++violations;
    report(arguments, judge, kernel, violation);
  }
  print(statistics);
  if (arguments.showMissed)
    for (const std::string &place : statistics.missedPlaces)
      std::cout << "missed: " << place << "\n";
  return violations ? 1 : 0;
}
