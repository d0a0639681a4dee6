#include "tool/audit_options.h"

#include "audit/finding_table.h"

namespace ptosync {

namespace cl = llvm::cl;

AuditDefinitions::AuditDefinitions(cl::SubCommand &command, cl::OptionCategory &category)
    : inputs(cl::Positional, cl::desc("KERNEL.cpp|DIRECTORY..."), cl::sub(command), cl::cat(category), cl::OneOrMore),
      format("format", cl::desc("text (default), json or github, on standard output"),
             cl::value_desc("text|json|github"), cl::init("text"), cl::sub(command), cl::cat(category)),
      sarif("sarif", cl::desc("also write SARIF 2.1.0 here"), cl::value_desc("F.sarif"), cl::sub(command),
            cl::cat(category)),
      baseline("baseline", cl::desc("leave out the findings that this file holds"), cl::value_desc("F.json"),
               cl::sub(command), cl::cat(category)),
      severity("severity",
               cl::desc("lowest that is reported, and that makes the exit code 1: note, warning (default), error"),
               cl::value_desc("note|warning|error"), cl::sub(command), cl::cat(category)),
      jobs("jobs", cl::desc("files audited at a time (default: as many as the machine has cores)"), cl::value_desc("N"),
           cl::sub(command), cl::cat(category)),
      github("github", cl::desc("the same as --format=github"), cl::sub(command), cl::cat(category)),
      writeBaseline("write-baseline", cl::desc("write what is found into the file of --baseline, and succeed"),
                    cl::sub(command), cl::cat(category)),
      fixes("fixes", cl::desc("say which findings `fix` mends; SARIF gets the changes, each verified"),
            cl::sub(command), cl::cat(category)),
      rules("rule", cl::desc("severity of one kind of finding: off, note, warning, error (repeatable)"),
            cl::value_desc("ID=LEVEL"), cl::sub(command), cl::cat(category)) {}

std::string AuditDefinitions::read(AuditCommandOptions &options) const {
  options.inputs.assign(inputs.begin(), inputs.end());
  options.sarif = sarif;
  options.baseline = baseline;
  options.writeBaseline = writeBaseline;
  options.fixes = fixes;
  if (jobs.getNumOccurrences() && (llvm::StringRef(jobs).getAsInteger(10, options.jobs) || options.jobs == 0))
    return "--jobs=" + jobs + ": expected a number of at least 1";
  if (format != "text" && format != "json" && format != "github")
    return "--format=" + format + ": expected text, json or github";
  if (github && format.getNumOccurrences() && format != "github")
    return "--github and --format=" + format + " both want standard output";
  options.format = github || format == "github" ? AuditFormat::Github
                   : format == "json"           ? AuditFormat::Json
                                                : AuditFormat::Text;
  if (writeBaseline && baseline.empty())
    return "--write-baseline: say where with --baseline=F.json";
  if (severity.getNumOccurrences()) {
    options.given.severity = parseSeverity(severity);
    if (!options.given.severity || options.given.severity == Severity::Off)
      return "--severity=" + severity + ": expected note, warning or error";
  }
  for (const std::string &rule : rules) {
    llvm::Expected<std::pair<std::string, Severity>> setting = parseRuleSetting(rule);
    if (!setting)
      return llvm::toString(setting.takeError());
    options.given.rules.insert_or_assign(setting->first, setting->second);
  }
  return {};
}

std::string findingHelp() {
  std::string text = "findings (page: docs/findings/ID.md):\n";
  for (const FindingRule &rule : findingRules()) {
    std::string id(rule.id), level = severityName(rule.severity);
    text += "  " + id + std::string(24 - id.size(), ' ') + level + std::string(9 - level.size(), ' ') +
            std::string(rule.summary) + "\n";
  }
  return text;
}

} // namespace ptosync
