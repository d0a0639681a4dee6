// What a project says once: `.ptosync.json` for the options of every command, and the baseline of findings that it has
// adopted.
#pragma once

#include "audit/finding.h"
#include "machine/model_choices.h"

#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

// Reads `.ptosync.json`, in which a project says once what it would have to say on every command line.
//
//   { "arch": "a5", "trust": "library", "severity": "warning", "rules": {"gm-visibility": "off"},
//     "gm-may-alias": true, "include": ["include"], "define": ["ROWS=64"], "exclude": ["third_party/*"],
//     "patterns": ["gu"], "baseline": "audit-baseline.json" }
//
// The nearest file counts, from the kernel's folder upwards, and it alone; the command line wins over it. Read
// strictly: an unknown key, rule or level is an error that names file and line. Does no file access itself.
// Tested by tests/audit/config_test.cpp.

inline constexpr const char *kConfigName = ".ptosync.json";

struct AuditConfig {
  std::string file; // empty: none was found
  std::optional<std::string> arch;
  std::optional<Trust> trust;
  std::optional<Severity> severity; // lowest that is reported
  std::map<std::string, Severity, std::less<>> rules;
  std::vector<std::string> includes;   // folders of the kernels' own headers, first searched first
  std::vector<std::string> defines;    // "NAME" or "NAME=VALUE", of the kernels' build
  std::vector<std::string> undefines;  // "NAME" that it does not define
  std::vector<std::string> excludes;   // patterns of names that are left out where a folder is named
  std::optional<std::string> patterns; // the selection that edits, as --patterns has it
  std::string baseline;                // of the audit; empty: none
  std::optional<bool> gmMayAlias, strictCopies, vectorOrder, accumulateOrder, assemblerChain;
};

llvm::Expected<AuditConfig> parseConfig(std::string_view text, std::string_view name);

/// Returns "FILE:LINE: /include/INDEX: FOLDER: PROBLEM" for a folder that `config`, which was read from `text`, names.
llvm::Error includeError(std::string_view text, const AuditConfig &config, std::size_t index,
                         const std::string &problem);

/// Reads "ID=off|note|warning|error", the value of `--rule`. Fails if the id or the level is unknown, and names the
/// nearest one.
llvm::Expected<std::pair<std::string, Severity>> parseRuleSetting(std::string_view text);

/// Returns the settings of `over` where it has one, and those of `under` elsewhere. The rules, the folders and the
/// macros of both are joined.
AuditConfig merged(const AuditConfig &under, const AuditConfig &over);

/// Returns the model's choices. Where the configuration says nothing they are the defaults.
ModelChoices modelChoices(const AuditConfig &config);

/// Returns the severity of a rule: the configuration's, or else the table's.
Severity severityOf(const AuditConfig &config, std::string_view rule);

/// Returns the whole configuration as it applies, in the form of the file.
std::string configText(const AuditConfig &config);

// Keeps the findings that were there before, in a file, so that kernels can be adopted with their debts.
//
//   findings --baselineText--> JSON --parseBaseline--> set of (file, fingerprint) --applyBaseline--> what is new
//
// Fingerprints hold no lines and no numbers of values (v12), so a baseline outlives edits elsewhere in the file and a
// new run of the assembler; a statement that changes is a new one. File names are relative to the baseline's own
// folder. Writing it for some files leaves what it holds for others. Tested by tests/audit/config_test.cpp.

/// The file as the baseline names it, and the fingerprint.
using BaselineEntry = std::pair<std::string, std::string>;

/// What a baseline says of an entry beside that, for its reader.
struct BaselineWords {
  std::string rule, message;
  bool operator==(const BaselineWords &) const = default;
};

struct Baseline {
  std::map<BaselineEntry, BaselineWords> entries;
};

/// Puts the findings of a file, by its name in the baseline, in the place of those that it holds for that file.
void replaceFindings(Baseline &baseline, const std::string &file, const std::vector<Finding> &findings);

/// Returns the text of a baseline. It is sorted: the same findings give the same bytes.
std::string baselineText(const Baseline &baseline);

/// Reads a baseline. Errors name file, line and what was expected.
llvm::Expected<Baseline> parseBaseline(std::string_view text, std::string_view name);

/// Takes out of `findings` those that the baseline holds for `file`, and adds them to `matched`. Returns how many it
/// took out.
std::size_t applyBaseline(const Baseline &baseline, const std::string &file, std::vector<Finding> &findings,
                          std::set<BaselineEntry> &matched);

} // namespace ptosync
