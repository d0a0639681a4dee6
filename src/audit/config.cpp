#include "audit/config.h"

#include "audit/finding.h"
#include "base/json.h"
#include "base/messages.h"
#include "kernel/source.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <tuple>

namespace ptosync {
namespace {

std::vector<std::string> ruleNames() {
  std::vector<std::string> names;
  for (const FindingRule &rule : findingRules())
    names.emplace_back(rule.id);
  return names;
}

std::string unknownRule(std::string_view id) {
  return "no finding '" + std::string(id) + "'" + suggestName(id, ruleNames());
}

std::vector<std::string> partsOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  return {parts.begin(), parts.end()};
}

constexpr const char *kLevels = "expected off, note, warning or error";

void readConfig(const JsonNode &root, AuditConfig &config) {
  root.allowKeys({"arch", "trust", "severity", "rules", "chain", "gm-may-alias", "strict-copies", "a5-vector-order",
                  "m-accumulate-order", "include", "define", "undefine", "exclude", "patterns", "baseline"});
  if (JsonNode arch = root.find("arch"))
    config.arch = arch.word({"a3", "a5"});
  if (JsonNode trust = root.find("trust"))
    config.trust = trust.choice(Trust::Tile, {{"tile", Trust::Tile}, {"library", Trust::Library}});
  if (JsonNode chain = root.find("chain"))
    config.assemblerChain = chain.choice(false, {{"distance", false}, {"assembler", true}});
  if (JsonNode severity = root.find("severity"))
    config.severity = parseSeverity(severity.word({"note", "warning", "error"}));
  if (JsonNode rules = root.find("rules")) {
    std::vector<llvm::StringRef> known;
    for (const FindingRule &rule : findingRules())
      known.emplace_back(rule.id);
    rules.allowKeys(known);
    for (const FindingRule &rule : findingRules())
      if (JsonNode level = rules.find(rule.id))
        config.rules.emplace(rule.id,
                             parseSeverity(level.word({"off", "note", "warning", "error"})).value_or(Severity::Off));
  }
  config.includes = root.find("include").texts();
  config.excludes = root.find("exclude").texts();
  if (JsonNode patterns = root.find("patterns"))
    config.patterns = llvm::join(patterns.texts(), ",");
  if (JsonNode baseline = root.find("baseline"))
    config.baseline = baseline.text();
  auto macros = [&](const char *key, std::vector<std::string> &target) {
    for (const JsonNode &node : root.find(key).items()) {
      target.push_back(node.text());
      if (llvm::Expected<Definition> definition = parseDefinition(target.back()); !definition)
        node.fail(llvm::toString(definition.takeError()));
    }
  };
  macros("define", config.defines);
  macros("undefine", config.undefines);
  const std::pair<const char *, std::optional<bool> *> switches[] = {{"gm-may-alias", &config.gmMayAlias},
                                                                     {"strict-copies", &config.strictCopies},
                                                                     {"a5-vector-order", &config.vectorOrder},
                                                                     {"m-accumulate-order", &config.accumulateOrder}};
  for (const auto &[key, target] : switches)
    if (JsonNode value = root.find(key))
      *target = value.boolean();
}

} // namespace

llvm::Expected<AuditConfig> parseConfig(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, name);
  if (!document)
    return document.takeError();
  AuditConfig config;
  config.file = std::string(name);
  readConfig(document->root(), config);
  if (llvm::Error error = document->problem())
    return std::move(error);
  return config;
}

llvm::Error includeError(std::string_view text, const AuditConfig &config, std::size_t index,
                         const std::string &problem) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, config.file);
  if (!document)
    return document.takeError();
  document->root().find("include").items().at(index).fail(config.includes.at(index) + ": " + problem);
  return document->problem();
}

llvm::Expected<std::pair<std::string, Severity>> parseRuleSetting(std::string_view text) {
  std::size_t equals = text.find('=');
  std::string_view id = text.substr(0, equals);
  if (equals == std::string_view::npos)
    return llvm::createStringError("--rule=" + std::string(text) + ": expected ID=off, note, warning or error");
  std::optional<Severity> severity = parseSeverity(text.substr(equals + 1));
  if (!findRule(id))
    return llvm::createStringError("--rule=" + std::string(text) + ": " + unknownRule(id));
  if (!severity)
    return llvm::createStringError("--rule=" + std::string(text) + ": " + kLevels);
  return std::make_pair(std::string(id), *severity);
}

AuditConfig merged(const AuditConfig &under, const AuditConfig &over) {
  AuditConfig result = under;
  auto take = [](auto &target, const auto &source) {
    if (source)
      target = source;
  };
  take(result.arch, over.arch);
  take(result.trust, over.trust);
  take(result.severity, over.severity);
  take(result.gmMayAlias, over.gmMayAlias);
  take(result.strictCopies, over.strictCopies);
  take(result.vectorOrder, over.vectorOrder);
  take(result.accumulateOrder, over.accumulateOrder);
  take(result.assemblerChain, over.assemblerChain);
  take(result.patterns, over.patterns);
  for (const auto &[rule, severity] : over.rules)
    result.rules.insert_or_assign(rule, severity);
  result.includes.insert(result.includes.begin(), over.includes.begin(), over.includes.end());
  // What one says of a macro, the other one's opposite does not count for.
  auto saysOtherwise = [](const std::vector<std::string> &said) {
    return [&said](const std::string &text) {
      return std::any_of(said.begin(), said.end(), [&](const std::string &other) {
        return std::string_view(text).substr(0, text.find('=')) == std::string_view(other).substr(0, other.find('='));
      });
    };
  };
  std::erase_if(result.defines, saysOtherwise(over.undefines));
  std::erase_if(result.undefines, saysOtherwise(over.defines));
  result.defines.insert(result.defines.end(), over.defines.begin(), over.defines.end());
  result.undefines.insert(result.undefines.end(), over.undefines.begin(), over.undefines.end());
  return result;
}

ModelChoices modelChoices(const AuditConfig &config) {
  ModelChoices choices;
  choices.trust = config.trust.value_or(choices.trust);
  choices.argumentsMayAlias = config.gmMayAlias.value_or(choices.argumentsMayAlias);
  choices.strictCopies = config.strictCopies.value_or(choices.strictCopies);
  choices.vectorOrder = config.vectorOrder.value_or(choices.vectorOrder);
  choices.accumulateOrder = config.accumulateOrder.value_or(choices.accumulateOrder);
  choices.assemblerChain = config.assemblerChain.value_or(choices.assemblerChain);
  return choices;
}

Severity severityOf(const AuditConfig &config, std::string_view rule) {
  if (auto found = config.rules.find(rule); found != config.rules.end())
    return found->second;
  const FindingRule *known = findRule(rule);
  return known ? known->severity : Severity::Off;
}

std::string configText(const AuditConfig &config) {
  nlohmann::ordered_json rules = nlohmann::ordered_json::object();
  for (const FindingRule &rule : findingRules())
    rules[std::string(rule.id)] = severityName(severityOf(config, rule.id));
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (config.arch) // otherwise the text decides
    json["arch"] = *config.arch;
  const ModelChoices choices = modelChoices(config);
  json["trust"] = trustName(choices.trust);
  json["chain"] = choices.assemblerChain ? "assembler" : "distance";
  json["severity"] = severityName(config.severity.value_or(Severity::Warning));
  json["rules"] = std::move(rules);
  json["gm-may-alias"] = choices.argumentsMayAlias;
  json["strict-copies"] = choices.strictCopies;
  json["a5-vector-order"] = choices.vectorOrder;
  json["m-accumulate-order"] = choices.accumulateOrder;
  const std::pair<const char *, const std::vector<std::string> *> lists[] = {{"include", &config.includes},
                                                                             {"define", &config.defines},
                                                                             {"undefine", &config.undefines},
                                                                             {"exclude", &config.excludes}};
  for (const auto &[key, list] : lists)
    if (!list->empty())
      json[key] = *list;
  if (config.patterns)
    json["patterns"] = partsOf(*config.patterns);
  if (!config.baseline.empty())
    json["baseline"] = config.baseline;
  return json.dump(2) + "\n";
}

namespace {

constexpr std::int64_t kSchema = 2; // 1: fingerprints with the names of values

} // namespace

void replaceFindings(Baseline &baseline, const std::string &file, const std::vector<Finding> &findings) {
  std::erase_if(baseline.entries, [&](const auto &entry) { return entry.first.first == file; });
  for (const Finding &finding : findings)
    baseline.entries[{file, finding.fingerprint}] = {finding.rule, finding.message};
}

std::string baselineText(const Baseline &baseline) {
  std::vector<std::pair<BaselineEntry, BaselineWords>> sorted(baseline.entries.begin(), baseline.entries.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return std::tie(a.first.first, a.second.rule, a.first.second) <
           std::tie(b.first.first, b.second.rule, b.first.second);
  });
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const auto &[entry, words] : sorted)
    entries.push_back(
        {{"file", entry.first}, {"rule", words.rule}, {"fingerprint", entry.second}, {"message", words.message}});
  nlohmann::ordered_json json = {{"schema", kSchema}, {"findings", std::move(entries)}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

llvm::Expected<Baseline> parseBaseline(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, name);
  if (!document)
    return document.takeError();
  JsonNode root = document->root();
  root.allowKeys({"schema", "findings"});
  JsonNode schema = root.at("schema");
  if (schema.integer() != kSchema)
    schema.fail("expected 2: the baseline was written by another version; remove it and write it anew");
  Baseline baseline;
  for (const JsonNode &entry : root.at("findings").items(0)) {
    entry.allowKeys({"file", "rule", "fingerprint", "message"});
    baseline.entries[{entry.at("file").text(), entry.at("fingerprint").text()}] = {
        entry.find("rule") ? entry.find("rule").anyText() : "",
        entry.find("message") ? entry.find("message").anyText() : ""};
  }
  if (llvm::Error error = document->problem())
    return std::move(error);
  return baseline;
}

std::size_t applyBaseline(const Baseline &baseline, const std::string &file, std::vector<Finding> &findings,
                          std::set<BaselineEntry> &matched) {
  return std::erase_if(findings, [&](const Finding &finding) {
    auto entry = baseline.entries.find({file, finding.fingerprint});
    if (entry == baseline.entries.end())
      return false;
    matched.insert(entry->first);
    return true;
  });
}

} // namespace ptosync
