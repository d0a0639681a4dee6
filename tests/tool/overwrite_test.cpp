// No command writes over a file that it has read: kernels, headers, configuration, models, durations, patterns,
// library.
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace fs = std::filesystem;

namespace {

const std::string kTiming = "{\"schema\": 1, \"arch\": \"a3\"}\n", kConfig = "{\"define\": [\"N=4\"]}\n",
                  kHeader = "#pragma once\n";

/// A kernel with a header, a configuration, durations and a machine model that changes nothing.
void fill(const Workshop &workshop) {
  fs::create_directory(workshop.path("inc"));
  workshop.write("inc/h.h", kHeader);
  workshop.write("k.cpp", "#include \"h.h\"\n" + sampleKernel());
  workshop.write(".ptosync.json", kConfig);
  workshop.write("t.json", kTiming);
  workshop.write("m.json", "{\"schema\": 1, \"overlays\": \"a3\"}\n");
  fs::create_hard_link(workshop.path("inc/h.h"), workshop.path("hard.h"));
  fs::create_symlink("t.json", workshop.path("link.json"));
}

void overwriteRefused(const std::string &arguments, const std::string &target) {
  Workshop workshop;
  fill(workshop);
  const std::string before = workshop.listing(), kernel = workshop.read("k.cpp");
  Run run = workshop.ptosync(arguments + target);
  CAPTURE(arguments, target, run.err);
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, target + " is an input of this run; nothing was written. Choose another name"));
  CHECK(workshop.listing() == before);
  CHECK(workshop.read("k.cpp") == kernel);
  CHECK(workshop.read("inc/h.h") == kHeader);
  CHECK(workshop.read(".ptosync.json") == kConfig);
  CHECK(workshop.read("t.json") == kTiming);
}

} // namespace

TEST_CASE("overwrite: no output of any command is one of its inputs", "[tool]") {
  const std::vector<std::string> outputs = {
      "opt k.cpp -I inc -o ",
      "opt k.cpp -I inc --dry-run --report=",
      "opt k.cpp -I inc --dry-run --html=",
      "compare k.cpp k.cpp -I inc -o ",
      "compare k.cpp k.cpp -I inc --html=",
      "timeline k.cpp -I inc --trace=",
      "fix k.cpp -I inc -o ",
      "audit k.cpp -I inc --sarif=",
      "audit k.cpp -I inc --write-baseline --baseline=",
  };
  for (const std::string &output : outputs)
    for (const char *target : {"k.cpp", "inc/h.h", "hard.h", ".ptosync.json"})
      overwriteRefused(output, target);
  for (const char *target : {"inc/h.h", ".ptosync.json"})
    overwriteRefused("patch-vec-barriers -I inc k.cpp ", target);
  for (const char *target : {"t.json", "link.json"}) {
    overwriteRefused("opt k.cpp -I inc --cost --timing=t.json -o ", target);
    overwriteRefused("compare k.cpp k.cpp -I inc --timing=t.json -o ", target);
    overwriteRefused("timeline k.cpp -I inc --timing=t.json --trace=", target);
  }
  for (const char *command : {"opt k.cpp -I inc -o ", "fix k.cpp -I inc -o ", "audit k.cpp -I inc --sarif="})
    overwriteRefused(std::string(command).insert(std::string(command).find(' '), " --machine=m.json"), "m.json");
}

TEST_CASE("overwrite: two outputs of one name are refused, in every spelling", "[tool]") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  for (const char *arguments :
       {"opt k.cpp -o out --report=./out", "opt k.cpp -o out --html=out", "compare k.cpp k.cpp -o out --html=out",
        "timeline k.cpp --trace=out --html=out", "audit k.cpp --sarif=out --write-baseline --baseline=out"}) {
    Run run = workshop.ptosync(arguments);
    CAPTURE(arguments, run.err);
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, "two outputs have the name "));
    CHECK(workshop.listing() == "k.cpp");
  }
}

TEST_CASE("overwrite: patch-vec-barriers takes one name for both, as the script does", "[tool]") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  CHECK(workshop.ptosync("patch-vec-barriers k.cpp k.cpp --remove-vec-barriers 8").exitCode == 0);
  CHECK(contains(workshop.read("k.cpp"), "removed pipe_barrier(PIPE_V)"));
}
