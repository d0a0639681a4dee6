// Entry point: command line in, exit code out.
#include "frontend/guard/nesting.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/option_table.h"
#include "tool/options.h"
#include "tool/run_watch.h"
#include "tool/session.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/InitLLVM.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/Signals.h>

#include <csignal>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

const char *nameOf(ptosync::Command command) {
  for (const ptosync::CommandRow &row : ptosync::commandRows())
    if (row.command == command)
      return row.name;
  return "";
}

int runCommand(const ptosync::ToolOptions &options) {
  switch (options.command) {
  case ptosync::Command::Optimize:
  case ptosync::Command::Synchronise: return ptosync::runOpt(options);
  case ptosync::Command::Audit: return ptosync::runAudit(options);
  case ptosync::Command::Fix: return ptosync::runFix(options);
  case ptosync::Command::Explain: return ptosync::runExplain(options);
  case ptosync::Command::Verify: return ptosync::runVerify(options);
  case ptosync::Command::Timeline: return ptosync::runTimeline(options);
  case ptosync::Command::Compare: return ptosync::runCompare(options);
  case ptosync::Command::Model: return ptosync::runModel(options);
  case ptosync::Command::PatchVecBarriers: return ptosync::runPatch(options);
  case ptosync::Command::Merge: return ptosync::runMerge(options);
  case ptosync::Command::RuleShow:
  case ptosync::Command::RuleList:
  case ptosync::Command::PatternsList:
  case ptosync::Command::PatternsShow:
  case ptosync::Command::PatternsTest: return ptosync::runPatterns(options);
  }
  return ptosync::kExitUsage;
}

/// Says before anything is done what would keep the statistics, which come last, from being written.
llvm::Error checkStats(const ptosync::ToolOptions &options) {
  const std::string &stats = options.stats;
  if (stats.empty())
    return llvm::Error::success();
  const llvm::StringRef folder = llvm::sys::path::parent_path(stats);
  if (!llvm::sys::fs::is_directory(folder.empty() ? "." : folder))
    return llvm::createStringError("--stats=" + stats + ": there is no folder " + folder.str());
  return ptosync::checkOutputs(options, {});
}

int run(ptosync::ToolOptions &options) {
  if (llvm::Error error = checkStats(options))
    return ptosync::fail(std::move(error), ptosync::kExitUsage);
  ptosync::RunWatch watch;
  watch.start(options.bounds, options.several);
  options.watch = &watch;
  const int exitCode = runCommand(options);
  if (!options.stats.empty() && exitCode != ptosync::kExitUsage) // then nothing is written
    if (llvm::Error error =
            ptosync::writeFiles({{options.stats, watch.stats(nameOf(options.command), exitCode)}}, *options.reads))
      return ptosync::fail(std::move(error), ptosync::kExitUsage);
  return exitCode;
}

/// What was freed is used again and never given back: a run is short, and every page that comes back costs a fault.
void keepMemory() {
#ifdef __GLIBC__
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

/// Takes out of the environment what Clang, which reads the kernels, would hear as a compiler does: folders of headers,
/// and the time of the build. The command line and the configuration say what a run depends on.
void closeEnvironment() {
  for (const char *name :
       {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "OBJCPLUS_INCLUDE_PATH"})
    unsetenv(name);
  setenv("SOURCE_DATE_EPOCH", "0", 1); // what __DATE__ and __TIME__ say
}

/// Ends as the signal does by itself, but without a temporary file.
void endAtOnce(int signal) {
  llvm::sys::RunInterruptHandlers();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Returns true if whoever started the tool has it ignore the signal, as shells do with what runs in the background.
bool isIgnored(int signal) {
  struct sigaction now;
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

/// LLVM takes these signals for crashes. A user who ends the run or limits it has found none: too large a file is an
/// error of the write, the others end the run.
void keepUsualSignals(bool quitIgnored) {
  std::signal(SIGQUIT, quitIgnored ? SIG_IGN : endAtOnce);
  std::signal(SIGXCPU, endAtOnce);
  std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace

int main(int argc, char **argv) {
  const bool quitIgnored = isIgnored(SIGQUIT);
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  llvm::setBugReportMsg("ptosync: internal error, nothing was written; please report it together with the kernel\n");
  keepUsualSignals(quitIgnored);
  ptosync::guardStandardOutput();
  keepMemory();
  closeEnvironment();
  ptosync::deepenThreads();
  ptosync::ParsedCommandLine parsed = ptosync::parseCommandLine(argc, argv);
  int exitCode = parsed.exitCode;
  if (exitCode < 0)
    ptosync::runOnDeepStack([&] { exitCode = run(parsed.options); });
  return exitCode;
}
