#include "report/fix_report.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

AddedSync additionAt(std::uint32_t offset, AddedSync::Line line) {
  AddedSync added;
  added.statement = "pipe_barrier(PIPE_V);";
  added.offset = offset;
  added.line = line;
  added.earlier = "the write of v1";
  added.later = "the read";
  added.earlierLine = 1;
  added.laterLine = 2;
  return added;
}

Defect defectOf(bool mended) {
  Defect defect;
  defect.finding.rule = "missing-sync";
  defect.finding.place = {2, 3, 2, 9};
  defect.finding.message = "RAW on UB";
  defect.finding.severity = Severity::Error;
  defect.mended = mended;
  defect.reason = mended ? "" : "no event id is free";
  return defect;
}

} // namespace

TEST_CASE("fix report: what is mended, what is left and why, and every statement") {
  Module module;
  module.source = SourceText("k.cpp", "a;\nb;\nc;\n");
  module.sites.push_back({});
  module.sites[0].text = "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)";
  module.sites[0].line = 3;
  FixResult result;
  result.defects = {defectOf(true), defectOf(false)};
  result.changes.push_back({{additionAt(3, AddedSync::Line::InFront), additionAt(5, AddedSync::Line::Behind),
                             additionAt(6, AddedSync::Line::Shared)},
                            {0}});
  CHECK(fixText({&module, &result, "a3 (default)"}) ==
        "k.cpp:2:3: mended: RAW on UB [missing-sync]\n"
        "k.cpp:2:3: left: RAW on UB [missing-sync]\n"
        "  why: no event id is free\n"
        "  line 3: taken out set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)\n"
        "  in front of line 2: put in pipe_barrier(PIPE_V): orders the write of v1 (line 1) before the read at line 2\n"
        "  behind line 2: put in pipe_barrier(PIPE_V): orders the write of v1 (line 1) before the read at line 2\n"
        "  on line 3: put in pipe_barrier(PIPE_V): orders the write of v1 (line 1) before the read at line 2\n"
        "k.cpp: 1 finding mended by 3 statements put in and 1 taken out; 1 left; arch a3 (default)\n");
}

TEST_CASE("fix report: what no finding speaks of is left as well") {
  Module module;
  module.source = SourceText("k.cpp", "a;\nb;\n");
  FixResult result;
  result.missing.push_back(
      {"WAR on UB [0, 32): A on PIPE_V may still run when B starts on PIPE_MTE2", 1, 2, "k", "n=3"});
  result.missing.push_back({"the wait at line 2 has no set", 0, 0, "k", "n=2"});
  result.contested["mte2-load-order"] = 3;
  CHECK(result.left() == 2);
  CHECK(
      fixText({&module, &result, "a3 (default)"}) ==
      "k.cpp: left: the wait at line 2 has no set\n"
      "  why: the replay misses this in kernel k, run with n=2; the audit has no error and no warning of it, and only "
      "those are mended\n"
      "k.cpp:2: left: WAR on UB [0, 32): A on PIPE_V may still run when B starts on PIPE_MTE2, line 1 before line 2\n"
      "  why: the replay misses this in kernel k, run with n=3; the audit has no error and no warning of it, and only "
      "those are mended\n"
      "k.cpp: not judged: 3 orders that only the contested rule mte2-load-order gives\n"
      "k.cpp: nothing to mend; 2 left; arch a3 (default)\n");
}

TEST_CASE("fix report: the summary") {
  FixResult result;
  CHECK(fixSummary(result) == "nothing to mend");
  result.defects = {defectOf(true)};
  synthesis::SyncChange change;
  change.removed = {0};
  result.changes = {change};
  CHECK(fixSummary(result) == "1 finding mended by 1 statement taken out");
  result.defects = {defectOf(false)};
  result.changes.clear();
  CHECK(fixSummary(result) == "no findings mended; 1 left");
}
