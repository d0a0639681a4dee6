// `ptosync rule`: what a finding, a pattern or a machine rule means.
#include "tool/process.h"

#include "audit/finding.h"
#include "audit/finding_pages.h"
#include "run/rules.h"

#include <set>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("rule: every id has a text of its own, and stands in the list") {
  const Catalogue patterns = llvm::cantFail(Catalogue::builtIn());
  const std::string list = llvm::cantFail(listRules(patterns));
  const std::vector<std::string> ids = ruleIds(patterns);
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
  CHECK(ids.size() > 50);
  for (const std::string &id : ids) {
    CAPTURE(id);
    const std::string text = llvm::cantFail(explainRule(id, patterns));
    CHECK((text.rfind(id + ": ", 0) == 0 || text.rfind(id + " (finding, ", 0) == 0 ||
           text.rfind(id + " (machine rule): ", 0) == 0));
    CHECK(linesOf(text).size() >= 3);
    CHECK_FALSE(contains(text, "```"));
    CHECK_FALSE(contains(text, "]("));
    CHECK(contains(list, "\n  " + id + " "));
  }
}

TEST_CASE("rule: a finding is its page as plain text") {
  Workshop workshop;
  Run run = workshop.ptosync("rule gm-visibility");
  CHECK(run.exitCode == 0);
  CHECK(run.out.rfind("gm-visibility (finding, warning): global memory read back behind a pipe order alone\n"
                      "\nYou see this warning where",
                      0) == 0);
  CHECK(contains(run.out, "\nBad:\n\n      TSTORE(h, a);\n"));
  CHECK(contains(run.out, "\nTo mend it:\n\n"));
  CHECK(contains(run.out, "--rule=gm-visibility=off"));
  CHECK(plainPage("# t\n\nSee [a](b.md) and [c](d.md).\n\n## Bad\n\n```cpp\n  f();\n```\n[x] y") ==
        "\nSee a and c.\n\nBad:\n\n      f();\n[x] y\n");
  CHECK(findingPage("no-such-finding").empty());
  CHECK(findingPage("README").empty());
}

TEST_CASE("rule: patterns and machine rules answer to it, and a wrong name gets the nearest one") {
  Workshop workshop;
  CHECK(workshop.ptosync("rule gu").out == workshop.ptosync("patterns show gu").out);
  Run chain = workshop.ptosync("rule same-access-chain");
  CHECK(contains(chain.out, "same-access-chain (machine rule): "));
  CHECK(contains(chain.out, "\na3, grade B: it may justify that a sync is taken out; pipe PIPE_V, minRepeats 16, "));
  Run wrong = workshop.ptosync("rule mising-sync");
  CHECK(wrong.exitCode == 2);
  CHECK(wrong.err == "ptosync: no finding, pattern or machine rule 'mising-sync'; did you mean 'missing-sync'?\n");
  CHECK(contains(workshop.ptosync("rule qqqqqq").err, "'qqqqqq'; `ptosync rule list` names them all\n"));
  CHECK(contains(workshop.ptosync("rule").err, "rule: expected ID"));
  Run list = workshop.ptosync("rule list");
  CHECK(list.exitCode == 0);
  for (const FindingRule &rule : findingRules()) {
    CHECK(contains(list.out, "  " + std::string(rule.id) + " "));
    CHECK(contains(list.out, std::string(rule.summary) + "\n"));
  }
}
