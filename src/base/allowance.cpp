#include "base/allowance.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::int64_t kMemoryPause = 10; // milliseconds from one look at the memory to the next

std::int64_t millisecondsNow() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Allowance::Clock::now().time_since_epoch()).count();
}

double secondsBetween(Allowance::Clock::time_point begin, Allowance::Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

} // namespace

const char *workUnitName(WorkUnit work) {
  constexpr const char *kNames[kWorkUnits] = {"readings", "analyses", "visits", "trials",
                                              "edits",    "runs",     "steps",  "rules"};
  return kNames[static_cast<std::size_t>(work)];
}

// Memory.

bool MemoryBound::exceededFor(const void *asker) {
  const std::int64_t now = millisecondsNow();
  std::int64_t due = nextLook.load(std::memory_order_relaxed);
  if (now < due || !nextLook.compare_exchange_strong(due, now + kMemoryPause, std::memory_order_relaxed))
    return false;
  if (measured(false) <= most)
    return false;
  std::lock_guard<std::mutex> lock(mutex);
  if (givesUp || measured(true) <= most) // what is free already is no kernel's
    return false;
  givesUp = asker;
  return true;
}

void MemoryBound::gaveUp(const void *asker) {
  std::lock_guard<std::mutex> lock(mutex);
  if (givesUp == asker)
    givesUp = nullptr;
}

// The allowance.

namespace {

enum class Limit : std::uint8_t { None, Time, Memory, Asked };

} // namespace

struct Allowance::State {
  State(Bounds given, std::shared_ptr<State> above)
      : bounds(std::move(given)), whole(std::move(above)), begin(Clock::now()) {
    constexpr double kFarAway = 1e8; // seconds
    if (bounds.seconds)
      until = begin + std::chrono::duration_cast<Clock::duration>(
                          std::chrono::duration<double>(std::clamp(*bounds.seconds, 0.0, kFarAway)));
  }
  ~State() { giveUp(); }

  void giveUp() const {
    if (bounds.memory)
      bounds.memory->gaveUp(this);
  }

  bool ask(std::optional<WorkUnit> work) {
    if (met.load(std::memory_order_relaxed) != Limit::None)
      return true;
    if (whole && whole->ask(work)) // which counts as well
      return meet(whole->met);
    if (!whole && work)
      units[static_cast<std::size_t>(*work)].fetch_add(1, std::memory_order_relaxed);
    if (bounds.asked && asked.fetch_add(1, std::memory_order_relaxed) + 1 >= *bounds.asked)
      return meet(Limit::Asked);
    if (until && Clock::now() >= *until)
      return meet(Limit::Time);
    return bounds.memory && !whole && bounds.memory->exceededFor(this) && meet(Limit::Memory);
  }

  bool meet(Limit limit) {
    std::lock_guard<std::mutex> lock(mutex);
    if (met.load(std::memory_order_relaxed) == Limit::None) {
      during = stages.empty() ? "" : stages.back().first;
      met.store(limit, std::memory_order_relaxed);
      for (State *each = this; each; each = each->whole.get())
        each->hadPart.store(true, std::memory_order_relaxed);
    }
    return true;
  }

  const Bounds bounds;
  const std::shared_ptr<State> whole; // of a part
  const Clock::time_point begin;
  std::optional<Clock::time_point> until;
  std::atomic<Limit> met = Limit::None;
  std::atomic<std::uint64_t> asked = 0;
  std::atomic<bool> ended = false, hadPart = false;
  std::array<std::atomic<std::uint64_t>, kWorkUnits> units = {};
  std::mutex mutex;                                              // of what follows
  std::vector<std::pair<std::string, Clock::time_point>> stages; // with their begins
  std::string during;                                            // the stage in which the bound was met
  std::optional<Size> size;
  std::optional<Clock::time_point> endedAt;
};

Allowance::Allowance(const Bounds &bounds) : state(std::make_shared<State>(bounds, nullptr)) {}

bool Allowance::ask(std::optional<WorkUnit> work) const { return state->ask(work); }

void Allowance::count(WorkUnit work) const {
  if (!state)
    return;
  State *whole = state.get();
  while (whole->whole)
    whole = whole->whole.get();
  whole->units[static_cast<std::size_t>(work)].fetch_add(1, std::memory_order_relaxed);
}

bool Allowance::exceeded() const { return state && state->met.load(std::memory_order_relaxed) != Limit::None; }

bool Allowance::hadPart() const { return state && state->hadPart.load(std::memory_order_relaxed); }

Allowance Allowance::part(double share) const {
  Allowance made;
  if (!state)
    return made;
  Bounds bounds;
  if (state->until)
    bounds.seconds = share * secondsBetween(Clock::now(), *state->until);
  if (state->bounds.asked) {
    const std::uint64_t asked = std::min(state->asked.load(std::memory_order_relaxed), *state->bounds.asked);
    bounds.asked = static_cast<std::uint64_t>(share * static_cast<double>(*state->bounds.asked - asked));
  }
  made.state = std::make_shared<State>(std::move(bounds), state);
  return made;
}

void Allowance::stage(std::string name) const {
  if (!state)
    return;
  std::lock_guard<std::mutex> lock(state->mutex);
  state->stages.emplace_back(std::move(name), Clock::now());
}

void Allowance::sized(const Size &size) const {
  if (!state)
    return;
  std::lock_guard<std::mutex> lock(state->mutex);
  if (!state->size)
    state->size = size;
}

void Allowance::end() const {
  if (!state)
    return;
  state->giveUp();
  std::lock_guard<std::mutex> lock(state->mutex);
  if (!state->endedAt)
    state->endedAt = Clock::now();
  state->ended.store(true, std::memory_order_relaxed);
}

bool Allowance::ended() const { return state && state->ended.load(std::memory_order_relaxed); }

Allowance::Taken Allowance::taken() const {
  Taken taken;
  if (!state)
    return taken;
  for (std::size_t i = 0; i < kWorkUnits; ++i)
    taken.units[i] = state->units[i].load(std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(state->mutex);
  const Clock::time_point now = state->endedAt.value_or(Clock::now());
  taken.seconds = secondsBetween(state->begin, now);
  taken.size = state->size.value_or(Size());
  taken.stages.reserve(state->stages.size());
  for (std::size_t i = 0; i < state->stages.size(); ++i)
    taken.stages.emplace_back(
        state->stages[i].first,
        secondsBetween(state->stages[i].second, i + 1 < state->stages.size() ? state->stages[i + 1].second : now));
  return taken;
}

namespace {

/// "1 trial", "2 trials".
std::string nounFor(WorkUnit work, std::uint64_t units) {
  const std::string several = workUnitName(work);
  if (units != 1)
    return several;
  return work == WorkUnit::Analysis ? "analysis" : several.substr(0, several.size() - 1);
}

/// "10 s", "0.5 s".
std::string shortSeconds(double seconds) {
  std::string text = llvm::formatv("{0:F3}", seconds).str();
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text + " s";
}

/// "512 MB".
std::string sizeText(std::uint64_t bytes) { return llvm::formatv("{0} MB", (bytes + (1 << 20) - 1) >> 20).str(); }

} // namespace

std::string Allowance::reason() const {
  if (!exceeded())
    return "";
  const State *whole = state.get();
  while (whole->whole)
    whole = whole->whole.get();
  std::string text;
  switch (state->met.load(std::memory_order_relaxed)) {
  case Limit::Time:
    text = state->whole ? "its share of the time (--time-limit) was over"
                        : "its " + shortSeconds(*state->bounds.seconds) + " (--time-limit) were over";
    break;
  case Limit::Memory:
    text = "the process had reached its " + sizeText(whole->bounds.memory->bytes()) + " (--memory-limit)";
    break;
  default: text = "it had asked as often as it may"; break;
  }
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    if (!state->during.empty())
      text += " while " + state->during;
  }
  std::string done;
  for (WorkUnit work : {WorkUnit::Analysis, WorkUnit::Trial, WorkUnit::Edit, WorkUnit::Run})
    if (const std::uint64_t units = whole->units[static_cast<std::size_t>(work)].load(std::memory_order_relaxed))
      done.append(done.empty() ? ", after " : ", ")
          .append(std::to_string(units))
          .append(" ")
          .append(nounFor(work, units));
  return text + done;
}

llvm::Error Allowance::error(const std::string &file) const {
  const bool memory = state && state->met.load(std::memory_order_relaxed) == Limit::Memory;
  return llvm::make_error<LimitError>(file + ": is left as it is, since " + reason() +
                                      (memory
                                           ? "; allow more with --memory-limit, or fewer kernels at a time with --jobs"
                                           : "; allow more with --time-limit, or leave it out with --exclude"));
}

} // namespace ptosync
