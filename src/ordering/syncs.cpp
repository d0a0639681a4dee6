#include "ordering/syncs.h"

#include "base/walk.h"
#include "ordering/buffers.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

namespace ptosync {

void SyncLayout::apply(const SyncEdit &edit) {
  for (SiteId site : edit.removed) {
    if (site >= removedSites.size())
      removedSites.resize(site + 1, false);
    removedSites[site] = true;
  }
  for (const auto &[event, list] : edit.moves)
    put(event, list);
}

/// What stays where it was keeps its rank there.
void SyncLayout::put(EventKey event, const std::vector<SyncPlace> &list) {
  std::vector<EventKey> before, now;
  if (const std::vector<EventKey> *known = placesIn(event))
    before = *known;
  for (const SyncPlace &place : list)
    now.push_back(place.at);
  auto contains = [](const std::vector<EventKey> &keys, EventKey key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (EventKey place : before)
    if (!contains(now, place))
      std::erase(eventsToChangeAt(place), event);
  for (const SyncPlace &place : list) {
    if (contains(before, place.at))
      continue;
    std::vector<EventKey> &there = eventsToChangeAt(place.at);
    there.insert(std::find(there.begin(), there.end(), place.inFrontOf), event);
  }
  recent.places[event] = std::move(now);
}

std::vector<EventKey> &SyncLayout::eventsToChangeAt(EventKey place) {
  return recent.inserted.try_emplace(place, insertedAt(place)).first->second;
}

const std::vector<EventKey> *SyncLayout::placesIn(EventKey event) const {
  if (auto found = recent.places.find(event); found != recent.places.end())
    return &found->second;
  if (!settled)
    return nullptr;
  auto found = settled->places.find(event);
  return found == settled->places.end() ? nullptr : &found->second;
}

std::vector<EventKey> SyncLayout::placesOf(EventKey event) const {
  const std::vector<EventKey> *found = placesIn(event);
  return found ? *found : std::vector<EventKey>{event};
}

const std::vector<EventKey> &SyncLayout::insertedAt(EventKey place) const {
  static const std::vector<EventKey> none;
  if (auto found = recent.inserted.find(place); found != recent.inserted.end())
    return found->second;
  if (!settled)
    return none;
  auto found = settled->inserted.find(place);
  return found == settled->inserted.end() ? none : found->second;
}

void SyncLayout::settle() {
  if (recent.places.empty() && recent.inserted.empty())
    return;
  if (!settled || settled.use_count() > 1)
    settled = settled ? std::make_shared<Moves>(*settled) : std::make_shared<Moves>();
  for (auto &[event, places] : recent.places)
    settled->places[event] = std::move(places);
  for (auto &[place, events] : recent.inserted)
    settled->inserted[place] = std::move(events);
  recent = Moves();
}

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
    : program(&program), entries(std::make_shared<Tokens>(program.steps.size() * program.flags.size(), Token::Empty)),
      reachedSteps(program.steps.size(), false) {
  if (program.order.empty() || program.flags.empty())
    return;
  findEvents(layout);
  solve(layout);
  for (StepId step : program.order)
    if (reached(step))
      findFaults(layout, step);
}

TokenStates::TokenStates(const TokenStates &before, const SyncLayout &was, const SyncLayout &layout,
                         llvm::ArrayRef<EventKey> events, const std::set<std::uint32_t> &flags)
    : program(before.program), order(before.order), eventsOf(before.eventsOf), entries(before.entries),
      reachedSteps(before.reachedSteps) {
  assert(before.changed.empty() && before.changedEvents.empty() && "tokens that others are made from are settled");
  for (const TokenEvent &fault : before.faultList)
    if (!flags.count(fault.flag))
      faultList.push_back(fault);
  for (std::uint32_t flag : flags) {
    changedEvents[flag] = editedEvents(was, layout, events, flag);
    const bool asBefore = actsAsBefore(flag);
    if (!asBefore)
      solveEdited(flag);
    const bool sound = std::none_of(before.faultList.begin(), before.faultList.end(),
                                    [&](const TokenEvent &fault) { return fault.flag == flag; });
    findFlagFaults(flag, !asBefore || !sound);
  }
}

Token TokenStates::afterAll(llvm::ArrayRef<EventKey> events, Token token) const {
  for (EventKey key : events)
    applyToFlag(program->steps[key.first][key.second], token);
  return token;
}

/// True if each edited step makes the same of every token that it may find on the way to the fixpoint, which are those
/// that join into the one that it finds there: then the way is the same.
bool TokenStates::actsAsBefore(std::uint32_t flag) const {
  for (const auto &[step, events] : changedEvents.at(flag)) {
    const Token found = entry(step)[flag];
    const auto known = (*eventsOf)[flag].find(step);
    const llvm::ArrayRef<EventKey> was =
        known == (*eventsOf)[flag].end() ? llvm::ArrayRef<EventKey>() : llvm::ArrayRef(known->second);
    for (Token token : {Token::Empty, Token::Full, Token::Maybe, Token::Overrun})
      if (joined(token, found) == found && afterAll(was, token) != afterAll(events, token))
        return false;
  }
  return true;
}

void TokenStates::solveEdited(std::uint32_t flag) {
  const Tokens tokens = solveFlag(flag);
  for (StepId step : program->order)
    if (const llvm::ArrayRef<Token> known = entry(step); known[flag] != tokens[step])
      changed.try_emplace(step, known.begin(), known.end()).first->second[flag] = tokens[step];
}

void TokenStates::settle() {
  if (!changed.empty() && entries.use_count() > 1)
    entries = std::make_shared<Tokens>(*entries);
  for (const auto &[step, tokens] : changed)
    std::copy(tokens.begin(), tokens.end(),
              entries->begin() + static_cast<std::ptrdiff_t>(step * program->flags.size()));
  changed.clear();
  if (!changedEvents.empty() && eventsOf.use_count() > 1)
    eventsOf = std::make_shared<std::vector<FlagEvents>>(*eventsOf);
  for (auto &[flag, steps] : changedEvents)
    for (auto &[step, events] : steps)
      (*eventsOf)[flag][step] = std::move(events);
  changedEvents.clear();
}

void TokenStates::findEvents(const SyncLayout &layout) {
  eventsOf = std::make_shared<std::vector<FlagEvents>>(program->flags.size());
  Order known{std::vector<std::size_t>(program->steps.size(), 0), {}};
  for (std::size_t i = 0; i < program->order.size(); ++i) {
    const StepId step = program->order[i];
    known.place[step] = i;
    if (program->kernel->blocks[program->blockOf[step]].terminator.kind == Terminator::Kind::Return)
      known.returns.push_back(step);
  }
  order = std::make_shared<const Order>(std::move(known));
  for (StepId step : program->order)
    layout.forEach(*program, step, [&](EventKey key, const Event &event) {
      auto add = [&](std::uint32_t flag) {
        std::vector<EventKey> &list = (*eventsOf)[flag][step];
        if (list.empty() || list.back() != key)
          list.push_back(key);
      };
      for (std::uint32_t lane : event.lanes)
        add(lane);
      if (event.kind == Event::Kind::Access)
        for (std::uint32_t lane : program->nodes[event.node].inside)
          add(lane);
      return true;
    });
}

/// Where an event stands in a step: of its places, which are copies of which each path runs one, at most one is there.
/// At one place what was put there comes first, in the order in which it came.
static std::pair<std::uint32_t, std::size_t> positionIn(const SyncLayout &layout, StepId step, EventKey key) {
  if (!layout.moved(key))
    return {key.second, SIZE_MAX};
  for (EventKey place : layout.placesOf(key))
    if (place.first == step) {
      const std::vector<EventKey> &there = layout.insertedAt(place);
      return {place.second, static_cast<std::size_t>(std::find(there.begin(), there.end(), key) - there.begin())};
    }
  return {kNone, SIZE_MAX};
}

TokenStates::FlagEvents TokenStates::editedEvents(const SyncLayout &was, const SyncLayout &layout,
                                                  llvm::ArrayRef<EventKey> events, std::uint32_t flag) const {
  FlagEvents edited;
  auto listOf = [&](StepId step) -> std::vector<EventKey> & {
    auto [entry, inserted] = edited.try_emplace(step);
    if (inserted)
      if (auto known = (*eventsOf)[flag].find(step); known != (*eventsOf)[flag].end())
        entry->second = known->second;
    return entry->second;
  };
  auto isOf = [&](EventKey key) { return llvm::is_contained(program->steps[key.first][key.second].lanes, flag); };
  for (EventKey key : events)
    if (isOf(key))
      for (EventKey place : was.placesOf(key))
        std::erase(listOf(place.first), key);
  for (EventKey key : events) {
    if (!isOf(key) || layout.removed(program->steps[key.first][key.second].site))
      continue;
    for (EventKey place : layout.placesOf(key)) {
      std::vector<EventKey> &list = listOf(place.first);
      const auto own = positionIn(layout, place.first, key);
      auto at = std::partition_point(list.begin(), list.end(),
                                     [&](EventKey other) { return positionIn(layout, place.first, other) < own; });
      list.insert(at, key);
    }
  }
  return edited;
}

/// Calls `visit(event key)` for the flag's events of a step, in order.
template <typename Visit> void TokenStates::forEachOf(std::uint32_t flag, StepId step, Visit visit) const {
  auto all = [&](const FlagEvents &events) {
    auto here = events.find(step);
    if (here != events.end())
      for (EventKey key : here->second)
        visit(key);
    return here != events.end();
  };
  if (auto edited = changedEvents.find(flag); edited == changedEvents.end() || !all(edited->second))
    all((*eventsOf)[flag]);
}

void TokenStates::applyToFlag(const Event &event, Token &token) {
  token = event.kind == Event::Kind::Access ? afterCall(token) : after(event, token);
}

/// Returns the flag's token at the entry of each step.
Tokens TokenStates::solveFlag(std::uint32_t flag) const {
  const std::vector<StepId> &steps = program->order;
  Tokens tokens(program->steps.size(), Token::Empty);
  std::vector<bool> known(program->steps.size(), false);
  known[steps.front()] = true;
  for (bool again = true; again;) {
    again = false;
    for (StepId step : steps) {
      if (!known[step])
        continue;
      Token token = tokens[step];
      forEachOf(flag, step, [&](EventKey key) { applyToFlag(program->steps[key.first][key.second], token); });
      for (const Edge &edge : program->edges[step]) {
        Token &target = tokens[edge.to];
        bool fresh = !known[edge.to];
        Token met = fresh ? token : joined(target, token);
        if (!fresh && target == met)
          continue;
        target = met;
        known[edge.to] = again = true;
      }
    }
  }
  return tokens;
}

/// `everywhere`: in all steps; otherwise in the edited ones, where the others are as they were, without a fault.
void TokenStates::findFlagFaults(std::uint32_t flag, bool everywhere) {
  std::set<std::pair<std::size_t, StepId>> steps; // by place in the program's order
  auto add = [&](StepId step) {
    if (reached(step))
      steps.emplace(order->place[step], step);
  };
  for (const auto &[step, events] : changedEvents.at(flag))
    add(step);
  if (everywhere) {
    for (const auto &[step, events] : (*eventsOf)[flag])
      add(step);
    for (StepId step : order->returns)
      add(step);
  }
  for (const auto &[place, step] : steps) {
    Token token = entry(step)[flag];
    forEachOf(flag, step, [&](EventKey key) {
      const Event &event = program->steps[key.first][key.second];
      bool inside = event.kind == Event::Kind::Access;
      Token expected = inside || event.kind == Event::Kind::Set ? Token::Empty : Token::Full;
      if ((inside || event.lanes.size() == 1) && token != expected)
        faultList.push_back({key.first, key.second, flag, token});
      applyToFlag(event, token);
    });
    if (program->kernel->blocks[program->blockOf[step]].terminator.kind == Terminator::Kind::Return &&
        token != Token::Empty)
      faultList.push_back({step, kNone, flag, token});
  }
}

void TokenStates::apply(const Program &program, const Event &event, Tokens &tokens) {
  switch (event.kind) {
  case Event::Kind::Barrier:
  case Event::Kind::Inside:
  case Event::Kind::Get:
  case Event::Kind::Release: return;
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

bool TokenStates::join(Tokens &all, StepId target, const Tokens &source) {
  const bool fresh = !reachedSteps[target];
  bool grown = fresh;
  reachedSteps[target] = true;
  for (std::uint32_t flag = 0; flag < source.size(); ++flag) {
    Token &there = all[target * source.size() + flag];
    const Token met = fresh ? source[flag] : joined(there, source[flag]);
    grown |= std::exchange(there, met) != met;
  }
  return grown;
}

void TokenStates::solve(const SyncLayout &layout) {
  reachedSteps[program->order.front()] = true;
  Worklist work(program->order);
  work.add(program->order.front());
  while (std::optional<StepId> step = work.next()) {
    if (program->options.allowance.spent(WorkUnit::Visit)) // then Pending leaves its own unsolved
      return;
    Tokens tokens(entry(*step));
    layout.forEach(*program, *step, [&](EventKey, const Event &event) {
      apply(*program, event, tokens);
      return true;
    });
    for (const Edge &edge : program->edges[*step])
      if (join(*entries, edge.to, tokens))
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

FlagLiveness::FlagLiveness(const Program &program, const SyncLayout &layout, const TokenStates &states)
    : program(program) {
  for (StepId step : program.order) {
    if (!states.reached(step))
      continue;
    Tokens tokens = states.entry(step);
    layout.forEach(program, step, [&](EventKey key, const Event &event) {
      std::vector<std::uint32_t> &here = live[key];
      for (std::uint32_t flag = 0; flag < tokens.size(); ++flag)
        if (tokens[flag] != Token::Empty)
          here.push_back(flag);
      TokenStates::apply(program, event, tokens);
      return true;
    });
  }
}

const std::vector<std::uint32_t> &FlagLiveness::liveAt(EventKey place) const {
  static const std::vector<std::uint32_t> none;
  auto found = live.find(place);
  return found == live.end() ? none : found->second;
}

std::set<std::int64_t> FlagLiveness::freeIds(EventKey place, Pipe source, Pipe destination) const {
  std::set<std::int64_t> free;
  for (unsigned id = 0; id < program.machine->flagIds(); ++id)
    free.insert(id);
  auto take = [&](std::uint32_t flag) {
    if (program.flags[flag].source == source && program.flags[flag].destination == destination)
      free.erase(program.flags[flag].id);
  };
  for (std::uint32_t flag : liveAt(place))
    take(flag);
  const Event &event = program.steps[place.first][place.second];
  if (event.kind == Event::Kind::Access)
    for (std::uint32_t flag : program.nodes[event.node].inside)
      take(flag);
  return free;
}

std::size_t FlagLiveness::pressure(Pipe source, Pipe destination) const {
  std::size_t most = 0;
  for (const auto &[key, flags] : live)
    most = std::max<std::size_t>(most, std::count_if(flags.begin(), flags.end(), [&](std::uint32_t flag) {
                                   return program.flags[flag].source == source &&
                                          program.flags[flag].destination == destination;
                                 }));
  return most;
}

namespace {

using Reaching = std::vector<std::set<SiteId>>; // by flag: the sets that may have filled it

class WebFinder {
public:
  WebFinder(const Program &program, const SyncLayout &layout, const TokenStates &tokens)
      : program(program), layout(layout), tokens(tokens) {}

  std::vector<Web> run() {
    solve();
    for (const TokenEvent &fault : tokens.faults())
      faulty.insert(fault.flag);
    for (StepId step : program.order)
      if (reached[step])
        collect(step);
    std::vector<Web> webs;
    for (auto leader = classes.begin(); leader != classes.end(); ++leader)
      if (leader->isLeader())
        webs.push_back(webOf(leader));
    for (Web &bracket : findBrackets(program, layout))
      webs.push_back(std::move(bracket));
    std::sort(webs.begin(), webs.end(), [](const Web &a, const Web &b) { return a.firstSite() < b.firstSite(); });
    return webs;
  }

private:
  void apply(const Event &event, Reaching &reaching) const {
    if (event.kind == Event::Kind::Set) {
      for (std::uint32_t lane : event.lanes)
        reaching[lane].insert(event.site);
    } else if (event.kind == Event::Kind::Wait && event.lanes.size() == 1) {
      reaching[event.lanes[0]].clear();
    }
  }

  void solve() {
    entries.assign(program.steps.size(), {});
    reached.assign(program.steps.size(), false);
    if (program.order.empty())
      return;
    entries[program.order.front()].resize(program.flags.size());
    reached[program.order.front()] = true;
    Worklist work(program.order);
    work.add(program.order.front());
    while (std::optional<StepId> step = work.next()) {
      Reaching reaching = entries[*step];
      layout.forEach(program, *step, [&](EventKey, const Event &event) {
        apply(event, reaching);
        return true;
      });
      for (const Edge &edge : program.edges[*step])
        if (join(edge.to, reaching))
          work.add(edge.to);
    }
  }

  bool join(StepId target, const Reaching &reaching) {
    if (!reached[target]) {
      entries[target] = reaching;
      reached[target] = true;
      return true;
    }
    bool changed = false;
    for (std::size_t flag = 0; flag < reaching.size(); ++flag)
      for (SiteId site : reaching[flag])
        changed |= entries[target][flag].insert(site).second;
    return changed;
  }

  void collect(StepId step) {
    Reaching reaching = entries[step];
    layout.forEach(program, step, [&](EventKey, const Event &event) {
      bool flag = event.isFlag();
      if (flag && event.site != kNone) {
        classes.insert(event.site);
        uses[event.site].push_back(&event);
        for (std::uint32_t lane : event.lanes)
          for (SiteId feeding : reaching[lane])
            classes.unionSets(event.site, feeding);
      }
      apply(event, reaching);
      return true;
    });
  }

  Web webOf(llvm::EquivalenceClasses<SiteId>::iterator leader) const {
    Web web;
    std::set<SiteId> sets, waits;
    for (auto member = classes.member_begin(leader); member != classes.member_end(); ++member)
      for (const Event *event : uses.at(*member)) {
        web.source = event->source;
        web.destination = event->destination;
        (event->kind == Event::Kind::Set ? sets : waits).insert(*member);
        for (std::uint32_t lane : event->lanes)
          web.ids.insert(program.flags[lane].id);
        judge(web, *event);
      }
    web.sets.assign(sets.begin(), sets.end());
    web.waits.assign(waits.begin(), waits.end());
    return web;
  }

  void judge(Web &web, const Event &event) const {
    if (!web.balanced)
      return;
    if (event.lanes.size() != 1) {
      web.balanced = false;
      web.trouble = "its event id is not one known number on every path" + undecided();
    } else if (faulty.count(event.lanes[0])) {
      web.balanced = false;
      web.trouble = "its flag is not set and waited for in turn on every path" + undecided();
    }
  }

  /// Where paths are taken into account that a branch by phase would leave out.
  std::string undecided() const {
    return program.undecidedBranches.empty() ? "" : "; not all branches are decided: " + program.undecidedBranches;
  }

  const Program &program;
  const SyncLayout &layout;
  const TokenStates &tokens;
  std::vector<Reaching> entries; // by step
  std::vector<bool> reached;
  std::set<std::uint32_t> faulty;
  llvm::EquivalenceClasses<SiteId> classes;
  std::map<SiteId, std::vector<const Event *>> uses;
};

} // namespace

std::set<SiteId> Web::sites() const {
  std::set<SiteId> all(sets.begin(), sets.end());
  all.insert(waits.begin(), waits.end());
  return all;
}

SiteId Web::firstSite() const {
  return std::min(sets.empty() ? kNone : sets.front(), waits.empty() ? kNone : waits.front());
}

std::vector<Web> findWebs(const Program &program, const SyncLayout &layout, const TokenStates &tokens) {
  return WebFinder(program, layout, tokens).run();
}

std::vector<Web> joinWebs(const std::vector<std::vector<Web>> &webs) {
  llvm::EquivalenceClasses<SiteId> classes;
  for (const std::vector<Web> &ofKernel : webs)
    for (const Web &web : ofKernel) {
      std::set<SiteId> sites = web.sites();
      for (SiteId site : sites)
        classes.unionSets(*sites.begin(), site);
    }
  std::map<SiteId, Web> joined; // by leader
  for (const std::vector<Web> &ofKernel : webs)
    for (const Web &web : ofKernel) {
      SiteId leader = classes.getLeaderValue(web.firstSite());
      auto [entry, inserted] = joined.try_emplace(leader, web);
      Web &whole = entry->second;
      if (inserted)
        continue;
      auto unite = [](std::vector<SiteId> &into, const std::vector<SiteId> &from) {
        std::set<SiteId> all(into.begin(), into.end());
        all.insert(from.begin(), from.end());
        into.assign(all.begin(), all.end());
      };
      unite(whole.sets, web.sets);
      unite(whole.waits, web.waits);
      whole.ids.insert(web.ids.begin(), web.ids.end());
      if (whole.balanced && !web.balanced) {
        whole.balanced = false;
        whole.trouble = web.trouble;
      }
    }
  std::vector<Web> result;
  result.reserve(joined.size());
  for (auto &[leader, web] : joined)
    result.push_back(std::move(web));
  std::sort(result.begin(), result.end(), [](const Web &a, const Web &b) { return a.firstSite() < b.firstSite(); });
  return result;
}

} // namespace ptosync
