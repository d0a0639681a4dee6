#include "timing/timeline.h"

#include "timing/timed.h"

using namespace ptosync;
using namespace ptosync::test;
using timing::TimelineSlice;

namespace {

std::string kBody = tile("v1", "float", 1, 1024, 0) + tile("v2", "float", 1, 1024, 4096) + tensor("a", "in", "0") +
                    tensor("b", "out", "0") +
                    "  TLOAD(v1, a);\n"
                    "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                    "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                    "  TEXP(v2, v1);\n"
                    "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                    "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                    "  TSTORE(b, v2);\n";

} // namespace

TEST_CASE("timeline: slices of a pipe follow one another, stalls say what they wait for") {
  TimedModule module(vectorKernel(kBody));
  const timing::KernelTiming &kernel = module.kernels.at(0);
  timing::Timeline timeline = timing::makeTimeline(kernel.plan(), {});
  std::vector<std::string> stalls;
  for (std::size_t i = 0; i < timeline.slices.size(); ++i) {
    const TimelineSlice &slice = timeline.slices[i];
    CHECK(slice.start < slice.end);
    if (i > 0 && timeline.slices[i - 1].pipe == slice.pipe)
      CHECK(timeline.slices[i - 1].end <= slice.start);
    if (slice.kind == TimelineSlice::Kind::Stall) {
      REQUIRE(slice.held == timing::Held::Sync);
      stalls.push_back(std::string(pipeName(slice.pipe)) + " " +
                       std::to_string(timing::statementOf(kernel, slice.by).line));
    }
  }
  CHECK(stalls == std::vector<std::string>{"PIPE_V 10", "PIPE_MTE3 13"});
  REQUIRE(timeline.arrows.size() == 2);
  CHECK(timeline.arrows[0].source == Pipe::MTE2);
  CHECK(timeline.arrows[0].destination == Pipe::V);
  CHECK(timing::statementOf(kernel, timeline.arrows[0].set).line == 9);
  CHECK(timing::statementOf(kernel, timeline.arrows[0].wait).line == 10);
  CHECK(timeline.arrows[0].from < timeline.arrows[0].to);
}

TEST_CASE("timeline: a sync that is left out is not drawn, in the limit none is") {
  TimedModule module(vectorKernel(kBody));
  const timing::KernelTiming &kernel = module.kernels.at(0);
  auto syncs = [](const timing::Timeline &timeline) {
    return std::count_if(timeline.slices.begin(), timeline.slices.end(),
                         [](const TimelineSlice &slice) { return slice.kind == TimelineSlice::Kind::Sync; });
  };
  auto all = syncs(timing::makeTimeline(kernel.plan(), {}));
  CHECK(syncs(timing::makeTimeline(kernel.plan(), {true, true})) == all - 2);
  timing::Timeline limit = timing::makeTimeline(kernel.plan(), {}, true);
  CHECK(syncs(limit) == 0);
  CHECK(limit.arrows.empty());
  for (const TimelineSlice &slice : limit.slices)
    CHECK(slice.held != timing::Held::Sync);
}

TEST_CASE("timeline: the bytes of an instruction") {
  TimedModule module(vectorKernel(kBody));
  const timing::KernelTiming &kernel = module.kernels.at(0);
  replay::ConflictRules rules(machineOf("a3"), module.options);
  CHECK(timing::bytesOf(kernel, 0, rules) == "UB [0, 4096) <- GM of argument 1 [0, 4096)");
  CHECK(timing::bytesOf(kernel, 1, rules) == "");
}
