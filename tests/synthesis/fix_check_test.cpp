// The rule above all: what is not right is not accepted, whoever proposes it.
#include "synthesis/fix_check.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

std::optional<std::string> checked(const std::string &before, const std::string &after,
                                   std::vector<Finding> *left = nullptr) {
  Module was = lift(before), is = lift(after);
  FixCheckOptions options;
  FixCheck check = llvm::cantFail(FixCheck::of(was, machineOf("a3"), options));
  std::vector<Finding> found;
  std::optional<std::string> reason = check.refusal(is, found);
  if (left)
    *left = found;
  return reason;
}

std::string loopWith(const std::string &add, const std::string &store) {
  LoopSyncs syncs;
  syncs.add = add;
  syncs.store = store;
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  return loopKernel(syncs);
}

const std::string kLoad = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
const std::string kStore = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);

} // namespace

TEST_CASE("fix check: a missing flag that is put in is accepted, and its finding is gone") {
  std::vector<Finding> left;
  CHECK(checked(loopWith("", kStore), loopWith(kLoad, kStore), &left) == std::nullopt);
  CHECK(left.empty());
}

TEST_CASE("fix check: a change that mends one and breaks another is refused") {
  CHECK(checked(loopWith("", kStore), loopWith(kLoad, "")) != std::nullopt);
  CHECK(checked(loopWith("", kStore), loopWith(kLoad, setFlag("V", "MTE3", 0))) != std::nullopt);
  CHECK(checked(loopWith("", kStore), loopWith(kLoad + setFlag("MTE2", "V", 0), kStore)) != std::nullopt);
}

TEST_CASE("fix check: a flag whose waits are too late is refused as its order is") {
  std::string late = setFlag("MTE2", "V", 0);
  std::string text = loopWith(late, waitFlag("MTE2", "V", 0) + kStore);
  std::vector<Finding> left;
  std::optional<std::string> reason = checked(loopWith(late, kStore), text, &left);
  CHECK((reason || !left.empty())); // the pair is as open as it was
}

TEST_CASE("fix check: waits that hold each other up are refused") {
  std::string before = loopWith(kLoad, kStore);
  std::string after = loopWith(waitFlag("V", "MTE2", 0) + kLoad + setFlag("V", "MTE2", 0), kStore);
  CHECK(checked(before, after) != std::nullopt);
}

TEST_CASE("fix check: another statement is refused") {
  std::string text = loopWith(kLoad, kStore), other = text;
  std::size_t at = other.find("    TADDS(");
  other.insert(at, "    TADDS(v2, v1, 2.0f);\n");
  CHECK(checked(text, other) != std::nullopt);
}
