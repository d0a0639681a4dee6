// Certificates made for one pair of versions and changed by hand for another one, with the hashes of that one: what the
// checker believes of a certificate is nothing but where its walk begins.
#include "support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

using namespace ptosync::check;
using namespace ptosync::check::test;

namespace {

using Json = nlohmann::json;

const std::string kHead = "for (int64_t i = 0; i < n; i += 1) {\n";
const std::string kBarrier = "pipe_barrier(PIPE_V);\n";
const std::string kEnd = "pipe_barrier(PIPE_ALL);\n";
const std::string kMore = "pipe_barrier(PIPE_ALL);"; // the sync that goes, so that there is something to certify

/// The certificate of a pair that is right.
Json right(const std::string &before, const std::string &after) {
  Answer proposal;
  Json made = Json::parse(propose(kernel(before), kernel(after), factsOf("a3"), proposal));
  REQUIRE(proposal.certified());
  REQUIRE(proposal.edits() > 0);
  return made;
}

/// What the checker says of it as a certificate of another pair.
Answer asIfFor(const std::string &before, const std::string &after, Json certificate) {
  certificate["before"] = hashOf(before);
  certificate["after"] = hashOf(after);
  certificate["machine"] = hashOf(factsOf("a3"));
  return checkCertificate(before, after, factsOf("a3"), certificate.dump());
}

bool accepted(const std::string &before, const std::string &after, const Json &certificate) {
  return asIfFor(kernel(before), kernel(after), certificate).certified();
}

/// A loop that needs its barrier; `;` stands where it was, so that places are the same.
const std::string kNeeded = kHead + kBarrier + "TADDS(a, a, 1.0f);\n}\n" + kEnd;
const std::string kLost = kHead + ";\n" + "TADDS(a, a, 1.0f);\n}\n" + kEnd;

} // namespace

TEST_CASE("a certificate that says that an access stands in other loops is refused, whatever its hashes are") {
  const auto [before, after] = attack("cert_loops");
  Json forged = Json::parse(readFile("tests/check/attacks/cl_forged.json"));
  // The names of its accesses end with a hash of what they touch: as a right certificate of today has them.
  Answer proposal;
  const std::size_t end = before.rfind("pipe_barrier");
  const std::string more = before.substr(0, end) + kMore + before.substr(end);
  const Json today = Json::parse(propose(more, before, factsOf("a3"), proposal));
  REQUIRE(proposal.certified());
  auto place = [](const Json &node) {
    const std::string key = node[0];
    return key.substr(0, key.rfind(':'));
  };
  std::size_t renamed = 0;
  for (Json &node : forged["kernels"][0]["nodes"])
    for (const Json &kernel : today["kernels"])
      for (const Json &other : kernel["nodes"])
        if (place(node) == place(other)) {
          node[0] = other[0];
          ++renamed;
          break;
        }
  CHECK(renamed >= 2);
  const Answer answer = asIfFor(before, after, forged);
  CHECK_FALSE(answer.certified());
  CHECK(std::any_of(answer.kernels.begin(), answer.kernels.end(), [](const KernelAnswer &kernel) {
    return kernel.reason.find("is in other loops") != std::string::npos;
  }));
}

TEST_CASE("a certificate that forgets what runs where a turn begins is refused") {
  Json forged = right(kNeeded + kMore, kNeeded);
  CHECK(accepted(kNeeded + kMore, kNeeded, forged));
  CHECK_FALSE(accepted(kNeeded, kLost, forged)); // it says the truth, and the truth is no proof
  for (Json &turn : forged["kernels"][0]["loops"][0]["turns"])
    turn["running"] = Json::array();
  CHECK_FALSE(accepted(kNeeded, kLost, forged));
  CHECK_FALSE(accepted(kNeeded + kMore, kNeeded, forged));
}

TEST_CASE("a certificate that calls a turn unreached, or has one that is, is refused") {
  Json forged = right(kNeeded + kMore, kNeeded);
  Json &loop = forged["kernels"][0]["loops"][0];
  loop["first"] = 1;
  loop["turns"] = {{{"running", Json::array()}}, nullptr};
  CHECK_FALSE(accepted(kNeeded, kLost, forged));
  const std::string once = "for (int64_t i = 0; i < 1; i += 1) {\nTADDS(a, a, 1.0f);\n}\n" + kEnd;
  forged = right(once + kMore, once);
  Json &other = forged["kernels"][0]["loops"][0];
  other["first"] = 1;
  other["turns"].push_back(other["turns"][0]);
  CHECK_FALSE(accepted(once + kMore, once, forged));
}

TEST_CASE("a certificate with other values of what a loop changes is refused") {
  const std::string tile = "Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> t; TASSIGN(t, (uint64_t) x);\n";
  auto version = [&](const std::string &barrier, const std::string &step) {
    return "int64_t x = 0;\n" + kHead + tile + "TADDS(b, d, 1.0f);\n" + barrier + "TADDS(c, t, 1.0f);\n" + kBarrier +
           step + "}\n" + kEnd;
  };
  // t is a and another tile in turn; then a and b.
  const Json far = right(version(kBarrier, "x = 20480 - x;\n"), version(";\n", "x = 20480 - x;\n"));
  CHECK_FALSE(accepted(version(kBarrier, "x =  4096 - x;\n"), version(";\n", "x =  4096 - x;\n"), far));
  // t is always a; then a and b.
  const Json none = right(version(kBarrier, "x = 0000 * x;\n"), version(";\n", "x = 0000 * x;\n"));
  CHECK_FALSE(accepted(version(kBarrier, "x = 4096 - x;\n"), version(";\n", "x = 4096 - x;\n"), none));
}

TEST_CASE("a certificate that leaves something out, or has too much, is refused") {
  const Json made = right(kNeeded + kMore, kNeeded);
  auto changed = [&](const std::function<void(Json &)> &how) {
    Json forged = made;
    how(forged);
    return accepted(kNeeded + kMore, kNeeded, forged);
  };
  CHECK(changed([](Json &) {}));
  CHECK_FALSE(changed([](Json &all) { all["certificate"] = 2; }));
  CHECK_FALSE(changed([](Json &all) { all["kernels"] = Json::array(); }));
  CHECK_FALSE(changed([](Json &all) { all["kernels"].push_back(all["kernels"][0]); }));
  CHECK_FALSE(changed([](Json &all) { all["kernels"][0]["doubts"] = "00"; }));
  CHECK_FALSE(changed([](Json &all) {
    all["kernels"].push_back(all["kernels"][0]);
    all["kernels"][1]["claim"] = "more";
  }));
  CHECK_FALSE(changed([](Json &all) {
    all["kernels"].push_back(all["kernels"][0]);
    all["kernels"][1]["kernel"] = "another";
  }));
  CHECK_FALSE(changed([](Json &all) {
    Json &loops = all["kernels"][0]["loops"];
    loops.push_back(loops[0]);
  }));
  CHECK_FALSE(changed([](Json &all) { all["kernels"][0]["loops"][0]["at"] = "1:1"; }));
  CHECK_FALSE(changed([](Json &all) { all["kernels"][0]["nodes"].push_back({"1:1//TADDS@PIPE_V:0", -1}); }));
  // A loop that nothing is said of is not passed by.
  Json forged = made;
  for (const char *list : {"loops", "nodes", "instances", "nests"})
    forged["kernels"][0][list] = Json::array();
  CHECK_FALSE(accepted(kNeeded, kLost, forged));
}

TEST_CASE("a kernel that is not read has no certificate, whatever it says") {
  const std::string add = "TADDS(a, a, 1.0f);\n", round = "do { n = 1; } while (n > 3);\n";
  const Json empty = right(kEnd + kMore, kEnd);
  REQUIRE(empty["kernels"][0]["loops"].empty());
  CHECK_FALSE(accepted(round + add + kBarrier + add + kEnd, round + add + add + kEnd, empty));
}

TEST_CASE("each of a certificate's hashes is compared") {
  const std::string before = kernel(kNeeded + kMore), after = kernel(kNeeded);
  const Json made = right(kNeeded + kMore, kNeeded);
  CHECK(checkCertificate(before, after, factsOf("a3"), made.dump()).certified());
  CHECK_FALSE(checkCertificate(before + " ", after, factsOf("a3"), made.dump()).certified());
  CHECK_FALSE(checkCertificate(before, after + " ", factsOf("a3"), made.dump()).certified());
  CHECK_FALSE(checkCertificate(before, after, factsOf("a3") + " ", made.dump()).certified());
}

TEST_CASE("versions that differ in anything but syncs are refused, wherever they do") {
  auto differ = [](const std::string &before, const std::string &after, const std::string &around = "",
                   const std::string &other = "") {
    auto text = [](const std::string &body, const std::string &head) { return kernel(body + kEnd, head); };
    return !certifies(text(before + kMore, around), text(after, other.empty() ? around : other)).certified();
  };
  const std::string modes = "enum class Mode : int32_t { kA, kB };\n", add = "TADDS(a, b, 1.0f);\n";
  CHECK_FALSE(differ(add, add));
  CHECK(differ(add + "TADDS(c, d, 1.0f);", add));
  CHECK(differ(add, add + "TADDS(c, d, 1.0f);"));
  CHECK(differ("if (n > 3) {" + add + "}", "while (n > 3) {" + add + "}"));
  CHECK(differ("int32_t x = 5; TADDS(a, b, x);", "int8_t x = 5; TADDS(a, b, x);"));
  CHECK(differ("int32_t x = 5; int32_t y = 6; TADDS(a, b, x);", "int32_t y = 5; int32_t x = 6; TADDS(a, b, x);"));
  CHECK(differ("int32_t x = (int8_t) n; TADDS(a, b, x);", "int32_t x = (int16_t) n; TADDS(a, b, x);"));
  CHECK(differ("switch (Mode::kA) { case Mode::kA:" + add + "break; }",
               "switch (Mode::kA) { case Mode::kB:" + add + "break; }", modes));
  CHECK(differ(add, add, modes, "enum class Mode : int32_t { kA = 1, kB };\n"));
  CHECK(differ(add, add, "constexpr int64_t kOne = 1;\n", "constexpr int64_t kOne = 2;\n"));
  CHECK(differ(add, add, "AICORE inline int64_t one(int64_t n) { return n; }\n",
               "AICORE inline int64_t one(int8_t n) { return n; }\n"));
  CHECK(differ("if (n > 3) {" + add + "}", "if (n > 3) { TADDS(a, c, 1.0f);\n}"));
}
