// What a run of one kernel may take, and what it has taken so far: time, memory, units of work.
//
//   Bounds (--time-limit, --memory-limit) --Allowance--> handed to whatever loops: spent(WorkUnit)? --> true: come to
//   an end
//                                                        the page that started the run: exceeded()? --> a LimitError
//
// Whoever is about to begin a unit of work asks `spent`, which counts the unit, and comes to an end by the next best
// way if it is: an error, an edit that is refused, a loop that is left. What it has found until then may be wrong, so
// nobody may use it. That is seen to in one place: an allowance that is spent stays spent, and a page of src/run that
// ends with a spent one gives its LimitError in the place of whatever came of the work (`within` in src/run/run.h). So
// it does not matter who swallows an error or reads a trial that was cut short as refused, and a kernel's result is
// either what it is without a limit, or none.
//
// A part of an allowance ends earlier and leaves the whole alone: a search ends with its part, and what it has proved
// before is used.
//
// One that is made without bounds counts and is never spent; the default one does not even count. Without bounds no
// result depends on a clock. Thread-safe: copies share what was taken.
// It stops nothing that does not ask. Tested by tests/base/allowance_test.cpp and tests/run/allowance_test.cpp, which
// ends the work on a kernel at every single question.
#pragma once

#include "base/messages.h"

#include <llvm/Support/Error.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// The units that are counted.
enum class WorkUnit : std::uint8_t {
  Reading,  // a text read in one core section
  Analysis, // a kernel analysed
  Visit,    // a block run through by a fixpoint
  Trial,    // an edit tried
  Edit,     // an edit that was allowed and made
  Run,      // a run of the replay, or one that is timed
  Step,     // of a search for a path
  Rule,     // a family of rules of the audit
};
inline constexpr std::size_t kWorkUnits = 8;

/// Returns "trials".
const char *workUnitName(WorkUnit work);

/// The memory of the process, held against a bound. One allowance after the other is told that it is spent: the one
/// that asks first past the bound. While it gives back what it has, the others go on. What was freed and is kept for
/// later does not count. Thread-safe.
class MemoryBound {
public:
  /// Returns the bytes that the process has now; `giveBack`: when what is free has been given back to the system.
  using Measure = std::function<std::uint64_t(bool giveBack)>;
  MemoryBound(std::uint64_t bytes, Measure measure) : most(bytes), measured(std::move(measure)) {}
  std::uint64_t bytes() const { return most; }
  /// Returns true if `asker` is to give up. The memory is measured now and then.
  bool exceededFor(const void *asker);
  /// To be called when whoever had to give up has done so.
  void gaveUp(const void *asker);

private:
  const std::uint64_t most;
  const Measure measured;
  std::atomic<std::int64_t> nextLook = 0; // milliseconds
  std::mutex mutex;
  const void *givesUp = nullptr;
};

/// Past a bound that the user set. The text says which one, during what, and what to do.
class LimitError : public TextError<LimitError> {
public:
  using TextError::TextError;
};

class Allowance {
public:
  using Clock = std::chrono::steady_clock;

  struct Bounds {
    std::optional<double> seconds;            // from where the allowance is made
    std::shared_ptr<MemoryBound> memory = {}; // of the process, shared by all
    std::optional<std::uint64_t> asked = {};  // for tests: spent by the question of this number, from 1
    bool any() const { return seconds || memory || asked; }
  };

  /// A stage of the run: "reading", and how long it took.
  using Stage = std::pair<std::string, double>;
  /// What the run was about.
  struct Size {
    std::uint64_t sections = 0, statements = 0, syncs = 0; // sections: functions, by core
  };
  struct Taken {
    Size size;
    std::array<std::uint64_t, kWorkUnits> units = {}; // by WorkUnit
    std::vector<Stage> stages;                        // in their order, seconds; the last one until now
    double seconds = 0;                               // until now, or to the end
  };

  /// Counts nothing and is never spent.
  Allowance() = default;
  explicit Allowance(const Bounds &bounds);

  /// Counts a unit that is about to begin, and returns true if it must not.
  bool spent(WorkUnit work) const { return state && ask(work); }
  /// Asks without a unit that begins.
  bool over() const { return state && ask(std::nullopt); }
  /// Counts without a question.
  void count(WorkUnit work) const;
  /// Returns true if `spent` has ever returned true.
  bool exceeded() const;
  /// Returns true if a limit had a part in the result: this one is exceeded, or a part of it. Another run may come to
  /// something else then.
  bool hadPart() const;
  /// Returns a part with `share` of the time that is left.
  Allowance part(double share) const;
  /// Begins a stage, which ends the one before.
  void stage(std::string name) const;
  /// Notes the size of the kernel, once.
  void sized(const Size &size) const;
  /// Notes that the run is over: nothing is taken from now on.
  void end() const;
  bool ended() const;
  Taken taken() const;
  /// Returns which bound was met, during what, after how much work: of one that is exceeded.
  std::string reason() const;
  /// Returns that, what became of the file, and what to do. `file`: its name.
  llvm::Error error(const std::string &file) const;

private:
  struct State;
  bool ask(std::optional<WorkUnit> work) const;
  std::shared_ptr<State> state;
};

} // namespace ptosync
