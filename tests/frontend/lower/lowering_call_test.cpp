#include "frontend/lifted.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kCalledTile = "Tile<TileType::Vec, float, 8, 64>";

const Instruction &instructionNamed(const Module &module, const std::string &name) {
  for (const Block &block : module.kernels.front().blocks)
    for (const Statement &statement : block.statements)
      if (auto *instruction = std::get_if<Instruction>(&statement.action); instruction && instruction->name == name)
        return *instruction;
  throw std::runtime_error("no instruction " + name);
}

std::string kinds(const Instruction &instruction) {
  std::string text;
  for (const Operand &operand : instruction.operands)
    switch (operand.kind) {
    case Operand::Kind::Tile: text += "tile "; break;
    case Operand::Kind::Tensor: text += "tensor "; break;
    case Operand::Kind::Fifo: text += "fifo "; break;
    case Operand::Kind::Scalar: text += "scalar "; break;
    case Operand::Kind::Pointer: text += "pointer "; break;
    case Operand::Kind::Unknown: text += "unknown "; break;
    }
  return text;
}

} // namespace

TEST_CASE("a helper is expanded at the call, with its scalars") {
  std::string helper = "static AICORE void f(int a, int64_t b) { SHOW(a); SHOW(b); a = 9; }\n";
  CHECK(trace("int x = 3; f(x, n); SHOW(x); f(x + 1, 2);", -5, helper) == "SHOW(3) SHOW(-5) SHOW(3) SHOW(4) SHOW(2)");
}

TEST_CASE("a helper gives a scalar back") {
  std::string helper = "static AICORE int twice(int a) { if (a > 10) return 10; return a * 2; }\n";
  CHECK(trace("int x = twice(n) + 1; SHOW(x);", 4, helper) == "SHOW(9)");
  CHECK(trace("SHOW(twice(n));", 40, helper) == "SHOW(10)");
  CHECK(trace("SHOW(twice(twice(n)));", 2, helper) == "SHOW(8)");
}

TEST_CASE("helpers nest") {
  std::string helpers = "static AICORE int twice(int a) { return a * 2; }\n"
                        "static AICORE int more(int a) { int b = twice(a); return b + 1; }\n"
                        "static AICORE int most(int a) { int c = more(a); SHOW(c); return c + twice(a); }\n";
  CHECK(trace("SHOW(most(n));", 3, helpers) == "SHOW(7) SHOW(13)");
}

TEST_CASE("a helper may return the result of another") {
  // The frame of the outer helper must survive the expansion of the inner one.
  std::string helpers = "static AICORE int f1(int a) { return a + 1; }\n"
                        "static AICORE int f2(int a) { return f1(a) * 2; }\n"
                        "static AICORE int f3(int a) { return f2(a) + 3; }\n"
                        "static AICORE int f4(int a) { return f3(a) * 5; }\n"
                        "static AICORE int f5(int a) { return f4(a) + 7; }\n";
  CHECK(trace("SHOW(f2(n)); TADD();", 1, helpers) == "SHOW(4) TADD");
  CHECK(trace("SHOW(f5(n)); TADD();", 1, helpers) == "SHOW(42) TADD");
}

TEST_CASE("an entry may return the result of a helper") {
  Module module = lift(std::string(kHead) + "static AICORE int f(int a) { SHOW(a); return a; }\n"
                                            "AICORE int entry(int n) { TADD(); return f(n); }\n");
  REQUIRE(kernelNames(module) == "entry");
  CHECK(trace(module, 3, "entry") == "TADD SHOW(3)");
}

TEST_CASE("scalars by reference are the caller's") {
  CHECK(trace("int x = 3; bump(x); SHOW(x);", 0, "static AICORE void bump(int &a) { a += 1; }\n") == "SHOW(4)");
  CHECK(trace("int a[2] = {1, 2}; set(a); SHOW(a[1]);", 0, "static AICORE void set(int (&a)[2]) { a[1] = 7; }\n") ==
        "SHOW(7)");
}

TEST_CASE("default arguments and template helpers are expanded too") {
  CHECK(trace("f(n); f(n, 2);", 3, "static AICORE void f(int a, int b = 8) { SHOW(a + b); }\n") == "SHOW(11) SHOW(5)");
  CHECK(trace("f<3>(n); f<4>(n);", 1, "template <int N, typename T> static AICORE void f(T a) { SHOW(a * N); }\n") ==
        "SHOW(3) SHOW(4)");
}

TEST_CASE("a tile by reference is the caller's, by value a copy") {
  std::string helpers = "static AICORE void move(" + kCalledTile +
                        " &t) { TASSIGN(t, (uint64_t) 512); TADD(t, t, t); }\n" + "static AICORE void copy(" +
                        kCalledTile + " t) { TASSIGN(t, (uint64_t) 1024); TSUB(t, t, t); }\n";
  Module module =
      liftBody(kCalledTile + " a; TASSIGN(a, (uint64_t) 0); move(a); copy(a); SHOW((int64_t) a.data());", helpers);
  CHECK(trace(module, 0) == "TADD TSUB SHOW(512)");
  const Kernel &kernel = module.kernels.front();
  REQUIRE(kernel.tiles.size() == 2);
  CHECK(instructionNamed(module, "TADD").operands[0].index == 0);
  CHECK(instructionNamed(module, "TSUB").operands[0].index == 1);
  CHECK(kernel.tiles[1].name == "t");
}

TEST_CASE("a copy of a tile starts at the address of the original") {
  std::string helper = "static AICORE void f(" + kCalledTile + " t) { SHOW((int64_t) t.data()); }\n";
  CHECK(trace(kCalledTile + " a; TASSIGN(a, (uint64_t) 768); f(a);", 0, helper) == "SHOW(768)");
}

TEST_CASE("every call of a helper has a context that names its line") {
  Module module = liftBody("f(1);\n\nf(2);", "static AICORE void f(int a) {\n  TADD(a);\n}\n");
  const Kernel &kernel = module.kernels.front();
  std::vector<std::string> places;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (std::holds_alternative<Instruction>(statement.action))
        places.push_back(describePlace(kernel, statement));
  std::sort(places.begin(), places.end());
  CHECK(places == std::vector<std::string>{"line 4 (called from line 7)", "line 4 (called from line 9)"});
}

TEST_CASE("one sync statement of a helper is one site, however often it is called") {
  Module module = liftBody("f(1); f(2);", "static AICORE void f(int a) { pipe_barrier(PIPE_V); }\n");
  CHECK(module.sites.size() == 1);
  CHECK(trace(module, 0) == "barrier:V barrier:V");
}

TEST_CASE("recursion gives the kernel up") {
  std::string helpers = "static AICORE void g(int a);\nstatic AICORE void f(int a) { g(a); }\n"
                        "static AICORE void g(int a) { if (a) f(a - 1); }\n";
  CHECK(statements("TADD();\nf(n);", helpers) ==
        "not analysable: line 5: it calls f recursively, which is not followed; write it as a loop");
}

TEST_CASE("return leaves the helper, not the kernel") {
  CHECK(trace("f(n); TMUL();", 1, "static AICORE void f(int a) { TADD(); if (a) return; TSUB(); }\n") == "TADD TMUL");
}

TEST_CASE("a loop of the caller is not left from inside a helper") {
  std::string helper =
      "static AICORE int f(int a) { for (int j = 0; j < 5; ++j) { if (j == a) break; TADD(); } return a; }\n";
  CHECK(trace("for (int i = 0; i < 3; ++i) { f(i); TSUB(); }", 0, helper) == "TSUB TADD TSUB TADD TADD TSUB");
}

TEST_CASE("labels of a helper belong to one expansion") {
  std::string helper = "static AICORE void f(int a) { if (a) goto out; TADD(); out: TSUB(); }\n";
  CHECK(trace("f(0); f(1);", 0, helper) == "TADD TSUB TSUB");
}

TEST_CASE("syncs keep their pipes and their event") {
  CHECK(
      trace(
          "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3); pipe_barrier(PIPE_ALL);") ==
      "set:V>MTE3:3 wait:V>MTE3:3 barrier:ALL");
}

TEST_CASE("events may be values") {
  CHECK(trace("event_t e = (event_t) (n ? 1 : 2); set_flag(PIPE_V, PIPE_MTE3, e);", 1) == "set:V>MTE3:1");
  CHECK(trace("wait_flag(PIPE_V, PIPE_MTE3, (event_t) (n % 2));", 3) == "wait:V>MTE3:1");
}

TEST_CASE("pipes may be constants and template arguments") {
  CHECK(trace("constexpr pipe_t p = PIPE_MTE2; pipe_barrier(p); f<PIPE_M>();", 0,
              "template <pipe_t P> static AICORE void f() { pipe_barrier(P); }\n") == "barrier:MTE2 barrier:M");
}

TEST_CASE("a barrier whose pipe is not known orders nothing, and is no site") {
  Module module =
      liftBody("pipe_t p = (pipe_t) n; pipe_barrier(p); pipe_barrier((pipe_t) 1); pipe_barrier(0x11); TADD();");
  CHECK(module.sites.empty());
  CHECK(trace(module, 1) == "TADD");
}

TEST_CASE("flags whose pipes are not known give the kernel up") {
  CHECK(statements("set_flag(PIPE_ALL, PIPE_V, EVENT_ID0);") ==
        "not analysable: line 4: it is not known which pipes set_flag names");
  CHECK(statements("wait_flag((pipe_t) 1, PIPE_V, EVENT_ID0);") ==
        "not analysable: line 4: it is not known which pipes wait_flag names");
}

TEST_CASE("the end fence is one sync of its own kind") {
  std::string helper = "enum class PTOAutoSyncTailMode : int { kBarrierAll = 0, kSetWaitMte3ToSEvent0 = 1 };\n"
                       "static AICORE inline void ptoas_auto_sync_tail(PTOAutoSyncTailMode mode = "
                       "PTOAutoSyncTailMode::kBarrierAll) {\n"
                       "switch (mode) { case PTOAutoSyncTailMode::kSetWaitMte3ToSEvent0: set_flag(PIPE_MTE3, PIPE_S, "
                       "EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); break;\n"
                       "case PTOAutoSyncTailMode::kBarrierAll: default: pipe_barrier(PIPE_ALL); break; } }\n";
  CHECK(trace("ptoas_auto_sync_tail();", 0, helper) == "tail:ALL");
  CHECK(trace("ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);", 0, helper) == "tail:ALL");
  CHECK(trace("ptoas_auto_sync_tail(PTOAutoSyncTailMode::kSetWaitMte3ToSEvent0);", 0, helper) == "tail:MTE3");
  Module module = liftBody("ptoas_auto_sync_tail();", helper);
  CHECK(kernelNames(module) == "k"); // the helper is no kernel
  REQUIRE(module.sites.size() == 1); // and its barrier no site
  CHECK(module.sites[0].protection == Protection::Tail);
}

TEST_CASE("an end fence drains what its mode runs, and is expanded where that is not plain to see") {
  auto fence = [](const std::string &body, const std::string &mode, int n = 0) {
    return trace("ptoas_auto_sync_tail(" + mode + ");", n,
                 "enum class Mode : int { kOther = 0, kBarrierAll = 0, kFlag = 1 };\n"
                 "static AICORE inline void ptoas_auto_sync_tail(Mode mode) { " +
                     body + " }\n");
  };
  const std::string flag = "set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);";
  const std::string flagged = "set:MTE3>S:0 wait:MTE3>S:0";
  const std::string early = "if (mode == Mode::kFlag) { " + flag + " return; } pipe_barrier(PIPE_ALL);";
  CHECK(fence(early, "Mode::kFlag") == "tail:MTE3");
  CHECK(fence(early, "Mode::kBarrierAll") == "tail:ALL");
  CHECK(fence(early, "(Mode) n", 1) == flagged);
  CHECK(fence("if (mode != Mode::kFlag) { " + flag + " } else pipe_barrier(PIPE_ALL);", "Mode::kFlag") == "tail:ALL");
  CHECK(fence("if (mode == Mode::kBarrierAll) set_flag(PIPE_V, PIPE_S, EVENT_ID1); else pipe_barrier(PIPE_ALL);",
              "Mode::kBarrierAll") == "set:V>S:1");
  CHECK(fence("return; pipe_barrier(PIPE_ALL);", "Mode::kBarrierAll") == "");
  CHECK(fence("if ((bool)mode == true) return; pipe_barrier(PIPE_ALL);", "(Mode) 2") == "");
  CHECK(fence("switch ((unsigned char)mode) { case 0: return; default: pipe_barrier(PIPE_ALL); }", "(Mode) 256") == "");
  CHECK(fence("if (0) pipe_barrier(PIPE_ALL);", "Mode::kBarrierAll") == "");
  CHECK(fence("switch (mode) { case Mode::kFlag: pipe_barrier(PIPE_ALL); }", "Mode::kBarrierAll") == "");
  CHECK(fence("switch (mode) { case Mode::kFlag: pipe_barrier(PIPE_V); default: pipe_barrier(PIPE_ALL); }",
              "Mode::kFlag") == "tail:ALL");
  CHECK(fence("switch (mode) { default: { case Mode::kFlag: pipe_barrier(PIPE_V); } }", "Mode::kFlag") == "barrier:V");
}

TEST_CASE("entries of a valid region are what they were before it is set") {
  const std::string tile = "Tile<TileType::Vec, float, 64, 64, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null>";
  const std::string show = " SHOW(t.GetValidRow()); SHOW(t.GetValidCol());";
  CHECK(trace(tile + " t(64, 1); t.SetValidShape(t.GetValidCol(), t.GetValidRow());" + show) == "SHOW(1) SHOW(64)");
  CHECK(trace("using D = " + tile + "; D t(64, 1); t = D(t.GetValidCol(), t.GetValidRow());" + show) ==
        "SHOW(1) SHOW(64)");
  CHECK(trace("using D = " + tile +
              "; D a[2] = {D(1, 2), D(3, 4)}; int i = 0; a[i].SetValidShape(8, (i = 1, 5)); "
              "SHOW(a[0].GetValidCol()); SHOW(a[1].GetValidCol());") == "SHOW(5) SHOW(4)");
  CHECK(trace("using D = " + tile + "; D t(8, 64); D(t).SetValidRow(1);" + show) == "SHOW(8) SHOW(64)");
}

TEST_CASE("operands are told apart by kind") {
  Module module =
      liftBody(kCalledTile + " t; GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>> g(in);\n"
                             "auto p = TPipe<0, Direction::DIR_C2V, 4096, 8, 2, false>(in, 0, 0);\n"
                             "TADD(t, g, p, n, 2.0f, in, RoundMode::CAST_RINT, &t);");
  CHECK(kinds(instructionNamed(module, "TADD")) == "tile tensor fifo scalar scalar pointer scalar tile ");
}

TEST_CASE("an object that is not followed is one of its type, anywhere") {
  Module module = liftBody("using T = " + kCalledTile + "; TADD(*(T *) in);");
  CHECK(kinds(instructionNamed(module, "TADD")) == "tile ");
  CHECK(statements(module) == "*(T *) in.address = opaque\nTADD(*(T *) in)\n");
  module = liftBody("using F = TPipe<0, Direction::DIR_C2V, 4096, 8, 2, false>; TADD(*(F *) in);");
  CHECK(kinds(instructionNamed(module, "TADD")) == "unknown ");
}

TEST_CASE("a call of a form that is not followed is opaque, whatever its name") {
  Module module = liftBody(kCalledTile + " t; TASSIGN(t, 0, 1); TADD(t, t, t); TFOO(t);");
  CHECK_FALSE(instructionNamed(module, "TASSIGN").followed);
  CHECK(instructionNamed(module, "TADD").followed);
  CHECK_FALSE(instructionNamed(module, "TFOO").followed);
  CHECK(module.unknownCalls.size() == 2);
}

TEST_CASE("template arguments are kept as a reader would write them") {
  Module module = liftBody(kCalledTile + " t; TFOO<" + kCalledTile + ", AccToVecMode::SingleModeVec0, 3>(t);");
  std::vector<std::string> arguments = instructionNamed(module, "TFOO").templateArguments;
  REQUIRE(arguments.size() == 3);
  CHECK(arguments[0].find("Tile<") != std::string::npos);
  CHECK(arguments[1] == "AccToVecMode::SingleModeVec0");
  CHECK(arguments[2] == "3");
}

TEST_CASE("methods of a tile are instructions with the tile in front") {
  CHECK(statements(kCalledTile + " t; float f = t.GetValue(n); t.SetValue(2, f); SHOW(f);") ==
        "GetValue(t, n)\nSetValue(t, 2, f)\nSHOW(f)\n");
  Module module = liftBody(kCalledTile + " t; int32_t v = (int32_t) t.GetValue(n); SHOW(v);");
  CHECK(trace(module, 1) == "GetValue(1) SHOW(?)");
  CHECK(module.unknownCalls.empty());
}

TEST_CASE("what a tile holds has the tile's type") {
  for (const char *text :
       {"float s = 0; s += t.GetValue(n);", "float s = 0; s = s * t.GetValue(n) + 1.0f;",
        "half s = t.GetValue(n); s -= t.GetValue(n + 1);", "int32_t i = 3; i |= (int32_t)t.GetValue(n);"})
    CHECK(liftBody(kCalledTile + " t; " + text).unknownCalls.empty());
}

TEST_CASE("a scalar whose address is passed gets an unknown value") {
  CHECK(trace("int x = 3; TADD(&x); SHOW(x);") == "TADD(?) SHOW(?)");
}

TEST_CASE("the arguments of a call run before it") {
  CHECK(trace("TADD(f(n));", 2, "static AICORE int f(int a) { TSUB(); return a + 1; }\n") == "TSUB TADD(3)");
}

TEST_CASE("a lambda runs where it is called, with what it captured") {
  CHECK(trace("auto f = [&](int a) { pipe_barrier(PIPE_V); return a + n; }; n = 4; SHOW(f(3));", 1) ==
        "barrier:V SHOW(7)");
  CHECK(trace("auto f = [n](int a) mutable { n += a; return n; }; SHOW(f(3)); SHOW(f(3)); SHOW(n);", 1) ==
        "SHOW(4) SHOW(7) SHOW(1)");
  CHECK(trace("SHOW([&] { n = 9; return n + 1; }()); SHOW(n);", 1) == "SHOW(10) SHOW(9)");
}

TEST_CASE("methods, operators and conversions of the file's classes are expanded") {
  std::string counter =
      "struct Counter { int64_t at; AICORE Counter(int64_t a) : at(a) {} AICORE int64_t next() { return at++; }\n"
      "AICORE int64_t &operator*() { return at; } AICORE operator int64_t() const { return at * 2; } };\n";
  CHECK(trace("Counter c(n); SHOW(c.next()); SHOW(c.at); *c = 9; int64_t v = c; SHOW(v);", 3, counter) ==
        "SHOW(3) SHOW(4) SHOW(18)");
}

TEST_CASE("what runs code of its own where nobody sees it gives the kernel up") {
  CHECK_FALSE(liftBody("struct G { AICORE ~G() { pipe_barrier(PIPE_V); } }; G g;").kernels.at(0).analysable);
  CHECK_FALSE(liftBody("elsewhere(3);", "AICORE void elsewhere(int a);\n").kernels.at(0).analysable);
  Module called = liftBody("void (*f)() = g; f();", "AICORE void g() { pipe_barrier(PIPE_V); }\n");
  CHECK_FALSE(kernelNamed(called, "k").analysable);
  REQUIRE(called.sites.size() == 1);
  CHECK(called.sites[0].protection != Protection::None);
  CHECK(called.sites[0].keepReason.find("text that was not read may run it") != std::string::npos);
}

TEST_CASE("names count with their scope") {
  CHECK(trace("my::pipe_barrier(PIPE_V); TADD();", 0, "namespace my { AICORE void pipe_barrier(pipe_t) {} }\n") ==
        "TADD");
  CHECK(
      trace(kCalledTile + " t; my::TASSIGN(t, 512); SHOW((int64_t) t.data());", 0,
            "namespace my { template <typename X> AICORE void TASSIGN(X &x, int a) { pto::TASSIGN(x, a + 1); } }\n") ==
      "SHOW(513)");
  Module module = liftBody("Tile<3> t; TADD(t);", "template <int N> struct Tile { int a[N]; };\n#define Tile ::Tile\n");
  CHECK(module.kernels.front().tiles.empty());
}

TEST_CASE("a helper that doubles without end is given up") {
  std::string helpers = "AICORE void f0() { TADD(); }\n";
  for (int i = 1; i <= 30; ++i)
    helpers += "AICORE void f" + std::to_string(i) + "() { f" + std::to_string(i - 1) + "(); f" +
               std::to_string(i - 1) + "(); }\n";
  CHECK(liftBody("f30();", helpers).kernels.at(0).reason.find("calls of helpers") != std::string::npos);
}

TEST_CASE("calls between the cores: each is an instruction, and a message is an unknown number of its operands") {
  for (const std::string prefix : {"", "__builtin_cce_"}) {
    INFO(prefix);
    const std::string name = prefix + "ffts_cross_core_sync", wait = prefix + "wait_flag_dev";
    const Module module = liftBody("  const int64_t id = 3;\n  uint16_t message = getFFTSMsg(FFTS_MODE_VAL, id);\n  " +
                                   name + "(PIPE_MTE3, message);\n  " + wait + "(n);");
    CHECK(module.unknownCalls.empty());
    CHECK(kinds(instructionNamed(module, name)) == "scalar scalar ");
    CHECK(instructionNamed(module, name).operands[0].spelling == "PIPE_MTE3");
    CHECK(instructionNamed(module, "getFFTSMsg").results.empty());
    const std::string ran = trace(module, 5);
    CHECK(ran.find("getFFTSMsg(2, 3) " + name + "(") == 0);
    CHECK(ran.find(", ?) " + wait + "(5)") != std::string::npos);
  }
}

TEST_CASE("a sync whose argument has an effect of its own is never edited") {
  const std::string body = "  int q = 0;\n  set_flag(PIPE_V, PIPE_MTE2, (event_t) q++);\n"
                           "  wait_flag(PIPE_V, PIPE_MTE2, (event_t) (q - 1));\n  get_buf(PIPE_V, (q = 5, 0), 0);\n"
                           "  rls_buf(PIPE_V, 0, 0);\n";
  const Module module = lift(vectorKernel(body), "a5");
  REQUIRE(module.sites.size() >= 4);
  CHECK(module.sites[0].protection == Protection::NotOneStatement);
  CHECK(module.sites[0].keepReason == "an argument of it may do more than give a number");
  CHECK(module.sites[1].protection == Protection::None);
  CHECK(module.sites[2].protection == Protection::NotOneStatement);
  CHECK(module.sites[3].protection == Protection::None);
}
