// What the JSON reports of several commands share: one spelling, one order of keys.
//
// Tested by tests/report/json_report_test.cpp and tests/explain/explain_json_test.cpp.
#pragma once

#include "optimize/decision.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace ptosync {

/// Null for an empty text.
nlohmann::ordered_json orNull(const std::string &text);

/// "removed", "moved" or "kept".
const char *verdictName(Verdict verdict);

nlohmann::ordered_json instructionPlaceJson(const InstructionPlace &place);
nlohmann::ordered_json conflictJson(const Conflict &conflict);
nlohmann::ordered_json conflictOrNull(const std::optional<Conflict> &conflict);
nlohmann::ordered_json evidenceJson(const Evidence &evidence);

template <typename List, typename Convert> nlohmann::ordered_json arrayOf(const List &list, Convert convert) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const auto &entry : list)
    array.push_back(convert(entry));
  return array;
}

} // namespace ptosync
