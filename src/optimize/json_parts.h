// Holds the parts that the JSON reports of several commands share, so that they have one spelling and one order of
// keys.
//
// Tested by tests/report/json_report_test.cpp and tests/explain/explain_json_test.cpp.
#pragma once

#include "optimize/decision.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace ptosync {

/// Returns the text, or null if it is empty.
nlohmann::ordered_json orNull(const std::string &text);

/// Returns "removed", "moved" or "kept".
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
