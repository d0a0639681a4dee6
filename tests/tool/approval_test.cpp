// `opt --approved`: what a person has let through is made, and the rest is named.
#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

/// The edits of a kernel, as entries of an approval.
json editsOf(const Workshop &workshop, const std::string &kernel) {
  REQUIRE(workshop.ptosync("opt " + kernel + " --dry-run --report=edits.json").exitCode == 0);
  json entries = json::array();
  const json report = json::parse(workshop.read("edits.json"));
  for (const json &site : report["sites"])
    if (site["verdict"] != "kept")
      entries.push_back({{"fingerprint", site["fingerprint"]}, {"kernel", "k"}, {"edit", site["statement"]}});
  return entries;
}

void writeApproval(const Workshop &workshop, const json &approved, const json &rejected, const std::string &rest) {
  workshop.write("a.json",
                 json{{"version", 1}, {"approved", approved}, {"rejected", rejected}, {"rest", rest}}.dump(2));
}

json listOf(const json &one) { return json::array({one}); }

/// k.cpp with two needless barriers, on lines 8 and 12, and their edits.
struct Sample {
  Sample() {
    workshop.write("k.cpp", sampleKernel());
    edits = editsOf(workshop, "k.cpp");
    REQUIRE(edits.size() == 2);
  }
  /// True if the barrier of the line is still in the file.
  bool stands(const std::string &file, unsigned line) const {
    return linesOf(workshop.read(file))[line - 1] == "  pipe_barrier(PIPE_V);";
  }
  Workshop workshop;
  json edits;
};

} // namespace

TEST_CASE("opt --approved: what is approved is made, what is new is held back and named") {
  Sample sample;
  writeApproval(sample.workshop, listOf(sample.edits[1]), json::array(), "hold");
  Run run = sample.workshop.ptosync("opt k.cpp -o out.cpp --approved=a.json --report=r.json");
  CHECK(run.exitCode == 0);
  CHECK(run.err == "");
  CHECK(sample.stands("out.cpp", kFirstRedundant));
  CHECK(sample.stands("out.cpp", kNeeded));
  CHECK_FALSE(sample.stands("out.cpp", kSecondRedundant));
  const std::string fingerprint = sample.edits[0]["fingerprint"];
  CHECK(contains(run.out, "approval\n  1 edit made\n"));
  CHECK(contains(run.out, "1 edit not named by the approval, held back\n"
                          "  removed pipe_barrier(PIPE_V) at line 8 [redundant-pipe-v] (" +
                              fingerprint + ", kernel k)\n"));
  const json report = json::parse(sample.workshop.read("r.json"));
  CHECK(report["approval"]["rest"] == "hold");
  CHECK(report["approval"]["applied"] == 1);
  REQUIRE(report["approval"]["new"].size() == 1);
  CHECK(report["approval"]["new"][0]["fingerprint"] == fingerprint);
  CHECK(report["sites"][0]["reason"] == "not-approved");
  // The entry can be put into the approval as it is.
  writeApproval(sample.workshop, json::array({sample.edits[1], report["approval"]["new"][0]}), json::array(), "hold");
  CHECK(sample.workshop.ptosync("opt k.cpp -o out.cpp --approved=a.json").exitCode == 0);
  CHECK_FALSE(sample.stands("out.cpp", kFirstRedundant));
}

TEST_CASE("opt --approved: all but these") {
  Sample sample;
  writeApproval(sample.workshop, json::array(), listOf(sample.edits[0]), "apply");
  Run run = sample.workshop.ptosync("opt k.cpp -o out.cpp --approved=a.json");
  CHECK(run.exitCode == 0);
  CHECK(sample.stands("out.cpp", kFirstRedundant));
  CHECK_FALSE(sample.stands("out.cpp", kSecondRedundant));
  CHECK(contains(run.out, "1 edit rejected by the approval\n"));
  CHECK(contains(run.out, "1 edit not named by the approval, made all the same\n"));
}

TEST_CASE("opt --approved: the approval outlives lines and numbers, and a second run has nothing to do") {
  Sample sample;
  writeApproval(sample.workshop, listOf(sample.edits[1]), listOf(sample.edits[0]), "hold");
  REQUIRE(sample.workshop.shell("sed -e 's/v1/v31/g' -e '1i // a new line' k.cpp > renumbered.cpp").exitCode == 0);
  REQUIRE(sample.workshop.ptosync("opt renumbered.cpp --in-place --approved=a.json").exitCode == 0);
  CHECK(sample.stands("renumbered.cpp", kFirstRedundant + 1));
  CHECK_FALSE(sample.stands("renumbered.cpp", kSecondRedundant + 1));
  const std::string once = sample.workshop.read("renumbered.cpp");
  Run again = sample.workshop.ptosync("opt renumbered.cpp --in-place --approved=a.json");
  CHECK(again.exitCode == 0);
  CHECK(sample.workshop.read("renumbered.cpp") == once);
  CHECK(again.err == ""); // what was made is not stale
  CHECK(sample.workshop.ptosync("opt renumbered.cpp --check --approved=a.json").exitCode == 0);
  CHECK(sample.workshop.ptosync("opt renumbered.cpp --check").exitCode == 1);
}

TEST_CASE("opt --approved: a folder has one approval") {
  Sample sample;
  std::filesystem::create_directories(sample.workshop.path("zoo"));
  sample.workshop.write("zoo/a.cpp", sampleKernel());
  std::string other = sampleKernel();
  other.replace(other.find(" k("), 3, " m(");
  sample.workshop.write("zoo/b.cpp", other);
  writeApproval(sample.workshop, listOf(sample.edits[0]), json::array(), "hold");
  Run run = sample.workshop.ptosync("opt zoo --in-place --approved=a.json");
  CHECK(run.exitCode == 0);
  CHECK_FALSE(sample.stands("zoo/a.cpp", kFirstRedundant));
  CHECK(sample.stands("zoo/a.cpp", kSecondRedundant));
  CHECK(sample.workshop.read("zoo/b.cpp") == other);
  CHECK(contains(run.out, "3 edits not named by the approval\n"));
  CHECK(contains(run.err, "ptosync: zoo/a.cpp: new, held back: removed pipe_barrier(PIPE_V) at line 12"));
  CHECK(contains(run.err, "ptosync: zoo/b.cpp: new, held back: removed pipe_barrier(PIPE_V) at line 8"));
  CHECK_FALSE(contains(run.err, "stale"));
  Run check = sample.workshop.ptosync("opt zoo --check --approved=a.json");
  CHECK(check.exitCode == 0);
  CHECK_FALSE(contains(check.err, "stale"));
  // A kernel that is another one now.
  std::string changed = sampleKernel();
  changed.replace(changed.find("TADDS"), 5, "TMULS");
  sample.workshop.write("zoo/a.cpp", changed);
  Run stale = sample.workshop.ptosync("opt zoo --check --approved=a.json");
  CHECK(contains(stale.err, "ptosync: a.json: stale: pipe_barrier(PIPE_V) (" +
                                sample.edits[0]["fingerprint"].get<std::string>() +
                                ", kernel k) is no edit of these kernels"));
}

TEST_CASE("opt --approved: a rejected entry that is stale is named, also with --quiet") {
  Sample sample;
  const std::string none = "0123456789abcdef";
  writeApproval(sample.workshop, json::array(), listOf({{"fingerprint", none}}), "apply");
  Run run = sample.workshop.ptosync("opt k.cpp -o out.cpp -q --approved=a.json");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.err, "ptosync: a.json: stale: " + none +
                              " is no edit of these kernels: it was made already, or the kernel has changed there, or "
                              "has another number of statements like it; \"rest\": \"apply\" makes the edit that has "
                              "come in its place, if there is one\n"));
  writeApproval(sample.workshop, json::array(), listOf({{"fingerprint", none}, {"kernel", "k"}}), "hold");
  run = sample.workshop.ptosync("opt k.cpp --check -q --approved=a.json");
  CHECK(contains(run.err, "ptosync: a.json: stale: " + none +
                              " (kernel k) is no edit of these kernels: it was made already, or the kernel has changed "
                              "there, or has another number of statements like it\n"));
  writeApproval(sample.workshop, json::array({{{"fingerprint", none}}, {{"fingerprint", "0" + none.substr(0, 15)}}}),
                json::array(), "hold");
  run = sample.workshop.ptosync("opt k.cpp --check -q --approved=a.json");
  CHECK(contains(run.err, "ptosync: a.json: none of its 2 entries is an edit of these kernels; is it the approval of "
                          "others?\n"));
  CHECK_FALSE(contains(run.err, "stale"));
}

TEST_CASE("opt --approved: the page holds what an approval needs") {
  Sample sample;
  REQUIRE(sample.workshop.ptosync("opt k.cpp --dry-run --html=r.html").exitCode == 0);
  const std::string page = sample.workshop.read("r.html");
  for (const json &edit : sample.edits)
    CHECK(contains(page, "\"fingerprint\":\"" + edit["fingerprint"].get<std::string>() +
                             "\",\"kernel\":\"k\",\"edit\":"
                             "\"removed pipe_barrier(PIPE_V) at line"));
}

TEST_CASE("opt --approved: mistakes write nothing") {
  Sample sample;
  auto refused = [&](const std::string &arguments, const std::string &message) {
    Run run = sample.workshop.ptosync("opt k.cpp -o out.cpp " + arguments);
    CAPTURE(arguments, run.err);
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, message));
    CHECK_FALSE(std::filesystem::exists(sample.workshop.path("out.cpp")));
  };
  refused("--approved=none.json", "none.json");
  sample.workshop.write("a.json", "{\"version\": 1}");
  refused("--approved=a.json", "a.json:1");
  writeApproval(sample.workshop, json::array(), json::array(), "hold");
  refused("--approved=a.json --lines=8", "--lines does not go with it");
  refused("--approved=a.json --resync", "--resync does not go with it");
  refused("--approved=a.json --max-removals=1", "--max-removals does not go with it");
  refused("--approved=a.json --report=a.json", "a.json");
}

TEST_CASE("opt --lines: a line without a sync is an error") {
  Sample sample;
  Run run = sample.workshop.ptosync("opt k.cpp -o out.cpp --lines=8,9,99");
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err,
                 "k.cpp:9: --lines names this line, on which no sync begins; --dry-run --verbose lists the lines\n"
                 "k.cpp:99: --lines names this line, on which no sync begins: the file ends before it\n"));
  CHECK_FALSE(std::filesystem::exists(sample.workshop.path("out.cpp")));
  CHECK(sample.workshop.ptosync("opt k.cpp -o out.cpp --lines=8").exitCode == 0);
}
