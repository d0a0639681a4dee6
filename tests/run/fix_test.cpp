#include "run/fix.h"

#include "run/timeline.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("fix: a broken kernel is mended, what changes too is asked for by finding only", "[run]") {
  Module module = lift(readText(PTOSYNC_SOURCE_DIR "/tests/broken/missing_barrier/kernel.cpp"));
  auto mended = [&](Attribution attribution) {
    return llvm::cantFail(
        mendModule(module, machineOf("a3"), llvm::cantFail(loadCosts(machineOf("a3"), {})), {}, {}, attribution));
  };
  synthesis::FixResult together = mended(Attribution::Together), apart = mended(Attribution::ByFinding);
  REQUIRE(together.defects.size() == 1);
  CHECK(together.text != module.source.text());
  CHECK(apart.text == together.text);
  CHECK(together.defects[0].edits.empty());
  CHECK_FALSE(apart.defects[0].edits.empty());
}

TEST_CASE("fix: one page from the text to the mended text", "[run]") {
  const std::string text = readText(PTOSYNC_SOURCE_DIR "/tests/broken/missing_barrier/kernel.cpp");
  RunInput input{{SourceText("k.cpp", text)}, {}, {}};
  input.settings.commandLine.arch = "a3";
  FixedFile fixed = llvm::cantFail(fixFile(input));
  CHECK(fixed.result.left() == 0);
  CHECK(fixed.result.text != text);
  input.sources = {SourceText("k.cpp", fixed.result.text)};
  CHECK(llvm::cantFail(fixFile(input)).result.text == fixed.result.text);
}

TEST_CASE("fix: what one architecture alone would have is not put in before somebody has chosen it", "[run]") {
  RunInput input{{SourceText("k.cpp", vectorKernel(tile("v1", "float", 1, 64, 0) + "  TADDS(v1, v1, 1.0f);\n"
                                                                                   "  TADDS(v1, v1, 1.0f);\n"))},
                 {},
                 {}};
  llvm::Expected<FixedFile> refused = fixFile(input);
  REQUIRE(!refused);
  CHECK(refused.errorIsA<SettingError>());
  CHECK(llvm::toString(refused.takeError()).find("nothing in the kernel says whether it is for a3 or a5") !=
        std::string::npos);
  input.settings.commandLine.arch = "a3";
  CHECK(llvm::cantFail(fixFile(input)).result.changes.size() == 1);
}
