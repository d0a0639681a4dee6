#include "patterns/pattern_reader.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync;

namespace {

// Line numbers in the expectations below refer to this text.
const std::string kGood = R"({
  "id": "gu",
  "aliases": ["rescale-add"],
  "schema": 1,
  "minimumTool": "0.1.0",
  "title": "T",
  "arch": ["a3", "a5"],
  "trust": "library",
  "priority": 7,
  "match": {
    "pipe": "PIPE_V",
    "sequence": [
      {"instruction": ["TMUL", "TDIV"], "operands": ["x", "*"]},
      {"others": true},
      {"barrier": "PIPE_V"},
      {"syncs": ["wait_flag"], "optional": true},
      {"instruction": "TADD"}
    ]
  },
  "action": "remove-barrier",
  "explanation": "E",
  "docs": "docs/patterns.md#gu",
  "cases": [
    {"name": "one", "expect": "fire", "options": ["--trust=library"], "kernel": ["a();", "b();"]},
    {"name": "two", "expect": "silent", "kernel": ["c();"]}
  ]
}
)";

/// kGood with the only occurrence of `from` replaced.
std::string changed(const std::string &from, const std::string &to) {
  std::string text = kGood;
  std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  REQUIRE(text.find(from, place + 1) == std::string::npos);
  return text.replace(place, from.size(), to);
}

std::string readerFailure(std::string_view text, std::string_view tool = toolVersion()) {
  llvm::Expected<Pattern> pattern = parsePattern(text, "patterns/gu.json", tool);
  return pattern ? std::string("no error") : llvm::toString(pattern.takeError());
}

std::string failureOf(const std::string &from, const std::string &to) { return readerFailure(changed(from, to)); }

} // namespace

TEST_CASE("a pattern file is read in full", "[patterns]") {
  Pattern pattern = llvm::cantFail(parsePattern(kGood, "patterns/gu.json"));
  CHECK(pattern.id == "gu");
  CHECK(pattern.aliases == std::vector<std::string>{"rescale-add"});
  CHECK(pattern.arch == std::vector<std::string>{"a3", "a5"});
  CHECK(pattern.trust == Trust::Library);
  CHECK(pattern.priority == 7);
  CHECK(pattern.pipe == Pipe::V);
  CHECK(pattern.docs == "docs/patterns.md#gu");
  CHECK(pattern.file == "patterns/gu.json");
  CHECK_FALSE(pattern.generic());
  REQUIRE(pattern.sequence.size() == 5);
  CHECK(pattern.sequence[0].kind == PatternElement::Kind::Instruction);
  CHECK(pattern.sequence[0].instructions == std::vector<std::string>{"TMUL", "TDIV"});
  CHECK(pattern.sequence[0].operands == std::vector<std::string>{"x", "*"});
  CHECK(pattern.sequence[1].kind == PatternElement::Kind::Others);
  CHECK(pattern.sequence[2].kind == PatternElement::Kind::Barrier);
  CHECK(pattern.sequence[3].kind == PatternElement::Kind::Syncs);
  CHECK(pattern.sequence[3].waits);
  CHECK_FALSE(pattern.sequence[3].sets);
  CHECK(pattern.sequence[3].optional);
  CHECK(pattern.sequence[4].instructions == std::vector<std::string>{"TADD"});
  CHECK(pattern.sequence[4].operands.empty());
  REQUIRE(pattern.cases.size() == 2);
  CHECK(pattern.cases[0].expect == CaseExpectation::Fire);
  CHECK(pattern.cases[0].options == std::vector<std::string>{"--trust=library"});
  CHECK(pattern.cases[0].kernel == std::vector<std::string>{"a();", "b();"});
  CHECK(pattern.cases[0].line == 24);
  CHECK(pattern.cases[1].expect == CaseExpectation::Silent);
}

TEST_CASE("a named pattern is asked before a generic one", "[patterns]") {
  CHECK(llvm::cantFail(parsePattern(changed("  \"priority\": 7,\n", ""), "f")).priority == kNamedPriority);
  std::string generic = changed("  \"priority\": 7,\n", "");
  std::size_t begin = generic.find("      {\"instruction\": [\"TMUL\""), end = generic.find("\n    ]\n  },");
  generic.replace(begin, end - begin, "      {\"barrier\": \"PIPE_V\"}");
  Pattern pattern = llvm::cantFail(parsePattern(generic, "f"));
  CHECK(pattern.generic());
  CHECK(pattern.priority == kGenericPriority);
}

TEST_CASE("an unknown key names its place and the nearest key", "[patterns]") {
  CHECK(failureOf("\"operands\"", "\"operand\"") ==
        "patterns/gu.json:13: /match/sequence/0/operand: unknown key 'operand'; did you mean 'operands'?");
  CHECK(failureOf("\"title\"", "\"tittle\"") ==
        "patterns/gu.json:6: /tittle: unknown key 'tittle'; did you mean 'title'?");
  CHECK(failureOf("\"pipe\"", "\"pip\"") == "patterns/gu.json:11: /match/pip: unknown key 'pip'; did you mean 'pipe'?");
  CHECK(failureOf("{\"barrier\"", "{\"barier\"") ==
        "patterns/gu.json:15: /match/sequence/2/barier: unknown key 'barier'; did you mean 'barrier'?");
  CHECK(failureOf("{\"name\": \"two\"", "{\"nme\": \"two\"") ==
        "patterns/gu.json:25: /cases/1/nme: unknown key 'nme'; did you mean 'name'?");
  CHECK(failureOf("\"optional\": true", "\"operands\": [\"x\"]") ==
        "patterns/gu.json:16: /match/sequence/3/operands: unknown key 'operands'; expected one of 'syncs', 'optional'");
}

TEST_CASE("every required key is asked for", "[patterns]") {
  for (const char *key :
       {"id", "schema", "minimumTool", "title", "arch", "trust", "match", "action", "explanation", "docs", "cases"}) {
    nlohmann::json json = nlohmann::json::parse(kGood);
    json.erase(key);
    CHECK(readerFailure(json.dump(2)) == std::string("patterns/gu.json:1: missing key '") + key + "'");
  }
  CHECK(failureOf("\"pipe\": \"PIPE_V\",\n", "\n") == "patterns/gu.json:10: /match: missing key 'pipe'");
  CHECK(failureOf("\"name\": \"two\", ", "") == "patterns/gu.json:25: /cases/1: missing key 'name'");
  CHECK(failureOf("\"expect\": \"silent\", ", "") == "patterns/gu.json:25: /cases/1: missing key 'expect'");
  CHECK(failureOf(", \"kernel\": [\"c();\"]", "") == "patterns/gu.json:25: /cases/1: missing key 'kernel'");
}

TEST_CASE("a value of a wrong type or form is refused", "[patterns]") {
  CHECK(failureOf("\"id\": \"gu\"", "\"id\": 3") == "patterns/gu.json:2: /id: expected a string, found a number");
  CHECK(failureOf("\"id\": \"gu\"", "\"id\": \"Gu_1\"") ==
        "patterns/gu.json:2: /id: 'Gu_1' is no pattern name: lower-case words joined by '-'");
  CHECK(failureOf("rescale-add", "-x").find("patterns/gu.json:3: /aliases/0: '-x' is no pattern name") == 0);
  CHECK(failureOf("\"a5\"]", "\"a4\"]") ==
        "patterns/gu.json:7: /arch/1: 'a4' is no architecture; expected 'a3' or 'a5'");
  CHECK(failureOf("\"a5\"]", "\"a3\"]") == "patterns/gu.json:7: /arch/1: 'a3' is listed twice");
  CHECK(failureOf("\"trust\": \"library\"", "\"trust\": \"libary\"") ==
        "patterns/gu.json:8: /trust: unknown value 'libary'; did you mean 'library'? (expected one of 'tile', "
        "'library')");
  CHECK(failureOf("7", "\"7\"") == "patterns/gu.json:9: /priority: expected a whole number, found a string");
  CHECK(failureOf("7", "1001") ==
        "patterns/gu.json:9: /priority: expected a whole number from -1000 to 1000, found 1001");
  CHECK(failureOf("\"pipe\": \"PIPE_V\"", "\"pipe\": \"PIPE_W\"")
            .rfind("patterns/gu.json:11: /match/pipe: unknown value 'PIPE_W'; did you mean 'PIPE_S'? (", 0) == 0);
  CHECK(failureOf("remove-barrier", "remove").find("patterns/gu.json:20: /action: unknown value 'remove'") == 0);
  CHECK(failureOf("\"fire\"", "\"fired\"") ==
        "patterns/gu.json:24: /cases/0/expect: unknown value 'fired'; did you mean 'fire'? (expected one of 'fire', "
        "'silent')");
  CHECK(failureOf("\"TADD\"", "\"T ADD\"") ==
        "patterns/gu.json:17: /match/sequence/4/instruction: 'T ADD' is no instruction name");
  CHECK(failureOf("[\"x\", \"*\"]", "[\"x\", \"%\"]") ==
        "patterns/gu.json:13: /match/sequence/0/operands/1: '%' is no operand name: expected '*' or a name such as "
        "'x'");
  CHECK(failureOf("\"wait_flag\"", "\"wait\"").find("patterns/gu.json:16: /match/sequence/3/syncs/0: 'wait' is") == 0);
  CHECK(failureOf("--trust=library", "trust").find("patterns/gu.json:24: /cases/0/options/0: 'trust' is no option") ==
        0);
  CHECK(failureOf("\"c();\"", "\"c();\\nd();\"") ==
        "patterns/gu.json:25: /cases/1/kernel/0: expected one line of C++; make one element of each line");
  CHECK(failureOf("[\"c();\"]", "[]") == "patterns/gu.json:25: /cases/1/kernel: expected at least one element");
  CHECK(readerFailure("[]") == "patterns/gu.json:1: expected an object, found an array");
}

TEST_CASE("malformed JSON and keys written twice are refused", "[patterns]") {
  CHECK(failureOf("\"T\",", "\"T\"").find("patterns/gu.json:7: malformed JSON: ") == 0);
  CHECK(failureOf("\"title\"", "\"id\": \"x\", \"title\"") == "patterns/gu.json:6: /id: the key is written twice");
}

TEST_CASE("a sequence has exactly one barrier, on the pattern's pipe", "[patterns]") {
  CHECK(failureOf("      {\"barrier\": \"PIPE_V\"},\n", "") ==
        "patterns/gu.json:12: /match/sequence: expected exactly one barrier, found 0");
  CHECK(failureOf("{\"others\": true}", "{\"barrier\": \"PIPE_V\"}") ==
        "patterns/gu.json:12: /match/sequence: expected exactly one barrier, found 2");
  CHECK(failureOf("\"barrier\": \"PIPE_V\"", "\"barrier\": \"PIPE_M\"") ==
        "patterns/gu.json:15: /match/sequence/2/barrier: the barrier is on PIPE_M, but /match/pipe is PIPE_V");
}

TEST_CASE("an element is of exactly one kind", "[patterns]") {
  const std::string message = "expected exactly one of 'instruction', 'barrier', 'syncs', 'others'";
  CHECK(failureOf("{\"others\": true}", "{}") == "patterns/gu.json:14: /match/sequence/1: " + message);
  CHECK(failureOf("{\"others\": true}", "{\"others\": true, \"instruction\": \"TADD\"}") ==
        "patterns/gu.json:14: /match/sequence/1: " + message);
  CHECK(failureOf("{\"others\": true}", "{\"others\": false}") ==
        "patterns/gu.json:14: /match/sequence/1/others: expected true; leave the element out instead");
}

TEST_CASE("a barrier over all pipes has no other pipes", "[patterns]") {
  std::string text = changed("\"pipe\": \"PIPE_V\"", "\"pipe\": \"PIPE_ALL\"");
  CHECK(readerFailure(text) == "patterns/gu.json:14: /match/sequence/1: a PIPE_ALL barrier has no other pipes");
}

TEST_CASE("versions are held against this tool, before any other key", "[patterns]") {
  std::string newer = changed("\"0.1.0\"", "\"0.2.0\"");
  CHECK(readerFailure(newer) ==
        "patterns/gu.json:5: /minimumTool: the pattern needs ptosync 0.2.0 or newer; this is 0.1.0");
  CHECK(readerFailure(newer, "0.2.0") == "no error");
  CHECK(readerFailure(newer, "0.10.0") == "no error");
  newer.replace(newer.find("\"title\""), 7, "\"novel\"");
  CHECK(readerFailure(newer).find("patterns/gu.json:5: /minimumTool: the pattern needs") == 0);
  CHECK(failureOf("\"0.1.0\"", "\"0.1\"") == "patterns/gu.json:5: /minimumTool: '0.1' is no version such as '0.1.0'");
  CHECK(failureOf("\"0.1.0\"", "0.1") == "patterns/gu.json:5: /minimumTool: expected a string, found a fraction");
  CHECK(failureOf("\"schema\": 1", "\"schema\": 2") ==
        "patterns/gu.json:4: /schema: schema 2 is not known; this tool reads schema 1");
}

TEST_CASE("a pattern shows where it works and where it stops", "[patterns]") {
  CHECK(failureOf("\"fire\"", "\"silent\"") ==
        "patterns/gu.json:23: /cases: no case with \"expect\": \"fire\": nothing shows that the pattern works");
  CHECK(failureOf("\"silent\"", "\"fire\"") ==
        "patterns/gu.json:23: /cases: no case with \"expect\": \"silent\": nothing shows where the pattern stops");
  CHECK(failureOf("\"two\"", "\"one\"") == "patterns/gu.json:25: /cases/1/name: a case named 'one' exists already");
}

namespace {

/// A pattern for flags; its match stands on line 8, the flag's pipes on lines 10 and 11.
std::string flagPattern(const std::string &action, const std::string &source = "PIPE_MTE2",
                        const std::string &destination = "PIPE_V") {
  return "{\n  \"id\": \"own\",\n  \"schema\": 1,\n  \"minimumTool\": \"0.1.0\",\n  \"title\": \"T\",\n  \"arch\": "
         "[\"a3\"],\n"
         "  \"trust\": \"tile\",\n  \"match\": {\n    \"flag\": {\n      \"source\": \"" +
         source + "\",\n      \"destination\": \"" + destination + "\"\n    }\n  },\n  \"action\": \"" + action +
         "\",\n  \"explanation\": \"E\",\n  \"docs\": \"D\",\n  \"cases\": [\n"
         "    {\"name\": \"one\", \"expect\": \"fire\", \"kernel\": [\"a();\"]},\n"
         "    {\"name\": \"two\", \"expect\": \"silent\", \"kernel\": [\"b();\"]}\n  ]\n}\n";
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

} // namespace

TEST_CASE("a pattern for flags names an action and, if it likes, the pipes", "[patterns]") {
  const std::pair<const char *, PatternAction> actions[] = {
      {"remove-web", PatternAction::RemoveWeb},        {"remove-generation", PatternAction::RemoveGeneration},
      {"merge-flags", PatternAction::MergeFlags},      {"sink-wait", PatternAction::SinkWait},
      {"sink-into-arms", PatternAction::SinkIntoArms}, {"raise-set", PatternAction::RaiseSet}};
  for (const auto &[name, action] : actions) {
    Pattern pattern = llvm::cantFail(parsePattern(flagPattern(name), "own.json"));
    CHECK(pattern.action == action);
    CHECK(pattern.source == Pipe::MTE2);
    CHECK(pattern.destination == Pipe::V);
    CHECK(pattern.sequence.empty());
    CHECK_FALSE(pattern.generic());
    CHECK(pattern.priority == kNamedPriority);
    CHECK(std::string(factsOf(action).name) == name);
  }
  // One pipe, or none.
  std::string one = replaced(flagPattern("sink-wait"), "      \"source\": \"PIPE_MTE2\",\n", "");
  Pattern half = llvm::cantFail(parsePattern(one, "own.json"));
  CHECK_FALSE(half.source);
  CHECK(half.destination == Pipe::V);
  CHECK_FALSE(half.generic());
  Pattern any = llvm::cantFail(parsePattern(replaced(one, "      \"destination\": \"PIPE_V\"\n", ""), "own.json"));
  CHECK(any.generic());
  CHECK(any.priority == kGenericPriority);
}

TEST_CASE("errors in the flag form name file, line and place", "[patterns]") {
  auto error = [](const std::string &text) { return readerFailure(text); };
  const std::string good = flagPattern("remove-web");
  CHECK(error(good) == "no error");
  CHECK(error(flagPattern("remove-web", "PIPE_MTE22"))
            .rfind("patterns/gu.json:10: /match/flag/source: unknown value 'PIPE_MTE22'", 0) == 0);
  CHECK(error(flagPattern("remove-web", "PIPE_V", "PIPE_ALL")) ==
        "patterns/gu.json:11: /match/flag/destination: a flag goes from one pipe to another; leave the key out for any "
        "pipe");
  CHECK(error(replaced(good, "\"source\"", "\"sorce\"")) ==
        "patterns/gu.json:10: /match/flag/sorce: unknown key 'sorce'; did you mean 'source'?");
  CHECK(error(replaced(good, "\"flag\"", "\"flags\"")) ==
        "patterns/gu.json:9: /match/flags: unknown key 'flags'; did you mean 'flag'?");
  CHECK(error(replaced(good, "\"flag\"", "\"pipe\": \"PIPE_V\", \"flag\""))
            .rfind("patterns/gu.json:9: /match/pipe: unknown key 'pipe'", 0) == 0);
  CHECK(error(replaced(good, "\"source\": \"PIPE_MTE2\"", "\"source\": 2"))
            .rfind("patterns/gu.json:10: /match/flag/source: ", 0) == 0);
  CHECK(error(flagPattern("remove-webs"))
            .rfind("patterns/gu.json:14: /action: unknown value 'remove-webs'; did you mean 'remove-web'? (", 0) == 0);
  // The form of one action with the other action.
  CHECK(error(flagPattern("remove-barrier")).rfind("patterns/gu.json:9: /match/flag: unknown key 'flag'", 0) == 0);
  CHECK(failureOf("\"remove-barrier\"", "\"remove-web\"")
            .rfind("patterns/gu.json:11: /match/pipe: unknown key 'pipe'", 0) == 0);
}

namespace {

/// kGood as a rewrite: with `match` and `bounds` as given.
std::string rewrite(const std::string &match, const std::string &bounds,
                    const std::string &action = "set-local-slots") {
  std::string text = kGood;
  std::size_t from = text.find("  \"match\""), to = text.find("  \"explanation\"");
  return text.replace(from, to - from,
                      "  \"kind\": \"rewrite\",\n  \"match\": " + match + ",\n  \"action\": \"" + action + "\"," +
                          (bounds.empty() ? "" : "\n  \"bounds\": " + bounds + ",") + "\n");
}

} // namespace

TEST_CASE("a rewrite says which FIFOs and within which bounds", "[patterns]") {
  Pattern pattern =
      llvm::cantFail(parsePattern(rewrite(R"({"fifo": {"directions": ["DIR_C2V"], "localSlots": {"atLeast": 3}}})",
                                          R"({"localSlots": {"atLeast": 2, "atMost": 8}})"),
                                  "patterns/gu.json"));
  CHECK(pattern.kind == PatternKind::Rewrite);
  CHECK(pattern.action == PatternAction::SetLocalSlots);
  CHECK(pattern.fifo.directions == std::vector<std::string>{"DIR_C2V"});
  CHECK(pattern.fifo.leastLocalSlots == 3);
  CHECK(pattern.leastLocalSlots == 2);
  CHECK(pattern.mostLocalSlots == 8);
  CHECK_FALSE(pattern.generic());
  Pattern any = llvm::cantFail(parsePattern(rewrite(R"({"fifo": {}})", R"({"localSlots": {}})"), "patterns/gu.json"));
  CHECK(any.fifo.directions.empty());
  CHECK(any.leastLocalSlots == 1);
}

TEST_CASE("errors in the form of a rewrite", "[patterns]") {
  const std::string any = R"({"fifo": {}})", bounds = R"({"localSlots": {}})";
  CHECK(readerFailure(rewrite(any, "")).find("missing") != std::string::npos);
  CHECK(readerFailure(rewrite(R"({"flag": {}})", bounds)).find("unknown key 'flag'") != std::string::npos);
  CHECK(readerFailure(rewrite(R"({"fifo": {"directions": ["C2V"]}})", bounds)).find("'C2V' is no direction") !=
        std::string::npos);
  CHECK(readerFailure(rewrite(any, R"({"localSlots": {"atLeast": 0}})")).find("expected a whole number from 1 to 64") !=
        std::string::npos);
  CHECK(readerFailure(rewrite(any, R"({"localSlots": {"atLeast": 3, "atMost": 2}})"))
            .find("no count is at least 3 and at most 2") != std::string::npos);
  CHECK(readerFailure(rewrite(any, bounds, "remove-web")).find("unknown value 'remove-web'") != std::string::npos);
  CHECK(failureOf("  \"action\": \"remove-barrier\",", "  \"action\": \"set-local-slots\",")
            .find("unknown value 'set-local-slots'") != std::string::npos);
  CHECK(failureOf("  \"trust\": \"library\",", "  \"trust\": \"library\", \"kind\": \"other\",")
            .find("unknown value 'other'") != std::string::npos);
  CHECK(failureOf("  \"trust\": \"library\",", "  \"trust\": \"library\", \"bounds\": {},")
            .find("only a pattern of kind 'rewrite' has bounds") != std::string::npos);
}
