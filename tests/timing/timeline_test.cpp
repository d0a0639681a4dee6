#include "timing/timed.h"
#include "timing/timeline.h"

#include <nlohmann/json.hpp>

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

namespace {

std::string kTracedBody = tile("v1", "float", 1, 1024, 0) + tile("v2", "float", 1, 1024, 4096) +
                          tensor("a", "in", "0") + tensor("b", "out", "0") +
                          "  TLOAD(v1, a);\n"
                          "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                          "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                          "  TEXP(v2, v1);\n"
                          "  pipe_barrier(PIPE_V);\n"
                          "  TEXP(v1, v1);\n"
                          "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                          "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                          "  TSTORE(b, v2);\n";

struct Drawn {
  explicit Drawn(const std::string &text) : timed(text), rules(machineOf("a3"), timed.options) {
    report = {&timed.module, "a3", "1.0.0", 1850, &rules, {}};
    for (const timing::KernelTiming &kernel : timed.kernels)
      report.kernels.push_back({&kernel, kernel.estimate(), timing::makeTimeline(kernel.plan(), {})});
  }
  TimedModule timed;
  replay::ConflictRules rules;
  TimelineReport report;
};

} // namespace

TEST_CASE("timeline report: a trace that the viewers open") {
  Drawn drawn(vectorKernel(kTracedBody));
  std::string text = timelineTrace(drawn.report);
  CHECK(text.find("\"profilingType\":\"op\"") < text.find('['));
  nlohmann::json trace = nlohmann::json::parse(text);
  CHECK(trace["schemaVersion"] == 2);
  CHECK(trace["displayTimeUnit"] == "ns");
  std::map<std::string, double> ends; // by track
  std::map<int, std::string> arrows;
  std::set<std::string> stalls, tracks;
  for (const nlohmann::json &event : trace["traceEvents"]) {
    std::string track = event["tid"];
    CHECK(event["pid"].get<std::string>().rfind("core0", 0) == 0);
    if (event["ph"] == "X") {
      tracks.insert(track);
      CHECK(event["dur"].get<double>() > 0);
      CHECK(event["ts"].get<double>() >= ends[track] - 2e-6); // in order, and none over another
      ends[track] = event["ts"].get<double>() + event["dur"].get<double>();
      if (event["cat"] == "stall")
        stalls.insert(track + ": " + event["name"].get<std::string>());
      CHECK(event["args"]["code"].get<std::string>().rfind("kernel.cpp:", 0) == 0);
    } else {
      arrows[event["id"]] += event["ph"].get<std::string>() + event["cat"].get<std::string>() + " ";
    }
  }
  CHECK(tracks == std::set<std::string>{"MTE2", "MTE3", "SCALAR", "VECTOR"});
  CHECK(stalls == std::set<std::string>{"MTE3: wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0), line 15",
                                        "VECTOR: pipe_barrier(PIPE_V), line 12",
                                        "VECTOR: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0), line 10"});
  REQUIRE(arrows.size() == 2);
  CHECK(arrows[1] == "sMTE2ToVECTOR fMTE2ToVECTOR ");
  CHECK(arrows[2] == "sVECTORToMTE3 fVECTORToMTE3 ");
}

TEST_CASE("timeline report: the text names the longest stalls first") {
  Drawn drawn(vectorKernel(kTracedBody));
  std::string text = timelineText(drawn.report);
  CHECK(text.rfind("k: estimated ", 0) == 0);
  std::size_t load = text.find("VECTOR  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0), line 10");
  std::size_t barrier = text.find("VECTOR  pipe_barrier(PIPE_V), line 12");
  REQUIRE(load != std::string::npos);
  REQUIRE(barrier != std::string::npos);
  CHECK(load < barrier);
}

TEST_CASE("timeline report: a file without instructions says so") {
  Drawn drawn("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nextern \"C\" __global__ AICORE void k(__gm__ float "
              "*in) {}\n");
  CHECK(timelineText(drawn.report) == "no instructions in kernel.cpp\n");
  CHECK(nlohmann::json::parse(timelineTrace(drawn.report))["traceEvents"].empty());
}
