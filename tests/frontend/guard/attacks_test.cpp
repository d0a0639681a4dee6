// Small hand-written kernels beside the repository, if they are there: a line marked /*NEED*/ keeps its sync.
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::vector<std::string> attackFiles() {
  std::vector<std::string> files;
  std::filesystem::path folder = std::filesystem::path(PTOSYNC_SOURCE_DIR) / ".." / "shared" / "attacks";
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".cpp")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// Marked lines of `before` whose sync `outcome` takes out or moves.
std::string lost(const Outcome &outcome) {
  std::string lines;
  for (SiteId site = 0; site < outcome.module.sites.size(); ++site) {
    const SyncSite &place = outcome.module.sites[site];
    bool marked = outcome.module.source.line(place.line).find("/*NEED*/") != std::string_view::npos;
    if (marked && outcome.result.decisions[site].verdict == Verdict::Removed)
      lines += " " + std::to_string(place.line);
  }
  return lines;
}

} // namespace

TEST_CASE("no attack loses a sync that it needs", "[shared]") {
  std::vector<std::string> files = attackFiles();
  if (files.empty()) {
    WARN("skipped: no attack kernels beside the repository");
    return;
  }
  std::size_t readable = 0, leftAlone = 0;
  for (const std::string &file : files) {
    CAPTURE(file);
    std::string text = readText(file);
    for (const char *patterns : {"default", "all"})
      for (const char *trust : {"tile", "library"}) {
        CAPTURE(patterns, trust);
        std::optional<Outcome> outcome;
        try {
          outcome =
              run(text, parseOptions({std::string("--patterns=") + patterns, std::string("--trust=") + trust}), file);
        } catch (const std::exception &) {
          break; // not C++ that Clang accepts: nothing is written
        }
        CHECK(lost(*outcome) == "");
        if (std::string(patterns) == "default" && std::string(trust) == "tile") {
          ++readable;
          bool left = false;
          for (const Kernel &kernel : outcome->module.kernels)
            left |= !kernel.analysable;
          leftAlone += left;
        }
      }
  }
  CAPTURE(leftAlone, readable);
  CHECK(leftAlone * 100 <= readable * 15);
}
