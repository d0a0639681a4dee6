#include "replay/skip/skipping.h"

#include "replay/judge/conflict.h"

#include <algorithm>

namespace ptosync::replay {

namespace {

/// So many periods apart, two iterations were run wherever a period was skipped: three are run before and two behind.
constexpr std::int64_t kPeriodsCompared = 2;
constexpr std::int64_t kMostDistances = 64; // looked at one by one

/// An access of global memory at a known place, or all the places that it has in skipped iterations.
struct Place {
  std::uint32_t instance = 0;
  std::size_t access = 0; // counted over the phases
  const Access *what = nullptr;
  std::int64_t low = 0, high = 0; // bytes [low, high)
  bool single = true;             // exactly the footprint of `what`

  std::int64_t extent() const { return wrappedDifference(high, low); }
};

/// The periods on both sides of a skip.
struct Activation {
  const Skip *skip = nullptr;
  std::uint32_t parent = kNone;    // iteration around the loop
  std::vector<Place> places;       // of the last period before the skip, with what inner loops swept in it
  std::vector<std::int64_t> steps; // by place: bytes per period
  std::vector<Place> swept;        // by the periods that were skipped
};

class Sweeps {
public:
  Sweeps(const Subject &subject, const Trace &trace, const ConflictRules &rules)
      : subject(subject), trace(trace), rules(rules) {}

  bool meetOthers() {
    for (const Skip &skip : trace.skips) {
      Activation activation;
      activation.skip = &skip;
      if (!findPeriod(activation))
        return true;
      if (meetInside(activation))
        return true;
      activations.push_back(std::move(activation));
    }
    return meetRun() || meetEachOther();
  }

private:
  void addPlaces(std::uint32_t instance, std::vector<Place> &places) const {
    std::size_t number = 0;
    for (const Phase &phase : subject.works[trace.instances[instance].work].phases)
      for (const Access &access : phase.accesses) {
        const Extents &bytes = access.bytes;
        if (rules.global(bytes) && !bytes.whole && bytes.base() == 0)
          places.push_back(
              {instance, number, &access, bytes.address, wrappedSum(bytes.address, bytes.footprint.extent()), true});
        ++number;
      }
  }

  /// Returns the iteration of the activation's loop around the instance; kNone if there is none.
  std::uint32_t iterationIn(const Activation &activation, std::uint32_t iteration) const {
    while (iteration != kNone && (trace.iterations[iteration].loop != activation.skip->loop ||
                                  trace.iterations[iteration].parent != activation.parent))
      iteration = trace.iterations[iteration].parent;
    return iteration;
  }

  /// Finds the places of the last period before the skip, and how far each one moved since the period before. Returns
  /// false if the two do not correspond.
  bool findPeriod(Activation &activation) const {
    const Skip &skip = *activation.skip;
    std::vector<std::uint32_t> starts; // of the last two periods, latest first
    std::uint64_t found = 0;
    for (std::uint32_t i = skip.iterations; i-- > 0 && starts.size() < 2;) {
      const Iteration &iteration = trace.iterations[i];
      if (iteration.loop != skip.loop)
        continue;
      if (found == 0)
        activation.parent = iteration.parent;
      if (++found % skip.period == 0)
        starts.push_back(i);
    }
    if (starts.size() < 2)
      return false;
    auto first = [&](std::uint32_t iteration, std::uint32_t before) {
      while (before > 0 && trace.instances[before - 1].iteration != kNone &&
             trace.instances[before - 1].iteration >= iteration)
        --before;
      return before;
    };
    const auto end = static_cast<std::uint32_t>(skip.instance);
    const std::uint32_t begin = first(starts[0], end), earlier = first(starts[1], begin);
    for (std::uint32_t i = begin; i < end; ++i)
      addPlaces(i, activation.places);
    if (end - begin != begin - earlier)
      return false;
    const std::optional<std::vector<Place>> before = placesLike(begin, end, earlier);
    const std::optional<std::vector<Place>> behind = placesLike(begin, end, end);
    if (!before || before->size() != activation.places.size() || !behind || behind->size() != activation.places.size())
      return false;
    for (std::size_t i = 0; i < before->size(); ++i)
      // One of a few places: a period that repeats has the same few.
      activation.steps.push_back(
          activation.places[i].what->bytes.choices ? 0 : wrappedDifference(activation.places[i].low, (*before)[i].low));
    if (!goesOnEvenly(activation, *behind))
      return false;
    addInner(activation);
    for (std::size_t i = 0; i < activation.places.size(); ++i)
      if (activation.steps[i] != 0)
        activation.swept.push_back(sweptBy(activation.places[i], activation.steps[i], skip));
    return true;
  }

  /// Those of another period, which begins at `other`; empty if it does not correspond to the instances [begin, end).
  std::optional<std::vector<Place>> placesLike(std::uint32_t begin, std::uint32_t end, std::size_t other) const {
    std::vector<Place> places;
    for (std::uint32_t i = begin; i < end; ++i, ++other) {
      if (other >= trace.instances.size() || trace.instances[other].statement != trace.instances[i].statement)
        return std::nullopt;
      addPlaces(static_cast<std::uint32_t>(other), places);
    }
    return places;
  }

  /// Returns true if the first period behind the skip is where those steps lead: the square of a counter is not, nor
  /// its remainder.
  static bool goesOnEvenly(const Activation &activation, const std::vector<Place> &behind) {
    const auto periods = static_cast<std::int64_t>(activation.skip->periods) + 1;
    for (std::size_t i = 0; i < behind.size(); ++i)
      if (!behind[i].what->bytes.choices &&
          behind[i].low != wrappedSum(activation.places[i].low, activation.steps[i], periods))
        return false;
    return true;
  }

  /// Adds what inner loops swept in the last period: it moves as the instruction does that swept it.
  void addInner(Activation &activation) const {
    const std::size_t own = activation.places.size();
    for (const Activation &inner : activations)
      for (const Place &swept : inner.swept)
        for (std::size_t i = 0; i < own; ++i)
          if (activation.places[i].instance == swept.instance && activation.places[i].access == swept.access) {
            activation.places.push_back(swept);
            activation.steps.push_back(activation.steps[i]);
          }
  }

  static bool conflicting(const Place &a, const Place &b) { return a.what->writes || b.what->writes; }

  bool overlapping(const Place &a, const Place &b) const {
    // Nearly all are apart: told without a copy.
    const bool inOne = a.what->bytes.argument && a.what->bytes.argument == b.what->bytes.argument;
    if (inOne && !a.what->bytes.choices && !b.what->bytes.choices && (a.high <= b.low || b.high <= a.low))
      return false;
    Extents first = a.what->bytes, second = b.what->bytes;
    first.address = a.low;
    second.address = b.low;
    if (!a.single)
      first.footprint = {1, a.extent(), a.extent()};
    if (!b.single)
      second.footprint = {1, b.extent(), b.extent()};
    return rules.overlap(first, second);
  }

  static Place moved(Place place, std::int64_t by) {
    place.low = wrappedSum(place.low, by);
    place.high = wrappedSum(place.high, by);
    return place;
  }

  /// All the places of skipped iterations.
  static Place sweptBy(Place place, std::int64_t step, const Skip &skip) {
    const auto periods = static_cast<std::int64_t>(skip.periods);
    const Place last = moved(place, wrappedProduct(step, periods));
    place.low = wrappedSum(std::min(place.low, last.low), step > 0 ? step : 0);
    place.high = wrappedSum(std::max(place.high, last.high), step < 0 ? step : 0);
    place.single = false;
    return place;
  }

  /// Between iterations of one activation, further apart than those that were run.
  bool meetInside(const Activation &activation) const {
    for (std::size_t a = 0; a < activation.places.size(); ++a)
      for (std::size_t b = a; b < activation.places.size(); ++b)
        if (conflicting(activation.places[a], activation.places[b]) && meetLater(activation, a, b))
          return true;
    return false;
  }

  bool meetLater(const Activation &activation, std::size_t a, std::size_t b) const {
    const Place &first = activation.places[a], &second = activation.places[b];
    const std::int64_t step = activation.steps[a];
    if (step != activation.steps[b])
      return overlapping(sweptBy(first, step, *activation.skip),
                         sweptBy(second, activation.steps[b], *activation.skip));
    if (step == 0)
      return false; // in every period alike
    // Where `second`, so many periods later or earlier, begins below the end of `first` and ends behind its beginning.
    const std::int64_t distance = wrappedDifference(second.low, first.low), size = std::abs(step);
    const std::int64_t reach = wrappedSum(first.extent(), second.extent());
    const std::int64_t nearest = -distance / step, farthest = reach / size + 1;
    const auto periods = static_cast<std::int64_t>(activation.skip->periods) + 2 * kPeriodsCompared + 4;
    const std::int64_t from = std::max(nearest - farthest, -periods), to = std::min(nearest + farthest, periods);
    if (to - from > kMostDistances)
      return true;
    for (std::int64_t apart = from; apart <= to; ++apart)
      if (std::abs(apart) > kPeriodsCompared && overlapping(first, moved(second, wrappedProduct(step, apart))))
        return true;
    return false;
  }

  /// With what was run outside, and with what does not move on in the same way.
  bool meetRun() const {
    std::vector<Place> run;
    for (std::uint32_t i = 0; i < trace.instances.size(); ++i)
      addPlaces(i, run);
    return std::any_of(activations.begin(), activations.end(), [&](const Activation &activation) {
      return std::any_of(activation.swept.begin(), activation.swept.end(), [&](const Place &swept) {
        return std::any_of(run.begin(), run.end(), [&](const Place &place) {
          return conflicting(swept, place) && overlapping(swept, place) && !movesAlong(activation, place);
        });
      });
    });
  }

  /// Returns true if the place is one that the last period has, moved by as many steps as there are periods in between.
  bool movesAlong(const Activation &activation, const Place &place) const {
    const std::uint32_t iteration = iterationIn(activation, trace.instances[place.instance].iteration);
    if (iteration == kNone)
      return false;
    const auto period = static_cast<std::int64_t>(activation.skip->period);
    for (std::size_t i = 0; i < activation.places.size(); ++i) {
      const Place &own = activation.places[i];
      if (own.single != place.single || own.access != place.access || own.extent() != place.extent() ||
          trace.instances[own.instance].statement != trace.instances[place.instance].statement)
        continue;
      const std::uint32_t of = iterationIn(activation, trace.instances[own.instance].iteration);
      const auto apart = static_cast<std::int64_t>(trace.iterations[iteration].number - trace.iterations[of].number);
      if (apart % period == 0 && place.what->bytes.footprint == own.what->bytes.footprint &&
          place.low == wrappedSum(own.low, wrappedProduct(activation.steps[i], apart / period)))
        return true;
    }
    return false;
  }

  /// Returns true if what was skipped at two times meets.
  bool meetEachOther() const {
    for (std::size_t a = 0; a < activations.size(); ++a)
      for (std::size_t b = a + 1; b < activations.size(); ++b)
        for (const Place &first : activations[a].swept)
          for (const Place &second : activations[b].swept)
            if (conflicting(first, second) && overlapping(first, second) && !movesAlong(activations[b], first) &&
                !movesAlong(activations[a], second))
              return true;
    return false;
  }

  const Subject &subject;
  const Trace &trace;
  const ConflictRules &rules;
  std::vector<Activation> activations; // by skip
};

} // namespace

bool skippedMeetOthers(const Subject &subject, const Trace &trace, const ConflictRules &rules) {
  return !trace.skips.empty() && Sweeps(subject, trace, rules).meetOthers();
}

} // namespace ptosync::replay
