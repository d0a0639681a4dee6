// docs/extending.md is run as it stands: its files are written, its commands run, their lines looked for.
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// The text of the fence that opens at `at`, and where it ends.
std::string block(const std::string &page, std::size_t at, std::size_t &end) {
  std::size_t begin = page.find('\n', at) + 1;
  end = page.find("\n```", begin);
  return page.substr(begin, end - begin + 1);
}

std::size_t runConsole(const Workshop &workshop, const std::string &text) {
  std::size_t commands = 0;
  std::string output, command;
  for (const std::string &line : linesOf(text)) {
    if (line.rfind("$ ", 0) != 0) {
      INFO("$ " << command << "\n" << output);
      CHECK(contains(output, line));
      continue;
    }
    command = line.substr(2);
    Run run = workshop.shell("unset PTOSYNC_ARCH; PTOSYNC_SOURCE='" PTOSYNC_SOURCE_DIR "'; ptosync() { '" +
                             std::string(PTOSYNC_BINARY) + "' \"$@\"; }; " + command);
    output = run.out + run.err;
    ++commands;
  }
  return commands;
}

} // namespace

TEST_CASE("extending page: every file and every command") {
  std::string page = readText(std::string(PTOSYNC_SOURCE_DIR) + "/docs/extending.md");
  Workshop workshop;
  std::size_t files = 0, commands = 0;
  for (std::size_t at = page.find("```"); at != std::string::npos;) {
    std::size_t end = 0;
    std::string text = block(page, at, end);
    std::size_t above = page.rfind("File `", at);
    if (page.compare(at, 10, "```console") == 0) {
      commands += runConsole(workshop, text);
    } else if (above != std::string::npos && at - above < 60) {
      std::string name = page.substr(above + 6, page.find('`', above + 6) - above - 6);
      workshop.write(name, text);
      ++files;
    }
    at = page.find("```", end + 4);
  }
  CHECK(files == 3);
  CHECK(commands == 5);
}
