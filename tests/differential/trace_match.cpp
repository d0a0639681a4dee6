#include "differential/trace_match.h"

#include "differential/lifted_value.h"

#include <set>

namespace ptosync::differential {
namespace {

using Kind = NativeEvent::Kind;
using Storage = NativeOperand::Storage;

struct State {
  BlockId block = 0;
  std::size_t statement = 0;
  std::size_t event = 0;   // next of the log
  std::size_t idle = 0;    // steps since an event was matched
  std::size_t skipped = 0; // events that a fence stood for
  std::vector<LiftedValue> variables;
};

/// Steps without an event of the log, after which a way is taken to lead nowhere.
constexpr std::size_t kMostIdleSteps = 60000;

/// What the recorder has for a number of the lifted kernel. Both sides declare the pipes, in the same order, and the
/// reader numbers them in a way that nobody else does (src/frontend/library/prelude.hpp).
std::int64_t asRecorded(std::int64_t lifted) {
  constexpr std::int64_t kFirstPipe = 0x50540100, kStep = 0x100, kPipes = 8;
  const std::int64_t offset = lifted - kFirstPipe;
  return offset >= 0 && offset % kStep == 0 && offset / kStep < kPipes ? offset / kStep : lifted;
}

class Search {
public:
  Search(const Kernel &kernel, const SourceText &source, const NativeRun &run,
         const std::map<std::string, std::int64_t> &queries, const std::set<std::string> &unread,
         const MatchBudget &budget)
      : kernel(kernel), source(source), run(run), unread(unread), budget(budget),
        around{kernel, run.arguments, queries} {}

  MatchResult find() {
    State start;
    start.variables.resize(kernel.variables.size());
    open.push_back(std::move(start));
    std::size_t states = 0;
    while (!open.empty()) {
      if (++states > budget.states || steps > budget.steps)
        return undecided();
      State state = std::move(open.back());
      open.pop_back();
      if (follow(state)) {
        result.verdict = MatchResult::Verdict::Same;
        result.reason.clear();
        return result;
      }
    }
    if (gaveUp)
      return undecided();
    result.verdict = MatchResult::Verdict::Different;
    return result;
  }

private:
  MatchResult undecided() {
    result.verdict = MatchResult::Verdict::Undecided;
    return result;
  }

  /// True: the whole log is explained.
  bool follow(State &state) {
    while (true) {
      if (!run.complete() && state.event >= run.events.size())
        return true;
      if (++steps > budget.steps || ++state.idle > kMostIdleSteps) {
        gaveUp = true;
        return false;
      }
      const Block &block = kernel.blocks[state.block];
      if (state.statement < block.statements.size()) {
        const Statement &statement = block.statements[state.statement];
        bool going =
            std::visit([&](const auto &action) { return perform(action, statement, state); }, statement.action);
        if (!going)
          return !run.complete() && nextStrong(state.event) >= run.events.size();
        ++state.statement;
        continue;
      }
      const Terminator &terminator = block.terminator;
      if (terminator.kind == Terminator::Kind::Return)
        return finished(state);
      BlockId next = terminator.whenTrue;
      if (terminator.kind == Terminator::Kind::Branch) {
        LiftedValue condition = evaluate(around, state.variables, terminator.condition);
        if (!condition.isKnown()) {
          if (!parted.insert(hashOf(state)).second)
            return false; // this branch was reached in the same state before
          fork(state, terminator.whenFalse);
        } else if (condition.bits == 0)
          next = terminator.whenFalse;
      }
      if (next == kNone)
        return finished(state);
      state.block = next;
      state.statement = 0;
    }
  }

  void fork(const State &state, BlockId other) {
    if (other == kNone)
      return;
    State copy = state;
    copy.block = other;
    copy.statement = 0;
    open.push_back(std::move(copy));
  }

  std::uint64_t hashOf(const State &state) const {
    std::uint64_t hash = 1469598103934665603ull;
    auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ull, hash ^= hash >> 29; };
    mix(state.block);
    mix(state.statement);
    mix(state.event);
    for (const LiftedValue &value : state.variables) {
      mix(static_cast<std::uint64_t>(value.state));
      mix(static_cast<std::uint64_t>(value.bits));
    }
    return hash;
  }

  /// Another way to go on, unless it was tried in the same state.
  void remember(State state) {
    if (tried.insert(hashOf(state)).second)
      open.push_back(std::move(state));
  }

  bool finished(const State &state) {
    std::size_t next = nextStrong(state.event);
    if (next >= run.events.size())
      return true;
    fail(state, 0, "the lifted kernel ends; natively follows " + describe(run.events[next]), run.events[next].line);
    return false;
  }

  /// The next event that the reader has to show.
  std::size_t nextStrong(std::size_t event, bool barriersByNumber = false) const {
    while (event < run.events.size() &&
           (run.events[event].kind == Kind::Passive || (!barriersByNumber && isBarrierByNumber(run.events[event]))))
      ++event;
    return event;
  }

  /// `pipe_barrier((pipe_t)3)`: which pipe that is only the vendor's header knows. The reader may leave such a barrier
  /// out, which proves less, and never one that names its pipe.
  bool isBarrierByNumber(const NativeEvent &event) const {
    return event.kind == Kind::Barrier && source.line(event.line).find("pipe_barrier(") != std::string_view::npos &&
           source.line(event.line).find("PIPE_") == std::string_view::npos;
  }

  bool fail(const State &state, std::uint32_t line, std::string reason, std::uint32_t nativeLine = 0) {
    // What was reached with the fewest events left to fences says most.
    if (result.reason.empty() || state.event - state.skipped > deepest) {
      deepest = state.event - state.skipped;
      result.reason = std::move(reason);
      result.line = line ? line : nativeLine;
    }
    return false;
  }

  bool perform(const Assign &assign, const Statement &, State &state) {
    LiftedValue value = evaluate(around, state.variables, assign.value);
    if (value.isKnown())
      value.bits = asType(kernel.variables[assign.variable].type, value.bits);
    state.variables[assign.variable] = value;
    return true;
  }

  bool perform(const ArrayStore &store, const Statement &, State &state) {
    LiftedValue index = evaluate(around, state.variables, store.index);
    LiftedValue value = evaluate(around, state.variables, store.value);
    for (std::uint32_t i = 0; i < store.count; ++i) {
      if (index.isKnown() && index.bits != static_cast<std::int64_t>(i))
        continue;
      VariableId element = store.first + i;
      state.variables[element] = !index.isKnown() ? LiftedValue::unknown()
                                 : value.isKnown()
                                     ? LiftedValue::known(asType(kernel.variables[element].type, value.bits))
                                     : value;
    }
    return true;
  }

  void loseResults(const Instruction &instruction, State &state) {
    for (VariableId variable : instruction.results)
      state.variables[variable] = LiftedValue::unknown();
  }

  bool perform(const Instruction &instruction, const Statement &statement, State &state) {
    if (instruction.name == "scalar.load" || instruction.name == "scalar.store")
      return access(instruction, statement, state);
    loseResults(instruction, state);
    bool fence = unread.count(instruction.name) != 0;
    // A name that nobody has a body for is in the log, too.
    if (fence && sameCallAhead(instruction, statement, state))
      return true;
    if (fence) {
      // Either it stood for no event more, or for the next one and perhaps others.
      if (state.event < run.events.size()) {
        State another = state;
        ++another.event;
        ++another.skipped;
        another.idle = 0;
        remember(std::move(another));
      }
      return true;
    }
    return call(instruction, statement, state);
  }

  bool access(const Instruction &instruction, const Statement &statement, State &state) {
    bool load = instruction.name == "scalar.load";
    LiftedValue address = instruction.operands.empty()
                              ? LiftedValue::unknown()
                              : evaluate(around, state.variables, instruction.operands[0].value);
    std::size_t next = nextStrong(state.event);
    const NativeEvent *event = next < run.events.size() ? &run.events[next] : nullptr;
    bool fits = event && event->kind == (load ? Kind::Load : Kind::Store);
    if (fits && address.isKnown() && address.bits != event->address)
      fits = false;
    std::uint32_t bytes = instruction.operands.empty() ? 0 : instruction.operands[0].bytes;
    if (fits && bytes && event->bytes != static_cast<std::int64_t>(bytes))
      fits = false;
    // An address that is not known may be a local variable's, and a large object is copied unseen. A load too many is
    // no fault either: nothing is lost by it, and what it gives stays unknown.
    bool optional = !address.isKnown() || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8);
    if (!fits && !optional && !load)
      return fail(state, statement.line,
                  "lifted store of " + std::to_string(bytes) + " bytes at " + std::to_string(address.bits) +
                      "; natively " + (event ? describe(*event) : "the run ends"));
    if (fits && optional) {
      State without = state;
      loseResults(instruction, without);
      ++without.statement;
      remember(std::move(without));
    }
    if (!fits && load)
      ++result.extraLoads;
    loseResults(instruction, state);
    if (!fits)
      return true;
    if (load)
      for (VariableId variable : instruction.results)
        if (kernel.variables[variable].type.bits == bytes * 8 ||
            (bytes == 1 && kernel.variables[variable].type.bits == 1))
          state.variables[variable] = LiftedValue::known(asType(kernel.variables[variable].type, event->value));
    return matched(state, next, address.isKnown() ? 1 : 0, address.isKnown() ? 0 : 1);
  }

  bool matched(State &state, std::size_t event, std::size_t known, std::size_t unknown) {
    state.event = event + 1;
    state.idle = 0;
    if (event >= counted) {
      counted = event + 1;
      ++result.events;
      result.operands += known;
      result.unknown += unknown;
    }
    return true;
  }

  bool sameCallAhead(const Instruction &instruction, const Statement &statement, State &state) {
    std::size_t end = nextStrong(state.event);
    for (std::size_t next = state.event; next <= end && next < run.events.size(); ++next)
      if (sameCall(instruction, statement, state, next, true))
        return true;
    return false;
  }

  bool call(const Instruction &instruction, const Statement &statement, State &state) {
    // What only places an object may be shown or not: the first that fits.
    std::size_t end = nextStrong(state.event);
    for (std::size_t next = state.event; next < end; ++next)
      if (run.events[next].name == instruction.name && sameCall(instruction, statement, state, next, true))
        return true;
    if (end >= run.events.size())
      return fail(state, statement.line, "lifted " + instruction.name + "; natively the run ends");
    return sameCall(instruction, statement, state, end, false);
  }

  bool sameCall(const Instruction &instruction, const Statement &statement, State &state, std::size_t next,
                bool quiet) {
    const NativeEvent &event = run.events[next];
    std::string name = event.kind == Kind::SetFlag    ? "set_flag"
                       : event.kind == Kind::WaitFlag ? "wait_flag"
                       : event.kind == Kind::Barrier  ? "pipe_barrier"
                                                      : event.name;
    auto differs = [&](const std::string &what) {
      return !quiet && fail(state, statement.line,
                            what + "lifted " + instruction.name + " line " + std::to_string(statement.line) +
                                "; natively " + describe(event),
                            event.line);
    };
    if (name != instruction.name)
      return differs("");
    if (!sameLine(statement, event))
      return differs("another line: ");
    if (event.kind == Kind::SetFlag || event.kind == Kind::WaitFlag || event.kind == Kind::Barrier)
      return matched(state, next, 0, 1); // a sync that the reader could not read: an opaque fence
    if (event.kind == Kind::Call && event.operands.size() != instruction.operands.size())
      return differs(std::to_string(instruction.operands.size()) + " operands: ");
    std::size_t known = 0, unknown = 0;
    for (std::size_t i = 0; i < event.operands.size() && i < instruction.operands.size(); ++i) {
      std::string why;
      if (!sameOperand(instruction.operands[i], event.operands[i], state, why, known, unknown))
        return differs("operand " + std::to_string(i + 1) + " is " + why + ": ");
    }
    return matched(state, next, known, unknown);
  }

  bool sameLine(const Statement &statement, const NativeEvent &event) const {
    if (event.line == 0 || statement.line == 0 || event.line == statement.line)
      return true;
    std::uint32_t last = source.position(statement.range.end).line;
    return event.line > statement.line && event.line <= last;
  }

  /// Known and different: false. Counts what was compared.
  bool same(const LiftedValue &lifted, std::int64_t native, std::size_t &known, std::size_t &unknown) const {
    if (!lifted.isKnown()) {
      ++unknown;
      return true;
    }
    ++known;
    return lifted.bits == native;
  }

  LiftedValue valueOf(const State &state, VariableId variable) const {
    return variable == kNone ? LiftedValue::unknown() : state.variables[variable];
  }

  static std::string text(const LiftedValue &value) {
    return value.isKnown()                            ? std::to_string(value.bits)
           : value.state == LiftedValue::State::Unset ? "unplaced"
                                                      : "unknown";
  }

  bool sameOperand(const Operand &operand, const NativeOperand &native, const State &state, std::string &why,
                   std::size_t &known, std::size_t &unknown) const {
    switch (operand.kind) {
    case Operand::Kind::Tile: return sameTile(kernel.tiles[operand.index], native, state, why, known, unknown);
    case Operand::Kind::Tensor: return sameTensor(kernel.tensors[operand.index], native, state, why, known, unknown);
    case Operand::Kind::Fifo: {
      const Fifo &fifo = kernel.fifos[operand.index];
      why = "a FIFO";
      return native.kind == NativeOperand::Kind::Fifo &&
             same(valueOf(state, fifo.memory), native.value, known, unknown) &&
             same(valueOf(state, fifo.cubeToVec), native.details[0], known, unknown) &&
             same(valueOf(state, fifo.vecToCube), native.details[1], known, unknown);
    }
    case Operand::Kind::Scalar:
    case Operand::Kind::Pointer: {
      LiftedValue value = evaluate(around, state.variables, operand.value);
      why = (operand.kind == Operand::Kind::Scalar ? "scalar " : "pointer ") + text(value);
      if (!value.isKnown())
        return ++unknown, true;
      bool number = native.kind == NativeOperand::Kind::Scalar || native.kind == NativeOperand::Kind::Pointer;
      return number && same(LiftedValue::known(asRecorded(value.bits)), native.value, known, unknown);
    }
    default: return ++unknown, true;
    }
  }

  /// Whether both sides have placed the object, and at the same address.
  bool samePlace(const LiftedValue &lifted, const NativeOperand &native, std::size_t &known,
                 std::size_t &unknown) const {
    if (native.storage == Storage::Unknown || lifted.state == LiftedValue::State::Unknown)
      return ++unknown, true;
    if (native.storage == Storage::Unset || lifted.state == LiftedValue::State::Unset)
      return ++known, (native.storage == Storage::Unset) == (lifted.state == LiftedValue::State::Unset);
    return same(lifted, native.value, known, unknown);
  }

  bool sameTile(const Tile &tile, const NativeOperand &native, const State &state, std::string &why, std::size_t &known,
                std::size_t &unknown) const {
    LiftedValue address = valueOf(state, tile.address);
    LiftedValue rows =
        tile.staticValidRows >= 0 ? LiftedValue::known(tile.staticValidRows) : valueOf(state, tile.validRows);
    LiftedValue cols =
        tile.staticValidCols >= 0 ? LiftedValue::known(tile.staticValidCols) : valueOf(state, tile.validCols);
    why = "tile " + tile.name + " at " + text(address) + ", valid " + text(rows) + " x " + text(cols);
    if (native.kind != NativeOperand::Kind::Tile)
      return false;
    std::int64_t bits = tile.elementBits, extentRows = tile.rows, extentCols = tile.cols;
    return native.details[0] == bits && native.details[1] == extentRows && native.details[2] == extentCols &&
           samePlace(address, native, known, unknown) && same(rows, native.details[3], known, unknown) &&
           same(cols, native.details[4], known, unknown);
  }

  bool sameTensor(const Tensor &tensor, const NativeOperand &native, const State &state, std::string &why,
                  std::size_t &known, std::size_t &unknown) const {
    LiftedValue pointer = valueOf(state, tensor.pointer);
    why = "tensor " + tensor.name + " at " + text(pointer);
    if (native.kind != NativeOperand::Kind::Tensor || !samePlace(pointer, native, known, unknown))
      return false;
    for (std::size_t i = 0; i < 5; ++i) {
      LiftedValue shape =
          tensor.shape[i] >= 0 ? LiftedValue::known(tensor.shape[i]) : valueOf(state, tensor.shapeVariables[i]);
      LiftedValue stride =
          tensor.stride[i] >= 0 ? LiftedValue::known(tensor.stride[i]) : valueOf(state, tensor.strideVariables[i]);
      why = "tensor " + tensor.name + " at " + text(pointer) + ", entry " + std::to_string(i) + " shape " +
            text(shape) + " stride " + text(stride);
      if (native.storage == Storage::Set &&
          (!same(shape, native.details[i], known, unknown) || !same(stride, native.details[5 + i], known, unknown)))
        return false;
    }
    return true;
  }

  static Kind nativeKind(SyncKind kind) {
    switch (kind) {
    case SyncKind::SetFlag: return Kind::SetFlag;
    case SyncKind::WaitFlag: return Kind::WaitFlag;
    case SyncKind::GetBuffer: return Kind::GetBuffer;
    case SyncKind::ReleaseBuffer: return Kind::ReleaseBuffer;
    case SyncKind::Barrier:
    case SyncKind::Tail: break;
    }
    return Kind::Barrier;
  }

  static const char *nameOf(Kind kind) {
    return kind == Kind::SetFlag         ? "set_flag"
           : kind == Kind::WaitFlag      ? "wait_flag"
           : kind == Kind::GetBuffer     ? "get_buf"
           : kind == Kind::ReleaseBuffer ? "rls_buf"
                                         : "pipe_barrier";
  }

  bool perform(const Sync &sync, const Statement &statement, State &state) {
    if (sync.kind == SyncKind::Tail)
      return tail(sync, statement, state);
    std::size_t next = nextStrong(state.event, true);
    if (sync.kind != SyncKind::Barrier || (next < run.events.size() && (run.events[next].source != sync.source ||
                                                                        !sameLine(statement, run.events[next]))))
      next = nextStrong(state.event);
    const Kind wanted = nativeKind(sync.kind);
    std::string lifted = "lifted " + std::string(nameOf(wanted)) + " line " + std::to_string(statement.line);
    if (next >= run.events.size())
      return fail(state, statement.line, lifted + "; natively the run ends");
    const NativeEvent &event = run.events[next];
    LiftedValue id =
        sync.kind == SyncKind::Barrier ? LiftedValue::known(event.id) : evaluate(around, state.variables, sync.event);
    std::string both = lifted + ", pipes " + std::string(pipeName(sync.source)) + " " +
                       std::string(pipeName(sync.destination)) + ", id " + text(id) + "; natively " + describe(event);
    std::size_t known = 0, unknown = 0;
    if (event.kind != wanted || !event.pipesKnown || event.source != sync.source ||
        event.destination != sync.destination || !same(id, event.id, known, unknown))
      return fail(state, statement.line, both, event.line);
    if (!sameLine(statement, event))
      return fail(state, statement.line, "another line: " + both, event.line);
    return matched(state, next, known, unknown);
  }

  /// The end fence is one statement to the reader, and a call of a helper natively.
  bool tail(const Sync &sync, const Statement &statement, State &state) {
    std::size_t next = nextStrong(state.event);
    auto at = [&](std::size_t i) { return i < run.events.size() ? &run.events[i] : nullptr; };
    const NativeEvent *first = at(next), *second = at(next + 1);
    if (sync.source == Pipe::All) {
      if (first && first->kind == Kind::Barrier && first->source == Pipe::All)
        return matched(state, next, 0, 0);
    } else if (first && second && first->kind == Kind::SetFlag && second->kind == Kind::WaitFlag &&
               first->source == sync.source) {
      matched(state, next, 0, 0);
      return matched(state, next + 1, 0, 0);
    }
    return fail(state, statement.line, "lifted end fence; natively " + (first ? describe(*first) : "the run ends"));
  }

  const Kernel &kernel;
  const SourceText &source;
  const NativeRun &run;
  const std::set<std::string> &unread;
  const MatchBudget &budget;
  LiftedSurroundings around;
  MatchResult result;
  std::vector<State> open;
  // Ways that were put aside, and branches that were met. They are kept apart: a way may go on right in front of a
  // branch.
  std::set<std::uint64_t> tried, parted;
  std::size_t steps = 0, deepest = 0, counted = 0;
  bool gaveUp = false;
};

} // namespace

MatchResult matchTrace(const Kernel &kernel, const SourceText &source, const NativeRun &run,
                       const std::map<std::string, std::int64_t> &queries, const std::set<std::string> &unread,
                       const MatchBudget &budget) {
  if (kernel.blocks.empty())
    return {};
  return Search(kernel, source, run, queries, unread, budget).find();
}

} // namespace ptosync::differential
