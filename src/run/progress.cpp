#include "run/progress.h"

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::size_t kBarWidth = 20, kMostColumns = 78;

} // namespace

Progress::Progress(std::string what, std::size_t total, std::string unit, ProgressForm form, ProgressPace pace,
                   llvm::raw_ostream &stream)
    : what(std::move(what)), unit(std::move(unit)), total(total), form(form), pace(pace), stream(stream),
      start(Clock::now()) {
  if (form != ProgressForm::None)
    ticker = std::thread([this] { show(); });
}

Progress::Progress() : Progress("", 0, "", ProgressForm::None, {}, llvm::nulls()) {}

void Progress::stage(std::string name) {
  std::lock_guard<std::mutex> lock(mutex);
  current = std::move(name);
}

void Progress::step() {
  std::lock_guard<std::mutex> lock(mutex);
  ++done;
}

void Progress::finish() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    over = true;
  }
  changed.notify_all();
  if (ticker.joinable())
    ticker.join();
  if (drawn)
    stream << "\r" << std::string(drawn, ' ') << "\r";
  drawn = 0;
}

/// The line as it is now, without its end.
std::string Progress::text() const {
  std::string line = what;
  if (total) {
    std::size_t filled = std::min(done, total) * kBarWidth / total;
    if (form == ProgressForm::Terminal)
      line += " [" + std::string(filled, '#') + std::string(kBarWidth - filled, '-') + "]";
    line += (form == ProgressForm::Terminal ? " " : ": ") + std::to_string(done) + " of " + std::to_string(total) +
            " " + unit + "s";
  }
  if (!current.empty())
    line += (total ? ", " : ": ") + current;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
  return line + ", " + std::to_string(seconds) + " s";
}

/// The ticker's work.
void Progress::show() {
  std::unique_lock<std::mutex> lock(mutex);
  auto due = start + pace.first;
  while (!changed.wait_until(lock, due, [this] { return over; })) {
    due = Clock::now() + pace.next;
    std::string line = text();
    if (form == ProgressForm::Plain) {
      stream << "ptosync: " << line << "\n";
      continue;
    }
    line.resize(std::min(line.size(), kMostColumns));
    std::size_t columns = line.size();
    line.resize(std::max(columns, drawn), ' '); // over what the last one was longer by
    drawn = columns;
    stream << "\r" << line << "\r"; // what is printed next starts at the margin
    stream.flush();
  }
}

} // namespace ptosync
