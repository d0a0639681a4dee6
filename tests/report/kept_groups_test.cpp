#include "report/report.h"

#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("a family forgets names, addresses and lines") {
  Conflict conflict = sample::conflict(12, 14);
  CHECK(conflictFamily(conflict) == "RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V)");
  conflict.storage = "GM argument v1, unknown bytes";
  conflict.earlier = sample::place(3, "TPUSH<TPipe<0>, Tile>(v51, v98)", Pipe::MTE3);
  conflict.loopCarried = true;
  CHECK(conflictFamily(conflict) == "RAW on GM: TPUSH (PIPE_MTE3) -> TADD (PIPE_V), carried round the loop");
  conflict.storage = "";
  conflict.loopCarried = false;
  CHECK(conflictFamily(conflict) == "RAW: TPUSH (PIPE_MTE3) -> TADD (PIPE_V)");
}

TEST_CASE("sites group by reason, then by cause, the most frequent first") {
  sample::Sample sample;
  Conflict rare = sample::conflict(1, 2);
  rare.kind = HazardKind::WriteAfterRead;
  for (std::uint32_t line : {30u, 10u, 20u})
    sample::keepFor(sample.barrier(line), KeptReason::Hazard, line == 10 ? rare : sample::conflict(line, line + 1));
  sample::keep(sample.barrier(40), KeptReason::Protected, "keep(timing)");
  sample::remove(sample.barrier(50), "gu", {});
  std::vector<KeptGroup> groups = groupKept(sample.input());
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].reason == KeptReason::Hazard);
  CHECK(groups[0].count == 3);
  REQUIRE(groups[0].causes.size() == 2);
  CHECK(groups[0].causes[0].text == "RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V)");
  CHECK(groups[0].causes[0].lines == std::vector<std::uint32_t>{20, 30});
  CHECK(groups[0].causes[1].lines == std::vector<std::uint32_t>{10});
  CHECK(groups[1].causes[0].text == "keep(timing)");
}
