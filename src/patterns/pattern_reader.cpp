#include "patterns/pattern_reader.h"

#include "json/json_document.h"
#include "json/nearest_name.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/VersionTuple.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptosync {
namespace {

// Values that several parts of a pattern file hold: texts, choices, lists of names. Each is read strictly, from one
// node; the error names its place.

/// `value` into `target`, or the error.
template <typename T> llvm::Error take(llvm::Expected<T> value, T &target) {
  if (!value)
    return value.takeError();
  target = std::move(*value);
  return llvm::Error::success();
}

llvm::Error readText(const JsonNode &object, llvm::StringRef key, std::string &target) {
  llvm::Expected<JsonNode> node = object.member(key);
  return node ? take(node->string(), target) : node.takeError();
}

/// A string out of `choices`.
llvm::Expected<std::string> readChoice(const JsonNode &node, const std::vector<std::string> &choices) {
  std::string text;
  if (llvm::Error error = take(node.string(), text))
    return error;
  if (std::find(choices.begin(), choices.end(), text) == choices.end())
    return node.error("unknown value '" + text + "'" + suggestName(text, choices));
  return text;
}

/// An array of strings, none of them twice, that all satisfy `valid`.
template <typename Predicate>
llvm::Error readNames(const JsonNode &node, std::vector<std::string> &target, llvm::StringRef what, Predicate valid) {
  std::vector<JsonNode> items;
  if (llvm::Error error = take(node.items(), items))
    return error;
  for (const JsonNode &item : items) {
    std::string text;
    if (llvm::Error error = take(item.string(), text))
      return error;
    if (!valid(text))
      return item.error("'" + text + "' is no " + what);
    if (std::find(target.begin(), target.end(), text) != target.end())
      return item.error("'" + text + "' is listed twice");
    target.push_back(text);
  }
  return llvm::Error::success();
}

constexpr std::int64_t kMostLocalSlots = 64;

llvm::Error readSlotCount(const JsonNode &object, llvm::StringRef key, std::int64_t &target) {
  if (!object.has(key))
    return llvm::Error::success();
  if (llvm::Error error = take(object.at(key).integer(), target))
    return error;
  if (target < 1 || target > kMostLocalSlots)
    return object.at(key).error("expected an integer from 1 to " + llvm::Twine(kMostLocalSlots));
  return llvm::Error::success();
}

/// `match` of a rewrite.
llvm::Error readFifoMatch(const JsonNode &match, FifoMatch &target) {
  if (llvm::Error error = match.allowKeys({"fifo"}))
    return error;
  llvm::Expected<JsonNode> fifo = match.member("fifo");
  if (!fifo)
    return fifo.takeError();
  if (llvm::Error error = fifo->allowKeys({"directions", "localSlots"}))
    return error;
  if (fifo->has("directions"))
    if (llvm::Error error = readNames(
            fifo->at("directions"), target.directions, "direction; expected 'DIR_C2V', 'DIR_V2C' or 'DIR_BOTH'",
            [](llvm::StringRef name) { return name == "DIR_C2V" || name == "DIR_V2C" || name == "DIR_BOTH"; }))
      return error;
  if (!fifo->has("localSlots"))
    return llvm::Error::success();
  JsonNode count = fifo->at("localSlots");
  if (llvm::Error error = count.allowKeys({"atLeast"}))
    return error;
  return readSlotCount(count, "atLeast", target.leastLocalSlots);
}

/// `bounds` of the file; a pattern of another kind must have none.
llvm::Error readRewriteBounds(const JsonNode &root, Pattern &pattern) {
  if (pattern.kind == PatternKind::Sync)
    return root.has("bounds") ? root.at("bounds").error("only a pattern of kind 'rewrite' has bounds")
                              : llvm::Error::success();
  llvm::Expected<JsonNode> bounds = root.member("bounds");
  if (!bounds)
    return bounds.takeError();
  if (llvm::Error error = bounds->allowKeys({"localSlots"}))
    return error;
  llvm::Expected<JsonNode> count = bounds->member("localSlots");
  if (!count)
    return count.takeError();
  if (llvm::Error error = count->allowKeys({"atLeast", "atMost"}))
    return error;
  pattern.mostLocalSlots = kMostLocalSlots;
  if (llvm::Error error = readSlotCount(*count, "atLeast", pattern.leastLocalSlots))
    return error;
  if (llvm::Error error = readSlotCount(*count, "atMost", pattern.mostLocalSlots))
    return error;
  if (pattern.leastLocalSlots > pattern.mostLocalSlots)
    return count->error("no count is at least " + llvm::Twine(pattern.leastLocalSlots) + " and at most " +
                        llvm::Twine(pattern.mostLocalSlots));
  return llvm::Error::success();
}

constexpr std::int64_t kSchema = 1;
constexpr std::int64_t kPriorityLimit = 1000;

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

/// What a call may be named in the lifted kernel: "TADD", "pto::comm::TPUT", "scalar.load".
bool isInstructionName(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == ':' || c == '.'; });
}

bool isBindingName(llvm::StringRef name) {
  return name == "*" || (!name.empty() && llvm::isLower(name.front()) && llvm::all_of(name, llvm::isAlnum));
}

bool isOption(llvm::StringRef option) { return option.starts_with("--") && option.size() > 2; }

llvm::Expected<Pipe> readPipe(const JsonNode &node) {
  std::vector<std::string> names;
  for (Pipe pipe : kPipes)
    names.emplace_back(pipeName(pipe));
  names.emplace_back(pipeName(Pipe::All));
  std::string text;
  if (llvm::Error error = take(readChoice(node, names), text))
    return error;
  return *parsePipe(text);
}

llvm::Expected<llvm::VersionTuple> readVersion(const JsonNode &node) {
  std::string text;
  if (llvm::Error error = take(node.string(), text))
    return error;
  llvm::VersionTuple version;
  if (version.tryParse(text) || !version.getSubminor() || version.getBuild())
    return node.error("'" + text + "' is no version such as '0.1.0'");
  return version;
}

class PatternReader {
public:
  PatternReader(const JsonDocument &document, std::string_view tool) : root(document.root()), tool(tool) {}
  llvm::Expected<Pattern> read(PatternCases cases);

private:
  llvm::Error readHead();
  llvm::Error readNaming();
  llvm::Error readScope();
  llvm::Error readMatch();
  llvm::Error readFlag(const JsonNode &match);
  llvm::Error readBounds() { return readRewriteBounds(root, pattern); }
  llvm::Error readElement(const JsonNode &node);
  llvm::Error readInstructionElement(const JsonNode &node, PatternElement &element);
  llvm::Error readBarrierElement(const JsonNode &node);
  llvm::Error readSyncsElement(const JsonNode &node, PatternElement &element);
  llvm::Error readOthersElement(const JsonNode &node);
  llvm::Error readCases();
  llvm::Error readCase(const JsonNode &node);
  llvm::Error readBody(const JsonNode &node, PatternCase &patternCase);

  JsonNode root;
  std::string_view tool;
  Pattern pattern;
};

llvm::Expected<Pattern> PatternReader::read(PatternCases cases) {
  // The version first: a newer file may well hold keys that this tool does not know.
  for (auto part : {&PatternReader::readHead, &PatternReader::readNaming, &PatternReader::readScope,
                    &PatternReader::readMatch, &PatternReader::readBounds})
    if (llvm::Error error = (this->*part)())
      return error;
  if (cases == PatternCases::Read)
    if (llvm::Error error = readCases())
      return error;
  if (!root.has("priority"))
    pattern.priority = pattern.generic() ? kGenericPriority : kNamedPriority;
  return std::move(pattern);
}

llvm::Error PatternReader::readHead() {
  llvm::VersionTuple needed, own;
  if (root.has("minimumTool")) {
    JsonNode node = root.at("minimumTool");
    if (llvm::Error error = take(readVersion(node), needed))
      return error;
    if (!own.tryParse(tool) && own < needed)
      return node.error("the pattern needs ptosync " + needed.getAsString() + " or newer; this is " +
                        std::string(tool));
  }
  if (llvm::Error error =
          root.allowKeys({"id", "aliases", "schema", "minimumTool", "title", "arch", "trust", "priority", "kind",
                          "match", "action", "bounds", "explanation", "docs", "cases"}))
    return error;
  llvm::Expected<JsonNode> schema = root.member("schema");
  if (!schema)
    return schema.takeError();
  std::int64_t number = 0;
  if (llvm::Error error = take(schema->integer(), number))
    return error;
  if (number != kSchema)
    return schema->error("schema " + llvm::Twine(number) + " is not known; this tool reads schema " +
                         llvm::Twine(kSchema));
  llvm::Expected<JsonNode> minimum = root.member("minimumTool");
  return minimum ? llvm::Error::success() : minimum.takeError();
}

llvm::Error PatternReader::readNaming() {
  if (llvm::Error error = readText(root, "id", pattern.id))
    return error;
  if (!isPatternName(pattern.id))
    return root.at("id").error("'" + pattern.id + "' is no pattern name: lower-case words joined by '-'");
  if (root.has("aliases"))
    if (llvm::Error error = readNames(root.at("aliases"), pattern.aliases,
                                      "pattern name: lower-case words joined by '-'", isPatternName))
      return error;
  if (llvm::Error error = readText(root, "title", pattern.title))
    return error;
  if (llvm::Error error = readText(root, "explanation", pattern.explanation))
    return error;
  return readText(root, "docs", pattern.docs);
}

llvm::Error PatternReader::readScope() {
  llvm::Expected<JsonNode> arch = root.member("arch");
  if (!arch)
    return arch.takeError();
  if (llvm::Error error = readNames(*arch, pattern.arch, "architecture; expected 'a3' or 'a5'",
                                    [](llvm::StringRef name) { return name == "a3" || name == "a5"; }))
    return error;
  std::string trust, action;
  llvm::Expected<JsonNode> trustNode = root.member("trust");
  if (!trustNode)
    return trustNode.takeError();
  if (llvm::Error error = take(readChoice(*trustNode, {"tile", "library"}), trust))
    return error;
  pattern.trust = trust == "tile" ? Trust::Tile : Trust::Library;
  if (root.has("priority")) {
    std::int64_t priority = 0;
    if (llvm::Error error = take(root.at("priority").integer(), priority))
      return error;
    if (priority < -kPriorityLimit || priority > kPriorityLimit)
      return root.at("priority").error("expected an integer from -1000 to 1000");
    pattern.priority = static_cast<int>(priority);
  }
  if (root.has("kind")) {
    std::string kind;
    if (llvm::Error error = take(readChoice(root.at("kind"), {"sync", "rewrite"}), kind))
      return error;
    pattern.kind = kind == "sync" ? PatternKind::Sync : PatternKind::Rewrite;
  }
  llvm::Expected<JsonNode> actionNode = root.member("action");
  if (!actionNode)
    return actionNode.takeError();
  std::vector<std::string> names;
  std::vector<PatternAction> actions;
  for (const ActionFacts &facts : patternActions())
    if (facts.kind == pattern.kind) {
      names.emplace_back(facts.name);
      actions.push_back(facts.action);
    }
  if (llvm::Error error = take(readChoice(*actionNode, names), action))
    return error;
  pattern.action = actions[static_cast<std::size_t>(llvm::find(names, action) - names.begin())];
  return llvm::Error::success();
}

/// Which flags the pattern asks for: a pipe that is not named may be any.
llvm::Error PatternReader::readFlag(const JsonNode &match) {
  if (llvm::Error error = match.allowKeys({"flag"}))
    return error;
  llvm::Expected<JsonNode> flag = match.member("flag");
  if (!flag)
    return flag.takeError();
  if (llvm::Error error = flag->allowKeys({"source", "destination"}))
    return error;
  for (auto [key, pipe] : {std::pair("source", &pattern.source), std::pair("destination", &pattern.destination)}) {
    if (!flag->has(key))
      continue;
    Pipe named = Pipe::V;
    if (llvm::Error error = take(readPipe(flag->at(key)), named))
      return error;
    if (named == Pipe::All)
      return flag->at(key).error("a flag goes from one pipe to another; leave the key out for any pipe");
    *pipe = named;
  }
  return llvm::Error::success();
}

llvm::Error PatternReader::readMatch() {
  llvm::Expected<JsonNode> match = root.member("match");
  if (!match)
    return match.takeError();
  if (pattern.kind == PatternKind::Rewrite)
    return readFifoMatch(*match, pattern.fifo);
  if (pattern.action != PatternAction::RemoveBarrier)
    return readFlag(*match);
  if (llvm::Error error = match->allowKeys({"pipe", "sequence"}))
    return error;
  llvm::Expected<JsonNode> pipe = match->member("pipe");
  if (!pipe)
    return pipe.takeError();
  if (llvm::Error error = take(readPipe(*pipe), pattern.pipe))
    return error;
  llvm::Expected<JsonNode> sequence = match->member("sequence");
  if (!sequence)
    return sequence.takeError();
  std::vector<JsonNode> elements;
  if (llvm::Error error = take(sequence->items(), elements))
    return error;
  for (const JsonNode &element : elements)
    if (llvm::Error error = readElement(element))
      return error;
  auto barriers = llvm::count_if(
      pattern.sequence, [](const PatternElement &element) { return element.kind == PatternElement::Kind::Barrier; });
  if (barriers != 1)
    return sequence->error("expected exactly one barrier, found " + llvm::Twine(barriers));
  return llvm::Error::success();
}

llvm::Error PatternReader::readElement(const JsonNode &node) {
  const std::vector<std::string> kinds = {"instruction", "barrier", "syncs", "others"};
  auto isKind = [&](const std::string &kind) { return node.has(kind); };
  auto found = llvm::count_if(kinds, isKind);
  if (found == 0) {
    // A misspelt kind is the likelier mistake: name it rather than what is missing.
    if (llvm::Error error = node.allowKeys({"instruction", "operands", "barrier", "syncs", "optional", "others"}))
      return error;
  }
  if (found != 1)
    return node.error("expected exactly one of 'instruction', 'barrier', 'syncs', 'others'");
  PatternElement element;
  llvm::Error error = node.has("instruction") ? readInstructionElement(node, element)
                      : node.has("barrier")   ? readBarrierElement(node)
                      : node.has("syncs")     ? readSyncsElement(node, element)
                                              : readOthersElement(node);
  if (error)
    return error;
  element.kind = node.has("instruction") ? PatternElement::Kind::Instruction
                 : node.has("barrier")   ? PatternElement::Kind::Barrier
                 : node.has("syncs")     ? PatternElement::Kind::Syncs
                                         : PatternElement::Kind::Others;
  pattern.sequence.push_back(std::move(element));
  return llvm::Error::success();
}

llvm::Error PatternReader::readInstructionElement(const JsonNode &node, PatternElement &element) {
  if (llvm::Error error = node.allowKeys({"instruction", "operands"}))
    return error;
  JsonNode names = node.at("instruction");
  if (names.isArray()) {
    if (llvm::Error error = readNames(names, element.instructions, "instruction name", isInstructionName))
      return error;
  } else {
    element.instructions.emplace_back();
    if (llvm::Error error = take(names.string(), element.instructions.back()))
      return error;
    if (!isInstructionName(element.instructions.back()))
      return names.error("'" + element.instructions.back() + "' is no instruction name");
  }
  if (!node.has("operands"))
    return llvm::Error::success();
  std::vector<JsonNode> operands;
  if (llvm::Error error = take(node.at("operands").items(), operands))
    return error;
  for (const JsonNode &operand : operands) {
    element.operands.emplace_back();
    if (llvm::Error error = take(operand.string(), element.operands.back()))
      return error;
    if (!isBindingName(element.operands.back()))
      return operand.error("'" + element.operands.back() + "' is no operand name: expected '*' or a name such as 'x'");
  }
  return llvm::Error::success();
}

llvm::Error PatternReader::readBarrierElement(const JsonNode &node) {
  if (llvm::Error error = node.allowKeys({"barrier"}))
    return error;
  Pipe pipe = Pipe::V;
  if (llvm::Error error = take(readPipe(node.at("barrier")), pipe))
    return error;
  if (pipe != pattern.pipe)
    return node.at("barrier").error("the barrier is on " + llvm::StringRef(pipeName(pipe)) + ", but /match/pipe is " +
                                    llvm::StringRef(pipeName(pattern.pipe)));
  return llvm::Error::success();
}

llvm::Error PatternReader::readSyncsElement(const JsonNode &node, PatternElement &element) {
  if (llvm::Error error = node.allowKeys({"syncs", "optional"}))
    return error;
  std::vector<std::string> kinds;
  if (llvm::Error error = readNames(node.at("syncs"), kinds, "flag statement; expected 'wait_flag' or 'set_flag'",
                                    [](llvm::StringRef name) { return name == "wait_flag" || name == "set_flag"; }))
    return error;
  element.waits = llvm::is_contained(kinds, "wait_flag");
  element.sets = llvm::is_contained(kinds, "set_flag");
  return node.has("optional") ? take(node.at("optional").boolean(), element.optional) : llvm::Error::success();
}

llvm::Error PatternReader::readOthersElement(const JsonNode &node) {
  if (llvm::Error error = node.allowKeys({"others"}))
    return error;
  bool others = false;
  if (llvm::Error error = take(node.at("others").boolean(), others))
    return error;
  if (!others)
    return node.at("others").error("expected true; leave the element out instead");
  if (pattern.pipe == Pipe::All)
    return node.error("a PIPE_ALL barrier has no other pipes");
  return llvm::Error::success();
}

llvm::Error PatternReader::readCases() {
  llvm::Expected<JsonNode> node = root.member("cases");
  if (!node)
    return node.takeError();
  std::vector<JsonNode> cases;
  if (llvm::Error error = take(node->items(), cases))
    return error;
  for (const JsonNode &item : cases)
    if (llvm::Error error = readCase(item))
      return error;
  auto expects = [&](CaseExpectation expectation) {
    return llvm::any_of(pattern.cases, [&](const PatternCase &one) { return one.expect == expectation; });
  };
  if (!expects(CaseExpectation::Fire))
    return node->error("no case with \"expect\": \"fire\": nothing shows that the pattern works");
  if (!expects(CaseExpectation::Silent))
    return node->error("no case with \"expect\": \"silent\": nothing shows where the pattern stops");
  return llvm::Error::success();
}

llvm::Error PatternReader::readCase(const JsonNode &node) {
  if (llvm::Error error = node.allowKeys({"name", "expect", "options", "kernel"}))
    return error;
  PatternCase patternCase;
  patternCase.line = node.line();
  if (llvm::Error error = readText(node, "name", patternCase.name))
    return error;
  for (const PatternCase &earlier : pattern.cases)
    if (earlier.name == patternCase.name)
      return node.at("name").error("a case named '" + patternCase.name + "' exists already");
  llvm::Expected<JsonNode> expectNode = node.member("expect");
  if (!expectNode)
    return expectNode.takeError();
  std::string expect;
  if (llvm::Error error = take(readChoice(*expectNode, {"fire", "silent"}), expect))
    return error;
  patternCase.expect = expect == "fire" ? CaseExpectation::Fire : CaseExpectation::Silent;
  if (node.has("options"))
    if (llvm::Error error = readNames(node.at("options"), patternCase.options,
                                      "option; expected one such as '--trust=library'", isOption))
      return error;
  if (llvm::Error error = readBody(node, patternCase))
    return error;
  pattern.cases.push_back(std::move(patternCase));
  return llvm::Error::success();
}

llvm::Error PatternReader::readBody(const JsonNode &node, PatternCase &patternCase) {
  llvm::Expected<JsonNode> kernel = node.member("kernel");
  if (!kernel)
    return kernel.takeError();
  std::vector<JsonNode> lines;
  if (llvm::Error error = take(kernel->items(), lines))
    return error;
  for (const JsonNode &line : lines) {
    patternCase.kernel.emplace_back();
    if (llvm::Error error = take(line.string(), patternCase.kernel.back()))
      return error;
    if (patternCase.kernel.back().find('\n') != std::string::npos)
      return line.error("expected one line of C++; make one element of each line");
  }
  return llvm::Error::success();
}

} // namespace

static llvm::Expected<Pattern> patternOf(llvm::Expected<JsonDocument> document, std::string_view fileName,
                                         std::string_view tool, PatternCases cases) {
  if (!document)
    return document.takeError();
  llvm::Expected<Pattern> pattern = PatternReader(*document, tool).read(cases);
  if (pattern)
    pattern->file = fileName;
  return pattern;
}

llvm::Expected<Pattern> parsePattern(std::string_view json, std::string_view fileName, std::string_view tool) {
  return patternOf(JsonDocument::parse(json, fileName), fileName, tool, PatternCases::Read);
}

llvm::Expected<Pattern> builtInPattern(std::string_view json, std::string_view fileName, PatternCases cases) {
  return patternOf(cases == PatternCases::Read ? JsonDocument::builtIn(json, fileName)
                                               : JsonDocument::builtIn(json, fileName, {"cases"}),
                   fileName, toolVersion(), cases);
}

} // namespace ptosync
