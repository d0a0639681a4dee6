#include "machine/form_choice.h"

#include "machine/call.h"
#include "machine/small_model.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("forms are told apart by the number of arguments") {
  Machine machine =
      machineWith(form(list({kDst, kSrc}), "PIPE_V") + "," + form(list({kDst, kSrc, kScalar, kTmp}), "PIPE_S"));
  CHECK(chosen(machine, Call("X").tile("Vec").tile("Vec")) == "V(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec").tile("Vec").scalar()) == "S(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec").tile("Vec").scalar().tile("Vec")) == "S(0w 1r 3rw*)");
  CHECK(Call("X").tile("Vec").effects(machine, Trust::Tile).fence == FenceKind::All);
  CHECK(Call("X").tile("Vec").tile("Vec").scalar().tile("Vec").scalar().effects(machine, Trust::Tile).fence ==
        FenceKind::All);
}

TEST_CASE("forms are told apart by the kinds of their arguments") {
  Machine machine = machineWith(form(list({kDst, kScalar}), "PIPE_S") + "," + form(list({kDst, kSrc}), "PIPE_V"));
  CHECK(chosen(machine, Call("X").tile("Vec").scalar()) == "S(0w)");
  CHECK(chosen(machine, Call("X").tile("Vec").tile("Vec")) == "V(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec").tensor()) == "V(0w 1r)");
  // A pointer may be either: the first form that takes it.
  CHECK(chosen(machine, Call("X").tile("Vec").pointer()) == "S(0w)");
  CHECK_FALSE(Call("X").scalar().scalar().effects(machine, Trust::Tile).known);
  CHECK_FALSE(Call("X").tile("Vec").fifo().effects(machine, Trust::Tile).known);
}

TEST_CASE("the first form whose conditions hold is taken; a property that is not known holds for none") {
  Machine machine = machineWith(
      form(list({kDst, kSrc}), "PIPE_M", R"(, "when": {"src.location": ["Mat", "Acc"], "dst.type": "half"})") + "," +
      form(list({kDst, kSrc}), "PIPE_V", R"(, "when": {"src.type": "floating"})") + "," +
      form(list({kDst, kSrc}), "PIPE_S", R"(, "when": {"src.type": "integer"})") + "," +
      form(list({kDst, kSrc}), "PIPE_FIX"));
  CHECK(chosen(machine, Call("X").tile("Vec", "half").tile("Mat")) == "M(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec", "half").tile("Acc")) == "M(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec", "float").tile("Mat")) == "V(0w 1r)"); // one of two does not hold
  for (const char *floating : {"float", "half", "bfloat16_t", "float8_e4m3_t", "hifloat8_t"})
    CHECK(chosen(machine, Call("X").tile("Vec").tile("Vec", floating)) == "V(0w 1r)");
  for (const char *integer : {"int8_t", "uint16_t", "int32_t", "bool", "int4b_t"})
    CHECK(chosen(machine, Call("X").tile("Vec").tile("Vec", integer)) == "S(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec").tile("Vec", "mystery")) == "FIX(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec").unknown()) == "FIX(0w 1r)");
}

TEST_CASE("conditions ask for layouts, kinds, directions, template arguments and sections") {
  Machine machine = machineWith(
      form(list({kDst}), "PIPE_M", R"(, "when": {"dst.layout": "ColMajor"})") + "," +
      form(list({kDst}), "PIPE_V", R"(, "when": {"template": "AtomicType::Atomic"})") + "," +
      form(list({kDst}), "PIPE_S", R"(, "when": {"section": "cube"})") + "," +
      form(list({kDst}), "PIPE_MTE2", R"(, "when": {"dst.kind": "tensor"})") + "," +
      form(R"({"name": "fifo", "role": "fifo"})", "PIPE_FIX", R"(, "when": {"fifo.direction": "DIR_C2V"})") + "," +
      form(list({kDst}), "PIPE_MTE3"));
  CHECK(chosen(machine, Call("X").tile("Vec", "float", BlockLayout::ColMajor)) == "M(0w)");
  CHECK(chosen(machine, Call("X").tile("Vec").templateArgument("3").templateArgument("AtomicType::AtomicAdd")) ==
        "V(0w)");
  CHECK(chosen(machine, Call("X").tile("Vec").section(Section::Cube)) == "S(0w)");
  CHECK(chosen(machine, Call("X").tensor()) == "MTE2(0w)");
  CHECK(chosen(machine, Call("X").fifo("DIR_C2V")) == "FIX");
  CHECK_FALSE(Call("X").fifo("DIR_V2C").effects(machine, Trust::Tile).known);
  CHECK(chosen(machine, Call("X").tile("Vec").section(Section::Both)) == "MTE3(0w)");
}

TEST_CASE("a condition may ask how much of a tile is valid, at the call if that is known") {
  Machine machine = machineWith(form(list({kDst}), "PIPE_S", R"(, "when": {"dst.region": "single"})") + "," +
                                form(list({kDst}), "PIPE_V", R"(, "when": {"dst.region": "several"})") + "," +
                                form(list({kDst}), "PIPE_M"));
  auto sized = [](std::int64_t validRows, std::int64_t validCols) {
    Tile tile = rows(64, validCols);
    tile.staticValidRows = validRows;
    return Call("X").tileOf(tile);
  };
  CHECK(chosen(machine, sized(1, 1)) == "S(0w)");
  CHECK(chosen(machine, sized(1, 2)) == "V(0w)");
  CHECK(chosen(machine, sized(-1, 1)) == "M(0w)");
  CHECK(chosen(machine, sized(1, -1)) == "M(0w)");
  auto single = [](const Tile &tile) {
    Tile known = tile;
    known.staticValidRows = known.staticValidCols = 1;
    return known;
  };
  CHECK(describe(sized(-1, 1).effects(machine, Trust::Tile, single)) == "S(0w)");
}

TEST_CASE("a condition may ask whether two regions are known to differ") {
  Machine machine = machineWith(form(list({kDst, kSrc}), "PIPE_S", R"(, "when": {"src.unlike": "dst"})") + "," +
                                form(list({kDst, kSrc}), "PIPE_V"));
  auto sized = [](std::int64_t validRows, std::int64_t validCols) {
    return Call("X").tile("Vec").tileOf(shaped(16, 64, validRows, validCols));
  };
  CHECK(chosen(machine, sized(16, 64)) == "V(0w 1r)");
  CHECK(chosen(machine, sized(16, 8)) == "S(0w 1r)");
  CHECK(chosen(machine, sized(2, 64)) == "S(0w 1r)");
  CHECK(chosen(machine, sized(-1, 64)) == "V(0w 1r)");
  CHECK(chosen(machine, sized(-1, 8)) == "S(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec").tensor()) == "V(0w 1r)");
}

TEST_CASE("a condition may ask whether two regions are known to be the same") {
  Machine machine = machineWith(form(list({kDst, kSrc}), "PIPE_S", R"(, "when": {"src.like": "dst"})") + "," +
                                form(list({kDst, kSrc}), "PIPE_V"));
  auto sized = [](std::int64_t validRows, std::int64_t validCols) {
    return Call("X").tile("Vec").tileOf(shaped(16, 64, validRows, validCols));
  };
  CHECK(chosen(machine, sized(16, 64)) == "S(0w 1r)");
  CHECK(chosen(machine, sized(16, 8)) == "V(0w 1r)");
  CHECK(chosen(machine, sized(-1, 64)) == "V(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec").tensor()) == "V(0w 1r)");
}

TEST_CASE("a condition may ask whether a tensor is known to go into a tile") {
  Machine machine = machineWith(form(list({kDst, kSrc}), "PIPE_S", R"(, "when": {"src.fits": "dst"})") + "," +
                                form(list({kDst, kSrc}), "PIPE_V"));
  auto into = [](std::array<std::int64_t, 5> shape) {
    return Call("X").tile("Vec").tensorOf(tensorShaped(shape)); // 16 rows of 64
  };
  CHECK(chosen(machine, into({1, 1, 1, 16, 64})) == "S(0w 1r)");
  CHECK(chosen(machine, into({2, 2, 2, 2, 8})) == "S(0w 1r)");
  CHECK(chosen(machine, into({1, 1, 1, 17, 64})) == "V(0w 1r)");
  CHECK(chosen(machine, into({1, 1, 1, 16, 65})) == "V(0w 1r)");
  CHECK(chosen(machine, into({1, 1, -1, 16, 64})) == "V(0w 1r)");
  CHECK(chosen(machine, into({std::int64_t{1} << 62, 8, 1, 16, 64})) == "V(0w 1r)");
  CHECK(chosen(machine, Call("X").tile("Vec").tile("Vec")) == "V(0w 1r)");
}

TEST_CASE("no form fits a template constant that the instruction does not account for") {
  Machine machine = machineWith(form(list({kDst}), "PIPE_S", R"(, "when": {"template": "AtomicType::AtomicAdd"})") +
                                "," + form(list({kDst}), "PIPE_V"));
  auto with = [&](const char *constant) { return chosen(machine, Call("X").tile("Vec").templateArgument(constant)); };
  const std::string opaque = describe(Call("NOSUCH").tile("Vec").effects());
  CHECK(with("AtomicType::AtomicAdd") == "S(0w)");
  CHECK(with("AtomicType::AtomicMax") == "V(0w)");
  CHECK(with("7") == "V(0w)");
  CHECK(with("AtomicType") == opaque); // a constant of it that is not known, and one decides
  CHECK(with("ReluMode::On") == opaque);
  CHECK(with("?") == opaque);
}
