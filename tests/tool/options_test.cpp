#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Runs in a fresh directory with the sample kernel as k.cpp.
Run runTool(const std::string &arguments, const std::string &environment = "") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  Run run = workshop.ptosync(arguments, environment);
  CHECK(workshop.listing() == "k.cpp");
  CHECK(workshop.read("k.cpp") == sampleKernel());
  return run;
}

/// A command line that is refused: exit 2, nothing on standard output, this message.
void refused(const std::string &arguments, const std::string &message, const std::string &environment = "") {
  Run run = runTool(arguments, environment);
  CAPTURE(arguments, run.err);
  CHECK(run.exitCode == 2);
  CHECK(run.out == "");
  CHECK(contains(run.err, message));
  CHECK(run.err.rfind("ptosync: ", 0) == 0);
}

} // namespace

TEST_CASE("a command is needed, and must exist") {
  refused("",
          "expected a command: opt, sync, fix, patch-vec-barriers, audit, explain, verify, compare, merge, timeline, rule, "
          "patterns, model, help or version");
  refused("optimise k.cpp", "unknown command 'optimise'");
}

TEST_CASE("opt needs a kernel and a place for what it does") {
  refused("opt", "opt: expected KERNEL.cpp");
  refused("opt k.cpp --dry-run --report=- --github", "standard output holds the report");
  refused("opt k.cpp k.cpp -o out.cpp", "-o names one file, and there are several kernels");
  refused("opt k.cpp", "say where to write with -o OUT.cpp or --in-place, or use --check, --diff or --dry-run");
  refused("opt k.cpp j.cpp", "say what to do with the kernels: --in-place, --output-dir=DIR, --check");
}

TEST_CASE("what --resync goes with, and what it does not") {
  refused("opt k.cpp --dry-run --resync --reserve-ids=-1", "'-1' is no event id: expected numbers from 0 on");
  refused("opt k.cpp --dry-run --resync --reserve-ids=x", "'x' is no event id");
  refused("opt k.cpp --dry-run --resync --effort=0", "--effort=0: expected a number from 1 to 9");
  refused("opt k.cpp --dry-run --resync --lines=3", "--lines does not go with it");
  refused("opt k.cpp --dry-run --effort=3", "--effort and --reserve-ids are for --resync; add it");
  refused("opt k.cpp --dry-run --resync --time-limit=0", "--time-limit=0: expected a time above 0");
  refused("opt k.cpp --dry-run --resync --time-limit=soon", "--time-limit=soon: expected a time above 0");
}

TEST_CASE("unknown options are refused") {
  refused("opt k.cpp --dry-run --frobnicate", "--frobnicate");
  refused("opt k.cpp --dry-run --lines", "--lines");
  refused("patterns list --trust=tile", "--trust");
}

TEST_CASE("values that an option does not take are refused, and the message names both") {
  refused("opt k.cpp --dry-run --trust=all", "--trust=all: expected tile or library");
  refused("opt k.cpp --dry-run --trust=", "--trust=: expected a value, tile|library");
  refused("opt k.cpp --dry-run --arch=a4", "--arch=a4: expected a3 or a5");
  refused("patterns list --arch=910b", "--arch=910b: expected a3 or a5");
  refused("opt k.cpp --dry-run --a5-vector-order=maybe", "--a5-vector-order=maybe: expected on or off");
  refused("opt k.cpp --print=everything", "--print=everything: expected ");
  refused("opt k.cpp --dry-run --max-removals=-1", "--max-removals=-1: expected a number from 0 to 4294967295");
  refused("opt k.cpp --dry-run --max-removals=4294967296", "expected a number from 0 to 4294967295");
  refused("opt k.cpp --dry-run --bisect --max-removals=0",
          "--max-removals=0: expected a number from 1 to 4294967295 beside --bisect");
  refused("opt k.cpp --dry-run --resync --time-limit=1e9", "above 0, at most 1000000");
  refused("opt k.cpp --dry-run --diff=false", "--diff=false: is a switch, it takes no value");
  refused("opt k.cpp --dry-run -I k.cpp", "-I k.cpp: is a file; expected a directory");
  refused("opt k.cpp --dry-run --pto-include=.", "--pto-include=.: holds no pto/pto-inst.hpp");
  refused("explain k.cpp:8 --memory", "explain: --memory wants a file without a line");
  refused("opt k.cpp -o - --report=/dev/stdout", "-o - and --report=- both want standard output");
  refused("opt k.cpp --dry-run --max-removals=few", "--max-removals");
  refused("opt k.cpp --dry-run --max-removals=99999999999999999999", "--max-removals");
  refused("opt k.cpp --dry-run --lines=three", "--lines");
  refused("opt k.cpp --dry-run --lines=-3", "--lines");
}

TEST_CASE("an unknown pattern is refused with the nearest name") {
  refused("opt k.cpp --dry-run --patterns=gi", "unknown pattern 'gi'; did you mean 'gu'?");
  refused("opt k.cpp --dry-run --patterns=gu,redundant-pipe-w", "redundant-pipe-w");
}

TEST_CASE("the words of the patterns command are checked") {
  refused("patterns", "patterns: expected list, show ID or test");
  refused("patterns show", "patterns: expected list, show ID or test");
  refused("patterns list gu", "patterns list: 'gu': one argument too many");
  refused("patterns frob", "patterns: expected list, show ID or test");
}

TEST_CASE("the architecture: command line, comment, environment, configuration, text, default") {
  auto with = [](const std::string &text, const std::string &config, const std::string &arguments,
                 const std::string &environment) {
    Workshop workshop;
    workshop.write("k.cpp", text);
    if (!config.empty())
      workshop.write(".ptosync.json", config);
    return workshop.ptosync("opt k.cpp --dry-run " + arguments, environment).out;
  };
  std::string undecided = vectorKernel(tile("v1", "float", 16, 64, 0) + "  TADDS(v1, v1, 1.0f);\n");
  std::string a5 = R"({"arch": "a5"})";
  CHECK(contains(with(undecided, "", "", ""), "arch a3 (default: "));
  CHECK(contains(with(sampleKernel(), "", "", ""), "arch a3 (text: line 8: pipe_barrier(PIPE_V), not for a5)"));
  CHECK(contains(with(undecided, a5, "", ""), "arch a5 (configuration: "));
  CHECK(contains(with(undecided, a5, "", "PTOSYNC_ARCH=a3"), "arch a3 (environment: PTOSYNC_ARCH)"));
  CHECK(contains(with(undecided, "", "", "PTOSYNC_ARCH="), "arch a3 (default: "));
  CHECK(contains(with("// ptosync: arch a5\n" + undecided, "", "", "PTOSYNC_ARCH=a3"), "arch a5 (comment: line 1)"));
  CHECK(contains(with(undecided, a5, "--arch=a3", "PTOSYNC_ARCH=a5"), "arch a3 (command line: --arch)"));
  refused("opt k.cpp --dry-run", "PTOSYNC_ARCH, like --arch=a9: expected a3 or a5", "PTOSYNC_ARCH=a9");
}

TEST_CASE("a kernel of no certain architecture keeps the order of a push and what another core may reach on either") {
  Workshop workshop;
  workshop.write("k.cpp", readText(corpusPath("push_and_extract/kernel.cpp")));
  CHECK(contains(workshop.ptosync("opt k.cpp --dry-run --arch=a3").out, "26 flag statements, 0 removed, 1 moved, "));
  CHECK(contains(workshop.ptosync("opt k.cpp --dry-run --arch=a5").out, "26 flag statements, 0 removed, 26 kept"));
  std::string undecided = workshop.ptosync("opt k.cpp --dry-run").out;
  CHECK(contains(undecided, "26 flag statements, 0 removed, 26 kept"));
  CHECK(contains(undecided, "arch a3 (default: "));
}

TEST_CASE("help and version are answers, not errors") {
  Run help = runTool("--help");
  CHECK(help.exitCode == 0);
  CHECK(contains(help.out, "exit codes"));
  Run version = runTool("--version");
  CHECK(version.exitCode == 0);
  CHECK(version.out.rfind("ptosync ", 0) == 0);
  CHECK(contains(version.out, "machine model a3: pto-isa "));
  CHECK(contains(version.out, "machine model a5: pto-isa "));
  Run ofCommand = runTool("opt --help");
  CHECK(ofCommand.exitCode == 0);
  CHECK(contains(ofCommand.out, "--max-removals"));
}

TEST_CASE("what --print alone cannot write is refused") {
  refused("opt k.cpp --print=kernel --report=r.json", "opt: --print=kernel alone decides nothing");
  refused("opt k.cpp --print=chains --html=r.html", "add --dry-run");
  for (const char *option : {"--sarif=f.sarif", "--baseline=b.json --write-baseline", "--format=json", "--github"})
    refused("audit k.cpp --print=config " + std::string(option), "audit: --print=config audits nothing; leave out --");
}
