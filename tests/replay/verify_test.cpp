#include "replay/verify.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

TEST_CASE("replay: trip counts, skipped iterations and lines that no run reached") {
  Replayed kernel(vectorKernel(tile("v1", "float", 16, 64, 0) +
                               "  for (int32_t i = 0; i < n; i += 1) {\n    TEXP(v1, v1);\n"
                               "    if (n == 77) {\n      TADDS(v1, v1, 1.0f);\n    }\n  }\n"));
  CoverageCollector collector(*kernel.subject);
  collector.add(kernel.runWith(0));
  collector.add(kernel.runWith(60));
  KernelCoverage coverage = collector.finish();
  CHECK(coverage.kernel == "k");
  REQUIRE(coverage.loops.size() == 1);
  CHECK(coverage.loops[0].line == 5);
  CHECK(coverage.loops[0].trips == std::set<std::uint64_t>{0, 60});
  CHECK(coverage.loops[0].skipped > 40);
  CHECK(coverage.neverRun == std::set<std::uint32_t>{8});
  CHECK(coverage.cutAt.empty());
}

TEST_CASE("replay: where a run was cut") {
  Options small;
  small.budget.instructions = 5;
  Replayed kernel(
      vectorKernel(tile("v1", "float", 16, 64, 0) + "  for (int32_t i = 0; i < 9; i += 1)\n    TEXP(v1, v1);\n"),
      small);
  CoverageCollector collector(*kernel.subject);
  collector.add(kernel.run({}, Skipping::Forbidden));
  CHECK(collector.finish().cutAt == std::set<std::uint32_t>{6});
}

namespace {

const std::string kVerifyTiles = tile("a", "float", 8, 64, 0) + tile("b", "float", 8, 64, 4096) +
                                 "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                                 "pto::Layout::ND> g(in), h(out);\n"; // the body begins on line 7

} // namespace

TEST_CASE("verify: a kernel agrees with itself, and with itself under other names and on other lines") {
  std::string body =
      kVerifyTiles +
      "  for (int32_t i = 0; i < n; i += 1) {\n    TEXP(a, a);\n    pipe_barrier(PIPE_V);\n    TADDS(b, a, 1.0f);\n"
      "    pipe_barrier(PIPE_V);\n  }\n";
  CHECK(difference(body, body) == "");
  std::string other =
      tile("first", "float", 8, 64, 0) + "\n\n" + tile("second", "float", 8, 64, 4096) +
      "  int64_t count = n;\n  int64_t at = 0;\n  while (at < count) {\n    TEXP(first, first); pipe_barrier(PIPE_V);\n"
      "    TADDS(second, first, 1.0f); pipe_barrier(PIPE_V); at++;\n  }\n";
  CHECK(difference(body, other) == "");
}

TEST_CASE("verify: a dependence carried round a loop needs two trips to show") {
  std::string begin = kVerifyTiles + "  for (int32_t i = 0; i < n; i += 1) {\n    TEXP(b, a);\n";
  CHECK(difference(begin + "    pipe_barrier(PIPE_V);\n  }\n", begin + "  }\n") == "order WAW 8>8\n");
}

TEST_CASE("verify: a barrier in a loop that may not run covers nothing behind it") {
  std::string loop = "  for (int32_t i = 0; i < n; i += 1) {\n    pipe_barrier(PIPE_V);\n    TEXP(b, b);\n  }\n";
  CHECK(difference(kVerifyTiles + "  TEXP(a, a);\n" + loop + "  pipe_barrier(PIPE_V);\n  TADDS(a, a, 1.0f);\n",
                   kVerifyTiles + "  TEXP(a, a);\n" + loop + "  TADDS(a, a, 1.0f);\n") != "");
}

TEST_CASE("verify: a sync in one arm covers only that arm") {
  std::string arms = "  if (n > 1) {\n    pipe_barrier(PIPE_V);\n  }\n";
  CHECK(difference(kVerifyTiles + "  TEXP(a, a);\n" + arms + "  pipe_barrier(PIPE_V);\n  TADDS(a, a, 1.0f);\n",
                   kVerifyTiles + "  TEXP(a, a);\n" + arms + "  TADDS(a, a, 1.0f);\n") == "order RAW 7>11\n");
}

TEST_CASE("verify: stores at two distances from one loaded number") {
  int stride = 512; // elements, as many as are stored
  auto tensor = [&](const std::string &name, int offset) {
    return "    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> " +
           name + "(out + (row * " + std::to_string(stride) + " + " + std::to_string(offset) + "));\n";
  };
  auto body = [&](int offset, const char *barrier, const char *between = "") {
    return kVerifyTiles +
           "  for (int32_t i = 0; i < n; i += 1) {\n    int64_t row = (int64_t) ((__gm__ int32_t*) in)[i];\n" +
           tensor("g0", 0) + "    TSTORE(g0, a);\n" + barrier + between + tensor("g1", offset) +
           "    TSTORE(g1, b);\n    pipe_barrier(PIPE_MTE3);\n  }\n";
  };
  const char *barrier = "    pipe_barrier(PIPE_MTE3);\n";
  CHECK(difference(body(512, barrier), body(512, "\n")) == "");
  CHECK(difference(body(500, barrier), body(500, "\n")) == "order WAW 10>13\n");
  // Another load may give any other number.
  const char *again = "    row = (int64_t) ((__gm__ int32_t*) in)[i];\n";
  CHECK(difference(body(512, barrier, again), body(512, "\n", again)) == "order WAW 10>14\n");
  // So may the next iteration's.
  std::string loop = body(512, barrier);
  std::string without = loop;
  without.replace(without.rfind(barrier), std::string(barrier).size(), "\n");
  CHECK(difference(loop, without) != "");
  // But the second half of one row is no first half of another.
  stride = 1024;
  CHECK(difference(body(512, barrier, again), body(512, "\n", again)) == "");
  CHECK(difference(body(511, barrier, again), body(511, "\n", again)) == "order WAW 10>14\n");
}

TEST_CASE("verify: iterations that memory places at different distances do not repeat each other") {
  const std::string narrow = tile("t", "float", 1, 8, 0) + tile("u", "float", 1, 8, 0);
  auto body = [&](const char *barrier, const char *first, const char *last) {
    return narrow + "  int32_t x = ((__gm__ int32_t*) in)[0];\n  for (int32_t i = 0; i < 400; i += 1) {\n" +
           "    int32_t y = ((__gm__ int32_t*) in)[i];\n    TASSIGN(t, " + first + ");\n    TEXPANDS(t, 1.0f);\n  }\n" +
           barrier + "  TASSIGN(u, " + last + ");\n  TEXPANDS(u, 2.0f);\n";
  };
  auto lost = [&](const char *first, const char *last) {
    return difference(body("  pipe_barrier(PIPE_V);\n", first, last), body("\n", first, last)) != "";
  };
  CHECK(lost("x + i * 32", "x + 200 * 32")); // meets iteration 200, whatever x is
  CHECK_FALSE(lost("x + i * 32", "x + 400 * 32"));
  CHECK(lost("y * 512 + i * 32", "x * 512 + 8 * 32")); // iterations 8 and 24 and so on, where y is x
  CHECK_FALSE(lost("y * 512 + (i % 8) * 32", "x * 512 + 8 * 32"));
}

TEST_CASE("verify: a lane orders only its own trips") {
  auto body = [](const char *barrier) {
    return kVerifyTiles +
           "  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);\n"
           "  for (int32_t i = 0; i < n; i += 1) {\n    event_t e = (event_t) (i % 2);\n    wait_flag(PIPE_MTE3, "
           "PIPE_V, e);\n"
           "    TEXP(a, a);\n    set_flag(PIPE_V, PIPE_MTE3, e);\n    wait_flag(PIPE_V, PIPE_MTE3, e);\n" +
           barrier +
           "    TSTORE(h, a);\n    set_flag(PIPE_MTE3, PIPE_V, e);\n  }\n"
           "  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);\n";
  };
  CHECK(difference(body("    pipe_barrier(PIPE_MTE3);\n"), body("\n")) == "order WAW 16>16\n");
}

TEST_CASE("verify: the one PIPE_ALL that keeps a flag from being set too early") {
  std::string use = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
  CHECK(difference(kVerifyTiles + use + "  pipe_barrier(PIPE_ALL);\n" + use, kVerifyTiles + use + use) ==
        "token set-too-soon\n");
}

TEST_CASE("verify: every kernel of the file, by name and section") {
  std::string one = vectorKernel(kVerifyTiles + "  TEXP(a, a);\n");
  CHECK(difference(lift(one), lift(one + "extern \"C\" __global__ AICORE void more() {}\n")) == "streams\n");
  CHECK(difference(lift(one + "extern \"C\" __global__ AICORE void more() {}\n"), lift(one)) == "streams\n");
}

TEST_CASE("verify: kernels that cannot be analysed are refused, or left out") {
  std::string text = vectorKernel("  k(in, out, n);\n");
  Module module = lift(text);
  CHECK(difference(module, module)
            .find("error: kernel.cpp:3: kernel k (both) cannot be analysed: line 4: it calls k recursively, which is "
                  "not followed; write it as a loop") == 0);
  llvm::Expected<replay::Verdict> skipped =
      verify(module, module, machineOf("a3"), {}, {Section::Both}, Unanalysable::Skip);
  REQUIRE(bool(skipped));
  CHECK(skipped->agreed());
  CHECK(skipped->coverage.empty());
  CHECK(difference(lift("int x;\n"), lift("int x;\n")) ==
        "error: kernel.cpp: holds no kernel; expected a __global__ or AICORE function");
}

TEST_CASE("verify: a kernel without an end is compared as far as it goes, and the coverage says so") {
  Module module = liftVector(kVerifyTiles + "  while (n == n) { TEXP(a, a); }\n");
  Options options;
  options.budget.instructions = 100;
  llvm::Expected<replay::Verdict> verdict = verify(module, module, machineOf("a3"), options);
  REQUIRE(bool(verdict));
  CHECK(verdict->agreed());
  REQUIRE(verdict->coverage.size() == 1);
  CHECK_FALSE(verdict->coverage[0].endlessAt.empty());
}

TEST_CASE("verify: two files that repeat differently are compared in full") {
  auto body = [](const char *id) {
    return kVerifyTiles + "  for (int32_t i = 0; i < 2000; i += 1) {\n    event_t e = (event_t) (" + id +
           ");\n    TEXP(a, a);\n    set_flag(PIPE_V, PIPE_MTE3, e);\n    wait_flag(PIPE_V, PIPE_MTE3, e);\n"
           "    set_flag(PIPE_MTE3, PIPE_V, e);\n    wait_flag(PIPE_MTE3, PIPE_V, e);\n  }\n";
  };
  llvm::Expected<replay::Verdict> verdict =
      verify(liftVector(body("0")), liftVector(body("i % 7")), machineOf("a3"), {});
  REQUIRE(bool(verdict));
  CHECK(verdict->agreed());
  CHECK(verdict->coverage[0].withoutSkipping == 1);
}

TEST_CASE("verify: a short run is compared as a whole, whatever one iteration does alone") {
  auto body = [](const char *barrier) {
    return kVerifyTiles + "  for (int32_t i = 0; i < 64; i += 1) {\n    if (i == 40) {\n      TEXP(a, a);\n" + barrier +
           "      TADDS(a, a, 1.0f);\n      pipe_barrier(PIPE_V);\n    }\n  }\n";
  };
  CHECK(difference(body("      pipe_barrier(PIPE_V);\n"), body("\n")) == "order RAW 9>11\n");
  CHECK(difference(body("\n"), body("\n")) == "");
}

TEST_CASE("verify: both trust levels") {
  std::string tiles =
      tile("a", "float", 8, 64, 0) + tile("t", "float", 8, 64, 4096) + columnTile("r", "float", 8, 8192);
  std::string before = tiles + "  TROWSUM(r, a, t);\n  pipe_barrier(PIPE_V);\n  TADDS(r, r, 1.0f);\n";
  std::string after = tiles + "  TROWSUM(r, a, t);\n  TADDS(r, r, 1.0f);\n";
  CHECK(difference(before, after) == "order RAW 7>8\n");
  Options library;
  library.trust = Trust::Library;
  CHECK(difference(before, after, library) == "");
}

TEST_CASE("verify: what loaded numbers leave of a place") {
  auto differs = [](const std::string &head, const std::string &first, const std::string &second) {
    auto body = [&](const std::string &between) {
      return liftVector(tile("a", "float", 1, 8, 0) + tile("b", "float", 1, 8, 0) + head + "  TASSIGN(a, (uint64_t) (" +
                        first + "));\n  TASSIGN(b, (uint64_t) (" + second + "));\n  TEXPANDS(a, 1.0f);\n" + between +
                        "  TEXPANDS(b, 1.0f);\n");
    };
    return !difference(body("  pipe_barrier(PIPE_V);\n"), body("")).empty();
  };
  const std::string loads = "  int32_t x = ((__gm__ int32_t *) in)[0];\n  uint8_t y = ((__gm__ uint8_t *) in)[1];\n"
                            "  int32_t z = ((__gm__ int32_t *) in)[2];\n  int32_t table[3] = {0, 512, 4096};\n";
  CHECK(differs(loads, "(x & 3) * 512", "1536"));
  CHECK_FALSE(differs(loads, "(x & 3) * 512", "2048"));
  CHECK_FALSE(differs(loads, "(x & 3) * 512", "((x + 1) & 3) * 512"));
  CHECK(differs(loads, "(x & 3) * 512", "((x + 4) & 3) * 512"));
  CHECK(differs(loads, "(x & 3) * 512", "(z & 3) * 512"));
  CHECK(differs(loads, "(x > 7) * 512", "512"));
  CHECK_FALSE(differs(loads, "x > 7 ? 0 : 512", "x <= 7 ? 0 : 512"));
  CHECK(differs(loads, "x > 7 ? 0 : 512", "x < 7 ? 0 : 512"));
  CHECK(differs(loads, "table[x]", "4096"));
  CHECK_FALSE(differs(loads, "table[x]", "1024"));
  CHECK(differs(loads, "y * 32", "255 * 32"));
  CHECK_FALSE(differs(loads, "y * 32", "256 * 32"));
  CHECK_FALSE(differs(loads, "y * 96", "96 * 4 + 32"));
  CHECK(differs(loads, "x > 7 ? y * 32 : 0", "64"));
  // What the way through the kernel depends on is what it is.
  auto onPath = [&](const std::string &address) {
    return differs(loads + "  if (x & 1) return;\n", "(x & 1) * 512", address);
  };
  CHECK_FALSE(onPath("512"));
  CHECK(onPath("0"));
}

TEST_CASE("verify: of very many settings of a flag, each is held against the one that it was") {
  auto body = [](const char *more) {
    return kVerifyTiles +
           "  for (int32_t i = 0; i < 4000; i += 1) {\n    TEXPANDS(a, 1.0f);\n"
           "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);\n"
           "    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> w;\n    TASSIGN(w, i * i * 64);\n"
           "    TEXP(w, w);\n" +
           more + "  }\n";
  };
  // Set twice in a row, the flag was set too soon before, too.
  llvm::Expected<replay::Verdict> verdict = verify(
      liftVector(body("    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);\n")),
      liftVector(body("")), machineOf("a3"), {});
  REQUIRE(bool(verdict));
  CHECK(verdict->findings.empty());
  CHECK(verdict->coverage.at(0).instructions > 4000);
}

TEST_CASE("verify: two runs that are cut end at the same instruction") {
  // Each setting may come before the wait for the last one; so may the one behind the last instruction of a cut run.
  Module module = liftVector(kVerifyTiles + "  for (int32_t i = 0; i < 100000; i += 1) {\n"
                                            "    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> w;\n"
                                            "    TASSIGN(w, i * i * 64);\n    TEXP(w, w);\n"
                                            "    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);\n"
                                            "    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);\n  }\n");
  llvm::Expected<replay::Verdict> verdict = verify(module, module, machineOf("a3"), {});
  REQUIRE(bool(verdict));
  CHECK(verdict->findings.empty());
  CHECK_FALSE(verdict->coverage.at(0).cutAt.empty());
}

namespace {

replay::Answer answerFor(const std::string &before, const std::string &after) {
  const Module was = liftVector(kRowTile + before), is = liftVector(kRowTile + after);
  return llvm::cantFail(replay::verify(was, is, machineOf("a3"), {})).answer();
}

const std::string kV = "  pipe_barrier(PIPE_V);\n";
const std::string kRow = "  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<8, 8, 8, 8, 1>, "
                         "pto::Layout::ND> g(in);\n";

/// A pair of bodies of which the second one has lost an order where a condition holds, and only there.
struct LossWhere {
  const char *name;
  std::string (*before)(const std::string &condition);
  std::string (*after)(const std::string &condition);
};

std::string atPlace(const std::string &place, const std::string &between) {
  return tile("b", "float", 1, 8, 4096) + "  int32_t t[2] = {4096, 0};\n  TASSIGN(b, (uint64_t) (" + place + "));\n" +
         kRowWork + between + "  TEXP(b, b);\n" + kV;
}

std::string withId(const std::string &id) {
  return kRow + "  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, (event_t) 0);\n" +
         "  wait_flag(PIPE_MTE2, PIPE_V, (event_t) (" + id + "));\n" + kRowWork;
}

const LossWhere kLosses[] = {
    {"branch", [](const std::string &) { return kRowWork + kV + kRowWork; },
     [](const std::string &c) { return kRowWork + "  if (!(" + c + "))\n  " + kV + kRowWork; }},
    {"loop without an iteration", [](const std::string &) { return kRowWork + kV + kRowWork; },
     [](const std::string &c) {
       return kRowWork + "  for (int32_t i = 0; i < !(" + c + "); i += 1)\n  " + kV + kRowWork;
     }},
    {"element of an array", [](const std::string &c) { return atPlace("t[" + c + "]", kV); },
     [](const std::string &c) { return atPlace("t[" + c + "]", ""); }},
    {"place", [](const std::string &c) { return atPlace("4096 - (" + c + ") * 4096", kV); },
     [](const std::string &c) { return atPlace("4096 - (" + c + ") * 4096", ""); }},
    {"event id", [](const std::string &) { return withId("0"); }, [](const std::string &c) { return withId(c); }},
    {"event id of a choice", [](const std::string &) { return withId("0"); },
     [](const std::string &c) { return withId("(" + c + ") ? 1 : 0"); }},
};

/// What arithmetic makes of an argument or of the core's place, and what a loop counts.
const char *const kRareConditions[] = {"n == 13",
                                       "n > 1000",
                                       "!(n != 13)",
                                       "n % 7 == 3",
                                       "(n / 4096 & 1) == 1",
                                       "((uint32_t) n >> 31) == 1",
                                       "get_block_idx() == 13",
                                       "m == 13",
                                       "m > 9 && m < 15",
                                       "x == 7"};

/// A count of iterations, and a number that one argument lets another input give.
const std::string kCounted = "  int32_t m = 0;\n  for (int32_t k = 0; k < n; k += 1)\n    m += 1;\n"
                             "  int32_t x = 0;\n  if (n == 13)\n    x = (int32_t) get_block_num();\n";

} // namespace

TEST_CASE("verify: nobody is told that files agree where one number loses an order, whatever it decides") {
  for (const LossWhere &loss : kLosses)
    for (const std::string condition : kRareConditions) {
      INFO(loss.name << " where " << condition);
      CHECK(answerFor(kCounted + loss.before(condition), kCounted + loss.after(condition)) != replay::Answer::Agree);
    }
}

TEST_CASE("verify: ids, indices and loops whose numbers all come round are no reason to doubt") {
  const std::string slots = "  int32_t t[2] = {0, 4096};\n" + tile("b", "float", 1, 8, 0) +
                            "  for (int32_t i = 0; i < n; i += 1) {\n    TASSIGN(b, (uint64_t) t[i % 2]);\n" +
                            "    TEXP(b, b);\n    pipe_barrier(PIPE_V);\n  }\n";
  CHECK(answerFor(slots, slots) == replay::Answer::Agree);
  const std::string ring = kRow + "  for (int32_t i = 0; i < n; i += 1) {\n    TLOAD(a, g);\n" +
                           "    set_flag(PIPE_MTE2, PIPE_V, (event_t) (i % 3));\n" +
                           "    wait_flag(PIPE_MTE2, PIPE_V, (event_t) (i % 3));\n  " + kRowWork + "  " +
                           "    pipe_barrier(PIPE_ALL);\n  }\n";
  CHECK(answerFor(ring, ring) == replay::Answer::Agree);
  const std::string always =
      "  int64_t s = n;\n  for (int64_t i = s; i < (int64_t) ((uint64_t) s + (uint64_t) 64); i += 16) "
      "{\n  " +
      kRowWork + kV + "  }\n";
  CHECK(answerFor(always, always) == replay::Answer::Agree);
  for (const std::string &next : {"1 - cur", "cur ^ 1", "(cur + 1) & 1", "cur == 2 ? 0 : cur + 1"}) {
    INFO(next);
    const std::string turns = kRow + "  int32_t cur = 0;\n  for (int32_t i = 0; i < n; i += 1) {\n    TLOAD(a, g);\n" +
                              "    set_flag(PIPE_MTE2, PIPE_V, (event_t) cur);\n" +
                              "    wait_flag(PIPE_MTE2, PIPE_V, (event_t) cur);\n  " + kRowWork +
                              "    pipe_barrier(PIPE_ALL);\n    cur = " + next + ";\n  }\n";
    CHECK(answerFor(turns, turns) == replay::Answer::Agree);
  }
  for (const std::string &bound : {"n", "(i + 4 < n ? i + 4 : n)"}) {
    INFO(bound);
    const std::string inner = "  for (int32_t i = 0; i < n; i += 4)\n    for (int32_t j = i; j < " + bound +
                              "; j += 1) {\n    " + kRowWork + "  " + kV + "    }\n";
    CHECK(answerFor(inner, inner) == replay::Answer::Agree);
  }
}
