#include "audit/fifo_rules.h"

#include "audit/audit_context.h"
#include "ordering/fifo_use.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ptosync {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

/// True if `block` is on every way from the kernel's start to its end.
bool onEveryWay(const Program &program, BlockId block) {
  const FlowGraph &graph = *program.graph;
  return std::all_of(graph.order().begin(), graph.order().end(), [&](BlockId end) {
    return program.kernel->blocks[end].terminator.kind != Terminator::Kind::Return || graph.dominates(block, end);
  });
}

/// True if the loop is left from its header alone.
bool leavesAtHeader(const FlowGraph &graph, LoopId id) {
  const Loop &loop = graph.loops()[id];
  return std::all_of(loop.blocks.begin(), loop.blocks.end(), [&](BlockId block) {
    const std::vector<BlockId> &next = graph.successors(block);
    return block == loop.header ||
           std::all_of(next.begin(), next.end(), [&](BlockId to) { return graph.loopContains(id, to); });
  });
}

} // namespace

std::optional<std::int64_t> timesRun(const Program &program, BlockId block) {
  const FlowGraph &graph = *program.graph;
  std::int64_t times = 1;
  for (LoopId loop = graph.loopOf(block); loop != kNone; loop = graph.loops()[loop].parent) {
    const Loop &facts = graph.loops()[loop];
    std::optional<std::int64_t> trips = program.scalars->trips(loop).trips;
    bool everyTrip = block != facts.header && leavesAtHeader(graph, loop) && graph.everyIteration(loop, block);
    if (!trips || *trips < 0 || *trips > kMost / std::max<std::int64_t>(times, 1) || !everyTrip)
      return std::nullopt;
    times *= *trips;
    block = facts.header;
  }
  return onEveryWay(program, block) ? std::optional(times) : std::nullopt;
}

// The FIFOs between the cores, as one core uses them: fifo-imbalance, fifo-depth.
//
//   per FIFO, along every path: tiles popped and not yet freed, slots allocated and not yet pushed; uses of popped
//   tiles behind later pops; calls of the two cores, where both run a known number of times
//
// Counts are sets of possible values: joined over paths, given up where they grow without bound. What only some paths
// show is a note, for the paths may exclude each other.
// Tested by tests/audit/fifo_rules_test.cpp.

namespace {

constexpr int kMostValues = 24;

/// Possible values of a count; unknown once there are too many.
struct Count {
  std::set<int> values = {0};
  bool unknown = false;

  void step(int by) {
    std::set<int> next;
    for (int value : values)
      next.insert(value + by);
    values = std::move(next);
  }
  bool join(const Count &other) {
    if (unknown)
      return false;
    std::size_t before = values.size();
    values.insert(other.values.begin(), other.values.end());
    unknown = other.unknown || values.size() > kMostValues;
    return unknown || values.size() != before;
  }
};

struct FifoState {
  Count popped, allocated;
};

struct State {
  std::map<FifoId, FifoState> fifos;
  bool reached = false;
};

class FifoRules {
public:
  FifoRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.program()), entry(program.steps.size()) {}

  void run() {
    if (kernel.kernel().fifos.empty() || program.order.empty())
      return;
    collect();
    if (firstUse.empty())
      return;
    entry[program.order.front()].reached = true;
    for (const auto &[fifo, statement] : firstUse)
      entry[program.order.front()].fifos[fifo];
    for (bool again = true; again;) {
      again = false;
      for (StepId step : program.order) {
        if (!entry[step].reached)
          continue;
        State state = entry[step];
        transfer(state, step, false);
        for (const Edge &edge : program.edges[step])
          again |= join(entry[edge.to], state);
      }
    }
    checkEntries();
    for (StepId step : program.order)
      if (entry[step].reached) {
        State state = entry[step];
        transfer(state, step, true);
        if (program.kernel->blocks[program.blockOf[step]].terminator.kind == Terminator::Kind::Return)
          atEnd(state);
      }
    checkRings();
  }

private:
  struct Use {
    const Statement *statement;
    FifoId fifo;
    std::optional<TileId> tile;
    const InstructionFacts *facts;
  };

  std::optional<Use> useOf(const Event &event) const {
    const auto *instruction =
        event.kind == Event::Kind::Access ? std::get_if<Instruction>(&event.statement->action) : nullptr;
    const InstructionFacts *facts = instruction ? context.machine.instruction(instruction->name) : nullptr;
    if (!facts || facts->traits.empty())
      return std::nullopt;
    Use use{event.statement, kNone, std::nullopt, facts};
    for (const Operand &operand : instruction->operands) {
      if (operand.kind == Operand::Kind::Fifo)
        use.fifo = operand.index;
      if (operand.kind == Operand::Kind::Tile)
        use.tile = operand.index;
    }
    return use.fifo == kNone ? std::nullopt : std::optional<Use>(use);
  }

  /// An instruction has a node on each of its pipes; it counts at the first.
  bool counts(const Event &event, const Statement *last) const { return event.statement != last; }

  void collect() {
    for (StepId step : program.order)
      for (const Event &event : program.steps[step])
        if (std::optional<Use> use = useOf(event)) {
          firstUse.try_emplace(use->fifo, use->statement);
          if (use->facts->is("fifo-alloc"))
            allocates.insert(use->fifo);
          if (use->facts->is("fifo-free"))
            frees.insert(use->fifo);
        }
  }

  void transfer(State &state, StepId step, bool report) {
    const Statement *last = nullptr;
    for (const Event &event : program.steps[step]) {
      std::optional<Use> use = useOf(event);
      if (!use || !counts(event, last))
        continue;
      last = event.statement;
      FifoState &fifo = state.fifos[use->fifo];
      if (use->facts->is("fifo-pop")) {
        fifo.popped.step(1);
        if (report && use->tile)
          checkDepth(*use, fifo.popped);
        if (report && !use->tile)
          checkSlots(*use, fifo.popped, "popped and not freed", "the producer waits for a free slot");
      }
      if (use->facts->is("fifo-free"))
        fifo.popped.step(-1);
      if (use->facts->is("fifo-alloc")) {
        fifo.allocated.step(1);
        if (report)
          checkSlots(*use, fifo.allocated, "allocated and not pushed", "the allocation waits for a free slot");
      }
      if (use->facts->is("fifo-push") && allocates.count(use->fifo))
        fifo.allocated.step(-1);
      if (report && use->tile)
        checkSlot(*use);
    }
  }

  bool join(State &target, const State &source) {
    bool changed = !target.reached;
    target.reached = true;
    if (changed) {
      target.fifos = source.fifos;
      return true;
    }
    for (const auto &[fifo, state] : source.fifos) {
      FifoState &into = target.fifos[fifo];
      bool popped = into.popped.join(state.popped), allocated = into.allocated.join(state.allocated);
      changed = changed || popped || allocated;
    }
    return changed;
  }

  const Fifo &fifo(FifoId id) const { return kernel.kernel().fifos[id]; }

  /// A tile that is used though its slot has been filled again.
  void checkEntries() {
    std::vector<FifoUse> uses = fifoUses(program);
    for (FifoId id = 0; id < uses.size(); ++id) {
      const FifoUse &use = uses[id];
      std::int64_t local = use.slots;
      bool certain = local > 0 && use.certainlyInUse > local;
      if (local <= 0 || (!certain && (use.inUse <= local || !use.bounded)))
        continue;
      const Statement &pop = certain ? *use.certainPop : *use.pop, &last = certain ? *use.certainUse : *use.use;
      std::uint32_t further = (certain ? use.certainlyInUse : use.inUse) - 1;
      Finding finding = context.at("fifo-depth", kernel, last,
                                   context.text(last) + " uses an entry of " + fifo(id).name + " behind " +
                                       std::to_string(further) + " further pops, and the ring of popped tiles has " +
                                       std::to_string(local) + " slots: the entry has been overwritten");
      finding.parts.push_back(context.text(pop));
      finding.notes.push_back(context.note(pop, "the entry is popped here"));
      finding.demotion = certain ? 0 : 2;
      overwritten.insert(id);
      context.report(std::move(finding));
    }
  }

  /// More entries of the FIFO's memory held at once than it has: the other core can fill or free none.
  void checkSlots(const Use &use, const Count &held, const char *what, const char *consequence) {
    std::int64_t slots = fifo(use.fifo).slots;
    bool counted = use.facts->is("fifo-pop") ? frees.count(use.fifo) != 0 : true;
    if (slots <= 0 || held.unknown || held.values.empty() || *held.values.rbegin() <= slots || !counted)
      return;
    Finding finding =
        context.at("fifo-depth", kernel, *use.statement,
                   std::to_string(*held.values.rbegin()) + " entries of " + fifo(use.fifo).name + " are " + what +
                       ", and it has " + std::to_string(slots) + " slots: " + consequence + " for ever");
    finding.demotion = *held.values.begin() > slots ? 0 : 2;
    context.report(std::move(finding));
  }

  void checkDepth(const Use &use, const Count &popped) {
    const auto &pop = std::get<Instruction>(use.statement->action);
    std::int64_t local = slotsOf(fifo(use.fifo), assignsOf(kernel.kernel(), pop, context.machine));
    if (overwritten.count(use.fifo) || local <= 0 || popped.unknown || popped.values.empty() ||
        *popped.values.rbegin() <= local || !frees.count(use.fifo))
      return;
    Finding finding = context.at("fifo-depth", kernel, *use.statement,
                                 "up to " + std::to_string(*popped.values.rbegin()) + " tiles of " +
                                     fifo(use.fifo).name + " are in use at once, and the ring of popped tiles has " +
                                     std::to_string(local) + ": the oldest is overwritten");
    finding.demotion = *popped.values.begin() > local ? 0 : 2;
    context.report(std::move(finding));
  }

  void checkSlot(const Use &use) {
    const Tile &tile = kernel.kernel().tiles[*use.tile];
    std::int64_t slot = fifo(use.fifo).slotBytes;
    std::int64_t bytes = std::int64_t(tile.rows) * tile.cols * tile.elementBits / 8;
    if (slot <= 0 || bytes <= slot || tile.elementBits < 8)
      return;
    Finding finding = context.at("fifo-depth", kernel, *use.statement,
                                 "tile " + tile.name + " holds " + std::to_string(bytes) + " bytes, a slot of " +
                                     fifo(use.fifo).name + " has " + std::to_string(slot));
    finding.demotion = leastBytes(tile) > slot ? 0 : 2;
    context.report(std::move(finding));
  }

  /// What of a tile certainly goes into one slot: its valid region, and of an accumulator perhaps only half, for each
  /// of two vector cores, in elements of a byte.
  static std::int64_t leastBytes(const Tile &tile) {
    return tile.location == "Acc" ? staticElements(tile) / 2 : staticElements(tile) * tile.elementBits / 8;
  }

  void imbalance(FifoId id, const Count &count, const char *more, const char *fewer) {
    if (count.unknown || count.values.empty() || (count.values.size() == 1 && *count.values.begin() == 0))
      return;
    bool always = !count.values.count(0);
    int shown = *count.values.rbegin() > 0 ? *count.values.rbegin() : *count.values.begin();
    Finding finding = context.at("fifo-imbalance", kernel, *firstUse.at(id),
                                 std::string(always ? "" : "on some paths ") + fifo(id).name + " ends with " +
                                     std::to_string(std::abs(shown)) + (shown > 0 ? more : fewer));
    finding.demotion = always ? 0 : 1;
    context.report(std::move(finding));
  }

  void atEnd(const State &state) {
    for (const auto &[id, counts] : state.fifos) {
      if (frees.count(id))
        imbalance(id, counts.popped, " popped and never freed: the producer runs out of slots",
                  " freed and never popped: the producer is told of slots that are in use");
      if (allocates.count(id))
        imbalance(id, counts.allocated, " allocated and never pushed: the consumer waits for ever",
                  " pushed and never allocated: a slot in use may be overwritten");
    }
  }

  /// Two FIFOs of one kernel use flags of the cores from their bases on: two of them each, four in both directions.
  void checkRings() {
    for (const auto &[id, statement] : firstUse) {
      const Fifo &ring = fifo(id);
      if (ring.slots > 0 && ring.localSlots > ring.slots) {
        Finding finding = context.at("fifo-depth", kernel, *statement,
                                     ring.name + " has " + std::to_string(ring.localSlots) + " local slots but " +
                                         std::to_string(ring.slots) + " in all: the others stay empty");
        finding.demotion = 2; // memory that nobody uses
        context.report(std::move(finding));
      }
      for (const auto &[otherId, otherUse] : firstUse) {
        const Fifo &other = fifo(otherId);
        auto flags = [](const Fifo &fifo) { return fifo.direction == "DIR_BOTH" ? 4 : 2; };
        bool meet = ring.flagBase >= 0 && other.flagBase >= 0 && ring.flagBase < other.flagBase + flags(other) &&
                    other.flagBase < ring.flagBase + flags(ring);
        if (otherId <= id || !meet || ring.line == other.line)
          continue;
        Finding finding = context.at("fifo-depth", kernel, *otherUse,
                                     other.name + " and " + ring.name + " use the same flags between the cores");
        finding.notes.push_back(context.note(*statement, "the other FIFO"));
        finding.demotion = 1; // one may be done with before the other begins
        context.report(std::move(finding));
      }
    }
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  std::vector<State> entry;
  std::map<FifoId, const Statement *> firstUse;
  std::set<FifoId> allocates, frees;
  std::set<FifoId> overwritten; // reported at the use
};

/// The calls of one trait on a FIFO between the cores that one kernel makes.
struct Traffic {
  const Analysis *kernel = nullptr;
  const Statement *first = nullptr;
  std::string name;
  std::int64_t count = 0;
  bool known = true;
};

/// By kernel, flag base and direction.
using TrafficTable = std::map<std::tuple<std::string, std::int64_t, std::string>, Traffic>;

TrafficTable trafficOf(AuditContext &context, Section section, const char *trait) {
  TrafficTable table;
  for (const Analysis &kernel : context.kernels()) {
    if (kernel.kernel().section != section)
      continue;
    for (BlockId block = 0; block < kernel.kernel().blocks.size(); ++block)
      for (const Statement &statement : kernel.kernel().blocks[block].statements) {
        const auto *instruction = std::get_if<Instruction>(&statement.action);
        const InstructionFacts *facts = instruction ? context.machine.instruction(instruction->name) : nullptr;
        if (!facts || !facts->is(trait) || !kernel.program().graph->reachable(block))
          continue;
        for (const Operand &operand : instruction->operands) {
          if (operand.kind != Operand::Kind::Fifo)
            continue;
          const Fifo &fifo = kernel.kernel().fifos[operand.index];
          Traffic &traffic = table[{kernel.kernel().name, fifo.flagBase, fifo.direction}];
          std::optional<std::int64_t> times = timesRun(kernel.program(), block);
          traffic.known = traffic.known && times.has_value();
          traffic.count += times.value_or(0);
          if (!traffic.first)
            traffic = {&kernel, &statement, fifo.name, traffic.count, traffic.known};
        }
      }
  }
  return table;
}

/// Where both cores of a kernel make a number of calls that is the same in every run, the two numbers must agree.
void compareCores(AuditContext &context) {
  for (auto [direction, from, to] :
       {std::tuple("DIR_C2V", Section::Cube, Section::Vec), std::tuple("DIR_V2C", Section::Vec, Section::Cube)}) {
    TrafficTable pushes = trafficOf(context, from, "fifo-push"), pops = trafficOf(context, to, "fifo-pop");
    for (const auto &[key, push] : pushes) {
      auto pop = pops.find(key);
      if (std::get<2>(key) != direction || pop == pops.end() || std::get<1>(key) < 0 || !push.known ||
          !pop->second.known || push.count == pop->second.count)
        continue;
      const Traffic &taken = pop->second;
      bool waits = taken.count > push.count;
      Finding finding =
          context.at("fifo-imbalance", *taken.kernel, *taken.first,
                     "one core pops " + std::to_string(taken.count) + " entries of " + taken.name +
                         ", the other pushes " + std::to_string(push.count) +
                         (waits ? ": the consumer waits for ever" : ": what is left over meets the next kernel"));
      finding.parts.push_back(context.text(*push.first));
      finding.notes.push_back(context.note(*push.first, "the other core pushes from here on"));
      context.report(std::move(finding));
    }
  }
}

} // namespace

void auditFifos(AuditContext &context) {
  for (const Analysis &kernel : context.kernels())
    FifoRules(context, kernel).run();
  if (context.wants("fifo-imbalance"))
    compareCores(context);
}

} // namespace ptosync
