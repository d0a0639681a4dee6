#include "optimize/edit_kinds.h"
#include "optimize/edit_session.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// What ran, and how many edits the kinds still pretend to make.
struct Log {
  std::string ran;
  int edits = 0;
  void note(EditSession &session, const char *name, bool edits_) {
    ran += name;
    if (edits_ && edits > 0) {
      --edits;
      session.decisions().number();
    }
  }
};

Log &kindLog() {
  static Log log;
  return log;
}

std::string runsOf(std::span<const EditKind> kinds, int edits) {
  Module module = lift(vectorKernel("  pipe_barrier(PIPE_V);\n"));
  Catalogue catalogue = llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("default"));
  OptimizeOptions options;
  EditSession session(module, {0}, machineOf("a3"), catalogue, options);
  kindLog() = {"", edits};
  runEditKinds(session, kinds);
  return kindLog().ran;
}

void first(EditSession &session) { kindLog().note(session, "1", true); }
void quiet(EditSession &session) { kindLog().note(session, "q", false); }
void busy(EditSession &session) { kindLog().note(session, "b", true); }

} // namespace

TEST_CASE("edit kinds: once means once, whatever is edited", "[optimize]") {
  CHECK(runsOf(std::vector<EditKind>{{Turn::Once, first}, {Turn::Once, quiet}}, 9) == "1q");
}

TEST_CASE("edit kinds: a turn ends when each has run since the last edit", "[optimize]") {
  const std::vector<EditKind> kinds = {{Turn::WhileSyncsGo, quiet}, {Turn::WhileSyncsGo, busy}};
  CHECK(runsOf(kinds, 0) == "qb");
  CHECK(runsOf(kinds, 1) == "qbqb");
  CHECK(runsOf(kinds, 2) == "qbqbqb");
}

TEST_CASE("edit kinds: one that settles does not follow itself", "[optimize]") {
  const std::vector<EditKind> kinds = {{Turn::WhileFlagsMove, busy, true}, {Turn::WhileFlagsMove, quiet}};
  CHECK(runsOf(kinds, 1) == "bq");
  CHECK(runsOf(std::vector<EditKind>{{Turn::WhileFlagsMove, busy, true}, {Turn::WhileFlagsMove, first}}, 2) == "b1b1");
}

TEST_CASE("edit kinds: turns follow each other, and barriers come first", "[optimize]") {
  const std::vector<EditKind> kinds = {{Turn::WhileFlagsMove, quiet}, {Turn::WhileSyncsGo, busy}, {Turn::Once, first}};
  CHECK(runsOf(kinds, 0) == "1bq");
  REQUIRE_FALSE(editKinds().empty());
  CHECK(editKinds().front().turn == Turn::Once);
}
