#include "explain/removal_conditions.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// "option: with --trust=library ...", in order.
std::vector<std::string> conditions(const Explained &kernel, const std::string &mark) {
  std::vector<std::string> list;
  for (const RemovalCondition &condition : kernel.sync(mark).conditions)
    list.push_back(std::string(removalConditionName(condition.kind)) + ": " + condition.text);
  return list;
}

bool has(const std::vector<std::string> &list, const std::string &part) {
  return std::any_of(list.begin(), list.end(), [&](const std::string &text) { return mentions(text, part); });
}

} // namespace

TEST_CASE("removal conditions: nothing but another sync, with its place") {
  Explained kernel(fourTiles("  TADDS(a, b, 1.0f); // first\n  TADDS(c, d, 1.0f);\n  pipe_barrier(PIPE_V); // one\n"
                             "  TADDS(d, b, 1.0f);\n  TADDS(c, a, 1.0f); // last\n"));
  std::vector<std::string> list = conditions(kernel, "// one");
  REQUIRE(list.size() == 1);
  // WAR on d and RAW on a: one window serves both.
  CHECK(list[0] == "none: but another sync that orders the same: a barrier of PIPE_V between line " +
                       std::to_string(kernel.line("// first") + 1) + " and line " +
                       std::to_string(kernel.line("// one") + 1));
}

TEST_CASE("removal conditions: options are tried") {
  std::string sum = rowsAt("x", 16, "0") + rowsAt("t", 16, "4096") + columnTile("s", "float", 16, 8192) +
                    columnTile("u", "float", 16, 12288) +
                    "  TROWSUM(s, x, t);\n  pipe_barrier(PIPE_V); // sum\n"
                    "  TADD(u, u, s);\n";
  CHECK(
      has(conditions(Explained(vectorKernel(sum)), "// sum"), "option: with --trust=library `ptosync opt` removes it"));
  std::string product =
      matrixTiles() + "  TMATMUL(c, l, r);\n  pipe_barrier(PIPE_M); // acc\n  TMATMUL_ACC(c, c, l, r);\n";
  std::vector<std::string> list = conditions(Explained(vectorKernel(product)), "// acc");
  CHECK(has(list, "option: with --m-accumulate-order (contested) `ptosync opt` removes it"));
  CHECK_FALSE(has(list, "--trust"));
  std::string idle = fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // idle\n  TADDS(c, d, 1.0f);\n");
  CHECK(has(conditions(Explained(idle, {}, "gu"), "// idle"), "option: with --patterns=all `ptosync opt` removes it"));
  CHECK(conditions(Explained(idle), "// idle").empty()); // it goes as it is
}

TEST_CASE("removal conditions: a cheaper barrier in the place of PIPE_ALL") {
  Explained narrow(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_ALL); // all\n  TADDS(c, a, 1.0f);\n"));
  CHECK(has(conditions(narrow, "// all"), "replace: pipe_barrier(PIPE_V) in its place would do"));
  Explained wide(fourTiles("  TLOAD(a, g);\n  pipe_barrier(PIPE_ALL); // all\n  TADDS(c, a, 1.0f);\n"));
  std::vector<std::string> list = conditions(wide, "// all");
  CHECK(has(list, "sync: what it orders could be ordered by a flag PIPE_MTE2 -> PIPE_V (1 pair)"));
  CHECK_FALSE(has(list, "in its place"));
}

TEST_CASE("removal conditions: one barrier for two, only if this one goes with it") {
  // a is needed behind the second barrier only: the first one could wait until there.
  Explained kernel(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, b, 2.0f);\n"
                             "  TADDS(d, a, 1.0f); // reader\n  pipe_barrier(PIPE_V); // two\n  TADDS(b, c, 1.0f);\n"));
  CHECK(has(conditions(kernel, "// one"),
            "join: one barrier in front of line " + std::to_string(kernel.line("// reader")) +
                " would do for this one and for the one at line " + std::to_string(kernel.line("// two"))));
  CHECK(has(conditions(kernel, "// two"), "for the one at line " + std::to_string(kernel.line("// one"))));
  // Each needed where it stands.
  Explained tight(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, a, 2.0f);\n"
                            "  pipe_barrier(PIPE_V); // two\n  TADDS(d, c, 1.0f);\n"));
  CHECK_FALSE(has(conditions(tight, "// one"), "join"));
  CHECK_FALSE(has(conditions(tight, "// two"), "join"));
}

TEST_CASE("removal conditions: separate storage, for a barrier and for a flag") {
  Explained barrier(fourTiles(rowsAt("x", 4, "8192") + rowsAt("y", 4, "8192") + rowsAt("z", 4, "12288") +
                              "  TADDS(z, x, 1.0f);\n  pipe_barrier(PIPE_V); // alias\n  TADDS(y, a, 1.0f);\n"
                              "  pipe_barrier(PIPE_ALL);\n  TADDS(b, y, 1.0f);\n"));
  CHECK(has(conditions(barrier, "// alias"), "storage: separate storage would do: y away from x (1024 bytes of UB)"));
  // Read under the other name: the sharing is the point.
  Explained view(fourTiles(rowsAt("x", 4, "8192") + rowsAt("y", 4, "8192") + rowsAt("z", 4, "12288") +
                           "  TADDS(z, x, 1.0f);\n  pipe_barrier(PIPE_V); // alias\n  TADDS(y, a, 1.0f);\n"
                           "  pipe_barrier(PIPE_ALL);\n  TADDS(b, x, 1.0f);\n"));
  CHECK_FALSE(has(conditions(view, "// alias"), "separate storage"));
}

TEST_CASE("removal conditions: none of a sync that a comment keeps") {
  Explained kernel(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // ptosync: keep(timing)\n"
                             "  TADDS(c, a, 1.0f);\n"));
  CHECK(conditions(kernel, "keep(timing)").empty());
}
