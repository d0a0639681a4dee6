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
