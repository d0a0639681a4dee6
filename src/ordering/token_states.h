// The token of every flag along every path: empty, full, or not the same on all paths.
//
//   Program + SyncLayout --dataflow to the fixpoint--> per step: a token per flag
//
// set fills a flag, wait empties it; a library call that uses a flag of its own inside leaves it
// unknown if the kernel had it set. Paths that disagree make it Maybe, and Maybe stays until a wait
// settles it. An event whose event id is not decided makes every lane it may mean Maybe.
// A set of a flag that is or may be set makes it Overrun for good: the wait in between may take the first setting
// before the second one fires, which is then left for a wait that was meant for a third.
// Sound: Empty and Full hold on every path that reaches the place; paths that the scalars exclude are
// not followed. It knows nothing of when the pipes run, only of program order.
// Tested by tests/ordering/token_states_test.cpp.
#pragma once

#include "ordering/sync_layout.h"

#include <llvm/ADT/ArrayRef.h>

#include <memory>

namespace ptosync {

enum class Token : std::uint8_t { Empty, Full, Maybe, Overrun };
using Tokens = std::vector<Token>; // by index into Program::flags

/// A wait or set that meets its flag in the wrong state, or a flag left set where the kernel ends.
struct TokenEvent {
  StepId step;
  std::uint32_t event; // position in Program::steps; kNone: the kernel's end
  std::uint32_t flag;
  Token state; // found there
  auto operator<=>(const TokenEvent &) const = default;
};

class TokenStates {
public:
  TokenStates(const Program &program, const SyncLayout &layout);
  /// Like `before`, but for these flags, which alone the layout treats differently.
  TokenStates(const TokenStates &before, const SyncLayout &layout, const std::set<std::uint32_t> &flags);

  /// At the entry of a step; only for reached ones.
  llvm::ArrayRef<Token> entry(StepId step) const {
    return llvm::ArrayRef(entries).slice(step * program->flags.size(), program->flags.size());
  }
  bool reached(StepId step) const { return reachedSteps[step] || program->flags.empty(); }
  /// Every place where a flag is not as it should be.
  const std::vector<TokenEvent> &faults() const { return faultList; }

  static void apply(const Program &program, const Event &event, Tokens &tokens);

private:
  Token &at(StepId step, std::uint32_t flag) { return entries[step * program->flags.size() + flag]; }
  bool join(StepId target, const Tokens &source);
  void solve(const SyncLayout &layout);
  void findFaults(const SyncLayout &layout, StepId step);

  /// The events that concern one flag, in the order in which they run, by step.
  using FlagEvents = std::map<StepId, std::vector<EventKey>>;
  void indexFlags();
  FlagEvents eventsOf(const SyncLayout &layout, std::uint32_t flag) const;
  void solveFlag(const FlagEvents &events, std::uint32_t flag);
  void findFlagFaults(const FlagEvents &events, std::uint32_t flag);
  static void applyToFlag(const Event &event, Token &token);

  const Program *program;
  std::shared_ptr<const std::vector<std::vector<EventKey>>> flagIndex; // by flag: its events
  Tokens entries; // step by step; one list, since every trial of an edit copies it
  std::vector<bool> reachedSteps;
  std::vector<TokenEvent> faultList;
};

} // namespace ptosync
