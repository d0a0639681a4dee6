#include "replay/repetition.h"

#include "replay/interpreter.h"
#include "replay/relation.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

constexpr std::uint64_t kLongestPeriod = 24;

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

} // namespace

void History::close(std::vector<Value> snapshot, std::size_t tape) {
  if (finished)
    return;
  if (!snapshots.empty())
    fingerprints.push_back(current);
  current = 0;
  snapshots.push_back(std::move(snapshot));
  tapes.push_back(tape);
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
    if (now[i].origin != before[i].origin || !(now[i].region == before[i].region) || now[i].form != before[i].form ||
        !alike(now[i], before[i]) || difference(now[i], before[i]) != difference(before[i], earlier[i]))
      return false;
  return true;
}

std::uint64_t History::period(std::uint64_t ringDepth, std::uint64_t times, std::uint64_t shorter) const {
  for (std::uint64_t period = shorter + 1; period <= kLongestPeriod && period + ringDepth <= fingerprints.size(); ++period)
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
    moved.form = now[i].form;
    moved.far = now[i].far;
    moved.wide = now[i].wide;
    values.assign(carried[i], moved);
  }
}

} // namespace ptosync::replay
