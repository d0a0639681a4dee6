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
