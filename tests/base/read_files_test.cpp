#include "base/read_files.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("a file that was noted is held until it is taken out", "[base]") {
  ReadFiles files;
  const llvm::sys::fs::UniqueID one(1, 7), other(2, 7);
  CHECK_FALSE(files.holds(one));
  files.note(one);
  files.note(one);
  CHECK(files.holds(one));
  CHECK_FALSE(files.holds(other));
  files.forget(one);
  CHECK_FALSE(files.holds(one));
}

TEST_CASE("a file that was noted with a name has it, and others have none", "[base]") {
  ReadFiles files, all;
  files.note({1, 7}, "b.h");
  files.note({2, 7});
  files.note({3, 7}, "a.h");
  files.note({3, 7});
  all.note({3, 7}, "link.h"); // one file by two names
  all.noteAll(files);
  CHECK(all.paths() == std::set<std::string>{"a.h", "b.h", "link.h"});
}
