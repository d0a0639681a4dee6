#include "audit/baseline.h"

#include "base/json.h"

#include <algorithm>
#include <tuple>

namespace ptosync {
namespace {

constexpr std::int64_t kSchema = 2; // 1: fingerprints with the names of values

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
  root.allowKeys({"schema", "findings"});
  JsonNode schema = root.at("schema");
  if (schema.integer() != kSchema)
    schema.fail("expected 2: the baseline was written by another version, write it anew");
  Baseline baseline;
  for (const JsonNode &entry : root.at("findings").items(0)) {
    entry.allowKeys({"file", "rule", "fingerprint", "message"});
    baseline.entries.insert({entry.at("file").text(), entry.at("fingerprint").text()});
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
    matched.insert(*entry);
    return true;
  });
}

} // namespace ptosync
