#include "pipeline/lift_step.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kOnlyA3 = vectorKernel("  pipe_barrier(PIPE_V);\n"); // a5 has no such barrier
const std::string kEither = vectorKernel("");

llvm::Expected<Lifted> lifted(const std::vector<std::string> &texts, std::optional<ArchChoice> chosen = std::nullopt) {
  Machines machines;
  for (const char *arch : {"a3", "a5"})
    machines[arch] = std::make_shared<const Machine>(machineOf(arch));
  std::vector<SourceText> sources;
  for (const std::string &text : texts)
    sources.emplace_back("k" + std::to_string(sources.size()) + ".cpp", text);
  return liftSources(sources, std::move(chosen), machines, {}, false);
}

ArchChoice choose(const std::string &arch) { return {arch, "command line", "--arch"}; }

} // namespace

TEST_CASE("lift step: the architecture is the one that was chosen, that of the text, or the default", "[pipeline]") {
  CHECK(llvm::cantFail(lifted({kEither})).choice.description() == "a3 (default: nothing in the text decides)");
  CHECK(llvm::cantFail(lifted({kEither}, choose("a5"))).choice.description() == "a5 (command line: --arch)");
  Lifted both = llvm::cantFail(lifted({kEither, kOnlyA3}));
  CHECK(both.choice.source == "text");
  CHECK(both.choice.arch == "a3");
  REQUIRE(both.modules.size() == 2);
  CHECK(both.modules[1].source.name() == "k1.cpp");
  CHECK(both.modules[1].shapes.empty());
}

TEST_CASE("lift step: a choice that the text contradicts is refused, and every text that is no C++ is named",
          "[pipeline]") {
  std::string refused = llvm::toString(lifted({kOnlyA3}, choose("a5")).takeError());
  CHECK(refused.rfind("k0.cpp:" + std::to_string(kBodyLine) + ": pipe_barrier(PIPE_V) is not for a5", 0) == 0);
  std::string broken = llvm::toString(lifted({kEither + "}", kOnlyA3 + "}"}).takeError());
  CHECK(broken.find("k0.cpp:") != std::string::npos);
  CHECK(broken.find("k1.cpp:") != std::string::npos);
}
