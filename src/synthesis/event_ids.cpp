#include "synthesis/event_ids.h"

#include <algorithm>

namespace ptosync::synthesis {
namespace {

class Interference {
public:
  Interference(const Program &program, const Pending &pending) : program(program), pending(pending) {
    for (StepId step : program.order) {
      if (!pending.reached(step))
        continue;
      Tokens tokens = pending.tokens().entry(step);
      pending.layout().forEach(program, step, [&](EventKey key, const Event &event) {
        if (event.kind == Event::Kind::Set && event.site != kNone)
          see(key, event, tokens);
        for (std::uint32_t lane : event.lanes)
          if (event.site != kNone)
            used[lane].insert(event.site);
        TokenStates::apply(program, event, tokens);
        return true;
      });
    }
  }

  /// True if a set of one of the two flags may meet the other one.
  bool between(std::uint32_t a, std::uint32_t b) const { return meets.count({a, b}) || meets.count({b, a}); }
  const std::map<std::uint32_t, std::set<SiteId>> &uses() const { return used; }

private:
  void see(EventKey key, const Event &event, const Tokens &tokens) {
    const BitSet *row = pending.rowBefore(key.first, key.second, index(event.source));
    for (std::uint32_t lane : event.lanes)
      for (std::uint32_t other = 0; other < program.flags.size(); ++other) {
        const Flag &flag = program.flags[other];
        if (other == lane || flag.source != event.source || flag.destination != event.destination)
          continue;
        bool running = !row || !row->forEachShared(pending.hazards().waits(other), [&](std::uint32_t bit) {
          const auto *sync = std::get_if<Sync>(&program.nodes[program.nodeOfBit[bit]].statement->action);
          return sync && pending.layout().removed(sync->site);
        });
        if (running || tokens[other] != Token::Empty)
          meets.insert({lane, other});
      }
  }

  const Program &program;
  const Pending &pending;
  std::set<std::pair<std::uint32_t, std::uint32_t>> meets;
  std::map<std::uint32_t, std::set<SiteId>> used; // by flag: sites that are left
};

std::set<std::uint32_t> hiddenFlags(const Program &program) {
  std::set<std::uint32_t> hidden;
  for (const Node &node : program.nodes)
    hidden.insert(node.inside.begin(), node.inside.end());
  return hidden;
}

/// By proposal: its flags, by their ids.
std::vector<std::vector<std::uint32_t>> flagsOf(const std::vector<std::set<SiteId>> &proposed,
                                                const Interference &interference, const Program &program) {
  std::map<SiteId, std::set<std::uint32_t>> used;
  for (const auto &[flag, sites] : interference.uses())
    for (SiteId site : sites)
      used[site].insert(flag);
  std::vector<std::vector<std::uint32_t>> flags;
  for (const std::set<SiteId> &sites : proposed) {
    std::set<std::uint32_t> own;
    for (SiteId site : sites)
      own.insert(used[site].begin(), used[site].end());
    flags.emplace_back(own.begin(), own.end());
    std::sort(flags.back().begin(), flags.back().end(),
              [&](std::uint32_t a, std::uint32_t b) { return program.flags[a].id < program.flags[b].id; });
  }
  return flags;
}

class IdChooser {
public:
  /// `flags`: those that have no id yet.
  IdChooser(const Program &program, const Interference &interference, unsigned ids,
            const std::set<std::int64_t> &reserved, const std::vector<std::vector<std::uint32_t>> &flags)
      : program(program), interference(interference), hidden(hiddenFlags(program)), ids(ids), reserved(reserved) {
    for (const auto &[flag, sites] : interference.uses())
      given[flag] = program.flags[flag].id;
    for (const std::vector<std::uint32_t> &own : flags)
      for (std::uint32_t flag : own)
        given.erase(flag);
  }

  /// The first id of a flag, or of several that follow one another as the ids do that they have now; best such that
  /// nobody else has. Empty: there is none.
  std::optional<std::int64_t> choose(const std::vector<std::uint32_t> &own) {
    std::set<std::int64_t> taken;
    for (const auto &[flag, id] : given)
      if (samePipes(flag, own.front()))
        taken.insert(id);
    std::vector<std::set<std::int64_t>> blocked;
    blocked.reserve(own.size());
    for (std::uint32_t flag : own)
      blocked.push_back(blockedFor(flag));
    auto idFrom = [&](std::int64_t base, std::size_t i) {
      return base + program.flags[own[i]].id - program.flags[own.front()].id;
    };
    for (bool alone : {true, false})
      for (std::int64_t base = 0; base < static_cast<std::int64_t>(ids); ++base) {
        bool fits = true;
        for (std::size_t i = 0; fits && i < own.size(); ++i) {
          std::int64_t id = idFrom(base, i);
          fits = id < static_cast<std::int64_t>(ids) && !blocked[i].count(id) && !(alone && taken.count(id));
        }
        if (!fits)
          continue;
        for (std::size_t i = 0; i < own.size(); ++i)
          given[own[i]] = idFrom(base, i);
        return base;
      }
    return std::nullopt;
  }

private:
  bool samePipes(std::uint32_t a, std::uint32_t b) const {
    return program.flags[a].source == program.flags[b].source &&
           program.flags[a].destination == program.flags[b].destination;
  }

  std::set<std::int64_t> blockedFor(std::uint32_t flag) const {
    std::set<std::int64_t> blocked = reserved;
    for (std::uint32_t other : hidden)
      if (samePipes(other, flag))
        blocked.insert(program.flags[other].id);
    for (const auto &[other, id] : given)
      if (samePipes(other, flag) && interference.between(flag, other))
        blocked.insert(id);
    return blocked;
  }

  const Program &program;
  const Interference &interference;
  std::set<std::uint32_t> hidden;
  unsigned ids;
  const std::set<std::int64_t> &reserved;
  std::map<std::uint32_t, std::int64_t> given; // flags with an id that stays
};

} // namespace

IdAssignment assignIds(const Program &program, const Pending &pending, const std::vector<std::set<SiteId>> &proposed,
                       unsigned ids, const std::set<std::int64_t> &reserved) {
  Interference interference(program, pending);
  std::vector<std::vector<std::uint32_t>> flags = flagsOf(proposed, interference, program);
  IdChooser chooser(program, interference, ids, reserved, flags);
  IdAssignment result;
  for (const std::vector<std::uint32_t> &own : flags) {
    if (own.empty()) // nothing runs it
      result.ids.push_back(0);
    else if (std::optional<std::int64_t> id = chooser.choose(own))
      result.ids.push_back(*id);
    else {
      result.ids.push_back(-1);
      result.shortage.insert({program.flags[own.front()].source, program.flags[own.front()].destination});
    }
  }
  return result;
}

} // namespace ptosync::synthesis
