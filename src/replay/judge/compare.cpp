#include "replay/judge/compare.h"

#include "kernel/kernel.h"
#include "replay/judge/brackets.h"
#include "replay/judge/tokens.h"

#include <algorithm>

namespace ptosync::replay {

namespace {

class Comparer {
public:
  Comparer(const Side &before, const Side &after, const ConflictRules &rules, std::size_t most)
      : before(before), after(after), rules(rules), most(most), decided(before.trace.decided),
        seen(before.subject.works.size(), kUnseen) {
    decided.roots.insert(after.trace.decided.roots.begin(), after.trace.decided.roots.end());
    decided.related.insert(after.trace.decided.related.begin(), after.trace.decided.related.end());
  }

  Comparison compare() {
    if (after.trace.ending == Ending::OtherSkips) {
      result.differentSkips = true;
      return std::move(result);
    }
    result.cut = before.trace.ending != Ending::Returned || after.trace.ending != Ending::Returned;
    if (!sameStreams())
      return std::move(result);
    compareOrders(ScalarWaits::HoldScalarPipe, OpenBrackets::OrderNothing);
    if (waitsForScalars(before.trace) || waitsForScalars(after.trace))
      compareOrders(ScalarWaits::HoldDispatch, OpenBrackets::OrderNothing);
    compareBrackets();
    return std::move(result);
  }

private:
  const Work &work(std::uint32_t instance) const { return before.subject.works[before.trace.instances[instance].work]; }

  static bool waitsForScalars(const Trace &trace) {
    return std::any_of(trace.events.begin(), trace.events.end(), [](const Event &event) {
      return (event.kind == Event::Kind::WaitFlag || event.kind == Event::Kind::GetBuffer) &&
             event.destination == Pipe::S;
    });
  }

  bool hasOpenBrackets(const Trace &trace) const {
    const std::int64_t ids = before.subject.machine.bufferIds();
    return std::any_of(trace.events.begin(), trace.events.end(), [ids](const Event &event) {
      return event.kind == Event::Kind::ReleaseBuffer &&
             (std::get<Sync>(event.statement->action).mode != BufferMode::Blocking || event.id < 0 || event.id >= ids);
    });
  }

  /// What a bracket orders in some reading must be ordered afterwards too, and no bracket may come to be amiss.
  void compareBrackets() {
    const std::vector<BracketFault> old = bracketFaults(before.trace, !result.cut),
                                    now = bracketFaults(after.trace, !result.cut);
    if (!old.empty() || !now.empty() || hasOpenBrackets(before.trace) || hasOpenBrackets(after.trace))
      compareOrders(ScalarWaits::HoldScalarPipe, OpenBrackets::Order);
    for (const BracketFault &fault : newBracketFaults(old, now)) {
      if (result.findings.size() >= most || !reported.emplace(fault.holder, fault.statement).second)
        continue;
      Finding finding;
      finding.kind = FindingKind::Token;
      finding.rule = bracketFaultName(fault.kind);
      finding.text = describe(fault);
      finding.syncs.insert(std::get<Sync>(fault.statement->action).site);
      result.findings.push_back(std::move(finding));
    }
  }

  bool sameStreams() {
    std::size_t count = std::min(before.trace.instances.size(), after.trace.instances.size());
    std::set<std::pair<std::uint32_t, std::uint32_t>> equal;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::pair<std::uint32_t, std::uint32_t> pair{before.trace.instances[i].work, after.trace.instances[i].work};
      if (equal.count(pair))
        continue;
      if (!sameWork(before.subject.works[pair.first], after.subject.works[pair.second])) {
        differentAt(i);
        return false;
      }
      equal.insert(pair);
    }
    result.compared = count;
    if (before.trace.instances.size() == after.trace.instances.size() || result.cut)
      return true;
    differentAt(static_cast<std::uint32_t>(count));
    return false;
  }

  void differentAt(std::uint32_t instance) {
    Finding finding;
    finding.kind = FindingKind::Streams;
    auto fill = [&](const Trace &trace, Place &place, std::uint32_t Place::*line) {
      if (instance >= trace.instances.size())
        return;
      place.text = printInstruction(instructionOf(trace, instance));
      place.*line = trace.instances[instance].statement->line;
    };
    fill(before.trace, finding.earlier, &Place::beforeLine);
    fill(after.trace, finding.later, &Place::afterLine);
    if (finding.later.afterLine)
      finding.later.afterBegin = after.trace.instances[instance].statement->range.begin;
    auto name = [](const Place &place, std::uint32_t line) {
      return place.text.empty() ? std::string("the end of the kernel")
                                : place.text + " at line " + std::to_string(line);
    };
    finding.text = "instruction " + std::to_string(instance + 1) + " is " +
                   name(finding.earlier, finding.earlier.beforeLine) + " before and " +
                   name(finding.later, finding.later.afterLine) + " after" +
                   (finding.earlier.text == finding.later.text ? ", with other bytes or values" : "");
    result.findings.push_back(std::move(finding));
  }

  void compareOrders(ScalarWaits scalarWaits, OpenBrackets openBrackets) {
    order = {scalarWaits, rules.scalarInOrder(), openBrackets, before.subject.machine.bufferIds()};
    first = makeSchedule(before.trace, before.subject.works, order);
    second = makeSchedule(after.trace, after.subject.works, order);
    std::fill(seen.begin(), seen.end(), kUnseen);
    for (std::uint32_t i = 0; i < result.compared && result.findings.size() < most; ++i)
      if (first.started[i] && second.started[i])
        compareStarts(i);
    if (!result.cut && first.stuck.empty() && second.stuck.empty())
      compareEnds();
    if (scalarWaits == ScalarWaits::HoldScalarPipe)
      compareFlags();
  }

  void compareStarts(std::uint32_t later) {
    const Work &own = work(later);
    for (std::uint32_t phase = 0; phase < own.phases.size(); ++phase) {
      if (own.phases[phase].barrier)
        continue;
      const Clock &knew = first.starts[later][phase], &knows = second.starts[later][phase];
      for (Pipe pipe : kPipes)
        // Latest first: the nearest pair makes the best witness.
        for (std::uint32_t ordinal = knew[index(pipe)]; ordinal-- > knows[index(pipe)];)
          lost(first.phases[index(pipe)][ordinal], {later, phase}, pipe, ordinal);
    }
    ++stamp;
  }

  /// `earlier` is no longer known to be complete when `later` starts.
  void lost(PhaseRef earlier, PhaseRef later, Pipe pipe, std::uint32_t ordinal) {
    if (earlier.instance == later.instance)
      return;
    std::uint32_t number = before.trace.instances[earlier.instance].work;
    const Work &from = work(earlier.instance), &to = work(later.instance);
    PhaseView a{from, from.phases[earlier.phase]}, b{to, to.phases[later.phase]};
    std::uint64_t mark = stamp * kPhases + later.phase * kPipeCount + index(pipe);
    bool single = from.phases.size() == 1;
    if (single && seen[number] == mark)
      return; // the same bytes were found free of conflict with this one
    std::optional<Conflict> conflict = rules.between(a, b, /*carried=*/true, &decided);
    if (!conflict) {
      if (single)
        seen[number] = mark;
      return;
    }
    if (!loopCarried(before.trace, before.trace.instances[earlier.instance].iteration,
                     before.trace.instances[later.instance].iteration))
      conflict = rules.between(a, b, /*carried=*/false, &decided);
    if (conflict)
      report(*conflict, earlier, later, pipe, ordinal);
  }

  bool isContested() const {
    return order.scalarWaits != ScalarWaits::HoldScalarPipe || order.openBrackets != OpenBrackets::OrderNothing;
  }

  Place placeOf(std::uint32_t instance, Pipe pipe) const {
    Place place = replay::placeOf(before, after, instance);
    place.pipe = pipeName(pipe);
    return place;
  }

  void report(const Conflict &conflict, PhaseRef earlier, PhaseRef later, Pipe pipe, std::uint32_t ordinal) {
    const Statement *a = before.trace.instances[earlier.instance].statement;
    const Statement *b = before.trace.instances[later.instance].statement;
    if (result.findings.size() >= most || !reported.emplace(a, b).second)
      return;
    Finding finding;
    finding.kind = FindingKind::Order;
    finding.rule = conflictName(conflict.kind);
    finding.contested = isContested();
    Pipe to = work(later.instance).phases[later.phase].pipe;
    finding.earlier = placeOf(earlier.instance, pipe);
    finding.later = placeOf(later.instance, to);
    if (conflict.kind != ConflictKind::Fence)
      finding.storage = rules.describe(conflict.bytes);
    std::vector<const Statement *> path = orderedBy(before.trace, before.subject.works, order, later, pipe, ordinal);
    for (auto sync = path.rbegin(); sync != path.rend(); ++sync)
      finding.order.push_back("line " + std::to_string((*sync)->line) + " " +
                              printStatement(before.subject.kernel, **sync));
    finding.text = finding.earlier.text + " on " + finding.earlier.pipe + " may still run when " + finding.later.text +
                   " starts on " + finding.later.pipe;
    result.findings.push_back(std::move(finding));
  }

  void compareEnds() {
    for (Pipe pipe : kPipes) {
      std::size_t p = index(pipe);
      // Where the scalar unit does its work before it hands out what follows, it has also done it before it leaves.
      bool left = pipe == Pipe::S && order.scalarWaits == ScalarWaits::HoldDispatch;
      if (left || second.atEnd[p] >= first.atEnd[p])
        continue;
      std::uint32_t instance = first.phases[p][second.atEnd[p]].instance;
      const Statement *statement = before.trace.instances[instance].statement;
      if (!reported.emplace(statement, nullptr).second)
        continue;
      Finding finding;
      finding.kind = FindingKind::End;
      finding.contested = isContested();
      finding.earlier = placeOf(instance, pipe);
      finding.text = finding.earlier.text + " on " + finding.earlier.pipe + " may still run when the kernel ends";
      result.findings.push_back(std::move(finding));
    }
  }

  void compareFlags() {
    bool whole = !result.cut;
    for (const TokenFault &fault :
         newTokenFaults(first, tokenFaults(first, whole), second, tokenFaults(second, whole))) {
      if (result.findings.size() >= most || !reported.emplace(fault.first, fault.second).second)
        continue;
      Finding finding;
      finding.kind = FindingKind::Token;
      finding.rule = tokenFaultName(fault.kind);
      finding.text = describe(fault);
      for (const Statement *statement : {fault.first, fault.second})
        if (const auto *sync = statement ? std::get_if<Sync>(&statement->action) : nullptr)
          finding.syncs.insert(sync->site);
      result.findings.push_back(std::move(finding));
    }
    if (!whole || second.stuck.empty() || !first.stuck.empty())
      return;
    Finding finding;
    finding.kind = FindingKind::Deadlock;
    Deadlock deadlock = explainDeadlock(after.trace, second);
    finding.text = std::move(deadlock.text);
    finding.syncs = std::move(deadlock.syncs);
    result.findings.push_back(std::move(finding));
  }

  static constexpr std::uint64_t kPhases = 64 * kPipeCount, kUnseen = ~std::uint64_t{0};

  const Side &before, &after;
  const ConflictRules &rules;
  const std::size_t most; // findings
  Decided decided;        // by the control flow of either
  OrderRules order;
  Schedule first, second;
  std::vector<std::uint64_t> seen; // by work: last phase and pipe it was found free of conflict with
  std::uint64_t stamp = 0;
  std::set<std::pair<const Statement *, const Statement *>> reported;
  Comparison result;
};

} // namespace

const char *findingName(FindingKind kind) {
  switch (kind) {
  case FindingKind::Streams: return "streams";
  case FindingKind::Order: return "order";
  case FindingKind::End: return "end";
  case FindingKind::Token: return "token";
  case FindingKind::Deadlock: return "deadlock";
  }
  return "?";
}

Place placeOf(const Side &before, const Side &after, std::uint32_t instance) {
  const Instance &first = before.trace.instances[instance];
  Place place;
  place.text = printInstruction(instructionOf(before.trace, instance));
  place.beforeLine = first.statement->line;
  place.afterLine = after.trace.instances[instance].statement->line;
  place.afterBegin = after.trace.instances[instance].statement->range.begin;
  place.iteration = describeIteration(before.trace, before.subject.nest, first.iteration);
  place.instance = instance;
  return place;
}

Comparison compareRuns(const Side &before, const Side &after, const ConflictRules &rules, std::size_t most) {
  return Comparer(before, after, rules, most).compare();
}

} // namespace ptosync::replay
