#include "machine/effects.h"

#include "machine/call.h"
#include "machine/small_model.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Call rowSum(Tile source) { return Call("TROWSUM").tile("Vec").tileOf(std::move(source)).tile("Vec"); }

constexpr const char *kRowSumPhases = "V(1r 2rw* 0w) | barrier V";
constexpr const char *kRowSumOpaque = "V(0w 1r 2rw*)";

} // namespace

TEST_CASE("an ordinary call is one access of its operands on its pipe") {
  Effects effects = Call("TADD").tile("Vec").tile("Vec").tile("Vec").effects();
  CHECK(effects.known);
  CHECK(effects.fence == FenceKind::None);
  CHECK(describe(effects) == "V(0w 1r 2r)");
  CHECK(describe(Call("TADDS").tile("Vec").tile("Vec").scalar().effects()) == "V(0w 1r)");
  CHECK(describe(Call("TLOAD").tile("Vec").tensor().effects()) == "MTE2(0w 1r)");
  CHECK(describe(Call("TMATMUL_ACC").tile("Acc").tile("Acc").tile("Left").tile("Right").effects()) ==
        "M(0rw 1r 2r 3r)");
}

TEST_CASE("a scratch operand is read, written and nobody's data") {
  CHECK(describe(rowSum(rows(64, 64)).effects()) == kRowSumOpaque);
  CHECK(describe(Call("TROWEXPANDDIV").tile("Vec").tile("Vec").tile("Vec", "float", BlockLayout::ColMajor).effects()) ==
        "V(0w 1r 2r scratchrw*)");
}

TEST_CASE("a call of several pipes is the same access on each") {
  CHECK(describe(Call("TSHL").tile("Vec", "int32_t").tile("Vec", "int32_t").tile("Vec", "int32_t").effects()) ==
        "S(0w 1r 2r) | V(0w 1r 2r)");
}

TEST_CASE("an unknown instruction is a fence on every pipe") {
  for (const Call &call : {Call("TFROBNICATE").tile("Vec"), Call("TADD").tile("Vec"), Call("")}) {
    Effects effects = call.effects();
    CHECK_FALSE(effects.known);
    CHECK(effects.form == nullptr);
    CHECK(effects.fence == FenceKind::All);
    CHECK(describe(effects) == "S | V | M | MTE1 | MTE2 | MTE3 | FIX");
  }
}

TEST_CASE("what is not followed is a fence on every pipe, whatever its name and its operands") {
  Machine machine = machineWith(form(list({kDst, kSrc}), "PIPE_V"));
  Call call = Call("X").tile("Vec").tile("Vec");
  CHECK(call.effects(machine, Trust::Tile).known);
  call.notFollowed();
  CHECK_FALSE(call.effects(machine, Trust::Tile).known);
  CHECK(call.effects(machine, Trust::Tile).fence == FenceKind::All);
  CHECK(Call("TADD").notFollowed().assigns() == Assigns::Unknown);
}

TEST_CASE("a scalar role takes a number, no object that is not followed") {
  Machine machine = machineWith(form(list({kDst, kScalar}), "PIPE_V") + ", " + form(list({kDst, kSrc}), "PIPE_MTE2"));
  CHECK(chosen(machine, Call("X").tile("Vec").scalar()) == "V(0w)");
  CHECK(chosen(machine, Call("X").tile("Vec").unknown()) == "MTE2(0w 1r)");
}

TEST_CASE("a fence over some pipes also holds the scalar unit, which touches no memory there") {
  CHECK(describe(Call("TPUSH").fifo().tile("Vec").effects()) == "S- | MTE3(1r)");
  CHECK(describe(Call("TFREE").fifo().effects()) == "S- | MTE2");
  CHECK(Call("TFREE").fifo().effects().fence == FenceKind::Release);
}

TEST_CASE("a fence over everything touches its operands on its own pipes only") {
  CHECK(describe(Call("TNOTIFY").tensor().scalar().scalar().effects()) ==
        "S(0rw) | V- | M- | MTE1- | MTE2- | MTE3- | FIX-");
}

TEST_CASE("with library trust a call is the phases inside it") {
  Call division = Call("TROWEXPANDDIV").tile("Vec").tile("Vec").tile("Vec", "float", BlockLayout::ColMajor);
  CHECK(describe(division.effects("a3", Trust::Library)) == "V(2r scratchw*) | barrier V | V(1r scratchr* 0w)");
  CHECK(describe(rowSum(rows(128, 128)).effects("a3", Trust::Library)) == kRowSumPhases);
}

TEST_CASE("library trust changes nothing where the model describes no phases") {
  Call addition = Call("TADD").tile("Vec").tile("Vec").tile("Vec");
  CHECK(describe(addition.effects("a3", Trust::Library)) == describe(addition.effects("a3", Trust::Tile)));
  CHECK(describe(rowSum(rows(128, 128)).effects("a5", Trust::Library)) == kRowSumOpaque);
  // Both sources column-major: which one is broadcast is not known.
  Call columns = Call("TROWEXPANDDIV")
                     .tile("Vec")
                     .tile("Vec", "float", BlockLayout::ColMajor)
                     .tile("Vec", "float", BlockLayout::ColMajor);
  CHECK(describe(columns.effects("a3", Trust::Library)) == "V(0w 1r 2r scratchrw*)");
}

TEST_CASE("the row reductions' early return without a barrier takes the phases away") {
  auto library = [](Tile source) { return describe(rowSum(std::move(source)).effects("a3", Trust::Library)); };
  // Up to one repeat of 256 bytes, with a stride under eight blocks: closing barrier.
  CHECK(library(rows(32, 32)) == kRowSumPhases);
  CHECK(library(rows(63, 63)) == kRowSumPhases);
  // The stride under eight blocks cannot hold more than one repeat of valid columns in a row-major
  // tile, so the early return needs a tile whose rows are wider than they are apart.
  CHECK(library(rows(32, 65)) == kRowSumOpaque);
  CHECK(library(rows(32, 127)) == kRowSumOpaque);
  CHECK(library(rows(32, 128)) == kRowSumPhases); // two full repeats
  CHECK(library(rows(64, 65)) == kRowSumPhases);  // stride of eight blocks
  // Run-time columns are bounded by the tile's columns.
  CHECK(library(rows(32, -1)) == kRowSumPhases);
  CHECK(library(rows(128, -1)) == kRowSumPhases);
}

TEST_CASE("the row reductions' early return looks at the rows of the scratch tile too") {
  auto library = [](Tile source, Tile scratch) {
    return describe(
        Call("TROWSUM").tile("Vec").tileOf(std::move(source)).tileOf(std::move(scratch)).effects("a3", Trust::Library));
  };
  CHECK(library(rows(128, 96), rows(8, 8)) == kRowSumOpaque);
  CHECK(library(rows(128, 96), rows(63, 63)) == kRowSumOpaque);
  CHECK(library(rows(128, 96), rows(64, 64)) == kRowSumPhases);
  CHECK(library(rows(128, 64), rows(8, 8)) == kRowSumPhases);  // one repeat
  CHECK(library(rows(128, 128), rows(8, 8)) == kRowSumPhases); // two
  CHECK(library(rows(128, -1), rows(8, 8)) == kRowSumOpaque);  // not known
}

TEST_CASE("a product has the rows of one operand and the columns of the other") {
  auto product = [](Tile left, Tile right) {
    return Call("TMATMUL").tile("Acc").tileOf(std::move(left)).tileOf(std::move(right)).effects().product;
  };
  Tile left = shaped(64, 16, 33, 16), right = shaped(16, 64, 16, 48);
  left.elementBits = right.elementBits = 16;
  REQUIRE(product(left, right));
  CHECK(*product(left, right) == MatrixProduct{33, 48, 16});
  CHECK(product(left, right)->fractals(16) == 9);
  left.staticValidRows = -1;
  CHECK_FALSE(product(left, right));
  CHECK_FALSE(Call("TADD").tile("Vec").tile("Vec").tile("Vec").effects().product);
}

TEST_CASE("a source whose layout is not plain may take the early return") {
  Tile boxed = rows(128, 128);
  boxed.innerLayout = InnerLayout::RowMajor;
  Tile column = rows(128, 128);
  column.blockLayout = BlockLayout::ColMajor;
  Tile packed = rows(128, 128);
  packed.elementBits = 4;
  for (const Tile &source : {boxed, column, packed})
    CHECK(describe(rowSum(source).effects("a3", Trust::Library)) == kRowSumOpaque);
  CHECK(describe(Call("TROWSUM").tile("Vec").unknown().tile("Vec").effects("a3", Trust::Library)) ==
        "S(0w 1r 2rw*) | V(0w 1r 2rw*)"); // not known to be floating point either
}

TEST_CASE("an exception that cannot be ruled out is taken to apply") {
  std::string phases =
      R"(, "library": [{"pipe": "PIPE_V", "reads": ["src"], "writes": ["dst"]}, {"barrier": "PIPE_V"}])";
  Call call = Call("X").tile("Vec").tile("Vec");
  CHECK(describe(call.effects(machineWith(form(list({kDst, kSrc}), "PIPE_V", phases)), Trust::Library)) ==
        "V(1r 0w) | barrier V");
  // Of operands that no row reduction has, nobody knows that it does not return early.
  Machine machine =
      machineWith(form(list({kDst, kSrc}), "PIPE_V", phases + R"(, "libraryUnless": "short-row-reduce")"));
  CHECK(describe(call.effects(machine, Trust::Library)) == "V(0w 1r)");
}

TEST_CASE("flags inside a call are passed on") {
  Effects effects = Call("TSHL").tile("Vec", "int32_t").tile("Vec", "int32_t").tile("Vec", "int32_t").effects();
  REQUIRE(effects.flags.size() == 2);
  CHECK(effects.flags[0].source == Pipe::V);
  CHECK(effects.flags[0].destination == Pipe::S);
  CHECK(effects.flags[1].source == Pipe::S);
}

TEST_CASE("a call that no form fits leaves its operands anywhere, if one of that name may assign") {
  auto assigns = [](Call call) { return call.assigns(); };
  CHECK(assigns(Call("TPOP").fifo().tile("Vec")) == Assigns::Address);
  CHECK(assigns(Call("TPOP").fifo().tensor()) == Assigns::PoppedTensor);
  CHECK(assigns(Call("TALLOC").fifo().tensor()) == Assigns::Tensor);
  CHECK(assigns(Call("TADD").tile("Vec").tile("Vec").tile("Vec")) == Assigns::Nothing);
  CHECK(assigns(Call("TADD").tile("Vec")) == Assigns::Nothing);
  CHECK(assigns(Call("TPOP").tile("Vec").tile("Vec")) == Assigns::Unknown);
  CHECK(assigns(Call("TFROBNICATE").tile("Vec")) == Assigns::Unknown);
}

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

namespace {

Tile typed(const std::string &element, Tile tile) {
  tile.element = element;
  return tile;
}

/// Bytes from the start of the tile to the last one that may be touched.
std::int64_t end(const EffectAccess &access) { return access.bytes ? access.bytes->extent() : -1; }

} // namespace

TEST_CASE("an access covers the valid region of its tile, and a scratch operand all of it") {
  Effects add = Call("TADD").tileOf(shaped(8, 64, 8, 16)).tile("Vec").tile("Vec").effects();
  CHECK(accessTo(add, 0).bytes == Footprint{8, 64, 256});
  CHECK(accessTo(add, 0).certain == Footprint{8, 64, 256});
  CHECK_FALSE(accessTo(add, 0).widened);
  Effects xors = Call("TXOR").tile("Vec").tile("Vec").tile("Vec").tileOf(shaped(8, 64, 8, 16)).effects();
  CHECK(accessTo(xors, 3).bytes == Footprint{1, 2048, 2048});
}

TEST_CASE("fills of a narrow region may be one run of elements") {
  EffectAccess narrow = accessTo(Call("TEXPANDS").tileOf(shaped(8, 64, 8, 16)).scalar().effects(), 0);
  CHECK(narrow.bytes == Footprint{1, 1856, 1856}); // up to the end of the last row
  CHECK(narrow.certain == Footprint{1, 64, 64});   // the first row on both readings
  CHECK(narrow.widened);
  EffectAccess full = accessTo(Call("TEXPANDS").tileOf(shaped(8, 64, 8, 64)).scalar().effects(), 0);
  CHECK(full.bytes == Footprint{1, 2048, 2048});
  CHECK_FALSE(full.widened);
  CHECK_FALSE(
      accessTo(Call("TEXPANDS").tileOf(shaped(8, 64, 1, 16)).scalar().effects(), 0).widened); // one row is one run
  for (const char *name : {"TANDS", "TORS"})
    CHECK(accessTo(Call(name).tileOf(shaped(8, 64, 8, 16)).tile("Vec").scalar().effects(), 0).widened);
  CHECK(accessTo(Call("TXORS").tileOf(shaped(8, 64, 8, 16)).tile("Vec").scalar().tile("Vec").effects(), 0).widened);
}

TEST_CASE("comparisons may turn the bits of whole rows") {
  const Tile compared = shaped(8, 64, 4, 64);
  EffectAccess bits =
      accessTo(Call("TCMP").tileOf(shaped(8, 64, 4, 8)).tileOf(compared).tileOf(compared).scalar().effects(), 0);
  CHECK(bits.bytes == Footprint{1, 1024, 1024});
  CHECK(bits.certain == Footprint{4, 32, 256});
  CHECK(accessTo(Call("TCMPS").tileOf(shaped(8, 64, 4, 8)).tile("Vec").scalar().scalar().effects(), 0).widened);
}

TEST_CASE("row reductions take a repeat of scratch for every row of the source") {
  auto scratch = [](Tile source, Tile tile) {
    return accessTo(Call("TROWMAX").tile("Vec").tileOf(std::move(source)).tileOf(std::move(tile)).effects(), 2);
  };
  CHECK(end(scratch(shaped(16, 128, 16, 128), shaped(16, 8, 16, 8))) == 15 * 32 + 256);
  CHECK(end(scratch(shaped(16, 128, 9, 128), shaped(1, 8, 1, 8))) == 8 * 32 + 256); // 480 bytes behind 32
  CHECK(end(scratch(shaped(16, 128, 16, 128), shaped(16, 64, 16, 64))) == 4096);    // all within the tile
  CHECK(end(scratch(shaped(64, 128, 64, 128), shaped(1, 8, 1, 8))) == 4096);        // one of four shapes
  CHECK(scratch(shaped(16, 128, 16, 128), shaped(16, 8, 16, 8)).widened);
  CHECK_FALSE(scratch(shaped(16, 128, 16, 128), shaped(16, 8, 16, 8)).certain); // left alone on some paths
}

TEST_CASE("what other instructions touch beyond their tiles") {
  // A mask of a repeat behind a row of the result.
  EffectAccess mask = accessTo(
      Call("TREM").tileOf(shaped(4, 32, 4, 32)).tile("Vec").tile("Vec").tileOf(shaped(1, 40, 1, 40)).effects(), 3);
  CHECK(end(mask) == 128 + 256);
  EffectAccess cleared =
      accessTo(Call("TSCATTER").tileOf(shaped(8, 64, 4, 16)).tile("Vec").tile("Vec", "int32_t").effects(), 0);
  CHECK(cleared.bytes == Footprint{1, 2048, 2048});
  EffectAccess ragged =
      accessTo(Call("TGATHERB").tileOf(shaped(4, 96, 4, 72)).tile("Vec").tile("Vec", "uint32_t").effects(), 0);
  CHECK(end(ragged) == 3 * 384 + 512);
  EffectAccess behind =
      accessTo(Call("TROWARGMAX").tile("Vec", "int32_t").tile("Vec").tileOf(shaped(1, 512, 1, 512)).effects(), 2);
  CHECK(end(behind) >= 2048 + 240);
  // Of integers it is filled as wide as a row first.
  EffectAccess wide = accessTo(Call("TREM")
                                   .tileOf(typed("int32_t", shaped(4, 128, 4, 128)))
                                   .tile("Vec")
                                   .tile("Vec")
                                   .tileOf(shaped(1, 136, 1, 136))
                                   .effects(),
                               3);
  CHECK(end(wide) == 512 + 512);
  // A comparison reads whole repeats.
  EffectAccess compared = accessTo(
      Call("TPRELU").tileOf(shaped(2, 96, 2, 72)).tileOf(shaped(2, 96, 2, 72)).tile("Vec").tile("Vec").effects(), 1);
  CHECK(end(compared) == 384 + 512);
  // The pointer to the result moves twice for every step.
  for (const char *name : {"TFUSEDMULADD", "TFUSEDMULADDRELU", "TMULADDDST"})
    CHECK(end(accessTo(Call(name).tileOf(shaped(16, 64, 16, 64)).tile("Vec").tile("Vec").effects("a5"), 0)) >=
          2 * 4096);
  // A tile that decides and is not one: anything.
  CHECK_FALSE(accessTo(Call("TREM").unknown().tile("Vec").tile("Vec").tileOf(shaped(1, 40, 1, 40)).effects(), 3).bytes);
}

TEST_CASE("row broadcasts with scratch take 256 bytes of it for every eight rows") {
  for (const char *name : {"ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "EXPDIF"}) {
    auto scratch = [&](std::int64_t validRows) {
      return accessTo(Call(std::string("TROWEXPAND") + name)
                          .tileOf(shaped(32, 64, validRows, 64))
                          .tile("Vec")
                          .tile("Vec")
                          .tileOf(shaped(1, 8, 1, 8))
                          .effects(),
                      3);
    };
    CHECK(end(scratch(1)) == 256);
    CHECK(end(scratch(8)) == 256);
    CHECK(end(scratch(9)) == 512);
    CHECK(end(scratch(-1)) == 1024); // as many rows as the tile has
  }
}

TEST_CASE("row sums take half of a row of scratch") {
  auto scratch = [](Tile source, Tile tile) {
    return accessTo(Call("TROWSUM").tile("Vec").tileOf(std::move(source)).tileOf(std::move(tile)).effects(), 2);
  };
  CHECK(end(scratch(shaped(1, 512, 1, 300), shaped(1, 64, 1, 64))) == 1024);
  CHECK(end(scratch(shaped(3, 1024, 3, 1000), shaped(3, 64, 3, 64))) == 2 * 256 + 2048);
  CHECK(end(scratch(shaped(16, 128, 16, 128), shaped(16, 64, 16, 64))) == 4096); // all within the tile
  CHECK(end(scratch(shaped(16, 256, 16, 256), shaped(16, 256, 16, 256))) == 16384);
}

TEST_CASE("a quantised source is read again between its rows") {
  for (int operands : {3, 4, 5}) {
    Call call("TQUANT");
    call.tile("Vec", "int8_t").tileOf(shaped(16, 64, 16, 20)).tile("Vec");
    for (int i = 3; i < operands; ++i)
      call.tileOf(shaped(1, 64, 1, 64));
    Effects effects = call.effects();
    CHECK(accessTo(effects, 1).bytes == Footprint{1, 4096, 4096});
    CHECK(accessTo(effects, 1).certain == Footprint{16, 96, 256});
    if (operands > 3)
      CHECK(end(accessTo(effects, 3)) == 4096); // the whole source, converted
  }
}

TEST_CASE("counts in tiles may copy as much as the tiles hold, or nothing") {
  for (const char *arch : {"a3", "a5"})
    for (std::size_t counts : {2, 3}) {
      Call call("TCONCAT");
      call.tileOf(shaped(8, 64, 4, 8)).tileOf(shaped(8, 64, 4, 8)).tileOf(shaped(8, 64, 4, 8));
      for (std::size_t i = 0; i < counts; ++i)
        call.tile("Vec", "int32_t");
      for (std::size_t operand : {0, 1, 2}) {
        CHECK(end(accessTo(call.effects(arch), operand)) == 2048);
        CHECK_FALSE(accessTo(call.effects(arch), operand).certain);
      }
    }
}

TEST_CASE("on a5 scratch that the library leaves alone is held against nobody") {
  EffectAccess scratch = accessTo(rowSum(rows(64, 64)).effects("a5"), 2);
  CHECK(scratch.bytes);
  CHECK_FALSE(scratch.certain);
}

TEST_CASE("elementwise work is sequential if all its tiles have one shape") {
  CHECK(accessTo(Call("TADD").tile("Vec").tile("Vec").tile("Vec").effects(), 1).order == AccessOrder::Sequential);
  CHECK(accessTo(Call("TADD").tile("Vec").tileOf(shaped(16, 128, 16, 64)).tile("Vec").effects(), 1).order ==
        AccessOrder::Columns);
  CHECK(accessTo(Call("TADD").tileOf(rows(64, -1)).tileOf(rows(64, -1)).tileOf(rows(64, -1)).effects(), 1).order ==
        AccessOrder::Sequential);
  // With a scalar the library goes by the types alone.
  CHECK(accessTo(Call("TADDS").tile("Vec").tile("Vec").scalar().effects(), 1).order == AccessOrder::Columns);
  CHECK(accessTo(rowSum(rows(64, 64)).effects(), 1).order == AccessOrder::Reduce);
  CHECK(accessTo(Call("TCOLSUM").tile("Vec").tile("Vec").effects(), 1).order == AccessOrder::Unknown);
}

TEST_CASE("a source is read by the region of the result, which may end behind it") {
  auto source = [](Tile result, Tile read) {
    return accessTo(Call("TCVT").tileOf(std::move(result)).tileOf(std::move(read)).scalar().effects(), 1);
  };
  // Less than its own region is certain, all of it possible.
  CHECK(source(shaped(8, 64, 8, 16), shaped(8, 64, 8, 32)).bytes == Footprint{1, 1920, 1920});
  CHECK(source(shaped(8, 64, 8, 16), shaped(8, 64, 8, 32)).certain == Footprint{8, 64, 256});
  const EffectAccess behind = source(shaped(16, 64, 16, 64), shaped(8, 64, 8, 64));
  CHECK(behind.bytes == Footprint{1, 4096, 4096});
  CHECK(behind.certain == Footprint{1, 4096, 4096});
  CHECK(behind.widened);
  // As much as the type of the result allows where its region is known at run time only.
  const EffectAccess open = source(shaped(8, 64, -1, 64), shaped(8, 64, 2, 64));
  CHECK(open.bytes == Footprint{1, 2048, 2048});
  CHECK(open.certain == Footprint{1, 256, 256}); // its first row
  CHECK_FALSE(source(shaped(8, 64, 8, 64), shaped(8, 64, 8, 64)).widened);
}

TEST_CASE("the region at the call counts, where an engine knows it") {
  Call call = Call("TCVT").tileOf(shaped(16, 64, -1, 64)).tileOf(shaped(16, 64, -1, 64)).scalar();
  auto three = [](const Tile &tile) {
    Tile known = tile;
    known.staticValidRows = 3;
    return known;
  };
  CHECK(accessTo(call.effects(machineOf("a3"), Trust::Tile, three), 1).bytes == Footprint{1, 768, 768});
}

TEST_CASE("a result may be written by the region of a source, rows and columns turned") {
  const EffectAccess turned =
      accessTo(Call("TTRANS").tileOf(shaped(64, 16, 8, 8)).tileOf(shaped(16, 64, 16, 64)).tile("Vec").effects(), 0);
  CHECK(end(turned) == 4096);
  CHECK(turned.widened);
}

TEST_CASE("a source that is not as large as the result changes which of two is broadcast") {
  auto read = [](Tile first, Tile second) {
    return Call("TROWEXPANDMUL").tileOf(shaped(8, 64, 8, 64)).tileOf(std::move(first)).tileOf(std::move(second));
  };
  const Tile wide = shaped(8, 64, 8, 64), narrow = shaped(8, 8, 8, 1);
  CHECK(end(accessTo(read(wide, narrow).effects(), 2)) <= 256);
  CHECK(end(accessTo(read(narrow, wide).effects(), 2)) == 2048);
}

TEST_CASE("a broadcast source needs the fixed scratch where it is column-major") {
  auto scratch = [](Tile broadcast, bool first) {
    Call call = Call("TROWEXPANDSUB").tileOf(shaped(8, 64, 8, 64));
    const Tile wide = shaped(8, 64, 8, 64);
    call.tileOf(first ? broadcast : wide).tileOf(first ? wide : broadcast);
    return describe(call.effects()).find("scratch") != std::string::npos;
  };
  Tile rows = shaped(8, 8, 8, 8), columns = shaped(8, 1, 8, 1);
  columns.blockLayout = BlockLayout::ColMajor;
  for (bool first : {false, true}) {
    CHECK_FALSE(scratch(rows, first));
    CHECK(scratch(columns, first));
  }
}

TEST_CASE("a load fills as many rows as the tensor has, and a line as long as the tile's") {
  const Tensor eight = tensorShaped({1, 1, 2, 4, 64});
  const Effects effects = Call("TLOAD").tileOf(shaped(16, 64, 2, 64)).tensorOf(eight).effects();
  CHECK(accessTo(effects, 0).bytes == Footprint{1, 2048, 2048});
  CHECK(accessTo(Call("TLOAD").tileOf(shaped(16, 64, 2, 64)).tensor().effects(), 0).bytes == Footprint{1, 4096, 4096});
  const EffectAccess line =
      accessTo(Call("TLOAD").tileOf(shaped(8, 64, 8, 32)).tensorOf(tensorShaped({1, 1, 1, 8, 16})).effects(), 1);
  CHECK(withLines(tensorShaped({1, 1, 1, 8, 16}), line).shape[4] == 32);
  CHECK(withLines(tensorShaped({1, 1, 1, 8, 64}), line).shape[4] == 64);
  CHECK(withLines(tensorShaped({1, 1, 1, 8, -1}), line).shape[4] == -1); // anything as it is
}

namespace {

/// The call where the scalars that it is given lie within the bounds.
Effects between(const Call &call, std::int64_t lowest, std::int64_t highest) {
  auto bounds = [=](const Operand &) { return std::optional<ArgumentRange>({lowest, highest}); };
  return call.effects(machineOf("a3"), Trust::Tile, CallState({}, bounds));
}

} // namespace

TEST_CASE("an index that may lie outside of its tile leads anywhere in the memory") {
  for (const char *name : {"GetValue", "SetValue"}) {
    Call call = Call(name).tileOf(shaped(8, 64, 8, 64)).scalar();
    if (std::string(name) == "SetValue")
      call.scalar();
    CHECK_FALSE(accessTo(call.effects(), 0).bytes); // not known at all
    CHECK(accessTo(between(call, 0, 511), 0).bytes == Footprint{1, 2048, 2048});
    for (auto [lowest, highest] : {std::pair{0, 512}, {-1, 0}, {511, 100000}}) {
      CHECK_FALSE(accessTo(between(call, lowest, highest), 0).bytes);
      CHECK_FALSE(accessTo(between(call, lowest, highest), 0).certain);
    }
    // Inside of the tile and outside of its valid region.
    Call narrow = Call(name).tileOf(shaped(8, 64, 2, 64)).scalar();
    if (std::string(name) == "SetValue")
      narrow.scalar();
    CHECK(end(accessTo(between(narrow, 0, 127), 0)) == 512);
    CHECK(end(accessTo(between(narrow, 0, 128), 0)) == 2048);
  }
}

TEST_CASE("a window that may end outside of its tile leads anywhere in the memory") {
  Call call = Call("TEXTRACT").tileOf(shaped(4, 32, 4, 32)).tileOf(shaped(8, 64, 8, 64)).scalar().scalar();
  CHECK_FALSE(accessTo(call.effects(), 1).bytes);
  CHECK(end(accessTo(between(call, 0, 4), 1)) == 2048);
  CHECK_FALSE(accessTo(between(call, 0, 5), 1).bytes);
  CHECK_FALSE(accessTo(between(call, -1, 0), 1).bytes);
  CHECK(end(accessTo(between(call, 0, 4), 0)) == 512);
}

TEST_CASE("padding in place touches what is outside of the region for certain, and perhaps all of the tile") {
  const Effects effects = Call("TFILLPAD_INPLACE").tileOf(shaped(8, 64, 8, 64)).tileOf(shaped(8, 64, 5, 40)).effects();
  std::vector<EffectAccess> pieces;
  for (const EffectAccess &access : effects.phases.front().accesses)
    if (access.operand == 0u)
      pieces.push_back(access);
  REQUIRE(pieces.size() == 2); // the ends of five lines, and three lines
  CHECK(pieces[0].certain == Footprint{5, 96, 256});
  CHECK(pieces[0].certainOffset == 160);
  CHECK(pieces[1].certain == Footprint{1, 768, 768});
  CHECK(pieces[1].certainOffset == 5 * 256);
  for (const EffectAccess &piece : pieces) {
    CHECK(end(piece) == 2048);
    CHECK(piece.reads);
    CHECK(piece.writes);
    CHECK(piece.widened);
  }
  // Nothing to pad, or not known how much.
  for (const Tile &source : {shaped(8, 64, 8, 64), shaped(8, 64, -1, 64)}) {
    const EffectAccess all =
        accessTo(Call("TFILLPAD_INPLACE").tileOf(shaped(8, 64, 8, 64)).tileOf(source).effects(), 0);
    CHECK(end(all) == 2048);
    CHECK_FALSE(all.certain);
  }
}

TEST_CASE("a sort writes what its source asks for, and reads as many rows as its result has") {
  auto sort = [](const std::string &element, Tile result, Tile source, const std::string &arch = "a3") {
    return Call("TSORT32")
        .tileOf(typed(element, std::move(result)))
        .tileOf(typed(element, std::move(source)))
        .tileOf(typed("uint32_t", shaped(4, 64, 1, 64)))
        .effects(arch);
  };
  for (const char *arch : {"a3", "a5"}) {
    CHECK(end(accessTo(sort("float", shaped(1, 128, 1, 64), shaped(1, 64, 1, 64), arch), 0)) == 512);
    CHECK(end(accessTo(sort("float", shaped(4, 128, 4, 64), shaped(4, 64, 1, 64), arch), 0)) == 3 * 512 + 512);
    CHECK(end(accessTo(sort("float", shaped(4, 128, 4, 64), shaped(4, 64, 1, 64), arch), 1)) == 4 * 256);
    CHECK(end(accessTo(sort("float", shaped(4, 128, 4, 64), shaped(4, 64, 1, 64), arch), 2)) == 4 * 256);
    Effects merge =
        Call("TMRGSORT").tileOf(shaped(1, 256, 1, 64)).tileOf(shaped(1, 256, 1, 256)).scalar().effects(arch);
    CHECK(end(accessTo(merge, 0)) == 1024);
  }
  // Four elements of half hold one value and its index.
  Tile narrow = shaped(1, 256, 1, 64), source = shaped(1, 64, 1, 64);
  narrow.elementBits = source.elementBits = 16;
  CHECK(end(accessTo(sort("half", narrow, source), 0)) == 512);
}

TEST_CASE("where rows of one tile are longer than those of another, what lies between them is touched") {
  EffectAccess narrow = accessTo(
      Call("TADD").tileOf(shaped(8, 64, 8, 16)).tileOf(shaped(8, 16, 8, 16)).tileOf(shaped(8, 64, 8, 16)).effects("a5"),
      0);
  CHECK(narrow.bytes == Footprint{1, 1856, 1856});
  CHECK(narrow.certain == Footprint{8, 64, 256});
  // What is broadcast along rows is read as one block behind the other.
  for (const char *arch : {"a3", "a5"}) {
    EffectAccess blocks = accessTo(Call("TROWEXPANDMUL")
                                       .tileOf(shaped(16, 64, 16, 64))
                                       .tileOf(shaped(16, 64, 16, 64))
                                       .tileOf(shaped(16, 16, 16, 8))
                                       .effects(arch),
                                   2);
    CHECK(end(blocks) == 15 * 64 + 32);
    CHECK(blocks.bytes->rows == 1);
    CHECK(blocks.certain == Footprint{1, 32, 32});
  }
  // 32-bit comparisons of a5 take the rows of one source for as long as those of the other.
  Effects compared = Call("TCMP")
                         .tile("Vec", "uint8_t")
                         .tileOf(shaped(8, 128, 8, 64))
                         .tileOf(shaped(8, 64, 8, 64))
                         .scalar()
                         .effects("a5");
  CHECK(end(accessTo(compared, 2)) == 8 * 512);
  CHECK(accessTo(compared, 2).certain->extent() <= 2048);
}

TEST_CASE("scratch is taken for elements as wide as those of the data") {
  Tile bytes = typed("uint8_t", shaped(16, 512, 16, 512));
  bytes.elementBits = 8;
  EffectAccess sum = accessTo(Call("TROWSUM").tile("Vec").tileOf(shaped(16, 128, 16, 128)).tileOf(bytes).effects(), 2);
  CHECK(end(sum) == 15 * 2048 + 256);
  Tile one = typed("uint8_t", shaped(1, 1024, 1, 1024));
  one.elementBits = 8;
  EffectAccess quantised = accessTo(
      Call("TQUANT").tile("Vec", "int8_t").tileOf(shaped(16, 64, 16, 64)).tile("Vec").tileOf(one).effects(), 3);
  CHECK(end(quantised) == 4096);
}

TEST_CASE("a microscaling quantisation of a5 may write its result by rows as long as those of its source") {
  Call call = Call("TQUANT")
                  .tile("Vec", "int8_t")
                  .tileOf(shaped(16, 256, 16, 128))
                  .tile("Vec")
                  .tile("Vec")
                  .tile("Vec")
                  .tile("Vec");
  CHECK(end(accessTo(call.effects("a5"), 0)) >= 15 * 256 + 128);
}
