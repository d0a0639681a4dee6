// --time-limit, --memory-limit and --stats: what a user sees of a kernel that takes too long, and of one that does not.
#include "report/schema_check.h"
#include "tool/process.h"
#include "tool/run_watch.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kScale = std::string("python3 ") + PTOSYNC_SOURCE_DIR + "/scripts/scale-kernel ";

/// A kernel that Clang does not come to an end with.
std::string endlessForClang() {
  return "template <int N, int M> struct Tree { static constexpr long v = Tree<N - 1, 2 * M>::v + Tree<N - 1, 2 * M + "
         "1>::v; };\ntemplate <int M> struct Tree<0, M> { static constexpr long v = M; };\n" +
         vectorKernel("  constexpr long all = Tree<26, 0>::v;\n  pipe_barrier(PIPE_V);\n");
}

nlohmann::json statsOf(const Workshop &workshop, const std::string &file) {
  return nlohmann::json::parse(workshop.read(file));
}

} // namespace

TEST_CASE("limits: a kernel that takes too long is left as it is, and the message says what to do", "[tool]") {
  Workshop workshop;
  workshop.shell("cp " + corpusPath("flash_attention/kernel.cpp") + " k.cpp");
  const std::string text = workshop.read("k.cpp");
  for (const char *command :
       {"opt k.cpp -o out.cpp", "opt k.cpp --in-place", "opt k.cpp --resync -o out.cpp", "opt k.cpp --diff",
        "fix k.cpp -o out.cpp --arch=a3", "audit k.cpp", "verify k.cpp k.cpp", "compare k.cpp k.cpp",
        "explain k.cpp:418", "explain --memory k.cpp", "timeline k.cpp", "model --calls=k.cpp",
        "opt k.cpp --print=chains", "patch-vec-barriers k.cpp out.cpp --remove-vec-barriers=418"}) {
    CAPTURE(command);
    const Run run = workshop.ptosync(command + std::string(" --time-limit=1ms"));
    CHECK(run.exitCode == 3);
    CHECK(contains(run.out + run.err, "k.cpp: is left as it is, since its 0.001 s (--time-limit) were over while "));
    CHECK(contains(run.out + run.err, "allow more with --time-limit"));
    CHECK(workshop.read("k.cpp") == text);
    CHECK(workshop.listing() == "k.cpp");
  }
}

TEST_CASE("limits: what comes to its end within them is what it is without", "[tool]") {
  Workshop workshop;
  const std::string folder = corpusPath("softmax") + " " + corpusPath("unbalanced_flags"),
                    wide = " --time-limit=1h --memory-limit=100G";
  for (const std::string &command :
       {"opt " + folder + " --diff --table=t.csv", "opt " + corpusPath("softmax/kernel.cpp") + " --resync --diff",
        "opt " + corpusPath("softmax/kernel.cpp") + " --dry-run --cost --report=-",
        "audit " + folder + " --format=json", "fix " + folder + " --check --arch=a3"}) {
    CAPTURE(command);
    const Run free = workshop.ptosync(command), bounded = workshop.ptosync(command + wide);
    CHECK(bounded.out == free.out);
    CHECK(bounded.err == free.err);
    CHECK(bounded.exitCode == free.exitCode);
  }
}

TEST_CASE("limits: one kernel of several is left, and the others are dealt with", "[tool]") {
  Workshop workshop;
  workshop.shell("mkdir kernels && " + kScale + "loops 40000 >kernels/large.cpp && cp " +
                 corpusPath("softmax/kernel.cpp") + " kernels/small.cpp");
  const std::string large = workshop.read("kernels/large.cpp");
  const Run alone = workshop.ptosync("opt kernels/small.cpp -o small.cpp -q");
  CHECK(alone.exitCode == 0);
  const Run run = workshop.ptosync("opt kernels --in-place --time-limit=2 --stats=s.json");
  CHECK(run.exitCode == 3);
  CHECK(contains(run.err, "large.cpp: is left as it is, since its 2 s (--time-limit) were over while "));
  CHECK(workshop.read("kernels/large.cpp") == large);
  CHECK(workshop.read("kernels/small.cpp") == workshop.read("small.cpp"));
  const nlohmann::json stats = statsOf(workshop, "s.json");
  REQUIRE(stats["kernels"].size() == 2);
  CHECK(stats["kernels"][0]["file"] == "kernels/large.cpp");
  CHECK(contains(stats["kernels"][0]["stopped"].get<std::string>(), "(--time-limit)"));
  CHECK(stats["kernels"][1]["stopped"].is_null());
}

TEST_CASE("limits: an audit that was stopped is no clean one, and a baseline keeps what it has for it", "[tool]") {
  Workshop workshop;
  workshop.shell("cp " + corpusPath("unbalanced_flags/kernel.cpp") + " k.cpp");
  REQUIRE(workshop.ptosync("audit k.cpp").exitCode == 1);
  REQUIRE(workshop.ptosync("audit k.cpp --baseline=b.json --write-baseline").exitCode == 0);
  const std::string baseline = workshop.read("b.json");
  const Run run = workshop.ptosync("audit k.cpp --time-limit=1ms --baseline=b.json --write-baseline");
  CHECK(run.exitCode == 3);
  CHECK(workshop.read("b.json") == baseline);
  CHECK(contains(run.out, "not analysed"));
  const nlohmann::json json = nlohmann::json::parse(workshop.ptosync("audit k.cpp --time-limit=1ms --format=json").out);
  CHECK(contains(json.dump(), "(--time-limit)"));
}

TEST_CASE("limits: more memory than is allowed", "[tool]") {
  Workshop workshop;
  workshop.shell("cp " + corpusPath("flash_attention/kernel.cpp") + " k.cpp");
  const Run run = workshop.ptosync("opt k.cpp -o out.cpp --memory-limit=8M");
  CHECK(run.exitCode == 3);
  CHECK(contains(run.err, "--memory-limit"));
  CHECK(contains(run.err, "k.cpp"));
  CHECK(workshop.listing() == "k.cpp");
}

TEST_CASE("limits: what nothing asks is ended with the process", "[tool]") {
  Workshop workshop;
  workshop.write("k.cpp", endlessForClang());
  const Run run = workshop.ptosync("opt k.cpp -o out.cpp --time-limit=0.2 --memory-limit=2G");
  CHECK(run.exitCode == 3);
  CHECK(contains(run.err, "k.cpp (reading): "));
  CHECK(contains(run.err, "nothing was written"));
  CHECK(workshop.listing() == "k.cpp");
}

TEST_CASE("limits: the system's own end of memory is no crash", "[tool]") {
  Workshop workshop;
  workshop.write("k.cpp", endlessForClang());
  const Run run = workshop.shell("ulimit -v 1500000; '" + std::string(PTOSYNC_BINARY) +
                                 "' opt k.cpp -o out.cpp -q --time-limit=30");
  CHECK(run.exitCode != 0); // a build that reserves addresses for itself does not even start
  CHECK_FALSE(contains(run.err, "Stack dump"));
  CHECK(workshop.listing() == "k.cpp");
}

TEST_CASE("limits: values that are none", "[tool]") {
  Workshop workshop;
  workshop.write("k.cpp", vectorKernel("  pipe_barrier(PIPE_V);\n"));
  for (const char *value : {"0", "-1", "x", "1d", "2e9", "nan", "inf", "1e-400", "10 s"})
    CHECK(contains(workshop.ptosync("opt k.cpp --dry-run '--time-limit=" + std::string(value) + "'").err,
                   "expected a time above 0"));
  for (const char *value : {"0M", "-1M", "500", "M", "xM", "1e20G", "nanG"})
    CHECK(contains(workshop.ptosync("opt k.cpp --dry-run '--memory-limit=" + std::string(value) + "'").err,
                   "expected a size with its unit"));
  for (const char *value : {"10", "10.5", "50000ms", "2m", "1h", "30s"})
    CHECK(workshop.ptosync("opt k.cpp --dry-run --time-limit=" + std::string(value)).exitCode == 0);
  for (const char *value : {"4G", "4g", "4GB", "4GiB", "4000M", "1.5T"})
    CHECK(workshop.ptosync("opt k.cpp --dry-run --memory-limit=" + std::string(value)).exitCode == 0);
}

TEST_CASE("limits: a kernel that was stopped still keeps what it includes from being edited", "[tool]") {
  Workshop workshop;
  workshop.shell("mkdir k; cp " + corpusPath("rms_norm/kernel.cpp") + " k/a.cpp");
  workshop.shell(
      "(printf '#include <pto/pto-inst.hpp>\\n#include \"a.cpp\"\\n'; yes // $(printf '%0100d' 0) | head -c 50000000) "
      "> k/b.cpp");
  const std::string text = workshop.read("k/a.cpp");
  for (const char *how : {"--jobs=1 --time-limit=200ms", "--jobs=1 --memory-limit=90M",
                          "--shard=1/2 --time-limit=200ms", "--shard=1/2 --memory-limit=90M"}) {
    CAPTURE(how);
    const Run run = workshop.ptosync("opt k --in-place " + std::string(how));
    CHECK(run.exitCode == 3);
    CHECK(workshop.read("k/a.cpp") == text);
  }
}

TEST_CASE("stats: they are no other output, no kernel, and written by a run that writes anything", "[tool]") {
  Workshop workshop;
  workshop.shell("mkdir k; cp " + corpusPath("rms_norm/kernel.cpp") + " k/a.cpp; cp k/a.cpp b.cpp");
  const std::string text = workshop.read("b.cpp");
  for (const char *command :
       {"opt k --in-place --stats=k/a.cpp", "opt b.cpp --in-place --stats=b.cpp", "opt b.cpp -o o.cpp --stats=o.cpp",
        "opt b.cpp -o o.cpp --depfile=o.cpp.d --stats=o.cpp.d", "opt k --in-place --stats=none/s.json",
        "compare b.cpp k/a.cpp -o o.txt --stats=o.txt", "audit k --write-baseline --baseline=o.json --stats=o.json",
        "audit k --sarif=o.json --stats=o.json", "timeline b.cpp --trace=o.json --stats=o.json"}) {
    CAPTURE(command);
    CHECK(workshop.ptosync(command).exitCode == 2);
    CHECK(workshop.listing() == "b.cpp k");
    CHECK(workshop.read("b.cpp") == text);
    CHECK(workshop.read("k/a.cpp") == text);
  }
}

TEST_CASE("stats: a document of every command keeps to its schema, and only its times differ", "[tool]") {
  Workshop workshop;
  workshop.shell("cp " + corpusPath("softmax/kernel.cpp") + " k.cpp");
  for (const char *command :
       {"opt k.cpp --dry-run", "audit k.cpp", "fix k.cpp --check --arch=a3", "verify k.cpp k.cpp",
        "compare k.cpp k.cpp", "explain --memory k.cpp", "timeline k.cpp", "model --calls=k.cpp"}) {
    CAPTURE(command);
    nlohmann::json documents[2];
    for (nlohmann::json &document : documents) {
      workshop.ptosync(command + std::string(" --stats=s.json"));
      document = statsOf(workshop, "s.json");
      CHECK(schemaViolations(document, "../../docs/schemas/stats.json") == "");
      REQUIRE(document["kernels"].size() == 1);
      CHECK(document["schema"] == kStatsSchema);
      CHECK(document["kernels"][0]["syncs"] > 0);
      CHECK(document["kernels"][0]["statements"] > 0);
      CHECK(document["kernels"][0]["stages"][0]["stage"] == "reading");
      CHECK(document["kernels"][0]["work"]["readings"] > 0);
      for (nlohmann::json &kernel : document["kernels"]) {
        for (nlohmann::json &stage : kernel["stages"])
          stage.erase("seconds");
        kernel.erase("seconds");
      }
      document.erase("total");
    }
    CHECK(documents[0] == documents[1]);
  }
  CHECK(workshop.ptosync("opt k.cpp --dry-run --stats=-").exitCode == 2);
  CHECK(workshop.ptosync("opt k.cpp --dry-run --stats=k.cpp").exitCode == 2);
}
