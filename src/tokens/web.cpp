#include "tokens/web.h"

#include "base/walk.h"

#include <llvm/ADT/EquivalenceClasses.h>

#include <algorithm>

namespace ptosync {
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
      bool flag = event.kind == Event::Kind::Set || event.kind == Event::Kind::Wait;
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
  for (auto &[leader, web] : joined)
    result.push_back(std::move(web));
  std::sort(result.begin(), result.end(), [](const Web &a, const Web &b) { return a.firstSite() < b.firstSite(); });
  return result;
}

} // namespace ptosync
