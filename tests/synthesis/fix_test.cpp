// What `fix` must not do, and the order in which it prefers what it may. The broken kernels of broken say what it
// does.
#include "synthesis/synthesised.h"

#include "replay/verify.h"
#include "rewrite/text_edit.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

std::size_t added(const FixResult &result) {
  std::size_t count = 0;
  for (const SyncPlan &change : result.changes)
    count += change.added.size();
  return count;
}

std::size_t takenOut(const FixResult &result) {
  std::size_t count = 0;
  for (const SyncPlan &change : result.changes)
    count += change.removed.size();
  return count;
}

/// serialLoop() with one of its statements, counted from 0, taken out.
std::string serialWithout(std::size_t statement) {
  std::string text = serialLoop();
  std::size_t at = 0;
  for (std::size_t i = 0; i <= statement; ++i)
    at = text.find("_flag(", at + 1);
  std::size_t begin = text.rfind('\n', at) + 1;
  return text.erase(begin, text.find('\n', at) + 1 - begin);
}

} // namespace

TEST_CASE("fix: each statement of a loop's flags is put back, by one insertion") {
  constexpr std::size_t kStatements = 8;
  for (std::size_t statement = 0; statement < kStatements; ++statement) {
    INFO(statement);
    Module module = lift(serialWithout(statement));
    FixResult result = fixed(module);
    CHECK(result.left() == 0);
    CHECK(result.mended() > 0);
    CHECK(added(result) == 1);
    CHECK(takenOut(result) == 0);
    CHECK(result.text == lift(result.text).source.text());
    // As well ordered as the loop that it comes from.
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(lift(serialLoop()), lift(result.text), machineOf("a3"), {});
    CHECK(llvm::cantFail(std::move(verdict)).agreed());
  }
}

TEST_CASE("fix: a loop that has none gets flags both ways, each of which keeps the other from being set too early") {
  Module module = lift(loopKernel({}));
  FixResult result = fixed(module);
  CHECK(result.left() == 0);
  CHECK(result.mended() > 0);
  llvm::Expected<replay::Verdict> verdict = replay::verify(lift(serialLoop()), lift(result.text), machineOf("a3"), {});
  CHECK(llvm::cantFail(std::move(verdict)).agreed());
}

TEST_CASE("fix: any two statements of a loop's flags are mended, or what is left is said") {
  constexpr std::size_t kStatements = 8;
  std::size_t whole = 0, pairs = 0;
  for (std::size_t first = 0; first < kStatements; ++first)
    for (std::size_t second = first; second + 1 < kStatements; ++second) {
      std::string text = serialWithout(first);
      std::size_t at = 0;
      for (std::size_t i = 0; i <= second; ++i)
        at = text.find("_flag(", at + 1);
      std::size_t begin = text.rfind('\n', at) + 1;
      text.erase(begin, text.find('\n', at) + 1 - begin);
      INFO(text);
      FixResult result = fixed(lift(text));
      ++pairs;
      if (result.left()) {
        for (const Defect &defect : result.defects)
          CHECK((defect.mended || !defect.reason.empty()));
        continue;
      }
      ++whole;
      llvm::Expected<replay::Verdict> verdict =
          replay::verify(lift(serialLoop()), lift(result.text), machineOf("a3"), {});
      CHECK(llvm::cantFail(std::move(verdict)).agreed());
    }
  CHECK(whole * 100 >= pairs * 85);
}

TEST_CASE("fix: of two sets in a row the first goes, of two waits the second") {
  LoopSyncs syncs;
  syncs.add = setFlag("MTE2", "V", 0) + setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
  syncs.store = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  Module module = lift(loopKernel(syncs));
  FixResult result = fixed(module);
  CHECK(result.left() == 0);
  CHECK(added(result) == 0);
  REQUIRE(result.changes.size() == 1);
  CHECK(result.changes[0].removed.begin()->first == 0);
  CHECK(result.changes[0].removed.size() == 1);
  syncs.add = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
  result = fixed(lift(loopKernel(syncs)));
  CHECK(result.left() == 0);
  REQUIRE(result.changes.size() == 1);
  CHECK(result.changes[0].removed.begin()->first == 2);
  CHECK(result.changes[0].removed.size() == 1);
}

TEST_CASE("fix: nothing that a keep comment holds goes") {
  LoopSyncs syncs;
  std::string kept = "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: keep(both)\n";
  syncs.add = kept + kept + waitFlag("MTE2", "V", 0);
  syncs.store = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  FixResult result = fixed(lift(loopKernel(syncs)));
  CHECK(takenOut(result) == 0);
  CHECK(occurrences(result.text, "// ptosync: keep(both)") == 2);
}

TEST_CASE("fix: a kernel that is not reported is not touched") {
  for (const std::string &text : {serialLoop(), overlappedLoop()}) {
    FixResult result = fixed(lift(text));
    CHECK(result.defects.empty());
    CHECK(result.text == text);
  }
}

TEST_CASE("fix: nothing is put into a file of which nothing is edited") {
  const std::string text = "#ifdef FAST\nint rows;\n#endif\n" + loopKernel({});
  FixResult result = fixed(lift(text));
  CHECK(result.text == text);
  REQUIRE_FALSE(result.defects.empty());
  CHECK(result.left() == result.defects.size());
  for (const Defect &defect : result.defects)
    CHECK(defect.reason ==
          "nothing of the file is edited: another build of it is another program: the preprocessor condition "
          "on line 1 selects line 2; say with -D or -U what FAST is");
}

TEST_CASE("fix: what a flag that is left was to order gets no flag beside it") {
  LoopSyncs syncs;
  syncs.before = "  event_t e = (event_t) in[0];\n";
  syncs.add = "    set_flag(PIPE_MTE2, PIPE_V, e);\n";
  syncs.store = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  FixResult result = fixed(lift(loopKernel(syncs)));
  for (const SyncPlan &change : result.changes)
    for (const AddedSync &sync : change.added)
      CHECK_FALSE((sync.source == Pipe::MTE2 && sync.destination == Pipe::V));
}

TEST_CASE("fix: reserved ids, and pipes without a free one") {
  LoopSyncs syncs;
  syncs.store = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  Module module = lift(loopKernel(syncs));
  FixOptions options;
  options.reservedIds = {0, 1, 2};
  FixResult result = fixed(module, "a3", options);
  CHECK(result.left() == 0);
  REQUIRE(added(result) == 2);
  CHECK(result.changes[0].added[0].id == 3);
  options.reservedIds = {0, 1, 2, 3, 4, 5, 6, 7};
  result = fixed(module, "a3", options);
  CHECK(result.left() > 0);
  CHECK(result.defects[0].reason.find("no event id is free") != std::string::npos);
}

TEST_CASE("fix: each finding's own edits mend it by themselves") {
  LoopSyncs syncs;
  syncs.add = setFlag("MTE2", "V", 0);
  syncs.store = waitFlag("V", "MTE3", 0);
  syncs.end = "    pipe_barrier(PIPE_ALL);\n";
  Module module = lift(loopKernel(syncs));
  FixOptions options;
  options.attribute = true;
  FixResult result = fixed(module, "a3", options);
  REQUIRE(result.left() == 0);
  REQUIRE(result.changes.size() >= 2);
  bool alone = false;
  for (const Defect &defect : result.defects) {
    REQUIRE_FALSE(defect.edits.empty());
    std::string text = llvm::cantFail(applyEdits(module.source, defect.edits));
    alone = alone || text != result.text;
    for (const Finding &finding : audit(lift(text), machineOf("a3"), {}).findings)
      CHECK(finding.fingerprint != defect.finding.fingerprint);
  }
  CHECK(alone);
}

TEST_CASE("fix: what no finding speaks of and a run misses is put in") {
  // Where t lies an argument decides. Behind the load of it the addition may read what is not there yet.
  std::string body = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0") +
                     "  Tile<TileType::Vec, float, 16, 64> t; TASSIGN(t, n * 4096);\n";
  FixResult result = fixed(lift(vectorKernel(body + "  TLOAD(t, g);\n  TADDS(v2, v1, 1.0f);\n")));
  CHECK(result.defects.empty());
  REQUIRE(result.missed.size() == 1);
  CHECK(result.missed[0].mended);
  CHECK(result.missed[0].laterLine == result.missed[0].earlierLine + 1);
  CHECK(added(result) == 2);
  CHECK(result.left() == 0);
  FixResult right = fixed(lift(vectorKernel(body + "  TLOAD(t, g);\n" + setFlag("MTE2", "V", 0) +
                                            waitFlag("MTE2", "V", 0) + "  TADDS(v2, v1, 1.0f);\n")));
  CHECK(right.missed.empty());
  CHECK(right.left() == 0);
}

TEST_CASE("fix: what two tests of one load decide is right as it is") {
  const std::string flag = "(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  ";
  auto twice = [&](const std::string &first, const std::string &second, const std::string &more = "") {
    return vectorKernel(
        tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0") +
        tensor("h", "out", "0") + "  __gm__ int32_t *d = (__gm__ int32_t *) in;\n  TLOAD(v1, g);\n  if (" + first +
        ") {\n  set_flag" + flag + "}\n  if (" + second + ") {\n  wait_flag" + flag + "TSTORE(h, v1);\n  }\n" + more);
  };
  const std::string right = twice("d[5000] > 1", "d[5000] > 1");
  FixResult same = fixed(lift(right));
  CHECK(same.left() == 0);
  CHECK(same.text == right);
  // Of two loads nothing is known. What would make the flag binary on every path might set it too early.
  const std::string unknown = twice("d[5000] > 1", "d[5001] > 1");
  FixResult two = fixed(lift(unknown));
  CHECK(two.left() != 0);
  CHECK(two.text == unknown);
  // What is wrong beside it is mended.
  FixResult beside = fixed(lift(twice("d[5000] > 1", "d[5000] > 1", "  TLOAD(v2, g);\n  TADDS(v2, v2, 1.0f);\n")));
  CHECK(beside.left() == 0);
  CHECK(beside.mended() == 1);
  CHECK(added(beside) == 2);
}

TEST_CASE("fix: a round that ends with a drain into the scalar pipe is left alone") {
  LoopSyncs syncs;
  syncs.add = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
  syncs.store = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  syncs.end = setFlag("MTE3", "S", 7) + waitFlag("MTE3", "S", 7);
  FixResult result = fixed(lift(loopKernel(syncs)));
  CHECK(result.changes.empty());
  CHECK(result.left() == 0);
}

TEST_CASE("fix: no flag is set once more while the wait for its last setting may still be under way") {
  // The wait in front of the set is fed by it; with a set in front of that the flag may be set twice in a row.
  const Module module = lift(vectorKernel(tile("a", "float", 16, 64, 0) + tile("b", "float", 16, 64, 4096) +
                                          tensor("g", "in", "0") + "  TLOAD(a, g);\n" + waitFlag("MTE2", "V", 0) +
                                          setFlag("MTE2", "V", 0) + "  TADD(b, a, a);\n"));
  const FixResult result = fixed(module);
  CHECK(result.changes.empty());
  CHECK(result.left() > 0);
}

TEST_CASE("fix: a kernel that has brackets of buffer ids and no flag is mended by brackets") {
  auto bracketOf = [](const std::string &pipe, const std::string &id, const std::string &work) {
    return "  get_buf(PIPE_" + pipe + ", " + id + ", 0);\n" + work + "  rls_buf(PIPE_" + pipe + ", " + id + ", 0);\n";
  };
  const std::string text =
      vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0") +
                   tensor("h", "out", "0") + bracketOf("MTE2", "0", "  TLOAD(v1, g);\n") +
                   bracketOf("V", "0", "  TADDS(v2, v1, 1.0f);\n") + "  TSTORE(h, v2);\n  pipe_barrier(PIPE_ALL);\n");
  const Module module = lift(text, "a5");
  const FixResult result = fixed(module, "a5");
  CAPTURE(result.text);
  CHECK(result.left() == 0);
  CHECK(result.mended() > 0);
  CHECK(occurrences(result.text, "set_flag(") == occurrences(text, "set_flag("));
  CHECK(occurrences(result.text, "get_buf(PIPE_V, 1, 0)") == 1);
  CHECK(occurrences(result.text, "get_buf(PIPE_MTE3, 1, 0)") == 1);
}
