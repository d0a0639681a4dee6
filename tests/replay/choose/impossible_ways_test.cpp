// Ways that none of a kernel's inputs leads to: the ones that are told are taken by no run.
#include "replay/choose/impossible_ways.h"

#include "replay/choose/run_choice.h"
#include "replay/replayed.h"

#include <optional>
#include <random>

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

/// Of the runs in which n is `given`, if it is.
std::set<Way> impossibleOf(Replayed &kernel, std::optional<std::int64_t> given) {
  const Ways &ways = kernel.subject->ways();
  ArgumentValues values;
  for (const NamedArgument &argument : argumentsOf(*kernel.subject))
    if (given && argument.name == "n")
      values.emplace(argument.number, *given);
  return impossibleWays(*kernel.subject, {ways.open().begin(), ways.open().end()}, values);
}

std::string impossible(const std::string &body, std::optional<std::int64_t> given = std::nullopt) {
  Replayed kernel(vectorKernel(kRowTile + body));
  return listed(kernel.subject->ways(), impossibleOf(kernel, given));
}

} // namespace

TEST_CASE("impossible ways: by what must hold where they are") {
  const std::string odd =
      "  int64_t m = n;\n  if (m - (m - 1) / 2 * 2 - 1 == 1) {\n    if (m < 0)\n  " + kRowWork + "  }\n";
  CHECK(impossible(odd) == "7+");
  CHECK(impossible("  if (n > 3) {\n    if (n > 1)\n  " + kRowWork + "  }\n") == "6-");
  CHECK(impossible("  if (n > 3) {\n    if (n > 5)\n  " + kRowWork + "  }\n").empty());
  CHECK(impossible("  int32_t m = n;\n  if (m > 3) {\n    m = m - 100;\n    if (m > 1)\n  " + kRowWork + "  }\n")
            .empty());
  CHECK(impossible("  for (int32_t i = 0; i < n; i += 1) {\n    if (i < 0)\n  " + kRowWork + "  }\n") == "6+");
}

TEST_CASE("impossible ways: an argument that is given decides what it decides") {
  const std::string body =
      "  for (int32_t i = 0; i < n / 4; i += 1) {\n  " + kRowWork + "  }\n  if (n > 3) {\n  " + kRowWork + "  }\n";
  CHECK(impossible(body).empty());
  CHECK(impossible(body, 64) == "5+ 8-");                 // the loop is not skipped
  CHECK(impossible(body, 3) == "5+ 8+");                  // it is
  CHECK(impossible(body, std::int64_t{1} << 40).empty()); // no number of its type
}

TEST_CASE("impossible ways: none that a run takes, of random conditions") {
  std::mt19937 random(5);
  auto pick = [&](int low, int high) {
    return std::to_string(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
  };
  auto condition = [&](const std::string &x) {
    switch (random() % 7) {
    case 0: return "(" + x + " + " + pick(-9, 9) + ") / " + pick(2, 5) + " == " + pick(-3, 4);
    case 1: return x + " % " + pick(2, 5) + " == " + pick(-2, 4);
    case 2: return x + " * " + pick(2, 5) + " > " + pick(-40, 40);
    case 3: return "(" + x + " & 7) < " + pick(0, 8);
    case 4: return x + " - " + x + " / 4 * 4 == " + pick(-1, 4);
    case 5: return "(" + x + " < 0 ? 0 : " + x + ") >= " + pick(-1, 9);
    default: return x + (random() % 2 ? " < " : " >= ") + pick(-20, 20);
    }
  };
  std::size_t found = 0, taken = 0;
  for (int kernels = 0; kernels < 60; ++kernels) {
    std::string body = "  int64_t m = n;\n  int64_t l = m * " + pick(1, 3) + " + " + pick(-5, 5) + ";\n";
    for (int depth = 0; depth < 4; ++depth)
      body += "  if (" + condition(random() % 2 ? "m" : "l") + ") {\n" + kRowWork;
    body += "  }\n  }\n  }\n  }\n";
    Replayed kernel(vectorKernel(kRowTile + body));
    const Ways &ways = kernel.subject->ways();
    const std::set<Way> none = impossibleOf(kernel, std::nullopt);
    found += none.size();
    for (std::int64_t n = -60; n <= 60; ++n) {
      const std::set<Way> given = n % 20 == 0 ? impossibleOf(kernel, n) : none;
      for (const Way &way : kernel.runWith(n).ways) {
        ++taken;
        if (none.count(way) || given.count(way))
          FAIL_CHECK(body << "line " << ways.lineOf(way) << " with n = " << n);
      }
    }
  }
  CHECK(found > 20);
  CHECK(taken > 5000);
}

TEST_CASE("impossible ways: what is assumed of a number leaves a way to no run") {
  const auto possible = [](const std::string &assume) {
    Replayed kernel(vectorKernel("  // ptosync: assume(" + assume + ")\n" + kRowTile +
                                 "  TEXP(a, a);\n  if (n == 2)\n    TEXP(a, a);\n"));
    std::set<Way> ways;
    for (const Way &way : kernel.subject->ways().open())
      ways.insert(way);
    return ways.size() - impossibleWays(*kernel.subject, ways).size();
  };
  CHECK(possible("n >= 0") == 2);
  CHECK(possible("n > 2") == 1);
  CHECK(possible("n == 2") == 1);
  CHECK(possible("n >= 0 && n < 3") == 2);
  CHECK(possible("n >= 0 && n < 2") == 1);
}
