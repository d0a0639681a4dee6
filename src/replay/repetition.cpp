#include "replay/repetition.h"

#include "replay/interpreter.h"
#include "replay/relation.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

constexpr std::uint64_t kLongestPeriod = 24;
constexpr std::uint64_t kStepwise = 20000;                  // conditions asked one period at a time
constexpr std::uint64_t kFarthest = std::uint64_t{1} << 40; // periods; a loop that goes on so long is endless

std::uint64_t difference(const Value &later, const Value &earlier) {
  return static_cast<std::uint64_t>(later.bits) - static_cast<std::uint64_t>(earlier.bits);
}

/// True if both are the same of the same few values, or neither is one of a few.
bool alike(const Value &a, const Value &b) {
  return a.choices == b.choices || (a.choices && b.choices && a.choices->values == b.choices->values);
}

/// What is known of a number after so many periods, each like the last one.
Value movedOn(const Value &now, const Value &before, std::int64_t periods) {
  Value moved = now;
  if (now.choices != before.choices)
    return {now.bits, Origin::Unknown, now.region};
  moved.sums.clear();
  for (std::size_t i = 0; i < std::min(now.sums.size(), before.sums.size()); ++i) {
    Congruence sum = now.sums[i];
    if (sum.root != before.sums[i].root || sum.bits != before.sums[i].bits)
      break;
    sum.offset = wrappedSum(sum.offset, wrappedDifference(sum.offset, before.sums[i].offset), periods);
    moved.sums.push_back(std::move(sum));
  }
  moved.residue = now.residue == before.residue ? now.residue : Residue{};
  moved.range = now.range == before.range ? now.range : Range{};
  return moved;
}

/// True if the answer changes at most once as the loop goes on.
bool isMonotone(const Kernel &kernel, ExpressionId condition) {
  if (condition == kNone)
    return false;
  const Expression &e = kernel.expressions[condition];
  return e.kind == Expression::Kind::Binary && e.op >= Operator::Less && e.op <= Operator::GreaterEqual;
}

} // namespace

void History::close(std::vector<Value> snapshot) {
  if (finished)
    return;
  if (!snapshots.empty())
    fingerprints.push_back(current);
  current = 0;
  snapshots.push_back(std::move(snapshot));
}

bool History::repeats(std::uint64_t period, std::uint64_t times) const {
  if (finished || period == 0 || fingerprints.size() < times * period)
    return false;
  std::size_t last = fingerprints.size();
  for (std::size_t i = last - (times - 1) * period; i < last; ++i)
    if (fingerprints[i] != fingerprints[i - period])
      return false;
  const std::vector<Value> &now = snapshot(0), &before = snapshot(period), &earlier = snapshot(2 * period);
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i].origin != before[i].origin || !(now[i].region == before[i].region) || !alike(now[i], before[i]) ||
        difference(now[i], before[i]) != difference(before[i], earlier[i]))
      return false;
  return true;
}

std::uint64_t History::period(std::uint64_t ringDepth, std::uint64_t times) const {
  for (std::uint64_t period = 1; period <= kLongestPeriod && period + ringDepth <= fingerprints.size(); ++period)
    if (repeats(period, std::max(times, 1 + (ringDepth + period - 1) / period)))
      return period;
  return 0;
}

std::vector<Value> Repetition::snapshot(LoopId loop) {
  std::vector<Value> snapshot;
  for (VariableId variable : subject.carried(loop))
    snapshot.push_back(values.variable(variable));
  return snapshot;
}

void Repetition::advance(LoopId loop, const History &history, std::uint64_t period, std::uint64_t periods) {
  const std::vector<VariableId> &carried = subject.carried(loop);
  const std::vector<Value> &now = history.snapshot(0), &before = history.snapshot(period);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const std::int64_t bits =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(now[i].bits) + difference(now[i], before[i]) * periods);
    Value moved = movedOn(now[i], before[i], static_cast<std::int64_t>(periods));
    // Of contents that the skipped iterations would have read: a number of its own.
    if (moved.origin == Origin::Unknown && moved.sums.empty()) {
      Value other = values.unknown(subject.kernel.variables[carried[i]].type);
      if (!other.choices) {
        if (moved.range != Range{})
          other.range = moved.range;
        relateToItself(other, other.base());
        other.residue = moved.residue;
      }
      moved = other;
    }
    moved.bits = bits;
    moved.region = now[i].region;
    values.assign(carried[i], moved);
  }
}

/// Asks the header's condition with the carried variables moved on, and puts everything back.
bool Repetition::staysAfter(LoopId loop, const History &history, std::uint64_t period, std::uint64_t periods) {
  const Kernel &kernel = subject.kernel;
  const Block &header = kernel.blocks[subject.nest.loops()[loop].header];
  std::vector<std::pair<VariableId, Value>> saved;
  for (VariableId variable : subject.carried(loop))
    saved.emplace_back(variable, values.variable(variable));
  std::uint64_t draws = values.draws();
  advance(loop, history, period, periods);
  for (const Statement &statement : header.statements) {
    const auto &assign = std::get<Assign>(statement.action);
    saved.emplace_back(assign.variable, values.variable(assign.variable));
    values.assign(assign.variable, values.evaluate(assign.value));
  }
  Value condition = values.evaluate(header.terminator.condition);
  for (auto entry = saved.rbegin(); entry != saved.rend(); ++entry)
    values.restore(entry->first, entry->second);
  values.setDraws(draws);
  BlockId next = condition.bits ? header.terminator.whenTrue : header.terminator.whenFalse;
  return condition.origin < Origin::Sampled && subject.nest.contains(loop, next);
}

std::uint64_t Repetition::periodsAhead(LoopId loop, const History &history, std::uint64_t period) {
  const Block &header = subject.kernel.blocks[subject.nest.loops()[loop].header];
  bool plain = header.terminator.kind == Terminator::Kind::Branch &&
               subject.nest.contains(loop, header.terminator.whenTrue) !=
                   subject.nest.contains(loop, header.terminator.whenFalse) &&
               std::all_of(header.statements.begin(), header.statements.end(),
                           [](const Statement &statement) { return std::holds_alternative<Assign>(statement.action); });
  if (!plain)
    return 0;
  auto stays = [&](std::uint64_t periods) { return staysAfter(loop, history, period, periods); };
  if (!isMonotone(subject.kernel, header.terminator.condition)) {
    std::uint64_t periods = 0;
    while (periods <= kStepwise && stays(periods + 1))
      ++periods;
    return periods > kStepwise ? 0 : periods;
  }
  std::uint64_t low = 0, high = 1;
  while (high < kFarthest && stays(high)) {
    low = high;
    high *= 2;
  }
  if (high >= kFarthest)
    return kEndless;
  while (high - low > 1) {
    std::uint64_t middle = low + (high - low) / 2;
    (stays(middle) ? low : high) = middle;
  }
  return low;
}

} // namespace ptosync::replay
