// Prints what a run took for granted about the inside of library calls (optimize/library_use.h), in the words of every
// report.
//
// Text for people, one fact a line, and the object `libraryUse` of the JSON forms. Tested by
// tests/optimize/library_report_test.cpp.
#pragma once

#include "optimize/library_use.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ptosync {

struct LibraryLines {
  std::string standing;           // how the library compares; empty if there is nothing to say
  std::vector<std::string> calls; // which calls' inside counted, and which calls' facts are not proved
};
LibraryLines libraryLines(const LibraryUse &use);

/// Returns a part of a text report with its heading; empty if there is nothing to say.
std::string libraryPart(const LibraryUse &use);

nlohmann::ordered_json libraryUseJson(const LibraryUse &use);

} // namespace ptosync
