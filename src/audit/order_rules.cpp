#include "audit/audit_context.h"
#include "audit/path_search.h"
#include "audit/ring_rules.h"
#include "ordering/buffers.h"
#include "ordering/fifo_use.h"
#include "ordering/follow_instance.h"
#include "ordering/hazard.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

namespace ptosync {

// Lists the conflicts of an open pair of instructions, one by one.
//
//   open pair (instance, later node) --all accesses against all--> conflicts that no machine rule orders by itself
//
// The ordering engine keeps one conflict for a pair that nothing orders, which is enough to refuse an edit. A finding
// needs all of them. TPRELU(c, a, b, tmp) behind the load of b reads b for certain, and on one reading more of a than
// its tile, which may reach into b: of the two conflicts only the first makes an error.
//
// A machine rule that orders some of the conflicts excuses the pair only if it orders all of them. What it orders is
// left out here, whatever the rule's grade, because nothing may be called wrong that one reading has in order.
// Tested by tests/audit/order_rules_test.cpp.

/// Returns the conflicts of an open pair that count, the one that HazardModel::conflict gives first if it does.
std::vector<ConflictPair> countedConflicts(const Program &program, const HazardModel &model, std::uint32_t bit,
                                           NodeId later);

/// Returns those of the conflicts of two instances that are in the same-access chain but for the iterations between the
/// two: the read of a vector result that is long enough, and what else there is on exactly the bytes of that result.
std::vector<ConflictPair> chainConflicts(const Program &program, const HazardModel &model,
                                         const std::vector<ConflictPair> &conflicts);

/// Returns true if the list has the conflict between the same two accesses.
bool holds(const std::vector<ConflictPair> &conflicts, const ConflictPair &pair);

namespace {

const Access &earlierAccess(const Program &program, const ConflictPair &pair) {
  return program.nodes[program.nodeOfBit[pair.bit]].accesses[pair.earlierAccess];
}

const Access &laterAccess(const Program &program, const ConflictPair &pair) {
  return program.nodes[pair.later].accesses[pair.laterAccess];
}

/// Returns true if the rule for loads that overwrite one another speaks of the conflict.
bool isLoadOverLoad(const Program &program, const ConflictPair &pair) {
  const std::optional<PipeOrderRule> &rule = program.machine->rules().loadOrder;
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  return rule && earlier.pipe == rule->pipe && later.pipe == rule->pipe && !earlier.fence && !later.fence &&
         pair.kind == HazardKind::WriteAfterWrite && !earlierAccess(program, pair).scratch &&
         !laterAccess(program, pair).scratch;
}

/// Returns true if both accesses are exactly the same bytes of a vector result that is long enough for the chain.
bool isChainAccess(const Program &program, const HazardModel &model, const ConflictPair &pair) {
  const std::optional<ChainRule> &rule = program.machine->rules().chain;
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  if (!rule || earlier.pipe != rule->pipe || later.pipe != rule->pipe || earlier.fence || later.fence)
    return false;
  const Access &first = earlierAccess(program, pair), &second = laterAccess(program, pair);
  return first.tile && !first.scratch && !second.scratch && contiguousValidRegion(*first.tile) &&
         vectorRepeats(*first.tile, rule->repeatBytes).value_or(0) >= rule->minRepeats &&
         model.comparison().sameAccess(first, earlier.loop, second, later.loop, program.distanceOf(pair.bit));
}

} // namespace

std::vector<ConflictPair> chainConflicts(const Program &program, const HazardModel &model,
                                         const std::vector<ConflictPair> &conflicts) {
  std::vector<ConflictPair> exact, chain;
  std::copy_if(conflicts.begin(), conflicts.end(), std::back_inserter(exact),
               [&](const ConflictPair &pair) { return isChainAccess(program, model, pair); });
  auto onResult = [&](const ConflictPair &pair) {
    LoopId loop = program.nodes[program.nodeOfBit[pair.bit]].loop;
    return std::any_of(exact.begin(), exact.end(), [&](const ConflictPair &read) {
      return read.kind == HazardKind::ReadAfterWrite &&
             model.comparison().sameAccess(earlierAccess(program, read), loop, earlierAccess(program, pair), loop, {});
    });
  };
  std::copy_if(exact.begin(), exact.end(), std::back_inserter(chain), onResult);
  return chain;
}

bool holds(const std::vector<ConflictPair> &conflicts, const ConflictPair &pair) {
  return std::any_of(conflicts.begin(), conflicts.end(), [&](const ConflictPair &other) {
    return other.earlierAccess == pair.earlierAccess && other.laterAccess == pair.laterAccess;
  });
}

std::vector<ConflictPair> countedConflicts(const Program &program, const HazardModel &model, std::uint32_t bit,
                                           NodeId later) {
  std::vector<ConflictPair> conflicts = model.conflicts(bit, later), chain;
  if (program.distanceOf(bit).sameIteration())
    chain = chainConflicts(program, model, conflicts);
  std::erase_if(conflicts,
                [&](const ConflictPair &pair) { return holds(chain, pair) || isLoadOverLoad(program, pair); });
  std::stable_sort(conflicts.begin(), conflicts.end(),
                   [](const ConflictPair &a, const ConflictPair &b) { return a.kind < b.kind; });
  return conflicts;
}

// missing-sync, ring-too-short: pairs of instructions that meet in memory and that nothing orders on some path.
//
// What the ordering engine calls open, minus what a contested rule silences. Of a pair all conflicts are looked at
// (above), and the most certain one decides. An error needs all three: the bytes of a conflict certainly
// meet (in the first iteration of a loop, if the path ends there), that conflict is open whichever of the disputed
// pipes an instruction runs on, and a certain path shows it. Without a certain path it is a warning, otherwise a note;
// so is a pair that a faulty flag leaves unordered, for that flag is the finding. Where a longer ring would order the
// pair, the ring is what is wrong. Tested by tests/audit/order_rules_test.cpp and ring_rules_test.cpp.

namespace {

constexpr std::size_t kMostSearches = 24;

/// What is known of the bytes of a conflict: that they meet, that they do in the first iterations of the loops around
/// the later one alone, or neither.
enum class Bytes : std::uint8_t { Possible, AtEntry, Certain };

/// The same-access chain but for a loop between the two.
enum class Chain : std::uint8_t {
  None,
  Carried, // in a later iteration of a loop around both: the rule's sources leave such pairs out
  Behind,  // the reader stands behind the loop: the rule may well hold, only the loop is in the way of seeing it
};

struct CountedConflict {
  ConflictPair pair;
  Chain chain = Chain::None;
  Bytes bytes = Bytes::Possible;
};

/// The open conflicts between two statements.
struct OpenPair {
  std::vector<CountedConflict> conflicts;
  std::map<Bytes, std::set<std::pair<Pipe, Pipe>>> pipes; // between which there is a conflict of which so much is known
};

class OrderRules {
public:
  OrderRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.whereScalarWaitsHold().program()),
        pending(kernel.whereScalarWaitsHold().pending()), model(pending.hazards()) {}

  void run() {
    std::map<std::pair<const Statement *, const Statement *>, OpenPair> pairs;
    std::vector<std::pair<const Statement *, const Statement *>> order;
    for (const OpenObligation &open : pending.open(ObligationKind::Conflict)) {
      const Node &earlier = program.nodes[program.nodeOfBit[open.pair.bit]], &later = program.nodes[open.pair.later];
      if (open.silenced != Excuse::None || earlier.unknown || later.unknown)
        continue; // unknown calls meet everything by assumption
      auto [entry, inserted] = pairs.try_emplace({earlier.statement, later.statement});
      if (inserted)
        order.push_back(entry->first);
      addConflicts(open.pair, entry->second);
    }
    for (const auto &statements : order) {
      OpenPair &open = pairs.at(statements);
      // A conflict that a rule may order in later iterations too says less than another one.
      std::stable_partition(open.conflicts.begin(), open.conflicts.end(),
                            [&](const CountedConflict &conflict) { return conflict.chain != Chain::Carried; });
      if (!open.conflicts.empty())
        report(*statements.first, *statements.second, open);
    }
  }

private:
  /// Adds what meets in the instance and the node of an open pair.
  void addConflicts(const ConflictPair &pair, OpenPair &open) const {
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
    std::vector<ConflictPair> conflicts = countedConflicts(program, model, pair.bit, pair.later);
    std::vector<ConflictPair> chain = chainConflicts(program, model, conflicts);
    for (const ConflictPair &conflict : conflicts) {
      CountedConflict counted{conflict, holds(chain, conflict) ? chainOverLoop(conflict) : Chain::None};
      counted.bytes = bytesOf(counted);
      open.conflicts.push_back(counted);
      // On the reading that a wait is queued on the later one's own pipe, the later one stands behind it.
      if (earlier.acquire && earlier.pipe == later.pipe)
        continue;
      for (Bytes bytes : {Bytes::Possible, Bytes::AtEntry, Bytes::Certain})
        if (bytes <= counted.bytes)
          open.pipes[bytes].insert({earlier.pipe, later.pipe});
    }
  }

  std::set<Pipe> pipesOf(const Statement &statement) const {
    std::set<Pipe> pipes;
    for (const Node &node : program.nodes)
      if (node.statement == &statement && !node.accesses.empty())
        pipes.insert(node.pipe);
    return pipes;
  }

  /// True if the pair has such conflicts on one reading of an instruction's pipe and is ordered on another.
  bool pipeDisputed(const Statement &earlier, const Statement &later, const OpenPair &open, Bytes bytes) const {
    auto pipes = open.pipes.find(bytes);
    return pipes == open.pipes.end() || pipes->second.size() < pipesOf(earlier).size() * pipesOf(later).size();
  }

  /// The most that is known of the bytes of some conflict on whichever pipes the two run; with `disputed`, on some
  /// reading of them.
  Bytes bytesOf(const Statement &earlier, const Statement &later, const OpenPair &open, bool &disputed) const {
    disputed = false;
    for (Bytes bytes : {Bytes::Certain, Bytes::AtEntry})
      if (!pipeDisputed(earlier, later, open, bytes))
        return bytes;
    disputed = pipeDisputed(earlier, later, open, Bytes::Possible) || open.pipes.count(Bytes::AtEntry);
    Bytes most = Bytes::Possible;
    for (const CountedConflict &conflict : open.conflicts)
      most = std::max(most, conflict.bytes);
    return most;
  }

  /// What the loop between the two makes of a conflict in the chain.
  Chain chainOverLoop(const ConflictPair &pair) const {
    IterationDistance distance = program.distanceOf(pair.bit);
    return distance.sameIteration()                                                 ? Chain::None
           : program.graph->encloses(distance.loop, program.nodes[pair.later].loop) ? Chain::Carried
                                                                                    : Chain::Behind;
  }

  Bytes bytesOf(const CountedConflict &conflict) const {
    if (conflict.chain == Chain::Behind)
      return Bytes::Possible;
    return model.certainlyMeets(conflict.pair)          ? Bytes::Certain
           : model.certainlyMeetsAtEntry(conflict.pair) ? Bytes::AtEntry
                                                        : Bytes::Possible;
  }

  void report(const Statement &earlier, const Statement &later, const OpenPair &open) {
    // The plainest of them: certain bytes first, then the same iteration.
    bool disputed = false;
    Bytes bytes = bytesOf(earlier, later, open, disputed);
    const CountedConflict *shown = nullptr;
    for (const CountedConflict &conflict : open.conflicts)
      if (!shown && conflict.bytes >= bytes)
        shown = &conflict;
    unsigned demotion = disputed || bytes == Bytes::Possible ? 2 : 0;
    if (!context.wants("missing-sync", demotion))
      return;
    // What is a note whatever path there is must not use up the searches of what may be an error.
    std::size_t &searches = demotion == 0 ? searchesOfCertain : searchesOfNotes;
    std::optional<FoundPath> path = findPath(open, bytes, searches, shown);
    // Without a path to a first iteration nothing says that the bytes meet.
    if (bytes == Bytes::AtEntry && !path)
      demotion = 2;
    // Behind a faulty flag anything may be unordered: that flag is the finding.
    if (demotion == 0 && (!path || !path->certain || path->doubtful))
      demotion = path ? (path->doubtful ? 2 : 1) : (searched ? 2 : 1);
    if (demotion == 0 && shown->chain == Chain::Carried)
      demotion = 1;
    if (!context.wants("missing-sync", demotion))
      return;
    Conflict conflict = model.describe(shown->pair);
    std::string message = std::string(hazardKindName(conflict.kind)) + " on " + conflict.storage + ": " +
                          context.text(later) + " does not wait for " + context.text(earlier) + " on line " +
                          std::to_string(earlier.line) + (conflict.loopCarried ? " of an earlier iteration" : "");
    if (disputed)
      message += " (on one of the pipes that sources name for it)";
    // Behind a faulty flag nothing is known of how far anybody lags.
    std::optional<ShortRing> ring = demotion < 2 ? shortRing(program, pending, shown->pair) : std::nullopt;
    if (ring)
      message += "; the ring has " + std::to_string(ring->length) + " entries, and an entry may still be in use " +
                 std::to_string(ring->lag - 1) + " iterations after it was taken up";
    const std::optional<std::int64_t> bracket = commonBracket(earlier, later, conflict);
    if (bracket)
      message += "; both stand in brackets of buffer id " + std::to_string(*bracket) +
                 ", which order nothing on one pipe: that takes pipe_barrier(" +
                 std::string(pipeName(conflict.later.pipe)) + ")";
    Finding finding = context.at(ring      ? "ring-too-short"
                                 : bracket ? "bracket-no-barrier"
                                           : "missing-sync",
                                 kernel, later, std::move(message));
    finding.demotion = demotion;
    finding.parts.push_back(context.text(earlier));
    finding.parts.push_back(hazardKindName(conflict.kind));
    finding.notes.push_back(context.note(earlier, "the earlier one: " + context.text(earlier) + " on " +
                                                      std::string(pipeName(conflict.earlier.pipe))));
    finding.notes.push_back(context.note(later, "the later one: " + context.text(later) + " on " +
                                                    std::string(pipeName(conflict.later.pipe))));
    addEmitterNote(finding, earlier, conflict.earlier.pipe);
    addEmitterNote(finding, later, conflict.later.pipe);
    if (path)
      finding.path = describePath(context, kernel, *path);
    context.report(std::move(finding));
  }

  /// A buffer id in whose brackets both of a pair on one pipe stand: whoever wrote them may take them for a barrier.
  std::optional<std::int64_t> commonBracket(const Statement &earlier, const Statement &later,
                                            const Conflict &conflict) {
    if (conflict.earlier.pipe != conflict.later.pipe || program.buffers.empty())
      return std::nullopt;
    if (!brackets)
      brackets = contentsOfBrackets(program);
    const std::set<std::int64_t> &first = brackets->ids[&earlier], &second = brackets->ids[&later];
    for (std::int64_t id : first)
      if (second.count(id))
        return id;
    return std::nullopt;
  }

  /// Where the assembler takes an instruction for scalar work, the syncs around it are right for another pipe.
  void addEmitterNote(Finding &finding, const Statement &statement, Pipe pipe) const {
    const auto *instruction = std::get_if<Instruction>(&statement.action);
    const InstructionFacts *facts = instruction ? context.machine.instruction(instruction->name) : nullptr;
    if (facts && facts->is("emitted-for-scalar") && pipe != Pipe::S)
      finding.notes.push_back(context.note(statement, "the assembler synchronises " + instruction->name +
                                                          " for PIPE_S; the library runs this form on " +
                                                          std::string(pipeName(pipe))));
  }

  /// A path that shows one of the conflicts of which `bytes` is known, a certain one if there is; `shown` becomes
  /// that conflict.
  std::optional<FoundPath> findPath(const OpenPair &open, Bytes bytes, std::size_t &searches,
                                    const CountedConflict *&shown) {
    std::optional<FoundPath> best;
    std::set<std::pair<std::uint32_t, NodeId>> tried; // what is searched for does not depend on the bytes
    searched = true;
    for (const CountedConflict &conflict : open.conflicts) {
      const ConflictPair &pair = conflict.pair;
      if (conflict.bytes < bytes || !tried.insert({pair.bit, pair.later}).second)
        continue;
      if (searches++ >= kMostSearches) {
        searched = false;
        break;
      }
      if (!search)
        search.emplace(program, model);
      std::optional<FoundPath> path = search->unordered(pair);
      searched = searched && search->complete();
      auto rank = [](const FoundPath &found) { return (found.doubtful ? 0 : 2) + (found.certain ? 1 : 0); };
      bool shows = path && (bytes != Bytes::AtEntry || path->atEntry);
      if (!shows || (best && rank(*path) <= rank(*best)))
        continue;
      best = std::move(path);
      shown = &conflict;
      if (rank(*best) == 3)
        break;
    }
    return best;
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  const Pending &pending;
  const HazardModel &model;
  std::optional<PathSearch> search;
  std::optional<BracketContents> brackets; // once it was asked for
  std::size_t searchesOfCertain = 0, searchesOfNotes = 0;
  bool searched = true; // the last findPath looked at everything
};

} // namespace

void auditOrder(AuditContext &context) {
  if (context.wants("missing-sync"))
    for (const Analysis &kernel : context.kernels())
      OrderRules(context, kernel).run();
}

// Data that others read: signal-overtakes-data, gm-visibility.
//
// A signal to another core or rank must not be sent while a store it announces may still be running: a scalar signal
// waits for no other pipe, one queued on a pipe waits for that pipe only. And a pipe order says when a store has left
// its pipe, not when global memory shows it: a load of the same bytes, and another rank, need a memory fence between.
// What the scalar unit stores lies in its cache until that is flushed. A FIFO call is a signal too: a push of a tensor
// says that its slot is filled, a free may say that an entry was read.
// Which calls signal and which fence is data (traits). Tested by tests/audit/order_rules_test.cpp.

namespace {

constexpr std::size_t kMostStepsToPublication = 512;

class PublicationRules {
public:
  PublicationRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.whereScalarWaitsHold().program()),
        pending(kernel.whereScalarWaitsHold().pending()), model(pending.hazards()),
        globalMemory(context.machine.spaceByName("GM")) {}

  void run() {
    if (!globalMemory)
      return;
    auditSignals();
    if (context.wants("signal-overtakes-data"))
      auditFrees();
    if (context.wants("gm-visibility"))
      for (NodeId id = 0; id < program.nodes.size(); ++id)
        if (!program.options.allowance.over() && writesGlobally(program.nodes[id]))
          followStore(id);
  }

private:
  const InstructionFacts *factsOf(const Statement &statement) const {
    const auto *instruction = std::get_if<Instruction>(&statement.action);
    return instruction ? context.machine.instruction(instruction->name) : nullptr;
  }
  bool is(const Statement &statement, const char *trait) const {
    const InstructionFacts *facts = factsOf(statement);
    return facts && facts->is(trait);
  }

  /// The open orders relative to fences, one of each pair of nodes.
  std::vector<ConflictPair> openFences() const {
    std::vector<ConflictPair> fences;
    std::set<std::pair<NodeId, NodeId>> known;
    for (const OpenObligation &open : pending.open(ObligationKind::Fence))
      if (known.emplace(program.nodeOfBit[open.pair.bit], open.pair.later).second)
        fences.push_back(open.pair);
    return fences;
  }

  /// A store that a queue carries out: the scalar unit's own are in order with its signals.
  bool storesGlobally(const Node &node) const { return node.pipe != Pipe::S && writesGlobally(node); }
  bool writesGlobally(const Node &node) const {
    return !node.unknown && (!node.fence || node.publishes) &&
           std::any_of(node.accesses.begin(), node.accesses.end(),
                       [&](const Access &access) { return access.space == *globalMemory && access.writes; });
  }

  void auditSignals() {
    std::optional<PathSearch> search;
    std::set<std::pair<const Statement *, const Statement *>> seen;
    std::map<std::pair<const Statement *, const Statement *>, std::set<Pipe>> openPipes; // of the store
    const std::vector<ConflictPair> fences = openFences();
    for (const ConflictPair &pair : fences) {
      const Node &store = program.nodes[program.nodeOfBit[pair.bit]];
      openPipes[{store.statement, program.nodes[pair.later].statement}].insert(store.pipe);
    }
    for (const ConflictPair &pair : fences) {
      const Node &store = program.nodes[program.nodeOfBit[pair.bit]], &signal = program.nodes[pair.later];
      bool scalar = is(*signal.statement, "signals"), queued = is(*signal.statement, "signals-on-pipe");
      // The scalar unit hands a push out; what signals is its queue.
      bool pushed = signal.pipe != Pipe::S && is(*signal.statement, "fifo-push") && fills(store, signal);
      if ((!scalar && !queued && !pushed) || !storesGlobally(store))
        continue;
      Pipe carrier = pushed ? signal.pipe : Pipe::S;
      if (queued) {
        const auto &operands = std::get<Instruction>(signal.statement->action).operands;
        std::optional<Pipe> named = operands.empty() ? std::nullopt : parsePipe(operands.front().spelling);
        if (!named || *named == store.pipe)
          continue; // behind the store in its own queue
        carrier = *named;
      }
      if (signal.pipe != carrier || !seen.insert({store.statement, signal.statement}).second)
        continue;
      if (!search)
        search.emplace(program, model);
      std::optional<FoundPath> path = search->unordered(pair);
      Finding finding =
          context.at("signal-overtakes-data", kernel, *signal.statement,
                     context.text(*signal.statement) + " may be seen before " + context.text(*store.statement) +
                         " on line " + std::to_string(store.statement->line) + " has written its data");
      finding.parts.push_back(context.text(*store.statement));
      finding.notes.push_back(context.note(*store.statement, "the data, on " + std::string(pipeName(store.pipe))));
      finding.notes.push_back(context.note(*signal.statement, "the signal, on " + std::string(pipeName(carrier))));
      if (path)
        finding.path = describePath(context, kernel, *path);
      // On another of the pipes that sources name for the store, it is in order.
      bool disputed = openPipes[{store.statement, signal.statement}].size() < pipesOf(*store.statement).size();
      finding.demotion = disputed ? 2 : path && path->certain && !path->doubtful ? 0 : 1;
      announced.insert({store.statement, signal.statement});
      context.report(std::move(finding));
    }
  }

  /// True if `push`, which moves no data itself, announces the slot that `store` has filled, and on no reading of its
  /// pipe stands behind it in a queue.
  bool fills(const Node &store, const Node &push) const {
    if (push.fifo == kNone || !push.release || pipesOf(*push.statement).count(store.pipe))
      return false;
    VariableId memory = program.kernel->fifos[push.fifo].memory;
    std::optional<AtomId> ring = program.scalars->algebra().pointerRoot(program.scalars->variable(memory));
    return ring && std::any_of(store.accesses.begin(), store.accesses.end(), [&](const Access &access) {
             return access.writes && access.space == *globalMemory &&
                    program.scalars->algebra().pointerRoot(access.base) == ring;
           });
  }

  std::set<Pipe> pipesOf(const Statement &statement) const {
    std::set<Pipe> pipes;
    for (const Node &node : program.nodes)
      if (node.statement == &statement && node.libraryFlag == kNone)
        pipes.insert(node.pipe);
    return pipes;
  }

  /// A free that gives an entry of the local ring back while another pipe may still read it.
  void auditFrees() {
    std::map<std::pair<const Statement *, const Statement *>, std::set<Pipe>> open; // reader, free: pipes of the free
    std::map<std::pair<const Statement *, const Statement *>, ConflictPair> shown;
    std::map<std::pair<const Statement *, const Statement *>, Pipe> readers;
    std::vector<FifoUse> uses;
    for (const ConflictPair &pair : openFences()) {
      const Node &reader = program.nodes[program.nodeOfBit[pair.bit]], &release = program.nodes[pair.later];
      if (!is(*release.statement, "frees-on-pipe") || reader.pipe == Pipe::S || reader.fence || reader.unknown)
        continue;
      FifoId fifo = kNone;
      bool tensor = false;
      for (const Operand &operand : std::get<Instruction>(release.statement->action).operands) {
        fifo = operand.kind == Operand::Kind::Fifo ? operand.index : fifo;
        tensor = tensor || operand.kind == Operand::Kind::Tensor;
      }
      if (fifo == kNone || tensor)
        continue;
      if (uses.empty())
        uses = fifoUses(program);
      if (!uses[fifo].usedBy(reader.statement))
        continue;
      open[{reader.statement, release.statement}].insert(release.pipe);
      shown.try_emplace({reader.statement, release.statement}, pair);
      readers.try_emplace({reader.statement, release.statement}, reader.pipe);
    }
    for (const auto &[pair, pipes] : open) {
      std::set<Pipe> queues = pipesOf(*pair.second);
      // Open on every reading of the free's pipe; in the reader's own queue it is behind the reader.
      if (pipes == queues)
        reportFree(*pair.first, *pair.second, shown.at(pair), queues.count(readers.at(pair)) != 0);
    }
  }

  void reportFree(const Statement &reader, const Statement &release, const ConflictPair &pair, bool maybeQueued) {
    std::optional<FoundPath> path = PathSearch(program, model).unordered(pair);
    Finding finding = context.at("signal-overtakes-data", kernel, release,
                                 context.text(release) + " may give the entry back before " + context.text(reader) +
                                     " on line " + std::to_string(reader.line) + " is done with it" +
                                     (maybeQueued ? " (on one of the pipes that sources name for it)" : ""));
    finding.parts.push_back(context.text(reader));
    finding.notes.push_back(context.note(reader, "the entry is in use here"));
    finding.notes.push_back(context.note(release, "the entry is given back here"));
    if (path)
      finding.path = describePath(context, kernel, *path);
    finding.demotion = maybeQueued ? 2 : path && path->certain ? 0 : 1;
    context.report(std::move(finding));
  }

  /// Breadth-first from a store to the nearest fence: who looks at its bytes before?
  void followStore(NodeId id) {
    const Node &store = program.nodes[id];
    auto run = [&](StepId step, std::uint32_t first, const FollowedInstance &way) {
      for (std::uint32_t i = first; i < program.steps[step].size(); ++i) {
        const Event &event = program.steps[step][i];
        if (event.kind != Event::Kind::Access)
          continue;
        if (is(*event.statement, store.pipe == Pipe::S ? "cache-flush" : "gm-fence"))
          return Onward::Stop;
        checkReader(id, event.node, way.bit);
      }
      return Onward::Follow;
    };
    if (std::optional<EventKey> place = firstPlaceOf(program, id))
      followInstance(program, *place, FollowedInstance{store.firstBit}, kMostStepsToPublication, run);
  }

  void checkReader(NodeId storeId, NodeId readerId, std::uint32_t bit) {
    const Node &store = program.nodes[storeId], &reader = program.nodes[readerId];
    if (store.statement == reader.statement)
      return;
    std::string what;
    if (store.pipe != Pipe::S && is(*reader.statement, "signals") &&
        !announced.count({store.statement, reader.statement})) {
      what = " is announced by " + context.text(*reader.statement) +
             " without a memory fence between: another rank may not see it yet";
    } else if (!reader.unknown && !reader.fence && readsBack(store, reader, bit)) {
      if (isOpen(store, reader) || (store.pipe == Pipe::S && reader.pipe == Pipe::S))
        return; // not even ordered: missing-sync; or by the unit that wrote it
      if (store.pipe == Pipe::S)
        what = " is read by " + context.text(*reader.statement) + " on line " + std::to_string(reader.statement->line) +
               " without a flush of the scalar unit's cache between";
      else
        what = " is read back by " + context.text(*reader.statement) + " on line " +
               std::to_string(reader.statement->line) + " behind a pipe order alone: global memory may not show it yet";
    } else {
      return;
    }
    if (!reported.insert({store.statement, reader.statement}).second)
      return;
    Finding finding =
        context.at("gm-visibility", kernel, *reader.statement,
                   context.text(*store.statement) + " of line " + std::to_string(store.statement->line) + what);
    finding.parts.push_back(context.text(*store.statement));
    finding.notes.push_back(context.note(*store.statement, "written here"));
    finding.notes.push_back(context.note(*reader.statement, "needed here"));
    context.report(std::move(finding));
  }

  bool readsBack(const Node &store, const Node &reader, std::uint32_t bit) const {
    for (std::uint32_t i = 0; i < store.accesses.size(); ++i)
      for (std::uint32_t j = 0; j < reader.accesses.size(); ++j)
        if (store.accesses[i].space == *globalMemory && store.accesses[i].writes && reader.accesses[j].reads &&
            model.comparison().mustOverlap(store.accesses[i], store.loop, reader.accesses[j], reader.loop,
                                           program.distanceOf(bit)))
          return true;
    return false;
  }

  /// On some reading of what a wait for the scalar pipe does.
  bool isOpen(const Node &store, const Node &reader) const {
    const std::vector<OpenObligation> &all = kernel.pending().open();
    return std::any_of(all.begin(), all.end(), [&](const OpenObligation &open) {
      return open.kind() == ObligationKind::Conflict &&
             kernel.program().nodes[kernel.program().nodeOfBit[open.pair.bit]].statement == store.statement &&
             kernel.program().nodes[open.pair.later].statement == reader.statement;
    });
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  const Pending &pending;
  const HazardModel &model;
  std::optional<std::size_t> globalMemory;
  std::set<std::pair<const Statement *, const Statement *>> announced, reported;
};

} // namespace

void auditPublication(AuditContext &context) {
  if (!context.wants("signal-overtakes-data") && !context.wants("gm-visibility"))
    return;
  for (const Analysis &kernel : context.kernels())
    PublicationRules(context, kernel).run();
}

} // namespace ptosync
