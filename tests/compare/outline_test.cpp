#include "compare/compared.h"

using namespace ptosync;
using namespace ptosync::test;
using compare::Family;

namespace {

std::string outlineText(const std::string &body) {
  Module module = lift(vectorKernel(body));
  const Kernel &kernel = module.kernels.at(0);
  replay::LoopNest nest(kernel);
  std::string text;
  for (const compare::OutlineItem &item : compare::outlineOf(kernel, nest, machineOf("a3")).items)
    text += (text.empty() ? "" : " ") + (item.family == Family::Boundary ? "|" : item.kind) +
            (item.loop == kNone ? "" : "'");
  const std::string end = " pipe_barrier(PIPE_ALL) dsb"; // of vectorKernel
  REQUIRE(text.size() >= end.size());
  REQUIRE(text.substr(text.size() - end.size()) == end);
  return text.substr(0, text.size() - end.size());
}

} // namespace

TEST_CASE("outline: statements in reading order, scalar code left out") {
  CHECK(outlineText(threeTiles() +
                    "  int32_t i = 3;\n  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TEXP(v2, v1);\n") ==
        "TADDS pipe_barrier(PIPE_V) TEXP");
}

TEST_CASE("outline: a loop's body stands in front of what follows the loop, an arm in front of the join") {
  CHECK(outlineText(threeTiles() +
                    "  for (int32_t i = 0; i < n; ++i) {\n    TADDS(v1, v1, 1.0f);\n  }\n  TEXP(v2, v2);\n") ==
        "|' |' TADDS' | TEXP");
  CHECK(outlineText(threeTiles() +
                    "  if (n > 3) {\n    TADDS(v1, v1, 1.0f);\n  } else {\n    TMULS(v1, v1, 2.0f);\n  }\n"
                    "  TEXP(v2, v2);\n") == "| TADDS | TMULS | TEXP");
}

TEST_CASE("outline: the kind of a flag has no event id") {
  CHECK(outlineText(threeTiles() +
                    "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);\n") ==
        "set_flag(PIPE_V, PIPE_MTE3) wait_flag(PIPE_V, PIPE_MTE3)");
}

TEST_CASE("outline: the kinds of instructions in a loop, inner loops included") {
  Module module =
      lift(vectorKernel(threeTiles() + "  for (int32_t i = 0; i < n; ++i) {\n    TADDS(v1, v1, 1.0f);\n"
                                       "    for (int32_t j = 0; j < n; ++j) {\n      TEXP(v2, v2);\n    }\n  }\n"));
  replay::LoopNest nest(module.kernels.at(0));
  compare::Outline outline = compare::outlineOf(module.kernels.at(0), nest, machineOf("a3"));
  REQUIRE(outline.loops.size() == 2);
  CHECK(outline.outermost == std::vector<std::size_t>{0});
  CHECK(outline.loops[0].inner == std::vector<std::size_t>{1});
  CHECK(outline.loops[0].contents == std::map<std::string, double>{{"TADDS", 1}, {"TEXP", 1}});
  CHECK(outline.loops[1].contents == std::map<std::string, double>{{"TEXP", 1}});
}

TEST_CASE("outline: calls that signal and calls on FIFOs are counted apart") {
  Module module = lift(readText(corpusPath("flash_attention/kernel.cpp")));
  std::set<std::pair<Family, std::string>> found;
  for (const Kernel &kernel : module.kernels) {
    replay::LoopNest nest(kernel);
    for (const compare::OutlineItem &item : compare::outlineOf(kernel, nest, machineOf("a3")).items)
      found.emplace(item.family, item.kind);
  }
  CHECK(found.count({Family::Fifo, "TPUSH"}) == 1);
  CHECK(found.count({Family::Instruction, "TADD"}) == 1);
  CHECK(found.count({Family::Sync, "end fence"}) == 1);
}
