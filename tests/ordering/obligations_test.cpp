// What must be ordered, kind by kind, and that whoever decides sees every kind.
#include "ordering/obligations.h"

#include "optimize/pins.h"
#include "ordering/analysis.h"

#include <catch2/catch.hpp>

#include <set>
#include <tuple>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kRareSignal = "  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 1>, pto::Stride<1, 1, 1, 1, 1>, "
                                "pto::Layout::ND> s((__gm__ int32_t *) out);\n";
const std::string kRarePipe = "TPipe<0, Direction::DIR_C2V, 1024, 4, 4, false>";
const std::string kRareFifo = "  auto f = " + kRarePipe + "(in, (int32_t) 32768, (int32_t) 0);\n";
const std::string kRarePop = "  TPOP<" + kRarePipe +
                             ", GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, "
                             "256, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_NO_SPLIT>(f, g);";

std::string manyTimes(const std::string &body) { return "  for (int32_t i = 0; i < n; ++i) {\n" + body + "  }\n"; }

std::string rarely(const std::string &body) { return "  if (n % 1009 == 640) {\n" + body + "  }\n"; }

std::string flagPair(const std::string &pipes, int id, const std::string &mark = "flag") {
  const std::string of = "_flag(" + pipes + ", EVENT_ID" + std::to_string(id) + "); // ";
  return "  set" + of + "set " + mark + "\n  wait" + of + "wait " + mark + "\n";
}

/// The distances, in iterations, at which a kind is open between the statements of two marks.
std::set<std::uint32_t> openDistances(const Analysed &kernel, ObligationKind kind, const std::string &earlier,
                                      const std::string &later) {
  std::set<std::uint32_t> found;
  for (const OpenObligation &open : kernel.pending->open(kind)) {
    const Node &first = kernel.program->nodes[kernel.program->nodeOfBit[open.pair.bit]];
    if (first.statement->line == kernel.line(earlier) &&
        kernel.program->nodes[open.pair.later].statement->line == kernel.line(later))
      found.insert(kernel.program->distanceOf(open.pair.bit).count);
  }
  return found;
}

bool openAtEnd(const Analysed &kernel, const std::string &mark) {
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::End))
    if (kernel.program->nodes[kernel.program->nodeOfBit[open.pair.bit]].statement->line == kernel.line(mark))
      return true;
  return false;
}

/// Whether a trial without the marked syncs is refused, or loses an order of a pair that is open.
bool isNeeded(const std::string &text, const std::vector<std::string> &marks) {
  Analysed kernel(text);
  std::set<SiteId> sites;
  for (const std::string &mark : marks)
    sites.insert(kernel.site(mark));
  Pins pins(*kernel.program, *kernel.pending);
  if (!kernel.pending->tryRemoval(sites).allowed)
    return true;
  std::vector<ConflictPair> pairs;
  if (sites.size() == 1)
    pairs = pins.ofBarrier(*sites.begin());
  for (const Web &web : findWebs(*kernel.program, kernel.pending->layout(), kernel.pending->tokens()))
    if (web.sites() == sites)
      pairs = pins.ofWeb(web);
  return kernel.pending->losesOrder(pairs).has_value();
}

} // namespace

TEST_CASE("obligations: a fence is one to its own earlier iterations, not to itself", "[obligations]") {
  const std::string loop = kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set); // call\n" +
                                                   rarely("  pipe_barrier(PIPE_ALL); // barrier\n"));
  Analysed kernel(smallBody(loop));
  std::set<std::uint32_t> open = openDistances(kernel, ObligationKind::Fence, "// call", "// call");
  CHECK(open.count(1) == 1);
  CHECK(open.count(0) == 0);
  CHECK(isNeeded(smallBody(loop), {"// barrier"}));
  Analysed ordered(
      smallBody(kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set); // call\n  pipe_barrier(PIPE_ALL);\n")));
  CHECK(openDistances(ordered, ObligationKind::Fence, "// call", "// call").empty());
  // Without the condition the trial alone sees it.
  CHECK(isNeeded(
      smallBody(kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set);\n  pipe_barrier(PIPE_ALL); // barrier\n")),
      {"// barrier"}));
}

TEST_CASE("obligations: what is open is listed at every distance", "[obligations]") {
  const std::string loop = kRareFifo + manyTimes(kRarePop + " // pop\n  TSTORE(h, a); // store\n" +
                                                 rarely(flagPair("PIPE_MTE2, PIPE_MTE3", 0)));
  Analysed kernel(smallBody(loop));
  std::set<std::uint32_t> open = openDistances(kernel, ObligationKind::Fence, "// pop", "// store");
  CHECK(open.count(0) == 1); // nothing between them orders the two
  CHECK(open.count(1) == 1); // the flag does, on some paths only
  CHECK(isNeeded(smallBody(loop), {"// set flag", "// wait flag"}));
}

TEST_CASE("obligations: the sets and waits inside a library call are uses of their flags", "[obligations]") {
  // V waits for S inside the call and the other way round, with id 0; the kernel uses V -> S, id 0, too.
  const std::string tiles = tileIn("Vec", "wide", "float", "16, 64", "16, 64", "16384") +
                            tileIn("Vec", "column", "float", "16, 1", "16, 1", "24576", "BLayout::ColMajor");
  const std::string call = "  TROWEXPAND(wide, column); // call\n", work = "  TADDS(a, b, 1.0f);\n";
  const std::string own = flagPair("PIPE_V, PIPE_S", 0, "own");
  SECTION("a set of the kernel's own behind the wait inside") {
    CHECK_FALSE(openDistances(Analysed(smallBody(tiles + call + work + own)), ObligationKind::FlagReuse, "// call",
                              "// set own")
                    .empty());
    const std::string back = flagPair("PIPE_S, PIPE_V", 5, "back");
    CHECK(openDistances(Analysed(smallBody(tiles + call + back + work + own)), ObligationKind::FlagReuse, "// call",
                        "// set own")
              .empty());
    CHECK(isNeeded(smallBody(tiles + call + back + work + own), {"// set back", "// wait back"}));
    CHECK(isNeeded(smallBody(tiles + call + rarely(back) + work + own), {"// set back", "// wait back"}));
  }
  SECTION("the set inside behind a wait of the kernel's own") {
    CHECK_FALSE(openDistances(Analysed(smallBody(tiles + work + own + call)), ObligationKind::FlagReuse, "// wait own",
                              "// call")
                    .empty());
    const std::string back = flagPair("PIPE_S, PIPE_V", 5, "back");
    CHECK(openDistances(Analysed(smallBody(tiles + work + own + back + call)), ObligationKind::FlagReuse, "// wait own",
                        "// call")
              .empty());
    CHECK(isNeeded(smallBody(tiles + work + own + back + call), {"// set back", "// wait back"}));
  }
  SECTION("not of one call behind another") {
    Analysed kernel(smallBody(tiles + call + "  TROWEXPAND(wide, column); // other\n" + work + own));
    CHECK(openDistances(kernel, ObligationKind::FlagReuse, "// call", "// other").empty());
  }
  SECTION("not of a flag between pipes that the kernel has none for") {
    Analysed kernel(smallBody(tiles + call + work));
    for (const Node &node : kernel.program->nodes)
      CHECK(node.libraryFlag == kNone);
  }
}

TEST_CASE("obligations: where a kernel returns, fences without accesses and waits count as well", "[obligations]") {
  const std::string leave = "  if (n > 3) return;\n";
  SECTION("a meeting of the cores") {
    const std::string body = "  SYNCALL(); // call\n" + rarely("  pipe_barrier(PIPE_ALL); // barrier\n") + leave;
    CHECK(openAtEnd(Analysed(smallBody(body)), "// call"));
    CHECK(isNeeded(smallBody(body), {"// barrier"}));
  }
  SECTION("a wait that other pipes do not know to be over") {
    const std::string body = "  TLOAD(a, g);\n" + flagPair("PIPE_MTE2, PIPE_V", 0, "own") +
                             rarely("  pipe_barrier(PIPE_ALL); // barrier\n") + leave;
    CHECK(openAtEnd(Analysed(smallBody(body)), "// wait own"));
    CHECK(isNeeded(smallBody(body), {"// barrier"}));
  }
  SECTION("nothing that no sync follows") {
    Analysed kernel(smallBody("  TADDS(a, b, 1.0f); // one\n  pipe_barrier(PIPE_V);\n  TADDS(c, d, 1.0f); // two\n"
                              "  if (n > 3) return;\n"));
    CHECK(openAtEnd(kernel, "// one")); // the kernel's end fence follows
    Analysed bare("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nextern \"C\" __global__ AICORE void k(__gm__ "
                  "float *in, __gm__ float *out, int32_t n) {\n" +
                  rowsAt("a", 4, "0") + "  TADDS(a, a, 1.0f); // one\n  pipe_barrier(PIPE_V);\n}\n");
    CHECK_FALSE(openAtEnd(bare, "// one"));
  }
}

TEST_CASE("obligations: a kernel is seen whole only if nothing of any kind is open", "[obligations]") {
  const std::string ordered = kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set);\n  pipe_barrier(PIPE_ALL);\n");
  CHECK(Analysed(smallBody(ordered)).pending->seenWhole());
  CHECK_FALSE(Analysed(smallBody(kRareSignal + manyTimes("  TNOTIFY(s, 1, NotifyOp::Set);\n"))).pending->seenWhole());
}
