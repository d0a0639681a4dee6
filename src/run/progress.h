// The stage that a long run has reached, as one line that is redrawn on a terminal, or as a plain line now and then
// elsewhere.
//
// A run that is over before the first line is due shows nothing, so that short runs and their logs are as they were.
// The line on a terminal is erased at the end and when anything else is to be printed (finish()). No colour and no
// control sequence but a carriage return is written. The stream is the caller's: the tool gives standard error, and a
// run of a test or a fuzzer shows nothing. Thread-safe. Tested by tests/run/progress_test.cpp.
#pragma once

#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace ptosync {

enum class ProgressForm {
  None,     // nothing is shown
  Terminal, // redrawn
  Plain,    // lines
};

/// The time until the first line is due, and from one line to the next.
struct ProgressPace {
  std::chrono::milliseconds first, next;
};

class Progress {
public:
  /// `what`: the command. `total`: how many steps there are, each one of `unit` ("file"); 0: only stages.
  Progress(std::string what, std::size_t total, std::string unit, ProgressForm form, ProgressPace pace,
           llvm::raw_ostream &stream);
  /// Shows nothing.
  Progress();
  ~Progress() { finish(); }
  Progress(const Progress &) = delete;

  /// Begins a stage: "placing syncs anew".
  void stage(std::string name);
  /// Counts one more step as done.
  void step();
  /// Erases the line; nothing is shown from now on.
  void finish();

private:
  using Clock = std::chrono::steady_clock;
  void show();
  std::string text() const;

  const std::string what, unit;
  const std::size_t total;
  const ProgressForm form;
  const ProgressPace pace;
  llvm::raw_ostream &stream;
  const Clock::time_point start;
  mutable std::mutex mutex; // of what follows
  std::condition_variable changed;
  std::string current;             // the stage; empty: none has begun
  std::size_t done = 0, drawn = 0; // drawn: columns of the line on the terminal
  bool over = false;
  std::thread ticker; // last: it uses the rest
};

} // namespace ptosync
