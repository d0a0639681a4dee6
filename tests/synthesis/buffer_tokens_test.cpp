// Brackets of buffer ids in place of flags: which flags become one id, and that what comes out is right.
#include "synthesis/buffer_tokens.h"

#include "rewrite/sync_edits.h"
#include "synthesis/order_comparison.h"
#include "synthesis/synchronise.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

struct InIds {
  explicit InIds(const std::string &kernel) {
    const Module module = lift(kernel, "a5");
    ResyncOptions options;
    options.bufferIds = true;
    result =
        llvm::cantFail(synchronise(module, machineOf("a5"), defaultPatterns(), costsOf("a5"), options, lifter("a5")));
    text = llvm::cantFail(patchedText(module, result.decisions));
    after = llvm::cantFail(lifter("a5")(text));
    for (const Kernel &one : after.kernels)
      CHECK(openOrder(one, machineOf("a5"), {}) == std::nullopt);
    CHECK(llvm::cantFail(lookAtOrder(after, machineOf("a5"), {}, {})).missing.empty());
  }
  std::size_t has(const std::string &statement) const {
    return occurrences(text, "\n    " + statement) + occurrences(text, "\n  " + statement);
  }

  ResyncResult result;
  std::string text;
  Module after;
};

} // namespace

TEST_CASE("buffer tokens: flags forth and back around one buffer are one id, without prime and drain") {
  const Module module = lift(loopKernel({}), "a5");
  SyncPlan plan;
  std::uint32_t rank = 0;
  auto put = [&](const char *inFrontOf, SyncKind kind, Pipe source, Pipe destination) {
    AddedSync added;
    added.kind = kind;
    added.source = source;
    added.destination = destination;
    added.id = 0;
    added.statement = statementText(kind, source, destination, 0);
    added.place = placeInFront(module.source, static_cast<std::uint32_t>(module.source.text().rfind(inFrontOf)));
    added.place.rank = rank++;
    plan.added.push_back(std::move(added));
  };
  put("for (int32_t i", SyncKind::SetFlag, Pipe::V, Pipe::MTE2);
  put("TLOAD(", SyncKind::WaitFlag, Pipe::V, Pipe::MTE2);
  put("TADDS(", SyncKind::SetFlag, Pipe::MTE2, Pipe::V);
  put("TADDS(", SyncKind::WaitFlag, Pipe::MTE2, Pipe::V);
  put("TSTORE(", SyncKind::SetFlag, Pipe::V, Pipe::MTE2);
  put("pipe_barrier(PIPE_ALL)", SyncKind::WaitFlag, Pipe::V, Pipe::MTE2);
  sortByPlace(plan.added);
  const EditedFile file = llvm::cantFail(EditedFile::read(module, plan, lifter("a5")));
  const Analysis analysis = llvm::cantFail(Analysis::of(file.module().kernels[0], machineOf("a5"), {}));
  const std::optional<BracketedPlan> bracketed = withBrackets(file, analysis);
  REQUIRE(bracketed);
  CHECK(bracketed->flags == 2);
  std::vector<std::string> statements;
  for (const AddedSync &added : bracketed->added)
    statements.push_back(added.statement);
  CHECK(statements == std::vector<std::string>{"get_buf(PIPE_MTE2, 0, 0);", "rls_buf(PIPE_MTE2, 0, 0);",
                                               "get_buf(PIPE_V, 0, 0);", "rls_buf(PIPE_V, 0, 0);"});
}

TEST_CASE("buffer tokens: a flag alone is a signal and a wait, and the placement is the same each time") {
  const std::string kernel =
      vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0") +
                   tensor("h", "out", "0") + "  TLOAD(v1, g);\n  TADDS(v2, v1, 1.0f);\n  TSTORE(h, v2);\n");
  InIds ids(kernel), again(kernel);
  CAPTURE(ids.text, ids.result.kernels[0].tokens);
  CHECK(ids.text == again.text);
  CHECK(ids.has("get_buf(") == ids.has("rls_buf("));
  const bool inIds = ids.result.kernels[0].tokens.rfind("in buffer ids in place of ", 0) == 0;
  CHECK((ids.has("get_buf(") > 0) == inIds);
  CHECK((ids.has("set_flag(") == 0) == inIds);
}

TEST_CASE("buffer tokens: where ids are slower the flags stay, and the kernel says so") {
  InIds ids(loopKernel({}));
  CAPTURE(ids.text, ids.result.kernels[0].tokens);
  REQUIRE(ids.result.kernels[0].changed);
  CHECK((ids.has("set_flag(") > 0) == (ids.result.kernels[0].tokens.rfind("its flags stay flags: they take ", 0) == 0));
}
