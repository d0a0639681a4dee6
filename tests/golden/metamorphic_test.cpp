// Changes of a kernel's text that must not change any verdict: other names, the same storage elsewhere, more blocks,
// other declarations first. Each site of the changed text is compared with the site of the same number of the original.
#include "fuzz/kernel_generator.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>
#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

namespace {

using Lines = std::vector<std::string>;
using Change = std::string (*)(const std::string &);

Lines linesOf(const std::string &text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string joined(const Lines &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

std::string renamed(const std::string &text) {
  static const std::regex variable(R"(\bv(\d+)\b)");
  return std::regex_replace(text, variable, "renamed$1x");
}

/// Every tile of every memory 64 bytes further on: what overlapped overlaps, by as much.
std::string relaidOut(const std::string &text) {
  static const std::regex assignment(R"(TASSIGN\((\w+), ([^;]+)\);)");
  return std::regex_replace(text, assignment, "TASSIGN($1, (uint64_t) ($2) + (uint64_t) 64);");
}

/// Every instruction in a block of its own.
std::string split(const std::string &text) {
  static const std::regex instruction(R"(^(\s*)(T(?!ASSIGN|RESHAPE|POP|PUSH|ALLOC|FREE)[A-Z_]+\([^;]*\);)\s*$)");
  Lines lines = linesOf(text);
  for (std::string &line : lines)
    line = std::regex_replace(line, instruction, "$1{ $2 }");
  return joined(lines);
}

/// Runs of constants, and runs of tiles with their addresses, on three lines or on one, in the opposite order.
std::string reordered(const std::string &text) {
  static const std::regex constant(R"(^\s*const \w+ \w+ = [-\w.]+;\s*$)");
  static const std::regex tile(R"(^\s*Tile<[^;(]*> (\w+);\s*$)"),
      address(R"(^\s*uint64_t \w+ = \(uint64_t\) \w+;\s*$)"), assignment(R"(^\s*TASSIGN\(\w+, \w+\);\s*$)"),
      placed(R"(^\s*Tile<[^;(]*> \w+; TASSIGN\([^;]*\);\s*$)");
  Lines lines = linesOf(text), result;
  auto groupAt = [&](std::size_t i) -> std::size_t { // lines that stay together; 0: not to be moved
    if (std::regex_match(lines[i], constant) || std::regex_match(lines[i], placed))
      return 1;
    return i + 2 < lines.size() && std::regex_match(lines[i], tile) && std::regex_match(lines[i + 1], address) &&
                   std::regex_match(lines[i + 2], assignment)
               ? 3
               : 0;
  };
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t length = groupAt(i), end = i;
    if (length == 0) {
      result.push_back(lines[i++]);
      continue;
    }
    while (end < lines.size() && groupAt(end) == length)
      end += length;
    for (std::size_t from = end; from > i; from -= length)
      result.insert(result.end(), lines.begin() + static_cast<std::ptrdiff_t>(from - length),
                    lines.begin() + static_cast<std::ptrdiff_t>(from));
    i = end;
  }
  return joined(result);
}

/// "removed", "moved", "kept hazard", ... by site. Not the pattern that claimed it: patterns look at spelling.
std::vector<std::string> verdicts(const std::string &text, const RunOptions &options) {
  Outcome outcome = run(text, options);
  std::vector<std::string> list;
  for (SiteId site = 0; site < outcome.module.sites.size(); ++site) {
    const SiteDecision &decision = outcome.result.decisions[site];
    list.push_back(outcome.module.sites[site].text + " " +
                   (decision.verdict == Verdict::Kept    ? std::string("kept ") + keptReasonName(decision.reason)
                    : decision.verdict == Verdict::Moved ? "moved"
                                                         : "removed"));
  }
  return list;
}

/// A moved sync finds its place in the list of statements it stands in: in a block of its own an instruction offers
/// none.
std::string withoutMoves(Change change, const std::string &verdict) {
  std::string last = verdict.substr(verdict.rfind(')'));
  return change == split && last.rfind(") removed", 0) != 0 ? ") stays" : last;
}

void holdsFor(Change change, const std::string &text, const RunOptions &options, std::size_t &sites) {
  INFO("trust " << trustName(options.optimize.ordering.trust));
  std::string changed = change(text);
  if (changed == text) {
    FAIL_CHECK("nothing to change");
    return;
  }
  std::vector<std::string> before = verdicts(text, options), after = verdicts(changed, options);
  REQUIRE(before.size() == after.size());
  for (SiteId site = 0; site < before.size(); ++site) {
    INFO("sync number " << site);
    CHECK(withoutMoves(change, before[site]) == withoutMoves(change, after[site]));
  }
  sites += before.size();
}

void holdsUnder(Change change, const std::string &path, const RunOptions &options, std::size_t &sites) {
  INFO(path);
  holdsFor(change, readText(path), options, sites);
}

/// Random kernels of the fuzzer, several a file.
void holdsInRandom(Change change, std::uint64_t firstSeed, const std::string &without = "") {
  constexpr std::uint64_t kFiles = 12, kKernels = 8;
  std::size_t sites = 0;
  for (std::uint64_t file = 0; file < kFiles; ++file) {
    std::vector<fuzz::FuzzKernel> kernels;
    for (std::uint64_t seed = firstSeed + file * kKernels; seed < firstSeed + (file + 1) * kKernels; ++seed) {
      fuzz::FuzzKernel kernel = fuzz::KernelGenerator(seed).generate();
      kernel.name = "fuzzed" + std::to_string(seed);
      if (without.empty() || !std::regex_search(fuzz::printKernel(kernel), std::regex(without)))
        kernels.push_back(std::move(kernel));
    }
    INFO("seeds from " << firstSeed + file * kKernels);
    RunOptions options;
    options.optimize.ordering.trust = file % 2 ? Trust::Library : Trust::Tile;
    holdsFor(change, fuzz::printKernels(kernels), options, sites);
  }
  CHECK(sites > 1000);
}

void holdsInCorpus(Change change, const std::set<std::string> &without = {}) {
  std::size_t sites = 0;
  for (const std::string &folder : corpusFolders())
    for (Trust trust : {Trust::Tile, Trust::Library}) {
      RunOptions options;
      options.arch = folder.rfind("a5_", 0) == 0 ? "a5" : "a3";
      options.optimize.ordering.trust = trust;
      if (!without.count(folder))
        holdsUnder(change, corpusPath(folder + "/kernel.cpp"), options, sites);
    }
  CHECK(sites > 1000);
}

/// `expected`: kernels in which there is nothing to change.
void holdsInShared(Change change, std::size_t expected = 0) {
  std::size_t sites = 0, unchanged = 0;
  for (const std::string &path : sharedKernels()) {
    INFO(path);
    RunOptions options;
    options.arch = path.find("/a5") != std::string::npos ? "a5" : "a3";
    std::string text = readText(path);
    if (change(text) == text)
      ++unchanged;
    else
      holdsFor(change, text, options, sites);
  }
  CHECK((unchanged == expected || sharedKernels().empty()));
}

} // namespace

TEST_CASE("metamorphic: names of variables decide nothing", "[metamorphic]") {
  holdsInCorpus(renamed, {"counters_that_wrap", "rebound_through_pointers", "unreached_code"}); // have other names
  holdsInShared(renamed);
  holdsInRandom(renamed, 1);
}

TEST_CASE("metamorphic: where storage lies decides nothing", "[metamorphic]") {
  // The library's scratch, and a FIFO's ring, lie where they lie.
  holdsInCorpus(relaidOut, {"hidden_scratch", "fifo_fences"});
  holdsInShared(relaidOut, 3); // without a tile
  holdsInRandom(relaidOut, 1001, R"(TPOP|TPUSH|\b1[89]\d{4}\b)");
}

TEST_CASE("metamorphic: blocks around instructions decide nothing", "[metamorphic]") {
  holdsInCorpus(split);
  holdsInShared(split);
  holdsInRandom(split, 2001);
}

TEST_CASE("metamorphic: the order of independent declarations decides nothing", "[metamorphic]") {
  // Each of their declarations stands with what it needs.
  holdsInCorpus(reordered,
                {"beyond_the_region", "beyond_the_scratch", "computed_places", "counters_that_wrap", "rare_paths",
                 "rebound_through_pointers", "related_arguments", "sorts_past_valid", "unreached_code"});
  holdsInShared(reordered);
  holdsInRandom(reordered, 3001);
}
