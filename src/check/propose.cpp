// Looks for certificates: the fixpoint of each loop, and how to divide its iterations. Nothing here is trusted; what it
// finds is believed only where the checker accepts it (check.h).
#include "check/check.h"

#include <algorithm>
#include <numeric>

namespace ptosync::check {
namespace {

/// How a proof is looked for: each is tried after those in front of it.
struct Strategy {
  int first = 0;       // iterations by themselves at a loop's beginning
  bool moduli = false; // a period for each remainder that is asked for in the loop
  int least = 1;       // the period is so many times as long
  int apart = 0;       // ways that stay apart: 0 none, 1 of branches with syncs, 2 of all, loops too
};

const std::vector<Strategy> &strategies() {
  static const std::vector<Strategy> all = {{0, false, 1, 0}, {0, true, 1, 0}, {1, true, 1, 0},
                                            {0, true, 2, 0},  {0, true, 1, 1}, {1, true, 1, 1},
                                            {1, true, 2, 1},  {1, true, 1, 2}, {2, true, 2, 2}};
  return all;
}

bool hasSync(const std::vector<Statement> &statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Statement &statement) {
    return isSync(statement) || hasSync(statement.body) || hasSync(statement.otherwise);
  });
}

/// Constants by name, and what is asked of remainders in a loop's own statements.
class Scan {
public:
  void constants(const std::vector<Statement> &statements) {
    for (const Statement &statement : statements) {
      const Expression *value = &statement.value;
      while (value->kind == Expression::Kind::Cast)
        value = &value->children[0];
      if (statement.kind == Statement::Kind::Declare && statement.hasValue && value->kind == Expression::Kind::Number)
        known[statement.name] = std::stoll(value->text, nullptr, 0);
      constants(statement.body);
    }
  }

  int period(const std::vector<Statement> &statements) const {
    std::int64_t made = 1;
    for (const Statement &statement : statements) {
      made = std::lcm(made, moduli(statement.value));
      if (statement.kind == Statement::Kind::Block || statement.kind == Statement::Kind::If)
        made = std::lcm(made, std::lcm(period(statement.body), period(statement.otherwise)));
    }
    return made > 8 ? 1 : static_cast<int>(made);
  }

  /// The longest period of any loop.
  int longest(const std::vector<Statement> &statements) const {
    int made = 1;
    for (const Statement &statement : statements)
      made = std::max({made, statement.kind == Statement::Kind::Loop ? period(statement.body) : 1,
                       longest(statement.body), longest(statement.otherwise)});
    return made;
  }

private:
  std::int64_t moduli(const Expression &expression) const {
    std::int64_t made = 1;
    if (expression.kind == Expression::Kind::Binary && (expression.text == "%" || expression.text == "&")) {
      const Expression *by = &expression.children[1];
      while (by->kind == Expression::Kind::Cast)
        by = &by->children[0];
      auto named = known.find(by->text);
      std::int64_t value = by->kind == Expression::Kind::Number ? std::stoll(by->text, nullptr, 0)
                           : named != known.end()               ? named->second
                                                                : 1;
      value += expression.text == "&";
      made = value >= 1 && value <= 8 ? value : 1;
    }
    for (const Expression &child : expression.children)
      made = std::lcm(made, moduli(child));
    return made > 64 ? 1 : made;
  }

  std::map<std::string, std::int64_t> known;
};

/// Goes round each loop until nothing is new.
class Searching : public Walk {
public:
  Searching(const Strategy &strategy, const Scan &scan, Scene &scene) : Walk(scene), strategy(strategy), scan(scan) {}
  std::vector<LoopRecord> records;

protected:
  States loop(const Statement &statement, const State &entry) override {
    States in, past, out;
    enter(statement, entry, in, past);
    if (!in.empty())
      out = fixpoint(statement, in[0]);
    out = left(statement, entry, std::move(out));
    for (State &state : past) {
      std::erase_if(state.variables, [&](const auto &one) { return !entry.variables.count(one.first); });
      out.push_back(std::move(state));
    }
    return joined(std::move(out), here(statement));
  }

private:
  States fixpoint(const Statement &statement, const State &in) {
    LoopRecord record;
    record.at = here(statement);
    record.first = strategy.first;
    record.period = strategy.moduli ? std::min(16, scan.period(statement.body) * strategy.least) : strategy.least;
    record.counted = counts(statement, in);
    const std::size_t turns = static_cast<std::size_t>(record.first + record.period);
    std::set<std::pair<std::size_t, std::string>> several; // variables with no one value where the turn begins
    const std::size_t mine = records.size();
    auto startAgain = [&] {
      record.turns.assign(turns, {});
      record.turns[0].emplace().orders = in.orders;
    };
    startAgain();
    for (int rounds = 0; rounds < 60; ++rounds) {
      States out;
      std::vector<States> arriving(turns);
      arriving[0].push_back(in);
      record.turns[0]->values = valuesOf(arriving[0], record.changes, several, 0);
      const LoopRecord tried = record;
      records.resize(mine + 1);
      std::set<std::string> changes;
      bool again = false;
      for (std::size_t turn = 0; turn < turns; ++turn) {
        if (!record.turns[turn])
          continue;
        if (turn > 0 && !arriving[turn].empty())
          record.turns[turn]->values = valuesOf(arriving[turn], record.changes, several, turn);
        const std::map<std::string, std::int64_t> begun = record.turns[turn]->values;
        States round;
        run(statement, in, record, turn, round, out);
        const std::size_t to = next(record, turn);
        for (State &state : round) {
          changes.merge(changed(statement, in, state, record));
          if (record.turns[to])
            record.turns[to]->orders.join(state.orders);
          else
            record.turns[to].emplace().orders = state.orders;
          arriving[to].push_back(std::move(state));
        }
      }
      for (std::size_t turn = 0; turn < turns; ++turn)
        for (const auto &[name, value] :
             record.turns[turn] ? record.turns[turn]->values : std::map<std::string, std::int64_t>{})
          if (!valuesOf(arriving[turn], {name}, several, turn).count(name))
            again = several.insert({turn, name}).second || again;
      if (changes != record.changes) {
        record.changes.merge(changes);
        again = true;
      }
      if (again)
        startAgain();
      else if (same(record, tried)) {
        records[mine] = std::move(record);
        return out;
      }
    }
    refuse(statement.line, "no fixpoint of the loop was found");
  }

  std::map<std::string, std::int64_t> valuesOf(const States &arriving, const std::set<std::string> &changes,
                                               const std::set<std::pair<std::size_t, std::string>> &several,
                                               std::size_t turn) const {
    std::map<std::string, std::int64_t> values = Walk::valuesOf(arriving, changes);
    std::erase_if(values, [&](const auto &entry) { return several.count({turn, entry.first}) != 0; });
    return values;
  }

  static bool same(const LoopRecord &a, const LoopRecord &b) {
    for (std::size_t turn = 0; turn < a.turns.size(); ++turn)
      if (a.turns[turn].has_value() != b.turns[turn].has_value() ||
          (a.turns[turn] &&
           (a.turns[turn]->values != b.turns[turn]->values || !(a.turns[turn]->orders == b.turns[turn]->orders))))
        return false;
    return true;
  }

  /// Whether the loop counts by a constant, and so that it cannot wrap.
  bool counts(const Statement &statement, const State &in) {
    LoopRecord probe;
    probe.first = 0;
    probe.counted = true;
    probe.turns.resize(1);
    probe.turns[0].emplace();
    try {
      begin(statement, in, probe, 0);
    } catch (const Refused &) {
      return false;
    }
    return true;
  }

  const Strategy &strategy;
  const Scan &scan;
};

/// The places of branches, with their calls' paths left out: a helper's ways are joined.
void placesApart(const std::vector<Statement> &statements, int apart, std::set<std::string> &into) {
  for (const Statement &statement : statements) {
    const bool branch = statement.kind == Statement::Kind::If, loop = statement.kind == Statement::Kind::Loop;
    if (apart > 0 && ((branch && (apart > 1 || hasSync({statement}))) || (loop && apart > 1)))
      into.insert(statement.id);
    placesApart(statement.body, apart, into);
    placesApart(statement.otherwise, apart, into);
  }
}

nlohmann::ordered_json search(const Merged &merged, const Machine &machine, const std::string &name,
                              const std::string &core, const Strategy &strategy, const std::string &doubts,
                              bool ordered) {
  const Function &function = merged.file.functions.at(name);
  if (!function.problem.empty())
    throw Refused{function.problem};
  Scan scan;
  scan.constants(merged.file.constants);
  scan.constants(function.body);
  Scene scene{merged.file, machine, core, {}, {}};
  scene.ages = strategy.moduli ? std::max(3, scan.longest(function.body) * strategy.least + 1) : 2;
  setDoubts(doubts, scene);
  scene.absolute = ordered;
  placesApart(function.body, strategy.apart, scene.apart);
  Searching walk(strategy, scan, scene);
  walk.kernel(function);
  refuseLost(walk.lost, scene);
  return writeProof({name, core, doubts, ordered ? "ordered" : "kept", walk.records}, scene);
}

/// The proofs of a kernel by the first strategy that finds them; empty if none does, and `reason` says why.
nlohmann::ordered_json proofsOf(const Merged &merged, const Machine &machine, const std::string &name,
                                const std::string &core, bool ordered, std::string &reason) {
  for (const Strategy &strategy : strategies())
    for (const std::vector<std::string> &ways : {std::vector<std::string>{"any"}, {"00", "01", "10", "11"}})
      try {
        nlohmann::ordered_json proofs = nlohmann::ordered_json::array();
        for (const std::string &doubts : ways)
          proofs.push_back(search(merged, machine, name, core, strategy, doubts, ordered));
        return proofs;
      } catch (const Refused &refused) {
        reason = refused.reason;
      }
  return nlohmann::ordered_json::array();
}

} // namespace

std::string propose(const std::string &before, const std::string &after, const std::string &machineText, Answer &answer,
                    bool ordered) {
  nlohmann::ordered_json made = {{"certificate", 1},
                                 {"before", hashOf(before)},
                                 {"after", hashOf(after)},
                                 {"machine", hashOf(machineText)},
                                 {"kernels", nlohmann::ordered_json::array()}};
  try {
    const nlohmann::json facts = nlohmann::json::parse(machineText);
    const Machine machine(facts);
    for (const std::string core : {"vec", "cube"}) {
      const Merged merged = merge(before, after, machine, core);
      if (!merged.file.sections && core == "cube")
        continue;
      for (const auto &[name, edits] : rootsOf(merged)) {
        KernelAnswer kernel{name, core, edits, edits == 0};
        for (const bool absolute : {false, true}) {
          if (absolute ? !ordered || !kernel.certified : kernel.certified)
            continue;
          std::string reason;
          const nlohmann::ordered_json proofs = proofsOf(merged, machine, name, core, absolute, reason);
          made["kernels"].insert(made["kernels"].end(), proofs.begin(), proofs.end());
          (absolute ? kernel.ordered : kernel.certified) = !proofs.empty();
          kernel.reason = proofs.empty() ? reason : "";
        }
        answer.kernels.push_back(kernel);
      }
    }
  } catch (const Refused &refused) {
    answer.problem = refused.reason;
  } catch (const std::exception &problem) {
    answer.problem = problem.what();
  }
  return made.dump() + "\n";
}

} // namespace ptosync::check
