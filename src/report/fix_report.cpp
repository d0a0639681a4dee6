#include "report/fix_report.h"

#include "report/wording.h"

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

} // namespace

std::string fixSummary(const FixResult &result) {
  std::size_t added = 0, removed = 0;
  for (const SyncChange &change : result.changes) {
    added += change.added.size();
    removed += change.removed.size();
  }
  std::size_t left = result.defects.size() - result.mended();
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
  return text + printable(source.name()) + ": " + fixSummary(*input.result) + "; arch " + printable(input.archChoice) +
         "\n";
}

} // namespace ptosync
