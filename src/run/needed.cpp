#include "run/needed.h"

#include "frontend/frontend.h"
#include "kernel/sync_plan.h"
#include "ordering/kernel_analysis.h"
#include "rewrite/sync_edits.h"
#include "synthesis/order_comparison.h"
#include "synthesis/verification.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <cctype>
#include <map>
#include <utility>
#include <vector>

namespace ptosync {

namespace {

/// The kernels as the result has them, and which statement is which.
struct ResultFile {
  Module module;
  std::vector<SiteId> origins;                     // by site: that of the input; kNone: it was put in
  std::vector<std::size_t> addedAs;                // by site: its number in OptimizeResult::added; SIZE_MAX: none
  std::optional<OldLines> lines;                   // empty: those of the input
  std::map<std::uint32_t, std::uint32_t> newLines; // by line of the input, where they differ

  std::uint32_t lineOf(std::uint32_t inputLine) const {
    auto found = newLines.find(inputLine);
    return found == newLines.end() ? inputLine : found->second;
  }
};

ResultFile withoutRemoved(const Module &module, const OptimizeResult &result) {
  std::set<SiteId> removed;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict == Verdict::Removed)
      removed.insert(decision.site);
  ResultFile file{withoutSites(module, removed), {}, {}, std::nullopt, {}};
  for (SiteId site = 0; site < module.sites.size(); ++site)
    file.origins.push_back(removed.count(site) ? kNone : site);
  file.addedAs.assign(module.sites.size(), SIZE_MAX);
  return file;
}

/// Statements are known again by the line that they had and their text; those that were put in by their text, in the
/// order of their places.
void findOrigins(ResultFile &file, const Module &input, const OptimizeResult &result) {
  std::map<std::pair<std::uint32_t, std::string>, std::vector<SiteId>> known;
  std::map<SiteId, bool> moved;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict != Verdict::Removed) {
      known[{input.sites[decision.site].line, input.sites[decision.site].text}].push_back(decision.site);
      moved[decision.site] = decision.verdict == Verdict::Moved;
    }
  std::vector<bool> taken(result.added.size(), false);
  for (const SyncSite &site : file.module.sites) {
    SiteId origin = kNone;
    std::size_t added = SIZE_MAX;
    auto found = known.find({file.lines->before(site.line), site.text});
    if (found != known.end() && !found->second.empty() &&
        (!file.lines->holdsPutIn(site.line) || moved[found->second.front()])) {
      origin = found->second.front();
      if (!moved[origin]) // a moved one may have a copy in each arm of a branch
        found->second.erase(found->second.begin());
    } else {
      for (std::size_t i = 0; i < taken.size() && added == SIZE_MAX; ++i)
        if (!taken[i] && llvm::StringRef(result.added[i].statement).rtrim(';') == llvm::StringRef(site.text).rtrim(';'))
          added = i;
      if (added != SIZE_MAX)
        taken[added] = true;
    }
    file.origins.push_back(origin);
    file.addedAs.push_back(added);
  }
}

llvm::Expected<ResultFile> readResult(const Module &module, const OptimizeResult &result, const std::string &patched,
                                      const Machine &machine, const RunChoices &choices) {
  const bool moved =
      llvm::any_of(result.decisions, [](const SiteDecision &decision) { return decision.verdict == Verdict::Moved; });
  if (!moved && result.added.empty())
    return withoutRemoved(module, result);
  llvm::Expected<Module> lifted =
      liftModule(SourceText(module.source.name(), patched), frontendOptions(machine, choices));
  if (!lifted)
    return lifted.takeError();
  ResultFile file{std::move(*lifted), {}, {}, std::nullopt, {}};
  file.lines.emplace(file.module, &module);
  for (std::uint32_t line = 1; line <= file.module.source.lineCount(); ++line)
    if (!file.lines->holdsPutIn(line))
      file.newLines[file.lines->before(line)] = line;
  findOrigins(file, module, result);
  return file;
}

/// The webs of all kernels; what shares a statement is one.
std::vector<Web> websOfFile(const Module &module, const Machine &machine, const OrderingOptions &options) {
  std::vector<std::vector<Web>> all;
  for (const Kernel &kernel : module.kernels) {
    llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options);
    if (!analysis) {
      llvm::consumeError(analysis.takeError());
      continue;
    }
    const SyncLayout layout;
    all.push_back(findWebs(analysis->program(), layout, TokenStates(analysis->program(), layout)));
  }
  return joinWebs(all);
}

class Questions {
public:
  Questions(const ResultFile &file, const OptimizeResult &result, const std::optional<std::set<SiteId>> &only)
      : file(file), result(result), only(only), asked(file.module.sites.size(), false) {}

  void add(const std::set<SiteId> &sites) {
    replay::NeedQuestion question;
    bool wanted = false;
    for (SiteId site : sites) {
      if (stays(site))
        question.sites.insert(site);
      const SiteId origin = file.origins[site];
      wanted |= stays(site) && (!only || (origin != kNone && only->count(origin) != 0));
      asked[site] = true;
      if (origin != kNone)
        if (const std::optional<Conflict> &witness = result.decisions[origin].witness)
          question.pairs.emplace_back(file.lineOf(witness->earlier.line), file.lineOf(witness->later.line));
    }
    if (!wanted)
      return;
    llvm::sort(question.pairs);
    question.pairs.erase(llvm::unique(question.pairs), question.pairs.end());
    list.push_back(std::move(question));
  }

  /// What is in no web, each by itself.
  void addRest() {
    for (SiteId site = 0; site < asked.size(); ++site)
      if (!asked[site])
        add({site});
  }

  std::vector<replay::NeedQuestion> list;

private:
  bool stays(SiteId site) const { return file.origins[site] != kNone || file.addedAs[site] != SIZE_MAX; }

  const ResultFile &file;
  const OptimizeResult &result;
  const std::optional<std::set<SiteId>> &only;
  std::vector<bool> asked; // by site
};

/// True if the analysis sees nothing lost without the syncs, on any path of any kernel that has one of them, in a file
/// whose flags are binary. With an end fence among them nothing may run where a kernel ends.
bool isSeenIdle(const Module &module, const std::set<SiteId> &sites, const Machine &machine,
                const OrderingOptions &options) {
  const bool ends = llvm::any_of(sites, [&](SiteId site) { return module.sites[site].kind == SyncKind::Tail; });
  for (const Kernel &kernel : module.kernels) {
    const std::set<SiteId> own = sitesOf(kernel);
    if (kernel.analysable && llvm::none_of(sites, [&](SiteId site) { return own.count(site) != 0; }))
      continue;
    const Kernel less = withoutSites(kernel, sites);
    llvm::Expected<Analysis> after = Analysis::of(less, machine, options);
    if (!after) {
      llvm::consumeError(after.takeError());
      return false;
    }
    const Pending &pending = after->pending();
    if (pending.tooManyOpen() || !pending.tokenFaults().empty())
      return false;
    if (ends && !synthesis::runningAtEnds(*after).empty())
      return false;
    llvm::Expected<std::optional<synthesis::LostOrder>> lost =
        synthesis::lostOrder(kernel, *after, machine, options, PathCheck::FaultyFlags::MayOrder);
    if (!lost) {
      llvm::consumeError(lost.takeError());
      return false;
    }
    if (*lost)
      return false;
  }
  return true;
}

/// False for what the analysis does not look at: where nobody is seen to come.
bool mayBeSeen(const std::vector<SiteId> &origins, const std::set<SiteId> &sites, const OptimizeResult &result) {
  return llvm::none_of(sites, [&](SiteId site) {
    return origins[site] != kNone && result.decisions[origins[site]].reason == KeptReason::Unreached;
  });
}

/// The text with each "line N" of the result as the input's line.
std::string withInputLines(const std::string &text, const OldLines &lines) {
  constexpr llvm::StringLiteral kLine = "line ";
  std::string changed;
  for (std::size_t i = 0; i < text.size();) {
    if (!llvm::StringRef(text).substr(i).starts_with(kLine)) {
      changed += text[i++];
      continue;
    }
    changed += kLine.str();
    i += kLine.size();
    std::uint32_t number = 0;
    const std::size_t from = i;
    while (i < text.size() && llvm::isDigit(text[i]))
      number = number * 10 + static_cast<std::uint32_t>(text[i++] - '0');
    if (i > from)
      changed += std::to_string(lines.before(number));
  }
  return changed;
}

void toInputLines(replay::Finding &finding, const OldLines &lines) {
  for (replay::Place *place : {&finding.earlier, &finding.later}) {
    place->beforeLine = place->beforeLine ? lines.before(place->beforeLine) : 0;
    place->afterLine = place->beforeLine;
    place->iteration = withInputLines(place->iteration, lines);
  }
  for (std::string &sync : finding.order)
    sync = withInputLines(sync, lines);
  finding.text = withInputLines(finding.text, lines);
}

} // namespace

llvm::Expected<NeededSyncs> askNeeded(const Module &module, const OptimizeResult &result, const std::string &patched,
                                      const Machine &machine, const RunChoices &choices,
                                      const std::optional<std::set<SiteId>> &only) {
  llvm::Expected<ResultFile> file = readResult(module, result, patched, machine, choices);
  if (!file)
    return file.takeError();
  Questions questions(*file, result, only);
  for (const Web &web : websOfFile(file->module, machine, choices.optimize.ordering))
    questions.add(web.sites());
  questions.addRest();
  llvm::Expected<std::vector<replay::Need>> needs =
      replay::whatIsNeeded(file->module, questions.list, machine, replayOptions(choices));
  if (!needs)
    return needs.takeError();
  NeededSyncs needed;
  const auto unknown = [] { return NeededSync{{}, "no run: the statement is not found in the text of the result"}; };
  needed.added.assign(only ? 0 : result.added.size(), unknown());
  if (!only)
    for (const SiteDecision &decision : result.decisions)
      if (decision.verdict != Verdict::Removed)
        needed.bySite.emplace(decision.site, unknown());
  for (std::size_t i = 0; i < needs->size(); ++i) {
    replay::Need &need = (*needs)[i];
    if (need.finding && file->lines)
      toInputLines(*need.finding, *file->lines);
    const bool seen = need.answer == replay::NeedAnswer::NothingLost &&
                      mayBeSeen(file->origins, questions.list[i].sites, result) &&
                      isSeenIdle(file->module, questions.list[i].sites, machine, choices.optimize.ordering);
    if (seen)
      need.answer = replay::NeedAnswer::InNoRun;
    for (SiteId site : questions.list[i].sites) {
      const SiteId origin = file->origins[site];
      const SiteDecision *decision = origin == kNone ? nullptr : &result.decisions[origin];
      NeededSync sync{need, undecidedReason(need, file->module.sites[site], decision, result, seen)};
      if (origin != kNone && (!only || only->count(origin)))
        needed.bySite[origin] = std::move(sync);
      else if (file->addedAs[site] != SIZE_MAX && !only)
        needed.added[file->addedAs[site]] = std::move(sync);
    }
  }
  return needed;
}

} // namespace ptosync
