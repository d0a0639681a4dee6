#include "timing/estimate.h"

#include "timing/timed.h"

#include <fstream>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string kernelFile(const std::string &name) { return readText(corpusPath(name + "/kernel.cpp")); }

/// The kernels of a file beside the repository; nothing where it is absent.
std::unique_ptr<TimedModule> shared(const std::string &path) {
  std::string file = std::string(PTOSYNC_SOURCE_DIR) + "/../shared/" + path;
  if (!std::ifstream(file)) {
    WARN("skipped: " << path << " is not beside the repository");
    return nullptr;
  }
  return std::make_unique<TimedModule>(readText(file));
}

timing::KernelEstimate of(const TimedModule &module, Section section) {
  for (const timing::KernelTiming &kernel : module.kernels)
    if (kernel.subject().kernel.section == section)
      return kernel.estimate();
  FAIL("no such core");
  return {};
}

} // namespace

TEST_CASE("estimate: the time over the limit is what the syncs cost, in loops too") {
  TimedModule module(
      vectorKernel(tile("v1", "float", 1, 512, 0) + tile("v2", "float", 1, 512, 4096) +
                   "  for (int32_t i = 0; i < 50; i += 1) {\n    TADDS(v1, v1, 1.0f);\n"
                   "    pipe_barrier(PIPE_V);\n    TADDS(v2, v2, 1.0f);\n    pipe_barrier(PIPE_V);\n  }\n"));
  const timing::KernelTiming &timing = module.kernels.at(0);
  timing::KernelEstimate estimate = timing.estimate();
  CHECK(estimate.over() > 1.2);
  REQUIRE(estimate.loops.size() == 1);
  CHECK(estimate.loops[0].iterations == 50);
  CHECK(estimate.loops[0].line == 6);
  CHECK(estimate.loops[0].cycles == Approx(estimate.cycles).epsilon(0.02));
  CHECK(estimate.loops[0].cycles / estimate.loops[0].limit == Approx(estimate.over()).epsilon(0.05));
  std::vector<timing::SyncCost> costs = timing.syncCosts([](SiteId site) { return site < 2; });
  REQUIRE(costs.size() == 2);
  CHECK(costs[0].executions == 50);
  CHECK(costs[0].gain > 500); // each alone lets two of three neighbours overlap
  CHECK(timing.estimate({true}).cycles == Approx(estimate.cycles - costs[0].gain));
  CHECK(timing.estimate({true, true, true}).cycles == Approx(estimate.limit).epsilon(0.01));
}

TEST_CASE(
    "estimate: iterations that are not run count as they would have taken, once the loads that ran ahead are used up") {
  // While the vector unit is busy in front of the loop, the loads of all eight buffers run ahead; it then catches up
  // with them, and from there on it waits.
  std::string tiles, prime, work, load, use, drain;
  for (unsigned i = 0; i < 8; ++i) {
    const std::string id = std::to_string(i), event = ", EVENT_ID" + id + ");\n";
    tiles += tile("b" + id, "float", 16, 64, i * 4096);
    prime += "  set_flag(PIPE_V, PIPE_MTE2" + event;
    load += tensor("g" + id, "in", "i * 8 + " + id) + "  wait_flag(PIPE_V, PIPE_MTE2" + event + "  TLOAD(b" + id +
            ", g" + id + ");\n  set_flag(PIPE_MTE2, PIPE_V" + event;
    use += "  wait_flag(PIPE_MTE2, PIPE_V" + event;
    for (unsigned add = 0; add < 4; ++add)
      use += "  TADDS(b" + id + ", b" + id + ", 1.0f);\n";
    use += "  set_flag(PIPE_V, PIPE_MTE2" + event;
    drain += "  wait_flag(PIPE_V, PIPE_MTE2" + event;
  }
  for (unsigned i = 0; i < 100; ++i)
    work += "  TEXP(w, w);\n";
  TimedModule loop(vectorKernel(tiles + tile("w", "float", 16, 64, 32768) + prime + work +
                                "  for (int32_t i = 0; i < 40; ++i) {\n" + load + use + "  }\n" + drain));
  const timing::KernelTiming &skipping = loop.kernels.at(0);
  timing::KernelTiming whole = std::move(timing::timeCores({&skipping.subject().kernel}, machineOf("a3"), {}, costsOf(),
                                                           skipping.inputs(), replay::Skipping::Forbidden)
                                             .front());
  CHECK(skipping.estimate().extrapolated);
  CHECK_FALSE(whole.estimate().extrapolated);
  CHECK(skipping.estimate().cycles == Approx(whole.estimate().cycles).epsilon(0.001));
  CHECK(skipping.estimate().limit == Approx(whole.estimate().limit).epsilon(0.001));
}

TEST_CASE("estimate: the run that issues most stands for the kernel, unless its arguments are given") {
  std::string text =
      vectorKernel(tile("v1", "float", 1, 512, 0) + "  for (int32_t i = 0; i < n; i += 1)\n    TADDS(v1, v1, 1.0f);\n");
  TimedModule chosen(text);
  CHECK(chosen.kernels.at(0).estimate().instructions > 3);
  replay::Options options;
  options.arguments["n"] = 3;
  TimedModule given(text, options);
  CHECK(given.kernels.at(0).estimate().run == "n=3");
  CHECK(given.kernels.at(0).estimate().instructions == 4); // and the dsb at the end
}

TEST_CASE("estimate: an in-place pipeline of three slots, with fallback barriers and by hand") {
  TimedModule fallback(kernelFile("slots_fallback")), byHand(kernelFile("slots_by_hand"));
  double ratio = of(fallback, Section::Vec).cycles / of(byHand, Section::Vec).cycles;
  CHECK(ratio == Approx(74909.0 / 18831.0).epsilon(0.15)); // published, of a simulator
}

TEST_CASE("estimate: GEMMs whose waits stand too early") {
  for (const char *name : {"gemm_6144_branches.cpp", "gemm_6144_branches_016.cpp"})
    if (auto module = shared(std::string("cases/slow/a3/") + name)) {
      timing::KernelEstimate estimate = of(*module, Section::Cube);
      REQUIRE(estimate.loops.size() == 2);
      double over = estimate.loops[1].cycles / estimate.loops[1].limit;
      CHECK(over >= 2.1);
      CHECK(over <= 2.3);
    }
}

TEST_CASE("estimate: flash attention's vector core") {
  if (auto module = shared("kernels/a3/flash_attention_135_barriers.cpp")) {
    CHECK(of(*module, Section::Vec).over() >= 1.12);
    CHECK(of(*module, Section::Vec).over() <= 1.20);
  }
}
