// ptosync_differential: is what the frontend lifts what the text does? See README.md beside this file.
#include "differential/comparison.h"
#include "differential/program_reducer.h"
#include "differential/program_run.h"

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
  bool programs = false, print = false, shrink = false, list = false;
  std::size_t show = 10;
  std::string dump;
  std::vector<std::string> files;
};

std::set<std::string> split(const std::string &text) {
  std::set<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');)
    parts.insert(part);
  return parts;
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
    else if (word == "--dump")
      line.dump = value();
    else if (word == "--show")
      line.show = number();
    else if (word == "--print")
      line.print = true;
    else if (word == "--shrink")
      line.shrink = true;
    else if (word == "--list-features")
      line.list = true;
    else if (word == "--sanitize")
      line.options.tools.sanitize = true;
    else if (word.rfind("--", 0) == 0)
      return false;
    else
      line.files.push_back(word);
  }
  return true;
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
    std::cout << name << feature.programs << "\t" << feature.different << "\t" << feature.undecided << "\t" << feature.givenUp << "\n";
  };
  for (const auto &[name, feature] : tally.features)
    row(name, feature);
  row("all", tally.all);
  std::cout << tally.runs << " runs, " << tally.events << " events, " << tally.operands << " operands compared, " << tally.unknown
            << " unknown\n";
  for (std::size_t i = 0; i < tally.faults.size() && i < line.show; ++i)
    std::cout << "fault of the generator: " << tally.faults[i] << "\n";
  for (std::size_t i = 0; i < tally.different.size() && i < line.show; ++i) {
    FoundProgram &found = tally.different[i];
    std::cout << "\n" << kernelName(found.program) << " (seed " << line.request.seed << ", number " << found.program.number << ";";
    for (const std::string &feature : found.program.features)
      std::cout << " " << feature;
    std::cout << "): line " << found.comparison.line << ": " << found.comparison.reason << "\n";
    if (line.shrink) {
      found.program = reduceProgram(found.program, [&](const Program &smaller) {
        KernelComparison comparison = compareProgram(smaller, line.options);
        return comparison.verdict == Verdict::Different && comparison.brokenRuns == 0;
      });
      found.comparison = compareProgram(found.program, line.options);
      std::cout << "reduced: line " << found.comparison.line << ": " << found.comparison.reason << "\n" << spelled(found.program);
    }
    if (!line.dump.empty()) {
      std::filesystem::create_directories(line.dump);
      std::ofstream(line.dump + "/" + kernelName(found.program) + "_" + std::to_string(line.request.seed) + ".cpp")
          << "// line " << found.comparison.line << ": " << found.comparison.reason << "\n" << fileOf({found.program});
    }
  }
  std::cout << tally.different.size() << " different, " << tally.faults.size() << " faults of the generator\n";
  return tally.different.empty() && tally.faults.empty() ? 0 : 1;
}

int compareFiles(const CommandLine &line) {
  std::map<Verdict, std::size_t> verdicts;
  std::size_t notCompiled = 0, notLifted = 0, events = 0, operands = 0, unknown = 0;
  for (const std::string &name : line.files) {
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
      events += kernel.events, operands += kernel.operands, unknown += kernel.unknown;
      const char *names[] = {"same", "DIFFERENT", "undecided", "given up", "not run"};
      if (kernel.verdict != Verdict::Same)
        std::cout << name << ":" << kernel.line << ": " << kernel.kernel << ": " << names[static_cast<int>(kernel.verdict)] << ": "
                  << kernel.reason << "\n";
    }
  }
  std::cout << verdicts[Verdict::Same] << " kernels same, " << verdicts[Verdict::Different] << " different, "
            << verdicts[Verdict::Undecided] << " undecided, " << verdicts[Verdict::GivenUp] << " given up, "
            << verdicts[Verdict::NotRun] << " not run; " << notCompiled << " files not compiled, " << notLifted
            << " not lifted; " << events << " events, " << operands << " operands compared, " << unknown << " unknown\n";
  return verdicts[Verdict::Different] ? 1 : 0;
}

} // namespace

int main(int count, char **arguments) {
  CommandLine line;
  if (!parse(count, arguments, line) || (!line.programs && !line.list && line.files.empty())) {
    std::cerr << "usage: ptosync_differential --count N [--seed S] [--from N] [--jobs J] [--only F,..] [--without F,..] [--shrink] "
                 "[--dump FOLDER] [--show N] [--runs R] [--per-file N] [--sanitize] [--print]\n"
                 "       ptosync_differential KERNEL.cpp...\n"
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
  return line.programs ? comparePrograms(line) : compareFiles(line);
}
