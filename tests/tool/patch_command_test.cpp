// What the command adds to the optimiser: choosing lines, what it says, what it writes. Its place in a build is
// tested by tests/scripts/patch_vec_barriers_test.sh.
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// The sample kernel in a directory, patched with these arguments.
struct Patched {
  explicit Patched(const std::string &arguments, const std::string &kernel = sampleKernel()) {
    workshop.write("k.cpp", kernel);
    run = workshop.shell("unset PTOSYNC_ARCH PTOSYNC_TRUST FA_REMOVE_VEC_BARRIERS FA_REMOVE_VEC_BARRIER_PATTERNS; "
                         "'" PTOSYNC_BINARY "' patch-vec-barriers k.cpp out.cpp " +
                         arguments);
  }
  std::string line(unsigned number) const { return linesOf(workshop.read("out.cpp")).at(number - 1); }
  Workshop workshop;
  Run run;
};

std::string lines(std::initializer_list<unsigned> numbers) {
  std::string text = "--remove-vec-barriers=";
  for (unsigned number : numbers)
    text += std::to_string(number) + ",";
  return text;
}

const char *const kGone = "  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */";
const char *const kThere = "  pipe_barrier(PIPE_V);";

} // namespace

TEST_CASE("patch command: requested lines go if they are proved, and nothing else does") {
  Patched one(lines({kFirstRedundant}));
  CHECK(one.run.exitCode == 0);
  CHECK(one.run.err == "Patched generated C++ -> out.cpp (removed 1 PIPE_V barriers; lines=1, patterns=0)\n"
                       "  arch a3 (text: line 8: pipe_barrier(PIPE_V), not for a5)\n");
  CHECK(one.line(kFirstRedundant) == kGone);
  CHECK(one.line(kNeeded) == kThere);
  CHECK(one.line(kSecondRedundant) == kThere);
  Patched all(lines({kFirstRedundant, kNeeded, kSecondRedundant}));
  CHECK(all.run.exitCode == 0);
  CHECK(contains(all.run.err, "Kept requested PIPE_V barriers: 1\n  line 10: RAW on UB [8192, 10240): "));
  CHECK(contains(all.run.err, "(removed 2 PIPE_V barriers; lines=2, patterns=0)"));
  CHECK(all.line(kNeeded) == kThere);
}

TEST_CASE("patch command: unsafe takes what is not proved and says which") {
  Patched patched(lines({kFirstRedundant, kNeeded}) + " --unsafe");
  CHECK(patched.run.exitCode == 0);
  CHECK(contains(patched.run.err, "WARNING: --unsafe: line 10: removed without proof: RAW on UB [8192, 10240): "));
  CHECK(contains(patched.run.err, "NOT proved right: 1 barrier went"));
  CHECK(contains(patched.run.err, "(removed 2 PIPE_V barriers; lines=2, patterns=0)"));
  CHECK_FALSE(contains(patched.run.err, "Kept"));
  CHECK(patched.line(kFirstRedundant) == kGone);
  CHECK(patched.line(kNeeded) == "  /* ptosync: removed pipe_barrier(PIPE_V) [UNPROVED] */");
  CHECK(patched.workshop.ptosync("verify k.cpp out.cpp").exitCode == 1);
  Patched proved(lines({kFirstRedundant}) + " --unsafe"); // nothing to warn of
  CHECK_FALSE(contains(proved.run.err, "WARNING"));
}

TEST_CASE("patch command: barriers of other pipes and two on one line") {
  std::string other = vectorKernel(tile("v1", "float", 16, 64, 0) + "  pipe_barrier(PIPE_MTE3);\n");
  Patched wrong(lines({5}), other);
  CHECK(wrong.run.exitCode == 2);
  CHECK(contains(wrong.run.err, "line 5 is not a PIPE_V barrier: 'pipe_barrier(PIPE_MTE3);'"));
  CHECK(wrong.workshop.listing() == "k.cpp");
  std::string two = vectorKernel(tile("v1", "float", 16, 64, 0) +
                                 "  pipe_barrier(PIPE_V); pipe_barrier(PIPE_V);\n  TADDS(v1, v1, 1.0f);\n");
  Patched both(lines({5}), two);
  CHECK(contains(both.run.err, "(removed 2 PIPE_V barriers; lines=1, patterns=0)"));
  CHECK_FALSE(contains(both.line(5), "barrier(PIPE_V);"));
}

TEST_CASE("patch command: lines that the file does not have") {
  for (const char *line : {"0", "-1", "1000"}) {
    Patched patched(std::string("--remove-vec-barriers=") + line);
    CHECK(patched.run.exitCode == 2);
    CHECK(patched.run.err == std::string("line numbers outside generated file: [") + line + "]\n");
    CHECK(patched.workshop.listing() == "k.cpp");
  }
}

TEST_CASE("patch command: what is in no kernel is a barrier still, and stays") {
  std::string kernel = sampleKernel() + "#ifdef NEVER\n  pipe_barrier(PIPE_V);\n#endif\n";
  unsigned line = static_cast<unsigned>(linesOf(kernel).size()) - 1;
  for (const char *unsafe : {"", " --unsafe"}) {
    Patched patched(lines({line}) + unsafe, kernel);
    CHECK(patched.run.exitCode == 0);
    CHECK(contains(patched.run.err,
                   "Kept requested PIPE_V barriers: 1\n  line " + std::to_string(line) + ": not part of the code"));
    CHECK(patched.workshop.read("out.cpp") == kernel);
  }
}

TEST_CASE("patch command: a2 is no architecture, tile and library are the levels of trust") {
  CHECK(Patched("--arch=a2").run.exitCode == 2);
  CHECK(Patched("--trust=nobody").run.exitCode == 2);
  CHECK(Patched("--arch=a3 --trust=library").run.exitCode == 0);
  CHECK(Patched("--arch=a5").run.exitCode == 3); // a vector barrier is not for a5
}
