// The rewrite of local slots from text to text, and what it refuses.
#include "run/opt.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const Catalogue &catalogue() {
  static const Catalogue all = llvm::cantFail(Catalogue::builtIn());
  return all;
}

std::string complaint(const std::string &text, const std::string &arch = "a3") {
  llvm::Expected<RewriteRequest> request = readRewrite(text, catalogue(), machineOf(arch));
  if (!request) {
    CHECK(request.errorIsA<SettingError>());
    return llvm::toString(request.takeError());
  }
  return "";
}

Rewritten rewritten(const std::string &text, const std::string &asked) {
  RewriteRequest request = llvm::cantFail(readRewrite(asked, catalogue(), machineOf("a3")));
  return llvm::cantFail(rewriteModule(lift(text), {request}, machineOf("a3"), {}));
}

} // namespace

TEST_CASE("rewrite: what may be asked for", "[run]") {
  CHECK(complaint("fifo-local-slots").empty());
  CHECK(complaint("fifo-local-slots=auto").empty());
  CHECK(complaint("fifo-local-slots=3").empty());
  CHECK(complaint("fifo-local-slot=3").find("did you mean 'fifo-local-slots'?") != std::string::npos);
  CHECK(complaint("gu").find("no rewrite 'gu'") != std::string::npos);
  CHECK(complaint("fifo-local-slots=few").find("expected a number") != std::string::npos);
  CHECK(complaint("fifo-local-slots=9").find("sets from 2 to 8") != std::string::npos);
  CHECK(complaint("fifo-local-slots", "a5").find("is not for a5") != std::string::npos);
}

TEST_CASE("rewrite: the corpus, one decision after the other", "[run]") {
  std::string text = readText(corpusPath("fifo_local_slots/kernel.cpp"));
  Rewritten result = rewritten(text, "fifo-local-slots");
  REQUIRE(result.module);
  std::vector<std::int64_t> counts;
  for (const FifoDecision &decision : result.decisions)
    counts.push_back(decision.localSlots);
  CHECK(counts == std::vector<std::int64_t>{2, 3, 8, 2});
  const std::string &after = result.module->source.text();
  CHECK(after.find("TPipe<0, Direction::DIR_C2V, 8192, 8, 2 /* ptosync: 2 local slots, were 8 [fifo-local-slots] */") !=
        std::string::npos);
  CHECK(std::count(after.begin(), after.end(), '\n') == std::count(text.begin(), text.end(), '\n'));
  CHECK_FALSE(rewritten(after, "fifo-local-slots").module); // nothing is left to do
}

TEST_CASE("rewrite: a type that is not spelled out stays, or is refused where a count was asked for", "[run]") {
  std::string text = vectorKernel("  constexpr int slots = 8;\n"
                                  "  auto f = TPipe<0, Direction::DIR_C2V, 1024, 8, slots, true>(in, 65536, 0);\n"
                                  "  (void) f;\n");
  Rewritten result = rewritten(text, "fifo-local-slots");
  CHECK_FALSE(result.module);
  REQUIRE(result.decisions.size() == 1);
  CHECK(result.decisions[0].reason.find("not spelled as a number of its own") != std::string::npos);
  RewriteRequest two = llvm::cantFail(readRewrite("fifo-local-slots=2", catalogue(), machineOf("a3")));
  llvm::Expected<Rewritten> refused = rewriteModule(lift(text), {two}, machineOf("a3"), {});
  REQUIRE(!refused);
  CHECK(refused.errorIsA<SettingError>());
  llvm::consumeError(refused.takeError());
}

TEST_CASE("rewrite: nothing in a file that is not edited", "[run]") {
  const std::string fifo = "  auto f = TPipe<0, Direction::DIR_C2V, 1024, 8, 8, true>(in, 65536, 0);\n  (void) f;\n";
  CHECK(rewritten(vectorKernel(fifo), "fifo-local-slots=3").module);
  RewriteRequest three = llvm::cantFail(readRewrite("fifo-local-slots=3", catalogue(), machineOf("a3")));
  llvm::Expected<Rewritten> refused =
      rewriteModule(lift("#ifdef FAST\nint rows;\n#endif\n" + vectorKernel(fifo)), {three}, machineOf("a3"), {});
  REQUIRE(!refused);
  CHECK(llvm::toString(refused.takeError()).find("the preprocessor condition on line 1 selects line 2") !=
        std::string::npos);
}
