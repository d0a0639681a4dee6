#include "report/report.h"

#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("a removed site lists its evidence") {
  sample::Sample sample = sample::rich();
  CHECK(describeSite(sample.input(), sample.result.decisions[0]) ==
        "k.cpp:13:3: removed pipe_barrier(PIPE_V) [final-div]\n"
        "    RAW on UB [98304, 98432): line 12 TROWSUM(v84, v58, v62) -> line 17 TADD(v128, v128, v129)\n"
        "      syncs at lines 13 and 16: barriers on both sides\n"
        "    RAW on UB [98304, 98432): line 12 TROWSUM(v84, v58, v62) -> line 14 TADD(v128, v128, v129)\n"
        "      machine rule same-access-chain: one access of 4096 elements\n"
        "    WAR on UB [98304, 98432): line 30 TROWSUM(v84, v58, v62) -> line 12 (called from line 97) "
        "(called from line 120) TADD(v128, v128, v129), carried round the loop\n"
        "      also, not relied on: barrier inside the library call at line 12\n");
  CHECK(describeSite(sample.input(), sample.result.decisions[1]) ==
        "k.cpp:15:3: removed pipe_barrier(PIPE_V) [gu]\n    no conflict: nothing was pending\n");
}

TEST_CASE("an edit that no run reached says so") {
  sample::Sample sample = sample::rich();
  ReportInput input = sample.input();
  input.notReplayed = {1};
  CHECK(describeSite(input, sample.result.decisions[1]) ==
        "k.cpp:15:3: removed pipe_barrier(PIPE_V) [gu]\n    proved, not replayed: no run of the replay reached it\n"
        "    no conflict: nothing was pending\n");
}

TEST_CASE("a kept site says why, with its witness if it has one") {
  sample::Sample sample = sample::rich();
  auto entry = [&](std::size_t site) { return describeSite(sample.input(), sample.result.decisions[site]); };
  CHECK(entry(2) == "k.cpp:16:3: kept pipe_barrier(PIPE_V): RAW on UB [98304, 98432): line 12 "
                    "TROWSUM(v84, v58, v62) -> line 17 TADD(v128, v128, v129)\n");
  CHECK(entry(4) == "k.cpp:25:3: kept pipe_barrier(PIPE_MTE3): unresolved: RAW on GM argument v1, unknown bytes: "
                    "line 24 TROWSUM(v84, v58, v62) -> line 26 TADD(v128, v128, v129)\n"
                    "    the pair may be ordered by this barrier\n");
  CHECK(entry(5) == "k.cpp:28:3: kept pipe_barrier(PIPE_ALL): protected: keep(timing)\n");
  CHECK(entry(6) == "k.cpp:29:3: kept pipe_barrier(PIPE_V): not-nominated: no enabled pattern matches\n");
}

TEST_CASE("the list has an entry per site, in order") {
  sample::Sample sample;
  CHECK(listSites(sample.input()) == "");
  sample.barrier(4);
  sample.barrier(9);
  sample.module.source = SourceText("a b.cpp", "");
  CHECK(listSites(sample.input()) ==
        "a b.cpp:4:3: kept pipe_barrier(PIPE_V): not-nominated: no enabled pattern matches\n"
        "a b.cpp:9:3: kept pipe_barrier(PIPE_V): not-nominated: no enabled pattern matches\n");
}
