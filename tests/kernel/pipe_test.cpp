#include "kernel/pipe.h"

#include <catch2/catch.hpp>

#include <string>

using namespace ptosync;

TEST_CASE("every pipe has the spelling that kernels use, and is read back from it") {
  const std::pair<Pipe, const char *> spellings[] = {
      {Pipe::S, "PIPE_S"},       {Pipe::V, "PIPE_V"},       {Pipe::M, "PIPE_M"},     {Pipe::MTE1, "PIPE_MTE1"},
      {Pipe::MTE2, "PIPE_MTE2"}, {Pipe::MTE3, "PIPE_MTE3"}, {Pipe::FIX, "PIPE_FIX"}, {Pipe::All, "PIPE_ALL"}};
  for (const auto &[pipe, name] : spellings) {
    CHECK(pipeName(pipe) == name);
    CHECK(parsePipe(name) == pipe);
  }
}

TEST_CASE("what is no pipe spelling is no pipe") {
  for (const char *name : {"", "PIPE_", "PIPE_v", "V", "PIPE_V ", "PIPE_MTE4", "PIPE_MTE", "pipe_all"})
    CHECK_FALSE(parsePipe(name));
}

TEST_CASE("the real pipes are listed by their index and PIPE_ALL is none of them") {
  REQUIRE(kPipes.size() == kPipeCount);
  for (std::size_t i = 0; i < kPipes.size(); ++i)
    CHECK(index(kPipes[i]) == i);
  CHECK(index(Pipe::All) == kPipeCount);
}

TEST_CASE("a pipe set holds what was put in") {
  PipeSet set;
  CHECK(set.empty());
  CHECK(set.size() == 0);
  set.insert(Pipe::V);
  set.insert(Pipe::FIX);
  set.insert(Pipe::V);
  CHECK(set.size() == 2);
  CHECK(set.contains(Pipe::V));
  CHECK(set.contains(Pipe::FIX));
  CHECK_FALSE(set.contains(Pipe::S));
  PipeSet other;
  other.insert(Pipe::S);
  CHECK((set | other).size() == 3);
  CHECK((set | set) == set);
  CHECK_FALSE(set == other);
}

TEST_CASE("the set of all pipes has every real pipe and not PIPE_ALL") {
  PipeSet all = PipeSet::all();
  CHECK(all.size() == 7);
  for (Pipe pipe : kPipes)
    CHECK(all.contains(pipe));
  CHECK_FALSE(all.contains(Pipe::All));
}

TEST_CASE("sections are named as in reports") {
  CHECK(sectionName(Section::Cube) == "cube");
  CHECK(sectionName(Section::Vec) == "vec");
  CHECK(sectionName(Section::Both) == "both");
}
