#include "ordering/follow_instance.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// The instructions that the instance of the marked one meets, with the iterations since: "TADDS 0, TMULS 1".
std::string metBy(const Analysed &kernel, const std::string &mark, std::size_t mostSteps,
                  const std::string &stopAt = "", Onward then = Onward::Stop) {
  const Program &program = *kernel.program;
  std::string text;
  auto run = [&](StepId step, std::uint32_t first, const FollowedInstance &way) {
    for (std::uint32_t i = first; i < program.steps[step].size(); ++i) {
      const Event &event = program.steps[step][i];
      if (event.kind != Event::Kind::Access)
        continue;
      std::string name = std::get<Instruction>(event.statement->action).name;
      if (name[0] != 'T') // the kernel's end
        continue;
      text += (text.empty() ? "" : ", ") + name + " " + std::to_string(program.distanceOf(way.bit).count);
      if (name == stopAt)
        return then;
    }
    return Onward::Follow;
  };
  for (NodeId id = 0; id < program.nodes.size(); ++id)
    if (const Node &node = program.nodes[id]; node.statement->line == kernel.line(mark)) {
      followInstance(program, firstPlaceOf(program, id).value(), FollowedInstance{node.firstBit}, mostSteps, run);
      return text;
    }
  return "not found";
}

const std::string kFollowed = rowsAt("a", 16, "0") + rowsAt("b", 16, "8192") +
                              "  for (int i = 0; i < n; ++i) {\n"
                              "    TADDS(a, a, 1.0f); // start\n"
                              "    TMULS(b, b, 2.0f);\n"
                              "  }\n"
                              "  TEXP(a, b);\n";

} // namespace

TEST_CASE("an instance is followed forwards, older by each time round its loop, every step once") {
  Analysed kernel(vectorKernel(kFollowed));
  CHECK(metBy(kernel, "// start", 100) == "TMULS 0, TADDS 1, TMULS 1, TEXP 1");
}

TEST_CASE("an instance is followed no farther than asked") {
  Analysed kernel(vectorKernel(kFollowed));
  CHECK(metBy(kernel, "// start", 1) == "TMULS 0");
  CHECK(metBy(kernel, "// start", 100, "TADDS") == "TMULS 0, TADDS 1, TEXP 1");
  CHECK(metBy(kernel, "// start", 100, "TADDS", Onward::End) == "TMULS 0, TADDS 1");
  CHECK(metBy(kernel, "// start", 100, "TMULS") == "TMULS 0");
}
