// Trials: Pending::tryEdit and commit. A trial carries only what is new; here it is held against the
// whole analysis of the same kernel without those barriers.
#include "kernel/kernel.h"
#include "ordering/analysis.h"
#include "tokens/web.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

using Pairs = std::set<std::pair<std::uint32_t, NodeId>>;

Pairs openPairs(const Pending &pending) {
  Pairs pairs;
  for (const OpenObligation &open : pending.open())
    pairs.insert({open.pair.bit, open.pair.later});
  return pairs;
}

/// The text with the syncs on these lines blanked; line numbers stay.
std::string without(const std::string &text, const std::set<unsigned> &lines) {
  std::string result;
  unsigned line = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find('\n', at);
    if (!lines.count(line))
      result += text.substr(at, end - at);
    result += '\n';
    at = end + 1;
    ++line;
  }
  return result;
}

/// Random bodies: short and long tiles, barriers, flags, loops and branches.
class BodyGenerator {
public:
  explicit BodyGenerator(unsigned seed) : random(seed) {}

  std::string body() {
    std::string text = tilesAndTensors();
    return text + statements(10, 0);
  }

  /// Without loops and branches: one long step.
  std::string straightBody() {
    std::string text = tilesAndTensors();
    return text + statements(60, kDeepest);
  }

private:
  static constexpr unsigned kDeepest = 2;

  static std::string tilesAndTensors() {
    std::string text;
    for (unsigned i = 0; i < 4; ++i)
      text += rowsAt("t" + std::to_string(i), 4, std::to_string(i * 1024));
    return text + rowsAt("t4", 16, "8192") + rowsAt("t5", 16, "12288") + tensorAt("g", "in") + tensorAt("h", "out");
  }

  std::string tile() { return "t" + std::to_string(random() % 6); }

  std::string access() {
    switch (random() % 6) {
    case 0: return "TLOAD(" + tile() + ", g);";
    case 1: return "TSTORE(h, " + tile() + ");";
    case 2: return "TADD(" + tile() + ", " + tile() + ", " + tile() + ");";
    default: return "TADDS(" + tile() + ", " + tile() + ", 1.0f);";
    }
  }

  std::string flag(const char *verb) {
    static constexpr const char *pairs[] = {"PIPE_MTE2, PIPE_V", "PIPE_V, PIPE_MTE3", "PIPE_V, PIPE_MTE2",
                                            "PIPE_MTE3, PIPE_V"};
    return std::string(verb) + "(" + pairs[random() % 4] + ", EVENT_ID" + std::to_string(random() % 2) + ");";
  }

  std::string statements(unsigned count, unsigned depth) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      switch (random() % 12) {
      case 0:
      case 1:
      case 2: text += "  pipe_barrier(PIPE_V);\n"; break;
      case 3: text += random() % 3 ? "  pipe_barrier(PIPE_MTE3);\n" : "  pipe_barrier(PIPE_ALL);\n"; break;
      case 4: {
        // A set and its wait with something in between, most of the time.
        std::string set = flag("set_flag"), wait = set;
        wait.replace(0, 8, "wait_flag");
        text += "  " + set + "\n  " + access() + "\n  " + (random() % 5 ? wait : flag("wait_flag")) + "\n";
        break;
      }
      case 5:
        if (depth < kDeepest) {
          std::string counter = "i" + std::to_string(names++);
          std::string bound = random() % 2 ? "n" : std::to_string(1 + random() % 3);
          text += "  for (int32_t " + counter + " = 0; " + counter + " < " + bound + "; ++" + counter + ") {\n" +
                  statements(4, depth + 1) + "  }\n";
          break;
        }
        [[fallthrough]];
      case 6:
        if (depth < kDeepest) {
          text += "  if (n > " + std::to_string(names++) + ") {\n" + statements(3, depth + 1) + "  }";
          text += random() % 2 ? "\n" : " else {\n" + statements(3, depth + 1) + "  }\n";
          break;
        }
        [[fallthrough]];
      default: text += "  " + access() + "\n";
      }
    }
    return text;
  }

  std::mt19937 random;
  unsigned names = 0;
};

constexpr unsigned kSeeds = 350;

std::string randomKernel(unsigned seed) {
  BodyGenerator generator(seed);
  return vectorKernel(seed < 250 ? generator.body() : generator.straightBody());
}

/// Rows in front of each sync that is left, by step and place in the list of those left.
std::map<std::pair<StepId, std::size_t>, std::vector<BitSet>> storedRows(const Analysed &kernel,
                                                                         const std::set<unsigned> &removed) {
  std::map<std::pair<StepId, std::size_t>, std::vector<BitSet>> rows;
  const Program &program = *kernel.program;
  for (StepId step : program.order) {
    std::size_t place = 0;
    for (std::uint32_t at = 0; at < program.steps[step].size(); ++at) {
      const Event &event = program.steps[step][at];
      if (event.kind == Event::Kind::Access || removed.count(event.statement->line))
        continue;
      std::vector<BitSet> &entry = rows[{step, place++}];
      for (std::size_t row = 0; row < kPipeCount; ++row)
        if (const BitSet *before = kernel.pending->rowBefore(step, at, row))
          entry.push_back(*before);
    }
  }
  return rows;
}

} // namespace

TEST_CASE("trial: a trial says what a fresh analysis without the barriers finds", "[trial]") {
  int allowed = 0, refused = 0, committed = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::string text = randomKernel(seed);
    Analysed kernel(text);
    Pairs before = openPairs(*kernel.pending);
    std::vector<SiteId> barriers;
    for (SiteId site = 0; site < kernel.module.sites.size(); ++site)
      if (kernel.module.sites[site].kind == SyncKind::Barrier &&
          kernel.module.sites[site].protection == Protection::None)
        barriers.push_back(site);
    std::mt19937 random(seed);
    std::set<unsigned> removed;
    for (int attempt = 0; attempt < 6 && !barriers.empty(); ++attempt) {
      std::set<SiteId> sites;
      std::set<unsigned> lines = removed;
      for (unsigned size = 1 + random() % 3; size > 0; --size) {
        SiteId site = barriers[random() % barriers.size()];
        if (removed.count(kernel.module.sites[site].line))
          continue;
        sites.insert(site);
        lines.insert(kernel.module.sites[site].line);
      }
      if (sites.empty())
        continue;
      Analysed fresh(without(text, lines));
      Pairs after = openPairs(*fresh.pending);
      bool nothingNew = std::includes(before.begin(), before.end(), after.begin(), after.end());
      std::string without = "without lines";
      for (unsigned line : lines)
        without += " " + std::to_string(line);
      INFO("seed " << seed << ", " << without << "\n" << text);
      Pending::Trial trial = kernel.pending->tryRemoval(sites);
      REQUIRE(trial.allowed == nothingNew);
      if (!trial.allowed) {
        ++refused;
        REQUIRE(trial.witness);
        // The witness is one of the pairs that the barriers ordered.
        CHECK(after.count({trial.witness->bit, trial.witness->later}) == 1);
        CHECK(before.count({trial.witness->bit, trial.witness->later}) == 0);
        continue;
      }
      ++allowed;
      if (random() % 3 == 0) {
        kernel.pending->abandon();
        continue;
      }
      kernel.pending->commit();
      ++committed;
      removed = lines;
      // The stored fixpoint is now that of the kernel without them.
      REQUIRE(storedRows(kernel, removed) == storedRows(fresh, removed));
    }
  }
  CHECK(allowed > 100);
  CHECK(refused > 100);
  CHECK(committed > 50);
}

namespace {

/// The text with the statement of one line put in front of another, on that one's line: all others keep their number.
std::string moveLine(const std::string &text, unsigned from, unsigned before) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  // On the same line as what is behind it, so that every other line keeps its number.
  lines[before - 1] = lines[from - 1] + " " + lines[before - 1];
  lines[from - 1].clear();
  std::string result;
  for (const std::string &line : lines)
    result += line + "\n";
  return result;
}

/// The open conflicts by statement and distance: the numbers of nodes differ where events stand elsewhere.
std::multiset<std::string> describedPairs(const Analysed &kernel) {
  std::multiset<std::string> pairs;
  auto add = [&](const ConflictPair &pair) {
    const Node &earlier = kernel.program->nodes[kernel.program->nodeOfBit[pair.bit]],
               &later = kernel.program->nodes[pair.later];
    pairs.insert(printStatement(*kernel.program->kernel, *earlier.statement) + " at " +
                 std::to_string(earlier.statement->line) + " -> " +
                 printStatement(*kernel.program->kernel, *later.statement) + " at " +
                 std::to_string(later.statement->line) + " +" + std::to_string(pair.bit - earlier.firstBit));
  };
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::Conflict))
    add(open.pair);
  return pairs;
}

} // namespace

TEST_CASE("trial: removed webs and moved flags, held against a fresh analysis", "[trial]") {
  int webs = 0, moves = 0, refused = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::string text = randomKernel(seed);
    Analysed kernel(text);
    std::multiset<std::string> before = describedPairs(kernel);
    std::mt19937 random(seed);
    for (int attempt = 0; attempt < 6; ++attempt) {
      std::vector<EventKey> candidates;
      for (StepId step : kernel.program->order)
        for (std::uint32_t i = 0; i < kernel.program->steps[step].size(); ++i)
          if (const Event &event = kernel.program->steps[step][i];
              event.kind == Event::Kind::Set || event.kind == Event::Kind::Wait)
            candidates.push_back({step, i});
      if (candidates.empty())
        break;
      EventKey key = candidates[random() % candidates.size()];
      const Event &event = kernel.program->steps[key.first][key.second];
      unsigned line = event.statement->line;
      SyncEdit edit;
      std::string edited;
      bool web = random() % 2 == 0;
      if (web) {
        std::set<unsigned> lines;
        for (const Web &found : findWebs(*kernel.program, {}, kernel.pending->tokens()))
          if (found.sites().count(event.site))
            for (SiteId site : found.sites()) {
              edit.removed.insert(site);
              lines.insert(kernel.module.sites[site].line);
            }
        edited = without(text, lines);
      } else {
        bool up = event.kind == Event::Kind::Set;
        std::uint32_t count = static_cast<std::uint32_t>(kernel.program->steps[key.first].size());
        if (up ? key.second == 0 : key.second + 2 >= count)
          continue;
        EventKey place{key.first, up ? key.second - 1 : key.second + 2};
        edit.moves[key] = {place};
        edited = moveLine(text, line, kernel.program->steps[key.first][place.second].statement->line);
      }
      INFO("seed " << seed << ", line " << line << (web ? ", web out\n" : ", moved\n") << edited);
      Analysed fresh(edited);
      Pending::Trial trial = kernel.pending->tryEdit(edit);
      kernel.pending->abandon();
      std::multiset<std::string> after = describedPairs(fresh);
      bool nothingNew = std::includes(before.begin(), before.end(), after.begin(), after.end());
      if (trial.allowed) {
        CHECK(nothingNew);
        CHECK(fresh.pending->tokenFaults().size() <= kernel.pending->tokenFaults().size());
        ++(web ? webs : moves);
      } else {
        ++refused;
        if (!trial.token && trial.witness && !trial.fence && trial.witness->kind != HazardKind::FlagReuse)
          CHECK_FALSE(nothingNew);
      }
    }
  }
  CHECK(webs > 50);
  CHECK(moves > 30);
  CHECK(refused > 100);
}

TEST_CASE("trial: two barriers must not justify each other", "[trial]") {
  Analysed kernel(smallBody("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  pipe_barrier(PIPE_V); // two\n"
                            "  TADDS(c, a, 1.0f);\n"));
  CHECK(kernel.pending->tryRemoval({kernel.site("// one")}).allowed);
  kernel.pending->abandon();
  CHECK(kernel.pending->tryRemoval({kernel.site("// two")}).allowed);
  kernel.pending->abandon();
  CHECK_FALSE(kernel.pending->tryRemoval({kernel.site("// one"), kernel.site("// two")}).allowed);
  REQUIRE(kernel.pending->tryRemoval({kernel.site("// one")}).allowed);
  kernel.pending->commit();
  CHECK_FALSE(kernel.pending->tryRemoval({kernel.site("// two")}).allowed); // now it orders the pair alone
}

TEST_CASE("trial: the witness is the pair that loses its order", "[trial]") {
  Analysed kernel(smallBody("  TADDS(a, b, 1.0f);\n  TADDS(d, b, 1.0f); // reads\n  pipe_barrier(PIPE_V); // barrier\n"
                            "  TADDS(b, c, 1.0f); // overwrites\n"));
  Pending::Trial trial = kernel.pending->tryRemoval({kernel.site("// barrier")});
  REQUIRE(trial.witness);
  CHECK(trial.witness->kind == HazardKind::WriteAfterRead);
  CHECK(kernel.program->nodeOfBit[trial.witness->bit] == kernel.node("// reads")); // the nearest of both readers
  CHECK(trial.witness->later == kernel.node("// overwrites"));
  CHECK_FALSE(trial.fence);
  CHECK_FALSE(trial.atEnd);
}

TEST_CASE("trial: a refused trial leaves nothing behind", "[trial]") {
  Analysed kernel(smallBody("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // needed\n  TADDS(c, a, 1.0f);\n"
                            "  pipe_barrier(PIPE_V); // not needed\n  TADDS(d, b, 1.0f);\n"));
  CHECK_FALSE(kernel.pending->tryRemoval({kernel.site("// needed")}).allowed);
  CHECK(kernel.pending->tryRemoval({kernel.site("// not needed")}).allowed);
}

TEST_CASE("trial: a difference goes round the loop and on behind it", "[trial]") {
  // The only conflict is between one iteration's last and the next one's first.
  Analysed kernel(smallBody("  for (int32_t i = 0; i < n; ++i) {\n    TADDS(c, a, 1.0f); // reader\n"
                            "    TADDS(a, b, 1.0f); // writer\n    pipe_barrier(PIPE_V); // barrier\n  }\n"));
  Pending::Trial trial = kernel.pending->tryRemoval({kernel.site("// barrier")});
  REQUIRE(trial.witness);
  Conflict conflict = kernel.hazards().describe(*trial.witness);
  CHECK(conflict.loopCarried);
  Analysed behind(smallBody(
      "  for (int32_t i = 0; i < 3; ++i) {\n    TADDS(a, b, 1.0f);\n    pipe_barrier(PIPE_V); // barrier\n  }\n"
      "  TADDS(c, a, 1.0f); // behind\n"));
  CHECK_FALSE(behind.pending->tryRemoval({behind.site("// barrier")}).allowed);
}

TEST_CASE("trial: order relative to an opaque fence, on either side", "[trial]") {
  const std::string fence = "  dcci((__gm__ void *) out, SINGLE_CACHE_LINE); // fence\n";
  Analysed front(smallBody("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // barrier\n" + fence));
  Pending::Trial trial = front.pending->tryRemoval({front.site("// barrier")});
  CHECK_FALSE(trial.allowed);
  CHECK(trial.fence);
  REQUIRE(trial.witness);
  CHECK(trial.witness->kind == HazardKind::Fence);
  Analysed back(smallBody(fence + "  pipe_barrier(PIPE_V); // barrier\n  TADDS(a, b, 1.0f);\n"));
  CHECK(back.pending->tryRemoval({back.site("// barrier")}).fence);
  // An unknown call is one too.
  Analysed unknown(smallBody("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // barrier\n  TFROBNICATE(c);\n"));
  CHECK_FALSE(unknown.pending->tryRemoval({unknown.site("// barrier")}).allowed);
}

TEST_CASE("trial: a release fence holds only what precedes it", "[trial]") {
  const std::string fifo =
      "  auto pipe = TPipe<0, Direction::DIR_V2C, 1024, 4, 4, false>(out, 0, 0);\n"
      "  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>> slot(nullptr);\n";
  const std::string release = "  TPUSH(pipe, slot); // release\n";
  Analysed front(smallBody(fifo + "  TSTORE(h, a);\n  pipe_barrier(PIPE_MTE3); // barrier\n" + release));
  CHECK_FALSE(front.pending->tryRemoval({front.site("// barrier")}).allowed);
  Analysed back(smallBody(fifo + release + "  pipe_barrier(PIPE_MTE3); // barrier\n  TSTORE(h, a);\n"));
  CHECK(back.pending->tryRemoval({back.site("// barrier")}).allowed);
  // A fence behind a release is still a fence.
  Analysed fences(smallBody(fifo + release +
                            "  pipe_barrier(PIPE_MTE3); // barrier\n"
                            "  dcci((__gm__ void *) out, SINGLE_CACHE_LINE);\n"));
  CHECK_FALSE(fences.pending->tryRemoval({fences.site("// barrier")}).allowed);
}

TEST_CASE("trial: draining every pipe in front of the kernel's end", "[trial]") {
  std::string head = smallBody("");
  auto ending = [&](const std::string &statements) {
    // Without the flush of vectorKernel.
    std::string text = smallBody(statements);
    return text.replace(text.find("  pipe_barrier(PIPE_ALL);\n  dsb"), std::string::npos, "}\n");
  };
  Analysed all(ending("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // end\n"));
  Pending::Trial trial = all.pending->tryRemoval({all.site("// end")});
  CHECK_FALSE(trial.allowed);
  CHECK(trial.atEnd);
  // A barrier of one pipe there holds back nothing.
  Analysed one(ending("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // end\n"));
  CHECK(one.pending->tryRemoval({one.site("// end")}).allowed);
  // Nor does PIPE_ALL where another one follows.
  Analysed two(
      ending("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // first\n  pipe_barrier(PIPE_ALL) ; // end\n"));
  CHECK(two.pending->tryRemoval({two.site("// first")}).allowed);
}

TEST_CASE("trial: a site that runs through two calls goes or stays for both", "[trial]") {
  auto text = [](unsigned second) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
           "static AICORE void step(int64_t from, int64_t to) {\n" +
           rowsAt("x", 4, "from") + rowsAt("y", 4, "to") +
           "  pipe_barrier(PIPE_V); // inside\n  TADDS(y, x, 1.0f);\n}\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n"
           "  step(0, 1024);\n  step(" +
           std::to_string(second) + ", 3072);\n}\n";
  };
  Analysed apart(text(4096));
  CHECK(apart.pending->tryRemoval({apart.site("// inside")}).allowed);
  Analysed chained(text(1024)); // the second call reads what the first wrote
  CHECK_FALSE(chained.pending->tryRemoval({chained.site("// inside")}).allowed);
}
