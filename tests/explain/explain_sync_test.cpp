#include "explain/explain_sync.h"
#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string chain() {
  return fourTiles("  TADDS(a, b, 1.0f); // first\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, a, 1.0f); // second\n"
                   "  pipe_barrier(PIPE_V); // two\n  TADDS(d, c, 1.0f); // third\n");
}

std::size_t opened(const Explained &kernel, const ProgramEdit &change) {
  EditedProgram edited(kernel.module.kernels[0], machineOf("a3"), {}, change);
  Pending pending(edited.program());
  return newlyOpen(kernel.file->kernels()[0].pending(), pending).size();
}

} // namespace

TEST_CASE("edited program: nodes and bits keep their numbers, events close up") {
  Explained kernel(chain());
  const Program &untouched = kernel.file->kernels()[0].program();
  EditedProgram edited(kernel.module.kernels[0], machineOf("a3"), {}, {{kernel.site("// one")}, std::nullopt});
  const Program &program = edited.program();
  REQUIRE(program.nodes.size() == untouched.nodes.size());
  CHECK(program.bits == untouched.bits);
  CHECK(program.flags == untouched.flags);
  for (NodeId id = 0; id < program.nodes.size(); ++id) {
    CHECK(program.nodes[id].statement == untouched.nodes[id].statement);
    CHECK(program.steps[program.nodes[id].block][program.nodes[id].event].node == id);
  }
  EventKey one = kernel.file->kernels()[0].pending().eventsOf(kernel.site("// one")).at(0);
  EventKey behind{one.first, one.second + 1};
  CHECK(edited.keyOf(one) == one); // what follows it has moved up
  CHECK(edited.keyOf(behind) == one);
}

TEST_CASE("edited program: what an edit opens") {
  Explained kernel(chain());
  CHECK(opened(kernel, {}) == 0);
  CHECK(opened(kernel, {{kernel.site("// one")}, std::nullopt}) == 1);
  CHECK(opened(kernel, {{kernel.site("// one"), kernel.site("// two")}, std::nullopt}) == 2);
  // Another barrier in its place, on the right and on the wrong pipe.
  EventKey one = kernel.file->kernels()[0].pending().eventsOf(kernel.site("// one")).at(0);
  BlockId block = kernel.file->kernels()[0].program().blockOf[one.first];
  auto replaced = [&](std::uint32_t event, Pipe pipe) {
    return opened(kernel, {{kernel.site("// one")}, ProgramEdit::Barrier{block, event, pipe}});
  };
  CHECK(replaced(one.second, Pipe::V) == 0);
  CHECK(replaced(one.second, Pipe::All) == 0);
  CHECK(replaced(one.second, Pipe::MTE2) == 1);
  CHECK(replaced(one.second + 2, Pipe::V) == 1); // behind the reader
}

TEST_CASE("edited program: copies of a loop's phases are edited alike") {
  Explained kernel(
      fourTiles("  for (int32_t i = 0; i < n; ++i) {\n    event_t e = (event_t) (i % 2 == 0 ? 0 : 1);\n"
                "    TLOAD(a, g);\n    set_flag(PIPE_MTE2, PIPE_V, e);\n    wait_flag(PIPE_MTE2, PIPE_V, e);\n"
                "    TADDS(b, a, 1.0f);\n    pipe_barrier(PIPE_ALL); // all\n  }\n"));
  const Program &untouched = kernel.file->kernels()[0].program();
  REQUIRE(untouched.steps.size() > untouched.kernel->blocks.size());
  EditedProgram edited(kernel.module.kernels[0], machineOf("a3"), {}, {{kernel.site("// all")}, std::nullopt});
  for (const std::vector<Event> &events : edited.program().steps)
    for (const Event &event : events)
      CHECK(event.site != kernel.site("// all"));
}

namespace {

std::vector<std::string> needed(const SyncEffect &effect) {
  std::vector<std::string> list;
  for (const SyncEffect::Needed &entry : effect.needed)
    list.push_back(shortForm(entry.conflict) + (entry.contested.empty() ? "" : " " + entry.contested));
  return list;
}

std::vector<std::string> otherwise(const SyncEffect &effect) {
  std::vector<std::string> list;
  for (const Evidence &evidence : effect.otherwise) {
    std::string text = shortForm(*evidence.conflict);
    for (std::uint32_t line : evidence.lines)
      text += " by " + std::to_string(line);
    list.push_back(text + (evidence.rule.empty() ? "" : " by " + evidence.rule));
  }
  return list;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("sync effect: what a barrier alone orders, and what is ordered otherwise too") {
  Explained kernel(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, a, 1.0f);\n" // 10 to 12
                             "  pipe_barrier(PIPE_V); // two\n  TADDS(d, a, 1.0f);\n  TADDS(b, d, 1.0f);\n"));
  SyncEffect one = syncEffect(*kernel.file, 0, {kernel.site("// one")});
  CHECK(one.kernel == "k");
  CHECK(needed(one) == Lines{"RAW 10 -> 12"});
  CHECK(otherwise(one) == Lines{"RAW 10 -> 14 by 13"});
  CHECK_FALSE(one.incomplete);
  SyncEffect two = syncEffect(*kernel.file, 0, {kernel.site("// two")});
  CHECK(needed(two) == Lines{}); // line 12 has no conflict with what follows
}

TEST_CASE("sync effect: a web is taken out as a whole") {
  Explained kernel(fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n"
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  TADDS(b, a, 1.0f);\n"
                             "  pipe_barrier(PIPE_ALL);\n  TADDS(c, a, 1.0f);\n"));
  SyncEffect effect = syncEffect(*kernel.file, 0, {kernel.site("// set"), kernel.site("// wait")});
  CHECK(needed(effect) == Lines{"RAW 10 -> 13"});
  CHECK(otherwise(effect) == Lines{"RAW 10 -> 15 by 14"});
}

TEST_CASE("sync effect: contested rules are named, and do not count") {
  Explained kernel(vectorKernel(productTiles(16, 16, "int8_t") +
                                "  TMATMUL(C, L, R);\n  pipe_barrier(PIPE_M); // acc\n  TMATMUL_ACC(C, C, L, R);\n"));
  CHECK(needed(syncEffect(*kernel.file, 0, {kernel.site("// acc")})) == Lines{"RAW 7 -> 9 m-accumulate-order"});
}

TEST_CASE("sync effect: agrees with the trials that decide, on every barrier of the corpus") {
  std::size_t allowed = 0, refused = 0;
  for (const std::string &folder : corpusFolders()) {
    std::string arch = folder.rfind("a5_", 0) == 0 ? "a5" : "a3";
    Explained kernel(readText(corpusPath(folder + "/kernel.cpp")), {}, "default", arch);
    for (SiteId site = 0; site < kernel.module.sites.size(); ++site)
      for (std::size_t k = 0; k < kernel.file->kernels().size(); ++k) {
        if (kernel.module.sites[site].kind != SyncKind::Barrier || !kernel.file->runsThrough(k, site))
          continue;
        INFO(folder << " line " << kernel.module.sites[site].line);
        const Pending::Trial trial = kernel.file->kernels()[k].whatIf({{site}, {}});
        SyncEffect effect = syncEffect(*kernel.file, k, {site});
        if (trial.allowed) {
          CHECK(effect.needed.empty());
          ++allowed;
        } else if (!trial.atEnd && !trial.fence) {
          CHECK_FALSE(effect.needed.empty());
          ++refused;
        }
      }
  }
  CHECK(allowed > 50);
  CHECK(refused > 50);
}

namespace {

/// "option: with --trust=library ...", in order.
std::vector<std::string> conditions(const Explained &kernel, const std::string &mark) {
  std::vector<std::string> list;
  for (const RemovalCondition &condition : kernel.sync(mark).conditions)
    list.push_back(std::string(removalConditionName(condition.kind)) + ": " + condition.text);
  return list;
}

bool has(const std::vector<std::string> &list, const std::string &part) {
  return std::any_of(list.begin(), list.end(), [&](const std::string &text) { return mentions(text, part); });
}

} // namespace

TEST_CASE("removal conditions: nothing but another sync, with its place") {
  Explained kernel(fourTiles("  TADDS(a, b, 1.0f); // first\n  TADDS(c, d, 1.0f);\n  pipe_barrier(PIPE_V); // one\n"
                             "  TADDS(d, b, 1.0f);\n  TADDS(c, a, 1.0f); // last\n"));
  std::vector<std::string> list = conditions(kernel, "// one");
  REQUIRE(list.size() == 1);
  // WAR on d and RAW on a: one window serves both.
  CHECK(list[0] == "none: but another sync that orders the same: a barrier of PIPE_V between line " +
                       std::to_string(kernel.line("// first") + 1) + " and line " +
                       std::to_string(kernel.line("// one") + 1));
}

TEST_CASE("removal conditions: options are tried") {
  std::string sum = rowsAt("x", 16, "0") + rowsAt("t", 16, "4096") + columnTile("s", "float", 16, 8192) +
                    columnTile("u", "float", 16, 12288) +
                    "  TROWSUM(s, x, t);\n  pipe_barrier(PIPE_V); // sum\n"
                    "  TADD(u, u, s);\n";
  CHECK(
      has(conditions(Explained(vectorKernel(sum)), "// sum"), "option: with --trust=library `ptosync opt` removes it"));
  std::string product =
      matrixTiles() + "  TMATMUL(c, l, r);\n  pipe_barrier(PIPE_M); // acc\n  TMATMUL_ACC(c, c, l, r);\n";
  std::vector<std::string> list = conditions(Explained(vectorKernel(product)), "// acc");
  CHECK(has(list, "option: with --m-accumulate-order (contested) `ptosync opt` removes it"));
  CHECK_FALSE(has(list, "--trust"));
  std::string idle = fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // idle\n  TADDS(c, d, 1.0f);\n");
  CHECK(has(conditions(Explained(idle, {}, "gu"), "// idle"), "option: with --patterns=all `ptosync opt` removes it"));
  CHECK(conditions(Explained(idle), "// idle").empty()); // it goes as it is
}

TEST_CASE("removal conditions: a cheaper barrier in the place of PIPE_ALL") {
  Explained narrow(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_ALL); // all\n  TADDS(c, a, 1.0f);\n"));
  CHECK(has(conditions(narrow, "// all"), "replace: pipe_barrier(PIPE_V) in its place would do"));
  Explained wide(fourTiles("  TLOAD(a, g);\n  pipe_barrier(PIPE_ALL); // all\n  TADDS(c, a, 1.0f);\n"));
  std::vector<std::string> list = conditions(wide, "// all");
  CHECK(has(list, "sync: what it orders could be ordered by a flag PIPE_MTE2 -> PIPE_V (1 pair)"));
  CHECK_FALSE(has(list, "in its place"));
}

TEST_CASE("removal conditions: one barrier for two, only if this one goes with it") {
  // a is needed behind the second barrier only: the first one could wait until there.
  Explained kernel(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, b, 2.0f);\n"
                             "  TADDS(d, a, 1.0f); // reader\n  pipe_barrier(PIPE_V); // two\n  TADDS(b, c, 1.0f);\n"));
  CHECK(has(conditions(kernel, "// one"),
            "join: one barrier in front of line " + std::to_string(kernel.line("// reader")) +
                " would do for this one and for the one at line " + std::to_string(kernel.line("// two"))));
  CHECK(has(conditions(kernel, "// two"), "for the one at line " + std::to_string(kernel.line("// one"))));
  // Each needed where it stands.
  Explained tight(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, a, 2.0f);\n"
                            "  pipe_barrier(PIPE_V); // two\n  TADDS(d, c, 1.0f);\n"));
  CHECK_FALSE(has(conditions(tight, "// one"), "join"));
  CHECK_FALSE(has(conditions(tight, "// two"), "join"));
}

TEST_CASE("removal conditions: separate storage, for a barrier and for a flag") {
  Explained barrier(fourTiles(rowsAt("x", 4, "8192") + rowsAt("y", 4, "8192") + rowsAt("z", 4, "12288") +
                              "  TADDS(z, x, 1.0f);\n  pipe_barrier(PIPE_V); // alias\n  TADDS(y, a, 1.0f);\n"
                              "  pipe_barrier(PIPE_ALL);\n  TADDS(b, y, 1.0f);\n"));
  CHECK(has(conditions(barrier, "// alias"), "storage: separate storage would do: y away from x (1024 bytes of UB)"));
  // Read under the other name: the sharing is the point.
  Explained view(fourTiles(rowsAt("x", 4, "8192") + rowsAt("y", 4, "8192") + rowsAt("z", 4, "12288") +
                           "  TADDS(z, x, 1.0f);\n  pipe_barrier(PIPE_V); // alias\n  TADDS(y, a, 1.0f);\n"
                           "  pipe_barrier(PIPE_ALL);\n  TADDS(b, x, 1.0f);\n"));
  CHECK_FALSE(has(conditions(view, "// alias"), "separate storage"));
}

TEST_CASE("removal conditions: none of a sync that a comment keeps") {
  Explained kernel(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // ptosync: keep(timing)\n"
                             "  TADDS(c, a, 1.0f);\n"));
  CHECK(conditions(kernel, "keep(timing)").empty());
}

namespace {

std::string answer(const std::string &text, const std::string &mark, OptimizeOptions options = {},
                   const std::string &patterns = "default") {
  return Explained(text, options, patterns).sync(mark).answer;
}

const std::string kFirst = "  TADDS(a, b, 1.0f); // first\n", kBarrier = "  pipe_barrier(PIPE_V); // sync\n",
                  kSecond = "  TADDS(c, a, 1.0f); // second\n";

} // namespace

TEST_CASE("explain sync: needed, with the plainest pair") {
  Explained kernel(fourTiles(kFirst + "  TADDS(d, b, 1.0f);\n" + kBarrier + "  TADDS(b, c, 2.0f);\n" + kSecond));
  SyncExplanation explained = kernel.sync("// sync");
  std::string first = std::to_string(kernel.line("// first")), second = std::to_string(kernel.line("// second"));
  // The true dependence, though another pair comes first in the text.
  CHECK(explained.answer == "Needed: without it nothing makes line " + second + " TADDS(c, a, 1.0f) wait for line " +
                                first +
                                " TADDS(a, b, 1.0f) (RAW on UB [0, 1024)), and 2 further pairs would be unordered");
  REQUIRE(explained.effects.size() == 1);
  CHECK(explained.effects[0].needed.size() == 3);
  CHECK(explained.decision.reason == KeptReason::Hazard);
}

TEST_CASE("explain sync: not needed") {
  CHECK(answer(fourTiles(kFirst + kBarrier + "  TADDS(c, d, 1.0f);\n"), "// sync") ==
        "Not needed: `ptosync opt` removes it [redundant-pipe-v]; it orders nothing");
  std::string twice =
      fourTiles(kFirst + kBarrier + "  TADDS(d, b, 1.0f);\n  pipe_barrier(PIPE_V); // other\n" + kSecond);
  // Alone neither is missed; the first one is tried first and goes, so the second one stays.
  CHECK(
      answer(twice, "// sync") ==
      "Not needed: `ptosync opt` removes it [redundant-pipe-v]; what it orders, 1 conflict, is ordered otherwise too");
  CHECK(answer(twice, "// other")
            .rfind("Needed: taken out alone it would leave nothing unordered, but what else orders", 0) == 0);
}

TEST_CASE("explain sync: a statement of a flag explains its web") {
  Explained kernel(fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n"
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  TADDS(b, a, 1.0f);\n"));
  SyncExplanation explained = kernel.sync("// set");
  CHECK(explained.web == "flag PIPE_MTE2 -> PIPE_V, id 0");
  REQUIRE(explained.statements.size() == 2);
  CHECK(explained.statements[1].line == kernel.line("// wait"));
  CHECK(mentions(explained.answer, "Needed: without it nothing makes line"));
  CHECK(kernel.sync("// wait").answer == explained.answer);
}

TEST_CASE("explain sync: flags that are faulty, moved or removed") {
  std::string faulty =
      fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n  TADDS(b, c, 1.0f);\n");
  CHECK(mentions(answer(faulty, "// set"), "Kept, because its flag is not seen to be balanced: "));
  std::string early = fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                                "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  TADDS(c, d, 1.0f);\n"
                                "  TADDS(b, a, 1.0f); // reader\n");
  CHECK(answer(early, "// wait") == "Needed, but not here: `ptosync opt` moves it in front of line " +
                                        std::to_string(lineOf(early, "// reader")) + " [sink-wait]");
  std::string idle = fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n"
                               "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  TADDS(b, c, 1.0f);\n");
  CHECK(answer(idle, "// set") == "Not needed: `ptosync opt` removes it [redundant-flag]; it orders nothing");
}

TEST_CASE("explain sync: kept for other reasons") {
  std::string kept = fourTiles(kFirst + "  pipe_barrier(PIPE_V); // ptosync: keep(timing)\n  TADDS(c, d, 1.0f);\n");
  CHECK(answer(kept, "keep(timing)") == "Kept whatever it orders: a keep comment holds it: timing");
  CHECK(answer(fourTiles(kFirst + kBarrier + "  TADDS(c, d, 1.0f);\n"), "// sync", {}, "none") ==
        "Not tried: no enabled pattern matches");
  std::string unknown = fourTiles("  TFROBNICATE(a);\n  pipe_barrier(PIPE_ALL); // sync\n" + kSecond);
  CHECK(mentions(answer(unknown, "// sync"),
                 "wait for line " + std::to_string(lineOf(unknown, "TFROBNICATE")) + " TFROBNICATE(a)"));
  std::string fifo = readText(corpusPath("fifo_fences/kernel.cpp"));
  CHECK(mentions(answer(fifo, "pipe_barrier(PIPE_MTE3);"), "one of which is opaque, in order"));
}

TEST_CASE("explain sync: what is open anyway is suspected, not needed") {
  // Which of the two addresses is written is not known: the pair is open with the barrier of another pipe too.
  Explained kernel(fourTiles("  TLOAD(a, g);\n  if (n > 3) {\n    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                             "    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  }\n  TADDS(b, a, 1.0f);\n"));
  SyncExplanation explained = kernel.sync("// wait");
  REQUIRE(explained.effects.size() == 1);
  CHECK(explained.effects[0].needed.empty());
  CHECK(explained.effects[0].suspected.size() == 1);
  CHECK(mentions(explained.answer, "which the analysis does not see ordered even with it"));
}
