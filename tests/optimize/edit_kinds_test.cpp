#include "optimize/edit_kinds.h"

#include "optimize/decided.h"
#include "optimize/edit_session.h"
#include "optimize/every_kernel.h"
#include "patterns/pattern_reader.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

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

namespace {

/// The session over a text, with what it needs to live.
struct Session {
  explicit Session(const std::string &text, const std::string &patterns = "default", OptimizeOptions given = {})
      : module(lift(text)), catalogue(llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select(patterns))),
        options(std::move(given)), session(module, everyKernel(module), machineOf("a3"), catalogue, options) {}

  /// The first lines of the editable webs, in their order: "8 4".
  std::string order() {
    std::string lines;
    for (const Web &web : editableWebs(session))
      lines += (lines.empty() ? "" : " ") + std::to_string(module.sites[*web.sites().begin()].line);
    return lines;
  }

  Module module;
  Catalogue catalogue;
  OptimizeOptions options;
  EditSession session;
};

const std::string kPair = setFlag("set") + waitFlag("wait");
// Two instructions that are not seen to be ordered.
const std::string kOpen = "  TLOAD(p, g);\n  TADDS(p, p, 1.0f);\n";

} // namespace

TEST_CASE("flag webs: deepest loop first, ties by position", "[flags]") {
  std::string pair = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
  CHECK(Session(vectorKernel(pair + pair)).order() == "4 6");
  CHECK(Session(vectorKernel(pair + loopOver("n", pair) + pair)).order() == "7 4 10");
  CHECK(Session(vectorKernel(loopOver("n", pair + "  for (int32_t j = 0; j < n; ++j) {\n" + pair + "  }\n"))).order() ==
        "8 5");
}

TEST_CASE("flag webs: a web with a protected statement stays whole, with a reason on each", "[flags]") {
  Decided kernel(usualKernel(setFlag("set") + "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: keep(timing)\n" +
                             setFlag("other", 1) + waitFlag("rest", 1)));
  CHECK(kernel.verdicts({"// set", "keep(timing)", "// other", "// rest"}) ==
        "kept: protected kept: protected removed removed");
  CHECK(kernel.at("// set").detail ==
        "it goes only together with line " + std::to_string(lineOf(kernel.text, "keep(timing)")) + ", which stays");
  CHECK(kernel.at("keep(timing)").detail.find("timing") != std::string::npos);
}

TEST_CASE("flag webs: spelled in a macro, it is no statement of its own", "[flags]") {
  std::string text = usualKernel(setFlag("set") + "  WAIT_FOR_LOAD // wait\n");
  text.insert(0, "#define WAIT_FOR_LOAD wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n");
  CHECK(Decided(text).verdict("// set") == "kept: protected");
}

TEST_CASE("flag webs: a kernel that was not analysed holds what it shares", "[flags]") {
  const std::string helper =
      "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void hand_over() {\n" + kPair + "}\n";
  const std::string plain = "extern \"C\" __global__ AICORE void plain(__gm__ float *in) {\n  hand_over();\n}\n";
  const std::string tangled =
      "extern \"C\" __global__ AICORE void tangled(__gm__ float *in, int32_t n) {\n  hand_over();\n  if (n > 3) {\n"
      "    goto second;\n  }\nfirst:\n  n = n + 1;\nsecond:\n  n = n + 2;\n  if (n < 100) {\n    goto first;\n  }\n}\n";
  CHECK(Decided(helper + plain).verdicts({"// set", "// wait"}) == "removed removed");
  CHECK(Decided(helper + plain + tangled).verdicts({"// set", "// wait"}) == "kept: not-analysed kept: not-analysed");
}

TEST_CASE("flag webs: unbalanced ones are left alone and say why", "[flags]") {
  Decided kernel(usualKernel(setFlag("set") + "  if (n > 3) {\n" + waitFlag("wait") + "  }\n"));
  CHECK(kernel.verdicts({"// set", "// wait"}) == "kept: unbalanced kept: unbalanced");
  CHECK(kernel.at("// set").detail == "its flag is not set and waited for in turn on every path");
  CHECK_FALSE(kernel.outcome.result.tokenFaults.empty());
}

TEST_CASE("flag webs: --lines names one statement and means its web", "[flags]") {
  std::string text = usualKernel(setFlag("set") + waitFlag("wait") + setFlag("other", 1) + waitFlag("rest", 1));
  RunOptions options;
  options.optimize.lines = {lineOf(text, "// wait")};
  Decided kernel(text, options);
  CHECK(kernel.verdicts({"// set", "// wait", "// other", "// rest"}) == "removed removed kept: limit kept: limit");
}

TEST_CASE("flag webs: a web is one edit for --max-removals", "[flags]") {
  std::string text = usualKernel(setFlag("set") + waitFlag("wait") + setFlag("other", 1) + waitFlag("rest", 1));
  for (std::size_t limit : {0, 1, 2}) {
    RunOptions options;
    options.optimize.maxRemovals = limit;
    Decided kernel(text, options);
    CHECK(kernel.removedLines().size() == 2 * limit);
    if (limit < 2)
      CHECK(kernel.verdict("// rest") == "kept: limit");
  }
}

TEST_CASE("flag webs: the first pattern of an action that asks for the pair of pipes", "[flags]") {
  Session session(vectorKernel(kPair));
  Web web;
  web.source = Pipe::MTE2;
  web.destination = Pipe::V;
  REQUIRE(patternFor(session.session, PatternAction::RemoveWeb, web));
  CHECK(patternFor(session.session, PatternAction::RemoveWeb, web)->id == "redundant-flag");
  CHECK(patternFor(session.session, PatternAction::SinkWait, web)->id == "sink-wait");
  Session other(vectorKernel(kPair), "raise-set");
  CHECK(patternFor(other.session, PatternAction::RemoveWeb, web) == nullptr);
  // One for a pair of pipes is asked before the one for all.
  nlohmann::json own =
      nlohmann::json::parse(readText(std::string(PTOSYNC_SOURCE_DIR) + "/patterns/redundant-flag.json"));
  own["id"] = "load-flags";
  own["match"] = {{"flag", {{"source", "PIPE_MTE2"}, {"destination", "PIPE_V"}}}};
  llvm::cantFail(session.catalogue.add(llvm::cantFail(parsePattern(own.dump(), "load-flags.json"))));
  CHECK(patternFor(session.session, PatternAction::RemoveWeb, web)->id == "load-flags");
  std::swap(web.source, web.destination);
  CHECK(patternFor(session.session, PatternAction::RemoveWeb, web)->id == "redundant-flag");
}

TEST_CASE("flag webs: intermittent is what some trips skip and the outside knows of", "[flags]") {
  auto intermittent = [](const std::string &statements) {
    Session session(vectorKernel(statements));
    const std::vector<Web> webs = session.session.kernel(0).webs();
    REQUIRE(webs.size() == 1);
    // Such a web is left to no edit: nothing is seen to order a set behind the last wait.
    CHECK(editableWebs(session.session).empty() == isIntermittent(session.session, webs[0]));
    return isIntermittent(session.session, webs[0]);
  };
  const std::string both = waitFlag("wait") + setFlag("again");
  auto armOn = [&](const std::string &condition) { return "  if (" + condition + ") {\n" + both + "  }\n"; };
  CHECK(intermittent(setFlag("prime") + loopOver("n", armOn("(i ^ n) > 3")) + waitFlag("drain")));
  // The trips that use it are one after the other.
  for (const char *condition : {"i > n / 2", "n > 3", "i + 1 < n"}) {
    CAPTURE(condition);
    CHECK_FALSE(intermittent(setFlag("prime") + loopOver("n", armOn(condition)) + waitFlag("drain")));
    CHECK_FALSE(intermittent(setFlag("prime") + loopOver("n", "  if (i < n / 3) {\n" + armOn(condition) + "  }\n") +
                             waitFlag("drain")));
    CHECK(intermittent(setFlag("prime") + loopOver("n", "  if (i % 17 == 0) {\n" + armOn(condition) + "  }\n") +
                       waitFlag("drain")));
    CHECK(intermittent(
        setFlag("prime") +
        loopOver("n", "  if (" + std::string(condition) + ") {\n  if (i == n / 5) continue;\n" + both + "  }\n") +
        waitFlag("drain")));
  }
  for (const char *start : {"0", "i"})
    CHECK_FALSE(
        intermittent(setFlag("prime") +
                     loopOver("n", "  for (int32_t j = " + std::string(start) + "; j < n; ++j) {\n" + both + "  }\n") +
                     waitFlag("drain")));
  // A phase tells which trips skip it.
  for (const char *condition : {"i > 3", "i % 2 == 0", "i == 0"}) {
    CAPTURE(condition);
    CHECK_FALSE(intermittent(setFlag("prime") + loopOver("n", armOn(condition)) + waitFlag("drain")));
  }
  CHECK(intermittent(setFlag("prime") + loopOver("n", "  if (i % 2 == 0) {\n" + armOn("(i ^ n) > 3") + "  }\n") +
                     waitFlag("drain")));
  CHECK(intermittent(setFlag("prime") + loopOver("n", armOn("i % 17 == 0")) + waitFlag("drain")));
  CHECK_FALSE(intermittent(setFlag("prime") + loopOver("n", both) + waitFlag("drain")));
  CHECK_FALSE(intermittent(loopOver("n", "  if (i > 3) {\n" + setFlag("set") + waitFlag("wait") + "  }\n")));
  CHECK_FALSE(intermittent(setFlag("prime") + "  if (n > 3) {\n" + both + "  }\n" + waitFlag("drain"))); // no loop
  CHECK(intermittent(setFlag("prime") + loopOver("n", "  for (int32_t j = 0; j < (i ^ n); ++j) {\n" + both + "  }\n") +
                     waitFlag("drain")));
  CHECK(intermittent(setFlag("prime") + loopOver("n", "  if (i == n / 2) continue;\n" + both) + waitFlag("drain")));
}

TEST_CASE("flag webs: an intermittent one may go where nothing is open that may rest on it", "[flags]") {
  const std::string back = "PIPE_V, PIPE_MTE2";
  auto verdicts = [&](const std::string &front) {
    const std::string arm = waitFlag("taken", 0, back) + kPair + setFlag("given", 0, back);
    Decided kernel(usualKernel(front + setFlag("prime", 0, back) +
                               loopOver("n", "  if ((i ^ n) > 3) {\n" + arm + "  }\n") + waitFlag("drain", 0, back)));
    return kernel.verdicts({"// prime", "// taken", "// given", "// drain"});
  };
  CHECK(verdicts("") == "removed removed removed removed");
  const std::string kept = "kept: intermittent kept: intermittent kept: intermittent kept: intermittent";
  CHECK(verdicts(kOpen) == kept);
  CHECK(verdicts("  TADDS(p, p, 1.0f);\n  unknown_call(p);\n") == kept);
  CHECK(verdicts(setFlag("twice", 2) + setFlag("twice", 2) + waitFlag("once", 2)) == kept);
}

TEST_CASE("flag webs: an intermittent one that was put in may go again", "[flags]") {
  // What is open, relative to the call, may rest on those that are the kernel's own.
  Session held(usualKernel("  TADDS(p, p, 1.0f);\n  unknown_call(p);\n" + setFlag("prime") +
                           loopOver("n", "  if ((i ^ n) > 3) {\n" + waitFlag("wait") + setFlag("again") + "  }\n") +
                           waitFlag("drain")));
  CHECK(editableWebs(held.session).empty());
  std::set<SiteId> all;
  for (SiteId site = 0; site < held.module.sites.size(); ++site)
    if (held.module.sites[site].kind != SyncKind::Tail)
      all.insert(site);
  auto editable = [&](std::set<SiteId> putIn) {
    Reference reference = llvm::cantFail(referenceOf(held.module.kernels[0], std::move(putIn), machineOf("a3"), {}));
    EditSession session(held.module, {0}, machineOf("a3"), held.catalogue, held.options, &reference);
    return editableWebs(session).size();
  };
  CHECK(editable(all) == 1);
  all.erase(all.begin());
  CHECK(editable(all) == 0); // part of it is the kernel's own
}

TEST_CASE("edit kinds: what a wait kept from going may go once the wait has passed it") {
  const Decided kernel(vectorKernel(
      tile("t1", "float", 1, 64, 20480) +
      "  Tile<TileType::Vec, float, 64, 1, BLayout::ColMajor, 64, 1, SLayout::NoneBox, 512, PadValue::Null, "
      "CompactMode::Null> t4;\n  TASSIGN(t4, (uint64_t) 98432);\n" +
      tile("t5", "float", 1, 64, 0) +
      "  TRESHAPE(t5, t4);\n"
      "  auto ring = TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>(out, 131072, 131072);\n"
      "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> "
      "slot(nullptr);\n"
      "  for (int32_t i = 1; i < n; i += 1) {\n" +
      "    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, SLayout::NoneBox, 512, PadValue::Null, "
      "CompactMode::Null> t11;\n    TASSIGN(t11, (uint64_t) (20480 + i % 3 * 8192));\n"
      "    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);\n"
      "    if (i % 2 == 0) {\n    } else {\n"
      "      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID4); // past the ring\n"
      "      TALLOC<TPipe<2, Direction::DIR_V2C, 2048, 8, 8, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, "
      "pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(ring, slot);\n"
      "      if (get_block_idx() % 97 == 13) {\n      }\n"
      "      pipe_barrier(PIPE_ALL);\n"
      "      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID4); // once more\n"
      "    }\n"
      "    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID4);\n"
      "    GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> "
      "g(in);\n"
      "    TSTORE(g, t1);\n    TMULS(t11, t5, 2.0f);\n  }\n"));
  CHECK(kernel.verdicts({"// past the ring", "// once more"}) == "removed removed");
  CHECK(Decided(patched(kernel.outcome)).removedLines().empty());
}
