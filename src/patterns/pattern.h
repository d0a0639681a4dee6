// A pattern: a short sequence of statements around a barrier that is often redundant.
//
//   patterns/*.json --pattern_reader--> Pattern --catalogue--> selected patterns --> nominated sites
//
// There are two kinds. A `sync` pattern nominates syncs. A `rewrite` pattern nominates something else of a kernel that
// builds change by text, and says within which bounds; it takes part only when it is asked for by name.
// A pattern only nominates: it says which barriers are worth trying. Whether one may go is proved afterwards, from the
// machine model, for each site. A wrong pattern costs time, never correctness, and so a pattern needs no soundness
// argument; `explanation` tells why its barriers usually can go. Every pattern carries cases, small kernels in which it
// must fire or stay silent.
// Another action: its enumerator, and its row in the table of pattern.cpp; the name is what pattern files say, and
// patterns/schema.json lists it too. Tested by tests/patterns/pattern_test.cpp and through the reader and the
// catalogue.
#pragma once

#include "kernel/pipe.h"
#include "machine/model_choices.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  RemoveBracket,    // of a buffer id: its gets and releases
  NarrowBracket,    // to what it must cover
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

/// Returns true for actions on brackets of buffer ids, whose `source` and `destination` are the bracket's pipe.
inline bool isOnBrackets(PatternAction action) {
  return action == PatternAction::RemoveBracket || action == PatternAction::NarrowBracket;
}

struct PatternElement {
  enum class Kind : std::uint8_t {
    Instruction, // one call of one of `instructions`
    Barrier,     // the barrier that the pattern nominates; exactly one in a sequence
    Syncs,       // one or more flag statements of the listed kinds; zero or more if `optional`
    Others,      // zero or more instructions that do not run on the pattern's pipe
  };
  Kind kind = Kind::Barrier;
  std::vector<std::string> instructions;
  /// Names for the leading operands. The same name stands for the same storage, and "*" for anything.
  std::vector<std::string> operands;
  bool waits = false, sets = false; // Syncs
  bool optional = false;            // Syncs
};

/// The FIFOs that a rewrite asks for.
struct FifoMatch {
  std::vector<std::string> directions; // "DIR_C2V", ...; empty: any
  std::int64_t leastLocalSlots = 1;    // FIFOs with fewer are left alone
};

enum class CaseExpectation : std::uint8_t { Fire, Silent };

/// A kernel body and what the pattern must do in it. Fire: a barrier is removed and attributed to
/// the pattern. Silent: no removal is attributed to it.
struct PatternCase {
  std::string name;
  CaseExpectation expect = CaseExpectation::Fire;
  std::vector<std::string> options; // of the command line, e.g. "--trust=library"
  std::vector<std::string> kernel;  // lines
  unsigned line = 0;                // of the case in its file
};

enum class PatternCases : bool { Left, Read };

struct Pattern {
  std::string id;
  std::vector<std::string> aliases;
  std::string title, explanation, docs;
  std::vector<std::string> arch;
  Trust trust = Trust::Tile; // least level at which it takes part
  int priority = 0;          // smaller is asked first
  PatternKind kind = PatternKind::Sync;
  PatternAction action = PatternAction::RemoveBarrier;
  Pipe pipe = Pipe::V;                                  // RemoveBarrier: of the barrier
  std::vector<PatternElement> sequence;                 // RemoveBarrier
  std::optional<Pipe> source, destination;              // of the flags; empty: any
  FifoMatch fifo;                                       // SetLocalSlots
  std::int64_t leastLocalSlots = 1, mostLocalSlots = 1; // SetLocalSlots: what it may be set to
  std::vector<PatternCase> cases;
  std::string file;

  /// Returns true if the pattern nominates every barrier of its pipe, or every flag.
  bool generic() const {
    return kind == PatternKind::Sync &&
           (action == PatternAction::RemoveBarrier ? sequence.size() == 1 : !source && !destination);
  }
  bool supports(std::string_view architecture) const;
  /// Returns true if `name` is the pattern's id or one of its aliases.
  bool answersTo(std::string_view name) const;
};

/// The priority of a pattern whose file states none. A named pattern is asked before a generic one.
inline constexpr int kNamedPriority = 0;
inline constexpr int kGenericPriority = 100;

/// The line, counted from 1, on which the first line of a case's body stands in the wrapped file.
inline constexpr unsigned kCaseFirstLine = 12;

/// Returns a complete kernel file made out of the body of a case. A case holds only the statements that matter; this
/// adds what the assembler writes around every kernel: the include, the tail fence helper, one entry function with the
/// arguments `v_in`, `v_out` (global memory) and `v_n` (a number). The body is not looked at: the frontend does that.
std::string wrapCase(const PatternCase &patternCase);

} // namespace ptosync
