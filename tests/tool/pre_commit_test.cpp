// The hooks, run by the real pre-commit where it is installed.
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string source(const std::string &name) { return readText(std::string(PTOSYNC_SOURCE_DIR) + "/" + name); }

/// The hooks of the manifest as hooks of the repository itself: no network, no clone.
std::string localConfig() {
  std::string config = "repos:\n- repo: local\n  hooks:\n";
  for (const std::string &line : linesOf(source(".pre-commit-hooks.yaml")))
    config += "  " + line + "\n";
  return config;
}

struct Repository {
  Repository() {
    workshop.write(".pre-commit-config.yaml", localConfig());
    workshop.write(".ptosync.json", "{\"arch\": \"a3\"}\n"); // the text shows none
  }
  Run hook(const std::string &id) {
    return workshop.shell(
        "export HOME=\"$PWD/home\" PRE_COMMIT_HOME=\"$PWD/home\" PATH=\"$(dirname '" PTOSYNC_BINARY "'):$PATH\"; "
        "mkdir -p home; unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE; git init -q . && git add k.cpp && "
        "pre-commit run " +
        id + " --files k.cpp");
  }
  Workshop workshop;
};

bool installed() { return Workshop().shell("command -v pre-commit && command -v git").exitCode == 0; }

} // namespace

TEST_CASE("pre-commit: the audit fails a commit with a faulty kernel and passes a good one") {
  if (!installed())
    return;
  Repository repository;
  repository.workshop.write("k.cpp", vectorKernel(tile("v1", "float", 4, 64, 0) + "  TADDS(v1, v1, 1.0f);\n"));
  Run good = repository.hook("ptosync-audit");
  INFO(good.out << good.err);
  CHECK(good.exitCode == 0);
  repository.workshop.write(
      "k.cpp", vectorKernel(tile("v1", "float", 4, 64, 0) + "  TADDS(v1, v1, 1.0f);\n  TADDS(v1, v1, 1.0f);\n"));
  Run bad = repository.hook("ptosync-audit");
  CHECK(bad.exitCode == 1);
  CHECK(contains(bad.out, "[missing-sync]"));
}

TEST_CASE("pre-commit: opt edits in place, once") {
  if (!installed())
    return;
  Repository repository;
  repository.workshop.write("k.cpp", sampleKernel());
  Run first = repository.hook("ptosync-opt");
  INFO(first.out << first.err);
  CHECK(first.exitCode == 1); // files were modified
  std::string patched = repository.workshop.read("k.cpp");
  CHECK(contains(patched, "/* ptosync: removed "));
  CHECK(repository.hook("ptosync-opt").exitCode == 0);
  CHECK(repository.workshop.read("k.cpp") == patched);
  repository.workshop.write("k.cpp", "this is no C++\n");
  CHECK(repository.hook("ptosync-opt").exitCode == 1);
  CHECK(repository.workshop.read("k.cpp") == "this is no C++\n");
}
