// One test per trap that concerns barriers (flags: flag_traps_test.cpp): for each rule the kernel that a slightly
// wrong implementation would get wrong. The numbers are those of the list of traps in docs/model.md.
#include "optimize/decided.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kRemoved = "removed", kHazard = "kept: hazard", kUnresolved = "kept: unresolved";

std::string verdictOf(const std::string &statements, std::initializer_list<const char *> options = {}) {
  return Decided(usualKernel(statements), options).verdict("// barrier");
}

const std::string kWrite = "  TADDS(a, b, 1.0f);\n", kRead = "  TADDS(c, a, 1.0f);\n";
const std::string kUnrelated = "  TADDS(d, d, 1.0f);\n";

std::string loop(const std::string &bound, const std::string &inside) {
  return "  for (int32_t i = 0; i < " + bound + "; ++i) {\n" + inside + "  }\n";
}

std::string flag(const std::string &pair, int id) {
  std::string arguments = "(" + pair + ", EVENT_ID" + std::to_string(id) + ");\n";
  return "  set_flag" + arguments + "  wait_flag" + arguments;
}

} // namespace

TEST_CASE("trap 1: a sync in a loop that may run zero times does not cover what follows", "[traps]") {
  CHECK(verdictOf(kWrite + loop("n", "  pipe_barrier(PIPE_V); // inside\n" + kUnrelated) + kBarrier + kRead) == kHazard);
  // Nor does a flag pair in it.
  const std::string pair = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";
  CHECK(verdictOf(kWrite + loop("n", pair) + "  pipe_barrier(PIPE_ALL) ; // barrier\n  TSTORE(h, a);\n") == kHazard);
  CHECK(verdictOf(kWrite + loop("2", pair) + "  pipe_barrier(PIPE_ALL) ; // barrier\n  TSTORE(h, a);\n") == kRemoved);
  // A loop that is left in front of its barrier in the first trip covers nothing either.
  CHECK(verdictOf(kWrite + loop("2", "  if (n == i) break;\n  pipe_barrier(PIPE_V);\n" + kUnrelated) + kBarrier + kRead) == kHazard);
  // Two loops, the inner one perhaps empty.
  CHECK(verdictOf(kWrite + loop("2", "  for (int32_t j = i; j < n; ++j) {\n  pipe_barrier(PIPE_V);\n  }\n") + kBarrier + kRead) ==
        kHazard);
}

TEST_CASE("trap 1: and it is kept where trips do order the pair", "[traps]") {
  CHECK(verdictOf(kWrite + loop("n", kBarrier) + kRead) == kUnresolved);
  CHECK(verdictOf(kWrite + "  while (in[0] > 1.0f) {\n" + kBarrier + "  }\n" + kRead) == kUnresolved);
}

TEST_CASE("trap 2: a sync in one arm does not cover the join", "[traps]") {
  CHECK(verdictOf(kWrite + "  if (n > 3) {\n  pipe_barrier(PIPE_V);\n" + kUnrelated + "  }\n" + kBarrier + kRead) == kHazard);
  CHECK(verdictOf(kWrite + "  if (n > 3) {\n" + kUnrelated + "  } else {\n  pipe_barrier(PIPE_V);\n  }\n" + kBarrier + kRead) ==
        kHazard);
  // In both arms it does.
  CHECK(verdictOf(kWrite + "  if (n > 3) {\n  pipe_barrier(PIPE_V); // x\n" + kRead + "  } else {\n  pipe_barrier(PIPE_V); // y\n" +
                  kRead + "  }\n" + kBarrier + "  TADDS(b, d, 1.0f);\n") == kRemoved);
}

TEST_CASE("trap 2: an arm's order relative to a fence behind the join", "[traps]") {
  // On the path through the arm the write is over before the fence; that must stay so.
  const std::string fence = "  dcci((__gm__ void *) out, SINGLE_CACHE_LINE);\n";
  CHECK(verdictOf(kWrite + "  if (n > 3) {\n" + kBarrier + "  }\n" + fence) != kRemoved);
  CHECK(verdictOf(kWrite + loop("n", kBarrier) + fence) != kRemoved);
  CHECK(verdictOf(fence + "  if (n > 3) {\n" + kBarrier + "  }\n" + kWrite) != kRemoved);
}

TEST_CASE("trap 2: an arm that drains everything in front of the kernel's end", "[traps]") {
  std::string text = usualKernel(kWrite + "  if (n > 3) {\n  pipe_barrier(PIPE_ALL) ; // barrier\n  }\n");
  text.replace(text.find("  pipe_barrier(PIPE_ALL);\n  dsb"), std::string::npos, "}\n");
  CHECK(Decided(text).verdict("// barrier") != kRemoved);
}

TEST_CASE("trap 3: a lane chosen at run time does not cover another lane", "[traps]") {
  auto pair = [](const std::string &set, const std::string &wait) {
    return verdictOf("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, (event_t) (" + set + "));\n  pipe_barrier(PIPE_ALL) ; // barrier\n"
                     "  wait_flag(PIPE_MTE2, PIPE_V, (event_t) (" + wait + "));\n" + kRead);
  };
  CHECK(pair("1", "1") == kRemoved);
  CHECK(pair("n & 1", "0") == kHazard);
  CHECK(pair("1", "n > 3 ? 1 : 0") == kHazard);
  CHECK(pair("n > 3 ? 1 : 0", "n > 4 ? 1 : 0") == kHazard);
  // Lanes that rotate out of step.
  auto ring = [](const std::string &wait) {
    return verdictOf(loop("n", "  event_t id = (event_t) (i % 2 == 1 ? 1 : 0);\n  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, id);\n"
                               "  pipe_barrier(PIPE_ALL) ; // barrier\n  wait_flag(PIPE_MTE2, PIPE_V, " + wait + ");\n" + kRead +
                               "  pipe_barrier(PIPE_ALL) ; // end of trip\n"));
  };
  CHECK(ring("id") == kRemoved);
  CHECK(ring("(event_t) (i % 2 == 1 ? 0 : 1)") == kHazard);
}

TEST_CASE("trap 4: what goes round the loop counts", "[traps]") {
  CHECK(verdictOf(loop("n", kRead + kWrite + kBarrier)) == kHazard);
  CHECK(verdictOf(loop("n", kBarrier + kRead + kWrite)) == kHazard);
  // One trip has none before it, but bounds are no reason: the next choice of them would take it back.
  CHECK(verdictOf(loop("1", kRead + kWrite + kBarrier)) == kHazard);
  CHECK(verdictOf(loop("0", kRead + kWrite + kBarrier)) == "kept: unreached"); // never run: that alone is no reason
}

TEST_CASE("trap 4: over two iterations, and over two loops", "[traps]") {
  // The tile written in one trip is read two trips later: one barrier per trip is one too many only if it is seen.
  auto ring = [](unsigned slots, unsigned readBehind) {
    std::string at = "(i + " + std::to_string(slots - readBehind) + ") % " + std::to_string(slots);
    return rowsAt("w", 4, "65536 + (i % " + std::to_string(slots) + ") * 1024") + rowsAt("x", 4, "65536 + (" + at + ") * 1024");
  };
  // Slots written and read in the same trip lie apart; the read one was written a trip or two before.
  for (unsigned behind : {1u, 2u})
    CHECK(verdictOf(loop("n", ring(3, behind) + "  TEXPANDS(w, 1.0f);\n  TSTORE(h, d);\n" + kBarrier + "  TEXP(x, x);\n")) != kRemoved);
  // The outer loop brings back what the inner one left.
  CHECK(verdictOf(loop("n", "  for (int32_t j = 0; j < n; ++j) {\n" + kBarrier + kRead + "  }\n" + kWrite)) != kRemoved);
}

TEST_CASE("trap 5: two syncs do not justify each other", "[traps]") {
  Decided kernel(usualKernel(kWrite + "  pipe_barrier(PIPE_V); // one\n" + kUnrelated + "  pipe_barrier(PIPE_V); // two\n" + kRead));
  CHECK(kernel.removedLines().size() == 1);
  // Round a loop, one in front of and one behind the work.
  Decided around(usualKernel(loop("n", "  pipe_barrier(PIPE_V); // one\n" + kRead + kUnrelated + kWrite + "  pipe_barrier(PIPE_V); // two\n")));
  CHECK(around.removedLines().size() == 1);
  // A barrier and PIPE_ALL.
  Decided mixed(usualKernel(kWrite + "  pipe_barrier(PIPE_ALL) ; // one\n  pipe_barrier(PIPE_V); // two\n" + kRead));
  CHECK(mixed.removedLines().size() == 1);
  // One in each arm, one behind the join: the arms' go, or the one behind does.
  Decided arms(usualKernel(kWrite + "  if (n > 3) {\n  pipe_barrier(PIPE_V); // one\n  } else {\n  pipe_barrier(PIPE_V); // two\n  }\n"
                                    "  pipe_barrier(PIPE_V); // three\n" + kRead));
  bool joined = arms.verdict("// three") == kHazard, both = arms.verdict("// one") == kHazard && arms.verdict("// two") == kHazard;
  CHECK((joined || both));
  // Three in a row.
  Decided three(usualKernel(kWrite + "  pipe_barrier(PIPE_V); // one\n  pipe_barrier(PIPE_V); // two\n  pipe_barrier(PIPE_V); // three\n" + kRead));
  CHECK(three.removedLines().size() == 2);
}

TEST_CASE("trap 6: order composes by position", "[traps]") {
  const std::string load = "  TLOAD(a, g);\n", store = "  TSTORE(h, a);\n", all = "  pipe_barrier(PIPE_ALL) ; // barrier\n";
  const std::string in = flag("PIPE_MTE2, PIPE_V", 0), on = flag("PIPE_V, PIPE_MTE3", 0);
  CHECK(verdictOf(load + in + on + all + store) == kRemoved);
  CHECK(verdictOf(load + on + in + all + store) == kHazard);
  CHECK(verdictOf(in + load + on + all + store) == kHazard);
  // The set stands behind the middle pipe's wait in text, but on another pipe.
  CHECK(verdictOf(load + in + flag("PIPE_MTE1, PIPE_MTE3", 0) + all + store) == kHazard);
}

TEST_CASE("trap 7: an id used again while it is live", "[traps]") {
  // Two sets, one wait: it may have taken the first, and the second load is not covered.
  const std::string set = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n", wait = "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
  const std::string all = "  pipe_barrier(PIPE_ALL) ; // barrier\n";
  Decided kernel(usualKernel("  TLOAD(d, g);\n" + set + "  TLOAD(a, g);\n" + set + wait + all + kRead + wait));
  CHECK(kernel.verdict("// barrier") == kHazard);
  CHECK_FALSE(kernel.outcome.result.tokenFaults.empty());
  // In turn, with a way back for the waiter, it is covered.
  CHECK(verdictOf("  TLOAD(d, g);\n" + set + wait + flag("PIPE_V, PIPE_MTE2", 0) + "  TLOAD(a, g);\n" + set + wait + all + kRead) ==
        kRemoved);
}

TEST_CASE("trap 8: library calls that use pipes of their own", "[traps]") {
  // An integer row sum reduces on the scalar unit too: the vector barrier's work is not what orders it.
  std::string integers = vectorKernel(tileIn("Vec", "x", "int32_t", "8, 64", "8, 64", "0") +
                                      tileIn("Vec", "tmp", "int32_t", "8, 64", "8, 64", "4096") +
                                      columnTile("sum", "int32_t", 8, 8192) + columnTile("total", "int32_t", 8, 12288) +
                                      "  TADD(x, x, x);\n" + kBarrier + "  TROWSUM(sum, x, tmp);\n");
  Analysed analysed(integers);
  std::vector<NodeId> nodes = analysed.nodes("TROWSUM");
  std::vector<Pipe> pipes;
  for (NodeId id : nodes)
    pipes.push_back(analysed.program->nodes[id].pipe);
  CHECK(std::find(pipes.begin(), pipes.end(), Pipe::S) != pipes.end());
  CHECK(std::find(pipes.begin(), pipes.end(), Pipe::V) != pipes.end());
  CHECK(Decided(integers).verdict("// barrier") != kRemoved);
  CHECK(Decided(integers, {"--trust=library"}).verdict("// barrier") != kRemoved); // no phases are known of it
  // MGATHER writes its tile from several pipes.
  CHECK(verdictOf(kRead + "  MGATHER(a, g, b);\n" + kBarrier + kRead) != kRemoved);
  // TPUT stages through its tile and is a fence.
  CHECK(verdictOf("  TSTORE(h, a);\n  pipe_barrier(PIPE_MTE3); // barrier\n  pto::comm::TPUT(h, g, b);\n") != kRemoved);
}

TEST_CASE("trap 8: a flag that is live over a call which uses the same id", "[traps]") {
  // MGATHER sets and waits (PIPE_V, PIPE_S, 0) inside: the kernel's own flag of that name is set twice.
  Decided kernel(usualKernel("  TADDS(b, b, 1.0f);\n  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n  MGATHER(a, g, b);\n"
                             "  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"));
  CHECK_FALSE(kernel.outcome.result.tokenFaults.empty());
}

TEST_CASE("trap 9: the pipe depends on the overload", "[traps]") {
  // With a scratch tile TCI is vector work, without it scalar.
  std::string numbers = tileIn("Vec", "x", "int32_t", "1, 64", "1, 64", "65536") + tileIn("Vec", "y", "int32_t", "1, 64", "1, 64", "66560");
  CHECK(verdictOf(numbers + "  TCI(x, 0, y);\n" + kBarrier + "  TADD(y, y, x);\n") == kHazard);
  Decided scalar(usualKernel(numbers + "  TCI(x, 0);\n" + kBarrier + "  TADD(y, y, x);\n"));
  CHECK(scalar.verdict("// barrier") == kRemoved); // it orders nothing of the scalar pipe
  REQUIRE(scalar.outcome.result.unresolved.size() == 1);
  CHECK(scalar.outcome.result.unresolved[0].conflict.earlier.pipe == Pipe::S);
  // On Mat TEXPANDS may run on MTE2: a vector barrier is not enough, an MTE2 barrier is needed.
  std::string mat = tileIn("Mat", "m", "half", "16, 16", "16, 16", "0", "BLayout::ColMajor", "SLayout::RowMajor") +
                    tileIn("Mat", "o", "half", "16, 16", "16, 16", "4096", "BLayout::ColMajor", "SLayout::RowMajor");
  CHECK(verdictOf(mat + "  TEXPANDS(m, 1.0f);\n  pipe_barrier(PIPE_MTE2); // barrier\n  TEXPANDS(m, 2.0f);\n") != kRemoved);
  // Mat to Scaling runs on FIX (or MTE1): the FIX barrier behind it stays.
  std::string scaling = mat + tileIn("Scaling", "z", "uint64_t", "1, 16", "1, 16", "0");
  CHECK(verdictOf(scaling + "  TMOV(z, m);\n  pipe_barrier(PIPE_FIX); // barrier\n  TMOV(z, o);\n") != kRemoved);
}

TEST_CASE("trap 10: one pipe is not in order by itself", "[traps]") {
  CHECK(verdictOf(kWrite + kBarrier + kRead) == kHazard);
  CHECK(verdictOf("  TLOAD(a, g);\n  pipe_barrier(PIPE_MTE2); // barrier\n  TLOAD(a, g);\n") == kHazard);   // contested: no reason to remove
  CHECK(verdictOf("  TSTORE(h, a);\n  pipe_barrier(PIPE_MTE3); // barrier\n  TSTORE(h, b);\n") == kHazard);  // the same bytes of GM
  CHECK(verdictOf("  TSTORE(h, a);\n  pipe_barrier(PIPE_MTE3); // barrier\n  TSTORE(g, b);\n") == kRemoved); // another argument
  CHECK(verdictOf("  TSTORE(h, a);\n  pipe_barrier(PIPE_MTE3); // barrier\n  TSTORE(g, b);\n", {"--gm-may-alias"}) == kHazard);
  std::string product = vectorKernel(matrixTiles() + "  TMATMUL(c, l, r);\n  pipe_barrier(PIPE_M); // barrier\n  TMATMUL_ACC(c, c, l, r);\n");
  CHECK(Decided(product).verdict("// barrier") == kHazard);
  CHECK(Decided(product, {"--m-accumulate-order"}).verdict("// barrier") == kRemoved);
}

TEST_CASE("trap 11: WAR, WAW and the scratch operand", "[traps]") {
  CHECK(verdictOf("  TADDS(a, b, 1.0f);\n" + kBarrier + "  TADDS(b, c, 1.0f);\n") == kHazard); // WAR
  CHECK(verdictOf("  TADDS(a, b, 1.0f);\n" + kBarrier + "  TADDS(a, c, 1.0f);\n") == kHazard); // WAW
  std::string sums = columnTile("sum", "float", 4, 65536) + columnTile("total", "float", 4, 66560);
  CHECK(verdictOf(sums + "  TADDS(a, a, 1.0f);\n" + kBarrier + "  TROWSUM(sum, b, a);\n") == kHazard);   // its scratch
  CHECK(verdictOf(sums + "  TROWSUM(sum, b, a);\n" + kBarrier + "  TROWSUM(total, c, a);\n") == kHazard); // two calls, one scratch
  CHECK(verdictOf(sums + "  TROWSUM(sum, b, a);\n" + kBarrier + "  TROWSUM(total, c, d);\n") == kRemoved);
  // Long enough for the chain, but the read bytes are also a scratch or overwritten elsewhere.
  CHECK(verdictOf("  TADD(p, q, r);\n" + kBarrier + "  TADD(q, p, s);\n") == kHazard);
  CHECK(verdictOf("  TADD(p, q, r);\n" + kBarrier + "  TADD(s, p, r);\n") == kRemoved);
  // A scratch operand counts with all of its tile, not only its valid region.
  std::string scratch = sums + tileIn("Vec", "wide", "float", "4, 64", "1, 64", "98304") + rowsAt("tail", 2, "98816");
  CHECK(verdictOf(scratch + "  TROWSUM(sum, b, wide);\n" + kBarrier + "  TEXPANDS(tail, 1.0f);\n") == kHazard);
}

TEST_CASE("trap 12: a helper's first access against what the caller left running", "[traps]") {
  auto text = [](const std::string &before, const std::string &behind) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void helper(int64_t at) {\n" + rowsAt("x", 4, "at") +
           rowsAt("y", 4, "2048") + "  pipe_barrier(PIPE_V); // inside\n  TADDS(y, x, 1.0f);\n}\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in, int32_t n) {\n" + rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + before +
           "  helper(0);\n" + behind + "}\n";
  };
  CHECK(Decided(text("  TADDS(a, b, 1.0f);\n", "")).verdict("// inside") == kHazard);
  CHECK(Decided(text("  TADDS(b, b, 1.0f);\n", "")).verdict("// inside") == kRemoved);
  // The helper's last access against the caller's next.
  CHECK(Decided(text("", rowsAt("z", 4, "2048") + "  pipe_barrier(PIPE_V); // behind\n  TADDS(b, z, 1.0f);\n")).verdict("// behind") == kHazard);
  // One call after another, in a loop only.
  CHECK(Decided(text("", "  for (int32_t i = 0; i < n; ++i) {\n    helper(4096);\n  }\n")).verdict("// inside") == kHazard); // y over y
}

TEST_CASE("trap 13: the end fence and a fallback PIPE_ALL are told apart", "[traps]") {
  const std::string head = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";
  const std::string tail = "static AICORE inline void ptoas_auto_sync_tail() {\n  pipe_barrier(PIPE_ALL);\n}\n";
  auto text = [&](const std::string &end) {
    return head + tail + "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, int32_t n) {\n" + rowsAt("a", 4, "0") +
           rowsAt("b", 4, "1024") + rowsAt("c", 4, "2048") + kWrite + "  pipe_barrier(PIPE_ALL) ; // middle\n  TADDS(c, b, 1.0f);\n" + end + "}\n";
  };
  // In front of a tail that drains everything itself, or in the middle, it may go.
  Decided fallback(text("  pipe_barrier(PIPE_ALL) ; // barrier\n  ptoas_auto_sync_tail(); // tail\n"));
  CHECK(fallback.verdict("// middle") == kRemoved);
  CHECK(fallback.verdict("// barrier") == kRemoved);
  // As the kernel's own end fence it stays.
  Decided own(text("  pipe_barrier(PIPE_ALL) ; // barrier\n"));
  CHECK(own.verdict("// middle") == kRemoved);
  CHECK(own.verdict("// barrier") == kHazard);
  // So it does in front of an early return.
  Decided early(text("  if (n > 3) {\n  pipe_barrier(PIPE_ALL) ; // barrier\n  return;\n  }\n  ptoas_auto_sync_tail(); // tail\n"));
  CHECK(early.verdict("// barrier") == kHazard);
}

TEST_CASE("trap 14: intent", "[traps]") {
  CHECK(verdictOf(kWrite + "  pipe_barrier(PIPE_V); /* ptosync: keep(timing) */ // barrier\n" + kUnrelated) == "kept: protected");
  CHECK(verdictOf(kWrite + "  // ptosync: keep(timing)\n  pipe_barrier(PIPE_V); // barrier\n" + kUnrelated) == "kept: protected");
  CHECK(verdictOf(kWrite + kBarrier + kUnrelated) == kRemoved);
  // A kept one still orders: it may be the reason for another to go.
  Decided kernel(usualKernel(kWrite + "  pipe_barrier(PIPE_V); // ptosync: keep(timing)\n  pipe_barrier(PIPE_V); // other\n" + kRead));
  CHECK(kernel.verdict("// other") == kRemoved);
}

TEST_CASE("trap 15: two names, one storage", "[traps]") {
  // The accumulator by two names at one address.
  std::string twice = matrixTiles() + tileIn("Acc", "e", "float", "16, 16", "16, 16", "0", "BLayout::ColMajor", "SLayout::RowMajor");
  Decided product(vectorKernel(twice + "  TMATMUL(c, l, r);\n  pipe_barrier(PIPE_M); // barrier\n  TMATMUL_ACC(e, e, l, r);\n"));
  CHECK(product.verdict("// barrier") == kHazard);
  CHECK(product.witness("// barrier") == "RAW TMATMUL(c, l, r) -> TMATMUL_ACC(e, e, l, r) on L0C [0, 1024)");
  // The row sum through a reshape that stands far above.
  std::string reshaped = columnTile("column", "float", 32, 65536) + tileIn("Vec", "row", "float", "1, 32", "1, 32", "66560") +
                         tileIn("Vec", "total", "float", "1, 32", "1, 32", "67584");
  std::string text = usualKernel(reshaped + rowsAt("x", 32, "98304") + rowsAt("tmp", 32, "114688") + "  TRESHAPE(row, column);\n" +
                                 kUnrelated + "  TROWSUM(column, x, tmp);\n" + kBarrier + "  TADD(total, total, row);\n");
  Decided sum(text);
  CHECK(sum.verdict("// barrier") == kHazard);
  CHECK(sum.witness("// barrier") == "RAW TROWSUM(column, x, tmp) -> TADD(total, total, row) on UB [65536, 65664)");
  CHECK(Decided(text, {"--trust=library"}).verdict("// barrier") == kRemoved); // the sum's own barrier
  // And one name, two storages.
  CHECK(verdictOf(kWrite + kBarrier + "  TASSIGN(a, (uint64_t) 65536);\n" + kRead) == kRemoved);
}

TEST_CASE("trap 16: decisions depend on what overlaps, not on where it lies", "[traps]") {
  auto text = [](std::map<std::string, unsigned> at) {
    std::string tiles;
    for (const auto &[name, address] : at)
      tiles += rowsAt(name, name[0] >= 'p' ? 16 : 4, std::to_string(address));
    return vectorKernel(tiles + "  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, a, 1.0f);\n  pipe_barrier(PIPE_V); // two\n"
                                "  TADDS(p, q, 1.0f);\n  pipe_barrier(PIPE_V); // three\n  TADDS(r, p, 1.0f);\n  pipe_barrier(PIPE_V); // four\n"
                                "  TADDS(d, b, 1.0f);\n");
  };
  std::map<std::string, unsigned> layout = {{"a", 0}, {"b", 1024}, {"c", 2048}, {"d", 3072}, {"p", 8192}, {"q", 12288}, {"r", 16384}};
  auto verdicts = [&](const std::map<std::string, unsigned> &at) {
    Decided kernel(text(at));
    std::string result;
    for (const char *mark : {"// one", "// two", "// three", "// four"})
      result += kernel.verdict(mark) + "; ";
    return result;
  };
  std::string expected = verdicts(layout);
  CHECK(expected == "kept: hazard; removed; removed; removed; ");
  // Moved as a whole, turned around, spread out.
  std::map<std::string, unsigned> moved = layout, reversed = layout, spread;
  for (auto &[name, address] : moved)
    address += 32768;
  for (auto &[name, address] : reversed)
    address = 65536 - address;
  unsigned next = 160;
  for (const auto &[name, address] : layout) {
    spread[name] = next;
    next += 12288;
  }
  CHECK(verdicts(moved) == expected);
  CHECK(verdicts(reversed) == expected);
  CHECK(verdicts(spread) == expected);
  // One overlap more: d over c, of which only the last row is shared.
  std::map<std::string, unsigned> overlapping = layout;
  overlapping["d"] = 2048 + 992;
  CHECK(verdicts(overlapping) != expected);
  // The chain's exact reader is no longer exact when the tile before it reaches in.
  overlapping = layout;
  overlapping["q"] = 8192 + 4064;
  CHECK(verdicts(overlapping) == "kept: hazard; removed; removed; removed; "); // q is only read
  overlapping["r"] = 8192 + 4064; // r overlaps p's last block: WAR and WAW beside the exact access
  CHECK(verdicts(overlapping) == "kept: hazard; removed; kept: hazard; removed; ");
}

namespace {

/// Loads run ahead of the adds by the two slots of a ring: primed before the loop, drained behind it.
std::string pipelined(const std::string &bound, const std::string &between) {
  return "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);\n" +
         loop(bound, "  event_t id = (event_t) (i % 2 == 1 ? 1 : 0);\n" + rowsAt("w", 4, "i % 2 == 1 ? 66560 : 65536") +
                         "  wait_flag(PIPE_V, PIPE_MTE2, id);\n  TLOAD(w, g);\n  set_flag(PIPE_MTE2, PIPE_V, id);\n"
                         "  wait_flag(PIPE_MTE2, PIPE_V, id);\n" +
                         between + "  TADDS(a, w, 1.0f);\n  set_flag(PIPE_V, PIPE_MTE2, id);\n") +
         "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);\n";
}

} // namespace

TEST_CASE("trap 18: software-pipelined rings, primed before and drained behind the loop", "[traps]") {
  for (const char *bound : {"n", "0", "1", "2", "3", "4", "7"}) {
    INFO("trips: " << bound);
    Decided kernel(usualKernel(pipelined(bound, kBarrier)));
    CHECK(kernel.outcome.result.tokenFaults.empty());
    CHECK(kernel.outcome.result.unresolved.empty()); // the flags order loads and adds
    bool runs = std::string(bound) != "0";
    CHECK(kernel.verdict("// barrier") == (runs ? kHazard : "kept: unreached")); // each trip writes a
  }
  // Without the way back the load of trip two runs over the tile that trip zero still reads.
  Decided open(usualKernel(loop("n", rowsAt("w", 4, "i % 2 == 1 ? 66560 : 65536") + "  TLOAD(w, g);\n" + flag("PIPE_MTE2, PIPE_V", 0) +
                                         "  TADDS(a, w, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // barrier\n")));
  CHECK(open.verdict("// barrier") == kHazard);
}

TEST_CASE("trap 19: a valid region known at run time is no exact access", "[traps]") {
  auto text = [](const std::string &region, const std::string &arguments) {
    return tileIn("Vec", "x", "float", "32, 64", region, "65536", "BLayout::RowMajor", "SLayout::NoneBox", arguments) + rowsAt("y", 32, "98304") +
           "  TEXPANDS(x, 1.0f);\n" + kBarrier + "  TEXP(x, x);\n";
  };
  CHECK(verdictOf(text("32, 64", "")) == kRemoved);
  CHECK(verdictOf("  int32_t v = n;\n" + text("-1, 64", "(v < 32 ? v : 32)")) == kHazard);
  CHECK(verdictOf("  int32_t v = 32;\n" + text("-1, 64", "(v)")) == kRemoved); // one constant on every path
  CHECK(verdictOf("  int32_t v = 32;\n  if (n > 3) {\n    v = 31;\n  }\n" + text("-1, 64", "(v)")) == kHazard);
  // Set again between the two: the reader sees other rows than the writer wrote.
  CHECK(verdictOf(tileIn("Vec", "x", "float", "32, 64", "-1, -1", "65536", "BLayout::RowMajor", "SLayout::NoneBox", "(32, 64)") +
                  "  TEXPANDS(x, 1.0f);\n  x.SetValidShape(31, 64);\n" + kBarrier + "  TEXP(x, x);\n") == kHazard);
}

TEST_CASE("trap 20: a tile that a branch or loop assigns anew stands for several storages", "[traps]") {
  const std::string other = rowsAt("x", 4, "65536") + rowsAt("y", 4, "66560");
  const std::string assign = "    TASSIGN(x, (uint64_t) 0);\n"; // where a lies
  CHECK(verdictOf(other + kWrite + kBarrier + "  TADDS(y, x, 1.0f);\n") == kRemoved);
  CHECK(verdictOf(other + kWrite + "  if (n > 3) {\n" + assign + "  }\n" + kBarrier + "  TADDS(y, x, 1.0f);\n") == kHazard);
  // At the end of a loop's body: from the second trip on.
  CHECK(verdictOf(other + kWrite + loop("n", kBarrier + "  TADDS(y, x, 1.0f);\n" + assign)) == kHazard);
  // As a variable, or by assigning the tile itself.
  CHECK(verdictOf(other + kWrite + "  if (n > 3) {\n    x = a;\n  }\n" + kBarrier + "  TADDS(y, x, 1.0f);\n") == kHazard);
  // The chain rule does not hold for one of two storages.
  CHECK(verdictOf(rowsAt("x", 16, "n > 3 ? 8192 : 12288") + "  TADDS(p, q, 1.0f);\n" + kBarrier + "  TADDS(s, x, 1.0f);\n") == kHazard);
  // Ping and pong change places.
  const std::string swap = "  int64_t ping = 65536;\n  int64_t pong = 66560;\n" +
                           loop("n", rowsAt("x", 4, "ping") + rowsAt("y", 4, "pong") + kBarrier +
                                         "  TADDS(y, x, 1.0f);\n    int64_t old = ping;\n    ping = pong;\n    pong = old;\n");
  CHECK(verdictOf(swap) == kHazard);
}

TEST_CASE("trap 20: a value of a loop's last round is not the round's before", "[traps]") {
  // Bottom-tested loops: `off` is loaded in the inner one; the write of an earlier outer round may be what is read.
  CHECK(verdictOf("  int32_t i = 0;\n  int64_t off = 0;\n  __gm__ int32_t *table = (__gm__ int32_t *) in;\nouter:\ninner:\n"
                  "  off = (int64_t) table[i] * 1024;\n  i = i + 1;\n  if (i < n) goto inner;\n" +
                  rowsAt("w", 4, "off") + rowsAt("x", 4, "off + 1024") + "  TADDS(w, x, 1.0f);\n  if (i < n * 2) goto outer;\n" +
                  rowsAt("y", 4, "off + 2048") + rowsAt("z", 4, "off + 3072") + kBarrier + "  TADDS(y, z, 1.0f);\n") != kRemoved);
}

TEST_CASE("trap 20: addresses that are handed on over many rounds", "[traps]") {
  std::string declarations = "  int64_t s0 = 0;\n", moves;
  for (int i = 1; i <= 30; ++i) {
    declarations += "  int64_t s" + std::to_string(i) + " = 65536;\n";
    moves = "    s" + std::to_string(i) + " = s" + std::to_string(i - 1) + ";\n" + moves;
  }
  Decided kernel(usualKernel(declarations + loop("n", kWrite + kBarrier + rowsAt("x", 4, "s30") +
                                                          "  TADDS(c, x, 1.0f);\n  pipe_barrier(PIPE_V); // end of trip\n" + moves)));
  CHECK(kernel.verdict("// barrier") != kRemoved);
}

TEST_CASE("trap 21: a tensor that arrives as a parameter", "[traps]") {
  const std::string tensor = "GlobalTensor<float, pto::Shape<1, 1, 1, -1, -1>, pto::Stride<-1, -1, -1, -1, -1>, pto::Layout::ND>";
  auto text = [&](const std::string &second) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nextern \"C\" __global__ AICORE void k(" + tensor + " t, __gm__ float *in, __gm__ float *out) {\n" +
           rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + tensorAt("h", "out") +
           "  TSTORE(t, a);\n  pipe_barrier(PIPE_MTE3); // barrier\n  TSTORE(" + second + ", b);\n}\n";
  };
  CHECK(Decided(text("t")).verdict("// barrier") != kRemoved);                       // itself, of unknown extent
  CHECK(Decided(text("h"), {"--gm-may-alias"}).verdict("// barrier") != kRemoved);
}

TEST_CASE("trap 22: a false hazard of the input must not hide the sync that orders it", "[traps]") {
  // The flag's lane cannot be followed, so the load and its reader look unordered; the barrier in the arm may be
  // what orders them.
  CHECK(verdictOf(kWrite + "  if (n > 3) {\n" + kBarrier + "  }\n" + kRead) == kUnresolved);
  const std::string lane = "  set_flag(PIPE_MTE2, PIPE_V, (event_t) (n & 1));\n  wait_flag(PIPE_MTE2, PIPE_V, (event_t) (n & 1));\n";
  Decided kernel(usualKernel("  TLOAD(a, g);\n" + lane + "  if (n > 3) {\n  pipe_barrier(PIPE_ALL) ; // barrier\n  }\n" + kRead));
  CHECK(kernel.verdict("// barrier") == kUnresolved);
  CHECK(kernel.witness("// barrier") == "RAW TLOAD(a, g) -> TADDS(c, a, 1.0f) on UB [0, 1024)");
  // Written under a condition, ordered under the same one, read under it: seen unordered, ordered in truth.
  CHECK(verdictOf("  if (n > 3) {\n" + kWrite + "  }\n  if (n > 3) {\n" + kBarrier + "  }\n  if (n > 3) {\n" + kRead + "  }\n") == kUnresolved);
  // A site that no such pair could need goes all the same.
  Decided beside(usualKernel(kWrite + kRead + "  pipe_barrier(PIPE_V); // barrier\n  TADDS(q, q, 1.0f);\n"));
  CHECK(beside.verdict("// barrier") == kRemoved);
}

TEST_CASE("trap 22: in the rounds of a loop", "[traps]") {
  std::string reader = rowsAt("w", 4, "65536 + i * 1024") + "  TADDS(w, a, 1.0f);\n";
  CHECK(verdictOf(kWrite + loop("8", reader + kBarrier)) == kUnresolved);
}
