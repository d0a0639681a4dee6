#include "differential/checker_match.h"

#include "check/check.h"
#include "check/facts.h"

#include <algorithm>

namespace ptosync::differential {
namespace {

using Native = NativeEvent::Kind;

constexpr std::size_t kMostRounds = 20000; // of all loops of a run together

/// What the walk comes to: a call, or a sync with its pipes and id.
struct Met {
  std::string name;
  int line = 0;
  std::vector<check::Operand> operands;
  std::string source, destination;
  std::int64_t id = 0;
};

/// Thrown where a run has come to more than its log has room for.
struct Enough {};

/// One run: every number known, but for what is loaded.
class Unrolled : public check::Walk {
public:
  Unrolled(check::Scene &scene, std::size_t most) : Walk(scene), most(most) {}
  std::vector<Met> met;

protected:
  check::States loop(const check::Statement &statement, const check::State &entry) override {
    check::States in, past, out;
    enter(statement, entry, in, past);
    check::LoopRecord record;
    record.at = here(statement);
    record.turns.resize(1);
    while (!in.empty()) {
      if (++rounds > kMostRounds)
        throw check::Refused{"too many rounds for this test"};
      check::States round;
      record.turns[0].emplace().orders = in[0].orders;
      run(statement, in[0], record, 0, round, out);
      in = std::move(round);
    }
    std::move(past.begin(), past.end(), std::back_inserter(out));
    return left(statement, entry, std::move(out));
  }

  void assume(check::State &state, const check::Number &truth, bool holds) const override {
    if (!truth.isConstant())
      throw check::Refused{"a branch on what is not known in this run"};
    Walk::assume(state, truth, holds);
  }

  void sync(const check::Statement &statement, check::State &state) override {
    const std::vector<check::Expression> &given = statement.value.children;
    const bool barrier = statement.value.text == "pipe_barrier";
    const bool flag = statement.value.text == "set_flag" || statement.value.text == "wait_flag";
    if (given.size() != (barrier ? 1 : 3))
      throw check::Refused{"a sync of this form"};
    Met one{statement.value.text, statement.line, {}, nameOf(pipeArgument(given[0], barrier)), "", 0};
    one.destination = flag ? nameOf(pipeArgument(given[1], false)) : one.source;
    if (!barrier)
      one.id = idOf(given[flag ? 2 : 1], state);
    meet(one);
  }

  void instruction(const std::string &name, const std::vector<std::string> &templates,
                   const std::vector<check::Operand> &operands, check::State &, int line) override {
    Met one{name, line, operands, "", "", 0};
    // The walk has what the call gives a place where it is then, the log where it was before.
    if (!machine.effects(name, templates, operands, scene.core, numbers, line).assigns.empty())
      for (check::Operand &operand : one.operands)
        operand.placed = false;
    meet(one);
  }

private:
  void meet(const Met &one) {
    if (met.size() >= most)
      throw Enough{};
    met.push_back(one);
  }

  std::string nameOf(int pipe) const { return pipe < 0 ? "PIPE_ALL" : machine.pipes[static_cast<std::size_t>(pipe)]; }

  const std::size_t most;
  std::size_t rounds = 0;
};

// --- the arguments and what the core says of itself, as constants ---

check::Expression literal(std::int64_t value) {
  check::Expression number;
  number.text = std::to_string(value < 0 ? -value : value) + "l";
  if (value >= 0)
    return number;
  check::Expression negative;
  negative.kind = check::Expression::Kind::Unary;
  negative.text = "-";
  negative.children = {number};
  return negative;
}

void replaceQueries(check::Expression &expression, const std::map<std::string, std::int64_t> &queries) {
  for (check::Expression &child : expression.children)
    replaceQueries(child, queries);
  auto query = queries.find(expression.text.substr(expression.text.find_last_of(':') + 1));
  if (expression.kind == check::Expression::Kind::Call && query != queries.end())
    expression = literal(query->second);
}

void replaceQueries(std::vector<check::Statement> &statements, const std::map<std::string, std::int64_t> &queries) {
  for (check::Statement &statement : statements) {
    replaceQueries(statement.value, queries);
    for (auto *inner : {&statement.body, &statement.otherwise, &statement.before})
      replaceQueries(*inner, queries);
    for (auto &[labels, body] : statement.cases)
      replaceQueries(body, queries);
  }
}

/// The function with its numbers as variables that are declared where it begins.
check::Function withArguments(check::Function function, const NativeRun &run) {
  std::vector<check::Statement> declared;
  std::vector<check::Parameter> parameters;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const check::Parameter &parameter = function.parameters[i];
    auto given = run.arguments.find(static_cast<std::uint32_t>(i));
    const bool number = parameter.type.find_first_of("*&<") == std::string::npos && !parameter.name.empty();
    if (!number || given == run.arguments.end() || given->second == INT64_MIN) {
      parameters.push_back(parameter);
      continue;
    }
    check::Statement statement;
    statement.kind = check::Statement::Kind::Declare;
    statement.line = function.line;
    statement.id = "argument " + parameter.name;
    statement.type = parameter.type;
    statement.name = parameter.name;
    statement.hasValue = true;
    statement.value = literal(given->second);
    declared.push_back(statement);
  }
  function.parameters = parameters;
  function.body.insert(function.body.begin(), declared.begin(), declared.end());
  return function;
}

// --- the comparison ---

class Matcher {
public:
  Matcher(const check::Function &function, const check::Machine &machine, const NativeRun &run, bool lines)
      : machine(machine), run(run), lines(lines) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
      if (auto given = run.arguments.find(static_cast<std::uint32_t>(i)); given != run.arguments.end())
        arguments[function.parameters[i].name] = given->second;
  }

  CheckerMatch match(const std::vector<Met> &met) {
    std::size_t next = 0;
    for (const Met &one : met) {
      next = shown(next);
      if (next >= run.events.size()) {
        if (!run.complete())
          return made;
        if (one.name != "scalar.load")
          return differs(one, nullptr, "");
        continue;
      }
      const NativeEvent &event = run.events[next];
      std::string why;
      if (same(one, event, why)) {
        ++made.events;
        ++next;
      } else if (one.name != "scalar.load") { // a load too many: nothing is lost by it
        return differs(one, &event, why);
      }
    }
    next = shown(next);
    if (run.complete() && next < run.events.size()) {
      made.verdict = CheckerMatch::Verdict::Different;
      made.reason = "the checker's walk ends; natively follows " + describe(run.events[next]);
      made.line = run.events[next].line;
    }
    return made;
  }

private:
  /// The next event that the walk has to show.
  std::size_t shown(std::size_t next) const {
    auto silent = [&](const NativeEvent &event) {
      return event.kind == Native::Passive ||
             (event.kind == Native::Call && machine.isInstruction(event.name) &&
              (machine.category(event.name) == "scalar" || machine.category(event.name) == "alias"));
    };
    while (next < run.events.size() && silent(run.events[next]))
      ++next;
    return next;
  }

  CheckerMatch differs(const Met &one, const NativeEvent *event, const std::string &why) {
    made.verdict = CheckerMatch::Verdict::Different;
    made.line = static_cast<std::uint32_t>(one.line);
    made.reason = why + "checked " + one.name + " line " + std::to_string(one.line) +
                  (one.source.empty() ? "" : " " + one.source + " " + one.destination + " " + std::to_string(one.id)) +
                  "; natively " + (event ? describe(*event) : "the run ends");
    return made;
  }

  bool same(const Met &one, const NativeEvent &event, std::string &why) {
    if (one.name == "scalar.load" || one.name == "scalar.store")
      return event.kind == (one.name == "scalar.load" ? Native::Load : Native::Store) && sameMemory(one, event);
    static const std::map<Native, std::string> names = {{Native::SetFlag, "set_flag"},
                                                        {Native::WaitFlag, "wait_flag"},
                                                        {Native::Barrier, "pipe_barrier"},
                                                        {Native::GetBuffer, "get_buf"},
                                                        {Native::ReleaseBuffer, "rls_buf"}};
    auto sync = names.find(event.kind);
    if (one.name != (sync == names.end() ? event.name : sync->second))
      return false;
    if (lines && event.line != 0 && static_cast<std::uint32_t>(one.line) != event.line) {
      why = "another line: ";
      return false;
    }
    if (sync != names.end())
      return event.pipesKnown && one.source == pipeName(event.source) &&
             one.destination == pipeName(event.destination) &&
             (event.kind == Native::Barrier || (++made.operands, one.id == event.id));
    if (event.kind != Native::Call || one.operands.size() != event.operands.size())
      return false;
    for (std::size_t i = 0; i < one.operands.size(); ++i)
      if (!sameOperand(one.operands[i], event.operands[i])) {
        why = "operand " + std::to_string(i + 1) + ": " + text(one.operands[i]) + ": ";
        return false;
      }
    return true;
  }

  bool sameMemory(const Met &one, const NativeEvent &event) {
    const check::Operand &pointer = one.operands.at(0);
    return sameAddress(pointer, event.address) && (pointer.tensor.bits == 0 || pointer.tensor.bits == event.bytes * 8);
  }

  std::string text(const check::Operand &operand) const {
    return (operand.number.isConstant() ? std::to_string(operand.number.constant) : "unknown") +
           (operand.base.empty() ? "" : " from " + operand.base) + (operand.placed ? "" : ", not placed") + ", " +
           std::to_string(operand.tile.validRows) + " x " + std::to_string(operand.tile.validColumns);
  }

  bool known(std::int64_t checked, std::int64_t native) {
    ++made.operands;
    return checked == native;
  }

  /// -1 where the walk does not know.
  bool side(std::int64_t checked, std::int64_t native) {
    return checked == -1 ? (++made.unknown, true) : known(checked, native);
  }

  /// Of a tensor or a pointer: its argument and the bytes from there.
  bool sameAddress(const check::Operand &operand, std::int64_t native) {
    auto argument = arguments.find(operand.base);
    if (!operand.placed || !operand.number.isConstant() || argument == arguments.end())
      return ++made.unknown, true;
    return known(argument->second + operand.number.constant, native);
  }

  bool sameOperand(const check::Operand &operand, const NativeOperand &native) {
    using Kind = check::Operand::Kind;
    switch (operand.kind) {
    case Kind::Tile:
      return native.kind == NativeOperand::Kind::Tile && operand.tile.bits == native.details[0] &&
             operand.tile.rows == native.details[1] && operand.tile.columns == native.details[2] &&
             side(operand.tile.validRows, native.details[3]) && side(operand.tile.validColumns, native.details[4]) &&
             (!operand.placed || !operand.number.isConstant() || native.storage == NativeOperand::Storage::Unknown
                  ? (++made.unknown, true)
                  : native.storage == NativeOperand::Storage::Set && known(operand.number.constant, native.value));
    case Kind::Tensor: {
      if (native.kind != NativeOperand::Kind::Tensor)
        return false;
      if (native.storage != NativeOperand::Storage::Set)
        return ++made.unknown, native.storage == NativeOperand::Storage::Unknown || !operand.placed;
      bool fits = sameAddress(operand, native.value);
      for (std::size_t d = 0; d < 5; ++d)
        fits = fits && side(operand.tensor.shape[d], native.details[d]) &&
               side(operand.tensor.stride[d], native.details[5 + d]);
      return fits;
    }
    case Kind::Fifo:
      return native.kind == NativeOperand::Kind::Fifo && sameNumber(operand.number, native.details[0]) &&
             sameNumber(operand.otherRing, native.details[1]);
    case Kind::Pointer: return native.kind == NativeOperand::Kind::Pointer && sameAddress(operand, native.value);
    case Kind::Scalar:
      if (!operand.text.empty()) // of floating point, or an enumerator
        return ++made.unknown, true;
      return native.kind == NativeOperand::Kind::Scalar && sameNumber(operand.number, native.value);
    case Kind::Other: break;
    }
    return ++made.unknown, true;
  }

  bool sameNumber(const check::Number &number, std::int64_t native) {
    return number.isConstant() ? known(number.constant, native) : (++made.unknown, true);
  }

  const check::Machine &machine;
  const NativeRun &run;
  const bool lines;
  std::map<std::string, std::int64_t> arguments;
  CheckerMatch made;
};

} // namespace

CheckerMatch matchChecker(const std::string &text, const std::string &kernel, const std::string &core,
                          const std::string &machineName, const NativeRun &run,
                          const std::map<std::string, std::int64_t> &queries, bool lines) {
  const check::Machine machine(nlohmann::json::parse(check::factsOf(machineName)));
  try {
    check::Merged merged = check::merge(text, text, machine, core);
    auto found = merged.file.functions.find(kernel);
    if (found == merged.file.functions.end())
      throw check::Refused{"no kernel of that name was read"};
    if (!found->second.problem.empty())
      throw check::Refused{found->second.problem};
    for (auto &[name, function] : merged.file.functions)
      replaceQueries(function.body, queries);
    check::Scene scene{merged.file, machine, core, {}, {}};
    Unrolled walk(scene, run.events.size() + kMostRounds);
    const check::Function function = withArguments(found->second, run);
    try {
      walk.kernel(function);
    } catch (const Enough &) {
    }
    return Matcher(found->second, machine, run, lines).match(walk.met);
  } catch (const check::Refused &refused) {
    CheckerMatch given;
    given.verdict = CheckerMatch::Verdict::GivenUp;
    given.reason = refused.reason;
    return given;
  }
}

} // namespace ptosync::differential
