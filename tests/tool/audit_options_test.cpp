#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

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

TEST_CASE("audit options: SARIF on standard output is the file's, however it is asked for") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  workshop.ptosync("audit k.cpp --sarif=s.sarif");
  for (const char *arguments : {"--format=sarif", "--sarif=-", "--sarif=/dev/stdout", "--format sarif --quiet"}) {
    CAPTURE(arguments);
    Run run = workshop.ptosync(std::string("audit k.cpp ") + arguments);
    CHECK(run.exitCode == 0);
    CHECK(run.out == workshop.read("s.sarif"));
    CHECK(run.err.empty());
  }
}
