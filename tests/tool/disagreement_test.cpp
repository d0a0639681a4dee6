// `opt` cannot be made to disagree with its own replay from outside, so its check is called here.
#include "tool/disagreement.h"

#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// As if all kernels had been edited.
const OptimizeResult kEdited = [] {
  OptimizeResult result;
  result.decisions.resize(1);
  result.decisions[0].site = 0;
  result.decisions[0].verdict = Verdict::Removed;
  result.decisions[0].sections = {Section::Both};
  return result;
}();

/// The sample kernel without the barrier that it needs.
std::string broken() {
  std::string text = sampleKernel();
  std::size_t at = text.find("pipe_barrier(PIPE_V);", text.find("TADDS(v2, v2, 1.0f)"));
  return text.erase(at, std::string("pipe_barrier(PIPE_V);").size());
}

std::string problem(const std::string &patched, const ToolOptions &options = {}) {
  llvm::Expected<std::set<SiteId>> replayed =
      checkByReplay(lift(sampleKernel(), "a3", "k.cpp"), patched, kEdited, machineOf("a3"), options);
  return replayed ? "" : llvm::toString(replayed.takeError());
}

/// The folder that a message names.
std::string folderIn(const std::string &message) {
  const std::string lead = "kept for a report: ";
  std::size_t at = message.find(lead);
  REQUIRE(at != std::string::npos);
  at += lead.size();
  return message.substr(at, message.find(" (", at) - at);
}

} // namespace

TEST_CASE("disagreement: agreement, and a file that is not changed, are no error") {
  CHECK(problem(sampleKernel()) == "");
  CHECK(problem(sampleKernel() + "\n") == "");
}

TEST_CASE("disagreement: a disagreement is told and kept, with all that is needed to see it again") {
  ToolOptions options;
  options.optimize.ordering.trust = Trust::Library;
  options.optimize.ordering.argumentsMayAlias = true;
  std::string message = problem(broken(), options);
  CHECK(message.rfind(
            "internal error: the replay of the patched kernel disagrees with the optimiser; nothing was written\n",
            0) == 0);
  CHECK(contains(message, "RAW on UB [8192, 10240)"));
  std::filesystem::path folder = folderIn(message);
  CHECK(readText((folder / "before.cpp").string()) == sampleKernel());
  CHECK(readText((folder / "after.cpp").string()) == broken());
  CHECK(contains(readText((folder / "witness.txt").string()), "order lost"));
  Workshop workshop;
  Run again = workshop.shell("mkdir bin && ln -s '" PTOSYNC_BINARY "' bin/ptosync && PATH=\"$PWD/bin:$PATH\" sh '" +
                             (folder / "reproduce.sh").string() + "'");
  CHECK(again.exitCode == 1);
  CHECK(contains(again.out, "trust: library"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("disagreement: a result that no longer parses is an internal error") {
  std::string message = problem(sampleKernel() + "}\n");
  CHECK(message.rfind("internal error: the patched kernel no longer parses; nothing was written", 0) == 0);
}
