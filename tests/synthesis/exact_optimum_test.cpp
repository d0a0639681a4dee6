// How far from the best placement does --resync end? Small kernels, each synchronised as plainly as can be: PIPE_ALL in
// front of every instruction of the loop. The table stands in docs/resync.md; scripts/optimum-table prints it.
#include "synthesis/exact_optimum.h"
#include "synthesis/synthesised.h"

#include "rewrite/sync_edits.h"
#include "synthesis/synchronise.h"

#include <catch2/catch.hpp>

#include <iostream>
#include <sstream>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

constexpr std::size_t kMostVisited = 1500, kMostAnalysed = 20'000;

struct SmallKernel {
  std::string name, text;
  std::string slot = {}; // what its storage goes round by
};

std::string declared(std::initializer_list<std::pair<const char *, unsigned>> tiles) {
  std::string text;
  for (const auto &[name, address] : tiles)
    text += tile(name, "float", 16, 64, address);
  return text;
}

/// A loop with PIPE_ALL in front of each of its instructions.
std::string plainLoop(const std::string &before, const std::vector<std::string> &body, const std::string &behind = "") {
  std::string text = before + "  for (int32_t i = 0; i < n; ++i) {\n";
  for (const std::string &statement : body)
    text += (statement.rfind("  Global", 0) == 0 ? "" : "    pipe_barrier(PIPE_ALL);\n") + statement;
  return vectorKernel(text + "  }\n  pipe_barrier(PIPE_ALL);\n" + behind);
}

const std::vector<SmallKernel> &smallKernels() {
  static const std::string in = tensor("g", "in", "i"), out = tensor("h", "out", "i"),
                           more = tensor("k", "in", "i + 9");
  static const std::vector<SmallKernel> kernels = {
      {"load, store", plainLoop(declared({{"a", 0}}), {in, out, "    TLOAD(a, g);\n", "    TSTORE(h, a);\n"})},
      {"load, add, store",
       plainLoop(declared({{"a", 0}, {"b", 4096}}),
                 {in, out, "    TLOAD(a, g);\n", "    TADDS(b, a, 1.0f);\n", "    TSTORE(h, b);\n"})},
      {"load, add in place, store",
       plainLoop(declared({{"a", 0}}),
                 {in, out, "    TLOAD(a, g);\n", "    TADDS(a, a, 1.0f);\n", "    TSTORE(h, a);\n"})},
      {"two loads, add, store", plainLoop(declared({{"a", 0}, {"b", 4096}, {"c", 8192}}),
                                          {in, more, out, "    TLOAD(a, g);\n", "    TLOAD(b, k);\n",
                                           "    TADD(c, a, b);\n", "    TSTORE(h, c);\n"})},
      {"load, add, multiply, store",
       plainLoop(declared({{"a", 0}, {"b", 4096}}), {in, out, "    TLOAD(a, g);\n", "    TADDS(b, a, 1.0f);\n",
                                                     "    TMULS(b, b, 2.0f);\n", "    TSTORE(h, b);\n"})},
      {"two chains side by side",
       plainLoop(declared({{"a", 0}, {"b", 4096}, {"c", 8192}, {"d", 12288}}),
                 {in, more, out, "    TLOAD(a, g);\n", "    TADDS(b, a, 1.0f);\n", "    TSTORE(h, b);\n",
                  "    TLOAD(c, k);\n", "    TADDS(d, c, 2.0f);\n", "    TSTORE(h, d);\n"})},
      {"sum, stored behind the loop",
       plainLoop(declared({{"a", 0}, {"b", 4096}}), {in, "    TLOAD(a, g);\n", "    TADD(b, b, a);\n"},
                 "  { " + tensor("h", "out", "0") + "  TSTORE(h, b);\n  }\n")},
      {"load ahead into the other buffer",
       plainLoop(declared({{"a", 0}, {"b", 4096}, {"c", 8192}}),
                 {in, more, out, "    TADDS(c, a, 1.0f);\n", "    TLOAD(a, g);\n", "    TADD(c, c, b);\n",
                  "    TLOAD(b, k);\n", "    TSTORE(h, c);\n"})},
      {"load and store, two slots by i % 2",
       plainLoop(declared({{"a", 0}}), {in + out + "    TASSIGN(a, (uint64_t) ((i % 2) * 4096));\n",
                                        "    TLOAD(a, g);\n", "    TSTORE(h, a);\n"}),
       "i % 2"},
      {"load, add, store, two slots by i % 2",
       plainLoop(
           declared({{"a", 0}, {"b", 8192}}),
           {in + out +
                "    TASSIGN(a, (uint64_t) ((i % 2) * 4096));\n    TASSIGN(b, (uint64_t) (8192 + (i % 2) * 4096));\n",
            "    TLOAD(a, g);\n", "    TADDS(b, a, 1.0f);\n", "    TSTORE(h, b);\n"}),
       "i % 2"},
      {"a load in front of the loop, used in it",
       plainLoop(declared({{"a", 0}, {"b", 4096}, {"c", 8192}}) + "  { " + tensor("k", "in", "0") +
                     "  TLOAD(a, k);\n  }\n",
                 {in, out, "    TLOAD(b, g);\n", "    TADD(c, a, b);\n", "    TSTORE(h, c);\n"})},
      {"two loads, used behind other work",
       plainLoop(declared({{"a", 0}, {"b", 4096}}) + tile("c", "float", 64, 64, 8192),
                 {in, more, "    TLOAD(a, g);\n", "    TLOAD(b, k);\n", "    TEXP(c, c);\n", "    TEXP(c, c);\n",
                  "    TADDS(a, a, 1.0f);\n", "    TADDS(b, b, 1.0f);\n"})},
  };
  return kernels;
}

struct OptimumRow {
  std::string name;
  double limit, plain, anew, best;
  bool complete;
  std::size_t visited;
  std::size_t statements;
  Shortest fewest; // in the time of what was placed anew
};

OptimumRow optimumRow(const SmallKernel &kernel) {
  Module module = lift(kernel.text);
  ResyncResult result = resynced(module);
  const KernelResync &about = result.kernels[0];
  Optimum optimum =
      findOptimum(module, machineOf("a3"), costsOf("a3"), lifter(), kernel.slot, about.after, kMostVisited);
  const Module after = lift(llvm::cantFail(patchedText(module, result.decisions)));
  std::size_t statements = 0;
  for (SiteId site : sitesOf(after.kernels[0]))
    statements += after.sites[site].protection == Protection::None;
  Shortest fewest = findShortest(module, machineOf("a3"), costsOf("a3"), lifter(), kernel.slot, about.after, statements,
                                 kMostAnalysed);
  return {kernel.name,      about.limit,     about.before, about.after, optimum.cycles,
          optimum.complete, optimum.visited, statements,   fewest};
}

/// What `sync` and `fix` make of the same kernel without its syncs.
struct FromNothingRow {
  std::string name;
  double limit, placed, best;
  std::size_t statements;
  Shortest fewest; // in that time
  std::size_t mended;
  Shortest ofAll; // in any time
};

/// Without end fences.
std::size_t statementsOf(const std::string &text) {
  const Module module = lift(text);
  std::size_t statements = 0;
  for (SiteId site : sitesOf(module.kernels[0]))
    statements += module.sites[site].protection == Protection::None;
  return statements;
}

FromNothingRow fromNothingRow(const SmallKernel &kernel) {
  const std::string drain = "    pipe_barrier(PIPE_ALL);\n";
  std::string bare = kernel.text;
  for (std::size_t at = bare.find(drain); at != std::string::npos; at = bare.find(drain))
    bare.erase(at, drain.size());
  const Module plain = lift(kernel.text), module = lift(bare);
  const ResyncResult result =
      llvm::cantFail(synchronise(module, machineOf("a3"), defaultPatterns(), costsOf("a3"), ResyncOptions(), lifter()));
  const std::string mended = fixed(module).text;
  const double cycles = result.kernels[0].after;
  const std::size_t statements = statementsOf(llvm::cantFail(patchedText(module, result.decisions)));
  FromNothingRow row{kernel.name, result.kernels[0].limit, cycles, 0, statements, {}, statementsOf(mended), {}};
  row.best = findOptimum(plain, machineOf("a3"), costsOf("a3"), lifter(), kernel.slot, cycles, kMostVisited).cycles;
  row.fewest =
      findShortest(plain, machineOf("a3"), costsOf("a3"), lifter(), kernel.slot, cycles, statements, kMostAnalysed);
  row.ofAll =
      findShortest(plain, machineOf("a3"), costsOf("a3"), lifter(), kernel.slot, 1e12, row.mended, kMostAnalysed);
  return row;
}

std::string inTable(const FromNothingRow &row) {
  char text[160];
  const auto most = [](const Shortest &one) { return one.complete ? "" : "at most "; };
  std::snprintf(text, sizeof text, "| %s | %.3f | %.3f | %zu | %s%zu | %zu | %s%zu |", row.name.c_str(),
                row.placed / row.limit, row.best / row.limit, row.statements, most(row.fewest), row.fewest.statements,
                row.mended, most(row.ofAll), row.ofAll.statements);
  return text;
}

std::string inTable(const OptimumRow &row) {
  char text[160];
  std::snprintf(text, sizeof text, "| %s | %.3f | %.3f | %.3f | %s%.3f | %zu | %s%zu |", row.name.c_str(),
                row.plain / row.limit, row.anew / row.limit, row.best / row.limit, row.complete ? "" : "at most ",
                row.anew / row.best, row.statements, row.fewest.complete ? "" : "at most ", row.fewest.statements);
  return text;
}

} // namespace

TEST_CASE("exact optimum: no subset of places is right and faster than the one that is found") {
  // Begun from nothing, without the time of a kernel that is right, it ends at the same.
  for (std::size_t i : {0, 1, 2, 4}) {
    const SmallKernel &kernel = smallKernels()[i];
    Module module = lift(kernel.text);
    Optimum fromNothing =
        findOptimum(module, machineOf("a3"), costsOf("a3"), lifter(), kernel.slot, 1e12, kMostVisited);
    OptimumRow row = optimumRow(kernel);
    INFO(kernel.name << ": " << fromNothing.visited << " subsets of " << fromNothing.candidates);
    CHECK(fromNothing.complete);
    CHECK(fromNothing.candidates >= 4);
    CHECK(fromNothing.cycles >= row.limit * 0.999);
    CHECK(fromNothing.cycles <= row.plain);
    CHECK(fromNothing.cycles <= row.best * 1.002);
  }
}

TEST_CASE("exact optimum: how far --resync ends from it is what docs/resync.md says") {
  std::string page = readText(PTOSYNC_SOURCE_DIR "/docs/resync.md");
  double worst = 0, worstBySlot = 0;
  for (const SmallKernel &kernel : smallKernels()) {
    OptimumRow row = optimumRow(kernel);
    INFO(inTable(row));
    CHECK(row.best >= row.limit * 0.999);
    CHECK(row.best <= row.anew);
    CHECK(row.fewest.complete);
    CHECK(row.statements == row.fewest.statements);
    CHECK(page.find(inTable(row)) != std::string::npos);
    double &most = kernel.slot.empty() ? worst : worstBySlot;
    most = std::max(most, row.anew / row.best);
  }
  CHECK(worst <= 1.01);
  CHECK(worstBySlot <= 1.6); // it has no flags with an id for each slot
}

TEST_CASE("exact optimum: fewer statements are found where they take longer") {
  const SmallKernel &kernel = smallKernels().back();
  Module module = lift(kernel.text);
  const OptimumRow row = optimumRow(kernel);
  Shortest any = findShortest(module, machineOf("a3"), costsOf("a3"), lifter(), kernel.slot, row.plain * 2,
                              row.statements, kMostAnalysed);
  CHECK(any.complete);
  CHECK(any.statements == 6); // one flag for both loads, and one that both wait for
  CHECK(any.statements < row.statements);
}

TEST_CASE("exact optimum: the table", "[.][optimum-table]") {
  for (const SmallKernel &kernel : smallKernels()) {
    OptimumRow row = optimumRow(kernel);
    std::cout << inTable(row) << "\n";
    std::cerr << row.name << ": " << row.visited << " subsets\n";
  }
}

TEST_CASE("exact optimum: how far sync and fix end from it is what docs/sync.md says") {
  const std::string page = readText(PTOSYNC_SOURCE_DIR "/docs/sync.md");
  for (const SmallKernel &kernel : smallKernels()) {
    const FromNothingRow row = fromNothingRow(kernel);
    INFO(inTable(row));
    CHECK(row.placed <= row.best * 1.01);
    CHECK(row.statements >= row.fewest.statements);
    CHECK(row.mended >= row.ofAll.statements);
    CHECK(page.find(inTable(row)) != std::string::npos);
  }
}

TEST_CASE("exact optimum: the table of docs/sync.md", "[.][optimum-table-sync]") {
  for (const SmallKernel &kernel : smallKernels())
    std::cout << inTable(fromNothingRow(kernel)) << "\n";
}
