#include "base/messages.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/JSON.h>

#include <algorithm>

namespace ptosync {

std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string> &candidates) {
  std::optional<std::string> nearest;
  unsigned nearestDistance = 0;
  for (const std::string &candidate : candidates) {
    unsigned limit = static_cast<unsigned>(std::max(name.size(), candidate.size()) + 2) / 3;
    unsigned distance = llvm::StringRef(name).edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance > limit || (nearest && distance >= nearestDistance))
      continue;
    nearest = candidate;
    nearestDistance = distance;
  }
  return nearest;
}

std::string suggestName(std::string_view name, const std::vector<std::string> &candidates) {
  if (std::optional<std::string> nearest = nearestName(name, candidates))
    return "; did you mean '" + *nearest + "'?";
  std::string text;
  for (const std::string &candidate : candidates)
    text += (text.empty() ? "; expected one of '" : ", '") + candidate + "'";
  return text;
}

std::string lineList(const std::vector<std::uint32_t> &lines, std::size_t limit) {
  std::size_t shown = lines.size() <= limit + 1 ? lines.size() : limit;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : i + 1 == lines.size() ? " and " : ", ") + std::to_string(lines[i]);
  return shown < lines.size() ? text + " and " + std::to_string(lines.size() - shown) + " more" : text;
}

std::string printable(std::string_view text) {
  std::string result;
  bool pendingSpace = false;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f) {
      pendingSpace = !result.empty();
      continue;
    }
    if (pendingSpace)
      result += ' ';
    pendingSpace = false;
    result += c;
  }
  return result;
}

std::string beginOf(std::string_view text, std::size_t most) {
  constexpr unsigned char kInsideMask = 0xc0, kInside = 0x80; // a byte of a character of UTF-8, but its first
  std::size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & kInsideMask) == kInside)
    --end;
  return std::string(text.substr(0, end)) + (end < text.size() ? "..." : "");
}

std::string validUtf8(std::string_view text) {
  std::string result;
  llvm::StringRef rest(text.data(), text.size());
  for (std::size_t bad = 0; !llvm::json::isUTF8(rest, &bad); rest = rest.drop_front(bad + 1))
    result += rest.take_front(bad).str() + "\\x" + llvm::toHex(rest.slice(bad, bad + 1));
  return result + rest.str();
}

std::string countOf(std::size_t count, std::string_view singular) {
  std::string number = count == 0 ? "no" : std::to_string(count);
  return number + " " + std::string(singular) + (count == 1 ? "" : "s");
}

std::string describeLines(std::vector<std::uint32_t> lines, std::size_t limit) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (lines.empty())
    return "no line";
  return (lines.size() == 1 ? "line " : "lines ") + lineList(lines, limit);
}

std::string firstOf(const std::vector<std::string> &names, std::size_t limit, const std::string &separator) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), limit); ++i)
    text += (i == 0 ? "" : separator) + names[i];
  return names.size() <= limit ? text : text + " and " + std::to_string(names.size() - limit) + " more";
}

std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

} // namespace ptosync
