#include "audit/buffer_ids.h"

#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string bracketed(const std::string &pipe, const std::string &statement) {
  return "  get_buf(" + pipe + ", 3, 0);\n" + statement + "  rls_buf(" + pipe + ", 3, 0);\n";
}

} // namespace

TEST_CASE("buffer ids: what they may order is no finding, and the kernel is named") {
  std::string load = "  TLOAD(a, g);\n", add = "  TADDS(b, a, 1.0f);\n";
  Audited ids(shortTiles(bracketed("PIPE_MTE2", load) + bracketed("PIPE_V", add)), "a5");
  CHECK(ids.count("missing-sync") == 0);
  REQUIRE(ids.result.notJudged.size() == 1);
  CHECK(ids.result.notJudged[0].kernel == "k");
  CHECK(ids.result.notJudged[0].line == lineOf(ids.text, "get_buf(PIPE_MTE2"));
  Audited plain(shortTiles(load + add), "a5");
  CHECK(plain.severity("missing-sync") == "error");
  CHECK(plain.result.notJudged.empty());
}

TEST_CASE("buffer ids: flags are judged all the same") {
  std::string flag = setFlag(kLoadToVector);
  Audited ids(shortTiles(bracketed("PIPE_MTE2", "  TLOAD(a, g);\n") + flag + flag), "a5");
  CHECK(ids.count("double-set") == 1);
}
