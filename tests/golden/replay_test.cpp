// The two engines agree on every kernel there is: `opt` publishes (it replays its output first), and `verify`
// of both core sections has no finding and goes every way that inputs decide.
#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

void optimiseAndVerify(const std::string &path) {
  bool a5 = path.find("/a5") != std::string::npos;
  for (const char *trust : {"tile", "library"}) {
    INFO(path << " trust " << trust);
    std::string options = std::string(" --arch=") + (a5 ? "a5" : "a3") + " --trust=" + trust;
    Workshop workshop;
    Run opt = workshop.ptosync("opt '" + path + "' -o out.cpp" + options);
    CAPTURE(opt.err);
    REQUIRE(opt.exitCode == 0);
    Run verify = workshop.ptosync("verify '" + path + "' out.cpp" + options);
    CAPTURE(verify.out, verify.err);
    CHECK(verify.exitCode == 0); // proved, for every number of iterations
  }
}

} // namespace

TEST_CASE("the engines agree on the corpus") {
  for (const std::string &folder : corpusFolders())
    optimiseAndVerify(corpusPath(folder + "/kernel.cpp"));
}

TEST_CASE("the engines agree on real kernels", "[shared]") {
  for (const std::string &path : sharedKernels())
    optimiseAndVerify(std::filesystem::absolute(path).string());
}
