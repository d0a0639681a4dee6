#include "synthesis/regions.h"

#include "ordering/kernel_analysis.h"
#include "synthesis/proposed_kernel.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace ptosync::synthesis {
namespace {

bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The name that the text has for a variable: "v1" of "v1.address", "arr" of "arr[2]".
std::string nameInText(const std::string &variable) { return llvm::StringRef(variable).take_while(isWord).str(); }

/// The most that one instruction counts, in loops in loops.
constexpr std::size_t kMostOfOne = 8;

/// What a region counts as work: an access, or a sync that may go.
bool isWork(const Statement &statement, const std::vector<SyncSite> &sites) {
  if (const auto *sync = std::get_if<Sync>(&statement.action))
    return isEditable(sites[sync->site]);
  return std::holds_alternative<Instruction>(statement.action);
}

} // namespace

llvm::Expected<RegionCutter> RegionCutter::of(const Module &module, std::size_t kernel, const StatementTree &tree,
                                              const Machine &machine, const OrderingOptions &options) {
  RegionCutter cutter(module, kernel, tree);
  llvm::Expected<Analysis> analysis = Analysis::of(cutter.kernel, machine, options);
  if (!analysis)
    return analysis.takeError();
  for (ListId list = 1; list < tree.lists().size(); ++list)
    cutter.inner[{tree.lists()[list].parent, tree.lists()[list].parentChild}].push_back(list);
  for (const Block &block : cutter.kernel.blocks)
    for (const Statement &statement : block.statements)
      cutter.lookAt(statement);
  for (const Web &web : analysis->webs()) {
    const std::set<SiteId> sites = web.sites();
    for (SiteId site : sites)
      cutter.together[site].insert(sites.begin(), sites.end());
  }
  return cutter;
}

void RegionCutter::lookAt(const Statement &statement) {
  const TreePath path = tree.pathOf(statement);
  if (path.empty())
    return;
  used.insert(path.begin(), path.end());
  if (isWork(statement, module.sites)) {
    std::size_t own = 1;
    for (ChildPlace place : path)
      if (tree.lists()[place.list].role == ListRole::Loop)
        own = std::min<std::size_t>(own * 2, kMostOfOne);
    for (ChildPlace place : path)
      work[place] += own;
  }
  if (const auto *sync = std::get_if<Sync>(&statement.action))
    pathOf.emplace(sync->site, path);
  forEachDefinition(statement, [&](VariableId variable, ExpressionId) {
    definitions[nameInText(kernel.variables[variable].name)].insert(path.back());
  });
}

std::size_t RegionCutter::workIn(ChildPlace place) const {
  auto found = work.find(place);
  return found == work.end() ? 0 : found->second;
}

bool RegionCutter::isInside(const Region &region, const TreePath &path) const {
  return std::any_of(path.begin(), path.end(), [&](ChildPlace place) {
    return place.list == region.list && region.first <= place.child && place.child < region.last;
  });
}

/// The syncs that may go there without anything outside.
std::set<SiteId> RegionCutter::editableIn(const Region &region) const {
  std::set<SiteId> sites;
  for (const auto &[site, path] : pathOf) {
    if (!isEditable(module.sites[site]) || !isInside(region, path))
      continue;
    auto web = together.find(site);
    if (web == together.end() || std::all_of(web->second.begin(), web->second.end(), [&](SiteId other) {
          auto at = pathOf.find(other);
          return at != pathOf.end() && isInside(region, at->second);
        }))
      sites.insert(site);
  }
  return sites;
}

std::vector<Region> RegionCutter::regions(std::size_t most, bool shifted) const {
  std::vector<Region> found;
  split(0, most, shifted, found);
  std::erase_if(found, [&](const Region &region) { return editableIn(region).empty(); });
  std::sort(found.begin(), found.end(), [&](const Region &a, const Region &b) {
    return tree.child({a.list, a.first}).begin < tree.child({b.list, b.first}).begin;
  });
  return found;
}

void RegionCutter::split(ListId list, std::size_t most, bool shifted, std::vector<Region> &found) const {
  const auto count = static_cast<std::uint32_t>(tree.lists()[list].children.size());
  std::size_t total = 0;
  for (std::uint32_t child = 0; child < count; ++child)
    total += std::min(workIn({list, child}), most + 1);
  const std::size_t parts = std::max<std::size_t>((total + most - 1) / most, 1), share = (total + parts - 1) / parts;
  Region region{list, 0, 0};
  std::size_t held = shifted && parts > 1 ? share / 2 : 0; // the first one is shorter
  const auto close = [&](std::uint32_t next) {
    if (region.first < region.last)
      found.push_back(region);
    region = {list, next, next};
    held = 0;
  };
  for (std::uint32_t child = 0; child < count; ++child) {
    const std::size_t own = workIn({list, child});
    auto lists = inner.find({list, child});
    if (own > most && lists != inner.end()) {
      close(child + 1);
      for (ListId one : lists->second)
        split(one, most, shifted, found);
      continue;
    }
    if (held > 0 && held + own > share)
      close(child);
    held += own;
    region.last = child + 1;
  }
  close(count);
}

/// The region's children, and those beside it with about so much work on either side. Round a loop they go on at its
/// other end.
std::vector<ChildPlace> RegionCutter::withMargin(const Region &region, std::size_t margin) const {
  const auto count = static_cast<std::uint32_t>(tree.lists()[region.list].children.size());
  const bool round = tree.lists()[region.list].role == ListRole::Loop;
  std::vector<ChildPlace> kept;
  for (std::uint32_t child = region.first; child < region.last; ++child)
    kept.push_back({region.list, child});
  const std::uint32_t outside = count - (region.last - region.first);
  const auto extend = [&](bool behind, std::uint32_t most) {
    std::size_t held = 0;
    for (std::uint32_t i = 0; i < most; ++i) {
      const std::uint32_t to = behind ? region.last + i : region.first + count - 1 - i;
      if (!round && (behind ? to >= count : to < count))
        return;
      const ChildPlace place{region.list, to % count};
      held += workIn(place);
      if (held > margin)
        return;
      kept.push_back(place);
    }
  };
  extend(true, outside);
  extend(false, outside);
  return kept;
}

/// Works out which children stay where a region is cut out, and writes the text.
class RegionText {
public:
  RegionText(const RegionCutter &cutter, const std::vector<ChildPlace> &whole) : cutter(cutter), tree(cutter.tree) {
    keepUnused({kNone, kNone});
    for (ChildPlace place : whole)
      keepWhole(place);
    keepReaching(tree.child(whole.front()).begin);
    keepDefinitions();
  }

  std::string write() const {
    std::string text = cutter.module.source.text();
    for (ListId list = 0; list < tree.lists().size(); ++list) {
      const BraceList &of = tree.lists()[list];
      if (list > 0 && !kept.count({of.parent, of.parentChild}))
        continue;
      for (std::uint32_t child = 0; child < of.children.size(); ++child)
        if (!kept.count({list, child}))
          for (std::uint32_t at = of.children[child].front; at < of.children[child].end; ++at)
            if (text[at] != '\n' && text[at] != '\r')
              text[at] = ' ';
    }
    return text;
  }

private:
  /// The lists directly inside; of the place that is none, the kernel's body.
  std::vector<ListId> listsIn(ChildPlace place) const {
    if (place.list == kNone)
      return {0};
    auto found = cutter.inner.find(place);
    return found == cutter.inner.end() ? std::vector<ListId>{} : found->second;
  }

  /// What no statement of the kernel stands in: declarations of types and tiles.
  void keepUnused(ChildPlace around) {
    for (ListId list : listsIn(around))
      for (std::uint32_t child = 0; child < tree.lists()[list].children.size(); ++child)
        if (!cutter.used.count({list, child}))
          keepWhole({list, child});
  }

  void keepWhole(ChildPlace place) {
    keep(place);
    for (ListId list : listsIn(place))
      for (std::uint32_t child = 0; child < tree.lists()[list].children.size(); ++child)
        keepWhole({list, child});
  }

  /// The syncs whose flags reach into what stays, and the fences of the kernel's body: its end has one. As many sets as
  /// waits of a flag in one list, on one side of what stays, leave the flag as it was: those go.
  void keepReaching(std::uint32_t begin) {
    struct Side {
      std::vector<ChildPlace> places;
      int sets = 0; // without those that are waited for
    };
    std::map<std::tuple<SiteId, ListId, bool>, Side> sides; // by the web's first site
    const std::set<SiteId> reaching = websInside();
    std::vector<ChildPlace> fences;
    for (const auto &[site, path] : cutter.pathOf) {
      const SyncSite &sync = cutter.module.sites[site];
      if (path.size() == 1 && sync.source == Pipe::All)
        fences.push_back(path.back());
      auto web = cutter.together.find(site);
      if (web == cutter.together.end() || kept.count(path.back()) || !reaching.count(*web->second.begin()))
        continue;
      Side &side = sides[{*web->second.begin(), path.back().list, tree.child(path.back()).begin < begin}];
      side.places.push_back(path.back());
      side.sets += sync.kind == SyncKind::SetFlag ? 1 : -1;
    }
    for (ChildPlace place : fences)
      keep(place);
    for (const auto &[of, side] : sides)
      if (side.sets != 0)
        for (ChildPlace place : side.places)
          keep(place);
  }

  /// The first sites of the webs that have a statement in what stays.
  std::set<SiteId> websInside() const {
    std::set<SiteId> webs;
    for (const auto &[site, path] : cutter.pathOf)
      if (auto web = cutter.together.find(site); web != cutter.together.end() && kept.count(path.back()))
        webs.insert(*web->second.begin());
    return webs;
  }

  /// The child's own text, without the lists inside, and those around it.
  void keep(ChildPlace place) {
    for (; place.list != kNone && kept.insert(place).second;
         place = {tree.lists()[place.list].parent, tree.lists()[place.list].parentChild}) {
      fresh.push_back(place);
      keepUnused(place);
    }
  }

  /// What gives a value to a name that is used in what stays.
  void keepDefinitions() {
    while (!fresh.empty()) {
      const ChildPlace place = fresh.back();
      fresh.pop_back();
      forEachName(place, [&](llvm::StringRef name) {
        auto found = cutter.definitions.find(name);
        if (found == cutter.definitions.end() || !named.insert(name.str()).second)
          return;
        for (ChildPlace definition : found->second)
          keep(definition);
      });
    }
  }

  /// Each name in the child's own text.
  template <typename Visit> void forEachName(ChildPlace place, const Visit &visit) const {
    const BraceList::Child &child = tree.child(place);
    const llvm::StringRef text(cutter.module.source.text());
    std::uint32_t at = child.begin;
    const auto visitUpTo = [&](std::uint32_t end) {
      for (llvm::StringRef rest = text.slice(at, end); !rest.empty();) {
        rest = rest.drop_until(isWord);
        const llvm::StringRef name = rest.take_while(isWord);
        rest = rest.drop_front(name.size());
        if (!name.empty() && !llvm::isDigit(name.front()))
          visit(name);
      }
    };
    for (ListId list : child.lists) {
      visitUpTo(std::max(at, tree.lists()[list].open));
      at = std::max(at, tree.lists()[list].close);
    }
    visitUpTo(std::max(at, child.end));
  }

  const RegionCutter &cutter;
  const StatementTree &tree;
  std::set<ChildPlace> kept;
  std::vector<ChildPlace> fresh; // of those, whose names have not been looked at
  std::set<std::string> named;   // names whose definitions are kept
};

std::string RegionCutter::textOf(const Region &region, std::size_t margin) const {
  return RegionText(*this, withMargin(region, margin)).write();
}

llvm::Expected<Module> RegionCutter::cutOut(const Region &region, std::size_t margin, const Lift &lift) const {
  llvm::Expected<Module> cut = lift(textOf(region, margin));
  if (!cut)
    return cut;
  const std::set<SiteId> editable = editableIn(region);
  for (SyncSite &site : cut->sites)
    if (isEditable(site) && !editable.count(siteAt(site.range.begin))) {
      site.protection = Protection::NotOneStatement;
      site.keepReason = "it belongs to another part of the kernel than the one that is placed anew";
    }
  return cut;
}

SiteId RegionCutter::siteAt(std::uint32_t offset) const {
  auto site = std::lower_bound(module.sites.begin(), module.sites.end(), offset,
                               [](const SyncSite &one, std::uint32_t at) { return one.range.begin < at; });
  return site == module.sites.end() || site->range.begin != offset ? kNone
                                                                   : static_cast<SiteId>(site - module.sites.begin());
}

std::optional<Proposal> movedTo(const StatementTree &tree, const Proposal &proposal, const StatementTree &from) {
  Proposal moved = proposal;
  for (NewSync &sync : moved.syncs) {
    const BraceList &list = from.lists()[sync.place.list];
    auto same = std::find_if(tree.lists().begin(), tree.lists().end(),
                             [&](const BraceList &one) { return one.open == list.open; });
    if (same == tree.lists().end())
      return std::nullopt;
    const std::uint32_t begin = list.children[sync.place.child].begin;
    auto child = std::lower_bound(same->children.begin(), same->children.end(), begin,
                                  [](const BraceList::Child &one, std::uint32_t at) { return one.begin < at; });
    if (child == same->children.end() || child->begin != begin)
      return std::nullopt;
    sync.place.list = static_cast<ListId>(same - tree.lists().begin());
    sync.place.child = static_cast<std::uint32_t>(child - same->children.begin());
  }
  return moved;
}

RegionDraft joined(const std::vector<RegionDraft> &drafts) {
  RegionDraft all;
  std::uint32_t given = 0; // numbers of handshakes
  for (std::size_t part = 0; part < drafts.size(); ++part) {
    const RegionDraft &draft = drafts[part];
    all.parts.resize(all.parts.size() + draft.proposals.size(), part);
    all.gone.insert(draft.gone.begin(), draft.gone.end());
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const Proposal &proposal : draft.proposals) {
      all.proposals.push_back(proposal);
      if (proposal.handshake == kNone)
        continue;
      auto [number, fresh] = numbers.try_emplace(proposal.handshake, given);
      given += fresh ? 1 : 0;
      all.proposals.back().handshake = number->second;
    }
  }
  return all;
}

void joinRings(RegionDraft &draft, const std::set<std::pair<Pipe, Pipe>> &between, const StatementTree &tree) {
  const auto isRing = [&](const Proposal &one) {
    return one.shape == FlagShape::Backward && one.merges == 1 && between.count({one.source, one.destination}) != 0;
  };
  RegionDraft others{draft.gone, {}, {}};
  std::vector<Proposal> rings;
  for (std::size_t i = 0; i < draft.proposals.size(); ++i) {
    if (isRing(draft.proposals[i])) {
      rings.push_back(draft.proposals[i]);
      continue;
    }
    others.proposals.push_back(draft.proposals[i]);
    others.parts.push_back(draft.parts[i]);
  }
  std::vector<Proposal> joined = mergedFlags(rings, tree);
  // Those of one loop that were made one are no longer than a ring, and covered by what goes round several.
  std::erase_if(joined, [&](const Proposal &one) { return one.syncs.size() <= rings.front().syncs.size(); });
  if (joined.empty())
    return;
  others.proposals.insert(others.proposals.end(), joined.begin(), joined.end());
  others.parts.resize(others.proposals.size(), kNone);
  draft = std::move(others);
}

} // namespace ptosync::synthesis
