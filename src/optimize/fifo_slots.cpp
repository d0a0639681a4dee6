#include "optimize/fifo_slots.h"

#include "ordering/fifo_use.h"
#include "ordering/kernel_analysis.h"

#include <algorithm>
#include <map>
#include <memory>

namespace ptosync {
namespace {

std::string placeText(const InstructionPlace &place) { return "line " + std::to_string(place.line) + " " + place.text; }

/// A kernel in which a FIFO type occurs.
struct Consumer {
  const Kernel *kernel = nullptr;
  std::vector<FifoId> fifos; // of the type
};

/// What there is to say of one count.
struct SlotVerdict {
  std::string refusal; // empty: proved
  std::vector<std::string> evidence;
};

class SlotProof {
public:
  SlotProof(const Machine &machine, const OrderingOptions &options, FifoDecision &decision)
      : machine(machine), options(options), decision(decision) {}

  /// Looks at the input; what keeps every count from being proved, or nothing.
  std::string prepare(const std::vector<Consumer> &consumers) {
    for (const Consumer &consumer : consumers) {
      const Kernel &kernel = *consumer.kernel;
      llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options);
      if (!analysis)
        return "kernel " + kernel.name + " cannot be analysed: " + llvm::toString(analysis.takeError());
      std::vector<FifoUse> uses = fifoUses(analysis->program());
      for (FifoId id : consumer.fifos)
        if (uses[id].popsTiles) {
          if (std::string problem = look(kernel, uses[id]); !problem.empty())
            return problem;
          popping.push_back({&kernel, id});
        }
    }
    return {};
  }

  SlotVerdict prove(std::int64_t count) const {
    SlotVerdict verdict;
    if (!decision.popsTiles) {
      verdict.evidence.push_back("no tile is popped into the local ring: its slots hold nothing");
      return verdict;
    }
    if (std::int64_t(decision.inUse) > count)
      return {std::to_string(decision.inUse) + " entries are in use at once: " + longest, {}};
    std::int64_t bytes = count * decision.type.slotBytes;
    std::string range = decision.space + " [" + std::to_string(decision.ringBegin) + ", " +
                        std::to_string(decision.ringBegin + bytes) + ")";
    if (decision.ringBegin < 0 || (decision.spaceBytes > 0 && decision.ringBegin + bytes > decision.spaceBytes))
      return {"the ring would lie at " + range + ", and " + decision.space + " has " +
                  std::to_string(decision.spaceBytes) + " bytes",
              {}};
    for (const auto &[kernel, fifo] : popping)
      if (std::string problem = order(*kernel, fifo, count, range); !problem.empty())
        return {problem, {}};
    verdict.evidence.push_back("entries in use at once: " + std::to_string(decision.inUse) + " (" + longest + ")");
    verdict.evidence.push_back("the ring of " + std::to_string(count) + " slots of " +
                               std::to_string(decision.type.slotBytes) + " bytes lies at " + range + "; " +
                               decision.space + " has " + std::to_string(decision.spaceBytes) +
                               " bytes, and no other tile lies there");
    verdict.evidence.push_back("each pop comes after the last use of the entry it overwrites, on every path, by the "
                               "syncs that are there");
    return verdict;
  }

private:
  /// Notes how the entries of one FIFO are used; a problem, or nothing.
  std::string look(const Kernel &kernel, const FifoUse &use) {
    if (!use.location || !use.ring)
      return "the ring of kernel " + kernel.name + " does not lie at one known place";
    if (use.mixed)
      return "line " + std::to_string(use.mixed->line) + ": a tile of kernel " + kernel.name +
             " may lie in the ring or elsewhere";
    if (use.shifted)
      return "line " + std::to_string(use.shifted->line) + ": it is not known which part of an entry this touches";
    if (!use.bounded)
      return "line " + std::to_string(use.use->line) + ": the entry popped on line " + std::to_string(use.pop->line) +
             " is used after any number of further pops";
    for (const Statement *pop : use.pops)
      for (const Operand &operand : std::get<Instruction>(pop->action).operands)
        if (operand.kind == Operand::Kind::Tile)
          if (std::optional<Footprint> bytes = tileFootprint(kernel.tiles[operand.index], Extent::Whole);
              !bytes || bytes->extent() > decision.type.slotBytes)
            return "line " + std::to_string(pop->line) + ": tile " + operand.spelling +
                   " is not known to fit a slot of " + std::to_string(decision.type.slotBytes) + " bytes";
    std::optional<std::size_t> space = machine.spaceOfTile(*use.location);
    if (!space)
      return "tiles of location " + *use.location + " have no memory in the machine model";
    const MemorySpace &memory = machine.spaces()[*space];
    if (decision.popsTiles && (decision.space != memory.name || decision.ringBegin != *use.ring))
      return "its rings lie at different places: " + decision.space + " " + std::to_string(decision.ringBegin) +
             " and " + memory.name + " " + std::to_string(*use.ring);
    decision.popsTiles = true;
    decision.space = memory.name;
    decision.spaceBytes = static_cast<std::int64_t>(memory.bytes);
    decision.ringBegin = *use.ring;
    if (use.inUse > decision.inUse) {
      decision.inUse = use.inUse;
      longest = "popped on line " + std::to_string(use.pop->line) + ", last used on line " +
                std::to_string(use.use->line) + ", " + std::to_string(use.inUse - 1) + " further pops between";
    }
    return {};
  }

  /// Whether all that touches the ring is ordered once it has `count` slots, and is the FIFO's own.
  std::string order(const Kernel &kernel, FifoId fifo, std::int64_t count, const std::string &range) const {
    Kernel changed = kernel;
    changed.fifos[fifo].localSlots = count;
    llvm::Expected<Analysis> analysis = Analysis::of(changed, machine, options);
    if (!analysis)
      return llvm::toString(analysis.takeError());
    const Program &program = analysis->program();
    const Pending &pending = analysis->pending();
    if (pending.tooManyOpen())
      return "kernel " + kernel.name + " has too many unordered pairs for anything to be proved";
    Access ring;
    ring.space = static_cast<std::uint32_t>(*machine.spaceByName(decision.space));
    ring.base = program.scalars->algebra().constant(decision.ringBegin, kAddress);
    std::int64_t bytes = count * decision.type.slotBytes;
    ring.bytes = Footprint::run(bytes);
    const AccessComparer &comparison = pending.hazards().comparison();
    auto inRing = [&](const Node &node, const Access &access) {
      return comparison.mayOverlap(access, node.loop, ring, kNone, {});
    };
    FifoUse use = fifoUses(program)[fifo];
    for (const Node &node : program.nodes) {
      if (node.unknown)
        return "line " + std::to_string(node.statement->line) + ": an unknown call may use any memory";
      for (const Access &access : node.accesses) {
        bool own = std::find(use.touches.begin(), use.touches.end(), FifoTouch{node.statement, access.name}) !=
                   use.touches.end();
        if (own && (!access.bytes || access.bytes->extent() > decision.type.slotBytes))
          return "line " + std::to_string(node.statement->line) + ": " + access.name +
                 " is not known to stay within a slot of " + std::to_string(decision.type.slotBytes) + " bytes";
        if (!own && inRing(node, access))
          return "the ring would lie at " + range + ", where line " + std::to_string(node.statement->line) + " has " +
                 (access.name.empty() ? std::string("data") : access.name) + ": " +
                 comparison.describe(access, decision.space);
      }
    }
    for (const OpenObligation &open : pending.open(ObligationKind::Conflict)) {
      const Node &earlier = program.nodes[program.nodeOfBit[open.pair.bit]], &later = program.nodes[open.pair.later];
      auto touches = [&](const Node &node, std::uint32_t access) {
        return access == kNone || inRing(node, node.accesses[access]);
      };
      if (!touches(earlier, open.pair.earlierAccess) && !touches(later, open.pair.laterAccess))
        continue;
      Conflict conflict = pending.hazards().describe(open.pair);
      return std::string(hazardKindName(conflict.kind)) + " on " + conflict.storage +
             " would not be ordered: " + placeText(conflict.earlier) + " -> " + placeText(conflict.later) +
             (conflict.loopCarried ? ", carried round the loop" : "");
    }
    return {};
  }

  const Machine &machine;
  const OrderingOptions &options;
  FifoDecision &decision;
  std::vector<std::pair<const Kernel *, FifoId>> popping;
  std::string longest;
};

std::map<FifoType, std::vector<Consumer>> typesOf(const Module &module) {
  std::map<FifoType, std::vector<Consumer>> types;
  for (const Kernel &kernel : module.kernels)
    for (FifoId id = 0; id < kernel.fifos.size(); ++id) {
      std::vector<Consumer> &consumers = types[typeOf(kernel.fifos[id])];
      if (consumers.empty() || consumers.back().kernel != &kernel)
        consumers.push_back({&kernel, {}});
      consumers.back().fifos.push_back(id);
    }
  return types;
}

bool matches(const FifoMatch &match, const FifoType &type) {
  return (match.directions.empty() || std::count(match.directions.begin(), match.directions.end(), type.direction)) &&
         type.localSlots >= match.leastLocalSlots && type.slotBytes > 0 && type.slots > 0;
}

void settle(FifoDecision &decision, const SlotProof &proof, std::int64_t count) {
  SlotVerdict verdict = proof.prove(count);
  if (!verdict.refusal.empty()) {
    decision.reason = "not with " + std::to_string(count) + ": " + verdict.refusal;
    return;
  }
  decision.localSlots = count;
  decision.evidence = std::move(verdict.evidence);
  decision.reason.clear();
}

} // namespace

FifoType typeOf(const Fifo &fifo) {
  return {fifo.flagBase, fifo.direction, fifo.slotBytes, fifo.slots, fifo.localSlots};
}

std::string fifoTypeText(const FifoType &type) {
  return "TPipe<" + std::to_string(type.flagBase) + ", " + type.direction + ", " + std::to_string(type.slotBytes) +
         ", " + std::to_string(type.slots) + ", " + std::to_string(type.localSlots) + ">";
}

llvm::Expected<std::vector<FifoDecision>> decideFifoSlots(const Module &module, const Machine &machine,
                                                          const RewriteRequest &request,
                                                          const OrderingOptions &options) {
  std::vector<FifoDecision> decisions;
  const Pattern &pattern = request.pattern;
  for (const auto &[type, consumers] : typesOf(module)) {
    if (!matches(pattern.fifo, type))
      continue;
    FifoDecision decision;
    decision.type = type;
    decision.pattern = pattern.id;
    decision.localSlots = type.localSlots;
    decision.line = consumers.front().kernel->fifos[consumers.front().fifos.front()].line;
    for (const Consumer &consumer : consumers)
      decision.kernels.push_back(consumer.kernel->name);
    SlotProof proof(machine, options, decision);
    decision.reason = proof.prepare(consumers);
    if (request.localSlots) {
      std::int64_t count = *request.localSlots;
      if (decision.reason.empty() && count > type.slots)
        decision.reason = "the FIFO has " + std::to_string(type.slots) + " slots in all";
      if (decision.reason.empty() && count != type.localSlots)
        settle(decision, proof, count);
      if (!decision.reason.empty())
        return llvm::createStringError(module.source.name() + ":" + std::to_string(decision.line) + ": " +
                                       fifoTypeText(type) + " cannot have " + std::to_string(count) +
                                       " local slots: " + decision.reason);
    } else if (decision.reason.empty()) {
      std::int64_t most = std::min(pattern.mostLocalSlots, type.localSlots - 1);
      decision.reason = "the pattern allows no fewer than " + std::to_string(pattern.leastLocalSlots);
      for (std::int64_t count = pattern.leastLocalSlots; count <= most && !decision.changed(); ++count)
        settle(decision, proof, count);
      if (!decision.changed() && pattern.leastLocalSlots <= most)
        decision.reason = "no count from " + std::to_string(pattern.leastLocalSlots) + " to " + std::to_string(most) +
                          " is proved; " + decision.reason;
    }
    decisions.push_back(std::move(decision));
  }
  return decisions;
}

} // namespace ptosync
