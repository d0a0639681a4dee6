// Searches for single paths through a kernel on which a flag goes wrong or a pair of instructions meets unordered.
//
//   breadth first over (step, flags, decisions, iterations[, one tracked instance]) from the kernel's start
//
// The ordering engine knows every path at once and says where something may be wrong; this search finds the shortest
// path that shows it, with the lines a reader needs, and says whether the path is certain: each decision on it
// follows from constants and counters, or is free of every other one. A path behind a fault of some flag says nothing
// more about that flag. Bounded: `complete()` is false where the search gave up, and then nothing follows from
// finding nothing. Tested by tests/audit/path_search_test.cpp.
#pragma once

#include "audit/path_decisions.h"
#include "ordering/hazard.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// A stop on a path: a statement that matters for what the path shows, or a branch that it takes.
struct PathStop {
  const Statement *statement = nullptr; // null: the branch at the end of `block`
  BlockId block = 0;
  bool taken = false; // branch: the condition held
};

struct FoundPath {
  std::vector<PathStop> stops;
  std::vector<BlockId> choices; // blocks where it decided freely, in order
  bool certain = false;
  bool doubtful = false; // of a pair: a flag that went wrong, an unknown call or another core may order it
  bool atEntry = false;  // of a pair: it ends in the first iteration of each loop that only the later one is in
};

enum class TokenFaultKind : std::uint8_t { UnfedWait, DoubleSet, LeftSet, LibraryClash };

struct TokenDefect {
  TokenFaultKind kind = TokenFaultKind::UnfedWait;
  std::uint32_t flag = 0;
  const Statement *statement = nullptr; // LeftSet: the last set
  StepId step = 0;
  std::uint32_t event = kNone; // LeftSet: kNone
  FoundPath path;
};

class PathSearch {
public:
  PathSearch(const Program &program, const HazardModel &model);
  ~PathSearch();

  /// Returns the first faults of flags over all paths, one for each statement and kind.
  std::vector<TokenDefect> tokenDefects();

  /// Returns a path on which the pair is not ordered; empty if the search saw none. If `complete()` is false then,
  /// nothing follows from that.
  std::optional<FoundPath> unordered(const ConflictPair &pair);

  /// Returns false if the last search stopped at its bound.
  bool complete() const { return finished; }
  const PathDecisions &decisions() const { return conditions; }

private:
  struct State;
  struct Visit;
  struct Goal;
  bool enter(Visit &&visit, Goal &goal);
  void run(Goal &goal);
  bool runStep(std::size_t at, Goal &goal);
  bool apply(State &state, const Event &event, std::size_t at, std::uint32_t index, Goal &goal);
  void passCall(State &state, const Node &node) const;
  bool applyFlag(State &state, const Event &event, std::size_t at, std::uint32_t index, Goal &goal);
  void branch(std::size_t at, const State &state, Goal &goal);
  std::optional<State> follow(const State &state, BlockId from, const Edge &edge) const;
  std::string keyOf(const State &state) const;
  using Way = std::vector<std::size_t>; // visits from the start on
  Way wayTo(std::size_t at) const;
  bool endsAtEntry(const Way &way, const ConflictPair &pair) const;
  FoundPath pathAlong(const Way &way, const std::vector<const Statement *> &shown) const;
  void found(TokenFaultKind kind, std::uint32_t flag, std::size_t at, std::uint32_t index, Goal &goal);
  std::vector<const Statement *> statementsOf(std::uint32_t flag) const;

  const Program &program;
  const HazardModel &model;
  PathDecisions conditions;
  std::map<std::string, std::uint32_t> keyNumbers; // of conditions that recur
  std::vector<LoopId> keyScopes;                   // by key number
  std::vector<Visit> visits;
  std::map<std::string, std::size_t> known;
  bool finished = true;
};

} // namespace ptosync
