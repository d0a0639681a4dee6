#include "compare/compared.h"

using namespace ptosync;
using namespace ptosync::test;
using compare::likeness;

namespace {

/// Loops side by side with these instructions; "ab" is one with a and b.
compare::Outline loops(const std::vector<std::string> &contents) {
  compare::Outline outline;
  for (const std::string &names : contents) {
    compare::OutlineLoop loop;
    for (char name : names)
      ++loop.contents[std::string(1, name)];
    outline.outermost.push_back(outline.loops.size());
    outline.loops.push_back(std::move(loop));
  }
  return outline;
}

std::string matched(const compare::Outline &a, const compare::Outline &b) {
  std::string text;
  for (const compare::LoopPair &pair : compare::matchLoops(a, b)) {
    auto name = [](const std::optional<std::size_t> &loop) { return loop ? std::to_string(*loop) : std::string("-"); };
    text += (text.empty() ? "" : " ") + name(pair.a) + name(pair.b);
  }
  return text;
}

} // namespace

TEST_CASE("loop match: how alike two mixes are") {
  CHECK(likeness({}, {}) == 1);
  CHECK(likeness({{"a", 1}}, {}) == 0);
  CHECK(likeness({{"a", 1}, {"b", 2}}, {{"a", 2}, {"b", 4}}) == Approx(1)); // unrolled
  CHECK(likeness({{"a", 1}}, {{"b", 1}}) == 0);
}

TEST_CASE("loop match: in order, by what is in them") {
  CHECK(matched(loops({"ab", "cd"}), loops({"ab", "cd"})) == "00 11");
  CHECK(matched(loops({"ab", "cd"}), loops({"cd"})) == "0- 10");
  CHECK(matched(loops({"cd"}), loops({"ab", "cd"})) == "-0 01");
  CHECK(matched(loops({"ab"}), loops({"cd"})) == "0- -0");
  CHECK(matched(loops({"ab", "ab"}), loops({"abab", "ab"})) == "00 11");
  CHECK(matched(loops({""}), loops({""})) == "00");
}

TEST_CASE("loop match: what is inside is matched within what is matched around it") {
  compare::Outline a = loops({"ab", "b"});
  a.outermost = {0};
  a.loops[0].inner = {1};
  CHECK(matched(a, a) == "00 11");
  CHECK(matched(a, loops({"xy"})) == "0- 1- -0");
}
