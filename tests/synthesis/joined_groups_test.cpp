#include "synthesis/joined_groups.h"

#include "rewrite/edited_kernel.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

const char *kAdditions = "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n"
                         "  pipe_barrier(PIPE_V);\n  TADDS(v3, v3, 1.0f);\n";

/// Two kernels whose syncs are one edit, one with two barriers that order nothing, and one that is placed anew.
Module fourKernels() {
  std::string wait = " {\n  give();\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n}\n";
  std::string kernel = "extern \"C\" __global__ AICORE void ";
  std::string text = serialLoop();
  text.insert(text.find("extern"),
              "static AICORE inline void give() {\n  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n}\n" + kernel +
                  "one(__gm__ float *in)" + wait + kernel + "other(__gm__ float *in)" + wait + kernel +
                  "barriers(__gm__ float *in) {\n" + tile("v1", "float", 8, 64, 0) + tile("v2", "float", 8, 64, 4096) +
                  tile("v3", "float", 8, 64, 8192) + kAdditions + "}\n");
  return lift(text);
}

ResyncResult limitedTo(const Module &module, std::optional<std::size_t> edits) {
  ResyncOptions options;
  options.optimize.maxRemovals = edits;
  return resynced(module, options);
}

/// By number: the kernels it edits, and how many statements go or come.
std::map<std::uint32_t, std::string> editsOf(const ResyncResult &result) {
  std::map<std::uint32_t, std::set<std::string>> kernels;
  std::map<std::uint32_t, std::size_t> statements;
  for (const SiteDecision &decision : result.decisions.decisions)
    if (decision.edit > 0) {
      kernels[decision.edit].insert(decision.kernels.begin(), decision.kernels.end());
      ++statements[decision.edit];
    }
  for (const AddedSync &added : result.decisions.added) {
    kernels[added.edit].insert(added.kernel);
    ++statements[added.edit];
  }
  std::map<std::uint32_t, std::string> edits;
  for (const auto &[number, names] : kernels) {
    for (const std::string &name : names)
      edits[number] += name + " ";
    edits[number] += statements[number] > 4 ? "many" : std::to_string(statements[number]);
  }
  return edits;
}

} // namespace

TEST_CASE("edits are numbered through the file, and a kernel placed anew is one") {
  CHECK(editsOf(limitedTo(fourKernels(), std::nullopt)) ==
        std::map<std::uint32_t, std::string>{{1, "one other 3"}, {2, "barriers 1"}, {3, "barriers 1"}, {4, "k many"}});
}

TEST_CASE("with a limit the first so many edits are made, and the rest is as it came") {
  Module module = fourKernels();
  const ResyncResult all = limitedTo(module, std::nullopt);
  std::map<std::uint32_t, std::string> edits = editsOf(all);
  REQUIRE(edits.size() == 4);
  for (std::size_t limit = 5; limit-- > 0;) {
    CAPTURE(limit);
    edits.erase(edits.upper_bound(static_cast<std::uint32_t>(limit)), edits.end());
    ResyncResult some = limitedTo(module, limit);
    CHECK(editsOf(some) == edits);
    for (const SiteDecision &decision : some.decisions.decisions) {
      const SiteDecision &whole = all.decisions.decisions[decision.site];
      CHECK(decision.edit == (whole.edit <= limit ? whole.edit : 0));
      CHECK((decision.verdict == Verdict::Kept || decision.edit > 0));
    }
    CHECK(some.decisions.added.size() == (limit < 4 ? 0 : all.decisions.added.size()));
    CHECK(some.kernels.back().changed == (limit >= 4));
  }
  CHECK(limitedTo(module, 3).kernels.back().reason == "--max-removals leaves it out");
  CHECK(llvm::cantFail(patchedText(module, limitedTo(module, 0).decisions)) == module.source.text());
}
