#include "explain/explain_sync.h"

#include "explain/access_text.h"
#include "explain/pair_order.h"
#include "explain/removal_conditions.h"
#include "explain/sync_effect.h"
#include "report/wording.h"

#include <algorithm>
#include <tuple>

namespace ptosync {
namespace {

class SyncExplainer {
public:
  SyncExplainer(const AnalysedFile &file, SiteId site)
      : file(file), site(file.module.sites[site]), decision(file.decisions().decisions[site]) {
    explained.kind = this->site.kind;
    explained.decision = decision;
    findStatements(site);
  }

  SyncExplanation run() {
    std::set<SiteId> sites;
    for (const SyncExplanation::Statement &statement : explained.statements)
      sites.insert(statement.site);
    for (std::size_t k = 0; k < file.kernels.size(); ++k)
      if (std::any_of(sites.begin(), sites.end(), [&](SiteId id) { return file.runsThrough(k, id); }))
        explained.effects.push_back(syncEffect(file, k, sites));
    if (decision.verdict != Verdict::Removed)
      explained.conditions = removalConditions(file, explained);
    explained.answer = answer();
    return std::move(explained);
  }

private:
  void findStatements(SiteId asked) {
    std::set<SiteId> sites = {asked};
    if (site.kind == SyncKind::SetFlag || site.kind == SyncKind::WaitFlag)
      for (const Web &web : file.webs())
        if (std::set<SiteId> all = web.sites(); all.count(asked)) {
          sites = std::move(all);
          explained.web = webText(web);
          explained.trouble = web.trouble;
        }
    for (SiteId id : sites)
      explained.statements.push_back({id, file.module.sites[id].line, printable(file.module.sites[id].text),
                                      file.decisions().decisions[id].verdict});
  }

  std::size_t count(std::size_t (*of)(const SyncEffect &)) const {
    std::size_t sum = 0;
    for (const SyncEffect &effect : explained.effects)
      sum += of(effect);
    return sum;
  }

  /// The plainest of the pairs that nothing else orders: one iteration, a true dependence, near each other.
  const Conflict *plainest() const {
    const Conflict *best = decision.witness ? &*decision.witness : nullptr;
    auto rank = [](const Conflict &conflict) {
      std::uint32_t low = std::min(conflict.earlier.line, conflict.later.line);
      return std::tuple(conflict.loopCarried, conflict.kind,
                        std::max(conflict.earlier.line, conflict.later.line) - low);
    };
    for (const SyncEffect &effect : explained.effects)
      for (const SyncEffect::Needed &entry : effect.needed)
        if (!best || rank(entry.conflict) < rank(*best))
          best = &entry.conflict;
    return best;
  }

  std::string answer() const {
    if (explained.effects.empty())
      return decision.detail.empty() ? "Not analysed" : "Not analysed: " + decision.detail;
    if (decision.verdict == Verdict::Removed)
      return removedText();
    if (decision.verdict == Verdict::Moved)
      return "Needed, but not here: `ptosync opt` moves it in front of " +
             describeLines(movedLines(file.module.source, decision), kMostPlaces) + " [" + decision.pattern + "]";
    return keptText();
  }

  std::string removedText() const {
    std::string text = "Not needed: `ptosync opt` removes it [" + decision.pattern + "]; ";
    std::size_t otherwise = count([](const SyncEffect &effect) {
      return static_cast<std::size_t>(std::count_if(effect.otherwise.begin(), effect.otherwise.end(),
                                                    [](const Evidence &evidence) { return evidence.relied; }));
    });
    bool web = explained.statements.size() > 1;
    if (web && std::any_of(explained.statements.begin(), explained.statements.end(),
                           [](const SyncExplanation::Statement &other) { return other.verdict != Verdict::Removed; }))
      return text + "the rest of its web stays and does its work";
    if (otherwise == 0)
      return text + "it orders nothing";
    return text + "what it orders, " + countOf(otherwise, "conflict") + ", is ordered otherwise too";
  }

  std::string keptText() const {
    std::string reason = decision.detail.empty() ? std::string(explainReason(decision.reason)) : decision.detail;
    switch (decision.reason) {
    case KeptReason::Hazard: return hazardText(reason);
    case KeptReason::Unresolved:
      return "Kept: it may be what orders " + (decision.witness ? pairText(*decision.witness) : std::string("a pair")) +
             ", which the analysis does not see ordered even with it";
    case KeptReason::Protected: return "Kept whatever it orders: " + reason;
    case KeptReason::NotNominated:
    case KeptReason::Limit: return "Not tried: " + reason;
    case KeptReason::NotAnalysed: return "Not analysed: " + reason;
    case KeptReason::Unbalanced:
      return "Kept, because its flag is not seen to be balanced: " + reason + " (see `ptosync audit`)";
    case KeptReason::Intermittent:
    case KeptReason::Unreached:
    case KeptReason::None: break;
    }
    return "Kept: " + reason;
  }

  std::string hazardText(const std::string &reason) const {
    std::size_t needed = count([](const SyncEffect &effect) { return effect.needed.size(); });
    if (needed == 0 && decision.witness)
      return "Needed: taken out alone it would leave nothing unordered, but what else orders " +
             pairText(*decision.witness) + " is removed by `ptosync opt` first";
    const Conflict *witness = plainest();
    if (!witness || (decision.detail.rfind("without it, ", 0) == 0))
      return "Needed: " + reason;
    std::string text = witness->kind == HazardKind::Fence
                           ? "Needed: it keeps " + pairText(*witness) + ", one of which is opaque, in order"
                       : witness->kind == HazardKind::FlagReuse
                           ? "Needed: without it a flag could be set again too early, " + pairText(*witness)
                           : "Needed: without it nothing makes " + laterText(*witness);
    return needed > 1 ? text + ", and " + countOf(needed - 1, "further pair") + " would be unordered" : text;
  }

  /// Without the calls around it: the evidence below has them.
  static std::string briefly(const InstructionPlace &place) {
    return "line " + std::to_string(place.line) + " " + printable(place.text);
  }

  static std::string pairText(const Conflict &conflict) {
    return briefly(conflict.earlier) + " and " + briefly(conflict.later);
  }

  /// "line 12 TADD(..) wait for line 10 TMUL(..) (RAW on UB [0, 128))".
  static std::string laterText(const Conflict &conflict) {
    return briefly(conflict.later) + " wait for " + briefly(conflict.earlier) +
           (conflict.loopCarried ? " of an earlier iteration" : "") + " (" + hazardKindName(conflict.kind) +
           (conflict.storage.empty() ? "" : " on " + placesText(conflict.storage)) + ")";
  }

  const AnalysedFile &file;
  const SyncSite &site;
  const SiteDecision &decision;
  SyncExplanation explained;
};

} // namespace

SyncExplanation explainSync(const AnalysedFile &file, SiteId site) { return SyncExplainer(file, site).run(); }

} // namespace ptosync
