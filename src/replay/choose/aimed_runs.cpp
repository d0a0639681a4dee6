#include "replay/choose/aimed_runs.h"

#include "replay/choose/run_choice.h"

#include <algorithm>

namespace ptosync::replay {

namespace {

constexpr std::size_t kMostForOnePlace = 6; // proposals

/// Two places that lie in one memory, as far as the run tells: in what one argument points to, or both in none.
bool mayBeOneMemory(const Derived &a, const Derived &b) {
  // A place may lie in front of where its argument points to.
  auto argumentOf = [](const Derived &place) { return wrappedSum(place.bits, std::int64_t{1} << 39) >> 40; };
  return argumentOf(a) == argumentOf(b);
}

class Aim {
public:
  Aim(const Subject &subject, const Inputs &inputs, Retraced traced)
      : subject(subject), inputs(inputs), traced(std::move(traced)) {}

  void add(const InstancePair &pair) {
    auto earlier = traced.places.find(pair.first), later = traced.places.find(pair.second);
    if (earlier == traced.places.end() || later == traced.places.end())
      return;
    const std::size_t path = traced.pathTo[pair.second];
    for (const OperandPlace &one : earlier->second)
      for (const OperandPlace &other : later->second)
        if (one.address.node != other.address.node && mayBeOneMemory(one.address, other.address))
          bringTogether(one.address, other.address, path);
  }

  std::vector<Inputs> all(std::size_t most) const {
    std::vector<Inputs> list;
    for (const std::vector<Inputs> &some : {onTheWay, elsewhere})
      for (const Inputs &one : some)
        if (list.size() < most && std::find(list.begin(), list.end(), one) == list.end())
          list.push_back(one);
    return list;
  }

private:
  void bringTogether(const Derived &one, const Derived &other, std::size_t path) {
    Derivation &derivation = traced.derivation;
    const Derived equal = derivation.binary(Operator::Equal, kAddress, kBoolean, one, other, 0);
    if (equal.node == 0 || equal.bits != 0)
      return;
    const std::vector<Derived> way(traced.path.begin(), traced.path.begin() + static_cast<std::ptrdiff_t>(path));
    Cone cone(derivation, way);
    for (const SourceChanges &changes :
         proposalsFor(derivation, equal, true, subject.memoryPool, Preferred::Small, kMostForOnePlace)) {
      bool same = way.empty() || !cone.empty();
      if (same && !way.empty()) {
        cone.evaluate(changes);
        same = std::all_of(way.begin(), way.end(), [&](const Derived &condition) {
          return (cone.bitsOf(condition) != 0) == (condition.bits != 0);
        });
      }
      (same ? onTheWay : elsewhere).push_back(withChanges(inputs, derivation, changes));
    }
  }

  const Subject &subject;
  const Inputs &inputs;
  Retraced traced;
  std::vector<Inputs> onTheWay, elsewhere;
};

} // namespace

Inputs withChanges(Inputs inputs, const Derivation &derivation, const SourceChanges &changes) {
  for (const auto &[number, value] : changes) {
    const Source &source = derivation.sources()[number];
    switch (source.kind) {
    case Source::Kind::Argument: inputs.arguments[static_cast<std::uint32_t>(source.number)] = value; break;
    case Source::Kind::Query: inputs.queries[source.query] = value; break;
    case Source::Kind::Loaded: inputs.loaded[source.number] = value; break;
    }
  }
  if (inputs.query("get_block_idx") >= inputs.query("get_block_num")) // a block is one of those that there are
    inputs.queries["get_block_num"] = inputs.query("get_block_idx") + 1;
  return inputs;
}

std::vector<Inputs> inputsThatMeet(const Subject &subject, const Inputs &inputs, const Tape &tape,
                                   const std::vector<InstancePair> &pairs, const std::set<std::uint32_t> &fixed,
                                   std::size_t most) {
  RetraceRequest request;
  request.fixed = fixed;
  for (const auto &[earlier, later] : pairs)
    request.placed.insert({earlier, later});
  Aim aim(subject, inputs, retrace(subject, inputs, request, tape));
  for (const InstancePair &pair : pairs)
    aim.add(pair);
  std::vector<Inputs> list;
  for (const Inputs &one : aim.all(most))
    if (std::optional<Inputs> assumed = asAssumed(subject.kernel, one, {}); assumed && *assumed == one)
      list.push_back(one);
  return list;
}

} // namespace ptosync::replay
