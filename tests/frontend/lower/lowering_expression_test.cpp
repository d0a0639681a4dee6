#include "frontend/lifted.h"

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("an element is at the place that its array had before the index changed it") {
  CHECK(trace("int32_t (*p)[4] = (int32_t (*)[4])in; SHOW(&(*p)[(p += 1, 0)] == (int32_t *)in);") == "SHOW(1)");
}

TEST_CASE("elements may be as large as memory") {
  CHECK(trace("using Big = int8_t[1LL << 31]; SHOW((int64_t)&((Big *)in)[n][0] - (int64_t)in);", 1) ==
        "SHOW(2147483648)");
}

TEST_CASE("elements of vectors are not followed") {
  CHECK(trace("typedef int v4 __attribute__((vector_size(16))); v4 v = {1, 2, 3, 4}; v[0] = 3; SHOW(v[0]); "
              "SHOW(v[n]);") ==
        "expression scalar.store expression scalar.load SHOW(?) expression scalar.load SHOW(?)");
}

TEST_CASE("arithmetic keeps the width and sign of its types") {
  CHECK(trace("SHOW(n * 3 - 4 / 2); SHOW(-n); SHOW(~n);", 5) == "SHOW(13) SHOW(-5) SHOW(-6)");
  CHECK(trace("unsigned u = n; SHOW(u - 1); SHOW(u - 1 > u);", 0) == "SHOW(4294967295) SHOW(1)");
  CHECK(trace("SHOW((int32_t) ((uint32_t) n * (uint32_t) n));", 65536) == "SHOW(0)");
  CHECK(trace("unsigned char c = n; short s = 70000; SHOW(c + 1); SHOW(s);", 255) == "SHOW(256) SHOW(4464)");
  CHECK(trace("SHOW((n >> 1) + (n << 2)); SHOW((uint32_t) n >> 31);", -8) == "SHOW(-36) SHOW(1)");
  CHECK(trace("SHOW((n & 6) | 1); SHOW(n ^ 3); SHOW(n % 4);", 7) == "SHOW(7) SHOW(4) SHOW(3)");
  CHECK(trace("SHOW(n / 0);") == "SHOW(?)");
}

TEST_CASE("comparisons and logic give bools") {
  CHECK(trace("SHOW((int) (n < 3)); SHOW((int) (n == 5)); SHOW((int) !n); SHOW((int) !!n);", 5) ==
        "SHOW(0) SHOW(1) SHOW(0) SHOW(1)");
  CHECK(trace("bool b = n; SHOW((int) b); SHOW((int) (n > 1 && n < 9)); SHOW((int) (n < 1 || n > 9));", 2) ==
        "SHOW(1) SHOW(1) SHOW(0)");
  CHECK(trace("bool high = (unsigned) n > 3u; SHOW((int) high);", -1) == "SHOW(1)");
}

TEST_CASE("literals, enumerators, constants of the file and sizes are numbers") {
  CHECK(trace("SHOW('a' + 0); SHOW(0x10); SHOW((int) true); SHOW((int) sizeof(int64_t)); SHOW((int) Second); "
              "SHOW(kWidth + 1);",
              0, "enum Order { First, Second = 7 };\nconstexpr int kWidth = 64;\n") ==
        "SHOW(97) SHOW(16) SHOW(1) SHOW(8) SHOW(7) SHOW(65)");
}

TEST_CASE("a ternary is one of its values") {
  CHECK(trace("SHOW(n > 2 ? 10 : 20);", 3) == "SHOW(10)");
  CHECK(trace("SHOW(n > 2 ? 10 : 20);", 2) == "SHOW(20)");
  CHECK(trace("int v = n == 0 ? 7 : n == 1 ? 8 : 9; SHOW(v);", 1) == "SHOW(8)");
}

TEST_CASE("pointers count bytes") {
  CHECK(statements("__gm__ float *p = in + (n + 2); p = p - 1; p++; p += n;") == "p = (in + u64((i64((n + 2)) * 4)))\n"
                                                                                 "p = (p - u64((i64(1) * 4)))\n"
                                                                                 "old = p\n"
                                                                                 "p = (p + 4)\n"
                                                                                 "p = (p + u64((i64(n) * 4)))\n");
  CHECK(trace("int64_t a = (int64_t) (in + 3); SHOW(a); SHOW((int64_t) (3 + out));") == "SHOW(1012) SHOW(2012)");
  CHECK(trace("__gm__ half *h = (__gm__ half *) in; SHOW((int64_t) (h + n));", 5) == "SHOW(1010)");
  CHECK(trace("SHOW((int64_t) ((__gm__ char *) in - 1));") == "SHOW(999)");
}

TEST_CASE("the difference of pointers counts elements") {
  CHECK(statements("int64_t d = out - in; SHOW(d);") == "d = (i64((out - in)) / 4)\nSHOW(d)\n");
  CHECK(trace("int64_t d = out - in; SHOW(d);") == "SHOW(250)");
  CHECK(trace("SHOW((__gm__ char *) in - (__gm__ char *) out);") == "SHOW(-1000)");
}

TEST_CASE("dereferenced pointers are loads and stores of the scalar unit") {
  CHECK(statements(
            "out[n] = in[3]; float f = *in; *(out + 1) = f; __gm__ int32_t *q = (__gm__ int32_t *) in; int v = q[n]; "
            "SHOW(v);") == "scalar.load(in[3])\n"
                           "scalar.store(out[n])\n"
                           "scalar.load(*in)\n"
                           "scalar.store(*(out + 1))\n"
                           "q = in\n"
                           "scalar.load(q[n])\n"
                           "v = loaded\n"
                           "SHOW(v)\n");
}

TEST_CASE("a load names its address and its size, and its result is unknown") {
  Module module = liftBody("__gm__ int16_t *q = (__gm__ int16_t *) in; int v = q[n]; SHOW(v);");
  const Kernel &kernel = module.kernels.front();
  CHECK(trace(module, 1) == "scalar.load SHOW(?)");
  for (const Statement &statement : kernel.blocks[0].statements)
    if (auto *load = std::get_if<Instruction>(&statement.action); load && load->name == "scalar.load") {
      REQUIRE(load->operands.size() == 1);
      CHECK(load->operands[0].kind == Operand::Kind::Pointer);
      CHECK(load->operands[0].bytes == 2);
      CHECK(printExpression(kernel, load->operands[0].value) == "(q + u64((i64(n) * 2)))");
      CHECK(load->results.size() == 1);
    }
}

TEST_CASE("a compound assignment to memory loads, then stores") {
  CHECK(statements("out[2] += 1.0f;") == "scalar.load(out[2])\nscalar.store(out[2])\n");
}

TEST_CASE("local arrays keep their elements apart") {
  CHECK(trace("int a[3] = {4, 5, n}; a[1] += 10; SHOW(a[0]); SHOW(a[1]); SHOW(a[2]); SHOW(a[n]);", 2) ==
        "SHOW(4) SHOW(15) SHOW(2) SHOW(2)");
  CHECK(trace("int a[2] = {}; a[n % 2] = 9; SHOW(a[0]); SHOW(a[1]);", 3) == "SHOW(0) SHOW(9)");
  CHECK(trace("int a[2] = {1, 2}; a[in[0] > 0.0f ? 1 : 0] = 9; SHOW(a[0]);") == "scalar.load SHOW(?)");
}

TEST_CASE("what is not followed has an effect on order and no value") {
  CHECK(trace("union Pair { int a, b; } p; p.a = n; SHOW(p.a);", 4) == "SHOW(?)");
  CHECK(trace("static int a; a = 3; SHOW(a);") == "SHOW(?)");
  CHECK(trace("struct Bits { int a : 3; } b; b.a = 9; SHOW(b.a);") == "SHOW(?)");
  CHECK(trace("float f = 2.5f; SHOW((int) (f * 2));") == "SHOW(?)");
}

TEST_CASE("queries of the core keep their name") {
  CHECK(statements("int64_t b = get_block_idx(); int32_t c = (int32_t) get_block_num(); SHOW(b + c);") ==
        "b = get_block_idx\nc = i32(get_block_num)\nSHOW(b + c)\n");
}

TEST_CASE("a postfix step gives the old value") {
  CHECK(trace("int i = n++; SHOW(i); SHOW(n); SHOW(n--); SHOW(n);", 4) == "SHOW(4) SHOW(5) SHOW(5) SHOW(4)");
}

TEST_CASE("a prefix step gives the new value") {
  CHECK(trace("int i = ++n; SHOW(i);", 4) == "SHOW(5)");
  CHECK(trace("while (--n) TADD();", 3) == "TADD TADD");
}

TEST_CASE("the value of an assignment is what was assigned") {
  CHECK(trace("int a, b; a = b = n + 1; SHOW(a); SHOW(b);", 4) == "SHOW(5) SHOW(5)");
  CHECK(trace("int a = (n = n + 1); SHOW(a);", 4) == "SHOW(5)");
  CHECK(trace("int a = (n += 2); SHOW(a);", 4) == "SHOW(6)");
}

TEST_CASE("one assignment inside another with other variables") {
  CHECK(trace("int a, b; a = b = n; SHOW(a); SHOW(b);", 4) == "SHOW(4) SHOW(4)");
}

TEST_CASE("only the chosen arm of a ternary has effects") {
  CHECK(trace("int x = 0; int y = n ? (x = 1) : (x = 2); SHOW(x); SHOW(y);", 1) == "SHOW(1) SHOW(1)");
  CHECK(trace("n ? pipe_barrier(PIPE_V) : pipe_barrier(PIPE_MTE2);", 1) == "barrier:V");
  CHECK(trace("int y = n ? f() : 3; SHOW(y);", 0, "static AICORE int f() { pipe_barrier(PIPE_V); return 1; }\n") ==
        "SHOW(3)");
}

TEST_CASE("the right side of && and || runs only if it decides") {
  std::string sync = "static AICORE bool f() { pipe_barrier(PIPE_V); return true; }\n";
  CHECK(trace("if (n && f()) TADD();", 0, sync) == "");
  CHECK(trace("if (n && f()) TADD();", 1, sync) == "barrier:V TADD");
  CHECK(trace("if (n || f()) TADD();", 1, sync) == "TADD");
}

TEST_CASE("a comma runs its sides in order") { CHECK(trace("int x; SHOW((x = 3, x + n));", 4) == "SHOW(7)"); }

TEST_CASE("a variable written through a pointer to it no longer has its old value") {
  CHECK(trace("int x = 3; int *p = &x; *p = 7; SHOW(x);") != "scalar.store SHOW(3)");
  CHECK(trace("int a[2] = {1, 2}; int *p = a; p[1] = 7; SHOW(a[1]);") != "scalar.store SHOW(2)");
}

TEST_CASE("an array element written through a reference to it no longer has its old value") {
  CHECK(trace("int a[2] = {1, 2}; int &r = a[0]; r = 7; SHOW(a[0]);") != "SHOW(1)");
}

TEST_CASE("a reference to a scalar is the scalar") { CHECK(trace("int &r = n; r = 7; SHOW(n);", 1) == "SHOW(7)"); }

TEST_CASE("members and elements of elements are followed") {
  CHECK(trace("struct Pair { int a, b; } p; p.a = n; SHOW(p.a); Pair q = p; q.a = 9; SHOW(p.a);", 4) ==
        "SHOW(4) SHOW(4)");
  CHECK(trace("int a[2][2]; a[1][0] = 3; a[0][0] = 4; SHOW(a[n][0]);", 1) == "SHOW(3)");
}

TEST_CASE("references and pointers to objects mean the objects") {
  CHECK(trace("int a = 1, b = 2; int &r = n ? a : b; n = 0; r = 7; SHOW(a); SHOW(b);", 1) == "SHOW(7) SHOW(2)");
  CHECK(trace("int v[2] = {1, 2}; int &r = v[n]; n = 0; r = 7; SHOW(v[0]); SHOW(v[1]);", 1) == "SHOW(1) SHOW(7)");
  CHECK(trace("int x = 3; int *p = &x; *p = 7; SHOW(x);") == "SHOW(7)");
  CHECK(trace("int v[2] = {1, 2}; auto &[a, b] = v; a = 5; SHOW(v[0]);") == "SHOW(5)");
  CHECK(trace("int v[2] = {1, 2}; for (int &x : v) x += 10; SHOW(v[0]); SHOW(v[1]);") == "SHOW(11) SHOW(12)");
}

TEST_CASE("a variable whose address is out is unknown after every store through a pointer, in earlier iterations too") {
  CHECK(trace("int x = 3; int *p = &x; p = p + 0; *p = 7; SHOW(x);") == "scalar.store SHOW(?)");
  CHECK(trace("int x = 3; int *p = 0; for (int i = 0; i < 2; ++i) { *p = 7; SHOW(x); p = &x; }") ==
        "scalar.store SHOW(?) scalar.store SHOW(?)");
}

TEST_CASE("a place is found once") {
  CHECK(trace("int v[3] = {1, 2, 3}; int i = 0; v[i++] += 10; SHOW(i); SHOW(v[0]); SHOW(v[1]);") ==
        "SHOW(1) SHOW(11) SHOW(2)");
}

TEST_CASE("C++17 orders what an expression reads and changes") {
  std::string bump = "static AICORE int bump(int &x) { x = 8; return 0; }\n";
  CHECK(trace("int x = 1; SHOW(x << bump(x)); SHOW(x);", 0, bump) == "SHOW(1) SHOW(8)");
  CHECK(trace("int x = 1; x += bump(x); SHOW(x);", 0, bump) == "SHOW(8)");
  CHECK(trace("int x = 1; int y = x + bump(x); SHOW(y);", 0, bump) == "SHOW(1)");
}

TEST_CASE("loads are wherever C++ loads") {
  std::string head = "struct Head { int rows; float scale; };\n";
  CHECK(trace("int r = ((__gm__ Head *) in)->rows; float s = (*(__gm__ Head *) in).scale;", 0, head) ==
        "scalar.load scalar.load");
  CHECK(trace("Head h = *(__gm__ Head *) in;", 0, head) == "scalar.load");
  CHECK(trace("float &f = in[3]; TADD(); float g = f;") == "TADD scalar.load");
  CHECK(trace("switch (int z = ((__gm__ int *) in)[0]) { default: TADD(); }") == "scalar.load TADD");
}
