#include "tool/outcome_record.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

using Json = nlohmann::ordered_json;

KernelOutcome fullOutcome() {
  KernelOutcome outcome;
  outcome.problem = "no \xff UTF-8\n";
  outcome.exitCode = 3;
  outcome.text = std::string("\0text\r\n", 7);
  outcome.changed = true;
  outcome.notes = "notes";
  outcome.summary = "summary";
  outcome.diff = "-a\n+b\n";
  outcome.report = "{}";
  outcome.page = std::string(100000, '<');
  outcome.change = "3 removed";
  outcome.row.cells = {nullptr, 7, -1, 1.25, 0.1, "words", 18446744073709551615u, true};
  outcome.row.page = "a.html";
  outcome.row.eventful = true;
  outcome.row.details = Json::object({{"z", 1}, {"a", Json::array({Json::object({{"y", 2}, {"b", nullptr}})})}});
  outcome.editsMet = {"b", "a"};
  SarifResult result;
  result.rule = "gu";
  result.severity = Severity::Warning;
  result.file = "a.cpp";
  result.message = "message";
  result.place = {1, 2, 3, 4};
  result.related = {{{5, 6, 7, 8}, "related"}};
  result.path = {{{9, 10, 11, 12}, "path"}};
  result.fingerprintName = "ptosync/v2";
  result.fingerprint = "f";
  result.lineHash = "1:1";
  result.fixText = "fix";
  result.fix.replacements = {{{1, 1, 1, 2}, "x"}};
  outcome.scan = {result};
  return outcome;
}

AuditedFile fullFile() {
  AuditedFile file;
  file.name = "a.cpp";
  file.scanName = "k/a.cpp";
  file.arch = "a3";
  file.archSource = "text";
  file.archChoice = "a3 (text)";
  file.problem = "problem";
  file.libraryUse = {
      "library", "dir", "same", LibraryStanding::Differs, {{"TADD", {1, 2}, {2}}}, {{"TSUB", {3}, true, true}}};
  Finding finding;
  finding.rule = "missing-sync";
  finding.place = {1, 2, 3, 4};
  finding.message = "message";
  finding.notes = {{{1, 1, 1, 1}, "note"}};
  finding.path = {{{2, 2, 2, 2}, "step"}};
  finding.kernel = "k";
  finding.section = Section::Vec;
  finding.demotion = 2;
  finding.parts = {"a", "b"};
  finding.severity = Severity::Error;
  finding.fingerprint = "f";
  file.result = {{finding}, 3, {{"k", "reason", 4}}, {{"l", "other", 5}}, {{"call", {6, 7}}}};
  file.lowest = Severity::Error;
  file.inBaseline = 9;
  file.notNew = {finding};
  file.fixes["f"].replacements = {{{1, 1, 1, 2}, "x"}};
  file.lineHashes = {{1, "h"}};
  return file;
}

} // namespace

TEST_CASE("outcome record: every member comes back") {
  const KernelOutcome before = fullOutcome();
  const std::optional<KernelOutcome> after = outcomeFrom(recordOf(before));
  REQUIRE(after);
  CHECK(recordOf(*after) == recordOf(before));
  CHECK(after->problem == before.problem);
  CHECK(after->exitCode == 3);
  CHECK(after->text == before.text);
  CHECK(after->changed);
  CHECK(after->notes == "notes");
  CHECK(after->summary == "summary");
  CHECK(after->diff == before.diff);
  CHECK(after->report == "{}");
  CHECK(after->page == before.page);
  CHECK(after->change == "3 removed");
  CHECK(Json(after->row.cells).dump() == Json(before.row.cells).dump());
  CHECK(after->row.page == "a.html");
  CHECK(after->row.eventful);
  CHECK(after->row.details.dump() == before.row.details.dump());
  CHECK(after->editsMet == before.editsMet);
  REQUIRE(after->scan.size() == 1);
  CHECK(after->scan[0].fix.replacements[0].text == "x");
  CHECK(after->scan[0].related[0].text == "related");
  CHECK(after->mayBeKept);
  CHECK_FALSE(after->reads);
}

TEST_CASE("outcome record: an outcome without a text stays one") {
  const std::optional<KernelOutcome> after = outcomeFrom(recordOf(KernelOutcome()));
  REQUIRE(after);
  CHECK_FALSE(after->text);
  KernelOutcome empty;
  empty.text = "";
  CHECK(outcomeFrom(recordOf(empty))->text == "");
}

TEST_CASE("outcome record: an audited file comes back") {
  const AuditedFile before = fullFile();
  const std::optional<AuditedFile> after = auditedFrom(recordOf(before));
  REQUIRE(after);
  CHECK(recordOf(*after) == recordOf(before));
  AuditReport one, other;
  one.files = {before};
  other.files = {*after};
  CHECK(auditJson(one) == auditJson(other));
  CHECK(auditSarif(one) == auditSarif(other));
  one.files[0].problem = other.files[0].problem = "";
  CHECK(auditText(one) == auditText(other));
  CHECK(auditJson(one) == auditJson(other));
  CHECK(auditSarif(one) == auditSarif(other));
  CHECK(after->notNew.size() == 1);
  CHECK(after->lineHashes == before.lineHashes);
}

TEST_CASE("outcome record: what is cut, or is another record, is none") {
  const std::string record = recordOf(fullFile());
  for (std::size_t i = 0; i < record.size(); ++i)
    CHECK_FALSE(auditedFrom(llvm::StringRef(record).take_front(i)));
  CHECK_FALSE(outcomeFrom(record));
  CHECK_FALSE(auditedFrom(recordOf(fullOutcome())));
  CHECK_FALSE(outcomeFrom("\x80"));
}
