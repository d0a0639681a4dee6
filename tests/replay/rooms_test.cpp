// Who includes whom in src/replay: what runs and judges sees the abstract numbers and the skipping of iterations
// through one header each, and nothing behind them.
#include "support/includes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace ptosync::test;

namespace {

/// By room (the front is ""): the headers of src/replay that it may include, a whole room by its name with a slash.
const std::map<std::string, std::vector<std::string>> kMayInclude = {
    {"number", {"number/"}},
    {"run", {"options.h", "run/", "number/value.h", "skip/skipping.h"}},
    {"judge", {"options.h", "judge/", "run/"}},
    {"choose", {"options.h", "choose/", "run/", "number/range.h"}},
    {"skip", {"skip/", "run/", "number/value.h", "judge/conflict.h"}},
    {"", {"options.h", "verify.h", "relayout.h", "needed.h", "choose/", "run/", "judge/", "skip/skipping.h"}},
};

/// Below replay/.
std::vector<Include> includesOfReplay(const fs::path &folder) {
  const std::string start = "replay/";
  std::vector<Include> found;
  for (Include &include : includesBelow(folder))
    if (include.what.rfind(start, 0) == 0)
      found.push_back({include.file, include.what.substr(start.size())});
  return found;
}

} // namespace

TEST_CASE("replay rooms: each includes what it may, and the clever ones are behind one header each") {
  const fs::path replay = fs::path(PTOSYNC_SOURCE_DIR) / "src" / "replay";
  const std::vector<Include> includes = includesOfReplay(replay);
  CHECK(includes.size() > 50);
  for (const Include &include : includes) {
    const fs::path relative = fs::relative(include.file, replay);
    INFO(relative.string() << " includes " << include.what);
    const auto room = kMayInclude.find(relative.parent_path().string());
    REQUIRE(room != kMayInclude.end());
    CHECK(std::any_of(room->second.begin(), room->second.end(), [&](const std::string &allowed) {
      return allowed.back() == '/' ? include.what.rfind(allowed, 0) == 0 : include.what == allowed;
    }));
    if (room->first == "run" && include.what == "skip/skipping.h")
      CHECK(relative == "run/interpreter.cpp");
  }
}

TEST_CASE("replay rooms: other folders see neither of the clever ones") {
  for (const auto &folder : fs::directory_iterator(fs::path(PTOSYNC_SOURCE_DIR) / "src")) {
    if (!folder.is_directory() || folder.path().filename() == "replay")
      continue;
    for (const Include &include : includesOfReplay(folder.path())) {
      INFO(include.file.string() << " includes " << include.what);
      CHECK(include.what.rfind("number/", 0) != 0);
      CHECK(include.what.rfind("skip/", 0) != 0);
    }
  }
}
