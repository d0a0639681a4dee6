// Runs the binary in a directory of its own, and says what it left there.
#pragma once

#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ptosync::test {

struct Run {
  int exitCode = -1;
  std::string out, err;
};

/// A fresh directory that goes away with its owner; commands run inside it.
class Workshop {
public:
  Workshop() {
    std::string name = (std::filesystem::temp_directory_path() / "ptosync-tool-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error("no temporary directory");
    root = name;
  }
  ~Workshop() {
    std::error_code ignored;
    std::filesystem::permissions(root, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(root, ignored);
    std::remove((root.string() + ".out").c_str());
    std::remove((root.string() + ".err").c_str());
  }
  Workshop(const Workshop &) = delete;
  Workshop &operator=(const Workshop &) = delete;

  std::filesystem::path path(const std::string &name) const { return root / name; }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string &name) const { return readText(path(name).string()); }

  /// A shell command, with the output kept outside the directory.
  Run shell(const std::string &command) const {
    std::string out = root.string() + ".out", err = root.string() + ".err";
    std::string line = "cd '" + root.string() + "' && ( " + command + "\n) >'" + out + "' 2>'" + err + "' </dev/null";
    Run run;
    FILE *pipe = popen(line.c_str(), "r");
    if (!pipe)
      throw std::runtime_error("cannot run " + command);
    int status = pclose(pipe);
    run.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
    run.out = readText(out);
    run.err = readText(err);
    return run;
  }
  Run ptosync(const std::string &arguments, const std::string &environment = "") const {
    return shell("unset PTOSYNC_ARCH PTOSYNC_CACHE_DIR PTOSYNC_REMOTE_CACHE; " + environment + " '" + PTOSYNC_BINARY +
                 "' " + arguments);
  }

  /// Names in the directory, sorted.
  std::string listing() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(root))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : " ") + name;
    return text;
  }

private:
  std::filesystem::path root;
};

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

inline std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin))
    lines.push_back(text.substr(begin, end - begin));
  if (begin < text.size())
    lines.push_back(text.substr(begin));
  return lines;
}

/// The text with another statement on one line; empty: without it.
inline std::string withLine(const std::string &text, std::size_t line, const std::string &statement = "") {
  std::vector<std::string> lines = linesOf(text);
  lines[line - 1] = statement;
  std::string result;
  for (const std::string &each : lines)
    result += each + "\n";
  return result;
}

/// Three vector barriers: on lines 8 and 12 redundant (disjoint storage), on line 10 needed.
inline std::string sampleKernel() {
  return vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 8, 64, 8192) +
                      tile("v3", "float", 8, 64, 16384) +
                      "  TADDS(v1, v1, 1.0f);\n"
                      "  pipe_barrier(PIPE_V);\n"
                      "  TADDS(v2, v2, 1.0f);\n"
                      "  pipe_barrier(PIPE_V);\n"
                      "  TADDS(v2, v2, 2.0f);\n"
                      "  pipe_barrier(PIPE_V);\n"
                      "  TADDS(v3, v3, 1.0f);\n");
}
inline constexpr unsigned kFirstRedundant = 8, kNeeded = 10, kSecondRedundant = 12;

} // namespace ptosync::test
