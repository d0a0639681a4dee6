// Data that others read: signal-overtakes-data, gm-visibility.
//
// A signal to another core or rank must not be sent while a store it announces may still be running: a scalar signal
// waits for no other pipe, one queued on a pipe waits for that pipe only. And a pipe order says when a store has left
// its pipe, not when global memory shows it: a load of the same bytes, and another rank, need a memory fence between.
// What the scalar unit stores lies in its cache until that is flushed. A FIFO call is a signal too: a push of a tensor
// says that its slot is filled, a free may say that an entry was read.
// Which calls signal and which fence is data (traits). Tested by tests/audit/publication_rules_test.cpp.
#include "audit/audit_context.h"
#include "audit/path_search.h"
#include "audit/path_text.h"
#include "ordering/fifo_use.h"
#include "ordering/follow_instance.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kMostStepsToPublication = 512;

class PublicationRules {
public:
  PublicationRules(AuditContext &context, const AuditedKernel &kernel)
      : context(context), kernel(kernel), program(kernel.orderedProgram()), pending(kernel.orderedPending()),
        model(pending.hazards()), globalMemory(context.machine.spaceByName("GM")) {}

  void run() {
    if (!globalMemory)
      return;
    if (kernel.orderModelled)
      auditSignals();
    if (kernel.orderModelled && context.wants("signal-overtakes-data"))
      auditFrees();
    if (context.wants("gm-visibility"))
      for (NodeId id = 0; id < program.nodes.size(); ++id)
        if (writesGlobally(program.nodes[id]))
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
    const std::vector<OpenObligation> &all = kernel.pending->open();
    return std::any_of(all.begin(), all.end(), [&](const OpenObligation &open) {
      return open.kind() == ObligationKind::Conflict &&
             kernel.program->nodes[kernel.program->nodeOfBit[open.pair.bit]].statement == store.statement &&
             kernel.program->nodes[open.pair.later].statement == reader.statement;
    });
  }

  AuditContext &context;
  const AuditedKernel &kernel;
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
  for (const AuditedKernel &kernel : context.kernels)
    PublicationRules(context, kernel).run();
}

} // namespace ptosync
