#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string inSection(const std::string &core, const std::string &statements) {
  return shortTiles("#if defined(__DAV_" + core + "__)\n" + statements + "#endif\n");
}
std::string severity(const std::string &rule, const std::string &text, const std::string &arch = "a3") {
  return Audited(text, arch).severity(rule);
}

} // namespace

TEST_CASE("illegal-pipe: barriers by core and architecture, contested ones as a warning") {
  CHECK(severity("illegal-pipe", inSection("VEC", "  pipe_barrier(PIPE_FIX);\n")) == "error");
  CHECK(severity("illegal-pipe", inSection("VEC", "  pipe_barrier(PIPE_V);\n")) == "");
  CHECK(severity("illegal-pipe", inSection("VEC", "  pipe_barrier(PIPE_V);\n"), "a5") == "error");
  CHECK(severity("illegal-pipe", inSection("VEC", "  pipe_barrier(PIPE_MTE3);\n"), "a5") == "");
  CHECK(severity("illegal-pipe", inSection("CUBE", "  pipe_barrier(PIPE_V);\n")) == "error");
  CHECK(severity("illegal-pipe", inSection("CUBE", "  pipe_barrier(PIPE_V);\n"), "a5") == "warning"); // grade C
  CHECK(severity("illegal-pipe", inSection("CUBE", "  pipe_barrier(PIPE_FIX);\n")) == "");
  // The library accepts it, the vendor's page does not.
  CHECK(severity("illegal-pipe", inSection("VEC", "  pipe_barrier(PIPE_S);\n")) == "warning");
  CHECK(severity("illegal-pipe", inSection("CUBE", "  pipe_barrier(PIPE_S);\n")) == "warning");
  CHECK(severity("illegal-pipe", inSection("VEC", "  pipe_barrier(PIPE_S);\n"), "a5") == "error");
}

TEST_CASE("id-out-of-range: on a3 a higher id is a lower one, on a5 it may be") {
  auto pair = [](const std::string &set, const std::string &wait) {
    return shortTiles("  TLOAD(a, g);\n" + setFlag(kLoadToVector, set) + waitFlag(kLoadToVector, wait) +
                      "  TADDS(b, a, 1.0f);\n");
  };
  CHECK(severity("missing-sync", pair("(event_t) 8", "EVENT_ID0")) == "");
  CHECK(severity("unprimed-wait", pair("(event_t) 8", "EVENT_ID0")) == "");
  CHECK(severity("unprimed-wait", pair("(event_t) 8", "EVENT_ID1")) == "error");
  CHECK(severity("missing-sync", pair("(event_t) 8", "(event_t) 8")) == "");
  CHECK(severity("missing-sync", pair("(event_t) 8", "EVENT_ID0"), "a5") != "error");
}

TEST_CASE("illegal-pipe: flags and instructions of the other core") {
  CHECK(severity("illegal-pipe", inSection("VEC", setFlag("PIPE_MTE1, PIPE_M") + waitFlag("PIPE_MTE1, PIPE_M"))) ==
        "error");
  CHECK(severity("illegal-pipe", inSection("CUBE", setFlag("PIPE_MTE2, PIPE_V") + waitFlag("PIPE_MTE2, PIPE_V"))) ==
        "error");
  CHECK(severity("illegal-pipe", inSection("CUBE", "  TADDS(b, a, 1.0f);\n")) == "error");
  CHECK(severity("illegal-pipe", inSection("VEC", "  TADDS(b, a, 1.0f);\n")) == "");
  // Text of no section is held against both cores together.
  CHECK(severity("illegal-pipe", shortTiles("  pipe_barrier(PIPE_FIX);\n")) == "");
}

TEST_CASE("id-out-of-range: an error on a3, a warning on a5, less if it is one possible id of several") {
  auto with = [](const std::string &id) {
    return shortTiles(setFlag(kLoadToVector, id) + waitFlag(kLoadToVector, id));
  };
  CHECK(severity("id-out-of-range", with("(event_t) 8")) == "error");
  CHECK(severity("id-out-of-range", with("(event_t) 8"), "a5") == "warning");
  auto message = [&](const char *arch) {
    Audited audited(shortTiles(setFlag(kLoadToVector, "(event_t) 9")), arch);
    return audited.only("id-out-of-range").message;
  };
  CHECK(message("a3").find("it names the flag of id 1") != std::string::npos);
  CHECK(message("a5").find("it may name the flag of id 1") != std::string::npos);
  CHECK(severity("id-out-of-range", with("EVENT_ID7")) == "");
  CHECK(severity("id-out-of-range", with("(event_t) (n > 2 ? 8 : 0)")) == "warning");
  CHECK(severity("id-out-of-range", with("(event_t) n")) == ""); // not known
}

TEST_CASE("self-pair: an error on a5") {
  std::string text = shortTiles(setFlag("PIPE_V, PIPE_V") + waitFlag("PIPE_V, PIPE_V"));
  CHECK(severity("self-pair", text) == "warning");
  CHECK(severity("self-pair", text, "a5") == "error");
  CHECK(Audited(text).count("self-pair") == 2);
  CHECK(severity("self-pair", shortTiles(setFlag("PIPE_V, PIPE_S") + waitFlag("PIPE_V, PIPE_S"))) == "");
}

TEST_CASE("useless-sync: a pipe on which nothing runs, unless something unknown does, or a comment keeps it") {
  std::string work = "  TADDS(b, a, 1.0f);\n", flags = setFlag("PIPE_V, PIPE_MTE3") + waitFlag("PIPE_V, PIPE_MTE3");
  CHECK(Audited(shortTiles(work + flags)).count("useless-sync") == 2);
  CHECK(Audited(shortTiles(work + flags + "  TSTORE(h, b);\n")).count("useless-sync") == 0);
  CHECK(Audited(shortTiles("  pipe_barrier(PIPE_MTE2);\n" + work)).count("useless-sync") == 1);
  CHECK(Audited(shortTiles("  pipe_barrier(PIPE_MTE2); // ptosync: keep(timing)\n" + work)).count("useless-sync") == 0);
  CHECK(Audited(shortTiles("  unknown_call(a);\n  pipe_barrier(PIPE_MTE2);\n" + work)).count("useless-sync") == 0);
  CHECK(Audited(shortTiles(work + setFlag("PIPE_V, PIPE_S") + waitFlag("PIPE_V, PIPE_S"))).count("useless-sync") == 0);
}

TEST_CASE("unused-keep: a comment must reach a sync") {
  auto unused = [](const std::string &statements) { return Audited(shortTiles(statements)).count("unused-keep"); };
  CHECK(unused("  pipe_barrier(PIPE_V); // ptosync: keep(timing)\n") == 0);
  CHECK(unused("  // ptosync: keep(timing)\n  pipe_barrier(PIPE_V);\n") == 0);
  CHECK(unused("  // ptosync: keep()\n  pipe_barrier(PIPE_V);\n") == 0);
  CHECK(unused("  // ptosync: keep(timing)\n  TADDS(b, a, 1.0f);\n  pipe_barrier(PIPE_V);\n") == 1);
  CHECK(unused("  TADDS(b, a, 1.0f); // ptosync: keep(timing)\n") == 1);
  Audited found(shortTiles("  // ptosync: keep(timing)\n  TADDS(b, a, 1.0f);\n"));
  CHECK(found.only("unused-keep").place.column == 6);
}

namespace {

Audited audited(int base, const std::string &direction, const std::string &call) {
  return Audited(shortTiles("  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, "
                            "PadValue::Null, CompactMode::Null> t;\n"
                            "  auto f = TPipe<" +
                            std::to_string(base) + ", Direction::" + direction +
                            ", 1024, 8, 2, true>(out, 65536, 0);\n"
                            "  TPOP<decltype(f), decltype(t), TileSplitAxis::TILE_NO_SPLIT>(f, t);\n"
                            "  TFREE<decltype(f), TileSplitAxis::TILE_NO_SPLIT>(f);\n" +
                            call));
}

} // namespace

TEST_CASE("reserved-id: the flags of a FIFO against those that a call uses itself") {
  for (int base : {10, 11, 13, 14})
    CHECK(audited(base, "DIR_C2V", "  SYNCALL();\n").severity("reserved-id") == "warning");
  for (int base : {0, 8, 9, 15})
    CHECK(audited(base, "DIR_C2V", "  SYNCALL();\n").count("reserved-id") == 0);
  CHECK(audited(8, "DIR_BOTH", "  SYNCALL();\n").severity("reserved-id") == "warning"); // four flags
  CHECK(audited(7, "DIR_BOTH", "  SYNCALL();\n").count("reserved-id") == 0);
}

TEST_CASE("reserved-id: without such a call the numbers are free") {
  CHECK(audited(12, "DIR_C2V", "").count("reserved-id") == 0);
  CHECK(audited(12, "DIR_C2V", "  pipe_barrier(PIPE_ALL);\n").count("reserved-id") == 0);
}

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
