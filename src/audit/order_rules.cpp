// missing-sync, ring-too-short: pairs of instructions that meet in memory and that nothing orders on some path.
//
// What the ordering engine calls open, minus what a contested rule silences. An error needs all three: the bytes
// certainly meet (in the first iteration of a loop, if the path ends there), the pair is open whichever of the disputed
// pipes an instruction runs on, and a certain path shows it. Without a certain path it is a warning, otherwise a note;
// so is a pair that a faulty flag leaves unordered, for that flag is the finding. Where a longer ring would order the
// pair, the ring is what is wrong. Tested by tests/audit/order_rules_test.cpp and ring_rules_test.cpp.
#include "audit/audit_context.h"
#include "audit/path_search.h"
#include "audit/path_text.h"
#include "audit/ring_storage.h"
#include "report/wording.h"

#include <map>
#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kMostSearches = 24;

/// The open conflicts between two statements.
struct OpenPair {
  std::vector<ConflictPair> conflicts;
  std::set<std::pair<Pipe, Pipe>> pipes;
};

class OrderRules {
public:
  OrderRules(AuditContext &context, const AuditedKernel &kernel)
      : context(context), kernel(kernel), program(*kernel.program), model(kernel.pending->hazards()) {}

  void run() {
    std::map<std::pair<const Statement *, const Statement *>, OpenPair> pairs;
    std::vector<std::pair<const Statement *, const Statement *>> order;
    for (const OpenConflict &open : kernel.pending->open()) {
      const Node &earlier = program.nodes[program.nodeOfBit[open.pair.bit]], &later = program.nodes[open.pair.later];
      if (open.silenced != Excuse::None || earlier.unknown || later.unknown)
        continue; // unknown calls meet everything by assumption
      auto [entry, inserted] = pairs.try_emplace({earlier.statement, later.statement});
      if (inserted)
        order.push_back(entry->first);
      entry->second.conflicts.push_back(open.pair);
      // On the reading that a wait is queued on the later one's own pipe, the later one stands behind it.
      if (!earlier.acquire || earlier.pipe != later.pipe)
        entry->second.pipes.insert({earlier.pipe, later.pipe});
    }
    for (const auto &statements : order)
      report(*statements.first, *statements.second, pairs.at(statements));
  }

private:
  std::set<Pipe> pipesOf(const Statement &statement) const {
    std::set<Pipe> pipes;
    for (const Node &node : program.nodes)
      if (node.statement == &statement && !node.accesses.empty())
        pipes.insert(node.pipe);
    return pipes;
  }

  /// True if the pair is open on one reading of an instruction's pipe and ordered on another.
  bool pipeDisputed(const Statement &earlier, const Statement &later, const OpenPair &open) const {
    return open.pipes.size() < pipesOf(earlier).size() * pipesOf(later).size();
  }

  enum class Chain : std::uint8_t {
    None,
    Carried, // in a later iteration of a loop around both: the rule's sources leave such pairs out
    Behind,  // the reader stands behind the loop: the rule may well hold, only the loop is in the way of seeing it
  };

  /// The same-access chain but for the loop between the two.
  Chain chainOverLoop(const ConflictPair &pair) const {
    const std::optional<ChainRule> &rule = program.machine->rules().chain;
    const Node &a = program.nodes[program.nodeOfBit[pair.bit]], &b = program.nodes[pair.later];
    IterationDistance distance = program.distanceOf(pair.bit);
    if (!rule || pair.kind != HazardKind::ReadAfterWrite || a.pipe != b.pipe || distance.sameIteration())
      return Chain::None;
    const Access &first = a.accesses[pair.earlierAccess], &second = b.accesses[pair.laterAccess];
    bool chain = rule->pipe == a.pipe && first.tile && contiguousValidRegion(*first.tile) &&
                 vectorRepeats(*first.tile, rule->repeatBytes).value_or(0) >= rule->minRepeats &&
                 model.comparison().sameAccess(first, a.loop, second, b.loop, distance);
    if (!chain)
      return Chain::None;
    return program.graph->encloses(distance.loop, b.loop) ? Chain::Carried : Chain::Behind;
  }

  /// What is known of the bytes of a conflict: that they meet, that they do in the first iterations of the loops
  /// around the later one alone, or neither.
  enum class Bytes : std::uint8_t { Possible, AtEntry, Certain };

  Bytes bytesOf(const ConflictPair &pair) const {
    if (chainOverLoop(pair) == Chain::Behind)
      return Bytes::Possible;
    return model.certainlyMeets(pair)          ? Bytes::Certain
           : model.certainlyMeetsAtEntry(pair) ? Bytes::AtEntry
                                               : Bytes::Possible;
  }

  void report(const Statement &earlier, const Statement &later, const OpenPair &open) {
    // The plainest of them: certain bytes first, then the same iteration.
    const ConflictPair *shown = nullptr;
    Bytes bytes = Bytes::Possible;
    for (const ConflictPair &pair : open.conflicts) {
      Bytes found = bytesOf(pair);
      if (!shown || found > bytes)
        shown = &pair;
      bytes = std::max(bytes, found);
    }
    bool disputed = pipeDisputed(earlier, later, open);
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
    if (demotion == 0 && chainOverLoop(*shown) == Chain::Carried)
      demotion = 1;
    if (!context.wants("missing-sync", demotion))
      return;
    Conflict conflict = model.describe(*shown);
    std::string message = std::string(hazardKindName(conflict.kind)) + " on " + conflict.storage + ": " +
                          context.text(later) + " does not wait for " + context.text(earlier) + " on line " +
                          std::to_string(earlier.line) + (conflict.loopCarried ? " of an earlier iteration" : "");
    if (disputed)
      message += " (on one of the pipes that sources name for it)";
    // Behind a faulty flag nothing is known of how far anybody lags.
    std::optional<ShortRing> ring = demotion < 2 ? shortRing(program, *kernel.pending, *shown) : std::nullopt;
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
                                    const ConflictPair *&shown) {
    std::optional<FoundPath> best;
    searched = true;
    for (const ConflictPair &pair : open.conflicts) {
      if (bytesOf(pair) < bytes)
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
      shown = &pair;
      if (rank(*best) == 3)
        break;
    }
    return best;
  }

  AuditContext &context;
  const AuditedKernel &kernel;
  const Program &program;
  const HazardModel &model;
  std::optional<PathSearch> search;
  std::size_t searchesOfCertain = 0, searchesOfNotes = 0;
  bool searched = true; // the last findPath looked at everything
};

} // namespace

void auditOrder(AuditContext &context) {
  if (context.wants("missing-sync"))
    for (const AuditedKernel &kernel : context.kernels)
      OrderRules(context, kernel).run();
}

} // namespace ptosync
