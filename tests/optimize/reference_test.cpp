#include "optimize/reference.h"

#include "optimize/decided.h"
#include "optimize/edit_session.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
  EditSession first = kernel.session(true);
  CHECK(kernel.removes(first, "// extra"));
  CHECK_FALSE(kernel.removes(first, "// own"));
  EditSession second = kernel.session(true);
  CHECK(kernel.removes(second, "// own"));
  CHECK_FALSE(kernel.removes(second, "// extra"));
}

TEST_CASE("reference: so must one that it has on one path", "[reference]") {
  Held kernel("  if (n > 3) {\n" + flag("own", 0) + "  }\n" + flag("extra", 1));
  EditSession first = kernel.session(true);
  CHECK(kernel.removes(first, "// extra"));
  CHECK_FALSE(kernel.removes(first, "// own"));
  EditSession second = kernel.session(true);
  CHECK(kernel.removes(second, "// own"));
  CHECK_FALSE(kernel.removes(second, "// extra"));
}

TEST_CASE("reference: a conflict that is ordered is never opened again", "[reference]") {
  // The store reads what the load writes, and nothing but the flag that was put in orders them.
  Held kernel(flag("extra", 1) + "  TSTORE(h, a);\n");
  EditSession held = kernel.session(true);
  CHECK_FALSE(kernel.removes(held, "// extra"));
}
