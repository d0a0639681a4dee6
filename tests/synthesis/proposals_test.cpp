#include "rewrite/sync_edits.h"
#include "support/corpus.h"
#include "synthesis/proposals.h"
#include "synthesis/synthesised.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

/// In front of a body, which begins in line 2.
const std::string kFunction = "#include \"pto/pto-inst.hpp\"\nAICORE int a(int i = 0) { return i; } "
                              "AICORE int b(int i = 0) { return i; } AICORE int c(int i = 0) { return i; } "
                              "extern \"C\" __global__ AICORE void kernel(int x) ";

std::vector<AddedSync> additions(const Module &module, const Proposal &proposal, std::int64_t id) {
  auto kernel = std::find_if(module.kernels.begin(), module.kernels.end(), [](const Kernel &one) {
    return one.name == "kernel";
  }); // what it does not call is one too
  REQUIRE(kernel != module.kernels.end());
  return additionsOf(proposal, id, module.source, llvm::cantFail(StatementTree::read(*kernel)));
}

/// A body with one proposal put in.
std::string with(const std::string &body, const Proposal &proposal) {
  const Module module = lift(kFunction + body);
  SyncPlan plan;
  plan.added = additions(module, proposal, 3);
  const std::string text = llvm::cantFail(patchedText(module, plan));
  return text.substr(kFunction.size());
}

Proposal flag(ListPlace set, ListPlace wait) {
  return {Pipe::MTE2,
          Pipe::V,
          {{SyncKind::SetFlag, set}, {SyncKind::WaitFlag, wait}},
          {"the write of v1", "the read", 3, 5}};
}

} // namespace

TEST_CASE("statements are spelled as emitted ones are") {
  CHECK(statementText(SyncKind::Barrier, Pipe::V, Pipe::V, -1) == "pipe_barrier(PIPE_V);");
  CHECK(statementText(SyncKind::SetFlag, Pipe::M, Pipe::FIX, 7) == "set_flag(PIPE_M, PIPE_FIX, EVENT_ID7);");
  CHECK(statementText(SyncKind::WaitFlag, Pipe::M, Pipe::FIX, 8) == "wait_flag(PIPE_M, PIPE_FIX, (event_t)8);");
}

TEST_CASE("each sync is a line of its own, with what it orders by the lines of the result") {
  std::string text = "{\n  a();\n  b();\n  c();\n}\n";
  CHECK(with(text, flag({0, 0, true, 0}, {0, 2, false, 1})) ==
        "{\n  a();\n"
        "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // ptosync: orders the write of v1 (line 3) before the read at line "
        "7\n"
        "  b();\n"
        "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // ptosync: orders the write of v1 (line 3) before the read at "
        "line 7\n"
        "  c();\n}\n");
}

TEST_CASE("a flag with an id for each slot has them one behind the other, told by its counter") {
  Proposal ring = flag({0, 0, true, 0}, {0, 1, false, 1});
  ring.slots = 3;
  ring.counter = "v40";
  ring.syncs[0].counted = ring.syncs[1].counted = true;
  ring.syncs[0].slot = 2;
  ring.syncs.push_back({SyncKind::WaitFlag, {0, 1, true, 5}, 2});
  std::string text = "{\n  a();\n  b();\n}\n";
  std::string result = with(text, ring); // from id 3 on
  CHECK(result.find("set_flag(PIPE_MTE2, PIPE_V, (event_t) (3 + (v40 + 2) % 3));") != std::string::npos);
  CHECK(result.find("wait_flag(PIPE_MTE2, PIPE_V, (event_t) (3 + v40 % 3));") != std::string::npos);
  CHECK(result.find("wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);") != std::string::npos);
  std::vector<AddedSync> added = additions(lift(kFunction + text), ring, 0);
  CHECK(added[1].statement == "wait_flag(PIPE_MTE2, PIPE_V, (event_t) (v40 % 3));");
  CHECK(added[1].id == -1);
  CHECK(added[2].id == 2);
}

TEST_CASE("a sync of one trip has an `if` of its own around it, and lines below it are counted with that") {
  Proposal guarded = flag({0, 0, true, 0}, {0, 2, false, 1});
  guarded.syncs[0].guard = "k == 3";
  CHECK(
      with("{\n  a();\n  b();\n  c();\n}\n", guarded) ==
      "{\n  a();\n"
      "  if (k == 3) {\n"
      "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // ptosync: orders the write of v1 (line 3) before the read at line "
      "9\n"
      "  }\n"
      "  b();\n"
      "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // ptosync: orders the write of v1 (line 3) before the read at "
      "line 9\n"
      "  c();\n}\n");
  std::string shared = with("{ a(); b(); c(); }", guarded);
  CHECK(shared.find("a(); if (k == 3) { set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); /*") != std::string::npos);
  CHECK(shared.find("*/ } ") != std::string::npos);
}

TEST_CASE("line ends stay what they are, comments stay behind their statement, a shared line is shared") {
  std::string text = "{\r\n  a(); // first\r\n  b();\r\n}\r\n";
  std::string result = with(text, flag({0, 0, true, 0}, {0, 1, false, 1}));
  CHECK(result.find("a(); // first\r\n  set_flag") != std::string::npos);
  CHECK(result.find("line 5\r\n  wait_flag") == std::string::npos);
  CHECK(std::count(result.begin(), result.end(), '\n') == std::count(result.begin(), result.end(), '\r'));
  std::string shared = with("{ a(); b(); }", flag({0, 0, true, 0}, {0, 1, false, 1}));
  CHECK(shared.find("a(); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); /*") != std::string::npos);
  INFO(shared);
  std::size_t wait = shared.find("wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); /*");
  CHECK(shared.find("*/") < wait);
  CHECK(wait < shared.find("b();"));
}

TEST_CASE("behind a statement with a comment that goes on in the next line is in front of the comment") {
  std::string text = "{\n  a(); // goes \\\n  on\n  b();\n}\n";
  std::string result = with(text, flag({0, 0, true, 0}, {0, 1, false, 1}));
  INFO(result);
  CHECK(result.find("a(); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); /*") != std::string::npos);
  CHECK(result.find("// goes \\\n  on\n") != std::string::npos);
}

TEST_CASE("behind a branch is behind its last semicolon") {
  std::string result = with("{\n  if (x) {\n    a();\n  };\n  b();\n}\n", flag({0, 0, true, 0}, {0, 2, false, 1}));
  CHECK(result.find("  };\n  set_flag") != std::string::npos);
}

using namespace ptosync::synthesis;

namespace {

struct PlacedText {
  explicit PlacedText(const std::string &text)
      : module(lift(text)), tree(llvm::cantFail(StatementTree::read(module.kernels[0]))),
        program(llvm::cantFail(buildProgram(module.kernels[0], machineOf("a3"), {}))),
        places(module.kernels[0], tree, module.source, program) {}

  /// The texts beside the places: what stands behind them, or "..." and the end of what stands in front.
  std::set<std::string> beside(SyncKind kind, Pipe pipe) const {
    std::set<std::string> texts;
    for (const ListPlace &place : places.forFlag(kind, pipe, {})) {
      const BraceList::Child &child = tree.lists()[place.list].children[place.child];
      const std::string &text = module.source.text();
      texts.insert(place.behind
                       ? "behind " + text.substr(child.begin, text.find_first_of("(;", child.begin) - child.begin)
                       : "before " + text.substr(child.begin, text.find_first_of("(;", child.begin) - child.begin));
    }
    return texts;
  }

  Module module;
  StatementTree tree;
  Program program;
  SyncPlaces places;
};

} // namespace

TEST_CASE("sync places: a set stands behind what runs on its pipe, a wait in front; both beside loops") {
  PlacedText placed(loopKernel({}));
  std::set<std::string> sets = placed.beside(SyncKind::SetFlag, Pipe::MTE2);
  CHECK(sets.count("behind TLOAD"));
  CHECK(sets.count("before for "));
  CHECK_FALSE(sets.count("behind TADDS"));
  std::set<std::string> waits = placed.beside(SyncKind::WaitFlag, Pipe::V);
  CHECK(waits.count("before TADDS"));
  CHECK(waits.count("behind for "));
  CHECK_FALSE(waits.count("before TSTORE"));
}

TEST_CASE("sync places: nothing stands between a keep comment and its sync") {
  LoopSyncs syncs;
  syncs.store = "    // ptosync: keep(timing)\n    pipe_barrier(PIPE_V);\n";
  PlacedText placed(loopKernel(syncs));
  CHECK_FALSE(placed.beside(SyncKind::WaitFlag, Pipe::V).count("before pipe_barrier"));
  std::size_t barrier = placed.module.source.text().find("pipe_barrier(PIPE_V)");
  CHECK_FALSE(placed.places.inFrontOf(static_cast<std::uint32_t>(barrier)));
}

TEST_CASE("sync places: an expression is not copied in front of what gives its names a value") {
  PlacedText placed(vectorKernel("  int32_t a = n % 2;\n  int32_t b = 0;\n  use(a, b);\n  b = a;\n  use(b, a);\n"));
  ListPlace first{0, 0, false, 0}, second{0, 1, false, 0}, third{0, 2, false, 0};
  CHECK(placed.places.definesBehind(first, 4, "(event_t)a"));
  CHECK_FALSE(placed.places.definesBehind(second, 3, "(event_t)a"));
  CHECK(placed.places.definesBehind(second, 4, "(event_t)a")); // only read there, but that is not looked at
  CHECK(placed.places.definesBehind(third, 4, "ids[b]"));
  CHECK_FALSE(placed.places.definesBehind(third, 3, "b"));
}

using namespace ptosync::synthesis;

namespace {

struct Ordered {
  Module module;
  StatementTree tree;
  RequiredOrder order;
};

/// A load in front of the loops, used inside them.
Ordered nest(const std::string &loops, const std::string &ends) {
  Ordered result{lift(vectorKernel(tile("v1", "float", 16, 64, 0) + tensor("g", "in", "0") + "  TLOAD(v1, g);\n" +
                                   loops + "  TADDS(v1, v1, 1.0f);\n" + ends)),
                 {},
                 {}};
  result.tree = llvm::cantFail(StatementTree::read(result.module.kernels.front()));
  result.order = llvm::cantFail(requiredOrder(result.module, 0, result.tree, machineOf("a3"), {}));
  return result;
}

/// Of the use's loops; "none".
std::string guardOf(const std::string &loops, const std::string &ends, Trip trip) {
  Ordered ordered = nest(loops, ends);
  for (const RequiredPair &pair : ordered.order.pairs)
    if (pair.source == Pipe::MTE2 && pair.destination == Pipe::V)
      return tripGuard(ordered.order, ordered.tree, pair.later, 0, pair.laterLoops, trip).value_or("none");
  return "no pair";
}

} // namespace

TEST_CASE("trip guard: the counter's first and last value, by its step") {
  const std::string loop = "  for (int64_t k = 128; k < 1000; k += 128) {\n";
  CHECK(guardOf(loop, "  }\n", Trip::First) == "k == 128");
  CHECK(guardOf(loop, "  }\n", Trip::Last) == "k == 896");
  CHECK(guardOf("  for (int32_t k = 0; k <= 3; ++k) {\n", "  }\n", Trip::Last) == "k == 3");
  CHECK(guardOf("  for (int64_t k = 8; k > 0; --k) {\n", "  }\n", Trip::First) == "k == 8");
  CHECK(guardOf("  for (int64_t k = 8; k >= -4; k -= 4) {\n", "  }\n", Trip::Last) == "k == -4");
}

TEST_CASE("trip guard: of a nest, a test of each counter") {
  const std::string loops = "  for (int64_t i = 0; i < 4; ++i) {\n  for (int64_t k = 0; k < 512; k += 256) {\n";
  CHECK(guardOf(loops, "  }\n  }\n", Trip::First) == "i == 0 && k == 0");
  CHECK(guardOf(loops, "  }\n  }\n", Trip::Last) == "i == 3 && k == 256");
}

TEST_CASE("trip guard: none where a loop may not run, runs once, or is not counted") {
  for (const char *loop : {"  for (int64_t k = 0; k < n; ++k) {\n", "  for (int64_t k = n; k < n + 4; ++k) {\n",
                           "  for (int64_t k = 0; k < 1; ++k) {\n", "  for (int64_t k = n; k > 0; --k) {\n",
                           "  while (n > get_block_idx()) {\n"}) {
    CAPTURE(loop);
    CHECK(guardOf(loop, "  }\n", Trip::First) == "none");
    CHECK(guardOf(loop, "  }\n", Trip::Last) == "none");
  }
  CHECK(guardOf("  for (int64_t i = 0; i < 4; ++i) {\n  for (int64_t k = 0; k < n; ++k) {\n", "  }\n  }\n",
                Trip::Last) == "none");
}

TEST_CASE("trip guard: none in an arm of a branch, and none without a loop") {
  CHECK(guardOf("  for (int64_t k = 0; k < 4; ++k) {\n  if (n > 3) {\n", "  }\n  }\n", Trip::Last) == "none");
  CHECK(guardOf("", "", Trip::Last) == "none");
}

using namespace ptosync::synthesis;

namespace {

struct Proposed {
  Module module;
  StatementTree tree;
  std::vector<Proposal> proposals;
};

Proposed propose(const std::string &source, Range range = Range::All) {
  Proposed result{lift(source), {}, {}};
  result.tree = llvm::cantFail(StatementTree::read(result.module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(result.module, 0, result.tree, machineOf("a3"), {}));
  result.proposals = proposalsFor(order, result.tree, range);
  return result;
}

std::size_t count(const Proposed &proposed, Pipe source, Pipe destination, std::size_t statements) {
  return static_cast<std::size_t>(
      std::count_if(proposed.proposals.begin(), proposed.proposals.end(), [&](const Proposal &proposal) {
        return proposal.source == source && proposal.destination == destination && proposal.syncs.size() == statements;
      }));
}

} // namespace

TEST_CASE("a pair of one iteration gets a set behind its producer and a wait in front of its consumer") {
  Proposed proposed = propose(loopKernel({}));
  REQUIRE(count(proposed, Pipe::MTE2, Pipe::V, 2) >= 1);
  auto flag = std::find_if(proposed.proposals.begin(), proposed.proposals.end(), [](const Proposal &proposal) {
    return proposal.source == Pipe::V && proposal.destination == Pipe::MTE3 && proposal.syncs.size() == 2;
  });
  REQUIRE(flag != proposed.proposals.end());
  CHECK(flag->syncs[0].kind == SyncKind::SetFlag);
  CHECK(flag->syncs[0].place.behind);
  CHECK_FALSE(flag->syncs[1].place.behind);
  CHECK(flag->syncs[0].place.child < flag->syncs[1].place.child);
}

TEST_CASE("a pair carried round a loop gets flags that are primed in front of it and drained behind it") {
  Proposed proposed = propose(loopKernel({}));
  CHECK(count(proposed, Pipe::V, Pipe::MTE2, 4) >= 2); // behind the producer, and a trip later
  for (const Proposal &proposal : proposed.proposals)
    if (proposal.syncs.size() == 4) {
      CHECK(proposal.syncs[0].place.list == 0);
      CHECK(proposal.syncs[3].place.list == 0);
      CHECK(proposal.syncs[3].place.behind);
      CHECK(proposal.syncs[1].place.list == proposal.syncs[2].place.list);
    }
}

TEST_CASE("a pair carried round a loop also gets a flag that is set where it is waited for, and needs no priming") {
  Proposed proposed = propose(loopKernel({}));
  auto inPlace = std::find_if(proposed.proposals.begin(), proposed.proposals.end(), [](const Proposal &proposal) {
    return proposal.source == Pipe::V && proposal.destination == Pipe::MTE2 && proposal.shape == FlagShape::InPlace;
  });
  REQUIRE(inPlace != proposed.proposals.end());
  REQUIRE(inPlace->syncs.size() == 2);
  CHECK(inPlace->syncs[0].kind == SyncKind::SetFlag);
  CHECK(inPlace->syncs[1].kind == SyncKind::WaitFlag);
  CHECK(inPlace->syncs[0].place < inPlace->syncs[1].place);
  CHECK(inPlace->syncs[0].place.child == inPlace->syncs[1].place.child);
}

TEST_CASE("of flags that differ in width only the wider one is proposed") {
  std::string body = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0") +
                     tensor("h", "in", "1") +
                     "  TLOAD(v1, g);\n  TLOAD(v2, h);\n  TADDS(v2, v2, 1.0f);\n  TADDS(v1, v1, 1.0f);\n";
  // The load of v2, which is later, is waited for earlier: that covers v1 too.
  CHECK(count(propose(vectorKernel(body)), Pipe::MTE2, Pipe::V, 2) == 1);
}

TEST_CASE("pairs of one pipe get barriers") {
  std::string body = tile("v1", "float", 1, 8, 0) + "  TADDS(v1, v1, 1.0f);\n  TMULS(v1, v1, 2.0f);\n";
  Proposed proposed = propose(vectorKernel(body));
  CHECK(count(proposed, Pipe::V, Pipe::V, 1) == 1);
}

TEST_CASE("an arm gets flags of its own") {
  std::string body = tile("v1", "float", 16, 64, 0) + tensor("g", "in", "0") +
                     "  if (n > 3) {\n    TLOAD(v1, g);\n  }\n  TADDS(v1, v1, 1.0f);\n";
  Proposed proposed = propose(vectorKernel(body));
  CHECK(count(proposed, Pipe::MTE2, Pipe::V, 2) == 2); // around the whole branch, and inside it
}

TEST_CASE("storage that lasts for several iterations gets flags with an id for each") {
  Proposed proposed = propose(slotLoop("2"), Range::Slots);
  auto with = [&](Pipe source, Pipe destination, std::size_t statements) {
    return std::find_if(proposed.proposals.begin(), proposed.proposals.end(), [&](const Proposal &proposal) {
      return proposal.slots == 2 && proposal.source == source && proposal.destination == destination &&
             proposal.syncs.size() == statements;
    });
  };
  auto forward = with(Pipe::MTE2, Pipe::V, 2), back = with(Pipe::V, Pipe::MTE2, 6);
  REQUIRE(forward != proposed.proposals.end());
  CHECK(forward->counter == "i");
  CHECK((forward->syncs[0].counted && forward->syncs[1].counted));
  REQUIRE(back != proposed.proposals.end());
  // Both ids primed and drained, the wait in front of the set, on the same id.
  std::vector<std::uint32_t> slots;
  for (const NewSync &sync : back->syncs)
    slots.push_back(sync.slot);
  CHECK(slots == std::vector<std::uint32_t>{0, 1, 0, 0, 0, 1});
  CHECK(back->syncs[2].kind == SyncKind::WaitFlag);
  CHECK((back->syncs[2].counted && back->syncs[3].counted && !back->syncs[0].counted && !back->syncs[5].counted));
  CHECK(with(Pipe::V, Pipe::MTE2, 4) == proposed.proposals.end()); // how often the loop runs is not known
  for (const Proposal &proposal : propose(slotLoop("2")).proposals)
    CHECK(proposal.slots == 1);
  for (const Proposal &proposal : propose(slotLoop("7"), Range::Slots).proposals)
    CHECK(proposal.slots == 1); // more than any flag has
}

TEST_CASE("in a loop of known length what comes before its wait in the text is primed and drained by where it ends") {
  // Each load is used in the next iteration but one.
  std::string place =
      "    TASSIGN(v1, (uint64_t) ((i + 2) % 3 * 4096));\n    TASSIGN(v2, (uint64_t) (i % 3 * 4096));\n";
  Proposed proposed = propose(vectorKernel("  for (int32_t i = 0; i < 64; ++i) {\n" + tensor("g", "in", "i") +
                                           tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 0) + place +
                                           "    TLOAD(v1, g);\n    TADDS(v2, v2, 1.0f);\n  }\n"),
                              Range::Slots);
  auto found = std::find_if(proposed.proposals.begin(), proposed.proposals.end(), [&](const Proposal &proposal) {
    return proposal.slots == 3 && proposal.source == Pipe::MTE2 && proposal.syncs.size() == 6;
  });
  REQUIRE(found != proposed.proposals.end());
  std::vector<std::uint32_t> slots;
  for (const NewSync &sync : found->syncs)
    slots.push_back(sync.slot);
  CHECK(slots == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}); // 64 and 65 by 3
  CHECK((found->syncs[2].kind == SyncKind::SetFlag && found->syncs[2].counted));
}

TEST_CASE("a loop that one of the two is in alone gets a wait in its first trip, or a set in its last") {
  // Loaded in front of the inner loop and read in the middle of its body.
  auto body = [](const std::string &bound, const std::string &front, const std::string &back) {
    return vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) +
                        "  for (int32_t i = 0; i < n; ++i) {\n" + tensor("g", "in", "i") +
                        "    TLOAD(v1, g);\n    for (int32_t k = 0; k < " + bound + "; ++k) {\n" + front +
                        "      TADD(v2, v2, v1);\n" + back + "    }\n  }\n");
  };
  const std::string other = "      TMULS(v2, v2, 2.0f);\n";
  auto guards = [](const Proposed &proposed) {
    std::set<std::string> found;
    for (const Proposal &proposal : proposed.proposals)
      for (const NewSync &sync : proposal.syncs)
        if (!sync.guard.empty()) {
          CHECK(proposal.shape == FlagShape::Peeled);
          CHECK(sync.place.list != proposal.syncs[sync.kind == SyncKind::SetFlag ? 1 : 0].place.list);
          found.insert((sync.kind == SyncKind::SetFlag ? "set " : "wait ") + sync.guard);
        }
    return found;
  };
  using Guards = std::set<std::string>;
  CHECK(guards(propose(body("4", other, other), Range::Trips)) == Guards{"wait k == 0", "set k == 3"});
  CHECK(guards(propose(body("4", other, ""), Range::Trips)) == Guards{"wait k == 0"});
  CHECK(guards(propose(body("4", "", other), Range::Trips)) == Guards{"set k == 3"});
  CHECK(guards(propose(body("4", other, other))).empty());
  CHECK(guards(propose(body("n", other, other), Range::Trips)).empty()); // it may not run at all
}

TEST_CASE("two pipes meet in front of the later statement, once for each place") {
  Module module = lift(serialLoop());
  StatementTree tree = llvm::cantFail(StatementTree::read(module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(module, 0, tree, machineOf("a3"), {}));
  std::vector<Proposal> meetings = meetingsFor(order, machineOf("a3"), module.kernels.front().section);
  // Load and addition, addition and store: in front of either of the two.
  REQUIRE(meetings.size() == 8);
  for (std::size_t i = 0; i < meetings.size(); i += 2) {
    const Proposal &flag = meetings[i], &answer = meetings[i + 1];
    CHECK(flag.source == answer.destination);
    CHECK(flag.destination == answer.source);
    CHECK(flag.handshake == answer.handshake);
    CHECK((i == 0 || flag.handshake != meetings[i - 1].handshake));
    std::vector<NewSync> syncs = flag.syncs;
    syncs.insert(syncs.end(), answer.syncs.begin(), answer.syncs.end());
    REQUIRE(syncs.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(syncs[k].kind == (k % 2 == 0 ? SyncKind::SetFlag : SyncKind::WaitFlag));
      CHECK_FALSE(syncs[k].place.behind);
      CHECK((k == 0 || syncs[k - 1].place < syncs[k].place));
    }
  }
}

TEST_CASE("what a core does not have is not proposed to it") {
  Proposal barrier{Pipe::V, Pipe::V, {}, {}}, flag{Pipe::MTE2, Pipe::V, {}, {}};
  CHECK(isLegal(barrier, machineOf("a3"), Section::Vec));
  CHECK_FALSE(isLegal(barrier, machineOf("a5"), Section::Vec));
  CHECK(isLegal(flag, machineOf("a3"), Section::Vec));
  CHECK_FALSE(isLegal(flag, machineOf("a3"), Section::Cube));
}
