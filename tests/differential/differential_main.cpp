// ptosync_differential: is what the frontend lifts what the text does? See README.md beside this file.
#include "differential/broken_readers.h"
#include "differential/comparison.h"
#include "differential/program_reducer.h"
#include "differential/program_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <sstream>

using namespace ptosync;
using namespace ptosync::differential;

namespace {

using Verdict = KernelComparison::Verdict;

struct CommandLine {
  ProgramRequest request;
  ComparisonOptions options{builtInTools(), everyInstruction()};
  std::size_t jobs = 1;
  bool programs = false, print = false, shrink = false, list = false, broken = false, folders = false;
  std::size_t show = 10, least = 0;
  std::string dump;
  std::vector<std::string> files;
  std::set<std::string> known; // features and file names with differences that are known
};

std::set<std::string> split(const std::string &text) {
  std::set<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');)
    parts.insert(part);
  return parts;
}

/// One feature or file a line, what stands behind it is a remark; `#` lines are remarks.
std::set<std::string> readKnown(const std::string &path) {
  std::set<std::string> names;
  std::ifstream stream(path);
  for (std::string text; std::getline(stream, text);)
    if (std::string word = text.substr(0, text.find_first_of(" \t")); !word.empty() && word[0] != '#')
      names.insert(word);
  return names;
}

/// Every .cpp file in the folder and below, by name.
void addFolder(CommandLine &line, const std::string &folder) {
  namespace fs = std::filesystem;
  line.folders = true;
  std::set<std::string> found;
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.path().extension() == ".cpp")
      found.insert(entry.path().string());
  if (found.empty())
    std::cout << folder << ": skipped, no kernels there\n";
  line.files.insert(line.files.end(), found.begin(), found.end());
}

bool parse(int count, char **arguments, CommandLine &line) {
  for (int i = 1; i < count; ++i) {
    std::string word = arguments[i];
    auto value = [&]() -> std::string { return i + 1 < count ? arguments[++i] : ""; };
    auto number = [&] { return std::strtoull(value().c_str(), nullptr, 10); };
    if (word == "--count")
      line.programs = true, line.request.count = number();
    else if (word == "--seed")
      line.request.seed = number();
    else if (word == "--from")
      line.request.from = number();
    else if (word == "--per-file")
      line.request.perFile = std::max<std::size_t>(1, number());
    else if (word == "--runs")
      line.options.runs = number();
    else if (word == "--jobs")
      line.jobs = std::max<std::size_t>(1, number());
    else if (word == "--only")
      line.request.only = split(value());
    else if (word == "--without")
      line.request.without = split(value());
    else if (word == "--known")
      line.known = readKnown(value());
    else if (word == "--dump")
      line.dump = value();
    else if (word == "--show")
      line.show = number();
    else if (word == "--checker")
      line.options.checker = true;
    else if (word == "--least")
      line.least = number();
    else if (word == "--print")
      line.print = true;
    else if (word == "--shrink")
      line.shrink = true;
    else if (word == "--broken")
      line.broken = true;
    else if (word == "--list-features")
      line.list = true;
    else if (word == "--sanitize")
      line.options.tools.sanitize = true;
    else if (word == "--below")
      addFolder(line, value());
    else if (word.rfind("--", 0) == 0)
      return false;
    else
      line.files.push_back(word);
  }
  return true;
}

bool isKnown(const CommandLine &line, const FoundProgram &found) {
  return std::any_of(found.program.features.begin(), found.program.features.end(),
                     [&](const std::string &feature) { return line.known.count(feature) != 0; });
}

/// So that a comparison cannot pass by comparing nothing.
bool tooFew(const CommandLine &line, std::size_t same) {
  if (same < line.least)
    std::cout << "only " << same << " compared and the same, " << line.least << " are wanted\n";
  return same < line.least;
}

int comparePrograms(const CommandLine &line) {
  std::vector<std::future<ProgramTally>> parts;
  for (std::size_t job = 0; job < line.jobs; ++job)
    parts.push_back(std::async(std::launch::async, [&, job] {
      ProgramRequest request = line.request;
      std::size_t begin = line.request.count * job / line.jobs, end = line.request.count * (job + 1) / line.jobs;
      request.from += begin;
      request.count = end - begin;
      return differential::comparePrograms(request, line.options);
    }));
  ProgramTally tally;
  for (auto &part : parts)
    merge(tally, part.get());
  std::cout << "feature                  programs different undecided given-up\n";
  auto row = [&](std::string name, const FeatureTally &feature) {
    name.resize(25, ' ');
    std::cout << name << feature.programs << "\t" << feature.different << "\t" << feature.undecided << "\t"
              << feature.givenUp << "\n";
  };
  for (const auto &[name, feature] : tally.features)
    row(name, feature);
  row("all", tally.all);
  std::cout << tally.runs << " runs, " << tally.events << " events, " << tally.operands << " operands compared, "
            << tally.unknown << " unknown\n";
  for (std::size_t i = 0; i < tally.faults.size() && i < line.show; ++i)
    std::cout << "fault of the generator: " << tally.faults[i] << "\n";
  std::stable_partition(tally.different.begin(), tally.different.end(),
                        [&](const FoundProgram &found) { return !isKnown(line, found); });
  for (std::size_t i = 0; i < tally.different.size() && i < line.show; ++i) {
    FoundProgram &found = tally.different[i];
    std::cout << "\n"
              << kernelName(found.program) << " (seed " << line.request.seed << ", number " << found.program.number
              << ";";
    for (const std::string &feature : found.program.features)
      std::cout << " " << feature;
    std::cout << "): line " << found.comparison.line << ": " << found.comparison.reason << "\n";
    if (line.shrink) {
      found.program = reduceProgram(found.program, [&](const Program &smaller) {
        KernelComparison comparison = compareProgram(smaller, line.options);
        return comparison.verdict == Verdict::Different && comparison.brokenRuns == 0;
      });
      found.comparison = compareProgram(found.program, line.options);
      std::cout << "reduced: line " << found.comparison.line << ": " << found.comparison.reason << "\n"
                << spelled(found.program);
    }
    if (!line.dump.empty()) {
      std::filesystem::create_directories(line.dump);
      std::ofstream(line.dump + "/" + kernelName(found.program) + "_" + std::to_string(line.request.seed) + ".cpp")
          << "// line " << found.comparison.line << ": " << found.comparison.reason << "\n"
          << fileOf({found.program});
    }
  }
  std::size_t unexpected =
      static_cast<std::size_t>(std::count_if(tally.different.begin(), tally.different.end(),
                                             [&](const FoundProgram &found) { return !isKnown(line, found); }));
  std::cout << tally.different.size() << " different (" << unexpected << " without a known feature), "
            << tally.faults.size() << " faults of the generator\n";
  const std::size_t same =
      tally.all.programs - tally.all.different - tally.all.undecided - tally.all.givenUp - tally.all.unread;
  bool failed = unexpected > 0 || !tally.faults.empty() || tooFew(line, same);
  for (const auto &[name, feature] : tally.features)
    if (line.known.count(name) && feature.different == 0) {
      std::cout << "known differences of " << name << " are none any more: take it out of the list\n";
      failed = true;
    }
  return failed;
}

/// Fails if a reader that is wrong on purpose is not found.
int compareBroken(const CommandLine &line) {
  bool failed = false;
  std::cout << "reader          first program   differ\n";
  for (const BrokenReaderResult &result : findBrokenReaders(line.request, line.options)) {
    std::string name = result.name;
    name.resize(16, ' ');
    std::cout << name << (result.firstProgram ? std::to_string(*result.firstProgram) : "NOT FOUND") << "\t\t"
              << result.found << " of " << result.programs << "\t" << result.mistake << "\n";
    if (result.firstProgram)
      std::cout << "                " << result.reason.substr(0, 200) << "\n";
    failed |= !result.firstProgram;
  }
  return failed;
}

int compareFiles(const CommandLine &line) {
  std::map<Verdict, std::size_t> verdicts;
  std::size_t notCompiled = 0, notLifted = 0, events = 0, operands = 0, unknown = 0;
  std::set<std::string> listed, differing; // names without folders
  bool failed = false;
  for (const std::string &name : line.files) {
    std::string shortName = std::filesystem::path(name).filename().string();
    listed.insert(shortName);
    std::ifstream stream(name);
    std::ostringstream text;
    text << stream.rdbuf();
    FileComparison file = compareText(text.str(), name, line.options);
    if (!file.notLifted.empty())
      ++notLifted, std::cout << name << ": not lifted: " << file.notLifted.substr(0, file.notLifted.find('\n')) << "\n";
    if (!file.notCompiled.empty())
      ++notCompiled, std::cout << name << ": not compiled: " << file.notCompiled << "\n";
    for (const KernelComparison &kernel : file.kernels) {
      ++verdicts[kernel.verdict];
      if (kernel.verdict == Verdict::Different) {
        differing.insert(shortName);
        failed |= !line.known.count(shortName);
      }
      events += kernel.events, operands += kernel.operands, unknown += kernel.unknown;
      const char *names[] = {"same", "DIFFERENT", "undecided", "given up", "not run"};
      if (kernel.verdict != Verdict::Same)
        std::cout << name << ":" << kernel.line << ": " << kernel.kernel << ": "
                  << names[static_cast<int>(kernel.verdict)] << ": " << kernel.reason << "\n";
    }
  }
  for (const std::string &name : line.known)
    if (listed.count(name) && !differing.count(name)) {
      std::cout << "known differences of " << name << " are none any more: take it out of the list\n";
      failed = true;
    }
  std::cout << verdicts[Verdict::Same] << " kernels same, " << verdicts[Verdict::Different] << " different, "
            << verdicts[Verdict::Undecided] << " undecided, " << verdicts[Verdict::GivenUp] << " given up, "
            << verdicts[Verdict::NotRun] << " not run; " << notCompiled << " files not compiled, " << notLifted
            << " not lifted; " << events << " events, " << operands << " operands compared, " << unknown
            << " unknown\n";
  return tooFew(line, verdicts[Verdict::Same]) || failed;
}

} // namespace

int main(int count, char **arguments) {
  CommandLine line;
  if (!parse(count, arguments, line) || (!line.programs && !line.list && !line.folders && line.files.empty())) {
    std::cerr
        << "usage: ptosync_differential --count N [--seed S] [--from N] [--jobs J] [--only F,..] [--without F,..] "
           "[--shrink] "
           "[--dump FOLDER] [--show N] [--known FILE] [--broken] [--runs R] [--per-file N] [--sanitize] [--print] "
           "[--checker] [--least N]\n"
           "       ptosync_differential [--known FILE] [--checker] [--least N] [--below FOLDER]... KERNEL.cpp...\n"
           "       ptosync_differential --list-features\n";
    return 2;
  }
  if (line.list)
    for (const std::string &name : featureNames())
      std::cout << name << "\n";
  if (line.list)
    return 0;
  if (line.print) {
    std::vector<Program> programs;
    for (std::size_t i = 0; i < line.request.count; ++i)
      programs.push_back(generateProgram(line.request.seed, line.request.from + i, line.request.only));
    std::cout << fileOf(programs);
    return 0;
  }
  if (line.broken)
    return compareBroken(line);
  return line.programs ? comparePrograms(line) : compareFiles(line);
}
