// White space, line breaks, blank lines and names decide nothing in what `opt`, `--resync` and `fix` do.
//
// A kernel is laid out anew, which changes no token of it. What is made of it, without comments and white space, must
// be what is made of the original, so every edit is at the same statement. Comments of the tool hold what stands on
// their line, and keep their lines; so do directives.
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <regex>
#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

namespace {

using Lines = std::vector<std::string>;
using Change = std::string (*)(const std::string &);

Lines linesOfText(const std::string &text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

bool goesOn(const std::string &line) { return !line.empty() && line.back() == '\\'; }

/// Returns true for a line whose breaks mean nothing.
bool isLoose(const std::string &line) {
  static const std::regex bound(R"(^\s*#|//|ptosync|/\*|\*/|\\$|")");
  return !std::regex_search(line, bound);
}

std::string withIndentation(const std::string &text, const std::function<std::size_t(std::size_t)> &width) {
  Lines lines = linesOfText(text);
  std::string result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool free = i == 0 || !goesOn(lines[i - 1]);
    const std::size_t begin = std::min(lines[i].find_first_not_of(" \t"), lines[i].size());
    result += (free ? std::string(width(i), ' ') + lines[i].substr(begin) : lines[i]) + "\n";
  }
  return result;
}

std::string withoutIndentation(const std::string &text) {
  return withIndentation(text, [](std::size_t) { return std::size_t{0}; });
}
std::string otherIndentation(const std::string &text) {
  return withIndentation(text, [](std::size_t line) { return (line * 7 + 3) % 13; });
}

std::string blankLines(const std::string &text) {
  std::string result;
  for (const std::string &line : linesOfText(text))
    result += line + (isLoose(line) ? "\n\n\n" : "\n");
  return result;
}

/// Up to eight lines on one. A comment of the tool that stands alone holds the line below it, which stays as it is.
std::string joinedLines(const std::string &text) {
  constexpr std::size_t kMostJoined = 8;
  std::string result;
  std::size_t joined = 0;
  bool held = false;
  for (const std::string &line : linesOfText(text)) {
    const bool loose = isLoose(line) && !held;
    held = line.find("// ptosync:") != std::string::npos;
    if (joined > 0 && (!loose || joined == kMostJoined)) {
      result += "\n";
      joined = 0;
    }
    result += joined > 0 ? " " + line.substr(std::min(line.find_first_not_of(" \t"), line.size())) : line;
    joined += loose;
    result += loose ? "" : "\n";
  }
  return result + "\n";
}

std::string splitLines(const std::string &text) {
  static const std::regex breakable(R"(([(,;{}]) ?)");
  std::string result;
  for (const std::string &line : linesOfText(text))
    result += (isLoose(line) ? std::regex_replace(line, breakable, "$1\n") : line) + "\n";
  return result;
}

std::string otherNames(const std::string &text) {
  static const std::regex variable(R"(\bv(\d+)\b)");
  return std::regex_replace(text, variable, "renamed$1x");
}

constexpr Change kChanges[] = {withoutIndentation, otherIndentation, blankLines, joinedLines, splitLines, otherNames};

/// The tokens alone.
std::string bare(const std::string &text) {
  static const std::regex spliced(R"(\\\r?\n)"), comment(R"(/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|//[^\n]*)"), blank(R"(\s+)");
  return std::regex_replace(std::regex_replace(std::regex_replace(text, spliced, ""), comment, ""), blank, "");
}

std::string optimised(const std::string &text, const std::string &arch) {
  RunOptions options;
  options.arch = arch;
  return patched(run(text, options));
}

std::string placedAnew(const std::string &text, const std::string &arch) {
  Module module = lift(text, arch);
  synthesis::ResyncResult result = resynced(module, {}, arch);
  return patched({std::move(module), std::move(result.decisions)});
}

std::string mended(const std::string &text, const std::string &arch) { return fixed(lift(text, arch), arch).text; }

/// Returns how many of the changes change something.
std::size_t decideNothing(std::string (*edited)(const std::string &, const std::string &), const std::string &path) {
  INFO(path);
  const std::string text = readText(path), arch = path.find("/a5_") != std::string::npos ? "a5" : "a3";
  if (text.find("__LINE__") != std::string::npos)
    return 0; // its lines are part of the program
  const std::string before = edited(text, arch);
  std::size_t changes = 0;
  for (std::size_t i = 0; i < std::size(kChanges); ++i) {
    const std::string changed = kChanges[i](text);
    if (changed == text)
      continue;
    INFO("change number " << i);
    ++changes;
    CHECK((bare(edited(changed, arch)) == bare(kChanges[i] == otherNames ? otherNames(before) : before)));
  }
  return changes;
}

std::size_t ofTheCorpus(std::string (*edited)(const std::string &, const std::string &),
                        const std::vector<std::string> &folders) {
  std::size_t changes = 0;
  for (const std::string &folder : folders)
    changes += decideNothing(edited, corpusPath(folder + "/kernel.cpp"));
  return changes;
}

std::vector<std::string> foldersThat(const std::function<bool(const std::string &)> &are) {
  std::vector<std::string> folders = corpusFolders();
  std::erase_if(folders, [&](const std::string &folder) { return !are(folder); });
  return folders;
}

/// Placing syncs anew takes long.
bool isShort(const std::string &folder) {
  constexpr std::size_t kLongest = 4000; // bytes
  return readText(corpusPath(folder + "/kernel.cpp")).size() < kLongest;
}

} // namespace

TEST_CASE("layout: white space and names decide nothing in what is removed and moved", "[metamorphic]") {
  CHECK(ofTheCorpus(optimised, corpusFolders()) > 400);
}

TEST_CASE("layout: white space and names decide nothing in what is placed anew", "[metamorphic]") {
  CHECK(ofTheCorpus(placedAnew, foldersThat(isShort)) > 100);
}

TEST_CASE("layout: white space and names decide nothing in what is mended", "[metamorphic]") {
  std::size_t changes = ofTheCorpus(mended, foldersThat(isShort));
  for (const auto &entry : std::filesystem::directory_iterator(PTOSYNC_SOURCE_DIR "/tests/broken"))
    changes += decideNothing(mended, entry.path().string() + "/kernel.cpp");
  CHECK(changes > 150);
}
