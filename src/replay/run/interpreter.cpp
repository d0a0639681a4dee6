#include "replay/run/interpreter.h"

#include "replay/skip/skipping.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ptosync::replay {

namespace {

/// The visits around, outermost first.
std::vector<std::uint32_t> chainOf(const Trace &trace, std::uint32_t iteration) {
  std::vector<std::uint32_t> chain;
  for (; iteration != kNone; iteration = trace.iterations[iteration].parent)
    chain.push_back(iteration);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

} // namespace

const Instruction &instructionOf(const Trace &trace, std::uint32_t instance) {
  return std::get<Instruction>(trace.instances[instance].statement->action);
}

bool loopCarried(const Trace &trace, std::uint32_t earlier, std::uint32_t later) {
  if (earlier == later)
    return false;
  std::vector<std::uint32_t> a = chainOf(trace, earlier), b = chainOf(trace, later);
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] == b[i])
      continue;
    return trace.iterations[a[i]].loop == trace.iterations[b[i]].loop;
  }
  return false;
}

std::string describeIteration(const Trace &trace, const LoopNest &nest, std::uint32_t iteration) {
  std::string text;
  for (; iteration != kNone; iteration = trace.iterations[iteration].parent) {
    const Iteration &visit = trace.iterations[iteration];
    text += (text.empty() ? "iteration " : ", iteration ") + std::to_string(visit.number) + " of the loop at line " +
            std::to_string(nest.loops()[visit.loop].line);
  }
  return text;
}

namespace {

/// Draws of one statement start over after so many executions, so that a loop over memory
/// contents still comes to repeat itself.
constexpr std::uint64_t kDrawPeriod = 4;

constexpr llvm::StringLiteral kScalarLoad = "scalar.load";

class Run {
public:
  Run(Subject &subject, const RunRequest &request, const Budget &budget)
      : subject(subject), kernel(subject.kernel), ways(subject.knownWays()), request(request), budget(budget),
        values(kernel, subject.facts, request.inputs,
               {request.inputs.seed, subject.memoryPool,
                request.inputs.loaded.empty() ? nullptr : &request.inputs.loaded, request.asDrawn}),
        tape(request.tape ? *request.tape : ownTape), entered(kernel.blocks.size()), took(entered), passed(entered) {
    if (request.skipping == Skipping::Allowed)
      skipper.emplace(subject, request, values, tape);
    record();
  }

  Trace execute() {
    if (kernel.blocks.empty())
      return std::move(trace);
    enter(kNone, 0);
    if (budget.allowance.spent(WorkUnit::Run))
      stop(Ending::Budget);
    for (BlockId block = 0; !stopped;) {
      entered[block] = true;
      for (const Statement &statement : kernel.blocks[block].statements) {
        if (!step(statement))
          break;
      }
      if (stopped)
        break;
      BlockId next = follow(kernel.blocks[block].terminator, block);
      if (next == kNone)
        break;
      enter(block, next);
      block = next;
    }
    leaveLoops(0, kNone);
    noteCoverage();
    trace.decided = values.decided();
    trace.dependsOnMemory = values.memoryDecided();
    trace.overflowed = values.overflowed();
    bool followedAll = !request.follow || trace.skips.size() == request.follow->size();
    if (trace.ending == Ending::Returned && !followedAll)
      trace.ending = Ending::OtherSkips;
    return std::move(trace);
  }

private:
  void noteCoverage() {
    for (BlockId block = 0; block < kernel.blocks.size(); ++block) {
      if (entered[block])
        trace.blocks.insert(block);
      if (took[block])
        trace.ways.insert({Way::Kind::Branch, block, true});
      if (passed[block])
        trace.ways.insert({Way::Kind::Branch, block, false});
    }
    if (ways)
      for (const auto &[choice, place] : ways->choices())
        for (bool first : {true, false})
          if (values.armsOf(choice) & (first ? 1 : 2))
            trace.ways.insert({Way::Kind::Choice, choice, first});
    if (ways)
      for (const auto &[number, as] : ways->numbers())
        for (std::int64_t value = 0; value < as.count; ++value)
          if (values.numbersOf(number) >> value & 1)
            trace.ways.insert({Way::Kind::Number, number, true, value});
    for (const auto &[loop, trips] : trace.trips)
      if (trips.count(0))
        trace.ways.insert({Way::Kind::Skipped, subject.nest.loops()[loop].header, true});
  }

  struct Active {
    LoopId loop = kNone;
    std::uint64_t visits = 0; // of the header, skipped ones counted
    std::uint32_t iteration = kNone;
  };

  bool step(const Statement &statement) {
    ++trace.statements;
    if (statement.line)
      trace.lastLine = statement.line;
    std::visit([&](const auto &action) { perform(action, statement); }, statement.action);
    constexpr std::uint64_t kAskedEach = 256; // statements
    if (trace.statements > budget.statements || trace.instances.size() > budget.instructions ||
        (trace.statements % kAskedEach == 0 && budget.allowance.over()))
      stop(Ending::Budget);
    return !stopped;
  }

  void stop(Ending ending) {
    trace.ending = ending;
    stopped = true;
  }

  void perform(const Assign &assign, const Statement &) {
    values.assign(assign.variable, values.evaluate(assign.value));
  }

  void perform(const ArrayStore &store, const Statement &) {
    Value index = values.evaluateIndex(store.index), value = values.evaluate(store.value);
    values.noteNumber(store.index, index);
    values.decide(index);
    if (index.bits >= 0 && index.bits < store.count)
      values.assign(store.first + static_cast<VariableId>(index.bits), value);
  }

  void perform(const Instruction &instruction, const Statement &statement) {
    auto number = static_cast<std::uint32_t>(trace.instances.size());
    // By order of appearance, not by place in the text: another version of the kernel must draw the same.
    auto known = appearances.try_emplace(&statement, Appearance{appearances.size(), 0}).first;
    std::uint64_t execution = known->second.count++, key = mix(known->second.order, execution % kDrawPeriod);
    std::uint64_t instance = mix(known->second.order, execution);
    values.startDraws(~key, ~instance);
    std::uint32_t work = request.detail == Detail::Full ? subject.works.execute(instruction, values) : 0;
    if (request.detail == Detail::Scout && ways && ways->choosesOperands(statement))
      for (const Operand &operand : instruction.operands)
        values.evaluate(operand.value);
    values.startDraws(key, instance); // whatever the operands drew: a scout evaluates none
    trace.instances.push_back({&statement, work, active.empty() ? kNone : active.back().iteration});
    const bool asDrawn = request.asDrawn && request.detail == Detail::Full;
    if (asDrawn)
      forgetWritten(subject.works[work]);
    for (VariableId result : instruction.results) {
      const Value fresh = values.unknown(kernel.variables[result].type);
      values.assign(result, asDrawn ? held(instruction, subject.works[work], result, fresh) : fresh);
      if (recording)
        tape.push_back({TapeEntry::Kind::Result, result, values.variable(result).bits, values.lastKey()});
    }
    if (request.detail == Detail::Scout)
      return note(mix(1, known->second.order));
    trace.events.push_back(
        {Event::Kind::Instruction, Pipe::All, Pipe::All, 0, number, &statement, trace.instances.back().iteration});
    note(mix(known->second.order, subject.works[work].signature));
  }

  /// Where the numbers of the run count alone, what memory holds stays one number until somebody may have written it:
  /// a run in which two loads of one place differ is none that there is.
  Value held(const Instruction &instruction, const Work &work, VariableId result, const Value &fresh) {
    if (instruction.name != kScalarLoad || instruction.isVolatile || work.phases.size() != 1 ||
        work.phases.front().accesses.size() != 1)
      return fresh;
    const Extents &bytes = work.phases.front().accesses.front().bytes;
    if (bytes.whole || !bytes.space || bytes.choices || !bytes.sums.empty())
      return fresh;
    const IntegerType type = kernel.variables[result].type;
    return holding.try_emplace({*bytes.space, bytes.address, type.bits, type.isSigned}, fresh).first->second;
  }

  void forgetWritten(const Work &work) {
    if (!work.known || work.fence != FenceKind::None)
      holding.clear();
    for (const Phase &phase : work.phases)
      for (const Access &access : phase.accesses)
        if (access.writes)
          std::erase_if(holding, [&](const auto &one) {
            return !access.bytes.space || *access.bytes.space == std::get<0>(one.first);
          });
  }

  void perform(const Sync &sync, const Statement &statement) {
    if (request.detail == Detail::Scout) {
      if (ways && ways->choosesOperands(statement))
        values.noteNumber(sync.event, values.evaluate(sync.event));
      return;
    }
    if (sync.kind == SyncKind::Barrier || (sync.kind == SyncKind::Tail && sync.source == Pipe::All))
      return emit({Event::Kind::Barrier, sync.source, sync.source, 0, kNone, &statement});
    if (sync.kind == SyncKind::Tail) { // the other end fence: MTE3 has finished for the scalar unit
      emit({Event::Kind::SetFlag, Pipe::MTE3, Pipe::S, 0, kNone, &statement});
      return emit({Event::Kind::WaitFlag, Pipe::MTE3, Pipe::S, 0, kNone, &statement});
    }
    if (isBuffer(sync.kind))
      return performBuffer(sync, statement);
    bool set = sync.kind == SyncKind::SetFlag;
    const Value event = values.evaluate(sync.event);
    values.noteNumber(sync.event, event);
    values.decide(event);
    std::vector<std::int64_t> ids = subject.machine.eventIds(event.bits);
    trace.openIds = trace.openIds || ids.size() > 1;
    emit({set ? Event::Kind::SetFlag : Event::Kind::WaitFlag, sync.source, sync.destination,
          request.lowIds ? ids.back() : ids.front(), kNone, &statement});
  }

  void performBuffer(const Sync &sync, const Statement &statement) {
    const Value id = values.evaluate(sync.event);
    values.noteNumber(sync.event, id);
    values.decide(id);
    const bool gets = sync.kind == SyncKind::GetBuffer;
    emit({gets ? Event::Kind::GetBuffer : Event::Kind::ReleaseBuffer, sync.source, sync.source, id.bits, kNone,
          &statement});
  }

  void emit(Event event) {
    event.instance = static_cast<std::uint32_t>(trace.instances.size());
    event.iteration = active.empty() ? kNone : active.back().iteration;
    note(mix(static_cast<std::uint64_t>(event.kind) * 64 + index(event.source) * 8 + index(event.destination),
             static_cast<std::uint64_t>(event.id)));
    trace.events.push_back(event);
  }

  /// Something observable happened.
  void note(std::uint64_t what) {
    if (skipper)
      skipper->note(what);
  }

  BlockId follow(const Terminator &terminator, BlockId block) {
    ++trace.statements;
    if (terminator.line)
      trace.lastLine = terminator.line;
    switch (terminator.kind) {
    case Terminator::Kind::Return: return kNone;
    case Terminator::Kind::Jump: break;
    case Terminator::Kind::Branch: {
      Value condition = values.evaluate(terminator.condition);
      bool taken = condition.bits != 0;
      values.decide(condition);
      if (condition.origin >= Origin::Sampled && !took[block] && !passed[block])
        trace.firstByMemory.emplace(block, taken);
      (taken ? took : passed)[block] = true;
      note(mix(block, taken));
      if (recording)
        tape.push_back({TapeEntry::Kind::Branch, block, taken});
      if (!taken)
        return terminator.whenFalse;
    }
    }
    if (trace.statements > budget.statements)
      stop(Ending::Budget);
    return terminator.whenTrue;
  }

  /// Keeps the loops around in step with the edge from -> to.
  void enter(BlockId from, BlockId to) {
    const std::vector<LoopId> &chain = subject.nest.around(to);
    std::size_t common = 0;
    while (common < active.size() && common < chain.size() && active[common].loop == chain[common])
      ++common;
    leaveLoops(common, from);
    while (active.size() < chain.size()) {
      if (!recording)
        tape.clear();
      active.push_back({});
      active.back().loop = chain[active.size() - 1];
      if (skipper)
        skipper->enterLoop(active.back().loop);
      record();
      if (subject.nest.loops()[active.back().loop].header != to)
        visit(); // entered in the middle
    }
    if (!active.empty() && subject.nest.loops()[active.back().loop].header == to)
      visit();
  }

  /// A loop that is left from its header ran one time less than the header was visited.
  void leaveLoops(std::size_t keep, BlockId from) {
    while (active.size() > keep) {
      const Active &loop = active.back();
      bool atHeader = from != kNone && subject.nest.loops()[loop.loop].header == from;
      trace.trips[loop.loop].insert(loop.visits - (atHeader && loop.visits ? 1 : 0));
      if (!stopped)
        trace.ended.insert(loop.loop);
      active.pop_back();
      if (skipper)
        skipper->leaveLoop();
    }
    record();
  }

  /// Writes down what happens for as long as a loop may come to repeat itself.
  void record() {
    recording = request.tape || (skipper && skipper->isWatching());
    values.record(recording ? &tape : nullptr);
  }

  void visit() {
    Active &loop = active.back();
    ++loop.visits;
    if (skipper)
      leaveOut(loop);
    std::uint32_t parent = active.size() > 1 ? active[active.size() - 2].iteration : kNone;
    loop.iteration = static_cast<std::uint32_t>(trace.iterations.size());
    trace.iterations.push_back({parent, loop.loop, loop.visits - 1});
  }

  /// Takes iterations for done, where the skipper says so.
  void leaveOut(Active &loop) {
    const Skipper::Answer answer = skipper->visitHeader(loop.visits, trace);
    if (answer.skip) {
      loop.visits += answer.skip->period * answer.skip->periods;
      trace.skips.push_back(*answer.skip);
    }
    if (answer.ending)
      stop(*answer.ending);
    record();
  }

  struct Appearance {
    std::uint64_t order = 0, count = 0;
  };

  Subject &subject;
  const Kernel &kernel;
  const Ways *ways; // null: nobody asked
  const RunRequest &request;
  const Budget &budget;
  Evaluator values;
  Tape ownTape;
  Tape &tape;
  std::optional<Skipper> skipper; // none: every iteration is run
  bool recording = false;
  Trace trace;
  std::vector<Active> active;
  llvm::DenseMap<const Statement *, Appearance> appearances;
  // What was loaded and is still there, by its memory, its address and its type.
  std::map<std::tuple<std::size_t, std::int64_t, std::uint8_t, bool>, Value> holding;
  std::vector<bool> entered, took, passed; // by block: it ran, its branch was taken, was not taken
  bool stopped = false;
};

} // namespace

Trace interpret(Subject &subject, const RunRequest &request, const Budget &budget) {
  return Run(subject, request, budget).execute();
}

} // namespace ptosync::replay
