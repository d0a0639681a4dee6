#include "optimize/sink_into_arms.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
