// The actions that a pattern may ask for. To add one, add its enumerator and its row in the table; pattern files use
// the name in that row, and patterns/schema.json lists it too. Tested by tests/patterns/pattern_action_test.cpp.
#pragma once

#include <cstdint>
#include <span>

namespace ptosync {

enum class PatternKind : std::uint8_t {
  Sync,   // nominates syncs
  Rewrite // nominates something else that builds change by text; takes part only when it is asked for
};

enum class PatternAction : std::uint8_t {
  RemoveBarrier,
  RemoveWeb,        // all sets and waits that can feed one another
  RemoveGeneration, // a wait and the set behind it: two settings of a flag become one
  MergeFlags,       // a flag around another one of the same pipes
  SinkWait,         // to just in front of what needs it
  SinkIntoArms,     // the same in each arm of a branch
  RaiseSet,         // to just behind what it must cover
  SetLocalSlots,    // the local slot count of a FIFO
};

/// Says what happens to the text of the syncs that are nominated.
enum class ActionEffect : std::uint8_t { Removes, Moves, Rewrites };

struct ActionFacts {
  PatternAction action;
  const char *name;
  PatternKind kind;
  ActionEffect effect;
};

/// Returns every action.
std::span<const ActionFacts> patternActions();
const ActionFacts &factsOf(PatternAction action);

} // namespace ptosync
