#include "synthesis/proof.h"

#include "synthesis/same_code.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

// The tests of one folder are one translation unit.
namespace ptosync::test::proofs {
using namespace ptosync::synthesis;

namespace {

const std::string kTiles = tile("a", "float", 8, 64, 0) + tile("b", "float", 8, 64, 4096) +
                           tile("c", "float", 8, 64, 8192) + tensor("g", "in", "0") + tensor("h", "out", "0");
const std::string kHeadOfFile = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";
const std::string kAll = "  pipe_barrier(PIPE_ALL);\n", kVector = "  pipe_barrier(PIPE_V);\n";
const std::string kFirst = "  TADDS(b, a, 1.0f);\n", kSecond = "  TADDS(c, b, 1.0f);\n";

std::string branch(const std::string &condition, const std::string &body) {
  return "  if (" + condition + ") {\n" + body + "  }\n";
}
std::string round(const std::string &trips, const std::string &body) {
  return "  for (int32_t i = 0; i < " + trips + "; ++i) {\n" + body + "  }\n";
}
std::string pair(const std::string &from, const std::string &to, int id) {
  return setFlag(from, to, id) + waitFlag(from, to, id);
}

Module shaped(const std::string &text, const std::string &arch) {
  FrontendOptions options = frontendOptions(machineOf(arch));
  options.shapes = true;
  return llvm::cantFail(liftModule(SourceText("kernel.cpp", text), options));
}

/// Why the kernel with the second text is not proved; empty if it is.
std::string reason(const std::string &before, const std::string &after, const std::string &arch = "a3") {
  return proveOrders(shaped(before, arch), shaped(after, arch), machineOf(arch), {}).firstReason();
}
/// The same of bodies of one kernel.
std::string bodyReason(const std::string &before, const std::string &after, const std::string &arch = "a3") {
  return reason(vectorKernel(kTiles + before), vectorKernel(kTiles + after), arch);
}
std::string exchanged(std::string text, const std::string &from, const std::string &to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}
bool says(const std::string &text, const std::string &part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("proof: a sync that orders nothing may go, one that is needed may not, and more syncs are no fault") {
  CHECK(bodyReason(kFirst + kVector + kSecond, kFirst + kVector + kSecond) == "");
  CHECK(bodyReason(kFirst + kVector + kVector + kSecond, kFirst + kVector + kSecond) == "");
  CHECK(bodyReason(kFirst + kVector + kSecond, kFirst + kAll + kSecond) == "");
  CHECK(bodyReason(kFirst + kSecond, kFirst + kVector + kSecond) == "");
  CHECK(says(bodyReason(kFirst + kVector + kSecond, kFirst + kSecond), "a pair that was ordered no longer is (RAW"));
  CHECK(reason(serialLoop(), overlappedLoop()) == "");
  CHECK(reason(overlappedLoop(), serialLoop()) == "");
}

TEST_CASE("proof: an order on one path of several is one, whatever the trip count") {
  const std::string needed = branch("n % 1009 == 640", kVector);
  CHECK(bodyReason(kFirst + needed + kSecond, kFirst + needed + kSecond) == "");
  CHECK(bodyReason(kFirst + needed + kSecond, kFirst + branch("n % 1009 == 640", "") + kSecond) != "");
  // What no run shows: one late iteration of a long loop.
  auto late = [](const std::string &syncs) {
    return round("4000", "  TASSIGN(a, (uint64_t) (i == 500 ? 8192 : 0));\n  TLOAD(a, g);\n" + syncs +
                             "  TADDS(b, c, 1.0f);\n  pipe_barrier(PIPE_ALL);\n");
  };
  CHECK(bodyReason(late(pair("MTE2", "V", 0)), late("")) != "");
  // A place that an argument decides beside the trip count.
  auto place = [](const std::string &syncs) {
    return round("n", "  TASSIGN(a, (uint64_t) (n * 8));\n  TADDS(a, b, 1.0f);\n") + syncs + "  TADDS(c, b, 1.0f);\n" +
           "  TADDS(b, c, 1.0f);\n";
  };
  CHECK(bodyReason(place(kVector), place("")) != "");
  // Three rare ways together.
  auto ways = [](const std::string &syncs) {
    return branch("n % 7 == 3", branch("n % 11 == 5", branch("n % 13 == 8", "  TADDS(b, a, 1.0f);\n" + syncs))) +
           "  TADDS(c, b, 1.0f);\n";
  };
  CHECK(bodyReason(ways(kVector), ways("")) != "");
}

TEST_CASE("proof: what is over where the kernel ends stays over, though no sync is left behind it") {
  auto kernel = [](const std::string &end) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, int32_t n) {\n" +
           kTiles + "  TSTORE(h, a);\n" + end + "}\n";
  };
  CHECK(says(reason(kernel(pair("MTE3", "S", 0)), kernel("")), "may still be running at the kernel's end"));
  CHECK(says(reason(kernel(kAll), kernel("")), "may still be running at the kernel's end"));
  CHECK(reason(kernel(""), kernel("")) == "");
  CHECK(reason(kernel(pair("MTE3", "S", 0)), kernel(kAll)) == "");
  CHECK(reason(kernel(""), kernel(kAll)) == "");
}

TEST_CASE("proof: orders relative to opaque calls, and flags set again") {
  const std::string call = "  SYNCALL();\n", load = "  TLOAD(a, g);\n";
  CHECK(says(bodyReason(load + kAll + call, load + call), "an order relative to an opaque call is lost"));
  const std::string use = load + pair("MTE2", "V", 0) + "  TADDS(b, a, 1.0f);\n", again = pair("MTE2", "V", 0);
  CHECK(says(bodyReason(use + pair("V", "MTE2", 1) + again, use + again), "a flag may be set again before its wait"));
}

TEST_CASE("proof: a flag that differs must be binary, and nothing may wait for one that is not in a circle") {
  const std::string load = "  TLOAD(a, g);\n", use = "  TADDS(b, a, 1.0f);\n";
  CHECK(says(bodyReason(load + pair("MTE2", "V", 0) + use, load + setFlag("MTE2", "V", 0) + use),
             "flag (PIPE_MTE2, PIPE_V, 0) differs and is not binary on every path"));
  CHECK(bodyReason(load + pair("MTE2", "V", 0) + use, load + waitFlag("MTE2", "V", 0) + use) != "");
  // A wait in front of its set hangs where something behind the set waits for it.
  const std::string early = waitFlag("MTE2", "V", 3), late = setFlag("MTE2", "V", 3);
  CHECK(bodyReason(early + load + late + kVector, early + load + late) == ""); // nothing to order, and less to wait for
  CHECK(
      says(bodyReason(early + load + late, early + pair("V", "MTE2", 4) + load + late), "may wait for it in a circle"));
}

TEST_CASE("proof: other work is no proof, and the reason has its line") {
  const std::string kernel = vectorKernel(kTiles + kFirst + kVector + kSecond);
  auto changed = [&](const std::string &from, const std::string &to) {
    std::string text = kernel;
    REQUIRE(text.find(from) != std::string::npos);
    return reason(kernel, text.replace(text.find(from), from.size(), to));
  };
  const std::string line = std::to_string(kBodyLine + 1 + std::count(kTiles.begin(), kTiles.end(), '\n') + 1);
  CHECK(says(changed("TADDS(c, b", "TADDS(c, a"), "the code differs at line " + line));
  CHECK(says(changed("TADDS(c, b", "TMULS(c, b"), "the code differs at line " + line));
  CHECK(says(changed("TADDS(c, b", "if (n > 3) TADDS(c, b"), "the code differs"));
  CHECK(changed("TADDS(c, b, 1.0f)", "TADDS(c, b, 2.0f)") != "");
  CHECK(changed("8192", "8256") != "");
  CHECK(changed("int32_t n", "int64_t n") != "");
  CHECK(changed("  TADDS(c", "  // a remark\n\n  TADDS(c") == "");
}

TEST_CASE("proof: names do not count, nor does what no kernel runs; what is not followed must be the same text") {
  const std::string kernel = vectorKernel(kTiles + kFirst + kVector + kSecond);
  CHECK(reason(kernel, vectorKernel(tile("d", "float", 8, 64, 0) + tile("b", "float", 8, 64, 4096) +
                                    tile("c", "float", 8, 64, 8192) + tensor("g", "in", "0") + tensor("h", "out", "0") +
                                    "  TADDS(b, d, 1.0f);\n" + kVector + kVector + kSecond)) == "");
  CHECK(reason(kernel + "int other() { return 1; }\n", kernel + "int other() { return 2; }\n") == "");
  auto unfollowed = [](const std::string &value, const std::string &syncs) {
    return vectorKernel(kTiles + "  float f = " + value + ";\n  if (f > 2.0f) {\n" + kFirst + syncs + kSecond +
                        "  }\n");
  };
  CHECK(reason(unfollowed("n * 3.0f", kVector + kVector), unfollowed("n * 3.0f", kVector)) == "");
  CHECK(says(reason(unfollowed("n * 3.0f", kVector + kVector), unfollowed("n * 4.0f", kVector)), "the code differs"));
}

TEST_CASE("proof: nothing is said of syncs where no run is seen to come") {
  const std::string dead = "  if (0 > 3) {\n", end = "  }\n";
  CHECK(says(bodyReason(dead + kFirst + kVector + kSecond + end, dead + kFirst + kSecond + end),
             "stands where no run is seen to come"));
  const std::string flag = pair("MTE2", "V", 0), load = "  TLOAD(a, g);\n";
  CHECK(says(bodyReason(load + flag + dead + flag + end, load + dead + flag + end),
             "flag (PIPE_MTE2, PIPE_V, 0) is also used where no run is seen to come"));
}

TEST_CASE("proof: a branch around syncs in one version alone") {
  // Then all that needs an order must have it in the second version.
  const std::string guarded = branch("n > 3", kAll);
  CHECK(bodyReason(kFirst + kVector + kSecond, kFirst + kVector + kSecond + guarded) == "");
  CHECK(bodyReason(kFirst + kVector + kSecond + guarded, kFirst + kVector + kSecond) == "");
  CHECK(says(bodyReason(kFirst + kVector + kSecond, kFirst + guarded + kSecond),
             "one version has a branch around syncs that the other has not"));
  CHECK(bodyReason(kFirst + kVector + kSecond, kFirst + branch("n > 3", kVector + kFirst) + kSecond) != "");
}

TEST_CASE("proof: a branch around syncs on another condition is another branch") {
  const std::string load = "  TLOAD(a, g);\n", flag = pair("MTE2", "V", 0);
  auto differs = [](const std::string &before, const std::string &after) {
    return says(bodyReason(before, after), "one version has a branch around syncs that the other has not");
  };
  CHECK(differs(kFirst + branch("n > 3000000", kVector) + kSecond, kFirst + branch("n > 3000001", kVector) + kSecond));
  CHECK(differs(kFirst + branch("n * 3.0f > 2.0f", kVector) + kSecond,
                kFirst + branch("n * 3.0f > 4.0f", kVector) + kSecond));
  CHECK(differs(load + branch("n == 77777", flag) + kFirst, load + branch("n == 77778", flag) + kFirst));
  // Whatever the condition is, nothing needs the order.
  CHECK(bodyReason(kFirst + kVector + kSecond + branch("n > 3", kAll),
                   kFirst + kVector + kSecond + branch("n > 4", kAll)) == "");
}

TEST_CASE("proof: what a value that is not followed is made from must be the same wherever it stands") {
  const std::string use = "  TADDS(b, a, kS);\n";
  auto made = [&](const std::string &front, const std::string &value, const std::string &syncs) {
    return exchanged(vectorKernel(kTiles + value + use + syncs + kSecond), kHeadOfFile, kHeadOfFile + front);
  };
  auto differs = [&](const std::string &front, const std::string &value, const std::string &otherFront,
                     const std::string &otherValue) {
    CAPTURE(front, value);
    CHECK(reason(made(front, value, kVector + kVector), made(front, value, kVector)) == "");
    CHECK(reason(made(front, value, kVector), made(otherFront, otherValue, kVector)) != "");
    CHECK(reason(made(front, value, kVector + kVector), made(otherFront, otherValue, kVector)) != "");
  };
  for (const char *front : {"static const float kS = @;\n", "constexpr float kS = @;\n", "#define kS @\n"})
    differs(exchanged(front, "@", "1.0f"), "", exchanged(front, "@", "2.0f"), "");
  differs("", "  float kS = 1.0f;\n", "", "  float kS = 2.0f;\n");
  differs("", "  using T = float;\n  float kS = (T) 1.5;\n", "", "  using T = int;\n  float kS = (T) 1.5;\n");
  const std::string get = "AICORE float get(float x = @) { return x * 2.0f; }\n", got = "  float kS = get();\n";
  differs(exchanged(get, "@", "1.0f"), got, exchanged(get, "@", "2.0f"), got);
  const std::string part = "struct P { float x = @; };\n", parted = "  P p;\n  float kS = p.x;\n";
  differs(exchanged(part, "@", "1.0f"), parted, exchanged(part, "@", "2.0f"), parted);
  const std::string make = "struct P { float x; AICORE P() : x(@) {} };\n";
  differs(exchanged(make, "@", "1.0f"), parted, exchanged(make, "@", "2.0f"), parted);
  const std::string list = "constexpr float kA[2] = {1.0f, @};\n", listed = "  float kS = kA[n];\n";
  differs(exchanged(list, "@", "1.0f"), listed, exchanged(list, "@", "2.0f"), listed);
  const std::string instance = "template <int N> AICORE float get() { return N * 2.0f; }\n";
  differs(instance, "  float kS = get<1>();\n", instance, "  float kS = get<2>();\n");
}

TEST_CASE("proof: kernels of one name are told apart, and one that a file alone has is not proved") {
  auto inNamespace = [](const std::string &name, const std::string &body) {
    const std::string kernel = exchanged(vectorKernel(kTiles + body), kHeadOfFile, "");
    return "namespace " + name + " {\n" + exchanged(kernel, "extern \"C\" ", "") + "}\n";
  };
  auto both = [&](const std::string &first, const std::string &second) {
    return kHeadOfFile + inNamespace("first", first) + inNamespace("second", second);
  };
  const std::string ordered = kFirst + kVector + kSecond, open = kFirst + kSecond;
  CHECK(reason(both(ordered, ordered), both(ordered, ordered)) == "");
  CHECK(says(reason(both(ordered, ordered), both(ordered, open)), "a pair that was ordered no longer is"));
  CHECK(says(reason(both(ordered, open), both(open, ordered)), "a pair that was ordered no longer is"));
  const std::string alone = vectorKernel(kTiles + ordered),
                    more = exchanged(exchanged(vectorKernel(kTiles + open), kHeadOfFile, ""), "void k(", "void l(");
  CHECK(says(reason(alone, alone + more), "one file alone has the kernel"));
  CHECK(says(reason(alone + more, alone), "one file alone has the kernel"));
}

TEST_CASE("proof: brackets of buffer ids, moved, gone and in another mode") {
  auto bracket = [](const std::string &pipe, const std::string &mode, const std::string &work) {
    return "  get_buf(" + pipe + ", 0, " + mode + ");\n" + work + "  rls_buf(" + pipe + ", 0, " + mode + ");\n";
  };
  const std::string load = "  TLOAD(a, g);\n", use = "  TADDS(b, a, 1.0f);\n", other = "  TADDS(c, c, 1.0f);\n";
  const std::string loaded = bracket("PIPE_MTE2", "0", load);
  CHECK(bodyReason(loaded + bracket("PIPE_V", "0", other + use), loaded + other + bracket("PIPE_V", "0", use), "a5") ==
        "");
  CHECK(bodyReason(loaded + bracket("PIPE_V", "0", use), loaded + use, "a5") != "");
  CHECK(bodyReason(loaded + bracket("PIPE_V", "0", use), loaded + bracket("PIPE_V", "1", use), "a5") != "");
}

TEST_CASE("same code: what two versions may differ in") {
  auto difference = [](const std::string &before, const std::string &after) {
    const Module was = lift(vectorKernel(kTiles + before)), is = lift(vectorKernel(kTiles + after));
    return codeDifference(was.kernels.front(), is.kernels.front(), Unfollowed::Alike).value_or("");
  };
  CHECK(difference(kFirst + kVector + kSecond, kAll + kFirst + kSecond + kVector) == "");
  CHECK(difference(kFirst, kFirst + kSecond) != "");
  CHECK(difference(kFirst + kSecond, kFirst) != "");
  CHECK(difference("  TLOAD(a, g);\n", "  TLOAD(b, g);\n") != "");
  CHECK(difference(round("n", kFirst), round("4", kFirst)) != "");
  CHECK(difference(branch("n > 3", kFirst), branch("n > 4", kFirst)) != "");
  CHECK(difference("  int32_t m = n;\n" + kFirst, "  int32_t l = n;\n" + kFirst) == "");
  CHECK(difference("  int32_t m = n;\n" + kFirst, "  int64_t m = n;\n" + kFirst) != "");
}

} // namespace ptosync::test::proofs
