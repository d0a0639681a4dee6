#include "report/report.h"

#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::sample;

namespace {

Evidence orderedBy(Evidence::By by, std::optional<Conflict> ordered = std::nullopt, std::string rule = "",
                   bool relied = true) {
  Evidence evidence;
  evidence.by = by;
  evidence.conflict = std::move(ordered);
  evidence.rule = std::move(rule);
  evidence.relied = relied;
  return evidence;
}

} // namespace

TEST_CASE("removed groups: by what the removal relies on, then by cause") {
  Sample sample;
  for (std::uint32_t line : {20, 10})
    remove(sample.barrier(line), "gu", {orderedBy(Evidence::By::Sync, conflict(1, 2))});
  remove(sample.barrier(30), "gu",
         {orderedBy(Evidence::By::Rule, conflict(1, 2), "same-access-chain"),
          orderedBy(Evidence::By::Sync, conflict(1, 2)), orderedBy(Evidence::By::Library, conflict(1, 2), "", false)});
  remove(sample.barrier(40), "gu", {orderedBy(Evidence::By::Nothing)});
  sample.barrier(50); // kept
  ReportInput input = sample.input();
  std::vector<EditedGroup> groups = groupEdited(input, Verdict::Removed);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].why == "another sync orders it");
  CHECK(groups[0].count == 2);
  REQUIRE(groups[0].causes.size() == 1);
  CHECK(groups[0].causes[0].text == "RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V)");
  CHECK(groups[0].causes[0].lines == std::vector<std::uint32_t>{10, 20});
  CHECK(groups[1].why == "another sync orders it, machine rule same-access-chain");
  CHECK(groups[2].why == "it orders nothing");
  CHECK(groups[2].causes[0].text.empty());
  CHECK(groupEdited(input, Verdict::Moved).empty());
}
