#include "explain/edited_program.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string chain() {
  return fourTiles("  TADDS(a, b, 1.0f); // first\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, a, 1.0f); // second\n"
                   "  pipe_barrier(PIPE_V); // two\n  TADDS(d, c, 1.0f); // third\n");
}

std::size_t opened(const Explained &kernel, const SyncChange &change) {
  EditedProgram edited(kernel.module.kernels[0], machineOf("a3"), {}, change);
  Pending pending(edited.program());
  return newlyOpen(kernel.file->kernels()[0].pending(), pending).size();
}

} // namespace

TEST_CASE("edited program: nodes and bits keep their numbers, events close up") {
  Explained kernel(chain());
  const Program &untouched = kernel.file->kernels()[0].program();
  EditedProgram edited(kernel.module.kernels[0], machineOf("a3"), {}, {{kernel.site("// one")}, std::nullopt});
  const Program &program = edited.program();
  REQUIRE(program.nodes.size() == untouched.nodes.size());
  CHECK(program.bits == untouched.bits);
  CHECK(program.flags == untouched.flags);
  for (NodeId id = 0; id < program.nodes.size(); ++id) {
    CHECK(program.nodes[id].statement == untouched.nodes[id].statement);
    CHECK(program.steps[program.nodes[id].block][program.nodes[id].event].node == id);
  }
  EventKey one = kernel.file->kernels()[0].pending().eventsOf(kernel.site("// one")).at(0);
  EventKey behind{one.first, one.second + 1};
  CHECK(edited.keyOf(one) == one); // what follows it has moved up
  CHECK(edited.keyOf(behind) == one);
}

TEST_CASE("edited program: what an edit opens") {
  Explained kernel(chain());
  CHECK(opened(kernel, {}) == 0);
  CHECK(opened(kernel, {{kernel.site("// one")}, std::nullopt}) == 1);
  CHECK(opened(kernel, {{kernel.site("// one"), kernel.site("// two")}, std::nullopt}) == 2);
  // Another barrier in its place, on the right and on the wrong pipe.
  EventKey one = kernel.file->kernels()[0].pending().eventsOf(kernel.site("// one")).at(0);
  BlockId block = kernel.file->kernels()[0].program().blockOf[one.first];
  auto replaced = [&](std::uint32_t event, Pipe pipe) {
    return opened(kernel, {{kernel.site("// one")}, SyncChange::Barrier{block, event, pipe}});
  };
  CHECK(replaced(one.second, Pipe::V) == 0);
  CHECK(replaced(one.second, Pipe::All) == 0);
  CHECK(replaced(one.second, Pipe::MTE2) == 1);
  CHECK(replaced(one.second + 2, Pipe::V) == 1); // behind the reader
}

TEST_CASE("edited program: copies of a loop's phases are edited alike") {
  Explained kernel(
      fourTiles("  for (int32_t i = 0; i < n; ++i) {\n    event_t e = (event_t) (i % 2 == 0 ? 0 : 1);\n"
                "    TLOAD(a, g);\n    set_flag(PIPE_MTE2, PIPE_V, e);\n    wait_flag(PIPE_MTE2, PIPE_V, e);\n"
                "    TADDS(b, a, 1.0f);\n    pipe_barrier(PIPE_ALL); // all\n  }\n"));
  const Program &untouched = kernel.file->kernels()[0].program();
  REQUIRE(untouched.steps.size() > untouched.kernel->blocks.size());
  EditedProgram edited(kernel.module.kernels[0], machineOf("a3"), {}, {{kernel.site("// all")}, std::nullopt});
  for (const std::vector<Event> &events : edited.program().steps)
    for (const Event &event : events)
      CHECK(event.site != kernel.site("// all"));
}
