// The folders of src as docs/architecture.md lists them: each uses those above it in the list, and nothing else.
#include "support/includes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace ptosync::test;

namespace {

const fs::path kRoot = PTOSYNC_SOURCE_DIR;

std::vector<std::string> linesOfFile(const fs::path &path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

/// The rows of the table under "## The folders", in their order.
std::vector<std::string> listedFolders() {
  static const std::regex row(R"(\| `(\w+)` \|.*)");
  std::vector<std::string> folders;
  bool inside = false;
  for (const std::string &line : linesOfFile(kRoot / "docs" / "architecture.md")) {
    if (line.rfind("## ", 0) == 0)
      inside = line == "## The folders";
    std::smatch match;
    if (inside && std::regex_match(line, match, row))
      folders.push_back(match[1]);
  }
  return folders;
}

/// The folder of src that a path below it, or what is included, begins with.
std::string folderOf(const fs::path &path) { return path.begin()->string(); }
std::string folderOf(const Include &include) { return folderOf(fs::relative(include.file, kRoot / "src")); }

} // namespace

TEST_CASE("architecture: every folder of src has a row") {
  const std::vector<std::string> listed = listedFolders();
  std::set<std::string> there;
  for (const auto &entry : fs::directory_iterator(kRoot / "src"))
    if (entry.is_directory())
      there.insert(entry.path().filename().string());
  CHECK(std::set<std::string>(listed.begin(), listed.end()) == there);
  CHECK(listed.size() == there.size());
}

TEST_CASE("architecture: a folder uses those above it in the list") {
  const std::vector<std::string> listed = listedFolders();
  auto row = [&](const std::string &folder) {
    return std::find(listed.begin(), listed.end(), folder) - listed.begin();
  };
  const std::vector<Include> includes = includesBelow(kRoot / "src");
  CHECK(includes.size() > 1000);
  for (const Include &include : includes) {
    const std::string to = folderOf(fs::path(include.what));
    if (include.what.find('/') == std::string::npos || !fs::is_directory(kRoot / "src" / to))
      continue; // <compare> is no file of the folder compare
    INFO(include.file.string() << " includes " << include.what);
    CHECK(row(to) <= row(folderOf(include)));
  }
}

TEST_CASE(
    "architecture: the engine that checks sees nothing of the one that decides, and Clang is in the frontend alone") {
  const std::set<std::string> checking = {"replay", "timing", "profile"};
  const std::set<std::string> deciding = {"ordering", "patterns", "optimize", "rewrite",
                                          "audit",    "explain",  "synthesis"};
  for (const Include &include : includesBelow(kRoot / "src")) {
    const std::string to = folderOf(fs::path(include.what));
    INFO(include.file.string() << " includes " << include.what);
    if (checking.count(folderOf(include)))
      CHECK_FALSE(deciding.count(to));
    if (folderOf(include) != "frontend")
      CHECK(to != "clang");
    // The checker of certificates is a program of its own.
    if (folderOf(include) == "check")
      CHECK_FALSE((to != "check" && include.what.find('/') != std::string::npos && to != "nlohmann"));
    if (to == "check") {
      const bool ownProgram = include.file.parent_path() == kRoot / "src" / "tool" / "check";
      CHECK((folderOf(include) == "check" || folderOf(include) == "run" || ownProgram));
    }
  }
}
