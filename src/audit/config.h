// Reads `.ptosync.json`, in which a project says once what it would have to say on every command line.
//
//   { "arch": "a5", "trust": "library", "severity": "warning", "rules": {"gm-visibility": "off"},
//     "gm-may-alias": true, "include": ["include"], "define": ["ROWS=64"] }
//
// The nearest file counts, from the kernel's folder upwards, and it alone; the command line wins over it. Read
// strictly: an unknown key, rule or level is an error that names file and line. Does no file access itself.
// Tested by tests/audit/config_test.cpp.
#pragma once

#include "audit/finding.h"
#include "machine/model_choices.h"

#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

inline constexpr const char *kConfigName = ".ptosync.json";

struct AuditConfig {
  std::string file; // empty: none was found
  std::optional<std::string> arch;
  std::optional<Trust> trust;
  std::optional<Severity> severity; // lowest that is reported
  std::map<std::string, Severity, std::less<>> rules;
  std::vector<std::string> includes; // folders of the kernels' own headers, first searched first
  std::vector<std::string> defines;  // "NAME" or "NAME=VALUE", of the kernels' build
  std::vector<std::string> undefines; // "NAME" that it does not define
  std::optional<bool> gmMayAlias, strictCopies, vectorOrder, accumulateOrder, assemblerChain;
};

llvm::Expected<AuditConfig> parseConfig(std::string_view text, std::string_view name);

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

} // namespace ptosync
