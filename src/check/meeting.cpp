#include "check/meeting.h"

#include <algorithm>

namespace ptosync::check {

/// The loops that both are in the same iteration of.
std::set<int> Meetings::together(const Instance &earlier, const Node &later) const {
  std::set<int> same;
  const std::vector<int> &a = nodes[earlier.node].loops, &b = later.loops;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i] && a[i] != earlier.loop; ++i)
    same.insert(a[i]);
  return same;
}

/// A value of the earlier one, in unknowns of the later one.
Number Meetings::asSeenFrom(const Number &value, const Instance &earlier, const Node &later) {
  const std::set<int> same = together(earlier, later);
  const Node &node = nodes[earlier.node];
  auto mine = node.turns.find(earlier.loop), theirs = later.turns.find(earlier.loop);
  Number made = value;
  for (auto [unknown, factor] : value.terms) {
    const Unknown entry = numbers[unknown];
    if (std::includes(same.begin(), same.end(), entry.loops.begin(), entry.loops.end()))
      continue;
    made.terms.erase(unknown);
    Number seen =
        numbers.of(numbers.named("earlier:" + entry.name, entry.range, {}, entry.modulus, entry.remainder), value.type);
    if (mine != node.turns.end() && theirs != later.turns.end() && mine->second.rounds == unknown &&
        theirs->second.rounds >= 0) {
      // Iterations: offset + period * rounds. The earlier one's are `age` fewer, or more than that fewer.
      std::int64_t apart = theirs->second.offset - mine->second.offset - earlier.age, period = mine->second.period;
      std::int64_t whole = apart >= 0 ? apart / period : -((-apart + period - 1) / period);
      seen = numbers.add(numbers.of(theirs->second.rounds, value.type), numbers.constant(1), whole);
      if (earlier.age >= scene.ages || apart % period != 0)
        seen = numbers.add(
            seen,
            numbers.of(numbers.named("more:" + entry.name, {0, numbers[theirs->second.rounds].range.high}, {}),
                       value.type),
            -1);
    }
    made = numbers.add(made, seen, factor);
  }
  return made;
}

bool Meetings::overlaps(const Access &a, const Instance &earlier, const Access &b, const Node &later) {
  if (a.memory != b.memory)
    return false;
  const bool arguments = a.memory == "GM" && !a.base.empty() && !b.base.empty();
  if (arguments && a.base != b.base)
    return !argumentsDistinct();
  if (!a.bytes || !b.bytes || (a.memory == "GM" && a.base != b.base))
    return true;
  const Number earlierAt = asSeenFrom(a.address, earlier, later);
  if (apart(numbers.add(b.address, earlierAt, -1), *a.bytes, *b.bytes))
    return false;
  // Sums that wrap at one power of two: their difference is that of the sums, or one such power more or less.
  std::int64_t one = 0, other = 0;
  Number sums = numbers.add(unwrapped(b.address, one), asSeenFrom(unwrapped(a.address, other), earlier, later), -1);
  // What stands outside of the wraps, and what the sums differ by, is below the power: so few powers are to be tried.
  const Number beside = numbers.add(withoutWraps(b.address), asSeenFrom(withoutWraps(a.address), earlier, later), -1);
  auto below = [&](const Number &value) {
    const Range range = numbers.bounds(value);
    return range.low > -Wide{one} && range.high < Wide{one};
  };
  if (one <= 0 || one != other || !below(sums) || !below(beside))
    return true;
  for (std::int64_t rounds : {-2, -1, 0, 1, 2})
    if (!apart(numbers.add(sums, numbers.constant(one), rounds), *a.bytes, *b.bytes))
      return true;
  return false;
}

/// The value with the sum in place of what is left of it in its type; `modulus`: what both differ by a multiple of.
Number Meetings::unwrapped(const Number &value, std::int64_t &modulus) const {
  Number made = value;
  for (auto [unknown, factor] : value.terms) {
    const Unknown &entry = numbers[unknown];
    if (entry.test != "wrap" || factor <= 0 || factor > (1 << 20) || entry.parts[0].type.bits > 32)
      continue;
    if (modulus != 0) {
      modulus = -1; // two of them
      return value;
    }
    modulus = factor << entry.parts[0].type.bits;
    made.terms.erase(unknown);
    std::map<int, Number> seen;
    made = numbers.add(made, wholeSum(entry.parts[0], entry.parts[0].type.bits, seen), factor);
  }
  return made;
}

Number Meetings::withoutWraps(const Number &value) const {
  Number made = value;
  for (auto [unknown, factor] : value.terms)
    if (numbers[unknown].test == "wrap")
      made.terms.erase(unknown);
  return made;
}

/// The same of what is inside, where every difference is a multiple of 2^bits; `seen` are the sums of wraps so far.
Number Meetings::wholeSum(const Number &value, int bits, std::map<int, Number> &seen) const {
  Number made = value;
  for (auto [unknown, factor] : value.terms) {
    const Unknown entry = numbers[unknown];
    if (entry.test != "wrap" || entry.parts[0].type.bits < bits)
      continue;
    made.terms.erase(unknown);
    if (!seen.count(unknown))
      seen[unknown] = wholeSum(entry.parts[0], bits, seen);
    made = numbers.add(made, seen[unknown], factor);
  }
  return made;
}

bool Meetings::apart(const Number &distance, const Bytes &one, const Bytes &other) const {
  Range range = numbers.bounds(distance);
  if (range.low >= one.extent() || range.high <= -other.extent())
    return true;
  auto [modulus, remainder] = numbers.congruence(distance);
  if (modulus != 0 && remainder >= one.extent() && remainder - modulus <= -other.extent())
    return true;
  // Lines equally far apart pass one another where the distance, taken modulo that, lies between them.
  std::int64_t stride = one.rows > 1 ? one.stride : other.stride;
  bool lines = (one.rows > 1 || other.rows > 1) && (one.rows == 1 || one.stride == stride) &&
               (other.rows == 1 || other.stride == stride) && one.rowBytes <= stride && other.rowBytes <= stride;
  if (!lines || modulus % stride != 0)
    return false;
  std::int64_t rest = (modulus == 0 ? distance.constant : remainder) % stride;
  rest = rest < 0 ? rest + stride : rest;
  return rest >= one.rowBytes && rest + other.rowBytes <= stride;
}

/// Whether the later access begins where the earlier one did. Of a tile whose place is not known the address says
/// nothing.
bool Meetings::isAt(const Access &access, const Access &of, const Instance &earlier, const Node &later) {
  return access.bytes && of.bytes &&
         numbers.add(access.address, asSeenFrom(of.address, earlier, later), -1).sameValue(numbers.constant(0));
}

bool Meetings::chained(const Instance &earlier, const Node &later,
                       const std::vector<std::pair<const Access *, const Access *>> &hits) {
  const nlohmann::json *rule = machine.rule("same-access-chain");
  if (!rule || earlier.loop != 0) // iterations apart
    return false;
  const int pipe = machine.pipe((*rule)["pipe"]);
  const std::int64_t repeat = (*rule)["repeatBytes"], least = (*rule)["minRepeats"];
  if (nodes[earlier.node].pipe != pipe || later.pipe != pipe)
    return false;
  bool dependence = false;
  for (auto [a, b] : hits) {
    bool same = a->exact && b->exact && a->tile == b->tile && isAt(*b, *a, earlier, later) && a->bytes == b->bytes &&
                a->address.sameValue(hits[0].first->address);
    const std::int64_t size = std::max<std::int64_t>(1, repeat / std::max<std::int64_t>(1, a->tile.elementBytes()));
    std::int64_t repeats = (a->tile.validRows * a->tile.validColumns + size - 1) / size;
    if (!same || repeats < least)
      return false;
    if (a->writes && b->reads) {
      dependence = true;
      if (chainDistance(*a, *b, repeat) < least)
        return false;
    }
  }
  return dependence;
}

bool Meetings::excused(const Instance &earlier, const Node &later,
                       const std::vector<std::pair<const Access *, const Access *>> &hits) {
  const Node &node = nodes[earlier.node];
  if (!node.effects.fence.empty() || !later.effects.fence.empty())
    return false;
  if (const nlohmann::json *rule = machine.rule("vector-order"))
    if (machine.pipe((*rule)["pipe"]) == node.pipe && node.pipe == later.pipe)
      return true;
  if (chained(earlier, later, hits))
    return true;
  const nlohmann::json *rule = machine.rule("m-accumulate-fractals");
  if (!rule || machine.pipe((*rule)["pipe"]) != node.pipe || node.pipe != later.pipe)
    return false;
  const nlohmann::json &inputs = (*rule)["inputBits"];
  bool width = node.effects.inputBits == later.effects.inputBits &&
               (inputs.is_array() ? std::find(inputs.begin(), inputs.end(), node.effects.inputBits) != inputs.end()
                                  : inputs == node.effects.inputBits);
  bool added = false;
  for (auto [a, b] : hits) {
    bool same = a->memory == machine.memoryOfTile("Acc") && a->bytes == b->bytes && a->tile == b->tile &&
                isAt(*b, *a, earlier, later);
    if (!same)
      return false;
    added = added || (a->writes && b->reads && b->writes); // what is added to, not the operand that names it
  }
  const std::int64_t least = (*rule)["minFractals"];
  return width && added && std::min(node.effects.fractals, later.effects.fractals) >= least;
}

/// Not where the file launches kernels, perhaps with one buffer for two arguments.
bool Meetings::argumentsDistinct() const { return machine.rule("gm-arguments-distinct") && !scene.file.launches; }

/// Whether the fence `call` is one for `other`, which runs on another pipe.
bool Meetings::holds(const Node &call, const Node &other) const {
  const Effects &mine = call.effects, &theirs = other.effects;
  if (!mine.withoutData)
    return !mine.betweenCores || !theirs.fence.empty() ||
           std::any_of(theirs.accesses.begin(), theirs.accesses.end(),
                       [&](const Access &access) { return machine.isShared(access.memory); });
  if (!theirs.fence.empty())
    return !theirs.withoutData || mine.fifoFlags.empty() || mine.fifoFlags == theirs.fifoFlags;
  return std::any_of(theirs.accesses.begin(), theirs.accesses.end(), [&](const Access &access) {
    return access.memory == "GM" && (mine.fifo.empty() || access.base.empty() || access.base == mine.fifo ||
                                     !access.inEntry || !argumentsDistinct());
  });
}

bool Meetings::isFence(const Node &earlier, const Node &later, bool sameIteration) const {
  const std::string &mine = earlier.effects.fence, &theirs = later.effects.fence;
  const bool work = !mine.empty() || !earlier.effects.accesses.empty();
  const bool relates = (!theirs.empty() && (theirs != "acquire" || !mine.empty())) ||
                       (!mine.empty() && (mine != "release" || !theirs.empty()));
  const bool signalThenWait =
      mine == "release" && theirs == "acquire" && earlier.effects.withoutData && later.effects.withoutData;
  if (!work || !relates || signalThenWait || (earlier.call == later.call && sameIteration))
    return false;
  const int scalar = machine.pipe("PIPE_S");
  auto ordinary = [&](const Node &node) {
    return node.pipe == scalar && (node.effects.fence.empty() || (!node.effects.onFifo && node.effects.betweenCores));
  };
  if (earlier.pipe == later.pipe)
    return !(machine.rule("scalar-order") && ordinary(earlier) && ordinary(later));
  return (!theirs.empty() && holds(later, earlier)) || (!mine.empty() && holds(earlier, later));
}

bool Meetings::mustOrder(const Instance &earlier, int number) {
  const Node &node = nodes[earlier.node];
  if (number < 0)
    return true;
  const Node &later = nodes[number];
  auto uses = [](const Node &one, const std::array<int, 3> &flag) {
    return std::any_of(one.effects.flags.begin(), one.effects.flags.end(), [&](const auto &used) {
      return used[0] == flag[0] && used[1] == flag[1] && used[2] == flag[2];
    });
  };
  const bool sets = later.name.rfind("set_flag", 0) == 0;
  if (node.waits)
    return !later.waits && uses(later, *node.waits);
  if (sets && node.effects.flags.size() &&
      std::any_of(node.effects.flags.begin(), node.effects.flags.end(),
                  [&](auto &f) { return uses(later, {int(f[0]), int(f[1]), int(f[2])}); }))
    return true;
  if (sets || later.waits || (node.call == later.call && earlier.loop == 0))
    return false;
  const int scalar = machine.pipe("PIPE_S");
  if (!scene.absolute && isFence(node, later, earlier.loop == 0))
    return true;
  if (node.pipe == scalar && later.pipe == scalar && machine.rule("scalar-order"))
    return false;
  std::vector<std::pair<const Access *, const Access *>> hits;
  for (const Access &a : node.effects.accesses)
    for (const Access &b : later.effects.accesses) {
      bool reads = !a.writes && !b.writes, samePipe = node.pipe == later.pipe;
      if (a.hidden && b.hidden && samePipe && machine.rule("library-scratch"))
        continue;
      if (reads && (samePipe || a.memory != machine.memoryOfTile("Acc") || !machine.rule("l0c-read-read")))
        continue;
      if (overlaps(a, earlier, b, later))
        hits.push_back({&a, &b});
    }
  return !hits.empty() && !excused(earlier, later, hits);
}

} // namespace ptosync::check
