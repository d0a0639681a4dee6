#include "differential/broken_readers.h"

#include <algorithm>

namespace ptosync::differential {
namespace {

/// The same expressions under the same numbers, each changed by `change`.
void changeExpressions(Kernel &kernel, const std::function<void(Expression &, const ExpressionArena &)> &change) {
  const ExpressionArena before = kernel.expressions;
  ExpressionArena after;
  for (ExpressionId id = 0; id < before.size(); ++id) {
    Expression e = before[id];
    change(e, before);
    switch (e.kind) {
    case Expression::Kind::Constant: after.constant(e.constant, e.type); break;
    case Expression::Kind::Variable: after.variable(e.variable, e.type); break;
    case Expression::Kind::Unary: after.unary(e.op, e.operands[0], e.type); break;
    case Expression::Kind::Binary: after.binary(e.op, e.operands[0], e.operands[1], e.type); break;
    case Expression::Kind::Cast: after.cast(e.operands[0], e.type); break;
    case Expression::Kind::Select: after.select(e.operands[0], e.operands[1], e.operands[2]); break;
    case Expression::Kind::ArrayElement: after.arrayElement(e.variable, e.count, e.operands[0], e.type); break;
    case Expression::Kind::Parameter: after.parameter(static_cast<std::uint32_t>(e.constant), e.type, e.name); break;
    case Expression::Kind::Query: after.query(e.name, e.type); break;
    case Expression::Kind::Opaque: after.opaque(e.type); break;
    }
  }
  kernel.expressions = std::move(after);
}

/// Becomes its operand number `operand`.
void pass(Expression &e, int operand) {
  e.kind = Expression::Kind::Cast;
  e.operands = {e.operands[static_cast<std::size_t>(operand)], kNone, kNone};
}

/// Takes out the statements that `drop` names; they are given in the order of the blocks.
void dropStatements(Kernel &kernel, const std::function<bool(const Statement &)> &drop) {
  for (Block &block : kernel.blocks)
    std::erase_if(block.statements, drop);
}

bool isInstruction(const Statement &statement, std::string_view name) {
  const auto *instruction = std::get_if<Instruction>(&statement.action);
  return instruction && instruction->name == name;
}

void forgetNarrowing(Kernel &kernel) {
  changeExpressions(kernel, [](Expression &e, const ExpressionArena &) {
    if (e.kind == Expression::Kind::Cast && e.type.bits > 1 && e.type.bits < 64)
      e.type = kInt64;
  });
}

void forgetSign(Kernel &kernel) {
  changeExpressions(kernel, [](Expression &e, const ExpressionArena &) {
    if (e.kind == Expression::Kind::Cast && e.type.bits > 1 && e.type.bits < 64)
      e.type.isSigned = false;
  });
}

void forgetPromotion(Kernel &kernel) {
  changeExpressions(kernel, [](Expression &e, const ExpressionArena &before) {
    if (e.kind == Expression::Kind::Binary && e.type.bits >= 32 &&
        before[e.operands[0]].kind == Expression::Kind::Cast) {
      IntegerType inner = before[before[e.operands[0]].operands[0]].type;
      if (inner.bits > 1 && inner.bits < e.type.bits)
        e.type = inner;
    }
  });
}

void forgetNegation(Kernel &kernel) {
  changeExpressions(kernel, [](Expression &e, const ExpressionArena &) {
    if (e.kind == Expression::Kind::Unary && e.op == Operator::LogicalNot)
      pass(e, 0);
  });
}

void takeFirstArm(Kernel &kernel) {
  changeExpressions(kernel, [](Expression &e, const ExpressionArena &before) {
    if (e.kind == Expression::Kind::Select) {
      e.type = before[e.operands[1]].type;
      pass(e, 1);
    }
  });
}

void forgetScaling(Kernel &kernel) {
  changeExpressions(kernel, [](Expression &e, const ExpressionArena &before) {
    if (e.kind == Expression::Kind::Binary && e.op == Operator::Multiply && e.type == kInt64 &&
        before[e.operands[1]].kind == Expression::Kind::Constant)
      pass(e, 0);
  });
}

void ignoreIndices(Kernel &kernel) {
  changeExpressions(kernel, [](Expression &e, const ExpressionArena &) {
    if (e.kind == Expression::Kind::ArrayElement) {
      e.kind = Expression::Kind::Variable;
    }
  });
}

void dropLoads(Kernel &kernel) {
  dropStatements(kernel, [](const Statement &statement) { return isInstruction(statement, "scalar.load"); });
}

void dropStores(Kernel &kernel) {
  dropStatements(kernel, [](const Statement &statement) { return isInstruction(statement, "scalar.store"); });
}

/// A helper's assignments to what its caller assigns too.
void copyReferences(Kernel &kernel) {
  std::set<VariableId> callers;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *assign = std::get_if<Assign>(&statement.action); assign && statement.context == 0)
        callers.insert(assign->variable);
  dropStatements(kernel, [&](const Statement &statement) {
    const auto *assign = std::get_if<Assign>(&statement.action);
    return assign && statement.context != 0 && callers.count(assign->variable);
  });
}

/// Keeps the first assignment to each of the variables.
void keepFirst(Kernel &kernel, const std::set<VariableId> &variables) {
  std::set<VariableId> seen;
  dropStatements(kernel, [&](const Statement &statement) {
    const auto *assign = std::get_if<Assign>(&statement.action);
    return assign && variables.count(assign->variable) && !seen.insert(assign->variable).second;
  });
}

void placeOnce(Kernel &kernel) {
  std::set<VariableId> addresses;
  for (const Tile &tile : kernel.tiles)
    addresses.insert(tile.address);
  keepFirst(kernel, addresses);
}

/// What a pointer may lead to keeps its address and its region, since the call has a name that is known.
void passOverKnownNames(Kernel &kernel) {
  static const std::set<std::string> names = {"TASSIGN",       "TRESHAPE",    "TSUBVIEW",    "TALIAS",
                                              "SetValidShape", "SetValidRow", "SetValidCol", "assignment"};
  for (Block &block : kernel.blocks)
    for (Statement &statement : block.statements)
      if (auto *instruction = std::get_if<Instruction>(&statement.action);
          instruction && names.count(instruction->name))
        instruction->results.clear();
}

void keepValidRegion(Kernel &kernel) {
  std::set<VariableId> extents;
  for (const Tile &tile : kernel.tiles)
    extents.insert({tile.validRows, tile.validCols});
  extents.erase(kNone);
  keepFirst(kernel, extents);
}

void takeFirstId(Kernel &kernel) {
  ExpressionId first = kernel.expressions.constant(0, kInt32);
  for (Block &block : kernel.blocks)
    for (Statement &statement : block.statements)
      if (auto *sync = std::get_if<Sync>(&statement.action); sync && sync->event != kNone)
        if (kernel.expressions[sync->event].kind != Expression::Kind::Constant &&
            kernel.expressions[sync->event].kind != Expression::Kind::Cast)
          sync->event = first;
}

/// A jump back to a loop's test leaves the loop.
void loopOnce(Kernel &kernel) {
  for (BlockId id = 0; id < kernel.blocks.size(); ++id) {
    Terminator &terminator = kernel.blocks[id].terminator;
    if (terminator.kind != Terminator::Kind::Jump || terminator.whenTrue >= id)
      continue;
    const Terminator &test = kernel.blocks[terminator.whenTrue].terminator;
    if (test.kind == Terminator::Kind::Branch)
      terminator.whenTrue = test.whenFalse;
  }
}

void nameTheCall(Kernel &kernel) {
  for (Block &block : kernel.blocks)
    for (Statement &statement : block.statements)
      if (statement.context != 0 && statement.line) {
        statement.line = kernel.contexts[statement.context].callLine;
        statement.range = {};
      }
}

void swapLoads(Kernel &kernel) {
  for (Block &block : kernel.blocks)
    for (std::size_t i = 0; i + 1 < block.statements.size(); ++i)
      if (isInstruction(block.statements[i], "scalar.load") && isInstruction(block.statements[i + 1], "scalar.load")) {
        std::swap(block.statements[i], block.statements[i + 1]);
        ++i;
      }
}

void dropHelpersSyncs(Kernel &kernel) {
  dropStatements(kernel, [](const Statement &statement) {
    return statement.context != 0 && std::holds_alternative<Sync>(statement.action);
  });
}

} // namespace

const std::vector<BrokenReader> &brokenReaders() {
  static const std::vector<BrokenReader> readers = {
      {"narrowing", "conversions to narrower types keep all bits", forgetNarrowing},
      {"sign", "conversions to narrower types extend with zeros", forgetSign},
      {"promotion", "arithmetic is done in the type before promotion", forgetPromotion},
      {"negation", "`!` is not read", forgetNegation},
      {"first-arm", "of `c ? a : b` the first arm is taken", takeFirstArm},
      {"scaling", "pointers count elements for bytes", forgetScaling},
      {"index", "an array's element is its first", ignoreIndices},
      {"loads", "scalar loads are dropped", dropLoads},
      {"stores", "scalar stores are dropped", dropStores},
      {"by-reference", "references are passed by value", copyReferences},
      {"placement", "the second TASSIGN of a tile is not read", placeOnce},
      {"known-names", "what a pointer may lead to is not changed by calls whose names are known", passOverKnownNames},
      {"valid-region", "a change of the valid region is not read", keepValidRegion},
      {"event-id", "a computed event id is the first one", takeFirstId},
      {"loop", "loops run once", loopOnce},
      {"line", "what a helper does stands at the call", nameTheCall},
      {"order", "two loads next to each other are swapped", swapLoads},
      {"helper-sync", "syncs in helpers are dropped", dropHelpersSyncs},
  };
  return readers;
}

std::vector<BrokenReaderResult> findBrokenReaders(const ProgramRequest &request, const ComparisonOptions &options) {
  std::vector<BrokenReaderResult> results;
  for (const BrokenReader &reader : brokenReaders())
    results.push_back({reader.name, reader.mistake, {}, {}, {}, 0, 0});
  auto open = [&] {
    return std::any_of(results.begin(), results.end(), [](const auto &result) { return !result.firstProgram; });
  };
  for (std::size_t done = 0; done < request.count && open();) {
    std::vector<Program> programs;
    for (; programs.size() < request.perFile && done < request.count; ++done)
      programs.push_back(generateProgram(request.seed, request.from + done, request.only));
    std::string text = fileOf(programs);
    llvm::Expected<Module> module = liftModule(SourceText("programs.cpp", text), options.frontend);
    if (!module) {
      llvm::consumeError(module.takeError());
      continue; // counted by the other run over the same programs
    }
    NativeFile native = runFile(text, *module, options);
    FileComparison right = compareModule(*module, native);
    for (std::size_t i = 0; i < results.size(); ++i) {
      BrokenReaderResult &result = results[i];
      if (result.firstProgram)
        continue;
      FileComparison wrong = compareModule(*module, native, brokenReaders()[i].breakKernel);
      for (std::size_t k = 0; k < right.kernels.size(); ++k) {
        if (right.kernels[k].verdict != KernelComparison::Verdict::Same)
          continue;
        ++result.programs;
        if (wrong.kernels[k].verdict != KernelComparison::Verdict::Different)
          continue;
        ++result.found;
        if (result.firstProgram)
          continue;
        result.reason = wrong.kernels[k].reason;
        for (const Program &program : programs)
          if (kernelName(program) == wrong.kernels[k].kernel) {
            result.firstProgram = program.number;
            result.features = program.features;
          }
      }
    }
  }
  return results;
}

} // namespace ptosync::differential
