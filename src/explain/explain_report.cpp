#include "explain/explain_report.h"

#include "explain/explain.h"
#include "optimize/json_parts.h"
#include "optimize/library_use.h"
#include "optimize/wording.h"

#include <nlohmann/json.hpp>

namespace ptosync {

// Text.

namespace {

constexpr std::size_t kShownEntries = 8;

/// `entries` under a heading with their number, the first few of them; nothing if there are none.
std::string listed(const std::string &heading, const std::vector<std::string> &entries,
                   std::size_t most = kShownEntries) {
  if (entries.empty())
    return "";
  std::string text = "  " + heading + " (" + std::to_string(entries.size()) + ")\n";
  std::size_t shown = entries.size() <= most + 1 ? entries.size() : most;
  for (std::size_t i = 0; i < shown; ++i)
    text += "    " + entries[i] + "\n";
  if (shown < entries.size())
    text += "    and " + std::to_string(entries.size() - shown) + " more (all with --format=json)\n";
  return text;
}

/// The calls around every instruction of an effect, if they are the same for all: said once, above.
std::vector<std::uint32_t> commonCalls(const SyncEffect &effect) {
  std::vector<const InstructionPlace *> places;
  auto add = [&](const Conflict &conflict) {
    places.push_back(&conflict.earlier);
    places.push_back(&conflict.later);
  };
  for (const SyncEffect::Needed &entry : effect.needed)
    add(entry.conflict);
  for (const Evidence &evidence : effect.otherwise)
    if (evidence.conflict)
      add(*evidence.conflict);
  for (const Conflict &conflict : effect.suspected)
    add(conflict);
  for (const InstructionPlace *place : places)
    if (place->calledFrom != places.front()->calledFrom)
      return {};
  return places.empty() ? std::vector<std::uint32_t>() : places.front()->calledFrom;
}

std::string callsText(const std::vector<std::uint32_t> &calls) {
  std::string text;
  for (std::uint32_t line : calls)
    text += ", called from line " + std::to_string(line);
  return text;
}

/// The place without the calls that are said above it.
InstructionPlace shortened(InstructionPlace place, const std::vector<std::uint32_t> &calls) {
  if (place.calledFrom == calls)
    place.calledFrom.clear();
  return place;
}

std::string conflictLine(Conflict conflict, const std::vector<std::uint32_t> &calls) {
  conflict.earlier = shortened(std::move(conflict.earlier), calls);
  conflict.later = shortened(std::move(conflict.later), calls);
  conflict.storage = placesText(conflict.storage);
  return describeConflict(conflict);
}

/// What else orders a conflict stands below it.
void addEvidence(std::vector<std::string> &list, const std::string &conflict, const Evidence &evidence) {
  if (list.empty() || list.back().rfind(conflict + "\n", 0) != 0)
    list.push_back(conflict);
  list.back() += "\n      " + std::string(evidence.relied ? "" : "also, not relied on: ") + describeEvidence(evidence);
}

std::string effectText(const SyncEffect &effect) {
  std::vector<std::uint32_t> calls = commonCalls(effect);
  std::string text = "  in kernel " + describeKernel(effect.kernel, effect.section) + callsText(calls) + "\n";
  std::vector<std::string> needed, otherwise, suspected;
  for (const SyncEffect::Needed &entry : effect.needed)
    needed.push_back(conflictLine(entry.conflict, calls) + (entry.contested.empty()
                                                                ? ""
                                                                : " (ordered by the contested machine rule " +
                                                                      entry.contested + ", which is not relied on)"));
  for (const Evidence &evidence : effect.otherwise)
    if (evidence.conflict)
      addEvidence(otherwise, conflictLine(*evidence.conflict, calls), evidence);
  for (const Conflict &conflict : effect.suspected)
    suspected.push_back(conflictLine(conflict, calls));
  text += listed("nothing else orders", needed) + listed("ordered otherwise too", otherwise) +
          listed("not seen ordered even with it; it may have a part in it", suspected);
  if (effect.incomplete)
    text += "  too much is unordered to tell what this sync does\n";
  return text;
}

std::string decisionText(const SyncExplanation &sync) {
  std::string text;
  const SiteDecision &decision = sync.decision;
  if (!decision.pattern.empty() && decision.verdict == Verdict::Kept)
    text += "  pattern " + decision.pattern + " nominates it, but without it the conflicts above are not ordered\n";
  // Once more in the kernel as `opt` leaves it, where that says something else.
  std::vector<std::string> evidence;
  for (const Evidence &entry : decision.evidence)
    if (entry.by == Evidence::By::Place || entry.by == Evidence::By::Web || entry.by == Evidence::By::Bracket)
      evidence.push_back((entry.conflict ? describeConflict(*entry.conflict) + "\n      " : "") +
                         describeEvidence(entry));
  return text + listed("what decided it", evidence);
}

std::string syncText(const SyncExplanation &sync, const std::string &file, std::uint32_t line) {
  std::string text = file + ":" + std::to_string(line) + ": ";
  for (const SyncExplanation::Statement &statement : sync.statements)
    if (statement.site == sync.decision.site)
      text += statement.text;
  text += "\n  " + printable(sync.answer) + ".\n";
  if (!sync.web.empty()) {
    std::vector<std::string> statements;
    statements.reserve(sync.statements.size());
    for (const SyncExplanation::Statement &statement : sync.statements)
      statements.push_back("line " + std::to_string(statement.line) + " " + statement.text +
                           (statement.verdict == Verdict::Removed ? " (removed by `ptosync opt`)"
                            : statement.verdict == Verdict::Moved ? " (moved by `ptosync opt`)"
                                                                  : ""));
    text += listed(sync.web + ": its sets and waits", statements, 2 * kShownEntries);
    if (!sync.trouble.empty())
      text += "  left alone: " + sync.trouble + "\n";
  }
  for (const SyncEffect &effect : sync.effects)
    text += effectText(effect);
  text += decisionText(sync);
  if (!sync.needed.empty())
    text += "  " + printable(sync.needed) + "\n";
  std::vector<std::string> conditions;
  std::string nothing;
  for (const RemovalCondition &condition : sync.conditions)
    if (condition.kind == RemovalCondition::Kind::None)
      nothing += "  nothing lets it go " + printable(condition.text) + "\n";
    else
      conditions.push_back(printable(condition.text));
  return text + listed("what would let it go", conditions) + nothing;
}

std::string accessLine(const AccessText &access) {
  return access.does + " " + printable(access.name) + ": " + placesText(access.storage) +
         (access.detail.empty() ? "" : " (" + access.detail + ")");
}

std::string names(const std::vector<std::string> &list) {
  std::string text;
  for (const std::string &name : list)
    text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

std::string phaseLine(const PhaseText &phase) {
  if (phase.barrier)
    return "barrier of " + std::string(pipeName(phase.pipe));
  std::string text(pipeName(phase.pipe));
  if (!phase.reads.empty())
    text += " reads " + names(phase.reads);
  if (!phase.writes.empty())
    text += (phase.reads.empty() ? "" : ",") + std::string(" writes ") + names(phase.writes);
  return text;
}

std::string linkLine(const OrderedConflict &entry, const InstructionPlace &other,
                     const std::vector<std::uint32_t> &calls) {
  std::string text;
  for (const MeetingText &meeting : entry.meets) {
    std::string kinds;
    for (const std::string &kind : meeting.kinds)
      kinds += (kinds.empty() ? "" : "/") + kind;
    text += (text.empty() ? "" : ", ") + kinds + " on " + placesText(meeting.storage);
  }
  text += ": " + describeInstruction(shortened(other, calls)) + " on " + std::string(pipeName(other.pipe));
  if (entry.conflict.loopCarried)
    text += ", round the loop";
  return text + "\n      " + printable(entry.order.text);
}

std::string instructionText(const InstructionExplanation &explained, const std::string &file) {
  std::string text = file + ":" + std::to_string(explained.place.line) + ": " + printable(explained.answer) + ".\n";
  text += "  in kernel " + describeKernel(explained.kernel, explained.section) + callsText(explained.place.calledFrom) +
          "\n";
  for (const std::string &place : explained.alsoAt)
    text += "  and the same in " + printable(place) + "\n";
  std::vector<std::string> accesses, phases, producers, consumers;
  for (const AccessText &access : explained.accesses)
    accesses.push_back(accessLine(access));
  for (const PhaseText &phase : explained.library)
    phases.push_back(phaseLine(phase));
  for (const OrderedConflict &entry : explained.producers)
    producers.push_back(linkLine(entry, entry.conflict.earlier, explained.place.calledFrom));
  for (const OrderedConflict &entry : explained.consumers)
    consumers.push_back(linkLine(entry, entry.conflict.later, explained.place.calledFrom));
  text += listed("touches", accesses, 2 * kShownEntries);
  text += listed(explained.libraryCounts ? "inside the library call"
                                         : "inside the library call, counts with --trust=library",
                 phases, 2 * kShownEntries);
  for (const std::string &remark : explained.remarks)
    text += "  " + printable(remark) + "\n";
  return text + listed("waits for, nearest first", producers) + listed("is waited for by, nearest first", consumers);
}

std::string tileText(const TileExplanation &tile, const std::string &file) {
  std::string text = file + ":" + std::to_string(tile.line) + ": " + printable(tile.answer) + ".\n";
  text += "  in kernel " + describeKernel(tile.kernel, tile.section) + callsText(tile.calledFrom) + "\n";
  std::vector<std::string> uses, others;
  for (const TileExplanation::Use &use : tile.uses) {
    std::string line = describeInstruction(shortened(use.place, tile.calledFrom)) + " on " +
                       std::string(pipeName(use.place.pipe)) + " " + use.access.does;
    if (use.other)
      line += " " + printable(use.access.name);
    bool whole = tile.storage.size() == 1 && tile.storage.front() == use.access.storage;
    if (!whole)
      line += " " + placesText(use.access.storage) + (use.access.detail.empty() ? "" : " (" + use.access.detail + ")");
    uses.push_back(std::move(line));
  }
  for (const std::string &other : tile.others)
    others.push_back(placesText(other));
  return text + listed("shares bytes with", others, 2 * kShownEntries) +
         listed("uses, in program order", uses, 4 * kShownEntries);
}

/// What stood or stands on the line, by the comment that `ptosync` left.
std::string editText(const EditComment &edit, const ExplainReport &report) {
  std::string text = printable(report.file) + ":" + std::to_string(report.line) + ": ";
  switch (edit.kind) {
  case EditComment::Kind::Removed: text += printable(edit.statement) + " stood here and was removed by ptosync"; break;
  case EditComment::Kind::MovedTo:
    text += printable(edit.statement) + " stood here and was moved to " + printable(edit.lines) + " by ptosync";
    break;
  case EditComment::Kind::MovedFrom: text += "moved here from " + printable(edit.lines) + " by ptosync"; break;
  case EditComment::Kind::Added:
    return text + "placed here by ptosync: " + printable(edit.reason) +
           ".\n  by the comment on the line, which names the pair that asked for it\n";
  }
  text += ".\n";
  if (!edit.reason.empty())
    text += "  because: " + printable(edit.reason) + "\n";
  if (!edit.pattern.empty())
    text += "  pattern: " + printable(edit.pattern) +
            (edit.pattern == "UNPROVED" ? ", taken out without proof"
                                        : " (ptosync patterns show " + printable(edit.pattern) + ")") +
            "\n";
  return text +
         "  by the comment on the line; the lines in it are those of the file that was edited: opt --dry-run --verbose "
         "on that file has the evidence\n";
}

} // namespace

std::string explainText(const ExplainReport &report) {
  std::string file = printable(report.file), text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : "\n") + part; };
  for (const EditComment &edit : report.edits)
    add(editText(edit, report));
  for (const SyncExplanation &sync : report.explanation.syncs)
    add(syncText(sync, file, report.line));
  for (const InstructionExplanation &instruction : report.explanation.instructions)
    add(instructionText(instruction, file));
  for (const TileExplanation &tile : report.explanation.tiles)
    add(tileText(tile, file));
  for (const SkippedKernel &kernel : report.explanation.skipped)
    add(file + ":" + std::to_string(report.line) + ": kernel " + describeKernel(kernel.kernel, kernel.section) +
        " was not analysed: " + printable(kernel.reason) + "\n");
  if (!text.empty())
    for (const std::string &line : report.assumed)
      text += assumedLine(line) + "\n";
  if (!text.empty() && !report.archChoice.empty())
    text += "arch " + printable(report.archChoice) + "\n";
  return text;
}

std::string nothingToExplain(const ExplainReport &report) {
  if (!report.line)
    return printable(report.file) + ": no kernel has a tile named " + printable(report.tile);
  std::string text = printable(report.file) + ":" + std::to_string(report.line) +
                     ": no sync, instruction or tile declaration of an analysed kernel stands here";
  if (!report.explanation.calls.empty())
    text += "; " + printable(report.explanation.calls);
  for (const NearbyLine &near : report.explanation.nearby)
    text += std::string(near.line < report.line ? "; above, " : "; below, ") + "line " + std::to_string(near.line) +
            ": " + printable(near.text);
  return text;
}

// JSON.

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
  Json json = {{"answer", sync.answer},
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
  if (!sync.needed.empty())
    json["needed"] = sync.needed;
  return json;
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
               {"assumed", report.assumed},
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
