#include "replay/tokens.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

class Collector {
public:
  Collector(const Trace &trace, bool whole) : trace(trace), whole(whole) {}

  void collect(const Flag &flag, const FlagHistory &history) {
    const std::vector<FlagUse> &sets = history.sets, &waits = history.waits;
    for (std::size_t n = 0; n < std::max(sets.size(), waits.size()); ++n) {
      const FlagUse *set = n < sets.size() ? &sets[n] : nullptr;
      const FlagUse *wait = n < waits.size() ? &waits[n] : nullptr;
      if (set && n > 0)
        recycle(flag, n, sets[n - 1], n - 1 < waits.size() ? &waits[n - 1] : nullptr, *set);
      if (set && wait && set->inside != wait->inside)
        add(TokenFaultKind::Collision, flag, n, set, wait);
      if (set && wait && wait->event < set->event && !set->inside)
        add(TokenFaultKind::EarlyWait, flag, n, wait, set, set, wait);
      if (whole && !set && wait)
        add(TokenFaultKind::Unfed, flag, n, wait, nullptr, nullptr, wait);
      if (whole && set && !wait)
        add(TokenFaultKind::LeftSet, flag, n, set, nullptr, set, nullptr);
    }
  }
  std::vector<TokenFault> found;

private:
  /// The flag's previous use must be over before it is set again; the library sees to its own calls.
  void recycle(const Flag &flag, std::size_t n, const FlagUse &previous, const FlagUse *wait, const FlagUse &set) {
    if (!set.done || (previous.inside && set.inside))
      return;
    if (!wait)
      return whole ? add(TokenFaultKind::SetTwice, flag, n, &previous, &set, &set, nullptr) : void();
    bool ordered = flag.source == flag.destination ? wait->event < set.event : set.knownOfOther > wait->position;
    if (!ordered)
      add(TokenFaultKind::SetTooSoon, flag, n, wait, &set, &set, wait);
  }

  void add(TokenFaultKind kind, const Flag &flag, std::size_t n, const FlagUse *first, const FlagUse *second) {
    add(kind, flag, n, first, second, first, second);
  }
  void add(TokenFaultKind kind, const Flag &flag, std::size_t n, const FlagUse *first, const FlagUse *second,
           const FlagUse *set, const FlagUse *wait) {
    TokenFault fault;
    fault.kind = kind;
    fault.flag = flag;
    fault.generation = n;
    fault.setAt = set ? trace.events[set->event].instance : kNone;
    fault.waitAt = wait ? trace.events[wait->event].instance : kNone;
    fault.first = first ? first->statement : nullptr;
    fault.second = second ? second->statement : nullptr;
    found.push_back(fault);
  }

  const Trace &trace;
  bool whole;
};

bool equallyOften(const Schedule &a, const Schedule &b, const Flag &flag) {
  auto inA = a.flags.find(flag), inB = b.flags.find(flag);
  return inA != a.flags.end() && inB != b.flags.end() && inA->second.sets.size() == inB->second.sets.size() &&
         inA->second.waits.size() == inB->second.waits.size();
}

std::string lineOf(const Statement *statement) {
  return statement ? "line " + std::to_string(statement->line) : "an unknown line";
}

} // namespace

const char *tokenFaultName(TokenFaultKind kind) {
  switch (kind) {
  case TokenFaultKind::SetTwice: return "set-twice";
  case TokenFaultKind::SetTooSoon: return "set-too-soon";
  case TokenFaultKind::Unfed: return "unfed-wait";
  case TokenFaultKind::LeftSet: return "left-set";
  case TokenFaultKind::EarlyWait: return "early-wait";
  case TokenFaultKind::Collision: return "collision";
  }
  return "?";
}

std::vector<TokenFault> tokenFaults(const Trace &trace, const Schedule &schedule, bool whole) {
  Collector collector(trace, whole);
  for (const auto &[flag, history] : schedule.flags)
    collector.collect(flag, history);
  return std::move(collector.found);
}

std::vector<TokenFault> newTokenFaults(const Schedule &beforeSchedule, const std::vector<TokenFault> &before,
                                       const Schedule &afterSchedule, const std::vector<TokenFault> &after) {
  std::set<std::tuple<TokenFaultKind, Flag, std::uint32_t, std::uint32_t>> places;
  std::set<std::tuple<TokenFaultKind, Flag, std::size_t>> uses;
  for (const TokenFault &fault : before) {
    places.emplace(fault.kind, fault.flag, fault.setAt, fault.waitAt);
    uses.emplace(fault.kind, fault.flag, fault.generation);
  }
  std::vector<TokenFault> added;
  for (const TokenFault &fault : after) {
    bool known = places.count({fault.kind, fault.flag, fault.setAt, fault.waitAt}) ||
                 (equallyOften(beforeSchedule, afterSchedule, fault.flag) &&
                  uses.count({fault.kind, fault.flag, fault.generation}));
    if (!known)
      added.push_back(fault);
  }
  return added;
}

std::string describe(const TokenFault &fault) {
  std::string name = flagName(fault.flag), first = lineOf(fault.first), second = lineOf(fault.second);
  switch (fault.kind) {
  case TokenFaultKind::SetTwice:
    return "flag " + name + " is set at " + first + " and again at " + second + " without a wait in between";
  case TokenFaultKind::SetTooSoon:
    return "flag " + name + " may be set at " + second + " before the wait at " + first +
           " has taken its previous setting";
  case TokenFaultKind::Unfed:
    return "the wait at " + first + " on flag " + name + " has no set; the kernel hangs";
  case TokenFaultKind::LeftSet:
    return "flag " + name + ", set at " + first + ", is still set when the kernel ends";
  case TokenFaultKind::EarlyWait:
    return "the wait at " + first + " on flag " + name + " is issued before its set at " + second +
           "; it hangs if the queues are not deep enough";
  case TokenFaultKind::Collision:
    return "flag " + name + ": the set at " + first + " is taken by the wait at " + second +
           ", one of them inside a library call";
  }
  return name;
}

} // namespace ptosync::replay
