#include "explain/access_text.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Accesses of the marked instruction as "does name: storage (detail)".
std::vector<std::string> accesses(const std::string &text, const std::string &mark) {
  Explained kernel(text);
  std::vector<std::string> list;
  for (const AccessText &access : kernel.instruction(mark).accesses)
    list.push_back(access.does + " " + access.name + ": " + access.storage +
                   (access.detail.empty() ? "" : " (" + access.detail + ")"));
  return list;
}

using Lines = std::vector<std::string>;

std::string region(const std::string &name, const std::string &shape, const std::string &valid, const std::string &at,
                   const std::string &arguments = "") {
  return tileIn("Vec", name, "float", shape, valid, at, "BLayout::RowMajor", "SLayout::NoneBox", arguments);
}

} // namespace

TEST_CASE("access text: what is read and written, and where") {
  CHECK(accesses(fourTiles("  TADDS(a, b, 1.0f); // here\n"), "// here") ==
        Lines{"writes a: UB [0, 1024)", "reads b: UB [1024, 2048)"});
  CHECK(accesses(fourTiles("  TADDS(a, a, 1.0f); // here\n"), "// here") == Lines{"reads and writes a: UB [0, 1024)"});
  CHECK(accesses(fourTiles("  TLOAD(a, g); // here\n"), "// here") ==
        Lines{"writes a: UB [0, 1024)", "reads g: GM argument in"});
}

TEST_CASE("access text: rows of a wider tile, scratch, and what hides in the library") {
  std::string rows = region("p", "16, 64", "16, 8", "8192");
  CHECK(accesses(fourTiles(rows + "  TADDS(p, p, 1.0f); // here\n"), "// here") ==
        Lines{"reads and writes p: UB [8192, 12064) (16 rows of 32 bytes, 256 apart)"});
  std::string sum = rowsAt("x", 16, "8192") + rowsAt("t", 16, "16384") + columnTile("s", "float", 16, 32768);
  CHECK(accesses(fourTiles(sum + "  TROWSUM(s, x, t); // here\n"), "// here").back() == "scratch t: UB [16384, 20480)");
  std::vector<std::string> expand = accesses(fourTiles(sum + "  TROWEXPANDMUL(x, x, s); // here\n"), "// here");
  CHECK(std::count(expand.begin(), expand.end(), "scratch hidden scratch: UB [188416, 196608)") == 1);
}

TEST_CASE("access text: what is not known, and why") {
  std::string moving = region("p", "4, 64", "4, 64", "n * 64");
  CHECK(accesses(fourTiles(moving + "  TADDS(p, a, 1.0f); // here\n"), "// here").front() ==
        "writes p: UB, unknown bytes (its address depends on a kernel argument, so every place that it may be counts)");
  std::string valid = region("p", "4, 64", "-1, 64", "8192", "(n)");
  CHECK(accesses(fourTiles(valid + "  TADDS(p, a, 1.0f); // here\n"), "// here").front() ==
        "writes p: UB [8192, 9216) (its valid region is known at run time only, so the whole tile counts)");
  std::string tensor =
      "  GlobalTensor<float, pto::Shape<1, 1, 1, -1, -1>, pto::Stride<1, 1, 1, -1, 1>, pto::Layout::ND> "
      "u(out, pto::Shape<1, 1, 1, -1, -1>(n, n), pto::Stride<1, 1, 1, -1, 1>(n));\n";
  CHECK(accesses(fourTiles(tensor + "  TSTORE(u, a); // here\n"), "// here").front() ==
        "writes u: GM argument out, unknown bytes (its shape or strides are known at run time only, so all that the "
        "argument points to counts)");
}

TEST_CASE("access text: declarations") {
  Explained kernel(fourTiles(region("p", "16, 64", "-1, 8", "8192", "(n)") + "  TADDS(p, p, 1.0f);\n"));
  const Kernel &lifted = kernel.module.kernels[0];
  CHECK(declaredText(lifted.tiles.at(0)) == "Vec float 4 x 64");
  CHECK(declaredText(lifted.tiles.at(4)) == "Vec float 16 x 64, valid run-time x 8");
}
