#include "report/json_report.h"

#include "optimize/json_parts.h"
#include "optimize/library_use.h"
#include "optimize/wording.h"
#include "report/needed_syncs.h"
#include "report/report.h"
#include "rewrite/approval.h"
#include "rewrite/edit_fingerprint.h"
#include "timing/cost_report.h"

#include <array>
#include <cmath>
#include <map>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<KeptReason, 10> kKeptReasons = {
    KeptReason::Hazard,      KeptReason::Unresolved, KeptReason::Protected,    KeptReason::NotNominated,
    KeptReason::NotAnalysed, KeptReason::Unbalanced, KeptReason::Intermittent, KeptReason::Unreached,
    KeptReason::Limit,       KeptReason::NotApproved};

const char *syncKindName(SyncKind kind) {
  switch (kind) {
  case SyncKind::Barrier: return "barrier";
  case SyncKind::SetFlag: return "set-flag";
  case SyncKind::WaitFlag: return "wait-flag";
  case SyncKind::Tail: return "tail";
  case SyncKind::GetBuffer: return "get-buffer";
  case SyncKind::ReleaseBuffer: return "release-buffer";
  }
  return "?";
}

/// The pipe of a barrier, source and destination of a flag; an end fence names none.
Json sitePipes(const SyncSite &site) {
  Json pipes = Json::array();
  if (site.kind != SyncKind::Tail)
    pipes.push_back(pipeName(site.source));
  if (isFlag(site.kind))
    pipes.push_back(pipeName(site.destination));
  return pipes;
}

using Fingerprints = std::map<std::uint32_t, std::string>; // by the number of the edit

/// What runs say of a statement that stays, if they were asked.
void addNeeded(Json &json, const ReportInput &input, SiteId site) {
  if (!input.needed)
    return;
  if (auto found = input.needed->bySite.find(site); found != input.needed->bySite.end())
    json["needed"] = neededJson(found->second);
}

Json siteJson(const ReportInput &input, const SiteDecision &decision, const Fingerprints &fingerprints) {
  const SyncSite &site = input.module->sites[decision.site];
  Json sections = Json::array();
  for (Section section : decision.sections)
    sections.push_back(sectionName(section));
  bool moved = decision.verdict == Verdict::Moved;
  Json json = {{"line", site.line},
               {"column", site.column},
               {"statement", site.text},
               {"kind", syncKindName(site.kind)},
               {"pipes", sitePipes(site)},
               {"sections", std::move(sections)},
               {"kernels", decision.kernels},
               {"verdict", verdictName(decision.verdict)},
               {"pattern", orNull(decision.pattern)}};
  if (decision.verdict != Verdict::Kept) {
    json["edit"] = decision.edit;
    json["fingerprint"] = fingerprints.at(decision.edit);
    if (moved)
      json["movedToLines"] = movedLines(input.module->source, decision);
    json["replayed"] = !input.notReplayed.count(decision.site);
    json["evidence"] = Json::array();
    for (const Evidence &evidence : decision.evidence)
      json["evidence"].push_back(evidenceJson(evidence));
    addNeeded(json, input, decision.site);
    return json;
  }
  json["reason"] = keptReasonName(decision.reason);
  json["detail"] = decision.detail;
  json["witness"] = conflictOrNull(decision.witness);
  addNeeded(json, input, decision.site);
  return json;
}

void addTally(Json &json, const Tally &tally) {
  json["found"] = tally.found;
  json["removed"] = tally.removed;
  json["moved"] = tally.moved;
  json["kept"] = tally.kept();
}

Json tallyJson(const Tally &tally) {
  Json json;
  addTally(json, tally);
  return json;
}

void addSectionRow(Json &rows, SectionRow section, std::string_view sync, const Tally &tally) {
  Json row = {{"section", sectionRowName(section)}, {"sync", sync}};
  addTally(row, tally);
  rows.push_back(std::move(row));
}

Json summaryJson(const ReportInput &input, const Counts &counts) {
  Json rows = Json::array(), patterns = Json::array(), reasons = Json::object();
  for (const auto &[row, section] : counts.sections) {
    for (const auto &[pipe, tally] : section.barriers)
      addSectionRow(rows, row, pipeName(pipe), tally);
    if (section.flags.found > 0)
      addSectionRow(rows, row, "flags", section.flags);
    if (section.buffers.found > 0)
      addSectionRow(rows, row, "buffers", section.buffers);
    if (section.tails.found > 0)
      addSectionRow(rows, row, "tail", section.tails);
  }
  for (const PatternCount &pattern : counts.patterns)
    patterns.push_back({{"id", pattern.id},
                        {"matched", pattern.sites.found},
                        {"removed", pattern.sites.removed},
                        {"moved", pattern.sites.moved}});
  for (KeptReason reason : kKeptReasons) {
    auto kept = counts.kept.find(reason);
    reasons[keptReasonName(reason)] = kept == counts.kept.end() ? 0u : kept->second;
  }
  Json summary = {{"barriers", tallyJson(counts.barriers)}, {"flags", tallyJson(counts.flags)}};
  if (counts.buffers.found > 0)
    summary["buffers"] = tallyJson(counts.buffers);
  summary["tails"] = tallyJson(counts.tails);
  summary["notReplayed"] = input.notReplayed.size();
  if (input.needed)
    summary["needed"] = neededSummaryJson(*input.module, *input.result, *input.needed);
  summary["sections"] = std::move(rows);
  summary["patterns"] = std::move(patterns);
  summary["keptBecause"] = std::move(reasons);
  return summary;
}

Json sitesJson(const ReportInput &input, const Fingerprints &fingerprints) {
  Json sites = Json::array();
  for (const SiteDecision &decision : input.result->decisions)
    if (decision.site < input.module->sites.size())
      sites.push_back(siteJson(input, decision, fingerprints));
  return sites;
}

/// What stood in the way: the lists below the sites.
void addTrouble(Json &json, const ReportInput &input) {
  Json calls = Json::array(), skipped = Json::array(), pairs = Json::array(), faults = Json::array();
  for (const UnknownCall &call : input.module->unknownCalls)
    calls.push_back({{"name", call.name}, {"lines", call.lines}});
  for (const SkippedKernel &kernel : input.result->skipped)
    skipped.push_back({{"kernel", kernel.kernel},
                       {"section", sectionName(kernel.section)},
                       {"line", kernel.line},
                       {"reason", kernel.reason}});
  for (const UnresolvedPair &pair : input.result->unresolved)
    pairs.push_back({{"kernel", pair.kernel},
                     {"section", sectionName(pair.section)},
                     {"conflict", conflictJson(pair.conflict)},
                     {"silencedBy", orNull(pair.silencedBy)}});
  for (const TokenFault &fault : input.result->tokenFaults)
    faults.push_back({{"kernel", fault.kernel},
                      {"section", sectionName(fault.section)},
                      {"line", fault.line},
                      {"text", fault.text}});
  json["unknownCalls"] = std::move(calls);
  json["skipped"] = std::move(skipped);
  json["unresolved"] = std::move(pairs);
  json["tokenFaults"] = std::move(faults);
}

/// Lines are those of the input: an added sync stands in front of that line, or behind it.
Json resyncJson(const ReportInput &input, const Fingerprints &fingerprints) {
  Json kernels = Json::array(), added = Json::array();
  auto cycles = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
  for (const synthesis::KernelResync &kernel : *input.resync) {
    kernels.push_back({{"kernel", kernel.kernel},
                       {"section", sectionName(kernel.section)},
                       {"line", kernel.line},
                       {"placedAnew", kernel.changed},
                       {"leftAsItCame", kernel.left},
                       {"reason", orNull(kernel.reason)},
                       {"before", cycles(kernel.before)},
                       {"pruned", cycles(kernel.pruned)},
                       {"after", cycles(kernel.after)},
                       {"limit", cycles(kernel.limit)},
                       {"contested", {{"syncs", kernel.contested}, {"cycles", cycles(kernel.contestedCycles)}}}});
    if (!kernel.tokens.empty())
      kernels.back()["tokens"] = kernel.tokens;
  }
  for (std::size_t i = 0; i < input.result->added.size(); ++i) {
    const AddedSync &sync = input.result->added[i];
    added.push_back({{"edit", sync.edit},
                     {"fingerprint", fingerprints.at(sync.edit)},
                     {"kernel", sync.kernel},
                     {"section", sectionName(sync.section)},
                     {"line", input.module->source.position(sync.place.offset).line},
                     {"statement", sync.statement},
                     {"guard", orNull(sync.guard)},
                     {"earlier", sync.earlier},
                     {"earlierLine", sync.earlierLine},
                     {"later", sync.later},
                     {"laterLine", sync.laterLine}});
    if (input.needed && i < input.needed->added.size())
      added.back()["needed"] = neededJson(input.needed->added[i]);
  }
  return {{"kernels", std::move(kernels)}, {"added", std::move(added)}};
}

/// The entries have the form of those of an approval file.
Json approvalJson(const ApprovalOutcome &outcome) {
  Json blocked = Json::array();
  for (const ApprovalOutcome::Blocked &one : outcome.blocked) {
    blocked.push_back(approvalEntry(one.edit));
    blocked.back()["needs"] = arrayOf(one.needs, approvalEntry);
  }
  return {{"rest", outcome.appliesRest ? "apply" : "hold"},
          {"applied", outcome.applied},
          {"new", arrayOf(outcome.fresh, approvalEntry)},
          {"rejected", arrayOf(outcome.rejected, approvalEntry)},
          {"blocked", std::move(blocked)}};
}

Json rewritesJson(const std::vector<FifoDecision> &decisions) {
  Json list = Json::array();
  for (const FifoDecision &decision : decisions) {
    Json json = {{"pattern", decision.pattern},
                 {"line", decision.line},
                 {"fifo", fifoTypeText(decision.type)},
                 {"kernels", decision.kernels},
                 {"verdict", decision.changed() ? "rewritten" : "kept"},
                 {"slotBytes", decision.type.slotBytes},
                 {"slots", decision.type.slots},
                 {"localSlotsBefore", decision.type.localSlots},
                 {"localSlots", decision.localSlots},
                 {"entriesInUse", decision.inUse},
                 {"ring", nullptr}};
    if (decision.popsTiles)
      json["ring"] = {{"space", decision.space},
                      {"begin", decision.ringBegin},
                      {"bytes", decision.ringBytes()},
                      {"spaceBytes", decision.spaceBytes}};
    if (decision.changed())
      json["evidence"] = decision.evidence;
    else
      json["reason"] = decision.reason;
    list.push_back(std::move(json));
  }
  return list;
}

} // namespace

Json approvalEntry(const EditName &edit) {
  return {{"fingerprint", edit.fingerprint}, {"kernel", edit.kernel}, {"edit", edit.title}};
}

Json jsonReport(const ReportInput &input) {
  const Fingerprints fingerprints = editFingerprints(*input.module, *input.result);
  Json json = {{"schema", kJsonReportSchema},
               {"tool", "ptosync"},
               {"version", input.toolVersion},
               {"file", input.module->source.name()},
               {"arch", input.arch},
               {"archChoice", input.archChoice},
               {"library", orNull(input.library)},
               {"trust", trustName(input.trust)},
               {"libraryUse", libraryUseJson(input.libraryUse)},
               {"patterns", {{"selection", input.patterns}, {"enabled", input.patternIds}}},
               {"summary", summaryJson(input, countSites(input))},
               {"sites", sitesJson(input, fingerprints)}};
  addTrouble(json, input);
  if (input.approval)
    json["approval"] = approvalJson(*input.approval);
  if (input.resync)
    json["resync"] = resyncJson(input, fingerprints);
  if (input.rewrites)
    json["rewrites"] = rewritesJson(*input.rewrites);
  if (input.costs)
    json["cost"] = costJson(*input.module, *input.costs);
  return json;
}

std::string jsonReportText(const ReportInput &input) {
  return jsonReport(input).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
