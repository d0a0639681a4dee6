// Rings that are too short, by entry numbers (ring_rules) and by how far a reader lags (ring_storage).
#include "audit/audited.h"

#include <catch2/catch.hpp>

#include <map>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Severities of ring-too-short by kernel.
std::map<std::string, std::string> rings(const Audited &audited) {
  std::map<std::string, std::string> found;
  for (const Finding &finding : audited.result.findings)
    if (finding.rule == "ring-too-short")
      found[finding.kernel] = severityName(finding.severity);
  return found;
}

/// A ring chosen by branches, as emitted for arrays of tiles: `write` and `read` are numbers of entries.
std::string branches(const std::string &write, const std::string &read, bool preload) {
  auto arms = [](const std::string &number, const std::string &call, const std::string &end) {
    return "    if (" + number + " % 2 == 0) {\n      " + call + "(p" + end + ");\n    } else {\n      " + call + "(q" +
           end + ");\n    }\n";
  };
  std::string tiles = rowsAt("p", 4, "8192") + rowsAt("q", 4, "12288");
  return shortTiles(tiles + (preload ? "  TEXP(p, a);\n  TEXP(q, a);\n" : "") +
                    "  for (int32_t i = 0; i < n; ++i) {\n    pipe_barrier(PIPE_V);\n" + arms(write, "TEXP", ", a") +
                    "    pipe_barrier(PIPE_V);\n" + arms(read, "TADDS", ", " + std::string("p, 1.0f")) + "  }\n");
}

} // namespace

TEST_CASE("ring-too-short: the corpus") {
  Audited audited(readText(corpusPath("rescale_ring/kernel.cpp")), "a3", Severity::Warning);
  CHECK(rings(audited) == std::map<std::string, std::string>{{"three_written_first", "error"},
                                                             {"two_for_three_ahead", "error"},
                                                             {"stores_overtaken", "error"}});
  CHECK(audited.count("missing-sync") == 0);
  for (const Finding &finding : audited.result.findings) {
    CHECK(finding.message.find("WAR on UB") == 0);
    if (finding.kernel == "two_for_three_ahead")
      CHECK(finding.message.find("the ring has 2 entries, and an entry is read 3 iterations after it is written") !=
            std::string::npos);
    if (finding.kernel == "stores_overtaken")
      CHECK(finding.message.find("the ring has 2 entries, and an entry may still be in use 2 iterations") !=
            std::string::npos);
  }
}

TEST_CASE("ring-too-short: entries chosen by branches") {
  auto severity = [](const std::string &write, const std::string &read, bool preload) {
    return Audited(branches(write, read, preload)).severity("ring-too-short");
  };
  CHECK(severity("(i + 3)", "i", true) == "error");
  CHECK(severity("(i + 2)", "i", true) == "error"); // written in front of the read
  CHECK(severity("(i + 1)", "i", true).empty());
  CHECK(severity("i", "i", true).empty());
  CHECK(severity("(i + 3)", "i", false) == "warning"); // nothing shows that three are in flight
  CHECK(severity("i", "(i + 1)", true).empty());       // "(i + 1) % 2" is how one counts backwards
}

TEST_CASE("ring-too-short: a remainder of anything but a counter is no ring") {
  CHECK(Audited(branches("(n + 3)", "n", true)).count("ring-too-short") == 0);
  CHECK(Audited(branches("(2 * i + 3)", "2 * i", true)).count("ring-too-short") == 0);
}
