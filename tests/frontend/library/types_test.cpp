#include "frontend/library/types.h"
#include "frontend/lifted.h"
#include "frontend/read/parse.h"
#include "frontend/tokens_of.h"
#include <clang/AST/Decl.h>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// The type of `declaration`, which declares x. The unit must outlive the type.
struct ReadType {
  explicit ReadType(const std::string &declaration)
      : parsed(llvm::cantFail(
            parseSection(tokensOf(std::string(kHead) + declaration), Section::Vec, frontendOptions(machineOf("a3"))))) {
    for (const clang::Decl *member : parsed.unit->getASTContext().getTranslationUnitDecl()->decls())
      if (auto *variable = llvm::dyn_cast<clang::VarDecl>(member); variable && variable->getName() == "x")
        type = variable->getType();
    if (type.isNull())
      throw std::runtime_error("no variable x in " + declaration);
  }
  const clang::ASTContext &context() const { return parsed.unit->getASTContext(); }

  ParsedSection parsed;
  clang::QualType type;
};

std::string integerOf(const std::string &declaration) {
  ReadType read(declaration);
  IntegerType type = integerType(read.type, read.context());
  return (type.isSigned ? "i" : "u") + std::to_string(type.bits);
}

std::string elementOf(const std::string &declaration) {
  ReadType read(declaration);
  std::uint32_t bits = 0;
  std::string name = elementName(read.type, read.context(), bits);
  return name + ":" + std::to_string(bits);
}

ObjectKind kindOf(const std::string &declaration) { return objectKind(ReadType(declaration).type); }

} // namespace

TEST_CASE("kinds of PTO objects") {
  CHECK(kindOf("Tile<TileType::Vec, float, 2, 3> x;") == ObjectKind::Tile);
  CHECK(kindOf("using T = Tile<TileType::Vec, float, 2, 3>; extern const T &x;") == ObjectKind::Tile);
  CHECK(kindOf("GlobalTensor<float, Shape<>, Stride<>> x;") == ObjectKind::Tensor);
  CHECK(kindOf("Shape<1, 2> x;") == ObjectKind::Dimensions);
  CHECK(kindOf("Stride<> x;") == ObjectKind::Dimensions);
  CHECK(kindOf("extern TPipe<0, Direction::DIR_C2V, 64, 8> x;") == ObjectKind::Fifo);
  CHECK(kindOf("template <int N> struct PTOAS_EventIdArray { int data[N]; }; PTOAS_EventIdArray<2> x;") ==
        ObjectKind::EventArray);
  CHECK(kindOf("int x;") == ObjectKind::None);
  CHECK(kindOf("struct Tile2 {} x;") == ObjectKind::None);
  CHECK(kindOf("extern Tile<TileType::Vec, float, 2, 3> *x;") == ObjectKind::None);
}

TEST_CASE("integers, enumerations and pointers have a width; the rest has none") {
  CHECK(integerOf("int x;") == "i32");
  CHECK(integerOf("uint64_t x;") == "u64");
  CHECK(integerOf("const int8_t x = 0;") == "i8");
  CHECK(integerOf("bool x;") == "u1");
  CHECK(integerOf("size_t x;") == "u64");
  CHECK(integerOf("event_t x;") == "i32");
  CHECK(integerOf("Layout x;") == "i32");
  CHECK(integerOf("__gm__ float *x;") == "u64");
  CHECK(integerOf("extern int &x;") == "i32");
  CHECK(integerOf("float x;") == "u0");
  CHECK(integerOf("Shape<> x;") == "u0");
  CHECK(integerOf("int x[3];") == "u0");
  CHECK(integerOf("__int128 x;") == "u0");
}

TEST_CASE("elements are spelled as kernels spell them") {
  CHECK(elementOf("float x;") == "float:32");
  CHECK(elementOf("half x;") == "half:16");
  CHECK(elementOf("bfloat16_t x;") == "bfloat16_t:16");
  CHECK(elementOf("int32_t x;") == "int32_t:32");
  CHECK(elementOf("uint8_t x;") == "uint8_t:8");
  CHECK(elementOf("int64_t x;") == "int64_t:64");
  CHECK(elementOf("bool x;") == "bool:8");
  CHECK(elementOf("float8_e4m3_t x;") == "float8_e4m3_t:8");
  CHECK(elementOf("hifloat8_t x;") == "hifloat8_t:8");
}

TEST_CASE("every argument of a tile is read") {
  ReadType read(
      "Tile<TileType::Mat, half, 32, 256, BLayout::ColMajor, 16, -1, SLayout::RowMajor, 1024, PadValue::Zero, "
      "CompactMode::RowPlusOne> x(1);");
  Tile tile = readTile(read.type, read.context());
  CHECK(tile.location == "Mat");
  CHECK(tile.element == "half");
  CHECK(tile.elementBits == 16);
  CHECK(tile.rows == 32);
  CHECK(tile.cols == 256);
  CHECK(tile.blockLayout == BlockLayout::ColMajor);
  CHECK(tile.staticValidRows == 16);
  CHECK(tile.staticValidCols == -1);
  CHECK(tile.innerLayout == InnerLayout::RowMajor);
  CHECK(tile.fractalBytes == 1024);
  CHECK(tile.padded);
  CHECK(tile.compactMode == CompactMode::RowPlusOne);
}

TEST_CASE("defaulted arguments of a tile are those of the API") {
  ReadType read("Tile<TileType::Vec, float, 8, 64> x;");
  Tile tile = readTile(read.type, read.context());
  CHECK(tile.blockLayout == BlockLayout::RowMajor);
  CHECK(tile.staticValidRows == 8);
  CHECK(tile.staticValidCols == 64);
  CHECK(tile.innerLayout == InnerLayout::NoneBox);
  CHECK(tile.fractalBytes == 512);
  CHECK_FALSE(tile.padded);
  CHECK(tile.compactMode == CompactMode::Null);
}

TEST_CASE("a compact mode that is not known counts as the largest") {
  ReadType read("Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, "
                "CompactMode::RowAlignedPadding> x;");
  CHECK(readTile(read.type, read.context()).compactMode == CompactMode::RowPlusOne);
}

TEST_CASE("the 4-bit types pack two elements into their byte") {
  // They are written as a byte each; halving would under-count one of the two readings.
  ReadType read("Tile<TileType::Vec, float4_e2m1x2_t, 8, 64> x;");
  Tile tile = readTile(read.type, read.context());
  CHECK(tile.element == "float4_e2m1x2_t");
  CHECK(tile.elementBits == 8);
}

TEST_CASE("tensors are read with their five entries") {
  ReadType read("GlobalTensor<int8_t, Shape<1, 2, -1, 4, 5>, Stride<-1, -1, 3, 2, 1>, Layout::DN> x;");
  Tensor tensor = readTensor(read.type, read.context());
  CHECK(tensor.element == "int8_t");
  CHECK(tensor.elementBits == 8);
  CHECK(tensor.shape == std::array<std::int64_t, 5>{1, 2, -1, 4, 5});
  CHECK(tensor.stride == std::array<std::int64_t, 5>{-1, -1, 3, 2, 1});
}

TEST_CASE("a type that is no PTO object reads as unknown") {
  ReadType read("int x;");
  CHECK(readTile(read.type, read.context()).rows == 0);
  CHECK(readTensor(read.type, read.context()).shape == std::array<std::int64_t, 5>{-1, -1, -1, -1, -1});
  CHECK(readFifo(read.type).slots == -1);
  CHECK(readDimensions(read.type) == std::array<std::int64_t, 5>{-1, -1, -1, -1, -1});
  CHECK(readEventArray(read.type) == 0);
}

TEST_CASE("FIFOs are read, and local slots that are not written are not known") {
  Fifo fifo = readFifo(ReadType("extern TPipe<4, Direction::DIR_V2C, 8192, 8, 2, true> x;").type);
  CHECK(fifo.flagBase == 4);
  CHECK(fifo.direction == "DIR_V2C");
  CHECK(fifo.slotBytes == 8192);
  CHECK(fifo.slots == 8);
  CHECK(fifo.localSlots == 2);
  CHECK(readFifo(ReadType("extern TPipe<4, Direction::DIR_V2C, 8192, 8> x;").type).localSlots == -1);
}

TEST_CASE("enumerators are found by value") {
  ReadType read("BLayout x;");
  CHECK(enumeratorName(read.type, 1) == "ColMajor");
  CHECK(enumeratorName(read.type, 99) == "");
  CHECK(enumeratorName(ReadType("int x;").type, 1) == "");
}

namespace {

/// "AtomicType=AtomicType::AtomicAdd number=3" of the SHOW calls of the body; "Kind=?" for one that is not known.
std::string constants(const std::string &arguments, const std::string &helpers = "") {
  Module module = liftBody("  SHOW<" + arguments + ">(n);\n", helpers);
  std::string text;
  for (const Block &block : kernelNamed(module, "k").blocks)
    for (const Statement &statement : block.statements)
      if (const auto *call = std::get_if<Instruction>(&statement.action); call && call->name == "SHOW")
        for (const TemplateConstant &constant : call->templateConstants)
          text += (text.empty() ? "" : " ") + constant.kind + "=" + (constant.value.empty() ? "?" : constant.value);
  return text;
}

} // namespace

TEST_CASE("template constants: an enumerator is known by its name, however it is written") {
  const std::string add = "AtomicType=AtomicType::AtomicAdd";
  CHECK(constants("AtomicType::AtomicAdd") == add);
  CHECK(constants("pto::AtomicType::AtomicAdd") == add);
  CHECK(constants("(AtomicType::AtomicAdd)") == add);
  CHECK(constants("kMode", "constexpr AtomicType kMode = AtomicType::AtomicAdd;\n") == add);
  CHECK(constants("kMode", "constexpr auto kFirst = pto::AtomicType::AtomicAdd; constexpr auto kMode = kFirst;\n") ==
        add);
  CHECK(constants("A::AtomicAdd", "using A = pto::AtomicType;\n") == add);
  CHECK(constants("MODE", "#define MODE AtomicType::AtomicAdd\n") == add);
}

TEST_CASE("template constants: types are none, numbers and booleans are numbers") {
  CHECK(constants("float, 3, true") == "number=3 number=1");
  CHECK(constants("decltype(n)") == "");
  CHECK(constants("kWidth * 2", "constexpr int kWidth = 4;\n") == "number=8");
}

TEST_CASE("template constants: what a helper is given counts, at each of its calls") {
  const std::string helper = "template <AtomicType M> AICORE void f(int32_t n) { SHOW<M>(n); }\n";
  Module module = liftBody("  f<AtomicType::AtomicAdd>(n);\n  f<AtomicType::AtomicNone>(n);\n", helper);
  std::string text;
  for (const Block &block : kernelNamed(module, "k").blocks)
    for (const Statement &statement : block.statements)
      if (const auto *call = std::get_if<Instruction>(&statement.action); call && call->name == "SHOW")
        for (const TemplateConstant &constant : call->templateConstants)
          text += constant.value + " ";
  CHECK(text == "AtomicType::AtomicAdd AtomicType::AtomicNone ");
}

TEST_CASE("template constants: an enumeration that the file declares is none of the library's") {
  CHECK(constants("Own::A", "enum class Own { A, B };\n") == "?=?");
  CHECK(constants("Own::AtomicAdd", "enum class Own { AtomicAdd };\n") == "?=?");
}

TEST_CASE("template constants: a number that is cast counts where the numbers are the library's") {
  CHECK(constants("static_cast<AtomicType>(1)") == "AtomicType=AtomicType::AtomicAdd");
  CHECK(constants("(AtomicType)77") == "AtomicType=?");
  // An enumeration that the prelude makes up for the file has other numbers.
  CHECK(constants("NewMode::Odd, (NewMode)1") == "NewMode=NewMode::Odd NewMode=?");
}
