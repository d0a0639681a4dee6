#include "ordering/condition.h"

#include "ordering/analysis.h"
#include "ordering/concrete_walk.h"

#include <catch2/catch.hpp>

#include <random>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// A loop of `trips` iterations around a branch on `condition`, which may use `i`, the argument `n` and what
/// `declarations` declare in the loop.
std::string guarded(const std::string &trips, const std::string &condition, const std::string &declarations = "") {
  return smallBody("  for (int32_t i = 0; i < " + trips + "; ++i) {\n" + declarations + "    if (" + condition +
                   ") {\n      TADD(a, b, c); // guarded\n    }\n  }\n");
}

/// The branch in front of the line marked "guarded".
BlockId guardOf(const Analysed &kernel) {
  const Program &program = *kernel.program;
  for (const Node &node : program.nodes)
    if (node.statement && node.statement->line == kernel.line("// guarded"))
      return program.graph->predecessors(node.block).at(0);
  throw std::runtime_error("nothing is guarded");
}

/// Of the outermost loop around the guard.
bool changesOnce(const Analysed &kernel) {
  const Program &program = *kernel.program;
  BlockId guard = guardOf(kernel);
  LoopId inner = program.graph->loopOf(guard), outer = inner;
  while (program.graph->loops()[outer].parent != kNone)
    outer = program.graph->loops()[outer].parent;
  bool first = inner != outer && program.graph->loops()[inner].header == guard;
  REQUIRE(program.conditions[guard]);
  return changesOnceAtMost(*program.conditions[guard], outer, first ? inner : kNone, *program.scalars, *program.graph);
}

bool changesOnce(const std::string &trips, const std::string &condition, const std::string &declarations = "") {
  return changesOnce(Analysed(guarded(trips, condition, declarations)));
}

/// How often the guard's answer changes in a run with this argument.
std::size_t changes(const Analysed &kernel, std::int64_t n) {
  ConcreteWalk walk(*kernel.program, {{"n", n}});
  REQUIRE(walk.run());
  BlockId guard = guardOf(kernel);
  const Terminator &end = kernel.program->kernel->blocks[guard].terminator;
  std::size_t count = 0;
  std::optional<bool> last;
  for (std::size_t at = 0; at + 1 < walk.visited.size(); ++at)
    if (walk.visited[at] == guard) {
      bool held = walk.visited[at + 1] == end.whenTrue;
      count += last && *last != held;
      last = held;
    }
  return count;
}

const std::string kSlice =
    "    int32_t at = (int32_t) ((uint32_t) ((int32_t) (uint32_t) n * (uint32_t) 4) + (uint32_t) i);\n";

} // namespace

TEST_CASE("condition: one comparison, whichever way it is put", "[condition]") {
  auto spelt = [](const std::string &condition) {
    Analysed kernel(guarded("n", condition));
    REQUIRE(kernel.program->conditions[guardOf(kernel)]);
    std::optional<ScalarComparison> found =
        kernel.program->scalars->algebra().comparisonOf(*kernel.program->conditions[guardOf(kernel)]);
    if (!found)
      return std::string("none");
    const ScalarAlgebra &algebra = kernel.program->scalars->algebra();
    return algebra.describe(found->left) + " " + operatorSpelling(found->op) + " " + algebra.describe(found->right);
  };
  std::string less = spelt("i + 7 < n");
  CHECK(less != "none");
  CHECK(less.find(" < ") != std::string::npos);
  CHECK(spelt("n > i + 7") == less);
  CHECK(spelt("!(i + 7 >= n)") == less);
  CHECK(spelt("i + 7 <= n") != less);
  CHECK(spelt("!(i == n - 3)") == spelt("i != n - 3"));
  Analysed kernel(guarded("n", "i < n - 3"));
  const ScalarAlgebra &algebra = kernel.program->scalars->algebra();
  ScalarValue asked = *kernel.program->conditions[guardOf(kernel)];
  CHECK(algebra.comparisonOf(asked));
  CHECK_FALSE(algebra.comparisonOf(algebra.add(asked, asked, false)));
  CHECK_FALSE(algebra.comparisonOf(algebra.constant(1, kBoolean)));
}

TEST_CASE("condition: what does not change in a loop has one answer", "[condition]") {
  CHECK(changesOnce("n", "n > 3"));
  CHECK(changesOnce("n", "n % 5 == 2"));
  CHECK(changesOnce("n", "once > 3", "    int32_t once = n * n;\n"));
  CHECK_FALSE(changesOnce("n", "i * n % 7 == 2"));
  CHECK_FALSE(changesOnce("n", "seen > 3", "    int32_t seen = get_block_idx() + i % n;\n"));
}

TEST_CASE("condition: a bound that is passed once", "[condition]") {
  for (const char *condition : {"i < n - 9", "i > n / 2", "!(i < n / 3)"}) {
    CAPTURE(condition);
    CHECK(changesOnce("n", condition));
    CHECK(changesOnce("12", condition));
  }
  // Few iterations do not leave the numbers of the type.
  for (const char *condition : {"i + 7 < n", "n >= 3 * i", "n % 100 - i > 4"}) {
    CAPTURE(condition);
    CHECK_FALSE(changesOnce("n", condition));
    CHECK(changesOnce("12", condition));
  }
  CHECK(changesOnce("n", "i - n / 2 < n - i") == false); // both sides move: not looked at
  CHECK_FALSE(changesOnce("n", "i == n / 2"));
  CHECK_FALSE(changesOnce("n", "i % 17 < n"));
  CHECK_FALSE(changesOnce("n", "(i ^ n) < 9"));
}

TEST_CASE("condition: a ragged end whose sum may wrap", "[condition]") {
  CHECK(changesOnce("4", "at < 30", kSlice));
  CHECK(changesOnce("4", "30 <= at", kSlice));
  // As many iterations as the caller likes come round to the first answer again.
  CHECK_FALSE(changesOnce("n", "at < 30", kSlice));
  // The numbers below the bound are fewer than the iterations: in, out at the top, and in again.
  auto small = [](const std::string &bound, const std::string &trips) {
    return changesOnce(trips, "(uint32_t) n + (uint32_t) i < (uint32_t) " + bound);
  };
  CHECK(small("8", "9"));
  CHECK_FALSE(small("8", "10"));
  CHECK(small("4294967288u", "9"));
  CHECK_FALSE(small("4294967288u", "10"));
  CHECK_FALSE(changesOnce("4", "(uint8_t) (n + i) < 2"));
  Analysed round(guarded("10", "(uint32_t) n + (uint32_t) i < (uint32_t) 8"));
  CHECK(changes(round, -1) == 2);
}

TEST_CASE("condition: a loop inside that may not run", "[condition]") {
  auto inner = [](const std::string &start, const std::string &bound) {
    return changesOnce(
        Analysed(smallBody("  for (int32_t i = 0; i < n; ++i) {\n    for (int32_t j = " + start + "; j < " + bound +
                           "; ++j) {\n      TADD(a, b, c); // guarded\n    }\n  }\n")));
  };
  CHECK(inner("0", "n - 5"));
  CHECK(inner("i", "n - 5"));
  CHECK(inner("0", "n % 100"));
  CHECK_FALSE(inner("0", "i % 17"));
  // A test inside the inner loop is asked again in each of its iterations.
  CHECK_FALSE(
      changesOnce(Analysed(smallBody("  for (int32_t i = 0; i < n; ++i) {\n    for (int32_t j = 0; j < n; ++j) {\n"
                                     "      if (i + j < 9) {\n      TADD(a, b, c); // guarded\n      }\n    }\n"
                                     "  }\n"))));
}

TEST_CASE("condition: what is said to change once does, in concrete runs", "[condition]") {
  std::mt19937 random(20260923);
  auto pick = [&](std::size_t below) { return random() % below; };
  const std::vector<std::int64_t> small = {-40, -9, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 9, 12, 29, 30, 31, 40};
  std::vector<std::int64_t> edges = small;
  for (std::int64_t far = 0; far < 12; ++far)
    edges.insert(edges.end(), {INT32_MAX - far, INT32_MIN + far, (INT32_MAX - far) / 4, 1 << 30, -(1 << 30) + far});
  const std::vector<std::string> operators = {"<", "<=", ">", ">=", "==", "!="};
  const std::vector<std::string> bounds = {"0", "1", "3", "8", "30", "100", "127", "200"};
  std::size_t said = 0, changed = 0, open = 0;
  for (int round = 0; round < 400; ++round) {
    // With a sign it must not overflow; without, it may.
    bool wraps = pick(3) != 0;
    std::string step = std::to_string(1 + pick(5)), factor = std::to_string(1 + pick(4));
    const std::string type = std::vector<std::string>{"uint32_t", "uint64_t", "uint32_t"}[pick(3)];
    const std::string outer = std::vector<std::string>{"int32_t", "uint32_t", "uint8_t", "int64_t"}[pick(4)];
    std::string sum = wraps ? "(" + outer + ") ((" + type + ") n * (" + type + ") " + factor +
                                  (pick(2) ? " + " : " - ") + "(" + type + ") i * (" + type + ") " + step + ")"
                            : "(n * " + factor + (pick(2) ? " + " : " - ") + "i * " + step + ")";
    std::string bound = pick(4) == 0 ? "(n > 3 ? 5 : 2)" : bounds[pick(bounds.size())];
    std::string condition = sum + " " + operators[pick(operators.size())] + " " + bound;
    std::string trips = pick(4) == 0 ? (wraps ? "20" : "n") : std::to_string(1 + pick(12));
    Analysed kernel(guarded(trips, condition));
    if (!kernel.program->conditions[guardOf(kernel)])
      continue;
    bool once = changesOnce(kernel);
    CAPTURE(trips, condition, once);
    for (std::int64_t n : wraps ? edges : small) {
      std::size_t count = changes(kernel, n);
      CAPTURE(n, count);
      if (once)
        CHECK(count <= 1);
      changed += once && count == 1;
      open += !once && count > 1;
    }
    said += once;
  }
  CHECK(said > 100);
  CHECK(changed > 500);
  CHECK(open > 20);
}

namespace {

/// `declarations` and then `before`, in which `if (condition) { TADD(a, b, c); // asked` stands at ASKED. "yes", "no"
/// or "open": what the branch is decided to.
std::string outcomeOf(std::string body, const std::string &condition) {
  std::size_t at = body.find("ASKED");
  body.replace(at, 5, "if (" + condition + ") {\n    TADD(a, b, c); // asked\n  } else {\n    TADD(b, a, c);\n  }\n");
  Analysed kernel(smallBody(body));
  const Program &program = *kernel.program;
  for (const Node &node : program.nodes)
    if (node.statement->line == kernel.line("// asked")) {
      BlockId test = program.graph->predecessors(node.block).at(0);
      std::set<BlockId> to;
      for (StepId step : program.order)
        if (program.blockOf[step] == test)
          for (const Edge &edge : program.edges[step])
            to.insert(program.blockOf[edge.to]);
      return to.size() > 1 ? "open" : to.count(node.block) ? "yes" : "no";
    }
  throw std::runtime_error("nothing is asked");
}

std::string behindReturn(const std::string &returns, const std::string &asked) {
  return outcomeOf("  uint32_t u = (uint32_t) n;\n  size_t w = (size_t) n;\n  if (" + returns +
                       ") {\n    return;\n  }\n  ASKED",
                   asked);
}

/// True if whoever comes to the only loop goes round at least once.
bool goesRound(const std::string &body) {
  Analysed kernel(smallBody(body));
  const Program &program = *kernel.program;
  BlockId header = program.graph->loops().at(0).header;
  for (StepId step : program.order)
    for (const Edge &edge : program.edges[step])
      if (program.blockOf[edge.to] == header && edge.around == kNone)
        return false;
  return true;
}

} // namespace

TEST_CASE("implied condition: one comparison answers its like", "[implied]") {
  struct Case {
    const char *returns, *asked, *outcome;
  };
  for (const Case &c : {Case{"n < 3", "n < 3", "no"}, Case{"n < 3", "n >= 3", "yes"}, Case{"n < 3", "3 <= n", "yes"},
                        Case{"n < 3", "n == 2", "no"}, Case{"n < 3", "n == 3", "open"}, Case{"n < 3", "n > 2", "yes"},
                        Case{"n < 3", "n > 3", "open"}, Case{"n < 3", "n > 0", "yes"}, Case{"n != 7", "n == 7", "yes"},
                        Case{"n != 7", "n > 6", "yes"}, Case{"n == 7", "n != 7", "yes"},
                        Case{"n == 7", "n > 6", "open"}, Case{"!(n > 5)", "n <= 4", "no"},
                        Case{"n > 5", "n + 1 > 6", "open"}, Case{"n >= 2147483647", "n < 2147483647", "yes"}}) {
    CAPTURE(c.returns, c.asked);
    CHECK(behindReturn(c.returns, c.asked) == c.outcome);
  }
}

TEST_CASE("implied condition: a number without sign that is not 0 is above it", "[implied]") {
  for (const char *zero : {"u == 0", "u <= 0", "0 >= u", "u < 1", "w == 0", "1 > w"})
    for (const char *asked : {"== 0", "<= 0", "< 1"}) {
      CAPTURE(zero, asked);
      std::string variable(1, std::string(zero).find('u') != std::string::npos ? 'u' : 'w');
      CHECK(behindReturn(zero, variable + " " + asked) == "no");
      CHECK(behindReturn(zero, variable + " > 0") == "yes");
    }
  CHECK(behindReturn("n == 0", "n <= 0") == "open");
  CHECK(behindReturn("w == 7", "w > 7") == "open");
}

TEST_CASE("implied condition: bounds of two sides", "[implied]") {
  CHECK(outcomeOf("  int32_t m = n * 3;\n  if (n > 10) {\n    if (m < 5) {\n      ASKED    }\n  }\n", "m < n") ==
        "yes");
  CHECK(outcomeOf("  int32_t m = n * 3;\n  if (n > 10) {\n    if (m < 5) {\n      ASKED    }\n  }\n", "m + n < 0") ==
        "open");
}

TEST_CASE("implied condition: what has changed since says nothing", "[implied]") {
  CHECK(outcomeOf("  int32_t m = n;\n  if (m > 3) {\n    m = m - 1;\n    ASKED  }\n", "m > 3") == "open");
  // Of another iteration.
  std::string loop =
      "  int32_t k = n;\n  for (int32_t i = 0; i < n; ++i) {\n    float x = in[i];\n    bool big = x > 1.0f;\n";
  CHECK(outcomeOf(loop + "    if (big) {\n      ASKED    }\n  }\n", "big") == "yes");
  CHECK(
      outcomeOf(loop + "    if (i > 3) {\n      for (int32_t j = 0; j < n; ++j) {\n        ASKED      }\n    }\n  }\n",
                "i > 3") == "yes");
  CHECK(outcomeOf("  bool big = false;\n  for (int32_t i = 0; i < n; ++i) {\n    big = in[i] > 1.0f;\n    if (big) {\n"
                  "      break;\n    }\n  }\n  ASKED",
                  "big") == "open");
  CHECK(outcomeOf("  int32_t i = 0;\n  while (true) {\n    if (i > 5) {\n      break;\n    }\n    ++i;\n  }\n  ASKED",
                  "i > 5") == "open"); // behind the loop it is what the last iteration left
  // Only one of the ways leads here.
  CHECK(outcomeOf("  if (n > 3) {\n    TADD(c, a, b);\n  }\n  ASKED", "n > 3") == "open");
}

TEST_CASE("implied condition: a loop that is entered where its first test holds", "[implied]") {
  auto loop = [](const std::string &head) { return "    for (" + head + ") {\n      TADD(a, b, c);\n    }\n"; };
  auto inside = [](const std::string &guard, const std::string &loop) {
    return "  uint32_t first = (uint32_t) n, end = (uint32_t) get_block_num();\n  if (" + guard + ") {\n" + loop +
           "  }\n";
  };
  CHECK(goesRound(inside("n > 0", loop("int32_t i = 0; i < n; ++i"))));
  CHECK(goesRound(inside("n >= 1", loop("int32_t i = 0; i < n; ++i"))));
  CHECK(goesRound(inside("first < end", loop("uint32_t i = first; i < end; ++i"))));
  CHECK(goesRound(inside("end > first", loop("uint32_t i = first; i < end; i += 2"))));
  CHECK_FALSE(goesRound(inside("n >= 0", loop("int32_t i = 0; i < n; ++i"))));
  CHECK_FALSE(goesRound(inside("first <= end", loop("uint32_t i = first; i < end; ++i"))));
  CHECK_FALSE(goesRound(inside("first < end", loop("uint32_t i = first + 1; i < end; ++i"))));
  CHECK_FALSE(goesRound(inside("first < end", loop("int32_t i = (int32_t) first; i < (int32_t) end; ++i"))));
}

TEST_CASE("implied condition: the same number, and the same question", "[implied]") {
  ScalarAlgebra algebra;
  IntegerType u32{32, false};
  ScalarValue x = algebra.opaque("x", kNone, u32, intervalOf(u32)),
              y = algebra.opaque("y", kNone, u32, intervalOf(u32));
  ScalarValue wrapped = x;
  wrapped.modulus = std::uint64_t{1} << 32;
  CHECK(describeSame(x, wrapped));
  CHECK_FALSE(describeSame(x, y));
  ScalarValue loose = x;
  loose.modulus = 256;
  CHECK_FALSE(describeSame(x, loose)); // one of many
  ScalarValue low = loose, high = loose;
  low.interval = {0, 255};
  high.interval = {256, 511};
  CHECK_FALSE(describeSame(low, high));
  CHECK(asksSame({Operator::Less, x, y}, {Operator::Greater, y, x}) == true);
  CHECK(asksSame({Operator::Less, x, y}, {Operator::LessEqual, y, x}) == false);
  CHECK(asksSame({Operator::Less, x, y}, {Operator::LessEqual, x, y}) == std::nullopt);
  CHECK(asksSame({Operator::Equal, x, y}, {Operator::NotEqual, y, x}) == false);
  ScalarValue zero = algebra.constant(0, u32), one = algebra.constant(1, u32);
  CHECK(asksSame({Operator::Equal, x, zero}, {Operator::Less, x, one}) == true);
  CHECK(asksSame({Operator::Less, zero, x}, {Operator::LessEqual, x, zero}) == false);
}
