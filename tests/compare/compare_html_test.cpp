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
  CHECK(data["estimate"].get<std::string>().rfind("estimate: ", 0) == 0);
  REQUIRE(data["kernels"][0]["runs"].size() == 2);
  CHECK(data["kernels"][0]["runs"][1]["end"] == 9);
  CHECK(data["kernels"][0]["runs"][1]["tracks"].size() == 1); // as A's, they stand above each other
  CHECK(data["verdict"] == "1 core compared, no syncs: none differs");
}
