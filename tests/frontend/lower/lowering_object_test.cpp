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
  CHECK(shapeOf(module) == "1 1 1 g.shape3 64");
  CHECK(strideOf(module) == "1 1 g.stride2 g.stride3 1");
  CHECK(module.kernels.front().tensors[0].elementBits == 16);
  CHECK(statements(module) == "dimension = i64(n)\ndimension = i64((n * 64))\ndimension = i64(64)\n"
                              "g.shape3 = dimension\ng.stride2 = dimension\ng.stride3 = dimension\ng.pointer = in\n");
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
  CHECK(strideOf(module) == "v1.stride0 v1.stride1 v1.stride2 v1.stride3 v1.stride4"); // which nobody sets
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

TEST_CASE("a tensor holds the entries of its shape itself") {
  std::string type = "GlobalTensor<float, Shape<1, 1, 1, -1, 64>, Stride<1, 1, 1, 64, 1>>";
  std::string made = "Shape<1, 1, 1, -1, 64> s(4), t(8); " + type + " g(in, s); ";
  CHECK(contains(statements(made + "g = " + type + "(out, t);"), "g.shape3 = dimension\ng.pointer = out\n"));
  // What becomes of the shape changes nothing.
  CHECK_FALSE(contains(statements(made + "s = t;"), "g.shape3 = opaque"));
  CHECK(
      contains(statements(made + "struct P { Shape<1, 1, 1, -1, 64> a; } p{s}, q{t}; " + type + " h(in, p.a); p = q;"),
               "h.shape3 = dimension\nh.pointer = in\n"));
  CHECK(contains(statements(made + type + " h(out, t), *x = n ? &g : &h; g = *x;"),
                 "g.shape3 = *x.shape3\ng.pointer = *x.pointer\n"));
  CHECK(contains(statements(made + "g = *(" + type + " *) in;"), "g.shape3 = *(" + type + " *) in.shape3\n"));
  CHECK(contains(statements(made + "GlobalTensor<float, Shape<1, 1, -1, -1, 64>, Stride<1, 1, 1, 64, 1>> h(g);"),
                 "h.shape2 = opaque\nh.shape3 = opaque\nh.pointer = g.pointer\n"));
}

namespace {

const std::string kShowTwo = " SHOW((int64_t) a.data()); SHOW((int64_t) b.data());";

/// Two tiles at 512 and 1024, then `text`, then where they are.
std::string placesAfter(const std::string &text, std::int64_t n = 0, const std::string &helpers = "") {
  std::string types = "using V = " + kStatic + ";\n" + "using DynamicTile = " + kDynamic + ";\n";
  std::string run =
      trace("V a, b; TASSIGN(a, (uint64_t) 512); TASSIGN(b, (uint64_t) 1024); " + text + kShowTwo, n, types + helpers);
  std::size_t shown = run.rfind("SHOW(", run.rfind("SHOW(") - 1);
  return run.substr(shown);
}

} // namespace

TEST_CASE("a pointer that is chosen once is followed to either tile") {
  for (std::string text : {"V *x = n ? &a : &b; TASSIGN(*x, (uint64_t) 0);", "TASSIGN(*(n ? &a : &b), (uint64_t) 0);",
                           "V *x = n > 7 ? nullptr : n ? &a : &b; (void) 0; TASSIGN(*(n ? &a : &b), (uint64_t) 0);",
                           "V *const x = n ? &a : &b, *y = x; TASSIGN(*y, (uint64_t) 0);",
                           "V *x[2] = {&b, &a}; TASSIGN(*x[n & 1], (uint64_t) 0);",
                           "V *x[2] = {&b, &a}; V *y = x[n & 1]; TASSIGN(y[0], (uint64_t) 0);"}) {
    CAPTURE(text);
    CHECK(placesAfter(text, 1) == "SHOW(0) SHOW(1024)");
    CHECK(placesAfter(text, 0) == "SHOW(512) SHOW(0)");
  }
}

TEST_CASE("what is done to an operand that is not followed may be done to whatever is reachable") {
  for (std::string pointer :
       {"V *x = &a; if (n) x = &b;", "V *x = &b; V **y = &x; *y = &a;",
        "struct S { V *x; } s = {n ? &a : &b}; V *x; x = s.x;", "V *y[2]; y[0] = &a; y[1] = &b; V *x; x = y[n & 1];",
        "V *x; x = pick(&a, &b, n);", "union { V *p; uint64_t v; } u; u.p = &a; V *x; x = n ? u.p : &b;"})
    for (std::string change : {"TASSIGN(*x, (uint64_t) 0);", "TASSIGN<0>(*x);", "TRESHAPE(*x, c);",
                               "TSUBVIEW(*x, c, n, 0);", "TNEWVIEW(*x, c);", "*x = c;", "*x = V();",
                               "__builtin_memcpy(x, &c, sizeof c);", "V &r = *x; TASSIGN(r, (uint64_t) 0);",
                               "TPOP<F, V, TileSplitAxis::TILE_NO_SPLIT>(f, *x);", "TGET_SCALE_ADDR(*x, c);"}) {
      CAPTURE(pointer, change);
      CHECK(placesAfter("V c; TASSIGN(c, (uint64_t) 64); auto f = F(in, 0, 0); " + pointer + change, 1,
                        "using F = TPipe<0, Direction::DIR_C2V, 4096, 8, 2, false>;\n"
                        "static AICORE V *pick(V *x, V *y, int n) { return n ? x : y; }\n") == "SHOW(?) SHOW(?)");
    }
}

TEST_CASE("a pointer to an element walks to the others, one to a member to the record") {
  std::string walked = "V t[2]; TASSIGN(t[0], (uint64_t) 64); TASSIGN(t[1], (uint64_t) 128); ";
  for (std::string walk :
       {"V *x = t; ++x; TASSIGN(*x, (uint64_t) 0);", "V *x = &t[0]; ++x; TASSIGN(*x, (uint64_t) 0);",
        "V *x = &t[0]; TASSIGN(x[n], (uint64_t) 0);", "V *x = &t[0]; TASSIGN(*(x + 1), (uint64_t) 0);",
        "V *x = &t[0]; for (int i = 0; i < 2; ++i, ++x) TASSIGN(*x, (uint64_t) 0);", "walk(t);", "walk(&t[0]);",
        "__builtin_memset(&t[0], 0, sizeof t);"}) {
    CAPTURE(walk);
    CHECK(contains(trace("using V = " + kStatic + "; " + walked + walk + " SHOW((int64_t) t[1].data());", 1,
                         "static AICORE void walk(" + kStatic + " *x) { ++x; TASSIGN(*x, (uint64_t) 0); }\n"),
                   "SHOW(?)"));
  }
  CHECK(contains(trace("using V = " + kStatic +
                       "; struct S { V c, d; } s; TASSIGN(s.c, (uint64_t) 64); TASSIGN(s.d, "
                       "(uint64_t) 128); V *x = &s.c; S *y = (S *) x; TASSIGN(y->d, (uint64_t) 0); "
                       "SHOW((int64_t) s.d.data());"),
                 "SHOW(?)"));
}

TEST_CASE("a valid region that is set through a pointer is that of whatever is reachable") {
  std::string text = kDynamic + " a(1, 2), b(3, 4), *x = &a; if (n) x = &b; ";
  for (std::string change : {"x->SetValidShape(5, 6);", "x->SetValidRow(5);", "(*x).SetValidRow(5);"})
    CHECK(contains(trace(text + change + " SHOW(a.GetValidRow()); SHOW(b.GetValidRow());", 1), "SHOW(?) SHOW(?)"));
  CHECK(trace(kDynamic + " a(1, 2), b(3, 4), *x = n ? &a : &b; x->SetValidRow(n + 5); SHOW(a.GetValidRow()); "
                         "SHOW(b.GetValidRow()); SHOW(x->GetValidRow());",
              1) == "SHOW(6) SHOW(3) SHOW(6)");
}

TEST_CASE("a place is found once, and what stands in it runs once") {
  std::string tiles = kStatic + " a, b, c; TASSIGN(a, (uint64_t) 64); int i = 0; ";
  CHECK(trace(tiles + "TRESHAPE(b, (i++, a)); SHOW(i);") == "SHOW(1)");
  CHECK(trace(tiles + "TSUBVIEW(b, (i++, a), 0, 0); SHOW(i);") == "SHOW(1)");
  CHECK(trace(tiles + "TSUBVIEW((n ? b : c), (i++, a), i++, 0); SHOW(i);") == "SHOW(2)");
  CHECK(trace("struct S { int *x; }; int i = 0; *next(&i).x = 7; SHOW(i);", 0,
              "struct S { int *x; };\nstatic AICORE S next(int *i) { TADD(); return S{i}; }\n") ==
        "TADD scalar.store SHOW(?)");
}

TEST_CASE("an object of the library may keep what it was made from") {
  std::string made = kStatic + " a; TNEWVIEWER viewer(a); TASSIGN(a, (uint64_t) 64); ";
  CHECK(contains(trace(made + "SHOW((int64_t) a.data());"), "SHOW(64)"));
  CHECK(contains(trace(made + "viewer.Move(); SHOW((int64_t) a.data());"), "SHOW(?)"));
}

TEST_CASE("references among the parameters of an entry may be one object") {
  auto shown = [](const std::string &parameters) {
    Module module = lift(std::string(kHead) + "using V = " + kStatic + ";\nAICORE void k(" + parameters +
                         ") { TASSIGN(a, (uint64_t) 512); TASSIGN(b, (uint64_t) 1024); }\n");
    return statements(module);
  };
  CHECK(shown("V &a, V &b") == "a.address = u64(512)\nb.address = opaque\nb.address = u64(1024)\na.address = opaque\n");
  CHECK(shown("V a, V b") == "a.address = u64(512)\nb.address = u64(1024)\n");
  CHECK(shown("V &a, " + kDynamic + " &b") == "a.address = u64(512)\nb.address = u64(1024)\n");
}
