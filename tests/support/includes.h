// The include lines of the sources, for tests of who may use whom.
#pragma once

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace ptosync::test {

struct Include {
  std::filesystem::path file;
  std::string what; // between quotes or angle brackets
};

/// Of the headers and sources below a folder.
inline std::vector<Include> includesBelow(const std::filesystem::path &folder) {
  static const std::regex form(R"re(#include ["<]([^">]+)[">].*)re");
  std::vector<Include> found;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp")
      continue;
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);)
      if (std::regex_match(line, match, form))
        found.push_back({entry.path(), match[1]});
  }
  return found;
}

} // namespace ptosync::test
