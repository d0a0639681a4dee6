#include "timing/issue_fit.h"

#include "timing/recorded_run.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

timing::FittedEntry fittedIssue(const std::string &text, std::int64_t n, const timing::IssueCost &true_) {
  timing::CostTable costs = alteredCosts("{\"schema\":1,\"arch\":\"a3\",\"issue\":{\"sync\":" +
                                         std::to_string(true_.sync) + ",\"instruction\":" +
                                         std::to_string(true_.instruction) +
                                         ",\"source\":\"t\",\"error\":\"t\"}}");
  FullRun recorded(text, n, costs), run(text, n, costsOf());
  timing::CoreProfile profile = profileOfRun(*recorded.timing);
  timing::IssueCore core{run.timing->plan(), timing::alignProfile(profile, *run.timing).calls};
  timing::takeMeasured(core);
  return timing::fitIssue({core}, costsOf().issue());
}

} // namespace

TEST_CASE("issue fit: the cost of a sync shows where the pipes wait for it") {
  timing::FittedEntry entry = fittedIssue(recordedKernel(), 6, {1, 20});
  REQUIRE(entry.parameters.size() == 2);
  CHECK(entry.parameters[1].name == "sync");
  CHECK(entry.parameters[1].fitted);
  CHECK(entry.parameters[1].after == Approx(20).margin(2));
  CHECK(entry.residualAfter < 0.01);
}

TEST_CASE("issue fit: without syncs there is nothing to say of them") {
  std::string body = tile("v1", "float", 64, 64, 0) + tile("v2", "float", 64, 64, 32768) +
                     "  for (int32_t i = 0; i < n; i++) {\n    TEXP(v1, v1);\n    TEXP(v2, v2);\n  }\n";
  timing::FittedEntry entry = fittedIssue(vectorKernel(body), 6, {1, 1});
  CHECK_FALSE(entry.parameters[1].fitted);
  CHECK(entry.parameters[1].after == 1);
  CHECK(entry.reason.find("sync: the pipes never waited for it") != std::string::npos);
}
