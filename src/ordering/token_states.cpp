#include "ordering/token_states.h"

#include "base/walk.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ptosync {
namespace {

Token joined(Token a, Token b) {
  if (a == b)
    return a;
  return a == Token::Overrun || b == Token::Overrun ? Token::Overrun : Token::Maybe;
}

/// After an event of the kernel that names the flag, alone or among other lanes.
Token after(const Event &event, Token token) {
  if (token == Token::Overrun || event.lanes.size() != 1)
    return joined(token, Token::Maybe);
  if (event.kind == Event::Kind::Set)
    return token == Token::Empty ? Token::Full : Token::Overrun;
  return Token::Empty;
}

/// After a library call that uses the flag inside: it may have consumed the kernel's own setting.
Token afterCall(Token token) { return token == Token::Empty ? token : joined(token, Token::Maybe); }

} // namespace

TokenStates::TokenStates(const Program &program, const SyncLayout &layout)
    : program(&program), entries(program.steps.size() * program.flags.size(), Token::Empty),
      reachedSteps(program.steps.size(), false) {
  if (program.order.empty() || program.flags.empty())
    return;
  indexFlags();
  solve(layout);
  for (StepId step : program.order)
    if (reached(step))
      findFaults(layout, step);
}

TokenStates::TokenStates(const TokenStates &before, const SyncLayout &layout, const std::set<std::uint32_t> &flags)
    : program(before.program), flagIndex(before.flagIndex), entries(before.entries), reachedSteps(before.reachedSteps) {
  for (const TokenEvent &fault : before.faultList)
    if (!flags.count(fault.flag))
      faultList.push_back(fault);
  for (std::uint32_t flag : flags) {
    FlagEvents events = eventsOf(layout, flag);
    solveFlag(events, flag);
    findFlagFaults(events, flag);
  }
}

void TokenStates::indexFlags() {
  std::vector<std::vector<EventKey>> index(program->flags.size());
  for (StepId step : program->order)
    for (std::uint32_t i = 0; i < program->steps[step].size(); ++i) {
      const Event &event = program->steps[step][i];
      for (std::uint32_t lane : event.lanes)
        index[lane].push_back({step, i});
      if (event.kind == Event::Kind::Access)
        for (std::uint32_t lane : program->nodes[event.node].inside)
          index[lane].push_back({step, i});
    }
  flagIndex = std::make_shared<const std::vector<std::vector<EventKey>>>(std::move(index));
}

TokenStates::FlagEvents TokenStates::eventsOf(const SyncLayout &layout, std::uint32_t flag) const {
  // At one place what was put there comes first, in the order in which it came.
  std::vector<std::tuple<StepId, std::uint32_t, std::size_t, EventKey>> ordered;
  for (EventKey key : (*flagIndex)[flag]) {
    if (layout.removed(program->steps[key.first][key.second].site))
      continue;
    for (EventKey place : layout.placesOf(key)) {
      const std::vector<EventKey> &there = layout.insertedAt(place);
      std::size_t rank = there.size();
      if (layout.moved(key))
        rank = static_cast<std::size_t>(std::find(there.begin(), there.end(), key) - there.begin());
      ordered.emplace_back(place.first, place.second, rank, key);
    }
  }
  std::sort(ordered.begin(), ordered.end());
  ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
  FlagEvents events;
  for (const auto &[step, position, rank, key] : ordered)
    events[step].push_back(key);
  return events;
}

void TokenStates::applyToFlag(const Event &event, Token &token) {
  token = event.kind == Event::Kind::Access ? afterCall(token) : after(event, token);
}

void TokenStates::solveFlag(const FlagEvents &events, std::uint32_t flag) {
  const std::vector<StepId> &order = program->order;
  std::vector<bool> known(program->steps.size(), false);
  at(order.front(), flag) = Token::Empty;
  known[order.front()] = true;
  for (bool again = true; again;) {
    again = false;
    for (StepId step : order) {
      if (!known[step])
        continue;
      Token token = at(step, flag);
      if (auto here = events.find(step); here != events.end())
        for (EventKey key : here->second)
          applyToFlag(program->steps[key.first][key.second], token);
      for (const Edge &edge : program->edges[step]) {
        Token &target = at(edge.to, flag);
        bool fresh = !known[edge.to];
        Token met = fresh ? token : joined(target, token);
        if (!fresh && target == met)
          continue;
        target = met;
        known[edge.to] = again = true;
      }
    }
  }
}

void TokenStates::findFlagFaults(const FlagEvents &events, std::uint32_t flag) {
  for (StepId step : program->order) {
    if (!reached(step))
      continue;
    Token token = at(step, flag);
    if (auto here = events.find(step); here != events.end())
      for (EventKey key : here->second) {
        const Event &event = program->steps[key.first][key.second];
        bool inside = event.kind == Event::Kind::Access;
        Token expected = inside || event.kind == Event::Kind::Set ? Token::Empty : Token::Full;
        if ((inside || event.lanes.size() == 1) && token != expected)
          faultList.push_back({key.first, key.second, flag, token});
        applyToFlag(event, token);
      }
    if (program->kernel->blocks[program->blockOf[step]].terminator.kind == Terminator::Kind::Return &&
        token != Token::Empty)
      faultList.push_back({step, kNone, flag, token});
  }
}

void TokenStates::apply(const Program &program, const Event &event, Tokens &tokens) {
  switch (event.kind) {
  case Event::Kind::Barrier:
  case Event::Kind::Inside: return;
  case Event::Kind::Access:
    for (std::uint32_t lane : program.nodes[event.node].inside)
      tokens[lane] = afterCall(tokens[lane]);
    return;
  case Event::Kind::Set:
  case Event::Kind::Wait:
    for (std::uint32_t lane : event.lanes)
      tokens[lane] = after(event, tokens[lane]);
    return;
  }
}

bool TokenStates::join(StepId target, const Tokens &source) {
  bool fresh = !reachedSteps[target], changed = fresh;
  reachedSteps[target] = true;
  for (std::uint32_t flag = 0; flag < source.size(); ++flag) {
    Token met = fresh ? source[flag] : joined(at(target, flag), source[flag]);
    changed |= std::exchange(at(target, flag), met) != met;
  }
  return changed;
}

void TokenStates::solve(const SyncLayout &layout) {
  reachedSteps[program->order.front()] = true;
  Worklist work(program->order);
  work.add(program->order.front());
  while (std::optional<StepId> step = work.next()) {
    Tokens tokens = entry(*step);
    layout.forEach(*program, *step, [&](EventKey, const Event &event) {
      apply(*program, event, tokens);
      return true;
    });
    for (const Edge &edge : program->edges[*step])
      if (join(edge.to, tokens))
        work.add(edge.to);
  }
}

void TokenStates::findFaults(const SyncLayout &layout, StepId step) {
  Tokens tokens = entry(step);
  layout.forEach(*program, step, [&](EventKey key, const Event &event) {
    if (event.kind == Event::Kind::Access)
      for (std::uint32_t lane : program->nodes[event.node].inside)
        if (tokens[lane] != Token::Empty)
          faultList.push_back({step, key.second, lane, tokens[lane]});
    Token expected = event.kind == Event::Kind::Set ? Token::Empty : Token::Full;
    if (event.lanes.size() == 1 && tokens[event.lanes[0]] != expected)
      faultList.push_back({key.first, key.second, event.lanes[0], tokens[event.lanes[0]]});
    apply(*program, event, tokens);
    return true;
  });
  if (program->kernel->blocks[program->blockOf[step]].terminator.kind != Terminator::Kind::Return)
    return;
  for (std::uint32_t flag = 0; flag < tokens.size(); ++flag)
    if (tokens[flag] != Token::Empty)
      faultList.push_back({step, kNone, flag, tokens[flag]});
}

} // namespace ptosync
