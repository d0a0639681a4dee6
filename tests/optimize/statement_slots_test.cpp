#include "optimize/statement_slots.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

constexpr std::size_t kAll = 1000;

std::vector<Slot> slotsAround(const Analysed &kernel, EventKey event, std::size_t reach) {
  return StatementSlots(*kernel.program, *kernel.pending, kernel.module.sites).around(event, reach)->slots;
}

/// What the slots around the marked sync stand in front of, by the mark that ends the line: "ABC"; a line without a
/// mark is a dot.
std::string slots(const std::string &text, const std::string &mark, std::size_t which = 0, std::size_t reach = kAll) {
  Analysed kernel(text);
  std::string marks;
  for (const Slot &slot : slotsAround(kernel, kernel.pending->eventsOf(kernel.site(mark)).at(which), reach)) {
    std::string_view line = kernel.module.source.line(kernel.module.source.position(slot.offset).line);
    bool marked = line.size() > 4 && line.substr(line.size() - 4, 3) == "// ";
    marks += marked ? line.back() : '.';
  }
  return marks;
}

std::string body(const std::string &statements) {
  // Without the end fence, whose two statements would have slots too.
  std::string text = vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + statements);
  return text.replace(text.find("  pipe_barrier(PIPE_ALL);\n  dsb"), std::string::npos, "}\n");
}

const std::string kSet = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n",
                  kWait = "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // W\n";
std::string add(char mark) { return std::string("  TADDS(a, b, 1.0f); // ") + mark + "\n"; }

} // namespace

TEST_CASE("slots: the statements of one list, the sync's own included", "[slots]") {
  CHECK(slots(body(add('A') + "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // S\n" + kWait + add('B') + add('C')),
              "// W") == "ASWBC");
  // Declarations and scalar work run nothing, so there is nothing to stand in front of.
  CHECK(slots(body("  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // S\n  int32_t x = n + 1;\n" + kWait + add('B')),
              "// W") == "SWB");
}

TEST_CASE("slots: whole branches and loops are passed as one", "[slots]") {
  CHECK(slots(body(kWait + "  if (n > 3) { // I\n" + add('A') + "  }\n" + add('B')), "// W") == "WIB");
  CHECK(slots(body(kWait + "  if (n > 3) { // I\n" + add('A') + "  } else {\n" + add('C') + "  }\n" + add('B')),
              "// W") == "WIB");
  CHECK(slots(body(kWait + "  for (int32_t i = 0; i < n; ++i) { // L\n" + add('A') + "  }\n" + add('B')), "// W") ==
        "WLB");
  // From behind: what stands above a loop is a place too, what stands in it is none.
  CHECK(slots(body(add('A') + "  for (int32_t i = 0; i < n; ++i) { // L\n" + add('B') + "  }\n" + kWait), "// W") ==
        "ALW");
}

TEST_CASE("slots: inside a loop or an arm, only what is in it", "[slots]") {
  CHECK(
      slots(body(add('A') + "  for (int32_t i = 0; i < n; ++i) {\n" + add('B') + kWait + add('C') + "  }\n" + add('D')),
            "// W") == "BWC");
  CHECK(slots(body(add('A') + "  if (n > 3) {\n" + add('B') + kWait + "  } else {\n" + add('C') + "  }\n" + add('D')),
              "// W") == "BW");
  CHECK(slots(body(add('A') + "  {\n" + add('B') + kWait + "  }\n" + add('D')), "// W") == "BW"); // a list of its own
}

TEST_CASE("slots: a place that may be left before it, or entered behind it, is none", "[slots]") {
  CHECK(slots(body(kWait + add('A') + "  if (n > 3) return;\n" + add('B')), "// W").find('B') == std::string::npos);
  CHECK(slots(body("  for (int32_t i = 0; i < n; ++i) {\n" + kWait + add('A') + "  if (i == 3) break;\n" + add('B') +
                   "  }\n"),
              "// W")
            .find('B') == std::string::npos);
  CHECK(slots(body("  for (int32_t i = 0; i < n; ++i) {\n" + add('B') + "  if (i == 3) continue;\n" + kWait + add('A') +
                   "  }\n"),
              "// W") == "WA");
}

TEST_CASE("slots: labels have none, nor has a sync with a keep comment", "[slots]") {
  CHECK(slots(body(kWait + "  goto there;\nthere:\n" + add('A') + add('B')), "// W").find('B') != std::string::npos);
  CHECK(slots(body(kWait + add('A') + "  // ptosync: keep(timing)\n  pipe_barrier(PIPE_V); // K\n" + add('B')),
              "// W") == "WAB");
}

TEST_CASE("slots: a sole body and a moved statement have none", "[slots]") {
  Analysed kernel(body(kWait + add('A')));
  EventKey wait = kernel.pending->eventsOf(kernel.site("// W"))[0];
  const Node &node = kernel.program->nodes[kernel.node("// A")];
  SyncEdit edit{{}, {{wait, {EventKey{node.block, node.event + 1}}}}};
  // The flag is never set: a fault that the trial refuses; a set makes it whole.
  Analysed whole(body(kSet + kWait + add('A') + add('B')));
  wait = whole.pending->eventsOf(whole.site("// W"))[0];
  const Node &behind = whole.program->nodes[whole.node("// B")];
  REQUIRE(whole.pending->tryEdit({{}, {{wait, {EventKey{behind.block, behind.event}}}}}).allowed);
  whole.pending->commit();
  CHECK(slotsAround(whole, wait, kAll).empty());
  CHECK_FALSE(kernel.pending->tryEdit(edit).allowed);
}

TEST_CASE("slots: a helper's own list, once for each call", "[slots]") {
  std::string text =
      "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void helper(int64_t at) {\n" +
      rowsAt("x", 4, "at") + "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // S\n" + kWait +
      "  TADDS(x, x, 1.0f); // A\n}\n"
      "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n  helper(0); // C\n  helper(1024); // D\n}\n";
  CHECK(slots(text, "// W", 0) == "SWA");
  CHECK(slots(text, "// W", 1) == "SWA");
}

TEST_CASE("slots: what is passed between two of them", "[slots]") {
  Analysed kernel(body(kWait + add('A') + "  if (n > 3) { // I\n" + add('B') + add('C') + "  }\n" + add('D')));
  std::vector<Slot> found = slotsAround(kernel, kernel.pending->eventsOf(kernel.site("// W"))[0], kAll);
  REQUIRE(found.size() == 4); // W A I D
  auto passed = [&](std::size_t slot) {
    std::string marks;
    for (const Event *event : found[slot].passed)
      marks += kernel.module.source.line(event->statement->line).back();
    return marks;
  };
  CHECK(passed(1) == "W");
  CHECK(passed(2) == "A");
  CHECK(passed(3) == "BC");
}

TEST_CASE("slots: the near ones of a long list are those of the whole list", "[slots]") {
  // A loop and a branch on the way: the list runs through several steps.
  std::string statements;
  for (int i = 0; i < 60; ++i) {
    statements += add('A') + add('B');
    if (i % 3 == 0)
      statements += "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
    if (i == 20)
      statements += "  for (int32_t j = 0; j < n; ++j) {\n" + add('C') + "  }\n";
    if (i == 40)
      statements += "  if (n > 3) {\n" + add('D') + "  }\n";
  }
  Analysed kernel(body(statements));
  StatementSlots near(*kernel.program, *kernel.pending, kernel.module.sites),
      all(*kernel.program, *kernel.pending, kernel.module.sites);
  std::size_t parts = 0;
  for (std::size_t reach : {1u, 4u, 11u})
    for (SiteId site = 0; site < kernel.module.sites.size(); ++site)
      for (EventKey key : kernel.pending->eventsOf(site)) {
        std::uint32_t offset = kernel.module.sites[site].range.begin;
        std::shared_ptr<const SlotList> part = near.around(key, reach), whole = all.around(key, kAll);
        std::size_t own = part->find(offset, kNone), wholeOwn = whole->find(offset, kNone);
        INFO("reach " << reach << ", line " << kernel.module.sites[site].line);
        REQUIRE(own < part->slots.size());
        std::size_t before = std::min(wholeOwn, reach), behind = std::min(whole->slots.size() - 1 - wholeOwn, reach);
        REQUIRE(own >= before);
        REQUIRE(part->slots.size() - own > behind);
        for (std::size_t i = 0; i <= before + behind; ++i) {
          const Slot &mine = part->slots[own - before + i], &other = whole->slots[wholeOwn - before + i];
          CHECK(mine.offset == other.offset);
          CHECK(mine.place.at == other.place.at);
          if (i > 0) // what is in front of the first one nobody passes
            CHECK(mine.passed == other.passed);
        }
        parts += part->slots.size() < whole->slots.size();
      }
  CHECK(parts > 50);
}
