#include "machine/operand_bytes.h"

#include "machine/call.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
