#include "report/edit_list.h"

#include "report/site_list.h"
#include "report/wording.h"

#include <map>
#include <vector>

namespace ptosync {
namespace {

using Edits = std::map<std::uint32_t, std::vector<const SiteDecision *>>; // by number

Edits editsOf(const ReportInput &input) {
  Edits edits;
  for (const SiteDecision &decision : input.result->decisions)
    if (decision.edit != 0 && decision.site < input.module->sites.size())
      edits[decision.edit].push_back(&decision);
  return edits;
}

std::string headline(const ReportInput &input, std::uint32_t number, const std::vector<const SiteDecision *> &edit) {
  std::string text = "edit " + std::to_string(number) + ": ";
  const char *separator = "";
  for (const SiteDecision *decision : edit) {
    const SyncSite &site = input.module->sites[decision->site];
    bool moved = decision->verdict == Verdict::Moved;
    if (!*separator)
      text += moved ? "moved " : "removed ";
    text += separator + printable(site.text) + (moved ? " from line " : " at line ") + std::to_string(site.line);
    if (moved)
      text += " to " + describeLines(movedLines(input.module->source, *decision), kMostPlaces);
    separator = ", ";
  }
  return text + " [" + printable(edit.front()->pattern) + "]\n";
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
  for (const SiteDecision *decision : found->second)
    text += describeSite(input.module->source, input.module->sites[decision->site], *decision);
  return text;
}

} // namespace ptosync
