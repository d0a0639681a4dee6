#include "base/messages.h"
#include "rewrite/sync_edits.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Of the first line of a kernel's body.
std::vector<EditComment> readLine(const std::string &line) {
  return editCommentsOn(lift(vectorKernel(line + "\n")), kBodyLine);
}

} // namespace

TEST_CASE("edit comment: a removed sync with its pattern and the reason") {
  std::vector<EditComment> found =
      readLine("  /* ptosync: removed set_flag(PIPE_V, PIPE_S, v[3]) [gu: flags at 4, 8 and 9] */ // x");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == EditComment::Kind::Removed);
  CHECK(found[0].statement == "set_flag(PIPE_V, PIPE_S, v[3])");
  CHECK(found[0].pattern == "gu");
  CHECK(found[0].reason == "flags at 4, 8 and 9");
}

TEST_CASE("edit comment: comments of older versions have no reason") {
  std::vector<EditComment> found = readLine("  /* ptosync: removed pipe_barrier(PIPE_V) [gu] */");
  REQUIRE(found.size() == 1);
  CHECK(found[0].pattern == "gu");
  CHECK(found[0].reason.empty());
  found = readLine("  /* ptosync: removed pipe_barrier(PIPE_V) */");
  REQUIRE(found.size() == 1);
  CHECK(found[0].statement == "pipe_barrier(PIPE_V)");
  CHECK(found[0].pattern.empty());
}

TEST_CASE("edit comment: moved ones") {
  std::vector<EditComment> found =
      readLine("  /* ptosync: moved to lines 4 and 9: wait_flag(A, B, C) [sink-into-arms] */ pipe_barrier(PIPE_V); "
               "// ptosync: moved from line 60 of the input [sink-wait]");
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == EditComment::Kind::MovedTo);
  CHECK(found[0].lines == "lines 4 and 9");
  CHECK(found[0].statement == "wait_flag(A, B, C)");
  CHECK(found[0].pattern == "sink-into-arms");
  CHECK(found[1].kind == EditComment::Kind::MovedFrom);
  CHECK(found[1].lines == "line 60 of the input");
  CHECK(found[1].pattern == "sink-wait");
}

TEST_CASE("edit comment: a sync that was added says what it orders") {
  std::vector<EditComment> found =
      readLine("  pipe_barrier(PIPE_V); // ptosync: orders the write of v3 (line 20) before the read at line 23");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == EditComment::Kind::Added);
  CHECK(found[0].reason == "orders the write of v3 (line 20) before the read at line 23");
  CHECK(found[0].statement.empty());
}

TEST_CASE("edit comment: other comments, strings and lines are none") {
  CHECK(readLine("  // ptosync: keep(removed by hand)\n  pipe_barrier(PIPE_V);").empty());
  CHECK(readLine("  const char *t = \"/* ptosync: removed x [y] */\";").empty());
  CHECK(readLine("\n  /* ptosync: removed pipe_barrier(PIPE_V) [gu] */").empty());
}

namespace {

using Numbers = std::vector<std::uint32_t>;

/// The old lines of a kernel's body, as if the body began at line 1.
Numbers oldLines(const std::string &body, const std::string *before = nullptr) {
  const Module after = lift(vectorKernel(body)), input = lift(vectorKernel(before ? *before : ""));
  const OldLines lines(after, before ? &input : nullptr);
  Numbers old;
  for (std::uint32_t line = kBodyLine; line < kBodyLine + std::count(body.begin(), body.end(), '\n'); ++line)
    old.push_back(lines.before(line) - kBodyLine + 1);
  return old;
}

const std::string kSet = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);",
                  kWait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);",
                  kOrders = " // ptosync: orders the write of v3 (line 20) before the read at line 23\n",
                  kOwn = "  ;\n";

/// Of a move from the line of the body.
std::string from(unsigned line) {
  return "ptosync: moved from line " + std::to_string(kBodyLine + line - 1) + " of the input [sink-wait]";
}

} // namespace

TEST_CASE("old lines: a moved sync took its line along, a removed one left it") {
  const std::string removed = "  /* ptosync: removed pipe_barrier(PIPE_V) [gu] */\n";
  CHECK(oldLines(kOwn + kOwn + kWait + " // " + from(2) + "\n" + kOwn + removed + kOwn) == Numbers{1, 3, 2, 4, 5, 6});
  // Two lines of it: it left as many, with a comment.
  const std::string two = "  wait_flag(PIPE_V,\n            PIPE_MTE3, EVENT_ID0);";
  const std::string left = "  /* ptosync: moved to line 9: wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [sink-wait] */";
  CHECK(oldLines(left + "\n\n" + kOwn + two + " // " + from(1) + "\n" + kOwn) == Numbers{1, 2, 3, 1, 1, 4});
  // It was not alone on its line, and it is not on the one where it has come to.
  CHECK(oldLines(left + " ;\n" + kOwn + kWait + " // " + from(1) + "\n" + kOwn) == Numbers{1, 2, 1, 3});
  CHECK(oldLines(kOwn + "  ;" + kWait + " /* " + from(2) + " */ ;\n" + kOwn) == Numbers{1, 3, 4});
  // One left its line, and the line below it another one.
  CHECK(oldLines(left + " ;\n" + kOwn + kWait + " // " + from(2) + "\n" + kSet + " // " + from(1) + "\n" + kOwn) ==
        Numbers{2, 3, 2, 1, 4});
  // It has gone since.
  CHECK(oldLines(kOwn + kOwn + removed.substr(0, removed.size() - 1) + " // " + from(2) + "\n" + kOwn) ==
        Numbers{1, 3, 2, 4});
}

TEST_CASE("old lines: an added sync stands in front of the line that it is given") {
  CHECK(oldLines(kOwn + kSet + kOrders + kOwn) == Numbers{1, 2, 2});
  CHECK(oldLines(kOwn + "  if (n == 0) {\n  " + kSet + kOrders + "  }\n" + kOwn) == Numbers{1, 2, 2, 2, 2});
  // An `if` of the input's own, around more.
  CHECK(oldLines("  if (n == 0) {\n  " + kSet + kOrders + "  " + kOwn + "  }\n" + kOwn) == Numbers{1, 2, 2, 3, 4});
  CHECK(oldLines("  if (n == 0)\n  {\n  " + kSet + kOrders + "  }\n") == Numbers{1, 2, 3, 3});
}

TEST_CASE("old lines: what the input said before it was edited is its own") {
  const std::string before = kOwn + kWait + " // " + from(9) + "\n" + kSet + kOrders + kOwn;
  CHECK(oldLines(before, &before) == Numbers{1, 2, 3, 4});
  CHECK(oldLines(before + kSet + kOrders, &before) == Numbers{1, 2, 3, 4, 5});
  const std::string another = " // ptosync: orders the write of v4 (line 20) before the read at line 24\n";
  CHECK(oldLines(kSet + another + before, &before) == Numbers{1, 1, 2, 3, 4});
}

namespace {

/// A text in which statements are named by how they begin; the first occurrence counts.
struct Text {
  explicit Text(std::string text) { module.source = SourceText("k.cpp", std::move(text)); }

  std::uint32_t at(const std::string &begin) const {
    std::size_t found = module.source.text().find(begin);
    REQUIRE(found != std::string::npos);
    return static_cast<std::uint32_t>(found);
  }
  SiteId site(const std::string &statement) {
    SyncSite site;
    site.text = statement.substr(0, statement.find(';'));
    site.range = {at(statement), at(statement) + static_cast<std::uint32_t>(statement.size())};
    site.line = module.source.position(site.range.begin).line;
    module.sites.push_back(site);
    return static_cast<SiteId>(module.sites.size() - 1);
  }
  Text &remove(const std::string &statement, const std::string &pattern = "p",
               std::vector<SyncPlan::Reliance> reason = {}) {
    plan.removed[site(statement)] = {pattern, std::move(reason)};
    return *this;
  }
  Text &move(const std::string &statement, const std::string &before, const std::string &pattern = "q") {
    SyncPlan::Move &move = plan.moved[site(statement)];
    TextPlace place = placeInFront(module.source, at(before));
    place.rank = moves++;
    move.places.push_back(place);
    move.pattern = pattern;
    return *this;
  }
  std::string apply() const {
    llvm::Expected<std::string> result = patchedText(module, plan);
    return result ? *result : "error: " + llvm::toString(result.takeError());
  }

  Module module;
  SyncPlan plan;
  std::uint32_t moves = 0;
};

} // namespace

TEST_CASE("sync edits: a statement alone on its line takes the line with it") {
  CHECK(Text("{\n  wait;\n  a();\n  b();\n}\n").move("wait;", "b()").apply() ==
        "{\n  a();\n  wait; // ptosync: moved from line 2 of the input [q]\n  b();\n}\n");
  CHECK(Text("{\n  a();\n  b();\n  set;\n}\n").move("set;", "b()").apply() ==
        "{\n  a();\n  set; // ptosync: moved from line 4 of the input [q]\n  b();\n}\n");
  CHECK(Text("  wait;\n  a();\n").move("wait;", "a()", "").apply() ==
        "  wait; // ptosync: moved from line 1 of the input\n  a();\n");
}

TEST_CASE("sync edits: it takes the indentation of its new place") {
  CHECK(Text("\twait;\n      a();\n").move("wait;", "a()").apply() ==
        "      wait; // ptosync: moved from line 1 of the input [q]\n      a();\n");
  CHECK(Text("  wait;\na();\n").move("wait;", "a()").apply() ==
        "wait; // ptosync: moved from line 1 of the input [q]\na();\n");
}

TEST_CASE("sync edits: line ends are those of the new place") {
  CHECK(Text("  wait;\r\n  a();\r\n  b();\r\n").move("wait;", "b()").apply() ==
        "  a();\r\n  wait; // ptosync: moved from line 1 of the input [q]\r\n  b();\r\n");
  CHECK(Text("  a();\n  wait;\r\n  b();\n  c();").move("wait;", "c()").apply() ==
        "  a();\n  b();\n  wait; // ptosync: moved from line 2 of the input [q]\n  c();"); // the last line has no end
}

TEST_CASE("sync edits: what shares its line leaves a comment and its neighbours") {
  CHECK(Text("  wait; // why\n  a();\n  b();\n").move("wait;", "b()").apply() ==
        "  /* ptosync: moved to line 3: wait [q] */ // why\n  a();\n  wait; // ptosync: moved from line 1 of the input "
        "[q]\n  b();\n");
  CHECK(Text("  x(); wait; y();\n  b();\n").move("wait;", "b()").apply() ==
        "  x(); /* ptosync: moved to line 2: wait [q] */ y();\n  wait; // ptosync: moved from line 1 of the input "
        "[q]\n  b();\n");
  CHECK(Text("  wait; wait2;\n  b();\n").move("wait;", "b()").remove("wait2;").apply() ==
        "  /* ptosync: moved to line 2: wait [q] */ /* ptosync: removed wait2 [p] */\n"
        "  wait; // ptosync: moved from line 1 of the input [q]\n  b();\n");
}

TEST_CASE("sync edits: a place in the middle of a line") {
  CHECK(Text("  wait;\n  a(); b();\n").move("wait;", "b()").apply() ==
        "  a(); wait; /* ptosync: moved from line 1 of the input [q] */ b();\n");
  CHECK(Text("  if (n) { b(); }\n  wait;\n").move("wait;", "b()").apply() ==
        "  if (n) { wait; /* ptosync: moved from line 2 of the input [q] */ b(); }\n");
}

TEST_CASE("sync edits: a statement of several lines moves as it is") {
  CHECK(Text("  wait(a,\n       b);\n  c();\n").move("wait(a,\n       b);", "c()").apply() ==
        "  /* ptosync: moved to line 3: wait(a, b) [q] */\n\n  wait(a,\n       b); // ptosync: moved from line 1 of "
        "the input [q]\n "
        " c();\n");
}

TEST_CASE("sync edits: several arrivals at one place stand in the order given") {
  Text text("  w1;\n  w2;\n  w3;\n  a();\n  b();\n");
  text.move("w2;", "b()").move("w1;", "b()").move("w3;", "b()");
  CHECK(text.apply() == "  a();\n  w2; // ptosync: moved from line 2 of the input [q]\n  w1; // ptosync: moved from "
                        "line 1 of the input [q]\n"
                        "  w3; // ptosync: moved from line 3 of the input [q]\n  b();\n");
  CHECK(Text("  w1;\n  w2;\n  a(); b();\n").move("w1;", "b()").move("w2;", "b()").apply() ==
        "  a(); w1; /* ptosync: moved from line 1 of the input [q] */ w2; /* ptosync: moved from line 2 of the input "
        "[q] */ b();\n");
}

TEST_CASE("sync edits: a place whose own statement goes or moves") {
  CHECK(Text("  w1;\n  a();\n  w2;\n  b();\n").move("w1;", "w2;").remove("w2;").apply() ==
        "  a();\n  w1; // ptosync: moved from line 1 of the input [q]\n  /* ptosync: removed w2 [p] */\n  b();\n");
  CHECK(Text("  w1;\n  a();\n  w2;\n  c();\n  b();\n").move("w1;", "w2;").move("w2;", "b()").apply() ==
        "  a();\n  w1; // ptosync: moved from line 1 of the input [q]\n  c();\n  w2; // ptosync: moved from line 3 of "
        "the input [q]\n  b();\n");
  // Two arrive where one leaves; and where the one that leaves shares its line.
  CHECK(Text("  w0;\n  w1;\n  a();\n\tw2;\n  c();\n  b();\n")
            .move("w0;", "w2;")
            .move("w1;", "w2;")
            .move("w2;", "b()")
            .apply() == "  a();\n\tw0; // ptosync: moved from line 1 of the input [q]\n\tw1; // ptosync: moved from "
                        "line 2 of the input [q]\n  c();\n"
                        "  w2; // ptosync: moved from line 4 of the input [q]\n  b();\n");
  CHECK(Text("  w1;\n  a();\n  w2; // x\n  c();\n  b();\n").move("w1;", "w2;").move("w2;", "b()").apply() ==
        "  a();\n  w1; // ptosync: moved from line 1 of the input [q]\n  /* ptosync: moved to line 5: w2 [q] */ // x\n "
        " c();\n"
        "  w2; // ptosync: moved from line 3 of the input [q]\n  b();\n");
}

TEST_CASE("sync edits: neighbouring lines without indentation") {
  CHECK(Text("wait;\na();\nset;\nb();\n").move("wait;", "set;").move("set;", "a()").apply() ==
        "set; // ptosync: moved from line 3 of the input [q]\na();\nwait; // ptosync: moved from line 1 of the input "
        "[q]\nb();\n");
}

TEST_CASE("sync edits: a removed sole body leaves an empty statement") {
  Text text("  if (n) wait;\n  set;\n  b();\n");
  text.remove("wait;").move("set;", "b()");
  text.module.sites[0].soleBody = true;
  CHECK(text.apply() ==
        "  if (n) /* ptosync: removed wait [p] */;\n  set; // ptosync: moved from line 2 of the input [q]\n  b();\n");
}

namespace {

bool holds(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// A text of statements on lines of their own and on shared ones, and what becomes of its syncs, drawn at random.
class DrawnEdits {
public:
  explicit DrawnEdits(unsigned seed) : random(seed), text(draw()) {
    for (std::size_t sync = 0; sync < syncs; ++sync)
      sites.push_back(text.site(nameOf(sync)));
    for (SiteId site : sites)
      if (const std::size_t kind = below(4); kind == 0) {
        SyncPlan::Removal &removal = text.plan.removed[site];
        removal = {"p", {{"sync", {}}}};
        for (std::size_t more = 0; more <= below(3); ++more)
          removal.reason[0].lines.insert(text.module.sites[below(syncs)].line);
      } else if (kind == 1) {
        for (std::size_t copies = 0; copies <= below(2); ++copies)
          text.plan.moved[site].places.push_back(place());
      }
  }

  /// Checks each line that a comment of the result names.
  void check() const {
    const SourceText result("after.cpp", text.apply());
    CAPTURE(text.module.source.text(), result.text());
    for (const auto &[site, removal] : text.plan.removed) {
      std::set<std::uint32_t> expected;
      for (SiteId other : sites)
        if (removal.reason[0].lines.count(text.module.sites[other].line))
          expected.merge(linesOf(other, result));
      const std::string list = lineList({expected.begin(), expected.end()}, 3);
      CHECK(holds(result.text(), "/* ptosync: removed " + text.module.sites[site].text + " [p: sync" +
                                     (expected.size() == 1 ? "" : "s") + " at " + list + "] */"));
    }
    for (const auto &[site, move] : text.plan.moved) {
      const std::set<std::uint32_t> lines = linesOf(site, result);
      const std::string told = ": " + text.module.sites[site].text + " */";
      if (holds(result.text(), told))
        CHECK(holds(result.text(), "moved to " + describeLines({lines.begin(), lines.end()}, 9) + told));
    }
  }

private:
  static std::string nameOf(std::size_t sync) { return "s" + std::to_string(sync) + ";"; }

  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); }

  std::string draw() {
    std::string drawn;
    for (std::size_t line = 0; line < 12; ++line) {
      drawn.append(below(3), ' ');
      for (std::size_t more = 0; more <= below(3) / 2; ++more)
        drawn.append(below(2) ? nameOf(syncs++) : "i" + std::to_string(others++) + "();").append(" ");
      drawn.back() = '\n';
    }
    return drawn + "end();\n";
  }

  TextPlace place() {
    const std::string at = below(2) ? nameOf(below(syncs)) : "i" + std::to_string(below(others)) + "();";
    TextPlace place = placeInFront(text.module.source, text.at(holds(text.module.source.text(), at) ? at : "end()"));
    place.rank = text.moves++;
    return place;
  }

  /// The lines on which a sync of the input is found in the result, or the comment in its place if it was removed.
  std::set<std::uint32_t> linesOf(SiteId site, const SourceText &result) const {
    std::set<std::uint32_t> lines;
    const std::string name = text.module.sites[site].text;
    const std::string form = text.plan.removed.count(site) ? "removed " + name + " [p: " : name + ";";
    for (std::uint32_t line = 1; line <= result.lineCount(); ++line)
      if (holds(std::string(result.line(line)), form))
        lines.insert(line);
    return lines;
  }

  std::mt19937 random;
  std::size_t syncs = 0, others = 0;
  Text text;
  std::vector<SiteId> sites;
};

} // namespace

TEST_CASE("sync edits: comments name lines of the result") {
  CHECK(Text("  wait;\n  a();\n  bar;\n  b();\n  bar2;\n")
            .move("wait;", "b()")
            .move("bar2;", "a()")
            .remove("bar;", "p", {{"flag", {1}}, {"barrier", {5}}})
            .apply() == "  bar2; // ptosync: moved from line 5 of the input [q]\n  a();\n"
                        "  /* ptosync: removed bar [p: flag at 4, barrier at 1] */\n"
                        "  wait; // ptosync: moved from line 1 of the input [q]\n  b();\n");
  for (unsigned seed = 0; seed < 2000; ++seed)
    DrawnEdits(seed).check();
}

TEST_CASE("sync edits: nothing to do") { CHECK(Text("  a();\n").apply() == "  a();\n"); }

TEST_CASE("slot edits: every spelling, told once a line") {
  SourceText source("k.cpp", "f<8> g<8>\nh<8>\n");
  std::vector<Edit> edits = llvm::cantFail(slotEdits(source, {{{2, 3}, 1}, {{7, 8}, 1}, {{12, 13}, 2}}, 8, 2, "fewer"));
  CHECK(llvm::cantFail(applyEdits(source, edits)) ==
        "f<2 /* ptosync: 2 local slots, were 8 [fewer] */> g<2>\nh<2 /* ptosync: 2 local slots, were 8 [fewer] */>\n");
}

TEST_CASE("slot edits: a count that is not spelled leaves everything alone") {
  SourceText source("k.cpp", "f<8>\ng<>\n");
  llvm::Expected<std::vector<Edit>> edits = slotEdits(source, {{{2, 3}, 1}, {{}, 2}}, 8, 2, "fewer");
  REQUIRE(!edits);
  CHECK(llvm::toString(edits.takeError()).find("k.cpp:2:") == 0);
}
