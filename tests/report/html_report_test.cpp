#include "report/html_report.h"

#include "optimize/wording.h"
#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

/// What the page shows, as the script in it reads it.
nlohmann::json dataOf(const std::string &page) {
  const std::string begin = "id=\"data\">";
  std::size_t from = page.find(begin) + begin.size(), to = page.find("</script>", from);
  return nlohmann::json::parse(page.substr(from, to - from));
}

SourceText text(const std::string &content) { return SourceText("k.cpp", content); }

} // namespace

TEST_CASE("html: the page is whole and loads nothing") {
  sample::Sample sample = sample::rich();
  ReportInput decisions = sample.input();
  HtmlInput input;
  input.source = &sample.module.source;
  input.decisions = &decisions;
  input.verdict = "1 barrier";
  std::string page = htmlReport(input);
  CHECK(page.rfind("<!DOCTYPE html>", 0) == 0);
  for (const char *mark : {"PTOSYNC_STYLE", "PTOSYNC_SCRIPT", "PTOSYNC_DATA", "http://", "https://", "src="})
    CHECK(page.find(mark) == std::string::npos);
  nlohmann::json data = dataOf(page);
  CHECK(data["verdict"] == "1 barrier");
  CHECK(data["sites"].size() == sample.result.decisions.size());
}

TEST_CASE("html: text of the kernel cannot leave its place") {
  SourceText source = text("// </script><script>alert(1)</script>\n");
  HtmlInput input;
  input.source = &source;
  std::string page = htmlReport(input);
  CHECK(page.find("alert(1)</script>") == std::string::npos);
  CHECK(dataOf(page)["lines"][0] == "// </script><script>alert(1)</script>");
}

TEST_CASE("html: why a sync went, and the weakest fact behind it") {
  sample::Sample sample;
  Evidence sync, rule, library, unneeded;
  sync.by = Evidence::By::Sync;
  rule.by = Evidence::By::Rule;
  rule.rule = "same-access-chain";
  library.by = Evidence::By::Library;
  unneeded = library;
  unneeded.relied = false;
  auto removed = [&](std::vector<Evidence> evidence) {
    SiteDecision &decision = sample.barrier(10);
    decision.verdict = Verdict::Removed;
    decision.evidence = std::move(evidence);
  };
  removed({sync, unneeded});
  removed({sync, rule});
  removed({rule, library});
  ReportInput decisions = sample.input();
  HtmlInput input;
  input.source = &sample.module.source;
  input.decisions = &decisions;
  input.ruleGrades = {{"same-access-chain", "B"}};
  nlohmann::json sites = dataOf(htmlReport(input))["sites"];
  CHECK(sites[0]["why"] == "another sync orders it");
  CHECK(sites[0]["fact"] == "none beyond the model");
  CHECK(sites[1]["fact"] == "grade B");
  CHECK(sites[2]["fact"] == "library version");
  CHECK(sites[2]["why"] == "barrier inside a library call, machine rule same-access-chain");
}

TEST_CASE("html: repeated conflicts stand once, with the family that a list folds them by") {
  sample::Sample sample;
  Evidence sync, library;
  sync.by = Evidence::By::Sync;
  sync.conflict = sample::conflict(9, 11);
  library = sync;
  library.by = Evidence::By::Library;
  library.relied = false;
  Evidence other = sync;
  other.conflict = sample::conflict(9, 14);
  SiteDecision &removed = sample.barrier(10);
  removed.verdict = Verdict::Removed;
  removed.evidence = {sync, other, library};
  SiteDecision &kept = sample.barrier(13);
  kept.verdict = Verdict::Kept;
  kept.reason = KeptReason::Hazard;
  kept.witness = sample::conflict(9, 14);
  ReportInput decisions = sample.input();
  HtmlInput input;
  input.source = &sample.module.source;
  input.decisions = &decisions;
  nlohmann::json sites = dataOf(htmlReport(input))["sites"];
  REQUIRE(sites[0]["evidence"].size() == 2);
  CHECK(sites[0]["evidence"][0]["facts"].size() == 2);
  CHECK(sites[0]["evidence"][1]["facts"].size() == 1);
  CHECK(sites[0]["evidence"][0]["family"] == sites[0]["evidence"][1]["family"]);
  CHECK(sites[0]["evidence"][0]["conflict"] != sites[0]["evidence"][1]["conflict"]);
  CHECK(sites[0]["cause"] == conflictFamily(*sync.conflict));
  CHECK(sites[1]["cause"] == sites[0]["cause"]);
  CHECK(sites[1]["evidence"][0]["conflict"] == describeConflict(*kept.witness));
}

TEST_CASE("html: runs of a kernel share their texts, and have no empty track") {
  SourceText source = text("TADD(a, b, c);\n");
  HtmlInput input;
  input.source = &source;
  DrawnSlice slice;
  slice.pipe = Pipe::V;
  slice.length = 12.34;
  slice.text = "TADD(a, b, c)";
  slice.line = 1;
  DrawnSlice load = slice;
  load.pipe = Pipe::MTE2;
  DrawnSlice stall = load;
  stall.kind = timing::TimelineSlice::Kind::Stall;
  stall.held = timing::Held::Core;
  stall.start = 12.5;
  DrawnArrow arrow{Pipe::MTE2, Pipe::V, 3.04, 5, 7, 8}, nowhere{Pipe::MTE3, Pipe::V, 1, 2, 7, 8};
  input.kernels = {{"k (vec)", {{"before", 13, {slice, load, stall}, {arrow, nowhere}}, {"after", 13, {slice}}}, true}};
  nlohmann::json data = dataOf(htmlReport(input));
  nlohmann::json runs = data["kernels"][0]["runs"];
  CHECK(data["kernels"][0]["together"] == true);
  REQUIRE(runs[0]["tracks"].size() == 2);
  REQUIRE(runs[1]["tracks"].size() == 1);
  CHECK(runs[1]["tracks"][0][0] == "VECTOR");
  CHECK(runs[0]["tracks"][1][1][1][0] == 5); // waits for the other core
  CHECK(runs[0]["arrows"] == nlohmann::json::array({{1, 3.0, 0, 5.0, 7, 8}}));
  CHECK(runs[1]["arrows"].empty());
  CHECK(runs[0]["tracks"][0][1][0] == nlohmann::json({0, 0.0, 12.3, 0, 1, -1, 1.0}));
  CHECK(data["texts"] == nlohmann::json({"TADD(a, b, c)"}));
}
