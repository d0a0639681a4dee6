// The walk of the checker: two versions of a kernel that differ in their syncs, executed at once with unknown numbers,
// along every way.
//
//   Function, Machine --execute--> pairs of accesses that BEFORE may order on some way, and AFTER may not (orders.h)
//
//   for (i = 0; i < n; i += 1) {      entry within turn 0; turns 0, 1 (`i % 2`) each run once from what the certificate
//     TLOAD(i % 2 ? a : b);           says of their beginning; what comes round must be just that of the next turn:
//   }                                 then it holds for every number of iterations
//
// A loop's iterations fall into turns: `first` ones by themselves, then `period` ones that repeat. The beginning of
// each turn is the certificate's claim; the walk only checks that it is what comes in and round, and never iterates.
// Ways join behind each branch, but where the certificate says that they are followed apart. What a branch says of its
// condition is kept on its ways. Everything else of a run is exact or an over-approximation: names of unknown numbers
// (number.h), variables that a loop changes. Whatever is not in the subset is refused.
// The subclass decides where the beginnings come from: check.cpp reads them, propose.cpp looks for them.
// Tested by tests/check/check_test.cpp.
#pragma once

#include "check/access.h"
#include "check/number.h"
#include "check/orders.h"
#include "check/text.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ptosync::check {

/// What one access of a walk is: a call on one pipe, a wait, or the kernel's end.
struct Node {
  std::string key;  // the same in every walk of the kernel
  std::string call; // the same for the pipes of one call
  std::string name; // of the instruction
  int line = 0, pipe = 0;
  std::vector<int> loops; // around it, outermost first
  Effects effects;
  std::optional<std::array<int, 3>> waits; // of a wait
  struct Turn {
    Number begin; // the counter where the loop is entered
    std::int64_t offset = 0, period = 1;
    int rounds = -1; // the unknown number of periods; -1: none
    bool operator==(const Turn &) const = default;
  };
  std::map<int, Turn> turns; // of counted loops around it
};

struct State {
  std::map<std::string, Operand> variables;
  Orders orders;
  std::map<int, bool> truths; // of unknown truth values
  std::vector<Number> known;  // not negative
  Operand result;             // of a function

  /// The same but for what runs.
  State with(Orders other) const { return {variables, std::move(other), truths, known, result}; }
};
using States = std::vector<State>;

/// What a certificate says of one entry into a loop.
struct LoopRecord {
  std::string at;
  int first = 0, period = 1;
  bool counted = false;
  std::set<std::string> changes; // variables that differ from one iteration to the next
  struct Turn {
    std::map<std::string, std::int64_t> values; // of changed variables, where the turn begins
    Orders orders;
  };
  std::vector<std::optional<Turn>> turns; // empty: not reached
};

/// What sources leave open, as one version is taken.
struct Doubts {
  bool insideOrders = false; // the flags and barriers inside a library call order what is around it
  bool scalarHolds = false;  // a wait of the scalar pipe holds back every pipe
};

/// What a walk, its certificate and the rules for pairs share.
struct Scene {
  const File &file;
  const Machine &machine;
  std::string core;
  Doubts before, after;
  bool absolute = false;            // every conflict in memory counts as ordered by BEFORE
  int ages = 2;                     // iterations that are told apart
  std::set<std::string> apart = {}; // places whose ways are followed apart
  Numbers numbers = {};
  std::vector<Node> nodes = {};
  std::map<std::string, int> nodeByKey = {};
  std::size_t steps = 0;                        // statements walked
  std::map<std::array<int, 3>, int> rowOf = {}; // of a flag, or of the releases {pipe, -1, id} of a buffer id

  int row(const std::array<int, 3> &of);
};

class Walk {
public:
  explicit Walk(Scene &scene) : scene(scene), machine(scene.machine), numbers(scene.numbers), nodes(scene.nodes) {}
  virtual ~Walk() = default;

  /// Walks the kernel from its entry to all of its ends.
  void kernel(const Function &function);

  /// The pairs on some way of which BEFORE may order, and AFTER may not. A later node of -1 is the kernel's end.
  std::set<std::pair<Instance, int>> lost;

protected:
  /// The ways out of a loop that `entry` comes to.
  virtual States loop(const Statement &statement, const State &entry) = 0;

  // What a walk comes to: another subclass may write it down instead (tests/differential/checker_match.cpp).
  virtual void assume(State &state, const Number &truth, bool holds) const;
  virtual void sync(const Statement &statement, State &state);
  virtual void instruction(const std::string &name, const std::vector<std::string> &templates,
                           const std::vector<Operand> &operands, State &state, int line);
  int idOf(const Expression &expression, State &state);
  int pipeArgument(const Expression &expression, bool allowAll) const;

  /// Whether the loop is entered: the ways in, with what its test tells, and the ways past it.
  void enter(const Statement &statement, const State &entry, States &in, States &past);
  /// The state in which a turn begins.
  State begin(const Statement &statement, const State &entry, const LoopRecord &record, std::size_t turn);
  Range reached(const Number &limit, const Range &from, std::int64_t step) const;
  Wide mostRounds(const Statement &statement, const std::string &counter, const Range &from, std::int64_t step,
                  std::int64_t period, State &state);
  /// Runs one turn; `round` are the ways that go round once more, `out` those that leave.
  void run(const Statement &statement, const State &entry, const LoopRecord &record, std::size_t turn, States &round,
           States &out);
  /// Ways out of a loop as what comes behind it sees them.
  States left(const Statement &statement, const State &entry, States out);
  std::string here(const Statement &statement) const;
  /// Joins unless the place is one whose ways stay apart.
  States joined(States states, const std::string &place);
  static std::size_t next(const LoopRecord &record, std::size_t turn) {
    return turn + 1 < record.turns.size() ? turn + 1 : static_cast<std::size_t>(record.first);
  }
  /// Variables of the entry that have another value than there where the loop goes round, but for what it counts with.
  std::set<std::string> changed(const Statement &statement, const State &entry, State &round, const LoopRecord &record);
  /// The changed variables that have one known value on all ways to a turn.
  std::map<std::string, std::int64_t> valuesOf(const States &arriving, const std::set<std::string> &changes) const;
  Scene &scene;
  const Machine &machine;
  Numbers &numbers;
  std::vector<Node> &nodes;

private:
  struct Exits {
    States breaks, continues, returns;
  };
  States list(const std::vector<Statement> &statements, States states);
  States one(const Statement &statement, State state);
  States block(const std::vector<Statement> &statements, State state);
  States branch(const Statement &statement, State state);
  States cases(const Statement &statement, State state);
  void declare(const Statement &statement, State &state);
  Number decided(const State &state, const Number &truth) const;
  Number decided(const State &state, const Number &truth, std::map<int, Number> &seen) const;
  bool isKnown(const State &state, const Number &notNegative) const;
  void divide(State state, const Number &truth, States &holds, States &fails) const;
  void merge(State &into, const State &more, const std::string &place);
  std::optional<std::int64_t> stepOf(const Statement &statement, State &state, std::string &variable);

  // Expressions.
  Operand value(const Expression &expression, State &state);
  Number number(const Expression &expression, State &state);
  Operand counted(const Operand &pointer, const Number &by, bool back) const;
  Operand binary(const Expression &expression, State &state);
  Operand unary(const Expression &expression, State &state);
  Operand cast(const Operand &operand, const std::string &type, int line);
  bool hasEffects(const Expression &expression) const;
  void refuseEffects(const Expression &expression) const;
  Operand call(const Expression &expression, State &state);
  Operand passed(const Operand &given, const std::string &declared, int line);
  Operand own(const Function &function, const Expression &expression, State &state);
  void popped(const Expression &expression, std::vector<Operand> &operands, const std::string &assigns, State &state);
  Operand method(const Expression &expression, State &state);
  Operand construct(const std::string &type, const std::vector<Operand> &arguments, int line);
  void assign(const Expression &target, const Operand &operand, State &state);
  Operand *variable(const std::string &name, State &state);
  Operand fresh(const std::string &what, IntegerType type);
  Operand floating() const;
  IntegerType typeOf(const std::string &type, int line) const;

  // What orders and what is ordered.
  bool addresses(const Expression &expression, const std::vector<Operand> &operands, State &state);
  int nodeOf(const Node &node);
  Node node(const std::string &name, int pipe, int line) const;
  void start(int node, int versions, State &state);
  void pend(int node, int versions, State &state);
  void barrier(int pipe, int versions, State &state);
  void copy(int pipe, int row, int versions, State &state);
  void learn(int pipe, int row, int versions, State &state);
  void flag(const Statement &statement, State &state);
  void buffer(const Statement &statement, State &state);
  void ends(State &state);

  Exits *exits = nullptr;
  std::string path;       // of calls
  std::vector<int> loops; // around
  std::map<int, Node::Turn> turns;
  std::string turnNames;
  std::string place;      // of the statement that is walked
  std::string returnType; // of the function that is walked
  int loads = 0;          // in that statement
  int depth = 0;          // of the statements around it, those that call it included
  std::map<int, std::string> loopNames;
  std::set<std::string> callers; // the functions that are walked
};

} // namespace ptosync::check
