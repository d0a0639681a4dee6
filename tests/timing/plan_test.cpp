#include "timing/plan.h"

#include "timing/timed.h"

using namespace ptosync;
using namespace ptosync::test;
using timing::Operation;

namespace {

timing::Plan planOf(Replayed &kernel, replay::Skipping skipping = replay::Skipping::Allowed) {
  kernel.run({}, skipping);
  return timing::makePlan(*kernel.subject, kernel.trace, machineOf("a3"), kernel.rules, costsOf());
}

/// Positions of what the n-th instruction depends on, among the instructions.
std::vector<std::size_t> dependencesOf(const timing::Plan &plan, std::size_t instruction) {
  std::vector<std::uint32_t> works;
  for (std::uint32_t i = 0; i < plan.operations.size(); ++i)
    if (plan.operations[i].kind == Operation::Kind::Work)
      works.push_back(i);
  std::vector<std::size_t> found;
  const Operation &operation = plan.operations[works.at(instruction)];
  for (std::uint32_t d = operation.dependences; d < operation.dependencesEnd; ++d)
    found.push_back(
        static_cast<std::size_t>(std::find(works.begin(), works.end(), plan.dependences[d]) - works.begin()));
  return found;
}

} // namespace

TEST_CASE("plan: an instruction depends on the latest of those whose bytes it touches") {
  Replayed kernel(vectorKernel(tile("v1", "float", 1, 1024, 0) + tile("v2", "float", 1, 1024, 4096) +
                               tile("v3", "float", 1, 1024, 2048) + tensor("a", "in", "0") + tensor("b", "out", "0") +
                               "  TLOAD(v1, a);\n"     // 0
                               "  TEXP(v2, v1);\n"     // 1: RAW
                               "  TLOAD(v3, a);\n"     // 2: half of v1 and of v2
                               "  TSTORE(b, v2);\n")); // 3
  timing::Plan plan = planOf(kernel);
  CHECK(dependencesOf(plan, 0).empty());
  CHECK(dependencesOf(plan, 1) == std::vector<std::size_t>{0});
  CHECK(dependencesOf(plan, 2) == std::vector<std::size_t>{0, 1});
  CHECK(dependencesOf(plan, 3) == std::vector<std::size_t>{1, 2});
}

TEST_CASE("plan: what the machine orders by itself is no dependence") {
  std::string body = tile("v1", "float", 1, 1024, 0) + tile("v2", "float", 1, 512, 0);
  Replayed exact(vectorKernel(body + "  TEXP(v1, v1);\n  TEXP(v1, v1);\n")); // 16 repeats, the same access
  CHECK(dependencesOf(planOf(exact), 1).empty());
  Replayed part(vectorKernel(body + "  TEXP(v1, v1);\n  TEXP(v2, v2);\n"));
  CHECK(dependencesOf(planOf(part), 1) == std::vector<std::size_t>{0});
}

TEST_CASE("plan: global memory counts where it is written") {
  std::string body = tile("v1", "float", 1, 1024, 0) + tile("v2", "float", 1, 1024, 4096) + tensor("a", "in", "0") +
                     tensor("b", "in", "1");
  Replayed reads(vectorKernel(body + "  TLOAD(v1, a);\n  TLOAD(v2, a);\n"));
  CHECK(dependencesOf(planOf(reads), 1).empty());
  Replayed apart(vectorKernel(body + "  TSTORE(a, v1);\n  TLOAD(v2, b);\n"));
  CHECK(dependencesOf(planOf(apart), 1).empty());
  Replayed same(vectorKernel(body + "  TSTORE(a, v1);\n  TLOAD(v2, a);\n"));
  CHECK(dependencesOf(planOf(same), 1) == std::vector<std::size_t>{0});
}

TEST_CASE("plan: iterations that are left out are counted by the last period") {
  std::string body =
      tile("v1", "float", 1, 512, 0) +
      "  for (int32_t i = 0; i < 100; i += 1) {\n    TADDS(v1, v1, 1.0f);\n    pipe_barrier(PIPE_V);\n  }\n";
  Replayed kernel(vectorKernel(body));
  timing::Plan plan = planOf(kernel);
  CHECK(plan.extrapolated);
  double works = 0, barriers = 0;
  for (const Operation &operation : plan.operations) {
    works += operation.kind == Operation::Kind::Work ? operation.weight : 0;
    barriers += operation.kind == Operation::Kind::Barrier && operation.pipe == Pipe::V ? operation.weight : 0;
  }
  CHECK(works == 100);
  CHECK(barriers == 100);
  CHECK(plan.operations.size() < 60);
  timing::Plan whole = planOf(kernel, replay::Skipping::Forbidden);
  CHECK_FALSE(whole.extrapolated);
  CHECK(timing::runEngine(plan, {}).cycles == Approx(timing::runEngine(whole, {}).cycles));
}

TEST_CASE("plan: nested loops that are left out multiply") {
  std::string body = tile("v1", "float", 1, 512, 0) +
                     "  for (int32_t i = 0; i < 30; i += 1)\n    for (int32_t j = 0; j < 40; j += 1) {\n"
                     "      TADDS(v1, v1, 1.0f);\n      pipe_barrier(PIPE_V);\n    }\n";
  Replayed kernel(vectorKernel(body));
  double works = 0;
  for (const Operation &operation : planOf(kernel).operations)
    works += operation.kind == Operation::Kind::Work ? operation.weight : 0;
  CHECK(works == 1200);
}
