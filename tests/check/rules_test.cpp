// One pair of versions for each rule of the checker that no other test would miss (scripts/checker-rules): AFTER loses
// an order or a flag, and only that rule sees it.
#include "support.h"

#include <catch2/catch.hpp>

using namespace ptosync::check;
using namespace ptosync::check::test;

namespace {

const std::string kEnd = "pipe_barrier(PIPE_ALL);";
const std::string kTile = "Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, "
                          "PadValue::Null, CompactMode::Null> t;\n";

std::string flag(const std::string &from, const std::string &to, int id = 0) {
  const std::string of = "(PIPE_" + from + ", PIPE_" + to + ", EVENT_ID" + std::to_string(id) + ");\n";
  return "set_flag" + of + "wait_flag" + of;
}

/// Without the barrier that stands for `|` AFTER is wrong, in a way that is told apart from what is right.
bool goesWithout(const std::string &body, const std::string &barrier = "pipe_barrier(PIPE_V);",
                 const std::string &around = "", const std::string &arch = "a3") {
  auto version = [&](const std::string &sync) {
    std::string text = body;
    text.replace(text.rfind('|'), 1, sync);
    return kernel(text + "\n" + kEnd, around);
  };
  return certifies(version(barrier), version(""), arch).certified();
}

/// What is refused on any account, whatever else differs.
bool isRead(const std::string &body, const std::string &around = "", const std::string &arch = "a3") {
  return goesWithout(body + "|", "pipe_barrier(PIPE_ALL);", around, arch);
}

} // namespace

TEST_CASE("the helpers of these tests let go what may go") {
  CHECK(goesWithout("TADDS(a, b, 1.0f); | TADDS(c, d, 1.0f);"));
  CHECK(isRead("TADDS(a, b, 1.0f);"));
  CHECK(isRead(flag("MTE2", "V")));
}

TEST_CASE("a flag that AFTER sets more often than BEFORE needs an order of its own") {
  const std::string round = flag("MTE2", "V");
  CHECK_FALSE(certified(round + kEnd, round + round + kEnd));
  CHECK_FALSE(certified("TADDS(c, d, 1.0f);" + round + kEnd, round + "TADDS(c, d, 1.0f);" + round + kEnd));
}

TEST_CASE("a call that only signals is not over because its pipe goes on") {
  const std::string type = "TPipe<0, Direction::DIR_C2V, 4096, 4>";
  const std::string free = "TFREE<" + type + ", TileSplitAxis::TILE_NO_SPLIT>(v);";
  CHECK_FALSE(goesWithout("auto v = " + type + "(in, 32768, 0);" + free + "|" + free, "pipe_barrier(PIPE_MTE2);"));
}

TEST_CASE("a barrier of one pipe waits for that pipe alone") {
  CHECK_FALSE(certified("TLOAD(a, g);" + flag("MTE2", "V") + "pipe_barrier(PIPE_V); TADDS(c, a, 1.0f);" + kEnd,
                        "TLOAD(a, g); pipe_barrier(PIPE_V); TADDS(c, a, 1.0f);" + kEnd));
}

TEST_CASE("what BEFORE orders by two flags in a row AFTER orders too") {
  CHECK_FALSE(certified("TLOAD(a, g);" + flag("MTE2", "V") + flag("V", "MTE3") + "TSTORE(h, a);" + kEnd,
                        "TLOAD(a, g);" + flag("V", "MTE3") + "TSTORE(h, a);" + kEnd));
}

TEST_CASE("a wait of the scalar pipe may order everything in BEFORE, and nothing in AFTER") {
  CHECK_FALSE(certified("TLOAD(a, g);" + flag("MTE2", "S") + flag("MTE2", "V", 1) + "TADDS(c, a, 1.0f);" + kEnd,
                        "TLOAD(a, g);" + flag("MTE2", "S") + "TADDS(c, a, 1.0f);" + kEnd));
  CHECK_FALSE(certified("TLOAD(a, g);" + flag("MTE2", "S") + "TADDS(c, a, 1.0f);" + kEnd,
                        "TLOAD(a, g); TADDS(c, a, 1.0f);" + kEnd));
}

TEST_CASE("the inside of a library call may order in BEFORE, and nothing in AFTER") {
  // TSHL has flags from V to S and back inside.
  const std::string call = "TSHL(c, d, b); float x = a.GetValue(0);";
  CHECK_FALSE(certified("TLOAD(a, g);" + flag("MTE2", "V", 1) + call + kEnd, "TLOAD(a, g);" + call + kEnd));
  CHECK_FALSE(certified("TLOAD(a, g);" + flag("MTE2", "V", 1) + flag("MTE2", "S", 1) + call + kEnd,
                        "TLOAD(a, g);" + flag("MTE2", "V", 1) + call + kEnd));
}

TEST_CASE("flags that are not binary are refused") {
  const std::string set = "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);", wait = "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);";
  CHECK_FALSE(isRead(set + set + wait));
  CHECK_FALSE(isRead(wait));
  CHECK_FALSE(isRead(set));
  CHECK_FALSE(isRead("if (n > 3) {" + set + "}" + wait));
  CHECK_FALSE(isRead(set + "if (n > 3) {" + wait + "}"));
  CHECK_FALSE(isRead(set + "if (n > 3) { return; }" + wait));
  CHECK_FALSE(isRead(set + "for (int64_t i = 0; i < n; i += 1) { if (i > 2) { return; } }" + wait));
  CHECK_FALSE(isRead("set_flag(PIPE_MTE2, PIPE_V, (event_t) 9); wait_flag(PIPE_MTE2, PIPE_V, (event_t) 9);"));
  CHECK_FALSE(isRead("set_flag(PIPE_V, PIPE_V, EVENT_ID0); wait_flag(PIPE_V, PIPE_V, EVENT_ID0);"));
  CHECK_FALSE(isRead("event_t e = (event_t) n; set_flag(PIPE_MTE2, PIPE_V, e); wait_flag(PIPE_MTE2, PIPE_V, e);"));
  std::string all;
  for (const std::string from : {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"})
    for (const std::string to : {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"})
      for (int id = 0; id < 8 && from != to; ++id)
        all += flag(from, to, id);
  CHECK_FALSE(isRead(all)); // more than the rows
}

TEST_CASE("a flag that a call uses inside is not set where the call stands") {
  const std::string shift = "TSHL(a, b, d);";
  REQUIRE(isRead(shift));
  CHECK_FALSE(isRead("set_flag(PIPE_V, PIPE_S, EVENT_ID0);" + shift + "wait_flag(PIPE_V, PIPE_S, EVENT_ID0);"));
  // Set behind the call, it needs the order that the call's own wait gives nobody for certain.
  CHECK_FALSE(certified(shift + "pipe_barrier(PIPE_ALL);" + flag("V", "S") + kEnd, shift + flag("V", "S") + kEnd));
}

TEST_CASE("brackets of buffer ids that are not pairs are refused") {
  auto read = [](const std::string &body) { return isRead(body, "", "a5"); };
  CHECK(read("get_buf(PIPE_V, 3, 0); rls_buf(PIPE_V, 3, 0);"));
  CHECK_FALSE(read("get_buf(PIPE_V, 3, 1); rls_buf(PIPE_V, 3, 1);"));
  CHECK_FALSE(read("get_buf(PIPE_V, 77, 0); rls_buf(PIPE_V, 77, 0);"));
  CHECK_FALSE(read("rls_buf(PIPE_V, 3, 0);"));
  CHECK_FALSE(read("get_buf(PIPE_V, 3, 0);"));
  CHECK_FALSE(read("get_buf(PIPE_V, 3, 0); get_buf(PIPE_V, 3, 0); rls_buf(PIPE_V, 3, 0);"));
  CHECK_FALSE(read("if (n > 3) { get_buf(PIPE_V, 3, 0); } rls_buf(PIPE_V, 3, 0);"));
  // A get does not wait for the work of its own pipe.
  const std::string load = "get_buf(PIPE_MTE2, 3, 0); TLOAD(a, g); rls_buf(PIPE_MTE2, 3, 0);\n";
  CHECK_FALSE(goesWithout(load + "|" + load, "pipe_barrier(PIPE_MTE2);", "", "a5"));
}

TEST_CASE("ways that join know what all of them know") {
  const std::string place = kTile + "int64_t x = 0; if (n > 3) { x = 4096; } TASSIGN(t, (uint64_t) x);\n";
  CHECK_FALSE(goesWithout(place + "TADDS(a, d, 1.0f); | TADDS(c, t, 1.0f);"));
  CHECK_FALSE(goesWithout(place + "TADDS(b, d, 1.0f); | TADDS(c, t, 1.0f);"));
  CHECK_FALSE(goesWithout(kTile + "if (n > 3) { TASSIGN(t, (uint64_t) 16384); }\n"
                                  "TADDS(b, d, 1.0f); | TADDS(c, t, 1.0f);"));
  // Two places that are told apart by a way with a sync.
  CHECK_FALSE(goesWithout(kTile + "if (n > 3) { TASSIGN(t, (uint64_t) 0); pipe_barrier(PIPE_V); } else { TASSIGN(t, "
                                  "(uint64_t) 4096); }\nTADDS(b, d, 1.0f); | TADDS(c, t, 1.0f);"));
  const std::string tested = "TADDS(a, b, 1.0f); if (n > 3) { TADDS(d, d, 1.0f); }\n";
  CHECK_FALSE(goesWithout(tested + "if (n > 3) { pipe_barrier(PIPE_V); } | TADDS(c, a, 1.0f);"));
  CHECK_FALSE(goesWithout(tested + "if (n > 2) { pipe_barrier(PIPE_V); } | TADDS(c, a, 1.0f);"));
  CHECK_FALSE(goesWithout("if (n > 3) { TADDS(a, b, 1.0f); | if (n > 3) { TADDS(c, a, 1.0f); } }"));
  CHECK_FALSE(goesWithout("int64_t m = get_block_idx(); if (n > 3 && m > 1) { TADDS(d, d, 1.0f); } else {\n"
                          "TADDS(a, b, 1.0f); | if (n > 3) { TADDS(c, a, 1.0f); } }"));
  CHECK_FALSE(goesWithout("int64_t m = get_block_idx(); if (n > 3 || m > 1) {\n"
                          "TADDS(a, b, 1.0f); | if (n <= 3) { TADDS(c, a, 1.0f); } }"));
  const std::string pick = "AICORE inline int64_t pick(int64_t n) { if (n > 3) { return 4096; } return 0; }\n";
  CHECK_FALSE(goesWithout(kTile + "TASSIGN(t, (uint64_t) pick(n)); TADDS(a, d, 1.0f); | TADDS(c, t, 1.0f);",
                          "pipe_barrier(PIPE_V);", pick));
}

TEST_CASE("a valid region that two ways change differently is not known") {
  const std::string tile = "Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, ";
  const std::string rest = ", SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> ";
  const std::string tiles = tile + "-1, -1" + rest + "x(16, 64); TASSIGN(x, (uint64_t) 16384);" + tile + "16, 64" +
                            rest + "y; TASSIGN(y, (uint64_t) 20480);\n";
  const std::string chain = "TADDS(x, y, 1.0f); | TADDS(x, x, 1.0f);";
  auto ways = [&](const std::string &one, const std::string &other) {
    return goesWithout(tiles + "if (n > 3) { x.SetValidShape(" + one + "); } else { x.SetValidShape(" + other +
                       "); }\n" + chain);
  };
  CHECK(ways("16, 64", "16, 64"));
  CHECK_FALSE(ways("16, 64", "1, 64"));
  CHECK_FALSE(ways("16, 64", "16, 8"));
  CHECK_FALSE(goesWithout(tiles + "x.SetValidShape(1, 64);" + chain));
  // And one that a loop changes.
  CHECK_FALSE(goesWithout(tiles + "for (int64_t i = 0; i < n; i += 1) { pipe_barrier(PIPE_V); " + chain +
                          "x.SetValidShape(1, 64); }"));
  CHECK_FALSE(goesWithout(tiles + "for (int64_t i = 0; i < n; i += 1) { pipe_barrier(PIPE_V); TADDS(x, x, 1.0f); | "
                                  "TADDS(x, x, 1.0f); x.SetValidShape(1, 64); }"));
}

TEST_CASE("a tensor's shape that two ways change differently is not known") {
  const std::string shape = "pto::Shape<1, 1, 1, -1, 64>",
                    rest = ", pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> ";
  const std::string open = "GlobalTensor<float, " + shape + rest,
                    whole = "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>" + rest;
  // The second half of `y` is `z`.
  CHECK_FALSE(goesWithout(open + "x = " + open + "(in, " + shape + "(8));" + open + "y = " + open + "(in, " + shape +
                              "(16));" + whole + "z = " + whole + "(in + 512); if (n > 3) { y = x; }\n" +
                              "TSTORE(z, a); | TLOAD(b, y);",
                          flag("MTE3", "MTE2")));
}

TEST_CASE("control flow is followed") {
  const std::string add = "TADDS(a, b, 1.0f);", read = "TADDS(c, a, 1.0f);";
  const std::string modes = "enum class Mode : int32_t { kA, kB };\n";
  auto cases = [&](const std::string &body) { return goesWithout(body, "pipe_barrier(PIPE_V);", modes); };
  CHECK_FALSE(cases(add + "| switch (Mode::kA) { case Mode::kA: TADDS(d, d, 1.0f); case Mode::kB: " + read + " }"));
  CHECK_FALSE(cases(add + "| switch (1) { case 1: " + read + " break; }"));
  CHECK_FALSE(cases(add + "| switch (n) { case Mode::kA: break; case Mode::kB: " + read + " break; }"));
  CHECK_FALSE(goesWithout(kTile + "int64_t x = 0; { int64_t x = 4096; } TASSIGN(t, (uint64_t) x);\n"
                                  "TADDS(a, d, 1.0f); | TADDS(c, t, 1.0f);"));
  const std::string head = "for (int64_t i = 0; i < n; i += 1) {";
  CHECK_FALSE(goesWithout(head + add + " if (i > 2) { break; } pipe_barrier(PIPE_V); } |" + read));
  CHECK_FALSE(goesWithout(head + add + " if (i > 2) { continue; } pipe_barrier(PIPE_V); } |" + read));
  CHECK_FALSE(goesWithout(add + head + "pipe_barrier(PIPE_V); } |" + read));
  CHECK_FALSE(goesWithout(head + "pipe_barrier(PIPE_V);" + add + "} |" + read));
  CHECK_FALSE(goesWithout(head + "|" + add + "}")); // the one of the iteration before
}

TEST_CASE("a loop that changes what it counts with is refused") {
  auto at = [](const std::string &head, const std::string &behind) {
    return goesWithout(head + " { | " + kTile + "TASSIGN(t, (uint64_t) (i * 4096)); TADDS(t, t, 1.0f);" + behind + "}");
  };
  CHECK(at("for (int64_t i = 8; i < n; i += 1)", ""));
  CHECK_FALSE(at("for (int64_t i = 8; i < n; i += 1)", "i = i > 11 ? 9 : i;"));
  CHECK_FALSE(at("for (int64_t i = 8; i -= 1; i += 1)", ""));
  CHECK_FALSE(at("for (uint8_t i = 8; i < n; i += 1)", ""));
  CHECK_FALSE(at("int64_t s = 1; for (int64_t i = 8; i < n; i += s)", "s = 0;"));
  CHECK_FALSE(at("int64_t s = 1; for (int64_t i = 8; i < n; i += s)", "s = s - 1;"));
}

TEST_CASE("a loop counts as far as its types let it") {
  // A counter of eight bits is 0, 128, 0, 128.
  CHECK_FALSE(goesWithout("int64_t x = 0; for (uint8_t i = 0; i < 300; i += 128) { |" + kTile +
                          "TASSIGN(t, (uint64_t) (16384 + i * 16)); TADDS(t, t, 1.0f);\n"
                          "if (x == n) { break; } x = x + 1; }"));
  // As a number without a sign the bound is large where it is negative.
  CHECK_FALSE(goesWithout("int32_t m = n > 3 ? 2 : -1; TADDS(c, d, 1.0f); | for (uint32_t i = 0; i < m; i += 1) {" +
                          kTile + "TASSIGN(t, (uint64_t) (i * 4096)); TADDS(t, d, 1.0f); if (i > 2) { break; } }"));
  // The step is not come to.
  CHECK_FALSE(goesWithout("TADDS(a, b, 1.0f); | for (int64_t i = 0; i < n; i += one()) { TADDS(c, a, 1.0f); break; }",
                          "pipe_barrier(PIPE_V);",
                          "AICORE inline int64_t one() { pipe_barrier(PIPE_V); return 1; }\n"));
}

TEST_CASE("what is known of a number that the loop changes is forgotten") {
  // x is 0 in the first iteration alone.
  const std::string head = "int64_t x = 0; for (int64_t i = 0; i < n; i += 1) {";
  CHECK_FALSE(goesWithout(head + "TADDS(a, b, 1.0f); if (x == 0) { pipe_barrier(PIPE_V); } | TADDS(c, a, 1.0f); "
                                 "pipe_barrier(PIPE_V); x = x + 1; }"));
  CHECK_FALSE(
      goesWithout("int64_t x = n; if (x > 3) { for (int64_t i = 0; i < n; i += 1) { TADDS(a, b, 1.0f);\n"
                  "if (x > 3) { pipe_barrier(PIPE_V); } | TADDS(c, a, 1.0f); pipe_barrier(PIPE_V); x = x - 1; } }"));
  CHECK_FALSE(
      goesWithout("int64_t x = n; if (x == 3) { for (int64_t i = 0; i < n; i += 1) { TADDS(a, b, 1.0f);\n"
                  "if (x == 3) { pipe_barrier(PIPE_V); } | TADDS(c, a, 1.0f); pipe_barrier(PIPE_V); x = x - 1; } }"));
  // The tile moves on with x.
  CHECK_FALSE(goesWithout(head + kTile +
                          "TASSIGN(t, (uint64_t) x); TADDS(b, d, 1.0f); | TADDS(c, t, 1.0f); "
                          "pipe_barrier(PIPE_V); x = x + 4096; }"));
}

TEST_CASE("pointers lead where their text says, or nobody knows where") {
  auto with = [](const std::string &arguments, const std::string &body, const std::string &barrier) {
    auto version = [&](const std::string &sync) {
      std::string text = kernel(body + kEnd);
      text.replace(text.find('|'), 1, sync);
      return text.replace(text.find("int64_t n"), 9, "int64_t n, " + arguments);
    };
    return certifies(version(barrier), version("")).certified();
  };
  // A pointer argument into the core's own memory, and one that is made of another memory's.
  CHECK_FALSE(with("__ubuf__ float* p", "TADDS(c, d, 1.0f); | p[0] = 1.0f;", flag("V", "S")));
  CHECK_FALSE(with("__gm__ float* q", "__ubuf__ float* p = (__ubuf__ float*) q; TADDS(c, d, 1.0f); | p[0] = 1.0f;",
                   flag("V", "S")));
  CHECK_FALSE(with("__gm__ float* q", "TSTORE(h, a); | out[0] = 1.0f;", flag("MTE3", "S")));
  CHECK_FALSE(with("__gm__ int32_t* q",
                   "TSTORE(h, a); | int32_t x = ((__gm__ int32_t*) out)[0]; " + kTile +
                       "TASSIGN(t, (uint64_t) x); TADDS(t, t, 1.0f);",
                   flag("MTE3", "S")));
  CHECK_FALSE(with("int64_t m", "TADDS(a, d, 1.0f); | a.SetValue(0, 1.0f);", flag("V", "S")));
  CHECK_FALSE(with("int64_t m", "TADDS(a, d, 1.0f); | float x = a.GetValue(0);", flag("V", "S")));
  CHECK_FALSE(with("int64_t m", "TADDS(a, d, 1.0f); | a.SetValue(n, 1.0f);", flag("V", "S")));
  // Beyond the tile lies another one.
  CHECK_FALSE(with("int64_t m", "TADDS(b, d, 1.0f); | a.SetValue(1024, 1.0f);", flag("V", "S")));
}

TEST_CASE("where a pointer that is changed leads is not known") {
  const std::string type = "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                           "pto::Layout::ND> ";
  CHECK_FALSE(goesWithout("__gm__ float* p = in; for (int64_t i = 0; i < n; i += 1) { TSTORE(h, a); | float x = p[0];\n"
                          "pipe_barrier(PIPE_ALL); p = out; }",
                          flag("MTE3", "S")));
  // Of how many bytes an int is the checker does not know.
  CHECK_FALSE(goesWithout(type + "z = " + type +
                              "(out + 512); __gm__ int* p = (__gm__ int*) out; TSTORE(z, a); |\n"
                              "float x = ((__gm__ float*) (p + 512))[0];",
                          flag("MTE3", "S")));
}

TEST_CASE("values are those of C++") {
  auto at = [](const std::string &declared, const std::string &address, const std::string &other = "a",
               const std::string &around = "") {
    return goesWithout(kTile + declared + "TASSIGN(t, (uint64_t) (" + address + ")); TADDS(" + other +
                           ", d, 1.0f); | TADDS(c, t, 1.0f);",
                       "pipe_barrier(PIPE_V);", around);
  };
  CHECK(at("", "4096"));
  CHECK_FALSE(at("", "010000", "b")); // octal
  CHECK_FALSE(at("", "kA - kB + 4096", "a", "constexpr int64_t kA = 0.0;\nconstexpr int64_t kB = 4096.0;\n"));
  CHECK_FALSE(goesWithout("TADDS(a, b, 1.0f); | if (0xffffffffffffffff > 3) { TADDS(c, a, 1.0f); }"));
  CHECK_FALSE(at("int64_t v[2] = {0, 0}; v[n] = 4096;", "v[0]", "b"));
  CHECK_FALSE(at("int64_t x = id(4352);", "x", "a", "AICORE inline int64_t id(uint8_t v) { return v; }\n"));
  CHECK_FALSE(at("int64_t x = id(4352);", "x", "a", "AICORE inline uint8_t id(int64_t v) { return v; }\n"));
  auto loop = [](const std::string &head) {
    return goesWithout("TADDS(b, d, 1.0f); | int64_t k = n;\n" + head + " {" + kTile +
                       "TASSIGN(t, (uint64_t) (i * 4096)); TADDS(c, t, 1.0f); }");
  };
  CHECK(loop("for (int64_t i = 0; i < 1; i += 1)"));
  CHECK_FALSE(loop("for (int64_t i = 0; i <= 1; i += 1)"));
  CHECK_FALSE(loop("for (int64_t i = 0; k < 1; i += 1)"));
}

TEST_CASE("what a loop changes is another value in each of its iterations") {
  const std::string head = "for (int64_t i = 0; i < n; i += 1) {";
  // The same tile again four iterations later.
  CHECK_FALSE(goesWithout(head + "|" + kTile + "TASSIGN(t, (uint64_t) (16384 + i % 4 * 4096)); TADDS(t, d, 1.0f); }"));
  // What x was an iteration ago it is not now: t may be where it was.
  CHECK_FALSE(goesWithout("int64_t x = 0;" + head + "|" + kTile +
                          "TASSIGN(t, (uint64_t) (i * 4096 + x)); TADDS(t, t, 1.0f); x = x - 4096; }"));
  CHECK_FALSE(goesWithout("uint32_t x = 1048576;" + head + "|" + kTile +
                          "TASSIGN(t, (uint64_t) (i * 4096 + x)); TADDS(t, t, 1.0f); x = x - 4096; }"));
  // A counter of eight bits comes round.
  CHECK_FALSE(goesWithout("for (uint8_t i = 0; i < n; i += 1) { |" + kTile +
                          "TASSIGN(t, (uint64_t) (i * 4096)); TADDS(t, t, 1.0f); }"));
}

TEST_CASE("names mean what they mean in C++") {
  auto at = [](const std::string &declared, const std::string &address, const std::string &other,
               const std::string &around) {
    return goesWithout(kTile + declared + "TASSIGN(t, (uint64_t) (" + address + ")); TADDS(" + other +
                           ", d, 1.0f); | TADDS(c, t, 1.0f);",
                       "pipe_barrier(PIPE_V);", around);
  };
  // A cast in C++, and no sum.
  CHECK_FALSE(at("int64_t x = put(in, 0);", "x", "a",
                 "constexpr int64_t kAt = 4096;\ntemplate <typename kAt> AICORE inline int64_t put(__gm__ kAt *p, "
                 "int64_t x) {\nreturn (kAt) + x; }\n"));
  CHECK_FALSE(at("int64_t x = cut((__gm__ int64_t*) in, 4096);", "x", "b",
                 "template <typename int8_t> AICORE inline int64_t cut(__gm__ int8_t *p, int64_t x) {\n"
                 "return (int8_t) x; }\n"));
  // C++ prefers the one that is no template.
  CHECK_FALSE(at("int64_t x = pick(in);", "x", "a",
                 "using T = float;\ntemplate <typename T> AICORE inline int64_t pick(__gm__ T *p) { return 4096; }\n"
                 "AICORE inline int64_t pick(__gm__ T *p) { return 0; }\n"));
  // By its digraphs the host's function has an enumeration of its own.
  CHECK_FALSE(at("", "(int64_t) Mode::kA", "a",
                 "enum class Mode : int32_t { kA = 0 };\n"
                 "void host(bool x) { <% } enum class Mode : int32_t { kA = 4096 }; if (x) { %> }\n"));
}

TEST_CASE("an effect that may not happen, or before or behind another one, is refused") {
  auto at = [](const std::string &declared, const std::string &around = "") {
    return goesWithout(kTile + declared + "TASSIGN(t, (uint64_t) (x * 4096)); TADDS(a, d, 1.0f); | TADDS(c, t, 1.0f);",
                       "pipe_barrier(PIPE_V);", around);
  };
  const std::string second = "AICORE inline int64_t second(int64_t p, int64_t q) { return q; }\n";
  CHECK(at("int64_t x = second(2, 1);", second));
  CHECK_FALSE(at("int64_t y = 0; int64_t x = second(y++, y);", second));
  CHECK_FALSE(at("int64_t x = 0; if (n > 3 && ++x > 2) { x = 1; }"));
  CHECK_FALSE(isRead("if (n > 3 && a.GetValue(0) > 1.0f) { TADDS(b, c, 1.0f); }"));
}

TEST_CASE("functions that call themselves or one another are refused") {
  auto version = [](const std::string &functions, const std::string &body) { return kernel(body + kEnd, functions); };
  const std::string add = kTile + "TASSIGN(t, (uint64_t) 16384); TADDS(t, t, 1.0f);", barrier = "pipe_barrier(PIPE_V);";
  auto itself = [&](const std::string &sync) {
    return version("AICORE inline void f(int64_t n) {" + add + sync + "if (n > 0) { f(n - 1); } }\n", "f(n);");
  };
  CHECK_FALSE(certifies(itself(barrier), itself("")).certified());
  // No kernel calls them, so that each is one of its own.
  auto another = [&](const std::string &sync) {
    return version("AICORE inline void f(int64_t n);\nAICORE inline void g(int64_t n) { f(n); }\n"
                   "AICORE inline void f(int64_t n) {" +
                       add + sync + add + "if (n > 0) { g(n - 1); } }\n",
                   "");
  };
  CHECK_FALSE(certifies(another(barrier), another("")).certified());
}

TEST_CASE("of functions that differ in their result alone none is read") {
  const std::string head = "template <typename T> AICORE inline ", one = head + "int64_t f(T x) { return 0; }\n",
                    other = head + "int32_t f(T x) { return 1; }\n";
  CHECK(isRead("", one));
  CHECK_FALSE(isRead("", one + other));
}

TEST_CASE("a function that one version's reader refuses is not read") {
  auto version = [](const std::string &other, const std::string &body) {
    return kernel(body + kEnd, "extern \"C\" __global__ AICORE void other(int64_t n) {" + other + "}\n");
  };
  const Answer answer = certifies(version("do { n = 1; } while (n > 3);", kEnd), version("n = 1;", ""));
  CHECK(answer.problem.empty());
  CHECK_FALSE(answer.certified());
  CHECK(answer.certifiedEdits() == 1); // of the kernel beside it
}

TEST_CASE("what only a function calls that is not read is not certified without it") {
  auto version = [](const std::string &sync, const std::string &loop) {
    const std::string called = "AICORE inline void f() {" + kTile + "TASSIGN(t, (uint64_t) 16384); TADDS(t, t, 1.0f);" +
                               sync + kEnd + "}\n",
                      caller = "extern \"C\" __global__ AICORE void other(int64_t n) {" + loop + "}\n";
    return kernel(kEnd, called + caller);
  };
  const std::string read = "f();", notRead = "do { f(); } while (n > 3);";
  CHECK(certifies(version("pipe_barrier(PIPE_V);", read), version("", read)).certifiedEdits() == 2); // of both cores
  CHECK(certifies(version("pipe_barrier(PIPE_V);", notRead), version("", notRead)).certifiedEdits() == 0);
}

TEST_CASE("what the checker does not know is not passed by") {
  const std::string one = "AICORE inline int64_t one(int64_t n) { return n; }\n";
  CHECK(isRead("int64_t x = one(n);", one));
  CHECK_FALSE(isRead("int64_t x = one<3>(n);", one));
  CHECK_FALSE(isRead("a.Frobnicate();"));
  CHECK_FALSE(isRead("FROBNICATE;"));
  CHECK_FALSE(isRead("Frobnicator x(3);"));
  CHECK_FALSE(isRead("Frobnicator x = 3;"));
  CHECK_FALSE(isRead("pto::Shape<1, 1, -1, -1, 64> s(3);"));
  CHECK_FALSE(isRead("int64_t x = 0x1e+5;"));
  CHECK_FALSE(isRead("TADDS<3>(a, b, 1.0f);"));
  CHECK_FALSE(isRead("kOne = 2;", "constexpr int64_t kOne = 1;\n"));
  CHECK_FALSE(isRead("int64_t x = 18446744073709551615u;"));
  CHECK_FALSE(goesWithout("TSTORE(h, a); | float x = out[0];", flag("MTE3", "S")));
}

TEST_CASE("what a call touches is all of it") {
  CHECK_FALSE(goesWithout(kTile + "TASSIGN(t, (uint64_t) 1024); TADDS(a, d, 1.0f); | TADDS(c, t, 1.0f);"));
  const std::string layout = "BLayout::RowMajor, ", fill = ", 512, PadValue::Null, ";
  const std::string compact = "Tile<TileType::Vec, float, 16, 64, " + layout + "16, 64, SLayout::NoneBox" + fill +
                              "CompactMode::Normal> x; TASSIGN(x, (uint64_t) 16384);";
  CHECK_FALSE(goesWithout(compact + kTile + "TASSIGN(t, (uint64_t) 20480); TADDS(x, x, 1.0f); | TADDS(t, d, 1.0f);"));
  // Parts of tiles: rows of fractals lie elsewhere, and what has other columns goes on over other bytes.
  const std::string fractals = "Tile<TileType::Vec, float, 16, 64, " + layout + "16, 64, SLayout::RowMajor" + fill +
                               "CompactMode::Null> x; TASSIGN(x, (uint64_t) 0);";
  CHECK_FALSE(goesWithout(fractals + kTile + "TSUBVIEW(t, x, 8, 0); TADDS(a, d, 1.0f); | TADDS(c, t, 1.0f);"));
  const std::string narrow =
      "Tile<TileType::Vec, float, 8, 32, " + layout + "8, 32, SLayout::NoneBox" + fill + "CompactMode::Null> ";
  CHECK_FALSE(goesWithout(narrow + "x;" + narrow +
                          "y; TSUBVIEW(x, a, 0, 32); TASSIGN(y, (uint64_t) 1280);\n"
                          "TADDS(y, d, 1.0f); | TADDS(c, x, 1.0f);"));
  const std::string sums = "Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> s; TASSIGN(s, (uint64_t) 20480);\n";
  CHECK(isRead(sums + "TROWSUM(s, d, c);"));
  CHECK_FALSE(goesWithout(sums + "TROWSUM(s, d, c); | TADDS(a, c, 1.0f);")); // c is scratch
  const std::string expand = "TROWEXPANDADD(c, a, s);";                      // works in the last bytes of the memory
  CHECK(isRead(sums + expand));
  CHECK_FALSE(goesWithout(sums + kTile + "TASSIGN(t, (uint64_t) 188416); TADDS(t, d, 1.0f); |" + expand));
  for (const std::string call : {"TADDS(a, b);", "TADDS(a, b, c);", "TADDS(a, b, 1.0f, 1.0f, 1.0f);"}) {
    INFO(call);
    CHECK_FALSE(isRead(call));
  }
}

TEST_CASE("a pop gives the next slot, or any where its tile is no slot") {
  const std::string type = "TPipe<0, Direction::DIR_C2V, 4096, 4, 4, true>";
  const std::string pop = "TPOP<" + type + ", TileSplitAxis::TILE_NO_SPLIT>",
                    fifo = "auto v = " + type + "(in, 32768, 0);";
  const std::string slot = "Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> ";
  const std::string tiles = fifo + slot + "x;" + slot + "y;" + slot + "z; TASSIGN(z, (uint64_t) 16384);" + kTile;
  auto with = [&](const std::string &popped, const std::string &tile, const std::string &address) {
    return goesWithout(tiles + popped + "TASSIGN(t, (uint64_t) " + address + "); TADDS(t, d, 1.0f); | TADDS(z, " +
                       tile + ", 1.0f);");
  };
  CHECK(with(pop + "(v, x);", "x", "36864"));
  CHECK_FALSE(with(pop + "(v, x);", "x", "32768"));
  CHECK_FALSE(with(pop + "(v, x);" + pop + "(v, y);", "y", "36864"));
  // Two rows of tiles, one slot.
  CHECK_FALSE(goesWithout(fifo + kTile + slot + "x; TASSIGN(x, (uint64_t) 36864);" + pop +
                          "(v, t); TADDS(x, x, 1.0f); |"
                          "TADDS(c, t, 1.0f);"));
}

TEST_CASE("a store of the scalar unit publishes what stands in front of it") {
  CHECK_FALSE(goesWithout("TSTORE(h, a); | in[0] = 1.0f;", flag("MTE3", "S")));
}

TEST_CASE("a chain is of one iteration") {
  const std::string tile = "Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> ";
  const std::string tiles = tile + "x; TASSIGN(x, (uint64_t) 16384);";
  CHECK(goesWithout(tiles + "TADDS(x, x, 1.0f); | TADDS(x, x, 1.0f);"));
  CHECK_FALSE(goesWithout(tiles + "for (int64_t i = 0; i < n; i += 1) { TADDS(x, x, 1.0f); | }"));
}

TEST_CASE("a sync counts only where the compiler sees it") {
  auto hidden = [](const std::string &text) {
    return goesWithout("TADDS(a, b, 1.0f); |\n" + text + "\nTADDS(c, a, 1.0f);");
  };
  CHECK(hidden("pipe_barrier(PIPE_V);"));
  CHECK(hidden("#if defined(__DAV_VEC__)\npipe_barrier(PIPE_V);\n#endif"));
  CHECK_FALSE(hidden("// on and on \\\npipe_barrier(PIPE_V);"));
  CHECK_FALSE(hidden("#pragma on \\\npipe_barrier(PIPE_V);"));
  CHECK_FALSE(hidden("#pragma on /*\npipe_barrier(PIPE_V); // */"));
  CHECK_FALSE(hidden("auto s = \"\\\"; pipe_barrier(PIPE_V); //\";"));
  CHECK_FALSE(hidden("#if defined(__DAV_CUBE__)\npipe_barrier(PIPE_V);\n#endif"));
  CHECK_FALSE(hidden("#if !defined(FROBNICATE)\npipe_barrier(PIPE_V);\n#endif"));
  CHECK_FALSE(hidden("#if 1\n#else\npipe_barrier(PIPE_V);\n#endif"));
  const std::string mixed = "\n#if defined(__DAV_VEC__) || defined(__DAV_VEC__) && defined(__DAV_CUBE__)\n#else\n"
                            "pipe_barrier(PIPE_V);\n#endif\nTADDS(c, a, 1.0f);" +
                            kEnd;
  CHECK_FALSE(certified("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V);" + mixed, "TADDS(a, b, 1.0f);" + mixed));
}

TEST_CASE("constructs that would be misread are refused") {
  CHECK_FALSE(isRead("TADDS(a, b, 1.0f);", "struct S { int x; };\n"));
  CHECK_FALSE(isRead("int64_t x = pick();", "template <int N = 3> AICORE inline int64_t pick() { return N; }\n"));
  CHECK_FALSE(isRead("int64_t x = id(n);", "AICORE inline int64_t id(int64_t v) { return v; }\n"
                                           "AICORE inline int64_t id(int8_t v) { return 0; }\n"));
  CHECK_FALSE(isRead("if (n > 3) int64_t x = 5;"));
  CHECK_FALSE(isRead("if constexpr (3 > 2) { TADDS(a, b, 1.0f); }"));
  CHECK_FALSE(isRead("Tile<TileType::Vec, float, 010, 64, BLayout::RowMajor, 010, 64, SLayout::NoneBox, 512, "
                     "PadValue::Null, CompactMode::Null> t; TASSIGN(t, (uint64_t) 0); TADDS(t, b, 1.0f);"));
  CHECK_FALSE(isRead("Tile<TileType::Vec, frob, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, "
                     "PadValue::Null, CompactMode::Null> t; TASSIGN(t, (uint64_t) 0);"));
}

TEST_CASE("a bound that may have been negative is small where the loop runs up to it") {
  auto loop = [](const std::string &barrier, const std::string &first, const std::string &more,
                 const std::string &step = "i += 1") {
    return "int32_t m = (int32_t) n;\nfor (size_t i = " + first + "; i < (size_t) m; " + step + ") {\n" +
           "int32_t r = (int32_t) i % 3;\n"
           "Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, "
           "CompactMode::Null> t; TASSIGN(t, (uint64_t) (r == 0 ? 0 : r == 1 ? 4096 : 8192));\n" +
           barrier + "TADDS(t, d, 1.0f);\n" + more + "}\npipe_barrier(PIPE_ALL);";
  };
  const std::string each = "pipe_barrier(PIPE_V);", third = "if (r == 0) { pipe_barrier(PIPE_V); }\n";
  auto keeps = [&](const std::string &more, const std::string &first = "0", const std::string &step = "i += 1") {
    return certified(loop(each + third, first, more, step), loop(third, first, more, step));
  };
  CHECK(keeps(""));
  CHECK(keeps("if (n > 3) { for (int64_t j = 0; j < n; j += 1) { if (j > 5) { break; } } }\n"));
  // Beyond 2^31 the remainders are -2, -1 and 0, and two iterations in a row fill the same tile.
  CHECK_FALSE(keeps("if (i == 4000000000) { break; }\n"));
  CHECK_FALSE(keeps("if (i == 4000000000) { pipe_barrier(PIPE_ALL); return; }\n"));
  CHECK_FALSE(keeps("if (i == 4000000000) { m = 5; }\n"));
  CHECK_FALSE(keeps("", "0", "i += 16777216"));               // 2^40 rounds get there
  CHECK_FALSE(keeps("", "(size_t) n + 9223372036854775807")); // so do few, from far up
}
