// Lifts small kernels, prints them, and runs them: a few lines of interpreter that follow the
// kernel's blocks with concrete numbers, so that a test can say in what order the instructions
// of a kernel run instead of which block jumps where.
#pragma once

#include "kernel/kernel.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace ptosync::test {

inline constexpr const char *kHead = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";

/// `helpers`, then `body` in one kernel `k(in, out, n)`.
inline std::string kernelText(const std::string &body, const std::string &helpers = "") {
  return kHead + helpers + "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, int32_t n) {\n" +
         body + "\n}\n";
}

/// SHOW(x) is known, so that it takes its operands and changes none of them.
inline Module liftBody(const std::string &body, const std::string &helpers = "") {
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.instructions.insert("SHOW");
  llvm::Expected<Module> module = liftModule(SourceText("kernel.cpp", kernelText(body, helpers)), options);
  if (!module)
    throw std::runtime_error(llvm::toString(module.takeError()));
  return std::move(*module);
}

inline const Kernel &kernelNamed(const Module &module, const std::string &name) {
  for (const Kernel &kernel : module.kernels)
    if (kernel.name == name)
      return kernel;
  throw std::runtime_error("no kernel " + name);
}

/// "name" or "name:section" of every kernel, in order.
inline std::string kernelNames(const Module &module) {
  std::string text;
  for (const Kernel &kernel : module.kernels)
    text += (text.empty() ? "" : " ") + kernel.name +
            (kernel.section == Section::Both ? "" : ":" + std::string(sectionName(kernel.section)));
  return text;
}

/// The statements of kernel `k` in block order, one a line, without its parameters and jumps.
inline std::string statements(const Module &module, const std::string &name = "k") {
  const Kernel &kernel = kernelNamed(module, name);
  if (!kernel.analysable)
    return "not analysable: " + kernel.reason;
  std::string text;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      const auto *assign = std::get_if<Assign>(&statement.action);
      bool parameter = assign && kernel.expressions[assign->value].kind == Expression::Kind::Parameter;
      if (!parameter)
        text += printStatement(kernel, statement) + "\n";
    }
  return text;
}
inline std::string statements(const std::string &body, const std::string &helpers = "") {
  return statements(liftBody(body, helpers));
}

/// Runs one kernel. Pointers start at 1000 times their argument number + 1000, loads give nothing.
class Interpreter {
public:
  Interpreter(const Kernel &kernel, std::int64_t n) : kernel(kernel), n(n) {}

  /// Instructions and syncs in the order in which they run: "TADD(3, x) barrier:V". An operand is
  /// shown if it is a scalar: its value, or ? if that is not known.
  std::string run() {
    if (!kernel.analysable)
      return "not analysable";
    BlockId at = 0;
    for (int steps = 0; steps < 1000; ++steps) {
      if (at >= kernel.blocks.size())
        return trace + " jumps nowhere";
      const Block &block = kernel.blocks[at];
      for (const Statement &statement : block.statements)
        std::visit([&](const auto &action) { step(action); }, statement.action);
      const Terminator &end = block.terminator;
      if (end.kind == Terminator::Kind::Return)
        return trace;
      if (end.kind == Terminator::Kind::Jump) {
        at = end.whenTrue;
        continue;
      }
      std::optional<std::int64_t> decided = value(end.condition);
      if (!decided)
        return trace + " ?";
      at = *decided ? end.whenTrue : end.whenFalse;
    }
    return trace + " ...";
  }

private:
  using Value = std::optional<std::int64_t>;

  Value value(ExpressionId id) {
    const Expression &e = kernel.expressions[id];
    switch (e.kind) {
    case Expression::Kind::Constant: return e.constant;
    case Expression::Kind::Variable: return variables[e.variable];
    case Expression::Kind::Parameter: return e.type == kAddress ? 1000 * (e.constant + 1) : wrapTo(e.type, n);
    case Expression::Kind::Query:
    case Expression::Kind::Opaque: return std::nullopt;
    case Expression::Kind::Unary: return unary(e);
    case Expression::Kind::Cast: {
      Value operand = value(e.operands[0]);
      return operand ? Value(wrapTo(e.type, *operand)) : std::nullopt;
    }
    case Expression::Kind::Select: {
      Value condition = value(e.operands[0]);
      return condition ? value(e.operands[*condition ? 1 : 2]) : std::nullopt;
    }
    case Expression::Kind::ArrayElement: {
      Value index = value(e.operands[0]);
      return index && *index >= 0 && *index < e.count ? variables[e.variable + *index] : std::nullopt;
    }
    case Expression::Kind::Binary: {
      Value left = value(e.operands[0]), right = value(e.operands[1]);
      std::int64_t result = 0;
      if (!left || !right || !applyOperator(e.op, kernel.expressions[e.operands[0]].type, *left, *right, result))
        return std::nullopt;
      return result;
    }
    }
    return std::nullopt;
  }

  Value unary(const Expression &e) {
    Value operand = value(e.operands[0]);
    if (!operand)
      return std::nullopt;
    if (e.op == Operator::LogicalNot)
      return *operand == 0;
    return wrapTo(e.type, e.op == Operator::Negate ? -*operand : ~*operand);
  }

  void step(const Assign &assign) { variables[assign.variable] = value(assign.value); }
  void step(const ArrayStore &store) {
    Value index = value(store.index), stored = value(store.value);
    for (std::uint32_t i = 0; i < store.count; ++i)
      if (!index)
        variables[store.first + i] = std::nullopt;
      else if (*index == i)
        variables[store.first + i] = stored;
  }
  void step(const Instruction &instruction) {
    std::string operands;
    for (const Operand &operand : instruction.operands)
      if (operand.kind == Operand::Kind::Scalar && kernel.expressions[operand.value].type.bits) {
        Value known = value(operand.value);
        operands += (operands.empty() ? "" : ", ") + (known ? std::to_string(*known) : "?");
      }
    for (VariableId result : instruction.results)
      variables[result] = std::nullopt;
    add(instruction.name + (operands.empty() ? "" : "(" + operands + ")"));
  }
  void step(const Sync &sync) {
    std::string source(pipeName(sync.source).substr(5)), destination(pipeName(sync.destination).substr(5));
    if (sync.kind == SyncKind::Barrier)
      return add("barrier:" + source);
    if (sync.kind == SyncKind::Tail)
      return add("tail:" + source);
    Value event = value(sync.event);
    add((sync.kind == SyncKind::SetFlag ? "set:" : "wait:") + source + ">" + destination + ":" +
        (event ? std::to_string(*event) : "?"));
  }
  void add(const std::string &text) { trace += (trace.empty() ? "" : " ") + text; }

  const Kernel &kernel;
  std::int64_t n;
  std::map<VariableId, Value> variables;
  std::string trace;
};

inline std::string trace(const Module &module, std::int64_t n, const std::string &name = "k") {
  return Interpreter(kernelNamed(module, name), n).run();
}

/// The run of a kernel with `body`; SHOW(x) in it shows a value.
inline std::string trace(const std::string &body, std::int64_t n = 0, const std::string &helpers = "") {
  return trace(liftBody(body, helpers), n);
}

} // namespace ptosync::test
