#include "patterns/shipped_ids.h"
#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Run patterns(const std::string &arguments) {
  Workshop workshop;
  Run run = workshop.ptosync("patterns " + arguments);
  CHECK(workshop.listing() == "");
  return run;
}

} // namespace

TEST_CASE("patterns list names every pattern once, named ones before generic ones") {
  Run run = patterns("list");
  CHECK(run.exitCode == 0);
  CHECK(run.err == "");
  std::vector<std::string> ids;
  for (const std::string &line : linesOf(run.out))
    ids.push_back(line.substr(0, line.find(' ')));
  CHECK(ids == shippedPatternIds());
}

TEST_CASE("patterns show explains one pattern, by its id or an alias") {
  Run run = patterns("show gu");
  CHECK(run.exitCode == 0);
  CHECK(run.out.rfind("gu: Accumulator rescaled, then added to\n", 0) == 0);
  CHECK(contains(run.out, "arch: a3   trust: tile   action: remove-barrier   pipe: PIPE_V"));
  std::string alias = run.out.substr(run.out.find("also called ") + 12);
  alias = alias.substr(0, alias.find('\n'));
  CHECK(patterns("show " + alias).out == run.out);
}

TEST_CASE("patterns show of an unknown name suggests the nearest") {
  Run run = patterns("show final-dif");
  CHECK(run.exitCode == 2);
  CHECK(run.out == "");
  CHECK(run.err == "ptosync: no pattern 'final-dif'; did you mean 'final-div'?\n");
}

TEST_CASE("the shipped patterns pass their own cases") {
  Run run = patterns("test");
  CAPTURE(run.out);
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, " passed, 0 failed\n"));
  CHECK(run.out.rfind("0 passed", 0) != 0);
}

TEST_CASE("patterns list names those of one architecture where one is asked for") {
  std::string all = patterns("list").out, a3 = patterns("list --arch=a3").out, a5 = patterns("list --arch=a5").out;
  CHECK(a3.size() < all.size());
  CHECK(contains(a3, "gu "));
  CHECK_FALSE(contains(a3, "redundant-bracket ")); // a3 has no buffer ids
  CHECK(contains(a5, "redundant-bracket "));
  CHECK(a5.size() < all.size());
  CHECK(contains(a5, "redundant-pipe-all "));
  CHECK_FALSE(contains(a5, "gu "));
  for (const char *words : {"test", "show gu"}) {
    Run run = patterns(words + std::string(" --arch=a5"));
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, "--arch is an option of patterns list"));
  }
}

TEST_CASE("patterns test --verbose names the cases") {
  Run run = patterns("test --verbose");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "ok gu: "));
}

TEST_CASE("a case that does not do what it says fails with file and line") {
  nlohmann::json pattern =
      nlohmann::json::parse(readText(std::string(PTOSYNC_SOURCE_DIR) + "/patterns/redundant-pipe-v.json"));
  pattern["id"] = "my-own";
  pattern.erase("aliases");
  for (nlohmann::json &one : pattern["cases"])
    one["expect"] = one["expect"] == "fire" ? "silent" : "fire";
  std::size_t cases = pattern["cases"].size();
  Workshop workshop;
  workshop.write("p.json", pattern.dump(1));
  Run run = workshop.ptosync("patterns test --pattern-file=p.json");
  CHECK(run.exitCode == 1);
  CHECK(contains(run.out, "p.json:"));
  CHECK(contains(run.out, "noisy: it must stay silent and edits the kernel"));
  CHECK(contains(run.out, "missing: it must edit the kernel and does not"));
  CHECK(contains(run.out, ", " + std::to_string(cases) + " failed\n"));
}
