#include "rewrite/approval.h"

#include "base/json.h"
#include "base/messages.h"
#include "rewrite/edit_fingerprint.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::size_t kLongestNote = 300; // what is for the reader, in bytes

bool isFingerprint(llvm::StringRef text) {
  return text.size() == kEditDigits &&
         llvm::all_of(text, [](char c) { return llvm::isDigit(c) || (c >= 'a' && c <= 'f'); });
}

std::vector<EditName> readList(const JsonNode &list, std::set<std::string> &known) {
  std::vector<EditName> edits;
  for (const JsonNode &entry : list.items(0)) {
    entry.allowKeys({"fingerprint", "kernel", "edit"});
    EditName edit;
    const JsonNode fingerprint = entry.at("fingerprint");
    edit.fingerprint = fingerprint.name("fingerprint: expected 16 digits of 0-9 and a-f", isFingerprint);
    if (entry.has("kernel"))
      edit.kernel = beginOf(entry.find("kernel").anyText(), kLongestNote);
    if (entry.has("edit"))
      edit.title = beginOf(entry.find("edit").anyText(), kLongestNote);
    if (!edit.fingerprint.empty() && !known.insert(edit.fingerprint).second)
      fingerprint.fail("stands in the file twice; an edit is approved or rejected, once");
    edits.push_back(std::move(edit));
  }
  return edits;
}

} // namespace

bool Approval::has(const std::vector<EditName> &list, const std::string &fingerprint) {
  return std::any_of(list.begin(), list.end(), [&](const EditName &edit) { return edit.fingerprint == fingerprint; });
}

llvm::Expected<Approval> parseApproval(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, name);
  if (!document)
    return document.takeError();
  JsonNode root = document->root();
  root.allowKeys({"version", "approved", "rejected", "rest"});
  if (JsonNode version = root.at("version"); version.integer() != 1)
    version.fail("expected 1: the approval was written by another version of the tool");
  Approval approval;
  std::set<std::string> known;
  approval.approved = readList(root.at("approved"), known);
  if (root.has("rejected"))
    approval.rejected = readList(root.find("rejected"), known);
  approval.applyRest = root.at("rest").word({"hold", "apply"}) == "apply";
  if (llvm::Error error = document->problem())
    return std::move(error);
  return approval;
}

std::vector<EditName> staleEntries(const Approval &approval, const std::set<std::string> &met) {
  std::vector<EditName> stale;
  for (const std::vector<EditName> *list : {&approval.approved, &approval.rejected})
    std::copy_if(list->begin(), list->end(), std::back_inserter(stale),
                 [&](const EditName &edit) { return !met.count(edit.fingerprint); });
  return stale;
}

} // namespace ptosync
