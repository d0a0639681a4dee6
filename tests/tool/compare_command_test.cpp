#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// sampleKernel without its first, redundant barrier.
std::string shorterKernel() {
  std::string text = sampleKernel(), barrier = "  pipe_barrier(PIPE_V);\n";
  return text.erase(text.find(barrier), barrier.size());
}

} // namespace

TEST_CASE("compare: the same file shows no difference, another one what differs") {
  Workshop workshop;
  workshop.write("a.cpp", sampleKernel());
  workshop.write("b.cpp", shorterKernel());
  Run same = workshop.ptosync("compare a.cpp a.cpp --fail-over=0");
  CHECK(same.exitCode == 0);
  CHECK(contains(same.out, "\nno difference\n"));
  Run other = workshop.ptosync("compare a.cpp b.cpp");
  CHECK(other.exitCode == 0);
  CHECK(contains(other.out, ": 1 gone\n"));
  CHECK(other.err.empty());
  CHECK(workshop.listing() == "a.cpp b.cpp");
}

TEST_CASE("compare: --fail-over tells whether B is slower") {
  Workshop workshop;
  workshop.write("a.cpp", sampleKernel());
  workshop.write("b.cpp", shorterKernel());
  CHECK(workshop.ptosync("compare a.cpp b.cpp --fail-over=0").exitCode == 0);
  Run slower = workshop.ptosync("compare b.cpp a.cpp --fail-over=1");
  CHECK(slower.exitCode == 1);
  CHECK(contains(slower.err, "--fail-over: k"));
  CHECK(contains(slower.out, "over the limit of 1 % more in B"));
  CHECK(workshop.ptosync("compare b.cpp a.cpp --fail-over=500").exitCode == 0);
}

TEST_CASE("compare: JSON, CSV, and a file") {
  Workshop workshop;
  workshop.write("a.cpp", sampleKernel());
  Run json = workshop.ptosync("compare a.cpp a.cpp --format=json");
  CHECK(nlohmann::json::parse(json.out)["kernels"][0]["same"] == true);
  CHECK(contains(workshop.ptosync("compare a.cpp a.cpp --format=csv").out, "kernel,section,loop,"));
  Run written = workshop.ptosync("compare a.cpp a.cpp --format=json -o c.json");
  CHECK(written.exitCode == 0);
  CHECK(written.out.empty());
  CHECK(workshop.read("c.json") == json.out);
  CHECK(workshop.ptosync("compare a.cpp a.cpp --format=json -o -").out == json.out);
}

TEST_CASE("compare: what cannot be is refused, and nothing is written") {
  Workshop workshop;
  workshop.write("a.cpp", sampleKernel());
  auto refused = [&](const std::string &arguments, int exitCode, const std::string &message) {
    Run run = workshop.ptosync("compare " + arguments);
    CAPTURE(arguments, run.err);
    CHECK(run.exitCode == exitCode);
    CHECK(contains(run.err, message));
    CHECK(run.out.empty());
  };
  refused("a.cpp", 2, "A.cpp B.cpp");
  refused("a.cpp missing.cpp", 2, "missing.cpp");
  refused("a.cpp a.cpp -o a.cpp", 2, "is an input of this run");
  refused("a.cpp a.cpp --format=xml", 2, "expected text, csv or json");
  refused("a.cpp a.cpp --fail-over=-1", 2, "expected a number of percent");
  refused("a.cpp a.cpp --fail-over=much", 2, "expected a number of percent");
  refused("a.cpp a.cpp --arg nothing=1", 2, "--arg nothing: no kernel has an argument of this name");
  refused("a.cpp a.cpp -o no/such/folder/c.txt", 2, "no/such/folder");
  CHECK(workshop.listing() == "a.cpp");
  workshop.write("text.cpp", "this is no C++");
  refused("a.cpp text.cpp", 3, "text.cpp");
  workshop.write("none.cpp", "int f();\n");
  refused("a.cpp none.cpp", 3, "has a partner in none.cpp (no kernel)");
  workshop.write("a3.cpp", "// ptosync: arch a3\n" + sampleKernel());
  workshop.write("a5.cpp", "// ptosync: arch a5\n" + sampleKernel());
  refused("a3.cpp a5.cpp", 3, "is for a5, but a3.cpp is for a3");
  std::string newer =
      vectorKernel(tile("v1", "float", 8, 64, 0) + "  set_intra_block(PIPE_MTE3, 0);\n  TADDS(v1, v1, 1.0f);\n");
  workshop.write("newer.cpp", newer); // by what their texts use
  refused("a.cpp newer.cpp", 3, "the files are for different architectures");
  refused("newer.cpp a.cpp", 3, "the files are for different architectures");
}

TEST_CASE("compare: the page, beside the text") {
  Workshop workshop;
  workshop.write("a.cpp", sampleKernel());
  workshop.write("b.cpp", shorterKernel());
  Run run = workshop.ptosync("compare a.cpp b.cpp --html=r.html");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, ": 1 gone\n"));
  CHECK(contains(workshop.read("r.html"), "<!DOCTYPE html>"));
  CHECK(workshop.ptosync("compare a.cpp b.cpp --html=b.cpp").exitCode == 2);
  CHECK(workshop.ptosync("compare a.cpp b.cpp --html=-").exitCode == 2);
  CHECK(workshop.ptosync("compare a.cpp b.cpp --html=x -o x").exitCode == 2);
  CHECK(workshop.read("b.cpp") == shorterKernel());
}

TEST_CASE("compare: its counts are those of opt and of explain, also where both cores run through a sync") {
  Workshop workshop;
  const std::string kernel = std::string(PTOSYNC_SOURCE_DIR) + "/corpus/flash_attention/kernel.cpp";
  REQUIRE(workshop.ptosync("opt " + kernel + " -o out.cpp --report=r.json --table=t.json").exitCode == 0);
  const nlohmann::json report = nlohmann::json::parse(workshop.read("r.json"));
  const nlohmann::json row = nlohmann::json::parse(workshop.read("t.json"))["kernels"][0];
  std::size_t found = 0, removed = 0, moved = 0;
  for (const char *kind : {"barriers", "flags", "tails"}) {
    found += report["summary"][kind]["found"].get<std::size_t>();
    removed += report["summary"][kind]["removed"].get<std::size_t>();
    moved += report["summary"][kind]["moved"].get<std::size_t>();
  }
  CHECK(row["syncs"] == found);
  CHECK(row["removed"] == removed);
  CHECK(contains(workshop.ptosync("compare " + kernel + " out.cpp").out,
                 " cores compared, " + std::to_string(found) + " syncs: " + std::to_string(removed) + " gone, " +
                     std::to_string(moved) + " moved\n"));
  for (const auto &site : report["sites"])
    if (site["verdict"] == "removed" && site["line"].get<int>() > 490) { // a few: each is a run
      CAPTURE(site["line"]);
      const Run run = workshop.ptosync("explain " + kernel + ":" + std::to_string(site["line"].get<int>()));
      CHECK(contains(run.out, "`ptosync opt` removes it"));
    }
}
