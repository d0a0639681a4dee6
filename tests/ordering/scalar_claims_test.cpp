// What is said of scalar code and does not hold is noticed.
#include "ordering/scalar_claims.h"

#include "ordering/kernel_maker.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// `for (int i = 0; i < n; ++i) { touch(i); if (i % 2 == 0) touch(7); }`
Kernel evenKernel() {
  KernelMaker maker;
  VariableId i = maker.variable("i", kInt32);
  ExpressionId n = maker.argument("n", kInt32);
  maker.assign(i, maker.constant(0, kInt32));
  maker.loop([&] { return maker.binary(Operator::Less, maker.read(i), n); },
             [&] {
               maker.touch(maker.read(i));
               ExpressionId rest = maker.binary(Operator::Remainder, maker.read(i), maker.constant(2, kInt32));
               maker.branch(maker.binary(Operator::Equal, rest, maker.constant(0, kInt32)),
                            [&] { maker.touch(maker.constant(7, kInt32)); });
             },
             [&] { maker.assign(i, maker.moved(i, 1)); });
  return maker.finish();
}

std::string verdict(const Program &program, std::int64_t n) { return ScalarClaims(program).check({n}); }

} // namespace

TEST_CASE("scalar claims: what holds is let through, and runs are counted", "[scalar_claims]") {
  Kernel kernel = evenKernel();
  Program program = llvm::cantFail(buildProgram(kernel, machineOf("a3"), {}));
  ScalarClaims claims(program);
  for (std::int64_t n : {-1, 0, 1, 5}) {
    CHECK(claims.check({n}) == "");
    CHECK(claims.ended());
  }
  CHECK(claims.visits() > 20);
  CHECK(claims.check({1000}, 100) == "");
  CHECK_FALSE(claims.ended());
}

TEST_CASE("scalar claims: an edge that a run takes and the program has not", "[scalar_claims]") {
  Kernel kernel = evenKernel();
  Program program = llvm::cantFail(buildProgram(kernel, machineOf("a3"), {}));
  for (StepId step : program.order)
    for (std::size_t gone = 0; gone < program.edges[step].size(); ++gone) {
      Program cut = llvm::cantFail(buildProgram(kernel, machineOf("a3"), {}));
      cut.edges[step].erase(cut.edges[step].begin() + static_cast<std::ptrdiff_t>(gone));
      INFO("step " << step);
      std::string noticed = verdict(cut, 4) + verdict(cut, 5); // left in either phase
      CHECK(noticed.find("no step") != std::string::npos);
    }
}

TEST_CASE("scalar claims: a tile that lies elsewhere", "[scalar_claims]") {
  Kernel kernel = evenKernel();
  Program program = llvm::cantFail(buildProgram(kernel, machineOf("a3"), {}));
  for (Node &node : program.nodes)
    for (Access &access : node.accesses)
      ++access.base.constant;
  CHECK(verdict(program, 3).find("has the tile") != std::string::npos);
  for (Node &node : program.nodes)
    for (Access &access : node.accesses)
      access.base = program.scalars->algebra().constant(0, kAddress);
  CHECK(verdict(program, 1).find("has the tile") != std::string::npos); // the second one is at 7168
}

TEST_CASE("scalar claims: what is not defined, or does not end, is no run", "[scalar_claims]") {
  KernelMaker maker;
  VariableId i = maker.variable("i", kInt32);
  ExpressionId n = maker.argument("n", kInt32);
  maker.assign(i, maker.binary(Operator::Add, n, maker.constant(1, kInt32)));
  maker.loop([&] { return maker.binary(Operator::Equal, maker.read(i), maker.constant(5, kInt32)); }, [] {});
  maker.touch(maker.binary(Operator::Divide, n, maker.read(i)));
  Kernel kernel = maker.finish();
  Program program = llvm::cantFail(buildProgram(kernel, machineOf("a3"), {}));
  ScalarClaims claims(program);
  for (std::int64_t n : {std::int64_t{INT32_MAX}, std::int64_t{4}, std::int64_t{-1}}) {
    CHECK(claims.check({n}) == "");
    CHECK_FALSE(claims.ended());
  }
  CHECK(claims.check({8}) == "");
  CHECK(claims.ended());
}
