#include "ordering/hazard.h"

#include "kernel/kernel.h"
#include "machine/footprint.h"
#include "ordering/conflict.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

OverlapOptions overlapOptions(const Program &program) {
  OverlapOptions options;
  options.globalMemory = program.machine->spaceByName("GM");
  options.argumentsMayAlias = program.options.argumentsMayAlias || !program.machine->rules().argumentsApart();
  options.related = program.arguments;
  return options;
}

/// Accesses that no comparison can tell apart share a region.
std::string regionKey(const Node &node, const Access &access) {
  std::string key = std::to_string(access.space) + "@" + std::to_string(access.base.constant) + "%" +
                    std::to_string(access.base.modulus);
  for (const Term &term : access.base.terms)
    key += "+" + std::to_string(term.coefficient) + "*" + std::to_string(term.atom);
  if (access.bytes)
    key += "#" + std::to_string(access.bytes->rows) + "x" + std::to_string(access.bytes->rowBytes) + "/" +
           std::to_string(access.bytes->stride);
  if (access.base.addressed || access.base.far)
    key += access.base.trace.made != 0 || access.base.far ? "anywhere" : "";
  if (!access.base.terms.empty())
    key += "in" + std::to_string(node.loop); // iteration distances depend on the loop
  return key;
}

/// `overlap` of the pair's two accesses, each with its loop, at their distance; false for fences.
template <typename Overlap> bool holdsForAccesses(const Program &program, const ConflictPair &pair, Overlap overlap) {
  if (pair.earlierAccess == kNone || pair.laterAccess == kNone)
    return false;
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  return overlap(earlier.accesses[pair.earlierAccess], earlier.loop, later.accesses[pair.laterAccess], later.loop,
                 program.distanceOf(pair.bit));
}

} // namespace

HazardModel::HazardModel(const Program &program)
    : program(program), comparer(program.scalars->algebra(), *program.graph, overlapOptions(program)),
      accumulator(program.machine->spaceOfTile("Acc")), fenceBits(program.bits) {
  for (BitSet &column : columns)
    column = BitSet(program.bits);
  for (const Node &node : program.nodes)
    for (std::uint32_t i = 0; i < program.bitCount(node); ++i) {
      columns[index(node.pipe)].insert(node.firstBit + i);
      if (node.fence)
        fenceBits.insert(node.firstBit + i);
    }
  findWaits();
  candidatesOfNode.resize(program.nodes.size());
  buildRegions();
}

void HazardModel::findWaits() {
  ownWaitBits.assign(program.flags.size(), BitSet(program.bits));
  auto add = [&](std::vector<BitSet> &bits, std::uint32_t flag, const Node &node) {
    for (std::uint32_t i = 0; i < program.bitCount(node); ++i)
      bits[flag].insert(node.firstBit + i);
  };
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Wait)
        for (std::uint32_t lane : event.lanes)
          add(ownWaitBits, lane, program.nodes[event.node]);
  waitBits = ownWaitBits;
  for (const Node &node : program.nodes)
    if (node.libraryFlag != kNone && !node.sets)
      add(waitBits, node.libraryFlag, node);
  for (const Node &node : program.nodes)
    if (!node.inside.empty())
      insideOfCall[node.statement] = &node.inside;
}

void HazardModel::buildRegions() {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<LoopId> loops;
  regionsOfNode.resize(program.nodes.size());
  for (NodeId id = 0; id < program.nodes.size(); ++id) {
    const Node &node = program.nodes[id];
    for (const Access &access : node.accesses) {
      auto [entry, inserted] = numbers.try_emplace(regionKey(node, access), static_cast<std::uint32_t>(regions.size()));
      if (inserted) {
        regions.push_back({&access, BitSet(program.bits), BitSet(program.bits), {}});
        loops.push_back(node.loop);
      }
      Region &region = regions[entry->second];
      for (std::uint32_t i = 0; i < program.bitCount(node); ++i) {
        if (access.reads)
          region.readers.insert(node.firstBit + i);
        if (access.writes)
          region.writers.insert(node.firstBit + i);
      }
      regionsOfNode[id].push_back(entry->second);
    }
  }
  // Any distance at all: an unknown one in the outermost loop, or the same iteration.
  for (std::uint32_t a = 0; a < regions.size(); ++a)
    for (std::uint32_t b = 0; b < regions.size(); ++b) {
      if (regions[a].access->space != regions[b].access->space)
        continue;
      bool plain = regions[a].access->base.terms.empty() && regions[b].access->base.terms.empty();
      // Symbolic bases are left to the exact test.
      if (!plain || comparer.mayOverlap(*regions[b].access, loops[b], *regions[a].access, loops[a], {}))
        regions[a].overlapping.push_back(b);
    }
}

const BitSet &HazardModel::candidates(NodeId id) const {
  const BitSet *&known = candidatesOfNode[id];
  if (known)
    return *known;
  const Node &node = program.nodes[id];
  std::vector<std::pair<std::uint32_t, bool>> key;
  key.reserve(node.accesses.size());
  for (std::size_t i = 0; i < node.accesses.size(); ++i) {
    const Access &access = node.accesses[i];
    key.emplace_back(regionsOfNode[id][i], access.writes || (accumulator && access.space == *accumulator));
  }
  auto [entry, inserted] = candidateSets.try_emplace(std::move(key), BitSet(program.bits));
  if (inserted)
    for (const auto &[region, readsMatter] : entry->first)
      for (std::uint32_t other : regions[region].overlapping) {
        entry->second.unite(regions[other].writers);
        if (readsMatter)
          entry->second.unite(regions[other].readers);
      }
  return *(known = &entry->second);
}

const BitSet &HazardModel::candidatesOn(Pipe pipe) const {
  std::optional<BitSet> &known = candidatesOfPipe[index(pipe)];
  if (known)
    return *known;
  known.emplace(program.bits);
  for (NodeId node = 0; node < program.nodes.size(); ++node)
    if (program.nodes[node].pipe == pipe && !program.nodes[node].accesses.empty())
      known->unite(candidates(node));
  return *known;
}

bool HazardModel::meets(const Node &earlier, const Access &a, const Node &later, const Access &b,
                        IterationDistance distance) const {
  return comparer.mayOverlap(a, earlier.loop, b, later.loop, distance);
}

/// Calls `visit(pair)` for each conflicting pair of accesses until it returns false.
template <typename Visit> void HazardModel::forEachConflict(std::uint32_t bit, NodeId laterId, Visit visit) const {
  const Node &earlier = program.nodes[program.nodeOfBit[bit]];
  const Node &later = program.nodes[laterId];
  IterationDistance distance = program.distanceOf(bit);
  // What happens inside one call is the library's business.
  if (earlier.statement == later.statement && distance.sameIteration())
    return;
  // The scalar unit runs its work in program order.
  const OrderingRules &rules = program.machine->rules();
  if (earlier.pipe == Pipe::S && later.pipe == Pipe::S && rules.scalarInOrder())
    return;
  bool scratchRule = rules.scratchInOrder() && earlier.pipe == later.pipe;
  for (std::uint32_t i = 0; i < earlier.accesses.size(); ++i)
    for (std::uint32_t j = 0; j < later.accesses.size(); ++j) {
      const Access &a = earlier.accesses[i], &b = later.accesses[j];
      if (a.space != b.space || (scratchRule && a.hidden && b.hidden))
        continue;
      bool readRead = !a.writes && !b.writes;
      if (readRead && !(accumulator && a.space == *accumulator && earlier.pipe != later.pipe && rules.readsConflict()))
        continue;
      if (!meets(earlier, a, later, b, distance))
        continue;
      HazardKind kind = readRead              ? HazardKind::ReadAfterRead
                        : a.writes && b.reads ? HazardKind::ReadAfterWrite
                        : a.reads && b.writes ? HazardKind::WriteAfterRead
                                              : HazardKind::WriteAfterWrite;
      if (!a.writes && b.writes)
        kind = HazardKind::WriteAfterRead;
      else if (a.writes && b.writes && !b.reads)
        kind = HazardKind::WriteAfterWrite;
      if (!visit(ConflictPair{bit, laterId, kind, i, j}))
        return;
    }
}

std::optional<ConflictPair> HazardModel::conflict(std::uint32_t bit, NodeId later) const {
  std::optional<ConflictPair> best;
  // A true dependence tells a reader the most.
  auto rank = [](HazardKind kind) { return static_cast<int>(kind); };
  forEachConflict(bit, later, [&](const ConflictPair &pair) {
    if (!best || rank(pair.kind) < rank(best->kind))
      best = pair;
    return best->kind != HazardKind::ReadAfterWrite;
  });
  return best;
}

std::vector<ConflictPair> HazardModel::conflicts(std::uint32_t bit, NodeId later) const {
  std::vector<ConflictPair> pairs;
  forEachConflict(bit, later, [&](const ConflictPair &pair) {
    pairs.push_back(pair);
    return true;
  });
  return pairs;
}

bool HazardModel::certainlyMeets(const ConflictPair &pair) const {
  return holdsForAccesses(program, pair, [&](const auto &...operands) { return comparer.mustOverlap(operands...); });
}

bool HazardModel::certainlyMeetsAtEntry(const ConflictPair &pair) const {
  return holdsForAccesses(program, pair,
                          [&](const auto &...operands) { return comparer.mustOverlapAtEntry(operands...); });
}

/// True if every byte is read late enough after it was written.
bool HazardModel::lateEnough(const Access &written, const Access &read) const {
  const ChainRule &rule = *program.machine->rules().chain;
  return chainDistance(lineShape(*written.tile), written.order, read.order, rule.repeatBytes) >= rule.minRepeats;
}

/// a3: a long enough vector result is followed by an instruction that reads exactly those bytes.
Excuse HazardModel::chainRule(std::uint32_t bit, NodeId laterId) const {
  const std::optional<ChainRule> &rule = program.machine->rules().chain;
  const Node &earlier = program.nodes[program.nodeOfBit[bit]], &later = program.nodes[laterId];
  if (!rule || earlier.fence || later.fence || earlier.pipe != rule->pipe || later.pipe != rule->pipe)
    return Excuse::None;
  IterationDistance distance = program.distanceOf(bit);
  if (!distance.sameIteration())
    return Excuse::None;
  bool holds = true, trueDependence = false, late = true;
  std::optional<std::uint32_t> written;
  forEachConflict(bit, laterId, [&](const ConflictPair &pair) {
    const Access &a = earlier.accesses[pair.earlierAccess], &b = later.accesses[pair.laterAccess];
    bool exact = !a.scratch && !b.scratch && comparer.sameAccess(a, earlier.loop, b, later.loop, distance) &&
                 contiguousValidRegion(*a.tile) &&
                 vectorRepeats(*a.tile, rule->repeatBytes).value_or(0) >= rule->minRepeats;
    // Only the access of the true dependence itself: all conflicts must be on those bytes.
    if (exact && a.writes && b.reads) {
      trueDependence = true;
      late = late && lateEnough(a, b);
    }
    if (written && !comparer.sameAccess(earlier.accesses[*written], earlier.loop, a, earlier.loop, {}))
      exact = false;
    if (!written)
      written = pair.earlierAccess;
    holds = exact;
    return holds;
  });
  if (!holds || !trueDependence)
    return Excuse::None;
  bool justified = rule->use == RuleUse::Justify && (late || program.options.assemblerChain);
  return justified ? Excuse::Justified : Excuse::Silenced;
}

/// True if both begin at the same known byte.
static bool startTogether(const Access &a, const Access &b) {
  return a.base.isConstant() && b.base.isConstant() && a.base.constant == b.base.constant;
}

/// Accumulation on one Acc tile: both on the pipe of products, every conflict on exactly that tile.
HazardModel::Accumulation HazardModel::accumulation(std::uint32_t bit, NodeId laterId) const {
  const OrderingRules &rules = program.machine->rules();
  const Node &earlier = program.nodes[program.nodeOfBit[bit]], &later = program.nodes[laterId];
  auto onPipe = [&](const auto &rule) { return rule && rule->pipe == earlier.pipe; };
  if (!accumulator || earlier.pipe != later.pipe || earlier.fence || later.fence ||
      !(onPipe(rules.accumulateOrder) || onPipe(rules.accumulateFractals)))
    return Accumulation::None;
  bool holds = true, read = false, written = false, exact = true;
  IterationDistance distance = program.distanceOf(bit);
  // What the later one adds to must be what the earlier one left; that it reads the sum before it writes it, and that
  // the earlier one has read its own start there, is part of adding up.
  forEachConflict(bit, laterId, [&](const ConflictPair &pair) {
    const Access &a = earlier.accesses[pair.earlierAccess], &b = later.accesses[pair.laterAccess];
    const bool same = comparer.sameAccess(a, earlier.loop, b, later.loop, distance);
    exact = exact && same;
    holds = a.space == *accumulator && (same || startTogether(a, b));
    read = read || (a.writes && b.reads);
    written = written || (a.writes && b.writes);
    return holds;
  });
  if (!holds || !read || !written)
    return Accumulation::None;
  const std::optional<AccumulateFractalsRule> &fractals = rules.accumulateFractals;
  // Results of two sizes in one place: whether the rule speaks of them is open, unless it is known to fail below its
  // bound.
  if (!exact)
    return fractals && established(fractals->below) ? Accumulation::None : Accumulation::OtherSize;
  if (!onPipe(fractals) || !earlier.product || !later.product ||
      !fractals->inputBits.count(earlier.product->inputBits) || !fractals->inputBits.count(later.product->inputBits))
    return Accumulation::Unsized;
  auto count = [&](const Node &node) { return node.product->fractals(fractals->fractalSide); };
  std::int64_t fewest = std::min(count(earlier), count(later)), most = std::max(count(earlier), count(later));
  return fewest >= fractals->minFractals ? Accumulation::Large
         : most < fractals->minFractals  ? Accumulation::Small
                                         : Accumulation::Unsized;
}

/// Two loads that overwrite one another.
bool HazardModel::loadRule(std::uint32_t bit, NodeId laterId) const {
  const Node &earlier = program.nodes[program.nodeOfBit[bit]], &later = program.nodes[laterId];
  const std::optional<PipeOrderRule> &rule = program.machine->rules().loadOrder;
  if (!rule || earlier.pipe != rule->pipe || later.pipe != rule->pipe || earlier.fence || later.fence)
    return false;
  bool holds = true;
  forEachConflict(bit, laterId, [&](const ConflictPair &pair) {
    holds = pair.kind == HazardKind::WriteAfterWrite && !earlier.accesses[pair.earlierAccess].scratch &&
            !later.accesses[pair.laterAccess].scratch;
    return holds;
  });
  return holds;
}

Excuse HazardModel::excuse(std::uint32_t bit, NodeId later, std::string *rule) const {
  const Excuse found = excuseByRules(bit, later, rule);
  if (found != Excuse::Silenced)
    return found;
  return program.options.contestedRulesHold ? Excuse::Justified
         : program.options.fromNothing      ? Excuse::None
                                            : Excuse::Silenced;
}

Excuse HazardModel::excuseByRules(std::uint32_t bit, NodeId later, std::string *rule) const {
  const Node &before = program.nodes[program.nodeOfBit[bit]], &after = program.nodes[later];
  auto say = [&](const char *id, Excuse excuse) {
    if (rule)
      *rule = id;
    return excuse;
  };
  const OrderingRules &rules = program.machine->rules();
  auto excuseOf = [](RuleUse use) { return use == RuleUse::Justify ? Excuse::Justified : Excuse::Silenced; };
  const std::optional<PipeOrderRule> &vector = rules.vectorOrder;
  if (vector && program.options.vectorOrder && before.pipe == vector->pipe && after.pipe == vector->pipe &&
      !before.fence && !after.fence)
    return say("vector-order", excuseOf(vector->use));
  if (Excuse chain = chainRule(bit, later); chain != Excuse::None)
    return say("same-access-chain", chain);
  Accumulation sum = accumulation(bit, later);
  if (sum == Accumulation::Large)
    return say("m-accumulate-fractals", excuseOf(rules.accumulateFractals->use));
  if (sum == Accumulation::OtherSize && rules.accumulateOrder)
    return say("m-accumulate-order", Excuse::Silenced);
  if (sum != Accumulation::None && rules.accumulateOrder) {
    if (program.options.accumulateOrder)
      return say("m-accumulate-order", Excuse::Justified);
    // What is known to be out of order below the bound outweighs the contested rule.
    if (sum == Accumulation::Unsized || !established(rules.accumulateFractals->below))
      return say("m-accumulate-order", excuseOf(rules.accumulateOrder->use));
  }
  if (loadRule(bit, later))
    return say("mte2-load-order", excuseOf(rules.loadOrder->use));
  return Excuse::None;
}

InstructionPlace HazardModel::place(NodeId id) const {
  const Node &node = program.nodes[id];
  InstructionPlace place;
  place.pipe = node.pipe;
  place.line = node.statement->line;
  if (const auto *instruction = std::get_if<Instruction>(&node.statement->action))
    place.text = printInstruction(*instruction);
  else
    place.text = printStatement(*program.kernel, *node.statement);
  for (std::uint32_t context = node.statement->context; context; context = program.kernel->contexts[context].parent)
    place.calledFrom.push_back(program.kernel->contexts[context].callLine);
  return place;
}

Conflict HazardModel::describe(const ConflictPair &pair) const {
  Conflict conflict;
  NodeId earlier = program.nodeOfBit[pair.bit];
  conflict.earlier = place(earlier);
  conflict.later = place(pair.later);
  conflict.kind = pair.kind;
  conflict.loopCarried = !program.distanceOf(pair.bit).sameIteration();
  if (pair.earlierAccess != kNone && pair.laterAccess != kNone) {
    const Access &a = program.nodes[earlier].accesses[pair.earlierAccess];
    const Access &b = program.nodes[pair.later].accesses[pair.laterAccess];
    conflict.storage = comparer.describe(b.bytes ? b : a, program.machine->spaces()[a.space].name) +
                       (b.bytes ? comparer.describeRelation(a, b) : comparer.describeRelation(b, a));
  }
  return conflict;
}

bool HazardModel::libraryOrders(const ConflictPair &pair) const {
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  if (pair.earlierAccess == kNone || earlier.pipe != later.pipe)
    return false;
  auto phases = [&](const Node &node) {
    return effectsOf(*program.kernel, std::get<Instruction>(node.statement->action), *program.machine, Trust::Library)
        .phases;
  };
  auto names = [&](const Node &node, std::uint32_t access, const EffectAccess &effect) {
    const auto &instruction = std::get<Instruction>(node.statement->action);
    return effect.operand && instruction.operands[*effect.operand].spelling == node.accesses[access].name;
  };
  // Behind the earlier access, or in front of the later one, inside the same call.
  bool touched = false;
  for (const EffectPhase &phase : phases(earlier)) {
    if (phase.barrier && touched && phase.pipe == earlier.pipe)
      return true;
    for (const EffectAccess &effect : phase.accesses)
      touched = touched || names(earlier, pair.earlierAccess, effect);
  }
  bool barrier = false;
  for (const EffectPhase &phase : phases(later)) {
    barrier = barrier || (phase.barrier && phase.pipe == later.pipe);
    for (const EffectAccess &effect : phase.accesses)
      if (names(later, pair.laterAccess, effect))
        return barrier;
  }
  return false;
}

const char *hazardKindName(HazardKind kind) {
  switch (kind) {
  case HazardKind::ReadAfterWrite: return "RAW";
  case HazardKind::WriteAfterRead: return "WAR";
  case HazardKind::WriteAfterWrite: return "WAW";
  case HazardKind::ReadAfterRead: return "RAR";
  case HazardKind::Fence: return "fence";
  case HazardKind::FlagReuse: return "flag reuse";
  }
  return "?";
}

ObligationKind obligationKind(const ConflictPair &pair) {
  if (pair.later == kNone)
    return ObligationKind::End;
  switch (pair.kind) {
  case HazardKind::Fence: return ObligationKind::Fence;
  case HazardKind::FlagReuse: return ObligationKind::FlagReuse;
  case HazardKind::ReadAfterWrite:
  case HazardKind::WriteAfterRead:
  case HazardKind::WriteAfterWrite:
  case HazardKind::ReadAfterRead: return ObligationKind::Conflict;
  }
  return ObligationKind::Conflict;
}

std::optional<std::size_t> Obligations::rowOf(const Event &event) const {
  switch (event.kind) {
  case Event::Kind::Access: return index(program.nodes[event.node].pipe);
  case Event::Kind::Set: return index(event.source);
  case Event::Kind::Inside: return program.nodes[event.node].sets ? std::optional(index(event.source)) : std::nullopt;
  case Event::Kind::Barrier:
  case Event::Kind::Wait:
  case Event::Kind::Get:
  case Event::Kind::Release: return std::nullopt;
  }
  return std::nullopt;
}

bool Obligations::isFenceOrder(std::uint32_t bit, NodeId laterId) const {
  const Node &earlier = program.nodes[program.nodeOfBit[bit]], &later = program.nodes[laterId];
  if (earlier.statement == later.statement)
    return earlier.fence && !program.distanceOf(bit).sameIteration();
  return program.fenceOrder(earlier, later);
}

} // namespace ptosync
