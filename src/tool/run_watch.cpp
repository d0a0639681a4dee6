#include "tool/run_watch.h"

#include "base/messages.h"
#include "patterns/version.h"
#include "tool/options.h"

#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/resource.h>
#include <unistd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kLookPause(20);
constexpr double kTimesOver = 2, kSecondsOver = 1; // the last resort: so many times the limit, and so much more
constexpr std::uint64_t kMemoryOver = 64 << 20;    // beside half as much again

double processorSeconds() {
#if defined(__unix__) || defined(__APPLE__)
  struct rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0)
    return 0;
  auto seconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
#else
  return 0;
#endif
}

/// The most bytes that the process ever had; 0: not known.
std::uint64_t peakMemory() {
#ifdef __linux__
  struct rusage usage = {};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) << 10 : 0;
#else
  return 0;
#endif
}

double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

Json kernelJson(const std::string &file, const Allowance &allowance) {
  const Allowance::Taken taken = allowance.taken();
  Json work = Json::object(), stages = Json::array();
  for (std::size_t i = 0; i < kWorkUnits; ++i)
    work[workUnitName(static_cast<WorkUnit>(i))] = taken.units[i];
  for (const auto &[stage, seconds] : taken.stages)
    stages.push_back({{"stage", stage}, {"seconds", rounded(seconds)}});
  const std::string stopped = allowance.reason();
  return {{"file", validUtf8(file)},
          {"sections", taken.size.sections},
          {"statements", taken.size.statements},
          {"syncs", taken.size.syncs},
          {"stopped", stopped.empty() ? Json(nullptr) : Json(stopped)},
          {"work", std::move(work)},
          {"seconds", rounded(taken.seconds)},
          {"stages", std::move(stages)}};
}

} // namespace

std::uint64_t processMemory([[maybe_unused]] bool giveBack) {
#ifdef __GLIBC__
  if (giveBack)
    malloc_trim(0);
#endif
#ifdef __linux__
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  return file >> all >> resident ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
#else
  return 0;
#endif
}

RunWatch::RunWatch() {
  llvm::install_bad_alloc_error_handler(&RunWatch::outOfMemory, this);
  llvm::install_out_of_memory_new_handler();
}

RunWatch::~RunWatch() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    over = true;
  }
  changed.notify_all();
  if (watcher.joinable())
    watcher.join();
  llvm::remove_bad_alloc_error_handler();
}

void RunWatch::start(const Allowance::Bounds &given, bool ofSeveral) {
  bounds = given;
  several = ofSeveral;
  if (bounds.any())
    watcher = std::thread([this] { look(); });
}

Allowance RunWatch::begin(const std::string &file, const Allowance::Bounds &given) {
  Allowance allowance(given);
  std::lock_guard<std::mutex> lock(mutex);
  kernels.emplace_back(file, allowance);
  return allowance;
}

std::string RunWatch::atWork() const {
  std::string text;
  for (const auto &[file, allowance] : kernels) {
    if (allowance.ended())
      continue;
    const Allowance::Taken taken = allowance.taken();
    text.append(text.empty() ? "" : ", ").append(file);
    if (!taken.stages.empty())
      text.append(" (").append(taken.stages.back().first).append(")");
  }
  return text;
}

void RunWatch::look() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!changed.wait_for(lock, kLookPause, [this] { return over; })) {
    const auto busy =
        std::find_if(kernels.begin(), kernels.end(), [](const auto &kernel) { return !kernel.second.ended(); });
    if (busy == kernels.end())
      continue;
    if (bounds.memory && processMemory(false) > bounds.memory->bytes() / 2 * 3 + kMemoryOver)
      end(atWork() + ": far more memory is in use than --memory-limit allows, and what is under way cannot be left");
    if (bounds.seconds && !several && busy->second.taken().seconds > kTimesOver * *bounds.seconds + kSecondsOver)
      end(atWork() + ": --time-limit is long over, and what is under way cannot be left");
  }
}

void RunWatch::end(const std::string &why) const {
  llvm::errs() << "ptosync: " << why << "; nothing was written\n";
  llvm::sys::RunInterruptHandlers();
  std::_Exit(kExitNotAnalysed);
}

void RunWatch::outOfMemory(void *watch, const char *, bool) {
  const auto &own = *static_cast<RunWatch *>(watch);
  const std::string busy = own.mutex.try_lock() ? own.atWork() : "";
  if (busy.empty()) {
    llvm::errs() << "ptosync: the system has no more memory for it\n";
    std::_Exit(kExitNotAnalysed);
  }
  own.end(busy + ": the system has no more memory for it; try fewer kernels at a time with --jobs, or --memory-limit");
}

std::string RunWatch::stats(std::string_view command, int exitCode) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::pair<std::string, Allowance>> sorted = kernels;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  Json each = Json::array();
  for (const auto &[file, allowance] : sorted)
    each.push_back(kernelJson(file, allowance));
  const double seconds = std::chrono::duration<double>(Allowance::Clock::now() - started).count();
  const Json document = {{"schema", kStatsSchema},
                         {"tool", "ptosync"},
                         {"version", toolVersion()},
                         {"command", command},
                         {"exitCode", exitCode},
                         {"kernels", std::move(each)},
                         {"total",
                          {{"kernels", sorted.size()},
                           {"seconds", rounded(seconds)},
                           {"processorSeconds", rounded(processorSeconds())},
                           {"peakMemory", peakMemory()}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
