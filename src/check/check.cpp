#include "check/check.h"

#include <algorithm>

namespace ptosync::check {
namespace {

using nlohmann::json;

constexpr std::size_t kMostTurns = 64; // of a loop

/// Merges the statements of two versions that differ in their syncs, and refuses those that differ in more.
class Merger {
public:
  std::size_t edits = 0;

  std::vector<Statement> merge(const std::vector<Statement> &before, const std::vector<Statement> &after) {
    std::vector<Statement> made;
    std::size_t b = 0, a = 0;
    while (true) {
      std::size_t bEnd = b, aEnd = a;
      while (bEnd < before.size() && isSync(before[bEnd]))
        ++bEnd;
      while (aEnd < after.size() && isSync(after[aEnd]))
        ++aEnd;
      syncs({before.begin() + b, before.begin() + bEnd}, {after.begin() + a, after.begin() + aEnd}, made);
      if (bEnd == before.size() || aEnd == after.size()) {
        if (bEnd != before.size() || aEnd != after.size())
          refuse(aEnd < after.size() ? after[aEnd].line : before[bEnd].line,
                 "a statement that the other version lacks");
        return made;
      }
      made.push_back(statement(before[bEnd], after[aEnd]));
      b = bEnd + 1;
      a = aEnd + 1;
    }
  }

private:
  static std::string place(const Statement &statement) {
    return std::to_string(statement.line) + ":" + std::to_string(statement.column);
  }

  /// The syncs between two statements: each version's in its order. One that both have, with as much in front of it in
  /// both, is one sync; where they stand in another order, they are syncs of one version each.
  void syncs(std::vector<Statement> before, std::vector<Statement> after, std::vector<Statement> &made) {
    std::size_t b = 0;
    for (Statement &one : after) {
      std::size_t found = b;
      while (found < before.size() && spell(before[found].value) != spell(one.value))
        ++found;
      one.id = place(one);
      one.versions = found < before.size() ? 3 : 2;
      edits += found == before.size();
      if (found < before.size()) {
        only(before, b, found, made);
        b = found + 1;
      }
      made.push_back(one);
    }
    only(before, b, before.size(), made);
  }

  void only(std::vector<Statement> &before, std::size_t from, std::size_t to, std::vector<Statement> &made) {
    for (; from < to; ++from, ++edits) {
      before[from].id = "before" + place(before[from]);
      before[from].versions = 1;
      made.push_back(before[from]);
    }
  }

  Statement statement(const Statement &before, const Statement &after) {
    if (before.kind != after.kind || before.type != after.type || before.name != after.name ||
        before.hasValue != after.hasValue || before.hasCondition != after.hasCondition ||
        spell(before.value) != spell(after.value) || before.cases.size() != after.cases.size())
      refuse(after.line, "a statement that is another one in line " + std::to_string(before.line) + " of the input");
    Statement made = after;
    made.id = place(after);
    made.body = merge(before.body, after.body);
    made.otherwise = merge(before.otherwise, after.otherwise);
    made.before = merge(before.before, after.before);
    for (std::size_t i = 0; i < before.cases.size(); ++i) {
      if (before.cases[i].first != after.cases[i].first)
        refuse(after.line, "another label");
      made.cases[i].second = merge(before.cases[i].second, after.cases[i].second);
    }
    return made;
  }
};

void callsIn(const Expression &expression, std::set<std::string> &names) {
  if (expression.kind == Expression::Kind::Call)
    names.insert(expression.text);
  for (const Expression &child : expression.children)
    callsIn(child, names);
}

void callsIn(const std::vector<Statement> &statements, std::set<std::string> &names) {
  for (const Statement &statement : statements) {
    callsIn(statement.value, names);
    callsIn(statement.body, names);
    callsIn(statement.otherwise, names);
    callsIn(statement.before, names);
    for (const auto &[labels, body] : statement.cases)
      callsIn(body, names);
  }
}

/// Takes the beginnings of loops from the certificate, and checks that they are what comes to them, no more and no
/// less.
class Checked : public Walk {
public:
  Checked(const std::vector<LoopRecord> &records, Scene &scene) : Walk(scene), records(records) {}
  bool allUsed() const { return used == records.size(); }

protected:
  States loop(const Statement &statement, const State &entry) override {
    States in, past, out;
    enter(statement, entry, in, past);
    if (!in.empty()) {
      if (used >= records.size())
        refuse(statement.line, "the certificate has nothing of this loop");
      const LoopRecord &record = records[used++];
      const std::size_t turns = record.turns.size();
      if (record.at != here(statement) || record.first < 0 || record.period < 1 || turns > kMostTurns ||
          turns != static_cast<std::size_t>(record.first) + static_cast<std::size_t>(record.period) || !record.turns[0])
        refuse(statement.line, "the certificate speaks of another loop");
      std::vector<States> arriving(turns);
      arriving[0].push_back(in[0]);
      std::set<std::string> changes;
      for (std::size_t turn = 0; turn < turns; ++turn) {
        if (!record.turns[turn])
          continue;
        States round;
        State begun = begin(statement, in[0], record, turn);
        run(statement, in[0], record, turn, round, out);
        for (State &state : round) {
          if (!record.turns[next(record, turn)])
            refuse(statement.line, "a turn that the certificate calls unreached is reached");
          changes.merge(changed(statement, in[0], state, record));
          arriving[next(record, turn)].push_back(std::move(state));
        }
      }
      if (changes != record.changes)
        refuse(statement.line, "other variables change than the certificate says");
      for (std::size_t turn = 0; turn < turns; ++turn)
        if (record.turns[turn])
          covers(statement, *record.turns[turn], arriving[turn], record.changes);
    }
    out = left(statement, entry, std::move(out));
    for (State &state : past) {
      std::erase_if(state.variables, [&](const auto &one) { return !entry.variables.count(one.first); });
      out.push_back(std::move(state));
    }
    return joined(std::move(out), here(statement));
  }

private:
  void covers(const Statement &statement, const LoopRecord::Turn &claim, const States &arriving,
              const std::set<std::string> &changes) {
    if (arriving.empty())
      refuse(statement.line, "no way leads to a turn of the certificate");
    Orders all = arriving[0].orders;
    for (const State &state : arriving)
      all.join(state.orders);
    if (!(all == claim.orders))
      refuse(statement.line, "what comes to the loop is not what the certificate says");
    const std::map<std::string, std::int64_t> values = valuesOf(arriving, changes);
    for (const auto &claimed : claim.values)
      if (auto found = values.find(claimed.first); found == values.end() || found->second != claimed.second)
        refuse(statement.line, claimed.first + " has another value than the certificate says");
  }

  const std::vector<LoopRecord> &records;
  std::size_t used = 0;
};

} // namespace

std::size_t Answer::edits() const {
  std::size_t sum = 0;
  for (const KernelAnswer &kernel : kernels)
    sum += kernel.edits;
  return sum;
}

std::size_t Answer::certifiedEdits() const {
  std::size_t sum = 0;
  for (const KernelAnswer &kernel : kernels)
    sum += kernel.certified ? kernel.edits : 0;
  return sum;
}

namespace {

/// A name that the file gives to something of its own must not be one that the checker takes for something else.
void refuseKnownNames(const File &file, const Machine &machine) {
  static const std::set<std::string> syncs = {"pipe_barrier", "set_flag", "wait_flag", "get_buf", "rls_buf"};
  static const std::set<std::string> types = {
      "bool",         "char",      "int8_t",    "uint8_t",   "int16_t",    "uint16_t", "int32_t",    "uint32_t",
      "int64_t",      "uint64_t",  "size_t",    "event_t",   "half",       "float",    "bfloat16_t", "Tile",
      "GlobalTensor", "TPipe",     "uintptr_t", "float16_t", "TileType",   "BLayout",  "SLayout",    "PadValue",
      "CompactMode",  "Direction", "pto",       "float32_t", "double",     "short",    "Shape",      "Stride",
      "pipe_t",       "mem_dsb_t", "intptr_t",  "longlong",  "unsignedint"}; // types of two words are spelled so
  std::set<std::string> names = file.aliases;
  names.insert(file.typeParameters.begin(), file.typeParameters.end());
  for (const std::string &name : names) // a call of a type is a cast
    if (file.taken.count(name) || (file.aliases.count(name) && file.declared.count(name)))
      throw Refused{"the file has two meanings of " + name};
  names.insert(file.taken.begin(), file.taken.end());
  for (const std::string &name : names) {
    const bool helper = name.rfind("PTOAS__", 0) == 0; // the assembler's own, which are read where they are called
    if (syncs.count(name) || types.count(name) || (machine.isInstruction(name) && !helper))
      throw Refused{"the file has a " + name + " of its own"};
  }
  for (const std::string &name : file.declared)
    if (syncs.count(name) || types.count(name) || machine.pipe(name) >= 0 || name == "PIPE_ALL" ||
        name.rfind("EVENT_ID", 0) == 0)
      throw Refused{"the file declares a " + name + " of its own"};
  for (const Statement &constant : file.constants)
    if (names.count(constant.name))
      throw Refused{"the file has two meanings of " + constant.name};
  for (const auto &[name, function] : file.functions)
    for (const Parameter &parameter : function.parameters)
      if (std::any_of(file.constants.begin(), file.constants.end(),
                      [&](const Statement &constant) { return constant.name == parameter.name; }))
        throw Refused{"a parameter of " + name + " hides the constant " + parameter.name};
}

/// Functions with edits that no kernel is seen to call: they call one another, or themselves.
std::set<std::string> unreached(const Merged &merged, const std::set<std::string> &called,
                                const std::map<std::string, std::set<std::string>> &calls) {
  std::set<std::string> reached;
  std::vector<std::string> open;
  for (const auto &[name, function] : merged.file.functions)
    if (!called.count(name) || function.entry)
      open.push_back(name);
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    if (reached.insert(next).second)
      for (const std::string &call : calls.at(next))
        if (merged.file.functions.count(call))
          open.push_back(call);
  }
  std::set<std::string> orphans;
  for (const auto &[name, edits] : merged.edits)
    if (edits != 0 && !reached.count(name))
      orphans.insert(name);
  return orphans;
}

} // namespace

Merged merge(const std::string &before, const std::string &after, const Machine &machine, const std::string &core) {
  std::set<std::string> defined, known;
  machine.macros(core, defined, known);
  const File input = parse(before, defined, known);
  Merged merged{parse(after, defined, known), {}};
  File &file = merged.file;
  file.sections = file.sections || input.sections;
  if (input.outside != file.outside)
    throw Refused{"the versions differ outside of the functions of a core"};
  refuseKnownNames(file, machine);
  file.constants = Merger().merge(input.constants, file.constants);
  for (auto &[name, function] : file.functions) {
    const Function &old = input.functions.at(name); // with the same head: it stands outside of the body
    function.problem = function.problem.empty() ? old.problem : function.problem;
    Merger merger;
    if (function.problem.empty()) {
      function.body = merger.merge(old.body, function.body);
    } else {
      std::vector<std::string> differ;
      std::set_symmetric_difference(function.syncs.begin(), function.syncs.end(), old.syncs.begin(), old.syncs.end(),
                                    std::back_inserter(differ));
      merger.edits = function.spelled == old.spelled ? 0 : std::max<std::size_t>(1, differ.size());
    }
    merged.edits[name] = merger.edits;
  }
  return merged;
}

std::vector<std::pair<std::string, std::size_t>> rootsOf(const Merged &merged) {
  std::set<std::string> called;
  std::map<std::string, std::set<std::string>> calls;
  for (const auto &[name, function] : merged.file.functions) {
    callsIn(function.body, calls[name]);
    if (!function.problem.empty())
      calls[name] = function.names;
    for (const std::string &call : calls[name])
      if (call != name)
        called.insert(call);
  }
  const std::set<std::string> orphans = unreached(merged, called, calls);
  std::vector<std::pair<std::string, std::size_t>> roots;
  for (const std::string &name : merged.file.order) {
    if (called.count(name) && !merged.file.functions.at(name).entry && !orphans.count(name))
      continue;
    std::set<std::string> reached{name};
    std::vector<std::string> open{name};
    auto reach = [&](const std::string &one) {
      if (merged.file.functions.count(one) && reached.insert(one).second)
        open.push_back(one);
    };
    // What is called in no way that is read here may be called by any: through an address, or a function of no core.
    for (const std::string &mention : merged.file.mentioned)
      if (auto known = merged.file.functions.find(mention);
          known != merged.file.functions.end() && !known->second.entry)
        reach(mention);
    std::size_t edits = 0;
    while (!open.empty()) {
      std::string next = open.back();
      open.pop_back();
      edits += merged.edits.count(next) ? merged.edits.at(next) : 0;
      for (const std::string &call : merged.file.functions.at(next).names)
        reach(call);
    }
    roots.push_back({name, edits});
  }
  return roots;
}

void refuseLost(const std::set<std::pair<Instance, int>> &lost, Scene &scene) {
  Meetings meetings(scene);
  for (const auto &[earlier, later] : lost)
    if (meetings.mustOrder(earlier, later)) {
      auto text = [&](const Node &node) {
        return "line " + std::to_string(node.line) + " (" + node.name + " on " + scene.machine.pipes[node.pipe] + ")";
      };
      throw Refused{text(scene.nodes[earlier.node]) +
                    (earlier.loop ? ", " + std::to_string(earlier.age) + " iterations ago," : "") +
                    " is not seen to be over before " + (later < 0 ? "the kernel ends" : text(scene.nodes[later]))};
    }
}

namespace {

KernelProof checkKernel(const Merged &merged, const Machine &machine, const std::string &name, const std::string &core,
                        const json &claim) {
  Scene scene{merged.file, machine, core, {}, {}};
  KernelProof proof = readProof(claim, scene);
  const Function &function = merged.file.functions.at(name);
  if (!function.problem.empty())
    throw Refused{function.problem};
  Checked walk(proof.loops, scene);
  walk.kernel(function);
  if (!walk.allUsed())
    throw Refused{"the certificate has more loops than the kernel"};
  for (const Node &node : scene.nodes)
    if (node.name.empty())
      throw Refused{"the certificate speaks of " + node.key + ", which no way comes to"};
  refuseLost(walk.lost, scene);
  return proof;
}

} // namespace

Answer checkCertificate(const std::string &before, const std::string &after, const std::string &machineText,
                        const std::string &text) {
  Answer answer;
  try {
    const json certificate = json::parse(text), facts = json::parse(machineText);
    const Machine machine(facts);
    if (certificate.at("certificate") != 1 || certificate.at("before") != hashOf(before) ||
        certificate.at("after") != hashOf(after) || certificate.at("machine") != hashOf(machineText))
      throw Refused{"the certificate is for other files or another machine"};
    std::size_t used = 0;
    for (const std::string core : {"vec", "cube"}) {
      const Merged merged = merge(before, after, machine, core);
      if (!merged.file.sections && core == "cube")
        continue; // the same text once more
      for (const auto &[name, edits] : rootsOf(merged)) {
        KernelAnswer kernel{name, core, edits, edits == 0};
        const json &kernels = certificate.at("kernels");
        try {
          for (const json &claim : kernels)
            used += claim.at("kernel") == name && claim.at("core") == core;
          std::map<std::string, std::multiset<std::string>> proved; // by claim
          for (const json &claim : kernels)
            if (claim.at("kernel") == name && claim.at("core") == core) {
              const KernelProof proof = checkKernel(merged, machine, name, core, claim);
              proved[proof.claim].insert(proof.doubts);
            }
          if (edits > 0 && !proved.count("kept"))
            throw Refused{"the certificate says nothing of it"};
          for (const auto &[claim, ways] : proved)
            if (ways != std::multiset<std::string>{"any"} && ways != std::multiset<std::string>{"00", "01", "10", "11"})
              throw Refused{"the certificate has no proof for some way to take what is open, or one too many"};
          kernel.certified = true;
          kernel.ordered = proved.count("ordered") != 0;
        } catch (const Refused &refused) {
          kernel.certified = false;
          kernel.reason = refused.reason;
        }
        answer.kernels.push_back(kernel);
      }
    }
    if (used != certificate.at("kernels").size())
      throw Refused{"the certificate speaks of kernels that are not there"};
  } catch (const Refused &refused) {
    answer.problem = refused.reason;
  } catch (const std::exception &problem) {
    answer.problem = problem.what();
  }
  return answer;
}

} // namespace ptosync::check
