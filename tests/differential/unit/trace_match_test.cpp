// Texts compared with themselves, and with what a reader that is wrong would have made of them.
#include "differential/broken_readers.h"
#include "differential/comparison.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::differential;

namespace {

const ComparisonOptions &options() {
  static const ComparisonOptions chosen{builtInTools(), everyInstruction()};
  return chosen;
}

std::string kernel(const std::string &body, const std::string &around = "") {
  Program program;
  program.number = 0;
  if (!around.empty())
    program.around.push_back({around, {}, {}});
  program.body.push_back({"T t0; TASSIGN(t0, (uint64_t)0x100);", {}, {}});
  program.body.push_back({body, {}, {}});
  return fileOf({program});
}

KernelComparison compared(const std::string &text, const Mutation &mutation = {}) {
  llvm::Expected<Module> module = liftModule(SourceText("kernel.cpp", text), options().frontend);
  REQUIRE(static_cast<bool>(module));
  NativeFile native = runFile(text, *module, options());
  CHECK(native.error == "");
  FileComparison file = compareModule(*module, native, mutation);
  REQUIRE(file.kernels.size() == 1);
  return file.kernels[0];
}

Mutation broken(const std::string &name) {
  for (const BrokenReader &reader : brokenReaders())
    if (reader.name == name)
      return reader.breakKernel;
  return {};
}

using Verdict = KernelComparison::Verdict;

} // namespace

TEST_CASE("trace match: a kernel that is read right", "[differential]") {
  KernelComparison same =
      compared(kernel("for (int32_t i = 0; i < (n & 3) + 1; ++i) { TADDS(t0, t0, q[i] + n); pipe_barrier(PIPE_V); }"));
  CHECK(same.verdict == Verdict::Same);
  CHECK(same.runs == 3);
  CHECK(same.brokenRuns == 0);
  CHECK(same.events > 9);
  CHECK(same.unknown == 0);
}

TEST_CASE("trace match: another value of an operand", "[differential]") {
  KernelComparison different = compared(kernel("uint8_t x = 250; x = x + 10; TADDS(t0, t0, x);"), [](Kernel &kernel) {
    for (Variable &variable : kernel.variables)
      if (variable.name == "x")
        variable.type = kInt32;
    broken("narrowing")(kernel);
  });
  CHECK(different.verdict == Verdict::Different);
  CHECK(different.reason.find("scalar 260") != std::string::npos);
  CHECK(different.reason.find("scalar 4)") != std::string::npos);
}

TEST_CASE("trace match: an instruction, a load, a store, a sync that is missing", "[differential]") {
  std::string text = kernel("TADDS(t0, t0, q[1]); q[2] = 3; wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);");
  CHECK(compared(text).verdict == Verdict::Same);
  CHECK(compared(text, broken("loads")).verdict == Verdict::Different);
  CHECK(compared(text, broken("stores")).verdict == Verdict::Different);
  auto without = [&](std::size_t statement) {
    return compared(text, [statement](Kernel &kernel) {
      auto &statements = kernel.blocks[0].statements;
      statements.erase(statements.end() - static_cast<std::ptrdiff_t>(statement));
    });
  };
  CHECK(without(1).reason.find("the lifted kernel ends") != std::string::npos);
  CHECK(without(3).verdict == Verdict::Different);
}

TEST_CASE("trace match: an address, a tile never placed, a line", "[differential]") {
  std::string text =
      kernel("f(t0, n); TADDS(t0, t0, 1);", "static AICORE inline void f(T &a, int32_t x) {\n  TASSIGN(a, (uint64_t)(x "
                                            "& 7) * 64 + 0x1000);\n  TADDS(a, a, 2);\n}");
  CHECK(compared(text).verdict == Verdict::Same);
  CHECK(compared(text, broken("placement")).reason.find("tile t0 at 256") != std::string::npos);
  CHECK(compared(text, broken("line")).reason.find("another line") != std::string::npos);
  KernelComparison unplaced = compared(text, [](Kernel &kernel) {
    for (Block &block : kernel.blocks)
      std::erase_if(block.statements, [&](const Statement &statement) {
        const auto *assign = std::get_if<Assign>(&statement.action);
        return assign && assign->variable == kernel.tiles[0].address;
      });
  });
  CHECK(unplaced.reason.find("unplaced") != std::string::npos);
}

TEST_CASE("trace match: unknown matches anything, and branches follow the log", "[differential]") {
  std::string text = kernel(
      "if (n > 1) { TADDS(t0, t0, n); } else { TADDS(t0, t0, 2); } set_flag(PIPE_V, PIPE_MTE2, (event_t)(n & 3));");
  auto forget = [](Kernel &kernel) {
    for (Block &block : kernel.blocks)
      for (Statement &statement : block.statements)
        if (auto *assign = std::get_if<Assign>(&statement.action))
          if (kernel.expressions[assign->value].kind == Expression::Kind::Parameter)
            assign->value = kernel.expressions.opaque(kInt32);
  };
  KernelComparison same = compared(text, forget);
  CHECK(same.verdict == Verdict::Same);
  CHECK(same.unknown > 0);
  CHECK(compared(text, [&](Kernel &kernel) {
          forget(kernel);
          for (Block &block : kernel.blocks)
            for (Statement &statement : block.statements)
              if (auto *sync = std::get_if<Sync>(&statement.action))
                sync->destination = Pipe::MTE3;
        }).verdict == Verdict::Different);
}

TEST_CASE("trace match: a load that may be a local variable's, right in front of the branch that it decides",
          "[differential]") {
  // What z points to is not followed, so its load may be the one of q that comes next, and may be none.
  KernelComparison same = compared(kernel("int32_t v = 1; auto *y = &v; auto yy = &y; auto *z = &(*y); (*z) ^= 2;"
                                          "for (int32_t i = 0; i < ((64 | (*z)) & 3); i += 1) {"
                                          "int32_t a = q[((*z) & 63)] & 1023; TADDS(t0, t0, 1); }"));
  CHECK(same.verdict == Verdict::Same);
  CHECK(same.events > 4);
}

TEST_CASE("trace match: a fence of the reader stands for any events", "[differential]") {
  std::string text = kernel("TADDS(t0, t0, 1); TADDS(t0, t0, 2); pipe_barrier(PIPE_V);");
  auto fence = [](Kernel &kernel, std::size_t kept) {
    auto &statements = kernel.blocks[0].statements;
    Statement last = statements.back();
    std::size_t at = statements.size() - 3;
    statements.resize(at);
    Instruction unread;
    unread.name = "expression";
    statements.push_back({unread, {}, 0, 0, {}});
    if (kept)
      statements.push_back(last);
  };
  CHECK(compared(text, [&](Kernel &kernel) { fence(kernel, 1); }).verdict == Verdict::Same);
  CHECK(compared(text, [&](Kernel &kernel) {
          fence(kernel, 1);
          std::get<Sync>(kernel.blocks[0].statements.back().action).source = Pipe::MTE2;
        }).verdict == Verdict::Different);
}

TEST_CASE("trace match: a pipe is the same one on both sides, whatever its number", "[differential]") {
  std::string pipes;
  for (const char *pipe : {"S", "V", "MTE1", "MTE2", "MTE3", "M", "ALL", "FIX"})
    pipes += "ffts_cross_core_sync(PIPE_" + std::string(pipe) + ", 33); ";
  const std::string text = kernel(pipes + "pipe_t which = n > 1 ? PIPE_V : PIPE_M; set_intra_block(which, 1);");
  KernelComparison same = compared(text);
  CHECK(same.verdict == Verdict::Same);
  CHECK(same.reason == "");
  CHECK(same.unknown == 0);
  auto first = [](Kernel &kernel) -> Operand & {
    for (Block &block : kernel.blocks)
      for (Statement &statement : block.statements)
        if (auto *call = std::get_if<Instruction>(&statement.action); call && call->name == "ffts_cross_core_sync")
          return call->operands[0];
    throw std::runtime_error("no signal");
  };
  KernelComparison other = compared(text, [&](Kernel &kernel) {
    first(kernel).value = kernel.expressions.constant(kernel.expressions[first(kernel).value].constant + 0x100, kInt32);
  });
  CHECK(other.verdict == Verdict::Different);
  CHECK(compared(text, [&](Kernel &kernel) { first(kernel).value = kernel.expressions.constant(1, kInt32); }).verdict ==
        Verdict::Different);
}

TEST_CASE("trace match: calls between the cores, however they are spelled", "[differential]") {
  for (const std::string prefix : {"", "__builtin_cce_"}) {
    INFO(prefix);
    KernelComparison same = compared(kernel(
        "uint16_t message = getFFTSMsg(FFTS_MODE_VAL, (int64_t) n); " + prefix +
        "ffts_cross_core_sync(PIPE_FIX, message); " + prefix + "ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(1, 3)); " +
        prefix + "wait_flag_dev(n & 7); " + prefix + "wait_flag_dev(PIPE_S, 2); " + prefix +
        "set_intra_block(PIPE_V, 3); " + prefix + "wait_intra_block(PIPE_MTE2, n); TADDS(t0, t0, 1);"));
    CHECK(same.verdict == Verdict::Same);
    CHECK(same.reason == "");
    CHECK(same.unknown == 3 * 2); // in each run the two messages
    CHECK(same.events == 3 * 9);
  }
}
