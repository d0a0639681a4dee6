#include "base/terminal.h"

#include <algorithm>

namespace ptosync {

namespace {

/// The numbers that choose a look, as ECMA-48 has them: 1 bold, 31 red, 32 green, 35 magenta, 36 cyan.
const char *codeOf(Paint paint) {
  switch (paint) {
  case Paint::Place: return "1";
  case Paint::Error: return "1;31";
  case Paint::Warning: return "1;35";
  case Paint::Note: return "1;36";
  case Paint::Message: return "1";
  case Paint::Caret: return "1;32";
  case Paint::Removed: return "31";
  case Paint::Added: return "32";
  case Paint::Hunk: return "36";
  }
  return "0";
}

bool continuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The text with a blank in the place of each control character.
std::string shown(std::string_view line) {
  std::string text(line);
  for (char &c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      c = ' ';
  return text;
}

std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continuesCharacter));
}

} // namespace

std::string painted(std::string_view text, Paint paint, bool colour) {
  if (!colour || text.empty())
    return std::string(text);
  return std::string("\033[") + codeOf(paint) + "m" + std::string(text) + "\033[0m";
}

std::string sourceSnippet(std::uint32_t number, std::string_view line, std::size_t begin, std::size_t end,
                          bool colour) {
  constexpr std::size_t kNumberWidth = 5;
  const std::string digits = std::to_string(number);
  const std::string margin(std::max(kNumberWidth, digits.size()), ' ');
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  const std::size_t length = std::max<std::size_t>(characters(line.substr(begin, end - begin)), 1);
  std::string text = margin.substr(digits.size()) + digits + " | " + shown(line) + "\n" + margin + " | ";
  text.append(characters(line.substr(0, begin)), ' ');
  return text + painted("^" + std::string(length - 1, '~'), Paint::Caret, colour) + "\n";
}

std::string paintedDiff(std::string_view diff) {
  std::string text;
  bool head = true; // of a file, whose lines begin like changes
  while (!diff.empty()) {
    const std::size_t end = std::min(diff.find('\n'), diff.size());
    const std::string_view line = diff.substr(0, end);
    if (line.starts_with("@@"))
      head = false;
    else if (line.starts_with("--- ") && diff.substr(std::min(end + 1, diff.size())).starts_with("+++ "))
      head = true;
    if (head)
      text += painted(line, Paint::Message, true);
    else if (line.starts_with("@@"))
      text += painted(line, Paint::Hunk, true);
    else
      text += painted(line, line.starts_with('-') ? Paint::Removed : Paint::Added,
                      line.starts_with('-') || line.starts_with('+'));
    if (end < diff.size())
      text += '\n';
    diff.remove_prefix(std::min(end + 1, diff.size()));
  }
  return text;
}

} // namespace ptosync
