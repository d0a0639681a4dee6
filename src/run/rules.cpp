#include "run/rules.h"

#include "audit/finding.h"
#include "audit/finding_pages.h"
#include "base/messages.h"
#include "machine/machine.h"
#include "run/run.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/Twine.h>

#include <set>
#include <string_view>
#include <vector>

namespace ptosync {

namespace {

/// `text` and blanks up to `width`.
std::string cell(std::string_view text, std::size_t width) {
  std::string padded(text);
  padded.resize(std::max(width, text.size() + 1), ' ');
  return padded;
}

/// "pipe: PIPE_V" or "flag: PIPE_MTE2 -> any".
std::string pipesOf(const Pattern &pattern) {
  if (pattern.kind == PatternKind::Rewrite)
    return "kind: rewrite   local slots: " + std::to_string(pattern.leastLocalSlots) + " to " +
           std::to_string(pattern.mostLocalSlots) + ", of FIFOs with at least " +
           std::to_string(pattern.fifo.leastLocalSlots);
  if (pattern.action == PatternAction::RemoveBarrier)
    return "pipe: " + std::string(pipeName(pattern.pipe));
  auto name = [](const std::optional<Pipe> &pipe) { return pipe ? std::string(pipeName(*pipe)) : "any"; };
  return "flag: " + name(pattern.source) + " -> " + name(pattern.destination);
}

std::string patternText(const Pattern &pattern) {
  std::string text = pattern.id + ": " + pattern.title + "\n";
  for (const std::string &alias : pattern.aliases)
    text += llvm::Twine("also called ").concat(alias).concat("\n").str();
  return text + "arch: " + llvm::join(pattern.arch, " ") + "   trust: " + trustName(pattern.trust) +
         "   action: " + std::string(factsOf(pattern.action).name) + "   " + pipesOf(pattern) +
         "   docs: " + pattern.docs + "\n\n" + pattern.explanation + "\n";
}

std::string patternLine(const Pattern &pattern) {
  return cell(pattern.id, 23) + cell(trustName(pattern.trust), 9) + pattern.title +
         (pattern.kind == PatternKind::Rewrite ? " (rewrite)" : "") + "\n";
}

std::string findingText(const FindingRule &rule) {
  return std::string(rule.id) + " (finding, " + severityName(rule.severity) + "): " + std::string(rule.summary) + "\n" +
         plainPage(findingPage(rule.id)) + "\nFor one run: --rule=" + std::string(rule.id) +
         "=off, note, warning or error; for a project: \"rules\" in .ptosync.json.\n";
}

/// What a rule of this use does.
const char *useText(RuleUse use) {
  switch (use) {
  case RuleUse::Justify: return "it may justify that a sync is taken out";
  case RuleUse::Silence: return "it justifies nothing, and silences findings";
  case RuleUse::Conflict: return "it adds an order that must hold";
  }
  return "";
}

/// "pipe PIPE_V, minRepeats 16".
std::string parametersOf(const MachineRule &rule) {
  std::vector<std::string> parts;
  parts.reserve(rule.text.size() + rule.numbers.size() + rule.lists.size());
  for (const auto &[name, text] : rule.text)
    parts.push_back(llvm::Twine(name).concat(" ").concat(text).str());
  for (const auto &[name, number] : rule.numbers)
    parts.push_back((llvm::Twine(name) + " " + llvm::Twine(number)).str());
  for (const auto &[name, words] : rule.lists)
    parts.push_back((llvm::Twine(name) + " " + llvm::join(words, " ")).str());
  return llvm::join(parts, ", ");
}

using RulesByArch = std::vector<std::pair<std::string, const MachineRule *>>;

std::string machineRuleText(const RulesByArch &rules) {
  const MachineRule &first = *rules.front().second;
  std::string text = first.id + " (machine rule): " + first.title + "\n";
  for (const auto &[arch, rule] : rules) {
    const std::string parameters = parametersOf(*rule);
    text += (llvm::Twine("\n") + arch + ", grade " + rule->grade + ": " + useText(rule->use) +
             (parameters.empty() ? "" : "; ") + parameters + "\n" + rule->evidence + ".\n")
                .str();
  }
  return text + "\nThe grades of evidence and what they allow: docs/machine.md.\n";
}

llvm::Expected<std::vector<Machine>> builtInMachines() {
  std::vector<Machine> machines;
  for (const char *arch : kArchitectures) {
    llvm::Expected<Machine> machine = Machine::builtIn(arch);
    if (!machine)
      return asSetting(machine.takeError());
    machines.push_back(std::move(*machine));
  }
  return machines;
}

llvm::Error unknownName(const char *what, const std::string &id, const std::vector<std::string> &known,
                        const char *list) {
  const std::optional<std::string> nearest = nearestName(id, known);
  const std::string hint = nearest ? "did you mean '" + *nearest + "'?" : "`" + std::string(list) + "` names them all";
  return settingError("no " + std::string(what) + " '" + id + "'; " + hint);
}

} // namespace

llvm::Expected<std::string> explainPattern(const std::string &id, const Catalogue &patterns) {
  if (const Pattern *pattern = patterns.find(id))
    return patternText(*pattern);
  std::vector<std::string> names;
  for (const Pattern &known : patterns.patterns())
    names.push_back(known.id);
  return unknownName("pattern", id, names, "ptosync patterns list");
}

llvm::Expected<std::string> explainRule(const std::string &id, const Catalogue &patterns) {
  if (const FindingRule *rule = findRule(id))
    return findingText(*rule);
  if (const Pattern *pattern = patterns.find(id))
    return patternText(*pattern);
  llvm::Expected<std::vector<Machine>> machines = builtInMachines();
  if (!machines)
    return machines.takeError();
  RulesByArch rules;
  for (const Machine &machine : *machines)
    if (const MachineRule *rule = machine.rule(id))
      rules.emplace_back(machine.arch(), rule);
  return rules.empty() ? unknownName("finding, pattern or machine rule", id, ruleIds(patterns), "ptosync rule list")
                       : llvm::Expected<std::string>(machineRuleText(rules));
}

std::vector<std::string> ruleIds(const Catalogue &patterns) {
  std::vector<std::string> ids;
  for (const FindingRule &rule : findingRules())
    ids.emplace_back(rule.id);
  for (const Pattern &pattern : patterns.patterns())
    ids.push_back(pattern.id);
  llvm::Expected<std::vector<Machine>> machines = builtInMachines();
  if (!machines)
    llvm::consumeError(machines.takeError()); // whoever asks what one means is told
  else
    for (const Machine &machine : *machines)
      for (const MachineRule &rule : machine.ruleTexts())
        if (!llvm::is_contained(ids, rule.id))
          ids.push_back(rule.id);
  return ids;
}

std::string listFindings() {
  std::string text;
  for (const FindingRule &rule : findingRules())
    text += "  " + cell(rule.id, 24) + cell(severityName(rule.severity), 9) + std::string(rule.summary) + "\n";
  return text;
}

llvm::Expected<std::string> listRules(const Catalogue &patterns) {
  std::string text = "findings of audit:\n" + listFindings() + "\npatterns of opt:\n";
  for (const Pattern &pattern : patterns.patterns())
    text += "  " + patternLine(pattern);
  llvm::Expected<std::vector<Machine>> machines = builtInMachines();
  if (!machines)
    return machines.takeError();
  text += "\nmachine rules:\n";
  std::set<std::string> listed;
  for (const Machine &machine : *machines)
    for (const MachineRule &rule : machine.ruleTexts()) {
      if (!listed.insert(rule.id).second)
        continue;
      std::string archs;
      for (const Machine &other : *machines)
        if (other.rule(rule.id))
          archs += (archs.empty() ? "" : " ") + other.arch();
      text += "  " + cell(rule.id, 24) + cell(archs, 9) + rule.title + "\n";
    }
  return text;
}

std::string listPatterns(const Catalogue &patterns, const std::optional<std::string> &arch) {
  std::string text;
  for (const Pattern &pattern : patterns.patterns())
    if (!arch || pattern.supports(*arch))
      text += patternLine(pattern);
  return text;
}

} // namespace ptosync
