#include "frontend/guard/launch_arguments.h"
#include "frontend/tokens_of.h"

#include "frontend/lifted.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Which arguments of `k` share a buffer: "0~1 0~2".
std::string shared(const std::string &text) {
  std::string list;
  std::map<std::string, ArgumentPairs> found = sharedArguments(tokensOf(text), {"k"}, {});
  for (const auto &[one, other] : found["k"])
    list += (list.empty() ? "" : " ") + std::to_string(one) + "~" + std::to_string(other);
  return list;
}

/// The launch inside of a function of the host.
std::string launched(const std::string &arguments, const std::string &before = "") {
  return shared("void go(float *a, float *b, Context *c, Tensor t, int n, void *s) { " + before +
                " k<<<n, nullptr, s>>>(" + arguments + "); }");
}

} // namespace

TEST_CASE("launch: arguments share what both are made of") {
  CHECK(launched("a, b, n") == "");
  CHECK(launched("a, a, n") == "0~1");
  CHECK(launched("a, a + 64, n") == "0~1");
  CHECK(launched("a, b, a + n") == "0~2");
  CHECK(launched("&a[0], &a[64]") == "0~1");
  CHECK(launched("(__gm__ float *) a, (__gm__ float *) b") == "");
  CHECK(launched("(Element *) a, (Element *) b") == "");
  CHECK(launched("reinterpret_cast<Element *>(a), reinterpret_cast<Element *>(a + 64)") == "0~1");
  CHECK(launched("static_cast<float *>(static_cast<void *>(a)), b") == "");
  CHECK(launched("a + n, b + n") == ""); // a number
  CHECK(launched("n, n") == "");
  CHECK(launched("nullptr, nullptr") == "");
  CHECK(launched("n > 2 ? a : b, b") == "0~1");
}

TEST_CASE("launch: members and elements are told apart") {
  CHECK(launched("c->in, c->out") == "");
  CHECK(launched("c->in, c->in + 64") == "0~1");
  CHECK(launched("c->in, c->in.part") == "0~1");
  CHECK(launched("c->list[0], c->list[1]") == "");
  CHECK(launched("c->list[0], c->list[0] + 4") == "0~1");
  CHECK(launched("c->list.at(0), c->list.at(1)") == "");
  CHECK(launched("t.data(), t.data() + 64") == "0~1");
  CHECK(launched("t.data_ptr<float>(), t.slice(1).data_ptr<float>()") == "0~1");
  CHECK(launched("t.x.data(), t.y.data()") == "");
}

TEST_CASE("launch: through variables") {
  CHECK(launched("a, d", "float *d = a + 64;") == "0~1");
  CHECK(launched("a, d", "float *d = b + 64;") == "");
  CHECK(launched("a, d", "float *d(a);") == "0~1");
  CHECK(launched("a, d", "auto d = reinterpret_cast<float *>(reinterpret_cast<char *>(a) + n);") == "0~1");
  CHECK(launched("a, d", "float *d; d = b; if (n) d = a;") == "0~1");
  CHECK(launched("a, e", "float *d = a, *e = d + 4;") == "0~1");
  CHECK(launched("a, c->in", "c->in = a;") == "0~1");
  CHECK(launched("a, d", "float *d = part(a, 1);") == "0~1");      // a part of it, perhaps
  CHECK(launched("x, y", "auto x = make(n), y = make(n);") == ""); // something new
  CHECK(shared("static float *pool;\nvoid go(void *s) { k<<<1, nullptr, s>>>(pool, pool + 64); }") == "0~1");
  CHECK(shared("#define POOL pool\nvoid go(float *pool, void *s) { k<<<1, nullptr, s>>>(POOL, pool); }") == "0~1");
}

TEST_CASE("launch: through functions, lambdas and macros") {
  const std::string host = "void run(float *x, float *y, void *s) { k<<<1, nullptr, s>>>(x, y, 1); }\n";
  CHECK(shared(host) == "");
  CHECK(shared(host + "void go(float *a, float *b, void *s) { run(a, b, s); }") == "");
  CHECK(shared(host + "void go(float *a, void *s) { run(a, a + 64, s); }") == "0~1");
  CHECK(
      shared(host +
             "void mid(float *x, float *y, void *s) { run(y, x, s); }\nvoid go(float *a, void *s) { mid(a, a, s); }") ==
      "0~1");
  CHECK(shared("void go(float *a, void *s) { auto run = [&](float *x, float *y) { k<<<1, nullptr, s>>>(x, y); }; "
               "run(a, a); }") == "0~1");
  CHECK(shared("#define RUN(x, y) k<<<1, nullptr, s>>>(x, y)\nvoid go(float *a, void *s) { RUN(a, a + 4); }") == "0~1");
  CHECK(shared("#define RUN(x, y) k<<<1, nullptr, s>>>(x, y)\nvoid go(float *a, float *b, void *s) { RUN(a, b); }") ==
        "");
  CHECK(shared("#define RUN(x) \\\n  k<<<1, nullptr, s>>>(x, x)\nvoid go(float *a, void *s) { RUN(a); }") == "0~1");
  CHECK(shared("template <typename T> void run(T *x, T *y, void *s) { k<T><<<1, nullptr, s>>>(x, y); }\n"
               "void go(float *a, void *s) { run<float>(a, a, s); }") == "0~1");
}

TEST_CASE("launch: what is set or returned in ways that are not followed may be any buffer") {
  // By functions of the file, through addresses and references.
  const std::string buffer = "static float *held;\nstatic float *get() { return held; }\n";
  CHECK(shared(buffer + "void go(void *s) { float *x = get(); float *y = get(); k<<<1, nullptr, s>>>(x, y); }") ==
        "0~1");
  CHECK(shared(buffer + "void go(float *a, void *s) { k<<<1, nullptr, s>>>(get(), a, 4); }") ==
        "0~1"); // a number is none
  CHECK(shared("void pick(float *x, float *&o) { o = x; }\n"
               "void go(float *a, void *s) { float *y; pick(a, y); k<<<1, nullptr, s>>>(a, y); }") == "0~1");
  CHECK(shared("void see(const Tensor &x) {}\nvoid go(Tensor a, Tensor b, void *s) "
               "{ see(a); k<<<1, nullptr, s>>>(a.data(), b.data()); }") == "");
  CHECK(launched("a, y", "float *y = b; pick(a, &y);") == "0~1");
  CHECK(launched("a, y", "float *y = b; memcpy(&y, &a, 8);") == "0~1");
  CHECK(launched("x, y", "float *x, *y; aclrtMalloc((void **)&x, n); CHECK(aclrtMalloc((void **)&y, n));") == "");
  CHECK(launched("x, y", "float *x, *y; find((void **)&x, n); find((void **)&y, n);") == "0~1");
  CHECK(launched("a, y", "float *y = b, *w = b; *pick(&y, &w, n) = a;") == "0~1");
  CHECK(launched("a, y", "float *y = b; std::swap(y, w);") == "0~1");
  CHECK(launched("a, b", "float *&r = b; r = a;") == "0~1");
  CHECK(launched("a, b", "const auto &r = b;") == "");
  CHECK(launched("a, y", "float *y = b; (y) = a;") == "0~1");
  CHECK(launched("a, y", "float *y = b, *z = b; (n ? y : z) = a;") == "0~1");
  CHECK(launched("q[0], q[1]", "float *q[2]; auto &[u, v] = q; u = a; v = a;") == "0~1");
  CHECK(launched("q[0], q[1]", "float *q[2]; for (auto &x : q) x = a;") == "0~1");
  CHECK(launched("&a[0], &b[0]") == ""); // what they hold
  // In lambdas.
  CHECK(launched("a, y", "float *y = b; auto f = [&y](float *v) { y = v; }; f(a);") == "0~1");
  CHECK(launched("a, y", "float *y = b; auto f = [&](float *v) { y = v; }; f(a);") == "0~1");
  CHECK(launched("x(), b", "auto x = [&] { return a; };") == "0~1");
  CHECK(shared("void go(float *a, float *b, void *s) { auto run = [=]() -> int { k<<<1, nullptr, s>>>(a, b); "
               "return 0; }; run(); }") == "");
}

TEST_CASE("launch: members that the file sets, and its variables, may be any buffer") {
  CHECK(shared("struct R { float *buf; void go() { k<<<1, nullptr, s>>>(buf, this->buf); } };") == "0~1");
  CHECK(shared(
            "struct R { float *x, *y; R(float *a) : x(a), y(a + 64) {} void go() { k<<<1, nullptr, s>>>(x, y); } };") ==
        "0~1");
  CHECK(shared("struct R { float *x; float *y; void setx(float *b) { x = b; } void sety(float *b) { y = b; } };\n"
               "void go(float *a, void *s) { R c; c.setx(a); c.sety(a); k<<<1, nullptr, s>>>(c.x, c.y); }") == "0~1");
  CHECK(shared("void make(B *b, A *a) { b->one = a; b->other = a; }\n"
               "void go(B *b, void *s) { k<<<1, nullptr, s>>>(b->one->x, b->other->x); }") == "0~1");
  CHECK(shared("union U { float *f; uint64_t v; };\nvoid go(float *a, void *s) "
               "{ U u; u.f = a; U w; w.v = u.v + 64; k<<<1, nullptr, s>>>(a, w.f); }") == "0~1");
  CHECK(
      shared(
          "struct V { float *d[8]; int n = 0; void push(float *x) { d[n++] = x; } float *at(int i) { return d[i]; } };"
          "void go(float *a, void *s) { V v; v.push(a); v.push(a); k<<<1, nullptr, s>>>(v.at(0), v.at(1)); }") ==
      "0~1");
  CHECK(shared("float *gx; float *gy; void init(float *b) { gx = b; gy = b; }\n"
               "void go(void *s) { k<<<1, nullptr, s>>>(gx, gy); }") == "0~1");
  CHECK(shared("void one(float *b) { float *x = b; float *y = b; use(x, y); }\n"
               "void go(float *x, float *y, void *s) { k<<<1, nullptr, s>>>(x, y); }") == ""); // other variables
}

TEST_CASE("launch: through arrays and numbers") {
  CHECK(launched("a, b", "float **r = &b; *r = a;") == "0~1");
  CHECK(shared("void go(float (*t)[64], void *s) { k<<<1, nullptr, s>>>(t[0], t[1]); }") == "0~1");
  CHECK(shared("void go(float t[2][64], void *s) { k<<<1, nullptr, s>>>(t[0], t[1]); }") == "0~1");
  CHECK(shared("void go(float *t[2], void *s) { k<<<1, nullptr, s>>>(t[0], t[1]); }") == "");
  CHECK(launched("v[0], v[1]", "float *v[2] = {a, a + 64};") == "0~1");
  CHECK(launched("c->list[n], c->list[n + 1]") == "0~1"); // perhaps one element
  CHECK(launched("x, y", "auto [x, y] = Pair{a, a};") == "0~1");
  CHECK(launched("(float *)x, a", "uint64_t x = (uint64_t)a;") == "0~1");
  CHECK(launched("(float *)x, (float *)y", "uint64_t p = (uint64_t)a; uint64_t x = p; uint64_t y = p + 1024;") ==
        "0~1");
  CHECK(launched("(float *)x, reinterpret_cast<float *>(y + 4)", "uint64_t x = ptr(a); uint64_t y = x;") == "0~1");
  CHECK(launched("(float *)x, (float *)y", "uint64_t x = (uint64_t)a, y = (uint64_t)b;") == "");
  CHECK(launched("(float *)a + n, (float *)b + n") == ""); // a number behind an address
}

TEST_CASE("launch: through macros that are several arguments") {
  CHECK(shared("#define GO(f, ...) f<<<1, nullptr, s>>>(__VA_ARGS__)\nvoid go(float *a, void *s) { GO(k, a, a); }") ==
        "0~1");
  CHECK(shared("#define GO(f, ...) f<<<1, nullptr, s>>>(__VA_ARGS__)\n"
               "void go(float *a, float *b, void *s) { GO(k, a, b); }") == "");
  CHECK(shared("void go(float *a, void *s) { (k)<<<1, nullptr, s>>>(a, a); }") == "0~1");
  CHECK(shared("void go(float *a, void *s) { auto f = k; f<<<1, nullptr, s>>>(a, a); }") == "0~1");
  CHECK(shared("#define KERNEL k\nvoid go(float *a, void *s) { KERNEL<<<1, nullptr, s>>>(a, a); }") == "0~1");
  CHECK(
      shared("#define ARGUMENTS a, b, a\nvoid go(float *a, float *b, void *s) { k<<<1, nullptr, s>>>(ARGUMENTS); }") ==
      "0~2");
  const std::string twice =
      shared("#define TWICE(x) x, x\nvoid go(float *a, void *s) { k<<<1, nullptr, s>>>(TWICE(a)); }");
  CHECK(twice.find("0~1") == 0); // and all others: which is which is not followed
}

TEST_CASE("launch: in other words") {
  CHECK(shared("void go(float *a, void *s) { ACLRT_LAUNCH_KERNEL(k)(1, s, a, a + 4); }") == "0~1");
  CHECK(shared("void go(float *a, float *b, void *s) { ACLRT_LAUNCH_KERNEL(k)(1, s, a, b); }") == "");
  CHECK(shared("void go(float *a, void *s) { aclrtlaunch_k(1, s, a, a); }") == "0~1");
  CHECK(shared("void go(float *a) { k(a, a, 1); }") == "0~1"); // on the host itself
  CHECK(shared("void k(float *x, float *y);\nvoid k(Type *, Type *);\nvoid go(float *a, float *b) { k(a, b); }") == "");
  CHECK(shared("void go(float *a, void *s) { other<<<1, nullptr, s>>>(a, a); }") == "");
}

TEST_CASE("launch: a kernel that is launched with one buffer has arguments that may meet") {
  auto related = [](const std::string &host) {
    llvm::Expected<Module> module = liftModule(
        SourceText("k.cpp", std::string(kHead) +
                                "extern \"C\" __global__ AICORE void k(__gm__ float *p, __gm__ float *q, int32_t n) "
                                "{ pipe_barrier(PIPE_ALL); }\n" +
                                host),
        frontendOptions(machineOf("a3")));
    REQUIRE(bool(module));
    return kernelNamed(*module, "k").related;
  };
  CHECK(related("void go(float *a, void *s) { k<<<1, nullptr, s>>>(a, a, 1); }\n") == ArgumentPairs{{0, 1}});
  CHECK(related("void go(float *a, float *b, void *s) { k<<<1, nullptr, s>>>(a, b, 1); }\n").empty());
  CHECK(related("void go(float *a, int n, void *s) { k<<<n, nullptr, s>>>(a, a + 4, n); }\n") == ArgumentPairs{{0, 1}});
  CHECK(related("").empty());
}
