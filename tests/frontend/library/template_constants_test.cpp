#include "frontend/library/template_constants.h"

#include "frontend/lifted.h"

using namespace ptosync;
using namespace ptosync::test;

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
