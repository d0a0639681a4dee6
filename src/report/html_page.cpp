#include "report/html_page.h"

#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedHtmlFiles();

namespace {

std::string embeddedFile(std::string_view wanted) {
  for (const auto &[file, text] : embeddedHtmlFiles())
    if (file == wanted)
      return std::string(text);
  return "";
}

/// `text` with one occurrence of `mark` replaced.
std::string withReplaced(std::string text, std::string_view mark, const std::string &with) {
  std::size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), with);
}

} // namespace

std::string htmlPage(const std::string &markup, const std::string &script, const nlohmann::ordered_json &data) {
  std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), safe;
  for (char c : text)
    safe += c == '<' ? "\\u003c" : std::string(1, c);
  std::string page = withReplaced(embeddedFile(markup), "PTOSYNC_STYLE", embeddedFile("page.css"));
  page = withReplaced(std::move(page), "PTOSYNC_SCRIPT",
                      embeddedFile("page_parts.js") + embeddedFile("timeline.js") + embeddedFile(script));
  return withReplaced(std::move(page), "PTOSYNC_DATA", safe);
}

} // namespace ptosync
