#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

Run patch(const Workshop &workshop, const std::string &arguments, const std::string &environment = "") {
  workshop.write("k.cpp", sampleKernel());
  return workshop.shell("unset PTOSYNC_ARCH PTOSYNC_TRUST FA_REMOVE_VEC_BARRIERS FA_REMOVE_VEC_BARRIER_PATTERNS; " +
                        environment + " '" + PTOSYNC_BINARY + "' patch-vec-barriers k.cpp out.cpp " + arguments);
}

} // namespace

TEST_CASE("patch options: lines, with white space and empty parts, from option or environment") {
  Workshop workshop;
  CHECK(contains(patch(workshop, "--remove-vec-barriers=' 12, 8,,12 ,'").err, "(removed 2 PIPE_V barriers; lines=2,"));
  CHECK(contains(patch(workshop, "--remove-vec-barriers 12").err, "lines=1,"));
  CHECK(contains(patch(workshop, "", "FA_REMOVE_VEC_BARRIERS=8,12").err, "lines=2,"));
  CHECK(contains(patch(workshop, "--remove-vec-barriers=", "FA_REMOVE_VEC_BARRIERS=8,12").err, "lines=0,"));
}

TEST_CASE("patch options: a list that is no list of lines is refused with the part") {
  for (const char *text : {"12,x", "12.5", "99999999999999999999", "0x10"}) {
    Workshop workshop;
    Run run = patch(workshop, std::string("--remove-vec-barriers=") + text);
    CHECK(run.exitCode == 1);
    CHECK(contains(run.err, std::string("invalid --remove-vec-barriers list: '") + text + "': '"));
    CHECK(workshop.listing() == "k.cpp");
  }
}

TEST_CASE("patch options: patterns by id and alias; unknown ones are named, sorted, with what there is") {
  for (const char *known : {"gu", "trowexpandmul-tadd", "texp-trowsum,softmax-exp-sum", "softmax-sum-add,trowsum-tadd",
                            "none", "off,disable", "disabled", "' , '", "none,gu"}) {
    Workshop workshop;
    CHECK(patch(workshop, std::string("--remove-vec-barrier-patterns=") + known).exitCode == 0);
  }
  for (const char *unknown : {"all", "GU", "final-div"}) {
    Workshop workshop;
    CHECK(patch(workshop, "", std::string("FA_REMOVE_VEC_BARRIER_PATTERNS=") + unknown).exitCode == 1);
  }
  Workshop workshop;
  Run run = patch(workshop, "--remove-vec-barrier-patterns=gu,zz,all");
  CHECK(run.exitCode == 1);
  CHECK(run.err == "ptosync: unknown --remove-vec-barrier-patterns entries: ['all', 'zz']; supported: gu, "
                   "softmax-exp-sum, softmax-sum-add, texp-trowsum, trowexpandmul-tadd, trowsum-tadd\n");
}

TEST_CASE("patch options: only the first warns of nothing") {
  Workshop workshop;
  CHECK_FALSE(contains(patch(workshop, "").err, "warning"));
  CHECK(contains(patch(workshop, "--remove-vec-barrier-patterns=softmax-sum-add,texp-trowsum").err,
                 "performance: softmax-exp-sum,softmax-sum-add\n"));
}

TEST_CASE("patch options: the level of trust from option or environment") {
  Workshop workshop;
  CHECK(patch(workshop, "", "PTOSYNC_TRUST=library").exitCode == 0);
  CHECK(patch(workshop, "", "PTOSYNC_TRUST=nobody").exitCode == 2);
  CHECK(patch(workshop, "--trust=tile", "PTOSYNC_TRUST=nobody").exitCode == 0); // the option wins
}
