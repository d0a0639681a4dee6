#include "pipeline/synthesis_step.h"
#include "rewrite/edited_kernel.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("synthesis step: other texts are read under the name of the file", "[pipeline]") {
  synthesis::Lift lift = lifterOf("other.cpp", frontendOptions(machineOf("a3")));
  Module module = llvm::cantFail(lift(vectorKernel("")));
  CHECK(module.source.name() == "other.cpp");
  CHECK(module.kernels.size() == 1);
}

TEST_CASE("synthesis step: syncs are placed anew as the synthesis does with the same choices", "[pipeline]") {
  Module module = lift(serialLoop());
  RunChoices choices;
  synthesis::ResyncResult own = llvm::cantFail(
                              placeSyncsAnew(module, machineOf("a3"), defaultPatterns(), costsOf("a3"), choices)),
                          direct = resynced(module);
  REQUIRE(own.kernels.size() == 1);
  CHECK(own.kernels[0].changed);
  CHECK(own.kernels[0].after == direct.kernels[0].after);
  CHECK(llvm::cantFail(patchedText(module, own.decisions)) == llvm::cantFail(patchedText(module, direct.decisions)));
  for (std::int64_t id = 0; id < 8; ++id)
    choices.reservedIds.insert(id);
  synthesis::ResyncResult none =
      llvm::cantFail(placeSyncsAnew(module, machineOf("a3"), defaultPatterns(), costsOf("a3"), choices));
  for (const AddedSync &added : none.decisions.added)
    CHECK(added.kind == SyncKind::Barrier);
}

TEST_CASE("synthesis step: a broken kernel is mended, what changes too is asked for by finding only", "[pipeline]") {
  Module module = lift(readText(PTOSYNC_SOURCE_DIR "/tests/broken/missing_barrier/kernel.cpp"));
  auto mended = [&](Attribution attribution) {
    return llvm::cantFail(mendModule(module, machineOf("a3"), costsOf("a3"), {}, {}, attribution));
  };
  synthesis::FixResult together = mended(Attribution::Together), apart = mended(Attribution::ByFinding);
  REQUIRE(together.defects.size() == 1);
  CHECK(together.text != module.source.text());
  CHECK(apart.text == together.text);
  CHECK(together.defects[0].edits.empty());
  CHECK_FALSE(apart.defects[0].edits.empty());
}
