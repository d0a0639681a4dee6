// The page of `rule` and of `patterns list` and `show`: what a finding, a pattern or a machine rule means, in words.
//
//   id --the finding's page, the pattern's file, the machine files--> text
//
// A finding's text is its page in docs/findings, which the program holds, so that there is one text for the page, for
// `rule` and for whatever else explains a finding. A pattern's is its file, and a machine rule's the row of the machine
// files. An id stands for one thing only: the tests hold the three lists apart.
// Tested by tests/tool/rule_command_test.cpp.
#pragma once

#include "patterns/catalogue.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// Returns the text of a finding, a pattern or a machine rule. Fails with a SettingError if nothing has this id, and
/// names the nearest one.
llvm::Expected<std::string> explainRule(const std::string &id, const Catalogue &patterns);

/// Returns what a pattern nominates, and why. Fails with a SettingError if there is none of this name.
llvm::Expected<std::string> explainPattern(const std::string &id, const Catalogue &patterns);

/// Returns the ids that `explainRule` knows.
std::vector<std::string> ruleIds(const Catalogue &patterns);

/// Returns a line for each finding.
std::string listFindings();

/// Returns a line for each finding, pattern and machine rule.
llvm::Expected<std::string> listRules(const Catalogue &patterns);

/// Returns a line for each pattern, or for those that may nominate on `arch`.
std::string listPatterns(const Catalogue &patterns, const std::optional<std::string> &arch);

} // namespace ptosync
