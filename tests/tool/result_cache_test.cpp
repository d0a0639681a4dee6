// Results of earlier runs in the place of the work: the same bytes come out, and whatever a result depends on makes it
// another one. Many processes at once, kills and full disks: tests/scripts/result_cache_test.sh.
#include "tool/process.h"

#include <map>

using namespace ptosync;
using namespace ptosync::test;

namespace {

namespace fs = std::filesystem;

std::string headerKernel() {
  return "#include \"pto/pto-inst.hpp\"\n#include \"tiles.h\"\nusing namespace pto;\n"
         "extern \"C\" __global__ AICORE void k(__gm__ float* g) {\n#if defined(__DAV_VEC__)\n" +
         tile("v1", "float", 16, 64, 0) + tile("v2", "float", 8, 64, 8192) +
         "  TADDS(v1, v1, kOne);\n  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, kOne);\n#endif\n}\n";
}
const char *const kTiles = "constexpr float kOne = 1.0f;\n";

/// zoo/: kernels that change and that do not, one with a missing barrier, one that is no C++, one with a header.
struct CachedZoo {
  CachedZoo() {
    fs::create_directories(workshop.path("zoo/deep"));
    fs::create_directories(workshop.path("inc"));
    fs::create_directories(workshop.path("early"));
    workshop.write("zoo/a.cpp", sampleKernel());
    workshop.write("zoo/deep/c.cpp", withLine(sampleKernel(), kNeeded, "  // nothing"));
    workshop.write("zoo/broken.cpp", "// ptosync: arch a3\n" + vectorKernel(tile("v1", "float", 4, 64, 0) + //
                                                                            "  TADDS(v1, v1, 1.0f);\n"
                                                                            "  TADDS(v1, v1, 1.0f);\n"));
    workshop.write("zoo/none.cpp", "#include \"pto/pto-inst.hpp\"\nthis is no C++ \xff\n");
    workshop.write("zoo/header.cpp", headerKernel());
    workshop.write("inc/tiles.h", kTiles);
  }

  /// What a command prints, leaves in `out`, and exits with. `cache`: options in front of the others.
  std::string resultOf(const std::string &command, const std::string &cache = "") const {
    workshop.shell("rm -rf out; mkdir out");
    const Run run = workshop.ptosync(command + " " + cache);
    std::string text = std::to_string(run.exitCode) + "\n--- out\n" + run.out + "\n--- err\n" + run.err;
    std::map<std::string, std::string> files;
    for (const auto &entry : fs::recursive_directory_iterator(workshop.path("out")))
      if (entry.is_regular_file())
        files[entry.path().string()] = readText(entry.path().string());
    for (const auto &[name, content] : files)
      text.append("\n--- ").append(name).append("\n").append(content);
    return text;
  }

  std::size_t kept() const {
    std::size_t count = 0;
    if (fs::exists(workshop.path("cache")))
      for (const auto &entry : fs::recursive_directory_iterator(workshop.path("cache")))
        count += entry.path().extension() == ".result";
    return count;
  }

  /// "1 hits, 4 misses" of a run with a cache.
  std::string counts(const std::string &command, const std::string &environment = "") const {
    const Run run = workshop.ptosync(command + " --verbose --cache-dir=cache", environment);
    const std::size_t at = run.err.find("cache: ");
    return at == std::string::npos ? "no cache" : run.err.substr(at + 7, run.err.find(" misses", at) - at);
  }

  Workshop workshop;
};

const std::string kOneHit = "1 hits, 0 misses", kOneMiss = "0 hits, 1 misses";

/// A kernel of its own whose result is kept already.
struct Kept : CachedZoo {
  explicit Kept(const std::string &command = "opt zoo/a.cpp --check") : command(command) {
    CHECK(counts(command) == kOneMiss);
    CHECK(counts(command) == kOneHit);
  }
  std::string again() const { return counts(command); }
  std::string command;
};

} // namespace

TEST_CASE("result cache: outputs are the same without a cache, with a cold one and with a warm one") {
  CachedZoo zoo;
  zoo.workshop.write("approval.json", "{\"version\": 1, \"approved\": [], \"rest\": \"hold\"}");
  for (const std::string &command : {
           std::string("opt zoo -I inc --check"),
           std::string("opt zoo -I inc --check --jobs=1"),
           std::string("opt zoo -I inc --diff"),
           std::string("opt zoo -I inc --dry-run --verbose"),
           std::string(
               "opt zoo -I inc --output-dir=out/k --report=out/r --html=out/h --table=out/t.json --sarif=out/s.sarif"),
           std::string("opt zoo -I inc --dry-run --cost --table=out/t.csv"),
           std::string("opt zoo -I inc --dry-run --format=json --quiet"),
           std::string("opt zoo -I inc --check --github --resync"),
           std::string("opt zoo/a.cpp --bisect --dry-run"),
           std::string("opt zoo/a.cpp -o - --only=removed"),
           std::string("opt zoo/a.cpp --dry-run --lines=8 --report=-"),
           std::string("opt zoo --dry-run"), // a header is missing
           std::string("fix zoo -I inc"),
           std::string("fix zoo -I inc --output-dir=out/k --table=out/t.html"),
           std::string("audit zoo -I inc"),
           std::string("audit zoo -I inc --severity=note --fixes --sarif=out/s.sarif --table=out/t.json"),
           std::string("audit zoo -I inc --format=json"),
           std::string("audit zoo -I inc --format=github"),
           std::string("audit zoo -I inc --color=always"),
           std::string("audit zoo -I inc --baseline=out/b.json --write-baseline"),
           std::string("verify zoo zoo -I inc"),
           std::string("verify zoo zoo -I inc --format=json"),
           std::string("compare zoo zoo -I inc --html=out/h"),
           std::string("compare zoo zoo -I inc --verbose"),
       }) {
    INFO(command);
    zoo.workshop.shell("rm -rf cache");
    auto withoutCounts = [](std::string text) {
      const std::size_t at = text.find("cache: ");
      return at == std::string::npos ? text : text.erase(at, text.find('\n', at) + 1 - at);
    };
    const std::string plain = zoo.resultOf(command);
    const std::string cold = zoo.resultOf(command, "--cache-dir=cache");
    const std::size_t kept = zoo.kept();
    const std::string warm = zoo.resultOf(command, "--cache-dir=cache");
    CHECK(withoutCounts(cold) == plain);
    CHECK(withoutCounts(warm) == plain);
    CHECK(kept > 0);
    CHECK(zoo.kept() == kept); // all of them were used
  }
}

TEST_CASE("result cache: --in-place and a mixture of kept and new results") {
  CachedZoo zoo;
  REQUIRE(zoo.counts("opt zoo -I inc --check") == "0 hits, 5 misses");
  CHECK(zoo.counts("opt zoo -I inc --check") == "5 hits, 0 misses");
  zoo.workshop.write("zoo/a.cpp", sampleKernel() + "// changed\n");
  zoo.workshop.shell("cp -r zoo plain");
  zoo.workshop.ptosync("opt plain -I inc --in-place");
  zoo.workshop.ptosync("opt zoo -I inc --in-place --cache-dir=cache");
  zoo.workshop.shell("rm -rf again; cp -r zoo again; cd plain && diff -r . ../zoo");
  CHECK(zoo.workshop.shell("diff -r plain zoo").out == "");
  CHECK(zoo.workshop.read("zoo/a.cpp") != sampleKernel() + "// changed\n");
}

TEST_CASE("result cache: each input of a result makes it another one") {
  SECTION("the kernel's text") {
    Kept kept;
    kept.workshop.write("zoo/a.cpp", sampleKernel() + " ");
    CHECK(kept.again() == kOneMiss);
    kept.workshop.write("zoo/a.cpp", sampleKernel());
    CHECK(kept.again() == kOneHit);
  }
  SECTION("the kernel's name, which is in its report") {
    Kept kept;
    kept.workshop.shell("mv zoo/a.cpp zoo/b.cpp");
    CHECK(kept.counts("opt zoo/b.cpp --check") == kOneMiss);
    kept.workshop.shell("ln -s b.cpp zoo/a.cpp"); // a link is a name like any other
    CHECK(kept.again() == kOneHit);
    CHECK(kept.counts("opt ./zoo/a.cpp --check") == kOneMiss);
  }
  SECTION("options") {
    Kept kept;
    for (const char *more :
         {"--patterns=none", "--arch=a3", "--trust=library", "--gm-may-alias", "--strict-copies", "-D N=1", "-U N",
          "-I inc", "--cost", "--max-removals=1", "--lines=8", "--report=r.json", "--html=r.html", "--chain=assembler",
          "--rewrite=fifo-local-slots", "--only=kept", "--resync", "--diff"}) {
      INFO(more);
      CHECK(kept.counts("opt zoo/a.cpp --check " + std::string(more)).find("0 hits") == 0);
    }
    CHECK(kept.counts("opt --check --jobs=2 --color=never zoo/a.cpp") == kOneHit);
    CHECK(kept.counts("opt zoo/a.cpp --check --arch=a3 --trust=tile").find("0 hits") == 0);
    CHECK(kept.counts("opt --trust=tile zoo/a.cpp --arch=a3 --check") == kOneHit); // another order
    CHECK(kept.counts("opt zoo/a.cpp --dry-run") == kOneMiss);                     // its exit code is another one
    CHECK(kept.counts("opt zoo/a.cpp -o out.cpp") == kOneHit);                     // where it goes is no matter
  }
  SECTION("the environment") {
    Kept kept;
    CHECK(kept.counts(kept.command, "PTOSYNC_ARCH=a3") == kOneMiss);
    CHECK(kept.counts(kept.command, "PTOSYNC_TRUST=library") == kOneMiss);
    CHECK(kept.counts(kept.command, "LC_ALL=C TZ=UTC HOME=/nowhere CPATH=inc") == kOneHit); // none of them is heard
  }
  SECTION("the configuration") {
    Kept kept;
    kept.workshop.write(".ptosync.json", "{\"trust\": \"library\"}");
    CHECK(kept.again() == kOneMiss);
    CHECK(kept.again() == kOneHit);
    kept.workshop.write(".ptosync.json", "{\"patterns\": [\"gu\"]}");
    CHECK(kept.again() == kOneMiss);
    kept.workshop.shell("rm .ptosync.json");
    CHECK(kept.again() == kOneHit);
  }
  SECTION("files that are named") {
    CachedZoo zoo;
    zoo.workshop.write("approval.json", "{\"version\": 1, \"approved\": [], \"rest\": \"hold\"}");
    const std::string command = "opt zoo/a.cpp --check --approved=approval.json";
    CHECK(zoo.counts(command) == kOneMiss);
    CHECK(zoo.counts(command) == kOneHit);
    zoo.workshop.write("approval.json", "{\"version\": 1, \"approved\": [],  \"rest\": \"hold\"}");
    CHECK(zoo.counts(command) == kOneMiss);
  }
  SECTION("the command") {
    Kept kept("opt zoo/broken.cpp --check");
    const std::size_t before = kept.kept();
    kept.workshop.ptosync("fix zoo/broken.cpp --check --cache-dir=cache");
    CHECK(kept.kept() == before + 1);
    kept.workshop.ptosync("audit zoo/broken.cpp --cache-dir=cache");
    CHECK(kept.kept() == before + 2);
    kept.workshop.ptosync("audit zoo/broken.cpp --cache-dir=cache --fixes");
    CHECK(kept.kept() == before + 3);
    kept.workshop.ptosync("audit zoo/broken.cpp --cache-dir=cache");
    CHECK(kept.kept() == before + 3);
  }
  SECTION("the program") {
    Kept kept;
    // A build of another source differs in its build id; here the id alone does.
    const std::string id = kept.workshop.shell("readelf -n '" PTOSYNC_BINARY "' | sed -n 's/.*Build ID: //p'").out;
    REQUIRE(id.size() > 30);
    kept.workshop.write("other.py",
                        "import sys\nbytes_ = open(sys.argv[1], 'rb').read()\nid_ = bytes.fromhex(sys.argv[2])\n"
                        "assert bytes_.count(id_) == 1\n"
                        "open('other', 'wb').write(bytes_.replace(id_, id_[:-1] + bytes([id_[-1] ^ 1])))\n");
    REQUIRE(kept.workshop
                .shell("python3 other.py '" PTOSYNC_BINARY "' " + id.substr(0, id.find('\n')) + " && chmod +x other")
                .exitCode == 0);
    auto other = [&] { return kept.workshop.shell("./other " + kept.command + " --verbose --cache-dir=cache").err; };
    CHECK(contains(other(), "cache: " + kOneMiss));
    CHECK(contains(other(), "cache: " + kOneHit));
    CHECK(kept.again() == kOneHit);
  }
}

TEST_CASE("result cache: a header that changes, comes in front or goes is seen") {
  Kept kept("opt zoo/header.cpp --check -I early -I inc");
  SECTION("another text") {
    kept.workshop.write("inc/tiles.h", "constexpr float kOne = 2.0f;\n");
    CHECK(kept.again() == kOneMiss);
    CHECK(kept.again() == kOneHit);
    kept.workshop.write("inc/tiles.h", kTiles);
    CHECK(kept.again() == kOneHit);
  }
  SECTION("the same text at another time") {
    kept.workshop.shell("touch -d '3 days ago' inc/tiles.h; cp inc/tiles.h t; mv t inc/tiles.h");
    CHECK(kept.again() == kOneHit);
  }
  SECTION("in an earlier folder") {
    kept.workshop.write("early/tiles.h", kTiles);
    CHECK(kept.again() == kOneMiss);
    CHECK(kept.again() == kOneHit);
    kept.workshop.shell("rm early/tiles.h");
    CHECK(kept.again() == kOneHit);
  }
  SECTION("beside the kernel") {
    kept.workshop.write("zoo/tiles.h", "#error not this one\n");
    CHECK(kept.again() == kOneMiss);
  }
  SECTION("the library's, in the kernel's folder") {
    fs::create_directories(kept.workshop.path("zoo/pto"));
    CHECK(kept.again() == kOneMiss); // a folder that was not there
    CHECK(kept.again() == kOneHit);
    kept.workshop.write("zoo/pto/pto-inst.hpp", "#error not this one\n");
    CHECK(kept.again() == kOneMiss);
  }
  SECTION("gone") {
    kept.workshop.shell("rm inc/tiles.h");
    CHECK(kept.again() == kOneMiss);
    CHECK(kept.again() == kOneHit); // that it is missing is a result as well
    CHECK(kept.workshop.ptosync(kept.command + " --cache-dir=cache").exitCode == 3);
  }
  SECTION("a folder in its place") {
    kept.workshop.shell("rm inc/tiles.h; mkdir inc/tiles.h");
    CHECK(kept.again() == kOneMiss);
  }
}

TEST_CASE("result cache: a header that holds the time, or cannot be read, keeps nothing") {
  CachedZoo zoo;
  zoo.workshop.write("inc/tiles.h", "constexpr float kOne = 1.0f; constexpr auto kWhen = __TIME__;\n");
  CHECK(zoo.counts("opt zoo/header.cpp --check -I inc") == kOneMiss);
  CHECK(zoo.counts("opt zoo/header.cpp --check -I inc") == kOneMiss);
  zoo.workshop.write("zoo/a.cpp", sampleKernel() + "// __DATE__\n");
  CHECK(zoo.counts("opt zoo/a.cpp --check") == "0 hits, 0 misses");
  CHECK(zoo.kept() == 0);
}

TEST_CASE("result cache: times are never kept, nor what a limit had a part in") {
  CachedZoo zoo;
  CHECK(zoo.counts("opt zoo/a.cpp --check --timings") == "no cache");
  for (const char *limit : {"--time-limit=0.001ms", "--memory-limit=1M"}) {
    INFO(limit);
    CHECK(zoo.counts("opt zoo/a.cpp --check --resync " + std::string(limit)) == "0 hits, 1 misses");
    zoo.workshop.ptosync("audit zoo/a.cpp --cache-dir=cache " + std::string(limit));
  }
  CHECK(zoo.kept() == 0);
  // What ends within its limits is what it is without them.
  CHECK(zoo.counts("opt zoo/a.cpp --check --resync --time-limit=100 --memory-limit=8G") == "0 hits, 1 misses");
  CHECK(zoo.counts("opt zoo/a.cpp --check --resync") == "1 hits, 0 misses");
  CHECK(zoo.counts("opt zoo/a.cpp --check --resync --time-limit=100 --stats=s.json") == "1 hits, 0 misses");
  // Statistics say that nothing was done, and why.
  const std::string stats = zoo.workshop.read("s.json");
  CHECK(stats.find("\"the result of an earlier run\"") != std::string::npos);
  CHECK(stats.find("\"reading\"") == std::string::npos);
  zoo.workshop.ptosync("audit zoo/a.cpp --cache-dir=cache");
  zoo.workshop.ptosync("audit zoo/a.cpp --cache-dir=cache --stats=s.json");
  CHECK(zoo.workshop.read("s.json").find("\"the result of an earlier run\"") != std::string::npos);
}

TEST_CASE("result cache: a header is protected, and kernels that include each other are left, as without a cache") {
  CachedZoo zoo;
  zoo.workshop.write("zoo/including.cpp", "// instead of pto-inst.hpp\n#include \"a.cpp\"\n");
  const std::string command = "opt zoo -I inc --output-dir=out/k", header = "opt zoo/header.cpp -I inc -o inc/tiles.h";
  const std::string plain = zoo.resultOf(command);
  REQUIRE(contains(plain, "zoo/including.cpp includes it"));
  CHECK(zoo.resultOf(command, "--cache-dir=cache") == plain);
  CHECK(zoo.resultOf(command, "--cache-dir=cache") == plain);
  const std::string refused = zoo.resultOf(header);
  REQUIRE(contains(refused, "is an input of this run"));
  CHECK(zoo.resultOf("opt zoo/header.cpp -I inc -o out/good.cpp", "--cache-dir=cache").front() == '0');
  CHECK(zoo.resultOf(header, "--cache-dir=cache") == refused);
}

TEST_CASE("result cache: compare has more to say in a file than on standard output") {
  CachedZoo zoo;
  zoo.workshop.shell("cp -r zoo new; cp zoo/a.cpp new/other.cpp");
  zoo.workshop.ptosync("opt new/a.cpp --in-place");
  const std::string quiet = "compare zoo new -I inc -q", file = quiet + " -o out/d.txt";
  const std::string plain = zoo.resultOf(file), brief = zoo.resultOf(quiet);
  CHECK(zoo.resultOf(quiet, "--cache-dir=cache") == brief);
  CHECK(zoo.resultOf(file, "--cache-dir=cache") == plain);
  CHECK(zoo.resultOf(quiet, "--cache-dir=cache") == brief);
}

TEST_CASE("result cache: another place with the same tree has the same results") {
  CachedZoo zoo;
  zoo.workshop.write("zoo/.ptosync.json", "{\"include\": [\"../inc\"], \"trust\": \"library\"}");
  zoo.workshop.shell("mkdir one two; cp -r zoo inc one; cp -r zoo inc two");
  auto in = [&](const std::string &folder, const std::string &command) {
    const Run run =
        zoo.workshop.shell("cd " + folder + " && '" PTOSYNC_BINARY "' " + command + " --verbose --cache-dir=../cache");
    return run.err.substr(std::min(run.err.size(), run.err.find("cache: ")));
  };
  CHECK(contains(in("one", "opt zoo --check"), "0 hits, 5 misses"));
  CHECK(contains(in("two", "opt zoo --check"), "5 hits, 0 misses"));
  // Below a folder of its own, where the paths are others.
  CHECK(contains(in("two/zoo", "opt a.cpp --check --cache-dir=../../cache").append("x"), "x"));
  // Configurations are named from the working folder, so that a result that names one is the same elsewhere.
  zoo.workshop.write("one/zoo/.ptosync.json", "{\"include\": [\"../inc\"], \"arch\": \"a3\"}");
  zoo.workshop.shell("cp one/zoo/.ptosync.json two/zoo");
  CHECK(contains(in("one", "opt zoo/a.cpp --check"), kOneMiss));
  CHECK(contains(in("two", "opt zoo/a.cpp --check"), kOneHit));
}

TEST_CASE("result cache: damaged entries, a cache among the kernels, and standard input") {
  CachedZoo zoo;
  SECTION("every entry torn, emptied or exchanged") {
    REQUIRE(zoo.counts("opt zoo -I inc --check") == "0 hits, 5 misses");
    const std::string plain = zoo.resultOf("opt zoo -I inc --check");
    for (const char *damage :
         {"truncate -s 100 \"$f\"", ": >\"$f\"", "printf x | dd of=\"$f\" bs=1 seek=180 conv=notrunc",
          "cp \"$(ls cache/*/*.result | head -n 1)\" copy; cat copy >\"$f\""}) {
      INFO(damage);
      zoo.workshop.shell(std::string("for f in $(find cache -mindepth 2 -path 'cache/[0-9a-f]*' -type f); do ") +
                         damage + "; done");
      CHECK(zoo.resultOf("opt zoo -I inc --check", "--cache-dir=cache") == plain);
      zoo.counts("opt zoo -I inc --check"); // with --verbose, which makes another result
      CHECK(zoo.counts("opt zoo -I inc --check") == "5 hits, 0 misses");
    }
  }
  SECTION("in the folder of the kernels") {
    const std::string plain = zoo.resultOf("opt zoo -I inc --check");
    CHECK(zoo.resultOf("opt zoo -I inc --check", "--cache-dir=zoo/cache") == plain);
    CHECK(zoo.resultOf("opt zoo -I inc --check", "--cache-dir=zoo/cache") == plain);
  }
  SECTION("standard input, by the name that it is given") {
    auto filter = [&](const std::string &more) {
      return zoo.workshop.shell("cat zoo/a.cpp | '" PTOSYNC_BINARY "' opt - --verbose --cache-dir=cache " + more);
    };
    const Run first = filter(""), second = filter(""), named = filter("--stdin-name=x.cpp");
    CHECK(contains(first.err, kOneMiss));
    CHECK(contains(second.err, kOneHit));
    CHECK(second.out == first.out);
    CHECK(contains(named.err, kOneMiss));
  }
  SECTION("a cache that is a file costs a note, and nothing else") {
    zoo.workshop.write("file", "");
    const Run plain = zoo.workshop.ptosync("opt zoo -I inc --check");
    const Run run = zoo.workshop.ptosync("opt zoo -I inc --check --cache-dir=file");
    CHECK(run.out == plain.out);
    CHECK(run.exitCode == plain.exitCode);
    CHECK(contains(run.err, "ptosync: cache: file: a result could not be kept there: "));
  }
  SECTION("the environment names the folder, and off takes it") {
    CHECK(zoo.workshop.ptosync("opt zoo/a.cpp --check", "PTOSYNC_CACHE_DIR=cache").exitCode == 1);
    CHECK(zoo.kept() == 1);
    CHECK(zoo.workshop.ptosync("opt zoo/deep/c.cpp --check --cache-dir=off", "PTOSYNC_CACHE_DIR=cache").exitCode == 1);
    CHECK(zoo.kept() == 1);
    CHECK(zoo.workshop.ptosync("opt zoo/a.cpp --check", "PTOSYNC_CACHE_DIR=").exitCode == 1);
  }
}

TEST_CASE("result cache: what is asked of it wrongly is refused") {
  CachedZoo zoo;
  auto refusal = [&](const std::string &more, const std::string &environment = "") {
    const Run run = zoo.workshop.ptosync("opt zoo/a.cpp --check " + more, environment);
    CHECK(run.exitCode == 2);
    return run.err;
  };
  CHECK(contains(refusal("--cache-size=lots"), "--cache-size=lots: expected a size with its unit: 500M, 2G"));
  CHECK(contains(refusal("--cache-size=0M"), "expected a size"));
  CHECK(contains(refusal("--cache-dir="), "--cache-dir"));
  CHECK(contains(refusal("--remote-cache=ftp://x"), "--remote-cache=ftp://x: expected http://HOST:PORT/PREFIX"));
  CHECK(contains(refusal("", "PTOSYNC_REMOTE_CACHE=x"), "PTOSYNC_REMOTE_CACHE=x: expected http://HOST:PORT/PREFIX"));
  const Run two = zoo.workshop.ptosync("verify zoo/a.cpp zoo/a.cpp --cache-dir=cache");
  CHECK(two.exitCode == 2);
  CHECK(contains(two.err, "--cache-dir is for two folders"));
}

TEST_CASE("result cache: outputs hold neither the time nor the folder that they were made in") {
  CachedZoo zoo;
  zoo.workshop.shell("mkdir -p one deep/two; cp -r zoo inc one; cp -r zoo inc deep/two");
  for (const char *folder : {"one", "deep/two"}) {
    const Run run = zoo.workshop.shell("cd " + std::string(folder) +
                                       " && '" PTOSYNC_BINARY "' opt zoo -I inc --cost "
                                       "--output-dir=out/k --report=out/r --html=out/h --table=out/t.json "
                                       "--sarif=out/s.sarif >out.txt 2>err.txt; sleep 1; '" PTOSYNC_BINARY
                                       "' audit zoo -I inc --format=json >audit.json");
    CHECK(run.err == "");
  }
  CHECK(zoo.workshop.shell("diff -r one deep/two").out == "");
}
