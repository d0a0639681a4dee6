// Features of library objects behind pointers: chosen, in arrays, walking, members, parameters, results, loops over
// arrays; and everything that may change an object through them.
#include "differential/program_generator.h"

namespace ptosync::differential {
namespace {

using Generator = ProgramGenerator;
using Names = std::vector<std::string>;

/// What the objects of one program are: tiles, tiles with a run-time valid region, or tensors.
struct Kind {
  std::string type;
  void (*change)(Generator &, const std::string &object, const Names &others);
  void (*show)(Generator &, const std::string &object);
};

std::string place(Generator &g) { return "(uint64_t)((" + g.any() + " & 15) * 0x1000)"; }

void changeTile(Generator &g, const std::string &tile, const Names &others) {
  const std::string other = g.random.pick(others);
  switch (g.below(7)) {
  case 0: return g.emit("TASSIGN<0x" + std::to_string(g.random.between(1, 9)) + "00>(" + tile + ");");
  case 1: return g.emit("TRESHAPE(" + tile + ", " + other + ");");
  case 2: return g.emit("TSUBVIEW(" + tile + ", " + other + ", " + g.any(1) + " & 7, " + g.any(1) + " & 63);");
  case 3: return g.emit(tile + " = " + other + ";");
  case 4: return g.emit(tile + " = " + g.condition() + " ? " + other + " : " + g.random.pick(others) + ";");
  default: return g.emit("TASSIGN(" + tile + ", " + place(g) + ");");
  }
}

void showTile(Generator &g, const std::string &tile) {
  g.emit("TADDS(" + g.pickTile() + ", " + tile + ", " + g.literal().text + ");");
}

void changeRegion(Generator &g, const std::string &tile, const Names &others) {
  switch (g.below(4)) {
  case 0: return g.emit(tile + ".SetValidShape(" + g.index(16) + ", " + g.index(128) + ");");
  case 1: return g.emit(tile + ".SetValidRow(" + g.index(16) + ");");
  case 2: return g.emit(tile + ".SetValidCol(" + g.index(128) + ");");
  default: return changeTile(g, tile, others);
  }
}

void showRegion(Generator &g, const std::string &tile) {
  showTile(g, tile);
  g.observe(tile + (g.chance(50) ? ".GetValidRow()" : ".GetValidCol()"));
}

void changeTensor(Generator &g, const std::string &tensor, const Names &others) {
  switch (g.below(3)) {
  case 0: return g.emit(tensor + " = " + g.random.pick(others) + ";");
  case 1:
    return g.emit(tensor + " = GD(p + " + g.index(64) + ", pto::Shape<1, 1, 1, -1, -1>(" + g.index(16) + ", " +
                  g.index(128) + "), pto::Stride<2048, 2048, -1, -1, 1>(" + g.index(2048) + ", " + g.index(128) +
                  "));");
  default: return g.emit("TASSIGN(" + tensor + ", p + " + g.index(64) + ");");
  }
}

void showTensor(Generator &g, const std::string &tensor) { g.emit("TLOAD(" + g.pickTile() + ", " + tensor + ");"); }

Kind anyKind(Generator &g) {
  switch (g.hasMemory ? g.below(4) : g.below(3)) {
  case 0:
  case 1: return {"T", changeTile, showTile};
  case 2: return {"D", changeRegion, showRegion};
  default: return {"GD", changeTensor, showTensor};
  }
}

/// Makes an object, or an array of them, that is used from here on.
std::string make(Generator &g, const Kind &kind, int count = 0) {
  std::string name = g.fresh("o");
  std::string made = kind.type == "T" ? ""
                     : kind.type == "D"
                         ? g.index(16) + ", " + g.index(128)
                         : "p + " + g.index(64) + ", pto::Shape<1, 1, 1, -1, -1>(" + g.index(16) + ", " + g.index(128) +
                               "), pto::Stride<2048, 2048, -1, -1, 1>(7, " + g.index(128) + ")";
  if (count == 0)
    g.emit(kind.type + " " + name + (made.empty() ? "" : "(" + made + ")") + ";");
  else if (made.empty())
    g.emit(kind.type + " " + name + "[" + std::to_string(count) + "];");
  else {
    std::string list;
    for (int i = 0; i < count; ++i)
      list += (i ? ", " : "") + kind.type + "(" + made + ")";
    g.emit(kind.type + " " + name + "[" + std::to_string(count) + "] = {" + list + "};");
  }
  for (int i = 0; i < std::max(count, 1) && kind.type != "GD"; ++i)
    g.emit("TASSIGN(" + name + (count ? "[" + std::to_string(i) + "]" : "") + ", 0x" +
           std::to_string(g.random.between(1, 9)) + "000);");
  return name;
}

Names makeSome(Generator &g, const Kind &kind) { return {make(g, kind), make(g, kind), make(g, kind)}; }

void showAll(Generator &g, const Kind &kind, const Names &objects) {
  for (const std::string &object : objects)
    kind.show(g, object);
}

/// Changes what a pointer leads to, once or twice, and shows everything.
void useThrough(Generator &g, const Kind &kind, const std::string &object, const Names &objects) {
  if (g.chance(60))
    kind.show(g, object);
  for (int i = 0; i < 1 + g.chance(30); ++i)
    kind.change(g, object, objects);
  if (g.chance(50))
    kind.show(g, object);
  showAll(g, kind, objects);
}

void chosenPointers(Generator &g) {
  if (!g.hasTiles)
    return;
  Kind kind = anyKind(g);
  Names o = makeSome(g, kind);
  std::string name = g.fresh("x");
  std::string choice = g.condition() + " ? &" + o[0] + " : " +
                       (g.chance(50) ? "&" + o[1] : "(" + g.condition() + " ? &" + o[1] + " : &" + o[2] + ")");
  switch (g.below(7)) {
  case 0: return useThrough(g, kind, "(*(" + choice + "))", o);
  case 1: g.emit(kind.type + " *" + name + " = " + choice + ";"); break;
  case 2: g.emit(kind.type + " *const " + name + " = " + choice + ";"); break;
  case 3:
    g.emit(kind.type + " *" + name + " = &" + o[0] + ";");
    g.emit("if (" + g.condition() + ") " + name + " = &" + o[1] + ";");
    break;
  case 4: {
    std::string to = g.fresh("x");
    g.emit(kind.type + " *" + name + " = &" + o[0] + ", **" + to + " = &" + name + ";");
    g.emit("*" + to + " = " + choice + ";");
    if (g.chance(50))
      return useThrough(g, kind, "(**" + to + ")", o);
    break;
  }
  case 5: {
    std::string to = g.fresh("x");
    g.emit(kind.type + " *" + name + " = &" + o[2] + ", *&" + to + " = " + name + ";");
    g.emit(to + " = " + choice + ";");
    break;
  }
  default:
    g.emit(kind.type + " *" + name + ";");
    g.emit(name + " = " + choice + ";");
    break;
  }
  if (g.chance(30)) {
    g.emit(kind.type + " &" + name + "r = *" + name + ";");
    return useThrough(g, kind, name + "r", o);
  }
  useThrough(g, kind, g.chance(30) ? name + "[0]" : "(*" + name + ")", o);
}

void pointerArrays(Generator &g) {
  if (!g.hasTiles)
    return;
  Kind kind = anyKind(g);
  Names o = makeSome(g, kind);
  std::string name = g.fresh("x");
  bool constant = g.chance(30);
  g.emit(kind.type + " *" + (constant ? "const " : "") + name + "[4] = {&" + o[0] + ", &" + o[1] + ", &" + o[2] +
         ", &" + o[0] + "};");
  if (!constant && g.chance(40))
    g.emit(name + "[" + g.index(4) + "] = &" + g.random.pick(o) + ";");
  switch (g.below(4)) {
  case 0: return useThrough(g, kind, "(*" + name + "[" + std::to_string(g.below(4)) + "])", o);
  case 1: return useThrough(g, kind, "(**(" + name + " + " + g.index(4) + "))", o);
  case 2: {
    std::string one = g.fresh("x");
    g.emit(kind.type + " *" + one + " = " + name + "[" + g.index(4) + "];");
    return useThrough(g, kind, "(*" + one + ")", o);
  }
  default: return useThrough(g, kind, "(*" + name + "[" + g.index(4) + "])", o);
  }
}

void walkingPointers(Generator &g) {
  if (!g.hasTiles)
    return;
  Kind kind = anyKind(g);
  std::string array = make(g, kind, 4), name = g.fresh("x");
  Names o = {array + "[0]", array + "[1]", array + "[2]", array + "[3]"};
  switch (g.below(7)) {
  case 0:
    g.emit(kind.type + " *" + name + " = " + (g.chance(50) ? array : "&" + array + "[0]") + ";");
    g.emit(g.chance(50) ? "++" + name + ";" : name + " += " + g.index(2) + ";");
    return useThrough(g, kind, name + "[" + g.index(2) + "]", o);
  case 1:
    g.emit(kind.type + " *" + name + " = &" + array + "[3];");
    g.emit("if (" + g.condition() + ") --" + name + ";");
    return useThrough(g, kind, "(*(" + name + " - " + g.index(2) + "))", o);
  case 2: return useThrough(g, kind, "(*(" + array + " + " + g.index(4) + "))", o);
  case 3:
    g.block("for (" + kind.type + " *" + name + " = " + array + "; " + name + " != " + array + " + 4; ++" + name +
                ") {",
            [&] {
              g.emit("if (" + g.condition() + ") continue;");
              kind.change(g, "(*" + name + ")", o);
            });
    return showAll(g, kind, o);
  case 4:
    g.emit(kind.type + " (*" + name + ")[4] = &" + array + ";");
    return useThrough(g, kind, "(*" + name + ")[" + g.index(4) + "]", o);
  case 5:
    g.emit(kind.type + " (&" + name + ")[4] = " + array + ";");
    return useThrough(g, kind, name + "[" + g.index(4) + "]", o);
  default:
    g.emit(kind.type + " *" + name + " = " + array + " + " + g.index(2) + ";");
    kind.change(g, "(*" + name + "++)", o);
    return useThrough(g, kind, "(*" + name + ")", o);
  }
}

void memberPointers(Generator &g) {
  if (!g.hasTiles)
    return;
  Kind kind = anyKind(g);
  Names o = makeSome(g, kind);
  std::string type = g.fresh("Holder"), name = g.fresh("x");
  switch (g.below(5)) {
  case 0:
    g.around("struct " + type + " { int32_t v; " + kind.type + " *m; };");
    g.emit(type + " " + name + " = {3, " + g.condition() + " ? &" + o[0] + " : &" + o[1] + "};");
    if (g.chance(40))
      g.emit("if (" + g.condition() + ") " + name + ".m = &" + o[2] + ";");
    if (g.chance(40)) {
      g.emit(type + " *" + name + "p = &" + name + ";");
      return useThrough(g, kind, "(*" + name + "p->m)", o);
    }
    return useThrough(g, kind, "(*" + name + ".m)", o);
  case 1:
    g.around("struct " + type + " { " + kind.type + " *m[2]; };");
    g.emit(type + " " + name + " = {{&" + o[0] + ", &" + o[1] + "}};");
    return useThrough(g, kind, "(*" + name + ".m[" + g.index(2) + "])", o);
  case 2:
    g.around("struct " + type + " { " + kind.type + " &m; };");
    g.emit(type + " " + name + " = {" + g.condition() + " ? " + o[0] + " : " + o[1] + "};");
    return useThrough(g, kind, name + ".m", o);
  case 3: { // from one member to the next
    g.around("struct " + type + " { " + kind.type + " m, e; };");
    g.emit(type + " " + name + " = {" + o[0] + ", " + o[1] + "};");
    g.emit(type + " *" + name + "p = (" + type + " *)&" + name + ".m;");
    Names parts = {name + ".m", name + ".e", o[0]};
    return useThrough(g, kind, name + "p->e", parts);
  }
  default:
    g.around("struct " + type + " { " + kind.type + " *m; AICORE " + type + "(" + kind.type + " *x) : m(x) {} AICORE " +
             kind.type + " &get() { return *m; } };");
    g.emit(type + " " + name + "(" + g.condition() + " ? &" + o[0] + " : &" + o[1] + ");");
    return useThrough(g, kind, name + ".get()", o);
  }
}

void pointerHelpers(Generator &g) {
  if (!g.hasTiles)
    return;
  Kind kind = anyKind(g);
  std::string name = g.fresh("step");
  const std::string t = kind.type;
  if (g.chance(35)) {
    std::string array = make(g, kind, 4);
    Names o = {array + "[0]", array + "[1]", array + "[2]", array + "[3]"};
    std::string change = t == "GD" ? "x[0] = x[1];" : "TASSIGN(*x, (uint64_t)((v & 7) * 0x400));";
    switch (g.below(3)) {
    case 0:
      g.around("static AICORE inline void " + name + "(" + t + " *x, int64_t v) { x += v & 1; " + change + " }");
      break;
    case 1:
      g.around("static AICORE inline void " + name + "(" + t +
               " *x, int64_t v) { for (int32_t i = 0; i < 3; ++i, ++x) { " + change + " v += 3; } }");
      break;
    default:
      g.around("static AICORE inline void " + name + "(" + t + " *x, int64_t v) { " + t +
               " *e = x + 3; while (x != e) { " + change + " ++x; } }");
      break;
    }
    g.emit(name + "(" + (g.chance(50) ? array : "&" + array + "[0]") + ", " + g.index(8) + ");");
    return showAll(g, kind, o);
  }
  Names o = makeSome(g, kind);
  switch (g.below(5)) {
  case 0:
    g.around("static AICORE inline " + t + " *" + name + "(" + t + " *x, " + t +
             " *y, int64_t v) { return v & 1 ? x : y; }");
    return useThrough(g, kind, "(*" + name + "(&" + o[0] + ", &" + o[1] + ", " + g.any() + "))", o);
  case 1:
    g.around("static AICORE inline " + t + " &" + name + "(" + t + " *x, " + t +
             " &y, int64_t v) { if (v & 1) return *x; return y; }");
    return useThrough(g, kind, name + "(&" + o[0] + ", " + o[1] + ", " + g.any() + ")", o);
  case 2:
    g.around("static AICORE inline void " + name + "(" + t + " **x, " + t + " *y) { *x = y; }");
    g.emit(t + " *" + name + "x = &" + o[0] + ";");
    g.emit("if (" + g.condition() + ") " + name + "(&" + name + "x, &" + o[1] + ");");
    return useThrough(g, kind, "(*" + name + "x)", o);
  case 3:
    g.around("static AICORE inline void " + name + "(" + t + " *&x, " + t + " &y) { x = &y; }");
    g.emit(t + " *" + name + "x = &" + o[2] + ";");
    g.emit(name + "(" + name + "x, " + g.condition() + " ? " + o[0] + " : " + o[1] + ");");
    return useThrough(g, kind, "(*" + name + "x)", o);
  default: {
    std::string change = t == "GD" ? "*x = *y;" : "TASSIGN(*x, (uint64_t)((v & 7) * 0x400)); TADDS(*y, *x, v);";
    g.around("static AICORE inline void " + name + "(" + t + " *x, " + t + " *y, int64_t v) { " +
             (g.chance(50) ? "if (v & 8) x = y; " : "") + change + " }");
    g.emit(name + "(&" + o[0] + ", &" + o[1] + ", " + g.any() + ");");
    g.emit(name + "(" + g.condition() + " ? &" + o[1] + " : &" + o[2] + ", &" + o[0] + ", " + g.any() + ");");
    return showAll(g, kind, o);
  }
  }
}

void loopsOverObjects(Generator &g) {
  if (!g.hasTiles)
    return;
  Kind kind = anyKind(g);
  std::string array = make(g, kind, 3), name = g.fresh("x");
  Names o = {array + "[0]", array + "[1]", array + "[2]"};
  bool pointers = g.chance(40);
  std::string range = array;
  if (pointers) {
    range = g.fresh("x");
    g.emit(kind.type + " *" + range + "[3] = {&" + o[0] + ", &" + o[2] + ", &" + g.random.pick(o) + "};");
  }
  std::string declared = pointers       ? (g.chance(50) ? kind.type + " *" : "auto &")
                         : g.chance(50) ? kind.type + " &"
                                        : "auto &&";
  g.block("for (" + declared + name + " : " + range + ") {", [&] {
    if (g.chance(40))
      g.emit("if (" + g.condition() + ") " + (g.chance(50) ? "continue;" : "break;"));
    kind.change(g, pointers ? "(*" + name + ")" : name, o);
    if (g.chance(50))
      kind.show(g, pointers ? "(*" + name + ")" : name);
  });
  showAll(g, kind, o);
}

} // namespace

std::vector<Feature> pointerFeatures() {
  return {{"chosen-pointer", chosenPointers}, {"pointer-array", pointerArrays},   {"walking-pointer", walkingPointers},
          {"member-pointer", memberPointers}, {"pointer-helper", pointerHelpers}, {"object-loop", loopsOverObjects}};
}

} // namespace ptosync::differential
