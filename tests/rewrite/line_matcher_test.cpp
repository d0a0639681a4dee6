#include "rewrite/line_matcher.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace ptosync;

namespace {

using Lines = std::vector<std::uint32_t>;

/// Length of a longest common subsequence, by the textbook table.
std::size_t commonLength(const Lines &before, const Lines &after) {
  std::vector<std::vector<std::size_t>> table(before.size() + 1, std::vector<std::size_t>(after.size() + 1));
  for (std::size_t i = 1; i <= before.size(); ++i)
    for (std::size_t j = 1; j <= after.size(); ++j)
      table[i][j] =
          before[i - 1] == after[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
  return table[before.size()][after.size()];
}

Lines unmarked(const Lines &lines, const std::vector<bool> &marks) {
  Lines result;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!marks[i])
      result.push_back(lines[i]);
  return result;
}

void checkShortest(const Lines &before, const Lines &after) {
  ChangedLines changed = matchLines(before, after);
  INFO(Catch::Detail::stringify(before) << " against " << Catch::Detail::stringify(after));
  Lines kept = unmarked(before, changed.removed);
  REQUIRE(kept == unmarked(after, changed.added));
  REQUIRE(kept.size() == commonLength(before, after));
}

} // namespace

TEST_CASE("equal texts and empty texts") {
  checkShortest({}, {});
  checkShortest({1, 2, 3}, {1, 2, 3});
  checkShortest({}, {1, 2});
  checkShortest({1, 2}, {});
  checkShortest({1, 2, 3}, {4, 5, 6});
}

TEST_CASE("every pair of texts of up to four lines over two letters has a shortest script") {
  std::vector<Lines> texts = {{}};
  for (std::size_t i = 0; i < texts.size() && texts[i].size() < 4; ++i)
    for (std::uint32_t letter : {1u, 2u}) {
      Lines longer = texts[i];
      longer.push_back(letter);
      texts.push_back(std::move(longer));
    }
  for (const Lines &before : texts)
    for (const Lines &after : texts)
      checkShortest(before, after);
}

TEST_CASE("random texts have a shortest script") {
  std::mt19937 random(20);
  for (int round = 0; round < 4000; ++round) {
    auto letters = static_cast<std::uint32_t>(1 + random() % 8);
    Lines before(random() % 30), after(random() % 30);
    for (Lines *lines : {&before, &after})
      for (std::uint32_t &line : *lines)
        line = static_cast<std::uint32_t>(random() % letters);
    checkShortest(before, after);
  }
}

TEST_CASE("two large texts without a common line are matched in a moment") {
  Lines before(6000), after(6000);
  for (std::uint32_t i = 0; i < 6000; ++i)
    before[i] = i, after[i] = 10000 + i;
  ChangedLines changed = matchLines(before, after);
  CHECK(std::count(changed.removed.begin(), changed.removed.end(), true) == 6000);
  CHECK(std::count(changed.added.begin(), changed.added.end(), true) == 6000);
}
