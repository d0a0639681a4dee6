#include "report/edit_list.h"

#include "optimize/wording.h"
#include "report/site_list.h"

#include <map>
#include <vector>

namespace ptosync {
namespace {

struct NumberedEdit {
  std::vector<const SiteDecision *> decided;
  std::vector<const AddedSync *> added;
};

using Edits = std::map<std::uint32_t, NumberedEdit>; // by number

Edits editsOf(const ReportInput &input) {
  Edits edits;
  for (const SiteDecision &decision : input.result->decisions)
    if (decision.edit != 0 && decision.site < input.module->sites.size())
      edits[decision.edit].decided.push_back(&decision);
  for (const AddedSync &sync : input.result->added)
    edits[sync.edit].added.push_back(&sync);
  return edits;
}

std::string statements(const ReportInput &input, const std::vector<const SiteDecision *> &decided) {
  std::string text;
  const char *separator = "";
  for (const SiteDecision *decision : decided) {
    const SyncSite &site = input.module->sites[decision->site];
    bool moved = decision->verdict == Verdict::Moved;
    if (!*separator)
      text += moved ? "moved " : "removed ";
    text += separator + printable(site.text) + (moved ? " from line " : " at line ") + std::to_string(site.line);
    if (moved)
      text += " to " + describeLines(movedLines(input.module->source, *decision), kMostPlaces);
    separator = ", ";
  }
  return text + " [" + printable(decided.front()->pattern) + "]";
}

/// A kernel placed anew has many statements: how many, not which.
std::string headline(const ReportInput &input, std::uint32_t number, const NumberedEdit &edit) {
  std::string text = "edit " + std::to_string(number) + ": ";
  if (edit.added.empty())
    return text + statements(input, edit.decided) + "\n";
  const AddedSync &first = *edit.added.front();
  return text + "placed anew " + describeKernel(first.kernel, first.section) + ": " +
         std::to_string(edit.decided.size()) + " removed, " + std::to_string(edit.added.size()) + " added\n";
}

} // namespace

std::string listEdits(const ReportInput &input) {
  std::string text;
  for (const auto &[number, edit] : editsOf(input))
    text += headline(input, number, edit);
  return text.empty() ? "no edits\n" : text;
}

std::string describeEdit(const ReportInput &input, std::uint32_t number) {
  Edits edits = editsOf(input);
  auto found = edits.find(number);
  if (found == edits.end())
    return "there is no edit " + std::to_string(number) + ": " + countOf(edits.size(), "edit") + " in all\n";
  std::string text = headline(input, number, found->second);
  for (const SiteDecision *decision : found->second.decided)
    text += describeSite(input, *decision);
  for (const AddedSync *added : found->second.added)
    text += "added at " + describeAdded(input.module->source, *added) + "\n";
  return text;
}

} // namespace ptosync
