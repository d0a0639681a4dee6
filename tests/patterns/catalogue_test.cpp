#include "patterns/catalogue.h"

#include <catch2/catch.hpp>

using namespace ptosync;

using Names = std::vector<std::string>;

namespace {

Pattern pattern(const std::string &id, int priority, const Names &aliases = {}) {
  Pattern result;
  result.id = id;
  result.aliases = aliases;
  result.priority = priority;
  result.file = "patterns/" + id + ".json";
  return result;
}

Catalogue sample() {
  Catalogue catalogue;
  for (Pattern one : {pattern("redundant-pipe-v", 100), pattern("gu", 0, {"trowexpandmul-tadd"}),
                      pattern("final-div", 0), pattern("urgent", -1)})
    llvm::cantFail(catalogue.add(one));
  return catalogue;
}

Names ids(const Catalogue &catalogue) {
  Names result;
  for (const Pattern &one : catalogue.patterns())
    result.push_back(one.id);
  return result;
}

Names selected(std::string_view spec) { return ids(llvm::cantFail(sample().select(spec))); }

std::string failure(std::string_view spec) {
  llvm::Expected<Catalogue> selection = sample().select(spec);
  return selection ? std::string("no error") : llvm::toString(selection.takeError());
}

std::string failureToAdd(const Pattern &one) {
  Catalogue catalogue = sample();
  return llvm::toString(catalogue.add(one));
}

} // namespace

TEST_CASE("patterns are kept by priority, then by id", "[patterns]") {
  CHECK(ids(sample()) == Names{"urgent", "final-div", "gu", "redundant-pipe-v"});
}

TEST_CASE("a pattern is found by its id or an alias", "[patterns]") {
  Catalogue catalogue = sample();
  REQUIRE(catalogue.find("gu"));
  CHECK(catalogue.find("gu") == catalogue.find("trowexpandmul-tadd"));
  CHECK(catalogue.find("g") == nullptr);
}

TEST_CASE("words that select all or nothing", "[patterns]") {
  for (const char *word : {"default", "all", " all "})
    CHECK(selected(word) == ids(sample()));
  for (const char *word : {"none", "off", "disable", "disabled"})
    CHECK(selected(word).empty());
}

TEST_CASE("a list selects by id or alias, in catalogue order", "[patterns]") {
  CHECK(selected("gu") == Names{"gu"});
  CHECK(selected("gu,final-div") == Names{"final-div", "gu"});
  CHECK(selected(" trowexpandmul-tadd , gu") == Names{"gu"});
}

TEST_CASE("a bad selection says what is wrong with it", "[patterns]") {
  CHECK(failure("final-dif") == "unknown pattern 'final-dif'; did you mean 'final-div'?");
  CHECK(failure("gu,trowexpandmul-add") == "unknown pattern 'trowexpandmul-add'; did you mean 'trowexpandmul-tadd'?");
  CHECK(failure("banana").find("unknown pattern 'banana'; expected one of 'urgent'") == 0);
  CHECK(failure("gu,,final-div") == "a pattern name is missing in 'gu,,final-div'");
  CHECK(failure("") == "a pattern name is missing in ''");
  CHECK(failure("gu,none") == "'none' selects on its own; it cannot stand in a list of patterns");
}

TEST_CASE("a name belongs to one pattern", "[patterns]") {
  CHECK(failureToAdd(pattern("gu", 5)) ==
        "patterns/gu.json: pattern 'gu': the name 'gu' belongs to pattern 'gu' (patterns/gu.json)");
  CHECK(failureToAdd(pattern("new", 5, {"trowexpandmul-tadd"})) ==
        "patterns/new.json: pattern 'new': the name 'trowexpandmul-tadd' belongs to pattern 'gu' (patterns/gu.json)");
  CHECK(failureToAdd(pattern("trowexpandmul-tadd", 5)).find("belongs to pattern 'gu'") != std::string::npos);
  CHECK(failureToAdd(pattern("new", 5, {"new"})) == "patterns/new.json: pattern 'new' has the name 'new' twice");
  CHECK(failureToAdd(pattern("off", 5)) == "patterns/off.json: no pattern can be named 'off': it selects patterns");
}

TEST_CASE("rewrites take part only when they are asked for", "[patterns]") {
  Catalogue catalogue = llvm::cantFail(Catalogue::builtIn());
  REQUIRE(catalogue.find("fifo-local-slots"));
  for (const char *spec : {"default", "all", "gu,sink-wait"})
    CHECK_FALSE(llvm::cantFail(catalogue.select(spec)).find("fifo-local-slots"));
  llvm::Expected<Catalogue> named = catalogue.select("gu,fifo-local-slots");
  REQUIRE(!named);
  CHECK(llvm::toString(named.takeError()) ==
        "pattern 'fifo-local-slots' is a rewrite; ask for it with --rewrite=fifo-local-slots");
}

TEST_CASE("the built-in patterns load", "[patterns]") {
  Catalogue catalogue = llvm::cantFail(Catalogue::builtIn());
  CHECK(ids(catalogue) == Names{"fifo-local-slots", "final-div", "gu", "softmax-exp-sum", "softmax-sum-add",
                                "nested-flags", "raise-set", "redundant-flag", "redundant-generation",
                                "redundant-pipe-all", "redundant-pipe-fix", "redundant-pipe-m", "redundant-pipe-mte1",
                                "redundant-pipe-mte2", "redundant-pipe-mte3", "redundant-pipe-s", "redundant-pipe-v",
                                "sink-into-arms", "sink-wait"});
  // Their cases are read for those who check patterns.
  Catalogue whole = llvm::cantFail(Catalogue::builtIn(PatternCases::Read));
  CHECK(ids(whole) == ids(catalogue));
  for (const Pattern &pattern : whole.patterns()) {
    CHECK_FALSE(pattern.cases.empty());
    CHECK(catalogue.find(pattern.id)->cases.empty());
    CHECK(catalogue.find(pattern.id)->explanation == pattern.explanation);
    CHECK(catalogue.find(pattern.id)->sequence.size() == pattern.sequence.size());
  }
}
