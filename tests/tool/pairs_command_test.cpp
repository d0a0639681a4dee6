// `verify` and `compare` of two folders.
#include "timing/timed.h"
#include "tool/process.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

/// old/ and new/: a.cpp is the same, deep/b.cpp lacks a barrier that it needs, c.cpp one that it does not; gone.cpp and
/// more.cpp stand in one folder each.
struct Folders {
  Folders() {
    for (const char *folder : {"old/deep", "new/deep"})
      std::filesystem::create_directories(workshop.path(folder));
    for (const char *name : {"old/a.cpp", "new/a.cpp", "old/deep/b.cpp", "old/c.cpp", "old/gone.cpp", "new/more.cpp"})
      workshop.write(name, sampleKernel());
    workshop.write("new/deep/b.cpp", withLine(sampleKernel(), kNeeded));
    workshop.write("new/c.cpp", withLine(sampleKernel(), kFirstRedundant));
  }
  json table(const std::string &arguments) const {
    return json::parse(workshop.ptosync(arguments + " --format=json").out);
  }
  Workshop workshop;
};

json rowOf(const json &table, const std::string &file) {
  for (const json &row : table["kernels"])
    if (row["file"] == file)
      return row;
  return nullptr;
}

} // namespace

TEST_CASE("pairs: verify matches by path, names what is lost, and its exit code is the gravest") {
  Folders folders;
  const Workshop &workshop = folders.workshop;
  Run run = workshop.ptosync("verify old new");
  CHECK(run.exitCode == 1);
  CHECK(contains(run.out, "5 kernels: 2 proved, 1 not, 1 only in the first folder, 1 only in the second\n"));
  CHECK(contains(run.out, "new/deep/b.cpp:11: order lost: "));
  CHECK(contains(run.out, "only old/gone.cpp\n"));
  CHECK(contains(run.out, "only new/more.cpp\n"));
  CHECK(run.err == "");
  CHECK(workshop.ptosync("verify old new --exclude=b.cpp --exclude='*/gone.cpp' --exclude='new/more*'").exitCode == 0);
  CHECK(workshop.ptosync("verify old new --exclude=b.cpp").exitCode == 1); // nothing vouches for what is alone
  CHECK(workshop.ptosync("verify old old").exitCode == 0);
  CHECK(rowOf(folders.table("verify old new"), "deep/b.cpp")["details"]["proof"] !=
        rowOf(folders.table("verify old new"), "a.cpp")["details"]["proof"]);
  workshop.write("old/bad.cpp", "#include \"pto/pto-inst.hpp\"\nno C++\n");
  workshop.write("new/bad.cpp", sampleKernel());
  Run bad = workshop.ptosync("verify old new --table=t.csv");
  CHECK(bad.exitCode == 3);
  CHECK(contains(bad.err, "ptosync: old/bad.cpp:2:1: error: "));
  CHECK(contains(bad.out, "new/deep/b.cpp:11: order lost: "));
  const std::vector<std::string> lines = linesOf(workshop.read("t.csv"));
  REQUIRE(lines.size() == 7);
  CHECK(lines[0] == "file,answer,findings,runs,instructions,problem");
  CHECK(lines[1].rfind("a.cpp,proved,0,", 0) == 0);
  CHECK(lines[2].rfind("bad.cpp,,,,,", 0) == 0);
  CHECK(lines[4].rfind("deep/b.cpp,refuted,1,", 0) == 0);
}

TEST_CASE("pairs: compare names lost orders apart from syncs that differ") {
  Folders folders;
  Run run = folders.workshop.ptosync("compare old new");
  CHECK(run.exitCode == 0);
  CHECK(run.err == "");
  CHECK(contains(run.out, "5 kernels: 2 differ, 1 alike, 1 only in the first folder, 1 only in the second\n"
                          "1 order lost in 1 kernel, no flag faults, no new PIPE_ALL barriers\n"));
  CHECK(contains(run.out, "  new/deep/b.cpp:11: order lost: "));
  CHECK(contains(run.out, "  k: gone pipe_barrier(PIPE_V): "));
  CHECK(!contains(run.out, "old/a.cpp"));
  json table = folders.table("compare old new");
  json lost = rowOf(table, "deep/b.cpp"), harmless = rowOf(table, "c.cpp"), alike = rowOf(table, "a.cpp");
  CHECK(lost["lostOrders"] == 1);
  CHECK(lost["syncsGone"] == 1);
  CHECK(lost["details"]["findings"].size() == 1);
  CHECK(harmless["lostOrders"] == 0);
  CHECK(harmless["syncsGone"] == 1);
  CHECK(harmless["cyclesB"].get<int>() < harmless["cyclesA"].get<int>());
  CHECK(harmless["details"]["syncs"][0]["change"] == "gone");
  CHECK(alike["details"]["syncs"].empty());
  CHECK(rowOf(table, "gone.cpp")["problem"] == "only old/gone.cpp");
  CHECK(table["summary"]["lostOrders"] == 1);
  CHECK(table["summary"]["onlyBefore"] == 1);
  CHECK(table["summary"]["onlyAfter"] == 1);
}

TEST_CASE("pairs: a kernel whose instructions changed, new barriers of every pipe, event ids") {
  Folders folders;
  const std::string flags = tensor("g", "out", "0") + "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                                                      "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);\n"
                                                      "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                                                      "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);\n";
  const std::string head = tile("v1", "float", 8, 64, 0);
  folders.workshop.write("old/flags.cpp", vectorKernel(head + "  TADDS(v1, v1, 1.0f);\n"));
  folders.workshop.write("new/flags.cpp", vectorKernel(head + "  TADDS(v1, v1, 1.0f);\n" + flags));
  folders.workshop.write("new/c.cpp", withLine(sampleKernel(), kNeeded, "  pipe_barrier(PIPE_ALL);"));
  folders.workshop.write("new/a.cpp", withLine(sampleKernel(), kNeeded + 1, "  TMULS(v2, v2, 2.0f);"));
  json table = folders.table("compare old new");
  json wider = rowOf(table, "c.cpp"), other = rowOf(table, "a.cpp"), ids = rowOf(table, "flags.cpp");
  CHECK(wider["newPipeAll"] == 1);
  CHECK(wider["syncsOther"] == 1);
  CHECK(wider["lostOrders"] == 0);
  CHECK(wider["details"]["syncs"][0]["change"] == "widened");
  CHECK(wider["details"]["syncs"][0]["before"] == "pipe_barrier(PIPE_V)");
  CHECK(other["instructionsGone"] == 1);
  CHECK(other["instructionsNew"] == 1);
  CHECK(other["lostOrders"].is_null());
  CHECK(ids["idsA"] == 0);
  CHECK(ids["idsB"] == 2);
  CHECK(contains(folders.workshop.ptosync("compare old new").out, "other instructions in 1 kernel\n"));
}

TEST_CASE("pairs: compare writes a page of each kernel and one over all, the worst first") {
  Folders folders;
  const Workshop &workshop = folders.workshop;
  Run run = workshop.ptosync("compare old new --html=pages -o text.txt --table=t.json");
  CHECK(run.exitCode == 0);
  CHECK(run.out == "");
  CHECK(workshop.read("text.txt") == workshop.ptosync("compare old new").out);
  CHECK(json::parse(workshop.read("t.json")) == folders.table("compare old new --html=again"));
  const std::string index = workshop.read("pages/index.html");
  CHECK(contains(index, "1 order lost in 1 kernel"));
  CHECK(index.find("\"deep/b.cpp.html\"") < index.find("\"c.cpp.html\""));
  CHECK(index.find("\"c.cpp.html\"") < index.find("\"a.cpp.html\""));
  CHECK(contains(workshop.read("pages/deep/b.cpp.html"), "new/deep/b.cpp"));
  CHECK(!std::filesystem::exists(workshop.path("pages/gone.cpp.html")));
}

TEST_CASE("pairs: the output is the same however many pairs are dealt with at a time") {
  Folders folders;
  for (const char *command :
       {"compare old new --verbose", "verify old new --verbose", "compare old new --format=csv"}) {
    Run one = folders.workshop.ptosync(command + std::string(" --jobs=1")),
        four = folders.workshop.ptosync(command + std::string(" --jobs=4"));
    CHECK(one.out == four.out);
    CHECK(one.err == four.err);
    CHECK(one.out != "");
  }
}

TEST_CASE("pairs: a link is a kernel like another") {
  Folders folders;
  const Workshop &workshop = folders.workshop;
  std::filesystem::create_symlink("../a.cpp", workshop.path("old/deep/link.cpp"));
  workshop.write("new/deep/link.cpp", sampleKernel());
  CHECK(rowOf(folders.table("verify old new"), "deep/link.cpp")["answer"] == "proved");
  const json without = folders.table("verify old new --exclude=link.cpp"); // by its own name
  CHECK(rowOf(without, "deep/link.cpp").is_null());
  CHECK(rowOf(without, "a.cpp")["answer"] == "proved");
}

TEST_CASE("pairs: --fail-over names the kernels, and what is alone is over it") {
  Folders folders;
  Run run = folders.workshop.ptosync("compare new old --fail-over=1 --exclude=gone.cpp --exclude=more.cpp");
  CHECK(run.exitCode == 1);
  CHECK(contains(run.err, "ptosync: old/c.cpp: --fail-over: k"));
  CHECK(folders.workshop.ptosync("compare old new --fail-over=1 --exclude=gone.cpp --exclude=more.cpp").exitCode == 0);
  CHECK(folders.workshop.ptosync("compare old new --fail-over=1").exitCode == 1);
}

TEST_CASE("pairs: what nobody could look at is not alike, and its lost orders are not known") {
  Workshop workshop;
  for (const char *folder : {"old", "new"})
    std::filesystem::create_directories(workshop.path(folder));
  const std::string odd = "\n%:define X\n"; // a directive that is not followed
  workshop.write("old/k.cpp", sampleKernel() + odd);
  workshop.write("new/k.cpp", withLine(sampleKernel(), kNeeded) + odd);
  Run run = workshop.ptosync("compare old new");
  CHECK(run.exitCode == 3);
  CHECK(contains(run.out, "1 kernel: 0 differ, 0 alike, 1 not analysed\n"));
  CHECK(contains(run.out, "no order lost (not known of 1 kernel)"));
  const json row = json::parse(workshop.ptosync("compare old new --format=json").out)["kernels"][0];
  CHECK(row["lostOrders"].is_null());
  CHECK(row["flagFaults"].is_null());
}

TEST_CASE("pairs: --quiet leaves the findings, and the documents") {
  Folders folders;
  const Workshop &workshop = folders.workshop;
  Run verified = workshop.ptosync("verify old new --quiet");
  CHECK(verified.exitCode == 1);
  CHECK(verified.err == "");
  CHECK(verified.out.rfind("new/deep/b.cpp:11: order lost: ", 0) == 0);
  CHECK(contains(verified.out, "\nold/gone.cpp: there is no other version of it"));
  CHECK(contains(verified.out, "\nnew/more.cpp: there is no other version of it"));
  CHECK(!contains(verified.out, "5 kernels"));
  CHECK(!contains(verified.out, "a.cpp:"));
  Run compared = workshop.ptosync("compare old new --quiet");
  CHECK(compared.exitCode == 0);
  CHECK(compared.out.rfind("new/deep/b.cpp:11: order lost: ", 0) == 0);
  CHECK(std::count(compared.out.begin(), compared.out.end(), '\n') == 1);
  CHECK(compared.err == "");
  CHECK(workshop.ptosync("compare old new -q -o said.txt").out == "");
  CHECK(workshop.read("said.txt") == workshop.ptosync("compare old new").out);
  CHECK(folders.table("verify old new --quiet")["kernels"].size() == 5);
  CHECK(folders.table("compare old new --quiet")["kernels"].size() == 5);
}

TEST_CASE("pairs: what is for two folders, and what is none, is refused") {
  Folders folders;
  const Workshop &workshop = folders.workshop;
  for (const char *arguments :
       {"compare old new/a.cpp", "verify old/a.cpp new", "compare old/a.cpp new/a.cpp --table=t.csv",
        "verify old/a.cpp new/a.cpp --jobs=2", "compare old/a.cpp new/a.cpp --exclude=x", "compare old new --table=-",
        "compare old new -o x --table=x", "compare old new -o old/a.cpp", "verify - -", "verify old nowhere",
        "compare old new --exclude='a['"}) {
    INFO(arguments);
    CHECK(workshop.ptosync(arguments).exitCode == 2);
  }
  CHECK(workshop.read("old/a.cpp") == sampleKernel());
  std::filesystem::create_directories(workshop.path("empty"));
  for (const char *arguments : {"compare empty empty", "verify empty old", "verify old new --exclude='*'"}) {
    INFO(arguments);
    Run run = workshop.ptosync(arguments);
    CHECK(run.exitCode == 3);
    CHECK(contains(run.err, "has a partner of its path below "));
  }
}

// Mutants: kernels of the corpus, each with one sync dropped, moved or widened. Each is named, and nothing else.

namespace {

enum class Mutation { Drop, MoveDown, Widen };

struct Mutant {
  const char *folder; // of the corpus
  unsigned line;
  const char *statement; // that stands there
  Mutation mutation;
  unsigned lines = 0; // MoveDown: so many
  bool loses = false; // an order, or a flag that is at fault
};

struct Named {
  std::string text;
  json lineA, lineB;
  bool swap = false; // with the sync below, which may be named as well
};

Named mutate(const Mutant &mutant) {
  std::vector<std::string> lines = linesOf(readText(corpusPath(std::string(mutant.folder) + "/kernel.cpp")));
  const auto at = lines.begin() + (mutant.line - 1);
  REQUIRE(contains(*at, mutant.statement));
  Named named{"", mutant.line, mutant.line};
  switch (mutant.mutation) {
  case Mutation::Drop:
    *at = "";
    named.lineB = nullptr;
    break;
  case Mutation::MoveDown:
    named.swap = mutant.lines == 1 && contains(at[1], "_flag(");
    std::rotate(at, at + 1, at + 1 + mutant.lines);
    named.lineB = mutant.line + mutant.lines;
    break;
  case Mutation::Widen: *at = "pipe_barrier(PIPE_ALL);"; break;
  }
  for (const std::string &line : lines)
    named.text += line + "\n";
  return named;
}

json lineOf(const json &place) { return place.is_null() ? json(nullptr) : place["line"]; }

const std::vector<Mutant> &mutants() {
  static const std::vector<Mutant> list = {
      {"softmax", 62, "pipe_barrier(PIPE_V)", Mutation::Drop, 0, true},
      {"softmax", 60, "pipe_barrier(PIPE_V)", Mutation::Drop}, // it orders nothing
      {"softmax", 120, "pipe_barrier(PIPE_V)", Mutation::Widen},
      {"softmax", 66, "pipe_barrier(PIPE_V)", Mutation::MoveDown, 1},          // in front of a wait and another barrier
      {"softmax", 71, "set_flag(PIPE_V, PIPE_MTE2", Mutation::MoveDown, 1},    // past another set
      {"softmax", 72, "set_flag(PIPE_V, PIPE_MTE3", Mutation::MoveDown, 3},    // past scalar code
      {"softmax", 128, "set_flag(PIPE_V, PIPE_MTE3", Mutation::Drop, 0, true}, // its wait hangs
      {"double_buffered_gemm", 110, "wait_flag(PIPE_MTE2", Mutation::Drop, 0, true}, // its set is left
      {"double_buffered_gemm", 97, "pipe_barrier(PIPE_MTE2)", Mutation::Widen},      // a fallback
      {"double_buffered_gemm", 128, "pipe_barrier(PIPE_M)", Mutation::MoveDown, 1},  // past what it stood in front of
      {"double_buffered_gemm", 112, "set_flag(PIPE_MTE1", Mutation::MoveDown, 1, true}, // behind its wait
      {"flash_attention", 498 - 1, "pipe_barrier(PIPE_V)", Mutation::Drop},
      {"flash_attention", 418, "pipe_barrier(PIPE_V)", Mutation::Drop, 0, true},
  };
  return list;
}

} // namespace

TEST_CASE("pairs: each of the mutants is named, and nothing else") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("old"));
  std::filesystem::create_directories(workshop.path("new"));
  std::map<std::string, std::pair<const Mutant *, Named>> byFile;
  for (const Mutant &mutant : mutants()) {
    const std::string name = std::string(mutant.folder) + "_" + std::to_string(mutant.line) + ".cpp";
    const Named &named = byFile.emplace(name, std::pair(&mutant, mutate(mutant))).first->second.second;
    workshop.write("old/" + name, readText(corpusPath(std::string(mutant.folder) + "/kernel.cpp")));
    workshop.write("new/" + name, named.text);
  }
  for (const char *name : {"old/untouched.cpp", "new/untouched.cpp"})
    workshop.write(name, readText(corpusPath("softmax/kernel.cpp")));
  const json table = json::parse(workshop.ptosync("compare old new --format=json").out);
  REQUIRE(table["kernels"].size() == byFile.size() + 1);
  for (const json &row : table["kernels"]) {
    const std::string file = row["file"];
    const json &syncs = row["details"]["syncs"];
    CAPTURE(file, row.dump(1));
    if (file == "untouched.cpp") {
      CHECK(syncs.empty());
      continue;
    }
    const auto &[mutant, named] = byFile.at(file);
    REQUIRE(syncs.size() == 1);
    const json lineA = lineOf(syncs[0]["a"]), lineB = lineOf(syncs[0]["b"]);
    CHECK(((lineA == named.lineA && lineB == named.lineB) ||
           (named.swap && lineA == named.lineB && lineB == named.lineA)));
    CHECK((row["lostOrders"].get<int>() + row["flagFaults"].get<int>() > 0) == mutant->loses);
    if (mutant->mutation == Mutation::Widen)
      CHECK(syncs[0]["change"] == "widened");
    CHECK(row["newPipeAll"] == (mutant->mutation == Mutation::Widen ? 1 : 0));
  }
}
