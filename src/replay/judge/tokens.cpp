#include "replay/judge/tokens.h"

#include <algorithm>

namespace ptosync::replay {

namespace {

/// Returns true if the wait has let go, for certain, when the set fires.
bool taken(const Flag &flag, const FlagUse &wait, const FlagUse &set) {
  return flag.source == flag.destination ? wait.event < set.event : set.knownOfOther > wait.position;
}

class FaultCollector {
public:
  explicit FaultCollector(bool whole) : whole(whole) {}

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
    if (!taken(flag, *wait, set))
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
    fault.setAt = set ? set->at : kNone;
    fault.waitAt = wait ? wait->at : kNone;
    fault.first = first ? first->statement : nullptr;
    fault.second = second ? second->statement : nullptr;
    found.push_back(fault);
  }

  bool whole;
};

/// Which use of a flag in the first run a use in the second one is: the pairing, in order, that moves the sets and
/// waits least among the instructions; where there are very many, the one that moves each of them least, one after the
/// other. Empty for each if the second run has more uses.
class Pairing {
public:
  Pairing(const FlagHistory &before, const FlagHistory &after) {
    std::size_t rows = after.sets.size(), columns = before.sets.size();
    if (rows > columns)
      return;
    if ((columns - rows + 1) * rows > kMostCells) {
      pairOneByOne(before, after, columns - rows);
      return;
    }
    // cost[i][d]: of pairing the first i uses, the last one with use i - 1 + d of the first run or an earlier one.
    std::size_t width = columns - rows + 1;
    std::vector<std::vector<std::uint64_t>> cost(rows + 1, std::vector<std::uint64_t>(width, 0));
    std::vector<std::vector<bool>> skipped(rows + 1, std::vector<bool>(width, false));
    for (std::size_t i = 1; i <= rows; ++i)
      for (std::size_t d = 0; d < width; ++d) {
        cost[i][d] = cost[i - 1][d] + distance(before, i - 1 + d, after, i - 1);
        skipped[i][d] = d > 0 && cost[i][d - 1] <= cost[i][d];
        if (skipped[i][d])
          cost[i][d] = cost[i][d - 1];
      }
    partner.resize(rows);
    std::size_t d = width - 1;
    for (std::size_t i = rows; i > 0; --i) {
      while (skipped[i][d])
        --d;
      partner[i - 1] = i - 1 + d;
    }
  }

  std::optional<std::size_t> of(std::size_t use) const {
    return use < partner.size() ? std::optional(partner[use]) : std::nullopt;
  }

private:
  static constexpr std::size_t kMostCells = 1 << 22;

  /// `spare`: so many uses of the first run are without a partner in the end.
  void pairOneByOne(const FlagHistory &before, const FlagHistory &after, std::size_t spare) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < after.sets.size(); ++i) {
      std::size_t best = next;
      std::uint64_t least = distance(before, best, after, i);
      for (std::size_t j = next + 1; j <= i + spare; ++j) {
        const std::uint64_t moved = distance(before, j, after, i);
        if (moved < least)
          best = j;
        else if (moved > least)
          break; // from here on they are farther away
        least = std::min(least, moved);
      }
      partner.push_back(best);
      next = best + 1;
    }
  }

  static std::uint64_t distance(const FlagHistory &before, std::size_t a, const FlagHistory &after, std::size_t b) {
    auto apart = [](const std::vector<FlagUse> &first, std::size_t i, const std::vector<FlagUse> &second,
                    std::size_t k) {
      if (i >= first.size() || k >= second.size())
        return std::uint64_t{i < first.size() || k < second.size()};
      return static_cast<std::uint64_t>(std::abs(std::int64_t{first[i].at} - std::int64_t{second[k].at}));
    };
    return apart(before.sets, a, after.sets, b) + apart(before.waits, a, after.waits, b);
  }

  std::vector<std::size_t> partner;
};

/// A set too soon in the second run: was the first run any better?
bool wasTooSoon(const Flag &flag, const FlagHistory &history, const Pairing &pairing, std::size_t generation) {
  std::optional<std::size_t> wait = pairing.of(generation - 1), set = pairing.of(generation);
  return wait && set && *wait < history.waits.size() && !taken(flag, history.waits[*wait], history.sets[*set]);
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

std::vector<TokenFault> tokenFaults(const Schedule &schedule, bool whole) {
  FaultCollector collector(whole);
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
  std::map<Flag, Pairing> pairings;
  std::vector<TokenFault> added;
  for (const TokenFault &fault : after) {
    auto first = beforeSchedule.flags.find(fault.flag);
    bool known = places.count({fault.kind, fault.flag, fault.setAt, fault.waitAt});
    if (!known && first != beforeSchedule.flags.end()) {
      const Pairing &pairing =
          pairings.try_emplace(fault.flag, first->second, afterSchedule.flags.at(fault.flag)).first->second;
      std::optional<std::size_t> partner = pairing.of(fault.generation);
      known = (partner && uses.count({fault.kind, fault.flag, *partner})) ||
              (fault.kind == TokenFaultKind::SetTooSoon &&
               wasTooSoon(fault.flag, first->second, pairing, fault.generation));
    }
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
  case TokenFaultKind::Unfed: return "the wait at " + first + " on flag " + name + " has no set; the kernel hangs";
  case TokenFaultKind::LeftSet: return "flag " + name + ", set at " + first + ", is still set when the kernel ends";
  case TokenFaultKind::EarlyWait:
    return "the wait at " + first + " on flag " + name + " is issued before its set at " + second +
           "; it hangs if the queues are not deep enough";
  case TokenFaultKind::Collision:
    return "flag " + name + ": the set at " + first + " is taken by the wait at " + second +
           ", one of them inside a library call";
  }
  return name;
}

namespace {

std::string placeOf(const Event &event) {
  return event.statement ? "line " + std::to_string(event.statement->line) : "an unknown line";
}

const Stuck *stuckPipe(const Schedule &schedule, Pipe pipe) {
  auto found = std::find_if(schedule.stuck.begin(), schedule.stuck.end(),
                            [&](const Stuck &stuck) { return stuck.pipe == pipe; });
  return found == schedule.stuck.end() ? nullptr : &*found;
}

/// The set that would let the wait go, if the pipe it is on got there.
const FlagUse *awaitedSet(const Schedule &schedule, const Event &wait, std::uint32_t event) {
  auto history = schedule.flags.find(Flag{wait.source, wait.destination, wait.id});
  if (history == schedule.flags.end())
    return nullptr;
  std::size_t number = 0;
  for (const FlagUse &use : history->second.waits) {
    if (use.event == event)
      break;
    number += !use.inside;
  }
  for (const FlagUse &set : history->second.sets)
    if (!set.inside && number-- == 0)
      return &set;
  return nullptr;
}

} // namespace

Deadlock explainDeadlock(const Trace &trace, const Schedule &schedule) {
  Deadlock found;
  if (schedule.stuck.empty())
    return found;
  std::set<Pipe> seen;
  const Stuck *stuck = &schedule.stuck.front();
  for (const Stuck &candidate : schedule.stuck) // begin at a wait: a PIPE_ALL only waits for the others
    if (trace.events[candidate.event].kind == Event::Kind::WaitFlag) {
      stuck = &candidate;
      break;
    }
  auto name = [&](const Event &event) {
    if (const auto *sync = event.statement ? std::get_if<Sync>(&event.statement->action) : nullptr)
      found.syncs.insert(sync->site);
    return placeOf(event);
  };
  for (std::string &text = found.text; stuck;) {
    const Event &event = trace.events[stuck->event];
    std::string pipe(pipeName(stuck->pipe));
    if (!seen.insert(stuck->pipe).second) {
      text += ", which waits for " + pipe + " again";
      break;
    }
    text += (text.empty() ? "" : "; ") + pipe;
    if (event.kind == Event::Kind::GetBuffer) { // the release is on a pipe that is stuck as well
      text += " waits at " + name(event) + " for a release of buffer id " + std::to_string(event.id);
      for (const Stuck &other : schedule.stuck)
        if (!seen.count(other.pipe)) {
          stuck = &other;
          break;
        }
      continue;
    }
    if (event.kind != Event::Kind::WaitFlag) {
      text += " waits at the PIPE_ALL at " + name(event) + ", which the other pipes never reach";
      break;
    }
    text += " waits at " + name(event) + " for flag " + flagName({event.source, event.destination, event.id});
    const FlagUse *set = awaitedSet(schedule, event, stuck->event);
    if (!set) {
      text += ", which nothing sets";
      break;
    }
    text += ", set at " + name(trace.events[set->event]) + " on " + std::string(pipeName(event.source));
    stuck = stuckPipe(schedule, event.source);
  }
  return found;
}

} // namespace ptosync::replay
