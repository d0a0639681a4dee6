#include "audit/finding_pages.h"

#include "audit/finding.h"

#include <llvm/ADT/StringRef.h>

#include <tuple>

namespace ptosync {

std::string_view findingPage(std::string_view id) {
  for (const auto &[name, text] : embeddedFindingPages())
    if (name.substr(0, name.rfind('.')) == id && findRule(id))
      return text;
  return {};
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
