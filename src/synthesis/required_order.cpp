#include "synthesis/required_order.h"

#include "ordering/pending.h"

#include <tuple>

namespace ptosync::synthesis {
namespace {

using PairKey = std::tuple<TreePath, TreePath, Pipe, Pipe, bool>;

/// Two statements and their pipes, one of them a call that nothing is known about; whether the pair is carried.
using FencePlaces = std::tuple<TreePath, TreePath, Pipe, Pipe, bool>;

/// True if the earlier one ran in an earlier iteration of a loop around both. An earlier iteration of a loop that only
/// the earlier one is in is over, whichever it was.
bool isCarried(const Program &program, const ConflictPair &pair) {
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  const LoopId loop = program.graph->commonLoop(earlier.loop, later.loop);
  const IterationDistance distance = program.distanceOf(pair.bit);
  return loop != kNone && !distance.sameIteration() && program.graph->encloses(distance.loop, loop);
}

FencePlaces placesOf(const Program &program, const ConflictPair &pair, const PlaceOf &placeOf) {
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  return {placeOf(*earlier.statement).path, placeOf(*later.statement).path, earlier.pipe, later.pipe,
          isCarried(program, pair)};
}

/// Orders that the kernel as it is does not see to.
llvm::Expected<std::set<FencePlaces>> fencesLeftOpen(const Kernel &kernel, const Machine &machine,
                                                     const OrderingOptions &options, const PlaceOf &placeOf) {
  llvm::Expected<Program> program = buildProgram(kernel, machine, options);
  if (!program)
    return program.takeError();
  Pending pending(*program);
  std::set<FencePlaces> left;
  for (const OpenObligation &open : pending.open(ObligationKind::Fence))
    left.insert(placesOf(*program, open.pair, placeOf));
  return left;
}

std::string accessText(const Node &node, std::uint32_t access, const char *what) {
  if (access == kNone || access >= node.accesses.size() || node.accesses[access].name.empty())
    return std::string("the ") + what;
  return std::string("the ") + what + " of " + node.accesses[access].name;
}

class Collector {
public:
  Collector(const Program &program, const PlaceOf &placeOf, RequiredOrder &order)
      : program(program), placeOf(placeOf), order(order) {}

  void add(const ConflictPair &pair, bool silenced) {
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
    RequiredPair found;
    found.earlier = placeOf(*earlier.statement).path;
    found.later = placeOf(*later.statement).path;
    if (found.earlier.empty() || found.later.empty()) {
      ++order.unplaced;
      return;
    }
    found.source = earlier.pipe;
    found.destination = later.pipe;
    IterationDistance distance = program.distanceOf(pair.bit);
    found.loop = program.graph->commonLoop(earlier.loop, later.loop);
    found.earlierLoops = loopsBetween(found.loop, earlier.loop);
    found.laterLoops = loopsBetween(found.loop, later.loop);
    found.carried = isCarried(program, pair);
    if (found.carried && distance.loop == found.loop && pair.kind != HazardKind::Fence)
      found.lag = distance.count;
    found.silenced = silenced;
    found.reason = reasonOf(program, pair, placeOf);
    PairKey key{found.later, found.earlier, found.source, found.destination, found.carried};
    auto [known, inserted] = pairs.try_emplace(key, found);
    if (inserted)
      return;
    RequiredPair &same = known->second;
    same.silenced = same.silenced && silenced;
    if (found.lag != 0)
      same.lag = same.lag == 0 ? found.lag : std::min(same.lag, found.lag);
  }

  void finish() {
    for (auto &[key, pair] : pairs)
      order.pairs.push_back(std::move(pair));
  }

private:
  /// From the outermost inwards, those inside `outer` that are around what `inner` is around.
  std::vector<LoopId> loopsBetween(LoopId outer, LoopId inner) const {
    std::vector<LoopId> loops;
    for (; inner != outer && inner != kNone; inner = program.graph->loops()[inner].parent)
      loops.insert(loops.begin(), inner);
    return loops;
  }

  const Program &program;
  const PlaceOf &placeOf;
  RequiredOrder &order;
  std::map<PairKey, RequiredPair> pairs;
};

/// A variable of a loop's test that counts its iterations, as it is at that test.
std::optional<LoopCounter> counterAt(Program &program, LoopId loop) {
  const Kernel &kernel = *program.kernel;
  const Terminator &end = kernel.blocks[program.graph->loops()[loop].header].terminator;
  std::set<VariableId> variables;
  if (end.kind == Terminator::Kind::Branch)
    forEachVariable(kernel.expressions, end.condition, [&](VariableId variable) { variables.insert(variable); });
  for (VariableId variable : variables) {
    ScalarValue value = program.scalars->variable(variable);
    LoopCounter counter{kernel.variables[variable].name, 0, value.constant, program.scalars->trips(loop).trips};
    for (const Term &term : value.terms) {
      const Atom &atom = program.scalars->algebra()[term.atom];
      if (atom.kind == Atom::Kind::Counter && atom.scope == loop)
        counter.step = term.coefficient;
      else
        counter.start.reset();
    }
    if (value.modulus != 0 || (counter.start && *counter.start < 0))
      counter.start.reset();
    if (counter.step > 0)
      return counter;
  }
  return std::nullopt;
}

std::map<LoopId, LoopCounter> countersOf(Program &program) {
  std::map<BlockId, LoopId> headers;
  for (LoopId loop = 0; loop < program.graph->loops().size(); ++loop)
    headers[program.graph->loops()[loop].header] = loop;
  std::map<LoopId, LoopCounter> counters;
  program.scalars->forEachStatement([&](BlockId block, std::size_t index) {
    auto header = headers.find(block);
    if (header == headers.end() || index != program.kernel->blocks[block].statements.size())
      return;
    if (std::optional<LoopCounter> counter = counterAt(program, header->second))
      counters.emplace(header->second, std::move(*counter));
  });
  return counters;
}

} // namespace

OrderReason reasonOf(const Program &program, const ConflictPair &pair, const PlaceOf &placeOf) {
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  OrderReason reason;
  reason.earlierLine = placeOf(*earlier.statement).line;
  reason.laterLine = placeOf(*later.statement).line;
  bool writesFirst = pair.kind == HazardKind::ReadAfterWrite || pair.kind == HazardKind::WriteAfterWrite;
  bool writesLast = pair.kind == HazardKind::WriteAfterRead || pair.kind == HazardKind::WriteAfterWrite;
  bool memory = writesFirst || writesLast;
  reason.earlier = memory ? accessText(earlier, pair.earlierAccess, writesFirst ? "write" : "read") : "the call";
  reason.later = memory ? (writesLast ? "the write" : "the read") : "the call";
  return reason;
}

RequiredOrder orderAmong(const Program &program, const std::vector<Obligation> &pairs, const PlaceOf &placeOf) {
  RequiredOrder order;
  Collector collector(program, placeOf, order);
  for (const Obligation &open : pairs)
    collector.add(open.pair, open.silenced == Excuse::Silenced);
  collector.finish();
  return order;
}

Kernel stripped(const Kernel &kernel, const std::vector<SyncSite> &sites) {
  std::set<SiteId> gone = sitesOf(kernel);
  std::erase_if(gone, [&](SiteId site) { return !isEditable(sites[site]); });
  return withoutSites(kernel, gone);
}

llvm::Expected<RequiredOrder> requiredOrder(const Module &module, std::size_t kernel, const StatementTree &tree,
                                            const Machine &machine, const OrderingOptions &options) {
  Kernel bare = stripped(module.kernels[kernel], module.sites);
  llvm::Expected<Program> program = buildProgram(bare, machine, options);
  if (!program)
    return program.takeError();
  Pending pending(*program);
  PlaceOf placeOf = [&](const Statement &statement) { return StatementPlace{tree.pathOf(statement), statement.line}; };
  std::vector<Obligation> pairs;
  for (const OpenObligation &open : pending.open(ObligationKind::Conflict))
    pairs.push_back(open);
  const std::vector<OpenObligation> fences = pending.open(ObligationKind::Fence);
  if (!fences.empty()) {
    llvm::Expected<std::set<FencePlaces>> left = fencesLeftOpen(module.kernels[kernel], machine, options, placeOf);
    if (!left)
      return left.takeError();
    for (const OpenObligation &open : fences)
      if (!left->count(placesOf(*program, open.pair, placeOf)))
        pairs.push_back(open);
  }
  RequiredOrder order = orderAmong(*program, pairs, placeOf);
  order.complete = !pending.tooManyOpen();
  order.counters = countersOf(*program);
  return order;
}

} // namespace ptosync::synthesis
