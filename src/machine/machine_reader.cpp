// Reads a machine file, or what one changes of a built-in one. Structure is checked by hand, so that each message names
// the place, what was expected and what is allowed; src/machine/schema.json says the same for editors and tests.
#include "machine/machine.h"
#include "json/json_fields.h"
#include "json/json_members.h"
#include "machine/form_names.h"

#include <algorithm>
#include <utility>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedMachineFiles();

using json = nlohmann::json;

class MachineReader : JsonFields {
public:
  using JsonFields::JsonFields;

  llvm::Expected<Machine> read(const json &root) {
    Machine machine = readHead(root);
    readTables(root, machine);
    return finished(std::move(machine));
  }

  /// `root` is without its instructions, which are this text.
  llvm::Expected<Machine> readBuiltIn(const json &root, std::string_view instructions) {
    Machine machine = readHead(root);
    readRules(root, machine, /*required=*/true);
    for (const JsonMember &instruction : membersOf(instructions))
      machine.instructionTable.setText(instruction.key, instruction.value, readAlone);
    return finished(std::move(machine));
  }

  /// `base` with the rules and instructions of this document in place of its own of the same name.
  llvm::Expected<Machine> readOverlay(const json &root, Machine base) {
    readFormat(root);
    for (const auto &[key, value] : root.items())
      if (key != "schema" && key != "overlays" && key != "rules" && key != "instructions")
        failWord("/" + key, key, {"schema", "overlays", "rules", "instructions"});
    readTables(root, base, /*required=*/false);
    return finished(std::move(base));
  }

private:
  static inline const std::vector<std::pair<const char *, bool>> kSeverities = {{"error", true}, {"warning", false}};
  static inline const std::vector<std::string> kSpaceNames = {"UB", "L1",  "L0A", "L0B", "L0C",
                                                              "BT", "FB", "SLA", "SLB", "GM"};

  /// All but rules and instructions.
  Machine readHead(const json &root) {
    Machine machine;
    readFormat(root);
    machine.archName = text(root, "arch", "");
    machine.libraryVersion = text(root, "library", "");
    each(array(root, "spaces", ""), "/spaces",
         [&](const json &space, const std::string &at) { machine.memorySpaces.push_back(readSpace(space, at)); });
    if (root.is_object() && root.contains("sharedBetweenCores"))
      readShared(object(root, "sharedBetweenCores", ""), machine.memorySpaces);
    if (root.is_object() && root.contains("largestTensor"))
      machine.largestTensorBytes = readLargest(object(root, "largestTensor", ""));
    readPipes(array(root, "barriers", ""), "/barriers", machine.legalBarriers);
    readPipes(array(root, "cores", "", false), "/cores", machine.corePipes);
    each(array(root, "absent", "", false), "/absent",
         [&](const json &fact, const std::string &at) { machine.absentFacts.push_back(readAbsent(fact, at)); });
    readMacros(array(root, "macros", "", false), machine.macroFacts);
    const json &flags = object(root, "flags", "");
    machine.flagIdCount = static_cast<unsigned>(integer(flags, "ids", "/flags"));
    machine.rangeIsError = choice(flags, "outOfRange", "/flags", false, kSeverities);
    machine.selfPairError = choice(flags, "selfPair", "/flags", false, kSeverities);
    machine.folding = choice<IdFolding>(flags, "higher", "/flags", IdFolding::None,
                                        {{"fold", IdFolding::Folds}, {"open", IdFolding::Either}});
    each(array(root, "reservedBetweenCores", "", false), "/reservedBetweenCores",
         [&](const json &entry, const std::string &at) { machine.reservedCoreIds.push_back(readReserved(entry, at)); });
    return machine;
  }

  static std::optional<InstructionFacts> readAlone(std::string_view name, std::string_view text) {
    llvm::Expected<JsonDocument> document = JsonDocument::builtIn(text, name);
    if (!document) {
      llvm::consumeError(document.takeError());
      return std::nullopt;
    }
    MachineReader reader(*document);
    InstructionFacts facts = reader.readInstruction(document->json(), "/instructions/" + std::string(name));
    return reader.failed() ? std::nullopt : std::optional(std::move(facts));
  }

  void readFormat(const json &root) {
    if (integer(root, "schema", "") != 1)
      fail("/schema", "1");
  }

  void readTables(const json &root, Machine &machine, bool required = true) {
    readRules(root, machine, required);
    for (const auto &[name, facts] : object(root, "instructions", "", required).items())
      machine.instructionTable.set(name, readInstruction(facts, "/instructions/" + name));
  }

  void readRules(const json &root, Machine &machine, bool required) {
    each(array(root, "rules", "", required), "/rules", [&](const json &value, const std::string &at) {
      MachineRule rule = readRule(value, at);
      resolveRule(rule, machine.orderingRules, at);
      auto known = std::find_if(machine.ruleTable.begin(), machine.ruleTable.end(),
                                [&](const MachineRule &other) { return other.id == rule.id; });
      if (known == machine.ruleTable.end())
        machine.ruleTable.push_back(std::move(rule));
      else
        *known = std::move(rule);
    });
  }

  llvm::Expected<Machine> finished(Machine machine) {
    if (llvm::Error error = problem())
      return std::move(error);
    return machine;
  }

  ReservedIds readReserved(const json &entry, const std::string &at) {
    ReservedIds reserved{strings(array(entry, "calls", at), at + "/calls"),
                         static_cast<std::size_t>(integer(entry, "arguments", at)),
                         {},
                         gradeOf(entry, at)};
    each(array(entry, "ids", at), at + "/ids", [&](const json &id, const std::string &place) {
      if (id.is_number_integer())
        reserved.ids.push_back(id.get<std::int64_t>());
      else
        fail(place, "a whole number");
    });
    return reserved;
  }

  Pipe pipeOf(const json &value, const std::string &at) {
    if (!value.is_string()) {
      fail(at, "a pipe name such as \"PIPE_V\"");
      return Pipe::S;
    }
    const std::string &name = value.get_ref<const std::string &>();
    if (std::optional<Pipe> pipe = parsePipe(name))
      return *pipe;
    failPipe(at, name);
    return Pipe::S;
  }
  void failPipe(const std::string &at, const std::string &name) {
    std::vector<std::string> allowed;
    for (Pipe pipe : kPipes)
      allowed.emplace_back(pipeName(pipe));
    if (at.rfind("/barriers/", 0) == 0)
      allowed.emplace_back(pipeName(Pipe::All));
    failWord(at, name, allowed);
  }
  std::vector<Pipe> pipesOf(const json &list, const std::string &at) {
    std::vector<Pipe> pipes;
    each(list, at, [&](const json &pipe, const std::string &place) { pipes.push_back(pipeOf(pipe, place)); });
    return pipes;
  }
  Grade gradeOf(const json &value, const std::string &at) { return choice(value, "grade", at, Grade::D, kGrades); }

  static inline const std::vector<std::pair<const char *, Grade>> kGrades = {
      {"A", Grade::A}, {"B", Grade::B}, {"C", Grade::C}, {"D", Grade::D}};

  void readPipes(const json &list, const std::string &where, Machine::PipesBySection &table) {
    each(list, where, [&](const json &entry, const std::string &at) {
      Machine::SectionPipes &pipes = table[text(entry, "section", at)];
      pipes.pipes = pipesOf(array(entry, "pipes", at), at + "/pipes");
      pipes.contested = pipesOf(array(entry, "contested", at, false), at + "/contested");
      pipes.grade = gradeOf(entry, at);
    });
  }

  AbsentFact readAbsent(const json &value, const std::string &at) {
    AbsentFact fact;
    fact.section = choice<Section>(value, "section", at, Section::Both,
                                   {{"vec", Section::Vec}, {"cube", Section::Cube}, {"both", Section::Both}});
    fact.calls = strings(array(value, "calls", at), at + "/calls");
    for (const std::string &pipe : strings(array(value, "barriers", at), at + "/barriers"))
      fact.calls.push_back("pipe_barrier(" + pipe + ")");
    fact.grade = gradeOf(value, at);
    return fact;
  }

  void readMacros(const json &list, std::vector<MacroFact> &macros) {
    std::size_t chips = 1;
    each(list, "/macros", [&](const json &value, const std::string &at) {
      MacroFact fact;
      fact.name = text(value, "name", at);
      each(array(value, "values", at), at + "/values", [&](const json &one, const std::string &place) {
        if (one.is_string() || one.is_null())
          fact.values.push_back(one.is_string() ? std::optional(one.get<std::string>()) : std::nullopt);
        else
          fail(place, "a text, or null where it is not defined");
      });
      if (chips == 1)
        chips = fact.values.size();
      if (fact.values.empty() || (fact.values.size() != 1 && fact.values.size() != chips))
        fail(at + "/values", "one value, or one for each chip");
      fact.section =
          choice<Section>(value, "section", at, Section::Both, {{"vec", Section::Vec}, {"cube", Section::Cube}});
      fact.byLibrary = choice<bool>(value, "by", at, false, {{"compiler", false}, {"library", true}});
      fact.grade = gradeOf(value, at);
      macros.push_back(std::move(fact));
    });
  }

  MemorySpace readSpace(const json &value, const std::string &at) {
    MemorySpace space;
    space.name = text(value, "name", at);
    space.bytes = static_cast<std::uint64_t>(integer(value, "bytes", at));
    space.tiles = strings(array(value, "tiles", at), at + "/tiles");
    return space;
  }

  std::int64_t readLargest(const json &value) {
    std::int64_t bytes = integer(value, "bytes", "/largestTensor");
    if (bytes <= 0)
      fail("/largestTensor/bytes", "a number above 0");
    return bytes;
  }

  /// Memories that it does not list are each one core's own.
  void readShared(const json &value, std::vector<MemorySpace> &spaces) {
    const std::string at = "/sharedBetweenCores/spaces";
    std::vector<std::string> known;
    for (MemorySpace &space : spaces) {
      space.sharedBetweenCores = false;
      known.push_back(space.name);
    }
    const std::vector<std::string> shared = strings(array(value, "spaces", "/sharedBetweenCores"), at);
    for (std::size_t i = 0; i < shared.size(); ++i) {
      auto space =
          std::find_if(spaces.begin(), spaces.end(), [&](const MemorySpace &one) { return one.name == shared[i]; });
      if (space == spaces.end())
        failWord(at + "/" + std::to_string(i), shared[i], known);
      else
        space->sharedBetweenCores = true;
    }
  }

  MachineRule readRule(const json &value, const std::string &at) {
    MachineRule rule;
    rule.id = text(value, "id", at);
    rule.title = text(value, "title", at);
    rule.evidence = text(value, "evidence", at);
    rule.grade = text(value, "grade", at);
    member(value, "use", at);
    rule.use = choice<RuleUse>(
        value, "use", at, RuleUse::Silence,
        {{"justify", RuleUse::Justify}, {"silence", RuleUse::Silence}, {"conflict", RuleUse::Conflict}});
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

  Pipe rulePipe(const MachineRule &rule, const std::string &at) {
    auto pipe = rule.text.find("pipe");
    std::optional<Pipe> parsed = pipe == rule.text.end() ? std::nullopt : parsePipe(pipe->second);
    if (!parsed)
      fail(at + "/parameters/pipe", "a pipe name such as \"PIPE_V\"");
    return parsed.value_or(Pipe::S);
  }
  std::int64_t ruleNumber(const MachineRule &rule, const std::string &at, const char *name) {
    auto number = rule.numbers.find(name);
    if (number == rule.numbers.end() || number->second <= 0) {
      fail(at + "/parameters/" + name, "a number above 0");
      return 1;
    }
    return number->second;
  }
  const std::vector<std::string> &ruleList(const MachineRule &rule, const std::string &at, const char *name) {
    static const std::vector<std::string> none;
    auto list = rule.lists.find(name);
    if (list != rule.lists.end())
      return list->second;
    fail(at + "/parameters/" + name, "a list of names");
    return none;
  }

  /// What the rule says, in the form that the engines ask for.
  void resolveRule(const MachineRule &rule, OrderingRules &rules, const std::string &at) {
    bool conflict = rule.id == "l0c-read-read";
    if (conflict != (rule.use == RuleUse::Conflict))
      fail(at + "/use", conflict ? "\"conflict\"" : "\"justify\" or \"silence\"");
    if (rule.id == "scalar-order")
      rules.scalarOrder = rule.use;
    else if (rule.id == "scalar-wait-dispatch")
      rules.scalarWaitDispatch = rule.use;
    else if (rule.id == "library-scratch")
      rules.libraryScratch = rule.use;
    else if (rule.id == "gm-arguments-distinct")
      rules.argumentsDistinct = rule.use;
    else if (conflict)
      rules.readReadConflict = rule.use;
    else if (rule.id == "vector-order")
      rules.vectorOrder = PipeOrderRule{rule.use, rulePipe(rule, at)};
    else if (rule.id == "mte2-load-order")
      rules.loadOrder = PipeOrderRule{rule.use, rulePipe(rule, at)};
    else if (rule.id == "m-accumulate-order")
      rules.accumulateOrder = PipeOrderRule{rule.use, rulePipe(rule, at)};
    else if (rule.id == "same-access-chain")
      rules.chain = ChainRule{rule.use, rulePipe(rule, at), ruleNumber(rule, at, "minRepeats"),
                              ruleNumber(rule, at, "repeatBytes")};
    else if (rule.id == "m-accumulate-fractals")
      rules.accumulateFractals = readFractals(rule, at);
    else if (rule.id == "copy-pipe") {
      const std::vector<std::string> &names = ruleList(rule, at, "instructions");
      rules.copies = CopyRule{rule.use, {names.begin(), names.end()}};
    }
  }

  AccumulateFractalsRule readFractals(const MachineRule &rule, const std::string &at) {
    AccumulateFractalsRule fractals{rule.use,
                                    rulePipe(rule, at),
                                    ruleNumber(rule, at, "minFractals"),
                                    ruleNumber(rule, at, "fractalSide"),
                                    {ruleNumber(rule, at, "inputBits")},
                                    Grade::D};
    auto below = rule.text.find("below");
    if (below != rule.text.end())
      for (const auto &[name, grade] : kGrades)
        if (below->second == name)
          fractals.below = grade;
    return fractals;
  }

  AccessReach readReach(const json &value, const std::string &at) {
    AccessReach reach;
    reach.rowsOf = text(value, "rowsOf", at, false);
    reach.rowBytesOf = text(value, "rowBytesOf", at, false);
    reach.elementsOf = text(value, "elementsOf", at, false);
    reach.shapeOf = text(value, "shapeOf", at, false);
    reach.rowsPer = integer(value, "rowsPer", at, 1);
    reach.step = integer(value, "step", at, 0);
    reach.rowUnit = integer(value, "rowUnit", at, 1);
    if (const json &share = member(value, "rowShare", at, false);
        share.is_array() && share.size() == 2 && share[0].is_number_integer() && share[1].is_number_integer())
      reach.shareOf = share[0].get<std::int64_t>(), reach.shareIn = share[1].get<std::int64_t>();
    reach.bytes = integer(value, "bytes", at, 0);
    reach.behind = integer(value, "behind", at, 0);
    reach.shapeBytes = integer(value, "shapeBytes", at, 0);
    if (reach.rowsPer < 1 || reach.rowUnit < 1 || reach.shareOf < 1 || reach.shareIn < 1 || reach.step < 0 ||
        reach.bytes < 0 || reach.behind < 0 || reach.shapeBytes < 0)
      fail(at, "numbers of bytes, and rowsPer, rowUnit and rowShare above 0");
    each(array(value, "shapes", at, false), at + "/shapes", [&](const json &shape, const std::string &place) {
      if (shape.is_array() && shape.size() == 2 && shape[0].is_number_integer() && shape[1].is_number_integer())
        reach.shapes.push_back({shape[0].get<std::int64_t>(), shape[1].get<std::int64_t>()});
      else
        fail(place, "[rows, columns]");
    });
    return reach;
  }

  OperandRole readRole(const json &operand, const std::string &at) {
    member(operand, "role", at);
    return choice<OperandRole>(operand, "role", at, OperandRole::Ignored,
                               {{"write", OperandRole::Write},
                                {"read", OperandRole::Read},
                                {"readwrite", OperandRole::ReadWrite},
                                {"scratch", OperandRole::Scratch},
                                {"scalar", OperandRole::Scalar},
                                {"config", OperandRole::Config},
                                {"ignored", OperandRole::Ignored},
                                {"fifo", OperandRole::Fifo}});
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

  /// "NAME", or "NAME.rows" and "NAME.columns" where the other dimension counts.
  std::string readSide(const json &walk, const char *side, const char *other, bool &turned, const std::string &at) {
    std::string name = text(walk, side, at, false);
    const std::string suffix = std::string(".") + other;
    turned = name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
    return turned ? name.substr(0, name.size() - suffix.size()) : name;
  }

  RegionWalk readWalk(const json &value, const std::string &at) {
    RegionWalk walk;
    if (value.is_string()) {
      walk.rows = walk.columns = value.get<std::string>();
      return walk;
    }
    if (!value.is_object()) {
      fail(at, "the name of an operand, or an object of rows, columns, lines, line");
      return walk;
    }
    walk.rows = readSide(value, "rows", "columns", walk.rowsAreColumns, at);
    walk.columns = readSide(value, "columns", "rows", walk.columnsAreRows, at);
    walk.lines = text(value, "lines", at, false);
    walk.line = text(value, "line", at, false);
    return walk;
  }

  void readWalks(const json &value, const std::string &at, OperandFact &fact) {
    if (value.is_array())
      each(value, at, [&](const json &one, const std::string &place) { fact.walks.push_back(readWalk(one, place)); });
    else if (!value.is_null())
      fact.walks.push_back(readWalk(value, at));
  }

  OperandFact readOperand(const json &operand, const std::string &at) {
    OperandFact fact;
    fact.name = text(operand, "name", at);
    fact.role = readRole(operand, at);
    fact.optional = flag(operand, "optional", at);
    fact.doubtful = flag(operand, "doubtful", at);
    fact.region = choice<AccessRegion>(operand, "region", at, AccessRegion::Valid,
                                       {{"run", AccessRegion::Run},
                                        {"rows", AccessRegion::Rows},
                                        {"repeats", AccessRegion::Repeats},
                                        {"whole", AccessRegion::Whole},
                                        {"padding", AccessRegion::Padding}});
    readWalks(member(operand, "walk", at, false), at + "/walk", fact);
    if (const json &window = member(operand, "window", at, false); window.is_object())
      fact.window = AccessWindow{text(window, "of", at + "/window"), text(window, "row", at + "/window"),
                                 text(window, "column", at + "/window")};
    fact.element = text(operand, "element", at, false);
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
      each(reach, at + "/reach",
           [&](const json &one, const std::string &place) { fact.reaches.push_back(readReach(one, place)); });
    return fact;
  }

  InstructionForm readForm(const json &value, const std::string &at) {
    InstructionForm form;
    each(array(value, "operands", at), at + "/operands",
         [&](const json &operand, const std::string &place) { form.operands.push_back(readOperand(operand, place)); });
    for (const auto &[key, wanted] : object(value, "when", at, false).items())
      form.when[key] = strings(wanted, at + "/when/" + key);
    if (const json &product = member(value, "product", at, false); product.is_object()) {
      form.productRows = text(product, "rows", at + "/product");
      form.productCols = text(product, "columns", at + "/product");
    }
    for (Pipe pipe : pipesOf(array(value, "pipes", at), at + "/pipes"))
      form.pipes.insert(pipe);
    each(array(value, "hidden", at, false), at + "/hidden", [&](const json &hidden, const std::string &place) {
      form.hidden.push_back({text(hidden, "name", place), text(hidden, "space", place),
                             static_cast<std::uint64_t>(integer(hidden, "offset", place)),
                             static_cast<std::uint64_t>(integer(hidden, "bytes", place))});
    });
    each(array(value, "library", at, false), at + "/library",
         [&](const json &phase, const std::string &place) { form.library.push_back(readPhase(phase, place)); });
    form.libraryUnless = text(value, "libraryUnless", at, false);
    each(array(value, "flags", at, false), at + "/flags", [&](const json &one, const std::string &place) {
      if (one.is_array() && one.size() == 3 && one[2].is_number_unsigned())
        form.flags.push_back({pipeOf(one[0], place + "/0"), pipeOf(one[1], place + "/1"), one[2].get<unsigned>()});
      else
        fail(place, "[source pipe, destination pipe, id]");
    });
    form.fence = choice<FenceKind>(value, "fence", at, FenceKind::None,
                                   {{"all", FenceKind::All},
                                    {"pipes", FenceKind::Pipes},
                                    {"acquire", FenceKind::Acquire},
                                    {"release", FenceKind::Release}});
    form.publishes = strings(array(value, "publishes", at, false), at + "/publishes");
    for (const std::string &space : form.publishes)
      if (std::find(kSpaceNames.begin(), kSpaceNames.end(), space) == kSpaceNames.end())
        failWord(at + "/publishes", space, kSpaceNames);
    form.assigns = choice<Assigns>(
        value, "assigns", at, Assigns::Nothing,
        {{"address", Assigns::Address}, {"tensor", Assigns::Tensor}, {"poppedTensor", Assigns::PoppedTensor}});
    checkNames(form, at);
    return form;
  }

  void checkNames(const InstructionForm &form, const std::string &at) {
    std::vector<std::string> known;
    for (const OperandFact &operand : form.operands)
      known.push_back(operand.name);
    for (const StrangeName &strange : strangeNames(form))
      failWord(at + strange.at, strange.name, known);
  }

  InstructionFacts readInstruction(const json &value, const std::string &at) {
    InstructionFacts facts;
    each(array(value, "forms", at), at + "/forms",
         [&](const json &form, const std::string &place) { facts.forms.push_back(readForm(form, place)); });
    for (const std::string &trait : strings(array(value, "traits", at, false), at + "/traits"))
      facts.traits.insert(trait);
    for (const std::string &kind : strings(array(value, "templates", at, false), at + "/templates"))
      facts.templates.insert(kind);
    return facts;
  }
};

llvm::Expected<Machine> Machine::parse(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, name);
  if (!document)
    return document.takeError();
  const json &root = document->json();
  if (!root.is_object() || !root.contains("overlays"))
    return MachineReader(*document).read(root);
  const json &of = root["overlays"];
  if (of != "a3" && of != "a5")
    return document->error("/overlays", "expected one of \"a3\", \"a5\": the built-in model that this one changes");
  llvm::Expected<Machine> base = builtIn(of.get<std::string>());
  if (!base)
    return base;
  return MachineReader(*document).readOverlay(root, std::move(*base));
}

llvm::Expected<Machine> Machine::builtIn(std::string_view arch) {
  std::string file = std::string(arch) + ".json";
  for (const auto &[name, text] : embeddedMachineFiles()) {
    if (name != file || name == "schema.json")
      continue;
    // Its instructions, which are most of it, are read when they are asked for.
    llvm::Expected<JsonDocument> document = JsonDocument::builtIn(text, "built-in " + file, {"instructions"});
    if (!document)
      return document.takeError();
    return MachineReader(*document).readBuiltIn(document->json(), document->leftOut("instructions"));
  }
  return llvm::createStringError("unknown architecture '" + std::string(arch) + "': expected a3 or a5");
}

} // namespace ptosync
