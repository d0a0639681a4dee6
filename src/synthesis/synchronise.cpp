#include "synthesis/synchronise.h"

#include "base/messages.h"
#include "optimize/wording.h"
#include "ordering/kernel_analysis.h"
#include "rewrite/sync_edits.h"
#include "synthesis/buffer_tokens.h"
#include "synthesis/kernel_state.h"
#include "synthesis/placed_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

/// The pipes of a flag, and "EVENT_ID0"; without a name: it may be any event between them.
using EventName = std::tuple<Pipe, Pipe, std::string>;

/// A buffer id is one of all pipes.
EventName bufferNameOf(const SyncSite &site) {
  llvm::SmallVector<llvm::StringRef> arguments;
  llvm::StringRef(site.text).split(arguments, ',');
  const llvm::StringRef id = arguments.size() == 3 ? arguments[1].trim() : llvm::StringRef();
  const bool plain = site.protection != Protection::NotOneStatement && !id.empty() &&
                     llvm::all_of(id, [](char c) { return llvm::isDigit(c); });
  return {Pipe::All, Pipe::All, plain ? id.str() : ""};
}

/// A barrier has no event.
std::optional<EventName> eventNameOf(const SyncSite &site) {
  if (isBuffer(site.kind))
    return bufferNameOf(site);
  if (!isFlag(site.kind))
    return std::nullopt;
  llvm::StringRef id = llvm::StringRef(site.text).rsplit(',').second.trim(" )");
  llvm::StringRef digits = id;
  digits.consume_front("EVENT_ID");
  const bool plain = site.protection != Protection::NotOneStatement && !digits.empty() &&
                     llvm::all_of(digits, [](char c) { return llvm::isDigit(c); });
  return EventName{site.source, site.destination, plain ? digits.str() : ""};
}

/// The kernels of a file on their way from nothing to what is published: decisions on the sites of the file as it came.
class FileSynchroniser {
public:
  FileSynchroniser(const Module &module, const Machine &machine, const Catalogue &catalogue,
                   const timing::CostTable &costs, const ResyncOptions &given, const Lift &lift)
      : module(module), machine(machine), catalogue(catalogue), costs(costs), options(given), lift(lift) {
    options.optimize.ordering.fromNothing = true;
    std::swap(most, options.optimize.maxRemovals); // a kernel is one edit, and is seen as a whole
  }

  llvm::Expected<ResyncResult> run() {
    ResyncResult result;
    for (const Kernel &kernel : module.kernels)
      result.kernels.push_back(aboutKernel(kernel));
    for (std::size_t number = 0; number < module.kernels.size(); ++number)
      if (!module.notEdited.empty())
        leave(result, number, "nothing of the file is edited: " + module.notEdited);
      else if (numberedStatements(module.kernels[number]).empty())
        continue;
      else if (!module.kernels[number].analysable)
        leave(result, number, module.kernels[number].reason);
      else if (std::optional<std::string> named = idsOfTheRun(module))
        leave(result, number, *named);
    if (llvm::all_of(result.kernels, [](const KernelResync &about) { return about.left; })) {
      result.decisions = keepingAll(module);
      for (SiteDecision &decision : result.decisions.decisions)
        keepAsItCame(decision, KeptReason::Unresolved, "a kernel that it is in is left as it came");
      nameKernels(result.decisions);
      return result;
    }
    OptimizeResult decided = forgotten();
    if (llvm::Error error = addEndFences(decided, result))
      return std::move(error);
    if (llvm::Error error = placeOn(decided, result, /*inputStands=*/false))
      return std::move(error);
    if (llvm::Error error = orderTheRest(decided, result))
      return std::move(error);
    if (options.bufferIds)
      for (std::size_t number = 0; number < module.kernels.size(); ++number)
        if (!result.kernels[number].left)
          if (llvm::Error error = useBuffers(decided, result.kernels[number], module.kernels[number]))
            return std::move(error);
    timeInput(result);
    if (options.inputStands)
      if (llvm::Error error = preferInput(decided, result))
        return std::move(error);
    keepSame(decided.decisions, decided.added);
    // What a kernel that is left shares with others comes back to those as well, so they are asked once more.
    for (bool again = true; again;) {
      result.decisions = finished(decided, result);
      llvm::Expected<std::map<std::size_t, std::string>> open = openIn(result.decisions);
      if (!open)
        return open.takeError();
      again = false;
      for (const auto &[number, why] : *open)
        if (result.kernels[number].changed) {
          leave(result, number, why);
          again = true;
        }
    }
    if (llvm::Error error = countContested(result))
      return std::move(error);
    return result;
  }

private:
  static void leave(ResyncResult &result, std::size_t number, const std::string &why) {
    KernelResync &about = result.kernels[number];
    if (!about.left)
      about.reason = "not synchronised: " + why;
    about.left = true;
  }

  /// In a helper that is called several times nothing can be put in, so what it has stays.
  std::set<SiteId> runSeveralTimes() const {
    std::set<SiteId> several;
    for (const Kernel &kernel : module.kernels) {
      std::set<SiteId> once;
      for (const Block &block : kernel.blocks)
        for (const Statement &statement : block.statements)
          if (const auto *sync = std::get_if<Sync>(&statement.action); sync && !once.insert(sync->site).second)
            several.insert(sync->site);
    }
    return several;
  }

  /// Syncs that do more than synchronise: the id of their event is read from memory, say, or changes a variable.
  std::set<SiteId> withEffects() const {
    std::set<std::uint32_t> begins; // of what runs beside syncs, and of the calls that it is in
    for (const Kernel &kernel : module.kernels)
      for (const Block &block : kernel.blocks)
        for (const Statement &statement : block.statements) {
          if (std::holds_alternative<Sync>(statement.action))
            continue;
          begins.insert(statement.range.begin);
          for (std::uint32_t context = statement.context; context; context = kernel.contexts[context].parent)
            begins.insert(kernel.contexts[context].callBegin);
        }
    std::set<SiteId> sites;
    for (SiteId site = 0; site < module.sites.size(); ++site) {
      auto inside = begins.lower_bound(module.sites[site].range.begin);
      if (inside != begins.end() && *inside < module.sites[site].range.end)
        sites.insert(site);
    }
    return sites;
  }

  /// Every sync that may be edited goes, unless a statement of its flag may not.
  OptimizeResult forgotten() const {
    std::set<SiteId> others = runSeveralTimes();
    others.merge(withEffects());
    auto stays = [&](SiteId site) { return !isEditable(module.sites[site]) || others.count(site) != 0; };
    std::set<EventName> held;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      if (std::optional<EventName> event = eventNameOf(module.sites[site]); event && stays(site))
        held.insert(*event);
    auto isHeld = [&](const EventName &event) {
      const auto &[source, destination, id] = event;
      const auto first = held.lower_bound({source, destination, ""}); // the one without a name, if there is one
      if (first == held.end() || std::get<0>(*first) != source || std::get<1>(*first) != destination)
        return false;
      return id.empty() || std::get<2>(*first).empty() || held.count(event) != 0;
    };
    std::set<SiteId> run;
    for (const Kernel &kernel : module.kernels)
      if (kernel.analysable)
        for (SiteId site : sitesOf(kernel))
          run.insert(site);
    OptimizeResult decided;
    for (SiteId site = 0; site < module.sites.size(); ++site) {
      SiteDecision &decision = decided.decisions.emplace_back();
      decision.site = site;
      decision.reason = KeptReason::Protected;
      decision.detail = isEditable(module.sites[site])
                            ? "another statement of its flag stays, the helper that it is in is "
                              "called several times, or its event id reads memory or changes a variable"
                            : protectionText(module.sites[site]);
      std::optional<EventName> event = eventNameOf(module.sites[site]);
      if (!stays(site) && run.count(site) && !(event && isHeld(*event)))
        decideGone(decision);
    }
    nameKernels(decided);
    return decided;
  }

  /// One by which the file with its edits is known again; 0: there is none.
  std::size_t anyAnalysed() const {
    const auto found = llvm::find_if(module.kernels, [](const Kernel &kernel) { return kernel.analysable; });
    return found == module.kernels.end() ? 0 : static_cast<std::size_t>(found - module.kernels.begin());
  }

  /// The kernels and sections that each site runs in.
  void nameKernels(OptimizeResult &decided) const {
    for (const Kernel &kernel : module.kernels)
      for (SiteId site : sitesOf(kernel)) {
        decided.decisions[site].kernels.push_back(kernel.name);
        decided.decisions[site].sections.push_back(kernel.section);
      }
    for (SiteDecision &decision : decided.decisions) {
      std::sort(decision.kernels.begin(), decision.kernels.end());
      decision.kernels.erase(std::unique(decision.kernels.begin(), decision.kernels.end()), decision.kernels.end());
      std::sort(decision.sections.begin(), decision.sections.end());
      decision.sections.erase(std::unique(decision.sections.begin(), decision.sections.end()), decision.sections.end());
    }
  }

  void add(OptimizeResult &decided, const Kernel &kernel, AddedSync added) const {
    added.kernel = kernel.name;
    added.section = kernel.section;
    decided.added.push_back(std::move(added));
  }

  /// Where something still runs at an end of a kernel: behind the last statement in front of it that runs on a pipe.
  llvm::Error addEndFences(OptimizeResult &decided, ResyncResult &result) const {
    llvm::Expected<PlacedKernel> bare = PlacedKernel::read(module, anyAnalysed(), decided, lift);
    if (!bare)
      return bare.takeError();
    OptimizeResult fenced = keepingAll(bare->module());
    for (std::size_t number = 0; number < module.kernels.size(); ++number) {
      const Kernel *kernel = kernelLike(bare->module(), module.kernels[number]);
      if (result.kernels[number].left || !kernel || !kernel->analysable)
        continue;
      if (llvm::Error error = fenceEnds(fenced, *kernel, bare->module().source))
        leave(result, number, llvm::toString(std::move(error)));
    }
    sortByPlace(fenced.added);
    std::optional<OptimizeResult> joined = bare->joined(fenced);
    if (!joined)
      return llvm::createStringError("a place of an end fence is none of the input");
    decided = std::move(*joined);
    return llvm::Error::success();
  }

  /// Of a kernel without its syncs, whose text `source` is.
  llvm::Error fenceEnds(OptimizeResult &fenced, const Kernel &kernel, const SourceText &source) const {
    llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options.optimize.ordering);
    if (!analysis)
      return analysis.takeError();
    std::set<BlockId> ends;
    for (const OpenObligation &open : runningAtEnds(*analysis))
      ends.insert(analysis->program().blockOf[open.end]);
    if (ends.empty())
      return llvm::Error::success();
    llvm::Expected<StatementTree> tree = StatementTree::read(kernel);
    if (!tree)
      return tree.takeError();
    for (const ListPlace &place : placesOfFences(kernel, analysis->program(), *tree, ends)) {
      const std::uint32_t line = source.position(tree->child({place.list, place.child}).begin).line;
      const Proposal proposal{
          Pipe::All, Pipe::All, {{SyncKind::Barrier, place}}, {"what still runs", "the end of the kernel", line, line}};
      for (AddedSync &added : additionsOf(proposal, -1, source, *tree))
        add(fenced, kernel, std::move(added));
    }
    return llvm::Error::success();
  }

  /// At a `return` the last statement that runs on a pipe is looked for in its own list, so that what comes there by
  /// another way is fenced in front of the `return`.
  static std::set<ListPlace> placesOfFences(const Kernel &kernel, const Program &program, const StatementTree &tree,
                                            const std::set<BlockId> &ends) {
    std::map<ListId, std::set<std::uint32_t>> running; // children, at any depth inside
    for (const Node &node : program.nodes)
      if (mayOutlastKernel(program, node))
        for (const ChildPlace &place : tree.pathOf(*node.statement))
          running[place.list].insert(place.child);
    std::set<ListPlace> places;
    for (BlockId block : ends) {
      const TreePath path = tree.pathOf(kernel.blocks[block].terminator);
      const ListId list = path.empty() ? 0 : path.back().list;
      const std::uint32_t end =
          path.empty() ? static_cast<std::uint32_t>(tree.lists()[0].children.size()) : path.back().child;
      const std::set<std::uint32_t> &inside = running[list];
      const auto next = inside.lower_bound(end);
      if (next != inside.begin())
        places.insert({list, *std::prev(next), true, kRanks - 1});
      else if (!path.empty())
        places.insert({list, end, false, 0});
    }
    return places;
  }

  /// Places the syncs of the text that was decided on anew; `decided` becomes what comes of it.
  llvm::Error placeOn(OptimizeResult &decided, ResyncResult &result, bool inputStands) const {
    llvm::Expected<PlacedKernel> placed = PlacedKernel::read(module, anyAnalysed(), decided, lift);
    if (!placed)
      return placed.takeError();
    ResyncOptions anew = options;
    anew.inputStands = inputStands;
    llvm::Expected<ResyncResult> found = resync(placed->module(), machine, catalogue, costs, anew, lift);
    if (!found)
      return found.takeError();
    std::optional<OptimizeResult> joined = placed->joined(found->decisions);
    if (!joined)
      return llvm::createStringError("a place of what was found is none of the input");
    decided = std::move(*joined);
    for (std::size_t number = 0; number < result.kernels.size(); ++number) {
      KernelResync &about = result.kernels[number];
      const auto same = std::find_if(found->kernels.begin(), found->kernels.end(), [&](const KernelResync &one) {
        return one.kernel == about.kernel && one.section == about.section;
      });
      if (about.left || same == found->kernels.end())
        continue;
      about.reason = same->reason;
      about.after = same->after;
      about.limit = same->limit;
    }
    return llvm::Error::success();
  }

  /// Of the text that was decided on: what is open in each kernel, by its number in the file as it came.
  llvm::Expected<std::map<std::size_t, std::string>> openIn(const OptimizeResult &decided) const {
    llvm::Expected<std::string> text = patchedText(module, decided);
    if (!text)
      return text.takeError();
    llvm::Expected<Module> after = lift(*text);
    if (!after)
      return after.takeError();
    std::map<std::size_t, std::string> open;
    for (std::size_t number = 0; number < module.kernels.size(); ++number) {
      const Kernel *is = kernelLike(*after, module.kernels[number]);
      if (!is || !is->analysable)
        open[number] = is ? is->reason : "it is not read as the same kernel";
      else if (std::optional<std::string> why = openOrder(*is, machine, options.optimize.ordering))
        open[number] = std::move(*why);
    }
    return open;
  }

  /// Kernels in which something is still open get PIPE_ALL in front of every instruction, and then what `resync` makes
  /// of that.
  llvm::Error orderTheRest(OptimizeResult &decided, ResyncResult &result) const {
    llvm::Expected<std::map<std::size_t, std::string>> open = openIn(decided);
    if (!open)
      return open.takeError();
    bool any = false;
    for (const auto &[number, why] : *open) {
      if (result.kernels[number].left || numberedStatements(module.kernels[number]).empty())
        continue;
      any = true;
      if (llvm::Error error = addEverywhere(decided, module.kernels[number]))
        leave(result, number, llvm::toString(std::move(error)));
    }
    if (!any)
      return llvm::Error::success();
    sortByPlace(decided.added);
    open = openIn(decided);
    if (!open)
      return open.takeError();
    for (const auto &[number, why] : *open)
      if (!numberedStatements(module.kernels[number]).empty())
        leave(result, number, why);
    return placeOn(decided, result, /*inputStands=*/true);
  }

  /// Has brackets of buffer ids in place of the flags that were placed in a kernel, where they are right and no slower.
  llvm::Error useBuffers(OptimizeResult &decided, KernelResync &about, const Kernel &kernel) const {
    llvm::Expected<EditedFile> flags = EditedFile::read(module, planOf(module, decided), lift);
    if (!flags)
      return flags.takeError();
    const Kernel *was = kernelLike(flags->module(), kernel);
    if (!was || !was->analysable)
      return llvm::Error::success();
    llvm::Expected<Analysis> analysis = Analysis::of(*was, machine, options.optimize.ordering);
    if (!analysis)
      return analysis.takeError();
    std::optional<BracketedPlan> plan = withBrackets(*flags, *analysis);
    if (!plan)
      return llvm::Error::success();
    OptimizeResult with = decided;
    with.added = std::move(plan->added);
    if (llvm::Error error = dropRedundantBrackets(with, about))
      return error;
    llvm::Expected<EditedFile> brackets = EditedFile::read(module, planOf(module, with), lift);
    if (!brackets)
      return brackets.takeError();
    const Kernel *is = kernelLike(brackets->module(), kernel);
    std::optional<std::string> open = !is || !is->analysable
                                          ? std::optional<std::string>("it is not read as the same kernel")
                                          : openOrder(*is, machine, options.optimize.ordering);
    if (open) {
      about.tokens = "its flags stay flags: in buffer ids " + *open;
      return llvm::Error::success();
    }
    const timing::KernelTiming timed = std::move(timing::timeCores({was}, machine, options.timed, costs).front());
    const double inFlags = timed.estimate().cycles,
                 inIds =
                     timing::timeCores({is}, machine, options.timed, costs, timed.inputs()).front().estimate().cycles;
    if (inIds > inFlags) {
      about.tokens = "its flags stay flags: they take " + std::to_string(std::llround(inFlags)) +
                     " cycles, buffer ids " + std::to_string(std::llround(inIds));
      return llvm::Error::success();
    }
    about.after = about.after == 0 ? 0 : about.after * inIds / inFlags;
    about.tokens = "in buffer ids in place of " + countOf(plan->flags, "flag");
    decided = std::move(with);
    return llvm::Error::success();
  }

  /// Takes out the brackets among what is put into a kernel that order nothing.
  llvm::Error dropRedundantBrackets(OptimizeResult &with, const KernelResync &about) const {
    llvm::Expected<EditedFile> file = EditedFile::read(module, planOf(module, with), lift);
    if (!file)
      return file.takeError();
    OptimizeOptions removing = options.optimize;
    removing.sites.emplace();
    for (std::size_t number = 0; number < with.added.size(); ++number)
      if (isBuffer(with.added[number].kind) && isOf(with.added[number], about) && file->addedSites()[number] != kNone)
        removing.sites->insert(file->addedSites()[number]);
    const OptimizeResult less = optimize(file->module(), machine, withoutMoves(catalogue), removing);
    std::vector<AddedSync> left;
    for (std::size_t number = 0; number < with.added.size(); ++number)
      if (SiteId site = file->addedSites()[number]; site == kNone || less.decisions[site].verdict != Verdict::Removed)
        left.push_back(std::move(with.added[number]));
    with.added = std::move(left);
    return llvm::Error::success();
  }

  llvm::Error addEverywhere(OptimizeResult &decided, const Kernel &kernel) const {
    llvm::Expected<StatementTree> tree = StatementTree::read(kernel);
    if (!tree)
      return tree.takeError();
    std::map<ChildPlace, std::uint32_t> places; // and the line
    for (const Statement *statement : numberedStatements(kernel))
      if (std::holds_alternative<Instruction>(statement->action))
        if (TreePath path = tree->pathOf(*statement);
            !path.empty() && !followsDrain(tree->child(path.back()).front, decided.decisions))
          places.emplace(path.back(), statement->line);
    for (const auto &[place, line] : places) {
      const NewSync all{SyncKind::Barrier, ListPlace{place.list, place.child}};
      const Proposal proposal{Pipe::All, Pipe::All, {all}, {"what is in front of it", "the statement", line, line}};
      for (AddedSync &added : additionsOf(proposal, -1, module.source, *tree))
        add(decided, kernel, std::move(added));
    }
    return llvm::Error::success();
  }

  /// True if PIPE_ALL stands right in front of the place, and stays.
  bool followsDrain(std::uint32_t offset, const std::vector<SiteDecision> &decisions) const {
    const SiteId next = firstFrom(offset);
    if (next == 0)
      return false;
    const SyncSite &site = module.sites[next - 1];
    return decisions[next - 1].verdict == Verdict::Kept && site.kind == SyncKind::Barrier && site.source == Pipe::All &&
           !site.soleBody && site.range.end <= offset && isBlank(site.range.end, offset);
  }

  /// What a kernel as it came is estimated to take, if it is right: one that lacks an order only looks fast.
  void timeInput(ResyncResult &result) const {
    std::map<std::string, std::vector<std::size_t>> cores; // by name: those of one run at once
    for (std::size_t number = 0; number < module.kernels.size(); ++number)
      if (module.kernels[number].analysable)
        cores[module.kernels[number].name].push_back(number);
    for (const auto &[name, numbers] : cores) {
      std::vector<const Kernel *> kernels;
      for (std::size_t number : numbers)
        kernels.push_back(&module.kernels[number]);
      const std::vector<timing::KernelTiming> timed = timing::timeCores(kernels, machine, options.timed, costs);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!openOrder(*kernels[i], machine, options.optimize.ordering))
          result.kernels[numbers[i]].before = timed[i].estimate().cycles;
    }
  }

  /// Where what `resync` makes of a kernel's own syncs is as good as what was placed from nothing, or that came to
  /// nothing, the kernel has that: of each group of kernels that share syncs, and right as it came.
  llvm::Error preferInput(OptimizeResult &decided, ResyncResult &result) const {
    ResyncResult own;
    for (const Kernel &kernel : module.kernels)
      own.kernels.push_back(aboutKernel(kernel));
    OptimizeResult kept = asItCame();
    if (llvm::Error error = placeOn(kept, own, /*inputStands=*/true))
      return error;
    for (const KernelGroup &group : kernelGroups(module)) {
      if (std::any_of(group.begin(), group.end(), [&](std::size_t i) { return result.kernels[i].before == 0; }))
        continue;
      const bool left = std::any_of(group.begin(), group.end(), [&](std::size_t i) { return result.kernels[i].left; });
      const Candidate anew = candidateOf(decided, result, group), base = candidateOf(kept, own, group);
      if (!left && isWorthwhile(anew, base))
        continue;
      OptimizeResult with = combined(decided, kept, group);
      llvm::Expected<std::map<std::size_t, std::string>> open = openIn(with);
      if (!open)
        return open.takeError();
      if (std::any_of(group.begin(), group.end(), [&](std::size_t i) { return open->count(i) != 0; }))
        continue;
      decided = std::move(with);
      for (std::size_t i : group) {
        own.kernels[i].before = result.kernels[i].before;
        result.kernels[i] = own.kernels[i];
      }
    }
    return llvm::Error::success();
  }

  /// Decisions that edit nothing.
  OptimizeResult asItCame() const {
    OptimizeResult kept = keepingAll(module);
    for (SiteDecision &decision : kept.decisions) {
      decision.reason = KeptReason::Hazard;
      decision.detail = "as it came the kernel is as good as with all of its syncs placed from nothing";
    }
    nameKernels(kept);
    return kept;
  }

  Candidate candidateOf(const OptimizeResult &decided, const ResyncResult &result, const KernelGroup &group) const {
    Candidate candidate;
    for (std::size_t number : group) {
      candidate.cycles += result.kernels[number].after;
      for (SiteId site : sitesOf(module.kernels[number]))
        candidate.statements += decided.decisions[site].verdict != Verdict::Removed;
      for (const AddedSync &added : decided.added)
        if (isOf(added, result.kernels[number]))
          candidate.result.added.push_back(added);
    }
    candidate.statements += candidate.result.added.size();
    return candidate;
  }

  /// `decided` with what `kept` has for the kernels of the group.
  OptimizeResult combined(OptimizeResult decided, const OptimizeResult &kept, const KernelGroup &group) const {
    for (std::size_t number : group) {
      const KernelResync about = aboutKernel(module.kernels[number]);
      for (SiteId site : sitesOf(module.kernels[number]))
        decided.decisions[site] = kept.decisions[site];
      std::erase_if(decided.added, [&](const AddedSync &added) { return isOf(added, about); });
      for (const AddedSync &added : kept.added)
        if (isOf(added, about))
          decided.added.push_back(added);
    }
    sortByPlace(decided.added);
    return decided;
  }

  /// Where a sync that is placed is the same statement as one that was forgotten there, that one stays, so that a diff
  /// shows only what differs. The syncs of each place keep their order.
  void keepSame(std::vector<SiteDecision> &decisions, std::vector<AddedSync> &added) const {
    std::map<std::pair<std::uint32_t, bool>, std::vector<std::size_t>> at; // behind the line that ends there, or else
    for (std::size_t i = 0; i < added.size(); ++i)                         // in front of what begins there
      at[{added[i].place.offset, added[i].place.line == TextPlace::Line::Behind}].push_back(i);
    std::set<std::size_t> stay; // of `added`: those that the text has
    for (const auto &[place, placed] : at) {
      const std::vector<SiteId> forgotten = forgottenAt(place.first, place.second, decisions);
      const std::vector<std::pair<std::size_t, SiteId>> same = commonRun(placed, forgotten, added);
      if (place.second && !same.empty() && same.back().first != placed.back())
        continue; // no place is behind a statement that stays
      for (const auto &[number, site] : same) {
        stay.insert(number);
        keepAsItCame(decisions[site], KeptReason::Hazard, "the same statement is placed where it stands");
      }
      placeAround(placed, same, added);
    }
    std::size_t number = 0;
    std::erase_if(added, [&](const AddedSync &) { return stay.count(number++) != 0; });
    sortByPlace(added);
  }

  /// In front of that place or behind it, in their order, with nothing but blanks and comments between.
  std::vector<SiteId> forgottenAt(std::uint32_t offset, bool behind, const std::vector<SiteDecision> &decisions) const {
    std::vector<SiteId> found;
    for (SiteId site = firstFrom(offset); behind ? site < module.sites.size() : site > 0; behind ? ++site : --site) {
      const SiteId next = behind ? site : site - 1;
      const SyncSite &is = module.sites[next];
      if (is.soleBody || decisions[next].verdict != Verdict::Removed ||
          !(behind ? isBlank(offset, is.range.begin) : isBlank(is.range.end, offset)))
        break;
      found.push_back(next);
      offset = behind ? is.range.end : is.range.begin;
    }
    if (!behind)
      std::reverse(found.begin(), found.end());
    return found;
  }

  /// The first site that begins at a byte or behind it: they are in the order of the text.
  SiteId firstFrom(std::uint32_t offset) const {
    const auto first = std::partition_point(module.sites.begin(), module.sites.end(),
                                            [&](const SyncSite &site) { return site.range.begin < offset; });
    return static_cast<SiteId>(first - module.sites.begin());
  }

  /// True for whole lines of comments, blanks and empty statements.
  bool isBlank(std::uint32_t begin, std::uint32_t end) const {
    llvm::StringRef between = llvm::StringRef(module.source.text()).slice(begin, end);
    while (!between.empty()) {
      auto [line, rest] = between.split('\n');
      line = line.trim(" \t\r;");
      if (line.consume_front("/* ptosync: removed "))
        line = line.split("*/").second.trim();
      if (!line.empty() && !line.starts_with("//"))
        return false;
      between = rest;
    }
    return true;
  }

  /// The longest row of statements that both have in the same order.
  std::vector<std::pair<std::size_t, SiteId>> commonRun(const std::vector<std::size_t> &placed,
                                                        const std::vector<SiteId> &forgotten,
                                                        const std::vector<AddedSync> &added) const {
    const std::size_t width = forgotten.size() + 1;
    std::vector<std::size_t> longest((placed.size() + 1) * width, 0); // of what is left from here on
    auto isSame = [&](std::size_t i, std::size_t j) {
      const AddedSync &one = added[placed[i]];
      return one.guard.empty() && one.statement == module.sites[forgotten[j]].text + ";";
    };
    for (std::size_t i = placed.size(); i-- > 0;)
      for (std::size_t j = forgotten.size(); j-- > 0;)
        longest[i * width + j] = isSame(i, j) ? longest[(i + 1) * width + j + 1] + 1
                                              : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    std::vector<std::pair<std::size_t, SiteId>> same;
    for (std::size_t i = 0, j = 0; i < placed.size() && j < forgotten.size();)
      if (isSame(i, j))
        same.emplace_back(placed[i++], forgotten[j++]);
      else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        ++i;
      else
        ++j;
    return same;
  }

  /// What is placed in front of a statement that stays moves in front of it.
  void placeAround(const std::vector<std::size_t> &placed, const std::vector<std::pair<std::size_t, SiteId>> &same,
                   std::vector<AddedSync> &added) const {
    auto next = same.begin();
    std::uint32_t rank = 0;
    for (std::size_t number : placed) {
      if (next != same.end() && next->first == number) {
        ++next;
        rank = 0;
        continue;
      }
      if (next != same.end())
        added[number].place = placeInFront(module.source, module.sites[next->second].range.begin);
      added[number].place.rank = rank++;
    }
  }

  /// What the careful side costs: the syncs that would go if the contested rules of the machine held.
  llvm::Error countContested(ResyncResult &result) const {
    llvm::Expected<std::string> text = patchedText(module, result.decisions);
    if (!text)
      return text.takeError();
    llvm::Expected<Module> after = lift(*text);
    if (!after)
      return after.takeError();
    OptimizeOptions trusting = options.optimize;
    trusting.ordering.contestedRulesHold = true;
    const OptimizeResult less = optimize(*after, machine, catalogue, trusting);
    for (std::size_t number = 0; number < module.kernels.size(); ++number) {
      KernelResync &about = result.kernels[number];
      const Kernel *is = about.left ? nullptr : kernelLike(*after, module.kernels[number]);
      if (!is)
        continue;
      std::set<SiteId> gone;
      for (SiteId site : sitesOf(*is))
        if (less.decisions[site].verdict == Verdict::Removed)
          gone.insert(site);
      if (gone.empty())
        continue;
      const timing::KernelTiming timed = std::move(timing::timeCores({is}, machine, options.timed, costs).front());
      const Kernel trusted = withoutSites(*is, gone);
      about.contested = gone.size();
      about.contestedCycles =
          timed.estimate().cycles -
          timing::timeCores({&trusted}, machine, options.timed, costs, timed.inputs()).front().estimate().cycles;
    }
    return llvm::Error::success();
  }

  bool isChanged(const OptimizeResult &decided, const KernelResync &about) const {
    return std::any_of(decided.added.begin(), decided.added.end(),
                       [&](const AddedSync &sync) { return isOf(sync, about); }) ||
           std::any_of(decided.decisions.begin(), decided.decisions.end(), [&](const SiteDecision &decision) {
             return decision.verdict == Verdict::Removed && runsThrough(decision, about);
           });
  }
  static bool isOf(const AddedSync &sync, const KernelResync &about) {
    return sync.kernel == about.kernel && sync.section == about.section;
  }
  static bool runsThrough(const SiteDecision &decision, const KernelResync &about) {
    return llvm::is_contained(decision.kernels, about.kernel) && llvm::is_contained(decision.sections, about.section);
  }

  /// With kernels that are left as they came, and edits numbered, one for each kernel.
  OptimizeResult finished(OptimizeResult decided, ResyncResult &result) const {
    std::uint32_t edits = 0;
    std::vector<std::uint32_t> editOf(result.kernels.size(), 0);
    for (std::size_t number = 0; number < result.kernels.size(); ++number) {
      KernelResync &about = result.kernels[number];
      about.changed = !about.left && isChanged(decided, about);
      if (about.changed && most && edits >= *most) {
        about.changed = false;
        about.left = true;
        about.reason = "--max-removals leaves it out";
      }
      if (!about.changed && !about.left && (about.reason.empty() || !sitesOf(module.kernels[number]).empty()))
        about.reason = "it has already what would be placed";
      if (about.changed)
        editOf[number] = ++edits;
    }
    for (std::size_t number = 0; number < result.kernels.size(); ++number) {
      const KernelResync &about = result.kernels[number];
      for (SiteDecision &decision : decided.decisions)
        if (decision.verdict == Verdict::Removed && runsThrough(decision, about)) {
          if (editOf[number] == 0)
            keepAsItCame(decision, KeptReason::Unresolved, "a kernel that it is in is left as it came");
          else if (decision.edit == 0)
            decision.edit = editOf[number];
        }
      if (editOf[number] == 0)
        std::erase_if(decided.added, [&](const AddedSync &sync) { return isOf(sync, about); });
      for (AddedSync &added : decided.added)
        if (isOf(added, about))
          added.edit = editOf[number];
    }
    return decided;
  }

  static void keepAsItCame(SiteDecision &decision, KeptReason reason, const char *why) {
    decision.verdict = Verdict::Kept;
    decision.edit = 0;
    decision.pattern.clear();
    decision.evidence.clear();
    decision.reason = reason;
    decision.detail = why;
  }

  const Module &module;
  const Machine &machine;
  const Catalogue &catalogue;
  const timing::CostTable &costs;
  ResyncOptions options;
  const Lift &lift;
  std::optional<std::size_t> most; // edits
};

} // namespace

llvm::Expected<ResyncResult> synchronise(const Module &module, const Machine &machine, const Catalogue &catalogue,
                                         const timing::CostTable &costs, const ResyncOptions &options,
                                         const Lift &read) {
  const Lift lift = remembering(read);
  return FileSynchroniser(module, machine, catalogue, costs, options, lift).run();
}

} // namespace ptosync::synthesis
