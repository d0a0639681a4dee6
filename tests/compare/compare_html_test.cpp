#include "compare/compare_report.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("compare page: one document inside, and nothing is loaded") {
  compare::Comparison comparison;
  compare::KernelComparison kernel;
  kernel.nameA = kernel.nameB = "k";
  comparison.kernels.push_back(kernel);
  CompareReport report{"a.cpp", "b.cpp", "a3", "a3 (default)", "1.0.0", 1850, &comparison, false, std::nullopt};
  std::string page = compareHtml(report, SourceText("a.cpp", "first\n</script><b>\n"), SourceText("b.cpp", "other\n"),
                                 {DrawnKernel{"k", {DrawnRun{"A", 12, {DrawnSlice{}}}, DrawnRun{"B", 9, {}}}}});
  for (const char *mark :
       {"PTOSYNC_STYLE", "PTOSYNC_SCRIPT", "PTOSYNC_DATA", "http://", "https://", "src=", "</script><b>"})
    CHECK(page.find(mark) == std::string::npos);
  std::string opening = "id=\"data\">";
  std::size_t begin = page.find(opening) + opening.size();
  nlohmann::json data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  CHECK(data["linesA"] == nlohmann::json({"first", "</script><b>", ""}));
  CHECK(data["linesB"][0] == "other");
  CHECK(data["titles"][0] == "k");
  CHECK(data["comparison"]["kernels"].size() == 1);
  REQUIRE(data["estimate"].size() == 1);
  CHECK(data["estimate"][0].get<std::string>().rfind("estimate: ", 0) == 0);
  CHECK(data["matched"] == nlohmann::json::array({{3, 2, 1}})); // the empty last lines
  REQUIRE(data["kernels"][0]["runs"].size() == 2);
  CHECK(data["kernels"][0]["runs"][1]["end"] == 9);
  CHECK(data["kernels"][0]["runs"][0]["tracks"].size() == 1);
  CHECK(data["kernels"][0]["runs"][1]["tracks"].empty()); // no empty rows
  CHECK(data["verdict"] == "1 core compared, no syncs: none differs");
}

TEST_CASE("compare page: lines are matched by their statements") {
  SourceText a("a.cpp", "TADD(v1, v2);\npipe_barrier(PIPE_V);\n  TEXP(v3, v1); // first\nTSTORE(v3);\n// note\n");
  auto matched = [&](const std::string &text) { return matchedLines(a, SourceText("b.cpp", text)); };
  CHECK(
      matched("TADD(v11, v2);\n/* ptosync: removed pipe_barrier(PIPE_V) [gu: flag at 2] */ // was [1]\nTEXP(v31,v11);\n"
              "TSTORE(v3);\n// note\n") == std::vector<MatchedLines>{{1, 1, 6}});
  // A line more, a line less; a comment that stands alone is a line of its own.
  CHECK(matched("TADD(v1, v2);\nTMUL(v1, v1);\npipe_barrier(PIPE_V);\nTSTORE(v3);\n// other\n") ==
        std::vector<MatchedLines>{{1, 1, 1}, {2, 3, 1}, {4, 4, 1}, {6, 6, 1}});
  CHECK(matched("TADD(v1, v2);\n/* ptosync: moved to line 9: pipe_barrier(PIPE_V) [sink-wait] */\n")[0] ==
        MatchedLines{1, 1, 2});
  CHECK(matched("nothing alike") == std::vector<MatchedLines>{});
}
