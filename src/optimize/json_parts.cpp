#include "optimize/json_parts.h"

#include "optimize/wording.h"

namespace ptosync {

using Json = nlohmann::ordered_json;

Json orNull(const std::string &text) { return text.empty() ? Json(nullptr) : Json(text); }

const char *verdictName(Verdict verdict) {
  return verdict == Verdict::Removed ? "removed" : verdict == Verdict::Moved ? "moved" : "kept";
}

Json instructionPlaceJson(const InstructionPlace &place) {
  return {{"text", place.text}, {"pipe", pipeName(place.pipe)}, {"line", place.line}, {"calledFrom", place.calledFrom}};
}

Json conflictJson(const Conflict &conflict) {
  return {{"earlier", instructionPlaceJson(conflict.earlier)},
          {"later", instructionPlaceJson(conflict.later)},
          {"kind", hazardKindName(conflict.kind)},
          {"storage", conflict.storage},
          {"loopCarried", conflict.loopCarried}};
}

Json conflictOrNull(const std::optional<Conflict> &conflict) {
  return conflict ? conflictJson(*conflict) : Json(nullptr);
}

Json evidenceJson(const Evidence &evidence) {
  return {{"by", evidenceName(evidence.by)}, {"rule", orNull(evidence.rule)},
          {"lines", evidence.lines},         {"text", evidence.text},
          {"relied", evidence.relied},       {"conflict", conflictOrNull(evidence.conflict)}};
}

} // namespace ptosync
