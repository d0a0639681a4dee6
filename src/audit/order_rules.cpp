// missing-sync, ring-too-short: pairs of instructions that meet in memory and that nothing orders on some path.
//
// What the ordering engine calls open, minus what a contested rule silences. Of a pair all conflicts are looked at
// (pair_conflicts.h), and the most certain one decides. An error needs all three: the bytes of a conflict certainly
// meet (in the first iteration of a loop, if the path ends there), that conflict is open whichever of the disputed
// pipes an instruction runs on, and a certain path shows it. Without a certain path it is a warning, otherwise a note;
// so is a pair that a faulty flag leaves unordered, for that flag is the finding. Where a longer ring would order the
// pair, the ring is what is wrong. Tested by tests/audit/order_rules_test.cpp and ring_rules_test.cpp.
#include "audit/audit_context.h"
#include "audit/pair_conflicts.h"
#include "audit/path_search.h"
#include "audit/path_text.h"
#include "audit/ring_storage.h"
#include "optimize/wording.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
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
    Finding finding = context.at(ring ? "ring-too-short" : "missing-sync", kernel, later, std::move(message));
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
  std::size_t searchesOfCertain = 0, searchesOfNotes = 0;
  bool searched = true; // the last findPath looked at everything
};

} // namespace

void auditOrder(AuditContext &context) {
  if (context.wants("missing-sync"))
    for (const Analysis &kernel : context.kernels())
      if (context.judgesOrder(kernel))
        OrderRules(context, kernel).run();
}

} // namespace ptosync
