#include "ordering/analysis.h"
#include "ordering/syncs.h"

#include <catch2/catch.hpp>

#include <memory>
#include <random>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Five syncs in one step; `run` gives the marks of what is left, in order.
class Straight {
public:
  Straight()
      : kernel(vectorKernel(rowsAt("a", 4, "0") +
                            "  TADDS(a, a, 1.0f); // A\n  pipe_barrier(PIPE_V); // B\n"
                            "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // C\n  TADDS(a, a, 2.0f); // D\n"
                            "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // E\n")) {}

  EventKey key(const std::string &mark) const { return kernel.pending->eventsOf(kernel.site(mark)).at(0); }
  SiteId site(const std::string &mark) const { return kernel.site(mark); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel.program->steps[step()].size()); }
  StepId step() const { return key("// B").first; }
  EventKey end() const { return {step(), count()}; }

  std::string run(const SyncLayout &layout, std::uint32_t first = 0) const {
    std::string marks;
    layout.forEachFrom(*kernel.program, step(), first, [&](EventKey, const Event &event) {
      for (const char *mark : {"A", "B", "C", "D", "E"})
        if (event.statement->line == kernel.line(std::string("// ") + mark))
          marks += mark;
      return true;
    });
    return marks;
  }

  Analysed kernel;
};

} // namespace

TEST_CASE("sync layout: without edits it is the program", "[layout]") {
  Straight straight;
  SyncLayout layout;
  CHECK(straight.run(layout) == "ABCDE");
  CHECK(layout.placesOf(straight.key("// C")) == std::vector{straight.key("// C")});
  CHECK_FALSE(layout.moved(straight.key("// C")));
  CHECK(layout.insertedAt(straight.key("// C")).empty());
  CHECK_FALSE(layout.removed(kNone)); // a sync inside a library call is no site
}

TEST_CASE("sync layout: removed sites are left out, moved events keep their key", "[layout]") {
  Straight straight;
  SyncLayout layout;
  layout.apply({{straight.site("// B")}, {}});
  CHECK(straight.run(layout) == "ACDE");
  layout.apply({{}, {{straight.key("// E"), {straight.key("// C")}}}});
  CHECK(straight.run(layout) == "AECD");
  CHECK(layout.placesOf(straight.key("// E")) == std::vector{straight.key("// C")});
  CHECK(layout.moved(straight.key("// E")));
  // In front of an event that is out itself, and out after it moved.
  layout.apply({{}, {{straight.key("// C"), {straight.key("// B")}}}});
  CHECK(straight.run(layout) == "ACED");
  layout.apply({{straight.site("// E")}, {}});
  CHECK(straight.run(layout) == "ACD");
}

TEST_CASE("sync layout: arrivals at one place stand in the order in which they came", "[layout]") {
  Straight straight;
  SyncLayout first, second;
  first.apply({{}, {{straight.key("// B"), {straight.end()}}}});
  first.apply({{}, {{straight.key("// C"), {straight.end()}}}});
  CHECK(straight.run(first) == "ADEBC");
  second.apply({{}, {{straight.key("// C"), {straight.end()}}}});
  second.apply({{}, {{straight.key("// B"), {straight.end()}}}});
  CHECK(straight.run(second) == "ADECB");
  // Moved on, an event is no longer where it was put before.
  second.apply({{}, {{straight.key("// C"), {straight.key("// E")}}}});
  CHECK(straight.run(second) == "ADCEB");
  // A place in front of an event that has itself moved away stays where it was.
  second.apply({{}, {{straight.key("// B"), {straight.key("// C")}}}});
  CHECK(straight.run(second) == "ABDCE");
}

TEST_CASE("sync layout: from a position on, with what was put in front of it", "[layout]") {
  Straight straight;
  SyncLayout layout;
  std::uint32_t store = straight.key("// C").second;
  CHECK(straight.run(layout, store) == "CDE");
  layout.apply({{}, {{straight.key("// E"), {straight.key("// C")}}, {straight.key("// B"), {straight.end()}}}});
  CHECK(straight.run(layout, store) == "ECDB");
  CHECK(straight.run(layout, straight.count()) == "B"); // behind all
  CHECK(straight.run(layout, 0) == "AECDB");
}

TEST_CASE("sync layout: a visit that has seen enough stops", "[layout]") {
  Straight straight;
  SyncLayout layout;
  layout.apply({{}, {{straight.key("// E"), {straight.key("// B")}}}});
  int seen = 0;
  layout.forEach(*straight.kernel.program, straight.step(), [&](EventKey, const Event &event) {
    ++seen;
    return event.kind != Event::Kind::Wait;
  });
  CHECK(seen == 2);
}

TEST_CASE("sync layout: a copy of a settled one is edited on its own", "[layout]") {
  Straight straight;
  SyncLayout layout;
  layout.apply({{}, {{straight.key("// B"), {straight.end()}}, {straight.key("// E"), {straight.key("// C")}}}});
  layout.settle();
  CHECK(straight.run(layout) == "AECDB");
  SyncLayout copy = layout;
  // From a settled place and to one, beside what is there.
  copy.apply({{}, {{straight.key("// E"), {straight.end()}}, {straight.key("// C"), {straight.end()}}}});
  CHECK(straight.run(copy) == "ADBCE");
  CHECK(straight.run(layout) == "AECDB");
  CHECK_FALSE(layout.moved(straight.key("// C")));
  copy.settle();
  CHECK(straight.run(copy) == "ADBCE");
  CHECK(copy.placesOf(straight.key("// E")) == std::vector{straight.end()});
  CHECK(copy.insertedAt(straight.key("// C")).empty());
  copy.settle(); // nothing new
  CHECK(straight.run(copy) == "ADBCE");
}

namespace {

const std::string kStateSet = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n",
                  kStateWait = "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";

std::string stateText(const std::string &statements) {
  return vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + statements);
}

/// The state of the only flag in front of the marked instruction, with what `edit` leaves of the kernel.
Token stateAt(const Analysed &kernel, const std::string &mark, const SyncLayout &layout = {}) {
  TokenStates states(*kernel.program, layout);
  const Node &node = kernel.program->nodes[kernel.node(mark)];
  Tokens tokens = states.entry(node.block);
  layout.forEach(*kernel.program, node.block, [&](EventKey key, const Event &event) {
    if (key.second == node.event && event.kind == Event::Kind::Access)
      return false;
    TokenStates::apply(*kernel.program, event, tokens);
    return true;
  });
  REQUIRE(tokens.size() == 1);
  return tokens[0];
}

Token stateAt(const std::string &statements) { return stateAt(Analysed(stateText(statements)), "// here"); }

std::size_t faultsWithout(const std::string &statements, const std::vector<std::string> &marks) {
  Analysed kernel(stateText(statements));
  SyncLayout layout;
  for (const std::string &mark : marks)
    layout.apply({{kernel.site(mark)}, {}});
  return TokenStates(*kernel.program, layout).faults().size();
}

const std::string kHere = "  TADDS(a, b, 1.0f); // here\n";

} // namespace

TEST_CASE("token states: flags in arms that take turns", "[tokens]") {
  auto faults = [](const std::string &first, const std::string &second, const std::string &bound) {
    Analysed kernel(vectorKernel("  for (int64_t k = 0; k < " + bound + "; k += 1) {\n    if (" + first +
                                 ") {\n      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n    }\n    if (" + second +
                                 ") {\n      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n    }\n  }\n"));
    return kernel.pending->tokenFaults().size();
  };
  CHECK(faults("k % 2 == 0", "k % 2 == 0", "n") == 0);
  CHECK(faults("k % 4 == 0", "k % 4 == 3", "96") == 0);
  CHECK(faults("k % 4 == 0", "k % 4 == 3", "n") != 0); // left set where n is no multiple of 4
  CHECK(faults("k % 4 == 0", "k % 4 == 3", "97") != 0);
  CHECK(faults("k % 4 == 0", "k % 4 == 3 || k + 1 == (int64_t) n", "(int64_t) n") == 0);
  CHECK(faults("k == 0", "k == 0", "n") == 0);
  CHECK(faults("k + 1 < (int64_t) n", "k != 0", "(int64_t) n") != 0); // the set comes before the wait for the last
  CHECK(faults("k % 2 == 0", "k % 2 == 1", "96") == 0);
  CHECK(faults("k % 2 == 0", "k % 2 == 1", "n") != 0);
}

TEST_CASE("token states: along one path", "[tokens]") {
  CHECK(stateAt(kHere + kStateSet + kStateWait) == Token::Empty);
  CHECK(stateAt(kStateSet + kHere + kStateWait) == Token::Full);
  CHECK(stateAt(kStateSet + kStateWait + kHere) == Token::Empty);
  // One of the two settings may be lost, or left for the wait of a third.
  CHECK(stateAt(kStateSet + kStateSet + kHere) == Token::Overrun);
  CHECK(stateAt(kStateSet + kStateSet + kStateWait + kHere) == Token::Overrun);
  CHECK(stateAt(kStateSet + kStateSet + kStateWait + kStateSet + kHere) == Token::Overrun);
  CHECK(stateAt(kStateWait + kStateSet + kHere) == Token::Full);
}

TEST_CASE("token states: where paths meet", "[tokens]") {
  const std::string arm = "  if (n > 3) {\n";
  CHECK(stateAt(arm + kStateSet + "  }\n" + kHere) == Token::Maybe);
  CHECK(stateAt(arm + kStateSet + "  } else {\n" + kStateSet + "  }\n" + kHere) == Token::Full);
  CHECK(stateAt(arm + kStateSet + kStateWait + "  }\n" + kHere) == Token::Empty);
  CHECK(stateAt(kStateSet + arm + kStateWait + kStateSet + "  }\n" + kHere) == Token::Full);
  CHECK(stateAt(arm + kStateSet + "  }\n" + kStateSet + kStateWait + kHere) == Token::Overrun);
  // A wait settles it again; that it met the wrong state is a fault of its own.
  CHECK(stateAt(arm + kStateSet + "  }\n" + kStateWait + kHere) == Token::Empty);
  // A path that the scalars exclude is not followed.
  CHECK(stateAt("  int32_t one = 1;\n  if (one > 3) {\n" + kStateSet + "  }\n" + kHere) == Token::Empty);
}

TEST_CASE("token states: round loops", "[tokens]") {
  auto loop = [](const std::string &bound, const std::string &inside) {
    return "  for (int32_t i = 0; i < " + bound + "; ++i) {\n" + inside + "  }\n";
  };
  CHECK(stateAt(kStateSet + loop("n", kStateWait + kStateSet) + kHere) == Token::Full);
  CHECK(stateAt(kStateSet + loop("n", kHere + kStateWait + kStateSet) + kStateWait) == Token::Full);
  CHECK(stateAt(loop("n", kHere + kStateSet)) == Token::Overrun); // from the second trip on
  CHECK(stateAt(loop("n", kStateSet) + kHere) == Token::Overrun);
}

TEST_CASE("token states: an event id that is not decided settles nothing", "[tokens]") {
  Analysed kernel(stateText("  set_flag(PIPE_MTE2, PIPE_V, (event_t) (n > 3 ? 1 : 0));\n" + kHere +
                            "  wait_flag(PIPE_MTE2, PIPE_V, (event_t) (n > 3 ? 1 : 0));\n"));
  TokenStates states(*kernel.program, {});
  REQUIRE(kernel.program->flags.size() == 2);
  CHECK_FALSE(states.faults().empty()); // both may be left set
}

TEST_CASE("token states: a library call that uses the flag inside", "[tokens]") {
  // MGATHER sets and waits for (PIPE_V, PIPE_S, 0) itself.
  Analysed kernel(stateText(
      "  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n  MGATHER(a, g, b);\n  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"));
  bool inside = false;
  for (const TokenEvent &fault : kernel.pending->tokens().faults())
    inside =
        inside || (fault.event != kNone && kernel.program->steps[fault.step][fault.event].kind == Event::Kind::Access);
  CHECK(inside);
  // While the flag is empty the call is free to use it.
  CHECK(Analysed(stateText("  MGATHER(a, g, b);\n")).pending->tokens().faults().empty());
}

TEST_CASE("token states: after edits", "[tokens]") {
  const std::string two =
      "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n"
      "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // again\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // last\n";
  CHECK(faultsWithout(two, {}) == 0);
  CHECK(faultsWithout(two, {"// wait", "// again"}) == 0); // one setting lasts
  CHECK(faultsWithout(two, {"// set", "// wait"}) == 0);
  CHECK(faultsWithout(two, {"// set"}) == 1);  // the first wait is unfed
  CHECK(faultsWithout(two, {"// wait"}) >= 1); // set twice
  CHECK(faultsWithout(two, {"// last"}) == 1); // left set at the end
  CHECK(faultsWithout(two, {"// set", "// last"}) == 2);
  // Moved: the second set in front of the first wait.
  Analysed kernel(stateText(two));
  SyncLayout layout;
  EventKey again = kernel.pending->eventsOf(kernel.site("// again"))[0],
           wait = kernel.pending->eventsOf(kernel.site("// wait"))[0];
  layout.apply({{}, {{again, {wait}}}});
  CHECK_FALSE(TokenStates(*kernel.program, layout).faults().empty());
}

namespace {

/// Edits one after another, drawn at random: each is solved from the one before, and from nothing.
void checkEdits(const Analysed &kernel, unsigned seed) {
  const Program &program = *kernel.program;
  std::mt19937 random(seed);
  std::vector<EventKey> flagEvents;
  for (StepId step : program.order)
    for (std::uint32_t i = 0; i < program.steps[step].size(); ++i)
      if (const Event &event = program.steps[step][i]; event.site != kNone && !event.lanes.empty())
        flagEvents.emplace_back(step, i);
  REQUIRE(flagEvents.size() > 4);
  SyncLayout layout;
  auto tokens = std::make_unique<TokenStates>(program, layout);
  for (int round = 0; round < 12; ++round) {
    SyncEdit edit;
    for (std::size_t i = 0; i <= random() % 2; ++i) {
      const EventKey key = flagEvents[random() % flagEvents.size()];
      const StepId step = program.order[random() % program.order.size()];
      const auto at = static_cast<std::uint32_t>(random() % (program.steps[step].size() + 1));
      if (random() % 3 == 0)
        edit.removed.insert(program.steps[key.first][key.second].site);
      else
        edit.moves[key] = {EventKey{step, at}};
    }
    SyncLayout after = layout;
    after.apply(edit);
    std::vector<EventKey> events;
    std::set<std::uint32_t> lanes;
    for (EventKey key : flagEvents)
      if (const Event &event = program.steps[key.first][key.second];
          edit.moves.count(key) || edit.removed.count(event.site)) {
        events.push_back(key);
        lanes.insert(event.lanes.begin(), event.lanes.end());
      }
    auto edited = std::make_unique<TokenStates>(*tokens, layout, after, events, lanes);
    const TokenStates anew(program, after);
    for (StepId step : program.order)
      if (anew.reached(step))
        REQUIRE(edited->entry(step) == anew.entry(step));
    const std::set<TokenEvent> faults(edited->faults().begin(), edited->faults().end());
    CHECK(faults == std::set<TokenEvent>(anew.faults().begin(), anew.faults().end()));
    if (random() % 2) { // taken: the next one starts from it
      layout = after;
      layout.settle();
      edited->settle();
      tokens = std::move(edited);
    }
  }
}

} // namespace

TEST_CASE("token states: an edit is solved from the state before as from nothing", "[tokens]") {
  const std::string work = "  TADDS(a, b, 1.0f);\n";
  const std::string pair =
      "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n" + work + "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";
  const std::string other = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);\n";
  const std::string loop =
      "  for (int32_t i = 0; i < n; ++i) {\n" + pair + "    if (i > 3) {\n" + other + "    }\n" + work + "  }\n";
  const std::string lanes = "  set_flag(PIPE_V, PIPE_MTE3, (event_t)(n & 1));\n";
  for (const std::string &text :
       {pair + other + pair, pair + loop + other, loop + loop + pair, pair + lanes + other + pair}) {
    const Analysed kernel(stateText(text));
    for (unsigned seed = 0; seed < 150; ++seed)
      checkEdits(kernel, seed);
  }
}

TEST_CASE("token states: a kernel without flags, and one that ends nowhere", "[tokens]") {
  Analysed none(stateText(kHere));
  CHECK(TokenStates(*none.program, {}).faults().empty());
  CHECK(TokenStates(*none.program, {}).reached(0));
  Analysed endless(stateText("  while (true) {\n" + kStateSet + kStateWait + "  }\n"));
  CHECK(TokenStates(*endless.program, {}).faults().empty());
}

namespace {

struct Live {
  explicit Live(const std::string &statements)
      : kernel(vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + statements)),
        liveness(*kernel.program, layout, kernel.pending->tokens()) {}

  EventKey at(const std::string &mark) const {
    const Node &node = kernel.program->nodes[kernel.nodes(mark).at(0)];
    return {node.block, node.event};
  }
  /// The ids of MTE2 to V that are set in front of the marked statement, "0 3".
  std::string ids(const std::string &mark) const {
    std::string text;
    for (std::uint32_t flag : liveness.liveAt(at(mark)))
      text += (text.empty() ? "" : " ") + std::to_string(kernel.program->flags[flag].id);
    return text;
  }
  std::size_t freeIds(const std::string &mark, Pipe source = Pipe::MTE2, Pipe destination = Pipe::V) const {
    return liveness.freeIds(at(mark), source, destination).size();
  }

  Analysed kernel;
  SyncLayout layout;
  FlagLiveness liveness;
};

std::string set(int id) { return "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID" + std::to_string(id) + ");\n"; }
std::string wait(int id) { return "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID" + std::to_string(id) + ");\n"; }
const std::string kMarked = "  TADDS(a, b, 1.0f); // here\n";

} // namespace

TEST_CASE("liveness: from the set to the wait", "[liveness]") {
  CHECK(Live(kMarked + set(0) + wait(0)).ids("// here") == "");
  CHECK(Live(set(0) + kMarked + wait(0)).ids("// here") == "0");
  CHECK(Live(set(0) + set(3) + kMarked + wait(0) + wait(3)).ids("// here") == "0 3");
  CHECK(Live(set(0) + wait(0) + kMarked).ids("// here") == "");
  CHECK(Live(set(0) + "  if (n > 3) {\n" + wait(0) + "  }\n" + kMarked).ids("// here") == "0"); // on one path
  CHECK(Live(set(0) + "  for (int32_t i = 0; i < n; ++i) {\n" + kMarked + wait(0) + set(0) + "  }\n" + wait(0))
            .ids("// here") == "0");
}

TEST_CASE("liveness: free ids", "[liveness]") {
  Live live(set(0) + set(3) + kMarked + wait(0) + wait(3));
  CHECK(live.freeIds("// here") == 6);
  CHECK(live.liveness.freeIds(live.at("// here"), Pipe::MTE2, Pipe::V).count(1));
  CHECK_FALSE(live.liveness.freeIds(live.at("// here"), Pipe::MTE2, Pipe::V).count(3));
  CHECK(live.freeIds("// here", Pipe::V, Pipe::MTE2) == 8); // another pair
  CHECK(live.freeIds("set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)") == 8);
}

TEST_CASE("liveness: ids that a library call uses inside are not free there", "[liveness]") {
  Live live("  MGATHER(a, g, b); // call\n" + kMarked);
  CHECK(live.freeIds("// call", Pipe::V, Pipe::S) < 8);
  CHECK(live.freeIds("// here", Pipe::V, Pipe::S) == 8);
}

TEST_CASE("liveness: pressure is the most that are set at once", "[liveness]") {
  CHECK(Live(set(0) + wait(0) + set(1) + wait(1) + kMarked).liveness.pressure(Pipe::MTE2, Pipe::V) == 1);
  CHECK(Live(set(0) + set(1) + set(2) + wait(0) + wait(1) + wait(2)).liveness.pressure(Pipe::MTE2, Pipe::V) == 3);
  CHECK(Live(kMarked).liveness.pressure(Pipe::MTE2, Pipe::V) == 0);
  CHECK(Live(set(0) + wait(0)).liveness.pressure(Pipe::V, Pipe::MTE2) == 0);
}

TEST_CASE("liveness: after edits", "[liveness]") {
  Live live(set(0) + set(1) + kMarked +
            "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // one\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // zero\n");
  SyncLayout edited;
  edited.apply({{0, live.kernel.site("// zero")}, {}}); // the first site sets id 0
  TokenStates tokens(*live.kernel.program, edited);
  FlagLiveness after(*live.kernel.program, edited, tokens);
  REQUIRE(after.liveAt(live.at("// here")).size() == 1);
  CHECK(live.kernel.program->flags[after.liveAt(live.at("// here"))[0]].id == 1);
}

namespace {

std::string set(const char *mark, int id = 0, const char *pipes = "PIPE_MTE2, PIPE_V") {
  return "  set_flag(" + std::string(pipes) + ", EVENT_ID" + std::to_string(id) + "); // " + mark + "\n";
}
std::string wait(const char *mark, int id = 0, const char *pipes = "PIPE_MTE2, PIPE_V") {
  return "  wait_flag(" + std::string(pipes) + ", EVENT_ID" + std::to_string(id) + "); // " + mark + "\n";
}
std::string loop(const std::string &inside) { return "  for (int32_t i = 0; i < n; ++i) {\n" + inside + "  }\n"; }

/// The webs as "AB|C": the marks, each a capital letter, that end their lines; "!" behind an unbalanced one.
std::string webs(const std::string &statements, const std::vector<std::string> &without = {}) {
  Analysed kernel(vectorKernel(statements));
  SyncLayout layout;
  for (const std::string &mark : without)
    layout.apply({{kernel.site("// " + mark)}, {}});
  TokenStates tokens(*kernel.program, layout);
  std::string result;
  for (const Web &web : findWebs(*kernel.program, layout, tokens)) {
    result += result.empty() ? "" : "|";
    for (SiteId site : web.sites())
      result += kernel.module.source.line(kernel.module.sites[site].line).back();
    if (!web.balanced) {
      result += "!";
      CHECK_FALSE(web.trouble.empty());
    }
  }
  return result;
}

} // namespace

TEST_CASE("web: uses of one id that never meet are webs of their own", "[webs]") {
  CHECK(webs(set("A") + wait("B") + set("C") + wait("D")) == "AB|CD");
  CHECK(webs(set("A") + set("B", 1) + wait("C") + wait("D", 1)) == "AC|BD");
  CHECK(webs(set("A") + set("B", 0, "PIPE_V, PIPE_MTE3") + wait("C", 0, "PIPE_V, PIPE_MTE3") + wait("D")) == "AD|BC");
  CHECK(webs("") == "");
}

TEST_CASE("web: branches", "[webs]") {
  CHECK(webs("  if (n > 3) {\n" + set("A") + "  } else {\n" + set("B") + "  }\n" + wait("C")) == "ABC");
  CHECK(webs(set("A") + "  if (n > 3) {\n" + wait("B") + "  } else {\n" + wait("C") + "  }\n") == "ABC");
  CHECK(webs(set("A") + "  if (n > 3) {\n" + wait("B") + set("C") + "  }\n" + wait("D")) == "ABCD");
  CHECK(webs("  if (n > 3) {\n" + set("A") + wait("B") + "  }\n" + set("C") + wait("D")) == "AB|CD");
}

TEST_CASE("web: a loop with prime and drain is one, a pair inside it another", "[webs]") {
  CHECK(webs(set("A") + loop(wait("B") + set("C")) + wait("D")) == "ABCD");
  CHECK(webs(loop(set("A") + wait("B"))) == "AB");
  CHECK(webs(set("A") +
             loop(wait("B") + set("C") + wait("D", 1, "PIPE_V, PIPE_MTE2") + set("E", 1, "PIPE_V, PIPE_MTE2")) +
             wait("F")) == "ABCF|DE!");
}

TEST_CASE("web: lanes of a loop that is expanded by phase", "[webs]") {
  const std::string lane = "    event_t id = (event_t) (i % 2 == 1 ? 1 : 0);\n";
  CHECK(webs(set("A") + set("B", 1) +
             loop(lane + "  wait_flag(PIPE_MTE2, PIPE_V, id); // C\n  set_flag(PIPE_MTE2, PIPE_V, id); // D\n") +
             wait("E") + wait("F", 1)) == "ABCDEF");
  // Two ids that follow the same lane are apart.
  CHECK(webs(loop(lane + "  set_flag(PIPE_MTE2, PIPE_V, id); // A\n  wait_flag(PIPE_MTE2, PIPE_V, id); // B\n") +
             set("C") + wait("D")) == "AB|CD");
}

TEST_CASE("web: what is not balanced", "[webs]") {
  CHECK(webs(set("A")) == "A!");
  CHECK(webs(wait("A")) == "A!");
  CHECK(webs(set("A") + set("B") + wait("C")) == "ABC!");
  CHECK(webs(set("A") + set("B")) == "AB!"); // the second may overwrite the first
  CHECK(webs("  if (n > 3) {\n" + set("A") + "  }\n" + wait("B")) == "AB!");
  CHECK(webs(loop(wait("A") + set("B"))) == "AB!");
  CHECK(webs(set("A") + loop(wait("B") + set("C"))) == "ABC!"); // not drained
  // The fault is of the flag: all webs that use it are left alone, others are not.
  CHECK(webs(set("A") + wait("B") + wait("C") + set("D", 1) + wait("E", 1)) == "AB!|C!|DE");
  CHECK(webs("  set_flag(PIPE_MTE2, PIPE_V, (event_t) (n & 1)); // A\n  wait_flag(PIPE_MTE2, PIPE_V, (event_t) (n & "
             "1)); // B\n") == "AB!");
}

TEST_CASE("web: after edits", "[webs]") {
  const std::string generations = set("A") + wait("B") + set("C") + wait("D");
  CHECK(webs(generations, {"B", "C"}) == "AD"); // one setting from the first to the last
  CHECK(webs(generations, {"A", "B"}) == "CD");
  CHECK(webs(generations, {"A", "B", "C", "D"}) == "");
}

TEST_CASE("web: what several kernels share is one", "[webs]") {
  auto web = [](std::vector<SiteId> sets, std::vector<SiteId> waits, bool balanced = true) {
    Web result;
    result.sets = std::move(sets);
    result.waits = std::move(waits);
    result.balanced = balanced;
    result.trouble = balanced ? "" : "because";
    result.ids = {static_cast<std::int64_t>(result.sets.size())};
    return result;
  };
  std::vector<Web> joined =
      joinWebs({{web({0}, {1}), web({4}, {5})}, {web({1 + 1}, {1}), web({6}, {7}, false)}, {web({4, 6}, {5, 7})}});
  REQUIRE(joined.size() == 2);
  CHECK(joined[0].sites() == std::set<SiteId>{0, 1, 2});
  CHECK(joined[0].balanced);
  CHECK(joined[1].sites() == std::set<SiteId>{4, 5, 6, 7}); // through the third kernel
  CHECK_FALSE(joined[1].balanced);
  CHECK(joined[1].trouble == "because");
  CHECK(joinWebs({}).empty());
}
