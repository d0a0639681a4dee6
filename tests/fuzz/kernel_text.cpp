#include "fuzz/kernel_text.h"

#include <algorithm>
#include <cctype>

namespace ptosync::fuzz {
namespace {

/// Comments become nothing; line ends stay, also those inside comments.
std::string withoutComments(const std::string &text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool line = text.compare(i, 2, "//") == 0, block = text.compare(i, 2, "/*") == 0;
    if (!line && !block) {
      result += text[i];
      continue;
    }
    std::size_t end = std::min(text.find(line ? "\n" : "*/", i), text.size());
    result.append(static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                      text.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                  '\n');
    i = line ? end - 1 : end + 1;
  }
  return result;
}

std::string withoutSpace(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

bool onlySync(const std::string &line) {
  for (const char *name : {"set_flag(", "wait_flag(", "pipe_barrier(", "get_buf(", "rls_buf("})
    if (line.rfind(name, 0) == 0)
      return line.find(';') + 1 == line.size();
  return line.empty();
}

} // namespace

std::string bareText(const std::string &text) { return withoutSpace(withoutComments(text)); }

std::vector<std::uint32_t> instructionNumbers(const std::string &text) {
  std::vector<std::uint32_t> numbers = {0};
  std::string bare = withoutComments(text) + "\n";
  for (std::size_t begin = 0; begin < bare.size();) {
    std::size_t end = bare.find('\n', begin);
    numbers.push_back(numbers.back() + !onlySync(withoutSpace(bare.substr(begin, end - begin))));
    begin = end + 1;
  }
  return numbers;
}

} // namespace ptosync::fuzz
