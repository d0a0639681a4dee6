#include "audit/audit_sample.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

TEST_CASE("audit json: counts, findings with notes and path, problems") {
  json report = json::parse(auditJson(sampleAudit()));
  CHECK(report["schema"] == kAuditJsonSchema);
  CHECK(report["summary"]["errors"] == 1);
  CHECK(report["summary"]["warnings"] == 1);
  CHECK(report["summary"]["notes"] == 1);
  CHECK(report["summary"]["inBaseline"] == 2);
  CHECK(report["summary"]["notAnalysed"] == 1);
  CHECK(report["summary"]["rules"]["missing-sync"] == 1);
  REQUIRE(report["files"].size() == 2);
  const json &finding = report["files"][0]["findings"][0];
  CHECK(finding["rule"] == "missing-sync");
  CHECK(finding["severity"] == "error");
  CHECK(finding["line"] == 12);
  CHECK(finding["endColumn"] == 20);
  CHECK(finding["section"] == "vec");
  CHECK(finding["notes"].size() == 2);
  CHECK(finding["path"].size() == 3);
  CHECK(finding["fingerprint"] == "0123456789abcdef0123456789abcdef");
  CHECK(report["files"][0]["kernels"] == 4);
  CHECK(report["files"][0]["problem"].is_null());
  CHECK(report["files"][1]["problem"] == "broken.cpp:1:1: error: not C++");
}

TEST_CASE("audit json: bytes that are no UTF-8 do not break it") {
  AuditReport report = sampleAudit();
  report.files[0].result.findings[0].message = "\xff";
  CHECK_FALSE(json::parse(auditJson(report)).is_discarded());
}
