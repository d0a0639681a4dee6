#include "synthesis/synchronise.h"

#include "optimize/wording.h"
#include "ordering/kernel_analysis.h"
#include "rewrite/sync_edits.h"
#include "synthesis/kernel_state.h"
#include "synthesis/placed_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

using EventName = std::tuple<Pipe, Pipe, std::string>;

/// "EVENT_ID0" with its pipes; a barrier has no event.
std::optional<EventName> eventNameOf(const SyncSite &site) {
  if (site.kind != SyncKind::SetFlag && site.kind != SyncKind::WaitFlag)
    return std::nullopt;
  llvm::StringRef id = llvm::StringRef(site.text).rsplit(',').second;
  return EventName{site.source, site.destination, id.trim(" )").str()};
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
      result.kernels.push_back({kernel.name, kernel.section, kernel.line, false, ""});
    for (std::size_t number = 0; number < module.kernels.size(); ++number)
      if (!module.notEdited.empty())
        leave(result, number, "nothing of the file is edited: " + module.notEdited);
      else if (numberedStatements(module.kernels[number]).empty())
        continue;
      else if (!module.kernels[number].analysable)
        leave(result, number, module.kernels[number].reason);
      else if (std::optional<std::string> named = idsOfTheRun(module))
        leave(result, number, *named);
    OptimizeResult decided = forgotten();
    addEndFences(decided, result);
    if (llvm::Error error = placeOn(decided, result, /*inputStands=*/false))
      return std::move(error);
    if (llvm::Error error = orderTheRest(decided, result))
      return std::move(error);
    timeInput(result);
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
    return result;
  }

private:
  static void leave(ResyncResult &result, std::size_t number, const std::string &why) {
    if (!isLeft(result.kernels[number]))
      result.kernels[number].reason = kNotSynchronised + why;
  }
  static bool isLeft(const KernelResync &about) { return about.reason.starts_with(kNotSynchronised); }

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

  /// Syncs that do more than synchronise: the id of their event is read from memory, say.
  std::set<SiteId> withInstructions() const {
    std::set<std::uint32_t> begins;
    for (const Kernel &kernel : module.kernels)
      for (const Statement *statement : numberedStatements(kernel))
        if (std::holds_alternative<Instruction>(statement->action))
          begins.insert(statement->range.begin);
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
    others.merge(withInstructions());
    auto stays = [&](SiteId site) { return !isEditable(module.sites[site]) || others.count(site) != 0; };
    std::set<EventName> held;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      if (std::optional<EventName> event = eventNameOf(module.sites[site]); event && stays(site))
        held.insert(*event);
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
                              "called several times, or it reads memory"
                            : protectionText(module.sites[site]);
      std::optional<EventName> event = eventNameOf(module.sites[site]);
      if (!stays(site) && run.count(site) && !(event && held.count(*event)))
        decideGone(decision);
    }
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
    return decided;
  }

  void add(OptimizeResult &decided, const Kernel &kernel, AddedSync added) const {
    added.kernel = kernel.name;
    added.section = kernel.section;
    decided.added.push_back(std::move(added));
  }

  /// Behind the last statement of a kernel's body that runs on a pipe, where no end fence stands.
  void addEndFences(OptimizeResult &decided, ResyncResult &result) const {
    for (std::size_t number = 0; number < module.kernels.size(); ++number) {
      const Kernel &kernel = module.kernels[number];
      if (isLeft(result.kernels[number]) || hasEndFence(kernel) || numberedStatements(kernel).empty())
        continue;
      llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options.optimize.ordering);
      if (!analysis) {
        leave(result, number, llvm::toString(analysis.takeError()));
        continue;
      }
      const std::vector<Node> &nodes = analysis->program().nodes;
      if (std::none_of(nodes.begin(), nodes.end(), runs))
        continue;
      llvm::Expected<StatementTree> tree = StatementTree::read(kernel);
      if (!tree) {
        leave(result, number, llvm::toString(tree.takeError()));
        continue;
      }
      std::optional<ChildPlace> last;
      std::uint32_t line = 0;
      for (const Node &node : nodes)
        if (runs(node))
          if (TreePath path = tree->pathOf(*node.statement); !path.empty() && (!last || *last <= path.front())) {
            last = path.front();
            line = node.statement->line;
          }
      if (!last)
        continue;
      const std::uint32_t endLine = module.source.position(tree->lists()[last->list].close).line;
      const NewSync fence{SyncKind::Barrier, ListPlace{last->list, last->child, true, kRanks - 1}};
      const Proposal proposal{
          Pipe::All, Pipe::All, {fence}, {"what still runs", "the end of the kernel", line, endLine}};
      for (AddedSync &added : additionsOf(proposal, -1, module.source, *tree))
        add(decided, kernel, std::move(added));
    }
    sortByPlace(decided.added);
  }

  /// True for what may still run where the kernel ends.
  static bool runs(const Node &node) { return !node.isFlag() && (!node.accesses.empty() || node.fence); }

  bool hasEndFence(const Kernel &kernel) const {
    const std::set<SiteId> sites = sitesOf(kernel);
    return std::any_of(sites.begin(), sites.end(), [&](SiteId site) {
      return module.sites[site].kind == SyncKind::Tail || module.sites[site].protection == Protection::Tail;
    });
  }

  /// Places the syncs of the text that was decided on anew; `decided` becomes what comes of it.
  llvm::Error placeOn(OptimizeResult &decided, ResyncResult &result, bool inputStands) const {
    llvm::Expected<PlacedKernel> placed = PlacedKernel::read(module, 0, decided, lift);
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
      if (isLeft(about) || same == found->kernels.end())
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
      if (isLeft(result.kernels[number]) || numberedStatements(module.kernels[number]).empty())
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

  llvm::Error addEverywhere(OptimizeResult &decided, const Kernel &kernel) const {
    llvm::Expected<StatementTree> tree = StatementTree::read(kernel);
    if (!tree)
      return tree.takeError();
    std::map<ChildPlace, std::uint32_t> places; // and the line
    for (const Statement *statement : numberedStatements(kernel))
      if (std::holds_alternative<Instruction>(statement->action))
        if (TreePath path = tree->pathOf(*statement); !path.empty())
          places.emplace(path.back(), statement->line);
    for (const auto &[place, line] : places) {
      const NewSync all{SyncKind::Barrier, ListPlace{place.list, place.child}};
      const Proposal proposal{Pipe::All, Pipe::All, {all}, {"what is in front of it", "the statement", line, line}};
      for (AddedSync &added : additionsOf(proposal, -1, module.source, *tree))
        add(decided, kernel, std::move(added));
    }
    return llvm::Error::success();
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
      about.changed = !isLeft(about) && isChanged(decided, about);
      if (about.changed && most && edits >= *most) {
        about.changed = false;
        about.reason = "--max-removals leaves it out";
      }
      if (about.changed)
        editOf[number] = ++edits;
    }
    for (std::size_t number = 0; number < result.kernels.size(); ++number) {
      const KernelResync &about = result.kernels[number];
      for (SiteDecision &decision : decided.decisions)
        if (decision.verdict == Verdict::Removed && runsThrough(decision, about)) {
          if (editOf[number] == 0)
            keepAsItCame(decision);
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

  static void keepAsItCame(SiteDecision &decision) {
    decision.verdict = Verdict::Kept;
    decision.edit = 0;
    decision.pattern.clear();
    decision.evidence.clear();
    decision.reason = KeptReason::Unresolved;
    decision.detail = "a kernel that it is in is left as it came";
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
