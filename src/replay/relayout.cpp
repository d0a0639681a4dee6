#include "replay/relayout.h"

#include "kernel/kernel.h"
#include <algorithm>
#include <set>

namespace ptosync::replay {

namespace {

constexpr std::int64_t kEverywhere = std::int64_t{1} << 60; // no on-chip memory is larger

} // namespace

void Shadow::clear(Memory &memory, std::int64_t begin, std::int64_t end) {
  auto cell = memory.upper_bound(begin);
  if (cell != memory.begin() && std::prev(cell)->second.end > begin)
    --cell;
  while (cell != memory.end() && cell->first < end) {
    auto [first, known] = *cell;
    cell = memory.erase(cell);
    if (first < begin) {
      Cell left = known;
      left.end = begin;
      memory[first] = left;
    }
    if (known.end > end)
      memory[end] = known;
  }
}

void Shadow::write(const Extents &bytes, std::uint32_t writer) {
  if (!bytes.space)
    return;
  Memory &memory = spaces[*bytes.space];
  if (bytes.whole || bytes.base() != 0) {
    memory.clear();
    memory[-kEverywhere] = {kEverywhere, writer, 0};
    return;
  }
  for (std::int64_t row = 0; row < bytes.footprint.rows; ++row) {
    std::int64_t begin = bytes.address + row * bytes.footprint.stride, end = begin + bytes.footprint.rowBytes;
    clear(memory, begin, end);
    memory[begin] = {end, writer, bytes.address};
  }
}

void Shadow::append(std::vector<Origins> &origins, Origins next) {
  if (next.bytes <= 0)
    return;
  if (next.writer == kNone)
    next.source = 0;
  if (!origins.empty()) {
    Origins &last = origins.back();
    bool follows = next.writer == kNone || last.source + last.bytes == next.source;
    if (last.begin + last.bytes == next.begin && last.writer == next.writer && follows) {
      last.bytes += next.bytes;
      return;
    }
  }
  origins.push_back(next);
}

std::vector<Origins> Shadow::read(const Extents &bytes) const {
  std::vector<Origins> origins;
  if (!bytes.space || bytes.whole || bytes.base() != 0)
    return origins;
  auto known = spaces.find(*bytes.space);
  static const Memory empty;
  const Memory &memory = known == spaces.end() ? empty : known->second;
  for (std::int64_t row = 0; row < bytes.footprint.rows; ++row) {
    std::int64_t at = bytes.address + row * bytes.footprint.stride, end = at + bytes.footprint.rowBytes;
    auto cell = memory.upper_bound(at);
    if (cell != memory.begin() && std::prev(cell)->second.end > at)
      --cell;
    for (; at < end && cell != memory.end() && cell->first < end; ++cell) {
      append(origins, {at - bytes.address, std::max<std::int64_t>(0, cell->first - at), kNone, 0});
      std::int64_t from = std::max(at, cell->first), to = std::min(end, cell->second.end);
      append(origins, {from - bytes.address, to - from, cell->second.writer, from - cell->second.base});
      at = to;
    }
    append(origins, {at - bytes.address, end - at, kNone, 0});
  }
  return origins;
}

namespace {

constexpr std::size_t kMostLayoutFindings = 20; // of one kernel
constexpr std::int64_t kPrivateSlots = std::int64_t{1} << 24;
constexpr std::int64_t kBehindMemories = std::int64_t{1} << 32; // bytes; a FIFO further on for each of them

/// Everything but the place.
bool sameButPlace(const Access &a, const Access &b) {
  Access moved = b;
  moved.bytes.address = a.bytes.address;
  return a == moved;
}

bool sameButPlaces(const Work &a, const Work &b) {
  auto equal = [](const Phase &first, const Phase &second) {
    return first.pipe == second.pipe && first.barrier == second.barrier &&
           std::equal(first.accesses.begin(), first.accesses.end(), second.accesses.begin(), second.accesses.end(),
                      sameButPlace);
  };
  return a.instruction->name == b.instruction->name && a.known == b.known && a.fence == b.fence &&
         a.signal == b.signal && a.betweenCores == b.betweenCores && a.scalars == b.scalars &&
         a.flags.size() == b.flags.size() &&
         std::equal(a.phases.begin(), a.phases.end(), b.phases.begin(), b.phases.end(), equal);
}

bool sameSyncs(const Trace &a, const Trace &b) {
  return std::equal(
      a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), [](const Event &first, const Event &second) {
        return first.kind == second.kind && first.source == second.source && first.destination == second.destination &&
               first.id == second.id && first.instance == second.instance;
      });
}

/// One run of both versions.
class RunComparer {
public:
  RunComparer(const Side &before, const Side &after, const ConflictRules &rules)
      : before(before), after(after), rules(rules), moved(before.trace.instances.size()) {}

  std::vector<Finding> compare() {
    if (before.trace.instances.size() != after.trace.instances.size() || !sameSyncs(before.trace, after.trace)) {
      add(FindingKind::Streams, kNone, kNone, "the two versions do not issue the same instructions and syncs");
      return std::move(findings);
    }
    for (std::uint32_t i = 0; i < moved.size(); ++i) {
      const Work &first = work(before, i), &second = work(after, i);
      if (!sameButPlaces(first, second)) {
        add(FindingKind::Streams, kNone, i, "the two versions do not do the same here");
        return std::move(findings);
      }
      moved[i] = first.phases != second.phases;
    }
    compareValues();
    compareOrders();
    return std::move(findings);
  }

  std::uint64_t movedCount() const { return static_cast<std::uint64_t>(std::count(moved.begin(), moved.end(), true)); }

private:
  static const Work &work(const Side &side, std::uint32_t instance) {
    return side.subject.works[side.trace.instances[instance].work];
  }

  void add(FindingKind kind, std::uint32_t earlier, std::uint32_t later, std::string text) {
    auto statementOf = [&](std::uint32_t instance) {
      return instance == kNone ? nullptr : before.trace.instances[instance].statement;
    };
    if (findings.size() >= kMostLayoutFindings || !reported.emplace(statementOf(earlier), statementOf(later)).second)
      return;
    Finding finding;
    finding.kind = kind;
    if (earlier != kNone)
      finding.earlier = placeOf(before, after, earlier);
    if (later != kNone)
      finding.later = placeOf(before, after, later);
    finding.text = std::move(text);
    findings.push_back(std::move(finding));
  }

  void compareValues() {
    Shadow first, second;
    for (std::uint32_t i = 0; i < moved.size(); ++i) {
      forEachAccess(i, [&](const Access &was, const Access &is) {
        if (was.reads && !was.scratch)
          compareRead(i, first, was, second, is);
      });
      forEachAccess(i, [&](const Access &was, const Access &is) {
        if (was.writes) {
          first.write(was.bytes, i);
          second.write(is.bytes, i);
        }
      });
    }
  }

  template <typename Visit> void forEachAccess(std::uint32_t instance, Visit visit) const {
    const Work &first = work(before, instance), &second = work(after, instance);
    for (std::size_t p = 0; p < first.phases.size(); ++p)
      for (std::size_t a = 0; a < first.phases[p].accesses.size(); ++a)
        if (!rules.global(first.phases[p].accesses[a].bytes))
          visit(first.phases[p].accesses[a], second.phases[p].accesses[a]);
  }

  void compareRead(std::uint32_t reader, const Shadow &first, const Access &was, const Shadow &second,
                   const Access &is) {
    // Cut both at the same offsets, then compare piece by piece.
    std::vector<Origins> olds = first.read(was.bytes), news = second.read(is.bytes);
    std::size_t a = 0, b = 0;
    std::int64_t at = 0;
    while (a < olds.size() && b < news.size()) {
      const Origins &old = olds[a], &now = news[b];
      at = std::max({at, old.begin, now.begin});
      std::int64_t oldEnd = old.begin + old.bytes, nowEnd = now.begin + now.bytes;
      bool same = old.writer == now.writer && old.source + (at - old.begin) == now.source + (at - now.begin);
      if (at < std::min(oldEnd, nowEnd) && old.writer != kNone && !same) {
        add(FindingKind::Order, now.writer, reader,
            "reads what line " +
                (now.writer == kNone ? std::string("-")
                                     : std::to_string(placeOf(before, after, now.writer).afterLine)) +
                " wrote, where it read what line " + std::to_string(placeOf(before, after, old.writer).beforeLine) +
                " wrote");
        return;
      }
      at = std::min(oldEnd, nowEnd);
      a += oldEnd == at;
      b += nowEnd == at;
    }
  }

  void compareOrders() {
    Schedule schedule = makeSchedule(after.trace, after.subject.works,
                                     {ScalarWaits::HoldScalarPipe, rules.scalarInOrder(), OpenBrackets::OrderNothing,
                                      after.subject.machine.bufferIds()});
    for (std::uint32_t later = 0; later < moved.size() && findings.size() < kMostLayoutFindings; ++later)
      for (std::uint32_t phase = 0; phase < work(after, later).phases.size(); ++phase)
        if (schedule.started[later])
          for (Pipe pipe : kPipes)
            checkPending(schedule, {later, phase}, pipe);
  }

  /// The phases of `pipe` that may still run when `later` starts, of those that came before it.
  void checkPending(const Schedule &schedule, PhaseRef later, Pipe pipe) {
    const std::vector<PhaseRef> &queue = schedule.phases[index(pipe)];
    for (std::uint32_t ordinal = schedule.starts[later.instance][later.phase][index(pipe)];
         ordinal < queue.size() && queue[ordinal].instance < later.instance; ++ordinal) {
      PhaseRef earlier = queue[ordinal];
      if (!moved[earlier.instance] && !moved[later.instance])
        continue;
      bool carried = loopCarried(before.trace, before.trace.instances[earlier.instance].iteration,
                                 before.trace.instances[later.instance].iteration);
      auto conflict = [&](const Side &side) {
        const Work &a = work(side, earlier.instance), &b = work(side, later.instance);
        return rules.between({a, a.phases[earlier.phase]}, {b, b.phases[later.phase]}, carried, &side.trace.decided);
      };
      std::optional<Conflict> now = conflict(after);
      if (!now || conflict(before))
        continue;
      add(FindingKind::Order, earlier.instance, later.instance,
          std::string(conflictName(now->kind)) + " on " + rules.describe(now->bytes) +
              " that was none before: the earlier one may still run when the later one starts");
    }
  }

  const Side &before, &after;
  const ConflictRules &rules;
  std::vector<bool> moved; // by instance
  std::vector<Finding> findings;
  std::set<std::pair<const Statement *, const Statement *>> reported;
};

void compareKernel(const Kernel &original, const Kernel &after, const Machine &machine, const Options &options,
                   Relayout &result) {
  Kernel before = original;
  for (FifoId fifo = 0; fifo < original.fifos.size() && fifo < after.fifos.size(); ++fifo)
    if (original.fifos[fifo].localSlots != after.fifos[fifo].localSlots)
      before = withPrivateEntries(std::move(before), fifo);
  Subject first(before, machine, options), second(after, machine, options);
  ConflictRules rules(machine, options);
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  Subject chooser(original, machine, options); // its ring depth tells how often loops should run
  for (const Inputs &inputs : chooseRuns(chooser, options)) {
    RunRequest request;
    request.inputs = inputs;
    request.skipping = Skipping::Forbidden;
    Trace was = interpret(first, request, options.budget), is = interpret(second, request, options.budget);
    Side one{first, was}, other{second, is};
    RunComparer comparer(one, other, rules);
    for (Finding &finding : comparer.compare()) {
      if (!known.emplace(finding.earlier.beforeLine, finding.later.beforeLine).second)
        continue;
      finding.kernel = before.name;
      finding.section = before.section;
      finding.run = describe(inputs, before);
      result.findings.push_back(std::move(finding));
    }
    ++result.runs;
    result.instructions += was.instances.size();
    result.moved += comparer.movedCount();
  }
}

} // namespace

Kernel withPrivateEntries(Kernel kernel, FifoId id) {
  Fifo &fifo = kernel.fifos[id];
  auto base = static_cast<VariableId>(kernel.variables.size());
  kernel.variables.push_back({fifo.name + ".entries", kInt64});
  Statement statement;
  statement.line = kernel.line;
  statement.action = Assign{base, kernel.expressions.constant(kBehindMemories * (id + 1), kInt64)};
  std::vector<Statement> &first = kernel.blocks.front().statements;
  first.insert(first.begin(), std::move(statement));
  fifo.cubeToVec = fifo.vecToCube = base;
  fifo.localSlots = kPrivateSlots;
  return kernel;
}

llvm::Expected<Relayout> verifyRelayout(const Module &before, const Module &after, const Machine &machine,
                                        const Options &options) {
  Relayout result;
  if (before.kernels.size() != after.kernels.size())
    return llvm::createStringError(after.source.name() + ": does not hold the same kernels");
  for (const Kernel &kernel : before.kernels) {
    const Kernel *other = kernelLike(after, kernel);
    if (!other || kernel.analysable != other->analysable)
      return llvm::createStringError(after.source.name() + ": kernel " + kernel.name + " is not the same");
    if (kernel.analysable)
      compareKernel(kernel, *other, machine, options, result);
  }
  return result;
}

} // namespace ptosync::replay
