// Every barrier of the corpus carries its verdict on its own line; this test holds the tool to it.
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <optional>

using namespace ptosync;
using namespace ptosync::test;

namespace {

struct Expectation {
  bool removed = false;
  std::string pattern; // empty: any
};

/// "expect: kept RAW; library: removed [final-div]", for one trust level. The hazard kind is for the reader: an
/// in-place pair has several, and which is named first is the report's choice.
std::optional<Expectation> parseExpectation(std::string_view line, Trust trust) {
  std::size_t at = line.find("expect: ");
  if (at == std::string_view::npos)
    return std::nullopt;
  std::string_view text = line.substr(at + 8);
  Expectation expectation;
  std::size_t open = text.find('['), close = text.find(']');
  if (open != std::string_view::npos && close != std::string_view::npos)
    expectation.pattern = text.substr(open + 1, close - open - 1);
  std::size_t library = text.find("library: ");
  std::string_view verdict = text;
  if (library != std::string_view::npos)
    verdict = trust == Trust::Library ? text.substr(library + 9) : text.substr(0, library);
  expectation.removed = verdict.rfind("removed", 0) == 0;
  if (!expectation.removed)
    REQUIRE(verdict.rfind("kept", 0) == 0);
  return expectation;
}

void checkCase(const std::string &folder, const nlohmann::json &testCase) {
  std::string path = corpusPath(folder + "/kernel.cpp");
  RunOptions options = parseOptions(testCase.at("options").get<std::vector<std::string>>());
  Outcome outcome = run(readText(path), options, folder + "/kernel.cpp");
  std::size_t checked = 0;
  for (const SiteDecision &decision : outcome.result.decisions) {
    const SyncSite &site = outcome.module.sites[decision.site];
    if (site.kind != SyncKind::Barrier)
      continue;
    auto expected = parseExpectation(outcome.module.source.line(site.line), options.optimize.ordering.trust);
    INFO(folder << "/kernel.cpp:" << site.line << " case " << testCase.at("name") << ": " << site.text << ", got "
                << (decision.verdict == Verdict::Removed ? "removed [" + decision.pattern + "]"
                                                         : "kept: " + std::string(keptReasonName(decision.reason)) +
                                                               ": " + decision.detail));
    REQUIRE(expected);
    CHECK(expected->removed == (decision.verdict == Verdict::Removed));
    if (expected->removed && decision.verdict == Verdict::Removed && !expected->pattern.empty())
      CHECK(decision.pattern == expected->pattern);
    ++checked;
  }
  CHECK(checked > 0);
}

} // namespace

TEST_CASE("corpus: every barrier has the verdict written on its line", "[corpus]") {
  std::vector<std::string> folders = corpusFolders();
  REQUIRE(folders.size() >= 8);
  for (const std::string &folder : folders) {
    if (folder.rfind("_", 0) == 0)
      continue;
    for (const nlohmann::json &testCase : nlohmann::json::parse(readText(corpusPath(folder + "/cases.json"))))
      checkCase(folder, testCase);
  }
}
