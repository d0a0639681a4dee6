#include "patterns/pattern_reader.h"

#include "base/json.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/VersionTuple.h>

#include <iterator>
#include <string>
#include <vector>

namespace ptosync {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::int64_t kPriorityLimit = 1000;
constexpr std::int64_t kMostLocalSlots = 64;

/// Lower-case words joined by single hyphens.
bool isPatternName(llvm::StringRef name) {
  bool afterHyphen = true;
  for (char character : name) {
    if (character == '-' && afterHyphen)
      return false;
    if (character != '-' && !llvm::isDigit(character) && !llvm::isLower(character))
      return false;
    afterHyphen = character == '-';
  }
  return !afterHyphen;
}
constexpr const char *kPatternName = "pattern name: lower-case words joined by '-'";

/// Returns true for what a call may be named in the lifted kernel: "TADD", "pto::comm::TPUT", "scalar.load".
bool isInstructionName(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == ':' || c == '.'; });
}

bool isBindingName(llvm::StringRef name) {
  return name == "*" || (!name.empty() && llvm::isLower(name.front()) && llvm::all_of(name, llvm::isAlnum));
}

bool isOption(llvm::StringRef option) { return option.starts_with("--") && option.size() > 2; }
bool isArch(llvm::StringRef name) { return name == "a3" || name == "a5"; }
bool isFlagStatement(llvm::StringRef name) { return name == "wait_flag" || name == "set_flag"; }
bool isDirection(llvm::StringRef name) { return name == "DIR_C2V" || name == "DIR_V2C" || name == "DIR_BOTH"; }

Pipe readPipe(const JsonNode &node) {
  std::vector<llvm::StringRef> names;
  names.reserve(std::size(kPipes) + 1);
  for (Pipe pipe : kPipes)
    names.emplace_back(pipeName(pipe));
  names.emplace_back(pipeName(Pipe::All));
  return parsePipe(node.word(names)).value_or(Pipe::V);
}

llvm::VersionTuple readVersion(const JsonNode &node) {
  std::string text = node.text();
  llvm::VersionTuple version;
  if (version.tryParse(text) || !version.getSubminor() || version.getBuild())
    node.fail("'" + text + "' is no version such as '0.1.0'");
  return version;
}

class PatternReader {
public:
  PatternReader(JsonDocument &document, std::string_view tool)
      : document(document), root(document.root()), tool(tool) {}

  llvm::Expected<Pattern> read(PatternCases cases) {
    readHead();
    readNaming();
    readScope();
    readMatch(root.at("match"));
    readBounds();
    if (cases == PatternCases::Read)
      readCases();
    if (!root.has("priority"))
      pattern.priority = pattern.generic() ? kGenericPriority : kNamedPriority;
    if (llvm::Error error = document.problem())
      return std::move(error);
    return std::move(pattern);
  }

private:
  void readHead() {
    // The version first: a newer file may well hold keys that this tool does not know.
    if (JsonNode node = root.find("minimumTool")) {
      llvm::VersionTuple needed = readVersion(node), own;
      if (!own.tryParse(tool) && own < needed)
        node.fail("the pattern needs ptosync " + needed.getAsString() + " or newer; this is " + std::string(tool));
    }
    root.allowKeys({"id", "aliases", "schema", "minimumTool", "title", "arch", "trust", "priority", "kind", "match",
                    "action", "bounds", "explanation", "docs", "cases"});
    JsonNode schema = root.at("schema");
    if (std::int64_t number = schema.integer(); number != kSchema)
      schema.fail("schema " + llvm::Twine(number) + " is not known; this tool reads schema " + llvm::Twine(kSchema));
    root.at("minimumTool");
  }

  void readNaming() {
    JsonNode id = root.at("id");
    pattern.id = id.name(kPatternName, isPatternName);
    pattern.aliases = root.find("aliases").names(kPatternName, isPatternName);
    pattern.title = root.at("title").text();
    pattern.explanation = root.at("explanation").text();
    pattern.docs = root.at("docs").text();
  }

  void readScope() {
    pattern.arch = root.at("arch").names("architecture; expected 'a3' or 'a5'", isArch);
    pattern.trust = root.at("trust").choice(Trust::Tile, {{"tile", Trust::Tile}, {"library", Trust::Library}});
    pattern.priority = static_cast<int>(root.find("priority").integer(-kPriorityLimit, kPriorityLimit));
    pattern.kind =
        root.find("kind").choice(PatternKind::Sync, {{"sync", PatternKind::Sync}, {"rewrite", PatternKind::Rewrite}});
    std::vector<std::pair<llvm::StringRef, PatternAction>> actions;
    for (const ActionFacts &facts : patternActions())
      if (facts.kind == pattern.kind)
        actions.emplace_back(facts.name, facts.action);
    pattern.action = root.at("action").choice(actions.front().second, actions);
  }

  void readMatch(const JsonNode &match) {
    if (pattern.kind == PatternKind::Rewrite)
      return readFifoMatch(match);
    if (isOnBrackets(pattern.action))
      return readBracket(match);
    if (pattern.action != PatternAction::RemoveBarrier)
      return readFlag(match);
    match.allowKeys({"pipe", "sequence"});
    pattern.pipe = readPipe(match.at("pipe"));
    JsonNode sequence = match.at("sequence");
    for (const JsonNode &element : sequence.items())
      readElement(element);
    auto barriers = llvm::count_if(
        pattern.sequence, [](const PatternElement &element) { return element.kind == PatternElement::Kind::Barrier; });
    if (barriers != 1)
      sequence.fail("expected exactly one barrier, found " + llvm::Twine(barriers));
  }

  /// Which flags the pattern asks for: a pipe that is not named may be any.
  void readFlag(const JsonNode &match) {
    match.allowKeys({"flag"});
    JsonNode flag = match.at("flag");
    flag.allowKeys({"source", "destination"});
    for (auto [key, pipe] : {std::pair("source", &pattern.source), std::pair("destination", &pattern.destination)}) {
      JsonNode node = flag.find(key);
      if (!node)
        continue;
      *pipe = readPipe(node);
      if (*pipe == Pipe::All)
        node.fail("a flag goes from one pipe to another; leave the key out for any pipe");
    }
  }

  /// Which brackets of buffer ids the pattern asks for: those of one pipe, or of any.
  void readBracket(const JsonNode &match) {
    match.allowKeys({"bracket"});
    JsonNode bracket = match.at("bracket");
    bracket.allowKeys({"pipe"});
    JsonNode node = bracket.find("pipe");
    if (!node)
      return;
    pattern.source = pattern.destination = readPipe(node);
    if (pattern.source == Pipe::All)
      node.fail("a bracket is of one pipe; leave the key out for any pipe");
  }

  /// Which FIFOs a rewrite asks for.
  void readFifoMatch(const JsonNode &match) {
    match.allowKeys({"fifo"});
    JsonNode fifo = match.at("fifo");
    fifo.allowKeys({"directions", "localSlots"});
    pattern.fifo.directions =
        fifo.find("directions").names("direction; expected 'DIR_C2V', 'DIR_V2C' or 'DIR_BOTH'", isDirection);
    JsonNode count = fifo.find("localSlots");
    count.allowKeys({"atLeast"});
    pattern.fifo.leastLocalSlots = count.find("atLeast").integer(1, kMostLocalSlots, pattern.fifo.leastLocalSlots);
  }

  /// Within which bounds a rewrite sets what it sets; no other pattern has any.
  void readBounds() {
    if (pattern.kind == PatternKind::Sync)
      return root.find("bounds").fail("only a pattern of kind 'rewrite' has bounds");
    JsonNode bounds = root.at("bounds");
    bounds.allowKeys({"localSlots"});
    JsonNode count = bounds.at("localSlots");
    count.allowKeys({"atLeast", "atMost"});
    pattern.leastLocalSlots = count.find("atLeast").integer(1, kMostLocalSlots, pattern.leastLocalSlots);
    pattern.mostLocalSlots = count.find("atMost").integer(1, kMostLocalSlots, kMostLocalSlots);
    if (pattern.leastLocalSlots > pattern.mostLocalSlots)
      count.fail("no count is at least " + llvm::Twine(pattern.leastLocalSlots) + " and at most " +
                 llvm::Twine(pattern.mostLocalSlots));
  }

  void readElement(const JsonNode &node) {
    auto isKind = [&](llvm::StringRef kind) { return node.has(kind); };
    auto found = llvm::count_if(JsonNode::Names{"instruction", "barrier", "syncs", "others"}, isKind);
    if (found == 0) // A misspelt kind is the likelier mistake: name it rather than what is missing.
      node.allowKeys({"instruction", "operands", "barrier", "syncs", "optional", "others"});
    if (found != 1)
      return node.fail("expected exactly one of 'instruction', 'barrier', 'syncs', 'others'");
    PatternElement element;
    if (node.has("instruction"))
      readInstructionElement(node, element);
    else if (node.has("barrier"))
      readBarrierElement(node, element);
    else if (node.has("syncs"))
      readSyncsElement(node, element);
    else
      readOthersElement(node, element);
    pattern.sequence.push_back(std::move(element));
  }

  void readInstructionElement(const JsonNode &node, PatternElement &element) {
    element.kind = PatternElement::Kind::Instruction;
    node.allowKeys({"instruction", "operands"});
    JsonNode names = node.at("instruction");
    element.instructions = names.isArray() ? names.names("instruction name", isInstructionName)
                                           : std::vector{names.name("instruction name", isInstructionName)};
    for (const JsonNode &operand : node.find("operands").items())
      element.operands.push_back(operand.name("operand name: expected '*' or a name such as 'x'", isBindingName));
  }

  void readBarrierElement(const JsonNode &node, PatternElement &element) {
    element.kind = PatternElement::Kind::Barrier;
    node.allowKeys({"barrier"});
    JsonNode barrier = node.at("barrier");
    if (Pipe pipe = readPipe(barrier); pipe != pattern.pipe)
      barrier.fail("the barrier is on " + llvm::StringRef(pipeName(pipe)) + ", but /match/pipe is " +
                   llvm::StringRef(pipeName(pattern.pipe)));
  }

  void readSyncsElement(const JsonNode &node, PatternElement &element) {
    element.kind = PatternElement::Kind::Syncs;
    node.allowKeys({"syncs", "optional"});
    std::vector<std::string> kinds =
        node.at("syncs").names("flag statement; expected 'wait_flag' or 'set_flag'", isFlagStatement);
    element.waits = llvm::is_contained(kinds, "wait_flag");
    element.sets = llvm::is_contained(kinds, "set_flag");
    element.optional = node.find("optional").boolean();
  }

  void readOthersElement(const JsonNode &node, PatternElement &element) {
    element.kind = PatternElement::Kind::Others;
    node.allowKeys({"others"});
    JsonNode others = node.at("others");
    if (!others.boolean())
      others.fail("expected true; leave the element out instead");
    if (pattern.pipe == Pipe::All)
      node.fail("a PIPE_ALL barrier has no other pipes");
  }

  void readCases() {
    JsonNode cases = root.at("cases");
    for (const JsonNode &one : cases.items())
      readCase(one);
    auto expects = [&](CaseExpectation expectation) {
      return llvm::any_of(pattern.cases, [&](const PatternCase &one) { return one.expect == expectation; });
    };
    if (!expects(CaseExpectation::Fire))
      cases.fail("no case with \"expect\": \"fire\": nothing shows that the pattern works");
    if (!expects(CaseExpectation::Silent))
      cases.fail("no case with \"expect\": \"silent\": nothing shows where the pattern stops");
  }

  void readCase(const JsonNode &node) {
    node.allowKeys({"name", "expect", "options", "kernel"});
    PatternCase one;
    one.line = node.line();
    JsonNode name = node.at("name");
    one.name = name.text();
    for (const PatternCase &earlier : pattern.cases)
      if (earlier.name == one.name)
        name.fail("a case named '" + one.name + "' exists already");
    one.expect = node.at("expect").choice(CaseExpectation::Fire,
                                          {{"fire", CaseExpectation::Fire}, {"silent", CaseExpectation::Silent}});
    one.options = node.find("options").names("option; expected one such as '--trust=library'", isOption);
    for (const JsonNode &line : node.at("kernel").items()) {
      one.kernel.push_back(line.text());
      if (one.kernel.back().find('\n') != std::string::npos)
        line.fail("expected one line of C++; make one element of each line");
    }
    pattern.cases.push_back(std::move(one));
  }

  JsonDocument &document;
  JsonNode root;
  std::string_view tool;
  Pattern pattern;
};

llvm::Expected<Pattern> patternOf(llvm::Expected<JsonDocument> document, std::string_view fileName,
                                  std::string_view tool, PatternCases cases) {
  if (!document)
    return document.takeError();
  llvm::Expected<Pattern> pattern = PatternReader(*document, tool).read(cases);
  if (pattern)
    pattern->file = fileName;
  return pattern;
}

} // namespace

llvm::Expected<Pattern> parsePattern(std::string_view json, std::string_view fileName, std::string_view tool) {
  return patternOf(JsonDocument::parse(json, fileName), fileName, tool, PatternCases::Read);
}

llvm::Expected<Pattern> builtInPattern(std::string_view json, std::string_view fileName, std::string_view cases) {
  if (cases.empty())
    return patternOf(JsonDocument::builtIn(json, fileName), fileName, toolVersion(), PatternCases::Left);
  const std::string whole = std::string(json.substr(0, json.rfind('}'))) + ",\"cases\":" + std::string(cases) + "}";
  return patternOf(JsonDocument::builtIn(whole, fileName), fileName, toolVersion(), PatternCases::Read);
}

} // namespace ptosync
