#include "synthesis/placed_kernel.h"

#include "rewrite/sync_edits.h"
#include "synthesis/proposals.h"
#include "synthesis/resync.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace ptosync::synthesis {

OptimizeResult keepingAll(const Module &module) {
  OptimizeResult kept;
  for (SiteId site = 0; site < module.sites.size(); ++site)
    kept.decisions.emplace_back().site = site;
  return kept;
}

void decideGone(SiteDecision &decision) {
  decision.verdict = Verdict::Removed;
  decision.pattern = kResyncPattern;
  decision.reason = KeptReason::None;
  decision.detail.clear();
  decision.witness.reset();
  Evidence evidence;
  evidence.by = Evidence::By::Anew;
  evidence.text = "what it orders is ordered by the syncs that stay and those that were added";
  decision.evidence = {std::move(evidence)};
}

/// What keeps a sync that moved to `line` where it is: of several, the first behind the place. Null if nothing does.
static const Conflict *limitAt(const SiteDecision &decision, std::uint32_t line) {
  const Conflict *first = nullptr, *behind = nullptr;
  for (const Evidence &evidence : decision.evidence) {
    if (!evidence.conflict)
      continue;
    const Conflict &conflict = *evidence.conflict;
    first = first ? first : &conflict;
    if (conflict.later.line >= line && (!behind || conflict.later.line < behind->later.line))
      behind = &conflict;
  }
  return behind ? behind : first;
}

/// "(PIPE_V, PIPE_MTE2, EVENT_ID0)", of a call of a flag.
static std::string_view eventOf(std::string_view call) {
  call.remove_prefix(std::min(call.find('('), call.size()));
  return call.substr(0, call.rfind(')') + 1);
}

/// What another statement of the same flag stays for. Null if none is known.
static const Conflict *flagsWitness(const Module &module, const OptimizeResult &decided, const SyncSite &of) {
  for (const SiteDecision &decision : decided.decisions)
    if (decision.witness && eventOf(module.sites[decision.site].text) == eventOf(of.text))
      return &*decision.witness;
  return nullptr;
}

OptimizeResult withMovesAdded(const Module &module, const Kernel &kernel, OptimizeResult decided) {
  const std::set<SiteId> own = sitesOf(kernel);
  for (SiteDecision &decision : decided.decisions) {
    if (decision.verdict != Verdict::Moved || !own.count(decision.site))
      continue;
    const SyncSite &site = module.sites[decision.site];
    AddedSync added;
    added.kind = site.kind;
    added.source = site.source;
    added.destination = site.destination;
    added.statement = site.text + ";";
    added.kernel = kernel.name;
    added.section = kernel.section;
    for (const TextPlace &place : decision.movedTo) {
      const Conflict *limit = limitAt(decision, module.source.position(place.offset).line);
      if (!limit)
        limit = flagsWitness(module, decided, site);
      added.earlier = limit ? limit->earlier.text : "what is in front of the set";
      added.later = limit ? limit->later.text : "what is behind the wait";
      added.earlierLine = limit ? limit->earlier.line : site.line;
      added.laterLine = limit ? limit->later.line : site.line;
      added.place = placeInFront(module.source, place.offset);
      added.place.rank = place.rank;
      decided.added.push_back(added);
    }
    decision.movedTo.clear();
    decideGone(decision);
  }
  sortByPlace(decided.added);
  return decided;
}

llvm::Expected<PlacedKernel> PlacedKernel::read(const Module &input, std::size_t kernel, const OptimizeResult &placed,
                                                const Lift &lift) {
  llvm::Expected<EditedFile> file = EditedFile::read(input, planOf(input, placed), lift);
  if (!file)
    return file.takeError();
  llvm::Expected<std::size_t> number = file->numberOf(input.kernels[kernel]);
  if (!number)
    return number.takeError();
  if (llvm::is_contained(file->addedSites(), kNone))
    return llvm::createStringError("with syncs put in it does not have all of them");
  PlacedKernel result(std::move(*file), placed);
  result.number = *number;
  return result;
}

/// Where the statement begins that was added: with its guard.
std::uint32_t PlacedKernel::beginOf(std::size_t added) const {
  const std::uint32_t begin = module().sites[file.addedSites()[added]].range.begin;
  const std::string &guard = placed.added[added].guard;
  if (guard.empty())
    return begin;
  std::size_t head = module().source.text().rfind(guardHead(guard), begin);
  return head == std::string::npos ? begin : static_cast<std::uint32_t>(head);
}

/// Where a sync that is added to the text stands in it, and in the input.
std::optional<PlacedKernel::Standing> PlacedKernel::standing(const AddedSync &added) const {
  const TextPlace &place = added.place;
  Standing result{place.offset, static_cast<std::uint8_t>(place.line == TextPlace::Line::Behind ? 2 : 0), place.rank,
                  added};
  result.sync.earlierLine = file.inputLine(added.earlierLine);
  result.sync.laterLine = file.inputLine(added.laterLine);
  for (std::size_t number = 0; number < placed.added.size(); ++number)
    if (beginOf(number) == place.beside) {
      result.sync.place = placed.added[number].place;
      result.sync.place.rank = place.rank;
      return result;
    }
  std::optional<std::uint32_t> offset = file.inputOffset(place.offset), beside = file.inputOffset(place.beside);
  if (!offset || !beside)
    return std::nullopt;
  result.sync.place.offset = *offset;
  result.sync.place.beside = *beside;
  return result;
}

/// What a sync that is added for one of the added syncs orders: what that one does. Whatever was said of it was said of
/// lines that the input does not have.
void PlacedKernel::keepReason(AddedSync &sync, const std::set<std::size_t> &dropped) const {
  if (sync.earlierLine != 0 && sync.laterLine != 0)
    return;
  const AddedSync *same = nullptr;
  for (std::size_t number = 0; number < placed.added.size(); ++number) {
    const AddedSync &known = placed.added[number];
    if (eventOf(known.statement) == eventOf(sync.statement) &&
        (!same || (dropped.count(number) && known.kind == sync.kind)))
      same = &known;
  }
  if (same)
    setReason(sync, {same->earlier, same->later, same->earlierLine, same->laterLine});
}

std::optional<OptimizeResult> PlacedKernel::joined(const OptimizeResult &decided) const {
  OptimizeResult again = decided;
  for (const Kernel &kernel : module().kernels)
    again = withMovesAdded(module(), kernel, std::move(again));
  OptimizeResult result;
  result.decisions = placed.decisions;
  std::set<SiteId> gone; // of module()
  for (const SiteDecision &decision : again.decisions) {
    if (decision.verdict != Verdict::Removed)
      continue;
    gone.insert(decision.site);
    for (SiteDecision &known : result.decisions)
      if (known.site == file.origins()[decision.site]) // kNone is no site
        decideGone(known);
  }
  std::set<std::size_t> dropped;
  std::vector<Standing> all;
  for (std::size_t i = 0; i < placed.added.size(); ++i)
    if (SiteId site = file.addedSites()[i]; gone.count(site))
      dropped.insert(i);
    else
      all.push_back({module().sites[site].range.begin, 1, 0, placed.added[i]});
  for (const AddedSync &added : again.added) {
    std::optional<Standing> one = standing(added);
    if (!one)
      return std::nullopt;
    keepReason(one->sync, dropped);
    all.push_back(std::move(*one));
  }
  std::stable_sort(all.begin(), all.end(), [](const Standing &a, const Standing &b) { return a.place() < b.place(); });
  for (Standing &one : all) {
    bool first = result.added.empty() || result.added.back().place.offset != one.sync.place.offset;
    one.sync.place.rank = first ? 0 : result.added.back().place.rank + 1;
    result.added.push_back(std::move(one.sync));
  }
  return result;
}

} // namespace ptosync::synthesis
