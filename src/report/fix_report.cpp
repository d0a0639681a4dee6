#include "report/fix_report.h"

#include "optimize/wording.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

using synthesis::Defect;
using synthesis::FixResult;
using synthesis::SyncChange;

std::string placeOf(const SourceText &source, const AddedSync &added) {
  std::string line = std::to_string(source.position(added.offset).line);
  switch (added.line) {
  case AddedSync::Line::InFront: return "in front of line " + line;
  case AddedSync::Line::Behind: return "behind line " + line;
  case AddedSync::Line::Shared: break;
  }
  return "on line " + line;
}

std::string addedText(const SourceText &source, const AddedSync &added) {
  std::string statement = added.statement.substr(0, added.statement.find_last_not_of(';') + 1);
  return "  " + placeOf(source, added) + ": put in " + printable(statement) + ": orders " + printable(added.earlier) +
         " (line " + std::to_string(added.earlierLine) + ") before " + printable(added.later) + " at line " +
         std::to_string(added.laterLine) + "\n";
}

std::string defectText(const std::string &file, const Defect &defect) {
  const FindingPlace &place = defect.finding.place;
  std::string text = printable(file);
  if (place.line)
    text += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  text += std::string(defect.mended ? ": mended: " : ": left: ") + printable(defect.finding.message) + " [" +
          defect.finding.rule + "]\n";
  if (!defect.mended)
    text += "  why: " + printable(defect.reason) + "\n";
  return text;
}

/// What no finding speaks of: the orders that one run of a kernel misses, and where that run comes from.
std::string missingText(const std::string &file, const std::vector<synthesis::StillMissing> &missing) {
  constexpr std::size_t kShown = 8; // of one run
  std::map<std::pair<std::string, std::string>, std::vector<const synthesis::StillMissing *>> runs;
  for (const synthesis::StillMissing &one : missing)
    runs[{one.kernel, one.run}].push_back(&one);
  std::string text;
  for (const auto &[run, all] : runs) {
    for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i) {
      const synthesis::StillMissing &one = *all[i];
      text += printable(file) + (one.laterLine ? ":" + std::to_string(one.laterLine) : "") +
              ": left: " + printable(one.text);
      if (one.laterLine)
        text += ", line " + std::to_string(one.earlierLine) + " before line " + std::to_string(one.laterLine);
      text += "\n";
    }
    if (all.size() > kShown)
      text += printable(file) + ": left: " + std::to_string(all.size() - kShown) + " more in this run\n";
    text += "  why: the replay misses this in kernel " + printable(run.first) + ", run with " + printable(run.second) +
            "; the audit has no error and no warning of it, and only those are mended\n";
  }
  return text;
}

} // namespace

std::string fixSummary(const FixResult &result) {
  std::size_t added = 0, removed = 0;
  for (const SyncChange &change : result.changes) {
    added += change.added.size();
    removed += change.removed.size();
  }
  std::size_t left = result.defects.size() - result.mended() + result.missing.size();
  std::string text = result.defects.empty() ? "nothing to mend" : countOf(result.mended(), "finding") + " mended";
  if (added)
    text += " by " + countOf(added, "statement") + " put in";
  if (removed)
    text += added ? " and " + std::to_string(removed) + " taken out"
                  : " by " + countOf(removed, "statement") + " taken out";
  if (left)
    text += "; " + std::to_string(left) + " left";
  return text;
}

std::string fixText(const FixReportInput &input) {
  const SourceText &source = input.module->source;
  std::string text;
  for (const Defect &defect : input.result->defects)
    text += defectText(source.name(), defect);
  for (const SyncChange &change : input.result->changes) {
    for (SiteId site : change.removed)
      text += "  line " + std::to_string(input.module->sites[site].line) + ": taken out " +
              printable(input.module->sites[site].text) + "\n";
    for (const AddedSync &added : change.added)
      text += addedText(source, added);
  }
  text += missingText(source.name(), input.result->missing);
  for (const auto &[rule, count] : input.result->contested)
    text += printable(source.name()) + ": not judged: " + countOf(count, "order") + " that only the contested rule " +
            rule + " gives\n";
  return text + printable(source.name()) + ": " + fixSummary(*input.result) + "; arch " + printable(input.archChoice) +
         "\n";
}

} // namespace ptosync
