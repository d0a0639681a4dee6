// Documents of random kernels, divided in every way: merged they are those of one run, byte for byte. The same with the
// program itself: tests/tool/merge_command_test.cpp.
#include "report/merge.h"

#include "audit/audit_report.h"
#include "audit/audit_sample.h"
#include "audit/sarif.h"
#include "base/exit_codes.h"
#include "base/messages.h"
#include "report/command_table.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <random>

using namespace ptosync;
using namespace ptosync::test;
using Json = nlohmann::ordered_json;

namespace {

using Random = std::mt19937;

std::size_t below(Random &random, std::size_t bound) { return random() % bound; }

/// Names in the order of a folder's kernels.
std::vector<std::string> randomNames(Random &random, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back("zoo/" + std::string(1, static_cast<char>('a' + below(random, 26))) + " " + std::to_string(i) +
                    ".cpp");
  std::sort(names.begin(), names.end());
  return names;
}

/// Whatever a kernel may come to, with the counts that go with it.
struct RandomKernel {
  TableRow row;
  bool changed = false;
  int exitCode = kExitDone;
};

RandomKernel randomKernel(Random &random, const KernelTable &table, const std::string &name) {
  RandomKernel kernel;
  const bool problem = below(random, 5) == 0;
  for (const TableColumn &column : table.columns)
    if (problem)
      kernel.row.cells.emplace_back(nullptr);
    else if (column.kind == ColumnKind::Ratio)
      kernel.row.cells.emplace_back(static_cast<double>(below(random, 3000)) / 1000);
    else if (column.kind == ColumnKind::Words)
      kernel.row.cells.emplace_back(nullptr);
    else
      kernel.row.cells.emplace_back(below(random, 4) ? below(random, 100) : 0);
  kernel.row.cells.front() = name;
  if (problem) {
    kernel.row.cells.back() = name + ": \"why\", and\xC3\xA9";
    kernel.exitCode = kExitNotAnalysed;
  } else if (table.command == "verify") {
    const char *const answers[] = {"proved", "refuted", "not-refuted"};
    const std::size_t answer = below(random, 3);
    kernel.row.cells[1] = answers[answer];
    kernel.changed = answer != 0;
    kernel.exitCode = answer == 0 ? kExitDone : answer == 1 ? kExitFindings : kExitUndecided;
  }
  if (table.command == "compare")
    kernel.row.details = {{"z", 1}, {"a", {1, 2}}, {kDiffersKey, problem || below(random, 2) == 0}};
  kernel.row.eventful = isEventful(table, kernel.row);
  kernel.changed = kernel.changed || (kernel.row.eventful && !problem && table.command != "verify");
  if (below(random, 2) && !problem)
    kernel.row.page = name.substr(4) + ".html";
  return kernel;
}

KernelTable tableOf(const KernelTable &empty, const std::vector<RandomKernel> &kernels, std::optional<Shard> shard) {
  KernelTable table = empty;
  table.toolVersion = "1.2.3";
  TableCounts counts;
  int exitCode = kExitDone;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (!shard || shard->holds(i)) {
      table.rows.push_back(kernels[i].row);
      counts.changed += kernels[i].changed;
      counts.notAnalysed += kernels[i].exitCode == kExitNotAnalysed;
      exitCode = graver(exitCode, kernels[i].exitCode);
    }
  if (shard)
    shard->exitCode = exitCode;
  table.shard = shard;
  finishTable(table, counts);
  return table;
}

/// Calls `write(shard)` for each shard of `names`, and gives their texts in another order.
template <typename Write>
std::vector<NamedText> shardsOf(Random &random, const std::vector<std::string> &names, const Write &write) {
  const std::size_t count = 1 + below(random, names.size() + 3);
  std::vector<NamedText> texts;
  for (std::size_t number = 1; number <= count; ++number) {
    Shard shard{number, count, 0, "", 0};
    noteList(shard, names);
    texts.push_back({std::to_string(number) + ".json", write(shard)});
  }
  std::shuffle(texts.begin(), texts.end(), random);
  return texts;
}

AuditReport auditOf(const std::vector<AuditedFile> &files, const std::optional<Shard> &shard) {
  AuditReport report;
  report.toolVersion = "1.2.3";
  report.shard = shard;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!shard || shard->holds(i))
      report.files.push_back(files[i]);
  const AuditCounts counts = countFindings(report);
  if (report.shard)
    report.shard->exitCode = counts.notAnalysed ? kExitNotAnalysed : counts.findings ? kExitFindings : kExitDone;
  return report;
}

std::vector<AuditedFile> randomAudit(Random &random, const std::vector<std::string> &names, std::size_t most) {
  const AuditReport sample = sampleAudit();
  std::vector<AuditedFile> files;
  for (const std::string &name : names) {
    AuditedFile file = sample.files[below(random, 4) == 0];
    file.name = name;
    if (file.problem.empty()) {
      file.archChoice = "a3 (default)";
      std::vector<Finding> findings;
      for (std::size_t left = below(random, most + 1); left > 0; --left) {
        findings.push_back(file.result.findings[below(random, 3)]);
        findings.back().message += std::to_string(left);
      }
      file.result.findings = std::move(findings);
    }
    files.push_back(std::move(file));
  }
  return files;
}

MergedDocument merged(const std::vector<NamedText> &inputs, TableForm form = TableForm::Json) {
  llvm::Expected<MergedDocument> document = mergeDocuments(inputs, form);
  if (!document)
    FAIL(llvm::toString(document.takeError()));
  return *document;
}

std::string refusal(const std::vector<NamedText> &inputs, TableForm form = TableForm::Json) {
  llvm::Expected<MergedDocument> document = mergeDocuments(inputs, form);
  REQUIRE_FALSE(bool(document));
  return llvm::toString(document.takeError());
}

} // namespace

TEST_CASE("merge: the tables of all shards make the table of one run, in every form") {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const char *const commands[] = {"opt", "fix", "verify", "compare"};
    const std::string command = commands[below(random, 4)];
    KernelTable empty = emptyTable(command, {below(random, 2) == 0, below(random, 2) == 0});
    empty.written = command == "opt" && below(random, 2);
    const std::vector<std::string> names = randomNames(random, below(random, 12));
    std::vector<RandomKernel> kernels;
    for (const std::string &name : names)
      kernels.push_back(randomKernel(random, empty, name));
    const KernelTable one = tableOf(empty, kernels, {});
    int exitCode = kExitDone;
    for (const RandomKernel &kernel : kernels)
      exitCode = graver(exitCode, kernel.exitCode);
    const std::vector<NamedText> shards = shardsOf(
        random, names, [&](const Shard &shard) { return tableText(tableOf(empty, kernels, shard), TableForm::Json); });
    for (TableForm form : {TableForm::Json, TableForm::Csv, TableForm::Text, TableForm::Html}) {
      const MergedDocument all = merged(shards, form);
      REQUIRE(all.text == tableText(one, form));
      CHECK(all.exitCode == exitCode);
      CHECK(all.kernels == names.size());
    }
    // Divided by somebody else: a table of each kernel, in the order of the names.
    std::vector<NamedText> alone;
    for (std::size_t i = 0; i < kernels.size(); ++i)
      alone.push_back({names[i] + ".json", tableText(tableOf(empty, {kernels[i]}, {}), TableForm::Json)});
    std::shuffle(alone.begin(), alone.end(), random);
    if (!alone.empty())
      REQUIRE(merged(alone).text == tableText(one, TableForm::Json));
  }
}

TEST_CASE("merge: audit's JSON and SARIF of all shards make those of one run") {
  Random random(2);
  for (int round = 0; round < 100; ++round) {
    const std::vector<std::string> names = randomNames(random, below(random, 9));
    const std::vector<AuditedFile> files = randomAudit(random, names, 4);
    const AuditReport one = auditOf(files, {});
    const AuditCounts counts = countFindings(one);
    const int exitCode = counts.notAnalysed ? kExitNotAnalysed : counts.findings ? kExitFindings : kExitDone;
    const MergedDocument json =
        merged(shardsOf(random, names, [&](const Shard &shard) { return auditJson(auditOf(files, shard)); }));
    REQUIRE(json.text == auditJson(one));
    CHECK(json.exitCode == exitCode);
    const MergedDocument sarif =
        merged(shardsOf(random, names, [&](const Shard &shard) { return auditSarif(auditOf(files, shard)); }));
    REQUIRE(sarif.text == auditSarif(one));
    CHECK(sarif.exitCode == exitCode);
    if (names.empty())
      continue;
    std::vector<NamedText> alone, scans;
    for (const AuditedFile &file : files) {
      alone.push_back({file.name + ".json", auditJson(auditOf({file}, {}))});
      scans.push_back({file.name + ".sarif", auditSarif(auditOf({file}, {}))});
    }
    std::shuffle(alone.begin(), alone.end(), random);
    std::shuffle(scans.begin(), scans.end(), random);
    REQUIRE(merged(alone).text == auditJson(one));
    REQUIRE(merged(scans).text == auditSarif(one));
    CHECK(merged(alone).exitCode == exitCode);
    CHECK(merged(scans).exitCode == exitCode);
  }
}

TEST_CASE(
    "merge: of more results than code scanning takes the gravest of all shards stay, and the others are counted") {
  Random random(3);
  const std::vector<std::string> names = randomNames(random, 7);
  const std::vector<AuditedFile> files = randomAudit(random, names, 3 * kMostSarifResults);
  const AuditReport one = auditOf(files, {});
  const std::size_t found = countFindings(one).findings;
  REQUIRE(found > 2 * kMostSarifResults);
  const MergedDocument sarif =
      merged(shardsOf(random, names, [&](const Shard &shard) { return auditSarif(auditOf(files, shard)); }));
  CHECK(sarif.text == auditSarif(one));
  CHECK(sarif.leftOut == found - kMostSarifResults);
  CHECK(Json::parse(sarif.text)["runs"][0]["results"].size() == kMostSarifResults);
}

TEST_CASE("merge: of results that are too large together the gravest stay as far as they fit") {
  Random random(4);
  const std::vector<std::string> names = randomNames(random, 5);
  std::vector<AuditedFile> files = randomAudit(random, names, 60);
  for (AuditedFile &file : files)
    for (Finding &finding : file.result.findings)
      finding.path.assign(kMostSarifSteps, {{1, 1, 1, 1}, std::string(3000, 'x')});
  const AuditReport one = auditOf(files, {});
  const std::size_t found = countFindings(one).findings;
  const MergedDocument sarif =
      merged(shardsOf(random, names, [&](const Shard &shard) { return auditSarif(auditOf(files, shard)); }));
  CHECK(sarif.text == auditSarif(one));
  CHECK(sarif.leftOut > 0);
  CHECK(sarif.leftOut < found);
  CHECK(sarif.text.find("a file of 10 MB, packed; the " + std::to_string(sarif.leftOut) + " least grave") !=
        std::string::npos);
}

TEST_CASE("merge: what does not belong together is refused by name") {
  Random random(5);
  const std::vector<std::string> names = randomNames(random, 6);
  const KernelTable empty = emptyTable("opt");
  std::vector<RandomKernel> kernels;
  for (const std::string &name : names)
    kernels.push_back(randomKernel(random, empty, name));
  auto part = [&](std::size_t number, std::size_t count, const std::vector<std::string> &list) {
    Shard shard{number, count, 0, "", 0};
    noteList(shard, list);
    return NamedText{std::to_string(number) + ".json", tableText(tableOf(empty, kernels, shard), TableForm::Json)};
  };
  auto with = [](NamedText text, const char *pointer, const Json &value) {
    Json json = Json::parse(text.text);
    json[Json::json_pointer(pointer)] = value;
    text.text = json.dump();
    return text;
  };
  const NamedText one = part(1, 3, names), two = part(2, 3, names), three = part(3, 3, names);
  CHECK(refusal({one, three}).find("shard 2/3 is missing; run it again") == 0);
  CHECK(refusal({one}).find("shards are missing: 2/3, 3/3;") == 0);
  CHECK(refusal({one, two, two, three}).find("2.json and 2.json are both of shard 2/3") == 0);
  CHECK(refusal({one, part(2, 2, names)}).find("1.json is of shard 1/3 and 2.json of shard 2/2") == 0);
  std::vector<std::string> others = names;
  others.back() = "another.cpp";
  CHECK(refusal({one, two, part(3, 3, others)}).find("1.json and 3.json were divided from different lists") == 0);
  CHECK(refusal({one, with(two, "/tool", "ptosync 9.9"), three}).find("ptosync 1.2.3 and 2.json by ptosync 9.9") !=
        std::string::npos);
  CHECK(refusal({one, with(two, "/schema", 7)}).find("2.json: has schema 7, and this ptosync merges schema 1") == 0);
  CHECK(refusal({with(one, "/command", "fox")}).find("1.json: is no whole table of ptosync") == 0);
  CHECK(refusal({with(one, "/kernels/0/more", 1)}).find("1.json: is no whole table of ptosync") == 0);
  CHECK(refusal({with(one, "/kernels/0/removed", "many")}).find("1.json: is no whole table of ptosync") == 0);
  CHECK(refusal({with(one, "/summary/kernels", 7)}).find("1.json: is no whole table of ptosync") == 0);
  CHECK(refusal({one, {"2.json", two.text.substr(0, 100)}, three}).find("2.json: is no whole JSON document") == 0);
  CHECK(refusal({{"2.json", ""}}).find("2.json: is no whole JSON document") == 0);
  CHECK(refusal({{"t.csv", "file,removed\na,1\n"}}).find("t.csv: a table of CSV does not tell enough") == 0);
  CHECK(refusal({{"x.json", "{\"schema\": 1}"}}).find("x.json: is no document that can be merged") == 0);
  CHECK(refusal({{"x.json", "{\"file\": \"k.cpp\"}"}}).find("x.json: is the report of one kernel") == 0);
  const NamedText alone{"a.json", tableText(tableOf(empty, {kernels[0]}, {}), TableForm::Json)};
  CHECK(refusal({one, two, alone}).find("1.json is of shard 1/3, and a.json of no shard") == 0);
  CHECK(refusal({alone, {"b.json", alone.text}}).find(names[0] + " is in a.json and in b.json") == 0);
  const NamedText audit{"audit.json", auditJson(sampleAudit())}, sarif{"a.sarif", auditSarif(sampleAudit())};
  CHECK(refusal({alone, audit}).find("a.json is a table and audit.json is JSON of audit") == 0);
  CHECK(refusal({audit, sarif}).find("audit.json is JSON of audit and a.sarif is SARIF") == 0);
  CHECK(refusal({sarif}, TableForm::Csv).find("the inputs are SARIF, which has one form") == 0);
  CHECK(refusal({with(sarif, "/runs/0/tool/driver/name", "other")}).find("a.sarif: was written by other") == 0);
  CHECK(refusal({with(sarif, "/runs/0/results/0/level", 3)}).find("a.sarif: is no SARIF that ptosync has written") ==
        0);
  CHECK(refusal({with(audit, "/files/0/findings", 3)}).find("audit.json: is no whole document") == 0);
}

TEST_CASE("merge: a document with any value changed or gone is merged or refused, and ends nothing") {
  Random random(8);
  const std::vector<std::string> names = randomNames(random, 3);
  std::vector<RandomKernel> kernels;
  for (const std::string &name : names)
    kernels.push_back(randomKernel(random, emptyTable("compare"), name));
  const std::vector<AuditedFile> files = randomAudit(random, names, 2);
  Shard whole{1, 1, 0, "", 0};
  noteList(whole, names);
  KernelTable audit = emptyTable("audit");
  audit.shard = whole;
  audit.totals = totalsJson(totalsOf(auditOf(files, {})));
  addSums(audit);
  audit.summary["kernels"] = 0;
  std::size_t refused = 0, merges = 0;
  for (const std::string &text :
       {tableText(tableOf(emptyTable("compare"), kernels, whole), TableForm::Json), tableText(audit, TableForm::Json),
        auditJson(auditOf(files, whole)), auditSarif(auditOf(files, whole))}) {
    const Json document = Json::parse(text), flat = document.flatten();
    for (const auto &[pointer, value] : flat.items())
      for (std::size_t up = 0; up < 3; ++up)
        for (const Json &other : {Json(), Json(-1), Json("x"), Json::array(), Json::object(), Json({{"0", 1}})}) {
          if (below(random, 40)) // all of them take minutes
            continue;
          Json::json_pointer place(pointer);
          for (std::size_t i = 0; i < up && !place.empty(); ++i)
            place = place.parent_pointer();
          Json damaged = document;
          damaged[place] = other;
          llvm::Expected<MergedDocument> read =
              mergeDocuments({{"a.json", damaged.dump()}}, below(random, 2) ? TableForm::Json : TableForm::Text);
          ++(read ? merges : refused);
          if (!read)
            llvm::consumeError(read.takeError());
        }
    for (std::size_t size = 0; size < text.size(); size += 997) {
      llvm::Expected<MergedDocument> read = mergeDocuments({{"a.json", text.substr(0, size)}}, TableForm::Json);
      CHECK_FALSE(bool(read));
      llvm::consumeError(read.takeError());
    }
  }
  CHECK(refused > 100);
  CHECK(merges > 20);
}

TEST_CASE("merge: a document alone stays as it is, but for its shard") {
  Random random(6);
  const std::vector<std::string> names = {"b.cpp", "a.cpp"}; // as the command line had them
  const std::vector<AuditedFile> files = randomAudit(random, names, 3);
  const std::string text = auditJson(auditOf(files, {}));
  CHECK(merged({{"a.json", text}}).text == text);
  Shard whole{1, 1, 0, "", 0};
  noteList(whole, names);
  CHECK(merged({{"a.json", auditJson(auditOf(files, whole))}}).text == text);
}
