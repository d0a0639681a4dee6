#include "rewrite/edit_fingerprint.h"

#include "rewrite/sync_edits.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kTiles =
    tile("v1", "float", 16, 64, 0) + tile("v2", "float", 8, 64, 8192) + tile("v3", "float", 8, 64, 16384);

/// Two barriers that order nothing.
const std::string kBody = "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n"
                          "  pipe_barrier(PIPE_V);\n  TMULS(v3, v3, 1.0f);\n";

/// The same statement between the same ones, four times; the storage is never the same.
std::string fourEqual() {
  std::string text = kTiles;
  for (int i = 0; i < 4; ++i)
    text += "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n  pipe_barrier(PIPE_V);\n"
            "  TMULS(v3, v3, 1.0f);\n  pipe_barrier(PIPE_V);\n";
  return text;
}

/// Fingerprints of edits by the lines of their statements.
std::map<unsigned, std::string> byLine(const Outcome &outcome) {
  std::map<unsigned, std::string> found;
  const std::map<std::uint32_t, std::string> fingerprints = editFingerprints(outcome.module, outcome.result);
  for (const SiteDecision &decision : outcome.result.decisions)
    if (decision.verdict != Verdict::Kept)
      found.emplace(outcome.module.sites[decision.site].line, fingerprints.at(decision.edit));
  return found;
}

std::set<std::string> setOf(const Outcome &outcome) {
  std::set<std::string> all;
  for (const auto &[line, fingerprint] : byLine(outcome))
    all.insert(fingerprint);
  return all;
}

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

} // namespace

TEST_CASE("edit fingerprint: sixteen digits, one for each edit") {
  const Outcome outcome = run(vectorKernel(kTiles + kBody));
  const std::map<unsigned, std::string> found = byLine(outcome);
  REQUIRE(found.size() == 2);
  for (const auto &[line, fingerprint] : found) {
    CHECK(fingerprint.size() == 16);
    CHECK(fingerprint.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
  CHECK(setOf(outcome).size() == 2);
  CHECK(editFingerprints(outcome.module, OptimizeResult()).empty());
}

TEST_CASE("edit fingerprint: lines and numbers of names do not matter, statements do") {
  const std::string text = vectorKernel(kTiles + kBody);
  const std::set<std::string> known = setOf(run(text));
  CHECK(setOf(run("// a line\n\n" + text)) == known);
  CHECK(setOf(run(replaced(replaced(text, "v1", "v71"), "v2", "v5"))) == known);
  CHECK(setOf(run(replaced(text, "TMULS(v3", "TADDS(v3"))) != known);
  CHECK(setOf(run(replaced(text, " k(", " other("))) != known);
  // The first of the two is about neither the last instruction nor the other barrier.
  const Outcome changed = run(replaced(text, "TMULS(v3, v3, 1.0f)", "TMULS(v3, v3, 2.0f)"));
  CHECK(byLine(changed).begin()->second == byLine(run(text)).begin()->second);
}

TEST_CASE("edit fingerprint: equal statements are told apart, whichever of them go") {
  const std::string text = vectorKernel(fourEqual());
  const Outcome whole = run(text);
  const std::map<unsigned, std::string> all = byLine(whole);
  REQUIRE(all.size() >= 8);
  CHECK(setOf(whole).size() == all.size());
  RunOptions some;
  for (const auto &[line, fingerprint] : all)
    if (some.optimize.lines.size() < all.size() / 2)
      some.optimize.lines.insert(line);
  const std::map<unsigned, std::string> half = byLine(run(text, some));
  REQUIRE(!half.empty());
  for (const auto &[line, fingerprint] : half)
    CHECK(all.at(line) == fingerprint);
}

TEST_CASE("edit fingerprint: where one of several equal statements goes, nobody can say which the others are") {
  const std::string text = vectorKernel(fourEqual());
  const std::string statement = "  pipe_barrier(PIPE_V);\n";
  const std::map<unsigned, std::string> all = byLine(run(text));
  std::size_t gone = 0;
  for (std::size_t at = text.find(statement); at != std::string::npos; at = text.find(statement, at + 1)) {
    std::string without = text;
    without.erase(at, statement.size());
    const SourceText source("k.cpp", text);
    const unsigned line = source.position(static_cast<std::uint32_t>(at)).line;
    for (const auto &[other, fingerprint] : byLine(run(without))) {
      CAPTURE(line, other);
      const unsigned was = other < line ? other : other + 1; // its line in the text with all of them
      for (const auto &[known, name] : all)
        if (name == fingerprint)
          CHECK(known == was);
    }
    ++gone;
  }
  CHECK(gone >= 8);
}

TEST_CASE("edit fingerprint: what has gone or moved still counts") {
  for (const std::string folder : {"softmax", "flash_attention", "moved_flags"}) {
    CAPTURE(folder);
    const std::string text = readText(corpusPath(folder + "/kernel.cpp"));
    const Outcome whole = run(text);
    const std::map<unsigned, std::string> all = byLine(whole);
    // Every other edit is made; then the rest is found again in the text that this leaves.
    RunOptions some;
    std::set<std::string> made, left;
    for (const auto &[line, fingerprint] : all)
      if (some.optimize.lines.size() <= left.size()) {
        some.optimize.lines.insert(line);
        made.insert(fingerprint);
      } else {
        left.insert(fingerprint);
      }
    if (left.empty())
      continue;
    const Outcome half = run(text, some);
    const std::set<std::string> rest = setOf(run(patched(half)));
    for (const std::string &fingerprint : rest) {
      CAPTURE(fingerprint);
      CHECK_FALSE(made.count(fingerprint));
    }
    CHECK(std::any_of(rest.begin(), rest.end(), [&](const std::string &one) { return left.count(one) != 0; }));
  }
}

TEST_CASE("edit fingerprint: white space within a statement does not matter") {
  const std::string text = vectorKernel(kTiles + kBody);
  const std::set<std::string> known = setOf(run(text));
  CHECK(setOf(run(replaced(text, "pipe_barrier(PIPE_V)", "pipe_barrier (PIPE_V)"))) == known);
  CHECK(setOf(run(replaced(text, "pipe_barrier(PIPE_V)", "pipe_barrier( PIPE_V\n )"))) == known);
  CHECK(setOf(run(replaced(text, "TADDS(v2, v2, 1.0f)", "TADDS( v2,v2 , 1.0f )"))) == known);
  CHECK(setOf(run(replaced(text, "1.0f", "1.0f+0.0f"))) == setOf(run(replaced(text, "1.0f", "1.0f + 0.0f"))));
}

TEST_CASE("edit fingerprint: a wait that was moved into several arms counts once") {
  // The same twice: what stands behind the first is the second of its kind, also once the first has moved.
  const std::string arms = "  TLOAD(v1, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                           "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                           "  if (n > 1) {\n    TEXPANDS(v3, 1.0f);\n    TADDS(v2, v1, 1.0f);\n  } else {\n"
                           "    TEXPANDS(v3, 2.0f);\n    TADDS(v2, v1, 2.0f);\n  }\n"
                           "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n";
  const std::string text = vectorKernel(
      tile("v1", "float", 8, 64, 0) + tile("v2", "float", 8, 64, 8192) + tile("v3", "float", 8, 64, 16384) +
      tile("v4", "float", 8, 64, 32768) +
      "  GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> g(in);\n" +
      arms + replaced(arms, "v3", "v4"));
  const Outcome whole = run(text);
  std::set<std::string> moved;
  unsigned first = 0;
  for (const SiteDecision &decision : whole.result.decisions)
    if (decision.movedTo.size() == 2) {
      const unsigned line = whole.module.sites[decision.site].line;
      first = first ? first : line;
      moved.insert(byLine(whole).at(line));
    }
  REQUIRE(moved.size() == 2);
  RunOptions one;
  one.optimize.lines.insert(first);
  moved.erase(byLine(whole).at(first));
  CHECK(setOf(run(patched(run(text, one)))).count(*moved.begin()));
}

TEST_CASE("edit fingerprint: a place beside a statement that was moved there before") {
  const std::string text = readText(corpusPath("ping_pong_branch/kernel.cpp"));
  const std::map<unsigned, std::string> all = byLine(run(text));
  constexpr unsigned kFirst = 44, kSecond = 45; // sets that move to the same place
  RunOptions one;
  one.optimize.lines.insert(kFirst);
  CHECK(setOf(run(patched(run(text, one)))).count(all.at(kSecond)));
}
