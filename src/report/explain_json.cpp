// The explanation for programs. Keys are always there; what says nothing is null or empty.
#include "report/explain_report.h"

#include "report/json_parts.h"
#include "report/wording.h"

#include <nlohmann/json.hpp>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

Json effectJson(const SyncEffect &effect) {
  return {{"kernel", effect.kernel},
          {"section", sectionName(effect.section)},
          {"needed", arrayOf(effect.needed,
                             [](const SyncEffect::Needed &entry) {
                               Json json = conflictJson(entry.conflict);
                               json["contestedRule"] = orNull(entry.contested);
                               return json;
                             })},
          {"orderedOtherwise", arrayOf(effect.otherwise, evidenceJson)},
          {"suspected", arrayOf(effect.suspected, conflictJson)},
          {"incomplete", effect.incomplete}};
}

Json syncJson(const SyncExplanation &sync) {
  const SiteDecision &decision = sync.decision;
  auto statementJson = [](const SyncExplanation::Statement &statement) {
    return Json{{"line", statement.line}, {"text", statement.text}, {"verdict", verdictName(statement.verdict)}};
  };
  return {{"answer", sync.answer},
          {"statements", arrayOf(sync.statements, statementJson)},
          {"web", orNull(sync.web)},
          {"trouble", orNull(sync.trouble)},
          {"verdict", verdictName(decision.verdict)},
          {"pattern", orNull(decision.pattern)},
          {"reason", decision.verdict == Verdict::Kept ? Json(keptReasonName(decision.reason)) : Json(nullptr)},
          {"detail", orNull(decision.detail)},
          {"evidence", arrayOf(decision.evidence, evidenceJson)},
          {"witness", decision.witness ? conflictJson(*decision.witness) : Json(nullptr)},
          {"effects", arrayOf(sync.effects, effectJson)},
          {"conditions", arrayOf(sync.conditions, [](const RemovalCondition &condition) {
             return Json{{"kind", removalConditionName(condition.kind)}, {"text", condition.text}};
           })}};
}

Json accessJson(const AccessText &access) {
  return {{"name", access.name}, {"does", access.does}, {"storage", access.storage}, {"detail", orNull(access.detail)}};
}

Json linkJson(const OrderedConflict &entry) {
  Json json = conflictJson(entry.conflict);
  json["meets"] = arrayOf(entry.meets, [](const MeetingText &meeting) {
    return Json{{"kinds", meeting.kinds}, {"storage", meeting.storage}};
  });
  json["orderedBy"] = {{"by", pairOrderName(entry.order.by)},
                       {"rule", orNull(entry.order.rule)},
                       {"lines", entry.order.lines},
                       {"disputedPipe", entry.order.disputed},
                       {"text", entry.order.text}};
  return json;
}

Json instructionJson(const InstructionExplanation &explained) {
  auto phaseJson = [](const PhaseText &phase) {
    return Json{
        {"pipe", pipeName(phase.pipe)}, {"barrier", phase.barrier}, {"reads", phase.reads}, {"writes", phase.writes}};
  };
  return {{"answer", explained.answer},
          {"kernel", explained.kernel},
          {"section", sectionName(explained.section)},
          {"text", explained.place.text},
          {"line", explained.place.line},
          {"calledFrom", explained.place.calledFrom},
          {"alsoAt", explained.alsoAt},
          {"pipes", arrayOf(explained.pipes, [](Pipe pipe) { return Json(pipeName(pipe)); })},
          {"accesses", arrayOf(explained.accesses, accessJson)},
          {"library", arrayOf(explained.library, phaseJson)},
          {"libraryCounts", explained.libraryCounts},
          {"remarks", explained.remarks},
          {"producers", arrayOf(explained.producers, linkJson)},
          {"consumers", arrayOf(explained.consumers, linkJson)}};
}

Json tileJson(const TileExplanation &tile) {
  auto useJson = [](const TileExplanation::Use &use) {
    Json json = instructionPlaceJson(use.place);
    json["access"] = accessJson(use.access);
    json["otherName"] = use.other;
    return json;
  };
  return {{"answer", tile.answer},
          {"name", tile.name},
          {"kernel", tile.kernel},
          {"section", sectionName(tile.section)},
          {"line", tile.line},
          {"declared", tile.declared},
          {"storage", tile.storage},
          {"sharesWith", tile.others},
          {"uses", arrayOf(tile.uses, useJson)}};
}

} // namespace

std::string explainJson(const ExplainReport &report) {
  const Explanation &explanation = report.explanation;
  Json json = {{"schema", kExplainJsonSchema},
               {"tool", "ptosync"},
               {"version", report.toolVersion},
               {"file", report.file},
               {"line", report.line ? Json(report.line) : Json(nullptr)},
               {"tile", orNull(report.tile)},
               {"arch", report.arch},
               {"archChoice", report.archChoice},
               {"library", orNull(report.library)},
               {"trust", trustName(report.trust)},
               {"edits", arrayOf(report.edits,
                                 [](const EditComment &edit) {
                                   return Json{{"edit", editCommentName(edit.kind)},
                                               {"statement", orNull(edit.statement)},
                                               {"lines", orNull(edit.lines)},
                                               {"pattern", orNull(edit.pattern)},
                                               {"reason", orNull(edit.reason)}};
                                 })},
               {"syncs", arrayOf(explanation.syncs, syncJson)},
               {"instructions", arrayOf(explanation.instructions, instructionJson)},
               {"tiles", arrayOf(explanation.tiles, tileJson)},
               {"skipped", arrayOf(explanation.skipped,
                                   [](const SkippedKernel &kernel) {
                                     return Json{{"kernel", kernel.kernel},
                                                 {"section", sectionName(kernel.section)},
                                                 {"line", kernel.line},
                                                 {"reason", kernel.reason}};
                                   })},
               {"nearby", arrayOf(explanation.nearby, [](const NearbyLine &near) {
                  return Json{{"line", near.line}, {"text", near.text}};
                })}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
