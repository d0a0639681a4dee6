// `audit --new-from-rev`, and what git says of a file.
#include "tool/process.h"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

std::string revisedKernel(const std::string &statements) {
  return "// ptosync: arch a3\n" +
         vectorKernel(tile("v1", "float", 4, 64, 0) + tile("v2", "float", 4, 64, 1024) + statements);
}
/// One missing barrier, between the first two statements.
const std::string kFirst = "  TADDS(v2, v1, 1.0f);\n  TADDS(v1, v2, 1.0f);\n";
/// Another one.
const std::string kSecond = "  pipe_barrier(PIPE_V);\n  TMULS(v2, v1, 2.0f);\n  TMULS(v1, v2, 3.0f);\n";

/// A work tree with one commit.
struct WorkTree {
  explicit WorkTree(const std::string &text) {
    workshop.write("k.cpp", text);
    git("init -q . && git add k.cpp && git commit -q -m one");
  }
  void git(const std::string &command) const {
    Run run = workshop.shell("export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e "
                             "GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e; git " +
                             command);
    INFO(run.err);
    REQUIRE(run.exitCode == 0);
  }
  Run audit(const std::string &arguments, const std::string &environment = "") const {
    return workshop.ptosync("audit " + arguments, environment);
  }
  Workshop workshop;
};

/// Returns true, and says so, if there is nothing to ask.
bool lacksGit() {
  const bool lacks = Workshop().shell("git --version").exitCode != 0;
  if (lacks)
    std::cout << "skipped: git is not installed\n";
  return lacks;
}

} // namespace

TEST_CASE("audit --new-from-rev: what was there is left out, what is new is reported") {
  if (lacksGit())
    return;
  WorkTree repository(revisedKernel(kFirst));
  Run unchanged = repository.audit("k.cpp --new-from-rev=HEAD");
  CHECK(unchanged.exitCode == 0);
  CHECK(contains(unchanged.out, "1 not new since HEAD"));
  CHECK(repository.audit("k.cpp").exitCode == 1);
  repository.workshop.write("k.cpp", "// a line\n" + revisedKernel(kFirst + kSecond));
  Run more = repository.audit("k.cpp --new-from-rev=HEAD");
  CHECK(more.exitCode == 1);
  CHECK(contains(more.out, "TMULS(v1, v2, 3.0f)"));
  CHECK_FALSE(contains(more.out, "TADDS(v1, v2, 1.0f)"));
  CHECK(contains(more.out, "1 not new since HEAD"));
  // Committed or not does not matter; the older revision still counts.
  repository.git("commit -q -a -m two");
  CHECK(repository.audit("k.cpp --new-from-rev=HEAD").exitCode == 0);
  CHECK(repository.audit("k.cpp --new-from-rev=HEAD~1").exitCode == 1);
  const json report = json::parse(repository.audit("k.cpp --new-from-rev=HEAD --format=json").out);
  CHECK(report["summary"]["newFrom"] == "HEAD");
  CHECK(report["summary"]["notNew"] == 2);
}

TEST_CASE("audit --new-from-rev: what git does not look at is seen all the same") {
  if (lacksGit())
    return;
  const std::string good = "  TADDS(v2, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v1, v2, 1.0f);\n";
  for (const char *blind : {"update-index --assume-unchanged k.cpp", "update-index --skip-worktree k.cpp",
                            "config core.fsmonitor true", "config diff.interHunkContext 1000"}) {
    INFO(blind);
    WorkTree repository(revisedKernel(good));
    repository.git(blind);
    repository.workshop.write("k.cpp", revisedKernel(kFirst));
    CHECK(repository.audit("k.cpp --new-from-rev=HEAD").exitCode == 1);
  }
  // A name is no pattern, whatever is in it.
  WorkTree repository(revisedKernel(kFirst));
  repository.workshop.write("h[1].cpp", revisedKernel(kFirst));
  repository.workshop.write("h1.cpp", revisedKernel(kFirst));
  repository.git("add . && git commit -q -m two");
  repository.workshop.write("h1.cpp", "// other\n");
  CHECK(repository.audit("'h[1].cpp' --new-from-rev=HEAD").exitCode == 0);
  CHECK(repository.audit("k.cpp --new-from-rev=^HEAD").exitCode == 2);
}

TEST_CASE("audit --new-from-rev: a kernel whose own header has changed is new") {
  if (lacksGit())
    return;
  WorkTree repository(
      "#include \"my.h\"\n" +
      revisedKernel("  TADDS(v2, v1, 1.0f);\n  MY_BARRIER;\n  TADDS(v1, v2, 1.0f);\n  TADDS(v2, v1, 1.0f);\n"));
  repository.workshop.write("my.h", "#define MY_BARRIER pipe_barrier(PIPE_V)\n");
  repository.git("add my.h && git commit -q -m header");
  CHECK(contains(repository.audit("k.cpp --new-from-rev=HEAD").out, "1 not new since HEAD"));
  repository.workshop.write("my.h", "#define MY_BARRIER\n");
  Run changed = repository.audit("k.cpp --new-from-rev=HEAD");
  CHECK(changed.exitCode == 1);
  CHECK(contains(changed.out, "TADDS(v1, v2, 1.0f) does not wait for TADDS(v2, v1, 1.0f)"));
  CHECK_FALSE(contains(changed.out, "not new"));
}

TEST_CASE("audit --new-from-rev: what a baseline holds and the revision has is not mended") {
  if (lacksGit())
    return;
  WorkTree repository(revisedKernel(kFirst));
  REQUIRE(repository.audit("k.cpp --baseline=b.json --write-baseline").exitCode == 0);
  Run both = repository.audit("k.cpp --baseline=b.json --new-from-rev=HEAD");
  CHECK(both.exitCode == 0);
  CHECK_FALSE(contains(both.out, "mended"));
  CHECK(json::parse(repository.audit("k.cpp --baseline=b.json --new-from-rev=HEAD --format=json")
                        .out)["summary"]["staleBaseline"] == 0);
  repository.workshop.write("k.cpp", revisedKernel("  TADDS(v2, v1, 1.0f);\n"));
  CHECK(contains(repository.audit("k.cpp --baseline=b.json --new-from-rev=HEAD").out, "1 finding that is mended"));
}

TEST_CASE("audit: SARIF names files from the top of the work tree, in a file and on standard output") {
  if (lacksGit())
    return;
  WorkTree repository(revisedKernel(kFirst));
  const std::string tool = std::string("'") + PTOSYNC_BINARY + "' audit k.cpp ";
  Run run = repository.workshop.shell("mkdir deep; cp k.cpp deep; cd deep; " + tool + "--sarif=s.sarif; " + tool +
                                      "--format=sarif > o.sarif");
  CAPTURE(run.err);
  CHECK(contains(repository.workshop.read("deep/s.sarif"), "\"deep/k.cpp\""));
  CHECK(repository.workshop.read("deep/o.sarif") == repository.workshop.read("deep/s.sarif"));
}

TEST_CASE("audit --new-from-rev: a sync that was taken out is new, though no line of it is left") {
  if (lacksGit())
    return;
  WorkTree repository(revisedKernel("  TADDS(v2, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v1, v2, 1.0f);\n"));
  REQUIRE(repository.audit("k.cpp").exitCode == 0);
  repository.workshop.write("k.cpp", revisedKernel(kFirst));
  CHECK(repository.audit("k.cpp --new-from-rev=HEAD").exitCode == 1);
}

TEST_CASE("audit --new-from-rev: a line that was changed shows what it had before") {
  if (lacksGit())
    return;
  WorkTree repository(revisedKernel(kFirst));
  repository.workshop.write("k.cpp", revisedKernel("  TADDS(v2, v1, 1.0f);\n  TADDS(v1, v2, 1.0f); // why\n"));
  CHECK(repository.audit("k.cpp --new-from-rev=HEAD").exitCode == 1);
}

TEST_CASE("audit --new-from-rev: files that git does not know are new; a folder; inside a hook") {
  if (lacksGit())
    return;
  WorkTree repository(revisedKernel(kFirst));
  std::filesystem::create_directories(repository.workshop.path("deep"));
  repository.workshop.write("deep/new.cpp", revisedKernel(kFirst));
  Run run = repository.audit(". --new-from-rev=HEAD");
  CHECK(run.exitCode == 1);
  CHECK(contains(run.out, "deep/new.cpp:"));
  CHECK_FALSE(contains(run.out, "k.cpp:8"));
  CHECK(repository.audit("k.cpp --new-from-rev=HEAD", "GIT_DIR=nowhere GIT_INDEX_FILE=nothing").exitCode == 0);
}

TEST_CASE("audit --new-from-rev: outside of a work tree, without git, no revision") {
  if (lacksGit())
    return;
  WorkTree repository(revisedKernel(kFirst));
  auto refused = [](const Run &run, const std::string &message) {
    CAPTURE(run.err);
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, message));
  };
  refused(repository.audit("k.cpp --new-from-rev=nosuch"), "--new-from-rev=nosuch: no revision of the work tree");
  refused(repository.audit("k.cpp --new-from-rev=--all"), "--new-from-rev=--all: no revision");
  refused(repository.audit("k.cpp --new-from-rev=HEAD", "PATH=/nowhere"), "git is not installed, or not on the PATH");
  refused(repository.audit("k.cpp --new-from-rev=HEAD --baseline=b.json --write-baseline"), "leave out --new-from-rev");
  refused(repository.audit("- --new-from-rev=HEAD"), "standard input is in no revision");
  Workshop outside;
  outside.write("k.cpp", revisedKernel(kFirst));
  refused(outside.ptosync("audit k.cpp --new-from-rev=HEAD", "GIT_CEILING_DIRECTORIES=/"), "is in no work tree of git");
}

TEST_CASE("audit --sarif: paths are those of the repository, from whatever folder") {
  if (lacksGit())
    return;
  WorkTree repository(revisedKernel(kFirst));
  std::filesystem::create_directories(repository.workshop.path("deep"));
  REQUIRE(repository.workshop.shell("mv k.cpp deep/k.cpp").exitCode == 0);
  for (const std::string arguments : {"cd deep && X audit k.cpp", "cd deep && X audit ../deep/k.cpp", "X audit deep",
                                      "X audit \"$PWD/deep/k.cpp\""}) {
    CAPTURE(arguments);
    std::string command = arguments;
    command.replace(command.find('X'), 1, "'" PTOSYNC_BINARY "'");
    const std::string out = repository.workshop.path("out.sarif").string();
    CHECK(repository.workshop.shell(command + " --github --sarif='" + out + "' > out.txt").exitCode == 1);
    const json result = json::parse(repository.workshop.read("out.sarif"))["runs"][0]["results"][0];
    CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "deep/k.cpp");
    CHECK(result["partialFingerprints"].contains("primaryLocationLineHash"));
  }
  Run opt = repository.workshop.ptosync("opt deep --dry-run --sarif=edits.sarif --github");
  CHECK(opt.exitCode == 0);
}
