#include "rewrite/edit.h"

#include <algorithm>
#include <ostream>
#include <system_error>
#include <tuple>
#include <utility>

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

/// `text` on one line and unable to open or close a comment: runs of white space and control bytes
/// become one space, and a space parts every `/` `*` pair.
std::string commentSafe(std::string_view text) {
  std::string result;
  bool pendingSpace = false;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f) {
      pendingSpace = !result.empty();
      continue;
    }
    bool delimiter = !result.empty() && ((result.back() == '*' && c == '/') || (result.back() == '/' && c == '*'));
    if (pendingSpace || delimiter)
      result += ' ';
    pendingSpace = false;
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

} // namespace ptosync
