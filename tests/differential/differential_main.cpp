// ptosync_differential: is what the frontend lifts what the text does? See README.md beside this file.
#include "differential/comparison.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace ptosync;
using namespace ptosync::differential;

int main(int count, char **arguments) {
  ComparisonOptions options{builtInTools(), everyInstruction()};
  std::map<KernelComparison::Verdict, std::size_t> verdicts;
  std::size_t notCompiled = 0, notLifted = 0, events = 0, operands = 0, unknown = 0;
  for (int i = 1; i < count; ++i) {
    std::ifstream stream(arguments[i]);
    std::ostringstream text;
    text << stream.rdbuf();
    FileComparison file = compareText(text.str(), arguments[i], options);
    if (!file.notLifted.empty())
      ++notLifted, std::cout << arguments[i] << ": not lifted: " << file.notLifted.substr(0, 200) << "\n";
    if (!file.notCompiled.empty())
      ++notCompiled, std::cout << arguments[i] << ": not compiled: " << file.notCompiled << "\n";
    for (const KernelComparison &kernel : file.kernels) {
      ++verdicts[kernel.verdict];
      events += kernel.events, operands += kernel.operands, unknown += kernel.unknown;
      const char *names[] = {"same", "DIFFERENT", "undecided", "given up", "not run"};
      if (kernel.verdict != KernelComparison::Verdict::Same || kernel.brokenRuns)
        std::cout << arguments[i] << ":" << kernel.line << ": " << kernel.kernel << ": " << names[(int)kernel.verdict] << " "
                  << kernel.reason << (kernel.brokenRuns ? " (broken runs)" : "") << "\n";
    }
  }
  for (auto [verdict, number] : verdicts)
    std::cout << (int)verdict << ": " << number << "\n";
  std::cout << "not compiled " << notCompiled << " not lifted " << notLifted << " events " << events << " operands " << operands
            << " unknown " << unknown << "\n";
}
