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

/// What stands of an edit in the text: the place and the rule of its first statement, and the others.
SarifResult statementsOf(const Module &module, const NumberedEdit &edit) {
  SarifResult result;
  bool first = true;
  for (const SiteDecision *decision : edit.decided) {
    if (first) {
      result.rule = decision->pattern;
      result.place = placeOf(module, module.sites[decision->site]);
    }
    addRelated(module, *decision, first, result);
    first = false;
  }
  for (const AddedSync *added : edit.added) {
    const LineColumn at = module.source.position(added->place.offset);
    const FindingPlace place = {at.line, at.column, at.line, at.column};
    if (first) {
      result.rule = synthesis::kResyncPattern;
      result.place = place;
    }
    result.related.push_back({place, "added: " + added->statement});
    first = false;
  }
  return result;
}

} // namespace

std::vector<SarifResult> scanEdits(const ReportInput &input, const std::string &file, std::string_view text) {
  const Module &module = *input.module;
  const std::map<std::uint32_t, EditName> names = nameEdits(module, *input.result);
  const NumberedEdits edits = numberedEdits(module, *input.result);
  std::vector<SarifResult> results;
  results.reserve(edits.size());
  std::set<std::uint32_t> lines;
  for (const auto &[number, edit] : edits) {
    const EditName &name = names.at(number);
    SarifResult result = statementsOf(module, edit);
    result.file = file;
    result.message = "`ptosync opt` proves this edit: " + printable(name.title);
    std::set<std::string> reasons;
    for (const SiteDecision *decision : edit.decided)
      reasons.insert(whyEdited(*decision));
    for (const std::string &reason : reasons)
      if (!reason.empty())
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
