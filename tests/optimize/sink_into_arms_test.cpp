#include "optimize/sink_into_arms.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kLoad = "  TLOAD(a, g);\n", kFlag = setFlag("set") + waitFlag("wait"),
                  kRead = "  TADDS(c, a, 1.0f);\n", kFill = "  TEXPANDS(d, 1.0f);\n", kRead2 = "  TADDS(c, a, 2.0f);\n";

std::string branch(const std::string &first, const std::string &second) {
  return "  if (n > 3) {\n" + first + "  } else {\n" + second + "  }\n";
}
std::string sunkTo(const std::string &statements, std::initializer_list<const char *> options = {}) {
  return Decided(usualKernel(statements), options).movedTo("// wait");
}

} // namespace

TEST_CASE("sink into arms: each copy stands in front of what needs it", "[moves]") {
  Decided kernel(usualKernel(kLoad + kFlag + branch(kFill + kRead, kRead2)));
  CHECK(kernel.movedTo("// wait") == "TADDS(c, a, 1.0f); | TADDS(c, a, 2.0f);");
  CHECK(kernel.pattern("// wait") == "sink-into-arms");
  CHECK(kernel.at("// wait").edit == 1);
  REQUIRE(kernel.at("// wait").evidence.size() == 2);
  for (const Evidence &limit : kernel.at("// wait").evidence) {
    CHECK(limit.by == Evidence::By::Place);
    CHECK(limit.text == "no place behind it in its arm");
  }
  Decided farther(usualKernel(kLoad + kFlag + branch(kFill + kRead + kFill, kRead2)));
  REQUIRE(farther.at("// wait").evidence.size() == 2);
  REQUIRE(farther.at("// wait").evidence[0].conflict);
  CHECK(farther.at("// wait").evidence[0].conflict->later.text == "TADDS(c, a, 1.0f)");
}

TEST_CASE("sink into arms: only if some instruction starts earlier", "[moves]") {
  CHECK(sunkTo(kLoad + kFlag + branch(kRead + kFill, kRead2)) == "");
  // Another pipe's work gains nothing.
  CHECK(sunkTo(kLoad + kFlag + branch("  TLOAD(b, g);\n" + kRead, kRead2)) == "");
}

TEST_CASE("sink into arms: every way through the branch runs one copy", "[moves]") {
  // Past the branch, through an empty arm, or into one without braces there is no place for it.
  CHECK(sunkTo(kLoad + kFlag + "  if (n > 3) {\n" + kFill + kRead + "  }\n") == "");
  CHECK(sunkTo(kLoad + kFlag + branch(kFill + kRead, "")) == "");
  CHECK(sunkTo(kLoad + kFlag + "  if (n > 3) {\n" + kFill + kRead + "  } else\n  " + kRead2) == "");
  // An arm that has no need of it gets one all the same.
  CHECK(sunkTo(kLoad + kFlag + branch(kFill, kFill + kRead)) == "TEXPANDS(d, 1.0f); | TADDS(c, a, 1.0f);");
  // A jump into an arm is a way that does not come past the branch.
  CHECK(sunkTo(kLoad + kFlag + "  if (n > 9) goto inside;\n" + "  if (n > 3) {\n" + kFill + "inside:\n" + kRead +
               "  } else {\n" + kRead2 + "  }\n") == "");
}

TEST_CASE("sink into arms: arms within arms", "[moves]") {
  std::string inner = "    if (n > 1) {\n" + kFill + kRead + "    } else {\n" + kRead + kFill + "    }\n";
  std::string places = sunkTo(kLoad + kFlag + branch(kFill + kRead2, inner));
  CHECK(places == "TADDS(c, a, 2.0f); | TADDS(c, a, 1.0f); | TADDS(c, a, 1.0f);");
}

TEST_CASE("sink into arms: over what stands in front of the branch", "[moves]") {
  // The wait sinks to the branch first, and then into it, as one edit.
  Decided kernel(usualKernel(kLoad + kFlag + kFill + branch(kFill + kRead, kRead2)));
  CHECK(kernel.movedTo("// wait") == "TADDS(c, a, 1.0f); | TADDS(c, a, 2.0f);");
  CHECK(kernel.at("// wait").edit == 1);
  CHECK(sunkTo(kLoad + kFlag + kRead + branch(kFill + kRead, kRead2)) == "");
}

TEST_CASE("sink into arms: the flag's next setting waits for the copy that ran", "[moves]") {
  // A second setting behind the branch, which MTE2 may make as soon as V has consumed the first.
  std::string again = setFlag("back", 0, "PIPE_V, PIPE_MTE2") + waitFlag("there", 0, "PIPE_V, PIPE_MTE2") + kLoad +
                      setFlag("second") + waitFlag("last") + kRead;
  CHECK(sunkTo(kLoad + kFlag + branch(kFill + kRead, kRead2) + again) == "TADDS(c, a, 1.0f); | TADDS(c, a, 2.0f);");
}

TEST_CASE("sink into arms: within a limit on edits, and by its own pattern", "[moves]") {
  std::string kernel = kLoad + kFlag + branch(kFill + kRead, kRead2);
  CHECK(sunkTo(kernel, {"--max-removals=0"}) == "");
  CHECK(sunkTo(kernel, {"--max-removals=1"}) != "");
  CHECK(sunkTo(kernel, {"--patterns=sink-wait"}) == "");
  CHECK(sunkTo(kernel, {"--patterns=sink-into-arms"}) != "");
}

TEST_CASE("sink into arms: the text, and nothing more to do on it", "[moves]") {
  Decided kernel(usualKernel(kLoad + kFlag + branch(kFill + kRead, kRead2)));
  std::string text = patched(kernel.outcome);
  CHECK(text.find("  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: moved from line ") != std::string::npos);
  std::size_t copies = 0;
  for (std::size_t at = text.find("moved from"); at != std::string::npos; at = text.find("moved from", at + 1))
    ++copies;
  CHECK(copies == 2);
  CHECK(patched(Decided(text).outcome) == text);
}

TEST_CASE("sink into arms: not across a line of the preprocessor", "[moves]") {
  CHECK(sunkTo(kLoad + kFlag + "  if (n > 3) {\n#define INSIDE\n" + kFill + kRead + "  } else {\n" + kRead2 + "  }\n") ==
        "");
}
