// What the audit says of real kernels beside the repository, if they are there: no error but the true ones, which
// docs/audit.md lists, and nothing missed when a sync is taken out.
#include "audit/audited.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

using Counts = std::map<std::string, std::size_t>;

Counts countOf(const Audited &audited, Severity severity) {
  Counts counts;
  for (const Finding &finding : audited.result.findings)
    if (finding.severity == severity)
      ++counts[finding.rule];
  return counts;
}

} // namespace

TEST_CASE("shared kernels, audit: errors and warnings are those that the documentation explains", "[shared]") {
  const Counts lanes = {{"double-set", 2}, {"unprimed-wait", 2}};
  const std::map<std::string, Counts> errors = {
      {"multi_tile_affine_disjoint_slots.cpp", lanes},
      {"multi_tile_alias_slot_dyn_event_id.cpp", lanes},
      {"eventid_array_no_cse.cpp", {{"undrained-flag", 1}, {"unprimed-wait", 1}}}};
  const std::map<std::string, Counts> warnings = {{"control_flow_mixed_pipe.cpp", {{"gm-visibility", 2}}},
                                                  {"ffn_full_tiled.cpp", {{"gm-visibility", 3}}},
                                                  {"gqa_full_tiled.cpp", {{"gm-visibility", 2}}},
                                                  {"v_mte2_eventid_overlap.cpp", {{"fifo-imbalance", 2}}}};
  auto expected = [](const std::map<std::string, Counts> &table, const std::string &name) {
    auto found = table.find(name);
    return found == table.end() ? Counts() : found->second;
  };
  for (const std::string &path : sharedKernels()) {
    CAPTURE(path);
    Audited audited(readText(path), archOf(path), Severity::Warning);
    CHECK(audited.result.skipped.empty());
    CHECK(countOf(audited, Severity::Error) == expected(errors, nameOf(path)));
    CHECK(countOf(audited, Severity::Warning) == expected(warnings, nameOf(path)));
  }
}

TEST_CASE("shared kernels, audit: a set or wait taken out of a balanced kernel is an error", "[shared]") {
  constexpr std::size_t kLongest = 12000; // bytes: the large ones take minutes
  for (const std::string &path : sharedKernels()) {
    std::string text = readText(path);
    Audited original(text, archOf(path), Severity::Warning);
    if (text.size() > kLongest || !countOf(original, Severity::Error).empty())
      continue;
    for (const SyncSite &site : original.module.sites) {
      if (site.kind != SyncKind::SetFlag && site.kind != SyncKind::WaitFlag)
        continue;
      INFO(path << ":" << site.line);
      std::string changed = text;
      changed.replace(site.range.begin, site.range.end - site.range.begin, ";");
      Audited mutant(changed, archOf(path), Severity::Warning);
      CHECK_FALSE(countOf(mutant, Severity::Error).empty());
    }
  }
}
