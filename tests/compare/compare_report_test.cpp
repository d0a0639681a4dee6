#include "compare/compare_report.h"

#include "report/schema_check.h"
#include "support/corpus.h"

using namespace ptosync;
using compare::Both;
using compare::Comparison;
using compare::Family;
using compare::KernelComparison;
using compare::MatchKind;
using compare::SyncComparison;
using compare::SyncPlace;

namespace {

SyncComparison changedSync(MatchKind change, std::uint32_t lineA, std::uint32_t lineB, double cost) {
  SyncComparison sync;
  sync.change = change;
  sync.kind = "pipe_barrier(PIPE_V)";
  sync.earlier = "TADD";
  sync.later = "TEXP";
  if (lineA)
    sync.a = SyncPlace{lineA, {}, 30, 4, cost, lineA};
  if (lineB)
    sync.b = SyncPlace{lineB, {}, 30, 4, cost, lineB};
  return sync;
}

/// One core that differs, one that does not, one without a partner.
struct SampleComparison {
  SampleComparison() {
    KernelComparison vec;
    vec.nameA = vec.nameB = "attention";
    vec.section = Section::Vec;
    vec.lineA = vec.lineB = 10;
    vec.run = "n=9";
    vec.cycles = {2000, 1500};
    vec.limit = {1250, 1250};
    vec.busy[index(Pipe::V)] = {1100, 1100};
    vec.counts = {{Family::Instruction, "TADD", {3, 3}, {12, 12}},
                  {Family::Sync, "pipe_barrier(PIPE_V)", {4, 2}, {16, 8}},
                  {Family::Fifo, "TPUSH", {1, 2}, {4, 8}}};
    compare::LoopComparison loop;
    loop.lineA = 30;
    loop.lineB = 28;
    loop.iterations = {4, 4};
    loop.cycles = {1600, 1200};
    loop.limit = {1000, 1000};
    loop.syncs = {4, 2};
    loop.counts = vec.counts;
    vec.loops.push_back(loop);
    vec.syncs = {changedSync(MatchKind::Gone, 31, 0, 20), changedSync(MatchKind::Gone, 33, 0, 250),
                 changedSync(MatchKind::Moved, 35, 34, 0), changedSync(MatchKind::Same, 40, 38, 0)};
    KernelComparison cube;
    cube.nameA = cube.nameB = "attention";
    cube.section = Section::Cube;
    cube.cycles = cube.limit = {900, 900};
    cube.counts = {{Family::Instruction, "TMATMUL", {1, 1}, {1, 1}}};
    KernelComparison alone;
    alone.nameB = "extra";
    alone.lineB = 99;
    comparison.kernels = {cube, vec, alone};
    comparison.cycles = {2000, 1500};
    comparison.limit = {1250, 1250};
    report = {"old.cpp", "new.cpp", "a3", "a3 (default)", "1.0.0", 1850, &comparison, false, std::nullopt};
  }
  Comparison comparison;
  CompareReport report;
};

bool has(const std::string &text, const std::string &part) {
  INFO(text << "\nlacks " << part);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("compare report: the text shows what differs") {
  SampleComparison sample;
  std::string text = compareText(sample.report);
  has(text, "A old.cpp\nB new.cpp\n");
  has(text, "estimate: 2.0k -> 1.5k cycles (0.75), limit 1.2k -> 1.2k, over the limit 1.60 -> 1.20\n");
  has(text, "attention (cube), line 0: no difference, 900 cycles\n");
  has(text, "    pipe_barrier(PIPE_V)               4  2  0.50        16     8  0.50\n");
  has(text, "TPUSH [FIFO]");
  has(text, "the same in both: 3 statements of 1 kind");
  has(text, "line 30 -> 28");
  has(text,
      "2x pipe_barrier(PIPE_V): TADD -> TEXP, in the loop at line 30, at lines 31 and 33; without it alone, up to 250 "
      "cycles less\n");
  has(text, "1x pipe_barrier(PIPE_V): TADD -> TEXP, in the loop at line 30, at line 35 -> line 34\n");
  has(text, "extra: only in B, new.cpp:99");
  CHECK(text.find("TADD  ") == std::string::npos); // the same in both
  sample.report.verbose = true;
  has(compareText(sample.report), "    TADD ");
}

TEST_CASE("compare report: both cores together come first where they meet") {
  SampleComparison sample;
  sample.comparison.cores = {{"attention", "", {4000, 3900}, {3000, 3000}}};
  sample.comparison.together = {4000, 3900};
  sample.comparison.togetherLimit = {3000, 3000};
  std::string text = compareText(sample.report);
  has(text,
      "B new.cpp\narch a3 (default)\n"
      "estimate: 4.0k -> 3.9k cycles (0.97), limit 3.0k -> 3.0k, over the limit 1.33 -> 1.30, both cores together\n"
      "each core alone: 2.0k -> 1.5k cycles (0.75), limit 1.2k -> 1.2k, over the limit 1.60 -> 1.20\n");
  nlohmann::json json = nlohmann::json::parse(compareJsonText(sample.report));
  CHECK(json["bothCores"][0]["kernel"] == "attention");
  CHECK(json["bothCores"][0]["cycles"]["b"] == 3900);
  CHECK(json["cycles"]["a"] == 2000);
  sample.comparison.cores = {{"attention", "B: FIFO v9: it is not known", {}, {}}};
  has(compareText(sample.report), "both cores of attention: each core timed alone: B: FIFO v9: it is not known\n");
}

TEST_CASE("compare report: a limit is broken by a core, or by a kernel that stands alone") {
  SampleComparison sample;
  CHECK(overLimit(sample.report).empty());
  sample.report.failOver = 5;
  CHECK(overLimit(sample.report) == std::vector<std::string>{"extra: only in B"});
  sample.comparison.kernels.pop_back();
  CHECK(overLimit(sample.report).empty());
  sample.comparison.kernels[1].cycles = {2000, 2102};
  CHECK(overLimit(sample.report) == std::vector<std::string>{"attention (vec): 2.0k -> 2.1k cycles, 5.1 % more"});
  sample.report.failOver = 6;
  CHECK(overLimit(sample.report).empty());
}

TEST_CASE("compare report: CSV has a number of each version in each row") {
  SampleComparison sample;
  std::string text = compareCsv(sample.report);
  has(text, "kernel,section,loop,what,kind,a,b,ratio\n");
  has(text, "attention,vec,,cycles,,2000,1500,0.750\n");
  has(text, "attention,vec,,sync statements,pipe_barrier(PIPE_V),4,2,0.500\n");
  has(text, "attention,vec,30>28,iterations,,4,4,1.000\n");
  has(text, "attention,vec,,syncs gone,pipe_barrier(PIPE_V),2,0,0.000\n");
  has(text, "extra,both,,only in one file,,0,1,\n");
  std::size_t line = 0;
  for (std::size_t end; (end = text.find('\n', line)) != std::string::npos; line = end + 1) {
    std::string row = text.substr(line, end - line);
    CHECK(std::count(row.begin(), row.end(), ',') == 7);
  }
}

TEST_CASE("compare report: CSV quotes what holds a comma") {
  SampleComparison sample;
  sample.comparison.kernels[1].counts[1].kind = "set_flag(PIPE_V, PIPE_S)";
  has(compareCsv(sample.report), "sync statements,\"set_flag(PIPE_V, PIPE_S)\",4,2,0.500\n");
}

TEST_CASE("compare report: JSON has everything, null where there is nothing") {
  SampleComparison sample;
  nlohmann::json json = nlohmann::json::parse(compareJsonText(sample.report));
  CHECK(json["schema"] == 1);
  CHECK(json["a"] == "old.cpp");
  CHECK(json["cycles"]["ratio"] == 0.75);
  CHECK(json["failOver"].is_null());
  REQUIRE(json["kernels"].size() == 3);
  const nlohmann::json &vec = json["kernels"][1];
  CHECK(vec["busy"]["PIPE_V"]["a"] == 1100);
  CHECK(vec["over"]["a"] == 1.6);
  CHECK(vec["syncs"].size() == 4);
  CHECK(vec["syncs"][0]["change"] == "gone");
  CHECK(vec["syncs"][0]["b"].is_null());
  CHECK(vec["loops"][0]["lineB"] == 28);
  CHECK(json["kernels"][2]["kernelA"].is_null());
  CHECK(json["kernels"][2]["compared"] == false);
}

TEST_CASE("compare report: the JSON keeps to its schema") {
  SampleComparison sample;
  sample.report.failOver = 5.0;
  sample.report.durations = "f.json";
  for (KernelComparison &kernel : sample.comparison.kernels)
    kernel.lineA = kernel.lineB = 10;
  nlohmann::json document = nlohmann::json::parse(compareJsonText(sample.report));
  CHECK(test::schemaViolations(document, "compare_schema.json") == "");
  document["kernels"][1]["syncs"][0]["change"] = "lost";
  CHECK(test::schemaViolations(document, "compare_schema.json") != "");
  document["kernels"][1]["syncs"][0]["change"] = "gone";
  document["kernels"][1]["loops"][0].erase("over");
  CHECK(test::schemaViolations(document, "compare_schema.json") != "");
  document["kernels"].erase(1);
  CHECK(test::schemaViolations(document, "compare_schema.json") == "");
  document["extra"] = 1;
  CHECK(test::schemaViolations(document, "compare_schema.json") != "");
}

TEST_CASE("compare report: so does that of kernels of the corpus") {
  for (const char *name : {"tile", "library"}) {
    Module first = test::lift(test::readText(test::corpusPath("flash_attention/kernel.cpp"))),
           second = test::lift(test::patchedCorpusKernel("flash_attention", name));
    llvm::Expected<timing::CostTable> costs = timing::CostTable::builtIn("a3");
    REQUIRE(bool(costs));
    llvm::Expected<Comparison> comparison =
        compare::compareModules(first, second, test::machineOf("a3"), *costs, {replay::Options{}});
    REQUIRE(bool(comparison));
    CompareReport report{"kernel.cpp", name, "a3", "a3 (default)", "1.0.0", 1850, &*comparison, false, std::nullopt};
    CHECK(test::schemaViolations(nlohmann::json::parse(compareJsonText(report)), "compare_schema.json") == "");
  }
}
