// One kernel file: lifted by the frontend, run natively, and compared kernel by kernel and run by run.
//
// A kernel that the reader gives up (`analysable == false`) is counted and not compared. A file that is not accepted by
// the native compiler, or by the reader, is said so: neither is a difference. Tested by the readers that are broken on
// purpose (broken_readers.h): each of their mistakes has to show here.
#pragma once

#include "differential/native_run.h"
#include "differential/trace_match.h"
#include "frontend/frontend.h"
#include "kernel/kernel.h"

#include <functional>
#include <string>
#include <vector>

namespace ptosync::differential {

struct KernelComparison {
  enum class Verdict : std::uint8_t { Same, Different, Undecided, GivenUp, NotRun };
  std::string kernel;
  Section section = Section::Both;
  Verdict verdict = Verdict::Same;
  std::string reason;                   // Different: of the first run that differs; GivenUp: the reader's
  std::uint32_t line = 0;               // Different
  std::size_t runs = 0, brokenRuns = 0; // natively executed; ended by a crash or the clock
  std::size_t events = 0, operands = 0, unknown = 0;
};

struct FileComparison {
  std::string notCompiled, notLifted; // messages; empty: fine
  std::vector<KernelComparison> kernels;
};

/// Changes a lifted kernel: how a reader that is wrong is made.
using Mutation = std::function<void(Kernel &)>;

/// The text of a kernel for the reader of the checker.
using CheckerText = std::function<std::string(const std::string &kernel)>;

struct ComparisonOptions {
  NativeTools tools;
  FrontendOptions frontend;
  bool checker = false;         // the checker's reader (checker_match.h) is compared in place of the frontend's
  CheckerText checkerText = {}; // empty: the text that is run
  std::uint64_t seed = 1;
  std::size_t runs = 3;
  std::size_t mostEvents = 4000; // of a run
};

/// What a text does natively, kept so that several readers can be compared with it.
struct NativeFile {
  std::string error;
  std::vector<RunInputs> inputs;
  std::map<Section, NativeResult> results; // by the section whose macro was defined
};

/// `module` tells which functions are kernels, and nothing else.
NativeFile runFile(const std::string &text, const Module &module, const ComparisonOptions &options);

FileComparison compareModule(const Module &module, const NativeFile &native, const Mutation &mutation = {});

/// The checker's reader; `module` tells which functions are kernels, and nothing else.
FileComparison compareChecker(const std::string &text, const Module &module, const NativeFile &native,
                              const CheckerText &textOf = {});

FileComparison compareText(const std::string &text, const std::string &name, const ComparisonOptions &options);

/// Names that either machine model knows.
FrontendOptions everyInstruction();

} // namespace ptosync::differential
