#include "ordering/implied_condition.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
