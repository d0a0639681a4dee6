#include "report/merge.h"

#include "audit/audit_report.h"
#include "audit/sarif.h"
#include "base/exit_codes.h"
#include "base/json.h"
#include "base/shard.h"
#include "report/command_table.h"

#include <llvm/ADT/STLExtras.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

// What all documents have, whatever their kind.

enum class DocumentKind { Table, Audit, Sarif };

const char *describeKind(DocumentKind kind) {
  switch (kind) {
  case DocumentKind::Table: return "a table";
  case DocumentKind::Audit: return "JSON of audit";
  case DocumentKind::Sarif: return "SARIF";
  }
  return "";
}

struct InputDocument {
  std::string name;
  DocumentKind kind = DocumentKind::Table;
  std::string command = {}, toolVersion = {};
  std::optional<Shard> shard = {};
  std::vector<std::string> kernels = {}; // in its order
  KernelTable table = {};                // of a Table; its cells are the columns'
  AuditDocument audit = {};
  SarifDocument sarif = {};
};

/// Where a kernel stands: the number of the input, and its place there.
using KernelPlace = std::pair<std::size_t, std::size_t>;

llvm::Error problemOf(const std::string &name, const std::string &text) {
  return llvm::createStringError(name + ": " + text);
}

/// Reads the JSON of a file. Where there is none, the place of the mistake is named.
llvm::Expected<Json> parseInput(const NamedText &input) {
  Json json = Json::parse(input.text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_discarded() && json.is_object())
    return json;
  std::string why = "expected an object";
  if (llvm::Expected<JsonDocument> document = JsonDocument::parse(input.text, input.name); !document)
    why = llvm::toString(document.takeError());
  const bool csv = input.name.ends_with(".csv");
  return problemOf(input.name, (csv ? "a table of CSV does not tell enough to be merged; let each run write "
                                      "--table=F.json, merge those, and write -o OUT.csv"
                                    : "is no whole JSON document: was the run that writes it ended before its time? "
                                      "Run it again") +
                                   (csv ? std::string() : " (" + why + ")"));
}

// Tables.

/// Reads the rows; false if one of them is not what the command writes.
bool readRows(const Json &kernels, KernelTable &table) {
  for (const Json &entry : kernels) {
    TableRow row;
    std::size_t known = 0;
    for (const TableColumn &column : table.columns) {
      if (!entry.is_object() || !entry.contains(column.key))
        return false;
      row.cells.push_back(entry[column.key]);
      const bool text = column.kind == ColumnKind::Name || column.kind == ColumnKind::Words;
      const Json &cell = row.cells.back();
      if (!(text ? cell.is_string() : cell.is_number()) && (!cell.is_null() || column.kind == ColumnKind::Name))
        return false;
      ++known;
    }
    if (entry.contains("page")) {
      if (!entry["page"].is_string())
        return false;
      row.page = entry["page"].get<std::string>();
      ++known;
    }
    if (entry.contains("details")) {
      row.details = entry["details"];
      ++known;
    }
    if (known != entry.size())
      return false;
    row.eventful = isEventful(table, row);
    table.rows.push_back(std::move(row));
  }
  return true;
}

llvm::Expected<InputDocument> readTable(const std::string &name, const Json &json) {
  constexpr llvm::StringLiteral kTool = "ptosync ";
  const Json::json_pointer rows("/summary/kernels"), changed("/summary/changed");
  auto damaged = [&] {
    return problemOf(name, "is no whole table of ptosync; let the run write --table=F.json again");
  };
  if (!json.contains("tool") || !json["tool"].is_string() || !json.contains("command") ||
      !json["command"].is_string() || !json["kernels"].is_array() || !json.contains(rows))
    return damaged();
  InputDocument document{name, DocumentKind::Table, json["command"].get<std::string>()};
  const std::string tool = json["tool"].get<std::string>();
  llvm::StringRef version = tool;
  if (!version.consume_front(kTool))
    return damaged();
  document.toolVersion = version.str();
  const Json &summary = json["summary"];
  for (const auto &[key, value] : summary.items())
    if (!value.is_number_unsigned())
      return damaged();
  const TableExtras extras{summary.contains("new"), summary.contains("cyclesBefore")};
  document.table = emptyTable(document.command, extras);
  if (document.table.columns.empty() || !readRows(json["kernels"], document.table) ||
      json[rows] != document.table.rows.size() || (document.command != "audit" && !json.contains(changed)))
    return damaged();
  document.table.toolVersion = document.toolVersion;
  document.table.summary = summary;
  if (json.contains("totals"))
    document.table.totals = json["totals"];
  document.table.written = json.contains("written") && json["written"] == true;
  for (const TableRow &row : document.table.rows)
    document.kernels.push_back(row.cells.front().get<std::string>());
  if (!json.contains("shard"))
    return std::move(document);
  llvm::Expected<Shard> shard = readShard(json["shard"]);
  if (!shard)
    return problemOf(name, llvm::toString(shard.takeError()));
  document.shard = std::move(*shard);
  return std::move(document);
}

// Any document.

llvm::Expected<InputDocument> readSarifInput(const std::string &name, const Json &json) {
  llvm::Expected<SarifDocument> sarif = readSarif(json);
  if (!sarif)
    return problemOf(name, llvm::toString(sarif.takeError()) + "; let the run write it again");
  InputDocument document{name, DocumentKind::Sarif, sarif->command, sarif->toolVersion, sarif->shard, sarif->uris};
  document.sarif = std::move(*sarif);
  return std::move(document);
}

llvm::Expected<InputDocument> readAuditInput(const std::string &name, const Json &json) {
  llvm::Expected<AuditDocument> audit = readAuditJson(json);
  if (!audit)
    return problemOf(name, llvm::toString(audit.takeError()) + "; let the run write it again");
  InputDocument document{name, DocumentKind::Audit, "audit", audit->toolVersion, audit->shard, audit->names};
  document.audit = std::move(*audit);
  return std::move(document);
}

llvm::Expected<InputDocument> readDocument(const NamedText &input) {
  llvm::Expected<Json> json = parseInput(input);
  if (!json)
    return json.takeError();
  const bool sarif = json->contains("runs"), table = json->contains("kernels") && json->contains("summary"),
             audit = json->contains("files") && json->contains("summary");
  const Json schema = json->contains("schema") ? (*json)["schema"] : Json();
  if (const int known = table ? kTableSchema : kAuditJsonSchema; !sarif && (table || audit) && schema != known)
    return problemOf(input.name, "has schema " + schema.dump() + ", and this ptosync merges schema " +
                                     std::to_string(known) + "; merge with the version that has written it");
  if (sarif)
    return readSarifInput(input.name, *json);
  if (table)
    return readTable(input.name, *json);
  if (audit)
    return readAuditInput(input.name, *json);
  const bool report = json->contains("file") || json->contains("before");
  return problemOf(input.name, report ? "is the report of one kernel, and reports are not merged: those of all shards "
                                        "are files of one folder"
                                      : "is no document that can be merged; expected a table (--table=F.json), "
                                        "`audit --format=json` or SARIF (--sarif=F.sarif)");
}

/// Fails unless the two may come from one run.
llvm::Error checkAlike(const InputDocument &first, const InputDocument &other) {
  const std::string both = first.name + " and " + other.name;
  if (first.kind != other.kind)
    return llvm::createStringError(first.name + " is " + describeKind(first.kind) + " and " + other.name + " is " +
                                   describeKind(other.kind) + "; merge each kind for itself");
  if (first.command != other.command)
    return llvm::createStringError(first.name + " is of `" + first.command + "` and " + other.name + " of `" +
                                   other.command + "`; merge each command for itself");
  if (first.toolVersion != other.toolVersion)
    return llvm::createStringError(first.name + " was written by ptosync " + first.toolVersion + " and " + other.name +
                                   " by ptosync " + other.toolVersion + "; run all shards with one version");
  if (first.shard.has_value() != other.shard.has_value())
    return llvm::createStringError((first.shard ? first : other).name + " is of " +
                                   (first.shard ? first : other).shard->name() + ", and " +
                                   (first.shard ? other : first).name +
                                   " of no shard; merge what one run was divided "
                                   "into");
  if (first.table.written != other.table.written)
    return llvm::createStringError(both + ": only one of the runs wrote kernels; run all with the same options");
  if (first.kind == DocumentKind::Table && first.table.columns.size() != other.table.columns.size())
    return llvm::createStringError(both + " have other columns; run all shards with the same options");
  if (first.audit.newFrom != other.audit.newFrom)
    return llvm::createStringError(both + " left out what different revisions have; run all with one --new-from-rev");
  if (first.sarif.rules != other.sarif.rules)
    return llvm::createStringError(both + " have other rules; run all shards with the same patterns");
  return llvm::Error::success();
}

/// Fails unless the documents are all shards of one run, each once.
llvm::Error checkShards(const std::vector<InputDocument> &documents) {
  const InputDocument &first = documents.front();
  std::map<std::size_t, const InputDocument *> byNumber;
  for (const InputDocument &document : documents) {
    const Shard &shard = *document.shard;
    if (shard.count != first.shard->count)
      return llvm::createStringError(first.name + " is of " + first.shard->name() + " and " + document.name + " of " +
                                     shard.name() + "; merge what one run was divided into");
    if (shard.of != first.shard->of || shard.list != first.shard->list)
      return llvm::createStringError(
          first.name + " and " + document.name +
          " were divided from different lists of kernels, or the texts or options were others; run all "
          "shards on the same files, named in the same way (relative names are the same on "
          "every machine)");
    auto [known, isNew] = byNumber.emplace(shard.number, &document);
    if (!isNew)
      return llvm::createStringError(known->second->name + " and " + document.name + " are both of " + shard.name() +
                                     "; leave one out");
    if (document.kernels.size() > shard.size())
      return problemOf(document.name, "has more kernels than " + shard.name() + " of " + std::to_string(shard.of) +
                                          " can have; let the run write it again");
  }
  std::vector<std::string> missing;
  for (std::size_t i = 1; i <= first.shard->count && missing.size() < 4; ++i) // 4: enough to see what is wrong
    if (!byNumber.count(i))
      missing.push_back(std::to_string(i) + "/" + std::to_string(first.shard->count));
  if (missing.empty())
    return llvm::Error::success();
  std::string list;
  for (const std::string &shard : missing)
    list += (list.empty() ? "" : ", ") + shard;
  const bool one = first.shard->count - byNumber.size() == 1;
  return llvm::createStringError((one ? "shard " + list + " is missing" : "shards are missing: " + list) +
                                 (first.shard->count - byNumber.size() > missing.size() ? ", .." : "") +
                                 "; run it again, or name its document");
}

/// The kernels of all documents in the order of the whole run.
std::vector<KernelPlace> orderOf(const std::vector<InputDocument> &documents) {
  std::vector<KernelPlace> order;
  for (std::size_t i = 0; i < documents.size(); ++i)
    for (std::size_t j = 0; j < documents[i].kernels.size(); ++j)
      order.emplace_back(i, j);
  auto byShard = [&](const KernelPlace &a, const KernelPlace &b) {
    return documents[a.first].shard->indexOf(a.second) < documents[b.first].shard->indexOf(b.second);
  };
  auto key = [&](const KernelPlace &place) {
    const InputDocument &document = documents[place.first];
    const std::string &name = document.kernels[place.second];
    return document.kind == DocumentKind::Sarif ? pathOfUri(name) : name;
  };
  if (documents.front().shard)
    std::sort(order.begin(), order.end(), byShard);
  else if (documents.size() > 1)
    std::stable_sort(order.begin(), order.end(),
                     [&](const KernelPlace &a, const KernelPlace &b) { return key(a) < key(b); });
  return order;
}

/// Fails if two documents have one kernel.
llvm::Error checkOnce(const std::vector<InputDocument> &documents) {
  std::map<std::string, const InputDocument *> owners;
  for (const InputDocument &document : documents)
    for (const std::string &kernel : document.kernels)
      if (auto [owner, isNew] = owners.emplace(kernel, &document); !isNew && owner->second != &document)
        return llvm::createStringError(kernel + " is in " + owner->second->name + " and in " + document.name +
                                       "; a kernel belongs into one of them");
  return llvm::Error::success();
}

// What comes of it.

/// The exit code of a run that wrote this table, as far as its rows tell: a shard says it itself.
int exitCodeOfTable(const KernelTable &table) {
  const Json none = 0;
  auto sum = [&](const char *key) { return table.summary.contains(key) ? table.summary[key] : none; };
  int code = kExitDone;
  if (table.command == "audit")
    code = auditExitCode(llvm::any_of(table.rows, [](const TableRow &row) { return !row.cells.back().is_null(); }),
                         sum("errors") != 0 || sum("warnings") != 0 || sum("notes") != 0);
  if (sum("notAnalysed") != 0)
    code = graver(code, kExitNotAnalysed);
  if (table.command == "fix" && sum("left") != 0)
    code = graver(code, kExitFindings);
  if (table.command == "verify") {
    if (sum("onlyBefore") != 0 || sum("onlyAfter") != 0)
      code = graver(code, kExitFindings);
    for (const TableRow &row : table.rows)
      code = graver(code, row.cells[1] == "refuted"       ? kExitFindings
                          : row.cells[1] == "not-refuted" ? kExitUndecided
                                                          : kExitDone);
  }
  return code;
}

TableCounts countsOf(const std::vector<InputDocument> &documents) {
  TableCounts counts;
  for (const InputDocument &document : documents)
    for (auto [key, count] : {std::pair("changed", &counts.changed), std::pair("notAnalysed", &counts.notAnalysed),
                              std::pair("onlyBefore", &counts.onlyBefore), std::pair("onlyAfter", &counts.onlyAfter)})
      if (document.table.summary.contains(key))
        *count += document.table.summary[key].get<std::size_t>();
  return counts;
}

/// What the tables of audit's shards say of all files; nothing where one does not say it.
std::optional<AuditTotals> totalsOf(const std::vector<InputDocument> &documents) {
  AuditTotals all;
  for (const InputDocument &document : documents) {
    const std::optional<AuditTotals> totals = readTotals(document.table.totals);
    if (!totals)
      return std::nullopt;
    all.add(*totals);
  }
  return all;
}

llvm::Expected<MergedDocument> mergeTables(std::vector<InputDocument> &documents, const std::vector<KernelPlace> &order,
                                           TableForm form) {
  MergedDocument merged;
  const KernelTable &first = documents.front().table;
  KernelTable table{first.command, first.toolVersion, first.columns, {}, {}, {}, first.worstBy, first.written};
  for (auto [document, place] : order)
    table.rows.push_back(std::move(documents[document].table.rows[place]));
  if (table.command == "audit") {
    table.summary = {{"kernels", table.rows.size()}};
    addSums(table);
    if (std::optional<AuditTotals> totals = totalsOf(documents))
      table.lines = {auditSummary(*totals)};
    else if (form == TableForm::Text || form == TableForm::Html)
      return llvm::createStringError(
          "tables of `audit` that are of no shards can be merged into .json or .csv: the text "
          "and the page also say what the rows do not hold");
  } else {
    finishTable(table, countsOf(documents));
  }
  merged.lines = table.lines;
  merged.text = tableText(table, form);
  merged.exitCode = exitCodeOfTable(table);
  return merged;
}

MergedDocument mergeAudits(std::vector<InputDocument> &documents, const std::vector<KernelPlace> &order) {
  AuditDocument all;
  all.toolVersion = documents.front().toolVersion;
  all.newFrom = documents.front().audit.newFrom;
  std::set<std::vector<std::string>> told; // what is gone of a baseline: each shard tells another one
  for (const InputDocument &document : documents) {
    all.staleBaseline += document.audit.staleBaseline;
    all.notNew += document.audit.notNew;
    if (!document.shard && !told.insert(document.audit.goneFiles).second)
      continue;
    all.goneBaseline += document.audit.goneBaseline;
    all.goneFiles.insert(all.goneFiles.end(), document.audit.goneFiles.begin(), document.audit.goneFiles.end());
  }
  std::sort(all.goneFiles.begin(), all.goneFiles.end());
  for (auto [document, place] : order)
    all.files.push_back(std::move(documents[document].audit.files[place]));
  MergedDocument merged;
  merged.exitCode = exitCodeOf(all);
  merged.text = auditJson(std::move(all));
  return merged;
}

MergedDocument mergeSarifs(std::vector<InputDocument> &documents, const std::vector<KernelPlace> &order) {
  std::vector<std::string> uris;
  uris.reserve(order.size());
  for (auto [document, place] : order)
    uris.push_back(documents[document].kernels[place]);
  std::vector<SarifDocument> parts;
  parts.reserve(documents.size());
  bool problems = false, results = false;
  for (InputDocument &document : documents) {
    problems = problems || !document.sarif.problems.empty();
    results = results || !document.sarif.results.empty();
    parts.push_back(std::move(document.sarif));
  }
  SarifMerged sarif = mergeSarif(parts, uris);
  MergedDocument merged;
  merged.text = std::move(sarif.text);
  merged.leftOut = sarif.leftOut;
  merged.exitCode = auditExitCode(problems, results && documents.front().command == "audit");
  return merged;
}

} // namespace

llvm::Expected<MergedDocument> mergeDocuments(llvm::ArrayRef<NamedText> inputs, TableForm form) {
  std::vector<InputDocument> documents;
  documents.reserve(inputs.size());
  for (const NamedText &input : inputs) {
    llvm::Expected<InputDocument> document = readDocument(input);
    if (!document)
      return document.takeError();
    documents.push_back(std::move(*document));
    if (llvm::Error error = checkAlike(documents.front(), documents.back()))
      return std::move(error);
  }
  const bool sharded = documents.front().shard.has_value();
  if (sharded)
    if (llvm::Error error = checkShards(documents))
      return std::move(error);
  if (llvm::Error error = checkOnce(documents))
    return std::move(error);
  const DocumentKind kind = documents.front().kind;
  if (kind != DocumentKind::Table && form != TableForm::Json)
    return llvm::createStringError(std::string("the inputs are ") + describeKind(kind) +
                                   ", which has one form; name the output .json or .sarif");
  const std::vector<KernelPlace> order = orderOf(documents);
  std::optional<int> exitCode;
  for (const InputDocument &document : documents)
    if (document.shard)
      exitCode = graver(exitCode.value_or(kExitDone), document.shard->exitCode);
  llvm::Expected<MergedDocument> merged = kind == DocumentKind::Table   ? mergeTables(documents, order, form)
                                          : kind == DocumentKind::Audit ? mergeAudits(documents, order)
                                                                        : mergeSarifs(documents, order);
  if (!merged)
    return merged;
  merged->exitCode = exitCode.value_or(merged->exitCode);
  merged->kernels = order.size();
  return merged;
}

} // namespace ptosync
