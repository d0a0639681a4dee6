// Edits that put syncs in.
#include "rewrite/sync_edits.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

constexpr std::int64_t kGuardedLines = 3; // of a sync with an `if` around it

std::size_t countLineBreaks(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Lines of the result for lines of the source, once it is known where how many lines come and go.
class LineShift {
public:
  LineShift(const SourceText &source, const std::vector<Edit> &edits, const std::vector<AddedSync> &added)
      : source(source) {
    for (const Edit &edit : edits)
      add(edit.range.begin, static_cast<std::int64_t>(countLineBreaks(edit.replacement)) -
                                static_cast<std::int64_t>(countLineBreaks(source.slice(edit.range))));
    for (const AddedSync &sync : added)
      add(sync.offset, sync.line == AddedSync::Line::Shared ? 0 : sync.guard.empty() ? 1 : kGuardedLines);
  }

  std::int64_t after(std::uint32_t line) const {
    std::int64_t result = line;
    for (const auto &[from, lines] : changes)
      if (from <= line)
        result += lines;
    return result;
  }

private:
  void add(std::uint32_t offset, std::int64_t lines) {
    std::uint32_t line = source.position(offset).line;
    if (lines != 0)
      changes.emplace_back(inFrontOnLine(offset) ? line : line + 1, lines);
  }

  /// True if only white space stands in front of the byte on its line.
  bool inFrontOnLine(std::uint32_t offset) const {
    LineColumn place = source.position(offset);
    return llvm::StringRef(source.line(place.line)).take_front(place.column - 1).trim().empty() &&
           !llvm::StringRef(source.line(place.line)).trim().empty();
  }

  const SourceText &source;
  std::vector<std::pair<std::uint32_t, std::int64_t>> changes; // from this line on, lines more
};

std::string noteOf(const AddedSync &sync, const LineShift &lines) {
  return "ptosync: orders " + sync.earlier + " (line " + std::to_string(lines.after(sync.earlierLine)) + ") before " +
         sync.later + " at line " + std::to_string(lines.after(sync.laterLine));
}

std::string_view lineEndOf(const SourceText &source, std::uint32_t offset) {
  const std::string &text = source.text();
  std::size_t end = text.find('\n', offset);
  return end != std::string::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

/// What stands in front of a byte on its line, as far as that is white space.
std::string indentation(const SourceText &source, std::uint32_t offset) {
  LineColumn place = source.position(offset);
  std::string_view line = source.line(place.line).substr(0, place.column - 1);
  return std::string(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
}

std::string textOf(const SourceText &source, const AddedSync &sync, const LineShift &lines) {
  std::string note = noteOf(sync, lines), indent = indentation(source, sync.beside);
  std::string lineEnd(lineEndOf(source, sync.offset));
  const std::string lead = guardHead(sync.guard);
  if (sync.line == AddedSync::Line::Shared)
    return " " + lead + (lead.empty() ? "" : " ") + sync.statement + " /* " + note + " */ " + (lead.empty() ? "" : "} ");
  std::string line = sync.statement + " // " + note;
  if (!lead.empty())
    line = lead + lineEnd + indent + "  " + line + lineEnd + indent + "}";
  return sync.line == AddedSync::Line::InFront ? line + lineEnd + indent : lineEnd + indent + line;
}

} // namespace

std::string guardHead(const std::string &guard) { return guard.empty() ? "" : "if (" + guard + ") {"; }

std::vector<Edit> withAdded(const SourceText &source, std::vector<Edit> edits, const std::vector<AddedSync> &added) {
  if (added.empty())
    return edits;
  LineShift lines(source, edits, added);
  std::map<std::uint32_t, std::string> texts;
  for (const AddedSync &sync : added)
    texts[sync.offset] += textOf(source, sync, lines);
  for (auto &[offset, text] : texts) {
    // A statement that leaves takes the white space in front of it along, from the begin of its line.
    auto at = std::find_if(edits.begin(), edits.end(), [&](const Edit &edit) {
      return edit.range.begin == offset || (edit.range.begin < offset && offset < edit.range.end);
    });
    if (at == edits.end()) {
      edits.push_back({{offset, offset}, text});
      continue;
    }
    std::string lead = indentation(source, offset);
    if (at->range.begin == offset)
      at->replacement = text + at->replacement;
    else // the whole line leaves: what is added keeps its own
      at->replacement = lead + text.substr(0, text.size() - lead.size()) + at->replacement;
  }
  return edits;
}

} // namespace ptosync
