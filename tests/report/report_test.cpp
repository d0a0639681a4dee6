#include "report/report.h"
#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

sample::Sample empty() {
  sample::Sample sample;
  sample.module.source = SourceText("k.cpp", "");
  sample.module.kernels.push_back(sample::kernel("add", Section::Both));
  return sample;
}

} // namespace

TEST_CASE("the whole summary of a rich file") {
  sample::Sample sample = sample::rich();
  CHECK(textReport(sample.input()) ==
        R"(9 barriers, 2 removed, 7 kept; 3 flag statements, 0 removed, 1 moved, 2 kept (trust: tile, arch: a3)
file k.cpp, patterns default, library 2026-06

  section  sync       found  removed  moved  kept
  cube     PIPE_M         1        0      0     1
  vec      PIPE_V         6        2      0     4
  vec      PIPE_MTE3      1        0      0     1
  vec      flags          3        0      1     2
  both     PIPE_ALL       1        0      0     1
  unused   end fence      1        0      0     1

by pattern
  gu         1 removed of 2 matched
  final-div  1 removed of 1 matched
  sink-wait  0 removed, 1 moved of 1 matched
  no match: softmax-exp-sum

why the removed ones went
  another sync orders it, machine rule same-access-chain (1)
    1x RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V), at line 13
  it orders nothing (1)
    1x at line 15

why the moved ones stand elsewhere
  nothing in between needs it (1)
    1x RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V), at line 45

why the kept ones stay
  hazard (2): without it two accesses of the same bytes are unordered
    2x RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V), at lines 16 and 21
  unresolved (1): it may be what orders a pair that the analysis cannot see ordered
    1x RAW on GM: TROWSUM (PIPE_V) -> TADD (PIPE_V), at line 25
  protected (2): a comment keeps it, or it belongs to the end fence, a flush or a larger statement
    1x end fence, at line 40
    1x keep(timing), at line 28
  not-nominated (1): no enabled pattern matches
    1x at line 29
  not-analysed (1): its kernel could not be analysed
    1x kernel attention could not be analysed, at line 31
  unbalanced (2): its flag is not set and waited for in turn on every path, or its id is not known
    2x its flag is not set and waited for in turn on every path, at lines 35 and 36
  limit (1): --max-removals was reached before it, or --lines does not name its line
    1x at line 33

1 kernel left untouched
  attention (cube), line 5: irreducible control flow

1 unknown call, taken to touch all memory on all pipes
  TFUTURE at lines 50 and 52

1 flag fault in the input
  attention (vec), line 35: set at line 35 twice

2 unresolved pairs in the input, one instruction not seen ordered before the other
  attention (vec): RAW on GM argument v1, unknown bytes: line 24 TROWSUM(v84, v58, v62) -> line 26 TADD(v128, v128, v129)
  attention: RAW on UB [98304, 98432): line 61 TROWSUM(v84, v58, v62) -> line 62 TADD(v128, v128, v129) (silenced by rule m-accumulate)

next
  mend the flag faults of the input first: such a kernel may hang
  --verbose: each sync with its reason
  --patterns=all: also try what no enabled pattern matches (1 sync)
  --trust=library: count barriers inside library calls too, if the kernel is built with library 2026-06
  without --max-removals and --lines: also decide what they leave out (1 sync)
  describe the unknown calls in the machine model: they hold every sync around them in place
)");
}

TEST_CASE("a file without kernels says so and no more") {
  sample::Sample sample;
  sample.module.source = SourceText("k.cpp", "");
  CHECK(textReport(sample.input()) == "no kernels found in k.cpp\n");
}

TEST_CASE("a kernel without syncs") {
  ReportInput input;
  sample::Sample sample = empty();
  input = sample.input();
  input.patternIds.clear();
  CHECK(textReport(input) == "no barriers (trust: tile, arch: a3)\nfile k.cpp, patterns default, library 2026-06\n");
}

TEST_CASE("the verdict counts one and many, and flags where they are the news") {
  sample::Sample sample = empty();
  sample.site(SyncKind::SetFlag, Pipe::V, 3, "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)");
  CHECK(verdictLine(sample.input()) == "no barriers; 1 flag statement, 0 removed, 1 kept (trust: tile, arch: a3)");
  sample::remove(sample.barrier(4), "gu", {});
  CHECK(verdictLine(sample.input()) == "1 barrier, 1 removed, 0 kept (trust: tile, arch: a3)");
  sample::remove(sample.site(SyncKind::WaitFlag, Pipe::V, 5, "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)"), "gu", {});
  ReportInput input = sample.input();
  input.trust = Trust::Library;
  input.arch = "a5";
  CHECK(verdictLine(input) ==
        "1 barrier, 1 removed, 0 kept; 2 flag statements, 1 removed, 1 kept (trust: library, arch: a5)");
}

TEST_CASE("only the most frequent causes and the first pairs are shown, unless verbose") {
  sample::Sample sample = empty();
  for (std::uint32_t i = 0; i < 8; ++i) {
    sample::keep(sample.barrier(10 + i), KeptReason::Protected, "cause " + std::to_string(i));
    sample.result.unresolved.push_back({"add", Section::Vec, sample::conflict(100 + i, 200 + i), ""});
  }
  std::string summary = textReport(sample.input());
  CHECK(summary.find("    1x cause 4, at line 14\n    3x for 3 other causes\n") != std::string::npos);
  CHECK(summary.find("8 unresolved pairs in the input, one") != std::string::npos);
  CHECK(summary.find("line 102 TROWSUM") != std::string::npos);
  CHECK(summary.find("line 103 TROWSUM") == std::string::npos);
  CHECK(summary.find("  and 5 more\n") != std::string::npos);
  CHECK(summary.find("every sync") == std::string::npos);
  std::string verbose = textReport(sample.input(), {.verbose = true});
  CHECK(verbose.find("line 107 TROWSUM") != std::string::npos);
  CHECK(verbose.find("\nevery sync\nk.cpp:10:3: kept pipe_barrier(PIPE_V): protected: cause 0\n") != std::string::npos);
}

TEST_CASE("the library hint is for the tile trust level and names what must hold") {
  sample::Sample sample = empty();
  sample::keepFor(sample.barrier(4), KeptReason::Hazard, sample::conflict(3, 5));
  ReportInput input = sample.input();
  CHECK(textReport(input).find("built with library 2026-06\n") != std::string::npos);
  input.library.clear();
  CHECK(textReport(input).find("built with the library version you name\n") != std::string::npos);
  input.trust = Trust::Library;
  CHECK(textReport(input).find("--trust") == std::string::npos);
}

TEST_CASE("rewrites: what was made with its evidence, and why others are not") {
  sample::Sample sample = sample::rich();
  ReportInput input = sample.input();
  std::vector<FifoDecision> none;
  input.rewrites = &none;
  CHECK(textReport(input).find("\nrewrites\n  no FIFO that the rewrite asks for\n") != std::string::npos);
  FifoDecision made;
  made.type = {0, "DIR_C2V", 4096, 8, 8};
  made.pattern = "fifo-local-slots";
  made.localSlots = 2;
  made.line = 12;
  made.evidence = {"one entry"};
  FifoDecision kept = made;
  kept.localSlots = 8;
  kept.reason = "its place is not known";
  std::vector<FifoDecision> decisions = {made, kept};
  input.rewrites = &decisions;
  CHECK(textReport(input).find("\nrewrites\n"
                               "  line 12: TPipe<0, DIR_C2V, 4096, 8, 8> now has 2 local slots [fifo-local-slots]\n"
                               "    one entry\n"
                               "  line 12: TPipe<0, DIR_C2V, 4096, 8, 8> kept: its place is not known\n") !=
        std::string::npos);
}

TEST_CASE("text report: why the removed ones went, beside why the kept ones stay") {
  using namespace sample;
  Sample sample;
  remove(sample.barrier(10), "gu", {Evidence{Evidence::By::Sync, conflict(1, 2), "", {5}, "", true}});
  keepFor(sample.barrier(20), KeptReason::Hazard, conflict(3, 4));
  sample.module.kernels.emplace_back();
  std::string text = textReport(sample.input());
  std::size_t removed =
      text.find("\nwhy the removed ones went\n  another sync orders it (1)\n    1x RAW on UB: TROWSUM (PIPE_V) "
                "-> TADD (PIPE_V), at line 10\n");
  std::size_t kept = text.find("\nwhy the kept ones stay\n");
  CAPTURE(text);
  CHECK(removed != std::string::npos);
  CHECK(kept != std::string::npos);
  CHECK(removed < kept);
  CHECK(text.find("why the moved ones") == std::string::npos);
  TextReportOptions options;
  options.only = Verdict::Kept;
  text = textReport(sample.input(), options);
  CHECK(text.find("why the removed ones went") == std::string::npos);
  CHECK(text.find("why the kept ones stay") != std::string::npos);
}
