#include "ordering/web.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string set(const char *mark, int id = 0, const char *pipes = "PIPE_MTE2, PIPE_V") {
  return "  set_flag(" + std::string(pipes) + ", EVENT_ID" + std::to_string(id) + "); // " + mark + "\n";
}
std::string wait(const char *mark, int id = 0, const char *pipes = "PIPE_MTE2, PIPE_V") {
  return "  wait_flag(" + std::string(pipes) + ", EVENT_ID" + std::to_string(id) + "); // " + mark + "\n";
}
std::string loop(const std::string &inside) { return "  for (int32_t i = 0; i < n; ++i) {\n" + inside + "  }\n"; }

/// The webs as "AB|C": the marks, each a capital letter, that end their lines; "!" behind an unbalanced one.
std::string webs(const std::string &statements, const std::vector<std::string> &without = {}) {
  Analysed kernel(vectorKernel(statements));
  SyncLayout layout;
  for (const std::string &mark : without)
    layout.apply({{kernel.site("// " + mark)}, {}});
  TokenStates tokens(*kernel.program, layout);
  std::string result;
  for (const Web &web : findWebs(*kernel.program, layout, tokens)) {
    result += result.empty() ? "" : "|";
    for (SiteId site : web.sites())
      result += kernel.module.source.line(kernel.module.sites[site].line).back();
    if (!web.balanced) {
      result += "!";
      CHECK_FALSE(web.trouble.empty());
    }
  }
  return result;
}

} // namespace

TEST_CASE("web: uses of one id that never meet are webs of their own", "[webs]") {
  CHECK(webs(set("A") + wait("B") + set("C") + wait("D")) == "AB|CD");
  CHECK(webs(set("A") + set("B", 1) + wait("C") + wait("D", 1)) == "AC|BD");
  CHECK(webs(set("A") + set("B", 0, "PIPE_V, PIPE_MTE3") + wait("C", 0, "PIPE_V, PIPE_MTE3") + wait("D")) == "AD|BC");
  CHECK(webs("") == "");
}

TEST_CASE("web: branches", "[webs]") {
  CHECK(webs("  if (n > 3) {\n" + set("A") + "  } else {\n" + set("B") + "  }\n" + wait("C")) == "ABC");
  CHECK(webs(set("A") + "  if (n > 3) {\n" + wait("B") + "  } else {\n" + wait("C") + "  }\n") == "ABC");
  CHECK(webs(set("A") + "  if (n > 3) {\n" + wait("B") + set("C") + "  }\n" + wait("D")) == "ABCD");
  CHECK(webs("  if (n > 3) {\n" + set("A") + wait("B") + "  }\n" + set("C") + wait("D")) == "AB|CD");
}

TEST_CASE("web: a loop with prime and drain is one, a pair inside it another", "[webs]") {
  CHECK(webs(set("A") + loop(wait("B") + set("C")) + wait("D")) == "ABCD");
  CHECK(webs(loop(set("A") + wait("B"))) == "AB");
  CHECK(webs(set("A") +
             loop(wait("B") + set("C") + wait("D", 1, "PIPE_V, PIPE_MTE2") + set("E", 1, "PIPE_V, PIPE_MTE2")) +
             wait("F")) == "ABCF|DE!");
}

TEST_CASE("web: lanes of a loop that is expanded by phase", "[webs]") {
  const std::string lane = "    event_t id = (event_t) (i % 2 == 1 ? 1 : 0);\n";
  CHECK(webs(set("A") + set("B", 1) +
             loop(lane + "  wait_flag(PIPE_MTE2, PIPE_V, id); // C\n  set_flag(PIPE_MTE2, PIPE_V, id); // D\n") +
             wait("E") + wait("F", 1)) == "ABCDEF");
  // Two ids that follow the same lane are apart.
  CHECK(webs(loop(lane + "  set_flag(PIPE_MTE2, PIPE_V, id); // A\n  wait_flag(PIPE_MTE2, PIPE_V, id); // B\n") +
             set("C") + wait("D")) == "AB|CD");
}

TEST_CASE("web: what is not balanced", "[webs]") {
  CHECK(webs(set("A")) == "A!");
  CHECK(webs(wait("A")) == "A!");
  CHECK(webs(set("A") + set("B") + wait("C")) == "ABC!");
  CHECK(webs(set("A") + set("B")) == "AB!"); // the second may overwrite the first
  CHECK(webs("  if (n > 3) {\n" + set("A") + "  }\n" + wait("B")) == "AB!");
  CHECK(webs(loop(wait("A") + set("B"))) == "AB!");
  CHECK(webs(set("A") + loop(wait("B") + set("C"))) == "ABC!"); // not drained
  // The fault is of the flag: all webs that use it are left alone, others are not.
  CHECK(webs(set("A") + wait("B") + wait("C") + set("D", 1) + wait("E", 1)) == "AB!|C!|DE");
  CHECK(webs("  set_flag(PIPE_MTE2, PIPE_V, (event_t) (n & 1)); // A\n  wait_flag(PIPE_MTE2, PIPE_V, (event_t) (n & "
             "1)); // B\n") == "AB!");
}

TEST_CASE("web: after edits", "[webs]") {
  const std::string generations = set("A") + wait("B") + set("C") + wait("D");
  CHECK(webs(generations, {"B", "C"}) == "AD"); // one setting from the first to the last
  CHECK(webs(generations, {"A", "B"}) == "CD");
  CHECK(webs(generations, {"A", "B", "C", "D"}) == "");
}

TEST_CASE("web: what several kernels share is one", "[webs]") {
  auto web = [](std::vector<SiteId> sets, std::vector<SiteId> waits, bool balanced = true) {
    Web result;
    result.sets = std::move(sets);
    result.waits = std::move(waits);
    result.balanced = balanced;
    result.trouble = balanced ? "" : "because";
    result.ids = {static_cast<std::int64_t>(result.sets.size())};
    return result;
  };
  std::vector<Web> joined =
      joinWebs({{web({0}, {1}), web({4}, {5})}, {web({1 + 1}, {1}), web({6}, {7}, false)}, {web({4, 6}, {5, 7})}});
  REQUIRE(joined.size() == 2);
  CHECK(joined[0].sites() == std::set<SiteId>{0, 1, 2});
  CHECK(joined[0].balanced);
  CHECK(joined[1].sites() == std::set<SiteId>{4, 5, 6, 7}); // through the third kernel
  CHECK_FALSE(joined[1].balanced);
  CHECK(joined[1].trouble == "because");
  CHECK(joinWebs({}).empty());
}
