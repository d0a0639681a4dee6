#include "report/edit_scan.h"

#include "base/messages.h"
#include "optimize/wording.h"
#include "synthesis/resync.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

constexpr const char *kFingerprintName = "ptosync-edit/v1";

FindingPlace placeOf(const Module &module, const SyncSite &site) {
  const LineColumn end = module.source.position(site.range.end);
  return {site.line, site.column, end.line, end.column};
}

/// What is known of an edit's statements besides the first: where they stand, and what is in order without them.
void addRelated(const Module &module, const SiteDecision &decision, bool first, SarifResult &result) {
  const SyncSite &site = module.sites[decision.site];
  if (!first)
    result.related.push_back({placeOf(module, site), site.text});
  for (const Evidence &evidence : decision.evidence)
    if (evidence.conflict)
      result.related.push_back({{evidence.conflict->later.line, 0, 0, 0},
                                describeConflict(*evidence.conflict) + ": " + describeEvidence(evidence)});
}

} // namespace

std::vector<SarifResult> scanEdits(const ReportInput &input, const std::string &file, std::string_view text) {
  const Module &module = *input.module;
  const std::map<std::uint32_t, EditName> names = nameEdits(module, *input.result);
  std::map<std::uint32_t, SarifResult> byEdit;
  std::map<std::uint32_t, std::set<std::string>> reasons;
  for (const SiteDecision &decision : input.result->decisions) {
    if (decision.edit == 0 || decision.site >= module.sites.size())
      continue;
    auto [result, first] = byEdit.try_emplace(decision.edit);
    if (first) {
      result->second.rule = decision.pattern;
      result->second.place = placeOf(module, module.sites[decision.site]);
    }
    addRelated(module, decision, first, result->second);
    if (const std::string why = whyEdited(decision); !why.empty())
      reasons[decision.edit].insert(why);
  }
  for (const AddedSync &added : input.result->added) {
    auto [result, first] = byEdit.try_emplace(added.edit);
    const LineColumn at = module.source.position(added.place.offset);
    if (first) {
      result->second.rule = synthesis::kResyncPattern;
      result->second.place = {at.line, at.column, at.line, at.column};
    }
    result->second.related.push_back({{at.line, at.column, at.line, at.column}, "added: " + added.statement});
  }
  std::vector<SarifResult> results;
  results.reserve(byEdit.size());
  std::set<std::uint32_t> lines;
  for (auto &[number, result] : byEdit) {
    const EditName &name = names.at(number);
    result.file = file;
    result.message = "`ptosync opt` proves this edit: " + printable(name.title);
    for (const std::string &reason : reasons[number])
      result.message.append("; ").append(reason);
    result.fingerprintName = kFingerprintName;
    result.fingerprint = name.fingerprint;
    lines.insert(result.place.line);
    results.push_back(std::move(result));
  }
  std::stable_sort(results.begin(), results.end(),
                   [](const SarifResult &a, const SarifResult &b) { return a.place < b.place; });
  const std::map<std::uint32_t, std::string> hashes = lineHashes(text, lines);
  for (SarifResult &result : results)
    if (auto hash = hashes.find(result.place.line); hash != hashes.end())
      result.lineHash = hash->second;
  return results;
}

std::vector<SarifRule> editRules(const Catalogue &catalogue) {
  const std::vector<std::string> tags = {"performance", "synchronisation", "ascend"};
  std::vector<SarifRule> rules;
  rules.reserve(catalogue.patterns().size() + 1);
  for (const Pattern &pattern : catalogue.patterns())
    rules.push_back({pattern.id, pattern.title, printable(pattern.explanation),
                     "# " + pattern.id + "\n\n" + pattern.explanation + "\n\nEvery edit is proved; `ptosync explain " +
                         "KERNEL.cpp:LINE` says why this one is right.\n",
                     helpUri(pattern.docs), Severity::Note, "very-high", tags});
  const std::string anew = "The syncs of a kernel are placed anew where that is estimated faster, and proved.";
  rules.push_back({synthesis::kResyncPattern, "syncs placed anew", anew,
                   "# " + std::string(synthesis::kResyncPattern) + "\n\n" + anew + "\n", helpUri("docs/resync.md"),
                   Severity::Note, "very-high", tags});
  return rules;
}

std::vector<Annotation> editAnnotations(const std::vector<SarifResult> &results) {
  std::vector<Annotation> annotations;
  annotations.reserve(results.size());
  for (const SarifResult &result : results)
    annotations.push_back({result.severity, result.file, result.place, result.rule, result.message});
  return annotations;
}

} // namespace ptosync
