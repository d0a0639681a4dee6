// Every sync of the corpus carries its verdict on its own line; this test holds the tool to it.
//
//   // expect: kept RAW
//   // expect: kept unbalanced
//   // expect: removed [redundant-flag]
//   // expect: moved to TADD(v18 [sink-wait]
//   // expect: kept; library: removed [final-div]      (the two trust levels differ)
//
// Behind "kept" the id of a reason is checked; any other word (the kind of hazard) is for the reader: an in-place
// pair has several, and which is named first is the report's choice. Behind "moved to" stands how the statement
// begins in front of which the sync is to stand.
#include "optimize/wording.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <llvm/ADT/StringRef.h>
#include <nlohmann/json.hpp>

#include <optional>

using namespace ptosync;
using namespace ptosync::test;

namespace {

struct Expectation {
  Verdict verdict = Verdict::Kept;
  std::string reason;  // Kept: id; empty: any
  std::string pattern; // Removed, Moved; empty: any
  std::string place;   // Moved: begin of the statement behind it; empty: any
};

constexpr KeptReason kReasons[] = {KeptReason::Hazard,       KeptReason::Unresolved,  KeptReason::Protected,
                                   KeptReason::NotNominated, KeptReason::NotAnalysed, KeptReason::Unbalanced,
                                   KeptReason::Intermittent, KeptReason::Limit};

Expectation parseVerdict(llvm::StringRef text) {
  Expectation expectation;
  auto [verdict, pattern] = text.trim().split('[');
  expectation.pattern = pattern.split(']').first.str();
  verdict = verdict.trim();
  if (verdict.consume_front("removed")) {
    expectation.verdict = Verdict::Removed;
  } else if (verdict.consume_front("moved")) {
    expectation.verdict = Verdict::Moved;
    if (verdict.consume_front(" to "))
      expectation.place = verdict.str();
  } else {
    INFO("verdict: " << verdict.str());
    REQUIRE(verdict.consume_front("kept"));
    for (KeptReason reason : kReasons)
      if (verdict.trim() == keptReasonName(reason))
        expectation.reason = keptReasonName(reason);
  }
  return expectation;
}

/// What a line expects at one trust level.
std::optional<Expectation> parseExpectation(llvm::StringRef line, Trust trust) {
  std::size_t at = line.find("expect: ");
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  auto [tile, library] = line.substr(at + 8).split("; library: ");
  return parseVerdict(trust == Trust::Library && !library.empty() ? library : tile);
}

std::string describe(const Outcome &outcome, const SiteDecision &decision) {
  switch (decision.verdict) {
  case Verdict::Removed: return "removed [" + decision.pattern + "]";
  case Verdict::Moved:
    return "moved to " + describeLines(movedLines(outcome.module.source, decision), kMostPlaces) + " [" +
           decision.pattern + "]";
  case Verdict::Kept: break;
  }
  return std::string("kept ") + keptReasonName(decision.reason) + ": " + decision.detail;
}

void checkDecision(const Outcome &outcome, const SiteDecision &decision, const Expectation &expected) {
  CHECK(static_cast<int>(expected.verdict) == static_cast<int>(decision.verdict));
  if (expected.verdict != decision.verdict)
    return;
  if (!expected.pattern.empty())
    CHECK(decision.pattern == expected.pattern);
  if (!expected.reason.empty())
    CHECK(keptReasonName(decision.reason) == expected.reason);
  for (const TextPlace &place : decision.movedTo)
    CHECK(outcome.module.source.text().substr(place.offset, expected.place.size()) == expected.place);
}

void checkCase(const std::string &folder, const nlohmann::json &testCase) {
  std::string path = corpusPath(folder + "/kernel.cpp");
  RunOptions options = parseOptions(testCase.at("options").get<std::vector<std::string>>());
  Outcome outcome = run(readText(path), options, folder + "/kernel.cpp");
  std::size_t checked = 0;
  for (const SiteDecision &decision : outcome.result.decisions) {
    const SyncSite &site = outcome.module.sites[decision.site];
    if (site.kind == SyncKind::Tail)
      continue;
    auto expected = parseExpectation(outcome.module.source.line(site.line), options.optimize.ordering.trust);
    INFO(folder << "/kernel.cpp:" << site.line << " case " << testCase.at("name") << ": " << site.text << ", got "
                << describe(outcome, decision));
    REQUIRE(expected);
    checkDecision(outcome, decision, *expected);
    ++checked;
  }
  CHECK(checked > 0);
}

} // namespace

TEST_CASE("corpus: every sync has the verdict written on its line", "[corpus]") {
  std::vector<std::string> folders = corpusFolders();
  REQUIRE(folders.size() >= 8);
  for (const std::string &folder : folders) {
    if (folder.rfind("_", 0) == 0)
      continue;
    for (const nlohmann::json &testCase : nlohmann::json::parse(readText(corpusPath(folder + "/cases.json"))))
      checkCase(folder, testCase);
  }
}
