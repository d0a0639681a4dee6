#include "frontend/guard/escaped_addresses.h"

#include "frontend/lifted.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// "in out", with "memory" if numbers from outside may be addresses, and "in~out" for a related pair.
std::string escapes(const std::string &body, const std::string &helpers = "") {
  const Module module = liftBody(body, helpers);
  const Kernel &kernel = kernelNamed(module, "k");
  if (!kernel.analysable)
    return "not analysable: " + kernel.reason;
  const std::string names[] = {"in", "out", "n"};
  std::string text;
  auto add = [&](const std::string &more) { text += (text.empty() ? "" : " ") + more; };
  for (std::uint32_t number : kernel.escaped)
    add(names[number]);
  if (kernel.addressesInMemory)
    add("memory");
  for (const auto &[one, other] : kernel.related)
    add(names[one] + "~" + names[other]);
  return text;
}

} // namespace

TEST_CASE("an address that is followed does not escape") {
  CHECK(escapes("") == "");
  CHECK(escapes("__gm__ float *p = in; p = in + 4; p++; p += n; SHOW((int64_t) p);") == "");
  CHECK(escapes("uint64_t a = (uint64_t) in; a = a / 4 * 4; __gm__ float *p = (__gm__ float *) a; SHOW(p[n]);") == "");
  CHECK(escapes("uint64_t a[2] = {(uint64_t) in, (uint64_t) out}; SHOW(a[n & 1]);") == "");
  CHECK(escapes("struct { uint64_t a; } s; s.a = (uint64_t) in; SHOW(s.a);") == "");
  CHECK(escapes("out[0] = in[n];") == "");
  CHECK(escapes("in == out; (void) (in + n); n ? in : out;") == "in~out"); // compared, and nobody looks
  CHECK(escapes("if (in == out) SHOW(1);") == "");                         // somebody does
  CHECK(escapes("if (in) SHOW(1); if (!out) SHOW(2); in == nullptr;") == "");
}

TEST_CASE("an address escapes where it is not followed") {
  CHECK(escapes("union { __gm__ float *p; uint64_t a; } u; u.p = in; SHOW(u.a);") == "in");
  CHECK(escapes("uint64_t a = (uint64_t) out, b; __builtin_memcpy(&b, &a, 8); SHOW(b);") == "out");
  CHECK(escapes("*(__gm__ int64_t *) out = (int64_t) in;") == "in");
  CHECK(escapes("int64_t a = (int64_t) in; *(__gm__ int64_t *) out = a >> 4;") == "in");
  CHECK(escapes("double d = (double) (uint64_t) in; SHOW((uint64_t) d);") == "in");
  CHECK(escapes("unsigned __int128 d = (uint64_t) in; SHOW((uint64_t) d);") == "in");
  CHECK(escapes("__gm__ float *p = in; SHOW(*(uint64_t *) &p);") == "in");
  CHECK(escapes("static uint64_t kept; kept = (uint64_t) in; SHOW(kept);") == "in");
  CHECK(escapes("kept = (uint64_t) in;", "static uint64_t kept;\n") == "in");
  CHECK(escapes("__gm__ int64_t *w = (__gm__ int64_t *) out; __atomic_store_n(w, (int64_t) in, 0);") == "in out");
  // What has escaped once comes back with whatever is not followed.
  CHECK(
      escapes(
          "for (int i = 0; i < n; ++i) { *(__gm__ int64_t *) out = ((__gm__ int64_t *) in)[i]; kept = (uint64_t) in; }",
          "static uint64_t kept;\n") == "in");
}

TEST_CASE("what is compared out of sight is related") {
  CHECK(escapes("float d = (float) (in - out); SHOW(n);") == "in out in~out");
  CHECK(escapes("float d = (float) (in == out); SHOW(n);") == "in~out");
  CHECK(escapes("float d = (float) ((uint64_t) in < (uint64_t) n);") == "in~out"); // with any address
  CHECK(escapes("float d = (float) (in == nullptr);") == "");
}

TEST_CASE("numbers that become pointers say that memory holds addresses") {
  CHECK(escapes("__gm__ float *p = (__gm__ float *) ((__gm__ int64_t *) in)[n]; SHOW(p[0]);") == "memory");
  CHECK(escapes("__gm__ float *p = ((__gm__ float *__gm__ *) in)[n]; SHOW(p[0]);") == "memory");
  CHECK(escapes("__gm__ float *p = (__gm__ float *) (uint64_t) n; SHOW(p[0]);") == "memory");
  CHECK(escapes("__gm__ float *p = (__gm__ float *) 0x1000; SHOW(p[0]);") == "");
  CHECK(escapes("__gm__ float *p = (__gm__ float *) ((uint64_t) in + ((__gm__ int64_t *) out)[n]); SHOW(p[0]);") == "");
}
