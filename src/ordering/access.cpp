#include "ordering/access.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ptosync {
namespace {

using Wide = __int128;

constexpr std::size_t kMostGaps = 4096;

} // namespace

/// A set of possible distances: each of `constants` plus any sum of the open terms, modulo 2^64 at least.
struct AccessComparer::Gap {
  struct Open {
    std::int64_t coefficient;
    Interval interval;
    bool counts = false; // a loop's counter: it never gets near 2^63
  };
  std::vector<std::int64_t> constants = {0};
  std::vector<Open> open;
  std::uint64_t modulus = 0;

  void shift(std::int64_t amount) {
    for (std::int64_t &constant : constants)
      constant = wrappedSum(constant, amount);
  }
  /// `coefficient` times any value of the atom, which is in the interval.
  void add(std::int64_t coefficient, const Atom &atom, Interval interval) {
    if (coefficient == 0)
      return;
    if (atom.table.empty()) {
      open.push_back({coefficient, interval, atom.kind == Atom::Kind::Counter});
      return;
    }
    std::vector<std::int64_t> values;
    values.reserve(atom.table.size());
    for (std::int64_t value : atom.table)
      values.push_back(wrappedProduct(coefficient, value));
    split(values);
  }
  /// Each constant splits into one per entry; too many become one open term.
  void split(const std::vector<std::int64_t> &amounts) {
    if (amounts.empty())
      return;
    auto [low, high] = std::minmax_element(amounts.begin(), amounts.end());
    if (constants.size() * amounts.size() > kMostGaps) {
      open.push_back({1, {*low, *high}});
      return;
    }
    std::vector<std::int64_t> grown;
    for (std::int64_t constant : constants)
      for (std::int64_t amount : amounts)
        grown.push_back(wrappedSum(constant, amount));
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    constants = std::move(grown);
  }

  bool meets(std::int64_t constant, const Footprint &earlier, const Footprint &later) const {
    if (open.empty()) {
      if (modulus == 0)
        return overlaps(later, earlier, constant);
      // Footprints smaller than the modulus: three representatives reach all of the window.
      if (modulus < static_cast<std::uint64_t>(earlier.extent() + later.extent()))
        return true;
      std::int64_t nearest = centred(constant, modulus), turn = static_cast<std::int64_t>(modulus);
      return overlaps(later, earlier, nearest) || overlaps(later, earlier, nearest - turn) ||
             overlaps(later, earlier, nearest + turn);
    }
    constexpr std::int64_t kMostTrips = std::int64_t{1} << 40;
    Wide low = constant, high = constant;
    Wide turn = modulus ? Wide(modulus) : Wide(1) << 64;
    bool vast = false; // more than a turn of the circle
    std::uint64_t divisor = modulus;
    for (const Open &term : open) {
      std::int64_t highest = term.counts ? std::min(term.interval.highest, kMostTrips) : term.interval.highest;
      Wide a = Wide(term.coefficient) * term.interval.lowest, b = Wide(term.coefficient) * highest;
      vast = vast || std::max(a < 0 ? -a : a, b < 0 ? -b : b) > Wide(1) << 100;
      low += vast ? 0 : std::min(a, b);
      high += vast ? 0 : std::max(a, b);
      std::uint64_t size = term.coefficient < 0 ? -static_cast<std::uint64_t>(term.coefficient)
                                                : static_cast<std::uint64_t>(term.coefficient);
      divisor = std::gcd(divisor, size);
    }
    if (!vast && high - low < turn) {
      // On the circle of the modulus: the arc of gaps against the arc of gaps that meet.
      Wide first = 1 - Wide(later.extent()), length = Wide(earlier.extent()) + later.extent() - 2;
      auto circle = [&](Wide value) { return ((value % turn) + turn) % turn; };
      if (length < turn && circle(low - first) > length && circle(first - low) > high - low)
        return false;
    }
    // What may have wrapped is known modulo powers of two only.
    if (modulus == 0 && (vast || low < INT64_MIN || high > INT64_MAX))
      divisor &= ~divisor + 1;
    if (divisor == 0 || divisor > static_cast<std::uint64_t>(INT64_MAX))
      return true;
    std::int64_t rest = floorModulo(constant, static_cast<std::int64_t>(divisor));
    return rest < earlier.extent() || rest - static_cast<std::int64_t>(divisor) > -later.extent();
  }
};

/// True if an atom has one value for both instances.
bool AccessComparer::sameInstance(const Atom &atom, LoopId earlierLoop, LoopId laterLoop,
                                  IterationDistance distance) const {
  if (atom.scope == kNone)
    return true;
  bool aroundEarlier = graph.encloses(atom.scope, earlierLoop), aroundLater = graph.encloses(atom.scope, laterLoop);
  if (aroundEarlier != aroundLater)
    return false;
  LoopId shared = atom.scope;
  if (!aroundEarlier) {
    // Both stand outside the atom's loop and see what its last iteration left.
    while (shared != kNone && !(graph.encloses(shared, earlierLoop) && graph.encloses(shared, laterLoop)))
      shared = graph.loops()[shared].parent;
  }
  if (distance.sameIteration())
    return true;
  // In an earlier iteration of a loop around the atom's own, the earlier instance saw another run.
  if (graph.encloses(distance.loop, atom.scope))
    return false;
  // Otherwise the distance is in a loop strictly inside `shared`: the same iteration of `shared`.
  return shared == kNone || graph.encloses(shared, distance.loop);
}

/// What an instruction in the loop sees of the atom.
Interval AccessComparer::boundsIn(const Atom &atom, LoopId loop) const {
  return atom.kind == Atom::Kind::Counter && graph.encloses(atom.scope, loop) ? atom.inLoop : atom.interval;
}

AccessComparer::Gap AccessComparer::gapBetween(const Access &earlier, LoopId earlierLoop, const Access &later,
                                               LoopId laterLoop, IterationDistance distance) const {
  Gap gap;
  gap.modulus = std::gcd(earlier.base.modulus, later.base.modulus);
  gap.shift(wrappedDifference(later.base.constant, earlier.base.constant));
  std::map<AtomId, std::pair<std::int64_t, std::int64_t>> coefficients; // earlier, later
  for (const Term &term : earlier.base.terms)
    coefficients[term.atom].first = term.coefficient;
  for (const Term &term : later.base.terms)
    coefficients[term.atom].second = term.coefficient;

  // Tables whose phases are tied to each other, because the distance in their loop is known.
  std::map<LoopId, std::vector<AtomId>> tied;
  for (const auto &[id, pair] : coefficients) {
    auto [before, after] = pair;
    const Atom &atom = scalars[id];
    bool same = sameInstance(atom, earlierLoop, laterLoop, distance);
    bool counted = atom.scope != kNone && distance.loop == atom.scope && graph.encloses(atom.scope, earlierLoop) &&
                   graph.encloses(atom.scope, laterLoop);
    if (atom.kind == Atom::Kind::Table && (same || (counted && !distance.atLeast))) {
      tied[atom.scope].push_back(id);
      continue;
    }
    if (same) {
      gap.add(wrappedDifference(after, before), atom, boundsIn(atom, earlierLoop));
      continue;
    }
    if (atom.kind == Atom::Kind::Counter && counted) {
      // later counter = earlier counter + count (or more)
      if (after != before)
        gap.open.push_back({wrappedDifference(after, before), atom.inLoop, true});
      if (distance.atLeast)
        gap.open.push_back(
            {after, {distance.count, std::max<std::int64_t>(distance.count, atom.inLoop.highest)}, true});
      else
        gap.shift(wrappedProduct(after, distance.count));
      continue;
    }
    gap.add(wrappedDifference(0, before), atom, boundsIn(atom, earlierLoop));
    gap.add(after, atom, boundsIn(atom, laterLoop));
  }
  for (const auto &[loop, ids] : tied) {
    std::size_t period = 1;
    for (AtomId id : ids)
      period = std::lcm(period, scalars[id].table.size());
    std::size_t step = distance.loop == loop ? distance.count : 0;
    std::vector<std::int64_t> values;
    for (std::size_t phase = 0; phase < period; ++phase) {
      std::int64_t value = 0;
      for (AtomId id : ids) {
        const std::vector<std::int64_t> &table = scalars[id].table;
        auto [before, after] = coefficients[id];
        value = wrappedSum(value, after, table[(phase + step) % table.size()]);
        value = wrappedDifference(value, wrappedProduct(before, table[phase % table.size()]));
      }
      values.push_back(value);
    }
    gap.split(values);
  }
  return gap;
}

bool AccessComparer::mayOverlap(const Access &earlier, LoopId earlierLoop, const Access &later, LoopId laterLoop,
                                IterationDistance distance) const {
  if (earlier.space != later.space)
    return false;
  if (options.globalMemory && earlier.space == *options.globalMemory) {
    std::optional<AtomId> first = scalars.pointerRoot(earlier.base), second = scalars.pointerRoot(later.base);
    if (!first || !second)
      return true;
    if (*first != *second)
      return options.argumentsMayAlias || options.related.related(scalars[*first].number, scalars[*second].number);
  }
  if (!earlier.bytes || !later.bytes)
    return true;
  Gap gap = gapBetween(earlier, earlierLoop, later, laterLoop, distance);
  return std::any_of(gap.constants.begin(), gap.constants.end(),
                     [&](std::int64_t constant) { return gap.meets(constant, *earlier.bytes, *later.bytes); });
}

bool AccessComparer::mustOverlap(const Access &earlier, LoopId earlierLoop, const Access &later, LoopId laterLoop,
                                 IterationDistance distance) const {
  if (earlier.space != later.space || earlier.doubtful || later.doubtful)
    return false;
  bool global = options.globalMemory && earlier.space == *options.globalMemory;
  if (global) {
    std::optional<AtomId> first = scalars.pointerRoot(earlier.base), second = scalars.pointerRoot(later.base);
    if (!first || first != second)
      return false;
  }
  bool extents = earlier.bytes && later.bytes;
  if (!extents && !global)
    return false;
  Gap gap = gapBetween(earlier, earlierLoop, later, laterLoop, distance);
  // On-chip memories are far smaller than 2^32: a distance modulo that is the distance.
  bool decisive = gap.modulus == 0 || (!global && gap.modulus >= (std::uint64_t{1} << 32));
  return decisive && gap.open.empty() && !gap.constants.empty() &&
         std::all_of(gap.constants.begin(), gap.constants.end(), [&](std::int64_t constant) {
           std::int64_t distance = centred(constant, gap.modulus);
           // Of a tensor of unknown extent the first byte is certain.
           auto sure = [](const Access &access) { return access.certain ? *access.certain : *access.bytes; };
           const std::int64_t between = later.certainOffset - earlier.certainOffset;
           return extents ? overlaps(sure(later), sure(earlier), distance + between) : distance == 0;
         });
}

bool AccessComparer::mustOverlapAtEntry(const Access &earlier, LoopId earlierLoop, Access later, LoopId laterLoop,
                                        IterationDistance distance) const {
  std::erase_if(later.base.terms, [&](const Term &term) {
    const Atom &atom = scalars[term.atom];
    bool begun =
        atom.scope != kNone && graph.encloses(atom.scope, laterLoop) && !graph.encloses(atom.scope, earlierLoop);
    if (!begun || (atom.kind != Atom::Kind::Counter && atom.kind != Atom::Kind::Table))
      return false;
    // The counter of a first iteration is 0.
    if (atom.kind == Atom::Kind::Table)
      later.base.constant = wrappedSum(later.base.constant, term.coefficient, atom.table.front());
    return true;
  });
  return mustOverlap(earlier, earlierLoop, later, laterLoop, distance);
}

bool AccessComparer::sameAccess(const Access &earlier, LoopId earlierLoop, const Access &later, LoopId laterLoop,
                                IterationDistance distance) const {
  if (earlier.space != later.space || !earlier.tile || !later.tile || earlier.widened || later.widened)
    return false;
  const Tile &a = *earlier.tile, &b = *later.tile;
  bool sameShape = a.location == b.location && a.elementBits == b.elementBits && a.rows == b.rows && a.cols == b.cols &&
                   a.blockLayout == b.blockLayout && a.innerLayout == b.innerLayout &&
                   a.fractalBytes == b.fractalBytes && a.compactMode == b.compactMode && a.padded == b.padded &&
                   a.staticValidRows == b.staticValidRows && a.staticValidCols == b.staticValidCols;
  if (!sameShape || a.staticValidRows < 0 || a.staticValidCols < 0)
    return false;
  Gap gap = gapBetween(earlier, earlierLoop, later, laterLoop, distance);
  // On-chip memories are far smaller than 2^32: equal modulo that is equal.
  bool decisive = gap.modulus == 0 || gap.modulus >= (std::uint64_t{1} << 32);
  return gap.open.empty() && decisive && gap.constants.size() == 1 && centred(gap.constants[0], gap.modulus) == 0;
}

std::string AccessComparer::describeRelation(const Access &earlier, const Access &later) const {
  const bool global = options.globalMemory && earlier.space == *options.globalMemory && later.space == earlier.space;
  if (!global || options.argumentsMayAlias)
    return {};
  std::optional<AtomId> first = scalars.pointerRoot(earlier.base), second = scalars.pointerRoot(later.base);
  if (!first || !second || first == second)
    return {};
  const std::string &key = scalars[*first].key;
  return " (by the text it may be " + key.substr(key.rfind(' ') + 1) + ")";
}

std::string AccessComparer::describe(const Access &access, std::string_view spaceName) const {
  std::string text(spaceName);
  if (std::optional<AtomId> root = scalars.pointerRoot(access.base)) {
    std::string key = scalars[*root].key;
    text += " argument " + key.substr(key.rfind(' ') + 1);
    return access.bytes ? text : text + ", unknown bytes";
  }
  std::vector<std::int64_t> bases = scalars.possibleValues(access.base);
  if (bases.empty() || !access.bytes)
    return text + ", unknown bytes";
  for (std::size_t i = 0; i < bases.size(); ++i)
    text += (i ? " or [" : " [") + std::to_string(bases[i]) + ", " +
            std::to_string(wrappedSum(bases[i], access.bytes->extent())) + ")";
  return text;
}

} // namespace ptosync
