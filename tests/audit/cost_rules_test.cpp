#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Audited audited(const std::string &statements) { return Audited(shortTiles(statements)); }

} // namespace

TEST_CASE("pointless-copy: the same bytes in the same shape, with its barrier") {
  std::string same = rowsAt("t", 4, "0") + "  TADDS(a, a, 1.0f);\n";
  Audited copy = audited(same + "  pipe_barrier(PIPE_V); // barrier\n  TMOV(t, a);\n");
  const Finding &finding = copy.only("pointless-copy");
  REQUIRE(finding.notes.size() == 1);
  CHECK(finding.notes.front().place.line == lineOf(copy.text, "// barrier"));
  CHECK(audited(same + "  TMOV(t, b);\n").count("pointless-copy") == 0);
  CHECK(audited(rowsAt("t", 4, "512") + "  TMOV(t, a);\n").count("pointless-copy") == 0);
  CHECK(audited(rowsAt("t", 4, "n * 1024") + "  TMOV(t, a);\n").count("pointless-copy") == 0);
}

TEST_CASE("removable-sync: what the optimiser would take out, unless it is kept") {
  std::string barrier = "  pipe_barrier(PIPE_V);";
  CHECK(audited("  TADDS(b, a, 1.0f);\n" + barrier + "\n  TADDS(c, a, 1.0f);\n").severity("removable-sync") == "note");
  CHECK(audited("  TADDS(b, a, 1.0f);\n" + barrier + "\n  TADDS(c, b, 1.0f);\n").count("removable-sync") == 0);
  CHECK(audited("  TADDS(b, a, 1.0f);\n" + barrier + " // ptosync: keep(timing)\n  TADDS(c, a, 1.0f);\n")
            .count("removable-sync") == 0);
}

TEST_CASE("pipe-all-fallback: in the body, not at the end, in front of a flush, or kept") {
  CHECK(audited("  TLOAD(a, g);\n  pipe_barrier(PIPE_ALL);\n  TADDS(b, a, 1.0f);\n").count("pipe-all-fallback") == 1);
  CHECK(audited("  TLOAD(a, g);\n  pipe_barrier(PIPE_ALL); // ptosync: keep(flush)\n  TADDS(b, a, 1.0f);\n")
            .count("pipe-all-fallback") == 0);
  CHECK(audited("  TLOAD(a, g);\n").count("pipe-all-fallback") == 0); // the frame's own, in front of dsb
}

TEST_CASE("id-pressure: all ids of a directed pair") {
  auto ids = [](unsigned count, const std::string &pipes) {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += setFlag(pipes, "EVENT_ID" + std::to_string(i)) + waitFlag(pipes, "EVENT_ID" + std::to_string(i));
    return text;
  };
  CHECK(audited(ids(8, kLoadToVector)).count("id-pressure") == 1);
  CHECK(audited(ids(7, kLoadToVector)).count("id-pressure") == 0);
  CHECK(audited(ids(4, kLoadToVector) + ids(4, kVectorToLoad)).count("id-pressure") == 0);
}
