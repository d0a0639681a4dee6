#include "fuzz/fuzz_kernel.h"

#include <algorithm>

namespace ptosync::fuzz {
namespace {

const char *spaceName(Space space) {
  switch (space) {
  case Space::UnifiedBuffer: return "Vec";
  case Space::L1: return "Mat";
  case Space::Left: return "Left";
  case Space::Right: return "Right";
  case Space::Accumulator: return "Acc";
  case Space::Global: break;
  }
  return "?";
}

const char *prologue = R"(#include "pto/pto-inst.hpp"
using namespace pto;

template <int N>
struct PTOAS_EventIdArray {
  static_assert(N > 0, "at least one");
  int32_t data[N] = {};
  AICORE inline int32_t &operator[](int32_t idx) { return data[idx]; }
  AICORE inline const int32_t &operator[](int32_t idx) const { return data[idx]; }
};

enum class PTOAutoSyncTailMode : int {
  kBarrierAll = 0,
  kSetWaitMte3ToSEvent0 = 1,
};

static AICORE inline void ptoas_auto_sync_tail(PTOAutoSyncTailMode mode = PTOAutoSyncTailMode::kBarrierAll) {
  if (mode == PTOAutoSyncTailMode::kSetWaitMte3ToSEvent0) {
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    return;
  }
  pipe_barrier(PIPE_ALL);
}

)";

class Printer {
public:
  Printer(FuzzKernel &kernel, std::uint32_t line) : kernel(kernel), line(line) {}

  std::string print() {
    kernel.firstLine = line;
    for (Helper &helper : kernel.helpers)
      printHelper(helper);
    std::string element = kernel.cube ? "half" : "float";
    std::string arguments;
    for (std::uint32_t i = 0; i + 1 < kernel.pointerArguments; ++i)
      arguments += "__gm__ " + element + "* p" + std::to_string(i) + ", ";
    add("extern \"C\" __global__ AICORE void " + kernel.name + "(" + arguments + "__gm__ int32_t* data, int32_t " +
        name(kernel.lengthVariable) + ", int32_t " + name(kernel.limitVariable) +
        (kernel.rareVariable == FuzzKernel::kNone ? "" : ", int32_t " + name(kernel.rareVariable)) + ") {\n");
    beginSection();
    if (!kernel.cube)
      add("  set_mask_norm();\n  set_vector_mask(-1, -1);\n");
    printList(kernel.body, 1);
    endSection();
    add(kernel.tail ? "\n  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);\n  return;\n}\n"
                    : "\n  return;\n}\n");
    kernel.lastLine = line;
    add("\n");
    return std::move(text);
  }

private:
  void add(const std::string &more) {
    for (char c : more)
      line += c == '\n';
    text += more;
  }
  void beginSection() {
    if (kernel.forOneCore)
      add(std::string("  #if defined(") + (kernel.cube ? "__DAV_CUBE__" : "__DAV_VEC__") + ")\n");
  }
  void endSection() {
    if (kernel.forOneCore)
      add("  #endif\n");
  }
  void indent(int depth) { text += std::string(static_cast<std::size_t>(depth) * 2, ' '); }
  std::string helperName(const Helper &helper) const { return kernel.name + "_" + helper.name; }
  const std::string &name(std::uint32_t variable) const { return kernel.variables[variable].name; }

  void printHelper(Helper &helper) {
    std::string parameters;
    for (std::uint32_t parameter : helper.parameters)
      parameters += (parameters.empty() ? "int64_t " : ", int64_t ") + name(parameter);
    for (std::uint32_t tile : helper.tileParameters)
      parameters += (parameters.empty() ? "" : ", ") + tileType(kernel.tiles[tile]) + " " + kernel.tiles[tile].name;
    add("static AICORE void " + helperName(helper) + "(" + parameters + ") {\n");
    beginSection();
    printList(helper.body, 1);
    endSection();
    add("  return;\n}\n\n");
  }

  std::string expression(const Scalar &scalar) const {
    auto binary = [&](const char *spelling) {
      return "(" + expression(scalar.operands[0]) + " " + spelling + " " + expression(scalar.operands[1]) + ")";
    };
    switch (scalar.kind) {
    case Scalar::Kind::Constant: return std::to_string(scalar.constant);
    case Scalar::Kind::Variable:
      return kernel.variables[scalar.variable].type == "size_t" ? "((int32_t) " + name(scalar.variable) + ")"
                                                                : name(scalar.variable);
    case Scalar::Kind::Add: return binary("+");
    case Scalar::Kind::Subtract: return binary("-");
    case Scalar::Kind::Multiply: return binary("*");
    case Scalar::Kind::Remainder: return binary("%");
    case Scalar::Kind::Divide: return binary("/");
    case Scalar::Kind::Equal: return binary("==");
    case Scalar::Kind::Less: return binary("<");
    case Scalar::Kind::Greater: return binary(">");
    case Scalar::Kind::And: return binary("&");
    case Scalar::Kind::Element:
      return "ids" + std::to_string(scalar.variable) + "[" + expression(scalar.operands[0]) + "]";
    case Scalar::Kind::Select:
      return "(" + expression(scalar.operands[0]) + " ? " + expression(scalar.operands[1]) + " : " +
             expression(scalar.operands[2]) + ")";
    }
    return "0";
  }

  static std::string tileType(const FuzzTile &tile) { return tileTypeName(tile); }

  void printDeclaration(const FuzzTile &tile) {
    std::string type = tileType(tile);
    if (tile.runTimeRegion)
      add(type + " " + tile.name + " = " + type + "(" + expression(tile.validRows) + ", " +
          expression(tile.validColumns) + "); ");
    else
      add(type + " " + tile.name + "; ");
  }

  /// Declares the GlobalTensor variables of an instruction, on its own line or on lines before it.
  std::string declareOperands(const Statement &statement, int depth) {
    std::string list;
    for (const Operand &operand : statement.operands) {
      std::string spelling = operand.literal;
      if (operand.kind == Operand::Kind::Tile)
        spelling = kernel.tiles[operand.tile].name;
      if (operand.kind == Operand::Kind::Tensor) {
        const FuzzTensor &tensor = operand.tensor;
        std::string shape =
            "pto::Shape<1, 1, 1, " + std::to_string(tensor.rows) + ", " + std::to_string(tensor.columns) + ">";
        std::string all = std::to_string(tensor.rows * tensor.rowStride);
        std::string stride =
            "pto::Stride<" + all + ", " + all + ", " + all + ", " + std::to_string(tensor.rowStride) + ", 1>";
        std::string type = std::string("GlobalTensor<") + (kernel.cube ? "half" : "float") + ", " + shape + ", " +
                           stride + ", pto::Layout::ND>";
        spelling = "g" + std::to_string(++tensorCount);
        indent(depth);
        add(type + " " + spelling + " = " + type + "(p" + std::to_string(tensor.argument) + " + (0 + (unsigned) " +
            expression(tensor.offset) + " * (unsigned) 1), " + shape + "(), " + stride + "());");
        add(kernel.tensorLines ? "\n" : " ");
      }
      list += (list.empty() ? "" : ", ") + spelling;
    }
    return list;
  }

  void printInstruction(const Statement &statement, const std::string &list) {
    if (statement.opcode == "SetValue" || statement.opcode == "GetValue") {
      std::size_t comma = list.find(", ");
      bool get = statement.opcode == "GetValue";
      add((get ? "float h" + std::to_string(++tensorCount) + " = " : std::string()) + list.substr(0, comma) + "." +
          statement.opcode + "(" + list.substr(comma + 2) + ");\n");
      return;
    }
    add(statement.opcode + "(" + list + ");\n");
  }

  void printLoop(Statement &loop, int depth) {
    const std::string &counter = name(loop.variable);
    std::string lower = expression(loop.lower), upper = expression(loop.upper), step = std::to_string(loop.step);
    using Form = Statement::LoopForm;
    if (loop.form == Form::Goto)
      return printGoto(loop, depth);
    if (loop.form == Form::Forever)
      return printForever(loop, depth);
    if (loop.form == Form::For)
      add("for (int32_t " + counter + " = " + lower + "; " + counter + " < " + upper + "; " + counter + " += " + step +
          ") {\n");
    else if (loop.form == Form::SizeFor)
      add("for (size_t " + counter + " = (size_t) " + lower + "; " + counter + " < ((size_t) " + upper + "); " +
          counter + " += (size_t) " + step + ") {\n");
    else
      add(loop.form == Form::While ? "while (" + counter + " < " + upper + ") {\n" : "do {\n");
    printList(loop.body, depth + 1);
    bool counts = loop.form == Form::While || loop.form == Form::DoWhile;
    if (counts) {
      indent(depth + 1);
      add(counter + " = " + counter + " + " + step + ";\n");
    }
    loop.bodyEnd = line;
    indent(depth);
    add(loop.form == Form::DoWhile ? "} while (" + counter + " < " + upper + ");\n" : "}\n");
  }

  /// The counter counts where the body begins, so that a `continue` goes on to the next trip.
  void printForever(Statement &loop, int depth) {
    const std::string &counter = name(loop.variable);
    std::string step = std::to_string(loop.step);
    add("while (true) {\n");
    indent(depth + 1);
    add(counter + " = " + counter + " + " + step + ";\n");
    printList(loop.body, depth + 1);
    loop.bodyEnd = line;
    indent(depth + 1);
    add("if (" + counter + " + " + step + " >= " + expression(loop.upper) + ") {\n");
    indent(depth + 2);
    add("break;\n");
    indent(depth + 1);
    add("}\n");
    indent(depth);
    add("}\n");
  }

  void printSkip(Statement &branch, int depth) {
    std::string label = "skip" + std::to_string(++labelCount);
    add("if (!(" + expression(branch.value) + ")) {\n");
    indent(depth + 1);
    add("goto " + label + ";\n");
    indent(depth);
    add("}\n");
    indent(depth);
    add("{\n");
    printList(branch.body, depth + 1);
    branch.bodyEnd = line;
    branch.otherwiseEnd = 0;
    indent(depth);
    add("}\n" + label + ":\n");
    indent(depth);
    add(";\n");
  }

  void printSwitch(Statement &choice, int depth) {
    add("switch (" + expression(choice.value) + ") {\n");
    indent(depth);
    add("case " + std::to_string(choice.constant) + ": {\n");
    printList(choice.body, depth + 1);
    choice.bodyEnd = line;
    indent(depth);
    add("}\n");
    if (!choice.falls) {
      indent(depth + 1);
      add("break;\n");
    }
    indent(depth);
    add("default: {\n");
    printList(choice.otherwise, depth + 1);
    choice.otherwiseEnd = line;
    indent(depth);
    add("}\n");
    indent(depth);
    add("}\n");
  }

  void printGoto(Statement &loop, int depth) {
    std::string id = std::to_string(++labelCount);
    const std::string &counter = name(loop.variable);
    add("int32_t " + counter + " = " + expression(loop.lower) + "; bool w" + id + ";\n");
    add("head" + id + ":\n");
    indent(depth);
    add("w" + id + " = " + counter + " < " + expression(loop.upper) + ";\n");
    indent(depth);
    add("if (w" + id + ") {\n");
    indent(depth + 1);
    add("goto body" + id + ";\n");
    indent(depth);
    add("} else {\n");
    indent(depth + 1);
    add("goto done" + id + ";\n");
    indent(depth);
    add("}\nbody" + id + ":\n");
    indent(depth);
    add("{\n");
    printList(loop.body, depth + 1);
    loop.bodyEnd = line;
    indent(depth);
    add("}\n");
    indent(depth);
    add(counter + " = (int32_t) ((uint32_t) " + counter + " + (uint32_t) " + std::to_string(loop.step) + ");\n");
    indent(depth);
    add("goto head" + id + ";\ndone" + id + ":\n");
    indent(depth);
    add(";\n");
  }

  void printSync(Statement &statement) {
    auto pipe = [](Pipe which) { return which == Pipe::All ? std::string("PIPE_ALL") : std::string(pipeName(which)); };
    std::string ending = statement.keep ? " // ptosync: keep(fuzz)\n" : "\n";
    if (statement.kind == Statement::Kind::Barrier) {
      add("pipe_barrier(" + pipe(statement.source) + ");" + ending);
      return;
    }
    if (isBuffer(statement)) {
      add((statement.kind == Statement::Kind::GetBuffer ? "get_buf(" : "rls_buf(") + pipe(statement.source) + ", " +
          expression(statement.value) + ", " + std::to_string(statement.constant) + ");" + ending);
      return;
    }
    std::string id = statement.value.isConstant() ? "EVENT_ID" + std::to_string(statement.value.constant)
                                                  : "(event_t) " + expression(statement.value);
    add((statement.kind == Statement::Kind::SetFlag ? "set_flag(" : "wait_flag(") + pipe(statement.source) + ", " +
        pipe(statement.destination) + ", " + id + ");" + ending);
  }

  void printList(std::vector<Statement> &list, int depth) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::size_t next = i; // the statement that edits put others in front of
      while (next + 1 < list.size() && list[next].arrived)
        ++next;
      const Statement &whole = list[next];
      bool instruction = whole.kind == Statement::Kind::Instruction || whole.kind == Statement::Kind::UnknownCall;
      std::string operands;
      if (instruction)
        operands = declareOperands(whole, depth);
      using Form = Statement::LoopForm;
      if (whole.kind == Statement::Kind::Loop &&
          (whole.form == Form::While || whole.form == Form::DoWhile || whole.form == Form::Forever)) {
        indent(depth);
        std::string back = whole.form == Form::Forever ? " - " + std::to_string(whole.step) : "";
        add("int32_t " + name(whole.variable) + " = " + expression(whole.lower) + back + ";\n");
      }
      for (; i < next; ++i)
        printStatement(list[i], depth);
      if (!instruction) {
        printStatement(list[i], depth);
        continue;
      }
      bool tensors = std::any_of(whole.operands.begin(), whole.operands.end(),
                                 [](const Operand &operand) { return operand.kind == Operand::Kind::Tensor; });
      if (!tensors || kernel.tensorLines)
        indent(depth);
      list[i].line = line;
      printInstruction(list[i], operands);
    }
  }

  void printStatement(Statement &statement, int depth) {
    statement.line = line;
    indent(depth);
    switch (statement.kind) {
    case Statement::Kind::Instruction:
    case Statement::Kind::UnknownCall: return; // see printList
    case Statement::Kind::Barrier:
    case Statement::Kind::SetFlag:
    case Statement::Kind::WaitFlag:
    case Statement::Kind::GetBuffer:
    case Statement::Kind::ReleaseBuffer: return printSync(statement);
    case Statement::Kind::Loop: return printLoop(statement, depth);
    case Statement::Kind::If:
      if (statement.skips && statement.otherwise.empty())
        return printSkip(statement, depth);
      add("if (" + expression(statement.value) + ") {\n");
      printList(statement.body, depth + 1);
      statement.bodyEnd = line;
      statement.otherwiseEnd = 0; // a reduced kernel may have lost it
      indent(depth);
      if (!statement.otherwise.empty()) {
        add("} else {\n");
        printList(statement.otherwise, depth + 1);
        statement.otherwiseEnd = line;
        indent(depth);
      }
      return add("}\n");
    case Statement::Kind::Call: {
      std::string list;
      for (const Scalar &argument : statement.arguments)
        list += (list.empty() ? "" : ", ") + expression(argument);
      for (std::uint32_t tile : statement.tileArguments)
        list += (list.empty() ? "" : ", ") + kernel.tiles[tile].name;
      return add(helperName(kernel.helpers[statement.helper]) + "(" + list + ");\n");
    }
    case Statement::Kind::DeclareTile:
      printDeclaration(kernel.tiles[statement.tile]);
      if (kernel.tiles[statement.tile].popped)
        return add("\n");
      [[fallthrough]];
    case Statement::Kind::MoveTile:
      return add("TASSIGN(" + kernel.tiles[statement.tile].name + ", (uint64_t) " + expression(statement.value) +
                 ");\n");
    case Statement::Kind::ReshapeTile:
      printDeclaration(kernel.tiles[statement.tile]);
      return add("TRESHAPE(" + kernel.tiles[statement.tile].name + ", " + kernel.tiles[statement.sourceTile].name +
                 ");\n");
    case Statement::Kind::Assign:
      return add((statement.declares ? kernel.variables[statement.variable].type + " " : std::string()) +
                 name(statement.variable) + " = " + expression(statement.value) + ";\n");
    case Statement::Kind::LoadData:
      return add(kernel.variables[statement.variable].type + " " + name(statement.variable) + " = data[" +
                 expression(statement.value) + "];\n");
    case Statement::Kind::DeclareArray: {
      const std::vector<std::int64_t> &ids = kernel.arrays[statement.variable];
      std::string name = "ids" + std::to_string(statement.variable);
      std::string text = "PTOAS_EventIdArray<" + std::to_string(ids.size()) + "> " + name + ";";
      for (std::size_t i = 0; i < ids.size(); ++i)
        text += " " + name + "[" + std::to_string(i) + "] = " + std::to_string(ids[i]) + ";";
      return add(text + "\n");
    }
    case Statement::Kind::Switch: return printSwitch(statement, depth);
    case Statement::Kind::Verbatim: return add(statement.opcode + "\n");
    case Statement::Kind::Break: return add("break;\n");
    case Statement::Kind::Continue: return add("continue;\n");
    case Statement::Kind::Return: return add("return;\n");
    case Statement::Kind::Nothing: return add("\n");
    }
  }

  FuzzKernel &kernel;
  std::string text;
  std::uint32_t line;
  int tensorCount = 0, labelCount = 0;
};

} // namespace

std::vector<std::vector<Statement> *> listsOf(FuzzKernel &kernel) {
  std::vector<std::vector<Statement> *> lists = {&kernel.body};
  for (Helper &helper : kernel.helpers)
    lists.push_back(&helper.body);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::vector<Statement> &list = *lists[i];
    for (Statement &statement : list)
      for (std::vector<Statement> *inner : {&statement.body, &statement.otherwise})
        if (!inner->empty())
          lists.push_back(inner);
  }
  return lists;
}

std::string tileTypeName(const FuzzTile &tile) {
  bool vector = tile.space == Space::UnifiedBuffer;
  std::string element = tile.elementBytes == 4 ? "float" : "half";
  const char *inner = vector ? "NoneBox" : tile.space == Space::Right ? "ColMajor" : "RowMajor";
  std::string valid = tile.runTimeRegion
                          ? "-1, -1"
                          : std::to_string(tile.validRows.constant) + ", " + std::to_string(tile.validColumns.constant);
  return std::string("Tile<TileType::") + spaceName(tile.space) + ", " + element + ", " + std::to_string(tile.rows) +
         ", " + std::to_string(tile.columns) + ", BLayout::" + (tile.columnMajor ? "ColMajor" : "RowMajor") + ", " +
         valid + ", SLayout::" + inner + ", " + (tile.space == Space::Accumulator ? "1024" : "512") +
         ", PadValue::Null, CompactMode::Null>";
}

std::string printKernels(std::vector<FuzzKernel> &kernels) {
  std::string text = prologue;
  std::uint32_t line = 1 + static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
  for (FuzzKernel &kernel : kernels) {
    std::string functions = Printer(kernel, line).print();
    line += static_cast<std::uint32_t>(std::count(functions.begin(), functions.end(), '\n'));
    text += functions;
  }
  return text;
}

std::string printKernel(FuzzKernel &kernel) {
  std::vector<FuzzKernel> one = {std::move(kernel)};
  std::string text = printKernels(one);
  kernel = std::move(one.front());
  return text;
}

} // namespace ptosync::fuzz
