#include "ordering/scalar_analysis.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

using Numbers = std::vector<std::int64_t>;

/// A tile whose address is an expression of the kernel.
std::string tileAt(const std::string &name, const std::string &address) {
  return "  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, "
         "CompactMode::Null> " +
         name + "; TASSIGN(" + name + ", (uint64_t) (" + address + "));\n";
}

/// Uses a tile at `address`, so that its base can be looked at: `use("s", "a")` is base("use of s").
std::string use(const std::string &name, const std::string &address) {
  return tileAt("t_" + name, address) + "  TADDS(t_" + name + ", t_" + name + ", 1.0f); // use of " + name + ";\n";
}

struct Bases : Analysed {
  using Analysed::Analysed;
  ScalarValue base(const std::string &name) const {
    return program->nodes[node("use of " + name + ";")].accesses[0].base;
  }
  const ScalarAlgebra &algebra() const { return program->scalars->algebra(); }
  Numbers values(const std::string &name) const { return algebra().possibleValues(base(name)); }
  /// The only atom of a base; throws otherwise.
  const Atom &atom(const std::string &name) const {
    ScalarValue value = base(name);
    if (value.terms.size() != 1)
      throw std::runtime_error(name + " is " + algebra().describe(value));
    return algebra()[value.terms[0].atom];
  }
  bool unknown(const std::string &name) const {
    ScalarValue value = base(name);
    return !value.isConstant() && values(name).empty();
  }
};

/// The facts about the only loop of a body.
TripFacts tripsOf(const std::string &body) {
  Analysed kernel(vectorKernel(body));
  REQUIRE(kernel.program->graph->loops().size() == 1);
  return kernel.program->scalars->trips(0);
}

} // namespace

TEST_CASE("scalar analysis: constants through casts and copies", "[scalar_analysis]") {
  Bases kernel(
      vectorKernel("  const int64_t a = 4096;\n  int32_t b = (int32_t) a;\n  uint64_t c = (uint64_t) b + 64;\n" +
                   use("s", "c") + use("low", "(uint8_t) (a + 3)")));
  CHECK(kernel.base("s").isConstant());
  CHECK(kernel.base("s").constant == 4160);
  CHECK(kernel.base("low").constant == 3);
}

TEST_CASE("scalar analysis: a counting loop", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  for (int32_t i = 2; i < n; i = i + 3) {\n" + use("s", "32768 + i * 1024") + "  }\n"));
  CHECK(kernel.atom("s").kind == Atom::Kind::Counter);
  CHECK(kernel.base("s").terms[0].coefficient == 3072); // iterations begun before this one, times the step
  CHECK(kernel.base("s").constant == 32768 + 2 * 1024);
}

TEST_CASE("scalar analysis: counting forms", "[scalar_analysis]") {
  struct Case {
    const char *loop;
    std::int64_t start, step;
  };
  for (const Case &c :
       {Case{"for (int32_t i = 0; i < n; ++i) {", 0, 1}, Case{"for (int32_t i = 0; i < n; i += 2) {", 0, 2},
        Case{"for (int32_t i = 9; i > n; i = i - 1) {", 9, -1},
        Case{"for (size_t i = (size_t) 0; i < ((size_t) n); i += (size_t) 1) {", 0, 1},
        Case{"for (int64_t i = 0; i < 8; i = 1 + i) {", 0, 1}}) {
    INFO(c.loop);
    Bases kernel(vectorKernel(std::string("  ") + c.loop + "\n" + use("s", "(int64_t) i * 64") + "  }\n"));
    REQUIRE(kernel.base("s").terms.size() == 1);
    CHECK(kernel.atom("s").kind == Atom::Kind::Counter);
    CHECK(kernel.base("s").terms[0].coefficient == c.step * 64);
    CHECK(kernel.base("s").constant == c.start * 64);
  }
}

TEST_CASE("scalar analysis: several steps in one iteration add up", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  int32_t i = 1;\n  while (i < n) {\n" + use("first", "i * 64") + "  i = i + 1;\n" +
                            use("second", "i * 64") + "  i = i + 2;\n  }\n"));
  CHECK(kernel.base("first").terms.at(0).coefficient == 3 * 64);
  CHECK(kernel.base("first").constant == 64);
  CHECK(kernel.base("second").terms.at(0).coefficient == 3 * 64);
  CHECK(kernel.base("second").constant == 2 * 64);
}

TEST_CASE("scalar analysis: a step held in a constant", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  const int32_t step = 4;\n  for (int32_t i = 0; i < n; i = i + step) {\n" +
                            use("s", "i * 64") + "  }\n"));
  CHECK(kernel.base("s").terms.at(0).coefficient == 256);
}

TEST_CASE("scalar analysis: a step that a cast changes", "[scalar_analysis]") {
  // (int8_t) 200 is -56: taking the step for 200 would put the tiles where they are not.
  Bases kernel(
      vectorKernel("  for (int32_t i = 4096; i > n; i = i + (int32_t) (int8_t) 200) {\n" + use("s", "i") + "  }\n"));
  ScalarValue base = kernel.base("s");
  CHECK((base.terms.empty() || base.terms[0].coefficient != 200));
}

TEST_CASE("scalar analysis: what does not count", "[scalar_analysis]") {
  // An increment in an arm, one in an inner loop, a doubling, a step not known: no counter.
  for (const char *body : {"if (n > 5) { i = i + 1; }\n", "for (int32_t j = 0; j < n; ++j) { i = i + 1; }\n",
                           "i = i + i;\n", "i = i * 2;\n", "i = i + n;\n"}) {
    INFO(body);
    Bases kernel(vectorKernel("  int32_t i = 1;\n  while (i < n) {\n" + use("s", "i * 64") + "  " + body + "  }\n"));
    CHECK(kernel.unknown("s"));
    for (const Term &term : kernel.base("s").terms)
      CHECK(kernel.algebra()[term.atom].kind != Atom::Kind::Counter);
  }
}

TEST_CASE("scalar analysis: trip facts", "[scalar_analysis]") {
  auto facts = [](const std::string &head) { return tripsOf("  " + head + "\n  TADD(in, in, in);\n  }\n"); };
  struct Case {
    const char *head;
    std::optional<bool> first;
    std::optional<std::int64_t> trips;
  };
  for (const Case &c : {
           Case{"for (int32_t i = 0; i < 4; ++i) {", true, 4},
           Case{"for (int32_t i = 0; i < 0; ++i) {", false, 0}, // never entered
           Case{"for (int32_t i = 3; i < 4; ++i) {", true, 1},  // once
           Case{"for (int32_t i = 0; i <= 4; i += 2) {", true, 3},
           Case{"for (int32_t i = 5; i > 0; --i) {", true, 5},
           Case{"for (int32_t i = 0; i != 6; i += 3) {", true, 2},
           Case{"for (size_t i = (size_t) 0; i < ((size_t) 8); i += (size_t) 1) {", true, 8},
           Case{"for (uint32_t i = 0; i < 4; ++i) {", true, 4},
           Case{"for (uint32_t i = 4; i > 0; --i) {", true, 4},
           Case{"for (uint32_t i = 4294967290u; i < 4294967295u; i += 4) {", true, std::nullopt}, // goes round
           Case{"for (uint32_t i = 4; i < 5; --i) {", true, 5},                                   // on to 4294967295
           Case{"for (uint32_t i = 0; i < (uint32_t) n; ++i) {", std::nullopt, std::nullopt},
           Case{"for (int32_t i = 0; i < n; ++i) {", std::nullopt, std::nullopt},
           Case{"for (int32_t i = n; i < 4; ++i) {", std::nullopt, std::nullopt},
           Case{"for (int32_t i = 0; i < 8; i += n) {", std::nullopt, std::nullopt},
       }) {
    INFO(c.head);
    TripFacts got = facts(c.head);
    CHECK(got.trips == c.trips);
    if (std::string(c.head).find("i += n") == std::string::npos) // there the first trip may be seen to be certain
      CHECK(got.firstTripCertain == c.first);
  }
}

TEST_CASE("scalar analysis: an early exit leaves the trip count a bound", "[scalar_analysis]") {
  TripFacts facts =
      tripsOf("  for (int32_t i = 0; i < 4; ++i) {\n    if (n == i) break;\n    TADD(in, in, in);\n  }\n");
  CHECK(facts.firstTripCertain == true);
  REQUIRE(facts.trips);
  CHECK(*facts.trips >= 4);
}

TEST_CASE("scalar analysis: an inner loop's trips hold for each of its runs", "[scalar_analysis]") {
  Analysed kernel(vectorKernel("  for (int32_t i = 0; i < n; ++i) {\n    for (int32_t j = i; j < 4; ++j) {\n"
                               "      TADD(in, in, in);\n    }\n  }\n"));
  const FlowGraph &graph = *kernel.program->graph;
  REQUIRE(graph.loops().size() == 2);
  for (LoopId loop = 0; loop < 2; ++loop)
    CHECK_FALSE(kernel.program->scalars->trips(loop).trips); // starts at another counter: not known
}

TEST_CASE("scalar analysis: the loop condition bounds the counter inside", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  for (int32_t i = 0; i < 8; ++i) {\n" + use("s", "i * 64") + "  }\n"));
  CHECK(kernel.base("s").interval == Interval{0, 7 * 64});
  CHECK(kernel.atom("s").inLoop == Interval{0, 7});
  CHECK(kernel.atom("s").interval == Interval{0, 8}); // behind the loop
  // What stands in front of the condition runs once more.
  Bases early(vectorKernel("  int32_t i = 0;\n  while (true) {\n" + use("s", "i * 64") +
                           "    if (i >= 8) break;\n    ++i;\n  }\n"));
  CHECK(early.atom("s").inLoop.highest >= 8);
  // Bounded by a variable: at least not negative.
  Bases open(vectorKernel("  for (int32_t i = 0; i < n; ++i) {\n" + use("s", "(int64_t) i * 64") + "  }\n"));
  CHECK(open.base("s").interval.lowest == 0);
}

TEST_CASE("scalar analysis: a condition that narrows its operand says nothing about it", "[scalar_analysis]") {
  Bases kernel(vectorKernel(
      "  int32_t v = 0;\n  for (int32_t i = 0; i < 100; ++i) {\n    if (v < (int32_t) (int8_t) (n & 7)) {\n" +
      use("s", "v * 64") + "    }\n    v = v + 40;\n  }\n"));
  CHECK(kernel.base("s").interval.highest >= 0); // and it is lifted at all
}

TEST_CASE("scalar analysis: ternary choices", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  int64_t a = n > 3 ? 4096 : 0;\n" + use("two", "a") +
                            "  int64_t b = n > 5 ? a : 8192;\n" + use("three", "b") +
                            "  int64_t c = 1 < 2 ? 64 : 128;\n" + use("decided", "c") +
                            "  int64_t d = n > 3 ? n : 128;\n" + use("unknown", "d")));
  CHECK(kernel.values("two") == Numbers{0, 4096});
  CHECK(kernel.values("three") == Numbers{0, 4096, 8192});
  CHECK(kernel.values("decided") == Numbers{64});
  CHECK(kernel.unknown("unknown"));
}

TEST_CASE("scalar analysis: rotating by remainder is a table of the loop", "[scalar_analysis]") {
  Bases kernel(vectorKernel(
      "  for (int32_t i = 0; i < n; ++i) {\n    int64_t a = i % 2 == 1 ? 4096 : 0;\n" + use("two", "a") +
      "    int32_t k = i % 3;\n    int64_t b = k == 1 ? 64 : k == 2 ? 128 : 0;\n" + use("three", "b") + "  }\n"));
  CHECK(kernel.atom("two").kind == Atom::Kind::Table);
  CHECK(kernel.atom("two").table == Numbers{0, 4096});
  CHECK(kernel.atom("three").table == Numbers{0, 64, 128});
}

TEST_CASE("scalar analysis: joins of constants are choices, of anything else unknown", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  int64_t a = 0;\n  if (n > 3) {\n    a = 4096;\n  }\n" + use("arm", "a") +
                            "  int64_t b;\n  if (n > 3) {\n    b = 64;\n  } else {\n    b = 128;\n  }\n" +
                            use("arms", "b") + "  int64_t c = 0;\n  if (n > 3) {\n    c = n;\n  }\n" +
                            use("unknown", "c") + "  int64_t d = 7;\n  if (n > 3) {\n    d = 7;\n  }\n" +
                            use("same", "d")));
  CHECK(kernel.values("arm") == Numbers{0, 4096});
  CHECK(kernel.values("arms") == Numbers{64, 128});
  CHECK(kernel.unknown("unknown"));
  CHECK(kernel.values("same") == Numbers{7});
}

TEST_CASE("scalar analysis: a join holds for one iteration only", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  for (int32_t i = 0; i < n; ++i) {\n    int64_t a = 0;\n    if (in[i] > 0.0f) {\n"
                            "      a = 4096;\n    }\n" +
                            use("first", "a") + use("second", "a + 64") + "  }\n"));
  LoopId loop = 0;
  // Both uses see one value in one iteration, and perhaps another in the next.
  CHECK(kernel.atom("first").key == kernel.atom("second").key);
  CHECK(kernel.atom("first").scope == loop);
}

TEST_CASE("scalar analysis: ping and pong change places round the loop", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  int64_t ping = 0;\n  int64_t pong = 4096;\n  for (int32_t i = 0; i < n; ++i) {\n" +
                            use("ping", "ping") + use("pong", "pong") +
                            "    int64_t old = ping;\n    ping = pong;\n    pong = old;\n  }\n" +
                            use("after", "ping")));
  CHECK(kernel.values("ping") == Numbers{0, 4096});
  CHECK(kernel.values("pong") == Numbers{0, 4096});
  CHECK(kernel.values("after") == Numbers{0, 4096});
  CHECK(kernel.atom("ping").key != kernel.atom("pong").key); // not known to be the same, though both are of two
}

TEST_CASE("scalar analysis: what comes round the loop is not this iteration's", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  __gm__ int32_t *table = (__gm__ int32_t *) in;\n  int64_t previous = 0;\n"
                            "  for (int32_t i = 0; i < n; ++i) {\n" +
                            use("previous", "previous") + "    int64_t current = table[i];\n" +
                            use("current", "current") + "    previous = current;\n" + use("again", "previous") +
                            "  }\n" + use("after", "previous")));
  CHECK(kernel.unknown("previous"));
  CHECK(kernel.atom("current").key == kernel.atom("again").key);
  CHECK(kernel.atom("previous").key != kernel.atom("current").key);
  CHECK(kernel.atom("after").key != kernel.atom("current").key);
}

TEST_CASE("scalar analysis: an inner counter carried round the outer loop is not this iteration's",
          "[scalar_analysis]") {
  Bases kernel(vectorKernel("  int32_t j = 0;\n  for (int32_t i = 0; i < n; ++i) {\n" + use("before", "j * 64") +
                            "    for (j = 0; j < in[i]; ++j) {\n" + use("inside", "j * 64") + "    }\n" +
                            use("behind", "j * 64") + "  }\n"));
  for (const Term &term : kernel.base("before").terms)
    CHECK(kernel.algebra()[term.atom].kind != Atom::Kind::Counter);
  CHECK(kernel.atom("inside").kind == Atom::Kind::Counter);
}

TEST_CASE("scalar analysis: a long chain of moves round a loop is followed to its end", "[scalar_analysis]") {
  // The last one is 32768 for so many iterations and 0 from then on: one move per round of the analysis.
  for (int length : {3, 30, 100}) {
    std::string body = "  int64_t s0 = 0;\n", moves;
    for (int i = 1; i <= length; ++i)
      body += "  int64_t s" + std::to_string(i) + " = 32768;\n";
    for (int i = length; i > 0; --i)
      moves += "    s" + std::to_string(i) + " = s" + std::to_string(i - 1) + ";\n";
    Bases kernel(vectorKernel(body + "  for (int32_t i = 0; i < n; ++i) {\n" +
                              use("last", "s" + std::to_string(length)) + moves + "  }\n"));
    INFO("chain of " << length << ": " << kernel.algebra().describe(kernel.base("last")));
    CHECK_FALSE(kernel.base("last").isConstant());
  }
}

TEST_CASE("scalar analysis: arrays", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  int64_t a[3] = {0, 4096, 8192};\n" + use("known", "a[1]") + use("any", "a[n]") +
                            "  a[1] = 64;\n" + use("stored", "a[1]") + use("other", "a[2]") + "  a[n] = 128;\n" +
                            use("lost", "a[0]")));
  CHECK(kernel.values("known") == Numbers{4096});
  CHECK(kernel.values("any") == Numbers{0, 4096, 8192});
  CHECK(kernel.values("stored") == Numbers{64});
  CHECK(kernel.values("other") == Numbers{8192});
  CHECK(kernel.unknown("lost")); // the store may have hit it
}

TEST_CASE("scalar analysis: loops made of goto", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  int32_t i;\n  i = 0;\n  goto head;\nhead:\n  if (i < 6) {\n    goto body;\n  } else {\n"
                            "    goto done;\n  }\nbody:\n" +
                            use("s", "i * 64") + "  i = i + 1;\n  goto head;\ndone:\n" + use("after", "i * 64")));
  CHECK(kernel.atom("s").kind == Atom::Kind::Counter);
  CHECK(kernel.base("s").terms[0].coefficient == 64);
  const TripFacts &facts = kernel.program->scalars->trips(0);
  CHECK(facts.firstTripCertain == true);
  CHECK(facts.trips == 6);
}

TEST_CASE("scalar analysis: kernel arguments and core queries are fixed", "[scalar_analysis]") {
  Bases kernel(vectorKernel("  int64_t core = get_block_idx();\n  for (int32_t i = 0; i < n; ++i) {\n" +
                            use("argument", "n") + use("core", "core") + use("again", "get_block_idx()") + "  }\n"));
  CHECK(kernel.atom("argument").scope == kNone);
  CHECK(kernel.atom("core").scope == kNone);
  CHECK(kernel.atom("core").key == kernel.atom("again").key);
}

TEST_CASE("scalar analysis: tiles renamed by a branch stand for several places", "[scalar_analysis]") {
  Bases kernel(vectorKernel(tileAt("a", "0") + tileAt("b", "4096") + tileAt("c", "8192") +
                            "  if (n > 3) {\n    TASSIGN(c, (uint64_t) 0);\n  }\n  TADDS(c, c, 1.0f); // use of c;\n" +
                            "  TRESHAPE(b, a);\n  TADDS(b, b, 1.0f); // use of b;\n"));
  CHECK(kernel.values("c") == Numbers{0, 8192});
  CHECK(kernel.values("b") == Numbers{0}); // the reshape's source
}
