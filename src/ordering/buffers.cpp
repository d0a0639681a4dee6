#include "ordering/buffers.h"

#include "base/walk.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

const EventKey kFree = {kNone, kNone};

/// By id: the gets that may hold it, and kFree if it may be free. An id that is not there is free.
using Holders = std::map<std::int64_t, std::set<EventKey>>;

const std::set<EventKey> &holdersOf(const Holders &holders, std::int64_t id) {
  static const std::set<EventKey> free = {kFree};
  auto found = holders.find(id);
  return found == holders.end() ? free : found->second;
}

/// Follows who holds which id along every path.
class HoldWalk {
public:
  HoldWalk(const Program &program, SyncLayout layout) : program(program), layout(std::move(layout)) {}

  /// Calls `visit(place, event, holders)` in front of each event that is work, or a get or release with one known id,
  /// and where the kernel ends with a null event.
  template <typename Visit> void run(const Visit &visit) {
    solve();
    for (StepId step : program.order) {
      auto entry = entries.find(step);
      if (entry == entries.end())
        continue;
      Holders holders = entry->second;
      forEach(step, [&](EventKey at, const Event &event) {
        visit(at, &event, holders);
        if (event.isBuffer())
          apply(event, at, holders);
      });
      if (program.kernel->blocks[program.blockOf[step]].terminator.kind == Terminator::Kind::Return)
        visit(EventKey{step, kNone}, nullptr, holders);
    }
  }

private:
  template <typename Visit> void forEach(StepId step, const Visit &visit) const {
    layout.forEach(program, step, [&](EventKey at, const Event &event) {
      if (event.kind == Event::Kind::Access || (event.isBuffer() && event.ids.size() == 1))
        visit(at, event);
      return true;
    });
  }

  static void apply(const Event &event, EventKey at, Holders &holders) {
    holders[event.ids[0]] = {event.kind == Event::Kind::Get ? at : kFree};
  }

  void solve() {
    if (program.order.empty())
      return;
    entries[program.order.front()];
    Worklist work(program.order);
    work.add(program.order.front());
    while (std::optional<StepId> step = work.next()) {
      Holders holders = entries.at(*step);
      forEach(*step, [&](EventKey at, const Event &event) {
        if (event.isBuffer())
          apply(event, at, holders);
      });
      for (const Edge &edge : program.edges[*step])
        if (join(edge.to, holders))
          work.add(edge.to);
    }
  }

  bool join(StepId target, const Holders &coming) {
    auto [entry, fresh] = entries.try_emplace(target, coming);
    if (fresh)
      return true;
    bool grown = false;
    for (const auto &[id, holders] : coming)
      entry->second.try_emplace(id, holdersOf({}, id));
    for (auto &[id, holders] : entry->second) {
      const std::size_t before = holders.size();
      const std::set<EventKey> &more = holdersOf(coming, id);
      holders.insert(more.begin(), more.end());
      grown |= holders.size() != before;
    }
    return grown;
  }

  const Program &program;
  const SyncLayout layout;
  std::map<StepId, Holders> entries; // of reached steps
};

class FaultFinder {
public:
  FaultFinder(const Program &program, const SyncLayout &layout) : program(program), layout(layout) {}

  std::vector<BufferFault> run() {
    HoldWalk(program, layout).run([&](EventKey at, const Event *event, const Holders &holders) {
      if (event && event->isBuffer())
        lookAt(at, *event, holdersOf(holders, event->ids[0]));
      else if (!event)
        for (const auto &[id, held] : holders)
          add(BufferFault::Kind::OpenAtEnd, id, at, held, [](EventKey holder) { return holder != kFree; });
    });
    return std::move(faults);
  }

private:
  void lookAt(EventKey at, const Event &event, const std::set<EventKey> &held) {
    const std::int64_t id = event.ids[0];
    auto get = [&](EventKey holder) -> const Event & { return program.steps[holder.first][holder.second]; };
    if (event.kind == Event::Kind::Get)
      return add(BufferFault::Kind::Nested, id, at, held, [](EventKey holder) { return holder != kFree; });
    add(BufferFault::Kind::NotHeld, id, at, held, [](EventKey holder) { return holder == kFree; });
    add(BufferFault::Kind::OtherPipe, id, at, held,
        [&](EventKey holder) { return holder != kFree && get(holder).source != event.source; });
    add(BufferFault::Kind::OtherMode, id, at, held, [&](EventKey holder) {
      return holder != kFree && get(holder).source == event.source && get(holder).mode != event.mode;
    });
  }

  /// One fault if it is amiss that any of these hold the id.
  template <typename IsAmiss>
  void add(BufferFault::Kind kind, std::int64_t id, EventKey at, const std::set<EventKey> &held,
           const IsAmiss &isAmiss) {
    auto first = llvm::find_if(held, isAmiss);
    if (first != held.end())
      faults.push_back({kind, id, at.first, at.second, *first, llvm::all_of(held, isAmiss)});
  }

  const Program &program;
  const SyncLayout &layout;
  std::vector<BufferFault> faults;
};

/// True if the statement is known to name ids that the machine has.
bool namesOwnIds(const Program &program, const Event &event) {
  const auto count = static_cast<std::int64_t>(program.machine->bufferIds());
  return !event.ids.empty() && llvm::all_of(event.ids, [&](std::int64_t id) { return id >= 0 && id < count; });
}

/// Numbers the releases, and says of each get which it waits for.
void connect(Program &program) {
  std::map<BufferRelease, std::uint32_t> numbers;
  // An id that the machine does not have may be any that it has: which of its bits count is not said.
  auto idsOf = [&](const Event &event) {
    std::vector<std::int64_t> ids = event.ids;
    for (unsigned any = 0; !namesOwnIds(program, event) && any < program.machine->bufferIds(); ++any)
      ids.push_back(any);
    return ids;
  };
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Release)
        for (std::int64_t id : idsOf(event))
          numbers.try_emplace({event.source, id}, 0);
  for (auto &[release, number] : numbers) {
    number = static_cast<std::uint32_t>(program.buffers.size());
    program.buffers.push_back(release);
  }
  for (std::vector<Event> &events : program.steps)
    for (Event &event : events)
      if (event.isBuffer())
        for (std::int64_t id : idsOf(event))
          for (Pipe pipe : kPipes)
            if (auto release = numbers.find({pipe, id});
                release != numbers.end() && (pipe == event.source) == (event.kind == Event::Kind::Release))
              event.buffers.push_back(release->second);
}

/// The brackets of which it is open what they order: of an id of which some bracket is amiss or has another mode, or
/// that a statement may name whose id is not known.
class OpenIds {
public:
  OpenIds(const Program &program, const SyncLayout &layout) {
    for (const BufferFault &fault : program.bufferFaults)
      ids.insert(fault.id);
    for (const std::vector<Event> &events : program.steps)
      for (const Event &event : events) {
        if (!event.isBuffer() || layout.removed(event.site))
          continue;
        all = all || !namesOwnIds(program, event);
        if (event.ids.size() != 1 || event.mode != BufferMode::Blocking)
          ids.insert(event.ids.begin(), event.ids.end());
      }
  }
  bool contain(const Event &event) const { return all || event.ids.size() != 1 || ids.count(event.ids[0]) != 0; }

private:
  std::set<std::int64_t> ids;
  bool all = false; // some statement may name any
};

} // namespace

void connectBuffers(Program &program) {
  connect(program);
  judgeBrackets(program, {});
}

void judgeBrackets(Program &program, const SyncLayout &layout) {
  program.bufferFaults = bufferFaultsOf(program, layout);
  const OpenIds open(program, layout);
  for (std::vector<Event> &events : program.steps)
    for (Event &event : events)
      if (event.isBuffer() && program.options.openBuffersOrder)
        event.orders = event.kind == Event::Kind::Release || event.mode != BufferMode::NonBlocking;
      else if (event.isBuffer())
        event.orders = !open.contain(event);
}

std::vector<BufferFault> bufferFaultsOf(const Program &program, const SyncLayout &layout) {
  return FaultFinder(program, layout).run();
}

BracketContents contentsOfBrackets(const Program &program) {
  BracketContents contents;
  HoldWalk(program, {}).run([&](EventKey, const Event *event, const Holders &holders) {
    if (!event || event->kind != Event::Kind::Access)
      return;
    for (const auto &[id, held] : holders) {
      if (!held.count(kFree))
        contents.ids[event->statement].insert(id);
      for (EventKey holder : held)
        if (holder != kFree)
          contents.pipes[holder].insert(program.nodes[event->node].pipe);
    }
  });
  return contents;
}

namespace {

/// Why a bracket may not be edited.
std::string troubleOf(const Program &program, const Event &event) {
  if (event.ids.size() != 1)
    return "its buffer id is not one known number on every path";
  if (event.mode != BufferMode::Blocking)
    return "its mode is not 0";
  for (const BufferFault &fault : program.bufferFaults)
    if (fault.id == event.ids[0])
      return "the brackets of its buffer id are not taken and released in turn on every path; run `ptosync audit`";
  if (!namesOwnIds(program, event))
    return "the machine has no such buffer id, so that it may be any";
  return "another bracket of its buffer id has a mode that is not 0, or an id that is not known";
}

} // namespace

std::optional<OpenBracket> firstOpenBracket(const Program &program) {
  const OpenIds open(program, {});
  std::optional<OpenBracket> first;
  for (StepId step : program.order)
    for (const Event &event : program.steps[step])
      if (event.isBuffer() && open.contain(event) && (!first || event.statement->line < first->statement->line))
        first = OpenBracket{event.statement, "what the bracket on line " + std::to_string(event.statement->line) +
                                                 " orders is open (" + troubleOf(program, event) + ")"};
  return first;
}

std::vector<Web> findBrackets(const Program &program, const SyncLayout &layout) {
  llvm::EquivalenceClasses<SiteId> classes;
  std::map<SiteId, const Event *> uses;
  std::map<SiteId, const Event *> troubles;
  auto note = [&](const Event &event) {
    if (event.site == kNone)
      return;
    classes.insert(event.site);
    uses[event.site] = &event;
    if (!event.orders)
      troubles[event.site] = &event;
  };
  HoldWalk(program, layout).run([&](EventKey, const Event *event, const Holders &holders) {
    if (!event || !event->isBuffer() || event->site == kNone)
      return;
    note(*event);
    if (event->kind == Event::Kind::Release)
      for (EventKey holder : holdersOf(holders, event->ids[0]))
        if (holder != kFree && program.steps[holder.first][holder.second].site != kNone)
          classes.unionSets(event->site, program.steps[holder.first][holder.second].site);
  });
  for (StepId step : program.order)
    for (const Event &event : program.steps[step])
      if (event.isBuffer() && event.ids.size() != 1)
        note(event);
  std::vector<Web> brackets;
  for (auto leader = classes.begin(); leader != classes.end(); ++leader) {
    if (!leader->isLeader())
      continue;
    Web web;
    web.bracket = true;
    for (auto member = classes.member_begin(leader); member != classes.member_end(); ++member) {
      const Event &event = *uses.at(*member);
      web.source = web.destination = event.source;
      web.ids.insert(event.ids.begin(), event.ids.end());
      (event.kind == Event::Kind::Get ? web.waits : web.sets).push_back(*member);
      if (auto trouble = troubles.find(*member); trouble != troubles.end() && web.balanced) {
        web.balanced = false;
        web.trouble = troubleOf(program, *trouble->second);
      }
    }
    llvm::sort(web.sets);
    llvm::sort(web.waits);
    brackets.push_back(std::move(web));
  }
  return brackets;
}

} // namespace ptosync
