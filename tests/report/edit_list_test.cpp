#include "report/report.h"

#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

/// Two statements of one edit, a move, and a site that stayed.
sample::Sample edited() {
  sample::Sample sample;
  sample.module.source = SourceText("k.cpp", "one\ntwo\nthree\n");
  Evidence gone{Evidence::By::Web, std::nullopt, "", {15}, "what waits for it is gone", true};
  sample::remove(sample.site(SyncKind::SetFlag, Pipe::V, 12, "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)"),
                 "redundant-flag", {gone}, 2);
  sample.barrier(13);
  sample::remove(sample.site(SyncKind::WaitFlag, Pipe::V, 15, "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)"),
                 "redundant-flag", {{Evidence::By::Nothing, std::nullopt, "", {}, "nothing was pending", true}}, 2);
  sample::move(sample.site(SyncKind::WaitFlag, Pipe::MTE2, 20, "wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1)"),
               "sink-wait", 8, {Evidence::By::Place, sample::conflict(19, 24), "", {}, "the first that needs it", true},
               3);
  sample::remove(sample.barrier(30), "gu", {{Evidence::By::Nothing, std::nullopt, "", {}, "nothing was pending", true}},
                 1);
  return sample;
}

} // namespace

TEST_CASE("edits are listed in the order in which they were made, one line each") {
  CHECK(listEdits(edited().input()) ==
        "edit 1: removed pipe_barrier(PIPE_V) at line 30 [gu]\n"
        "edit 2: removed set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) at line 12, wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) at "
        "line 15 "
        "[redundant-flag]\n"
        "edit 3: moved wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1) from line 20 to line 3 [sink-wait]\n");
}

TEST_CASE("one edit is described with the evidence of each of its statements") {
  sample::Sample sample = edited();
  CHECK(describeEdit(sample.input(), 2) ==
        "edit 2: removed set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) at line 12, wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) at "
        "line 15 "
        "[redundant-flag]\n"
        "k.cpp:12:3: removed set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [redundant-flag]\n"
        "    goes with the wait at line 15: what waits for it is gone\n"
        "k.cpp:15:3: removed wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [redundant-flag]\n"
        "    no conflict: nothing was pending\n");
  CHECK(describeEdit(sample.input(), 3) ==
        "edit 3: moved wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1) from line 20 to line 3 [sink-wait]\n"
        "k.cpp:20:3: moved wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1) to line 3 [sink-wait]\n"
        "    RAW on UB [98304, 98432): line 19 TROWSUM(v84, v58, v62) -> line 24 TADD(v128, v128, v129)\n"
        "      goes no farther: the first that needs it\n");
}

TEST_CASE("a kernel placed anew is one edit, with what goes and what is added") {
  sample::Sample sample = edited();
  AddedSync added;
  added.statement = "pipe_barrier(PIPE_V);";
  added.place.offset = 4;
  added.earlier = "the write of v3";
  added.later = "the read";
  added.earlierLine = 1;
  added.laterLine = 2;
  added.edit = 2;
  added.kernel = "attention";
  added.section = Section::Vec;
  sample.result.added = {added};
  CHECK(listEdits(sample.input()).find("edit 2: placed anew attention (vec): 2 removed, 1 added\n") !=
        std::string::npos);
  std::string alone = describeEdit(sample.input(), 2);
  CHECK(alone.find("k.cpp:15:3: removed wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [redundant-flag]\n") !=
        std::string::npos);
  CHECK(alone.ends_with("added at line 2: pipe_barrier(PIPE_V); orders the write of v3 (line 1) before the read at "
                        "line 2\n"));
}

TEST_CASE("no edits, and numbers that are none") {
  sample::Sample none;
  none.barrier(4);
  CHECK(listEdits(none.input()) == "no edits\n");
  CHECK(describeEdit(none.input(), 1) == "there is no edit 1: no edits in all\n");
  CHECK(describeEdit(edited().input(), 0) == "there is no edit 0: 3 edits in all\n");
  CHECK(describeEdit(edited().input(), 4) == "there is no edit 4: 3 edits in all\n");
}
