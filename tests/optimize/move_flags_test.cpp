#include "optimize/decided.h"
#include "optimize/edit_kinds.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kLoad = "  TLOAD(a, g);\n", kRead = "  TADDS(c, a, 1.0f);\n", kFill = "  TEXPANDS(d, 1.0f);\n";

std::string sunkTo(const std::string &statements, std::initializer_list<const char *> options = {}) {
  return Decided(usualKernel(statements), options).movedTo("// wait");
}
std::string raisedTo(const std::string &statements) { return Decided(usualKernel(statements)).movedTo("// set"); }

const std::string kFlag = setFlag("set") + waitFlag("wait");

} // namespace

TEST_CASE("move flag: a wait sinks to the first that needs it", "[moves]") {
  CHECK(sunkTo(kLoad + kFlag + kFill + kRead) == "TADDS(c, a, 1.0f);");
  CHECK(sunkTo(kLoad + kFlag + kRead + kFill) == "");
  CHECK(sunkTo(kLoad + kFlag + "  TLOAD(b, g);\n" + kRead) == ""); // nothing of its own pipe in between: nobody gains
  Decided kernel(usualKernel(kLoad + kFlag + kFill + kRead));
  REQUIRE(kernel.at("// wait").evidence.size() == 1);
  const Evidence &limit = kernel.at("// wait").evidence[0];
  CHECK(limit.by == Evidence::By::Place);
  REQUIRE(limit.conflict);
  CHECK(limit.conflict->later.text == "TADDS(c, a, 1.0f)");
  CHECK(kernel.pattern("// wait") == "sink-wait");
  CHECK(kernel.at("// wait").edit > 0);
}

TEST_CASE("move flag: over branches and loops, not into them", "[moves]") {
  CHECK(sunkTo(kLoad + kFlag + "  if (n > 3) {\n" + kFill + "  }\n" + kRead) == "TADDS(c, a, 1.0f);");
  CHECK(sunkTo(kLoad + kFlag + "  if (n > 3) {\n" + kRead + "  }\n" + kFill) == "");
  CHECK(sunkTo(kLoad + kFlag + kFill + "  if (n > 3) {\n" + kRead + "  }\n") == "if (n > 3) {");
  CHECK(sunkTo(kLoad + kFlag + kFill + loopOver("n", kRead + "  pipe_barrier(PIPE_V);\n")) ==
        "for (int32_t i = 0; i < n; ++i) {");
  // In a loop the fill follows the last trip's fill: by the barrier, or, where that goes, through this very wait.
  auto trips = [](const std::string &comment) {
    return loopOver("n", kLoad + kFlag + "  pipe_barrier(PIPE_V);" + comment + "\n" + kFill + kRead +
                             setFlag("back", 0, "PIPE_V, PIPE_MTE2") + waitFlag("there", 0, "PIPE_V, PIPE_MTE2"));
  };
  CHECK(sunkTo(trips(" // ptosync: keep(example)")) == "TADDS(c, a, 1.0f);");
  CHECK(sunkTo(trips("")) == "");
}

TEST_CASE("move flag: what hands the news on needs it", "[moves]") {
  const std::string on = setFlag("on", 0, "PIPE_V, PIPE_MTE3"),
                    there = waitFlag("there", 0, "PIPE_V, PIPE_MTE3") + "  TSTORE(h, a);\n";
  CHECK(sunkTo(kLoad + kFlag + kFill + on + there).rfind("set_flag(PIPE_V, PIPE_MTE3", 0) == 0);
  CHECK(sunkTo(kLoad + kFlag + on + there + kFill) == "");
}

TEST_CASE("move flag: a barrier that stays does not need a wait", "[moves]") {
  CHECK(sunkTo(kLoad + kFlag + kFill + "  pipe_barrier(PIPE_V);\n  TEXPANDS(d, 2.0f);\n" + kRead) ==
        "TADDS(c, a, 1.0f);");
}

TEST_CASE("move flag: a set rises to behind the last that it must cover", "[moves]") {
  CHECK(raisedTo(kLoad + "  TLOAD(b, g);\n" + kFlag + kRead) == "TLOAD(b, g);");
  CHECK(raisedTo("  TLOAD(b, g);\n" + kLoad + kFlag + kRead) == "");
  CHECK(raisedTo(kLoad + "  if (n > 3) {\n  TLOAD(b, g);\n  }\n" + kFlag + kRead) == "if (n > 3) {");
  CHECK(raisedTo(kLoad + loopOver("n", "  pipe_barrier(PIPE_MTE2);\n  TLOAD(b, g);\n") + kFlag + kRead) ==
        "for (int32_t i = 0; i < n; ++i) {");
  CHECK(raisedTo("  if (n > 3) {\n" + kLoad + "  }\n" + kFlag + kRead) == ""); // one arm is to be covered
  Decided kernel(usualKernel(kLoad + "  TLOAD(b, g);\n" + kFlag + kRead));
  REQUIRE(kernel.at("// set").evidence.size() == 1);
  REQUIRE(kernel.at("// set").evidence[0].conflict);
  CHECK(kernel.at("// set").evidence[0].conflict->earlier.text == "TLOAD(a, g)");
}

TEST_CASE("move flag: tokens bound both", "[moves]") {
  // The second setting stays behind the first one's wait, the first wait in front of the second setting.
  Decided kernel(usualKernel(kLoad + setFlag("one") + "  TLOAD(b, g);\n" + waitFlag("two") + kFill + setFlag("three") +
                             waitFlag("four") + kRead + "  TADDS(d, b, 1.0f);\n"));
  if (std::string place = kernel.movedTo("// two"); !place.empty())
    CHECK(kernel.text.find(place) < kernel.text.find("// three"));
  CHECK(kernel.movedTo("// three") == "");
  CHECK(Decided(patched(kernel.outcome)).outcome.result.tokenFaults.empty());
}

TEST_CASE("move flag: nothing that another sync holds back anyway", "[moves]") {
  // The second wait holds the fill back whatever becomes of the first.
  Decided kernel(usualKernel(kLoad + setFlag("set") + "  TLOAD(b, g);\n" + setFlag("other", 1) + waitFlag("wait") +
                             waitFlag("rest", 1) + "  TADDS(d, b, 1.0f);\n" + kRead),
                 {"--patterns=sink-wait"});
  CHECK(kernel.movedTo("// wait") == "");
}

TEST_CASE("move flag: only constants name a flag elsewhere", "[moves]") {
  auto text = [](const std::string &id) {
    return kLoad + "  int32_t lane = 1;\n  set_flag(PIPE_MTE2, PIPE_V, " + id +
           "); // set\n  wait_flag(PIPE_MTE2, PIPE_V, " + id + "); // wait\n" + kFill + kRead;
  };
  CHECK(sunkTo(text("EVENT_ID1")) == "TADDS(c, a, 1.0f);");
  CHECK(sunkTo(text("(event_t) 1")) == "TADDS(c, a, 1.0f);");
  CHECK(sunkTo(text("(event_t) lane")) == ""); // known here, but the text may mean something else there
}

TEST_CASE("move flag: not across a line of the preprocessor", "[moves]") {
  CHECK(sunkTo("#if defined(__DAV_VEC__)\n" + kLoad + kFlag + "#endif\n" + kFill + kRead) == "");
  CHECK(sunkTo("#if defined(__DAV_VEC__)\n" + kLoad + kFlag + kFill + kRead + "#endif\n") == "TADDS(c, a, 1.0f);");
}

TEST_CASE("move flag: a wait that ends the kernel for the scalar unit stays", "[moves]") {
  std::string text = usualKernel("  TSTORE(h, b);\n" + setFlag("set", 0, "PIPE_MTE3, PIPE_S") +
                                 waitFlag("wait", 0, "PIPE_MTE3, PIPE_S"));
  text.replace(text.find("  pipe_barrier(PIPE_ALL);\n  dsb"), std::string::npos, "}\n");
  CHECK(Decided(text).verdict("// wait") != "removed");
  CHECK(Decided(text).verdict("// set") != "removed");
}

TEST_CASE("move flag: one text, several calls", "[moves]") {
  auto text = [](const std::string &second) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void helper(int64_t from, int64_t to, "
           "int64_t fill) {\n" +
           rowsAt("x", 4, "from") + rowsAt("y", 4, "to") + rowsAt("z", 4, "fill") + setFlag("set") + waitFlag("wait") +
           "  TEXPANDS(z, 1.0f);\n  TADDS(y, x, 1.0f);\n}\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n" +
           rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") +
           "  TLOAD(a, g);\n  helper(0, 4096, 8192);\n  pipe_barrier(PIPE_ALL) ; // between\n  TLOAD(b, g);\n  "
           "helper(" +
           second + ");\n}\n";
  };
  CHECK(Decided(text("1024, 5120, 9216")).movedTo("// wait") == "TADDS(y, x, 1.0f);");
  CHECK(Decided(text("6144, 5120, 1024")).movedTo("// wait") == ""); // there the fill overwrites what was loaded
}

TEST_CASE("move flag: patterns and limits", "[moves]") {
  const std::string statements = kLoad + "  TLOAD(b, g);\n" + kFlag + kFill + kRead;
  Decided both(usualKernel(statements));
  CHECK(both.verdicts({"// set", "// wait"}) == "moved moved");
  CHECK(Decided(usualKernel(statements), {"--patterns=raise-set"})
            .verdicts({"// set", "// wait"})
            .rfind("moved kept", 0) == 0);
  CHECK(Decided(usualKernel(statements), {"--patterns=sink-wait"}).verdicts({"// set", "// wait"}).rfind("kept", 0) ==
        0);
  Decided one(usualKernel(statements), {"--max-removals=1"});
  CHECK(one.verdict("// wait") == "moved"); // waits first
  CHECK(one.verdict("// set") != "moved");
}

TEST_CASE("move flag: its own output is left as it is", "[moves]") {
  for (const std::string &statements :
       {kLoad + "  TLOAD(b, g);\n" + kFlag + kFill + kRead,
        kLoad + kFlag + "  if (n > 3) {\n" + kFill + "  }\n" + kRead,
        loopOver("n", kLoad + kFlag + "  pipe_barrier(PIPE_V);\n" + kFill + kRead +
                          setFlag("back", 0, "PIPE_V, PIPE_MTE2") + waitFlag("there", 0, "PIPE_V, PIPE_MTE2"))}) {
    Decided first(usualKernel(statements));
    std::string text = patched(first.outcome);
    INFO(text);
    Decided again(text);
    CHECK(patched(again.outcome) == text);
    CHECK(again.outcome.result.tokenFaults.empty());
    CHECK(again.outcome.result.unresolved.size() == first.outcome.result.unresolved.size());
  }
}

namespace {

const std::string kArmLoad = "  TLOAD(a, g);\n", kArmFlag = setFlag("set") + waitFlag("wait"),
                  kArmRead = "  TADDS(c, a, 1.0f);\n", kArmFill = "  TEXPANDS(d, 1.0f);\n",
                  kRead2 = "  TADDS(c, a, 2.0f);\n";

std::string branch(const std::string &first, const std::string &second) {
  return "  if (n > 3) {\n" + first + "  } else {\n" + second + "  }\n";
}
std::string armSunkTo(const std::string &statements, std::initializer_list<const char *> options = {}) {
  return Decided(usualKernel(statements), options).movedTo("// wait");
}

} // namespace

TEST_CASE("sink into arms: each copy stands in front of what needs it", "[moves]") {
  Decided kernel(usualKernel(kArmLoad + kArmFlag + branch(kArmFill + kArmRead, kRead2)));
  CHECK(kernel.movedTo("// wait") == "TADDS(c, a, 1.0f); | TADDS(c, a, 2.0f);");
  CHECK(kernel.pattern("// wait") == "sink-into-arms");
  CHECK(kernel.at("// wait").edit == 1);
  REQUIRE(kernel.at("// wait").evidence.size() == 2);
  for (const Evidence &limit : kernel.at("// wait").evidence) {
    CHECK(limit.by == Evidence::By::Place);
    CHECK(limit.text == "no place behind it in its arm");
  }
  Decided farther(usualKernel(kArmLoad + kArmFlag + branch(kArmFill + kArmRead + kArmFill, kRead2)));
  REQUIRE(farther.at("// wait").evidence.size() == 2);
  REQUIRE(farther.at("// wait").evidence[0].conflict);
  CHECK(farther.at("// wait").evidence[0].conflict->later.text == "TADDS(c, a, 1.0f)");
}

TEST_CASE("sink into arms: only if some instruction starts earlier", "[moves]") {
  CHECK(armSunkTo(kArmLoad + kArmFlag + branch(kArmRead + kArmFill, kRead2)) == "");
  // Another pipe's work gains nothing.
  CHECK(armSunkTo(kArmLoad + kArmFlag + branch("  TLOAD(b, g);\n" + kArmRead, kRead2)) == "");
}

TEST_CASE("sink into arms: every way through the branch runs one copy", "[moves]") {
  // Past the branch, through an empty arm, or into one without braces there is no place for it.
  CHECK(armSunkTo(kArmLoad + kArmFlag + "  if (n > 3) {\n" + kArmFill + kArmRead + "  }\n") == "");
  CHECK(armSunkTo(kArmLoad + kArmFlag + branch(kArmFill + kArmRead, "")) == "");
  CHECK(armSunkTo(kArmLoad + kArmFlag + "  if (n > 3) {\n" + kArmFill + kArmRead + "  } else\n  " + kRead2) == "");
  // An arm that has no need of it gets one all the same.
  CHECK(armSunkTo(kArmLoad + kArmFlag + branch(kArmFill, kArmFill + kArmRead)) ==
        "TEXPANDS(d, 1.0f); | TADDS(c, a, 1.0f);");
  // A jump into an arm is a way that does not come past the branch.
  CHECK(armSunkTo(kArmLoad + kArmFlag + "  if (n > 9) goto inside;\n" + "  if (n > 3) {\n" + kArmFill + "inside:\n" +
                  kArmRead + "  } else {\n" + kRead2 + "  }\n") == "");
}

TEST_CASE("sink into arms: arms within arms", "[moves]") {
  std::string inner = "    if (n > 1) {\n" + kArmFill + kArmRead + "    } else {\n" + kArmRead + kArmFill + "    }\n";
  std::string places = armSunkTo(kArmLoad + kArmFlag + branch(kArmFill + kRead2, inner));
  CHECK(places == "TADDS(c, a, 2.0f); | TADDS(c, a, 1.0f); | TADDS(c, a, 1.0f);");
}

TEST_CASE("sink into arms: over what stands in front of the branch", "[moves]") {
  // The wait sinks to the branch first, and then into it, as one edit.
  Decided kernel(usualKernel(kArmLoad + kArmFlag + kArmFill + branch(kArmFill + kArmRead, kRead2)));
  CHECK(kernel.movedTo("// wait") == "TADDS(c, a, 1.0f); | TADDS(c, a, 2.0f);");
  CHECK(kernel.at("// wait").edit == 1);
  CHECK(armSunkTo(kArmLoad + kArmFlag + kArmRead + branch(kArmFill + kArmRead, kRead2)) == "");
}

TEST_CASE("sink into arms: the flag's next setting waits for the copy that ran", "[moves]") {
  // A second setting behind the branch, which MTE2 may make as soon as V has consumed the first.
  std::string again = setFlag("back", 0, "PIPE_V, PIPE_MTE2") + waitFlag("there", 0, "PIPE_V, PIPE_MTE2") + kArmLoad +
                      setFlag("second") + waitFlag("last") + kArmRead;
  CHECK(armSunkTo(kArmLoad + kArmFlag + branch(kArmFill + kArmRead, kRead2) + again) ==
        "TADDS(c, a, 1.0f); | TADDS(c, a, 2.0f);");
}

TEST_CASE("sink into arms: within a limit on edits, and by its own pattern", "[moves]") {
  std::string kernel = kArmLoad + kArmFlag + branch(kArmFill + kArmRead, kRead2);
  CHECK(armSunkTo(kernel, {"--max-removals=0"}) == "");
  CHECK(armSunkTo(kernel, {"--max-removals=1"}) != "");
  CHECK(armSunkTo(kernel, {"--patterns=sink-wait"}) == "");
  CHECK(armSunkTo(kernel, {"--patterns=sink-into-arms"}) != "");
}

TEST_CASE("sink into arms: the text, and nothing more to do on it", "[moves]") {
  Decided kernel(usualKernel(kArmLoad + kArmFlag + branch(kArmFill + kArmRead, kRead2)));
  std::string text = patched(kernel.outcome);
  CHECK(text.find("  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line ") != std::string::npos);
  std::size_t copies = 0;
  for (std::size_t at = text.find("moved from"); at != std::string::npos; at = text.find("moved from", at + 1))
    ++copies;
  CHECK(copies == 2);
  CHECK(patched(Decided(text).outcome) == text);
}

TEST_CASE("sink into arms: not across a line of the preprocessor", "[moves]") {
  CHECK(armSunkTo(kArmLoad + kArmFlag + "  if (n > 3) {\n#define INSIDE\n" + kArmFill + kArmRead + "  } else {\n" +
                  kRead2 + "  }\n") == "");
}
