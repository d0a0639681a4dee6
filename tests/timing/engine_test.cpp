#include "timing/engine.h"
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

using timing::Operation;

namespace {

/// A plan spelled out: durations and dependences without a kernel.
class Written {
public:
  Written() { plan.issue = {1, 1}; }
  std::uint32_t work(Pipe pipe, double throughput, double latency, std::vector<std::uint32_t> after = {}) {
    Operation operation;
    operation.pipe = pipe;
    operation.throughput = throughput;
    operation.latency = latency;
    operation.dependences = static_cast<std::uint32_t>(plan.dependences.size());
    plan.dependences.insert(plan.dependences.end(), after.begin(), after.end());
    operation.dependencesEnd = static_cast<std::uint32_t>(plan.dependences.size());
    return add(operation);
  }
  std::uint32_t barrier(Pipe pipe, SiteId site) { return sync(Operation::Kind::Barrier, pipe, pipe, site); }
  std::uint32_t set(Pipe from, Pipe to, SiteId site) { return sync(Operation::Kind::Set, from, to, site); }
  std::uint32_t wait(Pipe from, Pipe to, SiteId site) { return sync(Operation::Kind::Wait, to, from, site); }
  timing::Timing run(std::vector<bool> ignored = {}, bool dataFlow = false) const {
    timing::EngineOptions options;
    options.ignored = std::move(ignored);
    options.dataFlow = dataFlow;
    options.record = true;
    return timing::runEngine(plan, options);
  }
  timing::Plan plan;

private:
  std::uint32_t sync(Operation::Kind kind, Pipe pipe, Pipe other, SiteId site) {
    Operation operation;
    operation.kind = kind;
    operation.pipe = pipe;
    operation.other = other;
    operation.site = site;
    plan.flags = 1;
    return add(operation);
  }
  std::uint32_t add(const Operation &operation) {
    plan.operations.push_back(operation);
    return static_cast<std::uint32_t>(plan.operations.size() - 1);
  }
};

} // namespace

TEST_CASE("engine: one behind the other on a pipe overlap by the latency, pipes overlap whole") {
  Written plan;
  plan.work(Pipe::V, 100, 20);
  plan.work(Pipe::V, 100, 20);
  plan.work(Pipe::MTE2, 150, 0);
  timing::Timing timing = plan.run();
  CHECK(timing.slices[0].start == 1);
  CHECK(timing.slices[1].start == 101);
  CHECK(timing.slices[2].start == 3); // when the scalar unit hands it out
  CHECK(timing.cycles == 221);
  CHECK(timing.busy[index(Pipe::V)] == 200);
}

TEST_CASE("engine: the example at the top of engine.h") {
  Written plan;
  std::uint32_t load = plan.work(Pipe::MTE2, 100, 50);
  plan.set(Pipe::MTE2, Pipe::V, 0);
  plan.wait(Pipe::MTE2, Pipe::V, 0);
  std::uint32_t add = plan.work(Pipe::V, 40, 10, {load});
  std::uint32_t next = plan.work(Pipe::MTE2, 100, 50);
  timing::Timing timing = plan.run();
  CHECK(timing.slices[load].start == 1);
  CHECK(timing.slices[add].start == 151);
  CHECK(timing.slices[next].start == 101);
  CHECK(timing.cycles == 251);
  CHECK(plan.run({true}).cycles == 251); // the two loads alone take as long: the flag costs nothing
}

TEST_CASE("engine: a barrier waits for the result, PIPE_ALL for everybody") {
  Written plan;
  plan.work(Pipe::V, 100, 20);
  std::uint32_t barrier = plan.barrier(Pipe::V, 0);
  plan.work(Pipe::V, 10, 0);
  plan.work(Pipe::MTE2, 300, 0);
  plan.barrier(Pipe::All, 1);
  plan.work(Pipe::V, 10, 0);
  timing::Timing timing = plan.run();
  CHECK(timing.slices[2].start == 121);
  CHECK(timing.slices[2].held == timing::Held::Sync);
  CHECK(timing.slices[2].by == barrier);
  CHECK(timing.slices[5].start == 305); // the load is handed out at 4, and one cycle for the instruction itself
  CHECK(timing.slices[5].held == timing::Held::Sync);
  CHECK(timing.slices[5].by == 4);
  CHECK(plan.run({true}).slices[2].start == 101); // without the barrier
}

TEST_CASE("engine: a wait holds its pipe alone until the set fires") {
  Written plan;
  plan.work(Pipe::MTE2, 100, 50);
  plan.set(Pipe::MTE2, Pipe::V, 0);
  plan.work(Pipe::MTE2, 100, 50);
  std::uint32_t wait = plan.wait(Pipe::MTE2, Pipe::V, 1);
  plan.work(Pipe::V, 10, 0);
  plan.work(Pipe::MTE3, 10, 0);
  timing::Timing timing = plan.run();
  CHECK(timing.slices[4].start == 151); // the first load's result, not the second's
  CHECK(timing.slices[4].by == wait);
  CHECK(timing.slices[5].start == 6);
  CHECK(plan.run({false, true}).slices[4].start < 10);
  CHECK(plan.run({true}).slices[4].start < 10); // a set that is not there lets its wait go
}

TEST_CASE("engine: a wait without a set in front of it waits for nothing") {
  Written plan;
  plan.wait(Pipe::MTE2, Pipe::V, 0);
  plan.work(Pipe::V, 10, 0);
  CHECK(plan.run().cycles == 12);
}

TEST_CASE("engine: data is respected whatever is left out, and nothing else in the limit") {
  Written plan;
  std::uint32_t load = plan.work(Pipe::MTE2, 100, 50);
  plan.barrier(Pipe::All, 0);
  plan.work(Pipe::V, 10, 5, {load});
  plan.barrier(Pipe::All, 1);
  plan.work(Pipe::MTE2, 100, 50);
  timing::Timing limit = plan.run({}, true);
  CHECK(limit.slices[2].start == 151);
  CHECK(limit.slices[2].held == timing::Held::Data);
  CHECK(limit.slices[4].start == 101);
  CHECK(limit.cycles < plan.run().cycles);
  CHECK(plan.run({true}).slices[2].start == 151); // the barrier cost nothing that the data did not ask for
}

TEST_CASE("engine: scalar work holds what is handed out behind it") {
  Written plan;
  plan.work(Pipe::S, 50, 0);
  plan.work(Pipe::V, 10, 0);
  CHECK(plan.run().slices[1].start == 52);
}

TEST_CASE("engine: an operation that stands for several counts as often") {
  Written plan;
  plan.work(Pipe::V, 100, 0);
  plan.work(Pipe::V, 100, 0);
  plan.plan.operations[1].weight = 10;
  timing::Timing timing = plan.run();
  CHECK(timing.cycles == 101 + 10 * 100);
  CHECK(timing.busy[index(Pipe::V)] == 1100);
}
