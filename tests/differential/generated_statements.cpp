// Statements that every program is made of.
#include "differential/program_generator.h"

namespace ptosync::differential {

/// Lets a value be seen: an operand, an address, an id.
void ProgramGenerator::observe(const std::string &value) {
  if (!hasTiles || tiles.empty())
    return;
  switch (below(8)) {
  case 0: return emit("set_flag(PIPE_MTE2, PIPE_V, (event_t)((" + value + ") & 7));");
  case 1: {
    std::string tile = fresh("x");
    std::string source = pickTile();
    emit("T " + tile + "; TASSIGN(" + tile + ", (uint64_t)((" + value + ") & 0xffff));");
    return emit("TADD(" + tile + ", " + source + ", " + pickTile() + ");");
  }
  default: return emit("TADDS(" + pickTile() + ", " + pickTile() + ", " + value + ");");
  }
}

void ProgramGenerator::observe() { observe(any(2)); }

void ProgramGenerator::sync() {
  static const std::vector<std::string> kPairs = {"PIPE_MTE2, PIPE_V", "PIPE_V, PIPE_MTE3", "PIPE_V, PIPE_MTE2",
                                                  "PIPE_MTE3, PIPE_S"};
  switch (below(4)) {
  case 0: return emit("pipe_barrier(PIPE_V);");
  case 1: return emit("set_flag(" + random.pick(kPairs) + ", (event_t)(" + any(1) + " & 3));");
  case 2: return emit("wait_flag(" + random.pick(kPairs) + ", EVENT_ID" + std::to_string(below(4)) + ");");
  default:
    return emit("wait_flag(" + random.pick(kPairs) + ", " + (chance(50) ? "(event_t)(" : "static_cast<event_t>(") +
                any(1) + " & 7));");
  }
}

void ProgramGenerator::storeMemory() {
  std::string at = index(64), value = any();
  switch (below(4)) {
  case 0: return emit("b[" + at + "] = " + value + ";");
  case 1: return emit("*(q + " + at + ") = " + value + ";");
  case 2: return emit("w[" + at + "] ^= " + value + ";");
  default: return emit("q[" + at + "] = " + value + ";");
  }
}

void ProgramGenerator::assign() {
  std::optional<Scalar> target = place(true);
  if (!target)
    return observe();
  if (chance(45))
    return emit(compound(*target) + ";");
  emit(target->text + " = " + any(3) + ";");
}

void ProgramGenerator::branch() {
  auto arm = [&] {
    statements(static_cast<int>(random.between(1, 2)));
    if (breakable > 0 && chance(25))
      emit(loops > 0 && chance(50) ? "continue;" : "break;");
  };
  bool otherwise = chance(50);
  block("if (" + condition() + ") {", arm, otherwise ? "} else {" : "}");
  if (!otherwise)
    return;
  Piece first = std::move(out->back());
  out->pop_back();
  block("", arm, "}");
  Piece second = std::move(out->back());
  out->pop_back();
  out->push_back({"", {std::move(first), std::move(second)}, ""});
}

void ProgramGenerator::loop() {
  std::string name = fresh("i");
  std::string bound = chance(50) ? std::to_string(random.between(1, 3)) : "(" + any(1) + " & 3)";
  auto body = [&](Type type) {
    return [this, name, type] {
      declare(name, type, false);
      ++loops, ++breakable;
      statements(static_cast<int>(random.between(1, 3)));
      --loops, --breakable;
    };
  };
  switch (below(6)) {
  case 0:
    return block("for (uint32_t " + name + " = 0; " + name + " < (uint32_t)" + bound + "; " + name + "++) {",
                 body(U32));
  case 1: return block("for (int64_t " + name + " = " + bound + "; " + name + " > 0; --" + name + ") {", body(I64));
  case 2: return block("for (uint8_t " + name + " = 254; " + name + " != 2; ++" + name + ") {", body(U8));
  case 3: {
    emit("int32_t " + name + " = " + bound + ";");
    return block("while (" + name + "-- > 0) {", body(I32));
  }
  case 4: {
    emit("uint16_t " + name + " = 0;");
    return block("do {", body(U16), "} while (++" + name + " < (uint16_t)" + bound + ");");
  }
  default: return block("for (int32_t " + name + " = 0; " + name + " < " + bound + "; " + name + " += 1) {", body(I32));
  }
}

void ProgramGenerator::baseStatement() {
  switch (below(12)) {
  case 0:
  case 1: {
    Type type = anyType();
    std::string name = fresh("v");
    std::string value = of(type, 3);
    emit(std::string(chance(15) ? "const " : "") + spell(type) + " " + name +
         (chance(80) ? " = " + value + ";" : "((" + value + "));"));
    return declare(name, type, out->back().open.rfind("const", 0) != 0);
  }
  case 2:
  case 3:
  case 4: return assign();
  case 5: return depth < 4 ? branch() : observe();
  case 6: return depth < 3 && loops < 2 ? loop() : observe();
  case 7: return hasMemory ? storeMemory() : assign();
  case 8: return hasTiles ? sync() : assign();
  case 9: {
    // The name of an outer variable, for another one.
    std::optional<Scalar> hidden = place(false);
    if (!hidden || hidden->text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos ||
        depth >= 4)
      return observe();
    std::string name = hidden->text;
    bool inner = chance(50);
    std::string value = inner ? "" : any();
    return block("{", [&] {
      Type type = anyType();
      emit(spell(type) + " " + (inner ? fresh("u") : name) + " = " + (inner ? any() : literal().text) + ";");
      if (!inner)
        for (Scalar &scalar : scalars)
          if (scalar.text == name)
            scalar = {name, type, true, newGroup(), true};
      std::vector<Scalar> before = scalars;
      statements(2);
      observe(name);
      (void)before;
    });
  }
  default: return observe();
  }
}

} // namespace ptosync::differential
