#include "ordering/sync_layout.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Five syncs in one step; `run` gives the marks of what is left, in order.
class Straight {
public:
  Straight()
      : kernel(vectorKernel(rowsAt("a", 4, "0") +
                            "  TADDS(a, a, 1.0f); // A\n  pipe_barrier(PIPE_V); // B\n"
                            "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // C\n  TADDS(a, a, 2.0f); // D\n"
                            "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // E\n")) {}

  EventKey key(const std::string &mark) const { return kernel.pending->eventsOf(kernel.site(mark)).at(0); }
  SiteId site(const std::string &mark) const { return kernel.site(mark); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel.program->steps[step()].size()); }
  StepId step() const { return key("// B").first; }
  EventKey end() const { return {step(), count()}; }

  std::string run(const SyncLayout &layout, std::uint32_t first = 0) const {
    std::string marks;
    layout.forEachFrom(*kernel.program, step(), first, [&](EventKey, const Event &event) {
      for (const char *mark : {"A", "B", "C", "D", "E"})
        if (event.statement->line == kernel.line(std::string("// ") + mark))
          marks += mark;
      return true;
    });
    return marks;
  }

  Analysed kernel;
};

} // namespace

TEST_CASE("sync layout: without edits it is the program", "[layout]") {
  Straight straight;
  SyncLayout layout;
  CHECK(straight.run(layout) == "ABCDE");
  CHECK(layout.placesOf(straight.key("// C")) == std::vector{straight.key("// C")});
  CHECK_FALSE(layout.moved(straight.key("// C")));
  CHECK(layout.insertedAt(straight.key("// C")).empty());
  CHECK_FALSE(layout.removed(kNone)); // a sync inside a library call is no site
}

TEST_CASE("sync layout: removed sites are left out, moved events keep their key", "[layout]") {
  Straight straight;
  SyncLayout layout;
  layout.apply({{straight.site("// B")}, {}});
  CHECK(straight.run(layout) == "ACDE");
  layout.apply({{}, {{straight.key("// E"), {straight.key("// C")}}}});
  CHECK(straight.run(layout) == "AECD");
  CHECK(layout.placesOf(straight.key("// E")) == std::vector{straight.key("// C")});
  CHECK(layout.moved(straight.key("// E")));
  // In front of an event that is out itself, and out after it moved.
  layout.apply({{}, {{straight.key("// C"), {straight.key("// B")}}}});
  CHECK(straight.run(layout) == "ACED");
  layout.apply({{straight.site("// E")}, {}});
  CHECK(straight.run(layout) == "ACD");
}

TEST_CASE("sync layout: arrivals at one place stand in the order in which they came", "[layout]") {
  Straight straight;
  SyncLayout first, second;
  first.apply({{}, {{straight.key("// B"), {straight.end()}}}});
  first.apply({{}, {{straight.key("// C"), {straight.end()}}}});
  CHECK(straight.run(first) == "ADEBC");
  second.apply({{}, {{straight.key("// C"), {straight.end()}}}});
  second.apply({{}, {{straight.key("// B"), {straight.end()}}}});
  CHECK(straight.run(second) == "ADECB");
  // Moved on, an event is no longer where it was put before.
  second.apply({{}, {{straight.key("// C"), {straight.key("// E")}}}});
  CHECK(straight.run(second) == "ADCEB");
  // A place in front of an event that has itself moved away stays where it was.
  second.apply({{}, {{straight.key("// B"), {straight.key("// C")}}}});
  CHECK(straight.run(second) == "ABDCE");
}

TEST_CASE("sync layout: from a position on, with what was put in front of it", "[layout]") {
  Straight straight;
  SyncLayout layout;
  std::uint32_t store = straight.key("// C").second;
  CHECK(straight.run(layout, store) == "CDE");
  layout.apply({{}, {{straight.key("// E"), {straight.key("// C")}}, {straight.key("// B"), {straight.end()}}}});
  CHECK(straight.run(layout, store) == "ECDB");
  CHECK(straight.run(layout, straight.count()) == "B"); // behind all
  CHECK(straight.run(layout, 0) == "AECDB");
}

TEST_CASE("sync layout: a visit that has seen enough stops", "[layout]") {
  Straight straight;
  SyncLayout layout;
  layout.apply({{}, {{straight.key("// E"), {straight.key("// B")}}}});
  int seen = 0;
  layout.forEach(*straight.kernel.program, straight.step(), [&](EventKey, const Event &event) {
    ++seen;
    return event.kind != Event::Kind::Wait;
  });
  CHECK(seen == 2);
}

TEST_CASE("sync layout: a copy of a settled one is edited on its own", "[layout]") {
  Straight straight;
  SyncLayout layout;
  layout.apply({{}, {{straight.key("// B"), {straight.end()}}, {straight.key("// E"), {straight.key("// C")}}}});
  layout.settle();
  CHECK(straight.run(layout) == "AECDB");
  SyncLayout copy = layout;
  // From a settled place and to one, beside what is there.
  copy.apply({{}, {{straight.key("// E"), {straight.end()}}, {straight.key("// C"), {straight.end()}}}});
  CHECK(straight.run(copy) == "ADBCE");
  CHECK(straight.run(layout) == "AECDB");
  CHECK_FALSE(layout.moved(straight.key("// C")));
  copy.settle();
  CHECK(straight.run(copy) == "ADBCE");
  CHECK(copy.placesOf(straight.key("// E")) == std::vector{straight.end()});
  CHECK(copy.insertedAt(straight.key("// C")).empty());
  copy.settle(); // nothing new
  CHECK(straight.run(copy) == "ADBCE");
}
