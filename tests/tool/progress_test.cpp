// What a command shows while it runs and beside what it writes.
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("progress: nothing is coloured that goes to a file, with NO_COLOR or without") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  for (const char *environment : {"NO_COLOR=1", "TERM=xterm-256color"})
    for (const char *arguments : {"opt k.cpp --dry-run --verbose", "audit k.cpp --severity=note", "explain k.cpp:8",
                                  "compare k.cpp k.cpp", "timeline k.cpp", "opt --help", "opt --unknown"}) {
      Run run = workshop.ptosync(arguments, environment);
      CHECK_FALSE(contains(run.out + run.err, "\033"));
    }
}

TEST_CASE("quiet: findings, errors and what was asked for, and nothing else") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  for (const char *arguments :
       {"opt k.cpp -o out.cpp --quiet", "opt k.cpp --dry-run --report=r.json --quiet",
        "timeline k.cpp --trace=t.json --quiet", "compare k.cpp k.cpp -o c.txt --quiet",
        "audit k.cpp --sarif=s.json --quiet", "patch-vec-barriers k.cpp out.cpp --quiet", "opt k.cpp --dry-run -q",
        "timeline k.cpp -q", "audit k.cpp -q", "compare k.cpp k.cpp -q", "verify k.cpp k.cpp -q", "patterns test -q"}) {
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
  CHECK(workshop.ptosync("compare k.cpp k.cpp -q --format=csv").out != "");
  CHECK(workshop.ptosync("explain k.cpp:10 -q").out == workshop.ptosync("explain k.cpp:10").out);
  CHECK(workshop.ptosync("patterns list -q").out == workshop.ptosync("patterns list").out);
}

TEST_CASE("quiet: audit and verify print what they find without a summary") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  std::string broken = sampleKernel();
  const std::string barrier = "  pipe_barrier(PIPE_V);\n";
  for (std::size_t at = 0; (at = broken.find(barrier)) != std::string::npos;)
    broken.erase(at, barrier.size());
  workshop.write("broken.cpp", broken);
  Run found = workshop.ptosync("audit broken.cpp --arch=a3 -q"), told = workshop.ptosync("audit broken.cpp --arch=a3");
  CHECK(found.exitCode == 1);
  CHECK(contains(found.out, " error: "));
  CHECK_FALSE(contains(found.out, "1 file: "));
  CHECK(told.out.rfind(found.out, 0) == 0);
  Run lost = workshop.ptosync("verify k.cpp broken.cpp --arch=a3 -q");
  CHECK(lost.exitCode == 1);
  CHECK(lost.out.rfind("broken.cpp:", 0) == 0);
  CHECK_FALSE(contains(lost.out, "compared"));
}

TEST_CASE("quiet: opt names a call that the model does not know, and the audit warns of it") {
  Workshop workshop;
  workshop.write("k.cpp", vectorKernel(tile("v1", "float", 16, 64, 0) + "  TFROB(v1);\n"));
  Run opt = workshop.ptosync("opt k.cpp --dry-run -q"), audit = workshop.ptosync("audit k.cpp -q");
  CHECK(opt.exitCode == 0);
  CHECK(opt.out == "");
  CHECK(contains(opt.err, ": the machine model does not know TFROB: every sync around it stays"));
  // So says a run over several, whose kernels have no summaries; the summary of one lists them.
  CHECK(workshop.ptosync("opt . --check").err == workshop.ptosync("opt . --check -q").err);
  CHECK(contains(workshop.ptosync("opt . --check").err, "does not know TFROB"));
  CHECK_FALSE(contains(workshop.ptosync("opt k.cpp --dry-run").err, "does not know TFROB"));
  CHECK(audit.exitCode == 1);
  CHECK(contains(audit.out, ": warning: the machine model does not know TFROB: "));
  CHECK(contains(audit.out, "[unknown-call]\n"));
  CHECK(workshop.ptosync("audit k.cpp -q --rule=unknown-call=off").exitCode == 0);
}
