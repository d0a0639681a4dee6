#include "audit/finding_pages.h"

#include <llvm/ADT/StringRef.h>

#include <tuple>
#include <utility>
#include <vector>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedFindingPages();

std::string_view findingPage(std::string_view id) {
  for (const auto &[file, text] : embeddedFindingPages())
    if (llvm::StringRef name(file); name.consume_back(".md") && name == llvm::StringRef(id))
      return text;
  return {};
}

std::string_view sectionOf(std::string_view page, std::string_view heading) {
  bool inside = false, fenced = false;
  std::size_t begin = 0, end = page.size();
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t next = page.find('\n', at) == std::string_view::npos ? page.size() : page.find('\n', at) + 1;
    llvm::StringRef line = llvm::StringRef(page.substr(at, next - at)).rtrim();
    fenced ^= line.starts_with("```");
    if (!fenced && line.starts_with("#")) {
      if (inside) {
        end = at;
        break;
      }
      const bool title = line.consume_front("# "), section = line.consume_front("## ");
      inside = heading.empty() ? title : section && line == llvm::StringRef(heading);
      begin = next;
    }
    at = next;
  }
  return inside ? llvm::StringRef(page.substr(begin, end - begin)).trim() : llvm::StringRef();
}

namespace {

/// A line without the targets of its links.
std::string withoutLinks(llvm::StringRef line) {
  std::string text;
  while (!line.empty()) {
    const std::size_t open = line.find('['), middle = line.find("](", open), close = line.find(')', middle);
    if (close == llvm::StringRef::npos)
      return text + line.str();
    text += line.take_front(open);
    text += line.slice(open + 1, middle);
    line = line.drop_front(close + 1);
  }
  return text;
}

} // namespace

std::string plainPage(std::string_view markdown) {
  std::string text;
  bool code = false;
  for (auto [line, rest] = llvm::StringRef(markdown).split('\n'); !line.empty() || !rest.empty();
       std::tie(line, rest) = rest.split('\n')) {
    if (line.starts_with("```"))
      code = !code;
    else if (code)
      text += "    " + line.str() + "\n";
    else if (line.consume_front("## "))
      text += line.str() + ":\n";
    else if (!line.starts_with("# "))
      text += withoutLinks(line) + "\n";
  }
  return text;
}

} // namespace ptosync
