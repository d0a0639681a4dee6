// Shards of runs of many kernels, and `ptosync merge` of what they wrote: with the program itself, on kernels of the
// corpus with problems among them. The merging alone: tests/report/merge_test.cpp.
#include "report/schema_check.h"
#include "tool/process.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

/// zoo/ and other/: kernels of the corpus, one that is no C++, one that cannot be expressed, one that another includes.
struct SplitFolders {
  explicit SplitFolders(const std::vector<std::string> &stories = {"line_numbers", "softmax", "few_places",
                                                                   "unbalanced_flags", "handshake", "skipped_trips",
                                                                   "ping_pong_branch"}) {
    std::filesystem::create_directories(workshop.path("zoo/deep"));
    std::filesystem::create_directories(workshop.path("other/deep"));
    for (std::size_t i = 0; i < stories.size(); ++i) {
      const std::string name = (i % 3 == 0 ? "deep/" : "") + stories[i] + ".cpp";
      const std::string text = readText(corpusPath(stories[i] + "/kernel.cpp"));
      workshop.write("zoo/" + name, text);
      workshop.write("other/" + name, i % 2 ? text : withoutBarrier(text));
      ++count;
    }
    workshop.write("zoo/bad.cpp", "#include \"pto/pto-inst.hpp\"\nno C++\n");
    workshop.write("other/bad.cpp", "#include \"pto/pto-inst.hpp\"\nno C++\n");
    workshop.write("zoo/included.cpp", sampleKernel());
    workshop.write("zoo/includes.cpp", "#include \"pto/pto-inst.hpp\"\n#include \"included.cpp\"\n");
    workshop.write("zoo/odd.cpp", vectorKernel("  k(v1);\n  pipe_barrier(PIPE_V);\n"));
    workshop.write("zoo/gone.cpp", sampleKernel());
    workshop.write("other/more.cpp", sampleKernel());
    count += 5;
  }
  static std::string withoutBarrier(const std::string &text) {
    std::string result;
    bool first = true;
    for (const std::string &line : linesOf(text)) {
      const bool barrier = contains(line, "pipe_barrier(PIPE_V)");
      if (!barrier || !first)
        result += line + "\n";
      first = first && !barrier;
    }
    return result;
  }
  Workshop workshop;
  std::size_t count = 0; // kernels of zoo/
};

/// A document that each shard writes.
struct Document {
  std::string option, file; // "--table=", "t.json"
};

/// Runs the command over all kernels, and in shards; merges their documents, in another order, into `results`, and says
/// where they differ.
void checkShards(const SplitFolders &folders, const std::string &command, const std::vector<Document> &documents,
                 const std::vector<std::string> &results) {
  CAPTURE(command);
  const Workshop &workshop = folders.workshop;
  std::string whole = command;
  for (const Document &document : documents)
    whole += " " + document.option + "one." + document.file;
  const Run one = workshop.ptosync(whole);
  std::mt19937 random(7);
  for (std::size_t shards : {1u, 2u, 3u, 5u, 20u}) {
    CAPTURE(shards);
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i <= shards; ++i) {
      order.push_back(i);
      std::string part = command + " --shard=" + std::to_string(i) + "/" + std::to_string(shards);
      for (const Document &document : documents)
        part += " " + document.option + std::to_string(i) + "." + document.file;
      const Run run = workshop.ptosync(part);
      CAPTURE(part, run.err, run.out);
      CHECK(run.exitCode != 2);
      if (i > folders.count + 1) // an empty one
        CHECK(run.exitCode == 0);
    }
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t d = 0; d < documents.size(); ++d) {
      std::string inputs;
      for (std::size_t i : order)
        inputs += " " + std::to_string(i) + "." + documents[d].file;
      const Run merge = workshop.ptosync("merge" + inputs + " -o all." + results[d]);
      CAPTURE(merge.err);
      CHECK(merge.exitCode == one.exitCode);
      CHECK(merge.err == "");
      const std::string expected = workshop.read("one." + documents[d].file);
      if (documents[d].file == results[d])
        CHECK(workshop.read("all." + results[d]) == expected);
    }
  }
}

} // namespace

TEST_CASE("merge: the shards of every command make the documents of one run") {
  const SplitFolders folders;
  checkShards(folders, "opt zoo --check --cost", {{"--table=", "t.json"}, {"--sarif=", "s.sarif"}},
              {"t.json", "s.sarif"});
  checkShards(folders, "fix zoo --check", {{"--table=", "t.json"}}, {"t.json"});
  checkShards(folders, "audit zoo --severity=note",
              {{"--table=", "t.json"}, {"--sarif=", "s.sarif"}, {"--format=json >", "a.json"}},
              {"t.json", "s.sarif", "a.json"});
  checkShards(folders, "verify zoo other", {{"--table=", "t.json"}}, {"t.json"});
  checkShards(folders, "compare zoo other --fail-over=1", {{"--table=", "t.json"}, {"--format=json -o ", "o.json"}},
              {"t.json", "o.json"});
}

TEST_CASE("merge: a table of shards becomes every form of the table, and the index of the pages") {
  const SplitFolders folders({"line_numbers", "softmax", "handshake"});
  const Workshop &workshop = folders.workshop;
  for (const std::string command : {"opt zoo --output-dir=OUT --html=PAGES", "compare zoo other --html=PAGES",
                                    "fix zoo --output-dir=OUT", "audit zoo --severity=note"}) {
    CAPTURE(command);
    auto placed = [&](std::string text, const std::string &place) {
      for (const char *name : {"OUT", "PAGES"})
        if (const std::size_t at = text.find(name); at != std::string::npos)
          text.replace(at, std::string(name).size(), place + name);
      return text;
    };
    for (const char *form : {"csv", "html", "txt"})
      workshop.ptosync(placed(command, "one") + " -q --table=one." + form);
    std::string inputs;
    for (const char *shard : {"1/2", "2/2"}) {
      const std::string file = std::string(1, shard[0]) + ".json";
      workshop.ptosync(placed(command, "parts") + " -q --shard=" + shard + " --table=" + file);
      inputs = " " + file + inputs;
    }
    for (const char *form : {"csv", "html", "txt"}) {
      workshop.ptosync("merge" + inputs + " -q -o all." + form);
      CHECK(workshop.read(std::string("all.") + form) == workshop.read(std::string("one.") + form));
    }
    if (contains(command, "PAGES")) {
      workshop.ptosync("merge" + inputs + " -q -o partsPAGES/index.html");
      CHECK(workshop.shell("diff -r onePAGES partsPAGES").out == "");
    }
    if (contains(command, "OUT"))
      CHECK(workshop.shell("diff -r oneOUT partsOUT").out == "");
    workshop.shell("rm -r one* parts*");
  }
}

TEST_CASE("merge: documents of single kernels make those of a run over their folder") {
  const SplitFolders folders({"line_numbers", "softmax", "unbalanced_flags", "handshake"});
  const Workshop &workshop = folders.workshop;
  std::filesystem::remove(workshop.path("zoo/includes.cpp")); // one run would leave what it includes
  workshop.ptosync("opt zoo --dry-run --table=one.json --sarif=one.sarif");
  const Run audit =
      workshop.ptosync("audit zoo --format=json --sarif=audit.sarif --table=audit.table.json >audit.json");
  const std::string ptosync = "'" + std::string(PTOSYNC_BINARY) + "' ";
  workshop.shell("mkdir parts; for k in $(cd zoo; ls *.cpp */*.cpp); do n=parts/$(echo $k | tr / _); " + ptosync +
                 "opt zoo/$k --dry-run --table=$n.json --sarif=$n.sarif; " + ptosync +
                 "audit zoo/$k --format=json --table=$n.table.json --sarif=$n.scan >$n.audit; done; true");
  auto same = [&](const std::string &inputs, const std::string &one, int exitCode) {
    CAPTURE(inputs);
    const Run run = workshop.ptosync("merge " + inputs);
    CHECK(run.err == "");
    CHECK(run.exitCode == exitCode);
    CHECK(run.out == workshop.read(one));
  };
  same("$(ls parts/*.cpp.json)", "one.json", 3);
  same("$(ls -r parts/*.sarif)", "one.sarif", 3);
  same("$(ls -r parts/*.audit)", "audit.json", audit.exitCode);
  same("$(ls parts/*.scan)", "audit.sarif", audit.exitCode);
  same("$(ls parts/*.table.json)", "audit.table.json", audit.exitCode);
}

TEST_CASE("merge: what it writes keeps to the schemas, and a shard's documents do") {
  const SplitFolders folders({"softmax", "unbalanced_flags"});
  const Workshop &workshop = folders.workshop;
  for (const char *shard : {"1", "2"}) {
    const std::string option = std::string(" --shard=") + shard + "/2 ";
    workshop.ptosync("opt zoo --dry-run --html=pages" + option + "--table=t" + shard + ".json");
    workshop.ptosync("audit zoo" + option + "--format=json >a" + shard + ".json");
  }
  REQUIRE(workshop.ptosync("merge t1.json t2.json -o t.json").exitCode == 3);
  REQUIRE(workshop.ptosync("merge a1.json a2.json -o a.json").exitCode == 3);
  for (const char *file : {"t1.json", "t.json"})
    CHECK(schemaViolations(json::parse(workshop.read(file)), "../../docs/schemas/table.json") == "");
  for (const char *file : {"a1.json", "a.json"})
    CHECK(schemaViolations(json::parse(workshop.read(file)), "../../docs/schemas/audit.json") == "");
  CHECK(json::parse(workshop.read("t1.json"))["shard"]["number"] == 1);
  CHECK_FALSE(json::parse(workshop.read("t.json")).contains("shard"));
}

TEST_CASE("shard: a kernel that one of another shard includes is left, and its text is not written") {
  SplitFolders folders({"softmax"});
  const Workshop &workshop = folders.workshop;
  const std::string before = workshop.read("zoo/included.cpp");
  for (int shard = 1; shard <= 7; ++shard)
    workshop.ptosync("opt zoo --in-place --jobs=1 --shard=" + std::to_string(shard) + "/7 2>>err");
  CHECK(workshop.read("zoo/included.cpp") == before);
  CHECK(contains(workshop.read("zoo/deep/softmax.cpp"), "ptosync: removed"));
  CHECK(contains(workshop.read("err"), "zoo/included.cpp: left as it is, since zoo/includes.cpp includes it"));
  // Through a header, with a macro in the place of the name.
  workshop.write("zoo/includes.cpp", "#include \"pto/pto-inst.hpp\"\n#include \"header.h\"\n");
  workshop.write("zoo/header.h", "#define NAME \"included.cpp\"\n#include NAME\n");
  for (int shard = 1; shard <= 7; ++shard)
    workshop.ptosync("opt zoo --in-place --shard=" + std::to_string(shard) + "/7");
  CHECK(workshop.read("zoo/included.cpp") == before);
  // Nobody includes it any more.
  workshop.write("zoo/includes.cpp", "// this includes nothing\n" + sampleKernel());
  for (int shard = 1; shard <= 7; ++shard)
    workshop.ptosync("opt zoo --in-place --shard=" + std::to_string(shard) + "/7");
  CHECK(workshop.read("zoo/included.cpp") != before);
}

TEST_CASE("shard: an include whose word goes on behind a line's end counts too") {
  Workshop workshop;
  workshop.shell("mkdir k; cp " + corpusPath("rms_norm/kernel.cpp") + " k/a.cpp");
  const std::string text = workshop.read("k/a.cpp");
  for (const char *joint : {"\\\n", "\\ \t\n", "\\\r\n", "\\ \r\n"}) {
    workshop.write("k/b.cpp", "#include \"pto/pto-inst.hpp\"\n#inc" + std::string(joint) + "lude \"a.cpp\"\n");
    CHECK(workshop.ptosync("opt k --in-place --shard=1/2").exitCode == 3);
    CHECK(workshop.read("k/a.cpp") == text);
  }
}

TEST_CASE("shard: shards of other texts or options are none of one run, and in place each may change its own") {
  Workshop workshop;
  workshop.shell("mkdir k; cp " + corpusPath("rms_norm/kernel.cpp") + " k/a.cpp; cp " +
                 corpusPath("softmax/kernel.cpp") + " k/b.cpp");
  auto audited = [&](const char *shard, const char *more) {
    workshop.shell("'" PTOSYNC_BINARY "' audit k --format=json --shard=" + std::string(shard) + "/2 " + more + " >" +
                   shard + ".json");
  };
  audited("1", "");
  audited("2", "--rule=missing-sync=off");
  CHECK(contains(workshop.ptosync("merge 1.json 2.json").err, "or the texts or options were others"));
  audited("2", "--jobs=1");
  CHECK(workshop.ptosync("merge 1.json 2.json").exitCode == 0);
  workshop.write("k/b.cpp", workshop.read("k/b.cpp") + " ");
  audited("2", "");
  CHECK(workshop.ptosync("merge 1.json 2.json").exitCode == 2);
  workshop.ptosync("opt k --in-place --shard=1/2 --table=1.json");
  workshop.ptosync("opt k --in-place --shard=2/2 --table=2.json");
  CHECK(workshop.ptosync("merge 1.json 2.json").exitCode == 0);
}

TEST_CASE("shard: the text says which it is, and an empty one is a whole document") {
  const SplitFolders folders({"softmax"});
  const Workshop &workshop = folders.workshop;
  const Run run = workshop.ptosync("opt zoo --check --shard=1/3");
  CHECK(contains(run.out, "shard 1/3 of 6 kernels\n2 kernels: "));
  CHECK(contains(workshop.ptosync("audit zoo --shard=2/3").out, "; shard 2/3 of 6 files"));
  const Run empty = workshop.ptosync("opt zoo --check --shard=7/9 --table=t.json --sarif=s.sarif");
  CHECK(empty.exitCode == 0);
  CHECK(empty.err == "");
  CHECK(contains(empty.out, "shard 7/9 of 6 kernels\nno kernels: "));
  CHECK(json::parse(workshop.read("t.json"))["kernels"] == json::array());
  CHECK(json::parse(workshop.read("s.sarif"))["runs"][0]["results"] == json::array());
  const Run audit = workshop.ptosync("audit zoo --shard=7/9 --format=json");
  CHECK(audit.exitCode == 0);
  CHECK(json::parse(audit.out)["files"] == json::array());
  CHECK(workshop.ptosync("verify zoo other --shard=9/9").exitCode == 0);
}

TEST_CASE("shard: a wrong one says what was expected, and so does what cannot be divided") {
  const SplitFolders folders({"softmax"});
  const Workshop &workshop = folders.workshop;
  auto refused = [&](const std::string &arguments, const std::string &why, const std::string &environment = "") {
    const Run run = workshop.ptosync(arguments, environment);
    CAPTURE(arguments, run.err);
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, why));
  };
  refused("opt zoo --check --shard=0/4", "--shard=0/4: expected I/N, the I-th of N shards, with I from 1 to N: the "
                                         "first of four is 1/4, the last one 4/4");
  refused("audit zoo --shard=3", "--shard=3: expected I/N");
  refused("opt zoo/bad.cpp --check --shard=1/2", "there is one kernel, and nothing to divide");
  refused("verify zoo/bad.cpp other/bad.cpp --shard=1/2", "there is one kernel, and nothing to divide");
  refused("audit zoo/bad.cpp - --shard=1/2", "standard input cannot be divided");
  refused("audit zoo --baseline=b.json --write-baseline --shard=1/2", "a baseline is written by one run");
  refused("explain zoo/bad.cpp:1 --shard=1/2", "'--shard' is an option of opt");
  refused("opt zoo --check", "TEST_SHARD_INDEX=4, TEST_TOTAL_SHARDS=4: expected two numbers",
          "export TEST_SHARD_INDEX=4 TEST_TOTAL_SHARDS=4;");
}

TEST_CASE("shard: the variables of a test runner count from 0, and are heard where both are there") {
  const SplitFolders folders({"softmax"});
  const Workshop &workshop = folders.workshop;
  const std::string both = "export TEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=3;";
  const std::string second = workshop.ptosync("opt zoo --check --shard=2/3").out;
  CHECK(workshop.ptosync("opt zoo --check", both + "export TEST_SHARD_STATUS_FILE=status;").out == second);
  CHECK(std::filesystem::exists(workshop.path("status")));
  CHECK(workshop.ptosync("opt zoo --check --shard=2/3", "export TEST_SHARD_INDEX=7 TEST_TOTAL_SHARDS=x;").out ==
        second);
  const std::string all = workshop.ptosync("opt zoo --check").out;
  CHECK(workshop.ptosync("opt zoo --check", "export TEST_SHARD_INDEX=1;").out == all);
  CHECK(workshop.ptosync("opt zoo --check", "export TEST_TOTAL_SHARDS=3;").out == all);
  const std::string alone = workshop.ptosync("opt zoo/gone.cpp --check").out; // nothing to divide
  CHECK(workshop.ptosync("opt zoo/gone.cpp --check", both).out == alone);
}

TEST_CASE("shard: a baseline's stale entries are told once, those of an approval not at all") {
  SplitFolders folders({"unbalanced_flags", "softmax", "handshake"});
  const Workshop &workshop = folders.workshop;
  workshop.write("zoo/left.cpp", readText(corpusPath("unbalanced_flags/kernel.cpp")));
  workshop.ptosync("audit zoo --severity=note --baseline=b.json --write-baseline");
  std::filesystem::remove(workshop.path("zoo/left.cpp"));          // gone
  workshop.write("zoo/deep/unbalanced_flags.cpp", sampleKernel()); // mended
  const std::string audit = "audit zoo --severity=note --baseline=b.json --format=json";
  const std::string one = workshop.ptosync(audit).out;
  const json summary = json::parse(one)["summary"];
  CHECK(summary["goneBaseline"] > 0);
  CHECK(summary["staleBaseline"] > 0);
  for (int i = 1; i <= 3; ++i)
    workshop.ptosync(audit + " --shard=" + std::to_string(i) + "/3 >" + std::to_string(i) + ".json");
  CHECK(workshop.ptosync("merge 3.json 1.json 2.json").out == one);
  std::filesystem::create_directories(workshop.path("pair"));
  workshop.write("pair/a.cpp", sampleKernel());
  workshop.write("pair/b.cpp", sampleKernel());
  const json entry = {{"fingerprint", std::string(16, '0')}, {"kernel", "k"}, {"edit", "pipe_barrier(PIPE_V)"}};
  workshop.write("a.json",
                 json{{"version", 1}, {"approved", {entry}}, {"rejected", json::array()}, {"rest", "apply"}}.dump());
  const std::string approved = "opt pair --check --approved=a.json";
  CHECK(contains(workshop.ptosync(approved).err, "a.json: stale: "));
  CHECK(workshop.ptosync(approved + " --shard=1/2").err.find("stale") == std::string::npos);
  CHECK(contains(workshop.ptosync(approved + " --shard=1/1").err, "a.json: stale: "));
}

TEST_CASE("depfile: it names what was read, headers and configuration too") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("zoo/include"));
  workshop.write("zoo/my kernel.cpp", "#include \"sizes$.h\"\n" + sampleKernel());
  workshop.write("zoo/include/sizes$.h", "#pragma once\n");
  workshop.write("zoo/.ptosync.json", R"({"arch": "a3", "include": ["include"]})");
  const Run run = workshop.ptosync("opt 'zoo/my kernel.cpp' -o out.cpp --depfile=out.cpp.d");
  CHECK(run.exitCode == 0);
  CHECK(workshop.read("out.cpp.d") == "out.cpp: \\\n"
                                      "  zoo/.ptosync.json \\\n"
                                      "  zoo/include/sizes$$.h \\\n"
                                      "  zoo/my\\ kernel.cpp\n");
  workshop.ptosync("audit 'zoo/my kernel.cpp' -q --depfile=a.json.d");
  CHECK(contains(workshop.read("a.json.d"), "a.json: \\\n  zoo/.ptosync.json \\\n  zoo/include/sizes$$.h \\\n"));
  const Run wrong = workshop.ptosync("opt zoo --check --depfile=deps");
  CHECK(wrong.exitCode == 2);
  CHECK(contains(wrong.err, "--depfile=deps: expected OUTPUT.d"));
  // One header by two names is read twice; the rule has both.
  std::filesystem::create_symlink("sizes$.h", workshop.path("zoo/include/other.h"));
  workshop.write("two.cpp", "#include \"sizes$.h\"\n#include \"other.h\"\n" + sampleKernel());
  workshop.ptosync("opt two.cpp -o out.cpp -I zoo/include --depfile=out.cpp.d");
  CHECK(contains(workshop.read("out.cpp.d"), "zoo/include/sizes$$.h"));
  CHECK(contains(workshop.read("out.cpp.d"), "zoo/include/other.h"));
  const std::string cold = workshop.read("out.cpp.d");
  for (int i = 0; i < 2; ++i) // kept, and found
    workshop.ptosync("opt two.cpp -o out.cpp -I zoo/include --cache-dir=cache --depfile=out.cpp.d");
  CHECK(workshop.read("out.cpp.d") == cold);
  workshop.write("a\nb.cpp", sampleKernel());
  const Run broken = workshop.ptosync("opt 'a\nb.cpp' -o new.cpp --depfile=new.cpp.d");
  CHECK(broken.exitCode == 2);
  CHECK(contains(broken.err, "holds the end of a line, which a rule of make can't say"));
  CHECK_FALSE(std::filesystem::exists(workshop.path("new.cpp")));
}

TEST_CASE("merge: the command's own mistakes") {
  Workshop workshop;
  workshop.write("t.json", "{\"schema\": 1");
  CHECK(workshop.ptosync("merge").exitCode == 2);
  const Run damaged = workshop.ptosync("merge t.json -o all.json");
  CHECK(damaged.exitCode == 2);
  CHECK(contains(damaged.err, "ptosync: t.json: is no whole JSON document: was the run that writes it ended"));
  CHECK_FALSE(std::filesystem::exists(workshop.path("all.json")));
  CHECK(contains(workshop.ptosync("merge missing.json").err, "missing.json: cannot be read: No such file"));
  CHECK(contains(workshop.ptosync("merge - -o all.json").err, "the inputs are files"));
  // A list of files from an editor that ends lines otherwise.
  workshop.write("list.txt", "t.json\r\n\r\n");
  CHECK(workshop.ptosync("merge --files-from=list.txt").err == workshop.ptosync("merge t.json").err);
}
