#include "support/applied_diff.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace ptosync::test {
namespace {

/// Reads off a line with its end; what `\ No newline` says was removed from it is removed.
std::string takeLine(std::string_view &rest) {
  constexpr std::string_view kNoNewline = "\\ No newline at end of file\n";
  std::size_t length = std::min(rest.find('\n'), rest.size() - 1) + 1;
  std::string line(rest.substr(0, length));
  rest.remove_prefix(length);
  if (rest.starts_with(kNoNewline)) {
    rest.remove_prefix(kNoNewline.size());
    line.pop_back();
  }
  return line;
}

void demand(bool held, const std::string &line) {
  if (!held)
    throw std::runtime_error("the diff does not apply: " + line);
}

} // namespace

std::string applyDiff(const std::string &before, const std::string &diff) {
  if (diff.empty())
    return before;
  std::string_view rest = diff, input = before;
  std::string result;
  std::size_t line = 1;
  for (const char *head : {"--- ", "+++ "}) {
    std::string name = takeLine(rest);
    demand(name.starts_with(head), name);
  }
  while (!rest.empty()) {
    std::string hunk = takeLine(rest);
    demand(hunk.starts_with("@@ -"), hunk);
    std::size_t begin = std::stoul(hunk.substr(4)), comma = hunk.find_first_of(", ", 4);
    std::size_t target = hunk.compare(comma, 3, ",0 ") == 0 ? begin + 1 : begin;
    for (; line < target; ++line) {
      demand(!input.empty(), hunk);
      result += takeLine(input);
    }
    while (!rest.empty() && !rest.starts_with('@')) {
      std::string body = takeLine(rest);
      if (body[0] == '+') {
        result += body.substr(1);
        continue;
      }
      demand(!input.empty(), body);
      std::string old = takeLine(input);
      demand((body[0] == ' ' || body[0] == '-') && old == body.substr(1), body);
      ++line;
      if (body[0] == ' ')
        result += old;
    }
  }
  return result + std::string(input);
}

} // namespace ptosync::test
