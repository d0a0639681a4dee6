// Features that are functions: helpers, templates, lambdas, static and global variables.
#include "differential/program_generator.h"

namespace ptosync::differential {
namespace {

using Type = ProgramGenerator::Type;
using Generator = ProgramGenerator;
using Scalar = ProgramGenerator::Scalar;

const std::string kHelper = "static AICORE inline ";

/// The result of `call` somewhere.
void use(Generator &g, const std::string &call) {
  if (g.chance(50))
    return g.observe(call);
  Scalar x = g.variable();
  g.emit(x.text + " = " + call + ";");
  g.observe(x.text);
}

void returnSomething(Generator &g, Type type) {
  if (g.chance(40))
    g.emit("if (" + g.condition() + ") return " + g.any() + ";");
  g.statements(1);
  if (g.chance(30))
    g.block("for (int32_t i = 0; i < 3; ++i) {", [&] {
      g.declare("i", Generator::I32, false);
      g.emit("if (" + g.condition() + ") return " + g.any() + ";");
      g.statements(1);
    });
  g.emit("return " + g.of(type) + ";");
}

void valueHelpers(Generator &g) {
  std::string name = g.fresh("value");
  Type result = g.anyType(), first = g.anyType(), second = g.anyType();
  std::string defaulted = g.chance(50) ? " = " + g.literal().text : "";
  g.function(kHelper + Generator::spell(result) + " " + name + "(" + Generator::spell(first) + " a, " +
                 Generator::spell(second) + " e" + defaulted + ") {",
             [&] {
               g.declare("a", first);
               g.declare("e", second);
               returnSomething(g, result);
             });
  for (int i = 0; i < 2; ++i)
    use(g, name + "(" + g.any() + (defaulted.empty() || g.chance(50) ? ", " + g.any() : "") + ")");
}

void referenceHelpers(Generator &g) {
  std::string name = g.fresh("bump");
  Type type = g.anyType(), other = g.anyType();
  std::string typeName = Generator::spell(type);
  switch (g.below(4)) {
  case 0: { // a constant reference that sees a change
    g.function(kHelper + typeName + " " + name + "(" + typeName + " &a, const " + typeName + " &e) {", [&] {
      int group = g.newGroup();
      g.declare("a", type, true, group);
      g.declare("e", type, false, group);
      g.emit(g.compound(g.scalars[0]) + ";");
      g.emit("return e;");
    });
    Scalar x = g.variable(type);
    g.observe(name + "(" + x.text + ", " + x.text + ")");
    return g.observe(x.text);
  }
  case 1: {
    g.function(kHelper + "void " + name + "(" + typeName + " &a, " + typeName + " &e) {", [&] {
      g.emit(typeName + " t = a;");
      g.emit("a = e;");
      g.emit("e = t;");
    });
    Scalar x = g.variable(type), y = g.variable(type);
    g.emit(name + "(" + x.text + ", " + y.text + ");");
    g.observe(x.text);
    return g.observe(y.text);
  }
  case 2: {
    g.function(kHelper + "void " + name + "(" + typeName + " (&a)[4], uint8_t at) {", [&] {
      g.declare("a[at & 3]", type, true, -1, false);
      g.declare("at", Generator::U8, false);
      g.emit(g.compound(g.scalars[0]) + ";");
    });
    std::string array = g.fresh("a");
    g.emit(typeName + " " + array + "[4] = {" + g.exact(type) + ", 1};");
    g.emit(name + "(" + array + ", " + g.any() + ");");
    return g.observe(array + "[" + g.index(4) + "]");
  }
  default: {
    g.function(kHelper + "void " + name + "(" + typeName + " &a, " + Generator::spell(other) + " e) {", [&] {
      g.declare("a", type);
      g.declare("e", other);
      g.statements(1);
      if (g.chance(40))
        g.emit("if (" + g.condition() + ") return;");
      g.emit(g.compound(g.scalars[0]) + ";");
    });
    Scalar x = g.variable(type);
    for (int i = 0; i < 2; ++i)
      g.emit(name + "(" + x.text + ", " + g.any() + ");");
    return g.observe(x.text);
  }
  }
}

void returnedReferences(Generator &g) {
  std::string name = g.fresh("pick");
  Type type = g.anyType();
  std::string typeName = Generator::spell(type);
  g.around(kHelper + typeName + " &" + name + "(" + typeName + " &a, " + typeName +
           " &e, bool first) { return first ? a : e; }");
  Scalar x = g.variable(type), y = g.variable(type);
  g.unite(x.group, y.group);
  std::string call = name + "(" + x.text + ", " + y.text + ", " + g.condition() + ")";
  switch (g.below(3)) {
  case 0: g.emit(call + " = " + g.any() + ";"); break;
  case 1: g.emit(call + " ^= " + g.any() + ";"); break;
  default: {
    std::string reference = g.fresh("r");
    g.emit(typeName + " &" + reference + " = " + call + ";");
    g.emit(g.compound({reference, type, true, x.group, true}) + ";");
  }
  }
  g.observe(x.text);
  g.observe(y.text);
}

void overloads(Generator &g) {
  std::string name = g.fresh("over");
  for (Type type : {Generator::I32, Generator::U8, Generator::I64})
    g.function(kHelper + Generator::spell(type) + " " + name + "(" + Generator::spell(type) + " a) {", [&] {
      g.declare("a", type);
      g.emit("return " + g.of(type) + ";");
    });
  Type type =
      g.random.pick(std::vector<Type>{Generator::I32, Generator::U8, Generator::I64, Generator::I8, Generator::U16});
  use(g, name + "(" + g.cast(type, g.expression(2)).text + ")");
  use(g, name + "(" + g.cast(Generator::U8, g.expression(1)).text + ")");
}

void templates(Generator &g) {
  std::string name = g.fresh("tmpl");
  switch (g.below(3)) {
  case 0:
    g.around("template <typename A, int N> " + kHelper + "A " + name +
             "(A a) {\n  if constexpr (N > 2) { return (A)(a ^ N); }\n  else if constexpr (sizeof(A) < 4) { return "
             "(A)(a >> 1); }\n  else { A e = a; e &= 77; return e; }\n}");
    for (int i = 0; i < 3; ++i) {
      Type type = g.anyType();
      use(g, name + "<" + Generator::spell(type) + ", " + std::to_string(g.below(5)) + ">(" + g.any() + ")");
    }
    return;
  case 1: {
    g.around("template <typename A> " + kHelper + "void " + name + "(A &a, A e) { a = e; if (a > e / 2) a ^= 1; }");
    Scalar x = g.variable();
    g.emit(name + "(" + x.text + ", " + g.cast(x.type, g.expression(2)).text + ");");
    return g.observe(x.text);
  }
  default:
    g.around("template <typename... A> " + kHelper + "int64_t " + name + "(A... a) { return (0 ^ ... ^ (int64_t)a); }");
    return use(g, name + "(" + g.any() + ", " + g.any() + ", " + g.any(1) + ")");
  }
}

void constexprBranches(Generator &g) {
  std::string name = g.fresh("KIND");
  g.around("constexpr int " + name + " = " + std::to_string(g.below(4)) + ";");
  g.block("if constexpr (" + name + " > 1) {", [&] { g.statements(2); }, "} else {");
  Piece first = std::move(g.out->back());
  g.out->pop_back();
  g.block("", [&] { g.statements(2); });
  Piece second = std::move(g.out->back());
  g.out->pop_back();
  g.out->push_back({"", {std::move(first), std::move(second)}, ""});
  g.observe(name);
}

void recursion(Generator &g) {
  std::string name = g.fresh("recurse");
  g.around(kHelper + "int32_t " + name + "(int32_t a) { if (a <= 0) return 1; return " + name + "(a - 1) + 2; }");
  use(g, name + "(" + g.any(1) + " & 3)");
}

/// The body of a lambda in which `inside` may be read and, if it can be, changed.
std::string lambdaBody(Generator &g, const std::optional<Scalar> &changed) {
  std::string body = "{ ";
  if (changed)
    body += g.compound(*changed) + "; ";
  if (g.chance(30))
    body += "if (" + g.condition(1) + ") return (int64_t)" + g.any(1) + "; ";
  if (g.chance(30))
    body += "TADDS(" + g.pickTile() + ", " + g.pickTile() + ", " + g.any(1) + "); ";
  return body + "return (int64_t)" + g.any() + "; }";
}

void lambdas(Generator &g) {
  std::string name = g.fresh("f");
  if (!g.hasTiles)
    return;
  Scalar x = g.variable();
  switch (g.below(8)) {
  case 0:
    g.emit("auto " + name + " = [&]() -> int64_t " + lambdaBody(g, x) + ";");
    for (int i = 0; i < 2; ++i)
      use(g, name + "()");
    return g.observe(x.text);
  case 1:
    g.emit("auto " + name + " = [=]() -> int64_t " + lambdaBody(g, std::nullopt) + ";");
    g.emit(g.compound(x) + ";");
    return use(g, name + "()");
  case 2: {
    std::string argument = g.fresh("z");
    Type type = g.anyType();
    std::string head = "auto " + name + " = [&](" + Generator::spell(type) + " " + argument + ") -> int64_t ";
    std::size_t before = g.scalars.size();
    g.declare(argument, type);
    head += lambdaBody(g, x);
    g.scalars.resize(before);
    g.emit(head + ";");
    return use(g, name + "(" + g.any() + ")");
  }
  case 3: {
    g.emit("auto " + name + " = [&](auto z) { " + x.text + " = z; };");
    g.emit(name + "(" + g.any() + ");");
    return g.observe(x.text);
  }
  case 4: {
    Generator::Ban ban(g, x.group);
    g.emit("[&] { " + x.text + " = " + g.any() + "; TADDS(" + g.pickTile() + ", " + g.pickTile() + ", " + x.text +
           "); }();");
    return g.observe(x.text);
  }
  case 5: {
    // By value: a state of its own.
    g.emit("auto " + name + " = [v = (uint16_t)" + g.any() + "]() mutable { v += 3; return v; };");
    g.observe(name + "()");
    return g.observe(name + "()");
  }
  case 6: {
    std::string captured = g.fresh("v");
    g.emit(Generator::spell(x.type) + " " + captured + " = " + g.any() + ";");
    g.declare(captured, x.type);
    g.emit("auto " + name + " = [" + captured + "](uint32_t z) { return z ^ (uint32_t)" + captured + "; };");
    g.emit(g.compound(g.scalars.back()) + ";");
    return use(g, name + "(" + g.any() + ")");
  }
  default: {
    g.emit("auto " + name + " = [&](" + Generator::spell(x.type) + " &z, int32_t e) { z = e; };");
    g.emit(name + "(" + x.text + ", " + g.any() + ");");
    return g.observe(x.text);
  }
  }
}

void staticLocals(Generator &g) {
  std::string name = g.fresh("count");
  Type type = g.random.pick(std::vector<Type>{Generator::U8, Generator::U32, Generator::I16, Generator::U64});
  if (g.chance(50)) {
    g.around(kHelper + Generator::spell(type) + " " + name + "() { static " + Generator::spell(type) +
             " s = 3; s += 5; return s; }");
    use(g, name + "()");
    return use(g, name + "()");
  }
  std::string i = g.fresh("i");
  g.block("for (int32_t " + i + " = 0; " + i + " < 3; ++" + i + ") {", [&] {
    g.emit("static " + Generator::spell(type) + " " + name + " = 7;");
    g.observe(name);
    g.emit(name + " += 9;");
  });
}

void globals(Generator &g) {
  std::string name = g.fresh("glob");
  Type type = g.anyType();
  switch (g.below(3)) {
  case 0:
    g.around("static " + Generator::spell(type) + " " + name + " = " + g.literalOf(type).text + ";");
    g.observe(name);
    g.declare(name, type);
    g.emit(g.compound(g.scalars.back()) + ";");
    return g.observe(name);
  case 1: {
    std::string helper = g.fresh("touch");
    g.around("static " + Generator::spell(type) + " " + name + " = 1;");
    g.function(kHelper + "void " + helper + "(int32_t a) {", [&] {
      g.declare("a", Generator::I32);
      g.declare(name, type);
      g.emit(g.compound(g.scalars.back()) + ";");
    });
    g.emit(helper + "(" + g.any() + ");");
    return g.observe(name);
  }
  default:
    g.around("constexpr " + Generator::spell(type) + " " + name + "[4] = {1, 2, (" + Generator::spell(type) + ")" +
             g.literal().text + "};");
    return g.observe(name + "[" + g.index(4) + "]");
  }
}

void functionPointers(Generator &g) {
  std::string name = g.fresh("target"), pointer = g.fresh("fp");
  g.around(kHelper + "void " + name + "(int32_t &a, int32_t e) { a = e ^ 1; }");
  Scalar x = g.variable(Generator::I32);
  g.emit("void (*" + pointer + ")(int32_t &, int32_t) = " + name + ";");
  g.emit(pointer + "(" + x.text + ", " + g.any() + ");");
  g.observe(x.text);
}

} // namespace

std::vector<Feature> functionFeatures() {
  return {{"value-helper", valueHelpers},
          {"reference-helper", referenceHelpers},
          {"returned-reference", returnedReferences},
          {"overload", overloads},
          {"template", templates},
          {"if-constexpr", constexprBranches},
          {"recursion", recursion},
          {"lambda", lambdas},
          {"static-local", staticLocals},
          {"global", globals},
          {"function-pointer", functionPointers}};
}

} // namespace ptosync::differential
