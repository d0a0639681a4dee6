#include "timing/cores.h"

#include "replay/choose/run_choice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
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

namespace {

/// "k_aic" -> "k_"; empty if it does not end so.
std::string_view stemOf(std::string_view name, std::string_view ending) {
  bool ends = name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending;
  return ends ? name.substr(0, name.size() - ending.size()) : std::string_view();
}

/// It does something on its core.
bool works(const Kernel &kernel, const Machine &machine) {
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
        const InstructionFacts *facts = machine.instruction(instruction->name);
        if (!facts || std::any_of(facts->forms.begin(), facts->forms.end(),
                                  [](const InstructionForm &form) { return !form.pipes.empty(); }))
          return true;
      }
  return false;
}

bool sameKernel(const Kernel &cube, const Kernel &vec, const Machine &machine) {
  bool cubeMeets = meetsOtherCore(cube, machine), vecMeets = meetsOtherCore(vec, machine);
  if (cube.name == vec.name)
    return (cubeMeets && works(vec, machine)) || (vecMeets && works(cube, machine));
  std::string_view stem = stemOf(cube.name, "aic");
  return !stem.empty() && stem == stemOf(vec.name, "aiv") && cubeMeets && vecMeets;
}

/// An argument of one function is the same one of the other, as far as both use it.
bool takeTheSame(const replay::Subject &cube, const replay::Subject &vec) {
  for (const replay::NamedArgument &a : replay::argumentsOf(cube))
    for (const replay::NamedArgument &b : replay::argumentsOf(vec))
      if ((a.number == b.number) != (a.name == b.name) || (a.number == b.number && a.type != b.type))
        return false;
  return true;
}

double idleOf(const CoresRun &run, std::size_t core) {
  double sum = 0;
  for (const CoreWait &wait : run.waits)
    if (wait.core == core)
      sum += wait.idle;
  return sum;
}

std::vector<CallWaits> byCall(const JoinedCores &joined, const CoresRun &run) {
  std::map<std::tuple<std::size_t, std::uint32_t, std::string, std::string>, CallWaits> calls;
  for (const CoreWait &wait : run.waits) {
    if (wait.idle <= 0)
      continue;
    const Statement &statement = statementOf(joined.core(wait.core), wait.operation);
    const std::string &fifo = joined.core(wait.core).subject().kernel.fifos[wait.fifo].name;
    const std::string &name = std::get<Instruction>(statement.action).name;
    CallWaits &call = calls[{wait.core, statement.line, name, fifo}];
    call.core = wait.core;
    call.fifo = fifo;
    call.call = name;
    call.line = statement.line;
    call.cycles += wait.idle;
    call.times += 1;
  }
  std::vector<CallWaits> sorted;
  sorted.reserve(calls.size());
  for (auto &[key, call] : calls)
    sorted.push_back(std::move(call));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CallWaits &a, const CallWaits &b) { return a.cycles > b.cycles; });
  return sorted;
}

} // namespace

std::string CorePair::name() const { return cube->name == vec->name ? cube->name : cube->name + " and " + vec->name; }

std::vector<CorePair> corePairs(const std::vector<Kernel> &kernels, const Machine &machine) {
  std::vector<CorePair> pairs;
  for (const Kernel &cube : kernels)
    for (const Kernel &vec : kernels)
      if (cube.section == Section::Cube && vec.section == Section::Vec && cube.analysable && vec.analysable &&
          sameKernel(cube, vec, machine))
        pairs.push_back({&cube, &vec});
  return pairs;
}

JoinedCores::JoinedCores(const CorePair &pair, std::array<const KernelTiming *, 2> known, const Machine &machine,
                         const replay::Options &options, const CostTable &table)
    : pairName(pair.name()), costs(table.fifo()) {
  bool sameRun = known[0] && known[1] && pair.cube->name == pair.vec->name;
  if (sameRun && !known[0]->plan().extrapolated && !known[1]->plan().extrapolated) {
    cores = known;
  } else {
    own = timeCores({pair.cube, pair.vec}, machine, options, table,
                    sameRun ? std::optional(known[0]->inputs()) : std::nullopt, replay::Skipping::Forbidden);
    cores = {&own[0], &own[1]};
  }
  join(machine);
}

JoinedCores::JoinedCores(const CorePair &pair, const replay::Inputs &inputs, const Machine &machine,
                         const replay::Options &options, const CostTable &table)
    : pairName(pair.name()), costs(table.fifo()),
      own(timeCores({pair.cube, pair.vec}, machine, options, table, inputs, replay::Skipping::Forbidden)),
      cores{&own[0], &own[1]} {
  join(machine);
}

void JoinedCores::join(const Machine &machine) {
  for (std::size_t number = 0; number < cores.size(); ++number)
    if (cores[number]->trace().ending != replay::Ending::Returned) {
      traffic.apart = "the run of the " + std::string(sectionName(coreSection(number))) +
                      " core is too long to run every iteration of it";
      return;
    }
  const replay::Subject &cube = cores[kCubeCore]->subject(), &vec = cores[kVecCore]->subject();
  if (cube.kernel.name != vec.kernel.name && !takeTheSame(cube, vec)) {
    traffic.apart = "the two functions do not take the same arguments";
    return;
  }
  traffic = followFifos(*cores[kCubeCore], *cores[kVecCore], machine, costs);
  std::array<std::size_t, 2> met{};
  CoresRun run;
  if (!traffic.apart.empty() || drive({}, run, met))
    return;
  // However long anything takes: each one's signal stands behind its own wait.
  traffic.apart = "each core would wait for the other";
  for (std::size_t number = 0; number < cores.size(); ++number)
    if (met[number] < traffic.cores[number].size()) {
      const Statement &statement = statementOf(*cores[number], traffic.cores[number][met[number]].operation);
      traffic.apart +=
          ", the " + std::string(sectionName(coreSection(number))) + " core at line " + std::to_string(statement.line);
    }
}

/// Goes on with one core for as long as it has what it needs; false if that is no operation at all.
bool JoinedCores::goOn(std::size_t core, Engine &engine, std::size_t &met, std::vector<std::vector<double>> &sent,
                       CoresRun &run) const {
  const std::vector<Junction> &junctions = traffic.cores[core];
  bool moved = false;
  for (; !engine.over(); moved = true) {
    if (met == junctions.size() || junctions[met].operation != engine.next()) {
      engine.step();
      continue;
    }
    const Junction &junction = junctions[met];
    if (junction.waits != kNone) {
      if (junction.number >= sent[junction.waits].size())
        return moved;
      Pipe held = costs.holdsCore ? Pipe::S : junction.pipe;
      double arrives = sent[junction.waits][junction.number] + costs.signal;
      double idle = engine.idle(), could = engine.hold(held, arrives);
      if (arrives > could)
        run.waits.push_back({core, junction.operation, junction.fifo, held, could, arrives,
                             arrives - (costs.holdsCore ? std::min(std::max(could, idle), arrives) : could)});
    }
    engine.step();
    if (junction.signals != kNone)
      sent[junction.signals].push_back(engine.settled(junction.pipe));
    ++met;
  }
  return moved;
}

bool JoinedCores::drive(const EngineOptions &options, CoresRun &run, std::array<std::size_t, 2> &met) const {
  std::array<Engine, 2> engines{Engine(cores[0]->plan(), options), Engine(cores[1]->plan(), options)};
  std::vector<std::vector<double>> sent(traffic.rows);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t number = 0; number < cores.size(); ++number)
      moved |= goOn(number, engines[number], met[number], sent, run);
  }
  for (std::size_t number = 0; number < cores.size(); ++number)
    run.cores[number] = engines[number].take();
  std::stable_sort(run.waits.begin(), run.waits.end(),
                   [](const CoreWait &a, const CoreWait &b) { return a.core < b.core; });
  return engines[0].over() && engines[1].over();
}

CoresRun JoinedCores::run(const EngineOptions &options) const {
  CoresRun run;
  std::array<std::size_t, 2> met{};
  drive(options, run, met);
  return run;
}

CoresEstimate JoinedCores::estimate(const Sites &leftOut) const {
  EngineOptions options;
  options.ignored = leftOut;
  CoresRun together = run(options);
  CoresEstimate estimate;
  estimate.run = replay::describe(inputs(), cores[kCubeCore]->subject().kernel);
  estimate.cycles = together.cycles();
  for (std::size_t number = 0; number < cores.size(); ++number)
    estimate.cores[number] = {runEngine(cores[number]->plan(), options).cycles, together.cores[number].cycles,
                              idleOf(together, number)};
  estimate.waits = byCall(*this, together);
  options.dataFlow = true;
  estimate.limit = run(options).cycles();
  return estimate;
}

} // namespace ptosync::timing
