#include "synthesis/required_order.h"

#include "ordering/kernel_analysis.h"

#include <algorithm>
#include <tuple>

namespace ptosync::synthesis {
namespace {

/// The child whose text, with the pragmas that are about it, holds a byte; the number of children if none does.
std::uint32_t childAt(const BraceList &list, std::uint32_t offset) {
  auto child = std::upper_bound(list.children.begin(), list.children.end(), offset,
                                [](std::uint32_t at, const BraceList::Child &one) { return at < one.front; });
  if (child == list.children.begin() || offset >= std::prev(child)->end)
    return static_cast<std::uint32_t>(list.children.size());
  return static_cast<std::uint32_t>(std::prev(child) - list.children.begin());
}

/// By context that has a statement in a list: the body which that is in, a list of the kernel. What runs in front of a
/// body, in the same context, may stand in the caller's: the first of them in the text is meant.
std::map<std::uint32_t, ListId> bodiesOf(const Kernel &kernel) {
  std::map<std::uint32_t, ListId> byOpen;
  for (ListId list = 0; list < kernel.lists.size(); ++list)
    byOpen.emplace(kernel.lists[list].open, list);
  std::map<std::uint32_t, ListId> bodies;
  auto see = [&](std::uint32_t context, Anchor anchor) {
    auto list = byOpen.find(anchor.list);
    if (list == byOpen.end())
      return;
    ListId body = list->second;
    while (kernel.lists[body].parent != kNone)
      body = kernel.lists[body].parent;
    auto [known, inserted] = bodies.try_emplace(context, body);
    if (kernel.lists[body].open < kernel.lists[known->second].open)
      known->second = body;
  };
  for (const Block &block : kernel.blocks) {
    for (const Statement &statement : block.statements)
      see(statement.context, statement.anchor);
    see(block.terminator.context, block.terminator.anchor);
  }
  return bodies;
}

} // namespace

llvm::Expected<StatementTree> StatementTree::read(const Kernel &kernel) {
  const std::map<std::uint32_t, ListId> bodies = bodiesOf(kernel);
  auto body = bodies.find(0);
  if (body == bodies.end())
    return llvm::createStringError("it has no statements of its own");
  StatementTree tree;
  if (llvm::Error error = tree.addBody(kernel, body->second, {}))
    return std::move(error);
  tree.opened.insert(0);
  for (std::uint32_t context = 1; context < kernel.contexts.size(); ++context)
    if (llvm::Error error = tree.addHelper(kernel, context, bodies))
      return std::move(error);
  return tree;
}

llvm::Error StatementTree::addBody(const Kernel &kernel, ListId body, ChildPlace call) {
  if (!kernel.lists[body].notFollowed.empty())
    return llvm::createStringError(kernel.lists[body].notFollowed);
  const ListId first = static_cast<ListId>(all.size());
  auto own = [&](ListId list) { return list - body + first; };
  for (ListId list = body; list < kernel.lists.size() && (list == body || kernel.lists[list].parent != kNone); ++list) {
    BraceList &added = all.emplace_back(kernel.lists[list]);
    byOpen[added.open] = own(list);
    added.parent = list == body ? call.list : own(added.parent);
    added.parentChild = list == body ? call.child : added.parentChild;
    for (BraceList::Child &child : added.children)
      for (ListId &inner : child.lists)
        inner = own(inner);
  }
  return llvm::Error::success();
}

llvm::Error StatementTree::addHelper(const Kernel &kernel, std::uint32_t context,
                                     const std::map<std::uint32_t, ListId> &bodies) {
  const CallContext &call = kernel.contexts[context];
  if (!opened.count(call.parent)) {
    calls[context] = calls[call.parent];
    return llvm::Error::success();
  }
  TreePath path;
  if (auto around = bodies.find(call.parent); around != bodies.end() && call.callBegin != kNone)
    path = pathToOffset(byOpen.at(kernel.lists[around->second].open), call.callBegin);
  calls[context] = path;
  const auto same = std::count_if(kernel.contexts.begin() + 1, kernel.contexts.end(),
                                  [&](const CallContext &other) { return other.callee == call.callee; });
  auto body = bodies.find(context);
  if (path.empty() || same != 1 || body == bodies.end() || byOpen.count(kernel.lists[body->second].open))
    return llvm::Error::success();
  if (llvm::Error error = addBody(kernel, body->second, path.back()))
    return error;
  opened.insert(context);
  return llvm::Error::success();
}

TreePath StatementTree::pathOf(const Statement &statement) const {
  if (opened.count(statement.context))
    return pathTo(statement.anchor);
  auto call = calls.find(statement.context);
  return call == calls.end() ? TreePath{} : call->second;
}

TreePath StatementTree::pathOf(const Terminator &terminator) const {
  return opened.count(terminator.context) ? pathTo(terminator.anchor) : TreePath{};
}

TreePath StatementTree::pathTo(Anchor anchor) const {
  auto list = byOpen.find(anchor.list);
  if (list == byOpen.end() || anchor.begin == kNone)
    return {};
  const std::uint32_t child = childAt(all[list->second], anchor.begin);
  return child < all[list->second].children.size() ? pathOf({list->second, child}) : TreePath{};
}

/// To the innermost child under `list` that a byte is part of, bodies of helpers aside; empty if there is none.
TreePath StatementTree::pathToOffset(ListId list, std::uint32_t offset) const {
  const std::uint32_t child = childAt(all[list], offset);
  if (child == all[list].children.size())
    return {};
  for (ListId inner : all[list].children[child].lists)
    if (TreePath path = pathToOffset(inner, offset); !path.empty())
      return path;
  return pathOf({list, child});
}

StatementOrder::StatementOrder(const std::vector<BraceList> &lists) : lists(lists) {
  for (const BraceList &list : lists)
    for (const BraceList::Child &child : list.children) {
      marks.push_back(child.begin);
      if (!child.lists.empty())
        marks.push_back(lists[child.lists.back()].close);
    }
  std::sort(marks.begin(), marks.end());
}

std::uint32_t StatementOrder::before(std::uint32_t offset) const {
  return static_cast<std::uint32_t>(std::lower_bound(marks.begin(), marks.end(), offset) - marks.begin());
}

std::uint32_t StatementOrder::depthAt(std::uint32_t offset) const {
  ListId innermost = kNone;
  for (ListId list = 0; list < lists.size(); ++list)
    if (lists[list].open < offset && offset < lists[list].close &&
        (innermost == kNone || lists[list].open > lists[innermost].open))
      innermost = list;
  std::uint32_t depth = 0;
  for (; innermost != kNone; innermost = lists[innermost].parent)
    ++depth;
  return depth;
}

TreePath StatementTree::pathOf(ChildPlace place) const {
  TreePath path;
  while (place.list != kNone) {
    path.insert(path.begin(), place);
    place = {all[place.list].parent, all[place.list].parentChild};
  }
  return path;
}

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
  llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options);
  if (!analysis)
    return analysis.takeError();
  std::set<FencePlaces> left;
  for (const OpenObligation &open : analysis->pending().open(ObligationKind::Fence))
    left.insert(placesOf(analysis->program(), open.pair, placeOf));
  return left;
}

std::string accessText(const Node &node, std::uint32_t access, const char *what) {
  if (access == kNone || access >= node.accesses.size() || node.accesses[access].name.empty())
    return std::string("the ") + what;
  return std::string("the ") + what + " of " + node.accesses[access].name;
}

/// By loop: after how many of its iterations addresses of tiles come again.
std::map<LoopId, std::set<std::uint32_t>> storageOf(const Program &program) {
  std::map<LoopId, std::set<std::uint32_t>> lasts;
  const Kernel &kernel = *program.kernel;
  program.scalars->forEachStatement([&](BlockId block, std::size_t index) {
    const std::vector<Statement> &statements = kernel.blocks[block].statements;
    const auto *instruction = index < statements.size() ? std::get_if<Instruction>(&statements[index].action) : nullptr;
    if (!instruction)
      return;
    for (const Operand &operand : instruction->operands)
      if (operand.kind == Operand::Kind::Tile)
        for (const Term &term : program.scalars->variable(kernel.tiles[operand.index].address).terms)
          if (const Atom &atom = program.scalars->algebra()[term.atom]; atom.kind == Atom::Kind::Table)
            lasts[atom.scope].insert(static_cast<std::uint32_t>(atom.table.size()));
  });
  return lasts;
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
    if (found.carried && pair.kind != HazardKind::Fence)
      found.lag = lagOf(found.loop, distance);
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
  /// In iterations of `loop`. What comes round a loop outside, with so few iterations of `loop` in between that each
  /// may have an id, is as many later. Where copies of the loop's blocks tell its storage apart, only the addresses as
  /// written say how many iterations that lasts.
  std::uint32_t lagOf(LoopId loop, IterationDistance distance) {
    if (distance.loop == loop && distance.atLeast) {
      const std::map<LoopId, std::set<std::uint32_t>> &known = storage ? *storage : storage.emplace(storageOf(program));
      if (auto lasts = known.find(loop); lasts != known.end())
        if (auto longer = lasts->second.lower_bound(distance.count); longer != lasts->second.end())
          return *longer;
    }
    if (distance.loop == loop)
      return distance.count;
    const std::optional<std::int64_t> trips = program.scalars->trips(loop).trips;
    return trips && *trips > 1 && *trips <= kMostSlots ? static_cast<std::uint32_t>(*trips) : 0;
  }

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
  std::optional<std::map<LoopId, std::set<std::uint32_t>>> storage; // storageOf, once asked for
};

/// A variable of a loop's test that counts its iterations, as it is at that test.
std::optional<LoopCounter> counterAt(const Program &program, LoopId loop) {
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
    if (counter.step > 0 || (counter.step < 0 && counter.start))
      return counter;
  }
  return std::nullopt;
}

std::map<LoopId, LoopCounter> countersOf(const Program &program) {
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
  llvm::Expected<Analysis> analysis = Analysis::of(bare, machine, options);
  if (!analysis)
    return analysis.takeError();
  const Program &program = analysis->program();
  const Pending &pending = analysis->pending();
  PlaceOf placeOf = [&](const Statement &statement) { return StatementPlace{tree.pathOf(statement), statement.line}; };
  std::vector<Obligation> pairs;
  for (const OpenObligation &open : pending.open(ObligationKind::Conflict))
    pairs.push_back(open);
  const std::vector<OpenObligation> fences = pending.open(ObligationKind::Fence);
  if (options.fromNothing) {
    for (const OpenObligation &open : fences)
      if (Program::isNeeded(program.nodes[program.nodeOfBit[open.pair.bit]], program.nodes[open.pair.later]))
        pairs.push_back(open);
  } else if (!fences.empty()) {
    llvm::Expected<std::set<FencePlaces>> left = fencesLeftOpen(module.kernels[kernel], machine, options, placeOf);
    if (!left)
      return left.takeError();
    for (const OpenObligation &open : fences)
      if (!left->count(placesOf(program, open.pair, placeOf)))
        pairs.push_back(open);
  }
  RequiredOrder order = orderAmong(program, pairs, placeOf);
  order.complete = !pending.tooManyOpen();
  order.counters = countersOf(program);
  return order;
}

} // namespace ptosync::synthesis
