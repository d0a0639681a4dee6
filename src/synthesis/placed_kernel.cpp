#include "synthesis/placed_kernel.h"

#include "rewrite/sync_edits.h"
#include "synthesis/proposals.h"
#include "synthesis/resync.h"

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
    else
      result.shortage.insert({program.flags[own.front()].source, program.flags[own.front()].destination});
  }
  return result;
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
  for (SiteDecision &decision : decided.decisions) {
    if (decision.verdict != Verdict::Moved)
      continue;
    const SyncSite &site = module.sites[decision.site];
    AddedSync added;
    added.kind = site.kind;
    added.source = site.source;
    added.destination = site.destination;
    added.statement = site.text + ";";
    added.kernel = kernel.name;
    added.section = kernel.section;
    for (const Arrival &place : decision.movedTo) {
      const Conflict *limit = limitAt(decision, module.source.position(place.offset).line);
      if (!limit)
        limit = flagsWitness(module, decided, site);
      added.earlier = limit ? limit->earlier.text : "what is in front of the set";
      added.later = limit ? limit->later.text : "what is behind the wait";
      added.earlierLine = limit ? limit->earlier.line : site.line;
      added.laterLine = limit ? limit->later.line : site.line;
      added.offset = added.beside = place.offset;
      added.line = lineInFront(module.source, place.offset);
      added.rank = static_cast<std::uint8_t>(std::min(place.rank, std::uint32_t{255}));
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
  PlacedKernel result;
  result.input = &input;
  result.placed = placed;
  result.edits = editsFor(input, placed);
  std::stable_sort(result.edits.begin(), result.edits.end(),
                   [](const Edit &a, const Edit &b) { return a.range.begin < b.range.begin; });
  llvm::Expected<std::string> text = applyEdits(input.source, result.edits);
  if (!text)
    return text.takeError();
  llvm::Expected<Module> lifted = lift(*text);
  if (!lifted)
    return lifted.takeError();
  const Kernel &wanted = input.kernels[kernel];
  const Kernel *same = kernelLike(*lifted, wanted);
  if (!same || !same->analysable)
    return llvm::createStringError("with its syncs placed anew it is not read as the same kernel");
  result.number = static_cast<std::size_t>(same - lifted->kernels.data());
  result.lifted = std::make_unique<Module>(std::move(*lifted));
  if (!result.findOrigins())
    return llvm::createStringError("with its syncs placed anew it does not have the syncs that it should have");
  return result;
}

/// Which sync each site is. Both texts have theirs in the same order.
bool PlacedKernel::findOrigins() {
  std::set<SiteId> gone;
  for (const SiteDecision &decision : placed.decisions)
    if (decision.verdict == Verdict::Removed)
      gone.insert(decision.site);
  SiteId next = 0;
  std::size_t added = 0;
  for (SiteId site = 0; site < lifted->sites.size(); ++site) {
    const SyncSite &here = lifted->sites[site];
    while (gone.count(next))
      ++next;
    if (isCopied(here.range.begin)) {
      if (next >= input->sites.size() || input->sites[next].text != here.text)
        return false;
      siteOfInput.push_back(next++);
    } else {
      if (added >= placed.added.size() || placed.added[added].kind != here.kind)
        return false;
      siteOfInput.push_back(kNone);
      addedAs[site] = added++;
    }
  }
  while (gone.count(next))
    ++next;
  return next == input->sites.size() && added == placed.added.size();
}

/// True if the byte there is one of the input.
bool PlacedKernel::isCopied(std::uint32_t offset) const {
  return inputOffset(offset) && inputOffset(offset + 1) == *inputOffset(offset) + 1;
}

/// The byte of the input that was copied to `offset`, or at which what was put there begins; empty inside of that.
std::optional<std::uint32_t> PlacedKernel::inputOffset(std::uint32_t offset) const {
  std::uint32_t here = 0, there = 0; // behind the edits so far, in the text and in the input
  for (const Edit &edit : edits) {
    std::uint32_t begin = here + (edit.range.begin - there);
    if (offset <= begin)
      break;
    here = begin + static_cast<std::uint32_t>(edit.replacement.size());
    there = edit.range.end;
    if (offset < here)
      return std::nullopt;
  }
  return there + (offset - here);
}

/// 0 if it is no line of the input.
std::uint32_t PlacedKernel::inputLine(std::uint32_t line) const {
  const std::string_view text = lifted->source.line(line);
  if (text.empty())
    return 0;
  auto begin = static_cast<std::uint32_t>(text.data() - lifted->source.text().data());
  // What was put in front of a statement on its line is passed.
  for (std::uint32_t i = 0; i < text.size(); ++i)
    if (text[i] != ' ' && text[i] != '\t' && isCopied(begin + i))
      return input->source.position(*inputOffset(begin + i)).line;
  return 0;
}

/// Where the statement begins that a sync was added as: with its guard.
std::uint32_t PlacedKernel::beginOf(SiteId site, const AddedSync &as) const {
  const std::uint32_t begin = lifted->sites[site].range.begin;
  if (as.guard.empty())
    return begin;
  std::size_t head = lifted->source.text().rfind(guardHead(as.guard), begin);
  return head == std::string::npos ? begin : static_cast<std::uint32_t>(head);
}

/// Where a sync that is added to the text stands in it, and in the input.
std::optional<PlacedKernel::Standing> PlacedKernel::standing(const AddedSync &added) const {
  Standing result{added.offset, static_cast<std::uint8_t>(added.line == AddedSync::Line::Behind ? 2 : 0), added.rank,
                  added};
  result.sync.earlierLine = inputLine(added.earlierLine);
  result.sync.laterLine = inputLine(added.laterLine);
  for (const auto &[site, number] : addedAs)
    if (const AddedSync &neighbour = placed.added[number]; beginOf(site, neighbour) == added.beside) {
      result.sync.offset = neighbour.offset;
      result.sync.line = neighbour.line;
      result.sync.beside = neighbour.beside;
      return result;
    }
  std::optional<std::uint32_t> offset = inputOffset(added.offset), beside = inputOffset(added.beside);
  if (!offset || !beside)
    return std::nullopt;
  result.sync.offset = *offset;
  result.sync.beside = *beside;
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
  const OptimizeResult again = withMovesAdded(*lifted, lifted->kernels[number], decided);
  OptimizeResult result;
  result.decisions = placed.decisions;
  std::set<std::size_t> dropped;
  for (const SiteDecision &decision : again.decisions) {
    if (decision.verdict != Verdict::Removed)
      continue;
    SiteId origin = siteOfInput[decision.site];
    if (origin == kNone) {
      dropped.insert(addedAs.at(decision.site));
      continue;
    }
    for (SiteDecision &known : result.decisions)
      if (known.site == origin)
        decideGone(known);
  }
  std::vector<Standing> all;
  for (const auto &[site, number] : addedAs)
    if (!dropped.count(number))
      all.push_back({lifted->sites[site].range.begin, 1, 0, placed.added[number]});
  for (const AddedSync &added : again.added) {
    std::optional<Standing> one = standing(added);
    if (!one)
      return std::nullopt;
    keepReason(one->sync, dropped);
    all.push_back(std::move(*one));
  }
  std::stable_sort(all.begin(), all.end(), [](const Standing &a, const Standing &b) { return a.place() < b.place(); });
  for (Standing &one : all) {
    bool first = result.added.empty() || result.added.back().offset != one.sync.offset;
    one.sync.rank = static_cast<std::uint8_t>(first ? 0 : std::min(result.added.back().rank + 1, 255));
    result.added.push_back(std::move(one.sync));
  }
  return result;
}

} // namespace ptosync::synthesis
