#include "profile/issue_fit.h"

#include "profile/recorded_run.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

timing::FittedEntry fittedIssue(const std::string &text, std::int64_t n, const timing::IssueCost &true_) {
  timing::CostTable costs =
      alteredCosts("{\"schema\":1,\"arch\":\"a3\",\"issue\":{\"sync\":" + std::to_string(true_.sync) +
                   ",\"instruction\":" + std::to_string(true_.instruction) + ",\"source\":\"t\",\"error\":\"t\"}}");
  FullRun recorded(text, n, costs), run(text, n, costsOf());
  timing::CoreProfile profile = profileOfRun(*recorded.timing);
  timing::IssueCore core{run.timing->plan(), timing::alignProfile(profile, *run.timing).calls};
  timing::takeMeasured(core);
  return timing::fitIssue({core}, costsOf().issue());
}

/// A barrier over everything brings the scalar unit to a halt: what it hands out behind it is waited for, the barrier
/// itself only behind another one.
std::string haltingKernel(const std::string &first, const std::string &second) {
  std::string body = tile("v1", "float", 1, 1024, 0) + tile("v2", "float", 1, 1024, 4096) + tensor("a", "in", "0") +
                     tensor("b", "out", "0") + "  for (int32_t i = 0; i < n; i++) {\n";
  for (const std::string &between : {first, second})
    body += "    TLOAD(v1, a);\n" + between + "    TEXP(v2, v1);\n" + between + "    TSTORE(b, v2);\n" + between;
  return vectorKernel(body + "  }\n");
}

const std::string kHalt = "    pipe_barrier(PIPE_ALL);\n";

} // namespace

TEST_CASE("issue fit: what a sync and an instruction cost shows where the pipes wait for the scalar unit") {
  timing::FittedEntry entry = fittedIssue(haltingKernel(kHalt, kHalt + kHalt + kHalt), 6, {4, 20});
  REQUIRE(entry.parameters.size() == 2);
  CHECK(entry.parameters[0].name == "instruction");
  CHECK(entry.parameters[1].name == "sync");
  CHECK(entry.parameters[0].fitted);
  CHECK(entry.parameters[1].fitted);
  CHECK(entry.parameters[0].after == Approx(4).margin(1));
  CHECK(entry.parameters[1].after == Approx(20).margin(2));
  CHECK(entry.residualBefore > 5 * entry.residualAfter);
}

TEST_CASE("issue fit: where one may stand for the other neither is known") {
  timing::FittedEntry entry = fittedIssue(haltingKernel(kHalt + kHalt, kHalt + kHalt), 6, {4, 20});
  for (const timing::FittedParameter &parameter : entry.parameters) {
    CHECK_FALSE(parameter.fitted);
    CHECK(parameter.after == parameter.before);
  }
}

TEST_CASE("issue fit: without syncs there is nothing to say of them") {
  std::string body = tile("v1", "float", 64, 64, 0) + tile("v2", "float", 64, 64, 32768) +
                     "  for (int32_t i = 0; i < n; i++) {\n    TEXP(v1, v1);\n    TEXP(v2, v2);\n  }\n";
  timing::FittedEntry entry = fittedIssue(vectorKernel(body), 6, {1, 1});
  CHECK_FALSE(entry.parameters[1].fitted);
  CHECK(entry.parameters[1].after == 1);
  CHECK(entry.reason.find("sync: other values fit as well") != std::string::npos);
}
