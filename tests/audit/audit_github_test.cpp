#include "audit/audit_sample.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::size_t lines(const std::string &text, const std::string &start) {
  std::size_t count = 0;
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1))
    count += at == 0 || text[at - 1] == '\n';
  return count;
}

} // namespace

TEST_CASE("github: properties and messages are escaped, one line each") {
  AuditReport report = sampleAudit();
  report.files[0].name = "a,b:c.cpp";
  std::string text = auditGithub(report);
  CHECK(text.find("::error file=a%2Cb%3Ac.cpp,line=12,col=3,endColumn=20,title=missing-sync::what is wrong, 100%25 "
                  "sure:%0Aread on"
                  "%0Aline 10: the earlier one%0Aline 12: the later one\n") != std::string::npos);
  report.files[0].name = "a\x1b[31m.cpp";
  CHECK(auditGithub(report).find("file=a%1B[31m.cpp,line") != std::string::npos);
  CHECK(lines(text, "::error") == 2); // and the file that was not analysed
  CHECK(lines(text, "::warning") == 1);
  CHECK(lines(text, "::notice") == 1);
}

TEST_CASE("github: nine of a kind, then how many more") {
  AuditReport report = sampleAudit();
  report.files.pop_back();
  report.files[0].result.findings.assign(9, sampleFinding("missing-sync", Severity::Error, 3));
  CHECK(lines(auditGithub(report), "::error") == 9);
  report.files[0].result.findings.assign(12, sampleFinding("missing-sync", Severity::Error, 3));
  std::string text = auditGithub(report);
  CHECK(lines(text, "::error") == 10);
  CHECK(text.find("::error title=ptosync::and 3 more\n") != std::string::npos);
}
