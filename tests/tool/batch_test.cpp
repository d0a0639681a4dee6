// Many kernels in one run of `opt`, `fix` and `audit`, and what goes wrong around such a run. `verify` and `compare` of
// two folders: pairs_command_test.cpp.
#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

/// Nothing in it is redundant.
std::string settledKernel() {
  return vectorKernel(tile("v1", "float", 4, 64, 0) + "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n"
                                                      "  TADDS(v1, v1, 1.0f);\n");
}
/// On a3 a barrier is missing.
std::string brokenKernel() {
  return "// ptosync: arch a3\n" + vectorKernel(tile("v1", "float", 4, 64, 0) + //
                                                "  TADDS(v1, v1, 1.0f);\n  TADDS(v1, v1, 1.0f);\n");
}
const char *const kNoKernel = "#include \"pto/pto-inst.hpp\"\nthis is no C++\n";

/// zoo/a.cpp and zoo/deep/c.cpp have two redundant barriers each, zoo/b.cpp has none.
struct Zoo {
  Zoo() {
    std::filesystem::create_directories(workshop.path("zoo/deep"));
    workshop.write("zoo/a.cpp", sampleKernel());
    workshop.write("zoo/b.cpp", settledKernel());
    workshop.write("zoo/deep/c.cpp", sampleKernel());
    workshop.write("zoo/host.cpp", "int main() { return 0; }\n");
  }
  bool untouched() const {
    return workshop.read("zoo/a.cpp") == sampleKernel() && workshop.read("zoo/b.cpp") == settledKernel() &&
           workshop.read("zoo/deep/c.cpp") == sampleKernel();
  }
  Workshop workshop;
};

} // namespace

TEST_CASE("batch: --check writes nothing and names the kernels that would change") {
  Zoo zoo;
  Run run = zoo.workshop.ptosync("opt zoo --check");
  CHECK(run.exitCode == 1);
  CHECK(run.out == "zoo/a.cpp: would change: 2 removed\n"
                   "zoo/deep/c.cpp: would change: 2 removed\n"
                   "3 kernels: 2 would change, 1 as they are\n"
                   "10 syncs: 4 removed, 0 moved, 6 kept, 0 added\n"
                   "most syncs kept: zoo/a.cpp, 2\n");
  CHECK(run.err == "");
  CHECK(zoo.untouched());
  CHECK(zoo.workshop.ptosync("opt zoo/b.cpp --check").exitCode == 0);
  Run quiet = zoo.workshop.ptosync("opt zoo --check --quiet");
  CHECK(quiet.out == "zoo/a.cpp: would change: 2 removed\nzoo/deep/c.cpp: would change: 2 removed\n");
}

TEST_CASE("batch: --in-place writes what a run of each kernel writes, and a second run has nothing to do") {
  Zoo zoo;
  REQUIRE(zoo.workshop.ptosync("opt zoo/a.cpp -o alone.cpp").exitCode == 0);
  REQUIRE(zoo.workshop.ptosync("opt zoo/b.cpp -o same.cpp").exitCode == 0);
  Run run = zoo.workshop.ptosync("opt zoo --in-place");
  CHECK(run.exitCode == 0);
  CHECK(run.out == "kernel          syncs  removed  moved  added  kept  refused\n"
                   "zoo/a.cpp           4        2      0      0     2        0\n"
                   "zoo/deep/c.cpp      4        2      0      0     2        0\n"
                   "\n"
                   "3 kernels: 2 changed, 1 as they are\n"
                   "10 syncs: 4 removed, 0 moved, 6 kept, 0 added\n"
                   "most syncs kept: zoo/a.cpp, 2\n");
  CHECK(zoo.workshop.read("zoo/a.cpp") == zoo.workshop.read("alone.cpp"));
  CHECK(zoo.workshop.read("zoo/deep/c.cpp") == zoo.workshop.read("alone.cpp"));
  CHECK(zoo.workshop.read("zoo/b.cpp") == zoo.workshop.read("same.cpp"));
  CHECK(zoo.workshop.read("zoo/host.cpp") == "int main() { return 0; }\n");
  CHECK(contains(zoo.workshop.ptosync("opt zoo --in-place").out, "3 kernels: 0 changed, 3 as they are\n"));
}

TEST_CASE("batch: --output-dir writes every kernel under its name from the folder") {
  Zoo zoo;
  Run run = zoo.workshop.ptosync("opt zoo --output-dir=out/deeper --quiet");
  CHECK(run.exitCode == 0);
  CHECK(run.out == "");
  CHECK(contains(zoo.workshop.read("out/deeper/a.cpp"), "ptosync: removed"));
  CHECK(contains(zoo.workshop.read("out/deeper/deep/c.cpp"), "ptosync: removed"));
  CHECK(contains(zoo.workshop.read("out/deeper/b.cpp"), "pipe_barrier(PIPE_V);"));
  CHECK(zoo.untouched());
  std::filesystem::create_directories(zoo.workshop.path("other"));
  zoo.workshop.write("other/a.cpp", sampleKernel());
  Run twice = zoo.workshop.ptosync("opt zoo other --output-dir=twice");
  CHECK(twice.exitCode == 2);
  CHECK(contains(twice.err, "two outputs have the name twice/a.cpp"));
  Run over = zoo.workshop.ptosync("opt zoo --output-dir=zoo");
  CHECK(over.exitCode == 2);
  CHECK(contains(over.err, "is an input of this run"));
  CHECK(zoo.untouched());
}

TEST_CASE("batch: one kernel that cannot be analysed does not stop the others") {
  Zoo zoo;
  zoo.workshop.write("zoo/bad.cpp", kNoKernel);
  Run run = zoo.workshop.ptosync("opt zoo --in-place");
  CHECK(run.exitCode == 3);
  CHECK(contains(run.err, "zoo/bad.cpp:2:1: error: "));
  CHECK(contains(run.out, "4 kernels: 2 changed, 1 as they are, 1 not analysed\n"));
  CHECK(zoo.workshop.read("zoo/bad.cpp") == kNoKernel);
  CHECK(contains(zoo.workshop.read("zoo/deep/c.cpp"), "ptosync: removed"));
}

TEST_CASE("batch: the output is the same however many kernels are dealt with at a time") {
  Zoo zoo;
  for (int i = 0; i < 9; ++i)
    zoo.workshop.write("zoo/k" + std::to_string(i) + ".cpp", i % 3 ? sampleKernel() : settledKernel());
  Run first = zoo.workshop.ptosync("opt zoo --diff --jobs=1");
  CHECK(first.exitCode == 1);
  for (const char *jobs : {"2", "3", "8"}) {
    Run run = zoo.workshop.ptosync("opt zoo --diff --jobs=" + std::string(jobs));
    CHECK(run.out == first.out);
    CHECK(run.err == first.err);
  }
}

TEST_CASE("batch: --exclude and the configuration leave out what folders have, not what is named") {
  Zoo zoo;
  CHECK(contains(zoo.workshop.ptosync("opt zoo --check --exclude=deep").out, "2 kernels: 1 would change"));
  CHECK(contains(zoo.workshop.ptosync("opt zoo --check --exclude='zoo/deep/*'").out, "2 kernels: 1 would change"));
  CHECK(contains(zoo.workshop.ptosync("opt zoo --check --exclude=[ab].cpp").out, "1 kernel: 1 would change"));
  CHECK(contains(zoo.workshop.ptosync("audit zoo --exclude=deep --severity=error").out, "2 files: "));
  zoo.workshop.write("zoo/.ptosync.json", R"({"exclude": ["deep/*.cpp"]})");
  CHECK(contains(zoo.workshop.ptosync("opt zoo --check").out, "2 kernels: 1 would change"));
  CHECK(contains(zoo.workshop.ptosync("opt zoo zoo/deep/c.cpp --check").out, "3 kernels: 2 would change"));
  Run wrong = zoo.workshop.ptosync("opt zoo --check --exclude='a['");
  CHECK(wrong.exitCode == 2);
  CHECK(contains(wrong.err, "'a[' is no pattern of file names"));
}

TEST_CASE("batch: a kernel that another kernel includes is left as it is") {
  // Alone b needs no barrier between different tiles. Where a uses its function, the barrier may be what a needs.
  Zoo zoo;
  zoo.workshop.write("zoo/b.cpp", sampleKernel());
  zoo.workshop.write("zoo/includes.cpp", "#include \"pto/pto-inst.hpp\"\n#include \"b.cpp\"\n");
  for (const char *where : {"--in-place", "--output-dir=out"}) {
    Run run = zoo.workshop.ptosync("opt zoo " + std::string(where));
    CHECK(run.exitCode == 3);
    CHECK(contains(run.err, "left as it is, since zoo/includes.cpp includes it"));
    CHECK(zoo.workshop.read("zoo/b.cpp") == sampleKernel());
  }
  CHECK(!std::filesystem::exists(zoo.workshop.path("out/b.cpp")));
}

TEST_CASE("batch: standard input, alone and among others") {
  Zoo zoo;
  REQUIRE(zoo.workshop.ptosync("opt zoo/a.cpp -o alone.cpp").exitCode == 0);
  const std::string tool = std::string("'") + PTOSYNC_BINARY + "' ";
  Run filter = zoo.workshop.shell("cat zoo/a.cpp | " + tool + "opt - 2>/dev/null");
  CHECK(filter.exitCode == 0);
  CHECK(filter.out == zoo.workshop.read("alone.cpp"));
  CHECK(zoo.workshop.shell("cat zoo/a.cpp | " + tool + "opt - --check").exitCode == 1);
  CHECK(contains(zoo.workshop.shell("cat zoo/a.cpp | " + tool + "opt - zoo/b.cpp --check").out,
                 "stdin.cpp: would change: 2 removed\n"));
  CHECK(zoo.workshop.shell("cat zoo/a.cpp | " + tool + "opt - --in-place").exitCode == 2);
  CHECK(contains(zoo.workshop.shell("cat zoo/a.cpp | " + tool + "audit -").out, "1 file: "));
}

TEST_CASE("batch: the table for programs has every kernel") {
  Zoo zoo;
  zoo.workshop.write("zoo/bad.cpp", kNoKernel);
  Run run = zoo.workshop.ptosync("opt zoo --check --cost --format=json --table=t.csv");
  CHECK(run.exitCode == 3);
  json table = json::parse(run.out);
  CHECK(table["command"] == "opt");
  REQUIRE(table["kernels"].size() == 4);
  CHECK(table["kernels"][0]["file"] == "zoo/a.cpp");
  CHECK(table["kernels"][0]["removed"] == 2);
  CHECK(table["kernels"][0]["cyclesBefore"].get<int>() > table["kernels"][0]["cyclesAfter"].get<int>());
  CHECK(table["kernels"][2]["removed"].is_null());
  CHECK(contains(table["kernels"][2]["problem"].get<std::string>(), "zoo/bad.cpp:2:1: error: "));
  CHECK(table["summary"]["removed"] == 4);
  CHECK(table["summary"]["notAnalysed"] == 1);
  std::vector<std::string> lines = linesOf(zoo.workshop.read("t.csv"));
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] ==
        "file,syncs,removed,moved,added,kept,refused,cyclesBefore,cyclesAfter,cyclesLimit,overLimit,problem");
  CHECK(lines[1].find("zoo/a.cpp,4,2,0,0,2,0,") == 0);
}

TEST_CASE("batch: reports and pages of many kernels go into folders, with a page over all") {
  Zoo zoo;
  Run run = zoo.workshop.ptosync("opt zoo --dry-run --report=reports --html=pages");
  CHECK(run.exitCode == 0);
  CHECK(json::parse(zoo.workshop.read("reports/deep/c.cpp.json"))["file"] == "zoo/deep/c.cpp");
  CHECK(contains(zoo.workshop.read("pages/index.html"), "\"deep/c.cpp.html\""));
  CHECK(contains(zoo.workshop.read("pages/deep/c.cpp.html"), "<html"));
}

TEST_CASE("batch: fix mends every kernel of a folder") {
  Zoo zoo;
  zoo.workshop.write("zoo/deep/broken.cpp", brokenKernel());
  Run check = zoo.workshop.ptosync("fix zoo --check --arch=a3");
  CHECK(check.exitCode == 1);
  CHECK(contains(check.out, "zoo/deep/broken.cpp: would change: 1 finding mended\n"));
  CHECK(contains(check.out, "4 kernels: 1 would change, 3 as they are\n1 finding mended, 0 left\n"));
  CHECK(zoo.workshop.read("zoo/deep/broken.cpp") == brokenKernel());
  CHECK(zoo.workshop.ptosync("fix zoo --in-place --arch=a3").exitCode == 0);
  CHECK(contains(zoo.workshop.read("zoo/deep/broken.cpp"), "pipe_barrier(PIPE_V)"));
  CHECK(zoo.workshop.ptosync("fix zoo --check --arch=a3").exitCode == 0);
}

TEST_CASE("batch: what is for one kernel, and what contradicts itself, is refused") {
  Zoo zoo;
  for (const char *arguments :
       {"opt zoo -o out.cpp", "opt zoo", "opt zoo --in-place --check", "opt zoo --in-place --dry-run",
        "opt zoo --lines=3 --check", "opt zoo --print=flags", "opt zoo --bisect --dry-run",
        "opt zoo --max-removals=3 --check", "opt zoo/a.cpp --in-place -o out.cpp", "opt zoo --diff --format=json",
        "fix zoo -o out.cpp", "opt zoo --check --jobs=0", "opt nowhere --check",
        "opt zoo --check --patterns=none-such"}) {
    INFO(arguments);
    CHECK(zoo.workshop.ptosync(arguments).exitCode == 2);
  }
  CHECK(zoo.untouched());
}

// What goes wrong around a run: other processes, links, few descriptors, names.

namespace {

const std::string kTool = std::string("'") + PTOSYNC_BINARY + "' ";

/// All files below a folder of the workshop with their texts.
std::string treeOf(const Workshop &workshop, const std::string &folder) {
  return workshop
      .shell("cd " + folder +
             " && find . -type f | LC_ALL=C sort | while read -r f; do echo \"== $f\"; "
             "cat \"$f\"; done")
      .out;
}

} // namespace

TEST_CASE("batch: a FIFO is read once, and has no place to write over") {
  Zoo zoo;
  REQUIRE(zoo.workshop.ptosync("opt zoo/a.cpp -o alone.cpp").exitCode == 0);
  Run check = zoo.workshop.shell("mkfifo f; cat zoo/a.cpp >f & timeout 60 " + kTool + "opt f zoo/b.cpp --check");
  CHECK(check.exitCode == 1);
  CHECK(contains(check.out, "f: would change: 2 removed\n2 kernels: 1 would change, 1 as they are\n"));
  Run both = zoo.workshop.shell("cat zoo/a.cpp >f & timeout 60 " + kTool + "opt f --print=flags -o out.cpp");
  CHECK(both.exitCode == 0);
  CHECK(zoo.workshop.read("out.cpp") == zoo.workshop.read("alone.cpp"));
  Run inPlace = zoo.workshop.shell("timeout 60 " + kTool + "opt f --in-place");
  CHECK(inPlace.exitCode == 2);
  CHECK(contains(inPlace.err, "f: is no regular file"));
}

TEST_CASE("batch: a kernel that changes while the run lasts is not written over") {
  // The run waits for the header, a FIFO, when it has read the kernel.
  Zoo zoo;
  zoo.workshop.write("zoo/a.cpp", "#include \"gate.h\"\n" + sampleKernel());
  Run run = zoo.workshop.shell("mkfifo zoo/gate.h; timeout 60 " + kTool +
                               "opt zoo --in-place & p=$!; sleep 1; echo '// mine' >>zoo/a.cpp; "
                               "while kill -0 $p 2>/dev/null; do timeout 1 sh -c 'echo >zoo/gate.h' 2>/dev/null; done; "
                               "wait $p");
  CHECK(run.exitCode == 3);
  CHECK(contains(run.err, "zoo/a.cpp: was changed by somebody else while the run lasted"));
  CHECK(zoo.workshop.read("zoo/a.cpp") == "#include \"gate.h\"\n" + sampleKernel() + "// mine\n");
  CHECK(contains(zoo.workshop.read("zoo/deep/c.cpp"), "ptosync: removed"));
}

TEST_CASE("batch: two runs over one folder at a time leave what one leaves") {
  Zoo zoo, alone;
  for (const Zoo *each : {&zoo, &alone})
    for (int i = 0; i < 6; ++i)
      each->workshop.write("zoo/k" + std::to_string(i) + ".cpp", sampleKernel());
  REQUIRE(alone.workshop.ptosync("opt zoo --in-place").exitCode == 0);
  Run run = zoo.workshop.shell(kTool + "opt zoo --in-place & p=$!; " + kTool +
                               "opt zoo --in-place; q=$?; wait $p && exit $q");
  CHECK(run.exitCode == 0);
  CHECK(treeOf(zoo.workshop, "zoo") == treeOf(alone.workshop, "zoo"));
}

TEST_CASE("batch: more kernels than descriptors") {
  Zoo zoo;
  for (int i = 0; i < 90; ++i)
    zoo.workshop.write("zoo/k" + std::to_string(i) + ".cpp", sampleKernel());
  Run run = zoo.workshop.shell("ulimit -n 64; " + kTool + "opt zoo --in-place --quiet");
  CHECK(run.exitCode == 0);
  CHECK(run.err == "");
  CHECK(contains(zoo.workshop.read("zoo/k89.cpp"), "ptosync: removed"));
  CHECK(!contains(treeOf(zoo.workshop, "zoo"), ".tmp"));
}

TEST_CASE("batch: a signal while files are written leaves nothing behind") {
  Zoo zoo;
  // The table's FIFO, which nobody reads, is opened when the other files stand beside their places.
  for (const char *signal : {"INT", "TERM", "HUP"}) {
    Run run = zoo.workshop.shell("rm -rf out f; mkfifo f; env --default-signal=" + std::string(signal) + " " + kTool +
                                 "opt zoo --output-dir=out --table=f & p=$!; sleep 1; ls out; kill -" + signal +
                                 " $p; wait $p; find out -type f");
    INFO(signal);
    CHECK(contains(run.out, "a.cpp.tmp"));
    CHECK(run.out.rfind(".tmp") < run.out.rfind("deep")); // listed before the signal alone
    CHECK(zoo.workshop.shell("find out -type f").out == "");
  }
}

TEST_CASE("batch: a signal while files take their places waits until all have theirs") {
  Zoo zoo;
  const std::string names = "zoo/k1{0..9}{0..9}.cpp";
  zoo.workshop.write("zoo/k.cpp", sampleKernel());
  zoo.workshop.shell("bash -c 'for name in " + names +
                     "; do cp zoo/k.cpp $name; done'; rm -r zoo/k.cpp zoo/host.cpp zoo/deep");
  const std::string all = zoo.workshop.shell("ls zoo").out;
  for (const char *signal : {"INT", "TERM", "HUP"}) {
    Run run = zoo.workshop.shell("rm -rf out; env --default-signal=" + std::string(signal) + " " + kTool +
                                 "opt zoo --output-dir=out --quiet & p=$!; until [ -e out/a.cpp ]; do :; done; kill -" +
                                 signal + " $p; wait $p; ls out");
    INFO(signal);
    CHECK(run.out == all);
  }
}

TEST_CASE("batch: the name of a table may begin as that of a folder does") {
  Zoo zoo;
  Run run = zoo.workshop.ptosync("opt zoo --output-dir=out --table=out.csv --report=outer");
  CHECK(run.exitCode == 0);
  CHECK(run.err == "");
  CHECK(contains(zoo.workshop.read("out/a.cpp"), "ptosync: removed"));
  CHECK(contains(zoo.workshop.read("out.csv"), "zoo/a.cpp"));
}

TEST_CASE("batch: a kernel that may not be written holds all of them back") {
  Zoo zoo;
  std::filesystem::permissions(zoo.workshop.path("zoo/deep/c.cpp"), std::filesystem::perms::owner_read);
  Run run = zoo.workshop.ptosync("opt zoo --in-place");
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, "zoo/deep/c.cpp: cannot be written: it is read-only"));
  CHECK(zoo.untouched());
}

TEST_CASE("batch: outputs are one file by whatever links they are named") {
  Zoo zoo;
  std::filesystem::create_directories(zoo.workshop.path("real"));
  std::filesystem::create_symlink("real", zoo.workshop.path("link"));
  for (const char *arguments :
       {"opt zoo --check --html=link --table=real/index.html", "opt zoo --output-dir=link --table=real/a.cpp",
        "opt zoo --in-place --table=zoo/a.cpp", "opt zoo --in-place --table=zoo/b.cpp", "opt zoo --output-dir=zoo"}) {
    INFO(arguments);
    Run run = zoo.workshop.ptosync(arguments);
    CHECK(run.exitCode == 2);
    CHECK((contains(run.err, "two outputs have the name") || contains(run.err, "is an input of this run")));
    CHECK(zoo.untouched());
    CHECK(zoo.workshop.shell("find real -type f").out == "");
  }
  std::filesystem::create_symlink("zoo", zoo.workshop.path("alias"));
  CHECK(zoo.workshop.ptosync("opt zoo --output-dir=alias").exitCode == 2);
  CHECK(zoo.untouched());
}

TEST_CASE("batch: results below the folder that is read are no kernels of the next run") {
  Zoo zoo;
  Run first = zoo.workshop.ptosync("opt zoo --output-dir=zoo/out");
  const std::string tree = treeOf(zoo.workshop, "zoo");
  Run second = zoo.workshop.ptosync("opt zoo --output-dir=zoo/out");
  CHECK(first.exitCode == 0);
  CHECK(second.out == first.out);
  CHECK(treeOf(zoo.workshop, "zoo") == tree);
}

TEST_CASE("batch: pages, reports and tables are the same for any number of jobs") {
  Zoo zoo;
  for (int i = 0; i < 5; ++i)
    zoo.workshop.write("zoo/k" + std::to_string(i) + ".cpp", i % 2 ? sampleKernel() : brokenKernel());
  const std::string one = "opt zoo --dry-run --cost --jobs=1 --html=one/html --report=one/json --table=one/t.csv",
                    four = "opt zoo --dry-run --cost --jobs=4 --html=four/html --report=four/json --table=four/t.csv";
  std::filesystem::create_directories(zoo.workshop.path("one"));
  std::filesystem::create_directories(zoo.workshop.path("four"));
  Run first = zoo.workshop.ptosync(one), second = zoo.workshop.ptosync(four);
  CHECK(first.out == second.out);
  CHECK(first.err == second.err);
  CHECK(treeOf(zoo.workshop, "one") == treeOf(zoo.workshop, "four"));
  Run audit = zoo.workshop.ptosync("audit zoo --jobs=1 --fixes --rule=removable-sync=warning"),
      audits = zoo.workshop.ptosync("audit zoo --jobs=4 --fixes --rule=removable-sync=warning");
  CHECK(audit.out == audits.out);
  CHECK(audit.exitCode == audits.exitCode);
}

TEST_CASE("batch: what leaves a folder out is said above it, and a configuration inside takes nothing back") {
  Zoo zoo;
  zoo.workshop.write("zoo/.ptosync.json", R"({"exclude": ["deep"]})");
  zoo.workshop.write("zoo/deep/.ptosync.json", R"({"severity": "note"})");
  CHECK(contains(zoo.workshop.ptosync("opt zoo --check").out, "2 kernels: 1 would change"));
  // One that is named stays, however else it is listed.
  CHECK(contains(zoo.workshop.ptosync("opt zoo ./zoo/deep/c.cpp --check").out, "3 kernels: 2 would change"));
  CHECK(contains(zoo.workshop.ptosync("opt zoo ./zoo/a.cpp --check --exclude=a.cpp").out, "2 kernels: 1 would change"));
}

TEST_CASE("batch: a message about one of several kernels names it") {
  Zoo zoo;
  zoo.workshop.write("zoo/bad.cpp", kNoKernel);
  zoo.workshop.write("zoo/c.cpp", "// ptosync: arch a5\n" + sampleKernel()); // no end of line, and contradicts --arch
  std::filesystem::create_directories(zoo.workshop.path("zoo/folder.cpp"));
  for (const char *command : {"opt zoo --check --arch=a3 --cost --arg nothing=1", "opt zoo --check --arch=a3",
                              "fix zoo --check --arch=a3", "verify zoo zoo --arch=a3", "compare zoo zoo --arch=a3"}) {
    Run run = zoo.workshop.ptosync(command);
    CAPTURE(command, run.err);
    CHECK(run.exitCode != 0);
    std::size_t messages = 0;
    for (const std::string &line : linesOf(run.err)) {
      if (line.rfind("ptosync: ", 0) != 0)
        continue; // more of the message before
      ++messages;
      CHECK(contains(line, "zoo/"));
    }
    CHECK(messages >= 2);
  }
}

TEST_CASE("batch: the name of standard input is what messages, configuration and patterns go by") {
  Zoo zoo;
  zoo.workshop.write("zoo/.ptosync.json", R"({"arch": "a3", "exclude": ["deep"]})");
  auto filter = [&](const std::string &arguments) {
    return zoo.workshop.shell("cat zoo/a.cpp | " + kTool + arguments);
  };
  CHECK(contains(filter("opt - --stdin-name=zoo/x.cpp --check").out, "zoo/x.cpp: would change: "));
  CHECK(contains(filter("audit - --stdin-name=zoo/x.cpp --print=config").out, "zoo/x.cpp: configured by "));
  CHECK(contains(filter("opt - --stdin-name=zoo/x.cpp --dry-run").out, "\narch a3 (configuration: "));
  CHECK(contains(filter("verify - zoo/b.cpp --stdin-name=zoo/x.cpp --format=json").out, "\"before\": \"zoo/x.cpp\""));
  Run out = filter("opt - --stdin-name=zoo/deep/x.cpp");
  CHECK(out.exitCode == 0);
  CHECK(out.out == sampleKernel());
  CHECK(contains(out.err, "zoo/deep/x.cpp: is excluded, and passes through as it is"));
  CHECK(contains(filter("audit - --stdin-name=zoo/deep/x.cpp").out, "no files"));
  filter("opt - --stdin-name=../../x.cpp --output-dir=out");
  CHECK(contains(zoo.workshop.read("out/x.cpp"), "ptosync: removed"));
  for (const char *wrong : {"opt zoo --check --stdin-name=x.cpp", "opt - --stdin-name=", "opt - --stdin-name=.."}) {
    INFO(wrong);
    CHECK(filter(wrong).exitCode == 2);
  }
}

TEST_CASE("batch: the table of audit is written") {
  Zoo zoo;
  zoo.workshop.write("zoo/broken.cpp", brokenKernel());
  CHECK(zoo.workshop.ptosync("audit zoo --table=t.csv").exitCode == 1);
  CHECK(linesOf(zoo.workshop.read("t.csv")).size() == 5);
  CHECK(zoo.workshop.ptosync("audit zoo --table=-").exitCode == 2);
}
