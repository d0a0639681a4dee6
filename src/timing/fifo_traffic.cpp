#include "timing/fifo_traffic.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ptosync::timing {
namespace {

/// Of one FIFO in one direction, as both cores count.
struct Ring {
  std::array<FifoId, 2> ids = {kNone, kNone}; // by core
  std::uint32_t entries = 0, room = 0;        // rows of signals
  std::uint32_t asked = 0, pushed = 0, popped = 0, freed = 0;
  std::uint32_t waitedForRoom = 0;
};

const Instruction *instructionAt(const KernelTiming &core, std::uint32_t operation) {
  return std::get_if<Instruction>(&statementOf(core, operation).action);
}

bool has(const Instruction &instruction, Operand::Kind kind) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [&](const Operand &operand) { return operand.kind == kind; });
}

/// A signal between the cores that belongs to no FIFO.
bool signalsOtherwise(const Instruction &instruction, const Machine &machine) {
  const InstructionFacts *facts = machine.instruction(instruction.name);
  if (facts && (facts->is("signals-on-pipe") || facts->is("waits-for-signal")))
    return true;
  for (const ReservedIds &reserved : machine.reservedBetweenCores())
    if (std::find(reserved.calls.begin(), reserved.calls.end(), instruction.name) != reserved.calls.end())
      return true;
  return false;
}

class Follower {
public:
  Follower(const KernelTiming &cube, const KernelTiming &vec, const Machine &machine, const FifoCost &costs)
      : timings{&cube, &vec}, machine(machine), costs(costs) {}

  FifoTraffic follow() {
    for (core = 0; core < timings.size(); ++core)
      for (std::uint32_t operation = 0; operation < timings[core]->plan().operations.size(); ++operation)
        if (const Instruction *instruction = instructionAt(*timings[core], operation))
          add(operation, *instruction);
    for (const auto &[key, ring] : rings)
      check(ring);
    checkDeclarations();
    return std::move(traffic);
  }

private:
  void apart(const std::string &why) {
    if (traffic.apart.empty())
      traffic.apart = why;
  }

  const Kernel &kernel(std::size_t number) const { return timings[number]->subject().kernel; }
  const Fifo &fifoAt(std::size_t number, FifoId id) const { return kernel(number).fifos[id]; }
  std::string nameOf(std::size_t number, FifoId id) const {
    return "FIFO " + fifoAt(number, id).name + " (" + std::string(sectionName(coreSection(number))) + ", line " +
           std::to_string(fifoAt(number, id).line) + ")";
  }

  void add(std::uint32_t operation, const Instruction &instruction) {
    if (signalsOtherwise(instruction, machine))
      return apart("line " + std::to_string(statementOf(*timings[core], operation).line) + ": " + instruction.name +
                   " signals between the cores without a FIFO, which is not followed");
    std::optional<FifoId> id = firstOf(instruction, Operand::Kind::Fifo);
    if (!id)
      return;
    const InstructionFacts *facts = machine.instruction(instruction.name);
    if (!facts)
      return apart("line " + std::to_string(statementOf(*timings[core], operation).line) + ": what " +
                   instruction.name + " does to " + nameOf(core, *id) + " is not known");
    bool tile = has(instruction, Operand::Kind::Tile);
    bool pushes = facts->is("fifo-push"), asks = facts->is("fifo-alloc") || (pushes && tile);
    bool pops = facts->is("fifo-pop");
    bool frees = pops ? tile && costs.popFrees
                      : facts->is("fifo-free") && (has(instruction, Operand::Kind::Tensor) || !costs.popFrees);
    if (!pushes && !asks && !pops && !frees)
      return;
    Ring *ring = ringOf(*id, pushes || asks);
    if (!ring)
      return;
    Junction junction;
    junction.operation = operation;
    junction.fifo = *id;
    Pipe producer = core == kCubeCore ? Pipe::FIX : Pipe::MTE3; // whatever else the model lists for the call
    junction.pipe = pushes || asks ? producer : timings[core]->plan().operations[operation].pipe;
    std::int64_t slots = fifoAt(core, *id).slots, group = costs.slotsAtOnce(slots);
    if (asks)
      askForRoom(*ring, junction, slots, group);
    if (pops) {
      junction.waits = ring->entries;
      junction.number = ring->popped++;
    }
    if (pushes) {
      junction.signals = ring->entries;
      ++ring->pushed;
    }
    if (frees)
      giveBack(*ring, junction, group);
    if (junction.waits != kNone || junction.signals != kNone)
      traffic.cores[core].push_back(junction);
  }

  void askForRoom(Ring &ring, Junction &junction, std::int64_t slots, std::int64_t group) {
    std::int64_t entry = ring.asked++;
    if (entry < slots || entry % group != 0)
      return;
    junction.waits = ring.room;
    junction.number = ring.waitedForRoom++;
  }

  /// The library looks at how many were popped, not at how many were given back: the same only in step.
  void giveBack(Ring &ring, Junction &junction, std::int64_t group) {
    ++ring.freed;
    bool whole = ring.freed % group == 0;
    if (ring.freed > ring.popped || whole != (ring.popped % group == 0))
      apart(nameOf(core, junction.fifo) + ": entries are given back out of step with the pops");
    if (whole)
      junction.signals = ring.room;
  }

  /// Null, and a reason, if it cannot be told which ring that is.
  Ring *ringOf(FifoId id, bool produces) {
    const Fifo &fifo = fifoAt(core, id);
    std::size_t producer = produces ? core : 1 - core;
    bool directed = fifo.direction == "DIR_BOTH" || fifo.direction == (producer == kCubeCore ? "DIR_C2V" : "DIR_V2C");
    if (fifo.flagBase < 0 || fifo.slots <= 0 || !directed) {
      apart(nameOf(core, id) + (directed ? ": its flags or its depth are not known"
                                         : ": this core is on the other side of it, or the direction is not known"));
      return nullptr;
    }
    auto [known, inserted] = rings.try_emplace({fifo.flagBase, producer});
    Ring &ring = known->second;
    if (inserted) {
      ring.entries = traffic.rows++;
      ring.room = traffic.rows++;
    }
    if (ring.ids[core] != kNone && ring.ids[core] != id) {
      apart(nameOf(core, id) + " and " + nameOf(core, ring.ids[core]) + " use the same flags");
      return nullptr;
    }
    ring.ids[core] = id;
    used[core].insert(id);
    return &ring;
  }

  void check(const Ring &ring) {
    std::size_t known = ring.ids[kCubeCore] != kNone ? kCubeCore : kVecCore;
    std::string name = nameOf(known, ring.ids[known]) + ": ";
    auto compare = [&](const char *first, std::uint32_t a, const char *second, std::uint32_t b) {
      if (a != b)
        apart(name + "entries " + first + ": " + std::to_string(a) + ", " + second + ": " + std::to_string(b));
    };
    compare("pushed", ring.pushed, "popped", ring.popped);
    compare("allocated", ring.asked, "pushed", ring.pushed);
    compare("popped", ring.popped, "given back", ring.freed);
    if (!traffic.apart.empty())
      return;
    const Fifo &a = fifoAt(kCubeCore, ring.ids[kCubeCore]), &b = fifoAt(kVecCore, ring.ids[kVecCore]);
    if (a.slots != b.slots || a.slotBytes != b.slotBytes || a.direction != b.direction)
      apart(nameOf(kCubeCore, ring.ids[kCubeCore]) + " and " + nameOf(kVecCore, ring.ids[kVecCore]) +
            " use the same flags and are not the same FIFO");
  }

  /// A FIFO counts from where it is constructed, and its flags are its own.
  void checkDeclarations() {
    for (core = 0; core < timings.size(); ++core)
      for (FifoId id : used[core]) {
        if (!constructedOnce(id))
          apart(nameOf(core, id) + " is not constructed exactly once");
        const Fifo &fifo = fifoAt(core, id);
        for (FifoId other : used[core]) {
          std::int64_t flags = fifo.direction == "DIR_BOTH" ? 4 : 2, base = fifoAt(core, other).flagBase;
          if (other != id && base >= fifo.flagBase && base < fifo.flagBase + flags)
            apart(nameOf(core, id) + " and " + nameOf(core, other) + " use the same flags");
        }
      }
  }

  bool constructedOnce(FifoId id) const {
    std::size_t times = 0;
    for (BlockId block = 0; block < kernel(core).blocks.size(); ++block)
      for (const Statement &statement : kernel(core).blocks[block].statements)
        if (const auto *assign = std::get_if<Assign>(&statement.action);
            assign && assign->variable == fifoAt(core, id).pops)
          times += timings[core]->subject().nest.innermost(block) == kNone ? 1 : 2;
    return times == 1;
  }

  const std::array<const KernelTiming *, 2> timings;
  const Machine &machine;
  const FifoCost &costs;
  FifoTraffic traffic;
  std::map<std::pair<std::int64_t, std::size_t>, Ring> rings; // by flags and producer
  std::array<std::set<FifoId>, 2> used;
  std::size_t core = 0;
};

} // namespace

FifoTraffic followFifos(const KernelTiming &cube, const KernelTiming &vec, const Machine &machine,
                        const FifoCost &costs) {
  return Follower(cube, vec, machine, costs).follow();
}

bool meetsOtherCore(const Kernel &kernel, const Machine &machine) {
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
        const InstructionFacts *facts = machine.instruction(instruction->name);
        if (signalsOtherwise(*instruction, machine) || (facts && (facts->is("fifo-push") || facts->is("fifo-pop"))))
          return true;
      }
  return false;
}

} // namespace ptosync::timing
