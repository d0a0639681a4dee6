// The reader of the checker compared with what texts do, and with what other texts would have done.
#include "differential/comparison.h"
#include "differential/program.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::differential;

namespace {

using Verdict = KernelComparison::Verdict;

/// `checked` is what the checker reads of the kernel that natively is `body`.
KernelComparison compared(const std::string &body, const std::string &checked) {
  auto programOf = [](const std::string &text) {
    Program program;
    program.body.push_back({"T t0; TASSIGN(t0, (uint64_t) 4096);", {}, {}});
    program.body.push_back({text, {}, {}});
    return program;
  };
  const ComparisonOptions options{builtInTools(), everyInstruction()};
  const std::string text = fileOf({programOf(body)});
  llvm::Expected<Module> module = liftModule(SourceText("kernel.cpp", text), options.frontend);
  REQUIRE(static_cast<bool>(module));
  const NativeFile native = runFile(text, *module, options);
  CHECK(native.error == "");
  FileComparison file =
      compareChecker(text, *module, native, [&](const std::string &) { return withoutAliases(programOf(checked)); });
  REQUIRE(file.kernels.size() == 1);
  return file.kernels[0];
}

KernelComparison compared(const std::string &body) { return compared(body, body); }

} // namespace

TEST_CASE("checker match: a kernel that is read right", "[differential]") {
  const KernelComparison same = compared("for (int32_t i = 0; i < (n & 3) + 1; ++i) {\n"
                                         "  TADDS(t0, t0, i + n); pipe_barrier(PIPE_V);\n"
                                         "  if (i % 2 == 0) { continue; }\n"
                                         "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);\n"
                                         "  w[i] = i; if (i > 2) { break; }\n"
                                         "}");
  CHECK(same.reason == "");
  CHECK(same.verdict == Verdict::Same);
  CHECK(same.runs == 3);
  CHECK(same.events > 9);
  CHECK(same.operands > 20);
  CHECK(same.unknown == 0);
  CHECK(compared("q[1] &= q[3];").verdict == Verdict::Same); // what is stored is loaded first
}

TEST_CASE("checker match: what is read wrong is found", "[differential]") {
  const std::pair<const char *, const char *> wrong[] = {
      {"TADDS(t0, t0, 1);", "TASSIGN(t0, (uint64_t) 8192); TADDS(t0, t0, 1);"}, // an address
      {"TADDS(t0, t0, 1);", "TSUBS(t0, t0, 1);"},                               // a name
      {"uint8_t x = 250; x = x + 10; TADDS(t0, t0, x);", "int32_t x = 250; x = x + 10; TADDS(t0, t0, x);"}, // a type
      {"TADDS(t0, t0, n);", "TADDS(t0, t0, n + 1);"},                                                       // a number
      {"for (int32_t i = 0; i < 3; ++i) { TADDS(t0, t0, i); }", "TADDS(t0, t0, 0); TADDS(t0, t0, 1);"}, // a round less
      {"for (int32_t i = 0; i < 3; ++i) { TADDS(t0, t0, i); }",
       "for (int32_t i = 0; i < 4; ++i) { TADDS(t0, t0, i); }"},                              // a round more
      {"set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);", "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);"}, // an id
      {"set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);", "set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);"}, // a pipe
      {"pipe_barrier(PIPE_V);", "pipe_barrier(PIPE_ALL);"},
      {"q[n & 7] = 1;", "q[n & 3] = 1;"}, // where a store goes
      {"q[0] = 1;", ";"},                 // a store that is not read
      {"if (n != 7777) { TADDS(t0, t0, 1); }", "if (n == 7777) { TADDS(t0, t0, 1); }"}};
  for (const auto &[body, checked] : wrong) {
    INFO(body);
    CHECK(compared(body).verdict == Verdict::Same);
    CHECK(compared(body, checked).verdict == Verdict::Different);
  }
}

TEST_CASE("checker match: what is not read is given up, not compared", "[differential]") {
  CHECK(compared("int32_t x = n; goto end; end: TADDS(t0, t0, x);").verdict == Verdict::GivenUp);
  CHECK(compared("if (q[0] > 1) { TADDS(t0, t0, 1); }").verdict == Verdict::GivenUp); // a branch on what is loaded
}
