#include "rewrite/text_edit.h"

#include "base/messages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace ptosync {
namespace {

/// "line 4" or "lines 4-6": where the bytes of `range` stand.
std::string describeLines(const SourceText &source, SourceRange range) {
  std::uint32_t first = source.position(range.begin).line;
  std::uint32_t last = source.position(range.end > range.begin ? range.end - 1 : range.end).line;
  if (first == last)
    return "line " + std::to_string(first);
  return "lines " + std::to_string(first) + "-" + std::to_string(last);
}

llvm::Error editError(const SourceText &source, const std::string &what) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), "%s: %s", source.name().c_str(),
                                 what.c_str());
}

/// Error if an edit of the sorted list is not applicable together with the one before it.
llvm::Error checkEdits(const SourceText &source, const std::vector<Edit> &edits) {
  const Edit *previous = nullptr;
  for (const Edit &edit : edits) {
    std::string bytes = "[" + std::to_string(edit.range.begin) + ", " + std::to_string(edit.range.end) + ")";
    if (edit.range.begin > edit.range.end)
      return editError(source, "edit of bytes " + bytes + " ends before it begins");
    if (edit.range.end > source.text().size())
      return editError(source, "edit of bytes " + bytes + " reaches past the end of the text, line " +
                                   std::to_string(source.lineCount()));
    if (previous && (edit.range.begin < previous->range.end || edit.range.begin == previous->range.begin))
      return editError(source, "two edits overlap: " + describeLines(source, previous->range) + " and " +
                                   describeLines(source, edit.range));
    previous = &edit;
  }
  return llvm::Error::success();
}

/// `text` on one line and unable to open or close a comment: a space parts every `/` `*` pair.
std::string commentSafe(std::string_view text) {
  std::string result;
  for (char c : printable(text)) {
    if (!result.empty() && ((result.back() == '*' && c == '/') || (result.back() == '/' && c == '*')))
      result += ' ';
    result += c;
  }
  return result;
}

/// The line breaks of `text`, as they are spelled.
std::string lineBreaks(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      result += i > 0 && text[i - 1] == '\r' ? "\r\n" : "\n";
  return result;
}

} // namespace

std::ostream &operator<<(std::ostream &out, const Edit &edit) {
  return out << "[" << edit.range.begin << ", " << edit.range.end << ") -> \"" << edit.replacement << "\"";
}

llvm::Expected<std::string> applyEdits(const SourceText &source, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit &left, const Edit &right) {
    return std::tie(left.range.begin, left.range.end) < std::tie(right.range.begin, right.range.end);
  });
  if (llvm::Error error = checkEdits(source, edits))
    return error;
  const std::string &text = source.text();
  std::string result;
  std::size_t copied = 0;
  for (const Edit &edit : edits) {
    result.append(text, copied, edit.range.begin - copied);
    result += edit.replacement;
    copied = edit.range.end;
  }
  result.append(text, copied, std::string::npos);
  return result;
}

Edit removalEdit(const SourceText &source, const SyncSite &site, std::string_view why, bool needsStatement) {
  std::string replacement = "/* ptosync: removed " + commentSafe(site.text);
  if (!why.empty())
    replacement += " [" + commentSafe(why) + "]";
  replacement += " */";
  if (needsStatement || site.soleBody)
    replacement += ';';
  replacement += lineBreaks(source.slice(site.range));
  return {site.range, std::move(replacement)};
}

namespace {

using Lines = std::vector<std::uint32_t>;

/// Lines [oldBegin, oldEnd) against [newBegin, newEnd).
struct Box {
  std::ptrdiff_t oldBegin, oldEnd, newBegin, newEnd;
  std::ptrdiff_t height() const { return oldEnd - oldBegin; }
  std::ptrdiff_t width() const { return newEnd - newBegin; }
};

/// A place between lines of both sides, relative to the begin of a box.
struct Point {
  std::ptrdiff_t oldLine, newLine;
};

/// One of the two searches: how far each diagonal (old line - new line) was reached with the edits
/// spent so far, counted from the search's own corner.
class Frontier {
public:
  Frontier(const Box &box, std::ptrdiff_t limit)
      : height(box.height()), width(box.width()), offset(limit), reach(static_cast<std::size_t>(2 * limit + 2), -1) {
    at(1) = 0;
  }

  /// Spends one more edit on every diagonal in reach and follows equal lines. `equal(x, y)`
  /// compares lines x and y counted from this corner; `meets(diagonal, x)` stops the search.
  template <typename Equal, typename Meets>
  std::optional<Point> advance(std::ptrdiff_t edits, const Equal &equal, const Meets &meets) {
    for (std::ptrdiff_t diagonal = -edits + skipLow; diagonal <= edits - skipHigh; diagonal += 2) {
      bool fromAbove = diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
      std::ptrdiff_t x = fromAbove ? at(diagonal + 1) : at(diagonal - 1) + 1;
      std::ptrdiff_t y = x - diagonal;
      while (x < height && y < width && equal(x, y))
        ++x, ++y;
      at(diagonal) = x;
      // Diagonals that left the box are not followed any further.
      if (x > height)
        skipHigh += 2;
      else if (y > width)
        skipLow += 2;
      else if (meets(diagonal, x))
        return Point{x, y};
    }
    return std::nullopt;
  }

  /// -1 if the diagonal was not reached.
  std::ptrdiff_t reached(std::ptrdiff_t diagonal) const {
    std::ptrdiff_t slot = diagonal + offset;
    return slot >= 0 && slot < static_cast<std::ptrdiff_t>(reach.size()) ? reach[static_cast<std::size_t>(slot)] : -1;
  }

  /// False if the search left the box, or never came to `x`, on that diagonal.
  bool inside(std::ptrdiff_t diagonal, std::ptrdiff_t x) const {
    return x >= 0 && x <= height && x - diagonal >= 0 && x - diagonal <= width;
  }

private:
  std::ptrdiff_t &at(std::ptrdiff_t diagonal) { return reach[static_cast<std::size_t>(diagonal + offset)]; }

  std::ptrdiff_t height, width, offset;
  std::ptrdiff_t skipLow = 0, skipHigh = 0;
  std::vector<std::ptrdiff_t> reach;
};

class Matcher {
public:
  Matcher(const Lines &before, const Lines &after) : before(before), after(after) {
    changed.removed.resize(before.size());
    changed.added.resize(after.size());
  }

  ChangedLines run() && {
    match({0, static_cast<std::ptrdiff_t>(before.size()), 0, static_cast<std::ptrdiff_t>(after.size())});
    return std::move(changed);
  }

private:
  bool equal(std::ptrdiff_t oldLine, std::ptrdiff_t newLine) const {
    return before[static_cast<std::size_t>(oldLine)] == after[static_cast<std::size_t>(newLine)];
  }

  void match(Box box) {
    while (box.height() > 0 && box.width() > 0 && equal(box.oldBegin, box.newBegin))
      ++box.oldBegin, ++box.newBegin;
    while (box.height() > 0 && box.width() > 0 && equal(box.oldEnd - 1, box.newEnd - 1))
      --box.oldEnd, --box.newEnd;
    std::optional<Point> half;
    if (box.height() > 0 && box.width() > 0)
      half = halfWay(box);
    if (!half)
      return markAll(box);
    match({box.oldBegin, box.oldBegin + half->oldLine, box.newBegin, box.newBegin + half->newLine});
    match({box.oldBegin + half->oldLine, box.oldEnd, box.newBegin + half->newLine, box.newEnd});
  }

  /// Empty if the box has no line in common. The box begins and ends with a difference.
  std::optional<Point> halfWay(const Box &box) const {
    std::ptrdiff_t limit = (box.height() + box.width() + 1) / 2 + 1;
    std::ptrdiff_t delta = box.height() - box.width();
    bool odd = delta % 2 != 0; // then the searches meet in a forward step
    Frontier forward(box, limit), backward(box, limit);
    for (std::ptrdiff_t edits = 0; edits < limit; ++edits) {
      auto fromFront = [&](std::ptrdiff_t x, std::ptrdiff_t y) { return equal(box.oldBegin + x, box.newBegin + y); };
      auto meetsBack = [&](std::ptrdiff_t diagonal, std::ptrdiff_t x) {
        std::ptrdiff_t other = backward.reached(delta - diagonal);
        return odd && backward.inside(delta - diagonal, other) && x + other >= box.height();
      };
      if (std::optional<Point> point = forward.advance(edits, fromFront, meetsBack))
        return point;
      auto fromBack = [&](std::ptrdiff_t x, std::ptrdiff_t y) { return equal(box.oldEnd - 1 - x, box.newEnd - 1 - y); };
      auto meetsFront = [&](std::ptrdiff_t diagonal, std::ptrdiff_t x) {
        std::ptrdiff_t other = forward.reached(delta - diagonal);
        return !odd && forward.inside(delta - diagonal, other) && x + other >= box.height();
      };
      if (std::optional<Point> point = backward.advance(edits, fromBack, meetsFront))
        return Point{box.height() - point->oldLine, box.width() - point->newLine};
    }
    return std::nullopt;
  }

  void markAll(const Box &box) {
    for (std::ptrdiff_t line = box.oldBegin; line < box.oldEnd; ++line)
      changed.removed[static_cast<std::size_t>(line)] = true;
    for (std::ptrdiff_t line = box.newBegin; line < box.newEnd; ++line)
      changed.added[static_cast<std::size_t>(line)] = true;
  }

  const Lines &before, &after;
  ChangedLines changed;
};

} // namespace

ChangedLines matchLines(const Lines &before, const Lines &after) { return Matcher(before, after).run(); }

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
