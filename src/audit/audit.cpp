#include "audit/audit.h"

#include "audit/audit_context.h"
#include "audit/finding_table.h"
#include "audit/rule_families.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA1.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ptosync {
namespace {

constexpr std::size_t kFingerprintBytes = 16;

/// Replaces the names that an assembler numbers anew on every run by their order of appearance: `v12`, `t__tmp_v12`,
/// and those that end in an address, `GT_93898135670608`.
class NameNumbers {
public:
  std::string stable(llvm::StringRef text) {
    std::string result;
    while (!text.empty()) {
      llvm::StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      if (word.empty()) {
        result += text.front();
        text = text.drop_front();
        continue;
      }
      result += isNumbered(word) ? "#" + std::to_string(numbers.try_emplace(word.str(), numbers.size()).first->second)
                                 : word.str();
      text = text.drop_front(word.size());
    }
    return result;
  }

private:
  static bool isNumbered(llvm::StringRef word) {
    constexpr std::size_t kDigitsOfAddress = 8;
    llvm::StringRef stem = word.rtrim("0123456789");
    std::size_t digits = word.size() - stem.size();
    if (stem.empty() || digits == 0)
      return false;
    return stem == "v" || stem.ends_with("_v") || (stem.ends_with("_") && digits >= kDigitsOfAddress);
  }

  std::map<std::string, std::size_t> numbers;
};

/// The identity of a finding, without a line or a numbered name: what it says of which statements of which kernel.
std::string identity(const Finding &finding) {
  std::string text = finding.rule + '\n' + finding.kernel + '\n' + std::string(sectionName(finding.section));
  NameNumbers names;
  for (const std::string &part : finding.parts)
    text += '\n' + names.stable(part);
  return text;
}

std::string digest(const std::string &text) {
  llvm::SHA1 hash;
  hash.update(text);
  auto bytes = hash.final();
  return llvm::toHex(llvm::ArrayRef<std::uint8_t>(bytes.data(), kFingerprintBytes), /*LowerCase=*/true);
}

auto sortKey(const Finding &finding) {
  return std::tie(finding.place, finding.rule, finding.kernel, finding.section, finding.message);
}

/// The same statement in two core sections, or called twice, says the same thing once.
bool sameToReader(const Finding &a, const Finding &b) {
  return a.place == b.place && a.rule == b.rule && a.message == b.message;
}

void finish(std::vector<Finding> &findings, const AuditContext &context) {
  std::erase_if(findings, [&](Finding &finding) {
    const FindingRule *rule = findRule(finding.rule);
    Severity own = context.options.severity ? context.options.severity(finding.rule)
                   : rule                   ? rule->severity
                                            : Severity::Off;
    finding.severity = own == Severity::Off ? own : demoted(own, finding.demotion);
    return finding.severity == Severity::Off || finding.severity < context.options.lowest;
  });
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding &a, const Finding &b) { return sortKey(a) < sortKey(b); });
  findings.erase(std::unique(findings.begin(), findings.end(), sameToReader), findings.end());
  // Equal statements are told apart by their order in the file.
  std::map<std::string, unsigned> seen;
  for (Finding &finding : findings) {
    std::string text = identity(finding);
    finding.fingerprint = digest(text + '\n' + std::to_string(seen[text]++));
  }
}

} // namespace

AuditResult audit(const Module &module, const Machine &machine, const AuditOptions &options) {
  AuditContext context(module, machine, options);
  for (auto *family : kRuleFamilies)
    family(context);
  AuditResult result;
  result.kernels = context.kernels().size();
  result.skipped = std::move(context.skipped);
  result.notJudged = std::move(context.notJudged);
  result.unknownCalls = module.unknownCalls;
  finish(context.findings, context);
  result.findings = std::move(context.findings);
  return result;
}

} // namespace ptosync
