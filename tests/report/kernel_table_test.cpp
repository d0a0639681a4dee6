#include "report/kernel_table.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync;

namespace {

KernelTable tableOfThree() {
  KernelTable table{"opt", "1.2", {}, {}, {}, {}};
  table.columns = {{"file", "kernel", ColumnKind::Name},
                   {"removed", "removed"},
                   {"cycles", "after", ColumnKind::Cycles},
                   {"overLimit", "over limit", ColumnKind::Ratio},
                   {"problem", "", ColumnKind::Words}};
  table.rows = {{{"a,\"b\".cpp", 12, 61123, 1.161, nullptr}, "", true},
                {{"quiet.cpp", 0, 812, nullptr, nullptr}, "quiet.cpp.html", false},
                {{"\xff.cpp", nullptr, nullptr, nullptr, "no C++"}, "", true}};
  table.summary["removed"] = 12;
  table.lines = {"3 kernels"};
  return table;
}

} // namespace

TEST_CASE("kernel table: text has what something came of, and a dash for what is not known") {
  CHECK(tableText(tableOfThree(), TableForm::Text) == "kernel     removed  after  over limit\n"
                                                      "a,\"b\".cpp       12  61.1k        1.16\n"
                                                      "\xff.cpp            -      -           -  no C++\n"
                                                      "\n"
                                                      "3 kernels\n");
  KernelTable none = tableOfThree();
  for (TableRow &row : none.rows)
    row.eventful = false;
  CHECK(tableText(none, TableForm::Text) == "3 kernels\n");
}

TEST_CASE("kernel table: CSV has every row, with fields that need quotes in quotes") {
  CHECK(tableText(tableOfThree(), TableForm::Csv) == "file,removed,cycles,overLimit,problem\n"
                                                     "\"a,\"\"b\"\".cpp\",12,61123,1.161,\n"
                                                     "quiet.cpp,0,812,,\n"
                                                     "\xff.cpp,,,,no C++\n");
}

TEST_CASE("kernel table: JSON has every row and the sums") {
  auto json = nlohmann::json::parse(tableText(tableOfThree(), TableForm::Json));
  CHECK(json["schema"] == kTableSchema);
  CHECK(json["tool"] == "ptosync 1.2");
  CHECK(json["summary"]["removed"] == 12);
  REQUIRE(json["kernels"].size() == 3);
  CHECK(json["kernels"][0]["file"] == "a,\"b\".cpp");
  CHECK(json["kernels"][1]["overLimit"].is_null());
  CHECK(json["kernels"][2]["file"] == "\\xFF.cpp");
}

TEST_CASE("kernel table: the page links to the pages of kernels") {
  const std::string page = tableText(tableOfThree(), TableForm::Html);
  CHECK(page.find("\"quiet.cpp.html\"") != std::string::npos);
  CHECK(page.find("61.1k") != std::string::npos);
}

TEST_CASE("kernel table: the form is what the file's name ends with") {
  CHECK(tableFormOf("a/t.csv") == TableForm::Csv);
  CHECK(tableFormOf("t.json") == TableForm::Json);
  CHECK(tableFormOf("t.html") == TableForm::Html);
  CHECK(tableFormOf("csv") == TableForm::Text);
}

TEST_CASE("kernel table: sums and the largest are of what is known") {
  CHECK(sumOf(tableOfThree(), "cycles") == 61935);
  CHECK(sumOf(tableOfThree(), "nothing") == 0);
  REQUIRE(largestOf(tableOfThree(), "overLimit", 1.0) != nullptr);
  CHECK(largestOf(tableOfThree(), "overLimit", 1.0)->cells[1] == 12);
  CHECK(largestOf(tableOfThree(), "overLimit", 2.0) == nullptr);
}

TEST_CASE("kernel table: the page begins with the worst, what is not known in front; JSON has more of a kernel") {
  KernelTable table = tableOfThree();
  table.worstBy = {"removed", "cycles"};
  table.rows[1].details = {{"syncs", 3}};
  const std::string page = tableText(table, TableForm::Html);
  CHECK(page.find("xFF.cpp") < page.find("b\\\".cpp"));
  CHECK(page.find("b\\\".cpp") < page.find("quiet.cpp"));
  auto json = nlohmann::json::parse(tableText(table, TableForm::Json));
  CHECK(json["kernels"][0]["file"] == "a,\"b\".cpp");
  CHECK(json["kernels"][0].count("details") == 0);
  CHECK(json["kernels"][1]["details"]["syncs"] == 3);
  CHECK(mostOf(table, "cycles") == 61123);
  CHECK(mostOf(table, "nothing") == 0);
}
