// ptosync_fuzz: looks for kernels that the library edits wrongly: an order or a flag's balance is lost.
//
//   ptosync_fuzz --seed S --count N [--arch a3|a5] [--trust tile|library] [--dump DIR] [--batch B]
//   ptosync_fuzz --exhaustive L [--from F] [--part I/N] [--tracked FILE]      (exhaustive_kernels.h)
//   ptosync_fuzz --fix --seed S --count N ...                                  every kernel without some syncs, mended
//   ptosync_fuzz --resync --seed S --count N ...                               every kernel synchronised anew
//   ptosync_fuzz --resync --small --twice-every K ...                          small ones, every Kth of them twice
//   ptosync_fuzz --resync --effort N ...                                       as the option of the tool
//   ptosync_fuzz --resync --regions N ...                                      cut into regions of so much work each
//   ptosync_fuzz --resync --strip ...                                          all of them placed, from none
//   ptosync_fuzz --buffers --seed S --count N ...                              brackets of buffer ids, on a5
//   ptosync_fuzz --buffers --exhaustive L ...                                  all small kernels with brackets
//   ptosync_fuzz --buffers --mutants M --seed S --count N ...                  M mutants of each (bracket_mutants.h)
//   ptosync_fuzz --buffers --mutants M FILE...                                 the same of files (file_mutants.h)
//                [--missed-every K] [--most-violations M] [--ignore idempotence] [--show-missed]
//   ptosync_fuzz ... --print                                                   shows the kernels and judges none
//
// Exit 0: no violation; 1: at least one, each printed with its seed and its reduced kernel written
// to DIR; 2: wrong arguments. See README.md beside this file.
#include "fuzz/exhaustive_kernels.h"
#include "fuzz/file_mutants.h"
#include "fuzz/judge.h"
#include "fuzz/kernel_generator.h"
#include "fuzz/kernel_reducer.h"

#include "run/choices.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

namespace {

using namespace ptosync;
using namespace ptosync::fuzz;

constexpr std::size_t kMutantsOfReduced = 60; // of a kernel that is being reduced: as good as all

struct Arguments {
  std::uint64_t seed = 1, count = 1000, missedEvery = 10, mostViolations = 20, batch = 50, twiceEvery = 1;
  std::uint64_t exhaustive = 0, from = 1, part = 0, parts = 1, mutants = 0;
  std::uint64_t effort = RunChoices().effort, regionWork = 0;
  Trust trust = Trust::Tile;
  std::string dump, ignored, tracked, arch = "a3";
  bool print = false, showMissed = false, resync = false, fix = false, small = false, strip = false, rare = false;
  bool buffers = false;
  std::vector<std::string> files;
  bool valid = true;
};

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  const std::map<std::string, bool *> switches = {
      {"--print", &arguments.print},   {"--show-missed", &arguments.showMissed},
      {"--resync", &arguments.resync}, {"--strip", &arguments.strip},
      {"--fix", &arguments.fix},       {"--small", &arguments.small},
      {"--rare", &arguments.rare},     {"--buffers", &arguments.buffers}};
  const std::map<std::string, std::uint64_t *> numbers = {{"--seed", &arguments.seed},
                                                          {"--count", &arguments.count},
                                                          {"--exhaustive", &arguments.exhaustive},
                                                          {"--from", &arguments.from},
                                                          {"--batch", &arguments.batch},
                                                          {"--missed-every", &arguments.missedEvery},
                                                          {"--mutants", &arguments.mutants},
                                                          {"--twice-every", &arguments.twiceEvery},
                                                          {"--effort", &arguments.effort},
                                                          {"--regions", &arguments.regionWork},
                                                          {"--most-violations", &arguments.mostViolations}};
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (auto found = switches.find(name); found != switches.end()) {
      *found->second = true;
      continue;
    }
    if (name.rfind("--", 0) != 0) {
      arguments.files.push_back(name);
      continue;
    }
    if (i + 1 == argc) {
      arguments.valid = false;
      break;
    }
    std::string value = argv[++i];
    if (auto found = numbers.find(name); found != numbers.end())
      *found->second = std::stoull(value);
    else if (name == "--part" && value.find('/') != std::string::npos) {
      arguments.part = std::stoull(value);
      arguments.parts = std::max<std::uint64_t>(1, std::stoull(value.substr(value.find('/') + 1)));
    } else if (name == "--tracked")
      arguments.tracked = value;
    else if (name == "--trust" && (value == "tile" || value == "library"))
      arguments.trust = value == "library" ? Trust::Library : Trust::Tile;
    else if (name == "--arch" && (value == "a3" || value == "a5"))
      arguments.arch = value;
    else if (name == "--ignore" && value == "idempotence")
      arguments.ignored = value;
    else if (name == "--dump")
      arguments.dump = value;
    else
      arguments.valid = false;
  }
  for (std::uint64_t *atLeastOne : {&arguments.batch, &arguments.twiceEvery, &arguments.effort})
    *atLeastOne = std::max<std::uint64_t>(1, *atLeastOne);
  if (arguments.buffers)
    arguments.arch = "a5"; // no other has them
  arguments.valid &= !(arguments.buffers && arguments.rare) && (arguments.buffers || !arguments.mutants) &&
                     (arguments.mutants || arguments.files.empty());
  return arguments;
}

void dump(const Arguments &arguments, const std::string &check, FuzzKernel original, FuzzKernel reduced,
          const Violation &left) {
  std::filesystem::create_directories(arguments.dump);
  std::string stem =
      arguments.dump + "/seed-" + std::to_string(original.seed) + "-" + trustName(arguments.trust) + "-" + check;
  std::string again = "// ptosync_fuzz --seed " + std::to_string(original.seed) + " --count 1 --arch " +
                      arguments.arch + " --trust " + trustName(arguments.trust) + (arguments.small ? " --small" : "") +
                      (arguments.rare ? " --rare" : "") + (arguments.buffers ? " --buffers" : "") + "\n";
  std::ofstream(stem + ".cpp") << printKernel(original) << again;
  std::vector<FuzzKernel> kernels = {reduced};
  std::string text = printKernels(kernels);
  std::ofstream(stem + "-reduced.cpp") << text << again << "// [" << check << "] " << left.text << "\n";
  if (arguments.mutants) {
    std::ofstream(stem + "-reduced-after.cpp") << left.after;
    return;
  }
  if (arguments.fix) {
    std::ofstream(stem + "-reduced-after.cpp") << runFix(text, arguments.arch, arguments.trust, reduced.seed).mended;
    return;
  }
  if (arguments.resync) {
    std::ofstream(stem + "-reduced-after.cpp")
        << runResync(text, kernels, arguments.arch, arguments.trust, Repeat::No,
                     arguments.strip ? Strip::Yes : Strip::No, static_cast<unsigned>(arguments.effort),
                     arguments.regionWork)
               .patched;
    return;
  }
  BatchRun edited = runTool(text, kernels, arguments.arch, arguments.trust, Repeat::No, CountKept::No);
  if (!edited.patched.empty())
    std::ofstream(stem + "-reduced-after.cpp") << edited.patched;
}

void report(const Arguments &arguments, const Judge &judge, const FuzzKernel &kernel, const Violation &violation) {
  std::cout << "VIOLATION seed " << kernel.seed << " trust " << trustName(arguments.trust) << " [" << violation.check
            << "] " << violation.text << std::endl;
  FuzzKernel reduced = kernel;
  auto examine = [&](FuzzKernel &smaller) {
    return arguments.mutants  ? judge.examineMutants({smaller}, kMutantsOfReduced, nullptr).front()
           : arguments.fix    ? judge.examineFixed(smaller, nullptr)
           : arguments.resync ? judge.examineResynced(smaller, nullptr)
                              : judge.examine(smaller);
  };
  if (violation.check != "together")
    reduced = reduceKernel(kernel, [&](FuzzKernel &smaller) { return examine(smaller).check == violation.check; });
  Violation left = examine(reduced);
  std::cout << "  reduced from " << sizeOf(kernel) << " to " << sizeOf(reduced) << " statements: " << left.text
            << std::endl;
  if (!arguments.dump.empty())
    dump(arguments, violation.check, kernel, reduced, left);
}

void print(const Statistics &s) {
  auto percent = [](std::size_t part, std::size_t whole) {
    return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  std::cout << "simulated kernels " << s.simulated << "; replayed runs " << s.replayedRuns << ", instructions compared "
            << s.replayedInstructions << "; lost only what a wait in front of its set gave: " << s.fedLate
            << "\nkernels " << s.kernels << ", not analysed " << s.skipped << ", without open conflicts "
            << s.cleanKernels << "\nsimulated runs " << s.runs << ", instruction instances " << s.nodes << "\nbarriers "
            << s.barriers << ", removed " << s.removed << " (" << percent(s.removed, s.barriers) << "%)\nkept:";
  for (const auto &[reason, count] : s.kept)
    std::cout << " " << reason << " " << count;
  std::cout << "\nset and wait statements " << s.flags << ", removed " << s.flagsRemoved << " ("
            << percent(s.flagsRemoved, s.flags) << "%), moved " << s.flagsMoved << ", in " << s.flagKernels
            << " kernels\nkept:";
  for (const auto &[reason, count] : s.keptFlags)
    std::cout << " " << reason << " " << count;
  if (s.buffers > 0) {
    std::cout << "\nget and release statements " << s.buffers << ", removed " << s.buffersRemoved << " ("
              << percent(s.buffersRemoved, s.buffers) << "%), moved " << s.buffersMoved << ", in " << s.bufferKernels
              << " kernels\nkept:";
    for (const auto &[reason, count] : s.keptBuffers)
      std::cout << " " << reason << " " << count;
  }
  std::cout << "\nedits by pattern:";
  for (const auto &[pattern, count] : s.edits)
    std::cout << " " << pattern << " " << count << " in " << s.editedKernels.at(pattern);
  std::cout << "\nkept barriers and flags " << s.keptUnits << ", of which the replay would let go " << s.removableUnits;
  std::cout << "\nmissed, of " << s.sampledKept << " kept barriers looked at:";
  for (const auto &[reason, count] : s.missed)
    std::cout << " " << reason << " " << count;
  std::cout << "\n";
}

void printResync(const Statistics &s) {
  std::cout << "kernels " << s.kernels << ", synchronised anew " << s.resynced << "; simulated " << s.simulated
            << ", judged by the replay alone because of what moved " << s.notWoven << "\nnot:\n";
  for (const auto &[reason, count] : s.notResynced)
    std::cout << "  " << count << " " << reason << "\n";
}

void printFix(const Statistics &s) {
  std::cout << "kernels " << s.kernels << ", broken and reported " << s.broken << ", mended " << s.mended << " by "
            << s.added << " statements; with pairs left open " << s.leftOpen << ", simulated " << s.simulated
            << ", not woven " << s.notWoven << "\nleft:\n";
  for (const auto &[reason, count] : s.notResynced)
    std::cout << "  " << count << " " << reason << "\n";
}

void printMutants(const Statistics &s) {
  MutantCounts all;
  auto line = [](const std::string &kind, const MutantCounts &counts) {
    std::cout << kind << ": mutants " << counts.made << ", an order lost in " << counts.lost << ", amiss otherwise "
              << counts.faulty << ", of these found by the tool " << counts.found << "; found by the tool alone "
              << counts.toolAlone << ", equivalent " << counts.equivalent << "\n";
  };
  for (const auto &[kind, counts] : s.mutants) {
    line(kind, counts);
    all.made += counts.made;
    all.lost += counts.lost;
    all.faulty += counts.faulty;
    all.found += counts.found;
    all.toolAlone += counts.toolAlone;
    all.equivalent += counts.equivalent;
  }
  line("all", all);
}

/// Exit code of a run on files.
int judgeFiles(const Arguments &arguments) {
  Statistics statistics;
  std::size_t violations = 0;
  for (const std::string &path : arguments.files)
    for (const Violation &violation :
         examineFileMutants(path, arguments.mutants, arguments.trust, statistics.mutants)) {
      std::cout << "VIOLATION [" << violation.check << "] " << violation.text << std::endl;
      ++violations;
      if (arguments.dump.empty())
        continue;
      std::filesystem::create_directories(arguments.dump);
      std::ofstream(arguments.dump + "/file-" + std::to_string(violations) + "-after.cpp") << violation.after;
    }
  printMutants(statistics);
  return violations ? 1 : 0;
}

/// What the replay would let go may not become more than the file says for this run.
bool asTracked(const Arguments &arguments, const Statistics &statistics) {
  std::string key = "exhaustive " + std::to_string(arguments.from) + " to " + std::to_string(arguments.exhaustive) +
                    " part " + std::to_string(arguments.part) + " of " + std::to_string(arguments.parts) + " " +
                    (arguments.buffers ? "buffers " : "") + trustName(arguments.trust);
  nlohmann::json tracked = nlohmann::json::parse(std::ifstream(arguments.tracked));
  if (!tracked.contains(key)) {
    std::cerr << arguments.tracked << ": has no \"" << key << "\"; this run: " << statistics.removableUnits << "\n";
    return false;
  }
  std::size_t before = tracked[key];
  if (statistics.removableUnits != before)
    std::cerr << arguments.tracked << ": \"" << key << "\" was " << before << ", is " << statistics.removableUnits
              << (statistics.removableUnits > before ? ": the optimiser keeps more than it did\n"
                                                     : ": better; write the new number\n");
  return statistics.removableUnits <= before;
}

/// Calls `add` for each kernel of the run, until it returns false.
void makeKernels(const Arguments &arguments, llvm::function_ref<bool(FuzzKernel)> add) {
  if (arguments.exhaustive) {
    std::uint64_t number = 0;
    const auto forEach = arguments.buffers ? forEachBracketKernel : forEachSmallKernel;
    for (Storage storage : {Storage::ApartSmall, Storage::OverlapSmall, Storage::ApartLarge, Storage::OverlapLarge})
      for (std::size_t length = arguments.from; length <= arguments.exhaustive; ++length)
        forEach(length, storage, [&](MakeKernel make) {
          if (++number % arguments.parts != arguments.part % arguments.parts)
            return true;
          FuzzKernel kernel = make();
          kernel.seed = number;
          return add(std::move(kernel));
        });
  } else {
    const KernelSize size = arguments.small ? KernelSize::Small : KernelSize::Any;
    const KernelStyle style = arguments.rare      ? KernelStyle::Rare
                              : arguments.buffers ? KernelStyle::Buffers
                                                  : KernelStyle::Plain;
    for (std::uint64_t i = 0; i < arguments.count && add(KernelGenerator(arguments.seed + i, size, style).generate());)
      ++i;
  }
}

void printAll(const Arguments &arguments, const Statistics &statistics) {
  arguments.mutants  ? printMutants(statistics)
  : arguments.fix    ? printFix(statistics)
  : arguments.resync ? printResync(statistics)
                     : print(statistics);
  if (arguments.showMissed)
    for (const std::string &place : statistics.toolAlonePlaces)
      std::cout << "tool alone: " << place << "\n";
  if (arguments.showMissed)
    for (const std::string &place : statistics.missedPlaces)
      std::cout << "missed: " << place << "\n";
  if (arguments.showMissed)
    for (const std::string &place : statistics.removablePlaces)
      std::cout << "removable: " << place << "\n";
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments = parse(argc, argv);
  if (!arguments.valid) {
    std::cerr
        << "usage: ptosync_fuzz --seed S --count N [--arch a3|a5] [--trust tile|library] [--dump DIR] [--batch B]\n"
           "                    [--resync] [--strip] [--fix] [--small] [--rare] [--twice-every K] [--effort N] "
           "[--regions N]\n"
           "                    [--exhaustive L] [--from F] [--part I/N] [--tracked FILE] [--missed-every K]\n"
           "                    [--most-violations M] [--ignore idempotence] [--print] [--show-missed]\n"
           "                    [--buffers [--mutants M [FILE...]]]\n";
    return 2;
  }
  if (!arguments.files.empty())
    return judgeFiles(arguments);
  Judge judge(arguments.trust, arguments.arch, arguments.ignored, arguments.twiceEvery, arguments.strip,
              static_cast<unsigned>(arguments.effort), arguments.regionWork);
  Statistics statistics;
  std::uint64_t violations = 0;
  std::vector<FuzzKernel> kernels;
  std::uint64_t batches = 0;
  auto judgeBatch = [&] {
    if (arguments.print) {
      std::cout << printKernels(kernels);
      return kernels.clear();
    }
    bool sampled = arguments.missedEvery && batches++ % arguments.missedEvery == 0;
    std::vector<Violation> found;
    for (FuzzKernel &kernel : kernels)
      if (arguments.resync || arguments.fix)
        found.push_back(arguments.fix ? judge.examineFixed(kernel, &statistics)
                                      : judge.examineResynced(kernel, &statistics));
    if (arguments.mutants)
      found = judge.examineMutants(kernels, arguments.mutants, &statistics);
    else if (!arguments.resync && !arguments.fix)
      found = judge.examine(kernels, &statistics, sampled && !arguments.exhaustive,
                            sampled ? CountKept::Yes : CountKept::No);
    for (std::size_t i = 0; i < kernels.size() && violations < arguments.mostViolations; ++i)
      if (found[i]) {
        ++violations;
        report(arguments, judge, kernels[i], found[i]);
      }
    kernels.clear();
  };
  auto add = [&](FuzzKernel kernel) {
    kernel.name += std::to_string(kernel.seed);
    kernels.push_back(std::move(kernel));
    if (kernels.size() == arguments.batch)
      judgeBatch();
    return violations < arguments.mostViolations;
  };
  makeKernels(arguments, add);
  if (!kernels.empty())
    judgeBatch();
  if (!arguments.print)
    printAll(arguments, statistics);
  if (!arguments.tracked.empty() && !asTracked(arguments, statistics))
    return 1;
  return violations ? 1 : 0;
}
