// What a long run is at, on standard error: one line that is redrawn on a terminal, a plain line now and then
// elsewhere.
//
// A run that is over before the first line is due shows nothing, so that short runs and their logs are as they were.
// The line on a terminal is erased at the end and when anything else is to be printed (finish()). No colour and no
// control sequence but a carriage return is written. Thread-safe. Tested by tests/tool/progress_test.cpp.
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
  None,     // --quiet
  Terminal, // redrawn
  Plain,    // lines
};

/// When the first line is due, and how long after one the next.
struct ProgressPace {
  std::chrono::milliseconds first, next;
};

class Progress {
public:
  /// `what`: the command. `total`: how many steps there are, each one of `unit` ("file"); 0: only stages.
  Progress(std::string what, std::size_t total, std::string unit, ProgressForm form, ProgressPace pace,
           llvm::raw_ostream &stream);
  /// On standard error, in the form that fits it.
  Progress(std::string what, bool quiet, std::size_t total = 0, std::string unit = "");
  ~Progress() { finish(); }
  Progress(const Progress &) = delete;

  /// What is done now: "placing syncs anew".
  void stage(std::string name);
  /// One more step is done.
  void step();
  /// Erases the line; nothing is shown from now on.
  void finish();

private:
  void show();
  std::string text() const;

  const std::string what, unit;
  const std::size_t total;
  const ProgressForm form;
  const ProgressPace pace;
  llvm::raw_ostream &stream;
  const std::chrono::steady_clock::time_point start;
  std::mutex mutex; // of what follows
  std::condition_variable changed;
  std::string current;
  std::size_t done = 0, drawn = 0; // drawn: columns of the line on the terminal
  bool over = false;
  std::thread ticker; // last: it uses the rest
};

} // namespace ptosync
