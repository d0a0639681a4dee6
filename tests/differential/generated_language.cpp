// Features of the language that need no function: control flow, sequencing, arrays, references, pointers.
#include "differential/program_generator.h"

namespace ptosync::differential {
namespace {

using Type = ProgramGenerator::Type;
using Generator = ProgramGenerator;
using Scalar = ProgramGenerator::Scalar;

void switches(Generator &g) {
  std::string head = "switch (" + g.any() + " & 3) {";
  switch (g.below(4)) {
  case 0: {
    std::string name = g.fresh("z");
    head = "switch (int32_t " + name + " = (" + g.any() + ") & 3; " + name + ") {";
    break;
  }
  case 1: head = "switch (int64_t " + g.fresh("z") + " = (" + g.any() + ") & 3) {"; break;
  case 2: head = "switch ((uint8_t)(" + g.any() + ") & 3) {"; break;
  default: break;
  }
  g.block(head, [&] {
    ++g.breakable;
    std::int64_t defaultAt = g.below(5);
    for (std::int64_t label = 0; label < 4; ++label) {
      if (label == defaultAt)
        g.emit("default:");
      else if (g.chance(15))
        continue;
      g.block("case " + std::to_string(label) + ": {", [&] { g.statements(1 + static_cast<int>(g.below(2))); });
      if (g.chance(60))
        g.emit("break;");
      else if (g.loops > 0 && g.chance(20))
        g.emit("continue;");
    }
    --g.breakable;
  });
}

void gotos(Generator &g) {
  std::string label = g.fresh("label");
  switch (g.below(3)) {
  case 0: {
    g.emit("if (" + g.condition() + ") goto " + label + ";");
    g.block("{", [&] { g.statements(2); });
    return g.emit(label + ": ;");
  }
  case 1: {
    std::string counter = g.fresh("turn");
    g.emit("uint32_t " + counter + " = 0;");
    g.emit(label + ":");
    g.block("{", [&] { g.statements(2); });
    return g.emit("if (++" + counter + " < " + std::to_string(g.random.between(2, 3)) + "u) goto " + label + ";");
  }
  default: {
    std::string i = g.fresh("i"), j = g.fresh("j");
    g.block("for (int32_t " + i + " = 0; " + i + " < 2; ++" + i + ") {", [&] {
      g.declare(i, Generator::I32, false);
      g.block("for (int32_t " + j + " = 0; " + j + " < 2; ++" + j + ") {", [&] {
        g.declare(j, Generator::I32, false);
        g.statements(1);
        g.emit("if (" + g.condition() + ") goto " + label + ";");
        g.observe();
      });
    });
    g.emit(label + ": ;");
  }
  }
}

/// Conditions that declare, and initialisers of conditions.
void declaringConditions(Generator &g) {
  std::string name = g.fresh("d");
  Type type = g.anyType();
  std::string value = g.of(type), typeName = Generator::spell(type);
  switch (g.below(4)) {
  case 0:
    return g.block("if (" + typeName + " " + name + " = " + value + "; " + name + " > " + g.literal().text + ") {",
                   [&] {
                     g.declare(name, type);
                     g.statements(2);
                     g.observe(name);
                   });
  case 1: {
    g.block(
        "if (" + typeName + " " + name + " = " + value + ") {",
        [&] {
          g.declare(name, type);
          g.observe(name);
          g.statements(1);
        },
        "} else {");
    Piece first = std::move(g.out->back());
    g.out->pop_back();
    g.block("", [&] {
      g.declare(name, type);
      g.observe(name);
      g.assign();
    });
    Piece second = std::move(g.out->back());
    g.out->pop_back();
    return g.out->push_back({"", {std::move(first), std::move(second)}, ""});
  }
  case 2: {
    std::string left = g.fresh("left");
    g.emit("uint8_t " + left + " = (" + g.any() + ") & 3;");
    return g.block("while (int32_t " + name + " = " + left + "--) {", [&] {
      g.declare(name, Generator::I32);
      ++g.loops, ++g.breakable;
      g.observe(name);
      g.statements(1);
      g.emit("if (" + left + " > 3) break;");
      --g.loops, --g.breakable;
    });
  }
  default: {
    std::string i = g.fresh("i");
    return g.block("for (int32_t " + i + " = 0; bool " + name + " = " + i + " < " +
                       std::to_string(g.random.between(1, 3)) + "; ++" + i + ") {",
                   [&] {
                     g.declare(i, Generator::I32, false);
                     g.declare(name, Generator::Bool, false);
                     g.statements(2);
                   });
  }
  }
}

/// Values of assignments and increments, commas, arms and right-hand sides that do something.
void sequencing(Generator &g) {
  Scalar x = g.variable();
  Generator::Ban ban(g, x.group);
  std::string step = Generator::isSigned(x.type) && Generator::bitsOf(x.type) >= 32
                         ? x.text + " = " + x.text + " & " + std::to_string(g.below(200)) + ", " + x.text
                         : (g.chance(50) ? "++" + x.text : x.text + "--");
  switch (g.below(9)) {
  case 0: return g.observe(step);
  case 1: return g.observe("(" + x.text + " = " + g.any() + ")");
  case 2: {
    Generator::Ban other(g, x.group);
    return g.emit("if (" + g.condition() + (g.chance(50) ? " && " : " || ") + "(" + step + ") > " + g.literal().text +
                  ") { TADDS(" + g.pickTile() + ", " + g.pickTile() + ", " + x.text + "); }");
  }
  case 3: return g.observe("(" + g.condition() + " ? (" + step + ") : (" + x.text + " ^= " + g.any(1) + "))");
  case 4: return g.observe("(" + x.text + " ^= " + g.any() + ", " + x.text + " + (uint64_t)" + g.any(1) + ")");
  case 5: {
    std::string array = g.fresh("a");
    g.emit("int32_t " + array + "[4] = {" + g.exact(Generator::I32) + ", " + g.exact(Generator::I32) + "};");
    std::string index = g.fresh("e");
    g.emit("uint8_t " + index + " = " + g.index(4) + ";");
    switch (g.below(4)) {
    case 0: g.emit(array + "[" + index + "++ & 3] ^= " + g.any(1) + ";"); break;
    case 1: g.emit(array + "[--" + index + " & 3] = " + g.any(1) + ";"); break;
    case 2: g.emit(array + "[" + index + "++ & 3] >>= 1;"); break;
    default: g.emit(array + "[(" + index + " += 3) & 3] &= " + g.any(1) + ";"); break;
    }
    for (int i = 0; i < 4; ++i)
      g.observe(array + "[" + std::to_string(i) + "]");
    return g.observe(index);
  }
  case 6:
    if (!g.hasMemory)
      return g.observe(step);
    g.emit("q[" + x.text + (g.chance(50) ? "++" : "--") + " & 31] = " + g.any(1) + ";");
    return g.observe(x.text);
  case 7: {
    Scalar y = g.variable(x.type);
    Generator::Ban also(g, y.group);
    g.emit(x.text + " = " + y.text + " = " + g.any() + ";");
    g.observe(x.text);
    return g.observe(y.text);
  }
  default:
    g.emit("for (; (" + x.text + " & 3) != 0 && " + g.condition(1) + "; " + x.text + " = (" + x.text +
           " & 3) - 1) { TADDS(" + g.pickTile() + ", " + g.pickTile() + ", " + x.text + "); }");
    return g.observe(x.text);
  }
}

void references(Generator &g) {
  std::string name = g.fresh("r");
  switch (g.below(6)) {
  case 0: { // to a part, or to a choice
    Scalar x = g.variable(), y = g.variable(x.type);
    g.unite(x.group, y.group);
    g.emit(Generator::spell(x.type) + " &" + name + " = " + g.condition() + " ? " + x.text + " : " + y.text + ";");
    g.declare(name, x.type, true, x.group);
    break;
  }
  case 1: {
    std::string array = g.fresh("a");
    Type type = g.anyType();
    g.emit(Generator::spell(type) + " " + array + "[4] = {" + g.exact(type) + "};");
    g.emit((g.chance(50) ? "auto" : Generator::spell(type)) + " &" + name + " = " + array + "[" + g.index(4) + "];");
    g.emit(g.compound({name, type, true, g.newGroup(), true}) + ";");
    for (int i = 0; i < 4; ++i)
      g.observe(array + "[" + std::to_string(i) + "]");
    return;
  }
  case 2: { // a copy of another type, kept alive
    Scalar x = g.variable();
    Type wider = x.type == Generator::I64 ? Generator::U64 : Generator::I64;
    g.emit("const " + Generator::spell(wider) + " &" + name + " = " + x.text + ";");
    g.emit(g.compound(x) + ";");
    return g.observe(name);
  }
  case 3: {
    Type type = g.anyType();
    g.emit(Generator::spell(type) + " &&" + name + " = " + g.cast(type, g.expression(2)).text + ";");
    g.declare(name, type);
    break;
  }
  case 4: {
    Scalar x = g.variable();
    g.emit("const auto &" + name + " = " + x.text + ";");
    g.emit(g.compound(x) + ";");
    g.declare(name, x.type, false, x.group);
    return g.observe(name);
  }
  default: {
    Scalar x = g.variable();
    g.emit("auto &" + name + " = " + x.text + ";");
    g.declare(name, x.type, true, x.group);
    g.emit(g.compound(g.scalars.back()) + ";");
    return g.observe(x.text);
  }
  }
  g.emit(g.compound(g.scalars.back()) + ";");
  g.observe(name);
}

void pointers(Generator &g) {
  std::string name = g.fresh("y");
  switch (g.below(4)) {
  case 0: {
    std::string array = g.fresh("a");
    Type type = g.anyType();
    std::string typeName = Generator::spell(type);
    g.emit(typeName + " " + array + "[4] = {" + g.exact(type) + ", " + g.exact(type) + "};");
    g.emit(typeName + " *" + name + " = " +
           (g.chance(50) ? array + " + " + g.index(4) : "&" + array + "[" + g.index(4) + "]") + ";");
    g.emit("*" + name + " = " + g.any() + ";");
    if (g.chance(50)) {
      g.emit(name + " = " + array + ";");
      g.emit("*" + name + "++ = " + g.any() + ";");
    }
    for (int i = 0; i < 4; ++i)
      g.observe(array + "[" + std::to_string(i) + "]");
    return;
  }
  case 1: {
    Scalar x = g.variable(), y = g.variable(x.type);
    g.unite(x.group, y.group);
    g.emit(Generator::spell(x.type) + " *" + name + " = " + g.condition() + " ? &" + x.text + " : &" + y.text + ";");
    g.emit("*" + name + " = " + g.any() + ";");
    g.observe(x.text);
    return g.observe(y.text);
  }
  default: {
    Scalar x = g.variable();
    g.emit((g.chance(50) ? "auto" : Generator::spell(x.type)) + " *" + name + " = &" + x.text + ";");
    g.declare("*" + name, x.type, true, x.group);
    g.scalars.back().text = "(*" + name + ")";
    if (g.chance(50)) {
      std::string second = g.fresh("y");
      g.emit("auto " + second + " = &" + name + ";");
      g.emit("**" + second + " = " + g.any() + ";");
    } else {
      g.emit(g.compound(g.scalars.back()) + ";");
    }
    return g.observe(x.text);
  }
  }
}

void arrays(Generator &g) {
  std::string name = g.fresh("a");
  Type type = g.anyType();
  std::string typeName = Generator::spell(type);
  int group = g.newGroup();
  if (g.chance(35)) {
    g.emit(typeName + " " + name + "[2][3] = {{" + g.exact(type) + ", " + g.exact(type) + "}, {" + g.exact(type) +
           "}};");
    g.declare(name + "[" + g.index(2) + "][" + std::to_string(g.below(3)) + "]", type, true, group, false);
    g.emit(g.compound(g.scalars.back()) + ";");
    g.observe(name + "[1][0]");
    return g.observe(name + "[0][" + std::to_string(g.below(3)) + "]");
  }
  g.emit(typeName + " " + name + (g.chance(50) ? "[4]" : "[]") + " = {" + g.exact(type) + ", " + g.exact(type) + ", " +
         g.exact(type) + ", " + g.exact(type) + "};");
  g.declare(name + "[" + g.index(4) + "]", type, true, group, false);
  g.declare(name + "[" + std::to_string(g.below(4)) + "]", type, true, group, true);
  g.emit(g.compound(g.scalars.back()) + ";");
  switch (g.below(3)) {
  case 0: {
    std::string element = g.fresh("e");
    bool reference = g.chance(50);
    g.block("for (auto " + std::string(reference ? "&" : "") + element + " : " + name + ") {", [&] {
      g.declare(element, type, true, reference ? group : -1);
      g.emit(g.compound(g.scalars.back()) + ";");
      g.observe(element);
    });
    return g.observe(name + "[2]");
  }
  case 1: g.observe("sizeof(" + name + ") / sizeof(" + name + "[0])"); break;
  default: break;
  }
  g.observe(name + "[" + g.index(4) + "]");
}

void macros(Generator &g) {
  std::string name = g.fresh("MACRO");
  switch (g.below(4)) {
  case 0:
    g.around("#define " + name + "(x) ((x) * 2 + 1)");
    return g.observe(name + "(" + g.masked(g.expression(1), 255).text + ")");
  case 1: g.around("#define " + name + " " + g.literal().text); return g.observe("(" + name + " ^ " + g.any(1) + ")");
  case 2:
    g.around("#define " + name + "(tile, value) do { TADDS(tile, tile, value); pipe_barrier(PIPE_V); } while (0)");
    return g.emit(name + "(" + g.pickTile() + ", " + g.any() + ");");
  default: {
    g.around("#define " + name + "(x, e) x = (e); if (x != 0) { x ^= 5; }");
    Scalar x = g.variable();
    Generator::Ban ban(g, x.group);
    g.emit(name + "(" + x.text + ", " + g.any() + ")");
    return g.observe(x.text);
  }
  }
}

void statementExpressions(Generator &g) {
  Type type = g.anyType();
  std::string name = g.fresh("s");
  Scalar x = g.variable();
  Generator::Ban ban(g, x.group);
  std::string text =
      "({ " + Generator::spell(type) + " " + name + " = " + g.any() + "; " + x.text + " = " + g.any(1) + "; ";
  if (g.chance(40))
    text += "if (" + g.condition(1) + ") " + name + " ^= 3; ";
  g.observe(text + name + "; })");
  g.observe(x.text);
}

void odd(Generator &g) {
  switch (g.below(4)) {
  case 0: {
    std::string name = g.fresh("o");
    g.emit("volatile int32_t " + name + " = " + g.any() + ";");
    g.emit(name + " = " + name + " & 15;");
    return g.observe(name);
  }
  case 1: {
    std::string a = g.fresh("o"), b = g.fresh("o");
    g.emit("int32_t " + a + "((" + g.any() + ")), " + b + "{" + g.cast(Generator::I32, g.expression(1)).text + "};");
    g.declare(a, Generator::I32);
    g.declare(b, Generator::I32);
    return g.observe(b);
  }
  case 2: {
    std::string a = g.fresh("o");
    g.emit("int64_t " + a + "{};");
    g.declare(a, Generator::I64);
    return g.emit(g.compound(g.scalars.back()) + ";");
  }
  default: {
    Scalar x = g.variable();
    Generator::Ban ban(g, x.group);
    g.emit("[[maybe_unused]] auto " + g.fresh("o") + " = (" + x.text + " = " + g.any() + ");");
    g.emit("((" + x.text + ")) ^= 1;");
    return g.observe(x.text);
  }
  }
}

} // namespace

std::vector<Feature> languageFeatures() {
  return {{"switch", switches},       {"goto", gotos},           {"declaring-condition", declaringConditions},
          {"sequencing", sequencing}, {"reference", references}, {"pointer", pointers},
          {"array", arrays},          {"macro", macros},         {"statement-expression", statementExpressions},
          {"odd-declaration", odd}};
}

} // namespace ptosync::differential
