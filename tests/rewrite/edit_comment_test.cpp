#include "rewrite/edit_comment.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Of the first line of a kernel's body.
std::vector<EditComment> readLine(const std::string &line) {
  return editCommentsOn(lift(vectorKernel(line + "\n")), kBodyLine);
}

} // namespace

TEST_CASE("edit comment: a removed sync with its pattern and the reason") {
  std::vector<EditComment> found =
      readLine("  /* ptosync: removed set_flag(PIPE_V, PIPE_S, v[3]) [gu: flags at 4, 8 and 9] */ // x");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == EditComment::Kind::Removed);
  CHECK(found[0].statement == "set_flag(PIPE_V, PIPE_S, v[3])");
  CHECK(found[0].pattern == "gu");
  CHECK(found[0].reason == "flags at 4, 8 and 9");
}

TEST_CASE("edit comment: comments of older versions have no reason") {
  std::vector<EditComment> found = readLine("  /* ptosync: removed pipe_barrier(PIPE_V) [gu] */");
  REQUIRE(found.size() == 1);
  CHECK(found[0].pattern == "gu");
  CHECK(found[0].reason.empty());
  found = readLine("  /* ptosync: removed pipe_barrier(PIPE_V) */");
  REQUIRE(found.size() == 1);
  CHECK(found[0].statement == "pipe_barrier(PIPE_V)");
  CHECK(found[0].pattern.empty());
}

TEST_CASE("edit comment: moved ones") {
  std::vector<EditComment> found =
      readLine("  /* ptosync: moved to lines 4 and 9: wait_flag(A, B, C) [sink-into-arms] */ pipe_barrier(PIPE_V); "
               "// ptosync: moved from line 60 [sink-wait]");
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == EditComment::Kind::MovedTo);
  CHECK(found[0].lines == "lines 4 and 9");
  CHECK(found[0].statement == "wait_flag(A, B, C)");
  CHECK(found[0].pattern == "sink-into-arms");
  CHECK(found[1].kind == EditComment::Kind::MovedFrom);
  CHECK(found[1].lines == "line 60");
  CHECK(found[1].pattern == "sink-wait");
}

TEST_CASE("edit comment: a sync that was added says what it orders") {
  std::vector<EditComment> found =
      readLine("  pipe_barrier(PIPE_V); // ptosync: orders the write of v3 (line 20) before the read at line 23");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == EditComment::Kind::Added);
  CHECK(found[0].reason == "orders the write of v3 (line 20) before the read at line 23");
  CHECK(found[0].statement.empty());
}

TEST_CASE("edit comment: other comments, strings and lines are none") {
  CHECK(readLine("  // ptosync: keep(removed by hand)\n  pipe_barrier(PIPE_V);").empty());
  CHECK(readLine("  const char *t = \"/* ptosync: removed x [y] */\";").empty());
  CHECK(readLine("\n  /* ptosync: removed pipe_barrier(PIPE_V) [gu] */").empty());
}
