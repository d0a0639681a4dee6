// Pairs of versions that lose an order, each by another way to misread a kernel: none may be certified. Where a
// certificate was forged for a pair, it stands beside the two texts.
#include "support.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>

using namespace ptosync::check;
using namespace ptosync::check::test;

TEST_CASE("no pair of tests/check/attacks is certified") {
  const std::string folder = "tests/check/attacks";
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(std::string(PTOSYNC_SOURCE_DIR) + "/" + folder))
    if (const std::string name = entry.path().filename(); name.find(".before.cpp") != std::string::npos)
      names.insert(name.substr(0, name.find(".before.cpp")));
  CHECK(names.size() > 130);
  for (const std::string &name : names) {
    const std::string before = readFile(folder + "/" + name + ".before.cpp");
    const std::string after = readFile(folder + "/" + name + ".after.cpp");
    REQUIRE(before != after);
    INFO(name);
    const bool ofA5 = name.size() > 3 && name.compare(name.size() - 3, 3, "_a5") == 0;
    CHECK_FALSE(certifies(before, after, ofA5 ? "a5" : "a3").certified());
  }
}

TEST_CASE("a certificate that says that an access stands in other loops is refused") {
  const std::string before = readFile("tests/check/attacks/cert_loops.before.cpp");
  const std::string after = readFile("tests/check/attacks/cert_loops.after.cpp");
  CHECK_FALSE(
      checkCertificate(before, after, factsOf("a3"), readFile("tests/check/attacks/cl_forged.json")).certified());
}
