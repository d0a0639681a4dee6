#include "fuzz/kernel_reducer.h"

#include "fuzz/kernel_generator.h"

#include <catch2/catch.hpp>

using namespace ptosync::fuzz;

namespace {

std::size_t count(const std::vector<Statement> &list, Statement::Kind kind) {
  std::size_t found = 0;
  forEachStatement(list, [&](const Statement &statement) { found += statement.kind == kind; });
  return found;
}

/// True if some loop has a wait in it, however deep.
bool hasWaitInLoop(const FuzzKernel &kernel) {
  bool found = false;
  forEachStatement(kernel.body, [&](const Statement &statement) {
    found = found || (statement.kind == Statement::Kind::Loop && count(statement.body, Statement::Kind::WaitFlag) > 0);
  });
  return found;
}

} // namespace

TEST_CASE("kernel reducer: what is left still fails, and nothing of it can go", "[fuzz]") {
  std::size_t reduced = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    FuzzKernel kernel = KernelGenerator(seed).generate();
    if (!hasWaitInLoop(kernel))
      continue;
    ++reduced;
    CAPTURE(seed);
    FuzzKernel small = reduceKernel(kernel, [](FuzzKernel &candidate) { return hasWaitInLoop(candidate); });
    CHECK(hasWaitInLoop(small));
    CHECK(sizeOf(small) == 2); // the loop and the wait
    CHECK(sizeOf(kernel) >= sizeOf(small));
  }
  CHECK(reduced > 10);
}

TEST_CASE("kernel reducer: two statements that are needed together both stay", "[fuzz]") {
  FuzzKernel kernel = KernelGenerator(3).generate();
  auto both = [](FuzzKernel &candidate) {
    return count(candidate.body, Statement::Kind::SetFlag) >= 2 && count(candidate.body, Statement::Kind::Barrier) >= 1;
  };
  REQUIRE(both(kernel));
  FuzzKernel small = reduceKernel(kernel, both);
  CHECK(count(small.body, Statement::Kind::SetFlag) == 2);
  CHECK(count(small.body, Statement::Kind::Barrier) == 1);
  CHECK(sizeOf(small) == 3);
}
