#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kOut = setFlag("PIPE_V, PIPE_MTE3") + waitFlag("PIPE_V, PIPE_MTE3");

/// t lies at `address`; a is read, then t is written behind a barrier, then `rest`.
Audited reuse(const std::string &address, const std::string &rest, const std::string &source = "c") {
  return Audited(shortTiles(rowsAt("t", 4, address) +
                            "  TADDS(b, a, 1.0f);\n  pipe_barrier(PIPE_V); // barrier\n  TADDS(t, " + source +
                            ", 2.0f);\n" + kOut + rest));
}

} // namespace

TEST_CASE("serialising-alias: both buffers by name, and what it would cost") {
  Audited found = reuse("0", "  TSTORE(h, t);\n");
  const Finding &finding = found.only("serialising-alias");
  CHECK(finding.place.line == lineOf(found.text, "// barrier"));
  CHECK(finding.message.find("t shares storage with a") != std::string::npos);
  CHECK(finding.message.find("1024 bytes of UB") != std::string::npos);
}

TEST_CASE("serialising-alias: silent where the sharing is the point, or something else needs the barrier") {
  CHECK(reuse("0", "  TSTORE(h, a);\n").count("serialising-alias") == 0);      // read through the other name
  CHECK(reuse("0", "  TSTORE(h, t);\n", "b").count("serialising-alias") == 0); // b is read: a true dependence
  CHECK(reuse("8192", "  TSTORE(h, t);\n").count("serialising-alias") == 0);   // storage of its own: removable
}
