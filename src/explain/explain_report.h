// Prints the answers of `ptosync explain`: text for a person, JSON for programs.
//
// Plain data in, the same bytes for the same input. The text leads with the answer and shows the first few of each
// list; the JSON holds all. Tested by tests/explain/explain_text_test.cpp and explain_json_test.cpp.
#pragma once

#include "explain/explain.h"
#include "rewrite/sync_edits.h"

#include <string>

namespace ptosync {

struct ExplainReport {
  std::string file;
  std::uint32_t line = 0; // 0: `tile` was asked for
  std::string tile;
  std::string arch, library, toolVersion;
  std::string archChoice;           // "a3 (command line: --arch)"
  std::vector<std::string> assumed; // of the file's kernels (optimize/library_use.h)
  Trust trust = Trust::Tile;
  std::vector<EditComment> edits; // on the line: what was taken out of it, or brought to it
  Explanation explanation;
};

std::string explainText(const ExplainReport &report);

/// Value of "schema" of the JSON form.
inline constexpr int kExplainJsonSchema = 1;
std::string explainJson(const ExplainReport &report);

/// Returns the message for a line on which nothing can be explained: "line 12 has nothing to explain; ...". It is one
/// line.
std::string nothingToExplain(const ExplainReport &report);

} // namespace ptosync
