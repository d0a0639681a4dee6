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

} // namespace

IdAssignment assignIds(const Program &program, const Pending &pending, const std::vector<std::set<SiteId>> &proposed,
                       unsigned ids, const std::set<std::int64_t> &reserved) {
  Interference interference(program, pending);
  std::set<std::uint32_t> hidden = hiddenFlags(program);
  std::map<std::uint32_t, std::int64_t> given; // flags with an id that stays
  std::map<SiteId, std::set<std::uint32_t>> flagsOf;
  for (const auto &[flag, sites] : interference.uses()) {
    given[flag] = program.flags[flag].id;
    for (SiteId site : sites)
      flagsOf[site].insert(flag);
  }
  std::vector<std::vector<std::uint32_t>> proposedFlags; // by proposal, by their ids
  for (const std::set<SiteId> &sites : proposed) {
    std::set<std::uint32_t> own;
    for (SiteId site : sites)
      own.insert(flagsOf[site].begin(), flagsOf[site].end());
    proposedFlags.emplace_back(own.begin(), own.end());
    std::sort(proposedFlags.back().begin(), proposedFlags.back().end(),
              [&](std::uint32_t a, std::uint32_t b) { return program.flags[a].id < program.flags[b].id; });
    for (std::uint32_t flag : own)
      given.erase(flag);
  }
  IdAssignment result;
  for (const std::vector<std::uint32_t> &own : proposedFlags) {
    if (own.empty()) { // nothing runs it
      result.ids.push_back(0);
      continue;
    }
    const Flag &first = program.flags[own.front()];
    auto samePipes = [&](std::uint32_t other) {
      return program.flags[other].source == first.source && program.flags[other].destination == first.destination;
    };
    std::set<std::int64_t> taken = reserved;
    std::vector<std::set<std::int64_t>> blocked(own.size(), reserved); // by flag
    for (std::uint32_t other : hidden)
      if (samePipes(other))
        for (std::set<std::int64_t> &of : blocked)
          of.insert(program.flags[other].id);
    for (const auto &[other, id] : given)
      if (samePipes(other)) {
        taken.insert(id);
        for (std::size_t i = 0; i < own.size(); ++i)
          if (interference.between(own[i], other))
            blocked[i].insert(id);
      }
    auto fits = [&](std::int64_t base, bool alone) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        std::int64_t id = base + program.flags[own[i]].id - first.id;
        if (id >= static_cast<std::int64_t>(ids) || blocked[i].count(id) || (alone && taken.count(id)))
          return false;
      }
      return true;
    };
    std::optional<std::int64_t> chosen;
    for (bool alone : {true, false})
      for (std::int64_t base = 0; base < static_cast<std::int64_t>(ids) && !chosen; ++base)
        if (fits(base, alone))
          chosen = base;
    if (!chosen) {
      result.shortage.insert({first.source, first.destination});
      continue;
    }
    for (std::uint32_t flag : own)
      given[flag] = *chosen + program.flags[flag].id - first.id;
    result.ids.push_back(*chosen);
  }
  return result;
}

} // namespace ptosync::synthesis
