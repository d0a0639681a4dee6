// What a command shows while it runs and beside what it writes.
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("progress: nothing is coloured, with NO_COLOR or without") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  for (const char *environment : {"NO_COLOR=1", "TERM=xterm-256color"})
    for (const char *arguments : {"opt k.cpp --dry-run --verbose", "audit k.cpp --severity=note", "explain k.cpp:8",
                                  "compare k.cpp k.cpp", "timeline k.cpp", "opt --help", "opt --unknown"}) {
      Run run = workshop.ptosync(arguments, environment);
      CHECK_FALSE(contains(run.out + run.err, "\033"));
    }
}

TEST_CASE("quiet: no summary where a file is written, and errors still") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  for (const char *arguments : {"opt k.cpp -o out.cpp --quiet", "opt k.cpp --dry-run --report=r.json --quiet",
                                "timeline k.cpp --trace=t.json --quiet", "compare k.cpp k.cpp -o c.txt --quiet",
                                "audit k.cpp --sarif=s.json --quiet", "patch-vec-barriers k.cpp out.cpp --quiet"}) {
    CAPTURE(arguments);
    Run run = workshop.ptosync(arguments);
    CHECK(run.exitCode == 0);
    CHECK(run.out.empty());
    CHECK(run.err.empty());
  }
  Run diff = workshop.ptosync("opt k.cpp --diff --quiet");
  CHECK(diff.exitCode == 1);
  CHECK(contains(diff.out, "+++ "));
  CHECK(diff.err.empty());
  CHECK(workshop.ptosync("opt missing.cpp -o out.cpp --quiet").err != "");
  workshop.write("bad.cpp", "this is no C++");
  Run bad = workshop.ptosync("audit bad.cpp --sarif=s.json --quiet");
  CHECK(bad.exitCode == 3);
  CHECK(bad.out.empty());
  CHECK(contains(bad.err, "bad.cpp"));
  for (const char *arguments : {"opt k.cpp --dry-run --quiet", "timeline k.cpp --quiet", "audit k.cpp --quiet",
                                "compare k.cpp k.cpp --quiet"}) {
    CAPTURE(arguments);
    Run run = workshop.ptosync(arguments);
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, "--quiet"));
  }
}
