#include "audit/audit_sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("audit text: as compilers write") {
  CHECK(auditText(sampleAudit()) ==
        "dir/a b.cpp:12:3: error: what is wrong, 100% sure: read on [missing-sync]\n"
        "dir/a b.cpp:10:3: note: the earlier one\n"
        "dir/a b.cpp:12:3: note: the later one\n"
        "dir/a b.cpp:10:3: note: path 1: TLOAD(a, g)\n"
        "dir/a b.cpp:11:1: note: path 2: (n > 3) holds\n"
        "dir/a b.cpp:12:3: note: path 3: TADDS(b, a)\n"
        "dir/a b.cpp:14:3: warning: what is wrong, 100% sure: read on [unused-keep]\n"
        "dir/a b.cpp:16:3: note: what is wrong, 100% sure: read on [removable-sync]\n"
        "broken.cpp: not analysed: broken.cpp:1:1: error: not C++\n"
        "2 files: 1 error, 1 warning, 1 note; 2 in the baseline; 1 file not or not wholly analysed\n"
        "proved on every path: 4 of 4 kernels\n");
}

TEST_CASE("audit text: nothing to say") {
  AuditReport report;
  report.files.resize(1);
  report.files[0].name = "k.cpp";
  CHECK(auditText(report) == "1 file: no errors, no warnings, no notes; 1 file without a kernel\n");
  report.files[0].result.kernels = 1;
  CHECK(auditSummary(report) == "1 file: no errors, no warnings, no notes");
  report.files[0].lowest = Severity::Warning; // of notes nothing is known then
  CHECK(auditSummary(report) == "1 file: no errors, no warnings");
  report.files[0].lowest = Severity::Error;
  CHECK(auditSummary(report) == "1 file: no errors");
  report.staleBaseline = 1;
  CHECK(auditSummary(report).find("1 finding that is mended") != std::string::npos);
}

TEST_CASE("audit text: a skipped kernel counts as not analysed") {
  AuditReport report;
  report.files.resize(1);
  report.files[0].result.skipped.push_back({"k", "recursion", 7});
  CHECK(countFindings(report).notAnalysed == 1);
  CHECK(auditText(report).find(":7:1: not analysed: kernel k: recursion\n") != std::string::npos);
}

TEST_CASE("audit text: what was not judged is said, and is no finding") {
  AuditReport report;
  report.files.resize(1);
  report.files[0].result.notJudged.push_back({"k", "it does what is not modelled", 7});
  CHECK(countFindings(report).notAnalysed == 0);
  CHECK(countFindings(report).findings == 0);
  CHECK(auditText(report).find(":7:1: not judged: kernel k: it does what is not modelled\n") != std::string::npos);
}

TEST_CASE("audit text: in how many kernels it is proved that nothing is missing, and the first reason why not") {
  AuditReport report;
  report.files.resize(1);
  report.files[0].name = "k.cpp";
  CHECK(auditText(report).find("proved") == std::string::npos); // there is no kernel
  report.files[0].result.kernels = 3;
  CHECK(auditText(report).find("\nproved on every path: 3 of 3 kernels\n") != std::string::npos);
  report.files[0].result.notProved = {{"k", "RAW between lines 3 and 7 is not seen ordered on every path", 2},
                                      {"l", "more", 9}};
  CHECK(
      auditText(report).find("\nproved on every path: 1 of 3 kernels; not proved: k.cpp:2: kernel k: RAW between lines "
                             "3 and 7 is not seen ordered on every path, and 1 more\n") != std::string::npos);
  CHECK(auditJson(report).find("\"reason\": \"more\"") != std::string::npos);
}

TEST_CASE("audit text: calls of a library, file by file, and how it compares, once") {
  AuditReport report;
  report.files.resize(2);
  for (AuditedFile &file : report.files) {
    file.name = "k.cpp";
    file.result.kernels = 1;
    file.libraryUse.library = "pto-isa 1";
    file.libraryUse.directory = "inc";
    file.libraryUse.standing = LibraryStanding::Differs;
    file.libraryUse.unproved = {{"TROWSUM", {7}, false, true}};
  }
  const std::string line =
      "k.cpp: library: TROWSUM at line 7: another text than the one read, so nothing inside it counts\n";
  CHECK(auditText(report) == line + line +
                                 "inc differs from the one the facts were made from, pto-isa 1\n"
                                 "2 files: no errors, no warnings, no notes\n"
                                 "proved on every path: 2 of 2 kernels\n");
}
