#include "tool/process.h"

#include "audit/finding.h"

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("audit options: the help holds each finding with its severity and summary") {
  Workshop workshop;
  std::string help = workshop.ptosync("audit --help").out;
  for (const FindingRule &rule : findingRules()) {
    CAPTURE(std::string(rule.id));
    CHECK(contains(help, std::string(rule.id)));
    CHECK(contains(help, std::string(rule.summary)));
  }
}

TEST_CASE("audit options: messages say what was expected") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  auto message = [&](const std::string &arguments) {
    Run run = workshop.ptosync("audit k.cpp " + arguments);
    CHECK(run.exitCode == 2);
    CHECK(run.out == "");
    return run.err;
  };
  CHECK(contains(message("--severity=loud"), "--severity=loud: expected note, warning or error"));
  CHECK(contains(message("--rule=missing-sync"), "expected ID=off, note, warning or error"));
  CHECK(contains(message("--rule=mising-sync=off"), "did you mean 'missing-sync'?"));
  CHECK(contains(message("--format=json --github"), "both want standard output"));
  CHECK(contains(message("--print=kernel"), "expected config"));
  CHECK(contains(message("--trust=no"), "expected tile or library"));
}
