// The kernels that a run is busy with: what each has taken, for --stats, and the last resort where one does not come to
// its end.
//
//   begin("k.cpp") --> an Allowance, for the kernel's page --> its end, and what it has taken --> stats()
//
// A kernel past its limit ends by itself as soon as it is asked (base/allowance.h). What is never asked, Clang on a
// text that was made to be slow say, is ended with the whole process: a run of one kernel at twice its time, and any
// run at half as much again as the memory it may have. No page that is at work has written anything, since all results
// are written after the last page, so that the files are as they were; the message says so, and the exit code is that
// of a kernel that could not be analysed. Where the system has no more memory the same message names the kernels.
//
// Of several kernels one that hangs in Clang holds up the run: its time is not bounded.
// Tested by tests/tool/limits_test.cpp.
#pragma once

#include "base/allowance.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace ptosync {

/// Value of "schema" of what `stats` returns.
inline constexpr int kStatsSchema = 1;

/// Returns the memory that the process has now, in bytes; 0: not known. `giveBack`: when what is free has been given
/// back to the system.
std::uint64_t processMemory(bool giveBack);

class RunWatch {
public:
  RunWatch();
  ~RunWatch();
  RunWatch(const RunWatch &) = delete;

  /// From now on looks after what begins. `several`: the run is of many kernels.
  void start(const Allowance::Bounds &bounds, bool several);
  /// Returns what the run of a kernel may take, from now on.
  Allowance begin(const std::string &file, const Allowance::Bounds &bounds);
  /// Returns a JSON document of what each kernel has taken, in the order of their names, and of the whole run.
  std::string stats(std::string_view command, int exitCode) const;

private:
  void look();
  [[noreturn]] static void outOfMemory(void *watch, const char *reason, bool crash);
  [[noreturn]] void end(const std::string &why) const;
  /// The kernels that are not done, and what each is at.
  std::string atWork() const;

  const Allowance::Clock::time_point started = Allowance::Clock::now();
  Allowance::Bounds bounds;
  bool several = false;
  mutable std::mutex mutex; // of what follows
  std::vector<std::pair<std::string, Allowance>> kernels;
  bool over = false;
  std::condition_variable changed;
  std::thread watcher; // last: it uses the rest
};

/// The same of a watch, if there is one.
inline Allowance beginRun(RunWatch *watch, const std::string &file, const Allowance::Bounds &bounds) {
  return watch ? watch->begin(file, bounds) : Allowance(bounds);
}

} // namespace ptosync
