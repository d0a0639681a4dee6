// Pairs of versions that lose an order, each by another way to misread a kernel: none may be certified (attack() has
// their form). forged_test.cpp has the certificate that was forged for one of them.
#include "support.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>

using namespace ptosync::check;
using namespace ptosync::check::test;

TEST_CASE("no pair of tests/check/attacks is certified") {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(PTOSYNC_SOURCE_DIR "/tests/check/attacks"))
    if (entry.path().extension() == ".txt")
      names.insert(entry.path().stem());
  CHECK(names.size() > 130);
  for (const std::string &name : names) {
    const auto [before, after] = attack(name);
    REQUIRE(before != after);
    INFO(name);
    const bool ofA5 = name.size() > 3 && name.compare(name.size() - 3, 3, "_a5") == 0;
    CHECK_FALSE(certifies(before, after, ofA5 ? "a5" : "a3").certified());
  }
}
