#include "rewrite/unified_diff.h"

#include "rewrite/line_matcher.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ptosync {
namespace {

constexpr std::size_t kContext = 3;

/// The lines of `text`, each with its line end; the last one may lack it.
std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

using LineNumbers = std::map<std::string_view, std::uint32_t>;

std::vector<std::uint32_t> numberLines(const std::vector<std::string_view> &lines, LineNumbers &numbers) {
  std::vector<std::uint32_t> result;
  result.reserve(lines.size());
  for (std::string_view line : lines)
    result.push_back(numbers.try_emplace(line, static_cast<std::uint32_t>(numbers.size())).first->second);
  return result;
}

/// Old lines [oldBegin, oldEnd) become new lines [newBegin, newEnd), numbered from 0.
struct Change {
  std::size_t oldBegin, oldEnd, newBegin, newEnd;
};

std::vector<Change> collectChanges(const ChangedLines &changed) {
  std::vector<Change> changes;
  std::size_t oldLine = 0, newLine = 0;
  while (oldLine < changed.removed.size() || newLine < changed.added.size()) {
    Change change{oldLine, oldLine, newLine, newLine};
    while (change.oldEnd < changed.removed.size() && changed.removed[change.oldEnd])
      ++change.oldEnd;
    while (change.newEnd < changed.added.size() && changed.added[change.newEnd])
      ++change.newEnd;
    if (change.oldEnd > change.oldBegin || change.newEnd > change.newBegin)
      changes.push_back(change);
    // Behind the change stands an equal line on both sides, or both ends.
    oldLine = change.oldEnd + 1;
    newLine = change.newEnd + 1;
  }
  return changes;
}

/// "3", "3,7" or, for no lines, "2,0" with the line in front.
std::string hunkRange(std::size_t begin, std::size_t count) {
  if (count == 1)
    return std::to_string(begin + 1);
  return std::to_string(count == 0 ? begin : begin + 1) + "," + std::to_string(count);
}

void appendLine(std::string &out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n'))
    out += "\n\\ No newline at end of file\n";
}

class DiffWriter {
public:
  DiffWriter(const std::vector<std::string_view> &before, const std::vector<std::string_view> &after)
      : before(before), after(after) {}

  std::string write(const std::vector<Change> &changes) {
    for (std::size_t first = 0; first < changes.size();) {
      std::size_t last = first + 1;
      // Hunks whose context would touch are one hunk.
      while (last < changes.size() && changes[last].oldBegin - changes[last - 1].oldEnd <= 2 * kContext)
        ++last;
      writeHunk(changes, first, last);
      first = last;
    }
    return std::move(out);
  }

private:
  void writeHunk(const std::vector<Change> &changes, std::size_t first, std::size_t last) {
    std::size_t lead = std::min(kContext, changes[first].oldBegin);
    std::size_t trail = std::min(kContext, before.size() - changes[last - 1].oldEnd);
    std::size_t oldBegin = changes[first].oldBegin - lead, oldEnd = changes[last - 1].oldEnd + trail;
    std::size_t newBegin = changes[first].newBegin - lead, newEnd = changes[last - 1].newEnd + trail;
    out += "@@ -" + hunkRange(oldBegin, oldEnd - oldBegin) + " +" + hunkRange(newBegin, newEnd - newBegin) + " @@\n";
    std::size_t line = oldBegin;
    for (std::size_t i = first; i < last; ++i) {
      for (; line < changes[i].oldBegin; ++line)
        appendLine(out, ' ', before[line]);
      for (; line < changes[i].oldEnd; ++line)
        appendLine(out, '-', before[line]);
      for (std::size_t added = changes[i].newBegin; added < changes[i].newEnd; ++added)
        appendLine(out, '+', after[added]);
    }
    for (; line < oldEnd; ++line)
      appendLine(out, ' ', before[line]);
  }

  const std::vector<std::string_view> &before, &after;
  std::string out;
};

/// `prefix` + `name` as git writes it: quoted if a byte could be misread, and ended by a tab if a
/// blank could be taken for the end of the name.
std::string headerName(std::string_view prefix, std::string_view name) {
  while (name.starts_with('/') || name.starts_with("./"))
    name.remove_prefix(name.starts_with('/') ? 1 : 2);
  std::string quoted(prefix);
  bool needsQuotes = false;
  for (char c : name) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      needsQuotes = true;
      quoted += '\\';
      quoted += c;
    } else if (byte < ' ' || byte == 0x7f) {
      needsQuotes = true;
      quoted += '\\'; // three octal digits
      for (int shift : {6, 3, 0})
        quoted += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      quoted += c;
    }
  }
  if (needsQuotes)
    return "\"" + quoted + "\"";
  return name.find(' ') == std::string_view::npos ? quoted : quoted + "\t";
}

} // namespace

std::string unifiedDiff(const SourceText &before, std::string_view after, std::string_view oldName,
                        std::string_view newName) {
  std::vector<std::string_view> oldLines = splitLines(before.text()), newLines = splitLines(after);
  LineNumbers numbers;
  std::vector<std::uint32_t> oldNumbers = numberLines(oldLines, numbers), newNumbers = numberLines(newLines, numbers);
  std::vector<Change> changes = collectChanges(matchLines(oldNumbers, newNumbers));
  if (changes.empty())
    return "";
  return "--- " + headerName("a/", oldName) + "\n+++ " + headerName("b/", newName) + "\n" +
         DiffWriter(oldLines, newLines).write(changes);
}

} // namespace ptosync
