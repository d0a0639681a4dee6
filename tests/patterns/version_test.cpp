// The version is said in several places: the build, the program, the changelog, the examples of pre-commit and of the
// package. They agree.
#include "patterns/version.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <regex>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string source(const std::string &name) { return readText(std::string(PTOSYNC_SOURCE_DIR) + "/" + name); }

/// What the expression captures first in a file; empty if it does not match.
std::string captured(const std::string &file, const char *expression) {
  const std::string text = source(file);
  std::smatch match;
  return std::regex_search(text, match, std::regex(expression)) ? match[1].str() : "";
}

} // namespace

TEST_CASE("version: build, program, changelog and examples name the same") {
  const std::string version(toolVersion());
  CHECK(captured("CMakeLists.txt", "project\\(ptosync VERSION ([0-9.]+)") == version);
  CHECK(captured("docs/changelog.md", "\n## ([0-9]+\\.[0-9]+\\.[0-9]+)") == version);
  CHECK(captured("docs/audit.md", "rev: v([0-9.]+)\n") == version);
  CHECK(captured("docs/audit.md", "actions/ptosync@v([0-9.]+)\n") == version);
  CHECK(captured("docs/start.md", "ptosync_([0-9.]+)_") == version);
}
