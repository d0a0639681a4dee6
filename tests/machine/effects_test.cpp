#include "machine/effects.h"

#include "machine/call.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// "V(0w 1r 2rw*) | barrier V": operands by number, hidden memory by name, scratch with a star.
std::string describe(const Effects &effects) {
  std::string text;
  for (const EffectPhase &phase : effects.phases) {
    text += (text.empty() ? "" : " | ") + std::string(phase.barrier ? "barrier " : "") +
            std::string(pipeName(phase.pipe).substr(5)) + (phase.observed ? "" : "-");
    if (phase.accesses.empty())
      continue;
    text += "(";
    bool first = true;
    for (const EffectAccess &access : phase.accesses) {
      text += first ? "" : " ";
      text += access.operand ? std::to_string(*access.operand) : access.hidden->name;
      text += std::string(access.reads ? "r" : "") + (access.writes ? "w" : "") + (access.scratch ? "*" : "");
      first = false;
    }
    text += ")";
  }
  return text;
}

/// A model with one instruction X of the given forms.
Machine machineWith(const std::string &forms) {
  return llvm::cantFail(Machine::parse(R"({"schema": 1, "arch": "a3", "library": "l",
    "spaces": [{"name": "UB", "bytes": 1024, "tiles": ["Vec"]}], "barriers": [], "flags": {"ids": 8}, "rules": [],
    "instructions": {"X": {"forms": [)" + forms +
                                           "]}}}",
                                       "m.json"));
}

std::string form(const std::string &operands, const std::string &pipe, const std::string &rest = "") {
  return R"({"operands": [)" + operands + R"(], "pipes": [")" + pipe + "\"]" + rest + "}";
}

constexpr const char *kDst = R"({"name": "dst", "role": "write"})";
constexpr const char *kSrc = R"({"name": "src", "role": "read"})";
constexpr const char *kScalar = R"({"name": "scalar", "role": "scalar"})";
constexpr const char *kTmp = R"({"name": "tmp", "role": "scratch", "optional": true})";

std::string list(std::initializer_list<const char *> operands) {
  std::string text;
  for (const char *operand : operands)
    text += (text.empty() ? "" : ", ") + std::string(operand);
  return text;
}

std::string chosen(const Machine &machine, const Call &call) { return describe(call.effects(machine, Trust::Tile)); }

/// A row-major float tile of the given columns and valid columns (-1: run-time).
Tile rows(std::uint32_t cols, std::int64_t validCols) {
  Tile tile;
  tile.location = "Vec";
  tile.element = "float";
  tile.elementBits = 32;
  tile.rows = tile.staticValidRows = 16;
  tile.cols = cols;
  tile.staticValidCols = validCols;
  return tile;
}

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

TEST_CASE("a fence over some pipes also holds the scalar unit, which touches no memory there") {
  CHECK(describe(Call("TPUSH").fifo().tile("Vec").effects()) == "S- | MTE3(1r)");
  CHECK(describe(Call("TFREE").fifo().effects()) == "S- | MTE2");
  CHECK(Call("TFREE").fifo().effects().fence == FenceKind::Release);
}

TEST_CASE("a fence over everything touches its operands on its own pipes only") {
  CHECK(describe(Call("TNOTIFY").tensor().scalar().scalar().effects()) ==
        "S(0rw) | V- | M- | MTE1- | MTE2- | MTE3- | FIX-");
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
  CHECK(chosen(machine, Call("X").tile("Vec").templateArgument("3").templateArgument("pto::AtomicType::AtomicAdd")) ==
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

namespace {

/// The access to operand `i` of the first phase.
EffectAccess accessTo(const Effects &effects, std::size_t i) {
  for (const EffectAccess &access : effects.phases.front().accesses)
    if (access.operand == i)
      return access;
  throw std::runtime_error("no such access");
}

Tile shaped(std::uint32_t rowCount, std::uint32_t cols, std::int64_t validRows, std::int64_t validCols) {
  Tile tile = rows(cols, validCols);
  tile.rows = rowCount;
  tile.staticValidRows = validRows;
  return tile;
}

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
  EffectAccess bits = accessTo(Call("TCMP").tileOf(shaped(8, 64, 4, 8)).tile("Vec").tile("Vec").scalar().effects(), 0);
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
  EffectAccess compared =
      accessTo(Call("TPRELU").tile("Vec").tileOf(shaped(2, 96, 2, 72)).tile("Vec").tile("Vec").effects(), 1);
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

TEST_CASE("an exception that nobody can test for is taken to apply") {
  std::string phases =
      R"(, "library": [{"pipe": "PIPE_V", "reads": ["src"], "writes": ["dst"]}, {"barrier": "PIPE_V"}])";
  Call call = Call("X").tile("Vec").tile("Vec");
  CHECK(describe(call.effects(machineWith(form(list({kDst, kSrc}), "PIPE_V", phases)), Trust::Library)) ==
        "V(1r 0w) | barrier V");
  Machine machine = machineWith(form(list({kDst, kSrc}), "PIPE_V", phases + R"(, "libraryUnless": "full-moon")"));
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
