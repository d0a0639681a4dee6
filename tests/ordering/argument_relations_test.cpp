#include "ordering/argument_relations.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Which of p, q and r the text relates: "p~q".
std::string related(const std::string &body) {
  const Module module =
      lift("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
           "static AICORE inline bool meet(__gm__ float *x, __gm__ float *y) { return x < y + 64 && y < x + 64; }\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *p, __gm__ float *q, __gm__ float *r, "
           "__gm__ int64_t *w, int32_t n, int64_t m) {\n" +
           body + "\n}\n");
  for (const Kernel &kernel : module.kernels)
    if (kernel.name == "k") {
      const Program program = llvm::cantFail(buildProgram(kernel, machineOf("a3"), {}));
      std::string text;
      const std::string names = "pqrw";
      for (std::uint32_t one = 0; one < 4; ++one)
        for (std::uint32_t other = one + 1; other < 4; ++other)
          if (program.arguments.related(one, other)) {
            CHECK(program.arguments.related(other, one));
            text += (text.empty() ? "" : " ") + names.substr(one, 1) + "~" + names.substr(other, 1);
          }
      return text;
    }
  throw std::runtime_error("no kernel k");
}

} // namespace

TEST_CASE("relations: what compares two arguments") {
  for (const char *test :
       {"if (p == q) n += 1;", "if (p + 512 > q) n += 1;", "n += p - q;", "n += (uint64_t) p < (uint64_t) q;",
        "if (meet(p, q)) n += 1;", "__gm__ float *low = p < q ? p : q;",
        "if (((uint64_t) p ^ (uint64_t) q) == 0) n += 1;", "if ((uint64_t) p >> 9 == (uint64_t) q >> 9) n += 1;",
        "int64_t d = p - q; if (d > 0) n += 1;",
        "uint64_t a[2] = {(uint64_t) p, (uint64_t) q}; if (a[n & 1] == a[0]) n += 1;",
        "__gm__ float *c = p; if (n > 2) c = q; if (c < p + 64) n += 1;", "switch (p == q) { case true: n += 1; }",
        "while (p + n != q) n += 1;", "(void) (p == q);",
        "union { uint64_t a, b; } u; u.a = (uint64_t) p; if (u.b == (uint64_t) q) n += 1;"}) {
    CAPTURE(test);
    // What went out of sight may be any address.
    CHECK(related(test).substr(0, 3) == "p~q");
  }
  CHECK(related("if (p == q) n += 1;") == "p~q");
  CHECK(related("if (p == q) n += 1; if (q == r) n += 1;") == "p~q q~r");
  CHECK(related("if (p - q > 64) n += 1;") == "p~q"); // how they lie to each other
  CHECK(related("int64_t d = (p - q) / 8; if (d > n) n += 1;") == "p~q");
}

TEST_CASE("relations: an address that is compared with a number may be anybody's") {
  CHECK(related("if ((uint64_t) p < (uint64_t) m) n += 1;") == "p~q p~r p~w");
  CHECK(related("if ((uint64_t) q & 63) n += 1;") == "p~q q~r q~w");
  CHECK(related("if ((uint64_t) q == (uint64_t) w[1]) n += 1;") == "p~q q~r q~w");
  CHECK(related("int32_t a[4] = {0, 1, 2, 3}; n += a[((uint64_t) r >> 4) & 3];") == "p~r q~r r~w");
}

TEST_CASE("relations: what relates nothing") {
  for (const char *test :
       {"if (p) n += 1;", "if (!q || p == nullptr) n += 1;", "if (nullptr != p && q != 0) n += 1;",
        "__gm__ float *c = n > 2 ? p : q; if (c) n += 1;", "for (__gm__ float *c = p; c < p + 64; c += 8) n += 1;",
        "if (p + n < p + m) n += 1;", "n += (p + m) - p;", "if ((uint64_t) p == 0) n += 1;", "if (n < m) n += 1;",
        "if (w[1] < w[2]) n += 1;", "__gm__ float *c = nullptr; if (n > 2) c = p; if (c != nullptr) n += 1;",
        "__gm__ float *c = n > 2 ? p : q; c[n] = 1.0f;"}) {
    CAPTURE(test);
    CHECK(related(test) == "");
  }
}

TEST_CASE("relations: the last bit stands for several arguments") {
  ArgumentRelations relations;
  relations.relate(argumentBit(1), argumentBit(2));
  CHECK(relations.related(1, 2));
  CHECK_FALSE(relations.related(1, 3));
  CHECK_FALSE(relations.related(62, 70));
  relations.relate(argumentBit(70), argumentBit(80));
  CHECK(relations.related(62, 70));
  CHECK_FALSE(relations.related(1, 70));
}
