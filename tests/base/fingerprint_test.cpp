#include "base/fingerprint.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("fingerprint: numbered names count by their order alone") {
  StableNames a, b, c;
  CHECK(a.stable("TADD(v66, v66, v70)") == "TADD(#0, #0, #1)");
  CHECK(a.stable("TMUL(v70, v9)") == "TMUL(#1, #2)"); // a name keeps its number
  CHECK(b.stable("TADD(v1, v1, v2)") == "TADD(#0, #0, #1)");
  CHECK(c.stable("TADD(v1, v2, v2)") != b.stable("TADD(v1, v1, v2)"));
}

TEST_CASE("fingerprint: what an assembler numbers, and what it does not") {
  auto stable = [](const char *text) { return StableNames().stable(text); };
  CHECK(stable("t__tmp_v12") == "#0");
  CHECK(stable("GT_93898135670608") == "#0");
  for (const char *text : {"EVENT_ID0", "PIPE_MTE2", "GT_2", "v", "12", "_", "x12", ""})
    CHECK(stable(text) == text);
}

TEST_CASE("fingerprint: so many digits, the same for the same text") {
  CHECK(fingerprintOf("abc", 16) == "a9993e364706816a"); // of SHA-1, as it is published
  CHECK(fingerprintOf("abc", 32) == "a9993e364706816aba3e25717850c26c");
  CHECK(fingerprintOf("abd", 16) != fingerprintOf("abc", 16));
}
