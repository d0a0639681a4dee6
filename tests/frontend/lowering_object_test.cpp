#include "frontend/lifted.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kStatic = "Tile<TileType::Vec, float, 8, 64>";
const std::string kDynamic = "Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, -1>";

const Tile &tileNamed(const Module &module, const std::string &name) {
  for (const Tile &tile : module.kernels.front().tiles)
    if (tile.name == name)
      return tile;
  throw std::runtime_error("no tile " + name);
}

std::string values(const Kernel &kernel, const std::array<std::int64_t, 5> &entries,
                   const std::array<VariableId, 5> &variables) {
  std::string text;
  for (std::size_t i = 0; i < 5; ++i)
    text += (i ? " " : "") + (entries[i] >= 0         ? std::to_string(entries[i])
                              : variables[i] == kNone ? std::string("?")
                                                      : kernel.variables[variables[i]].name);
  return text;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

std::string shapeOf(const Module &module, std::size_t tensor = 0) {
  const Kernel &kernel = module.kernels.front();
  return values(kernel, kernel.tensors.at(tensor).shape, kernel.tensors.at(tensor).shapeVariables);
}
std::string strideOf(const Module &module, std::size_t tensor = 0) {
  const Kernel &kernel = module.kernels.front();
  return values(kernel, kernel.tensors.at(tensor).stride, kernel.tensors.at(tensor).strideVariables);
}

} // namespace

TEST_CASE("TASSIGN gives a tile its address") {
  CHECK(trace(kStatic + " t; uint64_t v = (uint64_t) n; TASSIGN(t, v); SHOW((int64_t) t.data());", 4096) ==
        "SHOW(4096)");
  CHECK(trace(kStatic + " t; TASSIGN(t, (uint64_t) (n ? 512 : 1024)); SHOW((int64_t) t.data());", 0) == "SHOW(1024)");
  CHECK(statements(kStatic + " t; TASSIGN(t, 256);") == "t.address = 256\n");
}

TEST_CASE("TASSIGN and its kin are no instructions") {
  Module module = liftBody(kStatic + " a, b; TASSIGN(a, (uint64_t) 0); TRESHAPE(b, a); TSUBVIEW(b, a, 0, 0);");
  CHECK(trace(module, 0) == "");
  CHECK(module.unknownCalls.empty());
}

TEST_CASE("a tile variable records its type and where it stands") {
  Module module = liftBody("\n  " + kStatic + " t;");
  const Tile &tile = tileNamed(module, "t");
  CHECK(tile.location == "Vec");
  CHECK(tile.element == "float");
  CHECK(tile.line == 5);
  CHECK(tile.staticValidRows == 8);
  CHECK(tile.staticValidCols == 64);
}

TEST_CASE("a run-time valid region comes from the constructor") {
  CHECK(trace(kDynamic + " t(n, 40); SHOW(t.GetValidRow()); SHOW(t.GetValidCol());", 3) == "SHOW(3) SHOW(40)");
  CHECK(trace("Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, 64> t(n); SHOW(t.GetValidRow()); "
              "SHOW(t.GetValidCol());",
              3) == "SHOW(3) SHOW(64)");
  CHECK(trace(kDynamic + " t = " + kDynamic + "(n, 40); SHOW(t.GetValidRow());", 3) == "SHOW(3)");
}

TEST_CASE("SetValidShape changes the valid region") {
  CHECK(trace(kDynamic + " t(1, 1); t.SetValidShape(n, 2 * n); SHOW(t.GetValidRow()); SHOW(t.GetValidCol());", 3) ==
        "SHOW(3) SHOW(6)");
  CHECK(trace(kDynamic + " t(1, 1); t.SetValidRow(n); SHOW(t.GetValidRow()); SHOW(t.GetValidCol());", 3) ==
        "SHOW(3) SHOW(1)");
  CHECK(trace(kDynamic + " t(1, 1); t.SetValidCol(n); SHOW(t.GetValidRow()); SHOW(t.GetValidCol());", 3) ==
        "SHOW(1) SHOW(3)");
}

TEST_CASE("a valid region that the type fixes cannot be set") {
  Module module = liftBody(kStatic + " t; t.SetValidShape(n, 2); SHOW(t.GetValidRow());");
  CHECK_FALSE(module.kernels.at(0).analysable);
  CHECK(module.kernels[0].reason.find("valid region") != std::string::npos);
}

TEST_CASE("TRESHAPE makes a view of the same storage") {
  CHECK(trace(kStatic + " a; " +
              "Tile<TileType::Vec, float, 512, 1, BLayout::ColMajor> b; TASSIGN(a, (uint64_t) 768); "
              "TRESHAPE(b, a); SHOW((int64_t) b.data());") == "SHOW(768)");
}

TEST_CASE("TSUBVIEW starts inside its parent, by rows or by columns") {
  CHECK(trace(kStatic + " a; Tile<TileType::Vec, float, 2, 16> b; TASSIGN(a, (uint64_t) 1000); TSUBVIEW(b, a, n, 3); "
                        "SHOW((int64_t) b.data());",
              2) == "SHOW(1524)"); // 2 rows of 256 bytes and 3 elements of 4
  CHECK(trace("Tile<TileType::Vec, half, 32, 4, BLayout::ColMajor> a; Tile<TileType::Vec, half, 2, 1, "
              "BLayout::ColMajor> b; "
              "TASSIGN(a, (uint64_t) 1000); TSUBVIEW(b, a, n, 3); SHOW((int64_t) b.data());",
              2) == "SHOW(1196)"); // 2 elements of 2 bytes and 3 columns of 64
}

TEST_CASE("a subview of a boxed tile lies anywhere") {
  CHECK(trace("Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor> a, b; "
              "TASSIGN(a, (uint64_t) 1000); TSUBVIEW(b, a, 16, 0); SHOW((int64_t) b.data());") == "SHOW(?)");
}

TEST_CASE("a copied tile has the address and the region of the original") {
  CHECK(trace(kDynamic + " a(2, n); TASSIGN(a, (uint64_t) 512); " + kDynamic +
                  " b = a; TASSIGN(a, (uint64_t) 0); SHOW((int64_t) b.data()); SHOW(b.GetValidCol());",
              40) == "SHOW(512) SHOW(40)");
}

TEST_CASE("an assigned tile loses its address and gets a region") {
  CHECK(trace(kDynamic + " a(2, 3); TASSIGN(a, (uint64_t) 512); a = " + kDynamic +
                  "(n, 5); SHOW((int64_t) a.data()); SHOW(a.GetValidRow());",
              4) == "SHOW(?) SHOW(4)");
}

TEST_CASE("a reference to a tile is the tile") {
  CHECK(trace(kStatic + " a; " + kStatic + " &b = a; TASSIGN(b, (uint64_t) 256); SHOW((int64_t) a.data());") ==
        "SHOW(256)");
}

TEST_CASE("a ternary of tiles is a tile at either address") {
  Module module =
      liftBody(kDynamic + " a(1, 2), b(3, 4); TASSIGN(a, (uint64_t) 0); TASSIGN(b, (uint64_t) 512); TADD(n ? a : b);");
  const Kernel &kernel = module.kernels.front();
  REQUIRE(kernel.tiles.size() == 3);
  CHECK(kernel.tiles[2].name == "n ? a : b");
  CHECK(statements(module).find("chosen = (n != 0)\n"
                                "n ? a : b.address = (chosen ? a.address : b.address)\n"
                                "n ? a : b.validRows = (chosen ? a.validRows : b.validRows)\n"
                                "n ? a : b.validCols = (chosen ? a.validCols : b.validCols)\n"
                                "TADD(n ? a : b)\n") != std::string::npos);
}

TEST_CASE("a tile declared in a loop keeps one set of variables") {
  Module module = liftBody("for (int i = 0; i < 2; ++i) { " + kStatic +
                           " t; TASSIGN(t, (uint64_t) (i * 512)); SHOW((int64_t) t.data()); }");
  CHECK(trace(module, 0) == "SHOW(0) SHOW(512)");
  CHECK(module.kernels.front().tiles.size() == 1);
}

TEST_CASE("two tiles of one name are two tiles") {
  Module module =
      liftBody("{ " + kStatic + " t; TASSIGN(t, (uint64_t) 0); } { " + kStatic + " t; TASSIGN(t, (uint64_t) 512); }");
  CHECK(module.kernels.front().tiles.size() == 2);
}

TEST_CASE("a tile that only a TPOP fills has no address of its own") {
  Module module = liftBody("auto p = TPipe<2, Direction::DIR_C2V, 4096, 8, 4, false>(in, n, 7); " + kStatic +
                           " t; TPOP<TPipe<2, Direction::DIR_C2V, 4096, 8, 4, false>, " + kStatic +
                           ", TileSplitAxis::TILE_NO_SPLIT>(p, t);");
  const Kernel &kernel = module.kernels.front();
  REQUIRE(kernel.fifos.size() == 1);
  const Fifo &fifo = kernel.fifos[0];
  CHECK(fifo.flagBase == 2);
  CHECK(fifo.direction == "DIR_C2V");
  CHECK(fifo.slotBytes == 4096);
  CHECK(fifo.slots == 8);
  CHECK(fifo.localSlots == 4);
  CHECK(contains(statements(module), "p.memory = in\np.cubeToVec = n\np.vecToCube = 7\nTPOP(p, t)\n"));
  CHECK_FALSE(contains(statements(module), "t.address"));
}

TEST_CASE("event id arrays of the file are arrays") {
  std::string array = "template <int N>\nstruct PTOAS_EventIdArray {\n  int32_t data[N] = {};\n"
                      "  AICORE inline int32_t &operator[](int32_t idx) { return data[idx]; }\n"
                      "  AICORE inline const int32_t &operator[](int32_t idx) const { return data[idx]; }\n};\n";
  CHECK(trace("PTOAS_EventIdArray<2> ids; ids[0] = 3; ids[1] = 5; event_t e = (event_t) ids[n % 2]; "
              "set_flag(PIPE_V, PIPE_MTE3, e); ids[n % 2] = ids[0]; SHOW(ids[1]);",
              1, array) == "set:V>MTE3:5 SHOW(3)");
  CHECK(trace("PTOAS_EventIdArray<2> ids; SHOW(ids[n]);", 1, array) == "SHOW(0)");
}

TEST_CASE("large arrays are not followed") {
  CHECK(trace("int a[256] = {1}; SHOW(a[0]);") == "SHOW(1)");
  CHECK(trace("int a[257] = {1}; SHOW(a[0]);") != "SHOW(1)");
}

TEST_CASE("a tensor of static shape is known in full") {
  Module module = liftBody(
      "pto::Shape<1, 1, 1, 8, 64> s = pto::Shape<1, 1, 1, 8, 64>(); "
      "pto::Stride<512, 512, 512, 64, 1> d = pto::Stride<512, 512, 512, 64, 1>();\n"
      "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g = "
      "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>"
      "(in + (n + 2), s, d);\nSHOW((int64_t) g.data());");
  CHECK(shapeOf(module) == "1 1 1 8 64");
  CHECK(strideOf(module) == "512 512 512 64 1");
  CHECK(module.kernels.front().tensors[0].element == "float");
  CHECK(module.kernels.front().tensors[0].elementBits == 32);
  CHECK(trace(module, 1) == "SHOW(1012)");
}

TEST_CASE("the run-time entries of a tensor come from its shape and stride") {
  Module module = liftBody(
      "pto::Shape<1, 1, 1, -1, 64> s(n); pto::Stride<1, 1, -1, -1, 1> d(n * 64, 64);\n"
      "GlobalTensor<half, pto::Shape<1, 1, 1, -1, 64>, pto::Stride<1, 1, -1, -1, 1>> g((__gm__ half *) in, s, d);");
  CHECK(shapeOf(module) == "1 1 1 dimension 64");
  CHECK(strideOf(module) == "1 1 dimension dimension 1");
  CHECK(module.kernels.front().tensors[0].elementBits == 16);
  CHECK(statements(module) == "dimension = i64(n)\ndimension = i64((n * 64))\ndimension = i64(64)\ng.pointer = in\n");
}

TEST_CASE("a tensor built in the argument list is a tensor") {
  Module module =
      liftBody(kStatic + " t; TLOAD(t, GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>(in + 64));");
  CHECK(shapeOf(module) == "1 1 1 8 64");
  CHECK(module.kernels.front().tensors.size() == 1);
}

TEST_CASE("a copied tensor points where the original does") {
  std::string type = "GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>";
  CHECK(trace(type + " a(in + 1); " + type + " b = a; SHOW((int64_t) b.data());") == "SHOW(1004)");
  CHECK(trace(type + " a(in + 1); TASSIGN(a, out); SHOW((int64_t) a.data());") == "SHOW(2000)");
  CHECK(trace(type + " a(in); a = " + type + "(out + n); SHOW((int64_t) a.data());", 2) == "SHOW(2008)");
}

TEST_CASE("a tensor parameter lies somewhere inside its own argument") {
  Module module =
      lift(std::string(kHead) +
           "AICORE void k(GlobalTensor<float, pto::Shape<1, 1, 1, 64, 64>, pto::Stride<-1, -1, -1, -1, -1>, "
           "pto::Layout::ND> v1, int32_t n) { " +
           kStatic + " t; TLOAD(t, v1); }\n");
  CHECK(shapeOf(module) == "1 1 1 64 64");
  CHECK(strideOf(module) == "? ? ? ? ?");
  CHECK(statements(module) == "v1.pointer = (v1 + opaque)\nTLOAD(t, v1)\n");
}

TEST_CASE("the data of a tensor may be asked by a helper of the file") {
  std::string helper =
      "template <typename Tensor>\nstatic AICORE inline auto PTOAS__GLOBAL_TENSOR_DATA(Tensor &tensor)\n"
      "    -> decltype(tensor.data()) { return tensor.data(); }\n";
  std::string type = "GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>";
  CHECK(trace(type + " a(in); " + type + " b(PTOAS__GLOBAL_TENSOR_DATA(a) + n); SHOW((int64_t) b.data());", 2,
              helper) == "SHOW(1008)");
}

TEST_CASE("what an object is made from still runs") {
  CHECK(trace("float f = in[2]; struct Pair { float a; } p = {in[3]}; TADD();") == "scalar.load scalar.load TADD");
}

TEST_CASE("of several tiles, the one that is meant moves") {
  std::string two = kStatic + " a, b; TASSIGN(a, (uint64_t) 512); TASSIGN(b, (uint64_t) 1024); ";
  std::string show = " SHOW((int64_t) a.data()); SHOW((int64_t) b.data());";
  CHECK(trace(two + "TASSIGN(n ? a : b, (uint64_t) 0);" + show, 1) == "SHOW(0) SHOW(1024)");
  CHECK(trace(two + "TASSIGN(n ? a : b, (uint64_t) 0);" + show, 0) == "SHOW(512) SHOW(0)");
  CHECK(trace(two + kStatic + " &r = n ? a : b; n = 1; TASSIGN(r, (uint64_t) 0);" + show, 0) == "SHOW(512) SHOW(0)");
  CHECK(trace(two + kStatic + " *p = &a; TASSIGN(*p, (uint64_t) 0);" + show, 0) == "SHOW(0) SHOW(1024)");
  CHECK(trace(two + "(n ? a : b) = b;" + show, 1) == "SHOW(1024) SHOW(1024)");
  CHECK(trace(two + "TASSIGN<64>(a);" + show, 1) == "SHOW(64) SHOW(1024)");
}

TEST_CASE("an unknown operation may put its operands anywhere") {
  CHECK(trace(kStatic + " a; TASSIGN(a, (uint64_t) 512); TNEWVIEW(a, 3); SHOW((int64_t) a.data());") ==
        "TNEWVIEW(3) SHOW(?)");
}

TEST_CASE("entries of a tensor that are bound twice are unknown") {
  std::string type = "GlobalTensor<float, Shape<1, 1, 1, -1, 64>, Stride<1, 1, 1, 64, 1>>";
  Module module =
      liftBody("Shape<1, 1, 1, -1, 64> s(4), t(8); " + type + " g(in, s); if (n) g = " + type + "(out, t);");
  CHECK(shapeOf(module) == "1 1 1 ? 64");
}
