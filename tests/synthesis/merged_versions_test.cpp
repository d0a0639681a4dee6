// Two versions of a kernel as one: each layout of it is the version that it came from.
#include "synthesis/merged_versions.h"

#include "kernel/kernel.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

std::vector<std::string> statementsOf(const Kernel &kernel) {
  std::vector<std::string> texts;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      texts.push_back(printStatement(kernel, statement));
  return texts;
}

Kernel kernelOfText(const std::string &text) { return lift(text).kernels.front(); }

void checkMerged(const std::string &before, const std::string &after) {
  const Kernel was = kernelOfText(before), is = kernelOfText(after);
  std::optional<MergedVersions> merged = mergeVersions(was, is);
  REQUIRE(merged);
  CHECK(statementsOf(withoutSites(merged->kernel, merged->onlyAfter)) == statementsOf(was));
  CHECK(statementsOf(withoutSites(merged->kernel, merged->onlyBefore)) == statementsOf(is));
}

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  text.replace(text.find(what), what.size(), with);
  return text;
}

} // namespace

TEST_CASE("merged versions: without what only one has it is the other") {
  checkMerged(serialLoop(), overlappedLoop());
  checkMerged(overlappedLoop(), serialLoop());
  std::optional<MergedVersions> same = mergeVersions(kernelOfText(serialLoop()), kernelOfText(serialLoop()));
  REQUIRE(same);
  CHECK(same->onlyBefore.empty());
  CHECK(same->onlyAfter.empty());
}

TEST_CASE("merged versions: a sync that stays where it was is one sync") {
  const std::string text = serialLoop();
  const std::size_t barrier = text.find("pipe_barrier(PIPE_ALL);");
  REQUIRE(barrier != std::string::npos);
  const std::string twice = text.substr(0, barrier) + "pipe_barrier(PIPE_V); " + text.substr(barrier);
  std::optional<MergedVersions> merged = mergeVersions(kernelOfText(text), kernelOfText(twice));
  REQUIRE(merged);
  CHECK(merged->onlyBefore.empty());
  CHECK(merged->onlyAfter.size() == 1);
  checkMerged(text, twice);
}

TEST_CASE("merged versions: other work, or a branch that only one has, is not merged") {
  const Kernel kernel = kernelOfText(serialLoop());
  Kernel other = kernel;
  for (Block &block : other.blocks)
    std::erase_if(block.statements,
                  [](const Statement &statement) { return std::holds_alternative<Instruction>(statement.action); });
  CHECK_FALSE(mergeVersions(kernel, other));
  CHECK_FALSE(mergeVersions(kernel, kernelOfText(replaced(serialLoop(), "pipe_barrier(PIPE_ALL);",
                                                          "if (n > 3) { pipe_barrier(PIPE_ALL); }"))));
}
