#include "report/needed_syncs.h"

#include "base/messages.h"
#include "optimize/json_parts.h"
#include "optimize/wording.h"

#include <algorithm>

namespace ptosync {

using replay::FindingKind;
using replay::NeedAnswer;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kUndecidedLines = 8; // of one reason

void addTo(NeededSyncs::Count &count, const NeededSync &sync) {
  count.contested += sync.isNeeded() && !sync.need.unless.empty();
  ++(sync.isNeeded() ? count.needed : sync.isInNoRun() ? count.inNoRun : count.undecided);
}

/// "line 12 TADD(a, b, c) on PIPE_V, iteration 1 of the loop at line 9".
std::string placeText(const replay::Place &place) {
  return "line " + std::to_string(place.beforeLine) + " " + printable(place.text) +
         (place.pipe.empty() ? "" : " on " + place.pipe) + (place.iteration.empty() ? "" : ", " + place.iteration);
}

/// What goes wrong, without the run: "RAW on UB [0, 128): line 12 TADD(..) on PIPE_V -> line 14 TMUL(..) on PIPE_V".
std::string lossText(const replay::Finding &finding) {
  switch (finding.kind) {
  case FindingKind::Order:
    return finding.rule + (finding.storage.empty() ? "" : " on " + finding.storage) + ": " +
           placeText(finding.earlier) + " -> " + placeText(finding.later);
  case FindingKind::End: return "the kernel's end: " + placeText(finding.earlier) + " may still run";
  case FindingKind::Token: return "flag: " + printable(finding.text);
  case FindingKind::Deadlock: return "hang: " + printable(finding.text);
  case FindingKind::Streams: break;
  }
  return printable(finding.text);
}

/// The contested rule that the pair of a decision hangs on; empty: none is known.
std::string contestedRule(const SiteDecision *decision, const OptimizeResult &result) {
  if (!decision || !decision->witness)
    return "";
  for (const UnresolvedPair &pair : result.unresolved)
    if (!pair.silencedBy.empty() && pair.conflict.earlier.line == decision->witness->earlier.line &&
        pair.conflict.later.line == decision->witness->later.line)
      return pair.silencedBy;
  return "";
}

/// Why it stays all the same.
std::string inNoRunReason(const replay::Need &need, const SyncSite &site, const SiteDecision *decision, bool seen) {
  if ((need.nobodyComes || (decision && decision->reason == KeptReason::Unreached)) && !seen)
    return "no inputs lead to it, and it does not go for that alone";
  const std::string why = seen ? "nothing is lost without it on any path; "
                               : "all runs of the kernel are alike, and lose nothing without it; ";
  if (site.kind == SyncKind::Tail)
    return why + "an end fence always stays";
  if (decision && decision->reason == KeptReason::Protected)
    return why + "it is not to be edited";
  if (decision && seen)
    return why + "it stays as " + keptReasonName(decision->reason);
  return why + "the proof does not see that";
}

} // namespace

NeededSyncs::Count NeededSyncs::all() const {
  Count count;
  for (const auto &[site, sync] : bySite)
    addTo(count, sync);
  for (const NeededSync &sync : added)
    addTo(count, sync);
  return count;
}

NeededSyncs::Count NeededSyncs::barriers(const Module &module, const OptimizeResult &result) const {
  Count count;
  for (const auto &[site, sync] : bySite)
    if (module.sites[site].kind == SyncKind::Barrier)
      addTo(count, sync);
  for (std::size_t i = 0; i < added.size(); ++i)
    if (result.added[i].kind == SyncKind::Barrier)
      addTo(count, added[i]);
  return count;
}

std::string undecidedReason(const replay::Need &need, const SyncSite &site, const SiteDecision *decision,
                            const OptimizeResult &result, bool seen) {
  const std::string cut = need.cut ? "; a run that comes by it was stopped as too long" : "";
  switch (need.answer) {
  case NeedAnswer::Needed: return "";
  case NeedAnswer::InNoRun: return inNoRunReason(need, site, decision, seen);
  case NeedAnswer::MayMeet:
    return "addresses: no run was found in which these are known to meet: " + lossText(*need.finding) + cut;
  case NeedAnswer::Contested:
    return "contested rule: the order that goes with it is one in a contested reading of the machine alone: " +
           lossText(*need.finding) + cut;
  case NeedAnswer::NotReached: return "no run: none was found that comes by it";
  case NeedAnswer::NotAnalysed: return "no run: no kernel that can be analysed has it";
  case NeedAnswer::NothingLost: break;
  }
  if (site.kind == SyncKind::Tail)
    return "end of the kernel: no run has anything that it alone waits for" + cut;
  if (decision && decision->reason == KeptReason::Unbalanced)
    return "flag at fault: the input loses as much with it as without it" + cut;
  if (decision && decision->reason == KeptReason::Protected && !decision->witness)
    return "not to be edited: no run loses anything without it" + cut;
  if (const std::string rule = contestedRule(decision, result); !rule.empty())
    return "contested rule: no run loses an order without it that " + rule + " does not give" + cut;
  if (decision && decision->witness && decision->witness->kind == HazardKind::Fence)
    return "fence: no run loses an order relative to it: " + describeConflict(*decision->witness) + cut;
  if (decision && decision->witness)
    return "addresses: no run was found in which these meet without an order: " + describeConflict(*decision->witness) +
           cut;
  return "no loss: no run loses anything without it" + cut;
}

bool isMinimal(const Module &module, const NeededSyncs &needed) {
  for (const auto &[site, sync] : needed.bySite)
    if (!sync.isNeeded() && (!sync.isInNoRun() || isEditable(module.sites[site])))
      return false;
  return std::all_of(needed.added.begin(), needed.added.end(), [](const NeededSync &sync) { return sync.isNeeded(); });
}

std::string neededLine(const NeededSync &sync) {
  if (!sync.isNeeded())
    return (sync.isInNoRun() ? "needed in no run: " : "undecided: ") + sync.reason;
  const replay::Finding &finding = *sync.need.finding;
  return "needed: " + lossText(finding) + " (" + describeKernel(finding.kernel, finding.section) +
         (finding.run.empty() ? "" : ", run with " + printable(finding.run)) + ")" +
         (sync.need.unless.empty() ? "" : ", unless the contested rule " + sync.need.unless + " holds");
}

std::string neededSummary(const NeededSyncs &needed) {
  const NeededSyncs::Count count = needed.all();
  return "kept: " + std::to_string(count.needed) + " needed in some run" +
         (count.contested ? " (" + std::to_string(count.contested) + " unless a contested rule holds)" : "") + ", " +
         (count.inNoRun ? std::to_string(count.inNoRun) + " needed in no run, " : "") +
         std::to_string(count.undecided) + " undecided";
}

std::string neededPart(const Module &module, const OptimizeResult &result, const NeededSyncs &needed) {
  std::map<std::pair<bool, std::string>, std::vector<std::uint32_t>> others; // by whether it is certain, and why
  auto note = [&](const NeededSync &sync, std::uint32_t line) {
    if (!sync.isNeeded())
      others[{!sync.isInNoRun(), sync.reason}].push_back(line);
  };
  for (const auto &[site, sync] : needed.bySite)
    note(sync, module.sites[site].line);
  for (std::size_t i = 0; i < needed.added.size(); ++i)
    note(needed.added[i], module.source.position(result.added[i].place.offset).line);
  std::string text = neededSummary(needed) + "\n";
  for (const auto &[why, lines] : others)
    text += (why.first ? "  undecided at " : "  needed in no run, at ") + describeLines(lines, kUndecidedLines) + ": " +
            why.second + "\n";
  return text;
}

Json neededJson(const NeededSync &sync) {
  auto place = [](const replay::Place &one) -> Json {
    if (one.text.empty())
      return nullptr;
    return {
        {"text", one.text}, {"line", one.beforeLine}, {"pipe", orNull(one.pipe)}, {"iteration", orNull(one.iteration)}};
  };
  Json json = {{"answer", sync.isNeeded()    ? "needed"
                          : sync.isInNoRun() ? "in-no-run"
                                             : "undecided"},
               {"why", replay::needAnswerName(sync.need.answer)},
               {"reason", orNull(sync.reason)},
               {"unless", orNull(sync.need.unless)},
               {"lost", nullptr}};
  if (const std::optional<replay::Finding> &finding = sync.need.finding)
    json["lost"] = {{"kind", replay::findingName(finding->kind)},
                    {"rule", orNull(finding->rule)},
                    {"kernel", finding->kernel},
                    {"section", sectionName(finding->section)},
                    {"run", finding->run},
                    {"earlier", place(finding->earlier)},
                    {"later", place(finding->later)},
                    {"storage", orNull(finding->storage)},
                    {"text", finding->text}};
  return json;
}

Json neededSummaryJson(const Module &module, const OptimizeResult &result, const NeededSyncs &needed) {
  auto json = [](const NeededSyncs::Count &count) -> Json {
    return {{"needed", count.needed},
            {"contested", count.contested},
            {"inNoRun", count.inNoRun},
            {"undecided", count.undecided}};
  };
  Json summary = json(needed.all());
  summary["barriers"] = json(needed.barriers(module, result));
  return summary;
}

} // namespace ptosync
