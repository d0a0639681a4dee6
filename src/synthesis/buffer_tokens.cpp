#include "synthesis/buffer_tokens.h"

#include "synthesis/proposals.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <map>
#include <set>

namespace ptosync::synthesis {
namespace {

/// A statement of a flag that was put in.
struct Use {
  std::size_t added;                  // number in the plan
  std::uint32_t list = kNone, at = 0; // where it stands in the text: its list of statements, and its byte
};

/// A flag that was put in, all of it, with one plain id.
struct PlacedFlag {
  Pipe source, destination;
  std::vector<Use> sets, waits;
};

class Bracketer {
public:
  Bracketer(const EditedFile &file, const Analysis &analysis) : file(file), analysis(analysis) {}

  std::optional<BracketedPlan> run() {
    findUses();
    findFreeIds();
    const std::vector<PlacedFlag> flags = placedFlags();
    std::set<std::size_t> taken;
    for (std::size_t i = 0; i < flags.size(); ++i)
      if (!taken.count(i))
        if (std::optional<std::size_t> back = flagBack(flags, i, taken); back && !free.empty()) {
          pair(flags[i], flags[*back]);
          taken.insert({i, *back});
        }
    for (std::size_t i = 0; i < flags.size() && !free.empty(); ++i)
      if (taken.insert(i).second)
        single(flags[i]);
    if (replaced.empty())
      return std::nullopt;
    BracketedPlan plan;
    plan.flags = taken.size();
    addAll(plan);
    return plan;
  }

private:
  void findUses() {
    for (std::size_t number = 0; number < file.addedSites().size(); ++number)
      if (SiteId site = file.addedSites()[number]; site != kNone)
        uses[site] = {number};
    for (const Block &block : analysis.kernel().blocks)
      for (const Statement &statement : block.statements)
        if (const auto *sync = std::get_if<Sync>(&statement.action))
          if (auto use = uses.find(sync->site); use != uses.end()) {
            use->second.list = statement.anchor.list;
            use->second.at = statement.range.begin;
          }
  }

  /// The ids that no bracket of the kernel may name.
  void findFreeIds() {
    const Program &program = analysis.program();
    for (unsigned id = 0; id < program.machine->bufferIds(); ++id)
      free.insert(id);
    for (const std::vector<Event> &events : program.steps)
      for (const Event &event : events) {
        if (!event.isBuffer())
          continue;
        if (event.ids.empty())
          free.clear();
        for (std::int64_t id : event.ids)
          free.erase(id);
      }
  }

  std::vector<PlacedFlag> placedFlags() const {
    std::vector<PlacedFlag> flags;
    for (const Web &web : analysis.webs()) {
      const std::set<SiteId> sites = web.sites();
      if (web.bracket || !web.balanced || web.ids.size() != 1 ||
          !llvm::all_of(sites, [&](SiteId site) { return isPlain(site); }))
        continue;
      PlacedFlag flag{web.source, web.destination, {}, {}};
      for (SiteId site : web.sets)
        flag.sets.push_back(uses.at(site));
      for (SiteId site : web.waits)
        flag.waits.push_back(uses.at(site));
      flags.push_back(std::move(flag));
    }
    return flags;
  }

  bool isPlain(SiteId site) const {
    auto use = uses.find(site);
    if (use == uses.end() || use->second.list == kNone)
      return false;
    const AddedSync &added = file.plan().added[use->second.added];
    return added.guard.empty() && added.id >= 0;
  }

  /// The only one of these that stands in the list; null if there are others there, or none.
  static const Use *onlyIn(const std::vector<Use> &all, std::uint32_t list) {
    const Use *found = nullptr;
    for (const Use &use : all)
      if (use.list == list) {
        if (found)
          return nullptr;
        found = &use;
      }
    return found;
  }

  /// The flag that goes back around the same producer and consumer: it is waited for in front of the producer, and set
  /// behind the consumer, in the list in which flag `forth` is set and waited for.
  std::optional<std::size_t> flagBack(const std::vector<PlacedFlag> &flags, std::size_t forth,
                                      const std::set<std::size_t> &taken) const {
    const PlacedFlag &flag = flags[forth];
    if (flag.sets.size() != 1 || flag.waits.size() != 1 || flag.sets[0].list != flag.waits[0].list)
      return std::nullopt;
    const std::uint32_t list = flag.sets[0].list;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      const PlacedFlag &other = flags[i];
      if (i == forth || taken.count(i) || other.source != flag.destination || other.destination != flag.source)
        continue;
      const Use *wait = onlyIn(other.waits, list), *set = onlyIn(other.sets, list);
      if (wait && set && wait->at < flag.sets[0].at && flag.sets[0].at < flag.waits[0].at && flag.waits[0].at < set->at)
        return i;
    }
    return std::nullopt;
  }

  void pair(const PlacedFlag &forth, const PlacedFlag &back) {
    const std::int64_t id = nextId();
    const std::uint32_t list = forth.sets[0].list;
    for (const std::vector<Use> *all : {&back.sets, &back.waits})
      for (const Use &use : *all)
        replaced[use.added] = {}; // prime and drain
    replaced[onlyIn(back.waits, list)->added] = {end(*onlyIn(back.waits, list), SyncKind::GetBuffer, forth.source, id)};
    replaced[forth.sets[0].added] = {end(forth.sets[0], SyncKind::ReleaseBuffer, forth.source, id)};
    replaced[forth.waits[0].added] = {end(forth.waits[0], SyncKind::GetBuffer, forth.destination, id)};
    replaced[onlyIn(back.sets, list)->added] = {
        end(*onlyIn(back.sets, list), SyncKind::ReleaseBuffer, forth.destination, id)};
  }

  void single(const PlacedFlag &flag) {
    const std::int64_t id = nextId();
    auto empty = [&](const Use &use, Pipe pipe) {
      replaced[use.added] = {end(use, SyncKind::GetBuffer, pipe, id), end(use, SyncKind::ReleaseBuffer, pipe, id)};
    };
    for (const Use &set : flag.sets)
      empty(set, flag.source);
    for (const Use &wait : flag.waits)
      empty(wait, flag.destination);
  }

  std::int64_t nextId() {
    const std::int64_t id = *free.begin();
    free.erase(free.begin());
    return id;
  }

  AddedSync end(const Use &use, SyncKind kind, Pipe pipe, std::int64_t id) const {
    AddedSync added = file.plan().added[use.added];
    added.kind = kind;
    added.source = added.destination = pipe;
    added.id = id;
    added.statement = statementText(kind, pipe, pipe, id);
    return added;
  }

  void addAll(BracketedPlan &plan) const {
    for (std::size_t number = 0; number < file.plan().added.size(); ++number) {
      if (auto found = replaced.find(number); found != replaced.end())
        plan.added.insert(plan.added.end(), found->second.begin(), found->second.end());
      else
        plan.added.push_back(file.plan().added[number]);
      plan.from.resize(plan.added.size(), number);
    }
  }

  const EditedFile &file;
  const Analysis &analysis;
  std::map<SiteId, Use> uses;
  std::set<std::int64_t> free;                            // buffer ids
  std::map<std::size_t, std::vector<AddedSync>> replaced; // by number in the plan
};

} // namespace

std::optional<BracketedPlan> withBrackets(const EditedFile &file, const Analysis &analysis) {
  return Bracketer(file, analysis).run();
}

} // namespace ptosync::synthesis
