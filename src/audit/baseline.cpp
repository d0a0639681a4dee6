#include "audit/baseline.h"

#include "json/json_document.h"

#include <algorithm>
#include <tuple>

namespace ptosync {
namespace {

constexpr std::int64_t kSchema = 2; // 1: fingerprints with the names of values

llvm::Error readEntry(const JsonNode &node, Baseline &baseline) {
  if (llvm::Error error = node.allowKeys({"file", "rule", "fingerprint", "message"}))
    return error;
  std::string texts[2];
  for (std::size_t i = 0; i < 2; ++i) {
    llvm::Expected<JsonNode> member = node.member(i == 0 ? "file" : "fingerprint");
    if (!member)
      return member.takeError();
    llvm::Expected<std::string> text = member->string();
    if (!text)
      return text.takeError();
    texts[i] = std::move(*text);
  }
  baseline.entries.insert({texts[0], texts[1]});
  return llvm::Error::success();
}

} // namespace

std::string baselineText(const std::vector<BaselineFinding> &findings) {
  std::vector<BaselineFinding> sorted = findings;
  std::sort(sorted.begin(), sorted.end(), [](const BaselineFinding &a, const BaselineFinding &b) {
    return std::tie(a.file, a.finding->rule, a.finding->fingerprint) <
           std::tie(b.file, b.finding->rule, b.finding->fingerprint);
  });
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const BaselineFinding &entry : sorted)
    entries.push_back({{"file", entry.file},
                       {"rule", entry.finding->rule},
                       {"fingerprint", entry.finding->fingerprint},
                       {"message", entry.finding->message}});
  nlohmann::ordered_json json = {{"schema", kSchema}, {"findings", std::move(entries)}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

llvm::Expected<Baseline> parseBaseline(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, name);
  if (!document)
    return document.takeError();
  JsonNode root = document->root();
  if (llvm::Error error = root.allowKeys({"schema", "findings"}))
    return std::move(error);
  llvm::Expected<JsonNode> schema = root.member("schema");
  if (!schema)
    return schema.takeError();
  llvm::Expected<std::int64_t> version = schema->integer();
  if (!version)
    return version.takeError();
  if (*version != kSchema)
    return schema->error("expected 2: the baseline was written by another version, write it anew");
  llvm::Expected<JsonNode> findings = root.member("findings");
  if (!findings)
    return findings.takeError();
  Baseline baseline;
  if (findings->isArray() && findings->empty())
    return baseline;
  llvm::Expected<std::vector<JsonNode>> items = findings->items();
  if (!items)
    return items.takeError();
  for (const JsonNode &item : *items)
    if (llvm::Error error = readEntry(item, baseline))
      return std::move(error);
  return baseline;
}

std::size_t applyBaseline(const Baseline &baseline, const std::string &file, std::vector<Finding> &findings,
                          std::set<BaselineEntry> &matched) {
  return std::erase_if(findings, [&](const Finding &finding) {
    auto entry = baseline.entries.find({file, finding.fingerprint});
    if (entry == baseline.entries.end())
      return false;
    matched.insert(*entry);
    return true;
  });
}

} // namespace ptosync
