// The pages of the findings: each exists, says what the table says, and its examples do what they claim.
#include "audit/audited.h"
#include "audit/finding_pages.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string docs(const std::string &name) { return readText(std::string(PTOSYNC_SOURCE_DIR) + "/" + name); }

/// The first fenced block behind `heading`; throws if there is none.
std::string fenced(const std::string &page, const std::string &heading) {
  std::size_t at = page.find(heading);
  std::size_t open = at == std::string::npos ? at : page.find("```cpp\n", at);
  if (open == std::string::npos)
    throw std::runtime_error("no example behind " + heading);
  open += 7;
  return page.substr(open, page.find("```", open) - open);
}

std::string framed(const std::string &example) {
  static const std::string frame = fenced(docs("docs/findings/README.md"), "# Findings");
  const std::string place = "  // the example\n";
  std::string text = frame;
  return text.replace(text.find(place), place.size(), example);
}

} // namespace

TEST_CASE("finding pages: each finding has a page, with its severity and summary, and stands in the list") {
  std::string list = docs("docs/findings/README.md");
  std::size_t pages = 0;
  for (const FindingRule &rule : findingRules()) {
    CAPTURE(std::string(rule.id));
    std::string page = docs(rule.page()), id(rule.id);
    CHECK(page.rfind("# " + id + "\n", 0) == 0);
    CHECK(page.find("Severity: " + std::string(severityName(rule.severity)) + ".") != std::string::npos);
    CHECK(list.find("| [" + id + "](" + id + ".md) | " + severityName(rule.severity) + " | " +
                    std::string(rule.summary) + " |") != std::string::npos);
    ++pages;
  }
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(std::string(PTOSYNC_SOURCE_DIR) + "/docs/findings"))
    files += entry.path().extension() == ".md";
  CHECK(files == pages + 1);
}

TEST_CASE("finding pages: the program holds each page as it stands in docs/findings") {
  for (const FindingRule &rule : findingRules()) {
    CAPTURE(std::string(rule.id));
    CHECK(std::string(findingPage(rule.id)) == docs(rule.page()));
  }
  CHECK(findingPage("README").empty());
  CHECK(findingPage("no-such-finding").empty());
}

TEST_CASE("finding pages: a section is what stands below its heading") {
  const std::string_view page = "# title\n\nFirst.\n\n## Bad\n\n```cpp\n# no heading\n```\n\n## Empty\n## Last\nEnd.";
  CHECK(sectionOf(page, "") == "First.");
  CHECK(sectionOf(page, "Bad") == "```cpp\n# no heading\n```");
  CHECK(sectionOf(page, "Empty").empty());
  CHECK(sectionOf(page, "Last") == "End.");
  CHECK(sectionOf(page, "Absent").empty());
  for (const FindingRule &rule : findingRules()) // what every page has, for whoever quotes a part of it
    for (const char *heading : {"", "Bad", "Good", "To mend it", "What it does not see"}) {
      CAPTURE(std::string(rule.id), heading);
      CHECK(!sectionOf(findingPage(rule.id), heading).empty());
    }
}

TEST_CASE("finding pages: the bad example is found, the good one is not") {
  for (const FindingRule &rule : findingRules()) {
    CAPTURE(std::string(rule.id));
    std::string page = docs(rule.page()), id(rule.id);
    const std::string arch = page.find("The example is for a5") == std::string::npos ? "a3" : "a5";
    Audited bad(framed(fenced(page, "## Bad")), arch), good(framed(fenced(page, "## Good")), arch);
    CHECK(bad.result.skipped.empty());
    CHECK(good.result.skipped.empty());
    CHECK(good.result.unknownCalls.empty());
    // A flag to itself is an error on the other architecture only.
    CHECK(bad.severity(id) == (id == "self-pair" ? "warning" : severityName(rule.severity)));
    CHECK(good.count(id) == 0);
    for (const Finding &finding : good.result.findings)
      CHECK(finding.severity == Severity::Note);
    const Finding *found = nullptr;
    for (const Finding &finding : bad.result.findings)
      if (finding.rule == id)
        found = &finding;
    REQUIRE(found);
    CHECK(found->place.line > 0);
    CHECK(found->fingerprint.size() == 32);
  }
}
