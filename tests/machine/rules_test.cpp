// What the reader makes of the rules, and what it refuses.
#include "machine/machine.h"

#include "machine/whole_model.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string model(const std::string &rules) {
  return wholeModel(nlohmann::json::parse("{\"rules\": [" + rules + "]}")).dump();
}

std::string rule(const std::string &id, const std::string &use, const std::string &parameters = "{}") {
  return R"({"id": ")" + id + R"(", "title": "t", "evidence": "e", "grade": "B", "use": ")" + use +
         R"(", "parameters": )" + parameters + "}";
}

OrderingRules rulesOf(const std::string &rules) {
  return llvm::cantFail(Machine::parse(model(rules), "m.json")).rules();
}

std::string rulesProblem(const std::string &rules) {
  llvm::Expected<Machine> machine = Machine::parse(model(rules), "m.json");
  if (machine)
    return "";
  return llvm::toString(machine.takeError());
}

} // namespace

TEST_CASE("rules: the built-in models have theirs, with use and parameters") {
  const OrderingRules &a3 = machineOf("a3").rules();
  REQUIRE(a3.chain);
  CHECK(a3.chain->use == RuleUse::Justify);
  CHECK(a3.chain->pipe == Pipe::V);
  CHECK(a3.chain->minRepeats == 16);
  CHECK(a3.chain->repeatBytes == 256);
  CHECK_FALSE(a3.vectorOrder);
  CHECK(a3.loadOrder->use == RuleUse::Silence);
  CHECK(a3.loadOrder->pipe == Pipe::MTE2);
  REQUIRE(a3.accumulateFractals);
  CHECK(a3.accumulateFractals->use == RuleUse::Justify);
  CHECK(a3.accumulateFractals->minFractals == 10);
  CHECK(a3.accumulateFractals->inputBits == std::set<std::int64_t>{16});
  CHECK(established(a3.accumulateFractals->below));
  CHECK(a3.scalarInOrder());
  CHECK(a3.readsConflict());
  const OrderingRules &a5 = machineOf("a5").rules();
  CHECK_FALSE(a5.chain);
  CHECK(a5.vectorOrder->pipe == Pipe::V);
  CHECK_FALSE(a5.scratchInOrder());
  CHECK_FALSE(established(a5.accumulateFractals->below)); // runs on a board are known for a3 only
}

TEST_CASE("rules: one that only silences justifies nothing") {
  CHECK(rulesOf(rule("scalar-order", "justify")).scalarInOrder());
  CHECK_FALSE(rulesOf(rule("scalar-order", "silence")).scalarInOrder());
  CHECK_FALSE(rulesOf(rule("library-scratch", "silence")).scratchInOrder());
  CHECK_FALSE(rulesOf(rule("gm-arguments-distinct", "silence")).argumentsApart());
  CHECK_FALSE(rulesOf("").scalarInOrder());
}

TEST_CASE("rules: copies are opaque if asked for, or where the rule does not justify") {
  const std::string names = R"({"instructions": ["TMOV"]})";
  OrderingRules justified = rulesOf(rule("copy-pipe", "justify", names));
  CHECK_FALSE(justified.opaqueCopy("TMOV", /*strict=*/false));
  CHECK(justified.opaqueCopy("TMOV", /*strict=*/true));
  CHECK_FALSE(justified.opaqueCopy("TADD", /*strict=*/true));
  CHECK(rulesOf(rule("copy-pipe", "silence", names)).opaqueCopy("TMOV", /*strict=*/false));
  CHECK_FALSE(rulesOf("").opaqueCopy("TMOV", /*strict=*/true));
}

TEST_CASE("rules: a missing parameter is an error that names it") {
  CHECK(rulesProblem(rule("same-access-chain", "justify", R"({"minRepeats": 16, "repeatBytes": 256})"))
            .find("/parameters: missing key 'pipe'") != std::string::npos);
  CHECK(rulesProblem(rule("same-access-chain", "justify", R"({"pipe": "PIPE_V", "repeatBytes": 256})"))
            .find("minRepeats") != std::string::npos);
  CHECK(rulesProblem(rule("vector-order", "justify")).find("/parameters: missing key 'pipe'") != std::string::npos);
  CHECK(rulesProblem(rule("copy-pipe", "justify")).find("instructions") != std::string::npos);
  CHECK(rulesProblem(
            rule("m-accumulate-fractals", "justify", R"({"pipe": "PIPE_M", "minFractals": 10, "inputBits": 16})"))
            .find("fractalSide") != std::string::npos);
}

TEST_CASE("rules: only the rule on reads adds a conflict") {
  CHECK(rulesOf(rule("l0c-read-read", "conflict")).readsConflict());
  CHECK(rulesProblem(rule("l0c-read-read", "justify")).find("expected 'conflict'") != std::string::npos);
  CHECK(rulesProblem(rule("scalar-order", "conflict")).find("expected 'justify'") != std::string::npos);
}
