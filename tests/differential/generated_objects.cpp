// Features that are types: structs, constructors and destructors, enums, bit-fields, unions, bindings.
#include "differential/program_generator.h"

namespace ptosync::differential {
namespace {

using Type = ProgramGenerator::Type;
using Generator = ProgramGenerator;
using Scalar = ProgramGenerator::Scalar;

void structs(Generator &g) {
  std::string type = g.fresh("Plain"), name = g.fresh("s");
  Type first = g.anyType(), second = g.anyType();
  g.around("struct " + type + " { " + Generator::spell(first) + " a = " + g.literal().text + "; " +
           Generator::spell(second) + " e; int32_t f[2] = {1, 2}; };");
  int group = g.newGroup();
  switch (g.below(5)) {
  case 0:
    g.emit(type + " " + name + "{" + g.cast(first, g.expression(2)).text + ", " + g.cast(second, g.expression(2)).text +
           "};");
    break;
  case 1:
    g.emit(type + " " + name + "{.a = " + g.cast(first, g.expression(2)).text +
           ", .e = " + g.cast(second, g.expression(1)).text + "};");
    break;
  case 2: g.emit(type + " " + name + "{}; " + name + ".e = " + g.any() + ";"); break;
  default:
    g.emit(type + " " + name + "; " + name + ".e = " + g.any() + "; " + name + ".f[1] = " + g.any() + ";");
    break;
  }
  g.observe(name + ".a");
  std::string other = g.fresh("s");
  switch (g.below(5)) {
  case 0: // a copy is another object
    g.emit(type + " " + other + " = " + name + ";");
    g.emit(other + ".a = " + g.any() + ";");
    g.observe(other + ".a");
    break;
  case 1:
    g.emit(type + " &" + other + " = " + name + ";");
    g.emit(other + ".e = " + g.any() + ";");
    break;
  case 2:
    g.emit(type + " *" + other + " = &" + name + ";");
    g.emit(other + "->f[" + g.index(2) + "] = " + g.any() + ";");
    break;
  case 3: {
    std::string helper = g.fresh("take");
    bool reference = g.chance(50);
    g.function("static AICORE inline void " + helper + "(" + type + (reference ? " &" : " ") + "s, int32_t a) {", [&] {
      g.declare("a", Generator::I32);
      g.declare("s.a", first);
      g.emit(g.compound(g.scalars.back()) + ";");
    });
    g.emit(helper + "(" + name + ", " + g.any() + ");");
    break;
  }
  default: {
    std::string helper = g.fresh("make");
    g.around("static AICORE inline " + type + " " + helper + "(int32_t a) { " + type + " s; s.e = a ^ 3; return s; }");
    g.emit(name + " = " + helper + "(" + g.any() + ");");
  }
  }
  g.declare(name + ".a", first, true, group);
  g.declare(name + ".e", second, true, group);
  g.declare(name + ".f[" + g.index(2) + "]", Generator::I32, true, group, false);
  g.emit(g.compound(g.scalars.back()) + ";");
  g.observe(name + ".a");
  g.observe(name + ".e");
  g.observe(name + ".f[1]");
}

void methods(Generator &g) {
  std::string type = g.fresh("Counter"), name = g.fresh("s");
  Type field = g.anyType();
  std::string fieldName = Generator::spell(field);
  Piece piece{"struct " + type + " {", {}, "};"};
  piece.inside.push_back({fieldName + " a;", {}, {}});
  piece.inside.push_back({"uint16_t e = 5;", {}, {}});
  if (g.chance(60))
    piece.inside.push_back(
        {"AICORE " + type + "(int32_t x, int32_t y = 2) : a((" + fieldName + ")(x ^ 9)), e((uint16_t)y) { a ^= 1; }",
         {},
         {}});
  else
    piece.inside.push_back({"AICORE explicit " + type + "(int64_t x) { this->a = x; e += 1; }", {}, {}});
  piece.inside.push_back(
      {"AICORE " + fieldName + " get(int32_t x) const { return x & 1 ? a : (" + fieldName + ")e; }", {}, {}});
  piece.inside.push_back(
      {"AICORE void bump(uint8_t x) { e += x; if (e & 1) a = (" + fieldName + ")(e ^ x); }", {}, {}});
  piece.inside.push_back({"AICORE " + type + " &chain(int16_t x) { a ^= x; return *this; }", {}, {}});
  piece.inside.push_back({"AICORE operator int32_t() const { return (int32_t)a & 255; }", {}, {}});
  piece.inside.push_back(
      {"AICORE " + type + " operator^(int32_t x) const { " + type + " s = *this; s.a ^= x; return s; }", {}, {}});
  g.program.around.push_back(std::move(piece));
  bool braces = g.chance(50);
  // Of two pairs of parentheses neither is taken for a list of parameters.
  g.emit(type + " " + name + (braces ? "{" : "((") + g.cast(Generator::I32, g.expression(2)).text +
         (braces ? "};" : "));"));
  g.observe(name + ".get(" + g.any() + ")");
  g.emit(name + ".bump(" + g.any() + ");");
  g.observe(name + ".a");
  switch (g.below(4)) {
  case 0: g.emit(name + ".chain(" + g.any() + ").chain(3);"); break;
  case 1: g.observe("(int32_t)" + name); break;
  case 2: g.observe("(" + name + " ^ 6).a"); break;
  default: g.observe(type + "(" + g.cast(Generator::I32, g.expression(1)).text + ").a"); break;
  }
  g.observe(name + ".a");
}

void destructors(Generator &g) {
  if (!g.hasTiles)
    return;
  std::string type = g.fresh("Guard"), name = g.fresh("guard");
  Scalar x = g.variable(Generator::U32);
  bool instruction = g.chance(50);
  g.around("struct " + type + " { T &t; uint32_t &v; AICORE " + type +
           "(T &tile, uint32_t &value) : t(tile), v(value) { v += 1u; } AICORE ~" + type + "() { v ^= 8u; " +
           (instruction ? "TADDS(t, t, v); " : "") + "} };");
  if (g.chance(50)) {
    g.block("{", [&] {
      g.emit(type + " " + name + "(" + g.pickTile() + ", " + x.text + ");");
      g.observe(x.text);
    });
  } else {
    std::string i = g.fresh("i");
    g.block("for (int32_t " + i + " = 0; " + i + " < 3; ++" + i + ") {", [&] {
      g.declare(i, Generator::I32, false);
      g.emit(type + " " + name + "(" + g.pickTile() + ", " + x.text + ");");
      g.emit("if (" + g.condition() + ") " + (g.chance(50) ? "continue;" : "break;"));
      g.observe(x.text);
    });
  }
  g.observe(x.text);
}

void enums(Generator &g) {
  std::string type = g.fresh("Enum"), name = g.fresh("e");
  Type base =
      g.random.pick(std::vector<Type>{Generator::I8, Generator::U8, Generator::I32, Generator::I64, Generator::U32});
  bool scoped = g.chance(50);
  std::string prefix = scoped ? type + "::" : "", low = g.fresh("Low"), mid = g.fresh("Mid"), high = g.fresh("High");
  g.around(std::string(scoped ? "enum class " : "enum ") + type + " : " + Generator::spell(base) + " { " + low + " = " +
           (Generator::isSigned(base) ? "-3" : "250") + ", " + mid + ", " + high + " = " + mid + " + 3 };");
  g.emit(type + " " + name + " = " + g.condition() + " ? " + prefix + low + " : " + prefix + high + ";");
  g.observe("(int64_t)" + name);
  if (g.chance(50))
    g.emit(name + " = (" + type + ")(" + g.any() + " & 3);");
  g.block("switch (" + name + ") {", [&] {
    ++g.breakable;
    g.block("case " + prefix + mid + ": {", [&] { g.statements(1); });
    if (g.chance(50))
      g.emit("break;");
    g.block("case " + prefix + high + ": {", [&] { g.statements(1); });
    g.emit("break;");
    g.block("default: {", [&] { g.observe("(int32_t)" + name); });
    --g.breakable;
  });
}

void bitFields(Generator &g) {
  std::string type = g.fresh("Bits"), name = g.fresh("s");
  g.around("struct " + type + " { uint32_t a : 3; int32_t e : 4; uint64_t f : 33; int8_t h : 2; };");
  g.emit(type + " " + name + " = {};");
  for (const char *field : {".a", ".e", ".f", ".h"})
    if (g.chance(70))
      g.emit(name + field + " = " + g.any() + ";");
  if (g.chance(50))
    g.emit(name + ".a += 3u;");
  if (g.chance(50))
    g.emit(name + ".a++;");
  for (const char *field : {".a", ".e", ".f", ".h"})
    g.observe("(int64_t)" + name + field);
}

void unions(Generator &g) {
  std::string type = g.fresh("Union"), name = g.fresh("s");
  g.around("union " + type + " { uint32_t a; uint8_t e[4]; int16_t f; };");
  g.emit(type + " " + name + "; " + name + ".a = " + g.any() + ";");
  if (g.chance(60))
    g.emit(name + ".e[" + g.index(4) + "] = " + g.any() + ";");
  g.observe(name + ".e[" + g.index(4) + "]");
  g.observe(name + ".a");
}

void bindings(Generator &g) {
  std::string a = g.fresh("b"), e = g.fresh("b"), name = g.fresh("s");
  Type first = g.anyType(), second = g.anyType();
  bool array = g.chance(50);
  if (!array) {
    std::string type = g.fresh("Pair");
    g.around("struct " + type + " { " + Generator::spell(first) + " a; " + Generator::spell(second) + " e; };");
    g.emit(type + " " + name + "{" + g.cast(first, g.expression(2)).text + ", " + g.cast(second, g.expression(1)).text +
           "};");
  } else {
    second = first;
    g.emit(Generator::spell(first) + " " + name + "[2] = {" + g.cast(first, g.expression(2)).text + ", 1};");
  }
  std::string firstPart = array ? name + "[0]" : name + ".a", secondPart = array ? name + "[1]" : name + ".e";
  int group = g.newGroup();
  bool reference = g.chance(60);
  g.emit("auto " + std::string(reference ? "&" : "") + "[" + a + ", " + e + "] = " + name + ";");
  g.declare(a, first, true, group, false);
  g.declare(e, second, true, group, false);
  g.emit(g.compound(g.scalars.back()) + ";");
  g.emit(a + " = " + g.any() + ";");
  g.observe(firstPart);
  g.observe(secondPart);
  g.observe(e);
}

} // namespace

std::vector<Feature> objectFeatures() {
  return {{"struct", structs},      {"method", methods}, {"destructor", destructors},     {"enum", enums},
          {"bit-field", bitFields}, {"union", unions},   {"structured-binding", bindings}};
}

} // namespace ptosync::differential
