#include "timing/cost_table.h"

#include "timing/timed.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// What the first instruction of a body of `vectorKernel` costs.
timing::Cost firstCost(const std::string &body, const std::string &arch = "a3") {
  Replayed kernel(vectorKernel(body), {}, arch);
  const replay::Trace &trace = kernel.run();
  REQUIRE_FALSE(trace.instances.empty());
  return costsOf(arch).costOf(kernel.subject->works[trace.instances[0].work], kernel.module.kernels[0],
                              machineOf(arch));
}

std::string problem(const std::string &json) {
  llvm::Expected<timing::CostTable> table = timing::CostTable::parse(json, "f.json");
  return table ? "" : llvm::toString(table.takeError());
}

std::string tableText() { return readText(std::string(PTOSYNC_SOURCE_DIR) + "/src/timing/cost_a3.json"); }

std::string changed(const std::string &from, const std::string &to) {
  std::string text = tableText();
  std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("timing: a vector instruction takes its repeats and then its latency") {
  timing::Cost cost = firstCost(tile("v1", "float", 64, 64, 0) + "  TADD(v1, v1, v1);\n"); // measured: 151
  CHECK(cost.pipe == Pipe::V);
  CHECK(cost.throughput == 2 * 64);
  CHECK(cost.latency == 24);
}

TEST_CASE("timing: a row reduction takes its rows") {
  timing::Cost cost = firstCost(tile("v1", "float", 64, 64, 0) + columnTile("v2", "float", 64, 16384) +
                                tile("v3", "float", 64, 64, 32768) + "  TROWMAX(v2, v1, v3);\n"); // measured: 480
  CHECK(cost.pipe == Pipe::V);
  CHECK(cost.throughput + cost.latency == Approx(480).epsilon(0.05));
}

TEST_CASE("timing: a move takes its bytes over the bandwidth of its path") {
  timing::Cost load = firstCost(tile("v1", "float", 1, 1024, 0) + tensor("g", "in", "0") + "  TLOAD(v1, g);\n");
  CHECK(load.pipe == Pipe::MTE2);
  CHECK(load.throughput == Approx(4096 / 58.6));
  CHECK(load.latency == Approx(213.6));
  timing::Cost store = firstCost(tile("v1", "float", 1, 1024, 0) + tensor("g", "out", "0") + "  TSTORE(g, v1);\n");
  CHECK(store.pipe == Pipe::MTE3);
  CHECK(store.throughput == Approx(4096 / 109.4));
}

TEST_CASE("timing: what leaves L0C counts by its elements, as the source counts it") {
  Replayed kernel(
      "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nextern \"C\" __global__ AICORE void k(__gm__ float *out) "
      "{\n"
      "#if defined(__DAV_CUBE__)\n"
      "  Tile<TileType::Acc, float, 128, 128, BLayout::ColMajor, 128, 128, SLayout::RowMajor, 1024, PadValue::Null, "
      "CompactMode::Null> v1;\n  TASSIGN(v1, 0);\n"
      "  using G = GlobalTensor<float, pto::Shape<1, 1, 1, 128, 128>, pto::Stride<1, 1, 1, 128, 1>>;\n"
      "  G g = G(out);\n  TSTORE(g, v1);\n#endif\n}\n");
  const replay::Trace &trace = kernel.run();
  REQUIRE(trace.instances.size() == 1);
  timing::Cost cost =
      costsOf().costOf(kernel.subject->works[trace.instances[0].work], kernel.module.kernels[0], machineOf("a3"));
  CHECK(cost.pipe == Pipe::FIX);
  CHECK(cost.throughput == Approx(128 * 128 * 2 / 40.6));
}

TEST_CASE("timing: what the table does not have costs what it says for others") {
  timing::Cost cost = firstCost(tile("v1", "float", 64, 64, 0) + "  TFMOD(v1, v1, v1);\n");
  CHECK(cost.pipe == Pipe::V);
  CHECK(cost.throughput == 2 * 64);
}

TEST_CASE("timing: a5 has its own numbers") {
  timing::Cost cost = firstCost(tile("v1", "float", 64, 64, 0) + "  TADD(v1, v1, v1);\n", "a5");
  CHECK(cost.throughput == Approx(1.247 * 64));
  CHECK(cost.latency == Approx(55.07));
}

TEST_CASE("timing: a table that is wrong is refused with its place") {
  CHECK(problem(tableText()) == "");
  CHECK(problem("{") == "f.json:1: malformed JSON: syntax error while parsing object key - unexpected end of input; "
                        "expected string literal");
  CHECK(problem("[]") == "f.json:1: expected an object, found an array");
  CHECK(problem(changed("\"schema\": 1", "\"schema\": 2")) == "f.json:2: /schema: expected 1, found 2");
  CHECK(problem(changed("\"bytesPerCycle\": 58.6", "\"bytesPerCycle\": 0")) ==
        "f.json:8: /paths/0/bytesPerCycle: expected a number of at least 0.001 and at most 1000000000000000, found 0");
  CHECK(problem(changed("\"clockMHz\": 1850", "\"clockMHz\": \"fast\"")) ==
        "f.json:4: /clockMHz: expected a number of at least 0.001 and at most 1000000000000000, found a string");
  CHECK(problem(changed("\"error\": \"one point\"", "\"error\": \"\"")) ==
        "f.json:13: /paths/5/error: expected a string that is not empty");
  llvm::Expected<timing::CostTable> none = timing::CostTable::builtIn("a9");
  REQUIRE_FALSE(bool(none));
  CHECK(llvm::toString(none.takeError()) == "no timing data for a9; expected a3 or a5");
}

namespace {

/// What is wrong with an overlay of a3; it leaves the table alone then.
std::string overlayProblem(const std::string &json) {
  timing::CostTable costs = costsOf();
  return llvm::toString(costs.overlay(json, "f.json", machineOf("a3")));
}

} // namespace

TEST_CASE("timing: an overlay replaces what it names") {
  timing::CostTable costs = costsOf();
  REQUIRE_FALSE(
      bool(costs.overlay("{\"schema\":1,\"arch\":\"a3\",\"clockMHz\":1800,"
                         "\"issue\":{\"sync\":9,\"source\":\"s\",\"error\":\"e\"},"
                         "\"paths\":[{\"from\":\"GM\",\"to\":\"UB\",\"latency\":7,\"source\":\"s\",\"error\":\"e\"}],"
                         "\"vector\":[{\"names\":[\"TFMOD\"],\"perRepeat\":11,\"source\":\"s\",\"error\":\"e\"}]}",
                         "f.json", machineOf("a3"))));
  CHECK(costs.clockMHz() == 1800);
  CHECK(costs.issue().sync == 9);
  CHECK(costs.issue().instruction == costsOf().issue().instruction);
  CHECK(costs.path("GM", "UB").latency == 7);
  CHECK(costs.path("GM", "UB").bytesPerCycle == costsOf().path("GM", "UB").bytesPerCycle);
  CHECK(costs.path("UB", "GM").latency == costsOf().path("UB", "GM").latency);
  CHECK(costs.vectorCost("TFMOD").perRepeat == 11);
  CHECK(costs.vectorCost("TFMOD").latency == costsOf().vectorCost("TFMOD").latency); // as the others
  CHECK(costs.vectorCost("TADD").perRepeat == costsOf().vectorCost("TADD").perRepeat);
}

TEST_CASE("timing: slots of a FIFO are given back as the library counts them") {
  for (const char *arch : {"a3", "a5"}) {
    const timing::FifoCost &fifo = costsOf(arch).fifo();
    CHECK(fifo.slotsAtOnce(1) == 1);
    CHECK(fifo.slotsAtOnce(2) == 2);
    CHECK(fifo.slotsAtOnce(3) == 1);
    CHECK(fifo.slotsAtOnce(8) == 4);
    CHECK(fifo.holdsCore == (arch == std::string("a3")));
    CHECK(fifo.popFrees == (arch == std::string("a3")));
  }
  timing::CostTable costs = costsOf();
  REQUIRE_FALSE(bool(costs.overlay("{\"schema\":1,\"arch\":\"a3\",\"fifo\":{\"signal\":300,\"ringParts\":64,"
                                   "\"source\":\"s\",\"error\":\"e\"}}",
                                   "f.json", machineOf("a3"))));
  CHECK(costs.fifo().signal == 300);
  CHECK(costs.fifo().holdsCore);
  CHECK(costs.fifo().slotsAtOnce(8) == 8); // never none at all
}

TEST_CASE("timing: an overlay that is wrong is refused with its place") {
  const std::string head = "{\"schema\":1,\"arch\":\"a3\",\n", sourced = "\"source\":\"s\",\"error\":\"e\"}";
  CHECK(overlayProblem(head + "\"issue\":{\"sync\":-1," + sourced + "}") ==
        "f.json:2: /issue/sync: expected a number of at least 0 and at most 1000000, found -1");
  CHECK(overlayProblem(head + "\"fifo\":{\"ringParts\":2.5," + sourced + "}") ==
        "f.json:2: /fifo/ringParts: expected a whole number, found a fraction");
  CHECK(overlayProblem(head + "\"fifo\":{\"wholeRing\":0," + sourced + "}") ==
        "f.json:2: /fifo/wholeRing: expected a whole number from 1 to 1048576, found 0");
  CHECK(overlayProblem(head + "\"fifo\":{\"waitHolds\":\"pipes\"," + sourced + "}")
            .find("f.json:2: /fifo/waitHolds: unknown value 'pipes'; did you mean 'pipe'? (") == 0);
  CHECK(overlayProblem(head + "\"clockSource\":3}") == "f.json:2: /clockSource: expected a string, found a number");
  CHECK(overlayProblem(head + "\"otherPath\":{\"latency\":1e300," + sourced + "}") ==
        "f.json:2: /otherPath/latency: expected a number of at least 0 and at most 1000000, found 1e+300");
  CHECK(overlayProblem(head + "\"vectorMoves\":[\"XXXXXXXXXXXX\"]}").find("; the nearest of ") != std::string::npos);
  CHECK(overlayProblem(head + "\"issue\":{\"sync\":1}}") == "f.json:2: /issue: missing key 'source'");
  CHECK(overlayProblem(head + "\"isue\":{\"sync\":1," + sourced + "}").find("did you mean 'issue'?") !=
        std::string::npos);
  CHECK(overlayProblem(head + "\"issue\":{\"synk\":1," + sourced + "}").find("did you mean 'sync'?") !=
        std::string::npos);
  CHECK(overlayProblem(head + "\"vector\":[{\"names\":[\"TADDD\"]," + sourced + "]}") ==
        "f.json:2: /vector/0/names/0: unknown value 'TADDD'; did you mean 'TADD'?");
  CHECK(overlayProblem(head + "\"paths\":[{\"from\":\"GN\",\"to\":\"UB\"," + sourced + "]}")
            .find("f.json:2: /paths/0/from: unknown value 'GN'; did you mean 'GM'? (expected one of 'GM'") == 0);
  CHECK(overlayProblem(head + "\"fifo\":{\"waitHolds\":\"cores\"," + sourced + "}").find("did you mean 'core'?") !=
        std::string::npos);
  CHECK(overlayProblem("{\"schema\":1,\"arch\":\"a5\"}") ==
        "f.json:1: /arch: expected 'a3', the architecture of the kernel, found 'a5'");
  CHECK(overlayProblem("{\"arch\":\"a3\"}") == "f.json:1: missing key 'schema'");
  CHECK(overlayProblem("[]") == "f.json:1: expected an object, found an array");
}
