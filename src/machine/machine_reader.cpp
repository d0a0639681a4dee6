// Reads a machine file, or what one changes of a built-in one.
//
//   a3.json --JsonDocument--> JsonNode --MachineReader--> Machine      {"overlays": "a3", ...} --> the built-in one,
//   changed
//
// It is strict: a key that nobody reads, a word that means nothing, a name that no operand of the form has and a fact
// without its evidence are refused, each with its place and what is allowed there. A misspelled word must not pass as
// the weakest meaning, which might let a sync go. src/machine/schema.json says the same for editors; what refers from
// one place of a file to another is said here alone.
// Tested by tests/machine/machine_reader_test.cpp and, against the schema, tests/machine/machine_schema_test.cpp.
#include "base/json.h"
#include "machine/machine.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <utility>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedMachineFiles();

namespace {

using Words = JsonNode::Names;

/// The largest numbers that are taken. Products of them and of a kernel's own sizes stay below 2^63, so none wraps.
constexpr std::int64_t kMostBytes = std::int64_t(1) << 40; // of a memory or of a tensor in global memory
constexpr std::int64_t kMostReach = std::int64_t(1) << 30; // bytes that an operand reaches; times the rows of a tile
constexpr std::int64_t kMostCount = std::int64_t(1) << 20;
constexpr std::int64_t kLeastRepeat = 32; // bytes: the block that the vector unit reads

constexpr llvm::StringRef kSpaceWords[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "SLA", "SLB", "GM"};
constexpr llvm::StringRef kLocationWords[] = {"Vec",  "Mat",     "Left",      "Right",     "Acc",
                                              "Bias", "Scaling", "ScaleLeft", "ScaleRight"};
constexpr llvm::StringRef kDirectionWords[] = {"DIR_C2V",    "DIR_V2C",    "DIR_BOTH",   "DIR_V2C_CTRL",
                                               "DIR_C2V_GM", "DIR_V2C_GM", "DIR_BOTH_GM"};
constexpr llvm::StringRef kTraitWords[] = {"copies",     "signals",     "signals-on-pipe", "waits-for-signal",
                                           "gm-fence",   "cache-flush", "fifo-push",       "fifo-pop",
                                           "fifo-alloc", "fifo-free",   "frees-on-pipe",   "emitted-for-scalar"};
constexpr llvm::StringRef kCategoryWords[] = {"tile",          "alias",  "config", "fifo", "sync", "memory-order",
                                              "scalar-access", "scalar", "debug",  "comm", "async"};
constexpr std::pair<llvm::StringRef, Grade> kGradeWords[] = {
    {"A", Grade::A}, {"B", Grade::B}, {"C", Grade::C}, {"D", Grade::D}};
constexpr std::pair<llvm::StringRef, bool> kSeverityWords[] = {{"error", true}, {"warning", false}};

std::vector<std::string> wordsOf(const JsonNode &list, Words words, std::size_t least = 1) {
  std::vector<std::string> result;
  for (const JsonNode &item : list.items(least))
    result.push_back(item.word(words));
  list.allowNoRepeats();
  return result;
}

std::vector<std::string> identifiers(const JsonNode &list, std::size_t least) {
  return list.names("name", isIdentifier, least);
}

/// Returns the grade of a fact, which also says where it is from.
Grade gradeOf(const JsonNode &fact) {
  fact.at("evidence").text();
  return fact.at("grade").choice(Grade::D, kGradeWords);
}

enum class PipeWords { Real, Barrier };

Pipe pipeOf(const JsonNode &value, PipeWords which = PipeWords::Real) {
  std::vector<llvm::StringRef> words;
  words.reserve(std::size(kPipes) + 1);
  for (Pipe pipe : kPipes)
    words.emplace_back(pipeName(pipe));
  if (which == PipeWords::Barrier)
    words.emplace_back(pipeName(Pipe::All));
  return parsePipe(value.word(words)).value_or(Pipe::S);
}

std::vector<Pipe> pipesOf(const JsonNode &list, PipeWords which, std::size_t least) {
  std::vector<Pipe> pipes;
  for (const JsonNode &item : list.items(least))
    pipes.push_back(pipeOf(item, which));
  list.allowNoRepeats();
  return pipes;
}

/// Returns true if the key is there; it holds nothing but `true`.
bool isSet(const JsonNode &value) {
  bool set = value.boolean();
  if (value && !set)
    value.fail("expected true; leave the key out instead");
  return set;
}

} // namespace

class MachineReader {
public:
  explicit MachineReader(JsonDocument &document) : document(document), root(document.root()) {}

  llvm::Expected<Machine> read() {
    Machine machine = readHead();
    readTables(machine);
    return finished(std::move(machine));
  }

  /// The root is without its instructions: the build embeds each as a text of its own, which is read when it is asked
  /// for.
  llvm::Expected<Machine> readBuiltIn(llvm::StringRef instructions) {
    Machine machine = readHead();
    readRules(root.at("rules"), machine);
    for (const auto &[name, text] : embeddedMachineFiles())
      if (llvm::StringRef instruction = name; instruction.consume_front(instructions))
        machine.instructionTable.setText(instruction, text, readAlone);
    return finished(std::move(machine));
  }

  /// Reads a file that puts its rules and instructions in place of those of a built-in model.
  llvm::Expected<Machine> readOverlay() {
    root.allowKeys({"schema", "overlays", "rules", "instructions"});
    root.at("schema").integer(1, 1);
    const std::string of = root.at("overlays").word({"a3", "a5"}); // the built-in model that this one changes
    if (llvm::Error error = document.problem())
      return std::move(error);
    llvm::Expected<Machine> base = Machine::builtIn(of);
    if (!base)
      return base;
    readRules(root.find("rules"), *base);
    readInstructions(root.find("instructions"), *base);
    return finished(std::move(*base));
  }

private:
  /// All but rules and instructions.
  Machine readHead() {
    Machine machine;
    root.allowKeys({"schema", "arch", "library", "pipes", "spaces", "sharedBetweenCores", "largestTensor", "numbers",
                    "barriers", "cores", "absent", "macros", "flags", "buffers", "reservedBetweenCores", "rules",
                    "instructions"});
    root.at("schema").integer(1, 1);
    machine.archName = root.at("arch").word({"a3", "a5"});
    machine.libraryVersion = root.at("library").text();
    pipesOf(root.at("pipes"), PipeWords::Real, 1);
    for (const JsonNode &space : root.at("spaces").items())
      machine.memorySpaces.push_back(readSpace(space));
    if (JsonNode shared = root.find("sharedBetweenCores"))
      readShared(shared, machine.memorySpaces);
    if (JsonNode largest = root.find("largestTensor"))
      machine.largestTensorBytes = readLargest(largest);
    for (const JsonNode &number : root.find("numbers").items(0))
      readNumber(number, machine.knownNumbers);
    readPipes(root.at("barriers"), PipeWords::Barrier, machine.legalBarriers);
    readPipes(root.find("cores"), PipeWords::Real, machine.corePipes);
    for (const JsonNode &fact : root.find("absent").items(0))
      machine.absentFacts.push_back(readAbsent(fact));
    for (const JsonNode &macro : root.find("macros").items(0))
      readMacro(macro, machine.macroFacts);
    readFlags(root.at("flags"), machine);
    if (JsonNode buffers = root.find("buffers"))
      readBuffers(buffers, machine);
    for (const JsonNode &entry : root.find("reservedBetweenCores").items(0))
      machine.reservedCoreIds.push_back(readReserved(entry));
    return machine;
  }

  static std::optional<InstructionFacts> readAlone(std::string_view name, std::string_view text) {
    llvm::Expected<JsonDocument> document = JsonDocument::builtIn(text, name);
    if (!document) {
      llvm::consumeError(document.takeError());
      return std::nullopt;
    }
    InstructionFacts facts = MachineReader(*document).readInstruction(document->root());
    return document->failed() ? std::nullopt : std::optional(std::move(facts));
  }

  void readTables(Machine &machine) {
    readRules(root.at("rules"), machine);
    JsonNode instructions = root.at("instructions");
    readInstructions(instructions, machine);
    if (instructions.members().empty())
      instructions.fail("expected at least one instruction");
  }

  void readInstructions(const JsonNode &instructions, Machine &machine) {
    for (const auto &[name, facts] : instructions.members()) {
      if (!isIdentifier(name) && name != "scalar.load" && name != "scalar.store")
        facts.fail("'" + name + "' is no name of an instruction");
      machine.instructionTable.set(name, readInstruction(facts));
    }
  }

  void readRules(const JsonNode &rules, Machine &machine) {
    for (const JsonNode &value : rules.items(0)) {
      MachineRule rule = readRule(value);
      resolveRule(rule, value, machine.orderingRules);
      auto known = std::find_if(machine.ruleTable.begin(), machine.ruleTable.end(),
                                [&](const MachineRule &other) { return other.id == rule.id; });
      if (known == machine.ruleTable.end())
        machine.ruleTable.push_back(std::move(rule));
      else
        *known = std::move(rule);
    }
  }

  llvm::Expected<Machine> finished(Machine machine) {
    if (llvm::Error error = document.problem())
      return std::move(error);
    return machine;
  }

  MemorySpace readSpace(const JsonNode &value) {
    value.allowKeys({"name", "bytes", "tiles", "qualifier", "grade", "evidence"});
    MemorySpace space;
    space.name = value.at("name").word(kSpaceWords);
    space.bytes = static_cast<std::uint64_t>(value.at("bytes").integer(0, kMostBytes));
    space.tiles = wordsOf(value.at("tiles"), kLocationWords, 0);
    value.at("qualifier").name("qualifier of an address space such as '__ubuf__'", [](llvm::StringRef name) {
      return name.consume_front("__") && name.consume_back("__") && !name.empty() && llvm::all_of(name, llvm::isLower);
    });
    gradeOf(value);
    return space;
  }

  /// Memories that it does not list are each one core's own.
  void readShared(const JsonNode &value, std::vector<MemorySpace> &spaces) {
    value.allowKeys({"spaces", "grade", "evidence"});
    std::vector<llvm::StringRef> known;
    for (MemorySpace &space : spaces) {
      space.sharedBetweenCores = false;
      known.push_back(space.name);
    }
    for (const std::string &name : wordsOf(value.at("spaces"), known, 0))
      for (MemorySpace &space : spaces)
        space.sharedBetweenCores = space.sharedBetweenCores || space.name == name;
    gradeOf(value);
  }

  std::int64_t readLargest(const JsonNode &value) {
    value.allowKeys({"bytes", "grade", "evidence"});
    gradeOf(value);
    return value.at("bytes").integer(1, kMostBytes, 1);
  }

  void readNumber(const JsonNode &value, std::vector<Assumption> &numbers) {
    value.allowKeys({"assume", "grade", "evidence"});
    gradeOf(value);
    llvm::Expected<std::vector<Assumption>> read = readAssumptions(value.at("assume").text());
    if (!read)
      return value.at("assume").fail(llvm::toString(read.takeError()));
    for (Assumption &one : *read) {
      one.origin = Assumption::Origin::Machine;
      numbers.push_back(std::move(one));
    }
  }

  void readPipes(const JsonNode &list, PipeWords words, Machine::PipesBySection &table) {
    for (const JsonNode &entry : list.items(2, 2)) {
      if (words == PipeWords::Barrier)
        entry.allowKeys({"section", "pipes", "contested", "grade", "evidence"});
      else
        entry.allowKeys({"section", "pipes", "grade", "evidence"});
      Machine::SectionPipes &pipes = table[entry.at("section").word({"vec", "cube"})];
      pipes.pipes = pipesOf(entry.at("pipes"), words, 1);
      pipes.contested = pipesOf(entry.find("contested"), words, 1);
      pipes.grade = gradeOf(entry);
    }
  }

  AbsentFact readAbsent(const JsonNode &value) {
    value.allowKeys({"section", "barriers", "calls", "grade", "evidence"});
    AbsentFact fact;
    fact.section = value.at("section").choice(
        Section::Both, {{"vec", Section::Vec}, {"cube", Section::Cube}, {"both", Section::Both}});
    fact.calls = identifiers(value.at("calls"), 0);
    for (Pipe pipe : pipesOf(value.at("barriers"), PipeWords::Barrier, 0))
      fact.calls.push_back("pipe_barrier(" + std::string(pipeName(pipe)) + ")");
    fact.grade = gradeOf(value);
    return fact;
  }

  void readMacro(const JsonNode &value, std::vector<MacroFact> &macros) {
    value.allowKeys({"name", "values", "section", "by", "grade", "evidence"});
    MacroFact fact;
    fact.name = value.at("name").name("name of a macro", isIdentifier);
    JsonNode values = value.at("values");
    for (const JsonNode &one : values.items())
      fact.values.push_back(one.isNull() ? std::nullopt : std::optional(one.anyText()));
    std::size_t chips = 1; // as many as the first macro tells apart
    for (const MacroFact &other : macros)
      chips = chips == 1 ? other.values.size() : chips;
    if (fact.values.size() != 1 && chips != 1 && fact.values.size() != chips)
      values.fail("expected one value, or one for each of " + llvm::Twine(chips) + " chips");
    fact.section = value.find("section").choice(Section::Both, {{"vec", Section::Vec}, {"cube", Section::Cube}});
    fact.byLibrary = value.find("by").choice(false, {{"compiler", false}, {"library", true}});
    fact.grade = gradeOf(value);
    macros.push_back(std::move(fact));
  }

  void readBuffers(const JsonNode &buffers, Machine &machine) {
    buffers.allowKeys({"ids", "grade", "evidence"});
    machine.bufferIdCount = static_cast<unsigned>(buffers.at("ids").integer(1, 64, 1));
    gradeOf(buffers);
  }

  void readFlags(const JsonNode &flags, Machine &machine) {
    flags.allowKeys({"selfPair", "ids", "outOfRange", "higher", "grade", "evidence"});
    machine.flagIdCount = static_cast<unsigned>(flags.at("ids").integer(1, 64, 1));
    machine.rangeIsError = flags.at("outOfRange").choice(false, kSeverityWords);
    machine.selfPairError = flags.find("selfPair").choice(false, kSeverityWords);
    machine.folding =
        flags.find("higher").choice(IdFolding::None, {{"fold", IdFolding::Folds}, {"open", IdFolding::Either}});
    gradeOf(flags);
  }

  ReservedIds readReserved(const JsonNode &entry) {
    entry.allowKeys({"calls", "arguments", "ids", "grade", "evidence"});
    ReservedIds reserved;
    reserved.calls = identifiers(entry.at("calls"), 1);
    reserved.arguments = static_cast<std::size_t>(entry.at("arguments").integer(0, kMostCount));
    for (const JsonNode &id : entry.at("ids").items())
      reserved.ids.push_back(id.integer(0, 31));
    entry.find("ids").allowNoRepeats();
    reserved.grade = gradeOf(entry);
    return reserved;
  }

  MachineRule readRule(const JsonNode &value) {
    value.allowKeys({"id", "grade", "use", "parameters", "title", "evidence"});
    MachineRule rule;
    rule.id = value.at("id").word({"scalar-order", "same-access-chain", "vector-order", "mte2-load-order",
                                   "m-accumulate-order", "m-accumulate-fractals", "l0c-read-read", "library-scratch",
                                   "copy-pipe", "scalar-wait-dispatch", "gm-arguments-distinct"});
    rule.title = value.at("title").text();
    rule.evidence = value.at("evidence").text();
    rule.grade = value.at("grade").word({"A", "B", "C", "D"});
    rule.use = value.at("use").choice(
        RuleUse::Silence,
        {{"justify", RuleUse::Justify}, {"silence", RuleUse::Silence}, {"conflict", RuleUse::Conflict}});
    // A contested fact may silence a finding, it never takes a sync out.
    if (rule.use == RuleUse::Justify && rule.grade != "A" && rule.grade != "B")
      value.at("use").fail("expected 'silence' for a rule of grade " + rule.grade);
    readParameters(value.at("parameters"), rule);
    return rule;
  }

  void readParameters(const JsonNode &parameters, MachineRule &rule) {
    parameters.allowKeys(
        {"pipe", "minRepeats", "repeatBytes", "minFractals", "fractalSide", "inputBits", "below", "instructions"});
    for (const auto &[key, parameter] : parameters.members()) {
      if (key == "pipe")
        rule.text[key] = pipeName(pipeOf(parameter));
      else if (key == "below")
        rule.text[key] = parameter.word({"A", "B", "C", "D"});
      else if (key == "instructions")
        rule.lists[key] = identifiers(parameter, 1);
      else
        rule.numbers[key] = parameter.integer(key == "repeatBytes" ? kLeastRepeat : 1, kMostCount, kLeastRepeat);
    }
  }

  /// Puts what the rule says in the form that the engines ask for.
  void resolveRule(const MachineRule &rule, const JsonNode &value, OrderingRules &rules) {
    bool conflict = rule.id == "l0c-read-read";
    if (conflict != (rule.use == RuleUse::Conflict))
      value.at("use").fail(conflict ? "expected 'conflict'" : "expected 'justify' or 'silence'");
    const JsonNode parameters = value.find("parameters");
    auto pipe = [&] { return pipeOf(parameters.at("pipe")); };
    auto number = [&](const char *name) { return parameters.at(name).integer(1, kMostCount, 1); };
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
      rules.vectorOrder = PipeOrderRule{rule.use, pipe()};
    else if (rule.id == "mte2-load-order")
      rules.loadOrder = PipeOrderRule{rule.use, pipe()};
    else if (rule.id == "m-accumulate-order")
      rules.accumulateOrder = PipeOrderRule{rule.use, pipe()};
    else if (rule.id == "same-access-chain")
      rules.chain = ChainRule{rule.use, pipe(), number("minRepeats"), number("repeatBytes")};
    else if (rule.id == "m-accumulate-fractals")
      rules.accumulateFractals = AccumulateFractalsRule{rule.use,
                                                        pipe(),
                                                        number("minFractals"),
                                                        number("fractalSide"),
                                                        {number("inputBits")},
                                                        parameters.find("below").choice(Grade::D, kGradeWords)};
    else if (rule.id == "copy-pipe") {
      std::vector<std::string> names = identifiers(parameters.at("instructions"), 1);
      rules.copies = CopyRule{rule.use, {names.begin(), names.end()}};
    }
  }

  InstructionFacts readInstruction(const JsonNode &value) {
    value.allowKeys({"category", "source", "traits", "templates", "forms"});
    InstructionFacts facts;
    value.at("category").word(kCategoryWords);
    value.at("source").text();
    for (const JsonNode &form : value.at("forms").items())
      facts.forms.push_back(readForm(form));
    for (std::string &trait : wordsOf(value.find("traits"), kTraitWords))
      facts.traits.insert(std::move(trait));
    for (std::string &kind :
         value.find("templates").names("template constant such as 'Mode', 'Mode::Fast' or '3'", isConstant))
      facts.templates.insert(std::move(kind));
    return facts;
  }

  static bool isConstant(llvm::StringRef text) {
    auto [first, second] = text.split("::");
    return llvm::all_of(text, llvm::isDigit) || (isIdentifier(first) && (first == text || isIdentifier(second)));
  }

  InstructionForm readForm(const JsonNode &value) {
    value.allowKeys({"operands", "when", "pipes", "hidden", "library", "libraryUnless", "flags", "fence", "publishes",
                     "assigns", "product", "state", "note"});
    InstructionForm form;
    operandNames.clear();
    const std::vector<JsonNode> operands = value.at("operands").items(0);
    for (const JsonNode &operand : operands)
      operandNames.push_back(operand.at("name").name("name", isIdentifier));
    for (const JsonNode &operand : operands)
      form.operands.push_back(readOperand(operand));
    readConditions(value.find("when"), form);
    if (JsonNode product = value.find("product")) {
      product.allowKeys({"rows", "columns"});
      form.productRows = operandIn(product.at("rows"));
      form.productCols = operandIn(product.at("columns"));
    }
    for (Pipe pipe : pipesOf(value.at("pipes"), PipeWords::Real, 0))
      form.pipes.insert(pipe);
    readInside(value, form);
    form.fence = value.find("fence").choice(FenceKind::None, {{"all", FenceKind::All},
                                                              {"pipes", FenceKind::Pipes},
                                                              {"acquire", FenceKind::Acquire},
                                                              {"release", FenceKind::Release}});
    form.publishes = wordsOf(value.find("publishes"), kSpaceWords);
    form.assigns = value.find("assigns").choice(Assigns::Nothing, {{"address", Assigns::Address},
                                                                   {"ringSlot", Assigns::RingSlot},
                                                                   {"tensor", Assigns::Tensor},
                                                                   {"poppedTensor", Assigns::PoppedTensor}});
    for (const JsonNode &text : value.find("state").items())
      text.text();
    value.find("note").text();
    return form;
  }

  /// What happens inside of a call.
  void readInside(const JsonNode &value, InstructionForm &form) {
    for (const JsonNode &memory : value.find("hidden").items()) {
      memory.allowKeys({"name", "space", "offset", "bytes"});
      form.hidden.push_back({memory.at("name").name("name", isIdentifier), memory.at("space").word(kSpaceWords),
                             static_cast<std::uint64_t>(memory.at("offset").integer(0, kMostBytes)),
                             static_cast<std::uint64_t>(memory.at("bytes").integer(1, kMostBytes))});
    }
    for (const JsonNode &phase : value.find("library").items())
      form.library.push_back(readPhase(phase));
    if (JsonNode unless = value.find("libraryUnless")) {
      form.libraryUnless = unless.word({"short-row-reduce"});
      needs(value, "libraryUnless", {"library"});
    }
    for (const JsonNode &flag : value.find("flags").items())
      form.flags.push_back(readFlag(flag));
    value.find("flags").allowNoRepeats();
  }

  HiddenFlag readFlag(const JsonNode &value) {
    std::vector<JsonNode> parts;
    if (value.isArray())
      parts = value.items(0);
    if (parts.size() == 3)
      return {pipeOf(parts[0]), pipeOf(parts[1]), static_cast<unsigned>(parts[2].integer(0, 7))};
    value.fail("expected [source pipe, destination pipe, id]");
    return {Pipe::S, Pipe::S, 0};
  }

  LibraryPhase readPhase(const JsonNode &value) {
    LibraryPhase phase;
    if (value.has("barrier")) {
      value.allowKeys({"barrier"});
      phase.barrier = true;
      phase.pipe = pipeOf(value.at("barrier"));
      return phase;
    }
    value.allowKeys({"pipe", "reads", "writes", "barrier"});
    phase.pipe = pipeOf(value.at("pipe"));
    phase.reads = identifiers(value.at("reads"), 0);
    phase.writes = identifiers(value.at("writes"), 0);
    return phase;
  }

  /// Notes that `key` is there without one of those that it makes sense with.
  void needs(const JsonNode &value, llvm::StringRef key, Words others) {
    for (llvm::StringRef other : others)
      if (value.has(key) && !value.has(other))
        value.at(key).fail("'" + key + "' needs '" + other + "'");
  }

  /// Returns the name of an operand of the form that is read.
  std::string operandIn(const JsonNode &value) { return isOperand(value, value.text()); }
  std::string isOperand(const JsonNode &value, const std::string &name) {
    if (value && !name.empty() && std::find(operandNames.begin(), operandNames.end(), name) == operandNames.end())
      failOperand(value, name);
    return name;
  }
  void failOperand(const JsonNode &value, llvm::StringRef name) {
    std::string known;
    for (const std::string &one : operandNames)
      known += (known.empty() ? "expected one of '" : ", '") + one + "'";
    value.fail("the form has no operand '" + name + "'; " + (known.empty() ? "it has none" : known));
  }

  /// "KEY": words, and "OPERAND.KEY" for what is asked of an operand.
  void readConditions(const JsonNode &when, InstructionForm &form) {
    const std::vector<std::pair<std::string, JsonNode>> conditions = when.members();
    if (conditions.empty())
      when.fail("expected at least one condition");
    for (const auto &[key, wanted] : conditions)
      form.when[key] = readCondition(key, wanted);
  }

  std::vector<std::string> readCondition(llvm::StringRef key, const JsonNode &wanted) {
    auto anyOf = [&](Words words) {
      return wanted.isArray() ? wordsOf(wanted, words) : std::vector{wanted.word(words)};
    };
    auto [name, asked] = key.split('.');
    if (key == "template")
      return wanted.isArray() ? wanted.names("text", [](llvm::StringRef) { return true; }) : std::vector{wanted.text()};
    if (key == "section")
      return anyOf({"cube", "vec"});
    if (llvm::is_contained(Words{"location", "type", "layout", "region", "like", "unlike", "fits", "kind", "direction"},
                           asked) &&
        std::find(operandNames.begin(), operandNames.end(), name) == operandNames.end())
      failOperand(wanted, name);
    if (key == "fifo.direction")
      return anyOf(kDirectionWords);
    if (asked == "location")
      return anyOf(kLocationWords);
    if (asked == "type")
      return wanted.isArray() ? identifiers(wanted, 1) : std::vector{wanted.name("name", isIdentifier)};
    if (asked == "layout")
      return anyOf({"RowMajor", "ColMajor"});
    if (asked == "kind")
      return anyOf({"tile", "tensor", "pipe", "scalar"});
    if (asked == "region")
      return {wanted.word({"single", "several"})};
    if (asked == "like" || asked == "unlike" || asked == "fits")
      return {operandIn(wanted)};
    wanted.fail("unknown condition '" + key +
                "'; expected 'template', 'section', 'fifo.direction', or an operand and "
                "'.location', '.type', '.layout', '.kind', '.region', '.like', '.unlike' or '.fits'");
    return {};
  }

  OperandRole readRole(const JsonNode &role) {
    return role.choice(OperandRole::Ignored, {{"write", OperandRole::Write},
                                              {"read", OperandRole::Read},
                                              {"readwrite", OperandRole::ReadWrite},
                                              {"scratch", OperandRole::Scratch},
                                              {"scalar", OperandRole::Scalar},
                                              {"config", OperandRole::Config},
                                              {"ignored", OperandRole::Ignored},
                                              {"fifo", OperandRole::Fifo}});
  }

  OperandFact readOperand(const JsonNode &operand) {
    operand.allowKeys(
        {"name", "role", "optional", "doubtful", "region", "walk", "window", "element", "order", "reach"});
    OperandFact fact;
    fact.name = operand.at("name").text();
    fact.role = readRole(operand.at("role"));
    fact.optional = isSet(operand.find("optional"));
    fact.doubtful = isSet(operand.find("doubtful"));
    fact.region = operand.find("region").choice(AccessRegion::Valid, {{"run", AccessRegion::Run},
                                                                      {"rows", AccessRegion::Rows},
                                                                      {"repeats", AccessRegion::Repeats},
                                                                      {"whole", AccessRegion::Whole},
                                                                      {"padding", AccessRegion::Padding}});
    for (const JsonNode &walk : severalOf(operand.find("walk")))
      fact.walks.push_back(readWalk(walk));
    operand.find("walk").allowNoRepeats();
    if (JsonNode window = operand.find("window")) {
      window.allowKeys({"of", "row", "column"});
      fact.window =
          AccessWindow{operandIn(window.at("of")), operandIn(window.at("row")), operandIn(window.at("column"))};
    }
    fact.element = operandIn(operand.find("element"));
    fact.order = operand.find("order").choice(AccessOrder::Unknown, {{"sequential", AccessOrder::Sequential},
                                                                     {"elementwise", AccessOrder::Elementwise},
                                                                     {"rows", AccessOrder::Rows},
                                                                     {"columns", AccessOrder::Columns},
                                                                     {"reduce", AccessOrder::Reduce}});
    for (const JsonNode &reach : severalOf(operand.find("reach")))
      fact.reaches.push_back(readReach(reach));
    return fact;
  }

  /// Returns the one value that stands there, or the elements of an array of at least two.
  std::vector<JsonNode> severalOf(const JsonNode &value) {
    if (!value)
      return {};
    return value.isArray() ? value.items(2) : std::vector{value};
  }

  RegionWalk readWalk(const JsonNode &value) {
    RegionWalk walk;
    if (value.isString()) {
      walk.rows = walk.columns = operandIn(value);
      return walk;
    }
    value.allowKeys({"rows", "columns", "lines", "line"});
    if (value.members().empty())
      value.fail("expected at least one of 'rows', 'columns', 'lines', 'line'");
    walk.rows = readSide(value.find("rows"), ".columns", walk.rowsAreColumns);
    walk.columns = readSide(value.find("columns"), ".rows", walk.columnsAreRows);
    walk.lines = operandIn(value.find("lines"));
    walk.line = operandIn(value.find("line"));
    return walk;
  }

  /// "NAME", or "NAME.rows" and "NAME.columns" where the other dimension counts.
  std::string readSide(const JsonNode &side, llvm::StringRef other, bool &turned) {
    const std::string text = side.text();
    llvm::StringRef name = text;
    turned = name.consume_back(other);
    return isOperand(side, name.str());
  }

  AccessReach readReach(const JsonNode &value) {
    value.allowKeys({"rowsOf", "rowsPer", "step", "rowBytesOf", "rowShare", "rowUnit", "elementsOf", "bytes", "behind",
                     "shapeOf", "shapeBytes", "shapes"});
    AccessReach reach;
    if (value.members().empty())
      value.fail("expected at least one key");
    reach.rowsOf = operandIn(value.find("rowsOf"));
    reach.rowBytesOf = operandIn(value.find("rowBytesOf"));
    reach.elementsOf = operandIn(value.find("elementsOf"));
    reach.shapeOf = operandIn(value.find("shapeOf"));
    reach.rowsPer = value.find("rowsPer").integer(1, kMostCount, 1);
    reach.step = value.find("step").integer(1, kMostReach, 0);
    reach.rowUnit = value.find("rowUnit").integer(1, kMostCount, 1);
    if (JsonNode share = value.find("rowShare"))
      std::tie(reach.shareOf, reach.shareIn) = twoNumbers(share);
    reach.bytes = value.find("bytes").integer(0, kMostReach);
    reach.behind = value.find("behind").integer(0, kMostReach);
    reach.shapeBytes = value.find("shapeBytes").integer(1, kMostReach, 0);
    for (const JsonNode &shape : value.find("shapes").items())
      reach.shapes.push_back(twoNumbers(shape));
    needs(value, "shapes", {"shapeOf", "shapeBytes"});
    needs(value, "rowsPer", {"rowsOf"});
    needs(value, "step", {"rowsOf"});
    needs(value, "rowShare", {"rowBytesOf"});
    needs(value, "rowUnit", {"rowBytesOf"});
    return reach;
  }

  std::pair<std::int64_t, std::int64_t> twoNumbers(const JsonNode &value) {
    std::vector<JsonNode> numbers = value.items(2, 2);
    if (numbers.size() != 2)
      return {1, 1};
    return {numbers[0].integer(1, kMostCount, 1), numbers[1].integer(1, kMostCount, 1)};
  }

  JsonDocument &document;
  JsonNode root;
  std::vector<std::string> operandNames; // of the form that is read
};

llvm::Expected<Machine> Machine::parse(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, name);
  if (!document)
    return document.takeError();
  MachineReader reader(*document);
  return document->root().has("overlays") ? reader.readOverlay() : reader.read();
}

llvm::Expected<Machine> Machine::builtIn(std::string_view arch) {
  std::string file = std::string(arch) + ".json";
  for (const auto &[name, text] : embeddedMachineFiles()) {
    if (name != file)
      continue;
    llvm::Expected<JsonDocument> document = JsonDocument::builtIn(text, "built-in " + file);
    if (!document)
      return document.takeError();
    return MachineReader(*document).readBuiltIn(file + "#/instructions/");
  }
  return llvm::createStringError("unknown architecture '" + std::string(arch) + "': expected a3 or a5");
}

} // namespace ptosync
