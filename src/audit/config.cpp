#include "audit/config.h"

#include "audit/finding_table.h"
#include "json/json_document.h"
#include "json/nearest_name.h"
#include "kernel/definition.h"

#include <algorithm>

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

constexpr const char *kLevels = "expected off, note, warning or error";

/// Reads the members of the object one by one; the first error stays.
class ConfigReader {
public:
  explicit ConfigReader(JsonNode root) : root(root) {}

  llvm::Error read(AuditConfig &config) {
    if (llvm::Error error = root.allowKeys({"arch", "trust", "severity", "rules", "chain", "gm-may-alias",
                                            "strict-copies", "a5-vector-order", "m-accumulate-order", "include", "define", "undefine"}))
      return error;
    if (llvm::Error error = readTexts(config))
      return error;
    if (llvm::Error error = readRules(config))
      return error;
    if (llvm::Error error = readLists(config))
      return error;
    const std::pair<const char *, std::optional<bool> *> switches[] = {{"gm-may-alias", &config.gmMayAlias},
                                                                       {"strict-copies", &config.strictCopies},
                                                                       {"a5-vector-order", &config.vectorOrder},
                                                                       {"m-accumulate-order", &config.accumulateOrder}};
    for (const auto &[key, target] : switches) {
      if (!root.has(key))
        continue;
      llvm::Expected<bool> value = root.at(key).boolean();
      if (!value)
        return value.takeError();
      *target = *value;
    }
    return llvm::Error::success();
  }

private:
  llvm::Error readTexts(AuditConfig &config) {
    for (const char *key : {"arch", "trust", "chain", "severity"}) {
      if (!root.has(key))
        continue;
      JsonNode node = root.at(key);
      llvm::Expected<std::string> text = node.string();
      if (!text)
        return text.takeError();
      llvm::StringRef name = key;
      if (name == "arch") {
        if (*text != "a3" && *text != "a5")
          return node.error("expected a3 or a5");
        config.arch = *text;
      } else if (name == "trust") {
        if (*text != "tile" && *text != "library")
          return node.error("expected tile or library");
        config.trust = *text == "library" ? Trust::Library : Trust::Tile;
      } else if (name == "chain") {
        if (*text != "distance" && *text != "assembler")
          return node.error("expected distance or assembler");
        config.assemblerChain = *text == "assembler";
      } else {
        config.severity = parseSeverity(*text);
        if (!config.severity || config.severity == Severity::Off)
          return node.error("expected note, warning or error");
      }
    }
    return llvm::Error::success();
  }

  llvm::Error readLists(AuditConfig &config) {
    const std::pair<const char *, std::vector<std::string> *> lists[] = {
        {"include", &config.includes}, {"define", &config.defines}, {"undefine", &config.undefines}};
    for (const auto &[key, target] : lists) {
      if (!root.has(key))
        continue;
      llvm::Expected<std::vector<JsonNode>> list = root.at(key).items();
      if (!list)
        return list.takeError();
      for (const JsonNode &node : *list) {
        llvm::Expected<std::string> text = node.string();
        if (!text)
          return text.takeError();
        if (target == &config.includes && text->empty())
          return node.error("expected a folder");
        if (target != &config.includes)
          if (llvm::Expected<Definition> definition = parseDefinition(*text); !definition)
            return node.error(llvm::toString(definition.takeError()));
        target->push_back(std::move(*text));
      }
    }
    return llvm::Error::success();
  }

  llvm::Error readRules(AuditConfig &config) {
    if (!root.has("rules"))
      return llvm::Error::success();
    JsonNode rules = root.at("rules");
    if (llvm::Error error = rules.allowKeys(ruleNames()))
      return error;
    for (const FindingRule &rule : findingRules()) {
      if (!rules.has(rule.id))
        continue;
      JsonNode node = rules.at(rule.id);
      llvm::Expected<std::string> text = node.string();
      if (!text)
        return text.takeError();
      std::optional<Severity> severity = parseSeverity(*text);
      if (!severity)
        return node.error(kLevels);
      config.rules.emplace(rule.id, *severity);
    }
    return llvm::Error::success();
  }

  JsonNode root;
};

} // namespace

llvm::Expected<AuditConfig> parseConfig(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, name);
  if (!document)
    return document.takeError();
  AuditConfig config;
  config.file = std::string(name);
  if (llvm::Error error = ConfigReader(document->root()).read(config))
    return std::move(error);
  return config;
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
  const std::pair<const char *, const std::vector<std::string> *> lists[] = {
      {"include", &config.includes}, {"define", &config.defines}, {"undefine", &config.undefines}};
  for (const auto &[key, list] : lists)
    if (!list->empty())
      json[key] = *list;
  return json.dump(2) + "\n";
}

} // namespace ptosync
