#include "optimize/pins.h"

#include "optimize/decided.h"
#include "optimize/edit_session.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Whether an open conflict of the kernel pins the barrier on the marked line.
bool pinned(const std::string &statements, const std::string &mark = "// barrier") {
  Analysed kernel(usualKernel(statements));
  return !Pins(*kernel.program, *kernel.pending).ofBarrier(kernel.site(mark)).empty();
}

const std::string kWrite = "  TADDS(a, b, 1.0f);\n", kPinnedRead = "  TADDS(c, a, 1.0f);\n";
const std::string kArm = "  if (n > 3) {\n" + kBarrier + "  }\n";

} // namespace

TEST_CASE("pins: without open conflicts there are none", "[pins]") {
  CHECK_FALSE(pinned(kWrite + kBarrier + kPinnedRead));
}

TEST_CASE("pins: a barrier between the two of an open pair", "[pins]") {
  CHECK(pinned(kWrite + kArm + kPinnedRead));
  CHECK(pinned(kWrite + "  if (n > 3) {\n  TADDS(d, b, 1.0f);\n" + kBarrier + "  TADDS(d, b, 1.0f);\n  }\n" +
               kPinnedRead));
}

TEST_CASE("pins: not one before or behind both", "[pins]") {
  CHECK_FALSE(pinned(kBarrier + kWrite + kPinnedRead));
  CHECK_FALSE(pinned(kWrite + kPinnedRead + kBarrier));
  CHECK_FALSE(pinned(kWrite + "  if (n > 3) {\n" + kPinnedRead + kBarrier + "  }\n"));
}

TEST_CASE("pins: not one on a path that does not lead from the first to the second", "[pins]") {
  CHECK_FALSE(pinned("  if (n > 3) {\n" + kWrite + kPinnedRead + "  } else {\n" + kBarrier + "  }\n"));
}

TEST_CASE("pins: in a loop, for pairs of different iterations", "[pins]") {
  // The reader comes first in the text, the barrier on one path only.
  CHECK(pinned("  for (int32_t i = 0; i < n; ++i) {\n" + kPinnedRead + kWrite + kArm + "  }\n"));
  CHECK(pinned("  for (int32_t i = 0; i < n; ++i) {\n" + kArm + kPinnedRead + kWrite + "  }\n"));
}

TEST_CASE("pins: one in a loop between the two, which may run or not", "[pins]") {
  // Zero trips leave the pair unordered; one trip orders it, and must go on doing so.
  CHECK(pinned(kWrite + "  for (int32_t i = 0; i < n; ++i) {\n" + kBarrier + "  }\n" + kPinnedRead));
}

TEST_CASE("pins: one behind the reader that orders the reader's next iteration", "[pins]") {
  // Writer before the loop, reader in it, barrier behind the reader: all iterations but the first are ordered.
  std::string reader = rowsAt("w", 4, "32768 + i * 1024") + "  TADDS(w, a, 1.0f);\n";
  CHECK(pinned(kWrite + "  for (int32_t i = 0; i < 8; ++i) {\n" + reader + kBarrier + "  }\n"));
}

TEST_CASE("pins: one between a loop's work and what follows the loop", "[pins]") {
  CHECK(pinned("  for (int32_t i = 0; i < n; ++i) {\n" + kWrite + "  }\n" + kArm + kPinnedRead));
}

TEST_CASE("pins: pipes", "[pins]") {
  // The load and its reader are ordered by nothing; a barrier of MTE3 has no part in it, PIPE_ALL has.
  const std::string load = "  TLOAD(a, g);\n";
  CHECK_FALSE(pinned(load + "  if (n > 3) {\n  pipe_barrier(PIPE_MTE3); // barrier\n  }\n" + kPinnedRead));
  CHECK(pinned(load + "  if (n > 3) {\n  pipe_barrier(PIPE_ALL) ; // barrier\n  }\n" + kPinnedRead));
}

TEST_CASE("pins: a silenced pair pins too", "[pins]") {
  // Loads over loads: contested, so it justifies nothing.
  CHECK(pinned("  TLOAD(a, g);\n  if (n > 3) {\n  pipe_barrier(PIPE_MTE2); // barrier\n  }\n  TLOAD(a, g);\n"));
}

TEST_CASE("pins: the pair is named, and other sites are left alone", "[pins]") {
  Decided kernel(usualKernel(kWrite + kArm + kPinnedRead + "  pipe_barrier(PIPE_V); // later\n  TADDS(d, b, 1.0f);\n"));
  CHECK(kernel.verdict("// barrier") == "kept: unresolved");
  CHECK(kernel.witness("// barrier") == "RAW TADDS(a, b, 1.0f) -> TADDS(c, a, 1.0f) on UB [0, 1024)");
  CHECK(kernel.verdict("// later") == "removed");
  REQUIRE(kernel.outcome.result.unresolved.size() == 1);
  CHECK(kernel.outcome.result.unresolved[0].silencedBy == "");
}

namespace {

const std::string kPipes = "PIPE_MTE2, PIPE_MTE3";
const std::string kPush =
    "  TPUSH<TPipe<2, Direction::DIR_V2C, 2048, 8, 2, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>,"
    " pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(fifo, slot); // push\n";
const std::string kPushed =
    "  auto fifo = TPipe<2, Direction::DIR_V2C, 2048, 8, 2, false>(in, 147456, 147456);\n" + tensorAt("slot", "in");

/// A load, and a push behind it, which is a fence for it; what stands between them is what orders the two.
struct Held {
  explicit Held(const std::string &between)
      : module(lift(usualKernel(kPushed + "  TLOAD(a, g); // load\n" + between + kPush))),
        catalogue(llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("default"))) {}

  std::set<SiteId> marked(const std::string &mark) const {
    std::set<SiteId> sites;
    for (SiteId site = 0; site < module.sites.size(); ++site)
      if (module.source.line(module.sites[site].line).find(mark) != std::string::npos)
        sites.insert(site);
    return sites;
  }

  /// A session that is held against the kernel without what is marked "// extra", or against none.
  EditSession session(bool held) {
    reference = llvm::cantFail(referenceOf(module.kernels[0], marked("// extra"), machineOf("a3"), {}));
    return EditSession(module, {0}, machineOf("a3"), catalogue, options, held ? &reference : nullptr);
  }

  /// True if the flag that is marked goes.
  bool removes(EditSession &session, const std::string &mark) const {
    const std::vector<Web> webs = session.kernel(0).webs();
    for (const Web &web : webs)
      if (web.sites() == marked(mark)) {
        if (session.tryRemoval(web.sites(), session.openPairsOf(web)))
          return false;
        session.commit();
        return true;
      }
    FAIL("no such flag: " << mark);
    return false;
  }

  Module module;
  Catalogue catalogue;
  OptimizeOptions options;
  Reference reference;
};

std::string flag(const std::string &mark, int id) { return setFlag(mark, id, kPipes) + waitFlag(mark, id, kPipes); }

/// Either of the two flags may go, and then the other one stays.
void keepsOneOfTwo(Held &kernel) {
  EditSession first = kernel.session(true);
  CHECK(kernel.removes(first, "// extra"));
  CHECK_FALSE(kernel.removes(first, "// own"));
  EditSession second = kernel.session(true);
  CHECK(kernel.removes(second, "// own"));
  CHECK_FALSE(kernel.removes(second, "// extra"));
}

} // namespace

TEST_CASE("reference: an order relative to a fence that nobody asked for may go again", "[reference]") {
  Held kernel(flag("extra", 1));
  EditSession held = kernel.session(true), free = kernel.session(false);
  CHECK_FALSE(kernel.reference.open.empty());
  CHECK(kernel.removes(held, "// extra"));
  CHECK_FALSE(kernel.removes(free, "// extra"));
}

TEST_CASE("reference: an order that the kernel has without it must stay, whoever gives it", "[reference]") {
  Held kernel(flag("own", 0) + flag("extra", 1));
  keepsOneOfTwo(kernel);
}

TEST_CASE("reference: so must one that it has on one path", "[reference]") {
  Held kernel("  if (n > 3) {\n" + flag("own", 0) + "  }\n" + flag("extra", 1));
  keepsOneOfTwo(kernel);
}

TEST_CASE("reference: a conflict that is ordered is never opened again", "[reference]") {
  // The store reads what the load writes, and nothing but the flag that was put in orders them.
  Held kernel(flag("extra", 1) + "  TSTORE(h, a);\n");
  EditSession held = kernel.session(true);
  CHECK_FALSE(kernel.removes(held, "// extra"));
}
