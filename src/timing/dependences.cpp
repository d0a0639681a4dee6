#include "timing/dependences.h"

#include <algorithm>

namespace ptosync::timing {
namespace {

using replay::Access;
using replay::Phase;
using replay::Work;

constexpr std::size_t kGlobalWindow = 128; // earlier accesses to an argument's memory that are compared

/// The work as one phase on its main pipe, on-chip accesses alone.
Work onChip(const Work &work, Pipe pipe, const replay::ConflictRules &rules) {
  Work stripped;
  stripped.instruction = work.instruction;
  stripped.known = work.known;
  stripped.product = work.product;
  Phase phase;
  phase.pipe = pipe;
  const Phase *full = nullptr;
  for (const Phase &candidate : work.phases)
    if (!candidate.barrier && (!full || candidate.accesses.size() > full->accesses.size()))
      full = &candidate;
  if (full)
    for (const Access &access : full->accesses)
      if (!rules.global(access.bytes))
        phase.accesses.push_back(access);
  stripped.phases.push_back(std::move(phase));
  return stripped;
}

std::uint64_t signatureOf(const Work &work) {
  std::uint64_t hash = index(work.phases[0].pipe);
  for (const Access &access : work.phases[0].accesses) {
    hash = replay::mix(hash, access.bytes.space.value_or(99));
    hash = replay::mix(hash, static_cast<std::uint64_t>(access.bytes.address));
    hash = replay::mix(hash, static_cast<std::uint64_t>(access.bytes.footprint.extent()));
    hash = replay::mix(hash, access.reads * 2u + access.writes);
  }
  return hash;
}

} // namespace

std::uint32_t Dependences::kindOf(std::uint32_t number, Pipe pipe) {
  if (number >= kindByWork.size())
    kindByWork.resize(number + 1, kNone);
  if (kindByWork[number] != kNone)
    return kindByWork[number];
  Work work = onChip(subject.works[number], pipe, rules);
  std::uint64_t signature = signatureOf(work);
  auto [first, last] = bySignature.equal_range(signature);
  for (auto candidate = first; candidate != last; ++candidate)
    if (const Work &known = kinds[candidate->second].work;
        known.phases == work.phases && known.known == work.known && known.product == work.product)
      return kindByWork[number] = candidate->second;
  auto kind = static_cast<std::uint32_t>(kinds.size());
  kinds.push_back({std::move(work), {}, kNone, kNone});
  bySignature.emplace(signature, kind);
  connect(kind);
  return kindByWork[number] = kind;
}

/// Finds the kinds that conflict with a new one, in both directions.
void Dependences::connect(std::uint32_t number) {
  auto both = [&](const Kind &earlier, const Kind &later) -> std::uint8_t {
    replay::PhaseView a{earlier.work, earlier.work.phases[0]}, b{later.work, later.work.phases[0]};
    bool near = rules.between(a, b, false, &asRun).has_value();
    // A loop in between only takes excuses away.
    bool carried = near || (a.phase.pipe == b.phase.pipe && rules.between(a, b, true, &asRun).has_value());
    return static_cast<std::uint8_t>(near + 2 * carried);
  };
  for (std::uint32_t other = 0; other <= number; ++other) {
    if (std::uint8_t found = both(kinds[other], kinds[number]))
      kinds[number].conflicts.emplace_back(other, found);
    if (other == number)
      continue;
    if (std::uint8_t found = both(kinds[number], kinds[other]))
      kinds[other].conflicts.emplace_back(number, found);
  }
}

void Dependences::add(std::uint32_t operation, std::uint32_t work, Pipe pipe, std::uint32_t iteration,
                      std::vector<std::uint32_t> &found) {
  std::uint32_t number = kindOf(work, pipe);
  Kind &kind = kinds[number];
  for (auto [other, when] : kind.conflicts) {
    const Kind &earlier = kinds[other];
    if (earlier.last == kNone)
      continue;
    bool near = when & 1;
    if (near || replay::loopCarried(trace, earlier.lastIteration, iteration))
      found.push_back(earlier.last);
  }
  addGlobal(operation, subject.works[work], found);
  kind.last = operation;
  kind.lastIteration = iteration;
}

void Dependences::addGlobal(std::uint32_t operation, const Work &work, std::vector<std::uint32_t> &found) {
  if (!work.known)
    return;
  for (const Phase &phase : work.phases) {
    for (const Access &access : phase.accesses) {
      if (!rules.global(access.bytes) || access.bytes.whole || !access.bytes.argument)
        continue;
      std::vector<GlobalAccess> &known = global[*access.bytes.argument];
      std::size_t first = known.size() > kGlobalWindow ? known.size() - kGlobalWindow : 0;
      for (std::size_t i = first; i < known.size(); ++i)
        if ((known[i].writes || access.writes) && known[i].operation != operation &&
            rules.overlap(known[i].bytes, access.bytes, &asRun))
          found.push_back(known[i].operation);
      known.push_back({operation, access.bytes, access.writes});
    }
    if (!phase.accesses.empty())
      break; // the other pipes of the call touch the same
  }
}

} // namespace ptosync::timing
