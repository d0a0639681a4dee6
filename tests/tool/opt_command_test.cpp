#include "tool/process.h"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const char *kMark = "  /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */";

/// Numbers of the lines in which the texts differ; the texts must have as many lines.
std::vector<unsigned> changedLines(const std::string &before, const std::string &after) {
  std::vector<std::string> a = linesOf(before), b = linesOf(after);
  REQUIRE(a.size() == b.size());
  std::vector<unsigned> changed;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      changed.push_back(static_cast<unsigned>(i + 1));
  return changed;
}

using Lines = std::vector<unsigned>;

/// A directory with the sample kernel, and what `opt` with these arguments makes of it.
struct Optimized {
  explicit Optimized(const std::string &arguments, const std::string &kernel = sampleKernel()) {
    workshop.write("k.cpp", kernel);
    run = workshop.ptosync("opt k.cpp " + arguments);
    CHECK(workshop.read("k.cpp") == kernel);
  }
  Lines removed(const std::string &kernel = sampleKernel()) const {
    return changedLines(kernel, workshop.read("out.cpp"));
  }

  Workshop workshop;
  Run run;
};

std::string schemaProblem(const nlohmann::json &document) {
  nlohmann::json text = nlohmann::json::parse(readText(std::string(PTOSYNC_SOURCE_DIR) + "/src/report/schema.json"));
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results))
    return "fits";
  valijson::ValidationResults::Error error;
  results.popError(error);
  return error.description;
}

} // namespace

TEST_CASE("the patched file differs in the removed statements only") {
  Optimized optimized("-o out.cpp");
  CHECK(optimized.run.exitCode == 0);
  CHECK(optimized.run.err == "");
  CHECK(optimized.workshop.listing() == "k.cpp out.cpp");
  REQUIRE(optimized.removed() == Lines{kFirstRedundant, kSecondRedundant});
  std::vector<std::string> lines = linesOf(optimized.workshop.read("out.cpp"));
  CHECK(lines[kFirstRedundant - 1] == kMark);
  CHECK(lines[kSecondRedundant - 1] == kMark);
  CHECK(lines[kNeeded - 1] == "  pipe_barrier(PIPE_V);");
  CHECK(contains(optimized.run.out, "4 barriers, 2 removed, 2 kept (trust: tile, arch: a3)"));
}

TEST_CASE("running on the output changes nothing") {
  Optimized optimized("-o out.cpp");
  Run again = optimized.workshop.ptosync("opt out.cpp -o twice.cpp");
  CHECK(again.exitCode == 0);
  CHECK(optimized.workshop.read("twice.cpp") == optimized.workshop.read("out.cpp"));
  Run difference = optimized.workshop.ptosync("opt out.cpp --diff");
  CHECK(difference.exitCode == 0);
  CHECK(difference.out == "");
}

TEST_CASE("every kernel of the corpus is patched in its syncs alone, and to a fixed point") {
  auto others = [](std::vector<std::string> lines) {
    std::erase_if(lines, [](const std::string &line) {
      return contains(line, "pipe_barrier(") || contains(line, "_flag(") || contains(line, "_buf(");
    });
    return lines;
  };
  for (const std::string &folder : corpusFolders()) {
    CAPTURE(folder);
    std::string kernel = readText(corpusPath(folder + "/kernel.cpp"));
    Optimized optimized("-o out.cpp", kernel);
    REQUIRE(optimized.run.exitCode == 0);
    std::vector<std::string> before = linesOf(kernel), after = linesOf(optimized.workshop.read("out.cpp"));
    CHECK(others(before) == others(after));
    std::multiset<std::string> known(before.begin(), before.end());
    for (const std::string &line : after)
      if (auto same = known.find(line); same != known.end())
        known.erase(same);
      else
        CHECK((contains(line, "/* ptosync: removed ") || contains(line, "ptosync: moved ")));
    for (const std::string &line : known) // what is no longer there
      CHECK((contains(line, "pipe_barrier(") || contains(line, "_flag(") || contains(line, "_buf(")));
    REQUIRE(optimized.workshop.ptosync("opt out.cpp -o twice.cpp").exitCode == 0);
    CHECK(optimized.workshop.read("twice.cpp") == optimized.workshop.read("out.cpp"));
  }
}

TEST_CASE("a removed body without braces leaves an empty statement") {
  std::string body = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 8, 64, 8192) +
                     "  TADDS(v1, v1, 1.0f);\n  if (n) pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n"
                     "  switch (n) { case 1: pipe_barrier(PIPE_V); }\n";
  Optimized optimized("-o out.cpp", vectorKernel(body));
  CHECK(optimized.run.exitCode == 0);
  std::string patched = optimized.workshop.read("out.cpp");
  CHECK(
      contains(patched, "if (n) /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */;\n"));
  CHECK(contains(patched,
                 "case 1: /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: nothing to order] */; }\n"));
}

// Each is kept or cut out together with what surrounds it; a patched file that no longer parses would
// end the run with exit 3.
TEST_CASE("syncs inside other statements never break the output") {
  for (const char *statement : {"if (n) return pipe_barrier(PIPE_V);", "for (pipe_barrier(PIPE_V); n > 0; n -= 1) { }",
                                "if (pipe_barrier(PIPE_V); n) { }"}) {
    CAPTURE(statement);
    Optimized optimized("-o out.cpp", vectorKernel(std::string("  ") + statement + "\n"));
    CHECK(optimized.run.exitCode == 0);
  }
}

TEST_CASE("option --diff prints a patch that git applies, and exits 1") {
  Optimized optimized("--diff > change.patch; echo $?");
  CHECK(optimized.run.out == "1\n");
  CHECK(optimized.workshop.listing() == "change.patch k.cpp");
  CHECK(contains(optimized.run.err, "2 removed")); // the summary makes room for the patch
  Workshop other;
  other.write("k.cpp", sampleKernel());
  other.write("change.patch", optimized.workshop.read("change.patch"));
  Run applied = other.shell("git -c core.autocrlf=false apply change.patch");
  CAPTURE(applied.err);
  CHECK(applied.exitCode == 0);
  Run direct = other.ptosync("opt k.cpp --diff");
  CHECK(direct.exitCode == 0); // nothing is left to do
  optimized.workshop.ptosync("opt k.cpp -o out.cpp");
  CHECK(other.read("k.cpp") == optimized.workshop.read("out.cpp"));
}

TEST_CASE("a patch of a file with CRLF line ends and no final one applies too") {
  std::string kernel;
  for (const std::string &line : linesOf(sampleKernel()))
    kernel += line + "\r\n";
  kernel.resize(kernel.size() - 2);
  Workshop workshop;
  workshop.write("k.cpp", kernel);
  CHECK(workshop.ptosync("opt k.cpp --diff > change.patch").exitCode == 1);
  workshop.ptosync("opt k.cpp -o out.cpp");
  Run applied = workshop.shell("git -c core.autocrlf=false apply --whitespace=nowarn change.patch");
  CAPTURE(applied.err);
  CHECK(applied.exitCode == 0);
  CHECK(workshop.read("k.cpp") == workshop.read("out.cpp"));
}

TEST_CASE("option --dry-run writes no kernel") {
  Optimized optimized("--dry-run -o out.cpp");
  CHECK(optimized.run.exitCode == 0);
  CHECK(optimized.workshop.listing() == "k.cpp");
  CHECK(contains(optimized.run.out, "2 removed"));
}

TEST_CASE("option -o - prints the patched kernel alone") {
  Optimized printed("-o -"), written("-o out.cpp");
  CHECK(printed.run.exitCode == 0);
  CHECK(printed.run.out == written.workshop.read("out.cpp"));
  CHECK(contains(printed.run.err, "2 removed"));
  CHECK(printed.workshop.listing() == "k.cpp");
}

TEST_CASE("standard output carries one document") { CHECK(Optimized("--diff -o -").run.exitCode == 2); }

TEST_CASE("the report fits its schema and counts what was done") {
  Optimized optimized("-o out.cpp --report=r.json");
  CHECK(optimized.workshop.listing() == "k.cpp out.cpp r.json");
  nlohmann::json report = nlohmann::json::parse(optimized.workshop.read("r.json"));
  CHECK(schemaProblem(report) == "fits");
  CHECK(contains(report.dump(), "\"removed\":2"));
}

TEST_CASE("reports of the whole corpus fit the schema") {
  for (const std::string &folder : corpusFolders()) {
    CAPTURE(folder);
    Optimized optimized("--dry-run --report=r.json", readText(corpusPath(folder + "/kernel.cpp")));
    REQUIRE(optimized.run.exitCode == 0);
    CHECK(schemaProblem(nlohmann::json::parse(optimized.workshop.read("r.json"))) == "fits");
  }
}

TEST_CASE("a dry run still reports") {
  Optimized dry("--dry-run --report=r.json"), wet("-o out.cpp --report=r.json");
  CHECK(dry.workshop.read("r.json") == wet.workshop.read("r.json"));
}

TEST_CASE("a report on standard output is no file of that name") {
  CHECK(Optimized("--dry-run --report=-").workshop.listing() == "k.cpp");
}

TEST_CASE("option --lines limits removals to those lines") {
  CHECK(Optimized("-o out.cpp --lines=12").removed() == Lines{12});
  CHECK(Optimized("-o out.cpp --lines=8,12").removed() == Lines{8, 12});
  CHECK(Optimized("-o out.cpp --lines=8 --lines=12").removed() == Lines{8, 12});
  CHECK(Optimized("-o out.cpp --lines=10").removed() == Lines{}); // needed
  CHECK(Optimized("-o out.cpp --lines=999").run.exitCode == 2);   // there is no sync
}

TEST_CASE("option --max-removals limits their number") {
  CHECK(Optimized("-o out.cpp --max-removals=0").removed() == Lines{});
  CHECK(Optimized("-o out.cpp --max-removals=1").removed() == Lines{8});
  CHECK(Optimized("-o out.cpp --max-removals=2").removed() == Lines{8, 12});
  CHECK(Optimized("-o out.cpp --max-removals=1000").removed() == Lines{8, 12});
}

TEST_CASE("no patterns, no removals") {
  for (const char *word : {"none", "off", "disable", "disabled"}) {
    Optimized optimized("-o out.cpp --patterns=" + std::string(word));
    CAPTURE(word);
    CHECK(optimized.run.exitCode == 0);
    CHECK(optimized.workshop.read("out.cpp") == sampleKernel());
    CHECK(contains(optimized.run.out, "0 removed"));
  }
}

TEST_CASE("only chosen patterns remove") {
  CHECK(Optimized("-o out.cpp --patterns=gu").removed() == Lines{});
  CHECK(Optimized("-o out.cpp --patterns=redundant-pipe-v").removed() == Lines{8, 12});
  CHECK(Optimized("-o out.cpp --patterns=gu,redundant-pipe-v").removed() == Lines{8, 12});
  CHECK(Optimized("-o out.cpp --patterns=all").removed() == Lines{8, 12});
}

TEST_CASE("the architecture changes what is needed") {
  std::string kernel = sampleKernel();
  for (std::size_t at; (at = kernel.find("(PIPE_V)")) != std::string::npos;)
    kernel.replace(at, 8, "(PIPE_ALL)"); // a vector barrier is not for a5
  CHECK(Optimized("-o out.cpp --arch=a5", kernel).removed(kernel) == Lines{8, 10, 12});
  CHECK(Optimized("-o out.cpp --arch=a5 --a5-vector-order=off", kernel).removed(kernel) == Lines{8, 12});
}

TEST_CASE("a keep comment is obeyed") {
  std::string kernel = sampleKernel();
  kernel.insert(kernel.find("pipe_barrier(PIPE_V);") + 21, " // ptosync: keep(timing)");
  Optimized optimized("-o out.cpp --verbose", kernel);
  CHECK(optimized.removed(kernel) == Lines{12});
  CHECK(contains(optimized.run.out, "timing"));
}

TEST_CASE("option --print shows what the engines see") {
  Optimized kernel("--print=kernel");
  CHECK(kernel.run.exitCode == 0);
  CHECK(contains(kernel.run.out, "kernel k (both)\nblock 0:\n"));
  CHECK(contains(kernel.run.out, "  9: TADDS(v2, v2, 1.0f)\n"));
  CHECK(kernel.workshop.listing() == "k.cpp");
  Optimized chains("--print=chains");
  CHECK(chains.run.exitCode == 0);
  CHECK(contains(chains.run.out, "PIPE_V\n"));
  CHECK(contains(chains.run.out, "TADDS(v2, v2, 2.0f)"));
  CHECK(contains(chains.run.out, "ordered by line 10"));
}

TEST_CASE("option --verbose lists every sync with its place") {
  Run run = Optimized("--dry-run --verbose").run;
  for (const char *place : {"k.cpp:8:3:", "k.cpp:10:3:", "k.cpp:12:3:", "k.cpp:14:3:"})
    CHECK(contains(run.out, place));
}

TEST_CASE("option --timings goes to standard error") {
  Optimized optimized("--diff --timings");
  CHECK(contains(optimized.run.err, "reading "));
  CHECK_FALSE(contains(optimized.run.out, "reading "));
}

namespace {

/// A loop that pops tiles of 1 KiB into eight local slots at `ring`, each held back until the last one is used.
std::string popKernel(const std::string &ring) {
  std::string type = "TPipe<0, Direction::DIR_C2V, 1024, 8, 8, true>";
  return vectorKernel(tile("a", "float", 4, 64, 0) + "  auto f = " + type + "(in, " + ring +
                      ", 0);\n  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  for (int32_t i = 0; i < n; ++i) {\n"
                      "    Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64> t;\n"
                      "    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n    TPOP<" +
                      type + ", decltype(t), TileSplitAxis::TILE_NO_SPLIT>(f, t);\n" +
                      "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                      "    TADD(a, a, t);\n    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  }\n"
                      "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n");
}

} // namespace

TEST_CASE("opt --rewrite: made, reported, shown in the diff, and nothing left to do after it") {
  Workshop workshop;
  workshop.write("k.cpp", popKernel("65536"));
  Run run = workshop.ptosync("opt k.cpp -o out.cpp --report=r.json --patterns=none --rewrite=fifo-local-slots");
  CAPTURE(run.err);
  CHECK(run.exitCode == 0);
  std::string after = workshop.read("out.cpp");
  CHECK(contains(after, "8, 2 /* ptosync: 2 local slots, were 8 [fifo-local-slots] */, true>"));
  CHECK_FALSE(contains(after, "8, 8, true>"));
  CHECK(contains(run.out, "now has 2 local slots [fifo-local-slots]"));
  CHECK(contains(workshop.read("r.json"), "\"entriesInUse\": 1"));
  CHECK(workshop.ptosync("opt k.cpp --diff --patterns=none --rewrite=fifo-local-slots").exitCode == 1);
  CHECK(workshop.ptosync("opt out.cpp --diff --patterns=none --rewrite=fifo-local-slots").exitCode == 0);
  CHECK(workshop.ptosync("opt k.cpp --diff --patterns=none").exitCode == 0); // off unless asked for
}

TEST_CASE("opt --rewrite: a count that cannot be is refused in numbers, and nothing is written") {
  Workshop workshop;
  workshop.write("k.cpp", popKernel("194560"));
  Run run = workshop.ptosync("opt k.cpp -o out.cpp --report=r.json --rewrite=fifo-local-slots=3");
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, "k.cpp:5: TPipe<0, DIR_C2V, 1024, 8, 8> cannot have 3 local slots"));
  CHECK(contains(run.err, "UB [194560, 197632), and UB has 196608 bytes"));
  CHECK(workshop.listing() == "k.cpp");
  CHECK(workshop.ptosync("opt k.cpp -o out.cpp --rewrite=fifo-local-slots=2").exitCode == 0); // two fit
  CHECK(workshop.ptosync("opt k.cpp --dry-run --arch=a5 --rewrite=fifo-local-slots").exitCode == 2);
}

TEST_CASE("which event ids can be reserved is what the machine has") {
  Optimized eight("--dry-run --resync --reserve-ids=7,8");
  CHECK(eight.run.exitCode == 2);
  CHECK(eight.run.err.find("--reserve-ids: '8' is no event id of the a3: expected numbers from 0 to 7") !=
        std::string::npos);
  std::string model = readText(std::string(PTOSYNC_SOURCE_DIR) + "/src/machine/a3.json");
  const std::string ids = "\"flags\": {\"ids\": 8";
  REQUIRE(model.find(ids) != std::string::npos);
  eight.workshop.write("four.json", model.replace(model.find(ids), ids.size(), "\"flags\": {\"ids\": 4"));
  CHECK(eight.workshop.ptosync("opt k.cpp --dry-run --resync --reserve-ids=7 --machine=four.json")
            .err.find("from 0 to 3") != std::string::npos);
  CHECK(eight.workshop.ptosync("opt k.cpp --dry-run --resync --reserve-ids=7").exitCode == 0);
}

TEST_CASE("the option --only restricts the text report to one verdict") {
  Optimized removed("-o out.cpp --only=removed --verbose");
  CHECK(removed.run.exitCode == 0);
  CHECK(contains(removed.run.out, "\nwhy the removed ones went\n"));
  CHECK(contains(removed.run.out, ":8:3: removed pipe_barrier(PIPE_V)"));
  CHECK_FALSE(contains(removed.run.out, ": kept "));
  CHECK_FALSE(contains(removed.run.out, "by pattern"));
  Optimized kept("-o out.cpp --only=kept --verbose");
  CHECK(contains(kept.run.out, "\nwhy the kept ones stay\n"));
  CHECK_FALSE(contains(kept.run.out, ": removed "));
  CHECK(kept.workshop.read("out.cpp") == removed.workshop.read("out.cpp"));
  Optimized moved("-o out.cpp --only=moved");
  CHECK(contains(moved.run.out, "\nno sync was moved\n"));
  CHECK(Optimized("-o out.cpp --only=some").run.exitCode == 2);
  CHECK(Optimized("-o out.cpp --only=removed --bisect").run.exitCode == 2);
}

namespace {

/// A document on standard output is that of a file, and the summary goes to standard error.
void checkOnStandardOutput(const std::string &option) {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  Run file = workshop.ptosync("opt k.cpp --dry-run --" + option + "=document");
  REQUIRE(file.exitCode == 0);
  for (const std::string &arguments :
       {"--" + option + "=-", "--dry-run --" + option + " -", "-o o.out --" + option + "=/dev/stdout"}) {
    CAPTURE(arguments);
    Run run = workshop.ptosync("opt k.cpp " + arguments);
    CHECK(run.exitCode == 0);
    CHECK(run.out == workshop.read("document"));
    CHECK(run.err == file.out);
  }
  CHECK(workshop.ptosync("opt k.cpp --" + option + "=- -q").err.empty());
}

} // namespace

TEST_CASE("opt: --report=- is the report on standard output, and the summary goes to standard error") {
  checkOnStandardOutput("report");
}

TEST_CASE("opt: --sarif=- is SARIF on standard output, also of a folder, and no other document is") {
  checkOnStandardOutput("sarif");
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  REQUIRE(workshop.ptosync("opt k.cpp --dry-run --sarif=s.sarif").exitCode == 0);
  Run folder = workshop.ptosync("opt . --dry-run --sarif -");
  CHECK(folder.exitCode == 0);
  CHECK(folder.out == workshop.read("s.sarif"));
  CHECK(contains(folder.err, "removed"));
  for (const char *both : {"--diff", "-o -", "--report=-", "--format=json"}) {
    CAPTURE(both);
    CHECK(workshop.ptosync(std::string("opt k.cpp --sarif=- ") + both).exitCode == 2);
  }
}

TEST_CASE("opt: a byte order mark in front of an include is kept, and hides nothing") {
  const std::string mark = "\xEF\xBB\xBF";
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  workshop.write("m.cpp", mark + sampleKernel());
  REQUIRE(sampleKernel().rfind("#include", 0) == 0);
  CHECK(workshop.ptosync("opt k.cpp -o k.out -q").exitCode == 0);
  CHECK(workshop.ptosync("opt m.cpp -o m.out -q").exitCode == 0);
  CHECK(contains(workshop.read("k.out"), "ptosync: removed"));
  CHECK(workshop.read("m.out") == mark + workshop.read("k.out"));
  // A condition behind it stays odd: what it leaves out would not be seen.
  workshop.write("c.cpp", mark + "#if 1\n" + sampleKernel() + "#endif\n");
  CHECK(workshop.ptosync("audit c.cpp").exitCode == 3);
}

TEST_CASE("opt: the configuration chooses patterns, the command line others, and a wrong name is the file's") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  workshop.write(".ptosync.json", R"({"arch": "a3", "patterns": ["none"]})");
  CHECK(contains(workshop.ptosync("opt k.cpp --dry-run").out, "4 barriers, 0 removed"));
  CHECK(contains(workshop.ptosync("opt k.cpp --dry-run --patterns=default").out, "4 barriers, 2 removed"));
  workshop.write(".ptosync.json", R"({"arch": "a3", "patterns": ["redundant-pipe-v"]})");
  CHECK(contains(workshop.ptosync("opt k.cpp --dry-run").out, "4 barriers, 2 removed"));
  workshop.write(".ptosync.json", R"({"patterns": ["gux"]})");
  Run wrong = workshop.ptosync("opt k.cpp --dry-run");
  CHECK(wrong.exitCode == 2);
  CHECK(contains(wrong.err, ".ptosync.json: /patterns: unknown pattern 'gux'; did you mean 'gu'?"));
}

TEST_CASE("every report of a kernel lists what is assumed of its numbers", "[tool]") {
  Workshop workshop;
  std::string text = vectorKernel("  // ptosync: assume(n >= 0 && n < 48)\n" + tile("v1", "float", 1, 64, 0) +
                                  "  for (int32_t i = 0; i < n; i += 1) {\n    TADDS(v1, v1, 1.0f);\n"
                                  "    pipe_barrier(PIPE_V);\n  }\n");
  workshop.write("k.cpp", text);
  for (const char *command :
       {"opt k.cpp --dry-run", "sync k.cpp --dry-run", "audit k.cpp", "fix k.cpp --dry-run", "verify k.cpp k.cpp",
        "explain k.cpp:7", "explain --memory k.cpp", "timeline k.cpp", "compare k.cpp k.cpp"}) {
    INFO(command);
    const Run run = workshop.ptosync(command + std::string(" --arch=a3"));
    CHECK(contains(run.out + run.err, "assumed, and not proved"));
    CHECK(contains(run.out + run.err, "n >= 0 && n < 48 (line 4)"));
  }
  workshop.ptosync("opt k.cpp --dry-run --arch=a3 --html=page.html");
  CHECK(contains(workshop.read("page.html"), "assumed, and not proved: n "));
}

TEST_CASE("opt: --needed prints what runs need, and --minimal is wrong where one is undecided", "[tool]") {
  Optimized needed("--dry-run --needed");
  CHECK(needed.run.exitCode == 0);
  CHECK(contains(needed.run.out, "\nkept: "));
  CHECK(contains(needed.run.out, " needed in some run, "));
  CHECK(Optimized("--dry-run --minimal").run.exitCode == 0);
  // A flag at fault: the kernel loses nothing without it, and nothing takes it out.
  const std::string idle = vectorKernel(tile("v1", "float", 8, 64, 0) +
                                        "  if (n > 3) {\n    TADDS(v1, v1, 1.0f);\n    set_flag(PIPE_V, PIPE_MTE2, "
                                        "EVENT_ID0);\n    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                                        "    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  }\n");
  CHECK(Optimized("--dry-run --minimal", idle).run.exitCode == 1);
  CHECK(Optimized("--dry-run -q --minimal", idle).run.exitCode == 1);
  CHECK(Optimized("--dry-run --needed", idle).run.exitCode == 0);
}
