#include "ordering/program.h"

#include "audit/audited.h"
#include "ordering/analysis.h"

#include <catch2/catch.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string programTiles() {
  return rowsAt("a", 16, "0") + rowsAt("b", 16, "8192") + rowsAt("c", 16, "16384") +
         columnTile("s", "float", 16, 40960) + tensorAt("g", "in");
}

/// The events of the statement on the marked line, e.g. "V(reads src, writes dst) barrier V".
std::string eventsOf(const std::string &statement, Trust trust, const std::string &arch = "a3") {
  OrderingOptions options;
  options.trust = trust;
  Analysed kernel(vectorKernel(programTiles() + "  " + statement + " // mark\n"), arch, options);
  const Program &program = *kernel.program;
  std::string text;
  for (BlockId block : program.graph->order())
    for (const Event &event : program.steps[block]) {
      if (event.statement->line != kernel.line("// mark"))
        continue;
      text += text.empty() ? "" : " ";
      switch (event.kind) {
      case Event::Kind::Barrier:
        text += "barrier " + std::string(event.source == Pipe::All ? "ALL" : pipeName(event.source).substr(5)) +
                (event.site == kNone ? "*" : "");
        continue;
      case Event::Kind::Set:
      case Event::Kind::Wait:
        text += event.kind == Event::Kind::Set ? "set" : "wait";
        for (std::uint32_t lane : event.lanes)
          text += " " + std::to_string(program.flags[lane].id);
        continue;
      case Event::Kind::Access: break;
      }
      const Node &node = program.nodes[event.node];
      text += std::string(pipeName(node.pipe).substr(5)) + (node.fence ? "!" : "") + "(";
      std::string separator;
      for (const Access &access : node.accesses) {
        text += separator + access.name + (access.reads ? " r" : " ") + (access.writes ? "w" : "") +
                (access.scratch ? "*" : "");
        separator = ", ";
      }
      text += ")";
    }
  return text;
}

/// Edges as "block>block", with "~" where they go round a loop.
std::string edgesOf(const std::string &body) {
  Analysed kernel(vectorKernel(body));
  std::string text;
  for (StepId step : kernel.program->order)
    for (const Edge &edge : kernel.program->edges[step])
      text += (text.empty() ? "" : " ") + std::to_string(step) + (edge.around == kNone ? ">" : "~") +
              std::to_string(edge.to);
  return text;
}

/// Steps that can be entered, from the first one on.
bool reaches(const Analysed &kernel, const std::string &mark) {
  const Program &program = *kernel.program;
  std::set<StepId> seen = {program.order.front()};
  std::vector<StepId> work = {program.order.front()};
  while (!work.empty()) {
    StepId step = work.back();
    work.pop_back();
    for (const Edge &edge : program.edges[step])
      if (seen.insert(edge.to).second)
        work.push_back(edge.to);
  }
  return seen.count(program.nodes[kernel.node(mark)].block) == 1;
}

} // namespace

TEST_CASE("program: an instruction is one opaque access at tile trust", "[program]") {
  CHECK(eventsOf("TADD(a, b, c);", Trust::Tile) == "V(a w, b r, c r)");
  CHECK(eventsOf("TLOAD(a, g);", Trust::Tile) == "MTE2(a w, g r)");
  CHECK(eventsOf("TSTORE(g, a);", Trust::Tile) == "MTE3(g w, a r)");
  CHECK(eventsOf("TROWSUM(s, a, b);", Trust::Tile) == "V(s w, a r, b rw*)");
  CHECK(eventsOf("TROWEXPANDDIV(a, b, s);", Trust::Tile) == "V(a w, b r, s r, hidden scratch rw*)");
  CHECK(eventsOf("TRESHAPE(a, b);", Trust::Tile) == ""); // an address, no access
}

TEST_CASE("program: the phases inside a library call at library trust", "[program]") {
  CHECK(eventsOf("TADD(a, b, c);", Trust::Library) == "V(a w, b r, c r)"); // none described
  CHECK(eventsOf("TROWSUM(s, a, b);", Trust::Library) == "V(a r, b rw*, s w) barrier V*");
  CHECK(eventsOf("TROWEXPANDDIV(a, b, s);", Trust::Library) ==
        "V(s r, hidden scratch w*) barrier V* V(b r, hidden scratch r*, a w)");
}

TEST_CASE("program: syncs", "[program]") {
  CHECK(eventsOf("pipe_barrier(PIPE_V);", Trust::Tile) == "barrier V");
  CHECK(eventsOf("pipe_barrier(PIPE_ALL) ;", Trust::Tile) == "barrier ALL");
  CHECK(eventsOf("set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);", Trust::Tile) == "set 2");
  CHECK(eventsOf("wait_flag(PIPE_V, PIPE_MTE3, (event_t) 5);", Trust::Tile) == "wait 5");
}

TEST_CASE("program: lanes of event ids that are not one number", "[program]") {
  CHECK(eventsOf("set_flag(PIPE_V, PIPE_MTE3, (event_t) (n > 3 ? 1 : 0));", Trust::Tile) == "set 0 1");
  CHECK(eventsOf("set_flag(PIPE_V, PIPE_MTE3, (event_t) n);", Trust::Tile) == "set 0 1 2 3 4 5 6 7"); // any
}

TEST_CASE("program: an event id above the last one is a lower one on a3, and either on a5", "[program]") {
  const std::string set = "set_flag(PIPE_MTE2, PIPE_V, (event_t) 9);";
  CHECK(eventsOf(set, Trust::Tile) == "set 1");
  CHECK(eventsOf(set, Trust::Tile, "a5") == "set 9 1");
  CHECK(eventsOf("set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);", Trust::Tile, "a5") == "set 1");
}

TEST_CASE("program: lanes that step with a loop are one per copy of its blocks", "[program]") {
  Analysed kernel(vectorKernel(programTiles() + "  for (int32_t i = 0; i < n; ++i) {\n"
                                                "    set_flag(PIPE_V, PIPE_MTE3, (event_t) (i % 3)); // mark\n"
                                                "    wait_flag(PIPE_V, PIPE_MTE3, (event_t) (i % 3));\n  }\n"));
  std::set<std::int64_t> ids;
  for (StepId step : kernel.program->order)
    for (const Event &event : kernel.program->steps[step])
      if (event.kind == Event::Kind::Set) {
        CHECK(event.lanes.size() == 1);
        ids.insert(kernel.program->flags[event.lanes[0]].id);
      }
  CHECK(ids == std::set<std::int64_t>{0, 1, 2});
}

TEST_CASE("program: fences", "[program]") {
  CHECK(eventsOf("dcci((__gm__ void *) out, SINGLE_CACHE_LINE);", Trust::Tile).find("V!") != std::string::npos);
  // An unknown call is a fence on every pipe and touches everything.
  Analysed kernel(vectorKernel(programTiles() + "  TFROBNICATE(a); // mark\n"));
  std::vector<NodeId> nodes = kernel.nodes("// mark");
  CHECK(nodes.size() == kPipeCount);
  for (NodeId id : nodes) {
    CHECK(kernel.program->nodes[id].fence);
    CHECK(kernel.program->nodes[id].accesses.size() == kernel.program->machine->spaces().size());
  }
}

TEST_CASE("program: a FIFO call is no fence for what no other core reaches", "[program]") {
  const std::string type = "TPipe<0, Direction::DIR_BOTH, 4096, 2, 2, true>";
  const std::string text =
      vectorKernel(programTiles() + "  auto f = " + type + "(in, 8192, 0);\n" + tensorAt("h", "out") +
                   "  TADDS(a, a, 1.0f); // work\n" + "  TLOAD(a, h); // load\n  TFROBNICATE(a); // unknown\n  TPUSH<" +
                   type + ", decltype(b), TileSplitAxis::TILE_NO_SPLIT>(f, b); // push\n  TFREE<" + type +
                   ", TileSplitAxis::TILE_NO_SPLIT>(f); // free\n");
  for (const std::string arch : {"a3", "a5"}) {
    CAPTURE(arch);
    Analysed kernel(text, arch);
    auto ordered = [&](const char *first, const char *second) {
      bool any = false;
      for (NodeId one : kernel.nodes(first))
        for (NodeId other : kernel.nodes(second))
          any = any || kernel.program->fenceOrder(kernel.program->nodes[one], kernel.program->nodes[other]);
      return any;
    };
    CHECK(ordered("// work", "// push") == (arch == "a5"));
    CHECK(ordered("// push", "// work") == (arch == "a5"));
    CHECK(ordered("// load", "// push"));
    CHECK(ordered("// push", "// load"));
    CHECK(ordered("// unknown", "// push"));
    CHECK(ordered("// push", "// free"));
  }
}

TEST_CASE("program: strict copies are fences", "[program]") {
  OrderingOptions strict;
  strict.strictCopies = true;
  std::string text = vectorKernel(programTiles() + "  TMOV(a, b); // mark\n  TADDS(a, b, 1.0f); // plain\n");
  Analysed usual(text), careful(text, "a3", strict);
  CHECK_FALSE(usual.program->nodes[usual.node("// mark")].fence);
  CHECK(careful.program->nodes[careful.nodes("// mark").at(0)].fence);
  CHECK_FALSE(careful.program->nodes[careful.node("// plain")].fence);
}

TEST_CASE("program: a run-time valid region that is one constant counts as static", "[program]") {
  auto region = [](const std::string &rows) {
    Analysed kernel(vectorKernel("  int32_t m = 16;\n" +
                                 tileIn("Vec", "a", "float", "32, 64", "-1, 64", "0", "BLayout::RowMajor",
                                        "SLayout::NoneBox", "(" + rows + ")") +
                                 "  TEXP(a, a); // mark\n"));
    return kernel.program->nodes[kernel.node("// mark")].accesses[0].tile->staticValidRows;
  };
  CHECK(region("m") == 16);
  CHECK(region("n") == -1);
  CHECK(region("n < 16 ? n : 16") == -1);
}

TEST_CASE("program: where accesses lie", "[program]") {
  Analysed kernel(vectorKernel(programTiles() + "  TLOAD(a, g); // load\n  float x = in[n]; // scalar\n"
                                                "  TROWEXPANDDIV(a, b, s); // divide\n"));
  const Machine &machine = *kernel.program->machine;
  auto accesses = [&](const std::string &mark) { return kernel.program->nodes[kernel.node(mark)].accesses; };
  CHECK(accesses("// load")[0].space == machine.spaceByName("UB"));
  CHECK(accesses("// load")[0].bytes == Footprint{1, 4096, 4096});
  CHECK(accesses("// load")[1].space == machine.spaceByName("GM"));
  CHECK(accesses("// load")[1].bytes == Footprint{1, 1024, 1024});
  CHECK(accesses("// scalar")[0].space == machine.spaceByName("GM"));
  CHECK(accesses("// scalar")[0].bytes == Footprint{1, 4, 4});
  CHECK(accesses("// divide")[3].base.constant == 188416);
  CHECK(accesses("// divide")[3].bytes == Footprint{1, 8192, 8192});
}

TEST_CASE("program: edges of conditions that are decided", "[program]") {
  const std::string work = "    TADDS(a, a, 1.0f); // inside\n";
  CHECK(reaches(Analysed(vectorKernel(programTiles() + "  if (n > 3) {\n" + work + "  }\n")), "// inside"));
  CHECK(reaches(Analysed(vectorKernel(programTiles() + "  if (1 < 2) {\n" + work + "  }\n")), "// inside"));
  CHECK_FALSE(reaches(Analysed(vectorKernel(programTiles() + "  if (2 < 1) {\n" + work + "  }\n")), "// inside"));
  CHECK_FALSE(reaches(Analysed(vectorKernel(programTiles() + "  for (int32_t i = 0; i < 0; ++i) {\n" + work + "  }\n")),
                      "// inside"));
  // Inside a loop the counter is bounded.
  CHECK_FALSE(reaches(Analysed(vectorKernel(programTiles() + "  for (int32_t i = 0; i < 4; ++i) {\n  if (i >= 4) {\n" +
                                            work + "  }\n  }\n")),
                      "// inside"));
  CHECK(reaches(Analysed(vectorKernel(programTiles() + "  for (int32_t i = 0; i < 4; ++i) {\n  if (i >= 3) {\n" + work +
                                      "  }\n  }\n")),
                "// inside"));
}

TEST_CASE("program: a loop whose first trip is certain is entered behind its test", "[program]") {
  const std::string inside = "    TADDS(a, a, 1.0f);\n  }\n";
  std::string perhaps = edgesOf(programTiles() + "  for (int32_t i = 0; i < n; ++i) {\n" + inside);
  std::string certain = edgesOf(programTiles() + "  for (int32_t i = 0; i < 4; ++i) {\n" + inside);
  std::string once = edgesOf(programTiles() + "  for (int32_t i = 0; i < 1; ++i) {\n" + inside);
  // 0 entry, 1 test, 2 body, then the step back to the test and the way out.
  CHECK(perhaps.rfind("0>1", 0) == 0);
  CHECK(certain.rfind("0>2", 0) == 0);
  CHECK(once.rfind("0>2", 0) == 0);
  CHECK(certain.find("1>2") != std::string::npos);
  CHECK(once.find("1>2") != std::string::npos); // its bounds are no reason to take it apart
}

TEST_CASE("program: irreducible control flow is refused", "[program]") {
  Module module =
      lift(vectorKernel("  if (n > 3) {\n    goto second;\n  }\nfirst:\n  n = n + 1;\nsecond:\n  n = n + 2;\n"
                        "  if (n < 100) {\n    goto first;\n  }\n"));
  REQUIRE(module.kernels.size() == 1);
  REQUIRE(module.kernels[0].analysable);
  llvm::Expected<Program> program = buildProgram(module.kernels[0], machineOf("a3"), {});
  REQUIRE((program ? "built" : "refused") == std::string("refused"));
  CHECK(llvm::toString(program.takeError()) ==
        "its control flow has a cycle with two entries (a `goto` into a loop), which is not followed");
}

TEST_CASE("program: bits tell iteration distances apart, as many as rotating storage needs", "[program]") {
  Analysed ring(vectorKernel(programTiles() + "  for (int32_t i = 0; i < n; ++i) {\n    int32_t k = i % 3;\n" +
                             rowsAt("w", 4, "k == 1 ? 0 : k == 2 ? 1024 : 2048") +
                             "    TEXPANDS(w, 1.0f); // mark\n  }\n"));
  const Program &program = *ring.program;
  CHECK(program.distances == 4); // 1, 2, 3 exactly, then 4 or more
  const Node &node = program.nodes[ring.node("// mark")];
  CHECK(program.bitCount(node) == 5);
  CHECK(program.distanceOf(node.firstBit).sameIteration());
  for (std::uint32_t count = 1; count <= 4; ++count) {
    IterationDistance distance = program.distanceOf(program.bitAt(node, node.loop, count));
    CHECK(distance.loop == node.loop);
    CHECK(distance.count == count);
    CHECK(distance.atLeast == (count == 4));
  }
  CHECK(program.bitAt(node, node.loop, 9) == program.bitAt(node, node.loop, 4)); // saturates
  CHECK(program.nodeOfBit[node.firstBit + 4] == ring.node("// mark"));
}

// Loads of memory that nothing writes have one value; anything that may change the memory ends that.

namespace {

/// A kernel with a list `d` of numbers and another argument `e`, in which a flag is set where `first` holds and waited
/// for where `second` does, with `between` in between.
std::string twoTests(const std::string &first, const std::string &between, const std::string &second) {
  return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
         "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, __gm__ int32_t *d, __gm__ int32_t "
         "*e, "
         "int32_t n) {\n" +
         rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + tensorAt("h", "out") +
         "  TLOAD(a, g);\n  if (" + first + ") {\n  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  }\n" + between +
         "  if (" + second + ") {\n  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  TSTORE(h, a);\n  }\n}\n";
}

bool isSilent(const std::string &text) { return Audited(text, "a3", Severity::Warning).result.findings.empty(); }
bool isOne(const std::string &between, const std::string &first = "d[1] > 1", const std::string &second = "d[1] > 1") {
  return isSilent(twoTests(first, between, second));
}

} // namespace

TEST_CASE("steady loads: two tests of one load of what nothing writes") {
  CHECK(isOne(""));
  CHECK(isOne("", "d[n] > 1", "d[n] > 1"));
  CHECK(isOne("", "d[e[0]] > 1", "d[e[0]] > 1"));
  CHECK(isOne("", "d[1] > d[2]", "d[1] > d[2]"));
  CHECK(isOne("  pipe_barrier(PIPE_ALL);\n"));
  CHECK(isOne("  for (int32_t i = 0; i < d[0]; ++i) {\n  TADDS(b, b, 1.0f);\n  pipe_barrier(PIPE_V);\n  }\n"));
  CHECK(isOne("  int32_t sum = 0;\n  for (int32_t i = 0; i < n; ++i) {\n  sum += d[i];\n  }\n"));
  CHECK_FALSE(isOne("", "d[1] > 1", "d[2] > 1"));
  CHECK_FALSE(isOne("", "d[1] > 1", "e[1] > 1"));
  CHECK_FALSE(isOne("  n += 1;\n", "d[n] > 1", "d[n] > 1"));
}

TEST_CASE("steady loads: whoever may write ends it") {
  const std::string store = "  d[7] = n;\n";
  CHECK_FALSE(isOne(store));
  CHECK_FALSE(isSilent(twoTests("d[1] > 1", "", "d[1] > 1")
                           .insert(twoTests("d[1] > 1", "", "d[1] > 1").find("  TLOAD"),
                                   store))); // in front of both, and not over for certain
  CHECK(isOne("  e[7] = n;\n"));             // another argument
  CHECK_FALSE(isOne("  __gm__ int32_t *p = n > 3 ? d : e;\n  p[7] = n;\n"));
  // A tile's store, wherever in the argument.
  std::string tensor = "  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, "
                       "pto::Layout::ND> w((__gm__ float *) d + 4096);\n  TSTORE(w, a);\n";
  CHECK_FALSE(isOne(tensor));
}

TEST_CASE("steady loads: others may have written where the kernel deals with them") {
  for (const char *between :
       {"  dsb((mem_dsb_t) 0);\n", "  dcci((__gm__ void *) d, cache_line_t::ENTIRE_DATA_CACHE);\n",
        "  ffts_cross_core_sync(PIPE_MTE3, 0x21);\n", "  unknown_call(d);\n",
        "  volatile __gm__ int32_t *v = e;\n  int32_t seen = v[0];\n", "  while (e[0] == 0) {\n  }\n",
        "  int32_t seen = 0;\n  while (seen == 0) {\n  seen = e[0];\n  }\n"}) {
    INFO(between);
    CHECK_FALSE(isOne(between));
  }
  CHECK_FALSE(isOne("  if (n > 3) {\n  dsb((mem_dsb_t) 0);\n  }\n")); // on one path
}

TEST_CASE("steady loads: a volatile load is no load like another") {
  CHECK_FALSE(isOne("", "((volatile __gm__ int32_t *) d)[1] > 1", "((volatile __gm__ int32_t *) d)[1] > 1"));
}

TEST_CASE("steady loads: in a loop the memory is one as long as nobody is dealt with in it") {
  auto loop = [](const std::string &index, const std::string &between, const std::string &end) {
    return isSilent("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
                    "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, __gm__ int32_t *d, "
                    "int32_t n) {\n" +
                    rowsAt("a", 4, "0") + tensorAt("g", "in") + tensorAt("h", "out") +
                    "  for (int32_t i = 0; i < n; ++i) {\n  if (d[" + index +
                    "] > 1) {\n  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  }\n" + between +
                    "  if (d[" + index +
                    "] > 1) {\n  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  TSTORE(h, a);\n  }\n" +
                    "  pipe_barrier(PIPE_ALL);\n" + end + "  }\n}\n");
  };
  CHECK(loop("i", "", ""));
  CHECK(loop("1", "", ""));
  CHECK(loop("i", "", "  dsb((mem_dsb_t) 0);\n")); // between two iterations
  CHECK_FALSE(loop("i", "  dsb((mem_dsb_t) 0);\n", ""));
  CHECK_FALSE(loop("i", "  ++i;\n", ""));
}

TEST_CASE("steady loads: pointers that may overlap are one argument") {
  OrderingOptions options;
  options.followConditions = options.argumentsMayAlias = true;
  Module module = lift(twoTests("d[1] > 1", "  e[7] = n;\n", "d[1] > 1"));
  for (const Kernel &kernel : module.kernels) {
    Program program = llvm::cantFail(buildProgram(kernel, machineOf("a3"), options));
    CHECK(steadyLoads(program).empty());
  }
}
