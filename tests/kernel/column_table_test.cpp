#include "kernel/column_table.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("column table: text to the left, numbers to the right, the last as it is", "[report]") {
  using Align = ColumnTable::Align;
  ColumnTable table(2, {Align::Left, Align::Right, Align::Plain});
  CHECK(table.format() == "");
  table.add({"section", "found", "held by"});
  table.add({"vec", "12", "a, b"});
  CHECK(table.format() == "  section  found  held by\n"
                          "  vec         12  a, b\n");
}
