// A comparison as a page: both sources side by side, the syncs that differ, tables.
#include "report/compare_report.h"

#include "report/html_page.h"
#include "report/json_parts.h"

namespace ptosync {
namespace {

nlohmann::ordered_json sourceLines(const SourceText &source) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (std::uint32_t line = 1; line <= source.lineCount(); ++line)
    lines.push_back(std::string(source.line(line)));
  return lines;
}

} // namespace

std::string compareHtml(const CompareReport &report, const SourceText &a, const SourceText &b,
                        const std::vector<DrawnKernel> &drawn) {
  DrawnRuns runs;
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const DrawnKernel &kernel : drawn)
    kernels.push_back(runs.kernelJson(kernel));
  std::string totals = compareTotals(report);
  std::size_t end = totals.find('\n');
  nlohmann::ordered_json data = {{"comparison", compareJson(report)},
                                 {"estimate", totals.substr(0, end)},
                                 {"verdict", totals.substr(end + 1, totals.size() - end - 2)},
                                 {"titles", arrayOf(report.comparison->kernels, compareTitle)},
                                 {"linesA", sourceLines(a)},
                                 {"linesB", sourceLines(b)},
                                 {"kernels", std::move(kernels)},
                                 {"texts", runs.takeTexts()}};
  return htmlPage("compare.html", "compare.js", data);
}

} // namespace ptosync
