#include "compare/compared.h"

using namespace ptosync;
using namespace ptosync::test;

using compare::Family;

namespace {

std::string outlineText(const std::string &body) {
  Module module = lift(vectorKernel(body));
  const Kernel &kernel = module.kernels.at(0);
  replay::LoopNest nest(kernel);
  std::string text;
  for (const compare::OutlineItem &item : compare::outlineOf(kernel, nest, machineOf("a3")).items)
    text += (text.empty() ? "" : " ") + (item.family == Family::Boundary ? "|" : item.kind) +
            (item.loop == kNone ? "" : "'");
  const std::string end = " pipe_barrier(PIPE_ALL) dsb"; // of vectorKernel
  REQUIRE(text.size() >= end.size());
  REQUIRE(text.substr(text.size() - end.size()) == end);
  return text.substr(0, text.size() - end.size());
}

} // namespace

TEST_CASE("outline: statements in reading order, scalar code left out") {
  CHECK(outlineText(threeTiles() +
                    "  int32_t i = 3;\n  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TEXP(v2, v1);\n") ==
        "TADDS pipe_barrier(PIPE_V) TEXP");
}

TEST_CASE("outline: a loop's body stands in front of what follows the loop, an arm in front of the join") {
  CHECK(outlineText(threeTiles() +
                    "  for (int32_t i = 0; i < n; ++i) {\n    TADDS(v1, v1, 1.0f);\n  }\n  TEXP(v2, v2);\n") ==
        "|' |' TADDS' | TEXP");
  CHECK(outlineText(threeTiles() +
                    "  if (n > 3) {\n    TADDS(v1, v1, 1.0f);\n  } else {\n    TMULS(v1, v1, 2.0f);\n  }\n"
                    "  TEXP(v2, v2);\n") == "| TADDS | TMULS | TEXP");
}

TEST_CASE("outline: the kind of a flag has no event id") {
  CHECK(outlineText(threeTiles() +
                    "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);\n") ==
        "set_flag(PIPE_V, PIPE_MTE3) wait_flag(PIPE_V, PIPE_MTE3)");
}

TEST_CASE("outline: the kinds of instructions in a loop, inner loops included") {
  Module module =
      lift(vectorKernel(threeTiles() + "  for (int32_t i = 0; i < n; ++i) {\n    TADDS(v1, v1, 1.0f);\n"
                                       "    for (int32_t j = 0; j < n; ++j) {\n      TEXP(v2, v2);\n    }\n  }\n"));
  replay::LoopNest nest(module.kernels.at(0));
  compare::Outline outline = compare::outlineOf(module.kernels.at(0), nest, machineOf("a3"));
  REQUIRE(outline.loops.size() == 2);
  CHECK(outline.outermost == std::vector<std::size_t>{0});
  CHECK(outline.loops[0].inner == std::vector<std::size_t>{1});
  CHECK(outline.loops[0].contents == std::map<std::string, double>{{"TADDS", 1}, {"TEXP", 1}});
  CHECK(outline.loops[1].contents == std::map<std::string, double>{{"TEXP", 1}});
}

TEST_CASE("outline: calls that signal and calls on FIFOs are counted apart") {
  Module module = lift(readText(corpusPath("flash_attention/kernel.cpp")));
  std::set<std::pair<Family, std::string>> found;
  for (const Kernel &kernel : module.kernels) {
    replay::LoopNest nest(kernel);
    for (const compare::OutlineItem &item : compare::outlineOf(kernel, nest, machineOf("a3")).items)
      found.emplace(item.family, item.kind);
  }
  CHECK(found.count({Family::Fifo, "TPUSH"}) == 1);
  CHECK(found.count({Family::Instruction, "TADD"}) == 1);
  CHECK(found.count({Family::Sync, "end fence"}) == 1);
}

using compare::likeness;

namespace {

/// Loops side by side with these instructions; "ab" is one with a and b.
compare::Outline loops(const std::vector<std::string> &contents) {
  compare::Outline outline;
  for (const std::string &names : contents) {
    compare::OutlineLoop loop;
    for (char name : names)
      ++loop.contents[std::string(1, name)];
    outline.outermost.push_back(outline.loops.size());
    outline.loops.push_back(std::move(loop));
  }
  return outline;
}

std::string matched(const compare::Outline &a, const compare::Outline &b) {
  std::string text;
  for (const compare::LoopPair &pair : compare::matchLoops(a, b)) {
    auto name = [](const std::optional<std::size_t> &loop) { return loop ? std::to_string(*loop) : std::string("-"); };
    text += (text.empty() ? "" : " ") + name(pair.a) + name(pair.b);
  }
  return text;
}

} // namespace

TEST_CASE("loop match: how alike two mixes are") {
  CHECK(likeness({}, {}) == 1);
  CHECK(likeness({{"a", 1}}, {}) == 0);
  CHECK(likeness({{"a", 1}, {"b", 2}}, {{"a", 2}, {"b", 4}}) == Approx(1)); // unrolled
  CHECK(likeness({{"a", 1}}, {{"b", 1}}) == 0);
}

TEST_CASE("loop match: in order, by what is in them") {
  CHECK(matched(loops({"ab", "cd"}), loops({"ab", "cd"})) == "00 11");
  CHECK(matched(loops({"ab", "cd"}), loops({"cd"})) == "0- 10");
  CHECK(matched(loops({"cd"}), loops({"ab", "cd"})) == "-0 01");
  CHECK(matched(loops({"ab"}), loops({"cd"})) == "0- -0");
  CHECK(matched(loops({"ab", "ab"}), loops({"abab", "ab"})) == "00 11");
  CHECK(matched(loops({""}), loops({""})) == "00");
}

TEST_CASE("loop match: what is inside is matched within what is matched around it") {
  compare::Outline a = loops({"ab", "b"});
  a.outermost = {0};
  a.loops[0].inner = {1};
  CHECK(matched(a, a) == "00 11");
  CHECK(matched(a, loops({"xy"})) == "0- 1- -0");
}

namespace {

/// "8: TADDS>TEXP x1" for each sync the run executes, by line.
std::string pairsOf(const std::string &body) {
  TimedModule timed(vectorKernel(body));
  std::map<std::uint32_t, std::string> lines;
  for (const auto &[statement, run] : compare::orderedPairs(timed.kernels.at(0))) {
    auto name = [](const Statement *other) { return std::get<Instruction>(other->action).name; };
    lines[statement->line] = (run.pair.empty() ? std::string("nothing")
                                               : name(run.pair.earlier) + ">" + name(run.pair.later) +
                                                     (run.pair.carried ? " carried" : "")) +
                             " x" + std::to_string(static_cast<int>(run.executions));
  }
  lines.erase(std::prev(lines.end())); // the end of vectorKernel
  std::string text;
  for (const auto &[line, pair] : lines)
    text += (text.empty() ? "" : "; ") + std::to_string(line) + ": " + pair;
  return text;
}

} // namespace

TEST_CASE("ordered pairs: the nearest two that conflict, on both sides of the barrier") {
  CHECK(pairsOf(threeTiles() + "  TADDS(v1, v1, 1.0f);\n"
                               "  TEXP(v2, v2);\n"
                               "  pipe_barrier(PIPE_V);\n" // line 9
                               "  TMULS(v3, v3, 2.0f);\n"
                               "  TSQRT(v1, v1);\n") == "9: TADDS>TSQRT x1");
}

TEST_CASE("ordered pairs: nothing where no data is shared") {
  CHECK(pairsOf(threeTiles() + "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TEXP(v2, v2);\n") ==
        "8: nothing x1");
}

TEST_CASE("ordered pairs: another barrier takes nothing away") {
  CHECK(pairsOf(threeTiles() +
                "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  pipe_barrier(PIPE_ALL);\n  TEXP(v1, v1);\n") ==
        "8: TADDS>TEXP x1; 9: TADDS>TEXP x1");
}

TEST_CASE("ordered pairs: a set and its wait have the same, across pipes") {
  std::string tensorText = tensor("g", "out", "0");
  CHECK(pairsOf(threeTiles() + tensorText +
                "  TADDS(v1, v1, 1.0f);\n"
                "  TEXP(v2, v2);\n"
                "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                "  TSTORE(g, v1);\n") == "10: TADDS>TSTORE x1; 11: TADDS>TSTORE x1");
}

TEST_CASE("ordered pairs: round a loop") {
  CHECK(pairsOf(threeTiles() + "  for (int32_t i = 0; i < 4; ++i) {\n"
                               "    TADDS(v1, v1, 1.0f);\n"
                               "    pipe_barrier(PIPE_V);\n" // line 9
                               "  }\n") == "9: TADDS>TADDS carried x4");
}

namespace {

std::string changed(const std::string &a, const std::string &b) {
  ComparedTexts texts(vectorKernel(threeTiles() + a), vectorKernel(threeTiles() + b));
  return texts.changes();
}

const std::string kAdd = "  TADDS(v1, v1, 1.0f);\n", kExp = "  TEXP(v1, v1);\n", kSqrt = "  TSQRT(v1, v1);\n",
                  kOther = "  TMULS(v3, v3, 2.0f);\n", kBarrier = "  pipe_barrier(PIPE_V);\n";

std::string loop(const std::string &body, int trips) {
  return "  for (int32_t i = 0; i < " + std::to_string(trips) + "; ++i) {\n" + body + "  }\n";
}

} // namespace

TEST_CASE("sync match: a text is the same as itself") {
  std::string text = kAdd + kBarrier + kExp + kBarrier + kSqrt + loop(kAdd + kBarrier + kExp + kBarrier, 4);
  CHECK(changed(text, text).empty());
}

TEST_CASE("sync match: what is gone from A is new the other way round") {
  std::string both = kAdd + kBarrier + kExp + kBarrier + kSqrt, one = kAdd + kBarrier + kExp + kSqrt;
  CHECK(changed(both, one) == "gone pipe_barrier(PIPE_V) TEXP>TSQRT 10>-");
  CHECK(changed(one, both) == "new pipe_barrier(PIPE_V) TEXP>TSQRT ->10");
}

TEST_CASE("sync match: among equal ones the right one is gone") {
  std::string three = kAdd + kBarrier + kAdd + kBarrier + kAdd + kBarrier + kAdd;
  CHECK(changed(three, kAdd + kBarrier + kAdd + kAdd + kBarrier + kAdd) ==
        "gone pipe_barrier(PIPE_V) TADDS>TADDS 10>-");
}

TEST_CASE("sync match: what orders the same from another place has moved") {
  CHECK(changed(kAdd + kBarrier + kOther + kExp, kAdd + kOther + kBarrier + kExp) ==
        "moved pipe_barrier(PIPE_V) TADDS>TEXP 8>9");
}

TEST_CASE("sync match: into a branch is elsewhere, though no instruction lies between") {
  CHECK(changed(kAdd + kBarrier + "  if (n > 0) {\n" + kExp + "  }\n",
                kAdd + "  if (n > 0) {\n" + kBarrier + kExp + "  }\n") == "moved pipe_barrier(PIPE_V) TADDS>TEXP 8>9");
}

TEST_CASE("sync match: another instruction beside it moves nothing") {
  CHECK(changed(kAdd + kBarrier + kExp, kAdd + kOther + kBarrier + kOther + kExp).empty());
}

TEST_CASE("sync match: a barrier of every pipe in the place of one sync is that sync, widened") {
  const std::string all = "  pipe_barrier(PIPE_ALL);\n";
  CHECK(changed(kAdd + kBarrier + kExp, kAdd + all + kExp) == "widened pipe_barrier(PIPE_ALL) TADDS>TEXP 8>8");
  CHECK(changed(kAdd + all + kExp, kAdd + kBarrier + kExp) == "narrowed pipe_barrier(PIPE_V) TADDS>TEXP 8>8");
  CHECK(changed(kAdd + kBarrier + kExp, kAdd + kExp + all) ==
        "gone pipe_barrier(PIPE_V) TADDS>TEXP 8>-; new pipe_barrier(PIPE_ALL) ->10"); // another place
}

TEST_CASE("sync match: past another sync, or past scalar code, is elsewhere") {
  const std::string one = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
                    two = "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n",
                    waits = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n",
                    scalar = "  int32_t x = n + 1;\n", use = "  TADDS(v3, v3, (float) x);\n";
  CHECK(changed(kAdd + one + two + waits, kAdd + two + one + waits).rfind("moved set_flag(PIPE_V, PIPE_MTE", 0) == 0);
  CHECK(changed(kAdd + kBarrier + scalar + kExp + use, kAdd + scalar + kBarrier + kExp + use) ==
        "moved pipe_barrier(PIPE_V) TADDS>TEXP 8>9");
  // Other scalar code is no matter.
  CHECK(changed(kAdd + kBarrier + kExp, kAdd + scalar + kBarrier + kExp) == "");
}

TEST_CASE("sync match: the other half of a flag that is gone stays the same, and so do those behind it") {
  const std::string set = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
                    wait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n", store = tensor("g", "out", "0"),
                    put = "  TSTORE(g, v1);\n";
  const std::string again = kAdd + set + wait + put;
  CHECK(changed(store + kAdd + set + wait + put + again, store + kAdd + wait + put + again) ==
        "gone set_flag(PIPE_V, PIPE_MTE3) TADDS>TSTORE 9>-");
  CHECK(changed(store + kAdd + set + wait + put + again, store + kAdd + set + put + again) ==
        "gone wait_flag(PIPE_V, PIPE_MTE3) TADDS>TSTORE 10>-");
}

TEST_CASE("sync match: among equal ones in one place, the order of the others tells which is new") {
  const std::string wait = "  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n";
  CHECK(changed(kAdd + wait + kBarrier + kExp, kAdd + kBarrier + wait + kBarrier + kExp) ==
        "new pipe_barrier(PIPE_V) TADDS>TEXP ->8");
  CHECK(changed(kAdd + kBarrier + kExp + wait + kBarrier + kSqrt, kAdd + kExp + kBarrier + wait + kBarrier + kSqrt) ==
        "changed pipe_barrier(PIPE_V) TEXP>TSQRT 8>9");
}

TEST_CASE("sync match: a few instructions away, ordering others, it has changed; farther it is another one") {
  const std::string chain = kAdd + kExp + kAdd + kExp + kAdd + kExp;
  CHECK(changed(kAdd + kBarrier + kExp + kSqrt, kAdd + kExp + kBarrier + kSqrt) ==
        "changed pipe_barrier(PIPE_V) TEXP>TSQRT 8>9");
  CHECK(changed(kAdd + kBarrier + chain + kSqrt, kAdd + chain + kBarrier + kSqrt).rfind("gone ", 0) == 0);
}

TEST_CASE("sync match: a loop unrolled twice has copies, nothing new") {
  std::string once = kAdd + kBarrier + kExp;
  std::string text = changed(loop(once, 8), loop(once + once, 4));
  CAPTURE(text);
  CHECK(text.find("new") == std::string::npos);
  CHECK(text.find("gone") == std::string::npos);
  CHECK(changed(loop(once + once, 4), loop(once, 8)).find("gone") == std::string::npos);
}

TEST_CASE("sync match: unrolled, and the machine orders the chain within an iteration") {
  auto longKernel = [](const std::string &body) { return vectorKernel(tile("v1", "float", 16, 64, 0) + body); };
  std::string once = kAdd + kBarrier + kExp;
  ComparedTexts texts(longKernel(loop(once, 8)), longKernel(loop(once + once, 4)));
  CHECK(texts.kernel().count(compare::MatchKind::New) == 0);
  CHECK(texts.kernel().count(compare::MatchKind::Gone) == 0);
}

TEST_CASE("sync match: a wait whose set has moved is changed, its set has moved") {
  std::string load = "  TADDS(v1, v1, 1.0f);\n", set = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
              wait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
              store = tensor("g", "out", "0") + "  TSTORE(g, v1);\n";
  CHECK(changed(load + set + kOther + wait + store, load + kOther + set + wait + store) ==
        "moved set_flag(PIPE_V, PIPE_MTE3) TADDS>TSTORE 8>9");
}

TEST_CASE("sync match: a wait that sank behind other work is the one of its set") {
  std::string set = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
              wait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
              tensors = tensor("g", "out", "0") + tensor("h", "out", "1"), first = "  TSTORE(g, v1);\n",
              second = "  TSTORE(h, v3);\n";
  CHECK(changed(tensors + kAdd + kOther + set + wait + first + second,
                tensors + kAdd + kOther + set + first + wait + second) ==
        "moved wait_flag(PIPE_V, PIPE_MTE3) TMULS>TSTORE 12>13");
}

TEST_CASE("sync match: a loop unrolled to its end has copies, nothing new") {
  std::string once = kAdd + kBarrier + kExp, four = once + once + once + once;
  std::string text = changed(loop(once, 4), four);
  CAPTURE(text);
  CHECK(text.find("new") == std::string::npos);
  CHECK(text.find("gone") == std::string::npos);
  CHECK(text.find("copies") == 0);
}

TEST_CASE("sync match: out of a loop runs less often, so that it is no copy") {
  std::string inside = kAdd + loop(kOther + kBarrier, 4) + kExp, outside = kAdd + loop(kOther, 4) + kBarrier + kExp;
  std::string text = changed(inside, outside);
  CHECK(text.find("copies") == std::string::npos);
  CHECK_FALSE(text.empty());
}
