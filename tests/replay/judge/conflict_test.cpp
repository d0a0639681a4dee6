#include "replay/judge/conflict.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

/// The conflict between the first two instructions of a body: "RAW UB [0, 4096)", "" for none.
std::string conflict(const std::string &body, bool carried = false, Options options = {},
                     const std::string &arch = "a3", std::size_t first = 0) {
  Replayed kernel(vectorKernel(body), options, arch);
  kernel.run();
  auto view = [&](std::size_t i) {
    const Work &work = kernel.subject->works[kernel.trace.instances[i].work];
    return PhaseView{work, work.phases.back()}; // of several the last: not the scalar unit's part of a fence
  };
  std::optional<replay::Conflict> found = kernel.rules.between(view(first), view(first + 1), carried);
  if (!found)
    return "";
  return std::string(conflictName(found->kind)) +
         (found->kind == ConflictKind::Fence ? "" : " " + kernel.rules.describe(found->bytes));
}

const std::string kLong =
    tile("a", "float", 16, 64, 0) + tile("b", "float", 16, 64, 4096) + tile("c", "float", 16, 64, 8192);
const std::string kShort = tile("a", "float", 8, 64, 0) + tile("b", "float", 8, 64, 4096);

} // namespace

TEST_CASE("replay: RAW, WAR, WAW and disjoint bytes") {
  CHECK(conflict(kShort + "  TEXP(b, a);\n  TEXP(a, b);\n") == "RAW UB [4096, 6144)");
  CHECK(conflict(kShort + "  TEXPANDS(a, 1.0f);\n  TEXP(a, b);\n") == "WAW UB [0, 2048)");
  CHECK(conflict(kShort + "  TEXP(a, b);\n  TEXPANDS(b, 1.0f);\n") == "WAR UB [4096, 6144)");
  CHECK(conflict(kShort + "  TEXP(a, a);\n  TEXP(b, a);\n") == "RAW UB [0, 2048)");
  CHECK(conflict(kShort + "  TEXPANDS(a, 1.0f);\n  TEXPANDS(a, 1.0f);\n") == "WAW UB [0, 2048)");
  CHECK(conflict(kShort + "  TEXP(a, a);\n  TEXP(b, b);\n") == "");
}

TEST_CASE("replay: a chain of sixteen repeats on exactly the same access needs no order") {
  CHECK(conflict(kLong + "  TEXP(a, b);\n  TEXP(c, a);\n") == "");
  CHECK(conflict(kLong + "  TEXP(a, a);\n  TEXP(a, a);\n") == "");
  CHECK(conflict(kLong + "  TEXP(a, b);\n  TEXP(b, a);\n") == "WAR UB [4096, 8192)"); // another access
  CHECK(conflict(kLong + "  TEXP(a, b);\n  TEXP(a, b);\n") == "WAW UB [0, 4096)");    // no RAW to accompany
  CHECK(conflict(kLong + "  TEXP(a, b);\n  TEXP(c, a);\n", /*carried=*/true) == "RAW UB [0, 4096)");
  CHECK(conflict(kShort + "  TEXP(a, b);\n  TADDS(a, a, 1.0f);\n") == "RAW UB [0, 2048)"); // eight repeats
}

TEST_CASE("replay: a chain needs every byte to be read late enough") {
  auto wide = [](unsigned rows) {
    return tile("a", "float", rows, 256, 0) + tile("b", "float", rows, 256, 65536) +
           columnTile("s", "float", 16, 131072) + columnTile("t", "float", 16, 135168) +
           tile("m", "float", 16, 64, 139264);
  };
  Options assembler;
  assembler.assemblerChain = true;
  const std::string columns = "  TEXP(a, a);\n  TROWEXPANDSUB(a, a, s);\n";
  CHECK(conflict(wide(4) + columns) == "RAW UB [0, 4096)");
  CHECK(conflict(wide(4) + columns, false, assembler) == "");
  CHECK(conflict(wide(16) + columns) == "");
  CHECK(conflict(wide(4) + "  TROWEXPANDSUB(a, a, s);\n  TEXP(a, a);\n") == "RAW UB [0, 4096)");
  CHECK(conflict(wide(4) + "  TEXP(a, a);\n  TROWSUM(t, a, m);\n") == "RAW UB [0, 4096)");
  CHECK(conflict(wide(16) + "  TEXP(a, a);\n  TROWSUM(t, a, m);\n") == "");
  CHECK(conflict(wide(4) + "  TEXP(a, a);\n  TEXP(b, a);\n") == "");
}

TEST_CASE("replay: what is touched beyond the valid region or the scratch") {
  const std::string gap = "  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 16> a; TASSIGN(a, 0);\n" +
                          tile("g", "float", 1, 32, 128);
  CHECK(conflict(gap + "  TEXPANDS(a, 1.0f);\n  TEXP(g, g);\n") == "RAW UB [128, 256)");
  CHECK(conflict(gap + "  TEXP(a, a);\n  TEXP(g, g);\n") == "");
  const std::string behind = tile("a", "float", 16, 128, 0) + columnTile("d", "float", 16, 16384) +
                             tile("s", "float", 16, 8, 32768) + tile("x", "float", 1, 32, 33280);
  CHECK(conflict(behind + "  TROWMAX(d, a, s);\n  TEXP(x, x);\n") == "RAW UB [33280, 33408)");
}

TEST_CASE("replay: a scratch operand is part of no chain") {
  std::string tiles =
      tile("a", "float", 16, 64, 0) + tile("s", "float", 16, 64, 4096) + columnTile("r", "float", 16, 16384);
  CHECK(conflict(tiles + "  TEXP(s, a);\n  TROWSUM(r, a, s);\n") != "");
}

TEST_CASE("replay: a5 orders vector instructions by itself, unless told otherwise") {
  CHECK(conflict(kShort + "  TEXP(a, b);\n  TEXP(b, a);\n", true, {}, "a5") == "");
  Options off;
  off.vectorOrder = false;
  CHECK(conflict(kShort + "  TEXP(a, b);\n  TEXP(b, a);\n", true, off, "a5") == "RAW UB [0, 2048)");
}

TEST_CASE("replay: scalar work is in program order") {
  CHECK(conflict(kShort + "  a.SetValue(0, 1.0f);\n  a.SetValue(0, 2.0f);\n") == "");
  CHECK(conflict(kShort + "  TEXP(a, b);\n  a.SetValue(0, 2.0f);\n") != "");
}

TEST_CASE("replay: two arguments do not overlap, unless told otherwise") {
  std::string tensors = kShort + "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                                 "pto::Layout::ND> g(in), h(out);\n";
  CHECK(conflict(tensors + "  TSTORE(g, a);\n  TSTORE(h, b);\n") == "");
  CHECK(conflict(tensors + "  TSTORE(g, a);\n  TSTORE(g, b);\n") == "WAW GM of argument 1 [0, 2048)");
  Options alias;
  alias.argumentsMayAlias = true;
  CHECK(conflict(tensors + "  TSTORE(g, a);\n  TSTORE(h, b);\n", false, alias) == "WAW GM of argument 2 [0, 2048)");
}

TEST_CASE("replay: calls may follow one another on the hidden scratch, tiles may not") {
  std::string tiles = tile("a", "float", 8, 64, 0) + tile("b", "float", 8, 64, 4096) +
                      columnTile("r", "float", 8, 8192) + tile("h", "float", 8, 64, 188416);
  CHECK(conflict(tiles + "  TROWEXPANDDIV(a, a, r);\n  TROWEXPANDDIV(b, b, r);\n") == "");
  CHECK(conflict(tiles + "  TROWEXPANDDIV(a, a, r);\n  TEXP(h, h);\n") != "");
}

TEST_CASE("replay: fences keep what precedes them, and releases only that") {
  CHECK(conflict(kShort + "  TEXP(a, a);\n  TFROBNICATE(b);\n") == "fence");
  CHECK(conflict(kShort + "  TFROBNICATE(b);\n  TEXP(a, a);\n") == "fence");
  std::string fifo =
      kShort +
      "  auto f = TPipe<0, Direction::DIR_C2V, 4096, 2, 2, true>(in, 8192, 0);\n"
      "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g(in);\n";
  const std::string free =
      "  TFREE<TPipe<0, Direction::DIR_C2V, 4096, 2, 2, true>, decltype(g), TileSplitAxis::TILE_NO_SPLIT>(f, g);\n";
  CHECK(conflict(fifo + "  TLOAD(a, g);\n" + free) == "fence");
  CHECK(conflict(fifo + free + "  TLOAD(a, g);\n") == "");
}

TEST_CASE("replay: an acquire holds what follows it, and waits only for other fences") {
  std::string fifo =
      kShort +
      "  auto f = TPipe<0, Direction::DIR_C2V, 4096, 2, 2, true>(in, 8192, 0);\n"
      "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g(in);\n";
  const std::string pop =
      "  TPOP<TPipe<0, Direction::DIR_C2V, 4096, 2, 2, true>, decltype(b), TileSplitAxis::TILE_NO_SPLIT>(f, b);\n";
  auto onA5 = [&](const std::string &body) { return conflict(fifo + body, false, {}, "a5"); };
  CHECK(onA5("  TLOAD(a, g);\n" + pop) == "");
  CHECK(onA5(pop + "  TLOAD(a, g);\n") == "fence");
  CHECK(onA5(pop + pop) == "fence");
  // A pop that gives the slot back itself holds what precedes it, too.
  CHECK(conflict(fifo + "  TLOAD(a, g);\n" + pop) == "fence");
  CHECK(conflict(fifo + "  TSTORE(g, a);\n" + pop) == "fence");
  CHECK(conflict(fifo + "  TEXP(a, a);\n" + pop) == ""); // nothing that another core can see
  CHECK(conflict(fifo + pop + "  TLOAD(a, g);\n") == "fence");
}

TEST_CASE("replay: a scalar store to global memory holds what another core can see") {
  const std::string start =
      kShort +
      "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g(in);\n";
  CHECK(conflict(start + "  TSTORE(g, a);\n  out[0] = 1.0f;\n") == "fence");
  CHECK(conflict(start + "  TLOAD(a, g);\n  out[0] = 1.0f;\n") == "fence");
  CHECK(conflict(start + "  out[0] = 1.0f;\n  TSTORE(g, a);\n") == ""); // what follows need not wait
  CHECK(conflict(start + "  TEXP(a, a);\n  out[0] = 1.0f;\n") == "");   // not seen from outside
  CHECK(conflict(start + "  TSTORE(g, a);\n  b.SetValue(0, 1.0f);\n") == "");
}

TEST_CASE("replay: a FIFO call that moves no data concerns the ring in GM, not work inside the core") {
  std::string fifos = kShort + "  auto f = TPipe<0, Direction::DIR_V2C, 4096, 2, 2, true>(in, 0, 0);\n"
                               "  auto e = TPipe<2, Direction::DIR_C2V, 4096, 2, 2, true>(out, 0, 0);\n"
                               "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                               "pto::Layout::ND> g(in), h(out);\n";
  const std::string type = "TPipe<0, Direction::DIR_V2C, 4096, 2, 2, true>",
                    other = "TPipe<2, Direction::DIR_C2V, 4096, 2, 2, true>";
  auto call = [](const char *name, const std::string &fifo, const char *arguments) {
    return std::string("  ") + name + "<" + fifo + ", decltype(g), TileSplitAxis::TILE_NO_SPLIT>(" + arguments + ");\n";
  };
  const std::string push = call("TPUSH", type, "f, g");                   // signals on MTE3
  CHECK(conflict(fifos + "  TSTORE(g, a);\n" + push) == "fence");         // its own pipe
  CHECK(conflict(fifos + "  TEXP(a, a);\n" + push) == "");                // inside the core
  CHECK(conflict(fifos + "  TLOAD(a, h);\n" + push) == "fence");          // global memory
  CHECK(conflict(fifos + push + call("TFREE", other, "e, h")) == "");     // another FIFO, another pipe
  CHECK(conflict(fifos + push + call("TFREE", type, "f, g")) == "fence"); // the same FIFO
  CHECK(conflict(fifos + "  TFROBNICATE(a);\n" + push) == "fence");
  CHECK(conflict(fifos + push + "  TSTORE(h, b);\n") == ""); // queued behind it
}

TEST_CASE("replay: a FIFO call is no fence for what no other core reaches") {
  const std::string type = "TPipe<0, Direction::DIR_BOTH, 4096, 2, 2, true>";
  const std::string fifo =
      kShort + "  auto f = " + type +
      "(in, 8192, 0);\n  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
      "pto::Layout::ND> h(out);\n";
  const std::string push = "  TPUSH<" + type + ", decltype(b), TileSplitAxis::TILE_NO_SPLIT>(f, b);\n";
  const std::string free = "  TFREE<" + type + ", TileSplitAxis::TILE_NO_SPLIT>(f);\n";
  for (const std::string arch : {"a3", "a5"}) {
    CAPTURE(arch);
    // UB is a vector core's own on a3; on a5 another core's push may store there.
    const std::string inside = arch == "a3" ? "" : "fence";
    auto between = [&](const std::string &body) { return conflict(fifo + body, false, {}, arch); };
    CHECK(between("  TEXP(a, a);\n" + push) == inside);
    CHECK(between(push + "  TEXP(a, a);\n") == inside);
    CHECK(between("  TLOAD(a, h);\n" + push) == "fence"); // global memory
    CHECK(between(push + "  TLOAD(a, h);\n") == "fence");
    CHECK(between("  TEXP(b, a);\n" + push) != ""); // what it pushes
    CHECK(between(push + free) == "fence");         // two calls
    CHECK(between("  TFROBNICATE(a);\n" + push) == "fence");
  }
}

TEST_CASE("replay: the order of accumulations excuses only if it is relied on") {
  auto cube = [](const std::string &type, const std::string &name, const std::string &outer, const std::string &inner) {
    return "  Tile<TileType::" + type + ", float, 16, 16, BLayout::" + outer + ", 16, 16, SLayout::" + inner +
           ", 512, PadValue::Null, CompactMode::Null> " + name + "; TASSIGN(" + name + ", (uint64_t) 0);\n";
  };
  std::string tiles = cube("Left", "l", "RowMajor", "RowMajor") + cube("Right", "r", "RowMajor", "ColMajor") +
                      cube("Acc", "c", "ColMajor", "RowMajor");
  Options rely;
  rely.accumulateOrder = true;
  const std::string chain = tiles + "  TMATMUL(c, l, r);\n  TMATMUL_ACC(c, c, l, r);\n";
  CHECK(conflict(chain) == "RAW L0C [0, 1024)");
  CHECK(conflict(chain, true, rely) == "");
  CHECK(conflict(tiles + "  TMATMUL_ACC(c, c, l, r);\n  TMATMUL(c, l, r);\n", false, rely) == "WAW L0C [0, 1024)");
}

TEST_CASE("replay: a release does not have to be over before an acquire behind it") {
  // The signal is on its way: whatever the wait waits for, it cannot hold the signal up.
  const std::string fifo = "  auto f = TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>(in, 0, 0);\n"
                           "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                           "pto::Layout::ND> slot(nullptr);\n";
  const std::string push = "  TPUSH<decltype(f), decltype(slot), TileSplitAxis::TILE_UP_DOWN>(f, slot);\n";
  const std::string alloc = "  TALLOC<decltype(f), decltype(slot), TileSplitAxis::TILE_UP_DOWN>(f, slot);\n";
  const std::string all = "  pipe_barrier(PIPE_ALL);\n";
  CHECK(difference(fifo + push + all + alloc, fifo + push + alloc) == "");
  CHECK(difference(fifo + alloc + all + push, fifo + alloc + push) != "");
}

TEST_CASE("replay: an entry of a ring may begin inside of its slot") {
  // Split over two sub-cores, the second one's entry begins behind the first one's: in the middle of the slot, or at
  // the end of its first row.
  auto tensor = [](const std::string &name, const std::string &strides, const std::string &pointer) {
    return "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<" + strides + ">, pto::Layout::ND> " + name +
           "(" + pointer + ");\n";
  };
  auto ofPop = [&](const std::string &split, const std::string &strides, unsigned elementsBehind) {
    return conflict("  auto f = TPipe<2, Direction::DIR_C2V, 4096, 8, 8, false>(in, 0, 0);\n" + kShort +
                        tensor("entry", strides, "in") +
                        tensor("held", strides, "in + " + std::to_string(elementsBehind)) +
                        "  TPOP<decltype(f), decltype(entry), TileSplitAxis::" + split + ">(f, entry);\n" +
                        "  TSTORE(held, a);\n  TLOAD(b, entry);\n",
                    false, {}, "a3", 1);
  };
  const std::string rows = "512, 512, 512, 64, 1", columns = "1024, 1024, 1024, 128, 1";
  CHECK(ofPop("TILE_UP_DOWN", rows, 512).starts_with("RAW 2048 bytes of GM"));
  CHECK(ofPop("TILE_UP_DOWN", rows, 8 * 1024 - 512).starts_with("RAW 2048 bytes of GM")); // the last
  CHECK(ofPop("TILE_LEFT_RIGHT", columns, 64).starts_with("RAW"));
  CHECK(ofPop("TILE_UP_DOWN", rows, 8 * 1024) == ""); // behind the ring
}

TEST_CASE("replay: two places that are known to meet, and two that only may") {
  const std::string body = kShort + "  int64_t x = (int64_t) ((__gm__ int32_t*) in)[0] * 1024;\n"
                                    "  TASSIGN(b, (uint64_t) x);\n  TEXPANDS(a, 1.0f);\n  TEXPANDS(b, 1.0f);\n";
  const Options options;
  Replayed kernel(vectorKernel(body), options);
  const ConflictRules shown(machineOf("a3"), options, Meeting::Shown);
  auto conflicts = [&](const ConflictRules &rules, bool asDrawn, std::uint64_t seed) {
    RunRequest request;
    request.asDrawn = asDrawn;
    request.inputs.seed = seed; // 0: memory holds zeros; the last one: large numbers
    kernel.trace = interpret(*kernel.subject, request, options.budget);
    std::vector<PhaseView> views; // of the two, the load aside
    for (std::uint32_t i = 0; i < kernel.trace.instances.size(); ++i)
      if (instructionOf(kernel.trace, i).name == "TEXPANDS") {
        const Work &work = kernel.subject->works[kernel.trace.instances[i].work];
        views.push_back({work, work.phases.back()});
      }
    REQUIRE(views.size() == 2);
    return rules.between(views[0], views[1], false).has_value();
  };
  CHECK(conflicts(kernel.rules, false, 0));
  CHECK(conflicts(kernel.rules, false, MemoryContents::kLast));
  CHECK_FALSE(conflicts(shown, false, 0)); // the number stands for any
  CHECK(conflicts(shown, true, 0));
  CHECK_FALSE(conflicts(shown, true, MemoryContents::kLast));
}
