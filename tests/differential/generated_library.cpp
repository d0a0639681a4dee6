// Features of the library: tiles in all the ways that C++ lets one name them, views, tensors, memory, event ids.
#include "differential/program_generator.h"

namespace ptosync::differential {
namespace {

using Type = ProgramGenerator::Type;
using Generator = ProgramGenerator;
using Scalar = ProgramGenerator::Scalar;

void touch(Generator &g, const std::string &tile) {
  g.emit("TADDS(" + tile + ", " + g.pickTile() + ", " + g.literal().text + ");");
}

std::string randomOf(Generator &g, const std::vector<std::string> &texts) { return g.random.pick(texts); }

std::string address(Generator &g) { return "(uint64_t)((" + g.any() + " & 15) * 0x1000)"; }

void chosenTiles(Generator &g) {
  if (!g.hasTiles)
    return;
  std::string name = g.fresh("x");
  std::string choice = "(" + g.condition() + " ? " + g.pickTile() + " : " + g.pickTile() + ")";
  switch (g.below(9)) {
  case 0: return g.emit("TADDS(" + choice + ", " + g.pickTile() + ", 1);");
  case 1:
    return g.emit("TADD(" + g.pickTile() + ", " + choice + ", (" + g.condition() + " ? " + g.pickTile() + " : " +
                  choice + "));");
  case 2: {
    g.emit("T &" + name + " = " + choice + ";");
    if (g.chance(60))
      g.emit("TASSIGN(" + name + ", " + address(g) + ");");
    touch(g, name);
    return touch(g, g.pickTile());
  }
  case 3:
    g.emit("TASSIGN(" + choice + ", " + address(g) + ");");
    touch(g, "t0");
    touch(g, "t1");
    return touch(g, "t2");
  case 4: {
    g.emit("T *" + name + " = &" + g.pickTile() + ";");
    if (g.chance(50))
      g.emit("if (" + g.condition() + ") " + name + " = &" + g.pickTile() + ";");
    if (g.chance(50))
      g.emit("TASSIGN(*" + name + ", " + address(g) + ");");
    touch(g, "*" + name);
    touch(g, "t0");
    return touch(g, "t1");
  }
  case 5: {
    std::string i = g.fresh("i");
    g.emit("T " + name + "[3];");
    g.emit("for (int32_t " + i + " = 0; " + i + " < 3; ++" + i + ") { TASSIGN(" + name + "[" + i + "], (uint64_t)(" +
           i + " * 0x2000 + 0x100)); }");
    touch(g, name + "[" + std::to_string(g.below(3)) + "]");
    touch(g, name + "[" + g.index(2) + "]");
    if (g.chance(50))
      g.emit("TASSIGN(" + name + "[" + g.index(2) + "], " + address(g) + ");");
    return touch(g, name + "[1]");
  }
  case 6: {
    std::string type = g.fresh("Buffers");
    g.around("struct " + type + " { T a; T e; uint32_t f = 0; };");
    g.emit(type + " " + name + ";");
    g.emit("TASSIGN(" + name + ".a, " + address(g) + "); TASSIGN(" + name + ".e, 0x9000);");
    touch(g, name + ".a");
    if (g.chance(50)) {
      std::string reference = g.fresh("x");
      g.emit(type + " &" + reference + " = " + name + "; TASSIGN(" + reference + ".e, " + address(g) + ");");
    }
    return touch(g, name + ".e");
  }
  case 7: { // a copy is another tile
    g.emit((g.chance(50) ? "T " : "auto ") + name + " = " + (g.chance(50) ? choice : g.pickTile()) + ";");
    g.emit("TASSIGN(" + g.pickTile() + ", " + address(g) + ");");
    touch(g, name);
    if (g.chance(50)) {
      g.emit(g.pickTile() + " = " + name + ";");
      touch(g, "t0");
    }
    g.tiles.push_back(name);
    return;
  }
  default: {
    std::string second = g.fresh("x");
    g.emit("T &" + name + " = " + g.pickTile() + ", &" + second + " = " + name + ";");
    g.emit("TASSIGN(" + second + ", " + address(g) + ");");
    touch(g, name);
    touch(g, "t0");
    return touch(g, "t1");
  }
  }
}

void tileHelpers(Generator &g) {
  if (!g.hasTiles)
    return;
  std::string name = g.fresh("step");
  switch (g.below(5)) {
  case 0:
    g.function("static AICORE inline void " + name + "(T &a, T e, const T &f, int32_t x) {", [&] {
      g.hasTiles = true;
      g.tiles = {"a", "e", "f"};
      g.declare("x", Generator::I32);
      g.statements(2);
      if (g.chance(50))
        g.emit("TASSIGN(a, (uint64_t)((x & 7) * 0x800));");
      if (g.chance(50))
        g.emit("TASSIGN(e, (uint64_t)((x & 7) * 0x800));");
      g.emit("TADD(a, e, f);");
    });
    for (int i = 0; i < 2; ++i) {
      g.emit(name + "(" + g.pickTile() + ", " + g.pickTile() + ", " + g.pickTile() + ", " + g.any() + ");");
      touch(g, g.pickTile());
    }
    return;
  case 1:
    g.around("static AICORE inline T &" + name + "(T &a, T &e, int64_t x) { return x & 1 ? a : e; }");
    g.emit("TADDS(" + name + "(t0, t1, " + g.any() + "), t2, 3);");
    if (g.chance(50))
      g.emit("TASSIGN(" + name + "(t0, t1, " + g.any() + "), " + address(g) + ");");
    touch(g, "t0");
    return touch(g, "t1");
  case 2: {
    g.around("static AICORE inline T " + name + "(uint64_t x) { T a; TASSIGN(a, x); return a; }");
    std::string made = g.fresh("x");
    g.emit("T " + made + " = " + name + "(" + address(g) + ");");
    return touch(g, made);
  }
  case 3:
    g.around("template <typename A, typename B> static AICORE inline void " + name +
             "(A &a, B &&e, uint64_t x) { TASSIGN(a, x); TADD(a, e, e); }");
    g.emit(name + "(" + g.pickTile() + ", " + g.pickTile() + ", " + address(g) + ");");
    return touch(g, g.pickTile());
  default: {
    std::string lambda = g.fresh("f");
    g.emit("auto " + lambda + " = [&](T &a, uint64_t x) { TASSIGN(a, x); TADDS(a, t1, 4); };");
    g.emit(lambda + "(t0, " + address(g) + ");");
    touch(g, "t0");
    return touch(g, "t1");
  }
  }
}

void placing(Generator &g) {
  if (!g.hasTiles)
    return;
  std::string tile = g.pickTile();
  switch (g.below(4)) {
  case 0: g.emit("TASSIGN<0x" + std::to_string(g.random.between(1, 9)) + "00>(" + tile + ");"); return touch(g, tile);
  case 1: {
    std::string i = g.fresh("i");
    g.block("for (uint64_t " + i + " = 0; " + i + " < 3; ++" + i + ") {", [&] {
      g.emit("TASSIGN(" + tile + ", (uint64_t)((" + i + " % 2) * 0x3000));");
      touch(g, tile);
    });
    return touch(g, tile);
  }
  case 2: g.emit("if (" + g.condition() + ") { TASSIGN(" + tile + ", " + address(g) + "); }"); return touch(g, tile);
  default: {
    Scalar x = g.variable(Generator::U64);
    g.emit("TASSIGN(" + tile + ", " + x.text + ");");
    g.emit(g.compound(x) + ";");
    return touch(g, tile);
  }
  }
}

void views(Generator &g) {
  if (!g.hasTiles)
    return;
  std::string name = g.fresh("x");
  switch (g.below(4)) {
  case 0: {
    g.emit("S " + name + "; TRESHAPE(" + name + ", " + g.pickTile() + ");");
    if (g.chance(50))
      g.emit("TASSIGN(" + g.pickTile() + ", " + address(g) + ");");
    return touch(g, name);
  }
  case 1:
    g.emit("S " + name + "; TSUBVIEW(" + name + ", " + g.pickTile() + ", " + g.any(1) + " & 7, " + g.any(1) +
           " & 63);");
    return touch(g, name);
  case 2: {
    g.emit("D " + name + "(" + g.index(16) + ", " + g.any(1) + " & 127); TASSIGN(" + name + ", 0x7000);");
    touch(g, name);
    const char *calls[] = {".SetValidShape(", ".SetValidRow(", ".SetValidCol("};
    std::int64_t which = g.below(3);
    g.emit(name + calls[which] + g.index(16) + (which == 0 ? ", " + g.index(128) : "") + ");");
    touch(g, name);
    return g.observe(name + (g.chance(50) ? ".GetValidRow()" : ".GetValidCol()"));
  }
  default: {
    std::string copy = g.fresh("x");
    g.emit("D " + name + "(3, 9); TASSIGN(" + name + ", 0x7000); D " + copy + " = " + name + ";");
    g.emit((g.chance(50) ? name : copy) + ".SetValidShape(" + g.index(16) + ", 8);");
    touch(g, name);
    return touch(g, copy);
  }
  }
}

void tensors(Generator &g) {
  if (!g.hasMemory || !g.hasTiles)
    return;
  std::string name = g.fresh("g");
  std::string pointer = g.chance(50) ? "p + (" + g.any() + " & 4095)"
                                     : "p + " + g.index(64) + " * " + std::to_string(g.random.between(1, 2048));
  switch (g.below(5)) {
  case 0:
    g.emit("G " + name + "(" + pointer + ");");
    g.emit("TLOAD(" + g.pickTile() + ", " + name + ");");
    if (g.chance(50)) {
      g.emit(name + " = G(p + " + g.index(32) + ");");
      g.emit("TSTORE(" + name + ", " + g.pickTile() + ");");
    }
    return;
  case 1:
    g.emit("G " + name + " = G(" + pointer +
           ", pto::Shape<1, 1, 1, 16, 128>(), pto::Stride<2048, 2048, 2048, 128, 1>());");
    return g.emit("TSTORE(" + name + ", " + g.pickTile() + ");");
  case 2:
    g.emit("GD " + name + "(" + pointer + ", pto::Shape<1, 1, 1, -1, -1>(" + g.index(16) + ", " + g.index(128) +
           "), pto::Stride<2048, 2048, -1, -1, 1>(" + g.index(2048) + ", " + g.index(128) + "));");
    return g.emit("TLOAD(" + g.pickTile() + ", " + name + ");");
  case 3: return g.emit("TLOAD(" + g.pickTile() + ", G(" + pointer + "));");
  default: {
    std::string helper = g.fresh("fetch");
    g.around("static AICORE inline void " + helper +
             "(T &a, __gm__ float *from, int32_t x) { G local(from + x); TLOAD(a, local); }");
    return g.emit(helper + "(" + g.pickTile() + ", p + " + g.index(16) + ", " + g.any() + " & 255);");
  }
  }
}

void memory(Generator &g) {
  if (!g.hasMemory || !g.hasTiles)
    return;
  std::string name = g.fresh("m");
  switch (g.below(10)) {
  case 0: {
    std::string type = g.fresh("Header");
    g.around("struct " + type + " { int32_t a; uint8_t e; int16_t f[2]; float h; };");
    g.emit("__gm__ " + type + " *" + name + " = (__gm__ " + type + " *)" + (g.chance(50) ? "q" : "b") + ";");
    g.observe(name + randomOf(g, {"->a", "->e", "->f[1]", "[1].a"}));
    if (g.chance(40))
      g.emit(name + "->a = " + g.any() + ";");
    return g.observe("(*" + name + ").e");
  }
  case 1: {
    g.emit("__gm__ int32_t *" + name + " = q + " + g.index(16) + ";");
    g.observe("*" + name + "++");
    g.emit("*" + name + " = " + g.any() + ";");
    g.emit(name + " += 2;");
    return g.observe(name + "[" + g.index(4) + "]");
  }
  case 2: {
    g.emit("__gm__ int32_t *" + name + " = q + 20;");
    g.observe(name + "[-3]");
    return g.observe(name + "[-(int64_t)" + g.index(16) + "]");
  }
  case 3: return g.emit("TADDS(t0, t1, p[" + g.index(16) + "] * 2.0f);");
  case 4: {
    g.emit("float " + name + " = p[" + g.index(16) + "];");
    return g.emit("TADDS(t0, t1, " + name + " + 1.0f);");
  }
  case 5: {
    std::string helper = g.fresh("weigh");
    bool reference = g.chance(50);
    g.around("static AICORE inline int32_t " + helper + "(" + (reference ? "const int32_t &a" : "int32_t a") +
             ", int32_t e) { pipe_barrier(PIPE_S); return a ^ e; }");
    return g.observe(helper + "(q[" + g.index(16) + "], " + g.any(1) + ")");
  }
  case 6:
    g.emit("if (q[" + g.index(16) + "] > " + g.literal().text + " && b[" + g.index(16) +
           "] < 3) { TADDS(t0, t0, 1); }");
    return g.observe("(" + g.condition() + " ? q[1] : " + g.any(1) + ")");
  case 7:
    g.emit("q[" + g.index(16) + "]" + randomOf(g, {" += 0;", "++;", " ^= 5;", " &= q[3];"}));
    return g.observe("q[" + g.index(16) + "]");
  case 8: {
    g.emit("__gm__ uint16_t *" + name + " = (__gm__ uint16_t *)b;");
    g.observe(name + "[" + g.index(16) + "]");
    return g.emit(name + "[" + g.index(16) + "] = " + g.any() + ";");
  }
  default: {
    g.emit("int32_t &" + name + " = q[" + g.index(16) + "];");
    g.emit(name + " = " + g.any() + ";");
    return g.observe(name);
  }
  }
}

void eventArrays(Generator &g) {
  if (!g.hasTiles)
    return;
  std::string name = g.fresh("ids");
  g.emit("PTOAS_EventIdArray<3> " + name + ";");
  for (int i = 0; i < 3; ++i)
    g.emit(name + "[" + std::to_string(i) +
           "] = " + (g.chance(50) ? std::to_string(g.below(6)) : "(" + g.any(1) + ") & 7") + ";");
  switch (g.below(4)) {
  case 0: g.emit(name + "[" + g.index(2) + "] = " + std::to_string(g.below(8)) + ";"); break;
  case 1: {
    std::string copy = g.fresh("ids");
    g.emit("PTOAS_EventIdArray<3> " + copy + " = " + name + ";");
    g.emit(copy + "[1] = 5;");
    g.emit("set_flag(PIPE_V, PIPE_MTE2, (event_t) " + copy + "[1]);");
    break;
  }
  case 2: {
    std::string helper = g.fresh("advance");
    g.around("static AICORE inline void " + helper + "(PTOAS_EventIdArray<3> " + (g.chance(50) ? "&" : "") +
             "ids, int32_t x) { ids[x & 1] = 6; set_flag(PIPE_MTE2, PIPE_V, (event_t) ids[1]); }");
    g.emit(helper + "(" + name + ", " + g.any() + ");");
    break;
  }
  default: break;
  }
  for (int i = 0; i < 3; ++i) {
    std::string id = g.fresh("id");
    g.emit("event_t " + id + " = (event_t) " + name + "[" + (i < 2 ? std::to_string(i) : g.index(2)) + "];");
    g.emit("wait_flag(PIPE_MTE2, PIPE_V, " + id + ");");
  }
}

void eventIds(Generator &g) {
  if (!g.hasTiles)
    return;
  std::string name = g.fresh("id");
  g.emit("event_t " + name + " = " +
         randomOf(g, {"EVENT_ID2", "(event_t)(" + g.any() + " & 7)", g.condition() + " ? EVENT_ID1 : EVENT_ID4",
                      "static_cast<event_t>(EVENT_ID1 + (" + g.any(1) + " & 3))"}) +
         ";");
  g.emit("set_flag(PIPE_MTE2, PIPE_V, " + name + ");");
  if (g.chance(50))
    g.emit(name + " = (event_t)((" + name + " + 1) % 4);");
  g.emit("wait_flag(PIPE_MTE2, PIPE_V, " + name + ");");
  if (g.chance(30))
    g.emit("pipe_barrier((pipe_t)" + std::to_string(g.below(7)) + ");");
  if (g.chance(30))
    g.emit("set_flag(PIPE_V, PIPE_MTE3, " + g.index(8) + ");");
}

/// Names of the library that are the user's.
void names(Generator &g) {
  if (!g.hasTiles)
    return;
  std::string space = g.fresh("space");
  switch (g.below(3)) {
  case 0:
    g.around("namespace " + space + " { static AICORE inline void pipe_barrier(T &a) { TADDS(a, a, 7); } }");
    return g.emit(space + "::pipe_barrier(" + g.pickTile() + ");");
  case 1:
    g.around("namespace " + space +
             " { static AICORE inline void TASSIGN(T &a, uint64_t x) { ::TASSIGN(a, x + 0x40); } }");
    g.emit(space + "::TASSIGN(t0, " + address(g) + ");");
    return touch(g, "t0");
  default:
    g.around("struct " + space +
             " { uint32_t v; AICORE void TADDS(T &a, T &e, uint32_t x) { v += x; ::TADDS(e, a, v); } };");
    g.emit(space + " s" + space + "{2};");
    g.emit("s" + space + ".TADDS(t0, t1, " + g.any() + ");");
    return g.observe("s" + space + ".v");
  }
}

} // namespace

std::vector<Feature> libraryFeatures() {
  return {
      {"chosen-tile", chosenTiles}, {"tile-helper", tileHelpers}, {"placing", placing},         {"view", views},
      {"tensor", tensors},          {"memory", memory},           {"event-array", eventArrays}, {"event-id", eventIds},
      {"library-name", names}};
}

} // namespace ptosync::differential
