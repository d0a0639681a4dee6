#include "support.h"

#include <catch2/catch.hpp>

using namespace ptosync::check;
using namespace ptosync::check::test;

namespace {
const std::string kLoad =
    "TLOAD(a, g); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
const std::string kEnd = "pipe_barrier(PIPE_ALL);";
} // namespace

TEST_CASE("a barrier between strangers goes, one between a write and its read stays") {
  CHECK(certified("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); TADDS(c, d, 1.0f); " + kEnd,
                  "TADDS(a, b, 1.0f); TADDS(c, d, 1.0f); " + kEnd));
  CHECK_FALSE(certified("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); TADDS(c, a, 1.0f); " + kEnd,
                        "TADDS(a, b, 1.0f); TADDS(c, a, 1.0f); " + kEnd));
  CHECK_FALSE(certified("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); TADDS(b, c, 1.0f); " + kEnd,
                        "TADDS(a, b, 1.0f); TADDS(b, c, 1.0f); " + kEnd));
  CHECK_FALSE(certified("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); TADDS(a, c, 1.0f); " + kEnd,
                        "TADDS(a, b, 1.0f); TADDS(a, c, 1.0f); " + kEnd));
}

TEST_CASE("what is a part of many values is followed once") {
  const std::string before = "TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); TADDS(c, d, 1.0f); " + kEnd,
                    after = "TADDS(a, b, 1.0f); TADDS(c, d, 1.0f); " + kEnd;
  std::string truths = "bool t0 = n > 3; ", sums = "uint32_t a0 = n; uint32_t b0 = n; ";
  for (int i = 1; i <= 60; ++i) {
    const std::string now = std::to_string(i), last = std::to_string(i - 1);
    truths += "bool t" + now + " = t" + last + " && t" + last + "; ";
    sums += "uint32_t a" + now + " = a" + last + " + b" + last + "; ";
    sums += "uint32_t b" + now + " = a" + last + " + 5 * b" + last + "; ";
  }
  truths += "int64_t x = 0; if (t60) { x = 1; } ";
  CHECK(certified(truths + before, truths + after));
  const std::string placed = "TASSIGN(a, (uint64_t) a60); TASSIGN(c, (uint64_t) b60); ";
  CHECK_FALSE(certified(sums + placed + before, sums + placed + after));
}

TEST_CASE("a tile that no memory holds is in no chain") {
  const std::string tile =
      "Tile<TileType::Vec, float, 1048576, 1048576, BLayout::RowMajor, 1048576, 1048576, "
      "SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> z; TASSIGN(z, (uint64_t) 0); TADDS(z, z, 1.0f); ";
  CHECK_FALSE(
      certified(tile + "pipe_barrier(PIPE_V); TADDS(z, z, 1.0f); " + kEnd, tile + "TADDS(z, z, 1.0f); " + kEnd));
}

TEST_CASE("what stands within too much else is refused") {
  const std::string before = "TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); TADDS(c, d, 1.0f); " + kEnd,
                    after = "TADDS(a, b, 1.0f); TADDS(c, d, 1.0f); " + kEnd;
  auto certifiesBehind = [&](const std::string &text) { return certified(text + before, text + after); };
  auto times = [](int count, const std::string &text) {
    std::string made;
    for (int i = 0; i < count; ++i)
      made += text;
    return made;
  };
  auto blocks = [&](int depth) { return times(depth, "{") + times(depth, "}"); };
  auto round = [&](int depth) { return "int64_t x = " + times(depth, "(") + "1" + times(depth, ")") + ";"; };
  auto sum = [&](int count) { return "int64_t x = 1" + times(count, " + 1") + ";"; };
  CHECK(certifiesBehind(blocks(50)));
  CHECK(certifiesBehind(round(50)));
  CHECK(certifiesBehind(sum(200)));
  CHECK_FALSE(certifiesBehind(blocks(20000)));
  CHECK_FALSE(certifiesBehind(round(1000)));
  CHECK_FALSE(certifiesBehind(round(20000)));
  CHECK_FALSE(certifiesBehind("int64_t x = " + times(20000, "- ") + "1;"));
  CHECK_FALSE(certifiesBehind(sum(1000)));
  auto calls = [&](int depth) { // each calls the one in front of it
    std::string text = "AICORE void f0() {\n}\n";
    for (int i = 1; i <= depth; ++i)
      text += "AICORE void f" + std::to_string(i) + "() {\nf" + std::to_string(i - 1) + "();\n}\n";
    const std::string call = "f" + std::to_string(depth) + "(); ";
    return certifies(kernel(call + before, text), kernel(call + after, text)).certified();
  };
  CHECK(calls(50));
  CHECK_FALSE(calls(400));
  auto within = [&](int depth) { // as deep in the function as in its caller
    const std::string text = "AICORE void f() " + blocks(depth) + "\n",
                      call = times(depth, "{") + "f();" + times(depth, "}");
    return certifies(kernel(call + before, text), kernel(call + after, text)).certified();
  };
  CHECK(within(50));
  CHECK_FALSE(within(200));
}

TEST_CASE("a text that ends in the middle is refused") {
  const std::string before = kernel("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); TADDS(c, d, 1.0f); " + kEnd),
                    after = kernel("TADDS(a, b, 1.0f); TADDS(c, d, 1.0f); " + kEnd);
  CHECK(certifies(before, after).certified());
  for (const std::string end : {"enum class Mode", "enum class Mode {", "enum class Mode { kA", "auto f() -> int", "f(",
                                "AICORE auto f() -> int", "template <", "AICORE void f() { for ("})
    CHECK_FALSE(certifies(before + end, after + end).certified());
}

TEST_CASE("what the input does not order either is not asked for") {
  CHECK(certified("TADDS(a, b, 1.0f); TADDS(c, a, 1.0f); pipe_barrier(PIPE_V); " + kEnd,
                  "TADDS(a, b, 1.0f); TADDS(c, a, 1.0f); " + kEnd));
}

TEST_CASE("a flag goes only where another one tells as much") {
  const std::string twice = "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n";
  CHECK(certified(kLoad + twice + "TADDS(c, a, 1.0f); " + kEnd, kLoad + "TADDS(c, a, 1.0f); " + kEnd));
  CHECK_FALSE(certified(kLoad + "TADDS(c, a, 1.0f); " + kEnd, "TLOAD(a, g); TADDS(c, a, 1.0f); " + kEnd));
  // The flag is set in front of the load.
  CHECK_FALSE(certified(kLoad + "TADDS(c, a, 1.0f); " + kEnd,
                        "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TLOAD(a, g); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); "
                        "TADDS(c, a, 1.0f); " +
                            kEnd));
  // The wait stands behind its reader.
  CHECK_FALSE(certified(kLoad + "TADDS(c, a, 1.0f); " + kEnd,
                        "TLOAD(a, g); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TADDS(c, a, 1.0f); "
                        "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); " +
                            kEnd));
}

TEST_CASE("a wait sinks to its reader") {
  CHECK(certified(kLoad + "TADDS(c, d, 1.0f); TADDS(b, a, 1.0f); " + kEnd,
                  "TLOAD(a, g); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TADDS(c, d, 1.0f); "
                  "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TADDS(b, a, 1.0f); " +
                      kEnd));
}

TEST_CASE("flags are binary on every way") {
  const std::string arm = "if (n > 3) { set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }\n";
  const std::string both = "TLOAD(a, g); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); if (n > 3) { TADDS(c, d, 1.0f); }\n"
                           "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TADDS(b, a, 1.0f); " +
                           kEnd;
  CHECK(certified(both + "pipe_barrier(PIPE_V);", both));
  CHECK_FALSE(
      certified("TLOAD(a, g);" + arm + "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);" + kEnd + "pipe_barrier(PIPE_V);",
                "TLOAD(a, g);" + arm + "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);" + kEnd));
  // One condition, tested twice.
  const std::string same =
      "TLOAD(a, g);" + arm + "if (n > 3) { wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TADDS(b, a, 1.0f); }" + kEnd;
  CHECK(certified(same + "pipe_barrier(PIPE_V);", same));
}

TEST_CASE("an order that only one way needs is kept on that way") {
  const std::string before = "TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); if (n > 3) { TADDS(c, a, 1.0f); } " + kEnd;
  CHECK(certified(before, "TADDS(a, b, 1.0f); if (n > 3) { pipe_barrier(PIPE_V); TADDS(c, a, 1.0f); } " + kEnd));
  CHECK_FALSE(certified(before, "TADDS(a, b, 1.0f); if (n > 3) { TADDS(c, a, 1.0f); } " + kEnd));
}

TEST_CASE("a long result and its exact reader are a chain on a3") {
  const std::string tile = "Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> ";
  const std::string tiles = tile + "x; TASSIGN(x, (uint64_t) 16384);" + tile + "y; TASSIGN(y, (uint64_t) 20480);";
  CHECK(certified(tiles + "TADDS(x, y, 1.0f); pipe_barrier(PIPE_V); TADDS(y, x, 1.0f);" + kEnd,
                  tiles + "TADDS(x, y, 1.0f); TADDS(y, x, 1.0f);" + kEnd) == false); // y is written, too
  CHECK(certified(tiles + "TADDS(x, y, 1.0f); pipe_barrier(PIPE_V); TADDS(x, x, 1.0f);" + kEnd,
                  tiles + "TADDS(x, y, 1.0f); TADDS(x, x, 1.0f);" + kEnd));
}

TEST_CASE("loops of any length") {
  auto loop = [](const std::string &body) {
    return "for (int64_t i = 0; i < n; i += 1) {" + body + "}\npipe_barrier(PIPE_ALL);";
  };
  // Each iteration works on one tile: the barrier orders one iteration behind the other.
  CHECK_FALSE(certified(loop("pipe_barrier(PIPE_V); TADDS(a, a, 1.0f);"), loop("TADDS(a, a, 1.0f);")));
  CHECK(certified(loop("pipe_barrier(PIPE_V); TADDS(a, b, 1.0f); pipe_barrier(PIPE_V);"),
                  loop("pipe_barrier(PIPE_V); TADDS(a, b, 1.0f);")));
  CHECK(certified(loop("pipe_barrier(PIPE_V); TADDS(a, a, 1.0f); pipe_barrier(PIPE_V); TADDS(c, c, 1.0f);"),
                  loop("TADDS(a, a, 1.0f); pipe_barrier(PIPE_V); TADDS(c, c, 1.0f);")));
}

TEST_CASE("storage that goes round with a loop is told apart by turns") {
  const std::string tile = "Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> t; TASSIGN(t, (uint64_t) (i % 2 == 0 ? 0 : 4096));\n";
  auto loop = [&](const std::string &before, const std::string &behind, const std::string &step = "i += 1") {
    return "for (int64_t i = 0; i < n; " + step + ") {" + tile + before + "TADDS(t, d, 1.0f);" + behind + "}\n" + kEnd;
  };
  const std::string two = "if (i % 2 == 0) { pipe_barrier(PIPE_V); }\n";
  CHECK(certified(loop("pipe_barrier(PIPE_V);" + two, ""), loop(two, ""))); // every second iteration is enough
  CHECK_FALSE(certified(loop("pipe_barrier(PIPE_V);", ""), loop("", "")));  // t meets itself two iterations later
  CHECK_FALSE(certified(loop("pipe_barrier(PIPE_V);", "", "i += 2"), loop("", "", "i += 2")));
}

TEST_CASE("a bound of another type may be large where it was negative") {
  const std::string tile = "Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> t; TASSIGN(t, (uint64_t) (i / 1073741824 * 4096));\n";
  // Tile t is `a` in the first 2^30 iterations, and `b` in those that follow.
  auto loop = [&](const std::string &behind) {
    return "int32_t m = (int32_t) n;\nTADDS(b, d, 1.0f); pipe_barrier(PIPE_V);\n"
           "for (uint64_t i = 0; i < m; i += 1) {" +
           tile + "TADDS(c, t, 1.0f);" + behind + "TADDS(b, d, 1.0f);}\n" + kEnd;
  };
  CHECK_FALSE(certified(loop("pipe_barrier(PIPE_V);"), loop("")));
}

TEST_CASE("the kernel's end waits for what it waited for") {
  CHECK_FALSE(certified("TSTORE(h, a); " + kEnd, "TSTORE(h, a);"));
  CHECK(certified("TSTORE(h, a); pipe_barrier(PIPE_ALL); " + kEnd, "TSTORE(h, a); " + kEnd));
}

TEST_CASE("a flag that is set again stands behind its own wait") {
  const std::string round = "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);";
  const std::string back = "set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);";
  CHECK_FALSE(certified("TLOAD(a, g);" + round + back + "TLOAD(b, g);" + round + "TADDS(c, b, 1.0f);" + kEnd,
                        "TLOAD(a, g);" + round + "TLOAD(b, g);" + round + "TADDS(c, b, 1.0f);" + kEnd));
}

TEST_CASE("buffer ids of a5") {
  auto bracket = [](const std::string &pipe, const std::string &inside) {
    return "get_buf(" + pipe + ", 3, 0); " + inside + " rls_buf(" + pipe + ", 3, 0);\n";
  };
  const std::string load = bracket("PIPE_MTE2", "TLOAD(a, g);"), use = bracket("PIPE_V", "TADDS(c, a, 1.0f);");
  CHECK(certified(load + use + bracket("PIPE_V", "") + kEnd, load + use + kEnd, "a5"));
  CHECK_FALSE(certified(load + use + kEnd, "TLOAD(a, g);" + use + kEnd, "a5"));
  CHECK_FALSE(certified(load + use + kEnd, load + "TADDS(c, a, 1.0f);" + kEnd, "a5"));
  CHECK_FALSE(certified(load + use + kEnd, use + load + kEnd, "a5")); // another order of statements
}

TEST_CASE("what is not in the subset is refused, with its line") {
  for (const std::string body :
       {"goto end; end: ;", "TFROBNICATE(a);", "struct S {};", "int64_t x = *&n;", "do { } while (n > 1);",
        "asm(\"\");", "event_t e = (event_t) n; set_flag(PIPE_MTE2, PIPE_V, e);"}) {
    INFO(body);
    const Answer answer = certifies(kernel(body + "pipe_barrier(PIPE_V);" + kEnd), kernel(body + kEnd));
    CHECK_FALSE(answer.certified());
    CHECK_FALSE((answer.problem + (answer.kernels.empty() ? "" : answer.kernels[0].reason)).empty());
  }
}

TEST_CASE("versions that differ in more than syncs are refused") {
  CHECK_FALSE(certifies(kernel("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V);" + kEnd), kernel("TADDS(a, c, 1.0f);" + kEnd))
                  .certified());
  CHECK_FALSE(certifies(kernel("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V);" + kEnd), kernel("TADDS(a, b, 2.0f);" + kEnd))
                  .certified());
}

TEST_CASE("a certificate is for its texts and its facts") {
  const std::string before = kernel("TADDS(a, b, 1.0f); pipe_barrier(PIPE_V); TADDS(c, d, 1.0f);" + kEnd);
  const std::string after = kernel("TADDS(a, b, 1.0f); TADDS(c, d, 1.0f);" + kEnd);
  Answer proposal;
  const std::string certificate = propose(before, after, factsOf("a3"), proposal);
  CHECK(checkCertificate(before, after, factsOf("a3"), certificate).certified());
  CHECK_FALSE(checkCertificate(before + " ", after, factsOf("a3"), certificate).certified());
  CHECK_FALSE(checkCertificate(before, after, factsOf("a5"), certificate).certified());
  CHECK_FALSE(checkCertificate(before, after, factsOf("a3"), "{}").certified());
  CHECK_FALSE(checkCertificate(before, after, factsOf("a3"), "").certified());
  CHECK(propose(before, after, factsOf("a3"), proposal) == certificate); // the same bytes again
}

TEST_CASE("a certificate can say that every conflict in memory is ordered, whatever the input orders") {
  const std::string work = "  TLOAD(a, g);\n", more = "  TADDS(b, a, 1.0f);\n", last = "  TADDS(c, b, 1.0f);\n";
  const std::string loop = "for (int64_t i = 0; i < n; i += 1) {\n";
  const std::string before = kernel(loop + work + more + last + "}\n");
  const std::string forth = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
  const std::string back = "set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n";
  const std::string barrier = "  pipe_barrier(PIPE_V);\n", end = "pipe_barrier(PIPE_ALL);";
  const std::string after = kernel(back + loop + "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n" + work + forth + more +
                                   barrier + last + back + "}\nwait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n" + end);
  const std::string facts = factsOf("a3");
  Answer proposal;
  const std::string certificate = propose(before, after, facts, proposal, true);
  const Answer answer = checkCertificate(before, after, facts, certificate);
  CHECK(answer.certified());
  CHECK(answer.kernels[0].ordered);
  // Without one of its syncs it no longer orders everything; without the barrier it still keeps what the input orders.
  for (const std::string &sync : {forth, barrier, end}) {
    INFO(sync);
    std::string less = after;
    less.erase(less.find(sync), sync.size());
    Answer weaker;
    const std::string kept = propose(before, less, facts, weaker, true);
    CHECK(weaker.certified() == (sync == barrier));
    CHECK_FALSE(weaker.kernels[0].ordered);
    CHECK_FALSE(checkCertificate(before, less, facts, kept).kernels[0].ordered);
    // What the certificate of the whole one says is not true of it.
    std::string forged = certificate;
    forged.replace(forged.find(hashOf(after)), hashOf(after).size(), hashOf(less));
    CHECK_FALSE(checkCertificate(before, less, facts, forged).certified());
  }
  std::string unknown = certificate;
  unknown.replace(unknown.find("\"ordered\""), 9, "\"perfect\"");
  CHECK_FALSE(checkCertificate(before, after, facts, unknown).certified());
}
