#include "compare/kernel_match.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Kernel kernelOf(const std::string &name, const std::vector<std::string> &instructions, Section section = Section::Vec) {
  Kernel kernel;
  kernel.name = name;
  kernel.section = section;
  kernel.blocks.emplace_back();
  for (const std::string &instruction : instructions) {
    Statement statement;
    Instruction action;
    action.name = instruction;
    statement.action = std::move(action);
    kernel.blocks[0].statements.push_back(std::move(statement));
  }
  return kernel;
}

std::string matchedKernels(std::vector<Kernel> a, std::vector<Kernel> b) {
  Module left, right;
  left.kernels = std::move(a);
  right.kernels = std::move(b);
  std::string text;
  for (const compare::KernelPair &pair : compare::matchKernels(left, right))
    text += (text.empty() ? "" : " ") + (pair.a ? pair.a->name : "-") + "/" + (pair.b ? pair.b->name : "-");
  return text;
}

} // namespace

TEST_CASE("kernel match: by name and core") {
  CHECK(matchedKernels({kernelOf("p", {"TADD"}), kernelOf("q", {"TEXP"})},
                       {kernelOf("q", {"TADD"}), kernelOf("p", {})}) == "p/p q/q");
  CHECK(matchedKernels({kernelOf("p", {"TADD"}, Section::Cube)}, {kernelOf("p", {"TADD"}, Section::Vec)}) == "p/- -/p");
}

TEST_CASE("kernel match: another name where the instructions are alike") {
  CHECK(matchedKernels({kernelOf("p", {"TADD", "TEXP"})}, {kernelOf("p_1", {"TADD", "TEXP", "TEXP"})}) == "p/p_1");
  CHECK(matchedKernels({kernelOf("p", {"TADD"})}, {kernelOf("r", {"TMATMUL"})}) == "p/- -/r");
  CHECK(matchedKernels({kernelOf("p", {})}, {kernelOf("r", {})}) == "p/- -/r");
  CHECK(matchedKernels({kernelOf("p", {}, Section::Cube), kernelOf("p", {"TADD"})},
                       {kernelOf("r", {}, Section::Cube), kernelOf("r", {"TADD"})}) == "p/r p/r"); // its other core
}
