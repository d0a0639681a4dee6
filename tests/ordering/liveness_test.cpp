#include "ordering/liveness.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

struct Live {
  explicit Live(const std::string &statements)
      : kernel(vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + statements)),
        liveness(*kernel.program, layout, kernel.pending->tokens()) {}

  EventKey at(const std::string &mark) const {
    const Node &node = kernel.program->nodes[kernel.nodes(mark).at(0)];
    return {node.block, node.event};
  }
  /// The ids of MTE2 to V that are set in front of the marked statement, "0 3".
  std::string ids(const std::string &mark) const {
    std::string text;
    for (std::uint32_t flag : liveness.liveAt(at(mark)))
      text += (text.empty() ? "" : " ") + std::to_string(kernel.program->flags[flag].id);
    return text;
  }
  std::size_t freeIds(const std::string &mark, Pipe source = Pipe::MTE2, Pipe destination = Pipe::V) const {
    return liveness.freeIds(at(mark), source, destination).size();
  }

  Analysed kernel;
  SyncLayout layout;
  FlagLiveness liveness;
};

std::string set(int id) { return "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID" + std::to_string(id) + ");\n"; }
std::string wait(int id) { return "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID" + std::to_string(id) + ");\n"; }
const std::string kMarked = "  TADDS(a, b, 1.0f); // here\n";

} // namespace

TEST_CASE("liveness: from the set to the wait", "[liveness]") {
  CHECK(Live(kMarked + set(0) + wait(0)).ids("// here") == "");
  CHECK(Live(set(0) + kMarked + wait(0)).ids("// here") == "0");
  CHECK(Live(set(0) + set(3) + kMarked + wait(0) + wait(3)).ids("// here") == "0 3");
  CHECK(Live(set(0) + wait(0) + kMarked).ids("// here") == "");
  CHECK(Live(set(0) + "  if (n > 3) {\n" + wait(0) + "  }\n" + kMarked).ids("// here") == "0"); // on one path
  CHECK(Live(set(0) + "  for (int32_t i = 0; i < n; ++i) {\n" + kMarked + wait(0) + set(0) + "  }\n" + wait(0))
            .ids("// here") == "0");
}

TEST_CASE("liveness: free ids", "[liveness]") {
  Live live(set(0) + set(3) + kMarked + wait(0) + wait(3));
  CHECK(live.freeIds("// here") == 6);
  CHECK(live.liveness.freeIds(live.at("// here"), Pipe::MTE2, Pipe::V).count(1));
  CHECK_FALSE(live.liveness.freeIds(live.at("// here"), Pipe::MTE2, Pipe::V).count(3));
  CHECK(live.freeIds("// here", Pipe::V, Pipe::MTE2) == 8); // another pair
  CHECK(live.freeIds("set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)") == 8);
}

TEST_CASE("liveness: ids that a library call uses inside are not free there", "[liveness]") {
  Live live("  MGATHER(a, g, b); // call\n" + kMarked);
  CHECK(live.freeIds("// call", Pipe::V, Pipe::S) < 8);
  CHECK(live.freeIds("// here", Pipe::V, Pipe::S) == 8);
}

TEST_CASE("liveness: pressure is the most that are set at once", "[liveness]") {
  CHECK(Live(set(0) + wait(0) + set(1) + wait(1) + kMarked).liveness.pressure(Pipe::MTE2, Pipe::V) == 1);
  CHECK(Live(set(0) + set(1) + set(2) + wait(0) + wait(1) + wait(2)).liveness.pressure(Pipe::MTE2, Pipe::V) == 3);
  CHECK(Live(kMarked).liveness.pressure(Pipe::MTE2, Pipe::V) == 0);
  CHECK(Live(set(0) + wait(0)).liveness.pressure(Pipe::V, Pipe::MTE2) == 0);
}

TEST_CASE("liveness: after edits", "[liveness]") {
  Live live(set(0) + set(1) + kMarked +
            "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // one\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // zero\n");
  SyncLayout edited;
  edited.apply({{0, live.kernel.site("// zero")}, {}}); // the first site sets id 0
  TokenStates tokens(*live.kernel.program, edited);
  FlagLiveness after(*live.kernel.program, edited, tokens);
  REQUIRE(after.liveAt(live.at("// here")).size() == 1);
  CHECK(live.kernel.program->flags[after.liveAt(live.at("// here"))[0]].id == 1);
}
