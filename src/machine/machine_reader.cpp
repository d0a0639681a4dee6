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
    for (const json &rule : array(root, "rules", ""))
      machine.rules.push_back(readRule(rule));
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
    const json &value = member(parent, key, at, true);
    if (value.is_number_integer())
      return value.get<std::int64_t>();
    fail(at + "/" + key, "a whole number");
    return 0;
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

  Grade gradeOf(const json &value, const std::string &at) {
    std::string grade = text(value, "grade", at, false);
    return grade == "A" ? Grade::A : grade == "B" ? Grade::B : grade == "C" ? Grade::C : Grade::D;
  }

  void readPipes(const json &list, const std::string &at, Machine::PipesBySection &table) {
    for (const json &entry : list) {
      Machine::SectionPipes &pipes = table[text(entry, "section", at)];
      for (const json &pipe : array(entry, "pipes", at))
        pipes.pipes.push_back(pipeOf(pipe, at));
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
      form.operands.push_back(std::move(fact));
    }
    if (value.contains("when"))
      for (const auto &[key, wanted] : object(value, "when", at).items())
        form.when[key] = strings(wanted, at + "/when/" + key);
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
