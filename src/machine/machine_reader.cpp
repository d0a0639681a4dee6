// Reads a machine file. Structure is checked by hand, so that each message names the JSON
// pointer and what was expected; src/machine/schema.json says the same for editors and tests.
#include "machine/machine.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedMachineFiles();

using nlohmann::json;

/// Collects the first problem; every accessor returns a harmless value after it.
class MachineReader {
public:
  explicit MachineReader(std::string_view file) : file(file) {}

  llvm::Expected<Machine> read(const json &root) {
    Machine machine;
    if (integer(root, "schema", "") != 1)
      fail("/schema", "1");
    machine.archName = text(root, "arch", "");
    machine.libraryVersion = text(root, "library", "");
    for (const json &space : array(root, "spaces", ""))
      machine.memorySpaces.push_back(readSpace(space));
    readPipes(array(root, "barriers", ""), "/barriers", machine.legalBarriers);
    readPipes(array(root, "cores", "", false), "/cores", machine.corePipes);
    for (const json &fact : array(root, "absent", "", false))
      machine.absentFacts.push_back(readAbsent(fact));
    const json &flags = object(root, "flags", "");
    machine.flagIdCount = static_cast<unsigned>(integer(flags, "ids", "/flags"));
    machine.rangeIsError = text(flags, "outOfRange", "/flags", false) == "error";
    machine.selfPairError = text(flags, "selfPair", "/flags", false) == "error";
    machine.folding = choice<IdFolding>(flags, "higher", "/flags", IdFolding::None,
                                        {{"fold", IdFolding::Folds}, {"open", IdFolding::Either}});
    for (const json &entry : array(root, "reservedBetweenCores", "", false)) {
      ReservedIds reserved{strings(array(entry, "calls", "/reservedBetweenCores"), "/reservedBetweenCores/calls"),
                           static_cast<std::size_t>(integer(entry, "arguments", "/reservedBetweenCores")), {},
                           gradeNamed(text(entry, "grade", "/reservedBetweenCores"))};
      for (const json &id : array(entry, "ids", "/reservedBetweenCores"))
        if (id.is_number_integer())
          reserved.ids.push_back(id.get<std::int64_t>());
        else
          fail("/reservedBetweenCores/ids", "whole numbers");
      machine.reservedCoreIds.push_back(std::move(reserved));
    }
    for (const json &rule : array(root, "rules", "")) {
      machine.ruleTable.push_back(readRule(rule));
      resolveRule(machine.ruleTable.back(), machine.orderingRules);
    }
    const json &instructions = object(root, "instructions", "");
    for (const auto &[name, facts] : instructions.items())
      machine.instructionTable[name] = readInstruction(facts, "/instructions/" + name);
    if (!problem.empty())
      return llvm::createStringError(problem);
    return machine;
  }

private:
  void fail(const std::string &pointer, const std::string &expected) {
    if (problem.empty())
      problem = std::string(file) + ": " + (pointer.empty() ? "/" : pointer) + ": expected " + expected;
  }

  const json &member(const json &parent, const char *key, const std::string &at, bool required) {
    static const json nothing;
    if (!parent.is_object()) {
      fail(at, "an object");
      return nothing;
    }
    auto found = parent.find(key);
    if (found != parent.end())
      return *found;
    if (required)
      fail(at + "/" + key, "this key to be present");
    return nothing;
  }
  const json &array(const json &parent, const char *key, const std::string &at, bool required = true) {
    static const json none = json::array();
    const json &value = member(parent, key, at, required);
    if (value.is_array())
      return value;
    if (!value.is_null() || required)
      fail(at + "/" + key, "an array");
    return none;
  }
  const json &object(const json &parent, const char *key, const std::string &at) {
    static const json none = json::object();
    const json &value = member(parent, key, at, true);
    if (value.is_object())
      return value;
    fail(at + "/" + key, "an object");
    return none;
  }
  std::string text(const json &parent, const char *key, const std::string &at, bool required = true) {
    const json &value = member(parent, key, at, required);
    if (value.is_string())
      return value.get<std::string>();
    if (!value.is_null() || required)
      fail(at + "/" + key, "a string");
    return {};
  }
  std::int64_t integer(const json &parent, const char *key, const std::string &at) {
    return integer(parent, key, at, true, 0);
  }
  std::int64_t integer(const json &parent, const char *key, const std::string &at, bool required,
                       std::int64_t otherwise) {
    const json &value = member(parent, key, at, required);
    if (value.is_number_integer())
      return value.get<std::int64_t>();
    if (!value.is_null() || required)
      fail(at + "/" + key, "a whole number");
    return otherwise;
  }
  /// The value that `key` names; `otherwise` without the key.
  template <typename Value>
  Value choice(const json &parent, const char *key, const std::string &at, Value otherwise,
               const std::vector<std::pair<const char *, Value>> &names) {
    std::string given = text(parent, key, at, false), expected;
    if (given.empty())
      return otherwise;
    for (const auto &[name, value] : names) {
      if (given == name)
        return value;
      expected += (expected.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    }
    fail(at + "/" + key, "one of " + expected);
    return otherwise;
  }
  Pipe pipeOf(const json &value, const std::string &at) {
    if (value.is_string())
      if (std::optional<Pipe> pipe = parsePipe(value.get_ref<const std::string &>()))
        return *pipe;
    fail(at, "a pipe name such as \"PIPE_V\"");
    return Pipe::S;
  }
  std::vector<std::string> strings(const json &list, const std::string &at) {
    std::vector<std::string> result;
    if (list.is_string())
      return {list.get<std::string>()};
    if (!list.is_array())
      fail(at, "a string or an array of strings");
    else
      for (const json &entry : list)
        if (entry.is_string())
          result.push_back(entry.get<std::string>());
        else
          fail(at, "strings");
    return result;
  }

  Grade gradeOf(const json &value, const std::string &at) { return gradeNamed(text(value, "grade", at, false)); }

  static Grade gradeNamed(const std::string &grade) {
    return grade == "A" ? Grade::A : grade == "B" ? Grade::B : grade == "C" ? Grade::C : Grade::D;
  }

  void readPipes(const json &list, const std::string &at, Machine::PipesBySection &table) {
    for (const json &entry : list) {
      Machine::SectionPipes &pipes = table[text(entry, "section", at)];
      for (const json &pipe : array(entry, "pipes", at))
        pipes.pipes.push_back(pipeOf(pipe, at));
      for (const json &pipe : array(entry, "contested", at, false))
        pipes.contested.push_back(pipeOf(pipe, at));
      pipes.grade = gradeOf(entry, at);
    }
  }

  AbsentFact readAbsent(const json &value) {
    AbsentFact fact;
    std::string section = text(value, "section", "/absent");
    fact.section = section == "vec" ? Section::Vec : section == "cube" ? Section::Cube : Section::Both;
    fact.calls = strings(array(value, "calls", "/absent"), "/absent/calls");
    for (const std::string &pipe : strings(array(value, "barriers", "/absent"), "/absent/barriers"))
      fact.calls.push_back("pipe_barrier(" + pipe + ")");
    fact.grade = gradeOf(value, "/absent");
    return fact;
  }

  MemorySpace readSpace(const json &value) {
    MemorySpace space;
    space.name = text(value, "name", "/spaces");
    space.bytes = static_cast<std::uint64_t>(integer(value, "bytes", "/spaces"));
    space.tiles = strings(array(value, "tiles", "/spaces"), "/spaces/tiles");
    return space;
  }

  MachineRule readRule(const json &value) {
    MachineRule rule;
    rule.id = text(value, "id", "/rules");
    std::string at = "/rules/" + rule.id;
    rule.title = text(value, "title", at);
    rule.evidence = text(value, "evidence", at);
    rule.grade = text(value, "grade", at);
    std::string use = text(value, "use", at);
    rule.use = use == "justify" ? RuleUse::Justify : use == "conflict" ? RuleUse::Conflict : RuleUse::Silence;
    if (rule.use == RuleUse::Silence && use != "silence")
      fail(at + "/use", "\"justify\", \"silence\" or \"conflict\"");
    // A contested fact may silence a finding, it never takes a sync out.
    if (rule.use == RuleUse::Justify && rule.grade != "A" && rule.grade != "B")
      fail(at + "/use", "\"silence\" for a rule of grade " + rule.grade);
    for (const auto &[key, parameter] : object(value, "parameters", at).items()) {
      if (parameter.is_string())
        rule.text[key] = parameter.get<std::string>();
      else if (parameter.is_number_integer())
        rule.numbers[key] = parameter.get<std::int64_t>();
      else
        rule.lists[key] = strings(parameter, at + "/parameters/" + key);
    }
    return rule;
  }

  Pipe rulePipe(const MachineRule &rule) {
    auto pipe = rule.text.find("pipe");
    std::optional<Pipe> parsed = pipe == rule.text.end() ? std::nullopt : parsePipe(pipe->second);
    if (!parsed)
      fail("/rules/" + rule.id + "/parameters/pipe", "a pipe name such as \"PIPE_V\"");
    return parsed.value_or(Pipe::S);
  }
  std::int64_t ruleNumber(const MachineRule &rule, const char *name) {
    auto number = rule.numbers.find(name);
    if (number == rule.numbers.end() || number->second <= 0) {
      fail("/rules/" + rule.id + "/parameters/" + name, "a number above 0");
      return 1;
    }
    return number->second;
  }
  const std::vector<std::string> &ruleList(const MachineRule &rule, const char *name) {
    static const std::vector<std::string> none;
    auto list = rule.lists.find(name);
    if (list != rule.lists.end())
      return list->second;
    fail("/rules/" + rule.id + "/parameters/" + name, "a list of names");
    return none;
  }

  /// What the rule says, in the form that the engines ask for.
  void resolveRule(const MachineRule &rule, OrderingRules &rules) {
    bool conflict = rule.id == "l0c-read-read";
    if (conflict != (rule.use == RuleUse::Conflict))
      fail("/rules/" + rule.id + "/use", conflict ? "\"conflict\"" : "\"justify\" or \"silence\"");
    if (rule.id == "scalar-order")
      rules.scalarOrder = rule.use;
    else if (rule.id == "library-scratch")
      rules.libraryScratch = rule.use;
    else if (rule.id == "gm-arguments-distinct")
      rules.argumentsDistinct = rule.use;
    else if (conflict)
      rules.readReadConflict = rule.use;
    else if (rule.id == "vector-order")
      rules.vectorOrder = PipeOrderRule{rule.use, rulePipe(rule)};
    else if (rule.id == "mte2-load-order")
      rules.loadOrder = PipeOrderRule{rule.use, rulePipe(rule)};
    else if (rule.id == "m-accumulate-order")
      rules.accumulateOrder = PipeOrderRule{rule.use, rulePipe(rule)};
    else if (rule.id == "same-access-chain")
      rules.chain =
          ChainRule{rule.use, rulePipe(rule), ruleNumber(rule, "minRepeats"), ruleNumber(rule, "repeatBytes")};
    else if (rule.id == "m-accumulate-fractals")
      rules.accumulateFractals = readFractals(rule);
    else if (rule.id == "copy-pipe") {
      const std::vector<std::string> &names = ruleList(rule, "instructions");
      rules.copies = CopyRule{rule.use, {names.begin(), names.end()}};
    }
  }

  AccumulateFractalsRule readFractals(const MachineRule &rule) {
    AccumulateFractalsRule fractals{rule.use, rulePipe(rule), ruleNumber(rule, "minFractals"),
                                    ruleNumber(rule, "fractalSide"), {ruleNumber(rule, "inputBits")}, Grade::D};
    auto below = rule.text.find("below");
    if (below != rule.text.end())
      fractals.below = gradeNamed(below->second);
    return fractals;
  }

  AccessReach readReach(const json &value, const std::string &at) {
    AccessReach reach;
    reach.rowsOf = text(value, "rowsOf", at, false);
    reach.rowBytesOf = text(value, "rowBytesOf", at, false);
    reach.elementsOf = text(value, "elementsOf", at, false);
    reach.shapeOf = text(value, "shapeOf", at, false);
    reach.rowsPer = integer(value, "rowsPer", at, false, 1);
    reach.step = integer(value, "step", at, false, 0);
    reach.rowUnit = integer(value, "rowUnit", at, false, 1);
    if (const json &share = member(value, "rowShare", at, false); share.is_array() && share.size() == 2 &&
                                                                  share[0].is_number_integer() && share[1].is_number_integer())
      reach.shareOf = share[0].get<std::int64_t>(), reach.shareIn = share[1].get<std::int64_t>();
    reach.bytes = integer(value, "bytes", at, false, 0);
    reach.behind = integer(value, "behind", at, false, 0);
    reach.shapeBytes = integer(value, "shapeBytes", at, false, 0);
    if (reach.rowsPer < 1 || reach.rowUnit < 1 || reach.shareOf < 1 || reach.shareIn < 1 || reach.step < 0 || reach.bytes < 0 || reach.behind < 0 || reach.shapeBytes < 0)
      fail(at, "numbers of bytes, and rowsPer, rowUnit and rowShare above 0");
    for (const json &shape : array(value, "shapes", at, false))
      if (shape.is_array() && shape.size() == 2 && shape[0].is_number_integer() && shape[1].is_number_integer())
        reach.shapes.push_back({shape[0].get<std::int64_t>(), shape[1].get<std::int64_t>()});
      else
        fail(at + "/shapes", "[rows, columns]");
    return reach;
  }

  OperandRole readRole(const std::string &role, const std::string &at) {
    static const std::pair<const char *, OperandRole> kRoles[] = {
        {"write", OperandRole::Write},     {"read", OperandRole::Read},     {"readwrite", OperandRole::ReadWrite},
        {"scratch", OperandRole::Scratch}, {"scalar", OperandRole::Scalar}, {"config", OperandRole::Config},
        {"ignored", OperandRole::Ignored}, {"fifo", OperandRole::Fifo}};
    for (const auto &[name, value] : kRoles)
      if (role == name)
        return value;
    fail(at + "/role", "an operand role");
    return OperandRole::Ignored;
  }

  LibraryPhase readPhase(const json &value, const std::string &at) {
    LibraryPhase phase;
    if (value.is_object() && value.contains("barrier")) {
      phase.barrier = true;
      phase.pipe = pipeOf(value["barrier"], at + "/barrier");
      return phase;
    }
    phase.pipe = pipeOf(member(value, "pipe", at, true), at + "/pipe");
    phase.reads = strings(array(value, "reads", at, false), at + "/reads");
    phase.writes = strings(array(value, "writes", at, false), at + "/writes");
    return phase;
  }

  InstructionForm readForm(const json &value, const std::string &at) {
    InstructionForm form;
    for (const json &operand : array(value, "operands", at)) {
      OperandFact fact;
      fact.name = text(operand, "name", at);
      fact.role = readRole(text(operand, "role", at), at);
      const json &optional = member(operand, "optional", at, false);
      fact.optional = optional.is_boolean() && optional.get<bool>();
      const json &doubtful = member(operand, "doubtful", at, false);
      fact.doubtful = doubtful.is_boolean() && doubtful.get<bool>();
      fact.region = choice<AccessRegion>(operand, "region", at, AccessRegion::Valid,
                                         {{"run", AccessRegion::Run},
                                          {"rows", AccessRegion::Rows},
                                          {"repeats", AccessRegion::Repeats},
                                          {"whole", AccessRegion::Whole}});
      fact.order = choice<AccessOrder>(operand, "order", at, AccessOrder::Unknown,
                                       {{"sequential", AccessOrder::Sequential},
                                        {"elementwise", AccessOrder::Elementwise},
                                        {"rows", AccessOrder::Rows},
                                        {"columns", AccessOrder::Columns},
                                        {"reduce", AccessOrder::Reduce}});
      const json &reach = member(operand, "reach", at, false);
      if (reach.is_object())
        fact.reaches.push_back(readReach(reach, at + "/reach"));
      else if (reach.is_array())
        for (std::size_t i = 0; i < reach.size(); ++i)
          fact.reaches.push_back(readReach(reach[i], at + "/reach/" + std::to_string(i)));
      form.operands.push_back(std::move(fact));
    }
    if (value.contains("when"))
      for (const auto &[key, wanted] : object(value, "when", at).items())
        form.when[key] = strings(wanted, at + "/when/" + key);
    if (const json &product = member(value, "product", at, false); product.is_object()) {
      form.productRows = text(product, "rows", at + "/product");
      form.productCols = text(product, "columns", at + "/product");
    }
    for (const json &pipe : array(value, "pipes", at))
      form.pipes.insert(pipeOf(pipe, at + "/pipes"));
    for (const json &hidden : array(value, "hidden", at, false))
      form.hidden.push_back({text(hidden, "name", at), text(hidden, "space", at),
                             static_cast<std::uint64_t>(integer(hidden, "offset", at)),
                             static_cast<std::uint64_t>(integer(hidden, "bytes", at))});
    for (const json &phase : array(value, "library", at, false))
      form.library.push_back(readPhase(phase, at + "/library"));
    form.libraryUnless = text(value, "libraryUnless", at, false);
    for (const json &flag : array(value, "flags", at, false))
      if (flag.is_array() && flag.size() == 3 && flag[2].is_number_unsigned())
        form.flags.push_back({pipeOf(flag[0], at), pipeOf(flag[1], at), flag[2].get<unsigned>()});
      else
        fail(at + "/flags", "[source pipe, destination pipe, id]");
    std::string fence = text(value, "fence", at, false), assigns = text(value, "assigns", at, false);
    form.fence = fence == "all"       ? FenceKind::All
                 : fence == "pipes"   ? FenceKind::Pipes
                 : fence == "acquire" ? FenceKind::Acquire
                 : fence == "release" ? FenceKind::Release
                                      : FenceKind::None;
    if (form.fence == FenceKind::None && !fence.empty())
      fail(at + "/fence", "\"all\", \"pipes\", \"acquire\" or \"release\"");
    form.assigns = assigns == "address"  ? Assigns::Address
                   : assigns == "tensor" ? Assigns::Tensor
                                         : Assigns::Nothing;
    if (form.assigns == Assigns::Nothing && !assigns.empty())
      fail(at + "/assigns", "\"address\" or \"tensor\"");
    return form;
  }

  InstructionFacts readInstruction(const json &value, const std::string &at) {
    InstructionFacts facts;
    std::size_t number = 0;
    for (const json &form : array(value, "forms", at))
      facts.forms.push_back(readForm(form, at + "/forms/" + std::to_string(number++)));
    for (const std::string &trait : strings(array(value, "traits", at, false), at + "/traits"))
      facts.traits.insert(trait);
    return facts;
  }

  std::string_view file;
  std::string problem;
};

llvm::Expected<Machine> Machine::parse(std::string_view text, std::string_view name) {
  json root;
  try {
    root = json::parse(text.begin(), text.end());
  } catch (const json::parse_error &error) {
    return llvm::createStringError(std::string(name) + ": not JSON: " + error.what());
  }
  return MachineReader(name).read(root);
}

llvm::Expected<Machine> Machine::builtIn(std::string_view arch) {
  std::string file = std::string(arch) + ".json";
  for (const auto &[name, text] : embeddedMachineFiles())
    if (name == file && name != "schema.json")
      return parse(text, "built-in " + file);
  return llvm::createStringError("unknown architecture '" + std::string(arch) + "': expected a3 or a5");
}

} // namespace ptosync
